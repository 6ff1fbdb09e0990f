//! The bounds every solver call has.

use std::time::Duration;

/// The bounds of one query. In a session they hold per query, except the memory limit, which is the process's.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Wall time, from submission to the end of the answer, process start included.
    pub wall: Duration,
    /// CPU time of the solver process; `None` leaves it to the wall clock.
    pub cpu: Option<Duration>,
    /// Memory in bytes: address space by the kernel, or resident memory by watching where the profile says so.
    pub memory: u64,
    /// Bytes the solver may print before it is stopped; the kernel also keeps files it writes below this.
    pub output: usize,
    /// How long a solver may take to die of SIGTERM before SIGKILL.
    pub grace: Duration,
}

impl Default for Limits {
    fn default() -> Self {
        Limits {
            wall: Duration::from_secs(10),
            cpu: None,
            memory: 4 << 30,
            output: 64 << 20,
            grace: Duration::from_millis(100),
        }
    }
}

impl Limits {
    /// The default bounds with this wall time.
    pub fn wall(wall: Duration) -> Self {
        Limits { wall, ..Limits::default() }
    }
}
