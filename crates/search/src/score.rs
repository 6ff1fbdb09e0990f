//! Scores of formulas: the values of the search's objectives, and the selection by them.

use serde::{Deserialize, Serialize};
use smelt_strategies::evolve::{crowding, fronts};

use super::individual::Individual;
use super::trace::{Trace, distances};

/// An objective to maximise.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Objective {
    /// Time of the target, and more if the reference is faster.
    Time,
    /// Time of the target alone.
    Target,
    /// Lines covered for the first time, or more often than before.
    Coverage,
    /// Low complexity.
    Complexity,
}

impl Objective {
    /// The default objectives.
    pub const DEFAULT: [Objective; 3] = [Objective::Time, Objective::Coverage, Objective::Complexity];

    fn of(self, i: &Individual) -> f64 {
        match self {
            Objective::Time | Objective::Target if i.known => 0.0,
            Objective::Time => time_score(i.target.seconds, i.reference.seconds),
            Objective::Target => i.target.seconds,
            Objective::Coverage => i.covered,
            Objective::Complexity => -(i.complexity as f64),
        }
    }
}

/// How individuals of equal rank are ordered.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Crowding {
    /// How little traces have in common.
    Trace,
    /// How far apart scores are.
    Classic,
}

/// How the next generation is chosen.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Selection {
    /// By fronts and crowding.
    Pareto,
    /// By the first objective alone: the baseline.
    Single,
    /// As the paper prints it: by fronts and crowding, and findings change nothing.
    Paper,
}

/// The score of two times in seconds: that of the target, and the difference once more where the target is slower.
pub fn time_score(target: f64, reference: f64) -> f64 {
    if target <= reference { target } else { target + (target - reference) }
}

/// A population in order of merit.
pub(crate) struct Ranking {
    pub(crate) fronts: Vec<Vec<usize>>,
    /// By individual.
    pub(crate) rank: Vec<usize>,
    pub(crate) distance: Vec<f64>,
}

/// Sorts a population.
pub(crate) fn rank(
    all: &[Individual],
    objectives: &[Objective],
    crowded: Crowding,
    selection: Selection,
) -> Ranking {
    let wanted = if selection == Selection::Single { &objectives[..1] } else { objectives };
    let scores: Vec<Vec<f64>> = all.iter().map(|i| wanted.iter().map(|o| o.of(i)).collect()).collect();
    let fronts = fronts(&scores);
    let (mut rank, mut distance) = (vec![0; all.len()], vec![0.0; all.len()]);
    for (number, front) in fronts.iter().enumerate() {
        // Runs without coverage data count as alike, and as unlike all others.
        let nothing = Trace::default();
        let traces: Vec<&Trace> =
            front.iter().map(|&i| all[i].behaviour.as_ref().map_or(&nothing, |b| &b.trace)).collect();
        let distances = match (selection, crowded) {
            (Selection::Single, _) => vec![0.0; front.len()],
            (_, Crowding::Trace) if traces.iter().any(|t| !t.is_empty()) => distances(&traces),
            _ => crowding(&scores, front),
        };
        for (&i, d) in front.iter().zip(distances) {
            (rank[i], distance[i]) = (number, d);
        }
    }
    Ranking { fronts, rank, distance }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_worked_example_of_the_paper_is_9_98269() {
        assert!((time_score(5.0, 0.01731) - 9.98269).abs() < 1e-12);
        assert_eq!(time_score(1.0, 3.0), 1.0, "a slower reference gives no bonus");
        assert_eq!(time_score(1.0, 1.0), 1.0);
    }
}
