//! Nobody is accused wrongly: what once made smelt blame an honest solver, from the outside.

use crate::common::{Folder, code, json, stderr, stdout};
use serde_json::Value;
use smelt_solvers::{Catalog, Limits, Mode, Profiles, SolverSpec, Zoo};
use smelt_testing::each_solver;
use smelt_trial::{Inquest, Lineup, NamedSolver, Panel, Suspicion, is_decided, query};
use std::time::Duration;

/// A definition whose constant is shadowed where it is used: its clauses must not capture it.
const CAPTURED: &str = "(set-logic LIA)(set-info :status sat)(declare-const x Int)(assert (= x 5))\
    (assert (let ((y (> x 0))) (forall ((x Int)) (or y (< x 0) (> x 3)))))(check-sat)\n";
/// The same below `let`, without quantifiers.
const CAPTURED_BY_LET: &str = "(set-logic QF_LIA)(set-info :status sat)(declare-const x Int)(assert (= x 5))\
    (assert (let ((y (> x 0))) (let ((x (- 1))) (or y (< 0 x)))))(check-sat)\n";
const SETS: &str = "(set-logic ALL)(declare-const s (Set Bool))(declare-const x Bool)\
    (assert (= s (set.complement (set.singleton x))))(assert (set.member true s))(check-sat)\n";
const CORES: &str = "(set-logic QF_UF)(declare-const p Bool)(declare-const q Bool)(assert (! (=> p q) :named a))\
    (assert (! true :named t))(check-sat-assuming (p (not q)))\n";
const NOT_EXTENSIONAL: &str = "(set-option :smt.array.extensional false)(set-logic QF_AX)\
    (declare-const a (Array Bool Bool))(declare-const b (Array Bool Bool))(assert (distinct a b))\
    (assert (= (select a true) (select b true)))(assert (= (select a false) (select b false)))(check-sat)\n";
const PAIRS: &str = "(set-logic ALL)(declare-datatypes ((P 1)) ((par (X) ((mk (fst X) (snd X))))))\
    (declare-const a (Array (P Bool) Int))(declare-const b (Array (P Bool) Int))\
    (assert (= (select a (mk true false)) 1))(assert (distinct a b))(check-sat)\n";
const NAMED: &str =
    "(set-logic QF_UF)(declare-const p Bool)(assert (! p :named n))(assert (not n))(check-sat)\n";
const BLOCKED: &str = "(set-option :produce-models true)(set-logic QF_UF)(declare-const p Bool)(assert p)\
    (check-sat)(block-model :values)(check-sat)\n";
const ENDLESS: &str = "(set-logic ALL)(define-fun-rec f ((x Int)) Int (+ 1 (f x)))(declare-const x Int)\
    (assert (= (f x) x))(check-sat)\n";
const RECURSIVE: &str = "(set-logic ALL)(define-fun-rec f ((n Int)) Int (ite (<= n 0) 0 (+ 1 (f (- n 1)))))\
    (declare-const x Int)(assert (= (f 3) x))(check-sat)\n";
const ROOT: &str = "(set-logic QF_NRA)(declare-const a Real)(assert (= 2 (* a a)))(check-sat)\n";
const FLOATS: &str =
    "(set-logic QF_FP)(declare-const a Float32)(assert (fp.isInfinite (fp.add RNE a a)))(check-sat)\n";

const SEEDS: [(&str, &str); 12] = [
    ("captured", CAPTURED),
    ("captured-by-let", CAPTURED_BY_LET),
    ("sets", SETS),
    ("cores", CORES),
    ("not-extensional", NOT_EXTENSIONAL),
    ("pairs", PAIRS),
    ("named", NAMED),
    ("blocked", BLOCKED),
    ("endless", ENDLESS),
    ("recursive", RECURSIVE),
    ("root", ROOT),
    ("floats", FLOATS),
];

fn with_seeds(test: &str) -> Folder {
    let folder = Folder::new(test);
    for (name, text) in SEEDS {
        folder.file(&format!("{name}.smt2"), text);
    }
    folder
}

/// The summary of a campaign, which must find nothing.
fn nothing_found(folder: &Folder, words: &str) -> Value {
    let line = format!("fuzz {words} -j 1 --seed 1 --timeout 2s --no-cache --json --out store");
    let output = folder.smelt(&line.split(' ').collect::<Vec<_>>());
    let summary = json(&output);
    assert_eq!(summary["findings"], Value::Array(Vec::new()), "{words}");
    assert_eq!(code(&output), 0, "{words}: {}", stderr(&output));
    summary
}

#[test]
fn clauses_of_captured_definitions_accuse_nobody() {
    for seed in ["captured", "captured-by-let"] {
        let folder = with_seeds(seed);
        let summary =
            nothing_found(&folder, &format!("{seed}.smt2 -S builtin -s skeleton:form=cnf --tests 60"));
        assert_eq!(summary["tests"], 60);
    }
}

#[test]
#[ignore = "needs z3@5.4.0, cvc5@1.4.2"]
fn no_mutant_of_what_went_wrong_accuses_an_honest_solver() {
    let folder = with_seeds("all");
    let names: Vec<String> = SEEDS.iter().map(|s| format!("{}.smt2", s.0)).collect();
    // Mutants only: `collections` and the grammars of sets find real bugs of z3 5.4.0.
    let mutators = "operator,generative,certified,fusion,shuffle,skeleton,weaken,transplant,evolve,queries";
    let words = format!("{} -S z3@5.4.0 -S cvc5@1.4.2 -s {mutators} --tests 400", names.join(" "));
    nothing_found(&folder, &words);
}

/// The findings of `smelt check` on a script, where a solver with these words stands beside the built-in one.
fn beside_builtin(script: &str, says: &str) -> Vec<String> {
    let folder = Folder::new("liar").with("a.smt2", script);
    folder.solver("liar", &format!("cat <<'END'\n{says}\nEND"));
    let output = folder.smelt(&["check", "a.smt2", "-S", "sh liar", "-S", "builtin", "--json"]);
    let findings = json(&output)[0]["findings"].as_array().unwrap().clone();
    let word = |f: &Value, key: &str| f[key].as_str().unwrap_or("-").to_owned();
    findings
        .iter()
        .map(|f| format!("{} {} {}", word(f, "kind"), word(f, "solver"), word(f, "evidence")))
        .collect()
}

#[test]
fn models_and_cores_that_say_too_much_accuse_no_honest_solver() {
    let pair_model = "((define-fun a () (Array (P Bool) Int) (store ((as const (Array (P Bool) Int)) 0) (mk true false) 1))\
        (define-fun b () (Array (P Bool) Int) ((as const (Array (P Bool) Int)) 1)))";
    let equal = PAIRS.replace("(distinct a b)", "(= a b)");
    let all_entries = "((define-fun a () (Array (P Bool) Int) ((as const (Array (P Bool) Int)) 1))\
        (define-fun b () (Array (P Bool) Int) (store (store (store (store ((as const (Array (P Bool) Int)) 0) \
        (mk true false) 1) (mk true true) 1) (mk false true) 1) (mk false false) 1)))";
    for (script, says, expected) in [
        // A model of a name that the script gives: the liar's model is false, and its sat is wrong.
        (
            NAMED,
            "sat\n((define-fun p () Bool true) (define-fun n () Bool false))",
            &["solution-unsound sh liar exhaustive"][..],
        ),
        // Equal by their entries, whatever the defaults.
        (&equal, &format!("sat\n{all_entries}"), &[]),
        (PAIRS, &format!("sat\n{pair_model}"), &[]),
        // Assumptions, `true`, and an assertion written out.
        (CORES, "unsat\n(a p (not q))", &[]),
        (CORES, "unsat\n(a p (not q) true)", &[]),
        (CORES, "unsat\n((=> p q) p (not q))", &[]),
        // The second answer is about what the solver itself blocked.
        (BLOCKED, "sat\nunsat", &[]),
        (ENDLESS, "sat", &[]),
        // A rounded number, marked as such.
        (ROOT, "sat\n((define-fun a () Real 1.414214?))", &[]),
    ] {
        assert_eq!(beside_builtin(script, says), expected, "{script}{says}");
    }
}

#[test]
fn the_clock_of_the_built_in_solver_accuses_no_copy_of_it() {
    smelt_solvers::nursery::start().unwrap();
    let folder = Folder::new("clock");
    // A copy whose time is up at once: on a busy machine it is so by chance. The fault has nothing to do with the script.
    let smelt = env!("CARGO_BIN_EXE_smelt");
    let slow =
        format!("case \"$*\" in *--fault*) exec {smelt} \"$@\" --timeout 0ms;; esac\nexec {smelt} \"$@\"");
    let wrapper = folder.program("smelt", &slow);
    let catalog = Catalog::new(Profiles::load(None).unwrap(), Zoo::of_user().unwrap(), Some(wrapper.into()));
    let solvers = ["builtin", "builtin:str-to-int-zeros"].map(|spec| NamedSolver {
        spec: spec.to_owned(),
        solver: catalog.resolve(&spec.parse::<SolverSpec>().unwrap()).unwrap(),
    });
    let limits = Limits::within(Duration::from_secs(60));
    let mut panel = Panel::new(Lineup { solvers: &solvers, limits, is_over: &|| false });
    let script = b"(declare-const x (_ BitVec 4))(declare-const y (_ BitVec 4))\
        (assert (= (bvmul x y) #x7))(assert (bvult x y))(check-sat)";
    let outcomes = panel.ask_all(&query(script, limits.time), Mode::Fresh, |_| true).unwrap().unwrap();
    assert!(is_decided(outcomes[0].as_ref().unwrap()), "{outcomes:?}");
    assert!(!is_decided(outcomes[1].as_ref().unwrap()), "its time is up: {outcomes:?}");
    let suspicion = Suspicion { accused: 1, reference: 0, gave_up: false };
    let inquest = panel.look_into_regression(suspicion, script, Some(limits.time)).unwrap();
    assert!(matches!(inquest, Inquest::Nothing), "{inquest:?}");
}

#[test]
#[ignore = "needs z3"]
fn an_option_that_changes_meaning_makes_no_answer_comparable() {
    let folder = Folder::new("options").with("a.smt2", NOT_EXTENSIONAL);
    let plain = NOT_EXTENSIONAL.replace("(set-option :smt.array.extensional false)", "");
    folder.file("b.smt2", &plain);
    for (file, solver) in [("a.smt2", "z3"), ("b.smt2", "z3 smt.array.extensional=false")] {
        let output = folder.smelt(&["check", file, "-S", solver, "-S", "builtin", "--json"]);
        let document = json(&output);
        assert_eq!((code(&output), &document[0]["findings"]), (0, &Value::Array(Vec::new())), "{solver}");
    }
}

#[test]
#[ignore = "needs cvc4"]
fn a_theory_that_is_not_built_in_is_no_finding() {
    let folder = with_seeds("floats");
    let output = folder.smelt(&["check", "floats.smt2", "-S", "cvc4", "--json"]);
    let document = json(&output);
    // Where it is built in, it has an answer.
    let outcome = document[0]["outcomes"][0]["outcome"].as_str().unwrap().to_owned();
    assert!(["rejected", "sat"].contains(&outcome.as_str()), "{document}");
    let summary = nothing_found(&folder, "floats.smt2 -S cvc4 -S builtin --tests 60");
    assert!(summary["by_outcome"]["crash"].is_null(), "{summary}");
}

#[test]
fn a_rounded_number_in_a_model_is_no_value_and_assertions_are_counted_from_1() {
    let folder = with_seeds("eval").with("model", "sat\n((define-fun a () Real -1.414214?))");
    let output = folder.smelt(&["eval", "root.smt2", "model"]);
    assert!(stdout(&output).starts_with("unknown\nassertion 1 is unknown"), "{}", stdout(&output));
    assert_eq!(code(&output), 0);
}

#[test]
#[ignore = "needs yices@2.6.5"]
fn a_rounded_model_is_not_judged() {
    let folder = with_seeds("rounded");
    let output = folder.smelt(&["check", "root.smt2", "-S", "yices@2.6.5", "--json"]);
    let outcome = &json(&output)[0]["outcomes"][0];
    assert_eq!((&outcome["outcome"], &outcome["model"]), (&"sat".into(), &"unknown".into()), "{outcome}");
    nothing_found(&folder, "root.smt2 -S yices@2.6.5 --tests 60");
}

#[test]
#[ignore = "needs yices@2.6.5"]
fn a_solver_that_needs_a_logic_is_told_one_and_the_report_shows_it() {
    // It reads a `let` in sequence.
    let script = "(declare-const a Bool)(assert (let ((a false) (b a)) (and b (not a))))(check-sat)\n";
    let unsat = script.replace("(and b (not a))", "(and a b)");
    let folder = Folder::new("logic").with("a.smt2", script).with("b.smt2", &unsat);
    let output = folder.smelt(&["check", "a.smt2", "b.smt2", "-S", "yices@2.6.5", "--json"]);
    let outcomes: Vec<Value> =
        json(&output).as_array().unwrap().iter().map(|d| d["outcomes"][0]["outcome"].clone()).collect();
    assert!(outcomes.iter().all(|o| *o == "sat" || *o == "unsat"), "{outcomes:?}");
    let fuzz = "fuzz a.smt2 -S yices@2.6.5 -S builtin -s shuffle --tests 5 -j 1 --seed 1 --no-cache --json --out store";
    let summary = json(&folder.smelt(&fuzz.split(' ').collect::<Vec<_>>()));
    assert!(!summary["findings"].as_array().unwrap().is_empty(), "{summary}");
    assert_eq!(code(&folder.smelt(&["bugs", "store", "examine", "--json"])), 10);
    let exported = folder.smelt(&["bugs", "store", "export", "all", "--json"]);
    let bugs = json(&exported);
    assert_eq!(bugs.as_array().unwrap().len(), 1, "{bugs}");
    // The command of the issue shows the bug on the file that stands beside it.
    let files = || std::fs::read_dir(folder.0.join("all")).unwrap().map(|e| e.unwrap().path());
    let read = |end: &str| {
        std::fs::read_to_string(files().find(|p| p.to_str().unwrap().ends_with(end)).unwrap()).unwrap()
    };
    let (script, issue) = (read(".smt2"), read(".md"));
    assert!(script.contains("(set-logic ") && issue.contains(script.trim_end()), "{issue}\n{script}");
    let wrong = if bugs[0]["kind"] == "refutation-unsound" { "unsat" } else { "sat" };
    let file = folder.file("bug.smt2", &script);
    let solver = stdout(&folder.smelt(&["solvers", "list", "--json"]));
    let list: Value = serde_json::from_str(&solver).unwrap();
    let yices = list.as_array().unwrap().iter().find(|s| s["spec"] == "yices@2.6.5").unwrap();
    let program = format!("{}/site/bin/yices-smt2", yices["path"].as_str().unwrap());
    let said = std::process::Command::new(program).args(["--smt2-model-format", &file]).output().unwrap();
    assert!(stdout(&said).starts_with(wrong), "{}", stdout(&said));
}

/// What the built-in solver and a lying solver beside a real one are said about a script.
fn beside_a_liar(solver: &str, script: &str) -> Value {
    let folder = Folder::new("honest-liar").with("a.smt2", script);
    folder.solver("liar", "echo sat");
    let all = ["check", "a.smt2", "-S", solver, "-S", "builtin", "-S", "./liar", "--timeout", "2s", "--json"];
    json(&folder.smelt(&all))
}

fn open_results_and_endless_definitions_accuse_no_honest_solver(solver: &str) {
    let (plus, minus) = ("(_ +zero 5 11)", "(_ -zero 5 11)");
    for script in [
        format!("(assert (not (fp.isZero (fp.max {plus} {minus}))))(check-sat)"),
        format!("(assert (not (fp.isZero (fp.min {minus} {plus}))))(check-sat)"),
        format!("(assert (distinct (fp.max {plus} {minus}) {plus} {minus}))(check-sat)"),
        "(assert (distinct ((_ fp.to_ubv 3) RNE (_ NaN 5 11)) ((_ fp.to_ubv 3) RNE (_ NaN 5 11))))(check-sat)".to_owned(),
        "(assert (distinct (div 1 0) (div 1 0)))(check-sat)".to_owned(),
        "(define-fun-rec f ((n Int)) Int (+ 1 (f n)))(assert (= (f 0) (f 0)))(check-sat)".to_owned(),
        "(define-fun-rec f ((n Int)) Bool (not (f n)))(assert (f 0))(check-sat)".to_owned(),
        "(define-funs-rec ((f ((n Int)) Bool) (g ((n Int)) Bool)) ((not (g n)) (f n)))(assert (f 0))(check-sat)".to_owned(),
    ] {
        let report = &beside_a_liar(solver, &script)[0];
        assert_ne!(report["outcomes"][1]["outcome"], "sat", "{script}");
        for finding in report["findings"].as_array().unwrap() {
            // A disagreement that is not settled names both sides.
            let settled = finding["evidence"].is_string();
            let accused = finding["solver"].as_str().unwrap();
            assert!(!settled || accused.contains("liar"), "{script}: {finding}");
        }
    }
}

each_solver!(open_results_and_endless_definitions_accuse_no_honest_solver: z3 "needs z3", z3_new "needs z3@5.4.0",
    cvc5 "needs cvc5", cvc5_new "needs cvc5@1.4.2");

fn names_in_cores_and_models_accuse_no_honest_solver(solver: &str) {
    for script in [
        "(assert (! p :named a :named b))(assert (! (not p) :named c))(assert (! q :named d))(check-sat)",
        "(assert (! (! p :named a) :named b))(assert (! (! (not p) :named c) :named d))(check-sat)",
        "(assert (! (and (! p :named i) q) :named a))(assert (! (not i) :named b))(assert (! q :named c))(check-sat)",
        "(assert (! (not p) :named a))(assert (! q :named b))(check-sat-assuming ((! p :named n)))",
        "(assert (! p :named a))(assert (! q :named b))(check-sat-assuming ((not a)))",
        "(assert (! p :named a))(assert (! (not p) :named b))(check-sat-assuming (a b))",
        "(assert (! (or p q) :named a))(check-sat-assuming ((not p) (not q)))",
        "(declare-sort S 0)(declare-const S!val!0 S)(declare-const S!val!1 S)(declare-const x S)
         (assert (distinct x S!val!1 S!val!0))(check-sat)",
        "(declare-sort S 0)(declare-fun f (S) S)(declare-const S!val!1 S)(declare-const S!val!0 S)
         (assert (distinct (f S!val!0) S!val!0 (f S!val!1) S!val!1))(check-sat)",
        "(declare-sort S 0)(declare-const @S_0 S)(declare-const @S_1 S)(assert (distinct @S_1 @S_0))(check-sat)",
    ] {
        let logic =
            if script.contains("declare-sort") { "" } else { "(set-option :produce-unsat-cores true)" };
        let script = format!("{logic}(set-logic QF_UF)(declare-const p Bool)(declare-const q Bool){script}");
        let folder = Folder::new("honest-names").with("a.smt2", &script);
        let report = json(&folder.smelt(&["check", "a.smt2", "-S", solver, "-S", "builtin", "--json"]));
        let findings = report[0]["findings"].as_array().unwrap();
        // Bitwuzla has no models of declared sorts, and ends over it.
        let wrong: Vec<&Value> = findings.iter().filter(|f| f["kind"] != "crash").collect();
        assert!(wrong.is_empty(), "{script}: {wrong:?}");
    }
}

each_solver!(names_in_cores_and_models_accuse_no_honest_solver: z3 "needs z3", z3_old "needs z3@4.8.5",
    z3_new "needs z3@5.4.0", cvc5 "needs cvc5", cvc5_new "needs cvc5@1.4.2", cvc4 "needs cvc4",
    yices "needs yices@2.6.5", bitwuzla "needs bitwuzla@0.9.1");

fn a_logic_that_an_old_release_ignores_costs_no_verdict(solver: &str) {
    let script = "(set-logic QF_SLIA)(declare-const s String)(assert (= (str.len s) 2))(check-sat)";
    let folder = Folder::new("honest-logic").with("a.smt2", script);
    for mode in [&[][..], &["--fresh"]] {
        let report = json(&folder.smelt(&[&["check", "a.smt2", "-S", solver, "--json"], mode].concat()));
        assert_eq!(report[0]["outcomes"][0]["outcome"], "sat", "{report}");
        assert_eq!(report[0]["outcomes"][0]["model"], "true", "{report}");
    }
}

each_solver!(a_logic_that_an_old_release_ignores_costs_no_verdict: z3_451 "needs z3@4.5.1.0.post2",
    z3_485 "needs z3@4.8.5", z3 "needs z3");
