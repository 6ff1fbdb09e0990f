//! The functions that strings and sequences share.

use super::Arguments;
use crate::eval::Unknown;
use crate::eval::operators::Strict;
use crate::sequence;
use crate::value::Value;
use crate::{Int, Str};

/// A kind of value that is a finite sequence.
pub(super) trait Sequence {
    type Item: Clone + Eq;
    /// The items of an argument.
    fn items<'a>(args: &[&'a Value], i: usize) -> Result<&'a [Self::Item], Unknown>;
    fn value(items: Vec<Self::Item>) -> Value;
}

pub(super) struct Strings;

impl Sequence for Strings {
    type Item = u32;

    fn items<'a>(args: &[&'a Value], i: usize) -> Result<&'a [u32], Unknown> {
        args.string(i).map(Str::codes)
    }

    fn value(items: Vec<u32>) -> Value {
        Str::from_valid(items).into()
    }
}

pub(super) struct Sequences;

impl Sequence for Sequences {
    type Item = Value;

    fn items<'a>(args: &[&'a Value], i: usize) -> Result<&'a [Value], Unknown> {
        let Value::Seq(items) = args.any(i)? else { return Err(Unknown::IllSorted) };
        // They are compared as they are written.
        if items.iter().any(Value::has_other_forms) { Err(Unknown::TooLarge) } else { Ok(items) }
    }

    fn value(items: Vec<Value>) -> Value {
        Value::Seq(items.into())
    }
}

/// A shared function, by its name without `str.` or `seq.`.
pub(super) fn shared<S: Sequence>(name: &str, arity: usize) -> Option<Strict> {
    Some(match (name, arity) {
        ("++", 2) => |_, _, a| Ok(S::value(sequence::concat(&[S::items(a, 0)?, S::items(a, 1)?])?)),
        ("len", 1) => |_, _, a| Ok(Int::from(S::items(a, 0)?.len()).into()),
        ("at", 2) => |_, _, a| Ok(S::value(sequence::at(S::items(a, 0)?, a.int(1)?).to_vec())),
        ("substr" | "extract", 3) => {
            |_, _, a| Ok(S::value(sequence::extract(S::items(a, 0)?, a.int(1)?, a.int(2)?).to_vec()))
        }
        ("prefixof", 2) => |_, _, a| Ok(S::items(a, 1)?.starts_with(S::items(a, 0)?).into()),
        ("suffixof", 2) => |_, _, a| Ok(S::items(a, 1)?.ends_with(S::items(a, 0)?).into()),
        ("contains", 2) => |_, _, a| Ok(sequence::contains(S::items(a, 0)?, S::items(a, 1)?).into()),
        ("indexof", 2) => {
            |_, _, a| Ok(sequence::index_of(S::items(a, 0)?, S::items(a, 1)?, &Int::ZERO).into())
        }
        ("indexof", 3) => {
            |_, _, a| Ok(sequence::index_of(S::items(a, 0)?, S::items(a, 1)?, a.int(2)?).into())
        }
        ("replace", 3) => {
            |_, _, a| Ok(S::value(sequence::replace(S::items(a, 0)?, S::items(a, 1)?, S::items(a, 2)?)?))
        }
        ("replace_all", 3) => {
            |_, _, a| Ok(S::value(sequence::replace_all(S::items(a, 0)?, S::items(a, 1)?, S::items(a, 2)?)?))
        }
        ("update", 3) => {
            |_, _, a| Ok(S::value(sequence::update(S::items(a, 0)?, a.int(1)?, S::items(a, 2)?)))
        }
        ("rev", 1) => |_, _, a| Ok(S::value(S::items(a, 0)?.iter().rev().cloned().collect())),
        _ => return None,
    })
}
