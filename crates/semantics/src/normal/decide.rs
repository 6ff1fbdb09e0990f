//! Checks whether a script is decided without any theory reasoning.

use std::collections::HashSet;

use smelt_smtlib::script::Command;
use smelt_smtlib::{Arena, Sort, Symbol};

use super::node::{Head, Normal, Normals, Table};
use crate::goal::Goal;

/// What simplification alone says of assertions.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Decided {
    /// All of them are true, or can be made true one by one by the values of constants.
    True,
    /// One of them is false, or two contradict each other.
    False,
    /// Neither.
    Open,
}

/// How often values are put in for constants.
const ROUNDS: usize = 8;

/// Whether the assertions of a goal are decided by the laws of normal forms and by putting in, for constants, what
/// equations say they are.
pub fn decided(arena: &Arena, normals: &mut Normals, goal: &Goal) -> Decided {
    let free = free_constants(goal);
    let parts: Vec<Normal> = goal.assertions.iter().map(|a| normals.of(arena, *a)).collect();
    normals.restart();
    let mut all = normals.and(parts);
    for _ in 0..ROUNDS {
        if all.truth().is_some() {
            break;
        }
        let known = normals.known(arena, &free, all);
        if known.is_empty() {
            break;
        }
        let mut new = known;
        let parts: Vec<Normal> = normals.conjuncts(all);
        let parts: Vec<Normal> =
            parts.into_iter().map(|part| normals.replaced(arena, part, &mut new)).collect();
        all = normals.and(parts);
    }
    match all.truth() {
        Some(true) => Decided::True,
        Some(false) => Decided::False,
        None => Decided::Open,
    }
}

/// The constants that a goal declares and does not define.
fn free_constants(goal: &Goal) -> HashSet<Symbol> {
    let constant = |c: &Command| match c {
        Command::DeclareConst(name, _) => Some(*name),
        Command::DeclareFun(name, args, _) if args.is_empty() => Some(*name),
        _ => None,
    };
    let mut free: HashSet<Symbol> = goal.context.commands.iter().filter_map(constant).collect();
    for c in goal.context.commands.iter().filter(|c| constant(c).is_none()) {
        c.declared().iter().for_each(|name| {
            free.remove(name);
        });
    }
    free
}

impl Normals {
    /// All of these hold.
    pub fn conjunction(&mut self, parts: impl IntoIterator<Item = Normal>) -> Normal {
        self.and(parts)
    }

    pub(super) fn conjuncts(&self, all: Normal) -> Vec<Normal> {
        if matches!(self.head(all), Head::And) { self.args(all).to_vec() } else { vec![all] }
    }

    /// Whether a form is a constant that may have any value.
    fn is_constant(&self, arena: &Arena, free: &HashSet<Symbol>, n: Normal) -> bool {
        let Head::Fun(fun) = *self.head(n) else { return false };
        let f = arena.fun_view(fun);
        self.args(n).is_empty() && f.op.is_none() && f.indices.is_empty() && free.contains(&f.name)
    }

    /// What conjuncts say constants are: the truth value of a conjunct that is a constant or the negation of one, and
    /// the other side of an equation. Values go first; else it is one equation at a time.
    fn known(&mut self, arena: &Arena, free: &HashSet<Symbol>, all: Normal) -> Table<Normal, Normal> {
        let (mut known, mut equation) = (Table::default(), None);
        for part in self.conjuncts(all) {
            let (atom, value) = match self.negated(part) {
                Some(atom) => (atom, Normal::FALSE),
                None => (part, Normal::TRUE),
            };
            if self.is_constant(arena, free, atom) {
                known.insert(atom, value);
            } else if value == Normal::TRUE
                && let Some((constant, other)) = self.solved(arena, free, atom)
            {
                if self.value(other).is_some() {
                    known.entry(constant).or_insert(other);
                } else if equation.is_none() {
                    equation = Some((constant, other));
                }
            }
        }
        if known.is_empty() {
            known.extend(equation);
        }
        known
    }

    /// A constant of an equation, and what it equals, if that does not depend on it.
    fn solved(
        &mut self,
        arena: &Arena,
        free: &HashSet<Symbol>,
        equation: Normal,
    ) -> Option<(Normal, Normal)> {
        match (self.head(equation), self.args(equation)) {
            (Head::Equal, &[a, b]) => [(a, b), (b, a)]
                .into_iter()
                .find(|(x, other)| self.is_constant(arena, free, *x) && !self.contains(*other, *x)),
            (Head::Zero, &[sum]) => {
                let x = self.isolated(sum).into_iter().find(|x| {
                    let others = self.args(sum).iter().filter(|a| *a != x);
                    // An integer equals no sum of reals everywhere.
                    let fits = |a: &Normal| self.sort(*x) != Sort::INT || self.sort(*a) == Sort::INT;
                    self.is_constant(arena, free, *x)
                        && others.into_iter().all(|a| fits(a) && !self.contains(*a, *x))
                })?;
                let other = self.rest(arena, sum, x);
                Some((x, other))
            }
            _ => None,
        }
    }

    /// Whether a form stands in another.
    fn contains(&self, n: Normal, part: Normal) -> bool {
        let (mut work, mut seen) = (vec![n], Table::default());
        while let Some(n) = work.pop() {
            if n == part {
                return true;
            }
            // Parts are made before what they stand in.
            if n > part && seen.insert(n, ()).is_none() {
                work.extend_from_slice(self.args(n));
            }
        }
        false
    }
}
