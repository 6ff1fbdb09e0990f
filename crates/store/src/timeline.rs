//! The course of a campaign in bounded space: outcomes by span of time, tests by logic, and an even sample of all
//! tests.
//!
//! However long a campaign runs, there are at most [`SPANS`] spans and [`SAMPLES`] samples.

use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::time::Duration;

use crate::columns::OUTCOMES;
use crate::db::{Database, Row, Value, first, values};
use crate::read::{count, sound};
use crate::write::{Parcel, put};
use crate::{Error, Store};

/// At most this many spans of time.
const SPANS: u64 = 120;
/// The length of the first spans, in milliseconds.
const FIRST_MS: u64 = 1000;
/// At most this many samples.
pub const SAMPLES: u64 = 2000;

/// Tests of one logic, their solver calls, and the calls that were answered with sat or unsat.
pub type LogicCounts = [u64; 3];

/// What a solver did with a sampled test.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Answer {
    /// The outcome.
    pub outcome: String,
    /// Wall time in microseconds.
    pub wall_us: u64,
}

/// Solver calls by span of time.
#[derive(Clone, Debug, Default)]
pub struct Spans {
    /// The length of a span.
    pub length: Duration,
    /// By span, solver and outcome: how many calls.
    pub calls: BTreeMap<(u64, String, String), u64>,
}

/// Adds what a parcel has of the course of its campaign.
pub(crate) fn add(db: &mut dyn Database, parcel: &Parcel, at: Duration) -> Result<(), Error> {
    if !parcel.outcomes.is_empty() {
        let span = span(db, at)?;
        let row = |(solver, outcome, numbers): &(String, String, [u64; 3])| {
            let [calls, wall, cpu] = *numbers;
            values![span, solver, outcome, calls, wall, cpu].to_vec()
        };
        add_outcomes(db, parcel.outcomes.iter().map(row).collect())?;
    }
    let row = |(logic, counts): &(String, LogicCounts)| {
        let [tests, calls, answered] = *counts;
        values![logic, tests, calls, answered].to_vec()
    };
    put(
        db,
        "INSERT INTO logics (logic, tests, calls, answered)",
        parcel.logics.iter().map(row).collect(),
        "ON CONFLICT (logic) DO UPDATE SET tests = logics.tests + excluded.tests,
         calls = logics.calls + excluded.calls, answered = logics.answered + excluded.answered",
    )?;
    put(
        db,
        "INSERT INTO samples (slot, times)",
        parcel.samples.iter().map(|(slot, times)| values![*slot, times].to_vec()).collect(),
        "ON CONFLICT (slot) DO UPDATE SET times = excluded.times",
    )
}

pub(crate) fn add_outcomes(db: &mut dyn Database, rows: Vec<Vec<Value>>) -> Result<(), Error> {
    put(
        db,
        "INSERT INTO outcomes (span, solver, outcome, calls, wall_us, cpu_us)",
        rows,
        "ON CONFLICT (span, solver, outcome) DO UPDATE SET calls = outcomes.calls + excluded.calls,
         wall_us = outcomes.wall_us + excluded.wall_us, cpu_us = outcomes.cpu_us + excluded.cpu_us",
    )
}

/// Rows of the table of outcomes: span, solver and outcome, and three numbers.
fn cells(rows: &[Row]) -> Result<Vec<(u64, (String, String), [u64; 3])>, Error> {
    sound(rows, |r| Ok((r.get(0)?, (r.get(1)?, r.get(2)?), [count(r, 3)?, count(r, 4)?, count(r, 5)?])))
}

fn add_up(sum: &mut [u64; 3], more: [u64; 3]) {
    sum.iter_mut().zip(more).for_each(|(sum, n)| *sum = sum.saturating_add(n));
}

pub(crate) fn length(db: &mut dyn Database) -> Result<u64, Error> {
    let row = first(db, "SELECT value FROM campaign WHERE key = 'span_ms'", &[])?;
    let stored = row.and_then(|row| row.get::<String>(0).ok());
    Ok(stored.and_then(|v| v.parse().ok()).filter(|ms| *ms > 0).unwrap_or(FIRST_MS))
}

/// The span of a moment; if it is beyond the last one, spans become longer.
fn span(db: &mut dyn Database, at: Duration) -> Result<u64, Error> {
    let (at, mut ms) = (at.as_millis() as u64, length(db)?);
    let mut factor: u64 = 1;
    while at / ms >= SPANS {
        ms *= 2;
        factor *= 2;
    }
    if factor > 1 {
        let rows = db.query(&format!("SELECT {} FROM outcomes", OUTCOMES.list()), &[])?;
        let mut sums: BTreeMap<_, [u64; 3]> = BTreeMap::new();
        for (span, key, numbers) in cells(&rows)? {
            add_up(sums.entry((span / factor, key)).or_default(), numbers);
        }
        db.execute("DELETE FROM outcomes", &[])?;
        let row = |((span, (solver, outcome)), [calls, wall, cpu]): ((u64, (String, String)), [u64; 3])| {
            values![span, solver, outcome, calls, wall, cpu].to_vec()
        };
        add_outcomes(db, sums.into_iter().map(row).collect())?;
        put(
            db,
            "INSERT INTO campaign (key, value)",
            vec![values!["span_ms", ms.to_string()].to_vec()],
            "ON CONFLICT (key) DO UPDATE SET value = excluded.value",
        )?;
    }
    Ok(at / ms)
}

impl Store {
    /// Calls by solver and outcome: number, wall and CPU time in microseconds.
    pub fn outcomes(&self) -> Result<BTreeMap<(String, String), [u64; 3]>, Error> {
        let rows = self.query(&format!("SELECT {} FROM outcomes", OUTCOMES.list()), &[])?;
        let mut sums: BTreeMap<_, [u64; 3]> = BTreeMap::new();
        for (_, key, numbers) in cells(&rows)? {
            add_up(sums.entry(key).or_default(), numbers);
        }
        Ok(sums)
    }

    /// Calls by span of time, solver and outcome.
    pub fn spans(&self) -> Result<Spans, Error> {
        let rows = self.query("SELECT span, solver, outcome, calls FROM outcomes", &[])?;
        let calls = sound(&rows, |r| Ok(((r.get(0)?, r.get(1)?, r.get(2)?), count(r, 3)?)))?;
        Ok(Spans { length: Duration::from_millis(length(&mut **self.db.borrow_mut())?), calls })
    }

    /// Tests by logic.
    pub fn logics(&self) -> Result<BTreeMap<String, LogicCounts>, Error> {
        let rows = self.query("SELECT logic, tests, calls, answered FROM logics", &[])?;
        sound(&rows, |r| Ok((r.get(0)?, [count(r, 1)?, count(r, 2)?, count(r, 3)?])))
    }

    /// An even sample of all tests: what each solver did.
    pub fn samples(&self) -> Result<Vec<BTreeMap<String, Answer>>, Error> {
        let rows = self.query("SELECT times FROM samples ORDER BY slot", &[])?;
        let texts = rows.iter().filter_map(|r| r.get::<String>(0).ok());
        Ok(texts.filter_map(|t| serde_json::from_str(&t).ok()).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Batch;
    use smelt_core::OutcomeKind;

    #[test]
    fn however_long_a_campaign_is_its_course_stays_small_and_no_call_is_lost() {
        let path = std::env::temp_dir().join(format!("smelt-timeline-{}", std::process::id()));
        let _ = std::fs::remove_dir_all(&path);
        let mut store = Store::create(&path).unwrap();
        for minute in 0..300 {
            let outcomes = [(("a".to_owned(), OutcomeKind::Sat), [2, 10, 5])].into_iter().collect();
            let logics = [("QF_BV".to_owned(), [1, 2, 1])].into_iter().collect();
            let answer = Answer { outcome: "sat".into(), wall_us: 10 };
            let samples = vec![(minute % 7, [("a".to_owned(), answer)].into_iter().collect())];
            let at = Some(Duration::from_secs(60 * minute));
            store.write(&Batch { at, outcomes, logics, samples, ..Batch::default() }).unwrap();
        }
        assert_eq!(store.outcomes().unwrap()[&("a".to_owned(), "sat".to_owned())], [600, 3000, 1500]);
        let spans = store.spans().unwrap();
        assert!(spans.calls.len() as u64 <= SPANS && spans.calls.len() > 30, "{}", spans.calls.len());
        assert_eq!(spans.calls.values().sum::<u64>(), 600);
        assert!(spans.length >= Duration::from_secs(60 * 300 / SPANS));
        assert_eq!(store.logics().unwrap()["QF_BV"], [300, 600, 300]);
        assert_eq!(store.samples().unwrap().len(), 7);
        std::fs::remove_dir_all(path).unwrap();
    }
}
