//! Rewrites all terms of a script from the leaves up.

use std::collections::HashMap;

use crate::abandon::tick;
use crate::arena::{Arena, Literal, Sort, Term, View};
use crate::script::Script;

/// Replaces every term by the result of `f` on it, after its children were replaced. Shared terms are visited once.
///
/// `f` must keep the sort. Bound variables are passed to it like any other term.
pub fn rewrite(arena: &mut Arena, script: &mut Script, mut f: impl FnMut(&mut Arena, Term) -> Term) {
    let mut done = HashMap::new();
    for root in script.commands.iter_mut().flat_map(|c| c.terms_mut()) {
        *root = rewrite_term(arena, *root, &mut done, &mut f);
    }
}

/// The same for one term; `done` maps terms that are finished.
pub fn rewrite_term(
    arena: &mut Arena,
    term: Term,
    done: &mut HashMap<Term, Term>,
    mut f: impl FnMut(&mut Arena, Term) -> Term,
) -> Term {
    let new = bottom_up(arena, term, done, |arena, t, children| {
        let rebuilt = if children == arena.children(t) { t } else { arena.with_children(t, children) };
        Some(f(arena, rebuilt))
    });
    new.expect("every term has a result")
}

/// Computes the new term of each term from it and its new children; `None` as soon as `f` has none.
pub(crate) fn bottom_up(
    arena: &mut Arena,
    term: Term,
    done: &mut HashMap<Term, Term>,
    mut f: impl FnMut(&mut Arena, Term, &[Term]) -> Option<Term>,
) -> Option<Term> {
    let mut work = vec![term];
    let mut children: Vec<Term> = Vec::new();
    while let Some(&t) = work.last() {
        tick();
        if done.contains_key(&t) {
            work.pop();
            continue;
        }
        let before = work.len();
        work.extend(arena.children(t).iter().filter(|c| !done.contains_key(c)));
        if work.len() == before {
            children.clear();
            children.extend(arena.children(t).iter().map(|c| done[c]));
            let new = f(arena, t, &children)?;
            done.insert(t, new);
            work.pop();
        }
    }
    Some(done[&term])
}

/// A numeral that means a real as a decimal: another logic would read it as an integer. Other terms stay.
pub fn decimal(arena: &mut Arena, term: Term) -> Term {
    match arena.view(term) {
        View::Literal(Literal::Numeral, text) if arena.sort_of(term) == Sort::REAL => {
            let text = arena.symbol(&[arena.text(text), b".0"].concat());
            arena.literal(Literal::Decimal, text, Sort::REAL)
        }
        _ => term,
    }
}
