//! Terms, from the roots down: replaces each place by something simpler of the same sort.
//!
//! All places of one depth are tried together, then in halves, then alone. The replacements are, in this order:
//! nothing (if the operator also accepts fewer arguments), a value, a part of the term itself, a variable in scope,
//! a new constant.

use std::collections::HashSet;

use smelt_smtlib::occurrence::{Occurrence, Occurrences};
use smelt_smtlib::script::{Command, Script};
use smelt_smtlib::{Arena, Sort, Term, View};

use crate::error::Error;
use crate::names::Fresh;
use crate::replace::{Change, Slots, fewer};
use crate::search::{Length, Search};
use crate::substitute::variables;
use crate::values::{constant, declared_constants, is_value, simplest};

/// The number of parts of a term, variables in scope and declared constants that are tried in its place.
const NEAR: usize = 6;
const FAR: u32 = 5;
const LOCALS: usize = 2;
const CONSTANTS: usize = 3;
/// At most this many places inside are searched for those parts.
const LOOK: usize = 64;

/// At most about this many depths are visited; of deeper terms, not every one.
const LEVELS: usize = 2000;

/// Tries everything if `fine`; values and parts only otherwise, for scripts that are still large.
pub(super) fn descend(search: &mut Search<'_>, fine: bool) -> Result<bool, Error> {
    let mut any = false;
    let mut depth = 0;
    'script: loop {
        let places = Occurrences::new(&search.arena, &search.script);
        let levels = levels(&places);
        while depth < levels.len() {
            if search.is_over() {
                return Ok(any);
            }
            let level = &levels[depth];
            depth += 1 + levels.len() / LEVELS;
            if level_at(search, &places, level, fine)? {
                any = true;
                continue 'script;
            }
        }
        return Ok(any);
    }
}

/// Places by depth.
fn levels(places: &Occurrences) -> Vec<Vec<Occurrence>> {
    let mut depths = Vec::with_capacity(places.len());
    let mut levels: Vec<Vec<Occurrence>> = Vec::new();
    for place in places.all() {
        let depth = places.parent(place).map_or(0, |(around, _)| depths[around.index()] + 1);
        depths.push(depth);
        if levels.len() <= depth {
            levels.resize(depth + 1, Vec::new());
        }
        levels[depth].push(place);
    }
    levels
}

fn level_at(
    search: &mut Search<'_>,
    places: &Occurrences,
    level: &[Occurrence],
    fine: bool,
) -> Result<bool, Error> {
    let script = search.script.clone();
    let mut kit = Kit::new(&mut search.arena, &script, places, fine);
    let change = |&place: &Occurrence| (place, kit.changes(&mut search.arena, &script, place));
    let slots: Slots = level.iter().map(change).collect();
    search.explore_changes(places, slots, Length::Better)
}

/// Finds the changes of places.
pub(super) struct Kit<'a> {
    places: &'a Occurrences,
    constants: Vec<(usize, Term)>,
    fresh: Option<Fresh>,
    fine: bool,
}

impl<'a> Kit<'a> {
    pub(super) fn new(arena: &mut Arena, script: &Script, places: &'a Occurrences, fine: bool) -> Kit<'a> {
        // Declared before the first `push`: in scope everywhere after the declaration.
        let global = script.commands.split(|c| matches!(c, Command::Push(_))).next().unwrap_or(&[]);
        let constants = declared_constants(arena, global);
        Kit { places, constants, fresh: None, fine }
    }

    /// What may be put at a place instead, the simplest first.
    fn changes(&mut self, arena: &mut Arena, script: &Script, place: Occurrence) -> Vec<Change> {
        let term = self.places.term(place);
        let sort = arena.sort_of(term);
        let mut changes = Vec::new();
        if self.is_dispensable(arena, place) {
            changes.push(Change::Drop);
        }
        if sort == Sort::UNKNOWN {
            return changes;
        }
        if is_value(arena, term) {
            // The name of a variable may be shorter than a value.
            let mut terms = Vec::new();
            if self.fine && !matches!(arena.view(term), View::Literal(..)) {
                self.variables(arena, place, sort, &mut terms);
            }
            changes.extend(terms.into_iter().map(|t| Change::Put(t, None)));
            return changes;
        }
        let mut terms: Vec<Term> = Vec::new();
        if self.places.parent(place).is_some() || self.fine {
            terms.extend(simplest(arena, script, sort));
        }
        self.parts(arena, place, sort, &mut terms);
        if self.fine {
            self.variables(arena, place, sort, &mut terms);
        }
        let mut seen = HashSet::from([term]);
        changes.extend(terms.into_iter().filter(|t| seen.insert(*t)).map(|t| Change::Put(t, None)));
        if self.fine && !arena.children(term).is_empty() {
            changes.extend(self.fresh_constant(arena, script, sort));
        }
        changes
    }

    /// The same, and also another value or a constant for a value: alone that makes nothing smaller.
    pub(super) fn any_change(
        &mut self,
        arena: &mut Arena,
        script: &Script,
        place: Occurrence,
    ) -> Vec<Change> {
        let mut changes = self.changes(arena, script, place);
        let term = self.places.term(place);
        let sort = arena.sort_of(term);
        if sort != Sort::UNKNOWN && arena.children(term).is_empty() {
            let mut terms = Vec::new();
            if is_value(arena, term) {
                terms = simplest(arena, script, sort);
                self.variables(arena, place, sort, &mut terms);
                terms.retain(|t| *t != term);
            }
            changes.extend(terms.into_iter().map(|t| Change::Put(t, None)));
            changes.extend(self.fresh_constant(arena, script, sort));
        }
        changes
    }

    fn fresh_constant(&mut self, arena: &mut Arena, script: &Script, sort: Sort) -> Option<Change> {
        if arena.is_parametric(sort) {
            return None;
        }
        let name = self.fresh.get_or_insert_with(|| Fresh::beside(arena, script)).name(arena);
        Some(Change::Put(constant(arena, name, sort), Some((name, sort))))
    }

    /// Whether the operator around a place takes one argument less too.
    fn is_dispensable(&self, arena: &mut Arena, place: Occurrence) -> bool {
        let Some((around, child)) = self.places.parent(place) else { return false };
        let term = self.places.term(around);
        let count = arena.children(term).len();
        if !(2..=1 << 16).contains(&count) {
            return false;
        }
        if count > 3 && arena.op(term).is_some_and(|op| arena.signatures().row(op).args.len() == 2) {
            return true; // every argument alike; looking closer at each would take quadratic time
        }
        let mut kept = arena.children(term).to_vec();
        kept.remove(child);
        fewer(arena, term, &kept).is_some()
    }

    /// Parts of the same sort: the nearest ones, and some far inside.
    fn parts(&self, arena: &Arena, place: Occurrence, sort: Sort, terms: &mut Vec<Term>) {
        let inside = self.places.inside(place);
        let mut found = Vec::new();
        let consider = |at: usize, found: &mut Vec<Occurrence>| {
            let Some(part) = self.places.get(at) else { return false };
            let fits = arena.sort_of(self.places.term(part)) == sort && self.is_free(arena, place, part);
            if fits && !found.contains(&part) {
                found.push(part);
            }
            fits
        };
        let length = inside.len();
        for k in (1..=FAR).rev() {
            let skip = length - length / (1 << k).max(1);
            if length >> k < 4 {
                continue;
            }
            let from = inside.start + skip;
            let _ = (from..inside.end).take(LOOK).any(|at| consider(at, &mut found));
        }
        // The nearest: what lies inside one of them comes later.
        let mut at = inside.start + 1;
        let (mut near, mut looked) = (0, 0);
        while at < inside.end && near < NEAR && looked < LOOK {
            looked += 1;
            if consider(at, &mut found) {
                near += 1;
                at = self.places.get(at).map_or(inside.end, |p| self.places.inside(p).end);
            } else {
                at += 1;
            }
        }
        found.sort_by_key(|p| self.places.inside(*p).len());
        terms.extend(found.into_iter().map(|p| self.places.term(p)));
    }

    /// Whether a part means the same at the place around it: no variable of it is bound in between.
    fn is_free(&self, arena: &Arena, place: Occurrence, part: Occurrence) -> bool {
        if self.places.same_scope(place, part) {
            return true;
        }
        if self.places.inside(part).len() > 2000 {
            return false;
        }
        let names = variables(arena, self.places.term(part));
        let outer = self.places.locals(place).count();
        let inner = self.places.locals(part).count();
        let mut between = self.places.locals(part).take(inner.saturating_sub(outer));
        names.is_empty() || !between.any(|(name, _)| names.contains(&name))
    }

    fn variables(&self, arena: &mut Arena, place: Occurrence, sort: Sort, terms: &mut Vec<Term>) {
        let mut hidden = HashSet::new();
        let locals = self.places.locals(place).take(16);
        let visible: Vec<_> = locals.filter(|l| hidden.insert(l.0) && l.1 == sort).take(LOCALS).collect();
        for (name, sort) in visible {
            terms.push(arena.var(name, sort));
        }
        let here = self.places.root(place).command as usize;
        let own = self.places.term(place);
        let before = self.constants.iter().filter(|(at, t)| *at < here && arena.sort_of(*t) == sort);
        // A name that a variable hides does not mean the constant here.
        let name = |t: &Term| match arena.view(*t) {
            View::App(fun, _) => Some(arena.fun_view(fun).name),
            _ => None,
        };
        let open = before.filter(|(_, t)| name(t).is_some_and(|n| self.places.local(place, n).is_none()));
        // A constant is only replaced by earlier ones; otherwise two could replace each other forever.
        let earlier = open.map(|(_, t)| *t).take_while(|t| *t != own);
        terms.extend(earlier.take(CONSTANTS));
    }
}
