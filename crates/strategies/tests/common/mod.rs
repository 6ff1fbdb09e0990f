//! The corpus as a pool, where it is there.

#![allow(clippy::print_stdout)] // tests say what they skip

use std::path::{Path, PathBuf};

use smelt_core::Verdict;
use smelt_strategies::{Pool, SeedId};

/// All `.smt2` files below `corpus/seeds`, in order.
pub(crate) fn files() -> Vec<PathBuf> {
    let mut files = Vec::new();
    let mut folders = vec![Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/corpus/seeds")];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
            let path = entry.path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|e| e == "smt2") {
                files.push(path);
            }
        }
    }
    files.sort();
    files
}

/// The seeds in a pool, labelled by their folders; `None`, with a message, where there are none.
pub(crate) fn corpus() -> Option<(Pool, Vec<SeedId>)> {
    let mut pool = Pool::new();
    let mut ids = Vec::new();
    // The default run of the tests is quick: every fourth seed.
    let step = if cfg!(debug_assertions) && std::env::var_os("SMELT_SLOW").is_none() { 4 } else { 1 };
    for file in files().into_iter().step_by(step) {
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
    if ids.is_empty() {
        println!("skipped: there is no corpus/seeds");
        return None;
    }
    Some((pool, ids))
}
