//! What the other processes of a shared campaign learned: the store has the sums over all processes, from which this
//! process subtracts its own part.

use smelt_store::{Arm, Sums};
use std::collections::BTreeMap;

/// What is known of the sums.
#[derive(Debug, Default)]
pub(super) struct Lessons {
    /// The sums of the last time.
    last: BTreeMap<Arm, Sums>,
    /// What this process delivered since.
    own: BTreeMap<Arm, Sums>,
}

impl Lessons {
    /// The store has counts of this process.
    pub(super) fn delivered(&mut self, counts: impl Iterator<Item = (Arm, Sums)>) {
        for (arm, counts) in counts {
            let own = self.own.entry(arm).or_default();
            own.iter_mut().zip(counts).for_each(|(own, new)| *own += new);
        }
    }

    /// What others counted since the last time.
    pub(super) fn of_others(&mut self, sums: Vec<(Arm, Sums)>) -> Vec<(Arm, Sums)> {
        let mut others = Vec::new();
        for (arm, sums) in sums {
            let own = self.own.remove(&arm).unwrap_or_default();
            let last = self.last.insert(arm.clone(), sums).unwrap_or_default();
            let new: Sums = std::array::from_fn(|i| sums[i].saturating_sub(last[i]).saturating_sub(own[i]));
            if new[0] > 0 {
                others.push((arm, new));
            }
        }
        others
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_process_hears_what_others_counted_and_not_what_it_counted_itself() {
        let arm = || Arm::Strategy("fusion".to_owned());
        let mut lessons = Lessons::default();
        assert_eq!(lessons.of_others(vec![(arm(), [10, 5, 1, 90])]), [(arm(), [10, 5, 1, 90])]);
        lessons.delivered([(arm(), [4, 4, 0, 8])].into_iter());
        lessons.delivered([(arm(), [1, 0, 0, 2])].into_iter());
        assert_eq!(lessons.of_others(vec![(arm(), [18, 12, 1, 107])]), [(arm(), [3, 3, 0, 7])]);
        lessons.delivered([(arm(), [2, 2, 0, 1])].into_iter());
        assert_eq!(lessons.of_others(vec![(arm(), [20, 14, 1, 108])]), []);
    }
}
