//! The operators that formulas are made of: one row each, with the function of values it stands for.
//!
//! Names and sorts are those of the signature table, functions those of the evaluator: tests read scripts with every
//! row back, and have the evaluator agree. A table of its own is needed because millions of terms are made and
//! evaluated here in a second.

use smelt_semantics::value::Value;
use smelt_semantics::{BitVec, Float, Format, Gap, RoundingMode};

use super::sort::{Element, Sort};

/// Up to two indices; unused ones are zero.
pub(crate) type Indices = [u32; 2];

/// The result of an operator; `Gap::Unspecified` where the standard leaves it open.
pub(crate) type Applied = Result<Value, Gap>;

/// Which sorts the arguments and the result have.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Shape {
    /// One formula.
    Not,
    /// Two formulas or more.
    Connective,
    /// Two terms of one sort.
    Equal,
    /// A formula and two terms of one sort.
    Ite,
    Bits1,
    Bits2,
    BitsCompare,
    BitsTest,
    /// Two vectors to one bit.
    Comp,
    Concat,
    Extract,
    Extend,
    Repeat,
    Rotate,
    Float1,
    Float2,
    Rounded1,
    Rounded2,
    Rounded3,
    FloatCompare,
    FloatTest,
    /// Sign, exponent and significand.
    Parts,
    FromBits,
    FromFloat,
    FromInteger,
    ToInteger,
    Select,
    Store,
}

impl Shape {
    /// How many indices are written.
    pub(crate) fn indices(self) -> usize {
        match self {
            Shape::Extract | Shape::FromBits | Shape::FromFloat | Shape::FromInteger => 2,
            Shape::Extend | Shape::Repeat | Shape::Rotate | Shape::ToInteger => 1,
            _ => 0,
        }
    }

    /// The sort of the result; `None` if the arguments do not fit.
    pub(crate) fn result(self, args: &[Sort], indices: Indices) -> Option<Sort> {
        use Sort::{Array, Bits, Bool, Mode};
        let [i, j] = indices;
        Some(match (self, args) {
            (Shape::Not, [Bool]) => Bool,
            (Shape::Connective, [Bool, Bool, ..]) if args.iter().all(|s| *s == Bool) => Bool,
            (Shape::Equal, [a, rest @ ..]) if !rest.is_empty() && rest.iter().all(|s| s == a) => Bool,
            (Shape::Ite, [Bool, a, b]) if a == b => *a,
            (Shape::Bits1 | Shape::Rotate, [Bits(w)]) => Bits(*w),
            (Shape::Bits2, [Bits(w), Bits(v)]) if w == v => Bits(*w),
            (Shape::BitsCompare, [Bits(w), Bits(v)]) if w == v => Bool,
            (Shape::BitsTest, [Bits(_)]) => Bool,
            (Shape::Comp, [Bits(w), Bits(v)]) if w == v => Bits(1),
            (Shape::Concat, [Bits(w), Bits(v)]) => Bits(w.checked_add(*v)?),
            (Shape::Extract, [Bits(w)]) if j <= i && i < *w => Bits(i - j + 1),
            (Shape::Extend, [Bits(w)]) => Bits(w.checked_add(i)?),
            (Shape::Repeat, [Bits(w)]) if i > 0 => Bits(w.checked_mul(i)?),
            (Shape::Float1, [Sort::Float(f)]) => Sort::Float(*f),
            (Shape::Float2, [Sort::Float(f), Sort::Float(g)]) if f == g => Sort::Float(*f),
            (Shape::Rounded1, [Mode, Sort::Float(f)]) => Sort::Float(*f),
            (Shape::Rounded2, [Mode, Sort::Float(f), Sort::Float(g)]) if f == g => Sort::Float(*f),
            (Shape::Rounded3, [Mode, a @ Sort::Float(_), b, c]) if a == b && b == c => *a,
            (Shape::FloatCompare, [Sort::Float(f), Sort::Float(g)]) if f == g => Bool,
            (Shape::FloatTest, [Sort::Float(_)]) => Bool,
            (Shape::Parts, [Bits(1), Bits(e), Bits(s)]) => Sort::Float(Format::new(*e, s.checked_add(1)?)?),
            (Shape::FromBits, [Bits(w)]) if *w == i.checked_add(j)? => Sort::Float(Format::new(i, j)?),
            (Shape::FromFloat, [Mode, Sort::Float(_)]) | (Shape::FromInteger, [Mode, Bits(_)]) => {
                Sort::Float(Format::new(i, j)?)
            }
            (Shape::ToInteger, [Mode, Sort::Float(_)]) if i > 0 => Bits(i),
            (Shape::Select, [Array(w, e), Bits(v)]) if w == v => (*e).into(),
            (Shape::Store, [Array(w, e), Bits(v), x]) if w == v && Sort::from(*e) == *x => Array(*w, *e),
            _ => return None,
        })
    }
}

/// A row.
pub(crate) struct Operator {
    /// Its name among the rows; overloads differ.
    pub(crate) key: &'static str,
    /// Its name in scripts.
    pub(crate) name: &'static str,
    pub(crate) shape: Shape,
    /// Whether the standard leaves the result open for some arguments.
    pub(crate) open: bool,
    /// Whether it is new in SMT-LIB 2.7.
    pub(crate) recent: bool,
    pub(crate) apply: fn(&[&Value], Indices) -> Applied,
}

const fn row(name: &'static str, shape: Shape, apply: fn(&[&Value], Indices) -> Applied) -> Operator {
    Operator { key: name, name, shape, open: false, recent: false, apply }
}

const fn overload(
    key: &'static str,
    name: &'static str,
    shape: Shape,
    apply: fn(&[&Value], Indices) -> Applied,
) -> Operator {
    Operator { key, name, shape, open: false, recent: false, apply }
}

const fn open(row: Operator) -> Operator {
    Operator { open: true, ..row }
}

const fn recent(row: Operator) -> Operator {
    Operator { recent: true, ..row }
}

/// Shapes see to it that arguments have these sorts.
const SORTED: &str = "arguments have the sorts of the shape";

fn truth(a: &[&Value], i: usize) -> bool {
    a[i].as_bool().expect(SORTED)
}

pub(super) fn bits<'a>(a: &[&'a Value], i: usize) -> &'a BitVec {
    a[i].as_bitvec().expect(SORTED)
}

pub(super) fn float<'a>(a: &[&'a Value], i: usize) -> &'a Float {
    a[i].as_float().expect(SORTED)
}

pub(super) fn mode(a: &[&Value], i: usize) -> RoundingMode {
    *a[i].as_rounding_mode().expect(SORTED)
}

fn format([e, s]: Indices) -> Result<Format, Gap> {
    Format::new(e, s).ok_or(Gap::TooLarge)
}

macro_rules! bits1 {
    ($f:ident) => {
        |a, _| Ok(Value::BitVec(bits(a, 0).$f()))
    };
}
macro_rules! bits2 {
    ($f:ident) => {
        |a, _| Ok(Value::BitVec(bits(a, 0).$f(bits(a, 1))))
    };
}
macro_rules! compare {
    ($get:ident, $f:ident) => {
        |a, _| Ok(Value::Bool($get(a, 0).$f($get(a, 1))))
    };
    ($get:ident, $f:ident, swapped) => {
        |a, _| Ok(Value::Bool($get(a, 1).$f($get(a, 0))))
    };
}
macro_rules! test {
    ($get:ident, $f:ident) => {
        |a, _| Ok(Value::Bool($get(a, 0).$f()))
    };
}
macro_rules! rounded {
    ($f:ident) => {
        |a, _| Ok(Value::Float(float(a, 1).$f(mode(a, 0), float(a, 2))))
    };
}

/// Every operator.
pub(crate) static OPERATORS: &[Operator] = &[
    row("not", Shape::Not, |a, _| Ok(Value::Bool(!truth(a, 0)))),
    row("and", Shape::Connective, |a, _| Ok(Value::Bool((0..a.len()).all(|i| truth(a, i))))),
    row("or", Shape::Connective, |a, _| Ok(Value::Bool((0..a.len()).any(|i| truth(a, i))))),
    row("xor", Shape::Connective, |a, _| Ok(Value::Bool((0..a.len()).fold(false, |x, i| x ^ truth(a, i))))),
    row("=>", Shape::Connective, |a, _| {
        let last = a.len() - 1;
        Ok(Value::Bool((0..last).any(|i| !truth(a, i)) || truth(a, last)))
    }),
    row("=", Shape::Equal, |a, _| Ok(Value::Bool(a.windows(2).all(|w| w[0] == w[1])))),
    row("distinct", Shape::Equal, |a, _| {
        Ok(Value::Bool((1..a.len()).all(|i| a[..i].iter().all(|v| *v != a[i]))))
    }),
    row("ite", Shape::Ite, |a, _| Ok(if truth(a, 0) { a[1] } else { a[2] }.clone())),
    // Bit-vectors.
    row("concat", Shape::Concat, |a, _| bits(a, 0).concat(bits(a, 1)).map(Value::BitVec)),
    row("extract", Shape::Extract, |a, [i, j]| {
        bits(a, 0).extract(i, j).map(Value::BitVec).ok_or(Gap::TooLarge)
    }),
    row("zero_extend", Shape::Extend, |a, [i, _]| bits(a, 0).zero_extend(i).map(Value::BitVec)),
    row("sign_extend", Shape::Extend, |a, [i, _]| bits(a, 0).sign_extend(i).map(Value::BitVec)),
    row("repeat", Shape::Repeat, |a, [i, _]| bits(a, 0).repeat(i).map(Value::BitVec)),
    row("rotate_left", Shape::Rotate, |a, [i, _]| Ok(Value::BitVec(bits(a, 0).rotate_left(i)))),
    row("rotate_right", Shape::Rotate, |a, [i, _]| Ok(Value::BitVec(bits(a, 0).rotate_right(i)))),
    row("bvnot", Shape::Bits1, bits1!(bvnot)),
    row("bvneg", Shape::Bits1, bits1!(bvneg)),
    row("bvand", Shape::Bits2, bits2!(bvand)),
    row("bvor", Shape::Bits2, bits2!(bvor)),
    row("bvxor", Shape::Bits2, bits2!(bvxor)),
    row("bvnand", Shape::Bits2, bits2!(bvnand)),
    row("bvnor", Shape::Bits2, bits2!(bvnor)),
    row("bvxnor", Shape::Bits2, bits2!(bvxnor)),
    row("bvadd", Shape::Bits2, bits2!(bvadd)),
    row("bvsub", Shape::Bits2, bits2!(bvsub)),
    row("bvmul", Shape::Bits2, bits2!(bvmul)),
    row("bvudiv", Shape::Bits2, bits2!(bvudiv)),
    row("bvurem", Shape::Bits2, bits2!(bvurem)),
    row("bvsdiv", Shape::Bits2, bits2!(bvsdiv)),
    row("bvsrem", Shape::Bits2, bits2!(bvsrem)),
    row("bvsmod", Shape::Bits2, bits2!(bvsmod)),
    row("bvshl", Shape::Bits2, bits2!(bvshl)),
    row("bvlshr", Shape::Bits2, bits2!(bvlshr)),
    row("bvashr", Shape::Bits2, bits2!(bvashr)),
    row("bvcomp", Shape::Comp, bits2!(bvcomp)),
    row("bvult", Shape::BitsCompare, compare!(bits, bvult)),
    row("bvule", Shape::BitsCompare, compare!(bits, bvule)),
    row("bvugt", Shape::BitsCompare, compare!(bits, bvult, swapped)),
    row("bvuge", Shape::BitsCompare, compare!(bits, bvule, swapped)),
    row("bvslt", Shape::BitsCompare, compare!(bits, bvslt)),
    row("bvsle", Shape::BitsCompare, compare!(bits, bvsle)),
    row("bvsgt", Shape::BitsCompare, compare!(bits, bvslt, swapped)),
    row("bvsge", Shape::BitsCompare, compare!(bits, bvsle, swapped)),
    recent(row("bvnego", Shape::BitsTest, test!(bits, bvnego))),
    recent(row("bvuaddo", Shape::BitsCompare, compare!(bits, bvuaddo))),
    recent(row("bvsaddo", Shape::BitsCompare, compare!(bits, bvsaddo))),
    recent(row("bvumulo", Shape::BitsCompare, compare!(bits, bvumulo))),
    recent(row("bvsmulo", Shape::BitsCompare, compare!(bits, bvsmulo))),
    recent(row("bvusubo", Shape::BitsCompare, compare!(bits, bvusubo))),
    recent(row("bvssubo", Shape::BitsCompare, compare!(bits, bvssubo))),
    recent(row("bvsdivo", Shape::BitsCompare, compare!(bits, bvsdivo))),
    // Floating point.
    row("fp.abs", Shape::Float1, |a, _| Ok(Value::Float(float(a, 0).abs()))),
    row("fp.neg", Shape::Float1, |a, _| Ok(Value::Float(float(a, 0).neg()))),
    row("fp.add", Shape::Rounded2, rounded!(add)),
    row("fp.sub", Shape::Rounded2, rounded!(sub)),
    row("fp.mul", Shape::Rounded2, rounded!(mul)),
    row("fp.div", Shape::Rounded2, rounded!(div)),
    row("fp.fma", Shape::Rounded3, |a, _| {
        Ok(Value::Float(float(a, 1).fma(mode(a, 0), float(a, 2), float(a, 3))))
    }),
    row("fp.sqrt", Shape::Rounded1, |a, _| Ok(Value::Float(float(a, 1).sqrt(mode(a, 0))))),
    row("fp.roundToIntegral", Shape::Rounded1, |a, _| {
        Ok(Value::Float(float(a, 1).round_to_integral(mode(a, 0))))
    }),
    row("fp.rem", Shape::Float2, |a, _| Ok(Value::Float(float(a, 0).rem(float(a, 1))))),
    open(row("fp.min", Shape::Float2, |a, _| float(a, 0).minimum(float(a, 1)).map(Value::Float))),
    open(row("fp.max", Shape::Float2, |a, _| float(a, 0).maximum(float(a, 1)).map(Value::Float))),
    row("fp.leq", Shape::FloatCompare, compare!(float, ieee_le)),
    row("fp.lt", Shape::FloatCompare, compare!(float, ieee_lt)),
    row("fp.geq", Shape::FloatCompare, compare!(float, ieee_le, swapped)),
    row("fp.gt", Shape::FloatCompare, compare!(float, ieee_lt, swapped)),
    row("fp.eq", Shape::FloatCompare, compare!(float, ieee_eq)),
    row("fp.isNormal", Shape::FloatTest, test!(float, is_normal)),
    row("fp.isSubnormal", Shape::FloatTest, test!(float, is_subnormal)),
    row("fp.isZero", Shape::FloatTest, test!(float, is_zero)),
    row("fp.isInfinite", Shape::FloatTest, test!(float, is_infinite)),
    row("fp.isNaN", Shape::FloatTest, test!(float, is_nan)),
    row("fp.isNegative", Shape::FloatTest, test!(float, is_negative)),
    row("fp.isPositive", Shape::FloatTest, test!(float, is_positive)),
    row("fp", Shape::Parts, |a, _| {
        Float::from_parts(bits(a, 0), bits(a, 1), bits(a, 2)).map(Value::Float).ok_or(Gap::TooLarge)
    }),
    overload("to_fp.bits", "to_fp", Shape::FromBits, |a, i| {
        Float::from_ieee(format(i)?, bits(a, 0)).map(Value::Float).ok_or(Gap::TooLarge)
    }),
    overload("to_fp.float", "to_fp", Shape::FromFloat, |a, i| {
        Ok(Value::Float(float(a, 1).to_format(format(i)?, mode(a, 0))))
    }),
    overload("to_fp.signed", "to_fp", Shape::FromInteger, |a, i| {
        Ok(Value::Float(Float::from_signed(format(i)?, mode(a, 0), bits(a, 1))))
    }),
    row("to_fp_unsigned", Shape::FromInteger, |a, i| {
        Ok(Value::Float(Float::from_unsigned(format(i)?, mode(a, 0), bits(a, 1))))
    }),
    open(row("fp.to_ubv", Shape::ToInteger, |a, [i, _]| {
        float(a, 1).to_unsigned(mode(a, 0), i).map(Value::BitVec)
    })),
    open(row("fp.to_sbv", Shape::ToInteger, |a, [i, _]| {
        float(a, 1).to_signed(mode(a, 0), i).map(Value::BitVec)
    })),
    // Arrays.
    row("select", Shape::Select, |a, _| Ok(a[0].as_array().expect(SORTED).select(a[1]).clone())),
    row("store", Shape::Store, |a, _| {
        a[0].as_array().expect(SORTED).clone().store(a[1].clone(), a[2].clone()).map(Value::Array)
    }),
];

/// The number of a row.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(crate) struct Op(u8);

impl Op {
    /// The row of a key that stands in the code: see [`op`].
    pub(crate) const fn of(key: &str) -> Op {
        let mut i = 0;
        while i < OPERATORS.len() {
            if same(OPERATORS[i].key.as_bytes(), key.as_bytes()) {
                return Op(i as u8);
            }
            i += 1;
        }
        panic!("there is no such operator")
    }

    /// Every operator.
    pub(crate) fn all() -> impl Iterator<Item = Op> {
        (0..OPERATORS.len()).map(|i| Op(i as u8))
    }

    pub(crate) fn row(self) -> &'static Operator {
        &OPERATORS[self.index()]
    }

    pub(crate) fn index(self) -> usize {
        self.0 as usize
    }
}

/// An operator by its key, found when smelt is compiled.
macro_rules! op {
    ($key:literal) => {
        const { $crate::construct::operator::Op::of($key) }
    };
}
pub(crate) use op;

const fn same(a: &[u8], b: &[u8]) -> bool {
    if a.len() != b.len() {
        return false;
    }
    let mut i = 0;
    while i < a.len() {
        if a[i] != b[i] {
            return false;
        }
        i += 1;
    }
    true
}

impl std::ops::Deref for Op {
    type Target = Operator;

    fn deref(&self) -> &Operator {
        self.row()
    }
}

/// The element of a sort, if arrays of it are made.
pub(crate) fn element(sort: Sort) -> Option<Element> {
    match sort {
        Sort::Bits(w) => Some(Element::Bits(w)),
        Sort::Float(f) => Some(Element::Float(f)),
        _ => None,
    }
}
