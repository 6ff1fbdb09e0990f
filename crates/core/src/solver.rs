//! Solver ids: a name and, where known, a release.

use serde::{Deserialize, Deserializer, Serialize, Serializer, de};
use std::{cmp::Ordering, fmt, str::FromStr};

/// A release number such as `4.8.12`, `4.5.1.0.post2` or `1.4.2-modified`: numbers first, then a free tail.
///
/// Ordered by its numbers (missing ones count as zero), then by the tail. `5.4.0.0` is `5.4.0`: package indexes add a fourth
/// number.
#[derive(Clone, Debug)]
pub struct Version {
    numbers: Vec<u64>,
    text: String,
}

impl Version {
    /// The leading numbers.
    pub fn numbers(&self) -> &[u64] {
        &self.numbers
    }

    /// The version as it was written.
    pub fn as_str(&self) -> &str {
        &self.text
    }

    fn tail(&self) -> &str {
        self.text.trim_start_matches(|c: char| c.is_ascii_digit() || c == '.')
    }
}

/// The text was not a release number.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is not a version: it must start with a digit and contain no space")]
pub struct InvalidVersion(String);

impl FromStr for Version {
    type Err = InvalidVersion;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let safe = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '+' | '_');
        if !text.starts_with(|c: char| c.is_ascii_digit()) || !text.chars().all(safe) {
            return Err(InvalidVersion(text.to_owned()));
        }
        let numbers = text
            .split('.')
            .map_while(|part| {
                let digits: String = part.chars().take_while(char::is_ascii_digit).collect();
                digits.parse().ok()
            })
            .collect();
        let mut text = text;
        while text.matches('.').count() > 2 && text.bytes().all(|b| b.is_ascii_digit() || b == b'.') {
            match text.strip_suffix(".0") {
                Some(shorter) => text = shorter,
                None => break,
            }
        }
        Ok(Version { numbers, text: text.to_owned() })
    }
}

impl PartialEq for Version {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Version {}

impl PartialOrd for Version {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Version {
    fn cmp(&self, other: &Self) -> Ordering {
        let at = |v: &Version, i: usize| v.numbers.get(i).copied().unwrap_or(0);
        (0..self.numbers.len().max(other.numbers.len()))
            .map(|i| at(self, i).cmp(&at(other, i)))
            .find(|o| o.is_ne())
            .unwrap_or_else(|| self.tail().cmp(other.tail()))
    }
}

impl std::hash::Hash for Version {
    fn hash<H: std::hash::Hasher>(&self, state: &mut H) {
        let used = self.numbers.iter().rposition(|n| *n != 0).map_or(0, |i| i + 1);
        self.numbers[..used].hash(state);
        self.tail().hash(state);
    }
}

impl fmt::Display for Version {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl Serialize for Version {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.text)
    }
}

impl<'de> Deserialize<'de> for Version {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(de::Error::custom)
    }
}

/// A solver: its name, its release where known, and the options it is run with. Printed and stored as `z3`, `z3@4.8.7` or
/// `z3@4.8.7 smt.arith.solver=2`: two sets of options of one release are two solvers.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SolverId {
    name: String,
    version: Option<Version>,
    options: Vec<String>,
}

impl SolverId {
    /// A solver by name and release.
    pub fn new(name: impl Into<String>, version: Option<Version>) -> Self {
        SolverId { name: name.into(), version, options: Vec::new() }
    }

    /// The same release with these options. Where no release is known, they become a part of the name.
    #[must_use]
    pub fn with_options(self, options: Vec<String>) -> Self {
        match self.version {
            None if !options.is_empty() => {
                SolverId::new(format!("{} {}", self.name, options.join(" ")), None)
            }
            _ => SolverId { options, ..self },
        }
    }

    /// Whether two are one build, whatever their options.
    pub fn is_build_of(&self, other: &SolverId) -> bool {
        (&self.name, &self.version) == (&other.name, &other.version)
    }

    /// Its name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Its release, where known.
    pub fn version(&self) -> Option<&Version> {
        self.version.as_ref()
    }
}

impl fmt::Display for SolverId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.version {
            Some(version) => write!(f, "{}@{version}", self.name)?,
            None => f.write_str(&self.name)?,
        }
        self.options.iter().try_for_each(|option| write!(f, " {option}"))
    }
}

impl Serialize for SolverId {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for SolverId {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        let release = text.rsplit_once('@').and_then(|(name, rest)| {
            let mut words = rest.split(' ').map(str::to_owned);
            let version = words.next()?.parse().ok()?;
            Some(SolverId::new(name, Some(version)).with_options(words.collect()))
        });
        Ok(release.unwrap_or_else(|| SolverId::new(text, None)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn v(text: &str) -> Version {
        text.parse().unwrap()
    }

    #[test]
    fn versions_order_by_number_and_not_by_text() {
        let sorted = ["1.0", "4.5.1.0.post2", "4.8.5", "4.8.10", "4.8.10-rc", "4.16", "5.4.0"];
        assert!(sorted.iter().map(|t| v(t)).is_sorted());
        assert_eq!(v("4.8"), v("4.8.0"));
    }

    #[test]
    fn a_fourth_number_that_is_zero_is_not_another_version() {
        for (text, short) in [("5.4.0.0", "5.4.0"), ("4.8.9.1", "4.8.9.1"), ("1.0", "1.0")] {
            assert_eq!((v(text).as_str(), v(text)), (short, v(short)));
        }
        assert_eq!(v("4.5.1.0.post2").as_str(), "4.5.1.0.post2");
    }

    #[test]
    fn a_version_that_could_leave_a_folder_is_refused() {
        for text in ["", "x", "../1", "1/..", "1 2", "1;2"] {
            assert!(text.parse::<Version>().is_err(), "{text}");
        }
    }

    #[test]
    fn an_id_survives_being_written_and_read() {
        let z3 = SolverId::new("z3", Some(v("4.8.7")));
        let with_option = z3.clone().with_options(vec!["smt.arith.solver=2".into(), "-st".into()]);
        assert_ne!(z3, with_option);
        let unversioned = SolverId::new("mine", None).with_options(vec!["--check".into()]);
        for id in [z3, with_option, unversioned, SolverId::new("my@tool", None)] {
            let json = serde_json::to_string(&id).unwrap();
            assert_eq!(serde_json::from_str::<SolverId>(&json).unwrap(), id);
        }
    }
}
