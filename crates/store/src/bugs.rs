//! The bugs of a campaign: groups of its findings, made when they are read and never stored.

use smelt_core::FindingKind;
use smelt_solvers::{Profiles, ReportPolicy};
use smelt_triage::{Dossier, Mute, Priority, Standing, outside, partition, priority};

use crate::{Error, Store, Stored};

/// A bug, with all findings that show it.
#[derive(Clone, Debug)]
pub struct Bug {
    /// The number of the finding that shows it best.
    pub id: String,
    /// Its identity.
    pub fingerprint: String,
    /// Its kind: the most urgent kind of its findings.
    pub kind: FindingKind,
    /// The finding that shows it best.
    pub finding: Stored,
    /// The dossier of that finding; `None` if it was not examined yet.
    pub dossier: Option<Dossier>,
    /// The numbers of all findings, that one included.
    pub members: Vec<String>,
    /// How many tests showed it.
    pub triggers: u64,
    /// How urgent it is: 1 is the most.
    pub priority: Priority,
    /// Why its maintainers do not want a report; empty if they do.
    pub outside: Vec<String>,
    /// What it is known as, if it is muted.
    pub muted: Option<String>,
}

impl Bug {
    /// Whether to report it: it is not muted, and its maintainers want a report.
    pub fn is_offered(&self) -> bool {
        self.outside.is_empty() && self.muted.is_none()
    }
}

/// The bugs of a campaign, the most urgent first; those that are not offered last.
pub fn bugs(store: &Store, profiles: &Profiles, mute: &Mute) -> Result<Vec<Bug>, Error> {
    let mut examined: Vec<(Stored, Dossier)> = Vec::new();
    let mut groups: Vec<Vec<Bug>> = Vec::new();
    for stored in store.stored()?.into_iter().filter(|s| !s.flaky) {
        match store.dossier(&stored.finding.id)? {
            Some(dossier) => examined.push((stored, dossier)),
            None => groups.push(vec![bug(stored, None, profiles)]),
        }
    }
    let dossiers: Vec<&Dossier> = examined.iter().map(|e| &e.1).collect();
    for group in partition(&dossiers) {
        let one = |i: usize| bug(examined[i].0.clone(), Some(examined[i].1.clone()), profiles);
        groups.push(group.into_iter().map(one).collect());
    }
    let mut bugs: Vec<Bug> = groups.into_iter().filter_map(join).collect();
    // If only releases distinguish two bugs, the releases are part of the name.
    let all: Vec<String> = bugs.iter().map(|b| b.fingerprint.clone()).collect();
    for bug in &mut bugs {
        if all.iter().filter(|f| **f == bug.fingerprint).count() > 1
            && let Some(dossier) = &bug.dossier
        {
            let bad: Vec<&str> = dossier
                .history
                .with(Standing::Bad)
                .filter_map(|r| Some(r.solver.version()?.as_str()))
                .collect();
            bug.fingerprint = format!("{}@{}", bug.fingerprint, bad.join(","));
        }
    }
    for bug in &mut bugs {
        bug.muted = mute.knows(&bug.fingerprint).map(str::to_owned);
    }
    bugs.sort_by_key(|b| {
        let bytes = b.finding.smallest();
        (b.muted.is_some(), !b.outside.is_empty(), b.priority, b.dossier.is_none(), bytes)
    });
    Ok(bugs)
}

/// A finding as a bug by itself.
fn bug(stored: Stored, dossier: Option<Dossier>, profiles: &Profiles) -> Bug {
    let usual = ReportPolicy::default();
    let profile = dossier.as_ref().and_then(|d| profiles.get(&d.profile));
    let maintainers = profile.map_or(&usual, |p| &p.maintainers);
    let settled = match &dossier {
        Some(d) => d.accused.len() == 1,
        None => !stored.finding.solver.name().contains(" / "),
    };
    let default = dossier.as_ref().is_none_or(|d| d.needs.is_default());
    // The kinds that the trigger, the reduced script, and the operator at fault alone show.
    let own = (dossier.is_none() || stored.finding.evidence.is_some()).then_some(stored.finding.kind);
    let shown = dossier.iter().flat_map(|d| [Some(d.kind), d.culprit_kind()]);
    let kinds = [own].into_iter().chain(shown).flatten();
    let ranked = kinds.map(|k| (priority(k, settled, default, maintainers), k)).min();
    let (priority, kind) =
        ranked.unwrap_or((priority(stored.finding.kind, settled, default, maintainers), stored.finding.kind));
    let fingerprint = dossier.as_ref().map_or(&stored.finding.fingerprint, |d| &d.fingerprint).clone();
    Bug {
        id: stored.finding.id.clone(),
        fingerprint,
        kind,
        members: vec![stored.finding.id.clone()],
        triggers: stored.triggers,
        priority,
        outside: dossier.as_ref().map_or_else(Vec::new, |d| outside(maintainers, &d.theory, &d.needs)),
        muted: None,
        dossier,
        finding: stored,
    }
}

/// Joins findings of one bug under the fingerprint of the first; the most urgent and smallest finding represents it.
fn join(group: Vec<Bug>) -> Option<Bug> {
    let fingerprint = group.first()?.fingerprint.clone();
    let members = group.iter().flat_map(|b| b.members.clone()).collect();
    let triggers = group.iter().map(|b| b.triggers).sum();
    let rank = |b: &Bug| (!b.outside.is_empty(), b.priority, b.finding.smallest());
    let best = group.into_iter().min_by_key(rank)?;
    Some(Bug { fingerprint, members, triggers, ..best })
}
