//! The search: breeds and measures generations, while another thread confirms candidates.

use serde::Serialize;
use smelt_core::{Event, EventSink, FindingRow, Kind, Progress};
use smelt_strategies::evolve::{Breeder, Theory, complexity_of, select, tournament};
use smelt_strategies::{Rng, case_seed};
use std::collections::HashSet;
use std::path::PathBuf;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::time::{Duration, Instant};

use super::candidates::Candidates;
use super::confirm::{Confirmed, Confirmer};
use super::coverage::Coverage;
use super::individual::Individual;
use super::lacking;
use super::measure::{Notes, Stopwatch, Who};
use super::paper::{breed, chance, mating, merge};
use super::score::{Crowding, Objective, Ranking, Selection, rank, time_score};
use super::state::{Generation, Recorded, State};
use crate::EVOLVE;
use smelt_store::{Batch, Store};
use smelt_store::{Error, ErrorKind};
use smelt_trial::{IsOver, NamedSolver, lock};

/// Where a search starts.
#[derive(Clone, Debug)]
pub enum Start {
    /// From random formulas of a theory.
    Theory(&'static Theory),
    /// From scripts: name and text.
    Seeds(Vec<(String, Vec<u8>)>),
}

/// The settings of a search.
pub struct Config {
    /// Where it starts.
    pub start: Start,
    /// The solvers that are to be slow, at least one. Coverage and findings are those of the first.
    pub targets: Vec<NamedSolver>,
    /// The solvers of which one is to be fast, at least one.
    pub references: Vec<NamedSolver>,
    /// Other releases, to see whether earlier ones were faster.
    pub releases: Vec<NamedSolver>,
    /// The objectives to maximise.
    pub objectives: Vec<Objective>,
    /// How individuals of equal rank are ordered.
    pub crowding: Crowding,
    /// How the next generation is chosen.
    pub selection: Selection,
    /// Observes how the target works on a script.
    pub coverage: Option<Box<dyn Coverage + Send>>,
    /// Individuals in a generation.
    pub population: usize,
    /// The chance that two parents are crossed.
    pub crossover: f64,
    /// The chance that a child is mutated.
    pub mutation: f64,
    /// The seed of all random choices.
    pub seed: u64,
    /// Solvers at one time.
    pub jobs: usize,
    /// CPU time of a solver in the search.
    pub timeout: Duration,
    /// CPU time in which the target must not end either.
    pub confirm: Duration,
    /// CPU time in which the reference must be done.
    pub at_once: Duration,
    /// The most memory a solver may take, in bytes.
    pub memory: u64,
    /// How long this run takes, including confirmations.
    pub time: Option<Duration>,
    /// How many generations there are, earlier runs included.
    pub generations: Option<u64>,
    /// The folder of the store.
    pub out: PathBuf,
    /// Whether to continue the search in that folder.
    pub resume: bool,
    /// The command line, kept for resuming.
    pub request: String,
    /// A file for what was measured and kept in each generation.
    pub record: Option<PathBuf>,
}

/// The results of a search.
#[derive(Clone, Debug, Serialize)]
pub struct Summary {
    /// Generations, earlier runs included.
    pub generations: u64,
    /// Individuals measured.
    pub evaluations: u64,
    /// Solver runs.
    pub solver_calls: u64,
    /// Time, earlier runs included.
    pub wall_s: f64,
    /// Lines that were ever covered.
    pub total_lines: usize,
    /// Lines covered by an individual of the last population, on average.
    pub mean_lines: f64,
    /// Mean time score of the last population.
    pub mean_time_score: f64,
    /// Individuals of the last population that the target does not finish.
    pub timeouts: usize,
    /// Mean complexity of the last population.
    pub population_complexity: f64,
    /// Timeouts that do not count: a busy machine kept the target from its CPU time.
    pub starved: u64,
    /// Scripts that the target did not finish and the reference did at once.
    pub candidates: u64,
    /// Kinds of candidates that were not confirmed in time.
    pub waiting: usize,
    /// The simplest candidate of each of these kinds, as a file, and its operators.
    pub unconfirmed: Vec<(String, String)>,
    /// Confirmed findings that did not end within the longer limit.
    pub hangs: usize,
    /// The confirmed findings.
    pub confirmed: Vec<Confirmed>,
    /// Mean complexity of the confirmed findings.
    pub mean_complexity: f64,
    /// Scripts that ended within the longer limit.
    pub slow: usize,
    /// The findings in the form that other programs read.
    pub findings: Vec<FindingRow>,
    /// The seed of all random choices.
    pub seed: u64,
    /// The folder of the store.
    pub out: String,
}

/// How often a child is bred again if its text was measured before.
const TRIES: usize = 8;
/// One in this many children that only repeat a known bug is measured unchanged.
const KNOWN: usize = 6;
/// With this many kinds of promising candidates for each job, confirming comes before searching.
const CROWDED: usize = 2;
/// A start population is discarded if a solver refuses more than this share of it.
const REFUSED: f64 = 0.9;
/// The share of the time that is reserved for confirming, with one job and with several.
const RESERVE: (f64, f64) = (0.4, 0.3);

/// Searches until the time is up or `stop` is set.
pub fn run(config: &Config, stop: &AtomicBool, sink: &dyn EventSink) -> Result<Summary, Error> {
    let started = Instant::now();
    let (breeder, seeds) = start(config, sink)?;
    let (store, mut state) = open(config)?;
    if state.generation > 0 {
        sink.event(&Event::note(format!("continuing after generation {}", state.generation)));
    }
    let candidates = Mutex::new(std::mem::take(&mut state.candidates));
    let store = Mutex::new(store);
    let calls = AtomicU64::new(state.calls);
    let notes = Notes::new(sink);
    let searched = AtomicBool::new(false);
    let wall_before = state.wall_s;
    let is_out = || stop.load(Relaxed) || config.time.is_some_and(|t| started.elapsed() >= t);
    // A confirmation that cannot end in time is not started.
    let has_time = || config.time.is_none_or(|t| started.elapsed() + config.confirm.mul_f64(1.1) < t);
    let is_over: IsOver<'_> = &|| is_out() || is_reserved(config, started, lock(&candidates).free());
    let confirmer = Confirmer {
        config,
        store: &store,
        candidates: &candidates,
        sink,
        is_over: &is_out,
        has_time: &has_time,
    };
    let mut search = Search {
        config,
        breeder,
        state,
        candidates: &candidates,
        stopwatch: Stopwatch {
            targets: &config.targets,
            references: &config.references,
            timeout: config.timeout,
            at_once: config.at_once,
            memory: config.memory,
            coverage: config.coverage.as_deref().map(|c| c as &dyn Coverage),
            is_over,
            notes: &notes,
            calls: &calls,
            told: Default::default(),
        },
        sink,
        seeds,
        seen: HashSet::new(),
        wall: &|| wall_before + started.elapsed().as_secs_f64(),
    };
    let result = std::thread::scope(|scope| {
        let beside = (config.jobs > 1).then(|| scope.spawn(|| confirmer.work(&|| searched.load(Relaxed))));
        let bred = lacking::leave_out(config, &mut search.breeder, is_over, sink);
        let result = bred.and_then(|()| search.begin()).and_then(|()| {
            loop {
                let more = search.go()?;
                if more && !is_over() {
                    confirmer.catch_up()?;
                    continue;
                }
                let count = lock(&candidates).free();
                if count > 0 && !is_out() && has_time() {
                    let seconds = config.time.map(|t| t.saturating_sub(started.elapsed()).as_secs());
                    sink.event(&Event::Phase {
                        doing: "confirming",
                        count,
                        of: "kinds of candidates",
                        seconds,
                    });
                    confirmer.work(&|| true)?;
                }
                // Candidates that cannot be confirmed in time need not be bred.
                if !more || is_out() || !has_time() {
                    return Ok(());
                }
            }
        });
        searched.store(true, Relaxed);
        let mut results = vec![result];
        if let Some(thread) = beside {
            results.push(thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)));
        }
        results.into_iter().collect::<Result<(), Error>>()
    });
    let mut state = search.state;
    let store = store.into_inner().unwrap_or_else(|poisoned| poisoned.into_inner());
    let has_begun = config.resume || !state.population.is_empty();
    match result {
        Err(e) if !has_begun => {
            store.discard();
            return Err(e);
        }
        result => {
            state.calls = calls.load(Relaxed);
            state.wall_s = wall_before + started.elapsed().as_secs_f64();
            state.candidates = lock(&candidates).clone();
            state.save(&config.out)?;
            result?;
        }
    }
    summary(config, &state, &store)
}

/// Whether the rest of the time is needed to confirm this many candidates.
fn is_reserved(config: &Config, started: Instant, free: usize) -> bool {
    let Some(time) = config.time else { return false };
    let share = if config.jobs > 1 { RESERVE.1 } else { RESERVE.0 };
    let needed = config.confirm.mul_f64(1.5) * (free as u32).div_ceil(config.jobs.max(1) as u32);
    started.elapsed() + needed.min(time.mul_f64(share)) >= time
}

/// What breeds, and the individuals it begins with; seeds that cannot be used are named.
fn start(config: &Config, sink: &dyn EventSink) -> Result<(Breeder, Vec<Vec<u8>>), Error> {
    let usage = |message: String| Error::new(ErrorKind::Usage, message);
    let (breeder, seeds, left_out) = match &config.start {
        Start::Theory(theory) => (Breeder::of_theory(theory).map_err(usage)?, Vec::new(), Vec::new()),
        Start::Seeds(seeds) => Breeder::of_seeds(seeds).map_err(|e| Error::new(ErrorKind::NoSeed, e))?,
    };
    for (name, why) in left_out {
        sink.event(&Event::Seed { name, why });
    }
    Ok((breeder, seeds))
}

/// The store of a search, new or resumed, and the facts about the search.
fn open(config: &Config) -> Result<(Store, State), Error> {
    let (mut store, state) = match config.resume {
        true => (Store::resume(&config.out)?, State::load(&config.out)?),
        false => (Store::create(&config.out)?, State::default()),
    };
    let seed = config.seed.to_string();
    let about = [(EVOLVE, config.request.as_str()), ("seed", &seed), ("smelt", env!("CARGO_PKG_VERSION"))];
    let values = about.map(|(key, value)| (key.into(), value.to_owned())).into();
    store.write(&Batch { values, ..Batch::default() })?;
    Ok((store, state))
}

struct Search<'a> {
    config: &'a Config,
    breeder: Breeder,
    state: State,
    candidates: &'a Mutex<Candidates>,
    stopwatch: Stopwatch<'a>,
    sink: &'a dyn EventSink,
    /// The seeds; empty if the search starts from random formulas.
    seeds: Vec<Vec<u8>>,
    /// Texts that were measured in this run.
    seen: HashSet<Vec<u8>>,
    wall: &'a dyn Fn() -> f64,
}

impl Search<'_> {
    /// Makes the first generation, unless a resumed search has one.
    fn begin(&mut self) -> Result<(), Error> {
        let texts = self.state.population.iter().map(|i| i.text.clone().into_bytes());
        self.seen.extend(texts);
        if self.state.population.is_empty() {
            let mut rng = self.rng(0);
            let start = self.start(&mut rng);
            let first = self.evaluate(start, &mut rng, true)?;
            self.close(first)?;
        }
        Ok(())
    }

    /// Breeds generations until it is time to confirm or many candidates wait; returns whether more generations are
    /// possible.
    fn go(&mut self) -> Result<bool, Error> {
        let wanted = |s: &State| self.config.generations.is_none_or(|n| s.generation < n);
        while !(self.stopwatch.is_over)() && wanted(&self.state) {
            self.sink.wait_while_paused(self.stopwatch.is_over);
            let mut rng = self.rng(self.state.generation);
            let children = self.offspring(&mut rng);
            if children.is_empty() {
                let message = "the population cannot produce any new formula".to_owned();
                self.sink.event(&Event::note(message));
                return Ok(false);
            }
            let measured = self.evaluate(children, &mut rng, false)?;
            self.close(measured)?;
            // Confirmed findings lead the search elsewhere; without them it breeds more of the same.
            if lock(self.candidates).promising() >= self.config.jobs * CROWDED {
                break;
            }
        }
        Ok(wanted(&self.state))
    }

    fn rng(&self, generation: u64) -> Rng {
        Rng::new(case_seed(self.config.seed, EVOLVE, generation))
    }

    /// The first generation: the seeds, or a random choice of them, filled up with random formulas or mutated seeds.
    fn start(&mut self, rng: &mut Rng) -> Vec<Vec<u8>> {
        let n = self.config.population;
        let mut order: Vec<usize> = (0..self.seeds.len()).collect();
        rng.shuffle(&mut order);
        let mut start = Vec::new();
        for i in order.into_iter().take(n) {
            let seed = self.seeds[i].clone();
            if self.seen.insert(seed.clone()) {
                start.push(seed);
            }
        }
        for _ in 0..n * TRIES {
            if start.len() >= n {
                break;
            }
            let new = self.fresh(rng);
            start.extend(new.filter(|t| self.seen.insert(t.clone())));
        }
        start
    }

    /// A script that is not bred from the population: a random formula, or a mutated seed.
    fn fresh(&mut self, rng: &mut Rng) -> Option<Vec<u8>> {
        match rng.pick(&self.seeds) {
            Some(seed) => self.breeder.mutate(seed, rng).map(|m| m.0),
            None => self.breeder.random(rng),
        }
    }

    /// Measures and scores scripts. Leaves out those that a solver refuses and those that were not run in time.
    fn evaluate(
        &mut self,
        texts: Vec<Vec<u8>>,
        rng: &mut Rng,
        first: bool,
    ) -> Result<Vec<Individual>, Error> {
        let scripts: Vec<&[u8]> = texts.iter().map(|t| &t[..]).collect();
        // While candidates wait, one job is busy confirming them.
        let beside = usize::from(lock(self.candidates).is_busy());
        let measured =
            self.stopwatch.measure(&scripts, self.config.jobs.saturating_sub(beside).max(1), rng)?;
        let refused = measured.iter().filter(|m| m.refused.is_some()).count();
        if let Some((who, why)) = measured.iter().find_map(|m| m.refused.as_ref()) {
            let (who, whom, about) = match *who {
                Who::Target(i) => (&self.config.targets[i], "target", "refused by target"),
                Who::Reference(i) => (&self.config.references[i], "reference", "refused by reference"),
            };
            if first && refused as f64 > measured.len() as f64 * REFUSED {
                let message = format!("the {whom} {} rejects these formulas: {}", who.spec, one_line(why));
                return Err(Error::new(ErrorKind::Usage, message));
            }
            self.stopwatch.notes.once(about, || {
                format!("skipping some formulas that the {whom} {} rejects: {}", who.spec, one_line(why))
            });
        }
        if let Some(why) = measured.iter().find_map(|m| m.crash.as_ref()) {
            let target = &self.config.targets[0].spec;
            self.stopwatch.notes.once("crash", || {
                format!("the target {target} crashes on some formulas, which are kept: {}", one_line(why))
            });
        }
        let mut individuals = Vec::new();
        for (text, m) in texts.into_iter().zip(measured) {
            let (Some(target), Some(reference), None) = (m.target(), m.reference(), &m.refused) else {
                continue;
            };
            let behaviour = m.behaviour;
            self.state.evaluations += 1;
            self.state.starved += u64::from(target.is_starved(self.config.timeout, reference));
            let complexity = complexity_of(&text).unwrap_or(u64::MAX);
            let text = String::from_utf8_lossy(&text).into_owned();
            let individual =
                Individual { text, complexity, target, reference, behaviour, covered: 0.0, known: false };
            if individual.is_candidate(self.config.timeout, self.config.at_once) {
                lock(self.candidates).add(&individual, self.state.evaluations);
            }
            individuals.push(individual);
        }
        Ok(individuals)
    }

    /// Merges children into the population, keeps the best, and saves the state.
    fn close(&mut self, children: Vec<Individual>) -> Result<(), Error> {
        let State { ledger, population, .. } = &mut self.state;
        let measured = self.config.record.as_ref().map(|_| children.clone());
        merge(population, children, ledger);
        // The baseline and the paper's algorithm ignore findings.
        if self.config.selection == Selection::Pareto {
            let candidates = lock(self.candidates);
            for individual in &mut self.state.population {
                individual.known = candidates.explanations(individual.text.as_bytes()).next().is_some();
            }
        }
        let ranking = self.ranking();
        let chosen = select(&ranking.fronts, &ranking.distance, self.config.population);
        let front = ranking.fronts.first().map_or(0, |f| f.iter().filter(|i| chosen.contains(i)).count());
        let mut keep = chosen.iter().map(|&i| self.state.population[i].clone()).collect::<Vec<_>>();
        std::mem::swap(&mut self.state.population, &mut keep);
        self.state.generation += 1;
        if let (Some(file), Some(measured)) = (&self.config.record, measured) {
            Recorded::new(measured, &self.state.population).append(file)?;
        }
        let scores: Vec<f64> =
            self.state.population.iter().map(|i| time_score(i.target.seconds, i.reference.seconds)).collect();
        let generation = Generation {
            number: self.state.generation,
            at_s: (self.wall)(),
            best: scores.iter().copied().fold(0.0, f64::max),
            mean: mean(scores.iter().copied()),
            front,
            timeouts: self.state.population.iter().filter(|i| i.target.is_timeout()).count(),
            lines: self.state.ledger.lines(),
        };
        self.state.history.push(generation);
        let (waiting, confirmed, candidates) = {
            let candidates = lock(self.candidates);
            self.state.candidates = candidates.clone();
            (candidates.waiting(), candidates.confirmed.len(), candidates.candidates)
        };
        self.state.calls = self.stopwatch.calls.load(Relaxed);
        self.state.wall_s = generation.at_s;
        self.state.save(&self.config.out)?;
        self.sink.event(&Event::Progress(Progress {
            elapsed: Duration::from_secs_f64(generation.at_s),
            done: generation.number,
            unit: "generations",
            figures: vec![
                ("best", format!("{:.2}", generation.best)),
                ("mean", format!("{:.2}", generation.mean)),
                ("front", front.to_string()),
                ("timeouts", generation.timeouts.to_string()),
                ("candidates", candidates.to_string()),
                ("waiting", waiting.to_string()),
                ("confirmed", confirmed.to_string()),
            ],
            ..Progress::default()
        }));
        Ok(())
    }

    fn ranking(&self) -> Ranking {
        let Config { objectives, crowding, selection, .. } = self.config;
        rank(&self.state.population, objectives, *crowding, *selection)
    }

    /// Breeds as many new scripts as there are individuals.
    fn offspring(&mut self, rng: &mut Rng) -> Vec<Vec<u8>> {
        let ranking = self.ranking();
        if self.config.selection == Selection::Paper {
            let chances = (self.config.crossover, self.config.mutation);
            let (state, n) = (&self.state, self.config.population);
            let chosen = mating(&ranking, state.generation == 1, n, rng);
            return breed(&mut self.breeder, &state.population, &chosen, chances, rng);
        }
        // The first tournament does not compare distances.
        let distance =
            if self.state.generation == 1 { vec![0.0; ranking.rank.len()] } else { ranking.distance };
        let n = self.config.population;
        let mut children: Vec<Vec<u8>> = Vec::new();
        for _ in 0..n * TRIES {
            if children.len() >= n {
                break;
            }
            let parents: [Vec<u8>; 2] = std::array::from_fn(|_| {
                let i = match self.config.selection {
                    Selection::Pareto | Selection::Paper => tournament(&ranking.rank, &distance, rng),
                    Selection::Single => rng.below(ranking.rank.len()),
                };
                self.state.population[i].text.clone().into_bytes()
            });
            let crossed = chance(self.config.crossover, rng);
            let mixed = if crossed { self.breeder.crossover(&parents[0], &parents[1], rng) } else { None };
            for (child, parent) in mixed.unwrap_or_else(|| parents.clone()).into_iter().zip(&parents) {
                // A copy would be measured for nothing.
                let mutated = chance(self.config.mutation, rng) || child == *parent;
                let child =
                    if mutated { self.breeder.mutate(&child, rng).map_or(child, |m| m.0) } else { child };
                if children.len() < n
                    && let Some(child) = self.avoid_known(child, rng)
                    && self.seen.insert(child.clone())
                {
                    children.push(child);
                }
            }
        }
        children
    }

    /// Replaces a child that only repeats a known bug: by the child without that bug's operators, or by a fresh formula,
    /// because a population that avoids many bugs has little left to breed from. Now and then the child stays as it is.
    /// The baseline ignores findings.
    fn avoid_known(&mut self, child: Vec<u8>, rng: &mut Rng) -> Option<Vec<u8>> {
        if self.config.selection != Selection::Pareto {
            return Some(child);
        }
        let unwanted: Vec<String> = {
            let candidates = lock(self.candidates);
            candidates.explanations(&child).filter_map(|operators| rng.pick(operators).cloned()).collect()
        };
        if unwanted.is_empty() || rng.one_in(KNOWN) {
            return Some(child);
        }
        if rng.one_in(2)
            && let Some(other) = self.breeder.without(&child, &unwanted, rng)
            && self.is_news(&other)
        {
            return Some(other);
        }
        (0..TRIES).find_map(|_| self.fresh(rng).filter(|other| self.is_news(other)))
    }

    fn is_news(&self, text: &[u8]) -> bool {
        lock(self.candidates).explanations(text).next().is_none()
    }
}

fn one_line(text: &str) -> String {
    text.lines().next().unwrap_or_default().chars().take(160).collect()
}

fn mean(numbers: impl ExactSizeIterator<Item = f64>) -> f64 {
    let n = numbers.len();
    if n == 0 { 0.0 } else { numbers.sum::<f64>() / n as f64 }
}

fn summary(config: &Config, state: &State, store: &Store) -> Result<Summary, Error> {
    let all = &state.population;
    let confirmed = state.candidates.confirmed.clone();
    let findings = store.stored()?.into_iter().filter(|s| !s.flaky).map(|s| s.finding).collect();
    let lines = |i: &Individual| i.behaviour.as_ref().map_or(0, |b| b.lines.values().map(Vec::len).sum());
    Ok(Summary {
        generations: state.generation,
        evaluations: state.evaluations,
        solver_calls: state.calls,
        wall_s: (state.wall_s * 1e3).round() / 1e3,
        total_lines: state.ledger.lines(),
        mean_lines: mean(all.iter().map(|i| lines(i) as f64)),
        mean_time_score: mean(all.iter().map(|i| time_score(i.target.seconds, i.reference.seconds))),
        timeouts: all.iter().filter(|i| i.target.is_timeout()).count(),
        population_complexity: mean(all.iter().map(|i| i.complexity as f64)),
        starved: state.starved,
        candidates: state.candidates.candidates,
        waiting: state.candidates.waiting(),
        unconfirmed: state.write_scripts(&config.out)?,
        mean_complexity: mean(confirmed.iter().map(|c| c.complexity as f64)),
        hangs: confirmed.iter().filter(|c| c.kind == Some(Kind::Hang)).count(),
        slow: state.candidates.slow.len(),
        confirmed,
        findings,
        seed: config.seed,
        out: config.out.display().to_string(),
    })
}
