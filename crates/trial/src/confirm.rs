//! The confirmation policy: a claim must reproduce in each of [`RUNS`] runs, all in fresh processes.

use smelt_core::{Claim, Evidence, Outcome, OutcomeKind};

use smelt_solvers::Mode;
use std::time::Duration;

use crate::error::Error;
use crate::panel::Panel;
use crate::trial::{Judged, Trial, query};

/// How often a claim is run again.
pub const RUNS: u32 = 3;

/// The result of each of [`RUNS`] runs, if all agree; `None` as soon as one has no result or another one.
pub fn repeated<T: PartialEq>(mut run: impl FnMut() -> Result<Option<T>, Error>) -> Result<Option<T>, Error> {
    let Some(first) = run()? else { return Ok(None) };
    for _ in 1..RUNS {
        if run()?.as_ref() != Some(&first) {
            return Ok(None);
        }
    }
    Ok(Some(first))
}

impl Panel<'_> {
    /// In how many of [`RUNS`] fresh runs each claim repeated; `None` if it was stopped.
    ///
    /// A proof and a status by construction need no repetition: then only the accused runs again. Otherwise every solver
    /// whose outcome matters runs again.
    pub fn confirm(
        &mut self,
        trial: &Trial<'_>,
        first: &Judged,
        claims: &[&Claim],
        wall: Duration,
    ) -> Result<Option<Vec<u32>>, Error> {
        let mut seen = vec![0; claims.len()];
        let metamorphic = claims.iter().any(|c| c.evidence == Some(Evidence::Metamorphic));
        let settled = |c: &&Claim| c.evidence.map_or(c.is_settled(), |e| e != Evidence::Vote);
        let wanted = |solver: usize| !claims.iter().all(|c| settled(c) && !c.accuses(solver));
        for _ in 0..RUNS {
            let Some(outcomes) = self.again(&trial.case.script, &first.outcomes, wall, &wanted)? else {
                return Ok(None);
            };
            let seed = match trial.case.related().filter(|_| metamorphic) {
                Some(script) => self.again(script, &first.seed, wall, &wanted)?,
                None => Some(Vec::new()),
            };
            let Some(seed) = seed else { return Ok(None) };
            let judged = self.judge(trial, outcomes, seed, Mode::Fresh, wall)?;
            for (count, claim) in seen.iter_mut().zip(claims) {
                *count += u32::from(judged.judgement.claims.iter().any(|c| c.repeats(claim)));
            }
        }
        Ok(Some(seen))
    }

    /// Runs wanted solvers again whose outcome matters; the others keep their outcomes.
    fn again(
        &mut self,
        script: &[u8],
        before: &[Option<Outcome>],
        wall: Duration,
        wanted: &impl Fn(usize) -> bool,
    ) -> Result<Option<Vec<Option<Outcome>>>, Error> {
        let matters =
            |o: &Outcome| !o.answers.is_empty() || !o.replies.is_empty() || o.kind == OutcomeKind::Crash;
        let asked = |i: usize| wanted(i) && before.get(i).and_then(Option::as_ref).is_some_and(matters);
        let again = self.ask_all(&query(script, wall), Mode::Fresh, asked)?;
        Ok(again.map(|again| again.into_iter().zip(before).map(|(new, old)| new.or(old.clone())).collect()))
    }
}
