//! The writer of a shared campaign: its batches go to the link, and what other processes found and counted comes from it.

use smelt_core::Event;
use smelt_store::{Arm, Batch, Error, Store, Stored, Sums};
use std::collections::BTreeMap;

use super::{Writer, since, way_key, ways};
use crate::lab::Lab;
use crate::schedule::Place;

impl Writer {
    /// Gives a batch to the link.
    pub(super) fn post(&mut self, lab: &Lab<'_>, mut batch: Batch) -> Result<(), Error> {
        self.count(lab, &mut batch);
        let (mut ways, mut sizes) = (Vec::new(), Vec::new());
        for (strategy, way) in std::mem::take(&mut self.changed) {
            let plan = &lab.strategies[strategy];
            let key = way_key(plan.row.name, &plan.ways[way].text);
            let counts = lab.schedule.way_counts(strategy, way);
            ways.push((key.clone(), since(&mut self.way_counts[strategy][way], counts)));
            for (size, solvers) in std::mem::take(&mut self.kept[strategy][way].sizes) {
                sizes.extend(solvers.into_iter().map(|(solver, counts)| (key.clone(), size, solver, counts)));
            }
        }
        self.link.as_ref().map_or(Ok(()), |link| link.post(&batch, ways, sizes))
    }

    /// Takes in what a shared store has of findings: those of others are known from now on.
    pub(super) fn hear(&mut self, lab: &Lab<'_>) {
        let Some(link) = &self.link else { return };
        learn(lab, link.take_lessons());
        for (stored, is_mine) in link.take_told() {
            let Stored { finding, flaky, .. } = stored;
            if is_mine && flaky {
                let (kind, solver) = (finding.kind, finding.solver.to_string());
                lab.sink.event(&Event::Flaky { kind, solver, seen: stored.seen });
            } else if is_mine {
                *self.found.entry(finding.kind).or_default() += 1;
                lab.sink.event(&Event::Found(finding));
            } else {
                lab.ledger.restore(&stored.claim, finding.bytes, flaky, stored.number, || None);
            }
        }
    }

    /// Ends the link and reads what all processes of the campaign did.
    pub(super) fn end_link(&mut self, lab: &Lab<'_>) -> Result<(), Error> {
        let Some(mut link) = self.link.take() else { return Ok(()) };
        link.end()?;
        self.store = Store::open(&lab.config.out)?;
        self.made = self.store.tests()?.into_iter().map(|(name, (made, _))| (name, made)).collect();
        self.tests = self.made.values().sum();
        #[cfg(feature = "postgres")]
        {
            let (sizes, lows) = (self.store.sizes()?, self.store.lows()?);
            for (strategy, way) in ways(&self.kept) {
                let plan = &lab.strategies[strategy];
                let key = way_key(plan.row.name, &plan.ways[way].text);
                let kept = &mut self.kept[strategy][way];
                if plan.ways[way].in_order && lab.deal.is_none() {
                    let low = lows.get(&key).copied().unwrap_or(0);
                    kept.numbers = crate::numbering::Done { low, ..Default::default() };
                }
                for (_, size, solver, counts) in sizes.iter().filter(|(of, ..)| *of == key) {
                    kept.sizes.entry(*size).or_default().insert(solver.clone(), *counts);
                }
            }
        }
        Ok(())
    }
}

/// Passes the counts of others to the scheduler. What this campaign does not have, it does not learn.
fn learn(lab: &Lab<'_>, lessons: Vec<(Arm, Sums)>) {
    if lessons.is_empty() {
        return;
    }
    let mut places: BTreeMap<Arm, Place> = BTreeMap::new();
    for (strategy, plan) in lab.strategies.iter().enumerate() {
        places.insert(Arm::Strategy(plan.row.name.to_owned()), Place::Strategy(strategy));
        for (way, of_plan) in plan.ways.iter().enumerate() {
            places.insert(Arm::Way(way_key(plan.row.name, &of_plan.text)), Place::Way(strategy, way));
        }
    }
    // Seeds may be many, and come seldom.
    if lessons.iter().any(|(arm, _)| matches!(arm, Arm::Seed(_))) {
        let seeds = lab.seeds.iter().enumerate();
        places.extend(seeds.map(|(i, seed)| (Arm::Seed(seed.hash.to_string()), Place::Seed(i))));
    }
    for (arm, counts) in lessons {
        if let Some(place) = places.get(&arm) {
            lab.schedule.hear(*place, counts);
        }
    }
}
