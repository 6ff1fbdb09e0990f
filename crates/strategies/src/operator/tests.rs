//! Which operators are introduced, and which are not.

use super::*;
use crate::tests::{drafts, make};

/// The first assertions of all mutants that some numbers give.
fn mutants(text: &str, operator: &mut dyn Strategy) -> std::collections::BTreeSet<String> {
    let assertion = |d: Draft| {
        let text = String::from_utf8(d.text).unwrap();
        text.lines().find(|l| l.contains("assert")).unwrap().to_owned()
    };
    drafts(operator, &[text], None, 400).into_iter().map(assertion).collect()
}

fn heads(assertion: &str, declarations: &str) -> Vec<String> {
    let text = format!("{declarations}{assertion}");
    mutants(&text, &mut *make("operator", "")).into_iter().collect()
}

#[test]
fn quantifiers_are_exchanged() {
    let got = heads("(assert (forall ((x Bool)) x))", "");
    assert_eq!(got, ["(assert (exists ((x Bool)) x))"]);
}

#[test]
fn only_operators_of_the_signature_come_in() {
    let got = heads(
        "(assert (bvult a b))",
        "(set-logic QF_BV)(declare-const a (_ BitVec 4))(declare-const b (_ BitVec 4))",
    );
    let names: Vec<&str> = got.iter().map(|l| l.split(['(', ' ']).nth(3).unwrap()).collect();
    assert_eq!(names, ["=", "bvsge", "bvsgt", "bvsle", "bvslt", "bvuge", "bvugt", "bvule", "distinct"]);
}

#[test]
fn a_linear_logic_gets_no_product_of_variables() {
    let declarations = "(set-logic QF_LIA)(declare-const a Int)(declare-const b Int)";
    let got = heads("(assert (= (+ a b) 0))", declarations);
    assert!(got.iter().any(|l| l.contains("(- a b)")));
    assert!(!got.iter().any(|l| l.contains("(* a b)") || l.contains("(div a b)")), "{got:?}");
    let got = heads("(assert (= (+ a 2) 0))", declarations);
    assert!(got.iter().any(|l| l.contains("(* a 2)")) && got.iter().any(|l| l.contains("(mod a 2)")));
}

#[test]
fn functions_and_constructors_of_one_signature_are_exchanged() {
    let got = heads(
        "(assert (= (f a) (g a b)))",
        "(declare-const a Int)(declare-const b Int)(declare-fun f (Int) Int)(declare-fun h (Int) Int)\n\
         (declare-fun g (Int Int) Int)(declare-fun k (Int Int) Bool)\n",
    );
    assert!(got.iter().any(|l| l.contains("(h a)")), "{got:?}");
    assert!(!got.iter().any(|l| l.contains("(k ")), "{got:?}");
    let got = heads(
        "(assert (and ((_ is red) c) (= c red)))",
        "(declare-datatype C ((red) (green) (mix (l C) (r C))))(declare-const c C)\n",
    );
    for part in ["(_ is green)", "(= c green)"] {
        assert!(got.iter().any(|l| l.contains(part)), "{part}: {got:?}");
    }
}

#[test]
fn most_steps_bring_in_an_operator_that_the_seed_lacks() {
    let text =
        "(set-logic QF_LIA)(declare-const a Int)(declare-const b Int)(assert (and (< a b) (= (+ a b) 7)))\n";
    let all = crate::tests::drafts(&mut *make("operator", ""), &[text], None, 400);
    let old = ["(and ", "(< ", "(= ", "(+ "];
    let is_new = |d: &&Draft| {
        let text = String::from_utf8_lossy(&d.log).into_owned();
        let head = text.trim_end().rsplit(' ').next().unwrap().to_owned();
        !old.contains(&&*format!("({head} "))
    };
    let new = all.iter().filter(is_new).count();
    assert!(new * 10 > all.len() * 8, "{new} of {}", all.len());
}

#[test]
fn indices_change_too() {
    let got = heads("(assert (= ((_ extract 3 2) a) #b00))", "(declare-const a (_ BitVec 8))");
    assert!(got.iter().any(|l| l.contains("(_ extract 4 3)")), "{got:?}");
}

#[test]
fn a_class_of_the_user_narrows() {
    let files = [("classes".to_owned(), "(class and or)".to_owned())].into();
    let mut operator = crate::registry::strategy("operator", "", &files).unwrap();
    let got = mutants("(declare-const p Bool)(assert (and p p))", &mut *operator);
    assert_eq!(got.into_iter().collect::<Vec<_>>(), ["(assert (or p p))"]);
}

#[test]
fn many_steps_end_in_one_mutant() {
    let got = mutants("(declare-const p Bool)(assert (and p (or p p)))", &mut *make("operator", "steps=50"));
    assert!(got.len() > 10);
}

#[test]
fn a_chain_of_a_seed_with_one_operator_exchanges_constants_and_literals() {
    let text = "(set-logic QF_AX)(declare-sort I 0)(declare-sort E 0)(declare-const a (Array I E))
(declare-const i I)(declare-const j I)(declare-const k I)(declare-const l I)(declare-const m I)
(assert (= (store a i (select a j)) (store a j (select a k))))(check-sat)";
    let bits = "(set-logic QF_BV)(declare-const a (_ BitVec 8))(assert (not (bvult a #x0f)))(check-sat)";
    for text in [text, bits] {
        let all = drafts(&mut *make("operator", "steps=100 every-step=yes"), &[text], None, 100);
        let bodies: HashSet<&[u8]> =
            all.iter().map(|d| d.text.splitn(2, |b| *b == b'\n').nth(1).unwrap()).collect();
        assert!(bodies.len() >= 90, "{}: {text}", bodies.len());
    }
    let single = drafts(&mut *make("operator", ""), &[text], None, 100);
    assert!(single.iter().all(|d| String::from_utf8_lossy(&d.text).contains("(distinct (store a i")));
}
