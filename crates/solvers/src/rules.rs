//! The rewrite rules that a solver prints.

use std::io::Write;
use std::time::Duration;

use crate::{command::run_helper, error::Error, limits::Limits, solver::Solver};

/// Printing takes less than a second; this is for a machine that does much else.
const TIME: Duration = Duration::from_secs(60);
/// A solver starts to print when it is asked something.
const SCRIPT: &[u8] = b"(set-logic ALL)\n(check-sat)\n";

impl Solver {
    /// The rules, as it prints them; `None` if it prints none.
    pub fn rewrite_rules(&self) -> Result<Option<Vec<u8>>, Error> {
        let Some(rules) = &self.profile().rules else { return Ok(None) };
        let failed = |e| Error::system("cannot write a script for the solver", e);
        let mut file = tempfile::Builder::new().suffix(".smt2").tempfile().map_err(failed)?;
        file.write_all(SCRIPT).and_then(|()| file.flush()).map_err(failed)?;
        let launch = self.launch.clone().with_args(&rules.args).with_args([file.path()]);
        let limits = Limits { output: 16 << 20, ..Limits::within(TIME) };
        let run = run_helper(&launch, &limits)
            .map_err(|e| Error::system(format!("cannot run {}", self.program().display()), e))?;
        // What comes before the first list is not part of the rules, nor is the answer after the last.
        let (from, to) =
            (run.stdout.iter().position(|b| *b == b'('), run.stdout.iter().rposition(|b| *b == b')'));
        Ok(from.zip(to).filter(|(from, to)| from < to).map(|(from, to)| run.stdout[from..=to].to_vec()))
    }
}
