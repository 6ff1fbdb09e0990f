//! Laws of a reduction, over any script and any predicate.

use std::collections::BTreeSet;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

use smelt_reduce::{ErrorKind, ReduceOptions, Reduction, TextPredicate, reduce};
use smelt_smtlib::{Arena, parse_script};

static NEVER: AtomicBool = AtomicBool::new(false);

fn options(jobs: usize) -> ReduceOptions<'static> {
    ReduceOptions { jobs, time: None, stop: &NEVER, seed: None }
}

fn run(input: &str, predicate: impl Fn(&str) -> bool + Sync) -> Reduction {
    let source = TextPredicate(|text: &[u8]| predicate(std::str::from_utf8(text).unwrap()));
    let result = reduce(input.as_bytes(), &source, &options(2), &mut |_| {}).unwrap();
    let text = String::from_utf8(result.text.clone()).unwrap();
    assert!(predicate(&text), "the result satisfies the predicate: {text}");
    assert!(text.len() <= input.len(), "the result is no longer than the input");
    result
}

fn text(r: &Reduction) -> &str {
    std::str::from_utf8(&r.text).unwrap()
}

/// The parser's complaints about a script.
fn complaints(text: &[u8]) -> BTreeSet<String> {
    let mut arena = Arena::new();
    let parsed = parse_script(&mut arena, text).unwrap_or_else(|e| {
        panic!("a candidate cannot be read: {}\n{}", e.locate(text), String::from_utf8_lossy(text))
    });
    parsed.diagnostics.iter().map(|d| d.message.clone()).collect()
}

/// A script with one use of every kind of term.
const ZOO: &str = r#"(set-logic ALL)
(set-option :produce-models true)
(declare-sort S 0)
(define-sort W () (_ BitVec 16))
(declare-datatypes ((T 0) (L 0)) (((leaf (value Int)) (node (left T) (right T))) ((nil) (cons (head W) (tail L)))))
(declare-fun f (Int S Bool) Real)
(declare-fun s () S)
(declare-const t T)
(declare-const l L)
(declare-const bits W)
(declare-const x Real)
(declare-const n Int)
(declare-const word String)
(declare-const a (Array Int W))
(declare-const fl (_ FloatingPoint 8 24))
(define-fun g ((p Int) (q Int)) Int (+ p q n))
(define-fun-rec h ((p Int)) Int (ite (< p 0) 0 (h (- p 1))))
(push 1)
(assert (! (let ((u (+ n 1)) (v (g n 2))) (and (< u v) (> (f u s (= v 3)) x 1.5))) :named first))
(assert (forall ((i Int) (j W)) (! (=> (= (select a i) j) (bvult j #x00ff)) :pattern ((select a i)))))
(assert (exists ((z T)) (match z (((leaf k) (> k (h n))) ((node p q) (= p q))))))
(assert (= (concat bits ((_ extract 7 0) bits)) ((_ zero_extend 8) (head l))))
(assert (not (str.in_re (str.++ word "abc" (str.from_int n)) (re.* (re.union (str.to_re "ab") re.allchar)))))
(assert (fp.leq (fp.add RNE fl ((_ to_fp 8 24) RNE x)) (fp #b0 #x7f #b00000000000000000000000)))
(assert (or (distinct n 1 2 34567) ((_ is leaf) t) (xor (= l nil) (= s s))))
(check-sat-assuming ((= n 5) first))
(pop 1)
(assert (= (store a 5 #xabcd) a))
(check-sat)
(get-value (n x))
(exit)
"#;

#[test]
fn every_candidate_is_well_sorted() {
    assert_eq!(complaints(ZOO.as_bytes()), BTreeSet::new());
    // Different predicates lead the search through different candidates.
    for keep in [
        "check-sat",
        "forall",
        "match",
        "concat",
        "str.in_re",
        "fp.add",
        "h ",
        "let",
        "select",
        "distinct",
        "f ",
        "first",
        "extract",
        "store",
        "named",
        "cons",
        "value",
    ] {
        let tried = AtomicU64::new(0);
        let result = run(ZOO, |text| {
            tried.fetch_add(1, Ordering::Relaxed);
            let new = complaints(text.as_bytes());
            assert_eq!(new, BTreeSet::new(), "a candidate does not type:\n{text}");
            text.contains(keep)
        });
        assert!(result.complete && result.confirmed);
        assert!(tried.load(Ordering::Relaxed) > 5);
        assert!(result.text.len() < 260, "keeping `{keep}` leaves a lot: {}", text(&result));
    }
}

#[test]
#[ignore = "needs corpus"]
fn candidates_of_real_files_are_well_sorted() {
    let files = smelt_testing::corpus("known-bugs/z3");
    let mut rng = Rng(1);
    for file in files.iter().step_by(37) {
        let source = std::fs::read(file).unwrap();
        let mut arena = Arena::new();
        let Ok(parsed) = parse_script(&mut arena, &source) else { continue };
        if !parsed.diagnostics.is_empty() || source.len() > 5000 {
            continue;
        }
        // One token of the text must stay.
        let shown = String::from_utf8_lossy(&source).into_owned();
        let words: Vec<&str> =
            shown.split([' ', '(', ')', '\n']).filter(|w| w.len() > 2 && w.is_ascii()).collect();
        if words.is_empty() {
            continue;
        }
        let word = words[rng.below(words.len())].to_owned();
        let check = |text: &[u8]| {
            assert_eq!(
                complaints(text),
                BTreeSet::new(),
                "{}: {}",
                file.display(),
                String::from_utf8_lossy(text)
            );
            String::from_utf8_lossy(text).contains(&word)
        };
        reduce(&source, &TextPredicate(check), &options(2), &mut |_| {}).unwrap();
    }
}

#[test]
fn no_assertion_of_a_result_can_be_removed() {
    for seed in 0..60 {
        let mut rng = Rng(seed);
        let count = 1 + rng.below(24);
        let mut script = String::new();
        for i in 0..count {
            script += &format!("(declare-const marker{i} Bool)\n(assert marker{i})\n");
        }
        // Holds if the script has all assertions of one of these sets.
        let sets: Vec<BTreeSet<usize>> = (0..1 + rng.below(3))
            .map(|_| (0..1 + rng.below(5)).map(|_| rng.below(count)).collect())
            .collect();
        // Assertions are known by how many there are of each name: names may change.
        let holds =
            |text: &str| sets.iter().any(|s| s.iter().all(|i| text.contains(&format!("(assert marker{i})"))));
        let result = run(&script, holds);
        let kept: Vec<&str> = text(&result).lines().filter(|l| l.starts_with("(assert")).collect();
        for gone in &kept {
            let rest = text(&result).replace(&format!("{gone}\n"), "");
            assert!(!holds(&rest), "{gone} could go from\n{}", text(&result));
        }
    }
}

#[test]
fn one_and_many_threads_reach_the_same_size_on_a_simple_predicate() {
    let holds = |text: &[u8]| String::from_utf8_lossy(text).contains("str.from_int");
    let sizes: Vec<usize> = [1, 2, 4]
        .iter()
        .map(|jobs| {
            let result = reduce(ZOO.as_bytes(), &TextPredicate(holds), &options(*jobs), &mut |_| {}).unwrap();
            result.text.len()
        })
        .collect();
    assert!(sizes.iter().all(|s| *s == sizes[0]), "{sizes:?}");
}

#[test]
fn the_same_script_comes_out_every_time_with_one_thread() {
    let seen: Vec<Vec<u8>> = (0..2)
        .map(|_| {
            let asked = Mutex::new(Vec::new());
            let holds = |text: &[u8]| {
                asked.lock().unwrap().extend_from_slice(text);
                String::from_utf8_lossy(text).contains("fp.add")
            };
            reduce(ZOO.as_bytes(), &TextPredicate(holds), &options(1), &mut |_| {}).unwrap();
            asked.into_inner().unwrap()
        })
        .collect();
    assert!(seen[0] == seen[1], "the same candidates in the same order");
}

#[test]
fn a_term_a_hundred_thousand_deep_is_reduced() {
    let depth = 100_000;
    let script = format!(
        "(declare-const p Bool)\n(declare-const q Bool)\n(assert {}(and p q){})\n(check-sat)\n",
        "(not ".repeat(depth),
        ")".repeat(depth)
    );
    let result = run(&script, |text| text.contains("and") && text.contains("check-sat"));
    assert!(result.text.len() < 80, "{}", text(&result));
    let lets = format!(
        "(declare-const p Bool)\n(assert {}(or x p){})\n",
        "(let ((x (not p))) ".repeat(20_000),
        ")".repeat(20_000)
    );
    let result = run(&lets, |text| text.contains("or"));
    assert!(result.text.len() < 60, "{}", text(&result));
}

#[test]
fn a_file_of_several_megabytes_is_reduced() {
    let mut script = String::from("(set-logic QF_LIA)\n");
    for i in 0..20_000 {
        script += &format!("(declare-fun variable_{i} () Int)\n");
    }
    for i in 0..20_000 {
        let j = (i * 7 + 1) % 20_000;
        script += &format!(
            "(assert (or (< variable_{i} (+ variable_{j} {i})) (= (* 3 variable_{j}) (- variable_{i} 17))))\n"
        );
    }
    assert!(script.len() > 2_000_000);
    let result = run(&script, |text| text.contains("(* 3"));
    assert!(result.text.len() < 80, "{}", text(&result));
}

#[test]
fn a_predicate_that_is_false_on_the_input_is_refused() {
    let never = TextPredicate(|_: &[u8]| false);
    let error = reduce(b"(check-sat)", &never, &options(2), &mut |_| {}).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::NotInteresting);
}

#[test]
fn a_flaky_predicate_is_refused() {
    let calls = AtomicU64::new(0);
    let flaky = TextPredicate(|_: &[u8]| calls.fetch_add(1, Ordering::Relaxed).is_multiple_of(2));
    let error = reduce(b"(check-sat)", &flaky, &options(1), &mut |_| {}).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Flaky);
}

#[test]
fn a_text_that_is_not_smtlib_is_refused() {
    let always = TextPredicate(|_: &[u8]| true);
    let error = reduce(b"(assert \"", &always, &options(1), &mut |_| {}).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Unreadable);
}

#[test]
fn stopping_gives_the_best_so_far() {
    let stop = AtomicBool::new(false);
    let calls = AtomicU64::new(0);
    let holds = |text: &[u8]| {
        if calls.fetch_add(1, Ordering::Relaxed) == 12 {
            stop.store(true, Ordering::Relaxed);
        }
        String::from_utf8_lossy(text).contains("fp.add")
    };
    let mut best = Vec::new();
    let options = ReduceOptions { jobs: 2, time: None, stop: &stop, seed: None };
    let result =
        reduce(ZOO.as_bytes(), &TextPredicate(holds), &options, &mut |p| best = p.text.to_vec()).unwrap();
    assert!(!result.complete);
    assert!(result.text.len() < ZOO.len() && holds(&result.text));
    assert_eq!(result.text, best, "the observer was told");
}

#[test]
fn a_time_budget_ends_a_reduction() {
    let calls = AtomicU64::new(0);
    let holds = |text: &[u8]| {
        calls.fetch_add(1, Ordering::Relaxed);
        String::from_utf8_lossy(text).contains("fp.add")
    };
    assert!(reduce(ZOO.as_bytes(), &TextPredicate(holds), &options(2), &mut |_| {}).unwrap().complete);
    let all = calls.swap(0, Ordering::Relaxed);
    let options = ReduceOptions { time: Some(Duration::ZERO), ..options(2) };
    let result = reduce(ZOO.as_bytes(), &TextPredicate(holds), &options, &mut |_| {}).unwrap();
    let few = calls.load(Ordering::Relaxed);
    assert!(!result.complete && few < all / 2, "{few} of {all} checks");
}

#[test]
fn a_mutant_goes_back_to_its_seed_where_it_can() {
    let seed = "(declare-const x Int)\n(declare-const y Int)\n(assert (< (+ x 1) (* y 2)))\n(assert (= x (- y 3)))\n(check-sat)\n";
    let mutant = "(declare-const x Int)\n(declare-const y Int)\n(assert (< (+ x 7) (* y 2)))\n(assert (>= x (- (div y y) 3)))\n(check-sat)\n";
    let holds = |text: &[u8]| String::from_utf8_lossy(text).contains("div");
    let options = ReduceOptions { seed: Some(seed.as_bytes()), ..options(2) };
    let result = reduce(mutant.as_bytes(), &TextPredicate(holds), &options, &mut |_| {}).unwrap();
    let undo = result.undo.unwrap();
    assert_eq!(undo.places_before, 2);
    assert_eq!(undo.differences, [("(= x (- y 3))".to_owned(), "(>= x (- (div y y) 3))".to_owned())]);
    assert!(String::from_utf8_lossy(&undo.text).contains("(+ x 1)"));
}

#[test]
fn a_pair_is_reduced_in_step() {
    use smelt_reduce::pair::{in_step, join, part};
    struct Source;
    impl smelt_reduce::PredicateSource for Source {
        fn open(&self) -> Result<Box<dyn smelt_reduce::Predicate + '_>, smelt_reduce::Error> {
            Ok(in_step(|l, r, _| {
                let has = |t: &[u8], word: &str| String::from_utf8_lossy(t).contains(word);
                assert_eq!(complaints(l), BTreeSet::new());
                assert_eq!(complaints(r), BTreeSet::new());
                Ok(has(l, "(< ") && has(r, "(<= ") && !has(l, "<=") && has(l, "mod") && has(r, "mod"))
            }))
        }
        fn describe(&self) -> String {
            "left is weaker".to_owned()
        }
    }
    let left = "(declare-const x Int)\n(declare-const y Int)\n(assert (and (< (mod x 3) y) (= x (+ y 5))))\n(check-sat)\n";
    let right = left.replace("(< ", "(<= ");
    let both = join(left.as_bytes(), right.as_bytes()).unwrap();
    let (l, r) = part(&both).unwrap();
    assert_eq!(
        (String::from_utf8(l).unwrap(), String::from_utf8(r).unwrap()),
        (left.to_owned(), right.clone())
    );
    let result = reduce(&both, &Source, &options(2), &mut |_| {}).unwrap();
    let (l, r) = part(&result.text).unwrap();
    assert!(l.len() < 60, "{}", String::from_utf8_lossy(&l));
    assert_eq!(String::from_utf8_lossy(&l).replace("(< ", "(<= "), String::from_utf8_lossy(&r));
    assert!(
        join(b"(check-sat)", b"(assert true)(check-sat)").is_err(),
        "scripts of other commands are no pair"
    );
}

/// A small generator of numbers.
struct Rng(u64);

impl Rng {
    fn below(&mut self, n: usize) -> usize {
        self.0 = self.0.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(0x1405_7b7e_f767_814f);
        ((self.0 >> 33) % n as u64) as usize
    }
}

#[test]
fn two_changes_that_only_work_together_are_found() {
    // The string or the index is free: one place alone cannot change.
    let holds = |t: &str| {
        let (left, right) = (t.contains("(str.at a 0)"), t.contains("(str.at \"\" "));
        t.contains("(check-sat)") && (left || right && !t.contains("(str.at \"\" 0)"))
    };
    let result = run("(declare-const a String)(assert (= (str.at a 0) \"b\"))(check-sat)", holds);
    assert!(text(&result).contains("(str.at \"\" "), "{}", text(&result));
}
