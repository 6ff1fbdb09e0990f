//! What new terms are made of: every operator at the sorts of the search, its constants, and random literals.
//!
//! The operators are those that the strategy `generative` computes for a seed; the seed here is a script that contains
//! everything of the start population.

use smelt_smtlib::script::Command;
use smelt_smtlib::{Arena, Op, Sort};

use super::genome::{Genome, constant_name};
use crate::gate::Classes;
use crate::generative::{Expressions, Maker, Wanted, makers};
use crate::pool::{self, Seed};
use crate::rng::Rng;
use crate::samples;

/// Constants of one sort that a new term may use, declared where they are not.
pub(crate) const CONSTANTS: usize = 3;
/// Letters of string literals: few, so that strings meet, and digits, so that they are numbers.
const LETTERS: &[u8] = b"ab01";
const RARE_LETTERS: &[u8] = b"-z9A+ ";

/// What new terms are made of.
#[derive(Debug)]
pub(crate) struct Palette {
    seed: Seed,
    pub(crate) classes: Classes,
    /// By sort, by operator, its instances.
    makers: Vec<Vec<Vec<Maker>>>,
    sorts: Vec<Sort>,
    /// Positions of the sorts that have constants.
    with_constants: Vec<usize>,
    /// Operators that may be added.
    pub(crate) allowed: Vec<Op>,
    /// Sorts and functions of the start population.
    pub(crate) declarations: Vec<Command>,
}

/// A term in the making.
struct Growth<'a> {
    rng: &'a mut Rng,
    text: Vec<u8>,
    /// A constant to be used rather than others.
    favour: Option<(usize, &'a str)>,
    /// Constants used: which sort, which number.
    used: Vec<(usize, usize)>,
}

/// A new term: its text, and the constants in it with their sorts.
pub(crate) struct Grown {
    pub(crate) text: Vec<u8>,
    pub(crate) constants: Vec<(String, Sort)>,
}

impl Palette {
    /// From a script that holds everything there is.
    pub(crate) fn new(arena: &mut Arena, script: &[u8]) -> Result<Palette, String> {
        let seed = pool::read(arena, "start", script, None).map_err(|e| e.to_string())?;
        let classes = Classes::read(None, false).map_err(|e| e.to_string())?;
        let expressions = Expressions::new(arena, &seed);
        let makers = makers(arena, &seed, &classes, &expressions);
        let sorts: Vec<Sort> = expressions.sorts.iter().map(|s| s.0).collect();
        let allowed = arena.signatures().ops().map(|(op, _)| op);
        let allowed = allowed.filter(|&op| seed.gate.allows(arena, &classes, op)).collect();
        let genome = Genome::of(arena, seed.script.clone())?;
        let has_constant = |s: &Sort| genome.constants().any(|c| arena.canonical(c.1) == *s);
        let with_constants = (0..sorts.len()).filter(|&i| has_constant(&sorts[i])).collect();
        let functions = genome.declarations.iter().filter(|c| c.constant().is_none());
        let declarations = functions.cloned().collect();
        Ok(Palette { seed, classes, makers, sorts, with_constants, allowed, declarations })
    }

    /// Whether there are constants of a sort.
    pub(crate) fn has_constants(&self, sort: Sort) -> bool {
        self.with_constants.iter().any(|&i| self.sorts[i] == sort)
    }

    /// What the logic of the search allows.
    pub(crate) fn gate(&self) -> &crate::gate::Gate {
        &self.seed.gate
    }

    /// The logic of the search.
    pub(crate) fn logic(&self) -> Option<smelt_smtlib::Symbol> {
        self.seed.script.logic()
    }

    /// A sort for a new constant.
    pub(crate) fn constant_sort(&self, rng: &mut Rng) -> Option<Sort> {
        rng.pick(&self.with_constants).map(|&i| self.sorts[i])
    }

    /// A new assertion; with `favour`, one that speaks of that constant.
    pub(crate) fn assertion(
        &self,
        arena: &Arena,
        rng: &mut Rng,
        favour: Option<(&str, Sort)>,
    ) -> Option<Grown> {
        let root = self.index(Sort::BOOL)?;
        let favour = match favour {
            Some((name, sort)) => Some((self.index(sort)?, name)),
            None => None,
        };
        for _ in 0..8 {
            let depth = 1 + rng.below(3);
            let mut growth = Growth { rng, text: Vec::new(), favour, used: Vec::new() };
            let done = self.grow(arena, &mut growth, root, depth, Wanted::Any);
            let speaks = !growth.used.is_empty() || favour.is_none() && self.with_constants.is_empty();
            let of_it = favour.is_none_or(|(i, _)| growth.used.contains(&(i, usize::MAX)));
            if done.is_some() && speaks && of_it {
                return Some(self.grown(arena, growth));
            }
        }
        None
    }

    fn index(&self, sort: Sort) -> Option<usize> {
        self.sorts.iter().position(|s| *s == sort)
    }

    /// Appends a term of a sort; `None` where nothing makes one.
    fn grow(
        &self,
        arena: &Arena,
        g: &mut Growth<'_>,
        sort: usize,
        depth: usize,
        wanted: Wanted,
    ) -> Option<()> {
        let of = self.sorts[sort];
        if wanted != Wanted::Any {
            let n = 1 + g.rng.below(9);
            let digits = if of == Sort::REAL { format!("{n}.0") } else { n.to_string() };
            g.text.extend_from_slice(digits.as_bytes());
            return Some(());
        }
        // A formula is made of atoms, whatever the depth.
        let is_formula = of == Sort::BOOL && !self.with_constants.contains(&sort);
        if depth == 0 && !is_formula {
            return self.leaf(arena, g, sort);
        }
        let groups = &self.makers[sort];
        let atoms_only = of == Sort::BOOL && (depth <= 1 || !g.rng.one_in(5));
        let has_formula = |m: &Maker| m.args.iter().any(|&a| self.sorts[a as usize] == Sort::BOOL);
        let maker = (0..32).find_map(|_| {
            let maker = g.rng.pick(groups).and_then(|group| g.rng.pick(group))?;
            (!atoms_only || !has_formula(maker)).then_some(maker)
        });
        // Not every solver has languages of strings that are not written out.
        let open = |m: &Maker| m.args.iter().any(|&a| self.sorts[a as usize] == Sort::STRING);
        let Some(maker) = maker.filter(|m| of != Sort::REGLAN || !open(m)) else {
            return self.leaf(arena, g, sort);
        };
        self.apply(arena, g, maker, depth)
    }

    /// Appends a term made by this maker.
    fn apply(&self, arena: &Arena, g: &mut Growth<'_>, maker: &Maker, depth: usize) -> Option<()> {
        g.text.push(b'(');
        g.text.extend_from_slice(&maker.head);
        let last = maker.args.len() - 1;
        for (i, &arg) in maker.args.iter().enumerate() {
            let wanted = maker.wanted(i, last);
            g.text.push(b' ');
            let below = if depth > 0 && g.rng.one_in(2) { depth - 1 } else { 0 };
            self.grow(arena, g, arg as usize, below, wanted)?;
        }
        g.text.push(b')');
        Some(())
    }

    /// For each operator that may be bred, an assertion in which it is the only one of its kind.
    pub(crate) fn probes(&self, arena: &Arena) -> Vec<(Op, Grown)> {
        let mut found: Vec<(Op, Grown)> = Vec::new();
        for (sort, groups) in self.makers.iter().enumerate() {
            for maker in groups.iter().filter_map(|group| group.first()) {
                let Some(op) = maker.op.filter(|op| found.iter().all(|(other, _)| other != op)) else {
                    continue;
                };
                let mut rng = Rng::new(0);
                let mut growth = Growth { rng: &mut rng, text: Vec::new(), favour: None, used: Vec::new() };
                if self.probe(arena, &mut growth, (sort, maker)).is_some() {
                    found.push((op, self.grown(arena, growth)));
                }
            }
        }
        found
    }

    /// Appends an atom about a term made by this maker.
    fn probe(&self, arena: &Arena, g: &mut Growth<'_>, (sort, maker): (usize, &Maker)) -> Option<()> {
        match self.sorts[sort] {
            Sort::BOOL => return self.apply(arena, g, maker, 0),
            Sort::REGLAN => {
                g.text.extend_from_slice(b"(str.in_re ");
                self.leaf(arena, g, self.index(Sort::STRING)?)?;
                g.text.push(b' ');
                self.apply(arena, g, maker, 0)?;
            }
            _ => {
                g.text.extend_from_slice(b"(= ");
                self.apply(arena, g, maker, 0)?;
                g.text.push(b' ');
                self.leaf(arena, g, sort)?;
            }
        }
        g.text.push(b')');
        Some(())
    }

    /// Takes operators out: no new term has them.
    pub(crate) fn leave_out(&mut self, ops: &[Op]) {
        self.allowed.retain(|op| !ops.contains(op));
        for groups in &mut self.makers {
            groups.retain(|group| !group.iter().any(|maker| maker.op.is_some_and(|op| ops.contains(&op))));
        }
    }

    /// What was grown, with the constants that it needs.
    fn grown(&self, arena: &Arena, growth: Growth<'_>) -> Grown {
        let own = |(i, k): (usize, usize)| {
            let sort = self.sorts[i];
            (k != usize::MAX).then(|| (constant_name(arena, sort, k), sort))
        };
        Grown { constants: growth.used.into_iter().filter_map(own).collect(), text: growth.text }
    }

    /// Appends a constant or a literal.
    fn leaf(&self, arena: &Arena, g: &mut Growth<'_>, sort: usize) -> Option<()> {
        let of = self.sorts[sort];
        if let Some((_, name)) = g.favour.filter(|f| f.0 == sort)
            && !g.rng.one_in(3)
        {
            g.text.extend_from_slice(name.as_bytes());
            g.used.push((sort, usize::MAX));
            return Some(());
        }
        if self.with_constants.contains(&sort) && !g.rng.one_in(3) {
            let k = g.rng.below(CONSTANTS);
            g.text.extend_from_slice(constant_name(arena, of, k).as_bytes());
            g.used.push((sort, k));
            return Some(());
        }
        if let Some(text) = literal(arena, of, g.rng) {
            g.text.extend_from_slice(text.as_bytes());
            return Some(());
        }
        if self.with_constants.contains(&sort) {
            g.text.extend_from_slice(constant_name(arena, of, 0).as_bytes());
            g.used.push((sort, 0));
            return Some(());
        }
        None
    }
}

/// A random literal of a sort.
pub(crate) fn literal(arena: &Arena, sort: Sort, rng: &mut Rng) -> Option<String> {
    match sort {
        Sort::STRING => Some(format!("\"{}\"", letters(rng, 8))),
        Sort::REGLAN if rng.one_in(3) => Some("(re.range \"0\" \"9\")".to_owned()),
        Sort::REGLAN => Some(format!("(str.to_re \"{}\")", letters(rng, 4))),
        _ => samples::literal(&samples::sort_sexpr(&arena.display_sort(sort))?, rng),
    }
}

fn letters(rng: &mut Rng, most: usize) -> String {
    let length = rng.below(most);
    let letter = |rng: &mut Rng| {
        let from = if rng.one_in(6) { RARE_LETTERS } else { LETTERS };
        char::from(from[rng.below(from.len())])
    };
    (0..length).map(|_| letter(rng)).collect()
}
