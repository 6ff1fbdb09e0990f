//! The doctor: checks whether a solver on this machine supports what smelt needs.

use crate::{
    error::Error,
    limits::Limits,
    query::{Mode, Query, SessionConfig},
    session::Session,
    solver::Solver,
};
use serde::Serialize;
use smelt_core::{Outcome, OutcomeKind, SolverId, Verdict};
use smelt_smtlib::sexpr;
use std::time::{Duration, Instant};

/// The result of one check.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum CheckResult {
    /// The solver did what it should.
    Pass,
    /// It did not.
    Fail,
    /// The solver has no such feature.
    Skip,
}

/// One row of the report.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct DoctorCheck {
    /// Its name.
    pub name: &'static str,
    /// Its result.
    pub result: CheckResult,
    /// Why it failed or was skipped.
    pub detail: String,
    /// How long it took.
    pub wall: Duration,
}

/// The doctor's report on one solver.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct DoctorReport {
    /// The solver.
    pub solver: SolverId,
    /// One row per check, always in the same order.
    pub checks: Vec<DoctorCheck>,
}

impl DoctorReport {
    /// Whether no check failed.
    pub fn healthy(&self) -> bool {
        self.checks.iter().all(|c| c.result != CheckResult::Fail)
    }
}

/// Why a check did not pass.
enum Failure {
    /// The check does not apply: the solver never comes near what is checked.
    Skip(String),
    /// The solver does something wrong.
    Solver(String),
    /// smelt itself failed.
    Smelt(Error),
}

impl From<Error> for Failure {
    fn from(error: Error) -> Failure {
        Failure::Smelt(error)
    }
}

type Checked = Result<(), Failure>;

/// Its name, whether it applies to a solver, and the check.
type Check = (&'static str, fn(&Solver) -> bool, fn(&Solver) -> Checked);

/// The checks.
const CHECKS: [Check; 9] = [
    (
        "sat",
        |_| true,
        |s| expect(&mut session(s, Mode::Fresh), small("(bvult x #x03)"), OutcomeKind::Sat).map(drop),
    ),
    (
        "unsat",
        |_| true,
        |s| expect(&mut session(s, Mode::Fresh), small("(bvult x #x00)"), OutcomeKind::Unsat).map(drop),
    ),
    ("model", |s| s.profile().enable.models.is_some(), model),
    ("core", |s| s.profile().enable.cores.is_some(), core),
    ("reset", |s| s.profile().session.is_some(), reset),
    ("push/pop", |s| s.dialect().drop.iter().all(|d| d != "set-option"), push_pop),
    ("timeout", |_| true, timeout),
    ("soft limit", Solver::gives_up, soft_limit),
    ("memory limit", |_| true, memory),
];

/// The first of the two simplest checks that a solver fails: an answer to a satisfiable and to an unsatisfiable script.
pub fn doctor_basics(solver: &Solver) -> Result<Option<DoctorCheck>, Error> {
    let report = checked(solver, &CHECKS[..2])?;
    Ok(report.checks.into_iter().find(|check| check.result == CheckResult::Fail))
}

/// Checks a solver. `Err` only if smelt itself fails; what the solver does wrong is in the report.
pub fn doctor(solver: &Solver) -> Result<DoctorReport, Error> {
    checked(solver, &CHECKS)
}

fn checked(solver: &Solver, list: &[Check]) -> Result<DoctorReport, Error> {
    let mut checks = Vec::new();
    for &(name, applies, check) in list {
        let start = Instant::now();
        let (result, detail) = match applies(solver).then(|| check(solver)) {
            None => (CheckResult::Skip, "not a feature of this solver".to_owned()),
            Some(Ok(())) => (CheckResult::Pass, String::new()),
            Some(Err(Failure::Solver(detail))) => (CheckResult::Fail, detail),
            Some(Err(Failure::Skip(detail))) => (CheckResult::Skip, detail),
            Some(Err(Failure::Smelt(error))) => return Err(error),
        };
        checks.push(DoctorCheck { name, result, detail, wall: start.elapsed() });
    }
    Ok(DoctorReport { solver: solver.id().clone(), checks })
}

fn session(solver: &Solver, mode: Mode) -> Session {
    limited_session(solver, mode, Limits::within(Duration::from_secs(20)))
}

fn limited_session(solver: &Solver, mode: Mode, limits: Limits) -> Session {
    Session::new(solver.clone(), SessionConfig { mode, limits, ..SessionConfig::default() })
}

const HEAD: &str = "(set-logic QF_BV)(declare-fun x () (_ BitVec 8))";

/// A query about one assertion.
fn small(assertion: &str) -> Query {
    Query::new(format!("{HEAD}(assert {assertion})(check-sat)"))
}

/// Runs a query, whose outcome must be of this kind.
fn expect(session: &mut Session, query: Query, kind: OutcomeKind) -> Result<Outcome, Failure> {
    let outcome = session.run(query)?.outcome;
    if outcome.kind == kind {
        return Ok(outcome);
    }
    let said = outcome.message.as_deref().map(|m| format!(" ({m})")).unwrap_or_default();
    Err(Failure::Solver(format!("expected {kind}, got {}{said}", outcome.kind)))
}

/// Runs a query that must come to a limit. A solver that gives up before, by itself, keeps the limit too.
fn expect_limit(session: &mut Session, query: Query, kind: OutcomeKind) -> Result<Outcome, Failure> {
    let outcome = session.run(query)?.outcome;
    match outcome.kind {
        found if found == kind => Ok(outcome),
        OutcomeKind::Unknown => Err(Failure::Skip("it stopped by itself before the limit".to_owned())),
        // On a busy machine it may reach the time limit first, which says nothing about its memory.
        OutcomeKind::Timeout if kind == OutcomeKind::Memout => {
            Err(Failure::Skip("it reached the time limit before the memory limit".to_owned()))
        }
        found => Err(Failure::Solver(format!("expected {kind}, got {found}"))),
    }
}

fn require(holds: bool, detail: impl FnOnce() -> String) -> Checked {
    if holds { Ok(()) } else { Err(Failure::Solver(detail())) }
}

fn model(solver: &Solver) -> Checked {
    let query = small("(= x #x2a)").with_model();
    let outcome = expect(&mut session(solver, Mode::Reuse), query, OutcomeKind::Sat)?;
    let model = outcome.answers.last().and_then(|a| a.model.as_deref()).unwrap_or_default();
    let named = ["#x2a", "#b00101010", "42"].iter().any(|value| model.contains(value));
    require(named, || format!("the model does not give x its value: `{model}`"))
}

fn core(solver: &Solver) -> Checked {
    let script = format!(
        "{HEAD}(assert (! (= x #x01) :named a))(assert (! (= x #x02) :named b))\
         (assert (! (bvult #x00 x) :named c))(check-sat)"
    );
    let query = Query::new(script).with_core();
    let outcome = expect(&mut session(solver, Mode::Reuse), query, OutcomeKind::Unsat)?;
    let core = outcome.answers.last().and_then(|a| a.core.as_deref()).unwrap_or_default();
    let read = sexpr::read_all(core.as_bytes()).unwrap_or_default();
    let names = read.first().and_then(|e| e.list("a core").ok()).unwrap_or_default();
    let has = |name: &str| names.iter().any(|n| n.atom("a name").is_ok_and(|n| n == name));
    require(has("a") && has("b"), || format!("the core misses a or b: `{core}`"))
}

/// Runs two queries that would disturb each other in one process without a reset, several times.
fn reset(solver: &Solver) -> Checked {
    let other =
        "(set-logic QF_BV)(declare-fun x () (_ BitVec 4))(assert (= x #x2))(assert (= x #x3))(check-sat)";
    let mut session = session(solver, Mode::Reuse);
    for _ in 0..3 {
        expect(&mut session, small("(= x #x01)"), OutcomeKind::Sat)?;
        expect(&mut session, Query::new(other), OutcomeKind::Unsat)?;
    }
    let starts = session.starts();
    require(starts == 1, || format!("{starts} processes were needed for 6 queries"))
}

fn push_pop(solver: &Solver) -> Checked {
    let script = format!(
        "{HEAD}(assert (= x #x01))(check-sat)(push 1)(assert (= x #x02))(check-sat)(pop 1)(check-sat)"
    );
    let outcome = session(solver, Mode::Reuse).run(Query::new(script))?.outcome;
    let verdicts: Vec<_> = outcome.verdicts().collect();
    let right = verdicts == [Some(Verdict::Sat), Some(Verdict::Unsat), Some(Verdict::Sat)];
    require(right, || format!("answers {verdicts:?}, {:?}", outcome.message))
}

/// A query that factors a product of two primes: no solver can in the time given. The bits of the primes have no pattern; pyboolector
/// guesses 2^61 - 1.
fn hard(bits: usize) -> Query {
    let zeros = "0".repeat(bits / 2);
    Query::new(format!(
        "(set-logic QF_BV)(declare-fun p () (_ BitVec {half}))(declare-fun q () (_ BitVec {half}))\
         (assert (= (bvmul (concat #b{zeros} p) (concat #b{zeros} q))\
         (_ bv27330366729790169713685056536251504809 {bits})))\
         (assert (bvult (_ bv1 {half}) p))(assert (bvult p q))(check-sat)",
        half = bits - bits / 2
    ))
}

fn timeout(solver: &Solver) -> Checked {
    let limit = Duration::from_millis(1000);
    let mut session = limited_session(solver, Mode::Reuse, Limits::within(limit));
    let outcome = expect_limit(&mut session, hard(128), OutcomeKind::Timeout)?;
    // CPU time, which a busy machine does not make longer.
    let late = outcome.usage.cpu.saturating_sub(limit);
    require(late < Duration::from_secs(5), || format!("stopped {late:?} late"))?;
    let after = small("(= x #x01)").with_limit(Duration::from_secs(20));
    expect(&mut session, after, OutcomeKind::Sat).map(drop)
}

/// A question given up at the soft limit leaves the process alive.
fn soft_limit(solver: &Solver) -> Checked {
    // Solvers measure wall time: an attempt is meaningless if the solver got less than half of it as CPU time.
    let mut is_told = false;
    for _ in 0..3 {
        let limits = Limits::within(Duration::from_millis(500));
        let config = SessionConfig { limits, confirm_limits: false, ..SessionConfig::default() };
        let mut session = Session::new(solver.clone(), config);
        let easy = || small("(= x #x01)").with_limit(Duration::from_secs(20));
        expect(&mut session, easy(), OutcomeKind::Sat)?;
        let usage = expect(&mut session, hard(128), OutcomeKind::Timeout)?.usage;
        expect(&mut session, easy(), OutcomeKind::Sat)?;
        if session.starts() == 1 {
            return Ok(());
        }
        is_told |= usage.cpu * 2 >= usage.wall;
    }
    if !is_told {
        return Err(Failure::Skip("the machine is too busy to measure this".to_owned()));
    }
    require(false, || "it does not stop by itself: each timeout costs a process".to_owned())
}

fn memory(solver: &Solver) -> Checked {
    let limits = Limits { memory: 320 << 20, ..Limits::within(Duration::from_secs(60)) };
    let mut session = limited_session(solver, Mode::Reuse, limits);
    expect_limit(&mut session, hard(4096), OutcomeKind::Memout)?;
    expect(&mut session, small("(= x #x01)"), OutcomeKind::Sat).map(drop)
}
