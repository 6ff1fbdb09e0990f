//! `smelt generate synthesis`: its options, and `--run`.

use std::io::Write;

use smelt_strategies::Generator;
use smelt_strategies::synthesis::{Case, Family, Settings, Synthesis, presets};

use super::Common;
use super::run::{Candidates, Row};
use crate::exit::{Exit, Failure};

/// Formulas about every operation of a theory, each with its model or its unsat core
#[derive(clap::Args)]
pub(super) struct Arguments {
    #[command(flatten)]
    common: Common,
    /// What to make formulas of: paper, strings, sequences, bitvectors
    #[arg(long, value_name = "NAME", default_value = "strings")]
    preset: String,
    /// One family only: operation, assignment, terms, mixed, equivalence, variable, constant, noise
    #[arg(long, value_name = "FAMILY")]
    family: Option<String>,
    /// The width of bit-vectors
    #[arg(long, value_name = "N")]
    width: Option<u32>,
    /// How deep the terms of term synthesis are, from 1 to 3
    #[arg(long, value_name = "N", default_value_t = 1)]
    bound: u32,
    /// Which of several terms of one value to use: first, all
    #[arg(long, value_name = "WHICH", default_value = "first")]
    pool: String,
    /// Whether quantifiers have patterns: without, with, both
    #[arg(long, value_name = "WHICH", default_value = "both")]
    patterns: String,
    /// Replacements in one unsatisfiable formula at most, from 1 to 3
    #[arg(long, value_name = "N", default_value_t = 1)]
    steps: u32,
    /// Boundary constants instead of the preset's: SORT=LITERAL,LITERAL;SORT=..
    #[arg(long, value_name = "LIST")]
    constants: Option<String>,
    #[command(flatten)]
    run: Candidates,
}

impl Arguments {
    fn options(&self) -> Result<String, Failure> {
        let mut words = vec![
            format!("preset={}", self.preset),
            format!("bound={}", self.bound),
            format!("pool={}", self.pool),
            format!("patterns={}", self.patterns),
            format!("steps={}", self.steps),
        ];
        words.extend(self.family.as_ref().map(|f| format!("family={f}")));
        words.extend(self.width.map(|w| format!("width={w}")));
        words.extend(self.constants.as_ref().map(|c| format!("constants={c}")));
        if let Some(word) = words.iter().find(|w| w.contains(char::is_whitespace)) {
            return Err(Failure::usage(format!("`{word}`: write a blank in a literal as \\u{{20}}")));
        }
        Ok(words.join(" "))
    }
}

pub(super) fn run(a: &Arguments) -> Result<Exit, Failure> {
    if !presets().iter().any(|(name, _)| *name == a.preset) {
        let list: Vec<String> = presets().iter().map(|(name, about)| format!("{name} ({about})")).collect();
        return Err(Failure::usage(format!(
            "there is no preset `{}`; there are {}",
            a.preset,
            list.join(", ")
        )));
    }
    let settings = Settings::read(&a.options()?).map_err(Failure::usage)?;
    let mut synthesis = Synthesis::new(settings).map_err(|e| Failure::usage(e.to_string()))?;
    if a.run.is_wanted() {
        return examine(&synthesis, a);
    }
    let tally = super::emit(&mut synthesis, &a.common, |_| ())?;
    let counts = synthesis.counts();
    if a.common.json {
        let mut document = serde_json::to_value(&tally).map_err(|e| Failure::internal(e.to_string()))?;
        document["strategy"] = synthesis.name().into();
        document["options"] = synthesis.options().into();
        document["families"] =
            counts.iter().map(|(f, n)| (f.name().to_owned(), serde_json::Value::from(*n))).collect();
        writeln!(std::io::stdout(), "{document}")?;
    } else {
        let list: Vec<String> = counts.iter().map(|(f, n)| format!("{n} {}", f.name())).collect();
        writeln!(std::io::stderr(), "{}\nof all there are: {}", tally.line(), list.join(", "))?;
    }
    Ok(Exit::Ok)
}

fn examine(synthesis: &Synthesis, a: &Arguments) -> Result<Exit, Failure> {
    let mut rows = Vec::new();
    for number in super::numbers(synthesis, &a.common)? {
        let Ok(case) = synthesis.case(number) else { continue };
        rows.push(row(number, case));
    }
    super::run::examine(synthesis.name(), &synthesis.options(), rows, &a.common, &a.run)
}

fn row(number: u64, case: Case) -> Row {
    let family = case.family.map_or("", Family::name);
    let category = if case.patterns { format!("{family} with patterns") } else { family.to_owned() };
    Row {
        number,
        category,
        steps: String::from_utf8_lossy(&case.draft.log).trim().to_owned(),
        question: smelt_trial::grade::Question {
            script: case.draft.text,
            expectation: case.draft.expectation,
            witness: (!case.draft.witness.is_empty())
                .then(|| String::from_utf8_lossy(&case.draft.witness).into_owned()),
            core: case.core,
            models_without: case.without,
        },
    }
}
