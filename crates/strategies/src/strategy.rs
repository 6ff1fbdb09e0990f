//! The plug-in point: a strategy makes the next case, or says why it made none.

use std::fmt;

use smelt_core::{Expectation, Provenance, TestCase};

use crate::pool::{Pool, SeedId};
use crate::skeleton::{self, Form, Moves};
use crate::{evolve, fusion, generative, operator, shuffle, weaken};

/// Makes test cases from seeds.
///
/// The same request on the same seeds gives the same bytes, whatever was made before and whatever else is in the
/// pool; only choosing partners looks at the whole pool, so a request that names them can be made again elsewhere.
pub trait Strategy: Send {
    /// Its name in the registry.
    fn name(&self) -> &'static str;

    /// Its options in one word each, for the provenance.
    fn options(&self) -> String;

    /// Makes a case into `draft`, which is cleared first.
    fn next(&mut self, pool: &mut Pool, request: &Request<'_>, draft: &mut Draft) -> Result<(), Skip>;
}

/// What to make a case from.
#[derive(Clone, Copy, Debug)]
pub struct Request<'a> {
    /// The seed.
    pub seed: SeedId,
    /// Further seeds, for strategies that mix; empty to have them chosen at random from the pool.
    pub partners: &'a [SeedId],
    /// What the random choices start from; see [`crate::case_seed`].
    pub rng: u64,
}

/// A case that was just made. One draft is used for many cases; nothing is allocated once it has grown.
#[derive(Clone, Debug, Default)]
pub struct Draft {
    /// The text of the script.
    pub text: Vec<u8>,
    /// What is known about its answer.
    pub expectation: Expectation,
    /// The seeds that went in.
    pub seeds: Vec<SeedId>,
    /// What was done, one line for each step.
    pub log: Vec<u8>,
    /// The script one step before, for strategies whose steps imply each other; else empty.
    pub before: Vec<u8>,
    /// A model of the script, as a solver would print it, where the strategy has one; else empty.
    pub witness: Vec<u8>,
}

impl Draft {
    pub(crate) fn clear(&mut self) {
        self.text.clear();
        self.log.clear();
        self.before.clear();
        self.witness.clear();
        self.seeds.clear();
        self.expectation = Expectation::None;
    }

    pub(crate) fn start(&mut self, seed: SeedId) {
        self.clear();
        self.seeds.push(seed);
    }

    /// The comment that opens every case.
    pub(crate) fn header(&mut self, pool: &Pool, strategy: &str, options: &str, rng: u64) {
        use std::io::Write;
        let _ = write!(self.text, "; smelt strategy={strategy} seed=");
        for (i, &seed) in self.seeds.iter().enumerate() {
            let _ = write!(self.text, "{}{}", if i == 0 { "" } else { "," }, pool.seed(seed).hash);
        }
        let _ = writeln!(self.text, " rng={rng:016x} {options}");
    }

    /// As a case of its own.
    pub fn to_case(&self, pool: &Pool, strategy: &dyn Strategy, rng: u64) -> TestCase {
        TestCase {
            script: self.text.clone(),
            expectation: self.expectation,
            provenance: Provenance {
                seeds: self.seeds.iter().map(|&s| pool.seed(s).hash).collect(),
                strategy: strategy.name().to_owned(),
                options: strategy.options(),
                rng,
                steps: String::from_utf8_lossy(&self.log).lines().map(str::to_owned).collect(),
            },
        }
    }
}

/// Why no case was made.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Skip {
    /// No place in the seed can be changed.
    NothingToChange,
    /// The seed has no `:status`, and the strategy needs one.
    UnknownStatus,
    /// It has no `check-sat`, or several, or a stack of assertions.
    NotOneQuery,
    /// It holds what the strategy cannot carry over: unknown commands, sorts or theories.
    Unsupported,
    /// A variable bound in it would capture names the strategy puts in.
    Capture,
    /// No other seed fits.
    NoPartner,
    /// Both seeds may rest on an operator that SMT-LIB leaves open for some arguments.
    SharedGap,
    /// No logic that solvers know by name has all that both seeds use.
    NoLogic,
    /// No fusion function fits the variables of both.
    NoFunction,
    /// A generator has fewer cases than that.
    NoMoreCases,
}

impl Skip {
    /// The reason, for people.
    pub fn as_str(self) -> &'static str {
        match self {
            Skip::NothingToChange => "no place in the seed can be changed",
            Skip::UnknownStatus => "the status of the seed is not known",
            Skip::NotOneQuery => "the seed does not ask exactly one query of a flat list of assertions",
            Skip::Unsupported => "the seed uses commands, sorts or theories that cannot be carried over",
            Skip::Capture => "a variable bound in the seed would capture a new name",
            Skip::NoPartner => "no other seed fits",
            Skip::SharedGap => "both seeds may rest on an operator that is open for some arguments",
            Skip::NoLogic => "no logic that solvers know has all that both seeds use",
            Skip::NoFunction => "no fusion function fits variables of both seeds",
            Skip::NoMoreCases => "there are no more cases",
        }
    }
}

impl fmt::Display for Skip {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// Options that strategies read; each takes what it knows.
#[derive(Clone, Debug)]
pub struct Options {
    /// Steps for each mutant of all but `fusion` and `shuffle`, each on the last mutant.
    pub steps: u32,
    /// Whether `generative` takes arguments from other seeds too.
    pub data_driven: bool,
    /// Whether `operator` and `generative` put a seed under `ALL` first, and use all that it has.
    pub wide: bool,
    /// Whether `fusion` only concatenates: the baseline.
    pub concat: bool,
    /// Whether operators that are new in SMT-LIB 2.7 may come in; older releases reject them.
    pub recent: bool,
    /// A user's file of operator classes, in the format of `data/operators.txt`.
    pub classes: Option<Vec<u8>>,
    /// A user's file of fusion functions, instead of the built-in ones.
    pub functions: Option<Vec<u8>>,
    /// A user's file of rules for `skeleton` and `weaken`, instead of the built-in ones.
    pub rules: Option<Vec<u8>>,
    /// Which form of a seed `skeleton` changes.
    pub form: Form,
    /// What `skeleton` does to literals.
    pub moves: Moves,
}

impl Default for Options {
    fn default() -> Self {
        Options {
            steps: 1,
            data_driven: false,
            wide: false,
            concat: false,
            recent: false,
            classes: None,
            functions: None,
            rules: None,
            form: Form::Any,
            moves: Moves::Both,
        }
    }
}

/// Why a strategy cannot be made from its options.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OptionError(pub(crate) String);

impl fmt::Display for OptionError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for OptionError {}

/// A row of the registry.
pub struct Entry {
    /// Its name.
    pub name: &'static str,
    /// The name of the tool that introduced it, where there is one.
    pub alias: Option<&'static str>,
    /// What it does, in one line.
    pub about: &'static str,
    /// Makes it.
    pub make: fn(&Options) -> Result<Box<dyn Strategy>, OptionError>,
}

/// Every strategy.
pub const REGISTRY: &[Entry] = &[
    Entry {
        name: "operator",
        alias: Some("opfuzz"),
        about: "replace operators and quantifiers by others of a conforming signature",
        make: |o| Ok(Box::new(operator::Operator::new(o)?)),
    },
    Entry {
        name: "generative",
        alias: Some("typefuzz"),
        about: "replace expressions by new operators over the formula's own expressions",
        make: |o| Ok(Box::new(generative::Generative::new(o)?)),
    },
    Entry {
        name: "fusion",
        alias: Some("yinyang"),
        about: "fuse two formulas of known status into one of known status",
        make: |o| Ok(Box::new(fusion::Fusion::new(o)?)),
    },
    Entry {
        name: "shuffle",
        alias: None,
        about: "rename, reorder, and ask in another way; the answer must stay",
        make: |_| Ok(Box::new(shuffle::Shuffle::default())),
    },
    Entry {
        name: "skeleton",
        alias: Some("sparrow"),
        about: "approximate literals: weaken a satisfiable formula, strengthen an unsatisfiable one",
        make: |o| Ok(Box::new(skeleton::Skeleton::new(o)?)),
    },
    Entry {
        name: "weaken",
        alias: Some("janus"),
        about: "weaken or strengthen any part by rules, step by step; the answer must stay, and stay known",
        make: |o| Ok(Box::new(weaken::Weaken::new(o)?)),
    },
    Entry {
        name: "evolve",
        alias: Some("mulstringfuzz"),
        about: "exchange assertions with another formula and mutate; `smelt evolve` selects for slow ones",
        make: |o| Ok(Box::new(evolve::Evolve::new(o))),
    },
];

/// The strategy of a name or alias.
pub fn find(name: &str) -> Option<&'static Entry> {
    REGISTRY.iter().find(|e| e.name == name || e.alias == Some(name))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_name_is_there_once_and_makes_the_strategy_of_that_name() {
        let mut names = std::collections::HashSet::new();
        for entry in REGISTRY {
            assert!(names.insert(entry.name), "{}", entry.name);
            assert!(entry.alias.is_none_or(|a| names.insert(a)), "{}", entry.name);
            assert!(!entry.about.is_empty() && !entry.about.ends_with('.'), "{}", entry.name);
            let strategy = (entry.make)(&Options::default()).unwrap();
            assert_eq!(strategy.name(), entry.name);
        }
        assert_eq!(find("yinyang").unwrap().name, "fusion");
        assert!(find("nothing").is_none());
    }
}
