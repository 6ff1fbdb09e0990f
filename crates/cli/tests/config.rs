//! `smelt.toml`, `smelt solvers add` and `smelt config check`; and what is for other programs.

use crate::common::{Folder, code, json, stderr, stdout};

const SEED: &str = "(set-logic QF_BV)(set-info :status unsat)(declare-const x (_ BitVec 4))\
    (declare-const y (_ BitVec 4))(assert (= y (bvadd x #x1)))\
    (assert (distinct (bvudiv x #x0) #xf))(check-sat)\n";

#[test]
fn a_program_gets_a_name_and_is_used_by_it() {
    let folder = Folder::new("config-add").with("seed.smt2", SEED);
    folder.program("my solver", &format!("exec {} solve --stdin", env!("CARGO_BIN_EXE_smelt")));
    let added = folder.smelt(&["solvers", "add", "mine", "'./my solver'"]);
    assert_eq!(code(&added), 0, "{}", stderr(&added));
    assert!(stdout(&added).contains("-S mine"), "{}", stdout(&added));
    let checked = folder.smelt(&["check", "seed.smt2", "-S", "mine", "--json"]);
    assert_eq!(json(&checked)[0]["outcomes"][0]["outcome"], "unsat", "{}", stderr(&checked));
    assert_eq!(code(&folder.smelt(&["config", "check"])), 0);
    let again = folder.smelt(&["solvers", "add", "mine", "./other"]);
    assert_eq!(code(&again), 2);
    assert!(stderr(&again).contains("has a solver `mine`"), "{}", stderr(&again));
    let missing = folder.smelt(&["solvers", "add", "other", "./nowhere"]);
    assert!(code(&missing) == 2 && stderr(&missing).contains("no program ./nowhere"), "{}", stderr(&missing));
    let text = std::fs::read_to_string(folder.0.join("smelt.toml")).unwrap();
    assert_eq!(text.matches("[solver.").count(), 1, "{text}");
}

#[test]
fn mistakes_in_smelt_toml_are_told_with_a_hint() {
    for (text, part) in [
        ("[solver.a]\ncomand = 'z3'\n", "did you mean `command`?"),
        ("[solvers.a]\ncommand = 'z3'\n", "did you mean `solver`?"),
        ("[solver.a]\ncommand = '/no/such/program'\n", "no program `/no/such/program`"),
        ("[solver.a]\nprofile = 'z4'\n", "no profile `z4`"),
        ("[solver.a\n", "smelt.toml"),
    ] {
        let folder = Folder::new("config-mistake").with("smelt.toml", text).with("seed.smt2", SEED);
        folder.smelt(&["config", "trust"]);
        for line in [&["config", "check"][..], &["check", "seed.smt2"]] {
            let out = folder.smelt(line);
            assert_eq!(code(&out), 2, "{text}: {line:?}: {}", stdout(&out));
            assert!(stderr(&out).contains(part), "{text}: {line:?}: {}", stderr(&out));
        }
    }
    let nothing = Folder::new("config-no-file").smelt(&["config", "check"]);
    assert!(code(&nothing) == 2 && stderr(&nothing).contains("smelt.toml"), "{}", stderr(&nothing));
}

#[test]
fn a_foreign_smelt_toml_runs_nothing_before_it_is_trusted() {
    let folder = Folder::new("config-foreign").with("seed.smt2", SEED);
    folder.program("evil", "touch ran\necho sat");
    let config = format!("[solver.z3]\ncommand = \"{}/evil\"\n", folder.0.display());
    std::fs::write(folder.0.join("smelt.toml"), &config).unwrap();
    for line in [
        &["check", "seed.smt2"][..],
        &["check", "seed.smt2", "-S", "z3"],
        &["fuzz", "seed.smt2", "-S", "z3", "-n", "1"],
        &["solvers", "list"],
        &["solvers", "doctor", "z3"],
        &["solvers", "add", "mine", "./evil"],
        &["config", "check"],
        &["bisect", "seed.smt2", "-S", "z3"],
        &["reduce", "seed.smt2", "-S", "z3"],
        &["evolve", "seed.smt2", "-S", "z3"],
        &["study", "ints", "-S", "z3"],
    ] {
        let out = folder.smelt(line);
        assert_eq!(code(&out), 2, "{line:?}: {} {}", stdout(&out), stderr(&out));
        assert!(stderr(&out).contains("smelt config trust"), "{line:?}: {}", stderr(&out));
        assert!(!folder.0.join("ran").exists(), "{line:?}");
    }
    let trusted = folder.smelt(&["config", "trust"]);
    assert!(code(&trusted) == 0 && stdout(&trusted).contains("/evil"), "{}", stderr(&trusted));
    folder.smelt(&["check", "seed.smt2", "-S", "z3"]);
    assert!(folder.0.join("ran").exists(), "a trusted file is used");
    // Another text is another file.
    std::fs::write(folder.0.join("smelt.toml"), config + "[solver.b]\ncommand = 'z3'\n").unwrap();
    assert_eq!(code(&folder.smelt(&["check", "seed.smt2", "-S", "z3"])), 2);
}

#[test]
fn the_schema_has_the_keys_that_are_read() {
    let schema = include_str!("../../../docs/book/src/reference/smelt.schema.json");
    let schema: serde_json::Value = serde_json::from_str(schema).unwrap();
    let solver = &schema["properties"]["solver"]["additionalProperties"]["properties"];
    let keys = |value: &serde_json::Value| -> Vec<String> {
        let mut keys: Vec<String> = value.as_object().unwrap().keys().cloned().collect();
        keys.sort();
        keys
    };
    // The keys that smelt expects, from its message about one that it does not know.
    let expected = |table: &str| -> Vec<String> {
        let folder =
            Folder::new("config-schema").with("smelt.toml", &format!("[solver.a{table}]\nzzz = 1\n"));
        let text = stderr(&folder.smelt(&["config", "check"]));
        let list =
            text.split("expected").nth(1).unwrap_or_else(|| panic!("{text}")).split(';').next().unwrap();
        let mut keys: Vec<String> = list.split('`').skip(1).step_by(2).map(str::to_owned).collect();
        keys.sort();
        keys
    };
    let mut own = keys(solver);
    own.retain(|key| key != "profile");
    assert_eq!(own, expected(""));
    for table in ["version", "run", "session", "enable", "texts", "exit", "zoo", "behaviour"] {
        assert_eq!(keys(&solver[table]["properties"]), expected(&format!(".{table}")), "{table}");
    }
}

#[test]
fn bugs_become_regression_tests_and_sarif() {
    let folder = Folder::new("config-machine").with("seed.smt2", SEED);
    let fuzz = "fuzz seed.smt2 -S builtin -S builtin:bvudiv-zero --seed 1 --tests 5 --no-reduce --out store";
    assert_eq!(code(&folder.smelt(&fuzz.split(' ').collect::<Vec<_>>())), 10);
    let run = |line: &str| {
        let out = folder.smelt(&line.split(' ').collect::<Vec<_>>());
        assert_eq!(code(&out), 10, "{line}: {}", stderr(&out));
    };
    // What is not examined is not counted, and no test of it is written.
    let out = folder.smelt(&["bugs", "export", "store", "--regress", "z3", "-o", "early"]);
    assert!(stdout(&out).starts_with("0 regression tests in "), "{}", stdout(&out));
    run("bugs examine store");
    run("bugs export store --sarif bugs.sarif");
    let sarif: serde_json::Value =
        serde_json::from_str(&std::fs::read_to_string(folder.0.join("bugs.sarif")).unwrap()).unwrap();
    assert_eq!(sarif["version"], "2.1.0");
    let results = sarif["runs"][0]["results"].as_array().unwrap();
    assert!(!results.is_empty() && results.iter().all(|r| r["message"]["text"].is_string()), "{sarif}");
    run("bugs export store --regress cvc5 -o cvc5");
    run("bugs export store --regress z3 -o z3");
    let read = |to: &str, end: &str| {
        let files = std::fs::read_dir(folder.0.join(to)).unwrap().flatten();
        let found = files.map(|f| f.path()).find(|p| p.to_str().unwrap().ends_with(end)).unwrap();
        std::fs::read_to_string(found).unwrap()
    };
    let script = read("cvc5", ".smt2");
    assert!(script.lines().any(|l| l == "; EXPECT: unsat" || l == "; EXPECT: sat"), "{script}");
    let expected = read("z3", ".expected.out");
    assert!(expected == "unsat\n" || expected == "sat\n", "{expected}");
    assert!(read("z3", ".smt2").contains("(check-sat)"));
}

#[test]
fn every_json_document_that_is_an_object_has_a_version() {
    let folder = Folder::new("config-version").with("seed.smt2", SEED).with("model.txt", "()");
    folder
        .file("mine.rules", "(rule le (theory arithmetic) (var x y Int) (from (< x y)) (weaker (<= x y)))\n");
    let run = |line: &str| folder.smelt(&line.split(' ').collect::<Vec<_>>());
    let fuzz = "fuzz seed.smt2 -S builtin -S builtin:bvudiv-zero --seed 1 --tests 5 --no-reduce --out store";
    assert_eq!(code(&run(fuzz)), 10);
    let mut lists = Vec::new();
    for line in [
        "parse seed.smt2",
        "eval seed.smt2 model.txt",
        "check seed.smt2 -S builtin",
        "reduce seed.smt2 --cmd true -o small.smt2",
        "mutate operator seed.smt2",
        "generate construct -n 1",
        "generate synthesis -n 1 --run -S builtin",
        "enumerate core -n 1",
        "enumerate core --count --size 3",
        "strategies",
        "strategies operator",
        "seeds stats seed.smt2",
        "seeds label seed.smt2 -S builtin",
        "rules check mine.rules",
        "solve --list-faults",
        "solvers list",
        "solvers doctor builtin",
        "bugs store",
        "bugs show 1 store",
        "bugs report 1 store",
        "bugs export store -o out",
        "bugs export store -o out-2 --regress z3",
        "bugs store --by-fix",
        "replay 1 store",
        "study core -S builtin -n 5 -o study",
        "demo --time 1s -o demo",
    ] {
        let document = json(&run(&format!("{line} --json")));
        match &document {
            serde_json::Value::Array(_) => lists.push(line),
            _ => assert_eq!(document["version"], 1, "{line}: {document}"),
        }
    }
    // The book says that these are lists.
    let expected = [
        "check ",
        "rules check",
        "solve --list-faults",
        "solvers list",
        "solvers doctor",
        "bugs store",
        "bugs export",
    ];
    assert!(lists.iter().all(|line| expected.iter().any(|known| line.starts_with(known))), "{lists:?}");
}

#[test]
fn completions_and_man_pages_know_the_commands() {
    let folder = Folder::new("config-shell");
    for shell in ["bash", "zsh", "fish"] {
        let text = stdout(&folder.smelt(&["completions", shell]));
        assert!(text.contains("fuzz") && text.contains("doctor"), "{shell}");
    }
    let page = stdout(&folder.smelt(&["man", "fuzz"]));
    assert!(page.contains(".TH") && page.contains("per\\-seed"), "{page}");
    assert_eq!(code(&folder.smelt(&["man", "-o", "man"])), 0);
    assert!(folder.0.join("man/smelt.1").is_file() && folder.0.join("man/smelt-bugs-show.1").is_file());
    assert_eq!(code(&folder.smelt(&["man", "nothing"])), 2);
}

#[test]
#[ignore = "needs z3"]
fn the_five_lines_of_the_readme_work_on_a_z3_under_another_name() {
    let folder = Folder::new("config-five").with("seed.smt2", SEED);
    let path = std::env::var("PATH").unwrap();
    let z3 = path.split(':').map(|p| format!("{p}/z3")).find(|p| std::fs::exists(p).unwrap()).unwrap();
    std::fs::copy(z3, folder.0.join("my-build")).unwrap();
    let added = folder.smelt(&["solvers", "add", "mine", "./my-build"]);
    assert_eq!(code(&added), 0, "{}", stderr(&added));
    assert!(stdout(&added).contains("profile z3"), "{}", stdout(&added));
    let run = |line: &str| folder.smelt(&line.split(' ').collect::<Vec<_>>());
    let fuzz = run("fuzz seed.smt2 -S mine -S builtin:bvudiv-zero --tests 20 --seed 1 -o hunt --json");
    assert_eq!(code(&fuzz), 10, "{}", stderr(&fuzz));
    let list = json(&run("bugs hunt --json"));
    let report = run(&format!("bugs report {} hunt", list[0]["id"].as_str().unwrap()));
    assert!(stdout(&report).starts_with("# builtin:bvudiv-zero"), "{}{}", stdout(&report), stderr(&report));
}
