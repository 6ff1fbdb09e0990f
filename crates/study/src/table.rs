//! The figures of a study.

use serde::{Deserialize, Serialize};
use smelt_core::{Evidence, FindingKind, Outcome, OutcomeKind};
use smelt_trial::{is_decided, labels};
use std::collections::BTreeMap;

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
    pub from: u64,
    /// Variables in each formula.
    pub vars: u32,
    /// Assertions in each formula.
    pub asserts: u32,
    /// The full time limit of a query in seconds.
    pub timeout_s: f64,
    /// Whether every query had a process of its own.
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
    /// Formulas that every release was asked and none refused: releases are compared on these.
    #[serde(default)]
    pub common: u64,
    /// How many of these it solved within each of the limits.
    pub solved: Vec<u64>,
    /// Formulas that all releases of its family solved.
    pub joint: u64,
    /// The time it took for these together, in seconds.
    pub joint_s: f64,
    /// Formulas a second, over all that were put to it.
    pub throughput: f64,
    /// Whether it crashed on nearly all formulas, as a build without the theory does; then crashes are not triggers.
    pub lacks_theory: bool,
    /// Formulas that had only the short time limit, because the time of the study was up.
    pub limited: u64,
    /// By formula, microseconds of CPU time if it was solved, 0 if not; kept for comparing only.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub cpu_us: Vec<u64>,
    /// Indices of formulas with confirmed triggers, with the kind.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub wrong: Vec<(u64, FindingKind)>,
}

/// A formula that a release is wrong about.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Trigger {
    /// The grammar.
    pub grammar: String,
    /// The index of the formula in its grammar.
    pub index: u64,
    /// The release.
    pub release: String,
    /// `unsound`, `invalid-model` or `crash`.
    pub kind: FindingKind,
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
            from: config.from,
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
        config: &StudyConfig,
        grammar: usize,
        outcomes: &[Vec<Option<Outcome>>],
        limited: &[u64],
        wrong: Vec<Wrong>,
        (indices, scripts): (&[u64], &[Vec<u8>]),
    ) {
        let solved = |f: usize, s: usize| {
            outcomes[f][s].as_ref().filter(|o| is_decided(o)).map(|o| o.usage.time().as_secs_f64())
        };
        let is_common = |row: &Vec<Option<Outcome>>| {
            row.iter().all(|o| o.as_ref().is_some_and(|o| o.kind != OutcomeKind::Rejected))
        };
        for release in 0..self.releases.len() {
            let family: Vec<usize> = (0..self.releases.len())
                .filter(|r| self.releases[*r].family == self.releases[release].family)
                .collect();
            let cell = &mut self.cells[release][grammar];
            cell.solved = vec![0; LIMITS.len()];
            cell.limited = limited[release];
            cell.lacks_theory = lacks_theory(outcomes, release);
            let mut total = 0.0;
            let mut asked = 0;
            for (formula, row) in outcomes.iter().enumerate() {
                if config.keep_times {
                    let solved = row[release].as_ref().filter(|o| is_decided(o));
                    cell.cpu_us.push(solved.map_or(0, |o| o.usage.cpu.as_micros().max(1) as u64));
                }
                let Some(outcome) = &row[release] else { continue };
                asked += 1;
                total += outcome.usage.time().as_secs_f64();
                *cell.outcomes.entry(outcome.kind.as_str().to_owned()).or_default() += 1;
                let seconds = solved(formula, release);
                if is_common(row) {
                    cell.common += 1;
                    for (count, limit) in cell.solved.iter_mut().zip(LIMITS) {
                        *count += u64::from(seconds.is_some_and(|s| s <= limit));
                    }
                }
                if family.iter().all(|r| solved(formula, *r).is_some()) {
                    cell.joint += 1;
                    cell.joint_s += seconds.unwrap_or(0.0);
                }
            }
            cell.throughput = f64::from(asked) / total.max(1e-9);
        }
        let mut kept: BTreeMap<(usize, FindingKind), usize> = BTreeMap::new();
        for s in wrong {
            if !s.confirmed {
                self.unconfirmed += 1;
                continue;
            }
            let cell = &mut self.cells[s.solver][grammar];
            match s.kind {
                FindingKind::Crash => cell.crash += 1,
                FindingKind::InvalidModel => cell.invalid_model += 1,
                _ => {
                    cell.unsound += 1;
                    cell.unsettled += u64::from(s.evidence.is_none());
                }
            }
            cell.wrong.push((indices[s.formula], s.kind));
            let count = kept.entry((s.solver, s.kind)).or_default();
            *count += 1;
            if *count <= EXAMPLES {
                self.triggers.push(Trigger {
                    grammar: self.grammars[grammar].0.clone(),
                    index: indices[s.formula],
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
    pub fn reach(&self, grammar: usize, share: f64) -> Option<(u64, u64)> {
        let mut all: Vec<u64> =
            self.cells.iter().flat_map(|row| row[grammar].wrong.iter().map(|w| w.0)).collect();
        all.sort_unstable();
        let wanted = ((all.len() as f64 * share).ceil() as usize).max(1);
        Some((all.get(wanted - 1)? - self.from.min(all[0]) + 1, all.len() as u64))
    }

    /// Confirmed triggers of a release.
    pub fn wrong(&self, release: usize) -> u64 {
        self.cells[release].iter().map(|c| c.unsound + c.invalid_model + c.crash).sum()
    }
}
