//! Uniting stores: the tables of several campaigns, added up in a new one.
//!
//! Findings go by fingerprint. Of several triggers the smallest is kept; but a dossier tells of the script that it was made
//! of, so an examined finding comes before one that was not. Nothing depends on anything but the stores and their order.

use rusqlite::types::Value;
use rusqlite::{Connection, Row, params};
use smelt_core::SeedHash;
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use crate::timeline::{SAMPLES, add_outcome, length};
use crate::{Error, Store, Stored};

/// The sum of a column, up to the largest number that is read back.
const SUM: &str = "MIN(4294967295, {t}.{c} + excluded.{c})";

impl Store {
    /// Adds what all these stores have, but for the values of their campaigns, to this one, which is empty.
    pub fn unite(&mut self, from: &[Store]) -> Result<(), Error> {
        let folder = self.folder.clone();
        let tx = self.db.transaction()?;
        for store in from {
            add_counts(&store.db, &tx)?;
        }
        add_spans(from, &tx)?;
        add_samples(from, &tx)?;
        add_findings(from, &tx, &folder)?;
        Ok(tx.commit()?)
    }
}

/// All rows of a query, as they are.
fn rows(db: &Connection, query: &str) -> Result<Vec<Vec<Value>>, Error> {
    let mut query = db.prepare(query)?;
    let columns = query.column_count();
    let row = |r: &Row<'_>| (0..columns).map(|i| r.get::<_, Value>(i)).collect::<Result<Vec<_>, _>>();
    Ok(query.query_map([], row)?.collect::<Result<_, _>>()?)
}

/// Adds the counts of seeds, strategies and logics.
fn add_counts(from: &Connection, to: &Connection) -> Result<(), Error> {
    let sums = |table: &str, columns: &[&str]| {
        let sum = |c: &&str| format!("{c} = {}", SUM.replace("{t}", table).replace("{c}", c));
        columns.iter().map(sum).collect::<Vec<_>>().join(", ")
    };
    let tables = [
        (
            "seeds",
            "hash",
            "hash, name, status, disputed, probed, tests, useful, found, cost_ms, text",
            format!(
                "disputed = COALESCE(seeds.disputed, excluded.disputed), probed = MAX(seeds.probed, excluded.probed), \
                 text = COALESCE(seeds.text, excluded.text), {}",
                sums("seeds", &["tests", "useful", "found", "cost_ms"])
            ),
        ),
        (
            "tests",
            "strategy",
            "strategy, made, tests, useful, found, cost_ms",
            format!(
                "made = tests.made + excluded.made, {}",
                sums("tests", &["tests", "useful", "found", "cost_ms"])
            ),
        ),
        (
            "logics",
            "logic",
            "logic, tests, calls, answered",
            "tests = logics.tests + excluded.tests, calls = logics.calls + excluded.calls, \
             answered = logics.answered + excluded.answered"
                .to_owned(),
        ),
    ];
    for (table, key, columns, update) in tables {
        let marks = vec!["?"; columns.split(',').count()].join(", ");
        let mut add = to.prepare(&format!(
            "INSERT INTO {table} ({columns}) VALUES ({marks}) ON CONFLICT ({key}) DO UPDATE SET {update}"
        ))?;
        for row in rows(from, &format!("SELECT {columns} FROM {table}"))? {
            add.execute(rusqlite::params_from_iter(row))?;
        }
    }
    Ok(())
}

/// Adds the courses: all begin at the same moment, and have spans as long as the longest.
fn add_spans(from: &[Store], to: &Connection) -> Result<(), Error> {
    let lengths = from.iter().map(|store| length(&store.db)).collect::<Result<Vec<u64>, _>>()?;
    let longest = lengths.iter().copied().max().unwrap_or(1);
    for (store, length) in from.iter().zip(lengths) {
        let mut query = store
            .db
            .prepare("SELECT span * ?1 / ?2, solver, outcome, calls, wall_us, cpu_us FROM outcomes")?;
        let row = |r: &Row<'_>| {
            let numbers = [r.get(3)?, r.get(4)?, r.get(5)?];
            Ok((r.get::<_, i64>(0)?, r.get::<_, String>(1)?, r.get::<_, String>(2)?, numbers))
        };
        let found = query.query_map([length as i64, longest as i64], row)?;
        for (span, solver, outcome, numbers) in found.collect::<Result<Vec<_>, _>>()? {
            add_outcome(to, span, &solver, &outcome, numbers)?;
        }
    }
    to.execute("INSERT OR REPLACE INTO campaign VALUES ('span_ms', ?1)", [longest.to_string()])?;
    Ok(())
}

/// Keeps an even sample of all samples.
fn add_samples(from: &[Store], to: &Connection) -> Result<(), Error> {
    let mut all: Vec<(u64, Value)> = Vec::new();
    for (i, store) in from.iter().enumerate() {
        for mut row in rows(&store.db, "SELECT slot, times FROM samples ORDER BY slot")? {
            let order = SeedHash::of(format!("{i} {:?}", row[0]).as_bytes()).0;
            all.push((order, row.remove(1)));
        }
    }
    all.sort_by_key(|(order, _)| *order);
    let mut add = to.prepare("INSERT INTO samples VALUES (?1, ?2)")?;
    for (slot, (_, times)) in all.into_iter().take(SAMPLES as usize).enumerate() {
        add.execute(params![slot as i64, times])?;
    }
    Ok(())
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

fn add_findings(from: &[Store], to: &Connection, folder: &Path) -> Result<(), Error> {
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
        add_finding(one, i as i64 + 1, to, folder)?;
    }
    Ok(())
}

/// Adds one finding under a new number, its files first.
fn add_finding(one: &United<'_>, id: i64, to: &Connection, folder: &Path) -> Result<(), Error> {
    let United { store, best, triggers, at } = one;
    let name = Path::new(&best.relative_file).file_name().unwrap_or_default().to_string_lossy().into_owned();
    let file = format!("findings/{id}/{name}");
    let source = store.folder.join(&best.relative_file);
    copy_file(&source, &folder.join(&file))?;
    let story = source.with_extension("json");
    if story.is_file() {
        copy_file(&story, &folder.join(&file).with_extension("json"))?;
    }
    let reduced = match &best.finding.reduced {
        Some(path) => {
            let reduced = format!("findings/{id}/reduced.smt2");
            copy_file(Path::new(path), &folder.join(&reduced))?;
            Value::Text(reduced)
        }
        None => Value::Null,
    };
    let old = best.finding.id.as_str();
    let number = Value::Integer;
    let new = [
        ("id", number(id)),
        ("file", Value::Text(file)),
        ("reduced", reduced),
        ("triggers", number(*triggers as i64)),
        ("at_ms", at.map_or(Value::Null, number)),
    ];
    copy_row(&store.db, to, "findings", "id", old, &new)?;
    copy_row(&store.db, to, "provenance", "finding", old, &[("finding", number(id))])?;
    copy_row(&store.db, to, "triage", "finding", old, &[("finding", number(id)), ("place", number(id))])
}

/// Copies the row of a key, if there is one, with some columns changed.
fn copy_row(
    from: &Connection,
    to: &Connection,
    table: &str,
    key: &str,
    old: &str,
    new: &[(&str, Value)],
) -> Result<(), Error> {
    let mut query = from.prepare_cached(&format!("SELECT * FROM {table} WHERE {key} = ?1"))?;
    let names: Vec<String> = query.column_names().map(str::to_owned).collect();
    let row = |r: &Row<'_>| {
        let value = |(i, name): (usize, &String)| match new.iter().find(|(column, _)| column == name) {
            Some((_, value)) => Ok(value.clone()),
            None => r.get::<_, Value>(i),
        };
        names.iter().enumerate().map(value).collect::<Result<Vec<_>, _>>()
    };
    let marks = vec!["?"; names.len()].join(", ");
    let mut add =
        to.prepare_cached(&format!("INSERT INTO {table} ({}) VALUES ({marks})", names.join(", ")))?;
    for row in query.query_map([old], row)?.collect::<Result<Vec<_>, _>>()? {
        add.execute(rusqlite::params_from_iter(row))?;
    }
    Ok(())
}

fn copy_file(from: &Path, to: &Path) -> Result<(), Error> {
    let copy = || {
        fs::create_dir_all(to.parent().unwrap_or(Path::new(".")))?;
        fs::copy(from, to)
    };
    copy().map(|_| ()).map_err(|e| Error::io(format!("cannot copy {}", from.display()), e))
}
