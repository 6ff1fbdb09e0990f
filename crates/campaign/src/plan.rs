//! The plans of a campaign: its strategies with all their variants, and the pool of its seeds.

use smelt_store::{Error, ErrorKind};
use smelt_strategies::{OptionError, OptionText, Pool, Recipe, Row, Strategy, rows};

use crate::seeds::SeedText;

/// The strategy name of a seed that is run itself. Without options and from number 0, the script is the seed's text.
pub const SEED: &str = "seed";

/// One strategy as a campaign uses it.
#[derive(Clone, Debug)]
pub(crate) struct Plan {
    pub(crate) row: &'static Row,
    pub(crate) ways: Vec<Way>,
}

/// One way in which a campaign uses a strategy.
#[derive(Clone, Debug)]
pub(crate) struct Way {
    pub(crate) options: OptionText,
    /// The options as the strategy writes them.
    pub(crate) text: String,
    /// Whether its cases are made in order, to the last one.
    pub(crate) in_order: bool,
    /// How many numbers in a row make one chain.
    pub(crate) chain: u32,
}

/// How a case is made: the strategy, its way, the seed and the number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Pick {
    pub(crate) strategy: usize,
    pub(crate) way: usize,
    /// The seed by position, for strategies that need one.
    pub(crate) seed: Option<usize>,
    /// The seed of its random choices, or the number of the case within the strategy.
    pub(crate) number: u64,
    /// Whether the numbers of this way are given out in order.
    pub(crate) in_order: bool,
}

impl Plan {
    /// The plans for recipes, in the order of the registry; recipes of one strategy are ways of one plan.
    pub(crate) fn of(recipes: &[Recipe]) -> Result<Vec<Plan>, Error> {
        let mut plans = Vec::new();
        for row in rows() {
            let mut ways: Vec<Way> = Vec::new();
            for recipe in recipes.iter().filter(|r| r.row.name == row.name) {
                for smelt_strategies::Way { options, strategy } in recipe.ways().map_err(usage)? {
                    let (text, in_order) = (strategy.options(), strategy.is_finite());
                    let files = options.files();
                    if ways.iter().all(|w| w.text != text || w.options.files() != files) {
                        ways.push(Way { options, text, in_order, chain: strategy.chain() });
                    }
                }
            }
            if !ways.is_empty() {
                plans.push(Plan { row, ways });
            }
        }
        Ok(plans)
    }

    /// The strategy, once for each way.
    pub(crate) fn make(&self) -> Result<Vec<Box<dyn Strategy>>, Error> {
        self.ways.iter().map(|way| self.row.make(&way.options).map_err(usage)).collect()
    }
}

fn usage(e: OptionError) -> Error {
    Error::new(ErrorKind::Usage, e.to_string())
}

/// A pool of the seeds that can be used; and the names of the others, with the reasons.
pub(crate) fn pool_of(seeds: Vec<SeedText>) -> (Pool, Vec<SeedText>, Vec<(String, String)>) {
    let mut pool = Pool::new();
    let (mut usable, mut others) = (Vec::new(), Vec::new());
    for seed in seeds {
        match pool.add(&seed.name, &seed.text, seed.status) {
            Ok(_) => usable.push(seed),
            Err(e) => others.push((seed.name, e.to_string())),
        }
    }
    (pool, usable, others)
}

#[cfg(test)]
mod tests {
    use super::*;
    use smelt_strategies::parse_recipes;

    #[test]
    fn recipes_of_one_strategy_are_ways_of_one_plan() {
        let texts = ["enumerate:ints,fusion,enumerate:core,yinyang".to_owned()];
        let recipes = parse_recipes(&texts, &[], &mut |_| Err(std::io::Error::other("none"))).unwrap();
        let plans = Plan::of(&recipes).unwrap();
        let names: Vec<(&str, usize)> = plans.iter().map(|p| (p.row.name, p.ways.len())).collect();
        // `yinyang` is `fusion`, which comes in two ways.
        assert_eq!(names, [("fusion", 2), ("enumerate", 2)]);
        assert!(plans[1].ways[0].text.contains("grammar=ints") && plans[1].ways[0].in_order);
    }
}
