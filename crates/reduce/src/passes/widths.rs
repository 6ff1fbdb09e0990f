//! Sorts: narrower bit-vectors, smaller floats, a built-in sort for a declared one.

use std::collections::BTreeSet;

use smelt_smtlib::script::{Command, Script};
use smelt_smtlib::{Arena, Sort, Symbol, sym};

use crate::edit::{Edit, edit};
use crate::retype::Retype;
use crate::substitute::all_terms;

/// Every sort of terms in the script, with the sorts they are built from.
fn sorts(arena: &Arena, script: &Script) -> BTreeSet<Sort> {
    let mut work: Vec<Sort> = all_terms(arena, script).iter().map(|t| arena.sort_of(*t)).collect();
    let mut all = BTreeSet::new();
    while let Some(sort) = work.pop() {
        if all.insert(sort) {
            work.extend(arena.sort_view(sort).args);
        }
    }
    all
}

fn retyped(change: impl Fn(&mut Arena, Sort) -> Option<Sort> + 'static) -> Edit {
    edit(move |arena, script| Retype::new(&change).script(arena, script))
}

/// All widths by a factor, or one width at a time.
pub(super) fn narrower(arena: &mut Arena, script: &Script) -> Vec<Edit> {
    let all = sorts(arena, script);
    let widths: BTreeSet<u32> = all.iter().filter_map(|s| arena.bitvec_width(*s)).collect();
    let mut edits = Vec::new();
    let largest = widths.last().copied().unwrap_or(0);
    if widths.len() > 1 {
        let mut factor = largest.next_power_of_two();
        while factor > 1 {
            edits.push(retyped(move |arena, sort| {
                let width = arena.bitvec_width(sort)?;
                Some(arena.bitvec(width.div_ceil(factor)))
            }));
            factor /= 2;
        }
    }
    for &width in widths.iter().rev().filter(|w| **w > 1) {
        let halves = std::iter::successors(Some(width / 2), |w| (*w > 8).then_some(w / 2));
        let small = [1, 2, 3, 4].into_iter().filter(|w| *w < width);
        let mut targets: Vec<u32> = small.chain(halves).filter(|w| *w > 0).chain([width - 1]).collect();
        targets.sort_unstable();
        targets.dedup();
        for target in targets {
            edits.push(retyped(move |arena, sort| {
                (arena.bitvec_width(sort)? == width).then(|| arena.bitvec(target))
            }));
        }
    }
    edits
}

/// Formats with a name of their own.
const NAMED: [(Symbol, (u32, u32)); 3] =
    [(sym::FLOAT16, (5, 11)), (sym::FLOAT32, (8, 24)), (sym::FLOAT64, (11, 53))];

/// Smaller float formats, shorter names for them, and sorts written out where that is shorter.
pub(super) fn floats(arena: &mut Arena, script: &Script) -> Vec<Edit> {
    let all = sorts(arena, script);
    let formats: BTreeSet<(u32, u32)> = all.iter().filter_map(|s| arena.float_format(*s)).collect();
    let mut edits = Vec::new();
    for &format in formats.iter().rev() {
        let mut targets = vec![(5, 11), (8, 24), (2, 3), (3, 5)];
        targets.retain(|target| target.0 <= format.0 && target.1 <= format.1);
        for target in targets.into_iter().chain([format]) {
            edits.push(retyped(move |arena, sort| {
                (arena.float_format(sort)? == format).then(|| named_float(arena, target))
            }));
        }
    }
    if script.commands.iter().any(|c| matches!(c, Command::DefineSort(_, params, _) if params.is_empty())) {
        // A sort that is taken for another loses its name.
        let expand = retyped(|arena, sort| {
            let changes = arena.bitvec_width(sort).is_some() || arena.float_format(sort).is_some();
            changes.then_some(sort)
        });
        edits.push(expand);
    }
    edits
}

fn named_float(arena: &mut Arena, format: (u32, u32)) -> Sort {
    let sort = arena.float(format.0, format.1);
    match NAMED.iter().find(|n| n.1 == format) {
        Some((name, _)) => arena.alias_sort(*name, &[], sort),
        None => sort,
    }
}

/// `Bool` or `Int` for a declared sort.
pub(super) fn built_in(_: &mut Arena, script: &Script) -> Vec<Edit> {
    let declared: Vec<Symbol> = script
        .commands
        .iter()
        .filter_map(|c| if let Command::DeclareSort(name, 0) = c { Some(*name) } else { None })
        .collect();
    let mut edits = Vec::new();
    for name in declared {
        for target in [Sort::INT, Sort::BOOL] {
            let change = retyped(move |arena, sort| {
                let v = arena.sort_view(sort);
                (v.head == name && v.args.is_empty() && v.indices.is_empty()).then_some(target)
            });
            edits.push(edit(move |arena, script| {
                let mut script = change(arena, script)?;
                script.commands.retain(|c| !matches!(c, Command::DeclareSort(n, 0) if *n == name));
                Some(script)
            }));
        }
    }
    edits
}
