//! Datatype declarations, in the current and the 2.5 syntax.

use super::Parser;
use crate::arena::{Sort, Symbol, sym};
use crate::error::Result;
use crate::lexer::TokenKind;
use crate::scope::{Role, SortMeaning};
use crate::script::{Command, Constructor, Datatype, DatatypeKind};

impl Parser<'_, '_> {
    /// Behind `(declare-datatype`.
    pub(super) fn declare_datatype(&mut self, kind: DatatypeKind) -> Result<Command> {
        let name = self.symbol("the name of a datatype")?;
        // The arity stands behind, with the parameters: look ahead.
        let (mark, pending) = (self.lexer.offset(), self.pending);
        let arity = self.parameter_count()?;
        self.lexer.seek(mark);
        self.pending = pending;
        self.scope.declare_sort(name, SortMeaning::Constructor(arity));
        let datatype = self.datatype_body(name)?;
        self.close()?;
        self.declare_constructors(&datatype);
        Ok(Command::DeclareDatatypes(kind, Box::new([datatype])))
    }

    /// How many parameters a `(par (..) ..)` ahead has.
    fn parameter_count(&mut self) -> Result<u32> {
        self.expect(TokenKind::Open, "`(`")?;
        let token = self.next()?;
        if self.symbol_of(token) != Some(sym::PAR) || token.kind != TokenKind::Symbol {
            return Ok(0);
        }
        self.expect(TokenKind::Open, "`(`")?;
        let mut n = 0;
        while self.next()?.kind != TokenKind::Close {
            n += 1;
            if self.at_end()? {
                return Ok(n);
            }
        }
        Ok(n)
    }

    /// Behind `(declare-datatypes`.
    pub(super) fn declare_datatypes(&mut self, kind: DatatypeKind) -> Result<Command> {
        self.expect(TokenKind::Open, "`(` before the names of the datatypes")?;
        let token = self.next()?;
        if token.kind != TokenKind::Open {
            self.put_back(token);
            return self.old_datatypes(kind);
        }
        let mut names: Vec<Symbol> = Vec::new();
        loop {
            let name = self.symbol("the name of a datatype")?;
            let arity = self.numeral("the number of its parameters")?;
            self.close()?;
            self.scope.declare_sort(name, SortMeaning::Constructor(arity));
            names.push(name);
            let token = self.next()?;
            match token.kind {
                TokenKind::Open => {}
                TokenKind::Close => break,
                _ => return Err(self.unexpected(token, "`(` or `)`")),
            }
        }
        self.expect(TokenKind::Open, "`(` before the constructors")?;
        let mut datatypes = Vec::new();
        for &name in &names {
            datatypes.push(self.datatype_body(name)?);
        }
        self.close()?;
        self.close()?;
        for d in &datatypes {
            self.declare_constructors(d);
        }
        Ok(Command::DeclareDatatypes(kind, datatypes.into()))
    }

    /// `(constructors)` or `(par (params) (constructors))`
    fn datatype_body(&mut self, name: Symbol) -> Result<Datatype> {
        let mark = self.scope.sort_count();
        self.expect(TokenKind::Open, "`(` before the constructors")?;
        let token = self.next()?;
        let mut params = Vec::new();
        let is_par = self.symbol_of(token) == Some(sym::PAR) && token.kind == TokenKind::Symbol;
        if is_par {
            self.expect(TokenKind::Open, "`(` before the sort parameters")?;
            params = self.parameters()?;
            self.expect(TokenKind::Open, "`(` before the constructors")?;
        } else {
            self.put_back(token);
        }
        let constructors = self.constructors()?;
        if is_par {
            self.close()?;
        }
        self.scope.truncate_sorts(mark);
        Ok(Datatype { name, params: params.into(), constructors })
    }

    /// Sort parameters up to `)`, declared.
    fn parameters(&mut self) -> Result<Vec<Symbol>> {
        let mut params = Vec::new();
        loop {
            let token = self.next()?;
            match self.symbol_of(token) {
                Some(p) => {
                    self.scope.declare_sort(p, SortMeaning::Parameter);
                    params.push(p);
                }
                None if token.kind == TokenKind::Close => return Ok(params),
                None => return Err(self.unexpected(token, "a sort parameter or `)`")),
            }
        }
    }

    /// Constructors up to `)`.
    fn constructors(&mut self) -> Result<Box<[Constructor]>> {
        let mut constructors = Vec::new();
        loop {
            let token = self.next()?;
            if let Some(name) = self.symbol_of(token) {
                constructors.push(Constructor { name, selectors: Box::new([]) });
                continue;
            }
            match token.kind {
                TokenKind::Close => return Ok(constructors.into()),
                TokenKind::Open => {}
                _ => return Err(self.unexpected(token, "a constructor or `)`")),
            }
            let name = self.symbol("the name of a constructor")?;
            let mut selectors = Vec::new();
            loop {
                let token = self.next()?;
                match token.kind {
                    TokenKind::Close => break,
                    TokenKind::Open => {}
                    _ => return Err(self.unexpected(token, "a selector or `)`")),
                }
                let selector = self.symbol("the name of a selector")?;
                let sort = self.sort()?;
                self.close()?;
                selectors.push((selector, sort));
            }
            constructors.push(Constructor { name, selectors: selectors.into() });
        }
    }

    /// `params) ((name constructor ..) ..))`, where names stand for themselves over all parameters.
    fn old_datatypes(&mut self, kind: DatatypeKind) -> Result<Command> {
        let mark = self.scope.sort_count();
        let params = self.parameters()?;
        self.expect(TokenKind::Open, "`(` before the datatypes")?;
        // Recursive references come before the names they refer to: declare all names first.
        let (start, pending) = (self.lexer.offset(), self.pending);
        let mut names = Vec::new();
        loop {
            let token = self.next()?;
            match token.kind {
                TokenKind::Close => break,
                TokenKind::Open => {}
                _ => return Err(self.unexpected(token, "`(` before a datatype")),
            }
            let name = self.symbol("the name of a datatype")?;
            names.push(name);
            let mut depth = 1;
            while depth > 0 {
                let token = self.next()?;
                match token.kind {
                    TokenKind::Open => depth += 1,
                    TokenKind::Close => depth -= 1,
                    TokenKind::End => return Err(self.unexpected(token, "`)`")),
                    _ => {}
                }
            }
        }
        self.lexer.seek(start);
        self.pending = pending;
        let param_sorts: Vec<Sort> = params.iter().map(|&p| self.arena.sort_parameter(p)).collect();
        for &name in &names {
            // `Lst` and `(Lst T)` both mean the datatype over its own parameters.
            let whole = self.arena.sort(name, &param_sorts);
            self.scope.declare_sort(name, SortMeaning::Alias(Box::new([]), whole));
        }
        let mut datatypes = Vec::new();
        for &name in &names {
            self.expect(TokenKind::Open, "`(` before a datatype")?;
            self.symbol("the name of a datatype")?;
            let (here, pending) = (self.lexer.offset(), self.pending);
            let before = self.diagnostics.len();
            let mut constructors = self.constructors()?;
            if self.diagnostics.len() > before && !params.is_empty() {
                // It writes the parameters out: read it again with the names as constructors.
                self.diagnostics.truncate(before);
                self.lexer.seek(here);
                self.pending = pending;
                for &name in &names {
                    self.scope.declare_sort(name, SortMeaning::Constructor(params.len() as u32));
                }
                constructors = self.constructors()?;
            }
            // What is printed must not use the short form.
            for c in &mut constructors {
                for s in &mut c.selectors {
                    s.1 = self.arena.canonical(s.1);
                }
            }
            datatypes.push(Datatype { name, params: params.clone().into(), constructors });
        }
        self.close()?;
        self.close()?;
        self.scope.truncate_sorts(mark);
        for d in &datatypes {
            self.scope.declare_sort(d.name, SortMeaning::Constructor(d.params.len() as u32));
        }
        for d in &datatypes {
            self.declare_constructors(d);
        }
        Ok(Command::DeclareDatatypes(kind, datatypes.into()))
    }

    fn declare_constructors(&mut self, datatype: &Datatype) {
        let params: Vec<Sort> = datatype.params.iter().map(|&p| self.arena.sort_parameter(p)).collect();
        let whole = self.arena.sort(datatype.name, &params);
        for c in &datatype.constructors {
            let args: Vec<Sort> = c.selectors.iter().map(|s| s.1).collect();
            self.scope.declare(self.arena, c.name, Role::Constructor, &args, whole);
            for &(selector, sort) in &c.selectors {
                self.scope.declare(self.arena, selector, Role::Selector, &[whole], sort);
            }
            self.scratch.clear();
            self.scratch.extend_from_slice(b"is-");
            self.scratch.extend_from_slice(self.arena.text(c.name));
            let tester = self.arena.symbol(&self.scratch);
            self.scope.declare(self.arena, tester, Role::Tester, &[whole], Sort::BOOL);
        }
    }
}
