//! A script over other sorts: narrower bit-vectors, smaller floats, another sort for a declared one.
//!
//! Every operator is typed again. Where the new sorts do not fit together there is no result.

use std::collections::HashMap;

use smelt_semantics::BitVec;
use smelt_smtlib::script::{Command, Header, Script};
use smelt_smtlib::{Arena, Index, Pattern, PatternView, Sort, SortKind, Symbol, Term, View};

use crate::substitute::all_terms;
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
        // Parts come before the terms around them.
        for t in all_terms(arena, script) {
            let new = self.node(arena, t)?;
            // A term whose sort changes in another way would not fit its place.
            if arena.sort_of(new) != self.canonical(arena, t) {
                return None;
            }
            self.terms.insert(t, new);
        }
        let commands = script.commands.iter().map(|c| self.command(arena, c)).collect::<Option<_>>()?;
        Some(Script { commands, comments: Vec::new() })
    }

    /// The new sort of a term.
    fn canonical(&mut self, arena: &mut Arena, term: Term) -> Sort {
        let old = arena.sort_of(term);
        let new = self.sort(arena, old);
        arena.canonical(new)
    }

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

    fn header(&mut self, arena: &mut Arena, header: &mut Header) {
        header.params.iter_mut().for_each(|p| p.1 = self.sort(arena, p.1));
        header.result = self.sort(arena, header.result);
    }

    fn command(&mut self, arena: &mut Arena, command: &Command) -> Option<Command> {
        let mut command = command.clone();
        command.terms_mut().for_each(|t| *t = self.terms[t]);
        match &mut command {
            Command::DeclareConst(_, s) | Command::DefineConst(_, s, _) | Command::DefineSort(_, _, s) => {
                *s = self.sort(arena, *s);
            }
            Command::DeclareFun(_, args, s) => {
                args.iter_mut().for_each(|a| *a = self.sort(arena, *a));
                *s = self.sort(arena, *s);
            }
            Command::DefineFun(h, _) | Command::DefineFunRec(h, _) => self.header(arena, h),
            Command::DefineFunsRec(defs) => defs.iter_mut().for_each(|(h, _)| self.header(arena, h)),
            Command::DeclareDatatypes(_, datatypes) => {
                let constructors = datatypes.iter_mut().flat_map(|d| &mut d.constructors);
                for selector in constructors.flat_map(|c| &mut c.selectors) {
                    selector.1 = self.sort(arena, selector.1);
                }
            }
            // A command kept as text may name any sort.
            Command::Other(..) | Command::Malformed(_) => return None,
            _ => {}
        }
        Some(command)
    }

    fn node(&mut self, arena: &mut Arena, term: Term) -> Option<Term> {
        let old = arena.sort_of(term);
        let sort = self.canonical(arena, term);
        let children: Vec<Term> = arena.children(term).iter().map(|c| self.terms[c]).collect();
        Some(match arena.view(term) {
            View::Var(name) => arena.var(name, sort),
            View::Literal(_, text) => match arena.bitvec_width(sort).filter(|_| sort != old) {
                Some(width) => cut(arena, text, width)?,
                None if sort != old => return None,
                None => term,
            },
            View::App(fun, _) => {
                let f = arena.fun_view(fun);
                let (name, op, ascribed) = (f.name, f.op, f.ascribed);
                let indices: Vec<Index> = f.indices.to_vec();
                let ascribed = ascribed.map(|s| self.sort(arena, s));
                if let Some(width) = arena.bitvec_width(sort).filter(|_| is_bits(arena, fun)) {
                    let fun = arena.fun(name, op, &[Index::number(width)?], None);
                    return Some(arena.app(fun, &children, sort));
                }
                if op.is_none() {
                    let fun = arena.fun(name, None, &indices, ascribed);
                    return Some(arena.app(fun, &children, sort));
                }
                let args = (!children.is_empty()).then_some(&children[..]);
                for indices in fitting(arena, name, &indices, &children, sort) {
                    if let Some((fun, found)) = arena.resolve(name, &indices, ascribed, args)
                        && found == sort
                    {
                        return Some(arena.app(fun, &children, sort));
                    }
                }
                return None;
            }
            View::Binder(v) => {
                let (name, vars) = (v.name, v.vars().collect::<Vec<_>>());
                let vars: Vec<_> = vars.into_iter().map(|(n, s)| (n, self.sort(arena, s))).collect();
                arena.binder(name, &vars, &children, sort)
            }
            View::Match(v) => {
                let pattern =
                    |p: PatternView<'_>| Pattern { constructor: p.constructor, vars: p.vars().collect() };
                let mut cases: Vec<(Pattern, Term)> =
                    v.cases().zip(&children[1..]).map(|((p, _), body)| (pattern(p), *body)).collect();
                for var in cases.iter_mut().flat_map(|(p, _)| p.vars.iter_mut()) {
                    var.1 = self.sort(arena, var.1);
                }
                arena.match_term(children[0], &cases, sort)
            }
            View::Let(_) | View::Annotated(_) => arena.with_children(term, &children),
            View::Apply(_) => arena.apply_term(&children, sort),
        })
    }
}

/// The low bits of a literal.
fn cut(arena: &mut Arena, text: Symbol, width: u32) -> Option<Term> {
    let bits = BitVec::parse(std::str::from_utf8(arena.text(text)).ok()?)?;
    let bits = bits.zero_extend(width.saturating_sub(bits.width())).ok()?.extract(width - 1, 0)?;
    Some(bits_literal(arena, &bits))
}

/// Indices to try for an operator whose sorts changed: the old ones, then those that give the wanted sort.
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
