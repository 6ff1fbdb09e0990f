//! `smelt check --regression` and `--before`: unknown where an answer was due.

use smelt_core::{Outcome, OutcomeKind, Verdict};
use smelt_oracle::{CaseScript, Claim, Undecided, expected_unknown, family, implication, regression};
use smelt_solvers::Query;

use super::{CONFIRMATIONS, Case, Check};
use crate::exit::Failure;

fn decided(outcome: Option<&Outcome>) -> Option<Verdict> {
    match outcome?.kind {
        OutcomeKind::Sat => Some(Verdict::Sat),
        OutcomeKind::Unsat => Some(Verdict::Unsat),
        _ => None,
    }
}

fn is_unknown(outcome: Option<&Outcome>) -> bool {
    outcome.is_some_and(|o| o.comparable && o.kind == OutcomeKind::Unknown)
}

impl Check {
    /// Adds what an older release decides and another does not, and what was decided before and is not now.
    pub(super) fn incompleteness(
        &mut self,
        case: &mut Case,
        source: &[u8],
        before: Option<&[u8]>,
    ) -> Result<(), Failure> {
        let outcomes = case.first.outcomes.clone();
        let silent: Vec<usize> = (0..self.older).filter(|i| is_unknown(outcomes.get(*i))).collect();
        if silent.is_empty() {
            return Ok(());
        }
        let after = Query::new(source);
        for accused in silent {
            for older in self.older..self.bench.solvers().len() {
                if decided(outcomes.get(older)).is_some() {
                    let said = self.repeated(|check| {
                        let said = check.fresh.run(&after, |i| i == accused || i == older)?;
                        let answer = decided(said[older].as_ref());
                        Ok(answer.filter(|_| is_unknown(said[accused].as_ref())))
                    })?;
                    let older = self.bench.solvers()[older].id().clone();
                    self.bring(case, accused, said, |reading, silent, said| {
                        regression(reading, silent, &older, said)
                    });
                }
            }
            if let Some(before) = before {
                let before = Query::new(before);
                let said = self.repeated(|check| {
                    let first = check.fresh.run(&before, |i| i == accused)?;
                    let then = check.fresh.run(&after, |i| i == accused)?;
                    Ok(decided(first[accused].as_ref()).filter(|_| is_unknown(then[accused].as_ref())))
                })?;
                self.bring(case, accused, said, |reading, silent, said| {
                    implication(reading, silent, said, None)
                });
            }
        }
        Ok(())
    }

    /// What each of some fresh runs gives, if it is always the same.
    fn repeated(
        &mut self,
        mut run: impl FnMut(&mut Check) -> Result<Option<Verdict>, Failure>,
    ) -> Result<Option<Verdict>, Failure> {
        let mut last = None;
        for _ in 0..CONFIRMATIONS {
            let said = run(self)?;
            if said.is_none() || last.is_some_and(|l| l != said) {
                return Ok(None);
            }
            last = Some(said);
        }
        Ok(last.flatten())
    }

    /// Notes a finding, or why it is none.
    fn bring(
        &self,
        case: &mut Case,
        accused: usize,
        said: Option<Verdict>,
        claim: impl Fn(&CaseScript, Undecided<'_>, Verdict) -> Claim,
    ) {
        let Some(said) = said else { return };
        let solver = &self.bench.solvers()[accused];
        let family = family(&solver.profile().name, solver.id().name());
        match expected_unknown(&case.reading, family, said) {
            Some(why) => case.trivial.push(why),
            None => {
                let silent = Undecided { position: accused, solver: solver.id(), family };
                case.confirmed.push(claim(&case.reading, silent, said));
            }
        }
    }
}
