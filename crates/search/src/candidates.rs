//! Candidates: scripts, not confirmed yet, on which the target times out and the reference is fast.
//!
//! Candidates with the same theory operators are of one kind, and count as the same bug. They are confirmed in this
//! order: kinds that were tried least often; among them, scripts without all operators of a known bug; then the
//! least complex script.

use serde::{Deserialize, Serialize};
use smelt_oracle::CaseScript;
use std::collections::{BTreeMap, BTreeSet};

use crate::confirm::Confirmed;
use crate::individual::Individual;

/// How often candidates of one kind are tried.
const TRIES: u32 = 3;

/// A script that the target does not finish and the reference does at once.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Candidate {
    pub(crate) text: String,
    pub(crate) complexity: u64,
    pub(crate) operators: Vec<String>,
    /// The time of the reference, in seconds.
    pub(crate) reference: f64,
    pub(crate) number: u64,
}

/// The candidates of a search, and the results of confirming them.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Candidates {
    waiting: Vec<Candidate>,
    /// By operators: how often such a candidate was tried.
    tried: BTreeMap<String, u32>,
    /// Operators of candidates that are being tried.
    #[serde(skip)]
    under_way: BTreeSet<String>,
    /// Operators of scripts that are being confirmed.
    #[serde(skip)]
    pub(crate) being_confirmed: BTreeSet<Vec<String>>,
    /// The confirmed findings.
    pub confirmed: Vec<Confirmed>,
    /// Scripts that ended within the longer limit: slow, but not findings.
    pub slow: Vec<Confirmed>,
    /// How many candidates there were.
    pub candidates: u64,
}

fn key(operators: &[String]) -> String {
    operators.join(" ")
}

impl Candidates {
    /// Adds a candidate.
    pub(crate) fn add(&mut self, individual: &Individual, number: u64) {
        let operators = operators(individual.text.as_bytes());
        self.candidates += 1;
        let known = self.is_known(&operators);
        // One simpler candidate of each kind is enough.
        let better = |c: &Candidate| c.operators == operators && c.complexity <= individual.complexity;
        if known || self.waiting.iter().any(better) {
            return;
        }
        let (text, complexity) = (individual.text.clone(), individual.complexity);
        let reference = individual.reference.seconds;
        self.waiting.push(Candidate { text, complexity, operators, reference, number });
    }

    fn is_known(&self, operators: &[String]) -> bool {
        self.has(operators) || self.tried.get(&key(operators)).is_some_and(|n| *n >= TRIES)
    }

    /// Whether a script has all operators of a confirmed finding.
    pub(crate) fn explains(&self, text: &[u8]) -> bool {
        within(text, self.confirmed.iter().map(|c| &c.operators[..])).next().is_some()
    }

    /// The operators of each confirmed, current or waiting candidate that explains a script: the script has all of
    /// them, so it repeats a known bug.
    pub(crate) fn explanations(&self, text: &[u8]) -> impl Iterator<Item = &[String]> {
        let confirmed = self.confirmed.iter().map(|c| &c.operators[..]);
        let waiting = self.waiting.iter().map(|c| &c.operators[..]);
        within(text, confirmed.chain(waiting).chain(self.being_confirmed.iter().map(|o| &o[..])))
    }

    /// Whether a finding has exactly these operators.
    pub(crate) fn has(&self, operators: &[String]) -> bool {
        self.confirmed.iter().any(|c| c.operators == operators)
    }

    /// Reserves the confirmation of a script with these operators; `false` if it was done or is under way.
    pub(crate) fn claim(&mut self, operators: &[String]) -> bool {
        !self.has(operators) && self.being_confirmed.insert(operators.to_vec())
    }

    /// The simplest candidate of each kind that was not confirmed, with its operators.
    pub(crate) fn unconfirmed(&self) -> Vec<(&str, String)> {
        let mut kinds: BTreeMap<String, &Candidate> = BTreeMap::new();
        for candidate in &self.waiting {
            let best = kinds.entry(key(&candidate.operators)).or_insert(candidate);
            if candidate.complexity < best.complexity {
                *best = candidate;
            }
        }
        kinds.into_iter().map(|(operators, candidate)| (&*candidate.text, operators)).collect()
    }

    /// How many kinds of candidates wait.
    pub fn waiting(&self) -> usize {
        self.waiting.iter().map(|c| &c.operators).collect::<BTreeSet<_>>().len()
    }

    /// How many of these kinds are not being tried.
    pub(crate) fn free(&self) -> usize {
        let kinds: BTreeSet<String> = self.waiting.iter().map(|c| key(&c.operators)).collect();
        kinds.difference(&self.under_way).count()
    }

    /// How many of them are probably new bugs: never tried, and without the operators of a finding.
    pub(crate) fn promising(&self) -> usize {
        let is_new = |c: &&Candidate| {
            let key = key(&c.operators);
            !self.under_way.contains(&key)
                && !self.tried.contains_key(&key)
                && !self.explains(c.text.as_bytes())
        };
        self.waiting.iter().filter(is_new).map(|c| &c.operators).collect::<BTreeSet<_>>().len()
    }

    /// Whether a candidate waits.
    pub(crate) fn is_busy(&self) -> bool {
        !self.waiting.is_empty()
    }

    /// The most promising candidate.
    pub(crate) fn next(&mut self) -> Option<Candidate> {
        let known: Vec<Candidate> = std::mem::take(&mut self.waiting);
        self.waiting = known.into_iter().filter(|c| !self.is_known(&c.operators)).collect();
        let covered = |c: &Candidate| self.explains(c.text.as_bytes());
        let free = |c: &&Candidate| !self.under_way.contains(&key(&c.operators));
        let tried = |c: &Candidate| self.tried.get(&key(&c.operators)).copied().unwrap_or(0);
        let best =
            self.waiting.iter().filter(free).min_by_key(|c| (tried(c), covered(c), c.complexity, c.number));
        let best = best.cloned()?;
        self.under_way.insert(key(&best.operators));
        Some(best)
    }

    /// Notes that a candidate was tried, to the end or not. Until then it stays in the queue.
    pub(crate) fn done(&mut self, candidate: &Candidate, to_the_end: bool) {
        self.under_way.remove(&key(&candidate.operators));
        if to_the_end {
            self.waiting.retain(|c| c != candidate);
            *self.tried.entry(key(&candidate.operators)).or_default() += 1;
        }
    }
}

/// The lists of operators that a script has all of.
fn within<'a>(text: &[u8], lists: impl Iterator<Item = &'a [String]>) -> impl Iterator<Item = &'a [String]> {
    let mut lists = lists.filter(|l| !l.is_empty()).peekable();
    let operators = if lists.peek().is_some() { CaseScript::new(text).operators(0) } else { Vec::new() };
    lists.filter(move |l| l.iter().all(|o| operators.contains(o)))
}

/// The operators that identify the bug of a script best.
pub(crate) fn operators(text: &[u8]) -> Vec<String> {
    CaseScript::new(text).key_operators(0).0
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::individual::Timing;
    use smelt_core::{Kind, OutcomeKind};
    use smelt_strategies::evolve::complexity_of;

    fn individual(body: &str) -> Individual {
        let text = format!("(declare-const a String)(declare-const i Int)(assert {body})(check-sat)");
        let timing = |seconds, outcome| Timing { seconds, outcome, runs: 1 };
        Individual {
            complexity: complexity_of(text.as_bytes()).unwrap(),
            text,
            target: timing(5.0, OutcomeKind::Timeout),
            reference: timing(0.01, OutcomeKind::Sat),
            behaviour: None,
            covered: 0.0,
            known: false,
        }
    }

    #[test]
    fn candidates_with_the_same_operators_wait_once_and_the_simplest_first() {
        let mut candidates = Candidates::default();
        candidates.add(&individual("(> (str.to_int (str.++ a a)) i)"), 1);
        candidates.add(&individual("(> (str.to_int a) i)"), 2);
        candidates.add(&individual("(> (str.to_int (str.++ a \"1\" a)) 7)"), 3);
        assert_eq!((candidates.candidates, candidates.waiting()), (3, 2));
        let first = candidates.next().unwrap();
        assert_eq!((first.number, candidates.waiting(), candidates.free()), (2, 2, 1));
        let second = candidates.next().unwrap();
        assert!(second.number != 2 && candidates.next().is_none());
        candidates.done(&first, true);
        candidates.done(&second, false);
        assert_eq!(candidates.waiting(), 1, "what was interrupted waits still");
        assert_eq!(candidates.next(), Some(second));
    }

    fn confirmed(known: &Individual) -> Confirmed {
        Confirmed {
            id: "1".into(),
            kind: Some(Kind::Hang),
            operators: operators(known.text.as_bytes()),
            complexity: 5,
            script: known.text.clone(),
            target: known.target,
            reference: known.reference,
            releases: Vec::new(),
        }
    }

    #[test]
    fn one_finding_of_each_kind_is_confirmed_at_a_time() {
        let mut candidates = Candidates::default();
        let (known, more) =
            (individual("(str.contains a \"b\")"), individual("(str.contains a (str.at a i))"));
        let kind = operators(known.text.as_bytes());
        assert!(candidates.claim(&kind) && !candidates.claim(&kind));
        assert_eq!(candidates.explanations(more.text.as_bytes()).count(), 1);
        assert!(!candidates.explains(more.text.as_bytes()), "it is not confirmed yet");
        candidates.being_confirmed.clear();
        candidates.confirmed.push(confirmed(&known));
        assert!(!candidates.claim(&kind));
        // A function is more specific than a predicate, but the predicate still explains it.
        assert!(
            candidates.claim(&operators(more.text.as_bytes())) && candidates.explains(more.text.as_bytes())
        );
    }

    #[test]
    fn what_adds_least_to_what_is_confirmed_comes_last() {
        let mut candidates = Candidates::default();
        let known = individual("(> (str.to_int a) i)");
        candidates.confirmed.push(confirmed(&known));
        candidates.add(&known, 1);
        assert_eq!(candidates.waiting(), 0, "it is known");
        assert!(candidates.explains(individual("(> (str.to_int (str.++ a a)) i)").text.as_bytes()));
        assert!(!candidates.explains(individual("(= a (str.++ a a))").text.as_bytes()));
        candidates.add(&individual("(> (str.to_int (str.++ a a)) i)"), 2);
        candidates
            .add(&individual("(= (str.replace a (str.replace a \"b\" \"c\") \"dd\") (str.substr a i i))"), 3);
        assert_eq!((candidates.free(), candidates.promising()), (2, 1));
        assert_eq!(candidates.next().unwrap().number, 3, "although it is less simple");
        assert_eq!((candidates.free(), candidates.promising()), (1, 0));
    }
}
