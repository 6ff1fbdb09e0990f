//! Unsatisfiable formulas: a kernel, hidden by steps that keep it unsatisfiable, among other assertions.
//!
//! A kernel contradicts a proved law, an order, the bounds of a term, or all values of a few variables (`exhaust`,
//! the only search here). `hide` changes a kernel, and says why it stays unsatisfiable; `cut` cuts it into pieces
//! that are satisfiable alone. The other assertions are true under one assignment, so none of them is the
//! contradiction.

mod bits_bounds;
mod cut;
mod exhaust;
mod float_bounds;
mod hide;
mod kernel;
pub(crate) mod law;
mod theory_free;

use super::grow::Grower;
use super::script::Assertion;
use super::term::Term;
use super::world::World;
pub(crate) use cut::cut;
use hide::STEPS;
use kernel::KERNELS;
use law::laws;
pub(crate) use theory_free::is_theory_free;

/// The name under which formulas are counted that need no theory to be unsatisfiable.
pub(crate) const THEORY_FREE: &str = "theory-free";

/// The names of all kernels, hiding steps and laws.
pub(crate) fn kernel_names() -> impl Iterator<Item = &'static str> {
    KERNELS.iter().map(|k| k.name).chain(STEPS.iter().map(|s| s.name)).chain(laws().iter().map(|l| l.name))
}

/// The names of those that the options allow.
pub(crate) fn usable(world: &World) -> impl Iterator<Item = &'static str> {
    let kernels = KERNELS.iter().filter(|k| (k.usable)(&world.options)).map(|k| k.name);
    let steps = STEPS.iter().filter(|s| (s.usable)(&world.options)).map(|s| s.name);
    let free = (world.options.theory_free > 0).then_some(THEORY_FREE);
    kernels.chain(steps).chain(world.laws.all.iter().map(|l| l.name)).chain(free)
}

/// About `number` assertions that contradict each other; `used` gets the names of the kernel, steps and laws.
pub(crate) fn assertions(g: &mut Grower<'_>, number: u32, used: &mut Vec<&'static str>) -> Vec<Assertion> {
    let mut core = kernel::kernel(g, used);
    let steps = 1 + g.rng.below(4);
    for _ in 0..steps {
        hide::hide(g, &mut core, number as usize, used);
    }
    let mut all: Vec<Assertion> = core.into_iter().map(|term| Assertion { term, core: true }).collect();
    while all.len() < number as usize {
        let term = noise(g, used);
        all.push(Assertion { term, core: false });
    }
    g.rng.shuffle(&mut all);
    all
}

/// An assertion that holds under the assignment; sometimes one that is always true by a law.
fn noise(g: &mut Grower<'_>, used: &mut Vec<&'static str>) -> Term {
    let depth = g.world.options.depth;
    if g.rng.one_in(3)
        && let Some(t) = kernel::valid(g, used)
    {
        return t;
    }
    g.valued = true;
    let t = g.formula(true, depth);
    g.valued = false;
    t
}
