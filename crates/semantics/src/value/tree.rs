//! Immutable shared trees that may be as deep as the input: nothing here recurses along them.

use std::cmp::Ordering;
use std::collections::HashSet;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::Arc;

/// A tree with a head and children of type `C`, some of which are trees again. Comparison and dropping do not recurse;
/// hashing costs nothing.
#[derive(Clone)]
pub(crate) struct Tree<H, C: Child<H>>(Arc<Node<H, C>>);

struct Node<H, C: Child<H>> {
    /// The hash of head and children.
    hash: u64,
    head: H,
    children: Vec<C>,
}

/// A child of a tree, which may be a tree itself.
pub(crate) trait Child<H>: Sized + Ord + Hash {
    /// The child as a tree, if it is one.
    fn tree(&self) -> Option<&Tree<H, Self>>;
    /// The same by value.
    fn into_tree(self) -> Option<Tree<H, Self>>;
}

impl<H: Ord + Hash, C: Child<H>> Tree<H, C> {
    pub(crate) fn new(head: H, children: Vec<C>) -> Self {
        let mut hasher = DefaultHasher::new();
        (&head, &children).hash(&mut hasher);
        Tree(Arc::new(Node { hash: hasher.finish(), head, children }))
    }
}

impl<H, C: Child<H>> Tree<H, C> {
    pub(crate) fn head(&self) -> &H {
        &self.0.head
    }

    pub(crate) fn children(&self) -> &[C] {
        &self.0.children
    }
}

impl<H: Ord, C: Child<H>> Ord for Tree<H, C> {
    fn cmp(&self, other: &Self) -> Ordering {
        let mut todo = vec![(self, other)];
        // Pairs seen before are equal, so shared parts of large trees are visited once.
        let (mut steps, mut seen) = (0, HashSet::new());
        while let Some((a, b)) = todo.pop() {
            steps += 1;
            if Arc::ptr_eq(&a.0, &b.0) || (steps > 64 && !seen.insert((Arc::as_ptr(&a.0), Arc::as_ptr(&b.0))))
            {
                continue;
            }
            // Different hashes decide at once; equal ones prove nothing.
            let count = |t: &Self| t.children().len();
            let mut order = (a.0.hash, a.head(), count(a)).cmp(&(b.0.hash, b.head(), count(b)));
            for (x, y) in a.children().iter().zip(b.children()) {
                match (x.tree(), y.tree()) {
                    (Some(x), Some(y)) => todo.push((x, y)),
                    _ => order = order.then_with(|| x.cmp(y)),
                }
            }
            if order != Ordering::Equal {
                return order;
            }
        }
        Ordering::Equal
    }
}

impl<H: Ord, C: Child<H>> PartialOrd for Tree<H, C> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl<H: Ord, C: Child<H>> PartialEq for Tree<H, C> {
    fn eq(&self, other: &Self) -> bool {
        self.0.hash == other.0.hash && self.cmp(other) == Ordering::Equal
    }
}

impl<H: Ord, C: Child<H>> Eq for Tree<H, C> {}

impl<H, C: Child<H>> Hash for Tree<H, C> {
    fn hash<S: Hasher>(&self, state: &mut S) {
        self.0.hash.hash(state);
    }
}

/// Only the top: trees may be deep.
impl<H: std::fmt::Debug, C: Child<H>> std::fmt::Debug for Tree<H, C> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "({:?}, {} children)", self.head(), self.children().len())
    }
}

impl<H, C: Child<H>> Drop for Node<H, C> {
    fn drop(&mut self) {
        let mut todo = std::mem::take(&mut self.children);
        while let Some(child) = todo.pop() {
            if let Some(mut node) = child.into_tree().and_then(|t| Arc::into_inner(t.0)) {
                todo.append(&mut node.children);
            }
        }
    }
}
