//! The byte lexer: SMT-LIB text to tokens, without allocation.
//!
//! Tokens are spans of the input. Input is bytes, not `str`: comments, string literals and quoted symbols in
//! real files contain bytes that are not UTF-8.

use crate::error::{Error, Result};

/// What a token is. The text is `source[start..end]` of the [`Token`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum TokenKind {
    /// `(`
    Open,
    /// `)`
    Close,
    /// A simple symbol or a reserved word.
    Symbol,
    /// `|..|`; the span includes the bars.
    Quoted,
    /// `:name`; the span includes the colon.
    Keyword,
    /// `0`, `17`
    Numeral,
    /// `1.50`
    Decimal,
    /// `#xAF`
    Hex,
    /// `#b01`
    Binary,
    /// Another `#..` that one solver has, such as cvc5's finite-field constants.
    Sharp,
    /// `".."`; the span includes the quotes.
    String,
    /// End of input.
    End,
}

/// A token and its place in the input.
#[derive(Clone, Copy, Debug)]
pub struct Token {
    /// What it is.
    pub kind: TokenKind,
    /// Offset of its first byte.
    pub start: u32,
    /// Offset after its last byte.
    pub end: u32,
}

const SPACE: u8 = 1;
const SYMBOL: u8 = 2;
const DIGIT: u8 = 4;
const HEX: u8 = 8;
const STANDARD: u8 = 16;

const LETTERS: &[u8] = b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";

/// The ASCII bytes of each class.
const CLASSES: &[(u8, &[u8])] = &[
    (SPACE, b" \t\n\r\x0c\x0b"),
    (SYMBOL | STANDARD, LETTERS),
    (SYMBOL | STANDARD | DIGIT | HEX, b"0123456789"),
    (SYMBOL | STANDARD, b"~!@$%^&*_-+=<>.?/"),
    // Not standard, but solvers accept them inside symbols.
    (SYMBOL, b"'\\,#{}[]`"),
    (HEX, b"abcdefABCDEF"),
];

/// Classes of each byte, as bits.
static CLASS: [u8; 256] = {
    // Bytes beyond ASCII are parts of symbols.
    let mut t = [SYMBOL; 256];
    let (ascii, _) = t.split_at_mut(0x80);
    ascii.copy_from_slice(&[0; 0x80]);
    let mut k = 0;
    while k < CLASSES.len() {
        let (class, bytes) = CLASSES[k];
        let mut i = 0;
        while i < bytes.len() {
            t[bytes[i] as usize] |= class;
            i += 1;
        }
        k += 1;
    }
    t
};

#[inline]
fn is(c: u8, class: u8) -> bool {
    CLASS[c as usize] & class != 0
}

/// Whether `name` can be printed as it is, without bars (reserved words aside).
pub(crate) fn is_simple_symbol(name: &[u8]) -> bool {
    !name.is_empty() && !is(name[0], DIGIT) && name.iter().all(|&c| is(c, STANDARD))
}

/// Splits a source into tokens.
pub struct Lexer<'s> {
    source: &'s [u8],
    at: usize,
}

impl<'s> Lexer<'s> {
    /// A lexer at the start of `source`; `Err` when it is too large for 32-bit offsets.
    pub fn new(source: &'s [u8]) -> Result<Self> {
        if source.len() >= u32::MAX as usize {
            return Err(Error::new(0, "input is larger than 4 GiB"));
        }
        Ok(Lexer { source, at: 0 })
    }

    /// The bytes of a token.
    #[inline]
    pub fn text(&self, token: Token) -> &'s [u8] {
        &self.source[token.start as usize..token.end as usize]
    }

    /// The whole input.
    pub fn source(&self) -> &'s [u8] {
        self.source
    }

    /// Where the next token starts, or white space or comments before it.
    #[inline]
    pub fn offset(&self) -> u32 {
        self.at as u32
    }

    /// Goes to an offset where a token starts or ends.
    pub fn seek(&mut self, offset: u32) {
        self.at = offset as usize;
    }

    /// Skips white space; stops at a comment. Comments carry meaning between commands.
    pub(crate) fn skip_blank(&mut self) {
        while let Some(&c) = self.source.get(self.at)
            && is(c, SPACE)
        {
            self.at += 1;
        }
    }

    /// The comment that starts here, if one does: its text without the line end.
    pub(crate) fn comment(&mut self) -> Option<&'s [u8]> {
        if self.source.get(self.at) != Some(&b';') {
            return None;
        }
        let line = self.line();
        Some(line.strip_suffix(b"\r").unwrap_or(line))
    }

    /// The rest of this line, without its end; skips it.
    pub(crate) fn line(&mut self) -> &'s [u8] {
        let rest = &self.source[self.at..];
        let len = memchr::memchr(b'\n', rest).unwrap_or(rest.len());
        self.at += len;
        &rest[..len]
    }

    /// The next token. At the end of the input always `End`.
    #[inline]
    pub fn next_token(&mut self) -> Result<Token> {
        let s = self.source;
        let mut i = self.at;
        loop {
            let Some(&c) = s.get(i) else {
                self.at = i;
                return Ok(Token { kind: TokenKind::End, start: i as u32, end: i as u32 });
            };
            if is(c, SPACE) {
                i += 1;
            } else if c == b';' {
                i += memchr::memchr(b'\n', &s[i..]).unwrap_or(s.len() - i);
            } else {
                break;
            }
        }
        let start = i;
        let c = s[i];
        let kind = match c {
            b'(' => {
                i += 1;
                TokenKind::Open
            }
            b')' => {
                i += 1;
                TokenKind::Close
            }
            b'0'..=b'9' => {
                i = run(s, i, DIGIT);
                // `2.` is not standard, but solvers accept it.
                if s.get(i) == Some(&b'.') {
                    i = run(s, i + 1, DIGIT);
                    TokenKind::Decimal
                } else {
                    TokenKind::Numeral
                }
            }
            b'"' => {
                i = self.string_end(start)?;
                TokenKind::String
            }
            b'|' => match memchr::memchr(b'|', &s[i + 1..]) {
                Some(n) => {
                    i += n + 2;
                    TokenKind::Quoted
                }
                None => return Err(Error::new(start, "quoted symbol without its closing `|`")),
            },
            b':' => {
                i = run(s, i + 1, SYMBOL);
                TokenKind::Keyword
            }
            b'#' => match s.get(i + 1) {
                Some(b'x') => {
                    i = run(s, i + 2, HEX);
                    TokenKind::Hex
                }
                Some(b'b') => {
                    i += 2;
                    while matches!(s.get(i), Some(b'0' | b'1')) {
                        i += 1;
                    }
                    TokenKind::Binary
                }
                _ => {
                    i = run(s, i + 1, SYMBOL);
                    TokenKind::Sharp
                }
            },
            _ if is(c, SYMBOL) => {
                i = run(s, i + 1, SYMBOL);
                self.at = i;
                return Ok(Token { kind: TokenKind::Symbol, start: start as u32, end: i as u32 });
            }
            _ => {
                let shown = c.escape_ascii();
                return Err(Error::new(
                    start,
                    format!("unexpected byte `{shown}`, expected a term or command"),
                ));
            }
        };
        self.at = i;
        match kind {
            TokenKind::Hex | TokenKind::Binary if i == start + 2 => {
                return Err(Error::new(start, "expected digits after `#x` or `#b`"));
            }
            TokenKind::Numeral | TokenKind::Decimal | TokenKind::Hex | TokenKind::Binary
                if s.get(i).is_some_and(|&c| is(c, SYMBOL)) =>
            {
                return Err(Error::new(i, "expected white space or a parenthesis after a number"));
            }
            _ => {}
        }
        Ok(Token { kind, start: start as u32, end: i as u32 })
    }

    fn string_end(&self, start: usize) -> Result<usize> {
        let s = self.source;
        let mut i = start + 1;
        loop {
            match memchr::memchr(b'"', &s[i..]) {
                None => return Err(Error::new(start, "string literal without its closing quote")),
                Some(n) if s.get(i + n + 1) == Some(&b'"') => i += n + 2,
                Some(n) => return Ok(i + n + 1),
            }
        }
    }
}

#[inline]
fn run(s: &[u8], mut i: usize, class: u8) -> usize {
    while let Some(&c) = s.get(i)
        && is(c, class)
    {
        i += 1;
    }
    i
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kinds(text: &str) -> Vec<(TokenKind, String)> {
        let mut lexer = Lexer::new(text.as_bytes()).unwrap();
        let mut out = Vec::new();
        loop {
            let t = lexer.next_token().unwrap();
            if t.kind == TokenKind::End {
                return out;
            }
            out.push((t.kind, String::from_utf8(lexer.text(t).to_vec()).unwrap()));
        }
    }

    #[test]
    fn every_kind_of_token_is_told_apart() {
        use TokenKind::*;
        let found = kinds("(a |b c| :k 12 1.5 #xaF #b01 \"x\"\"y\" #f3m5) ; c\r\n-1");
        let want = [
            (Open, "("),
            (Symbol, "a"),
            (Quoted, "|b c|"),
            (Keyword, ":k"),
            (Numeral, "12"),
            (Decimal, "1.5"),
            (Hex, "#xaF"),
            (Binary, "#b01"),
            (String, "\"x\"\"y\""),
            (Sharp, "#f3m5"),
            (Close, ")"),
            (Symbol, "-1"),
        ];
        assert_eq!(found, want.map(|(k, t)| (k, t.to_owned())));
    }

    #[test]
    fn unclosed_literals_are_errors_at_their_start() {
        for text in ["a \"bc", "a |bc", "  #x", "12ab"] {
            let mut lexer = Lexer::new(text.as_bytes()).unwrap();
            let error = loop {
                match lexer.next_token() {
                    Ok(t) if t.kind == TokenKind::End => panic!("{text} should not lex"),
                    Ok(_) => {}
                    Err(e) => break e,
                }
            };
            assert_eq!(error.offset, 2, "{text}");
        }
    }
}
