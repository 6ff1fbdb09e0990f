//! The complexity of a formula: the sum of the depths of all nodes of all assertions.
//!
//! A root and its direct children have depth one, the next level two, and so on.

use smelt_smtlib::{Arena, Script, Term, parse_script};

/// The complexity of a script's assertions.
pub fn complexity(arena: &Arena, script: &Script) -> u64 {
    let mut sum: u64 = 0;
    let mut work: Vec<(Term, u64)> = script.assertions().map(|t| (t, 0)).collect();
    while let Some((term, depth)) = work.pop() {
        sum = sum.saturating_add(depth.max(1));
        work.extend(arena.children(term).iter().map(|&c| (c, depth + 1)));
    }
    sum
}

/// The same of a text; `None` if it cannot be read.
pub fn complexity_of(text: &[u8]) -> Option<u64> {
    let mut arena = Arena::new();
    let parsed = parse_script(&mut arena, text).ok()?;
    Some(complexity(&arena, &parsed.script))
}

#[cfg(test)]
mod tests {
    use super::*;

    const DECLARATIONS: &str = "(set-logic QF_SLIA)(declare-fun var3 () Int)(declare-fun var0 () String)(declare-fun var2 () String)";

    fn of(assertions: &str) -> u64 {
        complexity_of(format!("{DECLARATIONS}{assertions}(check-sat)").as_bytes()).unwrap()
    }

    #[test]
    fn the_worked_examples_of_the_paper_are_16_and_11() {
        let d = "(assert (> (str.indexof \"+]YAPKJ8b8\" var2 var3) (str.to_int var0)))";
        assert_eq!(of(&format!("(assert (< (str.to_int \"8b8\") 9)){d}")), 16);
        assert_eq!(of(d), 11);
    }

    #[test]
    fn depth_counts_more_than_size() {
        assert_eq!(of("(assert (= var3 1))"), 3);
        assert_eq!(of("(assert (= (+ (+ (+ 1 2) 3) 4) 5))"), 1 + 2 + 2 * 2 + 2 * 3 + 2 * 4);
    }

    #[test]
    fn deep_formulas_are_no_trouble() {
        let deep = 100_000;
        let text = format!("(assert {}true{})", "(not ".repeat(deep), ")".repeat(deep));
        assert_eq!(complexity_of(text.as_bytes()).unwrap(), (deep * (deep + 1) / 2) as u64 + 1);
    }
}
