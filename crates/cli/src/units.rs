//! Values on the command line: durations, sizes, numbers, theories and statuses. Also formats counts such as `2
//! bugs`.

use std::str::FromStr;

use clap::builder::{PossibleValuesParser, TypedValueParser};
use smelt_core::Verdict;

pub(crate) use smelt_core::units::{duration, size};

/// Reads a status: `sat` or `unsat`.
pub(crate) fn status() -> impl TypedValueParser<Value = Verdict> {
    let words = PossibleValuesParser::new(["sat", "unsat"]);
    words.map(|word| if word == "sat" { Verdict::Sat } else { Verdict::Unsat })
}

/// Reads a number that counts something: 1 or more.
pub(crate) fn positive<T: FromStr + PartialEq + Default>(text: &str) -> Result<T, String> {
    let digits = text.strip_prefix('-').unwrap_or(text);
    let is_number = !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit());
    match text.parse::<T>() {
        Ok(number) if number != T::default() => Ok(number),
        Ok(_) => Err("must be 1 or more".to_owned()),
        Err(_) if is_number && text.starts_with('-') => Err("must be 1 or more".to_owned()),
        Err(_) if is_number => Err("too large".to_owned()),
        Err(_) => Err("must be a whole number, such as 10".to_owned()),
    }
}

/// Reads a number, 0 included, such as a seed.
pub(crate) fn number(text: &str) -> Result<u64, String> {
    if text == "0" { Ok(0) } else { positive(text).map_err(|why| why.replace("1 or more", "0 or more")) }
}

/// Reads a number from 1 to `MOST`.
pub(crate) fn up_to<const MOST: u32>(text: &str) -> Result<u32, String> {
    let number = positive::<u32>(text).ok().filter(|number| *number <= MOST);
    number.ok_or_else(|| format!("must be a number from 1 to {MOST}"))
}

/// Reads a port: 0 stands for any.
pub(crate) fn port(text: &str) -> Result<u16, String> {
    text.parse().map_err(|_| "a port is a number from 0 to 65535".to_owned())
}

/// Short names of theories, which every command understands.
const THEORIES: [(&str, &[&str]); 6] = [
    ("floats", &["fp", "float", "floatingpoint", "floating-point"]),
    ("bitvectors", &["bv", "bitvector", "bit-vectors"]),
    ("strings", &["string", "str"]),
    ("ints", &["int", "lia", "nia"]),
    ("reals", &["real", "lra", "nra"]),
    ("arrays", &["array"]),
];

/// Reads a theory: its name, or a short one such as `fp`.
pub(crate) fn theory(text: &str) -> Result<String, String> {
    let low = text.to_lowercase();
    let known = THEORIES.iter().find(|(_, short)| short.contains(&low.as_str()));
    Ok(known.map_or(low, |(name, _)| (*name).to_owned()))
}

/// The first of some words, and how many more there are.
pub(crate) fn list(words: &[&str]) -> String {
    const SHOWN: usize = 10;
    match words.len().saturating_sub(SHOWN) {
        0 => words.join(", "),
        more => format!("{} and {more} more", words[..SHOWN].join(", ")),
    }
}

/// A number of things: `1 bug`, `2 bugs`.
pub(crate) fn count(number: usize, thing: &str) -> String {
    format!("{number} {thing}{}", if number == 1 { "" } else { "s" })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_that_count_are_one_or_more() {
        assert_eq!(positive::<u64>("7"), Ok(7));
        for (text, part) in [
            ("0", "1 or more"),
            ("-3", "1 or more"),
            ("many", "whole number"),
            ("-", "whole number"),
            ("1.5", "whole"),
        ] {
            assert!(positive::<usize>(text).unwrap_err().contains(part), "{text}");
        }
        assert!(positive::<u32>("99999999999").unwrap_err().contains("too large"));
        assert_eq!((number("0"), number("-1").is_err()), (Ok(0), true));
        assert_eq!(up_to::<5>("5"), Ok(5));
        for text in ["0", "6", "-1", "two"] {
            assert!(up_to::<5>(text).unwrap_err().contains("from 1 to 5"), "{text}");
        }
        assert_eq!((port("0"), port("70000").is_err(), port("-1").is_err()), (Ok(0), true, true));
    }

    #[test]
    fn theories_have_short_names() {
        assert_eq!(theory("fp").unwrap(), "floats");
        assert_eq!(theory("BV").unwrap(), "bitvectors");
        assert_eq!(theory("arithmetic").unwrap(), "arithmetic");
        for (name, short) in THEORIES {
            for text in short.iter().chain([&name]) {
                let found = smelt_strategies::evolve::find_theory(&theory(text).unwrap());
                assert!(found.is_some(), "smelt evolve --theory {text}");
            }
        }
    }
}
