//! Groups: the findings of a campaign that are the same bug.
//!
//! Findings with the same identity (solver, class, cause) are one bug, with three exceptions: some release is
//! affected by one but not by the other, their theories differ and that matters, or they are wrong in different
//! directions. There is one further rule. A finding that needs several operators belongs to the bug that needs
//! fewer of them, if there is exactly one such bug. A solver that is wrong on formulas without operators has one
//! bug. The cause of a wrong answer may also cause wrong values and rewrites.
//!
//! Findings are grouped in the order in which they were examined. The first finding of a bug names it and never
//! leaves it, so that numbers and fingerprints stay the same. If a later finding shows that two bugs are one, the
//! older name stays and the other one becomes an alias. Other findings move to a bug that explains them better.

use smelt_core::{Cause, Class, Dossier, History, Kind};
use std::collections::VecDeque;

/// The theory that a finding is about, if the theory matters.
fn theory(d: &Dossier) -> Option<&str> {
    match &d.culprit {
        Some(culprit) => culprit.theory.as_deref(),
        None => d.cause().has_theory().then_some(&d.theory),
    }
}

/// Whether every release behaves the same on two findings. Two operators that are wrong alone are compared directly.
fn same_history(a: &Dossier, b: &Dossier) -> bool {
    match (&a.culprit, &b.culprit) {
        (Some(one), Some(other)) => {
            // Which model a release finds is a matter of luck: the operators alone say more.
            let by_luck = [a, b].iter().any(|d| d.kind == Kind::InvalidModel);
            one.history.agrees(&other.history) && (by_luck || a.history.agrees(&b.history))
        }
        // One of them has shown that the operator of the other is right.
        (Some(wrong), None) if b.cleared.contains(&wrong.operator) => false,
        (None, Some(wrong)) if a.cleared.contains(&wrong.operator) => false,
        _ => a.history.agrees(&b.history),
    }
}

/// Whether two findings are wrong in one direction. A part of the language that is at fault alone shows in both, and so may
/// the only operator that both need.
fn same_direction(a: &Dossier, b: &Dossier) -> bool {
    let is_one_part =
        |d: &Dossier| d.culprit.is_some() || matches!(d.cause(), Cause::Construct(_) | Cause::Command(_));
    let is_only = a.cause() == b.cause() && a.cause().operators().len() == 1;
    match (a.kind.row().said, b.kind.row().said) {
        (Some(one), Some(other)) => one == other || is_only || is_one_part(a) || is_one_part(b),
        _ => true,
    }
}

/// Whether neither releases, theories nor directions tell two findings apart.
fn agree(a: &Dossier, b: &Dossier) -> bool {
    let same_theory = match (theory(a), theory(b)) {
        (Some(one), Some(other)) => one == other,
        _ => true,
    };
    same_theory && same_history(a, b) && same_direction(a, b)
}

/// The one rule beyond identity: whether a finding that needs several operators may be a bug that needs fewer of them. A bug
/// about models explains wrong models of operators that are right alone, and one about answers explains wrong values and
/// rewrites of its operators.
fn needs_more(finding: &Dossier, bug: &Dossier) -> bool {
    let (own, fewer) = (finding.cause().operators(), bug.cause().operators());
    let is_reply = bug.class() == Class::Wrong
        && matches!(
            finding.class(),
            Class::Value | Class::Rewrite | Class::Optimum | Class::Interpolant | Class::Proof
        );
    let explained = match bug.cause() {
        Cause::AnyFormula => true,
        Cause::Operators(_) if !fewer.is_empty() => {
            (is_reply || fewer.len() < own.len()) && fewer.iter().all(|o| own.contains(o))
        }
        Cause::ModelPrinting => {
            let cleared = own.iter().all(|o| finding.cleared.contains(o));
            finding.kind == Kind::InvalidModel && !own.is_empty() && cleared
        }
        _ => false,
    };
    explained
        && matches!(finding.cause(), Cause::Operators(_))
        && (finding.culprit.is_none() || *bug.cause() == Cause::AnyFormula)
        && (is_reply || finding.class() == bug.class())
        && finding.class() != Class::Crash
        && finding.identity.solvers == bug.identity.solvers
        && agree(finding, bug)
}

/// Whether everything that distinguishes a finding from one of the two also distinguishes it from the other.
fn is_alike(a: &Dossier, b: &Dossier) -> bool {
    let standings =
        |h: &History| h.releases.iter().map(|r| (r.solver.clone(), r.standing)).collect::<Vec<_>>();
    let culprit = |d: &Dossier| d.culprit.as_ref().map(|c| (c.operator.clone(), standings(&c.history)));
    theory(a) == theory(b)
        && a.identity == b.identity
        && a.kind.row().said == b.kind.row().said
        && a.cleared == b.cleared
        && culprit(a) == culprit(b)
        && standings(&a.history) == standings(&b.history)
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

    fn add(&mut self, finding: usize, all: &[&Dossier]) {
        let is_new = !self.distinct.iter().any(|d| is_alike(all[*d], all[finding]));
        self.distinct.extend(is_new.then_some(finding));
        self.members.push(finding);
        // A finding that named a bug keeps naming it.
        if all[finding].given.is_some() {
            self.founders.push(finding);
            self.cores.push(finding);
        }
    }

    /// Takes over all findings of another bug.
    fn absorb(&mut self, other: Group, all: &[&Dossier]) {
        other.members.iter().for_each(|m| self.add(*m, all));
        let Group { founders, cores, .. } = other;
        for (own, others) in [(&mut self.founders, founders), (&mut self.cores, cores)] {
            own.extend(others);
            own.sort_unstable();
            own.dedup();
        }
    }

    /// Whether neither releases nor theories tell a finding from any of these.
    fn agrees(&self, finding: usize, all: &[&Dossier]) -> bool {
        self.distinct.iter().all(|m| agree(all[*m], all[finding]))
    }

    /// Whether a finding may be this bug, which needs fewer operators.
    fn explains(&self, finding: usize, all: &[&Dossier]) -> bool {
        self.cores.iter().any(|c| needs_more(all[finding], all[*c])) && self.agrees(finding, all)
    }

    /// Takes out findings that are not at its core.
    fn leave(&mut self, moved: &[usize], all: &[&Dossier]) {
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
    all: Vec<&'d Dossier>,
    groups: Vec<Group>,
}

impl Sorting<'_> {
    /// The group of findings with the same identity.
    fn twins(&self, finding: usize) -> Option<usize> {
        let is_alike = |m: &usize| self.all[*m].identity == self.all[finding].identity;
        let is_twin = |g: &Group| g.cores.iter().any(is_alike) && g.agrees(finding, &self.all);
        self.groups.iter().position(is_twin)
    }

    /// The groups, besides one, that explain all of some findings.
    fn homes(&self, findings: &[usize], besides: Option<usize>) -> Vec<usize> {
        let explains = |at: &usize| findings.iter().all(|f| self.groups[*at].explains(*f, &self.all));
        let mut homes: Vec<usize> =
            (0..self.groups.len()).filter(|at| Some(*at) != besides).filter(explains).collect();
        // A bug that shares an operator explains more than one that needs none.
        if homes.len() > 1 {
            let needs_one = |c: &usize| !self.all[*c].cause().operators().is_empty();
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
                    home.absorb(other, &self.all);
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
            let (member, new) = (self.all[**m], self.all[finding]);
            member.identity == new.identity || needs_more(member, new)
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
    let mut sorting = Sorting { all: dossiers.to_vec(), groups: Vec::new() };
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
    use crate::examine::culprit_theory;
    use smelt_core::{Culprit, Identity, Needs, OutcomeKind, Release, Site, SolverId, Standing};

    fn dossier(operators: &[&str], kind: Kind, bad: &[&str], good: &[&str]) -> Dossier {
        let release =
            |version: &&str, standing| Release::new(SolverId::new("s", version.parse().ok()), standing);
        let bad = bad.iter().map(|v| release(v, Standing::Bad));
        let releases = bad.chain(good.iter().map(|v| release(v, Standing::Good))).collect();
        let names: Vec<String> = operators.iter().map(|o| (*o).to_owned()).collect();
        let cause = match (kind, &names[..]) {
            (MODEL, []) => Cause::ModelPrinting,
            _ => Cause::Operators(names),
        };
        Dossier {
            kind,
            evidence: None,
            reason: String::new(),
            accused: Vec::new(),
            profile: "s".into(),
            theory: "core".into(),
            identity: Identity { solvers: vec!["s".into()], class: kind.class(), cause },
            earlier: Vec::new(),
            query: 0,
            cleared: operators.iter().filter(|o| **o != "forall").map(|o| (*o).to_owned()).collect(),
            said: Vec::new(),
            model: None,
            culprit: None,
            needs: Needs::default(),
            history: History { releases },
            reduction: None,
            differences: Vec::new(),
            seed_shows: false,
            reduction_tried: false,
            of_seed: false,
            with_model: false,
            with_core: false,
            proved: None,
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
        let theory_of = culprit_theory(&operator, &script);
        let answer = OutcomeKind::Sat;
        wrong.culprit = Some(Culprit {
            operator,
            application,
            value,
            script,
            spelled,
            answer,
            theory: theory_of,
            history,
            command: None,
        });
        Dossier { theory: theory.into(), ..wrong }
    }

    const MODEL: Kind = Kind::InvalidModel;
    const SAT: Kind = Kind::SolutionUnsound;
    const UNSAT: Kind = Kind::RefutationUnsound;

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
    fn what_is_wrong_on_any_formula_explains_all_of_its_direction() {
        let mut any = dossier(&[], SAT, &[], &[]);
        any.identity.cause = Cause::AnyFormula;
        let list = [
            dossier(&["f", "g"], SAT, &[], &[]),
            alone("h", "ints", ""),
            any,
            dossier(&["f"], UNSAT, &[], &[]),
        ];
        let list = list.map(|d| Dossier { kind: if d.kind == MODEL { SAT } else { d.kind }, ..d });
        assert_eq!(groups(&list), [vec![0, 1, 2], vec![3]]);
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
        let about =
            |cause: Cause, d: Dossier| Dossier { identity: Identity { cause, ..d.identity.clone() }, ..d };
        let of = |theory: &str| about(Cause::Construct("let".into()), of(theory));
        assert_eq!(groups(&["ints", "reals"].map(of)), [vec![0, 1]]);
        // A place in the source is too, and a signal is not.
        let crash = |cause: &Cause, theory: &str| {
            let crash = dossier(&["*"], Kind::Crash, &[], &[]);
            about(cause.clone(), Dossier { theory: theory.into(), ..crash })
        };
        let shape = Cause::Shape { signal: Some(11), message: None, operators: vec!["*".into()] };
        let list = [Cause::Site(Site::Source("a.cpp:7".into())), shape]
            .map(|cause| ["ints", "reals"].map(|theory| crash(&cause, theory)));
        assert_eq!(groups(&list.concat()), [vec![0, 1], vec![2], vec![3]]);
    }

    #[test]
    fn a_wrong_sat_and_a_wrong_unsat_are_two_bugs_unless_one_part_is_at_fault() {
        let list = [SAT, MODEL, Kind::RefutationUnsound].map(|kind| dossier(&["*", "/"], kind, &[], &[]));
        assert_eq!(groups(&list), [vec![0, 1], vec![2]]);
        let cause = Cause::Construct("let".into());
        let of = |d: &Dossier| {
            let identity = Identity { cause: cause.clone(), ..d.identity.clone() };
            Dossier { identity, ..d.clone() }
        };
        assert_eq!(groups(&list.each_ref().map(of)), [vec![0, 1, 2]]);
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
