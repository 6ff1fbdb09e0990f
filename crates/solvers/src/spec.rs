//! The SOLVER argument: `z3`, `z3@4.8.7`, `z3@newest`, `builtin:FAULT`, a name from `smelt.toml`, or a command line.

use crate::error::{Error, ErrorKind};
use smelt_core::Version;
use std::{fmt, str::FromStr};

/// A SOLVER argument, read but not looked up.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SolverSpec {
    /// A name: from `smelt.toml`, or of a program on PATH, or of the newest release in the zoo.
    Named(String),
    /// A release in the zoo.
    Release(String, Version),
    /// The newest installed release in the zoo.
    Newest(String),
    /// smelt's own solver, with a planted fault or without.
    Builtin(Option<String>),
    /// A command line; never empty.
    Command(Vec<String>),
}

impl FromStr for SolverSpec {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self, Error> {
        let bad = |why: String| Error::new(ErrorKind::Spec, format!("solver `{text}`: {why}"));
        let text = text.trim();
        if text == "builtin" {
            return Ok(SolverSpec::Builtin(None));
        }
        let parts: Vec<&str> = text.split([',', ';']).map(str::trim).collect();
        let is_solver = |part: &&str| {
            !part.is_empty() && part.bytes().all(|b| b.is_ascii_alphanumeric() || b"-_.@:".contains(&b))
        };
        if parts.len() > 1 && parts.iter().all(is_solver) {
            return Err(bad(format!("give each solver its own -S, as in -S {}", parts.join(" -S "))));
        }
        if let Some(fault) = text.strip_prefix("builtin:") {
            let ok =
                !fault.is_empty() && fault.bytes().all(|b| b.is_ascii_alphanumeric() || b"-_.".contains(&b));
            return match ok {
                true => Ok(SolverSpec::Builtin(Some(fault.to_owned()))),
                false => Err(bad("a fault is a word of letters, digits, `-`, `_`".to_owned())),
            };
        }
        let words = split(text).map_err(|why| bad(why.to_owned()))?;
        match &words[..] {
            [] => Err(bad("name a solver, a release such as z3@4.8.7, or a command line".to_owned())),
            [word] if !word.contains('/') => match word.split_once('@') {
                Some((name, "newest")) if !name.is_empty() => Ok(SolverSpec::Newest(name.to_owned())),
                Some((name, version)) if !name.is_empty() => {
                    let version = version.parse().map_err(|e| bad(format!("{e}")))?;
                    Ok(SolverSpec::Release(name.to_owned(), version))
                }
                _ => Ok(SolverSpec::Named(word.clone())),
            },
            _ => Ok(SolverSpec::Command(words)),
        }
    }
}

impl fmt::Display for SolverSpec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            SolverSpec::Named(name) => f.write_str(name),
            SolverSpec::Release(name, version) => write!(f, "{name}@{version}"),
            SolverSpec::Newest(name) => write!(f, "{name}@newest"),
            SolverSpec::Builtin(None) => f.write_str("builtin"),
            SolverSpec::Builtin(Some(fault)) => write!(f, "builtin:{fault}"),
            SolverSpec::Command(words) => {
                let quoted: Vec<String> = words.iter().map(|w| quote(w)).collect();
                f.write_str(&quoted.join(" "))
            }
        }
    }
}

/// A word, quoted for a shell if it has to be.
pub fn quote(word: &str) -> String {
    let plain = |b: u8| b.is_ascii_alphanumeric() || b"-_./=:,+@%".contains(&b);
    if !word.is_empty() && word.bytes().all(plain) {
        return word.to_owned();
    }
    format!("'{}'", word.replace('\'', "'\\''"))
}

/// Splits a command line like a shell: at spaces outside of quotes, with backslash escapes; nothing is expanded.
pub(crate) fn split(line: &str) -> Result<Vec<String>, &'static str> {
    shlex::split(line).ok_or("a quote is not closed, or it ends in a backslash")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_form_of_the_argument_is_told_apart() {
        let read = |text: &str| text.parse::<SolverSpec>().unwrap();
        assert_eq!(read("z3"), SolverSpec::Named("z3".into()));
        assert_eq!(read("z3@4.8.7"), SolverSpec::Release("z3".into(), "4.8.7".parse().unwrap()));
        assert_eq!(read("z3@newest"), SolverSpec::Newest("z3".into()));
        assert_eq!(read("builtin"), SolverSpec::Builtin(None));
        assert_eq!(read("builtin:late-answer"), SolverSpec::Builtin(Some("late-answer".into())));
        assert_eq!(read("./z3"), SolverSpec::Command(vec!["./z3".into()]));
        assert_eq!(read("z3 a=true"), SolverSpec::Command(vec!["z3".into(), "a=true".into()]));
    }

    #[test]
    fn several_solvers_in_one_argument_get_a_hint() {
        for text in ["z3,cvc5", "z3;cvc5", "z3@4.8.7, cvc5", "builtin:a;z3@newest"] {
            let error = text.parse::<SolverSpec>().unwrap_err().to_string();
            assert!(error.contains(" -S z3") && error.matches(" -S ").count() == 2, "{error}");
        }
        for text in ["z3 tactic=a,b", "./a,b", "sh -c 'a; b'"] {
            assert!(matches!(text.parse(), Ok(SolverSpec::Command(_))), "{text}");
        }
    }

    #[test]
    fn nonsense_is_refused() {
        for text in ["", "  ", "z3 'a", "z3 \"a", "z3 \\", "z3@", "z3@..", "builtin:", "builtin:a b"] {
            assert!(text.parse::<SolverSpec>().is_err(), "{text}");
        }
    }

    #[test]
    fn what_is_quoted_splits_back_into_the_same_words() {
        let words = ["", "a b", "it's", "\"", "\\", "a\nb", "$x", "plain", "é"];
        let line = words.map(quote).join(" ");
        assert_eq!(split(&line).unwrap(), words);
        assert_eq!(split(r#"a\ b "c \"d\" \n" 'e'f"#).unwrap(), ["a b", "c \"d\" \\n", "ef"]);
    }
}
