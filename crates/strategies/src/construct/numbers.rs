//! Terms with a given value by way of integers and reals.

use smelt_semantics::value::Value;
use smelt_semantics::{BitVec, Float, RoundingMode};

use super::grow::Grower;
use super::operator::op;
use super::sort::Sort;
use super::term::Term;

impl Grower<'_> {
    /// `((_ int_to_bv w) n)`, where n is the value, or differs from it by a multiple of the power.
    pub(super) fn bits_of_number(&mut self, v: &BitVec, depth: u32) -> Option<Term> {
        let width = v.width();
        let bits = Value::BitVec(v.clone());
        let mut number = op!("ubv_to_int").apply(&[&bits], [0; 2]).ok()?;
        // One bit more than the width: the power of two.
        let power = Value::BitVec(BitVec::new(width + 1, 1).rotate_left(width));
        let power = op!("ubv_to_int").apply(&[&power], [0; 2]).ok()?;
        number = match self.rng.below(4) {
            0 => op!("+").apply(&[&number, &power], [0; 2]).ok()?,
            1 => op!("-").apply(&[&number, &power], [0; 2]).ok()?,
            _ => number,
        };
        let n = self.with_value(&number, Sort::Int, depth);
        self.terms.apply(op!("int_to_bv"), [width, 0], &[n]).ok()
    }

    /// `((_ to_fp e s) mode q)`, where q is the value: then every mode gives it.
    pub(super) fn float_of_number(&mut self, v: &Float, depth: u32) -> Option<Term> {
        let format = v.format();
        let number = op!("fp.to_real").apply(&[&Value::Float(v.clone())], [0; 2]).ok()?;
        let (mode, q) = (self.any(Sort::Mode, 0), self.with_value(&number, Sort::Real, depth));
        self.terms.apply(op!("to_fp.real"), [format.eb(), format.sb()], &[mode, q]).ok()
    }

    /// A sum or difference with the value, or a bit-vector or float that is it.
    pub(super) fn number_with(&mut self, value: &Value, sort: Sort, depth: u32) -> Option<Term> {
        let (add, subtract) = match sort {
            Sort::Int => (op!("+"), op!("-")),
            _ => (op!("+.real"), op!("-.real")),
        };
        match self.rng.below(4) {
            0 => {
                let y = self.any(sort, depth.min(1));
                let rest = subtract.apply(&[value, self.terms.value(y)?], [0; 2]).ok()?;
                let x = self.with_value(&rest, sort, depth);
                self.terms.apply(add, [0; 2], &[x, y]).ok()
            }
            1 => {
                let y = self.any(sort, depth.min(1));
                let rest = add.apply(&[value, self.terms.value(y)?], [0; 2]).ok()?;
                let x = self.with_value(&rest, sort, depth);
                self.terms.apply(subtract, [0; 2], &[x, y]).ok()
            }
            _ => self.converted(value, sort, depth),
        }
    }

    /// A conversion to a number; `None` if no bit-vector or float here has the value.
    fn converted(&mut self, value: &Value, sort: Sort, depth: u32) -> Option<Term> {
        let (op, from) = match (sort, value) {
            (Sort::Int, Value::Int(n)) => {
                let width = self.world.width(&mut self.rng)?;
                let op = if self.rng.one_in(2) { op!("ubv_to_int") } else { op!("sbv_to_int") };
                (op, Value::BitVec(BitVec::from_int(width, n).ok()?))
            }
            _ => {
                let format = self.world.format(&mut self.rng)?;
                let mode = Value::RoundingMode(RoundingMode::Rne);
                let float = op!("to_fp.real").apply(&[&mode, value], [format.eb(), format.sb()]).ok()?;
                (op!("fp.to_real"), float)
            }
        };
        // It may have been rounded, or cut off.
        if op.apply(&[&from], [0; 2]).ok().as_ref() != Some(value) {
            return None;
        }
        let x = self.with_value(&from, Sort::of_value(&from)?, depth);
        self.terms.apply(op, [0; 2], &[x]).ok()
    }
}
