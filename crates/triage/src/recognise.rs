//! Known bugs: checks whether a finding is one. This takes a few queries, while an examination takes hundreds.
//!
//! A finding is a known bug if one of two conditions holds, and no release is affected by one of the two but not by
//! the other. Either the accused answers correctly without the construct at fault, or it evaluates the same
//! operator wrongly in the same theory. A finding of a more urgent kind than all fully examined findings of the bug
//! is also examined fully, because it then represents the bug.

use smelt_core::{Cause, Class, Culprit, Dossier, History, Kind, Needs, Verdict};
use smelt_oracle::{CaseScript, Truth as ModelTruth};
use smelt_solvers::{Mode, ReportPolicy};
use smelt_trial::{Error, Panel, query};
use std::time::Duration;

use crate::desugar::desugared;
use crate::examine::{Examination, Examiner, Unexamined};
use crate::priority::priority;

impl Examiner<'_> {
    /// The dossier of a finding that is a known bug; `None` if it is not.
    pub fn recognise(
        &self,
        finding: &Unexamined<'_>,
        known: &[Dossier],
    ) -> Result<Option<Examination>, Error> {
        let (solvers, accused) = self.lineup(finding);
        let class = finding.claim.kind.class();
        let profiles: Vec<&str> =
            solvers[..accused].iter().map(|c| c.solver.profile().family.as_str()).collect();
        let urgency = |kind| priority(kind, true, true, &ReportPolicy::default());
        let is_candidate = |d: &&Dossier| {
            profiles.contains(&d.profile.as_str())
                && d.kind.class() == class
                && d.is_full()
                && urgency(d.kind) <= urgency(finding.claim.kind)
        };
        let candidates: Vec<&Dossier> = known.iter().filter(is_candidate).collect();
        let by_construct = match self.correct_without(finding, &solvers[..accused], &candidates)? {
            Some(known) => {
                let history = self.releases_of(finding, class, &solvers)?;
                Some(known).filter(|k| k.history.agrees(&history)).map(|k| (k, history, None))
            }
            None => None,
        };
        // A solver that gives this answer to a formula without operators gives it to any.
        let by_any = candidates
            .iter()
            .find(|d| *d.cause() == Cause::AnyFormula && d.kind.row().said == finding.claim.kind.row().said);
        let recognised = match (by_any, by_construct) {
            (Some(known), _) => Some((*known, History::default(), None)),
            (None, Some(found)) => Some(found),
            (None, None) => self.wrong_operator(finding, class, &solvers, accused, &candidates)?,
        };
        Ok(recognised.map(|(known, history, culprit)| {
            let dossier = Dossier {
                kind: finding.claim.kind,
                evidence: finding.claim.evidence,
                reason: finding.claim.reason.to_string(),
                theory: CaseScript::new(&finding.case.script).theory(),
                said: Vec::new(),
                model: None,
                culprit,
                history,
                reduction: None,
                differences: Vec::new(),
                seed_shows: false,
                reduction_tried: false,
                of_seed: false,
                spelled: None,
                pair: None,
                given: None,
                ..known.clone()
            };
            Examination { reduced: None, dossier }
        }))
    }

    /// The known bug whose construct is at fault here too.
    fn correct_without<'k>(
        &self,
        finding: &Unexamined<'_>,
        accused: &[smelt_trial::NamedSolver],
        candidates: &[&'k Dossier],
    ) -> Result<Option<&'k Dossier>, Error> {
        let of_construct = |c: &str| candidates.iter().copied().find(|d| construct(d) == Some(c));
        let class = finding.claim.kind.class();
        if !candidates.iter().any(|d| construct(d).is_some()) || !matches!(class, Class::Wrong | Class::Core)
        {
            return Ok(None);
        }
        let last = CaseScript::new(&finding.case.script).checks().saturating_sub(1);
        let mut all = desugared(&finding.case.script, last);
        all.retain(|variant| of_construct(variant.construct).is_some());
        let found = self.with(accused, |panel| {
            for variant in &all {
                if is_correct(panel, &variant.script, finding.claim.kind, self.limits.time)? {
                    return Ok::<_, Error>(Some(variant.construct));
                }
            }
            Ok(None)
        })?;
        Ok(found.and_then(of_construct))
    }

    /// The releases that show a finding as it was found; none if only one is installed.
    fn releases_of(
        &self,
        finding: &Unexamined<'_>,
        class: Class,
        solvers: &[smelt_trial::NamedSolver],
    ) -> Result<History, Error> {
        let family = &solvers[0].solver.profile().family;
        let releases = self.means.releases.iter().filter(|c| c.solver.profile().family == *family);
        if releases.count() < 2 {
            return Ok(History::default());
        }
        let Some(observation) = self.look(finding.case, solvers)? else { return Ok(History::default()) };
        self.history(&observation, class, 0, &Needs::default())
    }

    /// The known bug whose operator the accused evaluates wrongly here too, with the operator.
    fn wrong_operator<'k>(
        &self,
        finding: &Unexamined<'_>,
        class: Class,
        solvers: &[smelt_trial::NamedSolver],
        accused: usize,
        candidates: &[&'k Dossier],
    ) -> Result<Option<(&'k Dossier, History, Option<Culprit>)>, Error> {
        let known: Vec<(&Dossier, &Culprit)> =
            candidates.iter().filter_map(|d| Some((*d, d.culprit.as_ref()?))).collect();
        if class != Class::Wrong || accused != 1 || known.is_empty() {
            return Ok(None);
        }
        let Some(observation) = self.look(finding.case, solvers)? else { return Ok(None) };
        let Some(claim) = observation.claim(class, finding.claim.kind, &[0]) else { return Ok(None) };
        let Some((_, culprit)) = self.culprit(&observation, Some(claim), accused)?.0 else { return Ok(None) };
        let is_same = |(_, c): &&(&Dossier, &Culprit)| {
            c.operator == culprit.operator && c.theory == culprit.theory && c.history.agrees(&culprit.history)
        };
        let Some((found, _)) = known.iter().find(is_same) else { return Ok(None) };
        // The script may show another bug besides.
        let releases = self.releases_of(finding, class, solvers)?;
        Ok(found.history.agrees(&releases).then_some((*found, releases, Some(culprit))))
    }
}

/// The construct or command that a known bug is about.
fn construct(d: &Dossier) -> Option<&str> {
    match d.cause() {
        Cause::Construct(word) | Cause::Command(word) => Some(word),
        _ => None,
    }
}

/// Whether the accused are right about a script: the model is true, the answer is the other one than that of a finding of
/// a kind, or they agree.
fn is_correct(panel: &mut Panel<'_>, script: &[u8], kind: Kind, limit: Duration) -> Result<bool, Error> {
    let all = panel.lineup().solvers.len();
    let mut verdicts = Vec::new();
    for who in 0..all {
        let Some(outcome) = panel.ask(who, query(script, limit), Mode::Reuse)? else { return Ok(false) };
        let model = outcome.answers.last().and_then(|a| a.model.clone());
        let truth = model.map(|m| CaseScript::new(script).check_model(0, &m).truth);
        verdicts.push((outcome.verdicts().last().flatten(), truth));
    }
    Ok(match (kind, &verdicts[..]) {
        (Kind::RefutationUnsound, [(Some(Verdict::Sat), truth)]) => *truth != Some(ModelTruth::False),
        (Kind::InvalidModel, [(Some(Verdict::Sat), truth)]) => *truth == Some(ModelTruth::True),
        (Kind::SolutionUnsound, [(Some(Verdict::Unsat), _)]) => true,
        (Kind::Unsound, [(Some(first), _), .., (Some(last), _)]) => {
            first == last && *first != Verdict::Unknown
        }
        _ => false,
    })
}
