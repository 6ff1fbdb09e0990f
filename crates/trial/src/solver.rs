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

impl NamedSolver {
    /// What it is a build of: releases of one family err together.
    pub fn family(&self) -> &str {
        family(&self.solver.profile().name, self.solver.id().name())
    }
}
