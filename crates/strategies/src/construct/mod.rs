//! Generates bit-vector and floating-point formulas with a status known by construction.
//!
//! Satisfiable formulas: terms and an assignment are generated together, and most atoms start from arguments that
//! reach a corner case of an operator (`rule`). Unsatisfiable formulas: a small contradiction, the kernel, is made
//! from proved laws, bounds or a full search (`unsat`), and then hidden. Syntactic formulas: any well-sorted
//! formula.
//!
//! No solver and no search for models is involved; a formula takes tens of microseconds.

mod corner;
mod grow;
mod numbers;
mod operator;
mod options;
mod rule;
mod sat;
mod script;
mod sort;
mod stats;
mod template;
mod term;
mod unsat;
mod world;

#[cfg(test)]
mod tests;

use std::io::Write;

use grow::Grower;
pub use options::presets;
use options::{Settings, Status};
use script::{Assertion, Formula};
use stats::Counts;
use term::{Term, Terms};
use world::World;

use crate::alive::DeadWeight;
use crate::options::{OptionError, OptionText};
use crate::pool::Pool;
use crate::registry::{Needs, Row};
use crate::rng::Rng;
use crate::strategy::{CaseRequest, Draft, Skip, Strategy};

/// The row of the registry.
pub(crate) const ROW: Row = Row {
    name: "construct",
    aliases: &[],
    about: "bit-vector and floating-point formulas with known status, by construction",
    needs: Needs::Nothing,
    options: options::OPTIONS,
    ways,
    make: |o| Ok(Box::new(Construct::new(o)?)),
};

/// The generator; it keeps its memory from formula to formula.
pub struct Construct {
    world: World,
    text: String,
    terms: Terms,
    formula: Formula,
    live: Vec<bool>,
    counts: Option<Counts>,
    dead_weight: DeadWeight,
}

impl Construct {
    fn new(options: &OptionText) -> Result<Construct, OptionError> {
        let options = Settings::new(options)?;
        Ok(Construct {
            text: options.to_text(),
            world: World::new(options),
            terms: Terms::default(),
            formula: Formula::default(),
            live: Vec::new(),
            counts: None,
            dead_weight: DeadWeight::default(),
        })
    }

    /// Fills the checks with assertions. Unsatisfiable ones that need no theory are made again, but for the share that the
    /// options allow.
    fn make(&mut self, mut rng: Rng, kernels: &mut Vec<&'static str>) -> Rng {
        let is_unsat = self.world.options.status == Status::Unsat;
        let may_be_free = !is_unsat || rng.below(100) < self.world.options.theory_free as usize;
        for _ in 0..TRIES {
            self.terms.clear();
            self.formula.checks.clear();
            kernels.clear();
            rng = self.grow(rng, kernels);
            let is_free = is_unsat
                && self.formula.checks.iter().any(|check| {
                    let asserted: Vec<Term> = check.iter().map(|a| a.term).collect();
                    unsat::is_theory_free(&self.terms, &asserted)
                });
            if is_free {
                kernels.push(unsat::THEORY_FREE);
            }
            if may_be_free || !is_free {
                break;
            }
        }
        if is_unsat {
            let mut g = Grower { world: &self.world, rng, terms: &mut self.terms, valued: false };
            self.formula.checks.iter_mut().for_each(|check| unsat::cut(&mut g, check));
            rng = g.rng;
        }
        rng
    }

    /// Fills the checks with assertions.
    fn grow(&mut self, rng: Rng, kernels: &mut Vec<&'static str>) -> Rng {
        let options = &self.world.options;
        let valued = options.status == Status::Sat;
        let mut g = Grower { world: &self.world, rng, terms: &mut self.terms, valued };
        let checks = options.checks;
        for check in 0..checks {
            // Divided evenly; the first checks get the remainder.
            let number = options.assertions / checks + u32::from(check < options.assertions % checks);
            let list = match options.status {
                Status::Sat => (0..number).map(|_| plain(g.formula(true, options.depth))).collect(),
                Status::None => (0..number).map(|_| plain(g.any_formula(options.depth))).collect(),
                Status::Unsat => unsat::assertions(&mut g, number, kernels),
            };
            self.formula.checks.push(list);
        }
        g.rng
    }
}

/// How often a formula that needs no theory is made again, at most.
const TRIES: usize = 20;

/// How often a formula of unknown status that simplification decides is made again, at most.
const AGAIN: u64 = 4;

fn plain(term: Term) -> Assertion {
    Assertion { term, core: false }
}

impl Strategy for Construct {
    fn name(&self) -> &'static str {
        "construct"
    }

    fn options(&self) -> String {
        self.text.clone()
    }

    fn next(&mut self, pool: &mut Pool, request: &CaseRequest<'_>, draft: &mut Draft) -> Result<(), Skip> {
        let mut kernels = Vec::new();
        let is_open = self.world.options.status == Status::None;
        for attempt in 0..=AGAIN {
            draft.clear();
            let rng = match attempt {
                0 => Rng::new(request.number),
                again => Rng::fork(request.number, again),
            };
            let mut rng = self.make(rng, &mut kernels);
            let roots: Vec<Term> = self.formula.terms().collect();
            self.terms.mark(&roots, &mut self.live);
            draft.header(pool, "construct", &self.text, request.number);
            for name in &kernels {
                let _ = writeln!(draft.log, "kernel {name}");
            }
            script::write(&self.terms, &self.live, &self.formula, &self.world.options, &mut rng, draft);
            if !is_open || !self.dead_weight.is_simplified(&draft.text) {
                break;
            }
        }
        if let Some(counts) = &mut self.counts {
            counts.add(&self.terms, &self.live, &kernels);
        }
        Ok(())
    }

    fn count(&mut self) {
        self.counts = Some(Counts::new(&self.world));
    }

    fn statistics(&self) -> Option<(&'static str, Vec<(String, u64)>)> {
        let counts = self.counts.as_ref()?.list().into_iter().map(|(name, n)| (name.to_owned(), n));
        Some(("rules", counts.collect()))
    }
}

/// Every preset, alone and with several checks in one script; and other widths, formats, depths and sizes. The formats of
/// one script are those of the standard or one alone: solvers refuse the whole script for one that they do not have.
fn ways() -> Vec<String> {
    let mut ways = Vec::new();
    for preset in presets() {
        ways.extend([format!("preset={preset}"), format!("preset={preset} checks=3")]);
        let shapes: &[&str] = match preset.rsplit_once('_').map_or("", |(start, _)| start) {
            "bv_few" => &["widths=1,2", "widths=4 assertions=20 depth=2", "numbers=1 assertions=5"],
            "bv_many" => &[
                "widths=33",
                "widths=64 depth=2 assertions=6",
                "widths=16 depth=5 assertions=4",
                "numbers=1 assertions=5",
                "widths=64 numbers=1 assertions=4",
            ],
            "fp_few" => &["formats=3:4 depth=3 assertions=5"],
            "fp_many" => &["formats=5:11", "formats=5:11 depth=3 assertions=5", "numbers=1 assertions=3"],
            "fp_other" => &["formats=15:113 assertions=4", "formats=11:53", "formats=5:11,8:24"],
            _ => &["widths=16,33 formats=5:11", "widths=1,64 formats=11:53 assertions=5"],
        };
        ways.extend(shapes.iter().map(|shape| format!("preset={preset} {shape}")));
    }
    ways
}
