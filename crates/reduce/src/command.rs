//! A user's program as a predicate: it gets a file, and its exit code says whether the file is interesting.

use std::path::Path;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use smelt_solvers::{CommandEnd, CommandRun, Launch, Limits, command_words, find_program, run_command};
use tempfile::{NamedTempFile, TempPath};

use crate::error::{Error, ErrorKind};
use crate::predicate::{Care, Predicate, PredicateSource};

/// The condition that makes a run interesting.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Match {
    /// Exit code 0.
    Zero,
    /// The same end and the same output as on the input.
    Golden,
}

/// A command to run on each candidate.
pub struct Command<'a> {
    line: String,
    words: Vec<String>,
    rule: Match,
    limits: Limits,
    stop: &'a AtomicBool,
    golden: OnceLock<(CommandEnd, Vec<u8>, Vec<u8>)>,
}

impl<'a> Command<'a> {
    /// A command line. `{}` in it stands for the file; without one the file is added at the end.
    pub fn new(line: &str, rule: Match, wall: Duration, stop: &'a AtomicBool) -> Result<Command<'a>, Error> {
        let mut words = command_words(line)?;
        let Some(program) = words.first() else {
            return Err(Error::new(ErrorKind::Usage, "the command is empty"));
        };
        if find_program(Path::new(program)).is_none() {
            return Err(Error::new(ErrorKind::Usage, format!("command `{line}`: no program `{program}`")));
        }
        if !words.iter().any(|w| w.contains("{}")) {
            words.push("{}".to_owned());
        }
        let limits = Limits::within(wall);
        Ok(Command { line: line.to_owned(), words, rule, limits, stop, golden: OnceLock::new() })
    }

    /// Runs the command on the input once: later runs are compared with that. An error if it does not end.
    pub fn learn(&self, input: &[u8]) -> Result<(), Error> {
        let run = self.run(&scratch_file()?, input, self.limits.time)?;
        if run.end == CommandEnd::Timeout {
            let message = format!(
                "the command does not finish within {} s on the input: {}",
                self.limits.time.as_secs_f64(),
                self.line
            );
            return Err(Error::new(ErrorKind::Hang, message));
        }
        let _ = self.golden.set((run.end, run.stdout, run.stderr));
        Ok(())
    }

    fn run(&self, file: &Path, script: &[u8], wall: Duration) -> Result<CommandRun, Error> {
        std::fs::write(file, script)
            .map_err(|e| Error::new(ErrorKind::Internal, format!("cannot write {}: {e}", file.display())))?;
        let path = file.to_string_lossy();
        let mut words = self.words.iter().map(|w| w.replace("{}", &path));
        let program = words.next().unwrap_or_default();
        let launch = Launch::new(program, words);
        let limits = Limits { time: wall, ..self.limits };
        Ok(run_command(&launch, &limits, &|| self.stop.load(Ordering::Relaxed))?)
    }
}

impl PredicateSource for Command<'_> {
    fn open(&self) -> Result<Box<dyn Predicate + '_>, Error> {
        // Each thread has a file of its own.
        let file = scratch_file()?;
        let limit = self.limits.time;
        // The time of the last interesting run.
        let mut usual: Option<Duration> = None;
        Ok(Box::new(move |script: &[u8], care| {
            // A candidate that takes far longer than interesting ones is hardly interesting.
            let wall = match (care, usual) {
                (Care::Quick, Some(usual)) => limit.min(usual * 4 + Duration::from_millis(500)),
                _ => limit,
            };
            let start = std::time::Instant::now();
            let run = self.run(&file, script, wall)?;
            let holds = match self.rule {
                Match::Zero => run.end == CommandEnd::Code(0),
                Match::Golden => self.golden.get() == Some(&(run.end, run.stdout, run.stderr)),
            };
            if holds {
                usual = Some(start.elapsed());
            }
            Ok(holds)
        }))
    }

    fn describe(&self) -> String {
        match self.rule {
            Match::Zero => format!("`{}` succeeds", self.line),
            Match::Golden => format!("`{}` exits and prints as on the original input", self.line),
        }
    }
}

/// A file that is removed when it is dropped.
fn scratch_file() -> Result<TempPath, Error> {
    let file = tempfile::Builder::new().prefix("smelt-reduce-").suffix(".smt2").tempfile();
    file.map(NamedTempFile::into_temp_path)
        .map_err(|e| Error::new(ErrorKind::Internal, format!("cannot make a temporary file: {e}")))
}
