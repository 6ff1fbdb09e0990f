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
            files.extend(smelt_campaign::seeds::scripts_in(path)?);
        } else {
            files.push(path.clone());
        }
    }
    Ok(files)
}
