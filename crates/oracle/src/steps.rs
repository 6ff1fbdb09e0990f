//! Explains why an assertion is true or false in a model, by the values of its sub-terms.

use smelt_semantics::Evaluator;
use smelt_semantics::eval::{Effort, Step};
use smelt_semantics::model::print_value;

use crate::CaseScript;

/// A sub-term of an assertion, and its value in a model.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ValueStep {
    /// How deep inside the assertion it is; the assertion itself has 0.
    pub depth: usize,
    /// The variable that a `let` gives this value to.
    pub name: Option<String>,
    /// The sub-term, shortened.
    pub term: String,
    /// Its value, shortened; or why it is not known, if `known` is false.
    pub value: String,
    /// Whether the value is known.
    pub known: bool,
}

/// Longer terms and values are shortened, in characters.
const LONGEST: usize = 160;
/// The effort for the sub-terms of one assertion.
const EFFORT: Effort = Effort { steps: 2_000_000, assignments: 10_000, depth: 500 };

impl CaseScript {
    /// The sub-terms of one assertion of a `check-sat` with their values in a model, from the outside in; at most `most`.
    pub fn value_steps(
        &mut self,
        check: usize,
        model: &str,
        assertion: usize,
        most: usize,
    ) -> Vec<ValueStep> {
        let steps = self.with_model(check, model, |case, goal, model| {
            let Some(&term) = goal.assertions.get(assertion) else { return Vec::new() };
            let mut evaluator =
                Evaluator::new(&case.arena, &model.interpretation, &model.domains).with_effort(EFFORT);
            let steps = evaluator.explain(term, most);
            let shown = |step: Step| {
                let sort = case.arena.sort_of(step.term);
                let (value, known) = match &step.value {
                    Err(why) => (why.describe(&case.arena), false),
                    Ok(value) => {
                        let mut text = Vec::new();
                        match print_value(&mut case.arena, &model.domains, value, sort, &mut text) {
                            Ok(()) => (String::from_utf8_lossy(&text).into_owned(), true),
                            Err(why) => (why.to_string(), false),
                        }
                    }
                };
                let name = step.name.map(|n| String::from_utf8_lossy(case.arena.text(n)).into_owned());
                let term = shortened(case.arena.display_term(step.term));
                ValueStep { depth: step.depth, name, term, value: shortened(value), known }
            };
            // A term that is its own value explains nothing.
            steps.into_iter().map(shown).filter(|s| s.depth == 0 || s.term != s.value).collect()
        });
        steps.unwrap_or_default()
    }
}

/// The start of a long text.
pub(crate) fn shortened(text: String) -> String {
    match text.char_indices().nth(LONGEST) {
        Some((end, _)) => format!("{}..", &text[..end]),
        None => text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SCRIPT: &str = "(declare-const x Int)(declare-const a (Array Int Int))
        (assert (let ((y (+ x 1))) (and (> y 2) (= (select a y) (* y y)))))(check-sat)";
    const MODEL: &str =
        "((define-fun x () Int 2)(define-fun a () (Array Int Int) ((as const (Array Int Int)) 5)))";

    #[test]
    fn each_sub_term_has_its_value() {
        let mut case = CaseScript::new(SCRIPT.as_bytes());
        let steps = case.value_steps(0, MODEL, 0, 100);
        let value = |term: &str| {
            let found = steps.iter().find(|s| s.term == term);
            found.map(|s| s.value.clone()).unwrap_or_else(|| panic!("{term} in {steps:?}"))
        };
        assert_eq!(steps[0].value, "false");
        assert_eq!(value("(> y 2)"), "true");
        assert_eq!(value("(* y y)"), "9");
        assert_eq!(value("(select a y)"), "5");
        assert_eq!(value("x"), "2");
        assert!(
            steps.iter().any(|s| s.name.as_deref() == Some("y") && s.term == "(+ x 1)" && s.value == "3")
        );
        assert!(steps.iter().all(|s| s.term != "1"), "a literal is its own value");
    }

    #[test]
    fn many_and_deep_sub_terms_are_bounded() {
        let deep = format!("(assert {}true{})(check-sat)", "(not ".repeat(50_000), ")".repeat(50_000));
        assert!(CaseScript::new(deep.as_bytes()).value_steps(0, "()", 0, 100).len() <= 100);
        let wide = format!("(assert (and {}))(check-sat)", "(= 1 1) ".repeat(5_000));
        let steps = CaseScript::new(wide.as_bytes()).value_steps(0, "()", 0, 100);
        assert_eq!(steps.len(), 100);
        assert!(steps[0].term.len() < 200);
        assert!(CaseScript::new(b"(assert true)(check-sat)").value_steps(0, "()", 7, 100).is_empty());
    }
}
