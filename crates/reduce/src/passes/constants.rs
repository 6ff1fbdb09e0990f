//! One thing everywhere: a declared constant, or a term that stands in several places, becomes something simpler.

use std::collections::HashMap;

use smelt_smtlib::script::{Command, Script};
use smelt_smtlib::{Arena, Index, Literal, Sort, Symbol, Term, View, sym};

use crate::error::Error;
use crate::names::Fresh;
use crate::propose::{Each, Edit};
use crate::search::Search;
use crate::substitute::{Target, all_terms, substitute_script, variables};
use crate::values::{is_value, literal, simplest};

/// How many other constants of its sort a constant is replaced by.
const OTHERS: usize = 3;
/// How many terms that stand in several places are looked at.
const TERMS: usize = 200;

pub(super) fn run(search: &mut Search<'_>) -> Result<bool, Error> {
    let fixed = search.explore(&mut Each::new(constants))?;
    let shared = search.explore(&mut Each::new(shared))?;
    let solved = search.explore(&mut Each::growing(equations))?;
    Ok(fixed || shared || solved)
}

/// Declared constants in order, as terms.
fn declared(arena: &mut Arena, script: &Script) -> Vec<(Symbol, Term)> {
    let of = |c: &Command| match c {
        Command::DeclareConst(name, sort) => Some((*name, *sort)),
        Command::DeclareFun(name, args, sort) if args.is_empty() => Some((*name, *sort)),
        _ => None,
    };
    let pairs: Vec<_> = script.commands.iter().filter_map(of).collect();
    pairs
        .into_iter()
        .map(|(name, sort)| {
            let fun = arena.fun(name, None, &[], None);
            let sort = arena.canonical(sort);
            (name, arena.app(fun, &[], sort))
        })
        .collect()
}

fn everywhere(old: Term, new: Term) -> Edit {
    Box::new(move |arena, script| substitute_script(arena, script, Target::Term(old), new))
}

/// Constants become values, or other constants.
fn constants(arena: &mut Arena, script: &Script) -> Vec<Edit> {
    let declared = declared(arena, script);
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
    if !matches!(sort, Sort::INT | Sort::REAL) {
        return None;
    }
    let (fun, sort) = arena.resolve(sym::MINUS, &[], None, Some(&[number]))?;
    Some(arena.app(fun, &[number], sort))
}

/// Values that conditions often single out: digits, and floats that are no numbers. With such a value in its place, the
/// condition can go.
fn corners(arena: &mut Arena, sort: Sort) -> Vec<Term> {
    if sort == Sort::STRING {
        return ["0", "00"].map(|text| literal(arena, Literal::String, text, sort)).to_vec();
    }
    let Some((e, s)) = arena.float_format(sort) else { return Vec::new() };
    let indices: Option<Vec<Index>> = [e, s].into_iter().map(Index::number).collect();
    let Some(indices) = indices else { return Vec::new() };
    let mut corner = |name: &str| {
        let name = arena.symbol(name.as_bytes());
        let (fun, sort) = arena.resolve(name, &indices, None, None)?;
        Some(arena.app(fun, &[], sort))
    };
    ["+oo", "-oo", "NaN"].into_iter().filter_map(&mut corner).collect()
}

/// Terms that stand in several places become a value, or a constant.
fn shared(arena: &mut Arena, script: &Script) -> Vec<Edit> {
    let terms = all_terms(arena, script);
    let mut uses: HashMap<Term, usize> = HashMap::new();
    for child in terms
        .iter()
        .flat_map(|t| arena.children(*t))
        .chain(script.commands.iter().flat_map(Command::terms).collect::<Vec<_>>().iter())
    {
        *uses.entry(*child).or_default() += 1;
    }
    let several = |t: &Term| uses.get(t).copied().unwrap_or(0) > 1 && !arena.children(*t).is_empty();
    let targets: Vec<Term> = terms.iter().rev().copied().filter(several).take(TERMS).collect();
    let declared = declared(arena, script);
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
            edits.push(Box::new(move |arena, script| fresh(arena, script, old)));
        }
    }
    edits
}

/// A new constant for a term, declared before the first command that has it.
fn fresh(arena: &mut Arena, script: &Script, old: Term) -> Option<Script> {
    let name = Fresh::beside(arena, script).name(arena);
    let sort = arena.sort_of(old);
    let fun = arena.fun(name, None, &[], None);
    let new = arena.app(fun, &[], sort);
    let mut changed = substitute_script(arena, script, Target::Term(old), new)?;
    let at = (0..script.commands.len()).find(|i| script.commands[*i] != changed.commands[*i])?;
    changed.commands.insert(at, Command::DeclareConst(name, sort));
    changed.comments.clear();
    Some(changed)
}

/// An assertion `(= x t)` of a constant: `t` for `x` everywhere else.
fn equations(arena: &mut Arena, script: &Script) -> Vec<Edit> {
    let declared: Vec<Term> = declared(arena, script).into_iter().map(|d| d.1).collect();
    let mut edits: Vec<Edit> = Vec::new();
    for (at, command) in script.commands.iter().enumerate() {
        let Command::Assert(term) = command else { continue };
        let View::App(fun, [a, b]) = arena.view(*term) else { continue };
        if arena.fun_view(fun).name != sym::EQUAL || arena.fun_view(fun).op.is_none() {
            continue;
        }
        for (old, new) in [(*a, *b), (*b, *a)] {
            let inside =
                || all_terms(arena, &Script { commands: vec![Command::Assert(new)], comments: Vec::new() });
            if !declared.contains(&old) || inside().contains(&old) {
                continue;
            }
            edits.push(Box::new(move |arena, script| {
                let mut rest = script.clone();
                rest.commands.remove(at);
                rest.comments.clear();
                substitute_script(arena, &rest, Target::Term(old), new)
            }));
        }
    }
    edits
}
