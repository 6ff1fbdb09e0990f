//! Renames what a script declares, so that two scripts can be merged without clashes.

use std::collections::HashMap;

use crate::arena::{
    Arena, Attribute, AttributeValue, Index, IndexView, Pattern, Sort, SortKind, Symbol, Term, View,
};
use crate::lexer::{Lexer, TokenKind};
use crate::printer::Printer;
use crate::script::{Command, Constructor, Datatype, Header, Script};

/// A renaming of declared names: functions, constants, sorts, constructors, selectors, named terms.
///
/// Bound variables keep their names, unless it is a renaming of everything. New names must be fresh, or they may be
/// captured.
#[derive(Debug, Default)]
pub struct Renaming {
    bound: bool,
    names: HashMap<Symbol, Symbol>,
    sorts: HashMap<Sort, Sort>,
    terms: HashMap<Term, Term>,
}

impl Renaming {
    /// An empty renaming that also holds for bound variables, parameters and sort parameters. As long as no two names
    /// become one, everything refers to what it did before.
    pub fn of_everything() -> Renaming {
        Renaming { bound: true, ..Renaming::default() }
    }

    /// The new name of a variable.
    fn local(&self, name: Symbol) -> Symbol {
        if self.bound { self.name(name) } else { name }
    }

    /// Gives every name that `script` declares the suffix `suffix`, made longer where that name is taken.
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

    /// Adds one name. The old tester `is-c` of a constructor `c` goes along.
    pub fn rename(&mut self, arena: &mut Arena, old: Symbol, new: Symbol) {
        self.names.insert(old, new);
        let tester = |arena: &mut Arena, c| {
            let text = [b"is-", arena.text(c)].concat();
            arena.symbol(&text)
        };
        let (old, new) = (tester(arena, old), tester(arena, new));
        self.names.entry(old).or_insert(new);
    }

    /// The new name, or the old one.
    pub fn name(&self, name: Symbol) -> Symbol {
        self.names.get(&name).copied().unwrap_or(name)
    }

    /// A sort over the new names.
    pub fn sort(&mut self, arena: &mut Arena, sort: Sort) -> Sort {
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

    /// A term over the new names.
    pub fn term(&mut self, arena: &mut Arena, term: Term) -> Term {
        let mut work = vec![term];
        while let Some(&t) = work.last() {
            if self.terms.contains_key(&t) {
                work.pop();
                continue;
            }
            let before = work.len();
            work.extend(arena.children(t).iter().filter(|c| !self.terms.contains_key(c)));
            if work.len() == before {
                let new = self.node(arena, t);
                self.terms.insert(t, new);
                work.pop();
            }
        }
        self.terms[&term]
    }

    /// A term whose children are done.
    fn node(&mut self, arena: &mut Arena, term: Term) -> Term {
        let children: Vec<Term> = arena.children(term).iter().map(|c| self.terms[c]).collect();
        let sort = self.sort(arena, arena.sort_of(term));
        match arena.view(term) {
            View::App(fun, _) => {
                let f = arena.fun_view(fun);
                let (name, op, ascribed) = (f.name, f.op, f.ascribed);
                let indices: Vec<Index> = f.indices.to_vec();
                let ascribed = ascribed.map(|s| self.sort(arena, s));
                let indices: Vec<Index> = indices
                    .into_iter()
                    .map(|i| match i.view() {
                        IndexView::Text(s) => Index::text(self.name(s)),
                        IndexView::Number(_) => i,
                    })
                    .collect();
                let name = if op.is_some() { name } else { self.name(name) };
                let fun = arena.fun(name, op, &indices, ascribed);
                arena.app(fun, &children, sort)
            }
            View::Var(name) => arena.var(self.local(name), sort),
            View::Binder(v) => {
                let (name, vars) = (v.name, v.vars().collect::<Vec<_>>());
                let vars: Vec<_> =
                    vars.into_iter().map(|(n, s)| (self.local(n), self.sort(arena, s))).collect();
                arena.binder(name, &vars, &children, sort)
            }
            View::Match(v) => {
                let patterns: Vec<Pattern> = v
                    .cases()
                    .map(|(p, _)| Pattern { constructor: p.constructor, vars: p.vars().collect() })
                    .collect();
                let cases: Vec<(Pattern, Term)> = patterns
                    .into_iter()
                    .zip(&children[1..])
                    .map(|(p, &body)| {
                        let vars =
                            p.vars.iter().map(|&(n, s)| (self.local(n), self.sort(arena, s))).collect();
                        (Pattern { constructor: p.constructor.map(|c| self.name(c)), vars }, body)
                    })
                    .collect();
                arena.match_term(children[0], &cases, sort)
            }
            View::Annotated(v) => {
                let attributes: Vec<Attribute> = v
                    .attributes()
                    .map(|(k, value)| match value {
                        AttributeValue::None => Attribute::Bare(k),
                        AttributeValue::Text(t) => Attribute::Text(k, t),
                        AttributeValue::Name(n) => Attribute::Name(self.name(n)),
                        AttributeValue::Terms(ts) => {
                            Attribute::Terms(k, ts.iter().map(|t| self.terms[t]).collect())
                        }
                    })
                    .collect();
                arena.annotated(children[0], &attributes)
            }
            View::Literal(kind, text) => arena.literal(kind, text, sort),
            View::Apply(_) => arena.apply_term(&children, sort),
            View::Let(v) => {
                let names: Vec<Symbol> = v.bindings().map(|(n, _)| self.local(n)).collect();
                arena.let_parts(&names, &children)
            }
        }
    }

    /// A script over the new names.
    pub fn script(&mut self, arena: &mut Arena, script: &Script) -> Script {
        let commands = script.commands.iter().map(|c| self.command(arena, c)).collect();
        Script { commands, comments: script.comments.clone() }
    }

    fn header(&mut self, arena: &mut Arena, h: &Header) -> Header {
        let params = h.params.iter().map(|&(n, s)| (self.local(n), self.sort(arena, s))).collect();
        Header { name: self.name(h.name), params, result: self.sort(arena, h.result) }
    }

    /// A command over the new names.
    pub fn command(&mut self, arena: &mut Arena, command: &Command) -> Command {
        let terms =
            |r: &mut Self, arena: &mut Arena, ts: &[Term]| ts.iter().map(|&t| r.term(arena, t)).collect();
        match command {
            Command::Assert(t) => Command::Assert(self.term(arena, *t)),
            Command::CheckSatAssuming(ts) => Command::CheckSatAssuming(terms(self, arena, ts)),
            Command::GetValue(ts) => Command::GetValue(terms(self, arena, ts)),
            Command::DeclareConst(n, s) => Command::DeclareConst(self.name(*n), self.sort(arena, *s)),
            Command::DeclareFun(n, args, result) => {
                let args = args.iter().map(|&a| self.sort(arena, a)).collect();
                Command::DeclareFun(self.name(*n), args, self.sort(arena, *result))
            }
            Command::DeclareSort(n, arity) => Command::DeclareSort(self.name(*n), *arity),
            Command::DeclareSortParameter(n) => Command::DeclareSortParameter(self.name(*n)),
            Command::DefineConst(n, s, t) => {
                Command::DefineConst(self.name(*n), self.sort(arena, *s), self.term(arena, *t))
            }
            Command::DefineFun(h, t) => {
                Command::DefineFun(Box::new(self.header(arena, h)), self.term(arena, *t))
            }
            Command::DefineFunRec(h, t) => {
                Command::DefineFunRec(Box::new(self.header(arena, h)), self.term(arena, *t))
            }
            Command::DefineFunsRec(defs) => Command::DefineFunsRec(
                defs.iter().map(|(h, t)| (self.header(arena, h), self.term(arena, *t))).collect(),
            ),
            Command::DefineSort(n, params, s) => {
                let params = params.iter().map(|p| self.local(*p)).collect();
                Command::DefineSort(self.name(*n), params, self.sort(arena, *s))
            }
            Command::DeclareDatatypes(kind, datatypes) => {
                let datatypes = datatypes
                    .iter()
                    .map(|d| Datatype {
                        name: self.name(d.name),
                        params: d.params.iter().map(|p| self.local(*p)).collect(),
                        constructors: d
                            .constructors
                            .iter()
                            .map(|c| Constructor {
                                name: self.name(c.name),
                                selectors: c
                                    .selectors
                                    .iter()
                                    .map(|&(n, s)| (self.name(n), self.sort(arena, s)))
                                    .collect(),
                            })
                            .collect(),
                    })
                    .collect();
                Command::DeclareDatatypes(*kind, datatypes)
            }
            Command::Other(name, text) => Command::Other(*name, self.text(arena, *text)),
            Command::CheckSat
            | Command::Echo(_)
            | Command::GetInfo(_)
            | Command::GetOption(_)
            | Command::Push(_)
            | Command::Pop(_)
            | Command::SetInfo(_)
            | Command::SetLogic(_)
            | Command::SetOption(_)
            | Command::Plain(_)
            | Command::Malformed(_) => command.clone(),
        }
    }

    /// A command kept as text: every symbol in it that was renamed.
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

/// The names that a command declares or defines; `:named` apart.
pub fn declared_by(command: &Command) -> Vec<Symbol> {
    let mut names = Vec::new();
    match command {
        Command::DeclareConst(n, _)
        | Command::DeclareFun(n, _, _)
        | Command::DeclareSort(n, _)
        | Command::DeclareSortParameter(n)
        | Command::DefineConst(n, _, _)
        | Command::DefineSort(n, _, _) => names.push(*n),
        Command::DefineFun(h, _) | Command::DefineFunRec(h, _) => names.push(h.name),
        Command::DefineFunsRec(defs) => names.extend(defs.iter().map(|d| d.0.name)),
        Command::DeclareDatatypes(_, datatypes) => {
            for d in datatypes {
                names.push(d.name);
                for c in &d.constructors {
                    names.push(c.name);
                    names.extend(c.selectors.iter().map(|s| s.0));
                }
            }
        }
        _ => {}
    }
    names
}

/// The names a script declares, each once, in order.
pub fn declared_names(arena: &Arena, script: &Script) -> Vec<Symbol> {
    let mut names = Vec::new();
    for command in &script.commands {
        names.extend(declared_by(command));
        let mut work: Vec<Term> = command.terms().collect();
        let mut seen = std::collections::HashSet::new();
        while let Some(t) = work.pop() {
            if !seen.insert(t) {
                continue;
            }
            if let View::Annotated(v) = arena.view(t) {
                names.extend(v.name());
            }
            work.extend(arena.children(t));
        }
    }
    let mut seen = std::collections::HashSet::new();
    names.retain(|&n| seen.insert(n));
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
(minimize (d (f y)))
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
(minimize (d_1 (f_1 y)))
";
        let printed = String::from_utf8(arena.display_script(&renamed)).unwrap();
        assert_eq!(printed, want);
        // The renamed script types as the original does.
        let again = parse_script(&mut arena, printed.as_bytes()).unwrap();
        assert_eq!(again.diagnostics, []);
        assert_eq!(again.script.commands, renamed.commands);
    }
}
