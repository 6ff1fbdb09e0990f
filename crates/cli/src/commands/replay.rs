//! `smelt replay`: makes the script of a finding again from its provenance, and runs it.

use std::io::Write;
use std::path::PathBuf;
use std::time::Duration;

use smelt_campaign::replay;
use smelt_triage::Mute;

use crate::exit::{Exit, Failure};
use crate::trust::Trust;
use crate::{folders, output, setup, units};

/// Regenerate the test case of a finding and run it again
#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// Number of a bug or finding, as listed by `smelt bugs`
    id: String,
    /// Campaign folder; default: the latest one here
    dir: Option<PathBuf>,
    /// Run these solvers instead of those of the campaign
    #[arg(short = 'S', long = "solver", value_name = "SOLVER")]
    solvers: Vec<String>,
    /// Time limit of one solver
    #[arg(long, value_name = "DURATION", default_value = "20s", value_parser = units::duration)]
    timeout: Duration,
    /// Print the script, run nothing
    #[arg(long)]
    print: bool,
    #[command(flatten)]
    trust: Trust,
    #[command(flatten)]
    config: setup::Config,
    /// Print the result as one JSON document
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(a: &Arguments) -> Result<Exit, Failure> {
    let folder = a.dir.clone().unwrap_or_else(folders::latest);
    let store = folders::open(&folder)?;
    let mut out = std::io::stdout().lock();
    let catalog = setup::catalog(a.config.file.as_deref())?;
    // The number of a bug stands for the finding that `smelt bugs` shows for it.
    let bugs = smelt_store::bugs(&store, catalog.profiles(), &Mute::default())?;
    let bug = bugs.iter().find(|b| b.is_called(&a.id));
    let id = bug.map_or(&a.id, |b| &b.finding.finding.id);
    let again = smelt_campaign::remake_finding(&store, id)?;
    if a.print {
        out.write_all(&again.case.script)?;
        return Ok(Exit::Ok);
    }
    let specs = if a.solvers.is_empty() { again.origin.solvers.clone() } else { a.solvers.clone() };
    if a.solvers.is_empty() {
        a.trust.check(&catalog, &specs, &store.place(), "use --allow-commands, or name solvers with -S")?;
    }
    let solvers = setup::solvers(&catalog, &specs)?;
    let result = replay(&store, id, &again, &solvers, a.timeout)?;
    if a.json {
        let outcomes: Vec<_> = result
            .outcomes
            .iter()
            .map(|(solver, kind, message)| {
                serde_json::json!({"solver": solver, "outcome": kind, "message": message})
            })
            .collect();
        let reasons: Vec<String> =
            result.claims.iter().map(|c| format!("{} in {}: {}", c.kind, c.who(), c.reason)).collect();
        let document = serde_json::json!({
            "id": a.id, "identical": again.identical, "again": result.again, "outcomes": outcomes,
            "findings": reasons,
        });
        output::print_json(&document)?;
    } else {
        let bytes = if again.identical { "same bytes as stored" } else { "NOT the same bytes as stored" };
        writeln!(out, "finding {}: regenerated, {bytes}", id)?;
        let names: Vec<String> = result.outcomes.iter().map(|(solver, ..)| solver.to_string()).collect();
        let width = names.iter().map(|n| n.chars().count()).max().unwrap_or_default();
        for (name, (_, kind, message)) in names.iter().zip(&result.outcomes) {
            let message = message.as_deref().and_then(|m| m.lines().next()).unwrap_or_default();
            let line = format!("  {name:<width$}  {:<8}  {}", kind.as_str(), output::printable(message));
            writeln!(out, "{}", line.trim_end())?;
        }
        for c in &result.claims {
            writeln!(out, "  {} in {}: {}", c.kind, c.who(), output::printable(&c.reason.to_string()))?;
        }
        writeln!(out, "{}", if result.again { "reproduced" } else { "not reproduced" })?;
    }
    if !again.identical {
        return Err(Failure::internal(format!(
            "the regenerated script of finding {} differs from the stored one, {}",
            id,
            again.file.display()
        )));
    }
    Ok(if result.again { Exit::Findings } else { Exit::Ok })
}
