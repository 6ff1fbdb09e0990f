//! Small optimisation problems without seeds: bounded constants, a few constraints, and related objectives, so that
//! wrong optima contradict each other or can be refuted by searching a small space.
//!
//! The objectives of one script are related: the same term negated, doubled or shifted, or in the other direction;
//! soft assertions that repeat constraints; a constraint that follows from a bound. In a box, the order of
//! objectives does not matter.

use smelt_core::Expectation;

use crate::options::{OptionError, OptionRow, OptionText, Words};
use crate::pool::Pool;
use crate::registry::{Needs, Row};
use crate::rng::Rng;
use crate::small::{FLAG, Kind, SORTS, Small};
use crate::strategy::{CaseRequest, Draft, Skip, Strategy};

/// The row of the registry.
pub(crate) const ROW: Row = Row {
    name: "optimize",
    aliases: &["optimise"],
    about: "small optimisation problems: related objectives and soft assertions, in order, in a box, on a front",
    needs: Needs::Nothing,
    options: &[
        OptionRow::text("over", "ints, reals, bits, mixed", "mixed", "the sorts of constants"),
        OptionRow::text("priority", "any, lex, box, pareto", "any", "how objectives are put together"),
        OptionRow::text("constants", "1 to 8", "3", "how many constants of each sort at most"),
    ],
    ways: || SORTS.iter().map(|(word, _)| format!("over={word}")).collect(),
    make: |o| Ok(Box::new(Optimize::new(o)?)),
};

const PRIORITIES: &[&str] = &["any", "lex", "box", "pareto"];
/// Constants of each sort, unless an option says so.
const CONSTANTS: u32 = 3;
/// How deep terms are at most.
const DEPTH: u32 = 3;
/// One constant in this many has no bounds: most optima are finite.
const UNBOUNDED: usize = 10;

/// The strategy `optimize`.
#[derive(Debug)]
pub(crate) struct Optimize {
    over: usize,
    priority: usize,
    constants: u32,
}

impl Optimize {
    fn new(options: &OptionText) -> Result<Optimize, OptionError> {
        let words = |all: &[&'static str]| -> Vec<(&'static str, usize)> {
            all.iter().enumerate().map(|(i, word)| (*word, i)).collect()
        };
        let sorts: Vec<&str> = SORTS.iter().map(|s| s.0).collect();
        Ok(Optimize {
            over: options.choice("over", SORTS.len() - 1, &words(&sorts))?,
            priority: options.choice("priority", 0, &words(PRIORITIES))?,
            constants: options.within("constants", CONSTANTS, 1..=8)?,
        })
    }
}

impl Strategy for Optimize {
    fn name(&self) -> &'static str {
        ROW.name
    }

    fn options(&self) -> String {
        let words = Words::default().add("over", SORTS[self.over].0);
        words
            .add_if(self.priority != 0, "priority", PRIORITIES[self.priority])
            .add_if(self.constants != CONSTANTS, "constants", self.constants)
            .text()
    }

    fn next(&mut self, pool: &mut Pool, request: &CaseRequest<'_>, draft: &mut Draft) -> Result<(), Skip> {
        draft.clear();
        draft.header(pool, ROW.name, &self.options(), request.number);
        let mut rng = Rng::new(request.number);
        let priority = match self.priority {
            // Both common orders, and now and then a front.
            0 => *rng.pick(&["lex", "lex", "lex", "box", "box", "box", "pareto"]).unwrap_or(&"lex"),
            set => PRIORITIES[set],
        };
        let small = Small { rng: &mut rng, constants: Vec::new() };
        let mut problem = Problem { small, text: String::new() };
        problem.declare(SORTS[self.over].1, self.constants as usize);
        problem.constrain();
        problem.aim();
        let set = if priority == "lex" {
            String::new()
        } else {
            format!("(set-option :opt.priority {priority})\n")
        };
        draft.text.extend_from_slice(set.as_bytes());
        draft.text.extend_from_slice(problem.text.as_bytes());
        draft.text.extend_from_slice(b"(check-sat)\n(get-objectives)\n");
        draft.expectation = Expectation::Open;
        draft.category = priority.to_owned();
        draft.log.extend_from_slice(format!("optimise in order {priority}\n").as_bytes());
        Ok(())
    }
}

/// A problem that is being written.
struct Problem<'a> {
    small: Small<'a>,
    text: String,
}

impl Problem<'_> {
    fn line(&mut self, line: &str) {
        self.text.push_str(line);
        self.text.push('\n');
    }

    /// Declares constants, most with bounds.
    fn declare(&mut self, kinds: &[Kind], most: usize) {
        self.small.choose(kinds, most);
        self.line(&format!("(declare-const {FLAG} Bool)"));
        for (name, kind) in self.small.constants.clone() {
            self.line(&format!("(declare-const {name} {})", kind.sort()));
            if !self.small.rng.one_in(UNBOUNDED) {
                for bound in self.small.bounds(&name, kind) {
                    self.line(&format!("(assert {bound})"));
                }
            }
        }
    }

    fn constrain(&mut self) {
        for _ in 0..1 + self.small.rng.below(4) {
            let formula = self.small.formula(2);
            self.line(&format!("(assert {formula})"));
        }
    }

    /// Objectives, some of them related, and soft assertions.
    fn aim(&mut self) {
        let mut lines = Vec::new();
        for _ in 0..1 + self.small.rng.below(2) {
            let Some((_, kind)) = self.small.rng.pick(&self.small.constants).cloned() else { continue };
            let term = self.small.term(kind, DEPTH - 1);
            let up = self.small.rng.one_in(2);
            lines.push(objective(up, &term));
            let shift = self.small.literal(kind);
            match (self.small.rng.below(6), kind) {
                (0, Kind::Int | Kind::Real) => lines.push(objective(!up, &format!("(- {term})"))),
                (0, Kind::Bits(_)) => lines.push(objective(!up, &format!("(bvnot {term})"))),
                (1, Kind::Int | Kind::Real) => {
                    let two = if kind == Kind::Int { "2" } else { "2.0" };
                    lines.push(objective(up, &format!("(* {two} {term})")));
                }
                (2, Kind::Int | Kind::Real) => lines.push(objective(up, &format!("(+ {term} {shift})"))),
                (2 | 3, _) => lines.push(objective(!up, &term)),
                _ => {}
            }
        }
        for _ in 0..self.small.rng.below(4) {
            let formula = self.small.formula(1);
            let weight =
                *self.small.rng.pick(&["", " :weight 2", " :weight 0.5", " :weight 3"]).unwrap_or(&"");
            let id = *self.small.rng.pick(&["", "", " :id g", " :id h"]).unwrap_or(&"");
            lines.push(format!("(assert-soft {formula}{weight}{id})"));
        }
        self.small.rng.shuffle(&mut lines);
        for line in lines {
            self.line(&line);
        }
    }
}

fn objective(up: bool, term: &str) -> String {
    format!("({} {term})", if up { "maximize" } else { "minimize" })
}

#[cfg(test)]
mod tests {
    use super::*;
    use smelt_smtlib::{Arena, parse_script};

    #[test]
    fn every_problem_is_well_sorted_and_has_an_objective() {
        let mut pool = Pool::new();
        for way in (ROW.ways)() {
            let mut strategy = ROW.make(&ROW.read(&way).unwrap()).unwrap();
            let mut draft = Draft::default();
            for number in 0..200 {
                strategy.next(&mut pool, &CaseRequest { seeds: &[], number }, &mut draft).unwrap();
                let mut arena = Arena::new();
                let parsed = parse_script(&mut arena, &draft.text).unwrap();
                let text = String::from_utf8_lossy(&draft.text);
                assert!(parsed.diagnostics.is_empty(), "{text}{:?}", parsed.diagnostics);
                assert!(parsed.script.commands.iter().any(|c| c.is_objective()), "{text}");
            }
        }
    }
}
