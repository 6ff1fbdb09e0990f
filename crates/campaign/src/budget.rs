//! When a campaign ends.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::time::{Duration, Instant};

/// How long workers may take to end by themselves. A step of a strategy that is not over then is abandoned: on a seed of
/// 50 MB it takes half a minute. Everything else ends sooner, since it looks at the budget itself.
const GRACE: Duration = Duration::from_secs(1);

/// The end of a campaign: a number of tests, a time, or a stop flag.
#[derive(Debug)]
pub(crate) struct Budget<'a> {
    stop: &'a AtomicBool,
    broken: AtomicBool,
    until: Option<Instant>,
    tests: Option<u64>,
    begun: AtomicU64,
    /// Set where work on a case is to be abandoned.
    abandoned: Arc<AtomicBool>,
}

impl<'a> Budget<'a> {
    pub(crate) fn new(
        stop: &'a AtomicBool,
        time: Option<Duration>,
        tests: Option<u64>,
        done: u64,
    ) -> Budget<'a> {
        let until = time.and_then(|t| Instant::now().checked_add(t));
        let abandoned = Arc::default();
        Budget { stop, broken: AtomicBool::new(false), until, tests, begun: AtomicU64::new(done), abandoned }
    }

    /// Whether the campaign is over, even if queries are running.
    pub(crate) fn is_over(&self) -> bool {
        self.stop.load(Relaxed)
            || self.broken.load(Relaxed)
            || self.until.is_some_and(|t| Instant::now() >= t)
    }

    /// Does work that is abandoned if it continues after the end; `None` then.
    pub(crate) fn unless_abandoned<T>(&self, work: impl FnOnce() -> T) -> Option<T> {
        smelt_smtlib::abandon::unless_set(&self.abandoned, work)
    }

    /// Abandons work that continues although the campaign has been over for a while; `since` is when that was noticed.
    pub(crate) fn enforce(&self, since: &mut Option<Instant>) {
        if self.is_over() && since.get_or_insert_with(Instant::now).elapsed() >= GRACE {
            self.abandoned.store(true, Relaxed);
        }
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
    fn work_that_goes_on_long_after_the_end_is_abandoned() {
        let stop = AtomicBool::new(true);
        let budget = Budget::new(&stop, None, None, 0);
        let script = format!("(assert (and {}))", "true ".repeat(100_000));
        let read = || smelt_smtlib::parse_script(&mut smelt_smtlib::Arena::new(), script.as_bytes()).is_ok();
        let mut since = None;
        budget.enforce(&mut since);
        assert_eq!(budget.unless_abandoned(read), Some(true), "it has a moment to end by itself");
        since = since.and_then(|t: Instant| t.checked_sub(GRACE));
        budget.enforce(&mut since);
        assert_eq!(budget.unless_abandoned(read), None);
    }

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
