//! Transplants: replaces parts of one formula, such as one from a bug report, by parts of another.
//!
//! The answer is not known, so solvers are compared. Both formulas are renamed apart, as in a fusion, so that a
//! part keeps everything that it uses. The result is parsed again, so that only well-sorted scripts are used.

use smelt_core::Expectation;
use smelt_smtlib::logic::Logic;
use smelt_smtlib::{Arena, parse_script};

use crate::alive::DeadWeight;
use crate::fusion::side::{Expression, Kinds, Side};
use crate::options::{OptionError, OptionRow, OptionText, Words};
use crate::per_seed::PerSeed;
use crate::pool::{Edits, Pool, SeedId};
use crate::registry::{Needs, Row};
use crate::rng::Rng;
use crate::strategy::{CaseRequest, Draft, Skip, Strategy};

/// The row of the registry.
pub(crate) const ROW: Row = Row {
    name: "transplant",
    aliases: &[],
    about: "replace parts of a formula, such as one from a bug report, by parts of another",
    needs: Needs::Seeds,
    options: &[
        OptionRow::text("holes", "1 to 20", "3", "the most expressions to replace"),
        OptionRow::text("in", "a text", "any", "replace parts only in seeds whose path contains this"),
    ],
    ways: Vec::new,
    make: |o| Ok(Box::new(Transplant::new(o)?)),
};

/// How many holes there are at most.
const HOLES: u32 = 3;
/// How many seeds are tried as the other one.
const PARTNERS: u32 = 24;
/// How often other holes are filled where simplification alone decides the script.
const AGAIN: u64 = 3;

/// The strategy `transplant`.
#[derive(Debug)]
struct Transplant {
    holes: u32,
    /// The seeds that get holes.
    hosts: Option<String>,
    /// By seed, once it was used: as the one with holes, and as the one that gives parts.
    sides: PerSeed<[Result<Side, Skip>; 2]>,
    kinds: Kinds,
    edits: Edits,
    dead_weight: DeadWeight,
}

impl Transplant {
    fn new(options: &OptionText) -> Result<Transplant, OptionError> {
        Ok(Transplant {
            holes: options.within("holes", HOLES, 1..=20)?,
            hosts: options.get("in").map(str::to_owned),
            sides: PerSeed::of_many(),
            kinds: Kinds::default(),
            edits: Edits::default(),
            dead_weight: DeadWeight::default(),
        })
    }

    fn is_host(&self, pool: &Pool, id: SeedId) -> bool {
        self.hosts.as_ref().is_none_or(|text| pool.seed(id).name.contains(text.as_str()))
    }

    /// A seed as the one with holes (0) or the one that gives parts (1).
    fn side(&mut self, pool: &mut Pool, id: SeedId, i: usize) -> Result<(), Skip> {
        let Transplant { sides, kinds, .. } = self;
        let sides = sides.get_or_make(pool, id, |pool| {
            let (arena, seed) = pool.parts(id);
            [0, 1].map(|i| Side::new(arena, seed, i, kinds))
        });
        sides[i].as_ref().map(drop).map_err(|skip| *skip)
    }

    fn ready(&self, host: SeedId, giver: SeedId) -> Option<(&Side, &Side)> {
        let side = |id: SeedId, i: usize| self.sides.get(id)?[i].as_ref().ok();
        Some((side(host, 0)?, side(giver, 1)?))
    }

    /// The seed with holes and the one that gives parts: those that are named, or one of them at random.
    fn pair(&mut self, pool: &mut Pool, request: &CaseRequest<'_>) -> Result<(SeedId, SeedId), Skip> {
        let seed = request.seed()?;
        if let Some(partner) = request.partner() {
            self.side(pool, seed, 0)?;
            self.side(pool, partner, 1)?;
            return Ok((seed, partner));
        }
        let is_host = self.is_host(pool, seed);
        self.side(pool, seed, usize::from(!is_host))?;
        let mut rng = Rng::fork(request.number, 1);
        for _ in 0..PARTNERS {
            let other = pool.get(rng.below(pool.len())).ok_or(Skip::NoPartner)?;
            if other == seed || (!is_host && !self.is_host(pool, other)) {
                continue;
            }
            let (host, giver) = if is_host { (seed, other) } else { (other, seed) };
            let works = self.side(pool, host, 0).and_then(|()| self.side(pool, giver, 1)).is_ok();
            if works && self.ready(host, giver).is_some_and(|(a, b)| fit(a, b).next().is_some()) {
                return Ok((host, giver));
            }
        }
        Err(Skip::NoPartner)
    }

    /// Fills holes; writes down which.
    fn fill(&mut self, host: SeedId, giver: SeedId, rng: &mut Rng, log: &mut Vec<u8>) -> Result<(), Skip> {
        let mut edits = std::mem::take(&mut self.edits);
        edits.clear();
        let (a, b) = self.ready(host, giver).ok_or(Skip::NoPartner)?;
        let holes: Vec<&Expression> = fit(a, b).collect();
        for _ in 0..1 + rng.below(self.holes as usize) {
            let hole = rng.pick(&holes).ok_or(Skip::NothingToChange)?;
            let parts: Vec<&Expression> = movable(b).filter(|part| part.sort == hole.sort).collect();
            let part = rng.pick(&parts).ok_or(Skip::NothingToChange)?;
            if edits.touches(&hole.place) {
                continue;
            }
            let text = &b.text[part.place.start as usize..part.place.end as usize];
            let start = edits.new.len();
            edits.new.extend_from_slice(text);
            edits.push(hole.place.clone(), start);
            log.extend_from_slice(format!("hole at {}: ", hole.place.start).as_bytes());
            log.extend_from_slice(text);
            log.push(b'\n');
        }
        self.edits = edits;
        Ok(())
    }

    /// The script with filled holes, without its logic.
    fn body(&mut self, host: SeedId, giver: SeedId) -> Result<Vec<u8>, Skip> {
        let edits = std::mem::take(&mut self.edits);
        let (a, b) = self.ready(host, giver).ok_or(Skip::NoPartner)?;
        let mut body = Vec::new();
        body.extend_from_slice(&a.declarations);
        body.extend_from_slice(&b.declarations);
        for assertion in &a.assertions {
            body.extend_from_slice(b"(assert ");
            edits.apply(&a.text, assertion.clone(), &mut body);
            body.extend_from_slice(b")\n");
        }
        body.extend_from_slice(&a.extras);
        body.extend_from_slice(&a.query);
        self.edits = edits;
        Ok(body)
    }
}

/// The expressions that may stand elsewhere.
fn movable(side: &Side) -> impl Iterator<Item = &Expression> {
    side.expressions.iter().filter(|e| e.moves)
}

/// The expressions of one side for which the other has a part of the same sort.
fn fit<'a>(a: &'a Side, b: &'a Side) -> impl Iterator<Item = &'a Expression> {
    a.expressions.iter().filter(|hole| movable(b).any(|part| part.sort == hole.sort))
}

impl Strategy for Transplant {
    fn name(&self) -> &'static str {
        "transplant"
    }

    fn options(&self) -> String {
        let words = Words::default().add("holes", self.holes);
        match &self.hosts {
            Some(text) => words.add("in", text).text(),
            None => words.text(),
        }
    }

    fn next(&mut self, pool: &mut Pool, request: &CaseRequest<'_>, draft: &mut Draft) -> Result<(), Skip> {
        let (host, giver) = self.pair(pool, request)?;
        draft.start(host);
        draft.seeds.push(giver);
        let (mut log, mut body) = (Vec::new(), Vec::new());
        for attempt in 0..=AGAIN {
            let mut rng = match attempt {
                0 => Rng::new(request.number),
                again => Rng::fork(request.number, 1 + again),
            };
            log.clear();
            self.fill(host, giver, &mut rng, &mut log)?;
            body = self.body(host, giver)?;
            if !self.dead_weight.is_simplified(&body) {
                break;
            }
        }
        let logic = logic(&mut pool.arena, &body).ok_or(Skip::Unsupported)?;
        draft.header(pool, self.name(), &self.options(), request.number);
        draft.log = log;
        draft.text.extend_from_slice(format!("(set-logic {})\n", logic.name()).as_bytes());
        draft.text.extend_from_slice(&body);
        draft.expectation = Expectation::Open;
        Ok(())
    }
}

/// What a script needs of a logic; `None` if it is not well-sorted.
fn logic(arena: &mut Arena, script: &[u8]) -> Option<Logic> {
    let mark = arena.checkpoint();
    let parsed = parse_script(arena, script).ok().filter(|parsed| parsed.diagnostics.is_empty());
    let logic = parsed.map(|parsed| Logic::used(arena, &parsed.script).unwrap_or(Logic::ALL));
    arena.rollback(mark);
    logic
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::remake::remake;
    use crate::tests::make;

    const REPORT: &str = "(set-logic QF_LIA)(declare-const x Int)(assert (! (> (+ x 1) 2) :named a))(assert (= x 5))\
                          (check-sat)";
    const SEEDS: [&str; 4] = [
        "(set-logic QF_NIA)(declare-const x Int)(declare-const y Int)(assert (= (* x y) 12))(check-sat)",
        "(declare-const s String)(assert (forall ((n Int)) (> (str.len s) (* n n))))(check-sat)",
        "(declare-sort U 0)(declare-fun f (U) Int)(declare-const u U)(assert (> (f u) (f u)))(check-sat)",
        "(declare-datatypes ((L 0)) (((nil) (cons (head Int) (tail L)))))(declare-const l L)\
         (assert (= (head l) (head (tail l))))(check-sat)",
    ];

    fn pool() -> Pool {
        let mut pool = Pool::new();
        pool.add("reports/one.smt2", REPORT.as_bytes(), None).unwrap();
        for (i, text) in SEEDS.iter().enumerate() {
            pool.add(&format!("seeds/{i}.smt2"), text.as_bytes(), None).unwrap();
        }
        pool
    }

    #[test]
    fn parts_of_every_seed_come_into_the_report_and_the_case_is_made_again() {
        let mut pool = pool();
        let ids: Vec<SeedId> = pool.ids().collect();
        let mut strategy = make("transplant", "in=reports");
        let mut givers = std::collections::BTreeSet::new();
        let mut made = 0;
        for number in 0..200 {
            let seed = ids[number as usize % ids.len()];
            let mut draft = Draft::default();
            let request = CaseRequest { seeds: &[seed], number };
            if strategy.next(&mut pool, &request, &mut draft).is_err() {
                continue;
            }
            made += 1;
            let text = String::from_utf8_lossy(&draft.text).into_owned();
            assert_eq!(draft.seeds[0], ids[0], "the holes are in the report\n{text}");
            assert!(text.contains(":named"), "names stay\n{text}");
            // A variable bound in the giver cannot come along.
            assert!(!text.contains("(* n n)"), "{text}");
            givers.insert(draft.seeds[1].index());
            let case = draft.to_case(&pool, &*strategy, &OptionText::default(), number);
            let texts: Vec<&str> = std::iter::once(REPORT).chain(SEEDS).collect();
            let seeds =
                draft.seeds.iter().map(|&s| (pool.seed(s).name.clone(), texts[s.index()].into(), None));
            let seeds: Vec<_> = seeds.collect();
            let again = remake(&case.provenance, &seeds).unwrap();
            assert_eq!(String::from_utf8_lossy(&again.script), text);
        }
        assert!(made > 150, "{made}");
        assert_eq!(givers.len(), SEEDS.len());
    }

    #[test]
    fn the_logic_has_what_the_parts_need() {
        let mut pool = Pool::new();
        let host = pool.add("h", REPORT.as_bytes(), None).unwrap();
        let giver = pool.add("g", SEEDS[0].as_bytes(), None).unwrap();
        let mut strategy = make("transplant", "holes=1");
        let request = CaseRequest { seeds: &[host, giver], number: 3 };
        let mut draft = Draft::default();
        strategy.next(&mut pool, &request, &mut draft).unwrap();
        let text = String::from_utf8_lossy(&draft.text).into_owned();
        assert_eq!(text.contains("(set-logic QF_NIA)"), text.contains("(* "), "{text}");
        assert_eq!(draft.expectation, Expectation::Open);
    }
}
