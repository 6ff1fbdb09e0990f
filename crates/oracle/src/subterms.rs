//! The one walk over terms that the oracle's questions use.

use smelt_smtlib::{Arena, Term};
use std::collections::HashSet;

/// All terms below these roots, roots included, each once; a term for which `enter` is false is left out with
/// everything that occurs only below it.
pub(crate) fn subterms_if<'a>(
    arena: &'a Arena,
    roots: impl IntoIterator<Item = Term>,
    enter: impl Fn(Term) -> bool + 'a,
) -> impl Iterator<Item = Term> + 'a {
    let mut work: Vec<Term> = roots.into_iter().collect();
    let mut seen = HashSet::new();
    std::iter::from_fn(move || {
        loop {
            let term = work.pop()?;
            if seen.insert(term) && enter(term) {
                work.extend(arena.children(term));
                return Some(term);
            }
        }
    })
}

/// All terms below these roots, roots included, each once.
pub(crate) fn subterms<'a>(
    arena: &'a Arena,
    roots: impl IntoIterator<Item = Term>,
) -> impl Iterator<Item = Term> + 'a {
    subterms_if(arena, roots, |_| true)
}
