//! Removes unused declarations and unused `:named` names.

use std::collections::HashSet;

use smelt_smtlib::script::{Command, Script};
use smelt_smtlib::{Arena, IndexView, Lexer, Sort, Symbol, Term, TokenKind, View};

use crate::substitute::all_terms;

/// Removes declarations and definitions that no other command needs.
pub(crate) fn collect(arena: &Arena, script: &mut Script) {
    let unused = unused(arena, script);
    if unused.is_empty() {
        return;
    }
    let mut position = 0;
    script.commands.retain(|_| {
        position += 1;
        !unused.contains(&(position - 1))
    });
    script.comments.clear();
}

/// Positions of declarations and definitions that no other command needs.
pub(crate) fn unused(arena: &Arena, script: &Script) -> HashSet<usize> {
    let mut uses = Uses::new(arena);
    let mut waiting = Vec::new();
    for (i, command) in script.commands.iter().enumerate() {
        let names = command.declared();
        if names.is_empty() {
            uses.command(command);
        } else {
            waiting.push((i, names));
        }
    }
    // Definitions use names declared before them, so from the last to the first a few rounds are enough.
    waiting.reverse();
    loop {
        let before = waiting.len();
        waiting.retain(|(i, names)| {
            let used = names.iter().any(|n| uses.names.contains(n));
            if used {
                uses.command(&script.commands[*i]);
            }
            !used
        });
        if waiting.len() == before {
            return waiting.into_iter().map(|(i, _)| i).collect();
        }
    }
}

/// Whether exactly one command declares a name.
pub(crate) fn is_declared_once(script: &Script, name: Symbol) -> bool {
    script.commands.iter().filter(|c| c.declared().contains(&name)).count() == 1
}

/// The names of symbols, constructors and sorts that terms use.
pub(crate) fn used_by_terms(arena: &Arena, script: &Script) -> HashSet<Symbol> {
    let mut uses = Uses::new(arena);
    script.commands.iter().flat_map(Command::terms).for_each(|t| uses.term(t));
    uses.names
}

/// Names that `:named` gives and terms use.
pub(crate) fn used_labels(arena: &Arena, script: &Script) -> HashSet<Symbol> {
    let (given, used) = labels(arena, script);
    given.intersection(&used).copied().collect()
}

/// Whether terms use a name that `:named` gives in the earlier script and no longer in this one.
pub(crate) fn loses_label(arena: &Arena, earlier: &Script, script: &Script) -> bool {
    let (given, used) = labels(arena, script);
    used_labels(arena, earlier).iter().any(|n| used.contains(n) && !given.contains(n))
}

/// The names that `:named` gives, and those that terms use.
fn labels(arena: &Arena, script: &Script) -> (HashSet<Symbol>, HashSet<Symbol>) {
    let (mut given, mut used) = (HashSet::new(), HashSet::new());
    for term in all_terms(arena, script) {
        match arena.view(term) {
            View::Annotated(v) => given.extend(v.name()),
            View::App(fun, []) => {
                used.insert(arena.fun_view(fun).name);
            }
            _ => {}
        }
    }
    (given, used)
}

/// The names that commands use, and the sorts and terms visited so far.
struct Uses<'a> {
    arena: &'a Arena,
    names: HashSet<Symbol>,
    sorts: HashSet<Sort>,
    terms: HashSet<Term>,
}

impl<'a> Uses<'a> {
    fn new(arena: &'a Arena) -> Self {
        Uses { arena, names: HashSet::new(), sorts: HashSet::new(), terms: HashSet::new() }
    }

    fn command(&mut self, command: &Command) {
        if let Command::Other(_, text) | Command::Malformed(text) = command {
            self.text(*text);
        }
        command.sorts().into_iter().for_each(|s| self.sort(s));
        command.terms().for_each(|t| self.term(t));
    }

    /// Every symbol in a command kept as text.
    fn text(&mut self, text: Symbol) {
        let source = self.arena.text(text);
        let Ok(mut lexer) = Lexer::new(source) else { return };
        while let Ok(token) = lexer.next_token() {
            let name = match (token.kind, lexer.text(token)) {
                (TokenKind::End, _) => return,
                (TokenKind::Quoted, name) => &name[1..name.len() - 1],
                (_, name) => name,
            };
            self.names.extend(self.arena.find_symbol(name));
        }
    }

    fn sort(&mut self, sort: Sort) {
        let mut work = vec![sort];
        while let Some(sort) = work.pop() {
            if self.sorts.insert(sort) {
                let v = self.arena.sort_view(sort);
                self.names.insert(v.head);
                work.extend(v.args);
            }
        }
    }

    fn term(&mut self, term: Term) {
        let mut work = vec![term];
        while let Some(term) = work.pop() {
            if !self.terms.insert(term) {
                continue;
            }
            work.extend(self.arena.children(term));
            match self.arena.view(term) {
                View::App(fun, _) => {
                    let f = self.arena.fun_view(fun);
                    let texts = f.indices.iter().filter_map(|i| match i.view() {
                        IndexView::Text(s) => Some(s),
                        IndexView::Number(_) => None,
                    });
                    self.names.extend(texts);
                    if f.op.is_none() {
                        self.names.insert(f.name);
                        // The old tester `is-c` belongs to the constructor `c`.
                        let constructor = self.arena.text(f.name).strip_prefix(b"is-");
                        self.names.extend(constructor.and_then(|c| self.arena.find_symbol(c)));
                    }
                    f.ascribed.into_iter().for_each(|sort| self.sort(sort));
                }
                View::Binder(v) => v.vars().for_each(|(_, s)| self.sort(s)),
                View::Match(v) => self.names.extend(v.cases().filter_map(|(p, _)| p.constructor)),
                _ => {}
            }
        }
    }
}
