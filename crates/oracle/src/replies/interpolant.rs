//! Checks interpolants. A contradiction has two parts. An interpolant of them has only symbols that both parts have,
//! the first part implies it, and the second part contradicts it. A sequence of interpolants is also inductive. The
//! evaluator decides at an assignment. The built-in solver searches for it first, and other solvers run only if it finds none.
//!
//! Two commands ask for interpolants. In cvc5's, the first part is all assertions, and the second one is the negation of a
//! conjecture. In bitwuzla's, each list of names moves some more assertions from the second part to the first.

use smelt_core::{
    Accused, Asked, Cause, Claim, Evidence, InterpolantFlaw, Kind, Outcome, Reason, Reply, Verdict,
};
use smelt_semantics::exhaust::exhaust;
use smelt_semantics::goal::Goal;
use smelt_semantics::model::Model;
use smelt_smtlib::script::Command;
use smelt_smtlib::sexpr::{Sexpr, read_all};
use smelt_smtlib::{Arena, Symbol, Term, View, parse_script};
use std::collections::{BTreeSet, HashMap, HashSet};

use super::search::{Found, declarations, found, holding, only_asks, question};
use super::{Open, Wrong, assignment, settled};
use crate::case_script::CaseScript;
use crate::judge::SolverOutcome;
use crate::question::{About, Question};
use crate::steps::shortened;
use crate::unsat_core::{bare, names, needs_names};

/// The step limit of the search for an assignment: a failed search must cost less than a short solver call.
const STEPS: u64 = 100_000;

/// At most this many assignments are evaluated to show that there is no model.
const MAX_ASSIGNMENTS: usize = 1 << 12;

/// What must not be possible if the interpolants of one reply are right.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Separation {
    ways: Vec<Way>,
    cause: Cause,
    theory: String,
}

/// One way in which an interpolant can be refuted.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Way {
    interpolant: String,
    /// What holds then.
    condition: String,
    broken: Law,
}

/// What holds of an interpolant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Law {
    Implied,
    Contradictory,
    Inductive,
}

impl Way {
    fn reason(&self, assignment: String) -> Reason {
        let flaw = match self.broken {
            Law::Implied => InterpolantFlaw::NotImplied { assignment },
            Law::Contradictory => InterpolantFlaw::NotContradictory { assignment },
            Law::Inductive => InterpolantFlaw::NotInductive { assignment },
        };
        Reason::Interpolant { interpolant: shortened(self.interpolant.clone()), flaw }
    }
}

/// The two parts of a contradiction, as formulas.
struct Parts {
    first: Vec<String>,
    second: Vec<String>,
    /// The symbols that both have.
    shared: BTreeSet<Vec<u8>>,
}

/// Interpolants with what they were made for.
struct Sequence {
    check: usize,
    goal: Goal,
    /// The parts of each interpolant.
    parts: Vec<Parts>,
    /// What each list of names has moved, from the second on.
    steps: Vec<Vec<String>>,
    interpolants: Vec<String>,
}

/// The wrong interpolants of one solver, and questions about others.
pub(super) fn check(script: &mut CaseScript, by: &SolverOutcome<'_>) -> (Vec<Wrong>, Vec<Open>) {
    let (mut wrong, mut open) = (Vec::new(), Vec::new());
    for reply in &by.outcome.replies {
        let read = match reply.to {
            Asked::Interpolant | Asked::NextInterpolant => conjectured(script, reply),
            Asked::Interpolants => partitioned(script, by.outcome, reply),
            _ => None,
        };
        let Some(sequence) = read else { continue };
        let cause = Cause::Unreduced(script.operators_hash(sequence.check));
        let check = Some(sequence.check);
        let mut add = |reason, evidence| {
            let (kind, cause) = (Kind::InvalidInterpolant, cause.clone());
            wrong.push(Wrong { kind, check, evidence, reason, cause });
        };
        match private(script, &sequence) {
            Private::Unreadable => continue,
            Private::Shown(reason) => {
                add(reason, None);
                continue;
            }
            Private::Nothing => {}
        }
        let ways = sequence.ways();
        let conditions: Vec<&str> = ways.iter().map(|w| w.condition.as_str()).collect();
        let text = question(&declarations(script, &sequence.goal), &conditions);
        let mut case = CaseScript::new(&text);
        match found(&mut case, STEPS) {
            Found::Model(goal, model) => {
                if let Some(reason) = refuted(&mut case, &goal, &settled(&goal, &model), &ways) {
                    add(reason, Some(Evidence::Model));
                }
            }
            Found::Nothing => {}
            Found::Undecided if is_exhausted(&case) => {}
            Found::Undecided => {
                let about = About::Interpolant(Separation { ways, cause, theory: script.theory() });
                open.push(Open { check: sequence.check, script: text, about });
            }
        }
    }
    (wrong, open)
}

impl Sequence {
    /// The ways in which its interpolants can be refuted.
    fn ways(&self) -> Vec<Way> {
        let mut ways = Vec::new();
        for (i, interpolant) in self.interpolants.iter().enumerate() {
            let mut add = |condition, broken| {
                ways.push(Way { interpolant: interpolant.clone(), condition, broken });
            };
            let (first, second) = (all(&self.parts[i].first), all(&self.parts[i].second));
            add(format!("(and {first} (not {interpolant}))"), Law::Implied);
            add(format!("(and {second} {interpolant})"), Law::Contradictory);
            if let Some(before) = i.checked_sub(1) {
                let (before, step) = (&self.interpolants[before], all(&self.steps[before]));
                add(format!("(and {before} {step} (not {interpolant}))"), Law::Inductive);
            }
        }
        ways
    }
}

/// Whether no assignment of a small space is a model.
fn is_exhausted(case: &CaseScript) -> bool {
    exhaust(&case.arena, &case.goal(0), MAX_ASSIGNMENTS).is_some_and(|e| !e.is_sat)
}

/// A conjunction.
fn all(formulas: &[String]) -> String {
    format!("(and true {})", formulas.join(" "))
}

/// The first flaw that a model shows.
fn refuted(case: &mut CaseScript, goal: &Goal, model: &Model, ways: &[Way]) -> Option<Reason> {
    let way = &ways[holding(case, goal, model, ways.iter().map(|w| w.condition.as_str()))?];
    Some(way.reason(assignment(&mut case.arena, goal, model)?))
}

/// A reply to cvc5's query for an interpolant of the assertions and a conjecture.
fn conjectured(script: &CaseScript, reply: &Reply) -> Option<Sequence> {
    let (position, command) = script.query(reply.to, reply.index)?;
    let commands = &script.script.commands;
    let is_first =
        |c: &&Command| matches!(c, Command::Other(n, _) if script.arena.text(*n) == b"get-interpolant");
    // Another one is for the conjecture before it, if nothing changed since.
    let (at, asked) = match reply.to {
        Asked::NextInterpolant => {
            let at = commands[..position].iter().rposition(|c| is_first(&c))?;
            (at, &commands[at])
        }
        _ => (position, command),
    };
    if !only_asks(script, &commands[at..position]) {
        return None;
    }
    let Command::Other(_, text) = asked else { return None };
    let text = std::str::from_utf8(script.arena.text(*text)).ok()?;
    let read = read_all(text.as_bytes()).ok()?;
    // With a grammar, it is another question.
    let [_, _, conjecture] = read.first()?.list("a command").ok()? else { return None };
    let conjecture = text.get(conjecture.offset..text.len() - 1)?.trim();
    let definition = read_all(reply.text.as_bytes()).ok()?;
    let (head, parts) = definition.first()?.part("a definition").ok()?;
    let [_, arguments, _, body] = parts else { return None };
    if head != "define-fun" || !arguments.list("arguments").ok()?.is_empty() {
        return None;
    }
    let interpolant = reply.text.get(body.offset..reply.text.trim_end().len() - 1)?.trim();
    let goal = script.goal_before(position);
    let (mut arena, context) = (Arena::new(), declarations(script, &goal));
    let whole = [&context[..], format!("(assert {conjecture})").as_bytes()].concat();
    let parsed = parse_script(&mut arena, &whole).ok().filter(|p| p.diagnostics.is_empty())?;
    let second: Vec<Term> = parsed.script.assertions().collect();
    let symbols = Symbols::of(&arena, &parsed.script.commands).used(&arena, &second);
    let own = Symbols::of(&script.arena, &goal.context.commands).used(&script.arena, &goal.assertions);
    let parts = Parts {
        first: texts(script, &goal.assertions, &[])?,
        second: vec![format!("(not {conjecture})")],
        shared: own.intersection(&symbols).cloned().collect(),
    };
    let check = script.check_before(position).unwrap_or(0);
    let interpolants = vec![interpolant.to_owned()];
    Some(Sequence { check, goal, parts: vec![parts], steps: Vec::new(), interpolants })
}

/// A reply to bitwuzla's query for a sequence of interpolants.
fn partitioned(script: &CaseScript, outcome: &Outcome, reply: &Reply) -> Option<Sequence> {
    let (position, command) = script.query(reply.to, reply.index)?;
    let check = script.check_before(position)?;
    let answer = outcome.answers.get(check)?;
    let start = script.check_position(check)?;
    let is_plain = only_asks(script, &script.script.commands[start + 1..position]);
    let is_unsat = answer.verdict == Some(Verdict::Unsat) && answer.error.is_none();
    if !is_plain || !is_unsat || script.assumptions(check) > 0 {
        return None;
    }
    let Command::Other(_, text) = command else { return None };
    let read = read_all(script.arena.text(*text)).ok()?;
    let [_, lists @ ..] = read.first()?.list("a command").ok()? else { return None };
    let goal = script.goal(check);
    let named = |name: &str| {
        let is = |t: &&Term| {
            names(&script.arena, **t).into_iter().any(|n| script.arena.name(n) == name.trim_matches('|'))
        };
        let mut found = goal.assertions.iter().filter(is);
        found.next().copied().filter(|_| found.next().is_none())
    };
    let moved = |list: &Sexpr| -> Option<Vec<Term>> {
        list.list("names").ok()?.iter().map(|n| named(n.atom("a name").ok()?)).collect()
    };
    let moved: Vec<Vec<Term>> = lists.iter().map(moved).collect::<Option<_>>()?;
    let interpolants = elements(&reply.text).filter(|all| !all.is_empty() && all.len() == moved.len())?;
    let symbols = Symbols::of(&script.arena, &goal.context.commands);
    let parts = |i: usize| {
        let is_first = |t: &Term| moved[..=i].iter().flatten().any(|m| m == t);
        let (first, second): (Vec<Term>, Vec<Term>) = goal.assertions.iter().partition(|t| is_first(t));
        let used = symbols.used(&script.arena, &first);
        let shared = used.intersection(&symbols.used(&script.arena, &second)).cloned().collect();
        let (first, second) = (texts(script, &first, &second)?, texts(script, &second, &first)?);
        Some(Parts { first, second, shared })
    };
    let parts = (0..moved.len()).map(parts).collect::<Option<_>>()?;
    let steps =
        moved[1..].iter().map(|terms| texts(script, terms, &goal.assertions)).collect::<Option<_>>()?;
    Some(Sequence { check, goal, parts, steps, interpolants })
}

/// The texts of some assertions; `None` if they use a name that only another assertion gives.
fn texts(script: &CaseScript, terms: &[Term], others: &[Term]) -> Option<Vec<String>> {
    let arena = &script.arena;
    let others: Vec<Term> = others.iter().copied().filter(|t| !terms.contains(t)).collect();
    let needs = needs_names(arena, terms.iter().copied(), &others);
    (!needs).then(|| terms.iter().map(|t| arena.display_term(bare(arena, *t))).collect())
}

/// The terms of a reply in parentheses.
fn elements(reply: &str) -> Option<Vec<String>> {
    let read = read_all(reply.as_bytes()).ok()?;
    let [list] = &read[..] else { return None };
    let starts: Vec<usize> = list.list("a reply").ok()?.iter().map(|e| e.offset).collect();
    let end = reply.trim_end().len() - 1;
    let ends = starts.iter().skip(1).copied().chain([end]);
    starts.iter().zip(ends).map(|(start, end)| Some(reply.get(*start..end)?.trim().to_owned())).collect()
}

/// Whether an interpolant has a symbol that the two parts do not share.
enum Private {
    Nothing,
    Shown(Reason),
    /// An interpolant has symbols of the solver.
    Unreadable,
}

fn private(script: &CaseScript, sequence: &Sequence) -> Private {
    let context = declarations(script, &sequence.goal);
    for (interpolant, parts) in sequence.interpolants.iter().zip(&sequence.parts) {
        let mut arena = Arena::new();
        let text = [&context[..], format!("(assert {interpolant})").as_bytes()].concat();
        let parsed = parse_script(&mut arena, &text).ok().filter(|p| p.diagnostics.is_empty());
        let Some(parsed) = parsed else { return Private::Unreadable };
        let terms: Vec<Term> = parsed.script.assertions().collect();
        let used = Symbols::of(&arena, &parsed.script.commands).used(&arena, &terms);
        if let Some(symbol) = used.difference(&parts.shared).next() {
            let symbol = String::from_utf8_lossy(symbol).into_owned();
            let (interpolant, flaw) = (shortened(interpolant.clone()), InterpolantFlaw::Private { symbol });
            return Private::Shown(Reason::Interpolant { interpolant, flaw });
        }
    }
    Private::Nothing
}

/// The declared symbols of a script, and the terms that its definitions and names stand for.
struct Symbols {
    declared: HashSet<Symbol>,
    defined: HashMap<Symbol, Vec<Term>>,
}

impl Symbols {
    fn of(arena: &Arena, commands: &[Command]) -> Symbols {
        let mut symbols = Symbols { declared: HashSet::new(), defined: HashMap::new() };
        for command in commands {
            match command {
                Command::DeclareConst(name, _) | Command::DeclareFun(name, ..) => {
                    symbols.declared.insert(*name);
                }
                Command::DefineConst(name, _, body) => symbols.defined.entry(*name).or_default().push(*body),
                _ => {}
            }
            for (header, body) in command.definitions() {
                symbols.defined.entry(header.name).or_default().push(body);
            }
        }
        for term in arena.subterms(commands.iter().flat_map(Command::terms)) {
            for name in names(arena, term) {
                symbols.defined.entry(name).or_default().push(term);
            }
        }
        symbols
    }

    /// The names of declared symbols in some terms, also below definitions.
    fn used(&self, arena: &Arena, terms: &[Term]) -> BTreeSet<Vec<u8>> {
        let (mut used, mut entered) = (BTreeSet::new(), HashSet::new());
        let mut work = terms.to_vec();
        while !work.is_empty() {
            let mut more = Vec::new();
            for term in arena.subterms(work.iter().copied()) {
                let View::App(fun, _) = arena.view(term) else { continue };
                let name = arena.fun_view(fun).name;
                if self.declared.contains(&name) {
                    used.insert(arena.text(name).to_vec());
                }
                if let Some(bodies) = self.defined.get(&name).filter(|_| entered.insert(name)) {
                    more.extend(bodies);
                }
            }
            work = more;
        }
        used
    }
}

/// Judges a solver's answer to a question about interpolants.
pub(crate) fn judge_separation(
    question: &Question,
    separation: &Separation,
    outcome: &Outcome,
) -> Option<Claim> {
    let [answer] = &outcome.answers[..] else { return None };
    let model = answer.model.as_deref().filter(|_| outcome.comparable && answer.error.is_none())?;
    let mut case = CaseScript::new(&question.script);
    if case.not_understood().is_some() {
        return None;
    }
    let reason = case
        .with_model(0, model, |case, goal, model| refuted(case, goal, model, &separation.ways))
        .ok()??;
    Some(Claim {
        query: Some(question.check),
        kind: Kind::InvalidInterpolant,
        accused: vec![Accused { position: question.accused, solver: question.solver.clone() }],
        evidence: Some(Evidence::Model),
        theory: separation.theory.clone(),
        cause: separation.cause.clone(),
        reason,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use smelt_core::{Answer, OutcomeKind, SolverId};

    fn reasons(script: &str, to: Asked, reply: &str) -> Vec<String> {
        let replies = vec![Reply { to, index: 0, text: reply.to_owned() }];
        let answer = Answer { verdict: Some(Verdict::Unsat), ..Answer::default() };
        let outcome = Outcome { answers: vec![answer], replies, ..Outcome::bare(OutcomeKind::Unsat, "") };
        let solver = SolverId::new("s", None);
        let by = SolverOutcome { solver: &solver, family: "s", outcome: &outcome, seed: None };
        let (wrong, open) = check(&mut CaseScript::new(script.as_bytes()), &by);
        assert!(open.is_empty());
        wrong.iter().map(|w| w.reason.to_string()).collect()
    }

    const DECLARED: &str = "(declare-const a (_ BitVec 2))(declare-const s (_ BitVec 2))(declare-const b (_ BitVec 2))(declare-const p Bool)(define-fun below () Bool (bvult a s))";

    #[test]
    fn a_sequence_has_shared_symbols_only_is_implied_contradictory_and_inductive() {
        let script = format!(
            "{DECLARED}(assert (! below :named n1))(assert (! (bvult s b) :named n2))(assert (bvult b a))(check-sat)(get-interpolants (n1) (n2))"
        );
        for (reply, flaw) in [
            ("(\n(bvult a s)\n(bvult a b)\n)", ""),
            ("(below (bvult a b))", ""),
            ("((let ((_l0 (bvult a s))) _l0) (not (bvule b a)))", ""),
            // `a` and `s` are in both parts, then `a` and `b`.
            ("((bvult a s) (bvult a s))", "`s` does not occur in both parts"),
            ("((bvult a s) (and p (bvult a b)))", "`p` does not occur in both parts"),
            ("((bvult a s) (bvult b a))", "it is false although the first part is true, at"),
            ("((bvult a s) (distinct a b))", "it is true although the second part is true, at"),
            ("((distinct a s) (bvult a b))", ", at a = "),
            // What is not a reply to the query, or cannot be read.
            ("((bvult a s))", ""),
            ("((bvult a s) (bvult a @k))", ""),
            ("()", ""),
        ] {
            let found = reasons(&script, Asked::Interpolants, reply);
            assert_eq!(found.is_empty(), flaw.is_empty(), "{reply} {found:?}");
            assert!(found.iter().all(|f| f.contains(flaw)), "{reply} {found:?}");
        }
    }

    #[test]
    fn an_interpolant_of_a_sequence_follows_from_the_one_before() {
        let script = format!(
            "{DECLARED}(assert (! (and p (= s #b01)) :named n1))(assert (! (= s b) :named n2))(assert (and (= b #b10) (not p)))(check-sat)(get-interpolants (n1) (n2))"
        );
        for (reply, is_wrong) in [
            ("(p p)", false),
            ("((= s #b01) (= b #b01))", false),
            ("((= s #b01) p)", true),
            ("(p (= b #b01))", true),
        ] {
            let found = reasons(&script, Asked::Interpolants, reply);
            assert_eq!(
                found.iter().any(|f| f.contains("the interpolant before it")),
                is_wrong,
                "{reply} {found:?}"
            );
        }
    }

    #[test]
    fn an_interpolant_of_a_conjecture_is_between_the_assertions_and_the_conjecture() {
        let script = format!(
            "{DECLARED}(assert (bvult a s))(assert (bvult s b))(get-interpolant I (or p (distinct a b)))"
        );
        for (body, flaw) in [
            ("(bvult a b)", ""),
            ("(distinct a b)", ""),
            ("(or p (bvult a b))", "`p` does not occur"),
            ("(bvult a s)", "`s` does not occur"),
            ("(bvule a b)", "second part"),
            ("(bvult b a)", "first part"),
        ] {
            let found = reasons(&script, Asked::Interpolant, &format!("(define-fun I () Bool {body})"));
            assert_eq!(found.is_empty(), flaw.is_empty(), "{body} {found:?}");
            assert!(found.iter().all(|f| f.contains(flaw)), "{body} {found:?}");
        }
        assert!(reasons(&script, Asked::Interpolant, "fail").is_empty());
    }
}
