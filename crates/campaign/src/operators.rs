//! Credit by operator: cases about operators that show new bugs or new behaviour come more often.
//!
//! Strategies do not know of it: a case is made, and one whose operators are worked out is often replaced by another
//! before any solver is asked. Making a case costs little compared with asking solvers.

use smelt_smtlib::signature::Signatures;
use smelt_strategies::Rng;
use std::collections::HashMap;
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

use crate::focus::words;

/// A case whose operators have no credit at all is kept with this probability.
const FLOOR: f64 = 0.4;
/// A new bug counts as much as this many cases of new behaviour.
const BUG: u32 = 16;
/// No operator is judged by fewer cases.
const ENOUGH: f64 = 16.0;
/// After this many cases with an operator its counts are halved.
const FADED: u32 = 256;

/// The credit of each operator of the signature table.
#[derive(Debug)]
pub(crate) struct Operators {
    numbers: HashMap<Vec<u8>, usize>,
    credits: Vec<Credit>,
}

#[derive(Debug, Default)]
struct Credit {
    cases: AtomicU32,
    earned: AtomicU32,
}

impl Credit {
    /// The recent share of cases that showed something new; an operator that is hardly tried has full credit.
    fn rate(&self) -> f64 {
        let (cases, earned) = (f64::from(self.cases.load(Relaxed)), f64::from(self.earned.load(Relaxed)));
        ((earned + ENOUGH) / (cases + ENOUGH)).min(1.0)
    }

    fn add(&self, earned: u32) {
        self.earned.fetch_add(earned, Relaxed);
        // Another worker may count at the same time: a case more or less does no harm.
        if self.cases.fetch_add(1, Relaxed) >= FADED {
            self.cases.store(FADED / 2, Relaxed);
            self.earned.store(self.earned.load(Relaxed) / 2, Relaxed);
        }
    }
}

impl Operators {
    pub(crate) fn new() -> Operators {
        let signatures = Signatures::builtin();
        let arena = signatures.arena();
        let mut numbers = HashMap::new();
        for row in signatures.rows() {
            let number = numbers.len();
            numbers.entry(arena.text(row.name).to_vec()).or_insert(number);
        }
        let credits = (0..numbers.len()).map(|_| Credit::default()).collect();
        Operators { numbers, credits }
    }

    /// The operators of a script.
    fn of(&self, script: &[u8]) -> Vec<usize> {
        let mut all: Vec<usize> = words(script).filter_map(|word| self.numbers.get(word).copied()).collect();
        all.sort_unstable();
        all.dedup();
        all
    }

    /// Whether to run a case: it has an operator with much credit, or chance wants it.
    pub(crate) fn keeps(&self, script: &[u8], rng: &mut Rng) -> bool {
        let rates = self.of(script).into_iter().map(|o| self.credits[o].rate());
        let best = rates.fold(0.0, f64::max);
        (rng.below(1 << 20) as f64) < (FLOOR + (1.0 - FLOOR) * best) * f64::from(1 << 20)
    }

    /// Learns from a case.
    pub(crate) fn learn(&self, script: &[u8], found: bool, novel: bool) {
        let earned = if found { BUG } else { u32::from(novel) };
        self.of(script).into_iter().for_each(|o| self.credits[o].add(earned));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn operators_that_are_worked_out_come_less_often_than_those_that_find() {
        let operators = Operators::new();
        let (dull, good) = (b"(assert (bvadd x y))", b"(assert (str.replace x y z))");
        let kept = |script: &[u8]| {
            let mut rng = Rng::new(1);
            (0..1000).filter(|_| operators.keeps(script, &mut rng)).count()
        };
        assert_eq!((kept(dull), kept(good)), (1000, 1000), "nothing is known yet");
        for case in 0..400 {
            operators.learn(dull, false, false);
            operators.learn(good, case % 20 == 0, false);
        }
        assert!(kept(dull) < 550 && kept(good) > 750, "{} {}", kept(dull), kept(good));
        assert!(kept(b"(assert (str.replace (bvadd x y) y z))") > 750, "one good operator is enough");
        // What found once and finds nothing any more loses its credit.
        (0..4000).for_each(|_| operators.learn(good, false, false));
        assert!(kept(good) < 550, "{}", kept(good));
    }
}
