//! Never silently useless: a run that looked at nothing ends with code 2 and one sentence, and a wrong name with a right one.

use crate::common::{Folder, code, json, stderr, stdout};

const SCRIPT: &str = "(declare-const x Int)(assert (> x 1))(check-sat)";

/// The code and the last line on stderr.
fn failure(folder: &Folder, arguments: &str) -> (i32, String) {
    let out = folder.smelt(&arguments.split(' ').collect::<Vec<_>>());
    assert!(!stdout(&out).contains("nothing found"), "{arguments}: {}", stdout(&out));
    (code(&out), stderr(&out).lines().last().unwrap_or_default().to_owned())
}

/// smelt without any solver but its own.
fn alone(folder: &Folder, arguments: &str) -> std::process::Output {
    let mut command = folder.command();
    command.args(arguments.split(' ')).env("HOME", &folder.0).env_remove("XDG_CACHE_HOME");
    command.env("PATH", folder.path("empty")).output().unwrap()
}

#[test]
fn a_solver_that_answers_nothing_is_no_solver() {
    let folder = Folder::new("useful-solver").with("a.smt2", SCRIPT);
    folder.solver("mute", "true");
    folder.solver("liar", "echo unsat");
    for (arguments, part) in [
        ("check a.smt2 -S /bin/true", "/bin/true does not answer even an easy query"),
        ("check a.smt2 -S builtin -S ./mute", "./mute does not answer even an easy query"),
        ("check a.smt2 -S ./mute --json", "./mute does not answer even an easy query"),
        ("check a.smt2 -S builtin:typo", "no solver `builtin:typo`"),
        ("check a.smt2 -S builtin:bvudiv-zer", "did you mean `builtin:bvudiv-zero`"),
        ("study core -S ./mute -n 3 --cache c.sqlite --out o", "./mute answered none of the formulas"),
        (
            "study core -S ./mute -n 3 --ci --baseline b.json --time 10s --cache c.sqlite --out o",
            "./mute answered none",
        ),
        (
            "study core -S builtin -S ./mute -n 3 --ci --baseline b.json --time 10s --cache c.sqlite --out o",
            "./mute answered none",
        ),
    ] {
        let (code, line) = failure(&folder, arguments);
        assert!(code == 2 && line.contains(part), "{arguments}: {code} {line}");
    }
    assert!(!folder.0.join("b.json").exists(), "it is no baseline");
    // A finding is still one.
    let found = folder.smelt(&["check", "a.smt2", "-S", "builtin", "-S", "./liar", "-S", "./mute"]);
    assert!(
        code(&found) == 10 && stderr(&found).contains("./mute does not answer even an easy query"),
        "{}",
        stderr(&found)
    );
}

#[test]
fn a_machine_without_solvers_does_not_fall_back_to_the_built_in_one() {
    let folder = Folder::new("useful-none").with("a.smt2", SCRIPT);
    for arguments in ["check a.smt2", "fuzz --tests 3"] {
        let out = alone(&folder, arguments);
        assert!(code(&out) == 2 && stderr(&out).contains("smelt solvers install"), "{}", stderr(&out));
    }
    assert_eq!(code(&alone(&folder, "check a.smt2 -S builtin")), 0, "it was asked for");
}

#[test]
fn a_script_that_asks_nothing_is_named() {
    let folder = Folder::new("useful-script").with("a.smt2", SCRIPT).with("none.smt2", "(assert true)");
    folder.file("empty.smt2", "");
    folder.file("bad.smt2", "(assert (= 1");
    for (file, part) in [
        ("none.smt2", "none.smt2 has no query"),
        ("empty.smt2", "empty.smt2 has no query"),
        ("bad.smt2", "bad.smt2 cannot be parsed"),
        ("none.smt2 bad.smt2", "none.smt2 has no query"),
    ] {
        let (code, line) = failure(&folder, &format!("check {file} -S builtin"));
        assert!(code == 2 && line.contains(part), "{file}: {code} {line}");
    }
    let some = folder.smelt(&["check", "a.smt2", "none.smt2", "-S", "builtin"]);
    assert!(code(&some) == 0 && stderr(&some).contains("none.smt2 has no query"), "{}", stderr(&some));
    // Nobody knows the status of this one.
    let unknown = "(declare-fun f (Int) Int)(assert (forall ((x Int)) (> (f (f x)) (f x))))(check-sat)";
    folder.file("unknown.smt2", unknown);
    let (code, line) = failure(&folder, "fuzz unknown.smt2 -s fusion -S builtin --time 60s --out out");
    assert!(code == 2 && line.contains("no test could be made"), "{code} {line}");
}

#[test]
fn a_baseline_of_other_formulas_is_refused() {
    let folder = Folder::new("useful-baseline");
    let study = |rest: &str| {
        let ci = "-S builtin --ci --baseline b.json --time 10m --cache c.sqlite --out o";
        folder.smelt(&format!("study {rest} {ci}").split(' ').collect::<Vec<_>>())
    };
    let made = study("core -n 7");
    assert_eq!(code(&made), 0, "{}", stderr(&made));
    let text = std::fs::read_to_string(folder.path("b.json")).unwrap();
    let baseline: serde_json::Value = serde_json::from_str(&text).unwrap();
    assert_eq!(baseline["grammars"], serde_json::json!([["core", 7]]), "as many as were asked for");
    for other in ["ints -n 7", "core -n 8", "core -n 7 --vars 3", "core -n 7 --from 2", "core ints"] {
        let out = study(other);
        assert!(code(&out) == 2 && stderr(&out).contains("7 of core"), "{other}: {}", stderr(&out));
    }
    for same in ["core", "core -n 7", "-n 7"] {
        let out = study(same);
        assert!(code(&out) == 0 && stdout(&out).contains("no difference"), "{same}: {}", stderr(&out));
    }
}

#[test]
fn wrong_names_get_the_right_one() {
    let folder = Folder::new("useful-names").with("a.smt2", SCRIPT).with("formula.smt2", SCRIPT);
    for (arguments, part) in [
        ("check a.smt2 -S z4", "did you mean `z3`?"),
        ("check a.smt2 -S zz3@4.8.5", "did you mean `z3`?"),
        ("check a.smt2 -S z3,cvc5", "-S z3 -S cvc5"),
        ("check a.smt2 -S z3;cvc5", "-S z3 -S cvc5"),
        ("check formla.smt2 -S builtin", "did you mean formula.smt2?"),
        ("fuzz formla.smt2 -S builtin", "did you mean formula.smt2?"),
        ("parse a.smt", "did you mean a.smt2?"),
        ("check x.smt2 -S builtin", "cannot read x.smt2"),
        ("reduce formulas.smt2 -S builtin", "did you mean formula.smt2?"),
        ("solvers install z4", "did you mean `z3`?"),
    ] {
        let (code, line) = failure(&folder, arguments);
        assert!(code == 2 && line.contains(part), "{arguments}: {code} {line}");
    }
}

#[test]
fn an_installation_goes_on_after_a_failure() {
    let folder = Folder::new("useful-install").with("a.smt2", SCRIPT);
    let out = alone(&folder, "solvers install nothing1 nothing2 --json");
    let text = stderr(&out);
    assert!(code(&out) == 2 && text.contains("nothing1: ") && text.contains("nothing2: "), "{text}");
    assert!(text.ends_with("smelt: not installed: nothing1, nothing2\n"), "{text}");
    assert_eq!(json(&out), serde_json::json!([]));
    let none = alone(&folder, "check a.smt2 -S z3@newest");
    assert!(code(&none) == 2 && stderr(&none).contains("solvers install z3"), "{}", stderr(&none));
}

#[test]
fn shells_complete_solvers_and_strategies() {
    let folder = Folder::new("useful-completions");
    let text = stdout(&folder.smelt(&["completions", "zsh"]));
    let offered = |option: &str, word: &str| {
        text.lines().any(|line| line.contains(option) && line.contains('(') && line.contains(word))
    };
    assert!(offered("--solver=", "builtin") && offered("--strategy=", " fusion "), "{text}");
    assert!(offered(":strategy -- ", "fusion"), "`smelt mutate`");
    assert!(!stdout(&folder.smelt(&["fuzz", "--help"])).contains("possible values: builtin"));
}

#[test]
fn the_last_campaign_is_the_one_that_is_meant() {
    let folder = Folder::new("useful-last").with("a.smt2", SCRIPT);
    for out in ["smelt-out-7", "zebra", "apple"] {
        let arguments = format!("fuzz a.smt2 -S builtin -s operator --tests 1 --no-reduce --out {out}");
        let ran = folder.smelt(&arguments.split(' ').collect::<Vec<_>>());
        assert_eq!(code(&ran), 0, "{}", stderr(&ran));
        let listed = folder.smelt(&["bugs"]);
        assert!(code(&listed) == 0 && stdout(&listed).contains(out), "{}", stdout(&listed));
    }
    let mut inside = folder.command();
    let inside = inside.current_dir(folder.0.join("zebra")).arg("bugs").output().unwrap();
    assert_eq!(code(&inside), 0, "{}", stderr(&inside));
    let none = Folder::new("useful-no-campaign").smelt(&["bugs"]);
    assert!(code(&none) == 2 && stderr(&none).contains("smelt-out"), "{}", stderr(&none));
}

#[test]
fn two_releases_are_compared_operator_by_operator() {
    let folder = Folder::new("solvers-diff");
    let same = folder.smelt(&["solvers", "diff", "builtin", "builtin"]);
    assert_eq!(same.status.code(), Some(0), "{}", stdout(&same));
    let other = folder.smelt(&["solvers", "diff", "builtin", "builtin:bvashr-logical", "--json"]);
    assert_eq!(other.status.code(), Some(10), "{}", stderr(&other));
    let news = &json(&other)["news"];
    assert!(news["asked"].as_u64().unwrap() > 500, "{news}");
    let changed = news["changed"].as_array().unwrap();
    assert!(!changed.is_empty() && changed.iter().all(|c| c["name"] == "bvashr"), "{news}");
    let fuzz = folder.smelt(&["fuzz", "-S", "builtin", "--focus", "new", "--tests", "5", "-o", "o"]);
    assert_eq!(fuzz.status.code(), Some(2));
    assert!(stderr(&fuzz).contains("--focus new: it needs an older installed release"), "{}", stderr(&fuzz));
}
