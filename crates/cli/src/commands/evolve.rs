//! `smelt evolve`: breed formulas that a target solver does not finish and a reference solver decides at once.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde::{Deserialize, Serialize};
use smelt_core::SolverId;
use smelt_report::{SearchAbout, Site};
use smelt_search::coverage::{Coverage, Gcov, Llvm, Paired, Statistics, Tracing};
use smelt_search::{Config, Crowding, Objective, Selection, Start, State, Summary};
use smelt_solvers::{Catalog, Profiles};
use smelt_store::Store;
use smelt_strategies::evolve::{THEORIES, find_theory};
use smelt_strategies::{CaseRequest, Draft, Pool, case_number};
use smelt_triage::Mute;
use smelt_trial::NamedSolver;

use crate::console::{Console, Watch};
use crate::exit::{Exit, Failure};
use crate::help::MORE;
use crate::recipes::{self, Flags, NOTHING};
use crate::request::{over_stored, some_seed, word};
use crate::trust::Trust;
use crate::{folders, inputs, output, setup, units};

/// Breed formulas on which one solver is slow and another is fast
#[derive(clap::Args)]
#[command(arg_required_else_help = true)]
pub(crate) struct Arguments {
    #[command(flatten)]
    request: SearchRequest,
    /// How long to search; default: until Ctrl-C
    #[arg(long, value_name = "DURATION", value_parser = units::duration)]
    time: Option<Duration>,
    /// How many, those before --resume included
    #[arg(short = 'n', long, value_name = "N", value_parser = units::positive::<u64>)]
    generations: Option<u64>,
    /// The folder for findings; default: smelt-out, ..-2
    #[arg(short = 'o', long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Also write what was measured and kept, a line of JSON for each generation
    #[arg(long, value_name = "FILE", help_heading = MORE)]
    record: Option<PathBuf>,
    /// Continue the search in the folder
    #[arg(long)]
    resume: bool,
    #[command(flatten)]
    jobs: setup::Jobs,
    #[command(flatten)]
    config: setup::Config,
    /// Print one JSON document
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    watch: Watch,
}

/// The settings of a search, as they are kept in the store.
#[derive(clap::Args, Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
struct SearchRequest {
    /// Files or folders to start from; default: random formulas
    #[arg(value_name = "FILE")]
    files: Vec<PathBuf>,
    /// Start from formulas of a strategy without seeds
    #[arg(long, value_name = "STRATEGY", conflicts_with_all = ["files", "theory"])]
    from: Option<String>,
    /// The solver that should be slow: z3, "z3@4.8.10 smt.string_solver=z3str3", ..; of several, each
    #[arg(short = 'S', long = "solver", value_name = "TARGET")]
    targets: Vec<String>,
    /// The solver that should be fast; of several, one; default: older installed releases of the target
    #[arg(short = 'R', long = "reference", value_name = "REFERENCE")]
    references: Vec<String>,
    /// The theory of random formulas: strings, ints, reals, bv, fp or arrays; default: strings
    #[arg(long, value_name = "THEORY", value_parser = units::theory)]
    theory: Option<String>,
    /// CPU time of one solver; default: 5s
    #[arg(long, value_name = "DURATION", value_parser = units::duration)]
    timeout: Option<Duration>,
    /// CPU time the target must exceed; default: 60s
    #[arg(long, value_name = "DURATION", value_parser = units::duration, help_heading = MORE)]
    confirm: Option<Duration>,
    /// Memory for one solver; default: 2GiB
    #[arg(long, value_name = "SIZE", value_parser = units::size, help_heading = MORE)]
    memory: Option<u64>,
    /// Of time, target, coverage, complexity; default: time,coverage,complexity
    #[arg(long, help_heading = MORE, value_name = "NAMES", value_delimiter = ',', value_parser = word::<Objective>)]
    objectives: Vec<Objective>,
    /// What keeps it diverse: runs that differ (trace, the default) or scores (classic)
    #[arg(long, help_heading = MORE, value_name = "HOW", value_parser = word::<Crowding>)]
    crowding: Option<Crowding>,
    /// smelt's own search, or the paper's; default: own
    #[arg(long, help_heading = MORE, value_name = "HOW", value_parser = ["own", "paper"])]
    search: Option<String>,
    /// The chance of crossing two parents; default: 0.75
    #[arg(long, value_name = "P", help_heading = MORE)]
    crossover: Option<f64>,
    /// The chance that a child is mutated; default: 0.25
    #[arg(long, value_name = "P", help_heading = MORE)]
    mutation: Option<f64>,
    /// The baseline: one objective, parents drawn evenly
    #[arg(long, help_heading = MORE, conflicts_with_all = ["crowding", "search"])]
    single: bool,
    /// Where coverage and traces come from; default: statistics
    #[arg(long, help_heading = MORE, value_enum, value_name = "PROVIDER")]
    coverage: Option<CoverageArg>,
    /// Where traces come from, if not from --coverage
    #[arg(long, help_heading = MORE, value_enum, value_name = "PROVIDER")]
    traces: Option<CoverageArg>,
    /// Individuals in a generation; default: 40
    #[arg(long, value_name = "N", value_parser = units::positive::<usize>, help_heading = MORE)]
    population: Option<usize>,
    /// The seed of all random choices
    #[arg(long, value_name = "N", value_parser = units::number)]
    seed: Option<u64>,
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

impl SearchRequest {
    fn timeout(&self) -> Duration {
        self.timeout.unwrap_or(Duration::from_secs(5))
    }

    fn confirm(&self) -> Duration {
        self.confirm.unwrap_or(Duration::from_secs(60)).max(self.timeout())
    }

    fn selection(&self) -> Selection {
        match (self.single, self.search.as_deref()) {
            (true, _) => Selection::Single,
            (false, Some("paper")) => Selection::Paper,
            (false, _) => Selection::Pareto,
        }
    }

    fn crowding(&self) -> Crowding {
        self.crowding.unwrap_or(Crowding::Trace)
    }

    fn objectives(&self) -> Vec<Objective> {
        let mut objectives = Vec::new();
        for objective in &self.objectives {
            if !objectives.contains(objective) {
                objectives.push(*objective);
            }
        }
        match (objectives.is_empty(), self.single) {
            (false, _) => objectives,
            (true, true) => vec![Objective::Target],
            (true, false) => Objective::DEFAULT.to_vec(),
        }
    }
}

/// A reference that needs at most this CPU time decides at once.
const AT_ONCE: Duration = Duration::from_millis(500);
/// Fewer individuals cannot breed.
const FEWEST: usize = 4;

pub(crate) fn run(a: &Arguments) -> Result<Exit, Failure> {
    let catalog = setup::catalog(a.config.file.as_deref())?;
    let out = folders::campaign_folder(a.out.as_deref(), a.resume, None)?;
    let stored = if a.resume { Some(stored(&out)?) } else { None };
    let mut request = over_stored(&a.request, stored.as_deref())?;
    let seed = *request.seed.get_or_insert_with(some_seed);
    if a.resume {
        let (place, remedy) = (out.display().to_string(), "name the solvers with -S and -R");
        for (given, all) in
            [(&a.request.targets, &request.targets), (&a.request.references, &request.references)]
        {
            let stored = if given.is_empty() { &all[..] } else { &[] };
            Trust::default().check(&catalog, stored, &place, remedy)?;
        }
    }
    let named = |specs: &[String], flag: &str, word: &str| {
        let message = format!("name the {word} with {flag}, such as `smelt evolve -S z3 -R cvc5 --time 10m`");
        if specs.is_empty() { Err(Failure::usage(message)) } else { setup::solvers(&catalog, specs) }
    };
    let targets = named(&request.targets, "-S", "target")?;
    if request.references.is_empty() {
        request.references = older(&catalog, &targets[0]);
    }
    let references = named(&request.references, "-R", "reference")?;
    let stop = setup::on_interrupt()?;
    let (slow, fast) = (request.targets.join(" and "), request.references.join(" or "));
    let title = format!("smelt evolve  {slow} slow, {fast} fast  into {}", out.display());
    let console = Console::watch(a.json, a.watch, &title, &stop);
    let jobs = a.jobs.count();
    let population = request.population.unwrap_or(40);
    if population < FEWEST {
        return Err(Failure::usage(format!("a population needs at least {FEWEST} individuals")));
    }
    let config = Config {
        start: start(&request, population, seed)?,
        coverage: coverage(&request, &targets[0], &out, &console)?,
        releases: setup::means(&catalog).releases,
        objectives: request.objectives(),
        crowding: request.crowding(),
        selection: request.selection(),
        population,
        crossover: chance(request.crossover, 0.75, "--crossover")?,
        mutation: chance(request.mutation, 0.25, "--mutation")?,
        seed,
        jobs,
        timeout: request.timeout(),
        confirm: request.confirm(),
        at_once: AT_ONCE,
        memory: request.memory.unwrap_or(2 << 30),
        time: a.time,
        generations: a.generations,
        out: out.clone(),
        resume: a.resume,
        request: crate::request::stored(&request)?,
        record: a.record.clone(),
        targets,
        references,
    };
    let coverage = config.coverage.as_ref().map_or_else(|| "none".to_owned(), |c| c.name());
    console.say(&format!(
        "target {}, reference {}; population {}, coverage {coverage}, {} at a time, --seed {}",
        request.targets.join(" and "),
        request.references.join(" or "),
        config.population,
        config.jobs,
        config.seed
    ));
    let summary = smelt_search::run(&config, &stop, &console)?;
    console.clear();
    write_plots(&out, catalog.profiles())?;
    console.result(a.json, &summary, |out| show(out, &summary))?;
    Ok(if summary.findings.is_empty() { Exit::Ok } else { Exit::Findings })
}

/// A probability.
fn chance(given: Option<f64>, default: f64, flag: &str) -> Result<f64, Failure> {
    let p = given.unwrap_or(default);
    let message = || Failure::usage(format!("{flag} {p}: a chance is from 0 to 1"));
    (0.0..=1.0).contains(&p).then_some(p).ok_or_else(message)
}

/// The stored settings of the search in a folder.
fn stored(out: &Path) -> Result<String, Failure> {
    let text = Store::open(out)?.value("evolve")?;
    text.ok_or_else(|| {
        Failure::usage(format!("{} holds no search: use `smelt fuzz --resume`", out.display()))
    })
}

/// Older installed releases of a solver: slow now and fast before needs no other solver.
fn older(catalog: &Catalog, target: &NamedSolver) -> Vec<String> {
    let releases = setup::means(catalog).releases.into_iter().map(|r| (r.solver.id().clone(), r.spec));
    before(target.solver.id(), releases.collect())
}

/// The oldest and the newest of the releases of a solver before this one.
fn before(target: &SolverId, mut releases: Vec<(SolverId, String)>) -> Vec<String> {
    releases.retain(|(id, _)| id.name() == target.name() && id.version() < target.version());
    releases.sort_by(|a, b| a.0.version().cmp(&b.0.version()));
    let mut specs: Vec<String> = releases.into_iter().map(|(_, spec)| spec).collect();
    if specs.len() > 2 {
        specs.drain(1..specs.len() - 1);
    }
    specs
}

/// Formulas of a strategy, spread over all that it has.
fn made(text: &str, number: usize, seed: u64) -> Result<Start, Failure> {
    let mut strategy = recipes::one(text, &Flags::<NOTHING>(Vec::new()))?.make()?;
    let (mut pool, mut draft, mut seeds) = (Pool::new(), Draft::default(), Vec::new());
    for i in 0..number as u64 {
        let number = match strategy.total().filter(|_| strategy.is_finite()) {
            Some(total) => (u128::from(total) * u128::from(i) / number as u128) as u64,
            None => case_number(seed, strategy.name(), strategy.chain(), i),
        };
        if strategy.next(&mut pool, &CaseRequest { seeds: &[], number }, &mut draft).is_ok() {
            seeds.push((format!("{text} number {number}"), draft.text.clone()));
        }
    }
    if seeds.is_empty() {
        Err(Failure::usage(format!("`{text}` makes no formula")))
    } else {
        Ok(Start::Seeds(seeds))
    }
}

fn start(request: &SearchRequest, population: usize, seed: u64) -> Result<Start, Failure> {
    if let Some(strategy) = &request.from {
        return made(strategy, population, seed);
    }
    if request.files.is_empty() {
        let name = request.theory.as_deref().unwrap_or(THEORIES[0].name);
        let theory = find_theory(name).ok_or_else(|| {
            let known: Vec<&str> = THEORIES.iter().map(|t| t.name).collect();
            Failure::usage(format!("no theory `{name}`; there are {}", known.join(", ")))
        })?;
        return Ok(Start::Theory(theory));
    }
    let files = inputs::scripts(&request.files)?;
    let read = |path: PathBuf| Ok((path.display().to_string(), inputs::read(&path)?));
    Ok(Start::Seeds(files.into_iter().map(read).collect::<Result<_, Failure>>()?))
}

type Provider = Box<dyn Coverage + Send>;

/// The coverage provider. If the target has no statistics, the search runs without coverage.
fn coverage(
    request: &SearchRequest,
    target: &NamedSolver,
    out: &Path,
    console: &Console,
) -> Result<Option<Provider>, Failure> {
    let wanted = request.objectives().contains(&Objective::Coverage) || request.crowding() == Crowding::Trace;
    if request.single || !wanted {
        return Ok(None);
    }
    let of = |which| provider(which, target, out, console);
    let lines = of(request.coverage.unwrap_or_default())?;
    let traces = request.traces.map(of).transpose()?.flatten();
    Ok(match (lines, traces) {
        (Some(lines), Some(traces)) => Some(Box::new(Paired::new(lines, traces))),
        (one, other) => one.or(other),
    })
}

fn provider(
    which: CoverageArg,
    target: &NamedSolver,
    out: &Path,
    console: &Console,
) -> Result<Option<Provider>, Failure> {
    let folder = out.join("coverage");
    let provider: Provider = match which {
        CoverageArg::None => return Ok(None),
        CoverageArg::Statistics => match Statistics::new(&target.solver) {
            Ok(statistics) => Box::new(statistics),
            Err(e) => {
                console.say(&format!("{e}; going on without coverage"));
                return Ok(None);
            }
        },
        CoverageArg::Trace => Box::new(Tracing::new(folder, &target.solver)?),
        CoverageArg::Gcov => Box::new(Gcov::new(folder)?),
        CoverageArg::Llvm => Box::new(Llvm::new(folder, target.solver.program())?),
    };
    Ok(Some(provider))
}

/// Writes plots and the pages of a search.
fn write_plots(out: &Path, profiles: &Profiles) -> Result<(), Failure> {
    let (state, about) = about(out)?;
    for (name, svg) in smelt_report::search_plots(&state, &about) {
        output::write(&out.join("plots").join(name).with_extension("svg"), svg)?;
    }
    super::report::write(out, &site(out, profiles)?)
}

/// The pages of the search in a folder: its own, and one for each bug.
pub(super) fn site(out: &Path, profiles: &Profiles) -> Result<Site, Failure> {
    let (state, mut about) = about(out)?;
    let mut site =
        smelt_report::bug_pages(&Store::open(out)?, profiles, &Mute::read(out, &[] as &[PathBuf])?)?;
    let number = |path: &str| Some(path.strip_prefix("bugs/")?.strip_suffix(".html")?.to_owned());
    about.bugs = site.pages.iter().filter_map(|(path, _)| number(path)).collect();
    site.pages.insert(0, ("index.html".to_owned(), smelt_report::search_page(&state, &about)));
    Ok(site)
}

/// The search in a folder, and what it was asked to do.
fn about(out: &Path) -> Result<(State, SearchAbout), Failure> {
    let text = stored(out)?;
    let request: SearchRequest = over_stored(&SearchRequest::default(), Some(&text))?;
    let command = serde_json::from_str::<serde_json::Value>(&text).ok();
    let about = SearchAbout {
        limit: request.timeout(),
        confirm: request.confirm(),
        command: command.and_then(|v| Some(v.get("command")?.as_str()?.to_owned())),
        folder: out.display().to_string(),
        target: request.targets.join(" and "),
        reference: request.references.join(" or "),
        bugs: Vec::new(),
    };
    Ok((State::load(out)?, about))
}

/// The summary for a person.
fn show(out: &mut impl Write, s: &Summary) -> std::io::Result<()> {
    writeln!(
        out,
        "{} generations in {:.0} s: {} formulas measured in {} solver runs; {} candidates, of which {} kinds were not \
         tried and {} ended at the longer limit",
        s.generations, s.wall_s, s.evaluations, s.solver_calls, s.candidates, s.waiting, s.slow
    )?;
    if s.starved > 0 {
        writeln!(
            out,
            "{} timeouts do not count: the machine was busy, and the target got too little CPU time to compare",
            s.starved
        )?;
    }
    writeln!(
        out,
        "result set: {} lines covered in all, {:.1} on average, time score {:.2}, {} timeouts, complexity {:.1}",
        s.total_lines, s.mean_lines, s.mean_time_score, s.timeouts, s.population_complexity
    )?;
    writeln!(out, "its scripts: {}/population", s.out)?;
    if !s.unconfirmed.is_empty() {
        writeln!(out, "not confirmed; `smelt check FILE --timeout 60s -S TARGET -S REFERENCE` tries one:")?;
        s.unconfirmed.iter().try_for_each(|(path, operators)| writeln!(out, "  {path}  {operators}"))?;
    }
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn references_are_the_oldest_and_the_newest_release_before_the_target() {
        let id = |text: &str| {
            let (name, version) = text.split_once('@').unwrap_or((text, ""));
            SolverId::new(name, version.parse().ok().filter(|_| !version.is_empty()))
        };
        let all = ["z3@4.12.2", "cvc5@1.0.3", "z3@5.4.0", "z3@4.8.5", "z3@4.15.0"];
        let releases = || all.iter().map(|text| (id(text), (*text).to_owned())).collect();
        assert_eq!(before(&id("z3@5.4.0"), releases()), ["z3@4.8.5", "z3@4.15.0"]);
        assert_eq!(before(&id("z3@4.12.2"), releases()), ["z3@4.8.5"]);
        assert!(before(&id("z3@4.8.5"), releases()).is_empty());
        assert!(before(&id("mine"), releases()).is_empty(), "without a version nothing is older");
    }
}
