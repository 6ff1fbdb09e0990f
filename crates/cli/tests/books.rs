//! The books of a shared campaign must balance, whichever process dies: every number judged, none counted twice, no finding lost or
//! doubled, no lease stuck. Processes are killed at random, and the database is restarted and away.
#![allow(clippy::print_stderr, reason = "figures for the book")]

use crate::common::{Folder, json, wait_until};
use crate::shards::{CAMPAIGN, folder};
use serde_json::Value;
use smelt_testing::Cluster;
use std::collections::BTreeSet;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

pub(crate) const SOLVERS: [&str; 4] = ["-S", "builtin", "-S", "builtin:segfault-xor"];

/// How large the test is.
struct Size {
    processes: usize,
    /// The end of the campaign. Processes of one without an end lease numbers for a minute, and all are done in the end.
    tests: Option<&'static str>,
    /// Processes are killed for at least this long, at least this many, with at most this pause in between.
    time: Duration,
    kills: usize,
    pause: Duration,
    /// After which shares of the time the database is unreachable, and how long.
    away: &'static [(f64, Duration)],
    lease: &'static str,
    schedule: &'static str,
}

/// Options of processes whose output nobody reads; a campaign of shards has them.
const QUIET: [&str; 2] = ["--no-reduce", "--json"];

const SECOND: Duration = Duration::from_secs(1);

/// The size of every day.
const SHORT: Size = Size {
    processes: 3,
    tests: Some("16000"),
    time: Duration::from_secs(12),
    kills: 6,
    pause: SECOND,
    away: &[(0.3, SECOND), (0.7, Duration::from_secs(3))],
    lease: "9s",
    schedule: "uniform",
};

/// 32 processes for ten minutes; the database is restarted three times and away for a minute once.
const FULL: Size = Size {
    processes: 32,
    tests: None,
    time: Duration::from_secs(600),
    kills: 60,
    pause: Duration::from_secs(5),
    away: &[(0.2, SECOND), (0.4, SECOND), (0.55, Duration::from_secs(60)), (0.85, SECOND)],
    lease: "40s",
    schedule: "uniform",
};

/// Between the two.
const MEDIUM: Size = Size {
    processes: 8,
    time: Duration::from_secs(90),
    kills: 20,
    away: &[(0.2, SECOND), (0.4, SECOND), (0.55, Duration::from_secs(20)), (0.85, SECOND)],
    schedule: "learn",
    ..FULL
};

/// A machine: smelt with a cache of its own.
pub(crate) fn smelt(folder: &Folder, machine: &str) -> Command {
    let mut command = folder.command();
    command.env("XDG_CACHE_HOME", folder.path(machine));
    command
}

fn start(folder: &Folder, machine: usize, arguments: &[&str]) -> Child {
    let mut command = smelt(folder, &format!("m{machine}"));
    command.args(arguments).args(["-j", "1"]);
    let log = std::fs::File::options().create(true).append(true).open(folder.path("log")).unwrap();
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(log).spawn().unwrap()
}

/// The state of the campaign, which is asked for at leisure: the processes need the machine.
fn status(folder: &Folder, url: &str) -> Option<Value> {
    std::thread::sleep(SECOND / 2);
    let output = smelt(folder, "reader").args(["status", url, "books", "--json"]).output().unwrap();
    let document: Value = serde_json::from_slice(&output.stdout).ok()?;
    Some(document["campaigns"][0].clone())
}

/// The fingerprints of a list, each of which must come once.
fn prints(list: &Value) -> BTreeSet<String> {
    let list = list.as_array().unwrap();
    let prints: BTreeSet<String> =
        list.iter().map(|f| f["fingerprint"].as_str().unwrap().to_owned()).collect();
    assert_eq!(prints.len(), list.len(), "a finding is doubled");
    prints
}

/// Numbers without a pattern, the same in every run.
struct Dice(u64);

impl Dice {
    fn below(&mut self, end: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % end
    }
}

/// Who died joins again, also one that found no database when it came.
fn revive(folder: &Folder, url: &str, all: &mut [Child]) {
    for (machine, child) in all.iter_mut().enumerate() {
        if child.try_wait().unwrap().is_some() {
            *child = start(folder, machine, &[&["join", url, "books"], &QUIET[..]].concat());
        }
    }
}

/// Kills processes, and stops the database; who died joins again.
fn havoc(folder: &Folder, cluster: &Cluster, size: &Size, all: &mut [Child]) {
    let (url, started) = (cluster.url("smelt"), Instant::now());
    let (mut dice, mut kills, mut aways) = (Dice(7), 0, size.away.iter());
    let mut next = aways.next();
    let (mut until, mut seen) = (None::<Instant>, 0);
    while kills < size.kills || started.elapsed() < size.time || next.is_some() || until.is_some() {
        std::thread::sleep(size.pause.mul_f64((1 + dice.below(4)) as f64 / 4.0));
        if until.is_some_and(|until| Instant::now() >= until) {
            cluster.run_server();
            until = None;
            revive(folder, &url, all);
            // Something is done between two faults.
            wait_until(|| {
                let done = status(folder, &url).map_or(0, |s| s["done"].as_u64().unwrap_or(0));
                let is_enough = done > seen || size.tests.is_some_and(|end| done.to_string() == end);
                seen = done.max(seen);
                is_enough
            });
        }
        if let Some((share, long)) = next
            && until.is_none()
            && started.elapsed() >= size.time.mul_f64(*share)
        {
            cluster.stop();
            (until, next) = (Some(Instant::now() + *long), aways.next());
        }
        let victim = dice.below(all.len());
        all[victim].kill().unwrap();
        all[victim].wait().unwrap();
        kills += 1;
        revive(folder, &url, all);
    }
    eprintln!("{kills} killed in {} s", started.elapsed().as_secs());
}

fn the_books_balance(size: &Size) {
    let cluster = Cluster::start();
    let folder = folder("books");
    let url = cluster.url("smelt");
    let shared = format!("{url}#books");
    let make = ["--store", &shared, "--lease", size.lease, "--schedule", size.schedule];
    let common = ["--seed", "5", "--no-cache"];
    let end = size.tests.map_or(vec![], |tests| vec!["--tests", tests]);
    let mut all = vec![start(&folder, 0, &[&CAMPAIGN[..], &make, &common, &end].concat())];
    wait_until(|| status(&folder, &url).is_some_and(|s| s["tests"].as_u64() > Some(0)));
    let join = [&["join", &url, "books"], &QUIET[..]].concat();
    all.extend((1..size.processes).map(|machine| start(&folder, machine, &join)));
    havoc(&folder, &cluster, size, &mut all);
    // The campaign has no end, or a later one: it ends with the numbers that were given out.
    for mut child in all {
        child.kill().unwrap();
        child.wait().unwrap();
    }
    let given = status(&folder, &url).unwrap()["given"].as_u64().unwrap();
    let tests = given.to_string();
    let finish = [&["fuzz", "--store", &shared, "--resume", "--tests", &tests], &QUIET[..]].concat();
    let mut all: Vec<Child> = (0..2).map(|machine| start(&folder, machine, &finish)).collect();
    // It may take long, but it continues.
    let mut done = 0;
    while done < given {
        wait_until(|| {
            let now = status(&folder, &url).unwrap()["done"].as_u64().unwrap();
            let goes_on = now > done;
            done = now;
            goes_on
        });
    }
    for child in &mut all {
        wait_until(|| child.try_wait().unwrap().is_some());
    }
    let log = std::fs::read_to_string(folder.path("log")).unwrap();
    let end = status(&folder, &url).unwrap();
    let books = ["given", "done", "ranges", "free_ranges"].map(|key| end[key].as_u64().unwrap());
    assert_eq!(books, [given, given, 0, 0], "{end}\n{log}");
    assert_eq!(end["machines"].as_array().map(Vec::len), Some(0), "all are gone: {end}");
    // Each number was finished by exactly one process, and no lease of anything is held by one that lives.
    assert_eq!(cluster.sql("SELECT SUM(cases) FROM smelt_books.machines"), tests, "{log}");
    let held = "SELECT COUNT(*) FROM smelt_books.ranges r JOIN smelt_books.machines m ON m.id = r.holder WHERE NOT gone";
    assert_eq!(cluster.sql(held), "0");
    let made = cluster.sql("SELECT SUM(made) FROM smelt_books.tests");
    assert_eq!(end["tests"].to_string(), made);
    let doubled = "SELECT COUNT(*) - COUNT(DISTINCT (fingerprint, flaky)) FROM smelt_books.findings";
    assert_eq!(cluster.sql(doubled), "0");
    // Every finding has its script and its story; larger ones that they replaced stay.
    let files =
        "SELECT COUNT(*) FROM smelt_books.findings f WHERE 2 <> (SELECT COUNT(*) FROM smelt_books.files
         WHERE name IN (f.file, replace(f.file, '.smt2', '.json')))";
    assert_eq!(cluster.sql(files), "0");
    let bugs = json(&smelt(&folder, "reader").args(["bugs", &shared, "--json"]).output().unwrap());
    let found = prints(&bugs);
    eprintln!("{given} numbers, {made} tests, {} findings", found.len());
    assert!(!found.is_empty());
    if size.schedule == "uniform" {
        the_same_alone(&folder, &cluster, &tests, &common, &found);
    }
}

/// Where a test is a function of its number, one process alone does the same.
fn the_same_alone(
    folder: &Folder,
    cluster: &Cluster,
    tests: &str,
    common: &[&str],
    found: &BTreeSet<String>,
) {
    let mut alone = smelt(folder, "alone");
    alone.args(CAMPAIGN).args(["--schedule", "uniform", "-j", "2", "--tests", tests]);
    alone.args(["--out", "alone-out"]).args(common);
    let alone = json(&alone.output().unwrap());
    let made =
        cluster.sql("SELECT strategy || ' ' || made FROM smelt_books.tests WHERE made > 0 ORDER BY strategy");
    let strategies = alone["by_strategy"].as_object().unwrap().iter();
    let expected: Vec<String> = strategies.map(|(name, n)| format!("{name} {n}")).collect();
    assert_eq!(made.lines().collect::<Vec<_>>(), expected);
    assert_eq!(*found, prints(&alone["findings"]));
}

#[test]
#[ignore = "needs postgresql"]
fn every_number_of_a_shared_campaign_is_judged_and_counted_once_whoever_dies() {
    the_books_balance(&SHORT);
}

#[test]
#[ignore = "needs postgresql"]
fn the_books_balance_too_where_processes_learn_from_each_other() {
    the_books_balance(&Size { schedule: "learn", ..SHORT });
}

#[test]
#[ignore = "needs postgresql, --slow"]
fn the_books_of_32_processes_balance_after_ten_minutes_of_havoc() {
    the_books_balance(&FULL);
}

#[test]
#[ignore = "needs postgresql, --slow"]
fn the_books_of_8_learning_processes_balance_after_a_while_of_havoc() {
    the_books_balance(&MEDIUM);
}
