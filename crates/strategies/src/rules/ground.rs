//! Applies rules to a seed: finds where each rule matches, and makes one change at a time.

use std::collections::HashMap;
use std::sync::Arc;

use smelt_core::{Relation, Verdict};
use smelt_smtlib::abandon::tick;
use smelt_smtlib::occurrence::Occurrence;
use smelt_smtlib::sexpr::Sexpr;
use smelt_smtlib::{Arena, Op, Sort, View, sym};

use super::RuleSet;
use super::apply::{Applied, Lender, Site};
use super::polarity::{Polarity, polarities};
use super::read::Kind;
use super::rewrite::{Bound, Match};
use crate::gate::Classes;
use crate::pool::Seed;
use crate::rng::Rng;
use crate::samples::sort_sexpr;
use crate::template::Env;

/// What rules need to know of a seed.
#[derive(Debug)]
pub(crate) struct Ground {
    pub(crate) lender: Lender,
    polarity: Vec<Polarity>,
    /// By rewrite: whether the seed's logic has all that it brings.
    allowed: Arc<[bool]>,
    /// Whether the script has quantifiers.
    pub(crate) has_quantifiers: bool,
    /// Whether it has definitions, by commands or in terms.
    pub(crate) defines: bool,
    /// Formulas; no name is given inside them.
    pub(crate) formulas: Vec<Occurrence>,
    /// Regular expressions that may become larger or smaller.
    pub(crate) languages: Vec<Occurrence>,
    /// Where the status is said in a mutant: behind the logic.
    pub(crate) status_at: u32,
}

impl Ground {
    pub(crate) fn new(arena: &Arena, seed: &Seed, rules: &RuleSet, classes: &Classes) -> Ground {
        let allowed = rules.rewrites.iter().map(|r| {
            let known = |name: &String, allows: &dyn Fn(Op) -> bool| match arena.find_symbol(name.as_bytes())
            {
                None => true,
                Some(s) => {
                    let mut ops = arena.signatures().named(s).peekable();
                    ops.peek().is_none() || ops.any(allows)
                }
            };
            r.operators.iter().all(|name| known(name, &|op| seed.gate.allows(arena, classes, op)))
                && r.indexed.iter().all(|name| known(name, &|op| seed.gate.allows_indexed(arena, op)))
                && (!r.quantifies || seed.gate.logic.is_none_or(|l| l.quantifiers))
                && (!r.nonlinear || !seed.gate.linear)
        });
        Ground::with(arena, seed, Lender::new(arena, seed), allowed.collect())
    }

    /// Of a script that was made from one with this ground: the same rules are allowed.
    pub(crate) fn later(arena: &Arena, seed: &Seed, first: &Ground) -> Ground {
        let lender = Lender::later(arena, seed, &first.lender);
        Ground::with(arena, seed, lender, Arc::clone(&first.allowed))
    }

    fn with(arena: &Arena, seed: &Seed, lender: Lender, allowed: Arc<[bool]>) -> Ground {
        let polarity = polarities(arena, &seed.script, &seed.places);
        let (mut has_quantifiers, mut defines) = (false, false);
        for place in seed.places.all() {
            tick();
            match arena.view(seed.places.term(place)) {
                View::Binder(_) => has_quantifiers = true,
                View::Let(_) | View::Match(_) => defines = true,
                _ => {}
            }
        }
        defines |=
            seed.script.commands.iter().any(|c| {
                matches!(c, smelt_smtlib::Command::DefineConst(..)) || c.definitions().next().is_some()
            });
        // Assumptions that are literals stay: many solvers take nothing else.
        let roots = seed.places.all().filter(|&p| seed.places.parent(p).is_none());
        let assumed = roots.filter(|&p| {
            let command = &seed.script.commands[seed.places.root(p).command as usize];
            let is_assumption = matches!(command, smelt_smtlib::Command::CheckSatAssuming(_));
            is_assumption && is_literal(arena, seed.places.term(p))
        });
        let assumed: Vec<_> = assumed.map(|p| seed.places.inside(p)).collect();
        let of_sort = |sort: Sort| {
            let places = seed.places.all().filter(move |&p| arena.sort_of(seed.places.term(p)) == sort);
            let is_assumed = |p: &Occurrence| assumed.iter().any(|range| range.contains(&p.index()));
            places.filter(|p| !lender.expressions.fixed[p.index()] && !is_assumed(p)).collect::<Vec<_>>()
        };
        let formulas = of_sort(Sort::BOOL);
        let mut languages = of_sort(Sort::REGLAN);
        languages.retain(|p| matches!(polarity[p.index()], Polarity::POSITIVE | Polarity::NEGATIVE));
        let text = &seed.text;
        let logic = b"(set-logic ";
        let start = (0..text.len())
            .find(|&i| (i == 0 || text[i - 1] == b'\n') && text[i..].starts_with(logic))
            .and_then(|i| text[i..].iter().position(|b| *b == b'\n').map(|n| i + n + 1));
        Ground {
            lender,
            polarity,
            allowed,
            has_quantifiers,
            defines,
            formulas,
            languages,
            status_at: start.unwrap_or(0) as u32,
        }
    }

    /// What must happen at a place for the whole to go in a direction; `None` where nothing but an equivalent formula
    /// will do.
    pub(crate) fn wanted(&self, place: Occurrence, direction: Option<Relation>) -> Option<Relation> {
        match (self.polarity[place.index()], direction?) {
            (Polarity::POSITIVE, direction) => Some(direction),
            (Polarity::NEGATIVE, Relation::Weaker) => Some(Relation::Stronger),
            (Polarity::NEGATIVE, Relation::Stronger) => Some(Relation::Weaker),
            _ => None,
        }
    }

    /// Appends the status, if it is known, where it belongs.
    pub(crate) fn say_status(status: Option<Verdict>, out: &mut Vec<u8>) {
        if let Some(status) = status {
            out.extend_from_slice(format!("(set-info :status {status})\n").as_bytes());
        }
    }
}

/// Whether a formula is a symbol or the negation of one.
fn is_literal(arena: &Arena, term: smelt_smtlib::Term) -> bool {
    match arena.view(term) {
        View::App(_, []) => true,
        View::App(fun, [arg]) => {
            arena.fun_view(fun).name == sym::NOT && matches!(arena.view(*arg), View::App(_, []))
        }
        _ => false,
    }
}

/// A rewrite that fits at a place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Change {
    pub(crate) place: Occurrence,
    applied: u32,
    pub(crate) effect: Relation,
}

/// The changes at places of one script, each found when it is first asked for.
#[derive(Debug, Default)]
pub(crate) struct Found {
    /// By place: where its changes are in the list; `NEXT` where they were not asked for.
    places: Vec<(u32, u32)>,
    list: Vec<Change>,
}

impl Found {
    /// The changes at a place of the script.
    pub(crate) fn at(
        &mut self,
        engine: &mut Engine,
        arena: &Arena,
        seed: &Seed,
        ground: &Ground,
        place: Occurrence,
    ) -> &[Change] {
        if self.places.is_empty() {
            self.places.resize(seed.places.len(), (NEXT, NEXT));
        }
        if self.places[place.index()].0 == NEXT {
            let start = self.list.len() as u32;
            engine.changes(arena, seed, ground, place, &mut self.list);
            self.places[place.index()] = (start, self.list.len() as u32);
        }
        let (start, end) = self.places[place.index()];
        &self.list[start as usize..end as usize]
    }
}

/// Rules in use: rewrites at the sorts met so far.
#[derive(Debug)]
pub(crate) struct Engine {
    pub(crate) rules: Arc<RuleSet>,
    applied: Vec<Applied>,
    /// By the key that [`Engine::fit`] makes: the rewrite at these sorts, if it fits there.
    known: HashMap<Box<[u32]>, Option<u32>>,
    key: Vec<u32>,
    found: Match,
    sorts: SortNumbers,
}

/// Numbers of sorts that are the same in every arena.
#[derive(Debug)]
struct SortNumbers {
    by_text: HashMap<String, u32>,
    list: Vec<Option<Sexpr>>,
    /// The sorts that have one identity in all arenas, and behind them those of the place at hand.
    seen: Vec<(Sort, u32)>,
}

/// Sorts with one identity in all arenas.
const SHARED: [Sort; 5] = [Sort::BOOL, Sort::INT, Sort::REAL, Sort::STRING, Sort::REGLAN];

impl SortNumbers {
    fn new() -> SortNumbers {
        let mut numbers = SortNumbers { by_text: HashMap::new(), list: Vec::new(), seen: Vec::new() };
        let arena = Arena::new();
        SHARED.iter().for_each(|&sort| _ = numbers.of(&arena, sort));
        numbers
    }

    /// Begins with another place.
    fn next_place(&mut self) {
        self.seen.truncate(SHARED.len());
    }

    fn of(&mut self, arena: &Arena, sort: Sort) -> u32 {
        if let Some(&(_, number)) = self.seen.iter().find(|s| s.0 == sort) {
            return number;
        }
        let number = *self.by_text.entry(arena.display_sort(sort)).or_insert_with_key(|text| {
            self.list.push(sort_sexpr(text));
            self.list.len() as u32 - 1
        });
        self.seen.push((sort, number));
        number
    }

    fn sexpr(&self, number: u32) -> Option<&Sexpr> {
        self.list[number as usize].as_ref()
    }
}

/// How many first arguments of a commutative operator are tried.
const TURNS: usize = 8;

/// In a key, behind the sorts of a variable; and instead of a position that is not known.
const NEXT: u32 = u32::MAX;

/// In how many ways a pattern may lie over a term: which argument of a commutative operator comes first.
fn turns(arena: &Arena, term: smelt_smtlib::Term) -> usize {
    let View::App(fun, args) = arena.view(term) else { return 1 };
    let is_commutative = arena.fun_view(fun).op.is_some_and(|op| arena.signatures().row(op).commutative);
    if is_commutative { args.len().clamp(1, TURNS) } else { 1 }
}

impl Engine {
    pub(crate) fn new(rules: Arc<RuleSet>) -> Engine {
        Engine {
            rules,
            applied: Vec::new(),
            known: HashMap::new(),
            key: Vec::new(),
            found: Match::default(),
            sorts: SortNumbers::new(),
        }
    }

    /// All changes at a place.
    pub(crate) fn changes(
        &mut self,
        arena: &Arena,
        seed: &Seed,
        ground: &Ground,
        place: Occurrence,
        all: &mut Vec<Change>,
    ) {
        let rules = Arc::clone(&self.rules);
        self.sorts.next_place();
        let key: std::borrow::Cow<'_, str> = match arena.view(seed.places.term(place)) {
            View::App(fun, _) => {
                let f = arena.fun_view(fun);
                match f.op {
                    Some(op) => arena.name(arena.signatures().row(op).name),
                    None if f.name == sym::IS => "is".into(),
                    None => "".into(),
                }
            }
            View::Binder(v) => arena.name(v.name),
            _ => "".into(),
        };
        let own = rules.by_key.get(&*key).map_or(&[][..], |l| l);
        for &at in own.iter().chain(&rules.anywhere) {
            if !ground.allowed[at] {
                continue;
            }
            if let Some(applied) = self.fit(arena, seed, place, at) {
                all.push(Change { place, applied, effect: rules.rewrites[at].effect });
            }
        }
    }

    /// The rewrite at the sorts of a place, if it fits there.
    fn fit(&mut self, arena: &Arena, seed: &Seed, place: Occurrence, at: usize) -> Option<u32> {
        let rules = Arc::clone(&self.rules);
        let rewrite = &rules.rewrites[at];
        let rule = &rules.rules[rewrite.rule];
        let turns = turns(arena, seed.places.term(place));
        if !(0..turns).any(|t| self.found.find(arena, seed, rule, &rewrite.pattern, place, t)) {
            return None;
        }
        // What fits depends on the sorts of what the variables stand for.
        self.key.clear();
        self.key.push(at as u32);
        for (v, bound) in rule.vars.iter().zip(&self.found.vars) {
            let (Kind::Term(_) | Kind::List(_)) = &v.kind else { continue };
            match *bound {
                Bound::Place(p) => {
                    let sort = seed.sort_at(arena, seed.places.get(p as usize)?);
                    self.key.push(self.sorts.of(arena, sort));
                }
                Bound::List(start, len) => {
                    let first = self.key.len();
                    for &p in self.found.list(start, len) {
                        let number = self.sorts.of(arena, seed.sort_at(arena, p));
                        if self.key.len() == first || self.key.last() != Some(&number) {
                            self.key.push(number);
                        }
                    }
                }
                _ => {}
            }
            self.key.push(NEXT);
        }
        if let Some(known) = self.known.get(&self.key[..]) {
            return *known;
        }
        let made = self.apply(at);
        self.known.insert(self.key.clone().into(), made);
        made
    }

    /// The rewrite at the sorts of the key.
    fn apply(&mut self, at: usize) -> Option<u32> {
        let rules = Arc::clone(&self.rules);
        let rewrite = &rules.rewrites[at];
        let rule = &rules.rules[rewrite.rule];
        let mut env = Env::default();
        let params = rule.param_names();
        let sorts = rule.vars.iter().filter_map(|v| match &v.kind {
            Kind::Term(sort) | Kind::List(sort) => Some(sort),
            _ => None,
        });
        for (sort, numbers) in sorts.zip(self.key[1..].split(|n| *n == NEXT)) {
            for &number in numbers {
                if !env.unify(sort, self.sorts.sexpr(number)?, &params) {
                    return None;
                }
            }
        }
        for p in &rule.params {
            let bound = env.sorts.iter().find(|s| s.0 == p.name);
            if bound.is_some_and(|b| !p.sorts.is_empty() && !p.sorts.contains(&b.1)) {
                return None;
            }
        }
        let made = Applied::new(rule, rewrite, at, &env)?;
        self.applied.push(made);
        Some(self.applied.len() as u32 - 1)
    }

    /// Appends the replacement of the term there; `false` if nothing could be chosen.
    pub(crate) fn write(
        &mut self,
        arena: &Arena,
        seed: &Seed,
        ground: &Ground,
        change: Change,
        rng: &mut Rng,
        out: &mut Vec<u8>,
    ) -> bool {
        let applied = &self.applied[change.applied as usize];
        let rewrite = &self.rules.rewrites[applied.rewrite];
        let rule = &self.rules.rules[rewrite.rule];
        let turns = turns(arena, seed.places.term(change.place));
        let first = rng.below(turns);
        let found = &mut self.found;
        if !(0..turns)
            .any(|t| found.find(arena, seed, rule, &rewrite.pattern, change.place, (first + t) % turns))
        {
            return false;
        }
        let site = Site { arena, seed, lender: &ground.lender, place: change.place };
        let start = out.len();
        let done = applied.write(site, rule, found, rng, out);
        if !done {
            out.truncate(start);
        }
        done
    }

    /// Whether a change fits at any formula.
    pub(crate) fn is_general(&self, change: Change) -> bool {
        self.rules.rewrites[self.applied[change.applied as usize].rewrite].key().is_none()
    }

    /// Whether a change brings a quantifier.
    pub(crate) fn quantifies(&self, change: Change) -> bool {
        self.rules.rewrites[self.applied[change.applied as usize].rewrite].quantifies
    }

    /// The name of the rule behind a change.
    pub(crate) fn name(&self, change: Change) -> &str {
        let rewrite = &self.rules.rewrites[self.applied[change.applied as usize].rewrite];
        &self.rules.rules[rewrite.rule].name
    }
}
