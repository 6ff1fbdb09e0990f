//! Regressions: what another release of the same solver does at once, and this one does not.
//!
//! Only builds of one solver are held against each other, the newer against the older: that two different solvers
//! find different things hard is no bug. A suspicion costs nothing; it is looked into in fresh processes with much
//! more time, a few times for each solver and theory, and becomes a finding only if three runs agree.

use smelt_core::{FindingKind, Outcome, OutcomeKind, Usage, Verdict};
use smelt_oracle::{Charge, Reading, Reason, trivial};
use smelt_solvers::Limits;
use std::time::Duration;

use crate::confirm::RUNS;
use crate::court::{Contestant, query, run_fresh};
use crate::error::Error;

/// A release that took at most this long did it at once.
const AT_ONCE: Duration = Duration::from_millis(500);
/// A slow run takes at least this long, and this many times what the other took.
const SLOW: Duration = Duration::from_secs(1);
const TIMES: u32 = 20;
/// What does not end by then never does, as far as we can tell.
const NEVER: Duration = Duration::from_secs(10);

/// Something to look into.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Suspicion {
    pub accused: usize,
    /// The release that did it at once.
    pub reference: usize,
    /// Whether it gave up, and not just took long.
    pub gave_up: bool,
}

fn decided(outcome: &Outcome) -> bool {
    matches!(outcome.kind, OutcomeKind::Sat | OutcomeKind::Unsat)
}

fn is_slow(usage: &Usage, reference: Duration) -> bool {
    usage.wall >= SLOW && usage.wall >= reference * TIMES
}

/// Whether one build is the newer, or the changed one, of two of the same solver.
fn follows(accused: &Contestant, reference: &Contestant) -> bool {
    let (a, r) = (accused.solver.id(), reference.solver.id());
    if accused.family() != reference.family()
        || accused.solver.profile().name != reference.solver.profile().name
    {
        return false;
    }
    let planted = a.name().starts_with("builtin:") && r.name() == "builtin";
    planted || matches!((a.version(), r.version()), (Some(a), Some(r)) if a > r)
}

/// What looks like a regression, the strongest reference for each accused.
pub fn suspicions(solvers: &[Contestant], outcomes: &[Option<Outcome>]) -> Vec<Suspicion> {
    let mut list = Vec::new();
    for (accused, outcome) in outcomes.iter().enumerate() {
        let Some(outcome) = outcome.as_ref().filter(|o| o.comparable) else { continue };
        let at_once = |i: &usize| {
            let o = outcomes[*i].as_ref();
            o.is_some_and(|o| o.comparable && decided(o) && o.usage.wall <= AT_ONCE)
                && follows(&solvers[accused], &solvers[*i])
        };
        let mut references: Vec<usize> = (0..solvers.len()).filter(at_once).collect();
        references.sort_by_key(|i| outcomes[*i].as_ref().map(|o| o.usage.wall));
        let Some(&reference) = references.first() else { continue };
        let fast = outcomes[reference].as_ref().map(|o| o.usage.wall).unwrap_or_default();
        let gave_up = outcome.kind == OutcomeKind::Unknown;
        let slow = match outcome.kind {
            OutcomeKind::Timeout | OutcomeKind::Memout => true,
            _ => decided(outcome) && is_slow(&outcome.usage, fast),
        };
        if gave_up || slow {
            list.push(Suspicion { accused, reference, gave_up });
        }
    }
    list
}

/// Under which name tries are counted, so that the same is not looked into for ever.
pub fn tries_key(solvers: &[Contestant], suspicion: Suspicion, theory: &str) -> String {
    let class = if suspicion.gave_up { "unknown" } else { "slow" };
    format!("?{}/{class}/{theory}", solvers[suspicion.accused].family())
}

/// The name for tries that a stored fingerprint stands for.
pub fn tries_key_of(kind: FindingKind, fingerprint: &str) -> Option<String> {
    let class = match kind {
        FindingKind::IncompleteRegression => "unknown",
        FindingKind::IncompleteImplication => "implied",
        FindingKind::PerfRegression | FindingKind::Hang => "slow",
        _ => return None,
    };
    let (family, rest) = fingerprint.split_once('/')?;
    Some(format!("?{family}/{class}/{}", rest.split_once('/')?.1))
}

/// Looks into it: three fresh runs with much more time must agree.
pub fn investigate(
    solvers: &[Contestant],
    suspicion: Suspicion,
    script: &[u8],
    limits: Limits,
    is_over: impl Fn() -> bool,
) -> Result<Option<Charge>, Error> {
    let Suspicion { accused, reference, .. } = suspicion;
    let mut last: Option<(FindingKind, String)> = None;
    let mut good_answer = OutcomeKind::Unknown;
    for _ in 0..RUNS {
        if is_over() {
            return Ok(None);
        }
        let good = run_fresh(&solvers[reference], query(script, SLOW), limits)?.outcome;
        if !decided(&good) {
            return Ok(None);
        }
        good_answer = good.kind;
        let wall = NEVER.max(good.usage.wall * 50);
        let outcome = run_fresh(&solvers[accused], query(script, wall), limits)?.outcome;
        let (kind, what) = match outcome.kind {
            OutcomeKind::Unknown => (FindingKind::IncompleteRegression, "unknown".to_owned()),
            OutcomeKind::Timeout => (FindingKind::Hang, format!("no end in {} s", wall.as_secs())),
            OutcomeKind::Memout => (FindingKind::PerfRegression, "all memory used up".to_owned()),
            _ if decided(&outcome) && is_slow(&outcome.usage, good.usage.wall) => {
                (FindingKind::PerfRegression, format!("{:.1} s", outcome.usage.wall.as_secs_f64()))
            }
            _ => return Ok(None),
        };
        if last.as_ref().is_some_and(|(k, _)| *k != kind) {
            return Ok(None);
        }
        let other = solvers[reference].solver.id();
        let took = good.usage.wall.as_secs_f64() * 1e3;
        last = Some((kind, format!("{what}, where {other} says {} in {took:.0} ms", good.kind)));
    }
    let Some((kind, text)) = last else { return Ok(None) };
    let reading = Reading::new(script);
    let said = match good_answer {
        OutcomeKind::Sat => Verdict::Sat,
        _ => Verdict::Unsat,
    };
    if kind == FindingKind::IncompleteRegression
        && trivial(&reading, solvers[accused].family(), said).is_some()
    {
        return Ok(None);
    }
    let theory = reading.theory();
    Ok(Some(Charge {
        accused: vec![accused],
        solver: solvers[accused].solver.id().clone(),
        check: None,
        kind,
        evidence: None,
        fingerprint: format!("{}/{kind}/{theory}", solvers[accused].family()),
        theory,
        reason: Reason::Regression(text),
    }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stored_regression_is_not_looked_into_again() {
        let key = |kind, print: &str| tries_key_of(kind, print);
        assert_eq!(key(FindingKind::Hang, "z3/hang/ints").as_deref(), Some("?z3/slow/ints"));
        assert_eq!(key(FindingKind::PerfRegression, "z3/perf-regression/fp").as_deref(), Some("?z3/slow/fp"));
        assert_eq!(
            key(FindingKind::IncompleteRegression, "z3/incomplete-regression/fp").as_deref(),
            Some("?z3/unknown/fp")
        );
        assert_eq!(key(FindingKind::Crash, "z3/crash/a.cpp:1"), None);
    }
}
