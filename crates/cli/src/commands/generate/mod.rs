//! `smelt generate`: formulas from nothing, whose status is known by how they were made.
//!
//! One submodule a strategy: its options on the command line become the text that its generator reads. What is done
//! with the scripts is the same for all and is here and in `sink`.

mod construct;
mod run;
mod sink;
mod synthesis;

use std::path::PathBuf;
use std::time::Instant;

use smelt_strategies::{Draft, Generator, Rng, Skip, case_seed};

use crate::exit::{Exit, Failure};
use sink::{Sink, Tally};

/// Make formulas from nothing, with known status
#[derive(clap::Args)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    strategy: Strategy,
}

#[derive(clap::Subcommand)]
enum Strategy {
    Construct(construct::Arguments),
    Synthesis(synthesis::Arguments),
}

pub(crate) fn run(a: &Arguments) -> Result<Exit, Failure> {
    match &a.strategy {
        Strategy::Construct(a) => construct::run(a),
        Strategy::Synthesis(a) => synthesis::run(a),
    }
}

/// What every strategy is asked in the same way.
#[derive(clap::Args)]
struct Common {
    /// Scripts to make; default: all there are, or one where there is no end
    #[arg(short = 'n', value_name = "N")]
    number: Option<u64>,
    /// A folder for one file each; default: all to stdout
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Draw cases at random from this number; default: in order where cases are numbered, else 0
    #[arg(long, value_name = "N")]
    seed: Option<u64>,
    /// The first case
    #[arg(long, value_name = "INDEX", default_value_t = 0)]
    from: u64,
    /// Print one JSON document: statistics and the files, or the texts without --out
    #[arg(long)]
    json: bool,
}

/// The numbers of the cases asked for, in the order in which they are made.
fn numbers(generator: &dyn Generator, a: &Common) -> Result<Box<dyn Iterator<Item = u64>>, Failure> {
    let Some(total) = generator.total() else {
        let (name, seed) = (generator.name(), a.seed.unwrap_or(0));
        let indices = a.from..a.from.saturating_add(a.number.unwrap_or(1));
        return Ok(Box::new(indices.map(move |index| case_seed(seed, name, index))));
    };
    if a.from >= total {
        let message = format!("--from {}: there are {total} cases, numbered from 0", a.from);
        return Err(Failure::usage(message));
    }
    let number = usize::try_from(a.number.unwrap_or(total)).unwrap_or(usize::MAX);
    let Some(seed) = a.seed else { return Ok(Box::new((a.from..total).take(number))) };
    let mut order: Vec<u64> = (a.from..total).collect();
    Rng::new(case_seed(seed, generator.name(), 0)).shuffle(&mut order);
    Ok(Box::new(order.into_iter().take(number)))
}

/// Makes the cases asked for and puts them where they were asked to go; `seen` gets each.
fn emit(generator: &mut dyn Generator, a: &Common, mut seen: impl FnMut(&Draft)) -> Result<Tally, Failure> {
    let start = Instant::now();
    let mut sink = Sink::new(a.out.as_deref(), a.json)?;
    let mut draft = Draft::default();
    let mut last_skip: Option<Skip> = None;
    for number in numbers(generator, a)? {
        match generator.make(number, &mut draft) {
            Ok(()) => {
                seen(&draft);
                sink.put(generator.name(), number, &draft)?;
            }
            Err(skip) => {
                sink.tally.skipped += 1;
                last_skip = Some(skip);
            }
        }
    }
    if sink.tally.made == 0 {
        let why = last_skip.map(|skip| format!(": {skip}")).unwrap_or_default();
        return Err(Failure::usage(format!("no script could be made{why}")));
    }
    sink.finish(start.elapsed())
}
