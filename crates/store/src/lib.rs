//! The store: one folder per campaign, locked by one process at a time.
//!
//! - `campaign.sqlite`: everything except scripts, in write-ahead mode; `schema.sql` defines the tables.
//! - `findings/ID/`: the smallest generated script of each finding, its provenance, and `reduced.smt2`, if it was reduced.
//! - `lock`: held while a process works on the folder; the system releases it however the process ends.
//!
//! Each script gets a unique file name, and is on disk before the row that names it is committed. So even if smelt
//! is killed, each row has its script. A script without a row is deleted at the next start.

mod bugs;
pub mod cache;
mod columns;
mod db;
mod error;
mod examine;
mod filing;
mod inside;
mod merge;
mod read;
#[cfg(feature = "postgres")]
pub mod shared;
mod timeline;
mod write;

use rusqlite::Connection;
use std::cell::RefCell;
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::time::Duration;

use db::sqlite::Sqlite;
use db::{Database, Row, Value};

pub use bugs::{Bug, bugs};
pub use error::Error;
pub use examine::examine_stored;
pub use inside::{inside, read_inside};
pub use read::{Origin, Stored};
pub use smelt_trial::ErrorKind;
pub use timeline::{Answer, LogicCounts, SAMPLES, Spans};
pub use write::{Batch, Filed, NewFinding, Triaged, write_over, write_whole};

/// A scheduler's counts of one arm: tests, useful tests, tests with findings, and milliseconds.
pub type Counts = [u32; 4];

/// What a scheduler counts the results of.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Arm {
    /// A strategy, by its name.
    Strategy(String),
    /// A way of a strategy, by its key in the store.
    Way(String),
    /// A seed, by its hash.
    Seed(String),
}

/// Sums of [`Counts`] over all processes of a campaign.
pub type Sums = [u64; 4];

/// Versions that showed a finding of a shared campaign.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
pub struct Sighting {
    /// The version of smelt.
    pub smelt: String,
    /// All solvers of the process, with their versions.
    pub solvers: String,
    /// How many tests showed it.
    pub triggers: u64,
}

/// The version of the format. Another one is refused.
pub const VERSION: i32 = 7;
/// The tables of a campaign in a folder.
const SCHEMA: &str = include_str!("schema.sql");
/// The application id of smelt's databases: `SMLT`.
const APPLICATION: i32 = 0x534d_4c54;

/// The store of a campaign.
#[derive(Debug)]
pub struct Store {
    /// The folder of its files, or of the local copies of a shared store's files.
    folder: PathBuf,
    db: RefCell<Box<dyn Database>>,
    /// The address, if it is shared.
    #[cfg(feature = "postgres")]
    shared: Option<shared::Address>,
    /// Held for as long as the store is written to.
    _lock: Option<File>,
}

impl Store {
    fn database(folder: &Path) -> PathBuf {
        folder.join("campaign.sqlite")
    }

    /// Whether a folder contains a campaign.
    pub fn exists(folder: &Path) -> bool {
        Store::database(folder).is_file()
    }

    /// Makes a store in a folder that holds none.
    pub fn create(folder: &Path) -> Result<Store, Error> {
        let failed = |e| Error::io(format!("cannot make {}", folder.display()), e);
        fs::create_dir_all(folder.join("findings")).map_err(failed)?;
        let lock = lock(folder)?;
        let path = Store::database(folder);
        if path.is_file() {
            let message = format!(
                "{} already contains a campaign: continue it with --resume, or choose another folder with --out",
                folder.display()
            );
            return Err(Error::new(ErrorKind::Exists, message));
        }
        // Complete under another name first: a half-made store must not look like one.
        let draft = folder.join("campaign.new");
        for leftover in ["campaign.new", "campaign.new-wal", "campaign.new-shm"] {
            let _ = fs::remove_file(folder.join(leftover));
        }
        let db = Connection::open(&draft)?;
        db.execute_batch(&format!(
            "BEGIN; PRAGMA application_id = {APPLICATION}; PRAGMA user_version = {VERSION};\n{}\nCOMMIT;",
            SCHEMA
        ))?;
        db.close().map_err(|(_, e)| e)?;
        fs::rename(&draft, &path).map_err(failed)?;
        Store::connect(folder, Some(lock))
    }

    /// Removes a store in which nothing was stored, so that its folder can be used again. What else is in the folder stays.
    pub fn discard(self) {
        let folder = self.folder.clone();
        drop(self);
        for name in ["campaign.sqlite", "campaign.sqlite-wal", "campaign.sqlite-shm", "lock"] {
            let _ = fs::remove_file(folder.join(name));
        }
        // Fails if anything is in them.
        let _ = fs::remove_dir(folder.join("findings"));
        let _ = fs::remove_dir(folder);
    }

    /// Opens a store to continue its campaign.
    pub fn resume(folder: &Path) -> Result<Store, Error> {
        if is_shared(folder) {
            return Store::open(folder);
        }
        if !Store::exists(folder) {
            return Err(Store::missing(folder));
        }
        let lock = lock(folder)?;
        let store = Store::connect(folder, Some(lock))?;
        store.sweep()?;
        Ok(store)
    }

    /// Opens a store to read it, also while a campaign is running. Instead of a folder, `postgres://HOST/DATABASE#NAME`
    /// names a shared one.
    pub fn open(folder: &Path) -> Result<Store, Error> {
        #[cfg(feature = "postgres")]
        if let Some(address) = shared::Address::of(folder) {
            return Store::open_shared(&address?);
        }
        if is_shared(folder) {
            let message =
                "this build of smelt has no PostgreSQL support: build it with `--features postgres`";
            return Err(Error::new(ErrorKind::Usage, message));
        }
        if !Store::exists(folder) {
            return Err(Store::missing(folder));
        }
        Store::connect(folder, None)
    }

    fn missing(folder: &Path) -> Error {
        let message = format!("no campaign in {}: start one with `smelt fuzz --out DIR`", folder.display());
        Error::new(ErrorKind::NotFound, message)
    }

    fn connect(folder: &Path, lock: Option<File>) -> Result<Store, Error> {
        if let Some(name) = Store::database(folder).file_name() {
            inside(folder, &name.to_string_lossy())?;
        }
        let db = match lock {
            Some(_) => Connection::open(Store::database(folder))?,
            None => for_reading(&Store::database(folder))?,
        };
        db.busy_timeout(Duration::from_secs(10))?;
        let number = |name: &str| db.query_row(&format!("PRAGMA {name}"), [], |row| row.get::<_, i32>(0));
        if number("application_id")? != APPLICATION {
            let message = format!("{} is not a store made by smelt", Store::database(folder).display());
            return Err(Error::new(ErrorKind::Damaged, message));
        }
        let version = number("user_version")?;
        if version != VERSION {
            let message = format!(
                "{} was written by another version of smelt (store format {version}, this one uses {VERSION}): \
                 use that version, or another folder with --out; nothing was changed",
                folder.display()
            );
            return Err(Error::new(ErrorKind::Version, message));
        }
        if lock.is_some() {
            db.execute_batch("PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL;")?;
        }
        let db = Sqlite::new(db, folder.to_owned(), Some(SCHEMA))?;
        let (folder, db) = (folder.to_owned(), RefCell::new(Box::new(db) as _));
        Ok(Store {
            folder,
            db,
            #[cfg(feature = "postgres")]
            shared: None,
            _lock: lock,
        })
    }

    fn query(&self, sql: &str, values: &[Value]) -> Result<Vec<Row>, Error> {
        self.db.borrow_mut().query(sql, values)
    }

    fn first(&self, sql: &str, values: &[Value]) -> Result<Option<Row>, Error> {
        db::first(&mut **self.db.borrow_mut(), sql, values)
    }

    /// The name of the store for people and for commands.
    pub fn place(&self) -> String {
        #[cfg(feature = "postgres")]
        if let Some(address) = &self.shared {
            return address.to_string();
        }
        self.folder.display().to_string()
    }

    /// The folder; of a shared store, that of its files on this machine.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Which versions showed a finding, by the fingerprint of its trigger; a folder has one version of each solver.
    #[cfg(not(feature = "postgres"))]
    pub fn sightings(&self, _: &str) -> Result<Vec<Sighting>, Error> {
        Ok(Vec::new())
    }

    /// Puts the files of a shared store where its findings say they are; those of a folder are there.
    #[cfg(not(feature = "postgres"))]
    pub fn bring_files(&self) -> Result<(), Error> {
        Ok(())
    }

    /// Removes scripts that no row names: smelt was killed between the two.
    fn sweep(&self) -> Result<(), Error> {
        // A row that cannot be read may name a script.
        if !self.damage()?.is_empty() {
            return Ok(());
        }
        let is_folder = |path: &Path| path.symlink_metadata().is_ok_and(|m| m.is_dir());
        let known: std::collections::HashSet<String> =
            self.stored()?.into_iter().map(|s| s.relative_file).collect();
        let root = self.folder.join("findings");
        for folder in fs::read_dir(&root).into_iter().flatten().flatten() {
            if !is_folder(&root) || !is_folder(&folder.path()) {
                continue;
            }
            let name = folder.file_name();
            let mut kept = false;
            for file in fs::read_dir(folder.path()).into_iter().flatten().flatten() {
                let relative = Path::new("findings").join(&name).join(file.file_name());
                let script = relative.with_extension("smt2").display().to_string();
                if known.contains(&script) || !is_ours(&file.file_name().to_string_lossy()) {
                    kept = true;
                } else {
                    let _ = fs::remove_file(file.path());
                }
            }
            if !kept {
                let _ = fs::remove_dir(folder.path());
            }
        }
        Ok(())
    }
}

/// Opens a database to read it. If the folder is read-only, SQLite reads it only if no other process can change it:
/// the campaign has ended, so that nothing waits in a log.
fn for_reading(path: &Path) -> Result<Connection, Error> {
    let db = Connection::open(path)?;
    let try_it = |db: &Connection| db.query_row("PRAGMA schema_version", [], |_| Ok(()));
    let is_refused = |e: &rusqlite::Error| {
        use rusqlite::ErrorCode::{CannotOpen, ReadOnly};
        matches!(e.sqlite_error_code(), Some(CannotOpen | ReadOnly))
    };
    let log = path.with_extension("sqlite-wal");
    if !try_it(&db).is_err_and(|e| is_refused(&e)) || log.metadata().is_ok_and(|m| m.len() > 0) {
        return Ok(db);
    }
    let escaped = path.display().to_string().replace('%', "%25").replace('?', "%3f").replace('#', "%23");
    let flags = rusqlite::OpenFlags::SQLITE_OPEN_READ_ONLY | rusqlite::OpenFlags::SQLITE_OPEN_URI;
    Ok(Connection::open_with_flags(format!("file:{escaped}?immutable=1"), flags)?)
}

/// Whether a path is the address of a shared store.
pub fn is_shared(path: &Path) -> bool {
    path.to_str().is_some_and(|text| text.starts_with("postgres://") || text.starts_with("postgresql://"))
}

/// Whether a file in the folder of a finding was put there by the store, and not by a person or a later step.
fn is_ours(name: &str) -> bool {
    name.starts_with("case-") && (name.ends_with(".smt2") || name.ends_with(".json"))
}

fn lock(folder: &Path) -> Result<File, Error> {
    let failed = |e| Error::io(format!("cannot lock {}", folder.display()), e);
    let path = inside(folder, "lock")?;
    let file = File::options().create(true).truncate(false).write(true).open(path).map_err(failed)?;
    match file.try_lock() {
        Ok(()) => Ok(file),
        Err(fs::TryLockError::WouldBlock) => {
            let message = format!(
                "another smelt process uses {}: wait for it, or choose another folder with --out",
                folder.display()
            );
            Err(Error::new(ErrorKind::Locked, message))
        }
        Err(fs::TryLockError::Error(e)) => Err(failed(e)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn folder(name: &str) -> PathBuf {
        let path = std::env::temp_dir().join(format!("smelt-store-{name}-{}", std::process::id()));
        let _ = fs::remove_dir_all(&path);
        path
    }

    #[test]
    fn a_folder_has_one_owner_at_a_time() {
        let path = folder("lock");
        let store = Store::create(&path).unwrap();
        assert_eq!(Store::resume(&path).unwrap_err().kind(), ErrorKind::Locked);
        assert!(Store::open(&path).is_ok(), "looking is always allowed");
        drop(store);
        assert_eq!(Store::create(&path).unwrap_err().kind(), ErrorKind::Exists);
        assert!(Store::resume(&path).is_ok());
        fs::remove_dir_all(path).unwrap();
    }

    #[test]
    fn another_version_is_refused_and_left_as_it_is() {
        let path = folder("version");
        let store = Store::create(&path).unwrap();
        store.db.borrow_mut().execute("PRAGMA user_version = 77", &[]).unwrap();
        drop(store);
        let before = fs::read(Store::database(&path)).unwrap();
        for result in [Store::resume(&path), Store::open(&path)] {
            let error = result.unwrap_err();
            assert_eq!(error.kind(), ErrorKind::Version);
            assert!(error.to_string().contains("77"), "{error}");
        }
        assert_eq!(fs::read(Store::database(&path)).unwrap(), before);
        fs::remove_dir_all(path).unwrap();
    }

    #[test]
    fn what_is_no_store_is_refused() {
        let path = folder("rubbish");
        fs::create_dir_all(&path).unwrap();
        fs::write(Store::database(&path), "this is no database, and quite long at that".repeat(100)).unwrap();
        assert_eq!(Store::resume(&path).unwrap_err().kind(), ErrorKind::Damaged);
        assert_eq!(Store::open(&folder("none")).unwrap_err().kind(), ErrorKind::NotFound);
        fs::remove_dir_all(path).unwrap();
    }
}
