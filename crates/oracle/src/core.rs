//! Unsat cores. A core with what is not named must be unsat by itself; whether it is, a solver must say, and only a
//! model that our evaluator finds true on all of it counts. So there are two steps with a query in between.

use crate::{
    charge::{Charge, Reason},
    fingerprint,
    judge::Testimony,
    reading::Reading,
};
use smelt_core::{Evidence, FindingKind, Outcome, SolverId};
use smelt_semantics::model::Truth;
use smelt_smtlib::script::{Command, Script};
use smelt_smtlib::{Arena, Symbol, Term, View, sexpr};
use std::collections::BTreeSet;

/// A script to ask other solvers, with models: if one has a model of it, the core is wrong.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CoreQuestion {
    /// Whose core it is, by position among the testimonies.
    pub accused: usize,
    /// That solver.
    pub solver: SolverId,
    /// Which `check-sat` it is about.
    pub check: usize,
    /// The names in the core.
    pub names: Vec<String>,
    /// The assertions of the core and those without a name, as a script that asks once.
    pub script: Vec<u8>,
}

/// What there is to say about a core at once.
pub(crate) enum FirstLook {
    /// Nothing can be said.
    Pass,
    /// It has a name that the script does not.
    Stranger(String),
    /// It must be asked about.
    Ask(CoreQuestion),
}

/// The name of an assertion.
pub(crate) fn name(arena: &Arena, assertion: Term) -> Option<Symbol> {
    match arena.view(assertion) {
        View::Annotated(annotated) => annotated.name(),
        _ => None,
    }
}

pub(crate) fn look(
    reading: &Reading,
    by: &Testimony<'_>,
    accused: usize,
    check: usize,
    core: &str,
) -> FirstLook {
    let Some(names) = core_names(core).filter(|_| reading.opaque().is_none() && reading.altered().is_none())
    else {
        return FirstLook::Pass;
    };
    let arena = &reading.arena;
    let known = known(reading);
    if let Some(stranger) = names.iter().find(|n| !known.contains(n.as_bytes())) {
        return FirstLook::Stranger(stranger.clone());
    }
    let goal = reading.goal(check);
    let in_core = |t: &Term| match name(arena, *t) {
        Some(name) => names.iter().any(|n| n.as_bytes() == arena.text(name)),
        None => true,
    };
    let kept: Vec<Term> = goal.assertions.iter().copied().filter(in_core).collect();
    if kept.len() == goal.assertions.len() {
        // Nothing was left out: this is the question itself.
        return FirstLook::Pass;
    }
    let declares = |c: &&Command| {
        matches!(
            c,
            Command::SetLogic(_)
                | Command::DeclareConst(..)
                | Command::DeclareDatatypes(..)
                | Command::DeclareFun(..)
                | Command::DeclareSort(..)
                | Command::DeclareSortParameter(_)
                | Command::DefineConst(..)
                | Command::DefineFun(..)
                | Command::DefineFunRec(..)
                | Command::DefineFunsRec(_)
                | Command::DefineSort(..)
        )
    };
    let mut commands: Vec<Command> = goal.context.commands.iter().filter(declares).cloned().collect();
    commands.extend(kept.into_iter().map(Command::Assert));
    commands.push(Command::CheckSat);
    let script = arena.display_script(&Script { commands, comments: Vec::new() });
    FirstLook::Ask(CoreQuestion { accused, solver: by.solver.clone(), check, names, script })
}

/// The names in a core; `None` if it is no list. What is no name is an assumption, and these stay in force.
pub fn core_names(core: &str) -> Option<Vec<String>> {
    let read = sexpr::read_all(core.as_bytes()).ok()?;
    let [list] = &read[..] else { return None };
    let list = list.list("a core").ok()?;
    Some(list.iter().filter_map(|e| e.atom("a name").ok().map(str::to_owned)).collect())
}

/// Every name that a core could rightly hold: those given to terms, and declared constants (assumptions).
fn known(reading: &Reading) -> BTreeSet<&[u8]> {
    let arena = &reading.arena;
    let mut known = BTreeSet::new();
    let mut work: Vec<Term> = Vec::new();
    for command in &reading.script.commands {
        match command {
            Command::DeclareConst(name, _) | Command::DeclareFun(name, _, _) => {
                known.insert(arena.text(*name));
            }
            Command::DefineConst(name, ..) => {
                known.insert(arena.text(*name));
            }
            Command::DefineFun(header, _) => {
                known.insert(arena.text(header.name));
            }
            _ => {}
        }
        work.extend(command.terms());
    }
    let mut seen = BTreeSet::new();
    while let Some(term) = work.pop() {
        if seen.insert(term) {
            known.extend(name(arena, term).map(|n| arena.text(n)));
            work.extend(arena.children(term));
        }
    }
    known
}

/// Judges what a solver said to a [`CoreQuestion`].
pub fn judge_core(question: &CoreQuestion, by: &SolverId, outcome: &Outcome) -> Option<Charge> {
    if !outcome.comparable {
        return None;
    }
    let [answer] = &outcome.answers[..] else { return None };
    let model = answer.model.as_deref().filter(|_| answer.error.is_none())?;
    let mut reading = Reading::new(&question.script);
    if reading.examine(0, model).truth != Truth::True {
        return None;
    }
    let theory = reading.theory();
    let kind = FindingKind::InvalidCore;
    Some(Charge {
        accused: vec![question.accused],
        solver: question.solver.clone(),
        check: Some(question.check),
        kind,
        evidence: Some(Evidence::Model),
        fingerprint: fingerprint::of_formula(question.solver.name(), kind, &theory, reading.shape(0)),
        theory,
        reason: Reason::CoreModel {
            names: question.names.clone(),
            solver: by.clone(),
            model: model.to_owned(),
        },
    })
}
