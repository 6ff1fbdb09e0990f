//! Short names for everything, and the shorter of two spellings of a declaration.

use smelt_smtlib::rename::Renaming;
use smelt_smtlib::script::{Command, Script};
use smelt_smtlib::{Arena, Symbol};

use crate::error::Error;
use crate::names::{Fresh, RESERVED, own_names};
use crate::propose::{Each, Edit};
use crate::search::Search;

pub(super) fn short(search: &mut Search<'_>) -> Result<bool, Error> {
    search.explore(&mut Each::new(|_: &mut Arena, _: &Script| {
        let edits: Vec<Edit> = vec![
            Box::new(|arena, script| Some(renamed(arena, &constants(script)))),
            Box::new(|arena, script| Some(renamed(arena, script))),
            Box::new(|_, script| Some(constants(script))),
        ];
        edits
    }))
}

/// `declare-const` where `declare-fun` has no parameters.
fn constants(script: &Script) -> Script {
    let commands = script.commands.iter().map(|c| match c {
        Command::DeclareFun(name, args, sort) if args.is_empty() => Command::DeclareConst(*name, *sort),
        other => other.clone(),
    });
    Script { commands: commands.collect(), comments: script.comments.clone() }
}

/// Every name of the script's own becomes a short one, in the order they appear.
fn renamed(arena: &mut Arena, script: &Script) -> Script {
    // What is not understood may mention any name.
    if script.commands.iter().any(|c| matches!(c, Command::Malformed(_))) {
        return script.clone();
    }
    let mut renaming = Renaming::of_everything();
    let mut fresh = Fresh::anew(arena, script);
    let own: Vec<Symbol> = own_names(arena, script);
    for old in own {
        let text = arena.text(old);
        if text.starts_with(RESERVED.as_bytes()) || text.starts_with(b"is-") || text.starts_with(b"@") {
            continue;
        }
        let new = fresh.name(arena);
        renaming.rename(arena, old, new);
    }
    renaming.script(arena, script)
}
