//! What seeds are about: each theory is a subject, and has a share of the time however many seeds are about it.

use smelt_oracle::theory;
use smelt_strategies::Pool;
use std::collections::HashMap;

use crate::worth;

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
                worth.push(worth::of_theory(theory));
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

    #[test]
    fn seeds_of_one_theory_have_one_subject() {
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
        assert!(subjects.worth[..4].iter().all(|worth| *worth > 1.0), "{:?}", subjects.worth);
        assert_eq!(subjects.worth[4], 1.0);
    }
}
