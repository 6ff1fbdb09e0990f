//! Gives test cases to solvers: each solver of a worker has one session, and gets the cases in the order in which they
//! were made.
//!
//! Only [`Dispatch::collect`] blocks, so a worker makes and judges cases while its solvers run.

use smelt_solvers::{SessionConfig, SessionId, SessionPool};
use smelt_trial::{NamedSolver, query};
use std::collections::VecDeque;
use std::time::Duration;

use crate::entry::{Entry, Slot};
use crate::ledger::RETRIES;
use smelt_store::Error;

/// When a solver is asked about an entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Turn {
    Now,
    /// Something else must be known first.
    Later,
    Never,
}

/// Entries under way, and the sessions that work on them.
pub(crate) struct Dispatch {
    sessions: SessionPool,
    ids: Vec<SessionId>,
    /// Which entry a session works on, by its key.
    running: Vec<Option<u64>>,
    entries: VecDeque<(u64, Entry)>,
    next_key: u64,
    failures: u32,
    /// How many queries run at a time.
    width: usize,
}

impl Dispatch {
    pub(crate) fn new(solvers: &[NamedSolver], config: SessionConfig, width: usize) -> Dispatch {
        let mut sessions = SessionPool::new();
        let ids: Vec<SessionId> = solvers.iter().map(|c| sessions.add(c.solver.clone(), config)).collect();
        let running = ids.iter().map(|_| None).collect();
        Dispatch { sessions, ids, running, entries: VecDeque::new(), next_key: 0, failures: 0, width }
    }

    /// Adds an entry.
    pub(crate) fn push(&mut self, entry: Entry) {
        self.entries.push_back((self.next_key, entry));
        self.next_key += 1;
    }

    /// Entries under way.
    pub(crate) fn entries(&self) -> impl Iterator<Item = &Entry> {
        self.entries.iter().map(|(_, entry)| entry)
    }

    /// How many queries are running.
    pub(crate) fn in_flight(&self) -> usize {
        self.sessions.in_flight()
    }

    /// Takes the oldest entry that every solver has finished.
    pub(crate) fn take_done(&mut self) -> Option<Entry> {
        let at = self.entries.iter().position(|(_, e)| e.is_done())?;
        self.entries.remove(at).map(|(_, entry)| entry)
    }

    /// Submits entries to idle solvers whose turn it is, each query with its limit.
    pub(crate) fn submit(
        &mut self,
        turn: impl Fn(&Entry, usize) -> Turn,
        limit: impl Fn(&Entry, usize) -> Duration,
    ) -> Result<(), Error> {
        for at in 0..self.entries.len() {
            if self.sessions.in_flight() >= self.width {
                return Ok(());
            }
            let (key, entry) = &mut self.entries[at];
            // Solvers take turns in being the first.
            let (first, all) = (*key as usize, entry.slots.len());
            for solver in (0..all).map(|i| (first + i) % all) {
                let free = self.running[solver].is_none() && self.sessions.in_flight() < self.width;
                if !free || !matches!(entry.slots[solver], Slot::Waiting) {
                    continue;
                }
                match turn(entry, solver) {
                    Turn::Now => {}
                    Turn::Later => continue,
                    Turn::Never => {
                        entry.slots[solver] = Slot::Unasked;
                        continue;
                    }
                }
                let query = query(&entry.case.script, limit(entry, solver));
                match self.sessions.submit(self.ids[solver], query) {
                    Ok(_) => {
                        entry.slots[solver] = Slot::Running;
                        self.running[solver] = Some(*key);
                    }
                    Err(e) => tolerate(&mut self.failures, e)?,
                }
            }
        }
        Ok(())
    }

    /// Collects the queries that finish within a time; returns how many.
    pub(crate) fn collect(&mut self, wait: Duration) -> Result<usize, Error> {
        let finished = match self.sessions.wait(wait) {
            Ok(finished) => finished,
            Err(e) => {
                tolerate(&mut self.failures, e)?;
                self.resubmit_lost();
                return Ok(0);
            }
        };
        let count = finished.len();
        for (id, finished) in finished {
            self.failures = 0;
            let Some(solver) = self.ids.iter().position(|s| *s == id) else { continue };
            self.set(solver, Slot::Done(Box::new(finished.outcome)));
        }
        Ok(count)
    }

    /// Fills the slot of the entry that a solver works on.
    fn set(&mut self, solver: usize, slot: Slot) {
        if let Some(key) = self.running[solver].take()
            && let Some((_, entry)) = self.entries.iter_mut().find(|(k, _)| *k == key)
        {
            entry.slots[solver] = slot;
        }
    }

    /// Queues a query again that was lost because its solver could not be run.
    fn resubmit_lost(&mut self) {
        for solver in 0..self.running.len() {
            if !self.sessions.session(self.ids[solver]).is_busy() {
                self.set(solver, Slot::Waiting);
            }
        }
    }

    /// Cancels all queries.
    pub(crate) fn cancel(&mut self) {
        self.ids.iter().for_each(|id| self.sessions.cancel(*id));
    }
}

/// Counts a failure to run a solver; several in a row end the campaign.
fn tolerate(failures: &mut u32, e: smelt_solvers::Error) -> Result<(), Error> {
    *failures += 1;
    if *failures > RETRIES { Err(e.into()) } else { Ok(()) }
}
