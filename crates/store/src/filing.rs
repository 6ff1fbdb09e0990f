//! Stores findings under their fingerprints. The smallest confirmed trigger is kept until the finding is examined;
//! after that the trigger stays, because the dossier describes it. A batch takes a few statements, independent of
//! its number of findings.

use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap};

use crate::Error;
use crate::db::{Database, Value, first, values};
use crate::write::{Account, CHUNK, Filed, NewFinding, json, places, put};

/// A finding in columns of the store.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Filing {
    fingerprint: String,
    seen: Option<u32>,
    claim: String,
    number: u64,
    script: Vec<u8>,
    story: String,
    strategy: String,
    options: String,
    files: String,
    rng: String,
    made_from: String,
    steps: String,
    expectations: String,
    certificate: String,
    solvers: String,
    before: Option<Vec<u8>>,
    seeds: Vec<(String, String, Vec<u8>)>,
}

impl Filing {
    /// Whether it failed to repeat in one of three fresh runs.
    fn is_flaky(&self) -> bool {
        self.seen.is_some_and(|n| n < 3)
    }

    #[cfg(feature = "postgres")]
    pub(crate) fn fingerprint(&self) -> &str {
        &self.fingerprint
    }
}

impl From<&NewFinding> for Filing {
    fn from(new: &NewFinding) -> Filing {
        let (claim, p) = (&new.claim, &new.case.provenance);
        Filing {
            fingerprint: claim.key().to_string(),
            seen: new.seen,
            claim: json(claim),
            number: new.number,
            script: new.case.script.clone(),
            story: serde_json::to_string_pretty(&new.story).unwrap_or_default(),
            strategy: p.strategy.clone(),
            options: p.options.clone(),
            files: json(&p.files),
            rng: format!("{:016x}", p.rng),
            made_from: json(&p.seeds),
            steps: json(&p.steps),
            expectations: json(&new.case.expectations),
            certificate: json(&new.case.certificate),
            solvers: json(&new.solvers),
            before: new.case.before.clone(),
            seeds: new.seeds.clone(),
        }
    }
}

/// A row of a finding: as it is stored, and what a batch does to it.
struct Line {
    id: i64,
    /// The size of its script, and the number of its case.
    smallest: (u64, u64),
    file: String,
    flaky: bool,
    examined: bool,
    is_new: bool,
    /// New triggers.
    triggers: u64,
    /// The finding of the batch whose script is kept.
    kept: Option<usize>,
}

/// A fingerprint as a text column has it.
fn print(fingerprint: &str) -> Cow<'_, str> {
    if fingerprint.contains('\0') { fingerprint.replace('\0', "\u{fffd}").into() } else { fingerprint.into() }
}

/// The rows of the fingerprints of a batch, those of confirmed findings first, and where they are by fingerprint.
fn known<'a>(
    db: &mut dyn Database,
    findings: &'a [Filing],
) -> Result<(Vec<Line>, HashMap<Cow<'a, str>, Vec<usize>>), Error> {
    let (mut lines, mut by_print) = (Vec::new(), HashMap::<Cow<'a, str>, Vec<usize>>::new());
    for finding in findings {
        by_print.entry(print(&finding.fingerprint)).or_default();
    }
    let mut prints: Vec<String> = by_print.keys().map(|p| p.clone().into_owned()).collect();
    prints.sort_unstable();
    for prints in prints.chunks(CHUNK) {
        // Few lengths of the list make few statements to prepare.
        let all = prints.len().next_power_of_two();
        let last = prints.last().cloned().unwrap_or_default();
        let list: Vec<Value> =
            prints.iter().cloned().chain(std::iter::repeat(last)).take(all).map(Value::from).collect();
        let sql = format!(
            "SELECT findings.id, findings.bytes, findings.number, findings.file, findings.flaky, findings.fingerprint,
             triage.finding FROM findings LEFT JOIN triage ON triage.finding = findings.id
             WHERE findings.fingerprint IN ({}) ORDER BY findings.flaky",
            places(&mut 0, all)
        );
        for row in db.query(&sql, &list)? {
            let fingerprint: String = row.get(5)?;
            if let Some(of_print) = by_print.get_mut(&*print(&fingerprint)) {
                of_print.push(lines.len());
            }
            lines.push(Line {
                id: row.get(0)?,
                smallest: (row.get(1)?, row.get(2)?),
                file: row.get(3)?,
                flaky: row.get(4)?,
                examined: row.get::<Option<i64>>(6)?.is_some(),
                is_new: false,
                triggers: 0,
                kept: None,
            });
        }
    }
    Ok((lines, by_print))
}

/// Files the findings of a batch; how each was filed. Scripts that smaller ones replaced become obsolete.
pub(crate) fn file(
    db: &mut dyn Database,
    findings: &[Filing],
    at: Option<u64>,
    account: Account,
    obsolete: &mut Vec<String>,
) -> Result<Vec<Filed>, Error> {
    if findings.is_empty() {
        return Ok(Vec::new());
    }
    let (mut lines, mut by_print) = known(db, findings)?;
    let mut next: Option<i64> = None;
    let mut filed = Vec::new();
    for (index, new) in findings.iter().enumerate() {
        let size = (new.script.len() as u64, new.number);
        let flaky = new.is_flaky();
        let of_print = by_print.entry(print(&new.fingerprint)).or_default();
        let fits = |line: &&usize| flaky || !lines[**line].flaky || new.seen.is_none();
        if let Some(line) = of_print.iter().find(fits).copied() {
            let line = &mut lines[line];
            line.triggers += u64::from(account == Account::Counted);
            if line.flaky == flaky && size < line.smallest && new.seen.is_some() && !line.examined {
                (line.smallest, line.kept) = (size, Some(index));
            }
            filed.push(Filed::Known);
            continue;
        }
        let id = match next {
            Some(id) => id,
            // No finding is ever removed.
            None => first(db, "SELECT COALESCE(MAX(id), 0) + 1 FROM findings", &[])?
                .map_or(Ok(1), |row| row.get(0))?,
        };
        next = Some(id + 1);
        // Confirmed ones come first.
        of_print.insert(if flaky { of_print.len() } else { 0 }, lines.len());
        lines.push(Line {
            id,
            smallest: size,
            file: String::new(),
            flaky,
            examined: false,
            is_new: true,
            triggers: u64::from(account == Account::Counted),
            kept: Some(index),
        });
        filed.push(Filed::New(id));
    }
    add_triggers(db, &lines)?;
    keep(db, findings, &lines, at, obsolete)?;
    Ok(filed)
}

/// Counts the triggers of findings that were known.
fn add_triggers(db: &mut dyn Database, lines: &[Line]) -> Result<(), Error> {
    let more: Vec<&Line> = lines.iter().filter(|l| !l.is_new && l.triggers > 0).collect();
    for more in more.chunks(CHUNK) {
        let mut next = 0;
        let mut row = |_: &&Line| {
            next += 2;
            format!("(CAST(?{} AS BIGINT), CAST(?{next} AS BIGINT))", next - 1)
        };
        let rows: Vec<String> = more.iter().map(&mut row).collect();
        let numbers: Vec<Value> = more.iter().flat_map(|l| values![l.id, l.triggers]).collect();
        let sql = format!(
            "UPDATE findings SET triggers = findings.triggers + v.column2 FROM (VALUES {}) AS v
             WHERE findings.id = v.column1",
            rows.join(", ")
        );
        db.execute(&sql, &numbers)?;
    }
    Ok(())
}

/// Keeps the scripts of new findings and those that are smaller than the stored ones, and how they were made.
fn keep(
    db: &mut dyn Database,
    findings: &[Filing],
    lines: &[Line],
    at: Option<u64>,
    obsolete: &mut Vec<String>,
) -> Result<(), Error> {
    let (mut files, mut rows, mut traces) = (Vec::new(), Vec::new(), Vec::new());
    // Each once: a statement changes no row twice.
    let mut seeds: BTreeMap<&str, (&str, &[u8])> = BTreeMap::new();
    for (line, new) in lines.iter().filter_map(|line| Some((line, &findings[line.kept?]))) {
        let id = line.id;
        let mut relative = format!("findings/{id}/case-{}-{}.smt2", new.strategy, new.number);
        if !line.is_new && line.file == relative {
            // The same number, another case: another process ran it after the first one was gone.
            relative =
                format!("findings/{id}/case-{}-{}-{}.smt2", new.strategy, new.number, new.script.len());
        }
        files.push((story_of(&relative), new.story.as_bytes()));
        files.push((relative.clone(), &new.script[..]));
        if !line.is_new && line.file != relative {
            obsolete.extend([story_of(&line.file), line.file.clone()]);
        }
        rows.push(
            values![
                id,
                &new.fingerprint,
                line.flaky,
                new.seen.unwrap_or(0),
                &new.claim,
                &new.strategy,
                &relative,
                line.smallest.0,
                line.triggers,
                new.number,
                at
            ]
            .to_vec(),
        );
        traces.push(
            values![
                id,
                &new.strategy,
                &new.options,
                &new.files,
                &new.rng,
                &new.made_from,
                &new.steps,
                &new.expectations,
                &new.certificate,
                &new.solvers,
                new.before.as_deref()
            ]
            .to_vec(),
        );
        seeds.extend(new.seeds.iter().map(|(hash, name, text)| (&hash[..], (&name[..], &text[..]))));
    }
    db.save_files(&files)?;
    put(
        db,
        "INSERT INTO findings (id, fingerprint, flaky, seen, claim, strategy, file, bytes, triggers, number, at_ms)",
        rows,
        "ON CONFLICT (id) DO UPDATE SET file = excluded.file, bytes = excluded.bytes, strategy = excluded.strategy,
         claim = excluded.claim, number = excluded.number, seen = excluded.seen",
    )?;
    put(
        db,
        "INSERT INTO provenance (finding, strategy, options, files, rng, seeds, steps, expectations, certificate, solvers, before)",
        traces,
        "ON CONFLICT (finding) DO UPDATE SET strategy = excluded.strategy, options = excluded.options,
         files = excluded.files, rng = excluded.rng, seeds = excluded.seeds, steps = excluded.steps,
         expectations = excluded.expectations, certificate = excluded.certificate, solvers = excluded.solvers, before = excluded.before",
    )?;
    put(
        db,
        "INSERT INTO seeds (hash, name, text)",
        seeds.into_iter().map(|(hash, (name, text))| values![hash, name, text].to_vec()).collect(),
        "ON CONFLICT (hash) DO UPDATE SET text = COALESCE(seeds.text, excluded.text)",
    )
}

/// The name of a script's story.
pub(crate) fn story_of(script: &str) -> String {
    format!("{}.json", script.strip_suffix(".smt2").unwrap_or(script))
}
