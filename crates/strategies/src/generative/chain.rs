//! A chain of steps: the current mutant as text, with all its places.
//!
//! The paper collects the expressions and occurrences of the seed once. Here each step uses the places of the
//! mutant of the previous step, so that later steps can also change what a step made.

use std::collections::HashSet;

use smelt_core::SeedHash;
use smelt_smtlib::{Arena, Sort, Symbol};

use super::Table;
use super::step::{Donor, Spot, Step};
use crate::alive::{Alive, Life};
use crate::pool::{Edits, Seed};
use crate::rng::Rng;

/// How many places are tried in one step.
const TRIES: usize = 32;
/// A mutant may have this many times the text of its seed, and this many bytes more: chains of random steps grow.
const GROWTH: (usize, usize) = (2, 1_000);

/// A place that may change.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Site {
    /// Where it is in the text.
    pub(super) start: u32,
    pub(super) end: u32,
    /// The position of its sort.
    pub(super) sort: u32,
    /// Its command.
    pub(super) command: u32,
    /// The variables around it.
    pub(super) scope: u32,
}

/// A mutant in the making.
#[derive(Clone, Debug, Default)]
pub(super) struct Chain {
    /// Its text.
    pub(super) text: Vec<u8>,
    /// Its places, in order.
    sites: Vec<Site>,
    /// Where each assertion is: the command, start and end.
    roots: Vec<(u32, u32, u32)>,
    /// The variables of quantifiers and `let`s in copies.
    copies: Vec<(Symbol, Sort, u32)>,
    /// Hashes of all texts so far.
    seen: HashSet<u64>,
    /// Commands that were changed.
    changed: Vec<u32>,
    next: Vec<u8>,
    edits: Edits,
    made: Vec<(Sort, std::ops::Range<usize>, u32)>,
}

impl Chain {
    /// Back to the seed.
    pub(super) fn start(&mut self, seed: &Seed, table: &Table) {
        self.text.clear();
        self.text.extend_from_slice(&seed.text);
        self.sites.clear();
        self.sites.extend(table.sites.iter().map(|&(at, sort)| {
            let span = &seed.spans[at as usize];
            let place = seed.places.get(at as usize).expect("a place of the seed");
            let command = table.expressions.command_of[at as usize];
            Site { start: span.start, end: span.end, sort, command, scope: seed.places.scope(place) }
        }));
        self.roots.clone_from(&table.roots);
        self.copies.clear();
        self.seen.clear();
        self.changed.clear();
        self.seen.insert(SeedHash::of(&self.text).0);
    }

    /// Takes in a mutant whose forms are not known: those of the commands that earlier steps changed.
    pub(super) fn resume(&self, arena: &mut Arena, seed: &Seed, alive: &mut Alive, life: &mut Life) {
        for command in &self.changed {
            if let Some(&(_, start, end)) = self.root(*command) {
                alive.allows(arena, seed, life, *command, &self.text[start as usize..end as usize]);
            }
        }
    }

    fn root(&self, command: u32) -> Option<&(u32, u32, u32)> {
        self.roots.binary_search_by_key(&command, |r| r.0).ok().map(|i| &self.roots[i])
    }

    /// Takes a step; `false` if nothing that was tried fitted.
    pub(super) fn step(
        &mut self,
        arena: &mut Arena,
        (seed, table, donor, constants): (&Seed, &Table, Option<Donor<'_>>, bool),
        (alive, life): (&mut Alive, &mut Life),
        (rng, log): (&mut Rng, &mut Vec<u8>),
    ) -> bool {
        let most = seed.text.len() * GROWTH.0 + GROWTH.1;
        for _ in 0..TRIES {
            let Some(&site) = rng.pick(&self.sites) else { return false };
            let copies = self.copies.len();
            self.edits.clear();
            let old = &self.text[site.start as usize..site.end as usize];
            let spot = Spot { command: site.command, scope: site.scope, old, strict: true };
            let step = Step::new(seed, table, &mut self.edits, &mut self.made, rng);
            let mut step = step.with(constants, donor).tracking(&mut self.copies);
            let made = step.expression(spot, site.sort);
            let sites = step.into_sites();
            let grows = self.edits.new.len() > old.len();
            if made && !(grows && self.text.len() > most) && self.accepts(arena, seed, (alive, life), site) {
                log.extend_from_slice(format!("byte {} := ", site.start).as_bytes());
                log.extend_from_slice(&self.edits.new);
                log.push(b'\n');
                self.take(site, &sites);
                return true;
            }
            self.copies.truncate(copies);
        }
        false
    }

    /// Whether the mutant with the new text at a place is another one than those before, and alive. It is then the next.
    fn accepts(
        &mut self,
        arena: &mut Arena,
        seed: &Seed,
        (alive, life): (&mut Alive, &mut Life),
        site: Site,
    ) -> bool {
        let (start, end) = (site.start as usize, site.end as usize);
        self.next.clear();
        self.next.extend_from_slice(&self.text[..start]);
        self.next.extend_from_slice(&self.edits.new);
        self.next.extend_from_slice(&self.text[end..]);
        let hash = SeedHash::of(&self.next).0;
        if self.seen.contains(&hash) {
            return false;
        }
        if let Some(&(_, from, to)) = self.root(site.command) {
            let to = to as usize + self.next.len() - self.text.len();
            if !alive.allows(arena, seed, life, site.command, &self.next[from as usize..to]) {
                return false;
            }
        }
        self.seen.insert(hash);
        true
    }

    /// Puts in what was made at a place, with the places in it.
    fn take(&mut self, site: Site, new: &[Site]) {
        std::mem::swap(&mut self.text, &mut self.next);
        let delta = self.edits.new.len() as i64 - i64::from(site.end - site.start);
        let moved = |at: u32| (i64::from(at) + delta) as u32;
        let first = self.sites.partition_point(|s| s.start < site.start);
        let last = first + self.sites[first..].partition_point(|s| s.start < site.end);
        for outer in self.sites[..first].iter_mut().filter(|s| s.end >= site.end) {
            outer.end = moved(outer.end);
        }
        for later in &mut self.sites[last..] {
            (later.start, later.end) = (moved(later.start), moved(later.end));
        }
        let placed = new.iter().map(|s| Site { start: s.start + site.start, end: s.end + site.start, ..*s });
        self.sites.splice(first..last, placed);
        for root in self.roots.iter_mut().filter(|r| r.2 >= site.end) {
            if root.1 >= site.end {
                root.1 = moved(root.1);
            }
            root.2 = moved(root.2);
        }
        if !self.changed.contains(&site.command) {
            self.changed.push(site.command);
        }
    }
}
