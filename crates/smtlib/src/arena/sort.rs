//! Hash-consed sorts.
//!
//! A sort name from `define-sort` stays as written for printing. Each sort also knows its *canonical* form with
//! such names expanded; the sorts cached in terms are always canonical.

use super::Arena;
use super::symbol::{Symbol, sym};
use crate::intern::{IdTable, hash_words, ids};

ids! {
    /// A sort in an arena.
    Sort
}

impl Sort {
    /// The sort of an undeclared name.
    pub const UNKNOWN: Sort = Sort(0);
    /// `Bool`
    pub const BOOL: Sort = Sort(1);
    /// `Int`
    pub const INT: Sort = Sort(2);
    /// `Real`
    pub const REAL: Sort = Sort(3);
    /// `String`
    pub const STRING: Sort = Sort(4);
    /// `RegLan`
    pub const REGLAN: Sort = Sort(5);
    /// `RoundingMode`
    pub const ROUNDING_MODE: Sort = Sort(6);

    const FIXED: [Symbol; 7] =
        [sym::UNKNOWN, sym::BOOL, sym::INT, sym::REAL, sym::STRING, sym::REGLAN, sym::ROUNDING_MODE];
}

/// An index of an indexed identifier or sort: a numeral below 2^31, or any other token as a symbol.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct Index(pub(crate) u32);

/// An [`Index`] taken apart.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum IndexView {
    /// A numeral that fits.
    Number(u32),
    /// A symbol, or the text of a larger numeral, a hexadecimal or a string.
    Text(Symbol),
}

const TEXT_BIT: u32 = 1 << 31;

impl Index {
    /// The numeral `n`; `None` when it does not fit.
    pub fn number(n: u32) -> Option<Index> {
        (n < TEXT_BIT).then_some(Index(n))
    }

    /// Any other token.
    pub fn text(symbol: Symbol) -> Index {
        Index(symbol.0 | TEXT_BIT)
    }

    /// What it is.
    pub fn view(self) -> IndexView {
        if self.0 & TEXT_BIT == 0 {
            IndexView::Number(self.0)
        } else {
            IndexView::Text(Symbol(self.0 & !TEXT_BIT))
        }
    }

    /// The numeral, if it is one.
    pub fn as_number(self) -> Option<u32> {
        match self.view() {
            IndexView::Number(n) => Some(n),
            IndexView::Text(_) => None,
        }
    }
}

/// What the name at the head of a sort is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum SortKind {
    /// A sort constructor: built in, declared, or a datatype.
    Constructor,
    /// A name from `define-sort`.
    Alias,
    /// A sort parameter of a datatype, a polymorphic function or a definition.
    Parameter,
}

#[derive(Clone, Debug)]
struct Node {
    head: Symbol,
    kind: SortKind,
    start: u32,
    indices: u32,
    args: u32,
    canonical: Sort,
    /// Of the canonical form as a tree; both saturate.
    size: u32,
    depth: u32,
    parametric: bool,
}

/// A sort taken apart.
#[derive(Clone, Copy, Debug)]
pub struct SortView<'a> {
    /// Its name.
    pub head: Symbol,
    /// What the name is.
    pub kind: SortKind,
    /// Indices, as in `(_ BitVec 8)`.
    pub indices: &'a [Index],
    /// Arguments, as in `(Array Int Bool)`.
    pub args: &'a [Sort],
}

#[derive(Clone, Debug)]
pub(crate) struct Sorts {
    nodes: Vec<Node>,
    indices: Vec<Index>,
    args: Vec<Sort>,
    table: IdTable,
}

impl Sorts {
    pub(crate) fn fixed() -> Self {
        let mut sorts = Sorts {
            nodes: Vec::new(),
            indices: Vec::new(),
            args: Vec::new(),
            table: IdTable::with_capacity(256),
        };
        for head in Sort::FIXED {
            sorts.intern(head, SortKind::Constructor, &[], &[], None);
        }
        sorts
    }

    /// `canonical` is given for aliases only.
    pub(crate) fn intern(
        &mut self,
        head: Symbol,
        kind: SortKind,
        indices: &[Index],
        args: &[Sort],
        canonical: Option<Sort>,
    ) -> Sort {
        let words = indices.iter().map(|i| i.0).chain(args.iter().map(|a| a.0)).chain(canonical.map(|c| c.0));
        let hash = hash_words(head.0, kind as u32, words);
        let found = self.table.find(hash, |id| {
            let n = &self.nodes[id as usize];
            let v = self.view(Sort(id));
            n.head == head
                && n.kind == kind
                && v.indices == indices
                && v.args == args
                && canonical.is_none_or(|c| c == n.canonical)
        });
        match found {
            Ok(id) => Sort(id),
            Err(vacant) => {
                let id = self.nodes.len() as u32;
                let nodes = &self.nodes;
                let over = |f: fn(&Node) -> u32| args.iter().map(move |a| f(&nodes[a.0 as usize]));
                let (size, depth) = match canonical {
                    Some(c) => (self.nodes[c.0 as usize].size, self.nodes[c.0 as usize].depth),
                    None => (
                        over(|n| n.size).fold(1, u32::saturating_add),
                        over(|n| n.depth).max().unwrap_or(0) + 1,
                    ),
                };
                let inner = args.iter().chain(&canonical);
                let parametric = kind == SortKind::Parameter
                    || inner.into_iter().any(|a| self.nodes[a.0 as usize].parametric);
                let canonical = canonical.unwrap_or(Sort(id));
                self.nodes.push(Node {
                    head,
                    kind,
                    start: if args.is_empty() { self.indices.len() } else { self.args.len() } as u32,
                    indices: indices.len() as u32,
                    args: args.len() as u32,
                    canonical,
                    size,
                    depth,
                    parametric,
                });
                debug_assert!(
                    indices.is_empty() || args.is_empty(),
                    "no sort has both indices and arguments"
                );
                self.indices.extend_from_slice(indices);
                self.args.extend_from_slice(args);
                self.table.insert(vacant, hash);
                // A constructor over aliases: its canonical form is over their canonical forms.
                if kind == SortKind::Constructor && args.iter().any(|&a| self.canonical(a) != a) {
                    let expanded: Vec<Sort> = args.iter().map(|&a| self.canonical(a)).collect();
                    let canonical = self.intern(head, kind, indices, &expanded, None);
                    self.nodes[id as usize].canonical = canonical;
                }
                Sort(id)
            }
        }
    }

    #[inline]
    pub(crate) fn canonical(&self, sort: Sort) -> Sort {
        self.nodes[sort.0 as usize].canonical
    }

    #[inline]
    pub(crate) fn view(&self, sort: Sort) -> SortView<'_> {
        let n = &self.nodes[sort.0 as usize];
        let start = n.start as usize;
        let indices = if n.args == 0 { &self.indices[start..start + n.indices as usize] } else { &[] };
        let args = if n.args == 0 { &[] } else { &self.args[start..start + n.args as usize] };
        SortView { head: n.head, kind: n.kind, indices, args }
    }

    pub(crate) fn truncate(&mut self, len: usize) {
        self.table.truncate(len);
        for n in self.nodes.drain(len.min(self.nodes.len())..) {
            self.indices.truncate(self.indices.len() - n.indices as usize);
            self.args.truncate(self.args.len() - n.args as usize);
        }
    }
}

impl Arena {
    /// With every defined sort name expanded.
    #[inline]
    pub fn canonical(&self, sort: Sort) -> Sort {
        self.sorts.canonical(sort)
    }

    /// A sort taken apart.
    #[inline]
    pub fn sort_view(&self, sort: Sort) -> SortView<'_> {
        self.sorts.view(sort)
    }

    /// Whether it contains a sort parameter.
    pub fn is_parametric(&self, sort: Sort) -> bool {
        self.sorts.nodes[sort.index()].parametric
    }

    /// Whether it is too large to work on: a few definitions can name a sort of exponential size.
    pub(crate) fn is_oversized(&self, sort: Sort) -> bool {
        let n = &self.sorts.nodes[sort.index()];
        n.size > 100_000 || n.depth > 1_000
    }

    /// How many sorts there are; ids are below.
    pub(crate) fn sort_count(&self) -> usize {
        self.sorts.nodes.len()
    }
}
