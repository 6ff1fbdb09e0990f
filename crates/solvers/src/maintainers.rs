//! What the maintainers of a solver ask of those who report bugs: the table `[maintainers]` of its profile.

use serde::Deserialize;
use smelt_core::{FindingKind, Version};

/// What is asked of a report. Everything may be left out.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Maintainers {
    /// Where reports go.
    pub tracker: Option<String>,
    /// How many reports a week they can take.
    pub per_week: Option<u32>,
    /// The format of scripts that they read.
    pub format: Option<String>,
    /// The only options under which they accept reports; absent if any will do.
    pub options: Option<Vec<String>>,
    /// Options, commands and tactics that they do not want to hear of.
    pub unwanted_options: Vec<String>,
    /// Theories that they do not want to hear of.
    pub unwanted_theories: Vec<String>,
    /// Kinds from the most to the least urgent, equally urgent ones together; absent for the usual order.
    pub priorities: Option<Vec<Vec<FindingKind>>>,
    /// The setting under which every wrong answer is a bug, whatever is used.
    pub safe: Option<SafeMode>,
    /// What else they ask, a sentence each.
    pub notes: Vec<String>,
}

/// A setting that refuses what is not supported.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SafeMode {
    /// Its arguments.
    pub args: Vec<String>,
    /// The first release that has it.
    pub since: Version,
}
