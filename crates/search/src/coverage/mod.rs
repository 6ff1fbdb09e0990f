//! What a run of the target covered, and how it went: one small interface, three kinds of providers.
//!
//! - [`Gcov`]: counts of lines, from programs built with `--coverage`.
//! - [`Llvm`]: the same, from programs with LLVM's source coverage.
//! - [`Statistics`] and [`Tracing`]: from the solver's own statistics or trace, for programs that are not
//!   instrumented. A "line" is then a counter with the magnitude of its value.

mod gcov;
mod ledger;
mod llvm;
mod statistics;
mod tracing;

use serde::{Deserialize, Serialize};
use smelt_solvers::{Finished, Solver};
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use super::trace::{Trace, TraceBuilder};
use smelt_store::Error;

pub use gcov::Gcov;
pub use ledger::Ledger;
pub use llvm::Llvm;
pub use statistics::Statistics;
pub use tracing::Tracing;

/// How often each line of each file ran; only those that did.
pub type Lines = BTreeMap<String, Vec<(u32, u64)>>;

/// What one run did.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Behaviour {
    /// The lines it ran.
    pub lines: Lines,
    /// Its trace, for comparing it with others.
    pub trace: Trace,
}

impl Behaviour {
    /// Of lines with counts: each is a line of the trace, as often as its count has digits in binary, for a loop that
    /// runs twice as long is not twice as different.
    pub(crate) fn of_lines(lines: Lines) -> Behaviour {
        let mut trace = TraceBuilder::new();
        for (file, rows) in &lines {
            for (row, count) in rows {
                trace.line(format!("{file}:{row}").as_bytes(), u64::from(u64::BITS - count.leading_zeros()));
            }
        }
        Behaviour { lines, trace: trace.finish() }
    }
}

/// A folder that is there, by its full path: programs write into it from wherever they run.
fn made(folder: &Path) -> Result<PathBuf, Error> {
    let failed = |e| Error::io(format!("cannot make {}", folder.display()), e);
    fs::create_dir_all(folder).map_err(failed)?;
    folder.canonicalize().map_err(failed)
}

/// Sees what a run does. Runs at one time have different slots.
pub trait Coverage: Sync {
    /// What it is, for people.
    fn name(&self) -> &'static str;

    /// The solver, made to leave behind what is collected.
    fn prepare(&self, solver: Solver, slot: usize) -> Result<Solver, Error>;

    /// Whether that costs next to nothing, so that it can be done while time is measured.
    fn is_free(&self) -> bool;

    /// What the run that just ended in a slot did; `None` if it left nothing.
    fn collect(&self, slot: usize, run: &Finished) -> Result<Option<Behaviour>, Error>;
}
