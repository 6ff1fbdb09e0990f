//! Tests of skeletons.

use super::*;
use crate::tests;
use smelt_core::Verdict;

fn mutants(options: &str, status: Option<Verdict>, n: u64) -> Vec<(String, String)> {
    tests::mutants("skeleton", options, &[TEXT], status, n)
}

const TEXT: &str = "(set-logic QF_LIA)(declare-const x Int)(declare-const y Int)(declare-const p Bool)
(assert (=> p (< x y)))(assert (let ((q (> x 3))) (or q (not (= x (+ y 2))))))(check-sat)";

#[test]
fn literals_go_where_their_polarity_says() {
    let all = mutants("form=written moves=lpi", Some(Verdict::Sat), 300);
    assert_eq!(all.len(), 300);
    for (text, log) in &all {
        assert!(log.lines().count() <= LITERALS, "{log}");
        assert!(!text.contains("(assert (=> (or p "), "a premise gets stronger: {text}");
        assert!(!text.contains("(assert (=> p (and (< x y) "), "a conclusion gets weaker: {text}");
        assert!(text.contains(":status sat"), "{text}");
    }
    assert!(all.iter().any(|(t, _)| t.contains("(assert (=> (and p ")));
    assert!(all.iter().any(|(t, _)| t.contains("(not (and (= x (+ y 2))")));
    assert!(all.iter().all(|(t, _)| !t.contains("(* x y)")), "linear stays linear");
}

#[test]
fn random_formulas_have_operators_and_constants_of_their_own() {
    let all = mutants("form=written moves=lpi", Some(Verdict::Sat), 1000);
    let old: Vec<&str> = TEXT.split(['(', ')', ' ', '\n']).collect();
    let is_new = |w: &str| !w.is_empty() && !old.contains(&w) && !["and", "xor"].contains(&w);
    let lines: Vec<&str> = all.iter().flat_map(|(_, log)| log.lines()).collect();
    let new = |l: &&&str| l.split_once(": ").is_some_and(|(_, t)| t.split(['(', ')', ' ']).any(is_new));
    let count = lines.iter().filter(new).count();
    assert!(count * 2 > lines.len(), "{count} of {}", lines.len());
    let plain = mutants("form=written moves=lpi depth=0", Some(Verdict::Sat), 300);
    assert!(plain.iter().all(|(t, _)| !t.contains("(* ")), "no terms of their own");
}

#[test]
fn rules_exchange_predicates() {
    let all = mutants("form=written moves=pst", Some(Verdict::Unsat), 300);
    assert!(all.len() > 290);
    assert!(all.iter().all(|(_, log)| log.lines().all(|l| l.starts_with("rule "))));
    assert!(
        all.iter().any(|(t, _)| t.contains("(not (>= x (+ y 2)))") || t.contains("(not (<= x (+ y 2)))"))
    );
}

#[test]
fn clauses_have_the_same_literals() {
    let all = mutants("form=cnf", None, 100);
    assert_eq!(all.len(), 100);
    for (text, log) in &all {
        assert!(log.starts_with("clauses"), "{log}");
        assert!(!text.contains("(let "), "{text}");
    }
}

#[test]
fn steps_work_on_what_was_made() {
    let all = mutants("steps=4", Some(Verdict::Sat), 100);
    assert!(all.iter().any(|(_, log)| log.lines().count() > LITERALS + 1));
    let all = mutants("steps=4 moves=lpi form=written", Some(Verdict::Sat), 100);
    assert!(all.iter().any(|(_, log)| log.lines().count() > LITERALS + 1));
}

/// Algorithm 1 of 000, as a grammar: no other shape is made, and each of its shapes is.
#[test]
fn published_snippets_have_the_shape_of_the_published_algorithm() {
    let linear = TEXT.to_owned();
    let products = TEXT.replace("QF_LIA", "QF_NIA");
    for (text, is_linear) in [(linear, true), (products, false)] {
        let all = tests::mutants(
            "skeleton",
            "form=written moves=lpi snippets=published",
            &[&text],
            Some(Verdict::Sat),
            2000,
        );
        let (mut connectives, mut predicates, mut functions) = (Vec::new(), Vec::new(), Vec::new());
        let mut count = 0;
        for line in all.iter().flat_map(|(_, log)| log.lines()) {
            let (_, made) = line.split_once(": ").unwrap();
            let made = smelt_smtlib::sexpr::read_all(made.as_bytes()).unwrap().remove(0);
            let [_, _, snippet] = made.list("").unwrap() else { panic!("{line}") };
            let mut atoms = vec![snippet];
            let (head, args) = snippet.part("").unwrap();
            if ["not", "and", "or", "=>", "xor"].contains(&head) {
                connectives.push(head.to_owned());
                assert_eq!(args.len(), if head == "not" { 1 } else { 2 }, "{line}");
                atoms = args.iter().collect();
            }
            for atom in atoms {
                let (predicate, terms) = atom.part("").unwrap();
                assert!(["<", "<=", ">", ">=", "=", "distinct"].contains(&predicate), "{line}");
                predicates.push(predicate.to_owned());
                assert_eq!(terms.len(), 2, "{line}");
                for term in terms {
                    let (function, operands) = term.part("").unwrap();
                    assert!(["+", "-", "*", "div"].contains(&function), "{line}");
                    functions.push(function.to_owned());
                    let [one, two] = operands else { panic!("{line}") };
                    assert!(["x", "y"].contains(&one.atom("").unwrap()), "{line}");
                    let is_scaled = is_linear && ["*", "div"].contains(&function);
                    let two = two.atom("").unwrap();
                    assert_eq!(is_scaled, two.parse::<u32>().is_ok(), "{line}");
                    assert!(is_scaled || ["x", "y"].contains(&two), "{line}");
                }
                count += 1;
            }
        }
        assert!(count > 2000);
        for (list, wanted) in [(&mut connectives, 5), (&mut predicates, 6), (&mut functions, 4)] {
            list.sort();
            list.dedup();
            assert_eq!(list.len(), wanted, "{list:?}");
        }
    }
}

#[test]
fn a_snippet_is_no_longer_than_the_assertions() {
    let text = "(set-logic QF_LIA)(declare-const x Int)(assert (> x 1))(check-sat)";
    for (_, log) in
        tests::mutants("skeleton", "form=written moves=lpi depth=4", &[text], Some(Verdict::Sat), 500)
    {
        for line in log.lines() {
            let made = line.split_once("(or (> x 1) ").unwrap().1;
            assert!(made.len() - 1 <= 32, "{line}");
        }
    }
}

#[test]
fn several_queries_and_wider_logics_are_served() {
    let text = "(set-logic QF_LIA)(declare-const x Int)(assert (> x 1))(check-sat)(push 1)(assert (< x 9))(check-sat)(pop 1)";
    let all = tests::mutants("skeleton", "", &[text], Some(Verdict::Sat), 200);
    assert_eq!(all.len(), 200);
    assert!(all.iter().all(|(t, _)| t.matches("(check-sat)").count() == 2 && !t.contains(":status")));
    let all = tests::mutants("skeleton", "logic=all", &[TEXT], Some(Verdict::Sat), 300);
    assert!(all.iter().all(|(t, _)| t.contains("(set-logic ALL)")));
    assert!(all.iter().any(|(t, _)| t.contains("(exists (") || t.contains("(forall (")));
}

#[test]
fn a_let_of_a_language_becomes_a_definition() {
    let text = r#"(set-logic QF_S)(declare-const s String)
(assert (let ((r (re.* (str.to_re "a")))) (or (str.in_re s r) (str.in_re s (re.++ r re.allchar)))))(check-sat)"#;
    let all = tests::mutants("skeleton", "form=cnf moves=pst", &[text], Some(Verdict::Sat), 50);
    assert_eq!(all.len(), 50);
    assert!(
        all.iter().all(|(t, _)| t.contains("() RegLan (re.* (str.to_re \"a\"))") && !t.contains("(let "))
    );
}

/// The literal is gone, so that the formula matters; the model shows that the mutant is satisfiable.
#[test]
fn literals_make_way_for_formulas_of_the_same_value_in_a_model() {
    let mut skeleton = tests::make("skeleton", "moves=exchange");
    let all = tests::drafts(&mut *skeleton, &[TEXT], Some(Verdict::Sat), 200);
    assert!(all.len() > 150, "{}", all.len());
    for draft in &all {
        assert!(!draft.witness.is_empty() && draft.expectation == Expectation::SAT);
        let mut arena = smelt_smtlib::Arena::new();
        let model = String::from_utf8_lossy(&draft.witness);
        assert!(crate::certified::satisfies(&mut arena, &draft.text, &model));
    }
    let gone = |d: &&crate::Draft| !String::from_utf8_lossy(&d.text).contains("(< x y)");
    assert!(all.iter().filter(gone).count() > 20);
}

/// Another seed lends formulas: they are about terms of the changed seed, and the relation is to that seed.
#[test]
fn other_seeds_lend_formulas() {
    let taker = "(set-logic QF_LIA)(declare-const x Int)(declare-const y Int)(declare-const p Bool)
(assert (or p (< x y)))(assert (> y 3))(check-sat)";
    let lender = "(set-logic QF_LIA)(declare-const a Int)(declare-const b Int)
(assert (= (mod (+ (* 7 a) b) 97) 41))(check-sat)";
    for options in
        ["moves=lpi form=written pool=yes", "moves=lpi form=cnf pool=yes", "moves=exchange pool=yes"]
    {
        let all = tests::drafts(&mut *tests::make("skeleton", options), &[taker, lender], None, 200);
        assert!(all.len() > 150, "{options}: {}", all.len());
        let text = |d: &Draft| String::from_utf8(d.text.clone()).unwrap();
        let borrowed: Vec<String> = all.iter().map(text).filter(|t| t.contains(") 97) 41)")).collect();
        assert!(borrowed.len() > 20, "{options}: {}", borrowed.len());
        assert!(borrowed.iter().all(|t| !t.contains(" a)") && !t.contains(" b)")), "its names stay behind");
        assert!(all.iter().all(|d| d.seeds.len() == 2));
    }
    let without = mutants("moves=lpi", None, 100);
    assert!(without.iter().all(|(t, _)| !t.contains(" 97)")));
}

/// A case that another seed lent formulas to keeps the script that it is related to, and is made again from both.
#[test]
fn a_case_with_a_lender_is_related_to_its_own_seed() {
    let lender = "(set-logic QF_LIA)(declare-const a Int)(assert (= (mod (* 7 a) 97) 41))(check-sat)";
    let mut pool = Pool::new();
    let ids: Vec<SeedId> =
        [TEXT, lender].iter().map(|t| pool.add("t", t.as_bytes(), None).unwrap()).collect();
    let mut skeleton = tests::make("skeleton", "pool=yes steps=2");
    for number in 0..50 {
        let mut draft = Draft::default();
        if skeleton.next(&mut pool, &CaseRequest { seeds: &ids[..1], number }, &mut draft).is_err() {
            continue;
        }
        let case = draft.to_case(&pool, &*skeleton, &OptionText::default(), number);
        assert_eq!(case.related(), Some(pool.seed(ids[0]).text()));
        let seeds = [TEXT, lender].map(|t| ("t".to_owned(), t.as_bytes().to_vec(), None));
        assert_eq!(crate::remake(&case.provenance, &seeds).unwrap().script, case.script);
    }
}

/// In an unsatisfiable seed, literals of its core are replaced by stronger ones that do not contain them.
#[test]
fn literals_of_a_core_make_way_for_stronger_ones() {
    let text = "(set-logic QF_BV)
(declare-const x (_ BitVec 3))(declare-const y (_ BitVec 3))(declare-const z (_ BitVec 3))
(assert (bvult x #b010))(assert (bvule z #b110))(assert (and (bvuge x y) (bvule #b101 y)))(check-sat)";
    for status in [Some(Verdict::Unsat), None] {
        let all = mutants_of(text, "moves=exchange", status);
        assert!(all.len() > 190, "{}", all.len());
        for draft in &all {
            assert_eq!(draft.expectation, Expectation::Related(Relation::Stronger));
            let text = String::from_utf8_lossy(&draft.text);
            assert!(text.contains("(assert (bvule z #b110))"), "not in the core: {text}");
            assert_eq!(text.contains(":status unsat"), status.is_some());
            let mut arena = Arena::new();
            let script = smelt_smtlib::parse_script(&mut arena, &draft.text).unwrap().script;
            let goal = smelt_semantics::goal::Goal::last(&script);
            let answer = smelt_semantics::solver::solve(&mut arena, &goal, Default::default());
            assert!(!matches!(answer, smelt_semantics::solver::Answer::Sat(_)), "{text}");
        }
        let kept = |d: &&Draft| {
            let text = String::from_utf8_lossy(&d.text).into_owned();
            ["(bvult x #b010)", "(bvuge x y)", "(bvule #b101 y)"].iter().all(|l| text.contains(l))
        };
        assert_eq!(all.iter().filter(kept).count(), 0, "each mutant lost a literal");
    }
    // Neither a label nor a proof says that this one is unsatisfiable.
    let hard = "(set-logic QF_NIA)(declare-const x Int)(declare-const y Int)(declare-const z Int)
(assert (= (+ (* x x x) (* y y y)) (+ (* z z z) 33)))(assert (> x 1000000))(check-sat)";
    assert!(mutants_of(hard, "moves=exchange", None).is_empty());
    assert!(!mutants_of(hard, "moves=exchange", Some(Verdict::Unsat)).is_empty());
}

fn mutants_of(text: &str, options: &str, status: Option<Verdict>) -> Vec<Draft> {
    tests::drafts(&mut *tests::make("skeleton", options), &[text], status, 200)
}
