//! What all HTML pages share: the frame, tables, scripts, commands to copy. A page needs no other file; the style and the
//! behaviour are the data files in `assets`.

use std::sync::LazyLock;

use base64::prelude::{BASE64_STANDARD, Engine};
use maud::{DOCTYPE, Markup, PreEscaped, html};
use sha2::{Digest, Sha256};

use crate::{highlight, plot};

const STYLE: &str = include_str!("../assets/page.css");
const BEHAVIOUR: &str = include_str!("../assets/page.js");
/// A page loads nothing, and runs only its own script and style, named by their hashes: text of a solver that became markup
/// would do nothing. Only a page that `smelt serve` shows asks for itself again.
static POLICY: LazyLock<String> = LazyLock::new(|| {
    let hash = |parts: &[&str]| {
        let digest = parts.iter().fold(Sha256::new(), |hash, part| hash.chain_update(part)).finalize();
        format!("'sha256-{}'", BASE64_STANDARD.encode(digest))
    };
    let (style, script) = (hash(&[STYLE, plot::STYLE]), hash(&[BEHAVIOUR]));
    format!("default-src 'none'; style-src {style}; script-src {script}; img-src data:; connect-src 'self'")
});
const ICON: &str = "data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 16 16'%3E%3Cpath d='M8 1l6 14H2z' \
    fill='%23d55e00'/%3E%3C/svg%3E";

/// A page.
#[derive(Default)]
pub(crate) struct Page<'a> {
    /// The title of the window, as text.
    pub(crate) title: &'a str,
    /// The way back: names and links from the start of the site.
    pub(crate) path: &'a [(String, String)],
    /// The pages before and after this one, for links and keys.
    pub(crate) previous: Option<String>,
    pub(crate) next: Option<String>,
    /// The parts of the page: id and name.
    pub(crate) parts: &'a [(&'a str, &'a str)],
}

impl Page<'_> {
    /// The whole page around its content.
    pub(crate) fn around(&self, body: Markup) -> String {
        let page = html! {
            (DOCTYPE)
            html lang="en" {
                head {
                    meta charset="utf-8";
                    meta name="viewport" content="width=device-width, initial-scale=1";
                    meta name="color-scheme" content="light dark";
                    meta http-equiv="Content-Security-Policy" content=(*POLICY);
                    title { (self.title) }
                    link rel="icon" href=(ICON);
                    style { (PreEscaped(STYLE)) (PreEscaped(plot::STYLE)) }
                }
                body {
                    a.skip href="#main" { "to the content" }
                    header { (self.navigation()) }
                    main id="main" tabindex="-1" { (body) }
                    footer {
                        "Made by smelt. Keys: "
                        kbd { "/" } " filters, " kbd { "n" } " and " kbd { "p" } " go to the next and the previous bug, "
                        kbd { "u" } " goes up."
                    }
                    script { (PreEscaped(BEHAVIOUR)) }
                }
            }
        };
        page.into_string() + "\n"
    }

    fn navigation(&self) -> Markup {
        html! {
            nav aria-label="site" {
                b.brand { "smelt" }
                @for (i, (name, link)) in self.path.iter().enumerate() {
                    " / " a href=(link) rel=[(i + 1 == self.path.len()).then_some("up")] { (name) }
                }
                @if let Some(previous) = &self.previous { " " a.step rel="prev" href=(previous) { "← previous" } }
                @if let Some(next) = &self.next { " " a.step rel="next" href=(next) { "next →" } }
            }
            @if !self.parts.is_empty() {
                nav.parts aria-label="page" {
                    @for (id, name) in self.parts { a href={ "#" (id) } { (name) } " " }
                }
            }
        }
    }
}

/// A table.
#[derive(Default)]
pub(crate) struct Table {
    /// The columns.
    pub(crate) columns: Vec<Column>,
    /// The rows.
    pub(crate) rows: Vec<Vec<Cell>>,
}

/// A column of a table.
#[derive(Clone, Debug, Default)]
pub(crate) struct Column {
    /// Its name.
    pub(crate) name: String,
    /// What it means, shown above the table and on the name.
    pub(crate) about: String,
    /// Whether rows can be chosen by its value.
    pub(crate) choice: bool,
    /// Whether small screens do without it.
    pub(crate) wide: bool,
}

impl Column {
    /// A column with its meaning.
    pub(crate) fn new(name: impl Into<String>, about: impl Into<String>) -> Column {
        Column { name: name.into(), about: about.into(), ..Column::default() }
    }

    /// Rows can be chosen by its value.
    pub(crate) fn choice(self) -> Column {
        Column { choice: true, ..self }
    }

    /// Small screens do without it.
    pub(crate) fn wide(self) -> Column {
        Column { wide: true, ..self }
    }
}

/// A cell of a table.
#[derive(Debug)]
pub(crate) struct Cell {
    content: Markup,
    /// The text, if there is no markup.
    plain: String,
    /// The value for sorting and choosing; otherwise the text is used.
    value: Option<String>,
    number: bool,
}

impl Cell {
    /// A text.
    pub(crate) fn text(text: impl AsRef<str>) -> Cell {
        Cell {
            content: html! { (text.as_ref()) },
            plain: text.as_ref().to_owned(),
            value: None,
            number: false,
        }
    }

    /// Markup that is sorted by a value.
    pub(crate) fn markup(content: Markup, value: impl Into<String>) -> Cell {
        Cell { content, plain: String::new(), value: Some(value.into()), number: false }
    }

    /// A number, shown as text.
    pub(crate) fn number(text: impl AsRef<str>, value: f64) -> Cell {
        let value = Some(value.to_string());
        Cell { content: html! { (text.as_ref()) }, plain: text.as_ref().to_owned(), value, number: true }
    }

    /// Its text, if it has no markup.
    pub(crate) fn plain(&self) -> &str {
        &self.plain
    }

    /// A count.
    pub(crate) fn count(value: u64) -> Cell {
        Cell::number(grouped(value), value as f64)
    }
}

impl Table {
    /// The table, sorted by the heads of its columns. With a `filter`, its rows can be filtered.
    pub(crate) fn show(&self, id: &str, filter: bool) -> Markup {
        html! {
            @if filter { (self.filter(id)) }
            div.scroll tabindex="0" {
                table.sortable id=(id) {
                    thead {
                        tr {
                            @for (i, column) in self.columns.iter().enumerate() {
                                th scope="col" class=[self.class(i, column.wide)] {
                                    button type="button" title=(column.about) { (column.name) }
                                }
                            }
                        }
                    }
                    tbody {
                        @for row in &self.rows {
                            tr {
                                @for (i, cell) in row.iter().enumerate() {
                                    @let wide = self.columns.get(i).is_some_and(|c| c.wide);
                                    td class=[self.class(i, wide)] data-v=[cell.value.as_ref()] { (cell.content) }
                                }
                            }
                        }
                    }
                }
            }
        }
    }

    /// The classes of a cell.
    fn class(&self, column: usize, wide: bool) -> Option<&'static str> {
        let number = self.rows.first().and_then(|r| r.get(column)).is_some_and(|c| c.number);
        match (number, wide) {
            (true, true) => Some("number wide"),
            (true, false) => Some("number"),
            (false, true) => Some("wide"),
            (false, false) => None,
        }
    }

    fn filter(&self, id: &str) -> Markup {
        let choices = self.columns.iter().enumerate().filter(|(_, c)| c.choice).map(|(i, column)| {
            let mut values: Vec<&str> = self.rows.iter().filter_map(|r| r.get(i)?.value.as_deref()).collect();
            values.sort_unstable();
            values.dedup();
            (i, column, values)
        });
        html! {
            form.filter data-table=(id) role="search" {
                input type="search" name="q" placeholder="filter: words, all must occur  (key /)" aria-label="filter the table";
                @for (i, column, values) in choices {
                    @if values.len() > 1 {
                        select name={ "c" (i) } data-column=(i) aria-label=(column.name) {
                            option value="" { "every " (column.name) }
                            @for value in values { option { (value) } }
                        }
                    }
                }
                output.dim { (self.rows.len()) " of " (self.rows.len()) }
            }
        }
    }

    /// What each column means.
    pub(crate) fn legend(&self) -> Markup {
        html! {
            details.legend {
                summary { "What the columns mean" }
                dl {
                    @for column in self.columns.iter().filter(|c| !c.about.is_empty()) {
                        dt { (column.name) } dd { (inline(&column.about)) }
                    }
                }
            }
        }
    }
}

/// A number with its digits in groups of three.
pub(crate) fn grouped(value: u64) -> String {
    let digits = value.to_string();
    let mut out = String::new();
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

/// A count with its noun.
pub(crate) fn counted(count: u64, noun: &str) -> String {
    let ending = if count == 1 { "" } else { "s" };
    format!("{} {noun}{ending}", grouped(count))
}

/// Text in which code stands between backticks.
pub(crate) fn inline(text: &str) -> Markup {
    html! {
        @for (is_code, part) in spans(text) {
            @if is_code { code { (part) } } @else { (part) }
        }
    }
}

/// The parts of a text, and which of them are code: between two runs of as many backticks, as in Markdown.
fn spans(text: &str) -> Vec<(bool, &str)> {
    let run = |at: usize| text[at..].bytes().take_while(|b| *b == b'`').count();
    let (mut spans, mut from, mut at) = (Vec::new(), 0, 0);
    while let Some(open) = text[at..].find('`').map(|i| at + i) {
        let (ticks, start) = (run(open), open + run(open));
        let mut end = start;
        let close = loop {
            let Some(next) = text[end..].find('`').map(|i| end + i) else { break None };
            if run(next) == ticks {
                break Some(next);
            }
            end = next + run(next);
        };
        at = start;
        if let Some(close) = close {
            let code = &text[start..close];
            let inner = code.strip_prefix(' ').and_then(|c| c.strip_suffix(' '));
            spans.extend([(false, &text[from..open]), (true, inner.unwrap_or(code))]);
            (from, at) = (close + ticks, close + ticks);
        }
    }
    spans.push((false, &text[from..]));
    spans
}

/// Command lines, each with a button that copies it.
pub(crate) fn commands(lines: &[(String, String)]) -> Markup {
    html! {
        div.commands {
            @for (about, line) in lines {
                p.dim { (about) }
                div.code {
                    button.copy type="button" title="Copy the command" { "copy" }
                    pre tabindex="0" { code { (line) } }
                }
            }
        }
    }
}

/// Facts: names and values.
pub(crate) fn facts(rows: &[(&str, Markup)]) -> Markup {
    html! {
        dl.facts {
            @for (name, value) in rows { dt { (name) } dd { (value) } }
        }
    }
}

/// A script behind one line that unfolds.
pub(crate) fn script_details(summary: Markup, text: &str, script: &str, open: bool) -> Markup {
    html! {
        details open[open] {
            summary { (summary) }
            p { (inline(text)) }
            (highlight::script(script, None))
        }
    }
}

/// A path as a link: everything unusual is escaped.
pub(crate) fn link(path: &str) -> String {
    let plain = |b: u8| b.is_ascii_alphanumeric() || b"-._~/".contains(&b);
    path.bytes().map(|b| if plain(b) { char::from(b).to_string() } else { format!("%{b:02X}") }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_cannot_become_markup() {
        let title = "<b>";
        let body = script_details(html! { ("a & b") }, "\"<i>\" `<u>`", "(assert (< x 1))</pre>", false);
        let text = Page { title, ..Page::default() }.around(body);
        for part in
            ["<title>&lt;b&gt;</title>", "a &amp; b", "&lt;i&gt;", "<code>&lt;u&gt;</code>", "&lt;/pre&gt;"]
        {
            assert!(text.contains(part), "{part} in {text}");
        }
        assert!(text.ends_with("</html>\n"));
    }

    #[test]
    fn nothing_is_loaded_from_elsewhere() {
        let text = Page::default().around(html! {});
        let text = text.replace("http://www.w3.org/2000/svg", "");
        assert!(!text.contains("http://") && !text.contains("https://"));
        assert!(!STYLE.contains("url(") && !STYLE.contains("@import"));
        assert!(!STYLE.contains('<') && !BEHAVIOUR.contains("</"), "they stand inside of elements");
    }

    #[test]
    fn only_the_own_script_and_style_run() {
        let text = Page::default().around(html! {});
        assert!(!text.contains("unsafe-inline") && text.matches("sha256-").count() == 2, "{}", *POLICY);
        assert!(!text.contains("style=") && !text.contains(" onclick"));
    }

    #[test]
    fn numbers_and_links_are_readable() {
        assert_eq!([1, 1000, 1234567].map(grouped), ["1", "1,000", "1,234,567"]);
        assert_eq!(counted(1, "bug") + &counted(2, " test"), "1 bug2  tests");
        assert_eq!(link("findings/3/a b<.smt2"), "findings/3/a%20b%3C.smt2");
    }
}
