//! The figures of a study in rows.

use smelt_study::{Cell, LIMITS, Study};
use std::fmt::Write;

/// A paragraph or a table of a study.
pub(super) enum Block {
    Text(String),
    Table(Table),
}

/// Rows of text under a head.
pub(super) struct Table {
    pub(super) head: Vec<String>,
    pub(super) rows: Vec<Vec<String>>,
}

/// Triggers by release and theory, and times by release, in Markdown.
pub fn study_markdown(study: &Study) -> String {
    let mut out = String::new();
    for (i, block) in study_blocks(study).into_iter().enumerate() {
        if i > 0 {
            out.push('\n');
        }
        match block {
            Block::Text(text) => {
                let _ = writeln!(out, "{text}");
            }
            Block::Table(t) => table(&mut out, &t),
        }
    }
    out
}

/// The figures of a study, in the order in which a person reads them.
pub(super) fn study_blocks(study: &Study) -> Vec<Block> {
    let counts: Vec<String> = study.grammars.iter().map(|(g, n)| format!("{g} {n}")).collect();
    let mut blocks = vec![
        Block::Text(format!(
            "Formulas: {}; {} variables, {} assertion{}; limit {} s, {}; {:.0} s of work.",
            counts.join(", "),
            study.vars,
            study.asserts,
            if study.asserts == 1 { "" } else { "s" },
            study.timeout_s,
            if study.fresh { "a process for each query" } else { "live sessions" },
            study.wall_s
        )),
        Block::Table(by_release(study)),
        Block::Text(format!(
            "Solved: of the {} formulas that every release was asked and none rejected. Joint time: over the formulas that \
             all releases of the family solved.",
            study.cells.first().map_or(0, |cells| cells.iter().map(|c| c.common).sum::<u64>())
        )),
        Block::Text("Triggers (unsound / invalid model / crash) by grammar:".to_owned()),
        Block::Table(by_grammar(study)),
    ];
    let reach = (0..study.grammars.len()).filter_map(|g| {
        let (formulas, triggers) = study.reach(g, 0.8)?;
        Some(format!("{} {formulas} (of {triggers})", study.grammars[g].0))
    });
    let reach: Vec<String> = reach.collect();
    if !reach.is_empty() {
        let text = format!("Formulas, in order, until 80 % of the triggers were met: {}.", reach.join(", "));
        blocks.push(Block::Text(text));
    }
    if study.unconfirmed > 0 {
        let text =
            format!("{} more were seen once and not again in a process of their own.", study.unconfirmed);
        blocks.push(Block::Text(text));
    }
    blocks
}

/// One row for each release, over all grammars.
fn by_release(study: &Study) -> Table {
    let sum = |release: usize, f: &dyn Fn(&Cell) -> u64| study.cells[release].iter().map(f).sum::<u64>();
    let counted = |c: &Cell, outcome: &str| c.outcomes.get(outcome).copied().unwrap_or(0);
    let rows = study.releases.iter().enumerate().map(|(i, r)| {
        let unsettled = sum(i, &|c| c.unsettled);
        let unsound = sum(i, &|c| c.unsound);
        vec![
            r.solver.clone(),
            sum(i, &|c| c.outcomes.values().sum()).to_string(),
            if unsettled > 0 { format!("{unsound} ({unsettled} unsettled)") } else { unsound.to_string() },
            sum(i, &|c| c.invalid_model).to_string(),
            sum(i, &|c| c.crash).to_string(),
            sum(i, &|c| counted(c, "unknown")).to_string(),
            sum(i, &|c| counted(c, "rejected")).to_string(),
            sum(i, &|c| c.solved.first().copied().unwrap_or(0)).to_string(),
            sum(i, &|c| c.solved.last().copied().unwrap_or(0)).to_string(),
            format!("{:.1}", study.cells[i].iter().map(|c| c.joint_s).sum::<f64>()),
            format!("{:.0}", throughput(&study.cells[i])),
            sum(i, &|c| c.limited).to_string(),
        ]
    });
    let first = format!("solved in {} s", LIMITS[0]);
    let head = [
        "release",
        "asked",
        "unsound",
        "invalid model",
        "crash",
        "unknown",
        "rejected",
        &first,
        "solved in 8 s",
        "joint time (s)",
        "formulas/s",
        "short limit only",
    ];
    Table { head: head.map(str::to_owned).to_vec(), rows: rows.collect() }
}

/// Triggers: one row for each release, one column for each grammar.
fn by_grammar(study: &Study) -> Table {
    let names = study.grammars.iter().map(|(g, _)| g.clone());
    let head = std::iter::once("release".to_owned()).chain(names).collect();
    let rows = study.releases.iter().enumerate().map(|(i, r)| {
        let cell = |c: &Cell| match (c.unsound, c.invalid_model, c.crash) {
            _ if c.lacks_theory => "not built in".to_owned(),
            (0, 0, 0) => "-".to_owned(),
            (u, m, c) => format!("{u} / {m} / {c}"),
        };
        std::iter::once(r.solver.clone()).chain(study.cells[i].iter().map(cell)).collect()
    });
    Table { head, rows: rows.collect() }
}

/// Formulas a second over all grammars.
fn throughput(cells: &[Cell]) -> f64 {
    let asked = |c: &Cell| c.outcomes.values().sum::<u64>() as f64;
    let seconds: f64 = cells.iter().filter(|c| c.throughput > 0.0).map(|c| asked(c) / c.throughput).sum();
    cells.iter().map(asked).sum::<f64>() / seconds.max(1e-9)
}

/// A table in Markdown, its columns aligned.
fn table(out: &mut String, table: &Table) {
    let length = |cell: &String| cell.chars().count();
    let widths: Vec<usize> = (0..table.head.len())
        .map(|i| table.rows.iter().map(|r| &r[i]).chain([&table.head[i]]).map(length).max().unwrap_or(0))
        .collect();
    let rule: Vec<String> = widths
        .iter()
        .enumerate()
        .map(|(i, w)| "-".repeat(w - usize::from(i > 0)) + if i > 0 { ":" } else { "" })
        .collect();
    for row in [&table.head, &rule].into_iter().chain(&table.rows) {
        let cells = row.iter().zip(&widths).enumerate();
        let padded: Vec<String> =
            cells.map(|(i, (c, &w))| if i == 0 { format!("{c:<w$}") } else { format!("{c:>w$}") }).collect();
        let _ = writeln!(out, "| {} |", padded.join(" | "));
    }
}

/// One row for each release and grammar.
pub fn study_csv(study: &Study) -> String {
    let mut out = "release,family,grammar,formulas,unsound,unsettled,invalid_model,crash,joint,joint_s,throughput,limited"
        .to_owned();
    for limit in LIMITS {
        let _ = write!(out, ",solved_{limit}s");
    }
    for outcome in OUTCOMES {
        let _ = write!(out, ",{outcome}");
    }
    out.push('\n');
    for (release, cells) in study.releases.iter().zip(&study.cells) {
        for ((grammar, formulas), c) in study.grammars.iter().zip(cells) {
            let _ = write!(
                out,
                "{},{},{grammar},{formulas},{},{},{},{},{},{:.6},{:.3},{}",
                release.solver,
                release.family,
                c.unsound,
                c.unsettled,
                c.invalid_model,
                c.crash,
                c.joint,
                c.joint_s,
                c.throughput,
                c.limited
            );
            for solved in &c.solved {
                let _ = write!(out, ",{solved}");
            }
            for outcome in OUTCOMES {
                let _ = write!(out, ",{}", c.outcomes.get(outcome).copied().unwrap_or(0));
            }
            out.push('\n');
        }
    }
    out
}

const OUTCOMES: [&str; 8] = ["sat", "unsat", "unknown", "timeout", "memout", "crash", "rejected", "error"];
