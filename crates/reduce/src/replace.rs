//! Replaces many places of a script at once.

use std::collections::BTreeMap;

use smelt_smtlib::occurrence::{Occurrence, Occurrences};
use smelt_smtlib::script::{Command, Script};
use smelt_smtlib::{Arena, Sort, Symbol, Term, View};

use crate::values::operation;

/// A change at a place.
#[derive(Clone, Debug)]
pub(crate) enum Change {
    /// Another term of the same sort, and a constant it needs that is not declared yet.
    Put(Term, Option<(Symbol, Sort)>),
    /// The argument goes; the operator around it takes fewer.
    Drop,
}

/// Places with the changes that may be made there; the places do not lie in each other.
pub(crate) type Slots = Vec<(Occurrence, Vec<Change>)>;

/// Applies changes at places that do not lie in each other; `None` when an operator would have too few arguments.
pub(crate) fn apply(
    arena: &mut Arena,
    script: &Script,
    places: &Occurrences,
    changes: &[(Occurrence, &Change)],
) -> Option<Script> {
    let mut script = script.clone();
    let mut declarations: Vec<(u32, Symbol, Sort)> = Vec::new();
    let mut roots = Vec::new();
    // The children of terms around changed places.
    let mut pending: BTreeMap<Occurrence, Vec<Option<Term>>> = BTreeMap::new();
    let mut ready: BTreeMap<Occurrence, Option<Term>> = BTreeMap::new();
    for (place, change) in changes {
        match change {
            Change::Put(term, fresh) => {
                if let Some((name, sort)) = fresh {
                    declarations.push((places.root(*place).command, *name, *sort));
                }
                ready.insert(*place, Some(*term));
            }
            Change::Drop => {
                ready.insert(*place, None);
            }
        }
    }
    // Places inside a term come after it: from the last to the first, all places inside are done before it.
    loop {
        let next_ready = ready.last_key_value().map(|(o, _)| *o);
        let next_pending = pending.last_key_value().map(|(o, _)| *o);
        let (place, new) = match (next_ready, next_pending) {
            (None, None) => break,
            (Some(r), p) if p.is_none_or(|p| r > p) => ready.pop_last()?,
            _ => {
                let (place, children) = pending.pop_last()?;
                (place, Some(rebuild(arena, places.term(place), &children)?))
            }
        };
        match places.parent(place) {
            Some((around, child)) => {
                let children = || arena.children(places.term(around)).iter().map(|t| Some(*t)).collect();
                pending.entry(around).or_insert_with(children)[child] = new;
            }
            None => roots.push((places.root(place), new?)),
        }
    }
    for (root, term) in roots {
        script.set_root(root, term)?;
    }
    declare(&mut script, declarations);
    Some(script)
}

/// Puts declarations before the commands that need them.
fn declare(script: &mut Script, mut declarations: Vec<(u32, Symbol, Sort)>) {
    if declarations.is_empty() {
        return;
    }
    declarations.sort_unstable();
    for (at, name, sort) in declarations.into_iter().rev() {
        script.commands.insert(at as usize, Command::DeclareConst(name, sort));
    }
    script.comments.clear();
}

/// A term over other children, or over fewer.
fn rebuild(arena: &mut Arena, term: Term, children: &[Option<Term>]) -> Option<Term> {
    let kept: Vec<Term> = children.iter().flatten().copied().collect();
    if kept.len() == children.len() {
        return Some(arena.with_children(term, &kept));
    }
    fewer(arena, term, &kept)
}

/// An operator over fewer arguments, at the same sort; a single argument stands for itself.
pub(crate) fn fewer(arena: &mut Arena, term: Term, kept: &[Term]) -> Option<Term> {
    let View::App(fun, all) = arena.view(term) else { return None };
    let f = arena.fun_view(fun);
    let (name, sort) = (f.name, arena.sort_of(term));
    let row = arena.signatures().row(f.op?);
    let (least, all) = (row.args.len().max(2), all.len());
    if !f.indices.is_empty() || kept.len() >= all {
        return None;
    }
    if let [one] = kept {
        return (arena.sort_of(*one) == sort).then_some(*one);
    }
    if kept.len() < least {
        return None;
    }
    operation(arena, name, kept, sort)
}
