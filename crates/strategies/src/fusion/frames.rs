//! Seeds with several queries or with frames of assertions: the commands around the assertions, and the goal of the
//! last query.
//!
//! A fused script keeps the commands of its first seed. The declarations of the second seed come first. Its
//! assertions form a separate frame before the last query; in a disjunction, they are joined to each assertion of
//! the first seed.

use smelt_semantics::goal::Goal;
use smelt_smtlib::script::{Command, Script};
use smelt_smtlib::{Arena, Printer, sym};
use std::collections::HashSet;

use super::side::lines;
use crate::query::is_query;

/// The commands of a seed, in pieces.
#[derive(Debug)]
pub(crate) struct Frames {
    /// What sets options.
    pub(crate) options: Vec<u8>,
    /// What is declared and defined outside of all frames.
    pub(crate) declarations: Vec<u8>,
    /// All other commands.
    pub(crate) pieces: Vec<Piece>,
    /// The position of the last query among the pieces.
    pub(crate) query: usize,
    /// Whether that makes assumptions.
    pub(crate) assumes: bool,
}

/// A command of a seed.
#[derive(Debug)]
pub(crate) enum Piece {
    /// The assertion with this number.
    Assertion(usize),
    /// Any other command, as printed.
    Command(Vec<u8>),
}

impl Frames {
    /// Whether a script can be taken apart: each name has one meaning, and what is declared stays.
    pub(crate) fn can_hold(script: &Script) -> bool {
        let resets = |c: &Command| matches!(c, Command::Plain(sym::RESET | sym::RESET_ASSERTIONS));
        let mut names = HashSet::new();
        let mut is_new = script.commands.iter().flat_map(Command::declared).map(|name| names.insert(name));
        !script.commands.iter().any(resets) && is_new.all(|is_new| is_new)
    }

    /// The pieces of a script with a query.
    pub(crate) fn new(arena: &Arena, script: &Script) -> Frames {
        let (mut level, mut assertions) = (0u32, 0);
        let mut frames = Frames {
            options: lines(arena, script, |c| matches!(c, Command::SetOption(_))),
            declarations: Vec::new(),
            pieces: Vec::new(),
            query: 0,
            assumes: false,
        };
        for command in &script.commands {
            let print = |out: &mut Vec<u8>| {
                Printer::new(arena, out).command(command);
                out.push(b'\n');
            };
            match command {
                Command::SetOption(_) | Command::SetLogic(_) | Command::SetInfo(_) => continue,
                Command::Assert(_) => {
                    frames.pieces.push(Piece::Assertion(assertions));
                    assertions += 1;
                    continue;
                }
                Command::Push(n) => level = level.saturating_add(*n),
                Command::Pop(n) => level = level.saturating_sub(*n),
                _ if level == 0 && !command.declared().is_empty() => {
                    print(&mut frames.declarations);
                    continue;
                }
                _ => {}
            }
            if is_query(arena, command) {
                frames.query = frames.pieces.len();
                frames.assumes = matches!(command, Command::CheckSatAssuming(_));
            }
            let mut text = Vec::new();
            print(&mut text);
            frames.pieces.push(Piece::Command(text));
        }
        frames
    }
}

/// The goal of the last query as a flat script; `None` if a name has several meanings there.
pub(crate) fn last_goal(script: &Script) -> Option<Script> {
    let Goal { assertions, context } = Goal::last(script);
    let mut names = HashSet::new();
    let mut is_new = context.commands.iter().flat_map(Command::declared).map(|name| names.insert(name));
    let is_settled = is_new.all(|is_new| is_new);
    let keeps = |c: &Command| matches!(c, Command::SetLogic(_)) || !c.declared().is_empty();
    let mut commands: Vec<Command> = context.commands.into_iter().filter(keeps).collect();
    commands.extend(assertions.into_iter().map(Command::Assert));
    commands.push(Command::CheckSat);
    let script = Script { commands, comments: Vec::new() };
    is_settled.then_some(script)
}
