//! Tests of skeletons.

use super::*;
use crate::tests;
use smelt_core::Verdict;

fn mutants(options: &str, status: Option<Verdict>, n: u64) -> Vec<(String, String)> {
    tests::mutants("skeleton", options, &[TEXT], status, n)
}

const TEXT: &str = "(set-logic QF_LIA)(declare-const x Int)(declare-const y Int)(declare-const p Bool)
(assert (=> p (< x y)))(assert (let ((q (> x 3))) (or q (not (= x (+ y 2))))))(check-sat)";

#[test]
fn literals_go_where_their_polarity_says() {
    let all = mutants("form=written moves=lpi", Some(Verdict::Sat), 300);
    assert_eq!(all.len(), 300);
    for (text, log) in &all {
        assert!(log.lines().count() <= LITERALS, "{log}");
        assert!(!text.contains("(assert (=> (or p "), "a premise gets stronger: {text}");
        assert!(!text.contains("(assert (=> p (and (< x y) "), "a conclusion gets weaker: {text}");
        assert!(text.contains(":status sat"), "{text}");
    }
    assert!(all.iter().any(|(t, _)| t.contains("(assert (=> (and p ")));
    assert!(all.iter().any(|(t, _)| t.contains("(not (and (= x (+ y 2))")));
    assert!(all.iter().all(|(t, _)| !t.contains("(* x y)")), "linear stays linear");
}

#[test]
fn random_formulas_have_operators_and_constants_of_their_own() {
    let all = mutants("form=written moves=lpi", Some(Verdict::Sat), 1000);
    let old: Vec<&str> = TEXT.split(['(', ')', ' ', '\n']).collect();
    let is_new = |w: &str| !w.is_empty() && !old.contains(&w) && !["and", "xor"].contains(&w);
    let lines: Vec<&str> = all.iter().flat_map(|(_, log)| log.lines()).collect();
    let new = |l: &&&str| l.split_once(": ").is_some_and(|(_, t)| t.split(['(', ')', ' ']).any(is_new));
    let count = lines.iter().filter(new).count();
    assert!(count * 2 > lines.len(), "{count} of {}", lines.len());
    let plain = mutants("form=written moves=lpi depth=0", Some(Verdict::Sat), 300);
    assert!(plain.iter().all(|(t, _)| !t.contains("(* 5")), "no terms of their own");
}

#[test]
fn rules_exchange_predicates() {
    let all = mutants("form=written moves=pst", Some(Verdict::Unsat), 300);
    assert!(all.len() > 290);
    assert!(all.iter().all(|(_, log)| log.lines().all(|l| l.starts_with("rule "))));
    assert!(
        all.iter().any(|(t, _)| t.contains("(not (>= x (+ y 2)))") || t.contains("(not (<= x (+ y 2)))"))
    );
}

#[test]
fn clauses_have_the_same_literals() {
    let all = mutants("form=cnf", None, 100);
    assert_eq!(all.len(), 100);
    for (text, log) in &all {
        assert!(log.starts_with("clauses"), "{log}");
        assert!(!text.contains("(let "), "{text}");
    }
}

#[test]
fn steps_work_on_what_was_made() {
    let all = mutants("steps=4", Some(Verdict::Sat), 100);
    assert!(all.iter().any(|(_, log)| log.lines().count() > LITERALS + 1));
    let all = mutants("steps=4 moves=lpi form=written", Some(Verdict::Sat), 100);
    assert!(all.iter().any(|(_, log)| log.lines().count() > LITERALS + 1));
}
