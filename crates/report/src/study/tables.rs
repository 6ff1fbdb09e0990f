//! The figures of a study in rows.

use smelt_study::{Cell, LIMITS, Study};
use std::fmt::Write;

/// Triggers by release and theory, and times by release, in Markdown.
pub fn study_markdown(study: &Study) -> String {
    let mut out = String::new();
    let counts: Vec<String> = study.grammars.iter().map(|(g, n)| format!("{g} {n}")).collect();
    let _ = writeln!(
        out,
        "Formulas: {}; {} variables, {} assertion{}; limit {} s, {}; {:.0} s of work.\n",
        counts.join(", "),
        study.vars,
        study.asserts,
        if study.asserts == 1 { "" } else { "s" },
        study.timeout_s,
        if study.fresh { "a process for each query" } else { "live sessions" },
        study.wall_s
    );
    let sum = |release: usize, f: &dyn Fn(&Cell) -> u64| study.cells[release].iter().map(f).sum::<u64>();
    let rows = study.releases.iter().enumerate().map(|(i, r)| {
        let unsettled = sum(i, &|c| c.unsettled);
        let unsound = sum(i, &|c| c.unsound);
        vec![
            r.solver.clone(),
            if unsettled > 0 { format!("{unsound} ({unsettled} unsettled)") } else { unsound.to_string() },
            sum(i, &|c| c.invalid_model).to_string(),
            sum(i, &|c| c.crash).to_string(),
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
        "unsound",
        "invalid model",
        "crash",
        &first,
        "solved in 8 s",
        "joint time (s)",
        "formulas/s",
        "short limit only",
    ];
    table(&mut out, &head, rows);
    out.push_str("\nTriggers (unsound / invalid model / crash) by grammar:\n\n");
    let names = study.grammars.iter().map(|(g, _)| g.as_str());
    let head: Vec<&str> = std::iter::once("release").chain(names).collect();
    let rows = study.releases.iter().enumerate().map(|(i, r)| {
        let cell = |c: &Cell| match (c.unsound, c.invalid_model, c.crash) {
            _ if c.lacks_theory => "not built in".to_owned(),
            (0, 0, 0) => "-".to_owned(),
            (u, m, c) => format!("{u} / {m} / {c}"),
        };
        std::iter::once(r.solver.clone()).chain(study.cells[i].iter().map(cell)).collect()
    });
    table(&mut out, &head, rows);
    if study.unconfirmed > 0 {
        let _ = writeln!(
            out,
            "\n{} more were seen once and not again in a process of their own.",
            study.unconfirmed
        );
    }
    out
}

/// Formulas a second over all grammars.
fn throughput(cells: &[Cell]) -> f64 {
    let asked = |c: &Cell| c.outcomes.values().sum::<u64>() as f64;
    let seconds: f64 = cells.iter().filter(|c| c.throughput > 0.0).map(|c| asked(c) / c.throughput).sum();
    cells.iter().map(asked).sum::<f64>() / seconds.max(1e-9)
}

fn table(out: &mut String, head: &[&str], rows: impl Iterator<Item = Vec<String>>) {
    let rows: Vec<Vec<String>> = rows.collect();
    let width = |column: usize| {
        rows.iter().map(|r| r[column].chars().count()).chain([head[column].len()]).max().unwrap_or(0)
    };
    let widths: Vec<usize> = (0..head.len()).map(width).collect();
    let mut line = |cells: Vec<&str>| {
        let padded: Vec<String> =
            cells
                .iter()
                .enumerate()
                .map(|(i, c)| {
                    if i == 0 { format!("{c:<w$}", w = widths[i]) } else { format!("{c:>w$}", w = widths[i]) }
                })
                .collect();
        let _ = writeln!(out, "| {} |", padded.join(" | "));
    };
    line(head.to_vec());
    let rules: Vec<String> = widths
        .iter()
        .enumerate()
        .map(|(i, w)| if i == 0 { "-".repeat(*w) } else { format!("{}:", "-".repeat(w - 1)) })
        .collect();
    line(rules.iter().map(String::as_str).collect());
    for row in &rows {
        line(row.iter().map(String::as_str).collect());
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
