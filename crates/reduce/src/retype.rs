//! Changes the sorts of a script: narrower bit-vectors, smaller floats, another sort for a declared one.
//!
//! Every operator is typed again. If the new sorts do not fit together, there is no result.

use std::collections::HashMap;

use smelt_semantics::BitVec;
use smelt_smtlib::rebuild::Rebuild;
use smelt_smtlib::script::{Command, Script};
use smelt_smtlib::{Arena, Index, Sort, SortKind, Symbol, Term, View};

use crate::values::{bits_literal, is_bits};

/// A change of sorts.
pub(crate) struct Retype<'a> {
    /// The new sort of a sort, where it changes. Sorts built from it follow.
    change: &'a dyn Fn(&mut Arena, Sort) -> Option<Sort>,
    sorts: HashMap<Sort, Sort>,
    terms: HashMap<Term, Term>,
}

impl<'a> Retype<'a> {
    pub(crate) fn new(change: &'a dyn Fn(&mut Arena, Sort) -> Option<Sort>) -> Self {
        Retype { change, sorts: HashMap::new(), terms: HashMap::new() }
    }

    pub(crate) fn script(&mut self, arena: &mut Arena, script: &Script) -> Option<Script> {
        let new = Rebuild::script(self, arena, script)?;
        Some(Script { comments: Vec::new(), ..new })
    }
}

impl Rebuild for Retype<'_> {
    fn sort(&mut self, arena: &mut Arena, sort: Sort) -> Sort {
        if let Some(done) = self.sorts.get(&sort) {
            return *done;
        }
        let canonical = arena.canonical(sort);
        let new = match (self.change)(arena, canonical) {
            Some(new) => new,
            None => {
                let v = arena.sort_view(canonical);
                let (head, kind, args) = (v.head, v.kind, v.args.to_vec());
                let new: Vec<Sort> = args.iter().map(|a| self.sort(arena, *a)).collect();
                match kind {
                    SortKind::Constructor if new != args => arena.sort(head, &new),
                    _ => sort,
                }
            }
        };
        self.sorts.insert(sort, new);
        new
    }

    fn application(&mut self, arena: &mut Arena, term: Term, children: &[Term], sort: Sort) -> Option<Term> {
        let old = arena.sort_of(term);
        let fun = match arena.view(term) {
            View::App(fun, _) => fun,
            View::Literal(_, text) if sort != old => {
                return cut(arena, text, arena.bitvec_width(sort)?);
            }
            _ => return Some(term),
        };
        let f = arena.fun_view(fun);
        let (name, op, ascribed) = (f.name, f.op, f.ascribed);
        let indices: Vec<Index> = f.indices.to_vec();
        let ascribed = ascribed.map(|s| self.sort(arena, s));
        if let Some(width) = arena.bitvec_width(sort).filter(|_| is_bits(arena, fun)) {
            let fun = arena.fun(name, op, &[Index::number(width)?], None);
            return Some(arena.app(fun, children, sort));
        }
        if op.is_none() {
            let fun = arena.fun(name, None, &indices, ascribed);
            return Some(arena.app(fun, children, sort));
        }
        let args = (!children.is_empty()).then_some(children);
        for indices in fitting(arena, name, &indices, children, sort) {
            if let Some((fun, found)) = arena.resolve(name, &indices, ascribed, args)
                && found == sort
            {
                return Some(arena.app(fun, children, sort));
            }
        }
        None
    }

    /// What is kept as text may name any sort.
    fn text_command(&mut self, _: &mut Arena, _: &Command) -> Option<Command> {
        None
    }

    fn done(&mut self) -> &mut HashMap<Term, Term> {
        &mut self.terms
    }
}

/// The low bits of a literal.
fn cut(arena: &mut Arena, text: Symbol, width: u32) -> Option<Term> {
    let bits = BitVec::parse(std::str::from_utf8(arena.text(text)).ok()?)?;
    let bits = bits.zero_extend(width.saturating_sub(bits.width())).ok()?.extract(width - 1, 0)?;
    Some(bits_literal(arena, &bits))
}

/// Indices to try for an operator whose sorts changed: as they were, or those that give the wanted sort.
fn fitting(arena: &Arena, name: Symbol, old: &[Index], args: &[Term], sort: Sort) -> Vec<Vec<Index>> {
    let mut all = vec![old.to_vec()];
    if old.is_empty() {
        return all;
    }
    let width = |t: &Term| arena.bitvec_width(arena.sort_of(*t));
    let numbers = |ns: &[u32]| ns.iter().map(|n| Index::number(*n)).collect::<Option<Vec<_>>>();
    if let Some(target) = arena.bitvec_width(sort) {
        match (old, args) {
            // `(_ bv5 32)`
            ([_], []) => all.extend(numbers(&[target])),
            ([_, low], [arg]) => {
                let low = low.as_number().unwrap_or(0);
                for low in [low, 0] {
                    if width(arg).is_some_and(|w| low + target <= w) {
                        all.extend(numbers(&[low + target - 1, low]));
                    }
                }
            }
            ([_], [arg]) => {
                if let Some(w) = width(arg).filter(|w| *w > 0) {
                    let repeated = target.is_multiple_of(w).then_some(target / w);
                    let index = if arena.text(name) == b"repeat" { repeated } else { target.checked_sub(w) };
                    all.extend(index.and_then(|i| numbers(&[i])));
                    all.extend(numbers(&[target])); // `(_ fp.to_ubv n)`, `(_ int2bv n)`
                }
            }
            ([_], _) => all.extend(numbers(&[target])),
            _ => {}
        }
    }
    if let Some((e, s)) = arena.float_format(sort).filter(|_| old.len() == 2) {
        all.extend(numbers(&[e, s]));
    }
    all
}
