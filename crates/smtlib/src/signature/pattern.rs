//! Patterns over sorts and indices: the arguments and the result of a row of the signature table.

use crate::arena::{Sort, Symbol};

/// A sort with variables.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum SortPattern {
    /// This sort.
    Exact(Sort),
    /// A sort variable (`:par`).
    Var(u8),
    /// `(_ BitVec n)`
    BitVec(NumberPattern),
    /// `(_ FloatingPoint eb sb)`
    Float(NumberPattern, NumberPattern),
    /// A constructor over patterns.
    Constructor(Symbol, Box<[SortPattern]>),
}

/// A number with variables.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum NumberPattern {
    /// This number.
    Exact(u32),
    /// A number variable.
    Var(u8),
    /// A value computed from variables; in results and conditions only.
    Sum(Box<NumberPattern>, Box<NumberPattern>),
    /// A difference; no value when negative.
    Difference(Box<NumberPattern>, Box<NumberPattern>),
    /// A product.
    Product(Box<NumberPattern>, Box<NumberPattern>),
}

/// A side condition on numbers.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Condition {
    Less(NumberPattern, NumberPattern),
    AtMost(NumberPattern, NumberPattern),
    Equal(NumberPattern, NumberPattern),
    And(Box<[Condition]>),
}

/// Most variables any row has.
pub(crate) const MAX_VARS: usize = 8;

/// Values of a row's variables.
#[derive(Clone, Copy, Debug)]
pub struct Bindings {
    /// Sorts by variable; [`Sort::UNKNOWN`] is unbound.
    pub sorts: [Sort; MAX_VARS],
    /// Numbers by variable.
    pub numbers: [Option<u32>; MAX_VARS],
}

impl Default for Bindings {
    fn default() -> Self {
        Bindings { sorts: [Sort::UNKNOWN; MAX_VARS], numbers: [None; MAX_VARS] }
    }
}

impl NumberPattern {
    /// The value under bindings.
    pub fn value(&self, b: &Bindings) -> Option<u32> {
        match self {
            NumberPattern::Exact(n) => Some(*n),
            NumberPattern::Var(v) => b.numbers[*v as usize],
            NumberPattern::Sum(x, y) => x.value(b)?.checked_add(y.value(b)?),
            NumberPattern::Difference(x, y) => x.value(b)?.checked_sub(y.value(b)?),
            NumberPattern::Product(x, y) => x.value(b)?.checked_mul(y.value(b)?),
        }
    }

    /// Binds a variable, or checks a value.
    #[inline]
    pub(crate) fn accept(&self, n: u32, b: &mut Bindings) -> bool {
        match self {
            NumberPattern::Exact(m) => n == *m,
            NumberPattern::Var(v) => match &mut b.numbers[*v as usize] {
                Some(m) => *m == n,
                free => {
                    *free = Some(n);
                    true
                }
            },
            _ => self.value(b) == Some(n),
        }
    }
}

impl Condition {
    pub(crate) fn holds(&self, b: &Bindings) -> bool {
        let both = |x: &NumberPattern, y: &NumberPattern| Some((x.value(b)?, y.value(b)?));
        match self {
            Condition::Less(x, y) => both(x, y).is_some_and(|(x, y)| x < y),
            Condition::AtMost(x, y) => both(x, y).is_some_and(|(x, y)| x <= y),
            Condition::Equal(x, y) => both(x, y).is_some_and(|(x, y)| x == y),
            Condition::And(all) => all.iter().all(|c| c.holds(b)),
        }
    }
}
