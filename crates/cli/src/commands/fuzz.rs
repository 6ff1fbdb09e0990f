//! `smelt fuzz`: a campaign.

use std::collections::BTreeMap;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde::{Deserialize, Serialize};
use smelt_campaign::{Config, Focus, Guarantee, Learning, SeedText, Summary};
use smelt_core::{Event, EventSink};
use smelt_solvers::Mode;
use smelt_store::Store;
use smelt_strategies::{LongFlag, Recipe, rows};

use crate::console::Console;
use crate::exit::{Exit, Failure};
use crate::recipes::{self, ALL, Flags};
use crate::request::{over_stored, some_seed};
use crate::{folders, inputs, output, setup, units};

/// Make test cases from seeds, run solvers on them, and store findings
#[derive(clap::Args)]
#[command(after_help = recipes::help(ALL))]
pub(crate) struct Arguments {
    #[command(flatten)]
    request: CampaignRequest,
    /// The folder for findings; default: smelt-out, or the next free name
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Continue the campaign in the folder
    #[arg(long)]
    resume: bool,
    /// Neither reduce nor group findings
    #[arg(long)]
    no_reduce: bool,
    /// Also write every test to a file in this folder
    #[arg(long, value_name = "DIR")]
    save_cases: Option<PathBuf>,
    #[command(flatten)]
    config: setup::Config,
    /// Print one JSON document
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    flags: Flags<ALL>,
}

/// The settings of a campaign, as they are kept in the store.
#[derive(clap::Args, Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
struct CampaignRequest {
    /// Seeds: script files, folders or globs; without any, the embedded seeds
    #[arg(value_name = "SEEDS")]
    seeds: Vec<String>,
    /// A solver: z3, z3@4.8.7, builtin, a name from smelt.toml, or a quoted command line; default: every one found
    #[arg(short = 'S', long = "solver", value_name = "SOLVER")]
    solvers: Vec<String>,
    /// Strategies by name, with options behind a colon, separated by commas: NAME:WORD=VALUE,WORD=VALUE,NAME;
    /// default: all, or with SEEDS all that use seeds
    #[arg(short = 's', long = "strategy", value_name = "STRATEGY")]
    strategies: Vec<String>,
    /// How long to fuzz; default: until Ctrl-C
    #[arg(long, value_name = "DURATION", value_parser = units::duration)]
    time: Option<Duration>,
    /// How many tests to run, those before --resume included
    #[arg(long, value_name = "N")]
    tests: Option<u64>,
    /// Workers; default: one for each core
    #[arg(short = 'j', long = "jobs", value_name = "N")]
    jobs: Option<usize>,
    /// The most time for one solver on one test; tests that are usually fast get less
    #[arg(long, value_name = "DURATION", value_parser = units::duration)]
    timeout: Option<Duration>,
    /// Memory for one solver
    #[arg(long, value_name = "SIZE", value_parser = units::size)]
    memory: Option<u64>,
    /// Mutants of one seed in a row, before the next seed is chosen; default: a seed is chosen for each test
    #[arg(long, value_name = "N")]
    per_seed: Option<u64>,
    /// A file of further operator signatures
    #[arg(long, value_name = "FILE")]
    signatures: Option<PathBuf>,
    /// Operators, theories or functions that tests should be about, separated by commas; or a file that names them, such
    /// as the notes of a release
    #[arg(long, value_name = "NAMES|FILE", value_delimiter = ',')]
    focus: Vec<String>,
    /// Also use a solver that answers no easy question
    #[arg(long)]
    go_on: bool,
    /// The file that keeps what solvers said to seeds for the next campaign; default: in the user's cache
    #[arg(long, value_name = "FILE", conflicts_with = "no_cache")]
    cache: Option<PathBuf>,
    /// Ask solvers about all seeds again, and keep nothing
    #[arg(long)]
    no_cache: bool,
    /// Start a process for each query instead of keeping solvers alive
    #[arg(long)]
    fresh: bool,
    /// The seed of all random choices; with -j 1, equal seeds make equal tests in equal order
    #[arg(long, value_name = "N")]
    seed: Option<u64>,
    /// The seed that was chosen if none was given.
    #[arg(skip)]
    drawn_seed: Option<u64>,
    /// How the next strategy and seed are chosen: by their results, or uniformly
    #[arg(long, value_enum, value_name = "HOW")]
    schedule: Option<Schedule>,
    /// Long flags for options of strategies, by name.
    #[arg(skip)]
    flags: BTreeMap<String, String>,
    /// The content of files that options of strategies name, by path.
    #[arg(skip)]
    files: BTreeMap<String, String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum Schedule {
    /// More of those with findings, fewer of those with timeouts and rejections
    Learn,
    /// All equally often
    Uniform,
}

pub(crate) fn run(a: &Arguments) -> Result<Exit, Failure> {
    let catalog = setup::catalog(a.config.file.as_deref())?;
    let out = folders::campaign_folder(a.out.as_deref(), a.resume)?;
    let mut request = request(a, &out)?;
    inputs::install_signatures(request.signatures.as_deref())?;
    let strategies = strategies(&mut request)?;
    let contestants = setup::solvers(&catalog, &request.solvers)?;
    let jobs = request.jobs.unwrap_or_else(setup::cores);
    if jobs == 0 {
        return Err(Failure::usage("-j 0 means no worker: use -j 1 or more"));
    }
    let learning = match (request.schedule, request.seed.is_some() && jobs == 1) {
        (Some(Schedule::Uniform), _) => Learning::Uniform,
        (_, true) => Learning::Repeatable,
        (_, false) => Learning::Full,
    };
    let console = Console::new(a.json);
    let config = Config {
        seeds: seeds(&request.seeds, &console)?,
        solvers: contestants,
        strategies,
        seed: request.seed.or(request.drawn_seed).unwrap_or_default(),
        jobs,
        timeout: request.timeout.unwrap_or(Duration::from_secs(10)),
        memory: request.memory.unwrap_or(2 << 30),
        time: request.time,
        tests: request.tests,
        learning,
        mode: if request.fresh { Mode::Fresh } else { Mode::Reuse },
        out,
        resume: a.resume,
        triage: (!a.no_reduce).then(|| setup::means(&catalog)),
        profiles: catalog.profiles().clone(),
        mute: Vec::new(),
        per_seed: request.per_seed,
        go_on: request.go_on,
        focus: focus(&mut request)?,
        cache: (!request.no_cache).then(|| setup::cache(&catalog, request.cache.as_deref())),
        save_cases: a.save_cases.clone(),
        request: crate::request::stored(&request)?,
    };
    let stop = setup::on_interrupt()?;
    let summary = smelt_campaign::run(&config, &stop, &console)?;
    console.clear();
    output::result(a.json, &summary, |out| show(out, &summary))?;
    Ok(if summary.findings.is_empty() { Exit::Ok } else { Exit::Findings })
}

/// The settings: the arguments, which override the stored settings of a resumed campaign.
fn request(a: &Arguments, out: &Path) -> Result<CampaignRequest, Failure> {
    let stored = match a.resume {
        true => {
            let stored = Store::open(out)?.value("request")?;
            Some(stored.ok_or_else(|| Failure::internal("the store does not say what it is for"))?)
        }
        false => None,
    };
    let mut request = over_stored(&a.request, stored.as_deref())?;
    for (option, value) in &a.flags.0 {
        let name = option.flag.map_or("", LongFlag::name);
        request.flags.insert(name.to_owned(), value.clone());
    }
    if request.strategies.is_empty() && !request.seeds.is_empty() {
        // If the user names seeds, use only strategies that need them.
        request.strategies = rows().filter(|r| r.needs.seeds()).map(|r| r.name.to_owned()).collect();
    }
    // Different runs make different cases, unless --seed is given.
    request.drawn_seed.get_or_insert_with(some_seed);
    Ok(request)
}

/// The chosen strategies. The content of files that their options name becomes part of the request: a resumed campaign
/// uses the content from its start.
fn strategies(request: &mut CampaignRequest) -> Result<Vec<Recipe>, Failure> {
    let CampaignRequest { strategies, flags, files, .. } = request;
    recipes::stored(strategies, flags, &mut |path| {
        let key = path.display().to_string();
        if let Some(text) = files.get(&key) {
            return Ok(text.clone().into_bytes());
        }
        let text = recipes::read_file(path)?;
        files.insert(key, String::from_utf8_lossy(&text).into_owned());
        Ok(text)
    })
}

/// The names that tests should be about. Like the files of strategies, a file is read once.
fn focus(request: &mut CampaignRequest) -> Result<Focus, Failure> {
    let mut focus = Focus::default();
    for name in &request.focus {
        let path = Path::new(name);
        if !request.files.contains_key(name) && !path.is_file() {
            focus.add(name);
            continue;
        }
        if !request.files.contains_key(name) {
            let text =
                recipes::read_file(path).map_err(|e| Failure::usage(format!("cannot read {name}: {e}")))?;
            request.files.insert(name.clone(), String::from_utf8_lossy(&text).into_owned());
        }
        focus.add_text(&request.files[name]);
    }
    if focus.is_empty() && !request.focus.is_empty() {
        return Err(Failure::usage("--focus names no operator, theory or function"));
    }
    Ok(focus)
}

fn seeds(paths: &[String], console: &Console) -> Result<Vec<SeedText>, Failure> {
    if paths.is_empty() {
        return Ok(smelt_campaign::seeds::bundled());
    }
    let set = smelt_campaign::seeds::collect(paths)?;
    for (name, why) in set.left_out {
        console.event(&Event::Seed { name, why });
    }
    Ok(set.seeds)
}

/// The summary for a person.
pub(crate) fn show(out: &mut impl Write, s: &Summary) -> std::io::Result<()> {
    let pairs = |map: &std::collections::BTreeMap<String, u64>| {
        map.iter().map(|(k, n)| format!("{n} {k}")).collect::<Vec<_>>().join(", ")
    };
    let rate = s.tests as f64 / s.wall_s.max(1e-3);
    writeln!(out, "{} tests in {:.1} s ({rate:.0}/s): {}", s.tests, s.wall_s, pairs(&s.by_strategy))?;
    writeln!(
        out,
        "{} solver calls, {:.1} s CPU, solvers at work {:.1}% of the workers' time: {}",
        s.solver_calls,
        s.cpu_s,
        s.solver_share * 100.0,
        pairs(&s.by_outcome)
    )?;
    for r in &s.solvers {
        let reason = match (&r.reason, r.rejected) {
            (Some(reason), 1..) => format!(" (most often: {reason})"),
            _ => String::new(),
        };
        writeln!(
            out,
            "  {:<20} asked {}, answered {}, unknown {}, stopped {} ({:.0}% of its time), rejected {}{reason}, crashed {}",
            r.solver,
            r.asked,
            r.answered,
            r.unknown,
            r.stopped,
            r.stopped_share * 100.0,
            r.rejected,
            r.crashed
        )?;
    }
    for r in &s.strategies {
        let reason = r.reason.as_deref().unwrap_or("it was never tried");
        match r.made {
            0 => writeln!(out, "  {:<20} made no case: {reason}", r.strategy)?,
            made => {
                writeln!(out, "  {:<20} made {made}, useful {}, found {}", r.strategy, r.useful, r.found)?
            }
        }
    }
    if let Some(first) = s.unusable_seeds.first() {
        writeln!(
            out,
            "{} seeds could not be used, such as {}: {}",
            s.unusable_seeds.len(),
            first.seed,
            first.why
        )?;
    }
    if s.unanswered_seeds > 0 {
        writeln!(out, "{} seeds are hardly used: no solver answered them", s.unanswered_seeds)?;
    }
    for g in &s.guarantees {
        guarantee(out, g)?;
    }
    if s.flaky > 0 {
        writeln!(out, "{} flaky: seen, and not again in fresh processes", s.flaky)?;
    }
    if s.findings.is_empty() {
        return writeln!(out, "no findings; folder: {}", s.out);
    }
    let bugs = s.findings.len() - (s.unexamined as usize).min(s.findings.len());
    if bugs > 0 {
        writeln!(out, "{} in {}:", units::count(bugs, "bug"), s.out)?;
        table(out, s.findings[..bugs].iter())?;
    }
    if s.unexamined > 0 {
        let left = units::count(s.unexamined as usize, "finding");
        let how = format!("several may be one bug (`smelt bugs {} examine`)", s.out);
        writeln!(out, "{left} not examined yet; {how}:")?;
        table(out, s.findings[bugs..].iter().take(10))?;
        if s.unexamined > 10 {
            writeln!(out, "  and {} more", s.unexamined - 10)?;
        }
    }
    Ok(())
}

/// The sizes that an enumerating strategy has finished, and which solvers answered.
fn guarantee(out: &mut impl Write, g: &Guarantee) -> std::io::Result<()> {
    write!(out, "{} {}: all {} scripts up to size {} are checked", g.strategy, g.options, g.cases, g.size)?;
    if g.next_done > 0 {
        write!(out, ", and {} of {} of size {}", g.next_done, g.next_cases, g.size + 1)?;
    }
    let solvers =
        g.solvers.iter().map(|(solver, c)| match (g.cases - c.asked.min(g.cases), c.asked - c.decided) {
            (0, 0) => format!("{solver} answered all"),
            (0, open) => format!("{solver} all but {open}"),
            (_, open) => format!("{solver} was asked {}, all but {open} answered", c.asked),
        });
    writeln!(out, ": {}", solvers.collect::<Vec<_>>().join("; "))
}

/// Findings, one line each.
pub(crate) fn table<'a>(
    out: &mut impl Write,
    findings: impl Iterator<Item = &'a smelt_core::Finding>,
) -> std::io::Result<()> {
    const MOST: usize = 40;
    let mut more = 0;
    for (i, f) in findings.enumerate() {
        if i >= MOST {
            more += 1;
            continue;
        }
        let word = |w: Option<&str>| w.unwrap_or("-").to_owned();
        let evidence = word(f.evidence.map(|e| e.as_str()));
        let (theory, strategy) = (word(f.theory.as_deref()), word(f.strategy.as_deref()));
        writeln!(
            out,
            "  {:>4}  {:<22} {:<28} {theory:<14} {evidence:<12} {strategy:<11} {:>6} bytes",
            f.id,
            f.kind.as_str(),
            f.solver.to_string(),
            f.bytes
        )?;
    }
    if more > 0 {
        writeln!(out, "  and {more} more: `smelt bugs` lists all")?;
    }
    Ok(())
}
