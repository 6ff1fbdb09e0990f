//! The state that evaluations share, between changes of the assignment.

use smelt_smtlib::{Arena, Symbol, Term};

use crate::eval::{Domains, Effort, Evaluated, Evaluator, Interpretation, Operators, Point, Unknown};
use crate::goal::Goal;
use crate::regex::Languages;

/// No evaluation may take more steps than this.
const STEPS_AT_ONCE: u64 = 2_000_000;

pub(super) struct State<'a> {
    pub(super) interpretation: Interpretation,
    pub(super) domains: Domains,
    pub(super) operators: Option<&'a Operators>,
    languages: Languages,
    /// Steps that are left.
    pub(super) steps: u64,
}

impl<'a> State<'a> {
    pub(super) fn new(goal: &Goal, operators: Option<&'a Operators>, steps: u64) -> Self {
        State {
            interpretation: Interpretation::of_script(&goal.context),
            domains: Domains::of_script(&goal.context),
            operators,
            languages: Languages::new(),
            steps,
        }
    }

    fn with<T>(&mut self, arena: &Arena, f: impl FnOnce(&mut Evaluator<'_>) -> T) -> (T, Option<Point>) {
        let languages = std::mem::take(&mut self.languages);
        let effort = Effort { steps: self.steps.clamp(1_000, STEPS_AT_ONCE), ..Effort::default() };
        let mut evaluator = Evaluator::new(arena, &self.interpretation, &self.domains)
            .with_languages(languages)
            .with_effort(effort)
            .with_operators(self.operators);
        let result = f(&mut evaluator);
        // Making an evaluator costs about this many steps.
        self.steps = self.steps.saturating_sub(evaluator.steps() + 3);
        let (languages, open) = evaluator.finish();
        self.languages = languages;
        (result, open)
    }

    /// The value of a term.
    pub(super) fn eval(&mut self, arena: &Arena, term: Term) -> Evaluated {
        self.with(arena, |e| e.eval(term)).0
    }

    /// The truth of a term, and the first place without a value that evaluation met.
    pub(super) fn holds(&mut self, arena: &Arena, term: Term) -> (Result<bool, Unknown>, Option<Point>) {
        self.with(arena, |e| e.holds(term))
    }

    /// The value of a constant.
    pub(super) fn call(&mut self, arena: &Arena, name: Symbol) -> Evaluated {
        self.with(arena, |e| e.call(name, Vec::new())).0
    }

    /// Whether the effort is spent.
    pub(super) fn spent(&self) -> bool {
        self.steps == 0
    }

    /// Counts steps of work outside of evaluation.
    pub(super) fn charge(&mut self, steps: usize) {
        self.steps = self.steps.saturating_sub(steps as u64);
    }

    /// Some word of a regular language, if one is found.
    pub(super) fn word(&mut self, regex: &crate::Regex) -> Option<crate::Str> {
        self.languages.allow(self.steps.min(STEPS_AT_ONCE));
        let language = self.languages.language(regex);
        let word = language.and_then(|l| self.languages.member(l));
        self.steps = self.steps.saturating_sub(self.languages.take_work());
        word.ok()?
    }
}
