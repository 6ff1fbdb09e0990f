//! The script's own functions as operators: which one can replace another.

use std::collections::HashSet;

use smelt_smtlib::rename::bound_names;
use smelt_smtlib::{Arena, Declaration, IndexView, Role, Sort, Symbol, Term, View, sym};

use super::Key;
use crate::generative::{NOWHERE, declared_at};
use crate::pool::Seed;

/// The functions, constructors, selectors and testers of a seed.
pub(super) struct Functions<'a> {
    pub(super) seed: &'a Seed,
    declared: std::collections::HashMap<Symbol, u32>,
    /// Names that are also bound somewhere: a binder might capture them.
    bound: HashSet<Symbol>,
}

impl<'a> Functions<'a> {
    pub(super) fn new(arena: &Arena, seed: &'a Seed) -> Functions<'a> {
        let bound = bound_names(arena, &seed.script).into_iter().collect();
        Functions { seed, declared: declared_at(seed), bound }
    }

    /// What decides which functions may stand at a term in this command; `None` where none may. Constants are no
    /// operators, constructors without arguments are.
    pub(super) fn key(&self, arena: &Arena, command: u32, term: Term) -> Option<Key> {
        let View::App(fun, args) = arena.view(term) else { return None };
        let f = arena.fun_view(fun);
        if f.op.is_some() || f.ascribed.is_some() {
            return None;
        }
        let sorts = args.iter().map(|a| arena.sort_of(*a).index() as u32);
        let words = match (f.name, f.indices) {
            (sym::IS, [index]) => match index.view() {
                IndexView::Text(constructor) => vec![command, constructor.index() as u32],
                IndexView::Number(_) => return None,
            },
            (_, []) => [command, arena.sort_of(term).index() as u32].into_iter().chain(sorts).collect(),
            _ => return None,
        };
        Some((f.name, None, words))
    }

    /// The heads that may replace the head of a term.
    pub(super) fn heads(&self, arena: &Arena, command: u32, term: Term) -> Vec<Box<[u8]>> {
        let View::App(fun, args) = arena.view(term) else { return Vec::new() };
        let f = arena.fun_view(fun);
        let sorts: Vec<Sort> = args.iter().map(|a| arena.canonical(arena.sort_of(*a))).collect();
        let result = arena.canonical(arena.sort_of(term));
        let declarations = || self.seed.scope.declarations().filter(|d| self.is_usable(d, command));
        if f.name == sym::IS {
            let of_datatype =
                |d: &&Declaration| d.role == Role::Constructor && Some(&d.result) == sorts.first();
            let tester = |d: &Declaration| {
                let mut text = b"(_ is ".to_vec();
                smelt_smtlib::Printer::new(arena, &mut text).symbol(d.name);
                text.push(b')');
                text.into()
            };
            return declarations().filter(of_datatype).map(tester).collect();
        }
        let own = self.seed.scope.declared(f.name).map(|d| d.role).next();
        let Some(own) = own.filter(|role| !args.is_empty() || *role == Role::Constructor) else {
            return Vec::new();
        };
        // A tester without brackets reads like a function.
        let fits = |d: &&Declaration| {
            d.name != f.name
                && d.args[..] == sorts[..]
                && d.result == result
                && !matches!(d.role, Role::Named | Role::Tester)
                && own != Role::Tester
                && (!args.is_empty() || d.role == Role::Constructor)
        };
        declarations().filter(fits).map(|d| super::head_text(arena, d.name, &[])).collect()
    }

    /// Whether a function can be used in a command.
    pub(super) fn is_usable(&self, d: &Declaration, command: u32) -> bool {
        let declared = self.declared.get(&d.name).copied().unwrap_or(NOWHERE);
        !d.parametric && declared <= command && !self.bound.contains(&d.name)
    }
}
