//! The theory that a bug in a script most likely concerns.

use crate::facts::{facts, lists};
use smelt_smtlib::logic::is_nonlinear;
use smelt_smtlib::script::{Command, Script};
use smelt_smtlib::{Arena, Sort, Symbol, Term, View, sym};
use std::collections::{BTreeSet, HashSet};

/// The theory a script is about, such as `strings` or `nonlinear-ints+quantifiers`: by the sorts and operators that it
/// uses, whatever logic it declares.
pub fn theory(arena: &Arena, script: &Script) -> String {
    let used = Used::by(arena, script);
    let name = facts("theories").find(|w| used.words.contains(w)).unwrap_or("core");
    if used.quantifiers { format!("{name}+quantifiers") } else { name.to_owned() }
}

/// Whether a script uses a theory, `quantifiers`, `recursion`, or an operator of this name.
pub(crate) fn has_feature(arena: &Arena, script: &Script, feature: &str) -> bool {
    let recursive = |c: &Command| matches!(c, Command::DefineFunRec(..) | Command::DefineFunsRec(_));
    match feature {
        "recursion" => script.commands.iter().any(recursive),
        "quantifiers" => Used::by(arena, script).quantifiers,
        name => {
            let operator = arena.find_symbol(name.as_bytes());
            Used::by(arena, script).words.contains(name)
                || operator.is_some_and(|name| uses_operator(arena, script, name))
        }
    }
}

fn uses_operator(arena: &Arena, script: &Script, name: Symbol) -> bool {
    arena.subterms(script.commands.iter().flat_map(Command::terms)).any(|term| match arena.view(term) {
        View::App(fun, _) => {
            let view = arena.fun_view(fun);
            view.op.is_some() && view.name == name
        }
        _ => false,
    })
}

/// The words for the theories that a script uses.
struct Used<'a> {
    arena: &'a Arena,
    words: BTreeSet<&'static str>,
    sorts: HashSet<Sort>,
    quantifiers: bool,
}

impl<'a> Used<'a> {
    fn by(arena: &'a Arena, script: &Script) -> Used<'a> {
        let mut used = Used { arena, words: BTreeSet::new(), sorts: HashSet::new(), quantifiers: false };
        for command in &script.commands {
            used.command(command);
        }
        for term in arena.subterms(script.commands.iter().flat_map(Command::terms)) {
            used.term(term);
        }
        used
    }
}

impl Used<'_> {
    fn command(&mut self, command: &Command) {
        if let Command::DeclareConst(..) | Command::DefineConst(..) | Command::DeclareFun(..) = command {
            command.sorts().into_iter().for_each(|s| self.sort(s));
        }
        self.words.extend(match command {
            Command::DeclareFun(_, args, _) if !args.is_empty() => Some("uf"),
            Command::DeclareSort(..) => Some("uf"),
            Command::DeclareDatatypes(..) => Some("datatypes"),
            _ => None,
        });
    }

    fn sort(&mut self, sort: Sort) {
        if self.sorts.insert(sort) {
            for head in self.arena.sort_heads(sort) {
                let name = self.arena.name(head);
                let row = lists("sorts").find(|row| row[1..].iter().any(|sort| *sort == name));
                self.words.insert(row.map_or("core", |row| &row[0]));
            }
        }
    }

    fn term(&mut self, term: Term) {
        let arena = self.arena;
        self.sort(arena.sort_of(term));
        match arena.view(term) {
            View::App(fun, args) => {
                let Some(op) = arena.fun_view(fun).op else { return };
                let row = arena.signatures().row(op);
                if is_nonlinear(arena, row.name, args) {
                    let is_real = arena.sort_of(term) == Sort::REAL;
                    self.words.insert(if is_real { "nonlinear-reals" } else { "nonlinear-ints" });
                }
                if arena.text(row.theory) == b"transcendentals" {
                    self.words.insert("transcendentals");
                }
            }
            View::Binder(binder) => {
                self.quantifiers |= matches!(binder.name, sym::FORALL | sym::EXISTS);
                binder.vars().for_each(|(_, s)| self.sort(s));
            }
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use smelt_smtlib::parse_script;

    #[test]
    fn a_script_is_named_by_the_most_special_theory_it_uses() {
        for (text, name) in [
            ("(declare-const p Bool)(assert p)", "core"),
            ("(declare-const x Int)(assert (> (* 2 x) 1))", "ints"),
            ("(declare-const x Int)(assert (> (* x x) 1))", "nonlinear-ints"),
            ("(declare-const x Real)(assert (> (/ 1.0 x) 1.0))", "nonlinear-reals"),
            ("(declare-const x Int)(assert (> (/ 1 x) 1))", "nonlinear-reals"),
            ("(declare-const x Int)(assert (> (to_real (mod 1 x)) 1.0))", "nonlinear-ints"),
            ("(declare-const x Real)(assert (> (/ x 2.0) 1.0))", "reals"),
            ("(declare-const s String)(assert (= (str.len s) 1))", "strings"),
            ("(declare-const x (_ BitVec 8))(assert (bvult x #x01))", "bitvectors"),
            ("(declare-const x (_ FloatingPoint 5 11))(assert (fp.isNaN x))", "fp"),
            ("(declare-const a (Array Int (_ BitVec 4)))(assert (= (select a 0) #x1))", "arrays"),
            ("(declare-fun f (Int) Int)(assert (forall ((x Int)) (= (f x) x)))", "ints+quantifiers"),
            ("(declare-sort S 0)(declare-const a S)(assert (= a a))", "uf"),
            ("(declare-datatype D ((c (s Int))))(declare-const d D)(assert (= (s d) 1))", "datatypes"),
        ] {
            let mut arena = Arena::new();
            let parsed = parse_script(&mut arena, text.as_bytes()).unwrap();
            assert_eq!(theory(&arena, &parsed.script), name, "{text}");
        }
    }
}
