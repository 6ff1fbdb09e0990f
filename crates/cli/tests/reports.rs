//! Reports and exports are true: commands run as printed, tests fail on the accused, numbers are equal.

use crate::common::{Folder, code, json, stderr, stdout};
use serde_json::Value;
use std::process::Command;

/// A seed for each planted fault: a wrong answer, a wrong model, a crash.
const SEEDS: [(&str, &str); 3] = [
    (
        "bvudiv-zero",
        "(set-logic QF_BV)(declare-const x (_ BitVec 4))(assert (= (bvudiv x #x0) #xf))(check-sat)\n",
    ),
    (
        "model-off-by-one",
        "(declare-const n Int)(declare-const m Int)(assert (= n 3))(assert (< m n))(check-sat)\n",
    ),
    ("segfault-xor", "(declare-const p Bool)(assert (xor p true))(check-sat)\n"),
];

/// A campaign on one fault with findings that are not examined.
fn campaign(fault: &str, seed: &str) -> Folder {
    let folder = Folder::new("reports").with("seed.smt2", seed);
    let faulty = format!("builtin:{fault}");
    let out = folder.smelt(&[
        "fuzz",
        "seed.smt2",
        "-S",
        &faulty,
        "-S",
        "builtin",
        "-s",
        "shuffle",
        "--seed",
        "1",
        "-n",
        "2",
        "--no-reduce",
        "--out",
        "store",
    ]);
    assert_eq!(code(&out), 10, "{}{}", stdout(&out), stderr(&out));
    folder
}

fn shell(folder: &Folder, place: &str, command: &str) -> (String, Option<i32>) {
    let done = Command::new("sh").args(["-c", command]).current_dir(folder.0.join(place)).output().unwrap();
    (stdout(&done), done.status.code())
}

fn bugs(folder: &Folder) -> Vec<Value> {
    json(&folder.smelt(&["bugs", "store", "--json"])).as_array().unwrap().clone()
}

#[test]
fn every_command_of_a_report_does_what_it_says_and_every_test_fails_on_the_accused() {
    for (fault, seed) in SEEDS {
        let folder = campaign(fault, seed);
        assert_eq!(code(&folder.smelt(&["bugs", "examine", "store"])), 10);
        assert_eq!(code(&folder.smelt(&["report", "store"])), 0);
        std::fs::create_dir(folder.0.join("run")).unwrap();
        let exported = folder.smelt(&["bugs", "export", "store", "--regress", "z3", "-o", "tests"]);
        let exported = stdout(&exported);
        for bug in bugs(&folder) {
            let id = bug["id"].as_str().unwrap();
            let report = json(&folder.smelt(&["bugs", "report", id, "store", "--json"]));
            let shown = &report["facts"]["shown"];
            folder.file("run/bug.smt2", shown["script"].as_str().unwrap());
            let mut accused = None;
            for actual in shown["actual"].as_array().unwrap() {
                // Another solver may have been stopped, or be a Python module.
                let Some(command) = actual["command"].as_str() else {
                    assert!(actual["accused"] == false, "{fault}: {report}");
                    continue;
                };
                assert!(report["markdown"].as_str().unwrap().contains(command), "{command}");
                let (said, ended) = shell(&folder, "run", command);
                match actual["answer"].as_str().unwrap() {
                    "crash" => assert!(ended.is_none_or(|code| code > 128), "{command}: {said}"),
                    answer => assert_eq!(said.lines().next(), Some(answer), "{command}"),
                }
                accused = accused.or((actual["accused"] == true).then(|| command.to_owned()));
            }
            // The page runs the same on its own file.
            let accused = accused.unwrap();
            let page = std::fs::read_to_string(folder.0.join(format!("store/bugs/{id}.html"))).unwrap();
            assert!(page.contains(&format!("store/bugs/{id}.smt2")), "{fault}");
            let on_page = accused.replace("bug.smt2", &format!("store/bugs/{id}.smt2"));
            assert_eq!(shell(&folder, ".", &on_page), shell(&folder, "run", &accused), "{on_page}");
            // The regression test.
            let name = format!("tests/smelt-{id:0>4}-{}", bug["kind"].as_str().unwrap());
            let expected = std::fs::read_to_string(folder.0.join(format!("{name}.expected.out")))
                .unwrap_or_else(|e| panic!("{fault}: {e}: {exported}"));
            let (said, _) = shell(&folder, ".", &accused.replace("bug.smt2", &format!("{name}.smt2")));
            assert_ne!(said.trim_end(), expected.trim_end(), "{fault}: the test passes on the accused");
            let (honest, _) = {
                let good = accused.replace(&format!(" --fault {fault}"), "");
                shell(&folder, ".", &good.replace("bug.smt2", &format!("{name}.smt2")))
            };
            assert_eq!(honest.trim_end(), expected.trim_end(), "{fault}: the test fails on a good solver");
        }
    }
}

#[test]
fn what_is_not_examined_is_not_counted_as_a_bug_anywhere() {
    let (fault, seed) = SEEDS[0];
    let folder = campaign(fault, seed);
    let counted = |expected: usize| {
        let words = if expected == 1 { "1 bug".to_owned() } else { format!("{expected} bugs") };
        let listed = stdout(&folder.smelt(&["bugs", "store"]));
        assert!(listed.lines().any(|l| l.starts_with(&words)), "{words}: {listed}");
        let exported = stdout(&folder.smelt(&["bugs", "export", "store", "-o", "out"]));
        assert!(exported.starts_with(&words), "{words}: {exported}");
        assert_eq!(code(&folder.smelt(&["bugs", "export", "store", "--sarif", "s.json"])), 10);
        let sarif: Value =
            serde_json::from_str(&std::fs::read_to_string(folder.0.join("s.json")).unwrap()).unwrap();
        let results = sarif["runs"][0]["results"].as_array().unwrap();
        assert_eq!(results.iter().filter(|r| r["kind"] == "fail").count(), expected);
        assert_eq!(code(&folder.smelt(&["report", "store"])), 0);
        let page = std::fs::read_to_string(folder.0.join("store/index.html")).unwrap();
        assert!(page.contains(&format!("<b>{expected}</b><span>bugs</span>")), "{expected}");
    };
    counted(0);
    assert_eq!(code(&folder.smelt(&["bugs", "examine", "store"])), 10);
    counted(bugs(&folder).len());
    // The number of a bug shows the bug of that number.
    let id = bugs(&folder)[0]["id"].as_str().unwrap().to_owned();
    let shown = stdout(&folder.smelt(&["bugs", "show", &id, "store"]));
    assert!(shown.starts_with(&format!("bug {id}: ")), "{shown}");
    assert_eq!(json(&folder.smelt(&["bugs", "show", &id, "store", "--json"]))["id"], *id);
}

#[test]
fn a_reduction_that_was_stopped_says_so_and_is_taken_up_again() {
    let (fault, seed) = SEEDS[0];
    let more: String = (0..40).map(|i| format!("(declare-const y{i} Bool)(assert y{i})\n")).collect();
    let folder = campaign(fault, &seed.replace("(check-sat)", &format!("\n{more}(check-sat)")));
    let examine = |each: &[&str]| {
        let out = folder.smelt(&[&["bugs", "examine", "store", "-j", "1"], each].concat());
        assert_eq!(code(&out), 10, "{}", stderr(&out));
        stdout(&out)
    };
    let stopped = examine(&["--each", "1ms"]);
    assert!(stopped.contains("not fully reduced: "), "{stopped}");
    let report =
        stdout(&folder.smelt(&["bugs", "report", bugs(&folder)[0]["id"].as_str().unwrap(), "store"]));
    assert!(report.contains("stopped early"), "{report}");
    let ended = examine(&[]);
    assert!(!ended.contains("not fully reduced"), "{ended}");
    assert!(bugs(&folder).iter().all(|b| b["reduced_bytes"].as_u64().is_some_and(|n| n < 150)), "{ended}");
}

#[test]
fn reduce_writes_the_spelling_that_the_accused_reads() {
    let config = "[solver.old]\ncommand = \"./old\"\n[[solver.old.dialect]]\nspellings = { \"str.to_int\" = \"str.to.int\" }\n";
    let script =
        "(declare-const s String)\n(declare-const t String)\n(assert (= 1 (str.to_int s)))\n(check-sat)\n";
    let folder = Folder::new("reports-spelling").with("smelt.toml", config).with("a.smt2", script);
    folder.smelt(&["config", "trust"]);
    folder.program(
        "old",
        "[ \"$1\" = --version ] && exit 0\ncase \"$(cat \"$@\")\" in *str.to.int*) echo unsat;; *) echo sat;; esac",
    );
    let out = folder.smelt(&["reduce", "a.smt2", "--expect", "old=unsat", "-o", "b.smt2"]);
    assert_eq!(code(&out), 0, "{}", stderr(&out));
    let written = std::fs::read_to_string(folder.0.join("b.smt2")).unwrap();
    assert!(written.contains("str.to.int") && !written.contains("str.to_int"), "{written}");
    assert!(stderr(&out).contains("the result uses the syntax of old"), "{}", stderr(&out));
}
