//! The link of a process to a shared campaign: a thread that leases numbers, delivers results and brings news.
//!
//! The writer puts each batch into the spool on disk; the thread delivers it. So workers and writer never wait for the
//! database, and what it has not taken survives the process. If the database is away, the thread tries again; if others
//! took the numbers of this process over meanwhile, it joins again under another id and forgets what it holds.

mod leased;

use smelt_store::shared::{Address, Delivery, Leased as Answer, Member, Receipt, Spool};
use smelt_store::{Batch, Counts, Error, ErrorKind, Filed, Store, Stored, Triaged};
use smelt_trial::lock;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use crate::lab::Config;
use crate::numbers::Numbers;
use crate::seeds::SeedText;
use leased::Leased;

/// The numbers of the campaign's cases, in the store.
const CASES: &str = "cases";
/// Counts are delivered this often; findings within [`SOON`].
pub(crate) const PAUSE: Duration = Duration::from_secs(6);
pub(crate) const SOON: Duration = Duration::from_secs(1);
/// How often the thread looks whether something is to be done.
const LOOK: Duration = Duration::from_millis(100);
/// After this time without it, the database is tried again.
const AGAIN: Duration = Duration::from_secs(2);
/// Numbers at hand last for at least this time.
const STOCK: Duration = Duration::from_secs(60);
/// The most numbers of a range.
const MOST: u64 = 100_000;
/// If more waits on disk, no new case is begun.
const FULL: u64 = 512 << 20;
/// How long the end of a campaign waits for a database that is away.
const PATIENCE: Duration = Duration::from_secs(30);
/// How long a process keeps its leases without being seen.
pub(crate) const LEASE: Duration = Duration::from_secs(180);

/// A process's link.
#[derive(Debug)]
pub(crate) struct Link {
    shared: Arc<Shared>,
    thread: Option<JoinHandle<()>>,
    smelt: String,
    solvers: String,
}

#[derive(Debug)]
struct Shared {
    address: Address,
    leased: Arc<Leased>,
    /// Those that processes left which are no more, and the one of this process last.
    spools: Mutex<Vec<Spool>>,
    machine: Mutex<String>,
    /// Whether others have the numbers of this process; the writer then joins again.
    lost: AtomicBool,
    /// What the writer tells on: findings of this process that are new, and findings of others.
    told: Mutex<Vec<(Stored, bool)>>,
    failure: Mutex<Option<Error>>,
    ending: AtomicBool,
    /// Since when the database is away, in milliseconds of the link; 0 if it is there.
    away_ms: AtomicU64,
    jobs: u64,
    me: [String; 3],
}

/// An id that no other process has.
fn new_id() -> String {
    let time = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap_or_default();
    let random = std::collections::hash_map::RandomState::new();
    let random = std::hash::BuildHasher::hash_one(&random, time.as_nanos());
    format!("{:x}-{:x}-{random:016x}", time.as_secs(), std::process::id())
}

fn host() -> String {
    let name = std::fs::read_to_string("/proc/sys/kernel/hostname").unwrap_or_default();
    if name.trim().is_empty() { "unknown".to_owned() } else { name.trim().to_owned() }
}

/// Makes a campaign in a shared store, with all that those need who join.
pub(crate) fn create(address: &Address, seeds: &[SeedText]) -> Result<Store, Error> {
    let mut store = Store::create_shared(address)?;
    let list: Vec<_> =
        seeds.iter().map(|s| (s.hash.to_string(), s.status.map(|v| v.as_str()), s.proved)).collect();
    let label = |s: &SeedText| s.status.or(s.stated()).map(|v| v.as_str());
    store.keep_seeds(seeds.iter().map(|s| (s.hash.to_string(), s.name.as_str(), &s.text[..], label(s))))?;
    let lease = std::env::var("SMELT_LEASE_MS").ok().filter(|v| v.parse::<u64>().is_ok());
    let values = [
        ("seed_list".into(), serde_json::to_string(&list).unwrap_or_default()),
        ("lease_ms".into(), lease.unwrap_or_else(|| LEASE.as_millis().to_string())),
    ];
    store.write(&Batch { values: values.into_iter().collect(), ..Batch::default() })?;
    Ok(store)
}

/// The seeds of a shared campaign, as they were when it was made.
pub fn shared_seeds(store: &Store) -> Result<Vec<SeedText>, Error> {
    let damaged = |what: &str| Error::new(ErrorKind::Damaged, format!("{}: {what}", store.place()));
    let list = store.value("seed_list")?.ok_or_else(|| damaged("it is not ready to be joined yet"))?;
    let list: Vec<(String, Option<String>, bool)> =
        serde_json::from_str(&list).map_err(|e| damaged(&e.to_string()))?;
    let mut texts = store.seed_texts()?;
    list.into_iter()
        .map(|(hash, status, proved)| {
            let (name, text) = texts.remove(&hash).ok_or_else(|| damaged("a seed is missing"))?;
            let status = status.and_then(|s| smelt_core::Verdict::of_status(s.as_bytes()));
            Ok(SeedText { proved, ..SeedText::new(name, text, status) })
        })
        .collect()
}

impl Link {
    /// Joins a campaign.
    pub(crate) fn start(address: &Address, store: &Store, config: &Config) -> Result<Link, Error> {
        let ids: Vec<String> = config.solvers.iter().map(|c| c.solver.id().to_string()).collect();
        let me = [host(), env!("CARGO_PKG_VERSION").to_owned(), ids.join(" ")];
        let id = new_id();
        let member = Member::join(address, &id, &me[0], &me[1], &me[2])?;
        let mut spools = Spool::left(store.folder());
        spools.push(Spool::new(store.folder(), &id)?);
        let shared = Arc::new(Shared {
            address: address.clone(),
            leased: Arc::new(Leased::new(config.tests)),
            spools: Mutex::new(spools),
            machine: Mutex::new(id),
            lost: AtomicBool::new(false),
            told: Mutex::default(),
            failure: Mutex::default(),
            ending: AtomicBool::new(false),
            away_ms: AtomicU64::new(0),
            jobs: config.jobs.max(1) as u64,
            me: me.clone(),
        });
        let for_thread = shared.clone();
        let thread = std::thread::spawn(move || for_thread.run(member));
        let [_, smelt, solvers] = me;
        Ok(Link { shared, thread: Some(thread), smelt, solvers })
    }

    /// Where the numbers of cases come from.
    pub(crate) fn numbers(&self) -> Arc<dyn Numbers> {
        self.shared.leased.clone()
    }

    fn machine(&self) -> String {
        lock(&self.shared.machine).clone()
    }

    /// Takes findings to be examined.
    pub(crate) fn examining(&self) -> Examining {
        Examining { shared: self.shared.clone(), member: None }
    }

    /// Keeps a batch until it is delivered, with the numbers that it finishes.
    pub(crate) fn post(
        &self,
        batch: &Batch,
        ways: Vec<(String, Counts)>,
        sizes: Vec<(String, u64, String, [u64; 2])>,
    ) -> Result<(), Error> {
        if let Some(error) = lock(&self.shared.failure).take() {
            return Err(error);
        }
        let mut delivery = Delivery::of(batch);
        (delivery.cases, delivery.progress) = self.shared.leased.take_progress();
        (delivery.ways, delivery.sizes) = (ways, sizes);
        (delivery.smelt, delivery.solvers) = (self.smelt.clone(), self.solvers.clone());
        delivery.machine = self.machine();
        let mut spools = lock(&self.shared.spools);
        let Some(spool) = spools.last_mut() else { return Ok(()) };
        spool.push(delivery)?;
        let waiting: u64 = spools.iter().map(Spool::bytes).sum();
        self.shared.leased.is_full.store(waiting > FULL, Relaxed);
        drop(spools);
        // What was just kept belongs to numbers that others have: it goes as it is, and what follows is new.
        if self.shared.lost.load(Relaxed) {
            self.shared.leased.lose();
            self.shared.lost.store(false, Relaxed);
        }
        Ok(())
    }

    /// Whether others have the numbers of this process: the writer must write now.
    pub(crate) fn is_lost(&self) -> bool {
        self.shared.lost.load(Relaxed)
    }

    /// Findings that the store has now, and whether this process brought them.
    pub(crate) fn take_told(&self) -> Vec<(Stored, bool)> {
        std::mem::take(&mut lock(&self.shared.told))
    }

    /// For how long the database has been away.
    pub(crate) fn is_away(&self) -> bool {
        self.shared.away_ms.load(Relaxed) > 0
    }

    /// Delivers what is left, and leaves. What cannot be delivered stays on disk.
    pub(crate) fn end(&mut self) -> Result<(), Error> {
        self.shared.ending.store(true, Relaxed);
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
        if let Some(error) = lock(&self.shared.failure).take() {
            return Err(error);
        }
        let mut spools = std::mem::take(&mut *lock(&self.shared.spools));
        if let Some(left) = spools.iter().find(|s| !s.is_empty()) {
            let message = format!(
                "the shared store is away; what it did not take waits in {}: `smelt join` on this machine delivers it",
                left.folder().display()
            );
            return Err(Error::new(ErrorKind::Away, message));
        }
        spools.drain(..).for_each(Spool::close);
        Ok(())
    }
}

/// What examines findings of a shared campaign.
#[derive(Debug)]
pub(crate) struct Examining {
    shared: Arc<Shared>,
    member: Option<Member>,
}

impl Examining {
    /// The process under its id of now.
    fn member(&mut self) -> &mut Member {
        let id = lock(&self.shared.machine).clone();
        let known = self.member.take().filter(|m| m.id() == id);
        self.member.insert(known.unwrap_or_else(|| Member::known(&self.shared.address, &id)))
    }

    /// A finding that nobody examines, with all that is known of others; `None` if there is none now, or the store is away.
    pub(crate) fn next(&mut self) -> Option<(Stored, Vec<smelt_triage::Dossier>)> {
        let member = self.member();
        let wanted = member.wanted().ok()??;
        let store = member.store().ok()?;
        Some((store.finding(&wanted.finding).ok()?, store.dossiers().ok()?))
    }

    /// Stores a dossier. If a smaller script took the place of its own meanwhile, the finding is to be examined again.
    pub(crate) fn note(&mut self, triaged: Triaged) -> Result<(), Error> {
        let finding = triaged.finding.clone();
        let member = self.member();
        member.note(triaged)?;
        if !member.store()?.finding(&finding)?.examined {
            member.give_back(&finding)?;
        }
        Ok(())
    }
}

impl Drop for Link {
    fn drop(&mut self) {
        let _ = self.end();
    }
}

impl Shared {
    fn run(&self, mut member: Member) {
        let started = Instant::now();
        let (mut news, mut pause) = (Instant::now() - PAUSE, None::<Instant>);
        let mut away: Option<Instant> = None;
        let mut wait_until = Instant::now();
        loop {
            let ending = self.ending.load(Relaxed);
            if pause.is_none_or(|until| Instant::now() >= until) {
                pause = None;
                let done = self.round(&mut member, started, &mut news, &mut wait_until, ending);
                match done {
                    Ok(()) => {
                        away = None;
                        self.away_ms.store(0, Relaxed);
                        if ending && lock(&self.spools).iter().all(Spool::is_empty) {
                            let _ = member.leave();
                            if let Ok(low) = member.store().and_then(|store| store.low(CASES)) {
                                self.leased.set_low(low);
                            }
                            return;
                        }
                    }
                    Err(e) if e.kind() == ErrorKind::Away => {
                        let since = *away.get_or_insert_with(Instant::now);
                        self.away_ms.store(since.elapsed().as_millis() as u64 + 1, Relaxed);
                        if ending && since.elapsed() > PATIENCE {
                            return;
                        }
                        pause = Some(Instant::now() + AGAIN);
                    }
                    Err(e) => {
                        lock(&self.failure).get_or_insert(e);
                        self.leased.end();
                        return;
                    }
                }
            }
            std::thread::sleep(LOOK);
        }
    }

    fn round(
        &self,
        member: &mut Member,
        started: Instant,
        news: &mut Instant,
        wait_until: &mut Instant,
        ending: bool,
    ) -> Result<(), Error> {
        self.deliver(member)?;
        if ending || self.lost.load(Relaxed) {
            return Ok(());
        }
        if member.id() != *lock(&self.machine) {
            return Ok(());
        }
        self.stock_up(member, started, wait_until)?;
        if news.elapsed() >= PAUSE {
            *news = Instant::now();
            let heard = member.news()?;
            lock(&self.told).extend(heard.findings.into_iter().map(|f| (f, false)));
            if heard.gone {
                self.join_again(member)?;
            }
        }
        Ok(())
    }

    /// Delivers all that waits, in order.
    fn deliver(&self, member: &mut Member) -> Result<(), Error> {
        loop {
            let first = |spools: &mut Vec<Spool>| {
                spools.iter_mut().enumerate().find_map(|(i, spool)| Some((i, spool.first()?)))
            };
            let Some((index, delivery)) = first(&mut lock(&self.spools)) else { return Ok(()) };
            let receipt = member.deliver(&delivery)?;
            lock(&self.spools)[index].arrived(delivery.number);
            let (filed, is_lost) = match receipt {
                Receipt::Taken(filed) => (filed, false),
                Receipt::Known => (Vec::new(), false),
                Receipt::Lost(filed) => (filed, true),
            };
            for id in filed.into_iter().filter_map(|f| if let Filed::New(id) = f { Some(id) } else { None }) {
                let stored = member.store()?.finding(&id.to_string())?;
                lock(&self.told).push((stored, true));
            }
            if is_lost && delivery.machine == *lock(&self.machine) {
                self.join_again(member)?;
            }
        }
    }

    /// Others have the numbers of this process: it goes on under another id, once the writer knows.
    fn join_again(&self, member: &mut Member) -> Result<(), Error> {
        let id = new_id();
        let [host, smelt, solvers] = &self.me;
        *member = Member::join(&self.address, &id, host, smelt, solvers)?;
        let folder = member.store()?.folder().to_owned();
        self.lost.store(true, Relaxed);
        // The batch that the writer has is not of the new id.
        while self.lost.load(Relaxed) && !self.ending.load(Relaxed) {
            std::thread::sleep(LOOK);
        }
        lock(&self.spools).push(Spool::new(&folder, &id)?);
        *lock(&self.machine) = id;
        Ok(())
    }

    /// Leases numbers if few are at hand: for a while of work, and at the end of a campaign no more than a fair share.
    fn stock_up(&self, member: &mut Member, started: Instant, wait_until: &mut Instant) -> Result<(), Error> {
        let (at_hand, done) = self.leased.figures();
        let a_second = done as f64 / started.elapsed().as_secs_f64().max(1.0);
        let enough = (a_second * STOCK.as_secs_f64()) as u64;
        let fair = self.leased.end.map_or(MOST, |end| (end / 64).max(8 * self.jobs));
        if at_hand >= enough.clamp(4 * self.jobs, fair) || Instant::now() < *wait_until {
            return Ok(());
        }
        let want = enough.max(32 * self.jobs).min(fair).min(MOST);
        match member.take_range(CASES, want, self.leased.end)? {
            Answer::Range(range) => self.leased.add(range),
            Answer::Wait => *wait_until = Instant::now() + SOON,
            Answer::Over => self.leased.end(),
            Answer::Gone => self.join_again(member)?,
        }
        Ok(())
    }
}
