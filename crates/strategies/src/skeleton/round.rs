//! One step of `skeleton`: changes some literals of a script, by rules or by random formulas.

use smelt_core::Relation;
use smelt_smtlib::Arena;
use smelt_smtlib::occurrence::Occurrence;

use super::alike::are_alike;
use super::loan::Loans;
use super::snippet::{Bank, Snippet};
use super::{LITERALS, Literal, Moves, SHORTER, Table};
use crate::alive::Watch;
use crate::pool::{Edits, Seed};
use crate::rng::Rng;
use crate::rules::Engine;

/// A script with what can be done with it.
#[derive(Clone, Copy)]
pub(super) struct Source<'a> {
    pub(super) seed: &'a Seed,
    pub(super) table: &'a Table,
}

impl Source<'_> {
    /// The place of this script where a snippet is made for a place of a later one: the same, or the assertion around it
    /// if no variables are bound there.
    fn standing(&self, later: Source<'_>, place: Occurrence) -> Option<Occurrence> {
        if std::ptr::eq(self.seed, later.seed) {
            return Some(place);
        }
        if later.seed.places.locals(place).next().is_some() {
            return None;
        }
        let command = later.seed.places.root(place).command;
        let commands = &self.table.ground.lender.expressions.command_of;
        self.seed.places.get(commands.partition_point(|c| *c < command))
    }
}

/// One step: some literals of one script.
pub(super) struct Round<'a> {
    pub(super) engine: &'a mut Engine,
    pub(super) moves: Moves,
    pub(super) depth: u32,
    pub(super) is_published: bool,
    /// What another seed lends.
    pub(super) loans: Option<&'a Loans>,
    pub(super) edits: &'a mut Edits,
    pub(super) rng: &'a mut Rng,
    pub(super) direction: Relation,
}

impl Round<'_> {
    /// Notes the changes of one step in the edits; `false` when there were none. Snippets are made from the first
    /// script of a chain; a later one is in an arena of its own.
    pub(super) fn take(
        &mut self,
        later: Option<&Arena>,
        watch: &mut Watch<'_>,
        here: Source<'_>,
        first: Source<'_>,
        log: &mut Vec<u8>,
    ) -> bool {
        let Source { seed, table } = here;
        let literals = &table.literals[usize::from(self.direction == Relation::Stronger)];
        if literals.is_empty() {
            return false;
        }
        let wanted = 1 + self.rng.below(LITERALS.min(literals.len()));
        let mut done = 0;
        for _ in 0..3 * LITERALS {
            if done == wanted {
                break;
            }
            let literal = literals[self.rng.below(literals.len())];
            let span = seed.spans[literal.place.index()];
            if self.edits.touches(&(span.start..span.end)) {
                continue;
            }
            let by_rule = match (self.moves, literal.first < literal.end, &first.table.snippets) {
                (Moves::Snippets, _, None) | (Moves::Rules, false, _) | (_, false, None) => continue,
                (Moves::Snippets | Moves::Exchange, _, _) | (_, false, _) => false,
                (Moves::Rules, true, _) | (_, true, None) => true,
                (Moves::Both, true, Some(_)) => self.rng.one_in(2),
            };
            let start = self.edits.new.len();
            let name = if by_rule {
                let at = literal.first as usize + self.rng.below((literal.end - literal.first) as usize);
                let change = table.changes[at];
                let arena = later.unwrap_or(watch.arena);
                let written =
                    self.engine.write(arena, seed, &table.ground, change, self.rng, &mut self.edits.new);
                written.then(|| self.engine.name(change))
            } else {
                self.inject(here, first, literal).then_some("snippet")
            };
            let old = &seed.text[span.start as usize..span.end as usize];
            let Some(name) = name.filter(|_| self.edits.new[start..] != *old) else {
                self.edits.new.truncate(start);
                continue;
            };
            self.edits.push(span.start..span.end, start);
            if !watch.allows(seed, self.edits, literal.place) {
                self.edits.take_back(&(span.start..span.end), start);
                continue;
            }
            log.extend_from_slice(if by_rule { b"rule " } else { b"" });
            log.extend_from_slice(name.as_bytes());
            log.extend_from_slice(b" at place ");
            write_number(literal.place.index(), log);
            log.extend_from_slice(b": ");
            log.extend_from_slice(&self.edits.new[start..]);
            log.push(b'\n');
            done += 1;
        }
        done > 0
    }

    /// Appends `(or literal snippet)` or `(and literal snippet)`.
    fn inject(&mut self, here: Source<'_>, first: Source<'_>, literal: Literal) -> bool {
        let seed = here.seed;
        let Some(bank) = &first.table.snippets else { return false };
        let Some(place) = first.standing(here, literal.place) else { return false };
        let span = seed.spans[literal.place.index()];
        self.edits.new.extend_from_slice(if literal.weaker { b"(or " } else { b"(and " });
        self.edits.new.extend_from_slice(&seed.text[span.start as usize..span.end as usize]);
        self.edits.new.push(b' ');
        let start = self.edits.new.len();
        let made = (0..SHORTER).any(|attempt| {
            self.edits.new.truncate(start);
            let depth = self.depth.saturating_sub(attempt as u32);
            self.snippet(first, bank, place, depth) && self.edits.new.len() - start <= bank.longest()
        });
        self.edits.new.push(b')');
        made
    }

    /// Appends a random formula: an atom, or a connective over one or two.
    pub(super) fn snippet(&mut self, first: Source<'_>, bank: &Bank, place: Occurrence, depth: u32) -> bool {
        let heads: [&[u8]; 6] = [b"", b"(not ", b"(and ", b"(or ", b"(=> ", b"(xor "];
        let which = self.rng.below(heads.len());
        self.edits.new.extend_from_slice(heads[which]);
        let start = self.edits.new.len();
        if !self.atom(first, bank, place, depth) {
            return false;
        }
        if which >= 2 {
            let end = self.edits.new.len();
            self.edits.new.push(b' ');
            if !self.atom(first, bank, place, depth) {
                return false;
            }
            let (one, other) = (&self.edits.new[start..end], &self.edits.new[end + 1..]);
            if one == other || !self.is_published && are_alike(one, other) {
                return false;
            }
        }
        if which > 0 {
            self.edits.new.push(b')');
        }
        true
    }

    /// Appends a random atom, now and then below a quantifier of its own.
    fn atom(&mut self, first: Source<'_>, bank: &Bank, place: Occurrence, depth: u32) -> bool {
        let (seed, ground) = (first.seed, &first.table.ground);
        let name = format!("{}q", ground.lender.prefix);
        let has_quantifiers = !self.is_published && seed.gate.logic.is_some_and(|l| l.quantifiers);
        let quantifies = has_quantifiers && self.rng.one_in(8);
        let bound = if quantifies { bank.bound(self.rng) } else { None };
        let loans = self.loans.filter(|_| bound.is_none() && self.rng.one_in(2));
        if let Some((_, sort)) = bound {
            let quantifier = if self.rng.one_in(2) { "(forall ((" } else { "(exists ((" };
            self.edits.new.extend_from_slice(format!("{quantifier}{name} {sort})) ").as_bytes());
        }
        let mut snippet = Snippet {
            bank,
            expressions: &ground.lender.expressions,
            seed,
            place,
            depth,
            is_published: self.is_published,
            bound: bound.map(|(sort, _)| (sort, name.as_bytes())),
            rng: self.rng,
            out: &mut self.edits.new,
            varies: false,
        };
        let start = snippet.out.len();
        let made = loans.is_some_and(|loans| snippet.borrowed(loans)) || {
            snippet.out.truncate(start);
            snippet.atom()
        };
        if bound.is_some() {
            self.edits.new.push(b')');
        }
        made
    }
}

fn write_number(n: usize, out: &mut Vec<u8>) {
    use std::io::Write;
    let _ = write!(out, "{n}");
}
