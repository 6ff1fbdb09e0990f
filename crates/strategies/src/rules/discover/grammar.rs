//! Grammars of atoms, read from `data/discover.txt`, and the enumeration of a grammar's small atoms.

use smelt_smtlib::Term;
use smelt_smtlib::sexpr::{Sexpr, read_all};

use super::filled;
use crate::template::{Env, plain};
use crate::workbench::Workbench;

/// What atoms of a theory are built from.
#[derive(Debug)]
pub(super) struct Theory {
    pub(super) name: String,
    /// Variables with their sorts, in which numbers may be variables.
    pub(super) vars: Vec<(String, Sexpr)>,
    leaves: Vec<(Sexpr, String)>,
    operators: Vec<(String, Vec<String>, String)>,
    terms: Vec<(Sexpr, String)>,
    predicates: Vec<(String, Vec<String>)>,
    env: Env,
}

/// An atom.
#[derive(Clone, Debug)]
pub(crate) struct Atom {
    /// With numbers as variables, for a rule.
    pub(crate) text: String,
    /// At the width it is tried at.
    pub(crate) term: Term,
    pub(crate) size: u32,
    /// Which variables it has, as bits.
    pub(crate) vars: u32,
    /// Where it is true.
    pub(crate) bits: Box<[u64]>,
}

impl Atom {
    /// Whether the other is true wherever this is.
    pub(crate) fn is_within(&self, other: &Atom) -> bool {
        self.bits.iter().zip(&other.bits).all(|(a, b)| a & !b == 0)
    }
}

const GRAMMARS: &[u8] = include_bytes!("../../../data/discover.txt");

/// Larger atoms are not tried.
const MAX_SIZE: u32 = 6;

/// The grammar of a name.
pub(super) fn theory(name: &str) -> Option<Theory> {
    let all = read_all(GRAMMARS).unwrap_or_else(|e| panic!("discover.txt can be read: {e}"));
    all.iter()
        .map(|item| read(item).unwrap_or_else(|| panic!("discover.txt is in its format")))
        .find(|t| t.name == name)
}

fn read(item: &Sexpr) -> Option<Theory> {
    let (name, parts) = item.entry("theory").ok()?;
    let mut env = Env::default();
    let mut theory = Theory {
        name: name.to_owned(),
        vars: Vec::new(),
        leaves: Vec::new(),
        operators: Vec::new(),
        terms: Vec::new(),
        predicates: Vec::new(),
        env: Env::default(),
    };
    // Float formats are the same for all grammars: small enough to list.
    env.numbers.extend([("m".to_owned(), 4), ("e".to_owned(), 3), ("s".to_owned(), 3)]);
    for part in parts {
        match part.part("a part").ok()? {
            ("width", [n]) => env.numbers[0].1 = plain(n).parse().ok()?,
            ("var", [names @ .., sort]) => theory.vars.extend(names.iter().map(|n| (plain(n), sort.clone()))),
            ("leaf", [term, sort]) => theory.leaves.push((term.clone(), plain(sort))),
            ("op", [name, args @ .., result]) => {
                theory.operators.push((plain(name), args.iter().map(plain).collect(), plain(result)))
            }
            ("term", [term, sort]) => theory.terms.push((term.clone(), plain(sort))),
            ("predicate", [name, args @ ..]) => {
                theory.predicates.push((plain(name), args.iter().map(plain).collect()))
            }
            _ => return None,
        }
    }
    theory.env = env;
    Some(theory)
}

impl Theory {
    /// A sort or term at the width that is tried first.
    pub(super) fn fill(&self, term: &Sexpr) -> String {
        filled(&self.env, term)
    }

    pub(super) fn declarations(&self) -> String {
        self.vars.iter().map(|(n, s)| format!("(declare-const {n} {})\n", self.fill(s))).collect()
    }
}

/// A term to build atoms from: its text, sort, size and variables.
#[derive(Clone, Debug)]
pub(super) struct Piece {
    text: String,
    sort: String,
    size: u32,
    vars: u32,
}

/// All terms up to a size that are not leaves of the grammar only, each with its term in the arena; small ones first.
pub(super) fn pieces(theory: &Theory, bench: &mut Workbench) -> Result<Vec<(Piece, Term)>, String> {
    let mut leaves: Vec<Piece> = Vec::new();
    for (i, (name, sort)) in theory.vars.iter().enumerate() {
        leaves.push(Piece { text: name.clone(), sort: plain(sort), size: 1, vars: 1 << i });
    }
    let leaf = |(t, sort): &(Sexpr, String)| Piece { text: plain(t), sort: sort.clone(), size: 1, vars: 0 };
    leaves.extend(theory.leaves.iter().map(leaf));
    let mut pieces = leaves.clone();
    for (name, args, result) in &theory.operators {
        applications(name, args, &leaves, MAX_SIZE, &mut |text, size, vars| {
            if vars != 0 {
                pieces.push(Piece { text, sort: result.clone(), size, vars });
            }
        });
    }
    for (term, sort) in &theory.terms {
        pieces.extend(renamings(theory, term, sort));
    }
    pieces.sort_by_key(|p| p.size);
    let mut all = Vec::new();
    for piece in pieces {
        let term = read_term(theory, bench, &piece.text)?;
        all.push((piece, term));
    }
    Ok(all)
}

/// All atoms over some terms, up to a size; of two that differ in the order of arguments only, one.
pub(super) fn atoms(theory: &Theory, bench: &mut Workbench, pieces: &[Piece]) -> Result<Vec<Atom>, String> {
    let mut all: Vec<Atom> = Vec::new();
    for (name, args) in &theory.predicates {
        let mut texts = Vec::new();
        applications(name, args, pieces, MAX_SIZE, &mut |text, size, vars| {
            if vars != 0 {
                texts.push((text, size, vars));
            }
        });
        for (text, size, vars) in texts {
            let term = read_term(theory, bench, &text)?;
            let arena = &bench.arena;
            let commutative = arena.op(term).is_some_and(|op| arena.signatures().row(op).commutative);
            match arena.children(term) {
                [a, b] if a == b || commutative && a > b => {}
                _ => all.push(Atom { text, term, size, vars, bits: Box::default() }),
            }
        }
    }
    Ok(all)
}

fn read_term(theory: &Theory, bench: &mut Workbench, text: &str) -> Result<Term, String> {
    let sexpr = crate::samples::sort_sexpr(text).ok_or("no term")?;
    bench.term(&theory.fill(&sexpr))
}

/// Calls `found` with every application to pieces of fitting sorts, up to a size.
fn applications(
    name: &str,
    args: &[String],
    pieces: &[Piece],
    max: u32,
    found: &mut dyn FnMut(String, u32, u32),
) {
    let mut chosen: Vec<(String, u32, u32)> = vec![(format!("({name}"), 1, 0)];
    for sort in args {
        let mut next = Vec::new();
        for (text, size, vars) in &chosen {
            for p in pieces.iter().filter(|p| p.sort == *sort && size + p.size <= max) {
                next.push((format!("{text} {}", p.text), size + p.size, vars | p.vars));
            }
        }
        chosen = next;
    }
    for (text, size, vars) in chosen {
        found(text + ")", size, vars);
    }
}

/// A term with its variables renamed in every way.
fn renamings(theory: &Theory, term: &Sexpr, sort: &str) -> Vec<Piece> {
    let names: Vec<&String> = theory.vars.iter().map(|v| &v.0).collect();
    let n = names.len();
    let mut all: Vec<Piece> = Vec::new();
    for k in 0..n.pow(n as u32) {
        let image = |i: usize| k / n.pow(i as u32) % n;
        let mut env = Env::default();
        names.iter().enumerate().for_each(|(i, name)| env.term(name, names[image(i)]));
        let text = filled(&env, term);
        if all.iter().any(|p| p.text == text) {
            continue;
        }
        let used = (0..n).filter(|&i| super::super::read::mentions(term, names[i]));
        let vars = used.fold(0, |m, i| m | 1 << image(i));
        // Counted as small: it was asked for.
        all.push(Piece { text, sort: sort.to_owned(), size: 2, vars });
    }
    all
}
