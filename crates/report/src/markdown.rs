//! A bug as text: an issue in Markdown for the solver's maintainers, or the same for a terminal.

use smelt_core::release_name;

use crate::facts::{Actual, Block, Facts, Model, Row, code, line, longest_run, name, parts, standing};

/// How a text is meant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tone {
    /// As it is.
    Plain,
    /// A heading.
    Heading,
    /// The accused, and what is wrong.
    Wrong,
}

/// At most this many lines of a model or message are shown, and this many assertions; an issue lists this many items.
const LINES: usize = 60;
const ASSERTIONS: usize = 20;
const ITEMS: usize = 10;
/// Columns of tables are aligned up to this width.
const ALIGNED: usize = 60;

/// The issue.
pub fn issue(facts: &Facts) -> String {
    Text { out: String::new(), paint: &|_, text| text.to_owned(), local: false }.write(facts)
}

/// The same for a terminal, with what only says something in the campaign. `paint` makes each text safe, and may colour it.
pub fn terminal(facts: &Facts, paint: &dyn Fn(Tone, &str) -> String) -> String {
    Text { out: String::new(), paint, local: true }.write(facts)
}

struct Text<'a> {
    out: String,
    paint: &'a dyn Fn(Tone, &str) -> String,
    local: bool,
}

impl Text<'_> {
    fn write(mut self, f: &Facts) -> String {
        self.line(Tone::Heading, &format!("# {}\n", flat(&f.title)));
        for (i, (_, heading, blocks)) in parts(f).iter().enumerate() {
            if i > 0 {
                self.line(Tone::Heading, &format!("## {heading}\n"));
            }
            blocks.iter().for_each(|block| self.block(block));
        }
        self.out.truncate(self.out.trim_end().len());
        self.out + "\n"
    }

    fn line(&mut self, tone: Tone, text: &str) {
        self.out += &(self.paint)(tone, text);
        self.out.push('\n');
    }

    fn block(&mut self, block: &Block<'_>) {
        match block {
            Block::Text(text) => self.line(Tone::Plain, &flat(text)),
            Block::Script(text) => self.line(Tone::Plain, &fenced("smt2", text, usize::MAX)),
            Block::Output(text) => self.line(Tone::Plain, &fenced("", text, LINES)),
            Block::Actual(all) => self.actual(all),
            Block::Assertions(model, _) => self.assertions(model),
            Block::Versions(all) => {
                let mut groups: Vec<(&str, Vec<String>)> = Vec::new();
                for release in *all {
                    let version = release_name(all, &release.solver);
                    match groups.iter_mut().find(|g| g.0 == standing(release)) {
                        Some(group) => group.1.push(version),
                        None => groups.push((standing(release), vec![version])),
                    }
                }
                let groups = groups.iter().filter(|g| !g.0.is_empty());
                groups.for_each(|(words, all)| {
                    self.line(Tone::Plain, &format!("- {words}: {}", flat(&all.join(", "))))
                });
                return;
            }
            Block::Rows(rows) => {
                let local = self.local;
                rows.iter().filter(|r| local || !r.local).for_each(|r| self.row(r));
            }
        }
        self.out.push('\n');
    }

    /// A table, its columns aligned.
    fn table(&mut self, head: &[&str], rows: &[(Tone, Vec<String>)]) {
        let width = |i: usize| {
            let cells = rows.iter().map(|(_, cells)| cells[i].chars().count());
            cells.max().unwrap_or(0).max(head[i].len()).clamp(3, ALIGNED)
        };
        let widths: Vec<usize> = (0..head.len()).map(width).collect();
        let row = |cells: &[String]| {
            let cells = cells.iter().zip(&widths).map(|(cell, width)| format!("| {cell:<width$} "));
            cells.collect::<String>() + "|"
        };
        self.line(Tone::Plain, &row(&head.iter().map(|h| (*h).to_owned()).collect::<Vec<_>>()));
        self.line(Tone::Plain, &row(&widths.iter().map(|w| "-".repeat(*w)).collect::<Vec<_>>()));
        rows.iter().for_each(|(tone, cells)| self.line(*tone, &row(cells)));
    }

    fn actual(&mut self, all: &[Actual]) {
        let row = |Actual { solver, command, answer, fault, message, accused, adapted }: &Actual| {
            let (tone, mark) = if *accused { (Tone::Wrong, "**") } else { (Tone::Plain, "") };
            let but = if fault.is_empty() { String::new() } else { format!(", but {fault}") };
            let message = message.as_ref().map(|m| format!(": {}", cell(m))).unwrap_or_default();
            let answer = format!("{mark}{answer}{mark}{but}{message}");
            // A command is never cut: it must run as printed.
            let command = match (command, adapted) {
                (Some(command), _) => code(command).replace('|', "\\|"),
                (None, true) => "(translated script)".to_owned(),
                (None, false) if *accused => "(see below)".to_owned(),
                (None, false) => "(none tested)".to_owned(),
            };
            (tone, vec![cell(&name(solver)), command, answer])
        };
        self.table(&["solver", "command", "answer"], &all.iter().map(row).collect::<Vec<_>>());
    }

    fn assertions(&mut self, model: &Model) {
        let all = model.assertions();
        let more = all.len().saturating_sub(ASSERTIONS);
        let row = |(i, text, truth): &(usize, &str, &str)| {
            let tone = if *truth == "false" { Tone::Wrong } else { Tone::Plain };
            (tone, vec![(i + 1).to_string(), code(&line(text)).replace('|', "\\|"), (*truth).to_owned()])
        };
        let mut rows: Vec<_> = all.iter().take(ASSERTIONS).map(row).collect();
        rows.extend(
            (more > 0).then(|| (Tone::Plain, vec![String::new(), format!(".. {more} more"), String::new()])),
        );
        self.table(&["", "assertion", "value"], &rows);
    }

    fn row(&mut self, row: &Row) {
        let (first, rest) = row.name.split_at(1);
        let name = format!("- {}{rest}:", first.to_uppercase());
        match row.list.is_empty() {
            true => self.line(Tone::Plain, &format!("{name} {}.", flat(&row.value))),
            false => {
                self.line(Tone::Plain, &name);
                let most = if self.local { usize::MAX } else { ITEMS };
                row.list
                    .iter()
                    .take(most)
                    .for_each(|item| self.line(Tone::Plain, &format!("  - {}", flat(item))));
            }
        }
    }
}

fn fenced(language: &str, text: &str, most: usize) -> String {
    let lines: Vec<&str> = text.trim_end().lines().collect();
    let shown = lines[..lines.len().min(most)].join("\n");
    let more = lines.len().saturating_sub(most);
    let more = if more > 0 { format!("\n.. {more} more lines") } else { String::new() };
    // A fence longer than any run of backticks in the text.
    let ticks = "`".repeat(longest_run(text).max(2) + 1);
    format!("{ticks}{language}\n{shown}{more}\n{ticks}")
}

/// A text on one line: what a script, a file or a solver brings in must not begin a heading or a list.
fn flat(text: &str) -> String {
    text.split(char::is_control).filter(|part| !part.is_empty()).collect::<Vec<_>>().join(" ")
}

/// A text in a cell of a table.
fn cell(text: &str) -> String {
    line(text).replace('|', "\\|")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bar_in_a_cell_does_not_end_it() {
        assert_eq!(cell("\n (= |a b| x)\nmore"), "(= \\|a b\\| x) ..");
    }

    #[test]
    fn a_block_is_closed_whatever_is_in_it() {
        let out = fenced("smt2", "; ```\n(check-sat)", usize::MAX);
        assert!(out.starts_with("````smt2\n") && out.ends_with("\n````"), "{out}");
        let out = fenced("", "a\n``````\nb", usize::MAX);
        assert!(out.starts_with("```````\n") && out.ends_with("\n```````"), "{out}");
        let out = fenced("", "a", usize::MAX);
        assert_eq!(out, "```\na\n```");
    }

    #[test]
    fn code_in_a_line_is_read_as_it_is_whatever_is_in_it() {
        for text in ["a", "a`b", "`", "``a`", "a b", "|x``y|", "a\nb"] {
            let line = format!("it is {}, and `b`.", code(text));
            let shown = text.replace('\n', " ");
            let page = crate::page::inline(&line).into_string();
            assert_eq!(page, format!("it is <code>{shown}</code>, and <code>b</code>."), "{line}");
        }
        assert_eq!(flat("a\nb\r\n# c"), "a b # c");
    }
}
