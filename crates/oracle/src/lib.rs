//! The oracle: from what solvers did to what is wrong, and who it is.
//!
//! Pure. A case (its text as a [`Reading`], what is expected of it) and the full vector of outcomes go in; a
//! [`Judgement`] comes out: what our evaluator says of each model, the [`Charge`]s, and questions to ask next. No
//! process is started here, nothing is random, and the same input gives the same judgement on every machine.
//!
//! - [`judge`]: the rules, strongest evidence first.
//! - [`Reading`]: the questions of a script, and whether a model answers them.
//! - [`CoreQuestion`], [`judge_core`]: an unsat core is judged in two steps, for a solver must be asked in between.
//! - [`regression`], [`implication`], [`trivial`]: unknown where an answer was due, and where that is no news.
//! - [`Reading::suspects`]: which operator alone a solver may have wrong.
//! - [`theory`], [`fingerprint`]: what a finding is about, and when two are the same.
//!
//! A charge accuses one side at most. What cannot be settled says so, and names both.

mod charge;
mod core;
mod culprit;
pub mod fingerprint;
mod incomplete;
mod judge;
mod reading;
mod theory;

pub use charge::{Charge, Reason};
pub use core::{CoreQuestion, core_names, judge_core};
pub use culprit::Suspect;
pub use incomplete::{Silent, implication, regression, trivial};
pub use judge::{Conflict, Judgement, Options, Testimony, family, judge};
pub use reading::{ModelReport, Reading};
pub use smelt_semantics::model::Truth;
pub use theory::theory;
