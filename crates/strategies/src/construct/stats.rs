//! How often each rule and each kernel was used.

use smelt_semantics::value::Value;

use super::operator::Op;
use super::options::Status;
use super::rule::{Application, Rule};
use super::term::{Head, Terms};
use super::unsat;
use super::world::World;

/// Counts over many formulas.
pub(crate) struct Counts {
    /// The rules of each operator, each with its count.
    rules: Vec<Vec<(&'static Rule, u64)>>,
    kernels: Vec<(&'static str, u64)>,
}

impl Counts {
    pub(crate) fn new(world: &World) -> Counts {
        let mut rules: Vec<Vec<(&'static Rule, u64)>> = Op::all().map(|_| Vec::new()).collect();
        let mut kernels = Vec::new();
        match world.options.status {
            Status::Sat => world.rules().for_each(|r| rules[r.op.index()].push((r, 0))),
            Status::Unsat => kernels = unsat::usable(world).map(|name| (name, 0)).collect(),
            Status::None => {}
        }
        Counts { rules, kernels }
    }

    /// Counts the corners that the terms of a formula are in, and the kernels it was made of.
    pub(crate) fn add(&mut self, terms: &Terms, live: &[bool], kernels: &[&'static str]) {
        for t in terms.all().filter(|t| live[t.index()]) {
            let Head::Operator(op) = terms.head(t) else { continue };
            let rules = &mut self.rules[op.index()];
            if rules.is_empty() {
                continue;
            }
            let args: Option<Vec<&Value>> = terms.args(t).iter().map(|&a| terms.value(a)).collect();
            let (Some(args), Some(result)) = (args, terms.value(t)) else { continue };
            // The rules of `=` are about floats.
            if op.key == "=" && args[0].as_float().is_none() {
                continue;
            }
            let case = Application { op, args: &args, indices: terms.indices(t), result };
            rules.iter_mut().filter(|(rule, _)| rule.holds(&case)).for_each(|(_, n)| *n += 1);
        }
        for name in kernels {
            self.kernels.iter_mut().filter(|k| k.0 == *name).for_each(|(_, n)| *n += 1);
        }
    }

    pub(crate) fn list(&self) -> Vec<(&'static str, u64)> {
        let rules = self.rules.iter().flatten().map(|(rule, n)| (rule.name, *n));
        rules.chain(self.kernels.iter().copied()).collect()
    }
}
