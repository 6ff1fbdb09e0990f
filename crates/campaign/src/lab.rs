//! The lab: the state that all workers share, and the run of a campaign from start to summary.
//!
//! Workers are threads that share only atomic counters and, for rare events, two locks: the facts about a seed
//! ([`Lab::facts`], set once) and the known findings ([`Lab::ledger`], read when the oracle makes a claim).
//! All results go through one channel to one writer.

use smelt_core::{Event, EventSink, Outcome, OutcomeKind, Verdict};
use smelt_smtlib::logic::Logic;
use smelt_solvers::{Limits, Mode, Profiles};
use smelt_strategies::{Pool, Recipe, Skip};
use std::collections::{BTreeMap, HashMap, HashSet};
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, AtomicUsize, Ordering::Relaxed};
use std::sync::{Arc, Mutex, OnceLock, mpsc};
use std::time::{Duration, Instant};

use crate::background::{AtWork, Background};
use crate::budget::{Budget, Patience};
use crate::deal::Deal;
use crate::entry::{Entry, Task};
use crate::focus::{Focus, IN_FOCUS};
use crate::ledger::Ledger;
use crate::link::{Examining, Link};
use crate::memory::Place;
use crate::numbering::Turns;
use crate::numbers::{Numbers, Shard};
use crate::operators::Operators;
use crate::payoff::{Payoff, Squeeze};
use crate::plan::{Plan, Way, pool_of};
use crate::preflight::preflight;
use crate::schedule::{Candidate, Learning, Schedule};
use crate::seeds::SeedText;
use crate::subject::Subjects;
use crate::summary::{Summary, UnusableSeed};
use crate::worker::{Worker, is_stopped};
use crate::worth;
use crate::writer::{Call, Past, Record, Writer};
use smelt_store::Store;
use smelt_store::{Error, ErrorKind};
use smelt_triage::Means;
use smelt_trial::NamedSolver;

/// Queries that get more time than pays and are stopped take one part in this many of all time.
const LONG_SHARE: u64 = 100;
/// How many behaviours are remembered.
const BEHAVIOURS: usize = 1 << 16;

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
    /// How long this run goes on.
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
    /// Whether to go on with the campaign in that folder.
    pub resume: bool,
    /// The solvers that findings are examined with in the background; `None` to leave findings unexamined.
    pub triage: Option<Means>,
    /// The profiles of solvers, the user's `smelt.toml` included.
    pub profiles: Profiles,
    /// Files of known issues, besides the one in the folder: the summary leaves these bugs out.
    pub mute: Vec<PathBuf>,
    /// How many mutants of one seed are made in a row; `None`: each case has a seed of its own choice.
    pub per_seed: Option<u64>,
    /// Whether a solver that answers no easy question is used all the same.
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

/// The facts about a seed, once the seed itself was run.
#[derive(Debug, Default)]
pub(crate) struct Facts {
    /// The outcome of each solver on it.
    pub(crate) outcomes: Vec<Option<Outcome>>,
    /// Its status, if there is evidence for it.
    pub(crate) status: Option<Verdict>,
    /// Models of it that our evaluator finds true.
    pub(crate) models: Vec<String>,
}

/// Counts of reasons, for the summary.
#[derive(Debug, Default)]
pub(crate) struct Reasons {
    /// By solver and kind of outcome: the first line of its message.
    pub(crate) outcomes: BTreeMap<(usize, OutcomeKind), BTreeMap<String, u64>>,
    /// By strategy.
    pub(crate) skipped: BTreeMap<usize, BTreeMap<Skip, u64>>,
}

/// How often a solver refused formulas of a logic.
#[derive(Debug, Default)]
pub(crate) struct Refusals {
    pub(crate) asked: AtomicU32,
    pub(crate) refused: AtomicU32,
}

/// What all workers share.
pub(crate) struct Lab<'a> {
    pub(crate) config: &'a Config,
    pub(crate) strategies: Vec<Plan>,
    pub(crate) seeds: Vec<SeedText>,
    /// The numbers of the cases.
    pub(crate) cases: Arc<dyn Numbers>,
    /// Which case a number is, where nothing else decides that.
    pub(crate) deal: Option<Deal>,
    /// By strategy and way, the next numbers, if numbers are given out in order.
    pub(crate) numbers: Vec<Vec<Turns>>,
    pub(crate) unusable: Vec<UnusableSeed>,
    /// For each seed, the number of its logic.
    pub(crate) logics: Vec<usize>,
    /// For each strategy, the logic number of its first way; used if the strategy needs no seeds.
    pub(crate) way_logics: Vec<usize>,
    pub(crate) schedule: Schedule,
    pub(crate) budget: Budget<'a>,
    pub(crate) patience: Patience,
    pub(crate) limits: Limits,
    /// How many queries a worker runs at a time.
    pub(crate) width: usize,
    pub(crate) facts: Vec<OnceLock<Facts>>,
    /// Where the outcomes of seeds are kept for the next campaign.
    pub(crate) place: Option<Place>,
    /// Seeds that were run themselves in an earlier run: their findings are stored.
    pub(crate) probed: Vec<bool>,
    /// By solver: theories of which it had no answer to an easy question.
    pub(crate) lacking: Vec<Vec<Logic>>,
    /// By seed: the theories that it uses, if that is known.
    pub(crate) uses: Vec<Option<Logic>>,
    pub(crate) operators: Operators,
    /// By solver and logic.
    pub(crate) payoffs: Vec<Vec<Payoff>>,
    /// By solver, over all logics.
    pub(crate) payoffs_of_all: Vec<Payoff>,
    /// By solver.
    pub(crate) squeezes: Vec<Squeeze>,
    /// By solver and logic.
    pub(crate) refusals: Vec<Vec<Refusals>>,
    pub(crate) ledger: Ledger,
    /// How solvers behaved so far, by a hash.
    pub(crate) behaviours: Mutex<HashSet<u64>>,
    /// Why solvers rejected cases, and why strategies made none, with counts.
    pub(crate) reasons: Mutex<Reasons>,
    /// CPU time of all queries, and of those that got more time than pays and were stopped all the same, in microseconds.
    pub(crate) spent_us: AtomicU64,
    pub(crate) wasted_us: AtomicU64,
    /// Whether a worker gave up because no strategy made another case.
    pub(crate) out_of_cases: AtomicBool,
    /// Time in which a worker had a solver running, and the total time of all workers, in microseconds.
    pub(crate) busy_us: AtomicU64,
    pub(crate) worked_us: AtomicU64,
    pub(crate) sink: &'a dyn EventSink,
}

impl Lab<'_> {
    /// The status of a seed that evidence backs, once the seed was run: a label alone is none.
    pub(crate) fn status(&self, seed: usize) -> Option<Verdict> {
        self.facts[seed].get()?.status
    }

    /// What solvers say of a seed, once it was run: its status, or else the one answer that any of them gives.
    pub(crate) fn answer(&self, seed: usize) -> Option<Verdict> {
        let facts = self.facts[seed].get()?;
        let said = |v: Verdict| facts.outcomes.iter().flatten().any(|o| o.kind.verdict() == Some(v));
        facts.status.or(match (said(Verdict::Sat), said(Verdict::Unsat)) {
            (true, false) => Some(Verdict::Sat),
            (false, true) => Some(Verdict::Unsat),
            _ => None,
        })
    }

    /// Whether to put a case to a solver: a solver that refuses a logic is asked only now and then.
    pub(crate) fn asks(&self, solver: usize, logic: usize, number: u64) -> bool {
        if self.deal.is_some() {
            return true;
        }
        let Refusals { asked, refused } = &self.refusals[solver][logic];
        let (asked, refused) = (asked.load(Relaxed), refused.load(Relaxed));
        asked < 8 || u64::from(refused) * 10 < u64::from(asked) * 9 || number.is_multiple_of(16)
    }

    /// The limit that pays for a solver on formulas of a logic; while little is known of the logic, on all formulas.
    pub(crate) fn pays(&self, solver: usize, logic: usize) -> Duration {
        let of_logic = &self.payoffs[solver][logic];
        let known = if of_logic.is_known() { of_logic } else { &self.payoffs_of_all[solver] };
        self.squeezes[solver].limit(known.limit().unwrap_or(self.patience.most), known.usual())
    }

    /// Counts the time of queries.
    pub(crate) fn note_spent(&self, entry: &Entry, calls: &[Call]) {
        let is_long = matches!(entry.task, Task::Case { number, .. } if Patience::is_long(number));
        for call in calls {
            let time = call.cpu.as_micros() as u64;
            self.spent_us.fetch_add(time, Relaxed);
            let is_stopped = is_stopped(call.kind);
            self.squeezes[call.solver].learn(call.cpu, is_stopped);
            if is_long && is_stopped {
                self.wasted_us.fetch_add(time, Relaxed);
            }
        }
    }

    /// The limit of a query that gets more time than pays: stopping such queries takes a small share of all time.
    pub(crate) fn allowance(&self) -> Duration {
        let allowed = self.spent_us.load(Relaxed) / LONG_SHARE;
        Duration::from_micros(allowed.saturating_sub(self.wasted_us.load(Relaxed)))
    }

    /// Whether a seed uses a theory that a solver does not have.
    pub(crate) fn lacks(&self, solver: usize, seed: usize) -> bool {
        let uses = self.uses[seed].unwrap_or(Logic::NONE);
        self.lacking[solver].iter().any(|theory| uses.covers(*theory))
    }

    /// Whether a solver's dialect has all of a script: if not, no answer of it counts.
    pub(crate) fn says(&self, solver: usize, script: &[u8]) -> bool {
        self.config.solvers[solver].solver.dialect().says(script)
    }

    /// Counts why a solver rejected a case, or said unknown.
    pub(crate) fn note_reason(&self, solver: usize, kind: OutcomeKind, message: &str) {
        // Places in the script and names differ from case to case.
        let line = message.lines().next().unwrap_or_default();
        let words = line.split_whitespace().filter(|w| !w.contains(|c: char| c.is_ascii_digit()));
        let reason: String = words.collect::<Vec<_>>().join(" ").chars().take(100).collect();
        let mut reasons = self.reasons.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        let of_solver = reasons.outcomes.entry((solver, kind)).or_default();
        if of_solver.len() < 1_000 || of_solver.contains_key(&reason) {
            *of_solver.entry(reason).or_default() += 1;
        }
    }

    /// Whether solvers never behaved like this on formulas of this kind: what each did, and how long it took, roughly. That
    /// one was stopped tells more of its limit than of itself.
    pub(crate) fn is_new_behaviour(&self, logic: usize, outcomes: &[Option<Outcome>]) -> bool {
        if outcomes.iter().flatten().any(|outcome| is_stopped(outcome.kind)) {
            return false;
        }
        let mut text = logic.to_string();
        for outcome in outcomes.iter().flatten() {
            // Times fall into classes, each four times as long as the one before.
            let class = outcome.usage.time().as_millis().checked_ilog2().map_or(0, |log| log / 2 + 1);
            text.push_str(&format!(" {} {class}", outcome.kind));
        }
        let mut seen = self.behaviours.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        seen.len() < BEHAVIOURS && seen.insert(smelt_core::SeedHash::of(text.as_bytes()).0)
    }

    /// The commonest reason why a solver rejected cases, or said unknown, in this run.
    pub(crate) fn commonest_reason(&self, solver: usize, kind: OutcomeKind) -> Option<String> {
        let reasons = self.reasons.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        let counts = reasons.outcomes.get(&(solver, kind))?;
        counts.iter().max_by_key(|(_, n)| **n).map(|(reason, _)| reason.clone())
    }

    /// Counts why a strategy made no case.
    pub(crate) fn note_skip(&self, strategy: usize, skip: Skip) {
        let mut reasons = self.reasons.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        *reasons.skipped.entry(strategy).or_default().entry(skip).or_default() += 1;
    }

    pub(crate) fn share(&self) -> f64 {
        let worked = self.worked_us.load(Relaxed);
        if worked == 0 { 1.0 } else { self.busy_us.load(Relaxed) as f64 / worked as f64 }
    }
}

/// Runs a campaign until its budget is used up or `stop` is set.
pub fn run(config: &Config, stop: &AtomicBool, sink: &dyn EventSink) -> Result<Summary, Error> {
    let started = Instant::now();
    if config.solvers.is_empty() {
        let message =
            "no solver found: put one on PATH, run `smelt solvers install z3@5.4.0`, or use -S builtin";
        return Err(Error::new(ErrorKind::NoSolver, message));
    }
    let place = config.cache.as_deref().map(|path| Place::new(path, &config.solvers, config.mode));
    let lacking = preflight(config, place.as_ref(), sink)?;
    let plans = Plan::of(&config.strategies)?;
    let (pool, seeds, unusable) = usable_seeds(config, &plans, sink)?;
    if let Some(folder) = &config.save_cases {
        let failed = |e| Error::io(format!("cannot make {}", folder.display()), e);
        std::fs::create_dir_all(folder).map_err(failed)?;
    }
    let (store, link) = open(config, &plans, &seeds)?;
    let with_link;
    let config = match &link {
        Some(link) => {
            with_link = Config { numbers: Some(link.numbers()), ..config.clone() };
            &with_link
        }
        None => config,
    };
    let examining = link.as_ref().map(Link::examining);
    let (writer, mut past) = Writer::start(store, config, &plans, &seeds, link)?;
    let lab =
        Lab { place, lacking, unusable, ..Lab::new(config, plans, seeds, &pool, &mut past, stop, sink) };
    sink.event(&Event::Started {
        seeds: lab.seeds.len(),
        solvers: config.solvers.iter().map(|c| c.solver.id().to_string()).collect(),
        strategies: lab.strategies.iter().map(|p| p.row.name.to_owned()).collect(),
        seed: config.seed,
        jobs: config.jobs.max(1),
        resumed: past.tests,
    });
    lab.work(pool, |inbox, tell| writer.run(&lab, inbox, started, tell), stop, examining)
}

/// Opens or makes the store. A shared one is joined.
#[cfg_attr(not(feature = "postgres"), expect(unused_variables, reason = "only a link needs plans"))]
fn open(config: &Config, plans: &[Plan], seeds: &[SeedText]) -> Result<(Store, Option<Link>), Error> {
    #[cfg(feature = "postgres")]
    if let Some(address) = smelt_store::shared::Address::of(&config.out) {
        let address = address?;
        let store = match config.resume {
            true => Store::open_shared(&address)?,
            false => crate::link::create(&address, &config.seeds, config.lease)?,
        };
        let link = Link::start(&address, &store, config, plans)?;
        return Ok((store, Some(link)));
    }
    let mut store = if config.resume { Store::resume(&config.out)? } else { Store::create(&config.out)? };
    let status = |s: &SeedText| s.status.or(s.stated()).map(Verdict::as_str);
    store.add_seeds(seeds.iter().map(|s| (s.hash.to_string(), s.name.as_str(), status(s))))?;
    Ok((store, None))
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

impl<'a> Lab<'a> {
    /// The lab of a campaign, with what earlier runs left.
    fn new(
        config: &'a Config,
        plans: Vec<Plan>,
        seeds: Vec<SeedText>,
        pool: &Pool,
        past: &mut Past,
        stop: &'a AtomicBool,
        sink: &'a dyn EventSink,
    ) -> Lab<'a> {
        let (logics, mut logic_count) = logics(pool, seeds.len());
        let mut way_logics = Vec::new();
        for plan in &plans {
            way_logics.push(logic_count);
            logic_count += plan.ways.len();
        }
        let numbered = config.learning == Learning::Uniform;
        let is_free = config.focus.is_empty();
        let worth = |way: &Way| if is_free { worth::of_way(&way.text) } else { 1.0 };
        let arm = |p: &Plan| (worth::of_strategy(p.row.name), p.ways.iter().map(worth).collect());
        let arms: Vec<(f64, Vec<f64>)> = plans.iter().map(arm).collect();
        let candidate = |s: &SeedText| Candidate {
            bytes: s.text.len(),
            worth: if config.focus.is_met(&s.text) { IN_FOCUS as f64 } else { 1.0 },
        };
        let candidates: Vec<Candidate> = seeds.iter().map(candidate).collect();
        let subjects = match is_free {
            true => Subjects::new(pool, seeds.len()),
            false => Subjects::one(seeds.len()),
        };
        let schedule = Schedule::new(config.learning, &arms, &candidates, subjects);
        schedule.restore(&past.strategy_arms, &past.seed_arms);
        for (strategy, kept) in past.kept.iter().enumerate() {
            for (way, kept) in kept.iter().enumerate() {
                schedule.restore_way(strategy, way, kept.counts);
            }
        }
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        let refusals = || (0..logic_count).map(|_| Refusals::default()).collect();
        let payoff = |named: &NamedSolver| Payoff::new(named.solver.gives_up());
        Lab {
            config,
            logics,
            way_logics,
            cases: past.numbers.clone(),
            deal: numbered.then(|| {
                let in_focus = seeds.iter().map(|s| config.focus.is_met(&s.text));
                Deal::new(config.seed, &plans, in_focus, config.per_seed)
            }),
            numbers: std::mem::take(&mut past.turns),
            schedule,
            // Where cases are functions of their numbers, and where processes share them, the numbers end.
            budget: {
                let numbers_end = numbered || config.numbers.is_some();
                Budget::new(stop, config.time, config.tests.filter(|_| !numbers_end), past.tests)
            },
            patience: if numbered {
                Patience::even(config.timeout)
            } else {
                Patience::learned(config.timeout, seeds.len())
            },
            limits: Limits { memory: config.memory, ..Limits::within(config.timeout) },
            width: (cores / config.jobs.max(1)).clamp(1, config.solvers.len()),
            facts: seeds.iter().map(|_| OnceLock::new()).collect(),
            place: None,
            unusable: Vec::new(),
            lacking: Vec::new(),
            uses: pool
                .ids()
                .take(seeds.len())
                .map(|id| Logic::used(pool.arena(), &pool.seed(id).script))
                .collect(),
            probed: std::mem::take(&mut past.probed),
            operators: Operators::new(),
            payoffs: config
                .solvers
                .iter()
                .map(|named| (0..logic_count).map(|_| payoff(named)).collect())
                .collect(),
            payoffs_of_all: config.solvers.iter().map(payoff).collect(),
            squeezes: config.solvers.iter().map(|_| Squeeze::default()).collect(),
            refusals: config.solvers.iter().map(|_| refusals()).collect(),
            ledger: std::mem::take(&mut past.ledger),
            behaviours: Mutex::default(),
            reasons: Mutex::default(),
            spent_us: AtomicU64::new(0),
            wasted_us: AtomicU64::new(0),
            out_of_cases: AtomicBool::new(false),
            busy_us: AtomicU64::new(0),
            worked_us: AtomicU64::new(0),
            sink,
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
        examining: Option<Examining>,
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
                    let pool = first.unwrap_or_else(|| pool_of(self.seeds.clone()).0);
                    let is_over = || self.budget.is_over();
                    let worker = Worker::new(self, pool, results, &is_over);
                    worker.and_then(Worker::run).inspect_err(|_| self.budget.abort())
                }));
            }
            if let Some(means) = &self.config.triage {
                let results = results.clone();
                let background = Background { lab: self, means, working, stop, results, found, examining };
                workers.push(scope.spawn(move || background.run()));
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

/// The logic of each seed as a number, and how many there are.
fn logics(pool: &Pool, seeds: usize) -> (Vec<usize>, usize) {
    let mut numbers: HashMap<Vec<u8>, usize> = HashMap::new();
    let ids = pool.ids().take(seeds);
    let list = ids
        .map(|id| {
            let logic = pool.seed(id).script.logic().map(|l| pool.arena().text(l).to_vec());
            let next = numbers.len();
            *numbers.entry(logic.unwrap_or_default()).or_insert(next)
        })
        .collect();
    (list, numbers.len())
}
