//! A script over other sorts: narrower bit-vectors, smaller floats, another sort for a declared one.
//!
//! Every operator is typed anew. Where the new sorts do not fit together there is no result.

use std::collections::HashMap;

use smelt_smtlib::script::{Command, Constructor, Datatype, Header, Script};
use smelt_smtlib::{
    Arena, Attribute, AttributeValue, Index, Literal, Pattern, Sort, SortKind, Symbol, Term, View,
};

use crate::values;

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
        let commands = script.commands.iter().map(|c| self.command(arena, c)).collect::<Option<_>>()?;
        Some(Script { commands, comments: Vec::new() })
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

    fn header(&mut self, arena: &mut Arena, h: &Header) -> Header {
        let params = h.params.iter().map(|(n, s)| (*n, self.sort(arena, *s))).collect();
        Header { name: h.name, params, result: self.sort(arena, h.result) }
    }

    fn command(&mut self, arena: &mut Arena, command: &Command) -> Option<Command> {
        Some(match command {
            Command::DeclareConst(n, s) => Command::DeclareConst(*n, self.sort(arena, *s)),
            Command::DeclareFun(n, args, s) => {
                let args = args.iter().map(|a| self.sort(arena, *a)).collect();
                Command::DeclareFun(*n, args, self.sort(arena, *s))
            }
            Command::DefineConst(n, s, t) => {
                Command::DefineConst(*n, self.sort(arena, *s), self.term(arena, *t)?)
            }
            Command::DefineFun(h, t) => {
                Command::DefineFun(Box::new(self.header(arena, h)), self.term(arena, *t)?)
            }
            Command::DefineFunRec(h, t) => {
                Command::DefineFunRec(Box::new(self.header(arena, h)), self.term(arena, *t)?)
            }
            Command::DefineFunsRec(defs) => {
                let mut new = Vec::new();
                for (h, t) in defs {
                    new.push((self.header(arena, h), self.term(arena, *t)?));
                }
                Command::DefineFunsRec(new.into())
            }
            Command::DefineSort(n, params, s) => {
                Command::DefineSort(*n, params.clone(), self.sort(arena, *s))
            }
            Command::DeclareDatatypes(kind, datatypes) => {
                let mut new = Vec::new();
                for d in datatypes {
                    let constructors = d.constructors.iter().map(|c| Constructor {
                        name: c.name,
                        selectors: c.selectors.iter().map(|(n, s)| (*n, self.sort(arena, *s))).collect(),
                    });
                    let constructors = constructors.collect();
                    new.push(Datatype { name: d.name, params: d.params.clone(), constructors });
                }
                Command::DeclareDatatypes(*kind, new.into())
            }
            // What is kept as text may name any sort.
            Command::Other(..) | Command::Malformed(_) => return None,
            other => {
                let mut other = other.clone();
                for slot in other.terms_mut() {
                    *slot = self.term(arena, *slot)?;
                }
                other
            }
        })
    }

    fn term(&mut self, arena: &mut Arena, term: Term) -> Option<Term> {
        let mut work = vec![(term, false)];
        while let Some((t, ready)) = work.pop() {
            if self.terms.contains_key(&t) {
                continue;
            }
            if !ready {
                work.push((t, true));
                work.extend(arena.children(t).iter().map(|c| (*c, false)));
                continue;
            }
            let new = self.node(arena, t)?;
            // A sort that changes by itself would not fit where the term stands.
            if arena.sort_of(new) != {
                let s = arena.sort_of(t);
                let s = self.sort(arena, s);
                arena.canonical(s)
            } {
                return None;
            }
            self.terms.insert(t, new);
        }
        Some(self.terms[&term])
    }

    fn node(&mut self, arena: &mut Arena, term: Term) -> Option<Term> {
        let old = arena.sort_of(term);
        let sort = self.sort(arena, old);
        let sort = arena.canonical(sort);
        let children: Vec<Term> = arena.children(term).iter().map(|c| self.terms[c]).collect();
        Some(match arena.view(term) {
            View::Var(name) => arena.var(name, sort),
            View::Literal(kind, text) => match arena.bitvec_width(sort).filter(|_| sort != old) {
                Some(width) => cut(arena, kind, text, width)?,
                None if sort != old => return None,
                None => term,
            },
            View::App(fun, _) => {
                let f = arena.fun_view(fun);
                let (name, op, ascribed) = (f.name, f.op, f.ascribed);
                let indices: Vec<Index> = f.indices.to_vec();
                let ascribed = ascribed.map(|s| self.sort(arena, s));
                if let Some(width) = arena.bitvec_width(sort).filter(|_| values::is_bits(arena, fun)) {
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
                let patterns: Vec<Pattern> = v
                    .cases()
                    .map(|(p, _)| Pattern { constructor: p.constructor, vars: p.vars().collect() })
                    .collect();
                let mut cases = Vec::new();
                for (p, body) in patterns.into_iter().zip(&children[1..]) {
                    let vars = p.vars.iter().map(|(n, s)| (*n, self.sort(arena, *s))).collect();
                    cases.push((Pattern { constructor: p.constructor, vars }, *body));
                }
                arena.match_term(children[0], &cases, sort)
            }
            View::Annotated(v) => {
                let attributes: Vec<Attribute> = v
                    .attributes()
                    .map(|(k, value)| match value {
                        AttributeValue::None => Attribute::Bare(k),
                        AttributeValue::Text(t) => Attribute::Text(k, t),
                        AttributeValue::Name(n) => Attribute::Name(n),
                        AttributeValue::Terms(ts) => {
                            Attribute::Terms(k, ts.iter().map(|t| self.terms[t]).collect())
                        }
                    })
                    .collect();
                arena.annotated(children[0], &attributes)
            }
            View::Let(_) => arena.with_children(term, &children),
            View::Apply(_) => arena.apply_term(&children, sort),
        })
    }
}

/// The low bits of a literal.
fn cut(arena: &mut Arena, kind: Literal, text: Symbol, width: u32) -> Option<Term> {
    let text = std::str::from_utf8(arena.text(text)).ok()?.get(2..)?.to_owned();
    let bits: String = match kind {
        Literal::Binary => text,
        Literal::Hex => {
            text.chars().map(|c| c.to_digit(16).map(|d| format!("{d:04b}"))).collect::<Option<String>>()?
        }
        _ => return None,
    };
    let padded = format!("{bits:0>width$}", width = width as usize);
    let low = &padded[padded.len() - width as usize..];
    let sort = arena.bitvec(width);
    if !width.is_multiple_of(4) {
        return Some(values::literal(arena, Literal::Binary, &format!("#b{low}"), sort));
    }
    let digits = low.as_bytes().chunks(4).map(|four| {
        let value = four.iter().fold(0, |n, b| 2 * n + u32::from(*b == b'1'));
        char::from_digit(value, 16)
    });
    let hex: String = digits.collect::<Option<_>>()?;
    Some(values::literal(arena, Literal::Hex, &format!("#x{hex}"), sort))
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
