//! Bit-vectors.

use smelt_smtlib::signature::Row;

use super::{Arguments, same_width};
use crate::eval::Unknown;
use crate::eval::operators::Strict;
use crate::value::Value;
use crate::{BitVec, Int};

/// A function of one or two bit-vectors.
macro_rules! bits {
    ($f:ident) => {
        |_, _, a| {
            let (x, y) = same_width(a)?;
            Ok(x.$f(y).into())
        }
    };
    ($f:ident, swapped) => {
        |_, _, a| {
            let (x, y) = same_width(a)?;
            Ok(y.$f(x).into())
        }
    };
    ($f:ident, unary) => {
        |_, _, a| Ok(a.bits(0)?.$f().into())
    };
    ($f:ident, indexed) => {
        |c, _, a| Ok(a.bits(0)?.$f(c.index(0)?)?.into())
    };
}

pub(in crate::eval) fn operator(name: &str, row: &Row) -> Option<Strict> {
    if row.args.len() > 2 {
        return None;
    }
    Some(match name {
        "concat" => |_, _, a| Ok(a.bits(0)?.concat(a.bits(1)?)?.into()),
        "extract" => |c, _, a| {
            a.bits(0)?.extract(c.index(0)?, c.index(1)?).map(Value::BitVec).ok_or(Unknown::IllSorted)
        },
        "repeat" => bits!(repeat, indexed),
        "zero_extend" => bits!(zero_extend, indexed),
        "sign_extend" => bits!(sign_extend, indexed),
        "rotate_left" => |c, _, a| Ok(Value::BitVec(a.bits(0)?.rotate_left(c.index(0)?))),
        "rotate_right" => |c, _, a| Ok(Value::BitVec(a.bits(0)?.rotate_right(c.index(0)?))),
        "bvnot" => bits!(bvnot, unary),
        "bvneg" => bits!(bvneg, unary),
        "bvand" => bits!(bvand),
        "bvor" => bits!(bvor),
        "bvxor" => bits!(bvxor),
        "bvxnor" => bits!(bvxnor),
        "bvnand" => bits!(bvnand),
        "bvnor" => bits!(bvnor),
        "bvadd" => bits!(bvadd),
        "bvmul" => bits!(bvmul),
        "bvsub" => bits!(bvsub),
        "bvudiv" => bits!(bvudiv),
        "bvurem" => bits!(bvurem),
        "bvsdiv" => bits!(bvsdiv),
        "bvsrem" => bits!(bvsrem),
        "bvsmod" => bits!(bvsmod),
        "bvshl" => bits!(bvshl),
        "bvlshr" => bits!(bvlshr),
        "bvashr" => bits!(bvashr),
        "bvcomp" => bits!(bvcomp),
        "bvult" => bits!(bvult),
        "bvule" => bits!(bvule),
        "bvugt" => bits!(bvult, swapped),
        "bvuge" => bits!(bvule, swapped),
        "bvslt" => bits!(bvslt),
        "bvsle" => bits!(bvsle),
        "bvsgt" => bits!(bvslt, swapped),
        "bvsge" => bits!(bvsle, swapped),
        "bvnego" => bits!(bvnego, unary),
        "bvuaddo" => bits!(bvuaddo),
        "bvsaddo" => bits!(bvsaddo),
        "bvumulo" => bits!(bvumulo),
        "bvsmulo" => bits!(bvsmulo),
        "bvusubo" => bits!(bvusubo),
        "bvssubo" => bits!(bvssubo),
        "bvsdivo" => bits!(bvsdivo),
        "bvumul_noovfl" => |_, _, a| same_width(a).map(|(x, y)| (!x.bvumulo(y)).into()),
        "ubv_to_int" => bits!(to_unsigned_int, unary),
        "sbv_to_int" => bits!(to_signed_int, unary),
        "int_to_bv" => |c, _, a| Ok(BitVec::from_int(c.index(0)?, a.int(0)?)?.into()),
        "bvredor" => bits!(bvredor, unary),
        "bvredand" => bits!(bvredand, unary),
        "ext_rotate_left" | "bvrol" => bits!(ext_rotate_left),
        "ext_rotate_right" | "bvror" => bits!(ext_rotate_right),
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
