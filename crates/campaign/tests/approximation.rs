//! No false alarms: what `skeleton` and `weaken` make of labelled seeds has the status they say.

#![allow(clippy::print_stdout)] // tests say what they skip

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use smelt_core::{OutcomeKind, Verdict};
use smelt_solvers::{
    Catalog, Limits, Profiles, Query, SessionConfig, SessionId, SessionPool, SolverSpec, Zoo,
};
use smelt_strategies::{CaseRequest, Draft, Pool, SeedId, case_seed, strategy as make};

const SOLVERS: [&str; 2] = ["z3@5.4.0", "cvc5@1.4.2"];

/// All `.smt2` files below `corpus/seeds`, in order.
fn files() -> Vec<PathBuf> {
    let mut files = Vec::new();
    let mut folders = vec![Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/corpus/seeds")];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
            let path = entry.path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|e| e == "smt2") {
                files.push(path);
            }
        }
    }
    files.sort();
    files
}

fn number(name: &str, default: u64) -> u64 {
    std::env::var(name).ok().and_then(|n| n.parse().ok()).unwrap_or(default)
}

/// A mutant under way.
struct Case {
    script: Vec<u8>,
    expected: Verdict,
    name: String,
    said: [Option<OutcomeKind>; 2],
}

/// Runs as many mutants of a strategy as asked for; `SMELT_MUTANTS` says how many.
fn run(strategy: &str, options: &[&str]) {
    if std::env::var_os("SMELT_SLOW").is_none() {
        println!("skipped: SMELT_SLOW is not set");
        return;
    }
    let (Ok(profiles), Ok(zoo)) = (Profiles::load(None), Zoo::of_user()) else { return };
    let catalog = Catalog::new(profiles, zoo, None);
    let mut sessions = SessionPool::new();
    let config = SessionConfig {
        limits: Limits::wall(Duration::from_millis(number("SMELT_WALL_MS", 500))),
        confirm_limits: false,
        ..SessionConfig::default()
    };
    let mut ids: Vec<SessionId> = Vec::new();
    for spec in SOLVERS {
        let solver = spec.parse::<SolverSpec>().ok().and_then(|s| catalog.resolve(&s).ok());
        let Some(solver) = solver else {
            println!("skipped: {spec} is not installed");
            return;
        };
        ids.push(sessions.add(solver, config));
    }
    let mut pool = Pool::new();
    let mut seeds: Vec<SeedId> = Vec::new();
    for file in files() {
        let status = match file.parent().and_then(|p| p.file_name()).and_then(|n| n.to_str()) {
            Some("sat") => Verdict::Sat,
            Some("unsat") => Verdict::Unsat,
            _ => continue,
        };
        let text = std::fs::read(&file).expect("a readable file");
        seeds.extend(pool.add(&file.display().to_string(), &text, Some(status)).ok());
    }
    if seeds.is_empty() {
        println!("skipped: there is no corpus/seeds");
        return;
    }
    let mut ways: Vec<_> =
        options.iter().map(|o| make(strategy, o, &Default::default()).expect("fitting options")).collect();
    let wanted = number("SMELT_MUTANTS", 20_000);
    let end = Instant::now() + Duration::from_secs(number("SMELT_SECONDS", 6 * 3600));
    let (mut made, mut both, mut index) = (0u64, 0u64, 0u64);
    let mut against: Vec<String> = Vec::new();
    let mut one: HashMap<&str, u64> = HashMap::new();
    let mut draft = Draft::default();
    let mut cases: HashMap<u64, Case> = HashMap::new();
    let mut queues: [std::collections::VecDeque<u64>; 2] = Default::default();
    let mut running: [Option<u64>; 2] = [None, None];
    loop {
        while cases.len() < 8 && made < wanted && Instant::now() < end {
            let seed = seeds[(index as usize * 7919) % seeds.len()];
            let rng = case_seed(number("SMELT_SEED", 1), strategy, index);
            let way = index as usize % ways.len();
            index += 1;
            if ways[way].next(&mut pool, &CaseRequest { seeds: &[seed], number: rng }, &mut draft).is_err() {
                continue;
            }
            let expected =
                draft.expectation.settle(pool.seed(seed).status).expect("labelled seeds settle it");
            let name = format!("{} rng={rng:016x}", pool.seed(seed).name);
            cases.insert(index, Case { script: draft.text.clone(), expected, name, said: [None, None] });
            queues.iter_mut().for_each(|q| q.push_back(index));
            made += 1;
        }
        for who in 0..2 {
            if running[who].is_none()
                && let Some(next) = queues[who].pop_front()
            {
                sessions
                    .submit(ids[who], Query::new(cases[&next].script.clone()))
                    .expect("a solver that runs");
                running[who] = Some(next);
            }
        }
        if running.iter().all(Option::is_none) {
            break;
        }
        for (id, finished) in sessions.wait(Duration::from_secs(10)).expect("answers") {
            let who = usize::from(id == ids[1]);
            let Some(key) = running[who].take() else { continue };
            let case = cases.get_mut(&key).expect("a case under way");
            case.said[who] = Some(finished.outcome.kind);
            if case.said.iter().any(Option::is_none) {
                continue;
            }
            let case = cases.remove(&key).expect("it was there");
            let verdicts = case.said.map(|s| s.and_then(|k| k.verdict()).filter(|v| *v != Verdict::Unknown));
            both += u64::from(verdicts.iter().all(Option::is_some));
            for (spec, verdict) in SOLVERS.iter().zip(verdicts) {
                if verdict.is_some_and(|v| v != case.expected) {
                    *one.entry(spec).or_default() += 1;
                    println!("{spec} says {verdict:?} to {}", case.name);
                }
            }
            if verdicts.iter().all(|v| v.is_some_and(|v| v != case.expected)) {
                against.push(format!("{}\n{}", case.name, String::from_utf8_lossy(&case.script)));
            }
        }
    }
    println!("{strategy}: {made} mutants, both answer {both}, against what is expected: {one:?}");
    // Too little time for solvers to start would make this a test of nothing.
    assert!(both * 10 >= made, "both solvers answer too few to say anything");
    assert!(against.is_empty(), "{} false alarms, first:\n{}", against.len(), against[0]);
}

#[test]
fn skeleton_gives_no_false_alarm() {
    run("skeleton", &["steps=1", "steps=1", "steps=3"]);
}

#[test]
fn weaken_gives_no_false_alarm() {
    run("weaken", &["steps=1", "steps=3", "steps=8"]);
}
