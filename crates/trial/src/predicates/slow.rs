//! Slowness: a solver takes far longer than another, or than a limit. Measures CPU time of fresh processes, and
//! measures again if the result is near the threshold.

use std::time::Duration;

use smelt_core::{Outcome, OutcomeKind};
use smelt_reduce::{Care, Error, Predicate, PredicateSource};
use smelt_solvers::Query;

use super::paced::PacedPanel;
use crate::panel::Lineup;

/// How slow the first solver of a lineup must be.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Slowness {
    /// At least this many times as slow as the second one.
    Ratio(f64),
    /// At least this slow.
    Limit(Duration),
    /// At least this slow, while the second one decides this fast. The CPU limit of the lineup must be `slow`.
    Apart {
        /// The least time of the first solver.
        slow: Duration,
        /// The most time of the second solver.
        fast: Duration,
    },
}

/// Makes predicates that keep a script slow.
pub struct SlowSource<'a> {
    lineup: Lineup<'a>,
    slowness: Slowness,
}

/// Times of the reference below this count as this: the difference is noise.
const FLOOR: Duration = Duration::from_millis(20);
/// How near the threshold, as a factor, a measurement is repeated.
const NEAR: f64 = 1.3;
const REPEATS: usize = 3;

impl<'a> SlowSource<'a> {
    /// The first solver is the slow one; for a ratio the second is the reference.
    pub fn new(lineup: Lineup<'a>, slowness: Slowness) -> SlowSource<'a> {
        SlowSource { lineup, slowness }
    }
}

impl PredicateSource for SlowSource<'_> {
    fn open(&self) -> Result<Box<dyn Predicate + '_>, Error> {
        Ok(Box::new(Stopwatch { source: self, panel: PacedPanel::new(self.lineup) }))
    }

    fn describe(&self) -> String {
        let name = |i: usize| self.lineup.solvers[i].solver.id();
        match self.slowness {
            Slowness::Ratio(r) => format!("{} takes {r} times as long as {}", name(0), name(1)),
            Slowness::Limit(d) => format!("{} takes {} s", name(0), d.as_secs_f64()),
            Slowness::Apart { slow, fast } => format!(
                "{} takes {} s, {} takes {} s",
                name(0),
                slow.as_secs_f64(),
                name(1),
                fast.as_secs_f64()
            ),
        }
    }
}

struct Stopwatch<'a> {
    source: &'a SlowSource<'a>,
    panel: PacedPanel<'a>,
}

impl Predicate for Stopwatch<'_> {
    fn holds(&mut self, script: &[u8], _: Care) -> Result<bool, Error> {
        let threshold = match self.source.slowness {
            Slowness::Limit(limit) => limit,
            Slowness::Apart { slow, fast } => {
                let wall = self.source.lineup.limits.time;
                // Stopped at the limit of CPU time, it has taken nearly that.
                let enough = slow.mul_f64(0.95);
                let is_slow = self.measure(0, script, wall)?.is_some_and(|t| t >= enough);
                return Ok(is_slow && self.measure(1, script, wall)?.is_some_and(|t| t <= fast));
            }
            Slowness::Ratio(ratio) => {
                let wall = self.source.lineup.limits.time.div_f64(ratio);
                let Some(reference) = self.measure(1, script, wall)? else { return Ok(false) };
                reference.max(FLOOR).mul_f64(ratio)
            }
        };
        // Beyond this factor a measurement is not repeated.
        let enough = threshold.mul_f64(NEAR);
        let mut times = Vec::new();
        loop {
            let Some(time) = self.measure(0, script, enough * 2)? else { return Ok(false) };
            times.push(time);
            times.sort_unstable();
            let median = times[times.len() / 2];
            let near = median > threshold.div_f64(NEAR) && median < enough;
            if !near || times.len() >= REPEATS {
                return Ok(median >= threshold);
            }
        }
    }
}

impl Stopwatch<'_> {
    /// Time of one run; the limit if it was stopped there, and `None` if it did not answer.
    fn measure(&mut self, who: usize, script: &[u8], wall: Duration) -> Result<Option<Duration>, Error> {
        let outcome: Outcome = self.panel.ask_within(who, Query::new(script), Care::Fresh, wall)?;
        Ok(match outcome.kind {
            OutcomeKind::Timeout => (who == 0).then(|| outcome.usage.time()),
            // Out of memory on the way to being out of time.
            OutcomeKind::Memout => (who == 0).then_some(wall),
            kind if kind.verdict().is_some() => Some(outcome.usage.time()),
            _ => None,
        })
    }
}
