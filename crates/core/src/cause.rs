//! Causes: what a bug is about, as a type. Fingerprints are printed here and nowhere else.

use crate::{Class, Kind, SeedHash};
use serde::{Deserialize, Serialize};
use std::fmt;

/// What a bug is about. Equal causes are one bug.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Cause {
    /// A place in the source of the solver.
    Site(Site),
    /// Operators that the smallest script needs; one, if it is wrong alone.
    Operators(Vec<String>),
    /// A construct of the language, such as `let`: without it the accused is right.
    Construct(String),
    /// The rule of the step after which an answer is missing.
    Rule(String),
    /// A command or an option, such as `(pop)`: without it the accused is right.
    Command(String),
    /// Any operator of a theory in one place.
    Theory(String),
    /// How models are built or printed, whatever the formula.
    ModelPrinting,
    /// Any formula: the bug shows on one without operators and symbols.
    AnyFormula,
    /// The operators of the script, where a crash shows no place.
    Shape {
        /// The signal it died of.
        signal: Option<i32>,
        /// The hash of its message, if it printed more than the signal.
        message: Option<SeedHash>,
        /// The operators.
        operators: Vec<String>,
    },
    /// The set of operators of a script that was not reduced yet, as a hash.
    Unreduced(SeedHash),
}

/// A place in the source of a solver.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Site {
    /// File and line.
    Source(String),
    /// The top frames of the stack, innermost first.
    Frames {
        /// The signal it died of.
        signal: Option<i32>,
        /// Functions.
        frames: Vec<String>,
    },
    /// A message that identifies the place, without numbers and quoted text.
    Message {
        /// The signal it died of.
        signal: Option<i32>,
        /// The message.
        text: String,
    },
}

impl Cause {
    /// The operators that it is about.
    pub fn operators(&self) -> &[String] {
        match self {
            Cause::Operators(names) | Cause::Shape { operators: names, .. } => names,
            _ => &[],
        }
    }

    /// Whether the theory of the script is a part of what the bug is about.
    pub fn has_theory(&self) -> bool {
        matches!(self, Cause::Operators(_) | Cause::Theory(_) | Cause::Shape { .. } | Cause::Unreduced(_))
    }
}

/// A signal as one word.
fn signal_word(signal: Option<i32>) -> String {
    signal.map_or("exit".to_owned(), |s| format!("signal-{s}"))
}

fn death_words(signal: Option<i32>, message: Option<SeedHash>) -> String {
    let message = message.map(|hash| format!("/{hash}")).unwrap_or_default();
    format!("{}{message}", signal_word(signal))
}

/// Operators as one word; no operator has a comma in its name.
pub fn operator_list(operators: &[String]) -> String {
    const SHOWN: usize = 4;
    match operators {
        [] => "-".to_owned(),
        few if few.len() <= SHOWN => few.join(","),
        many => {
            let hash = SeedHash::of(many.join(" ").as_bytes()).to_string();
            format!("{},{}-more-{}", many[..SHOWN - 1].join(","), many.len() - SHOWN + 1, &hash[..8])
        }
    }
}

impl fmt::Display for Site {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let hashed = |signal: Option<i32>, text: &str| {
            format!("{}/{}", signal_word(signal), SeedHash::of(text.as_bytes()))
        };
        match self {
            Site::Source(place) => f.write_str(place),
            Site::Frames { signal, frames } => f.write_str(&hashed(*signal, &frames.join("<"))),
            Site::Message { signal, text } => f.write_str(&hashed(*signal, text)),
        }
    }
}

impl fmt::Display for Cause {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Cause::Site(site) => site.fmt(f),
            Cause::Operators(names) => f.write_str(&operator_list(names)),
            Cause::Construct(word) | Cause::Rule(word) | Cause::Command(word) => f.write_str(word),
            Cause::Theory(theory) => write!(f, "({theory})"),
            Cause::ModelPrinting => f.write_str("model"),
            Cause::AnyFormula => f.write_str("any-formula"),
            Cause::Shape { signal, message, operators } => {
                write!(f, "{}/{}", death_words(*signal, *message), operator_list(operators))
            }
            Cause::Unreduced(hash) => hash.fmt(f),
        }
    }
}

/// The name of a solver as one word; a hash for a command line.
fn solver_word(solver: &str) -> String {
    let known = |c: char| c.is_ascii_alphanumeric() || "-_.:+@".contains(c);
    match solver.chars().all(known) {
        true => solver.to_owned(),
        false => format!("command-{}", SeedHash::of(solver.as_bytes())),
    }
}

fn solver_words(solvers: &[String], between: &str) -> String {
    let mut words: Vec<String> = solvers.iter().map(|s| solver_word(s)).collect();
    words.sort();
    words.dedup();
    words.join(between)
}

/// The identity of a bug. Printed it is a fingerprint, which nothing parses.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Identity {
    /// The solvers, by the names of their profiles.
    pub solvers: Vec<String>,
    /// The class of kinds that it shows as.
    pub class: Class,
    /// The cause.
    pub cause: Cause,
}

impl fmt::Display for Identity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}/{}", solver_words(&self.solvers, "&"), self.class, self.cause)
    }
}

/// What is known of a bug before its script is reduced: the key by which triggers are counted together.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct CoarseKey {
    /// The solvers, by their names.
    pub solvers: Vec<String>,
    /// The kind.
    pub kind: Kind,
    /// The theory.
    pub theory: String,
    /// The cause.
    pub cause: Cause,
}

impl fmt::Display for CoarseKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (solvers, theory) = (solver_words(&self.solvers, "+"), &self.theory);
        write!(f, "{solvers}/{}", self.kind)?;
        match &self.cause {
            Cause::Site(site) => write!(f, "/{site}"),
            // A signal alone does not tell a crash in one theory from that in another.
            Cause::Shape { signal, message, .. } => {
                write!(f, "/{}/{theory}", death_words(*signal, *message))
            }
            Cause::Theory(_) => write!(f, "/{theory}"),
            cause => write!(f, "/{theory}/{cause}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn identity(solver: &str, class: Class, cause: Cause) -> String {
        Identity { solvers: vec![solver.to_owned()], class, cause }.to_string()
    }

    #[test]
    fn fingerprints_are_printed_as_they_always_were() {
        let names = |all: &[&str]| all.iter().map(|n| (*n).to_owned()).collect::<Vec<_>>();
        let ops = |all: &[&str]| Cause::Operators(names(all));
        assert_eq!(identity("z3", Class::Wrong, ops(&["div", "mod"])), "z3/wrong/div,mod");
        assert_eq!(identity("z3", Class::Wrong, ops(&[])), "z3/wrong/-");
        assert_eq!(identity("cvc5", Class::Wrong, Cause::ModelPrinting), "cvc5/wrong/model");
        assert_eq!(
            identity("cvc4", Class::Wrong, Cause::Theory("bitvectors".into())),
            "cvc4/wrong/(bitvectors)"
        );
        let site = Cause::Site(Site::Source("smt/a.cpp:12".into()));
        assert_eq!(identity("z3", Class::Crash, site.clone()), "z3/crash/smt/a.cpp:12");
        let shape = Cause::Shape { signal: Some(11), message: None, operators: names(&["*"]) };
        assert_eq!(identity("z3", Class::Crash, shape.clone()), "z3/crash/signal-11/*");
        let key = |cause, kind| CoarseKey { solvers: names(&["z3"]), kind, theory: "ints".into(), cause };
        assert_eq!(key(shape, Kind::Crash).to_string(), "z3/crash/signal-11/ints");
        assert_eq!(key(site, Kind::Crash).to_string(), "z3/crash/smt/a.cpp:12");
        let rule = Cause::Rule("le-slack".into());
        assert_eq!(
            key(rule, Kind::IncompleteImplication).to_string(),
            "z3/incomplete-implication/ints/le-slack"
        );
        let command = identity("sh /tmp/a b.sh", Class::Crash, Cause::Site(Site::Source("a.c:1".into())));
        assert!(command.starts_with("command-") && command.ends_with("/crash/a.c:1"), "{command}");
        let many = operator_list(&names(&["a", "b", "c", "d", "e"]));
        assert!(many.starts_with("a,b,c,2-more-"), "{many}");
    }
}
