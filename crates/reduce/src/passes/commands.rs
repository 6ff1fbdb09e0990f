//! Whole commands: assertions, checks, options, unused declarations.

use smelt_smtlib::rewrite::{decimal, rewrite};
use smelt_smtlib::script::{Command, Script};
use smelt_smtlib::{Arena, sym};

use crate::edit::{Edit, edit, uncommented, with_commands};
use crate::error::Error;
use crate::garbage;
use crate::propose::Subsets;
use crate::search::{Length, Search};

/// Whether a command only prints or describes something.
fn is_chaff(command: &Command) -> bool {
    matches!(
        command,
        Command::SetInfo(_)
            | Command::Echo(_)
            | Command::GetInfo(_)
            | Command::GetOption(_)
            | Command::GetValue(_)
            | Command::Simplify(_)
            | Command::Plain(
                sym::EXIT
                    | sym::GET_MODEL
                    | sym::GET_PROOF
                    | sym::GET_ASSERTIONS
                    | sym::GET_ASSIGNMENT
                    | sym::GET_UNSAT_CORE
                    | sym::GET_UNSAT_ASSUMPTIONS
            )
    )
}

/// Drops comments, commands that only print or describe, the logic, and unused declarations: most at once first.
pub(super) fn chaff(_: &mut Arena, _: &Script) -> Vec<Edit> {
    let dropping = |drop: fn(&Command) -> bool| {
        edit(move |arena, script| {
            let mut script = without(arena, script, |_, c| drop(c));
            garbage::collect(arena, &mut script);
            Some(script)
        })
    };
    vec![
        dropping(|c| is_chaff(c) || matches!(c, Command::SetLogic(_) | Command::SetOption(_))),
        dropping(|c| is_chaff(c) || matches!(c, Command::SetLogic(_))),
        dropping(is_chaff),
        edit(|_, script| Some(uncommented(script))),
    ]
}

/// Notes whether unused declarations could go. They hardly ever matter, so from then on they go without a check.
pub(super) fn tidy(search: &mut Search<'_>) -> Result<bool, Error> {
    search.tidy = search.tidy || garbage::unused(&search.arena, &search.script).is_empty();
    Ok(false)
}

/// The script without some commands. If the logic goes, numerals that it made reals are written as decimals.
fn without(arena: &mut Arena, script: &Script, drop: impl Fn(usize, &Command) -> bool) -> Script {
    let logics = |s: &Script| s.commands.iter().filter(|c| matches!(c, Command::SetLogic(_))).count();
    let mut rest = with_commands(script, |i, c| !drop(i, c));
    // Without the logic, a numeral that means a real would be an integer.
    if logics(&rest) < logics(script) {
        rewrite(arena, &mut rest, decimal);
    }
    rest
}

/// Whether a command can be removed alone: not commands of the stack, and not declarations.
fn removable(command: &Command) -> bool {
    let stays = matches!(
        command,
        Command::Push(_) | Command::Pop(_) | Command::Plain(sym::RESET | sym::RESET_ASSERTIONS)
    );
    !stays && command.declared().is_empty()
}

/// Removes as many commands as possible.
pub(super) fn subsets(search: &mut Search<'_>) -> Result<bool, Error> {
    let script = search.script.clone();
    let unused = garbage::unused(&search.arena, &script);
    let units: Vec<usize> = (0..script.commands.len())
        .filter(|i| removable(&script.commands[*i]) || unused.contains(i))
        .collect();
    let counts = vec![1; units.len()];
    let mut subsets = Subsets::new(counts, Length::Better, |arena: &mut Arena, chosen: &[(usize, usize)]| {
        let mut gone = vec![false; script.commands.len()];
        chosen.iter().for_each(|(slot, _)| gone[units[*slot]] = true);
        Some(without(arena, &script, |i, _| gone[i]))
    });
    search.explore(&mut subsets)
}
