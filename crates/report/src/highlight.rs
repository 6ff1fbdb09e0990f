//! SMT-LIB text as HTML: coloured tokens, dim comments, long texts truncated.

use maud::{Markup, PreEscaped, html};
use smelt_smtlib::{Lexer, TokenKind};
use std::borrow::Cow;

/// Commands and binders: the words that are not operators.
const WORDS: &str = include_str!("../assets/words.txt");
/// A page shows at most this many bytes of one text.
const LONGEST: usize = 100_000;

/// The colour of a token, as a class.
fn class(kind: TokenKind, text: &[u8], after_open: bool) -> Option<&'static str> {
    match kind {
        TokenKind::Numeral | TokenKind::Decimal | TokenKind::Hex | TokenKind::Binary | TokenKind::Sharp => {
            Some("n")
        }
        TokenKind::String => Some("s"),
        TokenKind::Keyword => Some("k"),
        TokenKind::Symbol if WORDS.lines().any(|w| w.as_bytes() == text) => Some("w"),
        TokenKind::Symbol if after_open => Some("f"),
        _ => None,
    }
}

/// The start of a text, and how many bytes were left out.
pub(crate) fn start(text: &str, most: usize) -> (&str, usize) {
    if text.len() <= most {
        return (text, 0);
    }
    let end = (0..=most).rev().find(|i| text.is_char_boundary(*i)).unwrap_or(0);
    (&text[..end], text.len() - end)
}

/// A piece of SMT-LIB, unchanged, with colours. If the text is not SMT-LIB, the rest has no colours.
pub(crate) fn code(text: &str) -> Markup {
    let mut out = String::with_capacity(text.len() * 2);
    let mut done = 0;
    if let Ok(mut lexer) = Lexer::new(text.as_bytes()) {
        let mut after_open = false;
        while let Ok(token) = lexer.next_token() {
            if token.kind == TokenKind::End {
                break;
            }
            let (from, to) = (token.start as usize, token.end as usize);
            let (Some(gap), Some(word)) = (text.get(done..from), text.get(from..to)) else { break };
            between(&mut out, gap);
            match class(token.kind, word.as_bytes(), after_open) {
                Some(class) => out.push_str(&html! { span class=(class) { (word) } }.into_string()),
                None => out.push_str(&html! { (word) }.into_string()),
            }
            after_open = token.kind == TokenKind::Open;
            done = to;
        }
    }
    between(&mut out, &text[done..]);
    PreEscaped(out)
}

/// Spaces and comments.
fn between(out: &mut String, gap: &str) {
    if gap.contains(';') {
        out.push_str(&html! { span.c { (gap) } }.into_string());
    } else {
        out.push_str(&html! { (gap) }.into_string());
    }
}

/// A script in a block with a button that copies it. `file` is a link to the whole text.
pub(crate) fn script(text: &str, file: Option<&str>) -> Markup {
    let (shown, rest) = start(text.trim_end(), LONGEST);
    html! {
        div.code {
            button.copy type="button" title="Copy the script" { "copy" }
            pre tabindex="0" { code { (code(shown)) } }
        }
        @if rest > 0 {
            p.dim {
                "The first " (LONGEST) " bytes; " (rest) " more are in "
                @match file {
                    Some(file) => a href=(file) { "the file" },
                    None => "the file",
                }
                "."
            }
        }
    }
}

/// Text on one line, cut where it is too long.
pub(crate) fn line(text: &str, most: usize) -> Cow<'_, str> {
    let (shown, rest) = start(text, most);
    if rest > 0 { format!("{shown}..").into() } else { shown.into() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_have_colours_and_nothing_is_lost() {
        let text = "; a <b>\n(assert (= x #b01 \"<s>\" |a b| 1.5))";
        let shown = code(text).into_string();
        for part in ["<span class=\"w\">assert</span>", "<span class=\"n\">#b01</span>", "&lt;s&gt;", "|a b|"]
        {
            assert!(shown.contains(part), "{part} in {shown}");
        }
        let mut plain = String::new();
        for (i, part) in shown.split('<').enumerate() {
            plain.push_str(if i == 0 { part } else { part.split_once('>').unwrap().1 });
        }
        assert_eq!(plain.replace("&lt;", "<").replace("&gt;", ">").replace("&quot;", "\""), text);
    }

    #[test]
    fn what_is_not_smtlib_is_shown_as_it_is() {
        assert!(code("(assert \"open <script>").into_string().contains("open &lt;script&gt;"));
        assert!(code("</pre>\u{e9}\0").into_string().contains("&lt;/pre&gt;\u{e9}"));
    }

    #[test]
    fn a_long_script_is_cut() {
        let text = "(assert true)\n".repeat(100_000);
        let shown = script(&text, Some("a.smt2")).into_string();
        assert!(shown.len() < 900_000 && shown.contains("href=\"a.smt2\""), "{}", shown.len());
    }
}
