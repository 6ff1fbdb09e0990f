//! Rewards for coverage: lines that are covered for the first time, or more often than ever before, count most.

use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

use super::Lines;

/// A file that was never run.
const NEW_FILE: f64 = 1000.0;
/// A line that was never run, for each time it ran now.
const NEW_LINE: f64 = 100.0;
/// A line that never ran as often, for each time it ran now.
const MORE: f64 = 10.0;
/// Any other line; a new line gets this too.
const LINE: f64 = 1.0;

/// The most that each line ran, over all runs.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Ledger {
    most: BTreeMap<String, BTreeMap<u32, u64>>,
}

impl Ledger {
    /// Scores a run against all runs before it, then adds the run to them.
    pub fn reward(&mut self, lines: &Lines) -> f64 {
        let score = self.score(lines);
        for (file, rows) in lines {
            let known = self.most.entry(file.clone()).or_default();
            for &(row, count) in rows {
                let most = known.entry(row).or_default();
                *most = count.max(*most);
            }
        }
        score
    }

    /// Scores a run without adding it.
    pub fn score(&self, lines: &Lines) -> f64 {
        let mut score = 0.0;
        for (file, rows) in lines {
            let Some(known) = self.most.get(file) else {
                score += NEW_FILE;
                continue;
            };
            for (row, count) in rows {
                score += match known.get(row) {
                    None => NEW_LINE * *count as f64 + LINE,
                    Some(most) if count > most => MORE * *count as f64,
                    Some(_) => LINE,
                };
            }
        }
        score
    }

    /// How many lines were ever covered.
    pub fn lines(&self) -> usize {
        self.most.values().map(BTreeMap::len).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(list: &[(&str, &[(u32, u64)])]) -> Lines {
        list.iter().map(|(file, rows)| ((*file).to_owned(), rows.to_vec())).collect()
    }

    #[test]
    fn rewards_are_those_of_a_hand_computed_example() {
        let mut ledger = Ledger::default();
        // A first file counts 1000, whatever is in it.
        assert_eq!(ledger.reward(&lines(&[("a.c", &[(1, 5), (2, 1)])])), 1000.0);
        // Line 1 no more than before: 1. Line 2 more often: 10 x 3. Line 3 is new: 100 x 2, and 1. File b.c: 1000.
        let run = lines(&[("a.c", &[(1, 5), (2, 3), (3, 2)]), ("b.c", &[(7, 9)])]);
        assert_eq!(ledger.score(&run), 1.0 + 30.0 + 201.0 + 1000.0);
        assert_eq!(ledger.reward(&run), 1232.0);
        // Once more there is nothing new: one for each line.
        assert_eq!(ledger.reward(&run), 4.0);
        assert_eq!(ledger.lines(), 4);
    }
}
