//! When a campaign ends.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::time::{Duration, Instant};

/// The end of a campaign: a number of tests, a time, or a stop flag.
#[derive(Debug)]
pub(crate) struct Budget<'a> {
    stop: &'a AtomicBool,
    broken: AtomicBool,
    until: Option<Instant>,
    tests: Option<u64>,
    begun: AtomicU64,
}

impl<'a> Budget<'a> {
    pub(crate) fn new(
        stop: &'a AtomicBool,
        time: Option<Duration>,
        tests: Option<u64>,
        done: u64,
    ) -> Budget<'a> {
        let until = time.and_then(|t| Instant::now().checked_add(t));
        Budget { stop, broken: AtomicBool::new(false), until, tests, begun: AtomicU64::new(done) }
    }

    /// Whether the campaign is over, even if queries are running.
    pub(crate) fn is_over(&self) -> bool {
        self.stop.load(Relaxed)
            || self.broken.load(Relaxed)
            || self.until.is_some_and(|t| Instant::now() >= t)
    }

    /// Takes one test out of the budget; false if none is left.
    pub(crate) fn take(&self) -> bool {
        match self.tests {
            None => true,
            Some(limit) => {
                self.begun.fetch_update(Relaxed, Relaxed, |n| (n < limit).then_some(n + 1)).is_ok()
            }
        }
    }

    /// Notes a failure: all threads stop.
    pub(crate) fn abort(&self) {
        self.broken.store(true, Relaxed);
    }

    /// Whether something failed.
    pub(crate) fn is_broken(&self) -> bool {
        self.broken.load(Relaxed)
    }

    /// Time left, at most `most`.
    pub(crate) fn left(&self, most: Duration) -> Duration {
        self.until.map_or(most, |t| t.saturating_duration_since(Instant::now()).min(most))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_budget_of_tests_is_taken_exactly() {
        let stop = AtomicBool::new(false);
        let budget = Budget::new(&stop, None, Some(5), 2);
        assert_eq!((0..10).filter(|_| budget.take()).count(), 3);
        assert!(!budget.is_over());
        stop.store(true, Relaxed);
        assert!(budget.is_over());
    }
}
