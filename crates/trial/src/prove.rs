//! Solvers as provers: many scripts, each to be shown unsatisfiable.

use smelt_core::OutcomeKind;
use smelt_solvers::{Mode, Query};

use crate::error::Error;
use crate::panel::Panel;
use crate::solver::NamedSolver;

/// The answer of a solver to a script that should be unsatisfiable.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Proof {
    /// It is unsatisfiable.
    Proved,
    /// It is satisfiable.
    Refuted,
    /// The solver gave up, or does not know the language.
    Open,
}

/// Each solver as often as fills the lanes, for [`Panel::prove`].
pub fn provers(solvers: &[NamedSolver], lanes: usize) -> Vec<NamedSolver> {
    let each = lanes.div_ceil(solvers.len().max(1));
    solvers.iter().flat_map(|named| std::iter::repeat_n(named.clone(), each)).collect()
}

impl Panel<'_> {
    /// The answers of `solvers` to each script: first by script, then by solver. The lineup is that of [`provers`].
    pub fn prove(&mut self, solvers: usize, scripts: &[String]) -> Result<Vec<Vec<Proof>>, Error> {
        let mut said = vec![vec![Proof::Open; solvers]; scripts.len()];
        let lanes = self.lineup().solvers.len();
        let each = lanes / solvers.max(1);
        let queues = (0..lanes).map(|lane| (lane % each..scripts.len()).step_by(each).collect()).collect();
        let wall = self.lineup().limits.time;
        let query = |script: &usize| Query::new(scripts[*script].clone()).with_limit(wall);
        self.run(Mode::Reuse, queues, query, |lane, script, finished| {
            said[script][lane / each] = match finished.outcome.kind {
                OutcomeKind::Unsat => Proof::Proved,
                OutcomeKind::Sat => Proof::Refuted,
                _ => Proof::Open,
            };
            Ok(())
        })?;
        Ok(said)
    }
}
