//! Replaces literals by random formulas: both have the same value in a model of the seed, so that the model
//! satisfies the mutant.
//!
//! A solver may ignore a formula that is joined to a literal, because the literal alone keeps the old model. Here
//! the literal is removed. The model comes from the built-in solver, so that a case can be made again from its seed
//! alone, and it is the certificate.

use smelt_core::Expectation;
use smelt_semantics::Evaluator;
use smelt_semantics::goal::Goal;
use smelt_semantics::model::{Escapes, Model};
use smelt_semantics::solver::Limits;
use smelt_smtlib::occurrence::Occurrence;
use smelt_smtlib::{Arena, Parser, Scope, Sort};

use super::{LITERALS, Round, SHORTER, Shape, Skeleton, Source, kind};
use crate::certified::{EFFORT, satisfies, solved};
use crate::pool::{Pool, Seed, SeedId};
use crate::rng::Rng;
use crate::strategy::{Draft, Skip, Strategy};

/// The effort of the built-in solver for a seed: some hundredths of a second, once.
const SOLVING: Limits = Limits { steps: 300_000 };
/// How many literals are tried for each that is exchanged.
const TRIES: usize = 4;

impl Skeleton {
    /// Exchanges some literals of a seed for random formulas of the same value.
    pub(super) fn modelled(
        &mut self,
        pool: &mut Pool,
        (own_seed, id, donor): (SeedId, SeedId, Option<SeedId>),
        (number, mut rng): (u64, Rng),
        draft: &mut Draft,
    ) -> Result<(), Skip> {
        self.prepare(pool, id, false)?;
        let (arena, seed) = pool.parts(id);
        let model = self.models.entry(id).or_insert_with(|| {
            solved(arena, seed, SOLVING).filter(|model| satisfies(arena, &seed.text, model))
        });
        let model = model.clone().ok_or(Skip::NoModel)?;
        draft.start(own_seed);
        draft.seeds.extend(donor);
        draft.header(pool, "skeleton", &self.options(), number);
        let (arena, seed) = pool.parts(id);
        let mark = arena.checkpoint();
        let made = self.exchange(arena, (id, seed, donor), &model, &mut rng, &mut draft.log);
        arena.rollback(mark);
        if !made {
            return Err(Skip::NothingToChange);
        }
        let mut text = Vec::new();
        self.edits.apply(&seed.text, 0..seed.text.len() as u32, &mut text);
        // Each literal was evaluated alone; the certificate is about the whole script.
        if !satisfies(arena, &text, &model) {
            return Err(Skip::ModelLost);
        }
        draft.text.extend(text);
        draft.expectation = Expectation::SAT;
        draft.witness = model.into_bytes();
        Ok(())
    }

    /// Notes the exchanges in the edits; whether there are any.
    fn exchange(
        &mut self,
        arena: &mut Arena,
        (id, seed, donor): (SeedId, &Seed, Option<SeedId>),
        model: &str,
        rng: &mut Rng,
        log: &mut Vec<u8>,
    ) -> bool {
        let Ok(table) = &self.tables[id] else { return false };
        let Some(bank) = &table.snippets else { return false };
        let goal = Goal::last(&seed.script);
        let Ok(model) = Model::read(arena, &seed.scope, &goal, model.as_bytes(), Escapes::Standard) else {
            return false;
        };
        let is_free = |p: &&Occurrence| {
            kind(arena, seed.places.term(**p)) == Shape::Literal && seed.places.locals(**p).next().is_none()
        };
        let literals: Vec<Occurrence> = table.ground.formulas.iter().filter(is_free).copied().collect();
        if literals.is_empty() {
            return false;
        }
        self.edits.clear();
        let source = Source { seed, table };
        let (wanted, mut done) = (1 + rng.below(LITERALS.min(literals.len())), 0);
        for _ in 0..TRIES * wanted {
            if done == wanted {
                break;
            }
            let place = literals[rng.below(literals.len())];
            let span = seed.spans[place.index()];
            if self.edits.touches(&(span.start..span.end)) {
                continue;
            }
            let start = self.edits.new.len();
            let mut round = Round {
                engine: &mut self.engine,
                moves: self.moves,
                depth: self.depth,
                is_published: self.is_published,
                loans: donor.and_then(|donor| self.loans.get(donor)),
                edits: &mut self.edits,
                rng,
                direction: smelt_core::Relation::Same,
            };
            let made = (0..SHORTER).any(|attempt| {
                round.edits.new.truncate(start);
                let depth = round.depth.saturating_sub(attempt as u32);
                round.snippet(source, bank, place, depth) && round.edits.new.len() - start <= bank.longest()
            });
            let numerals = if seed.gate.real_numerals { Sort::REAL } else { Sort::INT };
            let evaluator = Evaluator::new(arena, &model.interpretation, &model.domains);
            let old = evaluator.with_effort(EFFORT).holds(seed.places.term(place)).ok();
            let new = value(arena, &seed.scope, &model, numerals, &self.edits.new[start..]).filter(|_| made);
            let (Some(old), Some(new)) = (old, new) else {
                self.edits.new.truncate(start);
                continue;
            };
            if old != new {
                self.edits.new.splice(start..start, *b"(not ");
                self.edits.new.push(b')');
            }
            log.extend_from_slice(format!("in place of literal {}: ", place.index()).as_bytes());
            log.extend_from_slice(&self.edits.new[start..]);
            log.push(b'\n');
            self.edits.push(span.start..span.end, start);
            done += 1;
        }
        done > 0
    }
}

/// The value of a formula written out, under a model.
fn value(arena: &mut Arena, scope: &Scope, model: &Model, numerals: Sort, text: &[u8]) -> Option<bool> {
    let mark = arena.checkpoint();
    let mut parser = Parser::new(arena, scope.clone(), text).ok()?.with_numeral_sort(numerals);
    let term = parser.next_term().ok();
    let term = term.filter(|_| parser.take_diagnostics().is_empty());
    drop(parser);
    let value = term.and_then(|term| {
        let evaluator = Evaluator::new(arena, &model.interpretation, &model.domains);
        evaluator.with_effort(EFFORT).holds(term).ok()
    });
    arena.rollback(mark);
    value
}
