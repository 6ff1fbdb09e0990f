use super::*;

fn examine(script: &str, check: usize, model: &str) -> Truth {
    CaseScript::new(script.as_bytes()).check_model(check, model).truth
}

#[test]
fn a_model_is_held_against_the_assertions_in_force_at_its_check() {
    let script = "(declare-const x Int)(assert (> x 0))(check-sat)(push 1)(declare-const y Int)\
                  (assert (= y (+ x 1)))(check-sat)(pop 1)(assert (> x 5))(check-sat)";
    let one = "((define-fun x () Int 1))";
    let two = "((define-fun x () Int 1) (define-fun y () Int 2))";
    assert_eq!([0, 1, 2].map(|c| examine(script, c, one)), [Truth::True, Truth::Unknown, Truth::False]);
    assert_eq!([0, 1, 2].map(|c| examine(script, c, two)), [Truth::True, Truth::True, Truth::False]);
}

#[test]
fn assumptions_are_part_of_the_question_and_what_follows_exit_is_not() {
    let script = "(declare-const p Bool)(check-sat-assuming ((not p)))(check-sat-using smt)(exit)(check-sat)";
    assert_eq!(CaseScript::new(script.as_bytes()).checks(), 2);
    assert_eq!(examine(script, 0, "((define-fun p () Bool true))"), Truth::False);
    assert_eq!(examine(script, 1, "((define-fun p () Bool true))"), Truth::True);
}

#[test]
fn a_model_cannot_change_what_the_script_defines() {
    let script = "(declare-const x Int)(define-fun f ((a Int)) Int (+ a 1))(assert (= (f x) x))(check-sat)";
    let model = "((define-fun x () Int 1) (define-fun f ((a Int)) Int a))";
    assert_eq!(examine(script, 0, model), Truth::False);
}

#[test]
fn what_smelt_does_not_understand_proves_nothing() {
    let model = "((define-fun p () Bool true))";
    for (text, truth) in [
        ("(declare-const p Bool)(assert p)(check-sat)", Truth::True),
        ("(declare-const p Bool)(assert p)(assert-soft (not p))(check-sat)", Truth::True),
        ("(declare-const p Bool)(assert p)(frobnicate p)(check-sat)", Truth::Unknown),
        ("(declare-const p Bool)(assert p)(assert)(check-sat)", Truth::Unknown),
        (
            "(declare-const p Bool)(assert p)(define-fun-rec f ((x Int)) Int (+ 1 (f x)))(check-sat)",
            Truth::Unknown,
        ),
        ("(declare-const p Bool)(assert p", Truth::Unknown),
        ("(declare-const p Bool)(declare-const false Bool)(assert p)(check-sat)", Truth::Unknown),
    ] {
        assert_eq!(examine(text, 0, model), truth, "{text}");
    }
}

#[test]
fn a_text_that_is_no_model_is_unknown_and_never_false() {
    let script = "(declare-const p Bool)(assert p)(check-sat)";
    for model in ["", "(", "(error \"x\")", "((define-fun q () Bool true))", "((define-fun p () Int 1))"] {
        assert_eq!(examine(script, 0, model), Truth::Unknown, "{model}");
    }
}

#[test]
fn operators_of_one_solver_are_noticed_where_they_are_used() {
    let script = b"(declare-const x Real)(assert (> x 0.0))(check-sat)(assert (= (^ x 0.0) 1.0))(check-sat)";
    let case = CaseScript::new(script);
    assert_eq!((case.nonstandard_operator(0), case.nonstandard_operator(1)), (None, Some("^".to_owned())));
}

#[test]
fn unusual_numbers_of_arguments_are_left_open() {
    for (term, truth) in [
        ("(= (bvxnor p q) #b1)", Truth::True),
        ("(= (bvxnor p) #b1)", Truth::Unknown),
        ("(= (bvxnor p q p) #b1)", Truth::Unknown),
        ("(= (bvsub p) #b0)", Truth::Unknown),
        ("(= (bvand p) #b0)", Truth::True),
        ("(and (= p q))", Truth::True),
        ("(= (bvneg p) #b0)", Truth::True),
    ] {
        let head = "(declare-const p (_ BitVec 1))(declare-const q (_ BitVec 1))";
        let script = format!("{head}(assert {term})(check-sat)");
        let model = "((define-fun p () (_ BitVec 1) #b0) (define-fun q () (_ BitVec 1) #b0))";
        assert_eq!(examine(&script, 0, model), truth, "{term}");
    }
}

#[test]
fn a_name_with_two_meanings_proves_nothing() {
    for (script, model) in [
        (
            "(declare-fun div0 (Int) Int)(declare-const x Int)(assert (= (div0 x) 1))(assert (= (div x 0) 2))",
            "((define-fun x () Int 0) (define-fun div0 ((a Int)) Int 1) (define-fun div0 ((a Int) (b Int)) Int 2))",
        ),
        (
            "(declare-fun f (Int) Int)(declare-fun f (Bool) Int)(assert (= (f 0) 1))(assert (= (f true) 2))",
            "((define-fun f ((a Int)) Int 1) (define-fun f ((a Bool)) Int 2))",
        ),
        ("(declare-const x Int)(assert (= x 1))", "((define-fun x () Int 1) (define-fun x () Int 2))"),
    ] {
        assert_eq!(examine(&format!("{script}(check-sat)"), 0, model), Truth::Unknown, "{script}");
    }
    let defined = "(define-fun div0 ((x Int)) Int 5)(assert (= (div 3 0) 2))(check-sat)";
    let case = CaseScript::new(defined.as_bytes());
    assert_eq!((case.exhausted(0), case.nonstandard_operator(0)), (None, Some("div0".to_owned())));
}

#[test]
fn every_part_of_a_value_is_of_its_sort() {
    let sorts = "(declare-sort U 0)(declare-fun P (U) Bool)(declare-datatypes ((W 1) (E 0)) ((par (T) ((w (u T)))) ((e))))";
    for (script, model, truth) in [
        (
            "(declare-fun f (Int) Bool)(assert (distinct (f 0) (f 1) (f 2)))",
            "(define-fun f ((x Int)) Bool x)",
            Truth::Unknown,
        ),
        (
            "(declare-const a (Array Int (_ BitVec 1)))(assert (distinct (select a 0) (select a 1) (select a 2)))",
            "(define-fun a () (Array Int (_ BitVec 1)) (store (store ((as const (Array Int (_ BitVec 1))) #b00) 1 #b01) 2 #b10))",
            Truth::Unknown,
        ),
        (
            "(declare-const v (W Bool))(assert (distinct v (w true) (w false)))",
            "(define-fun v () (W Bool) (w #b00))",
            Truth::Unknown,
        ),
        (
            "(declare-const v (W (W Bool)))(assert (distinct v (w (w true))))",
            "(define-fun v () (W (W Bool)) (w (w false)))",
            Truth::True,
        ),
        (
            "(declare-const c U)(declare-fun f (U) U)(assert (not (P (f c))))(assert (forall ((x U)) (P x)))",
            "(declare-fun U!val!0 () U)(forall ((x U)) (= x U!val!0))(define-fun c () U U!val!0)\
             (define-fun f ((x U)) U U!val!1)(define-fun P ((x U)) Bool (= x U!val!0))",
            Truth::Unknown,
        ),
        (
            "(declare-const q (Seq Real))(assert (= q (seq.unit 1.0)))",
            "(define-fun q () (Seq Real) (seq.unit 1))",
            Truth::Unknown,
        ),
        (
            "(declare-const a (Array Int Real))(assert (= a ((as const (Array Int Real)) 1.0)))",
            "(define-fun a () (Array Int Real) ((as const (Array Int Real)) 1))",
            Truth::True,
        ),
    ] {
        let found = examine(&format!("{sorts}{script}(check-sat)"), 0, &format!("({model})"));
        assert_eq!(found, truth, "{script}");
    }
}

#[test]
fn texts_in_a_model_are_taken_as_they_are() {
    for text in ["a@(x)_0b", "(_ real_algebraic_number <1*x^2 + (-2), (1, 2)>)", "; rep: U!val!0"] {
        let script = format!("(declare-const s String)(assert (= s \"{text}\"))(check-sat)");
        let model = format!("((define-fun s () String \"{text}\"))");
        assert_eq!(examine(&script, 0, &model), Truth::True, "{text}");
    }
    // The standard has no such literal: solvers read its bytes, or its code points.
    let odd = CaseScript::new("(assert (= (str.len \"é\") 1))(check-sat)".as_bytes());
    assert_eq!((odd.exhausted(0), odd.nonstandard_operator(0)), (None, Some("\"é\"".to_owned())));
}

#[test]
fn options_that_change_meaning_are_noticed() {
    for (text, alters) in [
        ("(set-option :smt.arith.ignore_int true)", true),
        ("(set-option :smt.arith.ignore_int false)", false),
        ("(set-option :smt.array.extensional false)", true),
        ("(set-option :arith-no-partial-fun true)", true),
        ("(set-option :smt.arith.solver 0)", true),
        ("(set-option :smt.arith.solver 2)", false),
        ("(set-option :produce-models true)", false),
        ("(declare-const p Bool)(check-sat)(block-model :values)(check-sat)", true),
        ("(declare-const p Bool)(check-sat (not p))(check-sat)", true),
        ("(declare-const p Bool)(check-sat-using smt)(check-sat)", false),
    ] {
        assert_eq!(CaseScript::new(text.as_bytes()).incomparable().is_some(), alters, "{text}");
    }
    for (line, alters) in [
        ("smt.array.extensional=false", true),
        ("-st smt.arith.solver=0", true),
        ("--lang smt2 --arith-no-partial-fun", true),
        ("--strings-exp smt.arith.solver=2", false),
        ("/tools/unsafe-wrapper", false),
    ] {
        let words: Vec<String> = line.split(' ').map(str::to_owned).collect();
        assert_eq!(altering_argument(&words).is_some(), alters, "{line}");
    }
}
