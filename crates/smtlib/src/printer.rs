//! Prints scripts, terms and sorts: streams into a byte buffer, never recurses on terms.

use crate::arena::{Arena, AttributeValue, Fun, Index, IndexView, Literal, Sort, Symbol, Term, View, sym};
use crate::lexer::is_simple_symbol;
use crate::script::{Command, Datatype, DatatypeKind, Header, InfoValue, Script};

/// Which of an operator's names is printed.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Spelling {
    /// The one in the script.
    #[default]
    AsWritten,
    /// The current one.
    Standard,
    /// The oldest one solvers read, for releases from before the current names.
    Legacy,
}

/// Prints into a buffer that the caller owns and reuses.
pub struct Printer<'a> {
    arena: &'a Arena,
    out: &'a mut Vec<u8>,
    spelling: Spelling,
    stack: Vec<Item>,
    spans: Option<&'a mut Vec<Span>>,
    noting: bool,
}

/// Where the text of a term stands.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Span {
    /// Its first byte.
    pub start: u32,
    /// Behind the name or head that follows its parenthesis; behind the term if it has none.
    pub head: u32,
    /// Behind its last byte.
    pub end: u32,
}

/// What is left to print of an unfinished term.
#[derive(Clone, Copy)]
enum Item {
    Term(Term),
    /// Children `at..` of a term, each behind a space, then `)`.
    Args(Term, u32),
    /// Bindings `at..` of a `let`, then its body.
    Bindings(Term, u32),
    /// Cases `at..` of a `match`.
    Cases(Term, u32),
    /// Attributes `at..` of an annotated term, then `)`.
    Attributes(Term, u32),
    Text(&'static str),
    /// The term of this span ends.
    End(u32),
    /// From here on spans are noted, or not: terms of patterns are no places.
    Noting(bool),
}

impl<'a> Printer<'a> {
    /// A printer that appends to `out`.
    pub fn new(arena: &'a Arena, out: &'a mut Vec<u8>) -> Self {
        Printer { arena, out, spelling: Spelling::AsWritten, stack: Vec::new(), spans: None, noting: true }
    }

    /// Also notes where each term stands, in the order of [`crate::occurrence::Occurrences`].
    pub fn with_spans(mut self, spans: &'a mut Vec<Span>) -> Self {
        self.spans = Some(spans);
        self
    }

    /// With another choice of operator names.
    pub fn with_spelling(mut self, spelling: Spelling) -> Self {
        self.spelling = spelling;
        self
    }

    #[inline]
    fn text(&mut self, text: &str) {
        self.out.extend_from_slice(text.as_bytes());
    }

    #[inline]
    fn bytes(&mut self, symbol: Symbol) {
        self.out.extend_from_slice(self.arena.text(symbol));
    }

    fn number(&mut self, n: u32) {
        let mut digits = [0u8; 10];
        let mut at = digits.len();
        let mut n = n;
        loop {
            at -= 1;
            digits[at] = b'0' + (n % 10) as u8;
            n /= 10;
            if n == 0 {
                break;
            }
        }
        self.out.extend_from_slice(&digits[at..]);
    }

    /// A name, with bars where it needs them.
    #[inline]
    pub fn symbol(&mut self, symbol: Symbol) {
        let text = self.arena.text(symbol);
        if is_simple_symbol(text) && !symbol.is_reserved() {
            self.out.extend_from_slice(text);
        } else {
            self.out.push(b'|');
            self.out.extend_from_slice(text);
            self.out.push(b'|');
        }
    }

    fn index(&mut self, index: Index) {
        match index.view() {
            IndexView::Number(n) => self.number(n),
            IndexView::Text(t) => {
                // A numeral that does not fit, `#x41`, a list: as written. Anything else is a name.
                let text = self.arena.text(t);
                let literal =
                    text.first().is_some_and(|c| c.is_ascii_digit() || matches!(c, b'#' | b'(' | b'"'));
                if literal { self.bytes(t) } else { self.symbol(t) }
            }
        }
    }

    /// A sort. Sorts are small; their depth is bounded where they are read.
    pub fn sort(&mut self, sort: Sort) {
        let v = self.arena.sort_view(sort);
        if !v.indices.is_empty() {
            self.text("(_ ");
            self.symbol(v.head);
            for &i in v.indices {
                self.out.push(b' ');
                self.index(i);
            }
            self.out.push(b')');
        } else if !v.args.is_empty() {
            self.out.push(b'(');
            self.symbol(v.head);
            for &a in v.args {
                self.out.push(b' ');
                self.sort(a);
            }
            self.out.push(b')');
        } else {
            self.symbol(v.head);
        }
    }

    fn spelled(&mut self, fun: Fun) {
        let f = self.arena.fun_view(fun);
        let name = match (self.spelling, f.op) {
            (Spelling::AsWritten, _) | (_, None) => f.name,
            (Spelling::Standard, Some(op)) => self.arena.signatures().row(op).name,
            (Spelling::Legacy, Some(op)) => {
                let row = self.arena.signatures().row(op);
                row.legacy.first().copied().unwrap_or(row.name)
            }
        };
        self.symbol(name);
    }

    /// The head of an application.
    fn fun(&mut self, fun: Fun) {
        let f = self.arena.fun_view(fun);
        if let Some(sort) = f.ascribed {
            self.text("(as ");
            self.indexed(fun);
            self.out.push(b' ');
            self.sort(sort);
            self.out.push(b')');
        } else {
            self.indexed(fun);
        }
    }

    fn indexed(&mut self, fun: Fun) {
        let f = self.arena.fun_view(fun);
        if f.indices.is_empty() {
            return self.spelled(fun);
        }
        self.text("(_ ");
        self.spelled(fun);
        for &i in f.indices {
            self.out.push(b' ');
            self.index(i);
        }
        self.out.push(b')');
    }

    /// A term.
    pub fn term(&mut self, term: Term) {
        let floor = self.stack.len();
        self.stack.push(Item::Term(term));
        while self.stack.len() > floor {
            match self.stack.pop().expect("longer than floor") {
                Item::Term(t) => self.open(t),
                Item::Text(text) => self.text(text),
                Item::End(span) => {
                    let end = self.out.len() as u32;
                    if let Some(spans) = &mut self.spans {
                        spans[span as usize].end = end;
                    }
                }
                Item::Noting(on) => self.noting = on,
                Item::Args(t, at) => {
                    let children = self.arena.children(t);
                    let mut at = at as usize;
                    // Leaves are printed without going through the stack.
                    loop {
                        let Some(&child) = children.get(at) else {
                            self.out.push(b')');
                            break;
                        };
                        self.out.push(b' ');
                        at += 1;
                        if !self.leaf(child) {
                            self.stack.push(Item::Args(t, at as u32));
                            self.branch(child);
                            break;
                        }
                    }
                }
                Item::Bindings(t, at) => {
                    let View::Let(v) = self.arena.view(t) else { unreachable!("bindings belong to a let") };
                    match v.binding(at as usize) {
                        Some((name, definition)) => {
                            self.text(if at == 0 { "(" } else { " (" });
                            self.symbol(name);
                            self.out.push(b' ');
                            self.stack.push(Item::Bindings(t, at + 1));
                            self.stack.push(Item::Text(")"));
                            self.stack.push(Item::Term(definition));
                        }
                        None => {
                            self.text(") ");
                            self.stack.push(Item::Text(")"));
                            self.stack.push(Item::Term(v.body()));
                        }
                    }
                }
                Item::Cases(t, at) => self.case(t, at),
                Item::Attributes(t, at) => self.attributes(t, at),
            }
        }
    }

    /// Prints a term that has no parts; `false` if it has some.
    #[inline]
    fn leaf(&mut self, term: Term) -> bool {
        let start = self.out.len() as u32;
        match self.arena.view(term) {
            View::Var(name) => self.symbol(name),
            View::App(fun, []) => self.fun(fun),
            View::Literal(Literal::String, text) => {
                self.out.push(b'"');
                self.bytes(text);
                self.out.push(b'"');
            }
            View::Literal(_, text) => self.bytes(text),
            _ => return false,
        }
        if let Some(spans) = self.spans.as_mut().filter(|_| self.noting) {
            let end = self.out.len() as u32;
            spans.push(Span { start, head: end, end });
        }
        true
    }

    /// Notes that a term with parts starts here.
    #[inline]
    fn note(&mut self) {
        if let Some(spans) = self.spans.as_mut().filter(|_| self.noting) {
            let start = self.out.len() as u32;
            self.stack.push(Item::End(spans.len() as u32));
            spans.push(Span { start, head: start, end: start });
        }
    }

    /// Notes that the head of the term that was opened last ends here.
    #[inline]
    fn note_head(&mut self) {
        if let Some(spans) = self.spans.as_mut().filter(|_| self.noting) {
            spans.last_mut().expect("a term was opened").head = self.out.len() as u32;
        }
    }

    fn open(&mut self, term: Term) {
        if !self.leaf(term) {
            self.branch(term);
        }
    }

    /// A term that has parts.
    fn branch(&mut self, term: Term) {
        self.note();
        match self.arena.view(term) {
            View::App(fun, [_, ..]) => {
                self.out.push(b'(');
                self.fun(fun);
                self.note_head();
                self.stack.push(Item::Args(term, 0));
            }
            View::Let(_) => {
                self.text("(let (");
                self.stack.push(Item::Bindings(term, 0));
            }
            View::Binder(v) => {
                self.out.push(b'(');
                self.bytes(v.name);
                self.note_head();
                self.text(" (");
                for (i, (name, sort)) in v.vars().enumerate() {
                    self.text(if i == 0 { "(" } else { " (" });
                    self.symbol(name);
                    self.out.push(b' ');
                    self.sort(sort);
                    self.out.push(b')');
                }
                self.out.push(b')');
                self.stack.push(Item::Args(term, 0));
            }
            View::Match(v) => {
                self.text("(match ");
                self.stack.push(Item::Cases(term, 0));
                self.stack.push(Item::Text(" ("));
                self.stack.push(Item::Term(v.scrutinee()));
            }
            View::Annotated(v) => {
                self.text("(! ");
                self.stack.push(Item::Attributes(term, 0));
                self.stack.push(Item::Term(v.term()));
            }
            View::Apply(children) => {
                self.out.push(b'(');
                self.stack.push(Item::Args(term, 1));
                self.stack.push(Item::Term(children[0]));
            }
            _ => unreachable!("leaves are printed without a stack"),
        }
    }

    fn case(&mut self, term: Term, at: u32) {
        let View::Match(v) = self.arena.view(term) else { unreachable!("cases belong to a match") };
        let Some((pattern, body)) = v.cases().nth(at as usize) else { return self.text("))") };
        self.text(if at == 0 { "(" } else { " (" });
        match pattern.constructor {
            Some(c) if pattern.vars().len() == 0 => self.symbol(c),
            Some(c) => {
                self.out.push(b'(');
                self.symbol(c);
                for (name, _) in pattern.vars() {
                    self.out.push(b' ');
                    self.pattern_variable(name);
                }
                self.out.push(b')');
            }
            None => pattern.vars().for_each(|(name, _)| self.pattern_variable(name)),
        }
        self.out.push(b' ');
        self.stack.push(Item::Cases(term, at + 1));
        self.stack.push(Item::Text(")"));
        self.stack.push(Item::Term(body));
    }

    /// `_` stands for a variable nobody uses, and has no bars.
    fn pattern_variable(&mut self, name: Symbol) {
        if name == sym::UNDERSCORE { self.text("_") } else { self.symbol(name) }
    }

    /// Attributes from `at` on, in order; those with terms leave the rest as work.
    fn attributes(&mut self, term: Term, at: u32) {
        let View::Annotated(v) = self.arena.view(term) else {
            unreachable!("attributes belong to an annotation")
        };
        for (i, (keyword, value)) in v.attributes().enumerate().skip(at as usize) {
            self.attribute(keyword, value);
            if let AttributeValue::Terms(terms) = value {
                let (open, close) = if keyword == sym::K_NO_PATTERN { (" ", "") } else { (" (", ")") };
                self.text(open);
                self.stack.push(Item::Attributes(term, i as u32 + 1));
                self.stack.push(Item::Noting(self.noting));
                self.noting = false;
                self.stack.push(Item::Text(close));
                for (i, &t) in terms.iter().enumerate().rev() {
                    self.stack.push(Item::Term(t));
                    if i > 0 {
                        self.stack.push(Item::Text(" "));
                    }
                }
                return;
            }
        }
        self.out.push(b')');
    }

    fn attribute(&mut self, keyword: Symbol, value: AttributeValue<'_>) {
        self.out.push(b' ');
        self.bytes(keyword);
        match value {
            AttributeValue::None | AttributeValue::Terms(_) => {}
            AttributeValue::Text(text) => {
                self.out.push(b' ');
                self.bytes(text);
            }
            AttributeValue::Name(name) => {
                self.out.push(b' ');
                self.symbol(name);
            }
        }
    }

    // Commands.

    /// A script: one command a line, comments in their places.
    pub fn script(&mut self, script: &Script) {
        let mut comments = script.comments.iter().peekable();
        for (i, command) in script.commands.iter().enumerate() {
            while let Some(c) = comments.next_if(|c| c.before as usize <= i) {
                self.bytes(c.text);
                self.out.push(b'\n');
            }
            self.command(command);
            self.out.push(b'\n');
        }
        for c in comments {
            self.bytes(c.text);
            self.out.push(b'\n');
        }
    }

    /// A command.
    pub fn command(&mut self, command: &Command) {
        match command {
            Command::Assert(t) => {
                self.text("(assert ");
                self.term(*t);
            }
            Command::CheckSat => self.text("(check-sat"),
            Command::CheckSatAssuming(ts) => {
                self.text("(check-sat-assuming (");
                self.terms(ts);
                self.text(")");
            }
            Command::DeclareConst(name, sort) => {
                self.text("(declare-const ");
                self.symbol(*name);
                self.text(" ");
                self.sort(*sort);
            }
            Command::DeclareDatatypes(kind, datatypes) => self.datatypes(*kind, datatypes),
            Command::DeclareFun(name, args, result) => {
                self.text("(declare-fun ");
                self.symbol(*name);
                self.text(" (");
                for (i, &a) in args.iter().enumerate() {
                    self.text(if i == 0 { "" } else { " " });
                    self.sort(a);
                }
                self.text(") ");
                self.sort(*result);
            }
            Command::DeclareSort(name, arity) => {
                self.text("(declare-sort ");
                self.symbol(*name);
                self.text(" ");
                self.number(*arity);
            }
            Command::DeclareSortParameter(name) => {
                self.text("(declare-sort-parameter ");
                self.symbol(*name);
            }
            Command::DefineConst(name, sort, body) => {
                self.text("(define-const ");
                self.symbol(*name);
                self.text(" ");
                self.sort(*sort);
                self.text(" ");
                self.term(*body);
            }
            Command::DefineFun(header, body) => {
                self.text("(define-fun ");
                self.definition(header, *body);
            }
            Command::DefineFunRec(header, body) => {
                self.text("(define-fun-rec ");
                self.definition(header, *body);
            }
            Command::DefineFunsRec(definitions) => {
                self.text("(define-funs-rec (");
                for (i, (header, _)) in definitions.iter().enumerate() {
                    self.text(if i == 0 { "(" } else { " (" });
                    self.header(header);
                    self.text(")");
                }
                self.text(") (");
                for (i, (_, body)) in definitions.iter().enumerate() {
                    self.text(if i == 0 { "" } else { " " });
                    self.term(*body);
                }
                self.text(")");
            }
            Command::DefineSort(name, params, sort) => {
                self.text("(define-sort ");
                self.symbol(*name);
                self.text(" (");
                self.symbols(params);
                self.text(") ");
                self.sort(*sort);
            }
            Command::Echo(text) => {
                self.text("(echo ");
                self.bytes(*text);
            }
            Command::GetValue(ts) => {
                self.text("(get-value (");
                self.terms(ts);
                self.text(")");
            }
            Command::GetInfo(k) => {
                self.text("(get-info ");
                self.bytes(*k);
            }
            Command::GetOption(k) => {
                self.text("(get-option ");
                self.bytes(*k);
            }
            Command::Push(n) => {
                self.text("(push ");
                self.number(*n);
            }
            Command::Pop(n) => {
                self.text("(pop ");
                self.number(*n);
            }
            Command::SetInfo(info) => {
                self.text("(set-info ");
                self.info(info);
            }
            Command::SetLogic(logic) => {
                self.text("(set-logic ");
                self.symbol(*logic);
            }
            Command::SetOption(info) => {
                self.text("(set-option ");
                self.info(info);
            }
            Command::Plain(name) => {
                self.text("(");
                self.bytes(*name);
            }
            Command::Other(_, text) | Command::Malformed(text) => return self.bytes(*text),
        }
        self.text(")");
    }

    fn terms(&mut self, terms: &[Term]) {
        for (i, &t) in terms.iter().enumerate() {
            self.text(if i == 0 { "" } else { " " });
            self.term(t);
        }
    }

    fn symbols(&mut self, symbols: &[Symbol]) {
        for (i, &s) in symbols.iter().enumerate() {
            self.text(if i == 0 { "" } else { " " });
            self.symbol(s);
        }
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
        self.text(" (");
        for (i, &(name, sort)) in header.params.iter().enumerate() {
            self.text(if i == 0 { "(" } else { " (" });
            self.symbol(name);
            self.text(" ");
            self.sort(sort);
            self.text(")");
        }
        self.text(") ");
        self.sort(header.result);
    }

    fn definition(&mut self, header: &Header, body: Term) {
        self.header(header);
        self.text(" ");
        self.term(body);
    }

    fn datatypes(&mut self, kind: DatatypeKind, datatypes: &[Datatype]) {
        match (kind, datatypes) {
            (DatatypeKind::One | DatatypeKind::CoOne, [d]) => {
                self.text(if kind == DatatypeKind::One {
                    "(declare-datatype "
                } else {
                    "(declare-codatatype "
                });
                self.symbol(d.name);
                self.text(" ");
                self.datatype(d);
            }
            _ => {
                let data = matches!(kind, DatatypeKind::One | DatatypeKind::Many);
                self.text(if data { "(declare-datatypes (" } else { "(declare-codatatypes (" });
                for (i, d) in datatypes.iter().enumerate() {
                    self.text(if i == 0 { "(" } else { " (" });
                    self.symbol(d.name);
                    self.text(" ");
                    self.number(d.params.len() as u32);
                    self.text(")");
                }
                self.text(") (");
                for (i, d) in datatypes.iter().enumerate() {
                    self.text(if i == 0 { "" } else { " " });
                    self.datatype(d);
                }
                self.text(")");
            }
        }
    }

    fn datatype(&mut self, d: &Datatype) {
        if !d.params.is_empty() {
            self.text("(par (");
            self.symbols(&d.params);
            self.text(") ");
        }
        self.text("(");
        for (i, c) in d.constructors.iter().enumerate() {
            self.text(if i == 0 { "(" } else { " (" });
            self.symbol(c.name);
            for &(selector, sort) in &c.selectors {
                self.text(" (");
                self.symbol(selector);
                self.text(" ");
                self.sort(sort);
                self.text(")");
            }
            self.text(")");
        }
        self.text(if d.params.is_empty() { ")" } else { "))" });
    }
}

impl Arena {
    /// A script as text.
    pub fn display_script(&self, script: &Script) -> Vec<u8> {
        let mut out = Vec::new();
        Printer::new(self, &mut out).script(script);
        out
    }

    /// A term as text, for messages.
    pub fn display_term(&self, term: Term) -> String {
        let mut out = Vec::new();
        Printer::new(self, &mut out).term(term);
        String::from_utf8_lossy(&out).into_owned()
    }

    /// A sort as text, for messages.
    pub fn display_sort(&self, sort: Sort) -> String {
        let mut out = Vec::new();
        Printer::new(self, &mut out).sort(sort);
        String::from_utf8_lossy(&out).into_owned()
    }
}
