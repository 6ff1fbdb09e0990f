//! The oracle turns the outcomes of solvers into claims of bugs.
//!
//! It is pure. The input is a case (its text also as a [`CaseScript`]) with all outcomes; the result is a
//! [`Judgement`]: a report on each model, the [`Claim`]s, and further questions to run. The oracle starts no
//! processes and makes no random choices, so the same input gives the same judgement on every machine.
//!
//! - [`judge`]: the rules, strongest evidence first.
//! - [`CaseScript`]: the queries of a script, and whether a model satisfies them.
//! - [`Question`], [`judge_answer`]: unsat cores and optima are judged in two steps, with a solver call in between.
//! - [`regression`], [`implication`], [`expected_unknown`]: `unknown` although an answer was expected, and where
//!   `unknown` is fine.
//! - [`CaseScript::operator_checks`]: tests of single operators that a solver may get wrong.
//! - [`CaseScript::value_steps`]: the values of an assertion's sub-terms in a model.
//! - [`theory`], [`cause`]: the theory and the cause of a finding, as far as its script shows them.
//!
//! A claim accuses one side of a disagreement, or names both sides if it is not settled which is wrong.

mod case_script;
pub mod cause;
mod facts;
mod incomplete;
mod judge;
mod operator_check;
mod question;
mod replies;
mod steps;
mod theory;
mod unsat_core;

pub use case_script::{CaseScript, ModelReport, altering_argument};
pub use incomplete::{Undecided, expected_unknown, implication, regression, rule_of, selective};
pub use judge::{Conflict, Exhaust, Judgement, REFERENCE, SolverOutcome, family, judge};
pub use operator_check::OperatorCheck;
pub use question::{About, Question, judge_answer};
pub use replies::{Doubt, Separation};
pub use smelt_semantics::model::Truth;
pub use steps::ValueStep;
pub use theory::theory;
pub use unsat_core::core_names;
