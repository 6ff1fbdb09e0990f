//! The summary of a campaign.

use serde::Serialize;
use smelt_core::Finding;
use std::collections::BTreeMap;

use crate::numbering::Guarantee;

/// The results of a campaign, for people and programs. Counts include earlier runs of a resumed campaign.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Summary {
    /// Cases made and run.
    pub tests: u64,
    /// Queries put to solvers; confirmations are not counted.
    pub solver_calls: u64,
    /// CPU time of the solvers in seconds.
    pub cpu_s: f64,
    /// Wall time in seconds.
    pub wall_s: f64,
    /// Cases by strategy.
    pub by_strategy: BTreeMap<String, u64>,
    /// Calls by outcome.
    pub by_outcome: BTreeMap<String, u64>,
    /// The share of the workers' time in which a solver ran, in this run.
    pub solver_share: f64,
    /// The seed of all random choices.
    pub seed: u64,
    /// Findings that did not repeat in fresh processes.
    pub flaky: u64,
    /// The folder.
    pub out: String,
    /// The sizes that enumerating strategies have finished.
    pub guarantees: Vec<Guarantee>,
    /// How many of the findings were not examined: each may be one of the bugs.
    pub unexamined: u64,
    /// The confirmed findings: of each bug the finding that shows it best, the most urgent first; then those that were not
    /// examined.
    pub findings: Vec<Finding>,
}
