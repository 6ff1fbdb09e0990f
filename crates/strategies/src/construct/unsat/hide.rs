//! Steps that hide a kernel, as a table. The comment before each step says why the core stays unsatisfiable.

use super::kernel::{any_part, replace, rewrite_inside};
use crate::construct::grow::Grower;
use crate::construct::operator::{element, op};
use crate::construct::options::Settings;
use crate::construct::sort::Sort;
use crate::construct::term::Term;

/// A step: changes the assertion at a place, and may add others.
pub(crate) struct Step {
    pub(crate) name: &'static str,
    /// Whether the options allow it.
    pub(crate) usable: fn(&Settings) -> bool,
    /// How many assertions it adds.
    adds: usize,
    make: fn(&mut Grower<'_>, &mut Vec<Term>, usize, &mut Vec<&'static str>) -> Option<()>,
}

const fn row(
    name: &'static str,
    adds: usize,
    make: fn(&mut Grower<'_>, &mut Vec<Term>, usize, &mut Vec<&'static str>) -> Option<()>,
) -> Step {
    Step { name, usable: |_| true, adds, make }
}

/// Every step.
pub(crate) static STEPS: &[Step] = &[
    // F becomes (or F g) and (or F (not g)): together they imply F.
    row("split", 1, |g, core, i, _| {
        let (f, other) = (core[i], g.any_formula(2));
        let not = g.terms.app(op!("not"), &[other]);
        core[i] = g.terms.app(op!("or"), &[f, other]);
        core.push(g.terms.app(op!("or"), &[not, f]));
        Some(())
    }),
    // F becomes (=> g F) and g.
    row("guard", 1, |g, core, i, _| {
        let other = g.any_formula(2);
        core[i] = g.terms.app(op!("=>"), &[other, core[i]]);
        core.push(other);
        Some(())
    }),
    // F becomes (= p F) and p, or (=> p F) and p, for a new p.
    row("name", 1, |g, core, i, _| {
        let p = g.fresh(Sort::Bool, None);
        let op = if g.rng.one_in(2) { op!("=") } else { op!("=>") };
        core[i] = g.terms.app(op, &[p, core[i]]);
        core.push(p);
        Some(())
    }),
    // A part of F becomes a new constant that equals it.
    row("define", 1, |g, core, i, _| {
        let part = any_part(g, core[i]);
        if part == core[i] {
            return None;
        }
        let v = g.fresh(g.terms.sort(part), None);
        core[i] = replace(g, core[i], part, v)?;
        core.push(g.terms.app(op!("="), &[v, part]));
        Some(())
    }),
    // F becomes a formula that implies it.
    row("strengthen", 0, |g, core, i, _| {
        let other = g.any_formula(2);
        core[i] = g.terms.app(op!("and"), &[other, core[i]]);
        Some(())
    }),
    // F becomes (ite g F F'), with F' equal to F by laws.
    row("branch", 0, |g, core, i, used| {
        let (f, condition) = (core[i], g.any_formula(2));
        let other = rewrite_inside(g, f, used).unwrap_or(f);
        core[i] = g.terms.app(op!("ite"), &[condition, f, other]);
        Some(())
    }),
    // Parts of F become equal ones by laws.
    row("rewrite", 0, |g, core, i, used| {
        for _ in 0..1 + g.rng.below(3) {
            core[i] = rewrite_inside(g, core[i], used).unwrap_or(core[i]);
        }
        Some(())
    }),
    // A part of F is stored in an array and read back.
    Step {
        name: "store",
        usable: |o| o.arrays,
        adds: 0,
        make: |g, core, i, _| {
            let part = any_part(g, core[i]);
            let e = element(g.terms.sort(part))?;
            let width = g.world.width(&mut g.rng)?;
            let (array, index) = (g.any(Sort::Array(width, e), 1), g.any(Sort::Bits(width), 1));
            let stored = g.terms.app(op!("store"), &[array, index, part]);
            let read = g.terms.app(op!("select"), &[stored, index]);
            core[i] = replace(g, core[i], part, read)?;
            Some(())
        },
    },
    // Two assertions become one.
    row("join", 0, |g, core, i, _| {
        if core.len() < 2 {
            return None;
        }
        let f = core.swap_remove(i);
        let at = g.rng.below(core.len());
        core[at] = g.terms.app(op!("and"), &[f, core[at]]);
        Some(())
    }),
];

/// An assertion with more terms than this is not changed any more.
const MAX_SIZE: u32 = 250;

/// Applies one random step to a core, unless it would then have more than `most` assertions.
pub(crate) fn hide(g: &mut Grower<'_>, core: &mut Vec<Term>, most: usize, used: &mut Vec<&'static str>) {
    let step = &STEPS[g.rng.below(STEPS.len())];
    let at = g.rng.below(core.len());
    let fits = (step.usable)(&g.world.options) && g.world.options.weight(step.name) > 0;
    if !fits || core.len() + step.adds > most || g.terms.size(core[at]) > MAX_SIZE {
        return;
    }
    if (step.make)(g, core, at, used).is_some() {
        used.push(step.name);
    }
}
