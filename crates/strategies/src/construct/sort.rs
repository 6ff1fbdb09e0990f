//! The sorts that formulas are made of.

use smelt_semantics::Format;
use smelt_semantics::eval::{bitvec_values, float_values};
use smelt_semantics::value::Value;
use smelt_smtlib::signature::{Bindings, SortPattern};

use super::term::write_number;

/// A sort.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) enum Sort {
    Bool,
    Mode,
    Bits(u32),
    Float(Format),
    /// Integers and reals, which conversions lead to and from.
    Int,
    Real,
    /// An array whose indices are bit-vectors of a width.
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
    /// Its `sorts` are not used here.
    pub(crate) numbers: Bindings,
    pub(crate) sorts: [Option<Sort>; 4],
}

impl Sort {
    /// Whether it has the form of a pattern; binds variables that are still free.
    pub(crate) fn fits(self, pattern: &SortPattern, b: &mut Binding) -> bool {
        match (pattern, self) {
            (SortPattern::Exact(s), Sort::Bool) => *s == smelt_smtlib::Sort::BOOL,
            (SortPattern::Exact(s), Sort::Mode) => *s == smelt_smtlib::Sort::ROUNDING_MODE,
            (SortPattern::Exact(s), Sort::Int) => *s == smelt_smtlib::Sort::INT,
            (SortPattern::Exact(s), Sort::Real) => *s == smelt_smtlib::Sort::REAL,
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
            SortPattern::Exact(smelt_smtlib::Sort::INT) => Sort::Int,
            SortPattern::Exact(smelt_smtlib::Sort::REAL) => Sort::Real,
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
            Value::Int(_) => Sort::Int,
            Value::Real(_) => Sort::Real,
            _ => return None,
        })
    }

    /// As SMT-LIB writes it.
    pub(crate) fn write(self, out: &mut Vec<u8>) {
        match self {
            Sort::Bool => out.extend_from_slice(b"Bool"),
            Sort::Mode => out.extend_from_slice(b"RoundingMode"),
            Sort::Int => out.extend_from_slice(b"Int"),
            Sort::Real => out.extend_from_slice(b"Real"),
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
            Sort::Int => 'n',
            Sort::Real => 'q',
            Sort::Array(..) => 'a',
        }
    }

    /// All its values, if there are at most `limit`; `None` for sorts other than bit-vectors and floats.
    pub(crate) fn values(self, limit: usize) -> Option<Vec<Value>> {
        match self {
            Sort::Bits(w) => bitvec_values(w, limit),
            Sort::Float(f) => float_values(f, limit),
            _ => None,
        }
    }
}
