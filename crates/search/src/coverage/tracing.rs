//! Coverage from a solver's trace file: z3's `trace=true`.
//!
//! Writing a trace slows a solver down, so it happens in a separate short run. Traces are compared line by line.
//! Each kind of line (its first word) counts as covered, weighted by its number of occurrences.

use smelt_solvers::{Finished, Solver};
use std::collections::HashMap;
use std::fs::File;
use std::path::PathBuf;

use super::statistics::magnitudes;
use super::{Behaviour, Coverage, Lines, made};
use crate::trace::TraceBuilder;
use smelt_store::{Error, ErrorKind};

/// Coverage by trace files.
#[derive(Debug)]
pub struct Tracing {
    folder: PathBuf,
    arguments: Vec<String>,
}

impl Tracing {
    /// Fails if the solver's profile has no arguments that make it write a trace.
    pub fn new(folder: PathBuf, solver: &Solver) -> Result<Tracing, Error> {
        let arguments = solver.profile().behaviour.trace.clone();
        if arguments.is_empty() {
            let message =
                format!("{} has no traces that smelt can read: use --coverage statistics", solver.id());
            return Err(Error::new(ErrorKind::Usage, message));
        }
        Ok(Tracing { folder, arguments })
    }

    fn file(&self, slot: usize) -> PathBuf {
        self.folder.join(format!("trace-{slot}.log"))
    }
}

impl Coverage for Tracing {
    fn name(&self) -> String {
        "trace".to_owned()
    }

    fn is_free(&self) -> bool {
        false
    }

    fn prepare(&self, solver: Solver, slot: usize) -> Result<Solver, Error> {
        made(&self.folder)?;
        let file = self.file(slot).display().to_string();
        Ok(solver
            .writing_to(&self.folder)
            .with_args(self.arguments.iter().map(|a| a.replace("{file}", &file))))
    }

    fn collect(&self, slot: usize, _: &Finished) -> Result<Option<Behaviour>, Error> {
        let path = self.file(slot);
        let Ok(file) = File::open(&path) else { return Ok(None) };
        let mut trace = TraceBuilder::new();
        let mut kinds: HashMap<Vec<u8>, u64> = HashMap::new();
        let read = trace.read(file, |line| {
            let word = line.split(|b| *b == b' ').next().unwrap_or_default();
            if let Some(count) = kinds.get_mut(word) {
                *count += 1;
            } else if word.len() < 64 && kinds.len() < 1000 {
                kinds.insert(word.to_vec(), 1);
            }
        });
        let _ = std::fs::remove_file(&path);
        read.map_err(|e| Error::io(format!("cannot read {}", path.display()), e))?;
        let name = |word: Vec<u8>| String::from_utf8_lossy(&word).into_owned();
        let lines: Lines = kinds.into_iter().map(|(word, n)| (name(word), magnitudes(n))).collect();
        Ok((!lines.is_empty()).then(|| Behaviour { lines, trace: trace.finish() }))
    }
}
