//! Counters that all workers share, for the summary and for rewards.

use smelt_core::{Outcome, OutcomeKind, SeedHash};
use smelt_strategies::Skip;
use smelt_trial::lock;
use std::collections::{BTreeMap, HashSet};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::time::Duration;

use crate::timeouts::is_stopped;

/// How many texts of cases a worker remembers, and how many behaviours and reasons a campaign does: a few megabytes.
pub(crate) const REMEMBERED: usize = 1 << 16;

/// The counts.
#[derive(Debug, Default)]
pub(crate) struct Counters {
    /// By solver and kind of outcome: the first line of its message.
    reasons: Mutex<BTreeMap<(usize, OutcomeKind), BTreeMap<String, u64>>>,
    /// By strategy, why it made no case.
    skipped: Mutex<BTreeMap<usize, BTreeMap<Skip, u64>>>,
    /// How solvers behaved so far, by a hash.
    behaviours: Mutex<HashSet<u64>>,
    /// Whether a worker gave up because no strategy made another case.
    pub(crate) out_of_cases: AtomicBool,
    /// Time in which a worker had a solver running, and the total time of all workers, in microseconds.
    busy_us: AtomicU64,
    worked_us: AtomicU64,
}

impl Counters {
    /// Counts why a solver rejected a case, or said unknown.
    pub(crate) fn note_reason(&self, solver: usize, outcome: &Outcome) {
        let kind = match outcome.kind {
            OutcomeKind::Rejected | OutcomeKind::Error => OutcomeKind::Rejected,
            OutcomeKind::Unknown => OutcomeKind::Unknown,
            _ => return,
        };
        let Some(message) = &outcome.message else { return };
        // Places in the script and names differ from case to case.
        let line = message.lines().next().unwrap_or_default();
        let words = line.split_whitespace().filter(|w| !w.contains(|c: char| c.is_ascii_digit()));
        let reason: String = words.collect::<Vec<_>>().join(" ").chars().take(100).collect();
        let mut reasons = lock(&self.reasons);
        let of_solver = reasons.entry((solver, kind)).or_default();
        if of_solver.len() < REMEMBERED || of_solver.contains_key(&reason) {
            *of_solver.entry(reason).or_default() += 1;
        }
    }

    /// The commonest reason why a solver rejected cases, or said unknown, in this run.
    pub(crate) fn commonest_reason(&self, solver: usize, kind: OutcomeKind) -> Option<String> {
        let reasons = lock(&self.reasons);
        let counts = reasons.get(&(solver, kind))?;
        counts.iter().max_by_key(|(_, n)| **n).map(|(reason, _)| reason.clone())
    }

    /// Counts why a strategy made no case.
    pub(crate) fn note_skip(&self, strategy: usize, skip: Skip) {
        *lock(&self.skipped).entry(strategy).or_default().entry(skip).or_default() += 1;
    }

    /// The commonest reason why a strategy made no case.
    pub(crate) fn commonest_skip(&self, strategy: usize) -> Option<Skip> {
        lock(&self.skipped).get(&strategy)?.iter().max_by_key(|(_, n)| **n).map(|(skip, _)| *skip)
    }

    /// Whether solvers never behaved like this on formulas of this class: what each did, and how long it took, roughly. That
    /// one was stopped tells more of its limit than of itself.
    pub(crate) fn is_new_behaviour(&self, class: usize, outcomes: &[Option<Outcome>]) -> bool {
        if outcomes.iter().flatten().any(|outcome| is_stopped(outcome.kind)) {
            return false;
        }
        let mut text = class.to_string();
        for outcome in outcomes.iter().flatten() {
            // Times fall into classes, each four times as long as the one before.
            let class = outcome.usage.time().as_millis().checked_ilog2().map_or(0, |log| log / 2 + 1);
            text.push_str(&format!(" {} {class}", outcome.kind));
        }
        let mut seen = lock(&self.behaviours);
        seen.len() < REMEMBERED && seen.insert(SeedHash::of(text.as_bytes()).0)
    }

    /// Counts time of a worker, and for how much of it a solver ran.
    pub(crate) fn note_time(&self, worked: Duration, busy: Duration) {
        self.busy_us.fetch_add(busy.as_micros() as u64, Relaxed);
        self.worked_us.fetch_add(worked.as_micros() as u64, Relaxed);
    }

    /// The share of the workers' time in which a solver ran.
    pub(crate) fn busy_share(&self) -> f64 {
        let worked = self.worked_us.load(Relaxed);
        if worked == 0 { 1.0 } else { self.busy_us.load(Relaxed) as f64 / worked as f64 }
    }
}
