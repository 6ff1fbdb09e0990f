//! `smelt fuzz`: runs a campaign.

use std::collections::BTreeMap;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde::{Deserialize, Serialize};
use smelt_campaign::{Config, Focus, Learning, SeedText, Shard};
use smelt_core::{Event, EventSink};
use smelt_solvers::{Catalog, Mode};
use smelt_store::Store;
use smelt_strategies::{LongFlag, Recipe, operator_probes};
use smelt_trial::NamedSolver;

use super::summary;
use crate::console::{Console, Watch};
use crate::exit::{Exit, Failure};
use crate::help::MORE;
use crate::recipes::{self, ALL, Flags};
use crate::request::{over_stored, some_seed};
use crate::trust::Trust;
use crate::{folders, inputs, output, setup, units};

/// Run a fuzzing campaign: mutate seeds, run solvers, store findings
#[derive(clap::Args)]
#[command(arg_required_else_help = true, after_help = recipes::HELP)]
pub(crate) struct Arguments {
    #[command(flatten)]
    request: CampaignRequest,
    /// Folder for findings; default: smelt-out
    #[arg(short = 'o', long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Shared campaign: postgres://USER@HOST/DB#NAME
    #[arg(long, value_name = "URL", conflicts_with_all = ["out", "shard"])]
    store: Option<PathBuf>,
    /// Lease time without a heartbeat, in a shared campaign; default: 3m
    #[arg(long, value_name = "DURATION", value_parser = units::duration, requires = "store", hide = true)]
    lease: Option<Duration>,
    /// Continue the campaign in the --out folder
    #[arg(long)]
    resume: bool,
    /// Do not reduce or group findings
    #[arg(long, help_heading = MORE)]
    no_reduce: bool,
    /// Also write every test case to this folder
    #[arg(long, value_name = "DIR", help_heading = MORE)]
    save_cases: Option<PathBuf>,
    #[command(flatten)]
    config: setup::Config,
    /// Print the result as one JSON document
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    watch: Watch,
    #[command(flatten)]
    flags: Flags<ALL>,
}

/// The settings of a campaign, as they are kept in the store.
#[derive(clap::Args, Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub(super) struct CampaignRequest {
    /// Script files, folders or globs; default: the embedded seeds
    #[arg(value_name = "SEEDS")]
    seeds: Vec<String>,
    /// Solver: z3, z3@4.8.7, builtin, "./my-z3 -x" or a name from smelt.toml; default: every solver found
    #[arg(short = 'S', long = "solver", value_name = "SOLVER")]
    pub(super) solvers: Vec<String>,
    /// Strategies: fusion,weaken:steps=3,..; default: all
    #[arg(short = 's', long = "strategy", value_name = "STRATEGY")]
    strategies: Vec<String>,
    /// How long to run tests; findings are then reduced for up to a minute more; default: until Ctrl-C
    #[arg(long, value_name = "DURATION", value_parser = units::duration)]
    time: Option<Duration>,
    /// Total number of tests, over all runs and shards
    #[arg(short = 'n', long, value_name = "N", value_parser = units::positive::<u64>)]
    tests: Option<u64>,
    /// Parallel workers; default: one per core
    #[arg(short = 'j', long = "jobs", value_name = "N", value_parser = setup::number_of_jobs)]
    jobs: Option<usize>,
    /// Time limit of one solver on one test; default: 10s
    #[arg(long, value_name = "DURATION", value_parser = units::duration)]
    timeout: Option<Duration>,
    /// Memory limit of one solver; default: 2GiB
    #[arg(long, value_name = "SIZE", value_parser = units::size, help_heading = MORE)]
    memory: Option<u64>,
    /// Skip larger seeds; default: 1MiB
    #[arg(long, value_name = "SIZE", value_parser = units::size, help_heading = MORE)]
    max_seed_size: Option<u64>,
    /// Mutants made from one seed before the next
    #[arg(long, value_name = "N", value_parser = units::positive::<u64>, help_heading = MORE)]
    per_seed: Option<u64>,
    /// File with additional operator signatures
    #[arg(long, value_name = "FILE", help_heading = MORE)]
    signatures: Option<PathBuf>,
    /// Operators or theories to test, such as fp,str.replace; or a file that lists them
    #[arg(long, value_name = "NAMES|FILE", value_delimiter = ',', help_heading = MORE)]
    focus: Vec<String>,
    /// Keep a solver that fails the first easy query
    #[arg(long, help_heading = MORE)]
    go_on: bool,
    /// File that caches answers; default: user's cache
    #[arg(long, value_name = "FILE", conflicts_with = "no_cache", help_heading = MORE)]
    cache: Option<PathBuf>,
    /// Do not use the cache of solver answers
    #[arg(long, help_heading = MORE)]
    no_cache: bool,
    /// Start a new process for each query
    #[arg(long, help_heading = MORE)]
    fresh: bool,
    /// Make solvers check their models, cores and proofs
    #[arg(long, help_heading = MORE)]
    self_check: bool,
    /// Random seed; with -j 1, runs are repeatable
    #[arg(long, value_name = "N", value_parser = units::number)]
    seed: Option<u64>,
    /// The seed that was chosen if none was given.
    #[arg(skip)]
    drawn_seed: Option<u64>,
    /// How the strategy and the seed of a test are chosen
    #[arg(long, value_enum, value_name = "HOW", help_heading = MORE)]
    schedule: Option<Schedule>,
    /// Run only shard I of N; see `smelt merge`
    #[arg(long, value_name = "I/N", help_heading = MORE)]
    shard: Option<Shard>,
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
    /// Prefer those with findings, avoid those with timeouts and rejections
    Learn,
    /// All equally often; the test number determines the test
    Uniform,
}

/// What a run is for, besides the settings of its campaign.
pub(super) struct Run {
    pub(super) out: PathBuf,
    pub(super) resume: bool,
    /// Of a shared campaign that is made now.
    pub(super) lease: Option<Duration>,
    pub(super) no_reduce: bool,
    pub(super) save_cases: Option<PathBuf>,
    /// Where answers are kept, if the user says so: a store does not decide it.
    pub(super) cache: Option<PathBuf>,
    pub(super) json: bool,
    pub(super) watch: Watch,
}

pub(crate) fn run(a: &Arguments) -> Result<Exit, Failure> {
    let catalog = setup::catalog(a.config.file.as_deref())?;
    let out = match &a.store {
        Some(url) if !smelt_store::is_shared(url) => {
            return Err(Failure::usage(
                "--store expects a URL, postgres://USER@HOST/DATABASE#NAME; use --out for a folder",
            ));
        }
        Some(url) => url.clone(),
        None => folders::campaign_folder(a.out.as_deref(), a.resume, a.request.shard)?,
    };
    let request = request(a, &out)?;
    if a.resume && a.request.solvers.is_empty() {
        Trust::default().check(
            &catalog,
            &request.solvers,
            &out.display().to_string(),
            "name the solvers with -S",
        )?;
    }
    let run = Run {
        out,
        resume: a.resume,
        lease: a.lease,
        no_reduce: a.no_reduce,
        save_cases: a.save_cases.clone(),
        cache: a.request.cache.clone(),
        json: a.json,
        watch: a.watch,
    };
    start(&catalog, request, run)
}

/// The settings of a shared campaign for a process that joins it.
#[cfg(feature = "postgres")]
pub(super) fn joined(
    out: &Path,
    jobs: Option<usize>,
    time: Option<Duration>,
) -> Result<CampaignRequest, Failure> {
    let stored = Store::open(out)?.value("request")?;
    let stored =
        stored.ok_or_else(|| Failure::usage("the campaign is still being created: try again in a moment"))?;
    let request = over_stored(&CampaignRequest { time, ..CampaignRequest::default() }, Some(&stored))?;
    // One that does not say was made when shared campaigns did not learn.
    let schedule = request.schedule.or(Some(Schedule::Uniform));
    Ok(CampaignRequest { jobs, schedule, ..request })
}

/// How cases are chosen.
fn learning(request: &CampaignRequest, jobs: usize, is_shared: bool) -> Result<Learning, Failure> {
    let by_number = request.shard.is_some();
    Ok(match (request.schedule, request.seed.is_some() && jobs == 1) {
        (Some(Schedule::Learn), _) if by_number => {
            let message = "--shard and --schedule learn exclude each other: shards choose each test by its number, so they cannot learn";
            return Err(Failure::usage(message));
        }
        (Some(Schedule::Uniform), _) => Learning::Uniform,
        (None, _) if by_number => Learning::Uniform,
        // What others find and when decides what is learned.
        (_, true) if !is_shared => Learning::Repeatable,
        _ => Learning::Full,
    })
}

/// Runs a campaign.
pub(super) fn start(catalog: &Catalog, mut request: CampaignRequest, a: Run) -> Result<Exit, Failure> {
    let out = a.out.clone();
    let is_shared = smelt_store::is_shared(&out);
    // A resumed campaign has its files in the store, so a stored path must not be read again.
    let may_read = !a.resume;
    signatures(&mut request, may_read)?;
    let strategies = strategies(&mut request, may_read)?;
    let mut contestants = setup::solvers(catalog, &request.solvers)?;
    if request.solvers.is_empty() && !request.go_on {
        leave_out_useless(&mut contestants)?;
    }
    if request.self_check {
        contestants = setup::self_checking(catalog, contestants)?;
    }
    name_new(&mut request, catalog, &contestants)?;
    let jobs = setup::jobs(request.jobs);
    let learning = learning(&request, jobs, is_shared)?;
    if is_shared && !a.resume {
        // Machines that join have the solvers and the schedule of the first.
        request.schedule.get_or_insert(Schedule::Learn);
        request.solvers = contestants.iter().map(|c| c.spec.clone()).collect();
    }
    let (seeds, left_out) = match is_shared && a.resume {
        #[cfg(feature = "postgres")]
        true => (smelt_campaign::shared_seeds(&Store::open(&out)?)?, Vec::new()),
        _ => seeds(&request.seeds, request.max_seed_size.unwrap_or(smelt_campaign::seeds::MAX_BYTES))?,
    };
    let config = Config {
        seeds,
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
        triage: (!a.no_reduce).then(|| setup::means(catalog)),
        profiles: catalog.profiles().clone(),
        mute: Vec::new(),
        per_seed: request.per_seed,
        shard: request.shard.unwrap_or(Shard::WHOLE),
        lease: a.lease,
        numbers: None,
        go_on: request.go_on,
        focus: focus(&mut request, may_read)?,
        cache: (!request.no_cache).then(|| setup::cache(catalog, a.cache.as_deref())),
        save_cases: a.save_cases.clone(),
        request: crate::request::stored(&request)?,
    };
    let stop = setup::on_interrupt()?;
    let console = Console::watch(a.json, a.watch, &title(&config), &stop);
    for (name, why) in left_out {
        console.event(&Event::Seed { name, why });
    }
    let summary = smelt_campaign::run(&config, &stop, &console)?;
    if let Some(why) = summary::made_nothing(&summary) {
        console.clear();
        return Err(Failure::usage(why));
    }
    console.result(a.json, &summary, |out| summary::show(out, &summary))?;
    Ok(if summary.findings.is_empty() { Exit::Ok } else { Exit::Findings })
}

/// Skips solvers that the user did not name and that answer nothing: they must not end a campaign.
fn leave_out_useless(solvers: &mut Vec<NamedSolver>) -> Result<(), Failure> {
    let mut kept = Vec::new();
    for named in solvers.drain(..) {
        match smelt_campaign::answers_nothing(&named)? {
            None => kept.push(named),
            Some(why) => writeln!(
                std::io::stderr(),
                "skipping {}, which does not answer an easy query: {}",
                named.solver.id(),
                output::printable(&why)
            )?,
        }
    }
    *solvers = kept;
    Ok(())
}

/// The settings: the arguments, which override the stored settings of a resumed campaign.
fn request(a: &Arguments, out: &Path) -> Result<CampaignRequest, Failure> {
    let stored = match a.resume {
        true => {
            let stored = Store::open(out)?.value("request")?;
            Some(stored.ok_or_else(|| Failure::internal("this folder has no saved campaign settings"))?)
        }
        false => None,
    };
    let mut request = over_stored(&a.request, stored.as_deref())?;
    if let (Some(now), Some(stored)) = (a.request.shard, &stored) {
        let then = serde_json::from_str::<CampaignRequest>(stored).ok().and_then(|r| r.shard);
        if then != Some(now) {
            let what = then.map_or("no shard".to_owned(), |shard| format!("shard {shard}"));
            let message = format!("{} contains {what}: continue it without --shard", out.display());
            return Err(Failure::usage(message));
        }
    }
    for (option, value) in &a.flags.0 {
        let name = option.flag.map_or("", LongFlag::name);
        request.flags.insert(name.to_owned(), value.clone());
    }
    // Different runs make different cases, unless --seed is given. Shards must agree on it.
    let drawn = if request.shard.is_some() { 0 } else { some_seed() };
    request.drawn_seed.get_or_insert(drawn);
    Ok(request)
}

/// Makes the user's signatures known. Their text becomes part of the request, for everything that reads the store.
fn signatures(request: &mut CampaignRequest, may_read: bool) -> Result<(), Failure> {
    let Some(file) = &request.signatures else { return Ok(()) };
    let key = file.display().to_string();
    if !request.files.contains_key(&key) {
        if !may_read {
            return Err(Failure::usage(format!(
                "the saved settings refer to the file {key:?}, whose content is missing"
            )));
        }
        let text = String::from_utf8_lossy(&inputs::read(file)?).into_owned();
        request.files.insert(key.clone(), text);
    }
    inputs::install_signatures(file, request.files[&key].as_bytes())
}

/// The signatures that the campaign of a store was started with, by file: name and text.
pub(crate) fn stored_signatures(store: &Store) -> Result<Option<(PathBuf, String)>, Failure> {
    let request = store.value("request")?.and_then(|text| serde_json::from_str(&text).ok());
    let Some(CampaignRequest { signatures: Some(file), mut files, .. }) = request else { return Ok(None) };
    Ok(files.remove(&file.display().to_string()).map(|text| (file, text)))
}

/// The strategies of the campaign of a store.
pub(crate) fn stored_strategies(store: &Store) -> Result<Vec<Recipe>, Failure> {
    let request = store.value("request")?.and_then(|text| serde_json::from_str(&text).ok());
    let mut request =
        request.ok_or_else(|| Failure::internal("this folder has no saved campaign settings"))?;
    strategies(&mut request, false)
}

/// The chosen strategies. The content of files that their options name becomes part of the request: a resumed campaign
/// uses the content from its start.
fn strategies(request: &mut CampaignRequest, may_read: bool) -> Result<Vec<Recipe>, Failure> {
    let CampaignRequest { strategies, flags, files, .. } = request;
    recipes::stored(strategies, flags, &mut |path| {
        let key = path.display().to_string();
        if let Some(text) = files.get(&key) {
            return Ok(text.clone().into_bytes());
        }
        if !may_read {
            return Err(std::io::Error::other(
                "the saved settings refer to this file, whose content is missing",
            ));
        }
        let text = recipes::read_file(path)?;
        files.insert(key, String::from_utf8_lossy(&text).into_owned());
        Ok(text)
    })
}

/// Replaces `new` by what each solver knows that the release before it does not, of those that are installed.
fn name_new(
    request: &mut CampaignRequest,
    catalog: &Catalog,
    solvers: &[NamedSolver],
) -> Result<(), Failure> {
    let Some(at) = request.focus.iter().position(|name| name == "new") else { return Ok(()) };
    request.focus.remove(at);
    let mut has_pair = false;
    for solver in solvers {
        let mut earlier = setup::means(catalog).releases;
        let id = solver.solver.id();
        earlier.retain(|r| r.solver.id().name() == id.name() && r.solver.id().version() < id.version());
        let Some(before) = earlier.into_iter().max_by_key(|r| r.solver.id().version().cloned()) else {
            continue;
        };
        has_pair = true;
        let news = smelt_study::news(&[before, solver.clone()], &operator_probes(), &|| false)?;
        let changed = news.changed.into_iter().map(|changed| changed.name);
        request.focus.extend(news.new.into_iter().map(|item| item.name).chain(changed));
    }
    request.focus.sort();
    request.focus.dedup();
    let why = match (has_pair, request.focus.is_empty()) {
        (false, _) => {
            "it needs an older installed release of a solver: run, for example, `smelt solvers install z3@5.3.0`"
        }
        (true, true) => "no solver has an operator that its previous release lacks",
        (true, false) => return Ok(()),
    };
    Err(Failure::usage(format!("--focus new: {why}")))
}

/// The names that tests should be about. Like the files of strategies, a file is read once.
fn focus(request: &mut CampaignRequest, may_read: bool) -> Result<Focus, Failure> {
    let mut focus = Focus::default();
    for name in &request.focus {
        let path = Path::new(name);
        if !(request.files.contains_key(name) || may_read && path.is_file()) {
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
        return Err(Failure::usage("--focus is empty: name an operator, a theory or a function"));
    }
    Ok(focus)
}

/// The seeds, and the files that are left out.
fn seeds(paths: &[String], most: u64) -> Result<(Vec<SeedText>, Vec<(String, String)>), Failure> {
    if paths.is_empty() {
        return Ok((smelt_campaign::seeds::bundled(), Vec::new()));
    }
    for path in
        paths.iter().map(Path::new).filter(|path| !path.display().to_string().contains(['*', '?', '[']))
    {
        std::fs::metadata(path).map_err(|e| inputs::unreadable(path, &e))?;
    }
    let set = smelt_campaign::seeds::collect(paths, most)?;
    Ok((set.seeds, set.left_out))
}

/// What the live view is called.
fn title(config: &Config) -> String {
    let names: Vec<&str> = config.solvers.iter().map(|s| s.spec.as_str()).collect();
    format!("smelt fuzz  {}  in {}", names.join(" "), config.out.display())
}
