//! Studies for continuous integration: as many formulas as a time budget allows, compared with a baseline.
//!
//! The first release is under test. The check fails on triggers that the baseline does not have, on a slow-down,
//! and on formulas that the release no longer solves. Neither chance nor a busy machine may make it fail:
//!
//! - Times are CPU times. A difference between the times of the two studies is only a suspicion.
//! - A suspicion is measured again: the release under test and a partner run the same formulas alternately, several
//!   times, and the least time of each formula counts. The partner is the release of the baseline, if it can still
//!   run. Otherwise it is a release that both studies have, which shows how much slower the machine is now.
//! - A slow-down is at least [`FACTOR`] in total and in the median, and significant in a signed-rank test over the
//!   formulas.
//! - A formula is lost if it is not solved within the limit in CPU time.

use serde::{Deserialize, Serialize};
use smelt_core::{Event, EventSink, Kind};
use smelt_store::Error;
use smelt_trial::{NamedSolver, is_decided};
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::time::{Duration, Instant};

use crate::index::FormulaIndex;
use crate::queue::{Setting, Task, work};
use crate::table::{Cell, Study};
use crate::{StudyConfig, formulas, study};

/// A study that others are compared with.
pub type Baseline = Study;

/// The result of a comparison with a baseline.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Comparison {
    /// Triggers that the baseline does not have: grammar, index of the formula, kind.
    pub new_triggers: Vec<(String, FormulaIndex, Kind)>,
    /// Grammars on which the release is slower or solves less.
    pub slower: Vec<Slower>,
}

/// A slow-down on one grammar.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Slower {
    /// The grammar.
    pub grammar: String,
    /// Formulas that were measured again.
    pub formulas: usize,
    /// Their CPU time now over their CPU time then; `None` if there is no slow-down.
    pub ratio: Option<f64>,
    /// Formulas that were solved then and are not now, less those the other way round.
    pub lost: usize,
}

impl Comparison {
    /// Whether nothing got worse.
    pub fn is_good(&self) -> bool {
        self.new_triggers.is_empty() && self.slower.is_empty()
    }
}

/// A slow-down counts from this factor on.
const FACTOR: f64 = 1.25;
/// And if its signed-rank statistic is this many standard deviations from chance: one false alarm in 10,000.
const DEVIATIONS: f64 = 3.8;
/// With at least this many formulas.
const FORMULAS: usize = 20;
/// The most formulas that are measured again.
const AGAIN: usize = 60;
/// How often each is measured.
const ROUNDS: usize = 5;
/// How long measuring one grammar again may take.
const AGAIN_TIME: Duration = Duration::from_secs(120);
/// Formulas that may be lost to chance, at least.
const LOST: usize = 3;
/// Formulas of each grammar that tell how long one takes.
const PILOT: u64 = 30;
/// The most of one grammar.
const MOST: u64 = 50_000;
/// The part of a budget that is planned for; the rest is for formulas that turn out slow.
const PLANNED: f64 = 0.7;

/// What two studies give reason to measure again in one grammar; formulas by position.
#[derive(Clone, Debug, Default, PartialEq)]
struct Suspicion {
    /// Positions of the grammar in the baseline and in the study.
    grammar: (usize, usize),
    /// Solved both times, more slowly now.
    slow: Vec<usize>,
    /// Solved then and not now.
    lost: Vec<usize>,
    /// How many were solved now and not then.
    gained: usize,
}

/// Compares a study with a baseline. `old` is the release of the baseline, if it can still be run.
pub fn compare(
    config: &StudyConfig,
    baseline: &Baseline,
    now: &Study,
    old: Option<&NamedSolver>,
    stop: &AtomicBool,
    sink: &dyn EventSink,
) -> Result<Comparison, Error> {
    let mut verdict = Comparison { new_triggers: new_triggers(baseline, now), slower: Vec::new() };
    for suspicion in suspicions(baseline, now) {
        let measured = Remeasure { config, baseline, now, old, stop };
        let all = suspicion.slow.len() + suspicion.lost.len();
        let grammar = &now.grammars[suspicion.grammar.1].0;
        let text = format!("{grammar}: repeating possibly slower or lost formulas, out of {all}");
        sink.event(&Event::note(text));
        verdict.slower.extend(measured.run(&suspicion)?);
    }
    Ok(verdict)
}

fn new_triggers(baseline: &Baseline, now: &Study) -> Vec<(String, FormulaIndex, Kind)> {
    let mut found = Vec::new();
    for ((_, at), old, new) in grammars(baseline, now) {
        let new = new.wrong.iter().filter(|w| !old.wrong.contains(w));
        found.extend(new.map(|w| (now.grammars[at].0.clone(), w.0.clone(), w.1)));
    }
    found
}

/// The grammars that both studies have, with what the first release did on each.
fn grammars<'a>(
    baseline: &'a Baseline,
    now: &'a Study,
) -> impl Iterator<Item = ((usize, usize), &'a Cell, &'a Cell)> {
    now.grammars.iter().enumerate().filter_map(|(at, (name, _))| {
        let before = baseline.grammars.iter().position(|(other, _)| other == name)?;
        Some(((before, at), &baseline.cells.first()?[before], &now.cells.first()?[at]))
    })
}

/// Where the times of the studies suggest a slow-down. The same program cannot be slower than itself.
fn suspicions(baseline: &Baseline, now: &Study) -> Vec<Suspicion> {
    let identity =
        |study: &Study| study.releases.first().map(|r| r.identity.clone()).filter(|i| !i.is_empty());
    if identity(now).is_some() && identity(now) == identity(baseline) {
        return Vec::new();
    }
    let all = grammars(baseline, now).filter_map(|(grammar, old, new)| {
        let times = old.cpu_us.iter().zip(&new.cpu_us).enumerate();
        let mut found = Suspicion { grammar, ..Suspicion::default() };
        let mut pairs = Vec::new();
        for (formula, (then, since)) in times {
            match (*then > 0, *since > 0) {
                (true, true) => {
                    found.slow.push(formula);
                    pairs.push((*then as f64, *since as f64));
                }
                (true, false) => found.lost.push(formula),
                (false, true) => found.gained += 1,
                (false, false) => {}
            }
        }
        if total_ratio(&pairs) < FACTOR || pairs.len() < FORMULAS {
            found.slow.clear();
        }
        if found.lost.len() <= allowed(old.cpu_us.len()) + found.gained {
            found.lost.clear();
        }
        (!found.slow.is_empty() || !found.lost.is_empty()).then_some(found)
    });
    all.collect()
}

/// How many formulas may be lost to chance.
fn allowed(formulas: usize) -> usize {
    LOST.max(formulas / 100)
}

fn total_ratio(pairs: &[(f64, f64)]) -> f64 {
    let (then, now) = pairs.iter().fold((0.0, 0.0), |sum, (a, b)| (sum.0 + a, sum.1 + b));
    if then > 0.0 { now / then } else { 1.0 }
}

/// How much slower the second time of each pair is, in total; `None` if that may be chance or is too little.
fn slow_down(pairs: &[(f64, f64)]) -> Option<f64> {
    if pairs.len() < FORMULAS {
        return None;
    }
    let mut ratios: Vec<f64> = pairs.iter().map(|(then, now)| (now / then).ln()).collect();
    ratios.sort_by(f64::total_cmp);
    let median = ratios[ratios.len() / 2].exp();
    let ratio = total_ratio(pairs);
    (ratio >= FACTOR && median >= FACTOR && signed_rank(&ratios) > DEVIATIONS).then_some(ratio)
}

/// Wilcoxon's signed-rank statistic of differences, in standard deviations from what no difference gives.
fn signed_rank(differences: &[f64]) -> f64 {
    let mut sorted: Vec<f64> = differences.iter().copied().filter(|d| *d != 0.0).collect();
    sorted.sort_by(|a, b| a.abs().total_cmp(&b.abs()));
    let n = sorted.len() as f64;
    let (mut positive, mut ties, mut at) = (0.0, 0.0, 0);
    while at < sorted.len() {
        // Equal differences share the mean of their ranks.
        let same = sorted[at..].iter().take_while(|d| d.abs() == sorted[at].abs()).count();
        let rank = at as f64 + (same as f64 + 1.0) / 2.0;
        positive += rank * sorted[at..at + same].iter().filter(|d| **d > 0.0).count() as f64;
        ties += (same as f64).powi(3) - same as f64;
        at += same;
    }
    let variance = n * (n + 1.0) * (2.0 * n + 1.0) / 24.0 - ties / 48.0;
    if variance > 0.0 { (positive - n * (n + 1.0) / 4.0 - 0.5) / variance.sqrt() } else { 0.0 }
}

/// Measures suspicious formulas again.
struct Remeasure<'a> {
    config: &'a StudyConfig,
    baseline: &'a Baseline,
    now: &'a Study,
    old: Option<&'a NamedSolver>,
    stop: &'a AtomicBool,
}

/// CPU microseconds of the least run, by solver and formula; nothing for a formula that was not solved.
type Least = BTreeMap<(usize, usize), f64>;

impl Remeasure<'_> {
    fn run(&self, suspicion: &Suspicion) -> Result<Option<Slower>, Error> {
        let (before, at) = suspicion.grammar;
        let (grammar, number) = &self.now.grammars[at];
        let scripts = formulas(grammar, self.config.params, *number, &self.config.from)?.scripts;
        let (then, since) = (&self.baseline.cells[0][before].cpu_us, &self.now.cells[0][at].cpu_us);
        let chosen = choose(&suspicion.slow, since);
        let partner = self.partner(suspicion.grammar);
        let mut solvers = vec![self.config.solvers[0].clone()];
        solvers.extend(partner.as_ref().map(|p| p.solver.clone()));
        let mut tasks = Vec::new();
        for _ in 0..ROUNDS {
            let task = |solver| Task { solver, formulas: chosen.clone(), limit: self.config.timeout };
            tasks.extend((0..solvers.len()).map(task));
        }
        let least = self.measure(&solvers, &scripts, tasks, Some(Instant::now() + AGAIN_TIME))?;
        let pair = |formula: &usize| {
            let now = *least.get(&(0, *formula))?;
            let other = least.get(&(1, *formula)).copied();
            let then = match &partner {
                None => then[*formula] as f64,
                Some(Partner { then: None, .. }) => other?,
                Some(Partner { then: Some(times), .. }) => {
                    let partner_then = times.get(*formula).filter(|t| **t > 0)?;
                    then[*formula] as f64 * other? / *partner_then as f64
                }
            };
            Some((then, now))
        };
        let pairs: Vec<(f64, f64)> = chosen.iter().filter_map(pair).collect();
        let lost = self.lost(suspicion, &scripts)?;
        let found =
            Slower { grammar: grammar.clone(), formulas: pairs.len(), ratio: slow_down(&pairs), lost };
        Ok((found.ratio.is_some() || lost > 0).then_some(found))
    }

    /// The release to measure in turn with the one under test.
    fn partner(&self, (before, at): (usize, usize)) -> Option<Partner> {
        if let Some(old) = self.old {
            return Some(Partner { solver: old.clone(), then: None });
        }
        (1..self.now.releases.len()).find_map(|i| {
            let is_same = |r: &crate::Release| r.solver == self.now.releases[i].solver;
            let other = self.baseline.releases.iter().skip(1).position(is_same)? + 1;
            let solved = |cell: &Cell| cell.cpu_us.iter().filter(|t| **t > 0).count() >= FORMULAS;
            let (then, now) = (&self.baseline.cells[other][before], &self.now.cells[i][at]);
            let solver = self.config.solvers.get(i)?.clone();
            (solved(then) && solved(now)).then(|| Partner { solver, then: Some(then.cpu_us.clone()) })
        })
    }

    /// How many of the lost formulas are lost again, above what is gained or allowed.
    fn lost(&self, suspicion: &Suspicion, scripts: &[Vec<u8>]) -> Result<usize, Error> {
        let number = self.now.cells[0][suspicion.grammar.1].cpu_us.len();
        let allowed = allowed(number) + suspicion.gained;
        // More than this many need not be tried: that many lost ones are enough.
        let tried: Vec<usize> = suspicion.lost.iter().copied().take(4 * (allowed + 1)).collect();
        let limit = self.config.timeout;
        let tasks = tried.iter().map(|f| Task { solver: 0, formulas: vec![*f], limit }).collect();
        let least = self.measure(&self.config.solvers[..1], scripts, tasks, None)?;
        let lost = tried.iter().filter(|f| !least.contains_key(&(0, **f))).count();
        Ok(if lost > allowed { lost - suspicion.gained } else { 0 })
    }

    /// The least CPU time of each solver on each formula, one task after the other.
    fn measure(
        &self,
        solvers: &[NamedSolver],
        scripts: &[Vec<u8>],
        tasks: Vec<Task>,
        until: Option<Instant>,
    ) -> Result<Least, Error> {
        let mut least = Least::new();
        let (memory, mode) = (self.config.memory, self.config.mode);
        let setting = Setting { jobs: 1, memory, mode, limit_is_cpu: true };
        let is_over = || self.stop.load(Relaxed) || until.is_some_and(|t| Instant::now() >= t);
        work(solvers, scripts, &tasks, setting, &is_over, |answers| {
            for (solver, formula, known) in answers {
                if is_decided(&known.outcome) {
                    let us = known.outcome.usage.cpu.as_secs_f64() * 1e6;
                    least.entry((solver, formula)).and_modify(|t| *t = t.min(us)).or_insert(us.max(1.0));
                }
            }
            Ok(())
        })?;
        Ok(least)
    }
}

struct Partner {
    solver: NamedSolver,
    /// CPU times of the baseline, unless this is the release of the baseline.
    then: Option<Vec<u64>>,
}

/// Formulas to measure again, spread over all: not those with the largest ratios, which chance has chosen.
fn choose(formulas: &[usize], times_us: &[u64]) -> Vec<usize> {
    // Long ones are left out while enough others remain.
    let mut short = formulas.to_vec();
    short.sort_by_key(|f| times_us[*f]);
    let affordable = AGAIN_TIME.as_micros() as u64 / (2 * ROUNDS * AGAIN) as u64;
    let keep = short.partition_point(|f| times_us[*f] <= affordable).max(FORMULAS).min(short.len());
    short.truncate(keep);
    short.sort_unstable();
    let step = short.len().div_ceil(AGAIN).max(1);
    short.into_iter().step_by(step).collect()
}

/// How many formulas a study within a budget has.
#[derive(Clone, Copy, Debug)]
pub enum Size<'a> {
    /// Those of the baseline.
    Of(&'a Baseline),
    /// Those of the configuration.
    Given,
    /// As many as there is time for.
    Affordable,
}

/// A study that fits a budget.
pub fn within(
    config: &StudyConfig,
    budget: Duration,
    size: Size<'_>,
    stop: &AtomicBool,
    sink: &dyn EventSink,
) -> Result<Study, Error> {
    let started = Instant::now();
    let mut config = StudyConfig { keep_times: true, ..config.clone() };
    match size {
        Size::Of(baseline) => config.grammars.clone_from(&baseline.grammars),
        Size::Given => {}
        Size::Affordable => {
            let names: Vec<String> = config.grammars.iter().map(|(name, _)| name.clone()).collect();
            let share = budget.mul_f64(PLANNED) / names.len().max(1) as u32;
            let mut planned = Vec::new();
            for name in names {
                config.grammars = vec![(name.clone(), PILOT)];
                config.time = Some(share);
                let pilot = Instant::now();
                let found = study(&config, stop, sink)?;
                // What a formula takes on all releases; starting these is over with the pilot.
                let rates = found.cells.iter().flatten().map(|c| c.throughput);
                let each: f64 = rates.filter(|r| *r > 0.0).map(|r| 1.0 / r).sum::<f64>() / config.jobs as f64;
                let left = share.saturating_sub(pilot.elapsed()).as_secs_f64();
                let count = if each > 0.0 { (left / each) as u64 } else { PILOT };
                planned.push((name, count.clamp(PILOT, MOST)));
            }
            config.grammars = planned;
        }
    }
    config.time = Some(budget.saturating_sub(started.elapsed()));
    study(&config, stop, sink)
}

#[cfg(test)]
mod tests;
