//! From paths on the command line to script files.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use smelt_smtlib::signature::Signatures;

use crate::exit::Failure;
use crate::output;

/// A file's content.
pub(crate) fn read(path: &Path) -> Result<Vec<u8>, Failure> {
    std::fs::read(path).map_err(|e| Failure::usage(format!("cannot read {}: {e}", path.display())))
}

/// The scripts that paths name: files as they are, folders searched for `.smt2`, in a fixed order. What cannot be read in a
/// folder is left out with a warning.
///
/// A path that is not there, or a folder without scripts, is a failure: a run over nothing must not look like success.
pub(crate) fn scripts(paths: &[PathBuf]) -> Result<Vec<PathBuf>, Failure> {
    let mut files = Vec::new();
    for path in paths {
        let kind = std::fs::metadata(path)
            .map_err(|e| Failure::usage(format!("cannot read {}: {e}", path.display())))?;
        if kind.is_dir() {
            let mut left_out = Vec::new();
            let found = smelt_campaign::seeds::scripts_in(path, &mut left_out)?.into_iter();
            let is_there = |file: &PathBuf| match std::fs::File::open(file) {
                Ok(_) => true,
                Err(e) => {
                    left_out.push((file.display().to_string(), format!("left out: cannot read it: {e}")));
                    false
                }
            };
            files.extend(found.filter(is_there).collect::<Vec<_>>());
            warn(&left_out);
        } else {
            files.push(path.clone());
        }
    }
    Ok(files)
}

/// Warns of files that are left out.
pub(crate) fn warn(left_out: &[(String, String)]) {
    for (name, why) in left_out {
        let _ = writeln!(std::io::stderr(), "{}: {}", output::printable(name), output::printable(why));
    }
}

/// The built-in signatures with a user's on top; `name` is where the text is from.
pub(crate) fn signatures(name: &Path, text: &[u8]) -> Result<Arc<Signatures>, Failure> {
    let failed = |e: smelt_smtlib::Error| Failure::usage(format!("{}:{}", name.display(), e.locate(text)));
    Signatures::extended(text).map_err(failed)
}

/// Makes the signatures of a user's file known to everything that this run reads.
pub(crate) fn install_signatures(name: &Path, text: &[u8]) -> Result<(), Failure> {
    match Signatures::install(signatures(name, text)?) {
        true => Ok(()),
        false => Err(Failure::internal("signatures are read before anything else")),
    }
}
