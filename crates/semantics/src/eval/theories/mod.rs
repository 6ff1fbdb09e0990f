//! Theory functions over values, one module for each group of theories.

pub(super) mod arithmetic;
pub(super) mod bags;
pub(super) mod bits;
pub(super) mod collections;
pub(super) mod fields;
pub(super) mod floats;
pub(super) mod functional;
pub(super) mod relations;
mod sequences;
pub(super) mod strings;

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

use super::Unknown;
use crate::value::{Array, Field, Value};
use crate::{BitVec, Float, Int, Real, Regex, RoundingMode, Str};

macro_rules! arguments {
    ($($name:ident, $variant:ident, $type:ty;)*) => {
        /// The arguments of a call, by the sort they should have.
        pub(crate) trait Arguments<'a> {
            fn any(&self, i: usize) -> Result<&'a Value, Unknown>;

            /// An integer counts as a real.
            fn real(&self, i: usize) -> Result<Cow<'a, Real>, Unknown> {
                match self.any(i)? {
                    Value::Real(v) => Ok(Cow::Borrowed(v)),
                    Value::Int(v) => Ok(Cow::Owned(Real::from(v.clone()))),
                    _ => Err(Unknown::IllSorted),
                }
            }

            /// A set; not known if its elements may be written in several ways.
            fn set(&self, i: usize) -> Result<&'a BTreeSet<Value>, Unknown> {
                let set = self.elements(i)?;
                if set.iter().any(Value::has_other_forms) { Err(Unknown::TooLarge) } else { Ok(set) }
            }

            /// A bag; the same holds.
            fn bag(&self, i: usize) -> Result<&'a BTreeMap<Value, Int>, Unknown> {
                let Value::Bag(bag) = self.any(i)? else { return Err(Unknown::IllSorted) };
                if bag.keys().any(Value::has_other_forms) { Err(Unknown::TooLarge) } else { Ok(bag) }
            }

            /// A tuple.
            fn tuple(&self, i: usize) -> Result<&'a [Value], Unknown> {
                if let Value::Tuple(parts) = self.any(i)? { Ok(parts) } else { Err(Unknown::IllSorted) }
            }

            $(fn $name(&self, i: usize) -> Result<&'a $type, Unknown> {
                if let Value::$variant(v) = self.any(i)? { Ok(v) } else { Err(Unknown::IllSorted) }
            })*
        }
    };
}

arguments! {
    int, Int, Int;
    bits, BitVec, BitVec;
    float, Float, Float;
    mode, RoundingMode, RoundingMode;
    string, Str, Str;
    language, RegLan, Regex;
    array, Array, Array;
    elements, Set, BTreeSet<Value>;
    field, Field, Field;
}

impl<'a> Arguments<'a> for [&'a Value] {
    fn any(&self, i: usize) -> Result<&'a Value, Unknown> {
        self.get(i).copied().ok_or(Unknown::IllSorted)
    }
}

/// A value as an element of a collection with these elements: an integer among reals is a real.
pub(super) fn element_like<'v>(mut elements: impl Iterator<Item = &'v Value>, value: &Value) -> Value {
    match (elements.next(), value) {
        (Some(Value::Real(_)), Value::Int(i)) => Value::Real(Real::from(i.clone())),
        _ => value.clone(),
    }
}

/// Two bit-vectors of one width.
pub(crate) fn same_width<'a>(args: &[&'a Value]) -> Result<(&'a BitVec, &'a BitVec), Unknown> {
    let (a, b) = (args.bits(0)?, args.bits(1)?);
    if a.width() == b.width() { Ok((a, b)) } else { Err(Unknown::IllSorted) }
}

/// Two floats of one format.
pub(crate) fn same_format<'a>(
    args: &[&'a Value],
    i: usize,
    j: usize,
) -> Result<(&'a Float, &'a Float), Unknown> {
    let (a, b) = (args.float(i)?, args.float(j)?);
    if a.format() == b.format() { Ok((a, b)) } else { Err(Unknown::IllSorted) }
}
