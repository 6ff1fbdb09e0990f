use smelt_smtlib::{Arena, parse_script};

use super::{Datatypes, Decided, Normals, decided};
use crate::goal::Goal;

fn decide(text: &str) -> Decided {
    let mut arena = Arena::new();
    let parsed = parse_script(&mut arena, text.as_bytes()).unwrap();
    assert_eq!(parsed.diagnostics, [], "{text}");
    let mut normals = Normals::default();
    normals.know_datatypes(Datatypes::of(&parsed.script.commands));
    decided(&arena, &mut normals, &Goal::last(&parsed.script))
}

const HEADER: &str = "(declare-const x Int)(declare-const y Int)(declare-const r Real)(declare-const p Bool)
(declare-const q Bool)(declare-const s String)(declare-const t String)(declare-const a (_ BitVec 8))
(declare-const b (_ BitVec 8))(declare-const m (Array Int Int))(declare-fun f (Int) Int)
(declare-const u (Seq Int))(declare-const v (Seq Int))(declare-const g (_ FloatingPoint 5 11))(declare-datatype L ((nil) (cons (head Int) (tail L))))(declare-const l L)";

#[test]
fn an_index_that_is_a_symbol_is_read_in_the_arena_of_its_script() {
    let text = format!("{HEADER}(declare-const some_new_symbol Int)(assert (= (str.len (_ char #x61)) 1))");
    assert_eq!(decide(&text), Decided::True);
}

#[test]
fn laws_decide() {
    let cases = [
        ("(< x x)", "(<= x x)"),
        ("(< (+ x 1) x)", "(> (+ x 1) x)"),
        ("(= (* 2 x) (+ (* 2 y) 1))", "(= (+ x y) (+ y x))"),
        ("(distinct (* x y) (* y x))", "(= (f (+ x 0)) (f x))"),
        ("(< (str.len s) 0)", "(>= (str.len (str.++ s t)) 0)"),
        ("(< (* r r) 0.0)", "(> (+ (* r r) 0.5) 0)"),
        ("(and p (not p))", "(or p (=> q p) (not (xor p false)))"),
        ("(bvult a #x00)", "(bvuge a #x00)"),
        ("(= (bvadd a #x01) a)", "(= (bvsub a b) (bvneg (bvsub b a)))"),
        ("(= (bvnot a) a)", "(= (bvnot (bvnot a)) a)"),
        ("(= (str.++ \"a\" s) (str.++ \"b\" t))", "(= (str.++ s \"\" t) (str.++ s t))"),
        ("(= s (str.++ t \"a\" s))", "(= (str.len (str.++ s \"ab\")) (+ 2 (str.len s)))"),
        ("(distinct p q (= x y))", "(str.prefixof \"\" s)"),
        ("(= (select (store m x 1) x) 2)", "(= (store m x (select m x)) m)"),
        ("(forall ((z Int)) (< z z))", "(exists ((z Int)) (= z z))"),
        ("(let ((z x)) (let ((x y)) (not (= z z))))", "(let ((z x)) (= z x))"),
        ("(= (ite p 1 2) 3)", "(= (ite p x x) x)"),
        ("(> (ite p 1 2) (ite q 3 4))", "(<= (ite p 1 0) (ite q 1 2))"),
        ("(= (+ (ite p 1 0) (ite q 1 0)) 3)", "(distinct (ite p 1 2) (ite q 3 4))"),
        ("(= (bvand (bvand a #x0f) #xf0) #x01)", "(= (bvor #x0f (bvor a #xf0)) #xff)"),
        ("(bvugt ((_ zero_extend 8) a) #x00ff)", "(bvsge ((_ zero_extend 8) a) #x0000)"),
        ("(= (concat #x1 a) (concat #x2 b))", "(bvult (bvand a #x0f) (bvor b #x10))"),
        ("(bvule #x10 (bvlshr a #x04))", "(distinct (bvurem a #x05) #x06)"),
        ("(fp.lt g (_ NaN 5 11))", "(not (fp.eq (_ NaN 5 11) g))"),
        ("(fp.gt g (_ +oo 5 11))", "(not (fp.lt g (_ -oo 5 11)))"),
        (
            "(str.in_re s (re.inter (re.++ re.allchar re.all) (str.to_re \"\")))",
            "(not (str.in_re s (re.+ (re.range \"b\" \"a\"))))",
        ),
        (
            "(str.in_re (str.++ \"abc\" s) (re.opt re.allchar))",
            "(not (str.in_re (str.++ s \"ab\") (str.to_re \"a\")))",
        ),
        (
            "(str.in_re s (re.inter (str.to_re t) re.none))",
            "(str.in_re s (re.union (str.to_re t) (re.* re.allchar)))",
        ),
        (
            "(str.in_re s (re.diff (str.to_re \"a\") re.all))",
            "(not (str.in_re s (re.++ (str.to_re t) re.none)))",
        ),
        ("(= (seq.unit 1) (as seq.empty (Seq Int)))", "(= (seq.len (as seq.empty (Seq Int))) 0)"),
        ("(= (seq.unit x) (as seq.empty (Seq Int)))", "(seq.prefixof (as seq.empty (Seq Int)) u)"),
        ("(seq.contains (seq.unit 2) (seq.++ u (seq.unit x) (seq.unit y)))", "(seq.contains u u)"),
        ("(distinct (seq.at u (- 1)) (seq.extract v 0 0))", "(= (seq.++ u (seq.extract u (- 1) x)) u)"),
        (
            "(= (seq.++ (seq.unit x) u) (seq.replace v v (as seq.empty (Seq Int))))",
            "(= (seq.unit x) (seq.unit x))",
        ),
        (
            "(= (seq.len (seq.++ (seq.unit x) (seq.unit y))) 3)",
            "(= (seq.replace (seq.unit 0) (seq.++ (seq.unit x) (seq.unit y)) u) (seq.unit 0))",
        ),
        ("(< (seq.indexof u v (- 1)) (- 1))", "(= (seq.++ (seq.++ u v) u) (seq.++ u (seq.++ v u)))"),
        (
            "(= (as ff1 (_ FiniteField 3)) (ff.neg (as ff1 (_ FiniteField 3))))",
            "(= (ff.add (as ff2 (_ FiniteField 5)) (as ff3 (_ FiniteField 5))) (as ff0 (_ FiniteField 5)))",
        ),
        ("((_ is nil) (cons x l))", "((_ is cons) (cons x l))"),
        ("(= nil (cons x l))", "(= (head (cons x l)) x)"),
        ("(= (cons 1 l) (cons 2 l))", "(= (cons x (tail (cons y l))) (cons x l))"),
        ("(forall ((z Int)) (distinct z (f x)))", "(exists ((z String)) (= z (str.++ s t)))"),
        (
            "(forall ((z Int)) (and (> z x) (not (= (+ z 1) y))))",
            "(exists ((z (_ BitVec 8))) (= (bvadd z a) b))",
        ),
        ("(= (/ x 2) (+ (/ x 2) 1))", "(= (/ r 2) (* 0.5 r))"),
    ];
    for (is_false, is_true) in cases {
        for (term, wanted) in [(is_false, Decided::False), (is_true, Decided::True)] {
            assert_eq!(decide(&format!("{HEADER}(assert {term})")), wanted, "{term}");
            let not = if wanted == Decided::True { Decided::False } else { Decided::True };
            assert_eq!(decide(&format!("{HEADER}(assert (not {term}))")), not, "not {term}");
        }
    }
}

#[test]
fn what_depends_on_values_has_no_truth_value() {
    for term in [
        "(< x y)",
        "(= (* 2 x) (* 2 y))",
        "(= (f x) (f y))",
        "(forall ((z Int)) (exists ((z Int)) (< z x)))",
        "(exists ((z Int)) (let ((w z)) (exists ((z Int)) (< w z))))",
        "(bvult a b)",
        "(= (div x 0) (div y 0))",
        "(= s (str.++ s t))",
        "(= (bvmul a #x02) #x04)",
        "(< (* r x) 0.0)",
        "(= (cons x l) (cons y l))",
        "(= (seq.unit x) (seq.unit y))",
        "(= (seq.++ u v) (seq.++ v u))",
        "(= (seq.++ (seq.unit x) u) v)",
        "(seq.contains (seq.++ u (seq.unit 1)) (seq.unit x))",
        "(= (seq.len (seq.++ (seq.unit x) u)) 3)",
        "(= (seq.replace u v u) u)",
        "(= l nil)",
        "(= (head nil) x)",
        "(forall ((z Int)) (distinct z (f z)))",
        "(forall ((z Int)) (distinct (* 2 z) x))",
        "(exists ((z Int)) (= z r))",
        "(forall ((z Int)) (distinct z (ite (forall ((w Int)) (= w z)) 1 2)))",
        "(<= (ite p 1 0) (ite q 1 0))",
        "(bvsle ((_ sign_extend 8) a) #x0000)",
        "(bvule #x0f (bvand a #x0f))",
        "(fp.leq (_ -oo 5 11) g)",
        "(str.in_re s (re.comp (str.to_re \"a\")))",
        "(str.in_re (str.++ s \"a\") (str.to_re \"a\"))",
    ] {
        let mut arena = Arena::new();
        let text = format!("{HEADER}(assert {term})");
        let parsed = parse_script(&mut arena, text.as_bytes()).unwrap();
        assert_eq!(parsed.diagnostics, [], "{text}");
        let goal = Goal::last(&parsed.script);
        let mut normals = Normals::default();
        normals.know_datatypes(Datatypes::of(&parsed.script.commands));
        assert_eq!(normals.of(&arena, goal.assertions[0]).truth(), None, "{term}");
    }
}

#[test]
fn equations_are_put_in() {
    let cases = [
        ("(assert p)(assert (or (not p) (= x 3)))(assert (< x 5))", Decided::True),
        ("(assert (= x 3))(assert (= y (+ x 1)))(assert (> y 4))", Decided::False),
        ("(assert (= x (+ y 1)))(assert (= (f x) (f (+ 1 y))))", Decided::True),
        ("(assert (= x (f x)))", Decided::Open),
        ("(define-fun d () Int (+ x 1))(assert (= d (f y)))", Decided::Open),
        ("(declare-datatype C ((red) (green)))(assert (= red green))", Decided::False),
        ("(assert (= (to_real x) (+ r 1.0)))(assert (< r 1.0))", Decided::Open),
        ("(assert (= x y))(assert (< (f x) (f (+ y 1))))", Decided::Open),
    ];
    for (text, wanted) in cases {
        assert_eq!(decide(&format!("{HEADER}{text}")), wanted, "{text}");
    }
}

#[test]
fn what_is_rolled_back_is_forgotten() {
    let mut arena = Arena::new();
    let parsed = parse_script(&mut arena, format!("{HEADER}(assert (< x y))").as_bytes()).unwrap();
    let goal = Goal::last(&parsed.script);
    let mut normals = Normals::default();
    let kept = normals.of(&arena, goal.assertions[0]);
    let mark = normals.mark();
    let parsed = parse_script(&mut arena, format!("{HEADER}(assert (< (+ x 3) (f y)))").as_bytes()).unwrap();
    normals.of(&arena, Goal::last(&parsed.script).assertions[0]);
    assert_ne!(normals.mark(), mark);
    normals.rollback(mark);
    assert_eq!(normals.mark(), mark);
    assert_eq!(normals.of(&arena, goal.assertions[0]), kept);
}

/// Whatever a law decides has this value for all values of its variables that are tried.
#[test]
fn laws_of_sequences_agree_with_the_evaluator() {
    use crate::Evaluator;
    use crate::eval::{Domains, Interpretation};
    let terms =
        ["u", "(seq.unit x)", "(as seq.empty (Seq Int))", "(seq.++ u (seq.unit 0))", "(seq.extract u x 1)"];
    let terms =
        [&terms[..], &["(seq.at u (- 1))", "(seq.replace u (seq.unit 0) (as seq.empty (Seq Int)))"]].concat();
    let ways = [
        "(seq.prefixof A B)",
        "(seq.suffixof A B)",
        "(seq.contains A B)",
        "(= A B)",
        "(= (seq.replace A B u) A)",
    ];
    let ways =
        [&ways[..], &["(= (seq.++ A B) A)", "(= (seq.indexof A B x) x)", "(= (seq.len (seq.++ A B)) x)"]]
            .concat();
    let values = ["(as seq.empty (Seq Int))", "(seq.unit 0)", "(seq.++ (seq.unit 0) (seq.unit 1))"];
    let mut decided = 0;
    for way in ways {
        for (a, b) in terms.iter().flat_map(|a| terms.iter().map(move |b| (a, b))) {
            let body = way.replace('A', "\u{1}").replace('B', b).replace('\u{1}', a);
            let mut arena = Arena::new();
            let text = format!("(declare-const u (Seq Int))(declare-const x Int)(assert {body})(check-sat)");
            let parsed = parse_script(&mut arena, text.as_bytes()).unwrap();
            assert_eq!(parsed.diagnostics, [], "{text}");
            let form = Normals::default().of(&arena, Goal::last(&parsed.script).assertions[0]);
            let Some(wanted) = form.truth() else { continue };
            decided += 1;
            for (u, x) in values.iter().flat_map(|u| ["(- 1)", "0", "1", "2"].map(move |x| (u, x))) {
                let text = format!("(assert (let ((u {u}) (x {x})) {body}))(check-sat)");
                let parsed = parse_script(&mut arena, text.as_bytes()).unwrap();
                let (interpretation, domains) = (Interpretation::default(), Domains::default());
                let mut evaluator = Evaluator::new(&arena, &interpretation, &domains);
                let term = Goal::last(&parsed.script).assertions[0];
                assert_eq!(evaluator.holds(term).ok(), Some(wanted), "{body} with u = {u}, x = {x}");
            }
        }
    }
    assert!(decided > 60, "{decided}");
}
