//! Every planted fault of the built-in solver is found by a campaign on the embedded seeds, and called what it is.
//!
//! A few in the default run, all of them with `SMELT_SLOW=1`.

#![allow(clippy::print_stdout)] // What was found and when is worth reading in the log.

use serde_json::Value;
use smelt_core::FindingKind;
use smelt_semantics::solver::Fault;
use smelt_semantics::solver::fault::FAULTS;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// How long a campaign may take to find a fault.
const LIMIT: Duration = Duration::from_secs(120);

/// What counts as called by its name.
fn is_right(fault: &Fault, kind: &str) -> bool {
    match fault.kind {
        // A wrong operator errs on both sides, or in a model of what is sat anyway; which one shows first is chance.
        FindingKind::Unsound | FindingKind::RefutationUnsound | FindingKind::SolutionUnsound => {
            ["unsound", "refutation-unsound", "solution-unsound", "invalid-model"].contains(&kind)
        }
        // The limit decides whether what takes too long ends.
        FindingKind::PerfRegression | FindingKind::Hang => ["perf-regression", "hang"].contains(&kind),
        other => kind == other.as_str(),
    }
}

/// Runs a campaign until it has found the fault; how long it took, or what it found instead.
fn hunt(fault: &Fault) -> Result<Duration, String> {
    let folder = std::env::temp_dir().join(format!("smelt-fault-{}-{}", fault.name, std::process::id()));
    let _ = std::fs::remove_dir_all(&folder);
    let smelt = env!("CARGO_BIN_EXE_smelt");
    let name = format!("builtin:{}", fault.name);
    let out = folder.display().to_string();
    let mut child = Command::new(smelt)
        .args(["fuzz", "-S", "builtin", "-S", &name, "--seed", "11", "-j", "2", "--timeout", "2s"])
        .args(["--memory", "512MiB", "--time", "150s", "--out", &out])
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let start = Instant::now();
    let mut result = Err("nothing".to_owned());
    while start.elapsed() < LIMIT {
        std::thread::sleep(Duration::from_millis(500));
        let listed = Command::new(smelt).args(["bugs", &out, "--findings", "--json"]).output().unwrap();
        let Ok(Value::Array(list)) = serde_json::from_slice(&listed.stdout) else { continue };
        let blamed = |f: &&Value| f["solver"].as_str().is_some_and(|s| s.contains(&name));
        let right = |f: &Value| f["kind"].as_str().is_some_and(|k| is_right(fault, k));
        if list.iter().filter(blamed).any(right) {
            result = Ok(start.elapsed());
            break;
        }
        let kinds: Vec<String> = list.iter().map(|f| f["kind"].to_string()).collect();
        result = Err(kinds.join(", "));
    }
    child.kill().unwrap();
    child.wait().unwrap();
    let _ = std::fs::remove_dir_all(&folder);
    result
}

fn find(names: impl Fn(&Fault) -> bool) {
    let mut missed = Vec::new();
    for fault in FAULTS.iter().filter(|f| names(f)) {
        match hunt(fault) {
            Ok(time) => println!("{}: {:.1} s", fault.name, time.as_secs_f64()),
            Err(what) => missed.push(format!("{}: {what}", fault.name)),
        }
    }
    assert!(missed.is_empty(), "{missed:#?}");
}

#[test]
fn some_planted_faults_are_found_and_called_what_they_are() {
    find(|f| ["segfault-xor", "bvudiv-zero", "model-off-by-one"].contains(&f.name));
}

#[test]
fn each_planted_fault_is_found_within_two_minutes() {
    if std::env::var_os("SMELT_SLOW").is_none() {
        println!("skipped: set SMELT_SLOW=1");
        return;
    }
    let only = std::env::var("SMELT_FAULTS").unwrap_or_default();
    find(|f| only.is_empty() || only.split(',').any(|n| n == f.name));
}
