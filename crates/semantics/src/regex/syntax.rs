//! Regular expressions as shared syntax trees.
//!
//! A few kinds suffice; the other constructors of SMT-LIB are defined by them. Trees may be as deep as the input makes
//! them, so nothing here recurses.

use super::{CharSet, EVERY_CHAR};
use crate::Str;
use crate::value::tree::{Child, Tree};

/// A regular expression.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Regex(Tree<Kind, Regex>);

#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) enum Kind {
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

    pub(super) fn kind(&self) -> &Kind {
        self.0.head()
    }

    pub(super) fn children(&self) -> &[Regex] {
        self.0.children()
    }

    /// The expression as SMT-LIB; `None` if it has more than `limit` nodes written out.
    pub fn to_smtlib(&self, limit: usize) -> Option<String> {
        enum Item<'a> {
            Regex(&'a Regex),
            Text(&'static str),
        }
        let mut out = String::new();
        let mut work = vec![Item::Regex(self)];
        let mut nodes = 0;
        while let Some(item) = work.pop() {
            let regex = match item {
                Item::Text(text) => {
                    out.push_str(text);
                    continue;
                }
                Item::Regex(regex) => regex,
            };
            nodes += 1;
            if nodes > limit {
                return None;
            }
            let (head, nothing) = match regex.kind() {
                Kind::Chars(set) => {
                    let range = |&(first, last): &(u32, u32)| {
                        let text = |c| Str::new(vec![c]).map_or(String::new(), |s| s.to_string());
                        format!("(re.range {} {})", text(first), text(last))
                    };
                    match &set[..] {
                        [] => out.push_str("re.none"),
                        [every] if *every == EVERY_CHAR => out.push_str("re.allchar"),
                        [one] => out.push_str(&range(one)),
                        many => {
                            out.push_str("(re.union");
                            many.iter().for_each(|r| out.extend([" ".to_owned(), range(r)]));
                            out.push(')');
                        }
                    }
                    continue;
                }
                Kind::Literal(s) => {
                    out.push_str(&format!("(str.to_re {s})"));
                    continue;
                }
                Kind::Concat => ("(re.++".to_owned(), "(str.to_re \"\")"),
                Kind::Union => ("(re.union".to_owned(), "re.none"),
                Kind::Inter => ("(re.inter".to_owned(), "re.all"),
                Kind::Comp => ("(re.comp".to_owned(), "re.none"),
                Kind::Loop(0, None) => ("(re.*".to_owned(), "re.none"),
                Kind::Loop(least, Some(most)) => (format!("((_ re.loop {least} {most})"), "re.none"),
                Kind::Loop(least, None) => {
                    let [body] = regex.children() else { return None };
                    out.push_str(&format!("(re.++ ((_ re.^ {least}) "));
                    work.extend([
                        Item::Text("))"),
                        Item::Regex(body),
                        Item::Text(") (re.* "),
                        Item::Regex(body),
                    ]);
                    continue;
                }
            };
            match regex.children() {
                [] => out.push_str(nothing),
                [one] if matches!(regex.kind(), Kind::Concat | Kind::Union | Kind::Inter) => {
                    work.push(Item::Regex(one));
                }
                children => {
                    out.push_str(&head);
                    work.push(Item::Text(")"));
                    for c in children.iter().rev() {
                        work.extend([Item::Regex(c), Item::Text(" ")]);
                    }
                }
            }
        }
        Some(out)
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
