//! Unsat cores. The assertions of a core and those without a name must be unsat together. To refute that, a solver
//! must find a model of them that our evaluator finds true, so there are two steps with a query in between.

use crate::{
    case_script::CaseScript,
    claim::{Claim, Reason},
    fingerprint,
    judge::SolverOutcome,
};
use smelt_core::{Evidence, FindingKind, Outcome, SolverId};
use smelt_semantics::model::Truth;
use smelt_smtlib::script::{Command, Script};
use smelt_smtlib::{Arena, Symbol, Term, View, sexpr};
use std::collections::BTreeSet;

/// A script for other solvers: if one finds a model of it, the core is wrong.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CoreQuestion {
    /// The solver that gave the core, by position among the outcomes.
    pub accused: usize,
    /// That solver's name.
    pub solver: SolverId,
    /// The `check-sat` that the core answers, counted from 0.
    pub check: usize,
    /// The names in the core.
    pub names: Vec<String>,
    /// The assertions of the core and those without a name, and one `check-sat`.
    pub script: Vec<u8>,
}

/// What a core shows without asking a solver.
pub(crate) enum CoreCheck {
    /// Nothing.
    Nothing,
    /// It has a name that the script does not have.
    UnknownName(String),
    /// A solver must be asked.
    Ask(CoreQuestion),
}

/// The name of an assertion.
pub(crate) fn name(arena: &Arena, assertion: Term) -> Option<Symbol> {
    match arena.view(assertion) {
        View::Annotated(annotated) => annotated.name(),
        _ => None,
    }
}

/// Whether a command is needed to read the assertions after it.
fn declares(command: &Command) -> bool {
    matches!(command, Command::SetLogic(_)) || !command.declared().is_empty()
}

/// Checks the core that one solver gave for one `check-sat`.
pub(crate) fn check_core(
    case: &CaseScript,
    by: &SolverOutcome<'_>,
    accused: usize,
    check: usize,
    core: &str,
) -> CoreCheck {
    let understood = case.not_understood().is_none() && case.altering_option().is_none();
    let Some(names) = core_names(core).filter(|_| understood) else {
        return CoreCheck::Nothing;
    };
    let arena = &case.arena;
    let known = known_names(case);
    if let Some(unknown) = names.iter().find(|n| !known.contains(n.as_bytes())) {
        return CoreCheck::UnknownName(unknown.clone());
    }
    let goal = case.goal(check);
    let in_core = |t: &Term| match name(arena, *t) {
        Some(name) => names.iter().any(|n| n.as_bytes() == arena.text(name)),
        None => true,
    };
    let kept: Vec<Term> = goal.assertions.iter().copied().filter(in_core).collect();
    if kept.len() == goal.assertions.len() {
        // Nothing was left out: this is the question itself.
        return CoreCheck::Nothing;
    }
    let mut commands: Vec<Command> = goal.context.commands.iter().filter(|c| declares(c)).cloned().collect();
    commands.extend(kept.into_iter().map(Command::Assert));
    commands.push(Command::CheckSat);
    let script = arena.display_script(&Script { commands, comments: Vec::new() });
    CoreCheck::Ask(CoreQuestion { accused, solver: by.solver.clone(), check, names, script })
}

/// The names in a core; `None` if it is not a list. An element that is not a name is an assumption, and these stay in
/// force.
pub fn core_names(core: &str) -> Option<Vec<String>> {
    let read = sexpr::read_all(core.as_bytes()).ok()?;
    let [list] = &read[..] else { return None };
    let list = list.list("a core").ok()?;
    Some(list.iter().filter_map(|e| e.atom("a name").ok().map(str::to_owned)).collect())
}

/// Every name that may be in a core: names of terms, and declared constants (assumptions).
fn known_names(case: &CaseScript) -> BTreeSet<&[u8]> {
    let arena = &case.arena;
    let commands = &case.script.commands;
    let declared = commands.iter().filter_map(|command| match command {
        Command::DeclareConst(name, _) | Command::DeclareFun(name, ..) | Command::DefineConst(name, ..) => {
            Some(*name)
        }
        Command::DefineFun(header, _) => Some(header.name),
        _ => None,
    });
    let terms = arena.subterms(commands.iter().flat_map(Command::terms));
    declared.chain(terms.filter_map(|t| name(arena, t))).map(|name| arena.text(name)).collect()
}

/// Judges a solver's outcome for a [`CoreQuestion`].
pub fn judge_core(question: &CoreQuestion, by: &SolverId, outcome: &Outcome) -> Option<Claim> {
    if !outcome.comparable {
        return None;
    }
    let [answer] = &outcome.answers[..] else { return None };
    let model = answer.model.as_deref().filter(|_| answer.error.is_none())?;
    let mut case = CaseScript::new(&question.script);
    if case.check_model(0, model).truth != Truth::True {
        return None;
    }
    let theory = case.theory();
    let kind = FindingKind::InvalidCore;
    Some(Claim {
        accused: vec![question.accused],
        solver: question.solver.clone(),
        check: Some(question.check),
        kind,
        evidence: Some(Evidence::Model),
        fingerprint: fingerprint::of_formula(question.solver.name(), kind, &theory, case.operators_hash(0)),
        theory,
        reason: Reason::CoreModel {
            names: question.names.clone(),
            solver: by.clone(),
            model: model.to_owned(),
        },
    })
}
