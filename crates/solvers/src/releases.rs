//! The releases that `smelt solvers install` takes: `z3`, `z3@newest`, `z3@4.8.7`, the range `z3@4.8.5-4.8.17`, and several
//! of them after one name, separated by commas.

use crate::error::{Error, ErrorKind};
use smelt_core::Version;
use std::str::FromStr;

/// Releases of one solver, read but not looked up.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Releases {
    name: String,
    parts: Vec<Part>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Part {
    Newest,
    One(Version),
    /// From the first to the last, both included.
    Range(Version, Version),
}

impl FromStr for Releases {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self, Error> {
        let bad = |why: String| Error::new(ErrorKind::Spec, format!("`{text}`: {why}"));
        let (name, list) = text.split_once('@').unwrap_or((text, "newest"));
        let is_word = |b: u8| b.is_ascii_alphanumeric() || b == b'-' || b == b'_';
        if name.is_empty() || !name.bytes().all(is_word) {
            return Err(bad("name a release, such as z3@4.8.7".to_owned()));
        }
        let version = |text: &str| text.parse::<Version>().map_err(|e| bad(e.to_string()));
        let part = |text: &str| match text.split_once('-') {
            _ if text == "newest" => Ok(Part::Newest),
            Some((first, last)) if last.starts_with(|c: char| c.is_ascii_digit()) => {
                let (first, last) = (version(first)?, version(last)?);
                match first <= last {
                    true => Ok(Part::Range(first, last)),
                    false => Err(bad(format!("{first} is newer than {last}"))),
                }
            }
            _ => version(text).map(Part::One),
        };
        let parts = list.split(',').map(part).collect::<Result<_, Error>>()?;
        Ok(Releases { name: name.to_owned(), parts })
    }
}

impl Releases {
    /// The name of the solver.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Whether the package index must be asked which releases there are.
    pub fn need_index(&self) -> bool {
        self.parts.iter().any(|part| !matches!(part, Part::One(_)))
    }

    /// The versions, each once, in the order that the user wrote; a range goes from its first to its last release.
    /// `available` are the releases of the package index.
    pub fn among(&self, available: &[Version]) -> Result<Vec<Version>, Error> {
        let mut wanted: Vec<Version> = Vec::new();
        for part in &self.parts {
            let mut found = match part {
                Part::One(version) => vec![version.clone()],
                Part::Newest => newest(available).into_iter().cloned().collect(),
                Part::Range(first, last) => {
                    available.iter().filter(|v| (first..=last).contains(v)).cloned().collect()
                }
            };
            if found.is_empty() {
                let what = match part {
                    Part::Range(first, last) => format!(" between {first} and {last}"),
                    _ => String::new(),
                };
                let message = format!("the package index has no release of {}{what}", self.name);
                return Err(Error::new(ErrorKind::NoSuchRelease, message));
            }
            found.sort();
            found.dedup();
            found.retain(|version| !wanted.contains(version));
            wanted.extend(found);
        }
        Ok(wanted)
    }
}

/// The newest release; one before its release, such as `1.0rc1`, only if there is no other.
fn newest(available: &[Version]) -> Option<&Version> {
    let is_final = |v: &&Version| v.as_str().split('.').all(|part| part.bytes().all(|b| b.is_ascii_digit()));
    available.iter().filter(is_final).max().or_else(|| available.iter().max())
}

#[cfg(test)]
mod tests {
    use super::*;

    const AVAILABLE: [&str; 6] = ["5.0rc1", "4.8.17", "4.8.12", "4.8.5", "4.8.5.0", "4.5.1.0.post2"];

    fn among(text: &str) -> Result<Vec<String>, String> {
        let available = AVAILABLE.map(|v| v.parse().unwrap());
        let found = text.parse::<Releases>().and_then(|r| r.among(&available));
        found.map(|all| all.iter().map(ToString::to_string).collect()).map_err(|e| e.to_string())
    }

    #[test]
    fn lists_and_ranges_name_releases() {
        let expect = |text: &str, expected: &[&str]| assert_eq!(among(text).unwrap(), expected, "{text}");
        expect("z3", &["4.8.17"]);
        expect("z3@newest", &["4.8.17"]);
        expect("z3@4.8.5-4.8.12", &["4.8.5", "4.8.12"]);
        expect("z3@newest,4.8.5-4.8.17", &["4.8.17", "4.8.5", "4.8.12"]);
        expect("z3@9.9,4.8.12", &["9.9", "4.8.12"]);
        expect("z3@4.0-4.6", &["4.5.1.0.post2"]);
        assert!(!"z3@4.8.5,4.8.6".parse::<Releases>().unwrap().need_index());
        assert!("z3".parse::<Releases>().unwrap().need_index());
    }

    #[test]
    fn what_names_no_release_is_refused() {
        for text in ["", "@4", "z3@", "z3@,", "z3@4.9-4.8", "z3@newest-4", "./z3", "z3 a=b", "z3@6-7"] {
            assert!(among(text).is_err(), "{text}");
        }
    }
}
