//! Solvers that misbehave: each misbehaviour has its outcome and does not disturb the next query.
#![allow(clippy::print_stderr, reason = "tests say what they counted")]

use crate::common::{
    await_processes, config, doing, fake, fake_starting, left_over, marker, processes, query_doing,
};
use smelt_core::{CrashKind, OutcomeKind, Verdict};
use smelt_solvers::{
    Launch, Limits, Mode, Origin, Profiles, Query, Session, SessionConfig, SessionPool, Solver,
};
use std::{
    io::{BufRead, BufReader},
    process::{Command, Stdio},
    time::{Duration, Instant},
};

/// For queries that must be answered: only a failing test waits this long.
const WALL: Duration = Duration::from_secs(120);
/// For queries that must run out of time: their solver never answers.
const SHORT: Duration = Duration::from_secs(1);

/// In both modes: the misbehaviour has this outcome, the queries before and after it have theirs, and no process is left.
fn check(word: &str, expected: OutcomeKind) {
    for mode in [Mode::Reuse, Mode::Fresh] {
        let marker = marker();
        let mut session = Session::new(fake(&marker), config(mode, WALL));
        assert_eq!(doing(&mut session, "unsat").outcome.kind, OutcomeKind::Unsat);
        let query = query_doing(word);
        let query = if expected == OutcomeKind::Timeout { query.with_limit(SHORT) } else { query };
        let outcome = session.run(query).unwrap().outcome;
        assert_eq!(outcome.kind, expected, "{word} {mode:?} {outcome:?}");
        for next in ["unsat", "sat", "unknown"] {
            assert_eq!(doing(&mut session, next).outcome.kind.as_str(), next, "after {word} {mode:?}");
        }
        drop(session);
        assert_eq!(left_over(&marker), [], "{word} {mode:?}");
    }
}

#[test]
fn a_gigabyte_of_output_is_stopped_at_the_output_limit() {
    check("flood", OutcomeKind::Error);
}

#[test]
fn a_flood_on_stderr_does_not_block_the_answer() {
    check("flood-errors", OutcomeKind::Sat);
}

#[test]
fn children_die_with_the_solver_at_the_time_limit() {
    check("fork", OutcomeKind::Timeout);
}

#[test]
fn children_and_daemons_die_with_a_solver_that_crashes() {
    check("fork-and-die", OutcomeKind::Crash);
}

#[test]
fn a_daemon_dies_with_its_solver() {
    check("daemon", OutcomeKind::Sat);
}

#[test]
fn a_solver_that_ignores_sigterm_is_killed() {
    check("deaf", OutcomeKind::Timeout);
}

#[test]
fn a_solver_that_closes_stdout_and_goes_on_is_stopped() {
    check("close", OutcomeKind::Error);
}

#[test]
fn a_solver_that_closes_stdout_and_exits_gives_no_answer() {
    check("close-and-exit", OutcomeKind::Error);
}

#[test]
fn garbage_is_an_error() {
    check("garbage", OutcomeKind::Error);
}

#[test]
fn two_answers_to_one_question_are_an_error() {
    check("twice", OutcomeKind::Error);
}

#[test]
fn an_answer_followed_by_an_abort_is_a_crash() {
    check("abort", OutcomeKind::Crash);
}

#[test]
fn a_segfault_is_a_crash() {
    check("segfault", OutcomeKind::Crash);
}

#[test]
fn unsupported_is_rejected() {
    check("unsupported", OutcomeKind::Rejected);
}

#[test]
fn an_exit_without_an_answer_is_an_error() {
    check("exit", OutcomeKind::Error);
}

#[test]
fn death_in_the_middle_of_a_model_is_a_crash_without_model() {
    for mode in [Mode::Reuse, Mode::Fresh] {
        let mut session = Session::new(fake(&marker()), config(mode, WALL));
        let script = "(set-info :do half-model)(check-sat)";
        for query in [Query::new(script).with_model(), Query::new(format!("{script}(get-model)"))] {
            let outcome = session.run(query).unwrap().outcome;
            assert_eq!(outcome.kind, OutcomeKind::Crash);
            assert_eq!((outcome.answers[0].verdict, &outcome.answers[0].model), (None, &None));
            let good = session.run(Query::new("(check-sat)").with_model()).unwrap().outcome;
            assert_eq!(good.answers[0].model.as_deref(), Some("((define-fun x () Int 1))"));
        }
    }
}

#[test]
fn a_failed_assertion_names_its_site() {
    let mut session = Session::new(fake(&marker()), config(Mode::Reuse, WALL));
    let crash = doing(&mut session, "assertion").outcome.crash.unwrap();
    assert_eq!((crash.kind, crash.site.as_deref()), (CrashKind::Assertion, Some("src/theory.cpp:42")));
    assert_eq!(crash.signal, Some(libc::SIGABRT));
}

#[test]
fn eating_memory_is_a_memout_and_not_a_crash() {
    for mode in [Mode::Reuse, Mode::Fresh] {
        let limits = Limits { memory: 256 << 20, ..Limits::within(WALL) };
        let mut session = Session::new(fake(&marker()), SessionConfig { mode, limits, ..Default::default() });
        assert_eq!(doing(&mut session, "eat").outcome.kind, OutcomeKind::Memout);
        assert_eq!(doing(&mut session, "sat").outcome.kind, OutcomeKind::Sat);
    }
}

#[test]
fn the_cpu_limit_is_a_timeout_and_counts_per_query() {
    for mode in [Mode::Reuse, Mode::Fresh] {
        let cpu = Some(Duration::from_millis(300));
        let limits = Limits { cpu, ..Limits::within(WALL) };
        let mut session = Session::new(fake(&marker()), SessionConfig { mode, limits, ..Default::default() });
        for _ in 0..2 {
            let outcome = doing(&mut session, "spin").outcome;
            assert_eq!(
                (outcome.kind, outcome.message.as_deref()),
                (OutcomeKind::Timeout, Some("cpu time limit"))
            );
            // CPU time comes in ticks of the kernel, so it may be read a little too low.
            assert!(outcome.usage.cpu >= Duration::from_millis(250), "{:?}", outcome.usage);
            assert!(outcome.usage.peak_memory > 0);
            assert_eq!(doing(&mut session, "slow").outcome.kind, OutcomeKind::Unsat);
        }
    }
}

#[test]
fn a_late_answer_is_never_the_next_querys() {
    for pause in [0, 10, 29, 30, 31, 60] {
        let mut session = Session::new(fake(&marker()), config(Mode::Reuse, WALL));
        // On a busy machine both answers come before the first is read, which is an error.
        let first = doing(&mut session, "late").outcome.kind;
        assert!(matches!(first, OutcomeKind::Unknown | OutcomeKind::Error), "{pause} {first}");
        std::thread::sleep(Duration::from_millis(pause));
        for _ in 0..40 {
            let kind = doing(&mut session, "sat").outcome.kind;
            assert!(matches!(kind, OutcomeKind::Sat | OutcomeKind::Error), "{pause} {kind}");
        }
    }
}

#[test]
fn a_late_answer_after_the_time_limit_goes_nowhere() {
    let mut session = Session::new(fake(&marker()), config(Mode::Reuse, WALL));
    for _ in 0..5 {
        // The answer comes after 300 ms. Which of the two is first is chance; what follows is not.
        let query = query_doing("slow").with_limit(Duration::from_millis(295));
        let kind = session.run(query).unwrap().outcome.kind;
        assert!(matches!(kind, OutcomeKind::Timeout | OutcomeKind::Unsat), "{kind}");
        assert_eq!(doing(&mut session, "sat").outcome.kind, OutcomeKind::Sat);
    }
}

#[test]
fn scripts_that_could_break_a_session_do_not() {
    let marker = marker();
    let mut session = Session::new(fake(&marker), config(Mode::Reuse, WALL));
    let sat = |f: &smelt_solvers::Finished| f.outcome.verdicts().collect::<Vec<_>>();
    for (script, verdicts) in [
        ("(check-sat)(exit)(check-sat)", 1),
        ("(check-sat)(reset)(check-sat)", 2),
        ("(echo \"unsat\")(check-sat)(echo \"smelt-0\")", 1),
        ("(check-sat)(assert (and", 1),
        ("(check-sat)(assert \"a", 1),
        ("(check-sat)(assert |a", 1),
        ("(check-sat) ; (", 1),
        ("(check-sat))(", 1),
        ("(set-option :regular-output-channel \"x\")(check-sat)", 1),
        ("", 0),
    ] {
        // After some of these the solver waits for more input until the limit.
        let query = Query::new(script).with_limit(3 * SHORT);
        assert_eq!(sat(&session.run(query).unwrap()).len(), verdicts, "{script}");
        let next = session.run(Query::new("(set-info :do unsat)(check-sat)")).unwrap();
        assert_eq!(sat(&next), [Some(Verdict::Unsat)], "after {script}");
    }
    drop(session);
    assert_eq!(left_over(&marker), []);
}

#[test]
fn large_scripts_pass_while_the_solver_is_still_writing() {
    let mut session = Session::new(fake(&marker()), config(Mode::Reuse, WALL));
    let script = "(check-sat)".repeat(100_000);
    let finished = session.run(Query::new(script)).unwrap();
    assert_eq!(finished.outcome.answers.len(), 100_000);
}

#[test]
fn a_session_reuses_its_process_until_it_is_recycled() {
    let marker = marker();
    let settings = SessionConfig { recycle_queries: 10, ..config(Mode::Reuse, WALL) };
    let mut session = Session::new(fake(&marker), settings);
    for _ in 0..35 {
        doing(&mut session, "sat");
    }
    assert_eq!(session.starts(), 4);
    let settings = SessionConfig { recycle_memory: 1, ..config(Mode::Reuse, WALL) };
    let mut session = Session::new(fake(&marker), settings);
    (0..3).for_each(|_| drop(doing(&mut session, "sat")));
    assert_eq!(session.starts(), 3);
}

#[test]
fn a_solver_that_gives_up_at_its_soft_limit_stays_alive() {
    let marker = marker();
    let settings = SessionConfig { confirm_limits: false, ..config(Mode::Reuse, WALL) };
    let mut session = Session::new(fake(&marker), settings);
    for _ in 0..3 {
        assert_eq!(doing(&mut session, "unknown").outcome.kind, OutcomeKind::Unknown);
        // It waits, so it gets more time once, in the same process.
        let given_up = session.run(query_doing("give-up").with_limit(Duration::from_millis(20))).unwrap();
        assert_eq!(given_up.outcome.kind, OutcomeKind::Timeout, "{:?}", given_up.outcome);
        assert_eq!(given_up.outcome.verdicts().collect::<Vec<_>>(), [None]);
    }
    assert_eq!(session.starts(), 1);
}

#[test]
fn a_process_on_standby_takes_over_and_is_gone_with_its_session() {
    let marker = marker();
    let mut session = Session::new(fake_starting(&marker, "0.5"), config(Mode::Reuse, WALL));
    for _ in 0..3 {
        assert_eq!(doing(&mut session, "sat").outcome.kind, OutcomeKind::Sat);
        assert_eq!(doing(&mut session, "sat").outcome.kind, OutcomeKind::Sat);
        assert_eq!(await_processes(&marker, 2).len(), 2, "one at work and one on standby");
        assert_eq!(doing(&mut session, "abort").outcome.kind, OutcomeKind::Crash);
    }
    assert_eq!(session.starts(), 3);
    drop(session);
    assert_eq!(left_over(&marker), []);
}

#[test]
fn a_cancelled_query_gives_no_outcome_and_frees_the_session() {
    let marker = marker();
    let mut pool = SessionPool::new();
    let id = pool.add(fake(&marker), config(Mode::Reuse, WALL));
    pool.submit(id, Query::new("(set-info :do deaf)(check-sat)")).unwrap();
    assert!(pool.submit(id, Query::new("(check-sat)")).is_err());
    pool.cancel(id);
    let query = pool.submit(id, Query::new("(check-sat)")).unwrap();
    let done = pool.wait(WALL).unwrap();
    assert_eq!(done.iter().map(|(_, f)| f.query).collect::<Vec<_>>(), [query]);
    drop(pool);
    assert_eq!(left_over(&marker), []);
}

#[test]
fn one_thread_waits_for_many_sessions_at_once() {
    // Sixteen solvers that answer only when all of them were asked.
    let marker = marker();
    let meeting = std::env::temp_dir().join(&marker);
    std::fs::create_dir(&meeting).unwrap();
    let mut pool = SessionPool::new();
    for _ in 0..16 {
        let id = pool.add(fake(&marker), config(Mode::Reuse, WALL));
        pool.submit(id, query_doing("meet")).unwrap();
    }
    let mut done = Vec::new();
    while pool.in_flight() > 0 {
        done.extend(pool.wait(WALL).unwrap().into_iter().map(|(_, finished)| finished.outcome.kind));
    }
    std::fs::remove_dir_all(meeting).unwrap();
    assert_eq!(done, [OutcomeKind::Unsat; 16]);
}

#[test]
fn a_program_that_is_not_there_is_an_error_of_smelts_own_and_hides_no_outcome() {
    let text = std::env::temp_dir().join(marker());
    std::fs::write(&text, "not a program").unwrap();
    let mode = std::os::unix::fs::PermissionsExt::from_mode(0o755);
    std::fs::set_permissions(&text, mode).unwrap();
    let marker = marker();
    let mut pool = SessionPool::new();
    let good = pool.add(fake(&marker), config(Mode::Reuse, WALL));
    for program in ["/nonexistent/solver".as_ref(), text.as_path()] {
        let profile = std::sync::Arc::new(fake("x").profile().clone());
        let launch = smelt_solvers::Launch::new(program, [""; 0]);
        let broken = Solver::with_version("broken", profile, launch, Origin::Command, None);
        let broken = pool.add(broken, config(Mode::Reuse, WALL));
        pool.submit(good, Query::new("(check-sat)")).unwrap();
        let mut errors = u32::from(pool.submit(broken, Query::new("(check-sat)")).is_err());
        let mut done = 0;
        while done < 1 || errors < 1 {
            match pool.wait(WALL) {
                Ok(finished) => done += finished.len(),
                Err(_) => errors += 1,
            }
        }
        assert_eq!((done, errors, pool.in_flight()), (1, 1, 0));
    }
    std::fs::remove_file(text).unwrap();
}

/// Kills random processes of the solver while queries run; counts outcomes.
fn storm(queries: u64, solver: impl Fn() -> Solver, text: &str) {
    let mut pool = SessionPool::new();
    for _ in 0..4 {
        pool.add(solver(), config(Mode::Reuse, WALL));
    }
    let mut random = 1_u64;
    let (mut sent, mut done, mut kills) = (0, 0, 0);
    let mut by_kind = std::collections::BTreeMap::new();
    let mut open = std::collections::BTreeSet::new();
    while done < queries {
        let idle: Vec<_> = pool.idle().collect();
        for id in idle {
            if sent < queries {
                let query = pool
                    .submit(id, Query::new("(set-logic QF_BV)(declare-fun x () Bool)(assert x)(check-sat)"));
                assert!(open.insert((id, query.unwrap())));
                sent += 1;
                random = random.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
                if (random >> 33).is_multiple_of(50) {
                    let victims = processes(text);
                    if let Some(pid) = victims.get((random >> 40) as usize % victims.len().max(1)) {
                        // SAFETY: a signal to a process that this test started.
                        unsafe { libc::kill(*pid, libc::SIGKILL) };
                        kills += 1;
                    }
                }
            }
        }
        for (id, finished) in pool.wait(WALL).unwrap() {
            assert!(open.remove(&(id, finished.query)), "an outcome for a query that is not open");
            *by_kind.entry(finished.outcome.kind).or_insert(0) += 1;
            done += 1;
        }
    }
    assert!(open.is_empty());
    assert!(kills > queries / 100, "{kills} kills");
    let good = by_kind.get(&OutcomeKind::Sat).copied().unwrap_or(0);
    let killed = by_kind.get(&OutcomeKind::Error).copied().unwrap_or(0);
    assert_eq!(good + killed, queries, "{by_kind:?}");
    assert!(killed <= kills, "{by_kind:?} {kills}");
    eprintln!("{queries} queries, {kills} kills, outcomes {by_kind:?}");
    drop(pool);
    assert_eq!(left_over(text), []);
}

#[test]
fn ten_thousand_queries_with_random_kills_get_one_outcome_each() {
    let marker = marker();
    storm(10_000, || fake(&marker), &marker);
}

#[test]
#[ignore = "needs z3, --slow"]
fn ten_thousand_queries_to_z3_with_random_kills_get_one_outcome_each() {
    let z3 = crate::common::real("z3");
    // z3 overwrites its own arguments, so its processes are found by a program name of their own.
    let link = std::env::temp_dir().join(marker());
    std::os::unix::fs::symlink(smelt_solvers::find_program("z3".as_ref()).unwrap(), &link).unwrap();
    let profile = std::sync::Arc::new(z3.profile().clone());
    let launch = smelt_solvers::Launch::new(&link, [""; 0]);
    let make = || Solver::with_version("z3", profile.clone(), launch.clone(), Origin::Command, None);
    storm(10_000, make, link.to_str().unwrap());
    std::fs::remove_file(link).unwrap();
}

#[test]
fn nothing_outlives_smelt_when_it_is_killed() {
    let marker = marker();
    let mut host = Command::new(env!("CARGO_BIN_EXE_smelt-fake-solver"))
        .args([&marker, "host"])
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut line = String::new();
    BufReader::new(host.stdout.take().unwrap()).read_line(&mut line).unwrap();
    assert_eq!(line, "ready\n");
    // The host, its nursery, four solvers, a child, a child in its own group, a daemon's child.
    let until = Instant::now() + WALL;
    while processes(&marker).len() < 8 {
        assert!(Instant::now() < until, "{:?}", processes(&marker));
        std::thread::sleep(Duration::from_millis(20));
    }
    host.kill().unwrap();
    host.wait().unwrap();
    assert_eq!(left_over(&marker), []);
}

#[test]
fn killing_the_nursery_loses_the_query_but_not_the_session() {
    // In its own process, for the nursery is shared by all tests of this one.
    let marker = marker();
    let fake = env!("CARGO_BIN_EXE_smelt-fake-solver");
    let output = Command::new(fake).args([&marker, "survivor"]).output().unwrap();
    assert_eq!(String::from_utf8_lossy(&output.stdout), "error sat\n", "{output:?}");
    assert_eq!(left_over(&marker), []);
}

/// A solver that is a shell script, with a fence or without.
fn shell_solver(body: &str, fence: bool) -> Solver {
    let toml = format!("[solver.fake]\nprofile = 'generic'\nrun.fence = {fence}");
    let profile = Profiles::load(Some(&toml)).unwrap().get("fake").unwrap().clone();
    Solver::with_version("fake", profile, Launch::new("/bin/sh", ["-c", body]), Origin::Command, None)
}

#[test]
fn a_fenced_solver_writes_to_no_file_and_makes_and_removes_none() {
    if !smelt_solvers::has_fences() {
        eprintln!("this kernel has no Landlock: nothing is fenced");
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().display().to_string();
    let attempts = "cd \"$F\"; echo x > kept; echo x >> kept; echo x > new; mkdir made; ln -s kept link; \
                    mv kept moved; rm -f kept; (echo x > child) & wait; cat > /dev/null; echo sat";
    let names = || {
        let entries = std::fs::read_dir(folder.path()).unwrap();
        let mut names: Vec<String> = entries.map(|e| e.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    };
    let run = |solver: Solver| {
        std::fs::write(folder.path().join("kept"), "old").unwrap();
        let mut session = Session::new(solver.with_env("F", &path), config(Mode::Fresh, WALL));
        session.run(Query::new("(check-sat)")).unwrap().outcome.kind
    };
    assert_eq!(run(shell_solver(attempts, true)), OutcomeKind::Sat);
    assert_eq!(
        (names(), std::fs::read(folder.path().join("kept")).unwrap()),
        (vec!["kept".to_owned()], b"old".to_vec())
    );
    let only_below = shell_solver(attempts, true).writing_to(folder.path());
    assert_eq!(run(only_below), OutcomeKind::Sat);
    assert_eq!(names(), ["child", "link", "made", "moved", "new"]);
    assert_eq!(run(shell_solver("echo x > \"$F/free\"; cat > /dev/null; echo sat", false)), OutcomeKind::Sat);
    assert!(names().contains(&"free".to_owned()));
}

#[test]
fn an_unfenced_solver_gets_nothing_of_a_script_that_it_may_read_differently() {
    let folder = tempfile::tempdir().unwrap();
    let seen = folder.path().join("seen");
    let solver = shell_solver("cat > \"$F\"; echo sat", false).with_env("F", &seen);
    let mut session = Session::new(solver, config(Mode::Fresh, WALL));
    session.run(Query::new("(declare-const p Bool)\n(|set-option| :x f)(check-sat)")).unwrap();
    let seen = std::fs::read_to_string(seen).unwrap();
    assert!(
        seen.contains("declare-const") && !seen.contains("set-option |") && !seen.contains("|set-option|"),
        "{seen}"
    );
}
