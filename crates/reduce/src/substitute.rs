//! Replaces bound variables and declared constants by terms. Refuses if a name could be captured.

use std::collections::{HashMap, HashSet};

use smelt_smtlib::script::{Command, Script};
use smelt_smtlib::{Arena, Symbol, Term, View};

/// Every term in a script once, those inside before those around them.
pub(crate) fn all_terms(arena: &Arena, script: &Script) -> Vec<Term> {
    arena.parts_first(script.commands.iter().flat_map(Command::terms))
}

/// The names of all variables in a term, bound in it or not.
pub(crate) fn variables(arena: &Arena, term: Term) -> HashSet<Symbol> {
    let name = |t: Term| if let View::Var(name) = arena.view(t) { Some(name) } else { None };
    arena.parts_first([term]).into_iter().filter_map(name).collect()
}

/// Whether a variable is free in a term. True where finding out costs too much.
pub(crate) fn mentions(arena: &Arena, term: Term, name: Symbol) -> bool {
    const LOOK: usize = 20_000;
    let mut seen = HashSet::new();
    let mut work = vec![term];
    while let Some(t) = work.pop() {
        if !seen.insert(t) {
            continue;
        }
        if seen.len() > LOOK {
            return true;
        }
        let children = arena.children(t);
        match arena.view(t) {
            View::Var(n) if n == name => return true,
            View::Let(v) if v.bindings().any(|b| b.0 == name) => work.extend(&children[..children.len() - 1]),
            View::Binder(v) if v.vars().any(|b| b.0 == name) => {}
            _ => work.extend(children),
        }
    }
    false
}

/// The number of nodes of a term as a tree, up to a bound.
fn size(arena: &Arena, term: Term, bound: usize) -> usize {
    let mut sizes: HashMap<Term, usize> = HashMap::new();
    for t in arena.parts_first([term]) {
        let sum = arena.children(t).iter().fold(1_usize, |n, c| n.saturating_add(sizes[c]));
        sizes.insert(t, sum.min(bound));
    }
    sizes[&term]
}

/// The terms that are replaced.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Target {
    /// The free occurrences of a variable.
    Variable(Symbol),
    /// Every occurrence of a term without local variables.
    Term(Term),
}

/// `new` for every free occurrence of the target in a term; `None` if a binder would capture a variable of `new`.
pub(crate) fn substitute(arena: &mut Arena, term: Term, target: Target, new: Term) -> Option<Term> {
    let captured = variables(arena, new);
    let mut done: HashMap<Term, Term> = HashMap::new();
    let mut work = vec![(term, false)];
    while let Some((t, ready)) = work.pop() {
        if done.contains_key(&t) {
            continue;
        }
        let hit = match (target, arena.view(t)) {
            (Target::Variable(name), View::Var(n)) => n == name,
            (Target::Term(old), _) => t == old,
            _ => false,
        };
        if hit {
            done.insert(t, new);
            continue;
        }
        let children: Vec<Term> = arena.children(t).to_vec();
        let binds = arena.bound_by(t);
        let hidden = matches!(target, Target::Variable(name) if binds.contains(&name));
        if hidden {
            // Only the definitions of a `let`, and the matched term, are outside of the scope that hides the name.
            match arena.view(t) {
                View::Let(_) => {}
                View::Match(_) => return None,
                _ => {
                    done.insert(t, t);
                    continue;
                }
            }
        }
        let inside = if hidden { children.len() - 1 } else { children.len() };
        if !ready {
            work.push((t, true));
            work.extend(children[..inside].iter().map(|c| (*c, false)));
            continue;
        }
        let mut changed = children.clone();
        changed[..inside].iter_mut().for_each(|c| *c = done[c]);
        if changed == children {
            done.insert(t, t);
            continue;
        }
        if binds.iter().any(|b| captured.contains(b)) {
            return None;
        }
        let rebuilt = arena.with_children(t, &changed);
        done.insert(t, rebuilt);
    }
    Some(done[&term])
}

/// Terms for variables, all at once; `None` for a name that could be captured, and for a result that is too large.
pub(crate) fn substitute_all(arena: &mut Arena, bindings: &[(Symbol, Term)], body: Term) -> Option<Term> {
    /// The largest result, in nodes.
    const LARGEST: usize = 1 << 18;
    // One variable is replaced after the other, so no new term may mention another of them.
    let clash = |t: Term| variables(arena, t).iter().any(|n| bindings.iter().any(|b| b.0 == *n));
    if bindings.len() > 1 && bindings.iter().any(|b| clash(b.1)) {
        return None;
    }
    let mut body = body;
    for (name, new) in bindings {
        body = substitute(arena, body, Target::Variable(*name), *new)?;
        if size(arena, body, LARGEST) >= LARGEST {
            return None;
        }
    }
    Some(body)
}

/// `new` for a target in every term of a script.
pub(crate) fn substitute_script(
    arena: &mut Arena,
    script: &Script,
    target: Target,
    new: Term,
) -> Option<Script> {
    let mut script = script.clone();
    for slot in script.commands.iter_mut().flat_map(Command::terms_mut) {
        *slot = substitute(arena, *slot, target, new)?;
    }
    Some(script)
}
