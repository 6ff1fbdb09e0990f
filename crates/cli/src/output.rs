//! Output: one JSON document on stdout, and files.

use std::borrow::Cow;
use std::io::{self, IsTerminal, StdoutLock, Write};
use std::path::Path;

use serde::Serialize;

use crate::exit::Failure;

/// A value as JSON. What a terminal could take for a command is escaped: it stands in strings only.
pub(crate) fn json(value: &impl Serialize) -> Result<String, Failure> {
    let text = serde_json::to_string(value).map_err(|e| Failure::internal(e.to_string()))?;
    if !text.contains(is_control) {
        return Ok(text);
    }
    let mut clean = String::with_capacity(text.len() + 8);
    for c in text.chars() {
        // All of them have one unit of 16 bits.
        if is_control(c) { clean += &format!("\\u{:04x}", c as u32) } else { clean.push(c) }
    }
    Ok(clean)
}

/// The version of the documents: within it fields are added, never renamed or removed.
pub(crate) const VERSION: u32 = 1;

/// A document with its version, which every object has.
fn versioned(text: String) -> String {
    let is_new = |text: &str| {
        let object: Result<serde_json::Map<String, serde_json::Value>, _> = serde_json::from_str(text);
        object.is_ok_and(|object| !object.contains_key("version"))
    };
    match text.strip_prefix('{') {
        Some("}") => format!("{{\"version\":{VERSION}}}"),
        Some(rest) if is_new(&text) => format!("{{\"version\":{VERSION},{rest}"),
        _ => text,
    }
}

/// Prints a JSON document.
pub(crate) fn print_json(value: &impl Serialize) -> Result<(), Failure> {
    Ok(writeln!(std::io::stdout(), "{}", versioned(json(value)?))?)
}

/// A JSON document that is a list, printed item by item: a reader sees each as soon as it is there, and what was
/// printed is a document as soon as the list has ended, however that comes.
pub(crate) struct JsonList {
    is_empty: bool,
}

impl JsonList {
    /// Begins the list.
    pub(crate) fn begin() -> io::Result<JsonList> {
        write!(io::stdout(), "[")?;
        Ok(JsonList { is_empty: true })
    }

    /// Prints an item, each on a line of its own.
    pub(crate) fn push(&mut self, item: &impl Serialize) -> Result<(), Failure> {
        let before = if std::mem::replace(&mut self.is_empty, false) { "" } else { ",\n" };
        let mut out = io::stdout().lock();
        write!(out, "{before}{}", json(item)?)?;
        Ok(out.flush()?)
    }
}

impl Drop for JsonList {
    fn drop(&mut self) {
        let _ = writeln!(io::stdout(), "]");
    }
}

/// Prints a result: as a JSON document, or as text.
pub(crate) fn result(
    as_json: bool,
    document: &impl Serialize,
    text: impl FnOnce(&mut StdoutLock<'_>) -> io::Result<()>,
) -> Result<(), Failure> {
    if as_json { print_json(document) } else { Ok(text(&mut io::stdout().lock())?) }
}

/// Writes a file, and the folders it is in. A link of that name is replaced, not followed: it may be someone else's.
pub(crate) fn write(path: &Path, content: impl AsRef<[u8]>) -> Result<(), Failure> {
    let failed = |e: std::io::Error| Failure::usage(format!("cannot write {}: {e}", path.display()));
    match path.symlink_metadata() {
        // A pipe or a device.
        Ok(known) if !known.is_file() && !known.is_symlink() => std::fs::write(path, content),
        _ => smelt_store::write_over(path, content.as_ref()),
    }
    .map_err(failed)
}

/// The width of the terminal that stdout is, or what `COLUMNS` says; `None` if lines may have any width.
pub(crate) fn width() -> Option<usize> {
    if let Some(columns) = std::env::var("COLUMNS").ok().and_then(|text| text.parse().ok()) {
        return Some(columns);
    }
    let size = io::stdout().is_terminal().then(ratatui::crossterm::terminal::size)?;
    size.ok().map(|(columns, _)| usize::from(columns)).filter(|columns| *columns > 0)
}

/// Writes a text in lines that are no wider than the terminal; lines behind the first are indented by two more.
pub(crate) fn wrapped(out: &mut impl Write, text: &str) -> io::Result<()> {
    lines(&printable(text), width().unwrap_or(usize::MAX)).iter().try_for_each(|line| writeln!(out, "{line}"))
}

/// A text in lines of a width, broken between words.
fn lines(text: &str, width: usize) -> Vec<String> {
    let indent = text.len() - text.trim_start().len();
    let mut lines = vec![" ".repeat(indent)];
    for word in text.split_whitespace() {
        let last = lines.last_mut().expect("there is a first line");
        let is_empty = last.trim_start().is_empty();
        if !is_empty && last.chars().count() + 1 + word.chars().count() > width {
            lines.push(format!("{}{word}", " ".repeat(indent + 2)));
        } else {
            last.push_str(if is_empty { "" } else { " " });
            last.push_str(word);
        }
    }
    lines
}

/// Whether a character does something to a terminal besides standing there.
fn is_control(c: char) -> bool {
    // Marks of direction show a text in another order than it is.
    let is_mark = matches!(c, '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    c.is_control() && !matches!(c, '\n' | '\t') || is_mark
}

/// A text of a solver or a file without control characters, so that it cannot do anything to a terminal.
pub(crate) fn printable(text: &str) -> Cow<'_, str> {
    if !text.contains(is_control) {
        return text.into();
    }
    let mut clean = String::with_capacity(text.len() + 8);
    for c in text.chars() {
        if is_control(c) { clean.extend(c.escape_default()) } else { clean.push(c) }
    }
    clean.into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_object_has_a_version_and_lists_stay_lists() {
        let versioned = |text: &str| versioned(text.to_owned());
        assert_eq!(versioned("{\"a\":[{}]}"), "{\"version\":1,\"a\":[{}]}");
        assert_eq!(versioned("{}"), "{\"version\":1}");
        assert_eq!(versioned("{\"b\":0,\"version\":7}"), "{\"b\":0,\"version\":7}");
        assert_eq!(versioned("[{\"a\":1}]"), "[{\"a\":1}]");
    }

    #[test]
    fn json_has_no_control_character_and_reads_back() {
        let text = "a\u{1b}[2J\u{7f}\u{9b}2J\u{202e}\n\té";
        let json = json(&text).unwrap();
        assert!(!json.contains(is_control) && json.contains('é'), "{json}");
        assert_eq!(serde_json::from_str::<String>(&json).unwrap(), text);
    }

    #[test]
    fn lines_are_broken_between_words() {
        let text = "  one two three four";
        assert_eq!(lines(text, 11), ["  one two", "    three", "    four"]);
        assert_eq!(lines(text, 80), [text]);
        assert_eq!(lines("longer-than-that", 5), ["longer-than-that"]);
    }

    #[test]
    fn control_characters_are_escaped_and_nothing_else() {
        assert_eq!(printable("a\tb\nc é"), "a\tb\nc é");
        assert_eq!(printable("a\u{202e}b"), "a\\u{202e}b");
        assert_eq!(printable("\u{1b}[2Jx\u{7}\r\u{9b}"), "\\u{1b}[2Jx\\u{7}\\r\\u{9b}");
    }
}
