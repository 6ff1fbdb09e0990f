//! The vocabulary of smelt: plain data that every crate above speaks, with the words of the design.
//!
//! No I/O and no decisions live here. What can be stored or printed derives serde, and the serialised
//! spelling of every fixed word is the spelling people read.

mod case;
mod event;
mod expectation;
mod finding;
mod outcome;
mod solver;

pub use case::{InvalidSeedHash, Provenance, SeedHash, TestCase};
pub use event::{Event, EventSink, Progress, Silent};
pub use expectation::{Expectation, Relation};
pub use finding::{Evidence, Finding, FindingKind};
pub use outcome::{Answer, Crash, CrashKind, Outcome, OutcomeKind, Usage, Verdict};
pub use solver::{SolverId, Version};
