//! Free mutation with a certificate: a random walk through formulas that a known model of the seed satisfies.
//!
//! A step replaces an operator or an expression, without any rule about satisfiability. It is kept only if smelt's
//! evaluator finds every assertion true in the model; an assertion that a step makes false may also be negated. So
//! the case is satisfiable, and the model proves it. The model comes from the caller, else from the built-in
//! solver. It is stored in the provenance as the file of the option `model`, so that the case can be made again.

use std::collections::{BTreeSet, HashMap};

use smelt_core::Expectation;
use smelt_semantics::Evaluator;
use smelt_semantics::eval::Effort;
use smelt_semantics::goal::Goal;
use smelt_semantics::model::{Escapes, Model, Truth, print_model};
use smelt_semantics::normal::Normals;
use smelt_semantics::solver::{Answer, Limits, solve};
use smelt_smtlib::script::Command;
use smelt_smtlib::{Arena, Parser, Scope, Sort, parse_script};

use crate::gate::Classes;
use crate::options::{self, OptionError, OptionRow, OptionText, Words};
use crate::per_seed::PerSeed;
use crate::pool::{Edits, Pool, Seed, SeedId};
use crate::query::is_flat;
use crate::registry::{Needs, Row};
use crate::rng::Rng;
use crate::strategy::{CaseRequest, Draft, Skip, Strategy};
use crate::{generative, operator};

/// The row of the registry.
pub(crate) const ROW: Row = Row {
    name: "certified",
    aliases: &[],
    about: "mutate a satisfiable seed freely, and keep mutants that its known model satisfies",
    needs: Needs::Models,
    options: &[
        OptionRow::text("steps", "a number", "8", "number of changes per mutant").long(),
        OptionRow::text("tries", "a number", "32", "how many changes are tried for a mutant"),
        options::LOGIC,
        options::RECENT,
        options::CLASSES,
        OptionRow::file(
            "model",
            "a model of the seed, as printed by a solver; default: a known or computed one",
        ),
    ],
    ways: || {
        let way = |(steps, tries, logic)| format!("steps={steps} tries={tries} logic={logic}");
        [(3, 16, "own"), (12, 48, "own"), (8, 32, "all")].map(way).to_vec()
    },
    make: |o| Ok(Box::new(Certified::new(o)?)),
};

/// The effort for one assertion. The oracle evaluates the witness again, for at least as long.
pub(crate) const EFFORT: Effort = Effort { steps: 100_000, assignments: 2_000, depth: 1_000 };
/// The effort of the built-in solver for a seed: some hundredths of a second.
const SOLVING: Limits = Limits { steps: 300_000 };
/// One in this many changes that make an assertion false is kept, and the assertion negated.
const NEGATED: usize = 4;

/// The strategy `certified`.
#[derive(Debug)]
pub(crate) struct Certified {
    steps: u32,
    tries: u32,
    wide: bool,
    classes: Classes,
    /// The model that the user or a provenance gives.
    model: Option<String>,
    /// By seed, once it was used.
    tables: PerSeed<Tables>,
    /// By seed: models of it that were found true.
    known: HashMap<SeedId, Vec<String>>,
}

/// What can be changed in a seed.
#[derive(Debug)]
struct Tables {
    heads: operator::Table,
    places: generative::Table,
    /// By command: the place of the whole assertion, for assertions that can be evaluated alone.
    roots: Vec<Option<u32>>,
}

impl Certified {
    /// With these options.
    fn new(options: &OptionText) -> Result<Certified, OptionError> {
        Ok(Certified {
            steps: options.within("steps", 8, 1..=10_000)?,
            tries: options.within("tries", 32, 1..=100_000)?,
            wide: options.choice("logic", false, options::LOGICS)?,
            classes: Classes::of(options)?,
            model: options.file("model").map(str::to_owned),
            tables: PerSeed::default(),
            known: HashMap::new(),
        })
    }

    /// Models of a seed: of those that are given, the true ones; or else one of the built-in solver.
    fn models(&mut self, pool: &mut Pool, seed: SeedId, id: SeedId) -> &[String] {
        self.known.entry(id).or_insert_with(|| {
            let given = match &self.model {
                Some(model) => vec![model.clone()],
                None => pool.seed(seed).models.clone(),
            };
            let (arena, seed) = pool.parts(id);
            let candidates =
                if given.is_empty() { solved(arena, seed, SOLVING).into_iter().collect() } else { given };
            candidates.into_iter().filter(|model| satisfies(arena, &seed.text, model)).collect()
        })
    }
}

impl Strategy for Certified {
    fn name(&self) -> &'static str {
        "certified"
    }

    fn options(&self) -> String {
        Words::default()
            .add("steps", self.steps)
            .add("tries", self.tries)
            .add_if(self.wide, "logic", "all")
            .add_if(self.classes.recent, "recent", "yes")
            .text()
    }

    fn next(&mut self, pool: &mut Pool, request: &CaseRequest<'_>, draft: &mut Draft) -> Result<(), Skip> {
        let seed = request.seed()?;
        let id = if self.wide { pool.twin(seed) } else { seed };
        is_usable(pool.arena(), pool.seed(id))?;
        let classes = &self.classes;
        let tables = self.tables.get_or_make(pool, id, |pool| Tables::new(pool, id, classes));
        if tables.heads.is_empty() && tables.places.is_empty() {
            return Err(Skip::NothingToChange);
        }
        // The other choices do not depend on how many models there are.
        let mut rng = Rng::fork(request.number, 1);
        let model = rng.pick(self.models(pool, seed, id)).cloned().ok_or(Skip::NoModel)?;
        draft.start(seed);
        draft.header(pool, "certified", &self.options(), request.number);
        let (arena, seed) = pool.parts(id);
        let mark = arena.checkpoint();
        let made = Walk::new(arena, seed, &self.tables[id], &model).and_then(|mut walk| {
            let kept = walk.run(self.steps, self.tries, &mut Rng::new(request.number));
            draft.log = std::mem::take(&mut walk.log);
            (kept > 0).then(|| walk.text())
        });
        arena.rollback(mark);
        // Each step was evaluated alone; the certificate is about the whole script.
        let made = made.filter(|text| *text != seed.text && satisfies(arena, text, &model));
        draft.text.extend(made.ok_or(Skip::ModelLost)?);
        draft.expectation = Expectation::SAT;
        draft.witness = model.clone().into_bytes();
        draft.files.insert("model".to_owned(), model);
        Ok(())
    }
}

/// Whether a model can be a certificate for mutants of a seed.
pub(crate) fn is_usable(arena: &Arena, seed: &Seed) -> Result<(), Skip> {
    is_flat(arena, &seed.script)?;
    let is_recursive = |c: &Command| matches!(c, Command::DefineFunRec(..) | Command::DefineFunsRec(_));
    // A model does not show that recursive definitions hold.
    if seed.script.commands.iter().any(is_recursive) { Err(Skip::Unsupported) } else { Ok(()) }
}

/// A model of a seed that the built-in solver finds within these limits.
pub(crate) fn solved(arena: &mut Arena, seed: &Seed, limits: Limits) -> Option<String> {
    let mark = arena.checkpoint();
    let goal = Goal::last(&seed.script);
    let text = match solve(arena, &goal, limits) {
        Answer::Sat(model) => print_model(arena, &goal, &model).ok(),
        _ => None,
    };
    arena.rollback(mark);
    text.and_then(|text| String::from_utf8(text).ok())
}

/// Whether our evaluator finds every assertion of a script true under a model.
pub(crate) fn satisfies(arena: &mut Arena, script: &[u8], model: &str) -> bool {
    let mark = arena.checkpoint();
    let parsed = parse_script(arena, script).ok().filter(|parsed| parsed.diagnostics.is_empty());
    let is_true = parsed.is_some_and(|parsed| {
        let goal = Goal::last(&parsed.script);
        let model = Model::read(arena, &parsed.scope, &goal, model.as_bytes(), Escapes::Standard);
        model.is_ok_and(|model| model.check_within(arena, &goal, EFFORT).verdict() == Truth::True)
    });
    arena.rollback(mark);
    is_true
}

impl Tables {
    fn new(pool: &mut Pool, id: SeedId, classes: &Classes) -> Tables {
        let places = generative::Table::new(pool, id, classes);
        let (arena, seed) = pool.parts(id);
        let heads = operator::Table::new(arena, seed, classes);
        let mut roots = vec![None; seed.script.commands.len()];
        for place in seed.places.all().filter(|&place| seed.places.parent(place).is_none()) {
            let command = places.expressions.command_of[place.index()] as usize;
            // A name that an assertion gives may be used in others.
            let alone = matches!(seed.script.commands[command], Command::Assert(_))
                && !places.expressions.fixed[place.index()];
            roots[command] = alone.then_some(place.index() as u32);
        }
        Tables { heads, places, roots }
    }
}

/// A mutant in the making, which the model satisfies after each step.
struct Walk<'a> {
    arena: &'a mut Arena,
    seed: &'a Seed,
    tables: &'a Tables,
    model: Model,
    model_text: &'a str,
    scope: Scope,
    state: State,
    /// Whether a definition or a name has changed, so that the model read for the seed says nothing about single
    /// assertions.
    redefined: bool,
    /// Normal forms: no assertion may become one that needs no theory.
    normals: Normals,
    log: Vec<u8>,
}

/// The changes so far.
#[derive(Clone, Default)]
struct State {
    edits: Edits,
    /// Operators that were exchanged.
    chosen: Vec<operator::Choice>,
    /// Expressions that were replaced.
    made: Vec<(Sort, std::ops::Range<usize>, u32)>,
    /// The commands of assertions that are negated.
    negated: BTreeSet<u32>,
}

impl<'a> Walk<'a> {
    /// At the seed; `None` if the model cannot be read.
    fn new(arena: &'a mut Arena, seed: &'a Seed, tables: &'a Tables, text: &'a str) -> Option<Walk<'a>> {
        let goal = Goal::last(&seed.script);
        let model = Model::read(arena, &seed.scope, &goal, text.as_bytes(), Escapes::Standard).ok()?;
        let scope = seed.scope.clone();
        let (state, normals, log) = (State::default(), Normals::default(), Vec::new());
        let redefined = false;
        Some(Walk { arena, seed, tables, model, model_text: text, scope, state, redefined, normals, log })
    }

    /// Takes up to this many steps; returns how many were kept.
    fn run(&mut self, steps: u32, tries: u32, rng: &mut Rng) -> u32 {
        let mut kept = 0;
        for _ in 0..tries {
            if kept == steps {
                break;
            }
            let (before, logged) = (self.state.clone(), self.log.len());
            if self.change(rng).is_some_and(|command| self.keeps(command, rng)) {
                kept += 1;
            } else {
                self.state = before;
                self.log.truncate(logged);
            }
        }
        kept
    }

    /// Exchanges an operator or replaces an expression; returns the command.
    fn change(&mut self, rng: &mut Rng) -> Option<u32> {
        let Tables { heads, places, .. } = self.tables;
        let State { edits, chosen, made, .. } = &mut self.state;
        let place = if !heads.is_empty() && (places.is_empty() || rng.one_in(2)) {
            let (choice, place) = heads.exchange(chosen, rng, &mut self.log);
            if edits.covers(&self.seed.spans[place as usize]) {
                return None;
            }
            heads.edit(self.seed, choice, edits);
            place
        } else {
            let fitted = generative::Step::new(self.seed, places, edits, made, rng).take(&mut self.log);
            made.last().filter(|_| fitted)?.2
        };
        Some(places.expressions.command_of[place as usize])
    }

    /// Whether the model satisfies the script after a change in this command; if that takes it, the assertion is negated.
    fn keeps(&mut self, command: u32, rng: &mut Rng) -> bool {
        let root = self.tables.roots[command as usize];
        let Some(root) = root.filter(|_| !self.redefined) else {
            let text = self.text();
            let keeps = satisfies(self.arena, &text, self.model_text);
            self.redefined |= keeps;
            return keeps;
        };
        match self.value(root) {
            Some(true) => {
                self.state.negated.remove(&command);
                true
            }
            Some(false) if self.state.negated.contains(&command) => true,
            Some(false) if rng.one_in(NEGATED) => {
                self.log.extend_from_slice(format!("place {root}: negated\n").as_bytes());
                self.state.negated.insert(command)
            }
            _ => false,
        }
    }

    /// The value of an assertion under the model, not negated; `None` if it is open.
    fn value(&mut self, root: u32) -> Option<bool> {
        let span = self.seed.spans[root as usize];
        let mut text = Vec::new();
        self.state.edits.apply(&self.seed.text, span.start..span.end, &mut text);
        let mark = self.arena.checkpoint();
        let numerals = if self.seed.gate.real_numerals { Sort::REAL } else { Sort::INT };
        let value = match Parser::new(self.arena, std::mem::take(&mut self.scope), &text) {
            Ok(parser) => {
                let mut parser = parser.with_numeral_sort(numerals);
                let term = parser.next_term().ok();
                let term = term.filter(|_| parser.take_diagnostics().is_empty());
                self.scope = parser.into_scope();
                let own = self.seed.places.get(root as usize).map(|place| self.seed.places.term(place));
                let (arena, normals) = (&*self.arena, &mut self.normals);
                let was_alive = own.is_some_and(|own| normals.of(arena, own).truth().is_none());
                // What is made of the new term is forgotten with it.
                let made = normals.mark();
                let term = term.filter(|term| !was_alive || normals.of(arena, *term).truth().is_none());
                normals.rollback(made);
                term.and_then(|term| {
                    let evaluator =
                        Evaluator::new(self.arena, &self.model.interpretation, &self.model.domains);
                    evaluator.with_effort(EFFORT).holds(term).ok()
                })
            }
            Err(_) => {
                self.scope = self.seed.scope.clone();
                None
            }
        };
        self.arena.rollback(mark);
        value
    }

    /// The script.
    fn text(&mut self) -> Vec<u8> {
        let (mut text, mut at) = (Vec::new(), 0);
        let State { edits, negated, .. } = &mut self.state;
        for command in negated.iter() {
            let Some(root) = self.tables.roots[*command as usize] else { continue };
            let span = self.seed.spans[root as usize];
            edits.apply(&self.seed.text, at..span.start, &mut text);
            text.extend_from_slice(b"(not ");
            edits.apply(&self.seed.text, span.start..span.end, &mut text);
            text.push(b')');
            at = span.end;
        }
        edits.apply(&self.seed.text, at..self.seed.text.len() as u32, &mut text);
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::remake::remake;
    use crate::tests::{drafts, make};

    const SEEDS: [&str; 8] = [
        "(set-logic QF_LIA)(declare-const x Int)(declare-const y Int)(assert (> x (* 2 y)))(assert (or (< y 0) (= x 7)))\
         (check-sat)",
        "(set-logic QF_LRA)(declare-const x Real)(declare-fun f () Real)(assert (< (/ x 2) f 3))(check-sat)",
        "(set-logic QF_BV)(declare-const a (_ BitVec 8))(declare-const b (_ BitVec 8))\
         (assert (= (bvadd a b) #x0f))(assert (bvult a b))(check-sat)",
        "(declare-const s String)(declare-const t String)(assert (str.prefixof s t))(assert (= (str.len t) 2))\
         (assert (not (= s t)))(check-sat)",
        "(declare-const a (Array Int Int))(declare-const i Int)(assert (= (select (store a i 3) i) (+ i 1)))(check-sat)",
        "(declare-const x (_ FloatingPoint 5 11))(declare-const r RoundingMode)\
         (assert (fp.lt x (fp.add r x x)))(check-sat)",
        "(declare-const p Bool)(declare-const q Bool)(assert (! (=> p q) :named n))(assert (or n (and p q)))\
         (assert (forall ((r Bool)) (=> r (or p r))))(check-sat)",
        "(declare-const x Int)(define-fun f ((a Int)) Int (+ a x))(assert (= (f 2) 5))(assert (let ((y (f x))) (> y 1)))\
         (check-sat)",
    ];

    #[test]
    fn every_case_differs_from_its_seed_and_its_witness_is_true() {
        for text in SEEDS {
            let mut pool = Pool::new();
            let id = pool.add("t", text.as_bytes(), None).unwrap();
            let own = pool.seed(id).text().to_vec();
            let wide = if text.starts_with("(set-logic") { "logic=all" } else { "steps=2" };
            for options in ["", "steps=30 tries=90", wide] {
                let cases = drafts(&mut *make("certified", options), &[text], None, 40);
                assert!(cases.len() > 30, "{options}: {} of 40 from {text}", cases.len());
                for case in &cases {
                    let script = String::from_utf8_lossy(&case.text);
                    assert_eq!(case.expectation, Expectation::SAT);
                    assert!(
                        satisfies(&mut Arena::new(), &case.text, &String::from_utf8_lossy(&case.witness)),
                        "{script}"
                    );
                    assert!(!case.text.ends_with(&own), "{script}");
                }
                let negated = |case: &Draft| String::from_utf8_lossy(&case.log).contains(": negated");
                assert!(cases.iter().any(negated), "{text}");
            }
        }
    }

    #[test]
    fn a_case_is_made_again_from_its_provenance() {
        let text = SEEDS[0];
        let model = |x: i32, y: i32| format!("((define-fun x () Int {x}) (define-fun y () Int (- {y})))");
        let models = [model(1, 1), model(7, 2), model(5, 3)];
        let mut pool = Pool::new();
        pool.add("other", SEEDS[3].as_bytes(), None).unwrap();
        let id = pool.add("t", text.as_bytes(), None).unwrap();
        pool.know_models(id, &models);
        for options in ["steps=3", "logic=all"] {
            let mut strategy = make("certified", options);
            let mut used = BTreeSet::new();
            for number in 0..40 {
                let mut draft = Draft::default();
                let request = CaseRequest { seeds: &[id], number };
                if strategy.next(&mut pool, &request, &mut draft).is_err() {
                    continue;
                }
                let case = draft.to_case(&pool, &*strategy, &OptionText::default(), number);
                let again = remake(&case.provenance, &[("t".to_owned(), text.into(), None)]).unwrap();
                assert_eq!(again, case);
                used.extend(case.certificate.model().map(str::to_owned));
            }
            assert_eq!(used.len(), models.len(), "each model is used");
        }
    }

    #[test]
    fn without_a_true_model_there_is_no_case() {
        let skip = |text: &str, models: &[String]| {
            let mut pool = Pool::new();
            let id = pool.add("t", text.as_bytes(), None).unwrap();
            pool.know_models(id, models);
            let request = CaseRequest { seeds: &[id], number: 1 };
            make("certified", "").next(&mut pool, &request, &mut Draft::default())
        };
        let unsat = "(declare-const x Int)(assert (< x x))(check-sat)";
        assert_eq!(skip(unsat, &[]), Err(Skip::NoModel));
        let sat = "(declare-const x Int)(assert (< x 3))(check-sat)";
        assert_eq!(skip(sat, &["((define-fun x () Int 3))".to_owned()]), Err(Skip::NoModel));
        let recursive = "(define-fun-rec f ((x Int)) Int (+ 1 (f x)))(assert (= (f 1) 2))(check-sat)";
        assert_eq!(skip(recursive, &[]), Err(Skip::Unsupported));
        let twice = "(declare-const x Int)(assert (< x 3))(check-sat)(check-sat)";
        assert_eq!(skip(twice, &[]), Err(Skip::NotOneQuery));
    }
}
