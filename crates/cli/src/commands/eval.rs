//! `smelt eval`: checks whether a solver's output is a model of a script.

use std::io::Write;
use std::path::PathBuf;

use serde_json::json;
use smelt_semantics::goal::Goal;
use smelt_semantics::model::{Escapes, Judgement, Model, Truth};
use smelt_smtlib::{Arena, parse_script};

use crate::exit::{Exit, Failure};
use crate::{inputs, output};

/// Check whether a solver's output is a model of a script
#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// Script
    file: PathBuf,
    /// Solver output with a reply to get-model or get-value; text before it is skipped
    model: PathBuf,
    /// Read escapes in strings as before SMT-LIB 2.6 (\x41, \n)
    #[arg(long)]
    legacy_escapes: bool,
    /// Print the result as one JSON document
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(a: &Arguments) -> Result<Exit, Failure> {
    let source = inputs::read(&a.file)?;
    let text = inputs::read(&a.model)?;
    let mut arena = Arena::new();
    let parsed = parse_script(&mut arena, &source)
        .map_err(|e| Failure::usage(format!("{}:{}", a.file.display(), e.locate(&source))))?;
    let goal = Goal::last(&parsed.script);
    let escapes = if a.legacy_escapes { Escapes::Legacy } else { Escapes::Standard };
    let model = Model::read(&mut arena, &parsed.scope, &goal, &text, escapes)
        .map_err(|e| Failure::usage(format!("{}: {e}", a.model.display())))?;
    let judgements = model.check(&arena, &goal);
    let verdict = judgements.verdict();
    let mut out = std::io::stdout().lock();
    if a.json {
        let assertion = |(index, j): (usize, &Judgement)| json!({"index": index, "verdict": j.verdict.as_str(), "reason": j.reason});
        let assertions: Vec<_> = judgements.assertions.iter().enumerate().map(assertion).collect();
        output::print_json(&json!({"verdict": verdict.as_str(), "assertions": assertions}))?;
    } else {
        writeln!(out, "{}", verdict.as_str())?;
        for (i, (j, &t)) in judgements.assertions.iter().zip(&goal.assertions).enumerate() {
            if j.verdict != Truth::True {
                let mut shown = arena.display_term(t);
                if shown.len() > 100 {
                    shown = format!("{}..", shown.chars().take(100).collect::<String>());
                }
                let reason = j.reason.as_deref().map_or(String::new(), |r| format!(" ({r})"));
                writeln!(out, "assertion {} is {}{reason}: {shown}", i + 1, j.verdict.as_str())?;
            }
        }
    }
    Ok(if verdict == Truth::False { Exit::Findings } else { Exit::Ok })
}
