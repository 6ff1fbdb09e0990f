//! Definitions: inlined where they are used, or turned into declarations.

use smelt_smtlib::script::{Command, Script};
use smelt_smtlib::{Arena, Sort, Symbol, Term};

use crate::edit::{Edit, call, edit, rewritten, uncommented};
use crate::garbage::is_declared_once;
use crate::substitute::{all_terms, substitute_all};

/// Definitions become declarations.
pub(super) fn declared(_: &mut Arena, script: &Script) -> Vec<Edit> {
    let all = (0..script.commands.len()).filter(|i| definition(&script.commands[*i]).is_some());
    all.map(|i| edit(move |_, script| declare(script, i))).collect()
}

/// Definitions are inlined.
pub(super) fn inlined(_: &mut Arena, script: &Script) -> Vec<Edit> {
    let plain = |i: &usize| matches!(script.commands[*i], Command::DefineFun(..) | Command::DefineConst(..));
    let all = (0..script.commands.len()).filter(plain);
    all.map(|i| edit(move |arena, script| inline(arena, script, i))).collect()
}

/// The single definition that a command is.
fn definition(command: &Command) -> Option<(Symbol, Vec<(Symbol, Sort)>, Sort, Term)> {
    if let Command::DefineConst(name, sort, body) = command {
        return Some((*name, Vec::new(), *sort, *body));
    }
    let mut all = command.definitions();
    let (h, body) = all.next()?;
    all.next().is_none().then(|| (h.name, h.params.to_vec(), h.result, body))
}

fn declare(script: &Script, at: usize) -> Option<Script> {
    let (name, params, result, _) = definition(&script.commands[at])?;
    let mut script = uncommented(script);
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
    if !is_declared_once(script, name) {
        return None;
    }
    let mut rest = uncommented(script);
    rest.commands.remove(at);
    let mut failed = false;
    let script = rewritten(arena, &rest, |arena, term| {
        let (_, args) = call(arena, term, name)?;
        let new = instantiate(arena, &params, body, &args);
        failed |= new.is_none();
        new
    });
    let left = all_terms(arena, &script).iter().any(|t| call(arena, *t, name).is_some());
    (!failed && !left).then_some(script)
}

/// A body with its parameters replaced by arguments.
fn instantiate(arena: &mut Arena, params: &[(Symbol, Sort)], body: Term, args: &[Term]) -> Option<Term> {
    let fits = |(p, a): (&(Symbol, Sort), &Term)| arena.canonical(p.1) == arena.sort_of(*a);
    if params.len() != args.len() || !params.iter().zip(args).all(fits) {
        return None;
    }
    let bindings: Vec<(Symbol, Term)> = params.iter().zip(args).map(|(p, a)| (p.0, *a)).collect();
    substitute_all(arena, &bindings, body)
}
