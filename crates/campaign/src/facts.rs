//! The seeds of a campaign, and what running each seed has shown about it.

use smelt_core::{Outcome, Verdict};
use smelt_smtlib::logic::Logic;
use smelt_strategies::Pool;
use std::collections::HashMap;
use std::sync::OnceLock;

use crate::seeds::SeedText;
use crate::summary::UnusableSeed;
use smelt_trial::{NamedSolver, is_decided};

/// The facts about a seed, once the seed itself was run.
#[derive(Debug, Default)]
pub(crate) struct Facts {
    /// The outcome of each solver on it.
    pub(crate) outcomes: Vec<Option<Outcome>>,
    /// Its status, if there is evidence for it.
    pub(crate) status: Option<Verdict>,
    /// Models of it that our evaluator finds true.
    pub(crate) models: Vec<String>,
}

/// The seeds.
#[derive(Debug)]
pub(crate) struct Seeds {
    pub(crate) texts: Vec<SeedText>,
    facts: Vec<OnceLock<Facts>>,
    /// Seeds that were run themselves in an earlier run: their findings are stored.
    pub(crate) probed: Vec<bool>,
    /// By seed: the number of its logic, the theories that it uses, and whether the strategies know its status.
    pub(crate) classes: Vec<usize>,
    uses: Vec<Logic>,
    labelled: Vec<bool>,
    /// By solver: theories of which it had no answer to an easy query.
    lacking: Vec<Vec<Logic>>,
}

impl Seeds {
    /// The seeds of a pool; and how many logics they have.
    pub(crate) fn new(
        texts: Vec<SeedText>,
        pool: &Pool,
        probed: Vec<bool>,
        lacking: Vec<Vec<Logic>>,
    ) -> (Seeds, usize) {
        let mut numbers: HashMap<Vec<u8>, usize> = HashMap::new();
        let (mut classes, mut uses, mut labelled) = (Vec::new(), Vec::new(), Vec::new());
        for id in pool.ids().take(texts.len()) {
            let seed = pool.seed(id);
            let logic = seed.script.logic().map(|l| pool.arena().text(l).to_vec());
            let next = numbers.len();
            classes.push(*numbers.entry(logic.unwrap_or_default()).or_insert(next));
            uses.push(Logic::used(pool.arena(), &seed.script).unwrap_or(Logic::NONE));
            labelled.push(seed.status.is_some());
        }
        let facts = texts.iter().map(|_| OnceLock::new()).collect();
        (Seeds { texts, facts, probed, classes, uses, labelled, lacking }, numbers.len())
    }

    /// The facts about a seed, once it was run.
    pub(crate) fn facts(&self, seed: usize) -> Option<&Facts> {
        self.facts[seed].get()
    }

    /// Notes the facts about a seed; false if they were known.
    pub(crate) fn note(&self, seed: usize, facts: Facts) -> bool {
        self.facts[seed].set(facts).is_ok()
    }

    /// The status of a seed that evidence backs, once the seed was run: a label alone is not evidence.
    pub(crate) fn status(&self, seed: usize) -> Option<Verdict> {
        self.facts(seed)?.status
    }

    /// What solvers say of a seed, once it was run: its status, or else the one answer that any of them gives.
    pub(crate) fn answer(&self, seed: usize) -> Option<Verdict> {
        let facts = self.facts(seed)?;
        let said = |v: Verdict| facts.outcomes.iter().flatten().any(|o| o.kind.verdict() == Some(v));
        facts.status.or(match (said(Verdict::Sat), said(Verdict::Unsat)) {
            (true, false) => Some(Verdict::Sat),
            (false, true) => Some(Verdict::Unsat),
            _ => None,
        })
    }

    /// Whether strategies know the status of a seed without any answer.
    pub(crate) fn is_labelled(&self, seed: usize) -> bool {
        self.labelled[seed]
    }

    /// Whether a seed uses a theory that a solver does not have.
    pub(crate) fn lacks(&self, solver: usize, seed: usize) -> bool {
        self.lacking[solver].iter().any(|theory| self.uses[seed].covers(*theory))
    }

    /// The seeds that no solver answered, and what each solver did instead.
    pub(crate) fn unanswered(&self, solvers: &[NamedSolver]) -> Vec<UnusableSeed> {
        let is_open = |facts: &Facts| !facts.outcomes.iter().flatten().any(is_decided);
        let run = self.texts.iter().zip(&self.facts).filter_map(|(text, facts)| Some((text, facts.get()?)));
        let row = |(text, facts): (&SeedText, &Facts)| {
            let did = |(named, outcome): (&NamedSolver, &Option<Outcome>)| {
                let did = outcome.as_ref().map_or("not asked", |o| o.kind.as_str());
                format!("{}: {did}", named.solver.id())
            };
            let all: Vec<String> = solvers.iter().zip(&facts.outcomes).map(did).collect();
            UnusableSeed { seed: text.name.clone(), why: all.join(", ") }
        };
        run.filter(|(_, facts)| is_open(facts)).map(row).collect()
    }
}
