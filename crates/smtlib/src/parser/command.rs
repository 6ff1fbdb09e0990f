//! Commands.

use super::{Diagnostic, Flaw, Parser};
use crate::arena::{Sort, Strictness, Symbol, Term, sym};
use crate::error::{Error, Result};
use crate::lexer::{Token, TokenKind};
use crate::logic::Logic;
use crate::scope::{Role, SortMeaning};
use crate::script::{Command, Comment, DatatypeKind, Direction, Header, InfoValue, Script};

const ARGUMENT_SORTS: &str = "`(` before the argument sorts";

impl Parser<'_, '_> {
    /// The whole input.
    pub(super) fn script(&mut self) -> Result<Script> {
        let mut script = Script { commands: Vec::with_capacity(32), comments: Vec::new() };
        loop {
            loop {
                self.lexer.skip_blank();
                let Some(text) = self.lexer.comment() else { break };
                let text = self.arena.symbol(text);
                script.comments.push(Comment { before: script.commands.len() as u32, text });
            }
            let Some(command) = self.next_command()? else { break };
            let is_end = matches!(command, Command::Plain(sym::EXIT));
            script.commands.push(command);
            // No solver reads on, so what follows belongs to no query and declares nothing.
            if is_end {
                break;
            }
        }
        let flawed = |c: &Command| matches!(c, Command::Malformed(_));
        match self.diagnostics.iter().find(|d| d.flaw == Flaw::Malformed) {
            // A text without any well-formed command is not a script.
            Some(d) if script.commands.iter().all(flawed) => Err(Error::new(d.offset, d.message.clone())),
            _ => Ok(script),
        }
    }

    /// The next command of the input; `None` at its end. A command that is not well-formed is kept as text, with a
    /// diagnostic.
    pub fn next_command(&mut self) -> Result<Option<Command>> {
        let start = self.lexer.offset();
        let open = self.next()?;
        let result = match open.kind {
            TokenKind::End => return Ok(None),
            TokenKind::Open => self.command(open),
            TokenKind::Close => Err(self.unexpected(open, "a command (this `)` has no `(`)")),
            _ => Err(self.unexpected(open, "`(` before a command")),
        };
        match result {
            Ok(command) => Ok(Some(command)),
            Err(e) => self.recover(start, open, e).map(Some),
        }
    }

    /// Keeps a command that is not well-formed as text; fails with `e` if it has no end.
    fn recover(&mut self, start: u32, open: Token, e: Error) -> Result<Command> {
        self.frames.clear();
        self.values.clear();
        self.names.clear();
        self.vars.clear();
        self.indices.clear();
        self.attributes.clear();
        self.patterns.clear();
        self.scope.locals.truncate(0);
        self.seek(start as usize);
        let text = match open.kind {
            TokenKind::Open => self.raw_sexpr().map_err(|_| e.clone())?,
            _ => self.lexer.line().trim_ascii_end(),
        };
        self.diagnostics.push(Diagnostic {
            flaw: Flaw::Malformed,
            offset: e.offset,
            message: e.message.clone(),
        });
        Ok(Command::Malformed(self.arena.symbol(text)))
    }

    /// Behind `(`.
    fn command(&mut self, open: Token) -> Result<Command> {
        let name = self.symbol("the name of a command")?;
        Ok(match name {
            sym::ASSERT => {
                let term = self.next_term()?;
                self.close()?;
                self.want_bool(term, open.start, "an assertion");
                Command::Assert(term)
            }
            sym::DECLARE_FUN => {
                let name = self.symbol("the name of a function")?;
                let args = self.list_of(ARGUMENT_SORTS, Self::next_sort)?;
                let result = self.next_sort()?;
                self.close()?;
                self.scope.declare(self.arena, name, Role::Free, &args, result);
                Command::DeclareFun(name, args.into(), result)
            }
            sym::DECLARE_CONST => {
                let name = self.symbol("the name of a constant")?;
                let sort = self.next_sort()?;
                self.close()?;
                self.scope.declare(self.arena, name, Role::Free, &[], sort);
                Command::DeclareConst(name, sort)
            }
            sym::CHECK_SAT_ASSUMING => {
                let terms = self.list_of("`(` before the terms", Self::next_term)?;
                if !self.closes()? {
                    return self.other(open, name);
                }
                for &t in &terms {
                    self.want_bool(t, open.start, "an assumption");
                }
                Command::CheckSatAssuming(terms.into())
            }
            sym::DECLARE_DATATYPE => self.declare_datatype(DatatypeKind::One)?,
            sym::DECLARE_CODATATYPE => self.declare_datatype(DatatypeKind::CoOne)?,
            sym::DECLARE_DATATYPES => self.declare_datatypes(DatatypeKind::Many)?,
            sym::DECLARE_CODATATYPES => self.declare_datatypes(DatatypeKind::CoMany)?,
            sym::DECLARE_SORT => {
                let name = self.symbol("the name of a sort")?;
                let arity = self.last_numeral(0, "its arity")?;
                self.scope.sorts.push(name, SortMeaning::Constructor(arity));
                Command::DeclareSort(name, arity)
            }
            sym::DECLARE_SORT_PARAMETER => {
                let name = self.symbol("the name of a sort parameter")?;
                self.close()?;
                self.scope.sorts.push(name, SortMeaning::Parameter);
                Command::DeclareSortParameter(name)
            }
            sym::DEFINE_SORT => {
                let name = self.symbol("the name of a sort")?;
                self.expect(TokenKind::Open, "`(` before the sort parameters")?;
                let mark = self.scope.sorts.len();
                let params = self.parameters()?;
                let sort = self.next_sort()?;
                self.close()?;
                self.scope.sorts.truncate(mark);
                let target = self.arena.canonical(sort);
                self.scope.sorts.push(name, SortMeaning::Alias(params.clone().into(), target));
                Command::DefineSort(name, params.into(), sort)
            }
            sym::DEFINE_CONST => {
                let name = self.symbol("the name of a constant")?;
                let sort = self.next_sort()?;
                let body = self.next_term()?;
                self.close()?;
                self.want_sort(body, sort, open.start);
                self.scope.declare(self.arena, name, Role::Defined, &[], sort);
                Command::DefineConst(name, sort, body)
            }
            sym::DEFINE_FUN => {
                let header = self.header()?;
                let body = self.body(&header, open.start)?;
                self.close()?;
                self.declare_header(&header);
                Command::DefineFun(Box::new(header), body)
            }
            sym::DEFINE_FUN_REC => {
                let header = self.header()?;
                self.declare_header(&header);
                let body = self.body(&header, open.start)?;
                self.close()?;
                Command::DefineFunRec(Box::new(header), body)
            }
            sym::DEFINE_FUNS_REC => self.define_funs_rec(open.start)?,
            sym::ECHO => {
                let token = self.next()?;
                if matches!(token.kind, TokenKind::Open | TokenKind::Close | TokenKind::End) {
                    return Err(self.unexpected(token, "a string"));
                }
                self.close()?;
                Command::Echo(self.arena.symbol(self.lexer.text(token)))
            }
            sym::GET_VALUE => {
                let terms = self.list_of("`(` before the terms", Self::next_term)?;
                if !self.closes()? {
                    return self.other(open, name); // z3's `(get-value (..) :model-index 1)`
                }
                Command::GetValue(terms.into())
            }
            sym::SIMPLIFY => {
                let term = self.next_term()?;
                if !self.closes()? {
                    return self.other(open, name); // `(simplify t :som true)`
                }
                Command::Simplify(term)
            }
            sym::MAXIMIZE | sym::MINIMIZE => {
                let term = self.next_term()?;
                if !self.closes()? {
                    return self.other(open, name);
                }
                Command::Optimize(if name == sym::MAXIMIZE { Direction::Up } else { Direction::Down }, term)
            }
            sym::ASSERT_SOFT => {
                let term = self.next_term()?;
                self.want_bool(term, open.start, "a soft assertion");
                Command::AssertSoft(term, self.soft_attributes()?.into())
            }
            sym::GET_INFO => Command::GetInfo(self.keyword_argument()?),
            sym::GET_OPTION => Command::GetOption(self.keyword_argument()?),
            sym::PUSH | sym::POP => {
                let n = self.last_numeral(1, "a number of levels")?;
                if name == sym::PUSH {
                    self.scope.push(n);
                    Command::Push(n)
                } else {
                    self.scope.pop(n);
                    Command::Pop(n)
                }
            }
            sym::SET_INFO => Command::SetInfo(self.info()?),
            sym::SET_OPTION => {
                let info = self.info()?;
                if info.keyword == sym::K_GLOBAL_DECLARATIONS {
                    self.scope.global_declarations = info.value == Some(sym::TRUE);
                }
                Command::SetOption(info)
            }
            sym::SET_LOGIC => {
                let logic = self.symbol("the name of a logic")?;
                self.close()?;
                let known = Logic::parse(self.arena.text(logic));
                let real = known.is_some_and(|l| l.numerals_are_real());
                self.numeral_sort = if real { Sort::REAL } else { Sort::INT };
                Command::SetLogic(logic)
            }
            sym::CHECK_SAT
            | sym::EXIT
            | sym::GET_ASSERTIONS
            | sym::GET_ASSIGNMENT
            | sym::GET_MODEL
            | sym::GET_PROOF
            | sym::GET_UNSAT_ASSUMPTIONS
            | sym::GET_UNSAT_CORE
            | sym::RESET
            | sym::RESET_ASSERTIONS => {
                if !self.closes()? {
                    return self.other(open, name);
                }
                if name == sym::RESET {
                    self.scope.reset();
                    self.numeral_sort = Sort::INT;
                }
                if name == sym::CHECK_SAT { Command::CheckSat } else { Command::Plain(name) }
            }
            _ => return self.other(open, name),
        })
    }

    /// A command outside the standard, kept as text. What it declares is noted.
    fn other(&mut self, open: Token, name: Symbol) -> Result<Command> {
        self.seek(open.start as usize);
        let text = self.raw_sexpr()?;
        let end = self.offset();
        self.seek(open.end as usize);
        // Whatever its form is, it is kept.
        let _ = self.declare_other(name);
        self.seek(end);
        let text = self.arena.symbol(text);
        Ok(Command::Other(name, text))
    }

    /// Declares what a solver's own command declares, if it has the usual form.
    fn declare_other(&mut self, command: Symbol) -> Result<()> {
        self.symbol("the command")?;
        if !(sym::DECLARE_VAR..=sym::SYNTH_INV).contains(&command) {
            return Ok(());
        }
        let name = self.symbol("a name")?;
        let (args, result) = match command {
            sym::DECLARE_VAR => (Vec::new(), self.next_sort()?),
            sym::DECLARE_POOL => {
                let element = self.next_sort()?;
                (Vec::new(), self.arena.sort(sym::SET, &[element]))
            }
            sym::DECLARE_REL => (self.list_of(ARGUMENT_SORTS, Self::next_sort)?, Sort::BOOL),
            sym::DECLARE_ORACLE_FUN => (self.list_of(ARGUMENT_SORTS, Self::next_sort)?, self.next_sort()?),
            _ => {
                let base = self.vars.len();
                self.sorted_vars()?;
                let args = self.vars.drain(base..).map(|v| v.1).collect();
                (args, if command == sym::SYNTH_INV { Sort::BOOL } else { self.next_sort()? })
            }
        };
        self.scope.declare(self.arena, name, Role::Free, &args, result);
        Ok(())
    }

    pub(super) fn header(&mut self) -> Result<Header> {
        let name = self.symbol("the name of a function")?;
        let base = self.vars.len();
        self.sorted_vars()?;
        let params = self.vars.drain(base..).collect();
        let result = self.next_sort()?;
        Ok(Header { name, params, result })
    }

    fn declare_header(&mut self, header: &Header) {
        let args: Vec<Sort> = header.params.iter().map(|p| p.1).collect();
        self.scope.declare(self.arena, header.name, Role::Defined, &args, header.result);
    }

    pub(super) fn body(&mut self, header: &Header, offset: u32) -> Result<Term> {
        let locals = self.scope.locals.len();
        for &(name, sort) in &header.params {
            self.scope.push_local(name, sort);
        }
        let body = self.next_term()?;
        self.scope.locals.truncate(locals);
        self.want_sort(body, header.result, offset);
        Ok(body)
    }

    fn define_funs_rec(&mut self, offset: u32) -> Result<Command> {
        self.expect(TokenKind::Open, "`(` before the declarations")?;
        let headers = self.items(|parser, token| {
            parser.opened(token, "`(` before a declaration, or `)`")?;
            let header = parser.header()?;
            parser.close()?;
            Ok(header)
        })?;
        for h in &headers {
            self.declare_header(h);
        }
        self.expect(TokenKind::Open, "`(` before the bodies")?;
        let mut definitions = Vec::new();
        for h in headers {
            let body = self.body(&h, offset)?;
            definitions.push((h, body));
        }
        self.close()?;
        self.close()?;
        Ok(Command::DefineFunsRec(definitions.into()))
    }

    fn want_bool(&mut self, term: Term, offset: u32, what: &str) {
        let sort = self.arena.sort_of(term);
        if !matches!(sort, Sort::BOOL | Sort::UNKNOWN) {
            let message = format!("{what} must be Bool, not {}", self.arena.display_sort(sort));
            self.complain(offset, message);
        }
    }

    fn want_sort(&mut self, term: Term, sort: Sort, offset: u32) {
        let have = self.arena.sort_of(term);
        if !self.arena.fits(sort, have, Strictness::Lenient) {
            let (want, have) = (self.arena.display_sort(sort), self.arena.display_sort(have));
            self.complain(offset, format!("the definition must be of sort {want}, not {have}"));
        }
    }

    fn list_of<T>(&mut self, wanted: &str, item: fn(&mut Self) -> Result<T>) -> Result<Vec<T>> {
        self.expect(TokenKind::Open, wanted)?;
        self.items(|parser, token| {
            parser.put_back(token);
            item(parser)
        })
    }

    /// A numeral before `)`; `default` if there is none.
    fn last_numeral(&mut self, default: u32, wanted: &str) -> Result<u32> {
        let n = if self.peek()?.kind == TokenKind::Close { default } else { self.numeral(wanted)? };
        self.close()?;
        Ok(n)
    }

    pub(super) fn numeral(&mut self, wanted: &str) -> Result<u32> {
        let token = self.expect(TokenKind::Numeral, wanted)?;
        let text = std::str::from_utf8(self.lexer.text(token)).ok();
        text.and_then(|t| t.parse().ok()).ok_or_else(|| self.unexpected(token, "a smaller number"))
    }

    fn keyword(&mut self) -> Result<Symbol> {
        let token = self.expect(TokenKind::Keyword, "a keyword")?;
        Ok(self.arena.symbol(self.lexer.text(token)))
    }

    fn keyword_argument(&mut self) -> Result<Symbol> {
        let keyword = self.keyword()?;
        self.close()?;
        Ok(keyword)
    }

    /// Keywords with their values, up to `)`.
    fn soft_attributes(&mut self) -> Result<Vec<InfoValue>> {
        self.items(|parser, token| {
            parser.put_back(token);
            let keyword = parser.keyword()?;
            let ends = matches!(parser.peek()?.kind, TokenKind::Close | TokenKind::Keyword);
            let value = if ends { None } else { Some(parser.raw_sexpr()?) };
            Ok(InfoValue { keyword, value: value.map(|text| parser.arena.symbol(text)) })
        })
    }

    fn info(&mut self) -> Result<InfoValue> {
        let keyword = self.keyword()?;
        let start = self.peek()?.start;
        let mut end = start;
        self.until_close(|parser, token| {
            parser.put_back(token);
            parser.raw_sexpr()?;
            end = parser.lexer.offset();
            Ok(())
        })?;
        let text = &self.lexer.source()[start as usize..end as usize];
        let value = (!text.is_empty()).then(|| self.arena.symbol(text));
        Ok(InfoValue { keyword, value })
    }
}
