//! When a campaign ends, and how long one query may take.

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

/// The limits of queries: short for scripts that are usually fast, up to the user's limit for scripts that need it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Patience {
    /// The user's limit.
    pub(crate) most: Duration,
    /// The limit where nothing is known.
    usual: Duration,
    /// The limit of seeds that were never run.
    seed: Duration,
}

/// Seeds that were never run have the usual limit if there are at most this many.
const FEW_SEEDS: usize = 50;
/// The limit of such seeds, however many there are.
const SHORTEST_PROBE: Duration = Duration::from_millis(50);

/// With limits that are not learned, most queries get this part of the user's limit.
const USUAL_PART: u32 = 40;

impl Patience {
    /// Limits that follow from what was learned, for a campaign with this many seeds: the more there are, the less time is
    /// spent on trying a slow one.
    pub(crate) fn learned(most: Duration, seeds: usize) -> Patience {
        let usual = Duration::from_millis(250).min(most);
        let seed =
            usual.mul_f64(FEW_SEEDS as f64 / seeds.max(FEW_SEEDS) as f64).max(SHORTEST_PROBE.min(usual));
        Patience { most, usual, seed }
    }

    /// Limits that are the same for all.
    pub(crate) fn even(most: Duration) -> Patience {
        let usual = most / USUAL_PART;
        Patience { most, usual, seed: usual }
    }

    /// Where nothing is known.
    pub(crate) fn unknown(self) -> Duration {
        self.usual
    }

    /// For a seed that was never run.
    pub(crate) fn seed(self) -> Duration {
        self.seed
    }

    /// For a case of which only the number counts.
    pub(crate) fn numbered(self, number: u64) -> Duration {
        if number % 512 == 511 { self.most } else { self.usual }
    }

    /// For a mutant of a seed that took `seed`; `None` if the seed was not solved in time. `pays` is what was learned to
    /// pay for such formulas, `long` the least time of a query that gets more.
    pub(crate) fn mutant(
        self,
        seed: Option<Duration>,
        hard: bool,
        pays: Duration,
        long: Duration,
    ) -> Duration {
        let limit = match seed {
            // A mutant of a slow seed is slow too: less time would be wasted.
            Some(seed) if !hard => (seed * 6).max(Duration::from_millis(100)).min(pays).max(seed + seed / 2),
            Some(seed) => (seed * 2).max(Duration::from_millis(50)).min(pays),
            None => Duration::from_millis(50).min(pays),
        };
        limit.max(long).min(self.most)
    }

    /// For a case that was made without seeds.
    pub(crate) fn made(self, hard: bool, pays: Duration, long: Duration) -> Duration {
        let limit = Duration::from_millis(if hard { 50 } else { 100 });
        limit.min(pays).max(long).min(self.most)
    }

    /// Whether the queries of a case get more time than pays: what is slow in one form may be a bug in another.
    pub(crate) fn is_long(number: u64) -> bool {
        number % 128 == 127
    }

    /// For confirming a finding in fresh processes.
    pub(crate) fn confirm(self, was: Duration) -> Duration {
        (was * 4).max(Duration::from_secs(5)).max(self.most.min(Duration::from_secs(20)))
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

    #[test]
    fn limits_follow_the_seed_up_to_the_users() {
        let patience = Patience::learned(Duration::from_secs(2), 1);
        let ms = Duration::from_millis;
        let most = ms(9_000);
        assert_eq!(patience.mutant(Some(ms(1)), false, most, ms(0)), ms(100));
        assert_eq!(patience.mutant(Some(ms(1)), false, ms(30), ms(0)), ms(30));
        assert_eq!(patience.mutant(Some(ms(100)), false, most, ms(0)), ms(600));
        assert_eq!(patience.mutant(Some(ms(100)), false, ms(30), ms(0)), ms(150));
        assert_eq!(patience.mutant(Some(ms(900)), false, most, ms(0)), ms(2000));
        assert_eq!(patience.mutant(None, true, ms(30), ms(800)), ms(800));
        assert_eq!(patience.mutant(None, true, ms(30), most), ms(2000));
        assert_eq!(Patience::learned(ms(30), 1000).seed(), ms(30));
        let of = |seeds| Patience::learned(ms(10_000), seeds).seed();
        assert_eq!([1, 50, 100, 2000].map(of), [ms(250), ms(250), ms(125), ms(50)]);
        let even = Patience::even(ms(10_000));
        assert_eq!([1, 511].map(|n| even.numbered(n)), [ms(250), ms(10_000)]);
    }
}
