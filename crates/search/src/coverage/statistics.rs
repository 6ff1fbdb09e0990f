//! Coverage from a solver's own statistics, for programs without instrumentation.
//!
//! A counter corresponds to a file, and each power of two that its value reaches corresponds to a line of it. So a
//! new counter is a new part of the solver, a much larger value is a new line, and a slightly larger value runs the
//! last line more often. Times and memory sizes are ignored, because they do not describe behaviour.

use smelt_solvers::{Finished, Solver};

use super::{Behaviour, Coverage, Lines};
use smelt_store::{Error, ErrorKind};

/// Counters whose name contains one of these say how long or how large, not what the solver did.
const NOT_BEHAVIOUR: [&str; 7] =
    ["time", "memory", "num-allocs", "rlimit", "filename", "resource", "exprmanager"];

/// Coverage by statistics.
#[derive(Debug)]
pub struct Statistics {
    arguments: Vec<String>,
}

impl Statistics {
    /// Fails if the solver's profile has no arguments that make it print statistics.
    pub fn new(solver: &Solver) -> Result<Statistics, Error> {
        let arguments = solver.profile().behaviour.statistics.clone();
        if arguments.is_empty() {
            let message = format!(
                "cannot measure coverage of {}: it prints no statistics that smelt can read (--coverage gcov and llvm need an instrumented build)",
                solver.id()
            );
            return Err(Error::new(ErrorKind::Usage, message));
        }
        Ok(Statistics { arguments })
    }
}

impl Coverage for Statistics {
    fn name(&self) -> String {
        "statistics".to_owned()
    }

    fn prepare(&self, solver: Solver, _: usize) -> Result<Solver, Error> {
        Ok(solver.with_args(&self.arguments))
    }

    fn collect(&self, _: usize, run: &Finished) -> Result<Option<Behaviour>, Error> {
        let mut counters = read(&String::from_utf8_lossy(&run.stdout));
        counters.extend(read(&String::from_utf8_lossy(&run.stderr)));
        if counters.is_empty() {
            return Ok(None);
        }
        // A run may print nothing but its time: it did nothing then.
        counters.retain(|(name, value)| *value > 0 && is_behaviour(name));
        let lines: Lines = counters.into_iter().map(|(name, value)| (name, magnitudes(value))).collect();
        Ok(Some(Behaviour::of_lines(lines)))
    }
}

fn is_behaviour(name: &str) -> bool {
    let lower = name.to_lowercase();
    !NOT_BEHAVIOUR.iter().any(|w| lower.contains(w))
}

/// How often a line runs on the way to the next.
const QUARTERS: u64 = 4;

/// The powers of two up to a value, as lines. The last one ran once, and once more for each quarter of the way to the next
/// power; the others ran as often as they can.
pub(super) fn magnitudes(value: u64) -> Vec<(u32, u64)> {
    let lines = u64::BITS - value.leading_zeros();
    let count = |bit: u32| {
        let power = 1u64 << bit;
        let beyond = (u128::from(value - power) * u128::from(QUARTERS)) >> bit;
        1 + u64::try_from(beyond).unwrap_or(QUARTERS).min(QUARTERS)
    };
    (0..lines).map(|bit| (bit, count(bit))).collect()
}

/// The counters in a text: `:name value`, `name = value`, `name, value` and `name = { case: value, .. }`.
fn read(text: &str) -> Vec<(String, u64)> {
    let mut found = Vec::new();
    let mut add = |name: &str, value: &str| {
        if let (false, Ok(value)) = (name.trim().is_empty(), value.trim().parse::<f64>())
            && value >= 0.0
        {
            found.push((name.trim().to_owned(), value as u64));
        }
    };
    for line in text.lines() {
        let line = line.trim().trim_start_matches('(').trim_end_matches(')');
        if let Some(rest) = line.strip_prefix(':') {
            let mut words = rest.split_whitespace();
            if let (Some(name), Some(value)) = (words.next(), words.next()) {
                add(name, value);
            }
        } else if let Some((name, cases)) = line.split_once(" = {") {
            for case in cases.trim_end_matches('}').split(',') {
                if let Some((case, value)) = case.rsplit_once(':') {
                    add(&format!("{name}.{}", case.trim()), value);
                }
            }
        } else if let Some((name, value)) = line.split_once(" = ").or_else(|| line.rsplit_once(", ")) {
            add(name, value);
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_statistics_of_three_solvers_are_read() {
        let behaviour = |text: &str| {
            let mut all = read(text);
            all.retain(|(name, value)| *value > 0 && is_behaviour(name));
            all
        };
        let z3 = "unknown\n(:added-eqs  6663\n :time 3.02\n :max-memory 9.49\n :conflicts 101)\n";
        assert_eq!(behaviour(z3), [("added-eqs".to_owned(), 6663), ("conflicts".to_owned(), 101)]);
        let cvc4 = "sat\nsat::conflicts, 40\nsat::starts, 0\ndriver::totalTime, 0.0051\n";
        assert_eq!(behaviour(cvc4), [("sat::conflicts".to_owned(), 40)]);
        let cvc5 = "theory::inferences = { A: 3, B: 0 }\nglobal::totalTime = 15ms\nx::y = 2\n";
        assert_eq!(behaviour(cvc5), [("theory::inferences.A".to_owned(), 3), ("x::y".to_owned(), 2)]);
        assert!(read("sat\n").is_empty(), "nothing was told");
        assert!(!read("sat\n(:time 0.01)\n").is_empty(), "it was told that nothing was done");
    }

    #[test]
    fn a_larger_value_is_a_new_line_only_if_it_is_much_larger() {
        assert_eq!(magnitudes(1).len(), 1);
        assert_eq!((magnitudes(100).len(), magnitudes(120).len(), magnitudes(200).len()), (7, 7, 8));
        assert!(magnitudes(0).is_empty());
        assert_eq!(magnitudes(6), [(0, 5), (1, 5), (2, 3)]);
        assert_eq!(magnitudes(u64::MAX).len(), 64);
        // Algorithm 2: a new line, then the same line more often, then nothing new.
        let run = |value| Lines::from([("conflicts".to_owned(), magnitudes(value))]);
        let mut ledger = crate::coverage::Ledger::default();
        assert_eq!(ledger.reward(&run(4)), 1000.0);
        assert_eq!(ledger.reward(&run(6)), 2.0 + 10.0 * 3.0, "the third line ran three times, not once");
        assert_eq!(ledger.reward(&run(5)), 3.0);
    }
}
