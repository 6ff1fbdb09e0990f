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

/// Groups findings of one bug: lists of positions; the first position is the finding that names the bug.
pub fn partition(dossiers: &[&Dossier]) -> Vec<Vec<usize>> {
    let mut groups: Vec<Vec<usize>> = Vec::new();
    for (i, d) in dossiers.iter().enumerate() {
        let twin = groups.iter_mut().find(|g| {
            let first = dossiers[g[0]];
            first.fingerprint == d.fingerprint && same_theory(first, d) && same_history(first, d)
        });
        match twin {
            Some(group) => group.push(i),
            None => groups.push(vec![i]),
        }
    }
    // Findings that need most operators come last, so that the group they belong to exists.
    groups.sort_by_key(|g| (dossiers[g[0]].operators.len(), g[0]));
    let mut settled: Vec<Vec<usize>> = Vec::new();
    for group in groups {
        let fits = |h: &usize| group.iter().all(|i| may_be(dossiers[*i], dossiers[settled[*h][0]]));
        let mut homes: Vec<usize> = (0..settled.len()).filter(fits).collect();
        // A bug that shares an operator explains more than one that needs none.
        if homes.len() > 1 {
            homes.retain(|h| !dossiers[settled[*h][0]].operators.is_empty());
        }
        match homes[..] {
            [home] => settled[home].extend(group),
            _ => settled.push(group),
        }
    }
    settled
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
