//! Renames what a script declares, so that two scripts can be merged without name clashes.

use std::collections::{HashMap, HashSet};

use crate::arena::{Arena, Index, IndexView, Sort, SortKind, Symbol, Term, View};
use crate::lexer::{Lexer, TokenKind};
use crate::printer::Printer;
use crate::rebuild::Rebuild;
use crate::script::{Command, Script};

/// A renaming of declared names: functions, constants, sorts, constructors, selectors, named terms.
///
/// Bound variables keep their names, except in a renaming of everything. New names must be fresh, or a binder may
/// capture them.
#[derive(Debug, Default)]
pub struct Renaming {
    bound: bool,
    names: HashMap<Symbol, Symbol>,
    sorts: HashMap<Sort, Sort>,
    terms: HashMap<Term, Term>,
}

impl Renaming {
    /// An empty renaming that also renames bound variables, parameters and sort parameters. Each occurrence still refers
    /// to the same declaration as long as no two names become one.
    pub fn of_everything() -> Renaming {
        Renaming { bound: true, ..Renaming::default() }
    }

    /// Gives every name that `script` declares the suffix `suffix`, and a longer one where the new name is taken.
    pub fn with_suffix(arena: &mut Arena, script: &Script, suffix: &str) -> Renaming {
        let mut renaming = Renaming::default();
        for name in declared_names(arena, script) {
            let mut text = arena.text(name).to_vec();
            text.extend_from_slice(suffix.as_bytes());
            while arena.find_symbol(&text).is_some() {
                text.push(b'_');
            }
            let new = arena.symbol(&text);
            renaming.rename(arena, name, new);
        }
        renaming
    }

    /// Adds one name. The tester `is-c` of a constructor `c` is renamed with it.
    pub fn rename(&mut self, arena: &mut Arena, old: Symbol, new: Symbol) {
        self.names.insert(old, new);
        let tester = |arena: &mut Arena, c| {
            let text = [b"is-", arena.text(c)].concat();
            arena.symbol(&text)
        };
        let (old, new) = (tester(arena, old), tester(arena, new));
        self.names.entry(old).or_insert(new);
    }

    /// A script over the new names.
    pub fn script(&mut self, arena: &mut Arena, script: &Script) -> Script {
        Rebuild::script(self, arena, script).expect("a renaming can change every command")
    }

    /// The text of a command over the new names.
    fn text(&self, arena: &mut Arena, text: Symbol) -> Symbol {
        let source = arena.text(text).to_vec();
        let Ok(mut lexer) = Lexer::new(&source) else { return text };
        let mut out = Vec::with_capacity(source.len());
        let mut copied = 0;
        while let Ok(token) = lexer.next_token() {
            let name = match (token.kind, lexer.text(token)) {
                (TokenKind::End, _) => break,
                (TokenKind::Symbol, name) => name,
                (TokenKind::Quoted, name) => &name[1..name.len() - 1],
                _ => continue,
            };
            if let Some(&new) = arena.find_symbol(name).as_ref().and_then(|s| self.names.get(s)) {
                out.extend_from_slice(&source[copied..token.start as usize]);
                Printer::new(arena, &mut out).symbol(new);
                copied = token.end as usize;
            }
        }
        out.extend_from_slice(&source[copied..]);
        arena.symbol(&out)
    }
}

impl Rebuild for Renaming {
    fn name(&self, name: Symbol) -> Symbol {
        self.names.get(&name).copied().unwrap_or(name)
    }

    fn local(&self, name: Symbol) -> Symbol {
        if self.bound { self.name(name) } else { name }
    }

    fn sort(&mut self, arena: &mut Arena, sort: Sort) -> Sort {
        if let Some(&done) = self.sorts.get(&sort) {
            return done;
        }
        let v = arena.sort_view(sort);
        let (head, kind, indexed, args) = (v.head, v.kind, !v.indices.is_empty(), v.args.to_vec());
        let args: Vec<Sort> = args.iter().map(|&a| self.sort(arena, a)).collect();
        let name = self.name(head);
        let new = match kind {
            _ if indexed => sort,
            SortKind::Parameter => arena.sort_parameter(name),
            SortKind::Constructor => arena.sort(name, &args),
            SortKind::Alias if arena.canonical(sort) == Sort::UNKNOWN => arena.unknown_sort(name, &[], &args),
            SortKind::Alias => {
                let canonical = self.sort(arena, arena.canonical(sort));
                arena.alias_sort(name, &args, canonical)
            }
        };
        self.sorts.insert(sort, new);
        new
    }

    fn application(&mut self, arena: &mut Arena, term: Term, children: &[Term], sort: Sort) -> Option<Term> {
        let fun = match arena.view(term) {
            View::App(fun, _) => fun,
            View::Literal(kind, text) => return Some(arena.literal(kind, text, sort)),
            _ => unreachable!("an application or a literal"),
        };
        let f = arena.fun_view(fun);
        let (op, ascribed) = (f.op, f.ascribed);
        let name = if op.is_some() { f.name } else { self.name(f.name) };
        let indices: Vec<Index> = f
            .indices
            .iter()
            .map(|i| match i.view() {
                IndexView::Text(s) => Index::text(self.name(s)),
                IndexView::Number(_) => *i,
            })
            .collect();
        let ascribed = ascribed.map(|s| self.sort(arena, s));
        let fun = arena.fun(name, op, &indices, ascribed);
        Some(arena.app(fun, children, sort))
    }

    fn text_command(&mut self, arena: &mut Arena, command: &Command) -> Option<Command> {
        Some(match command {
            Command::Other(name, text) => Command::Other(*name, self.text(arena, *text)),
            _ => command.clone(),
        })
    }

    fn done(&mut self) -> &mut HashMap<Term, Term> {
        &mut self.terms
    }
}

/// The names a script declares, each once, in order.
pub fn declared_names(arena: &Arena, script: &Script) -> Vec<Symbol> {
    let mut names = Vec::new();
    for command in &script.commands {
        names.extend(command.declared());
        for t in arena.subterms(command.terms()) {
            if let View::Annotated(v) = arena.view(t) {
                names.extend(v.names());
            }
        }
    }
    let mut seen = HashSet::new();
    names.retain(|&n| seen.insert(n));
    names
}

/// The names a script binds: as parameters of definitions, sorts and datatypes, and in terms. They come in order, some
/// of them several times.
pub fn bound_names(arena: &Arena, script: &Script) -> Vec<Symbol> {
    let mut names = Vec::new();
    for command in &script.commands {
        names.extend(command.definitions().flat_map(|(h, _)| h.params.iter().map(|p| p.0)));
        match command {
            Command::DefineSort(_, params, _) => names.extend(params),
            Command::DeclareDatatypes(_, datatypes) => names.extend(datatypes.iter().flat_map(|d| &d.params)),
            _ => {}
        }
    }
    for term in arena.parts_first(script.commands.iter().flat_map(Command::terms)) {
        names.extend(arena.bound_by(term));
        if let View::Var(name) = arena.view(term) {
            names.push(name);
        }
    }
    names
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parse_script;

    #[test]
    fn every_declared_name_is_renamed_and_nothing_else() {
        let text = b"(declare-sort S 0)
(declare-datatypes ((T 0)) (((c (d Int)) (e))))
(define-sort P () (Array S T))
(declare-fun x () P)
(define-fun f ((y S)) T (select x y))
(assert (! (forall ((y S)) (=> ((_ is c) (f y)) (is-c (f y)) (= (d (f y)) 1))) :named n))
(assert (exists ((z T)) (match z (((c k) (> k 0)) (e true)))))
(declare-fun s () S)
(minimize (d (f s)))
";
        let mut arena = Arena::new();
        let script = parse_script(&mut arena, text).unwrap().script;
        let mut renaming = Renaming::with_suffix(&mut arena, &script, "_1");
        let renamed = renaming.script(&mut arena, &script);
        let want = "(declare-sort S_1 0)
(declare-datatypes ((T_1 0)) (((c_1 (d_1 Int)) (e_1))))
(define-sort P_1 () (Array S_1 T_1))
(declare-fun x_1 () P_1)
(define-fun f_1 ((y S_1)) T_1 (select x_1 y))
(assert (! (forall ((y S_1)) (=> ((_ is c_1) (f_1 y)) (is-c_1 (f_1 y)) (= (d_1 (f_1 y)) 1))) :named n_1))
(assert (exists ((z T_1)) (match z (((c_1 k) (> k 0)) (e_1 true)))))
(declare-fun s_1 () S_1)
(minimize (d_1 (f_1 s_1)))
";
        let printed = String::from_utf8(arena.display_script(&renamed)).unwrap();
        assert_eq!(printed, want);
        // The renamed script types as the original does.
        let again = parse_script(&mut arena, printed.as_bytes()).unwrap();
        assert_eq!(again.diagnostics, []);
        assert_eq!(again.script.commands, renamed.commands);
    }
}
