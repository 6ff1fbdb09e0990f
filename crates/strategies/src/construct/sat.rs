//! Formulas that are true under the assignment: each starts from a semantic rule, or from any terms.

use smelt_semantics::BitVec;
use smelt_semantics::value::Value;

use super::corner;
use super::grow::Grower;
use super::operator::op;
use super::sort::Sort;
use super::term::Term;

impl Grower<'_> {
    /// A formula with a truth value.
    pub(crate) fn formula(&mut self, want: bool, depth: u32) -> Term {
        if depth < 2 || !self.rng.one_in(3) {
            return self.atom(want, depth);
        }
        let depth = depth - 1;
        let other = self.rng.one_in(2);
        // The truth values of the arguments that give the whole its own.
        let (op, truths) = match self.rng.below(7) {
            0 => (op!("not"), vec![!want]),
            1 if want => (op!("and"), vec![true; 2 + self.rng.below(2)]),
            1 => (op!("and"), self.mixed(false)),
            2 if want => (op!("or"), self.mixed(true)),
            2 => (op!("or"), vec![false; 2]),
            3 if want && other => (op!("=>"), vec![false, self.rng.one_in(2)]),
            3 => (op!("=>"), vec![true, want]),
            4 => (op!("xor"), vec![other, want ^ other]),
            5 => (op!("="), vec![other, want == other]),
            _ => (op!("ite"), if other { vec![true, want, !want] } else { vec![false, !want, want] }),
        };
        let args: Vec<Term> = truths.into_iter().map(|t| self.formula(t, depth)).collect();
        self.terms.app(op, &args)
    }

    /// Two or three truth values; at least one of them is `one`.
    fn mixed(&mut self, one: bool) -> Vec<bool> {
        let mut all: Vec<bool> = (0..1 + self.rng.below(2)).map(|_| self.rng.one_in(2)).collect();
        all.insert(self.rng.below(all.len() + 1), one);
        all
    }

    /// A predicate with a truth value.
    fn atom(&mut self, want: bool, depth: u32) -> Term {
        if self.rng.one_in(16) {
            return self.leaf(&Value::Bool(want), Sort::Bool);
        }
        let below = depth.saturating_sub(1);
        let aimed = if self.rng.one_in(4) { None } else { self.aimed(below) };
        let t = match aimed {
            Some(t) => t,
            None => {
                let sort = self.world.scalar(&mut self.rng);
                self.any(sort, depth.max(1))
            }
        };
        if self.terms.sort(t) == Sort::Bool {
            return self.settle(t, want);
        }
        self.relation(t, want, below.min(1))
    }

    /// An application in the corner of some rule.
    fn aimed(&mut self, depth: u32) -> Option<Term> {
        let (rule, witness) = self.world.aim(&mut self.rng)?;
        let mut args = [Term::default(); 4];
        for (arg, (sort, value)) in args.iter_mut().zip(&witness.args) {
            *arg = self.with_value(value, *sort, depth);
        }
        self.terms.apply(rule.op, witness.indices, &args[..witness.args.len()]).ok()
    }

    /// A predicate about a term, with a truth value.
    fn relation(&mut self, t: Term, want: bool, depth: u32) -> Term {
        let sort = self.terms.sort(t);
        let Some(value) = self.terms.value(t).cloned() else { return t };
        let ops = match (sort, &value) {
            (Sort::Bits(w), Value::BitVec(b)) => {
                if self.rng.one_in(8) {
                    let at = self.rng.below(w as usize) as u32;
                    let bit = self.terms.literal(Sort::Bits(1), BitVec::from_bool(b.bit(at)).into());
                    if let Ok(taken) = self.terms.apply(op!("extract"), [at, at], &[t]) {
                        let equal = self.terms.app(op!("="), &[taken, bit]);
                        return self.settle(equal, want);
                    }
                }
                self.world.atoms(sort)
            }
            _ => self.world.atoms(sort),
        };
        let op = match self.rng.pick(ops) {
            Some(&op) if !self.rng.one_in(2) => op,
            _ => op!("="),
        };
        if op.arity() == 1 {
            let test = self.terms.app(op, &[t]);
            return self.settle(test, want);
        }
        // `=` compares it to its own value or to another one, an order to a value near it or to any.
        let other = match (op.key, self.rng.below(4)) {
            ("=", _) if want => value,
            (_, 0) => value,
            (_, 1) => corner::related(&mut self.rng, &value, sort),
            _ => corner::value(&mut self.rng, sort),
        };
        let u = self.with_value(&other, sort, depth);
        let args = if self.rng.one_in(2) { [t, u] } else { [u, t] };
        let t = self.terms.app(op, &args);
        self.settle(t, want)
    }
}
