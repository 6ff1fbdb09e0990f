//! All that one rule makes of a script.

use smelt_core::Relation;
use smelt_smtlib::occurrence::Occurrence;

use super::{Change, Engine, Ground, RuleSet};
use crate::gate::Classes;
use crate::options::OptionText;
use crate::pool::{Edits, Pool};
use crate::query::asks;
use crate::rng::Rng;
use std::sync::Arc;

/// How often the free choices of a rule are drawn at a place.
const DRAWS: usize = 4;

/// The scripts that a rule makes of a script at one place each, at most this many. All of them are weaker than it, or all
/// stronger. None if the script cannot be read.
pub fn rule_steps(
    rules: &Arc<RuleSet>,
    name: &str,
    script: &[u8],
    direction: Relation,
    most: usize,
) -> Vec<Vec<u8>> {
    let mut pool = Pool::new();
    let mut made: Vec<Vec<u8>> = Vec::new();
    let (Ok(id), Ok(classes)) = (pool.add("", script, None), Classes::of(&OptionText::default())) else {
        return made;
    };
    let id = pool.twin(id);
    let (arena, seed) = (pool.arena(), pool.seed(id));
    if asks(arena, &seed.script).is_err() {
        return made;
    }
    let mut engine = Engine::new(Arc::clone(rules));
    let ground = Ground::new(arena, seed, &engine.rules, &classes);
    let (mut changes, mut rng, mut edits): (Vec<Change>, Rng, Edits) =
        (Vec::new(), Rng::new(0), Edits::default());
    let mut places: Vec<Occurrence> = ground.formulas.iter().chain(&ground.languages).copied().collect();
    places.sort_unstable_by_key(|place| place.index());
    for place in places {
        changes.clear();
        engine.changes(arena, seed, &ground, place, &mut changes);
        let wanted = ground.wanted(place, Some(direction));
        changes.retain(|c| c.effect == Relation::Same || Some(c.effect) == wanted);
        changes.retain(|c| engine.name(*c) == name);
        for &change in &changes {
            for _ in 0..DRAWS {
                edits.clear();
                if !engine.write(arena, seed, &ground, change, &mut rng, &mut edits.new) {
                    continue;
                }
                let span = seed.spans[place.index()];
                edits.push(span.start..span.end, 0);
                let mut text = Vec::new();
                edits.apply(&seed.text, 0..seed.text.len() as u32, &mut text);
                if text != seed.text && !made.contains(&text) {
                    made.push(text);
                }
                if made.len() >= most {
                    return made;
                }
            }
        }
    }
    made
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::builtin;

    #[test]
    fn a_rule_is_applied_at_every_place_where_it_fits() {
        let rules =
            RuleSet::unchecked(b"(rule gap (theory ints) (var x y Int) (from (< x y)) (weaker (<= x y)))");
        let rules = Arc::new(rules.unwrap());
        let script = b"(set-logic QF_LIA)(declare-const a Int)(declare-const b Int)
(assert (or (< a b) (not (< b 3))))(assert (<= a 7))(check-sat)";
        let made = |name, direction| -> Vec<String> {
            let all = rule_steps(&rules, name, script, direction, 100).into_iter();
            all.map(|text| String::from_utf8(text).unwrap()).collect()
        };
        let weaker = made("gap", Relation::Weaker);
        assert_eq!(weaker.len(), 1, "{weaker:?}");
        assert!(weaker[0].contains("(or (<= a b) (not (< b 3)))"));
        let stronger = made("gap", Relation::Stronger);
        assert!(stronger.iter().any(|t| t.contains("(not (<= b 3))")));
        assert!(stronger.iter().any(|t| t.contains("(assert (< a 7))")));
        assert!(made("other", Relation::Weaker).is_empty());
        assert!(rule_steps(&builtin("weaken"), "gap", b"(assert", Relation::Weaker, 9).is_empty());
    }
}
