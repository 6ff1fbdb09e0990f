//! The tables of a study.

use smelt_study::{Cell, LIMITS, Study};
use std::fmt::Write;

use crate::page::{Cell as Shown, Column, Table, counted};

/// Triggers by release and theory, and times by release, in Markdown.
pub fn study_markdown(study: &Study) -> String {
    let mut out = String::new();
    let _ = writeln!(out, "{}\n", setting(study));
    table(&mut out, &by_release(study));
    let _ = writeln!(out, "\n{}\n", comparison(study));
    let _ = writeln!(out, "Triggers (unsound / invalid model / crash) by grammar:\n");
    table(&mut out, &by_grammar(study));
    if let Some(text) = repetitions(study) {
        let _ = writeln!(out, "\n{text}");
    }
    if let Some(text) = reach(study) {
        let _ = writeln!(out, "\n{text}");
    }
    if study.unconfirmed > 0 {
        let _ = writeln!(out, "\n{} more did not reproduce in a fresh process.", study.unconfirmed);
    }
    out
}

/// What was asked of whom.
pub(super) fn setting(study: &Study) -> String {
    let formulas = |(g, n): &(String, u64)| format!("{} of `{g}`", counted(*n, "formula"));
    format!(
        "Every release ran {}, each with {} and {}. Time limits: {} s per query, in {}; the study took {:.0} s.",
        study.grammars.iter().map(formulas).collect::<Vec<_>>().join(", "),
        counted(study.vars.into(), "variable"),
        counted(study.asserts.into(), "assertion"),
        study.timeout_s,
        if study.fresh { "a fresh process each" } else { "a live session" },
        study.wall_s
    )
}

/// On which formulas releases are compared, and with whom.
pub(super) fn comparison(study: &Study) -> String {
    let mut references: Vec<String> = Vec::new();
    for release in &study.releases {
        let text = release.reference.as_ref().map(|r| format!("`{}` against {r}", release.family));
        references.extend(text.filter(|t| !references.contains(t)));
    }
    let held = match references.is_empty() {
        true => "No release has a reference solver.".to_owned(),
        false => format!(
            "Answers without a proof are compared with a reference solver; by family: {}.",
            references.join(", ")
        ),
    };
    format!(
        "Solved and formulas/s refer to the {} formulas that all releases ran with the full time limit and none rejected. Joint time: on the formulas that \
         all releases of the family solved. {held}",
        study.cells.first().map_or(0, |cells| cells.iter().map(|c| c.common).sum::<u64>())
    )
}

/// How many formulas meet most of the triggers of each grammar.
pub(super) fn reach(study: &Study) -> Option<String> {
    let met = (0..study.grammars.len()).filter_map(|g| {
        let (formulas, triggers) = study.reach(g, 0.8)?;
        Some(format!("{} {formulas} (of {triggers})", study.grammars[g].0))
    });
    let met: Vec<String> = met.collect();
    let text = || {
        format!(
            "Number of formulas, in order of size, that contain 80 % of the triggers: {}.",
            met.join(", ")
        )
    };
    (!met.is_empty()).then(text)
}

/// How often answers were measured, if more than once, and how many changed.
pub(super) fn repetitions(study: &Study) -> Option<String> {
    let changed: u64 = study.cells.iter().flatten().map(|c| c.changed).sum();
    let text = || {
        let times = study.repeat;
        format!("Times are medians of {times} measurements; {changed} outcomes changed between them.")
    };
    (study.repeat > 1).then(text)
}

/// One row for each release, over all grammars.
pub(super) fn by_release(study: &Study) -> Table {
    let sum = |release: usize, f: &dyn Fn(&Cell) -> u64| study.cells[release].iter().map(f).sum::<u64>();
    let counted = |c: &Cell, outcome: &str| c.outcomes.get(outcome).copied().unwrap_or(0);
    let rows = study.releases.iter().enumerate().map(|(i, r)| {
        let unsettled = sum(i, &|c| c.unsettled);
        let unsound = sum(i, &|c| c.unsound);
        let wrong =
            if unsettled > 0 { format!("{unsound} ({unsettled} unsettled)") } else { unsound.to_string() };
        let joint = study.cells[i].iter().map(|c| c.joint_s).sum::<f64>();
        let speed = throughput(&study.cells[i]);
        let count = |n: u64| Shown::number(n.to_string(), n as f64);
        vec![
            Shown::text(&r.solver),
            count(sum(i, &|c| c.outcomes.values().sum())),
            Shown::number(wrong, unsound as f64),
            count(sum(i, &|c| c.invalid_model)),
            count(sum(i, &|c| c.crash)),
            count(sum(i, &|c| counted(c, "unknown"))),
            count(sum(i, &|c| counted(c, "rejected"))),
            count(sum(i, &|c| c.solved.first().copied().unwrap_or(0))),
            count(sum(i, &|c| c.solved.last().copied().unwrap_or(0))),
            Shown::number(format!("{joint:.1}"), joint),
            Shown::number(format!("{speed:.0}"), speed),
            count(sum(i, &|c| c.limited)),
        ]
    });
    let first = format!("solved in 1/{:.0} s", 1.0 / LIMITS[0]);
    let columns = vec![
        Column::new("release", "Name and version, as reported by the solver."),
        Column::new("formulas", "Number of formulas run."),
        Column::new(
            "unsound",
            "Confirmed wrong answers. Unsettled: the answer differs from that of the reference, and it is not proved which is wrong.",
        ),
        Column::new(
            "invalid model",
            "Formulas answered sat with a model that smelt's evaluator finds false.",
        ),
        Column::new("crash", "Formulas that crashed the process."),
        Column::new("unknown", "Formulas answered unknown."),
        Column::new("rejected", "Formulas that it cannot parse or does not support."),
        Column::new(
            first,
            "Formulas solved within the shortest time limit, of those that all releases ran with the full limit and none rejected.",
        ),
        Column::new("solved in 8 s", "Formulas solved within the longest time limit, of the same set."),
        Column::new(
            "joint time (s)",
            "Time for the formulas that all releases of this solver family solved.",
        ),
        Column::new("formulas/s", "Formulas per second, on the same set."),
        Column::new(
            "short limit only",
            "Formulas run only with the short time limit, because the time of the study was over.",
        ),
    ];
    Table { columns, rows: rows.collect() }
}

/// Triggers: one row for each release, one column for each grammar.
pub(super) fn by_grammar(study: &Study) -> Table {
    let names = study
        .grammars
        .iter()
        .map(|(g, n)| Column::new(g, format!("Triggers among the {n} formulas of this grammar.")));
    let columns = std::iter::once(Column::new("release", "")).chain(names).collect();
    let rows = study.releases.iter().enumerate().map(|(i, r)| {
        let cell = |c: &Cell| match (c.unsound, c.invalid_model, c.crash) {
            _ if c.lacks_theory => Shown::number("not built in", -1.0),
            (0, 0, 0) => Shown::number("-", 0.0),
            (u, m, c) => Shown::number(format!("{u} / {m} / {c}"), (u + m + c) as f64),
        };
        std::iter::once(Shown::text(&r.solver)).chain(study.cells[i].iter().map(cell)).collect()
    });
    Table { columns, rows: rows.collect() }
}

/// Formulas a second over all grammars.
fn throughput(cells: &[Cell]) -> f64 {
    let of = |c: &Cell| c.common as f64;
    let seconds: f64 = cells.iter().filter(|c| c.throughput > 0.0).map(|c| of(c) / c.throughput).sum();
    if seconds > 0.0 { cells.iter().map(of).sum::<f64>() / seconds } else { 0.0 }
}

/// A table in Markdown, its columns aligned.
fn table(out: &mut String, table: &Table) {
    let head: Vec<&str> = table.columns.iter().map(|c| c.name.as_str()).collect();
    let rows: Vec<Vec<&str>> = table.rows.iter().map(|r| r.iter().map(Shown::plain).collect()).collect();
    let length = |cell: &&str| cell.chars().count();
    let widths: Vec<usize> = (0..head.len())
        .map(|i| rows.iter().map(|r| &r[i]).chain([&head[i]]).map(length).max().unwrap_or(0))
        .collect();
    let rule: Vec<String> = widths
        .iter()
        .enumerate()
        .map(|(i, w)| "-".repeat(w - usize::from(i > 0)) + if i > 0 { ":" } else { "" })
        .collect();
    let rule: Vec<&str> = rule.iter().map(String::as_str).collect();
    for row in [&head, &rule].into_iter().chain(&rows) {
        let cells = row.iter().zip(&widths).enumerate();
        let padded: Vec<String> =
            cells.map(|(i, (c, &w))| if i == 0 { format!("{c:<w$}") } else { format!("{c:>w$}") }).collect();
        let _ = writeln!(out, "| {} |", padded.join(" | "));
    }
}

/// One row for each release and grammar.
pub fn study_csv(study: &Study) -> String {
    let mut out = "release,family,grammar,formulas,asked,common,unsound,unsettled,invalid_model,crash,joint,joint_s,throughput,limited"
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
                "{},{},{grammar},{formulas},{},{},{},{},{},{},{},{:.6},{:.3},{}",
                release.solver,
                release.family,
                c.outcomes.values().sum::<u64>(),
                c.common,
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
