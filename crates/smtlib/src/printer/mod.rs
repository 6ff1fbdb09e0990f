//! Prints scripts, terms and sorts: streams into a byte buffer, never recurses on terms.
//!
//! This file prints names, sorts and heads, [`term`] prints terms, and [`command`] prints commands and scripts.

mod command;
mod term;

use std::io::Write;

use crate::arena::{Arena, Fun, Index, IndexView, Sort, Symbol, Term};
use crate::lexer::is_simple_symbol;
use crate::script::Script;
use term::Item;

/// Which of an operator's names to print.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Spelling {
    /// The one in the script.
    #[default]
    AsWritten,
    /// The current one.
    Standard,
    /// The oldest one, for releases that do not know the current names.
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

/// The place of a term in the printed text.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Span {
    /// Its first byte.
    pub start: u32,
    /// After the name or head that follows its parenthesis; the end of the term if it has no parenthesis.
    pub head: u32,
    /// After its last byte.
    pub end: u32,
}

impl<'a> Printer<'a> {
    /// A printer that appends to `out`.
    pub fn new(arena: &'a Arena, out: &'a mut Vec<u8>) -> Self {
        Printer { arena, out, spelling: Spelling::AsWritten, stack: Vec::new(), spans: None, noting: true }
    }

    /// Also notes the place of each term, in the order of [`crate::occurrence::Occurrences`].
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
        write!(self.out, "{n}").expect("writing into memory cannot fail");
    }

    /// `(item ..)`
    fn list<T>(&mut self, items: impl IntoIterator<Item = T>, mut print: impl FnMut(&mut Self, T)) {
        self.out.push(b'(');
        for (i, item) in items.into_iter().enumerate() {
            if i > 0 {
                self.out.push(b' ');
            }
            print(self, item);
        }
        self.out.push(b')');
    }

    /// Each item after a space, then `)`.
    fn rest<T>(&mut self, items: impl IntoIterator<Item = T>, mut print: impl FnMut(&mut Self, T)) {
        for item in items {
            self.out.push(b' ');
            print(self, item);
        }
        self.out.push(b')');
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

    /// A name, or `(_ name index ..)`.
    fn indexed(&mut self, name: Symbol, indices: &[Index]) {
        if indices.is_empty() {
            return self.symbol(name);
        }
        self.text("(_ ");
        self.symbol(name);
        self.rest(indices, |p, &i| p.index(i));
    }

    /// A sort. Sorts are small; their depth is bounded where they are read.
    pub fn sort(&mut self, sort: Sort) {
        let v = self.arena.sort_view(sort);
        if v.args.is_empty() {
            return self.indexed(v.head, v.indices);
        }
        self.out.push(b'(');
        self.symbol(v.head);
        self.rest(v.args, |p, &a| p.sort(a));
    }

    /// `(x S)`
    fn sorted(&mut self, (name, sort): (Symbol, Sort)) {
        self.out.push(b'(');
        self.symbol(name);
        self.out.push(b' ');
        self.sort(sort);
        self.out.push(b')');
    }

    /// The head of an application.
    fn fun(&mut self, fun: Fun) {
        let f = self.arena.fun_view(fun);
        let row = f.op.map(|op| self.arena.signatures().row(op));
        let name = match (self.spelling, row) {
            (Spelling::AsWritten, _) | (_, None) => f.name,
            (Spelling::Standard, Some(row)) => row.name,
            (Spelling::Legacy, Some(row)) => row.legacy.first().copied().unwrap_or(row.name),
        };
        let Some(sort) = f.ascribed else { return self.indexed(name, f.indices) };
        self.text("(as ");
        self.indexed(name, f.indices);
        self.out.push(b' ');
        self.sort(sort);
        self.out.push(b')');
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
        self.display(|p| p.term(term))
    }

    /// A sort as text, for messages.
    pub fn display_sort(&self, sort: Sort) -> String {
        self.display(|p| p.sort(sort))
    }

    fn display(&self, print: impl FnOnce(&mut Printer<'_>)) -> String {
        let mut out = Vec::new();
        print(&mut Printer::new(self, &mut out));
        String::from_utf8_lossy(&out).into_owned()
    }
}
