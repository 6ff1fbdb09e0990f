//! What a test is worth before anything is known of a campaign: where published campaigns found their bugs. All that is
//! not named here is worth 1. Published counts give the order; the factors are ours, chosen by campaigns on z3 4.8.5 and cvc4.

/// Theories, and the grammars and presets about them. Campaigns on several solvers found about four of five wrong
/// answers in strings and most others in nonlinear arithmetic.
const THEORIES: [(&str, &[&str], f64); 4] = [
    ("strings", &["strings", "stringints"], 8.0),
    ("seq", &["sequences"], 2.0),
    ("nonlinear-reals", &[], 2.0),
    ("nonlinear-ints", &[], 2.0),
];

/// Strategies. Mutating operators found 1,254 bugs and generating expressions 322, on the same solvers on which fusion
/// found 76, enumeration 102 and weakening 31. `certified` makes the same steps.
const STRATEGIES: [(&str, f64); 3] = [("operator", 3.0), ("generative", 3.0), ("certified", 3.0)];

/// What a test about a theory is worth.
pub(crate) fn of_theory(theory: &str) -> f64 {
    let name = theory.split('+').next();
    let row = THEORIES.iter().find(|(theory, ..)| Some(*theory) == name);
    row.map_or(1.0, |(.., worth)| *worth)
}

/// What a test of a strategy is worth.
pub(crate) fn of_strategy(name: &str) -> f64 {
    STRATEGIES.iter().find(|(strategy, _)| *strategy == name).map_or(1.0, |(_, worth)| *worth)
}

/// What a test of a way of a strategy is worth, by the grammar or preset that its options name.
pub(crate) fn of_way(options: &str) -> f64 {
    let values: Vec<&str> = options.split(' ').filter_map(|word| Some(word.split_once('=')?.1)).collect();
    let row = THEORIES.iter().find(|(_, names, _)| names.iter().any(|name| values.contains(name)));
    row.map_or(1.0, |(.., worth)| *worth)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::Plan;
    use smelt_strategies::{names, parse_recipes};

    #[test]
    fn ways_are_worth_what_their_grammar_or_preset_is_about() {
        let recipes =
            parse_recipes(&["enumerate,synthesis".to_owned()], &[], &mut |_| unreachable!()).unwrap();
        let plans = Plan::of(&recipes).unwrap();
        let texts = || plans.iter().flat_map(|plan| &plan.ways).map(|way| way.text.as_str());
        for name in THEORIES.iter().flat_map(|(_, names, _)| *names) {
            let about = texts().filter(|text| text.split(['=', ' ']).any(|word| word == *name));
            assert!(about.map(of_way).reduce(f64::min).is_some_and(|worth| worth > 1.0), "{name}");
        }
        assert_eq!(of_way("grammar=ints vars=2 asserts=1"), 1.0);
    }

    #[test]
    fn each_strategy_named_here_exists() {
        for (name, worth) in STRATEGIES {
            assert!(names().contains(&name), "{name}");
            assert_eq!(of_strategy(name), worth);
        }
        assert_eq!(of_strategy("shuffle"), 1.0);
    }
}
