//! The lab: the state that all workers share, and the run of a campaign from start to summary.
//!
//! Workers are threads. They share the source of cases, the time limits, the facts about seeds, the ledger of known
//! bugs and the counters. Each of these has its own locks, which are held only briefly. All results go through one
//! channel to one writer.

use smelt_core::{Event, EventSink};
use smelt_smtlib::logic::Logic;
use smelt_solvers::{Limits, Mode, Profiles};
use smelt_store::{Error, ErrorKind};
use smelt_strategies::{Pool, Recipe};
use smelt_triage::Means;
use smelt_trial::NamedSolver;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, AtomicUsize};
use std::sync::{Arc, mpsc};
use std::time::{Duration, Instant};

use crate::background::{AtWork, Background};
use crate::budget::Budget;
use crate::by_number::ByNumber;
use crate::counters::Counters;
use crate::facts::Seeds;
use crate::focus::Focus;
use crate::ledger::Ledger;
use crate::memory::Place;
use crate::numbers::{Numbers, Shard};
use crate::plan::{Pick, Plan, pool_of};
use crate::preflight::preflight;
use crate::schedule::Schedule;
use crate::seeds::SeedText;
use crate::sink::{Queue, Sink};
use crate::source::{Learning, Source};
use crate::summary::{Summary, UnusableSeed};
use crate::timeouts::{Query, Timeouts};
use crate::worker::Worker;
use crate::writer::{Past, Record, Writer};

/// The settings of a campaign.
#[derive(Clone, Debug)]
pub struct Config {
    /// The seeds.
    pub seeds: Vec<SeedText>,
    /// The solvers.
    pub solvers: Vec<NamedSolver>,
    /// The strategies, with the options that the user gave.
    pub strategies: Vec<Recipe>,
    /// The seed of all random choices.
    pub seed: u64,
    /// The number of workers.
    pub jobs: usize,
    /// The time limit of a query.
    pub timeout: Duration,
    /// The most memory a solver may take, in bytes.
    pub memory: u64,
    /// How long this run takes.
    pub time: Option<Duration>,
    /// How many tests the campaign has, earlier runs and other shards included.
    pub tests: Option<u64>,
    /// The part of the campaign that is run here; only [`Learning::Uniform`] has parts.
    pub shard: Shard,
    /// How long a process of a shared campaign that is made now keeps its numbers without being seen; `None`: as usual.
    pub lease: Option<Duration>,
    /// Where the numbers of cases come from; `None`: from the shard and from what the store says is done.
    pub numbers: Option<Arc<dyn Numbers>>,
    /// What the scheduler learns from.
    pub learning: Learning,
    /// Whether solver processes are reused.
    pub mode: Mode,
    /// The folder of the store, or the address of a shared one.
    pub out: PathBuf,
    /// Whether to continue the campaign in that folder.
    pub resume: bool,
    /// The solvers that findings are examined with in the background; `None` to leave findings unexamined.
    pub triage: Option<Means>,
    /// The profiles of solvers, the user's `smelt.toml` included.
    pub profiles: Profiles,
    /// Files of known issues, besides the one in the folder: the summary leaves these bugs out.
    pub mute: Vec<PathBuf>,
    /// How many mutants of one seed are made in a row; `None`: each case has a seed of its own choice.
    pub per_seed: Option<u64>,
    /// Whether to use a solver that answers no easy query.
    pub go_on: bool,
    /// Names that the cases should be about.
    pub focus: Focus,
    /// The file that keeps outcomes for the next campaign; `None` to ask everything again.
    pub cache: Option<PathBuf>,
    /// A folder to write every case to.
    pub save_cases: Option<PathBuf>,
    /// The command line, kept in the store for resuming.
    pub request: String,
}

/// What all workers share.
pub(crate) struct Lab<'a> {
    pub(crate) config: &'a Config,
    pub(crate) strategies: Vec<Plan>,
    pub(crate) seeds: Seeds,
    /// Where cases come from.
    pub(crate) source: Source,
    /// Which solver is asked, when and for how long.
    pub(crate) timeouts: Timeouts,
    pub(crate) ledger: Ledger,
    pub(crate) counters: Counters,
    pub(crate) budget: Budget<'a>,
    /// By strategy, the class of its first way; used if the strategy needs no seeds.
    way_classes: Vec<usize>,
    pub(crate) limits: Limits,
    /// How many queries a worker runs at a time.
    pub(crate) width: usize,
    /// Where the outcomes of seeds are kept for the next campaign.
    pub(crate) place: Option<Place>,
    pub(crate) events: &'a dyn EventSink,
}

impl Lab<'_> {
    /// The class of the formulas of a pick: the logic of its seed, or the way of its strategy.
    pub(crate) fn class(&self, pick: Pick) -> usize {
        match pick.seed {
            Some(seed) => self.seeds.classes[seed],
            None => self.way_classes[pick.strategy] + pick.way,
        }
    }

    /// Whether a solver's dialect has all of a script: if not, no answer of it counts.
    pub(crate) fn says(&self, solver: usize, script: &[u8]) -> bool {
        self.config.solvers[solver].solver.dialect().says(script)
    }

    /// The limit of a query about a seed itself.
    pub(crate) fn seed_limit(&self, solver: usize, seed: usize) -> Duration {
        let class = self.seeds.classes[seed];
        self.timeouts.limit(Query { solver, class, number: None, seeds: None })
    }
}

/// Runs a campaign until its budget is used up or `stop` is set.
pub fn run(config: &Config, stop: &AtomicBool, events: &dyn EventSink) -> Result<Summary, Error> {
    let started = Instant::now();
    if config.solvers.is_empty() {
        let message =
            "no solver found: put one on PATH, run `smelt solvers install z3@5.4.0`, or use -S builtin";
        return Err(Error::new(ErrorKind::NoSolver, message));
    }
    let place = config.cache.as_deref().map(|path| Place::new(path, &config.solvers, config.mode));
    let lacking = preflight(config, place.as_ref(), events)?;
    let plans = Plan::of(&config.strategies)?;
    let (pool, seeds, unusable) = usable_seeds(config, &plans, events)?;
    if let Some(folder) = &config.save_cases {
        let failed = |e| Error::io(format!("cannot make {}", folder.display()), e);
        std::fs::create_dir_all(folder).map_err(failed)?;
    }
    let sink = Sink::open(config, &plans, &seeds)?;
    let queue = sink.queue(config)?;
    let (writer, past) = Writer::start(sink, config, &plans, &seeds)?;
    let resumed = past.tests;
    let parts = Parts { plans, seeds, pool: &pool, lacking, place };
    let lab = Lab::new(config, parts, past, stop, events);
    events.event(&Event::Started {
        seeds: lab.seeds.texts.len(),
        solvers: config.solvers.iter().map(|c| c.solver.id().to_string()).collect(),
        strategies: lab.strategies.iter().map(|p| p.row.name.to_owned()).collect(),
        seed: config.seed,
        jobs: config.jobs.max(1),
        resumed,
    });
    let write = |inbox, tell| writer.run(&lab, inbox, started, tell);
    let summary = lab.work(pool, write, stop, queue)?;
    Ok(Summary { unusable_seeds: unusable, ..summary })
}

/// The seeds that can be used, if a strategy needs some, with their pool, and those that cannot.
fn usable_seeds(
    config: &Config,
    plans: &[Plan],
    sink: &dyn EventSink,
) -> Result<(Pool, Vec<SeedText>, Vec<UnusableSeed>), Error> {
    let needs_seeds = plans.iter().any(|p| p.row.needs.seeds());
    let (pool, seeds, unusable) = pool_of(if needs_seeds { config.seeds.clone() } else { Vec::new() });
    for (name, why) in &unusable {
        sink.event(&Event::Seed { name: name.clone(), why: why.clone() });
    }
    if seeds.is_empty() && needs_seeds {
        let first = unusable.first().map(|(name, why)| format!(" ({name} {why})")).unwrap_or_default();
        let message = format!("no usable seed among {} files{first}", config.seeds.len());
        return Err(Error::new(ErrorKind::NoSeed, message));
    }
    let unusable = unusable.into_iter().map(|(seed, why)| UnusableSeed { seed, why }).collect();
    Ok((pool, seeds, unusable))
}

/// What a lab is made of, besides its configuration.
struct Parts<'p> {
    plans: Vec<Plan>,
    seeds: Vec<SeedText>,
    pool: &'p Pool,
    lacking: Vec<Vec<Logic>>,
    place: Option<Place>,
}

impl<'a> Lab<'a> {
    /// The lab of a campaign, with what earlier runs left.
    fn new(
        config: &'a Config,
        parts: Parts<'_>,
        mut past: Past,
        stop: &'a AtomicBool,
        events: &'a dyn EventSink,
    ) -> Lab<'a> {
        let Parts { plans, seeds, pool, lacking, place } = parts;
        let source = source(config, &plans, &seeds, pool, &mut past);
        let (seeds, mut classes) = Seeds::new(seeds, pool, past.probed, lacking);
        let mut way_classes = Vec::new();
        for plan in &plans {
            way_classes.push(classes);
            classes += plan.ways.len();
        }
        let give_up = config.solvers.iter().map(|named| named.solver.gives_up());
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        Lab {
            config,
            way_classes,
            timeouts: Timeouts::new(config.learning, config.timeout, give_up, classes),
            source,
            // Where numbers end, they are the budget.
            budget: Budget::new(stop, config.time, config.tests.filter(|_| !past.numbers_end), past.tests),
            limits: Limits { memory: config.memory, ..Limits::within(config.timeout) },
            width: (cores / config.jobs.max(1)).clamp(1, config.solvers.len()),
            place,
            ledger: past.ledger,
            counters: Counters::default(),
            events,
            strategies: plans,
            seeds,
        }
    }

    /// Lets workers and the background work until all are done; `write` takes their results on this thread.
    fn work(
        &self,
        pool: Pool,
        write: impl FnOnce(mpsc::Receiver<Record>, mpsc::Sender<String>) -> Result<Summary, Error>,
        stop: &AtomicBool,
        queue: Queue,
    ) -> Result<Summary, Error> {
        let jobs = self.config.jobs.max(1);
        let (results, inbox) = mpsc::sync_channel::<Record>(4096);
        let (tell, found) = mpsc::channel();
        let working = AtomicUsize::new(jobs);
        std::thread::scope(|scope| {
            let working = &working;
            let mut workers = Vec::new();
            let mut first = Some(pool);
            for _ in 0..jobs {
                let (results, first) = (results.clone(), first.take());
                workers.push(scope.spawn(move || {
                    let _at_work = AtWork(working);
                    let pool = first.unwrap_or_else(|| pool_of(self.seeds.texts.clone()).0);
                    let is_over = || self.budget.is_over();
                    let work = || Worker::new(self, pool, results, &is_over).and_then(Worker::run);
                    self.budget.unless_abandoned(work).unwrap_or(Ok(())).inspect_err(|_| self.budget.abort())
                }));
            }
            if let Some(means) = &self.config.triage {
                let results = results.clone();
                let background = Background { lab: self, means, working, stop, results, found };
                workers.push(scope.spawn(move || background.run(queue)));
            }
            drop(results);
            let written = write(inbox, tell).inspect_err(|_| self.budget.abort());
            let join = |worker: std::thread::ScopedJoinHandle<'_, Result<(), Error>>| {
                worker.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
            };
            let worked = workers.into_iter().map(join).fold(Ok(()), Result::and);
            written.and_then(|summary| worked.map(|()| summary))
        })
    }
}

/// The source of a campaign's cases, with what earlier runs learned.
fn source(config: &Config, plans: &[Plan], seeds: &[SeedText], pool: &Pool, past: &mut Past) -> Source {
    let (seed, numbers) = (config.seed, past.numbers.clone());
    let learns = match config.learning {
        Learning::Full => true,
        Learning::Repeatable => false,
        Learning::Uniform => {
            let in_focus = seeds.iter().map(|s| config.focus.is_met(&s.text));
            return Source::by_number(seed, numbers, ByNumber::new(seed, plans, in_focus, config.per_seed));
        }
    };
    let mut schedule = Schedule::new(learns, plans, seeds, pool, &config.focus);
    schedule.restore(past.counts.drain(..));
    Source::learned(seed, numbers, std::mem::take(&mut past.turns), (schedule, !learns))
}
