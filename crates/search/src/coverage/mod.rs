//! The coverage and the trace of a run of the target: a small interface with four providers, and a combination of
//! two ([`Paired`]).
//!
//! - [`Gcov`]: line counts of programs built with `--coverage`.
//! - [`Llvm`]: line counts of programs with LLVM's source coverage.
//! - [`Statistics`] and [`Tracing`]: the solver's own statistics or trace, for programs without instrumentation. A
//!   "line" is then a counter together with the magnitude of its value.

mod gcov;
mod ledger;
mod llvm;
mod paired;
mod statistics;
mod tracing;

use serde::{Deserialize, Serialize};
use smelt_solvers::{CommandEnd, Finished, Launch, Limits, Solver, run_command};
use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use super::trace::{Trace, TraceBuilder};
use smelt_store::{Error, ErrorKind};

pub use gcov::Gcov;
pub use ledger::Ledger;
pub use llvm::Llvm;
pub use paired::Paired;
pub use statistics::Statistics;
pub use tracing::Tracing;

/// How long one run of a tool may take.
const PATIENCE: Duration = Duration::from_secs(120);

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
    /// From lines with counts. Each line is in the trace as often as its count has binary digits: a loop that runs twice
    /// as long is not twice as different.
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

/// Makes a folder, and returns its full path: programs write into it from wherever they run.
fn made(folder: &Path) -> Result<PathBuf, Error> {
    let failed = |e| Error::io(format!("cannot make {}", folder.display()), e);
    fs::create_dir_all(folder).map_err(failed)?;
    folder.canonicalize().map_err(failed)
}

/// Runs a tool that reads coverage data; returns what it printed.
fn tool(name: &str, arguments: impl IntoIterator<Item = OsString>) -> Result<Vec<u8>, Error> {
    let limits = Limits { output: 256 << 20, ..Limits::within(PATIENCE) };
    let run = run_command(&Launch::new(name, arguments), &limits, &|| false)?;
    if run.end != CommandEnd::Code(0) {
        let text = String::from_utf8_lossy(&run.stderr);
        let first = text.lines().next().unwrap_or("no message");
        return Err(Error::new(ErrorKind::System, format!("{name} failed: {first}")));
    }
    Ok(run.stdout)
}

/// Observes what a run does. Runs at the same time have different slots.
pub trait Coverage: Sync {
    /// Its name, for people.
    fn name(&self) -> String;

    /// The solver, changed so that it leaves coverage data.
    fn prepare(&self, solver: Solver, slot: usize) -> Result<Solver, Error>;

    /// Whether collecting costs almost nothing, so that it can be done while time is measured.
    fn is_free(&self) -> bool {
        true
    }

    /// The behaviour of the run that just ended in a slot; `None` if it left no data.
    fn collect(&self, slot: usize, run: &Finished) -> Result<Option<Behaviour>, Error>;
}
