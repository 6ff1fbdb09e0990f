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
        // The arity follows from the parameters, which come later: look ahead.
        let mark = self.offset();
        let arity = self.parameter_count()?;
        self.seek(mark);
        self.scope.sorts.push(name, SortMeaning::Constructor(arity));
        let datatype = self.datatype_body(name)?;
        self.close()?;
        self.declare_constructors(&datatype);
        Ok(Command::DeclareDatatypes(kind, Box::new([datatype])))
    }

    /// How many parameters a `(par (..) ..)` ahead has.
    fn parameter_count(&mut self) -> Result<u32> {
        self.expect(TokenKind::Open, "`(`")?;
        let token = self.next()?;
        if !self.is_word(token, sym::PAR) {
            return Ok(0);
        }
        self.expect(TokenKind::Open, "`(`")?;
        let params = self.items(|parser, token| parser.wanted_symbol(token, "a sort parameter or `)`"))?;
        Ok(params.len() as u32)
    }

    /// Behind `(declare-datatypes`.
    pub(super) fn declare_datatypes(&mut self, kind: DatatypeKind) -> Result<Command> {
        self.expect(TokenKind::Open, "`(` before the names of the datatypes")?;
        if self.peek()?.kind != TokenKind::Open {
            return self.old_datatypes(kind);
        }
        let names = self.items(|parser, token| {
            parser.opened(token, "`(` or `)`")?;
            let name = parser.symbol("the name of a datatype")?;
            let arity = parser.numeral("the number of its parameters")?;
            parser.close()?;
            parser.scope.sorts.push(name, SortMeaning::Constructor(arity));
            Ok(name)
        })?;
        self.expect(TokenKind::Open, "`(` before the constructors")?;
        let datatypes =
            names.into_iter().map(|name| self.datatype_body(name)).collect::<Result<Box<[_]>>>()?;
        self.close()?;
        self.close()?;
        datatypes.iter().for_each(|d| self.declare_constructors(d));
        Ok(Command::DeclareDatatypes(kind, datatypes))
    }

    /// `(constructors)` or `(par (params) (constructors))`
    fn datatype_body(&mut self, name: Symbol) -> Result<Datatype> {
        let mark = self.scope.sorts.len();
        self.expect(TokenKind::Open, "`(` before the constructors")?;
        let token = self.next()?;
        let mut params = Vec::new();
        let is_par = self.is_word(token, sym::PAR);
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
        self.scope.sorts.truncate(mark);
        Ok(Datatype { name, params: params.into(), constructors })
    }

    /// Sort parameters up to `)`, declared.
    pub(super) fn parameters(&mut self) -> Result<Vec<Symbol>> {
        self.items(|parser, token| {
            let param = parser.wanted_symbol(token, "a sort parameter or `)`")?;
            parser.scope.sorts.push(param, SortMeaning::Parameter);
            Ok(param)
        })
    }

    /// Constructors up to `)`.
    fn constructors(&mut self) -> Result<Box<[Constructor]>> {
        let constructors = self.items(|parser, token| {
            if let Some(name) = parser.symbol_of(token) {
                return Ok(Constructor { name, selectors: Box::new([]) });
            }
            parser.opened(token, "a constructor or `)`")?;
            let name = parser.symbol("the name of a constructor")?;
            let selectors = parser.items(|parser, token| {
                parser.opened(token, "a selector or `)`")?;
                parser.sorted_name("the name of a selector")
            })?;
            Ok(Constructor { name, selectors: selectors.into() })
        })?;
        Ok(constructors.into())
    }

    /// `params) ((name constructor ..) ..))`, where a name means the datatype over all parameters.
    fn old_datatypes(&mut self, kind: DatatypeKind) -> Result<Command> {
        let mark = self.scope.sorts.len();
        let params = self.parameters()?;
        self.expect(TokenKind::Open, "`(` before the datatypes")?;
        // Recursive references come before the names they refer to: declare all names first.
        let start = self.offset();
        let names = self.items(|parser, token| {
            parser.opened(token, "`(` before a datatype")?;
            let name = parser.symbol("the name of a datatype")?;
            parser.until_close(|parser, token| {
                parser.put_back(token);
                parser.raw_sexpr().map(drop)
            })?;
            Ok(name)
        })?;
        self.seek(start);
        let param_sorts: Vec<Sort> = params.iter().map(|&p| self.arena.sort_parameter(p)).collect();
        for &name in &names {
            // `Lst` and `(Lst T)` both mean the datatype over its own parameters.
            let whole = self.arena.sort(name, &param_sorts);
            self.scope.sorts.push(name, SortMeaning::Alias(Box::new([]), whole));
        }
        let mut datatypes = Vec::new();
        for &name in &names {
            self.expect(TokenKind::Open, "`(` before a datatype")?;
            self.symbol("the name of a datatype")?;
            let here = self.offset();
            let before = self.diagnostics.len();
            let mut constructors = self.constructors()?;
            if self.diagnostics.len() > before && !params.is_empty() {
                // It writes the parameters out: read it again with the names as constructors.
                self.diagnostics.truncate(before);
                self.seek(here);
                for &name in &names {
                    self.scope.sorts.push(name, SortMeaning::Constructor(params.len() as u32));
                }
                constructors = self.constructors()?;
            }
            // The printed sort must not use the short form.
            for c in &mut constructors {
                for s in &mut c.selectors {
                    s.1 = self.arena.canonical(s.1);
                }
            }
            datatypes.push(Datatype { name, params: params.clone().into(), constructors });
        }
        self.close()?;
        self.close()?;
        self.scope.sorts.truncate(mark);
        for d in &datatypes {
            self.scope.sorts.push(d.name, SortMeaning::Constructor(d.params.len() as u32));
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
