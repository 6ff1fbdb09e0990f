//! The summary of a campaign as text: tests and times, a table of solvers, a table of strategies, and the findings.

use std::collections::BTreeMap;
use std::io::Write;

use smelt_campaign::{Guarantee, Shard, ShardRow, Summary};

use crate::table::{Column, Table, column};
use crate::{output, units};

/// What the headers of the tables mean.
const LEGEND: &str = "  SOLVED, DECIDED: answered sat or unsat, by this solver or by any; LOST: share of solver time spent on timeouts";

/// The full form.
pub(crate) fn show(out: &mut impl Write, s: &Summary) -> std::io::Result<()> {
    work(out, s)?;
    solvers(out, s)?;
    strategies(out, s)?;
    output::wrapped(out, LEGEND)?;
    if let Some(row) = &s.shard {
        shard(out, row)?;
    }
    if let Some(first) = s.unusable_seeds.first() {
        let count = units::count(s.unusable_seeds.len(), "seed");
        output::wrapped(
            out,
            &format!("{count} could not be used, for example {}: {}", first.seed, first.why),
        )?;
    }
    if s.out_of_cases {
        let more = "for more, add seeds or strategies that need none (construct, enumerate, synthesis)";
        output::wrapped(out, &format!("ended early: no strategy could make another new test: {more}"))?;
    }
    if s.unanswered_seeds > 0 {
        let count = units::count(s.unanswered_seeds as usize, "seed");
        let first = s.unanswered.first();
        let first = first.map_or_else(String::new, |f| format!(", such as {} ({})", f.seed, f.why));
        output::wrapped(out, &format!("{count} mostly skipped: no solver answered{first}"))?;
    }
    for g in &s.guarantees {
        guarantee(out, g)?;
    }
    if s.flaky > 0 {
        writeln!(out, "{} flaky: seen once, but not reproduced in fresh processes", s.flaky)?;
    }
    found(out, s)
}

/// If a campaign ended by itself without a single test, the reason.
pub(crate) fn made_nothing(s: &Summary) -> Option<String> {
    if s.tests > 0 || !s.out_of_cases || !s.findings.is_empty() {
        return None;
    }
    let why = s.strategies.iter().map(|r| {
        let why = r.reason.as_deref().unwrap_or("made nothing");
        format!("{}: {why}", r.strategy)
    });
    Some(format!("no test could be made of these seeds; {}", why.collect::<Vec<_>>().join("; ")))
}

/// The short form, for `smelt demo`.
pub(crate) fn show_briefly(out: &mut impl Write, s: &Summary) -> std::io::Result<()> {
    work(out, s)?;
    found(out, s)
}

/// Tests, solver calls and outcomes.
fn work(out: &mut impl Write, s: &Summary) -> std::io::Result<()> {
    let outcomes: Vec<String> = s.by_outcome.iter().map(|(outcome, n)| format!("{n} {outcome}")).collect();
    let text = format!(
        "{}, {}, {:.1} s CPU, solvers busy {:.1}% of the time: {}",
        pace(s),
        units::count(s.solver_calls as usize, "solver call"),
        s.cpu_s,
        s.solver_share * 100.0,
        outcomes.join(", ")
    );
    output::wrapped(out, &text)
}

/// The number of tests, their rate, and how long findings were reduced after the last test.
fn pace(s: &Summary) -> String {
    let tests = |n: u64| units::count(n as usize, "test");
    let rate = |n: u64, seconds: f64| format!("{seconds:.1} s ({:.0}/s)", n as f64 / seconds.max(1e-3));
    match (s.rate, s.this_run) {
        (None, _) => format!("{} in {}", tests(s.tests), rate(s.tests, s.wall_s)),
        (_, (n, seconds)) if n == s.tests => {
            let rest = s.wall_s - seconds;
            let rest = if rest < 0.1 {
                String::new()
            } else {
                format!(", then {rest:.1} s to reduce and group findings")
            };
            format!("{} in {}{rest}", tests(n), rate(n, seconds))
        }
        (_, (n, seconds)) => {
            format!("{} in {:.1} s, {n} of them in this run: {}", tests(s.tests), s.wall_s, rate(n, seconds))
        }
    }
}

/// One row per solver, and the most frequent reasons for `unknown` and rejections.
fn solvers(out: &mut impl Write, s: &Summary) -> std::io::Result<()> {
    const COLUMNS: [Column; 8] = [
        column("SOLVER").gives_way(1),
        column("QUERIES").right(),
        column("SOLVED").right(),
        column("UNKNOWN").right(),
        column("TIMEOUT").right(),
        column("LOST").right(),
        column("REJECTED").right(),
        column("CRASHED").right(),
    ];
    let mut rows = Table::new(&COLUMNS).indented(2);
    let mut reasons: BTreeMap<(&str, &str), Vec<&str>> = BTreeMap::new();
    for r in &s.solvers {
        let mut cells = vec![r.solver.clone()];
        cells.extend([r.asked, r.answered, r.unknown, r.stopped].map(|n| n.to_string()));
        cells.push(format!("{:.0}%", r.stopped_share * 100.0));
        cells.extend([r.rejected, r.crashed].map(|n| n.to_string()));
        rows.row(cells, None);
        let said =
            [("unknown", r.unknown, &r.unknown_reason), ("rejected", r.rejected, &r.reason)].into_iter();
        for (what, times, reason) in said {
            if let (1.., Some(reason)) = (times, reason) {
                reasons.entry((what, reason.as_str())).or_default().push(&r.solver);
            }
        }
    }
    rows.write(out)?;
    for ((what, reason), by) in reasons {
        let by = match by[..] {
            [one] => one.to_owned(),
            _ => units::count(by.len(), "solver"),
        };
        output::wrapped(out, &format!("  {what}, most often by {by}: {reason}"))?;
    }
    Ok(())
}

/// One row per strategy, with the reason if it made no test.
fn strategies(out: &mut impl Write, s: &Summary) -> std::io::Result<()> {
    const COLUMNS: [Column; 5] = [
        column("STRATEGY"),
        column("TESTS").right(),
        column("DECIDED").right(),
        column("FINDINGS").right(),
        column("").gives_way(1),
    ];
    let mut rows = Table::new(&COLUMNS).indented(2);
    for r in &s.strategies {
        let why = match r.made {
            0 => r.reason.as_deref().unwrap_or("never chosen"),
            _ => r.reason.as_deref().unwrap_or(""),
        };
        let numbers = [r.made, r.useful, r.found].map(|n| n.to_string());
        rows.row([&[r.strategy.clone()][..], &numbers, &[why.to_owned()]].concat(), None);
    }
    rows.write(out)
}

/// Bugs, and findings that are not grouped yet.
fn found(out: &mut impl Write, s: &Summary) -> std::io::Result<()> {
    if s.findings.is_empty() {
        return writeln!(out, "no findings; folder: {}", s.out);
    }
    let bugs = s.findings.len() - (s.unexamined as usize).min(s.findings.len());
    if bugs > 0 {
        writeln!(out, "{} in {}:", units::count(bugs, "bug"), s.out)?;
        table(out, s.findings[..bugs].iter())?;
    }
    if s.unexamined > 0 {
        let left = units::count(s.unexamined as usize, "finding");
        let how = format!(
            "several may be the same bug; run `smelt bugs examine {}` to reduce and group them",
            s.out
        );
        output::wrapped(out, &format!("{left} not examined yet, and {how}:"))?;
        table(out, s.findings[bugs..].iter().take(10))?;
        if s.unexamined > 10 {
            writeln!(out, "  and {} more", s.unexamined - 10)?;
        }
    }
    Ok(())
}

/// The shard and its progress.
fn shard(out: &mut impl Write, row: &ShardRow) -> std::io::Result<()> {
    let what = match row.shard {
        Shard::WHOLE => "the whole campaign".to_owned(),
        shard => format!("shard {shard}"),
    };
    let of = row.numbers.map(|n| format!(" of {n}")).unwrap_or_default();
    let rest = match row.numbers {
        Some(n) if n > row.done => "; --resume runs the rest",
        _ => "",
    };
    writeln!(out, "{what}: {}{of} case numbers done, {} of them made no test{rest}", row.done, row.empty)
}

/// The sizes that an enumerating strategy has completed, and how many of these scripts each solver answered.
fn guarantee(out: &mut impl Write, g: &Guarantee) -> std::io::Result<()> {
    let but = if g.leaves_out_decided { ", except those that simplification decides," } else { "" };
    let done =
        format!("{} {}: all {} scripts up to size {}{but} checked", g.strategy, g.options, g.cases, g.size);
    let next = match g.next_done {
        0 => String::new(),
        n => format!(", and {n} of {} of size {}", g.next_cases, g.size + 1),
    };
    let solvers =
        g.solvers.iter().map(|(solver, c)| match (g.cases - c.asked.min(g.cases), c.asked - c.decided) {
            (0, 0) => format!("{solver} answered all"),
            _ if c.decided == 0 => format!("{solver} answered none of {}", c.asked),
            (0, open) => format!("{solver} answered all but {open}"),
            _ => format!("{solver} answered {} of the {} it was given", c.decided, c.asked),
        });
    output::wrapped(out, &format!("{done}{next}: {}", solvers.collect::<Vec<_>>().join("; ")))
}

/// A table of findings.
fn table<'a>(
    out: &mut impl Write,
    findings: impl Iterator<Item = &'a smelt_core::FindingRow>,
) -> std::io::Result<()> {
    const MOST: usize = 40;
    const COLUMNS: [Column; 7] = [
        column("ID").right(),
        column("KIND"),
        column("SOLVER").gives_way(1),
        column("THEORY").gives_way(2),
        column("EVIDENCE"),
        column("STRATEGY").gives_way(3),
        column("BYTES").right().gives_way(4),
    ];
    let mut rows = Table::new(&COLUMNS).indented(2);
    let mut more = 0;
    for (i, f) in findings.enumerate() {
        if i >= MOST {
            more += 1;
            continue;
        }
        let word = |w: Option<&str>| w.unwrap_or("-").to_owned();
        let evidence = word(f.evidence.map(|e| e.as_str()));
        let (theory, strategy) = (word(f.theory.as_deref()), word(f.strategy.as_deref()));
        let (kind, solver) = (f.kind.to_string(), f.solver.to_string());
        let reduced = f.reduced.as_ref().and_then(|file| std::fs::metadata(file).ok());
        let bytes = reduced.map_or(f.bytes, |m| m.len()).to_string();
        rows.row(vec![f.id.clone(), kind, solver, theory, evidence, strategy, bytes], Some(1));
    }
    rows.write(out)?;
    if more > 0 {
        writeln!(out, "  and {more} more: `smelt bugs` lists all")?;
    }
    Ok(())
}
