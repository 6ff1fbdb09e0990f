//! Sorts.

use super::Parser;
use crate::arena::{Index, IndexView, Sort, Symbol, sym};
use crate::error::{Error, Result};
use crate::lexer::TokenKind;
use crate::scope::SortMeaning;

impl Parser<'_, '_> {
    /// The next sort of the input, as written; see [`crate::arena::Arena::canonical`].
    pub fn next_sort(&mut self) -> Result<Sort> {
        // Heads of open lists, and where their arguments begin.
        let mut open: Vec<(Symbol, u32, usize)> = Vec::new();
        let mut args: Vec<Sort> = Vec::new();
        loop {
            let token = self.next()?;
            let sort = match token.kind {
                TokenKind::Symbol | TokenKind::Quoted => {
                    let name = self.symbol_of(token).expect("a symbol token");
                    self.sort_named(name, &[], token.start)
                }
                TokenKind::Open => {
                    let head = self.next()?;
                    let name = self.wanted_symbol(head, "a sort name")?;
                    if name == sym::UNDERSCORE && head.kind == TokenKind::Symbol {
                        self.indexed_sort(token.start)?
                    } else {
                        open.push((name, token.start, args.len()));
                        continue;
                    }
                }
                TokenKind::Close if !open.is_empty() => {
                    let (name, start, base) = open.pop().expect("a list is open");
                    let sort = self.sort_named(name, &args[base..], start);
                    args.truncate(base);
                    sort
                }
                _ => return Err(self.unexpected(token, "a sort")),
            };
            if self.arena.is_oversized(sort) {
                return Err(Error::new(token.start as usize, "this sort is too large"));
            }
            match open.last() {
                Some(_) => args.push(sort),
                None => return Ok(sort),
            }
        }
    }

    fn indexed_sort(&mut self, start: u32) -> Result<Sort> {
        let name = self.symbol("a sort name")?;
        let indices = self.items(Self::index_of)?;
        let row = self.arena.signatures().sort_row(name);
        if row.is_none_or(|r| r.indices as usize != indices.len()) {
            self.complain_undeclared(start, "indexed sort", name);
            return Ok(self.arena.unknown_sort(name, &indices, &[]));
        }
        let least = if name == sym::FLOATING_POINT { 2 } else { 1 };
        let too_small = |i: &Index| matches!(i.view(), IndexView::Number(n) if n < least);
        if name != sym::FINITE_FIELD && indices.iter().any(|i| too_small(i) || i.as_number().is_none()) {
            let message =
                format!("the indices of `{}` must be numerals from {least} on", self.arena.name(name));
            self.complain(start, message);
            return Ok(self.arena.unknown_sort(name, &indices, &[]));
        }
        Ok(self.arena.indexed_sort(name, &indices))
    }

    fn sort_named(&mut self, name: Symbol, args: &[Sort], start: u32) -> Sort {
        let declared = self.scope.sorts.get(name).next().cloned();
        if declared.is_none() && matches!(name, sym::RELATION | sym::TABLE) && !args.is_empty() {
            let collection = if name == sym::RELATION { sym::SET } else { sym::BAG };
            let tuple = self.arena.sort(sym::TUPLE, args);
            let target = self.arena.sort(collection, &[tuple]);
            return self.arena.alias_sort(name, args, target);
        }
        let Some(meaning) = declared.or_else(|| self.builtin_sort(name, args.len())) else {
            self.complain_undeclared(start, "sort", name);
            return self.arena.unknown_sort(name, &[], args);
        };
        let arity = match &meaning {
            SortMeaning::Constructor(arity) => *arity as usize,
            SortMeaning::Alias(params, _) => params.len(),
            SortMeaning::Parameter => 0,
        };
        if arity != args.len() {
            let name_text = self.arena.name(name);
            let message = format!("sort `{name_text}` takes {arity} arguments, not {}", args.len());
            self.complain(start, message);
            return self.arena.unknown_sort(name, &[], args);
        }
        match meaning {
            SortMeaning::Constructor(_) => self.arena.sort(name, args),
            SortMeaning::Alias(params, target) => self.alias(name, &params, target, args),
            SortMeaning::Parameter => self.arena.sort_parameter(name),
        }
    }

    /// A sort of the signature table without indices. One that takes any number of sorts has the arity `given`.
    fn builtin_sort(&self, name: Symbol, given: usize) -> Option<SortMeaning> {
        let row = self.arena.signatures().sort_row(name).filter(|row| row.indices == 0)?;
        if let Some((params, target)) = &row.alias {
            return Some(SortMeaning::Alias(params.clone(), *target));
        }
        // `(-> A B)`, `(Array I E)`, `(Tuple A)`; cvc5 also reads a bare `Tuple`.
        let least = if name == sym::TUPLE { 0 } else { 1 };
        Some(SortMeaning::Constructor(row.arity.unwrap_or((given as u32).max(least))))
    }

    fn alias(&mut self, name: Symbol, params: &[Symbol], target: Sort, args: &[Sort]) -> Sort {
        let canonical: Vec<Sort> = args.iter().map(|&a| self.arena.canonical(a)).collect();
        let expanded =
            self.arena.substitute(target, &|p| params.iter().position(|&q| q == p).map(|i| canonical[i]));
        self.arena.alias_sort(name, args, expanded)
    }
}
