//! What the tests of several crates share. Only ever a dev-dependency.
//!
//! A test that needs a solver, a tool, the corpus or a lot of time says so: `#[ignore = "needs z3, corpus"]`.
//! `cargo test` reports it as ignored, with that reason. `cargo xtask test` installs what it can, runs every
//! ignored test whose needs are met, and lists the others with their reasons. So a test never passes because
//! something is missing. A need is a program on PATH (`z3`, `gcov`), `postgresql`, a release of the zoo
//! (`z3@4.8.7`), `corpus`, or `--slow`.

mod postgres;

use std::path::{Path, PathBuf};

pub use postgres::Cluster;

/// Makes one test for each solver out of a function that takes the solver's name.
///
/// ```ignore
/// fn models_are_true(solver: &str) { .. }
/// each_solver!(models_are_true: z3 "needs z3", cvc5_new "needs cvc5@1.4.2");
/// ```
/// The solver is the first need. Tests are called `models_are_true::z3` and so on.
#[macro_export]
macro_rules! each_solver {
    ($test:ident: $($name:ident $needs:literal),+ $(,)?) => {
        mod $test {
            $(
                #[test]
                #[ignore = $needs]
                fn $name() {
                    super::$test($crate::first_need($needs));
                }
            )+
        }
    };
}

/// The first need in a reason such as `needs z3, corpus`.
pub fn first_need(reason: &str) -> &str {
    let needs = reason.strip_prefix("needs ").expect("a reason starts with `needs `");
    needs.split(", ").next().unwrap_or(needs)
}

/// Whether `cargo xtask test --slow` runs the tests: they then try many more cases.
pub fn is_slow() -> bool {
    std::env::var_os("SMELT_SLOW").is_some()
}

/// A folder of the corpus beside the project.
pub fn corpus_folder(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/corpus").join(name)
}

/// All `.smt2` files below a folder of the corpus, sorted; none if the corpus is missing.
pub fn corpus_files(name: &str) -> Vec<PathBuf> {
    scripts_below(&corpus_folder(name))
}

/// All `.smt2` files below a folder, sorted; none if it is missing.
pub fn scripts_below(folder: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    let mut folders = vec![folder.to_owned()];
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

/// All `.smt2` files below a folder of the corpus, for tests marked `needs corpus`.
pub fn corpus(name: &str) -> Vec<PathBuf> {
    let files = corpus_files(name);
    assert!(!files.is_empty(), "no .smt2 file in {}", corpus_folder(name).display());
    files
}
