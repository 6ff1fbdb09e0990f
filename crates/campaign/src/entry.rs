//! An entry: a case or a seed that a worker is running, with a slot for the outcome of each solver.

use smelt_core::{Case, Expectation, Outcome, Provenance};

use crate::lab::Lab;
use crate::memory::Memory;
use crate::plan::{Pick, SEED};

/// A script under way.
pub(crate) struct Entry {
    pub(crate) task: Task,
    pub(crate) case: Case,
    /// The seeds it was made from, by position.
    pub(crate) seeds: Vec<usize>,
    pub(crate) slots: Vec<Slot>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Task {
    /// A seed itself. `own` is the number that it is run with, where that is counted apart from cases that need it.
    Probe { own: Option<u64> },
    /// A case: its number in the campaign, its position among this worker's, and how it was made.
    Case { number: u64, ordinal: u64, pick: Pick },
}

/// The state of a query to one solver.
pub(crate) enum Slot {
    /// This solver is not asked.
    Unasked,
    Waiting,
    Running,
    Done(Box<Outcome>),
    /// An earlier campaign asked it.
    Known(Box<Outcome>),
}

impl Entry {
    /// A seed to run itself.
    pub(crate) fn probe(lab: &Lab<'_>, seed: usize, own: Option<u64>, memory: Option<&Memory>) -> Entry {
        let text = &lab.seeds.texts[seed];
        let proved = text.status.filter(|_| text.proved);
        let expectation = proved.map_or(Expectation::Open, Expectation::Known);
        let known = |solver, m: &Memory| m.known(solver, &text.text, lab.seed_limit(solver, seed));
        let slot = |solver| match memory.and_then(|m| known(solver, m)) {
            Some(outcome) => Slot::Known(Box::new(outcome)),
            None if lab.seeds.lacks(solver, seed) || !lab.says(solver, &text.text) => Slot::Unasked,
            None => Slot::Waiting,
        };
        let provenance =
            Provenance { seeds: vec![text.hash], strategy: SEED.to_owned(), ..Provenance::default() };
        Entry {
            task: Task::Probe { own },
            case: Case { provenance, ..Case::expecting(text.text.clone(), expectation) },
            seeds: vec![seed],
            slots: (0..lab.config.solvers.len()).map(slot).collect(),
        }
    }

    pub(crate) fn is_done(&self) -> bool {
        self.slots.iter().all(|s| matches!(s, Slot::Unasked | Slot::Done(_) | Slot::Known(_)))
    }

    /// The number of the case; `None` for a seed itself.
    pub(crate) fn number(&self) -> Option<u64> {
        match self.task {
            Task::Probe { .. } => None,
            Task::Case { number, .. } => Some(number),
        }
    }

    /// Whether it is a seed itself.
    pub(crate) fn is_probe(&self) -> bool {
        matches!(self.task, Task::Probe { .. })
    }

    /// Whether a solver was asked in this campaign.
    pub(crate) fn is_asked(&self, solver: usize) -> bool {
        matches!(self.slots[solver], Slot::Done(_))
    }

    /// What each solver did; `None` for those that were not asked.
    pub(crate) fn take_outcomes(&mut self) -> Vec<Option<Outcome>> {
        let take = |slot: &mut Slot| match std::mem::replace(slot, Slot::Unasked) {
            Slot::Done(outcome) | Slot::Known(outcome) => Some(*outcome),
            _ => None,
        };
        self.slots.iter_mut().map(take).collect()
    }
}
