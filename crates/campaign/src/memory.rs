//! Results of earlier campaigns: the outcomes of seeds, and of the queries before a campaign.
//!
//! They are stored in the cache of studies, by program, options and script. Outcomes are stored with their models,
//! so that the evidence for the status of a seed is evaluated again each time. Crashes are not cached: a crash must
//! occur again to be reported.

use smelt_core::{Outcome, OutcomeKind, SeedHash};
use smelt_solvers::Mode;
use smelt_store::Error;
use smelt_store::cache::{Cache, Known};
use smelt_trial::NamedSolver;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Where outcomes are kept, and the identity of each solver; `None` for solvers whose outcomes are not kept.
#[derive(Clone, Debug)]
pub(crate) struct Place {
    path: PathBuf,
    identities: Vec<Option<String>>,
}

impl Place {
    pub(crate) fn new(path: &Path, solvers: &[NamedSolver], mode: Mode) -> Place {
        let identity = |named: &NamedSolver| {
            // smelt's own solver is another program after every build, and quick.
            let kept = named.family() != "builtin";
            let identity = kept.then(|| named.solver.identity().ok()).flatten()?;
            let mode = if mode == Mode::Reuse { "reuse" } else { "fresh" };
            Some(format!("{identity} {mode} with models"))
        };
        Place { path: path.to_owned(), identities: solvers.iter().map(identity).collect() }
    }
}

/// An open cache.
pub(crate) struct Memory {
    cache: Cache,
    /// By solver.
    keys: Vec<Option<i64>>,
}

impl Memory {
    pub(crate) fn open(place: &Place) -> Result<Memory, Error> {
        let cache = Cache::open(&place.path)?;
        let key = |identity: &Option<String>| identity.as_ref().map(|i| cache.solver(i)).transpose();
        let keys = place.identities.iter().map(key).collect::<Result<_, Error>>()?;
        Ok(Memory { cache, keys })
    }

    /// What a solver did with a script, if it would do the same within this limit.
    pub(crate) fn known(&self, solver: usize, script: &[u8], limit: Duration) -> Option<Outcome> {
        let known = self.cache.outcome(self.keys[solver]?, SeedHash::of(script).0).ok()??;
        known.is_final(limit).then_some(known.outcome)
    }

    /// Keeps outcomes. A cache that cannot be written to saves no time, and does no harm.
    pub(crate) fn keep<'o>(
        &mut self,
        script: &[u8],
        limit: Duration,
        outcomes: impl Iterator<Item = (usize, &'o Outcome)>,
    ) {
        use OutcomeKind::{Rejected, Sat, Timeout, Unknown, Unsat};
        let formula = SeedHash::of(script).0;
        let row = |(solver, outcome): (usize, &Outcome)| {
            let lasting = matches!(outcome.kind, Sat | Unsat | Unknown | Rejected | Timeout);
            let known = Known { outcome: outcome.clone(), limit };
            Some((self.keys[solver].filter(|_| lasting)?, formula, known))
        };
        let rows: Vec<_> = outcomes.filter_map(row).collect();
        if !rows.is_empty() {
            let _ = self.cache.note(&rows);
        }
    }
}
