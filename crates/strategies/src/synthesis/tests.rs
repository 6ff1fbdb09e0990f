//! What holds for all formulas.

use super::*;

fn make(options: &str) -> Synthesis {
    Synthesis::read(options).unwrap_or_else(|e| panic!("{options}: {e}"))
}

#[test]
fn counts() {
    for preset in ["paper", "strings", "sequences", "bitvectors"] {
        let start = std::time::Instant::now();
        let s = make(&format!("preset={preset}"));
        println!("{preset} {:?} {:?}", s.counts(), start.elapsed());
    }
}

#[test]
fn unsat_all() {
    for preset in ["paper", "strings", "sequences", "bitvectors"] {
        let s = make(&format!("preset={preset}"));
        let start = std::time::Instant::now();
        let (mut unique, mut n) = (0, 0);
        let mut at = 0;
        for (family, count) in s.counts() {
            for i in at..at + count {
                if family.is_sat() {
                    continue;
                }
                let case = s.case(i).unwrap();
                n += 1;
                if case.is_unique() {
                    unique += 1;
                } else {
                    let have: Vec<&str> = case.without.iter().map(|w| &*w.0).collect();
                    println!(
                        "{} core {:?} needed {have:?}",
                        String::from_utf8_lossy(&case.draft.log).trim(),
                        case.core
                    );
                }
            }
            at += count;
        }
        println!("{preset} unsat {n} unique {unique} {:?}", start.elapsed());
    }
}
