//! Prints commands and scripts.

use super::Printer;
use crate::arena::{Sort, Symbol, Term};
use crate::script::{
    Command, Comment, Constructor, Datatype, DatatypeKind, Direction, Header, InfoValue, Script,
};

/// A part of a command after its name.
enum Part<'c> {
    Name(Symbol),
    Names(&'c [Symbol]),
    /// Printed as it was written.
    Text(Symbol),
    Number(u32),
    Sort(Sort),
    Sorts(&'c [Sort]),
    Term(Term),
    Terms(&'c [Term]),
    Header(&'c Header),
    Info(&'c InfoValue),
}

impl Printer<'_> {
    /// A script: one command a line, comments in their places.
    pub fn script(&mut self, script: &Script) {
        let mut comments = script.comments.iter().peekable();
        for (i, command) in script.commands.iter().enumerate() {
            while let Some(c) = comments.next_if(|c| c.before as usize <= i) {
                self.comment(c);
            }
            self.command(command);
            self.out.push(b'\n');
        }
        comments.for_each(|c| self.comment(c));
    }

    fn comment(&mut self, comment: &Comment) {
        self.bytes(comment.text);
        self.out.push(b'\n');
    }

    /// A command.
    pub fn command(&mut self, command: &Command) {
        use Part as P;
        match command {
            Command::Assert(t) => self.form("(assert", &[P::Term(*t)]),
            Command::CheckSat => self.form("(check-sat", &[]),
            Command::CheckSatAssuming(ts) => self.form("(check-sat-assuming", &[P::Terms(ts)]),
            Command::DeclareConst(n, s) => self.form("(declare-const", &[P::Name(*n), P::Sort(*s)]),
            Command::DeclareDatatypes(kind, datatypes) => self.datatypes(*kind, datatypes),
            Command::DeclareFun(n, args, s) => {
                self.form("(declare-fun", &[P::Name(*n), P::Sorts(args), P::Sort(*s)])
            }
            Command::DeclareSort(n, arity) => self.form("(declare-sort", &[P::Name(*n), P::Number(*arity)]),
            Command::DeclareSortParameter(n) => self.form("(declare-sort-parameter", &[P::Name(*n)]),
            Command::DefineConst(n, s, t) => {
                self.form("(define-const", &[P::Name(*n), P::Sort(*s), P::Term(*t)])
            }
            Command::DefineFun(h, t) => self.form("(define-fun", &[P::Header(h), P::Term(*t)]),
            Command::DefineFunRec(h, t) => self.form("(define-fun-rec", &[P::Header(h), P::Term(*t)]),
            Command::DefineFunsRec(definitions) => {
                self.text("(define-funs-rec ");
                self.list(definitions, |p, (header, _)| {
                    p.text("(");
                    p.header(header);
                    p.text(")");
                });
                self.text(" ");
                self.list(definitions, |p, (_, body)| p.term(*body));
                self.text(")");
            }
            Command::DefineSort(n, params, s) => {
                self.form("(define-sort", &[P::Name(*n), P::Names(params), P::Sort(*s)])
            }
            Command::Echo(text) => self.form("(echo", &[P::Text(*text)]),
            Command::GetValue(ts) => self.form("(get-value", &[P::Terms(ts)]),
            Command::Simplify(t) => self.form("(simplify", &[P::Term(*t)]),
            Command::Optimize(Direction::Up, t) => self.form("(maximize", &[P::Term(*t)]),
            Command::Optimize(Direction::Down, t) => self.form("(minimize", &[P::Term(*t)]),
            Command::AssertSoft(t, attributes) => {
                let parts = attributes.iter().map(P::Info);
                self.form("(assert-soft", &std::iter::once(P::Term(*t)).chain(parts).collect::<Vec<_>>());
            }
            Command::GetInfo(k) => self.form("(get-info", &[P::Text(*k)]),
            Command::GetOption(k) => self.form("(get-option", &[P::Text(*k)]),
            Command::Push(n) => self.form("(push", &[P::Number(*n)]),
            Command::Pop(n) => self.form("(pop", &[P::Number(*n)]),
            Command::SetInfo(info) => self.form("(set-info", &[P::Info(info)]),
            Command::SetLogic(logic) => self.form("(set-logic", &[P::Name(*logic)]),
            Command::SetOption(info) => self.form("(set-option", &[P::Info(info)]),
            Command::Plain(name) => {
                self.text("(");
                self.bytes(*name);
                self.text(")");
            }
            Command::Other(_, text) | Command::Malformed(text) => self.bytes(*text),
        }
    }

    /// `start`, then each part after a space, then `)`.
    fn form(&mut self, start: &str, parts: &[Part<'_>]) {
        self.text(start);
        self.rest(parts, |p, part| match *part {
            Part::Name(name) => p.symbol(name),
            Part::Names(names) => p.list(names, |p, &n| p.symbol(n)),
            Part::Text(text) => p.bytes(text),
            Part::Number(n) => p.number(n),
            Part::Sort(sort) => p.sort(sort),
            Part::Sorts(sorts) => p.list(sorts, |p, &s| p.sort(s)),
            Part::Term(term) => p.term(term),
            Part::Terms(terms) => p.list(terms, |p, &t| p.term(t)),
            Part::Header(header) => p.header(header),
            Part::Info(info) => p.info(info),
        });
    }

    fn info(&mut self, info: &InfoValue) {
        self.bytes(info.keyword);
        if let Some(value) = info.value {
            self.text(" ");
            self.bytes(value);
        }
    }

    fn header(&mut self, header: &Header) {
        self.symbol(header.name);
        self.text(" ");
        self.list(&header.params, |p, &var| p.sorted(var));
        self.text(" ");
        self.sort(header.result);
    }

    fn datatypes(&mut self, kind: DatatypeKind, datatypes: &[Datatype]) {
        let codata = matches!(kind, DatatypeKind::CoOne | DatatypeKind::CoMany);
        self.text(if codata { "(declare-codatatype" } else { "(declare-datatype" });
        match (kind, datatypes) {
            (DatatypeKind::One | DatatypeKind::CoOne, [d]) => {
                self.text(" ");
                self.symbol(d.name);
                self.text(" ");
                self.datatype(d);
            }
            _ => {
                self.text("s ");
                self.list(datatypes, |p, d| {
                    p.text("(");
                    p.symbol(d.name);
                    p.text(" ");
                    p.number(d.params.len() as u32);
                    p.text(")");
                });
                self.text(" ");
                self.list(datatypes, Self::datatype);
            }
        }
        self.text(")");
    }

    fn datatype(&mut self, d: &Datatype) {
        if !d.params.is_empty() {
            self.text("(par ");
            self.list(&d.params, |p, &param| p.symbol(param));
            self.text(" ");
        }
        self.list(&d.constructors, Self::constructor);
        if !d.params.is_empty() {
            self.text(")");
        }
    }

    fn constructor(&mut self, c: &Constructor) {
        self.text("(");
        self.symbol(c.name);
        self.rest(&c.selectors, |p, &selector| p.sorted(selector));
    }
}
