//! Quantifiers: drops unused variables, and replaces others by values or constants.

use smelt_smtlib::script::{Command, Script};
use smelt_smtlib::{Arena, Sort, Symbol, Term, View, sym};

use crate::edit::{Edit, edit, rewriting, rewritten};
use crate::names::Fresh;
use crate::substitute::{Target, all_terms, substitute, variables};
use crate::values::{constant, simplest};

fn quantifier(arena: &Arena, term: Term) -> Option<(Symbol, Vec<(Symbol, Sort)>, Term)> {
    match arena.view(term) {
        View::Binder(v) if matches!(v.name, sym::FORALL | sym::EXISTS) => {
            Some((v.name, v.vars().collect(), *v.bodies.first()?))
        }
        _ => None,
    }
}

pub(super) fn plan(arena: &mut Arena, script: &Script) -> Vec<Edit> {
    let mut edits = vec![rewriting(None, without_unused)];
    let found: Vec<(Term, usize)> = all_terms(arena, script)
        .into_iter()
        .rev()
        .filter_map(|t| Some((t, quantifier(arena, t)?.1.len())))
        .collect();
    for (target, vars) in found {
        // All variables at once, then one by one; a value first, then a constant.
        for which in (if vars > 1 { Some(None) } else { None }).into_iter().chain((0..vars).map(Some)) {
            for choice in [Choice::Value(0), Choice::Value(1), Choice::Constant] {
                edits.push(edit(move |arena, script| open(arena, script, target, which, choice)));
            }
        }
    }
    edits
}

#[derive(Clone, Copy, PartialEq)]
enum Choice {
    Value(usize),
    Constant,
}

/// A quantifier without the variables that its body does not mention.
fn without_unused(arena: &mut Arena, term: Term) -> Option<Term> {
    let (name, vars, body) = quantifier(arena, term)?;
    let used = variables(arena, body);
    let kept: Vec<_> = vars.iter().copied().filter(|v| used.contains(&v.0)).collect();
    match kept.len() {
        0 => Some(body),
        n if n < vars.len() => Some(arena.binder(name, &kept, &[body], Sort::BOOL)),
        _ => None,
    }
}

/// Takes variables out of a prefix: one of them, or all.
fn open(
    arena: &mut Arena,
    script: &Script,
    target: Term,
    which: Option<usize>,
    choice: Choice,
) -> Option<Script> {
    let (name, mut vars, mut body) = quantifier(arena, target)?;
    let taken: Vec<(Symbol, Sort)> = match which {
        Some(i) => vec![vars.remove(i)],
        None => std::mem::take(&mut vars),
    };
    let mut fresh = Fresh::beside(arena, script);
    let mut declarations = Vec::new();
    for (var, sort) in taken {
        let sort = arena.canonical(sort);
        let new = match choice {
            Choice::Value(n) => *simplest(arena, script, sort).get(n)?,
            Choice::Constant => {
                let name = fresh.name(arena);
                declarations.push(Command::DeclareConst(name, sort));
                constant(arena, name, sort)
            }
        };
        body = substitute(arena, body, Target::Variable(var), new)?;
    }
    let new = if vars.is_empty() { body } else { arena.binder(name, &vars, &[body], Sort::BOOL) };
    let mut script = rewritten(arena, script, |_, t| (t == target).then_some(new));
    let holds =
        |c: &Command| !matches!(c, Command::SetLogic(_) | Command::SetOption(_) | Command::SetInfo(_));
    if !declarations.is_empty() {
        // After the sorts that the declarations may need.
        let sorts = |c: &Command| {
            matches!(c, Command::DeclareSort(..) | Command::DefineSort(..) | Command::DeclareDatatypes(..))
        };
        let first = script.commands.iter().position(holds).unwrap_or(0);
        let at = script.commands.iter().rposition(sorts).map_or(first, |i| i + 1).max(first);
        script.commands.splice(at..at, declarations);
        script.comments.clear();
    }
    Some(script)
}
