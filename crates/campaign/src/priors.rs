//! Priors of the scheduler: published counts of bugs by theory and by technique, as data in `data/priors.toml`.

use serde::Deserialize;
use std::sync::LazyLock;

/// The part of a prior that follows from published counts; the rest is the same for all. Half, since the solvers of the current releases
/// are not those of the papers, and what was never tried has no count.
const PUBLISHED: f64 = 0.5;

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Table {
    theory: Vec<Row>,
    strategy: Vec<Row>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Row {
    name: String,
    bugs: u32,
    /// The paper and the table.
    #[cfg_attr(not(test), expect(dead_code, reason = "for people who read the file"))]
    source: String,
    #[serde(default)]
    grammars: Vec<String>,
}

static TABLE: LazyLock<Table> = LazyLock::new(|| {
    toml::from_str(include_str!("../data/priors.toml")).expect("the priors are TOML of this shape")
});

/// Priors of some things with published counts, relative to their average.
fn mixed(bugs: Vec<u32>) -> Vec<f64> {
    let all: u32 = bugs.iter().sum();
    let published = |n: u32| f64::from(n) * bugs.len() as f64 / f64::from(all.max(1));
    let share = if all == 0 { 0.0 } else { PUBLISHED };
    bugs.iter().map(|n| share * published(*n) + (1.0 - share)).collect()
}

/// Of strategies, by their names.
pub(crate) fn of_strategies<'a>(names: impl Iterator<Item = &'a str>) -> Vec<f64> {
    let bugs = |name: &str| TABLE.strategy.iter().find(|row| row.name == name).map_or(0, |row| row.bugs);
    mixed(names.map(bugs).collect())
}

/// Of theories, as the oracle names them.
pub(crate) fn of_theories<'a>(names: impl Iterator<Item = &'a str>) -> Vec<f64> {
    let bugs = |theory: &str| {
        let name = theory.split('+').next();
        TABLE.theory.iter().find(|row| Some(row.name.as_str()) == name).map_or(0, |row| row.bugs)
    };
    mixed(names.map(bugs).collect())
}

/// Of the variants of a strategy, by the grammar or preset that their options name.
pub(crate) fn of_variants<'a>(options: impl Iterator<Item = &'a str>) -> Vec<f64> {
    let bugs = |options: &str| {
        let values: Vec<&str> = options.split(' ').filter_map(|word| Some(word.split_once('=')?.1)).collect();
        let about = |row: &&Row| row.grammars.iter().any(|name| values.contains(&name.as_str()));
        TABLE.theory.iter().find(about).map_or(0, |row| row.bugs)
    };
    mixed(options.map(bugs).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::Plan;
    use smelt_strategies::{names, parse_recipes};

    #[test]
    fn every_prior_names_its_source_and_something_that_exists() {
        for row in TABLE.theory.iter().chain(&TABLE.strategy) {
            assert!(row.source.starts_with("00") && row.bugs > 0, "{row:?}");
        }
        for row in &TABLE.strategy {
            assert!(names().contains(&row.name.as_str()), "{}", row.name);
        }
        assert_eq!(TABLE.theory.iter().map(|row| row.bugs).sum::<u32>() + 40 + 11, 963, "as the source says");
        let recipes =
            parse_recipes(&["enumerate,synthesis".to_owned()], &[], &mut |_| unreachable!()).unwrap();
        let plans = Plan::of(&recipes).unwrap();
        let texts = || plans.iter().flat_map(|plan| &plan.ways).map(|way| way.text.as_str());
        for name in TABLE.theory.iter().flat_map(|row| &row.grammars) {
            assert!(texts().any(|text| text.split(['=', ' ']).any(|word| word == name)), "{name}");
        }
    }

    #[test]
    fn half_of_a_prior_is_published_and_half_is_the_same_for_all() {
        let priors = of_strategies(["operator", "generative", "shuffle"].into_iter());
        assert!((priors.iter().sum::<f64>() - 3.0).abs() < 1e-9, "{priors:?}");
        assert!(priors[0] > priors[1] && priors[1] > priors[2] && priors[2] == 0.5, "{priors:?}");
        assert_eq!(of_theories(["core", "core+quantifiers"].into_iter()), [1.0, 1.0]);
        assert_eq!(of_variants(["grammar=core vars=2"].into_iter()), [1.0]);
    }
}
