//! The bugs of a campaign: groups of its findings, made when they are read and never stored.

use smelt_core::{Finding, FindingKind};
use smelt_solvers::{Profiles, ReportPolicy};
use smelt_triage::{Dossier, Mute, Priority, Standing, outside, partition, priority};
use std::collections::HashSet;

use crate::{Error, Store, Stored};

/// A bug, with all findings that show it.
#[derive(Clone, Debug)]
pub struct Bug {
    /// Its number: that of its finding that was examined first.
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

    /// The finding that shows it, with what is known of it now: number, kind, solver, theory and evidence.
    pub fn as_finding(&self) -> Finding {
        let mut finding = self.finding.finding.clone();
        (finding.id, finding.kind) = (self.id.clone(), self.kind);
        finding.fingerprint = self.fingerprint.clone();
        if let Some(d) = &self.dossier {
            if let [accused] = &d.accused[..] {
                finding.solver = accused.clone();
            }
            finding.theory = Some(d.theory.clone());
            finding.evidence = d.evidence_of(self.kind);
        }
        finding
    }
}

/// The bugs of a campaign, the most urgent first; those that are not offered last. A finding that was not examined stands
/// for itself at the end: it may be one of the bugs.
///
/// A bug has the number and the fingerprint of its finding that was examined first, so that they never change.
pub fn bugs(store: &Store, profiles: &Profiles, mute: &Mute) -> Result<Vec<Bug>, Error> {
    let mut examined: Vec<(Stored, Dossier)> = Vec::new();
    let mut bugs: Vec<Bug> = Vec::new();
    let mut dossiers = store.dossiers_by_finding()?;
    for stored in store.stored()?.into_iter().filter(|s| !s.flaky) {
        match dossiers.remove(&stored.finding.id) {
            Some(dossier) => examined.push((stored, dossier)),
            None => bugs.push(bug(stored, None, profiles)),
        }
    }
    examined.sort_by_key(|(stored, _)| stored.place);
    let dossiers: Vec<&Dossier> = examined.iter().map(|e| &e.1).collect();
    let mut groups = partition(&dossiers);
    groups.iter_mut().for_each(|g| g.sort_unstable());
    groups.sort();
    let mut names: HashSet<String> = HashSet::new();
    for group in groups {
        let one = |i: &usize| bug(examined[*i].0.clone(), Some(examined[*i].1.clone()), profiles);
        let Some(mut joined) = join(group.iter().map(one).collect()) else { continue };
        // If only releases or theories tell it from an earlier bug, they are part of its name.
        let founder = &examined[group[0]].1;
        let bad = founder.history.with(Standing::Bad).filter_map(|r| Some(r.solver.version()?.to_string()));
        let suffixes =
            [String::new(), format!("@{}", bad.collect::<Vec<_>>().join(",")), format!("@{}", joined.id)];
        let name = |suffix: &String| format!("{}{suffix}", joined.fingerprint);
        joined.fingerprint = suffixes.iter().map(name).find(|n| !names.contains(n)).unwrap_or_default();
        names.insert(joined.fingerprint.clone());
        bugs.push(joined);
    }
    for bug in &mut bugs {
        bug.muted = mute.knows(&bug.fingerprint).map(str::to_owned);
    }
    bugs.sort_by_key(|b| {
        let bytes = b.finding.smallest();
        (b.muted.is_some(), b.dossier.is_none(), !b.outside.is_empty(), b.priority, bytes)
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
    // What the report shows: the reduced script, or the operator at fault alone. Before that, what the trigger showed.
    let shown = dossier.iter().flat_map(|d| [Some(d.kind), d.culprit_kind()]).flatten();
    let ranked = shown.map(|k| (priority(k, settled, default, maintainers), k)).min();
    let (priority, kind) = ranked.unwrap_or_else(|| {
        (priority(stored.finding.kind, settled, default, maintainers), stored.finding.kind)
    });
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

/// Joins findings of one bug under number and fingerprint of the first. Of those that were examined in full, the most urgent
/// one, the smallest that was reduced, represents it.
fn join(group: Vec<Bug>) -> Option<Bug> {
    let (id, fingerprint) = (group.first()?.id.clone(), group.first()?.fingerprint.clone());
    let members = group.iter().flat_map(|b| b.members.clone()).collect();
    let triggers = group.iter().map(|b| b.triggers).sum();
    let was_reduced = |b: &Bug| b.dossier.as_ref().is_some_and(|d| d.reduction.is_some());
    let is_full = |b: &Bug| b.dossier.as_ref().is_some_and(Dossier::is_full);
    let rank =
        |b: &Bug| (!is_full(b), !b.outside.is_empty(), b.priority, !was_reduced(b), b.finding.smallest());
    let best = group.into_iter().min_by_key(rank)?;
    Some(Bug { id, fingerprint, members, triggers, ..best })
}
