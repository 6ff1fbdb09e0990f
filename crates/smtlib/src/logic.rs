//! What the name of a logic says, which logic a script needs, and what it is called.

use std::collections::HashSet;
use std::sync::OnceLock;

use crate::arena::{Arena, Literal, Sort, SortKind, SortView, Symbol, Term, View, sym};
use crate::script::{Command, Script};

/// A part of a name, and what it adds.
type Part = (&'static [u8], fn(&mut Logic));

/// Theories a logic's name stands for.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Logic {
    /// Quantifiers.
    pub quantifiers: bool,
    /// Arrays.
    pub arrays: bool,
    /// Uninterpreted functions and sorts.
    pub functions: bool,
    /// Bit-vectors.
    pub bitvectors: bool,
    /// Floating point.
    pub floats: bool,
    /// Datatypes.
    pub datatypes: bool,
    /// Strings.
    pub strings: bool,
    /// Integers.
    pub ints: bool,
    /// Reals.
    pub reals: bool,
    /// Products of variables.
    pub nonlinear: bool,
    /// Differences of two variables only.
    pub difference: bool,
}

impl Logic {
    /// Everything: `ALL`.
    pub const ALL: Logic = Logic {
        quantifiers: true,
        arrays: true,
        functions: true,
        bitvectors: true,
        floats: true,
        datatypes: true,
        strings: true,
        ints: true,
        reals: true,
        nonlinear: true,
        difference: false,
    };

    /// Reads a name such as `QF_AUFBVDTLIA`; `None` for names outside the scheme.
    pub fn parse(name: &[u8]) -> Option<Logic> {
        let mut logic = Logic { quantifiers: true, ..Logic::default() };
        let mut rest = name;
        if let Some(r) = rest.strip_prefix(b"QF_") {
            logic.quantifiers = false;
            rest = r;
        }
        if rest == b"ALL" || rest == b"ALL_SUPPORTED" {
            return Some(Logic { quantifiers: logic.quantifiers, ..Logic::ALL });
        }
        if let Some(r) = rest.strip_prefix(b"AX") {
            logic.arrays = true;
            rest = r;
        } else if let Some(r) = rest.strip_prefix(b"A") {
            logic.arrays = true;
            rest = r;
        }
        let mut any = logic.arrays;
        // The order of the parts differs between files; each comes at most once.
        while !rest.is_empty() {
            let parts: [Part; 16] = [
                (b"UF", |l| l.functions = true),
                (b"BV", |l| l.bitvectors = true),
                (b"FP", |l| l.floats = true),
                (b"DT", |l| l.datatypes = true),
                (b"SLIA", |l| {
                    l.strings = true;
                    l.ints = true;
                }),
                (b"SNIA", |l| {
                    l.strings = true;
                    l.ints = true;
                    l.nonlinear = true;
                }),
                (b"LIRA", |l| {
                    l.ints = true;
                    l.reals = true;
                }),
                (b"NIRA", |l| {
                    l.ints = true;
                    l.reals = true;
                    l.nonlinear = true;
                }),
                (b"LIA", |l| l.ints = true),
                (b"LRA", |l| l.reals = true),
                (b"NIA", |l| {
                    l.ints = true;
                    l.nonlinear = true;
                }),
                (b"NRA", |l| {
                    l.reals = true;
                    l.nonlinear = true;
                }),
                (b"IDL", |l| {
                    l.ints = true;
                    l.difference = true;
                }),
                (b"RDL", |l| {
                    l.reals = true;
                    l.difference = true;
                }),
                (b"AT", |_| {}),
                (b"S", |l| {
                    l.strings = true;
                    l.ints = true;
                }),
            ];
            let (part, set) = parts.into_iter().find(|(p, _)| rest.starts_with(p))?;
            set(&mut logic);
            any = true;
            rest = &rest[part.len()..];
        }
        any.then_some(logic)
    }

    /// Nothing at all: what the union starts from.
    pub const NONE: Logic = Logic {
        quantifiers: false,
        arrays: false,
        functions: false,
        bitvectors: false,
        floats: false,
        datatypes: false,
        strings: false,
        ints: false,
        reals: false,
        nonlinear: false,
        difference: false,
    };

    /// What both together need. Differences are no longer told apart from other sums.
    pub fn union(self, other: Logic) -> Logic {
        Logic {
            quantifiers: self.quantifiers || other.quantifiers,
            arrays: self.arrays || other.arrays,
            functions: self.functions || other.functions,
            bitvectors: self.bitvectors || other.bitvectors,
            floats: self.floats || other.floats,
            datatypes: self.datatypes || other.datatypes,
            strings: self.strings || other.strings,
            ints: self.ints || other.ints,
            reals: self.reals || other.reals,
            nonlinear: self.nonlinear || other.nonlinear,
            difference: self.difference && other.difference,
        }
    }

    /// Whether everything `other` needs is here.
    pub fn covers(self, other: Logic) -> bool {
        self.union(other) == Logic { difference: self.difference && other.difference, ..self }
    }

    /// What it is called: the smallest of [`NAMES`] that covers it, else `ALL`.
    pub fn name(self) -> &'static str {
        static PARSED: OnceLock<Vec<Option<Logic>>> = OnceLock::new();
        let parsed = PARSED.get_or_init(|| NAMES.iter().map(|name| Logic::parse(name.as_bytes())).collect());
        let found = parsed.iter().position(|l| l.is_some_and(|l| l.covers(self)));
        found.map_or("ALL", |i| NAMES[i])
    }

    /// Whether its name gets solvers to read everything it has.
    ///
    /// Strings beside other theories have none: with `ALL` cvc5 refuses most string operators unless an option is
    /// given, and z3 does not have strings in a logic whose name it does not know.
    pub fn is_speakable(self) -> bool {
        !self.strings || self.name() != "ALL"
    }

    /// What the terms and declarations of a script need.
    ///
    /// `None` when it uses what no standard logic has: unknown sorts, functions as values, theories of one solver.
    pub fn used(arena: &Arena, script: &Script) -> Option<Logic> {
        let mut use_ = Use { arena, logic: Logic::NONE, sorts: HashSet::new(), standard: true };
        let mut terms = Vec::new();
        for command in &script.commands {
            use_.command(command);
            terms.extend(command.terms());
        }
        use_.terms(terms);
        use_.standard.then_some(use_.logic)
    }

    /// What a term needs, its own declarations aside.
    pub fn used_by(arena: &Arena, term: Term) -> Option<Logic> {
        let mut use_ = Use { arena, logic: Logic::NONE, sorts: HashSet::new(), standard: true };
        use_.terms(vec![term]);
        use_.standard.then_some(use_.logic)
    }

    /// Whether numerals are reals: the logic has reals and no integers.
    pub fn numerals_are_real(&self) -> bool {
        self.reals && !self.ints
    }
}

/// Logics that solvers know by name, each before those that cover it.
pub const NAMES: &[&str] = &[
    "QF_UF",
    "QF_LRA",
    "QF_LIA",
    "QF_NRA",
    "QF_NIA",
    "QF_BV",
    "QF_AX",
    "QF_FP",
    "QF_SLIA",
    "QF_SNIA",
    "QF_DT",
    "QF_UFLRA",
    "QF_UFLIA",
    "QF_UFNRA",
    "QF_UFNIA",
    "QF_UFBV",
    "QF_ABV",
    "QF_AUFBV",
    "QF_ALIA",
    "QF_AUFLIA",
    "QF_BVFP",
    "QF_ABVFP",
    "QF_LIRA",
    "UF",
    "LRA",
    "LIA",
    "NRA",
    "NIA",
    "BV",
    "FP",
    "UFLRA",
    "UFLIA",
    "UFNIA",
    "ALIA",
    "AUFLIA",
    "AUFLIRA",
    "AUFNIRA",
];

/// Collects what a script uses.
struct Use<'a> {
    arena: &'a Arena,
    logic: Logic,
    sorts: HashSet<Sort>,
    standard: bool,
}

impl Use<'_> {
    fn command(&mut self, command: &Command) {
        match command {
            Command::DeclareConst(_, s) | Command::DefineConst(_, s, _) | Command::DefineSort(_, _, s) => {
                self.sort(*s)
            }
            Command::DeclareFun(_, args, result) => {
                self.logic.functions |= !args.is_empty();
                args.iter().chain([result]).for_each(|&s| self.sort(s));
            }
            Command::DeclareSort(..) => self.logic.functions = true,
            Command::DeclareSortParameter(_) | Command::Other(..) | Command::Malformed(_) => {
                self.standard = false
            }
            Command::DeclareDatatypes(_, datatypes) => {
                self.logic.datatypes = true;
                let fields = datatypes.iter().flat_map(|d| &d.constructors).flat_map(|c| &c.selectors);
                fields.for_each(|f| self.sort(f.1));
            }
            Command::DefineFun(h, _) => {
                h.params.iter().map(|p| p.1).chain([h.result]).for_each(|s| self.sort(s))
            }
            // A recursive function is a quantified axiom.
            Command::DefineFunRec(..) | Command::DefineFunsRec(_) => {
                self.logic.functions = true;
                self.logic.quantifiers = true;
            }
            _ => {}
        }
    }

    fn sort(&mut self, sort: Sort) {
        if !self.sorts.insert(sort) {
            return;
        }
        let arena = self.arena;
        let SortView { head, kind, args, .. } = arena.sort_view(arena.canonical(sort));
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
            _ if kind == SortKind::Parameter => {}
            _ => {} // declared by the script, and counted there
        }
        args.iter().for_each(|&a| self.sort(a));
    }

    fn terms(&mut self, mut work: Vec<Term>) {
        let mut seen = HashSet::new();
        while let Some(t) = work.pop() {
            if !seen.insert(t) {
                continue;
            }
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
            work.extend(self.arena.children(t));
        }
    }

    /// Products and quotients of more than one unknown are not linear.
    fn operator(&mut self, name: Symbol, args: &[Term]) {
        let unknown = |t: &&Term| !is_number(self.arena, **t);
        let nonlinear = match self.arena.text(name) {
            b"*" => args.iter().filter(unknown).count() > 1,
            b"/" | b"div" | b"mod" => args[1..].iter().any(|t| !is_nonzero_number(self.arena, *t)),
            b"^" | b"exp" | b"sin" | b"cos" | b"tan" | b"sqrt" => true,
            _ => false,
        };
        self.logic.nonlinear |= nonlinear;
        // The standard's logic of floats has the bit-vectors its literals are made of, and no reals.
        self.logic.ints |= matches!(self.arena.text(name), b"to_int" | b"is_int");
    }
}

/// Whether a term is a number written out: a literal, a negated one, or a quotient of two.
pub fn is_number(arena: &Arena, term: Term) -> bool {
    match arena.view(term) {
        View::Literal(Literal::Numeral | Literal::Decimal, _) => true,
        View::App(fun, args @ ([_] | [_, _])) => {
            let name = arena.fun_view(fun).name;
            let operator =
                arena.fun_view(fun).op.is_some() && matches!(arena.text(name), b"-" | b"/" | b"to_real");
            operator && args.iter().all(|&a| is_number(arena, a))
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
            let name = arena.fun_view(fun).name;
            let operator = arena.fun_view(fun).op.is_some() && matches!(arena.text(name), b"-" | b"to_real");
            operator && is_nonzero_number(arena, arg)
        }
        _ => false,
    }
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
        for (i, a) in NAMES.iter().enumerate() {
            let logic = Logic::parse(a.as_bytes()).unwrap_or_else(|| panic!("{a} is read"));
            for b in &NAMES[..i] {
                let before = Logic::parse(b.as_bytes()).unwrap();
                assert!(!before.covers(logic) || before == logic, "{b} covers {a}");
            }
        }
    }
}
