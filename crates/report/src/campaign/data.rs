//! The data on the pages of a campaign, read from its store.

use smelt_solvers::Profiles;
use smelt_store::{Answer, Bug, Counts, Error, LogicCounts, Spans, Store, Stored, bugs};
use smelt_triage::Mute;
use std::collections::BTreeMap;
use std::time::Duration;

use crate::facts::{Facts, script};

/// A campaign.
pub(super) struct Campaign<'a> {
    pub(super) store: &'a Store,
    pub(super) profiles: &'a Profiles,
    /// The bugs that are not muted, the most urgent first, and behind them the findings that were not examined.
    pub(super) all: Vec<Bug>,
    pub(super) muted: u64,
    pub(super) flaky: u64,
    /// All findings by number.
    pub(super) findings: BTreeMap<String, Stored>,
    pub(super) outcomes: BTreeMap<(String, String), [u64; 3]>,
    pub(super) spans: Spans,
    pub(super) samples: Vec<BTreeMap<String, Answer>>,
    pub(super) logics: BTreeMap<String, LogicCounts>,
    pub(super) strategies: BTreeMap<String, (u64, Counts)>,
    pub(super) seeds: u64,
    pub(super) tests: u64,
    pub(super) wall: Duration,
    /// What the user asked for, as JSON.
    pub(super) request: serde_json::Value,
}

impl<'a> Campaign<'a> {
    pub(super) fn read(store: &'a Store, profiles: &'a Profiles, mute: &Mute) -> Result<Campaign<'a>, Error> {
        let (muted, all): (Vec<Bug>, Vec<Bug>) =
            bugs(store, profiles, mute)?.into_iter().partition(|b| b.muted.is_some());
        let findings: BTreeMap<String, Stored> =
            store.stored()?.into_iter().map(|s| (s.finding.id.clone(), s)).collect();
        let number = |key: &str| -> Result<u64, Error> {
            Ok(store.value(key)?.and_then(|v| v.parse().ok()).unwrap_or(0))
        };
        let request = match store.value("request")? {
            Some(text) => Some(text),
            None => store.value("evolve")?,
        };
        Ok(Campaign {
            store,
            profiles,
            muted: muted.len() as u64,
            flaky: findings.values().filter(|s| s.flaky).count() as u64,
            all,
            findings,
            outcomes: store.outcomes()?,
            spans: store.spans()?,
            samples: store.samples()?,
            logics: store.logics()?,
            strategies: store.tests()?,
            seeds: store.seeds()?.len() as u64,
            tests: number("tests")?,
            wall: Duration::from_millis(number("wall_ms")?),
            request: request.and_then(|v| serde_json::from_str(&v).ok()).unwrap_or_default(),
        })
    }

    /// The bugs. What was not examined is not counted: it may be one of them.
    pub(super) fn bugs(&self) -> &[Bug] {
        &self.all[..self.all.partition_point(|b| b.dossier.is_some())]
    }

    /// The findings that were not examined.
    pub(super) fn open(&self) -> &[Bug] {
        &self.all[self.bugs().len()..]
    }

    /// The solvers that were asked, by name.
    pub(super) fn solvers(&self) -> Vec<&str> {
        let mut all: Vec<&str> = self.outcomes.keys().map(|k| k.0.as_str()).collect();
        all.dedup();
        all
    }

    /// When a bug was first found.
    pub(super) fn found_at(&self, bug: &Bug) -> Option<Duration> {
        bug.members.iter().filter_map(|m| self.findings.get(m)?.at).min()
    }

    /// The facts about a bug; a script that cannot be read is left out.
    pub(super) fn facts(&self, bug: &Bug) -> Facts {
        Facts::of(self.store, self.profiles, bug, &script(bug).unwrap_or_default())
    }
}
