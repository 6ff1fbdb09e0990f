//! Output of generated scripts: one file each, stdout, or one JSON document.

use std::fmt::Display;
use std::io::{BufWriter, IsTerminal, StdoutLock, Write};
use std::path::{Path, PathBuf};

use crate::exit::Failure;
use crate::output;

/// Takes scripts.
pub(crate) struct ScriptSink {
    place: Place,
    /// How many it took.
    pub(crate) made: u64,
    /// The files it wrote, or the texts for a JSON document.
    pub(crate) list: Vec<String>,
}

enum Place {
    Folder(PathBuf),
    Stdout(BufWriter<StdoutLock<'static>>),
    Document,
}

impl ScriptSink {
    /// To a folder, if there is one; else to stdout, or into a JSON document.
    pub(crate) fn new(folder: Option<&Path>, json: bool) -> Result<ScriptSink, Failure> {
        let place = match folder {
            Some(folder) => {
                std::fs::create_dir_all(folder)
                    .map_err(|e| Failure::usage(format!("cannot make {}: {e}", folder.display())))?;
                Place::Folder(folder.to_owned())
            }
            None if json => Place::Document,
            None => Place::Stdout(BufWriter::with_capacity(1 << 16, std::io::stdout().lock())),
        };
        Ok(ScriptSink { place, made: 0, list: Vec::new() })
    }

    /// Takes a script, which is called `name` as a file.
    pub(crate) fn put(&mut self, name: impl Display, text: &[u8]) -> Result<(), Failure> {
        self.made += 1;
        match &mut self.place {
            Place::Folder(folder) => {
                let path = folder.join(format!("{name}.smt2"));
                output::write(&path, text)?;
                self.list.push(path.display().to_string());
            }
            // A script of someone else may have bytes in its names that a terminal obeys.
            Place::Stdout(out) if std::io::stdout().is_terminal() => {
                out.write_all(output::printable(&String::from_utf8_lossy(text)).as_bytes())?;
            }
            Place::Stdout(out) => out.write_all(text)?,
            Place::Document => self.list.push(String::from_utf8_lossy(text).into_owned()),
        }
        Ok(())
    }

    /// Ends the output: adds the number and the list of scripts, which is called `files` or `texts`, to a document and
    /// prints it for `json`; else says how many `texts` are in the folder.
    pub(crate) fn finish(
        self,
        json: bool,
        texts: &str,
        mut document: serde_json::Value,
    ) -> Result<(), Failure> {
        match self.place {
            Place::Stdout(mut out) => out.flush()?,
            Place::Folder(folder) if !json => {
                writeln!(std::io::stdout(), "{} {texts} in {}", self.made, folder.display())?;
            }
            place => {
                let key = if matches!(place, Place::Folder(_)) { "files" } else { texts };
                document["made"] = self.made.into();
                document[key] = self.list.into();
                output::print_json(&document)?;
            }
        }
        Ok(())
    }
}
