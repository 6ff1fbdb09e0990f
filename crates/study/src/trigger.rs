//! Wrong answers to a formula, confirmed in fresh processes.

use smelt_core::{Case, Claim, Evidence, Kind, Outcome, OutcomeKind, SolverId, Verdict};

use smelt_solvers::{Limits, Mode};
use smelt_trial::{Error, IsOver, Lineup, NamedSolver, Panel, Trial, in_parallel, query, repeated};
use std::time::Duration;

/// A wrong answer of a release to a formula.
#[derive(Clone, Debug)]
pub(super) struct Wrong {
    pub(super) solver: usize,
    pub(super) formula: usize,
    /// `unsound`, `invalid-model` or `crash`: coarser than the oracle, as figures over releases need it.
    pub(super) kind: Kind,
    pub(super) evidence: Option<Evidence>,
    pub(super) reason: String,
    pub(super) confirmed: bool,
}

/// Finds and confirms the wrong answers of the releases of a study.
pub(super) struct Triggers<'a> {
    solvers: &'a [NamedSolver],
    reference: Vec<Option<usize>>,
    limits: Limits,
}

/// For each release, the newest one of the other family.
pub(super) fn references(solvers: &[NamedSolver]) -> Vec<Option<usize>> {
    let newest = |family: &str| {
        let of_family = (0..solvers.len()).filter(|i| {
            // CVC4 is of cvc5's family, and older than all of it.
            solvers[*i].family() == family && solvers[*i].solver.id().name() == family
        });
        of_family.max_by_key(|i| solvers[*i].solver.id().version().cloned())
    };
    let (z3, cvc5) = (newest("z3"), newest("cvc5"));
    solvers.iter().map(|c| if c.family() == "z3" { cvc5 } else { z3 }).collect()
}

/// Whether a release crashes on nine formulas of ten.
pub(super) fn lacks_theory(outcomes: &[Vec<Option<Outcome>>], solver: usize) -> bool {
    let said = || outcomes.iter().filter_map(|row| row[solver].as_ref());
    let crashes = said().filter(|o| o.kind == OutcomeKind::Crash).count();
    crashes * 10 >= said().count() * 9 && crashes >= 20
}

impl<'a> Triggers<'a> {
    pub(super) fn new(solvers: &'a [NamedSolver], memory: u64, timeout: Duration) -> Triggers<'a> {
        let limits = Limits { memory, ..Limits::within(timeout.max(Duration::from_secs(2))) };
        Triggers { solvers, reference: references(solvers), limits }
    }

    /// All wrong answers.
    pub(super) fn wrong_answers(
        &self,
        scripts: &[Vec<u8>],
        outcomes: &[Vec<Option<Outcome>>],
        jobs: usize,
    ) -> Vec<Wrong> {
        let formulas: Vec<usize> = (0..scripts.len()).collect();
        let judge = |_: usize, f: &usize| Ok::<_, Error>(self.judge(*f, &scripts[*f], &outcomes[*f]));
        let found = in_parallel(&formulas, jobs, &|| false, judge).unwrap_or_default();
        let mut all: Vec<Wrong> = found.into_iter().flatten().flatten().collect();
        all.sort_by_key(|s| (s.formula, s.solver, s.kind));
        // A build without a theory crashes on nearly every formula of it, which is not a bug to report.
        let lacks: Vec<bool> = (0..self.solvers.len()).map(|solver| lacks_theory(outcomes, solver)).collect();
        all.retain(|s| s.kind != Kind::Crash || !lacks[s.solver]);
        all
    }

    fn judge(&self, formula: usize, script: &[u8], outcomes: &[Option<Outcome>]) -> Vec<Wrong> {
        let case = Case::open(script);
        let trial = Trial::from(&case);
        if !trial.is_interesting(outcomes) {
            return Vec::new();
        }
        let judgement = trial.judge(self.solvers, outcomes, &[]);
        let mut found: Vec<Wrong> = Vec::new();
        for claim in &judgement.claims {
            for solver in claim.positions() {
                let Some((kind, reason)) = self.against(solver, claim, outcomes) else { continue };
                if !found.iter().any(|s| s.solver == solver && s.kind == kind) {
                    let evidence = claim.evidence;
                    found.push(Wrong { solver, formula, kind, evidence, reason, confirmed: false });
                }
            }
        }
        found
    }

    /// The trigger that a claim makes of one accused.
    fn against(&self, solver: usize, claim: &Claim, outcomes: &[Option<Outcome>]) -> Option<(Kind, String)> {
        match claim.kind {
            Kind::Crash | Kind::InvalidModel => Some((claim.kind, claim.reason.to_string())),
            Kind::RefutationUnsound | Kind::SolutionUnsound => {
                Some((Kind::Unsound, claim.reason.to_string()))
            }
            Kind::Unsound => {
                // Nothing settles the disagreement: the reference counts as right, and the trigger has no evidence.
                let check = claim.query?;
                let said = |i: usize| -> Option<Verdict> {
                    outcomes[i].as_ref()?.answers.get(check)?.verdict.filter(|v| *v != Verdict::Unknown)
                };
                let reference = self.reference[solver]?;
                let (own, other) = (said(solver)?, said(reference)?);
                let id: &SolverId = self.solvers[reference].solver.id();
                (own != other).then(|| (Kind::Unsound, format!("it answers {own}, {id} answers {other}")))
            }
            _ => None,
        }
    }

    /// Which wrong answers repeat in every fresh run of the accused; `false` if there was no time.
    pub(super) fn confirm(
        &self,
        scripts: &[Vec<u8>],
        outcomes: &[Vec<Option<Outcome>>],
        open: &[&Wrong],
        jobs: usize,
        is_over: IsOver<'_>,
    ) -> Result<Vec<bool>, Error> {
        let lineup = Lineup { solvers: self.solvers, limits: self.limits, is_over };
        let confirm = |_: usize, wrong: &&Wrong| {
            let script = &scripts[wrong.formula];
            let mut panel = Panel::new(lineup);
            let again = repeated(|| {
                let fresh = panel.ask(wrong.solver, query(script, self.limits.time), Mode::Fresh)?;
                let Some(fresh) = fresh.filter(|o| o.kind != OutcomeKind::Timeout) else { return Ok(None) };
                let mut outcomes = outcomes[wrong.formula].clone();
                outcomes[wrong.solver] = Some(fresh);
                let now = self.judge(wrong.formula, script, &outcomes);
                let same = |n: &Wrong| n.solver == wrong.solver && n.kind == wrong.kind;
                Ok(now.iter().any(same).then_some(()))
            })?;
            Ok::<_, Error>(again.is_some())
        };
        let again = in_parallel(open, jobs, is_over, confirm)?;
        Ok(again.into_iter().map(|a| a == Some(true)).collect())
    }
}
