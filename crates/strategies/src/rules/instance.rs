//! A rule at fixed sorts, with a symbol for each variable: used for evaluation and for proofs by solvers.

use std::fmt::Write;

use smelt_core::Relation;
use smelt_smtlib::sexpr::{Sexpr, SexprNode};

use super::read::{Kind, Rule, mentions};
use crate::template::{Env, plain};

/// A rule at fixed sorts.
#[derive(Clone, Debug)]
pub(crate) struct Instance {
    /// Which sorts, for people.
    pub(crate) at: String,
    /// Commands that declare datatypes and sorts.
    pub(crate) preamble: String,
    /// The symbols: name, sorts of arguments, sort.
    pub(crate) symbols: Vec<(String, Vec<String>, String)>,
    pub(crate) from: String,
    pub(crate) to: String,
    pub(crate) when: Option<String>,
    /// What to choose for symbols that can be chosen, and what to try often.
    pub(crate) some: Vec<(String, String)>,
    pub(crate) often: Vec<(String, String)>,
}

/// Which sorts sort variables get.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Purpose {
    /// Small sorts with few values.
    Evaluation,
    /// Larger ones, and sorts of which nothing is known.
    Proof,
}

/// A datatype to try rules about datatypes on; its values are in `samples.rs`.
const DATATYPE: (&str, &str, [&str; 3]) = (
    "Shape!",
    "(declare-datatypes ((Shape! 0)) (((leaf!) (node! (value! Int) (left! Shape!)) (pair! (first! Bool) (second! Bool)))))\n",
    ["leaf!", "node!", "pair!"],
);

/// The sort of the variable that quantifiers of an instance bind: small ones to evaluate, and one to prove.
const BOUND: [&str; 3] = ["Bool", "(_ BitVec 2)", "Int"];

/// The rule at several sorts, each with lists of several lengths.
pub(crate) fn instances(rule: &Rule, purpose: Purpose) -> Vec<Instance> {
    let mut all: Vec<Instance> = Vec::new();
    let lists = rule.vars.iter().any(|v| matches!(v.kind, Kind::List(_)));
    let lengths: &[usize] = if lists { &[1, 2, 3] } else { &[1] };
    for (k, env) in environments(rule, purpose).into_iter().enumerate() {
        for &length in lengths {
            let Some(instance) = instance(rule, &env, length, k, purpose) else { continue };
            if all
                .iter()
                .all(|i| (&i.from, &i.to, &i.symbols) != (&instance.from, &instance.to, &instance.symbols))
            {
                all.push(instance);
            }
        }
    }
    all
}

/// Values for sort variables and for the numbers in sorts.
fn environments(rule: &Rule, purpose: Purpose) -> Vec<Env> {
    let wants_datatype =
        |p: &str| rule.vars.iter().any(|v| matches!(&v.kind, Kind::Constructor(s) if s == p));
    let free: &[&str] = match purpose {
        Purpose::Evaluation => &["Bool", "Int", "(_ BitVec 2)", DATATYPE.0, "String"],
        Purpose::Proof => &["Sort!", "(_ BitVec 4)", "Int"],
    };
    // Widths with the float formats beside them: m, n, e and s are the names in the data files.
    let numbers: &[[u32; 4]] = match purpose {
        Purpose::Evaluation => {
            &[[1, 2, 2, 2], [2, 1, 2, 3], [3, 4, 3, 3], [5, 3, 3, 4], [8, 5, 5, 11], [33, 7, 8, 24]]
        }
        Purpose::Proof => &[[1, 2, 2, 3], [4, 3, 3, 4], [8, 5, 4, 5]],
    };
    let mut all: Vec<Env> = Vec::new();
    let rounds = free.len().max(numbers.len());
    for i in 0..rounds {
        let mut env = Env::default();
        for (j, p) in rule.params.iter().enumerate() {
            let sort = match &p.sorts[..] {
                [] if wants_datatype(&p.name) => DATATYPE.0,
                [] => free[(i + j) % free.len()],
                sorts => &sorts[i % sorts.len()],
            };
            env.sorts.push((p.name.clone(), sort.to_owned()));
        }
        for (name, value) in ["m", "n", "e", "s"].into_iter().zip(numbers[i % numbers.len()]) {
            if rule.var(name).is_none() {
                env.numbers.push((name.to_owned(), value));
            }
        }
        for v in &rule.vars {
            if let Kind::Number(low, high) = v.kind {
                let value = low + (i as u32) % (high - low + 1).min(4);
                env.numbers.push((v.name.clone(), value));
            }
        }
        all.push(env);
    }
    all
}

fn instance(rule: &Rule, env: &Env, length: usize, k: usize, purpose: Purpose) -> Option<Instance> {
    let mut env = env.clone();
    let mut symbols: Vec<(String, Vec<String>, String)> = Vec::new();
    let bound_sort = BOUND[if purpose == Purpose::Proof { 2 } else { k % 2 }];
    // What stands below a quantifier whose variables have a name is a function of them.
    let bodies: Vec<String> = bodies(&rule.from).into_iter().chain(bodies(&rule.to)).collect();
    let mut constructors = DATATYPE.2.into_iter().cycle().skip(k % DATATYPE.2.len());
    for v in &rule.vars {
        match &v.kind {
            Kind::Term(sort) if bodies.contains(&v.name) => {
                symbols.push((v.name.clone(), vec![bound_sort.to_owned()], env.text(sort)?));
                env.term(&v.name, &format!("({} v!)", v.name));
            }
            Kind::Term(sort) | Kind::Constant(sort) => {
                symbols.push((v.name.clone(), Vec::new(), env.text(sort)?))
            }
            Kind::List(sort) => {
                let names: Vec<String> = (1..=length).map(|i| format!("{}!{i}", v.name)).collect();
                let sort = env.text(sort)?;
                symbols.extend(names.iter().map(|n| (n.clone(), Vec::new(), sort.clone())));
                env.term(&v.name, &names.join(" "));
            }
            Kind::Number(..) => {}
            Kind::Name => env.term(&v.name, &format!("{}!name", v.name)),
            Kind::Function(from, to) => {
                symbols.push((v.name.clone(), vec![env.text(from)?], env.text(to)?));
            }
            Kind::Bound => env.term(&v.name, &format!("((v! {bound_sort}))")),
            Kind::Constructor(_) => env.term(&v.name, constructors.next()?),
        }
    }
    if [&rule.from, &rule.to].into_iter().any(|t| mentions(t, "instance")) {
        symbols.push(("b!".to_owned(), Vec::new(), bound_sort.to_owned()));
    }
    let alone = |name: &str| {
        length == 1 && rule.vars.iter().any(|v| v.name == name && matches!(v.kind, Kind::List(_)))
    };
    let text = |t: &Sexpr| env.text(&expand(t, &alone));
    let mut preamble = String::new();
    let mentions =
        |word: &str| symbols.iter().any(|s| s.2.contains(word) || s.1.iter().any(|a| a.contains(word)));
    if mentions(DATATYPE.0) {
        preamble.push_str(DATATYPE.1);
    }
    if mentions("Sort!") {
        preamble.push_str("(declare-sort Sort! 0)\n");
    }
    let at = symbols.iter().fold(String::new(), |mut s, (name, _, sort)| {
        let _ = write!(s, "{}{name} {sort}", if s.is_empty() { "" } else { ", " });
        s
    });
    let texts = |list: &[(String, Sexpr)]| -> Option<Vec<(String, String)>> {
        list.iter().map(|(name, term)| Some((name.clone(), text(term)?))).collect()
    };
    Some(Instance {
        at,
        some: texts(&rule.some)?,
        often: texts(&rule.often)?,
        preamble,
        from: text(&rule.from)?,
        to: text(&rule.to)?,
        when: match &rule.when {
            Some(condition) => Some(text(condition)?),
            None => None,
        },
        symbols,
    })
}

/// The names that stand as bodies of quantifiers with named variables.
fn bodies(term: &Sexpr) -> Vec<String> {
    let SexprNode::List(l) = &term.node else { return Vec::new() };
    match &l[..] {
        [Sexpr { node: SexprNode::Atom(head), .. }, Sexpr { node: SexprNode::Atom(_), .. }, body]
            if matches!(&**head, "forall" | "exists" | "instance") =>
        {
            match &body.node {
                SexprNode::Atom(a) => vec![a.clone()],
                SexprNode::List(_) => atoms(body),
            }
        }
        _ => l.iter().flat_map(bodies).collect(),
    }
}

fn atoms(s: &Sexpr) -> Vec<String> {
    match &s.node {
        SexprNode::Atom(a) => vec![a.clone()],
        SexprNode::List(l) => l.iter().flat_map(atoms).collect(),
    }
}

/// `(instance vs p)` as the `let` it stands for; `(and xs)` as x where there is only one.
fn expand(term: &Sexpr, alone: &dyn Fn(&str) -> bool) -> Sexpr {
    let SexprNode::List(l) = &term.node else { return term.clone() };
    let atom = |text: &str| Sexpr { offset: term.offset, node: SexprNode::Atom(text.to_owned()) };
    let list = |items: Vec<Sexpr>| Sexpr { offset: term.offset, node: SexprNode::List(items) };
    match &l[..] {
        [head, _, body] if plain(head) == "instance" => {
            let binding = list(vec![list(vec![atom("v!"), atom("b!")])]);
            list(vec![atom("let"), binding, expand(body, alone)])
        }
        [head, only] if is_collapsible(&plain(head)) && alone(&plain(only)) => only.clone(),
        items => list(items.iter().map(|i| expand(i, alone)).collect()),
    }
}

/// Whether an operator over one argument is that argument.
pub(crate) fn is_collapsible(head: &str) -> bool {
    matches!(
        head,
        "and" | "or" | "+" | "*" | "str.++" | "re.++" | "re.union" | "re.inter" | "bvand" | "bvor" | "bvadd"
    )
}

impl Instance {
    /// All symbols declared.
    pub(crate) fn declarations(&self) -> String {
        self.declare(None, false)
    }

    /// The same; with a turn, regular expressions are written out, for solvers have no variables of them. What can be
    /// chosen is chosen, if wanted.
    fn declare(&self, turn: Option<usize>, chosen: bool) -> String {
        let mut out = self.preamble.clone();
        for (i, (name, args, sort)) in self.symbols.iter().enumerate() {
            if let Some((_, term)) = self.some.iter().find(|(n, _)| chosen && n == name) {
                let _ = writeln!(out, "(define-fun {name} () {sort} {term})");
                continue;
            }
            let _ = match turn.filter(|_| sort == "RegLan").and_then(|t| regex(t + 5 * i)) {
                Some(value) => writeln!(out, "(define-fun {name} () RegLan {value})"),
                None => writeln!(out, "(declare-fun {name} ({}) {sort})", args.join(" ")),
            };
        }
        out
    }

    /// Scripts that are unsatisfiable if and only if the rule holds here.
    pub(crate) fn obligations(&self, relation: Relation) -> Vec<String> {
        let turns = if self.symbols.iter().any(|s| s.2 == "RegLan") { 0..4 } else { 0..1 };
        let one = |turn: usize, &(chosen, strong, weak): &(bool, &str, &str)| {
            let mut script = format!("(set-logic ALL)\n{}", self.declare(Some(turn), chosen));
            if let Some(when) = &self.when {
                let _ = writeln!(script, "(assert {when})");
            }
            let _ = write!(script, "(assert {strong})\n(assert (not {weak}))\n(check-sat)\n");
            script
        };
        let (from, to) = (&self.from[..], &self.to[..]);
        let mut ways: Vec<(bool, &str, &str)> = match relation {
            Relation::Weaker => vec![(false, from, to)],
            Relation::Stronger => vec![(false, to, from)],
            Relation::Same => vec![(true, from, to), (false, to, from)],
        };
        if relation != Relation::Same && !self.some.is_empty() {
            ways.push((true, "true", from));
        }
        turns.flat_map(|turn| ways.iter().map(move |way| one(turn, way))).collect()
    }
}

/// One of the sample expressions.
fn regex(turn: usize) -> Option<String> {
    let all = crate::samples::values(&crate::samples::sort_sexpr("RegLan")?, 1)?;
    all.get(turn % all.len()).cloned()
}
