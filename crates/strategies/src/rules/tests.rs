//! Every built-in rule holds; what does not hold is refused.

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
