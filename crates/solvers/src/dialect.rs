//! Scripts and replies for releases older than SMT-LIB 2.6.
//!
//! Two differences matter: names of string operations, and escapes in string literals. Today `\u{41}` and `\u0041`
//! are the only escapes. In old releases a backslash starts a C-like escape (`\n`, `\x41`, `\\`), and characters
//! have 8 bits. A script that cannot be translated without changing its meaning is marked as not comparable.
//!
//! If a solver needs a logic and the script does not name one, a logic is added.

use crate::tokens::{Tokens, range};
use serde::Deserialize;
use smelt_core::Version;
use smelt_smtlib::{TokenKind, logic::Logic};
use std::{borrow::Cow, collections::BTreeMap};

/// How a release reads string literals.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Escapes {
    /// As in SMT-LIB 2.6.
    #[default]
    Standard,
    /// C-like escapes and 8-bit characters.
    Legacy,
}

/// Facts about the language of one release, or of all releases below one.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Dialect {
    /// In a profile: holds for releases from this one on; else for all.
    pub(crate) since: Option<Version>,
    /// In a profile: holds for releases below this one; else for all.
    pub(crate) below: Option<Version>,
    /// How it reads string literals.
    pub escapes: Escapes,
    /// Standard names and its own names for them; an empty name if it has no such operation.
    pub spellings: BTreeMap<String, String>,
    /// Commands that it does not know and does not need.
    pub drop: Vec<String>,
    /// It fails on strings and quoted symbols over several lines when it reads stdin.
    pub one_line_tokens: bool,
    /// The logics it knows, each before those that cover it: it refuses a script that names none. Empty if it needs none.
    pub logics: Vec<String>,
    /// It writes whole numbers as `2.0`, other rationals as quotients, and irrational numbers as decimals that are rounded.
    pub rounded_decimals: bool,
    /// Its own time limit costs about as much CPU time as solving: it is stopped by killing its process.
    pub busy_timer: bool,
}

impl Dialect {
    /// Translates a script into this dialect, and returns whether it keeps its meaning.
    pub(crate) fn adapt<'a>(&self, source: &'a [u8]) -> (Cow<'a, [u8]>, bool) {
        let (text, comparable) = self.respell(source);
        match self.with_logic(&text) {
            Some(told) => (Cow::Owned(told), comparable),
            None => (text, comparable),
        }
    }

    /// Whether a script can be said in it. If not, no answer of such a release counts.
    pub fn says(&self, source: &[u8]) -> bool {
        self.respell(source).1
    }

    /// The script with the smallest logic that has all it uses; `None` if it names one, or none is needed. Options come
    /// before it, and `reset` forgets it.
    pub(crate) fn with_logic(&self, source: &[u8]) -> Option<Vec<u8>> {
        let default = self.logics.last()?;
        let places = places_of_logics(source);
        if places.is_empty() {
            return None;
        }
        let covers = |used: Logic| {
            let known = |name: &&String| Logic::parse(name.as_bytes()).is_some_and(|l| l.covers(used));
            self.logics.iter().find(known)
        };
        let name = Logic::used_in(source).and_then(covers).unwrap_or(default);
        let mut told = source.to_vec();
        for place in places.into_iter().rev() {
            told.splice(place..place, format!("(set-logic {name})\n").into_bytes());
        }
        Some(told)
    }

    /// The same without a logic.
    pub(crate) fn respell<'a>(&self, source: &'a [u8]) -> (Cow<'a, [u8]>, bool) {
        let legacy = self.escapes == Escapes::Legacy;
        if !legacy && self.spellings.is_empty() && !self.one_line_tokens {
            return (Cow::Borrowed(source), true);
        }
        let mut comparable = true;
        let text = rewrite(source, |kind, text, head| match kind {
            TokenKind::String | TokenKind::Quoted if self.one_line_tokens && text.contains(&b'\n') => {
                let note = matches!(head, b"set-info" | b"set-option");
                comparable &= note || kind == TokenKind::String;
                let escape: &[u8] = if note || kind == TokenKind::Quoted { b" " } else { b"\\u{a}" };
                Some(text.split(|b| *b == b'\n').collect::<Vec<_>>().join(escape))
            }
            TokenKind::String if legacy => {
                let (literal, exact) = to_legacy(&text[1..text.len() - 1])?;
                comparable &= exact;
                Some(literal)
            }
            TokenKind::Symbol | TokenKind::Quoted => {
                let bare = text.strip_prefix(b"|").and_then(|t| t.strip_suffix(b"|")).unwrap_or(text);
                let name = self.spellings.get(std::str::from_utf8(bare).ok()?)?;
                comparable &= !name.is_empty();
                (!name.is_empty()).then(|| name.clone().into_bytes())
            }
            _ => None,
        });
        (text.map_or(Cow::Borrowed(source), Cow::Owned), comparable)
    }

    /// Translates a reply of such a release (a model, a value) into today's language.
    pub(crate) fn restore(&self, reply: String) -> String {
        let legacy = self.escapes == Escapes::Legacy;
        if !legacy && !self.rounded_decimals && self.spellings.is_empty() {
            return reply;
        }
        let own = |name: &[u8]| {
            let is_own = |(_, own): &(&String, &String)| !own.is_empty() && own.as_bytes() == name;
            self.spellings.iter().find(is_own).map(|(today, _)| today.clone().into_bytes())
        };
        let text = rewrite(reply.as_bytes(), |kind, text, _| match kind {
            TokenKind::String if legacy => from_legacy(&text[1..text.len() - 1]),
            // As z3 marks such numbers: no value, so that nothing is concluded from it. A negative one is one token.
            TokenKind::Decimal | TokenKind::Symbol if self.rounded_decimals && is_rounded(text) => {
                Some([text, b"?"].concat())
            }
            TokenKind::Symbol => own(text),
            _ => None,
        });
        text.map_or(reply, |bytes| String::from_utf8_lossy(&bytes).into_owned())
    }
}

/// Where a script that has no logic must be given one: before the first command that is not an option or an info, and again
/// after each `reset`.
fn places_of_logics(source: &[u8]) -> Vec<usize> {
    let mut places = Vec::new();
    let (mut depth, mut open, mut is_told) = (0_usize, None, false);
    for token in Tokens::new(source) {
        let place = range(token);
        if let Some(start) = open.take() {
            match &source[place.clone()] {
                b"set-option" | b"set-info" => {}
                b"set-logic" => is_told = true,
                b"reset" => is_told = false,
                _ if !is_told => {
                    places.push(start);
                    is_told = true;
                }
                _ => {}
            }
        }
        match token.kind {
            TokenKind::Open => {
                open = (depth == 0).then_some(place.start);
                depth += 1;
            }
            TokenKind::Close => depth = depth.saturating_sub(1),
            _ => {}
        }
    }
    places
}

/// Whether a token is a decimal with more than the zero that stands behind the point of a whole number.
fn is_rounded(token: &[u8]) -> bool {
    let number = token.strip_prefix(b"-").unwrap_or(token);
    let Some(point) = number.iter().position(|b| *b == b'.') else { return false };
    let (whole, fraction) = (&number[..point], &number[point + 1..]);
    let is_digits = |part: &[u8]| !part.is_empty() && part.iter().all(u8::is_ascii_digit);
    is_digits(whole) && is_digits(fraction) && fraction != b"0"
}

/// Replaces tokens; `replace` gets the kind, the text and the name of the command. `None` if none was replaced.
fn rewrite(
    source: &[u8],
    mut replace: impl FnMut(TokenKind, &[u8], &[u8]) -> Option<Vec<u8>>,
) -> Option<Vec<u8>> {
    let mut out = Vec::new();
    let mut copied = 0;
    let mut depth = 0_usize;
    let mut head: &[u8] = b"";
    let mut at_head = false;
    for token in Tokens::new(source) {
        let place = range(token);
        let text = &source[place.clone()];
        if at_head {
            head = text;
        }
        at_head = depth == 0 && token.kind == TokenKind::Open;
        match token.kind {
            TokenKind::Open => depth += 1,
            TokenKind::Close => depth = depth.saturating_sub(1),
            _ => {}
        }
        if let Some(new) = replace(token.kind, text, head) {
            out.extend_from_slice(&source[copied..place.start]);
            out.extend_from_slice(&new);
            copied = place.end;
        }
    }
    (copied > 0).then(|| {
        out.extend_from_slice(&source[copied..]);
        out
    })
}

/// The first character inside a standard literal, and the length of its spelling.
fn standard_char(bytes: &[u8]) -> (u32, usize) {
    let hex = |digits: &[u8]| {
        let ok = (1..=5).contains(&digits.len()) && digits.iter().all(u8::is_ascii_hexdigit);
        ok.then(|| std::str::from_utf8(digits).ok().and_then(|d| u32::from_str_radix(d, 16).ok())).flatten()
    };
    if let Some(rest) = bytes.strip_prefix(b"\\u") {
        if let Some(rest) = rest.strip_prefix(b"{") {
            let close = rest.iter().take(6).position(|b| *b == b'}');
            let code = close.and_then(|n| Some((hex(&rest[..n])?, n + 4)));
            if let Some(found) = code.filter(|(code, _)| *code <= 0x2ffff) {
                return found;
            }
        } else if let Some(code) = rest.get(..4).and_then(hex) {
            return (code, 6);
        }
    }
    if bytes.starts_with(b"\"\"") {
        return (u32::from(b'"'), 2);
    }
    // Beyond ASCII a literal is outside the standard: some solvers read bytes, others characters.
    (u32::from(bytes[0]), 1)
}

/// The legacy literal for the inside of a standard one, and whether it means the same; `None` if nothing changes.
fn to_legacy(inside: &[u8]) -> Option<(Vec<u8>, bool)> {
    if inside.iter().all(|b| b.is_ascii() && *b != b'\\') {
        return None;
    }
    let mut out = vec![b'"'];
    let (mut at, mut exact) = (0, true);
    while at < inside.len() {
        exact &= inside[at].is_ascii();
        let (code, length) = standard_char(&inside[at..]);
        at += length;
        match u8::try_from(code) {
            Ok(b'"') => out.extend_from_slice(b"\"\""),
            Ok(byte @ 0x20..=0x7e) if byte != b'\\' => out.push(byte),
            Ok(byte) => out.extend_from_slice(format!("\\x{byte:02x}").as_bytes()),
            Err(_) => {
                exact = false;
                out.extend_from_slice(&inside[at - length..at]);
            }
        }
    }
    out.push(b'"');
    Some((out, exact))
}

/// Letters after a backslash in a legacy literal, and the codes they stand for.
const LEGACY_ESCAPES: [(u8, u8); 8] =
    [(b'a', 7), (b'b', 8), (b'e', 27), (b'f', 12), (b'n', 10), (b'r', 13), (b't', 9), (b'v', 11)];

/// The standard literal for the inside of a legacy one; `None` if nothing changes.
fn from_legacy(inside: &[u8]) -> Option<Vec<u8>> {
    if !inside.contains(&b'\\') {
        return None;
    }
    let mut out = vec![b'"'];
    let mut rest = inside;
    while let Some((&first, tail)) = rest.split_first() {
        rest = tail;
        if first != b'\\' {
            out.push(first);
            continue;
        }
        let hex = tail.strip_prefix(b"x").and_then(|t| std::str::from_utf8(t.get(..2)?).ok());
        let octal = tail.get(..3).filter(|t| t.iter().all(|b| (b'0'..=b'7').contains(b)));
        let (code, length) = match (hex.and_then(|h| u8::from_str_radix(h, 16).ok()), octal, tail.first()) {
            (Some(code), _, _) => (code, 3),
            (_, Some(digits), _) => (digits.iter().fold(0_u8, |n, d| n.wrapping_mul(8) + (d - b'0')), 3),
            (_, _, Some(&letter)) => {
                (LEGACY_ESCAPES.iter().find(|e| e.0 == letter).map_or(letter, |e| e.1), 1)
            }
            (_, _, None) => (b'\\', 0),
        };
        rest = &tail[length..];
        match code {
            b'"' => out.extend_from_slice(b"\"\""),
            0x20..=0x7e if code != b'\\' => out.push(code),
            _ => out.extend_from_slice(format!("\\u{{{code:x}}}").as_bytes()),
        }
    }
    out.push(b'"');
    Some(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn legacy() -> Dialect {
        let spellings = [("str.to_int", "str.to.int"), ("str.to_code", "")];
        let spellings = spellings.map(|(a, b)| (a.to_owned(), b.to_owned())).into();
        Dialect { escapes: Escapes::Legacy, spellings, ..Dialect::default() }
    }

    fn adapt(text: &str) -> (String, bool) {
        let (adapted, comparable) = legacy().adapt(text.as_bytes());
        (String::from_utf8(adapted.into_owned()).unwrap(), comparable)
    }

    #[test]
    fn rounded_numbers_are_marked_and_exact_ones_are_not() {
        let dialect = Dialect { rounded_decimals: true, ..Dialect::default() };
        let model = "((define-fun a () Real 1.414214) (define-fun b () Real (/ 1 3)) (define-fun s () String \"1.5\") \
                     (define-fun c () Real -1.414214) (define-fun d () Real 2.000000) (define-fun e () Real (- 2.0)))";
        let marked = model.replace("1.414214", "1.414214?").replace("2.000000", "2.000000?");
        assert_eq!(dialect.restore(model.to_owned()), marked);
        assert_eq!(Dialect::default().restore(model.to_owned()), model);
    }

    #[test]
    fn a_solver_that_needs_a_logic_is_told_the_smallest_that_it_knows() {
        let logics = ["QF_LIA", "QF_NIA", "ALL"].map(str::to_owned).to_vec();
        let dialect = Dialect { logics, ..Dialect::default() };
        let int = "(declare-const x Int)";
        for (before, after, logic) in [
            ("", "(assert (> x 0))(check-sat)", "QF_LIA"),
            ("", "(assert (> (* x x) 0))(check-sat)", "QF_NIA"),
            ("", "(assert (forall ((y Int)) (> x y)))(check-sat)", "ALL"),
            ("", "(declare-const s (Seq Int))(check-sat)", "ALL"),
            ("; first\n(set-option :a true)(set-info :b |(c|)", "(check-sat)", "QF_LIA"),
        ] {
            let told = format!("{before}(set-logic {logic})\n{int}{after}");
            let script = format!("{before}{int}{after}");
            assert_eq!(dialect.adapt(script.as_bytes()), (Cow::Borrowed(told.as_bytes()), true));
            assert!(matches!(dialect.adapt(told.as_bytes()), (Cow::Borrowed(_), true)), "it has one: {told}");
            assert!(matches!(Dialect::default().adapt(script.as_bytes()), (Cow::Borrowed(_), true)));
        }
        let reset = dialect.adapt(b"(check-sat)(reset)(set-option :a true)(check-sat)").0;
        let told =
            "(set-logic QF_LIA)\n(check-sat)(reset)(set-option :a true)(set-logic QF_LIA)\n(check-sat)";
        assert_eq!(String::from_utf8_lossy(&reset), told);
    }

    #[test]
    fn every_8_bit_text_survives_the_way_to_legacy_and_back() {
        for a in 0..=255_u32 {
            for b in [0_u32, 10, 34, 48, 92, 110, 120, 255] {
                let standard = format!("\\u{{{a:x}}}\\u{{{b:x}}}");
                let (literal, exact) = to_legacy(standard.as_bytes()).unwrap();
                assert!(exact);
                let inside = &literal[1..literal.len() - 1];
                let back = from_legacy(inside).unwrap_or_else(|| literal.clone());
                let mut back = &back[1..back.len() - 1];
                let mut codes = Vec::new();
                while !back.is_empty() {
                    let (code, length) = standard_char(back);
                    codes.push(code);
                    back = &back[length..];
                }
                assert_eq!(codes, [a, b], "{standard}");
            }
        }
    }

    #[test]
    fn a_backslash_that_is_no_escape_today_is_none_in_legacy_either() {
        assert_eq!(adapt(r#"(= s "\x41\n\u{zz}")"#), (r#"(= s "\x5cx41\x5cn\x5cu{zz}")"#.to_owned(), true));
        assert_eq!(adapt(r#"(= s "\u{41}\u0042""c")"#), (r#"(= s "AB""c")"#.to_owned(), true));
    }

    #[test]
    fn what_has_no_legacy_spelling_is_not_comparable() {
        assert!(!adapt(r#"(= s "\u{100}")"#).1);
        assert!(!adapt("(= 1 (str.to_code s))").1);
        assert!(!adapt("(= s \"\u{e9}\")").1);
    }

    #[test]
    fn tokens_over_several_lines_become_one_line_with_the_same_meaning_or_say_so() {
        let dialect = Dialect { one_line_tokens: true, ..Dialect::default() };
        for (text, one_line, comparable) in [
            ("(set-info :source |a\nb|)\n(check-sat)", "(set-info :source |a b|)\n(check-sat)", true),
            ("(assert (= s \"a\nb\"))", "(assert (= s \"a\\u{a}b\"))", true),
            ("(assert |a\nb|)", "(assert |a b|)", false),
        ] {
            assert_eq!(dialect.adapt(text.as_bytes()), (Cow::Borrowed(one_line.as_bytes()), comparable));
        }
        assert!(matches!(dialect.adapt(b"(assert\n|a|)"), (Cow::Borrowed(_), true)));
    }

    #[test]
    fn names_change_only_where_they_are_symbols() {
        let text = "(= (str.to_int s) \"str.to_int\") ; str.to_int";
        assert_eq!(adapt(text), (text.replacen("str.to_int", "str.to.int", 1), true));
        assert_eq!(adapt("(|str.to_int| s)").0, "(str.to.int s)");
    }
}
