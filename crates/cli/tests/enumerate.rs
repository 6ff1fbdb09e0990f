//! `smelt enumerate`, `study` and `fuzz -s enumerate` from the outside.
//!
//! The built-in solver with planted faults, and real solvers.

use crate::common::{Folder, code, json, stderr, stdout as text};
use serde_json::Value;
use std::process::{Command, Output};

impl Folder {
    fn run(&self, args: &str) -> Output {
        self.smelt(&args.split_whitespace().collect::<Vec<_>>())
    }

    fn json(&self, args: &str) -> Value {
        json(&self.run(args))
    }
}

#[test]
fn scripts_have_a_header_and_are_found_again_by_rank() {
    let folder = Folder::new("rank");
    let printed = text(&folder.run("enumerate ints --from 123456 -n 1"));
    assert!(
        printed
            .starts_with("; smelt strategy=enumerate seed=none index=123456 grammar=ints vars=2 asserts=1\n")
    );
    std::fs::write(folder.0.join("x.smt2"), &printed).unwrap();
    assert_eq!(text(&folder.run("enumerate ints --rank x.smt2")), "123456\n");
    assert_eq!(folder.run("enumerate reals --rank x.smt2").status.code(), Some(2));
    let far = text(&folder.run("enumerate core --from 10^60 -n 1"));
    std::fs::write(folder.0.join("y.smt2"), &far).unwrap();
    assert_eq!(text(&folder.run("enumerate core --rank y.smt2")), format!("1{}\n", "0".repeat(60)));
}

#[test]
fn counts_samples_strides_and_sizes_fit_together() {
    let folder = Folder::new("counts");
    let counts = folder.json("enumerate core --count --size 6 --json");
    assert_eq!(counts["grammar"], "core");
    let sizes: Vec<u64> = counts["size_counts"]
        .as_array()
        .unwrap()
        .iter()
        .map(|n| n.as_str().unwrap().parse().unwrap())
        .collect();
    assert_eq!(sizes, [0, 0, 0, 0, 4, 4, 4 + 6 * 16]);
    let all = folder.json("enumerate core --size 6 -n 1000 --json");
    assert_eq!(all["made"], 100);
    let every = folder.json("enumerate core -n 4 --stride 25 --from 8 --json");
    let scripts = every["scripts"].as_array().unwrap();
    assert!(scripts[1].as_str().unwrap().contains("index=33 "), "{every}");
    let sample = folder.json("enumerate core --size 6 --sample -n 5 --seed 3 --json");
    assert_eq!(sample, folder.json("enumerate core --size 6 --sample -n 5 --seed 3 --json"));
    assert!(text(&folder.run("enumerate --list")).contains("bitvectors"));
}

#[test]
fn a_study_starts_beyond_machine_words_and_measures_more_than_once() {
    let folder = Folder::new("far");
    let arguments =
        "study core -S builtin -S builtin:bvudiv-zero -n 3 --from 10^30 --repeat 3 --cache c --json";
    let found = folder.json(arguments);
    assert_eq!(
        (&found["from"], &found["repeat"]),
        (&format!("1{}", "0".repeat(30)).into(), &3.into()),
        "{found}"
    );
    assert_eq!(found["cells"][0][0]["changed"], 0, "{found}");
    let asked: u64 =
        found["cells"][0][0]["outcomes"].as_object().unwrap().values().map(|n| n.as_u64().unwrap()).sum();
    assert_eq!(asked, 3);
    let shown = text(&folder.run("study core -S builtin -n 3 --from 10^30 --repeat 3 --cache c"));
    assert!(shown.contains("Times are medians of 3 measurements"), "{shown}");
}

#[test]
fn trouble_with_a_grammar_is_one_line_with_its_place() {
    let folder = Folder::new("trouble");
    std::fs::write(folder.0.join("bad.g4"), "grammar Bad;\nstart : 'a' other ;\n").unwrap();
    let out = folder.run("enumerate bad.g4");
    assert_eq!(out.status.code(), Some(2));
    assert_eq!(stderr(&out), "smelt: bad.g4:2:13: no rule `other`\n");
    std::fs::write(folder.0.join("two.g4"), "grammar Two;\nstart : x ;\nx : 'a' | x x ;\n").unwrap();
    let out = folder.run("enumerate two.g4 -n 1");
    assert_eq!(out.status.code(), Some(0));
    let told = stderr(&out);
    assert!(told.contains("two.g4:3:1: warning: `x` is ambiguous") && told.contains("a a a"), "{told}");
    let out = folder.run("enumerate nothing");
    assert_eq!(out.status.code(), Some(2));
    assert!(stderr(&out).contains("choose one of core, ints"));
    assert_eq!(folder.run("enumerate ints --vars 9").status.code(), Some(2));
}

#[test]
fn a_campaign_over_a_grammar_guarantees_sizes_finds_faults_and_goes_on() {
    let folder = Folder::new("fuzz");
    let solvers = "-S builtin -S builtin:segfault-xor";
    let first = folder
        .json(&format!("fuzz -s enumerate:core {solvers} --tests 120 -j 2 --out out --json --no-reduce"));
    assert_eq!(first["by_strategy"]["enumerate"], 120, "{first}");
    let guarantee = &first["guarantees"][0];
    assert_eq!((&guarantee["size"], &guarantee["cases"]), (&6.into(), &108.into()), "{guarantee}");
    let builtin = &guarantee["solvers"]["builtin@0.2.0"];
    assert_eq!(builtin["asked"], 108, "{guarantee}");
    assert!(builtin["decided"].as_u64() > Some(80), "all, unless the machine is very busy: {guarantee}");
    let finding = first["findings"].as_array().unwrap().iter().find(|f| f["kind"] == "crash").unwrap();
    let id = finding["id"].as_str().unwrap();
    let stored = std::fs::read_to_string(folder.0.join(finding["file"].as_str().unwrap())).unwrap();
    assert!(stored.contains("xor") && stored.contains("strategy=enumerate"));
    assert_eq!(text(&folder.run(&format!("replay {id} out --print"))), stored);
    let second = folder.json("fuzz --resume --tests 500 --out out --json --no-reduce");
    assert_eq!(second["tests"], 500);
    let guarantee = &second["guarantees"][0];
    assert_eq!((&guarantee["size"], &guarantee["cases"]), (&7.into(), &(108 + 100 + 6 * 32 + 64).into()));
    let asked = guarantee["solvers"]["builtin@0.2.0"]["asked"].as_u64().unwrap();
    assert_eq!(asked, 464, "none twice: {guarantee}");
}

#[test]
fn a_study_counts_triggers_once_and_remembers_answers() {
    let folder = Folder::new("study");
    let command =
        "study core -S builtin -S builtin:segfault-xor -n 108 --cache c.sqlite --out out --json -j 2";
    let first = folder.run(command);
    assert_eq!(first.status.code(), Some(10), "{}", stderr(&first));
    let first = json(&first);
    assert_eq!(first["cells"][0][0]["crash"], 0);
    // Formulas with xor among the first 108: those of size 6, two variables and two constants on each side.
    assert_eq!(first["cells"][1][0]["crash"], 16, "{}", first["triggers"]);
    assert_eq!(first["cells"][0][0]["solved"][9], 108);
    let second = folder.json(command);
    for key in ["cells", "triggers"] {
        assert_eq!(first[key], second[key], "the second study knows all answers");
    }
    for file in ["study.json", "study.csv", "study.md", "index.html", "builtin-triggers.svg"] {
        assert!(folder.0.join("out").join(file).is_file(), "{file}");
    }
    let out = folder.run("report out");
    assert_eq!(out.status.code(), Some(0));
    assert_eq!(folder.run("report nowhere").status.code(), Some(2));
}

#[test]
fn continuous_integration_fails_on_new_triggers_only() {
    let folder = Folder::new("ci");
    let study = |solver: &str, number: &str| {
        folder.run(&format!(
            "study core -S {solver} -S builtin{number} --ci --baseline base.json --budget 10m --cache c.sqlite --out out"
        ))
    };
    let made = study("builtin", " -n 60");
    assert_eq!(made.status.code(), Some(0), "{}", stderr(&made));
    assert!(folder.0.join("base.json").is_file());
    let same = study("builtin", "");
    assert_eq!(same.status.code(), Some(0), "{}", text(&same));
    assert!(text(&same).contains("no difference"), "{}", text(&same));
    let worse = study("builtin:segfault-xor", "");
    assert_eq!(worse.status.code(), Some(10), "{}", text(&worse));
    assert!(text(&worse).contains("new: crash"), "{}", text(&worse));
}

#[test]
fn continuous_integration_fails_on_a_slower_solver_only() {
    let folder = Folder::new("slower");
    // Two that take the same CPU time, and one that takes many times as much.
    let burn = |rounds: u32| format!("i=0; while [ $i -lt {rounds} ]; do i=$((i+1)); done; echo sat");
    for (name, rounds) in [("quick", 1_000), ("equal", 1_001), ("slow", 20_000)] {
        folder.solver(name, &burn(rounds));
    }
    // 64 scripts, all true: the budget does not decide how many there are.
    let one = "'true' | '(not false)' | '(= true true)' | '(or true false)'";
    let grammar = format!("grammar Tiny;\nstart : '(assert (and' x x x '))(check-sat)' ;\nx : {one} ;\n");
    folder.file("tiny.g4", &grammar);
    let study = |solver: &str, baseline: &str| {
        folder.run(&format!(
            "study tiny.g4 -S ./{solver} --ci --baseline {baseline} --budget 10m --cache c.sqlite --out out"
        ))
    };
    for (old, new, code, says) in [
        ("quick", "slow", 10, "slower: ./slow needs "),
        ("quick", "equal", 0, "no difference"),
        ("slow", "quick", 0, "no difference"),
    ] {
        let baseline = format!("{old}.json");
        if !folder.0.join(&baseline).exists() {
            assert_eq!(study(old, &baseline).status.code(), Some(0));
        }
        let out = study(new, &baseline);
        assert_eq!(out.status.code(), Some(code), "{old} {new}: {}{}", text(&out), stderr(&out));
        assert!(text(&out).contains(says), "{old} {new}: {}", text(&out));
    }
}

fn real_solvers_accept_what_is_enumerated(solver: &str) {
    let (arguments, without): (&[&str], &[&str]) = match solver {
        "z3" => (&["-in"], &["sets", "bags", "relations", "fields"]),
        // A build without CoCoA has no finite fields.
        _ => (&["--lang=smt2", "--incremental", "--strings-exp"], &["fields"]),
    };
    let folder = Folder::new(&format!("accept-{solver}"));
    for row in folder.json("enumerate --list --json").as_array().unwrap() {
        let grammar = row["grammar"].as_str().unwrap();
        // Printed grammars are kept with the mistakes of their print.
        if without.contains(&grammar) || grammar.starts_with("printed-") {
            continue;
        }
        let made = folder.json(&format!("enumerate {grammar} -n 12 --stride 97 --vars 3 --asserts 2 --json"));
        let mut scripts = String::new();
        for script in made["scripts"].as_array().unwrap() {
            // Answers may take long; whether the solver reads a script shows at once.
            let script = script.as_str().unwrap().replace("(check-sat)", "");
            scripts += &format!("{script}\n(reset)\n");
        }
        let stdin = std::fs::File::open(folder.file("all.smt2", &scripts)).unwrap();
        let out = Command::new(solver).args(arguments).stdin(stdin).output().unwrap();
        assert!(!text(&out).contains("error"), "{grammar}: {}", text(&out));
    }
}

smelt_testing::each_solver!(real_solvers_accept_what_is_enumerated: z3 "needs z3", cvc5 "needs cvc5");

#[test]
fn a_parameter_that_a_grammar_does_not_have_is_refused() {
    let folder = Folder::new("enumerate-parameters");
    for line in [
        "enumerate printed-ints --vars 3",
        "enumerate printed-fp --asserts 2",
        "study printed-ints -S builtin --vars 1 -n 2",
    ] {
        let out = folder.smelt(&line.split(' ').collect::<Vec<_>>());
        assert!(code(&out) == 2 && stderr(&out).contains("has no parameter"), "{line}: {}", stderr(&out));
    }
    let fine = folder.smelt(&["enumerate", "ints", "--vars", "3", "--asserts", "2", "-n", "1"]);
    assert_eq!(code(&fine), 0, "{}", stderr(&fine));
}
