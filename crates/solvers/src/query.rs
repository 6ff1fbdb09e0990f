//! The input and output of a session: queries and finished queries.

use crate::limits::Limits;
use smelt_core::Outcome;
use std::time::Duration;

/// Whether processes are reused.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Mode {
    /// One live process for many queries, if the solver allows it.
    #[default]
    Reuse,
    /// A process per query.
    Fresh,
    /// A process per query that reads a file, as a person would run it: some crashes occur only so. Models and cores
    /// are not asked for.
    File,
}

/// How a session behaves.
#[derive(Clone, Copy, Debug)]
pub struct SessionConfig {
    /// Whether processes are reused.
    pub mode: Mode,
    /// The bounds of each query.
    pub limits: Limits,
    /// A process is replaced after this many queries.
    pub recycle_queries: u32,
    /// A process is replaced once it holds more memory than this, in bytes.
    pub recycle_memory: u64,
    /// A query that hits a time or memory limit in a used process is run again in a new one, because earlier queries
    /// can make later ones cost more. Such a query can take twice its wall time.
    pub confirm_limits: bool,
}

impl Default for SessionConfig {
    fn default() -> Self {
        SessionConfig {
            mode: Mode::Reuse,
            limits: Limits::default(),
            recycle_queries: 1000,
            recycle_memory: 512 << 20,
            confirm_limits: true,
        }
    }
}

/// One script to run, and whether to ask for a model or a core after it.
#[derive(Clone, Debug, Default)]
pub struct Query {
    pub(crate) script: Vec<u8>,
    pub(crate) model: bool,
    pub(crate) core: bool,
    pub(crate) limit: Option<Duration>,
    /// Whether it runs again because the solver gave it up too soon.
    pub(crate) again: bool,
}

impl Query {
    /// A script, unchanged.
    pub fn new(script: impl Into<Vec<u8>>) -> Query {
        Query { script: script.into(), ..Query::default() }
    }

    /// Also asks for a model if the last answer is sat and the solver can give one.
    #[must_use]
    pub fn with_model(mut self) -> Query {
        self.model = true;
        self
    }

    /// Also asks for an unsat core if the last answer is unsat and the solver can give one.
    #[must_use]
    pub fn with_core(mut self) -> Query {
        self.core = true;
        self
    }

    /// Whether it asks for neither a model nor a core.
    pub fn is_bare(&self) -> bool {
        !self.model && !self.core
    }

    /// With a time limit of its own, in place of [`Limits::time`].
    #[must_use]
    pub fn with_limit(mut self, limit: Duration) -> Query {
        self.limit = Some(limit);
        self
    }
}

/// The number of a query in its session.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct QueryId(pub u64);

/// A query that is over.
#[derive(Clone, Debug)]
pub struct Finished {
    /// Its number.
    pub query: QueryId,
    /// What the solver did.
    pub outcome: Outcome,
    /// What it printed, without marks.
    pub stdout: Vec<u8>,
    /// The tail of what it printed on stderr.
    pub stderr: Vec<u8>,
}
