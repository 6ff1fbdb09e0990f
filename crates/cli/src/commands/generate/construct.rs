//! `smelt generate construct`: its options.

use std::io::Write;

use smelt_strategies::Generator;
use smelt_strategies::construct::{Construct, WORDS, presets};

use super::Common;
use crate::exit::{Exit, Failure};

/// Bit-vector and floating-point formulas that are satisfiable or not by construction
#[derive(clap::Args)]
#[command(after_help = after_help())]
pub(super) struct Arguments {
    #[command(flatten)]
    common: Common,
    /// Which formulas to make: bv_few_sat, fp_many_unsat and so on, see below
    #[arg(long, value_name = "NAME", default_value = "bv_many_sat")]
    preset: String,
    /// Another status than the preset's
    #[arg(long, value_name = "STATUS", value_parser = ["sat", "unsat", "none"])]
    status: Option<String>,
    /// Several checks in each script, with push and pop
    #[arg(long, value_name = "CHECKS", num_args = 0..=1, default_missing_value = "3")]
    incremental: Option<u32>,
    /// Change the preset; see below
    #[arg(short = 'o', long = "option", value_name = "WORD=VALUE")]
    options: Vec<String>,
    /// Say how often each semantic rule or kernel was used
    #[arg(long)]
    stats: bool,
}

fn after_help() -> String {
    let words: Vec<String> = WORDS[1..].iter().map(|(word, value)| format!("  {word}={value}")).collect();
    format!("Presets: {}\n\nOptions for -o:\n{}", presets().join(", "), words.join("\n"))
}

pub(super) fn run(a: &Arguments) -> Result<Exit, Failure> {
    let mut options = format!("preset={}", a.preset);
    let status = a.status.as_ref().map(|s| format!("status={s}"));
    let checks = a.incremental.map(|n| format!("checks={n}"));
    for word in status.iter().chain(&checks).chain(&a.options) {
        options.push(' ');
        options.push_str(word);
    }
    let mut generator = Construct::read(&options).map_err(|e| Failure::usage(e.to_string()))?;
    if a.stats {
        generator.count();
    }
    let tally = super::emit(&mut generator, &a.common, |_| ())?;
    let counted = generator.counted();
    if a.common.json {
        let mut document = serde_json::to_value(&tally).map_err(|e| Failure::internal(e.to_string()))?;
        document["strategy"] = generator.name().into();
        document["options"] = generator.options().into();
        if a.stats {
            document["rules"] =
                counted.into_iter().map(|(name, n)| (name.to_owned(), serde_json::Value::from(n))).collect();
        }
        writeln!(std::io::stdout(), "{document}")?;
        return Ok(Exit::Ok);
    }
    let mut out = std::io::stderr().lock();
    for (name, n) in counted {
        writeln!(out, "{n:>9} {name}")?;
    }
    writeln!(out, "{}", tally.line())?;
    Ok(Exit::Ok)
}
