//! What is wrong with the answers to a formula, and whether it is so in a process of its own too.

use smelt_core::{Evidence, FindingKind, Outcome, OutcomeKind, SolverId, Verdict};
use smelt_oracle::Charge;
use smelt_solvers::Limits;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::Relaxed};
use std::time::Duration;

use smelt_store::Error;
use smelt_trial::{Contestant, Matter, is_interesting, query, run_fresh, try_case};

/// A release that is wrong about a formula.
#[derive(Clone, Debug)]
pub(super) struct Suspicion {
    pub(super) solver: usize,
    pub(super) formula: usize,
    /// `unsound`, `invalid-model` or `crash`: coarser than the oracle, as figures over releases need it.
    pub(super) kind: FindingKind,
    pub(super) evidence: Option<Evidence>,
    pub(super) reason: String,
    pub(super) confirmed: bool,
}

/// The releases of a study, and who is compared with whom.
pub(super) struct Bench<'a> {
    solvers: &'a [Contestant],
    reference: Vec<Option<usize>>,
    limits: Limits,
}

/// For each release, the newest one of the other family.
pub(super) fn references(solvers: &[Contestant]) -> Vec<Option<usize>> {
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

impl<'a> Bench<'a> {
    pub(super) fn new(solvers: &'a [Contestant], memory: u64, timeout: Duration) -> Bench<'a> {
        let limits = Limits { memory, ..Limits::wall(timeout.max(Duration::from_secs(2))) };
        Bench { solvers, reference: references(solvers), limits }
    }

    /// All that is wrong.
    pub(super) fn suspicions(
        &self,
        scripts: &[Vec<u8>],
        outcomes: &[Vec<Option<Outcome>>],
        jobs: usize,
    ) -> Vec<Suspicion> {
        let next = AtomicUsize::new(0);
        let mut all: Vec<Suspicion> = std::thread::scope(|scope| {
            let mut workers = Vec::new();
            for _ in 0..jobs.max(1) {
                workers.push(scope.spawn(|| {
                    let mut found = Vec::new();
                    loop {
                        let formula = next.fetch_add(1, Relaxed);
                        if formula >= scripts.len() {
                            return found;
                        }
                        found.extend(self.judge(formula, &scripts[formula], &outcomes[formula]));
                    }
                }));
            }
            let join = |w: std::thread::ScopedJoinHandle<'_, Vec<Suspicion>>| match w.join() {
                Ok(found) => found,
                Err(panic) => std::panic::resume_unwind(panic),
            };
            workers.into_iter().flat_map(join).collect()
        });
        all.sort_by_key(|s| (s.formula, s.solver, s.kind));
        // A build without a theory dies of nearly everything in it, which is nothing to report.
        let lacks: Vec<bool> = (0..self.solvers.len()).map(|solver| lacks_theory(outcomes, solver)).collect();
        all.retain(|s| s.kind != FindingKind::Crash || !lacks[s.solver]);
        all
    }

    fn judge(&self, formula: usize, script: &[u8], outcomes: &[Option<Outcome>]) -> Vec<Suspicion> {
        let matter = Matter::open(script);
        if !is_interesting(matter, outcomes) {
            return Vec::new();
        }
        let judgement = try_case(self.solvers, matter, outcomes, &[]);
        let mut found: Vec<Suspicion> = Vec::new();
        for charge in &judgement.charges {
            for &solver in &charge.accused {
                let Some((kind, reason)) = self.against(solver, charge, outcomes) else { continue };
                if !found.iter().any(|s| s.solver == solver && s.kind == kind) {
                    let evidence = charge.evidence;
                    found.push(Suspicion { solver, formula, kind, evidence, reason, confirmed: false });
                }
            }
        }
        found
    }

    /// What a charge means for one of the accused.
    fn against(
        &self,
        solver: usize,
        charge: &Charge,
        outcomes: &[Option<Outcome>],
    ) -> Option<(FindingKind, String)> {
        match charge.kind {
            FindingKind::Crash | FindingKind::InvalidModel => Some((charge.kind, charge.reason.to_string())),
            FindingKind::RefutationUnsound | FindingKind::SolutionUnsound => {
                Some((FindingKind::Unsound, charge.reason.to_string()))
            }
            FindingKind::Unsound => {
                // Nothing settles it: the reference counts as right, and is told apart by having no evidence.
                let check = charge.check?;
                let said = |i: usize| -> Option<Verdict> {
                    outcomes[i].as_ref()?.answers.get(check)?.verdict.filter(|v| *v != Verdict::Unknown)
                };
                let reference = self.reference[solver]?;
                let (own, other) = (said(solver)?, said(reference)?);
                let id: &SolverId = self.solvers[reference].solver.id();
                (own != other).then(|| (FindingKind::Unsound, format!("it says {own}, {id} says {other}")))
            }
            _ => None,
        }
    }

    /// Whether suspicions come again when the accused is run in a process of its own.
    pub(super) fn confirm(
        &self,
        scripts: &[Vec<u8>],
        outcomes: &[Vec<Option<Outcome>>],
        suspicions: &[Suspicion],
        open: &[usize],
        jobs: usize,
        stop: &AtomicBool,
    ) -> Result<Vec<bool>, Error> {
        let next = AtomicUsize::new(0);
        let parts: Result<Vec<Vec<(usize, bool)>>, Error> = std::thread::scope(|scope| {
            let mut workers = Vec::new();
            for _ in 0..jobs.max(1) {
                workers.push(scope.spawn(|| -> Result<Vec<(usize, bool)>, Error> {
                    let mut seen = Vec::new();
                    loop {
                        let at = next.fetch_add(1, Relaxed);
                        if at >= open.len() || stop.load(Relaxed) {
                            return Ok(seen);
                        }
                        let s = &suspicions[open[at]];
                        let script = &scripts[s.formula];
                        let contestant = &self.solvers[s.solver];
                        let fresh = run_fresh(contestant, query(script, self.limits.wall), self.limits)?;
                        let mut outcomes = outcomes[s.formula].clone();
                        let ended = fresh.outcome.kind != OutcomeKind::Timeout;
                        outcomes[s.solver] = Some(fresh.outcome);
                        let again = ended
                            && self
                                .judge(s.formula, script, &outcomes)
                                .iter()
                                .any(|n| n.solver == s.solver && n.kind == s.kind);
                        seen.push((at, again));
                    }
                }));
            }
            workers
                .into_iter()
                .map(|w| w.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)))
                .collect()
        });
        let mut all = vec![false; open.len()];
        for (at, again) in parts?.into_iter().flatten() {
            all[at] = again;
        }
        Ok(all)
    }
}
