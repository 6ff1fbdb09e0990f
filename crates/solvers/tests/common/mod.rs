//! What the integration tests share.
#![allow(dead_code, reason = "each test file uses its part")]

use smelt_solvers::{
    Catalog, Finished, Launch, Limits, Mode, Origin, Profiles, Query, Session, SessionConfig, Solver, Zoo,
};
use std::{
    sync::atomic::{AtomicU32, Ordering},
    time::{Duration, Instant},
};

/// A word that no other process has on its command line.
pub(crate) fn marker() -> String {
    static NEXT: AtomicU32 = AtomicU32::new(0);
    format!("marker-{}-{}-x", std::process::id(), NEXT.fetch_add(1, Ordering::Relaxed))
}

/// The misbehaving solver.
pub(crate) fn fake(marker: &str) -> Solver {
    fake_with(Launch::new(env!("CARGO_BIN_EXE_smelt-fake-solver"), [marker]))
}

/// The same behind a wrapper that sleeps for this many seconds first.
pub(crate) fn fake_starting(marker: &str, seconds: &str) -> Solver {
    let script = "sleep $1; exec \"$2\" \"$3\"";
    let program = env!("CARGO_BIN_EXE_smelt-fake-solver");
    fake_with(Launch::new("/bin/sh", ["-c", script, "wrapper", seconds, program, marker]))
}

fn fake_with(launch: Launch) -> Solver {
    let toml = "[solver.fake]\nprofile = 'generic'\nrun.echo = true\n\
                session = { reset = '(reset)', forgets = ['*'], taints = ['tainted'], \
                soft = '(set-option :timeout {milliseconds})' }";
    let profile = Profiles::load(Some(toml)).unwrap().get("fake").unwrap().clone();
    Solver::with_version("fake", profile, launch, Origin::Command, None)
}

pub(crate) fn config(mode: Mode, wall: Duration) -> SessionConfig {
    SessionConfig { mode, limits: Limits::within(wall), ..SessionConfig::default() }
}

/// A `(check-sat)` at which the fake solver does `word`.
pub(crate) fn query_doing(word: &str) -> Query {
    Query::new(format!("(set-info :do {word})(check-sat)"))
}

pub(crate) fn doing(session: &mut Session, word: &str) -> Finished {
    session.run(query_doing(word)).unwrap()
}

/// Ids of live processes (zombies left out) with this text on their command line.
pub(crate) fn processes(text: &str) -> Vec<i32> {
    let found = std::fs::read_dir("/proc").unwrap().flatten().filter_map(|entry| {
        let pid: i32 = entry.file_name().to_str()?.parse().ok()?;
        let line = std::fs::read(entry.path().join("cmdline")).ok()?;
        (pid != std::process::id() as i32 && String::from_utf8_lossy(&line).contains(text)).then_some(pid)
    });
    found.collect()
}

/// Waits until no process with this text is left. Returns those that stay.
pub(crate) fn left_over(text: &str) -> Vec<i32> {
    await_processes(text, 0)
}

/// Waits until there are this many processes with this text. Returns those that there are.
pub(crate) fn await_processes(text: &str, count: usize) -> Vec<i32> {
    // Long: only a failing test waits for its end.
    let until = Instant::now() + Duration::from_secs(60);
    loop {
        let left = processes(text);
        if left.len() == count || Instant::now() > until {
            return left;
        }
        std::thread::sleep(Duration::from_millis(20));
    }
}

pub(crate) fn catalog() -> Catalog {
    Catalog::new(Profiles::load(None).unwrap(), Zoo::of_user().unwrap(), None)
}

/// A real solver, for tests that say in their reason to be ignored that they need it.
pub(crate) fn real(spec: &str) -> Solver {
    catalog().resolve(&spec.parse().unwrap()).unwrap_or_else(|e| panic!("{e}"))
}
