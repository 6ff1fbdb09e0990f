//! Rust files as text: which parts are code, comments and strings, which are tests, and where functions begin and end.

use std::ops::Range;
use std::path::{Path, PathBuf};

/// What a part of a file is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Code,
    Comment,
    /// A string with its quotes.
    Text,
}

/// The parts of a file in their order; together they are the file.
pub(crate) fn parts(source: &str) -> Vec<(Kind, Range<usize>)> {
    let bytes = source.as_bytes();
    let (mut parts, mut at, mut code) = (Vec::new(), 0, 0);
    while at < bytes.len() {
        let Some((kind, length)) = part(&bytes[at..], at.checked_sub(1).map(|i| bytes[i])) else {
            at += 1;
            continue;
        };
        if kind != Kind::Code {
            parts.push((Kind::Code, code..at));
            parts.push((kind, at..at + length));
            code = at + length;
        }
        at += length;
    }
    parts.push((Kind::Code, code..bytes.len()));
    parts.retain(|(_, range)| !range.is_empty());
    parts
}

/// The comment, string or character with which the rest of a file begins, and its length.
fn part(rest: &[u8], before: Option<u8>) -> Option<(Kind, usize)> {
    let find = |from: usize, what: &[u8]| {
        let found = rest.get(from..)?.windows(what.len()).position(|w| w == what);
        Some(found.map_or(rest.len(), |i| from + i + what.len()))
    };
    match rest {
        [b'/', b'/', ..] => {
            Some((Kind::Comment, rest.iter().position(|b| *b == b'\n').unwrap_or(rest.len())))
        }
        [b'/', b'*', ..] => Some((Kind::Comment, block_comment(rest))),
        [b'"', ..] => Some((Kind::Text, quoted(rest, b'"'))),
        [b'r', b'"' | b'#', ..] if !before.is_some_and(is_name) || before == Some(b'b') => {
            let hashes = rest[1..].iter().take_while(|b| **b == b'#').count();
            let starts = rest.get(1 + hashes) == Some(&b'"');
            let end = [&b"\""[..], &rest[1..1 + hashes]].concat();
            if starts { Some((Kind::Text, find(2 + hashes, &end)?)) } else { None }
        }
        [b'\'', b'\\', ..] => Some((Kind::Code, quoted(rest, b'\''))),
        [b'\'', ..] => {
            // One character between quotes; else a lifetime.
            let text = std::str::from_utf8(&rest[1..rest.len().min(6)]);
            let valid = text.or_else(|e| std::str::from_utf8(&rest[1..1 + e.valid_up_to()])).ok()?;
            let length = valid.chars().next()?.len_utf8();
            (rest.get(1 + length) == Some(&b'\'')).then_some((Kind::Code, length + 2))
        }
        _ => None,
    }
}

fn is_name(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_'
}

/// The length of what stands between two quotes, with both.
fn quoted(rest: &[u8], quote: u8) -> usize {
    let mut at = 1;
    while at < rest.len() && rest[at] != quote {
        at += if rest[at] == b'\\' { 2 } else { 1 };
    }
    (at + 1).min(rest.len())
}

fn block_comment(rest: &[u8]) -> usize {
    let (mut at, mut depth) = (2, 1);
    while depth > 0 && at < rest.len() {
        match &rest[at..] {
            [b'/', b'*', ..] => (at, depth) = (at + 2, depth + 1),
            [b'*', b'/', ..] => (at, depth) = (at + 2, depth - 1),
            _ => at += 1,
        }
    }
    at
}

/// The file without comments, and with characters and strings that have no content; lines stay where they are.
pub(crate) fn code(source: &str) -> String {
    let hide = |text: &str, with: char| -> String {
        text.chars().map(|c| if c.is_whitespace() { c } else { with }).collect()
    };
    let code = |text: &str| {
        let mut shown = String::new();
        let mut at = 0;
        while at < text.len() {
            // Braces as characters are not braces.
            let length = part(&text.as_bytes()[at..], None).map_or(0, |(_, length)| length);
            let next = text[at..].chars().next().map_or(1, char::len_utf8);
            shown +=
                &if length > 0 { hide(&text[at..at + length], '\'') } else { text[at..at + next].to_owned() };
            at += length.max(next);
        }
        shown
    };
    let show = |(kind, range): (Kind, Range<usize>)| match kind {
        Kind::Code => code(&source[range]),
        Kind::Comment => hide(&source[range], ' '),
        Kind::Text => hide(&source[range], '"'),
    };
    parts(source).into_iter().map(show).collect()
}

/// The code without items for tests, and the names of modules for tests that are files of their own.
pub(crate) fn without_tests(code: &str) -> (String, Vec<String>) {
    const MARK: &str = "#[cfg(test)]";
    let (mut left, mut modules, mut rest) = (String::new(), Vec::new(), code);
    while let Some((before, item)) = rest.split_once(MARK) {
        let end = item_end(item);
        let words: Vec<&str> = item[..end].split([' ', ';', '\n']).filter(|w| !w.is_empty()).collect();
        if item[..end].ends_with(';')
            && let Some(at) = words.iter().position(|w| *w == "mod")
        {
            modules.extend(words.get(at + 1).map(|w| (*w).to_owned()));
        }
        left += before;
        rest = &item[end..];
    }
    (left + rest, modules)
}

/// Where an item ends: behind its body, or behind a semicolon if it has no body.
fn item_end(code: &str) -> usize {
    let mut depth = 0;
    for (at, byte) in code.bytes().enumerate() {
        match byte {
            b'{' | b'(' | b'[' => depth += 1,
            b'}' if depth == 1 => return at + 1,
            b'}' | b')' | b']' => depth -= 1,
            b';' if depth == 0 => return at + 1,
            _ => {}
        }
    }
    code.len()
}

/// A function with a body: its name and its lines, counted from one.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Function {
    pub(crate) name: String,
    pub(crate) line: usize,
    pub(crate) lines: usize,
}

/// The functions in code.
pub(crate) fn functions(code: &str) -> Vec<Function> {
    let mut functions = Vec::new();
    for (at, _) in code.match_indices("fn ") {
        let name: String = code[at + 3..].bytes().take_while(|b| is_name(*b)).map(char::from).collect();
        let is_word = at == 0 || !is_name(code.as_bytes()[at - 1]);
        let length = item_end(&code[at..]);
        if is_word && !name.is_empty() && code[at..at + length].ends_with('}') {
            let lines = code[at..at + length].lines().count();
            functions.push(Function { name, line: code[..at].matches('\n').count() + 1, lines });
        }
    }
    functions
}

/// The files below a folder whose names end so, sorted; what is built, and hidden folders, left out.
pub(crate) fn files(folder: &Path, extensions: &[&str]) -> Vec<PathBuf> {
    let (mut files, mut folders) = (Vec::new(), vec![folder.to_owned()]);
    while let Some(folder) = folders.pop() {
        for path in std::fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path()) {
            let name = path.file_name().unwrap_or_default().to_string_lossy();
            let is_wanted = path.extension().is_some_and(|e| extensions.iter().any(|x| e == *x));
            if path.is_symlink() || name.starts_with('.') || name == "target" {
                continue;
            } else if path.is_dir() {
                folders.push(path);
            } else if is_wanted {
                files.push(path);
            }
        }
    }
    files.sort();
    files
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_and_strings_are_not_code() {
        let source = r##"let a = "x // {"; // }
/* { /* } */ */ let b = '"'; let c: &'a str = r#"" {"#;
let d = '\''; let e = b"\"{"; r#type"##;
        let texts = |kind: Kind| -> Vec<&str> {
            parts(source).into_iter().filter(|p| p.0 == kind).map(|p| &source[p.1]).collect()
        };
        assert_eq!(texts(Kind::Text), [r#""x // {""#, r###"r#"" {"#"###, r#""\"{""#]);
        assert_eq!(texts(Kind::Comment), ["// }", "/* { /* } */ */"]);
        assert_eq!(parts(source).iter().map(|p| p.1.len()).sum::<usize>(), source.len());
        let code = code(source);
        assert!(!code.contains(['{', '}', '/']), "{code}");
        assert_eq!(code.lines().count(), 3);
        assert!(code.contains("r#type") && code.contains("&'a str"), "{code}");
    }

    #[test]
    fn tests_are_left_out() {
        let (left, modules) = without_tests(
            "fn a() {}\n#[cfg(test)]\nmod tests;\n#[cfg(test)]\nmod inner {\n fn t() {}\n}\nfn b() {}\n",
        );
        assert_eq!(left, "fn a() {}\n\n\nfn b() {}\n");
        assert_eq!(modules, ["tests"]);
    }

    #[test]
    fn functions_have_lines() {
        let code = "fn a(f: fn(u8) -> [u8; 2]) {\n if x {\n }\n}\ntrait T {\n fn b();\n fn c() {}\n}\n";
        let found: Vec<_> = functions(code).into_iter().map(|f| (f.name, f.line, f.lines)).collect();
        assert_eq!(found, [("a".to_owned(), 1, 4), ("c".to_owned(), 7, 1)]);
    }
}
