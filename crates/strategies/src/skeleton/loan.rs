//! Formulas of other seeds, prepared for random formulas: terms of the changed seed take the places of their variables.

use smelt_smtlib::{Arena, Op, Sort};

use super::snippet::Snippet;
use crate::generative::{Expressions, Mined};
use crate::pool::Seed;

/// A formula of another seed.
#[derive(Debug)]
struct Loan {
    /// Each piece of text with the sort of the variable behind it.
    pieces: Box<[(Box<[u8]>, Box<str>)]>,
    end: Box<[u8]>,
    ops: Box<[Op]>,
    is_linear: bool,
}

/// The formulas that a seed lends.
#[derive(Debug)]
pub(super) struct Loans(Vec<Loan>);

impl Loans {
    pub(super) fn of(arena: &Arena, seed: &Seed) -> Loans {
        let mined = Mined::new(arena, seed, &Expressions::new(arena, seed));
        let loan = |&i: &u32| {
            let expr = mined.get(i);
            let mut at = expr.text.start as usize;
            let mut pieces: Vec<(Box<[u8]>, Box<str>)> = Vec::new();
            for (hole, sort) in &expr.holes {
                pieces.push((seed.text[at..hole.start as usize].into(), arena.display_sort(*sort).into()));
                at = hole.end as usize;
            }
            let end = seed.text[at..expr.text.end as usize].into();
            Loan { pieces: pieces.into(), end, ops: expr.ops.clone(), is_linear: !expr.nonlinear }
        };
        Loans(mined.of_sort(Sort::BOOL).iter().map(loan).filter(|loan| !loan.pieces.is_empty()).collect())
    }
}

impl Snippet<'_> {
    /// Appends a formula of another seed over terms of this one; `false` if the logic lacks something in it, or nothing fits.
    pub(super) fn borrowed(&mut self, loans: &Loans) -> bool {
        let Some(loan) = self.rng.pick(&loans.0) else { return false };
        let bank = self.bank;
        if !bank.lends(&loan.ops, loan.is_linear) {
            return false;
        }
        self.varies = false;
        for (text, sort) in &loan.pieces {
            self.out.extend_from_slice(text);
            // A variable may be a factor: sums and numbers in its place keep a product linear, but are no difference.
            let filled = bank.number_of(sort).is_some_and(|sort| self.term(sort, 0, !self.varies));
            if !filled {
                return false;
            }
        }
        self.out.extend_from_slice(&loan.end);
        self.varies
    }
}
