//! The breeder: makes new individuals from others, as text.

use smelt_smtlib::{Arena, Checkpoint, Op};

use super::crossover::exchange;
use super::genome::Genome;
use super::mutation::MUTATIONS;
use super::palette::{Grown, Palette};
use super::start::{self, Theory};
use super::without;
use crate::rng::Rng;

/// How often a change that comes to nothing is tried in another way.
const TRIES: usize = 12;

/// A small script about one operator.
#[derive(Clone, Debug)]
pub struct Probe {
    op: Op,
    /// The operator's name.
    pub name: String,
    /// The script.
    pub script: Vec<u8>,
}

/// Makes individuals. Everything it gives out is well-sorted in the logic of the search.
#[derive(Debug)]
pub struct Breeder {
    pub(crate) arena: Arena,
    pub(crate) palette: Palette,
    base: Checkpoint,
}

impl Breeder {
    fn new(mut arena: Arena, script: &[u8]) -> Result<Breeder, String> {
        let palette = Palette::new(&mut arena, script)?;
        let base = arena.checkpoint();
        Ok(Breeder { arena, palette, base })
    }

    /// For random formulas of a theory.
    pub fn of_theory(theory: &Theory) -> Result<Breeder, String> {
        Breeder::new(Arena::new(), theory.script.as_bytes())
    }

    /// From seeds, with the individual that each one becomes; the reason for each that becomes none.
    pub fn of_seeds(
        seeds: &[(String, Vec<u8>)],
    ) -> Result<(Breeder, Vec<Vec<u8>>, Vec<(String, String)>), String> {
        let start::Seeds { arena, individuals, everything, left_out } = start::normalise(seeds);
        if individuals.is_empty() {
            let first = left_out.first().map(|(name, why)| format!(" ({name}: {why})")).unwrap_or_default();
            return Err(format!("no usable seed among {} files{first}", seeds.len()));
        }
        Ok((Breeder::new(arena, &everything)?, individuals, left_out))
    }

    /// A script for each operator that may be bred: a solver that lacks the operator rejects it.
    pub fn probes(&mut self) -> Vec<Probe> {
        let empty = Genome { logic: self.palette.logic(), declarations: Vec::new(), assertions: Vec::new() };
        let mut probes = Vec::new();
        for (op, grown) in self.palette.probes(&self.arena) {
            let name = self.arena.signatures().row(op).name;
            let name = String::from_utf8_lossy(self.arena.text(name)).into_owned();
            let raw = self.with_assertions(&empty, &[grown]);
            if let Some(script) = self.settle(raw) {
                probes.push(Probe { op, name, script });
            }
        }
        self.arena.rollback(self.base);
        probes
    }

    /// Takes the operators of these probes out: no new formula has them, apart from those that literals are made with.
    pub fn leave_out(&mut self, probes: &[&Probe]) {
        let ops: Vec<Op> = probes.iter().map(|probe| probe.op).collect();
        self.palette.leave_out(&ops);
    }

    /// A new individual of one to three random assertions.
    pub fn random(&mut self, rng: &mut Rng) -> Option<Vec<u8>> {
        let assertions = 1 + rng.below(3);
        let empty = Genome { logic: self.palette.logic(), declarations: Vec::new(), assertions: Vec::new() };
        (0..TRIES).find_map(|_| {
            let grown: Option<Vec<Grown>> =
                (0..assertions).map(|_| self.palette.assertion(&self.arena, rng, None)).collect();
            let text = self.with_assertions(&empty, &grown?);
            self.settle(text)
        })
    }

    /// One mutation of an individual, and its name; `None` if none of many came to anything.
    pub fn mutate(&mut self, text: &[u8], rng: &mut Rng) -> Option<(Vec<u8>, &'static str)> {
        (0..TRIES).find_map(|_| {
            let mutation = rng.pick(MUTATIONS)?;
            Some((self.mutate_by(mutation, text, rng)?, mutation.name))
        })
    }

    /// A certain mutation.
    pub fn mutate_by(&mut self, mutation: &super::Mutation, text: &[u8], rng: &mut Rng) -> Option<Vec<u8>> {
        self.changed(text, |breeder, genome| (mutation.apply)(breeder, genome, rng))
    }

    /// The individual after a change; `None` if the change does not apply or changes nothing.
    fn changed(
        &mut self,
        text: &[u8],
        change: impl FnOnce(&mut Breeder, Genome) -> Option<Vec<u8>>,
    ) -> Option<Vec<u8>> {
        let genome = Genome::read(&mut self.arena, text).ok();
        let raw = genome.and_then(|genome| change(self, genome));
        let child = raw.and_then(|raw| self.settle(Some(raw)));
        self.arena.rollback(self.base);
        child.filter(|c| c != text)
    }

    /// An individual without some operators, by name; `None` if it has none of them or nothing can stand in.
    pub fn without(&mut self, text: &[u8], unwanted: &[String], rng: &mut Rng) -> Option<Vec<u8>> {
        self.changed(text, |breeder, genome| without::strip(breeder, genome, unwanted, rng))
    }

    /// Two individuals that exchanged assertions; `None` if they cannot.
    pub fn crossover(&mut self, a: &[u8], b: &[u8], rng: &mut Rng) -> Option<[Vec<u8>; 2]> {
        let genomes = Genome::read(&mut self.arena, a).ok().zip(Genome::read(&mut self.arena, b).ok());
        let raw = genomes.and_then(|(a, b)| exchange(a, b, rng));
        let raw = raw.map(|children| children.map(|c| c.print(&self.arena)));
        let children = raw.and_then(|[x, y]| Some([self.settle(Some(x))?, self.settle(Some(y))?]));
        self.arena.rollback(self.base);
        children
    }

    /// A genome with further assertions, as text; constants that are new are declared.
    pub(crate) fn with_assertions(&mut self, genome: &Genome, grown: &[Grown]) -> Option<Vec<u8>> {
        let mut genome = genome.clone();
        if !genome.declare_all(&self.palette.declarations) {
            return None;
        }
        for (name, sort) in grown.iter().flat_map(|g| &g.constants) {
            let name = self.arena.symbol(name.as_bytes());
            if !genome.constants().any(|c| c.0 == name) {
                genome.declarations.push(smelt_smtlib::Command::DeclareConst(name, *sort));
            }
        }
        let mut text = genome.print(&self.arena);
        let question = b"(check-sat)\n";
        text.truncate(text.len() - question.len());
        for g in grown {
            text.extend_from_slice(b"(assert ");
            text.extend_from_slice(&g.text);
            text.extend_from_slice(b")\n");
        }
        text.extend_from_slice(question);
        Some(text)
    }

    /// What a change came to: read, without what nothing uses, and printed; `None` if it is not well-sorted.
    fn settle(&mut self, text: Option<Vec<u8>>) -> Option<Vec<u8>> {
        let mut genome = Genome::read(&mut self.arena, &text?).ok()?;
        genome.prune(&self.arena);
        Some(genome.print(&self.arena))
    }
}

#[cfg(test)]
mod tests {
    use super::super::{MUTATIONS, THEORIES, complexity_of};
    use super::*;
    use smelt_smtlib::parse_script;

    #[test]
    fn random_individuals_of_every_theory_are_well_sorted_and_repeat() {
        for theory in THEORIES {
            let mut breeder = Breeder::of_theory(theory).unwrap();
            let mut twin = Breeder::of_theory(theory).unwrap();
            let mut different = std::collections::HashSet::new();
            for n in 0..60 {
                let text = breeder.random(&mut Rng::new(n)).unwrap();
                assert_eq!(twin.random(&mut Rng::new(n)).unwrap(), text);
                let mut arena = Arena::new();
                let parsed = parse_script(&mut arena, &text).unwrap();
                assert_eq!(parsed.diagnostics, [], "{}", String::from_utf8_lossy(&text));
                assert!(complexity_of(&text).unwrap() < 500);
                different.insert(text);
            }
            assert!(different.len() > 50, "{}", theory.name);
        }
    }

    #[test]
    fn long_lines_of_descent_stay_well_sorted_and_the_arena_stays_small() {
        for theory in THEORIES {
            let mut breeder = Breeder::of_theory(theory).unwrap();
            let mark = breeder.arena.checkpoint();
            let mut rng = Rng::new(5);
            let mut all: Vec<Vec<u8>> = (0..6).map(|_| breeder.random(&mut rng).unwrap()).collect();
            let mut seen = std::collections::BTreeSet::new();
            for _ in 0..150 {
                let (i, j) = (rng.below(6), rng.below(6));
                if let Some([x, y]) = breeder.crossover(&all[i].clone(), &all[j].clone(), &mut rng) {
                    (all[i], all[j]) = (x, y);
                }
                if let Some((child, name)) = breeder.mutate(&all[i].clone(), &mut rng) {
                    let mut arena = Arena::new();
                    let parsed = parse_script(&mut arena, &child).unwrap();
                    assert_eq!(parsed.diagnostics, [], "{name}: {}", String::from_utf8_lossy(&child));
                    seen.insert(name);
                    all[i] = child;
                }
            }
            assert_eq!(breeder.arena.checkpoint(), mark);
            let names: std::collections::BTreeSet<_> = MUTATIONS.iter().map(|m| m.name).collect();
            assert_eq!(seen, names, "{}", theory.name);
        }
    }

    #[test]
    fn an_operator_that_is_left_out_is_not_bred_in_any_way() {
        for theory in THEORIES {
            let mut breeder = Breeder::of_theory(theory).unwrap();
            let probes = breeder.probes();
            assert!(probes.len() > 10, "{}: {}", theory.name, probes.len());
            for probe in &probes {
                let (mut arena, script) = (Arena::new(), &probe.script);
                let parsed = parse_script(&mut arena, script).unwrap();
                let script = String::from_utf8_lossy(script);
                assert!(parsed.diagnostics.is_empty() && script.contains(&probe.name), "{script}");
            }
            // Literals of some sorts are terms with these operators; a solver without them has not even the sort.
            let of_literals = ["-", "/", "store", "str.to_re", "re.range", "fp"];
            let others: Vec<&Probe> =
                probes.iter().filter(|p| !of_literals.contains(&p.name.as_str())).collect();
            let names = [1, others.len() / 2, others.len() - 1].map(|i| &others[i].name);
            let gone: Vec<&Probe> = probes.iter().filter(|p| names.contains(&&p.name)).collect();
            let mut rng = Rng::new(5);
            breeder.leave_out(&gone);
            let mut text = breeder.random(&mut rng).unwrap();
            let has = |text: &[u8], p: &Probe| {
                let text = String::from_utf8_lossy(text).into_owned();
                text.contains(&format!("({} ", p.name)) || text.contains(&format!("(_ {} ", p.name))
            };
            for _ in 0..300 {
                text = breeder.mutate(&text, &mut rng).map_or(text, |m| m.0);
                if let Some(p) = gone.iter().find(|p| has(&text, p)) {
                    panic!("{} in {}", p.name, String::from_utf8_lossy(&text));
                }
            }
        }
    }

    #[test]
    fn seeds_of_any_kind_become_individuals_that_mix() {
        let seeds = [
            "(set-logic QF_UFLIA)(declare-fun f (Int) Int)(declare-const x Int)(assert (! (> (f x) 1) :named n))(check-sat)",
            "(declare-datatypes ((L 0)) (((nil) (cons (head Int) (tail L)))))(declare-const x L)(assert (= x nil))(check-sat)",
            "(declare-const p Int)(declare-const q Real)(assert (= q (to_real p)))(assert (< p 3))(assert (< q 3.5))(check-sat)",
            "(push 1)(check-sat)",
        ];
        let seeds: Vec<(String, Vec<u8>)> =
            seeds.iter().enumerate().map(|(i, t)| (format!("s{i}"), t.as_bytes().to_vec())).collect();
        let (mut breeder, individuals, left_out) = Breeder::of_seeds(&seeds).unwrap();
        assert_eq!((individuals.len(), left_out.len()), (3, 1));
        let mut rng = Rng::new(9);
        let mut all = individuals;
        let mut mixed = 0;
        for _ in 0..120 {
            let (i, j) = (rng.below(3), rng.below(3));
            if let Some([x, y]) = breeder.crossover(&all[i].clone(), &all[j].clone(), &mut rng) {
                (all[i], all[j]) = (x, y);
                mixed += 1;
            }
            if let Some((child, _)) = breeder.mutate(&all[j].clone(), &mut rng) {
                all[j] = child;
            }
        }
        assert!(mixed > 60, "{mixed}");
    }
}
