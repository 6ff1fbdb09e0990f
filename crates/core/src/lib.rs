//! The vocabulary of smelt: plain data types for all other crates.
//!
//! There is no I/O here, and no decisions. Types that are stored or printed derive serde. Each fixed word has one
//! spelling, in JSON and for people.

mod case;
mod cause;
mod claim;
mod dossier;
mod event;
mod expectation;
mod history;
mod kind;
mod outcome;
mod solver;
pub mod units;
mod word;

pub use case::{Case, Certificate, InvalidSeedHash, Provenance, SeedHash};
pub use cause::{Cause, CoarseKey, Identity, Site, operator_list};
pub use claim::{
    Accused, Claim, Evidence, Finding, FindingRow, InterpolantFlaw, OptimumFlaw, Reason, joined,
};
pub use dossier::{Culprit, Dossier, Figures, ModelShown, Needs, Pair, Said, shown_script};
pub use event::{Event, EventSink, Progress, Silent, SolverProgress, StrategyProgress};
pub use expectation::{Expectation, Relation};
pub use history::{Doubt, History, Release, Run, Standing, release_name};
pub use kind::{Class, Kind, KindRow, Severity};
pub use outcome::{Answer, Asked, Crash, CrashKind, Outcome, OutcomeKind, Reply, Usage, Verdict};
pub use solver::{SolverId, Version};
