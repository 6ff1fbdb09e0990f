//! The assertion stack: removes levels with or without their content; turns assumptions into assertions, or drops
//! them.

use smelt_smtlib::script::{Command, Script};
use smelt_smtlib::{Arena, sym};

use crate::edit::{Edit, edit, uncommented, with_commands};

pub(super) fn plan(_: &mut Arena, script: &Script) -> Vec<Edit> {
    let mut edits = Vec::new();
    let is_stack = |c: &Command| {
        matches!(c, Command::Push(_) | Command::Pop(_) | Command::Plain(sym::RESET | sym::RESET_ASSERTIONS))
    };
    if script.commands.iter().any(is_stack) {
        edits.push(edit(move |_, script| Some(with_commands(script, |_, c| !is_stack(c)))));
    }
    for (push, pop) in levels(script) {
        edits.push(edit(move |_, script| Some(with_commands(script, |i, _| !(push..=pop).contains(&i)))));
    }
    for (push, pop) in levels(script) {
        edits.push(edit(move |_, script| Some(with_commands(script, |i, _| i != push && i != pop))));
    }
    // Pops after the last check, and pushes that are never popped.
    for (i, command) in script.commands.iter().enumerate() {
        let alone = match command {
            Command::Push(_) => !levels(script).iter().any(|l| l.0 == i),
            Command::Pop(_) => !script.commands[i..].iter().any(asks),
            Command::Plain(sym::RESET | sym::RESET_ASSERTIONS) => true,
            _ => false,
        };
        if alone {
            edits.push(edit(move |_, script| Some(with_commands(script, |j, _| j != i))));
        }
        if let Command::CheckSatAssuming(terms) = command {
            for which in 0..=terms.len() {
                edits.push(edit(move |_, script| assume(script, i, which)));
            }
        }
    }
    edits
}

fn asks(command: &Command) -> bool {
    matches!(command, Command::CheckSat | Command::CheckSatAssuming(_) | Command::Other(..))
}

/// Pairs of `(push n)` and the `(pop n)` that takes back exactly that, outermost first.
fn levels(script: &Script) -> Vec<(usize, usize)> {
    let mut open: Vec<(usize, u32)> = Vec::new();
    let mut pairs = Vec::new();
    for (i, command) in script.commands.iter().enumerate() {
        match command {
            Command::Push(n) => open.push((i, *n)),
            Command::Pop(n) => match open.pop() {
                Some((push, m)) if m == *n => pairs.push((push, i)),
                _ => open.clear(),
            },
            _ => {}
        }
    }
    pairs.sort_unstable();
    pairs
}

/// Drops one assumption; past the last, makes all of them assertions before a plain `check-sat`.
fn assume(script: &Script, at: usize, which: usize) -> Option<Script> {
    let Command::CheckSatAssuming(terms) = &script.commands[at] else { return None };
    let mut script = uncommented(script);
    if which < terms.len() {
        let mut rest = terms.to_vec();
        rest.remove(which);
        script.commands[at] =
            if rest.is_empty() { Command::CheckSat } else { Command::CheckSatAssuming(rest.into()) };
    } else {
        let asserts = terms.iter().map(|t| Command::Assert(*t));
        script.commands.splice(at..=at, asserts.chain([Command::CheckSat]));
    }
    Some(script)
}
