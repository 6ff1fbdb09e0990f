//! The oracle: from the outcomes of solvers to claims of bugs.
//!
//! Pure. A case (its text also as a [`CaseScript`]) and the full vector of outcomes go in; a [`Judgement`]
//! comes out: a report on each model, the [`Claim`]s, and questions to ask next. No process is started here, nothing
//! is random, and the same input gives the same judgement on every machine.
//!
//! - [`judge`]: the rules, strongest evidence first.
//! - [`CaseScript`]: the questions of a script, and whether a model answers them.
//! - [`Question`], [`judge_answer`]: unsat cores and optima are judged in two steps, because a solver must be asked in between.
//! - [`regression`], [`implication`], [`expected_unknown`]: `unknown` where an answer was due, and where it is expected.
//! - [`CaseScript::operator_checks`]: tests of single operators that a solver may have wrong.
//! - [`CaseScript::value_steps`]: the values of an assertion's sub-terms in a model.
//! - [`theory`], [`cause`]: the theory of a finding, and what it is about as far as its script shows.
//!
//! A claim accuses one side of a disagreement, or says that it is not settled and names both.

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
pub use replies::Doubt;
pub use smelt_semantics::model::Truth;
pub use steps::ValueStep;
pub use theory::theory;
pub use unsat_core::core_names;
