//! `cargo xtask experiment`: the experiments of the papers, each made again by one command.
//!
//! A row names an experiment, its source and its budget; a module runs it. `lab` has what all need: the program,
//! solvers, repetitions and the cache of results. `page` writes the page.

mod lab;
mod page;
mod yields;

use std::path::PathBuf;
use std::time::Duration;

use lab::Lab;
use page::Page;

use crate::{options, root, target};

/// An experiment.
pub(crate) struct Row {
    pub(crate) name: &'static str,
    /// The paper, and the tables or figures there.
    pub(crate) source: &'static str,
    /// What it shows, in a sentence.
    pub(crate) shows: &'static str,
    /// The usual time of all units, in minutes.
    minutes: u64,
    run: fn(&mut Lab) -> Result<Page, String>,
}

/// All experiments.
pub(crate) const ROWS: &[Row] = &[yields::ROW];

/// What to do.
pub(crate) struct Settings {
    action: Action,
    smelt: Option<PathBuf>,
    budget: Option<u64>,
    each: Option<u64>,
    repeat: Option<usize>,
    only: Vec<String>,
    solvers: Vec<String>,
    seeds: Option<PathBuf>,
    sample: Option<usize>,
    out: PathBuf,
    work: PathBuf,
    /// The command line, as it is printed on the page.
    command: String,
}

enum Action {
    List,
    Index,
    Run(&'static Row),
}

impl Settings {
    pub(crate) fn read(options: &[&str]) -> Option<Settings> {
        let (action, rest) = match options {
            ["--list", rest @ ..] => (Action::List, rest),
            ["--index", rest @ ..] => (Action::Index, rest),
            [name, rest @ ..] => (Action::Run(ROWS.iter().find(|r| r.name == *name)?), rest),
            [] => return None,
        };
        let mut s = Settings {
            action,
            smelt: None,
            budget: None,
            each: None,
            repeat: None,
            only: Vec::new(),
            solvers: Vec::new(),
            seeds: None,
            sample: None,
            out: root().join("docs/experiments"),
            work: target().join("experiment"),
            command: format!("cargo xtask experiment {}", options.join(" ")),
        };
        options::read(rest, |name, values| {
            match name {
                "--budget" => s.budget = Some(values.seconds()?),
                "--each" => s.each = Some(values.seconds()?),
                "--repeat" => s.repeat = Some(values.count()?),
                "--only" => s.only = values.text()?.split(',').map(str::to_owned).collect(),
                "-S" => s.solvers.push(values.text()?),
                "--seeds" => s.seeds = Some(values.parse()?),
                "--sample" => s.sample = Some(values.count()?),
                "--smelt" => s.smelt = Some(values.parse()?),
                "--out" => s.out = values.parse()?,
                "--work" => s.work = values.parse()?,
                _ => return None,
            }
            Some(())
        })?;
        Some(s)
    }
}

pub(crate) fn experiment(s: &Settings) -> Result<(), String> {
    let row = match s.action {
        Action::List => {
            for row in ROWS {
                println!("{:<18} {:>4} min  {}: {}", row.name, row.minutes, row.source, row.shows);
            }
            return Ok(());
        }
        Action::Index => {
            let file = s.out.join("README.md");
            return std::fs::write(&file, page::index(&s.out))
                .map_err(|e| format!("{}: {e}", file.display()));
        }
        Action::Run(row) => row,
    };
    // SAFETY: takes a number. Experiments must not slow down other work on the machine.
    unsafe { libc::nice(19) };
    let mut lab = Lab::new(crate::smelt(s.smelt.as_ref())?, s.work.join(row.name))?;
    lab.budget = Duration::from_secs(s.budget.unwrap_or(row.minutes * 60));
    lab.each = s.each.map(Duration::from_secs);
    lab.repeat = s.repeat.unwrap_or(lab.repeat);
    lab.sample = s.sample.unwrap_or(lab.sample);
    (lab.only, lab.solvers, lab.seeds) = (s.only.clone(), s.solvers.clone(), s.seeds.clone());
    let page = (row.run)(&mut lab)?;
    page::write(&s.out, row, &page, &lab, &s.command)?;
    println!("{}", s.out.join(format!("{}.md", row.name)).display());
    Ok(())
}
