//! Finite fields of a prime order.

use super::Arguments;
use crate::Int;
use crate::eval::Unknown;
use crate::eval::domain::field_order;
use crate::eval::operators::Strict;
use crate::value::{Field, Value};

pub(in crate::eval) fn operator(name: &str) -> Option<Strict> {
    Some(match name {
        "ff.add" => |_, _, a| Ok(a.field(0)?.add(a.field(1)?).ok_or(Unknown::IllSorted)?.into()),
        "ff.mul" => |_, _, a| Ok(a.field(0)?.mul(a.field(1)?).ok_or(Unknown::IllSorted)?.into()),
        "ff.neg" => |_, _, a| Ok(a.field(0)?.neg().into()),
        // The first is worth 1, the second 2, the third 4.
        "ff.bitsum" => |_, _, a| {
            let order = a.field(0)?.order();
            let number = |n: u32| Field::new(order, &Int::from(n)).ok_or(Unknown::IllSorted);
            let (mut sum, two) = (number(0)?, number(2)?);
            for value in a.iter().rev() {
                let Value::Field(value) = value else { return Err(Unknown::IllSorted) };
                sum = sum.mul(&two).and_then(|s| s.add(value)).ok_or(Unknown::IllSorted)?;
            }
            Ok(sum.into())
        },
        _ => return None,
    })
}

/// `#f3m5`, which is 3 in the field of 5 elements.
pub(in crate::eval) fn literal(text: &[u8]) -> Option<Field> {
    let (value, order) = std::str::from_utf8(text.strip_prefix(b"#f")?).ok()?.split_once('m')?;
    Field::new(order.parse().ok()?, &number(value)?)
}

/// `(as ff3 (_ FiniteField 5))`, by its name and sort.
pub(crate) fn constant(arena: &smelt_smtlib::Arena, name: &[u8], sort: smelt_smtlib::Sort) -> Option<Field> {
    let order = field_order(arena, arena.canonical(sort))?;
    Field::new(order, &number(std::str::from_utf8(name.strip_prefix(b"ff")?).ok()?)?)
}

fn number(digits: &str) -> Option<Int> {
    let (minus, digits) = digits.strip_prefix('-').map_or((false, digits), |rest| (true, rest));
    let value = crate::eval::parse_int(digits.as_bytes())?;
    Some(if minus { -value } else { value })
}
