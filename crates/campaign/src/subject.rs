//! What seeds are about: each theory is a subject, and has a share of the time however many seeds are about it.

use smelt_oracle::theory;
use smelt_strategies::Pool;
use std::collections::HashMap;

/// Subjects, the grammars and presets about them, and what a test of them is worth before anything is known, relative to the
/// others, which are worth 1. Published campaigns on several solvers found about four of five wrong answers in strings and
/// most others in nonlinear arithmetic.
const WORTH: [(&str, &[&str], f64); 4] = [
    ("strings", &["strings", "stringints"], 4.0),
    ("seq", &["sequences"], 2.0),
    ("nonlinear-reals", &[], 2.0),
    ("nonlinear-ints", &[], 2.0),
];

/// What a test of a way of a strategy is worth, by the grammar or preset that its options name.
pub(crate) fn worth_of_way(options: &str) -> f64 {
    let values: Vec<&str> = options.split(' ').filter_map(|word| Some(word.split_once('=')?.1)).collect();
    let row = WORTH.iter().find(|(_, names, _)| names.iter().any(|name| values.contains(name)));
    row.map_or(1.0, |(.., worth)| *worth)
}

/// The subjects of the seeds of a campaign.
#[derive(Debug)]
pub(crate) struct Subjects {
    /// By seed, its subject.
    pub(crate) of: Vec<usize>,
    /// By subject, what a test of it is worth.
    pub(crate) worth: Vec<f64>,
}

impl Subjects {
    /// The subjects of the first seeds of a pool.
    pub(crate) fn new(pool: &Pool, seeds: usize) -> Subjects {
        let mut numbers: HashMap<String, usize> = HashMap::new();
        let mut worth = Vec::new();
        let mut of = Vec::new();
        for id in pool.ids().take(seeds) {
            let theory = theory(pool.arena(), &pool.seed(id).script);
            let number = *numbers.entry(theory).or_insert_with_key(|theory| {
                let name = theory.split('+').next();
                let row = WORTH.iter().find(|(subject, ..)| Some(*subject) == name);
                worth.push(row.map_or(1.0, |(.., worth)| *worth));
                worth.len() - 1
            });
            of.push(number);
        }
        Subjects { of, worth }
    }

    /// One subject for all seeds: the user says what the campaign is about.
    pub(crate) fn one(seeds: usize) -> Subjects {
        Subjects { of: vec![0; seeds], worth: vec![1.0] }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::Plan;
    use smelt_strategies::parse_recipes;

    #[test]
    fn seeds_of_one_theory_have_one_subject_and_each_row_is_a_theory() {
        let mut pool = Pool::new();
        let scripts = [
            "(declare-const a String)(assert (= a \"x\"))(check-sat)",
            "(declare-const b (Seq Int))(assert (= (seq.len b) 1))(check-sat)",
            "(declare-const x Real)(assert (= (* x x) 2.0))(check-sat)",
            "(declare-const n Int)(assert (= (* n n) 4))(check-sat)",
            "(declare-const p Bool)(assert p)(check-sat)",
            "(declare-const c String)(assert (= (str.len c) 3))(check-sat)",
        ];
        for (i, script) in scripts.iter().enumerate() {
            pool.add(&i.to_string(), script.as_bytes(), None).unwrap();
        }
        let subjects = Subjects::new(&pool, scripts.len());
        assert_eq!(subjects.of, [0, 1, 2, 3, 4, 0]);
        let rows: Vec<f64> = WORTH.iter().map(|(.., worth)| *worth).collect();
        assert_eq!(subjects.worth[..4], rows);
        assert_eq!(subjects.worth[4], 1.0);
    }

    #[test]
    fn ways_are_worth_what_their_grammar_or_preset_is_about() {
        let recipes =
            parse_recipes(&["enumerate,synthesis".to_owned()], &[], &mut |_| unreachable!()).unwrap();
        let plans = Plan::of(&recipes).unwrap();
        let texts = || plans.iter().flat_map(|plan| &plan.ways).map(|way| way.text.as_str());
        for name in WORTH.iter().flat_map(|(_, names, _)| *names) {
            let about = texts().filter(|text| text.split(['=', ' ']).any(|word| word == *name));
            assert!(about.map(worth_of_way).reduce(f64::min).is_some_and(|worth| worth > 1.0), "{name}");
        }
        assert_eq!(worth_of_way("grammar=ints vars=2 asserts=1"), 1.0);
    }
}
