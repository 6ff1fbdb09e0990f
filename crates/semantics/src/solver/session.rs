//! The solver as an SMT-LIB process: text in, answers out, command by command.
//!
//! Only `(exit)` and the end of the text end it: a wrong command is answered with `(error "..")`, an unknown one with
//! `unsupported`.

use smelt_smtlib::script::{Command, Script};
use smelt_smtlib::{Arena, Checkpoint, Flaw, Parser, Scope, Sort, Symbol, Term, View, line_column, sym};

use super::core::minimal_core;
use super::eliminate::eliminate;
use super::fault::{self, Fault, Plant};
use super::interpolate::Interpolator;
use super::optimise::Optimiser;
use super::reader::{Piece, Reader};
use super::simplify::Simplifier;
use super::{Answer, Limits, proof, solve_with};
use crate::eval::{Allowed, Effort, Evaluator, Operators};
use crate::goal::Goal;
use crate::model::{Model, print_model, print_value, written_name};
use crate::optimum::{Priority, objectives};

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
    /// Never continue.
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

/// The result of a command, or the message of an `(error "..")`.
type Reply = Result<Step, String>;

const UNSUPPORTED: &[u8] = b"unsupported\n";
const NO_MODEL: &str = "there is no model: the last check did not answer sat";

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
    /// The operators of `get-value`, if they are others.
    value_operators: Option<Operators>,
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
    /// The optima of the last check, as they are printed.
    optima: Option<String>,
    /// The options that were set, for the priority of objectives.
    options: Vec<Command>,
    /// A fault kept `unsat` through a reset.
    stuck: bool,
    over: bool,
}

impl Session {
    /// A session at its start.
    pub fn new(settings: Settings) -> Self {
        let arena = Arena::new();
        let fresh = arena.checkpoint();
        let operators = settings.fault.and_then(Fault::operators);
        let value_operators = settings.fault.and_then(Fault::value_operators);
        Session {
            settings,
            operators,
            value_operators,
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
            optima: None,
            options: Vec::new(),
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
            Some(piece) => self.piece(&piece, out).unwrap_or_else(|message| {
                error(out, &message);
                Step::Answered
            }),
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

    fn piece(&mut self, piece: &Piece, out: &mut Vec<u8>) -> Reply {
        let complaint = |offset: usize, message: &str| {
            let (line, column) = line_column(&piece.text, offset);
            format!("line {} column {column}: {message}", piece.line + line)
        };
        let scope = std::mem::take(&mut self.scope);
        let parser = Parser::new(&mut self.arena, scope, &piece.text);
        let mut parser =
            parser.map_err(|e| complaint(e.offset, &e.message))?.with_numeral_sort(self.numeral_sort);
        let command = parser.next_command();
        let flaws = parser.take_diagnostics();
        self.numeral_sort = parser.numeral_sort();
        self.scope = parser.into_scope();
        let command = command.map_err(|e| complaint(e.offset, &e.message))?;
        let Some(command) = command else { return Ok(Step::Answered) };
        match flaws.first() {
            Some(flaw) if flaw.flaw == Flaw::Malformed || !matches!(command, Command::Other(..)) => {
                Err(complaint(flaw.offset, &flaw.message))
            }
            _ => self.command(command, out),
        }
    }

    /// Commands without an answer of their own get `success`, if that is wanted.
    fn command(&mut self, command: Command, out: &mut Vec<u8>) -> Reply {
        match command {
            Command::Assert(term) => {
                self.note_names(term);
                self.assertions.push(term);
                self.last = Last::None;
            }
            Command::DeclareConst(name, _) | Command::DeclareFun(name, ..)
                if self.scope.declared(name).nth(1).is_some() =>
            {
                return Err(format!("`{}` is declared already", self.arena.name(name)));
            }
            Command::DeclareConst(..)
            | Command::DeclareFun(..)
            | Command::DeclareDatatypes(..)
            | Command::DeclareSort(..)
            | Command::DefineConst(..)
            | Command::DefineFun(..)
            | Command::DefineFunRec(..)
            | Command::DefineFunsRec(..)
            | Command::DefineSort(..)
            | Command::SetLogic(_)
            | Command::Optimize(..)
            | Command::AssertSoft(..)
            | Command::SetInfo(_) => self.context.push(command),
            Command::SetOption(info) => {
                self.options.push(Command::SetOption(info));
                if self.arena.text(info.keyword) == b":print-success" {
                    self.print_success = info.value.is_some_and(|v| self.arena.text(v) == b"true");
                }
            }
            Command::Push(n) => {
                for _ in 0..n.min(1 << 16) {
                    self.levels.push((self.assertions.len(), self.context.len()));
                }
                self.last = Last::None;
            }
            Command::Pop(n) => self.pop(n)?,
            Command::Plain(sym::EXIT) => self.over = true,
            Command::Plain(sym::RESET) => self.reset(),
            Command::Plain(sym::RESET_ASSERTIONS) => {
                self.assertions.clear();
                self.levels.clear();
                self.last = Last::None;
            }
            Command::CheckSat => return self.check(&[], out),
            Command::CheckSatAssuming(terms) => return self.check(&terms, out),
            question => {
                out.extend(self.answer_to(question)?);
                return Ok(Step::Answered);
            }
        }
        if self.print_success {
            out.extend(b"success\n");
        }
        Ok(if self.over { Step::Over } else { Step::Answered })
    }

    /// The answer to a command that changes nothing.
    fn answer_to(&mut self, question: Command) -> Result<Vec<u8>, String> {
        Ok(match question {
            Command::Echo(text) => [self.arena.text(text), b"\n"].concat(),
            Command::GetValue(terms) => self.get_value(&terms)?,
            Command::GetInfo(keyword) => self.get_info(keyword)?.into_bytes(),
            Command::GetOption(keyword) => match self.arena.text(keyword) {
                b":print-success" => format!("{}\n", self.print_success).into_bytes(),
                b":produce-models" | b":produce-unsat-cores" | b":produce-unsat-assumptions" => {
                    b"true\n".to_vec()
                }
                _ => UNSUPPORTED.to_vec(),
            },
            Command::Plain(sym::GET_MODEL) => {
                let Last::Sat(model, goal) = &self.last else { return Err(NO_MODEL.to_owned()) };
                print_model(&mut self.arena, goal, model).map_err(|e| e.to_string())?
            }
            Command::Plain(sym::GET_UNSAT_CORE) => self.get_core()?,
            Command::Plain(sym::GET_UNSAT_ASSUMPTIONS) => self.get_assumptions()?,
            Command::Plain(sym::GET_ASSERTIONS) => {
                list(self.assertions.iter().map(|&t| self.arena.display_term(t)), "\n")
            }
            Command::Simplify(term) => self.simplify(term),
            Command::Other(name, _) if self.arena.text(name) == b"get-objectives" => {
                self.optima.clone().ok_or_else(|| NO_MODEL.to_owned())?.into_bytes()
            }
            Command::Other(name, text) if self.arena.text(name) == b"apply" => self.apply(text)?,
            Command::Plain(sym::GET_PROOF) => self.prove()?,
            Command::Other(name, text) if Interpolator::has(self.arena.text(name)) => {
                self.interpolate(name, text)?
            }
            Command::Other(name, _) if self.arena.text(name) == b"simplify" => {
                return Err("not supported: expected one term".to_owned());
            }
            Command::Malformed(_) => return Err("not a command".to_owned()),
            _ => UNSUPPORTED.to_vec(),
        })
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
        self.options.clear();
        self.optima = None;
        // Nothing refers to the terms of before any more.
        self.arena.rollback(self.fresh);
    }

    fn pop(&mut self, n: u32) -> Result<(), String> {
        self.last = Last::None;
        if n as usize > self.levels.len() {
            // The scope has popped all its levels.
            self.levels.clear();
            return Err("there are fewer levels to pop".to_owned());
        }
        for _ in 0..n {
            let Some((assertions, context)) = self.levels.pop() else { break };
            let keeps = matches!(self.settings.fault, Some(Fault { plant: Plant::PopKeepsLast, .. }));
            if !(keeps && self.assertions.len() == assertions + 1 && self.context.len() == context) {
                self.assertions.truncate(assertions);
            }
            let above = self.context.split_off(context.min(self.context.len()));
            if self.scope.global_declarations {
                self.context.extend(above.into_iter().filter(|c| !c.is_objective()));
            }
        }
        Ok(())
    }

    /// Terms with `:named` can be referred to: the name is a definition.
    fn note_names(&mut self, term: Term) {
        for t in self.arena.parts_first([term]) {
            if let View::Annotated(v) = self.arena.view(t) {
                let (inner, sort) = (v.term(), self.arena.sort_of(v.term()));
                self.context.extend(v.names().map(|name| Command::DefineConst(name, sort, inner)));
            }
        }
    }

    fn goal(&self, assumptions: &[Term]) -> Goal {
        let assertions = self.assertions.iter().chain(assumptions).copied().collect();
        Goal { assertions, context: Script { commands: self.context.clone(), ..Script::default() } }
    }

    fn check(&mut self, assumptions: &[Term], out: &mut Vec<u8>) -> Reply {
        let goal = self.goal(assumptions);
        self.optima = None;
        let mut mishap = None;
        if let Some(fault) = self.settings.fault {
            match fault.plant {
                Plant::Mishap(trigger, what) if fault::triggers(&self.arena, &goal, trigger) => match what {
                    Mishap::Delay(_) => mishap = Some(what),
                    _ => return Ok(Step::Mishap(what)),
                },
                Plant::Unknown(trigger) if fault::triggers(&self.arena, &goal, trigger) => {
                    self.last = Last::Unknown("incomplete".to_owned());
                    out.extend(b"unknown\n");
                    return Ok(Step::Answered);
                }
                _ => {}
            }
        }
        if std::mem::take(&mut self.stuck) {
            self.last = Last::Unsat(goal, assumptions.to_vec());
            out.extend(b"unsat\n");
            return Ok(Step::Answered);
        }
        let answer = self.decide(&goal);
        let answer = self.optimised(&goal, answer);
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
        Ok(mishap.map_or(Step::Answered, Step::Mishap))
    }

    /// Decides a goal under the semantics of the fault, if that makes a difference. A fault makes answers wrong, but never fewer or
    /// much later: where it leaves a goal undecided, or takes much longer than the right semantics, the right answer is given.
    fn decide(&mut self, goal: &Goal) -> Answer {
        const MORE: u64 = 100_000;
        let all = self.settings.limits.steps;
        let mut left = all;
        let right = solve_with(&mut self.arena, goal, &mut left, None);
        let is_concerned = self.settings.fault.is_some_and(|fault| fault.concerns(&self.arena, goal));
        let Some(operators) = self.operators.as_ref().filter(|_| is_concerned) else { return right };
        let mut steps = match right {
            Answer::Unknown(_) => all,
            _ => (8 * (all - left) + MORE).min(all),
        };
        match solve_with(&mut self.arena, goal, &mut steps, Some(operators)) {
            Answer::Unknown(_) => right,
            wrong => wrong,
        }
    }

    /// The answer with the best model that is found, if there are objectives. Their optima are kept.
    fn optimised(&mut self, goal: &Goal, answer: Answer) -> Answer {
        let Answer::Sat(model) = answer else { return answer };
        let Some(objectives) = objectives(&self.arena, &goal.context).filter(|all| !all.is_empty()) else {
            self.optima = Some("(objectives\n)\n".to_owned());
            return Answer::Sat(model);
        };
        let priority = Priority::of_script(&self.arena, &self.options).unwrap_or_default();
        let slip = match self.settings.fault {
            Some(Fault { plant: Plant::Optimum(slip), .. }) => Some(*slip),
            _ => None,
        };
        let mut optimiser = Optimiser {
            arena: &mut self.arena,
            scope: &self.scope,
            numerals: self.numeral_sort,
            operators: self.operators.as_ref(),
            steps: self.settings.limits.steps,
            slip,
        };
        let (model, optima) = optimiser.run(goal, model, priority, &objectives);
        self.optima = Some(optima);
        Answer::Sat(model)
    }

    fn get_value(&mut self, terms: &[Term]) -> Result<Vec<u8>, String> {
        let Last::Sat(model, _) = &mut self.last else { return Err(NO_MODEL.to_owned()) };
        let operators = self.value_operators.as_ref().or(self.operators.as_ref());
        let mut steps = self.settings.limits.steps;
        let mut text = b"(".to_vec();
        for (i, &t) in terms.iter().enumerate() {
            // An open point gets some value, and keeps it.
            let value = loop {
                let mut evaluator = Evaluator::new(&self.arena, &model.interpretation, &model.domains)
                    .with_effort(Effort { steps, ..Effort::default() })
                    .with_operators(operators);
                let value = evaluator.eval(t);
                steps = steps.saturating_sub(evaluator.steps());
                let (_, open) = evaluator.finish();
                let (Err(_), Some(point)) = (&value, open) else { break value };
                let some = match point.allowed(&self.arena) {
                    Allowed::Any => model.domains.default_value(&self.arena, point.sort),
                    Allowed::OneOf(values) => values.into_iter().next(),
                    Allowed::Unknown => None,
                };
                let Some(some) = some else { break value };
                model.interpretation.choose(point, some);
            };
            let value = value.map_err(|u| u.describe(&self.arena))?;
            text.extend(if i > 0 { &b"\n ("[..] } else { b"(" });
            text.extend(self.arena.display_term(t).into_bytes());
            text.push(b' ');
            let sort = self.arena.sort_of(t);
            print_value(&mut self.arena, &model.domains, &value, sort, &mut text)
                .map_err(|e| e.to_string())?;
            text.push(b')');
        }
        text.extend(b")\n");
        Ok(text)
    }

    /// The arguments of a command as it was written.
    fn arguments(&self, command: Symbol, name: &str) -> Vec<u8> {
        let text = self.arena.text(command);
        let at = text.windows(name.len()).position(|w| w == name.as_bytes()).unwrap_or(0);
        text[at + name.len()..text.len() - 1].to_vec()
    }

    fn simplifier(&mut self, rule: Option<fault::Rule>) -> (Simplifier<'_>, &mut Arena) {
        let context = self.goal(&[]).context;
        let steps = self.settings.limits.steps;
        (Simplifier::new(&context, &mut self.scope, self.numeral_sort, rule, steps), &mut self.arena)
    }

    fn simplify(&mut self, term: Term) -> Vec<u8> {
        let rule = match self.settings.fault {
            Some(Fault { plant: Plant::Rewrite(rule), .. }) => Some(*rule),
            _ => None,
        };
        let (mut simplifier, arena) = self.simplifier(rule);
        let simple = simplifier.term(arena, term);
        format!("{}\n", arena.display_term(simple)).into_bytes()
    }

    fn apply(&mut self, command: Symbol) -> Result<Vec<u8>, String> {
        let assertions = self.assertions.clone();
        let formulas = match self.arguments(command, "apply").trim_ascii() {
            b"simplify" => {
                let is_lossy = matches!(self.settings.fault, Some(Fault { plant: Plant::GoalDropsLast, .. }));
                let (mut simplifier, arena) = self.simplifier(None);
                let mut formulas = simplifier.goal(arena, &assertions);
                if is_lossy && formulas.len() > 1 {
                    formulas.pop();
                }
                formulas
            }
            b"qe" => {
                let is_lossy =
                    matches!(self.settings.fault, Some(Fault { plant: Plant::EliminationDropsLast, .. }));
                let context = self.goal(&[]).context;
                eliminate(&mut self.arena, &context, &assertions, is_lossy)
            }
            _ => return Ok(UNSUPPORTED.to_vec()),
        };
        let mut text = "(goals\n(goal\n".to_owned();
        for formula in formulas {
            text += &format!("  {}\n", self.arena.display_term(formula));
        }
        text += "  :precision precise :depth 0)\n)\n";
        Ok(text.into_bytes())
    }

    fn interpolate(&mut self, name: Symbol, command: Symbol) -> Result<Vec<u8>, String> {
        let (name, command) = (self.arena.text(name).to_vec(), self.arena.text(command).to_vec());
        let cut = match self.settings.fault {
            Some(Fault { plant: Plant::Interpolant(cut), .. }) => Some(*cut),
            _ => None,
        };
        let Goal { assertions, context } = self.goal(&[]);
        let (arena, limits) = (&mut self.arena, self.settings.limits);
        let mut interpolator = Interpolator { arena, scope: &self.scope, context: &context, cut, limits };
        let is_unsat = matches!(self.last, Last::Unsat(..));
        interpolator.reply(&name, &assertions, &command, is_unsat).map(String::into_bytes)
    }

    fn prove(&mut self) -> Result<Vec<u8>, String> {
        let Last::Unsat(goal, _) = &self.last else {
            return Err("there is no proof: the last check did not answer unsat".to_owned());
        };
        let rule = match self.settings.fault {
            Some(Fault { plant: Plant::Proof(rule), .. }) => Some(*rule),
            _ => None,
        };
        let assertions = goal.assertions.clone();
        let (mut simplifier, arena) = self.simplifier(rule);
        Ok(proof::written(arena, &mut simplifier, &assertions).into_bytes())
    }

    fn get_core(&mut self) -> Result<Vec<u8>, String> {
        let Last::Unsat(goal, _) = &self.last else {
            return Err("there is no core: the last check did not answer unsat".to_owned());
        };
        let named = |&t: &Term| match self.arena.view(t) {
            View::Annotated(v) => Some((v.name()?, t)),
            _ => None,
        };
        let (names, terms): (Vec<Symbol>, Vec<Term>) = goal.assertions.iter().filter_map(named).unzip();
        let mut core =
            minimal_core(&mut self.arena, goal, &terms, self.settings.limits.steps, self.operators.as_ref());
        if matches!(self.settings.fault, Some(Fault { plant: Plant::CoreDropsOne, .. })) {
            core.pop();
        }
        Ok(list(core.iter().map(|&i| written_name(&self.arena, names[i])), " "))
    }

    fn get_assumptions(&mut self) -> Result<Vec<u8>, String> {
        let Last::Unsat(goal, assumptions) = &self.last else {
            return Err("there are no assumptions: the last check did not answer unsat".to_owned());
        };
        let operators = self.operators.as_ref();
        let mut core =
            minimal_core(&mut self.arena, goal, assumptions, self.settings.limits.steps, operators);
        if matches!(self.settings.fault, Some(Fault { plant: Plant::AssumptionsDropOne, .. })) {
            core.pop();
        }
        Ok(list(core.iter().map(|&i| self.arena.display_term(assumptions[i])), " "))
    }

    fn get_info(&self, keyword: Symbol) -> Result<String, String> {
        Ok(match self.arena.text(keyword) {
            b":name" => "(:name \"smelt\")\n".to_owned(),
            b":version" => format!("(:version \"{}\")\n", env!("CARGO_PKG_VERSION")),
            b":authors" => "(:authors \"the authors of smelt\")\n".to_owned(),
            b":error-behavior" => "(:error-behavior continued-execution)\n".to_owned(),
            b":assertion-stack-levels" => format!("(:assertion-stack-levels {})\n", self.levels.len()),
            b":reason-unknown" => match &self.last {
                Last::Unknown(reason) => format!("(:reason-unknown \"{}\")\n", reason.replace('"', "\"\"")),
                _ => return Err("the last check did not answer unknown".to_owned()),
            },
            _ => "unsupported\n".to_owned(),
        })
    }
}

/// A list of texts in parentheses.
fn list(items: impl Iterator<Item = String>, separator: &str) -> Vec<u8> {
    format!("({})\n", items.collect::<Vec<_>>().join(separator)).into_bytes()
}

/// `(error "..")`
fn error(out: &mut Vec<u8>, message: &str) {
    out.extend(format!("(error \"{}\")\n", message.replace('"', "\"\"").replace('\n', " ")).into_bytes());
}
