//! How a bug was found and reduced, and how to reproduce it.

use smelt_core::Dossier;
use smelt_store::Origin;

use super::words::{apart, code, seed_name, ticked};
use super::{LARGER_FILE, Row, Source, alone};
use crate::page::{counted, grouped};

/// At most this many steps, differences to a seed and numbers of findings are listed.
const LISTED: usize = 30;

/// Differences between two scripts are shown up to this length.
const SHORT: usize = 100;

pub(super) fn rows(s: &Source<'_>) -> Vec<Row> {
    let (bug, d) = (s.bug, s.bug.dossier.as_ref());
    let mut rows = Vec::new();
    if let Some(origin) = s.origin {
        of_origin(&mut rows, origin, d);
    }
    let seen = format!("in {} of 3 fresh runs, {}", bug.finding.seen, counted(bug.triggers, "trigger"));
    rows.push(Row::new("confirmed", seen).local());
    if let Some(d) = d {
        of_reduction(&mut rows, s, d);
        if !d.differences.is_empty() {
            let list = d.differences.iter().take(LISTED).map(|(seed, mutant)| {
                let (seed, mutant) = apart(seed, mutant);
                format!("{seed} → {mutant}")
            });
            rows.push(Row::list("changes to the seed", list.collect()).local());
        }
    }
    let does = match d.is_some_and(|d| d.of_seed) {
        true => "runs the mutant and compares its answer with that of the seed",
        false => "regenerates the original test case and runs it",
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
        true => ", from an earlier finding of this bug",
        false => "",
    };
    rows.push(Row::new("fingerprint", format!("{}{named}", code(&bug.fingerprint))).local());
    rows
}

fn of_origin(rows: &mut Vec<Row>, origin: &Origin, d: Option<&Dossier>) {
    let p = &origin.case.provenance;
    let of_seed = d.is_some_and(|d| d.of_seed);
    let version = d.and_then(|d| d.smelt.as_ref()).map(|v| format!(" {v}")).unwrap_or_default();
    let seeds: Vec<String> = origin.seeds.iter().map(|s| seed_name(&s.0).to_owned()).collect();
    let seeds = ticked(&seeds, " and ");
    let (how, number) = match (p.strategy.as_str(), seeds.is_empty()) {
        ("seed", _) => (format!(", which ran the seed {seeds} unchanged"), None),
        (strategy @ "enumerate", _) => {
            (format!(" with strategy {}", code(strategy)), Some(format!("script number {}", p.rng)))
        }
        (strategy, is_alone) => {
            let of = match (is_alone, origin.seeds.len()) {
                (true, _) => String::new(),
                (false, 1) => format!(" on seed {seeds}"),
                (false, _) => format!(" on seeds {seeds}"),
            };
            (format!(" with strategy {}{of}", code(strategy)), Some(format!("random seed `{:016x}`", p.rng)))
        }
    };
    rows.push(Row::new("found by", format!("smelt{version}{how}")));
    let options = Some(p.options.to_string()).filter(|options| !options.is_empty());
    let all: Vec<String> = options.into_iter().chain(number).collect();
    if !all.is_empty() {
        rows.push(Row::new("options of the strategy", all.join(", ")).local());
    }
    if d.is_some_and(|d| d.seed_shows) && !of_seed && p.strategy != "seed" {
        rows.push(Row::new("seed", "itself affected by a bug of this kind").local());
    }
    if of_seed {
        let wrong =
            "its answer contradicts that of the seed; the answer to the seed, shown here, is the wrong one";
        rows.push(Row::new("mutant", wrong).local());
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
            let rest = if r.complete { "" } else { "; stopped early by the time limit" };
            let checks = counted(r.checks, "check");
            Row::new("reduced", format!("{what}from {from} to {to} bytes in {checks}{rest}"))
        }
        (None, Some(pair)) => {
            let one_line = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
            let script = smelt_core::shown_script(None, s.script);
            let (first, second) = apart(&one_line(&script), &one_line(&pair.script));
            let why = "a smaller script might not be related to the second one";
            // Two different scripts side by side say nothing; a small difference does.
            let is_short = |text: &str| text.chars().count() < SHORT;
            match is_short(&first) && is_short(&second) {
                true => Row::new("not reduced", format!("{why}, which has {second} instead of {first}")),
                false => Row::new("not reduced", why),
            }
        }
        (None, None) if d.reduction_tried => {
            Row::new("not reduced", "no smaller script reproduces it every time").local()
        }
        (None, None) => {
            let examine = format!("smelt bugs examine {id} {}", crate::quoted(s.place));
            Row::new("not reduced", format!("run {}", code(&examine))).local()
        }
    });
}
