//! `(simplify t)` and `(apply simplify)`: replace constant sub-terms by their values, and change nothing else.

use std::collections::{HashMap, HashSet};

use smelt_smtlib::rewrite::rewrite_term;
use smelt_smtlib::script::{Command, Script};
use smelt_smtlib::{Arena, Parser, Scope, Sort, Term, View, sym};

use super::fault::Rule;
use crate::eval::{Domains, Effort, Evaluator, Interpretation};
use crate::model::print_value;

/// Reads terms in a scope.
fn read_terms(
    arena: &mut Arena,
    scope: &mut Scope,
    numeral_sort: Sort,
    text: &[u8],
) -> Result<Box<[Term]>, String> {
    let command = [b"(get-value (", text, b"))"].concat();
    // An error here takes the scope with it: a piece of a command that was read has none.
    let parser = Parser::new(arena, std::mem::take(scope), &command).map_err(|e| e.message.clone())?;
    let mut parser = parser.with_numeral_sort(numeral_sort);
    let command = parser.next_command();
    let flaws = parser.take_diagnostics();
    *scope = parser.into_scope();
    match (command.map_err(|e| e.message.clone())?, flaws.into_iter().next()) {
        (_, Some(flaw)) => Err(flaw.message),
        (Some(Command::GetValue(terms)), None) => Ok(terms),
        _ => Err("expected terms".to_owned()),
    }
}

/// Replaces constant sub-terms by their values.
pub(super) struct Simplifier<'a> {
    scope: &'a mut Scope,
    numeral_sort: Sort,
    interpretation: Interpretation,
    domains: Domains,
    rule: Option<Rule>,
    /// The steps that are left for evaluation.
    steps: u64,
    /// Terms that are values.
    values: HashSet<Term>,
    done: HashMap<Term, Term>,
}

impl<'a> Simplifier<'a> {
    /// A simplifier of terms over the declarations and definitions of `context`, with a planted rule.
    pub(super) fn new(
        context: &Script,
        scope: &'a mut Scope,
        numeral_sort: Sort,
        rule: Option<Rule>,
        steps: u64,
    ) -> Self {
        Simplifier {
            scope,
            numeral_sort,
            interpretation: Interpretation::of_script(context),
            domains: Domains::of_script(context),
            rule,
            steps,
            values: HashSet::new(),
            done: HashMap::new(),
        }
    }

    /// The simplified term.
    pub(super) fn term(&mut self, arena: &mut Arena, term: Term) -> Term {
        let mut done = std::mem::take(&mut self.done);
        let new = rewrite_term(arena, term, &mut done, |arena, t| self.fold(arena, t));
        self.done = done;
        new
    }

    /// The value of a term all of whose children are values.
    fn fold(&mut self, arena: &mut Arena, term: Term) -> Term {
        match arena.view(term) {
            View::Literal(..) => drop(self.values.insert(term)),
            View::App(_, args) if args.iter().all(|a| self.values.contains(a)) => {
                if let Some(value) = self.value(arena, term) {
                    self.values.insert(value);
                    return value;
                }
            }
            _ => {}
        }
        self.rule.and_then(|rule| rule(arena, term)).unwrap_or(term)
    }

    fn value(&mut self, arena: &mut Arena, term: Term) -> Option<Term> {
        let effort = Effort { steps: self.steps, ..Effort::default() };
        let mut evaluator = Evaluator::new(arena, &self.interpretation, &self.domains).with_effort(effort);
        let value = evaluator.eval(term);
        self.steps = self.steps.saturating_sub(evaluator.steps());
        let sort = arena.sort_of(term);
        let mut text = Vec::new();
        print_value(arena, &self.domains, &value.ok()?, sort, &mut text).ok()?;
        match read_terms(arena, self.scope, self.numeral_sort, &text).as_deref() {
            Ok(&[value]) if arena.sort_of(value) == sort => Some(value),
            _ => None,
        }
    }

    /// The conjuncts of assertions, simplified, without those that are true; one that is false stands for all.
    pub(super) fn goal(&mut self, arena: &mut Arena, assertions: &[Term]) -> Vec<Term> {
        let mut formulas: Vec<Term> = Vec::new();
        let mut work: Vec<Term> = assertions.iter().rev().map(|&a| self.term(arena, a)).collect();
        while let Some(t) = work.pop() {
            match arena.view(t) {
                View::Annotated(v) => work.push(v.term()),
                View::App(fun, args) => match (arena.fun_view(fun).name, arena.fun_view(fun).op) {
                    (sym::AND, Some(_)) => work.extend(args.iter().rev()),
                    (sym::TRUE, Some(_)) => {}
                    (sym::FALSE, Some(_)) => return vec![t],
                    _ => formulas.push(t),
                },
                _ => formulas.push(t),
            }
        }
        formulas
    }
}
