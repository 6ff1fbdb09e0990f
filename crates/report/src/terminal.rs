//! A bug as text for a terminal.

use crate::facts::{Exhibit, Facts, Model, Query, Row, Step, name};

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

/// The most lines of a message or model that are shown, and the most assertions.
const LINES: usize = 60;
const ASSERTIONS: usize = 20;

/// The facts as text. `paint` makes each text safe for the terminal, and may colour it.
pub fn terminal(f: &Facts, paint: &dyn Fn(Tone, &str) -> String) -> String {
    let mut out = Screen { out: String::new(), paint };
    out.line(Tone::Heading, &f.title);
    out.line(Tone::Plain, &f.claim);
    if !f.outside.is_empty() {
        let why = f.outside.join("; ");
        out.line(Tone::Plain, &format!("The maintainers do not accept such reports: {why}."));
    }
    out.exhibit(&f.shown);
    if let Some(expected) = f.expected_in_words() {
        out.heading("Expected");
        out.line(Tone::Plain, &format!("  {expected}"));
    }
    out.heading(f.why());
    f.shown.steps.iter().for_each(|s| out.step(s));
    if let Some(larger) = &f.larger {
        out.heading("Larger script");
        out.line(Tone::Plain, &larger.about);
        out.exhibit(&larger.shown);
        larger.shown.steps.iter().for_each(|s| out.step(s));
    }
    if let Some(a) = &f.affected {
        out.heading(a.name());
        out.line(Tone::Plain, &format!("  {}", a.summary));
        for (words, versions) in a.by_standing() {
            out.line(Tone::Plain, &format!("    {words}: {}", versions.join(", ")));
        }
        out.rows(&a.rows);
    }
    out.heading("How it was found");
    out.rows(&f.found);
    out.out
}

/// Rows of facts as text, aligned.
pub fn terminal_rows(rows: &[(&str, String)]) -> String {
    rows.iter().map(|(name, value)| format!("  {name:<12} {value}\n")).collect()
}

struct Screen<'a> {
    out: String,
    paint: &'a dyn Fn(Tone, &str) -> String,
}

impl Screen<'_> {
    fn line(&mut self, tone: Tone, text: &str) {
        self.out += &(self.paint)(tone, text);
        self.out.push('\n');
    }

    fn heading(&mut self, text: &str) {
        self.out.push('\n');
        self.line(Tone::Heading, text);
    }

    /// Lines of a text, indented.
    fn block(&mut self, text: &str, most: usize) {
        text.trim_end().lines().take(most).for_each(|l| self.line(Tone::Plain, &format!("    {l}")));
        let more = text.trim_end().lines().count().saturating_sub(most);
        if more > 0 {
            self.line(Tone::Plain, &format!("    .. {more} more lines"));
        }
    }

    fn exhibit(&mut self, shown: &Exhibit) {
        self.out.push('\n');
        self.line(Tone::Plain, shown.script.trim_end());
        shown.note.iter().for_each(|note| self.line(Tone::Plain, note));
        if !shown.actual.is_empty() {
            self.heading("Actual");
            let solver = shown.actual.iter().map(|a| name(&a.solver).chars().count()).max().unwrap_or(0);
            let answer = shown.actual.iter().map(|a| a.answer.chars().count()).max().unwrap_or(0);
            for a in &shown.actual {
                let but = if a.fault.is_empty() { String::new() } else { format!("; but {}", a.fault) };
                let message = a.message.as_ref().map(|m| format!("; {m}")).unwrap_or_default();
                let text = format!(
                    "  {:<solver$}  {:<answer$}  {}{but}{message}",
                    name(&a.solver),
                    a.answer,
                    a.command
                );
                self.line(if a.accused { Tone::Wrong } else { Tone::Plain }, &text);
            }
            shown.adapted.iter().for_each(|sentence| self.line(Tone::Plain, &format!("  {sentence}")));
        }
    }

    fn step(&mut self, step: &Step) {
        match step {
            Step::Text(text) => self.line(Tone::Plain, &format!("  {text}")),
            Step::Script { about, text } => {
                self.line(Tone::Plain, &format!("  {about}:"));
                self.block(text, usize::MAX);
            }
            Step::Output { about, text } => {
                self.line(Tone::Plain, &format!("  {about}:"));
                self.block(text, LINES);
            }
            Step::Model(m) => self.model(m),
            Step::Query(q) => self.query(q),
        }
    }

    fn model(&mut self, m: &Model) {
        if let Some(values) = &m.values {
            self.line(Tone::Plain, &format!("  {}:", m.about));
            self.block(values, LINES);
        }
        self.line(Tone::Plain, &format!("  {}:", m.finds));
        for a in m.assertions.iter().take(ASSERTIONS) {
            let tone = if a.truth == "false" { Tone::Wrong } else { Tone::Plain };
            self.line(tone, &format!("    {:>3}  {:<7}  {}", a.number, a.truth, a.text));
        }
        if m.assertions.len() > ASSERTIONS {
            self.line(Tone::Plain, &format!("    .. {} more", m.assertions.len() - ASSERTIONS));
        }
    }

    fn query(&mut self, q: &Query) {
        self.line(Tone::Plain, &format!("  The answer to {}:", q.command));
        self.block(&q.printed, LINES);
        if let Some(assignment) = &q.assignment {
            self.line(Tone::Plain, &format!("  {}:", Query::AT));
            self.block(assignment, LINES);
        }
        self.line(Tone::Plain, &format!("    expected  {}", q.expected));
        self.line(Tone::Wrong, &format!("    actual    {}", q.actual));
    }

    fn rows(&mut self, rows: &[Row]) {
        for r in rows {
            let mut values =
                if r.list.is_empty() { std::slice::from_ref(&r.value) } else { &r.list[..] }.iter();
            let first = values.next().map(String::as_str).unwrap_or_default();
            self.line(Tone::Plain, &format!("  {:<12} {first}", r.name));
            values.for_each(|value| self.line(Tone::Plain, &format!("  {:<12} {value}", "")));
        }
    }
}
