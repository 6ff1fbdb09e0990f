//! Campaigns: find and confirm bugs from seeds, unattended, for hours.
//!
//! [`run`] takes a [`Config`] and works until its budget is used up. Workers make cases with the strategies, run
//! solvers on them, and let the oracle judge the answers. Findings are confirmed in fresh processes and stored.
//! Progress goes to an `EventSink`; nothing here prints.
//!
//! - [`seeds`]: reads seeds and their labels from paths, and the embedded seeds.
//! - [`remake_finding`], [`replay`]: makes the script of a finding again, byte for byte, and runs solvers on it.
//! - [`Shard`], [`Numbers`]: a part of a campaign, and the source of its case numbers; [`merge`] merges shards.
//! - `link`: the connection of a process to a campaign that several machines share.
//! - [`Learning`]: what the source of cases learns from.

mod background;
mod bandit;
mod budget;
mod by_number;
mod counters;
mod dispatch;
pub mod embedded;
mod entry;
mod facts;
mod focus;
mod judge;
mod lab;
mod ledger;
#[cfg(feature = "postgres")]
mod link;
#[cfg(not(feature = "postgres"))]
#[path = "link/none.rs"]
mod link;
mod maker;
mod memory;
mod merge;
mod numbering;
mod numbers;
mod picker;
mod plan;
mod preflight;
mod priors;
mod replay;
mod schedule;
pub mod seeds;
mod settings;
mod sink;
mod solver_books;
mod source;
mod summary;
mod timeouts;
mod worker;
mod writer;

pub use focus::Focus;
pub use lab::{Config, run};
#[cfg(feature = "postgres")]
pub use link::shared_seeds;
pub use merge::{Merged, merge, summary};
pub use numbering::{Checked, Guarantee};
pub use numbers::{Numbers, Shard, Taken};
pub use plan::SEED;
pub use preflight::answers_nothing;
pub use replay::{Remade, Replay, remake_finding, replay};
pub use seeds::{SeedSet, SeedText};
pub use smelt_store::{Error, ErrorKind};
pub use source::Learning;
pub use summary::{ShardRow, SolverRow, StrategyRow, Summary, UnusableSeed};
