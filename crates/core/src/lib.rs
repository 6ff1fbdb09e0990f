//! The vocabulary of smelt: plain data for all crates above, in the words of the design.
//!
//! There is no I/O and no decision here. Types that are stored or printed derive serde; the serialised form of every
//! fixed word is the word that people read.

mod case;
mod event;
mod expectation;
mod finding;
mod outcome;
mod solver;
pub mod units;
mod word;

pub use case::{InvalidSeedHash, Provenance, SeedHash, TestCase};
pub use event::{Event, EventSink, Progress, Silent, SolverProgress, StrategyProgress};
pub use expectation::{Expectation, Relation};
pub use finding::{Evidence, Finding, FindingKind};
pub use outcome::{Answer, Crash, CrashKind, Outcome, OutcomeKind, Usage, Verdict};
pub use solver::{SolverId, Version};
