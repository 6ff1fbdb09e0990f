//! Models: reads what solvers print for `get-model` and `get-value`, and checks whether a model satisfies a script.

mod algebraic;
mod print;
mod read;

use smelt_smtlib::{Arena, Symbol, Term, View};

pub(crate) use algebraic::algebraic;
pub use print::{Unprintable, print_model, print_value};
pub(crate) use print::{declared, name as written_name};

use crate::eval::{Domains, Effort, Evaluator, Interpretation, Meaning, Unknown};
use crate::goal::Goal;
use crate::value::Value;

/// How string literals in a model are escaped.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Escapes {
    /// `\u{..}` only, as SMT-LIB has it since 2.6.
    #[default]
    Standard,
    /// Also `\x41`, `\n` and similar escapes, as older releases print them.
    Legacy,
}

/// Why a text is not a model.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct ModelError(pub String);

/// A model of a goal.
#[derive(Clone, Debug, Default)]
pub struct Model {
    /// The meaning of the script's symbols.
    pub interpretation: Interpretation,
    /// The elements of its sorts.
    pub domains: Domains,
    /// Symbols whose value could not be used, and why.
    pub flaws: Vec<(Symbol, String)>,
    /// Values that `get-value` gives to terms other than constants.
    pub claims: Vec<(Term, Term)>,
}

/// The truth of an assertion in a model.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Truth {
    /// True in the model.
    True,
    /// False in the model.
    False,
    /// Not decided.
    Unknown,
}

impl Truth {
    /// As in JSON.
    pub fn as_str(self) -> &'static str {
        match self {
            Truth::True => "true",
            Truth::False => "false",
            Truth::Unknown => "unknown",
        }
    }
}

/// The truth of one assertion.
#[derive(Clone, Debug)]
pub struct Judgement {
    /// Its truth in the model.
    pub verdict: Truth,
    /// The reason, if it is not decided.
    pub reason: Option<String>,
}

/// Whether a model satisfies a goal.
#[derive(Clone, Debug)]
pub struct Judgements {
    /// One for each assertion.
    pub assertions: Vec<Judgement>,
}

impl Judgements {
    /// True if all are, false if one is.
    pub fn verdict(&self) -> Truth {
        let any = |v| self.assertions.iter().any(|a| a.verdict == v);
        match (any(Truth::False), any(Truth::Unknown)) {
            (true, _) => Truth::False,
            (false, true) => Truth::Unknown,
            (false, false) => Truth::True,
        }
    }
}

/// Gives the names that `:named` gives their terms.
pub(crate) fn define_named(arena: &Arena, goal: &Goal, interpretation: &mut Interpretation) {
    for term in arena.subterms(goal.assertions.iter().copied()) {
        if let View::Annotated(v) = arena.view(term) {
            v.names().for_each(|name| interpretation.define(name, &[], arena.sort_of(term), v.term()));
        }
    }
}

impl Model {
    /// The model that has nothing but the goal's own definitions.
    pub fn empty(goal: &Goal) -> Model {
        Model {
            interpretation: Interpretation::of_script(&goal.context),
            domains: Domains::of_script(&goal.context),
            ..Model::default()
        }
    }

    /// Evaluates every assertion of a goal.
    pub fn check(&self, arena: &Arena, goal: &Goal) -> Judgements {
        self.check_within(arena, goal, Effort::default())
    }

    /// The same with other bounds.
    pub fn check_within(&self, arena: &Arena, goal: &Goal, effort: Effort) -> Judgements {
        if let Some(why) = goal.unsettled(arena) {
            let unknown = Judgement { verdict: Truth::Unknown, reason: Some(why) };
            return Judgements { assertions: vec![unknown; goal.assertions.len()] };
        }
        let reason = |u: Unknown| {
            let flawed = |f: &&(Symbol, String)| u == Unknown::NoValue(f.0);
            self.flaws.iter().find(flawed).map_or_else(|| u.describe(arena), |f| f.1.clone())
        };
        let judge = |&t: &Term| {
            let mut evaluator =
                Evaluator::new(arena, &self.interpretation, &self.domains).with_effort(effort);
            let (verdict, reason) = match evaluator.holds(t) {
                Ok(true) => (Truth::True, None),
                Ok(false) => (Truth::False, None),
                Err(u) => (Truth::Unknown, Some(reason(u))),
            };
            Judgement { verdict, reason }
        };
        Judgements { assertions: goal.assertions.iter().map(judge).collect() }
    }

    /// The value a constant has.
    pub fn value(&self, name: Symbol) -> Option<&Value> {
        match self.interpretation.meaning(name) {
            Some(Meaning::Value(v)) => Some(v),
            _ => None,
        }
    }
}
