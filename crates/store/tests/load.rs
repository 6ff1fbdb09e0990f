//! How much a shared store takes.
#![allow(clippy::print_stderr, reason = "figures for the book")]

use crate::shared::{address, delivery, finding, join};
use smelt_core::OutcomeKind;
use smelt_store::shared::{Delivery, Member};
use smelt_store::{Answer, Batch, Store};
use smelt_testing::Cluster;
use std::time::Instant;

const PROCESSES: u64 = 10;
const DELIVERIES: u64 = 40;
const FINDINGS: u64 = 25;

/// Lets all processes do their work on a new campaign at once; its store, the seconds, and the statements that it took.
fn load(cluster: &Cluster, name: &str, work: impl Fn(u64, &mut Member) + Sync) -> (Store, f64, u64) {
    let address = address(cluster, "smelt", name);
    Store::create_shared(&address).unwrap();
    let (before, started) = (cluster.statements("smelt"), Instant::now());
    std::thread::scope(|scope| {
        for process in 0..PROCESSES {
            let (address, work) = (&address, &work);
            scope.spawn(move || work(process, &mut join(address, &format!("p{process}"))));
        }
    });
    let (seconds, statements) = (started.elapsed().as_secs_f64(), cluster.statements("smelt") - before);
    (Store::open_shared(&address).unwrap(), seconds, statements)
}

/// Ten processes bring findings in batches, and half of the findings are those of the process beside them.
#[test]
#[ignore = "needs postgresql, --slow"]
fn ten_thousand_findings_of_ten_processes_are_taken_once_with_a_few_statements_each() {
    let cluster = Cluster::counting();
    let (store, seconds, statements) = load(&cluster, "load", |process, member| {
        for number in 0..DELIVERIES {
            let print = |i: u64| {
                let process = (process + i % 2) % PROCESSES;
                format!("z3/crash/{process}-{number}-{}", i / 2)
            };
            let one = |i: u64| {
                let script = format!("(assert {process} {number} {i} {})", "x".repeat(2000));
                finding(number, &print(i), script.as_bytes())
            };
            let findings = (0..FINDINGS).map(one).collect();
            member.deliver(&delivery(member, number + 1, FINDINGS, findings, Vec::new())).unwrap();
        }
    });
    let all = PROCESSES * DELIVERIES * FINDINGS;
    eprintln!("{all} findings in {seconds:.1} s, {statements} statements");
    let stored = store.stored().unwrap();
    assert_eq!(stored.iter().map(|s| s.triggers).sum::<u64>(), all);
    assert_eq!(stored.len() as u64, PROCESSES * DELIVERIES * FINDINGS.div_ceil(2));
    assert!(statements < 20 * PROCESSES * DELIVERIES, "{statements}");
    let files = cluster.sql("SELECT COUNT(*) FROM smelt_load.files");
    assert_eq!(files, (2 * stored.len()).to_string());
}

/// The counts of a quarter of a minute of a learning campaign, as a process delivers them.
fn counts(machine: &str, number: u64) -> Delivery {
    let arm = |i: u64| (i % 2) as u32;
    let counts = |i: u64| [arm(i), arm(i), 0, 7];
    let answer = || Answer { outcome: "sat".into(), wall_us: 900 };
    let kinds = [OutcomeKind::Sat, OutcomeKind::Unsat, OutcomeKind::Unknown, OutcomeKind::Timeout];
    let outcomes = ["z3@5.4.0", "cvc5@1.4.2"].into_iter().flat_map(|s| kinds.map(|k| (s.to_owned(), k)));
    let batch = Batch {
        tests: (0..12).map(|i| (format!("strategy-{i}"), 1, counts(i))).collect(),
        seeds: (0..150).map(|i| (format!("seed-{}", (i * 7 + number) % 1000), counts(i))).collect(),
        outcomes: outcomes.map(|key| (key, [9, 900, 800])).collect(),
        logics: (0..12).map(|i| (format!("QF_{i}"), [9, 18, 17])).collect(),
        samples: (0..20)
            .map(|i| ((i * 99 + number) % 2000, [("z3@5.4.0".to_owned(), answer())].into_iter().collect()))
            .collect(),
        ..Batch::default()
    };
    let mut delivery = Delivery::of(&batch);
    (delivery.machine, delivery.number, delivery.cases) = (machine.to_owned(), number, 12);
    delivery.ways = (0..40).map(|i| (format!("way-{i}"), counts(i))).collect();
    delivery.sizes = (0..10).map(|i| (format!("way-{i}"), i, "z3@5.4.0".to_owned(), [1, 1])).collect();
    delivery
}

/// How many deliveries of counts a second the lock of a campaign lets through: what limits how many processes may join.
#[test]
#[ignore = "needs postgresql, --slow"]
fn deliveries_of_counts_take_a_few_statements_each() {
    const EACH: u64 = 60;
    let cluster = Cluster::counting();
    let (store, seconds, statements) = load(&cluster, "counts", |process, member| {
        let id = format!("p{process}");
        (1..=EACH).for_each(|number| drop(member.deliver(&counts(&id, number)).unwrap()));
    });
    let all = PROCESSES * EACH;
    eprintln!(
        "{all} deliveries of counts in {seconds:.1} s, {:.1} ms each, {:.1} statements each",
        1000.0 * seconds / all as f64,
        statements as f64 / all as f64
    );
    let made = store.tests().unwrap();
    assert_eq!(made.values().map(|(made, _)| made).sum::<u64>(), 12 * all);
    assert!(statements < 20 * all, "{statements}");
}
