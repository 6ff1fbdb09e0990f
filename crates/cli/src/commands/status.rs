//! `smelt status`: shows the progress of the campaigns in a shared store, and their machines.

use std::io::Write;

use smelt_store::shared::{Address, Status};

use crate::exit::{Exit, Failure};
use crate::table::{Column, Table, column};
use crate::{folders, output};

/// Show the progress of shared campaigns and their machines
#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// Database: postgres://USER@HOST/DATABASE, optionally followed by #NAME
    #[arg(value_name = "URL")]
    url: String,
    /// Campaign; default: all in the database
    #[arg(value_name = "NAME")]
    name: Option<String>,
    /// Print the result as one JSON document
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(a: &Arguments) -> Result<Exit, Failure> {
    let address: Address = a.url.parse()?;
    let named = match (&a.name, address.name()) {
        (Some(name), _) => Some(name.clone()),
        (None, name) => name.ok().map(str::to_owned),
    };
    let names = match named {
        Some(name) => vec![name],
        None => Status::names(&address)?,
    };
    let mut campaigns = Vec::new();
    for name in names {
        let place = super::join::place(&address.clone().named(&name)?.to_string(), None)?;
        campaigns.push(Status::read(&folders::open(&place)?)?);
    }
    let document = serde_json::json!({"version": 1, "campaigns": campaigns});
    output::result(a.json, &document, |out| campaigns.iter().try_for_each(|status| show(out, status)))?;
    Ok(Exit::Ok)
}

fn show(out: &mut impl Write, s: &Status) -> std::io::Result<()> {
    const COLUMNS: [Column; 6] = [
        column("HOST"),
        column("CASES").right(),
        column("SEEN").right(),
        column("SMELT"),
        column("SOLVERS").gives_way(1),
        column("ID").gives_way(2),
    ];
    writeln!(
        out,
        "{}: {} tests, {} of {} numbers done, {} ranges held and {} to be taken over; {} findings, {} not examined",
        s.name,
        s.tests,
        s.done,
        s.given,
        s.ranges - s.free_ranges.min(s.ranges),
        s.free_ranges,
        s.findings,
        s.unexamined
    )?;
    let mut table = Table::new(&COLUMNS).indented(2);
    for m in &s.machines {
        let seen = format!("{} s ago", m.seen_s);
        let row =
            [m.host.clone(), m.cases.to_string(), seen, m.smelt.clone(), m.solvers.clone(), m.id.clone()];
        table.row(row.iter().map(|text| output::printable(text).to_string()).collect(), None);
    }
    if !s.machines.is_empty() {
        table.write(out)?;
    }
    writeln!(out, "  {} processes take part, {} are gone", s.machines.len(), s.gone)
}
