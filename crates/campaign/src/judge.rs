//! Judging: the outcomes of an entry become findings, and new ones are confirmed.

use smelt_core::{Case, Claim, Kind, Outcome, Verdict};
use smelt_oracle::rule_of;
use smelt_solvers::Mode;
use smelt_store::{Error, NewFinding};
use smelt_trial::{
    Inquest, IsOver, Judged, Lineup, Panel, RUNS, Trial, is_decided, is_unknown, query, suspicions,
};
use std::time::{Duration, Instant};

use crate::entry::Entry;
use crate::lab::Lab;
use crate::ledger::{Due, RETRIES, Suspected};
use crate::preflight::QUERY;
use crate::timeouts::SELDOM;

/// A solver is asked about the step before a case this often for each investigation: most of these questions, which cost
/// little, end there.
const QUESTIONS: u32 = SELDOM as u32 * RETRIES;

/// The judge of one worker, with solvers of its own.
pub(crate) struct Judge<'a> {
    lab: &'a Lab<'a>,
    panel: Panel<'a>,
    /// Time spent waiting for these solvers, until it is taken.
    waited: Duration,
    /// Bugs that the ledger did not know before, until they are taken.
    new_bugs: u32,
}

impl<'a> Judge<'a> {
    pub(crate) fn new(lab: &'a Lab<'a>, is_over: IsOver<'a>) -> Judge<'a> {
        let lineup = Lineup { solvers: &lab.config.solvers, limits: lab.limits, is_over };
        Judge { lab, panel: Panel::new(lineup), waited: Duration::ZERO, new_bugs: 0 }
    }

    /// Time spent waiting for solvers since the last call.
    pub(crate) fn take_waited(&mut self) -> Duration {
        std::mem::take(&mut self.waited)
    }

    /// How many bugs were new to the ledger since the last call.
    pub(crate) fn take_new_bugs(&mut self) -> u32 {
        std::mem::take(&mut self.new_bugs)
    }

    /// The claims of the oracle about an entry; new claims are confirmed. `None` if the campaign ended meanwhile.
    pub(crate) fn findings(
        &mut self,
        entry: &Entry,
        outcomes: &[Option<Outcome>],
        seed: &[Option<Outcome>],
    ) -> Result<Option<Vec<NewFinding>>, Error> {
        let lab = self.lab;
        let trial = Trial::from(&entry.case);
        if !trial.is_interesting(outcomes) {
            return Ok(Some(Vec::new()));
        }
        let start = Instant::now();
        let (outcomes, seed, wall) = (outcomes.to_vec(), seed.to_vec(), lab.timeouts.first());
        let judged = self.panel.judge(&trial, outcomes, seed, Mode::Reuse, wall)?;
        if !judged.judgement.questions.is_empty() {
            self.waited += start.elapsed();
        }
        let (bytes, number) = (entry.case.script.len(), stored_number(entry));
        let claims = &judged.judgement.claims;
        let seed = if let [seed] = entry.seeds[..] { Some(seed) } else { None };
        let mutant_of = seed.filter(|_| !entry.is_probe());
        // What a case made of several seeds shows may come from any of them.
        let sources: &[usize] = if entry.is_probe() { &[] } else { &entry.seeds };
        let of_seeds = |c: &Claim| sources.iter().find_map(|&seed| lab.ledger.of_seed(seed, c));
        let known: Vec<Option<Claim>> = claims.iter().map(of_seeds).collect();
        let must = |(c, known): (&Claim, &Option<Claim>)| {
            known.is_none() && lab.ledger.must_confirm(c, bytes, number)
        };
        let is_new: Vec<bool> = claims.iter().zip(&known).map(must).collect();
        let new: Vec<&Claim> = claims.iter().zip(&is_new).filter(|(_, n)| **n).map(|(c, _)| c).collect();
        let Some(runs) = self.confirm(&trial, &judged, &new)? else { return Ok(None) };
        let mut runs = runs.into_iter();
        let mut findings = Vec::new();
        for ((claim, is_new), known) in claims.iter().zip(is_new).zip(known) {
            let seen = if is_new { runs.next() } else { None };
            if let Some(seen) = seen {
                self.new_bugs += u32::from(lab.ledger.note(claim, seen, bytes, number));
            }
            match (mutant_of, seed) {
                (Some(seed), _) if seen == Some(RUNS) => lab.ledger.note_mutant(seed, claim),
                (None, Some(seed)) => lab.ledger.note_seed(seed, claim),
                _ => {}
            }
            let claim = known.unwrap_or_else(|| claim.clone());
            findings.push(new_finding(lab, entry, claim, seen, &judged.outcomes));
        }
        Ok(Some(findings))
    }

    /// In how many fresh runs each claim repeated; `None` if the campaign ended meanwhile.
    fn confirm(
        &mut self,
        trial: &Trial<'_>,
        judged: &Judged,
        claims: &[&Claim],
    ) -> Result<Option<Vec<u32>>, Error> {
        if claims.is_empty() {
            return Ok(Some(Vec::new()));
        }
        let start = Instant::now();
        let longest = judged.outcomes.iter().flatten().map(|o| o.usage.time()).max().unwrap_or_default();
        let wall = self.lab.config.timeout.max(QUERY).max(2 * longest);
        let runs = self.panel.confirm(trial, judged, claims, wall)?;
        self.waited += start.elapsed();
        Ok(runs)
    }

    /// Investigates answers that another release of the same solver gives sooner or at all.
    pub(crate) fn regressions(
        &mut self,
        entry: &Entry,
        outcomes: &[Option<Outcome>],
    ) -> Result<Vec<NewFinding>, Error> {
        let mut findings = Vec::new();
        for suspicion in suspicions(&self.lab.config.solvers, outcomes) {
            let due = if suspicion.gave_up { Due::Regression } else { Due::Speed };
            let suspected = self.suspected(entry, suspicion.accused, due);
            if self.may_look(entry, &suspected) {
                let start = Instant::now();
                let result = self.panel.look_into_regression(suspicion, &entry.case.script, None)?;
                self.waited += start.elapsed();
                findings.extend(self.settled(entry, result, suspected, outcomes));
            }
        }
        Ok(findings)
    }

    /// Investigates answers that the solver gave one step before.
    pub(crate) fn implications(
        &mut self,
        entry: &Entry,
        outcomes: &[Option<Outcome>],
    ) -> Result<Vec<NewFinding>, Error> {
        let Some(before) = &entry.case.before else { return Ok(Vec::new()) };
        let mut findings = Vec::new();
        let unknown = |i: &usize| outcomes[*i].as_ref().is_some_and(is_unknown);
        for accused in (0..outcomes.len()).filter(unknown) {
            let suspected = self.suspected(entry, accused, Due::Implication);
            // Often the step before is not decided either: one cheap question comes before an investigation.
            if !self
                .lab
                .source
                .investigates(entry.number())
                .unwrap_or_else(|| self.lab.ledger.may_ask(&suspected, QUESTIONS))
            {
                continue;
            }
            let start = Instant::now();
            let asked = query(before, self.lab.timeouts.first());
            let said = self.panel.ask(accused, asked, Mode::Reuse)?.filter(is_decided);
            let said = said.and_then(|o| o.kind.verdict());
            let due = said.is_some() && entry.case.expectation().settle(said) == said;
            if due && self.may_look(entry, &suspected) {
                let step = entry.case.provenance.steps.last().map(String::as_str);
                let pair = (&before[..], &entry.case.script[..]);
                let result =
                    self.panel.look_into_implication(accused, pair, entry.case.expectation(), step, None)?;
                findings.extend(self.settled(entry, result, suspected, outcomes));
            }
            self.waited += start.elapsed();
        }
        Ok(findings)
    }

    /// Whether a suspicion is investigated: a few times each; where cases are functions of their numbers, by chance.
    fn may_look(&self, entry: &Entry, suspected: &Suspected) -> bool {
        self.lab
            .source
            .investigates(entry.number())
            .unwrap_or_else(|| self.lab.ledger.may_look(suspected, RETRIES))
    }

    fn suspected(&self, entry: &Entry, accused: usize, due: Due) -> Suspected {
        let solver = self.lab.config.solvers[accused].solver.id().clone();
        let step = entry.case.provenance.steps.last().filter(|_| due == Due::Implication);
        let rule = step.and_then(|s| rule_of(s)).unwrap_or_default();
        Suspected::of(solver, due, rule, &entry.case.script)
    }

    /// The finding of a confirmed claim, if the investigation made one.
    fn settled(
        &mut self,
        entry: &Entry,
        result: Inquest,
        suspected: Suspected,
        outcomes: &[Option<Outcome>],
    ) -> Option<NewFinding> {
        let Inquest::Claim(claim) = result else { return None };
        self.lab.ledger.close(suspected);
        let bytes = entry.case.script.len();
        self.new_bugs += u32::from(self.lab.ledger.note(&claim, RUNS, bytes, stored_number(entry)));
        Some(new_finding(self.lab, entry, *claim, Some(RUNS), outcomes))
    }
}

/// Why the label of a seed is wrong or doubtful, given the status that evidence backs.
pub(crate) fn dispute(
    lab: &Lab<'_>,
    entry: &Entry,
    outcomes: &[Option<Outcome>],
    status: Option<Verdict>,
) -> Option<String> {
    use Verdict::{Sat, Unsat};
    let text = &lab.seeds.texts[entry.seeds[0]];
    if text.is_disputed() {
        return Some("its folder and its :status contradict each other: both are ignored".into());
    }
    let label = text.label()?;
    let other = if label == Sat { Unsat } else { Sat };
    let who = |v| {
        let said = move |o: &Option<Outcome>| o.as_ref().is_some_and(|o| o.kind.verdict() == Some(v));
        (0..outcomes.len()).find(move |i| said(&outcomes[*i]))
    };
    let id = lab.config.solvers[who(other)?].solver.id();
    match status {
        Some(known) if known == label => None,
        Some(Sat) => Some("labelled unsat, but it has a model: label ignored".into()),
        Some(_) => Some("labelled sat, but independent solvers answer unsat: label ignored".into()),
        None if who(label).is_none() => Some(format!(
            "labelled {label}, but {id} answers {other} and no solver answers {label}: label ignored"
        )),
        None => None,
    }
}

/// The number that a finding is stored with: that of the case, or of the seed.
fn stored_number(entry: &Entry) -> u64 {
    entry.number().unwrap_or_else(|| entry.seeds[0] as u64)
}

fn new_finding(
    lab: &Lab<'_>,
    entry: &Entry,
    claim: Claim,
    seen: Option<u32>,
    outcomes: &[Option<Outcome>],
) -> NewFinding {
    let asked = || lab.config.solvers.iter().zip(outcomes).filter_map(|(c, o)| Some((c, o.as_ref()?)));
    let said: Vec<serde_json::Value> = asked()
        .map(|(c, o)| {
            serde_json::json!({
                "solver": c.solver.id(), "spec": c.spec, "outcome": o.kind, "message": o.message, "crash": o.crash,
                "wall_ms": o.usage.wall.as_secs_f64() * 1e3, "answers": o.answers,
            })
        })
        .collect();
    let story = serde_json::json!({
        "kind": claim.kind, "accused": claim.solvers(), "evidence": claim.evidence, "theory": claim.theory,
        "fingerprint": claim.key().to_string(), "reason": claim.reason.to_string(), "query": claim.query,
        "seen": seen, "number": entry.number().unwrap_or(0), "expectation": entry.case.expectation(),
        "provenance": entry.case.provenance, "outcomes": said,
        "certificate": entry.case.certificate, "before": entry.case.before.as_ref().map(|b| String::from_utf8_lossy(b)),
    });
    let is_pair = claim.kind == Kind::IncompleteImplication;
    let of_seed = |s: &usize| {
        let seed = &lab.seeds.texts[*s];
        (seed.hash.to_string(), seed.name.clone(), seed.text.clone())
    };
    NewFinding {
        claim,
        number: stored_number(entry),
        case: Case { before: entry.case.before.clone().filter(|_| is_pair), ..entry.case.clone() },
        seen,
        solvers: asked().map(|(c, _)| c.spec.clone()).collect(),
        story,
        seeds: entry.seeds.iter().map(of_seed).collect(),
    }
}
