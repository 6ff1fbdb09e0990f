use super::check::Flaw;
use super::functions::FunctionError;
use super::*;
use crate::tests::make;
use smelt_smtlib::{Arena, parse_script};

fn pool(texts: &[(&str, Verdict)]) -> (Pool, Vec<SeedId>) {
    let mut pool = Pool::new();
    let ids = texts.iter().map(|(t, v)| pool.add("t", t.as_bytes(), Some(*v)).unwrap()).collect();
    (pool, ids)
}

fn fuse(texts: &[(&str, Verdict)], n: u64) -> Result<Vec<String>, Skip> {
    let (mut pool, ids) = pool(texts);
    let mut fusion = make("fusion", "");
    let mut draft = Draft::default();
    let mut all = Vec::new();
    for rng in 0..n {
        fusion.next(&mut pool, &CaseRequest { seeds: &ids, number: rng }, &mut draft)?;
        let text = String::from_utf8(draft.text.clone()).unwrap();
        let parsed = parse_script(&mut Arena::new(), text.as_bytes()).unwrap();
        assert_eq!(parsed.diagnostics, [], "{text}");
        all.push(text);
    }
    Ok(all)
}

const INT: &str = "(set-logic QF_LIA)(declare-const x Int)(assert (> x 1))(check-sat)";

#[test]
fn what_follows_exit_is_no_part_of_a_seed() {
    let seed = "(declare-const x Int)(assert (> x 1))(check-sat)(exit)(declare-const y Int)(assert (< x 0))(check-sat)";
    for text in fuse(&[(seed, Verdict::Sat), (INT, Verdict::Sat)], 20).unwrap() {
        assert!(!text.contains("exit") && !text.contains("(< x") && !text.contains(" y."), "{text}");
        assert_eq!(text.matches("(check-sat)").count(), 1, "{text}");
    }
}

#[test]
fn the_built_in_functions_hold() {
    let functions = builtin();
    assert!(functions.len() > 20);
    let mut names: Vec<&str> = functions.iter().map(|f| &*f.name).collect();
    names.sort_unstable();
    names.dedup();
    assert_eq!(names.len(), functions.len());
}

#[test]
fn an_inversion_that_loses_a_value_is_refused_with_the_value() {
    let refused = |text: &str| match read(text.as_bytes()) {
        Err(FunctionError::Refused { flaw, .. }) => flaw,
        other => panic!("{other:?}"),
    };
    let product = "(fusion p (x Int) (y Int) (z Int) (f (* x y)) (rx (div z y)))";
    assert!(matches!(refused(product), Flaw::Open(_)), "division by zero");
    let never = "(fusion p (x Int) (y Int) (z Int) (f (* x y)) (rx-partial (+ 1 x)))";
    assert!(matches!(refused(never), Flaw::Never(_)), "an inversion holds somewhere");
    let product = "(fusion p (x Int) (y Int) (z Int) (f (* x y)) (rx (ite (= y 0) 0 (div z y))))";
    assert!(matches!(refused(product), Flaw::Counterexample(m) if m.contains("y = 0")));
    let affine = "(fusion p (x Int) (y Int) (z Int) (const c Int) (f (+ (* c x) y)) (rx (div (- z y) c)))";
    assert!(matches!(refused(affine), Flaw::Open(_)), "a constant may be zero");
    let string = "(fusion p (x String) (y String) (z String) (f (str.++ x y)) (rx (str.replace z y \"\")))";
    assert!(matches!(refused(string), Flaw::Counterexample(_)));
    let printed = "(fusion p (x String) (y String) (z String) (f (str.++ x y)) (ry (str.substr z (str.len y) (str.len z))))";
    assert!(matches!(refused(printed), Flaw::Counterexample(_)));
    let sort = "(fusion p (x Int) (y Int) (z Real) (f (+ x y)) (rx (- z y)))";
    assert!(matches!(refused(sort), Flaw::Untyped(_)));
    assert!(matches!(read(b"(fusion p (x Int))"), Err(FunctionError::Syntax(_))));
    let float = "(fusion p (x (_ FloatingPoint e s)) (y (_ FloatingPoint e s)) (z (_ FloatingPoint e s))
        (f (fp.add RNE x y)) (rx (fp.sub RNE z y)))";
    assert!(matches!(refused(float), Flaw::Counterexample(_)));
}

#[test]
fn names_are_kept_apart_and_the_logic_has_all() {
    let real = "(set-logic QF_LRA)(declare-fun x () Real)(assert (< x 2))(check-sat)";
    for text in fuse(&[(INT, Verdict::Sat), (real, Verdict::Sat)], 100).unwrap() {
        assert!(text.contains("(declare-const x.1 Int)") && text.contains("(declare-fun x.2 () Real)"));
        assert!(
            text.contains("(< ") && text.contains("2.0)"),
            "a numeral that means a real is a decimal: {text}"
        );
        assert!(text.contains("(set-logic ALL)") || text.contains("(set-logic QF_LIRA)"), "{text}");
    }
}

#[test]
fn unsat_is_a_disjunction_with_constraints_and_sat_a_conjunction() {
    let unsat = "(declare-const y Int)(assert (> y 1))(assert (< y 0))(check-sat)";
    for text in fuse(&[(unsat, Verdict::Unsat), (unsat, Verdict::Unsat)], 100).unwrap() {
        assert!(text.contains("(set-info :status unsat)") && text.contains("(assert (or (and "), "{text}");
        assert!(text.contains("(assert (= z0.3 "), "{text}");
    }
    for text in fuse(&[(INT, Verdict::Sat), (INT, Verdict::Sat)], 100).unwrap() {
        assert!(text.contains("(set-info :status sat)") && !text.contains("(assert (or"), "{text}");
    }
    let mixed = fuse(&[(INT, Verdict::Sat), (unsat, Verdict::Unsat)], 100).unwrap();
    for text in &mixed {
        assert_eq!(text.contains("(set-info :status sat)"), text.contains("(assert (or"), "{text}");
    }
    assert!(
        mixed.iter().any(|t| t.contains(":status sat")) && mixed.iter().any(|t| t.contains(":status unsat"))
    );
}

#[test]
fn two_seeds_that_may_divide_by_zero_are_not_conjoined() {
    // Each has a model, but they want other values of one quotient.
    let one = "(declare-const x Int)(assert (= (div x 0) 1))(assert (= x 7))(check-sat)";
    let two = "(declare-const x Int)(assert (= (div x 0) 2))(assert (= x 7))(check-sat)";
    assert_eq!(fuse(&[(one, Verdict::Sat), (two, Verdict::Sat)], 1), Err(Skip::SharedGap));
    let three = "(declare-const x Int)(assert (= (div x 3) 2))(check-sat)";
    assert!(fuse(&[(one, Verdict::Sat), (three, Verdict::Sat)], 1).is_ok(), "3 is not zero");
}

#[test]
fn bound_variables_are_left_alone() {
    let bound =
        "(declare-const x Int)(assert (forall ((x Int)) (let ((y x)) (= y x))))(assert (= x 1))(check-sat)";
    for text in fuse(&[(bound, Verdict::Sat), (INT, Verdict::Sat)], 200).unwrap() {
        assert!(text.contains("(forall ((x Int)) (let ((y x)) (= y x)))"), "{text}");
    }
    let captures = "(declare-const x Int)(assert (forall ((z0.3 Int)) (< z0.3 x)))(check-sat)";
    assert_eq!(fuse(&[(captures, Verdict::Sat), (INT, Verdict::Sat)], 1), Err(Skip::Capture));
}

#[test]
fn sorts_of_the_two_seeds_stay_apart() {
    let sort = "(declare-sort S 0)(declare-const a S)(declare-const b S)(assert (distinct a b))(check-sat)";
    for text in fuse(&[(sort, Verdict::Sat), (sort, Verdict::Sat)], 100).unwrap() {
        assert!(text.contains("(declare-sort S.1 0)") && text.contains("(declare-sort S.2 0)"));
        let z = text.lines().filter(|l| l.starts_with("(declare-const z"));
        let sorts = [
            "(Pair.3 S.1 S.2))",
            " Bool)",
            "(Pair.3 S.1 Bool))",
            "(Pair.3 Bool S.2))",
            "(Pair.3 Bool Bool))",
        ];
        z.for_each(|z| assert!(sorts.iter().any(|s| z.ends_with(s)), "only a pair holds both: {text}"));
    }
}

#[test]
fn scripts_whose_queries_cannot_be_told_are_skipped() {
    let int = (INT, Verdict::Sat);
    let odd = "(declare-const x Int)(assert (> x 1))(minimize x)(check-sat)";
    let fused = fuse(&[int, (odd, Verdict::Sat)], 1).unwrap();
    assert!(fused[0].contains("(minimize x.2)"), "what leaves the assertions alone passes through");
    for odd in [
        "(declare-const x Int)(assert (> x 1))(include \"a.smt2\")(check-sat)",
        "(declare-const x Int)(assert (> x 1))(check-sat)(reset)(check-sat)",
    ] {
        assert_eq!(fuse(&[int, (odd, Verdict::Sat)], 1), Err(Skip::NotOneQuery));
    }
}

/// Queries, frames and assumptions of the first seed.
const FRAMES: &str = "(set-option :produce-models true)(set-logic QF_LIA)(declare-const x Int)(declare-const p Bool)
    (assert (> x 1))(check-sat)(push 1)(assert (=> p (< x 0)))(check-sat-assuming (p))(pop 1)(check-sat)(get-model)";

#[test]
fn a_first_seed_keeps_its_commands_and_a_second_one_gives_its_last_goal() {
    for status in [Verdict::Sat, Verdict::Unsat] {
        let one = match status {
            Verdict::Sat => FRAMES.to_owned(),
            _ => FRAMES.replace("(check-sat)(get-model)", "(check-sat-assuming (p (not p)))"),
        };
        for other in [Verdict::Sat, Verdict::Unsat] {
            let unsat = "(declare-const y Int)(assert (> y 1))(assert (< y 0))(check-sat)";
            let two = if other == Verdict::Sat { INT } else { unsat };
            for text in fuse(&[(&one, status), (two, other)], 50).unwrap() {
                let kept = [
                    "(push 1)\n",
                    "(pop 1)\n",
                    "(check-sat-assuming (p.1))\n",
                    "(set-option :produce-models true)",
                ];
                assert!(kept.iter().all(|command| text.contains(command)), "{text}");
                let lines: Vec<&str> = text.lines().collect();
                let last = lines.iter().rposition(|l| l.starts_with("(check-sat")).unwrap();
                assert!(lines[last - 1].starts_with("(set-info :status "), "{text}");
                let says_sat = lines[last - 1].contains(":status sat");
                assert!(!says_sat || status == Verdict::Sat || !text.contains("(p.1 (not p.1))"), "{text}");
            }
        }
    }
    for text in fuse(&[(INT, Verdict::Sat), (FRAMES, Verdict::Sat)], 20).unwrap() {
        assert!(!text.contains("(push") && !text.contains("p.2 (< x.2"), "only the last goal: {text}");
    }
}

/// Figure 3.2 of 001 divides: the model of the seeds shows that nothing is divided by zero.
#[test]
fn products_are_inverted_without_a_guard_where_models_allow_it() {
    let one = "(declare-const x Int)(declare-const w Bool)(assert (= x (- 1)))(assert (= w (= x (- 1))))(assert w)(check-sat)";
    let two = "(declare-const y Int)(declare-const v Bool)(assert (= v (not (= y (- 1)))))(assert (ite v false (= y (- 1))))(check-sat)";
    let zero = two.replace("(- 1)", "0");
    let product =
        "(fusion p (x Int) (y Int) (z Int) (f (* x y)) (rx-partial (div z y)) (ry-partial (div z x)))";
    let files = [("functions".to_owned(), product.to_owned())].into();
    let made = |two: &str, status| {
        let (mut pool, ids) = pool(&[(one, status), (two, status)]);
        let mut fusion = crate::strategy("fusion", "triplets=1", &files).unwrap();
        let mut draft = Draft::default();
        let mut all = Vec::new();
        for number in 0..100 {
            if fusion.next(&mut pool, &CaseRequest { seeds: &ids, number }, &mut draft).is_ok() {
                all.push(String::from_utf8(draft.text.clone()).unwrap());
            }
        }
        all
    };
    let all = made(two, Verdict::Sat);
    let both = |t: &&String| t.contains("(div z0.3 y.2)") && t.contains("(div z0.3 x.1)");
    assert!(all.iter().filter(both).count() > 10);
    let all = made(&zero, Verdict::Sat);
    assert!(all.iter().all(|t| !t.contains("(div z0.3 y.2)")), "y is zero");
    // The labels are wrong, but what matters is what is asserted.
    for text in made(&zero, Verdict::Unsat) {
        for (inversion, equation) in [
            ("(div z0.3 y.2)", "(assert (= x.1 (div z0.3 y.2)))"),
            ("(div z0.3 x.1)", "(assert (= y.2 (div z0.3 x.1)))"),
        ] {
            assert!(!text.contains(inversion) || text.contains(equation), "{text}");
        }
    }
}

#[test]
fn whole_terms_and_several_seeds_are_fused() {
    let one = "(declare-const x Int)(assert (> (+ x 7) 1))(check-sat)";
    let all = fuse(&[(one, Verdict::Sat), (one, Verdict::Sat)], 300).unwrap();
    assert!(all.iter().any(|t| t.contains("(assert (= z0.3 (+ (+ x.1 7) ")), "a term is tied");
    let (mut pool, ids) = pool(&[(INT, Verdict::Sat), (INT, Verdict::Sat), (INT, Verdict::Unsat)]);
    let mut fusion = make("fusion", "seeds=3");
    let mut draft = Draft::default();
    for number in 0..50 {
        fusion.next(&mut pool, &CaseRequest { seeds: &ids, number }, &mut draft).unwrap();
        let text = String::from_utf8(draft.text.clone()).unwrap();
        assert_eq!(draft.seeds.len(), 3);
        assert!(text.contains("x.1.1 ") && text.contains("x.2.1 ") && text.contains("x.2 "), "{text}");
        assert_eq!(parse_script(&mut Arena::new(), text.as_bytes()).unwrap().diagnostics, [], "{text}");
    }
}

/// A status that evidence gave is kept for making the case again.
#[test]
fn a_status_that_became_known_is_kept_in_the_provenance() {
    let mut pool = Pool::new();
    let ids: Vec<SeedId> = ["x", "y"].map(|n| pool.add(n, INT.as_bytes(), None).unwrap()).to_vec();
    let mut fusion = make("fusion", "");
    let mut draft = Draft::default();
    let request = CaseRequest { seeds: &ids, number: 1 };
    assert_eq!(fusion.next(&mut pool, &request, &mut draft), Err(Skip::UnknownStatus));
    ids.iter().for_each(|&id| pool.know_status(id, Verdict::Sat));
    fusion.next(&mut pool, &request, &mut draft).unwrap();
    let case = draft.to_case(&pool, &*fusion, &crate::OptionText::default(), 1);
    assert_eq!(case.provenance.files["statuses"], "sat sat");
    let seeds: Vec<_> = ids.iter().map(|_| ("x".to_owned(), INT.as_bytes().to_vec(), None)).collect();
    assert_eq!(crate::remake(&case.provenance, &seeds).unwrap().script, case.script);
}

#[test]
fn concat_joins_without_tying() {
    let (mut pool, ids) = pool(&[(INT, Verdict::Sat), (INT, Verdict::Sat)]);
    let mut fusion = make("fusion", "mode=concat");
    let mut draft = Draft::default();
    fusion.next(&mut pool, &CaseRequest { seeds: &ids, number: 0 }, &mut draft).unwrap();
    let text = String::from_utf8_lossy(&draft.text).into_owned();
    assert!(text.contains("(assert (> x.1 1))\n(assert (> x.2 1))\n(check-sat)"), "{text}");
}

/// No logic but `ALL` has recursive definitions for every solver.
#[test]
fn recursive_seeds_are_fused_under_all_theories() {
    let seed = "(set-logic ALL)(define-fun-rec f ((n Int)) Int (ite (<= n 0) 0 (f (- n 1))))
        (declare-const x Int)(assert (> x (f 3)))(check-sat)";
    for text in fuse(&[(seed, Verdict::Sat), (seed, Verdict::Sat)], 20).unwrap() {
        assert!(text.contains("(set-logic ALL)"), "{text}");
    }
}
