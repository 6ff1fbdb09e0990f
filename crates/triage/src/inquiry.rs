//! Determines which releases of a solver are affected by a bug.
//!
//! The oracle judges all releases together with references: if a release prints a model that smelt's evaluator
//! accepts, the model refutes every release that answers unsat. A release counts as bad only if it was wrong in
//! three fresh processes.

use smelt_core::{
    Case, Claim, Class, Doubt, Expectation, History, Kind, Outcome, OutcomeKind, Reason, Release, SolverId,
    Standing, Verdict, Version,
};
use smelt_oracle::{CaseScript, Judgement, Truth as ModelTruth};
use smelt_solvers::{Limits, Mode};

use smelt_trial::{
    AT_ONCE, Error, IsOver, Judged, Lineup, NamedSolver, Panel, RUNS, SLOW, Scrutiny, Trial, is_decided,
    query,
};

/// What makes a release bad.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Symptom {
    /// Whatever the oracle calls a finding.
    Finding,
    /// A finding of one class.
    Class(Class),
    /// This outcome.
    Outcome(OutcomeKind),
}

/// A case run on many releases.
#[derive(Debug)]
pub struct Inquiry {
    case: Case,
    /// Whether the user says what the answer is.
    told: bool,
    /// The `:status` of the file; used only if there is no other evidence.
    label: Option<Verdict>,
    symptom: Symptom,
    limits: Limits,
    /// References first, then releases by version.
    solvers: Vec<NamedSolver>,
    references: usize,
    outcomes: Vec<Option<Outcome>>,
    /// Releases that were bad once, but not again.
    flaky: Vec<bool>,
}

impl Inquiry {
    /// An inquiry over releases of one solver. References only help to find the right answer.
    pub fn new(case: &Case, symptom: Symptom, references: Vec<NamedSolver>, limits: Limits) -> Inquiry {
        let count = references.len();
        Inquiry {
            label: CaseScript::new(&case.script).label().filter(|v| *v != Verdict::Unknown),
            case: case.clone(),
            told: false,
            symptom,
            limits,
            outcomes: vec![None; count],
            flaky: vec![false; count],
            references: count,
            solvers: references,
        }
    }

    /// The same, where the expectation of the case is what the user says.
    #[must_use]
    pub fn told(self) -> Inquiry {
        Inquiry { told: true, ..self }
    }

    /// Adds a release, without running it.
    pub fn add(&mut self, release: NamedSolver) {
        let version = release.solver.id().version().cloned();
        let later = |c: &NamedSolver| c.solver.id().version() > version.as_ref();
        let tail = &self.solvers[self.references..];
        let at = self.references + tail.iter().position(later).unwrap_or(tail.len());
        self.solvers.insert(at, release);
        self.outcomes.insert(at, None);
        self.flaky.insert(at, false);
    }

    /// How many releases there are.
    pub fn len(&self) -> usize {
        self.solvers.len() - self.references
    }

    /// Whether a release is among them.
    pub fn has(&self, version: &Version) -> bool {
        self.solvers[self.references..].iter().any(|c| c.solver.id().version() == Some(version))
    }

    /// Whether it has no release.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Runs every release.
    pub fn ask_all(&mut self, is_over: IsOver<'_>) -> Result<(), Error> {
        self.ask(&(0..self.len()).collect::<Vec<_>>(), is_over)
    }

    /// Runs the oldest and the newest release, then halves between good and bad ones. Runs all releases if both ends are
    /// good.
    pub fn search(&mut self, is_over: IsOver<'_>) -> Result<(), Error> {
        let Some(last) = self.len().checked_sub(1) else { return Ok(()) };
        self.ask(&[0, last], is_over)?;
        let history = self.history();
        if history.with(Standing::Bad).next().is_none() {
            return self.ask_all(is_over);
        }
        while let Some(middle) = self.gap() {
            if is_over() {
                return Ok(());
            }
            self.ask(&[middle], is_over)?;
        }
        Ok(())
    }

    /// The middle one of the untested releases between a good and a bad one.
    fn gap(&self) -> Option<usize> {
        let history = self.history();
        let mut before: Option<Standing> = None;
        let mut untested = Vec::new();
        for (i, release) in history.releases.iter().enumerate() {
            match release.standing {
                Standing::Untested => untested.push(i),
                Standing::Unclear => {}
                own => {
                    if before.is_some_and(|b| b != own) && !untested.is_empty() {
                        return Some(untested[untested.len() / 2]);
                    }
                    before = Some(own);
                    untested.clear();
                }
            }
        }
        None
    }

    /// Runs releases by position, and the references that were not run yet.
    fn ask(&mut self, releases: &[usize], is_over: IsOver<'_>) -> Result<(), Error> {
        let wanted: Vec<usize> = (0..self.references)
            .chain(releases.iter().map(|r| r + self.references))
            .filter(|i| self.outcomes[*i].is_none())
            .collect();
        self.run(&wanted, is_over)?;
        // A bad release must be bad again.
        for _ in 1..RUNS {
            let bad = |i: &usize| *i >= self.references && !self.is_certain(*i) && self.is_bad(*i);
            let bad: Vec<usize> = wanted.iter().copied().filter(bad).collect();
            if bad.is_empty() || is_over() {
                break;
            }
            self.run(&bad, is_over)?;
            for i in bad {
                self.flaky[i] |= !self.is_bad(i);
            }
        }
        Ok(())
    }

    /// Runs some solvers in fresh processes, as many at once as there are cores.
    fn run(&mut self, which: &[usize], is_over: IsOver<'_>) -> Result<(), Error> {
        let mut panel = Panel::on_all_cores(Lineup { solvers: &self.solvers, limits: self.limits, is_over });
        let asked = query(&self.case.script, self.limits.time);
        let outcomes = panel.ask_all(&asked, Mode::Fresh, |i| which.contains(&i))?.unwrap_or_default();
        for (own, new) in self.outcomes.iter_mut().zip(outcomes) {
            *own = new.or(own.take());
        }
        Ok(())
    }

    /// Whether a solver was stopped at a limit of CPU time: another run would end there too, even on a busy machine.
    fn is_certain(&self, who: usize) -> bool {
        let stopped = |o: &Outcome| o.kind == OutcomeKind::Timeout;
        self.limits.cpu.is_some() && self.outcomes[who].as_ref().is_some_and(stopped)
    }

    fn is_bad(&self, who: usize) -> bool {
        self.release(who, &self.judgement()).standing == Standing::Bad
    }

    /// The oracle's judgement of all solvers that ran.
    fn judgement(&self) -> Judgement {
        let judgement = self.judge(&self.case);
        let settled = |c: &Claim| c.kind.class() == Class::Wrong && c.evidence.is_some();
        match self.label {
            Some(label) if self.known().is_none() && !judgement.claims.iter().any(settled) => {
                self.judge(&Case { expectations: vec![Expectation::Known(label)], ..self.case.clone() })
            }
            _ => judgement,
        }
    }

    /// The answer by construction, or as the user says.
    fn known(&self) -> Option<Verdict> {
        self.case.expectation().known()
    }

    /// The solver whose model refutes the user's answer, if there is one.
    pub fn refuted(&self) -> Option<&SolverId> {
        if !self.told {
            return None;
        }
        let judgement = Trial::from(&self.case).judge(&self.solvers, &self.outcomes, &[]);
        Some(self.solvers[judgement.conflicts.first()?.witness?].solver.id())
    }

    fn judge(&self, case: &Case) -> Judgement {
        let trial = Trial { case, scrutiny: Scrutiny::Exhaust };
        if self.symptom == Symptom::Class(Class::Wrong) {
            return trial.judge(&self.solvers, &self.outcomes, &[]);
        }
        let lineup = Lineup { solvers: &self.solvers, limits: self.limits, is_over: &|| false };
        let outcomes = self.outcomes.clone();
        let judged = Panel::new(lineup).judge(&trial, outcomes, Vec::new(), Mode::Fresh, self.limits.time);
        judged.map(|Judged { judgement, .. }| judgement).unwrap_or_default()
    }

    /// The history so far.
    pub fn history(&self) -> History {
        let judgement = self.judgement();
        let releases = (self.references..self.solvers.len()).map(|i| self.release(i, &judgement)).collect();
        History { releases }
    }

    fn release(&self, who: usize, judgement: &Judgement) -> Release {
        let solver = self.solvers[who].solver.id().clone();
        let mut release = Release::new(solver, Standing::Untested);
        let Some(outcome) = &self.outcomes[who] else { return release };
        release.crash.clone_from(&outcome.crash);
        release.outcome = Some(outcome.kind);
        release.wall_ms = (outcome.usage.time().as_secs_f64() * 1e4).round() / 10.0;
        release.reason = outcome.message.clone();
        let claims = judgement.claims.iter();
        let claim = claims.filter(|c| c.accuses(who)).find(|c| match self.symptom {
            Symptom::Class(class) => c.kind.class() == class,
            Symptom::Finding => true,
            Symptom::Outcome(_) => false,
        });
        if let Some(claim) = claim {
            release.kind = Some(claim.kind);
            release.evidence = claim.evidence;
            release.reason = Some(self.explain(claim));
        }
        let settled = claim.map(Claim::is_settled);
        release.standing = match (self.symptom, settled) {
            _ if self.flaky[who] => Standing::Unclear,
            (Symptom::Outcome(kind), _) if outcome.kind == kind => Standing::Bad,
            (Symptom::Outcome(_), _) if is_answer(outcome) => Standing::Good,
            (Symptom::Outcome(_), _) => Standing::Unclear,
            (Symptom::Class(Class::Unknown), _) if outcome.kind == OutcomeKind::Unknown => Standing::Bad,
            (Symptom::Class(Class::Slow), _) if is_slow(outcome) => Standing::Bad,
            (Symptom::Class(Class::Slow), _) if outcome.usage.time() > AT_ONCE => Standing::Unclear,
            (_, Some(true)) => Standing::Bad,
            (_, Some(false)) => Standing::Unclear,
            // It does not crash, but that does not make its answer right.
            (Symptom::Class(Class::Crash), None) if self.is_doubted(who, judgement) => Standing::Unclear,
            (_, None) if is_answer(outcome) && self.is_right(who, judgement) => Standing::Good,
            // It gives up, and does not crash.
            (Symptom::Class(Class::Crash), None) if outcome.kind == OutcomeKind::Unknown => Standing::Good,
            (_, None) => Standing::Unclear,
        };
        if self.symptom == Symptom::Class(Class::Crash)
            && settled.is_none()
            && self.is_doubted(who, judgement)
        {
            release.doubt = Some(Doubt::WrongAnswer);
        }
        if self.flaky[who] {
            release.reason = Some("flaky: not reproduced in fresh processes".to_owned());
            release.doubt = Some(Doubt::SomeRuns);
        }
        release
    }

    /// Whether something or somebody contradicts an answer.
    fn is_doubted(&self, who: usize, judgement: &Judgement) -> bool {
        judgement.claims.iter().any(|c| c.kind.class() == Class::Wrong && c.accuses(who))
    }

    /// Whether an answer that is not refuted is correct. If wrong answers are the symptom, this needs evidence.
    fn is_right(&self, who: usize, judgement: &Judgement) -> bool {
        if !matches!(self.symptom, Symptom::Finding | Symptom::Class(Class::Wrong)) {
            return true;
        }
        let said = |i: usize| {
            let model = judgement.models.get(i).and_then(|m| m.last()?.as_ref()).map(|r| r.truth);
            Some((self.outcomes[i].as_ref()?.verdicts().last().flatten()?, model))
        };
        let others: Vec<_> = (0..self.references).filter_map(said).collect();
        let shown: Vec<Kind> =
            judgement.claims.iter().filter(|c| c.evidence.is_some()).map(|c| c.kind).collect();
        said(who).is_some_and(|own| is_shown_right(own, self.known().or(self.label), &others, &shown))
    }

    fn explain(&self, claim: &Claim) -> String {
        match &claim.reason {
            Reason::Construction(v) if self.told => format!("it is {v}, as --expect says"),
            Reason::Construction(v) if self.known().is_none() => {
                format!("the file's :status is {v} (only a label, not evidence)")
            }
            reason => reason.to_string(),
        }
    }
}

pub(super) fn is_slow(outcome: &Outcome) -> bool {
    matches!(outcome.kind, OutcomeKind::Timeout | OutcomeKind::Memout) || outcome.usage.time() >= SLOW
}

/// An answer, and the truth of its model.
type Answered = (Verdict, Option<ModelTruth>);

/// Whether an answer is shown to be right: by its model, by what is known of the script, by solvers of other families
/// that say the same, or by kinds of findings of others. A model must be true itself if that of another is false.
fn is_shown_right(own: Answered, known: Option<Verdict>, others: &[Answered], shown: &[Kind]) -> bool {
    let (answer, model) = own;
    let refuted = match answer {
        Verdict::Sat => Kind::RefutationUnsound,
        _ => Kind::SolutionUnsound,
    };
    let is_known = known == Some(answer) || shown.contains(&refuted) || others.iter().any(|o| o.0 == answer);
    match answer {
        Verdict::Sat if model == Some(ModelTruth::True) => true,
        Verdict::Sat => is_known && !shown.contains(&Kind::InvalidModel),
        _ => is_known,
    }
}

/// Whether it gave an answer that the oracle could have refuted.
fn is_answer(outcome: &Outcome) -> bool {
    outcome.comparable && (is_decided(outcome) || !outcome.replies.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_release_is_good_only_if_something_shows_that_it_is_right() {
        use Kind::{InvalidModel, RefutationUnsound, SolutionUnsound};
        use Verdict::{Sat, Unsat};
        let (sure, unsure) = (Some(ModelTruth::True), Some(ModelTruth::Unknown));
        for (own, known, others, shown, right) in [
            ((Sat, sure), None, &[][..], &[InvalidModel][..], true),
            // The model of an older release is false, and that of this one cannot be checked.
            ((Sat, unsure), None, &[(Sat, sure)], &[InvalidModel], false),
            ((Sat, unsure), None, &[], &[RefutationUnsound], true),
            ((Sat, None), None, &[], &[], false),
            // Another release's model is false: that does not make it unsat.
            ((Unsat, None), None, &[], &[InvalidModel], false),
            ((Unsat, None), None, &[(Unsat, None)], &[InvalidModel], true),
            ((Unsat, None), None, &[], &[SolutionUnsound], true),
            ((Unsat, None), Some(Unsat), &[], &[], true),
        ] {
            assert_eq!(is_shown_right(own, known, others, shown), right, "{own:?} {others:?} {shown:?}");
        }
    }
}
