//! How much a shared store takes.
#![allow(clippy::print_stderr, reason = "figures for the book")]

use crate::shared::{address, delivery, finding, join};
use smelt_store::Store;
use smelt_testing::Cluster;
use std::time::Instant;

const PROCESSES: u64 = 10;
const DELIVERIES: u64 = 40;
const FINDINGS: u64 = 25;

/// Ten processes bring findings in batches, and half of the findings are those of the process beside them.
#[test]
#[ignore = "needs postgresql, --slow"]
fn ten_thousand_findings_of_ten_processes_are_taken_once_with_a_few_statements_each() {
    let cluster = Cluster::counting();
    let address = address(&cluster, "smelt", "load");
    Store::create_shared(&address).unwrap();
    let (before, started) = (cluster.statements("smelt"), Instant::now());
    std::thread::scope(|scope| {
        for process in 0..PROCESSES {
            let address = &address;
            scope.spawn(move || {
                let mut member = join(address, &format!("p{process}"));
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
                    member.deliver(&delivery(&member, number + 1, FINDINGS, findings, Vec::new())).unwrap();
                }
            });
        }
    });
    let seconds = started.elapsed().as_secs_f64();
    let statements = cluster.statements("smelt") - before;
    let all = PROCESSES * DELIVERIES * FINDINGS;
    eprintln!("{all} findings in {seconds:.1} s, {statements} statements");
    let store = Store::open_shared(&address).unwrap();
    let stored = store.stored().unwrap();
    assert_eq!(stored.iter().map(|s| s.triggers).sum::<u64>(), all);
    assert_eq!(stored.len() as u64, PROCESSES * DELIVERIES * FINDINGS.div_ceil(2));
    assert!(statements < 20 * PROCESSES * DELIVERIES, "{statements}");
    let files = cluster.sql("SELECT COUNT(*) FROM smelt_load.files");
    assert_eq!(files, (2 * stored.len()).to_string());
}
