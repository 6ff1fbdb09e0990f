//! `smelt check --regression`, `--before`, campaigns of weakening, and `smelt rules`, as a user meets them.

use crate::common::{Folder, code, json, stderr, stdout};
use smelt_store::Store;
use smelt_trial::entailment;

impl Folder {
    /// Exit code, standard output and standard error.
    fn says(&self, arguments: &[&str]) -> (i32, String, String) {
        let out = self.smelt(arguments);
        (code(&out), stdout(&out), stderr(&out))
    }
}

/// Solvers with canned answers: `SHY` says unknown to scripts with `hard` in them, else sat.
const SHY: &str = "[ \"$1\" = --version ] && exit 0\nif grep -q hard; then echo unknown; else echo sat; fi\n";
const BOLD: &str = "[ \"$1\" = --version ] && exit 0\ncat > /dev/null\necho sat\n";
const EASY: &str = "(declare-const easy Int)(assert (> easy 1))(check-sat)\n";
const HARD: &str = "(declare-const hard Int)(assert (>= hard 1))(check-sat)\n";

#[test]
fn unknown_is_reported_where_an_older_release_has_an_answer() {
    let folder = Folder::new("regression").with("shy", SHY).with("bold", BOLD).with("hard.smt2", HARD);
    let check = ["check", "hard.smt2", "-S", "sh shy", "--regression", "sh bold", "--json"];
    let (code, out, _) = folder.says(&check);
    assert_eq!(code, 10, "{out}");
    assert!(out.contains("\"kind\":\"incomplete-regression\""), "{out}");
    let (code, out, _) = folder.says(&["check", "hard.smt2", "-S", "sh bold", "--regression", "sh shy"]);
    assert_eq!(code, 0, "the older release may be the worse one: {out}");
}

#[test]
fn unknown_is_reported_where_the_script_before_has_an_answer() {
    let folder = Folder::new("before").with("shy", SHY).with("easy.smt2", EASY).with("hard.smt2", HARD);
    let (code, out, _) = folder.says(&["check", "hard.smt2", "--before", "easy.smt2", "-S", "sh shy"]);
    assert_eq!(code, 10, "{out}");
    assert!(
        out.contains("incomplete-implication") && out.contains("it answered sat one step earlier"),
        "{out}"
    );
    let (code, out, _) = folder.says(&["check", "easy.smt2", "--before", "hard.smt2", "-S", "sh shy"]);
    assert_eq!(code, 0, "{out}");
    let (code, _, error) = folder.says(&["check", "easy.smt2", "--before", "none.smt2", "-S", "sh shy"]);
    assert_eq!((code, error.lines().count()), (2, 1), "{error}");
}

/// The built-in solver, but it gives up on products and on implications: the results of two rules for formulas of one theory.
const GAPS: &str = "[ \"$1\" = --version ] && exit 0\nscript=$(cat)\n\
    case $script in *bvmul*|*'(=> '*) echo unknown;; *) printf '%s\\n' \"$script\" | SMELT solve --stdin;; esac\n";

#[test]
fn gaps_planted_in_two_rules_are_both_found_in_one_campaign_with_pairs_that_are_implications() {
    let seed = "(set-info :status sat)(declare-const a (_ BitVec 3))(declare-const b (_ BitVec 3))
(declare-const p Bool)(assert (= a (bvnot b)))(assert (= (bvult a b) p))(check-sat)\n";
    let folder = Folder::new("gaps").with("seed.smt2", seed);
    folder.file("gaps", &GAPS.replace("SMELT", env!("CARGO_BIN_EXE_smelt")));
    let campaign = ["fuzz", "seed.smt2", "-S", "sh gaps", "-s", "weaken", "--tests", "500", "--seed", "1"];
    let more = ["-j", "1", "--no-reduce", "--no-cache", "--json", "--out", "store"];
    let found = json(&folder.smelt(&[&campaign[..], &more].concat()));
    let findings = found["findings"].as_array().unwrap();
    let store = Store::open(&folder.0.join("store")).unwrap();
    for rule in ["bv-eq-times", "iff-implies"] {
        let of_rule = |f: &&serde_json::Value| {
            f["kind"] == "incomplete-implication" && f["fingerprint"].as_str().unwrap().ends_with(rule)
        };
        let finding = findings.iter().find(of_rule).unwrap_or_else(|| panic!("{rule}: {found}"));
        let after = std::fs::read(folder.0.join(finding["file"].as_str().unwrap())).unwrap();
        let before = store.origin(finding["id"].as_str().unwrap()).unwrap().case.before.unwrap();
        let question = entailment(&before, &after).expect("one question about the same symbols");
        folder.file("question.smt2", &String::from_utf8(question).unwrap());
        assert_eq!(folder.says(&["solve", "question.smt2"]).1, "unsat\n", "{rule}: an implication");
        let (code, out, _) = folder.says(&["replay", finding["id"].as_str().unwrap(), "store"]);
        assert_eq!(code, 10, "{rule}: {out}");
        assert!(out.ends_with("reproduced\n"), "{rule}: {out}");
    }
}

#[test]
fn an_answer_that_another_build_gives_is_missing_again_in_a_replay() {
    let seed = "(declare-const a Bool)(assert (=> true a))(assert (not a))(check-sat)\n";
    let folder = Folder::new("owed").with("seed.smt2", seed);
    let campaign = "fuzz seed.smt2 -S builtin -S builtin:unknown-implication -s shuffle --tests 1 --seed 1 -j 1 \
        --no-reduce --no-cache --json --out store";
    let found = json(&folder.smelt(&campaign.split_whitespace().collect::<Vec<_>>()));
    let is_owed = |f: &&serde_json::Value| f["kind"] == "incomplete-regression";
    let finding = found["findings"].as_array().unwrap().iter().find(is_owed).expect("a finding");
    let (code, out, _) = folder.says(&["replay", finding["id"].as_str().unwrap(), "store"]);
    assert_eq!(code, 10, "{out}");
    assert!(out.contains(", but builtin@0.2.0 answers unsat") && out.ends_with("reproduced\n"), "{out}");
}

/// A published incompleteness, on releases that have it.
#[test]
#[ignore = "needs z3@4.8.7, z3@4.8.10"]
fn a_published_regression_is_reported() {
    let all = "(assert (forall ((a Int)) (= 0 a)))(assert (= 0 (mod 0 0)))(check-sat)\n";
    let folder = Folder::new("published-regression").with("all.smt2", all);
    let (code, out, _) = folder.says(&["check", "all.smt2", "-S", "z3@4.8.7", "--regression", "z3@4.8.10"]);
    assert_eq!(code, 10, "{out}");
    assert!(out.contains("incomplete-regression z3@4.8.7: unknown (smt tactic failed"), "{out}");
    assert!(out.contains(", but z3@4.8.10 answers unsat"), "{out}");
}

/// A published incompleteness of the other kind.
#[test]
#[ignore = "needs cvc4"]
fn a_published_implication_is_reported() {
    let product = |f: &str| {
        format!("(declare-fun a () Real)(declare-fun b () Real)(assert ({f} (* a b) 1))(check-sat)\n")
    };
    let folder =
        Folder::new("published-implication").with("eq.smt2", &product("=")).with("ge.smt2", &product(">="));
    let (code, out, _) = folder.says(&["check", "ge.smt2", "--before", "eq.smt2", "-S", "cvc4"]);
    assert_eq!(code, 10, "{out}");
    assert!(out.contains("incomplete-implication cvc4"), "{out}");
}

#[test]
fn a_rule_that_does_not_hold_is_refused_with_a_counterexample() {
    let wrong = "(rule up (theory t) (var x y Int) (from (<= x y)) (weaker (< x y)))";
    let folder = Folder::new("rules").with("wrong.txt", wrong).with("a.smt2", EASY);
    let (code, out, _) = folder.says(&["rules", "check", "wrong.txt"]);
    assert_eq!(code, 2, "{out}");
    assert!(out.contains("does not hold") && out.contains("1 wrong"), "{out}");
    let (code, _, error) =
        folder.says(&["mutate", "weaken", "a.smt2", "--status", "sat", "--rules", "wrong.txt"]);
    assert_eq!((code, error.lines().count()), (2, 1), "{error}");
    assert!(error.contains("rule `up` does not hold"), "{error}");
    let (code, _, error) =
        folder.says(&["rules", "discover", "--theory", "nothing", "-S", "builtin", "-S", "builtin"]);
    assert_eq!((code, error.lines().count()), (2, 1), "{error}");
}

#[test]
fn a_mutant_says_its_status_and_the_rule_file_may_be_ones_own() {
    let rule = "(rule own (theory t) (var x y Int) (from (> x y)) (weaker (>= x y)))";
    let folder = Folder::new("own").with("own.txt", rule).with("a.smt2", EASY);
    let own: [&[&str]; 2] = [&["weaken"], &["skeleton", "--moves", "pst", "--form", "written"]];
    for strategy in own {
        let arguments = ["a.smt2", "--status", "sat", "--rules", "own.txt"];
        let (code, out, error) = folder.says(&[&["mutate"], strategy, &arguments].concat());
        assert_eq!(code, 0, "{error}");
        assert!(out.contains("(set-info :status sat)") && out.contains("(>= easy 1)"), "{out}");
    }
}
