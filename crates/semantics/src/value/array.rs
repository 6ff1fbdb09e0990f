//! Arrays: a default and finitely many exceptions, in a form that makes equality extensional.
//!
//! Over an infinite index sort it suffices that no exception equals the default. Over a finite sort the same array
//! has several such descriptions, because each value may be the default. So the default is fixed as the value of
//! most indices; if there are several, the least of them. As long as fewer than half of the indices are exceptions,
//! this holds automatically. Only if not, the indices are counted, which requires a list of them.

use std::cmp::Ordering;
use std::collections::BTreeMap;
use std::hash::{Hash, Hasher};
use std::sync::Arc;

use super::Value;
use crate::Gap;

/// The index sort of an array, as far as extensional equality depends on it.
#[derive(Debug, Clone)]
pub enum Domain {
    /// Infinitely many indices.
    Infinite,
    /// It is not known how many: arrays that differ by their defaults alone may be equal.
    Open,
    /// This many indices: more than twice as many as an array may have exceptions, else they are listed.
    Large(u64),
    /// All indices.
    Listed(Arc<[Value]>),
}

/// An array value.
#[derive(Debug, Clone)]
pub struct Array {
    domain: Domain,
    content: Arc<Content>,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
struct Content {
    default: Value,
    exceptions: BTreeMap<Value, Value>,
}

impl Array {
    /// The array that has one value everywhere.
    pub fn constant(domain: Domain, default: Value) -> Array {
        Array { domain, content: Arc::new(Content { default, exceptions: BTreeMap::new() }) }
    }

    /// An array by its default and entries; later entries win. Too large if a [`Domain::Large`] one would
    /// have exceptions at half of its indices.
    pub fn new(
        domain: Domain,
        default: Value,
        entries: impl IntoIterator<Item = (Value, Value)>,
    ) -> Result<Array, Gap> {
        let mut exceptions: BTreeMap<Value, Value> = entries.into_iter().collect();
        exceptions.retain(|_, value| *value != default);
        Array { domain, content: Arc::new(Content { default, exceptions }) }.settled()
    }

    /// `(select self index)`.
    pub fn select(&self, index: &Value) -> &Value {
        self.content.exceptions.get(index).unwrap_or(&self.content.default)
    }

    /// `(store self index value)`; in place if the array is not shared.
    pub fn store(mut self, index: Value, value: Value) -> Result<Array, Gap> {
        let content = Arc::make_mut(&mut self.content);
        if value == content.default {
            content.exceptions.remove(&index);
        } else {
            content.exceptions.insert(index, value);
        }
        self.settled()
    }

    /// The value at all indices that are not exceptions.
    pub fn default_value(&self) -> &Value {
        &self.content.default
    }

    /// The indices with another value than the default, ascending.
    pub fn exceptions(&self) -> impl ExactSizeIterator<Item = (&Value, &Value)> {
        self.content.exceptions.iter()
    }

    /// The index sort.
    pub fn domain(&self) -> &Domain {
        &self.domain
    }

    /// With the canonical default.
    fn settled(mut self) -> Result<Array, Gap> {
        let twice = 2 * self.content.exceptions.len();
        let indices = match &self.domain {
            Domain::Infinite | Domain::Open => return Ok(self),
            Domain::Large(size) if (twice as u64) < *size => return Ok(self),
            Domain::Large(_) => return Err(Gap::TooLarge),
            Domain::Listed(indices) if twice < indices.len() => return Ok(self),
            Domain::Listed(indices) => indices.clone(),
        };
        let mut counts: BTreeMap<&Value, usize> = BTreeMap::new();
        for index in indices.iter() {
            *counts.entry(self.select(index)).or_default() += 1;
        }
        // Ascending, so the first of the most frequent is the least.
        let most = counts.values().max().copied();
        let default = counts.into_iter().find(|(_, n)| Some(*n) == most).map(|(value, _)| value.clone());
        if let Some(default) = default.filter(|d| *d != self.content.default) {
            let entries = indices.iter().map(|i| (i.clone(), self.select(i).clone()));
            let exceptions = entries.filter(|(_, value)| *value != default).collect();
            self.content = Arc::new(Content { default, exceptions });
        }
        Ok(self)
    }
}

/// Arrays that are compared have one sort, hence one domain.
impl PartialEq for Array {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.content, &other.content) || self.content == other.content
    }
}

impl Eq for Array {}

impl Hash for Array {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.content.hash(state);
    }
}

impl Ord for Array {
    fn cmp(&self, other: &Self) -> Ordering {
        if Arc::ptr_eq(&self.content, &other.content) {
            Ordering::Equal
        } else {
            self.content.cmp(&other.content)
        }
    }
}

impl PartialOrd for Array {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::BitVec;

    fn index(i: u64) -> Value {
        BitVec::new(2, i).into()
    }

    fn value(v: u64) -> Value {
        BitVec::new(2, v).into()
    }

    /// All arrays from four indices to three values, each by every default and both orders of stores.
    #[test]
    fn equality_over_finite_indices_is_extensional() {
        let indices: Arc<[Value]> = (0..4).map(index).collect();
        let mut seen: BTreeMap<Vec<Value>, Array> = BTreeMap::new();
        for code in 0..81u64 {
            let values: Vec<Value> = (0..4).map(|i| value(code / 3u64.pow(i) % 3)).collect();
            for default in 0..4 {
                for backwards in [false, true] {
                    let mut order: Vec<u64> = (0..4).collect();
                    if backwards {
                        order.reverse();
                    }
                    let mut array = Array::constant(Domain::Listed(indices.clone()), value(default));
                    for i in order {
                        array = array.store(index(i), values[i as usize].clone()).unwrap();
                    }
                    let read: Vec<Value> = indices.iter().map(|i| array.select(i).clone()).collect();
                    assert_eq!(read, values);
                    let known = seen.entry(values.clone()).or_insert_with(|| array.clone());
                    assert_eq!(*known, array);
                }
            }
        }
        let distinct: std::collections::BTreeSet<&Array> = seen.values().collect();
        assert_eq!(distinct.len(), 81);
    }

    #[test]
    fn stores_over_infinite_indices_are_canonical() {
        let int = |n: i64| Value::from(crate::Int::from(n));
        let zero = Array::constant(Domain::Infinite, int(0));
        let changed = zero.clone().store(int(5), int(1)).unwrap();
        assert_ne!(changed, zero);
        assert_eq!(changed.clone().store(int(5), int(0)).unwrap(), zero);
        assert_eq!(
            changed,
            Array::new(Domain::Infinite, int(0), [(int(5), int(1)), (int(6), int(0))]).unwrap()
        );
        assert_eq!((changed.select(&int(5)), changed.select(&int(4))), (&int(1), &int(0)));
    }

    #[test]
    fn a_large_domain_refuses_to_guess() {
        let array = Array::constant(Domain::Large(4), value(0)).store(index(0), value(1)).unwrap();
        assert_eq!(array.store(index(1), value(1)), Err(Gap::TooLarge));
    }
}
