//! The status of a seed by evidence, and what to expect of cases made from it. A label alone is not evidence.

use smelt_core::{Case, Expectation, Outcome, Verdict};
use smelt_oracle::{CaseScript, REFERENCE, Truth};
use std::collections::BTreeSet;

use crate::solver::NamedSolver;
use crate::trial::Trial;

/// How many models of a script are kept, and how long each may be.
const MODELS: usize = 3;
const MODEL_BYTES: usize = 1 << 14;

/// What evidence shows of a script.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Established {
    /// Its status.
    pub status: Option<Verdict>,
    /// Models that our evaluator finds true, as solvers printed them: at most three different ones.
    pub models: Vec<String>,
}

/// The status of a script by evidence: a model that our evaluator finds true, a proof (`proved`, or every assignment of a
/// small space), or two families of solvers that agree and none that differs.
pub fn established(
    script: &[u8],
    solvers: &[NamedSolver],
    outcomes: &[Option<Outcome>],
    proved: Option<Verdict>,
) -> Established {
    let case = Case::open(script);
    let judgement = Trial::from(&case).judge(solvers, outcomes, &[]);
    let is_true = |i: &usize| {
        let last = judgement.models[*i].last().and_then(Option::as_ref);
        last.is_some_and(|report| report.truth == Truth::True)
    };
    let backed: Vec<usize> = (0..outcomes.len()).filter(is_true).collect();
    let mut models: Vec<String> = Vec::new();
    for model in backed.iter().filter_map(|i| outcomes[*i].as_ref()?.answers.last()?.model.as_ref()) {
        if models.len() < MODELS && model.len() <= MODEL_BYTES && !models.contains(model) {
            models.push(model.clone());
        }
    }
    let sat = (!backed.is_empty()).then_some(Verdict::Sat);
    let said_unsat = outcomes.iter().flatten().any(|o| o.kind.verdict() == Some(Verdict::Unsat));
    let refuted = || {
        let script = CaseScript::new(script);
        let last = script.checks().saturating_sub(1);
        (said_unsat && script.is_refuted(last)).then_some(Verdict::Unsat)
    };
    let agreed = || agreement(solvers, outcomes);
    Established { status: sat.or(proved).or_else(agreed).or_else(refuted), models }
}

/// What two families of solvers agree about. The sat of the built-in solver counts only with a model that evaluates to true.
fn agreement(solvers: &[NamedSolver], outcomes: &[Option<Outcome>]) -> Option<Verdict> {
    let families = |v: Verdict| -> BTreeSet<&str> {
        let said =
            |o: &Option<Outcome>| o.as_ref().is_some_and(|o| o.comparable && o.kind.verdict() == Some(v));
        let votes = |s: &NamedSolver| v != Verdict::Sat || s.solver.id().name() != REFERENCE;
        let both = solvers.iter().zip(outcomes).filter(|(solver, o)| said(o) && votes(solver));
        both.map(|(solver, _)| solver.family()).collect()
    };
    match (families(Verdict::Sat).len(), families(Verdict::Unsat).len()) {
        (2.., 0) => Some(Verdict::Sat),
        (0, 2..) => Some(Verdict::Unsat),
        _ => None,
    }
}

/// A seed's label, and its status by evidence.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Standing {
    /// What the seed is said to be.
    pub label: Option<Verdict>,
    /// What evidence shows.
    pub status: Option<Verdict>,
}

/// What may be expected of a case, given the standing of the seeds it was made from.
pub fn believed(expectation: Expectation, seeds: &[Standing]) -> Expectation {
    let is_backed =
        |seed: &Standing| seed.status.is_some() && seed.label.is_none_or(|l| seed.status == Some(l));
    match (expectation, seeds) {
        // Made from labels, which must hold, or from what evidence showed of seeds without label.
        (Expectation::Known(_), _) if !seeds.iter().all(is_backed) => Expectation::Open,
        // Others than the first only lent expressions.
        (Expectation::Related(_), [first, ..]) => {
            expectation.settle(first.status).map_or(expectation, Expectation::Known)
        }
        _ => expectation,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use smelt_core::Relation;

    #[test]
    fn a_label_alone_makes_no_status() {
        let seed = |label, status| Standing { label, status };
        let (sat, unsat) = (Some(Verdict::Sat), Some(Verdict::Unsat));
        let fused = |seeds: &[Standing]| believed(Expectation::UNSAT, seeds);
        assert_eq!(fused(&[seed(unsat, unsat), seed(unsat, None)]), Expectation::Open);
        assert_eq!(fused(&[seed(unsat, unsat), seed(unsat, sat)]), Expectation::Open);
        assert_eq!(fused(&[seed(unsat, unsat)]), Expectation::UNSAT);
        assert_eq!(
            fused(&[seed(unsat, unsat), seed(None, unsat)]),
            Expectation::UNSAT,
            "evidence needs no label"
        );
        assert_eq!(fused(&[seed(unsat, unsat), seed(None, None)]), Expectation::Open);
        assert_eq!(fused(&[]), Expectation::UNSAT, "made without seeds");
        let same = Expectation::Related(Relation::Same);
        assert_eq!(believed(same, &[seed(unsat, None)]), same);
        assert_eq!(believed(same, &[seed(unsat, sat)]), Expectation::SAT);
        assert_eq!(believed(same, &[seed(None, sat), seed(None, unsat)]), Expectation::SAT, "the first");
        let weaker = Expectation::Related(Relation::Weaker);
        assert_eq!(believed(weaker, &[seed(None, unsat)]), weaker);
    }
}
