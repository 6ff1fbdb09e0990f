//! Connectives: negation, conjunction, and `ite`. All others are made of these.

use smelt_smtlib::Sort;

use super::node::{Head, Normal, Normals};

impl Normals {
    /// Not `a`.
    pub(super) fn not(&mut self, a: Normal) -> Normal {
        match (a.truth(), self.head(a)) {
            (Some(value), _) => Normal::of_bool(!value),
            (_, Head::Not) => self.args(a)[0],
            _ => self.node(Head::Not, Box::new([a]), Sort::BOOL),
        }
    }

    /// What a negation negates.
    pub(super) fn negated(&self, a: Normal) -> Option<Normal> {
        matches!(self.head(a), Head::Not).then(|| self.args(a)[0])
    }

    /// All of these.
    pub(super) fn and(&mut self, parts: impl IntoIterator<Item = Normal>) -> Normal {
        let mut all: Vec<Normal> = Vec::new();
        for part in parts {
            match (part.truth(), self.head(part)) {
                (Some(true), _) => {}
                (Some(false), _) => return Normal::FALSE,
                (_, Head::And) => all.extend_from_slice(self.args(part)),
                _ => all.push(part),
            }
        }
        all.sort_unstable();
        all.dedup();
        if all.iter().any(|&a| self.negated(a).is_some_and(|n| all.binary_search(&n).is_ok())) {
            return Normal::FALSE;
        }
        // The negation of a conjunction that holds: one of its parts is false.
        let refuted = |n: Normal| {
            matches!(self.head(n), Head::And) && self.args(n).iter().all(|p| all.binary_search(p).is_ok())
        };
        if all.iter().any(|&a| self.negated(a).is_some_and(refuted)) {
            return Normal::FALSE;
        }
        match all[..] {
            [] => Normal::TRUE,
            [one] => one,
            _ => self.node(Head::And, all.into(), Sort::BOOL),
        }
    }

    /// One of these.
    pub(super) fn or(&mut self, parts: impl IntoIterator<Item = Normal>) -> Normal {
        let none: Vec<Normal> = parts.into_iter().map(|p| self.not(p)).collect();
        let none = self.and(none);
        self.not(none)
    }

    /// One of two by a condition.
    pub(super) fn ite(&mut self, condition: Normal, then: Normal, other: Normal, sort: Sort) -> Normal {
        if let Some(value) = condition.truth() {
            return if value { then } else { other };
        }
        if let Some(n) = self.negated(condition) {
            return self.ite(n, other, then, sort);
        }
        if then == other {
            return then;
        }
        if sort != Sort::BOOL {
            return self.node(Head::Ite, Box::new([condition, then, other]), sort);
        }
        let not = self.not(condition);
        match (then.truth(), other.truth()) {
            (Some(true), _) => return self.or([condition, other]),
            (Some(false), _) => return self.and([not, other]),
            (_, Some(true)) => return self.or([not, then]),
            (_, Some(false)) => return self.and([condition, then]),
            _ => {}
        }
        if self.not(then) == other {
            return self.same(condition, then);
        }
        self.node(Head::Ite, Box::new([condition, then, other]), sort)
    }

    /// Whether two truth values are the same.
    pub(super) fn same(&mut self, a: Normal, b: Normal) -> Normal {
        let (mut a, mut b, mut differ) = (a, b, false);
        for side in [&mut a, &mut b] {
            if let Some(n) = self.negated(*side) {
                (*side, differ) = (n, !differ);
            }
        }
        let equal = match (a.truth(), b.truth()) {
            _ if a == b => Normal::TRUE,
            (Some(true), _) => b,
            (Some(false), _) => self.not(b),
            (_, Some(true)) => a,
            (_, Some(false)) => self.not(a),
            _ => self.node(Head::Equal, Box::new([a.min(b), a.max(b)]), Sort::BOOL),
        };
        if differ { self.not(equal) } else { equal }
    }
}
