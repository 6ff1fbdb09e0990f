//! The figures of a study.

use serde::{Deserialize, Serialize};
use smelt_core::{Evidence, Kind, Outcome, OutcomeKind};
use smelt_strategies::enumerate::Index;
use smelt_trial::{is_decided, labels};
use std::collections::BTreeMap;

use crate::index::FormulaIndex;
use crate::trigger::{Wrong, lacks_theory, references};
use crate::{Formulas, StudyConfig};

/// Time limits that solved formulas are counted for, in seconds: 2^-6 to 8.
pub const LIMITS: [f64; 10] = [0.015625, 0.03125, 0.0625, 0.125, 0.25, 0.5, 1.0, 2.0, 4.0, 8.0];
/// How many triggers of one kind, release and grammar are kept in full.
const EXAMPLES: usize = 3;

/// The results of a study.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Study {
    /// The version of smelt.
    pub smelt: String,
    /// Grammars and how many formulas of each.
    pub grammars: Vec<(String, u64)>,
    /// The index of the first formula.
    #[serde(default)]
    pub from: FormulaIndex,
    /// How often each answer was measured.
    #[serde(default)]
    pub repeat: u32,
    /// Variables in each formula.
    pub vars: u32,
    /// Assertions in each formula.
    pub asserts: u32,
    /// The full time limit of a query in seconds.
    pub timeout_s: f64,
    /// Whether every query had its own process.
    pub fresh: bool,
    /// Wall time of the study in seconds; cached answers took none.
    pub wall_s: f64,
    /// The releases, in the order they were named.
    pub releases: Vec<Release>,
    /// By release and grammar.
    pub cells: Vec<Vec<Cell>>,
    /// Confirmed triggers: some of each kind, release and grammar in full.
    pub triggers: Vec<Trigger>,
    /// Triggers that did not repeat in a fresh process.
    pub unconfirmed: u64,
}

/// A release in a study.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Release {
    /// Name and version.
    pub solver: String,
    /// What to write after `-S`.
    pub spec: String,
    /// What it is a build of.
    pub family: String,
    /// Its program and command line, as [`smelt_solvers::Solver::identity`] has them.
    #[serde(default)]
    pub identity: String,
    /// Whom its answers are held against where nothing else settles them.
    pub reference: Option<String>,
}

/// One release on one grammar.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Cell {
    /// How many formulas ended how.
    pub outcomes: BTreeMap<String, u64>,
    /// Confirmed triggers: the wrong answer.
    pub unsound: u64,
    /// How many of these depend on the reference alone.
    pub unsettled: u64,
    /// Confirmed triggers: a wrong model.
    pub invalid_model: u64,
    /// Confirmed triggers: a crash.
    pub crash: u64,
    /// Formulas that every release was asked within the full time limit, and none refused: releases are compared on these.
    #[serde(default)]
    pub common: u64,
    /// How many of these it solved within each of the limits.
    pub solved: Vec<u64>,
    /// Formulas that all releases of its family solved.
    pub joint: u64,
    /// The time it took for these together, in seconds.
    pub joint_s: f64,
    /// Formulas a second, over the common ones.
    pub throughput: f64,
    /// Whether it crashed on nearly all formulas, as a build without the theory does; then crashes are not triggers.
    pub lacks_theory: bool,
    /// Formulas that had only the short time limit, because the time of the study was up.
    pub limited: u64,
    /// Formulas whose outcome was not the same in all runs.
    #[serde(default)]
    pub changed: u64,
    /// By formula, microseconds of CPU time if it was solved, 0 if not; kept for comparing only.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub cpu_us: Vec<u64>,
    /// Indices of formulas with confirmed triggers, with the kind.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub wrong: Vec<(FormulaIndex, Kind)>,
}

/// A formula that a release is wrong about.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Trigger {
    /// The grammar.
    pub grammar: String,
    /// The index of the formula in its grammar.
    pub index: FormulaIndex,
    /// The release.
    pub release: String,
    /// `unsound`, `invalid-model` or `crash`.
    pub kind: Kind,
    /// The evidence; `None` for a crash, and if only the reference contradicts it.
    pub evidence: Option<Evidence>,
    /// The evidence in words.
    pub reason: String,
    /// The formula.
    pub script: String,
}

impl Study {
    pub(super) fn new(config: &StudyConfig, grammars: &[(String, Formulas)]) -> Study {
        let labels = labels(&config.solvers);
        let id = |i: usize| labels[i].clone();
        let references = references(&config.solvers);
        let release = |i: usize| Release {
            solver: id(i),
            spec: config.solvers[i].spec.clone(),
            family: config.solvers[i].family().to_owned(),
            identity: config.solvers[i].solver.identity().unwrap_or_default(),
            reference: references[i].map(id),
        };
        Study {
            smelt: env!("CARGO_PKG_VERSION").to_owned(),
            grammars: grammars.iter().map(|(name, f)| (name.clone(), f.scripts.len() as u64)).collect(),
            from: config.from.clone(),
            repeat: config.repeat.max(1),
            vars: config.params.vars,
            asserts: config.params.asserts,
            timeout_s: config.timeout.as_secs_f64(),
            fresh: config.mode == smelt_solvers::Mode::Fresh,
            releases: (0..config.solvers.len()).map(release).collect(),
            cells: config.solvers.iter().map(|_| vec![Cell::default(); grammars.len()]).collect(),
            ..Study::default()
        }
    }

    /// Adds the results of a grammar.
    pub(super) fn add(
        &mut self,
        keep_times: bool,
        grammar: usize,
        (outcomes, short, changed): (&[Vec<Option<Outcome>>], &[Vec<bool>], &[u64]),
        wrong: Vec<Wrong>,
        (indices, scripts): (&[FormulaIndex], &[Vec<u8>]),
    ) {
        let solved = |f: usize, s: usize| {
            outcomes[f][s].as_ref().filter(|o| is_decided(o)).map(|o| o.usage.time().as_secs_f64())
        };
        let is_common = |formula: usize| {
            let answered = |o: &Option<Outcome>| o.as_ref().is_some_and(|o| o.kind != OutcomeKind::Rejected);
            outcomes[formula].iter().all(answered) && !short[formula].contains(&true)
        };
        for release in 0..self.releases.len() {
            let family: Vec<usize> = (0..self.releases.len())
                .filter(|r| self.releases[*r].family == self.releases[release].family)
                .collect();
            let cell = &mut self.cells[release][grammar];
            cell.solved = vec![0; LIMITS.len()];
            cell.limited = short.iter().filter(|row| row[release]).count() as u64;
            cell.changed = changed.get(release).copied().unwrap_or_default();
            cell.lacks_theory = lacks_theory(outcomes, release);
            let mut total = 0.0;
            for (formula, row) in outcomes.iter().enumerate() {
                if keep_times {
                    let solved = row[release].as_ref().filter(|o| is_decided(o));
                    cell.cpu_us.push(solved.map_or(0, |o| o.usage.cpu.as_micros().max(1) as u64));
                }
                let Some(outcome) = &row[release] else { continue };
                *cell.outcomes.entry(outcome.kind.as_str().to_owned()).or_default() += 1;
                let seconds = solved(formula, release);
                if is_common(formula) {
                    cell.common += 1;
                    total += outcome.usage.time().as_secs_f64();
                    for (count, limit) in cell.solved.iter_mut().zip(LIMITS) {
                        *count += u64::from(seconds.is_some_and(|s| s <= limit));
                    }
                }
                if family.iter().all(|r| solved(formula, *r).is_some()) {
                    cell.joint += 1;
                    cell.joint_s += seconds.unwrap_or(0.0);
                }
            }
            cell.throughput = if cell.common > 0 { cell.common as f64 / total.max(1e-9) } else { 0.0 };
        }
        let mut kept: BTreeMap<(usize, Kind), usize> = BTreeMap::new();
        for s in wrong {
            if !s.confirmed {
                self.unconfirmed += 1;
                continue;
            }
            let cell = &mut self.cells[s.solver][grammar];
            match s.kind {
                Kind::Crash => cell.crash += 1,
                Kind::InvalidModel => cell.invalid_model += 1,
                _ => {
                    cell.unsound += 1;
                    cell.unsettled += u64::from(s.evidence.is_none());
                }
            }
            cell.wrong.push((indices[s.formula].clone(), s.kind));
            let count = kept.entry((s.solver, s.kind)).or_default();
            *count += 1;
            if *count <= EXAMPLES {
                self.triggers.push(Trigger {
                    grammar: self.grammars[grammar].0.clone(),
                    index: indices[s.formula].clone(),
                    release: self.releases[s.solver].solver.clone(),
                    kind: s.kind,
                    evidence: s.evidence,
                    reason: s.reason,
                    script: String::from_utf8_lossy(&scripts[s.formula]).into_owned(),
                });
            }
        }
    }

    /// For a grammar, how many of its formulas must be run, in order, to meet this share of all triggers; and how many
    /// triggers there are.
    pub fn reach(&self, grammar: usize, share: f64) -> Option<(FormulaIndex, u64)> {
        let mut all: Vec<&FormulaIndex> =
            self.cells.iter().flat_map(|row| row[grammar].wrong.iter().map(|w| &w.0)).collect();
        all.sort_unstable();
        let wanted = ((all.len() as f64 * share).ceil() as usize).max(1);
        let first = (&self.from).min(all.first()?);
        Some((FormulaIndex(&all.get(wanted - 1)?.0 - &first.0 + Index::from(1u8)), all.len() as u64))
    }

    /// Confirmed triggers of a release.
    pub fn wrong(&self, release: usize) -> u64 {
        self.cells[release].iter().map(|c| c.unsound + c.invalid_model + c.crash).sum()
    }

    /// Those that contradict a reference, where nothing shows which of the two is wrong.
    pub fn unsettled(&self, release: usize) -> u64 {
        self.cells[release].iter().map(|c| c.unsettled).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use smelt_core::Usage;
    use std::time::Duration;

    #[test]
    fn releases_are_compared_on_formulas_that_all_were_asked_in_full_and_none_rejected() {
        let said = |kind: OutcomeKind, ms: u64| {
            let time = Duration::from_millis(ms);
            let usage = Usage { wall: time, cpu: time, peak_memory: 0 };
            Some(Outcome { usage, ..Outcome::bare(kind, "") })
        };
        use OutcomeKind::{Rejected, Sat, Timeout, Unknown};
        let outcomes = [
            vec![said(Sat, 10), said(Sat, 500)],
            vec![said(Sat, 10), said(Rejected, 1)],
            vec![said(Sat, 10), None],
            vec![said(Sat, 10), said(Timeout, 250)],
            vec![said(Unknown, 10), said(Sat, 500)],
        ];
        // The second release had only the short limit for the fourth formula.
        let short: Vec<Vec<bool>> = (0..5).map(|f| vec![false, f == 3]).collect();
        let release = |name: &str| Release { family: name.into(), ..Release::default() };
        let mut study = Study {
            grammars: vec![("g".into(), 5)],
            releases: vec![release("a"), release("b")],
            cells: vec![vec![Cell::default()]; 2],
            ..Study::default()
        };
        let (indices, scripts) = ([0, 1, 2, 3, 4].map(FormulaIndex::from), vec![Vec::new(); 5]);
        study.add(false, 0, (&outcomes, &short, &[]), Vec::new(), (&indices, &scripts));
        let cells = [&study.cells[0][0], &study.cells[1][0]];
        assert_eq!(cells.map(|c| c.outcomes.values().sum::<u64>()), [5, 4], "asked");
        assert_eq!(cells.map(|c| (c.common, c.limited)), [(2, 0), (2, 1)]);
        assert_eq!(cells.map(|c| *c.solved.last().unwrap()), [1, 2], "solved of the common ones");
        assert_eq!(cells.map(|c| c.throughput.round()), [100.0, 2.0]);
        assert_eq!((cells[1].outcomes["rejected"], cells[0].outcomes["unknown"]), (1, 1));
    }
}
