//! Tokens of text that may be ill-formed: scripts of any origin, truncated or garbled solver output.
//!
//! It uses smtlib's lexer, with recovery: a number that runs into a word, and bytes that belong to no token, are
//! skipped. Parentheses, strings, quoted symbols and comments are always recognised, so that no word inside a
//! string, a quoted symbol or a comment is mistaken for a token.

use smelt_smtlib::{Lexer, Token, TokenKind};
use std::ops::Range;

/// The tokens of a text, without an end token.
pub(crate) struct Tokens<'a> {
    lexer: Lexer<'a>,
    /// Whether the text ends inside a string or a quoted symbol (or is too large to read).
    pub(crate) cut: bool,
}

impl<'a> Tokens<'a> {
    pub(crate) fn new(source: &'a [u8]) -> Self {
        let lexer = Lexer::new(source);
        let cut = lexer.is_err();
        Tokens { lexer: lexer.unwrap_or_else(|_| Lexer::new(b"").expect("no text is not too large")), cut }
    }

    #[inline]
    pub(crate) fn text(&self, token: Token) -> &'a [u8] {
        self.lexer.text(token)
    }

    /// Continues behind an error.
    #[cold]
    fn recover(&mut self, error: &smelt_smtlib::Error) {
        let source = self.lexer.source();
        self.cut = matches!(source.get(error.offset), Some(b'"' | b'|'));
        let next = if self.cut { source.len() } else { error.offset + 1 };
        self.lexer.seek(self.lexer.offset().max(next as u32));
    }
}

/// Where a token stands in its text.
#[inline]
pub(crate) fn range(token: Token) -> Range<usize> {
    token.start as usize..token.end as usize
}

impl Iterator for Tokens<'_> {
    type Item = Token;

    #[inline]
    fn next(&mut self) -> Option<Token> {
        loop {
            match self.lexer.next_token() {
                Ok(token) => return (token.kind != TokenKind::End).then_some(token),
                Err(error) => self.recover(&error),
            }
        }
    }
}

/// The range of the expression at the start of a text (after white space and comments); `None` if it never ends.
pub(crate) fn expression(source: &[u8]) -> Option<Range<usize>> {
    let mut depth = 0_usize;
    let mut start = None;
    for token in Tokens::new(source) {
        let range = range(token);
        let start = *start.get_or_insert(range.start);
        match token.kind {
            TokenKind::Open => depth += 1,
            TokenKind::Close => depth = depth.checked_sub(1)?,
            _ => {}
        }
        if depth == 0 {
            return Some(start..range.end);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(source: &str) -> Vec<&str> {
        Tokens::new(source.as_bytes()).map(|t| &source[range(t)]).collect()
    }

    #[test]
    fn words_in_strings_symbols_and_comments_are_no_tokens() {
        assert_eq!(
            texts("(a \"x \"\" (y\" |b ; ) (|) ; (c \" |\nd"),
            ["(", "a", "\"x \"\" (y\"", "|b ; ) (|", ")", "d"]
        );
    }

    #[test]
    fn what_is_no_token_is_skipped_and_no_parenthesis_is_lost() {
        let found = texts("(12a 1#( #b) #x\u{1}(\0) 1.2.(5\\)");
        assert_eq!(found, ["(", "(", ")", "(", ")", "(", ")"]);
        assert!(Tokens::new(b"\"a").next().is_none());
    }

    #[test]
    fn tokens_never_overlap_and_never_end_early() {
        let pieces =
            ["(", ")", "\"", "|", ";", "\n", " ", "a", "\\", "\"\"", "\u{e9}", "#x", "1", ":", "\u{1}"];
        let mut seed = 7_u64;
        for _ in 0..4000 {
            let mut text = String::new();
            for _ in 0..12 {
                seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
                text.push_str(pieces[(seed >> 33) as usize % pieces.len()]);
            }
            let mut at = 0;
            let mut tokens = Tokens::new(text.as_bytes());
            for token in tokens.by_ref() {
                assert!(range(token).start >= at && token.end > token.start, "{text:?}");
                at = range(token).end;
            }
            // The text after the last token has no parenthesis and no quote, except in a comment.
            let rest = &text[at..];
            let comment = rest.contains(';');
            assert!(tokens.cut || comment || !rest.contains(['(', ')', '"', '|']), "{text:?}");
        }
    }

    #[test]
    fn an_open_expression_has_no_range() {
        assert_eq!(expression(b" (a (b) \"c)\")x"), Some(1..13));
        for open in ["(a", "(a \"b)", "(|a)", "", ")"] {
            assert_eq!(expression(open.as_bytes()), None, "{open}");
        }
    }
}
