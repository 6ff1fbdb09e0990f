//! Evaluation step by step: the values of a term and of its sub-terms.

use smelt_smtlib::{Symbol, Term, View};

use super::{Evaluated, Evaluator};

/// A sub-term with its value.
#[derive(Clone, Debug)]
pub struct Step {
    /// How deep inside the whole term it is.
    pub depth: usize,
    /// The variable that a `let` gives its value to.
    pub name: Option<Symbol>,
    /// The sub-term.
    pub term: Term,
    /// Its value.
    pub value: Evaluated,
}

/// Sub-terms deeper than this are left out.
const DEEPEST: usize = 30;

impl Evaluator<'_> {
    /// A term and its sub-terms with their values, from the outside in: at most `most` of them. Literals are left out, and
    /// what is inside of quantifiers and cases of a `match`: it has no single value.
    pub fn explain(&mut self, term: Term, most: usize) -> Vec<Step> {
        let mut steps = Vec::new();
        self.step(term, None, 0, most, &mut steps);
        steps
    }

    fn step(&mut self, term: Term, name: Option<Symbol>, depth: usize, most: usize, steps: &mut Vec<Step>) {
        let view = self.arena.view(term);
        if let View::Annotated(v) = view {
            return self.step(v.term(), name, depth, most, steps);
        }
        let is_literal = matches!(view, View::Literal(..)) && name.is_none();
        if is_literal || steps.len() >= most || depth > DEEPEST || self.steps > self.effort.steps {
            return;
        }
        let value = self.eval(term);
        steps.push(Step { depth, name, term, value });
        match view {
            View::App(_, args) | View::Apply(args) => {
                for &arg in args {
                    self.step(arg, None, depth + 1, most, steps);
                }
            }
            View::Let(v) => {
                let bindings: Vec<(Symbol, Term)> = v.bindings().collect();
                let mut values = Vec::new();
                for &(name, bound) in &bindings {
                    self.step(bound, Some(name), depth + 1, most, steps);
                    values.push((name, self.eval(bound)));
                }
                let mark = self.locals.len();
                self.locals.extend(values);
                self.step(v.body(), None, depth + 1, most, steps);
                self.locals.truncate(mark);
            }
            View::Match(v) => self.step(v.scrutinee(), None, depth + 1, most, steps),
            View::Binder(_) | View::Var(_) | View::Literal(..) | View::Annotated(_) => {}
        }
    }
}
