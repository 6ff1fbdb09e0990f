//! Optima of the built-in solver: improves a model as long as possible.
//!
//! A value is reported as the optimum only if everything better is `unsat`; otherwise the result is an interval.

use smelt_smtlib::script::Direction;
use smelt_smtlib::{Arena, Parser, Scope, Sort, Term};

use super::{Answer, solve_with};
use crate::Rational;
use crate::eval::{Evaluator, Operators};
use crate::goal::Goal;
use crate::model::Model;
use crate::optimum::{Bound, Measure, Objective, Priority, number};

/// At most this many better models are searched for, so that the search ends on an unbounded objective.
const IMPROVEMENTS: usize = 300;

/// What is wrong with optima under a planted fault.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Slip {
    /// Objectives in a box, except the first, keep the value of the model of the first.
    BoxKeepsFirstModel,
    /// Later objectives in lexicographic order have their optima without the earlier ones.
    ForgetsEarlier,
}

/// The state of an optimisation.
pub(super) struct Optimiser<'a> {
    pub(super) arena: &'a mut Arena,
    pub(super) scope: &'a Scope,
    pub(super) numerals: Sort,
    pub(super) operators: Option<&'a Operators>,
    pub(super) steps: u64,
    pub(super) slip: Option<Slip>,
}

/// What is known of one objective.
struct Found {
    model: Box<Model>,
    best: Option<Rational>,
    is_optimal: bool,
}

impl Optimiser<'_> {
    /// The optima of all objectives as z3 prints them, and the model that is shown.
    pub(super) fn run(
        &mut self,
        goal: &Goal,
        first: Box<Model>,
        priority: Priority,
        objectives: &[Objective],
    ) -> (Box<Model>, String) {
        let mut text = "(objectives\n".to_owned();
        let mut shown: Option<Box<Model>> = None;
        let mut inside = goal.clone();
        let mut model = first;
        for objective in objectives {
            let forgets = self.slip == Some(Slip::ForgetsEarlier) && priority == Priority::Lexicographic;
            let keeps = self.slip == Some(Slip::BoxKeepsFirstModel) && priority == Priority::Box;
            let found = match priority {
                Priority::Box if keeps && shown.is_some() => self.value_in(&model, objective),
                Priority::Box => self.best(goal, model.clone(), objective),
                Priority::Lexicographic if forgets && shown.is_some() => {
                    self.best(goal, model.clone(), objective)
                }
                _ => self.best(&inside, model.clone(), objective),
            };
            let value = found.best.as_ref().map_or_else(
                || "(interval (* (- 1) oo) oo)".to_owned(),
                |best| {
                    let literal = printed(objective.measure, best);
                    match (found.is_optimal, objective.direction) {
                        (true, _) => literal,
                        (false, Direction::Up) => format!("(interval {literal} oo)"),
                        (false, Direction::Down) => format!("(interval (* (- 1) oo) {literal})"),
                    }
                },
            );
            text += &format!(" ({} {value})\n", objective.term);
            if let (Some(best), true) = (&found.best, priority != Priority::Box) {
                let same = objective.at_least(best).and_then(|same| self.term(&same));
                inside.assertions.extend(same);
            }
            let is_kept = forgets && shown.is_some();
            if priority != Priority::Box && !is_kept || shown.is_none() {
                shown = Some(found.model.clone());
                model = found.model;
            }
        }
        (shown.unwrap_or(model), text + ")\n")
    }

    /// The best value of an objective, from a model on.
    fn best(&mut self, goal: &Goal, model: Box<Model>, objective: &Objective) -> Found {
        let mut found = self.value_in(&model, objective);
        found.is_optimal = false;
        for _ in 0..IMPROVEMENTS {
            let Some(best) = found.best.clone() else { break };
            let better = objective.better(&Bound::Exact(best)).and_then(|better| self.term(&better));
            let Some(better) = better else { break };
            let mut more = goal.clone();
            more.assertions.push(better);
            match solve_with(self.arena, &more, &mut self.steps, self.operators) {
                Answer::Sat(model) => found = Found { is_optimal: false, ..self.value_in(&model, objective) },
                Answer::Unsat => {
                    found.is_optimal = true;
                    break;
                }
                Answer::Unknown(_) => break,
            }
        }
        found
    }

    /// The value of an objective in a model.
    fn value_in(&mut self, model: &Model, objective: &Objective) -> Found {
        let term = self.term(&objective.term);
        let value = term.and_then(|term| {
            let evaluator = Evaluator::new(self.arena, &model.interpretation, &model.domains);
            number(&evaluator.with_operators(self.operators).eval(term).ok()?)
        });
        Found { model: Box::new(model.clone()), best: value, is_optimal: true }
    }

    fn term(&mut self, text: &str) -> Option<Term> {
        let parser = Parser::new(self.arena, self.scope.clone(), text.as_bytes()).ok()?;
        let mut parser = parser.with_numeral_sort(self.numerals);
        let term = parser.next_term().ok()?;
        parser.take_diagnostics().is_empty().then_some(term)
    }
}

/// A number as z3 prints it among objectives: a bit-vector as its unsigned number.
fn printed(measure: Measure, number: &Rational) -> String {
    match measure {
        Measure::Bits(_) => number.numerator().to_string(),
        other => other.literal(number).unwrap_or_else(|| number.to_smtlib()),
    }
}
