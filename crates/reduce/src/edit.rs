//! Edits of a whole script, which the passes propose, and the kinds of edits that several passes share.

use smelt_smtlib::rewrite::rewrite;
use smelt_smtlib::{Arena, Command, Fun, Script, Symbol, Term, View};

use crate::substitute::{Target, substitute_script};

/// An edit of a whole script; `None` when there is nothing to do.
pub(crate) type Edit = Box<dyn Fn(&mut Arena, &Script) -> Option<Script>>;

/// A function as an edit.
pub(crate) fn edit(change: impl Fn(&mut Arena, &Script) -> Option<Script> + 'static) -> Edit {
    Box::new(change)
}

/// `new` for every occurrence of the closed term `old`.
pub(crate) fn everywhere(old: Term, new: Term) -> Edit {
    edit(move |arena, script| substitute_script(arena, script, Target::Term(old), new))
}

/// A rewrite at every term, or at one of them.
pub(crate) fn rewriting(
    at: Option<Term>,
    change: impl Fn(&mut Arena, Term) -> Option<Term> + 'static,
) -> Edit {
    edit(move |arena, script| {
        Some(rewritten(arena, script, |arena, t| {
            if at.is_none_or(|target| t == target) { change(arena, t) } else { None }
        }))
    })
}

/// A script whose terms are rewritten from the leaves up. `change` gets terms whose children are done; its result must
/// have the sort of its argument, and only free variables of it.
pub(crate) fn rewritten(
    arena: &mut Arena,
    script: &Script,
    mut change: impl FnMut(&mut Arena, Term) -> Option<Term>,
) -> Script {
    let mut script = script.clone();
    rewrite(arena, &mut script, |arena, term| change(arena, term).unwrap_or(term));
    script
}

/// The head and the arguments of a term, if it applies the declared function of this name.
pub(crate) fn call(arena: &Arena, term: Term, name: Symbol) -> Option<(Fun, Vec<Term>)> {
    match arena.view(term) {
        View::App(fun, args) => {
            let f = arena.fun_view(fun);
            (f.op.is_none() && f.name == name).then(|| (fun, args.to_vec()))
        }
        _ => None,
    }
}

/// A script with some of the commands, without comments.
pub(crate) fn with_commands(script: &Script, kept: impl Fn(usize, &Command) -> bool) -> Script {
    let commands = script.commands.iter().enumerate().filter(|(i, c)| kept(*i, c)).map(|(_, c)| c.clone());
    Script { commands: commands.collect(), comments: Vec::new() }
}

/// A copy to change the commands of: without comments, which belong to positions.
pub(crate) fn uncommented(script: &Script) -> Script {
    Script { commands: script.commands.clone(), comments: Vec::new() }
}
