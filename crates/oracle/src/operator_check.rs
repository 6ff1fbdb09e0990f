//! Tests of single operators: a wrong answer is often due to one operator with a wrong value.
//!
//! A model fixes the arguments of every operator in a formula. For each application of an operator to these values there
//! are two queries without variables, whose answers follow from the standard. A solver that answers one of them wrongly
//! gets this operator wrong, whatever the rest of the formula is.

use smelt_core::Verdict;
use smelt_semantics::Value;
use smelt_semantics::eval::{Domains, Evaluator};
use smelt_semantics::goal::Goal;
use smelt_semantics::model::{Model, print_value};
use smelt_smtlib::script::Command;
use smelt_smtlib::{Arena, Sort, Term, View, parse_script, sym};
use std::collections::{HashMap, HashSet};

use crate::case_script::CaseScript;

/// Values with a longer text than this are skipped.
const LONGEST: usize = 400;
/// At most this many applications are tested.
const MOST: usize = 40;

/// An application of an operator to values, and its own value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OperatorCheck {
    /// The operator by its name of the current releases; equality and `ite` of sorts other than Bool with the sort.
    pub operator: String,
    /// The application.
    pub application: String,
    /// Its value.
    pub value: String,
    /// Scripts, each with its right answer.
    pub questions: [(Vec<u8>, Verdict); 2],
}

impl CaseScript {
    /// The applications in the question of one `check-sat`, with the arguments that a model gives them; inner ones
    /// first.
    pub fn operator_checks(&mut self, check: usize, model: &str) -> Vec<OperatorCheck> {
        let logic = self.script.logic().map(|l| self.arena.name(l).into_owned());
        let head = logic.map(|l| format!("(set-logic {l})\n")).unwrap_or_default();
        let list = self.with_model(check, model, |case, goal, model| {
            operator_checks(&mut case.arena, head, goal, model)
        });
        list.unwrap_or_default()
    }
}

fn operator_checks(arena: &mut Arena, mut head: String, goal: &Goal, model: &Model) -> Vec<OperatorCheck> {
    for command in &goal.context.commands {
        if matches!(command, Command::DeclareDatatypes(..) | Command::DeclareSort(..)) {
            let script = smelt_smtlib::Script { commands: vec![command.clone()], comments: Vec::new() };
            head.push_str(&String::from_utf8_lossy(&arena.display_script(&script)));
        }
    }
    let mut seen = HashSet::new();
    applications(arena, &goal.assertions)
        .into_iter()
        .filter_map(|term| operator_check(arena, &head, term, model))
        .filter(|s| seen.insert(s.application.clone()))
        .take(MOST)
        .collect()
}

/// Applications of operators without free variables, children first.
fn applications(arena: &Arena, assertions: &[Term]) -> Vec<Term> {
    let mut closed: HashMap<Term, bool> = HashMap::new();
    let mut list = Vec::new();
    let mut work: Vec<(Term, bool)> = assertions.iter().rev().map(|t| (*t, false)).collect();
    while let Some((term, ready)) = work.pop() {
        if closed.contains_key(&term) {
            continue;
        }
        if matches!(arena.view(term), View::Binder(_) | View::Match(_)) {
            closed.insert(term, false);
            continue;
        }
        if !ready {
            work.push((term, true));
            work.extend(arena.children(term).iter().rev().map(|t| (*t, false)));
            continue;
        }
        let children = arena.children(term);
        let own = !matches!(arena.view(term), View::Var(_) | View::Let(_));
        let whole = own && children.iter().all(|c| closed[c]);
        closed.insert(term, whole);
        if whole && !children.is_empty() && arena.op(term).is_some() {
            list.push(term);
        }
    }
    list
}

fn operator_check(arena: &mut Arena, head: &str, term: Term, model: &Model) -> Option<OperatorCheck> {
    if arena.canonical(arena.sort_of(term)) == arena.sort(sym::REGLAN, &[]) {
        return None;
    }
    let children = arena.children(term).to_vec();
    let mut values = Vec::new();
    for child in &children {
        let value = Evaluator::new(arena, &model.interpretation, &model.domains).eval(*child).ok()?;
        values.push(printed(arena, &model.domains, &value, arena.sort_of(*child))?);
    }
    // The application as it is printed, with marks for the arguments.
    let marks: Vec<String> = (0..children.len()).map(|i| format!("smelt!{i}!")).collect();
    let places: Vec<Term> = marks
        .iter()
        .zip(&children)
        .map(|(mark, child)| {
            let (name, sort) = (arena.symbol(mark.as_bytes()), arena.sort_of(*child));
            arena.var(name, sort)
        })
        .collect();
    let shape = arena.with_children(term, &places);
    let mut application = arena.display_term(shape);
    for (mark, value) in marks.iter().zip(&values) {
        application = application.replacen(mark, value, 1);
    }
    let value = value_of(head, &application)?;
    let row = arena.signatures().row(arena.op(term)?);
    let mut operator = arena.name(row.name).into_owned();
    if matches!(operator.as_str(), "=" | "ite") {
        let sort = arena.canonical(arena.sort_of(*children.last()?));
        let kind = arena.name(arena.sort_view(sort).head);
        if kind != "Bool" {
            operator = format!("{operator}:{kind}");
        }
    }
    let question = |text: String| format!("{head}(assert {text})\n(check-sat)\n").into_bytes();
    let equation = format!("(= {application} {value})");
    let questions =
        [(question(format!("(not {equation})")), Verdict::Unsat), (question(equation), Verdict::Sat)];
    Some(OperatorCheck { operator, application, value, questions })
}

/// The value of an application to values, if the standard determines it.
fn value_of(head: &str, application: &str) -> Option<String> {
    let text = format!("{head}(assert (= {application} {application}))");
    let mut arena = Arena::new();
    let parsed = parse_script(&mut arena, text.as_bytes()).ok().filter(|p| p.diagnostics.is_empty())?;
    let term = *arena.children(parsed.script.assertions().next()?).first()?;
    let goal = Goal::last(&parsed.script);
    let model = Model::empty(&goal);
    let value = Evaluator::new(&arena, &model.interpretation, &model.domains).eval(term).ok()?;
    let sort = arena.sort_of(term);
    printed(&mut arena, &model.domains, &value, sort)
}

fn printed(arena: &mut Arena, domains: &Domains, value: &Value, sort: Sort) -> Option<String> {
    let mut text = Vec::new();
    print_value(arena, domains, value, sort, &mut text).ok()?;
    let text = String::from_utf8(text).ok()?;
    (text.len() <= LONGEST).then_some(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn facts(script: &str, model: &str) -> Vec<String> {
        let mut case = CaseScript::new(script.as_bytes());
        let list = case.operator_checks(0, model);
        list.into_iter().map(|s| format!("{}: {} is {}", s.operator, s.application, s.value)).collect()
    }

    #[test]
    fn applications_get_the_arguments_of_the_model_inner_ones_first() {
        let script = "(declare-const x (_ BitVec 8))(assert (bvult (bvudiv x #x00) x))(check-sat)";
        assert_eq!(
            facts(script, "((define-fun x () (_ BitVec 8) #x05))"),
            ["bvudiv: (bvudiv #x05 #x00) is #xff", "bvult: (bvult #xff #x05) is false"]
        );
    }

    #[test]
    fn what_the_standard_leaves_open_is_no_suspect() {
        let script = "(declare-const x Int)(assert (= (div x 0) 7))(check-sat)";
        let model = "((define-fun x () Int 3) (define-fun div0 ((a Int)) Int 7))";
        assert!(!facts(script, model).iter().any(|f| f.starts_with("div")), "{:?}", facts(script, model));
    }

    #[test]
    fn heads_with_indices_and_sorts_are_kept() {
        let script = "(declare-const x (_ BitVec 4))(declare-const a (Array Int Int))\
                      (assert (= ((_ sign_extend 4) x) #xff))(assert (= (store a 1 2) a))(check-sat)";
        let model = "((define-fun x () (_ BitVec 4) #xf)\
                     (define-fun a () (Array Int Int) ((as const (Array Int Int)) 0)))";
        let facts = facts(script, model);
        assert!(facts.contains(&"sign_extend: ((_ sign_extend 4) #xf) is #xff".to_owned()), "{facts:?}");
        assert!(facts.iter().any(|f| f.starts_with("=:Array: ")), "{facts:?}");
    }

    #[test]
    fn nothing_under_a_quantifier_is_taken_apart() {
        let script = "(assert (forall ((x Int)) (> (abs x) 0)))(check-sat)";
        assert!(facts(script, "()").is_empty());
    }
}
