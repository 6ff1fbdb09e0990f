//! A campaign on the embedded seeds finds every planted fault of the built-in solver, gives it the right kind, and reduces it
//! to a handful of terms.
//!
//! A few in the default run, all of them with `cargo xtask test --slow`.

#![allow(clippy::print_stdout, reason = "the log says what was found, and when")]

use serde_json::Value;
use smelt_core::Kind;
use smelt_semantics::solver::Fault;
use smelt_semantics::solver::fault::FAULTS;
use smelt_smtlib::occurrence::Occurrences;
use smelt_smtlib::{Arena, parse_script};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// How long a campaign may take to find a fault: on a quiet machine none takes two minutes.
const LIMIT: Duration = Duration::from_secs(900);

/// How long it may take from there to the reduced script.
const REDUCE_LIMIT: Duration = Duration::from_secs(600);

/// How many terms a reduced trigger may have.
const TERMS: usize = 6;

/// Faults whose triggers need more, or are not reduced, and why.
const EXCEPTIONS: &[(&str, &str)] = &[
    ("reset-keeps-unsat", "it shows in live sessions only; what is reduced must show in a fresh process"),
    ("assertion-nested-ite", "an ite in an ite has seven terms"),
    ("hang-square", "the script with the fewest bytes has seven terms; one with five needs a declaration"),
    ("fp-rem-small", "often a wrong model of what has others, and must stay so: seven terms"),
];

/// Whether a finding's kind is right for a fault.
fn is_right(fault: &Fault, kind: &str) -> bool {
    match fault.kind {
        // A wrong operator can give either wrong answer, or a wrong model; which one shows first is chance.
        Kind::Unsound | Kind::RefutationUnsound | Kind::SolutionUnsound => {
            ["unsound", "refutation-unsound", "solution-unsound", "invalid-model"].contains(&kind)
        }
        // It depends on the time limit whether a slow run ends.
        Kind::PerfRegression | Kind::Hang => ["perf-regression", "hang"].contains(&kind),
        other => kind == other.as_str(),
    }
}

/// When a fault was found, and its smallest script.
struct Found {
    after: Duration,
    reduced: Option<String>,
}

/// Runs a campaign until it has found the fault and reduced one of its triggers. The error is what it found instead.
fn hunt(fault: &Fault, reduces: bool) -> Result<Found, String> {
    let folder = std::env::temp_dir().join(format!("smelt-fault-{}-{}", fault.name, std::process::id()));
    let _ = std::fs::remove_dir_all(&folder);
    let smelt = env!("CARGO_BIN_EXE_smelt");
    let name = format!("builtin:{}", fault.name);
    let out = folder.display().to_string();
    let mut child = Command::new(smelt)
        .args(["fuzz", "-S", "builtin", "-S", &name, "--seed", "11", "-j", "2", "--timeout", "2s"])
        .args(["--memory", "512MiB", "--time", "1500s", "--out", &out])
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let start = Instant::now();
    let mut result: Result<Found, String> = Err("nothing".to_owned());
    loop {
        std::thread::sleep(Duration::from_millis(500));
        let late = match &result {
            Ok(found) => {
                let small = found.reduced.as_deref().is_some_and(|s| terms(s) <= TERMS);
                small || !reduces || start.elapsed() > found.after + REDUCE_LIMIT
            }
            Err(_) => start.elapsed() > LIMIT,
        };
        if late {
            break;
        }
        let listed = Command::new(smelt).args(["bugs", &out, "--findings", "--json"]).output().unwrap();
        let Ok(Value::Array(list)) = serde_json::from_slice(&listed.stdout) else { continue };
        let blamed = |f: &&Value| f["solver"].as_str().is_some_and(|s| s.contains(&name));
        let right = |f: &&Value| f["kind"].as_str().is_some_and(|k| is_right(fault, k));
        let findings: Vec<&Value> = list.iter().filter(blamed).filter(right).collect();
        if findings.is_empty() {
            let kinds: Vec<String> = list.iter().map(|f| f["kind"].to_string()).collect();
            result = Err(kinds.join(", "));
            continue;
        }
        let scripts = findings.iter().filter_map(|f| std::fs::read_to_string(f["reduced"].as_str()?).ok());
        let reduced = scripts.min_by_key(|s| terms(s));
        let after = result.as_ref().map_or_else(|_| start.elapsed(), |found| found.after);
        result = Ok(Found { after, reduced });
    }
    child.kill().unwrap();
    child.wait().unwrap();
    let _ = std::fs::remove_dir_all(&folder);
    result
}

/// The number of terms in a script, each place counted.
fn terms(script: &str) -> usize {
    let mut arena = Arena::new();
    let parsed = parse_script(&mut arena, script.as_bytes()).unwrap();
    Occurrences::new(&arena, &parsed.script).len()
}

fn find(names: impl Fn(&Fault) -> bool) {
    let mut missed = Vec::new();
    for fault in FAULTS.iter().filter(|f| names(f)) {
        let name = fault.name;
        let excepted = EXCEPTIONS.iter().find(|e| e.0 == name).map(|e| e.1);
        let found = match hunt(fault, excepted.is_none()) {
            Ok(found) => found,
            Err(what) => {
                missed.push(format!("{name}: {what}"));
                continue;
            }
        };
        let after = found.after.as_secs_f64();
        match (&found.reduced, excepted) {
            (_, Some(why)) => println!("{name}: {after:.1} s; it need not be small: {why}"),
            (Some(script), None) if terms(script) <= TERMS => {
                println!("{name}: {after:.1} s, {} terms", terms(script));
            }
            (Some(script), None) => missed.push(format!("{name}: {} terms: {script}", terms(script))),
            (None, None) => missed.push(format!("{name}: not reduced")),
        }
    }
    assert!(missed.is_empty(), "{missed:#?}");
}

#[test]
fn some_planted_faults_are_found_and_reduced() {
    find(|f| ["segfault-xor", "bvudiv-zero", "model-off-by-one"].contains(&f.name));
}

#[test]
#[ignore = "needs --slow"]
fn each_planted_fault_is_found_and_reduced() {
    let only = std::env::var("SMELT_FAULTS").unwrap_or_default();
    find(|f| match only.as_str() {
        "" => true,
        only => only.split(',').any(|n| n == f.name),
    });
}
