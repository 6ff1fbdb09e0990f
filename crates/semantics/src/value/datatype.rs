//! Datatype values, which may be as deep as a list is long: nothing here recurses along them.

use std::cmp::Ordering;
use std::collections::HashSet;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::Arc;

use super::{Key, Value};

/// A constructor applied to values.
#[derive(Clone)]
pub struct Datatype(Arc<Node>);

struct Node {
    /// Of constructor and arguments, so that hashing a deep value costs nothing.
    hash: u64,
    constructor: Key,
    args: Vec<Value>,
}

impl Datatype {
    /// A constructor applied to values.
    pub fn new(constructor: Key, args: Vec<Value>) -> Datatype {
        let mut hasher = DefaultHasher::new();
        (constructor, &args).hash(&mut hasher);
        Datatype(Arc::new(Node { hash: hasher.finish(), constructor, args }))
    }

    /// The constructor.
    pub fn constructor(&self) -> Key {
        self.0.constructor
    }

    /// The arguments.
    pub fn args(&self) -> &[Value] {
        &self.0.args
    }

    /// The same value with one argument replaced, as by an updater; none if there is no such argument.
    pub fn with_arg(&self, position: usize, value: Value) -> Option<Datatype> {
        let mut args = self.0.args.clone();
        *args.get_mut(position)? = value;
        Some(Datatype::new(self.constructor(), args))
    }
}

impl Ord for Datatype {
    fn cmp(&self, other: &Self) -> Ordering {
        let mut todo = vec![(self, other)];
        // Pairs seen before are equal, so shared parts of large values are visited once.
        let (mut steps, mut seen) = (0, HashSet::new());
        while let Some((a, b)) = todo.pop() {
            steps += 1;
            if Arc::ptr_eq(&a.0, &b.0) || (steps > 64 && !seen.insert((Arc::as_ptr(&a.0), Arc::as_ptr(&b.0))))
            {
                continue;
            }
            // Different hashes decide at once; equal ones prove nothing.
            let head = |d: &Datatype| (d.0.hash, d.0.constructor, d.0.args.len());
            let mut order = head(a).cmp(&head(b));
            for pair in a.args().iter().zip(b.args()) {
                match pair {
                    (Value::Datatype(x), Value::Datatype(y)) => todo.push((x, y)),
                    (x, y) => order = order.then_with(|| x.cmp(y)),
                }
            }
            if order != Ordering::Equal {
                return order;
            }
        }
        Ordering::Equal
    }
}

impl PartialOrd for Datatype {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Datatype {
    fn eq(&self, other: &Self) -> bool {
        self.0.hash == other.0.hash && self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Datatype {}

impl Hash for Datatype {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.0.hash.hash(state);
    }
}

/// Only the top: values may be deep.
impl std::fmt::Debug for Datatype {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Datatype({:?}, {} arguments)", self.constructor(), self.args().len())
    }
}

impl Drop for Node {
    fn drop(&mut self) {
        let mut todo = std::mem::take(&mut self.args);
        while let Some(value) = todo.pop() {
            if let Value::Datatype(datatype) = value
                && let Some(mut node) = Arc::into_inner(datatype.0)
            {
                todo.append(&mut node.args);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Int;

    fn list(items: impl Iterator<Item = i64>) -> Datatype {
        items.fold(Datatype::new(Key(0), vec![]), |tail, n| {
            Datatype::new(Key(1), vec![Int::from(n).into(), tail.into()])
        })
    }

    #[test]
    fn equality_is_structural_and_order_is_total() {
        let values: Vec<Datatype> = (0..6).flat_map(|n| [list(0..n), list(1..n + 1)]).collect();
        for a in &values {
            for b in &values {
                assert_eq!(a.cmp(b), b.cmp(a).reverse());
                assert_eq!(a == b, a.cmp(b) == Ordering::Equal);
                for c in &values {
                    assert!(!(a <= b && b <= c) || a <= c);
                }
            }
        }
        assert_eq!(list(0..5).with_arg(0, Int::from(9).into()), Some(list((0..4).chain([9]))));
        assert_eq!(list(0..5).with_arg(2, true.into()), None);
    }

    #[test]
    fn long_lists_need_no_stack_and_shared_trees_no_time() {
        let (a, b) = (list(0..300_000), list(0..300_000));
        assert_eq!(a, b);
        let shared = || {
            let leaf = Datatype::new(Key(0), vec![]);
            (0..80).fold(leaf, |d, _| Datatype::new(Key(1), vec![d.clone().into(), d.into()]))
        };
        assert_eq!(shared(), shared());
        assert_eq!(a.clone().cmp(&list(1..300_000)), list(1..300_000).cmp(&a).reverse());
    }
}
