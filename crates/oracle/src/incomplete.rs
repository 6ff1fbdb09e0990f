//! Incompleteness: `unknown` where an answer was due, and where `unknown` is expected.

use smelt_core::{FindingKind, SolverId, Verdict};
use smelt_smtlib::sexpr::read_all;
use std::sync::LazyLock;

use crate::case_script::Reading;
use crate::claim::{Charge, Reason};

/// The solver that said `unknown`.
#[derive(Clone, Copy, Debug)]
pub struct Silent<'a> {
    /// Its position among the solvers.
    pub position: usize,
    /// Its name.
    pub solver: &'a SolverId,
    /// Its family.
    pub family: &'a str,
}

/// A row of `data/expected-unknown.txt`.
struct Row {
    family: String,
    answer: Option<Verdict>,
    features: Vec<String>,
}

fn rows() -> &'static [Row] {
    static ROWS: LazyLock<Vec<Row>> = LazyLock::new(|| {
        let rows = read(include_bytes!("../data/expected-unknown.txt"));
        rows.unwrap_or_else(|e| panic!("expected-unknown.txt can be read: {e}"))
    });
    &ROWS
}

fn read(text: &[u8]) -> Result<Vec<Row>, smelt_smtlib::Error> {
    let mut rows = Vec::new();
    for item in read_all(text)? {
        let words = item.list("`(unknown FAMILY FEATURE ..)`")?;
        let mut words = words.iter().map(|w| w.atom("a word"));
        if words.next().transpose()? != Some("unknown") {
            return Err(smelt_smtlib::Error::new(item.offset, "expected `(unknown FAMILY FEATURE ..)`"));
        }
        let family = words.next().transpose()?.unwrap_or_default().to_owned();
        let mut row = Row { family, answer: None, features: Vec::new() };
        for word in words {
            match word? {
                "sat" => row.answer = Some(Verdict::Sat),
                "unsat" => row.answer = Some(Verdict::Unsat),
                feature => row.features.push(feature.to_owned()),
            }
        }
        rows.push(row);
    }
    Ok(rows)
}

/// The reason why `unknown` is not a finding here, if there is one.
pub fn trivial(reading: &Reading, family: &str, answer: Verdict) -> Option<String> {
    let fits = |row: &&Row| {
        row.family == family
            && row.answer.is_none_or(|a| a == answer)
            && row.features.iter().all(|f| reading.has_feature(f))
    };
    let row = rows().iter().find(fits)?;
    Some(format!("{family} is not expected to decide {}", row.features.join(" with ")))
}

/// The claim that an older release decided a script that this one does not.
pub fn regression(reading: &Reading, silent: Silent<'_>, older: &SolverId, said: Verdict) -> Charge {
    let text = format!("unknown, where {older} says {said}");
    charge(reading, silent, FindingKind::IncompleteRegression, Reason::Regression(text))
}

/// The claim that the same release decided the formula that implies this one, or is implied by it.
pub fn implication(reading: &Reading, silent: Silent<'_>, said: Verdict, step: Option<&str>) -> Charge {
    let reason = Reason::Implication { before: said, step: step.map(str::to_owned) };
    charge(reading, silent, FindingKind::IncompleteImplication, reason)
}

fn charge(reading: &Reading, silent: Silent<'_>, kind: FindingKind, reason: Reason) -> Charge {
    let theory = reading.theory();
    Charge {
        accused: vec![silent.position],
        solver: silent.solver.clone(),
        check: None,
        kind,
        evidence: None,
        fingerprint: format!("{}/{kind}/{theory}", silent.family),
        theory,
        reason,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_row_names_a_family_and_a_feature() {
        for row in rows() {
            assert!(!row.family.is_empty() && !row.features.is_empty(), "{}", row.family);
        }
    }

    #[test]
    fn unknown_is_expected_where_a_solver_does_not_claim_to_decide() {
        let quantified = Reading::new(b"(declare-const x Int)(assert (forall ((y Int)) (> y x)))(check-sat)");
        assert!(trivial(&quantified, "cvc5", Verdict::Sat).is_some());
        assert!(trivial(&quantified, "cvc5", Verdict::Unsat).is_none());
        assert!(trivial(&quantified, "z3", Verdict::Sat).is_none());
        let recursive =
            Reading::new(b"(define-fun-rec f ((x Int)) Int (f x))(assert (= (f 1) 2))(check-sat)");
        assert!(trivial(&recursive, "z3", Verdict::Sat).is_some());
        let plain = Reading::new(b"(declare-const x Int)(assert (> x 1))(check-sat)");
        assert!(["z3", "cvc5", "cvc4"].iter().all(|f| trivial(&plain, f, Verdict::Sat).is_none()));
    }
}
