//! The soft limit of a query: the solver gives up by itself, and its process stays alive.
//!
//! Solvers measure wall time; smelt limits CPU time. On a busy machine a solver would give up too soon. So the wall
//! time is multiplied by the last measured ratio, and a query that was given up too soon runs again.

use std::time::Duration;

/// A solver that was given this much more CPU time than its limit does not heed soft limits: it is killed.
const LATE: Duration = Duration::from_millis(15);
/// No machine is assumed to be busier than this: the wall time of a query is limited too.
const MOST: f64 = 8.0;

/// How soft limits are set in a session.
#[derive(Debug)]
pub(crate) struct Soft {
    /// Wall time for each unit of CPU time.
    stretch: f64,
}

impl Default for Soft {
    fn default() -> Soft {
        Soft { stretch: 1.0 }
    }
}

impl Soft {
    /// The wall time in which a solver gets this much CPU time, in whole milliseconds.
    pub(crate) fn wall(&self, limit: Duration) -> Duration {
        let ms = (limit.as_secs_f64() * self.stretch * 1e3).round().clamp(1.0, f64::from(u32::MAX));
        Duration::from_millis(ms as u64)
    }

    /// The CPU time after which a solver is killed that should have given up.
    pub(crate) fn hard(limit: Duration) -> Duration {
        limit + limit / 4 + LATE
    }

    /// Learns from a query that ended at a limit; whether the solver gave up too soon, after less than half of the CPU time
    /// that it was to have.
    pub(crate) fn learn(&mut self, soft: Duration, cpu: Duration, limit: Duration) -> bool {
        let ratio = soft.as_secs_f64() / cpu.as_secs_f64().max(1e-4);
        self.stretch = ratio.clamp(1.0, MOST);
        cpu < limit / 2
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_busy_machine_stretches_the_limit_and_a_quiet_one_ends_that() {
        let ms = Duration::from_millis;
        let mut soft = Soft::default();
        assert_eq!(soft.wall(ms(100)), ms(100));
        assert!(soft.learn(ms(100), ms(25), ms(100)), "too soon");
        assert_eq!(soft.wall(ms(100)), ms(400));
        assert!(!soft.learn(ms(400), ms(100), ms(100)));
        assert_eq!(soft.wall(ms(50)), ms(200));
        // On a quiet machine one or two are killed a little late, and the next one gives up in time.
        for _ in 0..2 {
            let wall = soft.wall(ms(50));
            assert!(!soft.learn(wall, Soft::hard(ms(50)), ms(50)));
        }
        assert!(soft.wall(ms(50)) < ms(100));
    }
}
