//! The spool: deliveries to a shared store, saved on this machine's disk until they have arrived.
//!
//! Each delivery is a file in a folder of its process. If the process is killed, it leaves only complete files, and
//! the next process on this machine delivers them. The store takes each delivery once: it knows the number of the
//! last delivery of each process.

use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::time::Duration;

use super::member::Progress;
use crate::write::{Parcel, write_whole};
use crate::{Arm, Batch, Counts, Error, Sums};

/// Results of some cases, and which numbers they finish.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Delivery {
    /// The process.
    pub machine: String,
    /// Counted from 1.
    pub number: u64,
    /// How many numbers it finishes.
    pub cases: u64,
    /// The version of smelt.
    pub smelt: String,
    /// The solvers, with their versions.
    pub solvers: String,
    /// The state of the ranges that the process holds.
    pub progress: Vec<Progress>,
    /// The scheduler's counts of ways, by name.
    pub ways: Vec<(String, Counts)>,
    /// By way, size and solver: cases that it was asked, and that it decided.
    pub sizes: Vec<(String, u64, String, [u64; 2])>,
    pub(crate) parcel: Parcel,
}

impl Delivery {
    /// The delivery of a batch.
    pub fn of(batch: &Batch) -> Delivery {
        Delivery { parcel: batch.into(), ..Delivery::default() }
    }

    /// The scheduler's counts in it.
    pub fn counts(&self) -> impl Iterator<Item = (Arm, Sums)> {
        let sums = |counts: Counts| counts.map(u64::from);
        let strategies =
            self.parcel.tests.iter().map(move |(name, _, n)| (Arm::Strategy(name.clone()), sums(*n)));
        let ways = self.ways.iter().map(move |(way, n)| (Arm::Way(way.clone()), sums(*n)));
        let seeds = self.parcel.seeds.iter().map(move |(hash, n)| (Arm::Seed(hash.clone()), sums(*n)));
        strategies.chain(ways).chain(seeds)
    }
}

/// A process begins to use its spool within this time.
const YOUNG: Duration = Duration::from_secs(600);

/// The deliveries of one process that have not arrived.
#[derive(Debug)]
pub struct Spool {
    folder: PathBuf,
    next: u64,
    waiting: BTreeMap<u64, u64>,
    /// Held for as long as the process lives.
    _lock: Option<File>,
}

impl Spool {
    /// An empty spool of a process.
    pub fn new(shelf: &Path, machine: &str) -> Result<Spool, Error> {
        let folder = shelf.join("spool").join(machine);
        let failed = |e| Error::io(format!("cannot make {}", folder.display()), e);
        fs::create_dir_all(&folder).map_err(failed)?;
        let lock = File::create(folder.join("lock")).map_err(failed)?;
        // Others that look for what was left behind hold it for a moment.
        lock.lock().map_err(failed)?;
        Ok(Spool { folder, next: 1, waiting: BTreeMap::new(), _lock: Some(lock) })
    }

    /// The spools that processes left which are no more.
    pub fn left(shelf: &Path) -> Vec<Spool> {
        let mut spools = Vec::new();
        for entry in fs::read_dir(shelf.join("spool")).into_iter().flatten().flatten() {
            let folder = entry.path();
            let Ok(lock) = File::options().write(true).open(folder.join("lock")) else { continue };
            if lock.try_lock().is_err() {
                continue;
            }
            let number = |name: String| name.strip_suffix(".json")?.parse::<u64>().ok();
            let files = fs::read_dir(&folder).into_iter().flatten().flatten();
            let numbers: BTreeSet<u64> =
                files.filter_map(|f| number(f.file_name().into_string().ok()?)).collect();
            // One that is empty may be another process's that is just beginning.
            let age = fs::metadata(&folder).and_then(|m| m.modified()).ok().and_then(|t| t.elapsed().ok());
            if numbers.is_empty() && age.is_none_or(|age| age < YOUNG) {
                continue;
            }
            let waiting = numbers.iter().map(|n| (*n, 0)).collect();
            let next = numbers.last().map_or(1, |n| n + 1);
            spools.push(Spool { folder, next, waiting, _lock: Some(lock) });
        }
        spools
    }

    fn path(&self, number: u64) -> PathBuf {
        self.folder.join(format!("{number:012}.json"))
    }

    /// Keeps a delivery, and gives it the next number.
    pub fn push(&mut self, mut delivery: Delivery) -> Result<(), Error> {
        delivery.number = self.next;
        let text = serde_json::to_vec(&delivery).unwrap_or_default();
        let path = self.path(self.next);
        write_whole(&path, &text).map_err(|e| Error::io(format!("cannot write {}", path.display()), e))?;
        self.waiting.insert(self.next, text.len() as u64);
        self.next += 1;
        Ok(())
    }

    /// The first delivery that has not arrived. One that cannot be read is left on disk and passed over.
    pub fn first(&mut self) -> Option<Delivery> {
        while let Some((number, _)) = self.waiting.first_key_value() {
            let number = *number;
            let text = fs::read(self.path(number)).ok();
            if let Some(delivery) = text.and_then(|t| serde_json::from_slice(&t).ok()) {
                return Some(delivery);
            }
            self.waiting.remove(&number);
        }
        None
    }

    /// A delivery has arrived.
    pub fn arrived(&mut self, number: u64) {
        let _ = fs::remove_file(self.path(number));
        self.waiting.remove(&number);
    }

    /// Whether all deliveries have arrived.
    pub fn is_empty(&self) -> bool {
        self.waiting.is_empty()
    }

    /// How many bytes wait.
    pub fn bytes(&self) -> u64 {
        self.waiting.values().sum()
    }

    /// The folder.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Removes the folder if nothing waits in it.
    pub fn close(self) {
        if self.waiting.is_empty() {
            let _ = fs::remove_file(self.folder.join("lock"));
            let _ = fs::remove_dir(&self.folder);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_killed_process_left_is_found_and_arrives_in_order() {
        let shelf = std::env::temp_dir().join(format!("smelt-spool-{}", std::process::id()));
        let _ = fs::remove_dir_all(&shelf);
        let mut spool = Spool::new(&shelf, "a").unwrap();
        for cases in [3, 4] {
            spool.push(Delivery { machine: "a".into(), cases, ..Delivery::default() }).unwrap();
        }
        assert!(spool.bytes() > 0);
        assert!(Spool::left(&shelf).is_empty(), "its process lives");
        drop(spool);
        let mut left = Spool::left(&shelf).pop().unwrap();
        let first = left.first().unwrap();
        assert_eq!((first.number, first.cases), (1, 3));
        left.arrived(1);
        assert_eq!(left.first().unwrap().number, 2);
        left.arrived(2);
        assert!(left.first().is_none());
        left.close();
        assert!(Spool::left(&shelf).is_empty());
        fs::remove_dir_all(shelf).unwrap();
    }
}
