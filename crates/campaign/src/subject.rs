//! What seeds are about: each theory is a subject, and has a share of the time however many seeds are about it.

use smelt_oracle::theory;
use smelt_strategies::Pool;
use std::collections::HashMap;

/// What a test of a subject is worth before anything is known, relative to the others, which are worth 1. Published
/// campaigns on several solvers found about four of five wrong answers in strings and most others in nonlinear arithmetic.
const WORTH: [(&str, f64); 3] = [("strings", 4.0), ("seq", 2.0), ("nonlinear", 2.0)];

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
                let row = WORTH.iter().find(|(subject, _)| Some(*subject) == name);
                worth.push(row.map_or(1.0, |(_, worth)| *worth));
                worth.len() - 1
            });
            of.push(number);
        }
        Subjects { of, worth }
    }
}
