//! Keeps mutants alive: no step may leave an assertion that simplification alone decides.
//!
//! A mutant with an assertion that is true or false without any theory tests only a solver's simplifier, and a
//! chain of random steps soon produces such assertions. So each step is checked: the changed assertion is read and
//! brought into normal form ([`smelt_semantics::normal`]). The normal forms of a seed's terms are cached, so that
//! only new terms cost time.

use smelt_semantics::goal::Goal;
use smelt_semantics::normal::{Datatypes, Decided, Mark, Normal, Normals, decided};
use smelt_smtlib::occurrence::Occurrence;
use smelt_smtlib::script::Command;
use smelt_smtlib::{Arena, Checkpoint, Parser, Scope, Sort, Term, View, parse_script, sym};

use crate::options::{Allowance, OptionError, OptionRow, OptionText, Words, word_of};
use crate::per_seed::PerSeed;
use crate::pool::{Edits, Pool, Seed, SeedId};
use crate::query::is_flat;
use crate::rng::Rng;
use crate::strategy::Skip;

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

/// The assertions of a mutant in the making, looked at after each change; or none of them, where a mutant is one change.
///
/// The scripts of a chain have the same commands, so an assertion of a later one counts as that of the seed with its number.
pub(crate) struct Watch<'a> {
    /// The arena of the seed.
    pub(crate) arena: &'a mut Arena,
    pub(crate) seed: &'a Seed,
    watched: Option<(&'a mut Alive, Life)>,
    /// Longer assertions are not read again: that takes longer than all else, and one change seldom decides them.
    longest: u32,
}

impl<'a> Watch<'a> {
    /// Watches the assertions of a seed's mutants up to a length, or lets everything pass.
    pub(crate) fn new(
        pool: &'a mut Pool,
        id: SeedId,
        alive: Option<&'a mut Alive>,
        longest: u32,
    ) -> Watch<'a> {
        let watched = alive.map(|alive| {
            let life = alive.begin(pool, id);
            (alive, life)
        });
        let (arena, seed) = pool.parts(id);
        Watch { arena, seed, watched, longest }
    }

    /// Whether the mutant stays alive with these edits of a script of its chain, as far as the assertion around a place says.
    pub(crate) fn allows(&mut self, script: &Seed, edits: &Edits, place: Occurrence) -> bool {
        let Some((alive, life)) = &mut self.watched else { return true };
        let (mut root, mut inner) = (place, place);
        while let Some((above, _)) = script.places.parent(root) {
            (root, inner) = (above, root);
        }
        let is_named = script.text[script.spans[root.index()].start as usize..].starts_with(b"(! ");
        let span = &script.spans[if is_named { inner } else { root }.index()];
        if span.end - span.start > self.longest {
            return true;
        }
        let mut text = Vec::new();
        edits.apply(&script.text, span.start..span.end, &mut text);
        alive.allows(self.arena, self.seed, life, script.places.root(place).command, &text)
    }

    /// Ends the mutant.
    pub(crate) fn end(self) {
        if let Some((alive, life)) = self.watched {
            alive.end(self.arena, life);
        }
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
    /// Whether all that a script asks is whether assertions can be satisfied, and simplification decides each question;
    /// equations say there what constants are.
    pub fn is(&mut self, script: &[u8]) -> bool {
        self.looks(script, |arena, normals, goal| decided(arena, normals, goal) != Decided::Open)
    }

    /// The same without equations: only if the assertions themselves become true or false.
    pub(crate) fn is_simplified(&mut self, script: &[u8]) -> bool {
        self.looks(script, |arena, normals, goal| {
            let forms: Vec<Normal> = goal.assertions.iter().map(|a| normals.of(arena, *a)).collect();
            normals.conjunction(forms).truth().is_some()
        })
    }

    fn looks(
        &mut self,
        script: &[u8],
        mut is_decided: impl FnMut(&Arena, &mut Normals, &Goal) -> bool,
    ) -> bool {
        if script.len() > LARGEST {
            return false;
        }
        let arena = &mut self.arena;
        let parsed = parse_script(arena, script).ok().filter(|parsed| parsed.diagnostics.is_empty());
        let is_dead = parsed.is_some_and(|parsed| {
            self.normals.know_datatypes(Datatypes::of(&parsed.script.commands));
            // Other queries make sense for any script.
            let asks_more = |c: &Command| match c {
                Command::Plain(name) => !matches!(*name, sym::EXIT | sym::RESET | sym::RESET_ASSERTIONS),
                Command::Other(..) | Command::Malformed(_) => true,
                _ => c.is_term_query(),
            };
            let mut decided = |goal: &Goal| is_decided(arena, &mut self.normals, goal);
            !parsed.script.commands.iter().any(asks_more)
                && Goal::all(&parsed.script).iter().all(&mut decided)
        });
        self.normals.rollback(self.none);
        self.arena.rollback(self.empty);
        is_dead
    }
}

/// What becomes of formulas that simplification alone decides, for strategies whose cases are numbered.
pub(crate) const DECIDED: OptionRow = OptionRow::text(
    "decided",
    "keep, skip",
    "keep",
    "skip: leave out formulas that simplification decides, except one in 64; case numbers stay the same",
);

/// The values of [`DECIDED`]: whether formulas are left out.
const DECIDED_VALUES: &[(&str, bool)] = &[("keep", false), ("skip", true)];

/// One in this many formulas that simplification decides is kept all the same: simplifiers have bugs too.
const DECIDED_KEPT: usize = 64;

/// Leaves out formulas that simplification alone decides, or lets all pass.
#[derive(Debug, Default)]
pub(crate) struct Sieve(Option<DeadWeight>);

impl Sieve {
    /// As the option says.
    pub(crate) fn of(options: &OptionText) -> Result<Sieve, OptionError> {
        let skips = options.choice(DECIDED.name, false, DECIDED_VALUES)?;
        Ok(Sieve(skips.then(DeadWeight::default)))
    }

    /// Whether any are left out.
    pub(crate) fn leaves_out(&self) -> bool {
        self.0.is_some()
    }

    /// Adds the option to others, if it is not the default.
    pub(crate) fn words(&self, words: Words) -> Words {
        words.add_if(self.0.is_some(), DECIDED.name, word_of(DECIDED_VALUES, true))
    }

    /// Whether the case of a number is made.
    pub(crate) fn passes(&mut self, number: u64, script: &[u8]) -> Result<(), Skip> {
        let Some(weight) = &mut self.0 else { return Ok(()) };
        let is_left_out = !Rng::new(number).one_in(DECIDED_KEPT) && weight.is_simplified(script);
        if is_left_out { Err(Skip::Decided) } else { Ok(()) }
    }
}

impl Assertions {
    fn of(arena: &Arena, seed: &Seed) -> Assertions {
        let assertion = |(i, c): (usize, &Command)| match c {
            Command::Assert(term) => {
                // The name of a whole assertion is not a part of it.
                let term = match arena.view(*term) {
                    View::Annotated(v) => v.term(),
                    _ => *term,
                };
                (!names_inside(arena, term)).then_some((i as u32, term))
            }
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
    fn equations_do_not_count_as_simplification() {
        let header = "(declare-const x Int)(declare-const y Int)";
        let mut weight = DeadWeight::default();
        for (body, dead, simplified) in [
            ("(assert (= x (+ y 1)))(check-sat)", true, false),
            ("(assert (= x (+ x 1)))(check-sat)", true, true),
            ("(assert (< x y))(check-sat)", false, false),
        ] {
            let script = format!("{header}{body}").into_bytes();
            assert_eq!((weight.is(&script), weight.is_simplified(&script)), (dead, simplified), "{body}");
        }
    }

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
