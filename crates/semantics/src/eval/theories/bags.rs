//! Bags, as cvc5 has them.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::{Arguments, element_like};
use crate::eval::operators::Strict;
use crate::eval::{Evaluated, coerce};
use crate::number::int;
use crate::value::Value;
use crate::{Gap, Int};

/// Elements, each with how often it is in a bag.
type Counts = BTreeMap<Value, Int>;

/// The bag of some elements; those that are in it less than once are not in it.
pub(super) fn made(mut counts: Counts) -> Evaluated {
    counts.retain(|_, count| int::signum(count) > 0);
    Ok(Value::Bag(Arc::new(counts)))
}

fn count(bag: &Counts, element: &Value) -> Int {
    bag.get(&element_like(bag.keys(), element)).cloned().unwrap_or(Int::ZERO)
}

/// Two bags, element by element.
fn combined(args: &[&Value], by: fn(Int, Int) -> Int) -> Evaluated {
    let (a, b) = (args.bag(0)?, args.bag(1)?);
    let elements: BTreeSet<&Value> = a.keys().chain(b.keys()).collect();
    made(elements.into_iter().map(|e| (e.clone(), by(count(a, e), count(b, e)))).collect())
}

pub(in crate::eval) fn operator(name: &str) -> Option<Strict> {
    Some(match name {
        "bag.empty" => |_, _, _| made(Counts::new()),
        "bag" => |c, _, a| {
            let sort = c.arena.sort_view(c.sort).args.first().copied();
            let element = sort.map_or(a.any(0)?.clone(), |s| coerce(c.arena, a[0].clone(), s));
            made(Counts::from([(element, a.int(1)?.clone())]))
        },
        "bag.count" => |_, _, a| Ok(Value::Int(count(a.bag(1)?, a.any(0)?))),
        "bag.member" => |_, _, a| Ok(Value::Bool(count(a.bag(1)?, a.any(0)?) > Int::ZERO)),
        "bag.union_disjoint" => |_, _, a| combined(a, |x, y| x + y),
        "bag.union_max" => |_, _, a| combined(a, |x, y| x.max(y)),
        "bag.inter_min" => |_, _, a| combined(a, |x, y| x.min(y)),
        "bag.difference_subtract" => |_, _, a| combined(a, |x, y| x - y),
        "bag.difference_remove" => {
            |_, _, a| combined(a, |x, y| if int::signum(&y) > 0 { Int::ZERO } else { x })
        }
        "bag.subbag" => |_, _, a| {
            let (small, large) = (a.bag(0)?, a.bag(1)?);
            Ok(Value::Bool(small.iter().all(|(e, n)| *n <= count(large, e))))
        },
        "bag.setof" => |_, _, a| made(a.bag(0)?.keys().map(|e| (e.clone(), Int::ONE)).collect()),
        "bag.card" => |_, _, a| Ok(Value::Int(a.bag(0)?.values().fold(Int::ZERO, |sum, n| sum + n))),
        "bag.choose" => |_, _, a| match a.bag(0)?.keys().next() {
            Some(only) if a.bag(0)?.len() == 1 => Ok(only.clone()),
            _ => Err(Gap::Unspecified.into()),
        },
        "bag.is_empty" => |_, _, a| Ok(Value::Bool(a.bag(0)?.is_empty())),
        "bag.is_singleton" => |_, _, a| Ok(Value::Bool(a.bag(0)?.values().eq([&Int::ONE]))),
        "bag.from_set" => |_, _, a| made(a.set(0)?.iter().map(|e| (e.clone(), Int::ONE)).collect()),
        "bag.to_set" => |_, _, a| {
            let elements: BTreeSet<Value> = a.bag(0)?.keys().cloned().collect();
            Ok(Value::Set(Arc::new(elements)))
        },
        _ => return None,
    })
}
