//! The liar: a simulated solver that gives wrong answers, with invented models, cores and values, next to honest
//! solvers. Whatever the liar says, no claim with evidence may accuse an honest solver.
//!
//! The oracle does no I/O, so no solver process is needed. [`play`] makes scripts with names, a stack and
//! assumptions from the test cases of all strategies, [`honest`] answers them with the built-in solver, and
//! [`lies`] corrupts the answers. Solver releases can also play the honest side: their answers then count only if
//! all of them agree.

mod honest;
mod lies;
mod play;
mod process;

use smelt_campaign::SeedText;
use smelt_core::{Case, Claim, Expectation, Outcome, Relation, SolverId, Verdict};
use smelt_oracle::{CaseScript, Exhaust, Judgement, SolverOutcome, judge, judge_answer};
use smelt_semantics::eval::Effort;
use smelt_solvers::{Limits, Mode};
use smelt_strategies::{Pool, Rng, case_seed};
use smelt_trial::{Error, ErrorKind, IsOver, Lineup, NamedSolver, Panel, in_parallel, lock, query};
use std::collections::BTreeMap;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::Duration;

use crate::cases::{Cases, Numbered};
use lies::Liar;
use play::Play;

pub use process::process;

/// Lies about one script.
const LIES: usize = 6;
/// True models that are kept to lie with.
const KEPT: usize = 12;
/// As much as a campaign spends on a model of a disputed formula.
const EFFORT: Effort = Effort { steps: 500_000, assignments: 10_000, depth: 1_000 };

/// Scripts on which a liar stands beside honest solvers.
pub struct Stage<'a> {
    /// The honest solvers, of several families; none for the built-in solver in this process.
    pub solvers: &'a [NamedSolver],
    /// The seeds.
    pub seeds: &'a [SeedText],
    /// How many scripts are answered honestly and lied about.
    pub scripts: u64,
    /// What all random choices start from.
    pub random: u64,
    /// CPU time for an honest answer.
    pub limit: Duration,
    /// Threads.
    pub jobs: usize,
    /// When to stop.
    pub is_over: IsOver<'a>,
}

/// An honest solver that was accused.
#[derive(Clone, Debug)]
pub struct Accused {
    /// The number of the case.
    pub number: u64,
    /// Strategy and options.
    pub made_by: String,
    /// The claim, and all outcomes.
    pub why: String,
    /// The script.
    pub script: Vec<u8>,
}

/// What was counted.
#[derive(Clone, Debug, Default)]
pub struct Lied {
    /// Scripts that were answered honestly, by strategy.
    pub scripts: BTreeMap<String, u64>,
    /// Honest answers, by verdict.
    pub answers: BTreeMap<&'static str, u64>,
    /// Lies that were judged.
    pub lies: u64,
    /// Claims against the liar.
    pub caught: u64,
    /// Scripts that no honest solver understood, or on which honest solvers differ or are accused without a liar.
    pub left_out: u64,
    /// Honest solvers that were accused.
    pub accused: Vec<Accused>,
}

impl Lied {
    /// How many scripts there were.
    pub fn total(&self) -> u64 {
        self.scripts.values().sum()
    }

    /// In words.
    pub fn text(&self) -> String {
        let by: Vec<String> = self.scripts.iter().map(|(s, n)| format!("{s} {n}")).collect();
        let said: Vec<String> = self.answers.iter().map(|(s, n)| format!("{s} {n}")).collect();
        let mut text = format!(
            "{} scripts ({}), {} left out\nhonest answers: {}\n{} lies, {} claims against the liar, {} against an honest solver\n",
            self.total(),
            by.join(", "),
            self.left_out,
            said.join(", "),
            self.lies,
            self.caught,
            self.accused.len()
        );
        for a in &self.accused {
            text.push_str(&format!("case {} ({}): {}\n", a.number, a.made_by, a.why));
        }
        text
    }
}

/// An honest solver's outcome.
struct Honest {
    solver: SolverId,
    family: String,
    outcome: Outcome,
}

impl Stage<'_> {
    /// Lies about scripts until there were enough.
    pub fn run(&self, lied: &Mutex<Lied>) -> Result<(), Error> {
        let next = AtomicU64::new(0);
        let threads: Vec<usize> = (0..self.jobs).collect();
        in_parallel(&threads, self.jobs, self.is_over, |_, _| Actor::new(self, lied)?.run(&next))?;
        Ok(())
    }
}

struct Actor<'a> {
    stage: &'a Stage<'a>,
    cases: Cases,
    panel: Panel<'a>,
    /// True models of the last scripts.
    models: Vec<String>,
    lied: &'a Mutex<Lied>,
}

impl<'a> Actor<'a> {
    fn new(stage: &'a Stage<'a>, lied: &'a Mutex<Lied>) -> Result<Actor<'a>, Error> {
        let mut pool = Pool::new();
        for seed in stage.seeds {
            // Files that cannot be read are not seeds.
            let _ = pool.add(&seed.name, &seed.text, seed.status);
        }
        let cases = Cases::new(pool).map_err(|e| Error::new(ErrorKind::Usage, e.to_string()))?;
        let limits = Limits::within(stage.limit);
        let panel = Panel::new(Lineup { solvers: stage.solvers, limits, is_over: stage.is_over });
        Ok(Actor { stage, cases, panel, models: Vec::new(), lied })
    }

    fn run(mut self, next: &AtomicU64) -> Result<(), Error> {
        while !(self.stage.is_over)() && lock(self.lied).total() < self.stage.scripts {
            let number = next.fetch_add(1, Relaxed);
            let Some(Numbered { case, .. }) = self.cases.make(self.stage.random, number, &|_| true) else {
                continue;
            };
            let mut rng = Rng::new(case_seed(self.stage.random, "liar", number));
            let play = Play::of(&case.script, &mut rng);
            let honest = match &play {
                Some(play) => self.honest(play)?,
                None => None,
            };
            let (Some(play), Some(honest)) = (play, honest) else {
                lock(self.lied).left_out += 1;
                continue;
            };
            let accused = |why: String| Accused {
                number,
                made_by: format!("{} {}", case.provenance.strategy, case.provenance.options),
                why,
                script: play.text(),
            };
            let mut result = Lied::default();
            let wrong = self.lie_about(&play, &honest, &mut rng, &mut result);
            let mut lied = lock(self.lied);
            lied.lies += result.lies;
            lied.caught += result.caught;
            lied.accused.extend(wrong.into_iter().map(accused));
            *lied.scripts.entry(case.provenance.strategy.clone()).or_default() += 1;
            for verdict in honest.iter().flat_map(|h| h.outcome.verdicts()).flatten() {
                *lied.answers.entry(verdict.as_str()).or_default() += 1;
            }
        }
        Ok(())
    }

    /// The honest answers to a script; `None` if there are none, or if they cannot be trusted.
    fn honest(&mut self, play: &Play) -> Result<Option<Vec<Honest>>, Error> {
        let text = play.text();
        let mut honest = Vec::new();
        if self.stage.solvers.is_empty() {
            let Some(outcome) = honest::answers(play) else { return Ok(None) };
            honest.push(Honest {
                solver: SolverId::new("builtin", None),
                family: "builtin".to_owned(),
                outcome,
            });
            return Ok(Some(honest));
        }
        for (who, named) in self.stage.solvers.iter().enumerate() {
            let outcome = self.panel.ask(who, query(&text, self.stage.limit), Mode::Reuse)?;
            let Some(outcome) = outcome.filter(|o| o.kind.verdict().is_some() && o.comparable) else {
                continue;
            };
            honest.push(Honest {
                solver: named.solver.id().clone(),
                family: named.family().to_owned(),
                outcome,
            });
        }
        let agree = |a: &Honest, b: &Honest| a.outcome.verdicts().eq(b.outcome.verdicts());
        let [first, others @ ..] = &honest[..] else { return Ok(None) };
        if others.is_empty() || !others.iter().all(|other| agree(first, other)) {
            return Ok(None);
        }
        // What is claimed without a liar is not the liar's doing: the audit sees it.
        let alone = judge_all(&text, Expectation::Open, &outcomes(&honest, None));
        Ok(Some(honest).filter(|_| alone.claims.is_empty() && alone.conflicts.is_empty()))
    }

    /// Lies several times; says which honest solvers were accused.
    fn lie_about(&mut self, play: &Play, honest: &[Honest], rng: &mut Rng, result: &mut Lied) -> Vec<String> {
        let truth = &honest[0].outcome;
        let text = play.text();
        let own = truth.answers.iter().filter_map(|a| a.model.clone());
        let mut models: Vec<String> = own.collect();
        // A model of all assertions but one is a good lie.
        let less = honest::answers(&play.without(rng)).into_iter().flat_map(|o| o.answers);
        models.extend(less.filter_map(|a| a.model));
        self.models.extend(models.first().cloned());
        self.models.drain(..self.models.len().saturating_sub(KEPT));
        models.extend(self.models.iter().cloned());
        let mut wrong = Vec::new();
        for _ in 0..LIES {
            let mut liar = Liar { rng: &mut *rng, play, models: &models };
            let (lie, about_seed) = (liar.lie(truth), liar.lie(truth));
            let expectation = match (truth.kind.verdict(), rng.below(4)) {
                (Some(Verdict::Sat), 0) => Expectation::SAT,
                (Some(Verdict::Unsat), 0) => Expectation::UNSAT,
                (_, 1) => Expectation::Related(Relation::Same),
                _ => Expectation::Open,
            };
            let liar_id = SolverId::new("liar", None);
            let entry =
                SolverOutcome { solver: &liar_id, family: "liar", outcome: &lie, seed: Some(&about_seed) };
            let all = outcomes(honest, Some(entry));
            let mut judgement = judge_all(&text, expectation, &all);
            // The liar answers the questions about honest cores too.
            for question in judgement.questions.iter().filter(|q| q.accused < honest.len()) {
                let mut liar = Liar { rng: &mut *rng, play, models: &models };
                let answer = liar.lie(truth);
                judgement.claims.extend(judge_answer(question, &liar_id, &answer));
            }
            result.lies += 1;
            let is_wrong = |c: &&Claim| {
                let honest = c.accused.iter().any(|a| a.position < honest.len());
                honest && (c.evidence.is_some() || c.accused.len() == 1)
            };
            result.caught += judgement.claims.iter().filter(|c| !is_wrong(c)).count() as u64;
            let told = || format!("\nhonest: {truth:?}\nliar: {lie:?}\nexpectation: {expectation:?}");
            let claims = judgement.claims.iter().filter(is_wrong);
            wrong.extend(claims.map(|c| format!("{} of {}: {}{}", c.kind, c.who(), c.reason, told())));
            wrong.extend(
                judgement.conflicts.iter().map(|c| format!("smelt contradicts itself: {c:?}{}", told())),
            );
        }
        wrong
    }
}

/// The honest outcomes first, the liar's last.
fn outcomes<'a>(honest: &'a [Honest], liar: Option<SolverOutcome<'a>>) -> Vec<SolverOutcome<'a>> {
    let honest = honest.iter().map(|h| SolverOutcome {
        solver: &h.solver,
        family: &h.family,
        outcome: &h.outcome,
        seed: Some(&h.outcome),
    });
    honest.chain(liar).collect()
}

fn judge_all(script: &[u8], expectation: Expectation, outcomes: &[SolverOutcome<'_>]) -> Judgement {
    let case = Case::expecting(script, expectation);
    judge(&mut CaseScript::new(script).with_effort(EFFORT), &case, outcomes, Exhaust::Disputed)
}
