//! The history of a bug: which releases of a solver show it.
//!
//! The oracle judges all releases together, with references beside them: a model that one of them finds and our
//! evaluator accepts refutes every other that says unsat. A bad release was bad in three fresh processes.

use serde::{Deserialize, Serialize};
use smelt_core::{
    Crash, Evidence, Expectation, FindingKind, Outcome, OutcomeKind, SolverId, Verdict, Version, fixed_words,
};
use smelt_oracle::{CaseScript, Claim, Judgement, Reason, Truth as ModelTruth};
use smelt_solvers::{Limits, Mode};

use crate::class::{Class, wrong_answer};
use smelt_trial::{
    AT_ONCE, Error, IsOver, Judged, Lineup, NamedSolver, Panel, RUNS, SLOW, Trial, is_decided, query,
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

/// The source of the right answer, besides models.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Truth {
    /// The right answer is not known.
    #[default]
    Open,
    /// The user says so.
    Said(Verdict),
    /// Known by construction.
    Made(Verdict),
}

fixed_words! {
    /// The standing of a release.
    Standing {
        /// It shows the bug.
        Bad = "bad",
        /// It gives a right answer.
        Good = "good",
        /// It refuses the script, gives up, or nothing shows whether it is right.
        Unclear = "unclear",
        /// It was not run.
        Untested = "untested",
    }
}

fixed_words! {
    /// Why a release that fails is not called bad.
    Doubt {
        /// It was bad once, and not in another run.
        SomeRuns = "some-runs",
        /// It crashes in another way than the accused.
        AnotherCrash = "another-crash",
        /// It is wrong in the other direction: unsat, where the accused says sat, or the reverse.
        AnotherAnswer = "another-answer",
        /// It does not crash, but what it answers is wrong, or contradicts others.
        WrongAnswer = "wrong-answer",
    }
}

/// One release.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Release {
    /// Name and version.
    pub solver: SolverId,
    /// Its standing.
    pub standing: Standing,
    /// Its outcome.
    pub outcome: Option<OutcomeKind>,
    /// How long that took.
    pub wall_ms: f64,
    /// The kind of the finding.
    pub kind: Option<FindingKind>,
    /// The evidence.
    pub evidence: Option<Evidence>,
    /// The evidence in words, or the message it gave instead of an answer.
    pub reason: Option<String>,
    /// Why it is not called bad although it fails.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub doubt: Option<Doubt>,
    /// How it crashed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub crash: Option<Crash>,
}

impl Release {
    /// A release of which only the standing is known.
    pub fn new(solver: SolverId, standing: Standing) -> Release {
        Release {
            solver,
            standing,
            outcome: None,
            wall_ms: 0.0,
            kind: None,
            evidence: None,
            reason: None,
            doubt: None,
            crash: None,
        }
    }

    /// Whether it crashes like another: in the same file of the source, or with the same signal.
    fn crashes_like(&self, other: &Release) -> bool {
        let file =
            |crash: &Crash| crash.site.as_ref().map(|s| s.split(':').next().unwrap_or_default().to_owned());
        match (&self.crash, &other.crash) {
            (Some(a), Some(b)) => match (file(a), file(b)) {
                (Some(a), Some(b)) => a == b,
                // Not every release tells the place of a failed check.
                _ => (a.kind, a.signal) == (b.kind, b.signal),
            },
            _ => false,
        }
    }
}

/// The releases of a solver, oldest first, and which are bad.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct History {
    /// All of them.
    pub releases: Vec<Release>,
}

/// Releases in a row that are all bad or all good; unclear ones between them do not count.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Run<'a> {
    /// Whether they are bad.
    pub bad: bool,
    /// The oldest.
    pub first: &'a SolverId,
    /// The newest.
    pub last: &'a SolverId,
}

impl History {
    /// Releases that crash in another way than the accused, or are wrong in the other direction, may have another bug: they are
    /// no longer called bad.
    pub(crate) fn doubt_others(&mut self, accused: Option<&Version>) {
        let is_accused = |r: &&Release| r.solver.version() == accused;
        let Some(accused) = self.releases.iter().find(is_accused).cloned() else { return };
        let says = |r: &Release| r.kind.and_then(wrong_answer);
        for release in self.releases.iter_mut().filter(|r| r.standing == Standing::Bad) {
            let doubt = match (&accused.crash, &release.crash) {
                (Some(_), Some(_)) if !release.crashes_like(&accused) => Doubt::AnotherCrash,
                (None, None) if says(release).is_some_and(|own| says(&accused).is_some_and(|a| a != own)) => {
                    Doubt::AnotherAnswer
                }
                _ => continue,
            };
            release.standing = Standing::Unclear;
            release.doubt = Some(doubt);
        }
    }

    /// The runs, oldest first.
    pub fn runs(&self) -> Vec<Run<'_>> {
        let mut runs: Vec<Run<'_>> = Vec::new();
        for release in &self.releases {
            let bad = match release.standing {
                Standing::Bad => true,
                Standing::Good => false,
                Standing::Unclear | Standing::Untested => continue,
            };
            match runs.last_mut() {
                Some(run) if run.bad == bad => run.last = &release.solver,
                _ => runs.push(Run { bad, first: &release.solver, last: &release.solver }),
            }
        }
        runs
    }

    /// Releases of one standing.
    pub fn with(&self, standing: Standing) -> impl Iterator<Item = &Release> {
        self.releases.iter().filter(move |r| r.standing == standing)
    }

    /// The oldest bad release.
    pub fn first_bad(&self) -> Option<&SolverId> {
        self.with(Standing::Bad).next().map(|r| &r.solver)
    }

    /// The newest bad release.
    pub fn last_bad(&self) -> Option<&SolverId> {
        self.with(Standing::Bad).last().map(|r| &r.solver)
    }

    /// The newest good release before the first bad one.
    pub fn last_good(&self) -> Option<&SolverId> {
        let first = self.releases.iter().position(|r| r.standing == Standing::Bad)?;
        self.releases[..first].iter().rev().find(|r| r.standing == Standing::Good).map(|r| &r.solver)
    }

    /// The oldest good release after the last bad one.
    pub fn fixed_in(&self) -> Option<&SolverId> {
        let last = self.releases.iter().rposition(|r| r.standing == Standing::Bad)?;
        self.releases[last..].iter().find(|r| r.standing == Standing::Good).map(|r| &r.solver)
    }

    /// Whether the bug appeared and disappeared at most once.
    pub fn is_monotone(&self) -> bool {
        self.runs().iter().filter(|r| r.bad).count() <= 1
    }

    /// The history in one line.
    pub fn summary(&self) -> String {
        let version = |id: &SolverId| id.version().map_or_else(|| id.to_string(), Version::to_string);
        let runs = self.runs();
        let span = |run: &Run<'_>| match (version(run.first), version(run.last)) {
            (a, b) if a == b => a,
            (a, b) => format!("every judged release from {a} to {b}"),
        };
        // Releases that refuse the script say nothing about the bug.
        let judged = |r: &Release| matches!(r.standing, Standing::Bad | Standing::Good);
        let older = self.releases.iter().take_while(|r| !judged(r)).count();
        let since = match older {
            0 => "no older one was tried".to_owned(),
            1 => format!("{} could not be judged", version(&self.releases[0].solver)),
            n => format!(
                "{} to {} could not be judged",
                version(&self.releases[0].solver),
                version(&self.releases[n - 1].solver)
            ),
        };
        // Releases that were not judged say nothing.
        let newer = self.releases.iter().rev().take_while(|r| !judged(r)).count();
        let newest = &self.releases[self.releases.len() - newer..];
        let last = match newest {
            [] => "no newer one was tried".to_owned(),
            [one] => format!("{} could not be judged", version(&one.solver)),
            [first, .., last] => {
                format!("{} to {} could not be judged", version(&first.solver), version(&last.solver))
            }
        };
        let open = if newest.is_empty() { String::new() } else { format!("; {last}") };
        match &runs[..] {
            [] if self.releases.is_empty() => "no other release was tried".to_owned(),
            [] => "no release could be judged".to_owned(),
            [run] if run.bad => format!("bad in {}, {since}; {last}", span(run)),
            [_] => "no release is bad".to_owned(),
            [old, new] if old.bad => {
                format!("bad in {}, {since}; good in {}{open}", span(old), span(new))
            }
            [old, new] => {
                format!("good in {}, bad in {}; {last}", span(old), span(new))
            }
            [before, bad, after] if bad.bad => {
                let (before, bad, after) = (span(before), span(bad), span(after));
                format!("good in {before}, bad in {bad}, good again in {after}{open}")
            }
            many => {
                let parts: Vec<String> = many
                    .iter()
                    .map(|r| format!("{} in {}", if r.bad { "bad" } else { "good" }, span(r)))
                    .collect();
                format!("not monotone: {}", parts.join(", "))
            }
        }
    }
}

/// A script put to many releases.
#[derive(Debug)]
pub struct Inquiry {
    script: Vec<u8>,
    truth: Truth,
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
    pub fn new(
        script: &[u8],
        truth: Truth,
        symptom: Symptom,
        references: Vec<NamedSolver>,
        limits: Limits,
    ) -> Inquiry {
        let count = references.len();
        Inquiry {
            label: CaseScript::new(script).label().filter(|v| *v != Verdict::Unknown),
            script: script.to_vec(),
            truth,
            symptom,
            limits,
            outcomes: vec![None; count],
            flaky: vec![false; count],
            references: count,
            solvers: references,
        }
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
        let asked = query(&self.script, self.limits.time);
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
        let verdict = match self.truth {
            Truth::Open => None,
            Truth::Said(v) | Truth::Made(v) => Some(v),
        };
        let judgement = self.judge(expectation(verdict));
        let settled = |c: &Claim| Class::of(c.kind) == Class::Wrong && c.evidence.is_some();
        if verdict.is_none() && self.label.is_some() && !judgement.claims.iter().any(settled) {
            return self.judge(expectation(self.label));
        }
        judgement
    }

    /// The solver whose model refutes the user's answer, if there is one.
    pub fn refuted(&self) -> Option<&SolverId> {
        let Truth::Said(verdict) = self.truth else { return None };
        let trial = Trial::expecting(&self.script, expectation(Some(verdict)));
        let judgement = trial.judge(&self.solvers, &self.outcomes, &[]);
        Some(self.solvers[judgement.conflicts.first()?.witness?].solver.id())
    }

    fn judge(&self, expectation: Expectation) -> Judgement {
        let trial = Trial::expecting(&self.script, expectation);
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
        let claim = claims.filter(|c| c.accused.contains(&who)).find(|c| match self.symptom {
            Symptom::Class(class) => Class::of(c.kind) == class,
            Symptom::Finding => true,
            Symptom::Outcome(_) => false,
        });
        if let Some(claim) = claim {
            release.kind = Some(claim.kind);
            release.evidence = claim.evidence;
            release.reason = Some(self.explain(claim));
        }
        let settled = claim.map(|c| c.accused.len() == 1);
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
            release.reason = Some("flaky: seen, and not again in fresh processes".to_owned());
            release.doubt = Some(Doubt::SomeRuns);
        }
        release
    }

    /// Whether something or somebody contradicts an answer.
    fn is_doubted(&self, who: usize, judgement: &Judgement) -> bool {
        judgement.claims.iter().any(|c| Class::of(c.kind) == Class::Wrong && c.accused.contains(&who))
    }

    /// Whether an answer that nobody refutes is right. Where wrong answers are the symptom, something must show that.
    fn is_right(&self, who: usize, judgement: &Judgement) -> bool {
        if !matches!(self.symptom, Symptom::Finding | Symptom::Class(Class::Wrong)) {
            return true;
        }
        let said = |i: usize| {
            let model = judgement.models.get(i).and_then(|m| m.last()?.as_ref()).map(|r| r.truth);
            Some((self.outcomes[i].as_ref()?.verdicts().last().flatten()?, model))
        };
        let known = match self.truth {
            Truth::Open => None,
            Truth::Said(v) | Truth::Made(v) => Some(v),
        };
        let others: Vec<_> = (0..self.references).filter_map(said).collect();
        let shown: Vec<FindingKind> =
            judgement.claims.iter().filter(|c| c.evidence.is_some()).map(|c| c.kind).collect();
        said(who).is_some_and(|own| is_shown_right(own, known.or(self.label), &others, &shown))
    }

    fn explain(&self, claim: &Claim) -> String {
        match (&claim.reason, self.truth) {
            (Reason::Construction(v), Truth::Said(_)) => format!("it is {v}, as --expect says"),
            (Reason::Construction(v), Truth::Open) => {
                format!("the file's :status is {v}, a label and no evidence")
            }
            (reason, _) => reason.to_string(),
        }
    }
}

fn expectation(verdict: Option<Verdict>) -> Expectation {
    match verdict {
        Some(Verdict::Sat) => Expectation::Sat,
        Some(Verdict::Unsat) => Expectation::Unsat,
        _ => Expectation::None,
    }
}

pub(super) fn is_slow(outcome: &Outcome) -> bool {
    matches!(outcome.kind, OutcomeKind::Timeout | OutcomeKind::Memout) || outcome.usage.time() >= SLOW
}

/// An answer, and the truth of its model.
type Answered = (Verdict, Option<ModelTruth>);

/// Whether an answer is shown to be right: by its model, by what is known of the script, by solvers of other families
/// that say the same, or by kinds of findings of others. A model must be true itself if that of another is false.
fn is_shown_right(own: Answered, known: Option<Verdict>, others: &[Answered], shown: &[FindingKind]) -> bool {
    let (answer, model) = own;
    let refuted = match answer {
        Verdict::Sat => FindingKind::RefutationUnsound,
        _ => FindingKind::SolutionUnsound,
    };
    let is_known = known == Some(answer) || shown.contains(&refuted) || others.iter().any(|o| o.0 == answer);
    match answer {
        Verdict::Sat if model == Some(ModelTruth::True) => true,
        Verdict::Sat => is_known && !shown.contains(&FindingKind::InvalidModel),
        _ => is_known,
    }
}

/// Whether it gave an answer that the oracle could have refuted.
fn is_answer(outcome: &Outcome) -> bool {
    outcome.comparable && is_decided(outcome)
}

#[cfg(test)]
mod tests {
    use super::*;
    use smelt_core::CrashKind;

    fn history(words: &str) -> History {
        let releases = words.split_whitespace().enumerate().map(|(i, word)| {
            let standing = match word {
                "bad" => Standing::Bad,
                "good" => Standing::Good,
                _ => Standing::Unclear,
            };
            Release::new(SolverId::new("s", format!("1.{i}").parse().ok()), standing)
        });
        History { releases: releases.collect() }
    }

    #[test]
    fn a_release_that_crashes_in_another_way_is_not_called_bad() {
        let crash = |signal: Option<i32>, site: Option<&str>| Crash {
            kind: if site.is_some() { CrashKind::Assertion } else { CrashKind::Signal },
            signal,
            exit_code: None,
            site: site.map(str::to_owned),
            message: String::new(),
            stack: Vec::new(),
        };
        let mut history = history("bad bad bad bad good");
        let crashes = [
            crash(Some(11), None),
            crash(Some(11), None),
            crash(None, Some("a.cpp:9")),
            crash(Some(6), None),
        ];
        for (release, crash) in history.releases.iter_mut().zip(&crashes) {
            release.crash = Some(crash.clone());
        }
        let mut of_the_third = history.clone();
        history.doubt_others("1.1".parse().ok().as_ref());
        let doubted = |h: &History| h.releases.iter().map(|r| r.doubt.is_some()).collect::<Vec<_>>();
        assert_eq!(doubted(&history), [false, false, true, true, false]);
        assert_eq!(history.with(Standing::Bad).count(), 2);
        // Not every release tells the place of a failed check.
        let mut placeless = of_the_third.clone();
        placeless.releases[3].crash = Some(Crash { kind: CrashKind::Assertion, ..crash(None, None) });
        placeless.doubt_others("1.2".parse().ok().as_ref());
        assert_eq!(doubted(&placeless), [true, true, false, false, false]);
        // The same place has another line in another release.
        of_the_third.releases[3].crash = Some(crash(None, Some("a.cpp:12")));
        of_the_third.doubt_others("1.2".parse().ok().as_ref());
        assert_eq!(doubted(&of_the_third), [true, true, false, false, false]);
        // Nothing is said if the accused did not crash this time.
        of_the_third.doubt_others("1.4".parse().ok().as_ref());
        assert_eq!(of_the_third.with(Standing::Bad).count(), 2);
    }

    #[test]
    fn a_history_is_told_in_one_line() {
        for (words, line) in [
            ("", "no other release was tried"),
            ("? ?", "no release could be judged"),
            ("good ? good", "no release is bad"),
            (
                "bad ? bad",
                "bad in every judged release from 1.0 to 1.2, no older one was tried; no newer one was tried",
            ),
            (
                "? ? bad bad",
                "bad in every judged release from 1.2 to 1.3, 1.0 to 1.1 could not be judged; no newer one was tried",
            ),
            ("? bad ? ?", "bad in 1.1, 1.0 could not be judged; 1.2 to 1.3 could not be judged"),
            ("good bad ?", "good in 1.0, bad in 1.1; 1.2 could not be judged"),
            (
                "bad good good",
                "bad in 1.0, no older one was tried; good in every judged release from 1.1 to 1.2",
            ),
            (
                "good ? bad bad",
                "good in 1.0, bad in every judged release from 1.2 to 1.3; no newer one was tried",
            ),
            ("good bad good", "good in 1.0, bad in 1.1, good again in 1.2"),
            ("bad good bad", "not monotone: bad in 1.0, good in 1.1, bad in 1.2"),
        ] {
            assert_eq!(history(words).summary(), line, "{words}");
        }
    }

    #[test]
    fn a_release_is_good_only_if_something_shows_that_it_is_right() {
        use FindingKind::{InvalidModel, RefutationUnsound, SolutionUnsound};
        use Verdict::{Sat, Unsat};
        let (sure, unsure) = (Some(ModelTruth::True), Some(ModelTruth::Unknown));
        for (own, known, others, shown, right) in [
            ((Sat, sure), None, &[][..], &[InvalidModel][..], true),
            // The model of an older release is false, and nobody can tell of this one.
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

    #[test]
    fn first_and_last_are_counted_over_unclear_releases() {
        let h = history("good ? bad ? bad ? good");
        let version = |id: Option<&SolverId>| id.and_then(|i| i.version()).map(ToString::to_string);
        assert_eq!(version(h.last_good()).as_deref(), Some("1.0"));
        assert_eq!(version(h.first_bad()).as_deref(), Some("1.2"));
        assert_eq!(version(h.last_bad()).as_deref(), Some("1.4"));
        assert_eq!(version(h.fixed_in()).as_deref(), Some("1.6"));
        assert!(h.is_monotone() && !history("bad good bad").is_monotone());
    }
}
