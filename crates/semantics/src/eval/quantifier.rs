//! Quantifiers: expanded over domains that are small or bounded by a guard; otherwise decided by witnesses.

use smelt_smtlib::{BinderView, Sort, Symbol, Term, View, sym};

use super::{Evaluated, Evaluator, Meaning, Unknown, format_of};
use crate::value::{Array, Domain, Value};
use crate::{BitVec, Float, Int, Real, Str};

/// The values at which a constant or variable is tried.
#[derive(Clone, Debug, Default)]
pub(crate) struct Candidates {
    pub(crate) values: Vec<Value>,
    /// Whether these are all values of the sort.
    pub(crate) complete: bool,
}

/// The ends of a width, unsigned and signed, and one.
fn corners(width: u32) -> impl IntoIterator<Item = BitVec> {
    let least = Int::from(-1) << (width as usize - 1);
    let signed = [Int::from(1), least.clone(), -least - Int::from(1)];
    let ends = [BitVec::zero(width), BitVec::ones(width)];
    ends.into_iter().chain(signed.into_iter().filter_map(move |i| BitVec::from_int(width, &i).ok()))
}

impl Evaluator<'_> {
    pub(super) fn binder(&mut self, v: &BinderView<'_>) -> Evaluated {
        match v.name {
            sym::FORALL => self.quantifier(v, false),
            sym::EXISTS => self.quantifier(v, true),
            sym::LAMBDA => self.lambda(v),
            other => Err(Unknown::NoMeaning(other)),
        }
    }

    /// `stop` is the value of the body that decides: true for `exists`, false for `forall`.
    fn quantifier(&mut self, v: &BinderView<'_>, stop: bool) -> Evaluated {
        let vars: Vec<(Symbol, Sort)> = v.vars().map(|(n, s)| (n, self.arena.canonical(s))).collect();
        let mark = self.locals.len();
        // The body may not need the variables: `(forall ((x Int)) false)`.
        self.locals.extend(vars.iter().map(|&(n, _)| (n, Err(Unknown::Quantifier))));
        let without = self.holds(v.bodies[0]);
        if without.is_ok() {
            self.locals.truncate(mark);
            return without.map(Value::Bool);
        }
        let limit = self.effort.assignments;
        let mut budget = limit;
        let guards = self.guards(v.bodies[0], stop);
        let mut vacuous = false;
        let candidates: Vec<Candidates> = vars
            .iter()
            .map(|&(name, sort)| {
                let limit = usize::try_from(budget).unwrap_or(usize::MAX);
                // An inner variable of the same name is another one.
                let guarded = match vars.iter().filter(|w| w.0 == name).count() {
                    1 => self.guarded(&guards, name, sort, limit),
                    _ => None,
                };
                let mut c = match guarded {
                    Some(values) => {
                        vacuous |= values.is_empty();
                        Candidates { values, complete: true }
                    }
                    None => self.candidates(sort, budget),
                };
                self.steps += c.values.len() as u64;
                if self.hasty && !stop {
                    c.values.truncate(1);
                }
                budget /= (c.values.len() as u64).max(1);
                c
            })
            .collect();
        if candidates.iter().any(|c| c.values.is_empty()) {
            self.locals.truncate(mark);
            // Vacuous: no value fulfils the guard.
            return if vacuous { Ok(Value::Bool(!stop)) } else { Err(Unknown::Quantifier) };
        }
        let complete = candidates.iter().all(|c| c.complete);
        let mut open = None;
        let mut at = vec![0usize; vars.len()];
        let mut tried = 0;
        let result = 'search: loop {
            tried += 1;
            if tried > limit {
                open = open.or(Some(Unknown::Quantifier));
                break None;
            }
            for (i, c) in candidates.iter().enumerate() {
                self.locals[mark + i].1 = Ok(c.values[at[i]].clone());
            }
            match self.holds(v.bodies[0]) {
                Ok(b) if b == stop => break Some(Value::Bool(stop)),
                Ok(_) => {}
                Err(Unknown::TooLarge) => {
                    open = Some(Unknown::TooLarge);
                    break None;
                }
                Err(u) => open = open.or(Some(u)),
            }
            for i in (0..at.len()).rev() {
                at[i] += 1;
                if at[i] < candidates[i].values.len() {
                    continue 'search;
                }
                at[i] = 0;
            }
            break None;
        };
        self.locals.truncate(mark);
        match result {
            Some(decided) => Ok(decided),
            None if complete && open.is_none() => Ok(Value::Bool(!stop)),
            None => Err(open.unwrap_or(Unknown::Quantifier)),
        }
    }

    fn candidates(&self, sort: Sort, budget: u64) -> Candidates {
        let limit = usize::try_from(budget).unwrap_or(usize::MAX);
        if let Some(values) = self.domains.values(self.arena, sort, limit) {
            return Candidates { values, complete: true };
        }
        // Witnesses: values that the model uses, and the ends of the domain.
        let mut values: Vec<Value> = Vec::new();
        match sort {
            Sort::INT => values.extend([0, 1, -1, 2].map(|i| Value::Int(Int::from(i)))),
            Sort::REAL => values.extend([0, 1, -1, 2].map(|i| Value::Real(Real::from(Int::from(i))))),
            Sort::STRING => values.push(Value::Str(Str::empty())),
            _ => {
                // Nothing is made up for other sorts: an element that the model does not have is not a witness.
                if let Some(w) = self.arena.bitvec_width(sort) {
                    values.extend(corners(w).into_iter().map(Value::BitVec));
                } else if let Some(format) = format_of(self.arena, sort) {
                    let signed = [Float::zero, Float::one, Float::infinity, Float::largest];
                    let both = signed.into_iter().flat_map(|f| [f(format, false), f(format, true)]);
                    values.extend(both.chain([Float::nan(format)]).map(Value::Float));
                }
            }
        }
        let mut used: Vec<&Value> = self.interpretation.values().map(|v| v.1).collect();
        used.sort();
        let simple = |v: &Value| {
            matches!(v, Value::Int(_) | Value::Real(_) | Value::Str(_) | Value::BitVec(_) | Value::Float(_))
        };
        let exact = |v: &Value| sort != Sort::REAL || matches!(v, Value::Real(_));
        let fits = |v: &&Value| simple(v) && exact(v) && self.domains.has(self.arena, sort, v);
        let more: Vec<Value> = used.into_iter().filter(fits).take(12).cloned().collect();
        values.extend(more);
        values.dedup();
        Candidates { values, complete: false }
    }

    /// A lambda is an array (z3) or a function; as a value, it needs a description that is finite.
    fn lambda(&mut self, v: &BinderView<'_>) -> Evaluated {
        let vars: Vec<(Symbol, Sort)> = v.vars().map(|(n, s)| (n, self.arena.canonical(s))).collect();
        let [(name, sort)] = vars[..] else { return Err(Unknown::NoMeaning(sym::LAMBDA)) };
        self.array_by(name, sort, v.bodies[0])
    }

    /// A function of the interpretation as an array.
    pub(super) fn array_of_function(&mut self, f: Symbol) -> Evaluated {
        let interpretation = self.interpretation;
        match interpretation.meaning(f) {
            Some(Meaning::Definition { params, body, .. }) => {
                let [(name, sort)] = params[..] else { return Err(Unknown::NoMeaning(sym::AS_ARRAY)) };
                let base = std::mem::replace(&mut self.base, self.locals.len());
                let value = self.array_by(name, self.arena.canonical(sort), *body);
                self.base = base;
                value
            }
            Some(Meaning::Value(v)) => Ok(v.clone()),
            _ => Err(Unknown::NoValue(f)),
        }
    }

    /// `index -> body` as an array: over a small domain by trying all, else by reading a chain of `ite` over
    /// equations of the index with values, as models have them.
    fn array_by(&mut self, name: Symbol, sort: Sort, body: Term) -> Evaluated {
        let domain = self.domains.index_domain(self.arena, sort);
        if let Domain::Listed(indices) = &domain {
            let mut entries = Vec::with_capacity(indices.len());
            for i in indices.iter() {
                entries.push((i.clone(), self.eval_with([(name, Ok(i.clone()))], body)?));
            }
            let Some(first) = entries.first().map(|e| e.1.clone()) else { return Err(Unknown::IllSorted) };
            return Ok(Array::new(domain.clone(), first, entries)?.into());
        }
        let mut entries: Vec<(Value, Value)> = Vec::new();
        let mut rest = body;
        loop {
            // Without a value for the index, a term that has a value does not depend on it: it is the default.
            if let Ok(default) = self.eval_with([(name, Err(Unknown::Quantifier))], rest) {
                entries.reverse(); // the first case wins
                return Ok(Array::new(domain, default, entries)?.into());
            }
            let (index, case, next) = self.index_case(name, rest)?.ok_or(Unknown::Quantifier)?;
            let value = self.eval_with([(name, Ok(index.clone()))], case)?;
            entries.push((index, value));
            rest = next;
        }
    }

    /// The value, the case and the rest of `(ite (= index value) case rest)`.
    fn index_case(&mut self, name: Symbol, term: Term) -> Result<Option<(Value, Term, Term)>, Unknown> {
        let arena = self.arena;
        let View::App(fun, &[condition, case, rest]) = arena.view(term) else { return Ok(None) };
        let View::App(equal, &[a, b]) = arena.view(condition) else { return Ok(None) };
        if arena.fun_view(fun).name != sym::ITE || arena.fun_view(equal).name != sym::EQUAL {
            return Ok(None);
        }
        let value = match (self.is_variable(a, name), self.is_variable(b, name)) {
            (true, false) => b,
            (false, true) => a,
            _ => return Ok(None),
        };
        // It must not depend on the index, nor on a variable of the same name further out.
        Ok(Some((self.eval_with([(name, Err(Unknown::Quantifier))], value)?, case, rest)))
    }
}
