//! The properties of each operator, and the laws of theories.

use std::sync::LazyLock;

use smelt_smtlib::signature::{Associativity, Signatures};
use smelt_smtlib::{Arena, Fun, Index, Op, Sort};

use super::node::{Head, Normal, Normals};
use crate::BitVec;
use crate::eval::Function;
use crate::number::Rational;
use crate::value::Value;

/// What is known of an operator.
pub(super) struct Law {
    /// Its function of values.
    pub(super) function: Option<Function>,
    /// How many arguments are declared.
    pub(super) arity: usize,
    /// Whether more arguments are taken from the left, or in pairs that all must hold.
    pub(super) left: bool,
    pub(super) chained: bool,
    pub(super) name: Box<str>,
    theory: Box<str>,
}

/// By row of the built-in table.
static LAWS: LazyLock<Vec<Law>> = LazyLock::new(|| {
    let signatures = Signatures::builtin();
    let arena = signatures.arena();
    let law = |(op, row): (Op, &smelt_smtlib::signature::Row)| Law {
        function: Function::of(op),
        arity: row.args.len(),
        left: row.associativity == Associativity::Left,
        chained: row.associativity == Associativity::Chainable,
        name: arena.name(row.name).into(),
        theory: arena.name(row.theory).into(),
    };
    signatures.ops().map(law).collect()
});

/// What is known of an operator; nothing of one that a user declares.
pub(super) fn law(op: Op) -> Option<&'static Law> {
    LAWS.get(op.index())
}

/// Numbers that are never negative, whatever their arguments.
const NATURAL: [&str; 6] = ["str.len", "seq.len", "abs", "bv2nat", "ubv_to_int", "set.card"];

impl Normals {
    /// Whether a number is never negative.
    pub(super) fn is_natural(&self, arena: &Arena, n: Normal) -> bool {
        match self.head(n) {
            Head::Fun(fun) => {
                let op = arena.fun_view(*fun).op.and_then(law);
                op.is_some_and(|law| {
                    let divisor = || self.args(n).get(1).and_then(|d| self.number(*d));
                    NATURAL.contains(&&*law.name)
                        || &*law.name == "mod" && divisor().is_some_and(|d| !d.is_zero())
                })
            }
            // A square, or several.
            Head::Product => self
                .args(n)
                .chunk_by(|a, b| a == b)
                .all(|same| same.len() % 2 == 0 || self.is_natural(arena, same[0])),
            Head::Ite => self.args(n)[1..].iter().all(|side| {
                self.number(*side).is_some_and(|c| c.signum() >= 0) || self.is_natural(arena, *side)
            }),
            _ => false,
        }
    }

    /// The form of an operator over forms that are not all values; `None` if no law applies.
    pub(super) fn by_law(
        &mut self,
        arena: &Arena,
        law: &Law,
        fun: Fun,
        args: &[Normal],
        sort: Sort,
    ) -> Option<Normal> {
        match &*law.theory {
            "Core" => self.core(arena, &law.name, args, sort),
            "Ints" | "Reals" | "Reals_Ints" => self.arithmetic(arena, &law.name, args, sort),
            "BitVectors" => match self.masked(arena, law, fun, args, sort) {
                Some(masked) => Some(masked),
                None => self.bits(arena, &law.name, arena.fun_view(fun).indices, args, sort),
            },
            "FloatingPoint" => self.floats(&law.name, args),
            "Strings" => self.strings(arena, &law.name, fun, args, sort),
            "Sequences" if args.first().is_some_and(|a| self.is_sequence(arena, self.sort(*a))) => {
                self.sequences(arena, &law.name, fun, args, sort)
            }
            "Arrays" => self.arrays(arena, &law.name, args),
            _ => None,
        }
    }

    fn core(&mut self, arena: &Arena, name: &str, args: &[Normal], sort: Sort) -> Option<Normal> {
        Some(match (name, args) {
            ("true", []) => Normal::TRUE,
            ("false", []) => Normal::FALSE,
            ("not", [a]) => self.not(*a),
            ("and", _) => self.and(args.iter().copied()),
            ("or", _) => self.or(args.iter().copied()),
            ("xor", [first, rest @ ..]) => rest.iter().fold(*first, |a, b| {
                let same = self.same(a, *b);
                self.not(same)
            }),
            ("=>", [premises @ .., last]) => {
                let mut parts: Vec<Normal> = premises.iter().map(|p| self.not(*p)).collect();
                parts.push(*last);
                self.or(parts)
            }
            ("=", _) => self.chain(args, |n, a, b| n.equal(arena, a, b)),
            // Of three truth values two are equal.
            ("distinct", [a, _, _, ..]) if self.sort(*a) == Sort::BOOL => Normal::FALSE,
            ("distinct", _) => {
                let mut parts = Vec::new();
                // Many terms make too many pairs.
                if args.len() > 12 {
                    return None;
                }
                for (i, a) in args.iter().enumerate() {
                    for b in &args[..i] {
                        let equal = self.equal(arena, *a, *b);
                        parts.push(self.not(equal));
                    }
                }
                self.and(parts)
            }
            ("ite", &[condition, then, other]) => self.ite(condition, then, other, sort),
            _ => return None,
        })
    }

    /// A relation between each argument and the next.
    fn chain(
        &mut self,
        args: &[Normal],
        mut relation: impl FnMut(&mut Normals, Normal, Normal) -> Normal,
    ) -> Normal {
        let parts: Vec<Normal> = args.windows(2).map(|w| relation(self, w[0], w[1])).collect();
        self.and(parts)
    }

    fn arithmetic(&mut self, arena: &Arena, name: &str, args: &[Normal], sort: Sort) -> Option<Normal> {
        let below = |strict: bool, flip: bool| {
            move |n: &mut Normals, a: Normal, b: Normal| {
                let (a, b) = if flip { (b, a) } else { (a, b) };
                let difference = n.total([(a, 1), (b, -1)]);
                n.compared(arena, difference, strict)
            }
        };
        Some(match (name, args) {
            ("+", _) => {
                let sum = self.total(args.iter().map(|a| (*a, 1)));
                self.of_sum(arena, sum, sort)
            }
            ("-", [one]) => {
                let sum = self.total([(*one, -1)]);
                self.of_sum(arena, sum, sort)
            }
            ("-", [first, rest @ ..]) => {
                let sum = self.total([(*first, 1)].into_iter().chain(rest.iter().map(|a| (*a, -1))));
                self.of_sum(arena, sum, sort)
            }
            ("*", _) => self.product(arena, args, sort),
            ("to_real", [a]) => *a,
            ("to_int", [a]) if self.sort(*a) == Sort::INT => *a,
            ("is_int", [a]) if self.sort(*a) == Sort::INT => Normal::TRUE,
            ("/", &[a, b]) => {
                let by = self.number(b).and_then(|b| b.recip().ok())?;
                let by = self.constant(Value::Real(crate::Real::from(by)), Sort::REAL);
                self.product(arena, &[a, by], sort)
            }
            ("div", &[a, b]) if self.number(b) == Some(Rational::from(1)) => a,
            ("mod", &[_, b]) if self.number(b).is_some_and(|b| b.abs() == Rational::from(1)) => {
                self.constant(Value::Int(0.into()), sort)
            }
            ("<", _) => self.chain(args, below(true, false)),
            ("<=", _) => self.chain(args, below(false, false)),
            (">", _) => self.chain(args, below(true, true)),
            (">=", _) => self.chain(args, below(false, true)),
            _ => return None,
        })
    }

    /// Whether a bit-vector is at most another.
    pub(super) fn bits_at_most(&mut self, arena: &Arena, signed: bool, a: Normal, b: Normal) -> Normal {
        let width = arena.bitvec_width(self.sort(a)).unwrap_or(1);
        let (least, greatest) = match signed {
            false => (BitVec::zero(width), BitVec::ones(width)),
            true => (BitVec::least(width), BitVec::greatest(width)),
        };
        let is = |n: Normal, value: &BitVec| self.value(n).and_then(Value::as_bitvec) == Some(value);
        if let (Some(a), Some(b)) = (self.value(a), self.value(b))
            && let (Some(a), Some(b)) = (a.as_bitvec(), b.as_bitvec())
        {
            return Normal::of_bool(if signed { a.bvsle(b) } else { a.bvule(b) });
        }
        if a == b || is(a, &least) || is(b, &greatest) {
            return Normal::TRUE;
        }
        if is(a, &greatest) || is(b, &least) {
            return self.equal(arena, a, b);
        }
        if let Some(decided) = self.at_most_by_bounds(arena, signed, a, b) {
            return Normal::of_bool(decided);
        }
        self.node(Head::BitsAtMost { signed }, Box::new([a, b]), Sort::BOOL)
    }

    /// `bvand` or `bvor` with a literal, over the same with another: the literals are one.
    fn masked(&mut self, arena: &Arena, law: &Law, fun: Fun, args: &[Normal], sort: Sort) -> Option<Normal> {
        let (&[a, b], "bvand" | "bvor") = (args, &*law.name) else { return None };
        let split = |n: &Normals, a: Normal, b: Normal| n.value(b).is_some().then_some((a, b));
        let (inner, mask) = split(self, a, b).or_else(|| split(self, b, a))?;
        let Head::Fun(below) = *self.head(inner) else { return None };
        let &[x, y] = self.args(inner) else { return None };
        if arena.fun_view(below).op != arena.fun_view(fun).op {
            return None;
        }
        let (rest, other) = split(self, x, y).or_else(|| split(self, y, x))?;
        let one = self.apply(arena, fun, &[other, mask], sort);
        Some(self.apply(arena, fun, &[rest, one], sort))
    }

    fn bits(
        &mut self,
        arena: &Arena,
        name: &str,
        indices: &[Index],
        args: &[Normal],
        sort: Sort,
    ) -> Option<Normal> {
        let compared = |n: &mut Normals, signed: bool, a: Normal, b: Normal, positive: bool| {
            let made = n.bits_at_most(arena, signed, a, b);
            if positive { made } else { n.not(made) }
        };
        let (zero, ones) = match arena.bitvec_width(sort) {
            Some(width) => (Some(BitVec::zero(width)), Some(BitVec::ones(width))),
            None => (None, None),
        };
        let is = |n: &Normals, a: Normal, value: &Option<BitVec>| {
            value.is_some() && n.value(a).and_then(Value::as_bitvec) == value.as_ref()
        };
        Some(match (name, args) {
            ("bvule", &[a, b]) => compared(self, false, a, b, true),
            ("bvuge", &[a, b]) => compared(self, false, b, a, true),
            ("bvult", &[a, b]) => compared(self, false, b, a, false),
            ("bvugt", &[a, b]) => compared(self, false, a, b, false),
            ("bvsle", &[a, b]) => compared(self, true, a, b, true),
            ("bvsge", &[a, b]) => compared(self, true, b, a, true),
            ("bvslt", &[a, b]) => compared(self, true, b, a, false),
            ("bvsgt", &[a, b]) => compared(self, true, a, b, false),
            ("bvadd", _) => {
                let sum = self.total(args.iter().map(|a| (*a, 1)));
                self.of_sum(arena, sum, sort)
            }
            ("bvsub", [first, rest @ ..]) => {
                let sum = self.total([(*first, 1)].into_iter().chain(rest.iter().map(|a| (*a, -1))));
                self.of_sum(arena, sum, sort)
            }
            ("bvneg", [a]) => {
                let sum = self.total([(*a, -1)]);
                self.of_sum(arena, sum, sort)
            }
            ("bvnot", [a]) => {
                let sum = self.plus(self.total([(*a, -1)]), -1);
                self.of_sum(arena, sum, sort)
            }
            ("bvmul", _) => self.product(arena, args, sort),
            ("bvand" | "bvor", &[a, b]) => {
                let (none, all) = if name == "bvand" { (&zero, &ones) } else { (&ones, &zero) };
                if a == b || is(self, b, all) {
                    a
                } else if is(self, a, all) {
                    b
                } else if is(self, a, none) {
                    a
                } else if is(self, b, none) {
                    b
                } else {
                    return None;
                }
            }
            ("bvxor", &[a, b]) if a == b => self.constant(Value::BitVec(zero?), sort),
            ("bvxor", &[a, b]) if is(self, a, &zero) => b,
            ("bvxor", &[a, b]) if is(self, b, &zero) => a,
            ("bvcomp", &[a, b]) => {
                let equal = self.equal(arena, a, b).truth()?;
                self.constant(Value::BitVec(BitVec::from_bool(equal)), sort)
            }
            ("bvshl" | "bvlshr" | "bvashr", &[a, b]) if is(self, a, &zero) || is(self, b, &zero) => a,
            ("bvshl" | "bvlshr", &[_, b]) => {
                let width = arena.bitvec_width(sort)?;
                let by = self.number(b)?;
                if by < Rational::from(i64::from(width)) {
                    return None;
                }
                self.constant(Value::BitVec(zero?), sort)
            }
            ("bvurem" | "bvsrem" | "bvsmod", &[_, b]) if self.number(b) == Some(Rational::from(1)) => {
                // For one bit, 1 is also -1; the remainder is zero in both cases.
                self.constant(Value::BitVec(zero?), sort)
            }
            ("bvudiv", &[a, b]) if self.number(b) == Some(Rational::from(1)) => a,
            ("extract", [a]) if sort == self.sort(*a) => *a,
            ("zero_extend" | "sign_extend" | "rotate_left" | "rotate_right", [a])
                if indices.first().and_then(|i| i.as_number()) == Some(0) =>
            {
                *a
            }
            ("repeat", [a]) if sort == self.sort(*a) => *a,
            _ => return None,
        })
    }

    fn floats(&mut self, name: &str, args: &[Normal]) -> Option<Normal> {
        let float = |n: Normal| self.value(n).and_then(Value::as_float);
        let is_nan = |n: &Normal| float(*n).is_some_and(|f| f.is_nan());
        let infinite = |n: Normal, negative: bool| {
            float(n).is_some_and(|f| f.is_infinite() && f.is_negative() == negative)
        };
        let compares = matches!(name, "fp.lt" | "fp.leq" | "fp.gt" | "fp.geq" | "fp.eq");
        Some(match (name, args) {
            // Not a number is neither less, equal nor greater.
            _ if compares && args.iter().any(is_nan) => Normal::FALSE,
            ("fp.lt", &[a, b]) if infinite(a, false) || infinite(b, true) => Normal::FALSE,
            ("fp.gt", &[a, b]) if infinite(a, true) || infinite(b, false) => Normal::FALSE,
            ("fp.lt" | "fp.gt", [a, b]) if a == b => Normal::FALSE,
            ("fp.min" | "fp.max", [a, b]) if a == b => *a,
            _ => return None,
        })
    }

    fn arrays(&mut self, arena: &Arena, name: &str, args: &[Normal]) -> Option<Normal> {
        match (name, args) {
            ("select", &[array, index]) => {
                let mut array = array;
                loop {
                    let Head::Fun(fun) = *self.head(array) else { return None };
                    let f = arena.fun_view(fun);
                    match (arena.text(f.name), self.args(array)) {
                        (b"store", &[inner, at, value]) => {
                            if at == index {
                                return Some(value);
                            }
                            if !self.differ(arena, at, index) {
                                return None;
                            }
                            array = inner;
                        }
                        (b"const", &[value]) if f.ascribed.is_some() => return Some(value),
                        _ => return None,
                    }
                }
            }
            ("store", &[array, index, value]) => {
                let Head::Fun(fun) = *self.head(value) else { return None };
                let reads = arena.text(arena.fun_view(fun).name) == b"select";
                (reads && self.args(value) == [array, index]).then_some(array)
            }
            _ => None,
        }
    }
}
