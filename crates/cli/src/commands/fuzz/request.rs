//! What a campaign was asked to do, as it is kept in the store so that `--resume` needs nothing else.

use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// The arguments that make a campaign.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct CampaignRequest {
    pub(crate) seeds: Vec<String>,
    pub(crate) solvers: Vec<String>,
    pub(crate) strategies: Vec<String>,
    pub(crate) timeout_ms: u64,
    pub(crate) memory: u64,
    pub(crate) seed: u64,
    /// Whether the seed was given, so that equal runs are expected.
    pub(crate) seeded: bool,
    pub(crate) uniform: bool,
    pub(crate) fresh: bool,
    /// Long flags for options of strategies, by name.
    pub(crate) flags: BTreeMap<String, String>,
    /// The content of files that options of strategies name, by path.
    pub(crate) files: BTreeMap<String, String>,
    pub(crate) tests: Option<u64>,
    pub(crate) time_ms: Option<u64>,
    pub(crate) jobs: Option<usize>,
}
