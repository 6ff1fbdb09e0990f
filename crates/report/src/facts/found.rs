//! How a bug was found and reduced, and how to see it again.

use smelt_core::Dossier;
use smelt_store::Origin;

use super::words::{apart, code, seed_name, ticked};
use super::{LARGER_FILE, Row, Source, alone};
use crate::page::{counted, grouped};

/// At most this many steps, differences to a seed and numbers of findings are listed.
const LISTED: usize = 30;

pub(super) fn rows(s: &Source<'_>) -> Vec<Row> {
    let (bug, d) = (s.bug, s.bug.dossier.as_ref());
    let mut rows = Vec::new();
    if let Some(origin) = s.origin {
        of_origin(&mut rows, origin, d);
    }
    let seen = format!("in {} of 3 fresh runs, {}", bug.finding.seen, counted(bug.triggers, "trigger"));
    rows.push(Row::new("confirmed", seen));
    if let Some(d) = d {
        of_reduction(&mut rows, s, d);
        if !d.differences.is_empty() {
            let list = d.differences.iter().take(LISTED).map(|(seed, mutant)| {
                let (seed, mutant) = apart(seed, mutant);
                format!("{seed} to {mutant}")
            });
            rows.push(Row::list("changed in the seed", list.collect()));
        }
    }
    let does = match d.is_some_and(|d| d.of_seed) {
        true => "runs the mutant, and compares with the answer to the seed",
        false => "makes the original test case and runs it",
    };
    let again = format!("smelt replay {} {}", bug.finding.finding.id, crate::quoted(s.place));
    rows.push(Row::new("replay", format!("{} {does}", code(&again))).local());
    if bug.members.len() > 1 {
        let mut all: Vec<&str> = bug.members.iter().map(String::as_str).collect();
        all.sort_by_key(|m| (m.len(), *m));
        let more = all.len().saturating_sub(LISTED);
        let more = if more > 0 { format!(" and {more} more") } else { String::new() };
        all.truncate(LISTED);
        rows.push(Row::new("findings", format!("{}{more}", all.join(", "))).local());
    }
    let named = match d.is_some_and(|d| d.fingerprint() != bug.fingerprint) {
        true => ", from the finding that named the bug",
        false => "",
    };
    rows.push(Row::new("fingerprint", format!("{}{named}", code(&bug.fingerprint))));
    rows
}

fn of_origin(rows: &mut Vec<Row>, origin: &Origin, d: Option<&Dossier>) {
    let p = &origin.case.provenance;
    let of_seed = d.is_some_and(|d| d.of_seed);
    let version = d.and_then(|d| d.smelt.as_ref()).map(|v| format!(" {v}")).unwrap_or_default();
    let options = if p.options.is_empty() { String::new() } else { format!(" ({})", p.options) };
    let how = match p.strategy.as_str() {
        "seed" => "which ran the seed itself".to_owned(),
        strategy @ "enumerate" => format!("strategy {}{options}, script number {}", code(strategy), p.rng),
        strategy => {
            format!("strategy {}{options}, random choices from `{:016x}`", code(strategy), p.rng)
        }
    };
    rows.push(Row::new("found by", format!("smelt{version}, {how}")));
    let seeds: Vec<String> = origin.seeds.iter().map(|s| seed_name(&s.0).to_owned()).collect();
    if !seeds.is_empty() {
        let name = if seeds.len() == 1 { "seed" } else { "seeds" };
        let too = d.is_some_and(|d| d.seed_shows) && !of_seed && p.strategy != "seed";
        let too = if too { ", which shows such a bug too as it is" } else { "" };
        rows.push(Row::new(name, format!("{}{too}", ticked(&seeds, " and "))));
    }
    if of_seed {
        let wrong = "its answer and the one to the seed contradict each other; the one to the seed, which is shown here, is wrong";
        rows.push(Row::new("mutant", wrong));
    }
    if !p.steps.is_empty() {
        let steps = p.steps.iter().take(LISTED).map(|step| code(step));
        rows.push(Row::list("steps", steps.collect()).local());
    }
    rows.push(Row::new("solvers", origin.solvers.join(", ")).local());
}

fn of_reduction(rows: &mut Vec<Row>, s: &Source<'_>, d: &Dossier) {
    let id = &s.bug.finding.finding.id;
    rows.push(match (d.reduction, &d.pair) {
        (Some(r), _) => {
            let what =
                if alone(d, s.bug.kind).is_some() { format!("`{LARGER_FILE}`, ") } else { String::new() };
            let (from, to) = (grouped(r.bytes_before as u64), grouped(r.bytes_after as u64));
            let rest = if r.complete { "" } else { "; not reduced to the end, for the time was over" };
            let checks = counted(r.checks, "check");
            Row::new("reduced", format!("{what}from {from} to {to} bytes in {checks}{rest}"))
        }
        (None, Some(pair)) => {
            let one_line = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
            let script = smelt_core::shown_script(None, s.script);
            let (first, second) = apart(&one_line(&script), &one_line(&pair.script));
            Row::new("not reduced", format!("where the first script has {first}, the second has {second}"))
        }
        (None, None) if d.reduction_tried => {
            Row::new("not reduced", "nothing smaller was found that shows it every time")
        }
        (None, None) => {
            let examine = format!("smelt bugs examine {id} {}", crate::quoted(s.place));
            Row::new("not reduced", format!("{} does it", code(&examine)))
        }
    });
}
