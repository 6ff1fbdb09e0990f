//! Studies for continuous integration: as many formulas as a budget allows, compared with a baseline.
//!
//! The first release is the one under test. It fails on triggers that the baseline does not have, and on a slow-down
//! that neither chance nor the machine explains: its time on formulas that it solved both times is compared with the
//! times of the other releases then and now, and with a sign test over the formulas.

use serde::{Deserialize, Serialize};
use smelt_core::{EventSink, FindingKind};
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use crate::table::Study;
use crate::{StudyConfig, study};
use smelt_store::Error;

/// A study that others are compared with.
pub type Baseline = Study;

/// The result of the comparison with a baseline.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Verdict {
    /// Triggers that the baseline does not have: grammar, index of the formula, kind.
    pub new_triggers: Vec<(String, u64, FindingKind)>,
    /// Grammars on which the release is slower, and how much.
    pub slower: Vec<Slower>,
}

/// A slow-down.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Slower {
    /// The grammar.
    pub grammar: String,
    /// Formulas that were solved both times.
    pub formulas: usize,
    /// Their time now over their time then, as far as the machine does not explain it.
    pub ratio: f64,
    /// Formulas that were solved then and are not now, less those the other way round.
    pub lost: i64,
}

impl Verdict {
    /// Whether nothing got worse.
    pub fn is_good(&self) -> bool {
        self.new_triggers.is_empty() && self.slower.is_empty()
    }
}

/// A slow-down counts from this factor on.
const FACTOR: f64 = 1.25;
/// And if it is this many standard deviations from chance.
const DEVIATIONS: f64 = 4.0;
/// With at least this many formulas.
const FORMULAS: usize = 20;
/// Formulas that may be lost to chance, at least.
const LOST: i64 = 3;
/// Formulas of each grammar that tell how long one takes.
const PILOT: u64 = 30;
/// The most of one grammar.
const MOST: u64 = 50_000;
/// The share of a budget that is planned for; the rest is for formulas that turn out slow.
const PLANNED: f64 = 0.7;

/// Compares a study with a baseline.
pub fn compare(baseline: &Baseline, now: &Study) -> Verdict {
    let mut verdict = Verdict::default();
    for (at, (grammar, _)) in now.grammars.iter().enumerate() {
        let Some(before) = baseline.grammars.iter().position(|(name, _)| name == grammar) else { continue };
        let (Some(old), Some(new)) = (baseline.cells.first(), now.cells.first()) else { continue };
        let (old, new) = (&old[before], &new[at]);
        let known = |wrong: &(u64, FindingKind)| old.wrong.contains(wrong);
        let triggers = new.wrong.iter().filter(|w| !known(w)).map(|w| (grammar.clone(), w.0, w.1));
        verdict.new_triggers.extend(triggers);
        verdict.slower.extend(slower(
            grammar,
            &machine(baseline, now, (before, at)),
            &old.times_us,
            &new.times_us,
        ));
    }
    verdict
}

/// How much slower the machine is, by those releases that both studies have.
fn machine(baseline: &Baseline, now: &Study, (before, at): (usize, usize)) -> f64 {
    let mut sums = (0u64, 0u64);
    for (release, cells) in now.releases.iter().zip(&now.cells).skip(1) {
        let same = baseline.releases.iter().skip(1).position(|r| r.solver == release.solver);
        let Some(other) = same.and_then(|i| baseline.cells.get(i + 1)) else { continue };
        for (a, b) in
            other[before].times_us.iter().zip(&cells[at].times_us).filter(|(a, b)| **a > 0 && **b > 0)
        {
            sums = (sums.0 + a, sums.1 + b);
        }
    }
    if sums.0 == 0 { 1.0 } else { sums.1 as f64 / sums.0 as f64 }
}

fn slower(grammar: &str, machine: &f64, before: &[u64], now: &[u64]) -> Option<Slower> {
    let both: Vec<(f64, f64)> = before
        .iter()
        .zip(now)
        .filter(|(a, b)| **a > 0 && **b > 0)
        .map(|(a, b)| (*a as f64 * machine, *b as f64))
        .collect();
    let lost: i64 = before.iter().zip(now).map(|(a, b)| i64::from(*a > 0) - i64::from(*b > 0)).sum();
    let (then, since) = both.iter().fold((0.0, 0.0), |sum, (a, b)| (sum.0 + a, sum.1 + b));
    let ratio = if then > 0.0 { since / then } else { 1.0 };
    let slow = both.iter().filter(|(a, b)| *b > a * 1.1).count() as f64;
    let fast = both.iter().filter(|(a, b)| *a > b * 1.1).count() as f64;
    let deviations = (slow - fast) / (slow + fast).sqrt().max(1.0);
    let is_slower = both.len() >= FORMULAS && ratio > FACTOR && deviations > DEVIATIONS;
    let allowed = LOST.max((before.len() / 100) as i64);
    (is_slower || lost > allowed).then(|| Slower {
        grammar: grammar.to_owned(),
        formulas: both.len(),
        ratio,
        lost,
    })
}

/// A study that fits a budget: of as many formulas as the baseline has, or as there is time for.
pub fn within(
    config: &StudyConfig,
    budget: Duration,
    baseline: Option<&Baseline>,
    stop: &AtomicBool,
    sink: &dyn EventSink,
) -> Result<Study, Error> {
    let started = Instant::now();
    let mut config = StudyConfig { keep_times: true, ..config.clone() };
    match baseline {
        Some(baseline) => config.grammars.clone_from(&baseline.grammars),
        None => {
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
mod tests {
    use super::*;
    use crate::table::{Cell, Release};

    fn study_of(times: &[&[u64]], wrong: &[(u64, FindingKind)]) -> Study {
        let release = |i: usize| Release { solver: format!("s{i}"), ..Release::default() };
        let cell = |i: usize| Cell {
            times_us: times[i].to_vec(),
            wrong: if i == 0 { wrong.to_vec() } else { Vec::new() },
            ..Cell::default()
        };
        Study {
            grammars: vec![("core".into(), times[0].len() as u64)],
            releases: (0..times.len()).map(release).collect(),
            cells: (0..times.len()).map(|i| vec![cell(i)]).collect(),
            ..Study::default()
        }
    }

    #[test]
    fn a_slower_machine_is_no_slow_down_and_a_slower_solver_is() {
        let base = study_of(&[&[1000; 100], &[800; 100]], &[]);
        assert!(compare(&base, &base).is_good());
        assert!(compare(&base, &study_of(&[&[2000; 100], &[1600; 100]], &[])).is_good());
        let slow = compare(&base, &study_of(&[&[2000; 100], &[800; 100]], &[]));
        assert!((slow.slower[0].ratio - 2.0).abs() < 1e-9);
        // One slow formula is not a slow-down of the grammar.
        let mut one = [1000; 100];
        one[5] = 90_000;
        assert!(compare(&base, &study_of(&[&one, &[800; 100]], &[])).is_good());
        let mut lost = [1000; 100];
        lost[..4].fill(0);
        assert_eq!(compare(&base, &study_of(&[&lost, &[800; 100]], &[])).slower[0].lost, 4);
    }

    #[test]
    fn only_new_triggers_count() {
        let base = study_of(&[&[1000; 10]], &[(3, FindingKind::Crash)]);
        let same = study_of(&[&[1000; 10]], &[(3, FindingKind::Crash)]);
        assert!(compare(&base, &same).is_good());
        let worse = study_of(&[&[1000; 10]], &[(3, FindingKind::Unsound)]);
        assert_eq!(compare(&base, &worse).new_triggers, [("core".to_owned(), 3, FindingKind::Unsound)]);
    }
}
