//! `smelt bugs`: what a campaign found, grouped by fingerprint.

use std::io::Write;
use std::path::PathBuf;

use smelt_campaign::{Store, Stored};

use super::fuzz;
use crate::exit::{Exit, Failure};

/// List what a campaign found; show one finding, or export all of them
#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// [DIR] [show ID | export [TO]]: the folder of the campaign (default: the last in this folder), then what to do
    #[arg(value_name = "DIR|show ID|export")]
    words: Vec<String>,
    /// Also list what did not come again in fresh processes
    #[arg(long)]
    flaky: bool,
    /// Print one JSON document
    #[arg(long)]
    json: bool,
}

enum Action {
    List,
    Show(String),
    Export(Option<PathBuf>),
}

/// `[DIR] [show ID | export [TO]]`.
fn read(words: &[String]) -> Result<(PathBuf, Action), Failure> {
    let verb = |w: &String| matches!(w.as_str(), "show" | "export");
    let (folder, rest) = match words {
        [first, rest @ ..] if !verb(first) => (PathBuf::from(first), rest),
        rest => (fuzz::latest_folder(), rest),
    };
    let rest: Vec<&str> = rest.iter().map(String::as_str).collect();
    let action = match rest[..] {
        [] => Action::List,
        ["show", id] => Action::Show(id.to_owned()),
        ["export"] => Action::Export(None),
        ["export", to] => Action::Export(Some(to.into())),
        _ => {
            return Err(Failure::usage(
                "write `smelt bugs [DIR]`, `smelt bugs [DIR] show ID` or `smelt bugs [DIR] export [TO]`",
            ));
        }
    };
    Ok((folder, action))
}

pub(crate) fn run(a: &Arguments) -> Result<Exit, Failure> {
    let (folder, action) = read(&a.words)?;
    let store = Store::open(&folder)?;
    let stored: Vec<Stored> = store.stored()?.into_iter().filter(|s| a.flaky || !s.flaky).collect();
    let mut out = std::io::stdout().lock();
    match action {
        Action::Show(id) => show(&mut out, &store, &id, a.json)?,
        Action::Export(to) => export(&mut out, &stored, to, a.json)?,
        Action::List if a.json => {
            let list: Vec<_> = stored.iter().map(document).collect();
            writeln!(out, "{}", serde_json::Value::from(list))?;
        }
        Action::List => {
            for s in &stored {
                let f = &s.finding;
                let evidence = f.evidence.map_or("-", |e| e.as_str());
                let flaky = if s.flaky { format!("  flaky, {} of 3", s.seen) } else { String::new() };
                writeln!(
                    out,
                    "{:>4}  {:<22} {:<28} {:<14} {evidence:<12} {:>6} triggers {:>6} bytes{flaky}",
                    f.id,
                    f.kind.as_str(),
                    f.solver.to_string(),
                    f.theory.as_deref().unwrap_or("-"),
                    s.triggers,
                    f.bytes
                )?;
            }
            writeln!(out, "{} findings in {}", stored.len(), folder.display())?;
        }
    }
    Ok(if stored.iter().any(|s| !s.flaky) { Exit::Findings } else { Exit::Ok })
}

/// FINDING of the design, with what only the store knows.
fn document(s: &Stored) -> serde_json::Value {
    let mut value = serde_json::to_value(&s.finding).unwrap_or_default();
    if let Some(map) = value.as_object_mut() {
        map.insert("reason".into(), s.reason.clone().into());
        map.insert("triggers".into(), s.triggers.into());
        map.insert("flaky".into(), s.flaky.into());
        map.insert("seen".into(), s.seen.into());
    }
    value
}

fn show(out: &mut impl Write, store: &Store, id: &str, json: bool) -> Result<(), Failure> {
    let stored = store.finding(id)?;
    let origin = store.origin(id)?;
    let f = &stored.finding;
    if json {
        let mut value = document(&stored);
        if let Some(map) = value.as_object_mut() {
            let provenance = serde_json::to_value(&origin.provenance).unwrap_or_default();
            map.insert("provenance".into(), provenance);
            map.insert("expectation".into(), serde_json::to_value(origin.expectation).unwrap_or_default());
            map.insert("solvers".into(), origin.solvers.clone().into());
        }
        writeln!(out, "{value}")?;
        return Ok(());
    }
    let p = &origin.provenance;
    writeln!(out, "finding {id}: {} in {}", f.kind, f.solver)?;
    writeln!(out, "  why          {}", stored.reason)?;
    writeln!(out, "  evidence     {}", f.evidence.map_or("-", |e| e.as_str()))?;
    writeln!(out, "  theory       {}", f.theory.as_deref().unwrap_or("-"))?;
    writeln!(out, "  fingerprint  {}", f.fingerprint)?;
    writeln!(out, "  confirmed    {} of 3 fresh runs, {} triggers", stored.seen, stored.triggers)?;
    writeln!(out, "  strategy     {} {} rng {:016x}", p.strategy, p.options, p.rng)?;
    for (name, ..) in &origin.seeds {
        writeln!(out, "  seed         {name}")?;
    }
    for step in &p.steps {
        writeln!(out, "  step         {step}")?;
    }
    writeln!(out, "  asked        {}", origin.solvers.join(", "))?;
    writeln!(out, "  file         {}", f.file)?;
    let text =
        std::fs::read(&f.file).map_err(|e| Failure::internal(format!("cannot read {}: {e}", f.file)))?;
    writeln!(out)?;
    out.write_all(&text)?;
    Ok(())
}

/// The scripts of all findings as files in one folder, with a list of what they are.
fn export(out: &mut impl Write, stored: &[Stored], to: Option<PathBuf>, json: bool) -> Result<(), Failure> {
    let list = serde_json::Value::from(stored.iter().map(document).collect::<Vec<_>>());
    let Some(folder) = to else {
        writeln!(out, "{list}")?;
        return Ok(());
    };
    let failed = |e: std::io::Error| Failure::internal(format!("cannot write to {}: {e}", folder.display()));
    std::fs::create_dir_all(&folder).map_err(failed)?;
    for s in stored {
        let name = format!("{:0>4}-{}.smt2", s.finding.id, s.finding.kind);
        std::fs::copy(&s.finding.file, folder.join(name)).map_err(failed)?;
    }
    std::fs::write(folder.join("findings.json"), format!("{list}\n")).map_err(failed)?;
    if json {
        writeln!(out, "{list}")?;
    } else {
        writeln!(out, "{} scripts and findings.json in {}", stored.len(), folder.display())?;
    }
    Ok(())
}
