//! Crossover: two individuals exchange assertions, with the declarations these need.

use super::genome::Genome;
use crate::rng::Rng;

/// Exchanges a fifth of all assertions of both, or one where a parent has fewer; `None` if they declare one name
/// differently.
pub(crate) fn exchange(mut a: Genome, mut b: Genome, rng: &mut Rng) -> Option<[Genome; 2]> {
    let (x, y) = (a.assertions.len(), b.assertions.len());
    let fifth = ((x + y) / 5).max(1);
    let count = if fifth > x.min(y) { 1 } else { fifth };
    let of_a = a.declarations.clone();
    if !a.declare_all(&b.declarations) || !b.declare_all(&of_a) {
        return None;
    }
    let places = |n: usize, rng: &mut Rng| {
        let mut all: Vec<usize> = (0..n).collect();
        rng.shuffle(&mut all);
        all.truncate(count);
        all
    };
    for (i, j) in places(x, rng).into_iter().zip(places(y, rng)) {
        std::mem::swap(&mut a.assertions[i], &mut b.assertions[j]);
    }
    Some([a, b])
}

#[cfg(test)]
mod tests {
    use super::*;
    use smelt_smtlib::Arena;

    fn genome(arena: &mut Arena, name: &str, n: usize) -> Genome {
        let asserts: String = (0..n).map(|i| format!("(assert (= {name} {i}))")).collect();
        Genome::read(arena, format!("(declare-const {name} Int){asserts}").as_bytes()).unwrap()
    }

    #[test]
    fn a_fifth_of_all_assertions_changes_sides() {
        let mut arena = Arena::new();
        for (x, y, moved) in [(1, 1, 1), (5, 5, 2), (10, 10, 4), (1, 19, 1), (30, 2, 1)] {
            let (a, b) = (genome(&mut arena, "a", x), genome(&mut arena, "b", y));
            let [c, d] = exchange(a, b, &mut Rng::new(1)).unwrap();
            assert_eq!((c.assertions.len(), d.assertions.len()), (x, y));
            let foreign = |g: &Genome, name: &str| {
                g.assertions.iter().filter(|t| arena.display_term(**t).contains(name)).count()
            };
            assert_eq!((foreign(&c, "b"), foreign(&d, "a")), (moved, moved));
        }
    }

    #[test]
    fn one_name_of_two_sorts_stops_it() {
        let mut arena = Arena::new();
        let a = genome(&mut arena, "a", 1);
        let b = Genome::read(&mut arena, b"(declare-const a Bool)(assert a)").unwrap();
        assert!(exchange(a, b, &mut Rng::new(1)).is_none());
    }
}
