//! A campaign that several processes share on a PostgreSQL server of the test's own: the books must balance, whoever dies.

use crate::common::{Folder, code, json, stderr, stdout, wait_until};
use serde_json::Value;
use smelt_testing::{Cluster, is_slow};
use std::collections::BTreeSet;
use std::process::{Child, Command, Stdio};

const SOLVERS: [&str; 4] = ["-S", "builtin", "-S", "builtin:segfault-xor"];

/// smelt with a cache of the test's own, on a campaign whose leases are short.
fn smelt(folder: &Folder, machine: &str) -> Command {
    let mut command = folder.command();
    command.env("XDG_CACHE_HOME", folder.path(machine)).env("SMELT_LEASE_MS", "6000");
    command
}

fn join(folder: &Folder, machine: &str, url: &str) -> Child {
    let mut command = smelt(folder, machine);
    command.args(["join", url, "books", "-j", "1", "--no-reduce", "--json"]);
    let log = std::fs::File::options().create(true).append(true).open(folder.path("log")).unwrap();
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(log).spawn().unwrap()
}

fn status(folder: &Folder, url: &str) -> Option<Value> {
    let output = smelt(folder, "reader").args(["status", url, "books", "--json"]).output().unwrap();
    let document: Value = serde_json::from_slice(&output.stdout).ok()?;
    Some(document["campaigns"][0].clone())
}

fn prints(document: &Value) -> BTreeSet<String> {
    let list = document["findings"].as_array().unwrap();
    list.iter().map(|f| f["fingerprint"].as_str().unwrap().to_owned()).collect()
}

/// Processes are killed at random, and the database is restarted and away for a while. With `--slow` 32 processes for long.
#[test]
#[ignore = "needs postgresql"]
fn every_case_of_a_shared_campaign_is_judged_and_counted_once_whoever_dies() {
    let (tests, processes) = if is_slow() { ("60000", 32) } else { ("1500", 3) };
    let cluster = Cluster::start();
    let folder = Folder::new("books");
    let url = cluster.url("smelt");
    let common = ["--tests", tests, "--seed", "5", "--no-cache", "--no-reduce", "--json"];
    let shared = format!("{url}#books");
    let mut first = smelt(&folder, "m0");
    first.args(["fuzz", "--store", &shared, "-j", "1"]).args(SOLVERS).args(common);
    let first = first.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    wait_until(|| status(&folder, &url).is_some_and(|s| s["tests"].as_u64() > Some(0)));
    let mut all: Vec<Child> = vec![first];
    all.extend((1..processes).map(|i| join(&folder, &format!("m{i}"), &url)));
    // Kill one after the other, and the database in between, each after some more cases.
    let mut seen = 0;
    let rounds = if is_slow() { 60 } else { 6 };
    for round in 0..rounds {
        wait_until(|| {
            let done = status(&folder, &url).map_or(0, |s| s["done"].as_u64().unwrap_or(0));
            let is_enough = done > seen + 20 || done >= tests.parse().unwrap();
            seen = if is_enough { done } else { seen };
            is_enough
        });
        let victim = round % all.len();
        all[victim].kill().unwrap();
        all[victim].wait().unwrap();
        all[victim] = join(&folder, &format!("m{victim}"), &url);
        if round % 3 == 1 {
            cluster.stop();
            std::thread::sleep(std::time::Duration::from_secs(if round == 1 && is_slow() { 60 } else { 3 }));
            cluster.run_server();
        }
    }
    let total: u64 = tests.parse().unwrap();
    wait_until(|| status(&folder, &url).is_some_and(|s| s["done"] == total && s["ranges"] == 0));
    for mut child in all {
        wait_until(|| child.try_wait().unwrap().is_some());
    }
    let end = status(&folder, &url).unwrap();
    assert_eq!((&end["given"], &end["free_ranges"]), (&total.into(), &0.into()), "{end}");
    assert!(end["machines"].as_array().unwrap().iter().all(|m| m["cases"].is_u64()));
    // Each number was finished by exactly one process.
    assert_eq!(cluster.sql("SELECT SUM(cases) FROM smelt_books.machines"), tests);
    // One process alone does the same.
    let mut alone = smelt(&folder, "alone");
    alone
        .args(["fuzz", "--schedule", "uniform", "-j", "1", "--out", &folder.path("alone-out")])
        .args(SOLVERS);
    let alone = json(&alone.args(common).output().unwrap());
    let bugs = smelt(&folder, "reader").args(["bugs", &shared, "--json"]).output().unwrap();
    assert_eq!(end["tests"], alone["tests"], "{}", std::fs::read_to_string(folder.path("log")).unwrap());
    let made =
        cluster.sql("SELECT strategy || ' ' || made FROM smelt_books.tests WHERE made > 0 ORDER BY strategy");
    let strategies = alone["by_strategy"].as_object().unwrap().iter();
    let expected: Vec<String> = strategies.map(|(name, n)| format!("{name} {n}")).collect();
    assert_eq!(made.lines().collect::<Vec<_>>(), expected);
    let found = json(&bugs);
    let list = if found.is_array() { serde_json::json!({"findings": found}) } else { found };
    let list = if list["findings"].is_array() { list } else { serde_json::json!({"findings": list["bugs"]}) };
    assert_eq!(prints(&list), prints(&alone));
    assert!(!prints(&alone).is_empty());
}

#[test]
#[ignore = "needs postgresql"]
fn a_shared_campaign_is_read_like_a_folder_and_its_password_is_shown_nowhere() {
    let cluster = Cluster::start();
    let folder = Folder::new("shared");
    let url = cluster.url("smelt").replacen("smelt@", "smelt:s3cret@", 1);
    let place = format!("{url}#one");
    let mut fuzz = smelt(&folder, "m");
    fuzz.args(["fuzz", "--store", &place, "--tests", "300", "--seed", "5", "--no-cache", "-j", "1"])
        .args(SOLVERS);
    let fuzz = fuzz.output().unwrap();
    assert_eq!(code(&fuzz), 10, "{}{}", stdout(&fuzz), stderr(&fuzz));
    let run = |arguments: &[&str]| {
        let output = smelt(&folder, "m").args(arguments).output().unwrap();
        let told = format!("{}{}", stdout(&output), stderr(&output));
        assert!(!told.contains("s3cret"), "{arguments:?}: {told}");
        (code(&output), told)
    };
    assert!(!format!("{}{}", stdout(&fuzz), stderr(&fuzz)).contains("s3cret"));
    let (exit, bugs) = run(&["bugs", &place]);
    assert_eq!(exit, 10, "{bugs}");
    let (exit, shown) = run(&["bugs", "show", "1", &place]);
    assert_eq!(exit, 10, "{shown}");
    let (_, replayed) = run(&["replay", "1", &place]);
    assert!(replayed.contains("it happens again"), "{replayed}");
    let (exit, report) = run(&["report", &place]);
    assert_eq!(exit, 0, "{report}");
    let page = std::fs::read_to_string(report.trim()).unwrap();
    assert!(page.contains("#one") && !page.contains("s3cret"));
    let (exit, status) = run(&["status", &url]);
    assert!(exit == 0 && status.contains("300 of 300 numbers done"), "{status}");
    assert_eq!(cluster.sql("SELECT COUNT(*) FROM smelt_one.campaign WHERE value LIKE '%s3cret%'"), "0");
    let (exit, refused) = run(&["fuzz", "--store", &place, "--tests", "1", "-S", "builtin"]);
    assert!(exit == 2 && refused.contains("holds that campaign"), "{refused}");
    let (exit, done) = run(&["join", &url, "one", "-j", "1"]);
    assert_eq!(exit, 10, "all is done: {done}");
}

/// The files of docs/deploy are what their programs can read.
#[test]
#[ignore = "needs python3"]
fn the_files_for_deployment_are_well_formed() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/deploy");
    let check = "import sys\ntry:\n import yaml\nexcept ImportError:\n sys.exit(0)\n\
                 [list(yaml.safe_load_all(open(f))) for f in sys.argv[1:]]";
    let files = ["kubernetes.yaml", "compose.yaml"].map(|f| format!("{folder}/{f}"));
    let output = Command::new("python3").args(["-c", check]).args(files).output().unwrap();
    assert!(output.status.success(), "{}", stderr(&output));
    let unit = std::fs::read_to_string(format!("{folder}/smelt-join.service")).unwrap();
    for section in ["[Unit]", "[Service]", "[Install]", "ExecStart=", "PGPASSFILE"] {
        assert!(unit.contains(section), "{section}");
    }
    assert!(std::fs::read_to_string(format!("{folder}/Dockerfile")).unwrap().contains("ENTRYPOINT"));
}
