//! Arrays, sequences and sets.

use std::collections::BTreeSet;
use std::sync::Arc;

use smelt_smtlib::Sort;
use smelt_smtlib::signature::{Row, SortPattern};

use super::Arguments;
use crate::eval::operators::Strict;
use crate::eval::{Call, Unknown, coerce};
use crate::sequence;
use crate::value::{Array, Value};
use crate::{Gap, Int};

/// An argument of the sort the array wants there.
fn wanted(c: &Call<'_>, value: &Value, position: usize) -> Value {
    let sort = c.arena.sort_view(c.sort).args.get(position).copied();
    sort.map_or(value.clone(), |s| coerce(c.arena, value.clone(), s))
}

pub(in crate::eval) fn array_operator(name: &str, row: &Row) -> Option<Strict> {
    if row.rule.is_some() {
        return None;
    }
    Some(match name {
        "select" => |_, _, a| Ok(read(a.array(0)?, a.any(1)?)),
        "store" => |c, _, a| {
            let (index, value) = (wanted(c, a.any(1)?, 0), wanted(c, a.any(2)?, 1));
            a.array(0)?.clone().store(index, value).map(Value::Array).map_err(|g| c.gap(g))
        },
        "const" => |c, _, a| {
            let index = *c.arena.sort_view(c.sort).args.first().ok_or(Unknown::IllSorted)?;
            let domain = c.domains.index_domain(c.arena, index);
            Ok(Value::Array(Array::constant(domain, wanted(c, a.any(0)?, 1))))
        },
        "default" => return None,
        _ => return None,
    })
}

/// `select`, where an integer index may stand for a real.
fn read(array: &Array, index: &Value) -> Value {
    let real = array.exceptions().next().is_some_and(|e| matches!(e.0, Value::Real(_)));
    match index {
        Value::Int(i) if real => array.select(&Value::Real(crate::Real::from(i.clone()))).clone(),
        _ => array.select(index).clone(),
    }
}

fn seq<'a>(args: &[&'a Value], i: usize) -> Result<&'a [Value], Unknown> {
    if let Value::Seq(s) = args.any(i)? { Ok(s) } else { Err(Unknown::IllSorted) }
}

fn made(elements: Result<Vec<Value>, Gap>, c: &Call<'_>) -> Result<Value, Unknown> {
    elements.map(|e| Value::Seq(e.into())).map_err(|g| c.gap(g))
}

pub(in crate::eval) fn sequence_operator(name: &str, row: &Row) -> Option<Strict> {
    let over = |p: &SortPattern| {
        matches!(p, SortPattern::Constructor(..) | SortPattern::Var(_) | SortPattern::Exact(Sort::INT))
    };
    if !row.args.iter().all(over) {
        return None;
    }
    let name = name
        .strip_prefix("str.")
        .map_or(name.to_owned(), |n| format!("seq.{}", n.replace("substr", "extract")));
    Some(match (name.as_str(), row.args.len()) {
        ("seq.empty", 0) => |_, _, _| Ok(Value::Seq(Arc::new([]))),
        ("seq.unit", 1) => |c, _, a| Ok(Value::Seq(Arc::new([wanted(c, a.any(0)?, 0)]))),
        ("seq.len", 1) => |_, _, a| Ok(Value::Int(Int::from(seq(a, 0)?.len()))),
        ("seq.nth", 2) => |c, _, a| {
            let s = seq(a, 0)?;
            let at = sequence::position(a.int(1)?).and_then(|i| s.get(i));
            at.cloned().ok_or(Unknown::Unspecified(c.name))
        },
        ("seq.at", 2) => |_, _, a| Ok(Value::Seq(sequence::at(seq(a, 0)?, a.int(1)?).into())),
        ("seq.update", 3) => {
            |_, _, a| Ok(Value::Seq(sequence::update(seq(a, 0)?, a.int(1)?, seq(a, 2)?).into()))
        }
        ("seq.extract", 3) => {
            |_, _, a| Ok(Value::Seq(sequence::extract(seq(a, 0)?, a.int(1)?, a.int(2)?).into()))
        }
        ("seq.++", 2) => |c, _, a| made(sequence::concat(&[seq(a, 0)?, seq(a, 1)?]), c),
        ("seq.prefixof", 2) => |_, _, a| Ok(Value::Bool(seq(a, 1)?.starts_with(seq(a, 0)?))),
        ("seq.suffixof", 2) => |_, _, a| Ok(Value::Bool(seq(a, 1)?.ends_with(seq(a, 0)?))),
        ("seq.contains", 2) => |_, _, a| Ok(Value::Bool(sequence::contains(seq(a, 0)?, seq(a, 1)?))),
        ("seq.indexof", 3) => |_, _, a| Ok(Value::Int(sequence::index_of(seq(a, 0)?, seq(a, 1)?, a.int(2)?))),
        ("seq.indexof", 2) => {
            |_, _, a| Ok(Value::Int(sequence::index_of(seq(a, 0)?, seq(a, 1)?, &Int::from(0))))
        }
        ("seq.replace", 3) => |c, _, a| made(sequence::replace(seq(a, 0)?, seq(a, 1)?, seq(a, 2)?), c),
        ("seq.replace_all", 3) => {
            |c, _, a| made(sequence::replace_all(seq(a, 0)?, seq(a, 1)?, seq(a, 2)?), c)
        }
        ("seq.rev", 1) => |_, _, a| Ok(Value::Seq(sequence::reverse(seq(a, 0)?).into())),
        _ => return None,
    })
}

fn set<'a>(args: &[&'a Value], i: usize) -> Result<&'a BTreeSet<Value>, Unknown> {
    if let Value::Set(s) = args.any(i)? { Ok(s) } else { Err(Unknown::IllSorted) }
}

fn made_set(elements: impl Iterator<Item = Value>) -> Result<Value, Unknown> {
    Ok(Value::Set(Arc::new(elements.collect())))
}

pub(in crate::eval) fn set_operator(name: &str, row: &Row) -> Option<Strict> {
    let arrays = row
        .args
        .iter()
        .any(|p| matches!(p, SortPattern::Constructor(h, _) if *h == smelt_smtlib::sym::ARRAY));
    if arrays {
        return None;
    }
    Some(match name {
        "set.empty" => |_, _, _| made_set(std::iter::empty()),
        "set.singleton" => |c, _, a| made_set([wanted(c, a.any(0)?, 0)].into_iter()),
        "set.union" => |_, _, a| made_set(set(a, 0)?.union(set(a, 1)?).cloned()),
        "set.inter" => |_, _, a| made_set(set(a, 0)?.intersection(set(a, 1)?).cloned()),
        "set.minus" => |_, _, a| made_set(set(a, 0)?.difference(set(a, 1)?).cloned()),
        "set.member" => |_, _, a| Ok(Value::Bool(set(a, 1)?.contains(a.any(0)?))),
        "set.subset" => |_, _, a| Ok(Value::Bool(set(a, 0)?.is_subset(set(a, 1)?))),
        "set.card" => |_, _, a| Ok(Value::Int(Int::from(set(a, 0)?.len()))),
        "set.is_empty" => |_, _, a| Ok(Value::Bool(set(a, 0)?.is_empty())),
        "set.is_singleton" => |_, _, a| Ok(Value::Bool(set(a, 0)?.len() == 1)),
        "set.choose" => |c, _, a| match set(a, 0)?.iter().next() {
            Some(only) if set(a, 0)?.len() == 1 => Ok(only.clone()),
            _ => Err(Unknown::Unspecified(c.name)),
        },
        "set.insert" => |c, _, a| {
            let (base, elements) = a.split_last().ok_or(Unknown::IllSorted)?;
            let Value::Set(base) = base else { return Err(Unknown::IllSorted) };
            made_set(base.iter().cloned().chain(elements.iter().map(|e| wanted(c, e, 0))))
        },
        "set.complement" => |c, _, a| {
            let element = *c.arena.sort_view(c.sort).args.first().ok_or(Unknown::IllSorted)?;
            let all = c.domains.values(c.arena, element, 1 << 12).ok_or(Unknown::TooLarge)?;
            let inside = set(a, 0)?;
            made_set(all.into_iter().filter(|v| !inside.contains(v)))
        },
        "set.universe" => |c, _, _| {
            let element = *c.arena.sort_view(c.sort).args.first().ok_or(Unknown::IllSorted)?;
            made_set(c.domains.values(c.arena, element, 1 << 12).ok_or(Unknown::TooLarge)?.into_iter())
        },
        _ => return None,
    })
}
