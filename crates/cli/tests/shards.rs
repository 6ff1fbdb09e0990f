//! Shards: parts of a campaign that know nothing of each other, merged, are the whole campaign.

use serde_json::Value;
use smelt_store::Store;
use std::path::Path;
use std::process::{Command, Stdio};

use crate::common::{Folder, code, json, stderr, stdout, wait_until};

/// Seeds that the built-in solver answers at once.
const SEEDS: [(&str, &str); 6] = [
    (
        "sat/xor.smt2",
        "(set-logic QF_UF)(declare-const p Bool)(declare-const q Bool)(declare-const r Bool)\
         (assert (xor p (and q r)))(assert (or (not q) r))(check-sat)",
    ),
    (
        "unsat/implies.smt2",
        "(set-logic QF_UF)(declare-const a Bool)(declare-const b Bool)(assert (and a (not b)))(assert (=> a b))(check-sat)",
    ),
    (
        "sat/divide.smt2",
        "(set-logic QF_BV)(declare-const x (_ BitVec 4))(declare-const y (_ BitVec 4))\
         (assert (= (bvudiv x y) #xf))(assert (bvult y #x2))(check-sat)",
    ),
    (
        "unsat/less.smt2",
        "(set-logic QF_BV)(declare-const u (_ BitVec 3))(declare-const v (_ BitVec 3))\
         (assert (bvult u v))(assert (bvult v u))(check-sat)",
    ),
    (
        "none/ite.smt2",
        "(set-logic QF_UF)(declare-const c Bool)(declare-const d Bool)(assert (ite c d (not d)))(check-sat)",
    ),
    (
        "sat/remainder.smt2",
        "(set-logic QF_BV)(declare-const m (_ BitVec 4))(assert (not (= (bvurem m #x0) (bvadd m #x1))))(check-sat)",
    ),
];

/// A campaign with planted faults. Limits are so long that only a broken solver reaches them.
pub(crate) const CAMPAIGN: [&str; 14] = [
    "fuzz",
    "seeds",
    "-S",
    "builtin",
    "-S",
    "builtin:segfault-xor",
    "-S",
    "builtin:bvudiv-zero",
    "-s",
    "operator,shuffle,weaken,certified,enumerate:core",
    "--timeout",
    "20m",
    "--no-reduce",
    "--json",
];

/// A folder with the seeds.
pub(crate) fn folder(test: &str) -> Folder {
    let folder = Folder::new(test);
    for (name, text) in SEEDS {
        let path = folder.0.join("seeds").join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }
    folder
}

fn shard(folder: &Folder, shard: &str, tests: u64, jobs: u64, out: &str) -> Value {
    let (tests, jobs) = (tests.to_string(), jobs.to_string());
    let output = folder
        .command()
        .args(CAMPAIGN)
        .args(["--shard", shard, "--tests", &tests, "-j", &jobs, "--out", out])
        .output()
        .unwrap();
    assert!([0, 10].contains(&code(&output)), "{}", stderr(&output));
    json(&output)
}

/// All that must be equal: cases, outcomes by solver and kind, counts by strategy, logic and seed, and findings by fingerprint
/// with the number of triggers and the smallest one.
fn books(folder: &Path) -> Vec<String> {
    let store = Store::open(folder).unwrap();
    let mut books = Vec::new();
    for key in ["tests", "empty"] {
        books.push(format!("{key} {:?}", store.value(key).unwrap()));
    }
    for ((solver, outcome), [calls, ..]) in store.outcomes().unwrap() {
        books.push(format!("{solver} {outcome} {calls}"));
    }
    for (strategy, (made, [tests, useful, found, _])) in store.tests().unwrap() {
        books.push(format!("{strategy} {made} {tests} {useful} {found}"));
    }
    for (logic, counts) in store.logics().unwrap() {
        books.push(format!("{logic} {counts:?}"));
    }
    for (seed, (probed, [tests, useful, found, _])) in store.seeds().unwrap() {
        books.push(format!("{seed} {probed} {tests} {useful} {found}"));
    }
    let finding = |s: smelt_store::Stored| {
        let script = std::fs::read_to_string(folder.join(&s.relative_file)).unwrap();
        format!("{} {} {} {} {script}", s.trigger, s.flaky, s.triggers, s.number)
    };
    let mut findings: Vec<String> = store.stored().unwrap().into_iter().map(finding).collect();
    findings.sort();
    assert!(!findings.is_empty(), "a planted fault is found");
    books.extend(findings);
    books
}

/// The campaign in shards, merged, against the campaign in one.
fn united_is_whole(test: &str, shards: u64, tests: u64) {
    let folder = folder(test);
    let whole = shard(&folder, "1/1", tests, 2, "whole");
    assert_eq!(whole["shard"]["numbers"], tests);
    let mut arguments: Vec<String> = vec!["merge".into(), "--out".into(), "merged".into(), "--json".into()];
    for i in (1..=shards).rev() {
        let out = format!("shard-{i}");
        let part = shard(&folder, &format!("{i}/{shards}"), tests, 1 + i % 2, &out);
        assert_eq!(part["shard"]["done"], part["shard"]["numbers"]);
        arguments.push(out);
    }
    let output = folder.command().args(&arguments).output().unwrap();
    assert_eq!(code(&output), 10, "{}", stderr(&output));
    let merged = json(&output);
    assert_eq!((&merged["missing"], &merged["unfinished"]), (&Value::Array(vec![]), &Value::Array(vec![])));
    for key in ["tests", "solver_calls", "by_strategy", "by_outcome", "guarantees", "shard"] {
        assert_eq!(merged[key], whole[key], "{key}");
    }
    assert_eq!(books(&folder.0.join("merged")), books(&folder.0.join("whole")));
}

#[test]
fn shards_united_are_the_whole_campaign() {
    united_is_whole("shards-merged", 4, 240);
}

#[test]
#[ignore = "needs --slow"]
fn eight_shards_of_two_thousand_cases_are_the_whole_campaign() {
    united_is_whole("shards-eight", 8, 2_000);
}

#[test]
#[ignore = "needs --slow"]
fn sixty_four_shards_of_a_hundred_thousand_cases_are_the_whole_campaign() {
    united_is_whole("shards-many", 64, 100_000);
}

/// Starts a shard and kills it once some of its cases are on disk.
fn killed(folder: &Folder, arguments: &[&str]) {
    let mut child =
        folder.command().args(arguments).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    let tests = || {
        let store = Store::open(&folder.0.join("killed")).ok()?;
        store.value("tests").ok()??.parse::<u64>().ok()
    };
    let before = tests().unwrap_or(0);
    // A fast machine may be done before it is killed.
    wait_until(|| tests().is_some_and(|n| n > before) || child.try_wait().unwrap().is_some());
    child.kill().unwrap();
    child.wait().unwrap();
}

#[test]
fn a_shard_that_is_killed_and_goes_on_is_like_any_other() {
    let folder = folder("shards-killed");
    shard(&folder, "2/3", 600, 2, "quiet");
    let first: Vec<&str> = CAMPAIGN
        .into_iter()
        .chain(["--shard", "2/3", "--tests", "600", "-j", "2", "--out", "killed"])
        .collect();
    killed(&folder, &first);
    killed(&folder, &["fuzz", "--resume", "--out", "killed", "-j", "1"]);
    let output = folder.smelt(&["fuzz", "--resume", "--out", "killed", "--json"]);
    assert_eq!(json(&output)["shard"]["done"], 200, "{}", stderr(&output));
    assert_eq!(books(&folder.0.join("killed")), books(&folder.0.join("quiet")));
}

#[test]
fn shards_that_do_not_fit_are_refused_in_one_line_and_missing_ones_are_named() {
    let folder = folder("shards-refused");
    for i in [1, 3] {
        shard(&folder, &format!("{i}/4"), 80, 1, &format!("s{i}"));
    }
    let other = |tests: &str, more: &[&str], out: &str| {
        let mut arguments: Vec<&str> = CAMPAIGN.to_vec();
        arguments.extend(["--shard", "2/4", "--tests", tests, "-j", "1", "--out", out]);
        arguments.extend(more);
        folder.smelt(&arguments);
    };
    other("80", &["--seed", "9"], "other-seed");
    other("90", &[], "longer");
    other("80", &["-S", "builtin:distinct-neighbours"], "other-solver");
    other("80", &["--time", "1ms"], "unfinished");
    let mut learned = CAMPAIGN.to_vec();
    learned.extend(["--tests", "3", "--out", "learned"]);
    folder.smelt(&learned);
    for (folders, why) in [
        (vec!["s1", "s3", "s1"], "both contain shard 1/4"),
        (vec!["s1", "other-seed"], "--seed is 0 and 9"),
        (vec!["longer", "s1"], "--tests is 80 and 90"),
        (vec!["s1", "other-solver"], "solvers is"),
        (vec!["s1", "learned"], "learned contains no shard"),
        (vec!["s1", "nothing"], "no campaign in nothing"),
    ] {
        let mut arguments = vec!["merge", "--out", "merged"];
        arguments.extend(folders);
        let output = folder.smelt(&arguments);
        assert_eq!(code(&output), 2);
        assert!(stderr(&output).contains(why) && stderr(&output).lines().count() == 1, "{}", stderr(&output));
        assert!(!folder.0.join("merged").exists());
    }
    let merge = |out: &str, folders: [&str; 3]| {
        let output = folder.smelt(&["merge", "--out", out, folders[0], folders[1], folders[2]]);
        assert_eq!(code(&output), 10, "{}", stderr(&output));
        stderr(&output)
    };
    let said = merge("merged", ["s1", "unfinished", "s3"]);
    assert!(said.contains("of 4 shards, 4 is missing") && said.contains("2 is not finished"), "{said}");
    merge("again", ["unfinished", "s3", "s1"]);
    let bugs = |out: &str| stdout(&folder.smelt(&["bugs", out])).replace(out, "DIR");
    assert_eq!(bugs("merged"), bugs("again"));
    // The merged campaign continues with what is missing, and is the whole one then.
    shard(&folder, "1/1", 80, 2, "whole");
    folder.smelt(&["fuzz", "--resume", "--out", "merged", "--no-reduce"]);
    assert_eq!(books(&folder.0.join("merged")), books(&folder.0.join("whole")));
    for command in
        [vec!["replay", "1", "merged"], vec!["report", "merged"], vec!["bugs", "show", "1", "merged"]]
    {
        assert!([0, 10].contains(&code(&folder.smelt(&command))), "{command:?}");
    }
    let wrong = folder.smelt(&["fuzz", "--resume", "--out", "s1", "--shard", "2/4"]);
    assert_eq!(code(&wrong), 2);
    assert!(stderr(&wrong).contains("s1 contains shard 1/4"), "{}", stderr(&wrong));
}

#[test]
fn a_case_is_the_same_whoever_runs_it() {
    let folder = folder("shards-cases");
    let made = |more: &[&str], to: &str| {
        let mut arguments = CAMPAIGN.to_vec();
        arguments.extend(["--tests", "120", "--save-cases", to]);
        arguments.extend(more);
        let output = folder.smelt(&arguments);
        assert!([0, 10].contains(&code(&output)), "{}", stderr(&output));
    };
    made(&["--shard", "1/1", "-j", "1", "--out", "one"], "ones");
    for i in 1..=3 {
        made(&["--shard", &format!("{i}/3"), "-j", "2", "--out", &format!("part-{i}")], "parts");
    }
    // Another solver says other things; the cases stay.
    made(&["--shard", "1/1", "-S", "builtin:distinct-neighbours", "--out", "more"], "mores");
    let read = |to: &str| {
        let files = std::fs::read_dir(folder.0.join(to)).unwrap().map(|f| f.unwrap().path());
        let text = |path: std::path::PathBuf| {
            (path.file_name().unwrap().to_owned(), std::fs::read_to_string(&path).unwrap())
        };
        files.map(text).collect::<std::collections::BTreeMap<_, _>>()
    };
    let ones = read("ones");
    assert_eq!(ones.len(), 120);
    assert_eq!(ones, read("parts"));
    assert_eq!(ones, read("mores"));
}

fn deploy(name: &str) -> String {
    format!("{}/../../docs/deploy/{name}", env!("CARGO_MANIFEST_DIR"))
}

#[test]
fn the_slurm_script_runs_shards_and_goes_on_with_them() {
    let folder = folder("shards-slurm");
    let run = |index: &str| {
        let output = Command::new("bash")
            .arg(deploy("slurm.sh"))
            .args(CAMPAIGN.iter().skip(1))
            .current_dir(&folder.0)
            .env("SMELT", env!("CARGO_BIN_EXE_smelt"))
            .envs([("SHARDS", "3"), ("TESTS", "90"), ("SLURM_ARRAY_TASK_ID", index)])
            .output()
            .unwrap();
        assert_eq!(code(&output), 0, "{}", stderr(&output));
    };
    ["1", "2", "3", "2"].into_iter().for_each(run);
    let shards = ["campaign/shard-1", "campaign/shard-2", "campaign/shard-3"];
    let output = folder.smelt(&["merge", "--json", "--out", "all", shards[0], shards[1], shards[2]]);
    let merged = json(&output);
    assert_eq!(merged["shard"]["done"], 90);
    assert_eq!(merged["missing"].as_array().map(Vec::len), Some(0));
    assert_eq!(merged["seed"], 1);
}

#[test]
#[ignore = "needs pyyaml"]
fn the_workflow_is_yaml_that_unites_all_its_shards() {
    let read = "import json, sys, yaml; print(json.dumps(yaml.safe_load(open(sys.argv[1])), default=str))";
    let output = Command::new("python3").args(["-c", read, &deploy("github-actions.yml")]).output().unwrap();
    let workflow = json(&output);
    let jobs = &workflow["jobs"];
    let matrix = jobs["shard"]["strategy"]["matrix"]["index"].as_array().unwrap();
    assert_eq!(Value::from(matrix.len()), workflow["env"]["SHARDS"]);
    assert_eq!(jobs["merge"]["needs"], "shard");
    for job in jobs.as_object().unwrap().values() {
        for step in job["steps"].as_array().unwrap() {
            let Some(run) = step["run"].as_str() else { continue };
            // What the runner puts in is not for the shell.
            let run =
                run.split("${{").map(|p| p.split_once("}}").map_or(p, |(_, rest)| rest)).collect::<String>();
            let output = Command::new("bash").args(["-n", "-c", &run]).output().unwrap();
            assert!(output.status.success(), "{run}: {}", stderr(&output));
        }
    }
}
