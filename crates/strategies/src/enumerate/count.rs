//! The exact number of words of each size, however large. Computed size by size, on demand.
//!
//! The number of words for the end of a production depends only on its nonterminals, so productions with the same
//! end share their counts. Most grammars need only a few convolutions.

use dashu_int::UBig;
use std::collections::HashMap;

use super::grammar::{Grammar, Nt};

/// The end of a production, as far as counting sees it; by position.
pub(super) type Tail = usize;

/// What a tail is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Kind {
    /// Nothing follows.
    Empty,
    /// A nonterminal and then a tail.
    Cons(Nt, Tail),
    /// Two nonterminals whose order means nothing: the first is not the larger one. If both are the same, then of two
    /// words of equal size the first is not the later one.
    Pair(Nt, Nt),
}

/// Counts by nonterminal and by tail, for all sizes up to the largest asked for.
#[derive(Clone, Debug)]
pub(super) struct Counts {
    /// By nonterminal and size.
    words: Vec<Vec<UBig>>,
    /// By tail and size.
    tails: Vec<Vec<UBig>>,
    kinds: Vec<Kind>,
    /// By nonterminal and production.
    entry: Vec<Vec<Tail>>,
    /// The second of a pair, as a tail of its own.
    alone: HashMap<Nt, Tail>,
    /// By nonterminal, the size of its smallest word.
    least: Vec<usize>,
}

impl Counts {
    pub(super) fn new(grammar: &Grammar) -> Counts {
        let mut known: HashMap<Kind, Tail> = HashMap::new();
        let mut kinds = Vec::new();
        let mut intern = |kind: Kind| {
            *known.entry(kind).or_insert_with(|| {
                kinds.push(kind);
                kinds.len() - 1
            })
        };
        let empty = intern(Kind::Empty);
        let mut entry = Vec::new();
        let mut alone = HashMap::new();
        for row in &grammar.nonterminals {
            let mut tails = Vec::new();
            for production in &row.productions {
                let mut rest: Vec<Nt> = production.nonterminals().collect();
                let mut tail = empty;
                if production.unordered
                    && let (Some(second), Some(first)) = (rest.pop(), rest.pop())
                {
                    alone.insert(second, intern(Kind::Cons(second, empty)));
                    tail = intern(Kind::Pair(first, second));
                }
                while let Some(nt) = rest.pop() {
                    tail = intern(Kind::Cons(nt, tail));
                }
                tails.push(tail);
            }
            entry.push(tails);
        }
        let rows = grammar.nonterminals.len();
        Counts {
            words: vec![Vec::new(); rows],
            tails: vec![Vec::new(); kinds.len()],
            kinds,
            entry,
            alone,
            least: grammar.least(),
        }
    }

    /// Computes all sizes up to this one.
    pub(super) fn grow(&mut self, grammar: &Grammar, size: usize) {
        for n in self.words[grammar.start].len()..=size {
            self.grow_once(grammar, n);
        }
    }

    /// One more size. Within a size, a nonterminal may depend on others that cost nothing: those come first.
    fn grow_once(&mut self, grammar: &Grammar, n: usize) {
        let mut work: Vec<Job> = Vec::new();
        let all = (0..self.kinds.len()).map(Job::Tail).chain((0..self.words.len()).map(Job::Word));
        for job in all {
            work.push(job);
            while let Some(job) = work.pop() {
                match job {
                    Job::Word(nt) if self.words[nt].len() > n => {}
                    Job::Word(nt) => {
                        let Some(inner) = n.checked_sub(grammar.nonterminals[nt].cost) else {
                            self.words[nt].push(UBig::ZERO);
                            continue;
                        };
                        let missing = self.entry[nt].iter().copied().find(|t| self.tails[*t].len() <= inner);
                        if let Some(tail) = missing {
                            work.push(Job::Word(nt));
                            work.push(Job::Tail(tail));
                            continue;
                        }
                        let sum = self.entry[nt].iter().map(|t| &self.tails[*t][inner]).sum();
                        self.words[nt].push(sum);
                    }
                    Job::Tail(tail) if self.tails[tail].len() > n => {}
                    Job::Tail(tail) => {
                        let needs = self.missing(tail, n);
                        if needs.is_empty() {
                            let value = self.tail_count(tail, n);
                            self.tails[tail].push(value);
                        } else {
                            work.push(Job::Tail(tail));
                            work.extend(needs);
                        }
                    }
                }
            }
        }
    }

    /// What size `n` of a tail needs at the same size, and is not known yet.
    fn missing(&self, tail: Tail, n: usize) -> Vec<Job> {
        let mut needs = Vec::new();
        let word = |nt: Nt| (self.words[nt].len() <= n).then_some(Job::Word(nt));
        match self.kinds[tail] {
            Kind::Empty => {}
            Kind::Cons(nt, rest) => {
                let free = self.least[nt] == 0;
                // Beside what costs something, the rest is smaller.
                needs.extend((free && self.tails[rest].len() <= n).then_some(Job::Tail(rest)));
                // Beside what cannot be free, the first is smaller.
                let rest_free = if n == 0 { free } else { !self.tails[rest][0].is_zero() };
                needs.extend(word(nt).filter(|_| rest_free));
            }
            Kind::Pair(a, b) => {
                needs.extend([a, b].into_iter().filter_map(word));
            }
        }
        needs
    }

    fn tail_count(&self, tail: Tail, n: usize) -> UBig {
        let zero = UBig::ZERO;
        let word = |nt: Nt, m: usize| self.words[nt].get(m).unwrap_or(&zero);
        match self.kinds[tail] {
            Kind::Empty => UBig::from(u8::from(n == 0)),
            Kind::Cons(nt, rest) if self.kinds[rest] == Kind::Cons(nt, 0) => {
                // A square: each pair of sizes counts twice.
                let mut sum = UBig::ZERO;
                for m in 0..n.div_ceil(2) {
                    let (a, b) = (word(nt, m), word(nt, n - m));
                    if !a.is_zero() && !b.is_zero() {
                        sum += a * b;
                    }
                }
                sum *= 2u8;
                if n.is_multiple_of(2) {
                    let half = word(nt, n / 2);
                    sum += half * half;
                }
                sum
            }
            Kind::Cons(nt, rest) => {
                let mut sum = UBig::ZERO;
                for m in 0..=n {
                    let (a, b) = (word(nt, m), self.tails[rest].get(n - m).unwrap_or(&zero));
                    if !a.is_zero() && !b.is_zero() {
                        sum += a * b;
                    }
                }
                sum
            }
            Kind::Pair(..) => {
                let mut sum = UBig::ZERO;
                for m in 0..=n / 2 {
                    sum += self.split(tail, n, m);
                }
                sum
            }
        }
    }

    /// How many words of size `n` a tail has if its first nonterminal gets size `m`.
    pub(super) fn split(&self, tail: Tail, n: usize, m: usize) -> UBig {
        match self.kinds[tail] {
            Kind::Empty => UBig::ZERO,
            Kind::Cons(nt, rest) => &self.words[nt][m] * &self.tails[rest][n - m],
            Kind::Pair(a, b) if a == b && 2 * m == n => {
                let c = &self.words[a][m];
                c * (c + UBig::ONE) / UBig::from(2u8)
            }
            Kind::Pair(a, b) => &self.words[a][m] * &self.words[b][n - m],
        }
    }

    pub(super) fn kind(&self, tail: Tail) -> Kind {
        self.kinds[tail]
    }

    /// The second of a pair, as a tail of its own.
    pub(super) fn alone(&self, nt: Nt) -> Tail {
        self.alone[&nt]
    }

    /// Whether a tail is one nonterminal, which gets all of the size.
    pub(super) fn is_last(&self, tail: Tail) -> bool {
        matches!(self.kinds[tail], Kind::Cons(_, rest) if self.kinds[rest] == Kind::Empty)
    }

    /// The tail that a production of a nonterminal is.
    pub(super) fn entry(&self, nt: Nt, production: usize) -> Tail {
        self.entry[nt][production]
    }

    /// Words of a nonterminal.
    pub(super) fn words(&self, nt: Nt, size: usize) -> &UBig {
        &self.words[nt][size]
    }

    /// Words of a tail.
    pub(super) fn tails(&self, tail: Tail, size: usize) -> &UBig {
        &self.tails[tail][size]
    }

    /// Whether a nonterminal has words of a size.
    pub(super) fn has(&self, nt: Nt, size: usize) -> bool {
        self.words[nt].get(size).is_some_and(|c| !c.is_zero())
    }

    /// Whether a tail has.
    pub(super) fn tail_has(&self, tail: Tail, size: usize) -> bool {
        self.tails[tail].get(size).is_some_and(|c| !c.is_zero())
    }

    /// The sizes that the first nonterminal of a tail may get, as places in a fixed order from `place` on: small ones
    /// and large ones in turn, so that the common ones come early.
    pub(super) fn next_split(&self, tail: Tail, n: usize, place: usize) -> Option<(usize, usize)> {
        (place..=n).find_map(|place| {
            let m = if place.is_multiple_of(2) { place / 2 } else { n - place / 2 };
            self.may_split(tail, n, m).then_some((place, m))
        })
    }

    fn may_split(&self, tail: Tail, n: usize, m: usize) -> bool {
        match self.kinds[tail] {
            Kind::Empty => false,
            Kind::Cons(nt, rest) => self.has(nt, m) && self.tail_has(rest, n - m),
            Kind::Pair(a, b) => 2 * m <= n && self.has(a, m) && self.has(b, n - m),
        }
    }
}

/// A count that is still to be computed.
enum Job {
    Word(Nt),
    Tail(Tail),
}
