//! The smallest reading of SMT-LIB text that is safe: parentheses, strings, quoted symbols, comments.
//!
//! Used on scripts to find commands and on output to find replies, so that no word inside a string, a quoted
//! symbol or a comment is ever mistaken for something else. Bytes in, byte ranges out; no recursion.

use std::ops::Range;

/// The kind of a token.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Open,
    Close,
    /// A symbol, keyword or number.
    Atom,
    /// `"..."`, where `""` stands for one quote.
    String,
    /// `|...|`.
    Quoted,
    /// A string or quoted symbol that never ends.
    Unterminated,
}

/// A token and where it stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Token {
    pub(crate) kind: Kind,
    pub(crate) start: usize,
    pub(crate) end: usize,
}

impl Token {
    pub(crate) fn text<'a>(&self, source: &'a [u8]) -> &'a [u8] {
        &source[self.start..self.end]
    }
}

/// Tokens of a text, from a position on.
pub(crate) struct Lexer<'a> {
    source: &'a [u8],
    at: usize,
}

impl<'a> Lexer<'a> {
    pub(crate) fn new(source: &'a [u8]) -> Self {
        Lexer { source, at: 0 }
    }

    pub(crate) fn from(source: &'a [u8], at: usize) -> Self {
        Lexer { source, at }
    }
}

fn ends_atom(byte: u8) -> bool {
    byte.is_ascii_whitespace() || matches!(byte, b'(' | b')' | b'"' | b'|' | b';' | 0x0b)
}

impl Iterator for Lexer<'_> {
    type Item = Token;

    fn next(&mut self) -> Option<Token> {
        let source = self.source;
        let find =
            |from: usize, byte: u8| source.get(from..)?.iter().position(|b| *b == byte).map(|i| from + i);
        loop {
            let first = *source.get(self.at)?;
            if first.is_ascii_whitespace() || first == 0x0b {
                self.at += 1;
            } else if first == b';' {
                self.at = find(self.at, b'\n').unwrap_or(source.len());
            } else {
                break;
            }
        }
        let start = self.at;
        let (kind, end) = match source[start] {
            b'(' => (Kind::Open, start + 1),
            b')' => (Kind::Close, start + 1),
            b'|' => match find(start + 1, b'|') {
                Some(close) => (Kind::Quoted, close + 1),
                None => (Kind::Unterminated, source.len()),
            },
            b'"' => {
                let mut from = start + 1;
                loop {
                    match find(from, b'"') {
                        Some(quote) if source.get(quote + 1) == Some(&b'"') => from = quote + 2,
                        Some(quote) => break (Kind::String, quote + 1),
                        None => break (Kind::Unterminated, source.len()),
                    }
                }
            }
            _ => {
                let length = source[start..].iter().position(|b| ends_atom(*b));
                (Kind::Atom, length.map_or(source.len(), |n| start + n))
            }
        };
        self.at = end;
        Some(Token { kind, start, end })
    }
}

/// The range of the expression that starts at `at` (white space and comments skipped); `None` if it never ends.
pub(crate) fn expression(source: &[u8], at: usize) -> Option<Range<usize>> {
    let mut depth = 0_usize;
    let mut start = None;
    for token in Lexer::from(source, at) {
        let start = *start.get_or_insert(token.start);
        match token.kind {
            Kind::Open => depth += 1,
            Kind::Close => depth = depth.checked_sub(1)?,
            Kind::Unterminated => return None,
            _ => {}
        }
        if depth == 0 {
            return Some(start..token.end);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(source: &str) -> Vec<&str> {
        Lexer::new(source.as_bytes()).map(|t| &source[t.start..t.end]).collect()
    }

    #[test]
    fn words_in_strings_symbols_and_comments_are_no_tokens() {
        assert_eq!(
            texts("(a \"x \"\" (y\" |b ; ) (|) ; (c \" |\nd"),
            ["(", "a", "\"x \"\" (y\"", "|b ; ) (|", ")", "d"]
        );
    }

    #[test]
    fn tokens_never_overlap_and_only_space_and_comments_lie_between() {
        let pieces = ["(", ")", "\"", "|", ";", "\n", " ", "a", "\\", "\"\"", "\u{e9}"];
        let mut seed = 7_u64;
        for _ in 0..2000 {
            let mut text = String::new();
            for _ in 0..12 {
                seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
                text.push_str(pieces[(seed >> 33) as usize % pieces.len()]);
            }
            let mut at = 0;
            for token in Lexer::new(text.as_bytes()) {
                let gap = &text.as_bytes()[at..token.start];
                assert!(gap.is_empty() || gap.iter().any(|b| b.is_ascii_whitespace() || *b == b';'));
                assert!(token.end > token.start);
                at = token.end;
            }
        }
    }

    #[test]
    fn an_open_expression_has_no_range() {
        assert_eq!(expression(b" (a (b) \"c)\")x", 0), Some(1..13));
        for open in ["(a", "(a \"b)", "(|a)", "", ")"] {
            assert_eq!(expression(open.as_bytes(), 0), None, "{open}");
        }
    }
}
