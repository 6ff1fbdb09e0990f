//! `smelt reduce`: minimises a script while it still triggers the bug.

mod console;
mod task;

use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use smelt_core::{OutcomeKind, Relation};
use smelt_reduce::pair;
use smelt_reduce::{Error, ErrorKind, PredicateSource, ReduceOptions, Reduction, reduce};

use smelt_strategies::rules::{builtin, rule_steps};

use crate::exit::{Exit, Failure};
use crate::help::MORE;
use crate::setup::{self, Config, on_interrupt};
use crate::{inputs, output, units};
use console::Reducing;
use task::Task;

/// Minimise a script while it still triggers the bug
#[derive(clap::Args)]
#[group(skip)]
#[command(group = clap::ArgGroup::new("two").args(["pair", "rule"]).multiple(false))]
#[command(after_help = "\
By default, reduce keeps the strongest finding: on the reduced script, \
the same solver has a bug of the same kind, with equally strong evidence.")]
pub(crate) struct Arguments {
    /// Script to minimise; the file is not changed
    #[arg(value_name = "FILE")]
    script: PathBuf,
    /// Solver: z3, z3@4.8.7, builtin or "./my-z3 -x"; flags in such a command line are reduced too
    #[arg(short = 'S', long = "solver", value_name = "SOLVER")]
    solvers: Vec<String>,
    /// Keep scripts with a finding of this kind, such as invalid-model, instead of the strongest finding
    #[arg(long, value_name = "KIND", conflicts_with_all = ["expect", "cmd", "slower_than", "pair"], help_heading = MORE)]
    finding: Option<String>,
    /// Keep this outcome of a solver: `z3=unsat`, `cvc5=crash`, `z3=unknown|timeout`; repeatable
    #[arg(long, value_name = "S=OUTCOME", conflicts_with_all = ["cmd", "slower_than", "pair"])]
    expect: Vec<String>,
    /// Keep scripts on which the first solver is this slow: at least `2s`, or `10x` as slow as the second
    #[arg(long, value_name = "10x|2s", conflicts_with_all = ["cmd", "pair"], help_heading = MORE)]
    slower_than: Option<String>,
    /// Second script, which FILE implies. Reduces both, and keeps pairs of which the solver decides FILE but not the second script
    #[arg(long, value_name = "FILE", conflicts_with = "cmd", help_heading = MORE)]
    pair: Option<PathBuf>,
    /// Rule of `weaken`. Keeps scripts that the solver decides, but not what the rule makes of them at some place
    #[arg(long, value_name = "NAME", conflicts_with_all = ["expect", "cmd", "slower_than", "pair", "finding"], help_heading = MORE)]
    rule: Option<String>,
    /// Output file for the second script of --pair or --rule
    #[arg(long, value_name = "FILE", requires = "two", help_heading = MORE)]
    pair_output: Option<PathBuf>,
    /// Keep scripts on which this command exits with 0; it gets their path in place of `{}` or at its end
    #[arg(long, value_name = "CMD", conflicts_with = "solvers")]
    cmd: Option<String>,
    /// With --cmd: keep scripts on which the command has the same exit code and output as on FILE
    #[arg(long, requires = "cmd", help_heading = MORE)]
    cmd_match: bool,
    /// Script that FILE was mutated from: first undo as many mutations as possible
    #[arg(long, value_name = "SEED", conflicts_with = "pair", help_heading = MORE)]
    mutant_of: Option<PathBuf>,
    /// Output file; default: stdout
    #[arg(short = 'o', long = "out", alias = "output", value_name = "FILE")]
    output: Option<PathBuf>,
    /// Stop after this time, keep the smallest script
    #[arg(long, value_name = "DURATION", value_parser = units::duration)]
    time: Option<Duration>,
    /// Time limit of one run of a solver or command
    #[arg(long, value_name = "DURATION", default_value = "10s", value_parser = units::duration)]
    timeout: Duration,
    /// Memory limit of one solver
    #[arg(long, value_name = "SIZE", default_value = "4GiB", value_parser = units::size, help_heading = MORE)]
    memory: u64,
    #[command(flatten)]
    jobs: setup::Jobs,
    #[command(flatten)]
    config: Config,
    /// Print the result as one JSON document
    #[arg(long)]
    json: bool,
}

impl From<Error> for Failure {
    fn from(e: Error) -> Failure {
        let message = e.to_string().trim_end().replace('\n', "; ");
        match e.kind() {
            ErrorKind::Internal => Failure::internal(message),
            _ => Failure::usage(message),
        }
    }
}

pub(crate) fn run(a: &Arguments) -> Result<Exit, Failure> {
    let input = inputs::read(&a.script)?;
    let others = [&a.pair, &a.mutant_of].into_iter().flatten();
    for output in [&a.output, &a.pair_output].into_iter().flatten() {
        if others.clone().chain([&a.script]).any(|file| is_same(file, output)) {
            let message = format!(
                "{} is the input, which is never changed: name another output file",
                output.display()
            );
            return Err(Failure::usage(message));
        }
    }
    let stop = on_interrupt()?;
    let is_over = || stop.load(std::sync::atomic::Ordering::Relaxed);
    let seed = a.mutant_of.as_deref().map(inputs::read).transpose()?;
    let mut console = Reducing::new(a.json, a.output.clone().filter(|_| a.pair.is_none()));
    if let Some(second) = &a.pair {
        return run_pair(a, &input, second, &stop, &mut console);
    }
    if let Some(rule) = &a.rule {
        return run_rule(a, &input, rule, &stop, &mut console);
    }
    let mut task = Task::new(a, &input, &stop, &is_over)?;
    task.drop_flags(&input, &mut console)?;
    let source = task.source()?;
    console.say(&format!("keeping: {}", source.describe()));
    let options = options(a, &stop, seed.as_deref());
    let reduction = reduce(&task.start(&input), &*source, &options, &mut |p| console.progress(p))?;
    drop(source);
    if reduction.complete {
        task.drop_flags(&reduction.text, &mut console)?;
    }
    let mut document = figures(&reduction);
    task.describe(&mut document);
    if let Some(undo) = &reduction.undo {
        let steps: Vec<_> = undo
            .differences
            .iter()
            .map(|(seed, mutant)| serde_json::json!({"seed": seed, "mutant": mutant}))
            .collect();
        console.say(&format!("differs from the seed in {} of {} places", steps.len(), undo.places_before));
        document["differences"] = steps.into();
    }
    let spelled = task.spelled(&reduction.text);
    if let Some((_, solver)) = &spelled {
        console.say(&format!("the result uses the syntax of {solver}"));
        document["written_for"] = solver.to_string().into();
    }
    let text = spelled.as_ref().map_or(&reduction.text[..], |(text, _)| text);
    give(a.output.as_deref(), text, a.json, "script", &mut document)?;
    finish(a, &console, &reduction, document)
}

fn run_pair(
    a: &Arguments,
    left: &[u8],
    second: &Path,
    stop: &Arc<AtomicBool>,
    console: &mut Reducing,
) -> Result<Exit, Failure> {
    let right = inputs::read(second)?;
    let both = pair::join(left, &right)?;
    let is_over = || stop.load(std::sync::atomic::Ordering::Relaxed);
    let task = Task::new(a, left, stop, &is_over)?;
    let source = task.implication(left, &right, console)?;
    console.say(&format!("keeping: {}", source.describe()));
    let reduction = reduce(&both, &source, &options(a, stop, None), &mut |p| console.progress(p))?;
    let (left, right) = pair::part(&reduction.text)
        .ok_or_else(|| Failure::internal("the reduced pair cannot be split again"))?;
    let mut document = figures(&reduction);
    give(a.output.as_deref(), &left, a.json, "script", &mut document)?;
    give(a.pair_output.as_deref(), &right, a.json, "pair", &mut document)?;
    finish(a, console, &reduction, document)
}

/// At most this many applications of a rule are tried for one script.
const APPLICATIONS: usize = 32;

/// Reduces a script while a rule, applied at some place, makes one that the solver does not decide.
fn run_rule(
    a: &Arguments,
    input: &[u8],
    rule: &str,
    stop: &Arc<AtomicBool>,
    console: &mut Reducing,
) -> Result<Exit, Failure> {
    let rules = builtin("weaken");
    if rules.rules().iter().all(|r| r.name != rule) {
        let message = format!("no rule `{rule}`: `smelt rules check` lists the rules of weaken");
        return Err(Failure::usage(message));
    }
    let is_over = || stop.load(std::sync::atomic::Ordering::Relaxed);
    let task = Task::new(a, input, stop, &is_over)?;
    // What follows from a satisfiable script is satisfiable, and what implies an unsatisfiable one is not.
    let steps = |script: &[u8], answer: OutcomeKind| {
        let direction = if answer == OutcomeKind::Sat { Relation::Weaker } else { Relation::Stronger };
        rule_steps(&rules, rule, script, direction, APPLICATIONS)
    };
    let source = task.step(rule, &steps);
    console.say(&format!("keeping: {}", source.describe()));
    let reduction = reduce(input, &source, &options(a, stop, None), &mut |p| console.progress(p))?;
    let second = source.witness(&reduction.text)?;
    let second = second.ok_or_else(|| Failure::internal("the last run did not show the bug again"))?;
    let mut document = figures(&reduction);
    document["rule"] = rule.into();
    give(a.output.as_deref(), &reduction.text, a.json, "script", &mut document)?;
    give(a.pair_output.as_deref(), &second, a.json, "pair", &mut document)?;
    finish(a, console, &reduction, document)
}

fn options<'a>(a: &Arguments, stop: &'a AtomicBool, seed: Option<&'a [u8]>) -> ReduceOptions<'a> {
    ReduceOptions { jobs: a.jobs.count(), time: a.time, stop, seed }
}

/// Whether two paths name one file.
fn is_same(a: &Path, b: &Path) -> bool {
    matches!((a.canonicalize(), b.canonicalize()), (Ok(a), Ok(b)) if a == b)
}

fn figures(r: &Reduction) -> serde_json::Value {
    serde_json::json!({
        "bytes_before": r.bytes_before, "bytes_after": r.text.len(),
        "terms_before": r.terms_before, "terms_after": r.terms_after,
        "checks": r.checks, "wall_s": (r.wall.as_secs_f64() * 1e3).round() / 1e3,
        "complete": r.complete, "confirmed": r.confirmed,
    })
}

/// Writes a script to its file, else into the JSON document, else to stdout.
fn give(
    output: Option<&Path>,
    text: &[u8],
    json: bool,
    key: &str,
    document: &mut serde_json::Value,
) -> Result<(), Failure> {
    match output {
        Some(path) => console::replace(path, text)
            .map_err(|e| Failure::internal(format!("cannot write {}: {e}", path.display())))?,
        None if json => document[key] = String::from_utf8_lossy(text).into(),
        None => std::io::stdout().lock().write_all(text)?,
    }
    Ok(())
}

fn finish(
    a: &Arguments,
    console: &Reducing,
    reduction: &Reduction,
    document: serde_json::Value,
) -> Result<Exit, Failure> {
    console.summary(reduction);
    if a.json {
        output::print_json(&document)?;
    }
    Ok(Exit::Ok)
}
