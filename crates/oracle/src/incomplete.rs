//! Incompleteness: unknown where an answer was due, and where that is no news.

use smelt_core::{FindingKind, SolverId, Verdict};
use smelt_smtlib::sexpr::read_all;
use std::sync::OnceLock;

use crate::charge::{Charge, Reason};
use crate::reading::Reading;

/// The solver that said unknown.
#[derive(Clone, Copy, Debug)]
pub struct Silent<'a> {
    /// Its position among the solvers.
    pub position: usize,
    /// Its name.
    pub solver: &'a SolverId,
    /// What it is a release of.
    pub family: &'a str,
}

/// A row of `data/trivial.txt`.
struct Trivial {
    family: String,
    answer: Option<Verdict>,
    features: Vec<String>,
}

const TRIVIAL: &[u8] = include_bytes!("../data/trivial.txt");

fn rows() -> &'static [Trivial] {
    static ROWS: OnceLock<Vec<Trivial>> = OnceLock::new();
    ROWS.get_or_init(|| read(TRIVIAL).unwrap_or_else(|e| panic!("trivial.txt can be read: {e}")))
}

fn read(text: &[u8]) -> Result<Vec<Trivial>, smelt_smtlib::Error> {
    let mut rows = Vec::new();
    for item in read_all(text)? {
        let words = item.list("`(trivial FAMILY FEATURE ..)`")?;
        let mut words = words.iter().map(|w| w.atom("a word"));
        if words.next().transpose()? != Some("trivial") {
            return Err(smelt_smtlib::Error::new(item.offset, "expected `(trivial FAMILY FEATURE ..)`"));
        }
        let family = words.next().transpose()?.unwrap_or_default().to_owned();
        let mut row = Trivial { family, answer: None, features: Vec::new() };
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

/// Why unknown is no news here, where it is none.
pub fn trivial(reading: &Reading, family: &str, answer: Verdict) -> Option<String> {
    let fits = |row: &&Trivial| {
        row.family == family
            && row.answer.is_none_or(|a| a == answer)
            && row.features.iter().all(|f| reading.has_feature(f))
    };
    let row = rows().iter().find(fits)?;
    Some(format!("{family} is not expected to decide {}", row.features.join(" with ")))
}

/// An older release decided what this one does not.
pub fn regression(reading: &Reading, silent: Silent<'_>, older: &SolverId, said: Verdict) -> Charge {
    let text = format!("unknown, where {older} says {said}");
    charge(reading, silent, FindingKind::IncompleteRegression, Reason::Regression(text))
}

/// The same release decided the formula that implies this one, or is implied by it.
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
    fn what_a_solver_does_not_claim_to_decide_is_no_news() {
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
