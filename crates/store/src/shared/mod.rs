//! Campaigns that several machines share: each in a separate schema of a PostgreSQL database.
//!
//! The tables of a campaign are those of a folder (`schema.sql`), with PostgreSQL's type names, and additional
//! tables for sharing (`shared.sql`). The schema `smelt` lists the campaigns of a database with the version of
//! their tables.

mod address;
mod answers;
mod member;
mod password;
mod spool;
mod status;
#[cfg(feature = "tls")]
mod tls;

use std::cell::RefCell;
use tokio_postgres::NoTls;
use tokio_postgres::config::SslMode;

pub use crate::db::connection::{hurry, is_hurried};
pub use address::{Address, keep_password, without_password};
pub(crate) use answers::answers;
pub use member::{Hear, Lease, Leased, Member, News, Progress, Receipt, Wanted, host, new_id};
pub use spool::{Delivery, Spool};
pub use status::{CASES, MachineRow, Status};

use crate::db::connection::Connection;
use crate::db::postgres::Postgres;
use crate::db::{Database, first, values};
use crate::{Error, ErrorKind, Store, VERSION};

/// How to make the tables of the next version, by version. Each step runs in the transaction that changes the version.
const STEPS: &[(i32, &str)] = &[];
/// The lock of everything that changes the list of campaigns.
const CATALOG: i64 = 0x534d_4c54;

/// The tables of a campaign, as PostgreSQL calls their types.
fn schema() -> String {
    as_postgresql(include_str!("../schema.sql")) + include_str!("shared.sql")
}

/// Tables of SQLite as PostgreSQL writes them.
fn as_postgresql(tables: &str) -> String {
    tables
        .replace(" AUTOINCREMENT", "")
        .replace("INTEGER", "BIGINT")
        .replace("BLOB", "BYTEA")
        .replace(" WITHOUT ROWID", "")
}

/// Connects to the database of an address.
fn connect(address: &Address) -> Result<Connection, Error> {
    let mut config = address.config()?;
    config.application_name("smelt");
    #[cfg(feature = "tls")]
    if config.get_ssl_mode() != SslMode::Disable {
        return Connection::open(&config, tls::connector(address)?, address.cleartext);
    }
    if config.get_ssl_mode() == SslMode::Require {
        let message =
            "this build of smelt has no TLS support: build it with `--features tls`, or use sslmode=disable";
        return Err(Error::new(ErrorKind::Usage, message));
    }
    Connection::open(&config, NoTls, address.cleartext)
}

/// Makes the tables of a campaign those that statements name.
fn enter(db: &mut Postgres, name: &str) -> Result<(), Error> {
    db.lock = lock_of(name);
    enter_schema(db, &schema_of(name))
}

fn enter_schema(db: &mut Postgres, schema: &str) -> Result<(), Error> {
    db.query(
        "SELECT set_config('search_path', quote_ident(?1), false), set_config('statement_timeout', '60s', false),
         set_config('lock_timeout', '20s', false),
         set_config('idle_in_transaction_session_timeout', '60s', false)",
        &values![schema],
    )
    .map(drop)
}

fn schema_of(name: &str) -> String {
    format!("smelt_{name}")
}

/// The lock of a campaign's writers.
fn lock_of(name: &str) -> i64 {
    smelt_core::SeedHash::of(name.as_bytes()).0.cast_signed()
}

impl Store {
    /// Makes a campaign in a shared store.
    pub fn create_shared(address: &Address) -> Result<Store, Error> {
        let name = address.name()?.to_owned();
        let mut db = Postgres::new(connect(address)?, CATALOG);
        db.begin()?;
        // Two steps: the list, which may be there, and the campaign, which may not.
        db.batch(
            "CREATE SCHEMA IF NOT EXISTS smelt;
             CREATE TABLE IF NOT EXISTS smelt.campaigns (
                 name TEXT PRIMARY KEY, version BIGINT NOT NULL, created TIMESTAMPTZ NOT NULL DEFAULT now());",
        )?;
        let known = first(&mut db, "SELECT version FROM smelt.campaigns WHERE name = ?1", &values![&name])?;
        if known.is_some() {
            let message = format!(
                "{address} exists already: join it with `smelt join {address}`, or choose another name"
            );
            return Err(Error::new(ErrorKind::Exists, message));
        }
        // The name was checked: an identifier cannot be a parameter.
        let schema = schema_of(&name);
        db.batch(&format!(
            "CREATE SCHEMA \"{schema}\"; SET LOCAL search_path TO \"{schema}\"; {}",
            self::schema()
        ))?;
        grant(&mut db, "", &schema)?;
        db.execute(
            "INSERT INTO smelt.campaigns (name, version) VALUES (?1, ?2)",
            &values![&name, i64::from(VERSION)],
        )?;
        db.commit()?;
        Store::open_shared(address)
    }

    /// Opens a campaign of a shared store. If the address names none, the only one.
    pub fn open_shared(address: &Address) -> Result<Store, Error> {
        let mut db = Postgres::new(connect(address)?, CATALOG);
        let mut campaigns = campaigns(&mut db)?;
        let missing = |message: String| Error::new(ErrorKind::NotFound, message);
        let wanted = address.name.clone();
        if let Some(name) = &wanted {
            campaigns.retain(|(known, _)| known == name);
        }
        let (name, version) = match (&campaigns[..], &wanted) {
            ([one], _) => one.clone(),
            ([], Some(_)) => {
                let message =
                    "no such campaign: start it with `smelt fuzz --store`, or list all with `smelt status`";
                return Err(missing(format!("{address}: {message}")));
            }
            ([], None) => return Err(missing(format!("{address} has no campaign"))),
            (several, _) => {
                let names: Vec<&str> = several.iter().map(|(name, _)| name.as_str()).collect();
                let message = format!("{address} has several campaigns: choose one, {address}#NAME, of ");
                return Err(Error::new(ErrorKind::Usage, message + &names.join(", ")));
            }
        };
        let address = address.clone().named(&name)?;
        if version != i64::from(VERSION) {
            migrate(&mut db, &address, &name)?;
        }
        enter(&mut db, &name)?;
        let folder = address.shelf()?;
        Ok(Store { folder, db: RefCell::new(Box::new(db)), shared: Some(address), _lock: None })
    }
}

/// The campaigns of a database, with the versions of their tables.
fn campaigns(db: &mut Postgres) -> Result<Vec<(String, i64)>, Error> {
    let there = first(db, "SELECT CAST(to_regclass('smelt.campaigns') AS TEXT)", &[])?;
    if there.is_none_or(|row| row.get::<Option<String>>(0).ok().flatten().is_none()) {
        return Ok(Vec::new());
    }
    let rows = db.query("SELECT name, version FROM smelt.campaigns ORDER BY created, name", &[])?;
    rows.iter().map(|row| Ok((row.get(0)?, row.get(1)?))).collect()
}

/// Brings the tables of a campaign to this version, step by step, all or nothing.
fn migrate(db: &mut Postgres, address: &Address, name: &str) -> Result<(), Error> {
    db.begin()?;
    let row = first(db, "SELECT version FROM smelt.campaigns WHERE name = ?1 FOR UPDATE", &values![name])?;
    let found: i64 = row.map_or(Ok(0), |row| row.get(0))?;
    let mut version = found;
    while let Some((_, step)) = STEPS.iter().find(|(from, _)| i64::from(*from) == version) {
        db.batch(&format!("SET LOCAL search_path TO \"{}\"; {step}", schema_of(name)))?;
        version += 1;
    }
    if version != i64::from(VERSION) {
        db.roll_back();
        let message = format!(
            "{address} was written by another version of smelt (store format {found}, this one uses {VERSION}): \
             use that version, or another campaign; nothing was changed"
        );
        return Err(Error::new(ErrorKind::Version, message));
    }
    db.execute("UPDATE smelt.campaigns SET version = ?2 WHERE name = ?1", &values![name, version])?;
    db.commit()
}

/// Grants the roles that exist what they need: on a campaign, or with another prefix on something else.
fn grant(db: &mut Postgres, prefix: &str, schema: &str) -> Result<(), Error> {
    for role in ["smelt_read", "smelt_add"] {
        let there = first(db, "SELECT 1 FROM pg_roles WHERE rolname = ?1", &values![role])?;
        let head = format!("{prefix}{role}\n");
        let rights = include_str!("grants.sql").split("-- role ").find_map(|part| part.strip_prefix(&head));
        if let (Some(_), Some(rights)) = (there, rights) {
            db.batch(&rights.replace("SCHEMA_NAME", &format!("\"{schema}\"")))?;
        }
    }
    Ok(())
}
