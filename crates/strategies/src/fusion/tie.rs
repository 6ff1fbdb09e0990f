//! Ties: the connected variables of two seeds, the function and its inversions, and the changed text of the seeds.

use std::collections::HashMap;
use std::sync::Arc;

use smelt_core::Verdict;
use smelt_smtlib::logic::Logic;

use super::functions::{Function, Inversion, literal};
use super::join::{Half, Join, Ties, stays_speakable};
use super::points::{Points, holds};
use super::side::{Kind, Kinds, Side, Variable};
use crate::rng::Rng;
use crate::strategy::Skip;
use crate::template::{Env, plain};
use crate::workbench::Workbench;

/// Fusion functions, and which of them tie variables of two sorts.
#[derive(Debug)]
pub(super) struct Tools {
    pub(super) functions: Arc<Vec<Function>>,
    pub(super) kinds: Kinds,
    fitting: HashMap<(Kind, Kind), Fitting>,
    /// For inversions that are evaluated at the values of a model.
    bench: Option<Workbench>,
}

/// Functions for two sorts, with what their variables stand for.
#[derive(Debug)]
struct Fitting {
    /// Those made for such sorts first.
    functions: Vec<(usize, Env)>,
    /// How many those are.
    specific: usize,
}

/// The values of both sides' variables: both under models, or one, and what is chosen for the constants of the other.
pub(super) struct Known<'a> {
    pub(super) points: [Option<&'a Points>; 2],
    /// In a satisfiable disjunction, the side that has no model.
    pub(super) free: Option<usize>,
    /// What was chosen for its constants so far.
    pub(super) chosen: HashMap<usize, String>,
}

/// How many values are tried for a constant that may have any.
const VALUES: usize = 6;
/// How often variables are drawn for one tie; in the last few draws any function will do.
const DRAWS: usize = 12;
const LAST: usize = 3;

impl Tools {
    pub(super) fn new(functions: Arc<Vec<Function>>) -> Tools {
        Tools { functions, kinds: Kinds::default(), fitting: HashMap::new(), bench: None }
    }

    /// Whether any inversion holds for some values only.
    pub(super) fn has_partial(&self) -> bool {
        self.functions.iter().any(|f| f.rx.iter().chain(&f.ry).any(|i| !i.everywhere))
    }

    /// Computes which functions tie variables of two sides; whether one made for their sorts does.
    pub(super) fn learn(&mut self, a: &Side, b: &Side) -> bool {
        let mut any = false;
        for pair in a.sorts.iter().flat_map(|&x| b.sorts.iter().map(move |&y| (x, y))) {
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

    /// Ties up to this many pairs of variables.
    pub(super) fn ties(
        &mut self,
        (a, b): (Half<'_>, Half<'_>),
        (join, status): (Join, Verdict),
        (triplets, mut known): (usize, Known<'_>),
        rng: &mut Rng,
        log: &mut Vec<u8>,
    ) -> Result<Ties, Skip> {
        let mut ties = Ties::default();
        if a.side.variables.is_empty() || b.side.variables.is_empty() {
            return Err(Skip::NoFunction);
        }
        let wanted = 1 + rng.below(triplets);
        for number in 0..wanted {
            let generic = rng.one_in(8);
            for attempt in 0..DRAWS {
                let (x, y) = (draw(a.side, rng), draw(b.side, rng));
                let sorts = (a.side.variables[x].sort, b.side.variables[y].sort);
                let Some(Fitting { functions: all, specific }) = self.fitting.get(&sorts) else { continue };
                // What fits any sort comes rarely, or last.
                let some = if generic || attempt >= DRAWS - LAST { all.len() } else { *specific };
                let Some((function, env)) = rng.pick(&all[..some]).cloned() else { continue };
                let more = ties.logic.union(self.functions[function].logic);
                if !stays_speakable(a.side, b.side, more) {
                    continue;
                }
                let at = At { function, x, y, z: format!("z{number}.3"), status, is_apart: join == Join::Or };
                if self.tie((a.side, b.side), &at, env, &mut known, (&mut ties, rng, log)).is_some() {
                    ties.logic = more;
                    break;
                }
            }
        }
        if ties.fresh.is_empty() { Err(Skip::NoFunction) } else { Ok(ties) }
    }

    /// Adds one tie; `None` if a constant has no literals, or no inversion may be used.
    fn tie(
        &mut self,
        sides: (&Side, &Side),
        at: &At,
        mut env: Env,
        known: &mut Known<'_>,
        (ties, rng, log): (&mut Ties, &mut Rng, &mut Vec<u8>),
    ) -> Option<()> {
        let functions = Arc::clone(&self.functions);
        let f = &functions[at.function];
        for constant in &f.constants {
            let text = literal(constant, &env, rng)?;
            env.terms.push((constant.name.clone(), text));
        }
        let law = env.clone();
        let variables = [&sides.0.variables[at.x], &sides.1.variables[at.y]];
        env.term("x", &variables[0].name);
        env.term("y", &variables[1].name);
        env.term("z", &at.z);
        let mut chosen: [Option<(&Inversion, String)>; 2] = [None, None];
        for (side, list) in [&f.rx, &f.ry].into_iter().enumerate() {
            let Some(inversion) = rng.pick(list) else { continue };
            let is_known = inversion.everywhere
                || at.status == Verdict::Unsat
                || self.holds(f, &law, at, variables, known, (inversion, ["x", "y"][side]));
            if is_known {
                chosen[side] = Some((inversion, env.text(&inversion.term)?));
            }
        }
        if chosen.iter().all(Option::is_none) {
            return None;
        }
        let equation = format!("(assert (= {} {}))", at.z, env.text(&f.f)?);
        if let Some(declare) = &f.declare {
            let plain = plain(declare);
            if !ties.fresh.contains(&plain) {
                ties.fresh.push(plain);
            }
        }
        ties.fresh.push(format!("(declare-const {} {})", at.z, env.text(&f.z)?));
        // To be unsat, z must be what it stands for, and what an inversion gives for some values only must be the variable.
        let is_unsat = at.status == Verdict::Unsat;
        let says = is_unsat || rng.one_in(2);
        let says_all = says && rng.one_in(2);
        if says {
            ties.equations.push(equation);
        }
        for (side, inversion) in chosen.into_iter().enumerate() {
            let Some((inversion, text)) = inversion else { continue };
            let variable = variables[side];
            if invert(&mut ties.edits[side], variable, &text, rng) {
                log.extend_from_slice(format!("{}: {} := {text}\n", f.name, variable.name).as_bytes());
            }
            if says_all || is_unsat && !inversion.everywhere {
                ties.equations.push(format!("(assert (= {} {text}))", variable.name));
            }
        }
        Some(())
    }

    /// Whether an inversion holds in the model that the fused formula will have.
    fn holds(
        &mut self,
        f: &Function,
        law: &Env,
        at: &At,
        variables: [&Variable; 2],
        known: &mut Known<'_>,
        inversion: (&Inversion, &str),
    ) -> bool {
        // Terms of a datatype that the function declares cannot be written in the workbench.
        if f.declare.is_some() {
            return false;
        }
        if self.bench.is_none() {
            self.bench = Workbench::new("").ok();
        }
        let Some(bench) = &mut self.bench else { return false };
        let number = [at.x, at.y];
        let value = |side: usize| known.points[side].and_then(|p| p[number[side]].clone());
        let Some(free) = known.free.filter(|_| at.is_apart) else {
            return match (value(0), value(1)) {
                (Some(x), Some(y)) => holds(bench, f, law, (&x, &y), inversion),
                _ => false,
            };
        };
        // The half without a model may be false, so its constants may have any value; its terms have what follows.
        let Some(fixed) = value(1 - free).filter(|_| !variables[free].name.starts_with('(')) else {
            return false;
        };
        let tried: Vec<String> = match known.chosen.get(&number[free]) {
            Some(value) => vec![value.clone()],
            None => {
                let values = crate::samples::values(self.kinds.sort(variables[free].sort), 1);
                values.unwrap_or_default().into_iter().take(VALUES).collect()
            }
        };
        for value in tried {
            let (x, y) = if free == 0 { (&value, &fixed) } else { (&fixed, &value) };
            if holds(bench, f, law, (x, y), inversion) {
                known.chosen.insert(number[free], value);
                return true;
            }
        }
        false
    }
}

/// What is tied by what.
struct At {
    function: usize,
    x: usize,
    y: usize,
    z: String,
    status: Verdict,
    is_apart: bool,
}

/// A variable of a side, and one time in four a whole term.
fn draw(side: &Side, rng: &mut Rng) -> usize {
    let (all, constants) = (side.variables.len(), side.constants);
    if constants == 0 || constants < all && rng.one_in(4) {
        constants + rng.below(all - constants)
    } else {
        rng.below(constants)
    }
}

/// Exchanges some occurrences of a variable for an inversion; whether any was.
fn invert(edits: &mut crate::pool::Edits, variable: &Variable, inversion: &str, rng: &mut Rng) -> bool {
    let mut any = false;
    let must = rng.below(variable.places.len());
    for (i, place) in variable.places.iter().enumerate() {
        if (i == must || rng.one_in(2)) && !edits.touches(place) {
            let start = edits.new.len();
            edits.new.extend_from_slice(inversion.as_bytes());
            edits.push(place.clone(), start);
            any = true;
        }
    }
    any
}

/// The logic that nothing is tied in.
pub(super) fn untied() -> Ties {
    Ties { logic: Logic::NONE, ..Ties::default() }
}
