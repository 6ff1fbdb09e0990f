//! Which flags of a solver's command line a finding needs.

use smelt_reduce::Error;
use smelt_solvers::SolverSpec;

/// The flags of a command line that the finding needs, in order. `holds` says whether the finding shows with other
/// words.
///
/// A solver that is not given as a command line has no flags.
pub fn needed_flags(
    spec: &SolverSpec,
    script: &[u8],
    holds: &mut dyn FnMut(&SolverSpec, &[u8]) -> Result<bool, Error>,
) -> Result<SolverSpec, Error> {
    let SolverSpec::Command(words) = spec else { return Ok(spec.clone()) };
    let mut kept = words.clone();
    let without = |from: usize, count: usize, kept: &[String]| {
        let words: Vec<String> = kept[..from].iter().chain(&kept[from + count..]).cloned().collect();
        // A word alone is a name or a path, as on the command line.
        match &words[..] {
            [one] if !one.contains('/') => SolverSpec::Named(one.clone()),
            _ => SolverSpec::Command(words),
        }
    };
    let flags = kept.len() - 1;
    if flags > 0 && holds(&without(1, flags, &kept), script)? {
        return Ok(without(1, flags, &kept));
    }
    let mut at = 1;
    while flags > 1 && at < kept.len() {
        if holds(&without(at, 1, &kept), script)? {
            kept.remove(at);
        } else {
            at += 1;
        }
    }
    Ok(if kept.len() == 1 { without(1, 0, &kept) } else { SolverSpec::Command(kept) })
}
