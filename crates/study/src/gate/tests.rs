//! The gate on synthetic times.

use super::*;
use crate::table::Release;

fn study_of(times: &[&[u64]], wrong: &[(u64, Kind)]) -> Study {
    let release = |i: usize| Release { solver: format!("s{i}"), ..Release::default() };
    let cell = |i: usize| Cell {
        cpu_us: times[i].to_vec(),
        wrong: if i == 0 { wrong.iter().map(|w| (w.0.into(), w.1)).collect() } else { Vec::new() },
        ..Cell::default()
    };
    Study {
        grammars: vec![("core".into(), times[0].len() as u64)],
        releases: (0..times.len()).map(release).collect(),
        cells: (0..times.len()).map(|i| vec![cell(i)]).collect(),
        ..Study::default()
    }
}

/// Random numbers from 0 to 1.
fn noise(seed: u64) -> impl FnMut() -> f64 {
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    move || {
        state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (state >> 33) as f64 / (1u64 << 31) as f64
    }
}

#[test]
fn more_time_raises_a_suspicion_and_one_slow_formula_does_not_confirm_it() {
    let base = study_of(&[&[1000; 100]], &[]);
    assert_eq!(suspicions(&base, &base), []);
    assert_eq!(suspicions(&base, &study_of(&[&[2000; 100]], &[]))[0].slow.len(), 100);
    assert_eq!(suspicions(&base, &study_of(&[&[500; 100]], &[])), []);
    let mut one = vec![(1000.0, 1000.0); 100];
    one[5].1 = 90_000.0;
    assert!(total_ratio(&one) > FACTOR);
    assert_eq!(slow_down(&one), None, "one formula that takes long is not a slow-down of all");
}

#[test]
fn formulas_lost_raise_a_suspicion_unless_as_many_are_gained() {
    let base = study_of(&[&[1000; 100]], &[]);
    let mut times = [1000; 100];
    times[..4].fill(0);
    let lost = study_of(&[&times], &[]);
    assert_eq!(suspicions(&base, &lost)[0].lost, [0, 1, 2, 3]);
    times[3] = 1000;
    assert_eq!(suspicions(&base, &study_of(&[&times], &[])), [], "three may be chance");
    let mut other = [1000; 100];
    other[50..54].fill(0);
    assert_eq!(suspicions(&study_of(&[&other], &[]), &lost), []);
}

#[test]
fn the_same_program_is_never_slower_than_itself() {
    let named = |times: &[u64], identity: &str| {
        let mut study = study_of(&[times], &[]);
        study.releases[0].identity = identity.to_owned();
        study
    };
    let (base, slow) = ([1000; 100], [9000; 100]);
    assert_eq!(suspicions(&named(&base, "a"), &named(&slow, "a")), []);
    assert_eq!(suspicions(&named(&base, "a"), &named(&slow, "b")).len(), 1);
    assert_eq!(
        suspicions(&named(&base, ""), &named(&slow, "")).len(),
        1,
        "of old baselines nothing is known"
    );
}

#[test]
fn noise_of_any_size_is_not_a_slow_down() {
    // Each time is up to 5 times the true one, as on a busy machine, and the least of all rounds counts.
    for seed in 0..2000 {
        let mut random = noise(seed);
        let mut once = || 1000.0 * (1.0 + 4.0 * random());
        let mut time = || (0..ROUNDS).map(|_| once()).fold(f64::MAX, f64::min);
        let pairs: Vec<(f64, f64)> = (0..60).map(|_| (time(), time())).collect();
        assert_eq!(slow_down(&pairs), None, "seed {seed}");
    }
}

#[test]
fn a_true_slow_down_shows_through_noise_and_is_never_below_the_factor() {
    for (factor, at_least, at_most) in [(2.0, 95, 100), (1.6, 80, 100), (1.0, 0, 0), (0.62, 0, 0)] {
        let found = (0..100).filter_map(|seed| {
            let mut random = noise(seed);
            let mut time = || 1000.0 * (1.0 + 0.3 * random());
            let pairs: Vec<(f64, f64)> = (0..60).map(|_| (time(), factor * time())).collect();
            slow_down(&pairs)
        });
        let found: Vec<f64> = found.collect();
        assert!((at_least..=at_most).contains(&found.len()), "{factor}: {}", found.len());
        assert!(found.iter().all(|ratio| *ratio >= FACTOR), "{found:?}");
    }
    assert_eq!(slow_down(&[(1.0, 9.0); FORMULAS - 1]), None, "too few to tell");
}

#[test]
fn the_signed_rank_statistic_is_as_computed_by_hand() {
    assert_eq!(signed_rank(&[]), 0.0);
    assert_eq!(signed_rank(&[0.0; 9]), 0.0);
    // Ranks 1 to 5, the sum of the positive ones 12; mean 7.5, variance 13.75.
    let expected = (12.0 - 7.5 - 0.5) / 13.75_f64.sqrt();
    assert!((signed_rank(&[1.0, 2.0, -3.0, 4.0, 5.0]) - expected).abs() < 1e-12);
    // Two share the ranks 1 and 2: the positive ones sum to 1.5 + 3; mean 3, variance 3.5 - 6 / 48.
    let expected = (4.5 - 3.0 - 0.5) / (3.5 - 6.0 / 48.0_f64).sqrt();
    assert!((signed_rank(&[-1.0, 1.0, 2.0]) - expected).abs() < 1e-12);
}

#[test]
fn formulas_to_measure_again_are_spread_and_short_ones_first() {
    let times: Vec<u64> = (0..1000).map(|i| if i % 2 == 0 { 1_000 } else { 5_000_000 }).collect();
    let chosen = choose(&(0..1000).collect::<Vec<_>>(), &times);
    assert!((FORMULAS..=AGAIN).contains(&chosen.len()), "{}", chosen.len());
    assert!(chosen.iter().all(|f| f % 2 == 0) && chosen.last() > Some(&900), "{chosen:?}");
    assert_eq!(choose(&[], &[]), [0; 0]);
    let long = vec![5_000_000; 100];
    assert_eq!(choose(&(0..100).collect::<Vec<_>>(), &long).len(), FORMULAS);
}

#[test]
fn only_new_triggers_count() {
    let base = study_of(&[&[1000; 10]], &[(3, Kind::Crash)]);
    let same = study_of(&[&[1000; 10]], &[(3, Kind::Crash)]);
    assert_eq!(new_triggers(&base, &same), []);
    let worse = study_of(&[&[1000; 10]], &[(3, Kind::Unsound)]);
    assert_eq!(new_triggers(&base, &worse), [("core".to_owned(), 3.into(), Kind::Unsound)]);
}
