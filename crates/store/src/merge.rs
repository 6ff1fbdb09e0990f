//! Merges stores: adds up the tables of several campaigns in a new one.
//!
//! Findings are merged by fingerprint. The smallest trigger is kept. But a dossier describes one script, so an
//! examined finding takes precedence over one that was not examined. The result depends only on the stores and
//! their order.

use smelt_core::Dossier;
use smelt_core::SeedHash;
use std::collections::BTreeMap;
use std::path::Path;

use crate::columns::{FINDINGS, LOGICS, OUTCOMES, PROVENANCE, SAMPLE_ROWS, SEEDS, TESTS, TRIAGE, Table};
use crate::db::{Database, Value, values};
use crate::filing::story_of;
use crate::timeline::{SAMPLES, add_outcomes, length};
use crate::write::{json, put};
use crate::{Error, Store, Stored};

/// The sum of a column, up to the largest number that is read back.
const SUM: &str = "MIN(4294967295, {t}.{c} + excluded.{c})";

impl Store {
    /// Adds what all these stores have, but for the values of their campaigns, to this one, which is empty.
    pub fn unite(&mut self, from: &[Store]) -> Result<(), Error> {
        self.transaction(|db| {
            for store in from {
                add_counts(store, db)?;
            }
            add_spans(from, db)?;
            add_samples(from, db)?;
            add_findings(from, db)
        })
    }
}

/// All rows of a table that are as they should be.
fn rows(store: &Store, table: &Table) -> Result<Vec<Vec<Value>>, Error> {
    let query = format!("SELECT {} FROM {}", table.list(), table.name);
    Ok(table.sound(store.query(&query, &[])?))
}

fn insert(table: &Table) -> String {
    format!("INSERT INTO {} ({})", table.name, table.list())
}

/// Adds the counts of seeds, strategies and logics.
fn add_counts(from: &Store, to: &mut dyn Database) -> Result<(), Error> {
    let sums = |table: &str, columns: &[&str]| {
        let sum = |c: &&str| format!("{c} = {}", SUM.replace("{t}", table).replace("{c}", c));
        columns.iter().map(sum).collect::<Vec<_>>().join(", ")
    };
    let tables = [
        (
            SEEDS,
            format!(
                "disputed = COALESCE(seeds.disputed, excluded.disputed), probed = MAX(seeds.probed, excluded.probed), \
                 text = COALESCE(seeds.text, excluded.text), {}",
                sums("seeds", &["tests", "useful", "found", "cost_ms"])
            ),
        ),
        (
            TESTS,
            format!(
                "made = tests.made + excluded.made, {}",
                sums("tests", &["tests", "useful", "found", "cost_ms"])
            ),
        ),
        (
            LOGICS,
            "tests = logics.tests + excluded.tests, calls = logics.calls + excluded.calls, \
             answered = logics.answered + excluded.answered"
                .to_owned(),
        ),
    ];
    for (table, update) in tables {
        let (insert, (key, _)) = (insert(&table), table.columns[0]);
        put(to, &insert, rows(from, &table)?, &format!("ON CONFLICT ({key}) DO UPDATE SET {update}"))?;
    }
    Ok(())
}

/// Adds the courses: all begin at the same moment, and have spans as long as the longest.
fn add_spans(from: &[Store], to: &mut dyn Database) -> Result<(), Error> {
    let length = |store: &Store| length(&mut **store.db.borrow_mut());
    let lengths = from.iter().map(length).collect::<Result<Vec<u64>, _>>()?;
    let longest = lengths.iter().copied().max().unwrap_or(1);
    for (store, length) in from.iter().zip(lengths) {
        let mut rows = rows(store, &OUTCOMES)?;
        for row in &mut rows {
            if let Value::Integer(span) = &mut row[0] {
                let moved = i128::from(*span) * i128::from(length) / i128::from(longest);
                *span = i64::try_from(moved).unwrap_or(i64::MAX);
            }
        }
        add_outcomes(to, rows)?;
    }
    let row = values!["span_ms", longest.to_string()].to_vec();
    let replace = "ON CONFLICT (key) DO UPDATE SET value = excluded.value";
    put(to, "INSERT INTO campaign (key, value)", vec![row], replace)
}

/// Keeps an even sample of all samples.
fn add_samples(from: &[Store], to: &mut dyn Database) -> Result<(), Error> {
    let mut all: Vec<(u64, Value)> = Vec::new();
    for (i, store) in from.iter().enumerate() {
        let mut rows = rows(store, &SAMPLE_ROWS)?;
        rows.sort_by_key(|row| if let Value::Integer(slot) = row[0] { slot } else { 0 });
        for mut row in rows {
            let order = SeedHash::of(format!("{i} {:?}", row[0]).as_bytes()).0;
            all.push((order, row.remove(1)));
        }
    }
    all.sort_by_key(|(order, _)| *order);
    let kept = all.into_iter().take(SAMPLES as usize).enumerate();
    let rows = kept.map(|(slot, (_, times))| vec![Value::from(slot as u64), times]).collect();
    put(to, "INSERT INTO samples (slot, times)", rows, "")
}

/// A finding with all its triggers.
struct United<'a> {
    store: &'a Store,
    best: Stored,
    triggers: u64,
    /// When it was first found, in milliseconds.
    at: Option<i64>,
}

/// How good a trigger is to keep: the least is the best.
fn rank(stored: &Stored) -> (bool, u64, u64, u64) {
    (!stored.examined, stored.smallest(), stored.finding.bytes, stored.number)
}

fn add_findings(from: &[Store], to: &mut dyn Database) -> Result<(), Error> {
    let mut united: BTreeMap<(String, bool), United<'_>> = BTreeMap::new();
    for store in from {
        for stored in store.stored()? {
            let at = stored.at.map(|at| at.as_millis() as i64);
            let (key, triggers) = ((stored.trigger.clone(), stored.flaky), stored.triggers);
            match united.get_mut(&key) {
                None => {
                    united.insert(key, United { store, best: stored, triggers, at });
                }
                Some(known) => {
                    known.triggers += triggers;
                    known.at = [known.at, at].into_iter().flatten().min();
                    if rank(&stored) < rank(&known.best) {
                        (known.store, known.best) = (store, stored);
                    }
                }
            }
        }
    }
    let mut all: Vec<United<'_>> = united.into_values().collect();
    // The order in which one process would have found them.
    all.sort_by_key(|u| u.best.number);
    for (i, one) in all.iter().enumerate() {
        add_finding(one, i as i64 + 1, to)?;
    }
    Ok(())
}

/// Adds one finding under a new number, its files first.
fn add_finding(one: &United<'_>, id: i64, to: &mut dyn Database) -> Result<(), Error> {
    let United { store, best, triggers, at } = one;
    let old = best.relative_file.as_str();
    let name = Path::new(old).file_name().unwrap_or_default().to_string_lossy().into_owned();
    let file = format!("findings/{id}/{name}");
    to.save_files(&[(file.clone(), &store.file(old)?[..])])?;
    if let Ok(story) = store.file(&story_of(old)) {
        to.save_files(&[(story_of(&file), &story[..])])?;
    }
    let number: i64 = best.finding.id.parse().unwrap_or_default();
    let mut reduced = None;
    if best.finding.reduced.is_some() {
        let name = format!("findings/{id}/reduced.smt2");
        let script = store.file(&format!("findings/{number}/reduced.smt2"))?;
        to.save_files(&[(name.clone(), &script[..])])?;
        reduced = Some(name);
    }
    let new = [
        ("id", Value::from(id)),
        ("file", Value::from(file)),
        ("reduced", Value::from(reduced)),
        ("triggers", Value::from(*triggers)),
        ("at_ms", Value::from(*at)),
    ];
    copy_row(store, to, &FINDINGS, number, &new)?;
    let finding = ("finding", Value::from(id));
    copy_row(store, to, &PROVENANCE, number, std::slice::from_ref(&finding))?;
    let mut new = vec![finding, ("place", Value::from(id))];
    if let Some(dossier) = store.dossier(&best.finding.id)? {
        // Numbers are new here, and so are the names of bugs.
        new.push(("dossier", Value::from(json(&Dossier { given: None, ..dossier }))));
    }
    copy_row(store, to, &TRIAGE, number, &new)
}

/// Copies the row of a key, if there is one, with some columns changed.
fn copy_row(
    from: &Store,
    to: &mut dyn Database,
    table: &Table,
    old: i64,
    new: &[(&str, Value)],
) -> Result<(), Error> {
    let query = format!("SELECT {} FROM {} WHERE {} = ?1", table.list(), table.name, table.columns[0].0);
    let mut copied = table.sound(from.query(&query, &values![old])?);
    for row in &mut copied {
        for (value, (name, _)) in row.iter_mut().zip(table.columns) {
            if let Some((_, changed)) = new.iter().find(|(column, _)| column == name) {
                *value = changed.clone();
            }
        }
    }
    put(to, &insert(table), copied, "")
}
