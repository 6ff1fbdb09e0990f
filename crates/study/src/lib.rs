//! Studies: compare the correctness and the speed of many releases on the same formulas.
//!
//! The formulas are the smallest ones of grammars; of the last size, which has too many, an even sample is used.
//! Every release runs all formulas: first with a short time limit; those that exceed it run again with the full
//! limit, while the study has time. Answers are cached, so adding a release runs only this release.
//!
//! The oracle judges the answers of all releases: a model that smelt's evaluator finds true settles a disagreement.
//! Otherwise answers are compared with the reference: the newest cvc5 for z3, the newest z3 for cvc5 and CVC4.
//! Every trigger must reproduce in a fresh process before it counts (`trigger`).
//!
//! With `store`, several machines share the work: answers are in a shared store, and cells of the table are leased
//! (`cells`).
//!
//! - `knowledge`: operators, commands and tactics that only one of two releases has, or that they answer
//!   differently.
//! - `queue`: tasks on threads. `table`: the figures. `gate`: comparison with a baseline, for continuous
//!   integration.

#[cfg(feature = "postgres")]
mod cells;
#[cfg(not(feature = "postgres"))]
#[path = "cells/none.rs"]
mod cells;
mod gate;
mod index;
mod knowledge;
mod queue;
mod table;
mod trigger;

use smelt_core::{Event, EventSink, Outcome, OutcomeKind, Progress, SeedHash, Usage};
use smelt_solvers::Mode;
use smelt_strategies::enumerate::{Classes, Enumerator, Index, Params, load};
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::time::{Duration, Instant};

use cells::Cells;
use queue::{Setting, Task, work};
use smelt_store::cache::{Cache, Known};
use smelt_store::{Error, ErrorKind};
use smelt_trial::NamedSolver;
use trigger::{Triggers, Wrong};

pub use index::FormulaIndex;

pub use gate::{Baseline, Comparison, Size, Slower, compare, within};
pub use knowledge::{Changed, Item, News, news};
pub use table::{Cell, LIMITS, Release, Study, Trigger};

/// The settings of a study.
#[derive(Clone, Debug)]
pub struct StudyConfig {
    /// Grammars and how many formulas of each.
    pub grammars: Vec<(String, u64)>,
    /// The index of the first formula.
    pub from: FormulaIndex,
    /// How often each answer is measured: the times are medians.
    pub repeat: u32,
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
    /// The shared store, `postgres://..#NAME`, that has the answers instead; all that name it share the work.
    pub store: Option<PathBuf>,
    /// Whether to keep the time of every formula, for comparing.
    pub keep_times: bool,
}

/// The first limit is this part of the full one.
const SHORT: u32 = 32;
/// Formulas in one session.
const CHUNK: usize = 200;
/// Formulas of a cell, of a study that machines share.
const CELL: usize = 50;
/// At most this many cells for each job are leased at once, and at most this share of all.
const CELLS: u64 = 8;
const SHARE: u64 = 16;

/// Runs a study until it is done, its time is up, or `stop` is set.
pub fn study(config: &StudyConfig, stop: &AtomicBool, sink: &dyn EventSink) -> Result<Study, Error> {
    let started = Instant::now();
    if config.solvers.is_empty() {
        return Err(Error::new(
            ErrorKind::NoSolver,
            "a study needs releases: name them with -S, such as -S z3@4.8.7",
        ));
    }
    let mut cells = config.store.as_ref().map(|s| Cells::join(s, &config.solvers)).transpose()?;
    let mut cache = match &config.store {
        Some(store) => cells::answers(store)?,
        None => Cache::open(&config.cache)?,
    };
    // By run: each run has cached answers of its own.
    let mut keys: Vec<Vec<i64>> = Vec::new();
    for run in 1..=config.repeat.max(1) {
        let number = if run == 1 { String::new() } else { format!(" run {run}") };
        let mut of_run = Vec::new();
        for named in &config.solvers {
            let mode = if config.mode == Mode::Fresh { "fresh" } else { "reuse" };
            of_run.push(cache.solver(&format!("{} {mode}{number}", named.solver.identity()?))?);
        }
        keys.push(of_run);
    }
    let mut grammars = Vec::new();
    for (name, number) in &config.grammars {
        grammars.push((name.clone(), formulas(name, config.params, *number, &config.from)?));
    }
    let mut study = Study::new(config, &grammars);
    for (at, (name, formulas)) in grammars.iter().enumerate() {
        let left = (grammars.len() - at) as u32;
        let share = config.time.map(|t| t.saturating_sub(started.elapsed()) / left);
        let (indices, scripts) = (&formulas.indices, &formulas.scripts);
        let mut run =
            Run { config, keys: &keys[0], cache: &mut cache, cells: &mut cells, scripts, stop, sink };
        let (until, end) = (share.map(|s| Instant::now() + s), config.time.map(|t| started + t));
        let (mut outcomes, short) = run.outcomes(name, until, end)?;
        let mut again = Vec::new();
        for of_run in &keys[1..] {
            run.keys = of_run;
            again.push(run.outcomes(name, until, end)?.0);
        }
        run.keys = &keys[0];
        let changed = median_times(&mut outcomes, &again);
        let triggers = run.triggers(&outcomes, end)?;
        study.add(config.keep_times, at, (&outcomes, &short, &changed), triggers, (indices, scripts));
    }
    study.wall_s = started.elapsed().as_secs_f64();
    Ok(study)
}

/// Sets the time of each answer to the median over all runs that gave the same; by solver, how many answers are not the
/// same in all runs.
fn median_times(outcomes: &mut Outcomes, again: &[Outcomes]) -> Vec<u64> {
    let mut changed = vec![0; outcomes.first().map_or(0, Vec::len)];
    for (formula, row) in outcomes.iter_mut().enumerate() {
        for (solver, outcome) in row.iter_mut().enumerate() {
            let Some(outcome) = outcome else { continue };
            let others: Vec<&Outcome> =
                again.iter().filter_map(|run| run[formula][solver].as_ref()).collect();
            let same = others.iter().filter(|o| o.kind == outcome.kind);
            let mut usages: Vec<_> = same.map(|o| o.usage).chain([outcome.usage]).collect();
            usages.sort_by_key(|usage| usage.time());
            outcome.usage = usages[(usages.len() - 1) / 2];
            changed[solver] += u64::from(others.iter().any(|o| o.kind != outcome.kind));
        }
    }
    changed
}

/// Formulas with their indices in the grammar.
#[derive(Clone, Debug, Default)]
struct Formulas {
    indices: Vec<FormulaIndex>,
    scripts: Vec<Vec<u8>>,
}

/// The smallest formulas of a grammar from an index on; of the last size a sample spread over all of it.
fn formulas(grammar: &str, params: Params, number: u64, from: &FormulaIndex) -> Result<Formulas, Error> {
    let usage = |message: String| Error::new(ErrorKind::Usage, message);
    let mut all = Enumerator::new(load(grammar, params, Classes::default()).map_err(usage)?);
    let mut found = Formulas::default();
    for size in 0.. {
        let left = number - found.scripts.len() as u64;
        if left == 0 || all.largest().is_some_and(|largest| size > largest) {
            break;
        }
        let first = all.smaller(size).clone();
        // Of the first size only what is not before the first formula.
        let before = if from.0 > first { &from.0 - &first } else { Index::default() };
        if before >= *all.count(size) {
            continue;
        }
        let (first, count) = (first + &before, all.count(size) - &before);
        let whole = u64::try_from(count.clone()).ok().filter(|count| *count <= left);
        for i in 0..whole.unwrap_or(left) {
            let offset = match whole {
                Some(_) => Index::from(i),
                None => &count * Index::from(i) / Index::from(left),
            };
            let index = &first + offset;
            if all.seek(&index) {
                found.indices.push(FormulaIndex(index));
                found.scripts.push(all.text().to_vec());
            }
        }
    }
    Ok(found)
}

/// How many formulas of each grammar a study has: a grammar may have fewer than are asked for.
pub fn formula_counts(config: &StudyConfig) -> Result<Vec<(String, u64)>, Error> {
    let count = |(name, number): &(String, u64)| {
        let found = formulas(name, config.params, *number, &config.from)?;
        Ok((name.clone(), found.scripts.len() as u64))
    };
    config.grammars.iter().map(count).collect()
}

/// The work on one grammar.
struct Run<'a> {
    config: &'a StudyConfig,
    keys: &'a [i64],
    cache: &'a mut Cache,
    cells: &'a mut Option<Cells>,
    scripts: &'a [Vec<u8>],
    stop: &'a AtomicBool,
    sink: &'a dyn EventSink,
}

/// By formula and solver.
type Outcomes = Vec<Vec<Option<Outcome>>>;
type Answers = Vec<Vec<Option<Known>>>;

impl Run<'_> {
    fn hash(&self, formula: usize) -> u64 {
        SeedHash::of(&self.scripts[formula]).0
    }

    /// Reads what the cache knows of formulas.
    fn read(&self, formulas: &[usize], known: &mut Answers) -> Result<(), Error> {
        let hashes: Vec<u64> = formulas.iter().map(|f| self.hash(*f)).collect();
        for (solver, key) in self.keys.iter().enumerate() {
            let all = self.cache.outcomes(*key, &hashes)?;
            for (formula, hash) in formulas.iter().zip(&hashes) {
                if let Some(answer) = all.get(hash) {
                    known[*formula][solver] = Some(answer.clone());
                }
            }
        }
        Ok(())
    }

    /// Works on the cells of a stage of a shared study until all are done, by any process, or the time is up.
    fn share(
        &mut self,
        stage: &str,
        count: usize,
        until: Option<Instant>,
        known: &mut Answers,
        tasks: &dyn Fn(usize, &Answers) -> Vec<Task>,
    ) -> Result<(), Error> {
        self.lease(stage, count, until, |run, cells| {
            // Who had them before may have answered some.
            let asked: Vec<Task> = cells.clone().flat_map(|cell| tasks(cell, known)).collect();
            let mut formulas: Vec<usize> = asked.into_iter().flat_map(|task| task.formulas).collect();
            formulas.sort_unstable();
            formulas.dedup();
            run.read(&formulas, known)?;
            let there = known.iter().flatten().flatten().count();
            run.put(cells.flat_map(|cell| tasks(cell, known)).collect(), until, known, there)
        })?;
        let all: Vec<usize> = (0..known.len()).collect();
        self.read(&all, known)
    }

    /// Leases the cells of a stage, and does something with each range of them.
    fn lease(
        &mut self,
        stage: &str,
        count: usize,
        until: Option<Instant>,
        mut work: impl FnMut(&mut Self, std::ops::Range<usize>) -> Result<(), Error>,
    ) -> Result<(), Error> {
        let StudyConfig { timeout, memory, jobs, .. } = self.config;
        let hashes: Vec<u64> = (0..self.scripts.len()).map(|f| self.hash(f)).collect();
        let what = format!("{:?} {timeout:?} {memory} {hashes:?} {stage}", self.keys);
        let stream = format!("study {}", SeedHash::of(what.as_bytes()));
        let (count, jobs) = (count as u64, *jobs as u64);
        let want = (count / SHARE).clamp(jobs, CELLS * jobs);
        let stop = self.stop;
        let is_over = || stop.load(Relaxed) || until.is_some_and(|t| Instant::now() >= t);
        loop {
            let Some(cells) = self.cells.as_mut() else { return Ok(()) };
            let Some(range) = cells.next(&stream, count, want, &is_over)? else { return Ok(()) };
            work(self, range.low as usize..range.past as usize)?;
            let Some(cells) = self.cells.as_mut() else { return Ok(()) };
            if is_over() {
                cells.give_back();
                return Ok(());
            }
            cells.done(range, &is_over)?;
        }
    }

    /// The answer of each solver to each formula, and whether it had only the short time limit.
    ///
    /// The full limit is for queries up to `until`, all end at `end`.
    fn outcomes(
        &mut self,
        name: &str,
        until: Option<Instant>,
        end: Option<Instant>,
    ) -> Result<(Outcomes, Vec<Vec<bool>>), Error> {
        let (solvers, formulas) = (self.config.solvers.len(), self.scripts.len());
        let mut known: Answers = vec![vec![None; solvers]; formulas];
        let all: Vec<usize> = (0..formulas).collect();
        self.read(&all, &mut known)?;
        let there = known.iter().flatten().flatten().count();
        let total = formulas * solvers;
        let text = format!("{name}: {formulas} formulas, {there} of {total} answers in the cache");
        self.sink.event(&Event::note(text));
        let short = (self.config.timeout / SHORT).max(Duration::from_millis(50)).min(self.config.timeout);
        if self.cells.is_some() {
            let task = |cell: usize, known: &Answers| -> Vec<Task> {
                let solver = cell % solvers;
                let formulas = (cell / solvers * CELL..formulas).take(CELL);
                let formulas: Vec<usize> = formulas.filter(|f| known[*f][solver].is_none()).collect();
                (!formulas.is_empty())
                    .then_some(Task { solver, formulas, limit: short })
                    .into_iter()
                    .collect()
            };
            self.share("first", formulas.div_ceil(CELL) * solvers, end, &mut known, &task)?;
        }
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
        let there = known.iter().flatten().flatten().count();
        self.put(tasks, end, &mut known, there)?;
        let full = self.config.timeout;
        let is_late = |k: &Known| !k.is_final(full);
        if self.cells.is_some() && known.iter().flatten().flatten().any(is_late) {
            let order = spread(&all);
            let late = |solver: &usize, formula: usize, known: &Answers| {
                known[formula][*solver].as_ref().is_some_and(is_late)
            };
            let task = |cell: usize, known: &Answers| -> Vec<Task> {
                let formula = order[cell];
                let late = (0..solvers).filter(|s| late(s, formula, known));
                late.map(|solver| Task { solver, formulas: vec![formula], limit: full }).collect()
            };
            self.share("full", formulas, until, &mut known, &task)?;
        }
        let late: Vec<usize> =
            (0..formulas).filter(|f| known[*f].iter().flatten().any(|k| !k.is_final(full))).collect();
        if !late.is_empty() {
            self.sink.event(&Event::note(format!("  {} formulas get the full time limit", late.len())));
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
        let is_short = |k: &Option<Known>| k.as_ref().is_some_and(|k| !k.is_final(full));
        let short = known.iter().map(|row| row.iter().map(is_short).collect()).collect();
        // A cached answer that took longer than this study allows counts as a timeout.
        let counted = |k: Known| match k.outcome.usage.wall > full + Duration::from_millis(100) {
            true => {
                let usage = Usage { wall: full, cpu: full, ..k.outcome.usage };
                Outcome { usage, ..Outcome::bare(OutcomeKind::Timeout, "later than the limit") }
            }
            false => k.outcome,
        };
        let outcomes = known.into_iter().map(|row| row.into_iter().map(|k| k.map(counted)).collect());
        Ok((outcomes.collect(), short))
    }

    /// Puts tasks to solvers, and keeps their answers.
    fn put(
        &mut self,
        tasks: Vec<Task>,
        until: Option<Instant>,
        known: &mut Answers,
        mut there: usize,
    ) -> Result<(), Error> {
        if tasks.is_empty() {
            return Ok(());
        }
        let Run { config, keys, cache, cells, scripts, stop, sink } = self;
        let total = known.len() * config.solvers.len();
        let is_out = || stop.load(Relaxed) || until.is_some_and(|t| Instant::now() >= t);
        // It is asked between formulas, never while a solver runs.
        let is_over = || {
            sink.wait_while_paused(&is_out);
            is_out()
        };
        let (memory, mode) = (config.memory, config.mode);
        let setting = Setting { jobs: config.jobs, memory, mode, limit_is_cpu: false };
        let hashes: Vec<u64> = scripts.iter().map(|s| SeedHash::of(s).0).collect();
        let begun = Instant::now();
        let mut told = begun;
        let take = |answers: Vec<queue::Answer>| -> Result<(), Error> {
            cells.iter_mut().for_each(Cells::renew);
            if answers.is_empty() {
                return Ok(());
            }
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
        self.go_on()
    }

    /// Fails if the study is to stop.
    fn go_on(&self) -> Result<(), Error> {
        match self.stop.load(Relaxed) {
            true => Err(Error::new(
                ErrorKind::System,
                "stopped; measurements are saved, so the same command continues",
            )),
            false => Ok(()),
        }
    }

    /// Wrong answers; those that repeat in fresh processes are confirmed.
    fn triggers(&mut self, outcomes: &Outcomes, end: Option<Instant>) -> Result<Vec<Wrong>, Error> {
        let finder = Triggers::new(&self.config.solvers, self.config.memory, self.config.timeout);
        let mut wrong = finder.wrong_answers(self.scripts, outcomes, self.config.jobs);
        if self.cells.is_some() && !wrong.is_empty() {
            let count = self.scripts.len().div_ceil(CELL);
            self.lease("again", count, end, |run, cells| {
                let mut of_cells: Vec<&mut Wrong> =
                    wrong.iter_mut().filter(|w| cells.contains(&(w.formula / CELL))).collect();
                run.confirm(&finder, outcomes, &mut of_cells)
            })?;
        }
        self.confirm(&finder, outcomes, &mut wrong.iter_mut().collect::<Vec<_>>())?;
        Ok(wrong)
    }

    /// Looks at wrong answers again, unless the cache knows whether they repeat.
    fn confirm(
        &mut self,
        finder: &Triggers<'_>,
        outcomes: &Outcomes,
        wrong: &mut [&mut Wrong],
    ) -> Result<(), Error> {
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
        if open.is_empty() {
            return Ok(());
        }
        self.sink.event(&Event::note(format!("  repeating {} triggers", open.len())));
        let asked: Vec<&Wrong> = open.iter().map(|at| &*wrong[*at]).collect();
        let is_over = || stop.load(Relaxed);
        let again = finder.confirm(scripts, outcomes, &asked, self.config.jobs, &is_over)?;
        // Incomplete results are unknown.
        self.go_on()?;
        let rows = asked.iter().zip(&again).map(|(w, again)| {
            let (solver, formula, kind) = key(w);
            (solver, formula, kind, *again)
        });
        let rows: Vec<(i64, u64, &str, bool)> = rows.collect();
        self.cache.note_confirmed(&rows)?;
        for (at, again) in open.into_iter().zip(again) {
            wrong[at].confirmed = again;
        }
        Ok(())
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

    fn indices(number: u64, from: u64) -> Vec<u64> {
        let found = formulas("core", Params::default(), number, &from.into()).unwrap();
        found.indices.into_iter().map(|i| u64::try_from(i.0).unwrap()).collect()
    }

    #[test]
    fn formulas_are_all_small_ones_and_some_of_the_next_size() {
        let found = indices(60, 0);
        assert_eq!(found.len(), 60);
        assert_eq!(found[..9], [0, 1, 2, 3, 4, 5, 6, 7, 8]);
        assert!(found.windows(2).all(|w| w[0] < w[1]) && found[59] > 100);
        assert_eq!(indices(108, 0)[107], 107);
        let later = indices(60, 5);
        assert_eq!((later[0], later.len()), (5, 60));
        assert_eq!(later[..4], [5, 6, 7, 8], "the rest of the small ones, then a sample of the next size");
        assert!(later.windows(2).all(|w| w[0] < w[1]));
        assert_eq!(indices(3, 1 << 40)[0], 1 << 40);
    }

    #[test]
    fn a_study_starts_at_any_index() {
        let from = FormulaIndex(format!("1{}", "0".repeat(60)).parse().unwrap());
        let found = formulas("core", Params::default(), 3, &from).unwrap();
        assert_eq!((found.indices.len(), &found.indices[0]), (3, &from));
        assert!(found.indices.windows(2).all(|w| w[0] < w[1]));
    }

    #[test]
    fn times_of_several_runs_are_medians_and_other_answers_are_counted() {
        let outcome = |kind, ms| {
            let mut outcome = Outcome::bare(kind, "");
            outcome.usage.wall = Duration::from_millis(ms);
            outcome.usage.cpu = outcome.usage.wall;
            vec![vec![Some(outcome)]]
        };
        use OutcomeKind::{Sat, Unknown};
        let mut first = outcome(Sat, 90);
        assert_eq!(median_times(&mut first, &[outcome(Sat, 10), outcome(Sat, 30)]), [0]);
        assert_eq!(first[0][0].as_ref().unwrap().usage.time(), Duration::from_millis(30));
        assert_eq!(median_times(&mut first, &[outcome(Unknown, 1), outcome(Sat, 40)]), [1]);
        assert_eq!(first[0][0].as_ref().unwrap().usage.time(), Duration::from_millis(30));
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
