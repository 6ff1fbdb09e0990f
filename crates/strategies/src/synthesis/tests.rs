//! Properties of all formulas, and that those of the paper are among them.

use std::collections::HashSet;

use smelt_semantics::goal::Goal as Question;
use smelt_semantics::model::{Escapes, Model, Truth};
use smelt_smtlib::sexpr::{Sexpr, SexprNode, read_all};
use smelt_smtlib::{Arena, parse_script};

use super::*;

fn try_make(options: &str) -> Result<Synthesis, OptionError> {
    let options = ROW.read(options)?;
    ROW.check(&options)?;
    Synthesis::new(&options)
}

fn make(options: &str) -> Synthesis {
    try_make(options).unwrap_or_else(|e| panic!("{options}: {e}"))
}

fn all(options: &str) -> impl Iterator<Item = Draft> {
    some(options, 1)
}

/// One in `step` of the cases.
fn some(options: &str, step: usize) -> impl Iterator<Item = Draft> {
    let synthesis = make(options);
    (0..synthesis.total().unwrap()).step_by(step).map(move |n| synthesis.built().unwrap().case(n).unwrap())
}

fn next(synthesis: &mut Synthesis, number: u64, draft: &mut Draft) -> Result<(), Skip> {
    synthesis.next(&mut Pool::new(), &CaseRequest { seeds: &[], number }, draft)
}

/// Whether no other core is minimal.
fn is_unique(case: &Draft) -> bool {
    case.core.len() == case.models_without.len()
}

/// Every how many cases are looked at: all in a slow run.
fn step(quick: usize) -> usize {
    if std::env::var_os("SMELT_SLOW").is_some() { 1 } else { quick }
}

const PRESETS: [&str; 7] = ["paper", "printed", "strings", "sequences", "bitvectors", "ints", "reals"];

#[test]
fn families_are_a_list_and_samples_are_spread_over_each() {
    let count = |options: &str| -> Vec<(String, u64)> { make(options).statistics().unwrap().1 };
    let names = |options: &str| count(options).into_iter().map(|(name, _)| name).collect::<Vec<_>>();
    assert_eq!(names("preset=strings family=noise,operation samples=3"), ["operation", "noise"]);
    let paper = names("preset=paper samples=2");
    assert_eq!(paper.len(), 7, "the experiment of the paper has no `mixed`: {paper:?}");
    assert!(count("preset=paper samples=5").iter().all(|(_, n)| *n == 5));
    // The first is kept, and no two are of the same part.
    let texts = |options: &str| all(options).map(|d| d.log).collect::<Vec<_>>();
    let (some, every) =
        (texts("preset=ints family=operation samples=3"), texts("preset=ints family=operation"));
    assert!(some.len() == 3 && some[0] == every[0] && some.iter().all(|s| every.contains(s)));
    assert_eq!(texts("preset=ints family=operation samples=100000"), every);
    assert!(try_make("preset=paper family=operation,none").is_err());
}

#[test]
fn options_of_the_experiment_stand_before_the_logic() {
    for (solver, option) in [("z3", ":smt.core.minimize true"), ("cvc4", ":strings-exp true")] {
        let case =
            all(&format!("preset=paper family=operation samples=1 solver-options={solver}")).next().unwrap();
        let text = String::from_utf8(case.text).unwrap();
        let (set, logic) = (text.find(option).unwrap(), text.find("(set-logic").unwrap());
        assert!(set < logic, "{text}");
    }
}

#[test]
fn the_paper_has_as_many_formulas_as_it_says_or_more() {
    for preset in ["paper", "printed"] {
        let of = |family: Family| {
            let options = format!("preset={preset} patterns=without family={}", family.name());
            make(&options).total().unwrap()
        };
        assert_eq!((of(Family::Operation), of(Family::Equivalence)), (12, 12));
        assert_eq!(of(Family::Assignment), 4714);
        assert!(of(Family::Terms) >= 1394);
        assert!(of(Family::Variable) + of(Family::Constant) >= 268);
        // The paper has 178, of which 35 are slips of its program.
        assert!(of(Family::Noise) >= 143);
    }
}

#[test]
fn every_model_is_true() {
    for (preset, (name, family)) in PRESETS.iter().flat_map(|p| Family::ALL.map(|f| (p, f))) {
        // It takes seconds to make those of the paper; `strings` has fewer of the same kind.
        if step(2) > 1 && family == Family::Mixed && ["paper", "printed"].contains(preset) {
            continue;
        }
        for case in some(&format!("preset={preset} family={name}"), step(37)) {
            let text = String::from_utf8_lossy(&case.text).into_owned();
            if case.expectation != Expectation::SAT {
                assert!(case.witness.is_empty());
                continue;
            }
            let mut arena = Arena::new();
            let parsed = parse_script(&mut arena, &case.text).unwrap_or_else(|e| panic!("{e}\n{text}"));
            assert!(parsed.diagnostics.is_empty(), "{text}");
            let goal = Question::last(&parsed.script);
            let model = Model::read(&mut arena, &parsed.scope, &goal, &case.witness, Escapes::Standard);
            let verdict = model.unwrap_or_else(|e| panic!("{e}\n{text}")).check(&arena, &goal).verdict();
            assert_eq!(verdict, Truth::True, "{text}");
        }
    }
}

#[test]
fn every_unsatisfiable_formula_is_typed_and_most_cores_are_known_to_be_the_only_minimal_one() {
    for preset in PRESETS {
        let (mut unsat, mut unique) = (0, 0);
        for family in Family::ALL.into_iter().map(|(_, f)| f).filter(|f| !f.is_sat()) {
            for case in some(&format!("preset={preset} family={}", family.name()), step(3)) {
                let text = String::from_utf8_lossy(&case.text).into_owned();
                let parsed = parse_script(&mut Arena::new(), &case.text);
                assert!(parsed.is_ok_and(|p| p.diagnostics.is_empty()), "{text}");
                assert!(case.core.starts_with(&["a0".to_owned(), "a1".to_owned()]), "{text}");
                assert!(case.core.len() == 2 || family != Family::Noise, "{text}");
                unsat += 1;
                unique += usize::from(is_unique(&case));
            }
        }
        // Conditions of equalities of reals are often not needed, so that fewer of their cores are minimal.
        let share = if preset == "reals" { 70 } else { 85 };
        assert!(unique * 100 >= unsat * share, "{preset}: {unique} of {unsat}");
    }
}

#[test]
fn a_model_without_one_assertion_is_true_on_all_others() {
    for case in some("preset=paper family=variable", step(9)) {
        let text = String::from_utf8(case.text.clone()).unwrap();
        for (name, model) in &case.models_without {
            let rest: Vec<&str> = text.lines().filter(|l| !l.contains(&format!(":named {name})"))).collect();
            let mut arena = Arena::new();
            let parsed = parse_script(&mut arena, rest.join("\n").as_bytes()).unwrap();
            let goal = Question::last(&parsed.script);
            let model = Model::read(&mut arena, &parsed.scope, &goal, model.as_bytes(), Escapes::Standard);
            assert_eq!(model.unwrap().check(&arena, &goal).verdict(), Truth::True, "{text}\nwithout {name}");
        }
    }
}

/// The formulas of a script, with variables numbered in the order they occur.
fn canonical(text: &str) -> String {
    let mut names: Vec<String> = Vec::new();
    let mut declared: HashSet<String> = HashSet::new();
    let mut out = String::new();
    for command in read_all(text.as_bytes()).unwrap() {
        let parts = command.list("a command").unwrap();
        match plain(&parts[0]).as_str() {
            "declare-const" => drop(declared.insert(plain(&parts[1]))),
            "assert" => write_canonical(&parts[1], &declared, &mut names, &mut out),
            _ => {}
        }
    }
    out
}

fn write_canonical(s: &Sexpr, declared: &HashSet<String>, names: &mut Vec<String>, out: &mut String) {
    match &s.node {
        SexprNode::Atom(a) if declared.contains(a) => {
            let at = names.iter().position(|n| n == a).unwrap_or_else(|| {
                names.push(a.clone());
                names.len() - 1
            });
            out.push_str(&format!("?{at} "));
        }
        SexprNode::Atom(a) => out.push_str(&format!("{a} ")),
        SexprNode::List(l) => {
            out.push('(');
            l.iter().for_each(|i| write_canonical(i, declared, names, out));
            out.push(')');
        }
    }
}

#[test]
fn no_formula_is_there_twice() {
    for preset in PRESETS {
        let mut seen = HashSet::new();
        for (_, family) in Family::ALL {
            // Those are many, and each is compared with all others when they are made.
            if step(2) > 1 && matches!(family, Family::Terms | Family::Mixed | Family::Several) {
                continue;
            }
            for case in all(&format!("preset={preset} family={}", family.name())) {
                let text = String::from_utf8(case.text).unwrap();
                assert!(seen.insert(canonical(&text)), "{text}");
            }
        }
    }
}

#[test]
fn two_steps_are_not_the_same_as_two_others() {
    let mut seen = HashSet::new();
    for family in ["equivalence", "variable", "constant", "noise"] {
        let options = format!("preset=paper steps=2 family={family} patterns=without");
        for case in some(&options, step(11)) {
            let text = String::from_utf8(case.text).unwrap();
            assert!(seen.insert(canonical(&text)), "{text}");
        }
    }
    assert!(seen.len() > 500, "{}", seen.len());
}

/// Whether two formulas are one but for the names of variables.
fn same(a: &Sexpr, b: &Sexpr, names: &mut Vec<(String, String)>) -> bool {
    match (&a.node, &b.node) {
        // Names of variables in what is looked for start with a question mark.
        (SexprNode::Atom(a), SexprNode::Atom(b)) if a.starts_with('?') => {
            let known = names.iter().find(|n| n.0 == *a || n.1 == *b).cloned();
            known.map_or_else(
                || {
                    names.push((a.clone(), b.clone()));
                    true
                },
                |n| n == (a.clone(), b.clone()),
            )
        }
        (SexprNode::Atom(a), SexprNode::Atom(b)) => a == b,
        (SexprNode::List(a), SexprNode::List(b)) => {
            a.len() == b.len() && a.iter().zip(b).all(|(a, b)| same(a, b, names))
        }
        _ => false,
    }
}

/// The first case of a family that has these formulas, in this order.
fn find(options: &str, formulas: &[&str]) -> Option<Draft> {
    let wanted: Vec<Sexpr> = formulas.iter().map(|f| read_all(f.as_bytes()).unwrap().remove(0)).collect();
    all(options).find(|case| {
        let asserted = assertions(&case.text);
        let mut names = Vec::new();
        asserted.len() == wanted.len() && wanted.iter().zip(&asserted).all(|(w, a)| same(w, a, &mut names))
    })
}

#[test]
fn the_formulas_that_the_paper_shows_are_made() {
    for (what, options, formulas) in [
        ("Listing 1", "preset=paper family=assignment", &[r#"(= (str.replace "" ?t ?u) "a")"#][..]),
        ("Listing 2", "preset=paper family=operation", &["(= (str.replace ?s ?t ?u) ?v)"]),
        (
            "Figure 1",
            "preset=paper family=equivalence",
            &[
                "(not (= (str.replace ?s ?t ?u) ?res))",
                "(and (= (str.indexof ?s ?t 0) ?i) (ite (>= ?i 0) (and (= (str.++ ?s1 ?s2 ?s3) ?s) (= (str.len ?s1) ?i) \
                 (= ?s2 ?t) (= (str.++ ?s1 ?u ?s3) ?res)) (= ?res ?s)))",
            ],
        ),
        (
            "Figure 2",
            "preset=paper family=terms",
            &["(= (str.at (str.at ?s0 ?i1) (str.indexof ?s0 ?s0 ?i1)) (str.++ ?s2 ?s2))"],
        ),
        (
            "Figure 3",
            "preset=paper family=variable",
            &[
                "(not (= (str.replace ?s ?t ?u) ?res))",
                "(and (= (str.indexof ?s ?t 0) ?i) (ite (>= ?i 0) (and (= (str.++ ?s1 ?s2 ?s3) ?s) (= (str.len ?s1) ?i) \
                 (= ?s2 ?t) (= (str.++ ?s1 ?u ?s3) ?fresh)) (= ?fresh ?s)))",
                "(= (str.at ?res 0) ?fresh)",
                "(= (str.len ?res) 1)",
            ],
        ),
        (
            "Figure 4",
            "preset=paper family=noise",
            &[
                "(not (= (str.prefixof ?s ?t) false))",
                "(forall ((?t1 String) (?t2 String) (?fresh String)) (! (=> (= (str.substr ?t2 0 (str.len ?t2)) ?fresh) \
                 (=> (= ?t (str.++ ?t1 ?fresh)) (not (= ?t1 ?s)))) \
                 :pattern ((str.++ ?t1 ?fresh) (str.substr ?t2 0 (str.len ?t2)))))",
            ],
        ),
        ("Figure 5", "preset=paper family=assignment", &["(= (str.indexof ?s0 ?s1 ?i2) 0)"]),
        (
            "Figure 6",
            "preset=paper family=terms",
            &["(= (str.contains (str.from_int ?i0) (str.at ?s2 ?i0)) (str.contains ?s2 ?s2))"],
        ),
    ] {
        let case = find(options, formulas).unwrap_or_else(|| panic!("{what} is not made"));
        let sat = Family::ALL.iter().any(|(name, f)| case.category.starts_with(name) && f.is_sat());
        assert_eq!(case.expectation, if sat { Expectation::SAT } else { Expectation::UNSAT }, "{what}");
        assert!(sat || is_unique(&case), "{what}");
    }
}

#[test]
fn noise_below_a_quantifier_may_have_a_condition_and_changes_nothing() {
    // If the condition implies the equation then the body holds: with equal values the premise is true, so that it does.
    for (rule, formula) in [
        (
            "E10 NC1",
            "(forall ((?t1 String) (?t2 String) (?fresh String)) (! (=> (=> (= (str.len ?t2) 1) (= (str.at ?t2 0) ?fresh)) \
             (=> (= ?t (str.++ ?t1 ?fresh)) (not (= ?t1 ?s)))) :pattern ((str.++ ?t1 ?fresh) (str.at ?t2 0))))",
        ),
        (
            "E5-printed NC8",
            "(ite (and (>= ?off 0) (<= ?off (str.len ?s))) (ite (= ?t \"\") (= ?res ?off) (and (= ?s (str.++ ?s1 ?s2 ?t ?s4)) \
             (= ?off (str.len ?s1)) (forall ((?i Int) (?fresh Int) (?a String)) (! (=> (=> (and (>= ?i 0) (<= ?i (str.len ?a))) \
             (= (str.indexof ?a \"\" ?i) ?fresh)) (=> (and (>= ?fresh 0) (< ?fresh (str.len ?t))) \
             (= (str.contains (str.++ ?s2 (str.substr ?t 0 ?fresh)) ?t) false))) \
             :pattern ((str.substr ?t 0 ?fresh) (str.indexof ?a \"\" ?i)))) (= ?res (str.len (str.++ ?s1 ?s2))))) \
             (= ?res (- 1)))",
        ),
    ] {
        let preset = if rule.contains("printed") { "printed" } else { "paper" };
        let wanted = read_all(formula.as_bytes()).unwrap().remove(0);
        let options = format!("preset={preset} family=noise patterns=with");
        let made = all(&options).find(|case| {
            case.log == format!("noise {rule}\n").into_bytes() && {
                let asserted = assertions(&case.text);
                same(&wanted, &asserted[1], &mut Vec::new())
            }
        });
        assert!(made.is_some(), "{rule}");
    }
    let c31 =
        all("preset=paper family=constant patterns=without").filter(|c| c.log.ends_with(b" C31\n")).count();
    assert_eq!(c31, 1, "ten stands in E2");
}

/// What a script asserts, without names.
fn assertions(text: &[u8]) -> Vec<Sexpr> {
    let script = read_all(text).unwrap();
    let asserted = script.iter().filter_map(|command| match command.list("a command").unwrap() {
        [head, formula] if plain(head) == "assert" => Some(formula),
        _ => None,
    });
    let bare = asserted.map(|formula| match formula.list("a formula") {
        Ok([bang, formula, ..]) if plain(bang) == "!" => formula.clone(),
        _ => formula.clone(),
    });
    bare.collect()
}

#[test]
fn presets_and_statements_of_a_user_are_checked_and_used() {
    let make = |files: &[(&str, &str)], options: &str| {
        let files = files.iter().map(|(name, text)| ((*name).to_owned(), (*text).to_owned())).collect();
        Synthesis::new(&ROW.read(options)?.with_files(&files))
    };
    let presets = "(preset mine (about \"few\") (like ints) (constants Int 5) (pool Int 3))";
    let made = make(&[("presets", presets)], "family=assignment").unwrap();
    assert_eq!(made.options(), "preset=mine family=assignment");
    assert!(made.total().unwrap() < self::make("preset=ints family=assignment").total().unwrap());
    let twice = "(rule twice (theory any) (var x res Int) (often res (* 2 x)) (from (= (* 2 x) res)) (equal (= res (+ x x))))";
    let made = make(&[("equivalences", twice)], "preset=ints family=equivalence").unwrap();
    assert_eq!(made.total(), Some(1));
    let case = made.built().unwrap().case(0).unwrap();
    assert!(String::from_utf8_lossy(&case.text).contains("(assert (! (= res (+ x x)) :named a1))"));
    let own = "(rule own (theory any) (var s Int) (from true) (weaker (= (- (- s)) s)))";
    let made = make(&[("equivalences", twice), ("equalities", own)], "preset=ints family=variable").unwrap();
    assert_eq!(made.total(), Some(2), "x and res");
    for (file, text, message) in [
        ("equivalences", twice.replace("(+ x x)", "(+ x 1)"), "does not hold"),
        ("equivalences", twice.replace("(equal ", "(weaker "), "use `equal` or `stronger`"),
        ("equivalences", twice.replace("(theory any)", "(theory any) (when (> x 0))"), "cannot have"),
        (
            "equivalences",
            twice.replace("(= res (+ x x))", "(exists ((y Int)) (= res (+ x x)))"),
            "other words than",
        ),
        ("equivalences", twice.replace("(= res (+ x x))", "(forall ((x Int)) true)"), "one name for two"),
        (
            "equalities",
            own.replace("(= (- (- s)) s)", "(<= (- (- s)) s)"),
            "is not `(weaker (= TERM VARIABLE))`",
        ),
        ("equalities", own.replace("(- (- s))", "(- s)"), "does not hold"),
        ("presets", presets.replace("like ints", "like nothing"), "not a part of a preset"),
        ("presets", presets.replace("Int 5", "Int true"), "not of sort Int"),
    ] {
        let family = if file == "presets" { "assignment" } else { "variable" };
        let error = make(&[(file, &text)], &format!("family={family}")).map(|_| ()).unwrap_err().to_string();
        assert!(error.contains(message), "{text}: {error}");
    }
}

/// A statement that does not hold, and that no check of rules has noticed: where values show it, no formula is called
/// unsatisfiable.
#[test]
fn a_core_that_has_a_model_is_no_case() {
    let mut built = Built::new(&make("preset=ints family=equivalence").settings).unwrap();
    let twice = "(rule twice (theory any) (var x res Int) (from (= (* 2 x) res)) (equal (= res (+ x x))))";
    built.statements = Statements::of(&built.preset, [Some(twice), None]).unwrap();
    built.families = vec![(
        Family::Equivalence,
        Formulas::Unsat(vec![Chain { equivalence: 0, moves: Box::default(), patterns: false }]),
    )];
    let case = built.case(0).unwrap();
    assert_eq!((case.expectation, case.core.len()), (Expectation::UNSAT, 2));
    let wrong = read_all(b"(= res x)").unwrap().remove(0);
    built.statements.equivalences[0].definition = wrong;
    let mut synthesis =
        Synthesis { settings: built.settings.clone(), built: Some(built).into(), sieve: Default::default() };
    let mut draft = Draft::default();
    let made = next(&mut synthesis, 0, &mut draft);
    assert!(matches!(made, Err(Skip::Refuted)), "{made:?} {}", String::from_utf8_lossy(&draft.text));
}

#[test]
fn a_number_makes_the_same_case_each_time() {
    let mut one = make("preset=paper family=noise");
    let mut draft = Draft::default();
    next(&mut one, 7, &mut draft).unwrap();
    let first = draft.clone();
    next(&mut one, 8, &mut draft).unwrap();
    assert_ne!(draft.text, first.text);
    next(&mut make("preset=paper family=noise"), 7, &mut draft).unwrap();
    assert_eq!((draft.text.clone(), draft.log.clone()), (first.text, first.log));
    let total = one.total().unwrap();
    assert_eq!(next(&mut one, total, &mut draft), Err(Skip::NoMoreCases));
    assert_eq!(next(&mut one, u64::MAX, &mut draft), Err(Skip::NoMoreCases));
}

#[test]
fn options_are_read_back_and_wrong_ones_are_refused() {
    for options in [
        "preset=strings",
        "preset=paper family=noise patterns=with steps=2",
        "preset=bitvectors width=1",
        "preset=bitvectors family=assignment width=65",
        "preset=strings family=terms bound=1 pool=all",
        "preset=paper family=assignment constants=String=\"\",\"x\\u{20}y\";Int=-1,7",
    ] {
        let synthesis = make(options);
        assert_eq!(make(&synthesis.options()).options(), synthesis.options());
        assert!(synthesis.total().unwrap() > 0, "{options}");
    }
    for (options, message) in [
        ("preset=lists", "no preset `lists`"),
        ("family=all", "`family=all`: expected some of operation"),
        ("bound=4", "bound is from 1 to 3"),
        ("steps=0", "steps is from 1 to 3"),
        ("steps=x", "steps is from 1 to 3"),
        ("preset=strings width=8", "has no width"),
        ("preset=bitvectors width=0", "at least 1"),
        ("patterns=maybe", "choose one of without, with, both"),
        ("colour=red", "synthesis has no option `colour`: choose one of preset, family"),
        ("lists", "no preset `lists`"),
        ("constants=String", "SORT=LITERAL"),
        ("constants=Bool=true", "no constants of sort `Bool`"),
        ("constants=String=a", "in a"),
        ("constants=Int=\"a\"", "not of sort Int"),
    ] {
        let error = try_make(options).map(|_| ()).unwrap_err().to_string();
        assert!(error.contains(message), "{options}: {error}");
    }
}

/// The equations of a formula have a variable in common, and none stands in two formulas twice.
#[test]
fn several_equations_share_variables() {
    for preset in ["strings", "ints", "bitvectors"] {
        let mut seen = HashSet::new();
        let (mut pairs, mut triples) = (0, 0);
        for case in some(&format!("preset={preset} family=several"), step(29)) {
            let text = String::from_utf8(case.text).unwrap();
            let assertions: Vec<&str> = text.lines().filter(|l| l.starts_with("(assert ")).collect();
            let declared: Vec<&str> =
                text.lines().filter_map(|l| l.strip_prefix("(declare-const ")?.split(' ').next()).collect();
            let uses = |line: &str, name: &str| line.split([' ', '(', ')']).any(|word| word == name);
            let is_shared = |line: &&str| {
                let others: Vec<_> = assertions.iter().filter(|other| *other != line).collect();
                declared.iter().any(|name| uses(line, name) && others.iter().any(|o| uses(o, name)))
            };
            assert!(assertions.iter().all(is_shared), "{text}");
            pairs += usize::from(assertions.len() == 2);
            triples += usize::from(assertions.len() == 3);
            assert!(seen.insert(canonical(&text)), "{text}");
        }
        assert!(pairs > 20 && triples > 10, "{preset}: {pairs} and {triples}");
    }
}

/// A campaign does not ask whether the formulas of its ways can be built.
#[test]
fn the_formulas_of_every_way_can_be_built() {
    for way in super::ways() {
        let made = crate::tests::make("synthesis", &way);
        assert!(made.total() > Some(0), "{way}");
    }
}
