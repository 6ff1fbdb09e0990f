//! From outcomes to charges: asks the oracle, and the solvers whatever the oracle wants to know besides.

use smelt_core::{Expectation, Outcome, OutcomeKind, Verdict};
use smelt_oracle::{Charge, Judgement, Options, Reading, Testimony, family, judge, judge_core};
use smelt_semantics::eval::Effort;
use smelt_solvers::{Finished, Limits, Mode, Query, Session, SessionConfig, Solver};
use std::time::Duration;

use crate::error::Error;

/// Bounds for a first look at each model, and for a second one.
const GLANCE: Effort = Effort { steps: 100_000, assignments: 2_000, depth: 1_000 };
const STARE: Effort = Effort { steps: 5_000_000, assignments: 70_000, depth: 2_000 };

/// A solver of a campaign.
#[derive(Clone, Debug)]
pub struct Contestant {
    /// What to write after `-S` to get it again.
    pub spec: String,
    /// How to run it.
    pub solver: Solver,
}

impl Contestant {
    pub fn family(&self) -> &str {
        family(&self.solver.profile().name, self.solver.id().name())
    }
}

/// A case in court: the script and what is known of it.
#[derive(Clone, Copy, Debug)]
pub struct Matter<'a> {
    pub script: &'a [u8],
    pub expectation: Expectation,
    /// A model that it was made with.
    pub witness: Option<&'a str>,
}

impl<'a> Matter<'a> {
    /// A script of which nothing is known.
    pub fn open(script: &'a [u8]) -> Matter<'a> {
        Matter::expecting(script, Expectation::None)
    }

    /// A script of which the answer is known.
    pub fn expecting(script: &'a [u8], expectation: Expectation) -> Matter<'a> {
        Matter { script, expectation, witness: None }
    }
}

/// Whether the oracle can have anything to say: most outcomes are plainly fine, and reading a script costs time.
pub fn is_interesting(matter: Matter<'_>, outcomes: &[Option<Outcome>]) -> bool {
    let said = |v| outcomes.iter().flatten().any(|o| o.verdicts().any(|a| a == Some(v)));
    let crash = outcomes.iter().flatten().any(|o| o.crash.is_some() || o.kind == OutcomeKind::Crash);
    let core = outcomes.iter().flatten().any(|o| o.answers.iter().any(|a| a.core.is_some()));
    let unsat_is_fine =
        matches!(matter.expectation, Expectation::None | Expectation::Unsat) && matter.witness.is_none();
    crash || core || said(Verdict::Sat) || (said(Verdict::Unsat) && !unsat_is_fine)
}

/// Judges by outcomes; `None` for a solver that was not asked. Positions in charges are positions in `outcomes`.
pub fn try_case(
    solvers: &[Contestant],
    matter: Matter<'_>,
    outcomes: &[Option<Outcome>],
    seed: &[Option<Outcome>],
) -> Judgement {
    let there: Vec<usize> = (0..solvers.len()).filter(|i| outcomes[*i].is_some()).collect();
    let testimonies: Vec<Testimony<'_>> = there
        .iter()
        .filter_map(|&i| {
            let outcome = outcomes[i].as_ref()?;
            let seed = seed.get(i).and_then(Option::as_ref);
            Some(Testimony { solver: solvers[i].solver.id(), family: solvers[i].family(), outcome, seed })
        })
        .collect();
    let look = |reading: Reading| {
        let mut reading = reading;
        let options = Options { witness: matter.witness, ..Options::default() };
        judge(&mut reading, matter.expectation, &testimonies, options)
    };
    // Most models are checked in no time; only where something is wrong is it worth to think for long.
    let said = |v| testimonies.iter().any(|t| t.outcome.verdicts().any(|a| a == Some(v)));
    let mut judgement = look(Reading::new(matter.script).with_effort(GLANCE));
    if !judgement.charges.is_empty() || (said(Verdict::Sat) && said(Verdict::Unsat)) {
        judgement = look(Reading::new(matter.script).with_effort(STARE));
    }
    for charge in &mut judgement.charges {
        charge.accused.iter_mut().for_each(|i| *i = there[*i]);
    }
    for question in &mut judgement.questions {
        question.accused = there[question.accused];
    }
    judgement
}

/// Puts the oracle's questions about cores to the other solvers, through `ask`.
pub fn settle_cores(
    solvers: &[Contestant],
    judgement: &Judgement,
    mut ask: impl FnMut(usize, Query) -> Result<Finished, Error>,
) -> Result<Vec<Charge>, Error> {
    let mut charges = Vec::new();
    for question in &judgement.questions {
        // The solver itself may well find the model, in a new start without the rest of the formula.
        let others = (0..solvers.len()).filter(|i| *i != question.accused).chain([question.accused]);
        for i in others {
            let finished = ask(i, Query::new(question.script.clone()).with_model())?;
            if let Some(charge) = judge_core(question, solvers[i].solver.id(), &finished.outcome) {
                charges.push(charge);
                break;
            }
            if finished.outcome.kind == OutcomeKind::Unsat {
                break;
            }
        }
    }
    Ok(charges)
}

/// The query for a case: models always, cores where the script has names for them.
pub fn query(script: &[u8], limit: Duration) -> Query {
    let query = Query::new(script).with_model().with_wall(limit);
    let named = b":named";
    if script.windows(named.len()).any(|w| w == named) { query.with_core() } else { query }
}

/// Runs one query in a process of its own.
pub fn run_fresh(contestant: &Contestant, query: Query, limits: Limits) -> Result<Finished, Error> {
    let config = SessionConfig { mode: Mode::Fresh, limits, ..SessionConfig::default() };
    Ok(Session::new(contestant.solver.clone(), config).run(query)?)
}
