//! A bug as an issue for the solver's maintainers, in Markdown, ready to paste.

use std::fmt::{Result, Write};

use crate::facts::{Actual, Affected, Exhibit, Facts, Model, Query, Row, Step, line, name};

/// The issue shows at most this many lines of a model or message, and this many assertions and items of a list.
const LINES: usize = 60;
const ASSERTIONS: usize = 20;
const ITEMS: usize = 10;

/// The issue.
pub fn issue(facts: &Facts) -> String {
    let mut out = String::new();
    // Writing to a string cannot fail.
    let _ = write(&mut out, facts);
    out
}

fn write(out: &mut String, f: &Facts) -> Result {
    writeln!(out, "# {}\n", f.title)?;
    if !f.outside.is_empty() {
        writeln!(out, "> The maintainers do not accept such reports: {}.\n", f.outside.join("; "))?;
    }
    script(out, &f.shown)?;
    writeln!(out, "{}\n", f.claim)?;
    actual(out, &f.shown)?;
    if let Some(expected) = f.expected_in_words() {
        writeln!(out, "## Expected\n\n{expected}\n")?;
    }
    writeln!(out, "## {}\n", f.why())?;
    f.shown.steps.iter().try_for_each(|s| step(out, s))?;
    if let Some(larger) = &f.larger {
        writeln!(out, "## Larger script\n\n{}\n", larger.about)?;
        script(out, &larger.shown)?;
        actual(out, &larger.shown)?;
        larger.shown.steps.iter().try_for_each(|s| step(out, s))?;
    }
    if let Some(a) = &f.affected {
        affected(out, a)?;
    }
    writeln!(out, "## How it was found\n")?;
    f.found.iter().filter(|r| !r.local).try_for_each(|r| row(out, r))
}

fn script(out: &mut String, shown: &Exhibit) -> Result {
    block(out, "smt2", &shown.script)?;
    shown.note.as_ref().map_or(Ok(()), |note| writeln!(out, "{note}\n"))
}

fn block(out: &mut String, language: &str, text: &str) -> Result {
    let mut lines: Vec<&str> = text.trim_end().lines().collect();
    let more = if language == "smt2" { 0 } else { lines.len().saturating_sub(LINES) };
    lines.truncate(lines.len() - more);
    // A fence longer than any in the text.
    let ticks = "`".repeat(if text.contains("```") { 5 } else { 3 });
    writeln!(out, "{ticks}{language}\n{}", lines.join("\n"))?;
    if more > 0 {
        writeln!(out, ".. {more} more lines")?;
    }
    writeln!(out, "{ticks}\n")
}

/// A text in a cell of a table.
fn cell(text: &str) -> String {
    line(text).replace('|', "\\|")
}

fn actual(out: &mut String, shown: &Exhibit) -> Result {
    if shown.actual.is_empty() {
        return Ok(());
    }
    writeln!(out, "## Actual\n\n| solver | command | answer |\n| --- | --- | --- |")?;
    for Actual { solver, command, answer, fault, message, accused } in &shown.actual {
        let mark = if *accused { "**" } else { "" };
        let but = if fault.is_empty() { String::new() } else { format!(", but {fault}") };
        let message = message.as_ref().map(|m| format!(": {}", m.replace('|', "\\|"))).unwrap_or_default();
        writeln!(out, "| {} | `{}` | {mark}{answer}{mark}{but}{message} |", name(solver), cell(command))?;
    }
    shown.adapted.as_ref().map_or(Ok(()), |sentence| writeln!(out, "\n{sentence}"))?;
    writeln!(out)
}

fn step(out: &mut String, step: &Step) -> Result {
    match step {
        Step::Text(text) => writeln!(out, "{text}\n"),
        Step::Script { about, text } => {
            writeln!(out, "{about}:\n")?;
            block(out, "smt2", text)
        }
        Step::Output { about, text } => {
            writeln!(out, "{about}:\n")?;
            block(out, "", text)
        }
        Step::Model(m) => model(out, m),
        Step::Query(q) => query(out, q),
    }
}

fn model(out: &mut String, m: &Model) -> Result {
    if let Some(values) = &m.values {
        writeln!(out, "{}:\n", m.about)?;
        block(out, "", values)?;
    }
    writeln!(out, "{}:\n\n| | assertion | value |\n| --- | --- | --- |", m.finds)?;
    for a in m.assertions.iter().take(ASSERTIONS) {
        writeln!(out, "| {} | `{}` | {} |", a.number, cell(&a.text), a.truth)?;
    }
    if m.assertions.len() > ASSERTIONS {
        writeln!(out, "| | .. {} more | |", m.assertions.len() - ASSERTIONS)?;
    }
    writeln!(out)
}

fn query(out: &mut String, q: &Query) -> Result {
    writeln!(out, "The answer to `{}`:\n", line(&q.command))?;
    block(out, "", &q.printed)?;
    if let Some(assignment) = &q.assignment {
        writeln!(out, "{}:\n", Query::AT)?;
        block(out, "", assignment)?;
    }
    writeln!(
        out,
        "| expected | actual |\n| --- | --- |\n| `{}` | `{}` |\n",
        cell(&q.expected),
        cell(&q.actual)
    )
}

fn affected(out: &mut String, a: &Affected) -> Result {
    writeln!(out, "## {}\n\n- {}.", a.name(), a.summary)?;
    for (words, versions) in a.by_standing() {
        writeln!(out, "  - {words}: {}", versions.join(", "))?;
    }
    a.rows.iter().try_for_each(|r| row(out, r))?;
    writeln!(out)
}

fn row(out: &mut String, row: &Row) -> Result {
    let (first, rest) = row.name.split_at(1);
    write!(out, "- {}{rest}:", first.to_uppercase())?;
    match row.list.is_empty() {
        true => writeln!(out, " {}.", row.value),
        false => {
            writeln!(out)?;
            row.list.iter().take(ITEMS).try_for_each(|item| writeln!(out, "  - {item}"))
        }
    }
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
        let mut out = String::new();
        block(&mut out, "smt2", "; ```\n(check-sat)").unwrap();
        assert!(out.starts_with("`````smt2\n") && out.ends_with("\n`````\n\n"), "{out}");
    }
}
