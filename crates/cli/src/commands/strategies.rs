//! `smelt strategies`: lists strategies and their options.

use std::io::Write;

use serde_json::json;
use smelt_strategies::{Needs, OptionRow, Row, find, names, rows};

use crate::exit::{Exit, Failure};

/// List strategies, or the options of one
#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// Strategy whose options are listed
    name: Option<String>,
    /// Print the result as one JSON document
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(a: &Arguments) -> Result<Exit, Failure> {
    let mut out = std::io::stdout().lock();
    let chosen: Vec<&Row> = match &a.name {
        None => rows().collect(),
        Some(name) => {
            let message = || format!("no strategy `{name}`: choose one of {}", names().join(", "));
            vec![find(name).ok_or_else(|| Failure::usage(message()))?]
        }
    };
    if a.json {
        let list: Vec<_> = chosen.into_iter().map(document).collect();
        writeln!(out, "{}", json!({"version": 1, "strategies": list}))?;
        return Ok(Exit::Ok);
    }
    for row in chosen {
        let from = match row.needs {
            Needs::Nothing => "no seeds",
            Needs::Seeds | Needs::Answers => "seeds",
            Needs::Models => "models",
        };
        let aliases =
            if row.aliases.is_empty() { String::new() } else { format!(" ({})", row.aliases.join(", ")) };
        writeln!(out, "{:<26} from {from:<8} {}", format!("{}{aliases}", row.name), row.about)?;
        if a.name.is_some() {
            row.options.iter().try_for_each(|option| describe(&mut out, option))?;
        }
    }
    Ok(Exit::Ok)
}

fn describe(out: &mut impl Write, option: &OptionRow) -> std::io::Result<()> {
    writeln!(out, "  {:<11} {}", option.name, option.about)?;
    let default =
        if option.default.is_empty() { String::new() } else { format!("; default {}", option.default) };
    let flag = option.flag.map_or(String::new(), |f| format!("; also --{}", f.name()));
    writeln!(out, "  {:<11}   {}{default}{flag}", "", option.values)
}

fn document(row: &Row) -> serde_json::Value {
    let option = |o: &OptionRow| {
        json!({
            "name": o.name, "values": o.values, "default": o.default, "about": o.about,
            "flag": o.flag.map(|f| format!("--{}", f.name())),
        })
    };
    json!({
        "name": row.name, "aliases": row.aliases, "about": row.about, "needs_seeds": row.needs.seeds(),
        "needs_models": row.needs == Needs::Models,
        "options": row.options.iter().map(option).collect::<Vec<_>>(),
    })
}
