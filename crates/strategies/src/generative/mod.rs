//! Generative type-aware mutation: an expression makes way for a new operator over the formula's own expressions.
//!
//! What can be made of which sort, and from which expressions, is worked out once for each seed. A step picks a
//! place, an operator of its sort, and for each argument an expression that is locally compatible: everything it
//! uses is declared before, its free variables are bound around the place with the same sorts, and nothing in it
//! is captured. A mutant is the seed's text with such places exchanged.

mod expressions;
mod makers;
mod mined;

use smelt_smtlib::occurrence::Occurrence;
use smelt_smtlib::script::Command;
use smelt_smtlib::sexpr::Sexpr;
use smelt_smtlib::{Sort, View};

use crate::gate::Classes;
use crate::options::{self, Chain, OptionError, OptionRow, OptionText};
use crate::per_seed::PerSeed;
use crate::pool::{Edits, Pool, Seed, SeedId};
use crate::registry::{Needs, Row};
use crate::rng::Rng;
use crate::samples::literal;
use crate::strategy::{CaseRequest, Draft, Skip, Strategy};
pub(crate) use expressions::{Expressions, NOWHERE};
pub(crate) use makers::{Maker, Wanted, makers};
use mined::Mined;

/// The row of the registry.
pub(crate) const ROW: Row = Row {
    name: "generative",
    aliases: &["typefuzz"],
    about: "replace expressions by new operators over the formula's own expressions",
    needs: Needs::Seeds,
    options: &[
        options::STEPS,
        options::EVERY_STEP,
        OptionRow::switch("pool", "take expressions from all seeds"),
        options::LOGIC,
        options::RECENT,
        options::CLASSES,
    ],
    ways: options::steps_and_logic_ways,
    make: |o| Ok(Box::new(Generative::new(o)?)),
};

/// The strategy `generative`.
#[derive(Debug)]
pub(crate) struct Generative {
    chain: Chain,
    data_driven: bool,
    wide: bool,
    classes: Classes,
    /// By seed, once it was used.
    tables: PerSeed<Table>,
    mined: PerSeed<Mined>,
    edits: Edits,
    /// What earlier steps of this mutant made: the sort, where in the new text, and the place it is for.
    made: Vec<(Sort, std::ops::Range<usize>, u32)>,
}

/// What can be done with a seed.
#[derive(Debug)]
pub(crate) struct Table {
    pub(crate) expressions: Expressions,
    /// By sort, by operator, its instances.
    makers: Vec<Vec<Vec<Maker>>>,
    /// Places that may change, with the position of their sort.
    sites: Vec<(u32, u32)>,
    /// By operator: whether the seed may have it.
    allowed: Vec<bool>,
}

/// A seed that arguments come from, besides the one that is changed.
#[derive(Clone, Copy)]
struct Donor<'a> {
    seed: &'a Seed,
    mined: &'a Mined,
}

impl Generative {
    /// With these options.
    pub(crate) fn new(options: &OptionText) -> Result<Generative, OptionError> {
        Ok(Generative {
            chain: Chain::of(options, u32::MAX)?,
            data_driven: options.flag("pool", false)?,
            wide: options.choice("logic", false, options::LOGICS)?,
            classes: Classes::of(options)?,
            tables: PerSeed::default(),
            mined: PerSeed::default(),
            edits: Edits::default(),
            made: Vec::new(),
        })
    }

    fn prepare(&mut self, pool: &mut Pool, id: SeedId) {
        self.tables.get_or_make(pool, id, |pool| Table::new(pool, id, &self.classes));
    }

    /// The seed that lends expressions: the one asked for, or one at random.
    fn donor(&mut self, pool: &mut Pool, request: &CaseRequest<'_>, taker: SeedId) -> Option<SeedId> {
        if !self.data_driven {
            return None;
        }
        let seed = request.seed().ok()?;
        let mut rng = Rng::fork(self.chain.split(request.number).0, 1);
        let gate = &pool.seed(taker).gate;
        let fits = |id: SeedId| {
            let other = &pool.seed(id).gate;
            id != seed && other.real_numerals == gate.real_numerals && (other.linear || !gate.linear)
        };
        let mut drawn = (0..16).filter_map(|_| pool.get(rng.below(pool.len())));
        let donor = request.partner().or_else(|| drawn.find(|&id| fits(id)))?;
        self.prepare(pool, donor);
        let expressions = &self.tables[donor].expressions;
        self.mined.get_or_make(pool, donor, |pool| Mined::new(pool.arena(), pool.seed(donor), expressions));
        Some(donor)
    }
}

impl Strategy for Generative {
    fn name(&self) -> &'static str {
        "generative"
    }

    fn options(&self) -> String {
        let words = self.chain.words().add_if(self.data_driven, "pool", "yes");
        words.add_if(self.wide, "logic", "all").add_if(self.classes.recent, "recent", "yes").text()
    }

    fn chain(&self) -> u32 {
        self.chain.numbers()
    }

    fn next(&mut self, pool: &mut Pool, request: &CaseRequest<'_>, draft: &mut Draft) -> Result<(), Skip> {
        let seed = request.seed()?;
        let id = if self.wide { pool.twin(seed) } else { seed };
        self.prepare(pool, id);
        let donor = self.donor(pool, request, id);
        let table = &self.tables[id];
        if table.sites.is_empty() {
            return Err(Skip::NothingToChange);
        }
        let (start, steps) = self.chain.split(request.number);
        let mut rng = Rng::new(start);
        draft.start(seed);
        draft.seeds.extend(donor);
        self.edits.clear();
        self.made.clear();
        let seed = pool.seed(id);
        let donor = donor.map(|d| Donor { seed: pool.seed(d), mined: &self.mined[d] });
        let mut step = Step::new(seed, table, &mut self.edits, &mut self.made, &mut rng);
        step.donor = donor;
        let mut done = 0;
        for _ in 0..steps {
            // A place may have nothing that fits; others do.
            done += u32::from((0..8).any(|_| step.take(&mut draft.log)));
        }
        if done == 0 {
            return Err(Skip::NothingToChange);
        }
        draft.header(pool, "generative", &self.options(), request.number);
        let seed = pool.seed(id);
        self.edits.apply(&seed.text, 0..seed.text.len() as u32, &mut draft.text);
        Ok(())
    }
}

impl Table {
    /// Whether no place may change.
    pub(crate) fn is_empty(&self) -> bool {
        self.sites.is_empty()
    }

    pub(crate) fn new(pool: &mut Pool, id: SeedId, classes: &Classes) -> Table {
        let (arena, seed) = pool.parts(id);
        let expressions = Expressions::new(arena, seed);
        let makers = makers(arena, seed, classes, &expressions);
        let allowed = arena.signatures().ops().map(|(op, _)| seed.gate.allows(arena, classes, op)).collect();
        let mut sites = Vec::new();
        for place in seed.places.all() {
            let command = &seed.script.commands[expressions.command_of[place.index()] as usize];
            if matches!(command, Command::CheckSatAssuming(_)) || expressions.fixed[place.index()] {
                continue;
            }
            if seed.gate.linear && holds_linear(arena, seed, place) {
                continue;
            }
            let difference = seed.gate.logic.is_some_and(|l| l.difference);
            let sort = seed.sort_at(arena, place);
            if difference && sort != Sort::BOOL || !seed.gate.has_sort(sort) {
                continue;
            }
            let index = expressions.sort_index(sort);
            sites.extend(index.filter(|&i| !makers[i].is_empty()).map(|i| (place.index() as u32, i as u32)));
        }
        Table { expressions, makers, sites, allowed }
    }
}

/// Whether a place is a coefficient or next to one: a new term there could make a product of unknowns.
fn holds_linear(arena: &smelt_smtlib::Arena, seed: &Seed, place: Occurrence) -> bool {
    let product = |o: Occurrence| match arena.view(seed.places.term(o)) {
        View::App(fun, _) => {
            let f = arena.fun_view(fun);
            f.op.is_some() && matches!(arena.text(f.name), b"*" | b"/" | b"div" | b"mod")
        }
        _ => false,
    };
    let number = smelt_smtlib::logic::is_number(arena, seed.places.term(place));
    number || seed.places.parent(place).is_some_and(|(p, _)| product(p))
}

/// One step of a mutant in the making.
pub(crate) struct Step<'a> {
    seed: &'a Seed,
    table: &'a Table,
    donor: Option<Donor<'a>>,
    edits: &'a mut Edits,
    made: &'a mut Vec<(Sort, std::ops::Range<usize>, u32)>,
    rng: &'a mut Rng,
    growth: Option<Growth<'a>>,
    /// A variable bound around what is made: its sort and name. It stands for some arguments.
    bound: Option<(u32, &'a [u8])>,
}

/// How arguments become more than expressions of the seed: operators over further arguments, and constants.
#[derive(Clone, Copy)]
pub(crate) struct Growth<'a> {
    /// How many operators may stand above each other in an argument.
    pub(crate) depth: u32,
    /// By sort of the table: the sort as it is written, where random constants of it may be used.
    pub(crate) constants: &'a [Option<Sexpr>],
}

impl<'a> Step<'a> {
    /// A step of another strategy: it appends to the new text of `edits`.
    pub(crate) fn new(
        seed: &'a Seed,
        table: &'a Table,
        edits: &'a mut Edits,
        made: &'a mut Vec<(Sort, std::ops::Range<usize>, u32)>,
        rng: &'a mut Rng,
    ) -> Step<'a> {
        Step { seed, table, donor: None, edits, made, rng, growth: None, bound: None }
    }

    /// With arguments that are terms and constants of their own.
    pub(crate) fn growing(mut self, growth: Option<Growth<'a>>) -> Step<'a> {
        self.growth = growth;
        self
    }

    /// Below a quantifier that binds `name`, of the sort at this position.
    pub(crate) fn below(mut self, sort: u32, name: &'a [u8]) -> Step<'a> {
        self.bound = Some((sort, name));
        self
    }
}

impl Step<'_> {
    /// Exchanges one place; `false` when nothing fitted there.
    pub(crate) fn take(&mut self, log: &mut Vec<u8>) -> bool {
        let table = self.table;
        let (at, sort) = table.sites[self.rng.below(table.sites.len())];
        let span = self.seed.spans[at as usize];
        if self.edits.covers(&span) {
            return false;
        }
        let place = self.seed.places.get(at as usize).expect("a place of the seed");
        let start = self.edits.new.len();
        let fitted = if self.rng.one_in(8) {
            self.argument(place, sort, Wanted::Any)
        } else {
            self.application(place, sort)
        };
        let new = &self.edits.new[start..];
        if !fitted || *new == self.seed.text[span.start as usize..span.end as usize] {
            self.edits.new.truncate(start);
            return false;
        }
        log.extend_from_slice(format!("place {at} := ").as_bytes());
        log.extend_from_slice(new);
        log.push(b'\n');
        self.made.push((table.expressions.sorts[sort as usize].0, start..self.edits.new.len(), at));
        self.edits.push(span.start..span.end, start);
        true
    }

    /// Appends an operator over arguments.
    pub(crate) fn application(&mut self, place: Occurrence, sort: u32) -> bool {
        let groups = &self.table.makers[sort as usize];
        let Some(maker) = self.rng.pick(groups).and_then(|g| self.rng.pick(g)) else { return false };
        if maker.needs > self.table.expressions.command_of[place.index()] {
            return false;
        }
        self.edits.new.push(b'(');
        self.edits.new.extend_from_slice(&maker.head);
        let last = maker.args.len() - 1;
        let extra = usize::from(maker.variadic && self.rng.one_in(4));
        for i in 0..maker.args.len() + extra {
            let wanted = maker.wanted(i, last + extra);
            self.edits.new.push(b' ');
            let arg = maker.args[i.min(last)];
            let bound = self.bound;
            match bound {
                Some((sort, name)) if sort == arg && wanted == Wanted::Any && self.rng.one_in(2) => {
                    self.edits.new.extend_from_slice(name);
                }
                _ if !self.argument(place, arg, wanted) => return false,
                _ => {}
            }
        }
        self.edits.new.push(b')');
        true
    }

    /// Appends an expression of a sort that may stand at a place.
    fn argument(&mut self, place: Occurrence, sort: u32, wanted: Wanted) -> bool {
        if self.growth.is_some() && self.grown(place, sort, wanted) {
            return true;
        }
        let expressions = &self.table.expressions;
        let (sort, list) = &expressions.sorts[sort as usize];
        if wanted == Wanted::Any && !self.made.is_empty() && self.rng.one_in(4) && self.earlier(place, *sort)
        {
            return true;
        }
        if wanted == Wanted::Any && self.donor.is_some() && self.rng.one_in(2) && self.lent(place, *sort) {
            return true;
        }
        for _ in 0..8 {
            let expr = &expressions.list[list[self.rng.below(list.len())] as usize];
            let suits = match wanted {
                Wanted::Any => true,
                Wanted::Number => expr.number,
                Wanted::Nonzero => expr.nonzero,
            };
            if suits && expressions.fits(self.seed, place, expr) {
                let span = &self.seed.spans[expr.place as usize];
                self.edits.new.extend_from_slice(&self.seed.text[span.start as usize..span.end as usize]);
                return true;
            }
        }
        if wanted == Wanted::Any {
            return false;
        }
        self.number(*sort);
        true
    }

    /// Appends a number that is not zero.
    fn number(&mut self, sort: Sort) {
        let n = 2 + self.rng.below(7);
        let digits = if sort == Sort::REAL { format!("{n}.0") } else { n.to_string() };
        self.edits.new.extend_from_slice(digits.as_bytes());
    }

    /// Appends a term that is grown, now and then: a random constant, or an operator over arguments.
    fn grown(&mut self, place: Occurrence, sort: u32, wanted: Wanted) -> bool {
        let Some(growth) = self.growth else { return false };
        if wanted != Wanted::Any {
            let fresh = self.rng.one_in(2);
            if fresh {
                self.number(self.table.expressions.sorts[sort as usize].0);
            }
            return fresh;
        }
        let start = self.edits.new.len();
        let made = match self.rng.below(8) {
            0 | 1 => {
                let shape = growth.constants[sort as usize].as_ref();
                let text = shape.and_then(|shape| literal(shape, self.rng));
                text.is_some_and(|text| {
                    self.edits.new.extend_from_slice(text.as_bytes());
                    true
                })
            }
            2..=5 if growth.depth > 0 => {
                self.growth = Some(Growth { depth: growth.depth - 1, ..growth });
                let made = self.application(place, sort);
                self.growth = Some(growth);
                made
            }
            _ => false,
        };
        if !made {
            self.edits.new.truncate(start);
        }
        made
    }

    /// Appends what an earlier step made, where the same variables are in scope.
    fn earlier(&mut self, place: Occurrence, sort: Sort) -> bool {
        let command = |p: u32| self.table.expressions.command_of[p as usize];
        let scope = |p: Occurrence| self.seed.places.locals(p).collect::<Vec<_>>();
        let (made, range, at) = &self.made[self.rng.below(self.made.len())];
        let from = self.seed.places.get(*at as usize).expect("a place of the seed");
        if *made != sort || command(*at) > command(place.index() as u32) || scope(from) != scope(place) {
            return false;
        }
        self.edits.new.extend_from_within(range.clone());
        true
    }

    /// Appends an expression of another seed, its holes filled with this seed's expressions.
    fn lent(&mut self, place: Occurrence, sort: Sort) -> bool {
        let Some(donor) = self.donor else { return false };
        let Some(&i) = self.rng.pick(donor.mined.of_sort(sort)) else { return false };
        let expr = donor.mined.get(i);
        if !expr.ops.is_empty() && !self.seed.gate.has_sort(sort) {
            return false;
        }
        let linear = self.seed.gate.linear && expr.nonlinear;
        if linear || !expr.ops.iter().all(|op| self.table.allowed[op.index()]) {
            return false;
        }
        let start = self.edits.new.len();
        let mut at = expr.text.start as usize;
        let donor_free = self.donor.take();
        for (hole, sort) in &expr.holes {
            self.edits.new.extend_from_slice(&donor.seed.text[at..hole.start as usize]);
            at = hole.end as usize;
            let index = self.table.expressions.sort_index(*sort);
            if !index.is_some_and(|i| self.argument(place, i as u32, Wanted::Any)) {
                self.edits.new.truncate(start);
                self.donor = donor_free;
                return false;
            }
        }
        self.edits.new.extend_from_slice(&donor.seed.text[at..expr.text.end as usize]);
        self.donor = donor_free;
        true
    }
}

#[cfg(test)]
mod tests {
    use crate::tests;

    fn mutants(texts: &[&str], options: &str, n: u64) -> Vec<String> {
        tests::mutants("generative", options, texts, None, n).into_iter().map(|m| m.0).collect()
    }

    #[test]
    fn local_variables_stay_in_their_scope() {
        let text = "(declare-fun f (Int) Int)
(assert (forall ((x Int)) (= (f x) (let ((y (+ x 1))) (* y y)))))
(assert (exists ((x Bool) (y Int)) (and x (> y 2))))
(declare-const c Int)
(assert (= c 3))";
        assert!(mutants(&[text], "steps=3", 2000).len() > 1900);
    }

    #[test]
    fn names_are_not_captured_and_not_given_twice() {
        let text = "(declare-const x Int)(assert (! (> x 1) :named n))(assert (exists ((x Int)) (< x 2)))(assert (or n (> x 5)))";
        for m in mutants(&[text], "steps=2", 1000) {
            assert_eq!(m.matches(":named").count(), 1, "{m}");
        }
    }

    #[test]
    fn constructors_selectors_and_testers_come_in() {
        let text = "(declare-datatypes ((L 0)) (((nil) (cons (head Int) (tail L)))))
(declare-const l L)(assert (= l nil))(assert (= (head l) 1))";
        let all = mutants(&[text], "", 1000).concat();
        for part in ["(cons ", "(tail ", "((_ is cons) "] {
            assert!(all.contains(part), "{part}");
        }
    }

    #[test]
    fn indexed_and_parametric_operators_come_in() {
        let text = "(declare-const a (_ BitVec 8))(declare-const b (_ BitVec 4))(declare-const m (Array (_ BitVec 4) (_ BitVec 8)))
(declare-const f Float16)(declare-const r RoundingMode)
(assert (= a (concat b b)))(assert (= (select m b) a))(assert (fp.lt f (fp.add r f f)))";
        let all = mutants(&[text], "", 4000).concat();
        for part in ["(_ extract", "(_ sign_extend 4)", "(store ", "(_ to_fp 5 11)", "(concat ", "fp.fma"] {
            assert!(all.contains(part), "{part}");
        }
    }

    #[test]
    fn with_a_pool_other_seeds_lend_expressions() {
        let own = "(declare-const x Int)(declare-const p Bool)(assert (=> p (> x 1)))";
        let other = "(declare-const k Int)(assert (= (mod (+ (* 17 k) 4242) 5) 3))";
        let all = mutants(&[own, other], "pool=yes", 1000).concat();
        assert!(all.contains("4242") && !all.contains('k'), "variables are mapped to the seed's own");
        assert!(all.contains("(* 17 x)"));
    }

    #[test]
    fn formulas_grow_and_shrink() {
        let text =
            "(declare-const x Int)(declare-const y Int)(assert (and (> (+ x y) (- x 1)) (< x (* y 2))))";
        let lengths: Vec<usize> = mutants(&[text], "", 300).iter().map(String::len).collect();
        let same = lengths.iter().filter(|l| **l == lengths[0]).count();
        assert!(lengths.iter().max().unwrap() > &(lengths.iter().min().unwrap() + 30) && same < 200);
    }
}
