//! Results: one JSON document on stdout, and files.

use std::io::{self, StdoutLock, Write};
use std::path::Path;

use serde::Serialize;

use crate::exit::Failure;

/// A value as JSON.
pub(crate) fn json(value: &impl Serialize) -> Result<String, Failure> {
    serde_json::to_string(value).map_err(|e| Failure::internal(e.to_string()))
}

/// Prints a JSON document.
pub(crate) fn print_json(value: &impl Serialize) -> Result<(), Failure> {
    Ok(writeln!(std::io::stdout(), "{}", json(value)?)?)
}

/// Prints a result: as a JSON document, or as text.
pub(crate) fn result(
    as_json: bool,
    document: &impl Serialize,
    text: impl FnOnce(&mut StdoutLock<'_>) -> io::Result<()>,
) -> Result<(), Failure> {
    if as_json { print_json(document) } else { Ok(text(&mut io::stdout().lock())?) }
}

/// Writes a file, and the folders it is in.
pub(crate) fn write(path: &Path, content: impl AsRef<[u8]>) -> Result<(), Failure> {
    let failed = |e: std::io::Error| Failure::usage(format!("cannot write {}: {e}", path.display()));
    path.parent().map_or(Ok(()), std::fs::create_dir_all).map_err(failed)?;
    std::fs::write(path, content).map_err(failed)
}
