//! Laws over real seeds: mutants are well-sorted, repeatable, and leave nothing behind.

#![allow(clippy::print_stdout, reason = "the log says how many mutants were made")]

use crate::common;

use std::collections::BTreeMap;

use smelt_core::{Provenance, SeedHash};
use smelt_smtlib::{Arena, Script, Term, View, parse_script};
use smelt_strategies::{CaseRequest, Draft, OptionText, Pool, SeedId, Strategy, case_seed, rows, strategy};

/// All strategies, some with several options.
fn strategies() -> Vec<(String, Box<dyn Strategy>)> {
    let mut all: Vec<(&str, &str)> = rows().filter(|r| r.needs.seeds()).map(|r| (r.name, "")).collect();
    all.extend([
        ("operator", "steps=5 recent=yes"),
        ("generative", "steps=4 pool=yes"),
        ("fusion", "mode=concat"),
        ("skeleton", "form=cnf moves=pst"),
        ("skeleton", "steps=3 moves=lpi"),
        ("weaken", "steps=6"),
    ]);
    let make = |(name, options): (&str, &str)| {
        let strategy = strategy(name, options, &BTreeMap::new()).unwrap();
        (format!("{name} {}", strategy.options()), strategy)
    };
    all.into_iter().map(make).collect()
}

fn per_seed() -> u64 {
    if smelt_testing::is_slow() { 100 } else { 2 }
}

/// The number of applications that are well-sorted only by solvers' leniency: an Int in place of a Real.
fn lenient(arena: &mut Arena, script: &Script) -> usize {
    let mut work: Vec<Term> = script.commands.iter().flat_map(|c| c.terms()).collect();
    let mut seen = std::collections::HashSet::new();
    let mut count = 0;
    while let Some(t) = work.pop() {
        if !seen.insert(t) {
            continue;
        }
        work.extend(arena.children(t));
        let View::App(fun, args) = arena.view(t) else { continue };
        let f = arena.fun_view(fun);
        let (Some(op), None) = (f.op, f.ascribed) else { continue };
        let (indices, args) = (f.indices.to_vec(), args.to_vec());
        count += usize::from(!args.is_empty() && arena.apply_op(op, &indices, &args).is_none());
    }
    count
}

#[test]
#[ignore = "needs corpus"]
fn no_mutant_is_refused_by_our_own_typing() {
    let (mut pool, ids) = common::seeds();
    let mut draft = Draft::default();
    let mut arena = Arena::new();
    let empty = arena.checkpoint();
    let strict: Vec<bool> = ids
        .iter()
        .map(|&id| {
            let script = pool.seed(id).script.clone();
            lenient(&mut pool_arena(&pool), &script) == 0
        })
        .collect();
    for (name, mut strategy) in strategies() {
        let (mut made, mut skipped) = (0u64, BTreeMap::new());
        for &seed in &ids {
            for index in 0..per_seed() {
                let rng = case_seed(7, &name, index ^ (seed.index() as u64) << 32);
                if let Err(skip) =
                    strategy.next(&mut pool, &CaseRequest { seeds: &[seed], number: rng }, &mut draft)
                {
                    *skipped.entry(skip).or_insert(0u64) += 1;
                    continue;
                }
                made += 1;
                let text = String::from_utf8_lossy(&draft.text);
                let file = &pool.seed(seed).name;
                assert!(text.starts_with("; smelt strategy="), "{file}");
                let parsed = parse_script(&mut arena, &draft.text)
                    .unwrap_or_else(|e| panic!("{name} of {file}: {}\n{text}", e.locate(&draft.text)));
                if let Some(d) = parsed.diagnostics.first() {
                    panic!(
                        "{name} of {file}: {}\n{}\n{text}",
                        d.locate(&draft.text),
                        String::from_utf8_lossy(&draft.log)
                    );
                }
                if draft.seeds.iter().all(|s| strict[s.index()]) {
                    assert_eq!(lenient(&mut arena, &parsed.script), 0, "{name} of {file}\n{text}");
                }
                arena.rollback(empty);
            }
        }
        println!("{name}: {made} made, skipped {skipped:?}");
        assert!(made > 0, "{name}");
    }
}

/// A copy to build terms in.
fn pool_arena(pool: &Pool) -> Arena {
    pool.arena().clone()
}

#[test]
#[ignore = "needs corpus"]
fn the_same_request_gives_the_same_bytes_in_another_pool() {
    let (mut pool, ids) = common::seeds();
    let mut draft = Draft::default();
    for (name, mut strategy) in strategies() {
        for &seed in ids.iter().step_by(40) {
            let rng = case_seed(1, &name, seed.index() as u64);
            if strategy.next(&mut pool, &CaseRequest { seeds: &[seed], number: rng }, &mut draft).is_err() {
                continue;
            }
            let case = draft.to_case(&pool, &*strategy, &OptionText::default(), rng);
            // Only the seeds named in the provenance, in a new pool, in another order.
            let mut small = Pool::new();
            let mut again: Vec<(SeedHash, SeedId)> = Vec::new();
            for &id in draft.seeds.iter().rev() {
                let source = std::fs::read(&pool.seed(id).name).unwrap();
                let new = small.add(&pool.seed(id).name, &source, pool.seed(id).status).unwrap();
                again.push((pool.seed(id).hash, new));
            }
            let find = |hash| again.iter().find(|a| a.0 == hash).unwrap().1;
            let seeds: Vec<SeedId> = case.provenance.seeds.iter().map(|&h| find(h)).collect();
            let request = CaseRequest { seeds: &seeds, number: rng };
            let Provenance { strategy: by, options, files, .. } = &case.provenance;
            let mut fresh = smelt_strategies::strategy(by, options, files).unwrap();
            let mut second = Draft::default();
            fresh.next(&mut small, &request, &mut second).unwrap();
            let made = second.to_case(&small, &*fresh, &OptionText::default(), rng);
            assert_eq!(made, case, "{name} of {}", pool.seed(seed).name);
        }
    }
}

#[test]
#[ignore = "needs corpus"]
fn nothing_is_left_in_the_arena() {
    let (mut pool, ids) = common::seeds();
    let mark = pool.arena().checkpoint();
    let mut draft = Draft::default();
    for (name, mut strategy) in strategies() {
        for &seed in ids.iter().step_by(7) {
            let rng = case_seed(3, &name, seed.index() as u64);
            let _ = strategy.next(&mut pool, &CaseRequest { seeds: &[seed], number: rng }, &mut draft);
            assert_eq!(pool.arena().checkpoint(), mark, "{name} of {}", pool.seed(seed).name);
        }
    }
}

/// Resident memory in kilobytes.
fn resident() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    status.lines().find_map(|l| l.strip_prefix("VmRSS:"))?.trim().trim_end_matches(" kB").parse().ok()
}

#[test]
#[ignore = "needs corpus, --slow"]
fn memory_stays_flat_over_a_million_mutants() {
    let (mut pool, ids) = common::seeds();
    let mut draft = Draft::default();
    for (name, mut strategy) in strategies() {
        let n: u64 = if name.starts_with("shuffle") { 100_000 } else { 1_000_000 };
        let mut start = None;
        for index in 0..n {
            let seed = ids[index as usize % ids.len()];
            let rng = case_seed(5, &name, index);
            let _ = strategy.next(&mut pool, &CaseRequest { seeds: &[seed], number: rng }, &mut draft);
            // Every seed has been prepared by then.
            if index == n / 10 {
                start = resident();
            }
        }
        let (Some(start), Some(end)) = (start, resident()) else { return };
        println!("{name}: {start} kB after a tenth, {end} kB at the end");
        assert!(end < start + 8 * 1024, "{name}: {start} kB grew to {end} kB");
    }
}
