//! The summary of a campaign.

use serde::Serialize;
use smelt_core::FindingRow;
use smelt_solvers::Profiles;
use std::collections::BTreeMap;

use crate::lab::Lab;
use crate::numbering::Guarantee;
use crate::numbers::Shard;
use crate::plan::Plan;
use smelt_store::{Error, Store, bugs};
use smelt_strategies::Skip;
use smelt_triage::Mute;

/// The results of a campaign, for people and programs. Counts include earlier runs of a resumed campaign.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Summary {
    /// Cases made and run.
    pub tests: u64,
    /// Queries run on solvers; confirmations are not counted.
    pub solver_calls: u64,
    /// CPU time of the solvers in seconds.
    pub cpu_s: f64,
    /// Wall time in seconds.
    pub wall_s: f64,
    /// Tests a second of this run, from its start to its last test; what is examined after that does not count.
    pub rate: Option<f64>,
    /// Tests of this run, and its seconds from its start to its last test.
    #[serde(skip)]
    pub this_run: (u64, f64),
    /// Cases by strategy.
    pub by_strategy: BTreeMap<String, u64>,
    /// Calls by outcome.
    pub by_outcome: BTreeMap<String, u64>,
    /// What each solver did.
    pub solvers: Vec<SolverRow>,
    /// What each strategy did.
    pub strategies: Vec<StrategyRow>,
    /// Seeds that cannot be used.
    pub unusable_seeds: Vec<UnusableSeed>,
    /// Whether the run ended because no strategy made another case.
    pub out_of_cases: bool,
    /// How many seeds no solver answered: they are mostly skipped.
    pub unanswered_seeds: u64,
    /// These seeds, and what each solver did with them.
    pub unanswered: Vec<UnusableSeed>,
    /// The share of the workers' time in which a solver ran, in this run.
    pub solver_share: f64,
    /// The seed of all random choices.
    pub seed: u64,
    /// Findings that did not repeat in fresh processes.
    pub flaky: u64,
    /// The folder.
    pub out: String,
    /// The sizes that enumerating strategies have finished.
    pub guarantees: Vec<Guarantee>,
    /// How many of the findings were not examined: each may be one of the bugs.
    pub unexamined: u64,
    /// Which numbers of the campaign were run, where cases are functions of their numbers.
    pub shard: Option<ShardRow>,
    /// The confirmed findings: of each bug the finding that shows it best, the most urgent first; then those that were not
    /// examined.
    pub findings: Vec<FindingRow>,
}

/// The numbers of a shard.
#[derive(Clone, Debug, Serialize)]
pub struct ShardRow {
    /// The shard; `1/1` is the whole campaign.
    pub shard: Shard,
    /// How many numbers it has, if they end.
    pub numbers: Option<u64>,
    /// How many of them are done.
    pub done: u64,
    /// How many of these made no case.
    pub empty: u64,
}

/// A seed that cannot be used.
#[derive(Clone, Debug, Default, Serialize)]
pub struct UnusableSeed {
    /// Its name.
    pub seed: String,
    /// The reason.
    pub why: String,
}

/// What a solver did in a campaign.
#[derive(Clone, Debug, Default, Serialize)]
pub struct SolverRow {
    /// Its name.
    pub solver: String,
    /// Queries that it ran.
    pub asked: u64,
    /// Queries it answered with sat or unsat.
    pub answered: u64,
    /// Queries it answered with unknown.
    pub unknown: u64,
    /// Queries stopped at a limit of time or memory.
    pub stopped: u64,
    /// Queries it rejected, or could not work on.
    pub rejected: u64,
    /// Crashes.
    pub crashed: u64,
    /// The share of its time that went into queries that were stopped.
    pub stopped_share: f64,
    /// The commonest reason of a rejection.
    pub reason: Option<String>,
    /// The commonest reason that it gave for unknown.
    pub unknown_reason: Option<String>,
}

/// What a strategy did in a campaign.
#[derive(Clone, Debug, Default, Serialize)]
pub struct StrategyRow {
    /// Its name.
    pub strategy: String,
    /// Cases made.
    pub made: u64,
    /// Cases that solvers decided.
    pub useful: u64,
    /// Cases with a finding.
    pub found: u64,
    /// If it made none, or none was decided, the commonest reason.
    pub reason: Option<String>,
}

impl Summary {
    /// Adds calls, findings and the folder, as the store has them.
    pub(crate) fn add_stored(
        &mut self,
        store: &Store,
        profiles: &Profiles,
        mute: &Mute,
    ) -> Result<(), Error> {
        self.out = store.place();
        for ((_, outcome), [calls, _, cpu]) in store.outcomes()? {
            self.solver_calls += calls;
            self.cpu_s += cpu as f64 / 1e6;
            *self.by_outcome.entry(outcome).or_default() += calls;
        }
        self.flaky = store.stored()?.iter().filter(|s| s.flaky).count() as u64;
        for bug in bugs(store, profiles, mute)?.into_iter().filter(|bug| bug.muted.is_none()) {
            self.unexamined += u64::from(bug.dossier.is_none());
            self.findings.push(bug.as_finding());
        }
        Ok(())
    }
}

/// What each solver did, earlier runs included.
pub(crate) fn solver_rows(store: &Store, solvers: &[String]) -> Result<Vec<SolverRow>, Error> {
    let outcomes = store.outcomes()?;
    let row = |solver: &String| {
        let mut row = SolverRow { solver: solver.clone(), ..SolverRow::default() };
        let (mut all, mut stopped) = (0u64, 0u64);
        for ((solver, outcome), [calls, _, cpu]) in &outcomes {
            if *solver != row.solver {
                continue;
            }
            all += cpu;
            row.asked += calls;
            match outcome.as_str() {
                "sat" | "unsat" => row.answered += calls,
                "unknown" => row.unknown += calls,
                "timeout" | "memout" => {
                    row.stopped += calls;
                    stopped += cpu;
                }
                "crash" => row.crashed += calls,
                _ => row.rejected += calls,
            }
        }
        row.stopped_share = stopped as f64 / (all.max(1)) as f64;
        row
    };
    Ok(solvers.iter().map(row).collect())
}

/// What each strategy did; the reasons are those of this run.
pub(crate) fn strategy_rows(store: &Store, lab: &Lab<'_>) -> Result<Vec<StrategyRow>, Error> {
    let tests = store.tests()?;
    let row = |(i, plan): (usize, &Plan)| {
        let name = plan.row.name;
        let (made, [_, useful, found, _]) = tests.get(name).copied().unwrap_or_default();
        let reason = lab.counters.commonest_skip(i).filter(|_| made == 0).map(|skip| match skip {
            Skip::UnknownStatus => format!("{skip} (run `smelt seeds label` to determine it)"),
            skip => skip.to_string(),
        });
        let undecided = || "too few solvers answered its tests".to_owned();
        let reason = reason.or_else(|| (made > 0 && useful == 0 && found == 0).then(undecided));
        StrategyRow { strategy: name.to_owned(), made, useful: useful as u64, found: found as u64, reason }
    };
    Ok(lab.strategies.iter().enumerate().map(row).collect())
}
