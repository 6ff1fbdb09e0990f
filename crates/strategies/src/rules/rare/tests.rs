//! Rules written for these tests, correct ones and broken ones.

use super::{RareRule, is_rare, read};
use crate::rules::{Effort, Flaw};

/// Correct rules, and for each a copy with a fault.
const RULES: [(&str, &str, &str); 12] = [
    (
        "double negation",
        "((p Bool)) :args (p) :conclusion (= (not (not p)) p)",
        "((p Bool)) :args (p) :conclusion (= (not (not p)) (not p))",
    ),
    (
        "lists",
        "((xs Bool :list) (y Bool) (zs Bool :list)) :args (xs y zs) :conclusion (= (and xs y zs false) false)",
        "((xs Bool :list) (y Bool) (zs Bool :list)) :args (xs y zs) :conclusion (= (and xs y zs) (eo::list_singleton_elim and (and xs zs)))",
    ),
    (
        "sorts",
        "((@A Type) (c Bool) (x @A)) :args (c x) :conclusion (= (ite c x x) x)",
        "((@A Type) (c Bool) (x @A) (y @A)) :args (c x y) :conclusion (= (ite c x y) (ite c y x))",
    ),
    (
        "premises",
        "((n Int) (m Int)) :premises ((= (< m 0) false)) :args (n m) :conclusion (= (>= (+ n m) n) true)",
        "((n Int) (m Int)) :args (n m) :conclusion (= (>= (+ n m) n) true)",
    ),
    (
        "widths",
        "((w Int) (x (BitVec w)) (k Int)) :premises ((= k (- (@bvsize x) 1))) :args (x k) :conclusion (= (bvslt x (@bv 0 w)) (= (extract k k x) (@bv 1 1)))",
        "((w Int) (x (BitVec w)) (k Int)) :premises ((= k (- (@bvsize x) 1))) :args (x k) :conclusion (= (bvslt x (@bv 0 w)) (= (extract 0 0 x) (@bv 1 1)))",
    ),
    (
        "concat",
        "((w Int) (x (BitVec w)) (y (BitVec w)) (k Int) (h Int)) :premises ((= h (@bvsize x)) (= k (- (@bvsize (concat x y)) 1))) :args (x y k h) :conclusion (= (extract k h (concat y x)) y)",
        "((w Int) (x (BitVec w)) (y (BitVec w))) :args (x y) :conclusion (= (concat x y) (concat y x))",
    ),
    (
        "sequences",
        "((@A Type) (s (Seq @A)) (t (Seq @A))) :args (s t) :conclusion (= (seq.len (seq.++ s t)) (+ (seq.len t) (seq.len s)))",
        "((@A Type) (s (Seq @A)) (t (Seq @A))) :args (s t) :conclusion (= (seq.++ s t) (seq.++ t s))",
    ),
    (
        "replace",
        "((@A Type) (s (Seq @A)) (t (Seq @A))) :args (s t) :conclusion (= (seq.replace s s t) t)",
        "((@A Type) (s (Seq @A)) (t (Seq @A))) :args (s t) :conclusion (= (seq.replace s t s) s)",
    ),
    (
        "sets",
        "((@A Type) (x @A) (s (Set @A)) (t (Set @A))) :args (x s t) :conclusion (= (set.member x (set.inter s t)) (and (set.member x t) (set.member x s)))",
        "((@A Type) (x @A) (s (Set @A)) (t (Set @A))) :args (x s t) :conclusion (= (set.member x (set.minus s t)) (set.member x s))",
    ),
    (
        "division",
        "((n Int)) :args (n) :conclusion (= (mod_total n 0) n)",
        "((n Int) (m Int)) :args (n m) :conclusion (= (mod_total n m) (mod_total n (+ m 1)))",
    ),
    (
        "expressions",
        "((r RegLan) (s RegLan)) :args (r s) :conclusion (= (re.union r s) (re.union s r))",
        "((r RegLan)) :args (r) :conclusion (= (re.* r) (re.+ r))",
    ),
    (
        "let",
        "((x Int) (y Int)) :args (x y) :conclusion (= (< x y) (let ((_l (+ y (- x)))) (let ((_m (> _l 0))) _m)))",
        "((x Int) (y Int)) :args (x y) :conclusion (= (< x y) (let ((_l (+ y (- x)))) (let ((_m (>= _l 0))) _m)))",
    ),
];

fn only(name: &str, body: &str) -> RareRule {
    let text = format!("(declare-rule {} {body})", name.replace(' ', "-"));
    assert!(is_rare(text.as_bytes()));
    read(text.as_bytes()).unwrap().remove(0)
}

#[test]
fn correct_rules_are_checked_and_broken_copies_are_refuted() {
    for (name, correct, broken) in RULES {
        let tried = only(name, correct).check(Effort::LOAD).unwrap_or_else(|e| panic!("{name}: {e}"));
        assert!(tried.assignments > 0, "{name}: {tried:?}");
        let flaw = only(name, broken).check(Effort::LOAD);
        assert!(matches!(flaw, Err(Flaw::Counterexample(_))), "{name}: {flaw:?}");
    }
}

#[test]
fn quotients_of_numbers_are_read() {
    let rule = only("half", "((x Real)) :args (x) :conclusion (= (* x -1/2) (/ (- x) 2/1))");
    assert!(rule.check(Effort::LOAD).is_ok(), "{rule:?}");
    assert_eq!(rule.statement(), "(* x (/ (- 1.0) 2.0)) <=> (/ (- x) 2.0)");
}

#[test]
fn a_rule_with_unknown_words_is_not_checked_and_not_refuted() {
    let rule = only("odd", "((x Int)) :args (x) :conclusion (= (eo::hash x) x)");
    let flaw = rule.check(Effort::LOAD);
    assert!(matches!(&flaw, Err(Flaw::Unchecked(why)) if why.contains("eo::hash")), "{flaw:?}");
}

#[test]
fn a_premise_that_is_never_true_is_said() {
    let rule = only("never", "((x Int)) :premises ((= (< x x) true)) :args (x) :conclusion (= x 0)");
    assert!(matches!(rule.check(Effort::LOAD), Err(Flaw::Unchecked(_))));
}
