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

/// One in this many predicates may have one value whatever its variables are, by z3's `simplify`.
const CONSTANT: usize = 33;

#[test]
#[ignore = "needs corpus, z3"]
fn few_predicates_are_constant() {
    use std::io::Write;
    let (mut pool, ids) = common::seeds();
    let (mut all, mut constant, mut draft) = (0, 0, Draft::default());
    let mut worst: BTreeMap<String, usize> = BTreeMap::new();
    let mut made_by = strategy("skeleton", "moves=lpi form=written", &BTreeMap::new()).unwrap();
    for (index, &seed) in ids.iter().enumerate().step_by(7) {
        let text = String::from_utf8_lossy(pool.seed(seed).text()).into_owned();
        let declares = |line: &&str| line.starts_with("(declare") || line.starts_with("(define");
        let mut script: String = text.lines().filter(declares).map(|line| format!("{line}\n")).collect();
        let mut asked = Vec::new();
        for number in 0..20 {
            let number = case_seed(12, "constant", index as u64 * 20 + number);
            if made_by.next(&mut pool, &CaseRequest { seeds: &[seed], number }, &mut draft).is_err() {
                break;
            }
            for line in String::from_utf8_lossy(&draft.log).lines() {
                let Some((_, made)) = line.split_once(": ") else { continue };
                let items = smelt_smtlib::sexpr::read_all(made.as_bytes()).unwrap();
                let snippet = &made[items[0].list("a formula").unwrap()[2].offset..made.len() - 1];
                script += &format!("(echo \"\")\n(simplify {snippet})\n");
                asked.push(snippet.to_owned());
            }
        }
        let mut z3 = std::process::Command::new("z3")
            .args(["-in", "-T:20"])
            .stdin(std::process::Stdio::piped())
            .stdout(std::process::Stdio::piped())
            .spawn()
            .unwrap();
        let mut input = z3.stdin.take().unwrap();
        let writer = std::thread::spawn(move || input.write_all(script.as_bytes()));
        let said = String::from_utf8_lossy(&z3.wait_with_output().unwrap().stdout).into_owned();
        let _ = writer.join();
        // What stands below a binder has variables that z3 does not know, and is left out.
        for (answer, snippet) in said.split("\n\n").zip(&asked) {
            let answer = answer.trim();
            if answer.starts_with("(error") || answer.is_empty() {
                continue;
            }
            all += 1;
            if matches!(answer, "true" | "false") {
                constant += 1;
                let head: String = snippet.split([' ', ')']).next().unwrap_or("").to_owned();
                *worst.entry(head).or_default() += 1;
                if constant % 40 == 1 {
                    println!("{answer}: {snippet}");
                }
            }
        }
    }
    println!("{constant} of {all} predicates are constant: {worst:?}");
    assert!(all > 1000 && constant * CONSTANT < all, "{constant} of {all}");
}
