//! The order of bugs, as maintainers rank them.

use smelt_core::Kind;
use smelt_solvers::ReportPolicy;

/// The lowest rank.
const LAST: usize = 6;

/// A rank: 1 is the most urgent.
pub type Priority = usize;

/// The rank of a finding. `settled`: the wrong solver is known. `default_options`: it needs no option, as far as known.
pub fn priority(kind: Kind, settled: bool, default_options: bool, maintainers: &ReportPolicy) -> Priority {
    let (rank, last) = match &maintainers.priorities {
        Some(order) => (order.iter().position(|row| row.contains(&kind)), order.len()),
        None => (Some(kind.row().priority - 1), LAST),
    };
    let rank = rank.map_or(last, |r| r + 1);
    match (settled, default_options) {
        (false, _) => last,
        // A bug that needs an option affects fewer people.
        (true, false) => (rank + 1).min(last),
        (true, true) => rank,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use Kind::{Crash, Hang, InvalidCore, InvalidModel, RefutationUnsound, SolutionUnsound};

    #[test]
    fn every_kind_has_a_rank_and_wrong_unsat_by_default_comes_first() {
        assert!(Kind::ALL.iter().all(|k| k.row().priority <= LAST));
        let usual = ReportPolicy::default();
        let rank = |kind, default| priority(kind, true, default, &usual);
        assert_eq!([true, false].map(|d| rank(RefutationUnsound, d)), [1, 2]);
        assert!(rank(SolutionUnsound, true) < rank(InvalidModel, true));
        assert!(rank(InvalidModel, true) < rank(Crash, true) && rank(Crash, true) < rank(Hang, true));
        assert_eq!(priority(RefutationUnsound, false, true, &usual), 6);
    }

    #[test]
    fn maintainers_have_their_own_order() {
        let own = ReportPolicy { priorities: Some(vec![vec![Crash], vec![Hang]]), ..ReportPolicy::default() };
        assert_eq!([Crash, Hang, InvalidCore].map(|k| priority(k, true, true, &own)), [1, 2, 2]);
    }
}
