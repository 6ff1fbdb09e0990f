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
