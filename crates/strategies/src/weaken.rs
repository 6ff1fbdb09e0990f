//! Weakening and strengthening: rules change any part of a formula, step by step; the answer must not change.
//!
//! A satisfiable seed gets weaker and an unsatisfiable one stronger with each step. Without a status, the direction
//! is random, and the expected answer depends on the solver's answer to the seed. A chain with one step less is a
//! prefix of the same chain, so each step is known together with the rule that made it.

use std::sync::Arc;

use smelt_core::{Expectation, Relation, Verdict};
use smelt_smtlib::Arena;
use smelt_smtlib::occurrence::Occurrence;

use crate::alive::{Alive, Watch};
use crate::gate::Classes;
use crate::options::{self, Allowance, Chain, OptionError, OptionText};
use crate::per_seed::PerSeed;
use crate::pool::{Edits, Pool, Seed};
use crate::query::{Asks, Views, asks};
use crate::registry::{Needs, Row};
use crate::rng::{Rng, weakens};
use crate::rules::{Change, Effort, Engine, Found, Ground, RuleSet, builtin};
use crate::strategy::{CaseRequest, Draft, Skip, Strategy};

/// The row of the registry.
pub(crate) const ROW: Row = Row {
    name: "weaken",
    aliases: &["janus"],
    about: "weaken or strengthen subformulas by rules; the answer must stay the same and decided",
    needs: Needs::Answers,
    options: &[
        options::STEPS,
        options::EVERY_STEP,
        options::LOGIC,
        options::RECENT,
        options::CLASSES,
        options::RULES,
    ],
    ways: options::steps_and_logic_ways,
    make: |o| Ok(Box::new(Weaken::new(o)?)),
};

/// The strategy `weaken`.
#[derive(Debug)]
pub(crate) struct Weaken {
    chain: Chain,
    wide: bool,
    classes: Classes,
    engine: Engine,
    /// By seed, once it was used.
    tables: PerSeed<Result<Table, Skip>>,
    edits: Edits,
    changes: Vec<Change>,
    /// For the scripts between the first and the last.
    arena: Arena,
    alive: Alive,
}

/// What is known of a seed.
#[derive(Debug)]
struct Table {
    asks: Asks,
    views: Views,
    ground: Ground,
    found: Found,
}

/// How many places are tried for one step.
const TRIES: usize = 40;

/// This many steps are taken on a script before it is read again with them, at places apart from each other. Reading it costs
/// as much as thirty steps.
const ROUND: u32 = 6;

/// Longer assertions are not looked at after each step, in bytes: reading one costs as much as a step.
const WATCHED: u32 = 1 << 10;

/// In a logic that the seed lacked, a step without quantifiers so far looks for one this many times in ten.
const QUANTIFIES: usize = 6;

/// The rules of a user, or built-in ones.
pub(crate) fn rules_of(options: &OptionText, name: &str) -> Result<Arc<RuleSet>, OptionError> {
    match options.file("rules") {
        None => Ok(builtin(name)),
        Some(text) => match RuleSet::read(text.as_bytes(), Effort::LOAD) {
            Ok(rules) => Ok(Arc::new(rules)),
            Err(e) => Err(OptionError::new(e.to_string())),
        },
    }
}

/// Which way a seed goes: as its status says, else as the number of the case says. [`crate::toward`] chooses numbers.
pub(crate) fn direction_of(status: Option<Verdict>, number: u64) -> Relation {
    match status {
        Some(Verdict::Sat) => Relation::Weaker,
        Some(Verdict::Unsat) => Relation::Stronger,
        _ if weakens(number) => Relation::Weaker,
        _ => Relation::Stronger,
    }
}

impl Weaken {
    /// With these options; rules of the user's are checked.
    pub(crate) fn new(options: &OptionText) -> Result<Weaken, OptionError> {
        Ok(Weaken {
            chain: Chain::of(options, u32::MAX)?,
            wide: options.choice("logic", false, options::LOGICS)?,
            classes: Classes::of(options)?,
            engine: Engine::new(rules_of(options, "weaken")?),
            tables: PerSeed::default(),
            edits: Edits::default(),
            changes: Vec::new(),
            arena: Arena::new(),
            alive: Alive::default(),
        })
    }
}

impl Strategy for Weaken {
    fn name(&self) -> &'static str {
        "weaken"
    }

    fn options(&self) -> String {
        let words = self.chain.words().add_if(self.wide, "logic", "all");
        words.add_if(self.classes.recent, "recent", "yes").text()
    }

    fn chain(&self) -> u32 {
        self.chain.numbers()
    }

    fn next(&mut self, pool: &mut Pool, request: &CaseRequest<'_>, draft: &mut Draft) -> Result<(), Skip> {
        let own_seed = request.seed()?;
        let id = if self.wide { pool.twin(own_seed) } else { own_seed };
        let options = self.options();
        let Weaken { classes, engine, edits, changes, arena: own, .. } = self;
        // One change hardly ever decides an assertion.
        let alive = (!self.chain.is_single()).then_some(&mut self.alive);
        let table = self.tables.get_or_make(pool, id, |pool| {
            let (arena, seed) = (pool.arena(), pool.seed(id));
            let asks = asks(arena, &seed.script)?;
            let views = Views::of(arena, &seed.script, &seed.labels);
            let ground = Ground::new(arena, seed, &engine.rules, classes);
            Ok(Table { asks, views, ground, found: Found::default() })
        });
        let Table { asks, views, ground, found } = table.as_mut().map_err(|skip| *skip)?;
        let (start, steps) = self.chain.split(request.number);
        let mut rng = Rng::new(start);
        // A label is about one query.
        let status = pool.seed(own_seed).status.filter(|_| *asks == Asks::Once);
        let direction = direction_of(status, start);
        draft.start(own_seed);
        let quantifies = self.wide && !ground.has_quantifiers;
        let mut step =
            Step { engine, edits, changes, rng: &mut rng, views, direction, quantifies, last: None };
        let mut watch = Watch::new(pool, id, alive, WATCHED);
        let seed = watch.seed;
        let first = Source { arena: None, seed, ground };
        let (mut before, mut text) = (std::mem::take(&mut draft.before), Vec::new());
        let mut done =
            step.round((first, found), &mut watch, steps, &mut draft.log, (&mut before, &mut text));
        if done == 0 {
            watch.end();
            return Err(Skip::NothingToChange);
        }
        let empty = own.checkpoint();
        let mut allowance = Allowance::new(self.chain);
        while done < steps && allowance.take(&text, &mut draft.log) {
            let Ok(next) = crate::pool::read_again(own, &text, seed) else { break };
            let later = Ground::later(own, &next, ground);
            let here = Source { arena: Some(own), seed: &next, ground: &later };
            let here = (here, &mut Found::default());
            let taken = step.round(here, &mut watch, steps - done, &mut draft.log, (&mut before, &mut text));
            own.rollback(empty);
            if taken == 0 {
                break;
            }
            done += taken;
        }
        watch.end();
        draft.header(pool, "weaken", &options, request.number);
        let at = ground.status_at as usize;
        draft.text.extend_from_slice(&text[..at]);
        Ground::say_status(status, &mut draft.text);
        draft.text.extend_from_slice(&text[at..]);
        draft.before = before;
        draft.expectation = Expectation::Related(direction);
        draft.each = views.expectations(direction);
        Ok(())
    }
}

/// A script of a chain, and what rules need to know of it.
#[derive(Clone, Copy)]
struct Source<'a> {
    /// The arena of a script after the first.
    arena: Option<&'a Arena>,
    seed: &'a Seed,
    ground: &'a Ground,
}

/// The steps of a chain.
struct Step<'a> {
    engine: &'a mut Engine,
    edits: &'a mut Edits,
    changes: &'a mut Vec<Change>,
    rng: &'a mut Rng,
    views: &'a Views,
    /// The direction of commands about which the views say nothing.
    direction: Relation,
    /// Whether to search for a quantifier.
    quantifies: bool,
    /// The step before in this round: its place, and where its text starts.
    last: Option<(Occurrence, usize)>,
}

impl Step<'_> {
    /// Takes up to this many steps on a script, at places apart from each other; returns how many, and leaves the texts
    /// before and after the last.
    ///
    /// Each change is an implication for all values of what is free in it, and the polarity of a place depends on what is
    /// above it and, in a definition, on the uses of that. A step may add uses; so where there are definitions, places come
    /// in the order of the text, in which a definition stands before its uses.
    fn round(
        &mut self,
        (source, found): (Source<'_>, &mut Found),
        watch: &mut Watch<'_>,
        wanted: u32,
        log: &mut Vec<u8>,
        (before, after): (&mut Vec<u8>, &mut Vec<u8>),
    ) -> u32 {
        let text = &source.seed.text;
        self.edits.clear();
        self.last = None;
        let mut done = 0;
        for _ in 0..wanted.min(ROUND) {
            if !self.take((source, found), watch, log) {
                break;
            }
            done += 1;
        }
        if let Some((place, start)) = self.last {
            let whole = 0..text.len() as u32;
            let span = source.seed.spans[place.index()];
            before.clear();
            after.clear();
            self.edits.apply(text, whole.clone(), after);
            self.edits.take_back(&(span.start..span.end), start);
            self.edits.apply(text, whole, before);
        }
        done
    }

    /// Notes one change in the edits; `false` when no rule fits anywhere.
    fn take(
        &mut self,
        (source, found): (Source<'_>, &mut Found),
        watch: &mut Watch<'_>,
        log: &mut Vec<u8>,
    ) -> bool {
        let Source { seed, ground, .. } = source;
        let quantifies = self.quantifies && self.rng.below(10) < QUANTIFIES;
        for attempt in 0..TRIES {
            // A language inside a membership is a part of a formula too.
            let inner = !ground.languages.is_empty() && self.rng.one_in(4);
            let places = if inner { &ground.languages } else { &ground.formulas };
            let Some(&place) = self.rng.pick(places) else { return false };
            let span = seed.spans[place.index()];
            let is_late = ground.defines && self.last.is_some_and(|(last, _)| place.index() < last.index());
            if is_late || self.edits.touches(&(span.start..span.end)) {
                continue;
            }
            let arena = source.arena.unwrap_or(watch.arena);
            let all = found.at(self.engine, arena, seed, ground, place).iter();
            let command = seed.places.root(place).command;
            let wanted = ground.wanted(place, self.views.at(command, self.direction));
            self.changes.clear();
            self.changes.extend(all.filter(|c| c.effect == Relation::Same || Some(c.effect) == wanted));
            if quantifies && attempt < TRIES / 2 {
                self.changes.retain(|c| self.engine.quantifies(*c));
            }
            // Rules that fit everywhere would crowd out those made for an operator.
            if self.changes.iter().any(|c| !self.engine.is_general(*c)) && !self.rng.one_in(4) {
                self.changes.retain(|c| !self.engine.is_general(*c));
            }
            let Some(&change) = self.rng.pick(self.changes) else { continue };
            let start = self.edits.new.len();
            let old = &seed.text[span.start as usize..span.end as usize];
            if !self.engine.write(arena, seed, ground, change, self.rng, &mut self.edits.new)
                || self.edits.new[start..] == *old
            {
                self.edits.new.truncate(start);
                continue;
            }
            self.edits.push(span.start..span.end, start);
            if !watch.allows(seed, self.edits, place) {
                self.edits.take_back(&(span.start..span.end), start);
                continue;
            }
            self.quantifies &= !self.engine.quantifies(change);
            let name = self.engine.name(change);
            log.extend_from_slice(format!("rule {name} at place {}: ", place.index()).as_bytes());
            log.extend_from_slice(&self.edits.new[start..]);
            log.push(b'\n');
            self.last = Some((place, start));
            return true;
        }
        false
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::{drafts, make, mutants};

    const TEXT: &str = "(set-logic LIA)(declare-const x Int)(declare-const y Int)(declare-const p Bool)
(assert (and p (< x y 9) (or (= x 2) (not (>= y 1)))))(assert (forall ((z Int)) (=> (> z x) p)))(check-sat)";

    #[test]
    fn mutants_are_well_sorted_and_say_their_status() {
        let all = mutants("weaken", "steps=6", &[TEXT], Some(Verdict::Sat), 300);
        assert!(all.len() > 290);
        for (text, log) in &all {
            assert!(text.contains("(set-logic LIA)\n(set-info :status sat)\n"), "{text}");
            assert!(log.lines().all(|l| l.starts_with("rule ")), "{log}");
        }
        assert!(all.iter().any(|(_, log)| log.lines().count() == 6));
    }

    #[test]
    fn a_shorter_chain_is_a_prefix_and_what_was_before_is_kept() {
        let mut pool = Pool::new();
        let seed = pool.add("t", TEXT.as_bytes(), Some(Verdict::Unsat)).unwrap();
        let draft = |pool: &mut Pool, steps: u32, number| {
            let mut draft = Draft::default();
            let mut weaken = make("weaken", &format!("steps={steps}"));
            weaken.next(pool, &CaseRequest { seeds: &[seed], number }, &mut draft).unwrap();
            draft
        };
        let commands = |text: &[u8]| {
            let text = String::from_utf8(text.to_vec()).unwrap();
            text.lines()
                .filter(|l| !l.starts_with(';') && !l.contains(":status"))
                .map(str::to_owned)
                .collect::<Vec<_>>()
        };
        for number in 0..50 {
            let (three, four) = (draft(&mut pool, 3, number), draft(&mut pool, 4, number));
            assert!(four.log.starts_with(&three.log));
            if four.log.len() > three.log.len() {
                assert_eq!(commands(&four.before), commands(&three.text));
            }
            assert_eq!(commands(&draft(&mut pool, 1, number).before), commands(&pool.seed(seed).text));
        }
    }

    #[test]
    fn nothing_comes_in_that_the_logic_lacks() {
        let text = TEXT.replace("LIA", "QF_LIA").replace("(assert (forall ((z Int)) (=> (> z x) p)))", "");
        for (text, _) in mutants("weaken", "steps=8", &[&text], None, 200) {
            assert!(!text.contains("forall") && !text.contains("exists"), "{text}");
        }
    }

    /// A change in a frame is seen by each query in it, and every one follows from the seed's.
    #[test]
    fn scripts_keep_their_queries_frames_and_assumptions() {
        let text =
            "(set-logic QF_LIA)(declare-const x Int)(declare-const p Bool)(assert (or p (> x 2)))(check-sat)
(push 1)(define-fun q ((y Int)) Bool (< y x))(assert (and p (q 3)))(check-sat-assuming ((not p)))(pop 1)
(check-sat)(reset-assertions)(assert (< 1 2))(check-sat)";
        let all = mutants("weaken", "steps=3", &[text], Some(Verdict::Sat), 200);
        assert_eq!(all.len(), 200);
        let commands = |t: &str| -> Vec<String> {
            let heads = ["(check", "(push", "(pop", "(reset"];
            t.lines().filter(|l| heads.iter().any(|h| l.starts_with(h))).map(str::to_owned).collect()
        };
        for (mutant, _) in &all {
            let seed = text.replace(")(", ")\n(");
            assert_eq!(commands(mutant), commands(&seed), "{mutant}");
            assert!(!mutant.contains(":status"), "a label is about one query: {mutant}");
        }
        for text in ["(assert true)", "(check-sat)(reset)(check-sat)"] {
            assert!(mutants("weaken", "", &[text], None, 5).is_empty(), "{text}");
        }
    }

    /// Queries with labels: a satisfiable one gets weaker and an unsatisfiable one stronger, in one mutant.
    #[test]
    fn each_query_goes_the_way_of_its_label() {
        let text = "(set-logic QF_LIA)(declare-const x Int)(declare-const y Int)(assert (<= (+ x 1) y))
(push 1)(assert (and (< 2 x) (< x y)))(set-info :status sat)(check-sat)(pop 1)
(push 1)(assert (and (< y x) (>= x 3)))(set-info :status unsat)(check-sat)(pop 1)";
        for name in ["weaken", "skeleton"] {
            let all = drafts(&mut *make(name, "steps=4"), &[text], None, 200);
            assert!(all.len() > 190, "{name}");
            let mut changed = [0, 0];
            for draft in &all {
                let related = Expectation::Related;
                assert_eq!(draft.each, [related(Relation::Weaker), related(Relation::Stronger)]);
                let script = smelt_smtlib::parse_script(&mut Arena::new(), &draft.text).unwrap().script;
                assert_eq!(script.commands.len(), 12, "the commands stay");
                let text = String::from_utf8_lossy(&draft.text);
                changed[0] += usize::from(!text.contains("(assert (and (< 2 x) (< x y)))"));
                changed[1] += usize::from(!text.contains("(assert (and (< y x) (>= x 3)))"));
            }
            assert!(changed.iter().all(|c| *c > 50), "{name}: {changed:?}");
        }
        // Both queries see the first assertion: only something equivalent may take its place.
        let all = mutants("weaken", "", &[text], None, 500);
        let first = |t: &str| t.lines().find(|l| l.starts_with("(assert")).map(str::to_owned);
        let rules = all.iter().filter(|(t, _)| first(t).is_some_and(|l| l != "(assert (<= (+ x 1) y))"));
        assert!(rules.count() > 0);
    }

    /// A chain is as long as is asked for.
    #[test]
    fn a_hundred_steps_are_a_hundred() {
        let all = mutants("weaken", "steps=100", &[TEXT], Some(Verdict::Sat), 3);
        assert!(all.iter().all(|(_, log)| log.lines().count() == 100));
    }

    /// A step that makes an assertion true or false is not taken.
    #[test]
    fn chains_keep_assertions_that_need_a_theory() {
        let text = "(set-logic QF_LIA)(declare-const x Int)(declare-const y Int)
(assert (and (< x y) (or (= x 2) (not (>= y 1)))))(assert (> (+ x y) 3))(check-sat)";
        let mut weight = crate::DeadWeight::default();
        for name in ["weaken", "skeleton"] {
            for status in [Verdict::Sat, Verdict::Unsat] {
                let all = mutants(name, "steps=12", &[text], Some(status), 100);
                assert!(all.len() > 90, "{name}");
                let dead = all.iter().filter(|(text, _)| weight.is_simplified(text.as_bytes())).count();
                assert_eq!(dead, 0, "{name} {status}");
            }
        }
    }

    /// `(<= 9 5 9)` needs no theory.
    #[test]
    fn no_constant_is_put_beside_a_literal_alone() {
        let text = "(set-logic QF_LIA)(declare-const x Int)(assert (= x 5))(assert (< x 7))(check-sat)";
        let all = mutants("skeleton", "form=written moves=pst", &[text], Some(Verdict::Unsat), 300);
        assert!(!all.is_empty());
        assert!(all.iter().all(|(_, log)| !log.contains("pinned")), "both sides would be literals");
    }

    /// Most incompletenesses that were published are in logics with quantifiers.
    #[test]
    fn quantifiers_come_into_a_logic_without_them() {
        let seed = r#"(set-logic QF_SLIA)(declare-const s String)(declare-const n Int)
(assert (and (= (str.len s) n) (str.contains s "ab")))(assert (or (> n 3) (not (= (str.at s 0) "b"))))(check-sat)"#;
        for status in [Verdict::Sat, Verdict::Unsat] {
            let all = mutants("weaken", "logic=all", &[seed], Some(status), 400);
            let has = all.iter().filter(|(t, _)| t.contains("(exists (") || t.contains("(forall (")).count();
            assert!(has * 3 >= 400, "{has} of {}", all.len());
            assert!(all.iter().all(|(t, _)| t.contains("(set-logic ALL)")));
        }
    }

    /// Table 6.1 of 001: what makes ∃ from a formula, and regular expressions below others.
    #[test]
    fn quantifiers_come_in_and_inner_languages_grow() {
        let made = |seed: &str, status| -> Vec<String> {
            mutants("weaken", "", &[seed], Some(status), 20_000).into_iter().map(|(text, _)| text).collect()
        };
        let has = |all: &[String], wanted: &str| all.iter().any(|text| text.contains(wanted));
        let seed = "(declare-const x Int)(assert (> (+ x 3) 7))(check-sat)";
        assert!(has(&made(seed, Verdict::Sat), "(exists ((smelt!b Int)) (> (+ smelt!b 3) 7))"));
        assert!(has(&made(seed, Verdict::Unsat), "(forall ((smelt!b Int)) (> smelt!b 7))"));
        let seed = r#"(declare-const s String)
(assert (str.in_re s (re.++ (re.* (str.to_re "a")) (re.comp (str.to_re "b")) re.allchar)))(check-sat)"#;
        let all = made(seed, Verdict::Sat);
        for wanted in [
            r#"(re.++ (re.* (re.+ (str.to_re "a"))) "#,
            r#"((_ re.^ 3) (re.union (re.* (str.to_re "a")) (re.comp (str.to_re "b")) re.allchar))"#,
            "(re.++ (re.* ((_ re.loop 1 ",
        ] {
            assert!(has(&all, wanted), "{wanted}");
        }
        assert!(!has(&all, r#"(re.comp (re.+ (str.to_re "b")))"#), "a complement gets smaller");
    }

    /// A rule with two testers speaks of one constructor.
    #[test]
    fn testers_of_one_rule_are_of_one_constructor() {
        let rule = "(rule both (theory datatypes) (par A) (constructor C A) (var x y A)
            (from (and ((_ is C) x) ((_ is C) y))) (weaker (= ((_ is C) x) ((_ is C) y))))";
        let files = [("rules".to_owned(), rule.to_owned())].into();
        let uses = |first: &str, second: &str| {
            let text = format!(
                "(declare-datatype L ((nil) (cons (head Int))))(declare-const a L)(declare-const b L)
                (assert (and ((_ is {first}) a) ((_ is {second}) b)))(check-sat)"
            );
            let mut weaken = crate::strategy("weaken", "", &files).unwrap();
            let all = drafts(&mut *weaken, &[&text], None, 100);
            all.iter().filter(|d| String::from_utf8_lossy(&d.log).contains("both")).count()
        };
        assert!(uses("cons", "cons") > 0);
        assert_eq!(uses("nil", "cons"), 0);
    }

    /// A function that a binder hides is not borrowed.
    #[test]
    fn hidden_functions_are_not_picked() {
        let borrowed = |variable: &str| {
            let text = format!(
                "(declare-fun f (Int) Int)(declare-const a Int)(declare-const b Int)
                (assert (exists (({variable} Int)) (and (= a b) (= a {variable}))))(check-sat)"
            );
            let all = mutants("weaken", "", &[&text], None, 300);
            // The binder itself is not an application.
            all.iter().filter(|(text, _)| text.replace("((f ", "").contains("(f ")).count()
        };
        assert!(borrowed("g") > 0);
        assert_eq!(borrowed("f"), 0);
    }
}
