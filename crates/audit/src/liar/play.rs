//! Plays: scripts for liars, with names, a stack and assumptions, and the names that lies are made of.

use smelt_smtlib::script::Command;
use smelt_smtlib::{Arena, Printer, Term, View, parse_script};
use smelt_strategies::Rng;

/// A script, command by command.
#[derive(Clone, Debug, Default)]
pub(crate) struct Play {
    pub(crate) commands: Vec<Line>,
    /// Constants with their sorts.
    pub(crate) constants: Vec<(String, String)>,
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
    Check { assuming: bool },
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
        let parsed = parse_script(&mut arena, script).ok()?;
        if !parsed.diagnostics.is_empty() {
            return None;
        }
        let mut play = Play { foreign: FOREIGN.map(str::to_owned).to_vec(), ..Play::default() };
        let (mut levels, mut literals) = (0, Vec::new());
        let calm = rng.one_in(3);
        for command in &parsed.script.commands {
            play.note(&arena, command);
            match command {
                Command::SetInfo(_) | Command::SetOption(_) => {}
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
        } else if !matches!(command, Command::DeclareFun(..)) {
            let declared = command.declared();
            if matches!(command, Command::DeclareDatatypes(..)) {
                self.foreign.extend(declared.iter().map(|n| format!("is-{}", name(*n))));
            }
            self.foreign.extend(declared.into_iter().map(name));
        }
    }
}

/// Names of the standard that a model must not define.
const FOREIGN: [&str; 6] = ["+", "and", "true", "select", "=", "bvadd"];

fn shown(arena: &Arena, command: &Command) -> String {
    let mut out = Vec::new();
    Printer::new(arena, &mut out).command(command);
    String::from_utf8_lossy(&out).trim().to_owned()
}
