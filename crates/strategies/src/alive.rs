//! Keeps mutants alive: no step may leave an assertion that simplification alone decides.
//!
//! A mutant with an assertion that is true or false without any theory tests only a solver's simplifier, and a
//! chain of random steps soon produces such assertions. So each step is checked: the changed assertion is read and
//! brought into normal form ([`smelt_semantics::normal`]). The normal forms of a seed's terms are cached, so that
//! only new terms cost time.

use smelt_semantics::goal::Goal;
use smelt_semantics::normal::{Decided, Mark, Normal, Normals, decided};
use smelt_smtlib::script::Command;
use smelt_smtlib::{Arena, Checkpoint, Parser, Scope, Sort, Term, View, parse_script, sym};

use crate::options::Allowance;
use crate::per_seed::PerSeed;
use crate::pool::{Pool, Seed, SeedId};
use crate::query::is_flat;

/// How many forms are kept before all are forgotten: some 100 MB.
const KEPT: usize = 1 << 18;
/// How many bytes of assertions the steps of one mutant may read again: some milliseconds. Later steps are not looked at.
const READ_BYTES: usize = 128 << 10;
/// Scripts with more assertions are not looked at for two that contradict each other.
const ASSERTIONS: usize = 100;

/// Looks at the steps of mutants.
#[derive(Debug, Default)]
pub(crate) struct Alive {
    normals: Normals,
    seeds: PerSeed<Assertions>,
    /// The scope of the seed that was used last.
    scope: Option<(SeedId, Scope)>,
}

/// The assertions of a seed that can be read alone.
#[derive(Debug)]
struct Assertions {
    /// The command of each, and its term.
    list: Vec<(u32, Term)>,
    /// Whether all of them hold together, and are few enough to be compared.
    together: bool,
}

/// The forms of the assertions of a mutant in the making.
#[derive(Debug)]
pub(crate) struct Life {
    id: SeedId,
    forms: Vec<(u32, Normal)>,
    together: bool,
    arena: Checkpoint,
    normals: Mark,
    allowance: Allowance,
}

impl Alive {
    /// Begins a mutant of a seed. What is built until [`Alive::end`] is forgotten then.
    pub(crate) fn begin(&mut self, pool: &mut Pool, id: SeedId) -> Life {
        if self.normals.len() > KEPT {
            self.normals = Normals::default();
        }
        let assertions = self.seeds.get_or_make(pool, id, |pool| Assertions::of(pool.arena(), pool.seed(id)));
        if self.scope.as_ref().is_none_or(|s| s.0 != id) {
            self.scope = Some((id, pool.seed(id).scope.clone()));
        }
        let arena = pool.arena();
        let normals = &mut self.normals;
        let forms: Vec<_> = assertions.list.iter().map(|&(c, term)| (c, normals.of(arena, term))).collect();
        let mark = normals.mark();
        let together =
            assertions.together && normals.conjunction(forms.iter().map(|f| f.1)).truth().is_none();
        Life {
            id,
            forms,
            together,
            arena: arena.checkpoint(),
            normals: mark,
            allowance: Allowance::of(READ_BYTES),
        }
    }

    /// Whether a mutant stays alive if the assertion of a command becomes this text; if so, it is taken.
    pub(crate) fn allows(
        &mut self,
        arena: &mut Arena,
        seed: &Seed,
        life: &mut Life,
        command: u32,
        text: &[u8],
    ) -> bool {
        let Ok(at) = life.forms.binary_search_by_key(&command, |f| f.0) else { return true };
        let Some(new) = self.form(arena, seed, life, text) else { return true };
        let old = life.forms[at].1;
        if old.truth().is_none() {
            if new.truth().is_some() {
                return false;
            }
            let others = life.forms.iter().filter(|f| f.0 != command).map(|f| f.1);
            if life.together && self.normals.conjunction(others.chain([new])).truth().is_some() {
                return false;
            }
        }
        life.forms[at].1 = new;
        true
    }

    /// The form of an assertion; `None` if it cannot be read, or too much was read.
    fn form(&mut self, arena: &mut Arena, seed: &Seed, life: &mut Life, text: &[u8]) -> Option<Normal> {
        if !life.allowance.spend(text) {
            return None;
        }
        let (_, scope) = self.scope.take()?;
        let numerals = if seed.gate.real_numerals { Sort::REAL } else { Sort::INT };
        let Ok(parser) = Parser::new(arena, scope, text) else {
            self.scope = Some((life.id, seed.scope.clone()));
            return None;
        };
        let mut parser = parser.with_numeral_sort(numerals);
        let term = parser.next_term().ok();
        let term = term.filter(|_| parser.take_diagnostics().is_empty());
        self.scope = Some((life.id, parser.into_scope()));
        Some(self.normals.of(arena, term?))
    }

    /// Ends a mutant.
    pub(crate) fn end(&mut self, arena: &mut Arena, life: Life) {
        self.normals.rollback(life.normals);
        arena.rollback(life.arena);
    }
}

/// Tells scripts that simplification alone decides, and which no theory of a solver will see.
#[derive(Debug)]
pub struct DeadWeight {
    arena: Arena,
    empty: Checkpoint,
    normals: Normals,
    none: Mark,
}

/// Larger scripts are not checked: they take longer than a small share of a solver's time.
const LARGEST: usize = 32 << 10;

impl Default for DeadWeight {
    fn default() -> Self {
        let (arena, normals) = (Arena::new(), Normals::default());
        DeadWeight { empty: arena.checkpoint(), arena, none: normals.mark(), normals }
    }
}

impl DeadWeight {
    /// Whether all that a script asks is whether assertions can be satisfied, and simplification decides each question.
    pub fn is(&mut self, script: &[u8]) -> bool {
        if script.len() > LARGEST {
            return false;
        }
        let arena = &mut self.arena;
        let parsed = parse_script(arena, script).ok().filter(|parsed| parsed.diagnostics.is_empty());
        let is_dead = parsed.is_some_and(|parsed| {
            // Other queries make sense for any script.
            let asks_more = |c: &Command| match c {
                Command::Plain(name) => !matches!(*name, sym::EXIT | sym::RESET | sym::RESET_ASSERTIONS),
                Command::Other(..) | Command::Malformed(_) => true,
                _ => c.is_term_query(),
            };
            let mut decided = |goal: &Goal| decided(arena, &mut self.normals, goal) != Decided::Open;
            !parsed.script.commands.iter().any(asks_more)
                && Goal::all(&parsed.script).iter().all(&mut decided)
        });
        self.normals.rollback(self.none);
        self.arena.rollback(self.empty);
        is_dead
    }
}

impl Assertions {
    fn of(arena: &Arena, seed: &Seed) -> Assertions {
        let assertion = |(i, c): (usize, &Command)| match c {
            Command::Assert(term) if !names_inside(arena, *term) => Some((i as u32, *term)),
            _ => None,
        };
        let list: Vec<_> = seed.script.commands.iter().enumerate().filter_map(assertion).collect();
        let together = list.len() <= ASSERTIONS && is_flat(arena, &seed.script).is_ok();
        Assertions { list, together }
    }
}

/// Whether `:named` stands in a term.
pub(crate) fn names_inside(arena: &Arena, term: Term) -> bool {
    arena.subterms([term]).any(|t| matches!(arena.view(t), View::Annotated(v) if v.name().is_some()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_script_is_dead_if_every_question_is_decided() {
        let header = "(declare-const x Int)(declare-const p Bool)(declare-fun f (Int) Int)";
        let mut weight = DeadWeight::default();
        for (body, dead) in [
            ("(assert (< x x))(check-sat)", true),
            ("(assert p)(assert (= x 3))(check-sat)", true),
            ("(assert (< (f x) (f (+ x 1))))(check-sat)", false),
            ("(assert (< x x))(check-sat)(reset-assertions)(assert (< (f x) 3))(check-sat)", false),
            ("(assert p)(check-sat)(get-value (p))", false),
        ] {
            assert_eq!(weight.is(format!("{header}{body}").as_bytes()), dead, "{body}");
        }
    }
}
