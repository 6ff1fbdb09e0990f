//! `smelt mutate`: mutates files; with -S, measures solvers along chains of mutants.

mod measure;

use std::io::Write;
use std::path::PathBuf;

use smelt_core::Verdict;
use smelt_strategies::{CaseRequest, Draft, Pool, SeedId, case_number};

use crate::exit::{Exit, Failure};
use crate::help::MORE;
use crate::inputs;
use crate::recipes::{self, Flags, SEEDS};
use crate::scripts::ScriptSink;
use crate::units;

/// Mutate scripts
#[derive(clap::Args)]
#[command(after_help = recipes::HELP)]
pub(crate) struct Arguments {
    /// Strategy, with options: NAME:OPTION=VALUE,..
    strategy: String,
    /// Script files or folders; strategies that need two scripts combine each with another one of them
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
    /// Mutants per file
    #[arg(short = 'n', long = "number", value_name = "N", default_value = "1", value_parser = units::positive::<u64>)]
    number: u64,
    /// Status of files without (set-info :status)
    #[arg(long, value_name = "STATUS", value_parser = units::status())]
    status: Option<Verdict>,
    /// Folder, one file per script; default: stdout
    #[arg(short = 'o', long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Random seed
    #[arg(long, value_name = "N", default_value = "0", value_parser = units::number)]
    seed: u64,
    /// Skip larger files; default: no limit
    #[arg(long, value_name = "SIZE", value_parser = units::size, help_heading = MORE)]
    max_seed_size: Option<u64>,
    /// File with additional operator signatures
    #[arg(long, value_name = "FILE", help_heading = MORE)]
    signatures: Option<PathBuf>,
    #[command(flatten)]
    measuring: measure::Measuring,
    #[command(flatten)]
    flags: Flags<SEEDS>,
    /// Print the result as one JSON document
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(a: &Arguments) -> Result<Exit, Failure> {
    if let Some(file) = &a.signatures {
        inputs::install_signatures(file, &inputs::read(file)?)?;
    }
    let mut strategy = recipes::one(&a.strategy, &a.flags)?.make()?;
    let paths: Vec<String> = a.files.iter().map(|p| p.display().to_string()).collect();
    let set = smelt_campaign::seeds::collect(&paths, a.max_seed_size.unwrap_or(u64::MAX))?;
    inputs::warn(&set.left_out);
    let mut pool = Pool::new();
    let mut ids: Vec<(SeedId, String)> = Vec::new();
    let mut trouble: Vec<String> = set.left_out.iter().map(|(name, why)| format!("{name}: {why}")).collect();
    for seed in &set.seeds {
        match pool.add(&seed.name, &seed.text, seed.status.or(a.status.filter(|_| seed.stated().is_none()))) {
            Ok(id) => ids.push((id, seed.name.clone())),
            Err(e) => trouble.push(format!("{} {e}", seed.name)),
        }
    }
    if !a.measuring.solvers.is_empty() {
        trouble.iter().try_for_each(|line| writeln!(std::io::stderr(), "smelt: {line}"))?;
        let seeds: Vec<SeedId> = ids.iter().map(|(id, _)| *id).collect();
        return measure::run(&a.measuring, (&mut *strategy, &mut pool), &seeds, (a.number, a.seed), a.json);
    }
    let mut draft = Draft::default();
    let mut sink = ScriptSink::new(a.out.as_deref(), a.json)?;
    for (at, (id, name)) in ids.iter().enumerate() {
        let stem =
            PathBuf::from(name).file_stem().map_or("mutant".into(), |s| s.to_string_lossy().into_owned());
        let mut last_skip = None;
        for i in 0..a.number {
            // The steps of a chain are cases of one file.
            let chain = u64::from(strategy.chain());
            let first = (at as u64 * a.number).next_multiple_of(chain);
            let number = case_number(a.seed, strategy.name(), strategy.chain(), first + i);
            let request = CaseRequest { seeds: &[*id], number };
            if let Err(skip) = strategy.next(&mut pool, &request, &mut draft) {
                last_skip = Some(skip);
                continue;
            }
            sink.put(format_args!("{at:05}-{stem}-{i}"), &draft.text)?;
        }
        trouble.extend(last_skip.map(|skip| format!("{name}: {skip}")));
    }
    for line in &trouble {
        writeln!(std::io::stderr(), "smelt: {line}")?;
    }
    if sink.made == 0 {
        let first = trouble.first().map(|t| format!(": {t}")).unwrap_or_default();
        return Err(Failure::usage(format!("no mutant could be made{first}")));
    }
    sink.finish(a.json, "mutants", serde_json::json!({"strategy": strategy.name()}))?;
    Ok(Exit::Ok)
}
