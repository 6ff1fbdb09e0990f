//! Datatype values.

use super::tree::{Child, Tree};
use super::{Key, Value};

/// A constructor applied to values.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Datatype(Tree<Key, Value>);

impl Datatype {
    /// A constructor applied to values.
    pub fn new(constructor: Key, args: Vec<Value>) -> Datatype {
        Datatype(Tree::new(constructor, args))
    }

    /// The constructor.
    pub fn constructor(&self) -> Key {
        *self.0.head()
    }

    /// The arguments.
    pub fn args(&self) -> &[Value] {
        self.0.children()
    }

    /// The same value with one argument replaced, as by an updater; none if there is no such argument.
    pub fn with_arg(&self, position: usize, value: Value) -> Option<Datatype> {
        let mut args = self.args().to_vec();
        *args.get_mut(position)? = value;
        Some(Datatype::new(self.constructor(), args))
    }
}

impl Child<Key> for Value {
    fn tree(&self) -> Option<&Tree<Key, Value>> {
        self.as_datatype().map(|d| &d.0)
    }

    fn into_tree(self) -> Option<Tree<Key, Value>> {
        if let Value::Datatype(d) = self { Some(d.0) } else { None }
    }
}

#[cfg(test)]
mod tests {
    use std::cmp::Ordering;

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
