//! Algorithm 1 of the paper: the steps in which it differs from smelt's own search, that is, who mates, and what
//! the children are.
//!
//! Line by line: the first population is generated and evaluated (1 to 5). A tournament by fronts chooses as many
//! parents as there are individuals (6), and these produce children (7). Then, in each generation, parents and
//! children are evaluated together (9 to 12), sorted into fronts (13) and given their crowding distance (14 to 16),
//! and the best are kept (17). A tournament by fronts and distance chooses parents (18), which produce children
//! (19). The result is the last population (21). The run of a parent is not repeated: only its coverage score is
//! updated.

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
    fn searched(
        generations: usize,
        mut children: Vec<Individual>,
        rng: impl Fn(usize) -> Rng,
    ) -> Vec<Vec<String>> {
        let mut breeder = Breeder::of_theory(find_theory("strings").unwrap()).unwrap();
        let (mut population, mut ledger, mut all) = (Vec::new(), Ledger::default(), Vec::new());
        for generation in 1..=generations {
            merge(&mut population, children, &mut ledger);
            let ranking = rank(&population, &Objective::DEFAULT, Crowding::Trace, Selection::Paper);
            let kept = select(&ranking.fronts, &ranking.distance, N);
            population = kept.iter().map(|&i| population[i].clone()).collect();
            all.push(population.iter().map(|i| i.text.clone()).collect());
            let ranking = rank(&population, &Objective::DEFAULT, Crowding::Trace, Selection::Paper);
            let mut rng = rng(generation);
            let chosen = mating(&ranking, generation == 1, N, &mut rng);
            let texts = breed(&mut breeder, &population, &chosen, CHANCES, &mut rng);
            children = texts.iter().map(|t| recorded(t)).collect();
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
            let of = |i: usize| all[i].behaviour.as_ref().map(|b| b.trace.clone()).unwrap_or_default();
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

    /// Algorithm 1 as it is printed, with every individual of R evaluated again in each generation; `evaluate` says what
    /// the solvers did on new scripts in a generation, `rng` is that of a generation.
    fn printed(
        generations: usize,
        start: Vec<Individual>,
        mut evaluate: impl FnMut(usize, Vec<Vec<u8>>) -> Vec<Individual>,
        mut rng: impl FnMut(usize) -> Rng,
    ) -> Vec<Vec<String>> {
        let mut breeder = Breeder::of_theory(find_theory("strings").unwrap()).unwrap();
        let (mut q, mut code_infos, mut all) = (start, Ledger::default(), Vec::new());
        let mut p = Vec::<Individual>::new();
        for generation in 1..=generations {
            let mut r: Vec<Individual> = Vec::new();
            for mut individual in p.drain(..).chain(q.drain(..)) {
                let reward = |b: &Behaviour| code_infos.reward(&b.lines);
                individual.covered = individual.behaviour.as_ref().map_or(0.0, reward);
                r.push(individual);
            }
            let (rank, distance) = ranked(&r);
            let mut order: Vec<usize> = (0..r.len()).collect();
            // By front; within the one that does not fit by distance, within the others in their order.
            let last = {
                let mut ranks = rank.clone();
                ranks.sort_unstable();
                ranks[N.min(ranks.len()) - 1]
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
            let (mut rng, mut parents) = (rng(generation), Vec::new());
            for _ in 0..N {
                let (a, b) = (rng.below(p.len()), rng.below(p.len()));
                let better =
                    rank[b] < rank[a] || generation > 1 && rank[b] == rank[a] && distance[b] > distance[a];
                parents.push(if better { b } else { a });
            }
            q = evaluate(generation, breed(&mut breeder, &p, &parents, CHANCES, &mut rng));
        }
        all
    }

    #[test]
    fn a_run_of_fixed_costs_equals_algorithm_1() {
        let mut breeder = Breeder::of_theory(find_theory("strings").unwrap()).unwrap();
        let mut rng = Rng::new(4);
        let start: Vec<Individual> =
            (0..N).filter_map(|_| breeder.random(&mut rng)).map(|t| recorded(&t)).collect();
        let each = |generation: usize| Rng::new(1000 + generation as u64);
        let evaluate = |_: usize, texts: Vec<Vec<u8>>| texts.iter().map(|t| recorded(t)).collect();
        let theirs = printed(12, start.clone(), evaluate, each);
        let ours = searched(12, start, each);
        for (generation, (ours, theirs)) in ours.iter().zip(&theirs).enumerate() {
            assert_eq!(ours, theirs, "generation {}", generation + 1);
        }
        assert_ne!(ours[0], ours[11], "the population changes");
    }

    /// A search on real solvers is recorded; Algorithm 1, given what they did, breeds and keeps the same formulas.
    #[test]
    #[ignore = "needs z3, cvc5"]
    fn a_recorded_run_of_solvers_equals_algorithm_1() {
        use crate::coverage::Statistics;
        use crate::{Config, Recorded, Start, run};
        use smelt_solvers::{Catalog, Profiles, Zoo};
        use smelt_trial::NamedSolver;
        use std::time::Duration;
        let catalog = Catalog::new(Profiles::load(None).unwrap(), Zoo::of_user().unwrap(), None);
        let solver = |spec: &str| NamedSolver {
            spec: spec.to_owned(),
            solver: catalog.resolve(&spec.parse().unwrap()).expect("it is installed"),
        };
        let folder = tempfile::tempdir().unwrap();
        let record = folder.path().join("record.jsonl");
        let target = solver("z3");
        let config = Config {
            start: Start::Theory(find_theory("strings").unwrap()),
            coverage: Some(Box::new(Statistics::new(&target.solver).unwrap())),
            targets: vec![target],
            references: vec![solver("cvc5")],
            releases: Vec::new(),
            objectives: Objective::DEFAULT.to_vec(),
            crowding: Crowding::Trace,
            selection: Selection::Paper,
            population: N,
            crossover: CHANCES.0,
            mutation: CHANCES.1,
            seed: 5,
            jobs: 1,
            timeout: Duration::from_millis(500),
            confirm: Duration::from_millis(500),
            at_once: Duration::ZERO,
            memory: 1 << 30,
            time: None,
            generations: Some(5),
            out: folder.path().join("out"),
            resume: false,
            request: "{}".to_owned(),
            record: Some(record.clone()),
        };
        run(&config, &std::sync::atomic::AtomicBool::new(false), &smelt_core::Silent).unwrap();
        let recorded = Recorded::read(&record).unwrap();
        assert_eq!(recorded.len(), 5);
        let kinds: std::collections::BTreeSet<String> =
            recorded.iter().flat_map(|g| &g.measured).map(|i| i.target.outcome.to_string()).collect();
        assert!(kinds.contains("sat") || kinds.contains("unsat"), "{kinds:?}");
        let evaluate = |generation: usize, texts: Vec<Vec<u8>>| {
            let Some(measured) = recorded.get(generation).map(|g| g.measured.clone()) else {
                return Vec::new();
            };
            // Formulas that a solver refused were left out; nothing else was measured.
            let mut left = texts.iter().map(|t| String::from_utf8_lossy(t));
            for individual in &measured {
                assert!(left.any(|text| text == individual.text), "generation {generation}: another child");
            }
            measured
        };
        let rng = |generation| Rng::new(smelt_strategies::case_seed(5, crate::EVOLVE, generation as u64));
        let theirs = printed(5, recorded[0].measured.clone(), evaluate, rng);
        for (generation, (ours, theirs)) in recorded.iter().zip(&theirs).enumerate() {
            assert_eq!(&ours.population, theirs, "generation {}", generation + 1);
        }
    }
}
