//! The assertion stack: levels go with what is in them, or are laid flat; assumptions become assertions, or go.

use smelt_smtlib::script::{Command, Script};
use smelt_smtlib::{Arena, sym};

use crate::error::Error;
use crate::propose::{Each, Edit};
use crate::search::Search;

pub(super) fn run(search: &mut Search<'_>) -> Result<bool, Error> {
    search.explore(&mut Each::growing(plan))
}

fn plan(_: &mut Arena, script: &Script) -> Vec<Edit> {
    let mut edits: Vec<Edit> = Vec::new();
    let is_stack = |c: &Command| {
        matches!(c, Command::Push(_) | Command::Pop(_) | Command::Plain(sym::RESET | sym::RESET_ASSERTIONS))
    };
    if script.commands.iter().any(is_stack) {
        edits.push(Box::new(move |_, script| Some(keep(script, |_, c| !is_stack(c)))));
    }
    for (push, pop) in levels(script) {
        edits.push(Box::new(move |_, script| Some(keep(script, |i, _| !(push..=pop).contains(&i)))));
    }
    for (push, pop) in levels(script) {
        edits.push(Box::new(move |_, script| Some(keep(script, |i, _| i != push && i != pop))));
    }
    // What is behind the last question, and a push that is never popped.
    for (i, command) in script.commands.iter().enumerate() {
        let alone = match command {
            Command::Push(_) => !levels(script).iter().any(|l| l.0 == i),
            Command::Pop(_) => !script.commands[i..].iter().any(asks),
            Command::Plain(sym::RESET | sym::RESET_ASSERTIONS) => true,
            _ => false,
        };
        if alone {
            edits.push(Box::new(move |_, script| Some(keep(script, |j, _| j != i))));
        }
        if let Command::CheckSatAssuming(terms) = command {
            for which in 0..=terms.len() {
                edits.push(Box::new(move |arena, script| assume(arena, script, i, which)));
            }
        }
    }
    edits
}

fn asks(command: &Command) -> bool {
    matches!(command, Command::CheckSat | Command::CheckSatAssuming(_) | Command::Other(..))
}

fn keep(script: &Script, kept: impl Fn(usize, &Command) -> bool) -> Script {
    let commands = script.commands.iter().enumerate().filter(|(i, c)| kept(*i, c)).map(|(_, c)| c.clone());
    Script { commands: commands.collect(), comments: Vec::new() }
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

/// Drops one assumption; past the last, makes all of them assertions before a plain question.
fn assume(_: &mut Arena, script: &Script, at: usize, which: usize) -> Option<Script> {
    let Command::CheckSatAssuming(terms) = &script.commands[at] else { return None };
    let mut script = Script { commands: script.commands.clone(), comments: Vec::new() };
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
