//! S-expressions of formulas: replaces parts, removes patterns, finds constants.
//!
//! Formulas come from the data files, whose nesting is bounded, so recursion is bounded too. Bound and free
//! variables have different names there, so a name can be replaced wherever it occurs.

use smelt_smtlib::sexpr::{Sexpr, SexprNode, read_all};

use crate::template::{Env, plain};

pub(super) fn atom(text: &str) -> Sexpr {
    Sexpr { offset: 0, node: SexprNode::Atom(text.to_owned()) }
}

pub(super) fn list(items: Vec<Sexpr>) -> Sexpr {
    Sexpr { offset: 0, node: SexprNode::List(items) }
}

/// The same with sort variables and numbers filled in.
pub(super) fn fill(s: &Sexpr, env: &Env) -> Result<Sexpr, String> {
    let text = env.text(s).ok_or_else(|| format!("`{}` has no value", plain(s)))?;
    let mut all = read_all(text.as_bytes()).map_err(|e| e.to_string())?;
    all.pop().ok_or_else(|| "nothing is left of a formula".to_owned())
}

pub(super) fn items(s: &Sexpr) -> &[Sexpr] {
    match &s.node {
        SexprNode::List(l) => l,
        SexprNode::Atom(_) => &[],
    }
}

fn is_atom(s: &Sexpr, text: &str) -> bool {
    matches!(&s.node, SexprNode::Atom(a) if a == text)
}

/// The same with another name.
pub(super) fn rename(s: &Sexpr, from: &str, to: &str) -> Sexpr {
    match &s.node {
        SexprNode::Atom(a) if a == from => atom(to),
        SexprNode::Atom(_) => s.clone(),
        SexprNode::List(l) => list(l.iter().map(|i| rename(i, from, to)).collect()),
    }
}

/// Places where a variable cannot stand instead of a constant: indices, sorts, the digits of a negative number, and regular
/// expressions, which solvers want to be constant.
fn is_closed(s: &Sexpr) -> bool {
    let digits = |s: &Sexpr| matches!(&s.node, SexprNode::Atom(a) if a.bytes().all(|b| b.is_ascii_digit() || b == b'.'));
    if matches!(items(s), [minus, n] if is_atom(minus, "-") && digits(n)) {
        return true;
    }
    matches!(items(s).first().map(|h| &h.node), Some(SexprNode::Atom(h))
        if matches!(&**h, "_" | "as" | "str.to_re") || h.starts_with("re."))
}

fn is_binder(s: &Sexpr) -> bool {
    items(s).len() == 3 && ["forall", "exists"].iter().any(|b| is_atom(&items(s)[0], b))
}

/// The same with a name for a constant, wherever it stands.
pub(super) fn abstracted(s: &Sexpr, constant: &str, name: &str) -> Sexpr {
    if plain(s) == constant {
        return atom(name);
    }
    match &s.node {
        SexprNode::List(l) if !is_closed(s) => {
            let keep = if is_binder(s) { 2 } else { 1 };
            let one = |(i, part): (usize, &Sexpr)| {
                if i < keep && matches!(&part.node, SexprNode::Atom(_)) || i == 1 && is_binder(s) {
                    part.clone()
                } else {
                    abstracted(part, constant, name)
                }
            };
            list(l.iter().enumerate().map(one).collect())
        }
        _ => s.clone(),
    }
}

/// Calls `f` with every part that could be a constant, from left to right.
pub(super) fn parts(s: &Sexpr, f: &mut impl FnMut(&str)) {
    f(&plain(s));
    if is_closed(s) {
        return;
    }
    let skip = if is_binder(s) {
        2
    } else {
        usize::from(matches!(items(s).first(), Some(h) if items(h).is_empty()))
    };
    items(s).iter().skip(skip).for_each(|i| parts(i, f));
}

/// The same without patterns.
pub(super) fn without_patterns(s: &Sexpr) -> Sexpr {
    match items(s) {
        [bang, body, key, _] if is_atom(bang, "!") && is_atom(key, ":pattern") => without_patterns(body),
        [] => s.clone(),
        l => list(l.iter().map(without_patterns).collect()),
    }
}

/// Whether there is a quantifier.
pub(super) fn is_quantified(s: &Sexpr) -> bool {
    is_binder(s) || items(s).iter().any(is_quantified)
}

/// The variables that universal quantifiers bind, with their sorts.
pub(super) fn bound(s: &Sexpr, out: &mut Vec<(String, String)>) {
    if is_binder(s) && is_atom(&items(s)[0], "forall") {
        for v in items(&items(s)[1]) {
            if let [name, sort] = items(v) {
                out.push((plain(name), plain(sort)));
            }
        }
    }
    items(s).iter().for_each(|i| bound(i, out));
}

/// A universal quantifier over more variables: `fresh` stands in the places of `name`, if `premise` holds; `trigger` joins
/// its pattern.
pub(super) fn guarded(
    s: &Sexpr,
    name: &str,
    fresh: &[(String, String)],
    premise: &Sexpr,
    trigger: &Sexpr,
) -> Sexpr {
    let binds = |s: &Sexpr| {
        is_binder(s)
            && items(&items(s)[1]).iter().any(|v| matches!(items(v).first(), Some(n) if is_atom(n, name)))
    };
    if !binds(s) {
        return match &s.node {
            SexprNode::Atom(_) => s.clone(),
            SexprNode::List(l) => list(l.iter().map(|i| guarded(i, name, fresh, premise, trigger)).collect()),
        };
    }
    let mut vars = items(&items(s)[1]).to_vec();
    vars.extend(fresh.iter().map(|(n, sort)| list(vec![atom(n), atom(sort)])));
    let new = fresh.first().map_or(name, |f| &f.0);
    let (body, pattern) = match items(&items(s)[2]) {
        [bang, body, key, pattern] if is_atom(bang, "!") && is_atom(key, ":pattern") => (body, Some(pattern)),
        _ => (&items(s)[2], None),
    };
    let mut inner = list(vec![atom("=>"), premise.clone(), rename(body, name, new)]);
    if let Some(pattern) = pattern {
        let mut terms = items(&rename(pattern, name, new)).to_vec();
        terms.push(trigger.clone());
        inner = list(vec![atom("!"), inner, atom(":pattern"), list(terms)]);
    }
    list(vec![items(s)[0].clone(), list(vars), inner])
}
