//! Finds the corpus that tests use when it is there.

#![allow(clippy::print_stdout)] // a skipped test says so

use std::path::{Path, PathBuf};

/// The files of a folder of the corpus; empty, with a message, where it is absent.
pub(crate) fn corpus(folder: &str) -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/corpus").join(folder);
    let mut files = Vec::new();
    let mut folders = vec![root];
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
    if files.is_empty() {
        println!("skipped: there is no corpus/{folder}");
    }
    files
}
