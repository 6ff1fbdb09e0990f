//! smelt's own cost per session query: a query through [`Session`] against the bare exchange of the same bytes with
//! the same process through pipes. Run with `cargo bench -p smelt-solvers`.
#![allow(clippy::print_stdout, reason = "a bench prints its result")]

use smelt_solvers::{Launch, Limits, Mode, Origin, Profiles, Query, Session, SessionConfig, Solver};
use std::{
    io::{BufRead, BufReader, Write},
    process::{Command, Stdio, exit},
    time::{Duration, Instant},
};

const FAKE: &str = env!("CARGO_BIN_EXE_smelt-fake-solver");
const ROUNDS: u32 = 5000;
const SCRIPT: &str =
    "(set-logic QF_BV)\n(declare-fun x () (_ BitVec 8))\n(assert (= (bvadd x #x01) #x2a))\n(check-sat)\n";
const BUDGET: Duration = Duration::from_micros(200);

fn bare() -> Duration {
    let mut child = Command::new(FAKE)
        .arg("bench")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("fake solver");
    let (mut to, from) = (child.stdin.take().expect("stdin"), child.stdout.take().expect("stdout"));
    let mut from = BufReader::new(from);
    let name = "smelt-0123456789abcdef01234567-1234";
    let text = format!("(echo \"{name}-0\")\n{SCRIPT}\n(echo \"{name}-1\")\n(reset)\n(echo \"{name}-2\")\n");
    let mut line = String::new();
    let start = Instant::now();
    for _ in 0..ROUNDS {
        to.write_all(text.as_bytes()).expect("write");
        for _ in 0..4 {
            line.clear();
            from.read_line(&mut line).expect("read");
        }
    }
    let each = start.elapsed() / ROUNDS;
    child.kill().expect("kill");
    child.wait().expect("wait");
    each
}

fn session() -> Duration {
    let toml = "[solver.fake]\nprofile = 'generic'\nrun.echo = true\nsession = { reset = '(reset)', forgets = ['*'] }";
    let profile = Profiles::load(Some(toml)).expect("profiles").get("fake").expect("fake").clone();
    let solver = Solver::with_version("fake", profile, Launch::new(FAKE, ["bench"]), Origin::Command, None);
    let limits = Limits::within(Duration::from_secs(10));
    let config =
        SessionConfig { mode: Mode::Reuse, limits, recycle_queries: u32::MAX, ..SessionConfig::default() };
    let mut session = Session::new(solver, config);
    session.run(Query::new(SCRIPT)).expect("first query");
    let start = Instant::now();
    for _ in 0..ROUNDS {
        session.run(Query::new(SCRIPT)).expect("query");
    }
    start.elapsed() / ROUNDS
}

fn main() {
    // The median of several runs, the two taken in turn, so that a busy machine disturbs both alike.
    let mut runs: Vec<(Duration, Duration)> = (0..7).map(|_| (bare(), session())).collect();
    runs.sort_by_key(|(bare, session)| session.saturating_sub(*bare));
    let (bare, session) = runs[runs.len() / 2];
    let own = session.saturating_sub(bare);
    println!("session query {session:?}, bare round trip {bare:?}, smelt's own {own:?} (budget {BUDGET:?})");
    if own > BUDGET {
        exit(1);
    }
}
