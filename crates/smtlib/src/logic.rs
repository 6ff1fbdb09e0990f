//! Logics: the theories of a logic name, and the smallest logic for a script.

use std::collections::HashSet;
use std::sync::LazyLock;

use crate::arena::{Arena, Fun, Literal, Sort, SortView, Symbol, Term, View, sym};
use crate::script::{Command, Script};

/// Declares [`Logic`] with its fields, so that each theory is named once.
macro_rules! logic_fields {
    ($($(#[$doc:meta])* $field:ident),* $(,)?) => {
        /// The theories that a logic's name stands for.
        #[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
        pub struct Logic {
            $($(#[$doc])* pub $field: bool,)*
        }

        impl Logic {
            /// Nothing at all: a union starts from it.
            pub const NONE: Logic = Logic { $($field: false),* };

            /// Everything: `ALL`.
            pub const ALL: Logic = Logic { difference: false, ..Logic { $($field: true),* } };

            fn either(self, other: Logic) -> Logic {
                Logic { $($field: self.$field || other.$field),* }
            }
        }
    };
}

logic_fields! {
    /// Quantifiers.
    quantifiers,
    /// Arrays.
    arrays,
    /// Uninterpreted functions and sorts.
    functions,
    /// Bit-vectors.
    bitvectors,
    /// Floating point.
    floats,
    /// Datatypes.
    datatypes,
    /// Strings.
    strings,
    /// Integers.
    ints,
    /// Reals.
    reals,
    /// Products of variables.
    nonlinear,
    /// Differences of two variables only.
    difference,
    /// Recursive definitions. No logic but `ALL` has them for every solver.
    recursion,
}

/// The parts of a logic's name after `QF_` and `A`, with the theories that each adds.
const PARTS: [(&str, Logic); 14] = [
    ("UF", Logic { functions: true, ..Logic::NONE }),
    ("BV", Logic { bitvectors: true, ..Logic::NONE }),
    ("FP", Logic { floats: true, ..Logic::NONE }),
    ("DT", Logic { datatypes: true, ..Logic::NONE }),
    ("LIRA", Logic { ints: true, reals: true, ..Logic::NONE }),
    ("NIRA", Logic { ints: true, reals: true, nonlinear: true, ..Logic::NONE }),
    ("LIA", Logic { ints: true, ..Logic::NONE }),
    ("LRA", Logic { reals: true, ..Logic::NONE }),
    ("NIA", Logic { ints: true, nonlinear: true, ..Logic::NONE }),
    ("NRA", Logic { reals: true, nonlinear: true, ..Logic::NONE }),
    ("IDL", Logic { ints: true, difference: true, ..Logic::NONE }),
    ("RDL", Logic { reals: true, difference: true, ..Logic::NONE }),
    ("AT", Logic::NONE),
    ("S", Logic { strings: true, ints: true, ..Logic::NONE }),
];

impl Logic {
    /// Reads a name such as `QF_AUFBVDTLIA`; `None` for names outside the scheme.
    pub fn parse(name: &[u8]) -> Option<Logic> {
        let free = name.strip_prefix(b"QF_");
        let mut logic = Logic { quantifiers: free.is_none(), ..Logic::NONE };
        let mut rest = free.unwrap_or(name);
        if rest == b"ALL" || rest == b"ALL_SUPPORTED" {
            return Some(Logic { quantifiers: logic.quantifiers, ..Logic::ALL });
        }
        if let Some(behind) = rest.strip_prefix(b"A") {
            logic.arrays = true;
            rest = behind.strip_prefix(b"X").unwrap_or(behind);
        }
        if rest.is_empty() && !logic.arrays {
            return None;
        }
        // The order of the parts differs between files.
        while !rest.is_empty() {
            let (part, adds) = PARTS.iter().find(|(part, _)| rest.starts_with(part.as_bytes()))?;
            logic = logic.either(*adds);
            rest = &rest[part.len()..];
        }
        Some(logic)
    }

    /// The theories of both. It is difference logic only if both are.
    pub fn union(self, other: Logic) -> Logic {
        Logic { difference: self.difference && other.difference, ..self.either(other) }
    }

    /// Whether it has every theory of `other`.
    pub fn covers(self, other: Logic) -> bool {
        self.union(other) == Logic { difference: self.difference && other.difference, ..self }
    }

    /// Its name: the smallest logic that solvers know and that covers it, else `ALL`.
    pub fn name(self) -> &'static str {
        NAMES.iter().find(|(_, logic)| logic.covers(self)).map_or("ALL", |(name, _)| name)
    }

    /// Whether solvers accept everything in it under its name.
    ///
    /// Not for strings beside other theories: with `ALL`, cvc5 refuses most string operators unless an option is
    /// given, and z3 has no strings in a logic whose name it does not know.
    pub fn is_speakable(self) -> bool {
        !self.strings || self.name() != "ALL"
    }

    /// The theories that the terms and declarations of a script use.
    ///
    /// `None` when the script uses something outside all standard logics: unknown sorts, functions as values, theories
    /// of one solver.
    pub fn used(arena: &Arena, script: &Script) -> Option<Logic> {
        let mut uses = Uses::new(arena);
        script.commands.iter().for_each(|c| uses.command(c));
        uses.terms(script.commands.iter().flat_map(|c| c.terms()).collect())
    }

    /// The theories that the text of a script uses; `None` outside all standard logics, and for other text.
    pub fn used_in(text: &[u8]) -> Option<Logic> {
        let mut arena = Arena::new();
        let script = crate::parse_script(&mut arena, text).ok()?.script;
        Logic::used(&arena, &script)
    }

    /// The theories that a term uses, without the declarations of its names.
    pub fn used_by(arena: &Arena, term: Term) -> Option<Logic> {
        Uses::new(arena).terms(vec![term])
    }

    /// Whether numerals are reals: the logic has reals and no integers.
    pub fn numerals_are_real(&self) -> bool {
        self.reals && !self.ints
    }
}

/// Logics that solvers know by name, each before those that cover it.
static NAMES: LazyLock<Vec<(&str, Logic)>> = LazyLock::new(|| {
    let names = include_str!("../data/logics.txt").split_whitespace();
    names.map(|name| (name, Logic::parse(name.as_bytes()).expect("a name of the scheme"))).collect()
});

/// Collects the theories that a script uses.
struct Uses<'a> {
    arena: &'a Arena,
    logic: Logic,
    sorts: HashSet<Sort>,
    standard: bool,
}

impl<'a> Uses<'a> {
    fn new(arena: &'a Arena) -> Self {
        Uses { arena, logic: Logic::NONE, sorts: HashSet::new(), standard: true }
    }

    fn command(&mut self, command: &Command) {
        match command {
            Command::DeclareFun(_, args, _) => self.logic.functions |= !args.is_empty(),
            Command::DeclareSort(..) => self.logic.functions = true,
            Command::DeclareSortParameter(_) | Command::Other(..) | Command::Malformed(_) => {
                self.standard = false
            }
            Command::DeclareDatatypes(..) => self.logic.datatypes = true,
            // A recursive function is a quantified axiom.
            Command::DefineFunRec(..) | Command::DefineFunsRec(_) => {
                self.logic.functions = true;
                self.logic.quantifiers = true;
                self.logic.recursion = true;
                return;
            }
            _ => {}
        }
        command.sorts().into_iter().for_each(|s| self.sort(s));
    }

    fn sort(&mut self, sort: Sort) {
        if !self.sorts.insert(sort) {
            return;
        }
        let arena = self.arena;
        let SortView { head, args, .. } = arena.sort_view(arena.canonical(sort));
        match head {
            sym::INT => self.logic.ints = true,
            sym::REAL => self.logic.reals = true,
            sym::STRING | sym::REGLAN => self.logic.strings = true,
            sym::BITVEC => self.logic.bitvectors = true,
            sym::FLOATING_POINT | sym::ROUNDING_MODE => self.logic.floats = true,
            sym::ARRAY => self.logic.arrays = true,
            sym::BOOL => {}
            sym::UNKNOWN
            | sym::ARROW
            | sym::SEQ
            | sym::SET
            | sym::BAG
            | sym::TUPLE
            | sym::UNIT_TUPLE
            | sym::FINITE_FIELD
            | sym::NULLABLE
            | sym::TABLE
            | sym::RELATION
            | sym::CHAR => self.standard = false,
            _ => {} // declared by the script, and counted there
        }
        args.iter().for_each(|&a| self.sort(a));
    }

    /// Adds the terms; the result, `None` outside the standard.
    fn terms(mut self, roots: Vec<Term>) -> Option<Logic> {
        for t in self.arena.subterms(roots) {
            self.sort(self.arena.sort_of(t));
            match self.arena.view(t) {
                View::App(fun, args) => {
                    if let Some(op) = self.arena.fun_view(fun).op {
                        self.operator(self.arena.signatures().row(op).name, args);
                        self.standard &= self.arena.signatures().row(op).dialect.is_none();
                    }
                }
                View::Binder(v) => {
                    self.logic.quantifiers = true;
                    self.standard &= matches!(v.name, sym::FORALL | sym::EXISTS);
                    v.vars().for_each(|(_, s)| self.sort(s));
                }
                View::Apply(_) => self.standard = false,
                _ => {}
            }
        }
        self.standard.then_some(self.logic)
    }

    fn operator(&mut self, name: Symbol, args: &[Term]) {
        let transcendental = matches!(self.arena.text(name), b"exp" | b"sin" | b"cos" | b"tan" | b"sqrt");
        self.logic.nonlinear |= transcendental || is_nonlinear(self.arena, name, args);
        // The standard's logic of floats has the bit-vectors its literals are made of, and no reals.
        self.logic.ints |= matches!(self.arena.text(name), b"to_int" | b"is_int");
    }
}

/// Whether an application of an operator is not linear: a product or quotient of more than one unknown.
pub fn is_nonlinear(arena: &Arena, name: Symbol, args: &[Term]) -> bool {
    match arena.text(name) {
        b"*" => args.iter().filter(|t| !is_number(arena, **t)).count() > 1,
        b"/" | b"div" | b"mod" => args[1..].iter().any(|t| !is_nonzero_number(arena, *t)),
        b"^" => true,
        _ => false,
    }
}

/// Whether a term is a number written out: a literal, a negated one, or a quotient of two.
pub fn is_number(arena: &Arena, term: Term) -> bool {
    match arena.view(term) {
        View::Literal(Literal::Numeral | Literal::Decimal, _) => true,
        View::App(fun, args @ ([_] | [_, _])) => {
            is_operator(arena, fun, &[b"-", b"/", b"to_real"]) && args.iter().all(|&a| is_number(arena, a))
        }
        _ => false,
    }
}

/// Whether a term is a literal other than zero, possibly negated.
pub fn is_nonzero_number(arena: &Arena, term: Term) -> bool {
    match arena.view(term) {
        View::Literal(Literal::Numeral | Literal::Decimal, text) => {
            arena.text(text).iter().any(|c| matches!(c, b'1'..=b'9'))
        }
        View::App(fun, &[arg]) => {
            is_operator(arena, fun, &[b"-", b"to_real"]) && is_nonzero_number(arena, arg)
        }
        _ => false,
    }
}

fn is_operator(arena: &Arena, fun: Fun, names: &[&[u8]]) -> bool {
    let f = arena.fun_view(fun);
    f.op.is_some() && names.contains(&arena.text(f.name))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_taken_apart() {
        let l = Logic::parse(b"QF_AUFBVDTNIRA").unwrap();
        assert!(l.arrays && l.functions && l.bitvectors && l.datatypes && l.ints && l.reals && l.nonlinear);
        assert!(!l.quantifiers && !l.floats);
        assert!(Logic::parse(b"LRA").unwrap().numerals_are_real());
        assert!(!Logic::parse(b"AUFLIRA").unwrap().numerals_are_real());
        assert!(Logic::parse(b"QF_SLIA").unwrap().strings);
        assert!(Logic::parse(b"QF_AX").unwrap().arrays);
        assert_eq!(Logic::parse(b"HORN"), None);
        assert_eq!(Logic::parse(b"QF_"), None);
    }

    fn used(text: &str) -> Option<String> {
        let mut arena = Arena::new();
        let script = crate::parse_script(&mut arena, text.as_bytes()).unwrap().script;
        Logic::used(&arena, &script).map(|l| l.name().to_owned())
    }

    #[test]
    fn the_logic_of_a_script_is_the_smallest_that_has_all_it_uses() {
        let int = "(declare-const x Int)(declare-const y Int)";
        let with = |rest: &str| used(&format!("{int}{rest}"));
        assert_eq!(with("(assert (< (* 2 x) (div y 3)))"), Some("QF_LIA".to_owned()));
        assert_eq!(with("(assert (< (* y x) 3))"), Some("QF_NIA".to_owned()));
        assert_eq!(
            with("(assert (< (div x 0) 3))"),
            Some("QF_NIA".to_owned()),
            "no linear logic has a zero divisor"
        );
        assert_eq!(with("(assert (forall ((z Int)) (< z x)))"), Some("LIA".to_owned()));
        assert_eq!(with("(assert (= (str.len \"a\") x))"), Some("QF_SLIA".to_owned()));
        assert_eq!(with("(declare-fun f (Int) Real)(assert (= (f x) 1.5))"), Some("AUFLIRA".to_owned()));
        assert_eq!(with("(declare-const b (_ BitVec 8))(assert (= b #x00))"), Some("ALL".to_owned()));
        assert_eq!(
            used("(declare-const r Real)(assert (< r (/ 1 3)))"),
            Some("QF_LIRA".to_owned()),
            "the numerals are integers"
        );
        assert_eq!(
            used("(set-logic QF_LRA)(declare-const r Real)(assert (< r (/ 1 3)))"),
            Some("QF_LRA".to_owned())
        );
        assert_eq!(
            used("(declare-const a (Array Int Int))(assert (= (select a 1) 2))"),
            Some("QF_ALIA".to_owned())
        );
        assert_eq!(used("(declare-fun f ((_ BitVec 4)) Bool)(assert (f #x0))"), Some("QF_UFBV".to_owned()));
        assert_eq!(
            used("(declare-const s (Seq Int))(assert (= s s))"),
            None,
            "no standard logic has sequences"
        );
    }

    #[test]
    fn each_name_is_read_and_comes_before_those_that_cover_it() {
        for (i, (a, logic)) in NAMES.iter().enumerate() {
            for (b, before) in &NAMES[..i] {
                assert!(!before.covers(*logic) || before == logic, "{b} covers {a}");
            }
        }
    }
}
