//! Exchanges literals of an unsatisfiable core by rules.
//!
//! A formula that is joined to a literal by `and` leaves the old refutation in place, so a solver may ignore it. Here the
//! literal is removed: a stronger one stands in its place that does not contain it, in an assertion that the
//! refutation needs. The core comes from the built-in solver, so that a case can be made again from its seed
//! alone; if that does not refute the seed, all assertions are the core.

use smelt_core::{Expectation, Relation, Verdict};
use smelt_semantics::goal::Goal;
use smelt_semantics::solver::{Answer, Limits, solve};
use smelt_smtlib::Arena;
use smelt_smtlib::script::Command;

use super::alike::has_part;
use super::{LITERALS, Literal, Skeleton, Table};
use crate::pool::{Pool, Seed, SeedId};
use crate::rng::Rng;
use crate::rules::{Engine, Ground};
use crate::strategy::{Draft, Skip, Strategy};

/// The effort of the built-in solver for a whole seed, and for it without one assertion.
const SOLVING: Limits = Limits { steps: 300_000 };
const SHRINKING: Limits = Limits { steps: 60_000 };
/// More assertions are not left out one by one.
const ASSERTIONS: usize = 24;
/// How many literals are tried for each that is exchanged.
const TRIES: usize = 6;

/// The commands of assertions that contradict each other.
#[derive(Clone, Debug)]
pub(super) struct Core {
    commands: Vec<u32>,
    /// Whether the built-in solver refuted them.
    is_refuted: bool,
}

impl Core {
    /// The core of a seed with one query.
    fn of(arena: &mut Arena, seed: &Seed) -> Core {
        let mark = arena.checkpoint();
        let mut goal = Goal::last(&seed.script);
        let list = seed.script.commands.iter().enumerate();
        let is_assertion = |(i, c): (usize, &Command)| matches!(c, Command::Assert(_)).then_some(i as u32);
        let mut commands: Vec<u32> = list.filter_map(is_assertion).collect();
        debug_assert_eq!(commands.len(), goal.assertions.len(), "one query of a flat list");
        let is_refuted = matches!(solve(arena, &goal, SOLVING), Answer::Unsat);
        let mut at = 0;
        while is_refuted && commands.len() <= ASSERTIONS && at < commands.len() {
            let term = goal.assertions.remove(at);
            if matches!(solve(arena, &goal, SHRINKING), Answer::Unsat) {
                commands.remove(at);
            } else {
                goal.assertions.insert(at, term);
                at += 1;
            }
        }
        arena.rollback(mark);
        Core { commands, is_refuted }
    }
}

impl Skeleton {
    /// Exchanges some literals of the core of a seed by rules. A seed that is not known to be unsatisfiable must be refuted
    /// by the built-in solver.
    pub(super) fn refuted(
        &mut self,
        pool: &mut Pool,
        (own_seed, id): (SeedId, SeedId),
        (number, mut rng): (u64, Rng),
        draft: &mut Draft,
    ) -> Result<(), Skip> {
        self.prepare(pool, id, false)?;
        let status = pool.seed(own_seed).status;
        let options = self.options();
        let (arena, seed) = pool.parts(id);
        let core = self.cores.entry(id).or_insert_with(|| Core::of(arena, seed));
        if !core.is_refuted && status != Some(Verdict::Unsat) {
            return Err(Skip::NoModel);
        }
        draft.start(own_seed);
        draft.header(pool, "skeleton", &options, number);
        let seed = pool.seed(id);
        let Ok(table) = &self.tables[id] else { return Err(Skip::Unsupported) };
        draft.log.extend_from_slice(format!("a core of {} assertions\n", core.commands.len()).as_bytes());
        self.edits.clear();
        let expressions = &table.ground.lender.expressions;
        let is_in_core = |l: &&Literal| {
            let command = expressions.command_of[l.place.index()];
            l.first < l.end && core.commands.binary_search(&command).is_ok()
        };
        let stronger = &table.literals[usize::from(true)];
        let literals: Vec<Literal> = stronger.iter().filter(is_in_core).copied().collect();
        let mut exchange =
            Exchange { engine: &mut self.engine, edits: &mut self.edits, arena: pool.arena(), seed, table };
        if !exchange.some_of(&literals, &mut rng, &mut draft.log) {
            return Err(Skip::NothingToChange);
        }
        let (at, whole) = (table.ground.status_at, seed.text.len() as u32);
        self.edits.apply(&seed.text, 0..at, &mut draft.text);
        Ground::say_status(status, &mut draft.text);
        self.edits.apply(&seed.text, at..whole, &mut draft.text);
        draft.expectation = Expectation::Related(Relation::Stronger);
        Ok(())
    }
}

/// The exchange of literals of one seed.
struct Exchange<'a> {
    engine: &'a mut Engine,
    edits: &'a mut crate::pool::Edits,
    arena: &'a Arena,
    seed: &'a Seed,
    table: &'a Table,
}

impl Exchange<'_> {
    /// Notes the exchanges in the edits; whether there are any.
    fn some_of(&mut self, literals: &[Literal], rng: &mut Rng, log: &mut Vec<u8>) -> bool {
        if literals.is_empty() {
            return false;
        }
        let Exchange { seed, table, .. } = *self;
        let (wanted, mut done) = (1 + rng.below(LITERALS.min(literals.len())), 0);
        for _ in 0..TRIES * wanted {
            if done == wanted {
                break;
            }
            let literal = literals[rng.below(literals.len())];
            let span = seed.spans[literal.place.index()];
            if self.edits.touches(&(span.start..span.end)) {
                continue;
            }
            let change =
                table.changes[literal.first as usize + rng.below((literal.end - literal.first) as usize)];
            let start = self.edits.new.len();
            let old = &seed.text[span.start as usize..span.end as usize];
            let ground = &table.ground;
            let written = self.engine.write(self.arena, seed, ground, change, rng, &mut self.edits.new);
            let new = &self.edits.new[start..];
            // With the old literal in it, the old refutation still works.
            if !written || new == old || has_part(new, old) {
                self.edits.new.truncate(start);
                continue;
            }
            let name = self.engine.name(change);
            log.extend_from_slice(format!("rule {name} at place {}: ", literal.place.index()).as_bytes());
            log.extend_from_slice(new);
            log.push(b'\n');
            self.edits.push(span.start..span.end, start);
            done += 1;
        }
        done > 0
    }
}
