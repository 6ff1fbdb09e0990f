//! Replaces one term everywhere: a declared constant, or a term that occurs in several places, by something simpler.

use std::collections::HashMap;

use smelt_smtlib::script::{Command, Script};
use smelt_smtlib::{Arena, Literal, Sort, Term, View, sym};

use crate::edit::{Edit, edit, everywhere, uncommented};
use crate::names::Fresh;
use crate::substitute::{Target, all_terms, substitute_script, variables};
use crate::values::{constant, declared_constants, float_constants, is_value, literal, operation, simplest};

/// A constant is replaced by at most this many other constants of its sort.
const OTHERS: usize = 3;
/// At most this many terms that occur in several places are replaced.
const TERMS: usize = 200;

/// Constants become values, or other constants.
pub(super) fn constants(arena: &mut Arena, script: &Script) -> Vec<Edit> {
    let declared = declared_constants(arena, &script.commands);
    let mut edits = Vec::new();
    for (i, (_, old)) in declared.iter().enumerate() {
        let sort = arena.sort_of(*old);
        let mut values = simplest(arena, script, sort);
        values.extend(values.get(1).copied().and_then(|one| negative(arena, one)));
        values.extend(corners(arena, sort));
        edits.extend(values.into_iter().map(|value| everywhere(*old, value)));
        let others = declared[..i].iter().filter(|(_, t)| arena.sort_of(*t) == sort).take(OTHERS);
        edits.extend(others.map(|(_, new)| everywhere(*old, *new)));
    }
    edits
}

/// Minus a number.
fn negative(arena: &mut Arena, number: Term) -> Option<Term> {
    let sort = arena.sort_of(number);
    matches!(sort, Sort::INT | Sort::REAL).then(|| operation(arena, sym::MINUS, &[number], sort)).flatten()
}

/// Values that conditions often single out: digits, and floats that are not numbers. With such a value in its place,
/// the condition can go.
fn corners(arena: &mut Arena, sort: Sort) -> Vec<Term> {
    if sort == Sort::STRING {
        return ["0", "00"].map(|text| literal(arena, Literal::String, text, sort)).to_vec();
    }
    float_constants(arena, &["+oo", "-oo", "NaN"], sort)
}

/// Terms that occur in several places become a value, or a constant.
pub(super) fn shared(arena: &mut Arena, script: &Script) -> Vec<Edit> {
    let terms = all_terms(arena, script);
    let mut uses: HashMap<Term, usize> = HashMap::new();
    let children = terms.iter().flat_map(|t| arena.children(*t)).copied();
    for term in children.chain(script.commands.iter().flat_map(Command::terms)) {
        *uses.entry(term).or_default() += 1;
    }
    let several = |t: &Term| uses.get(t).copied().unwrap_or(0) > 1 && !arena.children(*t).is_empty();
    let targets: Vec<Term> = terms.iter().rev().copied().filter(several).take(TERMS).collect();
    let declared = declared_constants(arena, &script.commands);
    let mut edits = Vec::new();
    for old in targets {
        let sort = arena.sort_of(old);
        if sort == Sort::UNKNOWN || !variables(arena, old).is_empty() || is_value(arena, old) {
            continue;
        }
        for value in simplest(arena, script, sort) {
            edits.push(everywhere(old, value));
        }
        let others = declared.iter().filter(|(_, t)| arena.sort_of(*t) == sort).take(1);
        edits.extend(others.map(|(_, new)| everywhere(old, *new)));
        if !arena.is_parametric(sort) {
            edits.push(edit(move |arena, script| fresh(arena, script, old)));
        }
    }
    edits
}

/// A new constant for a term, declared before the first command that has it.
fn fresh(arena: &mut Arena, script: &Script, old: Term) -> Option<Script> {
    let name = Fresh::beside(arena, script).name(arena);
    let sort = arena.sort_of(old);
    let new = constant(arena, name, sort);
    let mut changed = substitute_script(arena, script, Target::Term(old), new)?;
    let at = (0..script.commands.len()).find(|i| script.commands[*i] != changed.commands[*i])?;
    changed.commands.insert(at, Command::DeclareConst(name, sort));
    changed.comments.clear();
    Some(changed)
}

/// An assertion `(= x t)` of a constant: `t` for `x` everywhere else.
pub(super) fn equations(arena: &mut Arena, script: &Script) -> Vec<Edit> {
    let declared: Vec<Term> = declared_constants(arena, &script.commands).into_iter().map(|d| d.1).collect();
    let mut edits = Vec::new();
    for (at, command) in script.commands.iter().enumerate() {
        let Command::Assert(term) = command else { continue };
        let View::App(fun, [a, b]) = arena.view(*term) else { continue };
        if arena.fun_view(fun).name != sym::EQUAL || arena.fun_view(fun).op.is_none() {
            continue;
        }
        for (old, new) in [(*a, *b), (*b, *a)] {
            if !declared.contains(&old) || arena.parts_first([new]).contains(&old) {
                continue;
            }
            edits.push(edit(move |arena, script| {
                let mut rest = uncommented(script);
                rest.commands.remove(at);
                substitute_script(arena, &rest, Target::Term(old), new)
            }));
        }
    }
    edits
}
