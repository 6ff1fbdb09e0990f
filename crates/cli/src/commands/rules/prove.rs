//! Solvers as provers: several scripts at a time, each to be shown unsatisfiable.

use std::collections::VecDeque;
use std::time::Duration;

use smelt_core::OutcomeKind;
use smelt_solvers::{Limits, Mode, Query, SessionConfig, SessionId, SessionPool, Solver};

use crate::exit::Failure;

/// What a solver says of a script that should be unsatisfiable.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Said {
    Proved,
    Refuted,
    /// It gave up, or does not know the language.
    Nothing,
}

/// Solvers that are asked for proofs.
pub(super) struct Provers {
    solvers: Vec<Solver>,
    /// By solver, its sessions.
    sessions: Vec<Vec<SessionId>>,
    pool: SessionPool,
    lanes: usize,
}

impl Provers {
    pub(super) fn new(solvers: Vec<Solver>, timeout: Duration, lanes: usize) -> Provers {
        let mut pool = SessionPool::new();
        let config = SessionConfig {
            mode: Mode::Reuse,
            limits: Limits::wall(timeout),
            confirm_limits: false,
            ..SessionConfig::default()
        };
        let each = lanes.div_ceil(solvers.len().max(1));
        let sessions =
            solvers.iter().map(|s| (0..each).map(|_| pool.add(s.clone(), config)).collect()).collect();
        Provers { solvers, sessions, pool, lanes }
    }

    pub(super) fn solvers(&self) -> &[Solver] {
        &self.solvers
    }

    /// What each solver says of each script: first by script, then by solver.
    pub(super) fn ask(&mut self, scripts: &[String]) -> Result<Vec<Vec<Said>>, Failure> {
        let mut said = vec![vec![Said::Nothing; self.solvers.len()]; scripts.len()];
        let mut waiting: Vec<VecDeque<usize>> =
            self.solvers.iter().map(|_| (0..scripts.len()).collect()).collect();
        let mut running: Vec<(SessionId, usize, usize)> = Vec::new();
        loop {
            for (who, sessions) in self.sessions.iter().enumerate() {
                for &session in sessions {
                    let busy = running.iter().any(|r| r.0 == session);
                    if busy || self.pool.in_flight() >= self.lanes {
                        continue;
                    }
                    let Some(next) = waiting[who].pop_front() else { continue };
                    self.pool.submit(session, Query::new(scripts[next].clone()))?;
                    running.push((session, who, next));
                }
            }
            if running.is_empty() {
                return Ok(said);
            }
            for (session, finished) in self.pool.wait(Duration::from_secs(60))? {
                let Some(at) = running.iter().position(|r| r.0 == session) else { continue };
                let (_, who, which) = running.swap_remove(at);
                said[which][who] = match finished.outcome.kind {
                    OutcomeKind::Unsat => Said::Proved,
                    OutcomeKind::Sat => Said::Refuted,
                    _ => Said::Nothing,
                };
            }
        }
    }
}
