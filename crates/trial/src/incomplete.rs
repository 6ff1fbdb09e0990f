//! Missing answers: a solver gives up on, or is slow on, a script that another release of it solves quickly, or
//! that it solved itself one step earlier.
//!
//! Only builds of one solver are compared, the newer with the older: it is not a bug that two different solvers
//! find different scripts hard. A suspicion is cheap; it becomes a finding only if [`crate::RUNS`] fresh runs with
//! a much longer limit agree.

use smelt_core::{Claim, Expectation, Kind, Outcome, OutcomeKind, Verdict};
use smelt_oracle::{CaseScript, Undecided, expected_unknown, implication, regression, selective};
use smelt_solvers::Mode;
use std::time::Duration;

use crate::confirm::repeated;
use crate::error::Error;
use crate::panel::Panel;
use crate::solver::NamedSolver;
use crate::trial::query;

/// A release that took at most this long did it at once.
pub const AT_ONCE: Duration = Duration::from_millis(500);
/// A slow run takes at least this long, and this many times as long as the other.
pub const SLOW: Duration = Duration::from_secs(1);
const TIMES: u32 = 20;
/// A run that does not end by then counts as a hang.
const NEVER: Duration = Duration::from_secs(10);
/// A script that is not decided by then counts as undecided.
const UNDECIDED: Duration = Duration::from_secs(5);

/// A solver that may owe an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Suspicion {
    /// The solver, by position.
    pub accused: usize,
    /// The release that did it at once, by position.
    pub reference: usize,
    /// Whether the accused gave up, and not just took long.
    pub gave_up: bool,
}

/// The result of investigating a suspicion.
#[derive(Clone, Debug)]
pub enum Inquest {
    /// A confirmed claim.
    Claim(Box<Claim>),
    /// The reason why `unknown` is not a finding here.
    NoNews(String),
    /// Nothing that shows in every run.
    Nothing,
}

/// Whether an outcome decides its script.
pub fn is_decided(outcome: &Outcome) -> bool {
    matches!(outcome.kind, OutcomeKind::Sat | OutcomeKind::Unsat)
}

/// Whether a solver said unknown and made no other mistake.
pub fn is_unknown(outcome: &Outcome) -> bool {
    outcome.comparable && outcome.kind == OutcomeKind::Unknown
}

/// Whether one build is the newer, or the changed one, of two of the same solver.
fn follows(accused: &NamedSolver, reference: &NamedSolver) -> bool {
    let (a, r) = (accused.solver.id(), reference.solver.id());
    let planted = a.name().starts_with("builtin:") && r.name() == "builtin";
    accused.family() == reference.family()
        && accused.solver.profile().family == reference.solver.profile().family
        && (planted || matches!((a.version(), r.version()), (Some(a), Some(r)) if a > r))
}

/// Outcomes that look like a regression, with the fastest reference for each accused.
pub fn suspicions(solvers: &[NamedSolver], outcomes: &[Option<Outcome>]) -> Vec<Suspicion> {
    let mut list = Vec::new();
    for (accused, outcome) in outcomes.iter().enumerate() {
        let Some(outcome) = outcome.as_ref().filter(|o| o.comparable) else { continue };
        let fast = |i: usize| {
            let reference = outcomes[i].as_ref().filter(|o| o.comparable && is_decided(o))?;
            let fits = reference.usage.time() <= AT_ONCE && follows(&solvers[accused], &solvers[i]);
            fits.then_some((reference.usage.time(), i))
        };
        let Some((took, reference)) = (0..solvers.len()).filter_map(fast).min() else { continue };
        let gave_up = outcome.kind == OutcomeKind::Unknown;
        if gave_up || is_slow(outcome, took) {
            list.push(Suspicion { accused, reference, gave_up });
        }
    }
    list
}

fn is_slow(outcome: &Outcome, reference: Duration) -> bool {
    let wall = outcome.usage.time();
    matches!(outcome.kind, OutcomeKind::Timeout | OutcomeKind::Memout)
        || is_decided(outcome) && wall >= SLOW && wall >= reference * TIMES
}

impl Panel<'_> {
    /// Investigates a regression: each fresh run must show the same. `patience` is for one query of either solver; by
    /// default the reference must decide at once.
    pub fn look_into_regression(
        &mut self,
        suspicion: Suspicion,
        script: &[u8],
        patience: Option<Duration>,
    ) -> Result<Inquest, Error> {
        let Suspicion { accused, reference, .. } = suspicion;
        let other = self.lineup().solvers[reference].solver.id();
        let mut text = String::new();
        let seen = repeated(|| {
            let asked = query(script, patience.unwrap_or(SLOW));
            let good = self.ask(reference, asked, Mode::Fresh)?.filter(is_decided);
            let Some((good, said)) = good.and_then(|o| Some((o.kind.verdict()?, o))) else { return Ok(None) };
            let took = said.usage.time();
            let wall = patience.unwrap_or(NEVER.max(took * 50));
            let Some(outcome) = self.ask(accused, query(script, wall), Mode::Fresh)? else { return Ok(None) };
            let (kind, what) = match outcome.kind {
                OutcomeKind::Unknown => {
                    let why = outcome.message.as_ref().map(|w| format!(" ({w})")).unwrap_or_default();
                    (Kind::IncompleteRegression, format!("unknown{why}"))
                }
                // It gave up by a clock of its own, and smelt did not end it: another machine may show something else.
                OutcomeKind::Timeout if outcome.usage.wall < wall.mul_f64(0.9) => return Ok(None),
                OutcomeKind::Timeout => (Kind::Hang, format!("no answer within {} s", wall.as_secs())),
                OutcomeKind::Memout => (Kind::PerfRegression, "memory limit exceeded".to_owned()),
                _ if is_slow(&outcome, took) => {
                    (Kind::PerfRegression, format!("{:.1} s", outcome.usage.time().as_secs_f64()))
                }
                _ => return Ok(None),
            };
            text = format!("{what}, but {other} answers {good} in {:.0} ms", took.as_secs_f64() * 1e3);
            Ok(Some((kind, good)))
        })?;
        let Some((kind, said)) = seen else { return Ok(Inquest::Nothing) };
        let gave_up = kind == Kind::IncompleteRegression;
        let due = gave_up.then_some(said);
        Ok(self.claim(accused, script, due, None, |case, late| regression(case, late, kind, text)))
    }

    /// Investigates an implication: in each fresh run the accused decides the script before the step and says unknown
    /// to the one after it, whose answer follows by `expectation`, a relation to the one before.
    pub fn look_into_implication(
        &mut self,
        accused: usize,
        (before, after): (&[u8], &[u8]),
        expectation: Expectation,
        step: Option<&str>,
        patience: Option<Duration>,
    ) -> Result<Inquest, Error> {
        let wall = patience.unwrap_or(UNDECIDED);
        let mut why = None;
        let said = repeated(|| {
            let first = self.ask(accused, query(before, wall), Mode::Fresh)?.filter(is_decided);
            let Some(said) = first.and_then(|o| o.kind.verdict()) else { return Ok(None) };
            // Nothing follows for a weaker formula from unsat, nor for a stronger one from sat.
            if expectation.settle(Some(said)) != Some(said) {
                return Ok(None);
            }
            let then = self.ask(accused, query(after, wall), Mode::Fresh)?;
            let then = then.filter(|o| o.kind == OutcomeKind::Unknown);
            Ok(then.map(|outcome| {
                why = outcome.message;
                said
            }))
        })?;
        let Some(said) = said else { return Ok(Inquest::Nothing) };
        if let Some(why) = selective(self.lineup().solvers[accused].solver.id()) {
            return Ok(Inquest::NoNews(why));
        }
        let why = why.as_deref();
        Ok(self.claim(accused, after, Some(said), why, |case, late| implication(case, late, said, step)))
    }

    /// The claim, unless `unknown` is acceptable where `due` is the answer.
    fn claim(
        &self,
        accused: usize,
        script: &[u8],
        due: Option<Verdict>,
        why: Option<&str>,
        claim: impl FnOnce(&CaseScript, Undecided<'_>) -> Claim,
    ) -> Inquest {
        let named = &self.lineup().solvers[accused];
        let case = CaseScript::new(script);
        match due.and_then(|due| expected_unknown(&case, named.family(), due)) {
            Some(why) => Inquest::NoNews(why),
            None => {
                let solver = named.solver.id();
                let late = Undecided { position: accused, solver, why };
                Inquest::Claim(Box::new(claim(&case, late)))
            }
        }
    }
}
