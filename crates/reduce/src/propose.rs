//! Two ways to propose candidates: subsets of independent edits, halved when they fail; and edits one by one.

use std::collections::{HashMap, VecDeque};
use std::ops::Range;

use smelt_smtlib::{Arena, Script};

use crate::edit::Edit;
use crate::search::{Fate, Length, Proposal, Proposer};

/// Some slots, and which of their alternatives.
#[derive(Clone, Debug)]
struct Group {
    slots: Range<usize>,
    alternative: usize,
}

/// Independent slots, each with alternatives. All slots are tried at once, then halves, down to single ones.
pub(crate) struct Subsets<B> {
    build: B,
    /// How many alternatives each slot has.
    counts: Vec<usize>,
    chosen: Vec<Option<usize>>,
    queue: VecDeque<Group>,
    flying: HashMap<usize, Group>,
    tickets: usize,
    length: Length,
}

/// How many alternatives are tried on many slots at once; more rarely help.
const JOINT: usize = 2;

impl<B: FnMut(&mut Arena, &[(usize, usize)]) -> Option<Script>> Subsets<B> {
    /// Slots by their numbers of alternatives. `build` makes a script from pairs of a slot and its chosen alternative.
    pub(crate) fn new(counts: Vec<usize>, length: Length, build: B) -> Self {
        let slots = counts.len();
        let most = counts.iter().copied().max().unwrap_or(0);
        let joint = if slots > 1 { JOINT.min(most) } else { 0 };
        let mut queue: VecDeque<Group> =
            (0..joint).map(|alternative| Group { slots: 0..slots, alternative }).collect();
        for (slot, count) in counts.iter().enumerate() {
            queue.extend((joint..*count).map(|alternative| Group { slots: slot..slot + 1, alternative }));
        }
        Subsets {
            build,
            counts,
            chosen: vec![None; slots],
            queue,
            flying: HashMap::new(),
            tickets: 0,
            length,
        }
    }

    /// The open slots of a group, together with earlier choices.
    fn choice(&self, group: &Group) -> Option<Vec<(usize, usize)>> {
        let open = |slot: usize| self.chosen[slot].is_none() && self.counts[slot] > group.alternative;
        group.slots.clone().any(open).then(|| {
            let chosen = |slot: usize| match self.chosen[slot] {
                Some(alternative) => Some((slot, alternative)),
                None => (group.slots.contains(&slot) && open(slot)).then_some((slot, group.alternative)),
            };
            (0..self.chosen.len()).filter_map(chosen).collect()
        })
    }

    fn split(&mut self, group: Group) {
        let middle = group.slots.start + group.slots.len() / 2;
        if group.slots.len() > 1 {
            self.queue.push_front(Group { slots: middle..group.slots.end, ..group });
            self.queue.push_front(Group { slots: group.slots.start..middle, ..group });
        }
    }
}

impl<B: FnMut(&mut Arena, &[(usize, usize)]) -> Option<Script>> Proposer for Subsets<B> {
    fn next(&mut self, arena: &mut Arena, _: &Script) -> Option<Proposal> {
        while let Some(group) = self.queue.pop_front() {
            let Some(choice) = self.choice(&group) else { continue };
            match (self.build)(arena, &choice) {
                Some(script) => {
                    self.tickets += 1;
                    self.flying.insert(self.tickets, group);
                    return Some(Proposal { ticket: self.tickets, script });
                }
                None => self.split(group),
            }
        }
        None
    }

    fn settle(&mut self, ticket: usize, fate: Fate) {
        let Some(group) = self.flying.remove(&ticket) else { return };
        match fate {
            Fate::Failed => self.split(group),
            Fate::Stale => self.queue.push_front(group),
            Fate::Accepted => {
                for slot in group.slots.filter(|slot| self.counts[*slot] > group.alternative) {
                    self.chosen[slot].get_or_insert(group.alternative);
                }
            }
        }
    }

    fn length(&self) -> Length {
        self.length
    }

    fn forgets(&self) -> bool {
        true
    }
}

/// The edits to try on a script, the most promising first.
pub(crate) type Plan = fn(&mut Arena, &Script) -> Vec<Edit>;

/// Edits one by one; they are planned again after each that is accepted.
pub(crate) struct Each {
    plan: Plan,
    edits: Vec<Edit>,
    at: usize,
    outdated: bool,
    length: Length,
}

impl Each {
    pub(crate) fn new(plan: Plan, length: Length) -> Self {
        Each { plan, edits: Vec::new(), at: 0, outdated: true, length }
    }
}

impl Proposer for Each {
    fn next(&mut self, arena: &mut Arena, base: &Script) -> Option<Proposal> {
        if std::mem::take(&mut self.outdated) {
            self.edits = (self.plan)(arena, base);
        }
        while let Some(edit) = self.edits.get(self.at) {
            self.at += 1;
            if let Some(script) = edit(arena, base) {
                return Some(Proposal { ticket: self.at - 1, script });
            }
        }
        None
    }

    fn settle(&mut self, ticket: usize, fate: Fate) {
        match fate {
            Fate::Failed => {}
            Fate::Stale => self.at = self.at.min(ticket),
            Fate::Accepted => {
                self.at = self.at.min(ticket);
                self.outdated = true;
            }
        }
    }

    fn length(&self) -> Length {
        self.length
    }
}
