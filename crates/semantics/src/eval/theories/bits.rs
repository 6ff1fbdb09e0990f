//! Bit-vectors.

use smelt_smtlib::signature::Row;

use super::{Arguments, same_width};
use crate::eval::Unknown;
use crate::eval::operators::Strict;
use crate::value::Value;
use crate::{BitVec, Int};

/// The functions of one or two bit-vectors, by the name they share with their row; then all other rows.
macro_rules! operators {
    ($row:expr, unary: $($one:ident)*; binary: $($two:ident)*; swapped: $($turned:literal $of:ident)*; $($other:tt)*) => {
        match $row {
            $(stringify!($one) => |_, _, a| Ok(a.bits(0)?.$one().into()),)*
            $(stringify!($two) => |_, _, a| same_width(a).map(|(x, y)| x.$two(y).into()),)*
            $($turned => |_, _, a| same_width(a).map(|(x, y)| y.$of(x).into()),)*
            $($other)*
        }
    };
}

pub(in crate::eval) fn operator(name: &str, row: &Row) -> Option<Strict> {
    if row.args.len() > 2 {
        return None;
    }
    Some(operators! { name,
        unary: bvnot bvneg bvnego bvredor bvredand;
        binary: bvand bvor bvxor bvxnor bvnand bvnor bvcomp
            bvadd bvmul bvsub bvudiv bvurem bvsdiv bvsrem bvsmod bvshl bvlshr bvashr
            bvult bvule bvslt bvsle
            bvuaddo bvsaddo bvumulo bvsmulo bvusubo bvssubo bvsdivo
            ext_rotate_left ext_rotate_right;
        swapped: "bvugt" bvult "bvuge" bvule "bvsgt" bvslt "bvsge" bvsle;
        "concat" => |_, _, a| Ok(a.bits(0)?.concat(a.bits(1)?)?.into()),
        "extract" => |c, _, a| {
            a.bits(0)?.extract(c.index(0)?, c.index(1)?).map(Value::BitVec).ok_or(Unknown::IllSorted)
        },
        "repeat" => |c, _, a| Ok(a.bits(0)?.repeat(c.index(0)?)?.into()),
        "zero_extend" => |c, _, a| Ok(a.bits(0)?.zero_extend(c.index(0)?)?.into()),
        "sign_extend" => |c, _, a| Ok(a.bits(0)?.sign_extend(c.index(0)?)?.into()),
        "rotate_left" => |c, _, a| Ok(a.bits(0)?.rotate_left(c.index(0)?).into()),
        "rotate_right" => |c, _, a| Ok(a.bits(0)?.rotate_right(c.index(0)?).into()),
        "bvrol" => |_, _, a| same_width(a).map(|(x, y)| x.ext_rotate_left(y).into()),
        "bvror" => |_, _, a| same_width(a).map(|(x, y)| x.ext_rotate_right(y).into()),
        "bvumul_noovfl" => |_, _, a| same_width(a).map(|(x, y)| (!x.bvumulo(y)).into()),
        "ubv_to_int" => |_, _, a| Ok(a.bits(0)?.to_unsigned_int().into()),
        "sbv_to_int" => |_, _, a| Ok(a.bits(0)?.to_signed_int().into()),
        "int_to_bv" => |c, _, a| Ok(BitVec::from_int(c.index(0)?, a.int(0)?)?.into()),
        "bvultbv" => |_, _, a| same_width(a).map(|(x, y)| BitVec::from_bool(x.bvult(y)).into()),
        "bvsltbv" => |_, _, a| same_width(a).map(|(x, y)| BitVec::from_bool(x.bvslt(y)).into()),
        "bvsize" => |_, _, a| Ok(Value::Int(Int::from(a.bits(0)?.width()))),
        "bit2bool" | "bit" => |c, _, a| {
            let i = c.index(0)?;
            if i < a.bits(0)?.width() { Ok(Value::Bool(a.bits(0)?.bit(i))) } else { Err(Unknown::IllSorted) }
        },
        _ => return None,
    })
}
