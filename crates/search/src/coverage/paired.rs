//! Two providers at once: lines from one, traces from the other.

use smelt_solvers::{Finished, Solver};

use super::{Behaviour, Coverage};
use smelt_store::Error;

/// Lines from one provider and the trace from another, of the same run.
pub struct Paired {
    lines: Box<dyn Coverage + Send>,
    trace: Box<dyn Coverage + Send>,
}

impl Paired {
    /// Of a provider of lines and one of traces.
    pub fn new(lines: Box<dyn Coverage + Send>, trace: Box<dyn Coverage + Send>) -> Paired {
        Paired { lines, trace }
    }
}

impl Coverage for Paired {
    fn name(&self) -> String {
        format!("{} with traces from {}", self.lines.name(), self.trace.name())
    }

    fn prepare(&self, solver: Solver, slot: usize) -> Result<Solver, Error> {
        self.trace.prepare(self.lines.prepare(solver, slot)?, slot)
    }

    fn is_free(&self) -> bool {
        self.lines.is_free() && self.trace.is_free()
    }

    /// A run that left only one of the two keeps that.
    fn collect(&self, slot: usize, run: &Finished) -> Result<Option<Behaviour>, Error> {
        let (lines, trace) = (self.lines.collect(slot, run)?, self.trace.collect(slot, run)?);
        Ok(match (lines, trace) {
            (Some(lines), Some(trace)) => Some(Behaviour { lines: lines.lines, trace: trace.trace }),
            (one, other) => one.or(other),
        })
    }
}
