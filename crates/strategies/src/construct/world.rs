//! The data of a generator: its options, the operators and rules that they allow, and arguments that reach the
//! rules.

use std::cell::OnceCell;
use std::sync::Arc;

use smelt_semantics::Format;
use smelt_smtlib::signature::SortPattern;

use super::operator::{Op, is_array, is_bits, is_float, is_number};
use super::options::{Settings, Status};
use super::rule::{Rule, Witness, rules, witnesses};
use super::sort::Sort;
use super::unsat::law::Laws;
use crate::rng::Rng;

/// Made once from options.
pub(crate) struct World {
    pub(crate) options: Settings,
    /// Operators whose results are bit-vectors.
    pub(crate) bits: Vec<Op>,
    /// Operators whose results are floats.
    pub(crate) floats: Vec<Op>,
    /// Predicates over bit-vectors, and over floats.
    pub(crate) bit_atoms: Vec<Op>,
    pub(crate) float_atoms: Vec<Op>,
    /// The same for integers and for reals.
    pub(crate) ints: Vec<Op>,
    pub(crate) reals: Vec<Op>,
    pub(crate) int_atoms: Vec<Op>,
    pub(crate) real_atoms: Vec<Op>,
    /// Laws that unsatisfiable formulas contradict.
    pub(crate) laws: Laws,
    aims: Vec<Aim>,
}

/// A rule to aim at.
struct Aim {
    rule: &'static Rule,
    /// The sum of the weights of this rule and all before it.
    below: usize,
    witnesses: OnceCell<Arc<[Witness]>>,
}

impl World {
    pub(crate) fn new(options: Settings) -> World {
        let usable = |op: &Op| {
            let named = options.operators.is_empty()
                || options.operators.iter().any(|n| *n == op.key || *n == op.name);
            named && (options.recent || !op.recent) && fits(*op, &options)
        };
        // A remainder of large floats takes solvers minutes.
        let large = options.formats.iter().any(|f| f.eb() > 5);
        let slow = |op: &Op| op.key == "fp.rem" && large;
        let ops = |kind: &dyn Fn(&Op) -> bool| -> Vec<Op> {
            Op::all().filter(|op| kind(op) && usable(op) && !slow(op)).collect()
        };
        let atom = |op: &Op, argument: fn(&SortPattern) -> bool| {
            op.mentions(argument) && op.row.result == SortPattern::Exact(smelt_smtlib::Sort::BOOL)
        };
        let int = |p: &SortPattern| *p == SortPattern::Exact(smelt_smtlib::Sort::INT);
        let real = |p: &SortPattern| *p == SortPattern::Exact(smelt_smtlib::Sort::REAL);
        // Contradictions are sought in small spaces: numbers are in laws only.
        let is_unsat = options.status == Status::Unsat;
        let grows = |op: &Op| !is_unsat || !op.mentions(is_number);
        let mut below = 0;
        let mut aims = Vec::new();
        for rule in rules().filter(|r| options.families.contains(&r.family)) {
            let weight = options.weight(rule.name) as usize * if slow(&rule.op) { 1 } else { 4 };
            if weight > 0 && (usable(&rule.op) || rule.op.key == "=") {
                below += weight;
                aims.push(Aim { rule, below, witnesses: OnceCell::new() });
            }
        }
        World {
            bits: ops(&|op| is_bits(&op.row.result) && grows(op)),
            floats: ops(&|op| is_float(&op.row.result) && grows(op)),
            bit_atoms: ops(&|op| atom(op, is_bits)),
            float_atoms: ops(&|op| atom(op, is_float)),
            ints: ops(&|op| int(&op.row.result)),
            reals: ops(&|op| real(&op.row.result)),
            int_atoms: ops(&|op| atom(op, int)),
            real_atoms: ops(&|op| atom(op, real)),
            aims,
            laws: Laws::new(&options),
            options,
        }
    }

    /// A random rule, by weight, with arguments that reach it; `None` if no arguments are known.
    pub(crate) fn aim(&self, rng: &mut Rng) -> Option<(&'static Rule, &Witness)> {
        let total = self.aims.last()?.below;
        let at = rng.below(total);
        let aim = &self.aims[self.aims.partition_point(|a| a.below <= at)];
        let found = self.witnesses(aim);
        rng.pick(found).map(|w| (aim.rule, w))
    }

    /// The rules that are aimed at and can be reached with these widths and formats.
    pub(crate) fn rules(&self) -> impl Iterator<Item = &'static Rule> {
        self.aims.iter().filter(|a| !self.witnesses(a).is_empty()).map(|a| a.rule)
    }

    fn witnesses<'a>(&self, aim: &'a Aim) -> &'a [Witness] {
        aim.witnesses.get_or_init(|| witnesses(aim.rule, &self.options.widths, &self.options.formats))
    }

    /// A random width; mostly the first.
    pub(crate) fn width(&self, rng: &mut Rng) -> Option<u32> {
        prefer_first(&self.options.widths, rng)
    }

    /// A random format; mostly the first.
    pub(crate) fn format(&self, rng: &mut Rng) -> Option<Format> {
        prefer_first(&self.options.formats, rng)
    }

    /// The operators that give a sort.
    pub(crate) fn operators(&self, sort: Sort) -> &[Op] {
        match sort {
            Sort::Bits(_) => &self.bits,
            Sort::Int => &self.ints,
            Sort::Real => &self.reals,
            _ => &self.floats,
        }
    }

    /// The predicates over a sort.
    pub(crate) fn atoms(&self, sort: Sort) -> &[Op] {
        match sort {
            Sort::Bits(_) => &self.bit_atoms,
            Sort::Int => &self.int_atoms,
            Sort::Real => &self.real_atoms,
            _ => &self.float_atoms,
        }
    }

    /// A random sort of bit-vectors or floats, mostly floats where there are both; or of numbers.
    pub(crate) fn scalar(&self, rng: &mut Rng) -> Sort {
        if self.options.numbers && self.options.status != Status::Unsat && rng.one_in(4) {
            let has = [!self.options.widths.is_empty(), !self.options.formats.is_empty()];
            return if has[0] && (!has[1] || rng.one_in(2)) { Sort::Int } else { Sort::Real };
        }
        let floats = !self.options.formats.is_empty()
            && (self.options.widths.is_empty() || !rng.one_in(if self.options.arrays { 2 } else { 6 }));
        let sort = if floats { self.format(rng).map(Sort::Float) } else { self.width(rng).map(Sort::Bits) };
        sort.expect("options have a width or a format")
    }
}

fn prefer_first<T: Copy>(list: &[T], rng: &mut Rng) -> Option<T> {
    if !rng.one_in(8) { list.first().copied() } else { rng.pick(list).copied() }
}

/// Whether the options have the sorts that an operator needs.
fn fits(op: Op, options: &Settings) -> bool {
    (!options.widths.is_empty() || !op.mentions(is_bits))
        && (!options.formats.is_empty() || !op.mentions(is_float))
        && (options.formats.len() > 1 || op.key != "to_fp.float")
        && (options.arrays || !op.mentions(is_array))
        && (options.numbers || !op.mentions(is_number))
}
