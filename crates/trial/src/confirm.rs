//! The one policy of confirmation: what was seen must be seen again in each of [`RUNS`] runs, all in fresh processes.

use smelt_core::{Evidence, FindingKind, Outcome, OutcomeKind};
use smelt_oracle::Claim;
use smelt_solvers::Mode;
use std::time::Duration;

use crate::error::Error;
use crate::panel::Panel;
use crate::trial::{Judged, Trial, query};

/// How often a claim is run again.
pub const RUNS: u32 = 3;

/// What each of [`RUNS`] runs gives, if all give the same; `None` as soon as one gives nothing or something else.
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
    /// In how many of [`RUNS`] fresh runs each claim came again; `None` when it was stopped.
    ///
    /// A proof stays one, and so does what a case was made to be: then only the accused must do it again. Otherwise
    /// everyone who said something of use is asked again.
    pub fn confirm(
        &mut self,
        trial: &Trial<'_>,
        first: &Judged,
        claims: &[&Claim],
        wall: Duration,
    ) -> Result<Option<Vec<u32>>, Error> {
        let mut seen = vec![0; claims.len()];
        let metamorphic = claims.iter().any(|c| c.evidence == Some(Evidence::Metamorphic));
        let settled =
            |c: &&Claim| c.kind == FindingKind::Crash || matches!(c.evidence, Some(e) if e != Evidence::Vote);
        let wanted = |solver: usize| !claims.iter().all(|c| settled(c) && !c.accused.contains(&solver));
        for _ in 0..RUNS {
            let Some(outcomes) = self.again(trial.script, &first.outcomes, wall, &wanted)? else {
                return Ok(None);
            };
            let seed = match trial.seed.filter(|_| metamorphic) {
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

    /// Asks again those who are wanted and said something of use; the others keep what they said.
    fn again(
        &mut self,
        script: &[u8],
        before: &[Option<Outcome>],
        wall: Duration,
        wanted: &impl Fn(usize) -> bool,
    ) -> Result<Option<Vec<Option<Outcome>>>, Error> {
        let matters = |o: &Outcome| !o.answers.is_empty() || o.kind == OutcomeKind::Crash;
        let asked = |i: usize| wanted(i) && before.get(i).and_then(Option::as_ref).is_some_and(matters);
        let again = self.ask_all(&query(script, wall), Mode::Fresh, asked)?;
        Ok(again.map(|again| again.into_iter().zip(before).map(|(new, old)| new.or(old.clone())).collect()))
    }
}
