//! Bit-vectors.

use smelt_smtlib::signature::Row;

use super::Arguments;
use crate::eval::Unknown;
use crate::eval::operators::Strict;
use crate::value::Value;
use crate::{BitVec, Int};

/// A function of one or two bit-vectors.
macro_rules! bits {
    ($f:ident) => {
        |_, _, a| Ok(Value::BitVec(a.bits(0)?.$f(same_width(a)?)))
    };
    ($f:ident, unary) => {
        |_, _, a| Ok(Value::BitVec(a.bits(0)?.$f()))
    };
    ($f:ident, bool) => {
        |_, _, a| Ok(Value::Bool(a.bits(0)?.$f(same_width(a)?)))
    };
    ($f:ident, swapped) => {
        |_, _, a| {
            same_width(a)?;
            Ok(Value::Bool(a.bits(1)?.$f(a.bits(0)?)))
        }
    };
    ($f:ident, indexed) => {
        |c, _, a| a.bits(0)?.$f(c.index(0)?).map(Value::BitVec).map_err(|g| c.gap(g))
    };
}

fn same_width<'a>(args: &[&'a Value]) -> Result<&'a BitVec, Unknown> {
    let (a, b) = (args.bits(0)?, args.bits(1)?);
    if a.width() == b.width() { Ok(b) } else { Err(Unknown::IllSorted) }
}

pub(in crate::eval) fn operator(name: &str, row: &Row) -> Option<Strict> {
    if row.args.len() > 2 {
        return None;
    }
    Some(match name {
        "concat" => |c, _, a| a.bits(0)?.concat(a.bits(1)?).map(Value::BitVec).map_err(|g| c.gap(g)),
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
        "bvult" => bits!(bvult, bool),
        "bvule" => bits!(bvule, bool),
        "bvugt" => bits!(bvult, swapped),
        "bvuge" => bits!(bvule, swapped),
        "bvslt" => bits!(bvslt, bool),
        "bvsle" => bits!(bvsle, bool),
        "bvsgt" => bits!(bvslt, swapped),
        "bvsge" => bits!(bvsle, swapped),
        "bvnego" => |_, _, a| Ok(Value::Bool(a.bits(0)?.bvnego())),
        "bvuaddo" => bits!(bvuaddo, bool),
        "bvsaddo" => bits!(bvsaddo, bool),
        "bvumulo" => bits!(bvumulo, bool),
        "bvsmulo" => bits!(bvsmulo, bool),
        "bvusubo" => bits!(bvusubo, bool),
        "bvssubo" => bits!(bvssubo, bool),
        "bvsdivo" => bits!(bvsdivo, bool),
        "bvumul_noovfl" => |_, _, a| Ok(Value::Bool(!a.bits(0)?.bvumulo(same_width(a)?))),
        "ubv_to_int" => |_, _, a| Ok(Value::Int(a.bits(0)?.to_unsigned_int())),
        "sbv_to_int" => |_, _, a| Ok(Value::Int(a.bits(0)?.to_signed_int())),
        "int_to_bv" => {
            |c, _, a| BitVec::from_int(c.index(0)?, a.int(0)?).map(Value::BitVec).map_err(|g| c.gap(g))
        }
        "bvredor" => bits!(bvredor, unary),
        "bvredand" => bits!(bvredand, unary),
        "ext_rotate_left" | "bvrol" => bits!(ext_rotate_left),
        "ext_rotate_right" | "bvror" => bits!(ext_rotate_right),
        "bvultbv" => |_, _, a| Ok(Value::BitVec(BitVec::from_bool(a.bits(0)?.bvult(same_width(a)?)))),
        "bvsltbv" => |_, _, a| Ok(Value::BitVec(BitVec::from_bool(a.bits(0)?.bvslt(same_width(a)?)))),
        "bvsize" => |_, _, a| Ok(Value::Int(Int::from(a.bits(0)?.width()))),
        "bit2bool" | "bit" => |c, _, a| {
            let i = c.index(0)?;
            if i < a.bits(0)?.width() { Ok(Value::Bool(a.bits(0)?.bit(i))) } else { Err(Unknown::IllSorted) }
        },
        _ => return None,
    })
}
