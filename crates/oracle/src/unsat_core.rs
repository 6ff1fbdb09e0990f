//! Checks unsat cores and unsat assumptions. The assertions of a core, together with those without a name, must be unsat, and so
//! must all assertions with the assumptions that a solver names. To refute that, a solver must find a model of them that smelt's
//! evaluator finds true. So there are two steps with a solver call in between.

use crate::question::{About, Question};
use crate::{case_script::CaseScript, judge::SolverOutcome};
use smelt_core::{Accused, Cause, Claim, Evidence, Kind, Outcome, Reason, SolverId};
use smelt_semantics::model::Truth;
use smelt_smtlib::script::{Command, Script};
use smelt_smtlib::sexpr::{self, Sexpr};
use smelt_smtlib::{Arena, Symbol, Term, View};
use std::collections::{BTreeSet, HashSet};

/// What a core shows without asking a solver.
pub(crate) enum CoreCheck {
    /// Nothing.
    Nothing,
    /// It has a name that the script does not have.
    UnknownName(String),
    /// A solver must be asked.
    Ask(Box<Question>),
}

/// The names of an assertion: solvers accept several.
pub(crate) fn names(arena: &Arena, assertion: Term) -> Vec<Symbol> {
    let mut names = Vec::new();
    let mut term = assertion;
    while let View::Annotated(annotated) = arena.view(term) {
        names.extend(annotated.names());
        term = annotated.term();
    }
    names
}

/// Whether a command is needed to read the assertions after it.
pub(crate) fn declares(command: &Command) -> bool {
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
    let understood = case.not_understood().is_none() && case.incomparable().is_none();
    let Some(elements) = read_core(core).filter(|_| understood) else {
        return CoreCheck::Nothing;
    };
    let arena = &case.arena;
    let goal = case.goal(check);
    // Assumptions stay in force, whether a core has them or not.
    let (assertions, assumptions) = goal.assertions.split_at(goal.assertions.len() - case.assumptions(check));
    let texts = |t: &Term| names(arena, *t).into_iter().map(|n| arena.text(n)).collect::<Vec<_>>();
    let mut in_core: HashSet<Term> =
        assertions.iter().copied().filter(|t| names(arena, *t).is_empty()).collect();
    let in_force: Vec<Term> = in_core.iter().chain(assumptions).copied().collect();
    for element in &elements {
        let atom = element.atom("a name").ok();
        let is = |t: &&Term| atom.is_some_and(|a| texts(t).contains(&a.as_bytes()));
        if let Some(named) = assertions.iter().find(is) {
            in_core.insert(*named);
            continue;
        }
        let assumed = assumptions.iter().any(|t| is(&t)) || is_literal_of(arena, &in_force, element);
        match atom {
            _ if assumed => {}
            Some("true" | "false") => {}
            Some(atom) if !known_names(case).contains(atom.as_bytes()) => {
                return CoreCheck::UnknownName(atom.to_owned());
            }
            // Some solvers can be told to write assertions out instead of naming them.
            _ => return CoreCheck::Nothing,
        }
    }
    let (kept, left_out): (Vec<Term>, Vec<Term>) =
        assertions.iter().copied().partition(|t| in_core.contains(t));
    let kept = [&kept[..], assumptions].concat();
    let commands: Vec<Command> = goal.context.commands.iter().filter(|c| declares(c)).cloned().collect();
    // If nothing was left out, this is the question itself; without its assertion, a name means nothing.
    let used = kept.iter().copied().chain(commands.iter().flat_map(Command::terms));
    if left_out.is_empty() || needs_names(arena, used, &left_out) {
        return CoreCheck::Nothing;
    }
    let names = kept.iter().flat_map(texts).map(|n| String::from_utf8_lossy(n).into_owned()).collect();
    CoreCheck::Ask(Box::new(asked_again(case, by, accused, check, (commands, kept, names))))
}

/// Checks the assumptions that one solver says are inconsistent with the assertions.
pub(crate) fn check_assumptions(
    case: &CaseScript,
    by: &SolverOutcome<'_>,
    accused: usize,
    check: usize,
    given: &str,
) -> CoreCheck {
    let understood = case.not_understood().is_none() && case.incomparable().is_none();
    let Some(elements) = read_core(given).filter(|_| understood) else { return CoreCheck::Nothing };
    let (arena, goal) = (&case.arena, case.goal(check));
    let (assertions, assumptions) = goal.assertions.split_at(goal.assertions.len() - case.assumptions(check));
    let mut kept: Vec<Term> = Vec::new();
    for element in &elements {
        let assumed = assumptions.iter().find(|t| is_literal_of(arena, std::slice::from_ref(*t), element));
        // Solvers may write an assumption in another way.
        let Some(assumed) = assumed else { return CoreCheck::Nothing };
        kept.push(*assumed);
    }
    let left_out: Vec<Term> = assumptions.iter().copied().filter(|t| !kept.contains(t)).collect();
    let commands: Vec<Command> = goal.context.commands.iter().filter(|c| declares(c)).cloned().collect();
    let names: Vec<String> = kept.iter().map(|t| arena.display_term(*t)).collect();
    let kept = [assertions, &kept[..]].concat();
    let used = kept.iter().copied().chain(commands.iter().flat_map(Command::terms));
    if left_out.is_empty() || needs_names(arena, used, &left_out) {
        return CoreCheck::Nothing;
    }
    CoreCheck::Ask(Box::new(asked_again(case, by, accused, check, (commands, kept, names))))
}

/// The question whether the part that a solver names is satisfiable: declarations, assertions, and names for people.
fn asked_again(
    case: &CaseScript,
    by: &SolverOutcome<'_>,
    accused: usize,
    check: usize,
    (mut commands, kept, names): (Vec<Command>, Vec<Term>, Vec<String>),
) -> Question {
    commands.extend(kept.into_iter().map(Command::Assert));
    commands.push(Command::CheckSat);
    let script = case.arena.display_script(&Script { commands, comments: Vec::new() });
    Question { accused, solver: by.solver.clone(), check, script, about: About::Core(names) }
}

/// Whether some terms use a name that only others give.
pub(crate) fn needs_names(arena: &Arena, terms: impl Iterator<Item = Term>, others: &[Term]) -> bool {
    let (mut given, mut used) = (BTreeSet::new(), BTreeSet::new());
    for t in arena.subterms(terms) {
        match arena.view(t) {
            View::Annotated(v) => given.extend(v.names()),
            View::App(fun, []) => drop(used.insert(arena.fun_view(fun).name)),
            _ => {}
        }
    }
    let all = arena.subterms(others.iter().copied()).flat_map(|t| names(arena, t));
    all.into_iter().any(|name| used.contains(&name) && !given.contains(&name))
}

/// The elements of a core; `None` if it is not a list.
fn read_core(core: &str) -> Option<Vec<Sexpr>> {
    let read = sexpr::read_all(core.as_bytes()).ok()?;
    let [list] = &read[..] else { return None };
    Some(list.list("a core").ok()?.to_vec())
}

/// The names in a core; `None` if it is not a list.
pub fn core_names(core: &str) -> Option<Vec<String>> {
    let elements = read_core(core)?;
    Some(elements.iter().filter_map(|e| e.atom("a name").ok().map(str::to_owned)).collect())
}

/// Whether an element of a core is one of the literals that stay in force: assumptions, and assertions without a name.
fn is_literal_of(arena: &Arena, in_force: &[Term], element: &Sexpr) -> bool {
    let Some(wanted) = literal(element) else { return false };
    in_force
        .iter()
        .filter_map(|t| sexpr::read_all(arena.display_term(bare(arena, *t)).as_bytes()).ok())
        .any(|read| matches!(&read[..], [one] if literal(one).as_ref() == Some(&wanted)))
}

/// A term without its annotations.
pub(crate) fn bare(arena: &Arena, term: Term) -> Term {
    let mut term = term;
    while let View::Annotated(annotated) = arena.view(term) {
        term = annotated.term();
    }
    term
}

/// A name or its negation: the name, and whether it is negated.
fn literal(s: &Sexpr) -> Option<(String, bool)> {
    if let Ok(atom) = s.atom("a name") {
        return Some((atom.to_owned(), false));
    }
    match s.list("a negation").ok()? {
        [not, atom] if not.atom("not") == Ok("not") => Some((atom.atom("a name").ok()?.to_owned(), true)),
        _ => None,
    }
}

/// Every name that may be in a core: names of terms, and declared constants (assumptions).
fn known_names(case: &CaseScript) -> BTreeSet<&[u8]> {
    let arena = &case.arena;
    let commands = &case.script.commands;
    let declared = commands.iter().flat_map(Command::declared);
    let terms = arena.subterms(commands.iter().flat_map(Command::terms));
    declared.chain(terms.flat_map(|t| names(arena, t))).map(|name| arena.text(name)).collect()
}

/// Judges a solver's outcome for a question about a core.
pub(crate) fn judge_core(
    question: &Question,
    names: &[String],
    by: &SolverId,
    outcome: &Outcome,
) -> Option<Claim> {
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
    Some(Claim {
        query: Some(question.check),
        kind: Kind::InvalidCore,
        accused: vec![Accused { position: question.accused, solver: question.solver.clone() }],
        evidence: Some(Evidence::Model),
        cause: Cause::Unreduced(case.operators_hash(0)),
        theory,
        reason: Reason::CoreModel { names: names.to_vec(), solver: by.clone(), model: model.to_owned() },
    })
}
