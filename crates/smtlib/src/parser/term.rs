//! Terms: a loop over tokens with a stack of unfinished terms.

use super::Parser;
use crate::abandon::tick;
use crate::arena::{Attribute, Literal, Pattern, Sort, Symbol, Term, sym};
use crate::error::{Error, Result};
use crate::lexer::{Token, TokenKind};
use crate::scope::Role;

/// The name at the head of an application, with the range of its indices on the parser's stack.
#[derive(Clone, Copy)]
pub(super) struct Head {
    pub(super) name: Symbol,
    pub(super) indices: u32,
    pub(super) ascribed: Option<Sort>,
    pub(super) offset: u32,
}

/// An unfinished term; numbers are positions on the parser's stacks where its parts begin.
#[derive(Clone, Copy)]
pub(super) enum Frame {
    /// `(f a ..`
    App { head: Head, values: u32 },
    /// `((f a) b ..`
    Apply { values: u32, offset: u32 },
    /// `(let ((x` in front of a definition.
    LetBinding { names: u32, values: u32 },
    /// `(let (..)` in front of the body.
    LetBody { names: u32, values: u32, locals: u32 },
    /// `(forall (..)` in front of the body.
    Binder { name: Symbol, vars: u32, values: u32, locals: u32, offset: u32 },
    /// `(match` in front of the scrutinee, or `(match t ((p` in front of a body.
    Match { patterns: u32, values: u32, locals: u32 },
    /// `(!` in front of the term.
    Annotated { attributes: u32, values: u32 },
    /// `(! t :pattern (` in front of a term of the pattern or `)`; `single` for `:no-pattern t`.
    PatternTerms { keyword: Symbol, values: u32, single: bool },
}

impl Parser<'_, '_> {
    /// The next term of the input.
    pub fn next_term(&mut self) -> Result<Term> {
        let floor = self.frames.len();
        loop {
            tick();
            let token = self.next()?;
            let value = match token.kind {
                TokenKind::Symbol => {
                    let name = self.arena.symbol(self.lexer.text(token));
                    if name.is_reserved() {
                        return Err(self.unexpected(token, "a term"));
                    }
                    Some(self.constant(name, token.start))
                }
                TokenKind::Open => self.open_term(token)?,
                TokenKind::Close => {
                    if self.frames.len() == floor {
                        return Err(self.unexpected(token, "a term"));
                    }
                    self.close_term(token)?
                }
                TokenKind::Quoted => {
                    let name = self.symbol_of(token).expect("a symbol token");
                    Some(self.constant(name, token.start))
                }
                _ => Some(self.literal(token)?),
            };
            if let Some(value) = value
                && let Some(done) = self.deliver(value, floor)?
            {
                return Ok(done);
            }
        }
    }

    /// Gives a finished term to the innermost frame; if that completes the frame, its term to the next one, and so on.
    fn deliver(&mut self, mut value: Term, floor: usize) -> Result<Option<Term>> {
        loop {
            if self.frames.len() == floor {
                return Ok(Some(value));
            }
            let top = self.frames.len() - 1;
            match self.frames[top] {
                Frame::App { .. } | Frame::Apply { .. } => {
                    self.values.push(value);
                    return Ok(None);
                }
                Frame::LetBinding { names, values } => {
                    self.values.push(value);
                    self.close()?;
                    self.next_binding(names, values)?;
                    return Ok(None);
                }
                Frame::LetBody { names, values, locals } => {
                    self.close()?;
                    self.values.push(value);
                    self.scope.locals.truncate(locals as usize);
                    value =
                        self.arena.let_parts(&self.names[names as usize..], &self.values[values as usize..]);
                    self.names.truncate(names as usize);
                    self.values.truncate(values as usize);
                }
                Frame::Binder { name, vars, values, locals, offset } => {
                    self.values.push(value);
                    let token = self.next()?;
                    if token.kind != TokenKind::Close {
                        self.put_back(token);
                        return Ok(None);
                    }
                    self.scope.locals.truncate(locals as usize);
                    value = self.finish_binder(name, vars, values, offset);
                }
                Frame::Match { patterns, values, locals } => {
                    if self.values.len() > values as usize {
                        self.close()?; // after the body of a case
                    } else {
                        self.expect(TokenKind::Open, "`(` before the cases")?;
                    }
                    self.values.push(value);
                    self.scope.locals.truncate(locals as usize);
                    if self.next_case(values)? {
                        return Ok(None);
                    }
                    value = self.finish_match(patterns, values);
                }
                Frame::Annotated { attributes, values } => {
                    self.values.push(value);
                    if !self.attributes(values)? {
                        return Ok(None);
                    }
                    value = self.finish_annotated(attributes, values);
                }
                Frame::PatternTerms { keyword, values, single } => {
                    self.values.push(value);
                    if !single {
                        return Ok(None);
                    }
                    match self.finish_pattern(keyword, values)? {
                        Some(annotated) => value = annotated,
                        None => return Ok(None),
                    }
                    continue; // its frame is already popped
                }
            }
            self.frames.pop();
        }
    }

    /// After `(`: a frame, or a term that is already complete.
    fn open_term(&mut self, open: Token) -> Result<Option<Term>> {
        let token = self.next()?;
        let values = self.values.len() as u32;
        let name = match token.kind {
            TokenKind::Symbol => self.arena.symbol(self.lexer.text(token)),
            TokenKind::Quoted => {
                let name = self.symbol_of(token).expect("a symbol token");
                self.push_app(self.plain_head(name, open.start));
                return Ok(None);
            }
            TokenKind::Open => {
                // `((_ f 1) ..`, `((as f S) ..`, or a head that is a term.
                let inner = self.next()?;
                match self.symbol_of(inner) {
                    Some(word @ (sym::UNDERSCORE | sym::AS)) if inner.kind == TokenKind::Symbol => {
                        let head = self.qualified_head(word, open.start)?;
                        self.push_app(head);
                    }
                    _ => {
                        self.frames.push(Frame::Apply { values, offset: open.start });
                        // Read the head as a term of its own: go back to its parenthesis.
                        self.seek(token.start as usize);
                    }
                }
                return Ok(None);
            }
            _ => {
                return Err(
                    self.unexpected(token, "a function, `let`, a quantifier or another head of a term")
                );
            }
        };
        match name {
            sym::LET => {
                let names = self.names.len() as u32;
                self.expect(TokenKind::Open, "`(` before the bindings")?;
                self.frames.push(Frame::LetBinding { names, values });
                self.next_binding(names, values)?;
            }
            sym::BANG => {
                self.frames.push(Frame::Annotated { attributes: self.attributes.len() as u32, values });
            }
            sym::MATCH => {
                let locals = self.scope.locals.len() as u32;
                self.frames.push(Frame::Match { patterns: self.patterns.len() as u32, values, locals });
            }
            sym::UNDERSCORE | sym::AS => {
                let head = self.qualified_head(name, open.start)?;
                let term = self.application(head, values, false);
                self.indices.truncate(head.indices as usize);
                return Ok(Some(term));
            }
            _ if self.binds(name)? => self.enter_binder(name, open.start)?,
            _ if name.is_reserved() => {
                return Err(self.unexpected(token, "a function or another head of a term"));
            }
            _ => self.push_app(self.plain_head(name, open.start)),
        }
        Ok(None)
    }

    fn push_app(&mut self, head: Head) {
        self.frames.push(Frame::App { head, values: self.values.len() as u32 });
    }

    /// A name without indices or sort.
    pub(super) fn plain_head(&self, name: Symbol, offset: u32) -> Head {
        Head { name, indices: self.indices.len() as u32, ascribed: None, offset }
    }

    /// After `(_` or `(as`.
    fn qualified_head(&mut self, word: Symbol, offset: u32) -> Result<Head> {
        if word == sym::AS { self.ascribed_head(offset) } else { self.indexed_head(offset) }
    }

    /// After `(_`.
    fn indexed_head(&mut self, offset: u32) -> Result<Head> {
        let name = self.symbol("a name to be indexed")?;
        let head = self.plain_head(name, offset);
        self.until_close(|parser, token| {
            let index = parser.index_of(token)?;
            parser.indices.push(index);
            Ok(())
        })?;
        Ok(head)
    }

    /// After `(as`: a name, possibly indexed, and a sort.
    fn ascribed_head(&mut self, offset: u32) -> Result<Head> {
        let token = self.next()?;
        let mut head = match token.kind {
            TokenKind::Open => {
                let token = self.next()?;
                if self.symbol_of(token) != Some(sym::UNDERSCORE) {
                    return Err(self.unexpected(token, "`_`"));
                }
                self.indexed_head(offset)?
            }
            _ => {
                let name = self.wanted_symbol(token, "a name")?;
                self.plain_head(name, offset)
            }
        };
        head.ascribed = Some(self.next_sort()?);
        self.close()?;
        Ok(head)
    }

    /// After `)` that belongs to the innermost frame.
    fn close_term(&mut self, token: Token) -> Result<Option<Term>> {
        match *self.frames.last().expect("a frame is open") {
            Frame::App { head, values } => {
                self.frames.pop();
                let term = self.application(head, values, true);
                self.values.truncate(values as usize);
                self.indices.truncate(head.indices as usize);
                Ok(Some(term))
            }
            Frame::Apply { values, offset } => {
                if self.values.len() <= values as usize + 1 {
                    return Err(self.unexpected(token, "an argument"));
                }
                self.frames.pop();
                let term = self.term_application(values, offset);
                self.values.truncate(values as usize);
                Ok(Some(term))
            }
            Frame::PatternTerms { keyword, values, single: false } => self.finish_pattern(keyword, values),
            _ => Err(self.unexpected(token, "a term")),
        }
    }

    fn literal(&mut self, token: Token) -> Result<Term> {
        let text = self.lexer.text(token);
        let (kind, sort, text) = match token.kind {
            TokenKind::Numeral => (Literal::Numeral, self.numeral_sort, text),
            TokenKind::Decimal if text.ends_with(b".") => {
                self.scratch.clear();
                self.scratch.extend_from_slice(text);
                self.scratch.push(b'0');
                let text = self.arena.symbol(&self.scratch);
                return Ok(self.arena.literal(Literal::Decimal, text, Sort::REAL));
            }
            TokenKind::Decimal => (Literal::Decimal, Sort::REAL, text),
            TokenKind::Hex => (Literal::Hex, self.arena.bitvec(4 * (text.len() as u32 - 2)), text),
            TokenKind::Binary => (Literal::Binary, self.arena.bitvec(text.len() as u32 - 2), text),
            TokenKind::String => (Literal::String, Sort::STRING, &text[1..text.len() - 1]),
            TokenKind::Sharp => (Literal::Sharp, self.sharp_sort(text), text),
            _ => return Err(self.unexpected(token, "a term")),
        };
        let text = self.arena.symbol(text);
        Ok(self.arena.literal(kind, text, sort))
    }

    /// `#f3m5` is a constant of the field of order 5.
    fn sharp_sort(&mut self, text: &[u8]) -> Sort {
        let order =
            text.strip_prefix(b"#f").and_then(|t| t.iter().rposition(|&c| c == b'm').map(|m| &t[m + 1..]));
        match order {
            Some(digits) if !digits.is_empty() && digits.iter().all(u8::is_ascii_digit) => {
                let index = self.numeral_index(digits);
                self.arena.indexed_sort(sym::FINITE_FIELD, &[index])
            }
            _ => Sort::UNKNOWN,
        }
    }

    /// The name of the next binding of a `let`, or the end of the bindings.
    fn next_binding(&mut self, names: u32, values: u32) -> Result<()> {
        let token = self.next()?;
        if token.kind == TokenKind::Close {
            self.enter_let(names, values);
            return Ok(());
        }
        self.opened(token, "`(` before a binding, or `)`")?;
        let name = self.symbol("a variable")?;
        self.names.push(name);
        Ok(())
    }

    /// The bindings are complete: their names come into scope.
    fn enter_let(&mut self, names: u32, values: u32) {
        let locals = self.scope.locals.len() as u32;
        for i in 0..self.names.len() - names as usize {
            let sort = self.arena.sort_of(self.values[values as usize + i]);
            self.scope.push_local(self.names[names as usize + i], sort);
        }
        *self.frames.last_mut().expect("the let") = Frame::LetBody { names, values, locals };
    }

    /// Whether a word binds here. A solver's own binder is also a name: it binds if two parentheses follow.
    #[inline]
    fn binds(&mut self, name: Symbol) -> Result<bool> {
        let standard = matches!(name, sym::FORALL | sym::EXISTS | sym::LAMBDA);
        if standard || !(sym::CHOICE..=sym::WITNESS).contains(&name) {
            return Ok(standard);
        }
        let here = self.offset();
        let binds = self.next()?.kind == TokenKind::Open && self.next()?.kind == TokenKind::Open;
        self.seek(here);
        Ok(binds)
    }

    fn enter_binder(&mut self, name: Symbol, offset: u32) -> Result<()> {
        let vars = self.vars.len() as u32;
        self.sorted_vars()?;
        let locals = self.scope.locals.len() as u32;
        for i in vars as usize..self.vars.len() {
            let (name, sort) = self.vars[i];
            self.scope.push_local(name, sort);
        }
        self.frames.push(Frame::Binder { name, vars, values: self.values.len() as u32, locals, offset });
        Ok(())
    }

    /// `((x S) ..)` onto the stack of variables.
    pub(super) fn sorted_vars(&mut self) -> Result<()> {
        self.expect(TokenKind::Open, "`(` before the variables")?;
        self.until_close(|parser, token| {
            parser.opened(token, "`(` before a variable, or `)`")?;
            let var = parser.sorted_name("a variable")?;
            parser.vars.push(var);
            Ok(())
        })
    }

    /// `x S)`, after `(`.
    pub(super) fn sorted_name(&mut self, wanted: &str) -> Result<(Symbol, Sort)> {
        let name = self.symbol(wanted)?;
        let sort = self.next_sort()?;
        self.close()?;
        Ok((name, sort))
    }

    fn finish_binder(&mut self, name: Symbol, vars: u32, values: u32, offset: u32) -> Term {
        let bodies = &self.values[values as usize..];
        let body_sort = self.arena.sort_of(bodies[bodies.len() - 1]);
        let sort = match name {
            sym::FORALL | sym::EXISTS => Sort::BOOL,
            sym::LAMBDA => {
                let mut parts: Vec<Sort> =
                    self.vars[vars as usize..].iter().map(|v| self.arena.canonical(v.1)).collect();
                parts.push(body_sort);
                // A lambda over a body of unknown sort is unknown too.
                if body_sort == Sort::UNKNOWN { Sort::UNKNOWN } else { self.arena.function_sort(&parts) }
            }
            sym::COMPREHENSION | sym::OLD_COMPREHENSION => self.arena.sort(sym::SET, &[body_sort]),
            _ => self.vars.get(vars as usize).map_or(Sort::UNKNOWN, |v| self.arena.canonical(v.1)),
        };
        if matches!(name, sym::FORALL | sym::EXISTS) && !matches!(body_sort, Sort::BOOL | Sort::UNKNOWN) {
            self.complain(offset, "the body of a quantifier must be Bool".to_owned());
        }
        let term =
            self.arena.binder(name, &self.vars[vars as usize..], &self.values[values as usize..], sort);
        self.vars.truncate(vars as usize);
        self.values.truncate(values as usize);
        term
    }

    /// A case of a `match`, up to its body; `false` after the last.
    fn next_case(&mut self, values: u32) -> Result<bool> {
        let token = self.next()?;
        if token.kind == TokenKind::Close {
            self.close()?;
            return Ok(false);
        }
        self.opened(token, "`(` before a case, or `)`")?;
        let scrutinee = self.arena.sort_of(self.values[values as usize]);
        let token = self.next()?;
        let pattern = match self.symbol_of(token) {
            Some(name) => match self.constructor(name, scrutinee) {
                Some(_) => Pattern { constructor: Some(name), vars: Vec::new() },
                None => Pattern { constructor: None, vars: vec![(name, scrutinee)] },
            },
            None if token.kind == TokenKind::Open => {
                let name = self.symbol("a constructor")?;
                let sorts = self.constructor(name, scrutinee);
                if sorts.is_none() {
                    self.complain_undeclared(token.start, "constructor", name);
                }
                let mut sorts = sorts.into_iter().flatten();
                let vars = self.items(|parser, token| {
                    let name = parser.wanted_symbol(token, "a variable or `)`")?;
                    Ok((name, sorts.next().unwrap_or(Sort::UNKNOWN)))
                })?;
                Pattern { constructor: Some(name), vars }
            }
            None => return Err(self.unexpected(token, "a pattern")),
        };
        for &(name, sort) in &pattern.vars {
            self.scope.push_local(name, sort);
        }
        self.patterns.push(pattern);
        Ok(true)
    }

    /// The argument sorts of a constructor of a sort.
    fn constructor(&mut self, name: Symbol, sort: Sort) -> Option<Vec<Sort>> {
        let d = self.scope.declared(name).find(|d| d.role == Role::Constructor)?;
        let args = d.args.to_vec();
        if !d.parametric {
            return Some(args);
        }
        let params: Vec<Sort> = self.arena.sort_view(d.result).args.to_vec();
        let actual: Vec<Sort> = self.arena.sort_view(sort).args.to_vec();
        let names: Vec<Symbol> = params.iter().map(|&p| self.arena.sort_view(p).head).collect();
        let map = |p: Symbol| {
            let i = names.iter().position(|&n| n == p)?;
            Some(actual.get(i).copied().unwrap_or(Sort::UNKNOWN))
        };
        Some(args.iter().map(|&a| self.arena.substitute(a, &map)).collect())
    }

    fn finish_match(&mut self, patterns: u32, values: u32) -> Term {
        let values_of = &self.values[values as usize..];
        let scrutinee = values_of[0];
        let cases: Vec<(Pattern, Term)> =
            self.patterns.drain(patterns as usize..).zip(values_of[1..].iter().copied()).collect();
        let sort = cases.iter().map(|c| self.arena.sort_of(c.1)).find(|&s| s != Sort::UNKNOWN);
        let term = self.arena.match_term(scrutinee, &cases, sort.unwrap_or(Sort::UNKNOWN));
        self.values.truncate(values as usize);
        term
    }

    /// Attributes of an annotated term; `false` when a frame for the terms of a pattern was opened.
    fn attributes(&mut self, values: u32) -> Result<bool> {
        loop {
            let token = self.next()?;
            match token.kind {
                TokenKind::Close => return Ok(true),
                TokenKind::Keyword => {}
                _ => return Err(self.unexpected(token, "an attribute such as `:named`")),
            }
            let keyword = self.arena.symbol(self.lexer.text(token));
            match keyword {
                sym::K_NAMED => {
                    let name = self.symbol("a name")?;
                    let sort = self.arena.sort_of(self.values[values as usize]);
                    self.scope.declare(self.arena, name, Role::Named, &[], sort);
                    self.attributes.push(Attribute::Name(name));
                }
                sym::K_PATTERN | sym::K_NO_PATTERN => {
                    let single = keyword == sym::K_NO_PATTERN || self.peek()?.kind != TokenKind::Open;
                    if !single {
                        self.next()?;
                    }
                    let values = self.values.len() as u32;
                    self.frames.push(Frame::PatternTerms { keyword, values, single });
                    return Ok(false);
                }
                _ => {
                    if matches!(self.peek()?.kind, TokenKind::Keyword | TokenKind::Close) {
                        self.attributes.push(Attribute::Bare(keyword));
                    } else {
                        let text = self.raw_sexpr()?;
                        let text = self.arena.symbol(text);
                        self.attributes.push(Attribute::Text(keyword, text));
                    }
                }
            }
        }
    }

    /// The terms of a pattern are complete: pops its frame and continues with the surrounding attributes; the annotated
    /// term, its frame popped too, if they end here.
    fn finish_pattern(&mut self, keyword: Symbol, values: u32) -> Result<Option<Term>> {
        self.attributes.push(Attribute::Terms(keyword, self.values.len() - values as usize));
        self.frames.pop();
        let Some(&Frame::Annotated { attributes, values }) = self.frames.last() else {
            return Err(Error::new(self.offset(), "a pattern outside an annotation"));
        };
        if !self.attributes(values)? {
            return Ok(None);
        }
        self.frames.pop();
        Ok(Some(self.finish_annotated(attributes, values)))
    }

    fn finish_annotated(&mut self, attributes: u32, values: u32) -> Term {
        let term =
            self.arena.annotated(&self.values[values as usize..], &self.attributes[attributes as usize..]);
        self.attributes.truncate(attributes as usize);
        self.values.truncate(values as usize);
        term
    }
}
