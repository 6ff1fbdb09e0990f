//! The sink of a campaign: a folder, or a store that several machines share. It takes all results, reports what
//! other processes found and learned, and keeps the queue of findings to examine.
//!
//! The shared sink is a link ([`crate::link`]): batches wait on disk until the database has accepted them. All
//! differences between the two are handled here.

use smelt_core::{Dossier, Kind, Verdict};
use smelt_store::{Arm, Batch, Counts, Error, Filed, Store, Stored, Sums, Triaged};
use smelt_triage::priority;
use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, SyncSender};
use std::time::{Duration, Instant};

use crate::lab::Config;
use crate::link::{Examining, Link};
use crate::numbering::{Kept, Turns};
use crate::numbers::{Numbers, shares};
use crate::plan::Plan;
use crate::schedule::Place;
use crate::seeds::SeedText;
use crate::source::Learning;
use crate::writer::{Record, ways};

/// A folder is written to this often.
pub(crate) const PAUSE: Duration = Duration::from_millis(250);
/// A shared store is asked for a finding to examine this often.
const ASK: Duration = Duration::from_secs(10);

/// Counts of ways, and of solvers by way and size, since the last batch.
#[derive(Debug, Default)]
pub(crate) struct Tables {
    pub(crate) ways: Vec<(String, Counts)>,
    pub(crate) sizes: Vec<(String, u64, String, [u64; 2])>,
}

/// Where results go.
#[derive(Debug)]
pub(crate) struct Sink {
    store: Store,
    link: Option<Link>,
    /// Findings that are new in the folder.
    told: Vec<(Stored, bool)>,
}

impl Sink {
    /// Opens or makes the store. A shared one is joined.
    #[cfg_attr(not(feature = "postgres"), expect(unused_variables, reason = "only a link needs plans"))]
    pub(crate) fn open(config: &Config, plans: &[Plan], seeds: &[SeedText]) -> Result<Sink, Error> {
        #[cfg(feature = "postgres")]
        if let Some(address) = smelt_store::shared::Address::of(&config.out) {
            let address = address?;
            let store = match config.resume {
                true => Store::open_shared(&address)?,
                false => crate::link::create(&address, &config.seeds, config.lease)?,
            };
            let link = Link::start(&address, &store, config, plans)?;
            return Ok(Sink { store, link: Some(link), told: Vec::new() });
        }
        let mut store = if config.resume { Store::resume(&config.out)? } else { Store::create(&config.out)? };
        let status = |s: &SeedText| s.status.or(s.stated()).map(Verdict::as_str);
        store.add_seeds(seeds.iter().map(|s| (s.hash.to_string(), s.name.as_str(), status(s))))?;
        Ok(Sink { store, link: None, told: Vec::new() })
    }

    /// The store, to read from.
    pub(crate) fn store(&self) -> &Store {
        &self.store
    }

    /// Whether processes share the campaign.
    pub(crate) fn is_shared(&self) -> bool {
        self.link.is_some()
    }

    /// Where the numbers of cases come from; and whether the campaign ends with them.
    pub(crate) fn numbers(&self, config: &Config) -> Result<(Arc<dyn Numbers>, bool), Error> {
        let given = self.link.as_ref().map(Link::numbers).or_else(|| config.numbers.clone());
        let ends = given.is_some() || config.learning == Learning::Uniform;
        let numbers = match given {
            Some(numbers) => numbers,
            None => Arc::new(shares(&self.store, config)?),
        };
        Ok((numbers, ends))
    }

    /// What earlier runs kept of a way, and its next numbers. A shared store has tables for that.
    pub(crate) fn kept(&self, key: &str) -> Result<(Kept, Turns), Error> {
        let stored = if self.link.is_none() { self.store.value(key)? } else { None };
        let kept: Kept = stored.and_then(|v| serde_json::from_str(&v).ok()).unwrap_or_default();
        let leased = self.link.as_ref().and_then(|link| link.turns(key));
        let turns = leased.map_or_else(|| Turns::new(&kept.numbers), Turns::shared);
        Ok((kept, turns))
    }

    /// What earlier runs counted. Over a link that comes like the counts of other processes.
    pub(crate) fn counts(
        &self,
        plans: &[Plan],
        kept: &[Vec<Kept>],
        seeds: &[SeedText],
    ) -> Result<Vec<(Place, Counts)>, Error> {
        if self.link.is_some() {
            return Ok(Vec::new());
        }
        let (tests, stored) = (self.store.tests()?, self.store.seeds()?);
        let mut counts = Vec::new();
        for (i, plan) in plans.iter().enumerate() {
            counts.extend(tests.get(plan.row.name).map(|(_, of)| (Place::Strategy(i), *of)));
        }
        counts.extend(ways(kept).into_iter().map(|(s, w)| (Place::Way(s, w), kept[s][w].counts)));
        for (i, seed) in seeds.iter().enumerate() {
            counts.extend(stored.get(&seed.hash.to_string()).map(|(_, of)| (Place::Seed(i), *of)));
        }
        Ok(counts)
    }

    /// Writes the settings of this run. Those who join a shared campaign have its settings.
    pub(crate) fn begin(&mut self, batch: &Batch, resume: bool) -> Result<(), Error> {
        if self.link.is_none() || !resume {
            self.store.write(batch)?;
        }
        Ok(())
    }

    /// Whether a batch is due that was begun this long ago.
    pub(crate) fn is_due(&self, batch: &Batch, since: Duration) -> bool {
        match &self.link {
            Some(link) => {
                let urgent = batch.is_urgent() && since >= crate::link::SOON;
                link.is_lost() || urgent || since >= crate::link::PAUSE
            }
            None => batch.is_urgent() || since >= PAUSE,
        }
    }

    /// Whether a batch must be written although nothing is in it.
    pub(crate) fn is_lost(&self) -> bool {
        self.link.as_ref().is_some_and(Link::is_lost)
    }

    /// Takes a batch. Returns the findings that must be examined again: a smaller trigger came meanwhile.
    pub(crate) fn write(
        &mut self,
        mut batch: Batch,
        tables: Tables,
        values: BTreeMap<String, String>,
    ) -> Result<Vec<String>, Error> {
        if let Some(link) = &self.link {
            link.post(&batch, tables.ways, tables.sizes)?;
            return Ok(Vec::new());
        }
        batch.values.extend(values.into_iter().map(|(key, value)| (key.into(), value)));
        let filed = self.store.write(&batch)?;
        for filed in filed {
            if let Filed::New(id) = filed {
                self.told.push((self.store.finding(&id.to_string())?, true));
            }
        }
        let mut again = Vec::new();
        for Triaged { finding, .. } in batch.triaged {
            if !self.store.finding(&finding)?.examined {
                again.push(finding);
            }
        }
        Ok(again)
    }

    /// Findings that the store has now, and whether this process brought them.
    pub(crate) fn take_told(&mut self) -> Vec<(Stored, bool)> {
        let mut told = std::mem::take(&mut self.told);
        told.extend(self.link.as_ref().map(Link::take_told).unwrap_or_default());
        told
    }

    /// What others counted since the last time.
    pub(crate) fn take_lessons(&self) -> Vec<(Arm, Sums)> {
        self.link.as_ref().map(Link::take_lessons).unwrap_or_default()
    }

    /// The findings of which triage shows that they are other bugs.
    pub(crate) fn duplicates(&self) -> Result<HashSet<String>, Error> {
        if self.link.is_some() { Ok(HashSet::new()) } else { self.store.duplicates() }
    }

    /// Whether the database is unreachable.
    pub(crate) fn is_away(&self) -> bool {
        self.link.as_ref().is_some_and(Link::is_away)
    }

    /// Ends a link and reads what all processes did; true if there was one.
    pub(crate) fn end(&mut self, config: &Config) -> Result<bool, Error> {
        let Some(mut link) = self.link.take() else { return Ok(false) };
        link.end()?;
        self.store = Store::open(&config.out)?;
        Ok(true)
    }

    /// The findings to be examined.
    #[cfg_attr(not(feature = "postgres"), expect(unreachable_code, reason = "there are no links"))]
    pub(crate) fn queue(&self, config: &Config) -> Result<Queue, Error> {
        Ok(match &self.link {
            Some(link) => Queue { place: Waiting::Shared(link.examining(), None), known: Vec::new() },
            None => {
                let store = Store::open(&config.out)?;
                let (list, known) = (store.stored()?, store.dossiers()?);
                let again = half_reduced(&list, &store)?;
                Queue { place: Waiting::Folder { store, list, seen: HashMap::new(), again }, known }
            }
        })
    }
}

/// What findings of one bug have in common at first sight.
type Coarse = (Kind, String, Option<String>);

/// The findings to be examined, the most urgent first.
pub(crate) struct Queue {
    place: Waiting,
    /// The dossiers of those that were examined.
    known: Vec<Dossier>,
}

enum Waiting {
    Folder {
        store: Store,
        list: Vec<Stored>,
        seen: HashMap<Coarse, u32>,
        /// Those that were not reduced to the end: they come first.
        again: Vec<String>,
    },
    /// The store decides who examines what; and when it was asked last.
    Shared(Examining, Option<Instant>),
}

impl Queue {
    /// The dossiers of findings that were examined.
    pub(crate) fn known(&self) -> &[Dossier] {
        &self.known
    }

    /// How many findings wait here.
    pub(crate) fn len(&self) -> usize {
        if let Waiting::Folder { list, again, .. } = &self.place { list.len() + again.len() } else { 0 }
    }

    /// Takes a finding up again before all others, once its result is on disk.
    pub(crate) fn take_up_again(&mut self, id: String) {
        if let Waiting::Folder { again, .. } = &mut self.place {
            again.push(id);
        }
    }

    /// Waits for a while until a finding comes.
    pub(crate) fn wait(&mut self, found: &Receiver<String>, pause: Duration) -> Result<(), Error> {
        let Waiting::Folder { store, list, .. } = &mut self.place else {
            std::thread::sleep(pause);
            return Ok(());
        };
        let first = if pause.is_zero() { None } else { found.recv_timeout(pause).ok() };
        for id in first.into_iter().chain(found.try_iter()) {
            list.push(store.finding(&id)?);
        }
        Ok(())
    }

    /// The next finding; `is_last` if nothing more is waited for.
    pub(crate) fn next(&mut self, is_last: bool) -> Result<Option<Stored>, Error> {
        match &mut self.place {
            Waiting::Folder { store, list, seen, again } => {
                if let Some(id) = again.pop() {
                    return store.finding(&id).map(Some);
                }
                let Some(stored) = most_urgent(list, seen) else { return Ok(None) };
                // A smaller trigger may have taken its place since it was found.
                store.finding(&stored.finding.id).map(Some)
            }
            Waiting::Shared(examining, asked) => {
                if !is_last && asked.is_some_and(|asked| asked.elapsed() < ASK) {
                    return Ok(None);
                }
                let next = examining.next();
                *asked = if next.is_none() { Some(Instant::now()) } else { None };
                Ok(next.map(|(stored, known)| {
                    self.known = known;
                    stored
                }))
            }
        }
    }

    /// Passes a dossier on; false if the receiver has ended.
    pub(crate) fn note(&mut self, triaged: Triaged, results: &SyncSender<Record>) -> bool {
        match &mut self.place {
            Waiting::Folder { .. } => {
                self.known.push(triaged.dossier.clone());
                results.send(Record::Triaged(Box::new(triaged))).is_ok()
            }
            // If the store is unreachable, another machine or a later run examines it again.
            Waiting::Shared(examining, _) => {
                let _ = examining.note(triaged);
                true
            }
        }
    }
}

/// The bugs of an earlier run that were not reduced to the end.
fn half_reduced(list: &[Stored], store: &Store) -> Result<Vec<String>, Error> {
    let duplicates = store.duplicates()?;
    let mut half = Vec::new();
    for id in list.iter().filter(|s| s.examined && !s.flaky).map(|s| &s.finding.id) {
        let is_half = !duplicates.contains(id) && store.dossier(id)?.is_some_and(|d| d.is_half_reduced());
        half.extend(is_half.then(|| id.clone()));
    }
    Ok(half)
}

/// Takes the most urgent finding that was not examined: of those alike, one after the other has been looked at, so that
/// every bug has its turn. A finding that cannot be examined is not tried again in this run.
fn most_urgent(waiting: &mut Vec<Stored>, seen: &mut HashMap<Coarse, u32>) -> Option<Stored> {
    waiting.retain(|s| !s.flaky && !s.examined);
    let usual = smelt_solvers::ReportPolicy::default();
    let coarse = |s: &Stored| (s.finding.kind, s.finding.solver.clone(), s.finding.theory.clone());
    let rank = |s: &Stored| {
        let settled = s.claim.is_settled();
        let looked = seen.get(&coarse(s)).copied().unwrap_or(0);
        (looked, priority(s.finding.kind, settled, true, &usual), s.finding.bytes)
    };
    let (at, _) = waiting.iter().enumerate().min_by_key(|(_, s)| rank(s))?;
    let taken = waiting.remove(at);
    *seen.entry(coarse(&taken)).or_default() += 1;
    Some(taken)
}
