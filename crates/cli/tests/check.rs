//! `smelt check` and `smelt solvers` as a user meets them. The solvers are small shell scripts with canned answers.

use crate::common::{Folder, code, json, text};
use std::process::Output;

impl Folder {
    /// With a solver that reads its input and then does this.
    fn with_solver(self, name: &str, script: &str) -> Folder {
        self.solver(name, script);
        self
    }

    /// smelt without a zoo and configuration: only the solvers of this folder.
    fn alone(&self, arguments: &[&str]) -> Output {
        self.command().env("XDG_CACHE_HOME", self.0.join("cache")).args(arguments).output().unwrap()
    }

    /// `smelt check a.smt2` on these solvers: exit code and standard output.
    fn check(&self, solvers: &[&str]) -> (i32, String) {
        let quoted: Vec<String> = solvers.iter().map(|s| format!("sh {s}")).collect();
        let mut arguments = vec!["check", "a.smt2", "--timeout", "60s"];
        arguments.extend(quoted.iter().flat_map(|s| ["-S", s]));
        let out = self.alone(&arguments);
        (out.status.code().unwrap(), text(&out.stdout))
    }
}

/// Sat with positive x.
const SCRIPT: &str =
    "(set-info :status sat)\n(declare-const x Int)\n(assert (> x 0))\n(check-sat)\n(get-model)\n";
const RIGHT: &str = "echo sat; echo '((define-fun x () Int 7))'";
const WRONG_MODEL: &str = "echo sat; echo '((define-fun x () Int (- 7)))'";
const NO_MODEL: &str = "echo unsat; echo '(error \"no model\")'";

fn folder(test: &str) -> Folder {
    Folder::new(test)
        .with("a.smt2", SCRIPT)
        .with_solver("right", RIGHT)
        .with_solver("wrong-model", WRONG_MODEL)
        .with_solver("wrong-unsat", NO_MODEL)
}

#[test]
fn agreement_on_a_good_model_exits_0() {
    let (code, out) = folder("agree").with_solver("too", RIGHT).check(&["right", "too"]);
    assert_eq!(code, 0, "{out}");
    assert!(out.contains("model true") && out.ends_with("1 file, 2 solvers: nothing found\n"), "{out}");
}

#[test]
fn a_wrong_unsat_is_pinned_by_the_model_of_the_other_and_exits_10() {
    let (code, out) = folder("unsat").check(&["wrong-unsat", "right"]);
    assert_eq!(code, 10, "{out}");
    assert!(out.contains("FINDING refutation-unsound [model] sh wrong-unsat"), "{out}");
    assert!(out.contains("the model of sh right makes every assertion true"), "{out}");
    assert!(out.contains("(define-fun x () Int 7)"), "the model is shown: {out}");
    assert!(out.contains("only a label, not evidence; sh wrong-unsat says unsat"), "{out}");
}

#[test]
fn a_wrong_model_is_pinned_with_the_assertion() {
    let (code, out) = folder("model").check(&["wrong-model", "right"]);
    assert_eq!(code, 10, "{out}");
    assert!(out.contains(
        "FINDING invalid-model [model] sh wrong-model: assertion 1 is false in its model: (> x 0)"
    ));
    assert_eq!(out.matches("FINDING").count(), 1, "{out}");
}

#[test]
fn a_crash_is_found_with_its_place_and_without_an_answer() {
    let f = folder("crash")
        .with_solver(
            "assertion",
            "echo 'tool: ../src/smt/a.cpp:12: f: Assertion `x > 0` failed.' >&2; kill -ABRT $$",
        )
        .with_solver("late", "echo unsat; kill -ABRT $$");
    let (code, out) = f.check(&["assertion", "late", "right"]);
    assert_eq!(code, 10, "{out}");
    assert!(out.contains("FINDING crash sh assertion"), "{out}");
    assert!(out.contains("/crash/smt/a.cpp:12"), "{out}");
    assert!(out.contains("FINDING crash sh late"), "an answer followed by an abort is a crash: {out}");
    assert!(!out.contains("refutation-unsound"), "{out}");
}

#[test]
fn output_without_an_answer_is_not_a_finding() {
    let f = folder("silent")
        .with_solver("unsupported", "echo unsupported; echo sat")
        .with_solver("refused", "echo '(error \"line 3: not supported\")'; echo unsat")
        .with_solver("garbage", "echo '%$#!'; echo 'it is unsat'")
        .with_solver("mute", "exit 0")
        .with_solver("unsure", "echo unknown; echo '((define-fun x () Int 0))'");
    let (code, out) = f.check(&["unsupported", "refused", "garbage", "mute", "unsure", "right"]);
    // No finding; but two of them answer nothing at all, and that is said.
    assert_eq!(code, 2, "{out}");
    assert!(!out.contains("FINDING") && !out.contains("nothing found"), "{out}");
}

#[test]
fn a_hang_is_a_timeout_and_not_a_finding() {
    let f = folder("hang").with_solver("hang", "sleep 60");
    let out = f.alone(&["check", "a.smt2", "-S", "sh hang", "-S", "sh right", "--timeout", "300ms"]);
    assert_eq!(out.status.code(), Some(0), "{}", text(&out.stdout));
    assert!(text(&out.stdout).contains("timeout"));
}

#[test]
fn without_a_model_two_against_one_is_a_vote_and_one_against_one_is_not_settled() {
    let f = Folder::new("vote")
        .with("a.smt2", "(declare-fun f (Int) Int)(assert (forall ((x Int)) (> (f x) x)))(check-sat)")
        .with_solver("one", "echo sat")
        .with_solver("two", "echo sat")
        .with_solver("three", "echo unsat");
    let (code, out) = f.check(&["one", "two", "three"]);
    assert_eq!(code, 10);
    assert!(
        out.contains(
            "FINDING refutation-unsound [vote] sh three: sh one, sh two say sat (2 solver families)"
        ),
        "{out}"
    );
    let (code, out) = f.check(&["one", "three"]);
    assert_eq!(code, 10);
    assert!(out.contains("FINDING unsound sh one / sh three") && out.contains("not settled"), "{out}");
}

#[test]
fn a_finding_that_is_not_repeated_is_flaky_and_exits_0() {
    let once =
        "if [ -e seen ]; then echo sat; echo '((define-fun x () Int 7))'; else touch seen; echo unsat; fi";
    let (code, out) = folder("flaky").with_solver("once", once).check(&["once", "right"]);
    assert_eq!(code, 0, "{out}");
    assert!(out.contains("flaky: refutation-unsound in sh once"), "{out}");
}

#[test]
fn a_core_with_a_strange_name_is_found_and_a_good_one_is_not() {
    let script = "(declare-const x Int)(assert (! (> x 1) :named p))(assert (! (< x 0) :named q))\
                  (assert (! (< x 9) :named r))(check-sat)(get-unsat-core)";
    let f = Folder::new("core")
        .with("a.smt2", script)
        .with_solver("stranger", "echo unsat; echo '(p zzz)'")
        .with_solver("good-core", "echo unsat; echo '(p q)'");
    let (code, out) = f.check(&["good-core"]);
    assert_eq!(code, 0, "{out}");
    let (code, out) = f.check(&["stranger", "good-core"]);
    assert_eq!(code, 10, "{out}");
    assert!(out.contains("FINDING invalid-core sh stranger: its core contains `zzz`"), "{out}");
}

/// A list that is printed item by item is a document when it is stopped, with everything up to there.
#[test]
fn a_stopped_check_leaves_a_json_document() {
    use std::io::Read;
    let slow = "grep -q slow && sleep 600; echo sat";
    let f = Folder::new("check-stop").with_solver("wait", slow);
    for (name, about) in [("1.smt2", ""), ("2.smt2", ""), ("3.smt2", "(declare-const slow Bool)")] {
        f.file(name, &format!("{about}{SCRIPT}"));
    }
    let mut smelt = f.command();
    smelt.args(["check", "1.smt2", "2.smt2", "3.smt2", "-S", "sh wait", "--timeout", "10m", "--json"]);
    let mut child = smelt.stdout(std::process::Stdio::piped()).spawn().unwrap();
    let mut out = child.stdout.take().unwrap();
    let mut document = String::new();
    // The first two are there before the last is done.
    while !document.contains("2.smt2") {
        let mut byte = [0];
        out.read_exact(&mut byte).unwrap();
        document.push(char::from(byte[0]));
    }
    let id = child.id().to_string();
    assert!(std::process::Command::new("kill").args(["-INT", &id]).status().unwrap().success());
    out.read_to_string(&mut document).unwrap();
    let list: serde_json::Value =
        serde_json::from_str(&document).unwrap_or_else(|e| panic!("{e}: {document}"));
    assert_eq!(list.as_array().unwrap().last().unwrap()["file"], "2.smt2", "{document}");
    assert_eq!(child.wait().unwrap().code(), Some(1));
}

#[test]
fn json_has_the_fields_of_the_design_and_nothing_else_is_on_stdout() {
    let f = folder("json");
    let out = f.alone(&["check", "a.smt2", "-S", "sh wrong-unsat", "-S", "sh right", "--json"]);
    assert_eq!(out.status.code(), Some(10));
    let json = json(&out);
    let keys = |v: &serde_json::Value| v.as_object().unwrap().keys().cloned().collect::<Vec<_>>();
    assert_eq!(keys(&json[0]), ["file", "findings", "outcomes"]);
    assert_eq!(keys(&json[0]["outcomes"][0]), ["model", "outcome", "solver", "wall_ms"]);
    let names = [
        "accused",
        "bytes",
        "evidence",
        "file",
        "fingerprint",
        "id",
        "kind",
        "reduced",
        "solver",
        "strategy",
        "theory",
    ];
    assert_eq!(keys(&json[0]["findings"][0]), names);
    assert_eq!(json[0]["outcomes"][0]["model"], "none");
    assert_eq!(json[0]["outcomes"][1]["model"], "true");
    assert_eq!(json[0]["outcomes"][1]["outcome"], "sat");
    assert_eq!(json[0]["findings"][0]["kind"], "refutation-unsound");
    assert_eq!(json[0]["findings"][0]["evidence"], "model");
    assert_eq!(json[0]["findings"][0]["solver"], "sh wrong-unsat");
    assert_eq!(json[0]["findings"][0]["theory"], "ints");
    assert_eq!(json[0]["findings"].as_array().unwrap().len(), 1);
}

#[test]
fn wrong_usage_exits_2_with_one_line() {
    let f = folder("usage").with("bad.toml", "[solver.a]\nprofile = \"none-such\"\n");
    for (arguments, part) in [
        (&["check", "none.smt2", "-S", "sh right"][..], "none.smt2"),
        (&["check", "a.smt2", "-S", "no-such-solver"], "no solver `no-such-solver`"),
        (&["check", "a.smt2", "-S", "z3@0.0.1"], "smelt solvers install z3@0.0.1"),
        (&["check", "a.smt2", "-S", "sh right", "--config", "none.toml"], "none.toml"),
        (&["check", "a.smt2", "-S", "sh right", "--config", "bad.toml"], "none-such"),
        (&["solvers", "install", "./z3"], "name a release"),
        (&["solvers", "install", "no-such@1.0"], "no-such"),
        (&["solvers", "doctor", "no-such-solver"], "no solver `no-such-solver`"),
    ] {
        let out = f.alone(arguments);
        let err = text(&out.stderr);
        let last = err.lines().last().unwrap_or_default();
        assert_eq!(out.status.code(), Some(2), "{arguments:?}: {err}");
        assert!(last.starts_with("smelt: ") && last.contains(part), "{arguments:?}: {err}");
        assert!(out.stdout.is_empty(), "{arguments:?}");
    }
    for arguments in
        [&["check"][..], &["check", "a.smt2", "--timeout", "2"], &["check", "a.smt2", "--memory", "1MB"]]
    {
        assert_eq!(f.alone(arguments).status.code(), Some(2), "{arguments:?}");
    }
}

#[test]
fn smelt_toml_names_solvers() {
    let f = folder("toml").with("smelt.toml", "[solver.mine]\ncommand = \"sh right\"\n");
    f.alone(&["config", "trust"]);
    let out = f.alone(&["check", "a.smt2", "-S", "mine"]);
    assert_eq!(out.status.code(), Some(0), "{}", text(&out.stderr));
    assert!(text(&out.stdout).contains("  mine  sat"), "{}", text(&out.stdout));
    let listed = f.alone(&["solvers", "list", "--json"]);
    let json = json(&listed);
    let row = json.as_array().unwrap().iter().find(|r| r["spec"] == "mine").unwrap();
    assert_eq!(row["origin"], "config");
}

#[test]
fn the_doctor_names_the_check_that_fails() {
    let f = folder("doctor");
    let out = f.alone(&["solvers", "doctor", "sh wrong-unsat", "--json"]);
    assert_eq!(out.status.code(), Some(10), "{}", text(&out.stderr));
    let json = json(&out);
    assert_eq!(json[0]["checks"][0]["name"], "sat");
    assert_eq!(json[0]["checks"][0]["result"], "fail");
}

#[test]
#[ignore = "needs z3, cvc5"]
fn real_solvers_give_models_and_cores_that_hold() {
    let named = "(set-logic QF_LIA)(declare-const x Int)(assert (! (> x 1) :named p))(assert (! (< x 0) :named q))\
                 (assert (! (< x 9) :named r))(check-sat)";
    let layers = "(set-logic QF_LIA)(declare-const x Int)(assert (> x 1))(check-sat)(push 1)(declare-const y Int)\
                  (assert (< x y 0))(check-sat)(pop 1)(assert (= x 5))(check-sat)";
    let f = Folder::new("real")
        .with("a.smt2", &SCRIPT.replace("(get-model)\n", ""))
        .with("b.smt2", named)
        .with("c.smt2", layers)
        .with_solver("bad-core", "echo unsat; echo '(p r)'");
    for mode in [&["--json"][..], &["--json", "--fresh"]] {
        let out =
            f.alone(&[&["check", "a.smt2", "b.smt2", "c.smt2", "-S", "z3", "-S", "cvc5"][..], mode].concat());
        assert_eq!(out.status.code(), Some(0), "{}", text(&out.stdout));
        let json = json(&out);
        for (file, outcome, model) in [(0, "sat", "true"), (1, "unsat", "none"), (2, "sat", "true")] {
            for solver in 0..2 {
                assert_eq!(json[file]["outcomes"][solver]["outcome"], outcome, "{json}");
                assert_eq!(json[file]["outcomes"][solver]["model"], model, "{json}");
            }
        }
    }
    // The fake solver answers only what the script itself asks.
    let asking = f.with("d.smt2", &format!("{named}(get-unsat-core)"));
    let out = asking.alone(&["check", "d.smt2", "-S", "sh bad-core", "-S", "z3"]);
    assert_eq!(out.status.code(), Some(10), "{}", text(&out.stdout));
    assert!(text(&out.stdout).contains("FINDING invalid-core [model] sh bad-core: its core (p r) is sat"));
}

#[test]
#[ignore = "needs z3, cvc4, corpus"]
fn a_wrong_answer_of_a_real_release_is_pinned_on_it() {
    let file = smelt_testing::corpus_folder("known-bugs/cvc5/cvc5_5940_0.smt2");
    let f = Folder::new("release");
    let out = f.alone(&["check", &file.display().to_string(), "-S", "z3", "-S", "cvc4", "--json"]);
    let json = json(&out);
    assert_eq!(json[0]["outcomes"][1]["solver"], "cvc4@1.8", "the last release of CVC4");
    assert_eq!(json[0]["findings"][0]["solver"], "cvc4@1.8");
    assert_eq!(json[0]["findings"][0]["kind"], "refutation-unsound");
    assert_eq!(json[0]["findings"][0]["evidence"], "model");
}

/// A solver whose own check of a model fails for one formula, if it is switched on.
const SELF_CHECKING: &str = "[ \"$1\" = --version ] && exit 0\nscript=$(cat)\necho sat\n\
    case \"$* $script\" in *--validate*'(> x 1)'*) echo '(error \"the model is wrong\")';; esac\n";

#[test]
fn a_failed_self_check_is_a_finding_of_its_own_evidence() {
    let config = "[solver.vain]\ncommand = \"sh vain\"\n[solver.vain.enable]\nself_check = [\"--validate\"]\n\
        [solver.vain.texts]\ninvalid = [\"*model is wrong\"]\n";
    let script = "(declare-const x Int)(assert (> x 1))(check-sat)\n";
    let f = folder("self-check").with("vain", SELF_CHECKING).with("smelt.toml", config);
    f.smelt(&["config", "trust"]);
    f.file("a.smt2", script);
    let quiet = f.smelt(&["check", "a.smt2", "-S", "vain"]);
    assert_eq!(code(&quiet), 0, "{}", text(&quiet.stdout));
    let checked = f.smelt(&["check", "a.smt2", "-S", "vain", "--self-check", "--json"]);
    let finding = &json(&checked)[0]["findings"][0];
    assert_eq!(
        (code(&checked), finding["kind"].as_str(), finding["evidence"].as_str()),
        (10, Some("invalid-model"), Some("self-check")),
        "{finding}"
    );
    // A campaign keeps the switch with the solver, so that a finding is run again with it.
    let fuzz =
        ["fuzz", "a.smt2", "-S", "vain", "--self-check", "-s", "shuffle", "--tests", "5", "--seed", "1"];
    let more = ["-j", "1", "--no-reduce", "--no-cache", "--json", "--out", "store"];
    let found = json(&f.smelt(&[&fuzz[..], &more].concat()));
    assert_eq!(found["findings"][0]["evidence"], "self-check", "{found}");
    let again = json(&f.smelt(&["replay", "1", "store", "--json"]));
    assert_eq!(again["again"], true, "{again}");
}

/// A published bug: the release's own check fails, where our evaluator cannot tell.
#[test]
#[ignore = "needs z3@4.8.7"]
fn an_old_release_whose_own_check_fails_is_reported() {
    let power = "(declare-fun a () Real)\n(assert (= (^ a 0.0) 1.0))\n(check-sat)\n";
    let f = folder("own-check").with("power.smt2", power);
    let check = ["check", "power.smt2", "-S", "z3@4.8.7", "--json"];
    assert_eq!(code(&f.smelt(&check)), 0);
    let finding = &json(&f.smelt(&[&check[..], &["--self-check"]].concat()))[0]["findings"][0];
    assert_eq!((&finding["kind"], &finding["evidence"]), (&"invalid-model".into(), &"self-check".into()));
}
