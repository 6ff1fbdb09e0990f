//! Strings and regular languages.

use smelt_smtlib::signature::{Row, SortPattern};
use smelt_smtlib::{IndexView, Sort};

use super::Arguments;
use super::sequences::{Strings, shared};
use crate::eval::Unknown;
use crate::eval::operators::Strict;
use crate::number::int;
use crate::value::Value;
use crate::{Regex, Str};

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
fn count(args: &[&Value], i: usize) -> Result<u32, Unknown> {
    let count = args.int(i)?;
    let unknown = if int::is_negative(count) { Unknown::IllSorted } else { Unknown::TooLarge };
    u32::try_from(count).map_err(|_| unknown)
}

/// Two regular languages.
fn both(args: &[&Value]) -> Result<[Regex; 2], Unknown> {
    Ok([args.language(0)?.clone(), args.language(1)?.clone()])
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
        ("re.none", _, 0) | ("re.empty", 0, 0) => |_, _, _| Ok(Regex::none().into()),
        ("re.all", _, 0) | ("re.full", 0, 0) => |_, _, _| Ok(Regex::all().into()),
        ("re.allchar", 0, 0) => |_, _, _| Ok(Regex::all_char().into()),
        ("re.++", _, 0) => |_, _, a| Ok(Regex::concat(both(a)?.into()).into()),
        ("re.union", _, 0) => |_, _, a| Ok(Regex::union(both(a)?.into()).into()),
        ("re.inter", _, 0) => |_, _, a| Ok(Regex::inter(both(a)?.into()).into()),
        ("re.diff", _, 0) => |_, _, a| both(a).map(|[x, y]| x.diff(y).into()),
        ("re.*", _, 0) => |_, _, a| Ok(a.language(0)?.clone().star().into()),
        ("re.+", _, 0) => |_, _, a| Ok(a.language(0)?.clone().plus().into()),
        ("re.opt", _, 0) => |_, _, a| Ok(a.language(0)?.clone().opt().into()),
        ("re.comp", _, 0) => |_, _, a| Ok(a.language(0)?.clone().comp().into()),
        ("re.range", _, 0) => |_, _, a| Ok(Regex::range(a.string(0)?, a.string(1)?).into()),
        ("re.^", 1, 1) => |c, _, a| Ok(a.language(0)?.clone().power(c.index(0)?).into()),
        ("re.loop" | "re.^", 1, 2) => {
            |c, _, a| Ok(a.language(0)?.clone().repeat(c.index(0)?, c.index(1)?).into())
        }
        ("re.loop", 1, 1) => |c, _, a| Ok(a.language(0)?.clone().at_least(c.index(0)?).into()),
        ("re.loop", 3, 0) => |_, _, a| Ok(a.language(0)?.clone().repeat(count(a, 1)?, count(a, 2)?).into()),
        ("re.loop", 2, 0) => |_, _, a| Ok(a.language(0)?.clone().at_least(count(a, 1)?).into()),
        ("re.^", 2, 0) => |_, _, a| Ok(a.language(0)?.clone().power(count(a, 1)?).into()),
        _ => return None,
    })
}
