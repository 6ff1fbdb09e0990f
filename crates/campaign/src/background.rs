//! Examines findings in the background while a campaign runs, in a small share of its time, and for a while after
//! its last test.
//!
//! This is one thread next to the workers. The writer notifies it of each finding that is on disk. Each dossier
//! goes to the writer like every other result, one finding at a time. If a campaign is killed, at most the current
//! examination is lost, and the next run repeats it. A campaign never waits for this thread, and the thread does
//! not influence the order of test cases.

use smelt_solvers::Limits;
use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::Relaxed};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::time::{Duration, Instant};

use crate::lab::Lab;
use crate::preflight::QUERY;
use crate::sink::Queue;
use crate::writer::Record;
use smelt_core::{Dossier, Event};
use smelt_store::Error;
use smelt_store::{Stored, Triaged, examine_stored};
use smelt_triage::{Examination, Examiner, Means};

/// The share of a campaign's time that examining may take while workers run: what it shows decides which rewards stay, and
/// tests are what the campaign is for.
const SHARE: f64 = 0.2;
/// The time for one finding. After the last test examining continues as long as the campaign took, but for half of this time
/// at least and for three times it at most.
const EACH: Duration = Duration::from_secs(20);
/// How often a finding is taken up again in one run because it was not reduced to the end.
const AGAIN: u32 = 2;
/// How often the thread checks whether an examination, or the campaign, must end.
const POLL: Duration = Duration::from_millis(20);

/// Counts a worker as finished, however it ends.
pub(crate) struct AtWork<'a>(pub(crate) &'a AtomicUsize);

impl Drop for AtWork<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Relaxed);
    }
}

pub(crate) struct Background<'a> {
    pub(crate) lab: &'a Lab<'a>,
    pub(crate) means: &'a Means,
    /// How many workers run.
    pub(crate) working: &'a AtomicUsize,
    pub(crate) stop: &'a AtomicBool,
    pub(crate) results: SyncSender<Record>,
    /// Findings that are new on disk, by number.
    pub(crate) found: Receiver<String>,
}

impl Background<'_> {
    /// Examines findings until all are done or the time is up.
    pub(crate) fn run(self, mut queue: Queue) -> Result<(), Error> {
        let started = Instant::now();
        let mut spent = Duration::ZERO;
        let mut until: Option<Instant> = None;
        let (mut told, mut flushed, mut done) = (false, false, 0);
        let mut again: HashMap<String, u32> = HashMap::new();
        loop {
            if self.stop.load(Relaxed) || self.lab.budget.is_broken() {
                return Ok(());
            }
            if until.is_none() && self.working.load(Relaxed) == 0 {
                until = Some(end(started));
            }
            if until.is_some() && !std::mem::replace(&mut flushed, true) && !self.flush() {
                return Ok(());
            }
            if until.is_some_and(|t| Instant::now() >= t) {
                return Ok(());
            }
            queue.wait(&self.found, Duration::ZERO)?;
            let busy = until.is_none() && spent.as_secs_f64() > started.elapsed().as_secs_f64() * SHARE;
            let due = if busy { None } else { queue.next(until.is_some())? };
            let Some(stored) = due else {
                if until.is_some() {
                    return Ok(());
                }
                queue.wait(&self.found, 10 * POLL)?;
                continue;
            };
            let left = until.map(|t| t.saturating_duration_since(Instant::now()));
            if let Some(left) = left
                && !std::mem::replace(&mut told, true)
            {
                self.lab.events.event(&Event::Phase {
                    doing: "reducing and grouping",
                    count: queue.len() + 1,
                    of: "findings",
                    seconds: Some(left.as_secs()),
                });
            }
            done += 1;
            self.lab.events.event(&Event::Working { doing: "reducing", at: done, of: done + queue.len() });
            // Half of the remaining time, so that other findings get some too.
            let time = left.map_or(EACH, |left| (left / 2).min(EACH));
            let jobs = match until {
                Some(_) => std::thread::available_parallelism().map_or(1, usize::from),
                None => 1,
            };
            let start = Instant::now();
            // One that was examined would be recognised as itself.
            let known = if stored.examined { &[] } else { queue.known() };
            let result = self.examine(&stored, known, (time, jobs), started, &mut until);
            spent += start.elapsed();
            // A finding that cannot be examined is still a finding.
            let Ok(Some(Examination { reduced, dossier })) = result else { continue };
            let (finding, file) = (stored.finding.id, stored.relative_file);
            let (id, is_half) = (finding.clone(), dossier.is_half_reduced());
            if !queue.note(Triaged { finding, file, reduced, dossier }, &self.results) {
                return Ok(());
            }
            let rounds = again.entry(id.clone()).or_default();
            if is_half && *rounds < AGAIN {
                *rounds += 1;
                if !self.flush() {
                    return Ok(());
                }
                queue.take_up_again(id);
            }
        }
    }

    /// Examines one finding; the end of the campaign, of the time or of everything ends it early.
    fn examine(
        &self,
        stored: &Stored,
        known: &[Dossier],
        (time, jobs): (Duration, usize),
        started: Instant,
        until: &mut Option<Instant>,
    ) -> Result<Option<Examination>, Error> {
        let limits = Limits { memory: self.lab.config.memory, ..Limits::within(QUERY) };
        let quit = AtomicBool::new(false);
        let examiner = Examiner { means: self.means, limits, jobs, time, stop: &quit };
        let config = self.lab.config;
        std::thread::scope(|scope| {
            let work = scope.spawn(|| examine_stored(&config.out, stored, &config.solvers, &examiner, known));
            while !work.is_finished() {
                if until.is_none() && self.working.load(Relaxed) == 0 {
                    *until = Some(end(started));
                }
                let late = until.is_some_and(|t| Instant::now() >= t);
                if late || self.stop.load(Relaxed) || self.lab.budget.is_broken() {
                    quit.store(true, Relaxed);
                }
                std::thread::sleep(POLL);
            }
            work.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
        })
    }

    /// Waits until all results of workers are on disk; false if the writer has ended.
    fn flush(&self) -> bool {
        let (done, wait) = sync_channel(1);
        self.results.send(Record::Flush(done)).is_ok() && wait.recv().is_ok()
    }
}

/// When examining must end, if the last test ended now.
fn end(started: Instant) -> Instant {
    Instant::now() + started.elapsed().clamp(EACH / 2, 3 * EACH)
}
