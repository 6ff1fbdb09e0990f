//! `smelt generate`: generates formulas without seeds, most of them with a status known by construction.

mod run;

use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::Instant;

use serde::Serialize;
use smelt_core::Expectation;
use smelt_strategies::{CaseRequest, Draft, OptionText, Pool, Rng, Skip, Strategy, case_seed};

use crate::exit::{Exit, Failure};
use crate::help::MORE;
use crate::recipes::{self, Flags, NOTHING};
use crate::scripts::ScriptSink;
use crate::units;
use run::{Candidates, Row};

/// Generate formulas without seeds, most with known status
#[derive(clap::Args)]
#[command(after_help = recipes::HELP)]
pub(crate) struct Arguments {
    /// Strategy, with options: NAME:OPTION=VALUE,..
    strategy: String,
    /// Option of the strategy
    #[arg(long = "option", value_name = "WORD=VALUE", help_heading = MORE)]
    options: Vec<String>,
    /// Print how often each rule was used, if the strategy counts them
    #[arg(long, help_heading = MORE)]
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
    for option in a.options.iter().map(String::as_str).chain(a.common.option()) {
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
    let start = Instant::now();
    let mut sink = ScriptSink::new(a.common.folder(), a.common.json)?;
    let mut tally = emit(&mut *strategy, &a.common, &mut sink)?;
    tally.seconds = start.elapsed().as_secs_f64();
    let statistics = strategy.statistics();
    if a.common.json {
        let mut document = serde_json::to_value(&tally).map_err(|e| Failure::internal(e.to_string()))?;
        document["strategy"] = strategy.name().into();
        document["options"] = strategy.options().into();
        if let Some((what, counts)) = statistics {
            document[what] = counts.into_iter().map(|(name, n)| (name, serde_json::Value::from(n))).collect();
        }
        sink.finish(true, "scripts", document)?;
        return Ok(Exit::Ok);
    }
    let made = sink.made;
    sink.finish(false, "scripts", serde_json::Value::Null)?;
    let mut out = std::io::stderr().lock();
    if let Some((what, counts)) = statistics {
        writeln!(out, "{what}:")?;
        counts.iter().try_for_each(|(name, n)| writeln!(out, "{n:>9} {name}"))?;
    }
    writeln!(out, "{made} scripts: {}", tally.line())?;
    Ok(Exit::Ok)
}

/// What is known of the scripts that were made.
#[derive(Default, Serialize)]
struct Tally {
    sat: u64,
    unsat: u64,
    /// Those of which nothing is known.
    open: u64,
    skipped: u64,
    bytes: u64,
    seconds: f64,
}

impl Tally {
    fn line(&self) -> String {
        let Tally { sat, unsat, open, skipped, bytes, seconds } = self;
        let skipped = if *skipped > 0 { format!(", {skipped} skipped") } else { String::new() };
        format!("{sat} sat, {unsat} unsat, {open} open{skipped}; {bytes} bytes in {seconds:.2} s")
    }
}

/// What every strategy is asked in the same way.
#[derive(clap::Args)]
struct Common {
    /// Number of scripts; default: all, or 1 if there are too many
    #[arg(short = 'n', long = "number", value_name = "N", value_parser = units::positive::<u64>)]
    number: Option<u64>,
    /// Folder, one file per script; default: stdout
    #[arg(short = 'o', long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Random seed; default: 0, but enumerate and synthesis print scripts in order
    #[arg(long, value_name = "N", value_parser = units::number)]
    seed: Option<u64>,
    /// Number of the first case
    #[arg(long, value_name = "INDEX", default_value_t = 0, value_parser = units::number, help_heading = MORE)]
    from: u64,
    /// Print the result as one JSON document
    #[arg(long)]
    json: bool,
}

impl Common {
    /// `-o WORD=VALUE`: in earlier versions, -o gave an option of the strategy, and no folder is called like that.
    fn option(&self) -> Option<&str> {
        self.out.as_deref()?.to_str().filter(|out| out.contains('='))
    }

    fn folder(&self) -> Option<&Path> {
        self.out.as_deref().filter(|_| self.option().is_none())
    }
}

/// More cases than this are not put into random order, but drawn.
const LISTED: u64 = 1 << 24;

/// The numbers of the cases asked for, in the order in which they are made.
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

/// Makes the cases asked for and puts them where they were asked to go.
fn emit(strategy: &mut dyn Strategy, a: &Common, sink: &mut ScriptSink) -> Result<Tally, Failure> {
    let mut tally = Tally::default();
    let (mut pool, mut draft) = (Pool::new(), Draft::default());
    let mut last_skip: Option<Skip> = None;
    for number in numbers(strategy, a)? {
        if let Err(skip) = strategy.next(&mut pool, &CaseRequest { seeds: &[], number }, &mut draft) {
            tally.skipped += 1;
            last_skip = Some(skip);
            continue;
        }
        tally.bytes += draft.text.len() as u64;
        match draft.expectation {
            Expectation::SAT => tally.sat += 1,
            Expectation::UNSAT => tally.unsat += 1,
            _ => tally.open += 1,
        }
        sink.put(format_args!("{}-{number:06}", strategy.name()), &draft.text)?;
    }
    if sink.made == 0 {
        let why = last_skip.map(|skip| format!(": {skip}")).unwrap_or_default();
        return Err(Failure::usage(format!("no script could be made{why}")));
    }
    Ok(tally)
}

/// The file of a case, without its folder and ending.
fn file_name(strategy: &str, number: u64) -> String {
    format!("{strategy}-{number:06}")
}

/// The cases asked for, to be run.
fn rows(strategy: &mut dyn Strategy, a: &Common) -> Result<Vec<Row>, Failure> {
    let (mut pool, mut rows) = (Pool::new(), Vec::new());
    for number in numbers(strategy, a)? {
        let mut draft = Draft::default();
        if strategy.next(&mut pool, &CaseRequest { seeds: &[], number }, &mut draft).is_err() {
            continue;
        }
        let case = draft.to_case(&pool, strategy, &OptionText::default(), number);
        rows.push(Row {
            number,
            category: draft.category,
            steps: String::from_utf8_lossy(&draft.log).trim().to_owned(),
            case,
        });
    }
    Ok(rows)
}
