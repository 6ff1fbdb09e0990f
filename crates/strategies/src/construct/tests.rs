//! Laws of the generator.

use std::collections::HashMap;

use smelt_core::Expectation;
use smelt_semantics::goal::Goal;
use smelt_semantics::model::{Escapes, Model, Verdict};
use smelt_smtlib::{Arena, parse_script};

use super::*;
use crate::rng::case_seed;

/// How many formulas of each preset, in the quick and in the slow tests.
fn number() -> u64 {
    let text = std::env::var("SMELT_CONSTRUCT").ok();
    text.and_then(|t| t.parse().ok()).unwrap_or(300)
}

fn each(preset: &str, extra: &str, mut check: impl FnMut(u64, &Draft)) {
    let mut generator = Construct::read(&format!("preset={preset} {extra}")).unwrap();
    let mut draft = Draft::default();
    for index in 0..number() {
        let seed = case_seed(3, preset, index);
        generator.make(seed, &mut draft).unwrap();
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
    for preset in presets().iter().filter(|p| p.ends_with("_sat")) {
        each(preset, "checks=2 recent=1", |_, draft| {
            let (mut arena, parsed) = well_sorted(draft);
            assert_eq!(draft.expectation, Expectation::Sat);
            let goals = Goal::all(&parsed.script);
            assert_eq!(goals.len(), 2);
            for goal in goals {
                let escapes = Escapes::Standard;
                let model = Model::read(&mut arena, &parsed.scope, &goal, &draft.witness, escapes).unwrap();
                let text = String::from_utf8_lossy(&draft.text);
                assert_eq!(model.check(&arena, &goal).verdict(), Verdict::True, "{text}");
            }
        });
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
        let mut generator = Construct::read(&format!("preset={preset}")).unwrap();
        let mut draft = Draft::default();
        let mut seeds: Vec<u64> = all.keys().copied().collect();
        seeds.sort_unstable();
        for seed in seeds {
            generator.make(seed, &mut draft).unwrap();
            assert_eq!(all[&seed], draft.text);
        }
    }
}
