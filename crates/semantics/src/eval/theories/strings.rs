//! Strings and regular languages.

use smelt_smtlib::signature::{Row, SortPattern};
use smelt_smtlib::{IndexView, Sort};

use super::Arguments;
use super::sequences::{Strings, shared};
use crate::eval::operators::Strict;
use crate::eval::{Evaluated, Unknown};
use crate::value::Value;
use crate::{Int, Regex, Str};

/// A function of a string, a regular language and one more argument.
macro_rules! in_language {
    ($f:ident, $last:ident) => {
        |_, l, a| {
            let language = l.language(a.language(1)?)?;
            Ok(l.$f(a.string(0)?, language, a.$last(2)?)?.into())
        }
    };
}

/// A number of repetitions given as an argument.
fn count(i: &Int) -> Result<Option<u32>, Unknown> {
    if *i < Int::from(0) {
        return Ok(None);
    }
    u32::try_from(i).map(Some).map_err(|_| Unknown::TooLarge)
}

fn repeat(r: &Regex, low: &Int, high: &Int) -> Evaluated {
    Ok(Value::RegLan(match (count(low)?, count(high)?) {
        (Some(low), Some(high)) => r.clone().repeat(low, high),
        _ => return Err(Unknown::IllSorted),
    }))
}

pub(in crate::eval) fn operator(name: &str, row: &Row) -> Option<Strict> {
    // Rows of the same names over sequences are elsewhere.
    let over_strings =
        |p: &SortPattern| matches!(p, SortPattern::Exact(Sort::STRING | Sort::INT | Sort::REGLAN));
    if !row.args.iter().all(over_strings) {
        return None;
    }
    let arity = row.args.len();
    let indexed = row.indices.len();
    let name = name.strip_prefix("seq.").map_or(name.to_owned(), |n| format!("str.{n}"));
    if let Some(found) = name.strip_prefix("str.").and_then(|n| shared::<Strings>(n, arity)) {
        return Some(found);
    }
    Some(match (name.as_str(), arity, indexed) {
        ("str.<", _, 0) => |_, _, a| Ok(Value::Bool(a.string(0)? < a.string(1)?)),
        ("str.<=", _, 0) => |_, _, a| Ok(Value::Bool(a.string(0)? <= a.string(1)?)),
        ("str.replace_re", _, 0) => in_language!(replace, string),
        ("str.replace_re_all", _, 0) => in_language!(replace_all, string),
        ("str.indexof_re", _, 0) => in_language!(index_of, int),
        ("str.is_digit", _, 0) => |_, _, a| Ok(Value::Bool(a.string(0)?.is_digit())),
        ("str.to_code", _, 0) => |_, _, a| Ok(Value::Int(a.string(0)?.to_code())),
        ("str.from_code", _, 0) => |_, _, a| Ok(Value::Str(Str::from_code(a.int(0)?))),
        ("str.to_int", _, 0) => |_, _, a| Ok(Value::Int(a.string(0)?.to_int())),
        ("str.from_int", _, 0) => |_, _, a| Ok(Value::Str(Str::from_int(a.int(0)?))),
        ("str.to_lower", _, 0) => |_, _, a| Ok(Value::Str(a.string(0)?.to_lower())),
        ("str.to_upper", _, 0) => |_, _, a| Ok(Value::Str(a.string(0)?.to_upper())),
        ("str.in_re", _, 0) => |_, l, a| {
            let r = l.language(a.language(1)?)?;
            Ok(l.accepts(r, a.string(0)?)?.into())
        },
        ("str.to_re", _, 0) => |_, _, a| Ok(Value::RegLan(Regex::literal(a.string(0)?.clone()))),
        ("char", _, _) => |c, _, _| {
            let text = c.indices.first().map(|i| i.view());
            let Some(IndexView::Text(t)) = text else { return Err(Unknown::IllSorted) };
            let digits = c.arena.text(t).strip_prefix(b"#x").ok_or(Unknown::IllSorted)?;
            let code = std::str::from_utf8(digits).ok().and_then(|d| u32::from_str_radix(d, 16).ok());
            code.and_then(|v| Str::new(vec![v])).map(Value::Str).ok_or(Unknown::IllSorted)
        },
        ("re.none", _, 0) | ("re.empty", 0, 0) => |_, _, _| Ok(Value::RegLan(Regex::none())),
        ("re.all", _, 0) | ("re.full", 0, 0) => |_, _, _| Ok(Value::RegLan(Regex::all())),
        ("re.allchar", 0, 0) => |_, _, _| Ok(Value::RegLan(Regex::all_char())),
        ("re.++", _, 0) => {
            |_, _, a| Ok(Value::RegLan(Regex::concat(vec![a.language(0)?.clone(), a.language(1)?.clone()])))
        }
        ("re.union", _, 0) => {
            |_, _, a| Ok(Value::RegLan(Regex::union(vec![a.language(0)?.clone(), a.language(1)?.clone()])))
        }
        ("re.inter", _, 0) => {
            |_, _, a| Ok(Value::RegLan(Regex::inter(vec![a.language(0)?.clone(), a.language(1)?.clone()])))
        }
        ("re.diff", _, 0) => |_, _, a| Ok(Value::RegLan(a.language(0)?.clone().diff(a.language(1)?.clone()))),
        ("re.*", _, 0) => |_, _, a| Ok(Value::RegLan(a.language(0)?.clone().star())),
        ("re.+", _, 0) => |_, _, a| Ok(Value::RegLan(a.language(0)?.clone().plus())),
        ("re.opt", _, 0) => |_, _, a| Ok(Value::RegLan(a.language(0)?.clone().opt())),
        ("re.comp", _, 0) => |_, _, a| Ok(Value::RegLan(a.language(0)?.clone().comp())),
        ("re.range", _, 0) => |_, _, a| Ok(Value::RegLan(Regex::range(a.string(0)?, a.string(1)?))),
        ("re.^", 1, 1) => |c, _, a| Ok(Value::RegLan(a.language(0)?.clone().power(c.index(0)?))),
        ("re.loop", 1, 2) => {
            |c, _, a| Ok(Value::RegLan(a.language(0)?.clone().repeat(c.index(0)?, c.index(1)?)))
        }
        ("re.loop", 1, 1) => |c, _, a| Ok(Value::RegLan(a.language(0)?.clone().at_least(c.index(0)?))),
        ("re.loop", 3, 0) => |_, _, a| repeat(a.language(0)?, a.int(1)?, a.int(2)?),
        ("re.loop", 2, 0) => |_, _, a| {
            let least = count(a.int(1)?)?.ok_or(Unknown::IllSorted)?;
            Ok(Value::RegLan(a.language(0)?.clone().at_least(least)))
        },
        ("re.^", 2, 0) => |_, _, a| repeat(a.language(0)?, a.int(1)?, a.int(1)?),
        ("re.^", 1, 2) => {
            |c, _, a| Ok(Value::RegLan(a.language(0)?.clone().repeat(c.index(0)?, c.index(1)?)))
        }
        _ => return None,
    })
}
