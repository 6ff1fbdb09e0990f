//! A scene: a script with the outcomes of all solvers, and the parts of a dossier that come from it.

use smelt_core::{Evidence, FindingKind, OutcomeKind, Verdict};
use smelt_oracle::{CaseScript, Claim, fingerprint};
use smelt_solvers::Dialect;
use smelt_trial::{Judged, NamedSolver};
use std::collections::BTreeSet;

use crate::class::Class;
use crate::dossier::{Culprit, Dossier, ModelShown, Needs, Said};
use crate::examine::Unexamined;
use crate::history::History;
use crate::machine::{system, today};

/// A script with the outcomes of all solvers.
pub(crate) struct Scene<'a> {
    pub(crate) script: &'a [u8],
    pub(crate) solvers: &'a [NamedSolver],
    pub(crate) judged: Judged,
}

impl Scene<'_> {
    /// The claim of a class against some of the accused; of the finding's own kind, if there is one.
    pub(crate) fn claim(&self, class: Class, kind: FindingKind, accused: &[usize]) -> Option<&Claim> {
        let fits = |c: &&Claim| Class::of(c.kind) == class && c.accused.iter().all(|i| accused.contains(i));
        let mut fitting: Vec<&Claim> = self.judged.judgement.claims.iter().filter(fits).collect();
        // A false model shows who is wrong; a disagreement does not.
        let is_open = |c: &Claim| c.evidence.is_none() && c.accused.len() > 1;
        fitting.sort_by_key(|c| (is_open(c), c.kind != kind, c.evidence.is_none(), c.evidence));
        fitting.first().copied()
    }

    /// Whether a solver is right on this script, where it is wrong on another of the same meaning: its model is true now,
    /// its answer is the other one, or its core is not refuted.
    pub(crate) fn cures(&self, other: &Scene<'_>, kind: FindingKind, who: usize) -> bool {
        // A wrong answer is no cure of `unknown`.
        let classes = [Class::of(kind), Class::Wrong];
        let is_accused = |c: &Claim| classes.contains(&Class::of(c.kind)) && c.accused.contains(&who);
        if self.judged.judgement.claims.iter().any(is_accused) {
            return false;
        }
        let report = || self.judged.judgement.models[who].last().and_then(Option::as_ref);
        match (kind, self.verdict(who)) {
            (_, None | Some(Verdict::Unknown)) => false,
            (FindingKind::InvalidModel, _) => report().is_some_and(|r| r.truth == smelt_oracle::Truth::True),
            (FindingKind::InvalidCore, answer) => answer == other.verdict(who),
            (_, answer) => answer != other.verdict(who),
        }
    }

    /// The dossier of a finding without its needs and its history.
    pub(crate) fn dossier(
        &self,
        finding: &Unexamined<'_>,
        class: Class,
        claim: Option<&Claim>,
        culprit: Option<(usize, Culprit)>,
        construct: Option<&str>,
        guilty: &[usize],
    ) -> Dossier {
        let mut kind = claim.map_or(finding.kind, |c| c.kind);
        let mut evidence = claim.map_or(finding.evidence, |c| c.evidence);
        let mut reason = claim.map_or_else(|| finding.reason.to_owned(), |c| c.reason.to_string());
        let is_wrong = class == Class::Wrong;
        if let (Some((who, fact)), None, true) = (&culprit, evidence, is_wrong) {
            kind = match self.verdict(*who) {
                Some(Verdict::Unsat) => FindingKind::RefutationUnsound,
                _ => FindingKind::SolutionUnsound,
            };
            evidence = Some(Evidence::Model);
            reason = format!("{} is {}, and it says otherwise", fact.application, fact.value);
        }
        if let (Some(construct), None, true) = (construct, evidence, is_wrong) {
            kind = match self.verdict(guilty[0]) {
                Some(Verdict::Unsat) => FindingKind::RefutationUnsound,
                _ => FindingKind::SolutionUnsound,
            };
            evidence = Some(Evidence::Metamorphic);
            reason = format!(
                "without `{construct}`, which changes nothing, it says the opposite, as the others do"
            );
        }
        let culprit = culprit.map(|c| c.1);
        let check = claim.and_then(|c| c.check).unwrap_or_else(|| self.question(class, guilty[0]));
        let mut case = CaseScript::new(self.script);
        let operators = match (&culprit, construct) {
            (Some(culprit), _) => vec![culprit.operator.clone()],
            (None, Some(construct)) => vec![construct.to_owned()],
            (None, None) => telling(&case, class, kind, check),
        };
        // What is at fault alone is one bug, whether it shows as a wrong answer or as none.
        let is_alone = class.may_be_of_one_part() && (culprit.is_some() || construct.is_some());
        let class = if is_alone { Class::Wrong } else { class };
        Dossier {
            fingerprint: self.fingerprint(class, kind, guilty, &operators),
            operators,
            kind,
            evidence,
            reason,
            accused: guilty.iter().map(|i| self.solvers[*i].solver.id().clone()).collect(),
            profile: self.solvers[guilty[0]].solver.profile().name.clone(),
            theory: case.theory(),
            said: self.said(guilty),
            model: self.model(&mut case, claim, check, guilty[0]),
            culprit,
            construct: construct.map(str::to_owned),
            cleared: Vec::new(),
            needs: Needs::default(),
            history: History::default(),
            reduction: None,
            differences: Vec::new(),
            script: None,
            plain_models: false,
            seed_shows: false,
            reduction_tried: false,
            of_seed: false,
            with_model: false,
            goes_on: self.goes_on(guilty[0]),
            spelled: self.spelled(guilty[0], self.script),
            pair: None,
            given: None,
            build: self.solvers[guilty[0]].solver.build(),
            system: Some(system()),
            date: Some(today()),
            smelt: env!("CARGO_PKG_VERSION").parse().ok(),
        }
    }

    /// Puts a word for a theory in the place of operators that others of it can take the place of.
    pub(crate) fn generalise(
        &self,
        dossier: &mut Dossier,
        class: Class,
        guilty: &[usize],
        exchanges: &[(String, String)],
    ) {
        if exchanges.is_empty() {
            return;
        }
        let word = |operator: &String| {
            exchanges.iter().find(|e| e.0 == *operator).map_or(operator, |e| &e.1).clone()
        };
        let words: BTreeSet<String> = dossier.operators.iter().map(word).collect();
        dossier.operators = words.into_iter().collect();
        // It is not about them.
        dossier.cleared.extend(exchanges.iter().map(|e| e.1.clone()));
        dossier.fingerprint = self.fingerprint(class, dossier.kind, guilty, &dossier.operators);
    }

    pub(crate) fn verdict(&self, who: usize) -> Option<Verdict> {
        self.judged.outcomes[who].as_ref()?.verdicts().last().flatten()
    }

    /// The question that a finding about a whole run is about: the one that a crashed solver did not answer.
    fn question(&self, class: Class, who: usize) -> usize {
        let answered = |o: &smelt_core::Outcome| o.verdicts().take_while(Option::is_some).count();
        self.judged.outcomes[who].as_ref().filter(|_| class == Class::Crash).map_or(0, answered)
    }

    /// Whether a solver fails a check of its own and goes on.
    fn goes_on(&self, who: usize) -> bool {
        let crash = self.judged.outcomes[who].as_ref().and_then(|o| o.crash.as_ref());
        crash.is_some_and(|c| c.signal.is_none() && matches!(c.exit_code, None | Some(0)))
    }

    /// A script as a solver spells it, if that differs.
    pub(crate) fn spelled(&self, who: usize, script: &[u8]) -> Option<String> {
        let own = self.solvers[who].solver.spell(script);
        (*own != *script).then(|| String::from_utf8_lossy(&own).into_owned())
    }

    fn said(&self, guilty: &[usize]) -> Vec<Said> {
        let all = self.solvers.iter().zip(&self.judged.outcomes).enumerate();
        let first = &self.solvers[guilty[0]].solver;
        all.filter_map(|(i, (c, outcome))| {
            let outcome = outcome.as_ref()?;
            let mut words: Vec<String> =
                outcome.verdicts().map(|v| v.map_or("error", Verdict::as_str).to_owned()).collect();
            if outcome.kind.verdict().is_none() && !self.goes_on(i) {
                // How it ended stands in the place of the answers that it did not give.
                words.truncate(outcome.verdicts().take_while(Option::is_some).count());
                words.push(outcome.kind.to_string());
            }
            let several = words.len() > 1;
            let is_stopped = outcome.kind == OutcomeKind::Timeout;
            let message = outcome.message.as_deref().or(outcome.crash.as_ref().map(|c| c.message.as_str()));
            Some(Said {
                solver: c.solver.id().clone(),
                command: c.solver.portable_command("bug.smt2", self.script),
                outcome: outcome.kind,
                answers: if several { words } else { Vec::new() },
                message: message.map(|m| m.chars().take(1000).collect()),
                stopped_s: is_stopped.then(|| (outcome.usage.time().as_secs_f64() * 10.0).round() / 10.0),
                accused: guilty.contains(&i),
                build: guilty.contains(&i).then(|| c.solver.build()).flatten(),
                adapted: c.solver.reads_differently(first, self.script),
            })
        })
        .collect()
    }

    /// The model that shows the bug, evaluated: of a witness for a wrong unsat, of the accused for a wrong model.
    fn model(
        &self,
        case: &mut CaseScript,
        claim: Option<&Claim>,
        check: usize,
        accused: usize,
    ) -> Option<ModelShown> {
        let whose = match claim?.reason {
            smelt_oracle::Reason::Proof { .. } => (0..self.solvers.len()).find(|i| {
                let report = self.judged.judgement.models.get(*i).and_then(|m| m.get(check)?.as_ref());
                report.is_some_and(|r| r.truth == smelt_oracle::Truth::True)
            })?,
            _ => accused,
        };
        let text = self.judged.outcomes[whose].as_ref()?.answers.get(check)?.model.clone()?;
        let assertions = case.assertion_truths(check, &text);
        let assertions = assertions.into_iter().map(|(t, truth)| (t, truth.as_str().to_owned())).collect();
        let solver = &self.solvers[whose].solver;
        let translated = text.contains("\\u{") && *solver.dialect() != Dialect::default();
        let ground = case.is_ground(check);
        Some(ModelShown { solver: solver.id().clone(), text, translated, ground, assertions })
    }

    fn fingerprint(&self, class: Class, kind: FindingKind, guilty: &[usize], operators: &[String]) -> String {
        let name = |i: &usize| {
            let solver = &self.solvers[*i].solver;
            match solver.profile().name.as_str() {
                "generic" => fingerprint::solver_word(solver.id().name()),
                known => known.to_owned(),
            }
        };
        let names: BTreeSet<String> = guilty.iter().map(name).collect();
        let names = names.into_iter().collect::<Vec<_>>().join("&");
        let word = match (class, operators) {
            (Class::Wrong, []) if kind == FindingKind::InvalidModel => "model".to_owned(),
            _ => fingerprint::operator_list(operators),
        };
        let crash = guilty.first().and_then(|i| self.judged.outcomes[*i].as_ref()?.crash.as_ref());
        match crash.filter(|_| class == Class::Crash) {
            Some(crash) if fingerprint::has_place(crash) => fingerprint::of_crash(&names, crash),
            Some(crash) => format!("{}/{word}", fingerprint::of_crash(&names, crash)),
            None => format!("{names}/{}/{word}", class.as_str()),
        }
    }
}

/// The operators that identify the bug of a script best. In a formula without functions, a wrong model or core depends
/// on none of them.
fn telling(case: &CaseScript, class: Class, kind: FindingKind, check: usize) -> Vec<String> {
    let (operators, is_function) = case.key_operators(check);
    match class == Class::Core || kind == FindingKind::InvalidModel {
        true if !is_function => Vec::new(),
        _ => operators,
    }
}
