//! Declared functions: fewer parameters.

use smelt_smtlib::script::{Command, Header, Script};
use smelt_smtlib::{Arena, Sort, Symbol};

use crate::edit::{Edit, call, edit, rewritten, uncommented};
use crate::garbage::is_declared_once;
use crate::names::RESERVED;
use crate::substitute::variables;

pub(super) fn plan(arena: &mut Arena, script: &Script) -> Vec<Edit> {
    let mut edits = Vec::new();
    for (at, command) in script.commands.iter().enumerate() {
        let params = match command {
            Command::DeclareFun(name, ..) if arena.text(*name).starts_with(RESERVED.as_bytes()) => 0,
            Command::DeclareFun(_, args, _) => args.len(),
            Command::DefineFun(h, _) | Command::DefineFunRec(h, _) => h.params.len(),
            _ => 0,
        };
        if params > 1 {
            edits.push(edit(move |arena, script| without(arena, script, at, &|_| false)));
        }
        for gone in 0..params {
            edits.push(edit(move |arena, script| without(arena, script, at, &|i| i != gone)));
        }
    }
    edits
}

/// A function with some of its parameters, everywhere.
fn without(arena: &mut Arena, script: &Script, at: usize, kept: &dyn Fn(usize) -> bool) -> Option<Script> {
    let mut script = uncommented(script);
    let (name, count) = match &mut script.commands[at] {
        Command::DeclareFun(name, args, result) => {
            let (name, count, result) = (*name, args.len(), *result);
            let args: Vec<Sort> = filtered(args, kept);
            script.commands[at] = match args[..] {
                [] => Command::DeclareConst(name, result),
                _ => Command::DeclareFun(name, args.into(), result),
            };
            (name, count)
        }
        Command::DefineFun(h, body) | Command::DefineFunRec(h, body) => {
            let used = variables(arena, *body);
            let lost = |i: usize| !kept(i) && used.contains(&h.params[i].0);
            if (0..h.params.len()).any(lost) {
                return None;
            }
            let count = h.params.len();
            let params: Vec<(Symbol, Sort)> = filtered(&h.params, kept);
            **h = Header { name: h.name, params: params.into(), result: h.result };
            (h.name, count)
        }
        _ => return None,
    };
    // A name that is overloaded, or used as a value, cannot lose a parameter.
    if !is_declared_once(&script, name) {
        return None;
    }
    let mut other = false;
    let script = rewritten(arena, &script, |arena, term| {
        let (fun, args) = call(arena, term, name)?;
        if args.len() != count {
            other = true;
            return None;
        }
        let args = filtered(&args, kept);
        let sort = arena.sort_of(term);
        Some(arena.app(fun, &args, sort))
    });
    (!other).then_some(script)
}

fn filtered<T: Copy>(all: &[T], kept: &dyn Fn(usize) -> bool) -> Vec<T> {
    all.iter().enumerate().filter(|(i, _)| kept(*i)).map(|(_, t)| *t).collect()
}
