//! A campaign on the embedded seeds finds every planted fault of the built-in solver, gives it the right kind, and reduces it
//! to a handful of terms.
//!
//! A few in the default run, all of them with `cargo xtask test --slow`.

#![allow(clippy::print_stdout, reason = "the log says what was found")]

use serde_json::Value;
use smelt_core::Kind;
use smelt_semantics::solver::Fault;
use smelt_semantics::solver::fault::FAULTS;
use smelt_smtlib::occurrence::Occurrences;
use smelt_smtlib::{Arena, parse_script};

use crate::common::{Folder, json};

/// A campaign makes the first number of tests; if it has not found its fault, it continues up to the next.
const TESTS: &[u32] = &[300, 3_000, 30_000];

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

/// Runs a campaign until it has found the fault, and examines what it found: the smallest script of the right kind. The error
/// is what it found instead.
fn hunt(fault: &Fault, reduces: bool) -> Result<Option<String>, String> {
    let folder = Folder::new(&format!("fault-{}", fault.name));
    let name = format!("builtin:{}", fault.name);
    let found = || -> (Vec<Value>, String) {
        let list = json(&folder.smelt(&["bugs", "store", "--findings", "--json"]));
        let list = list.as_array().cloned().unwrap_or_default();
        let kinds: Vec<String> = list.iter().map(|f| f["kind"].to_string()).collect();
        let blamed = |f: &Value| f["solver"].as_str().is_some_and(|s| s.contains(&name));
        let right = |f: &Value| f["kind"].as_str().is_some_and(|k| is_right(fault, k));
        (list.into_iter().filter(|f| blamed(f) && right(f)).collect(), kinds.join(", "))
    };
    for tests in TESTS {
        let campaign = format!(
            "fuzz -S builtin -S {name} --seed 11 -j 1 --timeout 2s --memory 512MiB -n {tests} --no-reduce -o store"
        );
        folder.smelt(&campaign.split(' ').collect::<Vec<_>>());
        if !found().0.is_empty() {
            break;
        }
    }
    if reduces {
        folder.smelt(&["bugs", "examine", "store"]);
    }
    let (findings, kinds) = found();
    if findings.is_empty() {
        return Err(kinds);
    }
    let path = |f: &Value| Some(folder.0.join(f["reduced"].as_str()?));
    let scripts = findings.iter().filter_map(|f| std::fs::read_to_string(path(f)?).ok());
    Ok(scripts.min_by_key(|s| terms(s)))
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
        match (&found, excepted) {
            (_, Some(why)) => println!("{name}: found; it need not be small: {why}"),
            (Some(script), None) if terms(script) <= TERMS => println!("{name}: {} terms", terms(script)),
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
