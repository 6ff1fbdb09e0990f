//! The doctor: does a solver, here and now, do what smelt needs of it?

use crate::{
    error::Error,
    limits::Limits,
    output::core_names,
    query::{Finished, Mode, Query, SessionConfig},
    session::Session,
    solver::Solver,
};
use serde::Serialize;
use smelt_core::{OutcomeKind, SolverId, Verdict};
use std::time::{Duration, Instant};

/// What one check found.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum CheckResult {
    /// As it should be.
    Pass,
    /// Not as it should be.
    Fail,
    /// Not applicable to this solver.
    Skip,
}

/// One row of the report.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Check {
    /// What was checked.
    pub name: &'static str,
    /// What was found.
    pub result: CheckResult,
    /// In words, where there is something to say.
    pub detail: String,
    /// How long it took.
    pub wall: Duration,
}

/// What the doctor found on one solver.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Report {
    /// Which solver.
    pub solver: SolverId,
    /// One row per check, always the same in the same order.
    pub checks: Vec<Check>,
}

impl Report {
    /// Whether no check failed.
    pub fn healthy(&self) -> bool {
        self.checks.iter().all(|c| c.result != CheckResult::Fail)
    }
}

const HEAD: &str = "(set-logic QF_BV)(declare-fun x () (_ BitVec 8))";

type Verified = Result<(), String>;
type Battery = (&'static str, fn(&Solver) -> Result<Option<Verified>, Error>);

const BATTERY: [Battery; 8] = [
    ("sat", sat),
    ("unsat", unsat),
    ("model", model),
    ("core", core),
    ("reset", reset),
    ("push/pop", push_pop),
    ("timeout", timeout),
    ("memory limit", memory),
];

/// Examines a solver. `Err` only if smelt itself fails; what the solver does wrong is in the report.
pub fn doctor(solver: &Solver) -> Result<Report, Error> {
    let mut checks = Vec::new();
    for (name, check) in BATTERY {
        let start = Instant::now();
        let (result, detail) = match check(solver)? {
            Some(Ok(())) => (CheckResult::Pass, String::new()),
            Some(Err(detail)) => (CheckResult::Fail, detail),
            None => (CheckResult::Skip, "not a feature of this solver".to_owned()),
        };
        checks.push(Check { name, result, detail, wall: start.elapsed() });
    }
    Ok(Report { solver: solver.id().clone(), checks })
}

fn session(solver: &Solver, mode: Mode, limits: Limits) -> Session {
    Session::new(solver.clone(), SessionConfig { mode, limits, ..SessionConfig::default() })
}

fn patient() -> Limits {
    Limits::wall(Duration::from_secs(20))
}

fn expect(finished: &Finished, kind: OutcomeKind) -> Verified {
    let outcome = &finished.outcome;
    if outcome.kind == kind {
        return Ok(());
    }
    let said = outcome.message.as_deref().map(|m| format!(" ({m})")).unwrap_or_default();
    Err(format!("expected {kind}, got {}{said}", outcome.kind))
}

fn fresh(solver: &Solver, script: String) -> Result<Finished, Error> {
    session(solver, Mode::Fresh, patient()).run(Query::new(script))
}

fn sat(solver: &Solver) -> Result<Option<Verified>, Error> {
    let finished = fresh(solver, format!("{HEAD}(assert (bvult x #x03))(check-sat)"))?;
    Ok(Some(expect(&finished, OutcomeKind::Sat)))
}

fn unsat(solver: &Solver) -> Result<Option<Verified>, Error> {
    let finished = fresh(solver, format!("{HEAD}(assert (bvult x #x00))(check-sat)"))?;
    Ok(Some(expect(&finished, OutcomeKind::Unsat)))
}

fn model(solver: &Solver) -> Result<Option<Verified>, Error> {
    if solver.profile().enable.models.is_none() {
        return Ok(None);
    }
    let query = Query::new(format!("{HEAD}(assert (= x #x2a))(check-sat)")).with_model();
    let finished = session(solver, Mode::Reuse, patient()).run(query)?;
    let model = finished.outcome.answers.last().and_then(|a| a.model.as_deref()).unwrap_or_default();
    let named = ["#x2a", "#b00101010", "42"].iter().any(|value| model.contains(value));
    let there = if named { Ok(()) } else { Err(format!("the model does not give x its value: `{model}`")) };
    Ok(Some(expect(&finished, OutcomeKind::Sat).and(there)))
}

fn core(solver: &Solver) -> Result<Option<Verified>, Error> {
    if solver.profile().enable.cores.is_none() {
        return Ok(None);
    }
    let script = format!(
        "{HEAD}(assert (! (= x #x01) :named a))(assert (! (= x #x02) :named b))\
         (assert (! (bvult #x00 x) :named c))(check-sat)"
    );
    let finished = session(solver, Mode::Reuse, patient()).run(Query::new(script).with_core())?;
    let core = finished.outcome.answers.last().and_then(|a| a.core.clone()).unwrap_or_default();
    let names = core_names(&core);
    let right = names.contains(&"a") && names.contains(&"b");
    let there = if right { Ok(()) } else { Err(format!("the core misses a or b: `{core}`")) };
    Ok(Some(expect(&finished, OutcomeKind::Unsat).and(there)))
}

/// Two queries that would disturb each other in one process, several times over.
fn reset(solver: &Solver) -> Result<Option<Verified>, Error> {
    if solver.profile().session.is_none() {
        return Ok(None);
    }
    let mut session = session(solver, Mode::Reuse, patient());
    for _ in 0..3 {
        let one = session.run(Query::new(format!("{HEAD}(assert (= x #x01))(check-sat)")))?;
        let two = session.run(Query::new(
            "(set-logic QF_BV)(declare-fun x () (_ BitVec 4))(assert (= x #x2))(assert (= x #x3))(check-sat)",
        ))?;
        let both = expect(&one, OutcomeKind::Sat).and(expect(&two, OutcomeKind::Unsat));
        if both.is_err() {
            return Ok(Some(both));
        }
    }
    Ok(Some(match session.starts() {
        1 => Ok(()),
        n => Err(format!("{n} processes were needed for 6 queries")),
    }))
}

fn push_pop(solver: &Solver) -> Result<Option<Verified>, Error> {
    if solver.dialect().drop.iter().any(|d| d == "set-option") {
        return Ok(None);
    }
    let script = format!(
        "{HEAD}(assert (= x #x01))(check-sat)(push 1)(assert (= x #x02))(check-sat)(pop 1)(check-sat)"
    );
    let finished = session(solver, Mode::Reuse, patient()).run(Query::new(script))?;
    let verdicts: Vec<_> = finished.outcome.verdicts().collect();
    let right = verdicts == [Some(Verdict::Sat), Some(Verdict::Unsat), Some(Verdict::Sat)];
    let detail = || format!("answers {verdicts:?}, {:?}", finished.outcome.message);
    Ok(Some(if right { Ok(()) } else { Err(detail()) }))
}

/// Factors a product of two primes: no solver does so in the time given.
fn hard(bits: usize, product: &str) -> String {
    let zeros = "0".repeat(bits / 2);
    format!(
        "(set-logic QF_BV)(declare-fun p () (_ BitVec {half}))(declare-fun q () (_ BitVec {half}))\
         (assert (= (bvmul (concat #b{zeros} p) (concat #b{zeros} q)) (_ {product} {bits})))\
         (assert (bvult (_ bv1 {half}) p))(assert (bvult p q))(check-sat)",
        half = bits - bits / 2
    )
}

fn timeout(solver: &Solver) -> Result<Option<Verified>, Error> {
    let wall = Duration::from_millis(1000);
    let mut session = session(solver, Mode::Reuse, Limits::wall(wall));
    // (2^61 - 1) * (2^59 - 55), both prime.
    let finished = session.run(Query::new(hard(128, "bv1329227995784915745505980801223753783")))?;
    let late = finished.outcome.usage.wall.saturating_sub(wall);
    // Much, for the machine may be busy; a solver that is not stopped is far later.
    let prompt = if late < Duration::from_secs(10) { Ok(()) } else { Err(format!("stopped {late:?} late")) };
    let after = session.run(
        Query::new(format!("{HEAD}(assert (= x #x01))(check-sat)")).with_wall(Duration::from_secs(20)),
    )?;
    Ok(Some(expect(&finished, OutcomeKind::Timeout).and(prompt).and(expect(&after, OutcomeKind::Sat))))
}

fn memory(solver: &Solver) -> Result<Option<Verified>, Error> {
    let limits = Limits { memory: 320 << 20, ..Limits::wall(Duration::from_secs(60)) };
    let mut session = session(solver, Mode::Reuse, limits);
    let finished = session.run(Query::new(hard(4096, "bv1329227995784915745505980801223753783")))?;
    let after = session.run(Query::new(format!("{HEAD}(assert (= x #x01))(check-sat)")))?;
    Ok(Some(expect(&finished, OutcomeKind::Memout).and(expect(&after, OutcomeKind::Sat))))
}
