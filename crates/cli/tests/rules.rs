//! `smelt rules check` on rewrite rules of a solver.

use crate::common::{Folder, code, json, stderr, stdout};

const RULES: &str = "
(declare-rule right ((@w Int) (x (BitVec @w))) :args (x) :conclusion (= (bvand x (bvnot x)) (@bv 0 @w)))
(declare-rule wrong ((@w Int) (x (BitVec @w))) :args (x) :conclusion (= (bvor x (bvnot x)) (@bv 1 @w)))
(declare-rule strange ((x Int)) :args (x) :conclusion (= (eo::hash x) x))
unsat
";

#[test]
fn a_wrong_rule_of_a_solver_is_a_finding_with_a_counterexample() {
    let folder = Folder::new("rules-rare").with("rules.eo", RULES);
    let out = folder.smelt(&["rules", "check", "rules.eo"]);
    let text = stdout(&out);
    assert_eq!(code(&out), 10, "{text}");
    assert!(text.contains("rule wrong: (bvor x (bvnot x)) <=> (@bv 1 @w)\n  does not hold: "), "{text}");
    assert!(text.contains("rule strange: ") && text.contains("`eo::hash` is not known"), "{text}");
    assert!(text.ends_with("2 rules checked, 1 not checked, 1 wrong\n"), "{text}");
    let document = json(&folder.smelt(&["rules", "check", "rules.eo", "--json"]));
    assert!(document[0]["flaw"].is_null() && document[0]["tried"].as_u64() > Some(50), "{document}");
    assert!(document[2]["unchecked"].is_string(), "{document}");
}

#[test]
fn a_solver_without_rules_to_print_is_named() {
    let folder = Folder::new("rules-of");
    let out = folder.smelt(&["rules", "check", "--of", "builtin"]);
    assert!(code(&out) == 2 && stderr(&out).contains("prints no rewrite rules"), "{}", stderr(&out));
}
