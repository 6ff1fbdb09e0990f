//! `smelt generate`: formulas from nothing, most of them with a status known by construction.

mod run;
mod tally;

use std::io::Write;
use std::path::PathBuf;
use std::time::Instant;

use smelt_strategies::{CaseRequest, Draft, Pool, Rng, Skip, Strategy, case_seed};
use smelt_trial::grade::Question;

use crate::exit::{Exit, Failure};
use crate::output::Scripts;
use crate::recipes::{self, Flags, NOTHING};
use run::{Candidates, Row};
use tally::Tally;

/// Make formulas from nothing, with known status
#[derive(clap::Args)]
#[command(after_help = recipes::help(NOTHING))]
pub(crate) struct Arguments {
    /// The strategy, with options behind a colon: NAME:WORD=VALUE,..
    strategy: String,
    /// One more option of the strategy
    #[arg(short = 'o', long = "option", value_name = "WORD=VALUE")]
    options: Vec<String>,
    /// Print how often each rule or operation was used, if the strategy counts them
    #[arg(long)]
    stats: bool,
    #[command(flatten)]
    common: Common,
    #[command(flatten)]
    run: Candidates,
    #[command(flatten)]
    flags: Flags<NOTHING>,
}

pub(crate) fn run(a: &Arguments) -> Result<Exit, Failure> {
    let mut text = a.strategy.clone();
    for option in &a.options {
        text.push(if text.contains(':') { ',' } else { ':' });
        text.push_str(option);
    }
    let mut strategy = recipes::one(&text, &a.flags)?.make()?;
    if a.run.is_wanted() {
        let rows = rows(&mut *strategy, &a.common)?;
        return run::examine(strategy.name(), &strategy.options(), rows, &a.common, &a.run);
    }
    if a.stats {
        strategy.count();
    }
    let (tally, mut scripts) = emit(&mut *strategy, &a.common)?;
    let statistics = strategy.statistics();
    if a.common.json {
        let mut document = serde_json::to_value(&tally).map_err(|e| Failure::internal(e.to_string()))?;
        document["strategy"] = strategy.name().into();
        document["options"] = strategy.options().into();
        if let Some((what, counts)) = statistics {
            document[what] = counts.into_iter().map(|(name, n)| (name, serde_json::Value::from(n))).collect();
        }
        scripts.finish(document, "scripts")?;
        return Ok(Exit::Ok);
    }
    scripts.flush()?;
    let mut out = std::io::stderr().lock();
    if let Some((what, counts)) = statistics {
        writeln!(out, "{what}:")?;
        counts.iter().try_for_each(|(name, n)| writeln!(out, "{n:>9} {name}"))?;
    }
    writeln!(out, "{}", tally.line())?;
    Ok(Exit::Ok)
}

/// The options that all strategies share.
#[derive(clap::Args)]
struct Common {
    /// Scripts to make; default: all of them, or one if their number is not limited
    #[arg(short = 'n', value_name = "N")]
    number: Option<u64>,
    /// A folder for one file each; default: all to stdout
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Draw cases at random with this seed; default: in order if cases are numbered, else 0
    #[arg(long, value_name = "N")]
    seed: Option<u64>,
    /// The first case
    #[arg(long, value_name = "INDEX", default_value_t = 0)]
    from: u64,
    /// Print one JSON document: statistics and the files, or the texts without --out
    #[arg(long)]
    json: bool,
}

/// More cases than this are drawn at random instead of shuffled.
const LISTED: u64 = 1 << 24;

/// The numbers of the requested cases, in the order in which they are made.
fn numbers(strategy: &dyn Strategy, a: &Common) -> Result<Box<dyn Iterator<Item = u64>>, Failure> {
    let name = strategy.name();
    let drawn = move |seed: u64, from: u64, number: u64| {
        (from..from.saturating_add(number)).map(move |index| case_seed(seed, name, index))
    };
    let Some(total) = strategy.total() else {
        return Ok(Box::new(drawn(a.seed.unwrap_or(0), a.from, a.number.unwrap_or(1))));
    };
    if a.from >= total {
        let message = format!("--from {}: there are {total} cases, numbered from 0", a.from);
        return Err(Failure::usage(message));
    }
    let number = a.number.unwrap_or(if total > LISTED { 1 } else { total });
    let Some(seed) = a.seed else { return Ok(Box::new((a.from..total).take(number as usize))) };
    if total > LISTED {
        let from = a.from;
        return Ok(Box::new(drawn(seed, 0, number).map(move |n| from + n % (total - from))));
    }
    let mut order: Vec<u64> = (a.from..total).collect();
    Rng::new(case_seed(seed, name, 0)).shuffle(&mut order);
    Ok(Box::new(order.into_iter().take(number as usize)))
}

/// Makes the requested cases and writes them.
fn emit(strategy: &mut dyn Strategy, a: &Common) -> Result<(Tally, Scripts), Failure> {
    let start = Instant::now();
    let (mut tally, mut scripts) = (Tally::default(), Scripts::new(a.out.as_deref(), a.json)?);
    let (mut pool, mut draft) = (Pool::new(), Draft::default());
    let mut last_skip: Option<Skip> = None;
    for number in numbers(strategy, a)? {
        match strategy.next(&mut pool, &CaseRequest { seeds: &[], number }, &mut draft) {
            Ok(()) => {
                tally.add(&draft);
                scripts.put(&file_name(strategy.name(), number), &draft.text)?;
            }
            Err(skip) => {
                tally.skipped += 1;
                last_skip = Some(skip);
            }
        }
    }
    if tally.made == 0 {
        let why = last_skip.map(|skip| format!(": {skip}")).unwrap_or_default();
        return Err(Failure::usage(format!("no script could be made{why}")));
    }
    tally.seconds = start.elapsed().as_secs_f64();
    Ok((tally, scripts))
}

/// The name of the file of a case, without the extension.
fn file_name(strategy: &str, number: u64) -> String {
    format!("{strategy}-{number:06}")
}

/// Makes the requested cases, to run them.
fn rows(strategy: &mut dyn Strategy, a: &Common) -> Result<Vec<Row>, Failure> {
    let (mut pool, mut rows) = (Pool::new(), Vec::new());
    for number in numbers(strategy, a)? {
        let mut draft = Draft::default();
        if strategy.next(&mut pool, &CaseRequest { seeds: &[], number }, &mut draft).is_err() {
            continue;
        }
        let witness = draft.model();
        rows.push(Row {
            number,
            category: draft.category,
            steps: String::from_utf8_lossy(&draft.log).trim().to_owned(),
            question: Question {
                script: draft.text,
                expectation: draft.expectation,
                witness,
                core: draft.core,
                models_without: draft.models_without,
            },
        });
    }
    Ok(rows)
}
