//! The strategy `evolve` of campaigns: one step of breeding, without what a search knows of times.
//!
//! A case is a seed that exchanged assertions with another and was mutated. Nothing is known of its answer. What leads
//! a search to slow formulas is selection, which needs a population; a campaign makes its cases one by one, each
//! from a number.

use super::breeder::Breeder;
use crate::pool::{Pool, SeedId};
use crate::rng::Rng;
use crate::strategy::{Draft, Options, Request, Skip, Strategy};

/// Chances of crossover, in quarters, as in a search.
const CROSSOVER: usize = 3;
/// Seeds that are looked at for one of the same logic.
const LOOKS: usize = 16;
/// Pairs that are kept ready.
const KEPT: usize = 64;

/// The strategy `evolve`.
#[derive(Debug)]
pub struct Evolve {
    steps: u32,
    /// Pairs that were bred before, the latest last.
    pairs: Vec<(SeedId, Option<SeedId>, Result<Pair, Skip>)>,
}

/// Two seeds made to fit each other.
#[derive(Debug)]
struct Pair {
    breeder: Breeder,
    first: Vec<u8>,
    second: Option<Vec<u8>>,
}

impl Evolve {
    /// With these options.
    pub fn new(options: &Options) -> Evolve {
        Evolve { steps: options.steps.max(1), pairs: Vec::new() }
    }

    fn pair(&mut self, pool: &Pool, a: SeedId, b: Option<SeedId>) -> Result<&mut Pair, Skip> {
        match self.pairs.iter().position(|p| (p.0, p.1) == (a, b)) {
            Some(at) => self.pairs[at..].rotate_left(1),
            None => {
                if self.pairs.len() == KEPT {
                    drop(self.pairs.remove(0));
                }
                self.pairs.push((a, b, Pair::new(pool, a, b)));
            }
        }
        self.pairs.last_mut().expect("pushed above").2.as_mut().map_err(|skip| *skip)
    }
}

impl Pair {
    fn new(pool: &Pool, a: SeedId, b: Option<SeedId>) -> Result<Pair, Skip> {
        let text = |id: SeedId, name: &str| (name.to_owned(), pool.seed(id).text.clone());
        let seeds: Vec<_> = [text(a, "a")].into_iter().chain(b.map(|b| text(b, "b"))).collect();
        let (breeder, individuals, left_out) = Breeder::of_seeds(&seeds).map_err(|_| Skip::NotOneQuery)?;
        if left_out.iter().any(|(name, _)| name == "a") {
            return Err(Skip::NotOneQuery);
        }
        let mut individuals = individuals.into_iter();
        let first = individuals.next().ok_or(Skip::NotOneQuery)?;
        Ok(Pair { breeder, first, second: individuals.next() })
    }
}

impl Strategy for Evolve {
    fn name(&self) -> &'static str {
        "evolve"
    }

    fn options(&self) -> String {
        format!("steps={}", self.steps)
    }

    fn next(&mut self, pool: &mut Pool, request: &Request<'_>, draft: &mut Draft) -> Result<(), Skip> {
        draft.start(request.seed);
        let partner = match *request.partners {
            [partner, ..] => Some(partner),
            [] => partner(pool, request),
        };
        draft.seeds.extend(partner);
        let steps = self.steps;
        let pair = self.pair(pool, request.seed, partner)?;
        let mut rng = Rng::new(request.rng);
        let mut text = pair.first.clone();
        if let Some(second) = &pair.second
            && rng.below(4) < CROSSOVER
            && let Some([child, _]) = pair.breeder.crossover(&text, second, &mut rng)
        {
            draft.log.extend_from_slice(b"exchange assertions\n");
            text = child;
        }
        for _ in 0..steps {
            if let Some((child, name)) = pair.breeder.mutate(&text, &mut rng) {
                draft.log.extend_from_slice(name.as_bytes());
                draft.log.push(b'\n');
                text = child;
            }
        }
        if draft.log.is_empty() {
            return Err(Skip::NothingToChange);
        }
        draft.header(pool, "evolve", &self.options(), request.rng);
        draft.text.extend_from_slice(&text);
        Ok(())
    }
}

/// Another seed of the same logic, if one is met.
fn partner(pool: &Pool, request: &Request<'_>) -> Option<SeedId> {
    let mut rng = Rng::fork(request.rng, 1);
    let logic = pool.seed(request.seed).script.logic();
    let fits = |id: &SeedId| *id != request.seed && pool.seed(*id).script.logic() == logic;
    (0..LOOKS).filter_map(|_| pool.get(rng.below(pool.len()))).find(fits)
}

#[cfg(test)]
mod tests {
    use super::*;
    use smelt_smtlib::{Arena, parse_script};

    #[test]
    fn cases_are_well_sorted_and_follow_from_their_numbers_alone() {
        let seeds = [
            "(set-logic QF_LIA)(declare-const x Int)(assert (> x 1))(assert (< x 9))(check-sat)",
            "(set-logic QF_LIA)(declare-const y Int)(declare-const p Bool)(assert (=> p (= y 3)))(check-sat)",
            "(set-logic QF_S)(declare-const s String)(assert (= (str.len s) 2))(check-sat)",
            "(push 1)(check-sat)",
        ];
        let mut pool = Pool::new();
        let ids: Vec<SeedId> =
            seeds.iter().map(|text| pool.add("seed", text.as_bytes(), None).unwrap()).collect();
        let mut used = Evolve::new(&Options { steps: 3, ..Options::default() });
        let mut mixed = 0;
        for rng in 0..200 {
            let mut draft = Draft::default();
            let request = Request { seed: ids[rng as usize % 3], partners: &[], rng };
            used.next(&mut pool, &request, &mut draft).unwrap();
            let parsed = parse_script(&mut Arena::new(), &draft.text).unwrap();
            assert_eq!(parsed.diagnostics, [], "{}", String::from_utf8_lossy(&draft.text));
            mixed += usize::from(draft.log.starts_with(b"exchange"));
            // As a replay does it: another pool, other numbers, partners named.
            let mut other = Pool::new();
            let again: Vec<SeedId> = draft
                .seeds
                .iter()
                .map(|s| other.add("seed", seeds[s.index()].as_bytes(), None).unwrap())
                .collect();
            let mut fresh = Evolve::new(&Options { steps: 3, ..Options::default() });
            let mut twin = Draft::default();
            let request = Request { seed: again[0], partners: &again[1..], rng };
            fresh.next(&mut other, &request, &mut twin).unwrap();
            assert_eq!(twin.text, draft.text);
        }
        assert!(mixed > 60, "{mixed}");
        let request = Request { seed: ids[3], partners: &[], rng: 1 };
        assert_eq!(used.next(&mut pool, &request, &mut Draft::default()), Err(Skip::NotOneQuery));
    }
}
