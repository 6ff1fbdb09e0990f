//! Computes the number of a derivation among the words of its size.

use dashu_int::UBig;

use super::count::{Counts, Kind, Tail};
use super::grammar::Grammar;
use super::parse::Node;
use super::walk::pair;

/// The size of a derivation.
pub(super) fn size(grammar: &Grammar, nodes: &[Node]) -> usize {
    nodes.iter().map(|n| grammar.nonterminals[n.nt].cost).sum()
}

/// The number of a derivation among those of its size; `None` if symmetry breaking leaves another one in its place.
pub(super) fn rank(grammar: &Grammar, counts: &Counts, nodes: &[Node]) -> Option<UBig> {
    // From the last node to the first: the words below a node are on top of the stack, the first one uppermost.
    let mut done: Vec<(usize, UBig)> = Vec::new();
    for node in nodes.iter().rev() {
        let row = &grammar.nonterminals[node.nt];
        let count = row.productions[node.production].nonterminals().count();
        let mut inner = done.split_off(done.len().checked_sub(count)?);
        inner.reverse();
        let size: usize = inner.iter().map(|w| w.0).sum();
        let mut number = UBig::ZERO;
        for production in 0..node.production {
            number += counts.tails(counts.entry(node.nt, production), size);
        }
        number += tail(counts, counts.entry(node.nt, node.production), size, &mut inner)?;
        done.push((size + row.cost, number));
    }
    done.pop().map(|w| w.1)
}

/// The number of what follows in a production.
fn tail(counts: &Counts, mut at: Tail, mut size: usize, words: &mut [(usize, UBig)]) -> Option<UBig> {
    let mut number = UBig::ZERO;
    let mut next = 0;
    loop {
        match counts.kind(at) {
            Kind::Empty => return Some(number),
            Kind::Cons(_, rest) => {
                let (m, word) = &words[next];
                number += before(counts, at, size, *m);
                number += word * counts.tails(rest, size - m);
                (at, size, next) = (rest, size - m, next + 1);
            }
            Kind::Pair(a, b) => {
                let (first, second) = (next, next + 1);
                if words[first] > words[second] {
                    if a != b && words[first].0 > words[second].0 {
                        return None;
                    }
                    if a == b {
                        words.swap(first, second);
                    }
                }
                let ((m, x), (n, y)) = (&words[first], &words[second]);
                number += before(counts, at, size, *m);
                number += match a == b && m == n {
                    true => pair(x, y, counts.words(a, *m)),
                    false => x * counts.words(b, *n) + y,
                };
                return Some(number);
            }
        }
    }
}

/// How many words come before those whose first nonterminal has size `m`.
fn before(counts: &Counts, tail: Tail, size: usize, m: usize) -> UBig {
    let mut sum = UBig::ZERO;
    if counts.is_last(tail) {
        return sum;
    }
    let mut at = counts.next_split(tail, size, 0);
    while let Some((place, other)) = at {
        if other == m {
            break;
        }
        sum += counts.split(tail, size, other);
        at = counts.next_split(tail, size, place + 1);
    }
    sum
}
