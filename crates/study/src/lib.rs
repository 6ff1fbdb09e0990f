//! Studies: the same formulas on many releases, to see how correct and how fast each release is.
//!
//! The formulas are the smallest ones of grammars; of the last size, which has too many, a sample spread over all of it.
//! Every release gets all formulas: first with a short time limit; those that reach it again with the full limit, while
//! the study has time. Answers are cached, so that a new release costs one column.
//!
//! The oracle judges the answers of all releases: a model that our evaluator finds true settles a disagreement. Answers
//! that it leaves open are compared with the reference: the newest cvc5 for z3, the newest z3 for cvc5 and CVC4. Every
//! trigger must repeat in a fresh process before it counts (`trigger`).
//!
//! - `queue`: tasks on threads. `table`: the figures. `gate`: against a baseline, for continuous integration.

mod gate;
mod queue;
mod table;
mod trigger;

use smelt_core::{Event, EventSink, Outcome, OutcomeKind, Progress, SeedHash};
use smelt_solvers::Mode;
use smelt_strategies::enumerate::{Classes, Enumerator, Index, Params, load};
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::time::{Duration, Instant};

use queue::{Setting, Task, work};
use smelt_store::cache::{Cache, Known};
use smelt_store::{Error, ErrorKind};
use smelt_trial::NamedSolver;
use trigger::{Triggers, Wrong};

pub use gate::{Baseline, Comparison, Slower, compare, within};
pub use table::{Cell, LIMITS, Release, Study, Trigger};

/// The settings of a study.
#[derive(Clone, Debug)]
pub struct StudyConfig {
    /// Grammars and how many formulas of each.
    pub grammars: Vec<(String, u64)>,
    /// The index of the first formula.
    pub from: u64,
    /// Variables and assertions.
    pub params: Params,
    /// The releases.
    pub solvers: Vec<NamedSolver>,
    /// The full time limit of a query.
    pub timeout: Duration,
    /// The most memory a solver may take, in bytes.
    pub memory: u64,
    /// How long the study may take; `None` for as long as it takes.
    pub time: Option<Duration>,
    /// Solvers that run at a time.
    pub jobs: usize,
    /// Whether solver processes are reused.
    pub mode: Mode,
    /// The file of the cache.
    pub cache: PathBuf,
    /// Whether to keep the time of every formula, for comparing.
    pub keep_times: bool,
}

/// The first limit is this part of the full one.
const SHORT: u32 = 32;
/// Formulas in one session.
const CHUNK: usize = 200;

/// Runs a study until it is done, its time is up, or `stop` is set.
pub fn study(config: &StudyConfig, stop: &AtomicBool, sink: &dyn EventSink) -> Result<Study, Error> {
    let started = Instant::now();
    if config.solvers.is_empty() {
        return Err(Error::new(ErrorKind::NoSolver, "a study needs releases: name them with -S z3@4.8.7"));
    }
    let mut cache = Cache::open(&config.cache)?;
    let mut keys = Vec::new();
    for named in &config.solvers {
        let mode = if config.mode == Mode::Fresh { "fresh" } else { "reuse" };
        keys.push(cache.solver(&format!("{} {mode}", named.solver.identity()?))?);
    }
    let mut grammars = Vec::new();
    for (name, number) in &config.grammars {
        grammars.push((name.clone(), formulas(name, config.params, *number, config.from)?));
    }
    let mut study = Study::new(config, &grammars);
    for (at, (name, formulas)) in grammars.iter().enumerate() {
        let left = (grammars.len() - at) as u32;
        let share = config.time.map(|t| t.saturating_sub(started.elapsed()) / left);
        let (indices, scripts) = (&formulas.indices, &formulas.scripts);
        let mut run = Run { config, keys: &keys, cache: &mut cache, scripts, stop, sink };
        let end = config.time.map(|t| started + t);
        let (outcomes, limited) = run.outcomes(name, share.map(|s| Instant::now() + s), end)?;
        let triggers = run.triggers(&outcomes)?;
        study.add(config, at, &outcomes, &limited, triggers, (indices, scripts));
    }
    study.wall_s = started.elapsed().as_secs_f64();
    Ok(study)
}

/// Formulas with their indices in the grammar.
#[derive(Clone, Debug, Default)]
struct Formulas {
    indices: Vec<u64>,
    scripts: Vec<Vec<u8>>,
}

/// The smallest formulas of a grammar from an index on; of the last size a sample spread over all of it.
fn formulas(grammar: &str, params: Params, number: u64, from: u64) -> Result<Formulas, Error> {
    let usage = |message: String| Error::new(ErrorKind::Usage, message);
    let mut all = Enumerator::new(load(grammar, params, Classes::default()).map_err(usage)?);
    let mut found = Formulas::default();
    for size in 0.. {
        let left = number - found.scripts.len() as u64;
        if left == 0 || all.largest().is_some_and(|largest| size > largest) {
            break;
        }
        let Ok(first) = u64::try_from(all.smaller(size).clone()) else { break };
        // Of the first size only what is not before the first formula.
        let before = Index::from(from.saturating_sub(first));
        if before >= *all.count(size) {
            continue;
        }
        let (first, count) = (first.max(from), all.count(size) - before);
        let whole = u64::try_from(count.clone()).ok().filter(|count| *count <= left);
        for i in 0..whole.unwrap_or(left) {
            let offset = match whole {
                Some(_) => Index::from(i),
                None => &count * Index::from(i) / Index::from(left),
            };
            let index = Index::from(first) + offset;
            if all.seek(&index) {
                found.indices.push(u64::try_from(index).unwrap_or(u64::MAX));
                found.scripts.push(all.text().to_vec());
            }
        }
    }
    Ok(found)
}

/// The work on one grammar.
struct Run<'a> {
    config: &'a StudyConfig,
    keys: &'a [i64],
    cache: &'a mut Cache,
    scripts: &'a [Vec<u8>],
    stop: &'a AtomicBool,
    sink: &'a dyn EventSink,
}

/// By formula and solver.
type Outcomes = Vec<Vec<Option<Outcome>>>;

impl Run<'_> {
    fn hash(&self, formula: usize) -> u64 {
        SeedHash::of(&self.scripts[formula]).0
    }

    /// The answer of each solver to each formula, and how many answers of each wait for the full time limit.
    ///
    /// The full limit is for queries up to `until`, all end at `end`.
    fn outcomes(
        &mut self,
        name: &str,
        until: Option<Instant>,
        end: Option<Instant>,
    ) -> Result<(Outcomes, Vec<u64>), Error> {
        let (solvers, formulas) = (self.config.solvers.len(), self.scripts.len());
        let mut known: Vec<Vec<Option<Known>>> = vec![vec![None; solvers]; formulas];
        let mut there = 0;
        for (formula, row) in known.iter_mut().enumerate() {
            let hash = self.hash(formula);
            for (known, key) in row.iter_mut().zip(self.keys) {
                *known = self.cache.outcome(*key, hash)?;
                there += usize::from(known.is_some());
            }
        }
        let total = formulas * solvers;
        let text = format!("{name}: {formulas} formulas, {there} of {total} answers known");
        self.sink.event(&Event::note(text));
        let short = (self.config.timeout / SHORT).max(Duration::from_millis(50)).min(self.config.timeout);
        let mut tasks = Vec::new();
        // Chunks of all solvers in turn, so that a study that ends early has about as much of each.
        let missing: Vec<Vec<usize>> =
            (0..solvers).map(|s| (0..formulas).filter(|f| known[*f][s].is_none()).collect()).collect();
        for chunk in 0..formulas.div_ceil(CHUNK) {
            for (solver, missing) in missing.iter().enumerate() {
                let formulas = missing.iter().copied().skip(chunk * CHUNK).take(CHUNK).collect::<Vec<_>>();
                if !formulas.is_empty() {
                    tasks.push(Task { solver, formulas, limit: short });
                }
            }
        }
        self.put(tasks, end, &mut known, there)?;
        let full = self.config.timeout;
        let late: Vec<usize> =
            (0..formulas).filter(|f| known[*f].iter().flatten().any(|k| !k.is_final(full))).collect();
        if !late.is_empty() {
            self.sink.event(&Event::note(format!("  {} formulas get the full time", late.len())));
        }
        // Spread over all sizes, so that a study that ends early has some of each.
        let mut tasks = Vec::new();
        for formula in spread(&late) {
            for (solver, known) in known[formula].iter().enumerate() {
                if known.as_ref().is_some_and(|k| !k.is_final(full)) {
                    tasks.push(Task { solver, formulas: vec![formula], limit: full });
                }
            }
        }
        self.put(tasks, until, &mut known, total)?;
        let mut limited = vec![0; solvers];
        let mut outcomes = Vec::new();
        for row in known {
            let mut list = Vec::new();
            for (solver, known) in row.into_iter().enumerate() {
                limited[solver] += u64::from(known.as_ref().is_some_and(|k| !k.is_final(full)));
                // A cached answer that took longer than this study allows counts as a timeout.
                let late = |o: &Outcome| o.usage.wall > full + Duration::from_millis(100);
                list.push(known.map(|k| match late(&k.outcome) {
                    true => Outcome::bare(OutcomeKind::Timeout, "later than the limit"),
                    false => k.outcome,
                }));
            }
            outcomes.push(list);
        }
        Ok((outcomes, limited))
    }

    /// Puts tasks to solvers, and keeps their answers.
    fn put(
        &mut self,
        tasks: Vec<Task>,
        until: Option<Instant>,
        known: &mut [Vec<Option<Known>>],
        mut there: usize,
    ) -> Result<(), Error> {
        if tasks.is_empty() {
            return Ok(());
        }
        let Run { config, keys, cache, scripts, stop, sink } = self;
        let total = known.len() * config.solvers.len();
        let is_over = || stop.load(Relaxed) || until.is_some_and(|t| Instant::now() >= t);
        let (memory, mode) = (config.memory, config.mode);
        let setting = Setting { jobs: config.jobs, memory, mode, limit_is_cpu: false };
        let hashes: Vec<u64> = scripts.iter().map(|s| SeedHash::of(s).0).collect();
        let begun = Instant::now();
        let mut told = begun;
        let take = |answers: Vec<queue::Answer>| -> Result<(), Error> {
            let rows: Vec<(i64, u64, Known)> = answers
                .iter()
                .map(|(solver, formula, known)| (keys[*solver], hashes[*formula], known.clone()))
                .collect();
            cache.note(&rows)?;
            there = (there + rows.len()).min(total);
            for (solver, formula, answer) in answers {
                known[formula][solver] = Some(answer);
            }
            if there < total && told.elapsed() >= Duration::from_secs(1) {
                told = Instant::now();
                let (done, total) = (there as u64, Some(total as u64));
                let elapsed = begun.elapsed();
                let progress = Progress { elapsed, done, total, unit: "answers", ..Progress::default() };
                sink.event(&Event::Progress(progress));
            }
            Ok(())
        };
        work(&config.solvers, scripts, &tasks, setting, &is_over, take)?;
        match stop.load(Relaxed) {
            true => Err(Error::new(
                ErrorKind::System,
                "stopped; what was measured is kept: the same command goes on with it",
            )),
            false => Ok(()),
        }
    }

    /// Wrong answers; those that repeat in fresh processes are confirmed.
    fn triggers(&mut self, outcomes: &Outcomes) -> Result<Vec<Wrong>, Error> {
        let finder = Triggers::new(&self.config.solvers, self.config.memory, self.config.timeout);
        let mut wrong = finder.wrong_answers(self.scripts, outcomes, self.config.jobs);
        let (keys, scripts, stop) = (self.keys, self.scripts, self.stop);
        let key = |w: &Wrong| (keys[w.solver], SeedHash::of(&scripts[w.formula]).0, w.kind.as_str());
        let mut open = Vec::new();
        for (at, w) in wrong.iter_mut().enumerate() {
            let (solver, formula, kind) = key(w);
            match self.cache.confirmed(solver, formula, kind)? {
                Some(again) => w.confirmed = again,
                None => open.push(at),
            }
        }
        if !open.is_empty() {
            self.sink.event(&Event::note(format!("  looking at {} triggers again", open.len())));
        }
        let asked: Vec<&Wrong> = open.iter().map(|at| &wrong[*at]).collect();
        let is_over = || stop.load(Relaxed);
        let again = finder.confirm(self.scripts, outcomes, &asked, self.config.jobs, &is_over)?;
        let rows = asked.iter().zip(&again).map(|(w, again)| {
            let (solver, formula, kind) = key(w);
            (solver, formula, kind, *again)
        });
        let rows: Vec<(i64, u64, &str, bool)> = rows.collect();
        self.cache.note_confirmed(&rows)?;
        for (at, again) in open.into_iter().zip(again) {
            wrong[at].confirmed = again;
        }
        Ok(wrong)
    }
}

/// The same in an order in which every beginning is spread over the whole.
fn spread(list: &[usize]) -> Vec<usize> {
    let mut order: Vec<usize> = Vec::new();
    let mut step = list.len().next_power_of_two().max(1);
    let mut taken = vec![false; list.len()];
    while step > 0 {
        for at in (0..list.len()).step_by(step) {
            if !std::mem::replace(&mut taken[at], true) {
                order.push(list[at]);
            }
        }
        step /= 2;
    }
    order
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn formulas_are_all_small_ones_and_some_of_the_next_size() {
        let found = formulas("core", Params::default(), 60, 0).unwrap();
        assert_eq!(found.indices.len(), 60);
        assert_eq!(found.indices[..9], [0, 1, 2, 3, 4, 5, 6, 7, 8]);
        assert!(found.indices.windows(2).all(|w| w[0] < w[1]) && found.indices[59] > 100);
        assert_eq!(formulas("core", Params::default(), 108, 0).unwrap().indices[107], 107);
        let later = formulas("core", Params::default(), 60, 5).unwrap();
        assert_eq!((later.indices[0], later.indices.len()), (5, 60));
        assert_eq!(
            later.indices[..4],
            [5, 6, 7, 8],
            "the rest of the small ones, then a sample of the next size"
        );
        assert!(later.indices.windows(2).all(|w| w[0] < w[1]));
        assert_eq!(formulas("core", Params::default(), 3, 1 << 40).unwrap().indices[0], 1 << 40);
    }

    #[test]
    fn a_spread_list_has_all_and_its_beginning_covers_the_whole() {
        let list: Vec<usize> = (0..100).collect();
        let order = spread(&list);
        assert_eq!(order[..4], [0, 64, 32, 96]);
        let mut sorted = order.clone();
        sorted.sort_unstable();
        assert_eq!(sorted, list);
        assert!(spread(&[]).is_empty());
    }
}
