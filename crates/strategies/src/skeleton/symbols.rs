//! Which terms of a seed depend on its symbols.

use std::collections::HashSet;

use smelt_smtlib::{Arena, FunView, Role, View, sym};

use crate::generative::Expressions;
use crate::pool::Seed;

/// The expressions that are constructors without arguments.
pub(super) fn constructors(arena: &Arena, seed: &Seed, expressions: &Expressions) -> HashSet<u32> {
    let is_constructor = |term| match arena.view(term) {
        View::App(fun, []) => {
            let name = arena.fun_view(fun).name;
            seed.scope.declared(name).any(|d| d.role == Role::Constructor)
        }
        _ => false,
    };
    let list = expressions.list.iter().enumerate();
    list.filter(|(_, e)| is_constructor(e.term)).map(|(i, _)| i as u32).collect()
}

/// Whether a function is a symbol of the script. `(_ bv1 32)` is a literal, and `(_ is c)` an operator.
pub(super) fn is_symbol(f: &FunView<'_>) -> bool {
    f.op.is_none() && f.indices.is_empty() && f.name != sym::IS
}

/// Whether a term's value depends on a symbol that is not an operator.
pub(super) fn is_open(arena: &Arena, term: smelt_smtlib::Term) -> bool {
    arena.subterms([term]).any(|t| match arena.view(t) {
        View::Var(_) => true,
        View::App(fun, _) => is_symbol(&arena.fun_view(fun)),
        _ => false,
    })
}
