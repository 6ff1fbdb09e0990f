//! No false alarms: mutants by `skeleton` and `weaken` of labelled seeds have the status that they claim.

#![allow(clippy::print_stdout, reason = "the log says what solvers answered")]

use std::collections::HashMap;
use std::time::{Duration, Instant};

use smelt_core::{OutcomeKind, Verdict};
use smelt_solvers::{
    Catalog, Limits, Profiles, Query, SessionConfig, SessionId, SessionPool, SolverSpec, Zoo,
};
use smelt_strategies::{CaseRequest, Draft, Pool, SeedId, case_seed, strategy as make};

const SOLVERS: [&str; 2] = ["z3@5.4.0", "cvc5@1.4.2"];

fn number(name: &str, default: u64) -> u64 {
    std::env::var(name).ok().and_then(|n| n.parse().ok()).unwrap_or(default)
}

/// A mutant that is being solved.
struct Case {
    script: Vec<u8>,
    expected: Verdict,
    name: String,
    said: [Option<OutcomeKind>; 2],
}

/// Runs as many mutants of a strategy as asked for; `SMELT_MUTANTS` says how many.
fn run(strategy: &str, options: &[&str]) {
    let catalog = Catalog::new(Profiles::load(None).unwrap(), Zoo::of_user().unwrap(), None);
    let mut sessions = SessionPool::new();
    let config = SessionConfig {
        limits: Limits::within(Duration::from_millis(number("SMELT_WALL_MS", 500))),
        confirm_limits: false,
        ..SessionConfig::default()
    };
    let mut ids: Vec<SessionId> = Vec::new();
    for spec in SOLVERS {
        let solver = catalog.resolve(&spec.parse::<SolverSpec>().unwrap());
        ids.push(sessions.add(solver.expect("the solver is installed"), config));
    }
    let mut pool = Pool::new();
    let mut seeds: Vec<SeedId> = Vec::new();
    for file in smelt_testing::corpus("seeds") {
        let status = match file.parent().and_then(|p| p.file_name()).and_then(|n| n.to_str()) {
            Some("sat") => Verdict::Sat,
            Some("unsat") => Verdict::Unsat,
            _ => continue,
        };
        let text = std::fs::read(&file).expect("a readable file");
        seeds.extend(pool.add(&file.display().to_string(), &text, Some(status)).ok());
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
    // If solvers had too little time even to start, nothing would be tested.
    assert!(both * 10 >= made, "both solvers answer too few to say anything");
    assert!(against.is_empty(), "{} false alarms, first:\n{}", against.len(), against[0]);
}

#[test]
#[ignore = "needs z3@5.4.0, cvc5@1.4.2, corpus, --slow"]
fn skeleton_gives_no_false_alarm() {
    run("skeleton", &["steps=1", "steps=1", "steps=3"]);
}

#[test]
#[ignore = "needs z3@5.4.0, cvc5@1.4.2, corpus, --slow"]
fn weaken_gives_no_false_alarm() {
    run("weaken", &["steps=1", "steps=3", "steps=8"]);
}
