//! Groups: the findings of a campaign that are one bug.
//!
//! Findings with one fingerprint are one bug, unless a release shows one of them and is right on the other. What was
//! not examined yet is a group of its own.

use smelt_core::FindingKind;
use smelt_solvers::{Maintainers, Profiles};

use super::dossier::Dossier;
use super::history::{History, Standing};
use super::mute::Mute;
use super::priority::{Priority, priority};
use super::rules::outside;
use crate::error::Error;
use crate::store::{Store, Stored};

/// A bug, with everything that shows it.
#[derive(Clone, Debug)]
pub struct Bug {
    /// The number of the finding that shows it best.
    pub id: String,
    /// Its identity.
    pub fingerprint: String,
    /// That finding.
    pub finding: Stored,
    /// What is known of that finding; `None` if it was not examined yet.
    pub dossier: Option<Dossier>,
    /// The numbers of all findings, that one included.
    pub members: Vec<String>,
    /// How many tests showed it.
    pub triggers: u64,
    /// How urgent it is: 1 is the most.
    pub priority: Priority,
    /// Why its maintainers do not want to hear of it; empty if they do.
    pub outside: Vec<String>,
    /// What it is known as, if it is muted.
    pub muted: Option<String>,
}

impl Bug {
    /// What kind of bug it is: the most urgent of what it shows as.
    pub fn kind(&self) -> FindingKind {
        self.dossier.as_ref().map_or(self.finding.finding.kind, |d| d.kind)
    }

    /// Whether to report it: it is news, and its maintainers want to hear of it.
    pub fn is_offered(&self) -> bool {
        self.outside.is_empty() && self.muted.is_none()
    }
}

/// Whether two findings with one fingerprint are one bug: no release tells them apart.
pub fn same(a: &History, b: &History) -> bool {
    a.releases.iter().all(|r| {
        let other = b.releases.iter().find(|o| o.solver == r.solver);
        !matches!(
            (r.standing, other.map(|o| o.standing)),
            (Standing::Bad, Some(Standing::Good)) | (Standing::Good, Some(Standing::Bad))
        )
    })
}

/// The bugs of a campaign, the most urgent first; those that are not offered last.
pub fn bugs(store: &Store, profiles: &Profiles, mute: &Mute) -> Result<Vec<Bug>, Error> {
    let usual = Maintainers::default();
    let mut bugs: Vec<Bug> = Vec::new();
    for stored in store.stored()?.into_iter().filter(|s| !s.flaky) {
        let dossier = store.dossier(&stored.finding.id)?;
        let of = |profile: &str| profiles.get(profile).map_or(&usual, |p| &p.maintainers);
        let maintainers = dossier.as_ref().map_or(&usual, |d| of(&d.profile));
        let settled = match &dossier {
            Some(d) => d.accused.len() == 1,
            None => !stored.finding.solver.name().contains(" / "),
        };
        let default = dossier.as_ref().is_none_or(|d| d.needs.is_default());
        let kind = dossier.as_ref().map_or(stored.finding.kind, |d| d.kind);
        let rank = priority(kind, settled, default, maintainers);
        let outside = dossier.as_ref().map_or_else(Vec::new, |d| outside(maintainers, &d.theory, &d.needs));
        let fingerprint =
            dossier.as_ref().map_or_else(|| stored.finding.fingerprint.clone(), |d| d.fingerprint.clone());
        let bug = Bug {
            id: stored.finding.id.clone(),
            muted: mute.knows(&fingerprint).map(str::to_owned),
            fingerprint,
            members: vec![stored.finding.id.clone()],
            triggers: stored.triggers,
            priority: rank,
            outside,
            dossier,
            finding: stored,
        };
        let twin = bugs.iter_mut().find(|b| {
            b.fingerprint == bug.fingerprint
                && match (&b.dossier, &bug.dossier) {
                    (Some(a), Some(b)) => same(&a.history, &b.history),
                    (a, b) => a.is_none() && b.is_none(),
                }
        });
        match twin {
            Some(twin) => join(twin, bug),
            None => bugs.push(bug),
        }
    }
    let order = |b: &Bug| {
        let bytes = b.finding.finding.bytes;
        (b.muted.is_some(), !b.outside.is_empty(), b.priority, b.dossier.is_none(), bytes)
    };
    bugs.sort_by_key(order);
    Ok(bugs)
}

/// Adds a finding to a bug; the most urgent and smallest one speaks for it.
fn join(bug: &mut Bug, new: Bug) {
    bug.triggers += new.triggers;
    let rank = |b: &Bug| (!b.outside.is_empty(), b.priority, b.finding.finding.bytes);
    let better = rank(&new) < rank(bug);
    bug.members.extend(new.members);
    if better {
        (bug.id, bug.finding, bug.dossier) = (new.id, new.finding, new.dossier);
        (bug.priority, bug.outside) = (new.priority, new.outside);
    }
}
