//! Names: of assertions in cores, of assumptions, of values and functions in models.

use super::{judged, short};
use smelt_core::Expectation;
use smelt_oracle::{CaseScript, Truth};

/// The questions and claims about a core of a script in which `p` and `q` are Boolean.
fn about_core(commands: &str, core: &str) -> (usize, Vec<String>) {
    let script = format!("(declare-const p Bool)(declare-const q Bool){commands}");
    let judgement = judged(&script, Expectation::Open, &[&format!("unsat#{core}")]);
    let texts = judgement.questions.iter().map(|q| String::from_utf8_lossy(&q.script).into_owned());
    for text in texts {
        assert_eq!(CaseScript::new(text.as_bytes()).not_understood(), None, "{text}");
    }
    (judgement.questions.len(), short(&judgement))
}

#[test]
fn every_name_of_an_assertion_stands_for_it_in_a_core() {
    for (commands, core, questions) in [
        ("(assert (! p :named a :named b))(assert (! (not p) :named c))(check-sat)", "b,c", 0),
        ("(assert (! p :named a :named b))(assert (! (not p) :named c))(check-sat)", "a,c", 0),
        ("(assert (! (! p :named a) :named b))(assert (! (not p) :named c))(check-sat)", "a,c", 0),
        ("(assert (! (! p :named a) :named b))(assert (! (not p) :named c))(check-sat)", "b,c", 0),
        ("(assert (! (! p :named a) :named b))(assert (! (not p) :named c))(check-sat)", "b", 1),
        (
            "(assert (! (! p :named a) :weight 3 :named b))(assert (! (not p) :named c))(check-sat)",
            "a,b,c",
            0,
        ),
        // The name of a part names no assertion.
        ("(assert (! (and (! p :named a) q) :named b))(assert (! (not p) :named c))(check-sat)", "a,c", 0),
        ("(assert (! |p| :named |a b|))(assert (! (not p) :named |c|))(check-sat)", "|a_b|,c", 0),
    ] {
        assert_eq!(about_core(commands, core), (questions, Vec::new()), "{commands} {core}");
    }
    let two = "(assert (! p :named a :named b))(assert (! (not p) :named c))(check-sat)";
    assert_eq!(about_core(two, "d"), (0, vec!["invalid-core a none".to_owned()]));
}

#[test]
fn assumptions_stay_in_force_whatever_they_are_called() {
    for (commands, core, questions) in [
        // An assumption with a name, in the core or not.
        ("(assert (! (not p) :named a))(check-sat-assuming ((! p :named n)))", "a", 0),
        ("(assert (! (not p) :named a))(check-sat-assuming ((! p :named n)))", "a,n", 0),
        ("(assert (! (not p) :named a))(check-sat-assuming ((! p :named n)))", "a,p", 0),
        ("(assert (! (not p) :named a))(assert (! q :named b))(check-sat-assuming ((! p :named n)))", "a", 1),
        ("(assert (! (not p) :named a))(check-sat-assuming ((! p :named n :named m) q))", "m,a", 0),
        // Assumptions that are names of assertions, and their negations: without its assertion, a name means nothing.
        ("(assert (! p :named a))(check-sat-assuming ((not a)))", "a,(not_a)", 0),
        ("(assert (! p :named a))(check-sat-assuming ((not a)))", "(not_a)", 0),
        ("(assert (! p :named a))(check-sat-assuming ((not a)))", "", 0),
        ("(assert (! p :named a))(assert (! (not p) :named b))(check-sat-assuming (a))", "b", 0),
        ("(assert (! (and (! p :named i) q) :named a))(assert (! (not i) :named b))(check-sat)", "b", 0),
        ("(assert (! p :named a))(define-fun f () Bool (not a))(assert (! f :named b))(check-sat)", "b", 0),
    ] {
        assert_eq!(about_core(commands, core), (questions, Vec::new()), "{commands} {core}");
    }
}

#[test]
fn a_script_with_the_names_of_a_universe_makes_no_model_wrong() {
    let model = |script: &str, model: &str| CaseScript::new(script.as_bytes()).check_model(0, model).truth;
    for (a, b, text) in [
        // z3, also where only the comment has the name.
        (
            "S!val!0",
            "S!val!1",
            "((declare-fun S!val!0 () S) (declare-fun S!val!1 () S)
             (forall ((x S)) (or (= x S!val!0) (= x S!val!1)))
             (define-fun S!val!0 () S S!val!1) (define-fun S!val!1 () S S!val!0))",
        ),
        ("S!val!0", "b", "((define-fun b () S S!val!0) (define-fun S!val!0 () S S!val!0))"),
        // cvc5, CVC4, yices and others.
        ("@S_0", "b", "((define-fun b () S (as @S_0 S)) (define-fun @S_0 () S (as @S_0 S)))"),
        ("@uc_S_0", "b", "((define-fun b () S @uc_S_0) (define-fun @uc_S_0 () S @uc_S_0))"),
        ("@const_1", "b", "(= b @const_1)\n(= @const_1 @const_1)"),
        ("const_1", "b", "((define-fun b () S const_1) (define-fun const_1 () S const_1))"),
        (
            "@S_1",
            "b",
            "((define-fun b () S @S_0) (define-fun @S_1 () S @S_0)
             ; cardinality of S is 2\n; rep: (as @S_0 S)\n; rep: (as @S_1 S)\n)",
        ),
    ] {
        let script = format!(
            "(declare-sort S 0)(declare-const {a} S)(declare-const {b} S)(assert (distinct {a} {b}))(check-sat)"
        );
        assert_eq!(model(&script, text), Truth::Unknown, "{a} {b} {text}");
    }
    let plain = "(declare-sort S 0)(declare-const a S)(declare-const b S)(assert (distinct a b))(check-sat)";
    assert_eq!(model(plain, "((define-fun a () S S!val!0) (define-fun b () S S!val!1))"), Truth::True);
    assert_eq!(model(plain, "((define-fun a () S @S_0) (define-fun b () S @S_0))"), Truth::False);
    // A function of the model's own, with the name of one that the script defines.
    let array = "(define-fun k!0 ((x Int)) Int 7)(declare-const a (Array Int Int))(assert (= (select a 1) 2))(check-sat)";
    let own = "((define-fun a () (Array Int Int) (_ as-array k!0)) (define-fun k!0 ((x Int)) Int 2))";
    assert_eq!(model(array, own), Truth::Unknown);
    let other =
        "((define-fun a () (Array Int Int) (lambda ((i Int)) (k!0 i))) (define-fun k!0 ((x Int)) Int 2))";
    assert_eq!(model(array, other), Truth::Unknown);
}

#[test]
fn a_model_gives_no_meaning_to_an_operator_of_one_solver() {
    let model = |assertion: &str| {
        let script = format!("(assert {assertion})(check-sat)");
        let own = "((define-fun rem0 ((x Int)) Int 1) (define-fun mod0 ((x Int)) Int 2) (define-fun div0 ((x Int)) Int 3))";
        CaseScript::new(script.as_bytes()).check_model(0, own).truth
    };
    assert_eq!(model("(distinct (mod 5 0) (div 5 0))"), Truth::True);
    assert_eq!(model("(= (mod 5 0) (div 5 0))"), Truth::False);
    // In z3, both are the same at zero.
    assert_eq!(model("(distinct (rem 5 0) (mod 5 0))"), Truth::Unknown);
}
