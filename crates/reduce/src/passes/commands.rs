//! Whole commands: assertions, questions, options, what nothing uses.

use smelt_smtlib::script::{Command, Script};
use smelt_smtlib::{Arena, Literal, Sort, View, sym};

use crate::error::Error;
use crate::garbage;
use crate::propose::{Each, Edit, Subsets};
use crate::search::Search;
use crate::substitute::transform_script;

/// Commands that tell and do nothing.
fn is_chaff(command: &Command) -> bool {
    matches!(
        command,
        Command::SetInfo(_)
            | Command::Echo(_)
            | Command::GetInfo(_)
            | Command::GetOption(_)
            | Command::GetValue(_)
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

/// Drops comments and what only tells, the logic, and declarations that nothing uses, as much as possible at once.
pub(super) fn chaff(search: &mut Search<'_>) -> Result<bool, Error> {
    let plan = |_: &mut Arena, _: &Script| -> Vec<Edit> {
        let without = |drop: fn(&Command) -> bool| -> Edit {
            Box::new(move |arena, script| {
                let mut script = without(arena, script, |_, c| drop(c));
                garbage::collect(arena, &mut script);
                Some(script)
            })
        };
        vec![
            without(|c| is_chaff(c) || matches!(c, Command::SetLogic(_) | Command::SetOption(_))),
            without(|c| is_chaff(c) || matches!(c, Command::SetLogic(_))),
            without(is_chaff),
            Box::new(|arena, script| Some(without_comments(arena, script))),
        ]
    };
    let changed = search.explore(&mut Each::new(plan))?;
    // Declarations that nothing uses hardly ever matter; once that is seen, it is not asked again.
    if !search.tidy {
        let mut bare = search.script.clone();
        garbage::collect(&search.arena, &mut bare);
        search.tidy = bare == search.script;
    }
    Ok(changed)
}

fn without_comments(_: &mut Arena, script: &Script) -> Script {
    Script { commands: script.commands.clone(), comments: Vec::new() }
}

/// The script without some commands. Where the logic says that numerals are reals and goes, they are written so.
fn without(arena: &mut Arena, script: &Script, drop: impl Fn(usize, &Command) -> bool) -> Script {
    let mut commands = Vec::with_capacity(script.commands.len());
    let mut logic = false;
    for (i, command) in script.commands.iter().enumerate() {
        if drop(i, command) {
            logic |= matches!(command, Command::SetLogic(_));
        } else {
            commands.push(command.clone());
        }
    }
    let script = Script { commands, comments: Vec::new() };
    if logic { with_decimals(arena, &script) } else { script }
}

/// Numerals of sort `Real` as decimals.
fn with_decimals(arena: &mut Arena, script: &Script) -> Script {
    transform_script(arena, script, &mut |arena, term| {
        let View::Literal(Literal::Numeral, text) = arena.view(term) else { return None };
        if arena.sort_of(term) != Sort::REAL {
            return None;
        }
        let text = [arena.text(text), b".0"].concat();
        let text = arena.symbol(&text);
        Some(arena.literal(Literal::Decimal, text, Sort::REAL))
    })
}

/// Commands that can go on their own: the stack and what is declared and used stay.
fn removable(command: &Command) -> bool {
    let stays = matches!(
        command,
        Command::Push(_) | Command::Pop(_) | Command::Plain(sym::RESET | sym::RESET_ASSERTIONS)
    );
    !stays && garbage::declares(command).is_none()
}

/// Removes as many commands as possible.
pub(super) fn subsets(search: &mut Search<'_>) -> Result<bool, Error> {
    let script = search.script.clone();
    let unused = garbage::unused(&search.arena, &script);
    let units: Vec<usize> = (0..script.commands.len())
        .filter(|i| removable(&script.commands[*i]) || unused.contains(i))
        .collect();
    let mut subsets = Subsets::new(vec![1; units.len()], |arena: &mut Arena, chosen: &[(usize, usize)]| {
        let mut gone = vec![false; script.commands.len()];
        chosen.iter().for_each(|(slot, _)| gone[units[*slot]] = true);
        Some(without(arena, &script, |i, _| gone[i]))
    });
    search.explore(&mut subsets)
}
