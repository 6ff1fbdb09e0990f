//! Replaces the link in builds without PostgreSQL.

use smelt_store::{Arm, Batch, Counts, Error, Stored, Sums, Triaged};
use std::sync::Arc;
use std::time::Duration;

use crate::numbers::Numbers;

pub(crate) const PAUSE: Duration = Duration::from_secs(15);
pub(crate) const SOON: Duration = Duration::from_secs(2);

/// A link that cannot exist.
#[derive(Debug)]
pub(crate) enum Link {}

/// What examines nothing.
#[derive(Debug)]
pub(crate) enum Examining {}

impl Examining {
    pub(crate) fn next(&mut self) -> Option<(Stored, Vec<smelt_core::Dossier>)> {
        match *self {}
    }

    pub(crate) fn note(&mut self, _: Triaged) -> Result<(), Error> {
        match *self {}
    }
}

impl Link {
    pub(crate) fn examining(&self) -> Examining {
        match *self {}
    }

    pub(crate) fn numbers(&self) -> Arc<dyn Numbers> {
        match *self {}
    }

    pub(crate) fn turns(&self, _: &str) -> Option<Arc<dyn Numbers>> {
        match *self {}
    }

    pub(crate) fn take_lessons(&self) -> Vec<(Arm, Sums)> {
        match *self {}
    }

    pub(crate) fn post(
        &self,
        _: &Batch,
        _: Vec<(String, Counts)>,
        _: Vec<(String, u64, String, [u64; 2])>,
    ) -> Result<(), Error> {
        match *self {}
    }

    pub(crate) fn is_lost(&self) -> bool {
        match *self {}
    }

    pub(crate) fn is_away(&self) -> bool {
        match *self {}
    }

    pub(crate) fn take_told(&self) -> Vec<(Stored, bool)> {
        match *self {}
    }

    pub(crate) fn end(&mut self) -> Result<(), Error> {
        match *self {}
    }
}
