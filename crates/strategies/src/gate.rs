//! Decides what may be added to a mutant of a seed, by its logic, its dialect and the classes of operators.

use std::collections::{HashMap, HashSet};

use smelt_smtlib::logic::{Logic, is_nonlinear};
use smelt_smtlib::occurrence::Occurrences;
use smelt_smtlib::sexpr::read_all;
use smelt_smtlib::signature::{Associativity, Row, SortPattern};
use smelt_smtlib::{Arena, Error, Op, Script, Sort, Symbol, Term};

use crate::options::{OptionError, OptionText};

/// What a seed's logic allows and what it uses already.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Gate {
    /// What its `set-logic` names; `None` for no logic, or one outside the scheme, which allow everything.
    pub logic: Option<Logic>,
    /// Whether arithmetic must stay linear.
    pub linear: bool,
    /// Whether numerals are reals.
    pub real_numerals: bool,
    /// `QF_S` alone: solvers have lengths there, but no arithmetic.
    strings_only: bool,
    used: Vec<Op>,
    theories: Vec<Symbol>,
    dialects: Vec<Symbol>,
}

impl Gate {
    pub(crate) fn of(arena: &Arena, script: &Script, places: &Occurrences) -> Gate {
        let logic = script.logic().and_then(|l| Logic::parse(arena.text(l)));
        let signatures = arena.signatures();
        let used: Vec<Op> =
            signatures.ops().map(|(op, _)| op).filter(|&op| !places.of_op(op).is_empty()).collect();
        let mut theories: Vec<Symbol> = used.iter().map(|&op| signatures.row(op).theory).collect();
        theories.sort_unstable();
        theories.dedup();
        let mut dialects: Vec<Symbol> = used.iter().filter_map(|&op| signatures.row(op).dialect).collect();
        dialects.sort_unstable();
        dialects.dedup();
        let arithmetic = logic.is_some_and(|l| (l.ints || l.reals) && !l.nonlinear);
        let real_numerals = logic.is_some_and(|l| l.numerals_are_real());
        let strings_only = script.logic().is_some_and(|l| arena.text(l) == b"QF_S");
        Gate { logic, linear: arithmetic, real_numerals, strings_only, used, theories, dialects }
    }

    /// Whether the seed applies this operator.
    pub fn uses(&self, op: Op) -> bool {
        self.used.binary_search(&op).is_ok()
    }

    /// Whether an operator may be added to a mutant.
    pub fn allows(&self, arena: &Arena, classes: &Classes, op: Op) -> bool {
        if self.uses(op) {
            return true;
        }
        let row = arena.signatures().row(op);
        let dialect = row.dialect.is_none_or(|d| self.dialects.contains(&d));
        let wanted = match classes.entry(arena, row) {
            Wish::Never => false,
            Wish::Plain => dialect,
            Wish::Allow => true,
        };
        let difference =
            self.logic.is_some_and(|l| l.difference) && row.result != SortPattern::Exact(Sort::BOOL);
        wanted && !difference && self.has_theory(arena, row) && self.has_sorts(row)
    }

    /// Whether the logic has an indexed operator of the standard. A rule says the index, so no class forbids it.
    pub(crate) fn allows_indexed(&self, arena: &Arena, op: Op) -> bool {
        let row = arena.signatures().row(op);
        let standard = !row.indices.is_empty() && row.dialect.is_none();
        self.uses(op) || standard && self.has_theory(arena, row) && self.has_sorts(row)
    }

    /// Whether the logic has the theory of an operator.
    pub(crate) fn has_theory_of(&self, arena: &Arena, op: Op) -> bool {
        self.has_theory(arena, arena.signatures().row(op))
    }

    fn has_theory(&self, arena: &Arena, row: &Row) -> bool {
        if self.theories.contains(&row.theory) {
            return true;
        }
        let Some(l) = self.logic else {
            return !matches!(arena.text(row.theory), b"Transcendentals" | b"HigherOrder" | b"Others");
        };
        match arena.text(row.theory) {
            b"Core" => true,
            b"Ints" => l.ints && !self.strings_only,
            b"Reals" => l.reals,
            b"Reals_Ints" => l.ints && l.reals,
            b"BitVectors" => l.bitvectors,
            b"FloatingPoint" => l.floats,
            b"Strings" => l.strings,
            b"Arrays" => l.arrays,
            _ => false,
        }
    }

    /// Whether the logic has the numbers that an operator of another theory speaks of.
    fn has_sorts(&self, row: &Row) -> bool {
        let Some(l) = self.logic else { return true };
        let fits = |p: &SortPattern| match p {
            SortPattern::Exact(Sort::INT) => l.ints,
            SortPattern::Exact(Sort::REAL) => l.reals,
            SortPattern::BitVec(_) => l.bitvectors || l.floats,
            _ => true,
        };
        row.args.iter().chain([&row.result]).all(fits)
    }

    /// Whether terms of a sort may be built; numbers outside their logics are only written out.
    pub(crate) fn has_sort(&self, sort: Sort) -> bool {
        match (self.logic, sort) {
            (Some(l), Sort::INT) => l.ints,
            (Some(l), Sort::REAL) => l.reals,
            _ => true,
        }
    }

    /// Whether an application stays in the logic: products in a linear one have one unknown factor.
    pub(crate) fn keeps_linear(&self, arena: &Arena, name: Symbol, args: &[Term]) -> bool {
        !self.linear || is_linear(arena, name, args)
    }
}

/// Whether an operator multiplies at most one unknown, and divides by numbers other than zero. A power counts as
/// linear: it comes only from a user who allows it, or from a seed that has it.
pub(crate) fn is_linear(arena: &Arena, name: Symbol, args: &[Term]) -> bool {
    arena.text(name) == b"^" || !is_nonlinear(arena, name, args)
}

/// Whether an operator compares or chooses between what it should not: regular languages, numbers outside their
/// logics.
pub(crate) fn is_awkward(arena: &Arena, gate: &Gate, row: &Row, args: &[Sort]) -> bool {
    let any = matches!(arena.text(row.theory), b"Core" | b"Arrays");
    any && args.iter().any(|&s| s == Sort::REGLAN || !gate.has_sort(s))
}

enum Wish {
    Never,
    Plain,
    Allow,
}

/// What the files of operator classes say.
#[derive(Clone, Debug)]
pub struct Classes {
    never: HashSet<String>,
    allow: HashSet<String>,
    binary: HashSet<String>,
    class_of: HashMap<String, u32>,
    /// Whether what is new in SMT-LIB 2.7 may be used.
    pub(crate) recent: bool,
}

/// The kinds of entries in a file of operator classes.
const KINDS: &str = "`never`, `recent`, `allow`, `binary` or `class`";

const DEFAULT: &[u8] = include_bytes!("../data/operators.txt");

impl Classes {
    /// From the options `classes` and `recent`.
    pub(crate) fn of(options: &OptionText) -> Result<Classes, OptionError> {
        Classes::read(options.file("classes").map(str::as_bytes), options.flag("recent", false)?)
            .map_err(|e| OptionError::new(format!("operator classes: {e}")))
    }

    /// The built-in file, and a user's behind it. `recent` lets in what is new in SMT-LIB 2.7.
    pub fn read(user: Option<&[u8]>, recent: bool) -> Result<Classes, Error> {
        let mut classes = Classes {
            never: HashSet::new(),
            allow: HashSet::new(),
            binary: HashSet::new(),
            class_of: HashMap::new(),
            recent,
        };
        classes.file(DEFAULT, recent)?;
        if let Some(user) = user {
            classes.file(user, recent)?;
        }
        Ok(classes)
    }

    fn file(&mut self, text: &[u8], recent: bool) -> Result<(), Error> {
        for item in read_all(text)? {
            let (kind, names) = item.part(KINDS)?;
            let names: Vec<&str> = names.iter().map(|n| n.atom("a name")).collect::<Result<_, _>>()?;
            let class = self.class_of.values().max().map_or(0, |n| n + 1);
            for name in names {
                match kind {
                    "never" => drop(self.never.insert(name.to_owned())),
                    "recent" if recent => {}
                    "recent" => drop(self.never.insert(name.to_owned())),
                    "allow" => {
                        self.never.remove(name);
                        self.allow.insert(name.to_owned());
                    }
                    "binary" => drop(self.binary.insert(name.to_owned())),
                    "class" => drop(self.class_of.insert(name.to_owned(), class)),
                    _ => return Err(item.list(KINDS)?[0].error(format!("expected {KINDS}"))),
                }
            }
        }
        Ok(())
    }

    fn entry(&self, arena: &Arena, row: &Row) -> Wish {
        let name = arena.name(row.name);
        // What is standard on one sort is not on another.
        let odd = matches!(
            (&*name, &*row.args),
            ("abs" | "to_real", [SortPattern::Exact(Sort::REAL)])
                | ("to_int" | "is_int", [SortPattern::Exact(Sort::INT)])
        );
        if self.allow.contains(&*name) {
            Wish::Allow
        } else if odd || self.never.contains(&*name) {
            Wish::Never
        } else {
            Wish::Plain
        }
    }

    /// Whether an operator may get more arguments than its signature has.
    pub(crate) fn is_variadic(&self, arena: &Arena, row: &Row) -> bool {
        row.associativity != Associativity::None && !self.binary.contains(&*arena.name(row.name))
    }

    /// Whether a class of the user's allows the exchange.
    pub(crate) fn may_replace(&self, arena: &Arena, old: Symbol, new: Symbol) -> bool {
        match self.class_of.get(&*arena.name(old)) {
            None => true,
            class => self.class_of.get(&*arena.name(new)) == class,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Pool;

    fn allows(logic: &str, body: &str, name: &str, classes: &Classes) -> bool {
        let mut pool = Pool::new();
        let text = format!("(set-logic {logic}){body}(check-sat)");
        let id = pool.add("t", text.as_bytes(), None).unwrap();
        let arena = pool.arena();
        let symbol = arena.find_symbol(name.as_bytes()).unwrap();
        arena.signatures().named(symbol).any(|op| pool.seed(id).gate.allows(arena, classes, op))
    }

    #[test]
    fn the_logic_and_the_dialect_decide_what_comes_in() {
        let classes = Classes::read(None, false).unwrap();
        let int = "(declare-const x Int)(assert (> x 1))";
        assert!(allows("QF_LIA", int, "mod", &classes));
        assert!(!allows("QF_LIA", int, "bvadd", &classes));
        assert!(!allows("QF_LIA", int, "to_real", &classes));
        assert!(!allows("QF_LIA", int, "rem", &classes), "one solver's own");
        assert!(allows("QF_LIA", "(declare-const x Int)(assert (> (rem x 2) 1))", "rem0", &classes));
        assert!(!allows("QF_FP", "", "fp.to_real", &classes), "no reals");
        assert!(!allows("QF_IDL", int, "+", &classes), "differences only");
        assert!(!allows("QF_BV", "", "bvnego", &classes));
        assert!(allows("QF_BV", "", "bvnego", &Classes::read(None, true).unwrap()));
    }

    #[test]
    fn a_user_file_widens_and_narrows() {
        let classes = Classes::read(Some(b"(allow rem ^) (class + -)"), false).unwrap();
        let int = "(declare-const x Int)(assert (> x 1))";
        assert!(allows("QF_LIA", int, "rem", &classes));
        let mut arena = Arena::new();
        let [plus, minus, times] = [b"+", b"-", b"*"].map(|n| arena.symbol(n));
        assert!(classes.may_replace(&arena, plus, minus) && !classes.may_replace(&arena, plus, times));
        assert!(classes.may_replace(&arena, times, plus), "a class binds its own members only");
        let error = Classes::read(Some(b"\n(nevr x)"), false).unwrap_err();
        assert_eq!(error.offset, 2);
    }
}
