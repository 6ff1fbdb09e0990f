//! Regular expressions as shared syntax trees.
//!
//! A few kinds of nodes suffice; the other constructors of SMT-LIB are defined by them. Trees may be as deep as the
//! input, so nothing here recurses.

use super::{CharSet, EVERY_CHAR};
use crate::Str;
use crate::value::tree::{Child, Tree};

/// A regular expression.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Regex(Tree<Kind, Regex>);

#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) enum Kind {
    Chars(CharSet),
    Literal(Str),
    Concat,
    Union,
    Inter,
    Comp,
    /// The least and, if given, the greatest number of repetitions.
    Loop(u32, Option<u32>),
}

impl Regex {
    fn node(kind: Kind, children: Vec<Regex>) -> Regex {
        Regex(Tree::new(kind, children))
    }

    /// `re.none`.
    pub fn none() -> Regex {
        Regex::node(Kind::Chars(vec![]), vec![])
    }

    /// `re.all`.
    pub fn all() -> Regex {
        Regex::all_char().star()
    }

    /// `re.allchar`.
    pub fn all_char() -> Regex {
        Regex::node(Kind::Chars(vec![EVERY_CHAR]), vec![])
    }

    /// `str.to_re`.
    pub fn literal(s: Str) -> Regex {
        Regex::node(Kind::Literal(s), vec![])
    }

    /// `re.range`: empty unless both ends are single characters in order.
    pub fn range(first: &Str, last: &Str) -> Regex {
        match (first.codes(), last.codes()) {
            ([a], [b]) if a <= b => Regex::node(Kind::Chars(vec![(*a, *b)]), vec![]),
            _ => Regex::none(),
        }
    }

    /// `re.++`.
    pub fn concat(parts: Vec<Regex>) -> Regex {
        Regex::node(Kind::Concat, parts)
    }

    /// `re.union`.
    pub fn union(parts: Vec<Regex>) -> Regex {
        Regex::node(Kind::Union, parts)
    }

    /// `re.inter`.
    pub fn inter(parts: Vec<Regex>) -> Regex {
        Regex::node(Kind::Inter, parts)
    }

    /// `re.comp`.
    pub fn comp(self) -> Regex {
        Regex::node(Kind::Comp, vec![self])
    }

    /// `re.diff`.
    pub fn diff(self, other: Regex) -> Regex {
        Regex::inter(vec![self, other.comp()])
    }

    /// `re.*`.
    pub fn star(self) -> Regex {
        Regex::node(Kind::Loop(0, None), vec![self])
    }

    /// `re.+`.
    pub fn plus(self) -> Regex {
        Regex::node(Kind::Loop(1, None), vec![self])
    }

    /// `re.opt`.
    pub fn opt(self) -> Regex {
        self.repeat(0, 1)
    }

    /// `(_ re.^ n)`.
    pub fn power(self, n: u32) -> Regex {
        self.repeat(n, n)
    }

    /// `(_ re.loop least most)`: empty if `least > most`.
    pub fn repeat(self, least: u32, most: u32) -> Regex {
        if least > most {
            return Regex::none();
        }
        Regex::node(Kind::Loop(least, Some(most)), vec![self])
    }

    /// Repetition without upper bound: the one-index loop of some solvers.
    pub fn at_least(self, least: u32) -> Regex {
        Regex::node(Kind::Loop(least, None), vec![self])
    }

    /// The least length of a word, and the greatest if there is one, as far as this is plain; `None` if there is no word.
    /// The language may be smaller than these say: nothing is said of what complements leave out.
    pub fn lengths(&self) -> Option<(u64, Option<u64>)> {
        self.lengths_within(&mut 500, 60)
    }

    /// The same in this many steps, this deep; what is beyond may be anything.
    fn lengths_within(&self, steps: &mut u32, depth: u32) -> Option<(u64, Option<u64>)> {
        *steps = steps.saturating_sub(1);
        if *steps == 0 || depth == 0 {
            return Some((0, None));
        }
        let mut of = |r: &Regex| r.lengths_within(steps, depth - 1);
        match self.kind() {
            Kind::Chars(set) => (!set.is_empty()).then_some((1, Some(1))),
            Kind::Literal(s) => Some((s.codes().len() as u64, Some(s.codes().len() as u64))),
            Kind::Comp if self.children() == [Regex::all()] => None,
            Kind::Comp => Some((0, None)),
            Kind::Concat => self.children().iter().try_fold((0, Some(0)), |(least, most), r| {
                let (l, m) = of(r)?;
                Some((l.saturating_add(least), most.zip(m).map(|(a, b): (u64, u64)| a.saturating_add(b))))
            }),
            Kind::Union => {
                let all: Vec<_> = self.children().iter().filter_map(of).collect();
                let least = all.iter().map(|l| l.0).min()?;
                let most = all.iter().map(|l| l.1).collect::<Option<Vec<_>>>();
                Some((least, most.and_then(|most| most.into_iter().max())))
            }
            Kind::Inter => {
                let all: Vec<_> = self.children().iter().map(of).collect::<Option<_>>()?;
                let least = all.iter().map(|l| l.0).max().unwrap_or(0);
                let most = all.iter().filter_map(|l| l.1).min();
                most.is_none_or(|most| least <= most).then_some((least, most))
            }
            Kind::Loop(least, most) => {
                let Some((l, m)) = self.children().first().and_then(of) else {
                    return (*least == 0).then_some((0, Some(0)));
                };
                let longest = match (most, m) {
                    (Some(0), _) | (_, Some(0)) => Some(0),
                    (Some(n), Some(m)) => Some(m.saturating_mul(u64::from(*n))),
                    _ => None,
                };
                Some((l.saturating_mul(u64::from(*least)), longest))
            }
        }
    }

    pub(crate) fn kind(&self) -> &Kind {
        self.0.head()
    }

    pub(crate) fn children(&self) -> &[Regex] {
        self.0.children()
    }
}

impl Child<Kind> for Regex {
    fn tree(&self) -> Option<&Tree<Kind, Regex>> {
        Some(&self.0)
    }

    fn into_tree(self) -> Option<Tree<Kind, Regex>> {
        Some(self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn deep_and_shared_trees_compare_and_drop_without_recursion() {
        let deep = || (0..200_000).fold(Regex::all_char(), |r, _| r.comp());
        assert_eq!(deep(), deep());
        assert_ne!(deep(), deep().comp());
        let shared = || (0..100).fold(Regex::all_char(), |r, _| Regex::union(vec![r.clone(), r]));
        assert_eq!(shared(), shared());
    }
}
