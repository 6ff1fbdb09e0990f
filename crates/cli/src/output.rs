//! Results: one JSON document on stdout, and files.

use std::io::{BufWriter, StdoutLock, Write};
use std::path::{Path, PathBuf};

use serde::Serialize;
use serde_json::Value;

use crate::exit::Failure;

/// A value as JSON.
pub(crate) fn json(value: &impl Serialize) -> Result<String, Failure> {
    serde_json::to_string(value).map_err(|e| Failure::internal(e.to_string()))
}

/// Prints a JSON document.
pub(crate) fn print_json(value: &impl Serialize) -> Result<(), Failure> {
    Ok(writeln!(std::io::stdout(), "{}", json(value)?)?)
}

/// Writes a file, and the folders it is in.
pub(crate) fn write(path: &Path, content: impl AsRef<[u8]>) -> Result<(), Failure> {
    let failed = |e: std::io::Error| Failure::usage(format!("cannot write {}: {e}", path.display()));
    path.parent().map_or(Ok(()), std::fs::create_dir_all).map_err(failed)?;
    std::fs::write(path, content).map_err(failed)
}

/// Scripts that a command makes: one file each in a folder, texts in a JSON document, or all to stdout.
pub(crate) struct Scripts {
    folder: Option<PathBuf>,
    json: bool,
    out: BufWriter<StdoutLock<'static>>,
    /// How many were made.
    pub(crate) made: usize,
    /// For a JSON document: the paths of the files, or the texts.
    pub(crate) listed: Vec<String>,
}

impl Scripts {
    /// Makes the folder.
    pub(crate) fn new(folder: Option<&Path>, json: bool) -> Result<Scripts, Failure> {
        if let Some(folder) = folder {
            std::fs::create_dir_all(folder)
                .map_err(|e| Failure::usage(format!("cannot make {}: {e}", folder.display())))?;
        }
        let out = BufWriter::with_capacity(1 << 16, std::io::stdout().lock());
        Ok(Scripts { folder: folder.map(Path::to_owned), json, out, made: 0, listed: Vec::new() })
    }

    /// Adds a script; `name` is the name of its file, without the extension.
    pub(crate) fn put(&mut self, name: &str, text: &[u8]) -> Result<(), Failure> {
        self.made += 1;
        match &self.folder {
            Some(folder) => {
                let path = folder.join(format!("{name}.smt2"));
                std::fs::write(&path, text)
                    .map_err(|e| Failure::internal(format!("cannot write {}: {e}", path.display())))?;
                if self.json {
                    self.listed.push(path.display().to_string());
                }
            }
            None if self.json => self.listed.push(String::from_utf8_lossy(text).into_owned()),
            None => self.out.write_all(text)?,
        }
        Ok(())
    }

    /// Ends the output of scripts to stdout.
    pub(crate) fn flush(&mut self) -> Result<(), Failure> {
        Ok(self.out.flush()?)
    }

    /// Adds the scripts to a JSON document and prints it, or says how many are in the folder.
    pub(crate) fn finish(mut self, mut document: Value, noun: &str) -> Result<(), Failure> {
        if self.json {
            document["made"] = self.made.into();
            document[if self.folder.is_some() { "files" } else { noun }] = self.listed.into();
            writeln!(self.out, "{document}")?;
        } else if let Some(folder) = &self.folder {
            writeln!(self.out, "{} {noun} in {}", self.made, folder.display())?;
        }
        Ok(self.out.flush()?)
    }
}
