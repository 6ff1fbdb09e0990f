//! Corner cases that the standard leaves open: a reduction must not end in one that the input does not have.

use std::collections::{BTreeSet, HashSet};

use smelt_smtlib::logic::is_nonzero_number;
use smelt_smtlib::{Arena, Command, Term, parse_script};

/// The partial operators of a script that may be applied where the standard leaves the result open.
pub(super) fn open_operators(script: &[u8]) -> BTreeSet<String> {
    let mut arena = Arena::new();
    let Ok(parsed) = parse_script(&mut arena, script) else { return BTreeSet::new() };
    let mut open = BTreeSet::new();
    let mut seen = HashSet::new();
    let mut work: Vec<Term> = parsed.script.commands.iter().flat_map(Command::terms).collect();
    while let Some(term) = work.pop() {
        if !seen.insert(term) {
            continue;
        }
        let children = arena.children(term);
        if let Some(row) = arena.op(term).map(|op| arena.signatures().row(op)).filter(|row| row.partial) {
            // Division by a number other than zero is defined.
            let divides = children.len() > 1 && children[1..].iter().all(|t| is_nonzero_number(&arena, *t));
            if !divides {
                open.insert(arena.name(row.name).into_owned());
            }
        }
        work.extend(children);
    }
    open
}
