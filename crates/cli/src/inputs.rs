//! From paths on the command line to script files.

use std::path::{Path, PathBuf};

use smelt_smtlib::signature::Signatures;

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

/// The built-in signatures with a user's file on top.
pub(crate) fn signatures(file: &Path) -> Result<std::sync::Arc<Signatures>, Failure> {
    let text = read(file)?;
    let failed = |e: smelt_smtlib::Error| Failure::usage(format!("{}:{}", file.display(), e.locate(&text)));
    Signatures::extended(&text).map_err(failed)
}

/// Makes the signatures of a user's file known to everything that this run reads.
pub(crate) fn install_signatures(file: Option<&Path>) -> Result<(), Failure> {
    let Some(file) = file else { return Ok(()) };
    match Signatures::install(signatures(file)?) {
        true => Ok(()),
        false => Err(Failure::internal("signatures are read before anything else")),
    }
}
