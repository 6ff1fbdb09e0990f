//! The scripts of a grammar by index, ordered by size, and within a size by the order of words.

use dashu_base::BitTest;
use dashu_int::UBig;

use super::check::{self, Ambiguity};
use super::count::Counts;
use super::grammar::{Grammar, Nt};
use super::parse::{Parser, rename};
use super::rank;
use super::walk::Walk;
use crate::rng::Rng;

/// The scripts of a grammar, one at a time.
#[derive(Clone, Debug)]
pub struct Enumerator {
    grammar: Grammar,
    counts: Counts,
    walk: Walk,
    /// The size of the script at hand.
    size: usize,
    /// By size, how many scripts are smaller.
    smaller: Vec<UBig>,
    /// The largest size there is, for grammars without recursion.
    largest: Option<usize>,
    parser: Option<Parser>,
}

impl Enumerator {
    /// For all scripts of a grammar.
    pub fn new(grammar: Grammar) -> Enumerator {
        let counts = Counts::new(&grammar);
        let walk = Walk::new(grammar.start);
        let largest = largest(&grammar);
        Enumerator { grammar, counts, walk, size: 0, smaller: vec![UBig::ZERO], largest, parser: None }
    }

    /// The grammar.
    pub fn grammar(&self) -> &Grammar {
        &self.grammar
    }

    /// How many scripts there are of a size.
    pub fn count(&mut self, size: usize) -> &UBig {
        self.counts.grow(&self.grammar, size);
        self.counts.words(self.grammar.start, size)
    }

    /// How many scripts are smaller than a size.
    pub fn smaller(&mut self, size: usize) -> &UBig {
        while self.smaller.len() <= size {
            let last = self.smaller.len() - 1;
            let next = self.count(last).clone() + &self.smaller[last];
            self.smaller.push(next);
        }
        &self.smaller[size]
    }

    /// The largest size of a script; `None` if there are infinitely many.
    pub fn largest(&self) -> Option<usize> {
        self.largest
    }

    /// How many scripts there are; `None` for infinitely many.
    pub fn total(&mut self) -> Option<UBig> {
        let largest = self.largest?;
        Some(self.smaller(largest + 1).clone())
    }

    /// The size of the script with an index; `None` if there are fewer scripts.
    pub fn size_of(&mut self, index: &UBig) -> Option<usize> {
        let mut size = self.smaller.partition_point(|n| n <= index);
        loop {
            if self.largest.is_some_and(|largest| size > largest + 1) {
                return None;
            }
            if self.smaller(size) > index {
                return Some(size - 1);
            }
            size += 1;
        }
    }

    /// Goes to the script with an index; false if there are fewer scripts.
    pub fn seek(&mut self, index: &UBig) -> bool {
        let Some(size) = self.size_of(index) else { return false };
        let number = index - self.smaller(size);
        self.seek_in(size, number);
        true
    }

    fn seek_in(&mut self, size: usize, number: UBig) {
        self.counts.grow(&self.grammar, size);
        self.size = size;
        self.walk.seek(&self.grammar, &self.counts, size, number);
    }

    /// Goes to the next script; false after the last.
    pub fn advance(&mut self) -> bool {
        if self.walk.next(&self.grammar, &self.counts) {
            return true;
        }
        loop {
            self.size += 1;
            if self.largest.is_some_and(|largest| self.size > largest) {
                return false;
            }
            self.counts.grow(&self.grammar, self.size);
            if self.walk.first(&self.grammar, &self.counts, self.size) {
                return true;
            }
        }
    }

    /// Goes to a script of a size, each equally likely; false if there is none.
    pub fn sample(&mut self, size: usize, rng: &mut Rng) -> bool {
        let count = self.count(size).clone();
        if count.is_zero() {
            return false;
        }
        let number = below(&count, rng);
        self.seek_in(size, number);
        true
    }

    /// The script at hand.
    pub fn text(&self) -> &[u8] {
        self.walk.text()
    }

    /// Its size.
    pub fn size(&self) -> usize {
        self.size
    }

    /// The index of a script; `None` if the grammar does not have it. Under symmetry breaking, that of the one that
    /// represents its class, if that is known.
    pub fn rank(&mut self, script: &[u8]) -> Option<UBig> {
        let parser = self.parser.get_or_insert_with(|| Parser::new(&self.grammar));
        let nodes = match self.grammar.renamed.is_empty() {
            true => parser.parse(script)?,
            false => parser.parse(&rename(script, &self.grammar.renamed))?,
        };
        let size = rank::size(&self.grammar, &nodes);
        self.counts.grow(&self.grammar, size);
        let number = rank::rank(&self.grammar, &self.counts, &nodes)?;
        Some(self.smaller(size) + number)
    }

    /// Looks for a script that the grammar has in two ways, among small ones.
    pub fn ambiguity(&self) -> Option<Ambiguity> {
        check::ambiguity(&self.grammar)
    }
}

/// A number below another, each equally likely.
fn below(count: &UBig, rng: &mut Rng) -> UBig {
    let bits = count.bit_len();
    let words = bits.div_ceil(64).max(1);
    loop {
        let mut number = UBig::ZERO;
        for _ in 0..words {
            number = (number << 64) + UBig::from(rng.bits());
        }
        let number = number >> (words * 64 - bits);
        if number < *count {
            return number;
        }
    }
}

/// The largest size of a grammar without recursion.
fn largest(grammar: &Grammar) -> Option<usize> {
    let all = &grammar.nonterminals;
    let mut known: Vec<Option<usize>> = vec![None; all.len()];
    // Without recursion, each round settles one at least.
    for _ in 0..all.len() {
        for nt in 0..all.len() {
            let sum = |p: &super::grammar::Production| {
                p.nonterminals().map(|n: Nt| known[n]).sum::<Option<usize>>()
            };
            let largest: Option<Vec<usize>> = all[nt].productions.iter().map(sum).collect();
            known[nt] = largest.and_then(|l| l.into_iter().max()).map(|n| n + all[nt].cost);
        }
        if known[grammar.start].is_some() {
            break;
        }
    }
    known[grammar.start]
}
