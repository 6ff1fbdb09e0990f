//! `cargo xtask compare evolve`: runs every variant of the search for slow formulas with equal budgets, and prints
//! a table.

use serde_json::Value;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use crate::{options, target};

/// The target and the reference of the published figures.
const TARGET: &str = "z3@4.8.10 smt.string_solver=z3str3";
const REFERENCE: &str = "cvc4";

/// Variants: the publication, the name there, and the arguments for smelt.
const VARIANTS: [(&str, &str, &[&str]); 7] = [
    ("StringFuzz", "Default", &["--single"]),
    ("StringFuzz", "Runtime-difference", &["--single", "--objectives", "time"]),
    ("MulStringFuzz", "Default", &[]),
    ("MulStringFuzz", "Only-Time", &["--objectives", "target,coverage,complexity"]),
    ("MulStringFuzz", "No-Coverage", &["--objectives", "time,complexity"]),
    ("MulStringFuzz", "No-Complexity", &["--objectives", "time,coverage"]),
    ("MulStringFuzz", "Default-Crowding", &["--crowding", "classic"]),
];

pub(crate) struct Settings {
    /// How long each run takes, as smelt reads it.
    pub(crate) time: String,
    /// How many runs of each variant.
    pub(crate) runs: usize,
    /// How many runs at one time; several get one solver each.
    pub(crate) at_once: usize,
    /// Only variants whose name has this in it.
    pub(crate) only: String,
    /// Another smelt than the one built here.
    pub(crate) smelt: Option<PathBuf>,
    /// Further arguments of every run.
    pub(crate) more: Vec<String>,
}

impl Settings {
    pub(crate) fn read(options: &[&str]) -> Option<Settings> {
        let mut settings = Settings {
            time: "20m".to_owned(),
            runs: 3,
            at_once: 1,
            only: String::new(),
            smelt: None,
            more: Vec::new(),
        };
        options::read(options, |name, values| {
            match name {
                "--time" => settings.time = values.text()?,
                "--runs" => settings.runs = values.count()?,
                "--at-once" => settings.at_once = values.count()?,
                "--only" => settings.only = values.text()?,
                "--smelt" => settings.smelt = Some(values.parse()?),
                "--" => settings.more = values.rest(),
                _ => return None,
            }
            Some(())
        })?;
        Some(settings)
    }
}

/// The columns: their headings, and the fields of smelt's summary.
const COLUMNS: [(&str, &str); 8] = [
    ("confirmed", "hangs"),
    ("complexity", "mean_complexity"),
    ("candidates", "candidates"),
    ("kinds left", "waiting"),
    ("slow only", "slow"),
    ("mean tScore", "mean_time_score"),
    ("behaviour lines", "total_lines"),
    ("generations", "generations"),
];

pub(crate) fn evolve(settings: &Settings) -> Result<(), String> {
    let smelt = crate::smelt(settings.smelt.as_ref())?;
    let work = target().join("compare-evolve");
    let _ = std::fs::remove_dir_all(&work);
    let is_wanted = |v: &usize| format!("{} {}", VARIANTS[*v].0, VARIANTS[*v].1).contains(&settings.only);
    let variants: Vec<usize> = (0..VARIANTS.len()).filter(is_wanted).collect();
    // All variants once, then all again: a comparison that is stopped early has about as many runs of each.
    let runs: Vec<(usize, usize)> =
        (1..=settings.runs).flat_map(|seed| variants.iter().map(move |v| (*v, seed))).collect();
    let next = AtomicUsize::new(0);
    let rows: Mutex<Vec<(usize, [f64; COLUMNS.len()])>> = Mutex::default();
    let worker = || -> Result<(), String> {
        while let Some(&(v, seed)) = runs.get(next.fetch_add(1, Ordering::Relaxed)) {
            let (method, variant, arguments) = VARIANTS[v];
            let mut command = Command::new(&smelt);
            command.args(["evolve", "-S", TARGET, "-R", REFERENCE, "--json", "--time", &settings.time]);
            command.args(["--seed", &seed.to_string()]).args(arguments).args(&settings.more);
            command.arg("--out").arg(work.join(format!("{method}-{variant}-{seed}")));
            if settings.at_once > 1 {
                command.args(["--jobs", "1"]);
            }
            let output = command.stderr(Stdio::null()).output();
            let output = output.map_err(|e| format!("cannot run {}: {e}", smelt.display()))?;
            let summary: Value = serde_json::from_slice(&output.stdout)
                .map_err(|e| format!("{variant}: smelt printed no JSON: {e}"))?;
            let mut row = [0.0; COLUMNS.len()];
            for (cell, (_, key)) in row.iter_mut().zip(COLUMNS) {
                *cell = summary[key].as_f64().ok_or_else(|| format!("{variant}: no {key} in {summary}"))?;
            }
            eprintln!("xtask: {method} {variant}, run {seed}: {} confirmed", row[0]);
            rows.lock().unwrap_or_else(|poisoned| poisoned.into_inner()).push((v, row));
        }
        Ok(())
    };
    std::thread::scope(|scope| {
        let threads: Vec<_> = (0..settings.at_once).map(|_| scope.spawn(worker)).collect();
        threads.into_iter().try_for_each(|t| t.join().map_err(|_| "a run panicked".to_owned())?)
    })?;
    let rows = rows.into_inner().unwrap_or_else(|poisoned| poisoned.into_inner());
    let names: Vec<&str> = COLUMNS.iter().map(|c| c.0).collect();
    println!("| method | variant | in each run | {} |", names.join(" | "));
    println!("| --- | --- | --- |{}", " ---: |".repeat(names.len()));
    for v in variants {
        let own: Vec<&[f64; COLUMNS.len()]> = rows.iter().filter(|r| r.0 == v).map(|r| &r.1).collect();
        let mean = |c: usize| own.iter().map(|r| r[c]).sum::<f64>() / own.len() as f64;
        let cells: Vec<String> = (0..COLUMNS.len()).map(|c| format!("{:.1}", mean(c))).collect();
        let each: Vec<String> = own.iter().map(|r| r[0].to_string()).collect();
        let (method, variant, _) = VARIANTS[v];
        println!("| {method} | {variant} | {} | {} |", each.join(", "), cells.join(" | "));
    }
    Ok(())
}
