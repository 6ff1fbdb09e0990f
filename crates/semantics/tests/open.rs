//! What the standard leaves open, and definitions that have no meaning: the built-in solver is never wrong about them.

use smelt_semantics::eval::{Allowed, Point};
use smelt_semantics::goal::Goal;
use smelt_semantics::solver::{Limits, Session, Settings, solve};
use smelt_smtlib::signature::Signatures;
use smelt_smtlib::{Arena, Sort, parse_script};

fn answer(commands: &str) -> String {
    let mut arena = Arena::new();
    let parsed = parse_script(&mut arena, format!("{commands}(check-sat)").as_bytes()).unwrap();
    assert_eq!(parsed.diagnostics, [], "{commands}");
    let goal = Goal::last(&parsed.script);
    solve(&mut arena, &goal, Limits { steps: 3_000_000 }).as_str().to_owned()
}

#[test]
fn an_open_result_is_one_that_the_standard_allows() {
    let (plus, minus) = ("(_ +zero 5 11)", "(_ -zero 5 11)");
    let zeros = |f: &str| format!("({f} {plus} {minus})");
    let datatype = "(declare-datatype L ((nil) (cons (head Int) (tail L))))";
    for (assertion, expected) in [
        (format!("(not (fp.isZero {}))", zeros("fp.max")), "unsat"),
        (format!("(not (fp.isZero {}))", zeros("fp.min")), "unsat"),
        (format!("(fp.isNaN {})", zeros("fp.min")), "unsat"),
        (format!("(fp.isNegative {})", zeros("fp.max")), "sat"),
        (format!("(fp.isPositive {})", zeros("fp.max")), "sat"),
        (format!("(distinct {} {})", zeros("fp.max"), zeros("fp.max")), "unsat"),
        (format!("(distinct {} {})", zeros("fp.max"), zeros("fp.min")), "sat"),
        (format!("(distinct {} {plus} {minus})", zeros("fp.max")), "unsat"),
        ("(not (set.member (set.choose (set.insert 1 2 (as set.empty (Set Int)))) (set.insert 1 2 (as set.empty (Set Int)))))".to_owned(), "unsat"),
        ("(= (set.choose (set.insert 1 2 (as set.empty (Set Int)))) 2)".to_owned(), "sat"),
        ("(= (set.choose (set.insert 1 2 (as set.empty (Set Int)))) 3)".to_owned(), "unsat"),
        ("(= (set.choose (as set.empty (Set Int))) 3)".to_owned(), "sat"),
        ("(distinct (div 1 0) (div 1 0))".to_owned(), "unknown"),
        ("(= (div 1 0) (+ 1 (div 2 0)))".to_owned(), "sat"),
        ("(= (mod 1 0) (- 7))".to_owned(), "sat"),
        ("(= (/ 1.0 0.0) 7.0)".to_owned(), "sat"),
        ("(= ((_ fp.to_ubv 2) RNE (_ NaN 5 11)) #b10)".to_owned(), "sat"),
        ("(distinct ((_ fp.to_ubv 1) RNE (_ NaN 5 11)) #b0 #b1)".to_owned(), "unsat"),
        ("(= ((_ fp.to_sbv 2) RNE (_ +oo 5 11)) #b10)".to_owned(), "sat"),
        ("(= (fp.to_real (_ -oo 5 11)) 3.0)".to_owned(), "sat"),
        ("(= (seq.nth (seq.unit 1) 5) 7)".to_owned(), "sat"),
        ("(distinct (seq.nth (seq.unit 1) 5) (seq.nth (seq.unit 1) 5))".to_owned(), "unknown"),
        ("(= (head nil) 4)".to_owned(), "sat"),
        ("(distinct (head nil) (head nil))".to_owned(), "unknown"),
        // Solvers' own operators have a meaning there that we do not know.
        ("(= (^ 4.0 0.5) 3.0)".to_owned(), "unknown"),
        ("(= (^ 2 (- 1)) 3)".to_owned(), "unknown"),
        ("(= (^ 0 0) 3)".to_owned(), "unknown"),
        ("(distinct (rem 5 0) (mod 5 0))".to_owned(), "unknown"),
        ("(= (fp.to_ieee_bv (_ NaN 5 11)) #x0000)".to_owned(), "unknown"),
    ] {
        assert_eq!(answer(&format!("{datatype}(assert {assertion})")), expected, "{assertion}");
    }
}

#[test]
fn the_range_of_every_partial_operator_is_decided() {
    let signatures = Signatures::builtin();
    let arena = signatures.arena();
    for (_, row) in signatures.ops().filter(|(_, row)| row.partial) {
        let point = Point { name: row.name, sort: Sort::INT, args: Vec::new() };
        let name = arena.name(row.name);
        // Standard operators may be anything there but for those with a range of their own; others are not known.
        let expected = match (&*name, row.dialect.is_some()) {
            // The other rows of these names are the standard's.
            ("set.choose" | "div" | "mod", _) | (_, false) => Allowed::Any,
            (_, true) => Allowed::Unknown,
        };
        assert_eq!(point.allowed(&arena), expected, "{name}");
    }
}

#[test]
fn values_of_open_results_are_allowed_ones() {
    let script = "(check-sat)(get-value ((set.choose (set.insert 5 (set.insert 6 (as set.empty (Set Int)))))
        (fp.max (_ -zero 5 11) (_ +zero 5 11))))";
    let (out, _) = Session::new(Settings::default()).answer(script.as_bytes());
    let text = String::from_utf8(out).unwrap();
    assert!(text.starts_with("sat\n") && !text.contains(") 0)"), "{text}");
}

#[test]
fn definitions_that_may_have_no_meaning_decide_nothing() {
    for definition in [
        "(define-fun-rec f ((n Int)) Int (+ 1 (f n)))(assert (= (f 0) (f 0)))",
        "(define-fun-rec f ((n Int)) Int (+ 1 (f n)))(assert true)",
        "(define-fun-rec f ((n Int)) Bool (not (f n)))(assert (or true (f 0)))",
        "(define-fun-rec f () Bool (not f))(assert true)",
        "(define-fun-rec f ((n Int)) Int (+ 1 (f (+ n 1))))(assert true)",
        "(define-fun-rec f ((n Int)) Int (ite (= n 0) 0 (+ 1 (f (- n 1)))))(assert (= (f (- 1)) 5))",
        "(define-funs-rec ((f ((n Int)) Bool) (g ((n Int)) Bool)) ((not (g n)) (f n)))(assert true)",
        "(define-funs-rec ((f ((n Int)) Int) (g ((n Int)) Int)) ((+ 1 (g n)) (f n)))(declare-const x Int)(assert (> x 1))",
        "(declare-const c Int)(define-funs-rec ((f ((n Int)) Int) (g ((n Int)) Int)) ((+ c (g n)) (f n)))
         (assert (= c (g 1)))",
        "(define-fun-rec f ((n Int)) Bool (forall ((m Int)) (not (f m))))(assert true)",
        "(define-fun-rec f ((n Int)) Int (let ((m n)) (+ 1 (f m))))(assert true)",
        "(define-fun g ((n Int)) Int n)(define-fun-rec f ((n Int)) Int (+ 1 (f (g n))))(assert false)",
    ] {
        assert_eq!(answer(definition), "unknown", "{definition}");
        let (out, _) =
            Session::new(Settings::default()).answer(format!("{definition}(check-sat)").as_bytes());
        assert_eq!(String::from_utf8_lossy(&out), "unknown\n", "{definition}");
    }
    for (definition, expected) in [
        ("(define-fun-rec f ((n Int)) Int (ite (<= n 0) 0 (+ 2 (f (- n 1)))))(assert (= (f 3) 6))", "sat"),
        ("(define-fun-rec f ((n Int)) Int (ite (<= n 0) 0 (+ 2 (f (- n 1)))))(assert (= (f 3) 7))", "unsat"),
    ] {
        assert_eq!(answer(definition), expected, "{definition}");
    }
}
