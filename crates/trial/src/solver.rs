//! A solver with the words that name it.

use smelt_oracle::family;
use smelt_solvers::Solver;

/// A solver, and what to write after `-S` to get it again.
#[derive(Clone, Debug)]
pub struct NamedSolver {
    /// The words after `-S`.
    pub spec: String,
    /// How to run it.
    pub solver: Solver,
}

/// What to call each of some solvers: by its release, or as the user wrote it where several are of one release.
pub fn labels(solvers: &[NamedSolver]) -> Vec<String> {
    let ids: Vec<String> = solvers.iter().map(|s| s.solver.id().to_string()).collect();
    let is_only = |id: &String| ids.iter().filter(|other| *other == id).count() == 1;
    solvers.iter().zip(&ids).map(|(s, id)| if is_only(id) { id.clone() } else { s.spec.clone() }).collect()
}

impl NamedSolver {
    /// What it is a build of: releases of one family err together.
    pub fn family(&self) -> &str {
        family(&self.solver.profile().family, self.solver.id().name())
    }
}
