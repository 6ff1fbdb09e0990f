//! Corners of bit-vector operators.

use smelt_semantics::BitVec;

use super::{Case, Family, Rule};
use crate::construct::operator::op;

macro_rules! rule {
    ($key:literal, $corner:literal, $when:expr) => {
        Rule { name: concat!($key, ".", $corner), family: Family::Bits, op: op!($key), when: $when }
    };
}

/// The least signed number.
fn least(b: &BitVec) -> bool {
    b.width() > 0 && *b == BitVec::new(b.width(), 1).rotate_right(1)
}

fn ones(b: &BitVec) -> bool {
    *b == BitVec::ones(b.width())
}

fn one(b: &BitVec) -> bool {
    *b == BitVec::new(b.width(), 1)
}

/// The second argument as a distance is at least the width.
fn beyond(c: &Case<'_>) -> bool {
    c.b(1).to_u64().is_none_or(|d| d >= u64::from(c.b(0).width()))
}

fn exactly(c: &Case<'_>) -> bool {
    c.b(1).to_u64() == Some(u64::from(c.b(0).width()))
}

/// A division that leaves a rest, by something other than zero.
fn rest(c: &Case<'_>) -> bool {
    !c.b(1).is_zero() && !c.b(0).bvurem(c.b(1)).is_zero()
}

fn signed_rest(c: &Case<'_>) -> bool {
    !c.b(1).is_zero() && !c.b(0).bvsrem(c.b(1)).is_zero()
}

fn signs_differ(c: &Case<'_>) -> bool {
    c.b(0).msb() != c.b(1).msb()
}

/// Signed and unsigned order differ.
fn orders_differ(c: &Case<'_>) -> bool {
    c.b(0).bvult(c.b(1)) != c.b(0).bvslt(c.b(1))
}

fn same(c: &Case<'_>) -> bool {
    c.b(0) == c.b(1)
}

pub(super) static GROUPS: &[&[Rule]] = &[
    &[
        rule!("bvadd", "carry", |c| c.b(0).bvuaddo(c.b(1))),
        rule!("bvadd", "signed-overflow", |c| c.b(0).bvsaddo(c.b(1))),
        rule!("bvadd", "to-zero", |c| c.bits().is_zero() && !c.b(0).is_zero()),
        rule!("bvsub", "borrow", |c| c.b(0).bvusubo(c.b(1))),
        rule!("bvsub", "signed-overflow", |c| c.b(0).bvssubo(c.b(1))),
        rule!("bvneg", "least", |c| least(c.b(0))),
        rule!("bvneg", "zero", |c| c.b(0).is_zero()),
        rule!("bvmul", "overflow", |c| c.b(0).bvumulo(c.b(1))),
        rule!("bvmul", "signed-overflow", |c| c.b(0).bvsmulo(c.b(1))),
        rule!("bvmul", "to-zero", |c| c.bits().is_zero() && !c.b(0).is_zero() && !c.b(1).is_zero()),
    ],
    &[
        rule!("bvudiv", "by-zero", |c| c.b(1).is_zero()),
        rule!("bvudiv", "by-one", |c| one(c.b(1)) && !c.b(0).is_zero()),
        rule!("bvudiv", "rest", rest),
        rule!("bvudiv", "smaller", |c| c.b(0).bvult(c.b(1)) && !c.b(0).is_zero()),
        rule!("bvurem", "by-zero", |c| c.b(1).is_zero()),
        rule!("bvurem", "rest", rest),
        rule!("bvsdiv", "by-zero-positive", |c| c.b(1).is_zero() && !c.b(0).msb()),
        rule!("bvsdiv", "by-zero-negative", |c| c.b(1).is_zero() && c.b(0).msb()),
        rule!("bvsdiv", "overflow", |c| c.b(0).bvsdivo(c.b(1))),
        rule!("bvsdiv", "rest-signs-differ", |c| signed_rest(c) && signs_differ(c)),
        rule!("bvsdiv", "both-negative", |c| c.b(0).msb() && c.b(1).msb()),
        rule!("bvsrem", "by-zero", |c| c.b(1).is_zero()),
        rule!("bvsrem", "overflow", |c| c.b(0).bvsdivo(c.b(1))),
        rule!("bvsrem", "negative-rest", |c| signed_rest(c) && c.b(0).msb()),
        rule!("bvsrem", "negative-divisor", |c| signed_rest(c) && c.b(1).msb()),
        rule!("bvsmod", "by-zero", |c| c.b(1).is_zero()),
        rule!("bvsmod", "overflow", |c| c.b(0).bvsdivo(c.b(1))),
        rule!("bvsmod", "signs-differ", |c| signed_rest(c) && signs_differ(c)),
        rule!("bvsmod", "both-negative", |c| signed_rest(c) && c.b(0).msb() && c.b(1).msb()),
        rule!("bvsmod", "exact-signs-differ", |c| {
            !c.b(1).is_zero() && !c.b(0).is_zero() && !signed_rest(c) && signs_differ(c)
        }),
    ],
    &[
        rule!("bvshl", "beyond-width", beyond),
        rule!("bvshl", "by-width", exactly),
        rule!("bvshl", "bits-lost", |c| !beyond(c) && c.bits().bvlshr(c.b(1)) != *c.b(0)),
        rule!("bvlshr", "beyond-width", beyond),
        rule!("bvlshr", "by-width", exactly),
        rule!("bvlshr", "bits-lost", |c| !beyond(c) && c.bits().bvshl(c.b(1)) != *c.b(0)),
        rule!("bvashr", "beyond-width-negative", |c| beyond(c) && c.b(0).msb()),
        rule!("bvashr", "beyond-width-positive", |c| beyond(c) && !c.b(0).msb()),
        rule!("bvashr", "negative", |c| !beyond(c) && !c.b(1).is_zero() && c.b(0).msb()),
        rule!("rotate_left", "by-width", |c| c.indices[0] == c.b(0).width()),
        rule!("rotate_left", "beyond-width", |c| c.indices[0] > c.b(0).width()),
        rule!("rotate_right", "by-width", |c| c.indices[0] == c.b(0).width()),
        rule!("rotate_right", "beyond-width", |c| c.indices[0] > c.b(0).width()),
    ],
    &[
        rule!("extract", "sign", |c| c.indices == [c.b(0).width() - 1; 2] && c.b(0).msb()),
        rule!("extract", "all", |c| c.indices == [c.b(0).width() - 1, 0]),
        rule!("sign_extend", "negative", |c| c.indices[0] > 0 && c.b(0).msb()),
        rule!("sign_extend", "by-zero", |c| c.indices[0] == 0),
        rule!("zero_extend", "negative", |c| c.indices[0] > 0 && c.b(0).msb()),
        rule!("zero_extend", "by-zero", |c| c.indices[0] == 0),
        rule!("repeat", "once", |c| c.indices[0] == 1),
        rule!("repeat", "often", |c| c.indices[0] > 1 && !c.b(0).is_zero()),
        rule!("concat", "low-zero", |c| c.b(1).is_zero() && !c.b(0).is_zero()),
        rule!("concat", "high-zero", |c| c.b(0).is_zero() && !c.b(1).is_zero()),
    ],
    &[
        rule!("bvand", "disjoint", |c| c.bits().is_zero() && !c.b(0).is_zero() && !c.b(1).is_zero()),
        rule!("bvor", "full", |c| ones(c.bits()) && !ones(c.b(0)) && !ones(c.b(1))),
        rule!("bvxor", "same", same),
        rule!("bvnand", "same", same),
        rule!("bvnor", "same", same),
        rule!("bvxnor", "same", same),
        rule!("bvcomp", "same", same),
        rule!("bvcomp", "differ", |c| !same(c)),
    ],
    &[
        rule!("bvult", "equal", same),
        rule!("bvult", "signed-differs", orders_differ),
        rule!("bvule", "equal", same),
        rule!("bvule", "signed-differs", orders_differ),
        rule!("bvugt", "equal", same),
        rule!("bvugt", "signed-differs", orders_differ),
        rule!("bvuge", "equal", same),
        rule!("bvuge", "signed-differs", orders_differ),
        rule!("bvslt", "equal", same),
        rule!("bvslt", "unsigned-differs", orders_differ),
        rule!("bvsle", "equal", same),
        rule!("bvsle", "unsigned-differs", orders_differ),
        rule!("bvsgt", "equal", same),
        rule!("bvsgt", "unsigned-differs", orders_differ),
        rule!("bvsge", "equal", same),
        rule!("bvsge", "unsigned-differs", orders_differ),
    ],
    &[
        rule!("bvnego", "overflow", |c| c.truth()),
        rule!("bvuaddo", "overflow", |c| c.truth()),
        rule!("bvsaddo", "overflow", |c| c.truth()),
        rule!("bvumulo", "overflow", |c| c.truth()),
        rule!("bvsmulo", "overflow", |c| c.truth()),
        rule!("bvusubo", "overflow", |c| c.truth()),
        rule!("bvssubo", "overflow", |c| c.truth()),
        rule!("bvsdivo", "overflow", |c| c.truth()),
    ],
];
