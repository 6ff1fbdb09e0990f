//! Findings about two scripts: an answer that contradicts the one to the seed, or `unknown` for a formula that
//! follows from a solved one.
//!
//! Both scripts are reduced together. Every step must preserve the implication between them, and it must be proved
//! again by the reference solver or by two families other than the accused. If nobody can prove it, the pair is not
//! reduced.

use smelt_core::{Case, Claim, Evidence, Expectation, OutcomeKind, Pair, Relation};
use smelt_reduce::{ErrorKind as ReduceErrorKind, ReduceOptions, Reduction, pair};
use smelt_trial::predicates::{Expected, ImplicationSource};
use smelt_trial::{Error, ErrorKind, Lineup, NamedSolver};
use std::collections::BTreeSet;

use crate::examine::{Examiner, Unexamined};

/// How many solvers are asked for proofs, at most.
const PROVERS: usize = 4;

impl Examiner<'_> {
    /// The other script of a finding that is about two, and the claim that it shows alone.
    pub(crate) fn pair(
        &self,
        finding: &Unexamined<'_>,
        solvers: &[NamedSolver],
    ) -> Result<Option<(Pair, Option<Claim>)>, Error> {
        let metamorphic = finding.claim.evidence == Some(Evidence::Metamorphic);
        let (before, seed) = (finding.case.before.as_deref(), finding.case.seed.as_deref());
        let Some(other) = before.or(seed.filter(|_| metamorphic)) else { return Ok(None) };
        let (own, other_case) = (finding.case.alone(), Case::open(other));
        let (Some(case), Some(observation)) = (self.look(&own, solvers)?, self.look(&other_case, solvers)?)
        else {
            return Ok(None);
        };
        let class = finding.claim.kind.class();
        if metamorphic && case.claim(class, finding.claim.kind, &[0]).is_some() {
            // The case alone shows it.
            return Ok(None);
        }
        let alone = observation.claim(class, finding.claim.kind, &[0]).filter(|_| metamorphic).cloned();
        let outcome = observation.judged.outcomes[0].as_ref().map(|o| o.kind);
        let relation = match (finding.case.expectation(), outcome) {
            (Expectation::Related(Relation::Weaker), _) => "is satisfiable if the second one is",
            (Expectation::Related(Relation::Stronger), _) => "is unsatisfiable if the second one is",
            _ if metamorphic => "is satisfiable exactly if the second one is",
            (_, Some(OutcomeKind::Sat)) => "is satisfiable if the second one is",
            _ => "is unsatisfiable if the second one is",
        };
        let Some(answer) = outcome else { return Ok(None) };
        let script = String::from_utf8_lossy(other).into_owned();
        let pair = Pair { script, answer, relation: relation.to_owned(), proved: Vec::new() };
        Ok(Some((pair, alone)))
    }

    /// Reduces both scripts of a pair while one follows from the other; the reduction is that of the finding's own script.
    /// `None` if the implication is not proved, or nothing could be left out.
    pub(crate) fn reduce_pair(
        &self,
        finding: &Unexamined<'_>,
        pair: &mut Pair,
    ) -> Result<Option<Reduction>, Error> {
        let system = |e: smelt_reduce::Error| Error::new(ErrorKind::System, e.to_string());
        let solvers = self.provers(finding);
        let answer = pair.answer;
        // An implication between them contradicts these answers.
        let wrong = match (finding.claim.evidence, answer) {
            (Some(Evidence::Metamorphic), OutcomeKind::Sat) => OutcomeKind::Unsat,
            (Some(Evidence::Metamorphic), OutcomeKind::Unsat) => OutcomeKind::Sat,
            (_, OutcomeKind::Sat | OutcomeKind::Unsat) => OutcomeKind::Unknown,
            _ => return Ok(None),
        };
        let is_over = || self.is_over();
        let lineup = Lineup { solvers: &solvers, limits: self.limits, is_over: &is_over };
        let source = ImplicationSource::new(lineup, Expected(vec![answer]), Expected(vec![wrong]));
        let names = |who: Vec<usize>| who.into_iter().map(|i| solvers[i].solver.id().clone()).collect();
        match source.proof(pair.script.as_bytes(), &finding.case.script).map_err(system)? {
            Some(who) => pair.proved = names(who),
            None => return Ok(None),
        }
        if self.time.is_zero() {
            return Ok(None);
        }
        let Ok(both) = pair::join(pair.script.as_bytes(), &finding.case.script) else { return Ok(None) };
        let options = ReduceOptions { jobs: self.jobs, time: Some(self.time), stop: self.stop, seed: None };
        let reduction = match smelt_reduce::reduce(&both, &source, &options, &mut |_| {}) {
            Ok(reduction) if reduction.confirmed => reduction,
            Err(e) if e.kind() == ReduceErrorKind::Internal => return Err(system(e)),
            // The finding does not show any more, or not always: the scripts stay as they are.
            Ok(_) | Err(_) => return Ok(None),
        };
        let Some((left, right)) = pair::part(&reduction.text) else { return Ok(None) };
        let proof = source.proof(&left, &right).map_err(system)?;
        let (Some(who), true) = (proof, right.len() < finding.case.script.len()) else { return Ok(None) };
        pair.proved = names(who);
        pair.script = String::from_utf8_lossy(&left).into_owned();
        Ok(Some(Reduction { text: right, bytes_before: finding.case.script.len(), ..reduction }))
    }

    /// The accused, then the solvers that may prove something about it: the reference, and the newest of each other family,
    /// of those that ran first.
    fn provers(&self, finding: &Unexamined<'_>) -> Vec<NamedSolver> {
        let (mut list, accused) = self.lineup(finding);
        list.truncate(accused.min(1));
        let mut families: BTreeSet<String> = list.iter().map(|c| c.family().to_owned()).collect();
        list.extend(self.means.reference.clone());
        let mut others: Vec<&NamedSolver> = finding.solvers.iter().collect();
        let mut releases: Vec<&NamedSolver> = self.means.releases.iter().collect();
        for part in [&mut others, &mut releases] {
            part.sort_by(|a, b| b.solver.id().version().cmp(&a.solver.id().version()));
        }
        for other in others.into_iter().chain(releases) {
            if list.len() <= PROVERS && families.insert(other.family().to_owned()) {
                list.push(other.clone());
            }
        }
        list
    }
}
