//! Line counts of a program built with `gcc --coverage`, read through `gcov --json-format`.
//!
//! The program writes its `.gcda` files to a folder per slot (`GCOV_PREFIX`), below the path of the object file.
//! The matching `.gcno` files are linked next to them. A killed run writes nothing.

use serde::Deserialize;
use smelt_solvers::{Finished, Solver, find_program};
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};

use super::{Behaviour, Coverage, Lines, made, tool};
use smelt_store::{Error, ErrorKind};

/// How many files one `gcov` gets at a time.
const BATCH: usize = 200;

/// Coverage by `gcov`.
#[derive(Debug)]
pub struct Gcov {
    folder: PathBuf,
}

#[derive(Deserialize)]
struct Document {
    files: Vec<FileCounts>,
}

#[derive(Deserialize)]
struct FileCounts {
    file: String,
    lines: Vec<LineCount>,
}

#[derive(Deserialize)]
struct LineCount {
    line_number: u32,
    count: u64,
}

impl Gcov {
    /// Fails if there is no `gcov`; programs write their data to `folder`.
    pub fn new(folder: PathBuf) -> Result<Gcov, Error> {
        if find_program(Path::new("gcov")).is_none() {
            let message = "no gcov on PATH: install it, or use --coverage statistics";
            return Err(Error::new(ErrorKind::Usage, message));
        }
        Ok(Gcov { folder })
    }

    fn slot(&self, slot: usize) -> PathBuf {
        self.folder.join(format!("gcov-{slot}"))
    }
}

impl Coverage for Gcov {
    fn name(&self) -> String {
        "gcov".to_owned()
    }

    fn prepare(&self, solver: Solver, slot: usize) -> Result<Solver, Error> {
        let folder = made(&self.slot(slot))?;
        Ok(solver.writing_to(&folder).with_env("GCOV_PREFIX", folder))
    }

    fn collect(&self, slot: usize, _: &Finished) -> Result<Option<Behaviour>, Error> {
        let folder = self.slot(slot);
        let data = files_with(&folder, "gcda");
        if data.is_empty() {
            return Ok(None);
        }
        for file in &data {
            link_notes(&folder, file);
        }
        let mut lines = Lines::new();
        for batch in data.chunks(BATCH) {
            let arguments = ["--json-format", "--stdout"].map(OsString::from);
            let files = batch.iter().map(OsString::from);
            read(&tool("gcov", arguments.into_iter().chain(files))?, &mut lines)?;
        }
        for file in data {
            let _ = fs::remove_file(file);
        }
        Ok(Some(Behaviour::of_lines(lines)))
    }
}

/// Adds the counts that `gcov` printed: one document for each object.
fn read(text: &[u8], lines: &mut Lines) -> Result<(), Error> {
    for document in serde_json::Deserializer::from_slice(text).into_iter::<Document>() {
        let document = document.map_err(|e| {
            Error::new(ErrorKind::System, format!("gcov printed something that is not a report: {e}"))
        })?;
        for file in document.files {
            let ran = file.lines.iter().filter(|l| l.count > 0).map(|l| (l.line_number, l.count));
            let rows = lines.entry(file.file).or_default();
            rows.extend(ran);
        }
    }
    // A line of a template or a header stands in several objects.
    for rows in lines.values_mut() {
        rows.sort_unstable();
        rows.dedup_by(|next, row| {
            let same = row.0 == next.0;
            if same {
                row.1 = row.1.saturating_add(next.1);
            }
            same
        });
    }
    lines.retain(|_, rows| !rows.is_empty());
    Ok(())
}

/// Files below a folder with this extension.
pub(super) fn files_with(folder: &Path, extension: &str) -> Vec<PathBuf> {
    let all = walkdir::WalkDir::new(folder).into_iter().flatten().map(walkdir::DirEntry::into_path);
    let mut files: Vec<PathBuf> = all.filter(|f| f.extension().is_some_and(|e| e == extension)).collect();
    files.sort();
    files
}

/// Puts the notes of an object beside its data.
fn link_notes(folder: &Path, data: &Path) {
    let notes = data.with_extension("gcno");
    if let (Ok(folder), false) = (folder.canonicalize(), notes.exists())
        && let Ok(original) = data.canonicalize().unwrap_or_else(|_| data.to_owned()).strip_prefix(&folder)
    {
        let original = Path::new("/").join(original).with_extension("gcno");
        let _ = std::os::unix::fs::symlink(original, notes);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reports_are_added_up_by_file_and_line() {
        let one =
            r#"{"files":[{"file":"a.c","lines":[{"line_number":1,"count":2},{"line_number":2,"count":0}]}]}"#;
        let two =
            r#"{"files":[{"file":"a.c","lines":[{"line_number":1,"count":3}]},{"file":"b.c","lines":[]}]}"#;
        let mut lines = Lines::new();
        read(format!("{one}\n{two}\n").as_bytes(), &mut lines).unwrap();
        assert_eq!(lines, [("a.c".to_owned(), vec![(1, 5)])].into());
        assert!(read(b"{", &mut lines).is_err());
    }
}
