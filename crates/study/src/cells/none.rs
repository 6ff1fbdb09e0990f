//! Builds without PostgreSQL have no shared studies: this module takes their place and only returns an error.

use smelt_store::cache::Cache;
use smelt_store::{Error, ErrorKind};
use smelt_trial::{IsOver, NamedSolver};
use std::path::Path;

/// A process without shared studies.
#[derive(Debug)]
pub(crate) enum Cells {}

/// Numbers of cells.
#[derive(Debug)]
pub(crate) struct Progress {
    pub(crate) low: u64,
    pub(crate) past: u64,
}

fn refused() -> Error {
    Error::new(
        ErrorKind::Usage,
        "this build of smelt has no PostgreSQL support: build it with `--features postgres`",
    )
}

pub(crate) fn answers(_: &Path) -> Result<Cache, Error> {
    Err(refused())
}

impl Cells {
    pub(crate) fn join(_: &Path, _: &[NamedSolver]) -> Result<Cells, Error> {
        Err(refused())
    }

    pub(crate) fn next(&mut self, _: &str, _: u64, _: u64, _: IsOver<'_>) -> Result<Option<Progress>, Error> {
        match *self {}
    }

    pub(crate) fn done(&mut self, _: Progress, _: IsOver<'_>) -> Result<(), Error> {
        match *self {}
    }

    pub(crate) fn give_back(&mut self) {
        match *self {}
    }

    pub(crate) fn renew(&mut self) {
        match *self {}
    }
}
