//! The cells of a study that several machines share: each cell is leased to one process, like the numbers of shared
//! campaigns.
//!
//! A cell is one unit of work with a number. The cells of a study form a stream, whose name contains all settings that
//! determine them, so the same command on several machines is one study. Answers are stored before their cell counts as done: if a process
//! dies, the next one that takes its cell finds its answers.

use smelt_store::shared::{Address, Delivery, Hear, Leased, Member, Progress, Receipt, host, new_id};
use smelt_store::{Batch, Error, ErrorKind, Store};
use std::path::Path;
use std::time::{Duration, Instant};

use smelt_store::cache::Cache;
use smelt_trial::{IsOver, NamedSolver};

/// Leases are renewed this often.
const RENEW: Duration = Duration::from_secs(6);
/// Cells that others work on are asked for again after this time, and a database that is unreachable too.
const WAIT: Duration = Duration::from_secs(1);
/// A database that is unreachable for longer ends the study.
const PATIENCE: Duration = Duration::from_secs(600);

/// This process among those that share a study.
#[derive(Debug)]
pub(crate) struct Cells {
    address: Address,
    solvers: String,
    member: Member,
    /// The number of the last delivery.
    delivered: u64,
    renewed: Instant,
}

fn address(store: &Path) -> Result<Address, Error> {
    Address::of(store).unwrap_or_else(|| {
        let message = "--store expects a URL, postgres://USER@HOST/DATABASE#NAME; use --cache for a file";
        Err(Error::new(ErrorKind::Usage, message))
    })
}

/// The answers of a shared store.
pub(crate) fn answers(store: &Path) -> Result<Cache, Error> {
    Cache::open_shared(&address(store)?)
}

impl Cells {
    /// Takes part in the studies of a shared store; makes it if there is none.
    pub(crate) fn join(store: &Path, solvers: &[NamedSolver]) -> Result<Cells, Error> {
        let address = address(store)?;
        address.name()?;
        if let Err(e) = Store::open_shared(&address) {
            let made = if e.kind() == ErrorKind::NotFound { Store::create_shared(&address) } else { Err(e) };
            // Another process may have been quicker.
            made.map(drop).or_else(|e| if e.kind() == ErrorKind::Exists { Ok(()) } else { Err(e) })?;
        }
        let solvers: Vec<String> = solvers.iter().map(|s| s.solver.id().to_string()).collect();
        let solvers = solvers.join(" ");
        let member = enter(&address, &solvers)?;
        Ok(Cells { address, solvers, member, delivered: 0, renewed: Instant::now() })
    }

    /// Cells of a stream, at most `want`; `None` if all are done, or `is_over` says stop.
    pub(crate) fn next(
        &mut self,
        stream: &str,
        count: u64,
        want: u64,
        is_over: IsOver<'_>,
    ) -> Result<Option<Progress>, Error> {
        while !is_over() {
            let answer = self.member.take_range(stream, want, Some(count));
            match answer {
                Ok(Leased::Range(range)) => return Ok(Some(range)),
                Ok(Leased::Over) => return Ok(None),
                Ok(Leased::Wait) => std::thread::sleep(WAIT),
                Ok(Leased::Gone) => self.join_again(is_over)?,
                // It may have leased cells that this process does not know of: they are free when it left.
                Err(e) if e.kind() == ErrorKind::Away => self.join_again(is_over)?,
                Err(e) => return Err(e),
            }
        }
        Ok(None)
    }

    /// The cells of a range are done, and their answers are in the store.
    pub(crate) fn done(&mut self, range: Progress, is_over: IsOver<'_>) -> Result<(), Error> {
        let mut delivery = Delivery::of(&Batch::default());
        delivery.machine = self.member.id().to_owned();
        delivery.number = self.delivered + 1;
        delivery.cases = range.past - range.low;
        delivery.progress = vec![Progress { low: range.past, ..range }];
        let since = Instant::now();
        loop {
            match self.member.deliver(&delivery) {
                Ok(Receipt::Lost(_)) => return self.join_again(is_over),
                Ok(_) => {
                    (self.delivered, self.renewed) = (delivery.number, Instant::now());
                    return Ok(());
                }
                Err(e) if e.kind() == ErrorKind::Away && since.elapsed() < PATIENCE && !is_over() => {
                    std::thread::sleep(WAIT);
                }
                Err(e) => return Err(e),
            }
        }
    }

    /// Renews the leases, if it is time to. A database that is unreachable does not hear it.
    pub(crate) fn renew(&mut self) {
        if self.renewed.elapsed() >= RENEW {
            self.renewed = Instant::now();
            let _ = self.member.news(Hear::Nothing);
        }
    }

    /// Others may do what this process leased and did not end.
    pub(crate) fn give_back(&mut self) {
        // A database that is unreachable hears it later: the next question finds this process gone, or its lease ends.
        let _ = self.join_again(&|| true);
    }

    /// Continues under another id: others have the cells of this one, or will.
    fn join_again(&mut self, is_over: IsOver<'_>) -> Result<(), Error> {
        let since = Instant::now();
        loop {
            let joined = self.member.leave().and_then(|()| enter(&self.address, &self.solvers));
            match joined {
                Ok(member) => {
                    (self.member, self.delivered, self.renewed) = (member, 0, Instant::now());
                    return Ok(());
                }
                Err(e) if e.kind() == ErrorKind::Away && since.elapsed() < PATIENCE && !is_over() => {
                    std::thread::sleep(WAIT);
                }
                Err(e) => return Err(e),
            }
        }
    }
}

fn enter(address: &Address, solvers: &str) -> Result<Member, Error> {
    Member::join(address, &new_id(), &host(), env!("CARGO_PKG_VERSION"), solvers)
}

impl Drop for Cells {
    fn drop(&mut self) {
        // Others take over at once what it did not end.
        let _ = self.member.leave();
    }
}
