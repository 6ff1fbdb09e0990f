//! Tuples, and sets of them, as cvc5 has them.

use std::collections::BTreeSet;
use std::sync::Arc;

use smelt_smtlib::signature::Row;
use smelt_smtlib::{Arena, Sort};

use super::Arguments;
use crate::eval::operators::Strict;
use crate::eval::{Call, Evaluated, Unknown, coerce};
use crate::value::Value;
use crate::{Gap, Int};

/// No relation with more tuples than this is made.
const MAX_TUPLES: usize = 10_000;

type Tuples = BTreeSet<Value>;

fn made(tuples: Tuples) -> Evaluated {
    if tuples.len() > MAX_TUPLES { Err(Gap::TooLarge.into()) } else { Ok(Value::Set(Arc::new(tuples))) }
}

fn parts(value: &Value) -> Result<&[Value], Unknown> {
    if let Value::Tuple(parts) = value { Ok(parts) } else { Err(Unknown::IllSorted) }
}

/// Parts, each of the sort that a tuple has there.
fn tuple(arena: &Arena, sort: Sort, parts: impl IntoIterator<Item = Value>) -> Value {
    let sorts = arena.sort_view(sort).args;
    let parts = parts.into_iter().enumerate();
    Value::Tuple(
        parts.map(|(i, v)| if let Some(&s) = sorts.get(i) { coerce(arena, v, s) } else { v }).collect(),
    )
}

/// The parts at the indices of the call.
fn projected(c: &Call<'_>, all: &[Value]) -> Evaluated {
    let part = |i: usize| all.get(c.index(i)? as usize).cloned().ok_or(Unknown::IllSorted);
    let parts: Result<Vec<Value>, Unknown> = (0..c.indices.len()).map(part).collect();
    Ok(Value::Tuple(parts?.into()))
}

/// Every tuple of the first with every tuple of the second for which there is a result.
fn paired(args: &[&Value], pair: fn(&[Value], &[Value]) -> Option<Value>) -> Evaluated {
    let (a, b) = (args.set(0)?, args.set(1)?);
    if a.len().saturating_mul(b.len()) > MAX_TUPLES {
        return Err(Gap::TooLarge.into());
    }
    let mut all = Tuples::new();
    for x in a {
        for y in b {
            all.extend(pair(parts(x)?, parts(y)?));
        }
    }
    made(all)
}

/// Two tuples joined where the first ends and the second begins.
fn joined(x: &[Value], y: &[Value]) -> Option<Value> {
    let ((last, before), (first, behind)) = (x.split_last()?, y.split_first()?);
    (last == first).then(|| Value::Tuple([before, behind].concat().into()))
}

/// The smallest transitive relation around one.
fn closure(relation: &Tuples) -> Evaluated {
    let mut all = relation.clone();
    loop {
        let whole = Value::Set(Arc::new(all.clone()));
        let Value::Set(more) = paired(&[&whole, &whole], joined)? else { return Err(Unknown::IllSorted) };
        let before = all.len();
        all.extend(more.iter().cloned());
        if all.len() == before {
            return made(all);
        }
    }
}

/// The elements that are related to at least this many others.
fn image(relation: &Tuples, least: &Int) -> Evaluated {
    let mut all = Tuples::new();
    for pair in relation {
        let [first, _] = parts(pair)? else { return Err(Unknown::IllSorted) };
        let related =
            relation.iter().filter(|other| matches!(parts(other), Ok([x, _]) if x == first)).count();
        if Int::from(related) >= *least {
            all.insert(Value::Tuple([first.clone()].into()));
        }
    }
    made(all)
}

pub(in crate::eval) fn operator(name: &str, row: &Row) -> Option<Strict> {
    Some(match name {
        "tuple.unit" => |_, _, _| Ok(Value::Tuple([].into())),
        "tuple" => |c, _, a| Ok(tuple(c.arena, c.sort, a.iter().map(|&v| v.clone()))),
        "tuple.select" => |c, _, a| a.tuple(0)?.get(c.index(0)? as usize).cloned().ok_or(Unknown::IllSorted),
        "tuple.update" => |c, _, a| {
            let mut all = a.tuple(0)?.to_vec();
            *all.get_mut(c.index(0)? as usize).ok_or(Unknown::IllSorted)? = a.any(1)?.clone();
            Ok(tuple(c.arena, c.sort, all))
        },
        "tuple.project" => |c, _, a| projected(c, a.tuple(0)?),
        "rel.project" => |c, _, a| {
            let all: Result<Tuples, Unknown> = a.set(0)?.iter().map(|t| projected(c, parts(t)?)).collect();
            made(all?)
        },
        "rel.product" => |_, _, a| paired(a, |x, y| Some(Value::Tuple([x, y].concat().into()))),
        "rel.join" => |_, _, a| paired(a, joined),
        "rel.transpose" => |_, _, a| {
            let back = |t: &Value| Ok(Value::Tuple(parts(t)?.iter().rev().cloned().collect()));
            let all: Result<Tuples, Unknown> = a.set(0)?.iter().map(back).collect();
            made(all?)
        },
        "rel.tclosure" => |_, _, a| closure(a.set(0)?),
        "rel.iden" => |_, _, a| {
            let twice = |t: &Value| match parts(t)? {
                [only] => Ok(Value::Tuple([only.clone(), only.clone()].into())),
                _ => Err(Unknown::IllSorted),
            };
            let all: Result<Tuples, Unknown> = a.set(0)?.iter().map(twice).collect();
            made(all?)
        },
        // At least no others is every element of the universe, which is not the set of all values.
        "rel.join_image" => |_, _, a| match a.int(1)? {
            least if *least >= Int::ONE => image(a.set(0)?, least),
            _ => Err(Gap::Unspecified.into()),
        },
        // Without indices, all tuples are one group.
        "rel.group" if row.indices.is_empty() => |_, _, a| made(Tuples::from([a.any(0)?.clone()])),
        _ => return None,
    })
}
