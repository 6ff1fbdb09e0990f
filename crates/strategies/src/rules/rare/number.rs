//! Numbers in rules: widths, indices, and the premises about them.

use smelt_smtlib::sexpr::{Sexpr, SexprNode};

/// Widths and exponents beyond this are not used.
const MOST: i128 = 1 << 12;

/// What numbers are computed from.
pub(super) trait Numbers {
    /// The value of an integer parameter.
    fn value(&self, name: &str) -> Option<i128>;
    /// The width of a bit-vector term.
    fn width(&self, term: &Sexpr) -> Option<i128>;
}

/// The value of an integer term; `None` if it depends on more than numbers.
pub(super) fn number(term: &Sexpr, with: &dyn Numbers) -> Option<i128> {
    let items = match &term.node {
        SexprNode::Atom(a) => return a.parse().ok().or_else(|| with.value(a)),
        SexprNode::List(items) => items,
    };
    let (head, arguments) = items.split_first()?;
    let head = atom(head)?;
    if head == "@bvsize" {
        return with.width(arguments.first()?);
    }
    if head == "ite" {
        let [condition, yes, no] = arguments else { return None };
        return number(if holds(condition, with)? { yes } else { no }, with);
    }
    let values: Vec<i128> = arguments.iter().map(|a| number(a, with)).collect::<Option<_>>()?;
    match (head, &values[..]) {
        ("+", all) => all.iter().try_fold(0i128, |sum, n| sum.checked_add(*n)),
        ("*", all) => all.iter().try_fold(1i128, |product, n| product.checked_mul(*n)),
        ("-", [n]) => n.checked_neg(),
        ("-", [first, rest @ ..]) => rest.iter().try_fold(*first, |n, m| n.checked_sub(*m)),
        ("mod" | "mod_total", [n, m]) if *m != 0 => n.checked_rem_euclid(*m),
        ("div" | "div_total", [n, m]) if *m != 0 => n.checked_div_euclid(*m),
        ("mod_total", [n, _]) => Some(*n),
        ("div_total", [_, _]) => Some(0),
        ("int.pow2", [n]) if *n < 0 => Some(0),
        ("int.pow2", [n]) if *n < 120 => Some(1 << n),
        ("int.log2", [n]) if *n > 0 => Some(i128::from(127 - n.leading_zeros())),
        ("int.log2", [_]) => Some(0),
        _ => None,
    }
}

/// Whether a condition about numbers holds; `None` if it depends on more than numbers.
pub(super) fn holds(term: &Sexpr, with: &dyn Numbers) -> Option<bool> {
    let items = match &term.node {
        SexprNode::Atom(a) => return a.parse().ok(),
        SexprNode::List(items) => items,
    };
    let (head, arguments) = items.split_first()?;
    match (atom(head)?, arguments) {
        ("not", [a]) => Some(!holds(a, with)?),
        ("and", all) => all.iter().try_fold(true, |b, a| Some(b & holds(a, with)?)),
        ("or", all) => all.iter().try_fold(false, |b, a| Some(b | holds(a, with)?)),
        ("=", [a, b]) => match (number(a, with), number(b, with)) {
            (Some(a), Some(b)) => Some(a == b),
            _ => Some(holds(a, with)? == holds(b, with)?),
        },
        ("int.ispow2", [n]) => number(n, with).map(|n| n > 0 && n & (n - 1) == 0),
        (head, [a, b]) => {
            let (a, b) = (number(a, with)?, number(b, with)?);
            match head {
                "<" => Some(a < b),
                "<=" => Some(a <= b),
                ">" => Some(a > b),
                ">=" => Some(a >= b),
                _ => None,
            }
        }
        _ => None,
    }
}

/// A width or an index that is small enough.
pub(super) fn small(n: i128) -> Option<u32> {
    (0..=MOST).contains(&n).then_some(n as u32)
}

pub(super) fn atom(s: &Sexpr) -> Option<&str> {
    match &s.node {
        SexprNode::Atom(a) => Some(a),
        SexprNode::List(_) => None,
    }
}
