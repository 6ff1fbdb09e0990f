//! Theory functions over values, one module for each group of theories.

pub(super) mod arithmetic;
pub(super) mod bits;
pub(super) mod collections;
pub(super) mod floats;
pub(super) mod strings;

use std::borrow::Cow;

use super::Unknown;
use crate::value::{Array, Value};
use crate::{BitVec, Float, Int, Real, Regex, RoundingMode, Str};

/// The arguments of a call, by the sort they should have.
pub(crate) trait Arguments {
    fn any(&self, i: usize) -> Result<&Value, Unknown>;
    fn int(&self, i: usize) -> Result<&Int, Unknown>;
    /// An integer counts as a real.
    fn real(&self, i: usize) -> Result<Cow<'_, Real>, Unknown>;
    fn bits(&self, i: usize) -> Result<&BitVec, Unknown>;
    fn float(&self, i: usize) -> Result<&Float, Unknown>;
    fn mode(&self, i: usize) -> Result<RoundingMode, Unknown>;
    fn string(&self, i: usize) -> Result<&Str, Unknown>;
    fn language(&self, i: usize) -> Result<&Regex, Unknown>;
    fn array(&self, i: usize) -> Result<&Array, Unknown>;
}

impl Arguments for [Value] {
    fn any(&self, i: usize) -> Result<&Value, Unknown> {
        self.get(i).ok_or(Unknown::IllSorted)
    }

    fn int(&self, i: usize) -> Result<&Int, Unknown> {
        if let Value::Int(v) = self.any(i)? { Ok(v) } else { Err(Unknown::IllSorted) }
    }

    fn real(&self, i: usize) -> Result<Cow<'_, Real>, Unknown> {
        match self.any(i)? {
            Value::Real(v) => Ok(Cow::Borrowed(v)),
            Value::Int(v) => Ok(Cow::Owned(Real::from(v.clone()))),
            _ => Err(Unknown::IllSorted),
        }
    }

    fn bits(&self, i: usize) -> Result<&BitVec, Unknown> {
        if let Value::BitVec(v) = self.any(i)? { Ok(v) } else { Err(Unknown::IllSorted) }
    }

    fn float(&self, i: usize) -> Result<&Float, Unknown> {
        if let Value::Float(v) = self.any(i)? { Ok(v) } else { Err(Unknown::IllSorted) }
    }

    fn mode(&self, i: usize) -> Result<RoundingMode, Unknown> {
        if let Value::RoundingMode(v) = self.any(i)? { Ok(*v) } else { Err(Unknown::IllSorted) }
    }

    fn string(&self, i: usize) -> Result<&Str, Unknown> {
        if let Value::Str(v) = self.any(i)? { Ok(v) } else { Err(Unknown::IllSorted) }
    }

    fn language(&self, i: usize) -> Result<&Regex, Unknown> {
        if let Value::RegLan(v) = self.any(i)? { Ok(v) } else { Err(Unknown::IllSorted) }
    }

    fn array(&self, i: usize) -> Result<&Array, Unknown> {
        if let Value::Array(v) = self.any(i)? { Ok(v) } else { Err(Unknown::IllSorted) }
    }
}
