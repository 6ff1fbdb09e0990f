//! Consecutive numbers, for a campaign and for strategies with numbered cases. All workers take them in order. The
//! store records which numbers are done, so that a resumed campaign runs the rest, and the summary can say "all
//! cases up to size k were checked". In a campaign whose cases are functions of their numbers, [`crate::by_number`]
//! maps numbers to cases of such a strategy, and this module only records which are done.

use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::{Arc, Mutex};

use smelt_strategies::{Layer, Strategy};
use smelt_trial::lock;

use crate::numbers::{Numbers, Taken};
use smelt_store::Counts;

/// Numbers in a line.
#[derive(Debug)]
pub(crate) struct Line {
    /// Numbers that an earlier run did not finish, the last first.
    redo: Vec<u64>,
    /// The first that was never given out.
    next: u64,
}

impl Line {
    /// The numbers that are not done yet.
    pub(crate) fn new(Done { low, done }: &Done) -> Line {
        let next = done.last().map_or(*low, |n| n + 1);
        let redo = (*low..next).rev().filter(|n| !done.contains(n)).collect();
        Line { redo, next }
    }

    /// The next number, which stays.
    pub(crate) fn peek(&self) -> u64 {
        self.redo.last().copied().unwrap_or(self.next)
    }

    /// Takes the next number.
    pub(crate) fn take(&mut self) -> u64 {
        self.redo.pop().unwrap_or_else(|| {
            self.next = self.next.saturating_add(1);
            self.next - 1
        })
    }
}

/// Gives out the numbers of one way of a strategy, each once.
#[derive(Debug)]
pub(crate) struct Turns {
    /// Whether a number was behind the last case.
    over: AtomicBool,
    source: Given,
}

/// Where they come from.
#[derive(Debug)]
enum Given {
    /// This process has them all.
    Line(Mutex<Line>),
    /// Processes share them.
    Shared(Arc<dyn Numbers>),
}

impl Turns {
    /// The numbers that are not done yet.
    pub(crate) fn new(done: &Done) -> Turns {
        Turns { over: AtomicBool::new(false), source: Given::Line(Mutex::new(Line::new(done))) }
    }

    /// Numbers that processes share.
    pub(crate) fn shared(numbers: Arc<dyn Numbers>) -> Turns {
        Turns { over: AtomicBool::new(false), source: Given::Shared(numbers) }
    }

    /// The next number.
    pub(crate) fn take(&self) -> Taken {
        let over = self.over.load(Relaxed);
        match &self.source {
            Given::Line(line) => {
                let mut line = lock(line);
                if line.redo.is_empty() && over { Taken::Over } else { Taken::Number(line.take()) }
            }
            Given::Shared(_) if over => Taken::Over,
            Given::Shared(numbers) => numbers.take(),
        }
    }

    /// Notes that a number is done; false if that is not noted here.
    pub(crate) fn finish(&self, number: u64) -> bool {
        let Given::Shared(numbers) = &self.source else { return false };
        numbers.finish(number);
        true
    }

    /// The results of a number do not count: another process, or this one, takes it again.
    pub(crate) fn give_back(&self, number: u64) {
        if let Given::Shared(numbers) = &self.source {
            numbers.give_back(number);
        }
    }

    /// Notes that a number was behind the last case; so are all that follow.
    pub(crate) fn end(&self) {
        self.over.store(true, Relaxed);
    }
}

/// Which numbers are done.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct Done {
    /// All numbers below are done.
    pub(crate) low: u64,
    /// Numbers above that are done.
    pub(crate) done: BTreeSet<u64>,
}

impl Done {
    /// Notes that a number is done.
    pub(crate) fn finish(&mut self, number: u64) {
        self.done.insert(number);
        while self.done.remove(&self.low) {
            self.low += 1;
        }
    }

    /// How many are done.
    pub(crate) fn count(&self) -> u64 {
        self.low + self.done.len() as u64
    }
}

/// The stored state of one way of a strategy that needs no seeds.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct Kept {
    #[serde(flatten)]
    pub(crate) numbers: Done,
    /// By size and solver: cases that it was asked, and that it decided.
    pub(crate) sizes: BTreeMap<u64, BTreeMap<String, [u64; 2]>>,
    /// The counts of the scheduler.
    pub(crate) counts: Counts,
}

impl Kept {
    /// Counts a query of a solver on a case of a size.
    pub(crate) fn asked(&mut self, size: u64, solver: &str, decided: bool) {
        let solvers = self.sizes.entry(size).or_default();
        let counts = match solvers.get_mut(solver) {
            Some(counts) => counts,
            None => solvers.entry(solver.to_owned()).or_default(),
        };
        counts[0] += 1;
        counts[1] += u64::from(decided);
    }

    /// Adds the counts of another shard.
    pub(crate) fn add(&mut self, other: Kept) {
        for (size, solvers) in other.sizes {
            for (solver, counts) in solvers {
                let sum = self.sizes.entry(size).or_default().entry(solver).or_default();
                sum.iter_mut().zip(counts).for_each(|(sum, new)| *sum += new);
            }
        }
        self.counts.iter_mut().zip(other.counts).for_each(|(sum, new)| *sum = sum.saturating_add(new));
    }

    /// The largest size of which all cases are done.
    pub(crate) fn guarantee(&self, strategy: &mut dyn Strategy) -> Option<Guarantee> {
        strategy.layer(0)?;
        let total = strategy.total()?;
        // Turns continue after the last case; then the size of this case is complete.
        let low = self.numbers.low.min(total);
        let layer = strategy.layer(low.min(total.saturating_sub(1)))?;
        let layer = match low < layer.to {
            true => layer,
            false => Layer { size: layer.size + 1, from: layer.to, to: layer.to },
        };
        if layer.from == 0 {
            return None;
        }
        let size = layer.size - 1;
        let mut solvers: BTreeMap<String, Checked> = BTreeMap::new();
        for counts in self.sizes.range(..=size).map(|(_, counts)| counts) {
            for (solver, [asked, decided]) in counts {
                let sum = solvers.entry(solver.clone()).or_default();
                sum.asked += asked;
                sum.decided += decided;
            }
        }
        Some(Guarantee {
            strategy: strategy.name().to_owned(),
            options: strategy.options(),
            size,
            cases: layer.from,
            next_done: low - layer.from,
            next_cases: layer.to - layer.from,
            leaves_out_decided: strategy.leaves_out_decided(),
            solvers,
        })
    }
}

/// A bounded guarantee: all solvers ran every case up to a size, and the answers were judged.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Guarantee {
    /// The strategy.
    pub strategy: String,
    /// Its options.
    pub options: String,
    /// The size.
    pub size: u64,
    /// How many cases there are up to that size.
    pub cases: u64,
    /// How many cases of the next size are done.
    pub next_done: u64,
    /// How many there are.
    pub next_cases: u64,
    /// Whether cases that simplification alone decides were passed over.
    pub leaves_out_decided: bool,
    /// By solver.
    pub solvers: BTreeMap<String, Checked>,
}

/// The answers of a solver to the cases of a guarantee.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Checked {
    /// Cases that it ran; not all, if it rejects nearly all.
    pub asked: u64,
    /// Cases that it answered with sat or unsat.
    pub decided: u64,
}

#[cfg(test)]
mod tests {
    use super::*;
    use smelt_strategies::{CaseRequest, Draft, Pool, Skip};

    /// Four cases of size 2, then eight of size 3.
    struct Counting;

    impl Strategy for Counting {
        fn name(&self) -> &'static str {
            "counting"
        }

        fn options(&self) -> String {
            String::new()
        }

        fn total(&self) -> Option<u64> {
            Some(12)
        }

        fn next(&mut self, _: &mut Pool, _: &CaseRequest<'_>, _: &mut Draft) -> Result<(), Skip> {
            Ok(())
        }

        fn layer(&mut self, number: u64) -> Option<Layer> {
            let (size, from, to) = if number < 4 { (2, 0, 4) } else { (3, 4, 12) };
            Some(Layer { size, from, to })
        }
    }

    #[test]
    fn a_guarantee_is_about_sizes_that_are_done() {
        let mut kept = Kept::default();
        for number in [0, 1, 2, 4] {
            kept.numbers.finish(number);
            kept.asked(if number < 4 { 2 } else { 3 }, "z3", number != 1);
        }
        assert_eq!(kept.guarantee(&mut Counting), None, "3 is missing");
        let stored = serde_json::to_string(&kept).unwrap();
        assert!(stored.starts_with(r#"{"low":3,"done":[4],"sizes":"#), "{stored}");
        assert_eq!(serde_json::from_str::<Kept>(&stored).unwrap(), kept);
        kept.numbers.finish(3);
        kept.asked(2, "z3", true);
        let guarantee = kept.guarantee(&mut Counting).unwrap();
        assert_eq!((guarantee.size, guarantee.cases, guarantee.next_done), (2, 4, 1));
        assert_eq!(guarantee.solvers["z3"], Checked { asked: 4, decided: 3 });
        (5..12).for_each(|n| kept.numbers.finish(n));
        assert_eq!(kept.guarantee(&mut Counting).unwrap().size, 3);
    }

    #[test]
    fn numbers_are_given_out_once_and_what_was_not_finished_comes_first() {
        let mut done = Done::default();
        [0, 1, 3, 6].into_iter().for_each(|n| done.finish(n));
        assert_eq!(done.low, 2);
        let numbers = Turns::new(&done);
        let given: Vec<Taken> = (0..5).map(|_| numbers.take()).collect();
        assert_eq!(given, [2, 4, 5, 7, 8].map(Taken::Number));
        numbers.end();
        assert_eq!(numbers.take(), Taken::Over);
    }
}
