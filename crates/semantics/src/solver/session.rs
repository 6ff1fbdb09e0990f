//! The solver as an SMT-LIB process: text in, answers out, command by command.
//!
//! Only `(exit)` and the end of the text end it: a wrong command is answered with `(error "..")`, an unknown one with
//! `unsupported`.

use smelt_smtlib::script::{Command, Script};
use smelt_smtlib::{Arena, Checkpoint, Flaw, Parser, Scope, Sort, Symbol, Term, View, line_column, sym};

use super::core::minimal_core;
use super::fault::{self, Fault, Plant};
use super::reader::{Piece, Reader};
use super::{Answer, Limits, solve_with};
use crate::eval::{Evaluator, Operators};
use crate::goal::Goal;
use crate::model::{Model, print_model, print_value, written_name};

/// How a session works.
#[derive(Clone, Copy, Debug, Default)]
pub struct Settings {
    /// The effort for one check.
    pub limits: Limits,
    /// The fault that is planted.
    pub fault: Option<&'static Fault>,
}

/// What a planted fault does to the process; the program that runs the session has to do it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mishap {
    /// Print this on stderr and abort.
    Abort(&'static str),
    /// Access invalid memory.
    Segfault,
    /// Never go on.
    Hang,
    /// Take memory without end.
    Exhaust,
    /// Take this many milliseconds longer.
    Delay(u64),
}

/// The result of a step of a session.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// A command was answered.
    Answered,
    /// A command was answered, but first this happens.
    Mishap(Mishap),
    /// More text is needed.
    Starved,
    /// The session is over.
    Over,
}

/// The result of the last check, as later commands ask for it.
enum Last {
    None,
    Sat(Box<Model>, Goal),
    Unsat(Goal, Vec<Term>),
    Unknown(String),
}

/// An SMT-LIB session.
pub struct Session {
    settings: Settings,
    operators: Option<Operators>,
    reader: Reader,
    arena: Arena,
    fresh: Checkpoint,
    scope: Scope,
    numeral_sort: Sort,
    context: Vec<Command>,
    assertions: Vec<Term>,
    levels: Vec<(usize, usize)>,
    print_success: bool,
    last: Last,
    /// A fault kept `unsat` through a reset.
    stuck: bool,
    over: bool,
}

impl std::fmt::Debug for Session {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Session({} assertions)", self.assertions.len())
    }
}

impl Session {
    /// A session at its start.
    pub fn new(settings: Settings) -> Self {
        let arena = Arena::new();
        let fresh = arena.checkpoint();
        let operators = settings.fault.and_then(Fault::operators);
        Session {
            settings,
            operators,
            reader: Reader::default(),
            arena,
            fresh,
            scope: Scope::new(),
            numeral_sort: Sort::INT,
            context: Vec::new(),
            assertions: Vec::new(),
            levels: Vec::new(),
            print_success: false,
            last: Last::None,
            stuck: false,
            over: false,
        }
    }

    /// Takes in some text; [`Session::step`] answers it.
    pub fn push(&mut self, text: &[u8]) {
        self.reader.push(text);
    }

    /// Answers the next command that is complete, appending to `out`.
    pub fn step(&mut self, out: &mut Vec<u8>) -> Step {
        if self.over {
            return Step::Over;
        }
        match self.reader.next_piece() {
            Some(piece) => self.piece(&piece, out),
            None => Step::Starved,
        }
    }

    /// Answers the rest at the end of the text.
    pub fn finish(&mut self, out: &mut Vec<u8>) {
        if self.over {
            return;
        }
        self.over = true;
        if let Some(piece) = self.reader.finish() {
            let what =
                if piece.cut { "the input ends in the middle of a command" } else { "expected a command" };
            error(out, &format!("line {} column 1: {what}", piece.line + 1));
        }
    }

    /// Everything that a whole text is answered with; stops at a mishap other than a delay.
    pub fn answer(&mut self, text: &[u8]) -> (Vec<u8>, Option<Mishap>) {
        let mut out = Vec::new();
        let mut delay = None;
        self.push(text);
        loop {
            match self.step(&mut out) {
                Step::Answered => {}
                Step::Mishap(m @ Mishap::Delay(_)) => delay = Some(m),
                Step::Mishap(m) => return (out, Some(m)),
                Step::Starved | Step::Over => break,
            }
        }
        self.finish(&mut out);
        (out, delay)
    }

    fn piece(&mut self, piece: &Piece, out: &mut Vec<u8>) -> Step {
        let complain = |out: &mut Vec<u8>, offset: usize, message: &str| {
            let (line, column) = line_column(&piece.text, offset);
            error(out, &format!("line {} column {column}: {message}", piece.line + line));
        };
        let scope = std::mem::take(&mut self.scope);
        let mut parser = match Parser::new(&mut self.arena, scope, &piece.text) {
            Ok(parser) => parser.with_numeral_sort(self.numeral_sort),
            Err(e) => {
                complain(out, e.offset, &e.message);
                return Step::Answered;
            }
        };
        let command = parser.next_command();
        let flaws = parser.take_diagnostics();
        self.numeral_sort = parser.numeral_sort();
        self.scope = parser.into_scope();
        match command {
            Ok(None) => Step::Answered,
            Err(e) => {
                complain(out, e.offset, &e.message);
                Step::Answered
            }
            Ok(Some(command)) => match flaws.first() {
                Some(flaw) if flaw.flaw == Flaw::Malformed || !matches!(command, Command::Other(..)) => {
                    complain(out, flaw.offset, &flaw.message);
                    Step::Answered
                }
                _ => self.command(command, out),
            },
        }
    }

    fn success(&self, out: &mut Vec<u8>) -> Step {
        if self.print_success {
            out.extend(b"success\n");
        }
        Step::Answered
    }

    fn command(&mut self, command: Command, out: &mut Vec<u8>) -> Step {
        match command {
            Command::Assert(term) => {
                self.note_names(term);
                self.assertions.push(term);
                self.last = Last::None;
                self.success(out)
            }
            Command::CheckSat => self.check(&[], out),
            Command::CheckSatAssuming(terms) => self.check(&terms, out),
            Command::DeclareConst(name, _) | Command::DeclareFun(name, ..) => {
                if self.scope.declared(name).nth(1).is_some() {
                    error(out, &format!("`{}` is declared already", self.arena.name(name)));
                    return Step::Answered;
                }
                self.context.push(command);
                self.success(out)
            }
            Command::DeclareDatatypes(..)
            | Command::DeclareSort(..)
            | Command::DefineConst(..)
            | Command::DefineFun(..)
            | Command::DefineFunRec(..)
            | Command::DefineFunsRec(..)
            | Command::DefineSort(..)
            | Command::SetLogic(_)
            | Command::SetInfo(_) => {
                self.context.push(command);
                self.success(out)
            }
            Command::SetOption(info) => {
                let value = info.value.map(|v| self.arena.text(v).to_vec());
                if self.arena.text(info.keyword) == b":print-success" {
                    self.print_success = value.as_deref() == Some(b"true");
                }
                self.success(out)
            }
            Command::Echo(text) => {
                out.extend_from_slice(self.arena.text(text));
                out.push(b'\n');
                Step::Answered
            }
            Command::Push(n) => {
                for _ in 0..n.min(1 << 16) {
                    self.levels.push((self.assertions.len(), self.context.len()));
                }
                self.last = Last::None;
                self.success(out)
            }
            Command::Pop(n) => self.pop(n, out),
            Command::GetValue(terms) => {
                self.get_value(&terms, out);
                Step::Answered
            }
            Command::GetInfo(keyword) => {
                self.get_info(keyword, out);
                Step::Answered
            }
            Command::GetOption(keyword) => {
                match self.arena.text(keyword) {
                    b":print-success" => out.extend(format!("{}\n", self.print_success).into_bytes()),
                    b":produce-models" | b":produce-unsat-cores" | b":produce-unsat-assumptions" => {
                        out.extend(b"true\n");
                    }
                    _ => out.extend(b"unsupported\n"),
                }
                Step::Answered
            }
            Command::Plain(name) => self.plain(name, out),
            Command::DeclareSortParameter(_) | Command::Other(..) => {
                out.extend(b"unsupported\n");
                Step::Answered
            }
            Command::Malformed(_) => {
                error(out, "not a command");
                Step::Answered
            }
        }
    }

    fn plain(&mut self, name: Symbol, out: &mut Vec<u8>) -> Step {
        match name {
            sym::EXIT => {
                self.over = true;
                self.success(out);
                return Step::Over;
            }
            sym::RESET => {
                self.reset();
                return self.success(out);
            }
            sym::RESET_ASSERTIONS => {
                self.assertions.clear();
                self.levels.clear();
                self.last = Last::None;
                return self.success(out);
            }
            sym::GET_MODEL => self.get_model(out),
            sym::GET_UNSAT_CORE => self.get_core(out),
            sym::GET_UNSAT_ASSUMPTIONS => self.get_assumptions(out),
            sym::GET_ASSERTIONS => {
                let shown: Vec<String> =
                    self.assertions.iter().map(|&t| self.arena.display_term(t)).collect();
                out.extend(format!("({})\n", shown.join("\n")).into_bytes());
            }
            _ => out.extend(b"unsupported\n"),
        }
        Step::Answered
    }

    fn reset(&mut self) {
        let was_unsat = matches!(self.last, Last::Unsat(..));
        let leaks = matches!(self.settings.fault, Some(Fault { plant: Plant::LeakThroughReset, .. }));
        self.stuck = leaks && was_unsat;
        self.context.clear();
        self.assertions.clear();
        self.levels.clear();
        self.last = Last::None;
        self.scope = Scope::new();
        self.numeral_sort = Sort::INT;
        self.print_success = false;
        // Nothing refers to the terms of before any more.
        self.arena.rollback(self.fresh);
    }

    fn pop(&mut self, n: u32, out: &mut Vec<u8>) -> Step {
        if n as usize > self.levels.len() {
            error(out, "there are fewer levels to pop");
            // The scope has popped all its levels.
            self.levels.clear();
            self.last = Last::None;
            return Step::Answered;
        }
        for _ in 0..n {
            let Some((assertions, context)) = self.levels.pop() else { break };
            let keeps = matches!(self.settings.fault, Some(Fault { plant: Plant::PopKeepsLast, .. }));
            if !(keeps && self.assertions.len() == assertions + 1 && self.context.len() == context) {
                self.assertions.truncate(assertions);
            }
            if !self.scope.global_declarations {
                self.context.truncate(context);
            }
        }
        self.last = Last::None;
        self.success(out)
    }

    /// Terms with `:named` can be referred to: the name is a definition.
    fn note_names(&mut self, term: Term) {
        for t in self.arena.parts_first([term]) {
            if let View::Annotated(v) = self.arena.view(t)
                && let Some(name) = v.name()
            {
                let inner = v.term();
                self.context.push(Command::DefineConst(name, self.arena.sort_of(inner), inner));
            }
        }
    }

    fn goal(&self, assumptions: &[Term]) -> Goal {
        let assertions = self.assertions.iter().chain(assumptions).copied().collect();
        Goal { assertions, context: Script { commands: self.context.clone(), ..Script::default() } }
    }

    fn check(&mut self, assumptions: &[Term], out: &mut Vec<u8>) -> Step {
        let goal = self.goal(assumptions);
        let mut mishap = None;
        if let Some(fault) = self.settings.fault {
            match fault.plant {
                Plant::Mishap(trigger, what) if fault::triggers(&self.arena, &goal, trigger) => match what {
                    Mishap::Delay(_) => mishap = Some(what),
                    _ => return Step::Mishap(what),
                },
                Plant::Unknown(trigger) if fault::triggers(&self.arena, &goal, trigger) => {
                    self.last = Last::Unknown("incomplete".to_owned());
                    out.extend(b"unknown\n");
                    return Step::Answered;
                }
                _ => {}
            }
        }
        if std::mem::take(&mut self.stuck) {
            self.last = Last::Unsat(goal, assumptions.to_vec());
            out.extend(b"unsat\n");
            return Step::Answered;
        }
        let answer = solve_with(&mut self.arena, &goal, self.settings.limits, self.operators.as_ref());
        out.extend(answer.as_str().as_bytes());
        out.push(b'\n');
        self.last = match answer {
            Answer::Sat(mut model) => {
                if matches!(self.settings.fault, Some(Fault { plant: Plant::ModelOffByOne, .. })) {
                    fault::spoil_model(&goal, &mut model);
                }
                Last::Sat(model, goal)
            }
            Answer::Unsat => Last::Unsat(goal, assumptions.to_vec()),
            Answer::Unknown(reason) => Last::Unknown(reason),
        };
        mishap.map_or(Step::Answered, Step::Mishap)
    }

    fn get_model(&mut self, out: &mut Vec<u8>) {
        let Last::Sat(model, goal) = &self.last else {
            return error(out, "there is no model: the last check did not answer sat");
        };
        match print_model(&mut self.arena, goal, model) {
            Ok(text) => out.extend(text),
            Err(e) => error(out, &e.to_string()),
        }
    }

    fn get_value(&mut self, terms: &[Term], out: &mut Vec<u8>) {
        let Last::Sat(model, _) = &mut self.last else {
            return error(out, "there is no model: the last check did not answer sat");
        };
        let mut text = b"(".to_vec();
        for (i, &t) in terms.iter().enumerate() {
            // An open point gets some value, and keeps it.
            let value = loop {
                let mut evaluator = Evaluator::new(&self.arena, &model.interpretation, &model.domains);
                if let Some(operators) = &self.operators {
                    evaluator = evaluator.with_operators(operators);
                }
                let value = evaluator.eval(t);
                let (_, open) = evaluator.finish();
                let (Err(_), Some(point)) = (&value, open) else { break value };
                let Some(default) = model.domains.default_value(&self.arena, point.sort) else { break value };
                model.interpretation.choose(point, default);
            };
            let value = match value {
                Ok(value) => value,
                Err(u) => return error(out, &u.describe(&self.arena)),
            };
            text.extend(if i > 0 { &b"\n ("[..] } else { b"(" });
            text.extend(self.arena.display_term(t).into_bytes());
            text.push(b' ');
            let sort = self.arena.sort_of(t);
            if let Err(e) = print_value(&mut self.arena, &model.domains, &value, sort, &mut text) {
                return error(out, &e.to_string());
            }
            text.push(b')');
        }
        text.extend(b")\n");
        out.extend(text);
    }

    fn get_core(&mut self, out: &mut Vec<u8>) {
        let Last::Unsat(goal, _) = &self.last else {
            return error(out, "there is no core: the last check did not answer unsat");
        };
        let goal = goal.clone();
        let named: Vec<(Symbol, Term)> = goal
            .assertions
            .iter()
            .filter_map(|&t| match self.arena.view(t) {
                View::Annotated(v) => Some((v.name()?, t)),
                _ => None,
            })
            .collect();
        let terms: Vec<Term> = named.iter().map(|n| n.1).collect();
        let mut core =
            minimal_core(&mut self.arena, &goal, &terms, self.settings.limits, self.operators.as_ref());
        if matches!(self.settings.fault, Some(Fault { plant: Plant::CoreDropsOne, .. })) {
            core.pop();
        }
        let names: Vec<String> = core.iter().map(|&i| written_name(&self.arena, named[i].0)).collect();
        out.extend(format!("({})\n", names.join(" ")).into_bytes());
    }

    fn get_assumptions(&mut self, out: &mut Vec<u8>) {
        let Last::Unsat(goal, assumptions) = &self.last else {
            return error(out, "there are no assumptions: the last check did not answer unsat");
        };
        let (goal, assumptions) = (goal.clone(), assumptions.clone());
        let operators = self.operators.as_ref();
        let core = minimal_core(&mut self.arena, &goal, &assumptions, self.settings.limits, operators);
        let shown: Vec<String> = core.iter().map(|&i| self.arena.display_term(assumptions[i])).collect();
        out.extend(format!("({})\n", shown.join(" ")).into_bytes());
    }

    fn get_info(&mut self, keyword: Symbol, out: &mut Vec<u8>) {
        let line = match self.arena.text(keyword) {
            b":name" => "(:name \"smelt\")".to_owned(),
            b":version" => format!("(:version \"{}\")", env!("CARGO_PKG_VERSION")),
            b":authors" => "(:authors \"the authors of smelt\")".to_owned(),
            b":error-behavior" => "(:error-behavior continued-execution)".to_owned(),
            b":assertion-stack-levels" => format!("(:assertion-stack-levels {})", self.levels.len()),
            b":reason-unknown" => match &self.last {
                Last::Unknown(reason) => format!("(:reason-unknown \"{}\")", reason.replace('"', "\"\"")),
                _ => return error(out, "the last check did not answer unknown"),
            },
            _ => "unsupported".to_owned(),
        };
        out.extend(line.into_bytes());
        out.push(b'\n');
    }
}

/// `(error "..")`
fn error(out: &mut Vec<u8>, message: &str) {
    out.extend(format!("(error \"{}\")\n", message.replace('"', "\"\"").replace('\n', " ")).into_bytes());
}
