//! Eliminates quantifiers over small finite sorts: copies the body for each value of the variables.

use std::collections::HashMap;

use smelt_smtlib::rewrite::rewrite_term;
use smelt_smtlib::script::Script;
use smelt_smtlib::{Arena, Index, Op, Parser, Scope, Sort, Symbol, Term, View, sym};

use crate::eval::Domains;
use crate::model::print_value;

/// A quantifier over more values than this stays.
const MAX_VALUES: usize = 16;

/// The formulas without the quantifiers that can go. With a fault, the last conjunct below an existential one is lost.
pub(super) fn eliminate(arena: &mut Arena, context: &Script, formulas: &[Term], is_lossy: bool) -> Vec<Term> {
    let domains = Domains::of_script(context);
    let mut done = HashMap::new();
    let mut one = |arena: &mut Arena, term: Term| {
        rewrite_term(arena, term, &mut done, |arena, t| expanded(arena, &domains, t, is_lossy).unwrap_or(t))
    };
    formulas.iter().map(|term| one(arena, *term)).collect()
}

/// A quantified formula as a conjunction or disjunction, if its variables have few values.
fn expanded(arena: &mut Arena, domains: &Domains, term: Term, is_lossy: bool) -> Option<Term> {
    let View::Binder(binder) = arena.view(term) else { return None };
    let (name, mut body) = (binder.name, *binder.bodies.first()?);
    let vars: Vec<(Symbol, Sort)> = binder.vars().collect();
    let joint = match name {
        sym::EXISTS => sym::OR,
        sym::FORALL => sym::AND,
        _ => return None,
    };
    if is_lossy && name == sym::EXISTS {
        body = without_last(arena, body);
    }
    let mut rows: Vec<Vec<(Symbol, Term)>> = vec![Vec::new()];
    for (name, sort) in vars {
        let values = domains.values(arena, sort, MAX_VALUES)?;
        let mut terms = Vec::new();
        for value in values {
            let mut text = Vec::new();
            print_value(arena, domains, &value, sort, &mut text).ok()?;
            terms.push(Parser::new(arena, Scope::new(), &text).ok()?.next_term().ok()?);
        }
        let longer = |row: &Vec<(Symbol, Term)>| {
            let row = row.clone();
            terms.iter().map(move |t| row.iter().copied().chain([(name, *t)]).collect()).collect::<Vec<_>>()
        };
        rows = rows.iter().flat_map(longer).collect();
        if rows.len() > MAX_VALUES {
            return None;
        }
    }
    let parts: Vec<Term> = rows.iter().map(|row| arena.let_term(row, body)).collect();
    joined(arena, joint, &parts)
}

/// A conjunction without its last part.
fn without_last(arena: &mut Arena, body: Term) -> Term {
    match arena.view(body) {
        View::App(fun, [first, rest @ ..]) if arena.fun_view(fun).name == sym::AND && !rest.is_empty() => {
            let kept: Vec<Term> = [&[*first], &rest[..rest.len() - 1]].concat();
            joined(arena, sym::AND, &kept).unwrap_or(body)
        }
        _ => body,
    }
}

fn joined(arena: &mut Arena, name: Symbol, parts: &[Term]) -> Option<Term> {
    if let [one] = parts {
        return Some(*one);
    }
    let op: Op = arena.signatures().named(name).next()?;
    let none: &[Index] = &[];
    arena.apply_op(op, none, parts)
}
