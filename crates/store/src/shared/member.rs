//! A process that takes part in a shared campaign: its leases, its deliveries, and its heartbeat.
//!
//! Each delivery and each request for news is a heartbeat and renews all leases of the process. If a process has no
//! heartbeat for the lease time, another process declares it dead; but only a process that was itself in contact
//! with the database for all that time may do so. So if the database was unreachable for everyone, every process
//! has the lease time to come back. The unfinished numbers of a dead process are given out again, and its later
//! deliveries are not counted. Both happen under a lock of its row, so a case counts once. Only the clock of the
//! database is used.

use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use super::{Address, Delivery};
use crate::db::{Database, Row, Value, first, values};
use crate::write::{Account, CHUNK, places, put};
use crate::{Arm, Counts, Error, ErrorKind, Filed, Store, Stored, Sums, Triaged};

/// The state of a range that a process holds.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Progress {
    /// Which numbers: the cases of the campaign, or those of a way.
    pub stream: String,
    /// The first number.
    pub first: u64,
    /// The first number behind it.
    pub past: u64,
    /// All numbers below are done.
    pub low: u64,
    /// Numbers above that are done.
    pub done: BTreeSet<u64>,
}

/// What happened to a delivery.
#[derive(Clone, Debug)]
pub enum Receipt {
    /// It was written; how each of its findings was filed.
    Taken(Vec<Filed>),
    /// It had arrived before.
    Known,
    /// The process was gone: others run its cases again. Only findings were kept.
    Lost(Vec<Filed>),
}

/// The answer to a process that wants numbers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Leased {
    /// A range, new or of a process that is gone.
    Range(Progress),
    /// All numbers are given out, but not all are done.
    Wait,
    /// All numbers are done.
    Over,
    /// The process itself was declared gone: it must join again.
    Gone,
}

/// How long a process keeps its leases without being seen.
#[derive(Clone, Copy, Debug)]
pub struct Lease(pub Duration);

/// What others found and learned.
#[derive(Clone, Debug, Default)]
pub struct News {
    /// Whether this process was declared gone.
    pub gone: bool,
    /// Findings that are new since the last question.
    pub findings: Vec<Stored>,
    /// The scheduler's counts of all processes together; only what was asked for.
    pub counts: Vec<(Arm, Sums)>,
}

/// Which counts of the scheduler a process wants to hear of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Hear {
    /// None: it does not learn.
    Nothing,
    /// Those of strategies and their ways.
    Ways,
    /// Those of seeds too, which may be many.
    All,
}

/// A finding to examine.
#[derive(Clone, Debug)]
pub struct Wanted {
    /// Its number.
    pub finding: String,
}

/// An id that no other process has.
pub fn new_id() -> String {
    let time = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap_or_default();
    let random = std::collections::hash_map::RandomState::new();
    let random = std::hash::BuildHasher::hash_one(&random, time.as_nanos());
    format!("{:x}-{:x}-{random:016x}", time.as_secs(), std::process::id())
}

/// The name of this machine.
pub fn host() -> String {
    let name = std::fs::read_to_string("/proc/sys/kernel/hostname").unwrap_or_default();
    if name.trim().is_empty() { "unknown".to_owned() } else { name.trim().to_owned() }
}

/// A process that takes part.
#[derive(Debug)]
pub struct Member {
    address: Address,
    /// `None` while the database is unreachable.
    store: Option<Store>,
    id: String,
    lease_ms: u64,
    last_finding: i64,
}

impl Member {
    /// Joins a campaign under a new id.
    pub fn join(
        address: &Address,
        id: &str,
        host: &str,
        smelt: &str,
        solvers: &str,
    ) -> Result<Member, Error> {
        let store = Store::open_shared(address)?;
        let lease = store.value("lease_ms")?.and_then(|v| v.parse().ok()).unwrap_or(180_000);
        let mut member = Member {
            address: address.clone(),
            store: Some(store),
            id: id.to_owned(),
            lease_ms: lease,
            last_finding: 0,
        };
        member.with(|_, db| {
            db.execute(
                "INSERT INTO machines (id, host, smelt, solvers) VALUES (?1, ?2, ?3, ?4)",
                &values![id, host, smelt, solvers],
            )
        })?;
        Ok(member)
    }

    /// Another connection of a process that has joined.
    pub fn known(address: &Address, id: &str) -> Member {
        Member {
            address: address.clone(),
            store: None,
            id: id.to_owned(),
            lease_ms: 0,
            last_finding: i64::MAX,
        }
    }

    /// Stores the dossier of a finding.
    pub fn note(&mut self, triaged: Triaged) -> Result<(), Error> {
        let noted = self.store()?.note(triaged);
        if noted.is_err() {
            self.store = None;
        }
        noted
    }

    /// Its id.
    pub fn id(&self) -> &str {
        &self.id
    }

    /// How long leases last.
    pub fn lease(&self) -> Lease {
        Lease(Duration::from_millis(self.lease_ms))
    }

    /// The store, connected again if need be.
    pub fn store(&mut self) -> Result<&mut Store, Error> {
        if self.store.is_none() {
            self.store = Some(Store::open_shared(&self.address)?);
        }
        self.store.as_mut().ok_or_else(|| Error::new(ErrorKind::Away, "the shared store is unreachable"))
    }

    /// Does something with the store; after a failure the next one connects again.
    fn with<T>(
        &mut self,
        work: impl FnOnce(&Member, &mut dyn Database) -> Result<T, Error>,
    ) -> Result<T, Error> {
        self.store()?;
        let Some(mut store) = self.store.take() else { return Err(Error::new(ErrorKind::Away, "away")) };
        let done = work(self, &mut **store.db.get_mut());
        match &done {
            Ok(_) => self.store = Some(store),
            // The lock was held for long. To connect anew would make those who hold it slower still.
            Err(e) if e.kind() == ErrorKind::Away && store.db.get_mut().is_answering() => {
                store.db.get_mut().roll_back();
                self.store = Some(store);
            }
            Err(_) => {}
        }
        done
    }

    fn within<T>(
        &mut self,
        work: impl FnOnce(&Member, &mut dyn Database) -> Result<T, Error>,
    ) -> Result<T, Error> {
        self.with(|member, db| {
            db.begin()?;
            let done = work(member, db)?;
            db.commit()?;
            Ok(done)
        })
    }

    /// Delivers results, in one transaction: all of it or nothing, and never twice.
    pub fn deliver(&mut self, delivery: &Delivery) -> Result<Receipt, Error> {
        self.within(|member, db| {
            let mut obsolete = Vec::new();
            let row = first(
                db,
                "UPDATE machines SET delivered = ?2, cases = cases + ?3, seen = now(),
                 steady = CASE WHEN seen < now() - CAST(?4 AS BIGINT) * interval '1 millisecond' THEN now() ELSE steady END
                 WHERE id = ?1 AND NOT gone AND delivered = CAST(?2 AS BIGINT) - 1
                 RETURNING CAST(EXTRACT(EPOCH FROM now() - (SELECT MIN(joined) FROM machines)) * 1000 AS BIGINT)",
                &values![&delivery.machine, delivery.number, delivery.cases, member.lease_ms / 2],
            )?;
            let mut parcel = delivery.parcel.clone();
            let Some(row) = row else {
                let row = first(
                    db,
                    "SELECT gone, delivered FROM machines WHERE id = ?1",
                    &values![&delivery.machine],
                )?;
                let row = row.map(|row| Ok::<_, Error>((row.get::<bool>(0)?, row.get::<u64>(1)?))).transpose()?;
                if row.is_some_and(|(gone, last)| !gone && last >= delivery.number) {
                    return Ok(Receipt::Known);
                }
                let filed = parcel.put(db, Account::Lost, &mut obsolete)?;
                db.remove_files(&obsolete)?;
                return Ok(Receipt::Lost(filed));
            };
            parcel.at_ms = Some(row.get(0)?);
            progress(db, &delivery.machine, &delivery.progress)?;
            learned(db, delivery)?;
            sightings(db, delivery)?;
            let filed = parcel.put(db, Account::Counted, &mut obsolete)?;
            db.remove_files(&obsolete)?;
            Ok(Receipt::Taken(filed))
        })
    }

    /// Leases numbers: those of a process that is gone first, else `want` new ones, up to `end`.
    pub fn take_range(&mut self, stream: &str, want: u64, end: Option<u64>) -> Result<Leased, Error> {
        self.within(|member, db| {
            if !renew(db, member)? {
                return Ok(Leased::Gone);
            }
            bury(db, member)?;
            let left = first(
                db,
                "UPDATE ranges SET holder = ?1 WHERE stream = ?2 AND first = (
                     SELECT MIN(r.first) FROM ranges r JOIN machines m ON m.id = r.holder
                     WHERE r.stream = ?2 AND m.gone)
                 RETURNING stream, first, past, low, done",
                &values![&member.id, stream],
            )?;
            if let Some(row) = left {
                return Ok(Leased::Range(range_of(&row)?));
            }
            let row = first(db, "SELECT next FROM streams WHERE stream = ?1", &values![stream])?;
            let next: u64 = row.map_or(Ok(0), |row| row.get(0))?;
            let past = next.saturating_add(want.max(1)).min(end.unwrap_or(u64::MAX));
            if past <= next {
                let open = first(db, "SELECT first FROM ranges WHERE stream = ?1 LIMIT 1", &values![stream])?;
                return Ok(if open.is_some() { Leased::Wait } else { Leased::Over });
            }
            put(
                db,
                "INSERT INTO streams (stream, next)",
                vec![values![stream, past].to_vec()],
                "ON CONFLICT (stream) DO UPDATE SET next = excluded.next",
            )?;
            db.execute(
                "INSERT INTO ranges (stream, first, past, low, done, holder) VALUES (?1, ?2, ?3, ?2, '[]', ?4)",
                &values![stream, next, past, &member.id],
            )?;
            let (stream, done) = (stream.to_owned(), BTreeSet::new());
            Ok(Leased::Range(Progress { stream, first: next, past, low: next, done }))
        })
    }

    /// Leases numbers of many streams that have no end, each with how many: those of a process that is gone first. A few
    /// statements, however many streams. `None` if the process itself was declared gone.
    pub fn take_ranges(&mut self, wants: &[(&str, u64)]) -> Result<Option<Vec<Progress>>, Error> {
        self.within(|member, db| {
            if !renew(db, member)? {
                return Ok(None);
            }
            bury(db, member)?;
            let mut list = values![&member.id].to_vec();
            list.extend(wants.iter().map(|(stream, _)| Value::from(*stream)));
            let sql = format!(
                "UPDATE ranges SET holder = ?1 WHERE (stream, first) IN (
                     SELECT r.stream, MIN(r.first) FROM ranges r JOIN machines m ON m.id = r.holder
                     WHERE r.stream IN ({}) AND m.gone GROUP BY r.stream)
                 RETURNING stream, first, past, low, done",
                places(&mut 1, wants.len())
            );
            let left = db.query(&sql, &list)?;
            let mut ranges = left.iter().map(range_of).collect::<Result<Vec<_>, _>>()?;
            let is_open = |want: &&(&str, u64)| ranges.iter().all(|r| r.stream != want.0);
            let open: Vec<&(&str, u64)> = wants.iter().filter(is_open).collect();
            if !open.is_empty() {
                let row = |i: usize| format!("(CAST(?{} AS TEXT), CAST(?{} AS BIGINT))", 2 * i + 2, 2 * i + 3);
                let rows: Vec<String> = (0..open.len()).map(row).collect();
                let mut list = values![&member.id].to_vec();
                list.extend(open.iter().flat_map(|(stream, count)| values![*stream, *count]));
                let sql = format!(
                    "WITH want (stream, n) AS (VALUES {}), given AS (
                         INSERT INTO streams (stream, next) SELECT stream, n FROM want
                         ON CONFLICT (stream) DO UPDATE SET next = streams.next + excluded.next RETURNING stream, next)
                     INSERT INTO ranges (stream, first, past, low, done, holder)
                     SELECT given.stream, given.next - n, given.next, given.next - n, '[]', CAST(?1 AS TEXT)
                     FROM given JOIN want ON want.stream = given.stream
                     RETURNING stream, first, past, low, done",
                    rows.join(", ")
                );
                for row in db.query(&sql, &list)? {
                    ranges.push(range_of(&row)?);
                }
            }
            Ok(Some(ranges))
        })
    }

    /// The ranges that the store says this process holds.
    pub fn held(&mut self) -> Result<Vec<Progress>, Error> {
        self.with(|member, db| {
            let sql = "SELECT stream, first, past, low, done FROM ranges WHERE holder = ?1";
            db.query(sql, &values![&member.id])?.iter().map(range_of).collect()
        })
    }

    /// Renews the leases, and asks what others found and learned since the last time.
    pub fn news(&mut self, hear: Hear) -> Result<News, Error> {
        let (seen, counts) = self.with(|member, db| renew_and_hear(db, member, hear))?;
        let last = self.last_finding;
        let findings = self.store()?.stored_after(last).inspect_err(|_| self.store = None)?;
        if let Some(id) = findings.last().and_then(|s| s.finding.id.parse().ok()) {
            self.last_finding = id;
        }
        Ok(News { gone: !seen, findings, counts })
    }

    /// Findings that were filed just now, by their numbers.
    pub fn findings(&mut self, ids: &[i64]) -> Result<Vec<Stored>, Error> {
        let Some(least) = ids.iter().min() else { return Ok(Vec::new()) };
        let all = self.store()?.stored_after(least - 1).inspect_err(|_| self.store = None)?;
        let is_wanted = |s: &Stored| s.finding.id.parse().is_ok_and(|id| ids.contains(&id));
        Ok(all.into_iter().filter(is_wanted).collect())
    }

    /// Takes a finding that no process examines.
    pub fn wanted(&mut self) -> Result<Option<Wanted>, Error> {
        self.with(|member, db| {
            let row = first(
                db,
                "WITH due AS (
                     SELECT f.id FROM findings f LEFT JOIN triage t ON t.finding = f.id
                     LEFT JOIN jobs j ON j.finding = f.id LEFT JOIN machines m ON m.id = j.holder
                     WHERE f.flaky = 0 AND t.finding IS NULL
                     AND (j.finding IS NULL OR (j.tries < 3 AND (m.id IS NULL OR m.gone)))
                     ORDER BY COALESCE(j.tries, 0), f.bytes, f.id LIMIT 1 FOR UPDATE OF f SKIP LOCKED)
                 INSERT INTO jobs (finding, holder, tries) SELECT id, ?1, 1 FROM due
                 ON CONFLICT (finding) DO UPDATE SET holder = excluded.holder, tries = jobs.tries + 1
                 WHERE NOT EXISTS (SELECT 1 FROM machines m WHERE m.id = jobs.holder AND NOT m.gone)
                 RETURNING finding",
                &values![&member.id],
            )?;
            row.map(|row| Ok(Wanted { finding: row.get::<i64>(0)?.to_string() })).transpose()
        })
    }

    /// Gives a finding back: a smaller script took its place while it was examined.
    pub fn give_back(&mut self, finding: &str) -> Result<(), Error> {
        let Ok(number) = finding.parse::<i64>() else { return Ok(()) };
        self.with(|_, db| {
            db.execute("UPDATE jobs SET holder = '', tries = 0 WHERE finding = ?1", &values![number])
        })
        .map(drop)
    }

    /// Leaves: others take what is left of its ranges at once.
    pub fn leave(&mut self) -> Result<(), Error> {
        self.within(|member, db| {
            db.execute("UPDATE machines SET gone = true WHERE id = ?1", &values![&member.id])
        })
        .map(drop)
    }
}

/// Declares processes gone that were not seen for too long, if this one was in touch all that time.
fn bury(db: &mut dyn Database, member: &Member) -> Result<(), Error> {
    db.execute(
        "UPDATE machines SET gone = true WHERE NOT gone AND seen < now() - CAST(?2 AS BIGINT) * interval '1 millisecond'
         AND (SELECT me.steady FROM machines me WHERE me.id = ?1) < now() - CAST(?2 AS BIGINT) * interval '1 millisecond'",
        &values![&member.id, member.lease_ms],
    )
    .map(drop)
}

/// A range, from its stream, first, past, low and done.
fn range_of(row: &Row) -> Result<Progress, Error> {
    let done: String = row.get(4)?;
    Ok(Progress {
        stream: row.get(0)?,
        first: row.get(1)?,
        past: row.get(2)?,
        low: row.get(3)?,
        done: serde_json::from_str(&done).unwrap_or_default(),
    })
}

/// Renews all leases of a process that is not gone.
const RENEW: &str = "UPDATE machines SET seen = now(),
    steady = CASE WHEN seen < now() - CAST(?2 AS BIGINT) * interval '1 millisecond' THEN now() ELSE steady END
    WHERE id = ?1 AND NOT gone";

/// Renews all leases of a process; false if it was declared gone.
fn renew(db: &mut dyn Database, member: &Member) -> Result<bool, Error> {
    Ok(db.execute(RENEW, &values![&member.id, member.lease_ms / 2])? > 0)
}

/// Renews all leases of a process, and reads what all processes counted: one statement.
fn renew_and_hear(
    db: &mut dyn Database,
    member: &Member,
    hear: Hear,
) -> Result<(bool, Vec<(Arm, Sums)>), Error> {
    let mut sql =
        format!("WITH me AS ({RENEW} RETURNING 1) SELECT 'me', '', (SELECT COUNT(*) FROM me), 0, 0, 0");
    if hear != Hear::Nothing {
        sql += " UNION ALL SELECT 'strategy', strategy, tests, useful, found, cost_ms FROM tests
             UNION ALL SELECT 'way', way, tests, useful, found, cost_ms FROM ways";
    }
    if hear == Hear::All {
        sql += " UNION ALL SELECT 'seed', hash, tests, useful, found, cost_ms FROM seeds WHERE tests > 0";
    }
    let (mut seen, mut counts) = (false, Vec::new());
    for row in db.query(&sql, &values![&member.id, member.lease_ms / 2])? {
        let (what, name) = (row.get::<String>(0)?, row.get::<String>(1)?);
        let sums: Sums = [row.get(2)?, row.get(3)?, row.get(4)?, row.get(5)?];
        match what.as_str() {
            "me" => seen = sums[0] > 0,
            "strategy" => counts.push((Arm::Strategy(name), sums)),
            "way" => counts.push((Arm::Way(name), sums)),
            _ => counts.push((Arm::Seed(name), sums)),
        }
    }
    Ok((seen, counts))
}

/// Notes which numbers are done: two statements, however many ranges. The process is not gone, so all its ranges are its own.
fn progress(db: &mut dyn Database, machine: &str, all: &[Progress]) -> Result<(), Error> {
    let (over, open): (Vec<&Progress>, Vec<&Progress>) = all.iter().partition(|p| p.low >= p.past);
    for over in over.chunks(CHUNK) {
        let mut next = 1;
        let rows: Vec<String> = over.iter().map(|_| format!("({})", places(&mut next, 2))).collect();
        let mut list = values![machine].to_vec();
        list.extend(over.iter().flat_map(|p| values![&p.stream, p.first]));
        let rows = rows.join(", ");
        db.execute(&format!("DELETE FROM ranges WHERE holder = ?1 AND (stream, first) IN ({rows})"), &list)?;
    }
    for open in open.chunks(CHUNK) {
        let mut list = values![machine].to_vec();
        let mut row = |p: &&Progress| {
            let at = list.len() + 1;
            let done = serde_json::to_string(&p.done).unwrap_or_default();
            list.extend(values![&p.stream, p.first, p.low, done]);
            let [first, low] = [at + 1, at + 2].map(|n| format!("CAST(?{n} AS BIGINT)"));
            format!("(?{at}, {first}, {low}, ?{})", at + 3)
        };
        let rows: Vec<String> = open.iter().map(&mut row).collect();
        let sql = format!(
            "UPDATE ranges SET low = v.low, done = v.done FROM (VALUES {}) AS v (stream, first, low, done)
             WHERE ranges.holder = ?1 AND ranges.stream = v.stream AND ranges.first = v.first",
            rows.join(", ")
        );
        db.execute(&sql, &list)?;
    }
    Ok(())
}

/// Adds what was learned of ways and of sizes.
fn learned(db: &mut dyn Database, delivery: &Delivery) -> Result<(), Error> {
    let row = |(way, [tests, useful, found, cost]): &(String, Counts)| {
        values![way, *tests, *useful, *found, *cost].to_vec()
    };
    put(
        db,
        "INSERT INTO ways (way, tests, useful, found, cost_ms)",
        delivery.ways.iter().map(row).collect(),
        "ON CONFLICT (way) DO UPDATE SET tests = ways.tests + excluded.tests, useful = ways.useful + excluded.useful,
         found = ways.found + excluded.found, cost_ms = ways.cost_ms + excluded.cost_ms",
    )?;
    let row = |(way, size, solver, [asked, decided]): &(String, u64, String, [u64; 2])| {
        values![way, *size, solver, *asked, *decided].to_vec()
    };
    put(
        db,
        "INSERT INTO sizes (way, size, solver, asked, decided)",
        delivery.sizes.iter().map(row).collect(),
        "ON CONFLICT (way, size, solver) DO UPDATE SET asked = sizes.asked + excluded.asked,
         decided = sizes.decided + excluded.decided",
    )
}

/// Counts which versions showed the findings of a delivery.
fn sightings(db: &mut dyn Database, delivery: &Delivery) -> Result<(), Error> {
    let mut counts: BTreeMap<&str, u64> = BTreeMap::new();
    for finding in &delivery.parcel.findings {
        *counts.entry(finding.fingerprint()).or_default() += 1;
    }
    let row = |(print, n): (&str, u64)| values![print, &delivery.smelt, &delivery.solvers, n].to_vec();
    put(
        db,
        "INSERT INTO sightings (fingerprint, smelt, solvers, triggers)",
        counts.into_iter().map(row).collect(),
        "ON CONFLICT (fingerprint, smelt, solvers) DO UPDATE SET triggers = sightings.triggers + excluded.triggers",
    )
}
