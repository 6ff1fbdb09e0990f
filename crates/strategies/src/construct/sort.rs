//! The sorts that formulas are made of.

use smelt_semantics::value::Value;
use smelt_semantics::{BitVec, Float, Format, RoundingMode};
use smelt_smtlib::signature::{Bindings, SortPattern};

use super::term::write_number;

/// A sort.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) enum Sort {
    Bool,
    Mode,
    Bits(u32),
    Float(Format),
    /// From bit-vectors of a width.
    Array(u32, Element),
}

/// A sort of array elements.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) enum Element {
    Bits(u32),
    Float(Format),
}

impl From<Element> for Sort {
    fn from(e: Element) -> Sort {
        match e {
            Element::Bits(w) => Sort::Bits(w),
            Element::Float(f) => Sort::Float(f),
        }
    }
}

/// What the variables of a row of the signature table, or of a law, stand for.
#[derive(Clone, Copy, Default, Debug)]
pub(crate) struct Binding {
    /// Of these, numbers only.
    pub(crate) numbers: Bindings,
    pub(crate) sorts: [Option<Sort>; 4],
}

impl Sort {
    /// Whether it has the form of a pattern; binds variables that are still free.
    pub(crate) fn fits(self, pattern: &SortPattern, b: &mut Binding) -> bool {
        match (pattern, self) {
            (SortPattern::Exact(s), Sort::Bool) => *s == smelt_smtlib::Sort::BOOL,
            (SortPattern::Exact(s), Sort::Mode) => *s == smelt_smtlib::Sort::ROUNDING_MODE,
            (SortPattern::Var(v), sort) => *b.sorts[*v as usize].get_or_insert(sort) == sort,
            (SortPattern::BitVec(w), Sort::Bits(v)) => w.accept(v, &mut b.numbers),
            (SortPattern::Float(e, s), Sort::Float(f)) => {
                e.accept(f.eb(), &mut b.numbers) && s.accept(f.sb(), &mut b.numbers)
            }
            (SortPattern::Constructor(_, args), Sort::Array(w, e)) => {
                Sort::Bits(w).fits(&args[0], b) && Sort::from(e).fits(&args[1], b)
            }
            _ => false,
        }
    }

    /// The sort that a pattern stands for; `None` if a variable is free, or no sort of formulas here has that form.
    pub(crate) fn of(pattern: &SortPattern, b: &Binding) -> Option<Sort> {
        Some(match pattern {
            SortPattern::Exact(smelt_smtlib::Sort::BOOL) => Sort::Bool,
            SortPattern::Exact(smelt_smtlib::Sort::ROUNDING_MODE) => Sort::Mode,
            SortPattern::Exact(_) => return None,
            SortPattern::Var(v) => b.sorts[*v as usize]?,
            SortPattern::BitVec(w) => Sort::Bits(w.value(&b.numbers).filter(|w| *w > 0)?),
            SortPattern::Float(e, s) => Sort::Float(Format::new(e.value(&b.numbers)?, s.value(&b.numbers)?)?),
            SortPattern::Constructor(_, args) => match (Sort::of(&args[0], b)?, Sort::of(&args[1], b)?) {
                (Sort::Bits(w), element) => Sort::Array(w, super::operator::element(element)?),
                _ => return None,
            },
        })
    }

    /// The sort of a value that is not an array.
    pub(crate) fn of_value(value: &Value) -> Option<Sort> {
        Some(match value {
            Value::Bool(_) => Sort::Bool,
            Value::RoundingMode(_) => Sort::Mode,
            Value::BitVec(b) => Sort::Bits(b.width()),
            Value::Float(f) => Sort::Float(f.format()),
            _ => return None,
        })
    }

    /// As SMT-LIB writes it.
    pub(crate) fn write(self, out: &mut Vec<u8>) {
        match self {
            Sort::Bool => out.extend_from_slice(b"Bool"),
            Sort::Mode => out.extend_from_slice(b"RoundingMode"),
            Sort::Bits(w) => {
                out.extend_from_slice(b"(_ BitVec ");
                write_number(w, out);
                out.push(b')');
            }
            Sort::Float(f) => {
                out.extend_from_slice(b"(_ FloatingPoint ");
                write_number(f.eb(), out);
                out.push(b' ');
                write_number(f.sb(), out);
                out.push(b')');
            }
            Sort::Array(w, e) => {
                out.extend_from_slice(b"(Array ");
                Sort::Bits(w).write(out);
                out.push(b' ');
                Sort::from(e).write(out);
                out.push(b')');
            }
        }
    }

    /// The letter that names of its variables start with.
    pub(crate) fn letter(self) -> char {
        match self {
            Sort::Bool => 'p',
            Sort::Mode => 'r',
            Sort::Bits(_) => 'x',
            Sort::Float(_) => 'y',
            Sort::Array(..) => 'a',
        }
    }

    /// How many values it has, where that is below two to the 32.
    pub(crate) fn count(self) -> Option<u64> {
        match self {
            Sort::Bool => Some(2),
            Sort::Mode => Some(5),
            Sort::Bits(w) if w < 32 => Some(1 << w),
            // One of the values with the top exponent field is not a number, two are infinities.
            Sort::Float(f) if f.width() < 32 => {
                Some((1u64 << f.width()) - (1u64 << f.sb()) + 3).filter(|_| f.sb() > 1)
            }
            _ => None,
        }
    }

    /// Value number `n` of a sort that has a count.
    pub(crate) fn value(self, n: u64) -> Option<Value> {
        Some(match self {
            Sort::Bool => Value::Bool(n == 1),
            Sort::Mode => Value::RoundingMode(RoundingMode::ALL.get(n as usize)?.0),
            Sort::Bits(w) => Value::BitVec(BitVec::new(w, n)),
            Sort::Float(f) => {
                let stored = f.sb() - 1;
                let finite = ((1u64 << f.eb()) - 1) << stored;
                // Positive finite and infinity, then the same negative, then not a number.
                let half = finite + 1;
                match n {
                    n if n < half => Value::Float(Float::from_ieee(f, &BitVec::new(f.width(), n))?),
                    n if n < 2 * half => {
                        Value::Float(Float::from_ieee(f, &BitVec::new(f.width(), n - half))?.neg())
                    }
                    _ => Value::Float(Float::nan(f)),
                }
            }
            Sort::Array(..) => return None,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn small_sorts_are_listed_without_repetition() {
        let format = |e, s| Sort::Float(Format::new(e, s).unwrap());
        for sort in [Sort::Bool, Sort::Mode, Sort::Bits(3), format(2, 3), format(3, 2), format(3, 4)] {
            let count = sort.count().unwrap();
            let all: std::collections::BTreeSet<Value> = (0..count).map(|n| sort.value(n).unwrap()).collect();
            assert_eq!(all.len() as u64, count, "{sort:?}");
        }
    }
}
