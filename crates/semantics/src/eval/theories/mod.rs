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
pub(crate) trait Arguments<'a> {
    fn any(&self, i: usize) -> Result<&'a Value, Unknown>;
    fn int(&self, i: usize) -> Result<&'a Int, Unknown>;
    /// An integer counts as a real.
    fn real(&self, i: usize) -> Result<Cow<'a, Real>, Unknown>;
    fn bits(&self, i: usize) -> Result<&'a BitVec, Unknown>;
    fn float(&self, i: usize) -> Result<&'a Float, Unknown>;
    fn mode(&self, i: usize) -> Result<RoundingMode, Unknown>;
    fn string(&self, i: usize) -> Result<&'a Str, Unknown>;
    fn language(&self, i: usize) -> Result<&'a Regex, Unknown>;
    fn array(&self, i: usize) -> Result<&'a Array, Unknown>;
}

impl<'a> Arguments<'a> for [&'a Value] {
    fn any(&self, i: usize) -> Result<&'a Value, Unknown> {
        self.get(i).copied().ok_or(Unknown::IllSorted)
    }

    fn int(&self, i: usize) -> Result<&'a Int, Unknown> {
        if let Value::Int(v) = self.any(i)? { Ok(v) } else { Err(Unknown::IllSorted) }
    }

    fn real(&self, i: usize) -> Result<Cow<'a, Real>, Unknown> {
        match self.any(i)? {
            Value::Real(v) => Ok(Cow::Borrowed(v)),
            Value::Int(v) => Ok(Cow::Owned(Real::from(v.clone()))),
            _ => Err(Unknown::IllSorted),
        }
    }

    fn bits(&self, i: usize) -> Result<&'a BitVec, Unknown> {
        if let Value::BitVec(v) = self.any(i)? { Ok(v) } else { Err(Unknown::IllSorted) }
    }

    fn float(&self, i: usize) -> Result<&'a Float, Unknown> {
        if let Value::Float(v) = self.any(i)? { Ok(v) } else { Err(Unknown::IllSorted) }
    }

    fn mode(&self, i: usize) -> Result<RoundingMode, Unknown> {
        if let Value::RoundingMode(v) = self.any(i)? { Ok(*v) } else { Err(Unknown::IllSorted) }
    }

    fn string(&self, i: usize) -> Result<&'a Str, Unknown> {
        if let Value::Str(v) = self.any(i)? { Ok(v) } else { Err(Unknown::IllSorted) }
    }

    fn language(&self, i: usize) -> Result<&'a Regex, Unknown> {
        if let Value::RegLan(v) = self.any(i)? { Ok(v) } else { Err(Unknown::IllSorted) }
    }

    fn array(&self, i: usize) -> Result<&'a Array, Unknown> {
        if let Value::Array(v) = self.any(i)? { Ok(v) } else { Err(Unknown::IllSorted) }
    }
}
