//! Algorithm 1 of the paper, the steps that a search does not share with smelt's own: who mates, and what the children are.
//!
//! Line by line: the first population is made and evaluated (1 to 5); a tournament by fronts chooses as many parents as there
//! are individuals (6), of which children are made (7). Then, in each generation, parents and children together are
//! evaluated (9 to 12), sorted into fronts (13), given their crowding distance (14 to 16), and the best are kept (17); a
//! tournament by fronts and distance chooses parents (18), of which children are made (19). The result is the last
//! population (21). A parent's run is not repeated: only its coverage score changes, against what is covered by now.

use smelt_strategies::Rng;
use smelt_strategies::evolve::{Breeder, tournament};

use super::coverage::Ledger;
use super::individual::Individual;
use super::score::Ranking;

/// Whether something of this chance happens.
pub(crate) fn chance(probability: f64, rng: &mut Rng) -> bool {
    rng.below(1_000_000) < (probability * 1e6) as usize
}

/// The tournaments, one for each place; the first do not compare distances.
pub(crate) fn mating(ranking: &Ranking, first: bool, n: usize, rng: &mut Rng) -> Vec<usize> {
    let none = vec![0.0; ranking.rank.len()];
    let distance = if first { &none } else { &ranking.distance };
    (0..n).map(|_| tournament(&ranking.rank, distance, rng)).collect()
}

/// The children: every two neighbours are crossed and each is mutated, with these chances. Copies stay.
pub(crate) fn breed(
    breeder: &mut Breeder,
    population: &[Individual],
    chosen: &[usize],
    (crossover, mutation): (f64, f64),
    rng: &mut Rng,
) -> Vec<Vec<u8>> {
    let mut children: Vec<Vec<u8>> =
        chosen.iter().map(|&i| population[i].text.clone().into_bytes()).collect();
    for pair in children.chunks_exact_mut(2) {
        if chance(crossover, rng)
            && let Some(crossed) = breeder.crossover(&pair[0], &pair[1], rng)
        {
            pair.clone_from_slice(&crossed);
        }
    }
    for child in &mut children {
        if chance(mutation, rng)
            && let Some((mutated, _)) = breeder.mutate(child, rng)
        {
            *child = mutated;
        }
    }
    children
}

/// Adds children to a population with the rewards of Algorithm 2, in order; those that are there are scored again.
pub(crate) fn merge(population: &mut Vec<Individual>, children: Vec<Individual>, ledger: &mut Ledger) {
    for old in population.iter_mut() {
        old.covered = old.behaviour.as_ref().map_or(0.0, |b| ledger.score(&b.lines));
    }
    for mut new in children {
        new.covered = new.behaviour.as_ref().map_or(0.0, |b| ledger.reward(&b.lines));
        population.push(new);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::coverage::{Behaviour, Lines};
    use crate::individual::Timing;
    use crate::score::{Crowding, Objective, Selection, rank, time_score};
    use smelt_core::OutcomeKind;
    use smelt_strategies::evolve::{complexity_of, find_theory, select};

    const N: usize = 12;
    const CHANCES: (f64, f64) = (0.75, 0.25);

    /// A recorded run: what the solvers did on a script, as a function of its text.
    fn recorded(text: &[u8]) -> Individual {
        let hash = smelt_core::SeedHash::of(text).0;
        let timing = |bits: u64, outcome| Timing { seconds: (bits % 500) as f64 / 100.0, outcome, runs: 1 };
        let mut lines = Lines::new();
        for file in 0..3 {
            let rows = (0..8).filter(|row| hash >> (file * 8 + row) & 1 == 1);
            lines
                .insert(format!("file{file}"), rows.map(|row| (row as u32, 1 + (hash >> row & 7))).collect());
        }
        Individual {
            text: String::from_utf8_lossy(text).into_owned(),
            complexity: complexity_of(text).unwrap(),
            target: timing(hash, OutcomeKind::Sat),
            reference: timing(hash >> 20, OutcomeKind::Sat),
            behaviour: Some(Behaviour::of_lines(lines)),
            covered: 0.0,
            known: false,
        }
    }

    /// The populations of the search's own steps, one for each generation.
    fn searched(generations: usize) -> Vec<Vec<String>> {
        let mut breeder = Breeder::of_theory(find_theory("strings").unwrap()).unwrap();
        let mut rng = Rng::new(4);
        let mut children: Vec<Vec<u8>> = (0..N).filter_map(|_| breeder.random(&mut rng)).collect();
        let (mut population, mut ledger, mut all) = (Vec::new(), Ledger::default(), Vec::new());
        for generation in 1..=generations {
            merge(&mut population, children.iter().map(|t| recorded(t)).collect(), &mut ledger);
            let ranking = rank(&population, &Objective::DEFAULT, Crowding::Trace, Selection::Paper);
            let kept = select(&ranking.fronts, &ranking.distance, N);
            population = kept.iter().map(|&i| population[i].clone()).collect();
            all.push(population.iter().map(|i| i.text.clone()).collect());
            let ranking = rank(&population, &Objective::DEFAULT, Crowding::Trace, Selection::Paper);
            let chosen = mating(&ranking, generation == 1, N, &mut rng);
            children = breed(&mut breeder, &population, &chosen, CHANCES, &mut rng);
        }
        all
    }

    fn scores(i: &Individual) -> [f64; 3] {
        [time_score(i.target.seconds, i.reference.seconds), i.covered, -(i.complexity as f64)]
    }

    /// Ranks and distances of Algorithm 1, lines 13 to 16, written from the page: fronts by taking away what nothing beats,
    /// distance by equations 3 and 4 on the lines that two runs share.
    fn ranked(all: &[Individual]) -> (Vec<usize>, Vec<f64>) {
        let points: Vec<[f64; 3]> = all.iter().map(scores).collect();
        let beats = |a: usize, b: usize| {
            (0..3).all(|k| points[a][k] >= points[b][k]) && (0..3).any(|k| points[a][k] > points[b][k])
        };
        let mut rank = vec![usize::MAX; all.len()];
        for number in 0.. {
            let left: Vec<usize> = (0..all.len()).filter(|&i| rank[i] == usize::MAX).collect();
            if left.is_empty() {
                break;
            }
            let free: Vec<usize> =
                left.iter().copied().filter(|&i| !left.iter().any(|&j| beats(j, i))).collect();
            free.into_iter().for_each(|i| rank[i] = number);
        }
        let similarity = |a: usize, b: usize| {
            let of = |i: usize| all[i].behaviour.as_ref().unwrap().trace.clone();
            of(a).similarity(&of(b))
        };
        let distance = |i: usize| {
            let others: Vec<usize> = (0..all.len()).filter(|&j| j != i && rank[j] == rank[i]).collect();
            let sum: f64 = others.iter().map(|&j| similarity(i, j)).sum();
            if others.is_empty() { f64::INFINITY } else { 1.0 - sum / others.len() as f64 }
        };
        let distances = (0..all.len()).map(distance).collect();
        (rank, distances)
    }

    /// Algorithm 1 as it is printed, with every individual of R evaluated again in each generation.
    fn printed(generations: usize) -> Vec<Vec<String>> {
        let mut breeder = Breeder::of_theory(find_theory("strings").unwrap()).unwrap();
        let mut rng = Rng::new(4);
        let mut q: Vec<Vec<u8>> = (0..N).filter_map(|_| breeder.random(&mut rng)).collect();
        let (mut p, mut code_infos, mut all) = (Vec::<Individual>::new(), Ledger::default(), Vec::new());
        for generation in 1..=generations {
            let mut r: Vec<Individual> = Vec::new();
            for text in p.iter().map(|i| i.text.clone().into_bytes()).chain(q.drain(..)) {
                let mut individual = recorded(&text);
                individual.covered = code_infos.reward(&individual.behaviour.as_ref().unwrap().lines);
                r.push(individual);
            }
            let (rank, distance) = ranked(&r);
            let mut order: Vec<usize> = (0..r.len()).collect();
            // By front; within the one that does not fit by distance, within the others in their order.
            let last = {
                let mut ranks = rank.clone();
                ranks.sort_unstable();
                ranks[N - 1]
            };
            let fits = rank.iter().filter(|k| **k <= last).count() <= N;
            order.sort_by(|&a, &b| {
                let by_distance = distance[b].total_cmp(&distance[a]);
                let within = if rank[a] == last && !fits { by_distance } else { std::cmp::Ordering::Equal };
                rank[a].cmp(&rank[b]).then(within).then(a.cmp(&b))
            });
            p = order.into_iter().take(N).map(|i| r[i].clone()).collect();
            all.push(p.iter().map(|i| i.text.clone()).collect());
            let (rank, distance) = ranked(&p);
            let mut parents = Vec::new();
            for _ in 0..N {
                let (a, b) = (rng.below(N), rng.below(N));
                let better =
                    rank[b] < rank[a] || generation > 1 && rank[b] == rank[a] && distance[b] > distance[a];
                parents.push(if better { b } else { a });
            }
            q = breed(&mut breeder, &p, &parents, CHANCES, &mut rng);
        }
        all
    }

    #[test]
    fn a_recorded_run_equals_algorithm_1() {
        let (ours, theirs) = (searched(12), printed(12));
        for (generation, (ours, theirs)) in ours.iter().zip(&theirs).enumerate() {
            assert_eq!(ours, theirs, "generation {}", generation + 1);
        }
        assert_ne!(ours[0], ours[11], "the population changes");
    }
}
