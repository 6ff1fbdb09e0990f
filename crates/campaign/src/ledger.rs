//! The ledger: the bugs known to all workers, so that no bug is confirmed or investigated more often than needed.

use smelt_core::{Cause, Claim, CoarseKey, Kind, Reason, SolverId};
use smelt_oracle::CaseScript;
use smelt_trial::{RUNS, lock};
use std::collections::HashMap;
use std::sync::Mutex;

/// How often something that failed is tried again: a claim that did not repeat, an investigation without result, a solver
/// that did not start. Three failures in a row are no accident.
pub(crate) const RETRIES: u32 = 3;

/// The state of a fingerprint.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Known {
    /// Confirmed; the smallest script has this many bytes, and is of this case.
    Confirmed(usize, u64),
    /// Failed to repeat, this often.
    Flaky(u32),
}

/// Why an answer was due.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Due {
    /// Another release decides it, and this one gives up.
    Regression,
    /// Another release is far faster.
    Speed,
    /// The same release decided it one step before.
    Implication,
}

/// The subject of a suspicion; each subject is investigated a limited number of times.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Suspected {
    /// The release that is accused.
    pub(crate) solver: SolverId,
    pub(crate) due: Due,
    pub(crate) theory: String,
    /// The rule of the last step, for implications.
    pub(crate) rule: String,
    /// The operators that tell most about the case.
    pub(crate) operators: Vec<String>,
}

impl Due {
    /// What was due, if a finding of this kind is about an answer that was.
    fn of(kind: Kind) -> Option<Due> {
        match kind {
            Kind::IncompleteRegression => Some(Due::Regression),
            Kind::IncompleteImplication => Some(Due::Implication),
            Kind::PerfRegression | Kind::Hang => Some(Due::Speed),
            _ => None,
        }
    }
}

impl Suspected {
    /// The suspicion about a script.
    pub(crate) fn of(solver: SolverId, due: Due, rule: &str, script: &[u8]) -> Suspected {
        let case = CaseScript::new(script);
        let (operators, _) = case.key_operators(0);
        Suspected { solver, due, theory: case.theory(), rule: rule.to_owned(), operators }
    }
}

/// How often a suspicion was asked about and investigated, and whether it became a finding.
#[derive(Clone, Copy, Debug, Default)]
struct Tries {
    asked: u32,
    looked: u32,
    closed: bool,
}

/// Whether a claim is about an answer to `check-sat`, or about its model: a mutant keeps most of what made it wrong.
fn is_answer(claim: &Claim) -> bool {
    matches!(claim.kind, Kind::RefutationUnsound | Kind::SolutionUnsound | Kind::Unsound | Kind::InvalidModel)
}

/// The known bugs.
#[derive(Debug, Default)]
pub(crate) struct Ledger {
    /// Whether every smaller script is confirmed, so that the smallest of all is kept whatever came first.
    is_exact: bool,
    findings: Mutex<HashMap<CoarseKey, Known>>,
    tries: Mutex<HashMap<Suspected, Tries>>,
    /// By seed: what was shown to be wrong in the answers to the seed itself, and mutants that show the same.
    of_seeds: Mutex<HashMap<usize, Vec<Claim>>>,
}

impl Ledger {
    /// Nothing is known yet.
    pub(crate) fn new(is_exact: bool) -> Ledger {
        Ledger { is_exact, ..Ledger::default() }
    }

    /// Restores a finding of an earlier run; `script` reads the trigger.
    pub(crate) fn restore(
        &self,
        claim: &Claim,
        bytes: u64,
        flaky: bool,
        number: u64,
        script: impl FnOnce() -> Option<Vec<u8>>,
    ) {
        let known = if flaky { Known::Flaky(1) } else { Known::Confirmed(bytes as usize, number) };
        if let Some((due, script)) = Due::of(claim.kind).and_then(|due| Some((due, script()?))) {
            let rule = if let Cause::Rule(rule) = &claim.cause { rule } else { "" };
            for solver in claim.solvers() {
                let tries = Tries { looked: 1, closed: !flaky, ..Tries::default() };
                lock(&self.tries).insert(Suspected::of(solver, due, rule, &script), tries);
            }
        }
        lock(&self.findings).insert(claim.key(), known);
    }

    /// Whether a claim about a case must be confirmed: it is new, or its script is much smaller than the known one.
    pub(crate) fn must_confirm(&self, claim: &Claim, bytes: usize, number: u64) -> bool {
        match lock(&self.findings).get(&claim.key()) {
            None => true,
            Some(Known::Confirmed(smallest, of)) if self.is_exact => (bytes, number) < (*smallest, *of),
            // Half of this time already justifies a confirmation.
            Some(Known::Confirmed(smallest, _)) => bytes * 2 <= *smallest,
            Some(Known::Flaky(times)) => *times < RETRIES,
        }
    }

    /// Notes in how many fresh runs a claim repeated. Whether it is a bug that was not known: the first of its key.
    pub(crate) fn note(&self, claim: &Claim, seen: u32, bytes: usize, number: u64) -> bool {
        let mut findings = lock(&self.findings);
        let entry = findings.entry(claim.key()).or_insert(Known::Flaky(0));
        let is_new = seen == RUNS && matches!(entry, Known::Flaky(_));
        *entry = match (*entry, seen) {
            (Known::Confirmed(smallest, of), RUNS) => {
                let (bytes, number) = (smallest, of).min((bytes, number));
                Known::Confirmed(bytes, number)
            }
            (Known::Flaky(_), RUNS) => Known::Confirmed(bytes, number),
            (Known::Flaky(times), _) => Known::Flaky(times + 1),
            (known, _) => known,
        };
        is_new
    }

    /// Notes a claim about a seed itself. It counts once it is confirmed, or if its key is.
    pub(crate) fn note_seed(&self, seed: usize, claim: &Claim) {
        let is_confirmed = matches!(lock(&self.findings).get(&claim.key()), Some(Known::Confirmed(..)));
        if is_confirmed && is_answer(claim) {
            lock(&self.of_seeds).entry(seed).or_default().push(claim.clone());
        }
    }

    /// The known claim that a claim about a mutant of a seed only occurs again: the accused gives the mutant the wrong answer
    /// that it gives the seed; or its answers to the two contradict each other, and the one to the seed is known to be wrong.
    pub(crate) fn of_seed(&self, seed: usize, claim: &Claim) -> Option<Claim> {
        if self.is_exact || !is_answer(claim) {
            return None;
        }
        let of_seeds = lock(&self.of_seeds);
        let shows = |known: &&Claim| {
            let is_related = matches!(claim.reason, Reason::Seed { .. });
            let is_same =
                known.kind == claim.kind && matches!(known.reason, Reason::Seed { .. }) == is_related;
            let is_blamed = is_related && known.kind != Kind::Unsound;
            known.solvers() == claim.solvers() && (is_same || is_blamed)
        };
        of_seeds.get(&seed)?.iter().find(shows).cloned()
    }

    /// Records a confirmed claim about a mutant of a seed. If solvers disagree on the seed and it is not settled which is wrong, one
    /// mutant to which the accused answers otherwise says it, and the next ones say nothing more.
    pub(crate) fn note_mutant(&self, seed: usize, claim: &Claim) {
        let mut of_seeds = lock(&self.of_seeds);
        let Some(known) = of_seeds.get_mut(&seed) else { return };
        let accused = claim.solvers();
        let is_in_doubt = |known: &Claim| !known.is_settled() && known.solvers().contains(&accused[0]);
        if claim.is_settled() && matches!(claim.reason, Reason::Seed { .. }) && known.iter().any(is_in_doubt)
        {
            known.push(claim.clone());
        }
    }

    /// Counts one more investigation of a suspicion; false if there were `limit` already, or it became a finding.
    pub(crate) fn may_look(&self, suspected: &Suspected, limit: u32) -> bool {
        self.may(suspected, limit, |tries| &mut tries.looked)
    }

    /// The same for a question in passing, which costs less.
    pub(crate) fn may_ask(&self, suspected: &Suspected, limit: u32) -> bool {
        self.may(suspected, limit, |tries| &mut tries.asked)
    }

    fn may(&self, suspected: &Suspected, limit: u32, counter: fn(&mut Tries) -> &mut u32) -> bool {
        let mut all = lock(&self.tries);
        let tries = all.entry(suspected.clone()).or_default();
        let closed = tries.closed;
        let count = counter(tries);
        let may = !closed && *count < limit;
        *count += u32::from(may);
        may
    }

    /// Notes that a suspicion became a finding.
    pub(crate) fn close(&self, suspected: Suspected) {
        lock(&self.tries).entry(suspected).or_default().closed = true;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use smelt_core::{Accused, Verdict};

    fn claim(kind: Kind, theory: &str, cause: Cause) -> Claim {
        let accused = vec![Accused { position: 0, solver: SolverId::new("z3", None) }];
        let reason = Reason::Crash(String::new());
        Claim { query: None, kind, accused, evidence: None, theory: theory.into(), cause, reason }
    }

    fn suspected(due: Due, theory: &str) -> Suspected {
        let solver = smelt_core::SolverId::new("z3", None);
        let operators = vec!["+".into()];
        Suspected { solver, due, theory: theory.into(), rule: "le-slack".into(), operators }
    }

    #[test]
    fn a_finding_of_one_rule_or_release_closes_no_other() {
        let ledger = Ledger::default();
        let one = suspected(Due::Implication, "ints");
        ledger.close(one.clone());
        assert!(!ledger.may_look(&one, 3));
        assert!(ledger.may_look(&Suspected { rule: "eq-ge".into(), ..one.clone() }, 3));
        assert!(ledger.may_look(&Suspected { operators: vec!["mod".into()], ..one.clone() }, 3));
        let other = smelt_core::SolverId::new("z3-old", None);
        assert!(ledger.may_look(&Suspected { solver: other, ..one }, 3));
    }

    /// A resumed campaign continues with the other operators of a rule.
    #[test]
    fn a_stored_finding_closes_its_rule_for_its_own_operators() {
        const SCRIPT: &str = "(declare-const x Int)(assert (<= (mod x 3) 1))(check-sat)";
        let z3 = || smelt_core::SolverId::new("z3", None);
        let suspected = |due, script: &str| Suspected::of(z3(), due, "le-slack", script.as_bytes());
        for (kind, due) in [
            (Kind::Hang, Due::Speed),
            (Kind::PerfRegression, Due::Speed),
            (Kind::IncompleteRegression, Due::Regression),
            (Kind::IncompleteImplication, Due::Implication),
        ] {
            let ledger = Ledger::default();
            let stored = claim(kind, "ints", Cause::Rule("le-slack".into()));
            ledger.restore(&stored, 10, false, 0, || Some(SCRIPT.into()));
            for other in [Due::Speed, Due::Regression, Due::Implication] {
                assert_eq!(ledger.may_look(&suspected(other, SCRIPT), 3), other != due, "{kind}");
                assert!(ledger.may_look(&suspected(other, &SCRIPT.replace("mod", "div")), 3), "{kind}");
            }
        }
        let crash = claim(Kind::Crash, "ints", Cause::ModelPrinting);
        Ledger::default().restore(&crash, 10, false, 0, || unreachable!("it was not due"));
    }

    #[test]
    fn the_first_confirmed_finding_of_a_key_is_new_and_no_other() {
        let ledger = Ledger::default();
        let claim = |theory: &str| claim(Kind::Crash, theory, Cause::ModelPrinting);
        let news = [(RUNS - 1, 9), (RUNS, 9), (RUNS, 4)].map(|(seen, bytes)| {
            assert!(ledger.must_confirm(&claim("seq"), bytes, 0));
            ledger.note(&claim("seq"), seen, bytes, 0)
        });
        assert_eq!(news, [false, true, false]);
        assert!(!ledger.must_confirm(&claim("seq"), 3, 0), "not much shorter");
        assert!(ledger.note(&claim("fp"), RUNS, 9, 0));
    }

    /// One wrong answer to a seed was once a finding for each of its mutants.
    #[test]
    fn what_a_mutant_shows_again_of_its_seed_is_no_other_finding() {
        let names = |all: &[&str]| -> Vec<Accused> {
            all.iter().map(|n| Accused { position: 0, solver: SolverId::new(*n, None) }).collect()
        };
        let about = |kind, who: &[&str], theory: &str, reason: Reason| Claim {
            accused: names(who),
            reason,
            ..claim(kind, theory, Cause::ModelPrinting)
        };
        let made = || Reason::Construction(Verdict::Sat);
        let related = || Reason::Seed { seed: Verdict::Unsat, case: Verdict::Sat };
        let of_seed = about(Kind::RefutationUnsound, &["z3"], "ints", made());
        let ledger = Ledger::default();
        ledger.note_seed(7, &of_seed);
        let same = about(Kind::RefutationUnsound, &["z3"], "reals", made());
        assert_eq!(ledger.of_seed(7, &same), None, "it is not confirmed");
        ledger.note(&of_seed, RUNS, 9, 0);
        ledger.note_seed(7, &of_seed);
        assert_eq!(ledger.of_seed(7, &same), Some(of_seed.clone()));
        let other_answer = about(Kind::Unsound, &["z3"], "ints", related());
        assert_eq!(ledger.of_seed(7, &other_answer), Some(of_seed.clone()));
        assert_eq!(ledger.of_seed(8, &same), None, "another seed");
        for other in [
            about(Kind::RefutationUnsound, &["cvc4"], "ints", made()),
            about(Kind::SolutionUnsound, &["z3"], "ints", made()),
            about(Kind::Crash, &["z3"], "ints", made()),
        ] {
            assert_eq!(ledger.of_seed(7, &other), None, "{other:?}");
        }
        let false_model = about(Kind::InvalidModel, &["z3"], "datatypes", made());
        ledger.note(&false_model, RUNS, 9, 0);
        ledger.note_seed(6, &false_model);
        let with_floats = about(Kind::InvalidModel, &["z3"], "fp", made());
        assert_eq!(ledger.of_seed(6, &with_floats), Some(false_model));
        // If it is not settled who is wrong on the seed, the first mutant decides it.
        let split = || Reason::Disagreement { sat: Vec::new(), unsat: Vec::new() };
        let doubt = about(Kind::Unsound, &["z3", "cvc4"], "ints", split());
        ledger.note(&doubt, RUNS, 9, 0);
        ledger.note_seed(9, &doubt);
        assert_eq!(ledger.of_seed(9, &other_answer), None);
        ledger.note_mutant(9, &other_answer);
        let again = about(Kind::Unsound, &["z3"], "reals", related());
        assert_eq!(ledger.of_seed(9, &again), Some(other_answer));
        assert_eq!(ledger.of_seed(9, &about(Kind::Unsound, &["cvc4"], "reals", related())), None);
    }

    #[test]
    fn looks_and_questions_are_counted_apart() {
        let ledger = Ledger::default();
        let suspected = suspected(Due::Implication, "fp");
        assert_eq!((0..9).filter(|_| ledger.may_ask(&suspected, 5)).count(), 5);
        assert_eq!((0..9).filter(|_| ledger.may_look(&suspected, 3)).count(), 3);
        let other = Suspected { theory: "ints".into(), ..suspected };
        ledger.close(other.clone());
        assert!(!ledger.may_look(&other, 3));
    }
}
