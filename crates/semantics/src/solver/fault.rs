//! Planted faults: known bugs of the built-in solver, which smelt's own tests and demo must find.
//!
//! [`FAULTS`] has one row for each. `tests/faults/` has a script that triggers each. Their conditions are broad on
//! purpose, so that mutants of small seeds trigger them.

use smelt_core::Kind;
use smelt_smtlib::{Arena, Term, View};

use super::faulty;
use super::interpolate::Cut;
use super::optimise::Slip;
use super::session::Mishap;
use crate::eval::{Lazy, Meaning, Operator, Operators, Strict};
use crate::goal::Goal;
use crate::model::{Model, declared};
use crate::value::Value;
use crate::{BitVec, Int, Real};

/// A condition on one sub-term of a goal.
type Trigger = fn(&Arena, Term) -> bool;
/// Another term for some terms.
pub(crate) type Rule = fn(&mut Arena, Term) -> Option<Term>;

/// Where a fault sits.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Plant {
    /// In the meaning of an operator over values.
    Strict(&'static str, Strict),
    /// In the meaning of an operator over terms.
    Lazy(&'static str, Lazy),
    /// Universal quantifiers are checked at one value only.
    FirstValue,
    /// The process goes wrong when the goal has such a term.
    Mishap(Trigger, Mishap),
    /// The answer is unknown when the goal has such a term.
    Unknown(Trigger),
    /// In the model that is given.
    ModelOffByOne,
    /// In the core that is given.
    CoreDropsOne,
    /// In the unsat assumptions that are given.
    AssumptionsDropOne,
    /// In the meaning of an operator where `get-value` asks for the value of a term.
    Value(&'static str, Strict),
    /// In `simplify`: a rule that replaces a term by one that means something else.
    Rewrite(Rule),
    /// In the optima that are reported.
    Optimum(Slip),
    /// In the goal that a tactic leaves.
    GoalDropsLast,
    /// In the elimination of quantifiers: the last conjunct of a body is lost.
    EliminationDropsLast,
    /// In the proofs that are given: a rule by which a term is simplified.
    Proof(Rule),
    /// In the interpolants that are given.
    Interpolant(Cut),
    /// `(reset)` does not forget that the assertions were inconsistent.
    LeakThroughReset,
    /// `(pop)` keeps the assertion of a level that has no other.
    PopKeepsLast,
}

/// A known bug.
#[derive(Clone, Copy, Debug)]
pub struct Fault {
    /// Its name for `--fault`.
    pub name: &'static str,
    /// The fault in one line.
    pub description: &'static str,
    /// The finding it should lead to.
    pub kind: Kind,
    /// The theory it is in.
    pub theory: &'static str,
    pub(crate) plant: Plant,
}

impl Fault {
    /// The fault of a name.
    pub fn named(name: &str) -> Option<&'static Fault> {
        FAULTS.iter().find(|f| f.name == name)
    }

    /// The table of operators with the fault, if it sits there.
    pub(crate) fn operators(&self) -> Option<Operators> {
        match self.plant {
            Plant::Strict(name, f) => Some(Operators::right().replace(name, Operator::Strict(f))),
            Plant::Lazy(name, f) => Some(Operators::right().replace(name, Operator::Lazy(f))),
            Plant::FirstValue => Some(Operators::right().hasty()),
            _ => None,
        }
    }

    /// The table of operators with a fault that shows in `get-value` only.
    pub(crate) fn value_operators(&self) -> Option<Operators> {
        match self.plant {
            Plant::Value(name, f) => Some(Operators::right().replace(name, Operator::Strict(f))),
            _ => None,
        }
    }

    /// Whether a fault in the meaning of operators makes a difference to a goal: it must not slow down or spoil any other.
    pub(crate) fn concerns(&self, arena: &Arena, goal: &Goal) -> bool {
        match self.plant {
            Plant::Strict(name, _) | Plant::Lazy(name, _) => {
                triggers(arena, goal, |arena, term| is_named(arena, term, name.as_bytes()))
            }
            _ => true,
        }
    }
}

macro_rules! faults {
    ($($name:literal: $kind:ident in $theory:literal, $plant:expr, $description:literal;)*) => {
        /// Every planted fault.
        pub const FAULTS: &[Fault] = &[$(Fault {
            name: $name,
            description: $description,
            kind: Kind::$kind,
            theory: $theory,
            plant: $plant,
        }),*];
    };
}

faults! {
    "str-replace-empty": RefutationUnsound in "Strings", Plant::Strict("str.replace", faulty::str_replace),
        "str.replace of the empty string leaves the subject unchanged";
    "str-to-int-zeros": RefutationUnsound in "Strings", Plant::Strict("str.to_int", faulty::str_to_int),
        "str.to_int of digits with a leading zero is -1";
    "fp-rem-small": RefutationUnsound in "FloatingPoint", Plant::Strict("fp.rem", faulty::fp_rem),
        "fp.rem of x by a larger y is +zero";
    "bvudiv-zero": SolutionUnsound in "BitVectors", Plant::Strict("bvudiv", faulty::bvudiv),
        "bvudiv by zero is zero";
    "bvashr-logical": RefutationUnsound in "BitVectors", Plant::Strict("bvashr", faulty::bvashr),
        "bvashr shifts zeros in";
    "distinct-neighbours": SolutionUnsound in "Core", Plant::Lazy("distinct", faulty::distinct),
        "distinct of three or more compares neighbours only";
    "array-default-equality": SolutionUnsound in "Arrays", Plant::Lazy("=", faulty::equal),
        "arrays are equal when they are equal outside of what was stored";
    "set-minus-keeps": RefutationUnsound in "Sets", Plant::Strict("set.minus", faulty::set_minus),
        "set.minus takes nothing away";
    "forall-first-value": SolutionUnsound in "Core", Plant::FirstValue,
        "a universal quantifier is checked for the first value of each variable only";
    "div-truncates": Unsound in "Ints", Plant::Strict("div", faulty::div),
        "div of a negative number rounds towards zero";
    "model-off-by-one": InvalidModel in "Core", Plant::ModelOffByOne,
        "the first number in a model is one too large";
    "core-drops-one": InvalidCore in "Core", Plant::CoreDropsOne,
        "the last name of an unsat core is missing";
    "assumptions-drop-one": InvalidCore in "Core", Plant::AssumptionsDropOne,
        "the last of the unsat assumptions is missing";
    "assertion-nested-ite": Crash in "Core", Plant::Mishap(nested_ite, Mishap::Abort(ASSERTION)),
        "an ite inside of an ite fails an assertion";
    "segfault-xor": Crash in "Core", Plant::Mishap(|a, t| is_named(a, t, b"xor"), Mishap::Segfault),
        "xor is a segmentation fault";
    "hang-square": Hang in "Ints", Plant::Mishap(is_square, Mishap::Hang),
        "a product of two equal factors never ends";
    "memory-concat": PerfRegression in "Strings", Plant::Mishap(long_concat, Mishap::Exhaust),
        "a concatenation of three or more strings takes all memory";
    "slow-ite": PerfRegression in "Core", Plant::Mishap(is_ite, Mishap::Delay(4_000)),
        "an ite costs four seconds";
    "unknown-implication": IncompleteRegression in "Core", Plant::Unknown(|a, t| is_named(a, t, b"=>")),
        "unknown as soon as there is an implication";
    "unknown-disjunction": IncompleteImplication in "Core", Plant::Unknown(|a, t| is_named(a, t, b"or")),
        "unknown as soon as there is a disjunction";
    "reset-keeps-unsat": RefutationUnsound in "Core", Plant::LeakThroughReset,
        "after unsat and reset the next answer is unsat again";
    "pop-keeps-assertion": RefutationUnsound in "Core", Plant::PopKeepsLast,
        "pop keeps the assertion of a level that has no other";
    "value-bvsub-swapped": WrongValue in "BitVectors", Plant::Value("bvsub", faulty::bvsub),
        "get-value of a bvsub subtracts the first operand from the second";
    "optimum-box-first-model": WrongOptimum in "Core", Plant::Optimum(Slip::BoxKeepsFirstModel),
        "in a box, later objectives keep the value that they have in the model of the first";
    "optimum-lex-forgets-earlier": WrongOptimum in "Core", Plant::Optimum(Slip::ForgetsEarlier),
        "in lexicographic order, later objectives have their optima without the earlier ones";
    "simplify-minus-swapped": WrongRewrite in "Ints", Plant::Rewrite(swap_minus),
        "simplify swaps the operands of a difference";
    "qe-drops-conjunct": WrongRewrite in "Core", Plant::EliminationDropsLast,
        "qe loses the last conjunct below an existential quantifier";
    "interpolant-private": InvalidInterpolant in "Core", Plant::Interpolant(Cut::Private),
        "interpolants keep the constants that only the first part has";
    "interpolant-everywhere": InvalidInterpolant in "Core", Plant::Interpolant(Cut::Everywhere),
        "interpolants quantify the constants of the first part universally";
    "proof-minus-swapped": InvalidProof in "Ints", Plant::Proof(swap_minus),
        "a step of a proof swaps the operands of a difference";
    "apply-drops-conjunct": WrongRewrite in "Core", Plant::GoalDropsLast,
        "apply loses the last of several conjuncts";
}

/// As solvers written in C++ print it.
const ASSERTION: &str = "smelt: src/solver/rewriter.rs:417: Node Rewriter::flatten(Node): Assertion `node.kind() != Kind::Ite' failed.";

/// Whether a sub-term of a goal meets a condition.
pub(crate) fn triggers(arena: &Arena, goal: &Goal, trigger: impl Fn(&Arena, Term) -> bool) -> bool {
    let definitions = goal.context.commands.iter().flat_map(|c| c.terms());
    let roots = goal.assertions.iter().copied().chain(definitions);
    arena.parts_first(roots).into_iter().any(|t| trigger(arena, t))
}

/// The name and arguments of a standard operator.
fn operator(arena: &Arena, term: Term) -> Option<(&[u8], &[Term])> {
    let View::App(fun, args) = arena.view(term) else { return None };
    let f = arena.fun_view(fun);
    f.op.map(|_| (arena.text(f.name), args))
}

fn is_named(arena: &Arena, term: Term, name: &[u8]) -> bool {
    operator(arena, term).is_some_and(|o| o.0 == name)
}

fn is_ite(arena: &Arena, term: Term) -> bool {
    is_named(arena, term, b"ite")
}

fn nested_ite(arena: &Arena, term: Term) -> bool {
    is_ite(arena, term) && arena.children(term).iter().any(|&c| is_ite(arena, c))
}

fn is_square(arena: &Arena, term: Term) -> bool {
    let variable = |t: Term| !matches!(arena.view(t), View::Literal(..));
    matches!(operator(arena, term), Some((b"*", args)) if args.windows(2).any(|w| w[0] == w[1] && variable(w[0])))
}

fn long_concat(arena: &Arena, term: Term) -> bool {
    matches!(operator(arena, term), Some((b"str.++", args)) if args.len() > 2)
}

/// `(- a b)` as `(- b a)`.
fn swap_minus(arena: &mut Arena, term: Term) -> Option<Term> {
    let (b"-", &[a, b]) = operator(arena, term)? else { return None };
    Some(arena.with_children(term, &[b, a]))
}

/// Makes the first number of a model one larger.
pub(crate) fn spoil_model(goal: &Goal, model: &mut Model) {
    for (name, ..) in declared(goal).into_iter().filter(|(_, args, _)| args.is_empty()) {
        let larger = match model.value(name) {
            Some(Value::Int(i)) => Some(Value::Int(i + Int::ONE)),
            Some(Value::Real(r)) => r.add(&Real::from(Int::ONE)).ok().map(Value::Real),
            Some(Value::BitVec(b)) => Some(Value::BitVec(b.bvadd(&BitVec::new(b.width(), 1)))),
            _ => None,
        };
        if let Some(larger) = larger {
            return model.interpretation.assign(name, Meaning::Value(larger));
        }
    }
}
