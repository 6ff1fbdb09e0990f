//! Semantic fusion: two formulas of known status become one formula whose status is known by construction.
//!
//! A fresh z = f(x, y) connects a variable x of one seed and a variable y of the other. Some of their occurrences
//! are replaced by inversions: terms over z and the other variable that have the same value.
//! `docs/book/src/reference/fusion.md` explains why the status is known, and when a pair is skipped.

mod blocks;
mod check;
mod frames;
mod functions;
mod join;
mod points;
pub(crate) mod side;
mod tie;

use std::collections::HashMap;
use std::sync::Arc;

use smelt_core::{Expectation, Verdict};
use smelt_smtlib::Arena;

use functions::{builtin, read};

use crate::options::{LongFlag, OptionError, OptionRow, OptionText, Words, word_of};
use crate::per_seed::PerSeed;
use crate::pool::{Pool, SeedId};
use crate::registry::{Needs, Row};
use crate::rng::Rng;
use crate::strategy::{CaseRequest, Draft, Skip, Strategy};
use join::{Half, Join, obstacle, plan, write};
use points::{Points, points};
use side::Side;
use tie::{Known, Tools, untied};

/// The row of the registry.
pub(crate) const ROW: Row = Row {
    name: "fusion",
    aliases: &["yinyang"],
    about: "fuse two formulas of known status into one of known status",
    needs: Needs::Answers,
    options: &[
        OptionRow::text("mode", "fuse, concat", "fuse", "concat: only concatenate, the baseline")
            .flag(LongFlag::Bare("concat", "concat")),
        OptionRow::file(
            "functions",
            "file of fusion functions to use instead of the built-in ones; they are checked first",
        ),
        OptionRow::text("triplets", "1 to 20", "3", "the most pairs of variables to fuse"),
        OptionRow::text("seeds", "2 to 4", "2", "number of seeds to fuse"),
        OptionRow::file("statuses", "status of each seed, in order; default: its label or known answer"),
    ],
    ways: || ["mode=fuse", "mode=fuse seeds=3"].map(str::to_owned).to_vec(),
    make: |o| Ok(Box::new(Fusion::new(o)?)),
};

/// The modes by their words in options: whether seeds are only concatenated.
const MODES: &[(&str, bool)] = &[("fuse", false), ("concat", true)];

/// The strategy `fusion`.
#[derive(Debug)]
pub(crate) struct Fusion {
    concat: bool,
    triplets: u32,
    seeds: u32,
    /// The statuses of the seeds, as a provenance gives them.
    statuses: Option<Vec<Option<Verdict>>>,
    tools: Tools,
    /// By seed, once it was used: as the first and as the second.
    sides: PerSeed<[Result<Side, Skip>; 2]>,
    /// By satisfiable seed: the values of its variables under a model.
    points: PerSeed<Option<Points>>,
    /// For what is fused with a third seed.
    arena: Arena,
}

/// More ties would leave few occurrences as they are; an option allows them.
const TRIPLETS: u32 = 3;
/// How many seeds are fused, unless an option says so.
const SEEDS: u32 = 2;
/// One in this many mutants uses models of its seeds, if the functions do not all need them.
const POINTS: usize = 4;
/// How many seeds of known status are tried as a partner of one, and how many are drawn to find this many.
const PARTNERS: usize = 24;
const DRAWN: usize = 400;

impl Fusion {
    /// With these options; functions of the user's are checked.
    pub(crate) fn new(options: &OptionText) -> Result<Fusion, OptionError> {
        let functions = match options.file("functions") {
            Some(text) => Arc::new(read(text.as_bytes()).map_err(|e| OptionError::new(e.to_string()))?),
            None => builtin(),
        };
        let word = |w: &str| Verdict::of_status(w.as_bytes());
        Ok(Fusion {
            concat: options.choice("mode", false, MODES)?,
            triplets: options.within("triplets", TRIPLETS, 1..=20)?,
            seeds: options.within("seeds", SEEDS, 2..=4)?,
            statuses: options.file("statuses").map(|text| text.split_whitespace().map(word).collect()),
            tools: Tools::new(functions),
            sides: PerSeed::of_many(),
            points: PerSeed::of_many(),
            arena: Arena::new(),
        })
    }

    fn prepare(&mut self, pool: &mut Pool, id: SeedId) {
        let kinds = &mut self.tools.kinds;
        self.sides.get_or_make(pool, id, |pool| {
            let (arena, seed) = pool.parts(id);
            [0, 1].map(|i| Side::of_last_query(arena, seed, i, kinds))
        });
    }

    /// The status of the `i`-th seed: what it says, or what is known of it.
    fn status(&self, pool: &Pool, id: SeedId, i: usize) -> Result<Verdict, Skip> {
        let given = self.statuses.as_ref().and_then(|all| all.get(i).copied().flatten());
        let seed = pool.seed(id);
        let status = given.or(seed.status).or(seed.known_status);
        status.filter(|s| matches!(s, Verdict::Sat | Verdict::Unsat)).ok_or(Skip::UnknownStatus)
    }

    fn side(&self, id: SeedId, i: usize) -> Result<&Side, Skip> {
        self.sides[id][i].as_ref().map_err(|skip| *skip)
    }

    /// A seed to be fused with the first: the one asked for, or one at random.
    fn partner(&mut self, pool: &mut Pool, request: &CaseRequest<'_>, i: usize) -> Result<SeedId, Skip> {
        let seed = request.seed()?;
        if let Some(&partner) = request.seeds.get(i) {
            return Ok(partner);
        }
        let status = self.status(pool, seed, 0)?;
        let mut rng = Rng::fork(request.number, i as u64);
        let (mut last, mut fallback) = (Skip::NoPartner, None);
        let mut tried = 0;
        for _ in 0..DRAWN {
            let id = pool.get(rng.below(pool.len())).ok_or(Skip::NoPartner)?;
            let Ok(partner_status) = self.status(pool, id, i) else { continue };
            tried += 1;
            if tried > PARTNERS {
                break;
            }
            self.prepare(pool, seed);
            self.prepare(pool, id);
            let (Ok(a), Ok(b)) = (&self.sides[seed][0], &self.sides[id][1]) else { continue };
            let (first, second) = (Half { side: a, status }, Half { side: b, status: partner_status });
            if let Some(skip) = obstacle(first, second) {
                last = skip;
                continue;
            }
            if self.concat || self.tools.learn(a, b) {
                return Ok(id);
            }
            fallback = fallback.or(Some(id));
        }
        fallback.ok_or(last)
    }

    /// Whether every inversion holds for some values only.
    fn always_partial(&self) -> bool {
        self.tools.functions.iter().all(|f| f.rx.iter().chain(&f.ry).all(|i| !i.everywhere))
    }

    /// Fuses two sides; the text of the script without its header, and its status.
    fn fuse(
        tools: &mut Tools,
        (a, b): (Half<'_>, Half<'_>),
        points: [Option<&Points>; 2],
        (concat, triplets): (bool, u32),
        rng: &mut Rng,
        (text, log): (&mut Vec<u8>, &mut Vec<u8>),
    ) -> Result<Verdict, Skip> {
        if let Some(skip) = obstacle(a, b) {
            return Err(skip);
        }
        let planned = plan(a, b, rng)?;
        let ties = if concat {
            untied()
        } else {
            tools.learn(a.side, b.side);
            let free = match planned {
                (Join::Or, Verdict::Sat) => Some(usize::from(b.status == Verdict::Unsat)),
                _ => None,
            };
            let known = Known { points, free, chosen: HashMap::new() };
            tools.ties((a, b), planned, (triplets as usize, known), rng, log)?
        };
        write(a.side, b.side, &ties, planned, text);
        Ok(planned.1)
    }

    /// Computes the values of a seed's variables, if it is satisfiable and inversions can use them.
    fn prepare_points(&mut self, pool: &mut Pool, id: SeedId, side: usize, status: Verdict) {
        if self.concat || status != Verdict::Sat || !self.tools.has_partial() {
            return;
        }
        let Ok(own) = &self.sides[id][side] else { return };
        self.points.get_or_make(pool, id, |pool| {
            let (arena, seed) = pool.parts(id);
            points(arena, seed, own)
        });
    }
}

impl Strategy for Fusion {
    fn name(&self) -> &'static str {
        "fusion"
    }

    fn options(&self) -> String {
        let words = Words::default().add("mode", word_of(MODES, self.concat));
        let words = words.add_if(self.triplets != TRIPLETS, "triplets", self.triplets);
        words.add_if(self.seeds != SEEDS, "seeds", self.seeds).text()
    }

    fn next(&mut self, pool: &mut Pool, request: &CaseRequest<'_>, draft: &mut Draft) -> Result<(), Skip> {
        let seed = request.seed()?;
        draft.start(seed);
        let mut statuses = vec![self.status(pool, seed, 0)?];
        self.prepare(pool, seed);
        self.side(seed, 0)?;
        for i in 1..self.seeds as usize {
            let partner = self.partner(pool, request, i)?;
            statuses.push(self.status(pool, partner, i)?);
            draft.seeds.push(partner);
        }
        let is_said = |(seed, status): (&SeedId, &Verdict)| pool.seed(*seed).status == Some(*status);
        if !draft.seeds.iter().zip(&statuses).all(is_said) {
            let words: Vec<String> = statuses.iter().map(Verdict::to_string).collect();
            draft.files.insert("statuses".to_owned(), words.join(" "));
        }
        let mut rng = Rng::new(request.number);
        let with = (self.concat, self.triplets);
        let partner = draft.seeds[1];
        self.prepare(pool, seed);
        self.prepare(pool, partner);
        // A model takes longer than a mutant, so not every one gets one.
        let has_points = self.always_partial() || Rng::fork(request.number, u64::MAX).one_in(POINTS);
        if has_points {
            self.prepare_points(pool, seed, 0, statuses[0]);
            self.prepare_points(pool, partner, 1, statuses[1]);
        }
        let mut text = Vec::new();
        let halves = (
            Half { side: self.sides[seed][0].as_ref().map_err(|skip| *skip)?, status: statuses[0] },
            Half { side: self.sides[partner][1].as_ref().map_err(|skip| *skip)?, status: statuses[1] },
        );
        let known = |id: SeedId, status: Verdict| {
            self.points.get(id).and_then(Option::as_ref).filter(|_| has_points && status == Verdict::Sat)
        };
        let points = [known(seed, statuses[0]), known(partner, statuses[1])];
        let mut status =
            Fusion::fuse(&mut self.tools, halves, points, with, &mut rng, (&mut text, &mut draft.log))?;
        for (&more, &more_status) in draft.seeds[2..].iter().zip(&statuses[2..]) {
            self.prepare(pool, more);
            let mark = self.arena.checkpoint();
            let made =
                crate::pool::read(&mut self.arena, "", &text, Some(status)).map_err(|_| Skip::Unsupported)?;
            let first = Side::of_last_query(&mut self.arena, &made, 0, &mut self.tools.kinds);
            self.arena.rollback(mark);
            let first = first?;
            let second = self.sides[more][1].as_ref().map_err(|skip| *skip)?;
            let halves = (Half { side: &first, status }, Half { side: second, status: more_status });
            text.clear();
            let out = (&mut text, &mut draft.log);
            status = Fusion::fuse(&mut self.tools, halves, [None, None], with, &mut rng, out)?;
        }
        draft.header(pool, "fusion", &self.options(), request.number);
        draft.text.extend_from_slice(&text);
        draft.expectation = if status == Verdict::Sat { Expectation::SAT } else { Expectation::UNSAT };
        Ok(())
    }
}

#[cfg(test)]
mod tests;
