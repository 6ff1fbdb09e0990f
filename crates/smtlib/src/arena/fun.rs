//! Hash-consed heads of applications: a name, with indices or a sort ascription, and its row of the signature table.

use super::Arena;
use super::sort::{Index, Sort};
use super::symbol::Symbol;
use crate::intern::{IdTable, hash_words, ids};

ids! {
    /// The head of an application (constants are applications to nothing).
    Fun
    /// A row of the signature table.
    Op
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

    fn indices_of(&self, n: &Node) -> &[Index] {
        &self.indices[n.start as usize..(n.start + n.len) as usize]
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

impl Arena {
    /// A head of an application.
    #[inline]
    pub fn fun(&mut self, name: Symbol, op: Option<Op>, indices: &[Index], ascribed: Option<Sort>) -> Fun {
        let funs = &mut self.funs;
        let op = op.map_or(NONE, |o| o.0);
        let ascribed = ascribed.map_or(NONE, |s| s.0);
        let hash = hash_words(name.0, op, indices.iter().map(|i| i.0).chain([ascribed]));
        let found = funs.table.find(hash, |id| {
            let n = &funs.nodes[id as usize];
            n.name == name && n.op == op && n.ascribed == ascribed && funs.indices_of(n) == indices
        });
        match found {
            Ok(id) => Fun(id),
            Err(vacant) => {
                let start = funs.indices.len() as u32;
                funs.nodes.push(Node { name, op, start, len: indices.len() as u32, ascribed });
                funs.indices.extend_from_slice(indices);
                Fun(funs.table.insert(vacant, hash))
            }
        }
    }

    /// A head taken apart.
    #[inline]
    pub fn fun_view(&self, fun: Fun) -> FunView<'_> {
        let n = &self.funs.nodes[fun.index()];
        FunView {
            name: n.name,
            op: (n.op != NONE).then_some(Op(n.op)),
            indices: self.funs.indices_of(n),
            ascribed: (n.ascribed != NONE).then_some(Sort(n.ascribed)),
        }
    }
}
