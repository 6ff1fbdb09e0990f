//! Makes a new expression: an operator applied to expressions of the seed.

use std::ops::Range;

use smelt_smtlib::Sort;
use smelt_smtlib::occurrence::Occurrence;

use super::Table;
use super::chain::Site;
use super::expressions::{Expr, Scopes};
use super::makers::{Maker, Wanted};
use super::mined::Mined;
use crate::pool::{Edits, Seed};
use crate::rng::Rng;

/// One in this many arguments is a random constant, where a sort has some.
const CONSTANTS: usize = 8;
/// How many expressions are drawn for an argument before giving up.
const DRAWS: usize = 8;
/// One in this many connectives that are drawn is taken.
const CONNECTIVES: usize = 4;
/// Two equal arguments of an operator that says little of them are drawn again, but once in this many times.
const EQUALS: usize = 16;

/// A seed that arguments come from, besides the one that is changed.
#[derive(Clone, Copy)]
pub(super) struct Donor<'a> {
    pub(super) seed: &'a Seed,
    pub(super) mined: &'a Mined,
}

/// What a new expression stands in.
#[derive(Clone, Copy)]
pub(super) struct Spot<'a> {
    /// The command.
    pub(super) command: u32,
    /// The variables around it.
    pub(super) scope: u32,
    /// What is replaced.
    pub(super) old: &'a [u8],
    /// Whether no argument may be what is replaced.
    pub(super) strict: bool,
}

/// One step of a mutant in the making.
pub(crate) struct Step<'a> {
    seed: &'a Seed,
    table: &'a Table,
    donor: Option<Donor<'a>>,
    edits: &'a mut Edits,
    made: &'a mut Vec<(Sort, Range<usize>, u32)>,
    rng: &'a mut Rng,
    /// Whether random constants stand for some arguments.
    constants: bool,
    /// The variables around copies, and the places of what is made, where they are noted.
    copies: Option<&'a mut Vec<(smelt_smtlib::Symbol, Sort, u32)>>,
    sites: Vec<Site>,
}

impl<'a> Step<'a> {
    /// A step of another strategy: it appends to the new text of `edits`.
    pub(crate) fn new(
        seed: &'a Seed,
        table: &'a Table,
        edits: &'a mut Edits,
        made: &'a mut Vec<(Sort, Range<usize>, u32)>,
        rng: &'a mut Rng,
    ) -> Step<'a> {
        Step { seed, table, donor: None, edits, made, rng, constants: false, copies: None, sites: Vec::new() }
    }

    /// With random constants and with expressions of another seed.
    pub(super) fn with(mut self, constants: bool, donor: Option<Donor<'a>>) -> Step<'a> {
        (self.constants, self.donor) = (constants, donor);
        self
    }

    /// Notes the places of what is made.
    pub(super) fn tracking(mut self, copies: &'a mut Vec<(smelt_smtlib::Symbol, Sort, u32)>) -> Step<'a> {
        self.copies = Some(copies);
        self
    }
}

impl Step<'_> {
    /// Exchanges one place of the seed; `false` when nothing fitted there.
    pub(crate) fn take(&mut self, log: &mut Vec<u8>) -> bool {
        let table = self.table;
        let (at, sort) = table.sites[self.rng.below(table.sites.len())];
        let span = self.seed.spans[at as usize];
        if self.edits.covers(&span) {
            return false;
        }
        let place = self.seed.places.get(at as usize).expect("a place of the seed");
        let start = self.edits.new.len();
        let old = &self.seed.text[span.start as usize..span.end as usize];
        let made = self.expression(Spot { old, ..self.spot(place) }, sort);
        if !made || self.is_beside(place, &self.edits.new[start..]) {
            self.edits.new.truncate(start);
            return false;
        }
        log.extend_from_slice(format!("place {at} := ").as_bytes());
        log.extend_from_slice(&self.edits.new[start..]);
        log.push(b'\n');
        self.made.push((table.expressions.sorts[sort as usize].0, start..self.edits.new.len(), at));
        self.edits.push(span.start..span.end, start);
        true
    }

    /// Whether a text stands beside a place, under the same operator: comparing it with itself says nothing.
    fn is_beside(&self, place: Occurrence, new: &[u8]) -> bool {
        let Some((parent, _)) = self.seed.places.parent(place) else { return false };
        let inside = self.seed.places.inside(parent);
        let mut at = inside.start + 1;
        while let Some(child) = self.seed.places.get(at).filter(|_| at < inside.end) {
            let span = self.seed.spans[at];
            if self.seed.text[span.start as usize..span.end as usize] == *new {
                return true;
            }
            at = self.seed.places.inside(child).end;
        }
        false
    }

    fn spot(&self, place: Occurrence) -> Spot<'static> {
        let command = self.table.expressions.command_of[place.index()];
        Spot { command, scope: self.seed.places.scope(place), old: b"", strict: false }
    }

    /// Appends an expression other than the old one: an operator over arguments, now and then an expression of the seed.
    pub(super) fn expression(&mut self, spot: Spot<'_>, sort: u32) -> bool {
        let start = self.edits.new.len();
        // A formula of the seed repeats what stands around it.
        let made = if self.rng.one_in(8) && self.table.truth != Some(sort) {
            self.argument(spot, sort, Wanted::Any, false, true).is_some()
        } else {
            self.operator(spot, sort)
        };
        made && self.edits.new[start..] != *spot.old
    }

    /// The places of what was made, in order.
    pub(super) fn into_sites(self) -> Vec<Site> {
        self.sites
    }

    /// Appends an operator over arguments, of which one at least is open.
    fn operator(&mut self, spot: Spot<'_>, sort: u32) -> bool {
        let table = self.table;
        let groups = &table.makers[sort as usize];
        let mut drawn = self.rng.pick(groups).and_then(|g| self.rng.pick(g));
        for _ in 0..DRAWS {
            // Formulas of the seed under a connective repeat what stands around them.
            let repeats = |maker: &&Maker| maker.is_connective(sort) && !self.rng.one_in(CONNECTIVES);
            if table.truth != Some(sort) || !drawn.as_ref().is_some_and(repeats) {
                break;
            }
            drawn = self.rng.pick(groups).and_then(|g| self.rng.pick(g));
        }
        let Some(maker) = drawn else { return false };
        if maker.needs > spot.command {
            return false;
        }
        let site = self.site(spot, sort, true);
        if maker.args.is_empty() {
            self.edits.new.extend_from_slice(&maker.head);
            self.close(site);
            return true;
        }
        self.edits.new.push(b'(');
        self.edits.new.extend_from_slice(&maker.head);
        let last = maker.args.len() - 1;
        let extra = usize::from(maker.variadic && self.rng.one_in(4));
        let (mut is_open, mut pieces) = (false, [(0, 0); 8]);
        for i in 0..maker.args.len() + extra {
            let wanted = maker.wanted(i, last + extra);
            self.edits.new.push(b' ');
            let arg = maker.args[i.min(last)];
            // In a linear logic the last argument may have to be a number.
            let must_be_open = !is_open && maker.args.len() + extra == i + 1 && wanted == Wanted::Any;
            let (start, sites) = (self.edits.new.len(), self.sites.len());
            let mut tries = 3;
            loop {
                let changeable = maker.is_changeable();
                let made = self.argument(spot, arg, wanted, must_be_open, changeable);
                let Some(open) = made else { return false };
                let new = start..self.edits.new.len();
                let text = &self.edits.new;
                let is_equal = |&(a, b): &(usize, usize)| a < b && text[a..b] == text[new.clone()];
                if maker.distinct && pieces.iter().any(is_equal) && !self.rng.one_in(EQUALS) {
                    tries -= 1;
                    if tries == 0 {
                        return false;
                    }
                    self.edits.new.truncate(start);
                    self.sites.truncate(sites);
                    continue;
                }
                is_open |= open;
                break;
            }
            if let Some(piece) = pieces.get_mut(i) {
                *piece = (start, self.edits.new.len());
            }
        }
        self.edits.new.push(b')');
        self.close(site);
        is_open
    }

    /// Begins a place of what is made.
    fn site(&mut self, spot: Spot<'_>, sort: u32, changeable: bool) -> Option<usize> {
        if self.copies.is_none() || !changeable {
            return None;
        }
        let start = self.edits.new.len() as u32;
        self.sites.push(Site { start, end: start, sort, command: spot.command, scope: spot.scope });
        Some(self.sites.len() - 1)
    }

    fn close(&mut self, site: Option<usize>) {
        if let Some(site) = site {
            self.sites[site].end = self.edits.new.len() as u32;
        }
    }

    /// Appends an expression of a sort; `None` if there is none, else whether it is open. New terms may stand in its place
    /// later, if that is allowed around.
    fn argument(
        &mut self,
        spot: Spot<'_>,
        sort: u32,
        wanted: Wanted,
        must_be_open: bool,
        changeable: bool,
    ) -> Option<bool> {
        let table = self.table;
        let (its_sort, list) = &table.expressions.sorts[sort as usize];
        let is_any = wanted == Wanted::Any;
        if is_any
            && self.copies.is_none()
            && !self.made.is_empty()
            && self.rng.one_in(4)
            && self.earlier(spot, *its_sort)
        {
            return Some(true);
        }
        if is_any && self.donor.is_some() && self.rng.one_in(2) && self.lent(spot, sort, changeable) {
            return Some(true);
        }
        if is_any
            && !must_be_open
            && self.constants
            && self.rng.one_in(CONSTANTS)
            && let Some(sampler) = &table.samplers[sort as usize]
        {
            let site = self.site(spot, sort, changeable && !self.seed.gate.linear);
            sampler.write(self.rng, &mut self.edits.new);
            self.close(site);
            return Some(false);
        }
        for _ in 0..DRAWS {
            let expr = &table.expressions.list[list[self.rng.below(list.len())] as usize];
            let suits = match wanted {
                Wanted::Any => expr.open || !must_be_open,
                Wanted::Number => expr.number,
                Wanted::Nonzero => expr.nonzero,
            };
            let text = self.text_of(expr);
            let copies = self.copies.as_deref().map_or(&[][..], |c| c);
            let scopes = Scopes { places: &self.seed.places, copies };
            if suits
                && !(spot.strict && *text == *spot.old)
                && table.expressions.fits_in(scopes, spot.command, spot.scope, expr)
            {
                self.copy(spot, sort, expr, changeable);
                return Some(expr.open);
            }
        }
        if is_any {
            return None;
        }
        self.number(*its_sort);
        Some(false)
    }

    fn text_of(&self, expr: &Expr) -> &[u8] {
        let span = &self.seed.spans[expr.place as usize];
        &self.seed.text[span.start as usize..span.end as usize]
    }

    /// Appends an expression of the seed, with the places in it.
    fn copy(&mut self, spot: Spot<'_>, sort: u32, expr: &Expr, changeable: bool) {
        let start = self.edits.new.len() as u32;
        // A number in a linear logic stays one.
        let site = self.site(spot, sort, changeable && !(self.seed.gate.linear && expr.number));
        let span = self.seed.spans[expr.place as usize];
        self.edits.new.extend_from_slice(&self.seed.text[span.start as usize..span.end as usize]);
        self.close(site);
        let Some(copies) = self.copies.as_deref_mut() else { return };
        let place = self.seed.places.get(expr.place as usize).expect("a place of the seed");
        let outer = self.seed.places.scope(place);
        let inside = self.seed.places.inside(place);
        let first = self.table.sites.partition_point(|s| (s.0 as usize) <= inside.start);
        let mut known: Vec<(u32, u32)> = vec![(outer, spot.scope)];
        for &(at, sort) in self.table.sites[first..].iter().take_while(|s| (s.0 as usize) < inside.end) {
            let its = self.seed.spans[at as usize];
            let inner = self.seed.places.get(at as usize).expect("a place of the seed");
            let scope = self.seed.places.scope(inner);
            let scope = scope_of_copy(self.seed, scope, &mut known, copies);
            let (from, to) = (start + its.start - span.start, start + its.end - span.start);
            self.sites.push(Site { start: from, end: to, sort, command: spot.command, scope });
        }
    }

    /// Appends a number that is not zero.
    fn number(&mut self, sort: Sort) {
        let n = 2 + self.rng.below(7);
        let digits = if sort == Sort::REAL { format!("{n}.0") } else { n.to_string() };
        self.edits.new.extend_from_slice(digits.as_bytes());
    }

    /// Appends what an earlier step made, where the same variables are in scope.
    fn earlier(&mut self, spot: Spot<'_>, sort: Sort) -> bool {
        let (made, range, at) = &self.made[self.rng.below(self.made.len())];
        let from = self.spot(self.seed.places.get(*at as usize).expect("a place of the seed"));
        let same_scope = from.scope == spot.scope;
        if *made != sort || from.command > spot.command || !same_scope {
            return false;
        }
        self.edits.new.extend_from_within(range.clone());
        true
    }

    /// Appends an expression of another seed, its holes filled with this seed's expressions.
    fn lent(&mut self, spot: Spot<'_>, sort: u32, changeable: bool) -> bool {
        let Some(donor) = self.donor else { return false };
        let its_sort = self.table.expressions.sorts[sort as usize].0;
        let Some(&i) = self.rng.pick(donor.mined.of_sort(its_sort)) else { return false };
        let expr = donor.mined.get(i);
        if !expr.ops.is_empty() && !self.seed.gate.has_sort(its_sort) {
            return false;
        }
        let linear = self.seed.gate.linear && expr.nonlinear;
        if linear || expr.holes.is_empty() || !expr.ops.iter().all(|op| self.table.allowed[op.index()]) {
            return false;
        }
        let (start, sites) = (self.edits.new.len(), self.sites.len());
        let site = self.site(spot, sort, changeable);
        let mut at = expr.text.start as usize;
        let donor_free = self.donor.take();
        // A hole in a linear logic may be a factor.
        let open_to_change = !self.seed.gate.linear;
        for (hole, sort) in &expr.holes {
            self.edits.new.extend_from_slice(&donor.seed.text[at..hole.start as usize]);
            at = hole.end as usize;
            let index = self.table.expressions.sort_index(*sort);
            let filled =
                index.and_then(|i| self.argument(spot, i as u32, Wanted::Any, false, open_to_change));
            if filled.is_none() {
                self.edits.new.truncate(start);
                self.sites.truncate(sites);
                self.donor = donor_free;
                return false;
            }
        }
        self.edits.new.extend_from_slice(&donor.seed.text[at..expr.text.end as usize]);
        self.close(site);
        self.donor = donor_free;
        true
    }
}

/// The scope of a place in a copy: the variables bound in the copy, below those around it. `known` begins with the scope
/// of the copy itself.
fn scope_of_copy(
    seed: &Seed,
    scope: u32,
    known: &mut Vec<(u32, u32)>,
    copies: &mut Vec<(smelt_smtlib::Symbol, Sort, u32)>,
) -> u32 {
    let mut path = Vec::new();
    let mut at = scope;
    let mut made = loop {
        if let Some(&(_, made)) = known.iter().find(|k| k.0 == at) {
            break made;
        }
        let Some((name, sort, outer)) = seed.places.bound(at) else { break 0 };
        path.push((at, name, sort));
        at = outer;
    };
    for (scope, name, sort) in path.into_iter().rev() {
        copies.push((name, sort, made));
        made = seed.places.scopes() + copies.len() as u32 - 1;
        known.push((scope, made));
    }
    made
}
