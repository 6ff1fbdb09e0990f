//! The link of a process to a shared campaign: a thread that leases numbers, delivers results, and fetches the results of other processes.
//!
//! The writer puts each batch into the spool on disk, and the thread delivers it. So workers and writer never wait
//! for the database, and undelivered batches survive the process. If the database is unreachable, the thread tries
//! again. If other processes took over its numbers meanwhile, it joins again under a new id and discards its
//! leases.

mod leased;
mod lessons;

use smelt_store::shared::{
    Address, CASES, Delivery, Hear, Leased as Answer, Member, Receipt, Spool, host, is_hurried, new_id,
};
use smelt_store::{Arm, Batch, Counts, Error, ErrorKind, Filed, Store, Stored, Sums, Triaged};
use smelt_trial::lock;
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use crate::lab::Config;
use crate::numbers::Numbers;
use crate::plan::Plan;
use crate::seeds::SeedText;
use crate::source::Learning;
use crate::writer::way_key;
use leased::Leased;
use lessons::Lessons;

/// Counts are delivered this often.
pub(crate) const PAUSE: Duration = Duration::from_secs(15);
/// Findings are delivered at once, but not more often than this.
pub(crate) const SOON: Duration = Duration::from_secs(2);
/// How often others are asked what they found and learned, and every how many times about seeds.
const NEWS: Duration = Duration::from_secs(6);
const SEEDS: u64 = 10;
/// How often the thread looks whether something is to be done.
const LOOK: Duration = Duration::from_millis(100);
/// After this time without it, the database is tried again.
const AGAIN: Duration = Duration::from_secs(2);
/// Numbers at hand last for at least this time, a little longer than a lease: a database that comes back in time to keep
/// the leases has stopped no test.
const STOCK: Duration = Duration::from_secs(200);
/// The most numbers of a range.
const MOST: u64 = 100_000;
/// A range that is waited for is asked for again after this time.
const WAIT: Duration = Duration::from_secs(1);
/// If more waits on disk, no new case is begun.
const FULL: u64 = 512 << 20;
/// How long the end of a campaign waits for a database that is unreachable, and how long if the user interrupted it.
const PATIENCE: Duration = Duration::from_secs(60);
const HURRY: Duration = Duration::from_secs(2);
/// How long a process keeps its leases without being seen.
const LEASE: Duration = Duration::from_secs(180);

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
    /// The numbers of the campaign's cases.
    leased: Arc<Leased>,
    /// By key, those of ways in order; none where numbers deal out the cases.
    ways: BTreeMap<String, Arc<Leased>>,
    /// Those that processes left which are no more, and the one of this process last.
    spools: Mutex<Vec<Spool>>,
    machine: Mutex<String>,
    /// Whether others have the numbers of this process; the writer then joins again.
    lost: AtomicBool,
    /// What the writer tells on: findings of this process that are new, and findings of others.
    told: Mutex<Vec<(Stored, bool)>>,
    /// Whether the scheduler learns, and what others learned.
    learns: bool,
    lessons: Mutex<Vec<(Arm, Sums)>>,
    failure: Mutex<Option<Error>>,
    ending: AtomicBool,
    /// Since when the database is unreachable, in milliseconds of the link; 0 if it is there.
    away_ms: AtomicU64,
    jobs: u64,
    me: [String; 3],
}

/// Makes a campaign in a shared store, with all that those need who join.
pub(crate) fn create(address: &Address, seeds: &[SeedText], lease: Option<Duration>) -> Result<Store, Error> {
    let mut store = Store::create_shared(address)?;
    let list: Vec<_> =
        seeds.iter().map(|s| (s.hash.to_string(), s.status.map(|v| v.as_str()), s.proved)).collect();
    let label = |s: &SeedText| s.status.or(s.stated()).map(|v| v.as_str());
    store.keep_seeds(seeds.iter().map(|s| (s.hash.to_string(), s.name.as_str(), &s.text[..], label(s))))?;
    let values = [
        ("seed_list".into(), serde_json::to_string(&list).unwrap_or_default()),
        ("lease_ms".into(), lease.unwrap_or(LEASE).as_millis().to_string()),
    ];
    store.write(&Batch { values: values.into_iter().collect(), ..Batch::default() })?;
    Ok(store)
}

/// The seeds of a shared campaign, as they were when it was made.
pub fn shared_seeds(store: &Store) -> Result<Vec<SeedText>, Error> {
    let damaged = |what: &str| Error::new(ErrorKind::Damaged, format!("{}: {what}", store.place()));
    let list = store.value("seed_list")?.ok_or_else(|| damaged("it is still being created"))?;
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
    pub(crate) fn start(
        address: &Address,
        store: &Store,
        config: &Config,
        plans: &[Plan],
    ) -> Result<Link, Error> {
        let learns = config.learning != Learning::Uniform;
        let in_order = plans.iter().flat_map(|plan| {
            plan.ways.iter().filter(|w| learns && w.in_order).map(|w| way_key(plan.row.name, &w.text))
        });
        let ids: Vec<String> = config.solvers.iter().map(|c| c.solver.id().to_string()).collect();
        let me = [host(), env!("CARGO_PKG_VERSION").to_owned(), ids.join(" ")];
        let id = new_id();
        let member = Member::join(address, &id, &me[0], &me[1], &me[2])?;
        let mut spools = Spool::left(store.folder());
        spools.push(Spool::new(store.folder(), &id)?);
        let shared = Arc::new(Shared {
            address: address.clone(),
            leased: Arc::new(Leased::new(config.tests)),
            ways: in_order.map(|key| (key, Arc::new(Leased::new(None)))).collect(),
            spools: Mutex::new(spools),
            machine: Mutex::new(id),
            lost: AtomicBool::new(false),
            told: Mutex::default(),
            learns,
            lessons: Mutex::default(),
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

    /// Where the numbers of a way in order come from; `None` if the cases of the campaign have them.
    pub(crate) fn turns(&self, key: &str) -> Option<Arc<dyn Numbers>> {
        Some(self.shared.ways.get(key)?.clone())
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
        for way in self.shared.ways.values() {
            delivery.progress.extend(way.take_progress().1);
        }
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
            self.shared.all().for_each(Leased::lose);
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

    /// What others learned since the last time.
    pub(crate) fn take_lessons(&self) -> Vec<(Arm, Sums)> {
        std::mem::take(&mut lock(&self.shared.lessons))
    }

    /// For how long the database has been away.
    pub(crate) fn is_away(&self) -> bool {
        self.shared.away_ms.load(Relaxed) > 0
    }

    /// Delivers what is left, and leaves. What cannot be delivered stays on disk.
    pub(crate) fn end(&mut self) -> Result<(), Error> {
        self.shared.ending.store(true, Relaxed);
        if let Some(thread) = self.thread.take() {
            // A little longer than a wait of its own.
            let began = Instant::now();
            while !thread.is_finished() && began.elapsed() < patience() + LOOK * 10 {
                std::thread::sleep(LOOK);
            }
            match thread.is_finished() {
                true => drop(thread.join()),
                // It ends with the process; what it did not deliver is on disk.
                false => {
                    let message = lock(&self.shared.spools).last().map(left_behind).unwrap_or_default();
                    return Err(Error::new(ErrorKind::Away, message));
                }
            }
        }
        if let Some(error) = lock(&self.shared.failure).take() {
            return Err(error);
        }
        let mut spools = std::mem::take(&mut *lock(&self.shared.spools));
        if let Some(left) = spools.iter().find(|s| !s.is_empty()) {
            return Err(Error::new(ErrorKind::Away, left_behind(left)));
        }
        spools.drain(..).for_each(Spool::close);
        Ok(())
    }
}

/// How long the end of a campaign waits for a database that is unreachable.
fn patience() -> Duration {
    if is_hurried() { HURRY } else { PATIENCE }
}

fn left_behind(spool: &Spool) -> String {
    format!(
        "the shared store is unreachable; undelivered results are saved in {}: run `smelt join` on this machine to deliver them",
        spool.folder().display()
    )
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

    /// A finding that no process examines, with the known facts about others; `None` if there is none, or the store is unreachable.
    pub(crate) fn next(&mut self) -> Option<(Stored, Vec<smelt_core::Dossier>)> {
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

/// What the thread of a link remembers.
struct Rounds {
    started: Instant,
    /// When news were asked for last, and how often.
    news: Option<Instant>,
    asked: u64,
    /// All numbers are given out, but not all are done: wait until then.
    wait_until: Instant,
    lessons: Lessons,
    /// Whether the store may have leased numbers while its answer was lost.
    unsure: bool,
}

impl Shared {
    /// All sources of numbers.
    fn all(&self) -> impl Iterator<Item = &Leased> {
        std::iter::once(&*self.leased).chain(self.ways.values().map(|way| &**way))
    }

    fn run(&self, mut member: Member) {
        let now = Instant::now();
        let mut rounds = Rounds {
            started: now,
            news: None,
            asked: 0,
            wait_until: now,
            lessons: Lessons::default(),
            unsure: false,
        };
        let (mut pause, mut away) = (None::<Instant>, None::<Instant>);
        loop {
            let ending = self.ending.load(Relaxed);
            if pause.is_none_or(|until| Instant::now() >= until) {
                pause = None;
                match self.round(&mut member, &mut rounds, ending) {
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
                        rounds.unsure = true;
                        let since = *away.get_or_insert_with(Instant::now);
                        self.away_ms.store(since.elapsed().as_millis() as u64 + 1, Relaxed);
                        if ending && since.elapsed() > patience() {
                            return;
                        }
                        pause = Some(Instant::now() + AGAIN);
                    }
                    Err(e) => {
                        lock(&self.failure).get_or_insert(e);
                        self.all().for_each(Leased::end);
                        return;
                    }
                }
            }
            std::thread::sleep(LOOK);
        }
    }

    fn round(&self, member: &mut Member, rounds: &mut Rounds, ending: bool) -> Result<(), Error> {
        self.deliver(member, &mut rounds.lessons)?;
        if ending || self.lost.load(Relaxed) {
            return Ok(());
        }
        if member.id() != *lock(&self.machine) {
            return Ok(());
        }
        if rounds.unsure {
            self.add_held(member)?;
            rounds.unsure = false;
        }
        self.stock_up(member, rounds)?;
        if self.lost.load(Relaxed) || member.id() != *lock(&self.machine) {
            return Ok(());
        }
        self.stock_up_ways(member, rounds)?;
        if rounds.news.is_none_or(|asked| asked.elapsed() >= NEWS) {
            rounds.news = Some(Instant::now());
            let hear = match (self.learns, rounds.asked % SEEDS) {
                (false, _) => Hear::Nothing,
                (true, 0) => Hear::All,
                (true, _) => Hear::Ways,
            };
            rounds.asked += 1;
            let heard = member.news(hear)?;
            lock(&self.told).extend(heard.findings.into_iter().map(|f| (f, false)));
            lock(&self.lessons).extend(rounds.lessons.of_others(heard.counts));
            if heard.gone {
                self.join_again(member)?;
            }
        }
        Ok(())
    }

    /// Delivers all that waits, in order.
    fn deliver(&self, member: &mut Member, lessons: &mut Lessons) -> Result<(), Error> {
        loop {
            let first = |spools: &mut Vec<Spool>| {
                spools.iter_mut().enumerate().find_map(|(i, spool)| Some((i, spool.first()?)))
            };
            let Some((index, delivery)) = first(&mut lock(&self.spools)) else { return Ok(()) };
            let receipt = member.deliver(&delivery)?;
            lock(&self.spools)[index].arrived(delivery.number);
            // This process has not learned the results of dead processes.
            if delivery.machine == *lock(&self.machine) && !matches!(receipt, Receipt::Lost(_)) {
                lessons.delivered(delivery.counts());
            }
            let (filed, is_lost) = match receipt {
                Receipt::Taken(filed) => (filed, false),
                Receipt::Known => (Vec::new(), false),
                Receipt::Lost(filed) => (filed, true),
            };
            let new: Vec<i64> = filed
                .into_iter()
                .filter_map(|f| if let Filed::New(id) = f { Some(id) } else { None })
                .collect();
            let stored = member.findings(&new)?;
            lock(&self.told).extend(stored.into_iter().map(|stored| (stored, true)));
            if is_lost && delivery.machine == *lock(&self.machine) {
                self.join_again(member)?;
            }
        }
    }

    /// Other processes took over the numbers of this process: it continues under another id as soon as the writer knows.
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

    /// Adds ranges that are leased to this process although it does not know them: no other process would finish them.
    fn add_held(&self, member: &mut Member) -> Result<(), Error> {
        for range in member.held()? {
            match self.ways.get(&range.stream) {
                Some(way) => way.add(range),
                None if range.stream == CASES => self.leased.add(range),
                None => {}
            }
        }
        Ok(())
    }

    /// Leases numbers if few are at hand: for a while of work, and at the end of a campaign no more than a fair share.
    fn stock_up(&self, member: &mut Member, rounds: &mut Rounds) -> Result<(), Error> {
        let (at_hand, enough) = self.enough(&self.leased, rounds);
        let fair = self.leased.end.map_or(MOST, |end| (end / 64).max(8 * self.jobs));
        if at_hand >= enough.clamp(4 * self.jobs, fair) || Instant::now() < rounds.wait_until {
            return Ok(());
        }
        let want = enough.max(32 * self.jobs).min(fair).min(MOST);
        match member.take_range(CASES, want, self.leased.end)? {
            Answer::Range(range) => self.leased.add(range),
            Answer::Wait => rounds.wait_until = Instant::now() + WAIT,
            Answer::Over => self.leased.end(),
            Answer::Gone => self.join_again(member)?,
        }
        Ok(())
    }

    /// How many numbers are at hand, and how many are enough for a while.
    fn enough(&self, leased: &Leased, rounds: &Rounds) -> (u64, u64) {
        let (at_hand, done) = leased.figures();
        let a_second = done as f64 / rounds.started.elapsed().as_secs_f64().max(1.0);
        (at_hand, (a_second * STOCK.as_secs_f64()) as u64)
    }

    /// Leases numbers of ways in order, of all at once: there are many, and none should ask often.
    fn stock_up_ways(&self, member: &mut Member, rounds: &Rounds) -> Result<(), Error> {
        let state = |way: &Arc<Leased>| {
            let (at_hand, enough) = self.enough(way, rounds);
            let want = (8 * enough).clamp(32 * self.jobs, MOST);
            (at_hand, at_hand < enough.max(4 * self.jobs), want)
        };
        let all: Vec<_> = self.ways.iter().map(|(key, way)| (key.as_str(), state(way))).collect();
        let is_due =
            |(key, (_, is_short, _)): &(&str, (u64, bool, u64))| *is_short && self.ways[*key].is_wanted();
        if !all.iter().any(is_due) {
            return Ok(());
        }
        let few = all.iter().filter(|(_, (at_hand, _, want))| 2 * at_hand < *want);
        let wants: Vec<(&str, u64)> = few.map(|(key, (.., want))| (*key, *want)).collect();
        match member.take_ranges(&wants)? {
            Some(ranges) => ranges.into_iter().for_each(|range| self.ways[&range.stream].add(range)),
            None => self.join_again(member)?,
        }
        Ok(())
    }
}
