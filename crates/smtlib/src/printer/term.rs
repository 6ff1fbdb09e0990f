//! Prints terms with a stack of unfinished ones, and records their places if the caller asks for them.

use super::{Printer, Span};
use crate::abandon::tick;
use crate::arena::{AttributeValue, Literal, Symbol, Term, View, sym};

/// The rest of an unfinished term.
#[derive(Clone, Copy)]
pub(super) enum Item {
    Term(Term),
    /// Children `at..` of a term, each after a space, then `)`.
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
    /// Starts or stops noting spans: the terms of patterns do not count as places.
    Noting(bool),
}

impl Printer<'_> {
    /// A term.
    pub fn term(&mut self, term: Term) {
        let floor = self.stack.len();
        self.stack.push(Item::Term(term));
        while self.stack.len() > floor {
            tick();
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
                self.text(" ");
                self.list(v.vars(), Self::sorted);
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
                self.rest(pattern.vars(), |p, (name, _)| p.pattern_variable(name));
            }
            None => pattern.vars().for_each(|(name, _)| self.pattern_variable(name)),
        }
        self.out.push(b' ');
        self.stack.push(Item::Cases(term, at + 1));
        self.stack.push(Item::Text(")"));
        self.stack.push(Item::Term(body));
    }

    /// `_` is a variable without uses, and has no bars.
    fn pattern_variable(&mut self, name: Symbol) {
        if name == sym::UNDERSCORE { self.text("_") } else { self.symbol(name) }
    }

    /// Attributes from `at` on, in order. After one with terms, the rest waits on the stack.
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
}
