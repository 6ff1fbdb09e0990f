//! Groups: the findings of a campaign that are one bug.
//!
//! Findings with one fingerprint are one bug, unless a release shows one of them and is right on the other, or their theories
//! differ. A finding that no single operator explains belongs to the bug that needs fewer of its operators, if there is exactly
//! one.
//!
//! Findings are taken in the order in which they were examined, and the one that founds a bug names it: it never leaves, so
//! that numbers and fingerprints stay whatever is examined later. Where a later finding shows that two bugs are one, the older
//! name stays and the other one becomes an alias. A finding that founded nothing goes to a bug that explains it better.

use smelt_oracle::{CaseScript, fingerprint};
use smelt_smtlib::Arena;
use std::collections::VecDeque;

use smelt_core::FindingKind;

use crate::class::{Class, wrong_answer};
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

/// The same of two findings, and of the operators that are wrong alone, if each has one.
fn same_history(a: &Dossier, b: &Dossier) -> bool {
    match (&a.culprit, &b.culprit) {
        (Some(one), Some(other)) => {
            // Which model a release finds is a matter of luck: the operators alone tell more.
            let by_luck = [a, b].iter().any(|d| d.kind == FindingKind::InvalidModel);
            same_releases(&one.history, &other.history) && (by_luck || same_releases(&a.history, &b.history))
        }
        // One of them has shown that the operator of the other is right.
        (Some(wrong), None) if b.cleared.contains(&wrong.operator) => false,
        (None, Some(wrong)) if a.cleared.contains(&wrong.operator) => false,
        _ => same_releases(&a.history, &b.history),
    }
}

/// Whether two findings are wrong in one direction. An operator or a construct that is at fault alone shows in both, and so
/// may the only one that both need.
fn same_direction(a: &Dossier, b: &Dossier) -> bool {
    let is_alone = |d: &Dossier| d.culprit.is_some() || d.construct.is_some();
    let is_only = a.operators == b.operators && a.operators.len() == 1;
    match (wrong_answer(a.kind), wrong_answer(b.kind)) {
        (Some(one), Some(other)) => one == other || is_only || is_alone(a) || is_alone(b),
        _ => true,
    }
}

/// What a finding is about, by theory.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Domain {
    /// A construct of the language, an operator of its core, a place in the solver's source, or how any model is made is the
    /// same in every theory.
    Any,
    /// An operator that is wrong alone, in the theory of its arguments.
    Operator(String),
    /// A formula.
    Formula,
}

impl Domain {
    fn of(d: &Dossier) -> Domain {
        // Without a place, the operators stand in the fingerprint of a crash.
        let operators = format!("/{}", fingerprint::operator_list(&d.operators));
        let has_place = Class::of(d.kind) == Class::Crash && !d.fingerprint.ends_with(&operators);
        match &d.culprit {
            _ if d.construct.is_some() || has_place || d.plain_models => Domain::Any,
            Some(culprit) => culprit.theory().map_or(Domain::Any, Domain::Operator),
            None => Domain::Formula,
        }
    }
}

impl crate::Culprit {
    /// The theory of the operator alone, whatever the formula is about in which it was found; `None` for operators of the
    /// core, which are the same in every theory. Equality is that of its arguments.
    pub(crate) fn theory(&self) -> Option<String> {
        let arena = Arena::new();
        let is_core = |op| arena.text(arena.signatures().row(op).theory) == b"Core";
        let name = arena.find_symbol(self.operator.as_bytes()).filter(|_| self.operator != "=");
        let is_core = name.is_some_and(|name| arena.signatures().named(name).any(is_core));
        (!is_core).then(|| CaseScript::new(self.script.as_bytes()).theory())
    }
}

/// A finding, with its domain.
struct Member<'d> {
    dossier: &'d Dossier,
    domain: Domain,
}

impl Member<'_> {
    /// Whether two findings are about one theory.
    fn same_theory(&self, other: &Member<'_>) -> bool {
        let (a, b) = (&self.dossier.theory, &other.dossier.theory);
        match (&self.domain, &other.domain) {
            (Domain::Any, _) | (_, Domain::Any) => true,
            (Domain::Operator(a), Domain::Operator(b)) => a == b,
            (Domain::Operator(own), Domain::Formula) => own == b || a == b,
            (Domain::Formula, Domain::Operator(own)) => own == a || a == b,
            (Domain::Formula, Domain::Formula) => a == b,
        }
    }

    /// Whether neither releases nor theories tell two findings apart.
    fn agrees(&self, other: &Member<'_>) -> bool {
        let (a, b) = (self.dossier, other.dossier);
        self.same_theory(other) && same_history(a, b) && same_direction(a, b)
    }

    /// Whether a finding that needs several operators may be a bug that needs fewer of them.
    fn may_be(&self, bug: &Member<'_>) -> bool {
        let (finding, bug_of) = (self.dossier, bug.dossier);
        let (class, other) = (Class::of(finding.kind), Class::of(bug_of.kind));
        let fewer = bug_of.operators.len() < finding.operators.len()
            && bug_of.operators.iter().all(|o| finding.operators.contains(o));
        // A bug that needs no operator is about models, and explains only wrong models of operators that are right.
        let cleared = || finding.operators.iter().all(|o| finding.cleared.contains(o));
        let alike = !bug_of.operators.is_empty() || (finding.kind == bug_of.kind && cleared());
        let prefix = |d: &Dossier| d.fingerprint.split('/').next().map(str::to_owned);
        class == other
            && class != Class::Crash
            && finding.culprit.is_none()
            && (finding.construct.is_none() && bug_of.construct.is_none())
            && fewer
            && alike
            && prefix(finding) == prefix(bug_of)
            && self.agrees(bug)
    }

    /// Whether whatever tells a finding from one of the two tells it from the other.
    fn is_told_alike(&self, other: &Member<'_>) -> bool {
        let standings = |h: &History| -> Vec<_> {
            h.releases.iter().map(|r| (r.solver.to_string(), r.standing)).collect()
        };
        let culprit = |d: &Dossier| d.culprit.as_ref().map(|c| standings(&c.history));
        let (a, b) = (self.dossier, other.dossier);
        a.theory == b.theory
            && self.domain == other.domain
            && wrong_answer(a.kind) == wrong_answer(b.kind)
            && culprit(a) == culprit(b)
            && standings(&a.history) == standings(&b.history)
    }
}

/// A bug: positions of its findings.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Group {
    /// Those that name it: the oldest one, and those whose bugs turned out to be this one.
    pub founders: Vec<usize>,
    /// All of them, the founders included, in the order in which they were examined.
    pub members: Vec<usize>,
    /// The founders, and those that need fewer operators: another finding is compared with these.
    cores: Vec<usize>,
    /// One of the members for each theory and history among them: another finding must agree with all of these.
    distinct: Vec<usize>,
}

impl Group {
    fn new(founder: usize) -> Group {
        let one = vec![founder];
        Group { founders: one.clone(), members: one.clone(), cores: one.clone(), distinct: one }
    }

    fn add(&mut self, finding: usize, all: &[Member<'_>]) {
        let is_new = !self.distinct.iter().any(|d| all[*d].is_told_alike(&all[finding]));
        self.distinct.extend(is_new.then_some(finding));
        self.members.push(finding);
        // One that named a bug before goes on to name it.
        if all[finding].dossier.given.is_some() {
            self.founders.push(finding);
            self.cores.push(finding);
        }
    }

    /// Takes over all findings of another bug.
    fn unite(&mut self, other: Group, all: &[Member<'_>]) {
        other.members.iter().for_each(|m| self.add(*m, all));
        let Group { founders, cores, .. } = other;
        for (own, others) in [(&mut self.founders, founders), (&mut self.cores, cores)] {
            own.extend(others);
            own.sort_unstable();
            own.dedup();
        }
    }

    /// Whether neither releases nor theories tell a finding from any of these.
    fn agrees(&self, finding: usize, all: &[Member<'_>]) -> bool {
        self.distinct.iter().all(|m| all[*m].agrees(&all[finding]))
    }

    /// Whether a finding may be this bug, which needs fewer operators.
    fn explains(&self, finding: usize, all: &[Member<'_>]) -> bool {
        self.cores.iter().any(|c| all[finding].may_be(&all[*c])) && self.agrees(finding, all)
    }

    /// Takes out findings that are not at its core.
    fn leave(&mut self, moved: &[usize], all: &[Member<'_>]) {
        if self.members.iter().any(|m| moved.contains(m)) {
            let kept: Vec<usize> = self.members.iter().copied().filter(|m| !moved.contains(m)).collect();
            let (founders, cores) = (self.founders.clone(), self.cores.clone());
            (self.members, self.distinct) = (Vec::new(), Vec::new());
            kept.into_iter().for_each(|m| self.add(m, all));
            (self.founders, self.cores) = (founders, cores);
        }
    }
}

/// Findings on their way into groups.
struct Sorting<'d> {
    all: Vec<Member<'d>>,
    groups: Vec<Group>,
}

impl Sorting<'_> {
    /// The group of findings with the same fingerprint, or with the same script.
    fn twins(&self, finding: usize) -> Option<usize> {
        let own = self.all[finding].dossier;
        let is_alike = |m: &usize| {
            let other = self.all[*m].dossier;
            other.fingerprint == own.fingerprint || other.is_same_script(own)
        };
        let is_twin = |g: &Group| {
            // The same script is the same bug, whatever was found out about its operators.
            (g.cores.iter().any(is_alike)
                || g.members.iter().any(|m| self.all[*m].dossier.is_same_script(own)))
                && g.agrees(finding, &self.all)
        };
        self.groups.iter().position(is_twin)
    }

    /// The groups, besides one, that explain all of some findings.
    fn homes(&self, findings: &[usize], besides: Option<usize>) -> Vec<usize> {
        let explains = |at: &usize| findings.iter().all(|f| self.groups[*at].explains(*f, &self.all));
        let mut homes: Vec<usize> =
            (0..self.groups.len()).filter(|at| Some(*at) != besides).filter(explains).collect();
        // A bug that shares an operator explains more than one that needs none.
        if homes.len() > 1 {
            let needs_one = |c: &usize| !self.all[*c].dossier.operators.is_empty();
            homes.retain(|h| self.groups[*h].cores.iter().all(needs_one));
        }
        homes
    }

    /// Puts a finding into the bug that it is.
    fn add(&mut self, finding: usize) {
        let mut queue = VecDeque::from([finding]);
        while let Some(next) = queue.pop_front() {
            let home = self.twins(next).or_else(|| match self.homes(&[next], None)[..] {
                [home] => Some(home),
                _ => None,
            });
            match home {
                Some(home) => self.groups[home].add(next, &self.all),
                None => queue.extend(self.found(next)),
            }
        }
    }

    /// Makes a finding a bug, or the core of bugs that need more operators; returns the findings that may fit better there
    /// than where they are.
    fn found(&mut self, finding: usize) -> Vec<usize> {
        let new = self.groups.len();
        self.groups.push(Group::new(finding));
        // Bugs that this one explains, and no other one.
        let is_explained = |at: &usize| {
            let cores = &self.groups[*at].cores;
            cores.iter().all(|c| self.groups[new].explains(*c, &self.all))
                && self.homes(cores, Some(*at)) == [new]
        };
        let explained: Vec<usize> = (0..new).filter(is_explained).collect();
        let mut gone: Vec<usize> = Vec::new();
        if let [home, others @ ..] = &explained[..] {
            for &at in others {
                let other = self.groups[at].clone();
                let home = &mut self.groups[*home];
                if other.distinct.iter().all(|m| home.agrees(*m, &self.all)) {
                    home.unite(other, &self.all);
                    gone.push(at);
                }
            }
            let home = &mut self.groups[*home];
            home.add(finding, &self.all);
            home.cores.push(finding);
            gone.push(new);
        }
        gone.into_iter().rev().for_each(|at| drop(self.groups.remove(at)));
        let fits = |m: &&usize| {
            let (member, new) = (&self.all[**m], &self.all[finding]);
            member.dossier.fingerprint == new.dossier.fingerprint || member.may_be(new)
        };
        let mut moved: Vec<usize> = Vec::new();
        for group in self.groups.iter().filter(|g| !g.cores.contains(&finding)) {
            moved.extend(group.members.iter().filter(|m| !group.cores.contains(m)).filter(fits));
        }
        moved.sort_unstable();
        self.groups.iter_mut().for_each(|g| g.leave(&moved, &self.all));
        moved
    }
}

/// Groups findings of one bug, the oldest first. The findings come in the order in which they were examined.
pub fn partition(dossiers: &[&Dossier]) -> Vec<Group> {
    let all = dossiers.iter().map(|d| Member { dossier: d, domain: Domain::of(d) }).collect();
    let mut sorting = Sorting { all, groups: Vec::new() };
    (0..dossiers.len()).for_each(|i| sorting.add(i));
    for group in &mut sorting.groups {
        group.founders.sort_unstable();
        group.members.sort_unstable();
    }
    sorting.groups.sort_by_key(|g| g.founders[0]);
    sorting.groups
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Culprit, Needs, Release};
    use smelt_core::FindingKind;

    fn dossier(operators: &[&str], kind: FindingKind, bad: &[&str], good: &[&str]) -> Dossier {
        let release = |version: &&str, standing| {
            Release::new(smelt_core::SolverId::new("s", version.parse().ok()), standing)
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
            script: None,
            plain_models: false,
            seed_shows: false,
            reduction_tried: false,
            of_seed: false,
            with_model: false,
            goes_on: false,
            spelled: None,
            pair: None,
            given: None,
            build: None,
            system: None,
            date: None,
            smelt: None,
        }
    }

    fn groups(dossiers: &[Dossier]) -> Vec<Vec<usize>> {
        partition(&dossiers.iter().collect::<Vec<_>>()).into_iter().map(|g| g.members).collect()
    }

    /// The operator of a finding is wrong alone, on a script.
    fn alone(operator: &str, theory: &str, script: &str) -> Dossier {
        let mut wrong = dossier(&[operator], MODEL, &[], &[]);
        let (operator, application, value) = (operator.to_owned(), String::new(), String::new());
        let (spelled, history, script) = (None, History::default(), script.to_owned());
        wrong.culprit =
            Some(Culprit { operator, application, value, script, spelled, answer: "sat".into(), history });
        Dossier { theory: theory.into(), ..wrong }
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
        assert_eq!(groups(&list), [vec![0, 1], vec![2], vec![3]]);
    }

    #[test]
    fn an_operator_that_is_wrong_alone_is_a_bug_of_its_own() {
        let wrong = alone("f", "core", "");
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

    #[test]
    fn theories_tell_bugs_apart() {
        let of = |theory: &str| Dossier { theory: theory.into(), ..dossier(&["*"], SAT, &[], &[]) };
        let list = ["nonlinear-ints", "nonlinear-reals", "nonlinear-ints"].map(of);
        assert_eq!(groups(&list), [vec![0, 2], vec![1]]);
        // An operator that is wrong alone has the theory of its arguments, whatever is around it.
        let ints = "(declare-const x Int)(assert (distinct (* x x) 4))(check-sat)";
        let reals = "(declare-const x Real)(assert (distinct (* x x) 4.0))(check-sat)";
        let list = [alone("*", "strings", ints), alone("*", "arrays", reals), alone("*", "arrays", ints)];
        assert_eq!(groups(&list), [vec![0, 2], vec![1]]);
        // A construct of the language is the same in every theory, and so are operators of its core but equality.
        let of_core = |o: &str| [alone(o, "ints", ints), alone(o, "reals", reals)];
        assert_eq!(groups(&of_core("distinct")), [vec![0, 1]]);
        assert_eq!(groups(&of_core("=")), [vec![0], vec![1]]);
        let of = |theory: &str| Dossier { construct: Some("let".into()), ..of(theory) };
        assert_eq!(groups(&["ints", "reals"].map(of)), [vec![0, 1]]);
        // A place in the source is too, and a signal is not.
        let crash = |print: &str, theory: &str| Dossier {
            fingerprint: print.into(),
            ..Dossier { theory: theory.into(), ..dossier(&["*"], FindingKind::Crash, &[], &[]) }
        };
        let list = ["s/crash/a.cpp:7", "s/crash/signal-11/0123/*"]
            .map(|print| ["ints", "reals"].map(|theory| crash(print, theory)));
        assert_eq!(groups(&list.concat()), [vec![0, 1], vec![2], vec![3]]);
    }

    #[test]
    fn a_wrong_sat_and_a_wrong_unsat_are_two_bugs_unless_one_part_is_at_fault() {
        let list =
            [SAT, MODEL, FindingKind::RefutationUnsound].map(|kind| dossier(&["*", "/"], kind, &[], &[]));
        assert_eq!(groups(&list), [vec![0, 1], vec![2]]);
        let of = |d: &Dossier| Dossier { construct: Some("let".into()), ..d.clone() };
        assert_eq!(groups(&list.each_ref().map(of)), [vec![0, 1, 2]]);
    }

    #[test]
    fn one_script_is_one_bug_whatever_was_found_out_about_its_operators() {
        let list = [["div"], ["(ints)"], ["mod"]].map(|o| dossier(&o, MODEL, &[], &[]));
        let of = |(d, script): (&Dossier, &str)| Dossier { script: Some(script.into()), ..d.clone() };
        let list: Vec<Dossier> = list.iter().zip(["x", "x", "y"]).map(of).collect();
        assert_eq!(groups(&list), [vec![0, 1], vec![2]]);
    }

    #[test]
    fn a_bug_that_was_named_keeps_its_name_whatever_comes_later() {
        let list = [
            dossier(&["f", "g", "h"], SAT, &["1.0"], &[]),
            dossier(&["f", "g"], MODEL, &["1.0"], &[]),
            dossier(&["f"], SAT, &["1.0"], &[]),
            dossier(&["f", "h"], SAT, &["1.0", "2.0"], &[]),
            dossier(&["h"], SAT, &["1.0"], &["2.0"]),
            dossier(&[], MODEL, &[], &[]),
            alone("g", "core", ""),
        ];
        let mut orders: Vec<Vec<usize>> = vec![Vec::new()];
        for i in 0..list.len() {
            let insert = |order: &Vec<usize>| -> Vec<Vec<usize>> {
                let at = |at: usize| [&order[..at], &[i], &order[at..]].concat();
                (0..=order.len()).map(at).collect()
            };
            orders = orders.iter().flat_map(insert).collect();
        }
        for order in orders {
            let all: Vec<&Dossier> = order.iter().map(|i| &list[*i]).collect();
            let mut before: Vec<Group> = Vec::new();
            for known in 1..=all.len() {
                let now = partition(&all[..known]);
                for old in &before {
                    let named = now.iter().find(|g| g.founders.contains(&old.founders[0])).unwrap();
                    assert!(named.founders[0] <= old.founders[0], "{order:?}: {before:?}, then {now:?}");
                    assert!(old.founders.iter().all(|f| named.founders.contains(f)), "{order:?}");
                }
                before = now;
            }
        }
    }

    #[test]
    fn two_bugs_that_turn_out_to_be_one_have_the_older_name() {
        let list = [&["f", "g"][..], &["f", "h"], &["f"], &["f", "h"]].map(|o| dossier(o, SAT, &[], &[]));
        let [bug] = &partition(&list.iter().collect::<Vec<_>>())[..] else { panic!("one bug") };
        assert_eq!((&bug.founders[..], &bug.members[..]), (&[0, 1][..], &[0, 1, 2, 3][..]));
    }

    #[test]
    fn a_finding_that_was_examined_again_still_names_its_bug() {
        let mut list = ["f", "g", "g"].map(|o| dossier(&[o], SAT, &[], &[]));
        assert_eq!(groups(&list), [vec![0], vec![1, 2]]);
        // It shows `f` now; its name is not lost.
        list[1] = Dossier { given: Some("s/wrong/g".into()), ..list[0].clone() };
        let now = partition(&list.iter().collect::<Vec<_>>());
        assert_eq!(now[0].founders, [0, 1]);
    }
}
