//! Laws of sequences: concatenations are flat and without empty parts; what is known of a length decides equations.

use smelt_smtlib::{Arena, Fun, Sort, sym};

use super::node::{Head, Normal, Normals};
use crate::value::Value;

impl Normals {
    /// Whether a sort is one of sequences; z3 writes strings with the same operators.
    pub(super) fn is_sequence(&self, arena: &Arena, sort: Sort) -> bool {
        arena.sort_view(sort).head == sym::SEQ
    }

    fn is_empty_sequence(&self, n: Normal) -> bool {
        matches!(self.value(n), Some(Value::Seq(all)) if all.is_empty())
    }

    /// The name and the arguments of an operator that has no form of its own.
    fn operator<'a>(&self, arena: &'a Arena, n: Normal) -> Option<(&'a [u8], &[Normal])> {
        let Head::Fun(fun) = *self.head(n) else { return None };
        let f = arena.fun_view(fun);
        f.op.map(|_| (arena.text(f.name), self.args(n)))
    }

    /// The parts of a concatenation, or the sequence itself.
    fn sequence_parts(&self, arena: &Arena, n: Normal) -> Vec<Normal> {
        match self.operator(arena, n) {
            Some((b"seq.++", args)) => args.to_vec(),
            _ => vec![n],
        }
    }

    /// At least how many elements a sequence has, and whether it has exactly this many.
    fn size(&self, arena: &Arena, n: Normal) -> (usize, bool) {
        let of_part = |part: &Normal| match (self.value(*part), self.operator(arena, *part)) {
            (Some(Value::Seq(all)), _) => (all.len(), true),
            (_, Some((b"seq.unit", _))) => (1, true),
            _ => (0, false),
        };
        let sizes = self.sequence_parts(arena, n);
        sizes.iter().map(of_part).fold((0, true), |(sum, is_exact), (n, e)| (sum + n, is_exact && e))
    }

    /// Whether two sequences are equal, by their lengths and only elements.
    pub(super) fn equal_sequences(&mut self, arena: &Arena, a: Normal, b: Normal) -> Option<Normal> {
        let ((least, is_exact), (other_least, other_exact)) = (self.size(arena, a), self.size(arena, b));
        if is_exact && other_least > least || other_exact && least > other_least {
            return Some(Normal::FALSE);
        }
        match (self.operator(arena, a), self.operator(arena, b)) {
            (Some((b"seq.unit", &[x])), Some((b"seq.unit", &[y]))) => Some(self.equal(arena, x, y)),
            _ => None,
        }
    }

    /// The form of an operator of sequences; `None` if no law applies.
    pub(super) fn sequences(
        &mut self,
        arena: &Arena,
        name: &str,
        fun: Fun,
        args: &[Normal],
        sort: Sort,
    ) -> Option<Normal> {
        let negative = |n: &Normals, a: Normal| n.number(a).is_some_and(|c| c.signum() < 0);
        let empty = |n: &mut Normals| n.constant(Value::Seq(Vec::new().into()), sort);
        Some(match (name, args) {
            ("seq.++", _) => {
                let parts = args.iter().flat_map(|a| self.sequence_parts(arena, *a));
                let parts: Vec<Normal> = parts.filter(|p| !self.is_empty_sequence(*p)).collect();
                match parts[..] {
                    [] => empty(self),
                    [one] => one,
                    _ => self.node(Head::Fun(fun), parts.into(), sort),
                }
            }
            ("seq.len", &[s]) if self.size(arena, s).1 => {
                let length = self.size(arena, s).0;
                self.constant(Value::Int((length as i64).into()), Sort::INT)
            }
            ("seq.prefixof" | "seq.suffixof", &[a, b]) if a == b || self.is_empty_sequence(a) => Normal::TRUE,
            ("seq.contains", &[a, b]) if a == b || self.is_empty_sequence(b) => Normal::TRUE,
            // What a sequence begins or ends with, or contains, is no longer than it.
            ("seq.prefixof" | "seq.suffixof", &[part, whole]) | ("seq.contains", &[whole, part]) => {
                let ((least, _), (most, is_exact)) = (self.size(arena, part), self.size(arena, whole));
                match is_exact {
                    true if least > most => Normal::FALSE,
                    true if most == 0 => self.equal(arena, part, whole),
                    _ => return None,
                }
            }
            ("seq.replace", &[s, from, to]) if from == to || s == from => {
                if s == from {
                    to
                } else {
                    s
                }
            }
            ("seq.replace", &[s, from, _]) => {
                // What is longer than the whole does not occur in it.
                let ((most, is_exact), (least, _)) = (self.size(arena, s), self.size(arena, from));
                if !is_exact || least <= most {
                    return None;
                }
                s
            }
            ("seq.at", &[s, i]) if self.is_empty_sequence(s) || negative(self, i) => empty(self),
            ("seq.extract", &[s, from, count])
                if self.is_empty_sequence(s)
                    || negative(self, from)
                    || self.number(count).is_some_and(|c| c.signum() <= 0) =>
            {
                empty(self)
            }
            ("seq.indexof", &[_, _, from]) if negative(self, from) => {
                self.constant(Value::Int((-1).into()), Sort::INT)
            }
            _ => return None,
        })
    }
}
