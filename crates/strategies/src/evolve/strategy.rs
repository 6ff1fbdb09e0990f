//! The strategy `evolve` of campaigns: one step of breeding, without what a search knows of times.
//!
//! A case is a seed that exchanged assertions with another and was mutated. Nothing is known of its answer. What leads
//! a search to slow formulas is selection, which needs a population; a campaign makes its cases one by one, each
//! from a number.

use super::breeder::Breeder;
use crate::options::{self, OptionError, OptionText, Words};
use crate::pool::{Pool, SeedId};
use crate::registry::{Needs, Row};
use crate::rng::Rng;
use crate::strategy::{CaseRequest, Draft, Skip, Strategy};

/// The row of the registry.
pub(crate) const ROW: Row = Row {
    name: "evolve",
    aliases: &["mulstringfuzz"],
    about: "exchange assertions with another formula and mutate; `smelt evolve` selects for slow ones",
    needs: Needs::Seeds,
    options: &[options::STEPS],
    ways: options::steps_ways,
    make: |o| Ok(Box::new(Evolve::new(o)?)),
};

/// Chances of crossover, in quarters, as in a search.
const CROSSOVER: usize = 3;
/// How many seeds are tried to find one of the same logic.
const LOOKS: usize = 16;
/// Pairs that are kept ready. Each has an arena of its own, and the next case of a seed has another partner as a rule.
const KEPT: usize = 2;

/// The strategy `evolve`.
#[derive(Debug)]
pub(super) struct Evolve {
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
    pub(super) fn new(options: &OptionText) -> Result<Evolve, OptionError> {
        Ok(Evolve { steps: options.parsed("steps", 1)?.max(1), pairs: Vec::new() })
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
        Words::default().add("steps", self.steps).text()
    }

    fn next(&mut self, pool: &mut Pool, request: &CaseRequest<'_>, draft: &mut Draft) -> Result<(), Skip> {
        let seed = request.seed()?;
        draft.start(seed);
        let partner = request.partner().or_else(|| partner(pool, seed, request.number));
        draft.seeds.extend(partner);
        let steps = self.steps;
        let pair = self.pair(pool, seed, partner)?;
        let mut rng = Rng::new(request.number);
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
        draft.header(pool, "evolve", &self.options(), request.number);
        draft.text.extend_from_slice(&text);
        Ok(())
    }
}

/// Another seed of the same logic, if one is met.
fn partner(pool: &Pool, seed: SeedId, number: u64) -> Option<SeedId> {
    let mut rng = Rng::fork(number, 1);
    let logic = pool.seed(seed).script.logic();
    let fits = |id: &SeedId| *id != seed && pool.seed(*id).script.logic() == logic;
    (0..LOOKS).filter_map(|_| pool.get(rng.below(pool.len()))).find(fits)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::make;
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
        let mut used = make("evolve", "steps=3");
        let mut mixed = 0;
        for number in 0..200 {
            let mut draft = Draft::default();
            let request = CaseRequest { seeds: &[ids[number as usize % 3]], number };
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
            let mut fresh = make("evolve", "steps=3");
            let mut twin = Draft::default();
            let request = CaseRequest { seeds: &again, number };
            fresh.next(&mut other, &request, &mut twin).unwrap();
            assert_eq!(twin.text, draft.text);
        }
        assert!(mixed > 60, "{mixed}");
        let request = CaseRequest { seeds: &ids[3..], number: 1 };
        assert_eq!(used.next(&mut pool, &request, &mut Draft::default()), Err(Skip::NotOneQuery));
    }
}
