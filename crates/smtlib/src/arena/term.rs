//! Hash-consed terms: storage, and the view that takes a term apart.
//!
//! Layout: a node refers to a run of cells, first its children, then other data of its kind (bound names, patterns,
//! attributes). So every kind of term has `children`, and a caller that does not know the kind can rebuild it with
//! other children.
//!
//! Bound variables keep their names: a term is syntax as written, and the binder of a variable depends on the place
//! of its occurrence.

use super::Arena;
use super::fun::Fun;
use super::sort::Sort;
use super::symbol::Symbol;
use crate::intern::{IdTable, hash_words, ids};

ids! {
    /// A term in an arena. Equal ids if and only if equal syntax and sort. Children come before parents.
    Term
}

/// The lexical kind of a literal.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Literal {
    /// `17`
    Numeral,
    /// `1.5`
    Decimal,
    /// `#xff`
    Hex,
    /// `#b01`
    Binary,
    /// `"abc"`; the text between the quotes, with doubled quotes and escapes as written.
    String,
    /// Literals such as `#f3m5`.
    Sharp,
}

const LITERALS: [Literal; 6] =
    [Literal::Numeral, Literal::Decimal, Literal::Hex, Literal::Binary, Literal::String, Literal::Sharp];

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u8)]
pub(crate) enum Kind {
    App,
    Var,
    Literal,
    Let,
    Binder,
    Match,
    Annotated,
    Apply,
}

/// A term taken apart.
#[derive(Clone, Copy, Debug)]
pub enum View<'a> {
    /// A function or operator applied, or a constant (no arguments).
    App(Fun, &'a [Term]),
    /// A variable bound by `let`, a quantifier, `match` or a definition's parameters.
    Var(Symbol),
    /// A literal and its text.
    Literal(Literal, Symbol),
    /// `(let ((x t) ..) body)`
    Let(LetView<'a>),
    /// `forall`, `exists`, `lambda`, and solvers' own binders.
    Binder(BinderView<'a>),
    /// `(match t ((pattern body) ..))`
    Match(MatchView<'a>),
    /// `(! t :attribute ..)`
    Annotated(AnnotatedView<'a>),
    /// A head that is itself a term: `((f x) y)` or a bound variable of function sort. The first child is the head.
    Apply(&'a [Term]),
}

/// A `let`.
#[derive(Clone, Copy, Debug)]
pub struct LetView<'a> {
    children: &'a [Term],
    names: &'a [Term],
}

impl<'a> LetView<'a> {
    /// The bound names with their definitions, in order.
    pub fn bindings(&self) -> impl ExactSizeIterator<Item = (Symbol, Term)> + use<'a> {
        self.names.iter().zip(self.children).map(|(n, &t)| (Symbol(n.0), t))
    }

    /// The `i`-th of them.
    pub fn binding(&self, i: usize) -> Option<(Symbol, Term)> {
        self.names.get(i).map(|n| (Symbol(n.0), self.children[i]))
    }

    /// The term in which the bindings are in scope.
    pub fn body(&self) -> Term {
        self.children[self.names.len()]
    }
}

/// A binder with sorted variables.
#[derive(Clone, Copy, Debug)]
pub struct BinderView<'a> {
    /// `forall`, `exists`, `lambda`, ..
    pub name: Symbol,
    /// The terms in which the variables are in scope: one, for set comprehensions two.
    pub bodies: &'a [Term],
    vars: &'a [Term],
}

impl<'a> BinderView<'a> {
    /// The variables with their sorts as written.
    pub fn vars(&self) -> impl ExactSizeIterator<Item = (Symbol, Sort)> + use<'a> {
        sorted_vars(self.vars)
    }
}

/// Cells in pairs: a name and its sort.
fn sorted_vars(cells: &[Term]) -> impl ExactSizeIterator<Item = (Symbol, Sort)> {
    cells.as_chunks().0.iter().map(|[n, s]| (Symbol(n.0), Sort(s.0)))
}

/// A `match`.
#[derive(Clone, Copy, Debug)]
pub struct MatchView<'a> {
    children: &'a [Term],
    patterns: &'a [Term],
}

/// A pattern of a [`MatchView`].
#[derive(Clone, Copy, Debug)]
pub struct PatternView<'a> {
    /// The constructor; `None` for a variable or `_`, which is then the only one of `vars`.
    pub constructor: Option<Symbol>,
    vars: &'a [Term],
}

impl<'a> PatternView<'a> {
    /// The variables it binds with their (canonical) sorts.
    pub fn vars(&self) -> impl ExactSizeIterator<Item = (Symbol, Sort)> + use<'a> {
        sorted_vars(self.vars)
    }
}

impl<'a> MatchView<'a> {
    /// The term that is matched.
    pub fn scrutinee(&self) -> Term {
        self.children[0]
    }

    /// Patterns with their bodies.
    pub fn cases(&self) -> impl Iterator<Item = (PatternView<'a>, Term)> + use<'a> {
        let mut rest = self.patterns;
        self.children[1..].iter().map(move |&body| {
            let constructor = (rest[0].0 != NONE).then_some(Symbol(rest[0].0));
            let (vars, after) = rest[2..].split_at(2 * rest[1].0 as usize);
            rest = after;
            (PatternView { constructor, vars }, body)
        })
    }
}

/// An annotated term.
#[derive(Clone, Copy, Debug)]
pub struct AnnotatedView<'a> {
    children: &'a [Term],
    attributes: &'a [Term],
}

/// The value of an attribute.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AttributeValue<'a> {
    /// No value.
    None,
    /// Any token or s-expression, as written.
    Text(Symbol),
    /// The name that `:named` gives.
    Name(Symbol),
    /// The terms of `:pattern (..)` or `:no-pattern t`.
    Terms(&'a [Term]),
}

impl<'a> AnnotatedView<'a> {
    /// The term itself.
    pub fn term(&self) -> Term {
        self.children[0]
    }

    /// Its attributes in order.
    pub fn attributes(&self) -> impl Iterator<Item = (Symbol, AttributeValue<'a>)> + use<'a> {
        let mut terms = &self.children[1..];
        self.attributes.as_chunks().0.iter().map(move |&[keyword, kind, payload]| {
            let value = match kind.0 {
                0 => AttributeValue::None,
                1 => AttributeValue::Text(Symbol(payload.0)),
                2 => AttributeValue::Name(Symbol(payload.0)),
                _ => {
                    let (mine, rest) = terms.split_at(payload.0 as usize);
                    terms = rest;
                    AttributeValue::Terms(mine)
                }
            };
            (Symbol(keyword.0), value)
        })
    }

    /// The names that `:named` gives: solvers accept several.
    pub fn names(&self) -> impl Iterator<Item = Symbol> + use<'a> {
        self.attributes().filter_map(|(_, v)| if let AttributeValue::Name(n) = v { Some(n) } else { None })
    }

    /// The first of them, if any.
    pub fn name(&self) -> Option<Symbol> {
        self.names().next()
    }
}

pub(crate) const NONE: u32 = u32::MAX;

#[derive(Clone, Copy, Debug)]
pub(crate) struct Node {
    pub(crate) kind: Kind,
    pub(crate) payload: u32,
    pub(crate) sort: Sort,
    start: u32,
    pub(crate) children: u32,
    extra: u32,
}

#[derive(Clone, Debug)]
pub(crate) struct Terms {
    nodes: Vec<Node>,
    /// Children of a term, then other ids that it needs.
    cells: Vec<Term>,
    table: IdTable,
}

impl Terms {
    pub(crate) fn new() -> Self {
        Terms {
            nodes: Vec::with_capacity(1 << 10),
            cells: Vec::with_capacity(1 << 11),
            table: IdTable::with_capacity(1 << 10),
        }
    }

    #[inline]
    pub(crate) fn intern(
        &mut self,
        kind: Kind,
        payload: u32,
        sort: Sort,
        children: &[Term],
        extra: &[Term],
    ) -> Term {
        let head = (payload << 3) ^ payload >> 29 ^ kind as u32;
        let words = children.iter().chain(extra).map(|t| t.0);
        let hash = hash_words(head, sort.0, words);
        let found = self.table.find(hash, |id| {
            let n = &self.nodes[id as usize];
            n.kind == kind
                && n.payload == payload
                && n.sort == sort
                && self.children_of(n) == children
                && self.extra_of(n) == extra
        });
        match found {
            Ok(id) => Term(id),
            Err(vacant) => {
                assert!(self.nodes.len() < (NONE - 1) as usize, "an arena holds less than 2^32 terms");
                self.nodes.push(Node {
                    kind,
                    payload,
                    sort,
                    start: self.cells.len() as u32,
                    children: children.len() as u32,
                    extra: extra.len() as u32,
                });
                self.cells.extend_from_slice(children);
                self.cells.extend_from_slice(extra);
                Term(self.table.insert(vacant, hash))
            }
        }
    }

    #[inline]
    fn children_of(&self, n: &Node) -> &[Term] {
        &self.cells[n.start as usize..(n.start + n.children) as usize]
    }

    #[inline]
    pub(crate) fn extra_of(&self, n: &Node) -> &[Term] {
        let start = (n.start + n.children) as usize;
        &self.cells[start..start + n.extra as usize]
    }

    #[inline]
    pub(crate) fn node(&self, t: Term) -> &Node {
        &self.nodes[t.0 as usize]
    }

    pub(crate) fn truncate(&mut self, len: usize) {
        self.table.truncate(len);
        if let Some(n) = self.nodes.get(len) {
            self.cells.truncate(n.start as usize);
        }
        self.nodes.truncate(len);
    }
}

impl Arena {
    /// The sort, canonical.
    #[inline]
    pub fn sort_of(&self, term: Term) -> Sort {
        self.terms.node(term).sort
    }

    /// The sub-terms directly below, in the order they are printed. Patterns of annotations are included.
    #[inline]
    pub fn children(&self, term: Term) -> &[Term] {
        self.terms.children_of(self.terms.node(term))
    }

    /// A term taken apart.
    #[inline]
    pub fn view(&self, term: Term) -> View<'_> {
        let n = self.terms.node(term);
        let children = self.terms.children_of(n);
        let extra = self.terms.extra_of(n);
        match n.kind {
            Kind::App => View::App(Fun(n.payload), children),
            Kind::Var => View::Var(Symbol(n.payload)),
            Kind::Literal => View::Literal(LITERALS[extra[0].index()], Symbol(n.payload)),
            Kind::Let => View::Let(LetView { children, names: extra }),
            Kind::Binder => {
                View::Binder(BinderView { name: Symbol(n.payload), bodies: children, vars: extra })
            }
            Kind::Match => View::Match(MatchView { children, patterns: extra }),
            Kind::Annotated => View::Annotated(AnnotatedView { children, attributes: extra }),
            Kind::Apply => View::Apply(children),
        }
    }

    /// The names that a term binds for some of its children.
    pub fn bound_by(&self, term: Term) -> Vec<Symbol> {
        match self.view(term) {
            View::Let(v) => v.bindings().map(|b| b.0).collect(),
            View::Binder(v) => v.vars().map(|b| b.0).collect(),
            View::Match(v) => {
                v.cases().flat_map(|(p, _)| p.vars().map(|b| b.0).collect::<Vec<_>>()).collect()
            }
            _ => Vec::new(),
        }
    }

    /// How many terms there are; ids are below.
    pub fn term_count(&self) -> usize {
        self.terms.nodes.len()
    }
}
