//! Arrays, sequences and sets.

use std::sync::Arc;

use smelt_smtlib::Sort;
use smelt_smtlib::signature::{Row, SortPattern};

use super::sequences::{Sequence, Sequences, shared};
use super::{Arguments, element_like};
use crate::eval::operators::Strict;
use crate::eval::{Call, Evaluated, Unknown, coerce};
use crate::number::int;
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
        "select" => |_, _, a| read(a.array(0)?, a.any(1)?),
        "store" => |c, _, a| {
            let (index, value) = (wanted(c, a.any(1)?, 0), wanted(c, a.any(2)?, 1));
            if a.array(0)?.exceptions().len() > 0 && index.has_other_forms() {
                return Err(Unknown::TooLarge);
            }
            Ok(a.array(0)?.clone().store(index, value)?.into())
        },
        "const" => |c, _, a| {
            let index = *c.arena.sort_view(c.sort).args.first().ok_or(Unknown::IllSorted)?;
            let domain = c.domains.index_domain(c.arena, index);
            Ok(Value::Array(Array::constant(domain, wanted(c, a.any(0)?, 1))))
        },
        _ => return None,
    })
}

/// `select`, where an integer index may stand for a real.
pub(in crate::eval) fn read(array: &Array, index: &Value) -> Evaluated {
    if array.exceptions().len() > 0 && index.has_other_forms() {
        return Err(Unknown::TooLarge);
    }
    let real = array.exceptions().next().is_some_and(|e| matches!(e.0, Value::Real(_)));
    Ok(match index {
        Value::Int(i) if real => array.select(&Value::Real(crate::Real::from(i.clone()))).clone(),
        _ => array.select(index).clone(),
    })
}

pub(in crate::eval) fn sequence_operator(name: &str, row: &Row) -> Option<Strict> {
    let over = |p: &SortPattern| {
        matches!(p, SortPattern::Constructor(..) | SortPattern::Var(_) | SortPattern::Exact(Sort::INT))
    };
    if !row.args.iter().all(over) {
        return None;
    }
    let name = name.strip_prefix("seq.").or(name.strip_prefix("str."))?;
    Some(match (name, row.args.len()) {
        ("empty", 0) => |_, _, _| Ok(Sequences::value(Vec::new())),
        ("unit", 1) => |c, _, a| Ok(Sequences::value(vec![wanted(c, a.any(0)?, 0)])),
        ("nth", 2) => |_, _, a| {
            let (items, at) = (Sequences::items(a, 0)?, sequence::position(a.int(1)?));
            at.and_then(|i| items.get(i)).cloned().ok_or(Gap::Unspecified.into())
        },
        (name, arity) => return shared::<Sequences>(name, arity),
    })
}

/// No range with more integers than this is made.
const MAX_RANGE: u32 = 100_000;

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
        "set.union" => |_, _, a| made_set(a.set(0)?.union(a.set(1)?).cloned()),
        "set.inter" => |_, _, a| made_set(a.set(0)?.intersection(a.set(1)?).cloned()),
        "set.minus" => |_, _, a| made_set(a.set(0)?.difference(a.set(1)?).cloned()),
        "set.member" => |_, _, a| {
            let all = a.set(1)?;
            Ok(Value::Bool(all.contains(&element_like(all.iter(), a.any(0)?))))
        },
        "set.subset" => |_, _, a| Ok(Value::Bool(a.set(0)?.is_subset(a.set(1)?))),
        "set.card" => |_, _, a| Ok(Value::Int(Int::from(a.set(0)?.len()))),
        "set.is_empty" => |_, _, a| Ok(Value::Bool(a.set(0)?.is_empty())),
        "set.is_singleton" => |_, _, a| Ok(Value::Bool(a.set(0)?.len() == 1)),
        "set.choose" => |_, _, a| match a.set(0)?.iter().next() {
            Some(only) if a.set(0)?.len() == 1 => Ok(only.clone()),
            _ => Err(Gap::Unspecified.into()),
        },
        "set.insert" => |c, _, a| {
            let (base, elements) = a.split_last().ok_or(Unknown::IllSorted)?;
            let Value::Set(base) = base else { return Err(Unknown::IllSorted) };
            made_set(base.iter().cloned().chain(elements.iter().map(|e| wanted(c, e, 0))))
        },
        "set.range" => |_, _, a| {
            let (first, last) = (a.int(0)?, a.int(1)?);
            let count = last - first + Int::ONE;
            let count = if int::signum(&count) > 0 { count } else { Int::ZERO };
            let count = u32::try_from(&count).ok().filter(|n| *n <= MAX_RANGE).ok_or(Gap::TooLarge)?;
            made_set((0..count).map(|i| Value::Int(first + Int::from(i))))
        },
        // `set.universe` and `set.complement` are not here: in cvc5 the universe is not the set of all values.
        _ => return None,
    })
}
