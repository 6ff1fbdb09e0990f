//! Test cases of every strategy and every variant in the registry, taken in turn.

use smelt_core::Case;
use smelt_strategies::{
    CaseRequest, Draft, OptionError, OptionText, Pool, Recipe, Rng, Skip, Strategy, case_seed, rows,
};
use std::collections::HashSet;

/// How many seeds are tried for one case.
const TRIES: usize = 40;
/// How many seeds are used from the beginning. The others come in with time, one every few cases, so that a short run
/// spends its time on the first.
const FIRST: usize = 500;
const CASES_EACH: u64 = 16;

/// A case with its number.
#[derive(Clone, Debug, Default)]
pub struct Numbered {
    /// Its number.
    pub number: u64,
    /// The case.
    pub case: Case,
    /// The seeds it was made from, by position.
    pub seeds: Vec<usize>,
}

struct Way {
    strategy: Box<dyn Strategy>,
    is_finite: bool,
}

struct Line {
    needs_seeds: bool,
    ways: Vec<Way>,
    /// Seeds of which the strategy makes no case.
    barren: HashSet<usize>,
}

/// Makes cases by number.
pub struct Cases {
    pool: Pool,
    lines: Vec<Line>,
    draft: Draft,
}

impl Cases {
    /// All strategies on the seeds of a pool.
    pub fn new(pool: Pool) -> Result<Cases, OptionError> {
        let mut lines = Vec::new();
        for row in rows() {
            let ways = Recipe { row, options: OptionText::default() }.ways()?.into_iter();
            let ways = ways.map(|w| Way { is_finite: w.strategy.is_finite(), strategy: w.strategy });
            lines.push(Line { needs_seeds: row.needs.seeds(), ways: ways.collect(), barren: HashSet::new() });
        }
        Ok(Cases { pool, lines, draft: Draft::default() })
    }

    /// Case `number` under a random choice, from a seed that is `usable`; `None` if its strategy makes none of the seeds
    /// that were tried.
    pub fn make(&mut self, random: u64, number: u64, usable: &dyn Fn(usize) -> bool) -> Option<Numbered> {
        let lines = self.lines.len() as u64;
        let line = &mut self.lines[(number % lines) as usize];
        let round = number / lines;
        let ways = line.ways.len() as u64;
        let way = &mut line.ways[(round % ways) as usize];
        let mut rng = Rng::new(case_seed(random, "audit", number));
        let reach = self.pool.len().min(FIRST + (number / CASES_EACH) as usize).max(1);
        for _ in 0..TRIES {
            let seed = line.needs_seeds.then(|| rng.below(reach));
            if seed.is_some_and(|s| line.barren.contains(&s) || !usable(s)) {
                continue;
            }
            let seeds: Vec<_> = seed.and_then(|s| self.pool.get(s)).into_iter().collect();
            let chosen = if way.is_finite { round / ways } else { rng.bits() };
            let request = CaseRequest { seeds: &seeds, number: chosen };
            match way.strategy.next(&mut self.pool, &request, &mut self.draft) {
                Ok(()) => {
                    let case = self.draft.to_case(&self.pool, &*way.strategy, &OptionText::default(), chosen);
                    let seeds = self.draft.seeds.iter().map(|s| s.index()).collect();
                    return Some(Numbered { number, case, seeds });
                }
                Err(Skip::NoMoreCases) => return None,
                Err(skip) if skip.is_final() => line.barren.extend(seed),
                Err(_) => {}
            }
        }
        None
    }
}
