//! Findings are examined in the background while a campaign runs, in a small share of its time, and for a while after it.
//!
//! One thread beside the workers. The writer tells it of each finding that is on disk; each dossier goes to the writer
//! like all other results, one finding at a time. A campaign that is killed loses at most the examination that was under
//! way; the next run repeats it. A campaign never waits for this thread, and it does not influence which case comes next.

use smelt_solvers::Limits;
use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::Relaxed};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::time::{Duration, Instant};

use crate::lab::Lab;
use crate::link::Examining;
use crate::writer::Record;
use smelt_core::{Dossier, Event, Kind};
use smelt_store::Error;
use smelt_store::{Store, Stored, Triaged, examine_stored};
use smelt_triage::priority;
use smelt_triage::{Examination, Examiner, Means};

/// The share of a campaign's time that examining may take while workers run, with few findings and with many: then most
/// tests show only what is waiting already.
const SHARES: [f64; 2] = [0.1, 0.3];
/// Waiting findings that are many.
const MANY: usize = 20;
/// After the last test: this share of the campaign's time, within these bounds.
const AFTERWARDS: f64 = 0.2;
const LEAST: Duration = Duration::from_secs(10);
const MOST: Duration = Duration::from_secs(60);
/// The time limit of one reduction.
const EACH: Duration = Duration::from_secs(20);
/// The time limit of one query.
const QUERY: Duration = Duration::from_secs(5);
/// How often the thread checks whether an examination must end.
const POLL: Duration = Duration::from_millis(20);
/// How often the thread checks whether the campaign is over.
const LOOK: Duration = Duration::from_millis(200);
/// How often a shared store is asked for a finding to examine.
const ASK: Duration = Duration::from_secs(10);
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
    /// Of a shared campaign: who examines what is decided there.
    pub(crate) examining: Option<Examining>,
}

impl Background<'_> {
    /// Examines findings until all are done or the time is up.
    pub(crate) fn run(mut self) -> Result<(), Error> {
        if let Some(examining) = self.examining.take() {
            return self.run_shared(examining);
        }
        let started = Instant::now();
        let mut spent = Duration::ZERO;
        let mut until: Option<Instant> = None;
        let store = Store::open(&self.lab.config.out)?;
        let mut waiting = store.stored()?;
        let mut known = store.dossiers()?;
        let mut seen: HashMap<Coarse, u32> = HashMap::new();
        let (mut told, mut flushed, mut done) = (false, false, 0);
        loop {
            if self.stop.load(Relaxed) || self.lab.budget.is_broken() {
                return Ok(());
            }
            if until.is_none() && self.working.load(Relaxed) == 0 {
                until = Some(self.end(started));
            }
            if until.is_some() && !std::mem::replace(&mut flushed, true) && !self.flush() {
                return Ok(());
            }
            if until.is_some_and(|t| Instant::now() >= t) {
                return Ok(());
            }
            for id in self.found.try_iter() {
                waiting.push(store.finding(&id)?);
            }
            let share = SHARES[usize::from(waiting.len() >= MANY)];
            let busy = until.is_none() && spent.as_secs_f64() > started.elapsed().as_secs_f64() * share;
            let due = if busy { None } else { most_urgent(&mut waiting, &mut seen) };
            let left = waiting.len() + 1;
            let Some(stored) = due else {
                if until.is_some() {
                    return Ok(());
                }
                // Wait for a finding, and check from time to time whether the campaign is over.
                if let Ok(id) = self.found.recv_timeout(LOOK) {
                    waiting.push(store.finding(&id)?);
                }
                continue;
            };
            // A smaller trigger may have taken its place since it was found.
            let id = stored.finding.id;
            let stored = store.finding(&id)?;
            if let Some(until) = until
                && !std::mem::replace(&mut told, true)
            {
                let seconds = until.saturating_duration_since(Instant::now()).as_secs();
                self.lab.sink.event(&Event::Phase {
                    doing: "reducing and grouping",
                    count: left,
                    of: "findings",
                    seconds: Some(seconds),
                });
            }
            done += 1;
            self.lab.sink.event(&Event::Working { doing: "reducing", at: done, of: done + waiting.len() });
            // Half of the remaining time, so that other findings get some too.
            let time = until.map_or(EACH, |t| (t.saturating_duration_since(Instant::now()) / 2).min(EACH));
            let jobs = match until {
                Some(_) => std::thread::available_parallelism().map_or(1, usize::from),
                None => 1,
            };
            let start = Instant::now();
            let result = self.examine(&stored, &known, (time, jobs), started, &mut until);
            spent += start.elapsed();
            // A finding that cannot be examined is still a finding.
            let Ok(Some(Examination { reduced, dossier })) = result else { continue };
            known.push(dossier.clone());
            let triaged = Triaged { finding: id, file: stored.relative_file, reduced, dossier };
            if self.results.send(Record::Triaged(Box::new(triaged))).is_err() {
                return Ok(());
            }
        }
    }

    /// Examines findings that the shared store gives to this process, until there are none and no worker runs.
    fn run_shared(self, mut examining: Examining) -> Result<(), Error> {
        let started = Instant::now();
        let (mut spent, mut until, mut asked) = (Duration::ZERO, None::<Instant>, None::<Instant>);
        loop {
            if self.stop.load(Relaxed) || self.lab.budget.is_broken() {
                return Ok(());
            }
            if until.is_none() && self.working.load(Relaxed) == 0 {
                until = Some(self.end(started));
                self.flush();
                asked = None;
            }
            if until.is_some_and(|t| Instant::now() >= t) {
                return Ok(());
            }
            let busy = until.is_none() && spent.as_secs_f64() > started.elapsed().as_secs_f64() * SHARES[0];
            let is_due = asked.is_none_or(|asked| asked.elapsed() >= ASK);
            let next = if busy || !is_due { None } else { examining.next() };
            let Some((stored, known)) = next else {
                if is_due && !busy {
                    if until.is_some() {
                        return Ok(());
                    }
                    asked = Some(Instant::now());
                }
                std::thread::sleep(LOOK);
                continue;
            };
            let start = Instant::now();
            let time = until.map_or(EACH, |t| (t.saturating_duration_since(Instant::now()) / 2).min(EACH));
            let result = self.examine(&stored, &known, (time, 1), started, &mut until);
            spent += start.elapsed();
            let Ok(Some(Examination { reduced, dossier })) = result else { continue };
            let (finding, file) = (stored.finding.id, stored.relative_file);
            // If the store is away, another machine or a later run examines it again.
            let _ = examining.note(Triaged { finding, file, reduced, dossier });
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
                    *until = Some(self.end(started));
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

    /// When examining must end, if the last test ended now.
    fn end(&self, started: Instant) -> Instant {
        Instant::now() + started.elapsed().mul_f64(AFTERWARDS).clamp(LEAST, MOST)
    }

    /// Waits until all results of workers are on disk; false if the writer has ended.
    fn flush(&self) -> bool {
        let (done, wait) = sync_channel(1);
        self.results.send(Record::Flush(done)).is_ok() && wait.recv().is_ok()
    }
}

/// What findings of one bug have in common at first sight.
type Coarse = (Kind, String, Option<String>);

/// Takes the most urgent finding that was not examined: of those alike, one after the other has been looked at, so that
/// every bug has its turn. A finding that cannot be examined is not tried again in this run.
fn most_urgent(waiting: &mut Vec<Stored>, seen: &mut HashMap<Coarse, u32>) -> Option<Stored> {
    waiting.retain(|s| !s.flaky && !s.examined);
    let usual = smelt_solvers::ReportPolicy::default();
    let coarse = |s: &Stored| (s.finding.kind, s.finding.solver.clone(), s.finding.theory.clone());
    let rank = |s: &Stored| {
        let settled = s.claim.is_settled();
        let looked = seen.get(&coarse(s)).copied().unwrap_or(0);
        (looked, priority(s.finding.kind, settled, true, &usual), s.finding.bytes)
    };
    let (at, _) = waiting.iter().enumerate().min_by_key(|(_, s)| rank(s))?;
    let taken = waiting.remove(at);
    *seen.entry(coarse(&taken)).or_default() += 1;
    Some(taken)
}
