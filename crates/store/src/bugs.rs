//! The bugs of a campaign: groups of its findings, computed when they are read and never stored.

use smelt_core::{Dossier, Evidence, FindingRow, Kind, Standing, joined};
use smelt_solvers::{Profiles, ReportPolicy};
use smelt_triage::{Group, Mute, Priority, State, outside, partition, priority};
use std::collections::{BTreeMap, HashSet};

use crate::{Error, Store, Stored};

/// A bug, with all findings that show it.
#[derive(Clone, Debug)]
pub struct Bug {
    /// Its number: that of the finding that founded it.
    pub id: String,
    /// Numbers and fingerprints of bugs that turned out to be this one.
    pub aliases: Vec<(String, String)>,
    /// Its identity.
    pub fingerprint: String,
    /// Its kind: the most urgent kind of its findings.
    pub kind: Kind,
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
    /// What a file says of it if it was fixed, and occurs again.
    pub fixed: Option<String>,
}

impl Bug {
    /// Whether it has this number, or had it before it turned out to be another bug.
    pub fn is_called(&self, id: &str) -> bool {
        self.id == id || self.aliases.iter().any(|(number, _)| number == id)
    }

    /// Whether it is a finding that was not examined, and may be one of the bugs: it is not counted as one.
    pub fn is_open(&self) -> bool {
        self.dossier.is_none() && self.muted.is_none()
    }

    /// Whether to report it: it is not muted, and its maintainers want a report.
    pub fn is_offered(&self) -> bool {
        self.outside.is_empty() && self.muted.is_none()
    }

    /// The finding that shows it, with what is known of it now: number, kind, solver, theory and evidence.
    pub fn as_finding(&self) -> FindingRow {
        let mut finding = self.finding.finding.clone();
        (finding.id, finding.kind) = (self.id.clone(), self.kind);
        finding.fingerprint = self.fingerprint.clone();
        if let Some(d) = &self.dossier {
            finding.accused = d.accused.clone();
            finding.solver = joined(&finding.accused);
            finding.theory = Some(d.theory.clone());
            finding.evidence = d.evidence_of(self.kind);
        }
        finding
    }
}

/// The findings that were examined, in that order, in groups that are one bug each.
struct Grouped {
    examined: Vec<(Stored, Dossier)>,
    groups: Vec<Group>,
    /// The fingerprints of bugs, by the finding that names them.
    names: BTreeMap<usize, String>,
}

impl Grouped {
    fn of(mut examined: Vec<(Stored, Dossier)>) -> Grouped {
        examined.sort_by_key(|(stored, _)| stored.place);
        let dossiers: Vec<&Dossier> = examined.iter().map(|e| &e.1).collect();
        let groups = partition(&dossiers);
        let mut founders: Vec<usize> = groups.iter().flat_map(|g| g.founders.clone()).collect();
        // A name that was given before is not given to another bug.
        founders.sort_by_key(|f| (dossiers[*f].given.is_none(), *f));
        let mut names: BTreeMap<usize, String> = BTreeMap::new();
        let mut taken: HashSet<String> = HashSet::new();
        for founder in founders {
            let (Stored { finding, .. }, d) = &examined[founder];
            // If only releases or theories tell it from an earlier bug, they are part of its name.
            let bad = d.history.with(Standing::Bad).filter_map(|r| Some(r.solver.version()?.to_string()));
            let print = d.fingerprint();
            let suffixed = [
                print.clone(),
                format!("{print}@{}", bad.collect::<Vec<_>>().join(",")),
                format!("{print}@{}", finding.id),
            ];
            let mut all = d.given.iter().chain(&suffixed);
            if let Some(name) = all.find(|name| !taken.contains(*name)) {
                taken.insert(name.clone());
                names.insert(founder, name.clone());
            }
        }
        Grouped { examined, groups, names }
    }

    /// The number and the fingerprint that a finding gives to a bug.
    fn name(&self, founder: usize) -> (String, String) {
        (self.examined[founder].0.finding.id.clone(), self.names.get(&founder).cloned().unwrap_or_default())
    }
}

impl Store {
    /// The findings that were examined, and the others.
    fn grouped(&self) -> Result<(Grouped, Vec<Stored>), Error> {
        let (mut examined, mut open) = (Vec::new(), Vec::new());
        let mut dossiers = self.dossiers_by_finding()?;
        for stored in self.stored()?.into_iter().filter(|s| !s.flaky) {
            match dossiers.remove(&stored.finding.id) {
                Some(dossier) => examined.push((stored, dossier)),
                None => open.push(stored),
            }
        }
        Ok((Grouped::of(examined), open))
    }

    /// The findings that were examined and are bugs that another finding founded.
    pub fn duplicates(&self) -> Result<HashSet<String>, Error> {
        let (grouped, _) = self.grouped()?;
        let id = |i: &usize| grouped.examined[*i].0.finding.id.clone();
        let others = |g: &Group| {
            let founder = g.founders.first().copied();
            g.members.iter().filter(|m| Some(**m) != founder).map(id).collect::<Vec<_>>()
        };
        Ok(grouped.groups.iter().flat_map(others).collect())
    }

    /// The fingerprint of the bug that a finding names, if it names one.
    pub(crate) fn given(&self, id: &str) -> Result<Option<String>, Error> {
        let (grouped, _) = self.grouped()?;
        let names = grouped.names.keys().map(|founder| grouped.name(*founder));
        Ok(names.into_iter().find(|(number, _)| number == id).map(|(_, name)| name))
    }
}

/// The bugs of a campaign, the most urgent first; those that are not offered last. A finding that was not examined stands
/// for itself at the end: it may be one of the bugs.
///
/// A bug has the number and the fingerprint of the finding that founded it, so that they never change. If two bugs turn out
/// to be one, the older name stays, and the other one is an alias.
pub fn bugs(store: &Store, profiles: &Profiles, mute: &Mute) -> Result<Vec<Bug>, Error> {
    let (grouped, open) = store.grouped()?;
    let mut bugs: Vec<Bug> = open.into_iter().map(|stored| bug(stored, None, profiles)).collect();
    for group in &grouped.groups {
        let one = |i: &usize| {
            let (stored, dossier) = &grouped.examined[*i];
            bug(stored.clone(), Some(dossier.clone()), profiles)
        };
        let Some(joined) = join(group.members.iter().map(one).collect()) else { continue };
        let mut names = group.founders.iter().map(|f| grouped.name(*f));
        let Some((id, fingerprint)) = names.next() else { continue };
        bugs.push(Bug { id, fingerprint, aliases: names.collect(), ..joined });
    }
    for bug in &mut bugs {
        let earlier = bug.aliases.iter().map(|(_, fingerprint)| fingerprint);
        let known = std::iter::once(&bug.fingerprint).chain(earlier).find_map(|print| mute.knows(print));
        match known {
            Some(entry) if entry.state == State::Fixed => bug.fixed = Some(entry.to_string()),
            known => bug.muted = known.map(ToString::to_string),
        }
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
        None => stored.claim.is_settled(),
    };
    let default = dossier.as_ref().is_none_or(|d| d.needs.is_default());
    // What the report shows: the reduced script, or the operator at fault alone. Before that, what the trigger showed.
    let shown = dossier.iter().flat_map(|d| [Some(d.kind), d.culprit_kind()]).flatten();
    let ranked = shown.map(|k| (priority(k, settled, default, maintainers), k)).min();
    let (priority, kind) = ranked.unwrap_or_else(|| {
        (priority(stored.finding.kind, settled, default, maintainers), stored.finding.kind)
    });
    let fingerprint =
        dossier.as_ref().map_or_else(|| stored.finding.fingerprint.clone(), Dossier::fingerprint);
    Bug {
        id: stored.finding.id.clone(),
        aliases: Vec::new(),
        fingerprint,
        kind,
        members: vec![stored.finding.id.clone()],
        triggers: stored.triggers,
        priority,
        outside: dossier.as_ref().map_or_else(Vec::new, |d| outside(maintainers, &d.theory, &d.needs)),
        muted: None,
        fixed: None,
        dossier,
        finding: stored,
    }
}

/// Joins findings of one bug. Of those that were examined in full, the most urgent one, the smallest that was reduced,
/// represents it. One that rests on a vote does so only if all that are as urgent do.
fn join(group: Vec<Bug>) -> Option<Bug> {
    let members = group.iter().flat_map(|b| b.members.clone()).collect();
    let triggers = group.iter().map(|b| b.triggers).sum();
    let was_reduced = |b: &Bug| b.dossier.as_ref().is_some_and(|d| d.reduction.is_some());
    let is_full = |b: &Bug| b.dossier.as_ref().is_some_and(Dossier::is_full);
    // A proof says more than other solvers' answers.
    let is_vote = |b: &Bug| b.dossier.as_ref().is_some_and(|d| d.evidence_of(b.kind) == Some(Evidence::Vote));
    let rank = |b: &Bug| {
        (!is_full(b), !b.outside.is_empty(), b.priority, is_vote(b), !was_reduced(b), b.finding.smallest())
    };
    let best = group.into_iter().min_by_key(rank)?;
    Some(Bug { members, triggers, ..best })
}
