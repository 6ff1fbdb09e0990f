//! `let`: all of them inlined, or one by one, or bindings that nothing uses dropped. Annotations go as well.

use smelt_smtlib::{Arena, Script, Symbol, Term, View};

use crate::error::Error;
use crate::propose::{Each, Edit};
use crate::search::Search;
use crate::substitute::{Target, all_terms, mentions, size, substitute, transform_script, variables};

/// Inlining stops at terms of this many nodes.
const LARGEST: usize = 1 << 18;

/// How many are tried one by one.
const SINGLE: usize = 200;

/// Drops bindings that nothing uses.
pub(super) fn drop_unused(search: &mut Search<'_>) -> Result<bool, Error> {
    search.explore(&mut Each::new(|_: &mut Arena, _: &Script| {
        let edits: Vec<Edit> =
            vec![Box::new(|arena, script| Some(transform_script(arena, script, &mut unused)))];
        edits
    }))
}

pub(super) fn run(search: &mut Search<'_>) -> Result<bool, Error> {
    let dropped = search.explore(&mut Each::new(|_: &mut Arena, _: &Script| {
        let edits: Vec<Edit> = vec![
            Box::new(|arena, script| Some(transform_script(arena, script, &mut unused))),
            Box::new(|arena, script| Some(transform_script(arena, script, &mut bare))),
        ];
        edits
    }))?;
    let inlined = search.explore(&mut Each::growing(|arena: &mut Arena, script: &Script| {
        let mut edits: Vec<Edit> = Vec::new();
        let terms = all_terms(arena, script);
        let lets: Vec<Term> =
            terms.iter().copied().filter(|t| matches!(arena.view(*t), View::Let(_))).collect();
        if lets.len() > 1 {
            edits.push(Box::new(|arena, script| Some(transform_script(arena, script, &mut inline))));
        }
        for target in lets.into_iter().rev().take(SINGLE) {
            edits.push(Box::new(move |arena, script| {
                let mut one = |arena: &mut Arena, t: Term| if t == target { inline(arena, t) } else { None };
                Some(transform_script(arena, script, &mut one))
            }));
        }
        edits
    }))?;
    let annotations = search.explore(&mut Each::new(|arena: &mut Arena, script: &Script| {
        let annotated = |t: &Term| matches!(arena.view(*t), View::Annotated(_));
        let targets: Vec<Term> = all_terms(arena, script).into_iter().filter(annotated).collect();
        targets
            .into_iter()
            .map(|target| -> Edit {
                Box::new(move |arena, script| {
                    let mut one =
                        |arena: &mut Arena, t: Term| if t == target { bare(arena, t) } else { None };
                    Some(transform_script(arena, script, &mut one))
                })
            })
            .collect()
    }))?;
    Ok(dropped || inlined || annotations)
}

/// A `let` without the bindings that its body does not mention.
fn unused(arena: &mut Arena, term: Term) -> Option<Term> {
    let View::Let(v) = arena.view(term) else { return None };
    let (bindings, body): (Vec<(Symbol, Term)>, Term) = (v.bindings().collect(), v.body());
    let kept: Vec<_> = bindings.iter().copied().filter(|b| mentions(arena, body, b.0)).collect();
    match kept.len() {
        0 => Some(body),
        n if n < bindings.len() => Some(arena.let_term(&kept, body)),
        _ => None,
    }
}

/// The term of an annotation, unless its name may be used elsewhere.
fn bare(arena: &mut Arena, term: Term) -> Option<Term> {
    match arena.view(term) {
        View::Annotated(v) => Some(v.term()),
        _ => None,
    }
}

/// The body of a `let` with definitions in the place of variables.
fn inline(arena: &mut Arena, term: Term) -> Option<Term> {
    let View::Let(v) = arena.view(term) else { return None };
    let (bindings, mut body): (Vec<(Symbol, Term)>, Term) = (v.bindings().collect(), v.body());
    // Bindings are parallel: a definition that mentions another's name means something further out.
    let names: Vec<Symbol> = bindings.iter().map(|b| b.0).collect();
    let clash = |t: Term| variables(arena, t).iter().any(|n| names.contains(n));
    if bindings.len() > 1 && bindings.iter().any(|b| clash(b.1)) {
        return None;
    }
    for (name, definition) in bindings {
        body = substitute(arena, body, Target::Variable(name), definition)?;
        if size(arena, body, LARGEST) >= LARGEST {
            return None;
        }
    }
    Some(body)
}
