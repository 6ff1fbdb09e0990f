//! The places where two scripts of the same shape differ.

use std::collections::HashMap;

use smelt_smtlib::occurrence::{Occurrence, Occurrences};
use smelt_smtlib::script::{Command, Script};
use smelt_smtlib::{Arena, Term, View};

/// The topmost places of a script where another has a different term of the same sort, with that term.
///
/// Both are in one arena, so equal terms are one. `None` when the commands do not correspond.
pub(crate) fn differences(
    arena: &Arena,
    places: &Occurrences,
    script: &Script,
    other: &Script,
) -> Option<Vec<(Occurrence, Term)>> {
    let partners = partners(script, other)?;
    let mut across: HashMap<Occurrence, Term> = HashMap::new();
    let mut found = Vec::new();
    let mut place = 0;
    while let Some(here) = places.get(place) {
        let theirs = match places.parent(here) {
            None => {
                let root = places.root(here);
                let partner = partners[root.command as usize].map(|p| &other.commands[p]);
                partner.and_then(|c| c.terms().nth(root.slot as usize))
            }
            Some((around, child)) => across.get(&around).map(|t| arena.children(*t)[child]),
        };
        let ours = places.term(here);
        place = match theirs {
            Some(theirs) if theirs != ours && alike(arena, ours, theirs) => {
                across.insert(here, theirs);
                place + 1
            }
            Some(theirs) if theirs != ours => {
                if arena.sort_of(ours) == arena.sort_of(theirs) {
                    found.push((here, theirs));
                }
                places.inside(here).end
            }
            _ => places.inside(here).end,
        };
    }
    Some(found)
}

/// Whether two terms differ at most in their children, which have the same sorts one by one.
fn alike(arena: &Arena, a: Term, b: Term) -> bool {
    let (mine, theirs) = (arena.children(a), arena.children(b));
    if mine.len() != theirs.len() || mine.is_empty() {
        return false;
    }
    let same_sorts = mine.iter().zip(theirs).all(|(x, y)| arena.sort_of(*x) == arena.sort_of(*y));
    let same_head = match (arena.view(a), arena.view(b)) {
        (View::App(f, _), View::App(g, _)) => f == g,
        (View::Let(v), View::Let(w)) => v.bindings().map(|x| x.0).eq(w.bindings().map(|x| x.0)),
        (View::Binder(v), View::Binder(w)) => v.name == w.name && v.vars().eq(w.vars()),
        (View::Annotated(v), View::Annotated(w)) => {
            mine.len() == 1 && v.attributes().map(|x| x.0).eq(w.attributes().map(|x| x.0))
        }
        (View::Apply(_), View::Apply(_)) => true,
        _ => false,
    };
    same_sorts && same_head
}

/// For each command of a script, the corresponding command of the other.
fn partners(script: &Script, other: &Script) -> Option<Vec<Option<usize>>> {
    let asserts = |s: &Script| -> Vec<usize> {
        (0..s.commands.len()).filter(|i| matches!(s.commands[*i], Command::Assert(_))).collect()
    };
    let (mine, theirs) = (asserts(script), asserts(other));
    if mine.len() != theirs.len() {
        return None;
    }
    let mut partners = vec![None; script.commands.len()];
    for (a, b) in mine.into_iter().zip(theirs) {
        partners[a] = Some(b);
    }
    // A definition corresponds to the one of the same name.
    for (i, command) in script.commands.iter().enumerate() {
        if let Command::DefineFun(h, _) | Command::DefineFunRec(h, _) = command {
            let same = |c: &Command| match c {
                Command::DefineFun(g, _) | Command::DefineFunRec(g, _) => g == h,
                _ => false,
            };
            partners[i] = other.commands.iter().position(same);
        }
    }
    Some(partners)
}
