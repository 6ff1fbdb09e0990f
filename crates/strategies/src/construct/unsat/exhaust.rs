//! Contradictions by trying all values: adds assertions until no assignment to a few small variables satisfies them all.

use smelt_semantics::value::Value;

use crate::construct::grow::Grower;
use crate::construct::operator::op;
use crate::construct::options::Settings;
use crate::construct::sort::Sort;
use crate::construct::term::{Head, Term, Terms};

/// At most this many assignments are tried.
const ASSIGNMENTS: usize = 1100;

/// At most this many assertions are made until no assignment is left.
const ASSERTIONS: usize = 24;

/// Whether some sort is small enough.
pub(crate) fn usable(o: &Settings) -> bool {
    o.widths.iter().any(|w| *w <= 4) || o.formats.iter().any(|f| f.width() <= 5)
}

/// Assertions that no assignment satisfies; without any one of them, some assignment does.
pub(crate) fn exhausted(g: &mut Grower<'_>) -> Option<Vec<Term>> {
    let small = |s: &Sort| s.values(32).is_some();
    let bits = g.world.options.widths.iter().map(|w| Sort::Bits(*w));
    let sorts: Vec<Sort> =
        bits.chain(g.world.options.formats.iter().map(|f| Sort::Float(*f))).filter(small).collect();
    let sort = *g.rng.pick(&sorts)?;
    // Fresh variables: the rest of the formula says nothing about them.
    let (mut variables, mut total) = (Vec::new(), 1);
    let most = if g.rng.one_in(4) { 3 } else { 2 };
    let values = sort.values(32)?;
    while total * values.len() <= ASSIGNMENTS && variables.len() < most {
        variables.push(g.fresh(sort, None));
        total *= values.len();
    }
    let assignments = assignments(g, &variables, &values, total)?;
    let mut left: Vec<&Vec<Value>> = assignments.iter().collect();
    let mut core: Vec<Term> = Vec::new();
    for _ in 0..ASSERTIONS {
        let t = atom(g, &variables, sort)?;
        let holds = truth(g.terms, t, left.iter().copied());
        if holds.iter().all(|h| *h) {
            continue;
        }
        left = left.into_iter().zip(holds).filter(|(_, h)| *h).map(|(a, _)| a).collect();
        core.push(t);
        if left.is_empty() {
            let all = core.into_iter().map(|t| (t, truth(g.terms, t, assignments.iter()))).collect();
            return Some(minimal(all));
        }
    }
    None
}

/// For each assignment, whether the formula may hold; it may if its value is open.
fn truth<'a>(terms: &Terms, t: Term, assignments: impl Iterator<Item = &'a Vec<Value>>) -> Vec<bool> {
    let mut live = Vec::new();
    terms.mark(&[t], &mut live);
    let order: Vec<Term> = terms.all().filter(|t| live[t.index()]).collect();
    let mut values = vec![None; live.len()];
    let holds = |a: &Vec<Value>| {
        terms.evaluate_all(&order, a, &mut values);
        values[t.index()] != Some(Value::Bool(false))
    };
    assignments.map(holds).collect()
}

/// All assignments to the variables. Other variables are `false` in them, and are not used.
fn assignments(
    g: &Grower<'_>,
    variables: &[Term],
    values: &[Value],
    total: usize,
) -> Option<Vec<Vec<Value>>> {
    let all = g.terms.variables().len();
    (0..total)
        .map(|mut n| {
            let mut assignment = vec![Value::Bool(false); all];
            for &v in variables {
                let Head::Variable(at) = g.terms.head(v) else { return None };
                assignment[at as usize] = values[n % values.len()].clone();
                n /= values.len();
            }
            Some(assignment)
        })
        .collect()
}

/// A predicate over the variables and literals.
fn atom(g: &mut Grower<'_>, variables: &[Term], sort: Sort) -> Option<Term> {
    let ops = g.world.atoms(sort);
    let op = if g.rng.one_in(3) { op!("=") } else { *g.rng.pick(ops)? };
    let args = [term(g, variables, sort, 2)?, term(g, variables, sort, 2)?];
    let t = g.terms.app(op, &args[..op.arity()]);
    Some(if g.rng.one_in(3) { g.terms.app(op!("not"), &[t]) } else { t })
}

fn term(g: &mut Grower<'_>, variables: &[Term], sort: Sort, depth: u32) -> Option<Term> {
    if depth == 0 || g.rng.one_in(3) {
        if g.rng.one_in(5) {
            let value = crate::construct::corner::value(&mut g.rng, sort);
            return Some(g.terms.literal(sort, value));
        }
        return g.rng.pick(variables).copied();
    }
    let ops = g.world.operators(sort);
    for _ in 0..8 {
        let op = *g.rng.pick(ops)?;
        let mode = Sort::Mode;
        let shapes: [&[Sort]; 5] =
            [&[sort], &[sort, sort], &[mode, sort], &[mode, sort, sort], &[mode, sort, sort, sort]];
        let Some(sorts) = shapes.into_iter().find(|s| op.result(s, [1, 0]) == Some(sort)) else {
            continue;
        };
        let mut args = Vec::with_capacity(sorts.len());
        for &s in sorts {
            args.push(if s == mode {
                let value = crate::construct::corner::value(&mut g.rng, mode);
                g.terms.literal(mode, value)
            } else {
                term(g, variables, sort, depth - 1)?
            });
        }
        return g.terms.apply(op, [1, 0], &args).ok().or(args.pop());
    }
    g.rng.pick(variables).copied()
}

/// Leaves out assertions that the others do not need.
fn minimal(mut core: Vec<(Term, Vec<bool>)>) -> Vec<Term> {
    let mut i = 0;
    while i < core.len() {
        let rest = |at: usize| core.iter().enumerate().all(|(j, (_, holds))| j == i || holds[at]);
        if (0..core[i].1.len()).any(rest) {
            i += 1;
        } else {
            core.remove(i);
        }
    }
    core.into_iter().map(|c| c.0).collect()
}
