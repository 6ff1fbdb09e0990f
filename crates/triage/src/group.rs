//! Groups: the findings of a campaign that are one bug.
//!
//! Findings with one fingerprint are one bug, unless a release shows one of them and is right on the other. A finding
//! that no single operator explains belongs to the bug that needs fewer of its operators, if there is exactly one.

use crate::class::Class;
use crate::dossier::Dossier;
use crate::history::{History, Standing};

/// Whether no release shows one bug and is right on the other.
pub(crate) fn same_releases(a: &History, b: &History) -> bool {
    a.releases.iter().all(|r| {
        let other = b.releases.iter().find(|o| o.solver == r.solver);
        !matches!(
            (r.standing, other.map(|o| o.standing)),
            (Standing::Bad, Some(Standing::Good)) | (Standing::Good, Some(Standing::Bad))
        )
    })
}

/// The same of two findings: by the operator that is wrong alone, if each has one.
fn same_history(a: &Dossier, b: &Dossier) -> bool {
    match (&a.culprit, &b.culprit) {
        (Some(a), Some(b)) => same_releases(&a.history, &b.history),
        // One of them has shown that the operator of the other is right.
        (Some(wrong), None) if b.cleared.contains(&wrong.operator) => false,
        (None, Some(wrong)) if a.cleared.contains(&wrong.operator) => false,
        _ => same_releases(&a.history, &b.history),
    }
}

/// Whether a finding that needs several operators may be a bug that needs fewer of them.
fn may_be(finding: &Dossier, bug: &Dossier) -> bool {
    let (class, other) = (Class::of(finding.kind), Class::of(bug.kind));
    let fewer = bug.operators.len() < finding.operators.len()
        && bug.operators.iter().all(|o| finding.operators.contains(o));
    // A bug that needs no operator is about models, and explains only wrong models of operators that are right.
    let cleared = || finding.operators.iter().all(|o| finding.cleared.contains(o));
    let alike = !bug.operators.is_empty() || (finding.kind == bug.kind && cleared());
    let prefix = |d: &Dossier| d.fingerprint.split('/').next().map(str::to_owned);
    class == other
        && class != Class::Crash
        && finding.culprit.is_none()
        && (finding.construct.is_none() && bug.construct.is_none())
        && fewer
        && alike
        && prefix(finding) == prefix(bug)
        && same_theory(finding, bug)
        && same_history(finding, bug)
}

/// Whether two findings are about one theory. A construct of the language, or an operator that is wrong alone, is the same
/// in every theory.
fn same_theory(a: &Dossier, b: &Dossier) -> bool {
    let is_alone = |d: &Dossier| d.construct.is_some() || d.culprit.is_some();
    a.theory == b.theory || Class::of(a.kind) == Class::Crash || (is_alone(a) && is_alone(b))
}

/// Findings that are one bug.
struct Group {
    /// Positions; the first names the bug.
    members: Vec<usize>,
    /// One of the members for each theory and history among them: another finding must agree with all of these.
    distinct: Vec<usize>,
}

impl Group {
    fn add(&mut self, i: usize, dossiers: &[&Dossier]) {
        let is_new = !self.distinct.iter().any(|d| is_told_alike(dossiers[*d], dossiers[i]));
        self.distinct.extend(is_new.then_some(i));
        self.members.push(i);
    }

    fn first<'d>(&self, dossiers: &[&'d Dossier]) -> &'d Dossier {
        dossiers[self.members[0]]
    }

    /// Whether neither releases nor theories tell a finding from any of these.
    fn agrees(&self, d: &Dossier, dossiers: &[&Dossier]) -> bool {
        self.distinct.iter().all(|i| same_theory(dossiers[*i], d) && same_history(dossiers[*i], d))
    }
}

/// Whether whatever tells a finding from one of the two tells it from the other.
fn is_told_alike(a: &Dossier, b: &Dossier) -> bool {
    let standings =
        |h: &History| -> Vec<_> { h.releases.iter().map(|r| (r.solver.to_string(), r.standing)).collect() };
    let culprit = |d: &Dossier| d.culprit.as_ref().map(|c| standings(&c.history));
    a.theory == b.theory
        && a.construct.is_some() == b.construct.is_some()
        && culprit(a) == culprit(b)
        && standings(&a.history) == standings(&b.history)
}

/// Groups findings of one bug: lists of positions; the first position is the finding that names the bug.
pub fn partition(dossiers: &[&Dossier]) -> Vec<Vec<usize>> {
    let mut groups: Vec<Group> = Vec::new();
    for (i, d) in dossiers.iter().enumerate() {
        let is_twin =
            |g: &&mut Group| g.first(dossiers).fingerprint == d.fingerprint && g.agrees(d, dossiers);
        match groups.iter_mut().find(is_twin) {
            Some(group) => group.add(i, dossiers),
            None => groups.push(Group { members: vec![i], distinct: vec![i] }),
        }
    }
    // Findings that need most operators come last, so that the group they belong to exists.
    groups.sort_by_key(|g| (g.first(dossiers).operators.len(), g.members[0]));
    let mut settled: Vec<Group> = Vec::new();
    for group in groups {
        let fits = |h: &usize| {
            let home = &settled[*h];
            group.members.iter().all(|i| may_be(dossiers[*i], home.first(dossiers)))
                && group.distinct.iter().all(|i| home.agrees(dossiers[*i], dossiers))
        };
        let mut homes: Vec<usize> = (0..settled.len()).filter(fits).collect();
        // A bug that shares an operator explains more than one that needs none.
        if homes.len() > 1 {
            homes.retain(|h| !settled[*h].first(dossiers).operators.is_empty());
        }
        match homes[..] {
            [home] => group.members.iter().for_each(|i| settled[home].add(*i, dossiers)),
            _ => settled.push(group),
        }
    }
    settled.into_iter().map(|g| g.members).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Culprit, Needs, Release};
    use smelt_core::FindingKind;

    fn dossier(operators: &[&str], kind: FindingKind, bad: &[&str], good: &[&str]) -> Dossier {
        let release = |version: &&str, standing| Release {
            solver: smelt_core::SolverId::new("s", version.parse().ok()),
            standing,
            outcome: None,
            wall_ms: 0.0,
            kind: None,
            evidence: None,
            reason: None,
        };
        let bad = bad.iter().map(|v| release(v, Standing::Bad));
        let releases = bad.chain(good.iter().map(|v| release(v, Standing::Good))).collect();
        Dossier {
            kind,
            evidence: None,
            reason: String::new(),
            accused: Vec::new(),
            profile: "s".into(),
            theory: "core".into(),
            fingerprint: format!("s/{}/{}", Class::of(kind).as_str(), operators.join("+")),
            operators: operators.iter().map(|o| (*o).to_owned()).collect(),
            cleared: operators.iter().filter(|o| **o != "forall").map(|o| (*o).to_owned()).collect(),
            said: Vec::new(),
            model: None,
            culprit: None,
            construct: None,
            needs: Needs::default(),
            history: History { releases },
            reduction: None,
            differences: Vec::new(),
            of_seed: false,
            with_model: false,
            goes_on: false,
            spelled: None,
            pair: None,
            build: None,
            system: None,
            date: None,
            smelt: None,
        }
    }

    fn groups(dossiers: &[Dossier]) -> Vec<Vec<usize>> {
        partition(&dossiers.iter().collect::<Vec<_>>())
    }

    const MODEL: FindingKind = FindingKind::InvalidModel;
    const SAT: FindingKind = FindingKind::SolutionUnsound;
    const UNSAT: FindingKind = FindingKind::RefutationUnsound;

    #[test]
    fn one_operator_is_one_bug_whatever_it_shows_as() {
        let list = [SAT, MODEL, UNSAT].map(|k| dossier(&["bvudiv"], k, &["1.0"], &[]));
        assert_eq!(groups(&list), [[0, 1, 2]]);
    }

    #[test]
    fn releases_tell_bugs_apart_and_unclear_ones_do_not() {
        let list = [
            dossier(&["f"], SAT, &["1.0", "2.0"], &[]),
            dossier(&["f"], SAT, &["1.0"], &["2.0"]),
            dossier(&["f"], SAT, &["1.0"], &[]),
        ];
        assert_eq!(groups(&list), [vec![0, 2], vec![1]]);
        // The first could be either of the other two, which are not the same.
        let list = [2, 0, 1].map(|i: usize| list[i].clone());
        assert_eq!(groups(&list), [vec![0, 1], vec![2]]);
    }

    #[test]
    fn what_needs_more_operators_belongs_to_the_one_bug_that_needs_fewer() {
        let list = [
            dossier(&["f", "g"], SAT, &[], &[]),
            dossier(&["f"], SAT, &[], &[]),
            dossier(&["f", "g", "h"], SAT, &[], &[]),
            dossier(&["h"], SAT, &[], &[]),
        ];
        // `f g` is `f`; what needs all three may be either.
        assert_eq!(groups(&list), [vec![1, 0], vec![3], vec![2]]);
    }

    #[test]
    fn an_operator_that_is_wrong_alone_is_a_bug_of_its_own() {
        let mut wrong = dossier(&["f"], MODEL, &[], &[]);
        let script = String::new();
        let (operator, application, value) = ("f".to_owned(), String::new(), String::new());
        let (spelled, history) = (None, History::default());
        wrong.culprit =
            Some(Culprit { operator, application, value, script, spelled, answer: "sat".into(), history });
        let list = [
            dossier(&[], MODEL, &[], &[]),
            wrong,
            dossier(&["g"], MODEL, &[], &[]),
            dossier(&["g"], SAT, &[], &[]),
        ];
        assert_eq!(groups(&list), [vec![0], vec![1], vec![2, 3]]);
        assert_eq!(groups(&list[..3]), [vec![0, 2], vec![1]]);
        // A quantifier cannot be tested by itself.
        let list = [&[][..], &["forall"], &["f", "forall"]].map(|o| dossier(o, MODEL, &[], &[]));
        assert_eq!(groups(&list), [vec![0], vec![1, 2]]);
    }
}
