//! Confirming: what was seen must be seen again, three times, in processes that start anew.

use smelt_core::{Evidence, FindingKind, Outcome, OutcomeKind};
use smelt_oracle::Charge;
use smelt_solvers::Limits;
use std::time::Duration;

use crate::court::{Contestant, Matter, query, run_fresh, settle_cores, try_case};
use crate::error::Error;

/// How often a finding is run again.
pub const RUNS: u32 = 3;

/// What to confirm.
pub struct Doubt<'a> {
    pub solvers: &'a [Contestant],
    pub matter: Matter<'a>,
    /// What was seen; those who said nothing of use are not asked again.
    pub outcomes: &'a [Option<Outcome>],
    /// The seed and what was said to it, where the charge rests on that.
    pub seed: Option<(&'a [u8], &'a [Option<Outcome>])>,
    pub limits: Limits,
    pub wall: Duration,
}

/// How often each charge came again in three fresh runs; `None` when `is_over` said stop.
pub fn confirm(
    doubt: &Doubt<'_>,
    charges: &[&Charge],
    is_over: impl Fn() -> bool,
) -> Result<Option<Vec<u32>>, Error> {
    let mut seen = vec![0; charges.len()];
    let metamorphic = charges.iter().any(|c| c.evidence == Some(Evidence::Metamorphic));
    // A proof stays one, and so does what a case was made to be: then only the accused must do it again.
    let settled =
        |c: &&Charge| c.kind == FindingKind::Crash || matches!(c.evidence, Some(e) if e != Evidence::Vote);
    let wanted = |solver: usize| !charges.iter().all(|c| settled(c) && !c.accused.contains(&solver));
    for _ in 0..RUNS {
        let Some(outcomes) = again(doubt, doubt.matter.script, doubt.outcomes, &wanted, &is_over)? else {
            return Ok(None);
        };
        let seed = match doubt.seed.filter(|_| metamorphic) {
            Some((script, outcomes)) => again(doubt, script, outcomes, &wanted, &is_over)?,
            None => Some(Vec::new()),
        };
        let Some(seed) = seed else { return Ok(None) };
        let judgement = try_case(doubt.solvers, doubt.matter, &outcomes, &seed);
        let cores = settle_cores(doubt.solvers, &judgement, |i, q| {
            run_fresh(&doubt.solvers[i], q.with_wall(doubt.wall), doubt.limits)
        })?;
        for (count, charge) in seen.iter_mut().zip(charges) {
            *count += u32::from(judgement.charges.iter().chain(&cores).any(|c| c.repeats(charge)));
        }
    }
    Ok(Some(seen))
}

fn again(
    doubt: &Doubt<'_>,
    script: &[u8],
    before: &[Option<Outcome>],
    wanted: &impl Fn(usize) -> bool,
    is_over: &impl Fn() -> bool,
) -> Result<Option<Vec<Option<Outcome>>>, Error> {
    let mut outcomes = before.to_vec();
    for (solver, (contestant, outcome)) in doubt.solvers.iter().zip(&mut outcomes).enumerate() {
        if is_over() {
            return Ok(None);
        }
        let matters = |o: &Outcome| !o.answers.is_empty() || o.kind == OutcomeKind::Crash;
        if wanted(solver) && outcome.as_ref().is_some_and(matters) {
            *outcome = Some(run_fresh(contestant, query(script, doubt.wall), doubt.limits)?.outcome);
        }
    }
    Ok(Some(outcomes))
}
