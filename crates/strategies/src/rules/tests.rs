//! Every built-in rule is correct, and incorrect rules are rejected.

use super::*;

#[test]
fn every_built_in_rule_holds() {
    for (file, text) in BUILTIN {
        let set = RuleSet::unchecked(text).unwrap_or_else(|e| panic!("{file}: {e}"));
        assert!(set.rules().len() >= 60, "{file} has {} rules", set.rules().len());
        let check =
            |rule: &Rule| rule.check(Effort::LOAD).err().map(|flaw| format!("rule `{}` {flaw}", rule.name));
        let wrong: Vec<String> = set.rules().iter().filter_map(check).collect();
        assert!(wrong.is_empty(), "{file}:\n{}", wrong.join("\n"));
    }
}

#[test]
fn every_built_in_statement_holds() {
    for (file, text) in STATEMENTS {
        let all = statements(text).unwrap_or_else(|e| panic!("{file}: {e}"));
        assert!(all.len() >= 50, "{file} has {} statements", all.len());
        let check =
            |rule: &Rule| rule.check(Effort::LOAD).err().map(|flaw| format!("rule `{}` {flaw}", rule.name));
        let wrong: Vec<String> = all.iter().filter_map(check).collect();
        assert!(wrong.is_empty(), "{file}:\n{}", wrong.join("\n"));
    }
}

#[test]
fn equivalences_that_are_printed_wrong_are_refused() {
    let printed = include_bytes!("../../tests/data/printed_equivalences.txt");
    for rule in statements(printed).unwrap() {
        let flaw = rule.check(Effort::LOAD).expect_err(&rule.name);
        assert!(matches!(flaw, Flaw::Counterexample(_)), "{}: {flaw}", rule.name);
    }
}

#[test]
fn what_can_be_chosen_must_be_chosen_well() {
    let rules = |text: &str| statements(text.as_bytes()).unwrap().remove(0).check(Effort::LOAD);
    let half =
        "(rule a (theory t) (var x Int) (some y Int (div x 2)) (from (= (mod x 2) 0)) (equal (= x (* 2 y))))";
    assert_eq!(rules(half), Ok(()));
    for wrong in [
        half.replace("(div x 2)", "(div x 3)"),
        half.replace("(= x (* 2 y))", "(= x (* 2 (abs y)))"),
        half.replace("(= x (* 2 y))", "(>= x (* 2 y))"),
        "(rule a (theory t) (var x Int) (some y Int x) (from (< y x)) (weaker (<= y x)))".to_owned(),
    ] {
        assert!(matches!(rules(&wrong), Err(Flaw::Counterexample(_))), "{wrong}");
    }
}
