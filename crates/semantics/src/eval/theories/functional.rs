//! Operators that take a function: on sets, bags and sequences.
//!
//! The function is a term, so these decide themselves what to evaluate. It is a `lambda`, a function of the script by its
//! name, or whatever has a function or an array as its value.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use smelt_smtlib::{Term, View, sym};

use super::bags;
use super::collections::read;
use super::sequences::{Sequence, Sequences};
use crate::eval::operators::Lazy;
use crate::eval::{Evaluated, Evaluator, Unknown, coerce};
use crate::value::Value;
use crate::{Gap, Int};

/// The result of a fold over elements without an order is known if every order gives it. All orders of up to this many
/// elements are tried.
const MAX_UNORDERED: usize = 5;

pub(in crate::eval) fn operator(name: &str) -> Option<Lazy> {
    Some(match name {
        "set.map" => |e, a| {
            let all = elements(e, a[1])?;
            set(mapped(e, a[0], all)?)
        },
        "set.filter" => |e, a| {
            let all = elements(e, a[1])?;
            set(kept(e, a[0], all)?)
        },
        "set.all" => |e, a| {
            let all = elements(e, a[1])?;
            truth(e, a[0], &all, false)
        },
        "set.some" => |e, a| {
            let all = elements(e, a[1])?;
            truth(e, a[0], &all, true)
        },
        "set.fold" => |e, a| {
            let all = elements(e, a[2])?;
            unordered_fold(e, a[0], a[1], &all)
        },
        "bag.map" => |e, a| {
            let mut counts = BTreeMap::new();
            for (element, count) in bag(e, a[1])? {
                *counts.entry(result(e, a[0], vec![element])?).or_insert(Int::ZERO) += count;
            }
            bags::made(counts)
        },
        "bag.filter" => |e, a| {
            let mut counts = bag(e, a[1])?;
            let all = kept(e, a[0], counts.keys().cloned().collect())?;
            counts.retain(|element, _| all.contains(element));
            bags::made(counts)
        },
        "bag.all" => |e, a| {
            let all: Vec<Value> = bag(e, a[1])?.into_keys().collect();
            truth(e, a[0], &all, false)
        },
        "bag.some" => |e, a| {
            let all: Vec<Value> = bag(e, a[1])?.into_keys().collect();
            truth(e, a[0], &all, true)
        },
        "bag.fold" => |e, a| {
            let mut all = Vec::new();
            for (element, count) in bag(e, a[2])? {
                let count = usize::try_from(&count).ok().filter(|n| *n <= MAX_UNORDERED);
                all.extend(std::iter::repeat_n(element, count.ok_or(Gap::TooLarge)?));
            }
            unordered_fold(e, a[0], a[1], &all)
        },
        "seq.map" => |e, a| {
            let mut items = Vec::new();
            for item in sequence(e, a[1])? {
                items.push(e.apply(a[0], vec![item])?);
            }
            Ok(Sequences::value(items))
        },
        "seq.mapi" => |e, a| {
            let first = integer(e, a[1])?;
            let mut items = Vec::new();
            for (place, item) in (0u64..).zip(sequence(e, a[2])?) {
                items.push(e.apply(a[0], vec![Value::Int(&first + Int::from(place)), item])?);
            }
            Ok(Sequences::value(items))
        },
        "seq.foldl" => |e, a| {
            let start = e.eval(a[1])?;
            let items = sequence(e, a[2])?;
            items.into_iter().try_fold(start, |value, item| e.apply(a[0], vec![value, item]))
        },
        "seq.foldli" => |e, a| {
            let (first, start) = (integer(e, a[1])?, e.eval(a[2])?);
            let items = (0u64..).zip(sequence(e, a[3])?);
            items.into_iter().try_fold(start, |value, (place, item)| {
                e.apply(a[0], vec![Value::Int(&first + Int::from(place)), value, item])
            })
        },
        _ => return None,
    })
}

/// The elements of a set; not known if they may be written in several ways.
fn elements(e: &mut Evaluator<'_>, term: Term) -> Result<Vec<Value>, Unknown> {
    match e.eval(term)? {
        Value::Set(all) if all.iter().any(Value::has_other_forms) => Err(Unknown::TooLarge),
        Value::Set(all) => Ok(all.iter().cloned().collect()),
        _ => Err(Unknown::IllSorted),
    }
}

fn bag(e: &mut Evaluator<'_>, term: Term) -> Result<BTreeMap<Value, Int>, Unknown> {
    match e.eval(term)? {
        Value::Bag(all) if all.keys().any(Value::has_other_forms) => Err(Unknown::TooLarge),
        Value::Bag(all) => Ok(Arc::unwrap_or_clone(all)),
        _ => Err(Unknown::IllSorted),
    }
}

fn sequence(e: &mut Evaluator<'_>, term: Term) -> Result<Vec<Value>, Unknown> {
    if let Value::Seq(items) = e.eval(term)? { Ok(items.to_vec()) } else { Err(Unknown::IllSorted) }
}

fn integer(e: &mut Evaluator<'_>, term: Term) -> Result<Int, Unknown> {
    if let Value::Int(i) = e.eval(term)? { Ok(i) } else { Err(Unknown::IllSorted) }
}

fn set(elements: BTreeSet<Value>) -> Evaluated {
    Ok(Value::Set(Arc::new(elements)))
}

/// The value of a function that becomes an element: it must have one form.
fn result(e: &mut Evaluator<'_>, function: Term, args: Vec<Value>) -> Evaluated {
    let value = e.apply(function, args)?;
    if value.has_other_forms() { Err(Unknown::TooLarge) } else { Ok(value) }
}

fn mapped(e: &mut Evaluator<'_>, function: Term, all: Vec<Value>) -> Result<BTreeSet<Value>, Unknown> {
    all.into_iter().map(|element| result(e, function, vec![element])).collect()
}

/// The elements for which a function is true.
fn kept(e: &mut Evaluator<'_>, function: Term, all: Vec<Value>) -> Result<BTreeSet<Value>, Unknown> {
    let mut kept = BTreeSet::new();
    for element in all {
        if holds(e, function, &element)? {
            kept.insert(element);
        }
    }
    Ok(kept)
}

fn holds(e: &mut Evaluator<'_>, function: Term, element: &Value) -> Result<bool, Unknown> {
    e.apply(function, vec![element.clone()])?.as_bool().ok_or(Unknown::IllSorted)
}

/// Whether a function is true for one element, or for all; `stop` is the truth value that decides.
fn truth(e: &mut Evaluator<'_>, function: Term, all: &[Value], stop: bool) -> Evaluated {
    let mut open = None;
    for element in all {
        match holds(e, function, element) {
            Ok(value) if value == stop => return Ok(Value::Bool(stop)),
            Ok(_) => {}
            Err(u) => open = open.or(Some(u)),
        }
    }
    open.map_or(Ok(Value::Bool(!stop)), Err)
}

/// The value of a fold over elements that have no order, if each order gives the same.
fn unordered_fold(e: &mut Evaluator<'_>, function: Term, start: Term, all: &[Value]) -> Evaluated {
    if all.len() > MAX_UNORDERED {
        return Err(Gap::TooLarge.into());
    }
    let start = e.eval(start)?;
    // What is left to fold, and the value so far.
    let mut work = vec![((0..all.len()).collect::<Vec<usize>>(), start)];
    let mut found: Option<Value> = None;
    while let Some((left, value)) = work.pop() {
        if left.is_empty() {
            match &found {
                Some(other) if !e.equal(other, &value)? => return Err(Gap::Unspecified.into()),
                Some(_) => {}
                None => found = Some(value),
            }
            continue;
        }
        for (at, &i) in left.iter().enumerate() {
            let mut rest = left.clone();
            rest.remove(at);
            work.push((rest, e.apply(function, vec![all[i].clone(), value.clone()])?));
        }
    }
    found.ok_or(Unknown::IllSorted)
}

impl Evaluator<'_> {
    /// The value of a function, given as a term, at some arguments.
    fn apply(&mut self, function: Term, args: Vec<Value>) -> Evaluated {
        self.charge(1)?;
        let arena = self.arena;
        match arena.view(function) {
            View::Annotated(v) => self.apply(v.term(), args),
            View::Binder(v) if v.name == sym::LAMBDA => {
                let vars: Vec<_> = v.vars().collect();
                if vars.len() != args.len() {
                    return Err(Unknown::NoMeaning(sym::LAMBDA));
                }
                let values =
                    vars.into_iter().zip(args).map(|((name, sort), v)| (name, Ok(coerce(arena, v, sort))));
                self.eval_with(values, v.bodies[0])
            }
            View::App(fun, []) => {
                let view = arena.fun_view(fun);
                match view.op {
                    None if view.indices.is_empty() && self.interpretation.meaning(view.name).is_some() => {
                        self.call(view.name, args)
                    }
                    _ => self.apply_value(function, &args),
                }
            }
            _ => self.apply_value(function, &args),
        }
    }

    fn apply_value(&mut self, function: Term, args: &[Value]) -> Evaluated {
        match (self.eval(function)?, args) {
            (Value::Function(_), _) if args.iter().any(Value::has_other_forms) => Err(Unknown::TooLarge),
            (Value::Function(f), _) => f.apply(args).cloned().ok_or(Unknown::IllSorted),
            (Value::Array(a), [index]) => read(&a, index),
            _ => Err(Unknown::IllSorted),
        }
    }
}
