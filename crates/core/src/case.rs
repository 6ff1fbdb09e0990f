//! A test case: the script for the solvers, the expected answer, and how to make it again.

use crate::Expectation;
use serde::{Deserialize, Deserializer, Serialize, Serializer, de};
use std::{collections::BTreeMap, fmt, str::FromStr};

/// One script to run, its expectation and its provenance.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TestCase {
    /// The SMT-LIB text, byte for byte as solvers get it. Real scripts contain bytes that are not UTF-8.
    pub script: Vec<u8>,
    /// What is known about its answer.
    pub expectation: Expectation,
    /// How to make it again.
    pub provenance: Provenance,
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
#[error("`{0}` is not the hash of a seed: it must be sixteen hexadecimal digits")]
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
    fn a_case_survives_being_written_and_read() {
        let case = TestCase {
            script: b"(check-sat)\xff".to_vec(),
            expectation: Expectation::Sat,
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
        assert_eq!(serde_json::from_str::<TestCase>(&json).unwrap(), case);
    }
}
