//! Normal forms of languages: hash-consed, so that equal shapes have equal numbers and derivatives repeat.
//!
//! The constructors apply the laws that keep the number of derivatives small: units and zeros; concatenation nested
//! to the right; union and intersection flat, sorted and without duplicates; sets of characters merged.

use std::collections::HashMap;
use std::sync::Arc;

use super::{CharSet, EVERY_CHAR};

/// The number of a shape.
pub(super) type Id = u32;

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) enum Shape {
    Epsilon,
    Chars(Arc<CharSet>),
    Concat(Id, Id),
    Union(Arc<[Id]>),
    Inter(Arc<[Id]>),
    Comp(Id),
    Loop(Id, u32, Option<u32>),
}

pub(super) const NONE: Id = 0;
pub(super) const EPSILON: Id = 1;
const ANY: Id = 2;
pub(super) const ALL: Id = 3;

/// All shapes made so far.
#[derive(Default)]
pub(super) struct Shapes {
    shapes: Vec<Shape>,
    nullable: Vec<bool>,
    numbers: HashMap<Shape, Id>,
    /// The number of ids held in unions and intersections: a measure of memory.
    held: usize,
    /// The number of ids visited so far: a measure of time.
    pub(super) visited: u64,
}

impl Shapes {
    pub(super) fn new() -> Shapes {
        let mut shapes = Shapes::default();
        shapes.intern(Shape::Chars(Arc::new(vec![])), false);
        shapes.intern(Shape::Epsilon, true);
        shapes.intern(Shape::Chars(Arc::new(vec![EVERY_CHAR])), false);
        shapes.intern(Shape::Loop(ANY, 0, None), true);
        shapes
    }

    /// A measure of the memory in use.
    pub(super) fn size(&self) -> usize {
        self.shapes.len() + self.held
    }

    pub(super) fn get(&self, id: Id) -> &Shape {
        &self.shapes[id as usize]
    }

    pub(super) fn nullable(&self, id: Id) -> bool {
        self.nullable[id as usize]
    }

    fn intern(&mut self, shape: Shape, nullable: bool) -> Id {
        if let Some(id) = self.numbers.get(&shape) {
            return *id;
        }
        let id = self.shapes.len() as Id;
        if let Shape::Union(ids) | Shape::Inter(ids) = &shape {
            self.held += ids.len();
        }
        self.shapes.push(shape.clone());
        self.nullable.push(nullable);
        self.numbers.insert(shape, id);
        id
    }

    pub(super) fn chars(&mut self, set: CharSet) -> Id {
        self.intern(Shape::Chars(Arc::new(set)), false)
    }

    pub(super) fn concat(&mut self, first: Id, second: Id) -> Id {
        let (mut heads, mut last) = (vec![], first);
        while let Shape::Concat(head, tail) = *self.get(last) {
            heads.push(head);
            last = tail;
        }
        heads.push(last);
        self.visited += heads.len() as u64;
        heads.into_iter().rev().fold(second, |tail, head| self.concat_flat(head, tail))
    }

    /// Concatenation whose first part is not a concatenation.
    fn concat_flat(&mut self, head: Id, tail: Id) -> Id {
        let tail_is_all = tail == ALL || matches!(self.get(tail), Shape::Concat(ALL, _));
        match (head, tail) {
            (NONE, _) | (_, NONE) => NONE,
            (EPSILON, r) | (r, EPSILON) => r,
            (ALL, r) if tail_is_all => r,
            _ => {
                let nullable = self.nullable(head) && self.nullable(tail);
                self.intern(Shape::Concat(head, tail), nullable)
            }
        }
    }

    /// Parts, those of one associative kind replaced by their own.
    fn flattened(&mut self, parts: Vec<Id>, inner: fn(&Shape) -> Option<&Arc<[Id]>>) -> Vec<Id> {
        let mut flat = Vec::with_capacity(parts.len());
        for part in parts {
            match inner(self.get(part)) {
                Some(ids) => flat.extend_from_slice(ids),
                None => flat.push(part),
            }
        }
        self.visited += flat.len() as u64;
        flat
    }

    pub(super) fn union(&mut self, parts: Vec<Id>) -> Id {
        let mut flat = self.flattened(parts, |s| if let Shape::Union(ids) = s { Some(ids) } else { None });
        let mut set = CharSet::new();
        flat.retain(|id| match &self.shapes[*id as usize] {
            Shape::Chars(chars) => {
                set.extend_from_slice(chars);
                false
            }
            _ => true,
        });
        if !set.is_empty() {
            let set = merged(set);
            flat.push(self.chars(set));
        }
        flat.sort_unstable();
        flat.dedup();
        if flat.contains(&ALL) || self.has_complements(&flat) {
            return ALL;
        }
        // The empty string adds nothing to a union that has it.
        if flat.iter().any(|id| *id != EPSILON && self.nullable(*id)) {
            flat.retain(|id| *id != EPSILON);
        }
        match *flat {
            [] => NONE,
            [only] => only,
            _ => {
                let nullable = flat.iter().any(|id| self.nullable(*id));
                self.intern(Shape::Union(flat.into()), nullable)
            }
        }
    }

    pub(super) fn inter(&mut self, parts: Vec<Id>) -> Id {
        let mut flat = self.flattened(parts, |s| if let Shape::Inter(ids) = s { Some(ids) } else { None });
        flat.sort_unstable();
        flat.dedup();
        flat.retain(|id| *id != ALL);
        if flat.contains(&NONE) || self.has_complements(&flat) {
            return NONE;
        }
        if flat.contains(&EPSILON) {
            return if flat.iter().all(|id| self.nullable(*id)) { EPSILON } else { NONE };
        }
        match *flat {
            [] => ALL,
            [only] => only,
            _ => {
                let nullable = flat.iter().all(|id| self.nullable(*id));
                self.intern(Shape::Inter(flat.into()), nullable)
            }
        }
    }

    /// Whether a sorted list has a language and its complement.
    fn has_complements(&self, sorted: &[Id]) -> bool {
        sorted.iter().any(|id| match self.get(*id) {
            Shape::Comp(inner) => sorted.binary_search(inner).is_ok(),
            _ => false,
        })
    }

    pub(super) fn comp(&mut self, inner: Id) -> Id {
        match *self.get(inner) {
            Shape::Comp(r) => r,
            _ if inner == NONE => ALL,
            _ if inner == ALL => NONE,
            _ => {
                let nullable = !self.nullable(inner);
                self.intern(Shape::Comp(inner), nullable)
            }
        }
    }

    pub(super) fn repeat(&mut self, inner: Id, least: u32, most: Option<u32>) -> Id {
        let least = if self.nullable(inner) { 0 } else { least };
        match (inner, most) {
            (_, Some(m)) if m < least => NONE,
            (_, Some(0)) | (EPSILON, _) => EPSILON,
            (NONE, _) if least == 0 => EPSILON,
            (NONE, _) => NONE,
            (r, Some(1)) if least == 1 || self.nullable(r) => r,
            (r, _) if matches!(self.get(r), Shape::Loop(_, 0, None)) => r,
            _ => {
                let nullable = least == 0;
                self.intern(Shape::Loop(inner, least, most), nullable)
            }
        }
    }
}

/// Sorted, disjoint, non-adjacent ranges with the same members.
fn merged(mut set: CharSet) -> CharSet {
    set.sort_unstable();
    let mut out: CharSet = Vec::with_capacity(set.len());
    for (lo, hi) in set {
        match out.last_mut() {
            Some(last) if lo <= last.1.saturating_add(1) => last.1 = last.1.max(hi),
            _ => out.push((lo, hi)),
        }
    }
    out
}
