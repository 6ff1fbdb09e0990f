//! Definitions: inlined where they are used, or turned into declarations.

use smelt_smtlib::script::{Command, Header, Script};
use smelt_smtlib::{Arena, Sort, Symbol, Term, View};

use crate::error::Error;
use crate::propose::{Each, Edit};
use crate::search::Search;
use crate::substitute::{Target, all_terms, size, substitute, transform_script, variables};

/// Inlining stops at terms of this many nodes.
const LARGEST: usize = 1 << 18;

pub(super) fn run(search: &mut Search<'_>) -> Result<bool, Error> {
    let opened = search.explore(&mut Each::new(|_: &mut Arena, script: &Script| {
        let edits = (0..script.commands.len()).filter(|i| definition(&script.commands[*i]).is_some());
        edits.map(|i| -> Edit { Box::new(move |_, script| declare(script, i)) }).collect()
    }))?;
    let inlined = search.explore(&mut Each::growing(|_: &mut Arena, script: &Script| {
        let plain =
            |i: &usize| matches!(script.commands[*i], Command::DefineFun(..) | Command::DefineConst(..));
        let edits = (0..script.commands.len()).filter(plain);
        edits.map(|i| -> Edit { Box::new(move |arena, script| inline(arena, script, i)) }).collect()
    }))?;
    Ok(opened || inlined)
}

/// The single definition that a command is.
fn definition(command: &Command) -> Option<(Symbol, Vec<(Symbol, Sort)>, Sort, Term)> {
    match command {
        Command::DefineFun(h, body) | Command::DefineFunRec(h, body) => {
            let Header { name, params, result } = &**h;
            Some((*name, params.to_vec(), *result, *body))
        }
        Command::DefineFunsRec(defs) => match &**defs {
            [(h, body)] => Some((h.name, h.params.to_vec(), h.result, *body)),
            _ => None,
        },
        Command::DefineConst(name, sort, body) => Some((*name, Vec::new(), *sort, *body)),
        _ => None,
    }
}

fn declare(script: &Script, at: usize) -> Option<Script> {
    let (name, params, result, _) = definition(&script.commands[at])?;
    let mut script = Script { commands: script.commands.clone(), comments: Vec::new() };
    script.commands[at] = if params.is_empty() {
        Command::DeclareConst(name, result)
    } else {
        Command::DeclareFun(name, params.iter().map(|p| p.1).collect(), result)
    };
    Some(script)
}

/// Puts the body where the function is applied, and drops the definition.
fn inline(arena: &mut Arena, script: &Script, at: usize) -> Option<Script> {
    let (name, params, _, body) = definition(&script.commands[at])?;
    // A name declared twice would need to be told apart.
    let again = |c: &Command| crate::garbage::declares(c).is_some_and(|names| names.contains(&name));
    if script.commands.iter().filter(|c| again(c)).count() != 1 {
        return None;
    }
    let mut rest = script.clone();
    rest.commands.remove(at);
    rest.comments.clear();
    let mut failed = false;
    let mut apply = |arena: &mut Arena, term: Term| {
        let args = match arena.view(term) {
            View::App(fun, args) if is_named(arena, fun, name) => args.to_vec(),
            _ => return None,
        };
        let new = instantiate(arena, &params, body, &args);
        failed |= new.is_none();
        new
    };
    let script = transform_script(arena, &rest, &mut apply);
    let left = all_terms(arena, &script).iter().any(|t| match arena.view(*t) {
        View::App(fun, _) => is_named(arena, fun, name),
        _ => false,
    });
    (!failed && !left).then_some(script)
}

fn is_named(arena: &Arena, fun: smelt_smtlib::Fun, name: Symbol) -> bool {
    let f = arena.fun_view(fun);
    f.op.is_none() && f.name == name
}

/// A body with arguments in the place of parameters.
fn instantiate(arena: &mut Arena, params: &[(Symbol, Sort)], body: Term, args: &[Term]) -> Option<Term> {
    if params.len() != args.len() {
        return None;
    }
    let names: Vec<Symbol> = params.iter().map(|p| p.0).collect();
    let clash = |t: &Term| variables(arena, *t).iter().any(|n| names.contains(n));
    if params.len() > 1 && args.iter().any(clash) {
        return None;
    }
    let mut body = body;
    for ((name, sort), arg) in params.iter().zip(args) {
        if arena.canonical(*sort) != arena.sort_of(*arg) {
            return None;
        }
        body = substitute(arena, body, Target::Variable(*name), *arg)?;
        if size(arena, body, LARGEST) >= LARGEST {
            return None;
        }
    }
    Some(body)
}
