//! The embedded seeds: small scripts over every theory, each with a known status.
//!
//! One file per theory in `seeds/`, its scripts separated by lines `; ===== name`. A script starts with a comment that
//! says what it exercises, sets its logic and its status, and has one `check-sat`. To add a seed, write it there.

use smelt_core::Verdict;
use std::sync::LazyLock;

/// An embedded seed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EmbeddedSeed {
    /// Its theory and what it is about: `bv/rotate_beyond_width`. No two seeds share one.
    pub name: &'static str,
    /// The script.
    pub text: &'static str,
    /// Its answer: sat or unsat, never unknown.
    pub status: Verdict,
}

impl EmbeddedSeed {
    /// The file it is from, such as `bv`.
    pub fn theory(&self) -> &'static str {
        self.name.split_once('/').map_or(self.name, |(theory, _)| theory)
    }
}

/// All embedded seeds: theory by theory, in the order of the files.
pub fn embedded() -> &'static [EmbeddedSeed] {
    static SEEDS: LazyLock<Vec<EmbeddedSeed>> =
        LazyLock::new(|| FILES.iter().flat_map(|(theory, text)| split(theory, text)).collect());
    &SEEDS
}

macro_rules! files {
    ($($theory:literal)*) => {
        &[$(($theory, include_str!(concat!("../seeds/", $theory, ".smt2")))),*]
    };
}

const FILES: &[(&str, &str)] = files! {
    "core" "uf" "lia" "nia" "lra" "nra" "lira" "bv" "fp" "fpbv" "strings" "regex" "arrays" "datatypes"
    "sequences" "sets" "collections" "quantifiers" "mixed"
};

const MARK: &str = "; ===== ";

/// The scripts of one file.
fn split<'a>(theory: &'a str, text: &'static str) -> impl Iterator<Item = EmbeddedSeed> + use<'a> {
    text.split(MARK).skip(1).map(move |part| {
        let (name, text) = part.split_once('\n').expect("a name stands alone on its line");
        let text = text.trim_end();
        let status = match text.split_once("(set-info :status ").map(|(_, rest)| rest) {
            Some(rest) if rest.starts_with("sat)") => Verdict::Sat,
            Some(rest) if rest.starts_with("unsat)") => Verdict::Unsat,
            _ => panic!("the embedded seed {theory}/{name} states sat or unsat"),
        };
        // Leaked once per seed and process: the name lives as long as the text.
        EmbeddedSeed { name: format!("{theory}/{name}").leak(), text, status }
    })
}
