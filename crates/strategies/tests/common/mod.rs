//! The seeds of the corpus as a pool.

use smelt_core::Verdict;
use smelt_strategies::{Pool, SeedId};

/// The seeds in a pool, with the status that their folder states; empty if the corpus is missing.
pub(crate) fn seeds() -> (Pool, Vec<SeedId>) {
    let mut pool = Pool::new();
    let mut ids = Vec::new();
    // The default run of the tests is quick: every fourth seed.
    let step = if cfg!(debug_assertions) && !smelt_testing::is_slow() { 4 } else { 1 };
    for file in smelt_testing::corpus_files("seeds").into_iter().step_by(step) {
        let status = match file.parent().and_then(|p| p.file_name()).and_then(|n| n.to_str()) {
            Some("sat") => Some(Verdict::Sat),
            Some("unsat") => Some(Verdict::Unsat),
            _ => None,
        };
        let text = std::fs::read(&file).expect("a readable file");
        let name = file.display().to_string();
        match pool.add(&name, &text, status) {
            Ok(id) => ids.push(id),
            Err(e) => panic!("{name} {e}"),
        }
    }
    (pool, ids)
}
