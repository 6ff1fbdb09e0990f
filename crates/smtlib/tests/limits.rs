//! Deep and large inputs: no stack overflow, linear time.

use smelt_smtlib::occurrence::Occurrences;
use smelt_smtlib::rename::Renaming;
use smelt_smtlib::{Arena, Flaw, parse_script};

/// Reads, prints, reads again, lists and replaces places, renames: on a test thread's small stack.
fn exercise(text: &[u8]) {
    let mut arena = Arena::new();
    let mut parsed = parse_script(&mut arena, text).expect("well-formed");
    assert!(
        parsed.diagnostics.iter().all(|d| d.flaw == Flaw::Undeclared),
        "{:?}",
        parsed.diagnostics.first()
    );
    let printed = arena.display_script(&parsed.script);
    let again = parse_script(&mut arena, &printed).expect("printed text is well-formed");
    assert_eq!(parsed.script.commands, again.script.commands);
    let places = Occurrences::new(&arena, &parsed.script);
    let last = places.get(places.len() - 1).expect("there are places");
    let (root, new) = places.replace(&mut arena, last, places.term(last));
    assert_eq!(parsed.script.set_root(root, new), Some(new), "replacing a term by itself changes nothing");
    let mut renaming = Renaming::with_suffix(&mut arena, &parsed.script, "_2");
    renaming.script(&mut arena, &parsed.script);
}

fn nested(open: &str, middle: &str, close: &str, depth: usize) -> Vec<u8> {
    let text = [open.repeat(depth).as_str(), middle, close.repeat(depth).as_str()].concat();
    format!("(declare-const p Bool)(declare-const x Int)(assert {text})").into_bytes()
}

const DEPTH: usize = 100_000;

#[test]
fn a_hundred_thousand_nested_applications_are_read_and_printed() {
    exercise(&nested("(not ", "p", ")", DEPTH));
}

#[test]
fn a_hundred_thousand_nested_binders_are_read_and_printed() {
    exercise(&nested("(let ((x x)) ", "p", ")", DEPTH));
    exercise(&nested("(forall ((x Int)) ", "p", ")", DEPTH));
    exercise(&nested("(! ", "p", " :named n)", DEPTH));
    exercise(&nested("(! p :pattern (", "p", "))", DEPTH));
    exercise(&nested("(match x ((y ", "p", ")))", DEPTH));
}

#[test]
fn a_hundred_thousand_nested_heads_are_read_and_printed() {
    // Terms as heads of terms: of unknown sort, but kept.
    let text = format!("(assert {}f{})", "((g ".repeat(DEPTH), ") x)".repeat(DEPTH));
    let mut arena = Arena::new();
    let parsed = parse_script(&mut arena, text.as_bytes()).expect("well-formed");
    arena.display_script(&parsed.script);
}

#[test]
fn definitions_in_let_chains_are_not_expanded() {
    let mut text = String::from("(declare-const x0 Int)(assert ");
    for i in 0..1000 {
        text.push_str(&format!("(let ((x{} (+ x{i} x{i}))) ", i + 1));
    }
    text.push_str("(> x1000 0)");
    text.push_str(&")".repeat(1001));
    exercise(text.as_bytes());
}

#[test]
fn sorts_of_exponential_size_are_refused() {
    let mut text = String::from("(define-sort S0 () Int)");
    for i in 0..100 {
        text.push_str(&format!("(define-sort S{} () (Array S{i} S{i}))", i + 1));
    }
    let error = parse_script(&mut Arena::new(), (text + "(declare-const x S100)").as_bytes());
    let parsed = error.expect("the commands around are kept");
    assert!(parsed.diagnostics.iter().any(|d| d.message.contains("too large")));
    let deep = format!("(declare-const x {}Int{})(check-sat)", "(Seq ".repeat(DEPTH), ")".repeat(DEPTH));
    assert!(parse_script(&mut Arena::new(), deep.as_bytes()).is_ok_and(|p| !p.diagnostics.is_empty()));
}

/// CPU time of this thread, from `/proc`: other processes do not count.
fn thread_cpu_seconds() -> f64 {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").expect("a kernel that counts");
    let nanoseconds: f64 = text.split_whitespace().next().and_then(|n| n.parse().ok()).expect("a number");
    nanoseconds / 1e9
}

#[test]
fn a_million_arguments_and_fifty_megabytes_take_linear_time() {
    let wide = |n: usize| {
        let mut text = String::from("(declare-const p Bool)(declare-const q Bool)(assert (and");
        for i in 0..n {
            text.push_str(if i % 3 == 0 { " p" } else { " (or p q)" });
        }
        text + "))"
    };
    let large = |n: usize| {
        let mut text = String::from("(declare-fun f (Int) Int)\n");
        for i in 0..n {
            text.push_str(&format!("(assert (= (f {i}) (+ (f {}) 12345678)))\n", i * 7));
        }
        text
    };
    let time = |text: &str| {
        let start = thread_cpu_seconds();
        let mut arena = Arena::new();
        let parsed = parse_script(&mut arena, text.as_bytes()).expect("well-formed");
        assert!(parsed.diagnostics.is_empty());
        assert!(arena.display_script(&parsed.script).len() > text.len() / 2);
        thread_cpu_seconds() - start
    };
    for make in [&wide as &dyn Fn(usize) -> String, &large] {
        let (small, big) = (make(100_000), make(1_000_000));
        let (t, u) = (time(&small), time(&big));
        // Ten times the input, in CPU time; caches and page faults excuse some, not a factor of ten more.
        assert!(u < 40.0 * t.max(0.01), "{} bytes in {t} s, {} in {u} s", small.len(), big.len());
    }
    assert!(large(1_100_000).len() > 50_000_000);
}
