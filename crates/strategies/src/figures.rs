//! What the papers show, reached from seeds of the same shape: formulas of 000 and of chapters 4 to 6 of 001.

use smelt_core::Verdict;

use crate::pool::Pool;
use crate::strategy::{CaseRequest, Draft};
use crate::tests::make;

/// Whether one of `tries` mutants of a seed has every part.
fn reaches(
    strategy: &str,
    options: &str,
    seed: &str,
    status: Option<Verdict>,
    tries: u64,
    found: impl Fn(&str) -> bool,
) -> bool {
    let mut pool = Pool::new();
    let id = pool.add("t", seed.as_bytes(), status).unwrap();
    let mut made_by = make(strategy, options);
    let mut draft = Draft::default();
    (0..tries).any(|number| {
        let request = CaseRequest { seeds: &[id], number };
        made_by.next(&mut pool, &request, &mut draft).is_ok() && {
            let text = String::from_utf8_lossy(&draft.text);
            // The header is not part of the script.
            text.split_once('\n').is_some_and(|(_, body)| found(body))
        }
    })
}

/// Figure 4.4: two steps among reals and numerals, without a logic.
#[test]
fn a_division_by_a_variable_comes_in_among_reals_and_numerals() {
    let seed = "(declare-fun a () Real)(assert (> (+ (* 2 a) (* 3 a)) 1))(check-sat)";
    let wanted = "(assert (= (+ (* 2 a) (/ 3 a)) 1))";
    assert!(reaches("operator", "steps=2", seed, None, 5_000, |t| t.contains(wanted)));
}

/// Figure 4.9: one comparison of a real with a numeral is turned round.
#[test]
fn a_comparison_with_a_numeral_is_turned_round() {
    let seed = "(declare-fun a () Real)(declare-fun b () Real)(assert (< a 0))(assert (< b 0))(check-sat)";
    let turned = |t: &str| t.contains("(assert (> a 0))") && t.contains("(assert (< b 0))");
    assert!(reaches("operator", "", seed, None, 200, turned));
    assert!(
        reaches("generative", "", seed, None, 2_000, |t| t.contains("(assert (< a b))")),
        "0 is a real here"
    );
    assert!(reaches("weaken", "", seed, Some(Verdict::Sat), 2_000, |t| t.contains("(assert (<= a 0))")));
    assert!(reaches("skeleton", "moves=pst form=written", seed, Some(Verdict::Sat), 2_000, |t| {
        t.contains("(assert (<= a 0))")
    }));
}

/// Figure 5.3: an expression is wrapped in an operator of its own kind, over expressions of the seed.
#[test]
fn a_replacement_is_put_into_a_replacement() {
    let seed = r#"(declare-fun x () String)(declare-fun y () String)
(assert (= (str.replace x "A" (str.++ "A" "A")) (str.++ y "A")))(check-sat)"#;
    let inner = r#"(str.replace x "A" (str.++ "A" "A"))"#;
    let wanted = format!(r#"(= (str.replace {inner} "A" (str.++ y "A")) (str.++ y "A"))"#);
    assert!(reaches("generative", "", seed, None, 400_000, |t| t.contains(&wanted)));
}

/// Figures 6.1 and 6.2: an equation becomes an inequality, one step from a decided formula.
#[test]
fn an_equation_becomes_an_inequality() {
    let seed = "(declare-const x Int)(declare-const y Int)(assert (= (* x x) (+ y 2)))(check-sat)";
    let wanted = "(assert (>= (* x x) (+ y 2)))";
    assert!(reaches("weaken", "", seed, Some(Verdict::Sat), 2_000, |t| t.contains(wanted)));
}

/// Figures 6.3 and 6.4: chains that drop a conjunct and weaken what is left; each step is a case.
#[test]
fn a_conjunct_is_dropped_and_the_rest_gets_weaker() {
    let seed = "(declare-const x Int)(declare-const y Int)(assert (and (> x 1) (= x y)))(check-sat)";
    let sat = Some(Verdict::Sat);
    assert!(reaches("weaken", "steps=2", seed, sat, 20_000, |t| t.contains("(assert (>= x y))")));
    assert!(reaches("weaken", "steps=2 every-step=yes", seed, sat, 2_000, |t| t.contains("(assert (= x y))")));
}

/// Table 6.1: what makes ∃ from a formula, and regular expressions below others.
#[test]
fn quantifiers_come_in_and_inner_languages_grow() {
    let seed = "(declare-const x Int)(assert (> (+ x 3) 7))(check-sat)";
    let wanted = "(exists ((smelt!b Int)) (> (+ smelt!b 3) 7))";
    assert!(reaches("weaken", "", seed, Some(Verdict::Sat), 5_000, |t| t.contains(wanted)));
    let wanted = "(forall ((smelt!b Int)) (> smelt!b 7))";
    assert!(reaches("weaken", "", seed, Some(Verdict::Unsat), 5_000, |t| t.contains(wanted)));
    let seed = r#"(declare-const s String)
(assert (str.in_re s (re.++ (re.* (str.to_re "a")) (re.comp (str.to_re "b")) re.allchar)))(check-sat)"#;
    let sat = Some(Verdict::Sat);
    for wanted in [
        r#"(re.++ (re.* (re.+ (str.to_re "a"))) "#,
        r#"((_ re.^ 3) (re.union (re.* (str.to_re "a")) (re.comp (str.to_re "b")) re.allchar))"#,
        "(re.++ (re.* ((_ re.loop 1 ",
    ] {
        assert!(reaches("weaken", "", seed, sat, 20_000, |t| t.contains(wanted)), "{wanted}");
    }
    let below = r#"(re.comp (re.+ (str.to_re "b")))"#;
    assert!(!reaches("weaken", "", seed, sat, 20_000, |t| t.contains(below)), "a complement gets smaller");
}

/// 000, section 4.2.1: a literal of a clause is exchanged; section 4.2.2: a predicate with terms joins it.
#[test]
fn a_random_predicate_over_terms_joins_a_literal() {
    let seed = "(set-logic QF_LIA)(declare-const x Int)(declare-const y Int)(declare-const z Int)
(assert (or (> x y) (< z 3)))(assert (= y z))(check-sat)";
    let sat = Some(Verdict::Sat);
    let rule = |t: &str| t.contains("(or (>= x y) (< z 3))");
    assert!(reaches("skeleton", "moves=pst form=written", seed, sat, 2_000, rule));
    // A connective over two comparisons of sums, differences and products with numbers.
    let compares = |s: &str| ["<", "<=", ">", ">="].iter().any(|op| s.starts_with(&format!("({op} (")));
    let sums = |s: &str| ["(+ ", "(- ", "(* "].iter().map(|op| s.matches(op).count()).sum::<usize>();
    let as_printed = |t: &str| {
        let Some((_, rest)) = t.split_once("(or (= y z) (xor ") else { return false };
        compares(rest) && sums(rest.lines().next().unwrap_or_default()) >= 4
    };
    assert!(reaches("skeleton", "moves=lpi form=written depth=1", seed, sat, 20_000, as_printed));
}
