//! Evaluation of small ground terms, in operator applications a second.

use divan::Bencher;
use divan::counter::ItemsCount;
use smelt_semantics::Evaluator;
use smelt_semantics::eval::{Domains, Effort, Interpretation};
use smelt_smtlib::{Arena, parse_script};

fn main() {
    divan::main();
}

const TERMS: &[(&str, &str)] = &[
    ("ints", "(< (+ (* 3 4) (- 5 2)) (div 100 7) (mod (- 17) 5))"),
    ("bitvectors", "(bvult (bvadd (bvmul #x0f #x11) (bvlshr #xff #x01)) (bvor #x01 (bvnot #xf0)))"),
    (
        "floats",
        "(fp.lt (fp.add RNE ((_ to_fp 11 53) RNE 1.5) ((_ to_fp 11 53) RNE 2.25)) ((_ to_fp 11 53) RNE 4.0))",
    ),
    ("strings", "(= (str.replace \"hello\" \"l\" \"L\") (str.++ \"he\" (str.substr \"xLlo\" 1 3)))"),
    ("core", "(and (or false true) (=> (not true) false) (ite (xor true false) (distinct 1 2 3) false))"),
];

#[divan::bench(args = TERMS.iter().map(|t| t.0))]
fn ground(bencher: Bencher, name: &str) {
    let text = TERMS.iter().find(|t| t.0 == name).expect("listed").1;
    let mut arena = Arena::new();
    let parsed = parse_script(&mut arena, format!("(assert {text})").as_bytes()).expect("a script");
    let term = parsed.script.assertions().next().expect("an assertion");
    let (interpretation, domains) = (Interpretation::default(), Domains::default());
    let steps = {
        let mut e = Evaluator::new(&arena, &interpretation, &domains);
        e.eval(term).expect("a value");
        e.steps()
    };
    let effort = Effort { steps: u64::MAX, ..Effort::default() };
    let mut evaluator = Evaluator::new(&arena, &interpretation, &domains).with_effort(effort);
    bencher.counter(ItemsCount::new(steps)).bench_local(|| evaluator.eval(term));
}
