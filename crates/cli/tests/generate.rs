//! `smelt generate` as a user meets it, and its formulas on solvers.
#![allow(clippy::print_stderr, reason = "tests say what they measured")]

use crate::common::{Folder, code, json, text};
use serde_json::Value;

const FAMILY: [&str; 6] = ["generate", "synthesis", "--preset", "paper", "--family", "operation"];

#[test]
fn scripts_go_to_stdout_to_files_and_into_one_document() {
    let folder = Folder::new("output");
    let out = folder.smelt(&FAMILY);
    let scripts = text(&out.stdout);
    assert_eq!(code(&out), 0);
    assert_eq!(scripts.matches("; smelt strategy=synthesis number=").count(), 12);
    assert_eq!(scripts.matches("(set-info :status sat)").count(), 12);
    assert!(text(&out.stderr).contains("12 scripts: 12 sat, 0 unsat, 0 open"));

    let out = folder.smelt(&[&FAMILY[..], &["--out", "made", "--from", "10", "--json"]].concat());
    let document = json(&out);
    assert_eq!((&document["made"], &document["sat"]), (&2.into(), &2.into()));
    let files: Vec<&str> = document["files"].as_array().unwrap().iter().filter_map(Value::as_str).collect();
    assert_eq!(files, ["made/synthesis-000010.smt2", "made/synthesis-000011.smt2"]);
    let tenth = std::fs::read_to_string(folder.0.join(files[0])).unwrap();
    assert!(scripts.contains(&tenth), "a case is the same wherever it goes");

    let drawn =
        |seed: &str| json(&folder.smelt(&[&FAMILY[..], &["--seed", seed, "-n", "12", "--json"]].concat()));
    let (one, two) = (drawn("1"), drawn("2"));
    assert_eq!(one["scripts"], drawn("1")["scripts"]);
    assert_ne!(one["scripts"], two["scripts"]);
    let sorted = |d: &Value| {
        let mut all: Vec<String> = d["scripts"].as_array().unwrap().iter().map(Value::to_string).collect();
        all.sort();
        all
    };
    assert_eq!(sorted(&one), sorted(&two), "drawn in another order, each once");
}

#[test]
fn wrong_options_are_one_line_and_exit_2() {
    let folder = Folder::new("usage");
    for (arguments, message) in [
        (&["--preset", "lists"][..], "no preset `lists`: choose one of paper ("),
        (&["--family", "sum"], "`family=sum`: expected some of operation"),
        (&["--from", "1000000000"], "numbered from 0"),
        (&["--steps", "9"], "steps is from 1 to 3"),
        (&["--width", "8"], "has no width"),
        (&["--constants", "String=\"a b\""], "\\u{20}"),
        (&["--run", "-S", "no-such-solver-here"], "no-such-solver-here"),
    ] {
        let out = folder.smelt(&[&["generate", "synthesis"], arguments].concat());
        assert_eq!(code(&out), 2, "{arguments:?}");
        let error = text(&out.stderr);
        assert!(error.contains(message) && error.lines().count() == 1, "{arguments:?}: {error}");
    }
    assert_eq!(code(&folder.smelt(&["generate", "synthesis", "-S", "z3"])), 2, "-S needs --run");
}

#[test]
fn a_solver_that_says_unsat_to_everything_is_reported() {
    let folder = Folder::new("unsat");
    folder.solver("always-unsat", "echo unsat; echo '(error \"no model\")'");
    let run = ["--run", "-S", "sh always-unsat", "--timeout", "60s", "--random-seeds", "0", "--json"];
    let out = folder.smelt(&[&FAMILY[..], &run].concat());
    let document = json(&out);
    assert_eq!(code(&out), 10);
    let line = &document["table"][0];
    assert_eq!(
        (&line["total"], &line["grades"]["unsat"], &line["unstable"]),
        (&12.into(), &12.into(), &0.into())
    );
    for finding in document["findings"].as_array().unwrap() {
        assert_eq!(finding["kind"], "refutation-unsound");
        assert_eq!((&finding["evidence"], &finding["construction"]), (&"model".into(), &"sat".into()));
    }
    assert!(!document["findings"].as_array().unwrap().is_empty());
}

#[test]
fn a_core_that_lacks_a_needed_assertion_is_reported() {
    let folder = Folder::new("core");
    let mut config = String::new();
    let cores = [
        ("small", "(a0)", "incorrect_core", 10),
        ("large", "(a0 a1 a2)", "larger_core", 0),
        ("right", "(a1 a0)", "unsat", 0),
    ];
    for (name, core, ..) in cores {
        // Answers each command at once; smelt asks only such solvers for cores.
        let script = format!(
            "[ \"$1\" = --version ] && exit 0\nwhile IFS= read -r line; do case \"$line\" in\n\
             *'(check-sat)'*) echo unsat;;\n*'(get-unsat-core)'*) echo '{core}';;\n\
             *'(get-model)'*) echo '(error \"no model\")';;\n\
             *'(echo '*) word=${{line#*\\\"}}; echo \"${{word%%\\\"*}}\";;\nesac; done\n"
        );
        std::fs::write(folder.0.join(name), script).unwrap();
        config += &format!("[solver.{name}]\ncommand = \"sh {name}\"\n[solver.{name}.run]\necho = true\n");
    }
    std::fs::write(folder.0.join("smelt.toml"), config).unwrap();
    assert_eq!(code(&folder.smelt(&["config", "trust"])), 0);
    let noise = ["generate", "synthesis", "--preset", "paper", "--family", "noise", "-n", "1", "--json"];
    for (name, _, grade, exit) in cores {
        let run = ["--run", "-S", name, "--timeout", "60s", "--random-seeds", "3"];
        let out = folder.smelt(&[&noise[..], &run].concat());
        let document = json(&out);
        assert_eq!(code(&out), exit, "{name}: {document}");
        assert_eq!(document["table"][0]["grades"][grade], 1, "{name}: {document}");
        if exit == 10 {
            assert_eq!(document["findings"][0]["kind"], "invalid-core");
            assert_eq!(document["findings"][0]["evidence"], "model");
        }
    }
}

#[test]
#[ignore = "needs z3@4.5.1.0.post2"]
fn listing_1_is_a_wrong_unsat_of_an_old_release() {
    let folder = Folder::new("listing");
    let solver = "z3@4.5.1.0.post2";
    let assignment = ["generate", "synthesis", "--preset", "paper", "--family", "assignment", "--json"];
    let scripts = json(&folder.smelt(&assignment))["scripts"].clone();
    let is_listing = |s: &Value| s.as_str().is_some_and(|s| s.contains("(= (str.replace \"\" s0 s1) \"a\")"));
    let number =
        scripts.as_array().unwrap().iter().position(is_listing).expect("Listing 1 is made").to_string();
    let out = folder.smelt(
        &[&assignment[..], &["--from", &number, "-n", "1", "--run", "-S", solver, "--timeout", "120s"]]
            .concat(),
    );
    let document = json(&out);
    assert_eq!(code(&out), 10, "{document}");
    let finding = &document["findings"][0];
    assert_eq!(finding["kind"], "refutation-unsound");
    assert_eq!((&finding["evidence"], &finding["construction"]), (&"model".into(), &"sat".into()));
    assert_eq!(finding["times"], 2, "under both random seeds");
}

fn no_solver_contradicts_an_unsatisfiable_formula(solver: &str) {
    let folder = Folder::new(&format!("cores-{solver}"));
    for preset in ["paper", "strings", "sequences", "bitvectors"] {
        for family in ["equivalence", "variable", "constant", "noise"] {
            let family = ["generate", "synthesis", "--preset", preset, "--family", family];
            let run = ["--run", "-S", solver, "--timeout", "2s", "--random-seeds", "0", "--json"];
            let document = json(&folder.smelt(&[&family[..], &run].concat()));
            for line in document["table"].as_array().unwrap() {
                assert_eq!(line["grades"]["sat"], 0, "{family:?}: {}", document["findings"]);
            }
            assert_eq!(document["conflicts"], 0);
            eprintln!("{solver} {family:?}: {}", document["table"]);
        }
    }
}

smelt_testing::each_solver!(no_solver_contradicts_an_unsatisfiable_formula: z3 "needs z3@5.4.0, --slow",
    cvc5 "needs cvc5@1.4.2, --slow");
