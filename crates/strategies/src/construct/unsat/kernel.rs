//! Kernels: small sets of contradictory assertions, as a table.

use smelt_core::Relation;

use super::law::{self, Law};
use super::{bits_bounds, exhaust, float_bounds};
use crate::construct::grow::Grower;
use crate::construct::operator::{Op, op};
use crate::construct::options::Settings;
use crate::construct::sort::Sort;
use crate::construct::term::{Function, Term};

/// A way to make a contradiction.
pub(crate) struct Kernel {
    pub(crate) name: &'static str,
    /// Whether the options allow it.
    pub(crate) usable: fn(&Settings) -> bool,
    /// How often it is chosen, compared with the others.
    weight: u32,
    make: fn(&mut Grower<'_>, &mut Vec<&'static str>) -> Option<Vec<Term>>,
}

const fn row(
    name: &'static str,
    weight: u32,
    usable: fn(&Settings) -> bool,
    make: fn(&mut Grower<'_>, &mut Vec<&'static str>) -> Option<Vec<Term>>,
) -> Kernel {
    Kernel { name, usable, weight, make }
}

/// Every kernel.
pub(crate) static KERNELS: &[Kernel] = &[
    row("law", 12, |_| true, broken_law),
    row("chain", 6, |_| true, broken_chain),
    row("cycle", 2, |_| true, |g, _| cycle(g)),
    row("congruence", 1, |_| true, |g, _| Some(congruence(g))),
    row("known-bits", 3, |o| !o.widths.is_empty(), |g, _| bits_bounds::known_bits(g)),
    row("interval", 3, |o| !o.widths.is_empty(), |g, _| bits_bounds::interval(g)),
    row("float-interval", 5, |o| !o.formats.is_empty(), |g, _| float_bounds::interval(g)),
    row("pigeonhole", 1, |o| o.widths.iter().any(|w| *w <= 3), |g, _| pigeonhole(g)),
    row("exhausted", 2, exhaust::usable, |g, _| exhaust::exhausted(g)),
];

/// A random kernel, by weight.
pub(crate) fn kernel(g: &mut Grower<'_>, used: &mut Vec<&'static str>) -> Vec<Term> {
    let options = &g.world.options;
    let weight =
        |k: &Kernel| if (k.usable)(options) { (k.weight * options.weight(k.name)) as usize } else { 0 };
    let total: usize = KERNELS.iter().map(weight).sum();
    for _ in 0..8 {
        if total == 0 {
            break;
        }
        let mut at = g.rng.below(total);
        let chosen = KERNELS.iter().find(|k| {
            let w = weight(k);
            let here = at < w;
            at = at.wrapping_sub(w);
            here
        });
        let Some(chosen) = chosen else { break };
        let mark = used.len();
        if let Some(terms) = (chosen.make)(g, used) {
            used.push(chosen.name);
            return terms;
        }
        used.truncate(mark);
    }
    used.push("congruence");
    congruence(g)
}

/// An instance of a law, with its sides.
fn instance(g: &mut Grower<'_>, used: &mut Vec<&'static str>) -> Option<(&'static Law, Term, Term)> {
    for _ in 0..6 {
        let law = *g.rng.pick(&g.world.laws.all)?;
        if let Some((left, right)) = law.instance(g, 2) {
            used.push(law.name);
            return Some((law, left, right));
        }
    }
    None
}

/// Asserts that two terms, equal by a law, differ.
fn differ(g: &mut Grower<'_>, x: Term, y: Term) -> Vec<Term> {
    let sort = g.terms.sort(x);
    match (sort, g.rng.below(5)) {
        (Sort::Bool, 0) => vec![g.terms.app(op!("xor"), &[x, y])],
        (Sort::Bool, 1) => {
            let not = g.terms.app(op!("not"), &[y]);
            vec![g.terms.app(op!("="), &[x, not])]
        }
        (Sort::Bool, 2) => {
            let (either, both) = (g.terms.app(op!("or"), &[x, y]), g.terms.app(op!("and"), &[x, y]));
            vec![either, g.terms.app(op!("not"), &[both])]
        }
        (_, 3) => {
            let equal = g.terms.app(op!("="), &[x, y]);
            vec![g.terms.app(op!("not"), &[equal])]
        }
        (_, 4) => {
            // Through two new variables.
            let (a, b) = (g.fresh(sort, None), g.fresh(sort, None));
            [(a, x, op!("=")), (y, b, op!("=")), (a, b, op!("distinct"))]
                .map(|(x, y, op)| g.terms.app(op, &[x, y]))
                .to_vec()
        }
        _ => vec![g.terms.app(op!("distinct"), &[x, y])],
    }
}

/// Contradicts a law.
fn broken_law(g: &mut Grower<'_>, used: &mut Vec<&'static str>) -> Option<Vec<Term>> {
    let (law, left, right) = instance(g, used)?;
    Some(break_law(g, law, left, right))
}

fn break_law(g: &mut Grower<'_>, law: &Law, left: Term, right: Term) -> Vec<Term> {
    let (strong, weak) = match law.relation {
        Relation::Same => return differ(g, left, right),
        Relation::Weaker => (left, right),
        Relation::Stronger => (right, left),
    };
    let not = g.terms.app(op!("not"), &[weak]);
    match g.rng.below(3) {
        0 => vec![g.terms.app(op!("and"), &[strong, not])],
        1 => {
            let implied = g.terms.app(op!("=>"), &[strong, weak]);
            vec![g.terms.app(op!("not"), &[implied])]
        }
        _ => vec![strong, not],
    }
}

/// Contradicts a law of which one side was rewritten by several more laws.
fn broken_chain(g: &mut Grower<'_>, used: &mut Vec<&'static str>) -> Option<Vec<Term>> {
    let (law, left, mut right) = instance(g, used)?;
    for _ in 0..2 + g.rng.below(4) {
        right = rewrite_inside(g, right, used).unwrap_or(right);
    }
    Some(break_law(g, law, left, right))
}

/// An equal term, with one random part rewritten by a law; `None` if no law was found for it.
pub(crate) fn rewrite_inside(g: &mut Grower<'_>, t: Term, used: &mut Vec<&'static str>) -> Option<Term> {
    let part = any_part(g, t);
    let other = law::rewrite(g, part, used)?;
    // Formulas are printed as trees, so shared parts count each time.
    if g.terms.size(t) + g.terms.size(other) > MAX_SIZE {
        return None;
    }
    replace(g, t, part, other)
}

/// Rewriting does not make terms larger than this.
const MAX_SIZE: u32 = 120;

/// Some part of a term, or the whole.
pub(crate) fn any_part(g: &mut Grower<'_>, t: Term) -> Term {
    let mut part = t;
    while !g.rng.one_in(3)
        && let Some(&a) = g.rng.pick(g.terms.args(part))
    {
        part = a;
    }
    part
}

/// The term with a part replaced everywhere.
pub(crate) fn replace(g: &mut Grower<'_>, t: Term, part: Term, by: Term) -> Option<Term> {
    if t == part {
        return Some(by);
    }
    let mut args = g.terms.args(t).to_vec();
    let mut changed = false;
    for a in &mut args {
        let new = replace(g, *a, part, by)?;
        changed |= new != *a;
        *a = new;
    }
    if changed { g.terms.with_args(t, &args).ok() } else { Some(t) }
}

/// A formula that is always true, by a law.
pub(crate) fn valid(g: &mut Grower<'_>, used: &mut Vec<&'static str>) -> Option<Term> {
    let (law, left, right) = instance(g, used)?;
    Some(match law.relation {
        Relation::Same => g.terms.app(op!("="), &[left, right]),
        Relation::Weaker => g.terms.app(op!("=>"), &[left, right]),
        Relation::Stronger => g.terms.app(op!("=>"), &[right, left]),
    })
}

/// The orders, each with its strict and its weak operator, and the same the other way round.
const BIT_ORDERS: [[Op; 4]; 2] = [
    [op!("bvult"), op!("bvule"), op!("bvugt"), op!("bvuge")],
    [op!("bvslt"), op!("bvsle"), op!("bvsgt"), op!("bvsge")],
];
const FLOAT_ORDER: [Op; 4] = [op!("fp.lt"), op!("fp.leq"), op!("fp.gt"), op!("fp.geq")];

/// `a < b <= c < .. a`: an order that goes round and is strict at least once. For NaN, no comparison holds.
fn cycle(g: &mut Grower<'_>) -> Option<Vec<Term>> {
    let sort = g.world.scalar(&mut g.rng);
    let order = match sort {
        Sort::Bits(_) => BIT_ORDERS[g.rng.below(2)],
        _ => FLOAT_ORDER,
    };
    let length = 2 + g.rng.below(3);
    let terms: Vec<Term> = (0..length).map(|_| g.any(sort, 2)).collect();
    let strict = g.rng.below(length);
    let mut all = Vec::with_capacity(length);
    for i in 0..length {
        let (x, y) = (terms[i], terms[(i + 1) % length]);
        let weak = i != strict && g.rng.one_in(2);
        let (less, greater) = (order[usize::from(weak)], order[2 + usize::from(weak)]);
        all.push(if g.rng.one_in(2) { g.terms.app(less, &[x, y]) } else { g.terms.app(greater, &[y, x]) });
    }
    Some(all)
}

/// Equal arguments, different results: of a declared function, an array, or an operator.
fn congruence(g: &mut Grower<'_>) -> Vec<Term> {
    let sort = g.world.scalar(&mut g.rng);
    let length = 2 + g.rng.below(3);
    let terms: Vec<Term> = (0..length).map(|_| g.any(sort, 2)).collect();
    let mut all: Vec<Term> = terms.windows(2).map(|w| g.terms.app(op!("="), w)).collect();
    let ends = [terms[0], terms[length - 1]].map(|t| {
        let options = &g.world.options;
        match sort {
            _ if options.functions => {
                let own = g.terms.functions.iter().position(|f| f.args == [sort]);
                let f = own.unwrap_or_else(|| {
                    let result = g.world.scalar(&mut g.rng);
                    let new = Function { args: vec![sort], result, graph: Vec::new(), default: None };
                    g.terms.functions.push(new);
                    g.terms.functions.len() - 1
                });
                g.terms.call(f as u32, &[t], None)
            }
            Sort::Bits(_) => g.terms.app(op!("bvnot"), &[t]),
            _ => g.terms.app(op!("fp.neg"), &[t]),
        }
    });
    all.push(g.terms.app(op!("distinct"), &ends));
    all
}

/// More distinct terms than the sort has values.
fn pigeonhole(g: &mut Grower<'_>) -> Option<Vec<Term>> {
    let small: Vec<u32> = g.world.options.widths.iter().copied().filter(|w| *w <= 3).collect();
    let width = 1 + g.rng.below(*g.rng.clone().pick(&small)? as usize) as u32;
    let terms: Vec<Term> = (0..=1 << width).map(|_| g.any(Sort::Bits(width), 1)).collect();
    // Simplifiers count the arguments of one `distinct`.
    if g.rng.one_in(8) {
        return Some(vec![g.terms.app(op!("distinct"), &terms)]);
    }
    let mut all = Vec::new();
    for i in 0..terms.len() {
        for j in 0..i {
            all.push(g.terms.app(op!("distinct"), &[terms[j], terms[i]]));
        }
    }
    // In one assertion: one for each pair would fill the script.
    Some(vec![g.terms.app(op!("and"), &all)])
}
