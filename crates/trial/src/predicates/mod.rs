//! Conditions that must stay true while a script is reduced: predicates over solvers, for [`smelt_reduce`].
//!
//! - [`Keep`], [`FindingSource`]: the same solver stays wrong in the same way, with evidence that is still valid.
//! - [`ExpectSource`]: each solver has the given outcome.
//! - [`SlowSource`]: one solver takes far longer than another, or than a limit.
//! - [`ImplicationSource`]: two scripts, one of which implies the other, and answers that contradict the
//!   implication.
//! - [`StepSource`]: a solver decides a script, and is unsure about what a step makes of it.
//! - [`needed_flags`]: which flags of a solver's command line matter.

mod corner;
mod expect;
mod finding;
mod flags;
mod implication;
mod paced;
mod slow;
mod step;

pub use expect::{ExpectSource, Expected};
pub use finding::{FindingSource, Keep, find, named_logic};
pub use flags::needed_flags;
pub use implication::ImplicationSource;
pub use slow::{SlowSource, Slowness};
pub use step::{StepSource, Steps};
