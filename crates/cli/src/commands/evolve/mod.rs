//! `smelt evolve`: breed formulas that a target solver does not finish and a reference does at once.

mod console;

use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde::{Deserialize, Serialize};
use smelt_search::coverage::{Coverage, Gcov, Llvm, Statistics, Tracing};
use smelt_search::{Config, Crowding, Objective, Selection, Start, State, Summary};
use smelt_store::Store;
use smelt_strategies::evolve::{THEORIES, find_theory};
use smelt_trial::NamedSolver;

use crate::exit::{Exit, Failure};
use crate::{folders, inputs, setup, units};
use console::Console;

/// Breed formulas that a target solver takes long for and a reference does at once
#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// Formulas to start from: files or folders; without any, random ones of --theory
    #[arg(value_name = "FILE")]
    files: Vec<PathBuf>,
    /// The solver that is to be slow: z3, "z3@4.8.10 smt.string_solver=z3str3", ..
    #[arg(short = 'S', long = "solver", value_name = "TARGET")]
    target: Option<String>,
    /// The solver that is to be fast
    #[arg(short = 'R', long = "reference", value_name = "REFERENCE")]
    reference: Option<String>,
    /// What random formulas are about: strings, ints, reals, bitvectors, floats or arrays; default: strings
    #[arg(long, value_name = "THEORY")]
    theory: Option<String>,
    /// How long to go on, confirming included; default: until Ctrl-C
    #[arg(long, value_name = "DURATION", value_parser = units::duration)]
    time: Option<Duration>,
    /// How many generations, those before --resume included
    #[arg(long, value_name = "N")]
    generations: Option<u64>,
    /// CPU time of one solver for one formula; default: 5s
    #[arg(long, value_name = "DURATION", value_parser = units::duration)]
    timeout: Option<Duration>,
    /// CPU time in which the target must not end either; default: 60s
    #[arg(long, value_name = "DURATION", value_parser = units::duration)]
    confirm: Option<Duration>,
    /// Memory for one solver; default: 2GiB
    #[arg(long, value_name = "SIZE", value_parser = units::size)]
    memory: Option<u64>,
    /// What is wanted, parted by commas: time or target, coverage, complexity; default: time,coverage,complexity
    #[arg(long, value_name = "OBJECTIVES", value_delimiter = ',')]
    objectives: Vec<String>,
    /// What keeps the population diverse; default: trace
    #[arg(long, value_enum, value_name = "HOW")]
    crowding: Option<CrowdingArg>,
    /// Only the first objective counts, and parents are drawn evenly: the baseline; default objective: target
    #[arg(long, conflicts_with = "crowding")]
    single: bool,
    /// Where coverage and traces come from; default: statistics
    #[arg(long, value_enum, value_name = "PROVIDER")]
    coverage: Option<CoverageArg>,
    /// Individuals in a generation; default: 40
    #[arg(long, value_name = "N")]
    population: Option<usize>,
    /// The folder for what is found; default: smelt-out, or the next free name
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Go on with the search in the folder
    #[arg(long)]
    resume: bool,
    /// What all random choices start from
    #[arg(long, value_name = "N")]
    seed: Option<u64>,
    /// Solvers at one time, of which one confirms; default: one for each core
    #[arg(short = 'j', long = "jobs", value_name = "N")]
    jobs: Option<usize>,
    #[command(flatten)]
    config: setup::Config,
    /// Print one JSON document
    #[arg(long)]
    json: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum CrowdingArg {
    /// Runs of the target that have little in common
    Trace,
    /// Scores that are far apart
    Classic,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum CoverageArg {
    /// The solver's own statistics
    #[default]
    Statistics,
    /// The solver's trace file
    Trace,
    /// A solver built with `gcc --coverage`
    Gcov,
    /// A solver with LLVM's source coverage
    Llvm,
    /// Nothing
    None,
}

/// What a search was asked to do, as it is kept in the store.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct Request {
    files: Vec<PathBuf>,
    theory: String,
    target: String,
    reference: String,
    timeout_ms: u64,
    confirm_ms: u64,
    memory: u64,
    objectives: Vec<Objective>,
    crowding: Crowding,
    selection: Selection,
    coverage: CoverageArg,
    population: usize,
    seed: u64,
}

/// CPU time in which the reference is done at once.
const AT_ONCE: Duration = Duration::from_millis(500);
/// Fewer individuals cannot breed.
const FEWEST: usize = 4;

pub(crate) fn run(a: &Arguments) -> Result<Exit, Failure> {
    let catalog = setup::catalog(a.config.file.as_deref())?;
    let out = folders::campaign_folder(a.out.as_deref(), a.resume)?;
    let request = request(a, &out)?;
    let target = setup::solver(&catalog, &request.target)?;
    let reference = setup::solver(&catalog, &request.reference)?;
    let console = Console::new(a.json);
    let jobs = a.jobs.unwrap_or_else(|| std::thread::available_parallelism().map_or(1, usize::from));
    if jobs == 0 {
        return Err(Failure::usage("-j 0 means no solver at all: use -j 1 or more"));
    }
    let config = Config {
        start: start(&request)?,
        coverage: coverage(&request, &target, &out, &console)?,
        releases: setup::means(&catalog).releases,
        target,
        reference,
        objectives: request.objectives.clone(),
        crowding: request.crowding,
        selection: request.selection,
        population: request.population,
        seed: request.seed,
        jobs,
        timeout: Duration::from_millis(request.timeout_ms),
        confirm: Duration::from_millis(request.confirm_ms),
        at_once: AT_ONCE,
        memory: request.memory,
        time: a.time,
        generations: a.generations,
        out: out.clone(),
        resume: a.resume,
        request: serde_json::to_string(&request).map_err(|e| Failure::internal(e.to_string()))?,
    };
    let stop = setup::on_interrupt()?;
    console.started(&request.target, &request.reference, &config);
    let summary = smelt_search::run(&config, &stop, &|event| console.event(event))?;
    console.clear();
    write_plots(&out)?;
    let mut stdout = std::io::stdout().lock();
    if a.json {
        let text = serde_json::to_string(&summary).map_err(|e| Failure::internal(e.to_string()))?;
        writeln!(stdout, "{text}")?;
    } else {
        show(&mut stdout, &summary)?;
    }
    Ok(if summary.findings.is_empty() { Exit::Ok } else { Exit::Findings })
}

/// What to do: from the arguments, over what the store says when it is resumed.
fn request(a: &Arguments, out: &Path) -> Result<Request, Failure> {
    let mut request = if a.resume {
        stored(out)?
    } else {
        let need = |what: &Option<String>, flag: &str, word: &str| {
            let message =
                format!("name the {word} with {flag}, such as `smelt evolve -S z3 -R cvc5 --time 10m`");
            what.clone().ok_or_else(|| Failure::usage(message))
        };
        let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap_or_default();
        Request {
            files: Vec::new(),
            theory: THEORIES[0].name.to_owned(),
            target: need(&a.target, "-S", "target")?,
            reference: need(&a.reference, "-R", "reference")?,
            timeout_ms: 5_000,
            confirm_ms: 60_000,
            memory: 2 << 30,
            objectives: Objective::DEFAULT.to_vec(),
            crowding: Crowding::Trace,
            selection: Selection::Pareto,
            coverage: CoverageArg::default(),
            population: 40,
            seed: now.as_millis() as u64 % 1_000_000_007,
        }
    };
    if !a.files.is_empty() {
        request.files = a.files.clone();
    }
    request.theory = a.theory.clone().unwrap_or(request.theory);
    request.target = a.target.clone().unwrap_or(request.target);
    request.reference = a.reference.clone().unwrap_or(request.reference);
    let millis = |d: Option<Duration>, old: u64| d.map_or(old, |d| d.as_millis() as u64);
    request.timeout_ms = millis(a.timeout, request.timeout_ms);
    request.confirm_ms = millis(a.confirm, request.confirm_ms).max(request.timeout_ms);
    request.memory = a.memory.unwrap_or(request.memory);
    if !a.objectives.is_empty() {
        request.objectives = objectives(&a.objectives)?;
    }
    request.crowding = match a.crowding {
        Some(CrowdingArg::Trace) => Crowding::Trace,
        Some(CrowdingArg::Classic) => Crowding::Classic,
        None => request.crowding,
    };
    if a.single {
        request.selection = Selection::Single;
        if a.objectives.is_empty() {
            request.objectives = vec![Objective::Target];
        }
    }
    request.coverage = a.coverage.unwrap_or(request.coverage);
    request.population = a.population.unwrap_or(request.population);
    request.seed = a.seed.unwrap_or(request.seed);
    if request.population < FEWEST {
        return Err(Failure::usage(format!("a population needs at least {FEWEST} individuals")));
    }
    Ok(request)
}

/// What the search in a folder was asked to do.
fn stored(out: &Path) -> Result<Request, Failure> {
    let text = Store::open(out)?.value("evolve")?;
    let message = || Failure::usage(format!("{} holds no search: use `smelt fuzz --resume`", out.display()));
    serde_json::from_str(&text.ok_or_else(message)?)
        .map_err(|e| Failure::internal(format!("the store does not say what it is for: {e}")))
}

fn objectives(words: &[String]) -> Result<Vec<Objective>, Failure> {
    let mut all = Vec::new();
    for word in words {
        let objective = Objective::parse(word).ok_or_else(|| {
            let known: Vec<&str> = Objective::ALL.iter().map(|o| o.0).collect();
            Failure::usage(format!("no objective `{word}`; there are {}", known.join(", ")))
        })?;
        if !all.contains(&objective) {
            all.push(objective);
        }
    }
    Ok(all)
}

fn start(request: &Request) -> Result<Start, Failure> {
    if request.files.is_empty() {
        let theory = find_theory(&request.theory).ok_or_else(|| {
            let known: Vec<&str> = THEORIES.iter().map(|t| t.name).collect();
            Failure::usage(format!("no theory `{}`; there are {}", request.theory, known.join(", ")))
        })?;
        return Ok(Start::Theory(theory));
    }
    let files = inputs::scripts(&request.files)?;
    let read = |path: PathBuf| Ok((path.display().to_string(), inputs::read(&path)?));
    Ok(Start::Seeds(files.into_iter().map(read).collect::<Result<_, Failure>>()?))
}

type Provider = Box<dyn Coverage + Send>;

/// What sees how the target goes about a formula. Without statistics of it, the search goes on without.
fn coverage(
    request: &Request,
    target: &NamedSolver,
    out: &Path,
    console: &Console,
) -> Result<Option<Provider>, Failure> {
    let folder = out.join("coverage");
    let wanted = request.objectives.contains(&Objective::Coverage) || request.crowding == Crowding::Trace;
    let provider: Provider = match request.coverage {
        _ if request.selection == Selection::Single || !wanted => return Ok(None),
        CoverageArg::None => return Ok(None),
        CoverageArg::Statistics => match Statistics::new(&target.solver) {
            Ok(statistics) => Box::new(statistics),
            Err(e) => {
                console.note(&format!("{e}; going on without coverage"));
                return Ok(None);
            }
        },
        CoverageArg::Trace => Box::new(Tracing::new(folder, &target.solver)?),
        CoverageArg::Gcov => Box::new(Gcov::new(folder)?),
        CoverageArg::Llvm => Box::new(Llvm::new(folder, target.solver.program())?),
    };
    Ok(Some(provider))
}

/// Writes plots and the page of a search.
pub(crate) fn write_plots(out: &Path) -> Result<(), Failure> {
    let state = State::load(out)?;
    let limit = Duration::from_millis(stored(out)?.timeout_ms);
    let folder = out.join("plots");
    let failed = |e: std::io::Error| Failure::usage(format!("cannot write {}: {e}", folder.display()));
    std::fs::create_dir_all(&folder).map_err(failed)?;
    for (name, svg) in smelt_report::search_plots(&state, limit) {
        std::fs::write(folder.join(name).with_extension("svg"), svg).map_err(failed)?;
    }
    let page = smelt_report::search_page(&state, limit);
    std::fs::write(out.join("index.html"), page).map_err(failed)
}

/// The summary for a person.
fn show(out: &mut impl Write, s: &Summary) -> std::io::Result<()> {
    writeln!(
        out,
        "{} generations in {:.0} s: {} formulas measured in {} solver runs; {} candidates, of which {} kinds were not \
         looked into and {} ended at the longer limit",
        s.generations, s.wall_s, s.evaluations, s.solver_calls, s.candidates, s.waiting, s.slow
    )?;
    if s.confirmed.is_empty() {
        return writeln!(out, "nothing confirmed; folder: {}", s.out);
    }
    writeln!(
        out,
        "{} confirmed, mean complexity {:.1}, in {} (`smelt bugs {}` lists them, index.html shows plots):",
        s.confirmed.len(),
        s.mean_complexity,
        s.out,
        s.out
    )?;
    for c in &s.confirmed {
        let kind = c.kind.map_or("slow", |k| k.as_str());
        let target = if c.target.is_timeout() {
            format!("> {:.0} s", c.target.seconds)
        } else {
            format!("{:.1} s", c.target.seconds)
        };
        writeln!(
            out,
            "  {:>4}  {kind:<16} {target:>8}  reference {:>4.0} ms  complexity {:>3}  {}",
            c.id,
            c.reference.seconds * 1e3,
            c.complexity,
            c.operators.join(" ")
        )?;
    }
    Ok(())
}
