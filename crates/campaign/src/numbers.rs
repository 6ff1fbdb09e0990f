//! The source of a campaign's case numbers.
//!
//! Workers take numbers and the writer finishes them. The store records finished numbers: if smelt is killed, a
//! number that was taken but not finished is given out again, and no finished number runs twice.
//!
//! [`Shares`] is the source for a folder: the numbers of one shard, of a whole campaign, or of the shards that
//! `smelt merge` merged. Another source, such as leased ranges of a shared store, implements [`Numbers`] and is set
//! in [`Config::numbers`](crate::Config::numbers); nothing else changes. A source must give out each number once
//! over all processes, and give out the numbers of a dead process again. If cases are functions of their numbers
//! ([`Learning::Uniform`](crate::Learning::Uniform)), any process can run any number.

use serde::{Deserialize, Serialize};
use smelt_trial::lock;
use std::fmt;
use std::str::FromStr;
use std::sync::Mutex;

use crate::lab::Config;
use crate::numbering::{Done, Line};
use crate::source::Learning;
use smelt_store::{Error, Store};

/// The answer to a worker that needs a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Taken {
    /// This number, for this process only.
    Number(u64),
    /// None is at hand now: the worker asks again in a moment.
    Later,
    /// All were given out.
    Over,
}

/// Gives out the numbers of the cases of a campaign. All workers of a process share it.
pub trait Numbers: fmt::Debug + Send + Sync {
    /// The next number.
    fn take(&self) -> Taken;

    /// Whether the results of a number count: it was given out here, and no other process took it over.
    fn is_ours(&self, _number: u64) -> bool {
        true
    }

    /// Takes back a number whose results do not count: it is given out again, if it is still ours.
    fn give_back(&self, _number: u64) {}

    /// Notes that the results of a number are in the batch that is written next.
    fn finish(&self, number: u64);

    /// What says which numbers are done, by keys of the store. It is written with the results of these numbers in one
    /// transaction.
    fn state(&self) -> Vec<(String, String)>;

    /// All numbers of the whole campaign below this one are known to be done.
    fn low(&self) -> u64;

    /// How many of the numbers that it gives out are done, and how many there are, if they end.
    fn progress(&self) -> (u64, Option<u64>);
}

/// A part of a campaign: `3/64` has every 64th number, from 2 on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Shard {
    index: u64,
    of: u64,
}

impl Shard {
    /// The whole campaign.
    pub const WHOLE: Shard = Shard { index: 1, of: 1 };
    /// There are not more shards than this.
    pub const MOST: u64 = 10_000;

    /// Shard `index` of `of`, counted from 1; `None` if there is no such shard.
    pub fn new(index: u64, of: u64) -> Option<Shard> {
        ((1..=of).contains(&index) && of <= Shard::MOST).then_some(Shard { index, of })
    }

    /// Which one it is, from 1 on.
    pub fn index(self) -> u64 {
        self.index
    }

    /// How many there are.
    pub fn of(self) -> u64 {
        self.of
    }

    /// Its `ordinal`-th number.
    fn number(self, ordinal: u64) -> u64 {
        ordinal.saturating_mul(self.of).saturating_add(self.index - 1)
    }

    /// How many of its numbers are below this one.
    pub fn below(self, end: u64) -> u64 {
        end.saturating_sub(self.index - 1).div_ceil(self.of)
    }
}

impl fmt::Display for Shard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.index, self.of)
    }
}

impl FromStr for Shard {
    type Err = String;

    fn from_str(text: &str) -> Result<Shard, String> {
        let numbers = text.split_once('/').and_then(|(i, n)| Some((i.parse().ok()?, n.parse().ok()?)));
        let most = Shard::MOST;
        numbers
            .and_then(|(index, of)| Shard::new(index, of))
            .ok_or_else(|| format!("must be I/N, for shard I of N, such as 3/64; N is at most {most}"))
    }
}

impl TryFrom<String> for Shard {
    type Error = String;

    fn try_from(text: String) -> Result<Shard, String> {
        text.parse()
    }
}

impl From<Shard> for String {
    fn from(shard: Shard) -> String {
        shard.to_string()
    }
}

/// Which numbers of a shard are done, as places in the shard: 0 is its first number.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Part {
    pub(crate) index: u64,
    #[serde(flatten)]
    pub(crate) done: Done,
}

/// Which numbers of a campaign are done, by shards. The store keeps it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Parts {
    /// How many shards the campaign has.
    pub(crate) of: u64,
    /// The shards that the store has, in the order of their indices.
    pub(crate) parts: Vec<Part>,
}

/// The store's key for them.
pub(crate) const KEY: &str = "numbers";

impl Parts {
    /// A shard of which nothing is done.
    #[cfg(test)]
    fn of_shard(shard: Shard) -> Parts {
        Parts { of: shard.of, parts: vec![Part { index: shard.index, done: Done::default() }] }
    }

    pub(crate) fn shard(&self, part: &Part) -> Shard {
        Shard { index: part.index, of: self.of }
    }

    /// The shards that are not here.
    pub(crate) fn missing(&self) -> Vec<u64> {
        (1..=self.of).filter(|i| self.place(*i).is_none()).collect()
    }

    /// Where a shard is among the parts.
    fn place(&self, index: u64) -> Option<usize> {
        self.parts.binary_search_by_key(&index, |p| p.index).ok()
    }

    /// The shards that are here and have numbers below `end` that are not done.
    pub(crate) fn unfinished(&self, end: u64) -> Vec<u64> {
        let is_open = |p: &&Part| p.done.count() < self.shard(p).below(end);
        self.parts.iter().filter(is_open).map(|p| p.index).collect()
    }

    /// With the shards that are not here, of which nothing is done.
    pub(crate) fn whole(mut self) -> Parts {
        let missing = self.missing().into_iter();
        self.parts.extend(missing.map(|index| Part { index, done: Done::default() }));
        self.parts.sort_by_key(|p| p.index);
        self
    }

    /// All numbers below this one are done.
    pub(crate) fn low(&self) -> u64 {
        let first_open = |index: u64| {
            let low = self.place(index).map_or(0, |at| self.parts[at].done.low);
            Shard { index, of: self.of }.number(low)
        };
        (1..=self.of).map(first_open).min().unwrap_or(0)
    }
}

/// The numbers of the shards that a folder has, from the lowest on.
#[derive(Debug)]
pub(crate) struct Shares {
    /// All numbers are below this one.
    end: Option<u64>,
    parts: Mutex<Parts>,
    lines: Mutex<Vec<(Shard, Line)>>,
}

impl Shares {
    /// The numbers below `end` that are not done.
    pub(crate) fn new(parts: Parts, end: Option<u64>) -> Shares {
        let lines = parts.parts.iter().map(|p| (parts.shard(p), Line::new(&p.done))).collect();
        Shares { end, parts: Mutex::new(parts), lines: Mutex::new(lines) }
    }
}

impl Numbers for Shares {
    fn take(&self) -> Taken {
        let mut lines = lock(&self.lines);
        let first = lines.iter_mut().min_by_key(|(shard, line)| shard.number(line.peek()));
        let Some((shard, line)) = first else { return Taken::Over };
        let number = shard.number(line.peek());
        if self.end.is_some_and(|end| number >= end) || number == u64::MAX {
            return Taken::Over;
        }
        line.take();
        Taken::Number(number)
    }

    fn finish(&self, number: u64) {
        let mut parts = lock(&self.parts);
        let (of, index) = (parts.of, number % parts.of + 1);
        if let Some(at) = parts.place(index) {
            parts.parts[at].done.finish(number / of);
        }
    }

    fn state(&self) -> Vec<(String, String)> {
        vec![(KEY.to_owned(), serde_json::to_string(&*lock(&self.parts)).unwrap_or_default())]
    }

    fn low(&self) -> u64 {
        lock(&self.parts).low()
    }

    fn progress(&self) -> (u64, Option<u64>) {
        let parts = lock(&self.parts);
        let done = parts.parts.iter().map(|p| p.done.count()).sum();
        (done, self.end.map(|end| parts.parts.iter().map(|p| parts.shard(p).below(end)).sum()))
    }
}

/// The numbers that the store of a folder does not have as done.
pub(crate) fn shares(store: &Store, config: &Config) -> Result<Shares, Error> {
    let read = |key: &str| -> Result<_, Error> { store.value(key) };
    let stored = read(KEY)?.and_then(|v| serde_json::from_str::<Parts>(&v).ok());
    let parts = match stored {
        Some(parts) => parts,
        None => {
            // Older stores have no shards.
            let low = read("low")?.and_then(|v| v.parse().ok()).unwrap_or(0);
            let done = read("done")?.and_then(|v| serde_json::from_str(&v).ok()).unwrap_or_default();
            let done = Done { low, done };
            Parts { of: config.shard.of(), parts: vec![Part { index: config.shard.index(), done }] }
        }
    };
    let parts = if config.shard == Shard::WHOLE { parts.whole() } else { parts };
    // What is learned decides which numbers make cases: then tests are counted, and numbers do not end.
    Ok(Shares::new(parts, config.tests.filter(|_| config.learning == Learning::Uniform)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    fn all(numbers: &dyn Numbers) -> Vec<u64> {
        let next = || match numbers.take() {
            Taken::Number(number) => Some(number),
            Taken::Later | Taken::Over => None,
        };
        std::iter::from_fn(next).collect()
    }

    fn parts(numbers: &dyn Numbers) -> Parts {
        serde_json::from_str(&numbers.state()[0].1).unwrap()
    }

    #[test]
    fn the_shards_have_each_number_once() {
        for (of, end) in [(1, 10), (3, 10), (7, 100), (64, 1000), (64, 10)] {
            let mut seen = BTreeSet::new();
            for index in 1..=of {
                let shard = Shard::new(index, of).unwrap();
                let shares = Shares::new(Parts::of_shard(shard), Some(end));
                let numbers = all(&shares);
                assert_eq!(numbers.len() as u64, shard.below(end), "{shard}");
                assert!(numbers.is_sorted());
                assert!(numbers.into_iter().all(|n| seen.insert(n)), "{shard}");
            }
            assert_eq!(seen, (0..end).collect(), "{of} shards");
        }
    }

    #[test]
    fn numbers_that_were_taken_and_not_finished_come_again_and_no_other() {
        let shard = Shard::new(2, 4).unwrap();
        let shares = Shares::new(Parts::of_shard(shard), Some(41));
        assert_eq!(all(&shares), [1, 5, 9, 13, 17, 21, 25, 29, 33, 37]);
        [1, 5, 13, 25].into_iter().for_each(|n| shares.finish(n));
        assert_eq!(shares.progress(), (4, Some(10)));
        let stored = parts(&shares);
        assert_eq!(stored.unfinished(41), [2]);
        let again = Shares::new(stored.clone(), Some(41));
        assert_eq!(all(&again), [9, 17, 21, 29, 33, 37]);
        // The campaign may become longer.
        let longer = Shares::new(stored, Some(50));
        assert_eq!(all(&longer), [9, 17, 21, 29, 33, 37, 41, 45, 49]);
    }

    #[test]
    fn united_shards_have_what_is_open_and_what_is_missing() {
        let mut united = Parts { of: 3, parts: Vec::new() };
        for (index, finished) in [(1, vec![0, 3, 6, 9]), (3, vec![2, 8])] {
            let shares = Shares::new(Parts::of_shard(Shard { index, of: 3 }), Some(12));
            finished.into_iter().for_each(|n| shares.finish(n));
            united.parts.extend(parts(&shares).parts);
        }
        assert_eq!((united.missing(), united.unfinished(12)), (vec![2], vec![3]));
        assert_eq!(united.low(), 1, "all of shard 2 is open");
        let shares = Shares::new(united.whole(), Some(12));
        assert_eq!(shares.progress(), (6, Some(12)));
        let rest = all(&shares);
        assert_eq!(rest, [1, 4, 5, 7, 10, 11]);
        rest.into_iter().for_each(|n| shares.finish(n));
        assert_eq!(shares.low(), 12);
    }

    #[test]
    fn a_shard_alone_knows_nothing_of_the_others() {
        let shares = Shares::new(Parts::of_shard(Shard { index: 1, of: 2 }), None);
        assert_eq!((shares.take(), shares.take()), (Taken::Number(0), Taken::Number(2)));
        shares.finish(0);
        shares.finish(2);
        assert_eq!((shares.low(), shares.progress()), (1, (2, None)));
    }

    #[test]
    fn shards_are_written_as_they_are_read() {
        assert_eq!("3/64".parse::<Shard>().unwrap().to_string(), "3/64");
        for bad in ["0/4", "5/4", "3", "a/b", "1/0", "-1/3", "1/20000", "1/2/3"] {
            assert!(bad.parse::<Shard>().is_err(), "{bad}");
        }
    }
}
