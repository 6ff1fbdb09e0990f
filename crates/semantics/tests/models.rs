//! Models as solvers print them: read, checked, and refused with a reason when they are not models.

use smelt_semantics::goal::Goal;
use smelt_semantics::model::{Escapes, Model, Truth};
use smelt_smtlib::{Arena, parse_script};

fn judge(script: &str, model: &str) -> Result<(Truth, Option<String>), String> {
    judge_with(script, model, Escapes::Standard)
}

fn judge_with(script: &str, model: &str, escapes: Escapes) -> Result<(Truth, Option<String>), String> {
    let mut arena = Arena::new();
    let parsed = parse_script(&mut arena, script.as_bytes()).unwrap();
    let goal = Goal::last(&parsed.script);
    let model = Model::read(&mut arena, &parsed.scope, &goal, model.as_bytes(), escapes)
        .map_err(|e| e.to_string())?;
    let judgements = model.check(&arena, &goal);
    let reason = judgements.assertions.iter().find_map(|a| a.reason.clone());
    Ok((judgements.verdict(), reason))
}

fn verdict(script: &str, model: &str) -> Truth {
    judge(script, model).unwrap().0
}

const INTS: &str = "(declare-const x Int)(declare-fun f (Int) Int)(assert (> (f x) x))(check-sat)";

#[test]
fn definitions_with_and_without_a_wrapper_are_read() {
    for model in [
        "sat\n(\n  (define-fun x () Int (- 3))\n  (define-fun f ((x!0 Int)) Int (ite (= x!0 5) 1 7)))",
        "sat\n(model\n(define-fun x () Int (- 3))(define-fun f ((_ufmt_1 Int)) Int 7)\n)\n",
        "(define-fun x () Int (- 3))(define-fun f ((a Int)) Int (+ a 1))",
        "((define-const x Int 3) (define-fun-rec f ((a Int)) Int (ite (< a 0) 0 (+ 1 (f (- a 1))))))",
    ] {
        assert_eq!(verdict(INTS, model), Truth::True, "{model}");
    }
    assert_eq!(verdict(INTS, "((define-fun x () Int 7) (define-fun f ((a Int)) Int a))"), Truth::False);
}

#[test]
fn value_pairs_are_read() {
    let script = "(declare-const x Int)(declare-const s String)(assert (= (str.len s) x))";
    assert_eq!(verdict(script, "((x 2) (s \"a\"\"\"))"), Truth::True);
    assert_eq!(verdict(script, "sat\n((x 3)\n (s \"ab\"))"), Truth::False);
    assert_eq!(verdict(script, "(= x 1)\n(= s \"\\u{e9}\")"), Truth::True);
}

#[test]
fn arrays_are_read_in_every_notation() {
    let script = "(declare-const a (Array Int Int))(declare-const i Int)(assert (= (select a 3) 5))(assert (= (select a i) 0))";
    for a in [
        "(store ((as const (Array Int Int)) 0) 3 5)",
        "(_ as-array k!0)",
        "(lambda ((x Int)) (ite (= x 3) 5 0))",
        "(let ((b ((as const (Array Int Int)) 0))) (store b 3 5))",
    ] {
        let model = format!(
            "((define-fun a () (Array Int Int) {a}) (define-fun i () Int 4) (define-fun k!0 ((y Int)) Int (ite (= y 3) 5 0)))"
        );
        assert_eq!(verdict(script, &model), Truth::True, "{a}");
    }
}

#[test]
fn the_variable_of_a_lambda_hides_one_further_out() {
    let script = "(declare-const y Int)(assert (exists ((x Int)) (and (= x 2) (= y (select (lambda ((x Int)) (ite (= x (- x)) 7 0)) 0)))))";
    assert_ne!(verdict(script, "((y 0))"), Truth::True);
    assert_ne!(verdict(script, "((y 7))"), Truth::False);
}

#[test]
fn a_function_that_gives_a_function_takes_several_arguments() {
    let script = |value: &str| {
        format!(
            "(declare-const b Bool)(define-fun c ((d (-> Bool (-> Bool Bool)))) Bool (d b (not b)))\
             (assert (= (c (lambda ((f Bool)) (lambda ((e Bool)) (and f (not e))))) {value}))"
        )
    };
    for (b, value, truth) in
        [("true", "true", Truth::True), ("true", "false", Truth::False), ("false", "false", Truth::True)]
    {
        assert_eq!(verdict(&script(value), &format!("((define-fun b () Bool {b}))")), truth, "{b} {value}");
    }
}

#[test]
fn elements_of_uninterpreted_sorts_are_read() {
    let script = "(declare-sort U 0)(declare-const a U)(declare-const b U)(assert (distinct a b))";
    for model in [
        "((define-fun a () U (as @a0 U)) (define-fun b () U (as @a1 U)))",
        "((define-fun a () U @uc_U_0) (define-fun b () U @uc_U_1))",
        "((define-fun a () U (as @(Box Int)_0 U)) (define-fun b () U (as @(Box Int)_1 U)))",
        ";; universe for U:\n;; U!val!0 U!val!1\n((declare-fun U!val!0 () U)(declare-fun U!val!1 () U)\n\
         (forall ((x U)) (or (= x U!val!0) (= x U!val!1)))\n(define-fun a () U U!val!0)(define-fun b () U U!val!1))",
    ] {
        assert_eq!(verdict(script, model), Truth::True, "{model}");
    }
    let same = "((define-fun a () U (as @a0 U)) (define-fun b () U (as @a0 U)))";
    assert_eq!(verdict(script, same), Truth::False);
}

#[test]
fn a_quantifier_over_a_sort_is_decided_by_its_universe() {
    let script =
        "(declare-sort U 0)(declare-const a U)(declare-fun p (U) Bool)(assert (forall ((x U)) (p x)))";
    let model = "; cardinality of U is 2\n; rep: (as @U_0 U)\n; rep: (as @U_1 U)\n((define-fun a () U (as @U_0 U))\
                 (define-fun p ((x U)) Bool (or (= x (as @U_0 U)) (= x (as @U_1 U)))))";
    assert_eq!(verdict(script, model), Truth::True);
    let less = model.replace(" (= x (as @U_1 U))", "");
    assert_eq!(verdict(script, &less), Truth::False);
    let without: String = model.lines().filter(|l| !l.starts_with(';')).collect();
    assert_eq!(verdict(script, &without), Truth::Unknown);
}

#[test]
fn a_guard_bounds_what_a_quantifier_ranges_over() {
    for (formula, wanted) in [
        ("(forall ((i Int)) (=> (and (>= i 0) (< i (str.len s))) (= (str.at s i) \"a\")))", Truth::True),
        ("(forall ((i Int)) (=> (>= i 0) (=> (> 4 i) (= (str.at s i) \"a\"))))", Truth::False),
        ("(forall ((i Int)) (! (=> (and (<= 5 i) (< i 5)) false) :pattern ((str.at s i))))", Truth::True),
        ("(exists ((i Int)) (and (<= 0 i) (<= i n) (= (str.at s i) \"b\")))", Truth::False),
        ("(forall ((x String) (y String)) (=> (= s (str.++ x y)) (not (= x \"b\"))))", Truth::True),
        (
            "(forall ((x String) (y String) (z String)) (=> (= (str.++ x y z) s) (not (= y \"aa\"))))",
            Truth::False,
        ),
        ("(exists ((x String)) (and (= (str.++ x \"a\") s) (= (str.len x) n)))", Truth::True),
        (
            "(forall ((q (Seq Int)) (r (Seq Int))) (=> (= (seq.unit 1) (seq.++ q r)) (< (seq.len q) 2)))",
            Truth::True,
        ),
        // No guard, a guard that bounds one side only, and a guard about the variable itself.
        ("(forall ((x String)) (=> (= (str.len x) 3) (not (= x \"xyz\"))))", Truth::Unknown),
        ("(forall ((i Int)) (=> (>= i 0) (not (= (* i i) 49))))", Truth::Unknown),
        ("(forall ((i Int) (j Int)) (=> (and (<= 0 i) (<= i j)) (not (= i 7))))", Truth::Unknown),
    ] {
        let script = format!("(declare-const s String)(declare-const n Int)(assert {formula})");
        let model = "((define-fun s () String \"aaa\") (define-fun n () Int 2))";
        assert_eq!(verdict(&script, model), wanted, "{formula}");
    }
}

#[test]
fn a_witness_decides_a_quantifier_over_many_values() {
    for (formula, wanted) in [
        ("(forall ((x Float32)) (not (fp.isNegative (fp.min x (_ +zero 8 24)))))", Truth::False),
        ("(forall ((x Float32)) (=> (fp.isZero x) (= x (_ +zero 8 24))))", Truth::False),
        ("(forall ((x Float32)) (=> (fp.isNormal x) (fp.leq x (fp.abs x))))", Truth::Unknown),
        ("(forall ((x (_ BitVec 64))) (bvsge (bvneg x) x))", Truth::False),
        ("(forall ((x (_ BitVec 64))) (=> (bvslt x #x0000000000000000) (bvsgt (bvneg x) x)))", Truth::False),
        (
            "(exists ((x (_ BitVec 64))) (and (bvsgt x #x0000000000000001) (bvslt (bvadd x x) x)))",
            Truth::True,
        ),
    ] {
        assert_eq!(verdict(&format!("(assert {formula})"), "()"), wanted, "{formula}");
    }
}

#[test]
fn algebraic_numbers_are_exact() {
    let script = "(declare-const r Real)(assert (= (* r r) 2.0))(assert (> r 1.0))";
    for r in ["(root-obj (+ (^ x 2) (- 2)) 2)", "(_ real_algebraic_number <1*x^2 + (-2), (5/4, 3/2)>)"] {
        assert_eq!(verdict(script, &format!("((define-fun r () Real {r}))")), Truth::True, "{r}");
    }
    let negative = "((define-fun r () Real (root-obj (+ (^ x 2) (- 2)) 1)))";
    assert_eq!(verdict(script, negative), Truth::False);
}

#[test]
fn datatypes_floats_and_sequences_are_read() {
    let script = "(declare-datatypes ((L 1)) ((par (T) ((nil) (cons (hd T) (tl (L T)))))))(declare-const l (L Int))\
        (declare-const d Float32)(declare-const q (Seq Int))(declare-const m RoundingMode)\
        (assert (= (hd (tl l)) 2))(assert (fp.isNaN d))(assert (= (seq.nth q 1) 7))(assert (= m RTZ))";
    let model = "((define-fun l () (L Int) (cons 1 (cons 2 (as nil (L Int))))) (define-fun d () (_ FloatingPoint 8 24) (_ NaN 8 24))\
        (define-fun q () (Seq Int) (seq.++ (seq.unit 1) (seq.unit 7))) (define-fun m () RoundingMode roundTowardZero))";
    assert_eq!(verdict(script, model), Truth::True);
}

#[test]
fn open_corners_take_the_models_own_function_or_are_unknown() {
    let script =
        "(declare-const x Int)(declare-const r Real)(assert (= (div x 0) 5))(assert (= (/ r 0.0) 1.5))";
    let values = "(define-fun x () Int 1)(define-fun r () Real 2.0)";
    let (v, reason) = judge(script, &format!("({values})")).unwrap();
    assert_eq!(v, Truth::Unknown);
    assert!(reason.unwrap().contains("div"));
    let own = "(define-fun div0 ((a Int)) Int 5)(define-fun /0 ((a Real)) Real (ite (= a 2.0) 1.5 0.0))";
    assert_eq!(verdict(script, &format!("({values}{own})")), Truth::True);
    assert_eq!(verdict(script, &format!("({values}{})", own.replace("Int 5", "Int 6"))), Truth::False);
}

#[test]
fn escapes_of_older_releases_are_read_on_request() {
    let script = "(declare-const s String)(assert (= (str.len s) 2))";
    assert_eq!(judge_with(script, "((s \"\\x41\\n\"))", Escapes::Legacy).unwrap().0, Truth::True);
    assert_eq!(verdict(script, "((s \"\\x41\\n\"))"), Truth::False);
}

#[test]
fn a_text_that_is_not_a_model_is_refused_with_a_reason() {
    for (model, why) in [
        ("", "no model"),
        ("unsat\n", "unsat"),
        ("unknown\n((x 1))", "unknown"),
        ("sat\n(error \"no model available\")", "error"),
        ("sat\n((define-fun x () Int", "without its `)`"),
        ("sat\n((define-fun x () Int 3)", "ends in the middle"),
        ("sat (define-fun x", ""),
        ("\u{0}\u{1}", "well-formed"),
        ("((x \"abc", "well-formed"),
    ] {
        match judge(INTS, model) {
            Err(e) => assert!(e.contains(why), "{model:?}: {e}"),
            Ok(v) => panic!("{model:?} was taken for a model: {v:?}"),
        }
    }
}

#[test]
fn missing_and_ill_sorted_values_are_unknown_and_never_false() {
    for (model, why) in [
        ("()", "no value for `f`"),
        ("((define-fun x () Int 3))", "no value for `f`"),
        ("((define-fun x () Bool true) (define-fun f ((a Int)) Int 9))", "not of sort Int"),
        ("((define-fun x () Int foo) (define-fun f ((a Int)) Int 9))", "foo"),
        ("((define-fun x () Int 3) (define-fun f ((a Int) (b Int)) Int 9))", "sort"),
    ] {
        let (v, reason) = judge(INTS, model).unwrap();
        assert_eq!(v, Truth::Unknown, "{model}");
        assert!(reason.as_deref().unwrap_or("").contains(why), "{model}: {reason:?}");
    }
}

#[test]
fn the_goal_is_what_counts_at_the_last_check() {
    let script = "(declare-const x Int)(assert (> x 0))(push 1)(assert (< x 0))(check-sat)(pop 1)(check-sat-assuming ((= x 3)))";
    assert_eq!(verdict(script, "((x 3))"), Truth::True);
    assert_eq!(verdict(script, "((x 4))"), Truth::False);
}

#[test]
fn deep_values_do_not_overflow_the_stack() {
    let depth = 50_000;
    let script =
        format!("(declare-const p Bool)(assert {}p{})", "(not ".repeat(2 * depth), ")".repeat(2 * depth));
    assert_eq!(verdict(&script, "((p true))"), Truth::True);
    let script = "(declare-datatypes ((N 0)) (((z) (s (p N)))))(declare-const n N)(assert ((_ is s) n))";
    let value = format!("((n {}z{}))", "(s ".repeat(depth), ")".repeat(depth));
    assert_eq!(verdict(script, &value), Truth::True);
}

#[test]
fn damaged_models_never_panic() {
    let script = "(declare-sort U 0)(declare-const x Int)(declare-const a (Array Int U))(declare-const u U)(assert (= (select a x) u))";
    let model = "sat\n((define-fun x () Int (- 3))\n(define-fun u () U (as @a0 U))\n(define-fun a () (Array Int U) (store ((as const (Array Int U)) (as @a1 U)) (- 3) (as @a0 U))))";
    assert_eq!(verdict(script, model), Truth::True);
    let mut seed = 1u64;
    for _ in 0..20_000 {
        let mut text = model.as_bytes().to_vec();
        for _ in 0..3 {
            seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            let at = (seed >> 33) as usize % text.len().max(1);
            match seed >> 60 {
                0..4 => text.truncate(at),
                4..8 if at < text.len() => drop(text.remove(at)),
                _ if at < text.len() => text[at] = b"()|\"; x0@"[(seed >> 20) as usize % 9],
                _ => {}
            }
        }
        let _ = judge(script, &String::from_utf8_lossy(&text));
    }
}

#[test]
fn equal_languages_inside_other_values_are_equal_however_they_are_written() {
    let list = "(declare-datatype L ((nil) (cons (hd RegLan) (tl L))))(declare-fun f (RegLan) Int)";
    let one = "(re.++ (str.to_re \"A\") (re.* (str.to_re \"A\")))";
    let same = "(re.+ (str.to_re \"A\"))";
    let other = "(re.* (str.to_re \"A\"))";
    let model = "((define-fun f ((x RegLan)) Int (ite (= x (re.+ (str.to_re \"A\"))) 1 0)))";
    let judge = |claim: &str| verdict(&format!("{list}(assert {claim})(check-sat)"), model);
    for (claim, truth) in [
        (format!("(= (cons {one} nil) (cons {same} nil))"), Truth::True),
        (format!("(= (cons {one} nil) (cons {other} nil))"), Truth::False),
        (format!("(= (cons {one} nil) (cons {same} (cons {other} nil)))"), Truth::False),
        (format!("(= (seq.unit {one}) (seq.unit {same}))"), Truth::True),
        (format!("(= (seq.unit {one}) (seq.unit {other}))"), Truth::False),
        // What is looked up as it is written is not known.
        (format!("(seq.contains (seq.unit {one}) (seq.unit {same}))"), Truth::Unknown),
        (format!("(set.member {one} (set.singleton {same}))"), Truth::Unknown),
        (format!("(= 1 (select (store ((as const (Array RegLan Int)) 0) {one} 1) {same}))"), Truth::Unknown),
        (format!("(= 1 (f {one}))"), Truth::True),
    ] {
        assert_eq!(judge(&claim), truth, "{claim}");
    }
}
