//! `cargo xtask compare evolve`: every variant of the search for slow formulas, in equal budgets, as a table.

use std::path::PathBuf;
use std::process::{Command, Stdio};

use crate::{cargo, root, run};

/// The target and the reference of the published figures.
const TARGET: &str = "z3@4.8.10 smt.string_solver=z3str3";
const REFERENCE: &str = "cvc4";

/// Variants: who published it, under which name, and the arguments that make it.
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
    pub(crate) runs: u32,
    /// Only variants whose name has this in it.
    pub(crate) only: String,
    /// Another smelt than the one built here.
    pub(crate) smelt: Option<PathBuf>,
}

/// The columns: what they are called, and the figure in what smelt prints.
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
    let smelt = match &settings.smelt {
        Some(smelt) => smelt.clone(),
        None => {
            run(cargo(&["build", "--release", "-p", "smelt"]))?;
            target().join("release/smelt")
        }
    };
    let work = target().join("compare-evolve");
    let _ = std::fs::remove_dir_all(&work);
    let names: Vec<&str> = COLUMNS.iter().map(|c| c.0).collect();
    println!("| method | variant | {} |", names.join(" | "));
    println!("| --- | --- |{}", " --- |".repeat(names.len()));
    for (method, variant, arguments) in VARIANTS {
        if !format!("{method} {variant}").contains(&settings.only) {
            continue;
        }
        let mut sums = [0.0; COLUMNS.len()];
        let mut each = Vec::new();
        for seed in 1..=settings.runs {
            let out = work.join(format!("{method}-{variant}-{seed}"));
            let mut command = Command::new(&smelt);
            command.args(["evolve", "-S", TARGET, "-R", REFERENCE, "--json", "--time", &settings.time]);
            command.args(["--seed", &seed.to_string(), "--out"]).arg(&out).args(arguments);
            let output = command.stderr(Stdio::inherit()).output();
            let output = output.map_err(|e| format!("cannot run {}: {e}", smelt.display()))?;
            let text = String::from_utf8_lossy(&output.stdout);
            for (sum, (_, key)) in sums.iter_mut().zip(COLUMNS) {
                *sum += number(&text, key).ok_or_else(|| format!("{variant}: no {key} in {text}"))?;
            }
            each.push(format!("{}", number(&text, "hangs").unwrap_or(0.0)));
        }
        let cells: Vec<String> =
            sums.iter().map(|s| format!("{:.1}", s / f64::from(settings.runs))).collect();
        println!("| {method} | {variant} | {} |", cells.join(" | "));
        eprintln!("xtask: {method} {variant}: confirmed in each run: {}", each.join(", "));
    }
    Ok(())
}

fn target() -> PathBuf {
    std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| root().join("target"), PathBuf::from)
}

/// The number of a key of a flat part of a document.
fn number(json: &str, key: &str) -> Option<f64> {
    let key = format!("\"{key}\":");
    let rest = &json[json.find(&key)? + key.len()..];
    rest[..rest.find([',', '}'])?].trim().parse().ok()
}
