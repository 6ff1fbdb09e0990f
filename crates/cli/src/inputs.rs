//! From paths on the command line to script files.

use std::path::{Path, PathBuf};

use crate::exit::Failure;

/// A file's content.
pub(crate) fn read(path: &Path) -> Result<Vec<u8>, Failure> {
    std::fs::read(path).map_err(|e| Failure::usage(format!("cannot read {}: {e}", path.display())))
}

/// The scripts that paths name: files as they are, folders searched for `.smt2`, in a fixed order.
///
/// A path that is not there, or a folder without scripts, is a failure: a run over nothing must not look like success.
pub(crate) fn scripts(paths: &[PathBuf]) -> Result<Vec<PathBuf>, Failure> {
    let mut files = Vec::new();
    for path in paths {
        let kind = std::fs::metadata(path)
            .map_err(|e| Failure::usage(format!("cannot read {}: {e}", path.display())))?;
        if kind.is_dir() {
            let before = files.len();
            walk(path, &mut files)?;
            if files.len() == before {
                return Err(Failure::usage(format!("no .smt2 file in {}", path.display())));
            }
            files[before..].sort();
        } else {
            files.push(path.clone());
        }
    }
    Ok(files)
}

fn walk(root: &Path, files: &mut Vec<PathBuf>) -> Result<(), Failure> {
    let mut folders = vec![root.to_owned()];
    while let Some(folder) = folders.pop() {
        let failure = |e| Failure::usage(format!("cannot read {}: {e}", folder.display()));
        for entry in std::fs::read_dir(&folder).map_err(failure)? {
            let entry = entry.map_err(failure)?;
            let path = entry.path();
            // Links to folders are not followed: they can form cycles.
            if entry.file_type().map_err(failure)?.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|e| e == "smt2") {
                files.push(path);
            }
        }
    }
    Ok(())
}
