//! Laws of the generator.

use std::collections::HashMap;

use smelt_core::Expectation;
use smelt_semantics::goal::Goal;
use smelt_semantics::model::{Escapes, Model, Truth};
use smelt_smtlib::{Arena, parse_script};

use super::*;
use crate::rng::case_seed;

/// How many formulas of each preset, in the quick and in the slow tests.
fn number() -> u64 {
    let text = std::env::var("SMELT_CONSTRUCT").ok();
    text.and_then(|t| t.parse().ok()).unwrap_or(300)
}

fn construct(options: &str) -> Construct {
    Construct::new(&ROW.read(options).unwrap()).unwrap()
}

fn make(construct: &mut Construct, number: u64, draft: &mut Draft) {
    construct.next(&mut Pool::new(), &CaseRequest { seeds: &[], number }, draft).unwrap();
}

fn each(preset: &str, extra: &str, mut check: impl FnMut(u64, &Draft)) {
    let mut generator = construct(&format!("preset={preset} {extra}"));
    let mut draft = Draft::default();
    for index in 0..number() {
        let seed = case_seed(3, preset, index);
        make(&mut generator, seed, &mut draft);
        check(seed, &draft);
    }
}

/// The goals of each check of a script, and how it reads.
fn well_sorted(draft: &Draft) -> (Arena, smelt_smtlib::Parsed) {
    let mut arena = Arena::new();
    let text = String::from_utf8_lossy(&draft.text);
    let parsed = parse_script(&mut arena, &draft.text).unwrap_or_else(|e| panic!("{e}\n{text}"));
    assert!(parsed.diagnostics.is_empty(), "{:?}\n{text}", parsed.diagnostics);
    (arena, parsed)
}

#[test]
fn every_model_satisfies_its_script() {
    let mut unseen: Vec<String> = operator::OPERATORS
        .iter()
        .map(|row| match row.shape.indices() {
            0 => format!("({} ", row.name),
            _ => format!("(_ {} ", row.name),
        })
        .collect();
    for preset in presets().iter().filter(|p| p.ends_with("_sat")) {
        each(preset, "checks=2 recent=1", |_, draft| {
            let (mut arena, parsed) = well_sorted(draft);
            assert_eq!(draft.expectation, Expectation::Sat);
            let text = String::from_utf8_lossy(&draft.text);
            unseen.retain(|name| !text.contains(&**name));
            let goals = Goal::all(&parsed.script);
            assert_eq!(goals.len(), 2);
            for goal in goals {
                let escapes = Escapes::Standard;
                let model = Model::read(&mut arena, &parsed.scope, &goal, &draft.witness, escapes).unwrap();
                assert_eq!(model.check(&arena, &goal).verdict(), Truth::True, "{text}");
            }
        });
    }
    assert!(unseen.is_empty(), "never made: {unseen:?}");
}

/// Whether all assertions of the first check are true for some of many values.
fn satisfied(c: &Construct, rng: &mut Rng) -> bool {
    let roots: Vec<Term> = c.formula.checks[0].iter().map(|a| a.term).collect();
    let mut live = Vec::new();
    c.terms.mark(&roots, &mut live);
    let order: Vec<Term> = c.terms.all().filter(|t| live[t.index()]).collect();
    let mut values = vec![None; live.len()];
    (0..40).any(|_| {
        let variables: Vec<smelt_semantics::Value> =
            c.terms.variables().iter().map(|&v| corner::value(rng, c.terms.sort(v))).collect();
        c.terms.evaluate_all(&order, &variables, &mut values);
        roots.iter().all(|r| values[r.index()] == Some(smelt_semantics::Value::Bool(true)))
    })
}

#[test]
fn no_values_satisfy_an_unsatisfiable_core() {
    let mut rng = Rng::new(11);
    let mut satisfiable = 0;
    for preset in presets().iter().filter(|p| !p.ends_with("_sat")) {
        // Few variables and assertions, so that chance would find a model if there were one.
        let text = format!("preset={preset} variables=2 assertions=2 recent=1");
        let mut generator = construct(&text);
        let mut draft = Draft::default();
        for index in 0..number() {
            make(&mut generator, case_seed(4, preset, index), &mut draft);
            let found = satisfied(&generator, &mut rng);
            assert!(!found || !preset.ends_with("_unsat"), "{}", String::from_utf8_lossy(&draft.text));
            satisfiable += u32::from(found);
        }
    }
    // The others show that a model would have been found.
    assert!(satisfiable > 100, "{satisfiable}");
}

#[test]
fn every_rule_and_kernel_is_used() {
    for preset in presets().iter().filter(|p| !p.ends_with("_syntactic")) {
        let mut generator = construct(&format!("preset={preset}"));
        generator.count();
        let mut draft = Draft::default();
        // A hundred times in 20,000 formulas, with room for chance.
        let number = number().max(1000);
        for index in 0..number {
            make(&mut generator, case_seed(5, preset, index), &mut draft);
        }
        let least = number / 200 * 2 / 3;
        let (_, counts) = generator.statistics().unwrap();
        let rare: Vec<(String, u64)> = counts.into_iter().filter(|(_, n)| *n < least).collect();
        assert!(rare.is_empty(), "{preset}: {rare:?} of {number}");
    }
}

#[test]
fn the_same_number_makes_the_same_script() {
    for preset in presets() {
        let mut all = HashMap::new();
        each(&preset, "", |seed, draft| {
            well_sorted(draft);
            all.insert(seed, draft.text.clone());
        });
        let mut generator = construct(&format!("preset={preset}"));
        let mut draft = Draft::default();
        let mut seeds: Vec<u64> = all.keys().copied().collect();
        seeds.sort_unstable();
        for seed in seeds {
            make(&mut generator, seed, &mut draft);
            assert_eq!(all[&seed], draft.text);
        }
    }
}
