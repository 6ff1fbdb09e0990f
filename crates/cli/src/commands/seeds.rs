//! `smelt seeds`: statistics of a corpus, labels by solver agreement, and a filter for good seeds.

use std::collections::BTreeMap;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::Duration;

use smelt_campaign::SeedText;
use smelt_core::{Outcome, Verdict};
use smelt_smtlib::{Arena, parse_script};
use smelt_solvers::{Limits, Mode, Query};
use smelt_trial::{Lineup, Panel};

use crate::exit::{Exit, Failure};
use crate::{inputs, output, setup, units};

/// Inspect, label and filter a corpus of seeds
#[derive(clap::Args)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    action: Action,
}

#[derive(clap::Subcommand)]
enum Action {
    /// Print logics, sizes and labels
    Stats(Paths),
    /// Label scripts by solver agreement; with -o, copy those on which the solvers agree to DIR/sat and DIR/unsat
    Label(Solving),
    /// List good seeds (well-sorted, small, answered in time); with -o, copy them
    Filter {
        #[command(flatten)]
        solving: Solving,
        /// Skip scripts that all solvers answer faster than this, in CPU time without start-up
        #[arg(long, value_name = "DURATION", value_parser = units::duration)]
        least: Option<Duration>,
    },
}

#[derive(clap::Args)]
struct Paths {
    /// Script files, folders or globs
    #[arg(required = true, value_name = "PATH")]
    paths: Vec<String>,
    /// Print the result as one JSON document
    #[arg(long)]
    json: bool,
}

#[derive(clap::Args)]
struct Solving {
    #[command(flatten)]
    paths: Paths,
    /// Solver; default: every solver found
    #[arg(short = 'S', long = "solver", value_name = "SOLVER")]
    solvers: Vec<String>,
    /// Time limit of one solver on one script
    #[arg(long, value_name = "DURATION", default_value = "2s", value_parser = units::duration)]
    timeout: Duration,
    /// Folder for the copies; default: only list, copy nothing
    #[arg(short = 'o', long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Skip files larger than this
    #[arg(long, value_name = "SIZE", default_value = "64KiB", value_parser = units::size)]
    most: u64,
    #[command(flatten)]
    config: setup::Config,
}

pub(crate) fn run(a: &Arguments) -> Result<Exit, Failure> {
    match &a.action {
        Action::Stats(paths) => stats(paths),
        Action::Label(solving) => label(solving),
        Action::Filter { solving, least } => filter(solving, *least),
    }
}

/// The logic of a script; `None` if it cannot be used as a seed.
fn logic(text: &[u8]) -> Option<String> {
    let mut arena = Arena::new();
    let parsed = parse_script(&mut arena, text).ok()?;
    if !parsed.diagnostics.is_empty() {
        return None;
    }
    Some(parsed.script.logic().map_or("none".to_owned(), |l| arena.name(l).into_owned()))
}

fn status(seed: &SeedText) -> Option<Verdict> {
    if seed.is_disputed() { None } else { seed.status.or(seed.stated()) }
}

fn stats(a: &Paths) -> Result<Exit, Failure> {
    let set = smelt_campaign::seeds::collect(&a.paths, smelt_campaign::seeds::MAX_BYTES)?;
    inputs::warn(&set.left_out);
    #[derive(Default, serde::Serialize)]
    struct Row {
        files: u64,
        bytes: u64,
        sat: u64,
        unsat: u64,
        unlabelled: u64,
    }
    let mut rows: BTreeMap<String, Row> = BTreeMap::new();
    for seed in &set.seeds {
        let row = rows.entry(logic(&seed.text).unwrap_or_else(|| "unusable".into())).or_default();
        row.files += 1;
        row.bytes += seed.text.len() as u64;
        *match status(seed) {
            Some(Verdict::Sat) => &mut row.sat,
            Some(Verdict::Unsat) => &mut row.unsat,
            _ => &mut row.unlabelled,
        } += 1;
    }
    let mut out = std::io::stdout().lock();
    if a.json {
        let document = serde_json::json!({
            "files": set.seeds.len(), "too_large": set.left_out.len(), "logics": rows,
        });
        output::print_json(&document)?;
        return Ok(Exit::Ok);
    }
    writeln!(
        out,
        "{:<14} {:>6} {:>10} {:>6} {:>6} {:>10}",
        "logic", "files", "bytes", "sat", "unsat", "unlabelled"
    )?;
    for (logic, r) in &rows {
        writeln!(
            out,
            "{logic:<14} {:>6} {:>10} {:>6} {:>6} {:>10}",
            r.files, r.bytes, r.sat, r.unsat, r.unlabelled
        )?;
    }
    writeln!(out, "{} files, {} too large for a seed", set.seeds.len(), set.left_out.len())?;
    Ok(Exit::Ok)
}

/// Answers to a seed, with the most CPU time that one of them took beyond what the solver needs for nothing.
struct Answers {
    said: Vec<Verdict>,
    longest: Duration,
}

/// Runs the solvers on a seed.
type Ask<'a> = &'a mut dyn FnMut() -> Result<Answers, Failure>;

/// Sorts seeds: `decide` gives each a word and, if it is to be copied, the folder below `--out`.
fn sort(
    a: &Solving,
    mode: Mode,
    decide: impl Fn(&SeedText, Ask<'_>) -> Result<(&'static str, Option<PathBuf>), Failure>,
) -> Result<Exit, Failure> {
    let catalog = setup::catalog(a.config.file.as_deref())?;
    let solvers = setup::solvers(&catalog, &a.solvers)?;
    let limits = Limits::within(a.timeout);
    let mut panel = Panel::new(Lineup { solvers: &solvers, limits, is_over: &|| false });
    let set = smelt_campaign::seeds::collect(&a.paths.paths, smelt_campaign::seeds::MAX_BYTES)?;
    inputs::warn(&set.left_out);
    // The CPU time of each solver on a script without assertions.
    let nothing = Query::new(&b"(check-sat)\n"[..]).with_limit(a.timeout);
    let mut spent = |query: &Query, mode| -> Result<Vec<Option<Outcome>>, Failure> {
        Ok(panel.ask_all(query, mode, |_| true)?.unwrap_or_default())
    };
    let idle: Vec<Duration> = match mode {
        Mode::Reuse => Vec::new(),
        _ => spent(&nothing, mode)?.into_iter().map(|o| o.map_or(Duration::ZERO, |o| o.usage.cpu)).collect(),
    };
    let mut rows = Vec::new();
    for (number, seed) in set.seeds.iter().enumerate() {
        let mut ask = || {
            let query = Query::new(&seed.text[..]).with_limit(a.timeout);
            let mut answers = Answers { said: Vec::new(), longest: Duration::ZERO };
            for (i, outcome) in spent(&query, mode)?.into_iter().enumerate() {
                let Some(o) = outcome else { continue };
                let start = idle.get(i).copied().unwrap_or_default();
                answers.longest = answers.longest.max(o.usage.cpu.saturating_sub(start));
                answers.said.extend(o.kind.verdict().filter(|v| o.comparable && *v != Verdict::Unknown));
            }
            Ok(answers)
        };
        let (word, below) = decide(seed, &mut ask)?;
        if let (Some(folder), Some(below)) = (&a.out, below) {
            copy(seed, &folder.join(below), number)?;
        }
        rows.push((seed.name.clone(), word));
    }
    report(a, &rows)
}

fn copy(seed: &SeedText, folder: &Path, number: usize) -> Result<(), Failure> {
    let failed = |e: std::io::Error| Failure::internal(format!("cannot write to {}: {e}", folder.display()));
    std::fs::create_dir_all(folder).map_err(failed)?;
    let stem = Path::new(&seed.name).file_stem().map_or("seed".into(), |s| s.to_string_lossy().into_owned());
    std::fs::write(folder.join(format!("{stem}-{number}.smt2")), &seed.text).map_err(failed)
}

fn label(a: &Solving) -> Result<Exit, Failure> {
    sort(a, Mode::Reuse, |seed, ask| {
        let said = ask()?.said;
        let has = |v| said.contains(&v);
        let answer = match (has(Verdict::Sat), has(Verdict::Unsat)) {
            (true, false) => Some(Verdict::Sat),
            (false, true) => Some(Verdict::Unsat),
            _ => None,
        };
        let word = match (answer, status(seed)) {
            (Some(now), Some(before)) if now != before => "contradicts its label",
            (Some(v), _) => v.as_str(),
            (None, _) if has(Verdict::Sat) => "solvers disagree",
            (None, _) => "no solver answers",
        };
        Ok((word, matches!(word, "sat" | "unsat").then(|| word.into())))
    })
}

fn filter(a: &Solving, least: Option<Duration>) -> Result<Exit, Failure> {
    let mode = if least.is_none() { Mode::Reuse } else { Mode::Fresh };
    sort(a, mode, |seed, ask| {
        let word = if seed.text.len() as u64 > a.most {
            "too large"
        } else if logic(&seed.text).is_none() {
            "unusable"
        } else {
            let answers = ask()?;
            if answers.said.is_empty() {
                "no solver answers"
            } else if least.is_some_and(|least| answers.longest < least) {
                "answered at once"
            } else {
                "kept"
            }
        };
        let folder = status(seed).map_or("", Verdict::as_str);
        Ok((word, (word == "kept").then(|| folder.into())))
    })
}

fn report(a: &Solving, rows: &[(String, &str)]) -> Result<Exit, Failure> {
    let mut counts: BTreeMap<&str, u64> = BTreeMap::new();
    rows.iter().for_each(|(_, word)| *counts.entry(word).or_default() += 1);
    let mut out = std::io::stdout().lock();
    if a.paths.json {
        let files: BTreeMap<&str, &str> = rows.iter().map(|(name, word)| (name.as_str(), *word)).collect();
        output::print_json(&serde_json::json!({"counts": counts, "files": files}))?;
        return Ok(Exit::Ok);
    }
    for (name, word) in rows {
        writeln!(out, "{word}: {}", output::printable(name))?;
    }
    let counts: Vec<String> = counts.iter().map(|(word, n)| format!("{n} {word}")).collect();
    writeln!(out, "{}", counts.join(", "))?;
    Ok(Exit::Ok)
}
