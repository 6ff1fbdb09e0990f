//! `smelt generate synthesis`: its options.

use std::io::Write;

use super::Common;
use crate::exit::{Exit, Failure};

/// Formulas over every operation of a theory, each with its model or its unsat core
#[derive(clap::Args)]
pub(super) struct Arguments {
    #[command(flatten)]
    common: Common,
    /// What to make formulas of
    #[arg(long, value_name = "NAME", default_value = "strings")]
    preset: String,
}

pub(super) fn run(a: &Arguments) -> Result<Exit, Failure> {
    let mut generator = super::generator("synthesis", &format!("preset={}", a.preset))?;
    let tally = super::emit(generator.as_mut(), &a.common, |_| ())?;
    if a.common.json {
        let mut document = serde_json::to_value(&tally).map_err(|e| Failure::internal(e.to_string()))?;
        document["strategy"] = generator.name().into();
        document["options"] = generator.options().into();
        writeln!(std::io::stdout(), "{document}")?;
    } else {
        writeln!(std::io::stderr(), "{}", tally.line())?;
    }
    Ok(Exit::Ok)
}
