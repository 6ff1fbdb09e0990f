//! A panel: solvers with live sessions, and the queries that they run, several at a time.
//!
//! This is the only loop that waits for solvers, apart from a campaign's pipeline, which makes cases while it
//! waits.

use smelt_core::Outcome;
use smelt_solvers::{Finished, Limits, Mode, Query, SessionConfig, SessionId, SessionPool};
use std::cmp::Reverse;
use std::collections::VecDeque;
use std::time::Duration;

use crate::error::Error;
use crate::solver::NamedSolver;

/// Says whether to stop; called several times a second.
pub type IsOver<'a> = &'a (dyn Fn() -> bool + Sync);

/// How often a panel checks whether to stop.
const LOOK: Duration = Duration::from_millis(50);
const MODES: [Mode; 3] = [Mode::Reuse, Mode::Fresh, Mode::File];

/// The solvers of a panel, the bounds of their queries, and when to stop.
#[derive(Clone, Copy)]
pub struct Lineup<'a> {
    /// The solvers.
    pub solvers: &'a [NamedSolver],
    /// The bounds of each query.
    pub limits: Limits,
    /// Whether to stop: running queries are then cancelled.
    pub is_over: IsOver<'a>,
}

/// The solvers of a lineup with their sessions; processes start with the first query.
pub struct Panel<'a> {
    lineup: Lineup<'a>,
    pool: SessionPool,
    /// By solver and mode.
    sessions: Vec<[SessionId; 3]>,
    lanes: usize,
}

impl<'a> Panel<'a> {
    /// Runs one solver at a time.
    pub fn new(lineup: Lineup<'a>) -> Panel<'a> {
        Panel::with_lanes(lineup, 1)
    }

    /// Runs as many solvers at a time as the machine has cores.
    pub fn on_all_cores(lineup: Lineup<'a>) -> Panel<'a> {
        Panel::with_lanes(lineup, std::thread::available_parallelism().map_or(1, usize::from))
    }

    /// Runs this many solvers at a time.
    pub fn with_lanes(lineup: Lineup<'a>, lanes: usize) -> Panel<'a> {
        Panel::open(lineup, lanes, false)
    }

    /// The same; a limit that is hit in a used process is tried again in a new one.
    pub fn patient(lineup: Lineup<'a>, lanes: usize) -> Panel<'a> {
        Panel::open(lineup, lanes, true)
    }

    fn open(lineup: Lineup<'a>, lanes: usize, confirm_limits: bool) -> Panel<'a> {
        let mut pool = SessionPool::new();
        let config = SessionConfig { limits: lineup.limits, confirm_limits, ..SessionConfig::default() };
        let sessions = lineup
            .solvers
            .iter()
            .map(|named| MODES.map(|mode| pool.add(named.solver.clone(), SessionConfig { mode, ..config })));
        Panel { lineup, sessions: sessions.collect(), pool, lanes: lanes.max(1) }
    }

    /// Its lineup.
    pub fn lineup(&self) -> Lineup<'a> {
        self.lineup
    }

    /// Puts one query to one solver; `None` if it was stopped.
    pub fn ask(&mut self, who: usize, query: Query, mode: Mode) -> Result<Option<Outcome>, Error> {
        Ok(self.finish(who, query, mode)?.map(|finished| finished.outcome))
    }

    /// The same, with the output of the solver.
    pub fn finish(&mut self, who: usize, query: Query, mode: Mode) -> Result<Option<Finished>, Error> {
        let mut result = None;
        let queues = (0..self.sessions.len()).map(|i| (i == who).then_some(()).into_iter().collect());
        self.run(
            mode,
            queues.collect(),
            |()| query.clone(),
            |_, (), finished| {
                result = Some(finished);
                Ok(())
            },
        )?;
        Ok(result)
    }

    /// Puts one query to every wanted solver; `None` if it was stopped.
    pub fn ask_all(
        &mut self,
        query: &Query,
        mode: Mode,
        wanted: impl Fn(usize) -> bool,
    ) -> Result<Option<Vec<Option<Outcome>>>, Error> {
        let mut outcomes = vec![None; self.sessions.len()];
        let queues = (0..outcomes.len()).map(|i| wanted(i).then_some(()).into_iter().collect()).collect();
        let take = |who: usize, (), finished: Finished| {
            outcomes[who] = Some(finished.outcome);
            Ok(())
        };
        Ok(self.run(mode, queues, |()| query.clone(), take)?.then_some(outcomes))
    }

    /// Runs the queries of each solver's queue, one after the other; `take` gets each finished query. `false` if it
    /// was stopped.
    pub fn run<T>(
        &mut self,
        mode: Mode,
        mut queues: Vec<VecDeque<T>>,
        query: impl Fn(&T) -> Query,
        mut take: impl FnMut(usize, T, Finished) -> Result<(), Error>,
    ) -> Result<bool, Error> {
        let column = MODES.iter().position(|m| *m == mode).unwrap_or(0);
        let mut running: Vec<Option<T>> = queues.iter().map(|_| None).collect();
        loop {
            // Solvers that are behind go first, so that all have about as many answers if the time runs out.
            let mut free: Vec<usize> = (0..queues.len()).filter(|i| running[*i].is_none()).collect();
            free.sort_by_key(|i| Reverse(queues[*i].len()));
            for who in free {
                if self.pool.in_flight() >= self.lanes || (self.lineup.is_over)() {
                    break;
                }
                let Some(task) = queues[who].pop_front() else { continue };
                self.pool.submit(self.sessions[who][column], query(&task))?;
                running[who] = Some(task);
            }
            if running.iter().all(Option::is_none) {
                return Ok(queues.iter().all(VecDeque::is_empty));
            }
            for (session, finished) in self.pool.wait(LOOK)? {
                let who = self.sessions.iter().position(|ids| ids[column] == session);
                if let Some((who, task)) = who.and_then(|who| Some((who, running[who].take()?))) {
                    take(who, task, finished)?;
                }
            }
            if (self.lineup.is_over)() {
                self.sessions.iter().for_each(|ids| self.pool.cancel(ids[column]));
                return Ok(false);
            }
        }
    }
}
