//! The source of cases: chooses the next strategy, variant and seed, and learns from results.
//!
//! There are three sources. A *learned* source follows its two bandits ([`crate::schedule`]). A *repeatable* source
//! does too, but learns only from results that do not depend on the clock, so that equal campaigns make equal
//! cases. A source *by number* computes each case from its number ([`crate::by_number`]), so that shards, or ranges
//! of numbers leased to several machines, together make one campaign. All differences between the three are decided
//! here, in [`crate::picker`], or in [`crate::timeouts`].

use smelt_store::{Arm, Counts, NewFinding, Sums};
use smelt_strategies::{Rng, case_seed};
use smelt_trial::{RUNS, lock};
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use crate::bandit::{BUG, Outcome};
use crate::by_number::ByNumber;
use crate::numbering::{Done, Turns};
use crate::numbers::{Numbers, Taken};
use crate::plan::{Pick, Plan};
use crate::schedule::{Place, Schedule};
use crate::seeds::SeedText;
use crate::timeouts::{OVERHEAD_MS, SELDOM};
use crate::writer::way_key;

/// The results that the source of cases learns from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Learning {
    /// All results.
    #[default]
    Full,
    /// Results that do not depend on the clock.
    Repeatable,
    /// None: every strategy and every seed comes equally often, and a case is a function of its number, whatever else
    /// is run, and by however many workers.
    Uniform,
}

/// The result of a case.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Feedback {
    /// Enough solvers gave an answer to compare.
    pub(crate) decided: bool,
    /// Every solver that was asked refused it.
    pub(crate) rejected: bool,
    /// It showed something that counts as found.
    pub(crate) found: bool,
    /// Bugs that the ledger did not know.
    pub(crate) new_bugs: u32,
    /// Solvers behaved as they never did before.
    pub(crate) novel: bool,
    /// The queries, and the CPU time of all solvers together.
    pub(crate) queries: u32,
    pub(crate) cpu: Duration,
}

/// Where the cases of a campaign come from. All workers share it.
#[derive(Debug)]
pub(crate) struct Source {
    seed: u64,
    numbers: Arc<dyn Numbers>,
    /// By strategy and way, the next numbers of enumerations.
    turns: Vec<Vec<Turns>>,
    kind: Kind,
}

#[derive(Debug)]
enum Kind {
    Learned { schedule: Box<Mutex<Schedule>>, is_repeatable: bool },
    ByNumber(ByNumber),
}

impl Source {
    /// A source that follows a schedule.
    pub(crate) fn learned(
        seed: u64,
        numbers: Arc<dyn Numbers>,
        turns: Vec<Vec<Turns>>,
        (schedule, is_repeatable): (Schedule, bool),
    ) -> Source {
        let kind = Kind::Learned { schedule: Box::new(Mutex::new(schedule)), is_repeatable };
        Source { seed, numbers, turns, kind }
    }

    /// A source whose cases are functions of their numbers.
    pub(crate) fn by_number(seed: u64, numbers: Arc<dyn Numbers>, by_number: ByNumber) -> Source {
        Source { seed, numbers, turns: Vec::new(), kind: Kind::ByNumber(by_number) }
    }

    /// The number of the next case.
    pub(crate) fn take(&self) -> Taken {
        self.numbers.take()
    }

    /// Whether its numbers have no end.
    pub(crate) fn is_endless(&self) -> bool {
        self.numbers.progress().1.is_none()
    }

    /// The random choices of a case.
    pub(crate) fn rng(&self, number: u64) -> Rng {
        let purpose = if self.numbered().is_some() { "case" } else { "schedule" };
        Rng::new(case_seed(self.seed, purpose, number))
    }

    /// Which case a number is, if that depends on nothing else.
    pub(crate) fn numbered(&self) -> Option<&ByNumber> {
        if let Kind::ByNumber(by_number) = &self.kind { Some(by_number) } else { None }
    }

    /// Changes or asks the scheduler, if there is one.
    pub(crate) fn schedule<T>(&self, act: impl FnOnce(&mut Schedule) -> T) -> Option<T> {
        match &self.kind {
            Kind::Learned { schedule, .. } => Some(act(&mut lock(schedule))),
            Kind::ByNumber(_) => None,
        }
    }

    /// The numbers of an enumeration.
    pub(crate) fn turns(&self, strategy: usize, way: usize) -> Option<&Turns> {
        self.turns.get(strategy)?.get(way)
    }

    /// The seed that is run itself with a number.
    pub(crate) fn own_run(&self, number: u64) -> Option<usize> {
        self.numbered()?.own_run(number)
    }

    /// Whether a run of a seed counts: `own` is the number that it was run with, `first` whether no worker ran it before.
    pub(crate) fn counts_run(&self, own: Option<u64>, first: bool) -> bool {
        if self.numbered().is_some() { own.is_some() } else { first }
    }

    /// Whether a finding counts for its strategy: bugs that were not known; where nothing is learned, each trigger.
    pub(crate) fn counts(&self, finding: &NewFinding) -> bool {
        match self.kind {
            Kind::ByNumber(_) => finding.seen.is_none_or(|seen| seen == RUNS),
            Kind::Learned { .. } => finding.seen == Some(RUNS),
        }
    }

    /// Whether a suspicion about a case is investigated, if its number alone decides that.
    pub(crate) fn investigates(&self, number: Option<u64>) -> Option<bool> {
        self.numbered()?;
        Some(number.is_none_or(|n| case_seed(self.seed, "look", n).is_multiple_of(SELDOM)))
    }

    /// What is counted of a case in the books: a test, whether it was useful, whether it found something, milliseconds.
    pub(crate) fn books(&self, feedback: &Feedback) -> Counts {
        let is_useful = match self.kind {
            Kind::Learned { is_repeatable: true, .. } => !feedback.rejected,
            _ => feedback.decided || feedback.found,
        };
        let ms = u32::try_from(feedback.cpu.as_millis()).unwrap_or(u32::MAX);
        [1, u32::from(is_useful), u32::from(feedback.found), ms]
    }

    /// The result of a case, or of a seed itself, as an arm learns it.
    fn outcome(&self, feedback: &Feedback) -> Outcome {
        match self.kind {
            Kind::Learned { is_repeatable: true, .. } => {
                Outcome { decided: !feedback.rejected, reward: 0.0, cost: 1.0 }
            }
            _ => Outcome {
                decided: feedback.decided || feedback.found,
                reward: BUG * f64::from(feedback.new_bugs) + f64::from(u8::from(feedback.novel)),
                cost: feedback.cpu.as_secs_f64() + f64::from(feedback.queries) * OVERHEAD_MS / 1e3,
            },
        }
    }

    /// Learns from a case.
    pub(crate) fn learn(&self, pick: Pick, feedback: &Feedback) {
        let outcome = self.outcome(feedback);
        self.schedule(|schedule| schedule.learn(pick, &outcome));
    }

    /// Learns from a seed that was run itself. When that happens depends on the clock.
    pub(crate) fn learn_seed(&self, seed: usize, feedback: &Feedback) {
        if matches!(self.kind, Kind::Learned { is_repeatable: false, .. }) {
            let outcome = self.outcome(feedback);
            self.schedule(|schedule| schedule.learn_seed(seed, &outcome));
        }
    }

    /// The reward of a case is taken back: what it found was known.
    pub(crate) fn withdraw(&self, pick: Pick) {
        if matches!(self.kind, Kind::Learned { is_repeatable: false, .. }) {
            self.schedule(|schedule| schedule.withdraw(pick));
        }
    }

    /// Takes in what other processes of the campaign counted. What this campaign does not have, it does not learn.
    pub(crate) fn hear(&self, plans: &[Plan], seeds: &[SeedText], lessons: Vec<(Arm, Sums)>) {
        if lessons.is_empty() || !matches!(self.kind, Kind::Learned { is_repeatable: false, .. }) {
            return;
        }
        let mut places: BTreeMap<Arm, Place> = BTreeMap::new();
        for (strategy, plan) in plans.iter().enumerate() {
            places.insert(Arm::Strategy(plan.row.name.to_owned()), Place::Strategy(strategy));
            for (way, of_plan) in plan.ways.iter().enumerate() {
                places.insert(Arm::Way(way_key(plan.row.name, &of_plan.text)), Place::Way(strategy, way));
            }
        }
        // Seeds may be many, and come seldom.
        if lessons.iter().any(|(arm, _)| matches!(arm, Arm::Seed(_))) {
            let seeds = seeds.iter().enumerate();
            places.extend(seeds.map(|(i, seed)| (Arm::Seed(seed.hash.to_string()), Place::Seed(i))));
        }
        self.schedule(|schedule| {
            for (arm, counts) in lessons {
                places.get(&arm).into_iter().for_each(|place| schedule.hear(*place, counts));
            }
        });
    }

    /// The share of the next cases of each strategy.
    pub(crate) fn shares(&self, plans: &[Plan]) -> Vec<f64> {
        let even = || vec![1.0 / plans.len().max(1) as f64; plans.len()];
        self.schedule(|schedule| schedule.shares()).unwrap_or_else(even)
    }

    /// The cases of an enumeration that are done, where numbers decide that; all numbers below `low` are.
    pub(crate) fn done(&self, strategy: usize, way: usize, low: u64) -> Option<Done> {
        let low = self.numbered()?.turns_below(strategy, way, low);
        Some(Done { low, ..Done::default() })
    }
}
