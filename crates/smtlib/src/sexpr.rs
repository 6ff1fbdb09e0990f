//! Plain s-expressions, for smelt's own data files: signatures, rules, fusion functions.

use crate::error::{Error, Result};
use crate::lexer::{Lexer, TokenKind};

/// A token or a list, with the offset it starts at.
#[derive(Clone, Debug, PartialEq)]
pub struct Sexpr {
    /// Where it starts.
    pub offset: usize,
    /// What it is.
    pub node: SexprNode,
}

/// What a [`Sexpr`] is.
#[derive(Clone, Debug, PartialEq)]
pub enum SexprNode {
    /// A token as written; quoted symbols without their bars.
    Atom(String),
    /// A list.
    List(Vec<Sexpr>),
}

/// Nesting beyond this in a data file is a mistake.
const MAX_DEPTH: usize = 200;

impl Sexpr {
    /// An error at its place.
    pub fn error(&self, message: impl Into<String>) -> Error {
        Error::new(self.offset, message)
    }

    /// The token, or an error that says what was wanted.
    pub fn atom(&self, wanted: &str) -> Result<&str> {
        match &self.node {
            SexprNode::Atom(a) => Ok(a),
            SexprNode::List(_) => Err(self.error(format!("expected {wanted}, found a list"))),
        }
    }

    /// The elements, or an error that says what was wanted.
    pub fn list(&self, wanted: &str) -> Result<&[Sexpr]> {
        match &self.node {
            SexprNode::List(l) => Ok(l),
            SexprNode::Atom(a) => Err(self.error(format!("expected {wanted}, found `{a}`"))),
        }
    }

    /// The name and the parts of an entry `(KIND NAME PART ..)`.
    pub fn entry(&self, kind: &str) -> Result<(&str, &[Sexpr])> {
        match self.part(kind)? {
            (head, [name, parts @ ..]) if head == kind => Ok((name.atom("a name")?, parts)),
            _ => Err(self.error(format!("expected `({kind} NAME ..)`"))),
        }
    }

    /// The first word of a list, and the rest; or an error that says which words there are.
    pub fn part(&self, words: &str) -> Result<(&str, &[Sexpr])> {
        match self.list(words)?.split_first() {
            Some((word, rest)) => Ok((word.atom(words)?, rest)),
            None => Err(self.error(format!("expected {words}"))),
        }
    }
}

/// All s-expressions of a text.
pub fn read_all(source: &[u8]) -> Result<Vec<Sexpr>> {
    let mut lexer = Lexer::new(source)?;
    let mut open: Vec<(usize, Vec<Sexpr>)> = vec![(0, Vec::new())];
    loop {
        let token = lexer.next_token()?;
        let offset = token.start as usize;
        let top = open.last_mut().expect("the outermost list is never closed");
        match token.kind {
            TokenKind::Open => {
                if open.len() > MAX_DEPTH {
                    return Err(Error::new(offset, format!("lists nested deeper than {MAX_DEPTH}")));
                }
                open.push((offset, Vec::new()));
            }
            TokenKind::Close => {
                let (offset, items) = open.pop().expect("checked above");
                match open.last_mut() {
                    Some(outer) => outer.1.push(Sexpr { offset, node: SexprNode::List(items) }),
                    None => return Err(Error::new(token.start as usize, "`)` without its `(`")),
                }
            }
            TokenKind::End => {
                let (offset, items) = open.pop().expect("the outermost list is never closed");
                return if open.is_empty() {
                    Ok(items)
                } else {
                    Err(Error::new(offset, "`(` without its `)`"))
                };
            }
            kind => {
                let text = lexer.text(token);
                let text = if kind == TokenKind::Quoted { &text[1..text.len() - 1] } else { text };
                top.1.push(Sexpr {
                    offset,
                    node: SexprNode::Atom(String::from_utf8_lossy(text).into_owned()),
                });
            }
        }
    }
}

/// A data file of lists of words, each `(KIND WORD ..)`.
#[derive(Debug)]
pub struct WordLists(pub Vec<Vec<String>>);

impl WordLists {
    /// Reads a file.
    pub fn read(text: &[u8]) -> Result<WordLists> {
        let lists = read_all(text)?;
        let words = lists.iter().map(|list| {
            let words = list.list("`(KIND WORD ..)`")?.iter();
            words.map(|word| word.atom("a word").map(str::to_owned)).collect()
        });
        words.collect::<Result<_>>().map(WordLists)
    }

    /// The words of each list of this kind.
    pub fn of(&self, kind: &str) -> impl Iterator<Item = &[String]> {
        self.0.iter().filter_map(move |list| list.split_first().filter(|(k, _)| *k == kind).map(|l| l.1))
    }
}
