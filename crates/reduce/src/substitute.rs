//! Puts terms in the place of bound variables and declared constants. Refuses where a name could be captured.

use std::collections::{HashMap, HashSet};

use smelt_smtlib::script::{Command, Script};
use smelt_smtlib::{Arena, Symbol, Term, View};

/// The names of all variables in a term, bound in it or not.
pub(crate) fn variables(arena: &Arena, term: Term) -> HashSet<Symbol> {
    let var = |t| if let View::Var(name) = arena.view(t) { Some(name) } else { None };
    arena.subterms(vec![term]).filter_map(var).collect()
}

/// Whether a variable is free in a term. Where finding out costs too much it is taken to be.
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

/// The names that a term's binders bind for some of its children.
pub(crate) fn bound(arena: &Arena, term: Term) -> Vec<Symbol> {
    match arena.view(term) {
        View::Let(v) => v.bindings().map(|b| b.0).collect(),
        View::Binder(v) => v.vars().map(|b| b.0).collect(),
        View::Match(v) => v.cases().flat_map(|(p, _)| p.vars().map(|b| b.0).collect::<Vec<_>>()).collect(),
        _ => Vec::new(),
    }
}

/// How many nodes a term has as a tree, up to a bound.
pub(crate) fn size(arena: &Arena, term: Term, bound: usize) -> usize {
    let mut sizes: HashMap<Term, usize> = HashMap::new();
    let mut work = vec![(term, false)];
    while let Some((t, ready)) = work.pop() {
        if sizes.contains_key(&t) {
            continue;
        }
        let children = arena.children(t);
        if ready {
            let sum = children.iter().fold(1_usize, |n, c| n.saturating_add(sizes[c]));
            sizes.insert(t, sum.min(bound));
        } else {
            work.push((t, true));
            work.extend(children.iter().map(|c| (*c, false)));
        }
    }
    sizes[&term]
}

/// What is replaced.
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
        let binds = bound(arena, t);
        let hidden = matches!(target, Target::Variable(name) if binds.contains(&name));
        if hidden {
            // Only the definitions of a `let`, and what is matched, are outside of what hides the name.
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

/// Rebuilds a term from its leaves up: what `change` gives for a node, whose children are done, stands in its place.
/// It must have the node's sort, and only free variables of the node.
pub(crate) fn transform(
    arena: &mut Arena,
    term: Term,
    change: &mut dyn FnMut(&mut Arena, Term) -> Option<Term>,
    done: &mut HashMap<Term, Term>,
) -> Term {
    let mut work = vec![(term, false)];
    while let Some((t, ready)) = work.pop() {
        if done.contains_key(&t) {
            continue;
        }
        if !ready {
            work.push((t, true));
            work.extend(arena.children(t).iter().map(|c| (*c, false)));
            continue;
        }
        let children = arena.children(t);
        let new: Vec<Term> = children.iter().map(|c| done[c]).collect();
        let same = new == children;
        let rebuilt = if same { t } else { arena.with_children(t, &new) };
        let changed = change(arena, rebuilt).unwrap_or(rebuilt);
        done.insert(t, changed);
    }
    done[&term]
}

/// The same in every term of a script.
pub(crate) fn transform_script(
    arena: &mut Arena,
    script: &Script,
    change: &mut dyn FnMut(&mut Arena, Term) -> Option<Term>,
) -> Script {
    let mut script = script.clone();
    let mut done = HashMap::new();
    for slot in script.commands.iter_mut().flat_map(Command::terms_mut) {
        *slot = transform(arena, *slot, change, &mut done);
    }
    script
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

/// Every term in a script once, those inside before those around them.
pub(crate) fn all_terms(arena: &Arena, script: &Script) -> Vec<Term> {
    let roots = script.commands.iter().flat_map(Command::terms);
    let mut terms: Vec<Term> = arena.subterms(roots).collect();
    // Ids of children are below those of parents.
    terms.sort_unstable();
    terms
}
