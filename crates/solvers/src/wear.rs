//! Measures how much a process has slowed down, and how long it takes to start one.

use std::time::Duration;

/// Now and then a small fixed script is run behind the reset; what it takes longer
/// than at first, every query takes longer too. Once that adds up to the cost of a new process, it is replaced.
#[derive(Default)]
pub(crate) struct Wear {
    /// The CPU time that starting the process took.
    pub(crate) start: Duration,
    /// The CPU time of the fixed script at first.
    first: Option<Duration>,
    /// The CPU time lost since then, over all queries.
    lost: Duration,
}

/// The fixed script is run after this many queries, again and again.
pub(crate) const PROBED: u32 = 16;

impl Wear {
    pub(crate) fn note(&mut self, took: Duration) {
        let first = *self.first.get_or_insert(took);
        self.lost += took.saturating_sub(first) * PROBED;
    }

    pub(crate) fn is_worn(&self) -> bool {
        self.lost > self.start.max(Duration::from_millis(5))
    }
}

/// How long starting a process and a query usually take.
#[derive(Default)]
pub(crate) struct Pace {
    start: Duration,
    query: Duration,
}

/// If starting is this fast, no second process is needed.
const SHORT: Duration = Duration::from_millis(50);

impl Pace {
    pub(crate) fn note(&mut self, start: Option<Duration>, query: Duration) {
        self.start = start.unwrap_or(self.start);
        self.query = if self.query.is_zero() { query } else { (self.query * 7 + query) / 8 };
    }

    pub(crate) fn starts_slowly(&self) -> bool {
        self.start > SHORT.max(self.query)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_start_is_slow_if_it_takes_longer_than_a_query() {
        let ms = Duration::from_millis;
        let slow = |start, queries: &[u64]| {
            let mut pace = Pace::default();
            queries.iter().for_each(|q| pace.note(Some(start), ms(*q)));
            pace.starts_slowly()
        };
        assert!(!slow(ms(500), &[]));
        assert!(slow(ms(500), &[10, 20]));
        assert!(!slow(ms(20), &[1]));
        assert!(!slow(ms(500), &[900]));
    }

    #[test]
    fn a_process_is_worn_once_it_has_lost_what_a_start_costs() {
        let ms = Duration::from_millis;
        let mut wear = Wear { start: ms(100), ..Wear::default() };
        (0..50).for_each(|_| wear.note(ms(3)));
        assert!(!wear.is_worn());
        wear.note(ms(8));
        assert!(!wear.is_worn());
        wear.note(ms(8));
        assert!(wear.is_worn());
    }
}
