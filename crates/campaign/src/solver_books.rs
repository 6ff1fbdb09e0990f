//! What each solver did in this run, for the progress line, and a warning about a solver that answers hardly
//! anything.

use smelt_core::{Event, OutcomeKind, SolverProgress};
use smelt_trial::NamedSolver;
use std::time::Duration;

use crate::lab::Lab;
use crate::timeouts::{ENOUGH, SELDOM};
use crate::writer::Call;

/// What one solver did in this run.
#[derive(Debug, Default)]
struct Asked {
    asked: u64,
    answered: u64,
    rejected: u64,
    stopped: u64,
    unknown: u64,
    crashed: u64,
    time: Duration,
    stopped_time: Duration,
    is_reported: bool,
}

/// The counts of a run.
#[derive(Debug, Default)]
pub(crate) struct SolverBooks {
    solvers: Vec<Asked>,
}

impl SolverBooks {
    pub(crate) fn new(solvers: usize) -> SolverBooks {
        SolverBooks { solvers: (0..solvers).map(|_| Asked::default()).collect() }
    }

    pub(crate) fn note(&mut self, call: &Call) {
        let asked = &mut self.solvers[call.solver];
        asked.asked += 1;
        asked.time += call.cpu;
        match call.kind {
            OutcomeKind::Sat | OutcomeKind::Unsat => asked.answered += 1,
            OutcomeKind::Rejected | OutcomeKind::Error => asked.rejected += 1,
            OutcomeKind::Timeout | OutcomeKind::Memout => {
                asked.stopped += 1;
                asked.stopped_time += call.cpu;
            }
            OutcomeKind::Unknown => asked.unknown += 1,
            OutcomeKind::Crash => asked.crashed += 1,
        }
    }

    /// For the progress line: the share of queries that were answered, and the share of solver time lost to timeouts.
    pub(crate) fn figures(&self) -> Vec<(&'static str, String)> {
        let asked: u64 = self.solvers.iter().map(|a| a.asked).sum();
        if asked == 0 {
            return Vec::new();
        }
        let answered: u64 = self.solvers.iter().map(|a| a.answered).sum();
        let time: Duration = self.solvers.iter().map(|a| a.time).sum();
        let stopped: Duration = self.solvers.iter().map(|a| a.stopped_time).sum();
        let share = 100.0 * stopped.as_secs_f64() / time.as_secs_f64().max(1e-6);
        vec![
            ("answered", format!("{:.0}%", 100.0 * answered as f64 / asked as f64)),
            ("lost to timeouts", format!("{share:.0}%")),
        ]
    }

    /// What each solver did.
    pub(crate) fn rows(&self, lab: &Lab<'_>) -> Vec<SolverProgress> {
        let row = |(named, a): (&NamedSolver, &Asked)| SolverProgress {
            solver: named.solver.id().to_string(),
            asked: a.asked,
            answered: a.answered,
            unknown: a.unknown,
            stopped: a.stopped,
            rejected: a.rejected,
            crashed: a.crashed,
        };
        lab.config.solvers.iter().zip(&self.solvers).map(row).collect()
    }

    /// Reports once each solver that hardly answers.
    pub(crate) fn warn(&mut self, lab: &Lab<'_>) {
        for (solver, asked) in self.solvers.iter_mut().enumerate() {
            let is_useful = asked.answered * SELDOM >= asked.asked;
            if asked.is_reported || asked.asked < u64::from(ENOUGH) || is_useful {
                continue;
            }
            asked.is_reported = true;
            let reason = lab.counters.commonest_reason(solver, OutcomeKind::Rejected);
            let reason = reason.map(|r| format!(", most often: {r}")).unwrap_or_default();
            let why = format!(
                "answered {} of {} queries: {} timed out, {} rejected{reason}",
                asked.answered, asked.asked, asked.stopped, asked.rejected
            );
            let name = lab.config.solvers[solver].solver.id().to_string();
            lab.events.event(&Event::Solver { name, why });
        }
    }
}
