//! `smelt mutate .. -S SOLVER`: runs a solver on chains of mutants. Shows whether weaker formulas are faster, and
//! after how many steps the solver behaves differently from the seed.

use std::io::Write;
use std::time::Duration;

use smelt_search::{Along, Chains};
use smelt_strategies::{CaseRequest, Draft, Pool, SeedId, Strategy, case_number};

use crate::exit::{Exit, Failure};
use crate::help::MORE;
use crate::{output, setup, units};

/// How chains are measured.
#[derive(clap::Args)]
pub(super) struct Measuring {
    /// Print no mutants, but the mean time of this solver at each step of chains of mutants, -n chains per file; needs STRATEGY:steps=N,every-step=yes
    #[arg(short = 'S', long = "solver", value_name = "SOLVER")]
    pub(super) solvers: Vec<String>,
    /// With -S: compare the solver's trace at each step with that of the original file
    #[arg(long, requires = "solvers", help_heading = MORE)]
    traces: bool,
    /// With -S: CPU time limit on one mutant; chains that reach it are not counted
    #[arg(long, value_name = "DURATION", default_value = "8s", value_parser = units::duration, help_heading = MORE)]
    timeout: Duration,
    /// With -S: parallel solvers; default: one per core
    #[arg(short = 'j', long = "jobs", value_name = "N", value_parser = setup::number_of_jobs, help_heading = MORE)]
    jobs: Option<usize>,
    #[command(flatten)]
    config: setup::Config,
}

/// The most memory of a solver.
const MEMORY: u64 = 2 << 30;

/// Makes `number` chains of each seed and measures them.
pub(super) fn run(
    m: &Measuring,
    (strategy, pool): (&mut dyn Strategy, &mut Pool),
    seeds: &[SeedId],
    (number, seed): (u64, u64),
    json: bool,
) -> Result<Exit, Failure> {
    let length = u64::from(strategy.chain());
    if length < 2 {
        let message = "-S measures chains: use STRATEGY:steps=N,every-step=yes with N at least 2";
        return Err(Failure::usage(message));
    }
    let catalog = setup::catalog(m.config.file.as_deref())?;
    let solvers = setup::solvers(&catalog, &m.solvers)?;
    let mut draft = Draft::default();
    let mut chains = Vec::new();
    for (at, id) in seeds.iter().enumerate() {
        for chain in 0..number {
            let mut scripts = vec![pool.seed(*id).text().to_vec()];
            for step in 0..length {
                let index = (at as u64 * number + chain) * length + step;
                let number = case_number(seed, strategy.name(), strategy.chain(), index);
                let request = CaseRequest { seeds: &[*id], number };
                match strategy.next(pool, &request, &mut draft) {
                    Ok(()) => scripts.push(draft.text.clone()),
                    Err(_) => break,
                }
            }
            if scripts.len() > 1 {
                chains.push(scripts);
            }
        }
    }
    if chains.is_empty() {
        return Err(Failure::usage("no mutant could be made"));
    }
    let folder = std::env::temp_dir().join(format!("smelt-traces-{}", std::process::id()));
    if m.traces {
        std::fs::create_dir_all(&folder)?;
    }
    let stop = setup::on_interrupt()?;
    let found = Chains {
        chains: &chains,
        solvers: &solvers,
        timeout: m.timeout,
        memory: MEMORY,
        traces: m.traces.then_some(&*folder),
        jobs: m.jobs.unwrap_or_else(setup::cores).max(1),
        is_over: &|| stop.load(std::sync::atomic::Ordering::Relaxed),
    }
    .measure();
    let _ = std::fs::remove_dir_all(&folder);
    let found = found?;
    let document = serde_json::json!({
        "version": 1, "strategy": strategy.name(), "options": strategy.options(), "chains": chains.len(),
        "solvers": found,
    });
    output::result(json, &document, |out| found.iter().try_for_each(|along| show(out, along)))?;
    Ok(Exit::Ok)
}

fn show(out: &mut impl Write, along: &Along) -> std::io::Result<()> {
    let counted = along.steps.first().map_or(0, |s| s.chains);
    let left_out = units::count(along.left_out, "chain");
    let counted = units::count(counted, "chain");
    writeln!(out, "{}: {counted}; {left_out} left out because a formula was not decided", along.solver)?;
    let first = along.steps.first().map_or(0.0, |s| s.seconds);
    let share = |value: Option<f64>| value.map_or("-".to_owned(), |v| format!("{v:.3}"));
    writeln!(out, "  step  chains      time  of step 0  trace in order  as a bag")?;
    for (i, step) in along.steps.iter().enumerate() {
        writeln!(
            out,
            "  {i:>4}  {:>6}  {:>6.1} ms  {:>7.0} %  {:>14}  {:>8}",
            step.chains,
            step.seconds * 1e3,
            100.0 * step.seconds / first.max(1e-9),
            share(step.in_order),
            share(step.as_bag)
        )?;
    }
    Ok(())
}
