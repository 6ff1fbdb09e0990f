//! Findings about replies to queries other than `check-sat`, from the campaign to the page.

use crate::common::{Folder, code, json, stdout};
use serde_json::Value;

const SEED: &str = "(set-logic QF_BV)(declare-const x (_ BitVec 4))(declare-const y (_ BitVec 4))\
    (assert (bvult (bvsub x y) #x7))(assert (= (bvor x #x1) (bvadd y #x3)))(assert (distinct x y))(check-sat)";
const SUMS: &str =
    "(declare-const a Int)(declare-const b Int)(assert (> (- a b) 3))(assert (< (- b 1) (* 2 a)))(check-sat)";

const DIFFERENCES: &str =
    "(declare-const p Bool)(declare-const a Int)(assert (and p (> (- a 1) 3)))(assert (not p))(check-sat)";

/// A campaign on a planted fault finds it, and every command shows it: kind, words of the report.
fn shows(fault: &str, strategy: &str, kind: &str, word: &str) {
    // A random elimination seldom has a conjunct to lose; a box needs an option and two objectives.
    let tests = if strategy.starts_with("eliminate") { "200" } else { "40" };
    let most = if matches!(kind, "wrong-optimum" | "invalid-interpolant") { 150 } else { 100 };
    let numbers = if kind == "invalid-proof" { DIFFERENCES } else { SUMS };
    let folder = Folder::new(&format!("queries-{fault}")).with("a.smt2", SEED).with("b.smt2", numbers);
    let solver = format!("builtin:{fault}");
    let fuzz = ["fuzz", "a.smt2", "b.smt2", "-S", &solver, "-s", strategy, "--tests", tests, "--seed", "1"];
    folder.smelt(&[&fuzz[..], &["-j", "1", "--no-cache", "--timeout", "120s", "-o", "hunt"]].concat());
    let bugs = json(&folder.smelt(&["bugs", "examine", "hunt", "--all", "--json"]));
    let bugs = if bugs.is_array() { bugs } else { json(&folder.smelt(&["bugs", "hunt", "--json"])) };
    let of_kind = |b: &&Value| b["kind"] == kind;
    let bug = bugs.as_array().unwrap().iter().find(of_kind).unwrap_or_else(|| panic!("{fault}: {bugs}"));
    assert!(bugs.as_array().unwrap().iter().all(|b| b["kind"] == kind), "{bugs}");
    // A symbol that is not shared needs no assignment.
    assert_eq!(bug["evidence"], if fault == "interpolant-private" { Value::Null } else { "model".into() });
    assert!(bug["reduced_bytes"].as_u64().unwrap() < most, "reduced: {bug}");
    let id = bug["id"].as_str().unwrap();
    let report = stdout(&folder.smelt(&["bugs", "report", id, "hunt"]));
    assert!(report.contains(word), "{report}");
    let again = json(&folder.smelt(&["replay", id, "hunt", "--json"]));
    assert_eq!((&again["again"], &again["identical"]), (&true.into(), &true.into()), "{again}");
    assert_eq!(
        code(&folder.smelt(&["bugs", "export", "hunt", "--sarif", "bugs.sarif"])),
        10,
        "there are bugs"
    );
    let sarif = std::fs::read_to_string(folder.0.join("bugs.sarif")).unwrap();
    assert!(sarif.contains(kind), "{sarif}");
    assert_eq!(code(&folder.smelt(&["report", "hunt"])), 0);
    let page = std::fs::read_to_string(folder.0.join("hunt/index.html")).unwrap();
    assert!(page.contains(kind), "{page}");
}

#[test]
fn a_wrong_value_is_found_reduced_reported_and_replayed() {
    shows("value-bvsub-swapped", "queries:ask=values", "wrong-value", "in its own model");
}

#[test]
fn a_wrong_simplification_is_found_reduced_reported_and_replayed() {
    shows("simplify-minus-swapped", "queries:ask=simplify", "wrong-rewrite", "(simplify ");
}

#[test]
fn a_goal_that_lost_a_conjunct_is_found_reduced_reported_and_replayed() {
    shows("apply-drops-conjunct", "queries:ask=apply", "wrong-rewrite", "(apply simplify)");
}

#[test]
fn a_wrong_optimum_in_a_box_is_found_reduced_reported_and_replayed() {
    shows("optimum-box-first-model", "optimize:over=bits", "wrong-optimum", "is possible");
}

#[test]
fn a_wrong_optimum_in_lexicographic_order_is_found_reduced_reported_and_replayed() {
    shows("optimum-lex-forgets-earlier", "optimize:over=bits", "wrong-optimum", "in its own model");
}

#[test]
fn an_elimination_that_loses_a_conjunct_is_found_reduced_reported_and_replayed() {
    shows("qe-drops-conjunct", "eliminate:over=bits", "wrong-rewrite", "(apply qe)");
}

#[test]
fn an_interpolant_with_a_symbol_of_one_part_only_is_found_reduced_reported_and_replayed() {
    shows(
        "interpolant-private",
        "interpolate:over=bits",
        "invalid-interpolant",
        "does not occur in both parts",
    );
}

#[test]
fn an_interpolant_that_is_not_implied_is_found_reduced_reported_and_replayed() {
    shows("interpolant-everywhere", "interpolate:over=bits", "invalid-interpolant", "the first part is true");
}

#[test]
fn a_wrong_step_of_a_proof_is_found_reduced_reported_and_replayed() {
    shows("proof-minus-swapped", "queries:ask=proofs", "invalid-proof", "a step of its proof");
}

#[test]
fn honest_replies_are_no_findings() {
    let folder = Folder::new("queries-honest").with("a.smt2", SEED).with("b.smt2", DIFFERENCES);
    let asked = "queries,optimize,eliminate,interpolate";
    let fuzz = ["fuzz", "a.smt2", "b.smt2", "-S", "builtin", "-s", asked, "--tests", "150", "--seed", "1"];
    let out = folder.smelt(&[&fuzz[..], &["-j", "1", "--no-cache", "-o", "hunt"]].concat());
    assert_eq!(code(&out), 0, "{}", stdout(&out));
}
