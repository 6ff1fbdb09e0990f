//! Solvers to ask about candidates: live while searching, fresh where it counts.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use smelt_core::{Outcome, OutcomeKind};
use smelt_reduce::{Care, Error};
use smelt_solvers::{Limits, Mode, Query, SessionConfig, SessionId, SessionPool};

use crate::court::Contestant;

/// Who is asked, and within which bounds.
#[derive(Clone, Copy, Debug)]
pub struct Lineup<'a> {
    /// The solvers.
    pub solvers: &'a [Contestant],
    /// The bounds of each query.
    pub limits: Limits,
    /// Set when nobody waits for an answer any more.
    pub stop: &'a AtomicBool,
}

/// How often it is looked whether anybody still waits.
const LOOK: Duration = Duration::from_millis(50);
/// What a query gets beyond a multiple of the usual.
const SLACK: Duration = Duration::from_millis(200);
const MULTIPLE: u32 = 2;

/// The sessions of one thread.
pub(super) struct Panel<'a> {
    lineup: Lineup<'a>,
    live: SessionPool,
    fresh: SessionPool,
    live_ids: Vec<SessionId>,
    fresh_ids: Vec<SessionId>,
    /// How long each takes where the answer is the one looked for.
    usual: Vec<Option<Duration>>,
}

impl<'a> Panel<'a> {
    pub(super) fn new(lineup: Lineup<'a>) -> Panel<'a> {
        let pool = |mode| {
            let mut pool = SessionPool::new();
            let config = SessionConfig {
                mode,
                limits: lineup.limits,
                confirm_limits: false,
                ..SessionConfig::default()
            };
            let ids: Vec<_> = lineup.solvers.iter().map(|c| pool.add(c.solver.clone(), config)).collect();
            (pool, ids)
        };
        let ((live, live_ids), (fresh, fresh_ids)) = (pool(Mode::Reuse), pool(Mode::Fresh));
        Panel { lineup, live, fresh, live_ids, fresh_ids, usual: vec![None; lineup.solvers.len()] }
    }

    pub(super) fn solvers(&self) -> &'a [Contestant] {
        self.lineup.solvers
    }

    /// Asks one solver. While searching, one that takes far longer than usual is given up.
    pub(super) fn ask(&mut self, who: usize, query: Query, care: Care) -> Result<Outcome, Error> {
        let wall = match (care, self.usual[who]) {
            (Care::Quick, Some(usual)) => self.lineup.limits.wall.min(usual * MULTIPLE + SLACK),
            _ => self.lineup.limits.wall,
        };
        self.ask_within(who, query, care, wall)
    }

    /// The same with a time limit of its own.
    pub(super) fn ask_within(
        &mut self,
        who: usize,
        query: Query,
        care: Care,
        wall: Duration,
    ) -> Result<Outcome, Error> {
        let (pool, id) = match care {
            Care::Quick => (&mut self.live, self.live_ids[who]),
            Care::Fresh => (&mut self.fresh, self.fresh_ids[who]),
        };
        pool.submit(id, query.with_wall(wall))?;
        loop {
            if let Some((_, finished)) = pool.wait(LOOK)?.into_iter().next() {
                return Ok(finished.outcome);
            }
            if self.lineup.stop.load(Ordering::Relaxed) {
                pool.cancel(id);
                return Ok(Outcome::bare(OutcomeKind::Unknown, "not waited for"));
            }
        }
    }

    /// Remembers how long a solver takes for the answer that is looked for.
    pub(super) fn learn(&mut self, who: usize, outcome: &Outcome) {
        self.usual[who] = Some(outcome.usage.wall);
    }
}
