//! Short names for everything, and the shorter of two spellings of a declaration.

use smelt_smtlib::Arena;
use smelt_smtlib::rename::Renaming;
use smelt_smtlib::script::{Command, Script};

use crate::edit::{Edit, edit};
use crate::names::{Fresh, RESERVED, own_names};

pub(super) fn plan(_: &mut Arena, _: &Script) -> Vec<Edit> {
    vec![
        edit(|arena, script| Some(renamed(arena, &constants(script)))),
        edit(|arena, script| Some(renamed(arena, script))),
        edit(|_, script| Some(constants(script))),
    ]
}

/// `declare-const` where `declare-fun` has no parameters.
fn constants(script: &Script) -> Script {
    let commands = script.commands.iter().map(|c| match c {
        Command::DeclareFun(name, args, sort) if args.is_empty() => Command::DeclareConst(*name, *sort),
        other => other.clone(),
    });
    Script { commands: commands.collect(), comments: script.comments.clone() }
}

/// Every name that the script declares or binds becomes a short one, in order of appearance.
fn renamed(arena: &mut Arena, script: &Script) -> Script {
    // A malformed command may mention any name.
    if script.commands.iter().any(|c| matches!(c, Command::Malformed(_))) {
        return script.clone();
    }
    let mut renaming = Renaming::of_everything();
    let mut fresh = Fresh::anew(arena, script);
    for old in own_names(arena, script) {
        let text = arena.text(old);
        if text.starts_with(RESERVED.as_bytes()) || text.starts_with(b"is-") || text.starts_with(b"@") {
            continue;
        }
        let new = fresh.name(arena);
        renaming.rename(arena, old, new);
    }
    renaming.script(arena, script)
}
