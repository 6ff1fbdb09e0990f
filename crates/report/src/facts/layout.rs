//! The order of the facts, for every renderer.

use smelt_core::{Class, Release};

use super::{Actual, Exhibit, Expected, Facts, Model, Row, Step};

/// A piece of text, code or data.
pub(crate) enum Block<'a> {
    /// A sentence, with code between backticks.
    Text(String),
    /// A script.
    Script(&'a str),
    /// What a solver prints.
    Output(&'a str),
    /// What solvers do.
    Actual(&'a [Actual]),
    /// The truth of assertions under a model.
    Assertions(&'a Model, &'a Exhibit),
    /// Versions, from old to new.
    Versions(&'a [Release]),
    /// Facts with names.
    Rows(&'a [Row]),
}

/// A part: its id, its heading and its content.
pub(crate) type Part<'a> = (&'static str, &'static str, Vec<Block<'a>>);

/// All parts. The first one needs no heading.
pub(crate) fn parts(f: &Facts) -> Vec<Part<'_>> {
    let why = match f.kind.class() {
        Class::Unknown => "Why it should be solved",
        Class::Slow => "Why it should be faster",
        _ if f.accused.len() > 1 => "Why one of them is wrong",
        _ => "Why it is wrong",
    };
    let mut parts = of_script(&f.shown, [("script", "Script"), ("actual", "Actual"), ("why", why)]);
    if !f.outside.is_empty() {
        let text = format!("The maintainers do not accept reports of this kind: {}.", f.outside.join("; "));
        parts[0].2.insert(1, Block::Text(text));
    }
    if let Some(fixed) = &f.fixed {
        parts[0].2.insert(0, Block::Text(fixed.clone()));
    }
    if let Some(Expected { answer, due, by_others, proved }) = &f.expected {
        let due = if due.is_empty() { String::new() } else { format!(", {due}") };
        let by = match (by_others, proved) {
            (true, _) => ", as returned by all other solvers that solve it",
            (false, false) if f.examined => " (not proved)",
            (false, _) => "",
        };
        let expected = ("expected", "Expected", vec![Block::Text(format!("`{answer}`{due}{by}."))]);
        parts.insert(parts.len() - 1, expected);
    }
    if let Some(larger) = &f.larger {
        let names = [
            ("larger", "Larger script"),
            ("larger-actual", "Actual on the larger script"),
            ("larger-why", "Why that is wrong"),
        ];
        parts.extend(of_script(larger, names));
    }
    if let Some(a) = &f.affected {
        let of_first = "Affected versions (first script)";
        let name = if f.larger.is_some() { of_first } else { "Affected versions" };
        let summary = Block::Text(format!("{}.", a.summary));
        parts.push(("affected", name, vec![summary, Block::Versions(&a.versions), Block::Rows(&a.rows)]));
    }
    parts.push(("found", "How it was found", vec![Block::Rows(&f.found)]));
    parts
}

fn of_script<'a>(e: &'a Exhibit, names: [(&'static str, &'static str); 3]) -> Vec<Part<'a>> {
    let [script, actual, why] = names;
    let mut parts = vec![(script.0, script.1, vec![Block::Text(e.about.clone()), Block::Script(&e.script)])];
    if !e.actual.is_empty() {
        let notes = e.notes.iter().map(|note| Block::Text(note.clone()));
        parts.push((actual.0, actual.1, std::iter::once(Block::Actual(&e.actual)).chain(notes).collect()));
    }
    parts.push((why.0, why.1, e.steps.iter().flat_map(|step| blocks(step, e)).collect()));
    parts
}

fn blocks<'a>(step: &'a Step, e: &'a Exhibit) -> Vec<Block<'a>> {
    match step {
        Step::Text(text) => vec![Block::Text(text.clone())],
        Step::Script(text) => vec![Block::Script(text)],
        Step::Output(text) => vec![Block::Output(text)],
        Step::Model(m) => {
            let has_values = m.shown.text.contains("define-");
            let values = [Block::Text(format!("{}:", m.about)), Block::Output(&m.shown.text)];
            let values = values.into_iter().filter(|_| has_values);
            values.chain([Block::Text(format!("{}:", m.finds)), Block::Assertions(m, e)]).collect()
        }
    }
}

impl Model {
    /// The assertions with their positions, false ones first, for they show the bug.
    pub(crate) fn assertions(&self) -> Vec<(usize, &str, &str)> {
        let all = self.shown.assertions.iter().enumerate();
        let mut rows: Vec<_> = all.map(|(i, (text, truth))| (i, text.as_str(), truth.as_str())).collect();
        rows.sort_by_key(|row| row.2 != "false");
        rows
    }
}
