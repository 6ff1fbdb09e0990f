//! Questions that a claim depends on: a script for solvers, and the meaning of each answer.
//!
//! A core is refuted by a model of it. An optimum is refuted by a model of the same constraints with a better
//! objective. It is also refuted if the solver that reported it answers unsat when asked for an assignment that
//! reaches it. An interpolant is refuted by an assignment that it does not separate from the other part.

use crate::replies::{self, Doubt, Separation};
use crate::unsat_core;
use smelt_core::{Claim, Outcome, SolverId};

/// A script for solvers, whose answer may show that a reply is wrong.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Question {
    /// The solver whose reply it is about, by position among the outcomes.
    pub accused: usize,
    /// That solver's name.
    pub solver: SolverId,
    /// The `check-sat` that the reply is about, counted from 0.
    pub check: usize,
    /// The script, with one `check-sat`.
    pub script: Vec<u8>,
    /// The reply.
    pub about: About,
}

/// What a question is about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum About {
    /// The names in an unsat core.
    Core(Vec<String>),
    /// An optimum.
    Optimum(Doubt),
    /// Interpolants.
    Interpolant(Separation),
}

impl Question {
    /// The names in the core, if it is about one.
    pub fn names(&self) -> &[String] {
        match &self.about {
            About::Core(names) => names,
            About::Optimum(_) | About::Interpolant(_) => &[],
        }
    }

    /// Whether only an answer of the accused itself says anything.
    pub fn is_for_the_accused(&self) -> bool {
        matches!(&self.about, About::Optimum(doubt) if doubt.is_about_reaching())
    }
}

/// Judges a solver's outcome for a [`Question`].
pub fn judge_answer(question: &Question, by: &SolverId, outcome: &Outcome) -> Option<Claim> {
    match &question.about {
        About::Core(names) => unsat_core::judge_core(question, names, by, outcome),
        About::Optimum(doubt) => replies::judge_doubt(question, doubt, by, outcome),
        About::Interpolant(parts) => replies::judge_separation(question, parts, outcome),
    }
}
