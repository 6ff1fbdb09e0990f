//! Reads scripts: one pass over the text that builds typed, hash-consed terms.
//!
//! Text with missing closing parentheses is an [`Error`]. Other flaws become a [`Diagnostic`], and reading
//! continues: an ill-sorted term gets the sort unknown; an ill-formed command is kept as text, because solvers skip
//! it with a message. Nothing here recurses on the input.

mod application;
mod command;
mod datatype;
mod sort;
mod term;

use std::collections::HashSet;

use crate::arena::{Arena, Attribute, Index, Pattern, Sort, Symbol, Term};
use crate::error::{Error, Result};
use crate::lexer::{Lexer, Token, TokenKind};
use crate::scope::Scope;
use crate::script::{Header, Script};
use term::Frame;

/// What kind of flaw a [`Diagnostic`] is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Flaw {
    /// A command that is not well-formed, or text outside commands. It is kept as text.
    Malformed,
    /// A term that is not well-sorted.
    IllSorted,
    /// An undeclared name: terms over it have unknown sort.
    Undeclared,
}

/// A flaw after which reading continues.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    /// What kind of flaw it is.
    pub flaw: Flaw,
    /// Byte offset into the input.
    pub offset: usize,
    /// What is wrong there.
    pub message: String,
}

impl Diagnostic {
    /// `line:column: message`, both counted from 1.
    pub fn locate(&self, source: &[u8]) -> String {
        Error::new(self.offset, self.message.clone()).locate(source)
    }
}

/// A script that was read.
#[derive(Clone, Debug)]
pub struct Parsed {
    /// Its commands.
    pub script: Script,
    /// What is in scope at its end.
    pub scope: Scope,
    /// Its flaws; none for a script that is well-formed and typed throughout.
    pub diagnostics: Vec<Diagnostic>,
}

/// Reads a script.
pub fn parse_script(arena: &mut Arena, source: &[u8]) -> Result<Parsed> {
    let mut parser = Parser::new(arena, Scope::new(), source)?;
    let script = parser.script()?;
    Ok(Parsed { script, scope: parser.scope, diagnostics: parser.diagnostics })
}

/// Reads terms and sorts in the scope of a script, for solver output and data files.
pub struct Parser<'a, 's> {
    arena: &'a mut Arena,
    scope: Scope,
    lexer: Lexer<'s>,
    /// A token that was read ahead.
    pending: Option<Token>,
    diagnostics: Vec<Diagnostic>,
    undeclared: HashSet<Symbol>,
    /// `Real` in logics that have reals and no integers.
    numeral_sort: Sort,
    // Stacks of unfinished terms; a frame knows where its parts begin.
    frames: Vec<Frame>,
    values: Vec<Term>,
    names: Vec<Symbol>,
    vars: Vec<(Symbol, Sort)>,
    indices: Vec<Index>,
    attributes: Vec<Attribute>,
    patterns: Vec<Pattern>,
    scratch: Vec<u8>,
}

impl<'a, 's> Parser<'a, 's> {
    /// A parser of `source` where `scope` is in scope.
    pub fn new(arena: &'a mut Arena, scope: Scope, source: &'s [u8]) -> Result<Self> {
        Ok(Parser {
            arena,
            scope,
            lexer: Lexer::new(source)?,
            pending: None,
            diagnostics: Vec::new(),
            undeclared: HashSet::new(),
            numeral_sort: Sort::INT,
            frames: Vec::with_capacity(64),
            values: Vec::with_capacity(256),
            names: Vec::with_capacity(64),
            vars: Vec::with_capacity(16),
            indices: Vec::with_capacity(16),
            attributes: Vec::new(),
            patterns: Vec::new(),
            scratch: Vec::new(),
        })
    }

    /// The next `name ((x S) ..) S body`, as after `(define-fun`.
    pub fn next_definition(&mut self) -> Result<(Header, Term)> {
        let header = self.header()?;
        let body = self.body(&header, self.lexer.offset())?;
        Ok((header, body))
    }

    /// The next symbol of the input.
    pub fn next_symbol(&mut self) -> Result<Symbol> {
        self.symbol("a symbol")
    }

    /// Continues at a byte offset.
    pub fn seek(&mut self, offset: usize) {
        self.pending = None;
        self.lexer.seek(offset as u32);
    }

    /// Where the next token starts, or the white space before it.
    pub fn offset(&self) -> usize {
        self.pending.map_or(self.lexer.offset(), |t| t.start) as usize
    }

    /// The arena that holds the terms.
    pub fn arena(&mut self) -> &mut Arena {
        self.arena
    }

    /// The names in scope, and the arena for adding some.
    pub fn scope(&mut self) -> (&mut Scope, &mut Arena) {
        (&mut self.scope, self.arena)
    }

    /// The sort of numerals, which depends on the logic. A caller that reads a script in parts passes it on.
    pub fn numeral_sort(&self) -> Sort {
        self.numeral_sort
    }

    /// With another sort of numerals.
    pub fn with_numeral_sort(mut self, sort: Sort) -> Self {
        self.numeral_sort = sort;
        self
    }

    /// The names in scope, for a parser of the text that follows.
    pub fn into_scope(self) -> Scope {
        self.scope
    }

    /// Takes the flaws found so far.
    pub fn take_diagnostics(&mut self) -> Vec<Diagnostic> {
        std::mem::take(&mut self.diagnostics)
    }

    #[inline]
    fn next(&mut self) -> Result<Token> {
        match self.pending.take() {
            Some(token) => Ok(token),
            None => self.lexer.next_token(),
        }
    }

    #[inline]
    fn put_back(&mut self, token: Token) {
        self.pending = Some(token);
    }

    #[inline]
    fn expect(&mut self, kind: TokenKind, wanted: &str) -> Result<Token> {
        let token = self.next()?;
        if token.kind == kind { Ok(token) } else { Err(self.unexpected(token, wanted)) }
    }

    /// Whether the next token, which is taken, is `)`.
    #[inline]
    fn closes(&mut self) -> Result<bool> {
        Ok(self.next()?.kind == TokenKind::Close)
    }

    /// The next token, which stays.
    fn peek(&mut self) -> Result<Token> {
        let token = self.next()?;
        self.put_back(token);
        Ok(token)
    }

    /// Fails unless a token that was taken is `(`.
    fn opened(&self, token: Token, wanted: &str) -> Result<()> {
        if token.kind == TokenKind::Open { Ok(()) } else { Err(self.unexpected(token, wanted)) }
    }

    /// Calls `item` with the first token of each item, up to and including `)`.
    #[inline]
    fn until_close(&mut self, mut item: impl FnMut(&mut Self, Token) -> Result<()>) -> Result<()> {
        loop {
            let token = self.next()?;
            if token.kind == TokenKind::Close {
                return Ok(());
            }
            item(self, token)?;
        }
    }

    /// The same, collected.
    fn items<T>(&mut self, mut item: impl FnMut(&mut Self, Token) -> Result<T>) -> Result<Vec<T>> {
        let mut items = Vec::new();
        self.until_close(|parser, token| {
            items.push(item(parser, token)?);
            Ok(())
        })?;
        Ok(items)
    }

    #[inline]
    fn close(&mut self) -> Result<()> {
        self.expect(TokenKind::Close, "`)`").map(drop)
    }

    #[cold]
    fn unexpected(&self, token: Token, wanted: &str) -> Error {
        let found = match token.kind {
            TokenKind::End => "the end of the input".to_owned(),
            _ => {
                let text = self.lexer.text(token);
                let shown = &text[..text.len().min(40)];
                format!("`{}`", String::from_utf8_lossy(shown))
            }
        };
        Error::new(token.start as usize, format!("expected {wanted}, found {found}"))
    }

    #[cold]
    fn complain(&mut self, offset: u32, message: String) {
        self.diagnostics.push(Diagnostic { flaw: Flaw::IllSorted, offset: offset as usize, message });
    }

    #[cold]
    fn complain_undeclared(&mut self, offset: u32, what: &str, name: Symbol) {
        if self.undeclared.insert(name) {
            let message = format!("{what} `{}` is not declared", self.arena.name(name));
            self.diagnostics.push(Diagnostic { flaw: Flaw::Undeclared, offset: offset as usize, message });
        }
    }

    /// The symbol of a symbol token, bars taken off.
    #[inline]
    fn symbol_of(&mut self, token: Token) -> Option<Symbol> {
        let text = self.lexer.text(token);
        match token.kind {
            TokenKind::Symbol => Some(self.arena.symbol(text)),
            TokenKind::Quoted => Some(self.arena.symbol(&text[1..text.len() - 1])),
            _ => None,
        }
    }

    #[inline]
    fn symbol(&mut self, wanted: &str) -> Result<Symbol> {
        let token = self.next()?;
        self.wanted_symbol(token, wanted)
    }

    #[inline]
    fn wanted_symbol(&mut self, token: Token, wanted: &str) -> Result<Symbol> {
        match self.symbol_of(token) {
            Some(s) => Ok(s),
            None => Err(self.unexpected(token, wanted)),
        }
    }

    /// Whether a token is this reserved word, and not the same text between bars.
    fn is_word(&mut self, token: Token, word: Symbol) -> bool {
        token.kind == TokenKind::Symbol && self.symbol_of(token) == Some(word)
    }

    /// A numeral as an index; as text if it is too large.
    fn numeral_index(&mut self, digits: &[u8]) -> Index {
        let n = std::str::from_utf8(digits).ok().and_then(|t| t.parse().ok()).and_then(Index::number);
        n.unwrap_or_else(|| Index::text(self.arena.symbol(digits)))
    }

    /// A token of any kind as an index.
    fn index_of(&mut self, token: Token) -> Result<Index> {
        let text = self.lexer.text(token);
        match token.kind {
            TokenKind::Numeral => Ok(self.numeral_index(text)),
            // z3's `(_ map (+ (Int Int) Int))`: an index that is a list is kept as text.
            TokenKind::Open => {
                self.put_back(token);
                let text = self.raw_sexpr()?;
                Ok(Index::text(self.arena.symbol(text)))
            }
            TokenKind::Close | TokenKind::End | TokenKind::Keyword => Err(self.unexpected(token, "an index")),
            _ => Ok(Index::text(self.symbol_of(token).unwrap_or_else(|| self.arena.symbol(text)))),
        }
    }

    /// Skips a token or a list; its text.
    fn raw_sexpr(&mut self) -> Result<&'s [u8]> {
        let first = self.next()?;
        let mut depth = 0usize;
        let mut token = first;
        loop {
            match token.kind {
                TokenKind::Open => depth += 1,
                TokenKind::Close if depth == 0 => return Err(self.unexpected(token, "a value")),
                TokenKind::Close => depth -= 1,
                TokenKind::End => {
                    let open = Error::new(first.start as usize, "`(` without its `)`");
                    return Err(if depth > 0 { open } else { self.unexpected(token, "a value") });
                }
                _ => {}
            }
            if depth == 0 {
                return Ok(&self.lexer.source()[first.start as usize..token.end as usize]);
            }
            token = self.next()?;
        }
    }
}
