//! The rules: from outcomes to charges, strongest evidence first, never both sides.

use crate::{
    charge::{Charge, Reason},
    core::{CoreQuestion, FirstLook, look},
    fingerprint,
    reading::{ModelReport, Reading},
};
use smelt_core::{CrashKind, Evidence, Expectation, FindingKind, Outcome, OutcomeKind, SolverId, Verdict};
use smelt_semantics::model::Truth;
use std::collections::BTreeSet;

/// What one solver did with the case.
#[derive(Clone, Copy, Debug)]
pub struct Testimony<'a> {
    /// Which solver.
    pub solver: &'a SolverId,
    /// What it is a build of (see [`family`]): releases and settings of one solver err together, and have one vote.
    pub family: &'a str,
    /// What it did.
    pub outcome: &'a Outcome,
    /// What it did with the seed, for cases tied to their seed's answer.
    pub seed: Option<&'a Outcome>,
}

/// The family of a solver, by the name of its profile and its own: what no profile knows stands for itself.
///
/// cvc5 grew out of CVC4, and Bitwuzla out of Boolector: a bug in one is often in the other.
pub fn family<'a>(profile: &'a str, solver: &'a str) -> &'a str {
    match profile {
        "generic" => solver,
        "cvc4" => "cvc5",
        "boolector" => "bitwuzla",
        known => known,
    }
}

/// What is asked of the oracle beyond wrong answers, and what it is told beyond them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Options<'a> {
    /// Report a solver that decided the seed and not the case that follows from it.
    pub implications: bool,
    /// A model that the case was made with, for its last `check-sat`. It is checked like any other.
    pub witness: Option<&'a str>,
}

/// What the oracle says to a case.
#[derive(Clone, Debug, Default)]
pub struct Judgement {
    /// For each testimony and each of its answers, what our evaluator says of the model, if there is one.
    pub models: Vec<Vec<Option<ModelReport>>>,
    /// What is wrong, by `check-sat`; crashes last.
    pub charges: Vec<Charge>,
    /// Questions about unsat cores, for [`crate::judge_core`].
    pub questions: Vec<CoreQuestion>,
    /// Where smelt contradicts itself. Nobody is accused for these checks.
    pub conflicts: Vec<Conflict>,
}

/// A case made to be unsat that has a model, or one made with a model that is none: the maker of the case or the
/// evaluator is wrong, no solver.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Conflict {
    /// Which `check-sat`.
    pub check: usize,
    /// Whose model, by position among the testimonies; `None` for that of the case's maker.
    pub witness: Option<usize>,
}

/// Judges a case by what solvers did.
///
/// The expectation of a script with several `check-sat`s is about the last one; answers to seed and case are
/// compared one by one if there are equally many.
pub fn judge(
    reading: &mut Reading,
    expectation: Expectation,
    testimonies: &[Testimony<'_>],
    options: Options<'_>,
) -> Judgement {
    let models = testimonies.iter().map(|t| examine(reading, t)).collect();
    let last = reading.checks().checked_sub(1);
    let made_with = options.witness.zip(last).map(|(model, check)| reading.examine(check, model).truth);
    let court = Court { reading, expectation, testimonies, options, models: &models, made_with };
    let mut charges = Vec::new();
    let mut conflicts = Vec::new();
    if reading.altered().is_none() {
        let answered = testimonies.iter().map(|t| t.outcome.answers.len()).max().unwrap_or(0);
        for check in 0..answered {
            court.check(check, &mut charges, &mut conflicts);
        }
        court.self_checks(&mut charges);
    }
    let questions = court.cores(&mut charges);
    charges.sort_by_key(|c| c.check);
    court.crashes(&mut charges);
    Judgement { models, charges, questions, conflicts }
}

/// Whether the answers of an outcome can be held against others: it may have ended badly after them, but must not
/// have refused a part of the script or lost count.
fn speaks(outcome: &Outcome) -> bool {
    outcome.comparable && !matches!(outcome.kind, OutcomeKind::Rejected | OutcomeKind::Error)
}

fn verdict(outcome: &Outcome, check: usize) -> Option<Verdict> {
    let answer = outcome.answers.get(check).filter(|a| speaks(outcome) && a.error.is_none())?;
    answer.verdict
}

fn examine(reading: &mut Reading, testimony: &Testimony<'_>) -> Vec<Option<ModelReport>> {
    let outcome = testimony.outcome;
    let known = |check| reading_has(reading.checks(), outcome, check);
    let usable: Vec<bool> = (0..outcome.answers.len()).map(known).collect();
    let answers = outcome.answers.iter().enumerate();
    answers
        .map(|(check, answer)| {
            let model = answer.model.as_deref().filter(|_| usable[check])?;
            Some(reading.examine(check, model))
        })
        .collect()
}

/// Whether an answer says sat to a question that we know.
fn reading_has(checks: usize, outcome: &Outcome, check: usize) -> bool {
    outcome.answers.len() <= checks && verdict(outcome, check) == Some(Verdict::Sat)
}

struct Court<'a> {
    reading: &'a Reading,
    expectation: Expectation,
    testimonies: &'a [Testimony<'a>],
    options: Options<'a>,
    models: &'a Vec<Vec<Option<ModelReport>>>,
    /// What our evaluator says of the model the case was made with.
    made_with: Option<Truth>,
}

impl Court<'_> {
    fn truth(&self, who: usize, check: usize) -> Option<Truth> {
        Some(self.models[who].get(check)?.as_ref()?.truth)
    }

    fn ids(&self, who: &[usize]) -> Vec<SolverId> {
        who.iter().map(|i| self.testimonies[*i].solver.clone()).collect()
    }

    fn families(&self, who: &[usize]) -> BTreeSet<&str> {
        who.iter().map(|i| self.testimonies[*i].family).collect()
    }

    fn charge(
        &self,
        accused: Vec<usize>,
        check: usize,
        kind: FindingKind,
        evidence: Option<Evidence>,
        reason: Reason,
    ) -> Charge {
        let theory = self.reading.theory();
        let names: BTreeSet<&str> = accused.iter().map(|i| self.testimonies[*i].solver.name()).collect();
        let names = names.into_iter().collect::<Vec<_>>().join("+");
        let solver = match &accused[..] {
            [one] => self.testimonies[*one].solver.clone(),
            all => {
                let names: Vec<String> = self.ids(all).iter().map(SolverId::to_string).collect();
                SolverId::new(names.join(" / "), None)
            }
        };
        let fingerprint = fingerprint::of_formula(&names, kind, &theory, self.reading.shape(check));
        Charge { accused, solver, check: Some(check), kind, evidence, theory, fingerprint, reason }
    }

    /// Everything about one `check-sat`.
    fn check(&self, check: usize, charges: &mut Vec<Charge>, conflicts: &mut Vec<Conflict>) {
        let says = |v: Verdict| -> Vec<usize> {
            let said = |i: &usize| verdict(self.testimonies[*i].outcome, check) == Some(v);
            (0..self.testimonies.len()).filter(said).collect()
        };
        let (sat, unsat) = (says(Verdict::Sat), says(Verdict::Unsat));
        let proof = sat.iter().copied().find(|i| self.truth(*i, check) == Some(Truth::True));
        let last = check + 1 == self.reading.checks().max(1);
        let made = match self.expectation {
            Expectation::Sat if last => Some(Verdict::Sat),
            Expectation::Unsat if last => Some(Verdict::Unsat),
            _ => None,
        };
        let made_with = self.made_with.filter(|_| last);
        let refuted = made == Some(Verdict::Unsat) && (proof.is_some() || made_with == Some(Truth::True));
        if refuted || made_with == Some(Truth::False) {
            conflicts.push(Conflict { check, witness: proof.filter(|_| refuted) });
            return;
        }
        let proof = match (made_with, proof) {
            (Some(Truth::True), _) => Some(Reason::Witness),
            (_, witness) => witness
                .map(|witness| Reason::Proof { witness, solver: self.testimonies[witness].solver.clone() }),
        };
        let mut found = Vec::new();
        if let Some(reason) = proof.clone() {
            self.accuse(&unsat, check, FindingKind::RefutationUnsound, Evidence::Model, &reason, &mut found);
        } else if let Some(made) = made {
            let reason = Reason::Construction(made);
            let (wrong, kind) = match made {
                Verdict::Sat => (&unsat, FindingKind::RefutationUnsound),
                _ => (&sat, FindingKind::SolutionUnsound),
            };
            self.accuse(wrong, check, kind, Evidence::Construction, &reason, &mut found);
        }
        self.relations(check, last, &mut found);
        if proof.is_none() && made.is_none() {
            let free = |side: &[usize]| -> Vec<usize> {
                side.iter().copied().filter(|i| !is_accused(&found, *i)).collect()
            };
            let (sat, unsat) = (free(&sat), free(&unsat));
            self.disagreement(check, &sat, &unsat, &mut found);
        }
        for &who in &sat {
            let report = self.models[who].get(check).and_then(Option::as_ref);
            let Some((index, text)) = report.and_then(|r| r.falsified.clone()) else { continue };
            // Of what is known to be unsat every model is false; a vote is less than knowing.
            if !found.iter().any(|c: &Charge| c.accused == [who] && c.evidence != Some(Evidence::Vote)) {
                let reason = Reason::FalseAssertion { index, text, unsat: self.ids(&unsat) };
                let evidence = Some(Evidence::Model);
                found.push(self.charge(vec![who], check, FindingKind::InvalidModel, evidence, reason));
            }
        }
        charges.append(&mut found);
    }

    fn accuse(
        &self,
        who: &[usize],
        check: usize,
        kind: FindingKind,
        evidence: Evidence,
        reason: &Reason,
        found: &mut Vec<Charge>,
    ) {
        for &one in who {
            found.push(self.charge(vec![one], check, kind, Some(evidence), reason.clone()));
        }
    }

    /// A solver against its own answer to the seed.
    fn relations(&self, check: usize, last: bool, found: &mut Vec<Charge>) {
        for (who, testimony) in self.testimonies.iter().enumerate() {
            let Some(seed) = testimony.seed.filter(|_| !is_accused(found, who)) else { continue };
            // Of a seed that was not answered to its end nobody knows which answer belongs to which question.
            let Some(answered) = seed.kind.verdict().and_then(|_| seed.answers.len().checked_sub(1)) else {
                continue;
            };
            let aligned = answered + 1 == self.reading.checks();
            let there = if aligned { Some(check) } else { Some(answered).filter(|_| last) };
            let Some(seed) = there.and_then(|c| verdict(seed, c)) else { continue };
            let Expectation::Seed(_) = self.expectation else { continue };
            let (Some(must), Some(case)) =
                (self.expectation.settle(Some(seed)), verdict(testimony.outcome, check))
            else {
                continue;
            };
            let kind = match case {
                Verdict::Unknown if self.options.implications => FindingKind::IncompleteImplication,
                Verdict::Unknown => continue,
                case if case == must => continue,
                _ => FindingKind::Unsound,
            };
            let reason = Reason::Seed { seed, case };
            found.push(self.charge(vec![who], check, kind, Some(Evidence::Metamorphic), reason));
        }
    }

    /// Two answers with neither model nor construction to settle between them.
    fn disagreement(&self, check: usize, sat: &[usize], unsat: &[usize], found: &mut Vec<Charge>) {
        if sat.is_empty() || unsat.is_empty() {
            return;
        }
        // A sat whose model is false has no vote, but may still be right.
        let (refuted, backed): (Vec<usize>, Vec<usize>) =
            sat.iter().copied().partition(|i| self.truth(*i, check) == Some(Truth::False));
        let (for_sat, for_unsat) = (self.families(&backed), self.families(unsat));
        if self.families(sat) != for_unsat && self.reading.private(check).is_some() {
            // Each solver may mean its own thing by what the standard does not have.
            return;
        }
        let vote =
            |answer, voters: &[usize], refuted| Reason::Vote { answer, solvers: self.ids(voters), refuted };
        match (for_sat.len(), for_unsat.len()) {
            (0 | 1, 2..) => {
                let kind = FindingKind::SolutionUnsound;
                let against = |refuted| vote(Verdict::Unsat, unsat, refuted);
                self.accuse(&backed, check, kind, Evidence::Vote, &against(false), found);
                self.accuse(&refuted, check, kind, Evidence::Vote, &against(true), found);
            }
            (2.., 1) => {
                let reason = vote(Verdict::Sat, &backed, false);
                self.accuse(unsat, check, FindingKind::RefutationUnsound, Evidence::Vote, &reason, found);
            }
            _ => {
                let sat = if backed.is_empty() { sat } else { &backed[..] };
                let mut accused = [sat, unsat].concat();
                accused.sort_unstable();
                let reason = Reason::Disagreement { sat: self.ids(sat), unsat: self.ids(unsat) };
                found.push(self.charge(accused, check, FindingKind::Unsound, None, reason));
            }
        }
    }

    /// What a solver reports of itself, unless we know better.
    fn self_checks(&self, charges: &mut Vec<Charge>) {
        for (who, testimony) in self.testimonies.iter().enumerate() {
            let Some(crash) = self_check(testimony.outcome) else { continue };
            let check = testimony.outcome.answers.len().saturating_sub(1);
            let kind = checked_part(&crash.message);
            let model = kind == FindingKind::InvalidModel;
            // Solvers' checkers err too.
            if model && self.truth(who, check) == Some(Truth::True) {
                continue;
            }
            if charges.iter().any(|c| c.accused == [who] && c.check == Some(check)) {
                continue;
            }
            let reason = Reason::SelfCheck(crash.message.clone());
            charges.push(self.charge(vec![who], check, kind, Some(Evidence::SelfCheck), reason));
        }
    }

    fn cores(&self, charges: &mut Vec<Charge>) -> Vec<CoreQuestion> {
        let mut questions = Vec::new();
        for (who, testimony) in self.testimonies.iter().enumerate() {
            for (check, answer) in testimony.outcome.answers.iter().enumerate() {
                let unsat = verdict(testimony.outcome, check) == Some(Verdict::Unsat);
                let Some(core) = answer.core.as_deref().filter(|_| unsat) else { continue };
                // A core of what is no unsat formula is wrong without being looked at.
                let counted = testimony.outcome.answers.len() <= self.reading.checks();
                if !counted || charges.iter().any(|c| c.accused == [who] && c.check == Some(check)) {
                    continue;
                }
                match look(self.reading, testimony, who, check, core) {
                    FirstLook::Pass => {}
                    FirstLook::Ask(question) => questions.push(question),
                    FirstLook::Stranger(name) => {
                        let reason = Reason::CoreName(name);
                        charges.push(self.charge(vec![who], check, FindingKind::InvalidCore, None, reason));
                    }
                }
            }
        }
        questions
    }

    fn crashes(&self, charges: &mut Vec<Charge>) {
        for (who, testimony) in self.testimonies.iter().enumerate() {
            let outcome = testimony.outcome;
            let Some(crash) = outcome.crash.as_ref().filter(|_| outcome.comparable) else { continue };
            if outcome.kind != OutcomeKind::Crash || self_check(outcome).is_some() {
                continue;
            }
            charges.push(Charge {
                accused: vec![who],
                solver: testimony.solver.clone(),
                check: None,
                kind: FindingKind::Crash,
                evidence: None,
                theory: self.reading.theory(),
                fingerprint: fingerprint::of_crash(testimony.solver.name(), crash),
                reason: Reason::Crash(crash.message.clone()),
            });
        }
    }
}

fn is_accused(found: &[Charge], who: usize) -> bool {
    found.iter().any(|c| c.accused == [who])
}

/// A report of the solver's own checker on a model or core.
fn self_check(outcome: &Outcome) -> Option<&smelt_core::Crash> {
    outcome.crash.as_ref().filter(|c| outcome.comparable && c.kind == CrashKind::SelfCheck)
}

/// What the checker checked, by its message.
fn checked_part(message: &str) -> FindingKind {
    let lower = message.to_lowercase();
    match (lower.contains("core"), lower.contains("model")) {
        (true, false) => FindingKind::InvalidCore,
        _ => FindingKind::InvalidModel,
    }
}
