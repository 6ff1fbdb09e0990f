//! Incompleteness: `unknown` although an answer was expected, and scripts for which `unknown` is expected.

use smelt_core::{Accused, Cause, Claim, Kind, Reason, SolverId, Verdict};

use crate::case_script::CaseScript;
use crate::facts::{facts, lists};
use crate::theory::has_feature;

/// The solver that said `unknown`.
#[derive(Clone, Copy, Debug)]
pub struct Undecided<'a> {
    /// Its position among the solvers.
    pub position: usize,
    /// Its name.
    pub solver: &'a SolverId,
    /// Its own reason for `unknown`.
    pub why: Option<&'a str>,
}

/// The reason why `unknown` is not a finding here, if there is one.
pub fn expected_unknown(case: &CaseScript, family: &str, answer: Verdict) -> Option<String> {
    lists("unknown").find_map(|row| {
        let (of, features) = row.split_first()?;
        let (only, features) = match features.split_first() {
            Some((word, rest)) if word == "sat" || word == "unsat" => (Some(word), rest),
            _ => (None, features),
        };
        let fits = of == family
            && only.is_none_or(|only| only == answer.as_str())
            && features.iter().all(|f| has_feature(&case.arena, &case.script, f));
        fits.then(|| format!("{family} is not expected to decide {}", features.join(" with ")))
    })
}

/// The reason why `unknown` to a formula is not a finding although the solver decided one that it follows from, or that
/// follows from it.
pub fn selective(solver: &SolverId) -> Option<String> {
    let name = solver.name();
    facts("selective").any(|row| row == name).then(|| format!("{name} tries only some values"))
}

/// The claim that another release does better, as the text tells.
pub fn regression(case: &CaseScript, late: Undecided<'_>, kind: Kind, text: String) -> Claim {
    claim(case, late, kind, Reason::Regression(text))
}

/// The claim that the same release decided the formula that implies this one, or is implied by it.
pub fn implication(case: &CaseScript, silent: Undecided<'_>, said: Verdict, step: Option<&str>) -> Claim {
    let (step_text, why) = (step.map(str::to_owned), silent.why.map(str::to_owned));
    let reason = Reason::Implication { before: said, step: step_text, why };
    let mut claim = claim(case, silent, Kind::IncompleteImplication, reason);
    if let Some(rule) = step.and_then(rule_of) {
        // Another rule is another bug.
        claim.cause = Cause::Rule(rule.to_owned());
    }
    claim
}

/// The name of the rule in the line of a step.
pub fn rule_of(step: &str) -> Option<&str> {
    step.strip_prefix("rule ")?.split_whitespace().next()
}

fn claim(case: &CaseScript, silent: Undecided<'_>, kind: Kind, reason: Reason) -> Claim {
    let theory = case.theory();
    let cause = Cause::Theory(theory.clone());
    let accused = vec![Accused { position: silent.position, solver: silent.solver.clone() }];
    Claim { query: None, kind, accused, evidence: None, theory, cause, reason }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_row_names_a_family_and_a_feature() {
        for row in lists("unknown") {
            assert!(row.iter().filter(|word| *word != "sat" && *word != "unsat").count() > 1, "{row:?}");
        }
    }

    #[test]
    fn unknown_is_expected_where_a_solver_does_not_claim_to_decide() {
        let quantified =
            CaseScript::new(b"(declare-const x Int)(assert (forall ((y Int)) (> y x)))(check-sat)");
        assert!(expected_unknown(&quantified, "cvc5", Verdict::Sat).is_some());
        assert!(expected_unknown(&quantified, "cvc5", Verdict::Unsat).is_none());
        assert!(expected_unknown(&quantified, "z3", Verdict::Sat).is_none());
        let recursive =
            CaseScript::new(b"(define-fun-rec f ((x Int)) Int (f x))(assert (= (f 1) 2))(check-sat)");
        assert!(expected_unknown(&recursive, "z3", Verdict::Sat).is_some());
        let named = |name: &str| SolverId::new(name, None);
        assert!(selective(&named("builtin")).is_some() && selective(&named("builtin:gap")).is_none());
        let plain = CaseScript::new(b"(declare-const x Int)(assert (> x 1))(check-sat)");
        assert!(["z3", "cvc5", "cvc4"].iter().all(|f| expected_unknown(&plain, f, Verdict::Sat).is_none()));
    }
}
