//! Hash-consed heads of applications: a name, with indices or a sort ascription, and its row of the signature table.

use super::sort::{Index, Sort};
use super::symbol::Symbol;
use crate::intern::{IdTable, hash_words};

/// The head of an application (constants are applications to nothing).
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct Fun(pub(crate) u32);

impl Fun {
    /// Position among an arena's heads, for tables indexed by head.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// A row of the signature table.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct Op(pub(crate) u32);

impl Op {
    /// Position in the signature table.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// A head taken apart.
#[derive(Clone, Copy, Debug)]
pub struct FunView<'a> {
    /// The name as written (a legacy spelling stays).
    pub name: Symbol,
    /// The row of the signature table it resolved to; `None` for a name that the script declares, and for an undeclared
    /// one.
    pub op: Option<Op>,
    /// Indices, as in `(_ extract 7 0)`.
    pub indices: &'a [Index],
    /// The sort in `(as name sort)`, as written.
    pub ascribed: Option<Sort>,
}

#[derive(Clone, Debug)]
struct Node {
    name: Symbol,
    op: u32,
    start: u32,
    len: u32,
    ascribed: u32,
}

const NONE: u32 = u32::MAX;

#[derive(Clone, Debug)]
pub(crate) struct Funs {
    nodes: Vec<Node>,
    indices: Vec<Index>,
    table: IdTable,
}

impl Funs {
    pub(crate) fn new() -> Self {
        Funs {
            nodes: Vec::with_capacity(1 << 10),
            indices: Vec::new(),
            table: IdTable::with_capacity(1 << 11),
        }
    }

    #[inline]
    pub(crate) fn intern(
        &mut self,
        name: Symbol,
        op: Option<Op>,
        indices: &[Index],
        ascribed: Option<Sort>,
    ) -> Fun {
        let op = op.map_or(NONE, |o| o.0);
        let ascribed = ascribed.map_or(NONE, |s| s.0);
        let hash = hash_words(name.0, op, indices.iter().map(|i| i.0).chain([ascribed]));
        let found = self.table.find(hash, |id| {
            let n = &self.nodes[id as usize];
            n.name == name && n.op == op && n.ascribed == ascribed && self.indices_of(n) == indices
        });
        match found {
            Ok(id) => Fun(id),
            Err(vacant) => {
                let start = self.indices.len() as u32;
                self.nodes.push(Node { name, op, start, len: indices.len() as u32, ascribed });
                self.indices.extend_from_slice(indices);
                Fun(self.table.insert(vacant, hash))
            }
        }
    }

    fn indices_of(&self, n: &Node) -> &[Index] {
        &self.indices[n.start as usize..(n.start + n.len) as usize]
    }

    #[inline]
    pub(crate) fn view(&self, fun: Fun) -> FunView<'_> {
        let n = &self.nodes[fun.0 as usize];
        FunView {
            name: n.name,
            op: (n.op != NONE).then_some(Op(n.op)),
            indices: self.indices_of(n),
            ascribed: (n.ascribed != NONE).then_some(Sort(n.ascribed)),
        }
    }

    pub(crate) fn len(&self) -> usize {
        self.nodes.len()
    }

    pub(crate) fn truncate(&mut self, len: usize) {
        self.table.truncate(len);
        if let Some(n) = self.nodes.get(len) {
            self.indices.truncate(n.start as usize);
        }
        self.nodes.truncate(len);
    }
}
