//! What the maintainers of a solver accept in bug reports: the table `[maintainers]` of its profile.

use serde::Deserialize;
use smelt_core::{Kind, Version};

/// What maintainers ask of a report. Every key may be left out.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct ReportPolicy {
    /// The address of their issue tracker.
    pub tracker: Option<String>,
    /// How many reports they accept in a week.
    pub per_week: Option<u32>,
    /// The format of scripts that they accept.
    pub format: Option<String>,
    /// The only options under which they accept reports; absent if any option is fine.
    pub options: Option<Vec<String>>,
    /// Options, commands and tactics that they want no reports about.
    pub unwanted_options: Vec<String>,
    /// Theories that they want no reports about.
    pub unwanted_theories: Vec<String>,
    /// Kinds from the most to the least urgent, equally urgent ones together; absent for the usual order.
    pub priorities: Option<Vec<Vec<Kind>>>,
    /// The setting under which they count every wrong answer as a bug, whatever the script uses.
    pub safe: Option<SafeMode>,
    /// What else they ask, one sentence each.
    pub notes: Vec<String>,
}

/// A setting under which the solver refuses what it does not support.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SafeMode {
    /// Its arguments.
    pub args: Vec<String>,
    /// The first release that has it.
    pub since: Version,
}
