//! The core of NSGA-II: who dominates whom, fronts, crowding, and the two selections.
//!
//! Scores are lists of numbers, each the larger the better. How crowded a front is can be decided elsewhere; a larger
//! distance is better.

use crate::rng::Rng;

/// Whether one is at least as good in everything as the other, and better in something.
pub fn dominates(a: &[f64], b: &[f64]) -> bool {
    a.iter().zip(b).all(|(a, b)| a >= b) && a.iter().zip(b).any(|(a, b)| a > b)
}

/// Positions by front: none dominates a member of the first front, only members of the first front dominate those of the
/// second, and so on.
pub fn fronts(scores: &[Vec<f64>]) -> Vec<Vec<usize>> {
    let n = scores.len();
    let mut beaten_by = vec![0usize; n];
    let mut beats: Vec<Vec<usize>> = vec![Vec::new(); n];
    for i in 0..n {
        for j in 0..n {
            if dominates(&scores[i], &scores[j]) {
                beats[i].push(j);
                beaten_by[j] += 1;
            }
        }
    }
    let mut all = Vec::new();
    let mut front: Vec<usize> = (0..n).filter(|&i| beaten_by[i] == 0).collect();
    while !front.is_empty() {
        let mut next = Vec::new();
        for &i in &front {
            for &j in &beats[i] {
                beaten_by[j] -= 1;
                if beaten_by[j] == 0 {
                    next.push(j);
                }
            }
        }
        next.sort_unstable();
        all.push(std::mem::replace(&mut front, next));
    }
    all
}

/// The classic crowding distance of each member of a front: how far apart its neighbours are in each score.
pub fn crowding(scores: &[Vec<f64>], front: &[usize]) -> Vec<f64> {
    let mut distance = vec![0.0; front.len()];
    let objectives = front.first().map_or(0, |&i| scores[i].len());
    let column = |m: usize| front.iter().map(|&i| scores[i][m]).collect::<Vec<f64>>();
    for values in (0..objectives).map(column) {
        let mut order: Vec<usize> = (0..front.len()).collect();
        order.sort_by(|&a, &b| values[a].total_cmp(&values[b]));
        let of = |k: usize| values[order[k]];
        let last = order.len() - 1;
        let range = of(last) - of(0);
        distance[order[0]] = f64::INFINITY;
        distance[order[last]] = f64::INFINITY;
        if range > 0.0 {
            for k in 1..last {
                distance[order[k]] += (of(k + 1) - of(k - 1)) / range;
            }
        }
    }
    distance
}

/// The best `n`: front by front, and of the last front that fits in part, those with the largest distance.
pub fn select(fronts: &[Vec<usize>], distance: &[f64], n: usize) -> Vec<usize> {
    let mut chosen = Vec::new();
    for front in fronts {
        let mut front = front.clone();
        if chosen.len() + front.len() > n {
            front.sort_by(|&a, &b| distance[b].total_cmp(&distance[a]).then(a.cmp(&b)));
            front.truncate(n - chosen.len());
        }
        chosen.extend(front);
        if chosen.len() >= n {
            break;
        }
    }
    chosen
}

/// The winner of two drawn at random: the one of the better front, else the one with the larger distance.
pub fn tournament(rank: &[usize], distance: &[f64], rng: &mut Rng) -> usize {
    let (a, b) = (rng.below(rank.len()), rng.below(rank.len()));
    let better = rank[a].cmp(&rank[b]).then(distance[b].total_cmp(&distance[a]));
    match better {
        std::cmp::Ordering::Greater => b,
        _ => a,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn points(list: &[[f64; 2]]) -> Vec<Vec<f64>> {
        list.iter().map(|p| p.to_vec()).collect()
    }

    #[test]
    fn known_fronts_are_found() {
        let scores = points(&[[1.0, 5.0], [3.0, 3.0], [5.0, 1.0], [1.0, 4.0], [2.0, 2.0], [1.0, 1.0]]);
        assert_eq!(fronts(&scores), [vec![0, 1, 2], vec![3, 4], vec![5]]);
        let equal = points(&[[1.0, 1.0], [1.0, 1.0]]);
        assert_eq!(fronts(&equal), [vec![0, 1]], "equals do not dominate each other");
        assert!(fronts(&[]).is_empty());
    }

    #[test]
    fn no_front_is_dominated_by_a_later_one() {
        let mut rng = Rng::new(3);
        let scores: Vec<Vec<f64>> = (0..60).map(|_| (0..3).map(|_| rng.below(6) as f64).collect()).collect();
        let fronts = fronts(&scores);
        assert_eq!(fronts.iter().map(Vec::len).sum::<usize>(), scores.len());
        for (k, front) in fronts.iter().enumerate() {
            for &i in front {
                let above = |f: &[usize]| f.iter().any(|&j| dominates(&scores[j], &scores[i]));
                assert!(!fronts[k..].iter().any(|f| above(f)));
                assert!(k == 0 || above(&fronts[k - 1]));
            }
        }
    }

    #[test]
    fn crowding_is_the_gap_between_neighbours() {
        let scores = points(&[[0.0, 10.0], [1.0, 8.0], [4.0, 2.0], [5.0, 0.0]]);
        let d = crowding(&scores, &[0, 1, 2, 3]);
        assert_eq!((d[0], d[3]), (f64::INFINITY, f64::INFINITY));
        assert!((d[1] - (4.0 / 5.0 + 8.0 / 10.0)).abs() < 1e-9, "{d:?}");
        assert!((d[2] - (4.0 / 5.0 + 8.0 / 10.0)).abs() < 1e-9, "{d:?}");
    }

    #[test]
    fn selection_takes_whole_fronts_first_and_then_the_least_crowded() {
        let fronts = [vec![0, 1], vec![2, 3, 4], vec![5]];
        let distance = [0.0, 0.0, 0.1, 0.9, 0.5, 9.0];
        assert_eq!(select(&fronts, &distance, 4), [0, 1, 3, 4]);
        assert_eq!(select(&fronts, &distance, 9), [0, 1, 2, 3, 4, 5]);
    }

    #[test]
    fn a_tournament_is_won_by_rank_and_then_by_distance() {
        let mut rng = Rng::new(1);
        let mut wins = [0; 3];
        (0..3000).for_each(|_| wins[tournament(&[0, 1, 1], &[0.0, 0.2, 0.8], &mut rng)] += 1);
        assert!(wins[0] > wins[2] && wins[2] > wins[1], "{wins:?}");
    }

    /// A problem with a known answer: f1 = -x², f2 = -(x-2)²; the best trade-offs are x in [0, 2].
    #[test]
    fn a_search_with_it_converges_to_the_known_front() {
        let mut rng = Rng::new(11);
        let number = |rng: &mut Rng| rng.below(20_001) as f64 / 1000.0 - 10.0;
        let mut all: Vec<f64> = (0..40).map(|_| number(&mut rng)).collect();
        for _ in 0..60 {
            let mut both = all.clone();
            for _ in 0..all.len() {
                let parent = all[rng.below(all.len())];
                both.push(parent + number(&mut rng) / 20.0);
            }
            let scores: Vec<Vec<f64>> = both.iter().map(|x| vec![-x * x, -(x - 2.0) * (x - 2.0)]).collect();
            let fronts = fronts(&scores);
            let mut distance = vec![0.0; both.len()];
            for front in &fronts {
                for (&i, d) in front.iter().zip(crowding(&scores, front)) {
                    distance[i] = d;
                }
            }
            all = select(&fronts, &distance, 40).into_iter().map(|i| both[i]).collect();
        }
        assert!(all.iter().all(|x| (-0.01..=2.01).contains(x)), "{all:?}");
        let gaps = all.iter().filter(|x| **x < 0.4).count().min(all.iter().filter(|x| **x > 1.6).count());
        assert!(gaps >= 4, "spread over the whole front: {all:?}");
    }
}
