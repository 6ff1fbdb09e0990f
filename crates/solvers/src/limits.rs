//! The limits of a solver call.

use std::time::Duration;

/// The limits of one query. In a session they hold for each query, except memory, which is limited per process.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// The time for an answer: CPU time of the solver, its start not counted, so that a busy machine does not trip it. The
    /// wall time may be ten times as long.
    pub time: Duration,
    /// CPU time of the solver process; `None` for no limit but the wall time.
    pub cpu: Option<Duration>,
    /// Memory in bytes: the kernel limits address space, or smelt watches resident memory if the profile says so.
    pub memory: u64,
    /// Bytes that the solver may print before smelt stops it; the kernel limits the size of its files to the same.
    pub output: usize,
    /// The time between SIGTERM and SIGKILL.
    pub grace: Duration,
}

impl Default for Limits {
    fn default() -> Self {
        Limits {
            time: Duration::from_secs(10),
            cpu: None,
            memory: 4 << 30,
            output: 64 << 20,
            grace: Duration::from_millis(100),
        }
    }
}

impl Limits {
    /// The default limits with this time.
    pub fn within(time: Duration) -> Self {
        Limits { time, ..Limits::default() }
    }
}

/// Whether a process worked since its CPU time was last noted. One that only wakes up to look at a clock did not; one that
/// waits for a core of a busy machine gets more than this in the time that [`idle`] allows.
pub(crate) fn is_active(before: Duration, now: Duration) -> bool {
    now >= before + Duration::from_millis(5)
}

/// How long a process may do nothing: it waits for input, for processes of its own, or for a clock.
pub(crate) fn idle(limit: Duration) -> Duration {
    (limit * 2).max(Duration::from_secs(5))
}

/// The most wall time of a query with a limit of CPU time: a busy machine must not trip it.
pub(crate) fn backstop(limit: Duration) -> Duration {
    limit * 10 + Duration::from_secs(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_process_that_only_wakes_up_does_nothing() {
        let ms = |n| Duration::from_micros((n * 1e3) as u64);
        assert!(!is_active(ms(10.0), ms(10.0)));
        assert!(!is_active(ms(10.0), ms(10.4)), "woke up once a second");
        assert!(is_active(ms(10.0), ms(30.0)));
    }
}
