//! Scripts for the liar: test cases with names, a stack and assumptions, and the names that lies can use.

use smelt_core::Asked;
use smelt_smtlib::script::Command;
use smelt_smtlib::{Arena, Printer, Term, View, parse_script, sym};
use smelt_strategies::Rng;

/// A script, command by command.
#[derive(Clone, Debug, Default)]
pub(crate) struct Play {
    pub(crate) commands: Vec<Line>,
    /// Constants with their sorts.
    pub(crate) constants: Vec<(String, String)>,
    /// Functions: name, parameters as a model writes them, and sort.
    pub(crate) functions: Vec<(String, String, String)>,
    /// Names that a model must not define: constructors, selectors, testers, definitions, `:named` terms, operators.
    pub(crate) foreign: Vec<String>,
    /// The names of assertions.
    pub(crate) names: Vec<String>,
    /// Assertions and assumptions as written.
    pub(crate) terms: Vec<String>,
}

/// A command as text.
#[derive(Clone, Debug)]
pub(crate) struct Line {
    pub(crate) text: String,
    pub(crate) kind: Kind,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Assert,
    Check {
        assuming: bool,
    },
    /// A query whose reply is judged by itself.
    Ask(Asked),
    Other,
}

impl Play {
    /// The whole text.
    pub(crate) fn text(&self) -> Vec<u8> {
        self.commands.iter().flat_map(|c| [c.text.as_bytes(), b"\n"].concat()).collect()
    }

    /// The same play without one of its assertions.
    pub(crate) fn without(&self, rng: &mut Rng) -> Play {
        let at = |(i, c): (usize, &Line)| (c.kind == Kind::Assert && !c.text.contains(":named")).then_some(i);
        let places: Vec<usize> = self.commands.iter().enumerate().filter_map(at).collect();
        let mut less = self.clone();
        if let Some(&place) = rng.pick(&places) {
            less.commands.remove(place);
        }
        less
    }

    fn push(&mut self, kind: Kind, text: String) {
        self.commands.push(Line { text, kind });
    }

    /// Makes a play of a script: some assertions get names, levels and checks of their own, or become assumptions. `None`
    /// if the script is not understood.
    pub(crate) fn of(script: &[u8], rng: &mut Rng) -> Option<Play> {
        let mut arena = Arena::new();
        let odd = ODD.get(rng.below(4 * ODD.len())).copied().unwrap_or_default();
        let parsed = parse_script(&mut arena, &[odd.as_bytes(), script].concat()).ok()?;
        if !parsed.diagnostics.is_empty() {
            return None;
        }
        let mut play = Play { foreign: FOREIGN.map(str::to_owned).to_vec(), ..Play::default() };
        let (mut levels, mut literals) = (0, Vec::new());
        let calm = rng.one_in(3);
        for command in &parsed.script.commands {
            play.note(&arena, command);
            match command {
                Command::SetOption(o) if arena.text(o.keyword) == b":opt.priority" => {
                    play.push(Kind::Other, shown(&arena, command));
                }
                Command::SetInfo(_) | Command::SetOption(_) => {}
                Command::Simplify(_) => play.push(Kind::Ask(Asked::Simplify), shown(&arena, command)),
                Command::GetValue(_) => play.push(Kind::Ask(Asked::Value), shown(&arena, command)),
                Command::Other(_, text) if arena.text(*text) == b"(get-objectives)" => {
                    play.push(Kind::Ask(Asked::Objectives), shown(&arena, command));
                }
                Command::Other(_, text) if APPLIED.iter().any(|tactic| arena.text(*text) == *tactic) => {
                    play.push(Kind::Ask(Asked::Apply), shown(&arena, command));
                }
                Command::Other(name, _) if arena.text(*name).starts_with(b"get-interpolant") => {
                    let to = interpolants(arena.text(*name));
                    play.commands
                        .extend(to.map(|to| Line { text: shown(&arena, command), kind: Kind::Ask(to) }));
                }
                Command::Plain(sym::GET_PROOF) => play.push(Kind::Ask(Asked::Proof), shown(&arena, command)),
                // The built-in solver does not have the others.
                Command::Other(name, _) if matches!(arena.text(*name), b"apply" | b"get-qe") => {}
                // The honest one is asked for them after every check under assumptions.
                Command::Plain(sym::GET_UNSAT_ASSUMPTIONS) => {}
                Command::Other(..) if command.is_query(&arena) => play.check(rng, &literals),
                Command::SetLogic(_) if !odd.is_empty() => {}
                Command::Other(..) | Command::Malformed(_) | Command::Plain(_) => return None,
                Command::Assert(term) => {
                    if !calm && rng.one_in(5) {
                        play.push(Kind::Other, "(push 1)".to_owned());
                        levels += 1;
                    }
                    play.assert(&arena, *term, rng, &mut literals);
                    if !calm && rng.one_in(6) {
                        play.check(rng, &literals);
                    }
                }
                Command::CheckSat => play.check(rng, &literals),
                Command::CheckSatAssuming(_) => {
                    play.push(Kind::Check { assuming: true }, shown(&arena, command))
                }
                _ => play.push(Kind::Other, shown(&arena, command)),
            }
        }
        while levels > 0 {
            let down = 1 + rng.below(levels);
            play.push(Kind::Other, format!("(pop {down})"));
            levels -= down;
            play.check(rng, &[]);
        }
        Some(play)
    }

    fn assert(&mut self, arena: &Arena, term: Term, rng: &mut Rng, literals: &mut Vec<String>) {
        let text = arena.display_term(term);
        self.terms.push(text.clone());
        let number = self.commands.len();
        let named = matches!(arena.view(term), View::Annotated(_));
        match rng.below(6) {
            0 | 1 if !named => {
                let name = format!("smelt-n{number}");
                self.push(Kind::Assert, format!("(assert (! {text} :named {name}))"));
                // A name is a term of its own.
                if rng.one_in(8) {
                    self.push(Kind::Assert, format!("(assert (or {name} (not {name})))"));
                }
                if rng.one_in(20) {
                    self.push(Kind::Assert, format!("(assert (not {name}))"));
                }
                self.foreign.push(name.clone());
                self.names.push(name);
            }
            2 if !named => {
                let literal = format!("smelt-a{number}");
                self.push(Kind::Other, format!("(declare-const {literal} Bool)"));
                self.push(Kind::Assert, format!("(assert (=> {literal} {text}))"));
                self.constants.push((literal.clone(), "Bool".to_owned()));
                self.terms.push(literal.clone());
                literals.push(literal);
            }
            _ => self.push(Kind::Assert, format!("(assert {text})")),
        }
    }

    fn check(&mut self, rng: &mut Rng, literals: &[String]) {
        if literals.is_empty() {
            return self.push(Kind::Check { assuming: false }, "(check-sat)".to_owned());
        }
        let list: Vec<String> = literals
            .iter()
            .filter_map(|l| match rng.below(8) {
                0 => None,
                1 => Some(format!("(not {l})")),
                _ => Some(l.clone()),
            })
            .collect();
        self.terms.extend(list.iter().cloned());
        self.push(Kind::Check { assuming: true }, format!("(check-sat-assuming ({}))", list.join(" ")));
    }

    /// Keeps the names that a command declares.
    fn note(&mut self, arena: &Arena, command: &Command) {
        let name = |s| String::from_utf8_lossy(arena.text(s)).into_owned();
        if let Some((constant, sort)) = command.constant() {
            self.constants.push((name(constant), arena.display_sort(sort)));
        } else if let Command::DeclareFun(function, args, sort) = command {
            let params = args.iter().enumerate().map(|(i, s)| format!("(x!{i} {})", arena.display_sort(*s)));
            let params = format!("({})", params.collect::<Vec<_>>().join(" "));
            self.functions.push((name(*function), params, arena.display_sort(*sort)));
        } else {
            let declared = command.declared();
            if matches!(command, Command::DeclareDatatypes(..)) {
                self.foreign.extend(declared.iter().map(|n| format!("is-{}", name(*n))));
            }
            self.foreign.extend(declared.into_iter().map(name));
        }
    }
}

/// Beginnings of scripts that are easy to get wrong: names under which solvers print what they choose, names with two meanings,
/// texts that look like notations of models, values with parts, elements of sorts, variables that hide others.
const ODD: [&str; 14] = [
    "(declare-fun div0 (Int) Int)(declare-const smelt-i Int)(assert (= (div0 smelt-i) 1))(assert (= (div smelt-i 0) 2))",
    "(define-fun mod0 ((x Int)) Int 5)(assert (= (mod 3 0) 2))",
    "(declare-fun smelt-f (Int) Int)(declare-fun smelt-f (Bool) Int)(assert (= (smelt-f 0) 1))(assert (= (smelt-f true) 2))",
    "(declare-const smelt-s String)(assert (= smelt-s \"a@(x)_0b\"))(assert (= (str.len smelt-s) 8))",
    "(declare-const smelt-s String)(assert (= smelt-s \"(_ real_algebraic_number <1*x^2 + (-2), (1, 2)>)\"))",
    "(assert (= (str.len \"\u{e9}\") 1))",
    "(assert (exists ((x Int)) (and (= x 2) (= (select (lambda ((x Int)) (ite (= x (- x)) 7 0)) 0) 0))))",
    "(declare-fun smelt-f (Int) (_ BitVec 1))(assert (distinct (smelt-f 0) (smelt-f 1) (smelt-f 2)))",
    "(declare-const smelt-a (Array Int (_ BitVec 1)))(assert (distinct (select smelt-a 0) (select smelt-a 1) (select smelt-a 2)))",
    "(declare-datatype W ((w (u Bool))))(declare-const smelt-w W)(declare-const smelt-v W)(declare-const smelt-u W)(assert (distinct smelt-w smelt-v smelt-u))",
    "(declare-const smelt-q (Seq Bool))(assert (distinct (seq.nth smelt-q 0) (seq.nth smelt-q 1) (seq.nth smelt-q 2)))",
    "(declare-sort U 0)(declare-fun smelt-p (U) Bool)(declare-fun smelt-f (U) U)(declare-const smelt-c U)(assert (forall ((x U)) (smelt-p x)))(assert (not (smelt-p (smelt-f smelt-c))))",
    "(declare-datatypes ((E 0) (F 0)) (((e1) (e2)) ((f1) (f2))))(declare-fun smelt-f (Int) E)(assert (distinct (smelt-f 0) e1))(assert (distinct (smelt-f 0) e2))",
    "(declare-const smelt-q (Seq Real))(assert (= smelt-q (seq.unit 1.0)))",
];

/// The query for interpolants of this name, if the built-in solver has it.
fn interpolants(name: &[u8]) -> Option<Asked> {
    [Asked::Interpolant, Asked::Interpolants].into_iter().find(|a| a.as_str().as_bytes() == name)
}

/// The tactics of the built-in solver.
const APPLIED: [&[u8]; 2] = [b"(apply simplify)", b"(apply qe)"];

/// Names of the standard that a model must not define.
const FOREIGN: [&str; 6] = ["+", "and", "true", "select", "=", "bvadd"];

fn shown(arena: &Arena, command: &Command) -> String {
    let mut out = Vec::new();
    Printer::new(arena, &mut out).command(command);
    String::from_utf8_lossy(&out).trim().to_owned()
}
