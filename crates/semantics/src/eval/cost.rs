//! The cost of operations on large values in steps, so that one step takes about the same time everywhere.

use dashu_base::BitTest;

use super::{Evaluator, Unknown};
use crate::Real;
use crate::value::{Domain, Value};

/// The steps that an operation costs beyond its first, by the size of its arguments or of its result. Small values cost
/// nothing, except that two fractions cost a step.
pub(crate) fn price<'v>(values: impl IntoIterator<Item = &'v Value>) -> u64 {
    let (mut items, mut words, mut fraction) = (0, 0, 0);
    for value in values {
        match value {
            Value::Int(i) => words += i.bit_len() / 64,
            Value::BitVec(b) => words += b.width() as usize / 65,
            Value::Float(f) => words += f.format().width() as usize / 65,
            Value::Real(Real::Rational(r)) => {
                items += 1;
                fraction += (r.numerator().bit_len() + r.denominator().bit_len()) / 64;
            }
            // Sums of powers, and chains of remainders.
            Value::Real(Real::Algebraic(a)) => items += 20 * a.polynomial().degree().pow(3),
            Value::Str(s) => items += s.codes().len() / 8,
            Value::Seq(s) => items += s.len(),
            Value::Set(s) => items += s.len(),
            Value::Function(f) => items += f.entries().len(),
            Value::Array(a) => {
                let listed = if let Domain::Listed(all) = a.domain() { all.len() } else { 0 };
                items += a.exceptions().len() + listed / 16;
            }
            _ => {}
        }
    }
    if items + words + fraction == 0 {
        return 0;
    }
    // Products are made in less than quadratic time, but fractions are reduced in quadratic time.
    let product = words.saturating_mul(4 + words.isqrt()) / 16;
    (items / 2 + product).saturating_add(fraction.saturating_mul(8 + fraction) / 32) as u64
}

impl Evaluator<'_> {
    /// Counts more steps; an error if there are none left.
    pub(super) fn charge(&mut self, steps: u64) -> Result<(), Unknown> {
        self.steps = self.steps.saturating_add(steps);
        if self.steps > self.effort.steps { Err(Unknown::TooLarge) } else { Ok(()) }
    }
}
