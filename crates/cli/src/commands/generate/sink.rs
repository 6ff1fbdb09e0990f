//! Where generated scripts go: one file each, stdout, or one JSON document; and what is counted on the way.

use std::io::{BufWriter, StdoutLock, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde::Serialize;
use smelt_core::Expectation;
use smelt_strategies::Draft;

use crate::exit::Failure;

/// How many scripts were made, by what is known of them.
#[derive(Default, Serialize)]
pub(super) struct Tally {
    pub(super) made: u64,
    pub(super) sat: u64,
    pub(super) unsat: u64,
    /// Those of which nothing is known.
    pub(super) open: u64,
    pub(super) skipped: u64,
    pub(super) bytes: u64,
    pub(super) seconds: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    files: Option<Vec<String>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    scripts: Option<Vec<String>>,
}

impl Tally {
    /// One line for people.
    pub(super) fn line(&self) -> String {
        let skipped = if self.skipped > 0 { format!(", {} skipped", self.skipped) } else { String::new() };
        format!(
            "{} scripts: {} sat, {} unsat, {} open{skipped}; {} bytes in {:.2} s",
            self.made, self.sat, self.unsat, self.open, self.bytes, self.seconds
        )
    }
}

fn make(folder: &Path) -> Result<(), Failure> {
    std::fs::create_dir_all(folder)
        .map_err(|e| Failure::usage(format!("cannot make {}: {e}", folder.display())))
}

/// Writes one script; its path.
fn write(folder: &Path, name: &str, number: u64, text: &[u8]) -> Result<String, Failure> {
    let path = folder.join(format!("{name}-{number:06}.smt2"));
    std::fs::write(&path, text)
        .map_err(|e| Failure::internal(format!("cannot write {}: {e}", path.display())))?;
    Ok(path.display().to_string())
}

/// Writes scripts into a folder, one file each; their paths.
pub(super) fn write_all<'a>(
    folder: &Path,
    name: &str,
    scripts: impl Iterator<Item = (u64, &'a [u8])>,
) -> Result<Vec<String>, Failure> {
    make(folder)?;
    scripts.map(|(number, text)| write(folder, name, number, text)).collect()
}

enum Place {
    Folder(PathBuf),
    Stdout(BufWriter<StdoutLock<'static>>),
    Document,
}

/// Takes scripts.
pub(super) struct Sink {
    place: Place,
    pub(super) tally: Tally,
}

impl Sink {
    pub(super) fn new(folder: Option<&Path>, json: bool) -> Result<Sink, Failure> {
        let mut tally = Tally::default();
        let place = match folder {
            Some(folder) => {
                make(folder)?;
                tally.files = json.then(Vec::new);
                Place::Folder(folder.to_owned())
            }
            None if json => {
                tally.scripts = Some(Vec::new());
                Place::Document
            }
            None => Place::Stdout(BufWriter::new(std::io::stdout().lock())),
        };
        Ok(Sink { place, tally })
    }

    /// Takes a case.
    pub(super) fn put(&mut self, name: &str, number: u64, draft: &Draft) -> Result<(), Failure> {
        self.tally.made += 1;
        self.tally.bytes += draft.text.len() as u64;
        match draft.expectation {
            Expectation::Sat => self.tally.sat += 1,
            Expectation::Unsat => self.tally.unsat += 1,
            Expectation::Seed(_) | Expectation::None => self.tally.open += 1,
        }
        match &mut self.place {
            Place::Folder(folder) => {
                let file = write(folder, name, number, &draft.text)?;
                if let Some(files) = &mut self.tally.files {
                    files.push(file);
                }
            }
            Place::Stdout(out) => out.write_all(&draft.text)?,
            Place::Document => {
                let scripts = self.tally.scripts.get_or_insert_default();
                scripts.push(String::from_utf8_lossy(&draft.text).into_owned());
            }
        }
        Ok(())
    }

    /// Ends the output; what was counted.
    pub(super) fn finish(mut self, time: Duration) -> Result<Tally, Failure> {
        if let Place::Stdout(out) = &mut self.place {
            out.flush()?;
        }
        self.tally.seconds = time.as_secs_f64();
        Ok(self.tally)
    }
}
