//! The rules that turn outcomes into claims: strongest evidence first, and at most one side of a disagreement is
//! accused.

use crate::{
    case_script::{CaseScript, ModelReport},
    cause,
    question::Question,
    replies::{self, Open, Wrong},
    unsat_core::{CoreCheck, check_assumptions, check_core},
};
use smelt_core::{
    Accused, Case, Cause, Certificate, Claim, CrashKind, Evidence, Expectation, Kind, Outcome, OutcomeKind,
    Reason, SolverId, Verdict,
};
use smelt_semantics::model::Truth;
use std::collections::BTreeSet;

/// The outcome of one solver on the case.
#[derive(Clone, Copy, Debug)]
pub struct SolverOutcome<'a> {
    /// The solver.
    pub solver: &'a SolverId,
    /// Its family (see [`family`]): releases and settings of one solver share bugs, and have one vote.
    pub family: &'a str,
    /// Its outcome on the case.
    pub outcome: &'a Outcome,
    /// Its outcome on the seed, if the expectation is a relation to the seed's answer.
    pub seed: Option<&'a Outcome>,
}

/// The family of a solver, by the name of its profile and its own: a solver without a profile is its own family.
///
/// cvc5 is the successor of CVC4, and Bitwuzla of Boolector: a bug in one is often in the other.
pub fn family<'a>(profile: &'a str, solver: &'a str) -> &'a str {
    match profile {
        "generic" => solver,
        "cvc4" => "cvc5",
        "boolector" => "bitwuzla",
        known => known,
    }
}

/// The built-in solver without planted faults. Its answers are ours: sat counts with a model that evaluates to true, unsat
/// where every assignment was evaluated; elsewhere its unsat is one vote.
pub const REFERENCE: &str = "builtin";

/// The oracle's result on a case.
#[derive(Clone, Debug, Default)]
pub struct Judgement {
    /// For each solver and each of its answers, the report on its model, if it gave one.
    pub models: Vec<Vec<Option<ModelReport>>>,
    /// Claims of bugs, in order of `check-sat`; crashes last.
    pub claims: Vec<Claim>,
    /// Questions about unsat cores, optima and interpolants, for [`crate::judge_answer`].
    pub questions: Vec<Question>,
    /// The checks on which smelt contradicts itself. No solver is accused for them.
    pub conflicts: Vec<Conflict>,
}

/// A case made to be unsat has a model, or the model that a case was made with is false: the strategy or the
/// evaluator is wrong, not a solver.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Conflict {
    /// The `check-sat`, counted from 0.
    pub check: usize,
    /// The solver that gave the model, by position among the outcomes; `None` for the model of the strategy.
    pub witness: Option<usize>,
}

/// When every assignment of a small formula is evaluated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exhaust {
    /// If an answer is contradicted and no model settles who is wrong.
    Disputed,
    /// Always.
    Always,
}

/// Judges a case by the outcomes of solvers; `script` is its script. The model of its certificate is checked like any other.
pub fn judge(
    script: &mut CaseScript,
    case: &Case,
    solver_outcomes: &[SolverOutcome<'_>],
    exhaust: Exhaust,
) -> Judgement {
    let refused: Vec<Option<Outcome>> =
        solver_outcomes.iter().map(|t| miscounted(script, t.outcome)).collect();
    let counted = solver_outcomes.iter().zip(&refused);
    let solver_outcomes: Vec<SolverOutcome<'_>> = counted
        .map(|(t, refused)| SolverOutcome { outcome: refused.as_ref().unwrap_or(t.outcome), ..*t })
        .collect();
    let solver_outcomes = &solver_outcomes[..];
    let models = solver_outcomes.iter().map(|t| check_models(script, t)).collect();
    let judged = solver_outcomes.iter().map(|t| replies::judge(script, t));
    let (wrong, doubts): (Vec<Vec<Wrong>>, Vec<Vec<Open>>) = judged.unzip();
    let last = script.checks().checked_sub(1);
    let model = case.certificate.model().zip(last);
    let made_with = model.map(|(model, check)| script.check_model(check, model).truth);
    let (claims, conflicts, check) = (Vec::new(), Vec::new(), 0);
    let mut judging = Judging {
        script,
        case,
        exhaust,
        solver_outcomes,
        models: &models,
        made_with,
        check,
        claims,
        conflicts,
    };
    if script.incomparable().is_none() {
        let answered = solver_outcomes.iter().map(|t| t.outcome.answers.len()).max().unwrap_or(0);
        for check in 0..answered {
            judging.check = check;
            judging.judge_check();
        }
        judging.self_checks();
        judging.replies(wrong);
    }
    let mut questions = judging.cores();
    questions.extend(judging.doubts(doubts));
    judging.claims.sort_by_key(|c| c.query);
    judging.crashes();
    let Judging { claims, conflicts, .. } = judging;
    Judgement { models, claims, questions, conflicts }
}

/// An outcome without its answers, if they are not as many as the queries of the script: nobody knows which answer is to
/// which query. Where a solver did not come to the end, the first queries have theirs.
fn miscounted(script: &CaseScript, outcome: &Outcome) -> Option<Outcome> {
    let (answers, queries) = (outcome.answers.len(), script.checks());
    let ended = outcome.kind.verdict().is_some();
    // The queries of a text that smelt cannot read are not known.
    let is_known = script.not_understood().is_none();
    (is_known && (answers > queries || ended && answers != queries)).then(|| Outcome {
        answers: Vec::new(),
        replies: Vec::new(),
        comparable: outcome.comparable && outcome.kind == OutcomeKind::Crash,
        ..outcome.clone()
    })
}

/// Whether the answers of an outcome can be compared with others: the solver may have failed after them, but must not
/// have refused a part of the script or given the wrong number of answers.
fn is_comparable(outcome: &Outcome) -> bool {
    outcome.comparable && !matches!(outcome.kind, OutcomeKind::Rejected | OutcomeKind::Error)
}

fn verdict(outcome: &Outcome, check: usize) -> Option<Verdict> {
    let answer = outcome.answers.get(check).filter(|a| is_comparable(outcome) && a.error.is_none())?;
    answer.verdict
}

fn check_models(script: &mut CaseScript, solver_outcome: &SolverOutcome<'_>) -> Vec<Option<ModelReport>> {
    let outcome = solver_outcome.outcome;
    let answers = outcome.answers.iter().enumerate();
    answers
        .map(|(check, answer)| {
            let sat = verdict(outcome, check) == Some(Verdict::Sat);
            Some(script.check_model(check, answer.model.as_deref().filter(|_| sat)?))
        })
        .collect()
}

/// A case that is being judged.
struct Judging<'a> {
    script: &'a CaseScript,
    case: &'a Case,
    exhaust: Exhaust,
    solver_outcomes: &'a [SolverOutcome<'a>],
    models: &'a Vec<Vec<Option<ModelReport>>>,
    /// The truth of the model that the case was made with.
    made_with: Option<Truth>,
    /// The `check-sat` that is being judged.
    check: usize,
    claims: Vec<Claim>,
    conflicts: Vec<Conflict>,
}

impl<'a> Judging<'a> {
    fn verdict(&self, outcome: &Outcome) -> Option<Verdict> {
        verdict(outcome, self.check)
    }

    /// The report on the model that a solver gave for this check.
    fn model(&self, who: usize) -> Option<&'a ModelReport> {
        self.models[who].get(self.check)?.as_ref()
    }

    fn truth(&self, who: usize) -> Option<Truth> {
        self.model(who).map(|report| report.truth)
    }

    fn is_accused(&self, who: usize) -> bool {
        self.claims.iter().any(|c| c.positions() == [who] && c.query == Some(self.check))
    }

    fn ids(&self, who: &[usize]) -> Vec<SolverId> {
        who.iter().map(|i| self.solver_outcomes[*i].solver.clone()).collect()
    }

    fn accused(&self, who: &[usize]) -> Vec<Accused> {
        let one = |i: &usize| Accused { position: *i, solver: self.solver_outcomes[*i].solver.clone() };
        who.iter().map(one).collect()
    }

    fn families(&self, who: &[usize]) -> BTreeSet<&'a str> {
        who.iter().map(|i| self.solver_outcomes[*i].family).collect()
    }

    /// Claims a bug in this check; the accused are one solver, or all sides of a disagreement.
    fn claim(&mut self, accused: Vec<usize>, kind: Kind, evidence: Option<Evidence>, reason: Reason) {
        let theory = self.script.theory();
        let (accused, query) = (self.accused(&accused), Some(self.check));
        let cause = Cause::Unreduced(self.script.operators_hash(self.check));
        self.claims.push(Claim { query, kind, accused, evidence, theory, cause, reason });
    }

    /// Claims the same bug in each of these solvers.
    fn accuse(&mut self, who: &[usize], kind: Kind, evidence: Evidence, reason: &Reason) {
        for &one in who {
            self.claim(vec![one], kind, Some(evidence), reason.clone());
        }
    }

    /// Judges all answers to this check.
    fn judge_check(&mut self) {
        let expectation = self.case.expectation_of(self.check, self.script.checks());
        let says = |v: Verdict| -> Vec<usize> {
            (0..self.solver_outcomes.len())
                .filter(|i| self.verdict(self.solver_outcomes[*i].outcome) == Some(v))
                .collect()
        };
        let (sat, unsat) = (says(Verdict::Sat), says(Verdict::Unsat));
        let proof = sat.iter().copied().find(|i| self.truth(*i) == Some(Truth::True));
        let last = self.check + 1 == self.script.checks().max(1);
        let made = expectation.known();
        let made_with = self.made_with.filter(|_| last);
        // A model of a larger script need not satisfy this one.
        let is_promised = !matches!(self.case.certificate, Certificate::Candidate(_));
        let refuted = made == Some(Verdict::Unsat) && (proof.is_some() || made_with == Some(Truth::True));
        if refuted || (made_with == Some(Truth::False) && is_promised) {
            self.conflicts.push(Conflict { check: self.check, witness: proof.filter(|_| refuted) });
            return;
        }
        let contradicted = match made {
            Some(Verdict::Sat) => !unsat.is_empty(),
            Some(_) => !sat.is_empty(),
            None if self.exhaust == Exhaust::Always => !sat.is_empty() || !unsat.is_empty(),
            None => !sat.is_empty() && !unsat.is_empty(),
        };
        let exhausted =
            if contradicted && proof.is_none() { self.script.exhausted(self.check) } else { None };
        let decided = exhausted.map(|e| if e.is_sat { Verdict::Sat } else { Verdict::Unsat });
        if made.is_some() && decided.is_some_and(|d| Some(d) != made) {
            self.conflicts.push(Conflict { check: self.check, witness: None });
            return;
        }
        let proof = match (made_with, proof) {
            (Some(Truth::True), _) => Some(Reason::Witness),
            (_, witness) => witness.map(|witness| Reason::Proof {
                witness,
                solver: self.solver_outcomes[witness].solver.clone(),
                ground: self.script.is_ground(self.check),
            }),
        };
        if let Some(reason) = &proof {
            self.accuse(&unsat, Kind::RefutationUnsound, Evidence::Model, reason);
        } else if let Some(answer) = decided.or(made) {
            let (wrong, kind) = match answer {
                Verdict::Sat => (&unsat, Kind::RefutationUnsound),
                _ => (&sat, Kind::SolutionUnsound),
            };
            let (evidence, reason) = match exhausted {
                Some(e) => (Evidence::Exhaustive, Reason::Exhaustive { answer, assignments: e.assignments }),
                None => (Evidence::Construction, Reason::Construction(answer)),
            };
            self.accuse(wrong, kind, evidence, &reason);
        }
        if let Expectation::Related(_) = expectation {
            self.relations(expectation, last);
        }
        if proof.is_none() && made.is_none() && decided.is_none() {
            let free = |side: &[usize]| -> Vec<usize> {
                side.iter().copied().filter(|i| !self.is_accused(*i)).collect()
            };
            self.disagreement(&free(&sat), &free(&unsat));
        }
        for &who in &sat {
            let Some((index, text)) = self.model(who).and_then(|r| r.falsified.clone()) else { continue };
            // If the formula is known to be unsat, its model must be false; after a vote that is not known.
            let known = |c: &Claim| c.positions() == [who] && c.evidence != Some(Evidence::Vote);
            if !self.claims.iter().any(|c| known(c) && c.query == Some(self.check)) {
                let reason = Reason::FalseAssertion { index, text, unsat: self.ids(&unsat) };
                self.claim(vec![who], Kind::InvalidModel, Some(Evidence::Model), reason);
            }
        }
    }

    /// Compares each solver with its own answer to the seed.
    fn relations(&mut self, expectation: Expectation, last: bool) {
        for (who, solver_outcome) in self.solver_outcomes.iter().enumerate() {
            let Some(seed) = solver_outcome.seed.filter(|_| !self.is_accused(who)) else { continue };
            // If the seed was not answered to its end, its answers cannot be matched with its questions.
            let Some(answered) = seed.kind.verdict().and_then(|_| seed.answers.len().checked_sub(1)) else {
                continue;
            };
            let aligned = answered + 1 == self.script.checks();
            let there = if aligned { Some(self.check) } else { Some(answered).filter(|_| last) };
            let Some(seed) = there.and_then(|c| verdict(seed, c)) else { continue };
            let right = expectation.settle(Some(seed));
            let Some((right, case)) = right.zip(self.verdict(solver_outcome.outcome)) else { continue };
            if case != Verdict::Unknown && case != right {
                let reason = Reason::Seed { seed, case };
                self.accuse(&[who], Kind::Unsound, Evidence::Metamorphic, &reason);
            }
        }
    }

    /// Two answers that neither a model nor the construction settles.
    fn disagreement(&mut self, sat: &[usize], unsat: &[usize]) {
        if sat.is_empty() || unsat.is_empty() {
            return;
        }
        // A sat whose model is false has no vote, but may still be right.
        let (refuted, backed): (Vec<usize>, Vec<usize>) =
            sat.iter().copied().partition(|i| self.truth(*i) == Some(Truth::False));
        // Our own solver's sat counts only with a model that evaluates to true, and then it is a proof.
        let is_ours = |i: &usize| self.solver_outcomes[*i].solver.name() == REFERENCE;
        let voters: Vec<usize> = backed.iter().copied().filter(|i| !is_ours(i)).collect();
        let (for_sat, for_unsat) = (self.families(&voters), self.families(unsat));
        if self.families(sat) != for_unsat && self.script.nonstandard_operator(self.check).is_some() {
            // Solvers may give different meanings to an operator outside the standard.
            return;
        }
        match (for_sat.len(), for_unsat.len()) {
            (0 | 1, 2..) => {
                let families = for_unsat.len();
                for (accused, refuted) in [(&backed, false), (&refuted, true)] {
                    let (answer, solvers) = (Verdict::Unsat, self.ids(unsat));
                    let reason = Reason::Vote { answer, solvers, families, refuted };
                    self.accuse(accused, Kind::SolutionUnsound, Evidence::Vote, &reason);
                }
            }
            (2.., 1) => {
                let (solvers, families) = (self.ids(&voters), for_sat.len());
                let reason = Reason::Vote { answer: Verdict::Sat, solvers, families, refuted: false };
                self.accuse(unsat, Kind::RefutationUnsound, Evidence::Vote, &reason);
            }
            _ => {
                let sat = if voters.is_empty() { &refuted[..] } else { &voters[..] };
                if sat.is_empty() {
                    return;
                }
                let mut accused = [sat, unsat].concat();
                accused.sort_unstable();
                let reason = Reason::Disagreement { sat: self.ids(sat), unsat: self.ids(unsat) };
                self.claim(accused, Kind::Unsound, None, reason);
            }
        }
    }

    /// Claims from failed self-checks, unless our evaluator finds the model true.
    fn self_checks(&mut self) {
        for (who, solver_outcome) in self.solver_outcomes.iter().enumerate() {
            let Some(crash) = self_check(solver_outcome.outcome) else { continue };
            self.check = solver_outcome.outcome.answers.len().saturating_sub(1);
            let kind = self_check_kind(&crash.message);
            // Solvers' checkers have bugs too.
            let wrong = kind == Kind::InvalidModel && self.truth(who) == Some(Truth::True);
            if !wrong && !self.is_accused(who) {
                self.accuse(&[who], kind, Evidence::SelfCheck, &Reason::SelfCheck(crash.message.clone()));
            }
        }
    }

    /// Claims from replies to other queries, unless the solver is accused of the answer that they are about.
    fn replies(&mut self, replies: Vec<Vec<Wrong>>) {
        for (who, wrong) in replies.into_iter().enumerate() {
            for Wrong { kind, check, evidence, reason, cause } in wrong {
                self.check = check.unwrap_or(self.check);
                if check.is_some() && self.is_accused(who) {
                    continue;
                }
                self.claims.push(Claim {
                    query: check,
                    kind,
                    accused: self.accused(&[who]),
                    evidence,
                    theory: self.script.theory(),
                    cause,
                    reason,
                });
            }
        }
    }

    /// Questions about replies, unless the solver is accused of the answer that they are about.
    fn doubts(&mut self, doubts: Vec<Vec<Open>>) -> Vec<Question> {
        let mut questions = Vec::new();
        for (who, doubts) in doubts.into_iter().enumerate() {
            for doubt in doubts {
                self.check = doubt.check;
                if self.is_accused(who) {
                    continue;
                }
                questions.push(Question {
                    accused: who,
                    solver: self.solver_outcomes[who].solver.clone(),
                    check: doubt.check,
                    script: doubt.script,
                    about: doubt.about,
                });
            }
        }
        questions
    }

    /// Claims from unsat cores, and questions about those that need a solver.
    fn cores(&mut self) -> Vec<Question> {
        let mut questions = Vec::new();
        for (who, solver_outcome) in self.solver_outcomes.iter().enumerate() {
            for (check, answer) in solver_outcome.outcome.answers.iter().enumerate() {
                self.check = check;
                let unsat = self.verdict(solver_outcome.outcome) == Some(Verdict::Unsat);
                // An accused unsat answer needs no second claim about its core.
                let examined = unsat && !self.is_accused(who);
                if !examined {
                    continue;
                }
                let core = answer.core.iter().map(|c| check_core(self.script, solver_outcome, who, check, c));
                let given = answer.assumptions.iter();
                let given = given.map(|a| check_assumptions(self.script, solver_outcome, who, check, a));
                for checked in core.chain(given).collect::<Vec<_>>() {
                    match checked {
                        CoreCheck::Nothing => {}
                        CoreCheck::Ask(question) => questions.push(*question),
                        CoreCheck::UnknownName(name) => {
                            self.claim(vec![who], Kind::InvalidCore, None, Reason::CoreName(name));
                        }
                    }
                }
            }
        }
        questions
    }

    fn crashes(&mut self) {
        for (who, solver_outcome) in self.solver_outcomes.iter().enumerate() {
            let outcome = solver_outcome.outcome;
            let Some(crash) = outcome.crash.as_ref().filter(|_| outcome.comparable) else { continue };
            if outcome.kind != OutcomeKind::Crash || self_check(outcome).is_some() {
                continue;
            }
            self.claims.push(Claim {
                query: None,
                kind: Kind::Crash,
                accused: self.accused(&[who]),
                evidence: None,
                theory: self.script.theory(),
                cause: cause::of_crash(crash),
                reason: Reason::Crash(crash.message.clone()),
            });
        }
    }
}

/// The report of the solver's own checker on a model or core.
fn self_check(outcome: &Outcome) -> Option<&smelt_core::Crash> {
    outcome.crash.as_ref().filter(|c| outcome.comparable && c.kind == CrashKind::SelfCheck)
}

/// Whether the checker checked a model or a core, by its message.
fn self_check_kind(message: &str) -> Kind {
    let lower = message.to_lowercase();
    match (lower.contains("core"), lower.contains("model")) {
        (true, false) => Kind::InvalidCore,
        _ => Kind::InvalidModel,
    }
}
