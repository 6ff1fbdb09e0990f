//! Live predicate injection on real seeds: the predicates are well-sorted, and half of them bring something new.

#![allow(clippy::print_stdout, reason = "the log says how many predicates bring something new")]

use crate::common;

use std::collections::{BTreeMap, HashSet};

use smelt_smtlib::{Arena, parse_script};
use smelt_strategies::{CaseRequest, Draft, case_seed, strategy};

/// Groups of logics, by folder.
const GROUPS: [(&str, &[&str]); 6] = [
    ("LIA", &["LIA", "QF_LIA"]),
    ("NRA", &["NRA", "QF_NRA"]),
    ("BV", &["BV", "QF_BV"]),
    ("FP", &["FP", "QF_FP"]),
    ("S", &["QF_S", "QF_SLIA"]),
    ("arrays", &["QF_AX", "QF_ALIA", "QF_AUFLIA", "QF_ABV", "ALIA", "AUFLIA"]),
];

/// How many predicates of each group are looked at.
const PREDICATES: usize = 2_000;

/// Words that join atoms; they are not what a predicate is about.
const CONNECTIVES: [&str; 8] = ["and", "or", "not", "=>", "xor", "forall", "exists", "_"];

fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(['(', ')', ' ', '\n']).filter(|w| !w.is_empty())
}

#[test]
#[ignore = "needs corpus"]
fn half_of_the_predicates_have_an_operator_or_constant_that_the_seed_does_not() {
    let (mut pool, ids) = common::seeds();
    let mut arena = Arena::new();
    let empty = arena.checkpoint();
    for (group, logics) in GROUPS {
        let mut made_by = strategy("skeleton", "moves=lpi form=written", &BTreeMap::new()).unwrap();
        let is_in = |name: &str| logics.iter().any(|l| name.contains(&format!("/{l}/")));
        let seeds: Vec<_> = ids.iter().copied().filter(|&id| is_in(&pool.seed(id).name)).collect();
        let (mut all, mut new, mut draft) = (0, 0, Draft::default());
        let mut index = 0;
        while all < PREDICATES && index < 20_000 {
            let seed = seeds[index % seeds.len()];
            let number = case_seed(11, group, index as u64);
            index += 1;
            if made_by.next(&mut pool, &CaseRequest { seeds: &[seed], number }, &mut draft).is_err() {
                continue;
            }
            let parsed = parse_script(&mut arena, &draft.text).unwrap();
            assert_eq!(parsed.diagnostics, [], "{}", String::from_utf8_lossy(&draft.text));
            arena.rollback(empty);
            let text = String::from_utf8_lossy(pool.seed(seed).text()).into_owned();
            let old: HashSet<&str> = words(&text).chain(CONNECTIVES).collect();
            for line in String::from_utf8_lossy(&draft.log).lines() {
                let Some((_, made)) = line.split_once(": ") else { continue };
                all += 1;
                new += usize::from(words(made).any(|w| !old.contains(w) && !w.starts_with("smelt!")));
            }
        }
        println!("{group}: {new} of {all} predicates bring something new");
        assert!(all >= PREDICATES, "{group}: {all}");
        assert!(new * 2 >= all, "{group}: {new} of {all}");
    }
}
