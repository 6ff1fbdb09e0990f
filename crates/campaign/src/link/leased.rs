//! Case numbers that a shared store leases to this process, in ranges.

use smelt_store::shared::Progress;
use smelt_trial::lock;
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};

use crate::numbers::{Numbers, Taken};

/// The numbers at hand.
#[derive(Debug, Default)]
pub(super) struct Leased {
    stock: Mutex<Stock>,
    /// Whether somebody ever found none at hand.
    wanted: AtomicBool,
    /// Whether nothing is given out for now: too much waits to be delivered.
    pub(super) is_full: AtomicBool,
    low: AtomicU64,
    /// How many numbers the campaign has.
    pub(super) end: Option<u64>,
}

#[derive(Debug, Default)]
struct Stock {
    line: VecDeque<u64>,
    /// The ranges that are held, by their first number.
    held: BTreeMap<u64, Progress>,
    /// Ranges that changed since the last delivery.
    changed: BTreeMap<u64, Progress>,
    over: bool,
    /// The first numbers of all ranges that were ever added.
    added: BTreeSet<u64>,
    /// Numbers finished since the last delivery, and in all.
    new: u64,
    done: u64,
}

impl Leased {
    /// Nothing is at hand yet.
    pub(super) fn new(end: Option<u64>) -> Leased {
        Leased { end, ..Leased::default() }
    }

    /// Whether somebody ever wanted one and found none.
    pub(super) fn is_wanted(&self) -> bool {
        self.wanted.load(Relaxed)
    }

    /// Adds a range; what is done of it is not given out. One that was added before is not added again: the store may not
    /// know yet how much of it is done.
    pub(super) fn add(&self, range: Progress) {
        let mut stock = lock(&self.stock);
        if !stock.added.insert(range.first) {
            return;
        }
        stock.line.extend((range.low..range.past).filter(|n| !range.done.contains(n)));
        stock.held.insert(range.first, range);
    }

    /// All numbers of the campaign are done.
    pub(super) fn end(&self) {
        lock(&self.stock).over = true;
    }

    /// How many numbers are at hand, and how many this process finished.
    pub(super) fn figures(&self) -> (u64, u64) {
        let stock = lock(&self.stock);
        (stock.line.len() as u64, stock.done)
    }

    /// How many numbers were finished since the last time, and the state of their ranges.
    pub(super) fn take_progress(&self) -> (u64, Vec<Progress>) {
        let mut stock = lock(&self.stock);
        let changed = std::mem::take(&mut stock.changed);
        (std::mem::take(&mut stock.new), changed.into_values().collect())
    }

    /// Forgets all ranges: others have them now.
    pub(super) fn lose(&self) {
        let mut stock = lock(&self.stock);
        let done = stock.done;
        *stock = Stock { done, ..Stock::default() };
    }

    pub(super) fn set_low(&self, low: u64) {
        self.low.store(low, Relaxed);
    }
}

impl Stock {
    fn range_of(&mut self, number: u64) -> Option<&mut Progress> {
        let (_, range) = self.held.range_mut(..=number).next_back()?;
        (number < range.past && number >= range.low && !range.done.contains(&number)).then_some(range)
    }
}

impl Numbers for Leased {
    fn take(&self) -> Taken {
        let mut stock = lock(&self.stock);
        if self.is_full.load(Relaxed) {
            return Taken::Later;
        }
        match stock.line.pop_front() {
            Some(number) => Taken::Number(number),
            None if stock.over => Taken::Over,
            None => {
                self.wanted.store(true, Relaxed);
                Taken::Later
            }
        }
    }

    fn give_back(&self, number: u64) {
        let mut stock = lock(&self.stock);
        if stock.range_of(number).is_some() {
            stock.line.push_front(number);
        }
    }

    fn is_ours(&self, number: u64) -> bool {
        lock(&self.stock).range_of(number).is_some()
    }

    fn finish(&self, number: u64) {
        let mut stock = lock(&self.stock);
        let Some(range) = stock.range_of(number) else { return };
        range.done.insert(number);
        while range.done.remove(&range.low) {
            range.low += 1;
        }
        let range = range.clone();
        stock.new += 1;
        stock.done += 1;
        if range.low >= range.past {
            stock.held.remove(&range.first);
        }
        stock.changed.insert(range.first, range);
    }

    fn state(&self) -> Vec<(String, String)> {
        Vec::new()
    }

    fn low(&self) -> u64 {
        self.low.load(Relaxed)
    }

    fn progress(&self) -> (u64, Option<u64>) {
        (lock(&self.stock).done, self.end)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_range_is_given_out_once_and_a_lost_one_counts_no_more() {
        let leased = Leased::default();
        assert_eq!(leased.take(), Taken::Later);
        let range = Progress { stream: "cases".into(), first: 4, past: 8, low: 5, done: [6].into() };
        leased.add(range.clone());
        leased.add(range.clone());
        assert_eq!(
            [leased.take(), leased.take(), leased.take()],
            [Taken::Number(5), Taken::Number(7), Taken::Later]
        );
        leased.finish(7);
        assert!(!leased.is_ours(7) && leased.is_ours(5) && !leased.is_ours(9));
        leased.finish(7);
        let (new, changed) = leased.take_progress();
        assert_eq!((new, changed[0].low, &changed[0].done), (1, 5, &[6, 7].into()));
        leased.finish(5);
        let (new, changed) = leased.take_progress();
        assert_eq!((new, changed[0].low, changed[0].past), (1, 8, 8), "done to its end");
        leased.add(Progress { first: 8, past: 9, low: 8, done: Default::default(), ..range });
        assert_eq!(leased.take(), Taken::Number(8));
        leased.lose();
        leased.finish(8);
        assert_eq!(leased.take_progress().0, 0);
        leased.end();
        assert_eq!(leased.take(), Taken::Over);
    }
}
