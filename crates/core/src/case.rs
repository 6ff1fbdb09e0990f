//! A test case: the script for the solvers, the expected answer, and how to make it again.

use crate::Expectation;
use serde::{Deserialize, Deserializer, Serialize, Serializer, de};
use std::{collections::BTreeMap, fmt, str::FromStr};

/// A test case: one value from the strategy that makes it to the report.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Case {
    /// The SMT-LIB text, byte for byte as solvers get it. Real scripts contain bytes that are not UTF-8.
    pub script: Vec<u8>,
    /// What is known of the answers to its last queries, the last query last. Nothing is known of earlier queries; a
    /// relation holds for every query, if both scripts have the same number of them.
    pub expectations: Vec<Expectation>,
    /// What shows that the expectation is true.
    pub certificate: Certificate,
    /// The seed, if it was made from exactly one, or the one that a related expectation is about.
    pub seed: Option<Vec<u8>>,
    /// The script one step before this one, for strategies whose steps imply each other: the relation holds to it too.
    pub before: Option<Vec<u8>>,
    /// How to make it again.
    pub provenance: Provenance,
}

/// What a strategy knows besides the status of its case. The oracle evaluates it before it believes it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Certificate {
    /// Nothing.
    #[default]
    None,
    /// A model of the last query, as a solver would print it.
    Model(String),
    /// A model of the script that this one was made smaller from; it may satisfy this one too.
    Candidate(String),
    /// Assertions of the last query that contradict each other.
    Core {
        /// Their names.
        names: Vec<String>,
        /// For some of these names, a model of all other assertions: it refutes a core without that name. With one for each
        /// name, there is no other minimal core.
        without: Vec<(String, String)>,
    },
}

impl Certificate {
    /// The model, if it has one.
    pub fn model(&self) -> Option<&str> {
        match self {
            Certificate::Model(model) | Certificate::Candidate(model) => Some(model),
            _ => None,
        }
    }

    /// The names in the core, and for some of them a model of all other assertions.
    pub fn core(&self) -> (&[String], &[(String, String)]) {
        match self {
            Certificate::Core { names, without } => (names, without),
            _ => (&[], &[]),
        }
    }
}

impl Case {
    /// A script without an expectation.
    pub fn open(script: impl Into<Vec<u8>>) -> Case {
        Case { script: script.into(), ..Case::default() }
    }

    /// A script with an expectation of its last query.
    pub fn expecting(script: impl Into<Vec<u8>>, expectation: Expectation) -> Case {
        let known = expectation != Expectation::Open;
        Case { expectations: known.then_some(expectation).into_iter().collect(), ..Case::open(script) }
    }

    /// The expectation of the last query.
    pub fn expectation(&self) -> Expectation {
        self.expectations.last().copied().unwrap_or_default()
    }

    /// The expectation of one of `queries` queries, counted from 0.
    pub fn expectation_of(&self, query: usize, queries: usize) -> Expectation {
        let from_end = queries.max(1).saturating_sub(query + 1);
        let own = self.expectations.len().checked_sub(from_end + 1).map(|i| self.expectations[i]);
        match self.expectation() {
            related @ Expectation::Related(_) => own.unwrap_or(related),
            _ => own.unwrap_or_default(),
        }
    }

    /// The script that its answer is related to.
    pub fn related(&self) -> Option<&[u8]> {
        let is_related = |e: &Expectation| matches!(e, Expectation::Related(_));
        self.seed.as_deref().filter(|_| self.expectations.iter().any(is_related))
    }

    /// The case with another expectation of its last query.
    pub fn expect(&mut self, expectation: Expectation) {
        self.expectations.pop();
        self.expectations.push(expectation);
    }

    /// The case without its relation to other scripts.
    #[must_use]
    pub fn alone(&self) -> Case {
        let mut alone = Case { before: None, ..self.clone() };
        alone.expectations.retain(|e| !matches!(e, Expectation::Related(_)));
        alone
    }

    /// A changed script, such as a smaller one. Nothing is known of it by construction any more, but the certificate may
    /// still show its status.
    #[must_use]
    pub fn changed(&self, script: &[u8]) -> Case {
        if self.script == script {
            return self.clone();
        }
        let certificate = match self.certificate.clone() {
            Certificate::Model(model) => Certificate::Candidate(model),
            other => other,
        };
        let (seed, provenance) = (self.seed.clone(), self.provenance.clone());
        Case { certificate, seed, provenance, ..Case::open(script) }
    }
}

/// Everything that a strategy needs to make the same case again.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Provenance {
    /// The seeds it was made from, in the order they were used.
    pub seeds: Vec<SeedHash>,
    /// The strategy's name.
    pub strategy: String,
    /// The strategy's options, as it spells them.
    pub options: String,
    /// The content of the files that its options named, by option.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub files: BTreeMap<String, String>,
    /// The number it was made from: what the random choices start from, or the index of the case.
    pub rng: u64,
    /// The steps that were done, one line each, for people.
    pub steps: Vec<String>,
}

/// The identity of a seed: a hash of its text. Printed as sixteen hexadecimal digits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SeedHash(pub u64);

impl SeedHash {
    /// The hash of a text: 64-bit FNV-1a, which never changes.
    pub fn of(text: &[u8]) -> SeedHash {
        let step = |h: u64, &b: &u8| (h ^ u64::from(b)).wrapping_mul(0x0000_0100_0000_01b3);
        SeedHash(text.iter().fold(0xcbf2_9ce4_8422_2325, step))
    }
}

impl fmt::Display for SeedHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:016x}", self.0)
    }
}

/// The text was not the hash of a seed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is not the hash of a seed: expected sixteen hexadecimal digits")]
pub struct InvalidSeedHash(String);

impl FromStr for SeedHash {
    type Err = InvalidSeedHash;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let digits = text.len() == 16 && text.bytes().all(|b| b.is_ascii_hexdigit());
        let value = digits.then(|| u64::from_str_radix(text, 16).ok()).flatten();
        value.map(SeedHash).ok_or_else(|| InvalidSeedHash(text.to_owned()))
    }
}

impl Serialize for SeedHash {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for SeedHash {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(de::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_hash_of_a_text_never_changes() {
        assert_eq!(SeedHash::of(b"").to_string(), "cbf29ce484222325");
        assert_eq!(SeedHash::of(b"a").to_string(), "af63dc4c8601ec8c");
        for text in ["", "+1234567890abcde", "123456789012345", "x234567890123456"] {
            assert!(text.parse::<SeedHash>().is_err(), "{text}");
        }
    }

    #[test]
    fn expectations_belong_to_the_last_queries() {
        let known = Case { expectations: vec![Expectation::SAT, Expectation::UNSAT], ..Case::default() };
        let all = |case: &Case| (0..3).map(|q| case.expectation_of(q, 3)).collect::<Vec<_>>();
        assert_eq!(all(&known), [Expectation::Open, Expectation::SAT, Expectation::UNSAT]);
        let same = Expectation::Related(crate::Relation::Same);
        assert_eq!(all(&Case::expecting("", same)), [same; 3]);
        assert_eq!(known.changed(b"(check-sat)").expectation(), Expectation::Open);
    }

    #[test]
    fn a_case_survives_being_written_and_read() {
        let case = Case {
            script: b"(check-sat)\xff".to_vec(),
            expectations: vec![Expectation::SAT],
            certificate: Certificate::Model("((define-fun x () Int 1))".into()),
            seed: None,
            before: Some(b"(check-sat)".to_vec()),
            provenance: Provenance {
                seeds: vec![SeedHash(1), SeedHash(u64::MAX)],
                strategy: "fusion".into(),
                options: "steps=1".into(),
                files: [("functions".into(), "(function f)".into())].into(),
                rng: u64::MAX,
                steps: vec!["a step".into()],
            },
        };
        let json = serde_json::to_string(&case).unwrap();
        assert!(json.contains("\"0000000000000001\""));
        assert_eq!(serde_json::from_str::<Case>(&json).unwrap(), case);
    }
}
