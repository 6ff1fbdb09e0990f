//! What a shared campaign costs its database. The figures are in the book.
#![allow(clippy::print_stderr, reason = "figures for the book")]

use crate::books::{SOLVERS, smelt};
use crate::common::{Folder, code, stderr, stdout};
use smelt_testing::Cluster;
use std::process::Stdio;
use std::time::{Duration, Instant};

/// Statements a second and process, for this long, of processes that have joined a while ago. A busy machine makes fewer,
/// not more.
fn statements(name: &str, solvers: &[&str], seconds: u64) -> f64 {
    const PROCESSES: u64 = 2;
    let cluster = Cluster::counting();
    let folder = Folder::new(name);
    cluster.sql("CREATE ROLE smelt_add; CREATE ROLE worker LOGIN IN ROLE smelt_add");
    let make = format!("{}#one", cluster.url("smelt"));
    let made = smelt(&folder, "maker")
        .args(["fuzz", "--store", &make, "--time", "1s", "-j", "1", "--no-cache"])
        .args(solvers)
        .output()
        .unwrap();
    assert!([0, 10].contains(&code(&made)), "{}{}", stdout(&made), stderr(&made));
    const BEFORE: u64 = 30;
    let (url, time) = (cluster.url("worker"), format!("{}s", BEFORE + seconds + 5));
    let join = |machine: u64| {
        let mut command = smelt(&folder, &format!("m{machine}"));
        command.args(["join", &url, "one", "-j", "1", "--time", &time]);
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap()
    };
    let all: Vec<_> = (0..PROCESSES).map(join).collect();
    std::thread::sleep(Duration::from_secs(BEFORE));
    let joined = cluster.statements("worker");
    std::thread::sleep(Duration::from_secs(seconds));
    let count = cluster.statements("worker") - joined;
    for mut child in all {
        assert!(child.wait().unwrap().code().is_some_and(|code| [0, 10].contains(&code)));
    }
    let worked = cluster.sql("SELECT COUNT(*), SUM(cases) FROM smelt_one.machines");
    let rate = count as f64 / (PROCESSES * seconds) as f64;
    let found = cluster.sql("SELECT COUNT(*), COALESCE(SUM(triggers), 0) FROM smelt_one.findings");
    eprintln!(
        "{name}: {joined} statements to join, then {count}, {rate:.2} a second and process; processes|cases {worked}, findings|triggers {found}"
    );
    let most =
        "SELECT calls || ' ' || left(regexp_replace(query, '\\s+', ' ', 'g'), 90) FROM pg_stat_statements s
        JOIN pg_roles r ON r.oid = s.userid WHERE rolname = 'worker' ORDER BY calls DESC LIMIT 40";
    eprintln!("{}", cluster.sql(most));
    rate
}

#[test]
#[ignore = "needs postgresql, --slow"]
fn a_process_runs_few_statements_a_second() {
    // Nothing is found: only counts, leases and news.
    let rest = statements("at-rest", &["-S", "builtin"], 90);
    assert!(rest <= 2.0, "{rest}");
    let under =
        statements("under-findings", &[&SOLVERS[..], &["-S", "builtin:assertion-nested-ite"]].concat(), 60);
    assert!(under <= 20.0, "{under}");
}

/// A store as a campaign of ten million cases leaves it: the rows of a real one, multiplied.
#[test]
#[ignore = "needs postgresql, --slow"]
fn a_store_of_ten_million_cases_is_small_and_is_read_at_once() {
    let cluster = Cluster::start();
    let folder = Folder::new("large");
    let shared = format!("{}#big", cluster.url("smelt"));
    let made = smelt(&folder, "m")
        .args(["fuzz", "--store", &shared, "--tests", "1000", "--seed", "5", "-j", "1", "--no-cache"])
        .args(SOLVERS)
        .output()
        .unwrap();
    assert_eq!(code(&made), 10, "{}{}", stdout(&made), stderr(&made));
    assert_ne!(cluster.sql("SELECT COUNT(*) FROM smelt_big.triage"), "0");
    // Counts are sums; 2000 findings, 1000 processes at work and 20,000 that are gone.
    cluster.sql(
        "SET search_path TO smelt_big;
         UPDATE tests SET made = made * 10000, tests = tests * 10000, useful = useful * 10000, cost_ms = cost_ms * 10000;
         UPDATE outcomes SET calls = calls * 10000, wall_us = wall_us * 10000, cpu_us = cpu_us * 10000;
         INSERT INTO outcomes SELECT s, solver, outcome, MAX(calls), MAX(wall_us), MAX(cpu_us) FROM outcomes,
             generate_series(0, 119) s GROUP BY 1, 2, 3 ON CONFLICT DO NOTHING;
         INSERT INTO samples SELECT s, (SELECT MAX(times) FROM samples) FROM generate_series(0, 1999) s ON CONFLICT DO NOTHING;
         UPDATE streams SET next = 10000000 WHERE stream = 'cases';
         INSERT INTO machines (id, host, smelt, solvers, gone, delivered, cases)
             SELECT 'machine-' || n, 'host-' || n, '0.2.0', 'z3@4.8.12 cvc5@1.4.2', n > 1000, 5000, 480 FROM generate_series(1, 21000) n;
         INSERT INTO ranges SELECT 'cases', 9000000 + 1000 * n, 9001000 + 1000 * n, 9000100 + 1000 * n,
             (SELECT json_agg(9000100 + 1000 * n + 2 * i)::text FROM generate_series(1, 20) i), 'machine-' || n
             FROM generate_series(1, 999) n;
         CREATE TEMP TABLE old AS SELECT row_number() OVER (ORDER BY f.id) - 1 AS k, f.*, t.bytes AS small, t.dossier, t.fingerprint AS bug
             FROM findings f JOIN triage t ON t.finding = f.id;
         CREATE TEMP TABLE new AS SELECT n, n AS id, old.id AS source FROM generate_series(1001, 3000) n
             JOIN old ON old.k = n % (SELECT COUNT(*) FROM old);
         INSERT INTO findings SELECT new.id, o.fingerprint || new.id, o.flaky, o.seen, o.kind, o.solver, o.strategy, o.theory,
             o.evidence, o.reason, replace(o.file, '/' || o.id || '/', '/' || new.id || '/'), o.bytes,
             replace(o.reduced, '/' || o.id || '/', '/' || new.id || '/'), o.triggers * 100, o.number, o.at_ms
             FROM new JOIN old o ON o.id = new.source;
         INSERT INTO provenance SELECT new.id, p.strategy, p.options, p.files, p.rng, p.seeds, p.steps, p.expectation, p.solvers, p.before
             FROM new JOIN provenance p ON p.finding = new.source;
         INSERT INTO triage SELECT new.id, o.bug || new.id, o.small, replace(o.dossier, o.bug, o.bug || new.id), 1000 + new.id
             FROM new JOIN old o ON o.id = new.source;
         INSERT INTO files SELECT replace(f.name, '/' || new.source || '/', '/' || new.id || '/'), f.content
             FROM new JOIN files f ON f.name LIKE 'findings/' || new.source || '/%';
         INSERT INTO sightings SELECT fingerprint, '0.2.0', 'z3@4.8.' || i, 50 FROM findings, generate_series(1, 3) i;
         ANALYZE",
    );
    let size: u64 = cluster.sql("SELECT pg_database_size('postgres')").parse().unwrap();
    let findings = cluster.sql("SELECT COUNT(*) FROM smelt_big.findings");
    eprintln!("{} MB, {findings} findings", size / 1_000_000);
    assert!(size < 1_000_000_000, "{size} bytes");
    for arguments in [&["status"][..], &["bugs"], &["bugs", "--json"]] {
        let started = Instant::now();
        let output = smelt(&folder, "m").args(arguments).arg(&shared).output().unwrap();
        let took = started.elapsed();
        assert!([0, 10].contains(&code(&output)), "{}", stderr(&output));
        eprintln!("{arguments:?} in {} ms, {} lines", took.as_millis(), stdout(&output).lines().count());
        // A second on an idle machine with a release build; here only something far slower is a failure.
        assert!(took < Duration::from_secs(30), "{arguments:?} took {took:?}");
    }
}
