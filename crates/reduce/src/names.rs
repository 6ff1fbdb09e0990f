//! Finds the names that a script declares or binds, and short names that it does not use.

use std::collections::HashSet;

use smelt_smtlib::rename::{bound_names, declared_names};
use smelt_smtlib::script::{Command, Script};
use smelt_smtlib::{Arena, Symbol, View};

use crate::substitute::all_terms;

/// Names with this prefix are never changed or given to anything else: they carry meaning for the caller.
pub(crate) const RESERVED: &str = "smelt.";

/// Every name that a script declares or binds, each once, in order.
pub(crate) fn own_names(arena: &Arena, script: &Script) -> Vec<Symbol> {
    let mut names = declared_names(arena, script);
    names.extend(bound_names(arena, script));
    let mut seen = HashSet::new();
    names.retain(|n| seen.insert(*n));
    names
}

/// Gives out short names that a script does not use.
pub(crate) struct Fresh {
    taken: HashSet<Symbol>,
    next: usize,
}

impl Fresh {
    /// Names that differ from all names of a script.
    pub(crate) fn beside(arena: &Arena, script: &Script) -> Fresh {
        let mut fresh = Fresh::anew(arena, script);
        fresh.taken.extend(own_names(arena, script));
        fresh
    }

    /// Names for a script whose own names are all replaced: only names that are not its own are taken.
    pub(crate) fn anew(arena: &Arena, script: &Script) -> Fresh {
        let own: HashSet<Symbol> = own_names(arena, script).into_iter().collect();
        let mut taken = HashSet::new();
        for term in all_terms(arena, script) {
            if let View::App(fun, _) = arena.view(term) {
                taken.insert(arena.fun_view(fun).name);
            }
        }
        // Commands kept as text may mention anything.
        for command in &script.commands {
            if let Command::Other(_, text) | Command::Malformed(text) = command {
                let words = arena.text(*text).split(|b| b"() \t\r\n|".contains(b));
                taken.extend(words.filter_map(|w| arena.find_symbol(w)));
            }
        }
        taken.retain(|name| !own.contains(name));
        Fresh { taken, next: 0 }
    }

    /// The next name.
    pub(crate) fn name(&mut self, arena: &mut Arena) -> Symbol {
        const LETTERS: &[u8] = b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
        loop {
            let mut text = vec![LETTERS[self.next % LETTERS.len()]];
            let mut rest = self.next / LETTERS.len();
            while rest > 0 {
                text.push(LETTERS[(rest - 1) % LETTERS.len()]);
                rest = (rest - 1) / LETTERS.len();
            }
            self.next += 1;
            let name = arena.symbol(&text);
            let table = arena.signatures();
            let known = table.named(name).next().is_some() || table.sorts().iter().any(|s| s.name == name);
            if !known && !name.is_reserved() && self.taken.insert(name) {
                return name;
            }
        }
    }
}
