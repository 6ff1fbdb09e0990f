//! Semantic fusion: two formulas of known status become one whose status is known by construction.
//!
//! A variable x of one seed and y of the other are tied by a fresh z = f(x, y), and some of their occurrences make
//! way for inversions: terms over z and the other variable that have the same value. Why the status is known, and
//! when a pair is left alone, is argued in `docs/book/src/reference/fusion.md`.

mod blocks;
mod check;
mod functions;
pub(crate) mod side;

use std::collections::HashMap;
use std::sync::Arc;

use smelt_core::{Expectation, Verdict};
use smelt_smtlib::logic::Logic;

pub(crate) use functions::{Function, builtin, read};

use crate::options::{LongFlag, OptionError, OptionRow, OptionText, Words, word_of};
use crate::per_seed::PerSeed;
use crate::pool::{Edits, Pool, SeedId};
use crate::registry::{Needs, Row};
use crate::rng::Rng;
use crate::strategy::{CaseRequest, Draft, Skip, Strategy};
use crate::template::Env;
use functions::literal;
use side::{Kind, Kinds, Side, Variable};

/// The row of the registry.
pub(crate) const ROW: Row = Row {
    name: "fusion",
    aliases: &["yinyang"],
    about: "fuse two formulas of known status into one of known status",
    needs: Needs::Seeds,
    options: &[
        OptionRow::text("mode", "fuse, concat", "fuse", "concat: only concatenate, the baseline")
            .flag(LongFlag::Bare("concat", "concat")),
        OptionRow::file("functions", "fusion functions instead of the built-in ones; they are checked first"),
        OptionRow::text("triplets", "1 to 20", "3", "at most this many pairs of variables are tied"),
    ],
    ways: Vec::new,
    make: |o| Ok(Box::new(Fusion::new(o)?)),
};

/// The modes by their words in options: whether seeds are only concatenated.
const MODES: &[(&str, bool)] = &[("fuse", false), ("concat", true)];

/// The strategy `fusion`.
#[derive(Debug)]
pub(crate) struct Fusion {
    concat: bool,
    triplets: u32,
    functions: Arc<Vec<Function>>,
    /// By seed, once it was used: as the first and as the second.
    sides: PerSeed<[Result<Side, Skip>; 2]>,
    kinds: Kinds,
    /// Which functions tie variables of two sorts.
    fitting: HashMap<(Kind, Kind), Fitting>,
    edits: [Edits; 2],
}

/// Functions for two sorts, with what their variables stand for.
#[derive(Debug)]
struct Fitting {
    /// Those made for such sorts first.
    functions: Vec<(usize, Env)>,
    /// How many those are.
    specific: usize,
}

/// How two seeds are joined.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Join {
    And,
    Or,
}

/// A variable of each seed, tied by a function.
struct Tie {
    x: usize,
    y: usize,
    function: usize,
    env: Env,
    z: String,
}

/// More ties would leave few occurrences as they are; an option allows them.
const TRIPLETS: u32 = 3;

impl Fusion {
    /// With these options; functions of the user's are checked.
    pub(crate) fn new(options: &OptionText) -> Result<Fusion, OptionError> {
        let functions = match options.file("functions") {
            Some(text) => Arc::new(read(text.as_bytes()).map_err(|e| OptionError::new(e.to_string()))?),
            None => builtin(),
        };
        Ok(Fusion {
            concat: options.choice("mode", false, MODES)?,
            triplets: options.within("triplets", TRIPLETS, 1..=20)?,
            functions,
            sides: PerSeed::of_many(),
            kinds: Kinds::default(),
            fitting: HashMap::new(),
            edits: Default::default(),
        })
    }

    fn prepare(&mut self, pool: &mut Pool, id: SeedId) {
        self.sides.get_or_make(pool, id, |pool| {
            let (arena, seed) = pool.parts(id);
            let is_known = matches!(seed.status, Some(Verdict::Sat | Verdict::Unsat));
            [0, 1].map(|i| match is_known {
                true => Side::new(arena, seed, i, &mut self.kinds),
                false => Err(Skip::UnknownStatus),
            })
        });
    }

    /// The same for two seeds that are used together.
    fn prepare_both(&mut self, pool: &mut Pool, seed: SeedId, partner: SeedId) {
        self.prepare(pool, seed);
        self.prepare(pool, partner);
    }

    fn side(&self, id: SeedId, i: usize) -> Result<&Side, Skip> {
        self.sides[id][i].as_ref().map_err(|skip| *skip)
    }

    /// The second seed: the one asked for, or one at random that can be fused with the first.
    fn partner(&mut self, pool: &mut Pool, request: &CaseRequest<'_>) -> Result<SeedId, Skip> {
        let seed = request.seed()?;
        if let Some(partner) = request.partner() {
            self.prepare_both(pool, seed, partner);
            self.side(partner, 1)?;
            self.learn(seed, partner);
            return Ok(partner);
        }
        let mut rng = Rng::fork(request.number, 1);
        let mut last = Skip::NoPartner;
        let mut fallback = None;
        for _ in 0..24 {
            let id = pool.get(rng.below(pool.len())).ok_or(Skip::NoPartner)?;
            self.prepare_both(pool, seed, id);
            let (Ok(a), Ok(b)) = (self.side(seed, 0), self.side(id, 1)) else { continue };
            if let Some(skip) = obstacle(a, b) {
                last = skip;
                continue;
            }
            if self.concat || self.learn(seed, id) {
                return Ok(id);
            }
            fallback = fallback.or(Some(id));
        }
        fallback.ok_or(last)
    }

    /// Works out which functions tie variables of two seeds; whether one made for their sorts does.
    fn learn(&mut self, first: SeedId, second: SeedId) -> bool {
        let (Ok(a), Ok(b)) = (self.side(first, 0), self.side(second, 1)) else { return false };
        let pairs: Vec<(Kind, Kind)> =
            a.sorts.iter().flat_map(|&x| b.sorts.iter().map(move |&y| (x, y))).collect();
        let mut any = false;
        for pair in pairs {
            let (functions, kinds) = (&self.functions, &self.kinds);
            let found = self.fitting.entry(pair).or_insert_with(|| {
                let (x, y) = (kinds.sort(pair.0), kinds.sort(pair.1));
                let fits = |specific: bool| {
                    let all = functions.iter().enumerate().filter(move |(_, f)| f.is_specific() == specific);
                    all.filter_map(|(i, f)| f.fit(x, y).map(|env| (i, env)))
                };
                let mut found: Vec<(usize, Env)> = fits(true).collect();
                let specific = found.len();
                found.extend(fits(false));
                Fitting { functions: found, specific }
            });
            any |= found.specific > 0;
        }
        any
    }

    /// Chooses variables and functions.
    fn ties(&self, a: &Side, b: &Side, rng: &mut Rng) -> Vec<Tie> {
        let mut ties: Vec<Tie> = Vec::new();
        let mut logic = Logic::NONE;
        if a.variables.is_empty() || b.variables.is_empty() {
            return ties;
        }
        for _ in 0..1 + rng.below(self.triplets as usize) {
            let generic = rng.one_in(8);
            for attempt in 0..12 {
                let (x, y) = (rng.below(a.variables.len()), rng.below(b.variables.len()));
                let (vx, vy) = (&a.variables[x], &b.variables[y]);
                let Fitting { functions: all, specific } = &self.fitting[&(vx.sort, vy.sort)];
                // What fits any sort comes rarely, or last.
                let some = if generic || attempt >= 9 { all.len() } else { *specific };
                let Some((function, env)) = rng.pick(&all[..some]).cloned() else { continue };
                let more = logic.union(self.functions[function].logic);
                if !stays_speakable(a, b, more) {
                    continue;
                }
                logic = more;
                let z = format!("z{}.3", ties.len());
                ties.push(Tie { x, y, function, env: self.fill(function, env, vx, vy, &z, rng), z });
                break;
            }
        }
        ties
    }

    fn fill(&self, function: usize, mut env: Env, x: &Variable, y: &Variable, z: &str, rng: &mut Rng) -> Env {
        for constant in &self.functions[function].constants {
            env.terms.push((constant.name.clone(), literal(constant, rng)));
        }
        env.term("x", &x.name);
        env.term("y", &y.name);
        env.term("z", z);
        env
    }

    /// Exchanges some occurrences of a variable for an inversion; whether any was.
    fn invert(
        &mut self,
        side: usize,
        variable: &[std::ops::Range<u32>],
        inversion: &str,
        rng: &mut Rng,
    ) -> bool {
        let mut any = false;
        let must = rng.below(variable.len());
        for (i, place) in variable.iter().enumerate() {
            let span = smelt_smtlib::Span { start: place.start, head: place.end, end: place.end };
            if (i == must || rng.one_in(2)) && !self.edits[side].covers(&span) {
                let start = self.edits[side].new.len();
                self.edits[side].new.extend_from_slice(inversion.as_bytes());
                self.edits[side].push(place.clone(), start);
                any = true;
            }
        }
        any
    }
}

/// Whether both may rest on what the standard leaves open, and both must hold in one model.
fn shares_gap(a: &Side, b: &Side) -> bool {
    a.status == Verdict::Sat && b.status == Verdict::Sat && a.open && b.open
}

/// Why two sides may not be joined.
fn obstacle(a: &Side, b: &Side) -> Option<Skip> {
    if shares_gap(a, b) {
        Some(Skip::SharedGap)
    } else if !stays_speakable(a, b, Logic::NONE) {
        Some(Skip::NoLogic)
    } else {
        None
    }
}

/// Whether solvers that read both seeds read them together, with something more.
fn stays_speakable(a: &Side, b: &Side, more: Logic) -> bool {
    let together = a.logic.union(b.logic).union(more).is_speakable();
    together || !a.logic.is_speakable() || !b.logic.is_speakable()
}

/// How to join two sides, and the status of the result.
fn plan(a: &Side, b: &Side, rng: &mut Rng) -> (Join, Verdict) {
    use Verdict::{Sat, Unsat};
    match (a.status, b.status) {
        (Sat, Sat) => (Join::And, Sat),
        (Sat, _) | (_, Sat) => {
            let unsat = if a.status == Unsat { a } else { b };
            // Definitions hold beside either half of a disjunction; recursive ones may be what has no model.
            if rng.one_in(2) && !unsat.recursive { (Join::Or, Sat) } else { (Join::And, Unsat) }
        }
        _ => (Join::Or, Unsat),
    }
}

impl Strategy for Fusion {
    fn name(&self) -> &'static str {
        "fusion"
    }

    fn options(&self) -> String {
        let words = Words::default().add("mode", word_of(MODES, self.concat));
        words.add_if(self.triplets != TRIPLETS, "triplets", self.triplets).text()
    }

    fn next(&mut self, pool: &mut Pool, request: &CaseRequest<'_>, draft: &mut Draft) -> Result<(), Skip> {
        let seed = request.seed()?;
        draft.start(seed);
        self.prepare(pool, seed);
        self.side(seed, 0)?;
        let partner = self.partner(pool, request)?;
        draft.seeds.push(partner);
        self.prepare_both(pool, seed, partner);
        let mut rng = Rng::new(request.number);
        let (a, b) = (self.side(seed, 0)?, self.side(partner, 1)?);
        if let Some(skip) = obstacle(a, b) {
            return Err(skip);
        }
        let (join, status) = plan(a, b, &mut rng);
        let ties = if self.concat { Vec::new() } else { self.ties(a, b, &mut rng) };
        if ties.is_empty() && !self.concat {
            return Err(Skip::NoFunction);
        }
        let mut logic = a.logic.union(b.logic);
        let mut equations: Vec<String> = Vec::new();
        let mut fresh: Vec<String> = Vec::new();
        self.edits.iter_mut().for_each(Edits::clear);
        for tie in &ties {
            logic = logic.union(self.tie(
                seed,
                partner,
                tie,
                status,
                &mut rng,
                &mut fresh,
                &mut equations,
                draft,
            )?);
        }
        draft.header(pool, "fusion", &self.options(), request.number);
        let out = &mut draft.text;
        let name = logic.name();
        out.extend_from_slice(format!("(set-logic {name})\n(set-info :status {status})\n").as_bytes());
        let [mut left, mut right] = std::mem::take(&mut self.edits);
        let (a, b) = (self.side(seed, 0)?, self.side(partner, 1)?);
        out.extend_from_slice(&a.declarations);
        out.extend_from_slice(&b.declarations);
        fresh.iter().for_each(|line| push_line(out, line));
        let halves = [(a, &mut left), (b, &mut right)];
        match join {
            Join::And => {
                for (side, edits) in halves {
                    for assertion in &side.assertions {
                        out.extend_from_slice(b"(assert ");
                        edits.apply(&side.text, assertion.clone(), out);
                        out.extend_from_slice(b")\n");
                    }
                }
            }
            Join::Or => {
                out.extend_from_slice(b"(assert (or");
                for (side, edits) in halves {
                    out.extend_from_slice(if side.assertions.len() > 1 { b" (and" } else { b"" });
                    for assertion in &side.assertions {
                        out.push(b' ');
                        edits.apply(&side.text, assertion.clone(), out);
                    }
                    out.extend_from_slice(match side.assertions.len() {
                        0 => b" true",
                        1 => b"",
                        _ => b")",
                    });
                }
                out.extend_from_slice(b"))\n");
            }
        }
        equations.iter().for_each(|line| push_line(out, line));
        out.extend_from_slice(&a.extras);
        out.extend_from_slice(&b.extras);
        // A solver's own query comes before the plain one.
        out.extend_from_slice(if a.query == b"(check-sat)\n" { &b.query } else { &a.query });
        self.edits = [left, right];
        draft.expectation = if status == Verdict::Sat { Expectation::SAT } else { Expectation::UNSAT };
        Ok(())
    }
}

impl Fusion {
    /// Applies one tie: its declarations, equations and inversions; what it needs of a logic.
    #[allow(clippy::too_many_arguments)]
    fn tie(
        &mut self,
        first: SeedId,
        second: SeedId,
        tie: &Tie,
        status: Verdict,
        rng: &mut Rng,
        fresh: &mut Vec<String>,
        equations: &mut Vec<String>,
        draft: &mut Draft,
    ) -> Result<Logic, Skip> {
        let functions = Arc::clone(&self.functions);
        let f = &functions[tie.function];
        let text = |t| tie.env.text(t).ok_or(Skip::NoFunction);
        if let Some(declare) = &f.declare {
            let plain = crate::template::plain(declare);
            if !fresh.contains(&plain) {
                fresh.push(plain);
            }
        }
        fresh.push(format!("(declare-const {} {})", tie.z, text(&f.z)?));
        let halves = [(0, first, tie.x, &f.rx), (1, second, tie.y, &f.ry)];
        let mut inverses = Vec::new();
        for (side, seed, variable, inversions) in halves {
            let Some(inversion) = rng.pick(inversions) else { continue };
            let inversion = text(inversion)?;
            let v = &self.side(seed, side)?.variables[variable];
            let (name, places) = (v.name.clone(), v.places.clone());
            if self.invert(side, &places, &inversion, rng) {
                draft.log.extend_from_slice(format!("{}: {name} := {inversion}\n", f.name).as_bytes());
            }
            inverses.push(format!("(assert (= {name} {inversion}))"));
        }
        // To be unsat, z must be what it stands for. To be sat, it may be.
        if status == Verdict::Unsat || rng.one_in(2) {
            equations.push(format!("(assert (= {} {}))", tie.z, text(&f.f)?));
            if rng.one_in(2) {
                equations.append(&mut inverses);
            }
        }
        Ok(f.logic)
    }
}

fn push_line(out: &mut Vec<u8>, line: &str) {
    out.extend_from_slice(line.as_bytes());
    out.push(b'\n');
}

#[cfg(test)]
mod tests;
