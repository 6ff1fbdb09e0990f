//! Campaigns: seeds in, confirmed findings out, for hours, unattended.
//!
//! [`run`] takes a [`Config`] and works until its budget is used up: workers make cases with the strategies, put
//! them to solvers and have the oracle judge the answers; what is found is confirmed in fresh processes and stored.
//! What happens on the way is told to an [`EventSink`]; nothing here prints.
//!
//! - [`seeds`]: from paths to seeds with labels, and those that smelt brings along.
//! - [`Store`]: the folder of a campaign, and what is in it.
//! - [`remake_finding`], [`replay`]: a finding's script once more, byte for byte, and what solvers say to it now.
//! - [`triage`]: from findings to bugs.
//! - [`study`]: the same formulas over many releases.
//! - [`reduce`]: predicates for making what was found smaller.
//! - [`evolve`]: the hunt for slow formulas.
//! - [`Learning`]: what decides which strategy and which seed come next.

mod background;
mod budget;
mod dispatch;
pub mod embedded;
mod entry;
mod judge;
mod lab;
mod ledger;
mod maker;
mod numbering;
mod plan;
mod replay;
mod schedule;
pub mod seeds;
mod summary;
mod worker;
mod writer;

pub use lab::{Config, run};
pub use numbering::{Checked, Guarantee};
pub use plan::SEED;
pub use replay::{Remade, Replay, remake_finding, replay};
pub use schedule::Learning;
pub use seeds::{SeedSet, SeedText};
pub use smelt_store::{Error, ErrorKind};
pub use summary::Summary;
