//! Lies: wrong verdicts, and invented or corrupted models and cores.

use smelt_core::{Answer, Crash, CrashKind, Outcome, OutcomeKind, Reply, Verdict};
use smelt_smtlib::sexpr::{self, Sexpr, SexprNode};
use smelt_strategies::Rng;

use super::honest::outcome;
use super::play::Play;

/// What lies are made of.
pub(crate) struct Liar<'a> {
    pub(crate) rng: &'a mut Rng,
    pub(crate) play: &'a Play,
    /// True models, of this play and of others.
    pub(crate) models: &'a [String],
}

impl Liar<'_> {
    /// A lie, with the truth at hand.
    pub(crate) fn lie(&mut self, truth: &Outcome) -> Outcome {
        let mut answers: Vec<Answer> = truth.answers.iter().map(|a| self.answer(a)).collect();
        match self.rng.below(30) {
            0 => drop(answers.pop()),
            1 => answers.extend(answers.first().cloned()),
            _ => {}
        }
        let Some(mut lie) = outcome(answers) else { return Outcome::bare(OutcomeKind::Error, "nothing") };
        lie.replies = truth.replies.iter().map(|reply| self.reply(reply)).collect();
        match self.rng.below(40) {
            0 => lie.kind = OutcomeKind::Rejected,
            1 => lie.kind = OutcomeKind::Timeout,
            2 => lie.comparable = false,
            3 => {
                let message = if self.rng.one_in(2) { "invalid model" } else { "unsat core check failed" };
                lie.kind = OutcomeKind::Crash;
                lie.crash = Some(Crash {
                    kind: CrashKind::SelfCheck,
                    signal: None,
                    exit_code: Some(1),
                    site: None,
                    message: message.to_owned(),
                    stack: Vec::new(),
                    lines: Vec::new(),
                });
            }
            _ => {}
        }
        lie
    }

    /// A reply to another query: a number is another one, a part is gone, or it is the true one.
    fn reply(&mut self, truth: &Reply) -> Reply {
        let mut reply = truth.clone();
        let Ok(mut read) = sexpr::read_all(truth.text.as_bytes()) else { return reply };
        let Some(SexprNode::List(parts)) = read.first_mut().map(|s| &mut s.node) else { return reply };
        let at = self.rng.below(parts.len().max(1));
        let choice = self.rng.below(6);
        if choice == 3 && at < parts.len() {
            parts.remove(at);
        } else if let Some(SexprNode::List(entry)) = parts.get_mut(at).map(|part| &mut part.node) {
            match (choice, entry.last_mut()) {
                (0 | 1, Some(last)) => last.node = SexprNode::Atom(self.rng.below(20).to_string()),
                (2, Some(_)) => drop(entry.pop()),
                (4, Some(_)) => entry.reverse(),
                _ => {}
            }
        }
        reply.text = read.iter().map(show).collect::<Vec<_>>().join("\n");
        reply
    }

    fn answer(&mut self, truth: &Answer) -> Answer {
        let verdict = match self.rng.below(4) {
            0 => truth.verdict,
            1 => Some(Verdict::Unsat),
            _ => Some(Verdict::Sat),
        };
        let mut lie = Answer { verdict, ..Answer::default() };
        match verdict {
            Some(Verdict::Sat) if !self.rng.one_in(10) => {
                lie.model = Some(self.model(truth.model.as_deref()));
            }
            Some(Verdict::Unsat) if !self.rng.one_in(6) => lie.core = Some(self.core()),
            _ => {}
        }
        if self.rng.one_in(25) {
            lie.error = Some("the liar will not say".to_owned());
            lie.verdict = lie.verdict.filter(|_| self.rng.one_in(2));
        }
        lie
    }

    /// A core: names that are there or not, constants, assumptions, assertions written out.
    pub(crate) fn core(&mut self) -> String {
        let mut parts: Vec<String> = self.play.names.iter().filter(|_| self.rng.one_in(2)).cloned().collect();
        match self.rng.below(8) {
            0 => parts.push("smelt-nobody".to_owned()),
            1 => parts.extend(["true".to_owned(), "false".to_owned()]),
            2 => parts.extend(self.rng.pick(&self.play.terms).cloned()),
            3 => parts.extend(self.rng.pick(&self.play.constants).map(|c| format!("(not |{}|)", c.0))),
            4 => parts = self.play.terms.clone(),
            5 => parts.extend(self.rng.pick(&self.play.foreign).cloned()),
            _ => {}
        }
        format!("({})", parts.join(" "))
    }

    /// A model: a true one spoiled, that of another script, or one made up.
    pub(crate) fn model(&mut self, truth: Option<&str>) -> String {
        let borrowed = self.rng.pick(self.models).cloned();
        let base = match (truth, self.rng.below(3)) {
            (Some(own), 0 | 1) => own.to_owned(),
            (_, 0 | 2) => borrowed.unwrap_or_else(|| self.made_up()),
            _ => self.made_up(),
        };
        let Ok(read) = sexpr::read_all(base.as_bytes()) else { return base };
        let mut definitions: Vec<Sexpr> = match &read[..] {
            [Sexpr { node: SexprNode::List(items), .. }] => items.clone(),
            _ => read,
        };
        for _ in 0..=self.rng.below(4) {
            self.spoil(&mut definitions);
        }
        let shown: Vec<String> = definitions.iter().map(show).collect();
        match self.rng.below(40) {
            0 => "()".to_owned(),
            1 => "(model)".to_owned(),
            2 => format!("({}", shown.join("\n")),
            _ => format!("({})", shown.join("\n")),
        }
    }

    fn made_up(&mut self) -> String {
        let constants = &self.play.constants;
        let mut all: Vec<String> = constants
            .iter()
            .map(|(name, sort)| format!("(define-fun |{name}| () {sort} {})", value(self.rng, sort)))
            .collect();
        for (name, params, sort) in &self.play.functions {
            let open = if self.rng.one_in(2) { self.rng.pick(&OPEN) } else { None };
            let body = open.map_or_else(|| value(self.rng, sort), |t| (*t).to_owned());
            all.push(format!("(define-fun |{name}| {params} {sort} {body})"));
        }
        format!("({})", all.join("\n"))
    }

    /// Spoils a list of definitions in one place.
    fn spoil(&mut self, definitions: &mut Vec<Sexpr>) {
        let at = self.rng.below(definitions.len().max(1));
        let constant = self.rng.pick(&self.play.constants).cloned();
        let foreign = self.rng.pick(&self.play.foreign).cloned();
        let sort = *self.rng.pick(&SORTS).unwrap_or(&"Int");
        match self.rng.below(12) {
            0 => drop((at < definitions.len()).then(|| definitions.remove(at))),
            1 => definitions.extend(definitions.get(at).cloned()),
            2 | 3 => {
                let (name, args) = (foreign.unwrap_or_default(), self.rng.pick(&ARGUMENTS).copied());
                let body = value(self.rng, sort);
                let text = format!("(define-fun |{name}| {} {sort} {body})", args.unwrap_or("()"));
                definitions.extend(sexpr::read_all(text.as_bytes()).unwrap_or_default());
            }
            4 => {
                let name = foreign.filter(|_| self.rng.one_in(2)).or(constant.map(|c| c.0));
                rename(definitions.get_mut(at), 1, name);
            }
            5 => rename(definitions.get_mut(at), 3, Some(sort.to_owned())),
            6 => rename(definitions.get_mut(at), 4, constant.map(|c| c.0)),
            7 => {
                let open = self.rng.pick(&OPEN).map(|t| (*t).to_owned());
                let body = open.and_then(|t| sexpr::read_all(t.as_bytes()).ok()?.pop());
                replace(definitions.get_mut(at), 4, body);
            }
            8 => {
                let other = definitions.get(self.rng.below(definitions.len().max(1)));
                let body = other.and_then(|d| d.list("").ok()?.get(4).cloned());
                replace(definitions.get_mut(at), 4, body);
            }
            9 => {
                let line = self.rng.pick(&EXTRAS).copied().unwrap_or_default();
                definitions.extend(sexpr::read_all(line.as_bytes()).unwrap_or_default());
            }
            _ => self.literal(definitions.get_mut(at)),
        }
    }

    /// Exchanges a literal in the body of a definition.
    fn literal(&mut self, definition: Option<&mut Sexpr>) {
        let Some(SexprNode::List(parts)) = definition.map(|d| &mut d.node) else { return };
        let Some(body) = parts.get_mut(4) else { return };
        let mut literals = Vec::new();
        collect(body, &mut literals);
        let at = self.rng.below(literals.len().max(1));
        if let Some(SexprNode::Atom(text)) = literals.into_iter().nth(at) {
            *text = changed(self.rng, text);
        }
    }
}

const SORTS: [&str; 8] =
    ["Int", "Bool", "Real", "String", "(_ BitVec 8)", "(_ FloatingPoint 5 11)", "RoundingMode", "U"];
const ARGUMENTS: [&str; 5] = ["()", "((x Int))", "((x!0 Int))", "((x Bool) (y Bool))", "((x (_ BitVec 8)))"];
/// Bodies whose value the standard leaves open, that refer to themselves, or that no reader should trust.
const OPEN: [&str; 22] = [
    "(div 1 0)",
    "(/ 1.0 0.0)",
    "(mod 7 0)",
    "1.4142135623?",
    "(root-obj (+ (^ x 2) (- 2)) 1)",
    "(as @a0 U)",
    "((as const (Array Int Int)) 0)",
    "(let ((x true)) x)",
    "(bvudiv #x01 #x00)",
    "(_ as-array k!0)",
    "(lambda ((x Int)) x)",
    "(choose ((x Int)) false)",
    // Of another sort, as a whole or in a part.
    "x!0",
    "U!val!9",
    "(as @U_9 U)",
    "f1",
    "((_ int2bv 4) x!0)",
    "(w #b01)",
    "(seq.unit 1)",
    "(seq.++ (seq.unit #b00) (seq.unit #b01) (seq.unit #b10))",
    "(store (store ((as const (Array Int (_ BitVec 1))) #b00) 1 #b01) 2 #b10)",
    "((as const (Array Int U)) U!val!1)",
];
const EXTRAS: [&str; 9] = [
    "(declare-fun ghost () Int)",
    "(declare-sort U 0)",
    "(define-fun-rec loop ((x Int)) Int (loop x))",
    "(forall ((x U)) (= x (as @a0 U)))",
    "(declare-datatype Ghost ((ghost)))",
    "(assert false)",
    "(define-fun div0 ((x!0 Int)) Int 2)",
    "(define-fun seq.nth_u ((x!0 (Seq Bool)) (x!1 Int)) Int x!1)",
    "(forall ((x U)) (= x U!val!0))",
];

fn value(rng: &mut Rng, sort: &str) -> String {
    let words: &[&str] = match sort {
        "Bool" => &["true", "false"],
        "Int" => &["0", "1", "(- 1)", "7", "123456789012345678901234567890"],
        "Real" => &["0.0", "1.0", "(- 0.5)", "(/ 1 3)", "1.4142"],
        "String" => &["\"\"", "\"a\"", "\"\\u{41}0\"", "\"aaaa\""],
        "RoundingMode" => &["RNE", "RTZ", "roundTowardPositive"],
        _ if sort.contains("FloatingPoint 5 11") => {
            &["(_ NaN 5 11)", "(_ +zero 5 11)", "(_ -oo 5 11)", "(fp #b0 #b00000 #b0000000001)"]
        }
        _ => &["#x00", "#xff", "#b0", "0", "true", "(as @a0 U)", "((as const (Array Int Int)) 1)"],
    };
    let width = sort
        .strip_prefix("(_ BitVec ")
        .and_then(|w| w.strip_suffix(')'))
        .and_then(|w| w.parse::<usize>().ok());
    match width {
        Some(width) if width <= 256 => {
            let bits: String = (0..width).map(|_| if rng.one_in(2) { '1' } else { '0' }).collect();
            format!("#b{bits}")
        }
        _ => (*rng.pick(words).unwrap_or(&"0")).to_owned(),
    }
}

fn changed(rng: &mut Rng, literal: &str) -> String {
    if rng.one_in(8) {
        let sort = SORTS[rng.below(SORTS.len())];
        return value(rng, sort);
    }
    match literal.as_bytes() {
        b"true" => "false".to_owned(),
        b"false" => "true".to_owned(),
        [b'#', b'b', bits @ ..] => {
            let at = rng.below(bits.len().max(1));
            let flip = |(i, b): (usize, &u8)| if i == at { (b ^ 1) as char } else { *b as char };
            format!("#b{}", bits.iter().enumerate().map(flip).collect::<String>())
        }
        [b'#', b'x', digits @ ..] => format!("#x{}", "0".repeat(digits.len().saturating_sub(1)) + "1"),
        [b'"', ..] => value(rng, "String"),
        digits if digits.contains(&b'.') => format!("{}.5", rng.below(5)),
        digits if digits.iter().all(u8::is_ascii_digit) => rng.below(40).to_string(),
        _ => literal.to_owned(),
    }
}

/// All literals of a term.
fn collect<'a>(term: &'a mut Sexpr, into: &mut Vec<&'a mut SexprNode>) {
    let is_literal = match &term.node {
        SexprNode::Atom(text) => {
            matches!(&text[..], "true" | "false")
                || text.starts_with(|c: char| c.is_ascii_digit() || "#\"".contains(c))
        }
        SexprNode::List(_) => false,
    };
    if is_literal {
        return into.push(&mut term.node);
    }
    if let SexprNode::List(items) = &mut term.node {
        items.iter_mut().for_each(|item| collect(item, into));
    }
}

fn rename(definition: Option<&mut Sexpr>, part: usize, name: Option<String>) {
    let with = name.map(|name| Sexpr { offset: 0, node: SexprNode::Atom(name) });
    replace(definition, part, with);
}

fn replace(definition: Option<&mut Sexpr>, part: usize, with: Option<Sexpr>) {
    let Some(SexprNode::List(parts)) = definition.map(|d| &mut d.node) else { return };
    if let (Some(place), Some(with)) = (parts.get_mut(part), with) {
        *place = with;
    }
}

/// As text. The reader took the bars of quoted symbols away.
fn show(term: &Sexpr) -> String {
    match &term.node {
        SexprNode::List(items) => format!("({})", items.iter().map(show).collect::<Vec<_>>().join(" ")),
        SexprNode::Atom(text) if text.starts_with(['"', '(']) => text.clone(),
        SexprNode::Atom(text) => {
            let plain = |c: char| c.is_ascii_alphanumeric() || "~!@$%^&*_-+=<>.?/:#".contains(c);
            if !text.is_empty() && text.chars().all(plain) { text.clone() } else { format!("|{text}|") }
        }
    }
}
