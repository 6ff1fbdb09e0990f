//! The built-in reference solver: it never gives a wrong answer, and gives none rather than a guess.
//!
//! A goal is split into conjuncts ([`conjuncts`]). Equations and units fix constants ([`propagate`]). The rest is
//! decided by backtracking over values ([`search`]), pruned by three-valued evaluation. If every sort is finite and
//! small, the search is complete. Otherwise it tries interesting values ([`candidates`]), and ranges refute or
//! solve goals about floats only ([`boxes`]).
//!
//! The answer is `sat` only with a model in which every original assertion evaluates to true, and `unsat` only
//! after propagation or a complete search. Results that the standard leaves open, and functions without a
//! definition, are choices of the search like constants: when evaluation reaches one, every allowed value is tried.
//! If nothing can be decided about a goal, because a name is ambiguous or a recursive definition may not terminate,
//! the answer is unknown.
//!
//! [`Session`] wraps it as an SMT-LIB process, fed with bytes; [`fault`] plants known faults.

mod boxes;
mod candidates;
mod conjuncts;
mod core;
mod eliminate;
pub mod fault;
mod faulty;
mod interpolate;
mod optimise;
mod proof;
mod propagate;
mod reader;
mod search;
mod session;
mod simplify;
mod state;
mod symbols;

use smelt_smtlib::{Arena, Sort};

pub use fault::Fault;
pub use reader::Reader;
pub use session::{Mishap, Session, Settings, Step};

use crate::eval::{Meaning, Operators};
use crate::goal::Goal;
use crate::model::{Model, declared};
use crate::value::Function;
use search::{Decision, Search};
use state::State;
use symbols::Symbols;

/// The effort for one goal. There is no clock here, so that the answer is the same on every machine: callers that need an
/// answer in time ends the process.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Operator evaluations, and other work of about the same time.
    pub steps: u64,
}

impl Default for Limits {
    fn default() -> Self {
        Limits { steps: 60_000_000 }
    }
}

/// The solver's answer to a goal.
#[derive(Clone, Debug)]
pub enum Answer {
    /// There is a model, and here it is.
    Sat(Box<Model>),
    /// There is no model.
    Unsat,
    /// Not decided, for this reason.
    Unknown(String),
}

impl Answer {
    /// The word that solvers print.
    pub fn as_str(&self) -> &'static str {
        match self {
            Answer::Sat(_) => "sat",
            Answer::Unsat => "unsat",
            Answer::Unknown(_) => "unknown",
        }
    }
}

/// Decides a goal.
pub fn solve(arena: &mut Arena, goal: &Goal, limits: Limits) -> Answer {
    solve_with(arena, goal, &mut limits.steps.clone(), None)
}

/// Decides a goal under a semantics that may have a fault, and takes what it costs from the steps that are left.
pub(crate) fn solve_with(
    arena: &mut Arena,
    goal: &Goal,
    steps: &mut u64,
    operators: Option<&Operators>,
) -> Answer {
    let mut state = State::new(goal, operators, *steps);
    let answer = decide(arena, goal, &mut state);
    *steps = state.steps;
    answer
}

fn decide(arena: &mut Arena, goal: &Goal, state: &mut State<'_>) -> Answer {
    if let Some(why) = goal.unsettled(arena) {
        return Answer::Unknown(why);
    }
    let mut symbols = Symbols::of_goal(arena, goal);
    state.charge(goal.context.commands.len() + goal.assertions.len());
    for name in symbols.functions() {
        state.interpretation.assign(name, Meaning::Table(Function::unknown().into()));
    }
    let conjuncts = conjuncts::split(arena, &state.interpretation, &goal.assertions);
    let Some(conjuncts) = propagate::propagate(arena, state, &mut symbols, conjuncts) else {
        return Answer::Unsat;
    };
    let is_right = state.operators.is_none();
    // From here on uninterpreted sorts have finitely many elements, which can change the answer of some goals.
    let bounded = symbols.bound_sorts(arena, goal, state);
    let mut search = Search::new(arena, goal, state, &mut symbols, conjuncts);
    let mut decision = search.run(false);
    // Ranges know the right meaning of operators only.
    if matches!(decision, Decision::Unknown(_)) && is_right {
        decision = search.boxes().unwrap_or(decision);
    }
    if matches!(decision, Decision::Unknown(_)) {
        decision = search.run(true);
    }
    match decision {
        Decision::Sat => match complete_model(arena, goal, state) {
            Ok(model) => Answer::Sat(Box::new(model)),
            Err(reason) => Answer::Unknown(reason),
        },
        Decision::Unsat if bounded => {
            Answer::Unknown("a sort may have more elements than were tried".to_owned())
        }
        Decision::Unsat => Answer::Unsat,
        Decision::Unknown(reason) => Answer::Unknown(reason),
    }
}

/// Gives everything declared a value, and evaluates the original assertions once more.
fn complete_model(arena: &Arena, goal: &Goal, state: &mut State<'_>) -> Result<Model, String> {
    let declared = declared(goal);
    let default = |state: &State<'_>, sort: Sort| {
        let value = state.domains.default_value(arena, sort);
        value.ok_or_else(|| format!("no value of sort {} is known", arena.display_sort(sort)))
    };
    // Constants first: definitions from equations may depend on constants that nothing else constrains.
    for (name, args, sort) in &declared {
        if args.is_empty() && state.interpretation.meaning(*name).is_none() {
            let value = default(state, *sort)?;
            state.interpretation.assign(*name, Meaning::Value(value));
        }
    }
    let mut choices: Vec<_> =
        state.interpretation.choices().into_iter().map(|(p, v)| (p.clone(), v.clone())).collect();
    for (name, args, sort) in &declared {
        if args.is_empty() {
            continue;
        }
        let default = default(state, *sort)?;
        let mine = choices.iter().filter(|(p, _)| p.name == *name && p.sort == Sort::UNKNOWN);
        let function = Function::new(default, mine.map(|(p, v)| (p.args.clone(), v.clone())));
        state.interpretation.assign(*name, Meaning::Table(function.into()));
    }
    choices.retain(|(p, _)| p.sort == Sort::UNKNOWN);
    for (point, _) in &choices {
        state.interpretation.unchoose(point);
    }
    for (name, args, _) in &declared {
        if args.is_empty() && matches!(state.interpretation.meaning(*name), Some(Meaning::Definition { .. }))
        {
            let value = state.call(arena, *name).map_err(|u| u.describe(arena))?;
            state.interpretation.assign(*name, Meaning::Value(value));
        }
    }
    for &assertion in &goal.assertions {
        match state.holds(arena, assertion).0 {
            Ok(true) => {}
            Ok(false) => return Err("the model found does not satisfy an assertion".to_owned()),
            Err(u) => return Err(u.describe(arena)),
        }
    }
    Ok(Model {
        interpretation: state.interpretation.clone(),
        domains: state.domains.clone(),
        ..Model::default()
    })
}
