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
/// The same where it counts: a busy machine must not make a difference.
const FRESH_SLACK: Duration = Duration::from_secs(1);
const FRESH_MULTIPLE: u32 = 10;

/// Sessions of one kind, one for each solver.
struct Bench {
    pool: SessionPool,
    ids: Vec<SessionId>,
}

impl Bench {
    fn new(lineup: Lineup<'_>, mode: Mode) -> Bench {
        let mut pool = SessionPool::new();
        let config =
            SessionConfig { mode, limits: lineup.limits, confirm_limits: false, ..SessionConfig::default() };
        let ids = lineup.solvers.iter().map(|c| pool.add(c.solver.clone(), config)).collect();
        Bench { pool, ids }
    }
}

/// The sessions of one thread.
pub(super) struct Panel<'a> {
    lineup: Lineup<'a>,
    live: Bench,
    fresh: Bench,
    file: Bench,
    /// How long each takes where the answer is the one looked for.
    usual: Vec<Option<Duration>>,
}

impl<'a> Panel<'a> {
    pub(super) fn new(lineup: Lineup<'a>) -> Panel<'a> {
        Panel {
            lineup,
            live: Bench::new(lineup, Mode::Reuse),
            fresh: Bench::new(lineup, Mode::Fresh),
            file: Bench::new(lineup, Mode::File),
            usual: vec![None; lineup.solvers.len()],
        }
    }

    pub(super) fn solvers(&self) -> &'a [Contestant] {
        self.lineup.solvers
    }

    /// Asks one solver. While searching, one that takes far longer than usual is given up.
    pub(super) fn ask(&mut self, who: usize, query: Query, care: Care) -> Result<Outcome, Error> {
        let wall = match (care, self.usual[who]) {
            (Care::Quick, Some(usual)) => self.lineup.limits.wall.min(usual * MULTIPLE + SLACK),
            (Care::Fresh, Some(usual)) => self.lineup.limits.wall.min(usual * FRESH_MULTIPLE + FRESH_SLACK),
            (_, None) => self.lineup.limits.wall,
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
        let bench = match (care, query.is_bare()) {
            (Care::Quick, _) => &mut self.live,
            // Nothing is asked after the script, so it can be run as a person would.
            (Care::Fresh, true) => &mut self.file,
            (Care::Fresh, false) => &mut self.fresh,
        };
        let (pool, id) = (&mut bench.pool, bench.ids[who]);
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
