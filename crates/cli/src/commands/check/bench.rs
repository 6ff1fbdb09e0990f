//! Solvers side by side: one query to each of them, as many at once as there are cores.

use std::time::Duration;

use smelt_core::Outcome;
use smelt_solvers::{Limits, Mode, Query, SessionConfig, SessionId, SessionPool, Solver};

use crate::exit::Failure;

pub(super) struct Bench {
    solvers: Vec<Solver>,
    sessions: Vec<SessionId>,
    pool: SessionPool,
    lanes: usize,
}

impl Bench {
    pub(super) fn new(solvers: Vec<Solver>, mode: Mode, limits: Limits) -> Bench {
        let mut pool = SessionPool::new();
        let config = SessionConfig { mode, limits, ..SessionConfig::default() };
        let sessions = solvers.iter().map(|s| pool.add(s.clone(), config)).collect();
        let lanes = std::thread::available_parallelism().map_or(1, usize::from);
        Bench { solvers, sessions, pool, lanes }
    }

    pub(super) fn solvers(&self) -> &[Solver] {
        &self.solvers
    }

    /// Runs a query on every solver that is wanted, by position; `None` for the others.
    pub(super) fn run(
        &mut self,
        query: &Query,
        wanted: impl Fn(usize) -> bool,
    ) -> Result<Vec<Option<Outcome>>, Failure> {
        let mut outcomes = vec![None; self.solvers.len()];
        let mut waiting = (0..self.solvers.len()).filter(|i| wanted(*i)).rev().collect::<Vec<_>>();
        loop {
            while self.pool.in_flight() < self.lanes {
                let Some(next) = waiting.pop() else { break };
                self.pool.submit(self.sessions[next], query.clone())?;
            }
            if self.pool.in_flight() == 0 {
                return Ok(outcomes);
            }
            for (session, finished) in self.pool.wait(Duration::from_secs(60))? {
                let who = self.sessions.iter().position(|s| *s == session);
                let who = who.ok_or_else(|| Failure::internal("an answer of no session"))?;
                outcomes[who] = Some(finished.outcome);
            }
        }
    }
}
