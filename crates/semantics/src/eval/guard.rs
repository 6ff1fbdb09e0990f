//! The values that the guard of a quantifier allows for its variables: for all other values the guard is false.
//!
//! A guard is a premise of `=>` below `forall`, or a conjunct below `exists`. An integer between two bounds, or a
//! part of a string or sequence (`(= s (str.++ x y))`), has finitely many values, so such a quantifier can be
//! decided.

use std::collections::BTreeSet;

use smelt_smtlib::{Sort, Symbol, Term, View, sym};

use super::Evaluator;
use crate::value::Value;
use crate::{Int, Str};

/// The position of a part in a concatenation: whether it is the first one, and whether it is the last.
type Place = (bool, bool);

impl Evaluator<'_> {
    /// The values of a variable that the conjuncts of a guard leave, if they are at most `limit`.
    ///
    /// The quantifier's variables have no value yet, so a term that has a value does not depend on them.
    pub(super) fn guarded(
        &mut self,
        guards: &[Term],
        name: Symbol,
        sort: Sort,
        limit: usize,
    ) -> Option<Vec<Value>> {
        if sort == Sort::INT {
            return self.between(guards, name, limit);
        }
        if sort != Sort::STRING && self.arena.sort_view(sort).head != sym::SEQ {
            return None;
        }
        guards.iter().find_map(|&g| self.part(g, name, limit))
    }

    /// The conjuncts of the guard of a quantifier; `exists` for that one, else `forall`.
    pub(super) fn guards(&self, body: Term, exists: bool) -> Vec<Term> {
        let mut guards = Vec::new();
        let mut work = if exists { vec![body] } else { Vec::new() };
        let mut premises_of = (!exists).then_some(body);
        while let Some(formula) = premises_of {
            premises_of = match self.arena.view(formula) {
                View::Annotated(a) => Some(a.term()),
                View::App(fun, [premises @ .., last]) if self.arena.fun_view(fun).name == sym::IMPLIES => {
                    work.extend(premises);
                    Some(*last)
                }
                _ => None,
            };
        }
        while let Some(term) = work.pop() {
            match self.arena.view(term) {
                View::Annotated(a) => work.push(a.term()),
                View::App(fun, args) if self.arena.fun_view(fun).name == sym::AND => work.extend(args),
                _ => guards.push(term),
            }
        }
        guards
    }

    pub(super) fn is_variable(&self, term: Term, name: Symbol) -> bool {
        matches!(self.arena.view(term), View::Var(n) if n == name)
    }

    fn between(&mut self, guards: &[Term], name: Symbol, limit: usize) -> Option<Vec<Value>> {
        let (mut low, mut high): (Option<Int>, Option<Int>) = (None, None);
        for &guard in guards {
            let View::App(fun, &[a, b]) = self.arena.view(guard) else { continue };
            let symbol = self.arena.fun_view(fun).name;
            let (other, turned) = match (self.is_variable(a, name), self.is_variable(b, name)) {
                (true, false) => (b, false),
                (false, true) => (a, true),
                _ => continue,
            };
            let Ok(Value::Int(bound)) = self.eval(other) else { continue };
            let (least, most) = match (self.arena.text(symbol), turned) {
                (b"<", false) | (b">", true) => (None, Some(bound - Int::ONE)),
                (b"<=", false) | (b">=", true) => (None, Some(bound)),
                (b">", false) | (b"<", true) => (Some(bound + Int::ONE), None),
                (b">=", false) | (b"<=", true) => (Some(bound), None),
                (b"=", _) => (Some(bound.clone()), Some(bound)),
                _ => continue,
            };
            low = low.max(least);
            high = high.into_iter().chain(most).min();
        }
        let (low, high) = (low?, high?);
        if high < low {
            return Some(Vec::new());
        }
        let count = usize::try_from(&high - &low).ok().filter(|&n| n < limit)?;
        Some((0..=count).map(|i| Value::Int(&low + Int::from(i))).collect())
    }

    /// The parts of a known string or sequence that a variable of a concatenation can be.
    fn part(&mut self, guard: Term, name: Symbol, limit: usize) -> Option<Vec<Value>> {
        let View::App(fun, &[a, b]) = self.arena.view(guard) else { return None };
        if self.arena.fun_view(fun).name != sym::EQUAL {
            return None;
        }
        let (place, whole) = match (self.place(a, name), self.place(b, name)) {
            (Some(place), None) => (place, b),
            (None, Some(place)) => (place, a),
            _ => return None,
        };
        match self.eval(whole).ok()? {
            Value::Str(s) => {
                let parts = parts(s.codes(), place, limit)?;
                Some(parts.into_iter().filter_map(|p| Str::new(p).map(Value::Str)).collect())
            }
            Value::Seq(s) => {
                Some(parts(&s, place, limit)?.into_iter().map(|p| Value::Seq(p.into())).collect())
            }
            _ => None,
        }
    }

    /// The position of a variable in a concatenation.
    fn place(&self, term: Term, name: Symbol) -> Option<Place> {
        if self.is_variable(term, name) {
            return Some((true, true));
        }
        let View::App(fun, args) = self.arena.view(term) else { return None };
        let symbol = self.arena.fun_view(fun).name;
        if !matches!(self.arena.text(symbol), b"str.++" | b"seq.++") {
            return None;
        }
        let at = args.iter().position(|&t| self.is_variable(t, name))?;
        Some((at == 0, at + 1 == args.len()))
    }
}

/// All prefixes, suffixes or factors, each once.
fn parts<T: Clone + Ord>(s: &[T], (first, last): Place, limit: usize) -> Option<Vec<Vec<T>>> {
    let n = s.len();
    let most = match (first, last) {
        (true, true) => 1,
        (false, false) => n.checked_mul(n)?.checked_add(n)? / 2 + 1,
        _ => n.checked_add(1)?,
    };
    if most > limit {
        return None;
    }
    let starts = 0..=if first { 0 } else { n };
    let ends = |start: usize| if last { n } else { start }..=n;
    let all: BTreeSet<Vec<T>> = starts.flat_map(|i| ends(i).map(move |j| s[i..j].to_vec())).collect();
    Some(all.into_iter().collect())
}
