//! The table of normal forms.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

use smelt_smtlib::{Fun, Sort, Symbol, Term};

use super::datatype::Datatypes;
use crate::number::Rational;
use crate::value::Value;

/// A normal form: a position in the table of [`Normals`].
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct Normal(pub(super) u32);

impl Normal {
    pub(super) const FALSE: Normal = Normal(0);
    pub(super) const TRUE: Normal = Normal(1);

    pub(super) fn of_bool(value: bool) -> Normal {
        if value { Normal::TRUE } else { Normal::FALSE }
    }

    /// The truth value, if the form is one.
    pub fn truth(self) -> Option<bool> {
        match self {
            Normal::TRUE => Some(true),
            Normal::FALSE => Some(false),
            _ => None,
        }
    }
}

/// What stands at the top of a normal form.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(super) enum Head {
    Value(Value),
    /// An operator without a form of its own, or a symbol of the script.
    Fun(Fun),
    /// A variable of a quantifier, and how many binders are around that binder.
    Variable(Symbol, u32),
    Not,
    /// Of sorted arguments. A disjunction is the negation of one.
    And,
    /// Of two terms, in order.
    Equal,
    Ite,
    /// Whether a sum is zero, at most zero, or below zero.
    Zero,
    AtMost,
    Below,
    /// Whether a bit-vector is at most another.
    BitsAtMost {
        signed: bool,
    },
    /// Of strings, none of which is one or empty, and no two literals side by side.
    Concat,
    /// The constant of a sum, and the coefficients of its arguments, which are in order.
    Sum(Rational, Box<[Rational]>),
    /// Of sorted factors.
    Product,
    /// For all values of these variables.
    ForAll(Box<[(Symbol, Sort)]>, u32),
    /// An opaque term, and the variables around it.
    Opaque(Term, Env),
}

#[derive(Clone, Debug)]
pub(super) struct Node {
    pub(super) head: Head,
    pub(super) args: Box<[Normal]>,
    pub(super) sort: Sort,
}

/// The variables bound around a term: a position among the environments.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub(super) struct Env(pub(super) u32);

/// What some variables stand for.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(super) struct Bound {
    pub(super) outer: Env,
    /// How many quantifiers are around.
    pub(super) level: u32,
    pub(super) names: Box<[(Symbol, Normal)]>,
}

/// A hash for small keys: multiply and rotate. Nothing here is chosen by an adversary who gains by collisions: the
/// number of nodes is bounded.
#[derive(Default)]
pub(super) struct Mix(u64);

impl Hasher for Mix {
    fn finish(&self) -> u64 {
        self.0 ^ self.0 >> 29
    }

    fn write(&mut self, bytes: &[u8]) {
        for chunk in bytes.chunks(8) {
            let word = chunk.iter().fold(0, |word, byte| word << 8 | u64::from(*byte));
            self.write_u64(word);
        }
    }

    fn write_u8(&mut self, n: u8) {
        self.write_u64(u64::from(n));
    }

    fn write_u32(&mut self, n: u32) {
        self.write_u64(u64::from(n));
    }

    fn write_u64(&mut self, n: u64) {
        self.0 = (self.0.rotate_left(23) ^ n).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    }

    fn write_usize(&mut self, n: usize) {
        self.write_u64(n as u64);
    }
}

pub(super) type Table<K, V> = HashMap<K, V, BuildHasherDefault<Mix>>;

/// A state of [`Normals`] to roll back to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Mark {
    nodes: usize,
    envs: usize,
    done: usize,
}

/// Normal forms of the terms of one arena.
#[derive(Debug)]
pub struct Normals {
    nodes: Vec<Node>,
    numbers: Table<(Head, Box<[Normal]>, Sort), Normal>,
    envs: Vec<Bound>,
    env_numbers: Table<Bound, Env>,
    /// The forms of terms below variables.
    pub(super) done: Table<(Term, Env), Normal>,
    /// What was done, in order.
    log: Vec<(Term, Env)>,
    /// How many more nodes may be made before terms are opaque.
    pub(super) left: u32,
    pub(super) datatypes: Datatypes,
}

/// How many nodes the normal forms of one question may take: scripts of some 100 kilobytes. What is larger is opaque.
const NODES: u32 = 20_000;

impl Default for Normals {
    fn default() -> Self {
        let mut normals = Normals {
            nodes: Vec::new(),
            numbers: Table::default(),
            envs: Vec::new(),
            env_numbers: Table::default(),
            done: Table::default(),
            log: Vec::new(),
            left: NODES,
            datatypes: Datatypes::default(),
        };
        normals.env(Bound { outer: Env(0), level: 0, names: Box::default() });
        for value in [false, true] {
            normals.node(Head::Value(Value::Bool(value)), Box::default(), Sort::BOOL);
        }
        normals
    }
}

impl Normals {
    /// The state now.
    pub fn mark(&self) -> Mark {
        Mark { nodes: self.nodes.len(), envs: self.envs.len(), done: self.log.len() }
    }

    /// Forgets what was made since.
    pub fn rollback(&mut self, mark: Mark) {
        for key in self.log.drain(mark.done..) {
            self.done.remove(&key);
        }
        for node in self.nodes.drain(mark.nodes..).rev() {
            self.numbers.remove(&(node.head, node.args, node.sort));
        }
        for env in self.envs.drain(mark.envs..) {
            self.env_numbers.remove(&env);
        }
    }

    /// How many forms are kept.
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Whether there are only the truth values.
    pub fn is_empty(&self) -> bool {
        self.nodes.len() <= 2
    }

    /// Starts another question: its effort is bounded anew.
    pub(super) fn restart(&mut self) {
        self.left = NODES;
    }

    pub(super) fn get(&self, n: Normal) -> &Node {
        &self.nodes[n.0 as usize]
    }

    pub(super) fn head(&self, n: Normal) -> &Head {
        &self.get(n).head
    }

    pub(super) fn args(&self, n: Normal) -> &[Normal] {
        &self.get(n).args
    }

    pub(super) fn sort(&self, n: Normal) -> Sort {
        self.get(n).sort
    }

    pub(super) fn value(&self, n: Normal) -> Option<&Value> {
        if let Head::Value(value) = self.head(n) { Some(value) } else { None }
    }

    /// The node of this head over these arguments.
    pub(super) fn node(&mut self, head: Head, args: Box<[Normal]>, sort: Sort) -> Normal {
        let next = Normal(self.nodes.len() as u32);
        match self.numbers.entry((head, args, sort)) {
            std::collections::hash_map::Entry::Occupied(known) => *known.get(),
            std::collections::hash_map::Entry::Vacant(vacant) => {
                let (head, args, sort) = vacant.key().clone();
                self.nodes.push(Node { head, args, sort });
                self.left = self.left.saturating_sub(1);
                *vacant.insert(next)
            }
        }
    }

    pub(super) fn constant(&mut self, value: Value, sort: Sort) -> Normal {
        match value {
            Value::Bool(value) => Normal::of_bool(value),
            value => self.node(Head::Value(value), Box::default(), sort),
        }
    }

    pub(super) fn env(&mut self, bound: Bound) -> Env {
        let next = Env(self.envs.len() as u32);
        let env = *self.env_numbers.entry(bound.clone()).or_insert(next);
        if env == next {
            self.envs.push(bound);
        }
        env
    }

    pub(super) fn bound(&self, env: Env) -> &Bound {
        &self.envs[env.0 as usize]
    }

    /// Notes the form of a term.
    pub(super) fn note(&mut self, key: (Term, Env), normal: Normal) {
        if self.done.insert(key, normal).is_none() {
            self.log.push(key);
        }
    }
}
