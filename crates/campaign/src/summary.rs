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
    /// What each solver did.
    pub solvers: Vec<SolverRow>,
    /// What each strategy did.
    pub strategies: Vec<StrategyRow>,
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

/// What a solver did in a campaign.
#[derive(Clone, Debug, Default, Serialize)]
pub struct SolverRow {
    /// Its name.
    pub solver: String,
    /// Queries put to it.
    pub asked: u64,
    /// Queries it answered with sat or unsat.
    pub answered: u64,
    /// Queries it answered with unknown.
    pub unknown: u64,
    /// Queries stopped at a limit of time or memory.
    pub stopped: u64,
    /// Queries it rejected, or could not work on.
    pub rejected: u64,
    /// Crashes.
    pub crashed: u64,
    /// The share of its time that went into queries that were stopped.
    pub stopped_share: f64,
    /// The commonest reason of a rejection.
    pub reason: Option<String>,
}

/// What a strategy did in a campaign.
#[derive(Clone, Debug, Default, Serialize)]
pub struct StrategyRow {
    /// Its name.
    pub strategy: String,
    /// Cases made.
    pub made: u64,
    /// Cases that solvers decided.
    pub useful: u64,
    /// Cases with a finding.
    pub found: u64,
    /// If it made none, the commonest reason.
    pub reason: Option<String>,
}
