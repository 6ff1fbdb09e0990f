//! What the pages of a campaign show, read from its store.

use smelt_core::{Dossier, Evidence};
use smelt_solvers::{Profiles, ReportPolicy};
use smelt_store::{Answer, Bug, Counts, Error, LogicCounts, Spans, Store, Stored, bugs};
use smelt_triage::Mute;
use std::collections::BTreeMap;
use std::time::Duration;

use crate::issue::{alone, at_fault, capital, formula, sentence, with_command};
use crate::title::{name, title};

/// A campaign.
pub(super) struct Campaign<'a> {
    pub(super) store: &'a Store,
    pub(super) profiles: &'a Profiles,
    /// The bugs that are not muted, the most urgent first.
    pub(super) bugs: Vec<Bug>,
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
        let (muted, bugs): (Vec<Bug>, Vec<Bug>) =
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
            bugs,
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

    /// What the maintainers of the accused solver ask of reports.
    pub(super) fn maintainers(&self, dossier: &Dossier) -> ReportPolicy {
        self.profiles.get(&dossier.profile).map(|p| p.maintainers.clone()).unwrap_or_default()
    }

    /// The script that shows a bug best, as text: the reduced one if there is one.
    pub(super) fn script(&self, bug: &Bug) -> String {
        let f = &bug.finding.finding;
        let file = f.reduced.as_ref().unwrap_or(&f.file);
        std::fs::read(file).map(|text| String::from_utf8_lossy(&text).into_owned()).unwrap_or_default()
    }
}

/// A bug in words and with its formula.
pub(super) struct Telling {
    /// One line, with code between backticks.
    pub(super) title: String,
    /// What the solver does, with code between backticks.
    pub(super) sentence: String,
    /// The formula that shows it.
    pub(super) formula: String,
}

/// Tells a bug: a wrong operator alone says more than the script in which it was found.
pub(super) fn tell(bug: &Bug, script: &str) -> Telling {
    let Some(d) = &bug.dossier else {
        return Telling {
            title: format!("{}: {}", solver_names(bug), bug.kind.row().title),
            sentence: format!(
                "{}. It was not examined yet, and may be one of the other bugs.",
                capital(&bug.finding.claim.reason.to_string())
            ),
            formula: with_command(bug.kind, script),
        };
    };
    let kind = if alone(d, bug.kind).is_some() { bug.kind } else { d.kind };
    Telling { title: title(d, kind), sentence: sentence(d, kind), formula: formula(d, bug.kind, script) }
}

/// The names of the accused.
pub(super) fn solver_names(bug: &Bug) -> String {
    match &bug.dossier {
        Some(d) => d.accused.iter().map(name).collect::<Vec<_>>().join(" / "),
        None => bug.finding.finding.accused.iter().map(name).collect::<Vec<_>>().join(" / "),
    }
}

/// The operator or construct at fault, or the operators that the smallest script needs.
pub(super) fn operators(bug: &Bug) -> String {
    let Some(d) = &bug.dossier else { return String::new() };
    match at_fault(d) {
        Some(construct) => construct.to_owned(),
        None => d.cause().operators().join(" "),
    }
}

/// The theory of a bug.
pub(super) fn theory(bug: &Bug) -> &str {
    match &bug.dossier {
        Some(d) => &d.theory,
        None => bug.finding.finding.theory.as_deref().unwrap_or_default(),
    }
}

/// The evidence of a bug.
pub(super) fn evidence(bug: &Bug) -> Option<Evidence> {
    bug.dossier.as_ref().map_or(bug.finding.finding.evidence, |d| d.evidence_of(bug.kind))
}
