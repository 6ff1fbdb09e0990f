//! The union of all values.
//!
//! Equality is SMT-LIB's `=` for every kind but two: regular languages compare by syntax (use
//! [`crate::regex::Languages`] for equality of languages), and functions compare by their tables. The order is
//! total and arbitrary but fixed; it allows values as keys.
//!
//! Values know symbols by number only, and carry no sort: printing them needs both.

mod array;
mod datatype;
mod function;
pub(crate) mod tree;

use std::collections::BTreeSet;
use std::sync::Arc;

use crate::{BitVec, Float, Int, Real, Regex, RoundingMode, Str};

pub use array::{Array, Domain};
pub use datatype::Datatype;
pub use function::Function;

/// The number of a symbol (an element or a constructor) in the caller's own table.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Key(pub u32);

/// A value of any sort.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Value {
    /// A truth value.
    Bool(bool),
    /// An integer.
    Int(Int),
    /// A real number.
    Real(Real),
    /// A bit-vector.
    BitVec(BitVec),
    /// A floating-point number.
    Float(Float),
    /// A rounding mode.
    RoundingMode(RoundingMode),
    /// A string.
    Str(Str),
    /// A regular language, by one of its expressions.
    RegLan(Regex),
    /// An array.
    Array(Array),
    /// An element of an uninterpreted sort, by its name: different names are different elements.
    Element(Key),
    /// A datatype value.
    Datatype(Datatype),
    /// A sequence.
    Seq(Arc<[Value]>),
    /// A finite set.
    Set(Arc<BTreeSet<Value>>),
    /// A function.
    Function(Arc<Function>),
}

macro_rules! accessors {
    ($($(#[$doc:meta])* $name:ident, $variant:ident, $type:ty;)*) => {
        impl Value {
            $($(#[$doc])*
            pub fn $name(&self) -> Option<&$type> {
                match self {
                    Value::$variant(inner) => Some(inner),
                    _ => None,
                }
            })*
        }

        $(impl From<$type> for Value {
            fn from(inner: $type) -> Value {
                Value::$variant(inner)
            }
        })*
    };
}

accessors! {
    /// The integer, if it is one.
    as_int, Int, Int;
    /// The real number, if it is one.
    as_real, Real, Real;
    /// The bit-vector, if it is one.
    as_bitvec, BitVec, BitVec;
    /// The float, if it is one.
    as_float, Float, Float;
    /// The rounding mode, if it is one.
    as_rounding_mode, RoundingMode, RoundingMode;
    /// The string, if it is one.
    as_str, Str, Str;
    /// The expression of a regular language, if it is one.
    as_regex, RegLan, Regex;
    /// The array, if it is one.
    as_array, Array, Array;
    /// The datatype value, if it is one.
    as_datatype, Datatype, Datatype;
}

impl Value {
    /// The truth value, if it is one.
    pub fn as_bool(&self) -> Option<bool> {
        match self {
            Value::Bool(b) => Some(*b),
            _ => None,
        }
    }

    /// Whether something inside may be written in several ways: a regular language, a function, or an array over an index
    /// sort of unknown size. Then two values that Rust calls different may be equal.
    pub(crate) fn has_other_forms(&self) -> bool {
        let mut work = vec![self];
        while let Some(value) = work.pop() {
            match value {
                Value::RegLan(_) | Value::Function(_) => return true,
                Value::Array(a) if matches!(a.domain(), Domain::Open) => return true,
                Value::Array(a) => {
                    work.push(a.default_value());
                    work.extend(a.exceptions().flat_map(|(i, v)| [i, v]));
                }
                Value::Datatype(d) => work.extend(d.args()),
                Value::Seq(s) => work.extend(s.iter()),
                Value::Set(s) => work.extend(s.iter()),
                _ => {}
            }
        }
        false
    }
}

impl From<bool> for Value {
    fn from(b: bool) -> Value {
        Value::Bool(b)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_of_different_sorts_differ() {
        assert_ne!(Value::from(Int::ONE), Value::from(Real::from(Int::ONE)));
        assert_ne!(Value::from(BitVec::new(3, 1)), Value::from(BitVec::new(4, 1)));
    }

    #[test]
    fn a_value_is_no_larger_than_eight_words() {
        assert!(size_of::<Value>() <= 64, "{}", size_of::<Value>());
    }
}
