//! A trial: runs solvers on a script, lets the oracle judge the outcomes, and runs the oracle's further questions
//! about unsat cores and optima.

use smelt_core::{Answer, Case, Claim, Expectation, Outcome, OutcomeKind, SolverId, Verdict};
use smelt_oracle::{
    CaseScript, Exhaust, Judgement, SolverOutcome, altering_argument, judge as ask_oracle, judge_answer,
};
use smelt_semantics::eval::Effort;
use smelt_solvers::{Mode, Query};
use std::borrow::Cow;
use std::time::Duration;

use crate::error::Error;
use crate::panel::Panel;
use crate::solver::NamedSolver;

/// Bounds of the first evaluation of models, and of a second one if something is wrong.
const QUICK: Effort = Effort { steps: 100_000, assignments: 2_000, depth: 1_000 };
const LONG: Effort = Effort { steps: 5_000_000, assignments: 70_000, depth: 2_000 };

/// How thoroughly outcomes are checked.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Scrutiny {
    /// Models are evaluated quickly, and longer if something is wrong.
    #[default]
    Quick,
    /// Every small formula is decided by evaluating all of its assignments, too.
    Exhaust,
    /// Every model is evaluated for as long as it takes, too.
    Thorough,
}

/// A case to judge.
#[derive(Clone, Copy, Debug)]
pub struct Trial<'a> {
    /// The case.
    pub case: &'a Case,
    /// How thoroughly its outcomes are checked.
    pub scrutiny: Scrutiny,
}

impl<'a> From<&'a Case> for Trial<'a> {
    fn from(case: &'a Case) -> Trial<'a> {
        Trial { case, scrutiny: Scrutiny::Quick }
    }
}

impl Trial<'_> {
    /// Whether the oracle may make a claim: most outcomes are plainly fine, and reading a script costs time.
    pub fn is_interesting(&self, outcomes: &[Option<Outcome>]) -> bool {
        let all = || outcomes.iter().flatten();
        let said = |v| all().any(|o| o.verdicts().any(|a| a == Some(v)));
        let crash = all().any(|o| o.crash.is_some() || o.kind == OutcomeKind::Crash);
        let core = all().any(|o| o.answers.iter().any(|a| a.core.is_some()));
        let is_fine = |e: &Expectation| matches!(*e, Expectation::Open | Expectation::UNSAT);
        let unsat_is_fine =
            self.case.expectations.iter().all(is_fine) && self.case.certificate.model().is_none();
        let replied = all().any(|o| !o.replies.is_empty());
        crash || core || replied || said(Verdict::Sat) || (said(Verdict::Unsat) && !unsat_is_fine)
    }

    /// The oracle's judgement of outcomes, `None` for solvers that did not run. All positions in the judgement are
    /// positions in `solvers`.
    pub fn judge(
        &self,
        solvers: &[NamedSolver],
        outcomes: &[Option<Outcome>],
        seed: &[Option<Outcome>],
    ) -> Judgement {
        let asked: Vec<usize> = (0..solvers.len()).filter(|i| outcomes[*i].is_some()).collect();
        let meant: Vec<Option<Cow<'_, Outcome>>> = outcomes.iter().zip(solvers).map(meant).collect();
        let solver_outcome = |&i: &usize| {
            let (solver, seed) = (&solvers[i], seed.get(i).and_then(Option::as_ref));
            let outcome = meant[i].as_deref()?;
            Some(SolverOutcome { solver: solver.solver.id(), family: solver.family(), outcome, seed })
        };
        let solver_outcomes: Vec<SolverOutcome<'_>> = asked.iter().filter_map(solver_outcome).collect();
        let look = |effort: Effort| {
            let mut script = CaseScript::new(&self.case.script).with_effort(effort);
            let exhaust = if self.scrutiny == Scrutiny::Quick { Exhaust::Disputed } else { Exhaust::Always };
            ask_oracle(&mut script, self.case, &solver_outcomes, exhaust)
        };
        // Most models are evaluated quickly; a long evaluation pays only if something is wrong.
        let said = |v| solver_outcomes.iter().any(|t| t.outcome.verdicts().any(|a| a == Some(v)));
        let thorough = self.scrutiny == Scrutiny::Thorough;
        let mut judgement = look(if thorough { Effort::default() } else { QUICK });
        let disputed = !judgement.claims.is_empty() || (said(Verdict::Sat) && said(Verdict::Unsat));
        if disputed && !thorough {
            judgement = look(LONG);
        }
        for claim in &mut judgement.claims {
            claim.accused.iter_mut().for_each(|a| a.position = asked[a.position]);
        }
        for question in &mut judgement.questions {
            question.accused = asked[question.accused];
        }
        for conflict in &mut judgement.conflicts {
            conflict.witness = conflict.witness.map(|i| asked[i]);
        }
        let mut models = vec![Vec::new(); solvers.len()];
        asked.iter().zip(judgement.models).for_each(|(i, reports)| models[*i] = reports);
        judgement.models = models;
        self.refute_cores(&mut judgement);
        judgement
    }

    /// Answers the oracle's questions about cores that leave out a needed assertion: the model of the others refutes
    /// them.
    fn refute_cores(&self, judgement: &mut Judgement) {
        for question in judgement.questions.iter().filter(|q| !q.names().is_empty()) {
            let missing =
                self.case.certificate.core().1.iter().find(|(name, _)| !question.names().contains(name));
            let claim = missing.and_then(|(_, model)| {
                let model = Some(model.to_owned());
                let answer = Answer { verdict: Some(Verdict::Sat), model, ..Answer::default() };
                let said = Outcome {
                    answers: vec![answer],
                    comparable: true,
                    ..Outcome::bare(OutcomeKind::Sat, "")
                };
                judge_answer(question, &SolverId::new("smelt", None), &said)
            });
            judgement.claims.extend(claim);
        }
    }
}

/// An outcome as it may be compared: under arguments that change the meaning of formulas it answers another question.
fn meant<'o>((outcome, named): (&'o Option<Outcome>, &NamedSolver)) -> Option<Cow<'o, Outcome>> {
    let outcome = outcome.as_ref()?;
    Some(match altering_argument(&named.solver.user_args()) {
        Some(_) => Cow::Owned(Outcome { comparable: false, ..outcome.clone() }),
        None => Cow::Borrowed(outcome),
    })
}

/// The query for a script: models always, cores where the script has names for them.
pub fn query(script: &[u8], limit: Duration) -> Query {
    let query = Query::new(script).with_model().with_limit(limit);
    let named = b":named";
    if script.windows(named.len()).any(|w| w == named) { query.with_core() } else { query }
}

/// The outcomes of a trial, and the oracle's judgement.
#[derive(Clone, Debug, Default)]
pub struct Judged {
    /// By solver; `None` for those that did not run.
    pub outcomes: Vec<Option<Outcome>>,
    /// The outcomes on the seed, if the trial has one.
    pub seed: Vec<Option<Outcome>>,
    /// The judgement, claims from answers to its questions included.
    pub judgement: Judgement,
}

impl Panel<'_> {
    /// Holds a trial within the limits of the lineup: runs the wanted solvers and judges their outcomes. `None` if it was
    /// stopped.
    pub fn hold(
        &mut self,
        trial: &Trial<'_>,
        mode: Mode,
        wanted: impl Fn(usize) -> bool,
    ) -> Result<Option<Judged>, Error> {
        let wall = self.lineup().limits.time;
        let Some(outcomes) = self.ask_all(&query(&trial.case.script, wall), mode, &wanted)? else {
            return Ok(None);
        };
        let seed = match trial.case.related() {
            Some(script) => self.ask_all(&query(script, wall), mode, &wanted)?,
            None => Some(Vec::new()),
        };
        let Some(seed) = seed else { return Ok(None) };
        self.judge(trial, outcomes, seed, mode, wall).map(Some)
    }

    /// Judges outcomes, and puts the oracle's questions to the solvers.
    pub fn judge(
        &mut self,
        trial: &Trial<'_>,
        outcomes: Vec<Option<Outcome>>,
        seed: Vec<Option<Outcome>>,
        mode: Mode,
        wall: Duration,
    ) -> Result<Judged, Error> {
        let mut judgement = trial.judge(self.lineup().solvers, &outcomes, &seed);
        let claims = answered_claims(self.lineup().solvers, &judgement, |who, query| {
            self.ask(who, query.with_limit(wall), mode)
        })?;
        judgement.claims.extend(claims);
        Ok(Judged { outcomes, seed, judgement })
    }
}

/// Puts the oracle's questions to all solvers, through `ask`; returns the claims.
pub fn answered_claims<E>(
    solvers: &[NamedSolver],
    judgement: &Judgement,
    mut ask: impl FnMut(usize, Query) -> Result<Option<Outcome>, E>,
) -> Result<Vec<Claim>, E> {
    let mut claims = Vec::new();
    for question in &judgement.questions {
        // The solver itself may find the model, in a fresh process without the rest of the formula.
        let others = (0..solvers.len()).filter(|i| *i != question.accused && !question.is_for_the_accused());
        let others = others.chain([question.accused]);
        for who in others {
            let query = Query::new(question.script.clone()).with_model();
            let Some(outcome) = ask(who, query)? else { return Ok(claims) };
            if let Some(claim) = judge_answer(question, solvers[who].solver.id(), &outcome) {
                claims.push(claim);
                break;
            }
            if outcome.kind == OutcomeKind::Unsat {
                break;
            }
        }
    }
    Ok(claims)
}
