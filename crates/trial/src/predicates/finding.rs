//! A finding as a predicate: the same solver stays wrong in the same way, with equally strong evidence.
//!
//! The accused runs first, because it rejects most candidates. Witnesses follow one by one, first the one that
//! helped last, until the oracle makes the claim. A script for a solver that needs a logic keeps one (see
//! [`named_logic`]). A candidate that leaves a result open although the input did not is rejected, and so is one in
//! which a wrong model has become a wrong answer: that is another bug.

use std::borrow::Cow;
use std::collections::BTreeSet;

use smelt_core::{Case, Cause, Claim, Class, Evidence, Kind, Outcome, Verdict};
use smelt_oracle::cause;
use smelt_reduce::{Care, Error, Predicate, PredicateSource};
use smelt_solvers::{Limits, Mode, Query};

use super::corner::open_operators;
use super::paced::PacedPanel;
use crate::kinds::{Runs, Showing, showing};
use crate::panel::Lineup;
use crate::panel::Panel;
use crate::solver::NamedSolver;
use crate::trial::{Judged, Scrutiny, Trial, answered_claims, query};

/// The claim of the oracle that is kept.
#[derive(Clone, Debug)]
pub struct Keep {
    /// The case that shows it: its model may still show the status of a smaller script.
    case: Case,
    /// How it is shown again.
    showing: &'static Showing,
    /// The kind.
    pub kind: Kind,
    /// The accused, by position in the lineup.
    pub accused: Vec<usize>,
    /// The weakest evidence that is enough.
    pub evidence: Option<Evidence>,
    /// The cause of a crash.
    crash: Option<Cause>,
    /// Whether that crash shows on the script alone, in a file, as a maintainer would run it.
    plain: bool,
    /// Partial operators that the input leaves open already.
    open: BTreeSet<String>,
    /// Whether the input has a model, so that it must not be lost.
    has_model: bool,
    /// The evidence in words.
    pub reason: String,
}

/// Runs a case once on every solver in fresh processes; the claims of the oracle, the strongest first.
pub fn find(lineup: Lineup<'_>, case: &Case) -> Result<Vec<Keep>, Error> {
    let script = &case.script;
    let trial = Trial { case, scrutiny: Scrutiny::Exhaust };
    let judged = Panel::new(lineup).hold(&trial, Mode::Fresh, |_| true)?;
    let Some(Judged { outcomes, judgement, .. }) = judged else { return Ok(Vec::new()) };
    let mut claims = judgement.claims;
    claims.sort_by_key(|c| (showing(c.kind).map(|(rank, _)| rank), c.evidence.is_none(), c.evidence));
    let has_model = judgement.models.iter().flatten().flatten().any(|r| r.truth == smelt_oracle::Truth::True);
    let open = open_operators(script);
    let mut panel = PacedPanel::new(lineup);
    let mut keep = |(c, showing): (Claim, &'static Showing)| {
        let (mut crash, mut plain) = (None, false);
        if let (Class::Crash, Some(&who)) = (c.kind.class(), c.positions().first()) {
            let place = |o: &Outcome| o.crash.as_ref().map(cause::of_crash);
            let alone = place(&panel.ask(who, Query::new(&script[..]), Care::Fresh)?);
            plain = alone.is_some();
            crash = alone.or_else(|| outcomes[who].as_ref().and_then(place));
        }
        Ok(Keep {
            case: case.clone(),
            showing,
            kind: c.kind,
            evidence: c.evidence,
            crash,
            plain,
            open: open.clone(),
            has_model,
            reason: c.reason.to_string(),
            accused: c.positions(),
        })
    };
    let shown = claims.into_iter().filter_map(|c| showing(c.kind).map(|(_, showing)| (c, showing)));
    shown.map(&mut keep).collect()
}

/// The script to reduce for a finding against these solvers: it names a logic, if one of them needs one. With a logic that is
/// chosen anew for each candidate, an operator would have to stay only because the logic depends on it.
pub fn named_logic<'s>(solvers: &[NamedSolver], accused: &[usize], script: &'s [u8]) -> Cow<'s, [u8]> {
    let named = accused.iter().map(|who| solvers[*who].solver.name_logic(script));
    named.into_iter().find(|text| matches!(text, Cow::Owned(_))).unwrap_or(script.into())
}

/// Makes predicates that keep a finding.
pub struct FindingSource<'a> {
    lineup: Lineup<'a>,
    keep: &'a Keep,
}

impl<'a> FindingSource<'a> {
    /// Keeps a finding of these solvers.
    pub fn new(lineup: Lineup<'a>, keep: &'a Keep) -> FindingSource<'a> {
        FindingSource { lineup, keep }
    }
}

impl PredicateSource for FindingSource<'_> {
    fn open(&self) -> Result<Box<dyn Predicate + '_>, Error> {
        let all = 0..self.lineup.solvers.len();
        let witnesses = all.filter(|i| !self.keep.accused.contains(i)).collect();
        let panel = PacedPanel::new(self.lineup);
        Ok(Box::new(Keeping { keep: self.keep, limits: self.lineup.limits, panel, witnesses }))
    }

    fn describe(&self) -> String {
        let names: Vec<String> =
            self.keep.accused.iter().map(|i| self.lineup.solvers[*i].solver.id().to_string()).collect();
        format!("{} still triggers {}", names.join(" and "), self.keep.kind)
    }
}

struct Keeping<'a> {
    keep: &'a Keep,
    limits: Limits,
    panel: PacedPanel<'a>,
    /// The witnesses, the most useful first.
    witnesses: Vec<usize>,
}

impl Predicate for Keeping<'_> {
    fn holds(&mut self, script: &[u8], care: Care) -> Result<bool, Error> {
        let mut outcomes: Vec<Option<Outcome>> = vec![None; self.panel.solvers().len()];
        if let Cow::Owned(_) = named_logic(self.panel.solvers(), &self.keep.accused, script) {
            return Ok(false);
        }
        for &who in &self.keep.accused {
            let asked = if self.keep.plain { Query::new(script) } else { query(script, self.limits.time) };
            let outcome = self.panel.ask(who, asked, care)?;
            if !self.may_be_it(&outcome) {
                return Ok(false);
            }
            outcomes[who] = Some(outcome);
        }
        let holds = match self.keep.kind.class() {
            Class::Crash => true,
            _ => {
                open_operators(script).is_subset(&self.keep.open)
                    && self.is_charged(script, care, &mut outcomes)?
                    && self.stays_in_kind(script, care, &mut outcomes)?
            }
        };
        if holds {
            for (who, outcome) in outcomes.iter().enumerate() {
                if let Some(outcome) = outcome {
                    self.panel.learn(who, outcome);
                }
            }
        }
        Ok(holds)
    }
}

impl Keeping<'_> {
    /// Whether the outcome of an accused can be the finding at all.
    fn may_be_it(&self, outcome: &Outcome) -> bool {
        let is_same_crash = || outcome.crash.as_ref().map(cause::of_crash) == self.keep.crash;
        (self.keep.showing.may_show)(outcome) && (self.keep.crash.is_none() || is_same_crash())
    }

    /// Runs witnesses until the oracle makes the claim.
    fn is_charged(
        &mut self,
        script: &[u8],
        care: Care,
        outcomes: &mut [Option<Outcome>],
    ) -> Result<bool, Error> {
        // The model of the case, or every assignment of a small script, may show it without a witness.
        if self.claim(script, care, outcomes)? {
            return Ok(true);
        }
        if self.keep.showing.runs == Runs::Accused || self.keep.evidence == Some(Evidence::SelfCheck) {
            return Ok(false);
        }
        for at in 0..self.witnesses.len() {
            let who = self.witnesses[at];
            let outcome = self.panel.ask(who, query(script, self.limits.time), care)?;
            let useful = !outcome.answers.is_empty();
            outcomes[who] = Some(outcome);
            if useful && self.claim(script, care, outcomes)? {
                self.witnesses[..=at].rotate_right(1);
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Whether the answer to a question of the oracle may be what shows the finding.
    fn asks(&self) -> bool {
        matches!(self.keep.kind.class(), Class::Core | Class::Optimum | Class::Interpolant)
    }

    fn claim(&mut self, script: &[u8], care: Care, outcomes: &[Option<Outcome>]) -> Result<bool, Error> {
        let solvers = self.panel.solvers();
        let case = self.keep.case.changed(script);
        let trial = Trial { case: &case, scrutiny: Scrutiny::Exhaust };
        let judgement = trial.judge(solvers, outcomes, &[]);
        let mut claims = judgement.claims.clone();
        if !judgement.questions.is_empty() && self.asks() {
            claims.extend(answered_claims(solvers, &judgement, |i, q| self.panel.ask(i, q, care).map(Some))?);
        }
        let enough = |e: Option<Evidence>| match (self.keep.evidence, e) {
            (None, _) => true,
            (Some(least), Some(e)) => e <= least,
            (Some(_), None) => false,
        };
        let same =
            |c: &Claim| c.kind == self.keep.kind && c.positions() == self.keep.accused && enough(c.evidence);
        Ok(claims.iter().any(same))
    }

    /// A wrong model of a satisfiable formula must not become a model of an unsatisfiable formula.
    fn stays_in_kind(
        &mut self,
        script: &[u8],
        care: Care,
        outcomes: &mut [Option<Outcome>],
    ) -> Result<bool, Error> {
        if !self.keep.showing.stays_sat || !self.keep.has_model {
            return Ok(true);
        }
        for who in self.witnesses.clone() {
            if outcomes[who].is_none() {
                outcomes[who] = Some(self.panel.ask(who, query(script, self.limits.time), care)?);
            }
            let said = |v| outcomes[who].iter().flat_map(Outcome::verdicts).any(|a| a == Some(v));
            if said(Verdict::Unsat) {
                return Ok(false);
            }
            if said(Verdict::Sat) {
                return Ok(true);
            }
        }
        Ok(true)
    }
}
