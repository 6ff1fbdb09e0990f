//! The course of a campaign in bounded space: outcomes by span of time, tests by logic, and an even sample of all tests.
//!
//! However long a campaign runs, there are at most [`SPANS`] spans and [`SAMPLES`] samples.

use rusqlite::{Connection, OptionalExtension, Row, params};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::time::Duration;

use crate::{Batch, Error, Store};

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

/// Adds what a batch has of the course of its campaign.
pub(crate) fn add(db: &Connection, batch: &Batch) -> Result<(), Error> {
    if !batch.outcomes.is_empty() {
        let span = span(db, batch.at.unwrap_or_default())? as i64;
        for ((solver, outcome), numbers) in &batch.outcomes {
            add_outcome(db, span, solver, outcome.as_str(), numbers.map(|n| n as i64))?;
        }
    }
    let mut add = db.prepare_cached(
        "INSERT INTO logics VALUES (?1, ?2, ?3, ?4) ON CONFLICT (logic) DO UPDATE SET tests = tests + excluded.tests,
         calls = calls + excluded.calls, answered = answered + excluded.answered",
    )?;
    for (logic, counts) in &batch.logics {
        let [tests, calls, answered] = counts.map(|n| n as i64);
        add.execute(params![logic, tests, calls, answered])?;
    }
    let mut set = db.prepare_cached("INSERT OR REPLACE INTO samples VALUES (?1, ?2)")?;
    for (slot, times) in &batch.samples {
        set.execute(params![*slot as i64, serde_json::to_string(times).unwrap_or_default()])?;
    }
    Ok(())
}

pub(crate) fn add_outcome(
    db: &Connection,
    span: i64,
    solver: &str,
    outcome: &str,
    [calls, wall, cpu]: [i64; 3],
) -> Result<(), Error> {
    let mut add = db.prepare_cached(
        "INSERT INTO outcomes VALUES (?1, ?2, ?3, ?4, ?5, ?6) ON CONFLICT (span, solver, outcome) DO UPDATE SET
         calls = calls + excluded.calls, wall_us = wall_us + excluded.wall_us, cpu_us = cpu_us + excluded.cpu_us",
    )?;
    add.execute(params![span, solver, outcome, calls, wall, cpu])?;
    Ok(())
}

pub(crate) fn length(db: &Connection) -> Result<u64, Error> {
    let stored: Option<String> =
        db.query_row("SELECT value FROM campaign WHERE key = 'span_ms'", [], |r| r.get(0)).optional()?;
    Ok(stored.and_then(|v| v.parse().ok()).filter(|ms| *ms > 0).unwrap_or(FIRST_MS))
}

/// The span of a moment; if it is beyond the last one, spans become longer.
fn span(db: &Connection, at: Duration) -> Result<u64, Error> {
    let (at, mut ms) = (at.as_millis() as u64, length(db)?);
    let mut factor = 1;
    while at / ms >= SPANS {
        ms *= 2;
        factor *= 2;
    }
    if factor > 1 {
        let mut query =
            db.prepare("SELECT span / ?1, solver, outcome, SUM(calls), SUM(wall_us), SUM(cpu_us) FROM outcomes GROUP BY 1, 2, 3")?;
        let row = |r: &Row<'_>| {
            Ok((
                r.get::<_, i64>(0)?,
                r.get::<_, String>(1)?,
                r.get::<_, String>(2)?,
                [r.get(3)?, r.get(4)?, r.get(5)?],
            ))
        };
        let rows = query.query_map([factor], row)?.collect::<Result<Vec<_>, _>>()?;
        db.execute("DELETE FROM outcomes", [])?;
        for (span, solver, outcome, numbers) in rows {
            add_outcome(db, span, &solver, &outcome, numbers)?;
        }
        db.execute("INSERT OR REPLACE INTO campaign VALUES ('span_ms', ?1)", [ms.to_string()])?;
    }
    Ok(at / ms)
}

fn number(row: &Row<'_>, column: usize) -> rusqlite::Result<u64> {
    row.get::<_, i64>(column).map(|n| n as u64)
}

impl Store {
    /// Calls by solver and outcome: number, wall and CPU time in microseconds.
    pub fn outcomes(&self) -> Result<BTreeMap<(String, String), [u64; 3]>, Error> {
        let mut query = self.db.prepare(
            "SELECT solver, outcome, SUM(calls), SUM(wall_us), SUM(cpu_us) FROM outcomes GROUP BY 1, 2",
        )?;
        let rows = query
            .query_map([], |r| Ok(((r.get(0)?, r.get(1)?), [number(r, 2)?, number(r, 3)?, number(r, 4)?])))?;
        Ok(rows.collect::<Result<_, _>>()?)
    }

    /// Calls by span of time, solver and outcome.
    pub fn spans(&self) -> Result<Spans, Error> {
        let mut query = self.db.prepare("SELECT span, solver, outcome, calls FROM outcomes")?;
        let rows = query.query_map([], |r| Ok(((number(r, 0)?, r.get(1)?, r.get(2)?), number(r, 3)?)))?;
        let calls = rows.collect::<Result<_, _>>()?;
        Ok(Spans { length: Duration::from_millis(length(&self.db)?), calls })
    }

    /// Tests by logic.
    pub fn logics(&self) -> Result<BTreeMap<String, LogicCounts>, Error> {
        let mut query = self.db.prepare("SELECT logic, tests, calls, answered FROM logics")?;
        let rows = query.query_map([], |r| Ok((r.get(0)?, [number(r, 1)?, number(r, 2)?, number(r, 3)?])))?;
        Ok(rows.collect::<Result<_, _>>()?)
    }

    /// An even sample of all tests: what each solver did.
    pub fn samples(&self) -> Result<Vec<BTreeMap<String, Answer>>, Error> {
        let mut query = self.db.prepare("SELECT times FROM samples ORDER BY slot")?;
        let texts = query.query_map([], |r| r.get::<_, String>(0))?.collect::<Result<Vec<_>, _>>()?;
        Ok(texts.iter().filter_map(|t| serde_json::from_str(t).ok()).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
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
