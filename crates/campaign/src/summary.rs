//! What a campaign comes to.

use serde::Serialize;
use smelt_core::Finding;
use std::collections::BTreeMap;

use crate::numbering::Guarantee;

/// The end of a campaign, as people and programs read it. Counts include earlier runs of a resumed campaign.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Summary {
    /// Cases made and run.
    pub tests: u64,
    /// Queries put to solvers; confirming is not counted.
    pub solver_calls: u64,
    /// CPU time of the solvers in seconds.
    pub cpu_s: f64,
    /// Wall time in seconds.
    pub wall_s: f64,
    /// Cases by strategy.
    pub by_strategy: BTreeMap<String, u64>,
    /// Calls by outcome.
    pub by_outcome: BTreeMap<String, u64>,
    /// The share of the workers' time in which a solver was at work, in this run.
    pub solver_share: f64,
    /// What all random choices started from.
    pub seed: u64,
    /// What was seen and did not come again in fresh processes.
    pub flaky: u64,
    /// The folder.
    pub out: String,
    /// What generators that go by size are through with.
    pub guarantees: Vec<Guarantee>,
    /// What was found and confirmed: of each bug the finding that shows it best, the most urgent first.
    pub findings: Vec<Finding>,
}
