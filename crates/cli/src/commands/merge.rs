//! `smelt merge`: merges the shards of a campaign into one folder.

use std::path::PathBuf;

use serde::Serialize;
use smelt_campaign::{Merged, Summary};
use smelt_core::{Event, EventSink};

use super::{fuzz, summary};
use crate::console::Console;
use crate::exit::{Exit, Failure};
use crate::{folders, setup};

/// Merge campaign shards into a new folder
#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// Shard folders, in any order
    #[arg(value_name = "DIR", required = true)]
    dirs: Vec<PathBuf>,
    /// New folder for the result
    #[arg(short = 'o', long, value_name = "DIR")]
    out: PathBuf,
    #[command(flatten)]
    config: setup::Config,
    /// Print the result as one JSON document
    #[arg(long)]
    json: bool,
}

/// What is printed with `--json`: the summary of the campaign, and which shards are in it.
#[derive(Serialize)]
struct Document<'a> {
    version: u32,
    #[serde(flatten)]
    merged: &'a Merged,
    #[serde(flatten)]
    summary: &'a Summary,
}

pub(crate) fn run(a: &Arguments) -> Result<Exit, Failure> {
    let catalog = setup::catalog(a.config.file.as_deref())?;
    let merged = smelt_campaign::merge(&a.dirs, &a.out)?;
    let store = folders::open(&a.out)?;
    let recipes = fuzz::stored_strategies(&store)?;
    let summary = smelt_campaign::summary(&store, &recipes, catalog.profiles())?;
    let console = Console::new(false);
    for (shards, what) in [
        (&merged.missing, "missing: merge again with them, or run their cases with `smelt fuzz --resume`"),
        (&merged.unfinished, "not finished: `smelt fuzz --resume` runs the rest"),
    ] {
        if !shards.is_empty() {
            console.event(&Event::note(format!("of {} shards, {} {what}", merged.of, listed(shards))));
        }
    }
    let document = Document { version: 1, merged: &merged, summary: &summary };
    console.result(a.json, &document, |out| summary::show(out, &summary))?;
    Ok(if summary.findings.is_empty() { Exit::Ok } else { Exit::Findings })
}

/// Numbers as a person writes them: `3, 5-8, 12 are`.
fn listed(numbers: &[u64]) -> String {
    let mut ranges: Vec<(u64, u64)> = Vec::new();
    for &n in numbers {
        match ranges.last_mut() {
            Some((_, last)) if *last + 1 == n => *last = n,
            _ => ranges.push((n, n)),
        }
    }
    let range = |(a, b): &(u64, u64)| if a == b { a.to_string() } else { format!("{a}-{b}") };
    let text = ranges.iter().map(range).collect::<Vec<_>>().join(", ");
    format!("{text} {}", if numbers.len() == 1 { "is" } else { "are" })
}

#[cfg(test)]
mod tests {
    #[test]
    fn shards_are_listed_in_ranges() {
        assert_eq!(super::listed(&[3]), "3 is");
        assert_eq!(super::listed(&[1, 3, 4, 5, 9]), "1, 3-5, 9 are");
    }
}
