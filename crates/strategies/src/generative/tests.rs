//! What mutants are made of, and that chains are chains.

use std::collections::HashSet;

use crate::tests::{self, drafts, make};
use crate::{CaseRequest, DeadWeight, Draft, Pool, strategy};

fn mutants(texts: &[&str], options: &str, n: u64) -> Vec<String> {
    tests::mutants("generative", options, texts, None, n).into_iter().map(|m| m.0).collect()
}

#[test]
fn local_variables_stay_in_their_scope() {
    let text = "(declare-fun f (Int) Int)
(assert (forall ((x Int)) (= (f x) (let ((y (+ x 1))) (* y y)))))
(assert (exists ((x Bool) (y Int)) (and x (> y 2))))
(declare-const c Int)
(assert (= c 3))";
    assert!(mutants(&[text], "steps=3", 2000).len() > 1900);
}

#[test]
fn names_are_not_captured_and_not_given_twice() {
    let text = "(declare-const x Int)(assert (! (> x 1) :named n))(assert (exists ((x Int)) (< x 2)))(assert (or n (> x 5)))";
    for m in mutants(&[text], "steps=2", 1000) {
        assert_eq!(m.matches(":named").count(), 1, "{m}");
    }
}

#[test]
fn constructors_selectors_and_testers_come_in() {
    let text = "(declare-datatypes ((L 0)) (((nil) (cons (head Int) (tail L)))))
(declare-const l L)(assert (= l nil))(assert (= (head l) 1))";
    let all = mutants(&[text], "", 1000).concat();
    for part in ["(cons ", "(tail ", "((_ is cons) "] {
        assert!(all.contains(part), "{part}");
    }
}

#[test]
fn indexed_and_parametric_operators_come_in() {
    let text = "(declare-const a (_ BitVec 8))(declare-const b (_ BitVec 4))(declare-const m (Array (_ BitVec 4) (_ BitVec 8)))
(declare-const f Float16)(declare-const r RoundingMode)
(assert (= a (concat b b)))(assert (= (select m b) a))(assert (fp.lt f (fp.add r f f)))";
    let all = mutants(&[text], "", 4000).concat();
    for part in ["(_ extract", "(_ sign_extend 4)", "(store ", "(_ to_fp 5 11)", "(concat ", "fp.fma"] {
        assert!(all.contains(part), "{part}");
    }
}

#[test]
fn with_a_pool_other_seeds_lend_expressions() {
    let own = "(declare-const x Int)(declare-const p Bool)(assert (=> p (> x 1)))";
    let other = "(declare-const k Int)(assert (= (mod (+ (* 17 k) 4242) 5) 3))";
    let all = mutants(&[own, other], "pool=yes", 1000).concat();
    assert!(all.contains("4242") && !all.contains('k'), "variables are mapped to the seed's own");
    assert!(all.contains("(* 17 x)"));
}

#[test]
fn formulas_grow_and_shrink() {
    let text = "(declare-const x Int)(declare-const y Int)(assert (and (> (+ x y) (- x 1)) (< x (* y 2))))";
    let lengths: Vec<usize> = mutants(&[text], "", 300).iter().map(String::len).collect();
    let same = lengths.iter().filter(|l| **l == lengths[0]).count();
    assert!(lengths.iter().max().unwrap() > &(lengths.iter().min().unwrap() + 30) && same < 200);
}

const SMALL: [&str; 4] = [
    "(set-logic QF_LIA)(declare-const x Int)(declare-const y Int)(assert (and (> (+ x y) 3) (< x (* 2 y))))(check-sat)",
    "(declare-const s String)(declare-const t String)(assert (= (str.++ s \"a\") t))(assert (str.contains t s))(check-sat)",
    "(declare-const a (_ BitVec 8))(declare-const b (_ BitVec 8))(assert (bvult (bvadd a b) b))(check-sat)",
    "(declare-fun f (Int) Int)(declare-const c Int)
(assert (forall ((x Int)) (let ((y (f x))) (< y (+ x c)))))(assert (= (f c) 4))(check-sat)",
];

/// The script behind the header.
fn body(draft: &Draft) -> Vec<u8> {
    let end = draft.text.iter().position(|b| *b == b'\n').unwrap();
    draft.text[end..].to_vec()
}

#[test]
fn every_step_of_a_chain_is_another_mutant() {
    for text in SMALL {
        let mut chain = make("generative", "steps=100 every-step=yes");
        let mut pool = Pool::new();
        let seed = pool.add("t", text.as_bytes(), None).unwrap();
        let (mut made, mut seen, mut draft) = (0, HashSet::new(), Draft::default());
        for number in 0..100 {
            if chain.next(&mut pool, &CaseRequest { seeds: &[seed], number }, &mut draft).is_ok() {
                made += 1;
                seen.insert(body(&draft));
            }
        }
        assert!(made >= 95, "{made} of {text}");
        assert_eq!(seen.len(), made);
    }
}

#[test]
fn a_step_of_a_chain_is_the_same_whether_or_not_those_before_it_were_cases() {
    for name in ["generative", "operator"] {
        let options = "steps=20 every-step=yes";
        let (mut pool, mut chain) = (Pool::new(), make(name, options));
        let seed = pool.add("t", SMALL[0].as_bytes(), None).unwrap();
        let (mut draft, mut alone) = (Draft::default(), Draft::default());
        for number in 40..60 {
            let request = CaseRequest { seeds: &[seed], number };
            let made = chain.next(&mut pool, &request, &mut draft);
            assert_eq!(make(name, options).next(&mut pool, &request, &mut alone), made);
            if made.is_ok() {
                assert_eq!(draft.text, alone.text);
                assert_eq!(draft.log, alone.log);
            }
        }
    }
}

#[test]
fn steps_change_what_earlier_steps_made() {
    let text = "(declare-const x Int)(declare-const y Int)(assert (< x y))(check-sat)";
    let deep = |d: &Draft| {
        let text = String::from_utf8_lossy(&d.text).into_owned();
        let mut depth = 0i32;
        text.lines().find(|l| l.starts_with("(assert")).unwrap().chars().fold(0, |most, c| {
            depth += match c {
                '(' => 1,
                ')' => -1,
                _ => 0,
            };
            most.max(depth)
        })
    };
    let cases = drafts(&mut *make("generative", "steps=12"), &[text], None, 50);
    assert!(cases.iter().filter(|d| deep(d) >= 4).count() > 10, "operators below operators");
}

#[test]
fn chains_leave_assertions_that_need_a_theory() {
    let mut weight = DeadWeight::default();
    for name in ["generative", "operator"] {
        for text in SMALL {
            let cases = drafts(&mut *make(name, "steps=24"), &[text], None, 100);
            let dead = cases.iter().filter(|d| weight.is(&d.text)).count();
            assert!(dead * 5 < cases.len(), "{dead} of {} from {text}", cases.len());
        }
    }
}

#[test]
fn a_file_of_operators_narrows_what_comes_in() {
    let config = ";; two operators and a constant\n(str.++ String String String :left-assoc)
(par (A) (distinct A A Bool :pairwise))\n(re.all RegLan)";
    let files = [("operators".to_owned(), config.to_owned())].into();
    let mut generative = strategy("generative", "", &files).unwrap();
    let text = "(declare-const s String)(declare-const t String)(assert (= s t))(check-sat)";
    let all: String = drafts(&mut *generative, &[text], None, 300)
        .iter()
        .map(|d| String::from_utf8_lossy(&body(d)).into_owned())
        .collect();
    assert!(all.contains("(str.++ ") && all.contains("(distinct "));
    assert!(!all.contains("str.replace") && !all.contains("(and ") && !all.contains("str.<"));
    let error = |text: &str| {
        let files = [("operators".to_owned(), text.to_owned())].into();
        strategy("generative", "", &files).map(drop).unwrap_err().to_string()
    };
    assert!(error("(str.plus String String)").contains("there is no operator `str.plus`"));
    assert!(error("(str.++ String String :sometimes)").contains("there is no attribute"));
}

#[test]
fn random_constants_come_in_unless_switched_off() {
    let text = "(declare-const x Int)(declare-const y Int)(assert (< x y))(check-sat)";
    let digits = |options: &str| {
        let cases = drafts(&mut *make("generative", options), &[text], None, 300);
        cases.iter().filter(|d| body(d).iter().any(u8::is_ascii_digit)).count()
    };
    assert!(digits("") > 10);
    assert_eq!(digits("constants=no"), 0);
}
