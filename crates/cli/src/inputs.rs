//! Reads script files from paths on the command line.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use smelt_smtlib::signature::Signatures;
use smelt_smtlib::{Arena, Command, parse_script};
use smelt_solvers::closest;

use crate::exit::Failure;
use crate::output;

/// A file's content.
pub(crate) fn read(path: &Path) -> Result<Vec<u8>, Failure> {
    std::fs::read(path).map_err(|e| unreadable(path, &e))
}

/// The failure for a file that cannot be read; for one that is not there, with the name that was meant.
pub(crate) fn unreadable(path: &Path, error: &std::io::Error) -> Failure {
    let mut message = format!("cannot read {}: {error}", path.display());
    if error.kind() == std::io::ErrorKind::NotFound
        && let Some(meant) = meant(path)
    {
        message = format!("no file {}: did you mean {}?", path.display(), meant.display());
    }
    Failure::usage(message)
}

/// The file or folder beside a missing one that is most like it in name.
fn meant(path: &Path) -> Option<PathBuf> {
    let wrong = Path::new(path.file_name()?);
    let folder = path.parent().filter(|p| !p.as_os_str().is_empty());
    let entries = std::fs::read_dir(folder.unwrap_or(Path::new("."))).ok()?.flatten();
    let mut names: Vec<PathBuf> = entries.map(|e| e.file_name().into()).collect();
    names.sort();
    // An ending in common says nothing.
    let is_like = |name: &&PathBuf| name.extension() == wrong.extension();
    let stems = names.iter().filter(is_like).filter_map(|name| name.file_stem()?.to_str());
    if let Some(stem) = closest(wrong.file_stem()?.to_str()?, stems) {
        return Some(path.with_file_name(stem).with_extension(wrong.extension().unwrap_or_default()));
    }
    let others = names.iter().filter(|name| name.file_stem() == wrong.file_stem());
    Some(path.with_file_name(others.into_iter().next()?))
}

/// Why no solver has anything to answer to a script, if so.
pub(crate) fn asks_nothing(source: &[u8]) -> Option<String> {
    let mut arena = Arena::new();
    let parsed = match parse_script(&mut arena, source) {
        Ok(parsed) => parsed,
        Err(e) => return Some(format!("cannot be parsed: {}", e.locate(source))),
    };
    let asks = |c: &Command| match c {
        Command::CheckSat | Command::CheckSatAssuming(_) | Command::Simplify(_) => true,
        Command::Other(name, _) => {
            let name = arena.text(*name);
            name.starts_with(b"check") || matches!(name, b"apply" | b"get-qe")
        }
        _ => false,
    };
    let nothing = "has no query: add a (check-sat)".to_owned();
    (!parsed.script.commands.iter().any(asks)).then_some(nothing)
}

/// The scripts that paths name: files as they are, folders searched for `.smt2`, in a fixed order. What cannot be read in a
/// folder is left out with a warning.
///
/// A path that is not there, or a folder without scripts, is a failure: a run over nothing must not look like success.
pub(crate) fn scripts(paths: &[PathBuf]) -> Result<Vec<PathBuf>, Failure> {
    let mut files = Vec::new();
    for path in paths {
        let kind = std::fs::metadata(path).map_err(|e| unreadable(path, &e))?;
        if kind.is_dir() {
            let mut left_out = Vec::new();
            let found = smelt_campaign::seeds::scripts_in(path, &mut left_out)?.into_iter();
            let is_there = |file: &PathBuf| match std::fs::File::open(file) {
                Ok(_) => true,
                Err(e) => {
                    left_out.push((file.display().to_string(), format!("skipped: cannot read it: {e}")));
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
