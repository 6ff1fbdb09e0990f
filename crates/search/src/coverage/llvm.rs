//! Line counts of a program with LLVM's source coverage, read through `llvm-profdata` and `llvm-cov`.
//!
//! A killed run writes nothing, unless the program was built for continuous mode.

use smelt_solvers::{Finished, Solver, find_program};
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};

use super::gcov::files_with;
use super::{Behaviour, Coverage, Lines, made, tool};
use smelt_store::{Error, ErrorKind};

const TOOLS: [&str; 2] = ["llvm-profdata", "llvm-cov"];

/// Coverage by LLVM's tools.
#[derive(Debug)]
pub struct Llvm {
    folder: PathBuf,
    /// The program that is covered.
    program: PathBuf,
}

impl Llvm {
    /// Fails if a tool is missing; the program writes its data to `folder`.
    pub fn new(folder: PathBuf, program: &Path) -> Result<Llvm, Error> {
        if let Some(tool) = TOOLS.iter().find(|t| find_program(Path::new(t)).is_none()) {
            let message = format!("no {tool} on PATH: install LLVM, or use --coverage statistics");
            return Err(Error::new(ErrorKind::Usage, message));
        }
        let program = find_program(program).unwrap_or_else(|| program.to_owned());
        Ok(Llvm { folder, program })
    }

    fn slot(&self, slot: usize) -> PathBuf {
        self.folder.join(format!("llvm-{slot}"))
    }
}

impl Coverage for Llvm {
    fn name(&self) -> String {
        "llvm".to_owned()
    }

    fn prepare(&self, solver: Solver, slot: usize) -> Result<Solver, Error> {
        let folder = made(&self.slot(slot))?;
        Ok(solver.writing_to(&folder).with_env("LLVM_PROFILE_FILE", folder.join("%p.profraw")))
    }

    fn collect(&self, slot: usize, _: &Finished) -> Result<Option<Behaviour>, Error> {
        let folder = self.slot(slot);
        let raw = files_with(&folder, "profraw");
        if raw.is_empty() {
            return Ok(None);
        }
        let merged = folder.join("merged.profdata");
        let mut words: Vec<OsString> =
            vec!["merge".into(), "-sparse".into(), "-o".into(), merged.clone().into()];
        words.extend(raw.iter().map(|f| f.clone().into_os_string()));
        let done = tool(TOOLS[0], words);
        raw.iter().for_each(|f| drop(fs::remove_file(f)));
        done?;
        let mut profile = OsString::from("--instr-profile=");
        profile.push(&merged);
        let words = vec!["export".into(), "--format=lcov".into(), profile, self.program.clone().into()];
        let report = tool(TOOLS[1], words)?;
        Ok(Some(Behaviour::of_lines(read(&report))))
    }
}

/// Reads a report in the format of lcov: `SF:` opens a file, `DA:line,count` is a line.
fn read(text: &[u8]) -> Lines {
    let text = String::from_utf8_lossy(text);
    let (mut lines, mut file) = (Lines::new(), String::new());
    for line in text.lines() {
        if let Some(name) = line.strip_prefix("SF:") {
            file = name.to_owned();
        } else if let Some(counts) = line.strip_prefix("DA:") {
            let mut numbers = counts.split(',');
            let row = numbers.next().and_then(|n| n.parse().ok());
            let count = numbers.next().and_then(|n| n.parse().ok());
            if let (Some(row), Some(count @ 1..)) = (row, count) {
                lines.entry(file.clone()).or_default().push((row, count));
            }
        }
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_lines_that_ran_are_read() {
        let lines = read(
            b"SF:/a.rs\nFN:1,main\nDA:1,2\nDA:2,0\nDA:3,7\nend_of_record\nSF:/b.rs\nDA:1,0\nend_of_record\n",
        );
        assert_eq!(lines, [("/a.rs".to_owned(), vec![(1, 2), (3, 7)])].into());
    }
}
