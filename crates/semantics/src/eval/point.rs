//! Choices: values for places where neither the standard nor the script says which.
//!
//! The standard leaves some results open, and a function without a definition may be anything. A solver chooses a value
//! for such a place when evaluation meets it; the same place then always has that value, so choices are functions.

use smelt_smtlib::{Sort, Symbol};

use super::{Evaluator, Interpretation};
use crate::value::Value;

/// An operator or function at some arguments.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct Point {
    /// Its name.
    pub name: Symbol,
    /// The sort of the result, which tells apart what indices tell apart; unknown for functions of the script.
    pub sort: Sort,
    /// The arguments.
    pub args: Vec<Value>,
}

impl Interpretation {
    /// Chooses a value at a point.
    pub fn choose(&mut self, point: Point, value: Value) {
        self.choices.insert(point, value);
    }

    /// Takes a choice back.
    pub fn unchoose(&mut self, point: &Point) {
        self.choices.remove(point);
    }

    /// All choices, in a fixed order.
    pub fn choices(&self) -> Vec<(&Point, &Value)> {
        let mut all: Vec<_> = self.choices.iter().collect();
        all.sort();
        all
    }
}

impl Evaluator<'_> {
    /// The first point that was asked for and has no value, if any.
    pub fn open_point(&self) -> Option<&Point> {
        self.open.as_ref()
    }

    /// What was chosen at a point; the first point without a choice is remembered.
    pub(super) fn chosen(&mut self, name: Symbol, sort: Sort, args: &[Value]) -> Option<Value> {
        let point = Point { name, sort, args: args.to_vec() };
        let value = self.interpretation.choices.get(&point).cloned();
        if value.is_none() && self.open.is_none() {
            self.open = Some(point);
        }
        value
    }
}
