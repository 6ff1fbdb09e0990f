//! What happens in a campaign, for whoever shows it. Nothing here prints.

use smelt_core::{Finding, FindingKind};
use std::{collections::BTreeMap, time::Duration};

/// Something that happened.
#[derive(Clone, Debug)]
pub enum Event {
    /// The campaign begins.
    Started {
        /// Seeds in use.
        seeds: usize,
        /// Solvers in use.
        solvers: Vec<String>,
        /// Strategies in use.
        strategies: Vec<String>,
        /// The number all random choices start from.
        seed: u64,
        /// Workers.
        jobs: usize,
        /// Tests done before, when it was resumed.
        resumed: u64,
    },
    /// A seed that cannot be used, or a label that is not believed.
    Seed {
        /// Its name.
        name: String,
        /// What is wrong with it.
        why: String,
    },
    /// How far it is; about once a second.
    Progress(Progress),
    /// A finding was confirmed and is on disk.
    Found(Finding),
    /// After the last test, findings are examined.
    Examining {
        /// How many there are.
        left: usize,
        /// How long that may go on, at most.
        seconds: u64,
    },
    /// Something was seen that did not happen again.
    Flaky {
        /// What it looked like.
        kind: FindingKind,
        /// Whose.
        solver: String,
        /// In how many of the three fresh runs it came again.
        seen: u32,
    },
}

/// How far a campaign is.
#[derive(Clone, Debug, Default)]
pub struct Progress {
    /// Tests so far, earlier runs included.
    pub tests: u64,
    /// Tests in this run.
    pub tests_now: u64,
    /// Time of this run.
    pub elapsed: Duration,
    /// The share of the workers' time in which a solver was at work.
    pub solver_share: f64,
    /// Findings by kind.
    pub findings: BTreeMap<FindingKind, u64>,
    /// Seeds not yet used.
    pub seeds_left: usize,
}

/// Takes events. Called from several threads, in no fixed order.
pub trait EventSink: Sync {
    /// Takes one.
    fn event(&self, event: &Event);
}

/// Takes events and does nothing.
#[derive(Clone, Copy, Debug, Default)]
pub struct Silent;

impl EventSink for Silent {
    fn event(&self, _: &Event) {}
}
