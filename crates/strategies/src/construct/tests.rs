//! Laws of the generator.

#![allow(clippy::print_stdout, reason = "the log says how many formulas need no theory")]

use std::collections::HashMap;

use smelt_core::Expectation;
use smelt_semantics::goal::Goal;
use smelt_semantics::model::{Escapes, Model, Truth};
use smelt_smtlib::{Arena, parse_script};

use super::*;
use crate::rng::case_seed;

/// How many formulas of each preset, in the quick and in the slow tests.
fn number() -> u64 {
    let text = std::env::var("SMELT_CONSTRUCT").ok();
    text.and_then(|t| t.parse().ok()).unwrap_or(300)
}

fn construct(options: &str) -> Construct {
    Construct::new(&ROW.read(options).unwrap()).unwrap()
}

fn make(construct: &mut Construct, number: u64, draft: &mut Draft) {
    construct.next(&mut Pool::new(), &CaseRequest { seeds: &[], number }, draft).unwrap();
}

fn each(preset: &str, extra: &str, mut check: impl FnMut(u64, &Draft)) {
    let mut generator = construct(&format!("preset={preset} {extra}"));
    let mut draft = Draft::default();
    for index in 0..number() {
        let seed = case_seed(3, preset, index);
        make(&mut generator, seed, &mut draft);
        check(seed, &draft);
    }
}

/// The goals of each check of a script, and how it reads.
fn well_sorted(draft: &Draft) -> (Arena, smelt_smtlib::Parsed) {
    let mut arena = Arena::new();
    let text = String::from_utf8_lossy(&draft.text);
    let parsed = parse_script(&mut arena, &draft.text).unwrap_or_else(|e| panic!("{e}\n{text}"));
    assert!(parsed.diagnostics.is_empty(), "{:?}\n{text}", parsed.diagnostics);
    (arena, parsed)
}

#[test]
fn every_model_satisfies_its_script() {
    let mut unseen: Vec<String> = operator::Op::all()
        .map(|op| match op.row.indices.len() {
            0 => format!("({} ", op.name),
            _ => format!("(_ {} ", op.name),
        })
        .collect();
    let sat: Vec<String> = presets().into_iter().filter(|p| p.ends_with("_sat")).collect();
    for (preset, extra) in
        sat.iter().flat_map(|p| ["checks=2 recent=1", "checks=2 numbers=1"].map(|extra| (p, extra)))
    {
        each(preset, extra, |_, draft| {
            let (mut arena, parsed) = well_sorted(draft);
            assert_eq!(draft.expectation, Expectation::SAT);
            let text = String::from_utf8_lossy(&draft.text);
            unseen.retain(|name| !text.contains(&**name));
            let goals = Goal::all(&parsed.script);
            assert_eq!(goals.len(), 2);
            for goal in goals {
                let escapes = Escapes::Standard;
                let model = Model::read(&mut arena, &parsed.scope, &goal, &draft.witness, escapes).unwrap();
                assert_eq!(model.check(&arena, &goal).verdict(), Truth::True, "{text}");
            }
        });
    }
    assert!(unseen.is_empty(), "never made: {unseen:?}");
}

/// Whether all assertions of the first check are true for some of many values.
fn satisfied(c: &Construct, rng: &mut Rng) -> bool {
    let roots: Vec<Term> = c.formula.checks[0].iter().map(|a| a.term).collect();
    let mut live = Vec::new();
    c.terms.mark(&roots, &mut live);
    let order: Vec<Term> = c.terms.all().filter(|t| live[t.index()]).collect();
    let mut values = vec![None; live.len()];
    (0..40).any(|_| {
        let variables: Vec<smelt_semantics::Value> =
            c.terms.variables().iter().map(|&v| corner::value(rng, c.terms.sort(v))).collect();
        c.terms.evaluate_all(&order, &variables, &mut values);
        roots.iter().all(|r| values[r.index()] == Some(smelt_semantics::Value::Bool(true)))
    })
}

#[test]
fn no_values_satisfy_an_unsatisfiable_core() {
    let mut rng = Rng::new(11);
    let mut satisfiable = 0;
    for preset in presets().iter().filter(|p| !p.ends_with("_sat")) {
        // Few variables and assertions, so that chance would find a model if there were one.
        let text = format!("preset={preset} variables=2 assertions=2 recent=1");
        let mut generator = construct(&text);
        let mut draft = Draft::default();
        for index in 0..number() {
            make(&mut generator, case_seed(4, preset, index), &mut draft);
            let found = satisfied(&generator, &mut rng);
            assert!(!found || !preset.ends_with("_unsat"), "{}", String::from_utf8_lossy(&draft.text));
            satisfiable += u32::from(found);
        }
    }
    // The others show that a model would have been found.
    assert!(satisfiable > 100, "{satisfiable}");
}

#[test]
fn every_rule_and_kernel_is_used() {
    for preset in presets().iter().filter(|p| !p.ends_with("_syntactic")) {
        let mut generator = construct(&format!("preset={preset}"));
        generator.count();
        let mut draft = Draft::default();
        // A hundred times in 20,000 formulas, with room for chance.
        let number = number().max(1000);
        for index in 0..number {
            make(&mut generator, case_seed(5, preset, index), &mut draft);
        }
        let least = number / 200 * 2 / 3;
        let (_, counts) = generator.statistics().unwrap();
        // That a formula needs no theory is counted, and wanted to be rare.
        let is_used = |name: &str| name != unsat::THEORY_FREE;
        let rare: Vec<(String, u64)> =
            counts.into_iter().filter(|(name, n)| is_used(name) && *n < least).collect();
        assert!(rare.is_empty(), "{preset}: {rare:?} of {number}");
    }
}

#[test]
fn the_same_number_makes_the_same_script() {
    for preset in presets() {
        let mut all = HashMap::new();
        each(&preset, "", |seed, draft| {
            well_sorted(draft);
            all.insert(seed, draft.text.clone());
        });
        let mut generator = construct(&format!("preset={preset}"));
        let mut draft = Draft::default();
        let mut seeds: Vec<u64> = all.keys().copied().collect();
        seeds.sort_unstable();
        for seed in seeds {
            make(&mut generator, seed, &mut draft);
            assert_eq!(all[&seed], draft.text);
        }
    }
}

/// The assertions of a formula with every operator but those of Core declared as a function over sorts without values.
/// Literals are different constants.
fn uninterpreted(c: &Construct) -> String {
    use std::collections::BTreeMap;
    use term::{Head, write_value};
    fn sort(sort: sort::Sort) -> String {
        let mut text = Vec::new();
        sort.write(&mut text);
        match sort {
            sort::Sort::Bool => "Bool".to_owned(),
            _ => format!("|sort {}|", String::from_utf8(text).unwrap()),
        }
    }
    fn write(terms: &Terms, t: Term, symbols: &mut BTreeMap<String, (Vec<String>, String)>) -> String {
        const CORE: [&str; 8] = ["not", "and", "or", "xor", "=>", "=", "distinct", "ite"];
        let args: Vec<String> = terms.args(t).iter().map(|a| write(terms, *a, symbols)).collect();
        let sorts: Vec<String> = terms.args(t).iter().map(|a| sort(terms.sort(*a))).collect();
        let name = match terms.head(t) {
            Head::Operator(op) if CORE.contains(&op.name) => {
                return format!("({} {})", op.name, args.join(" "));
            }
            Head::Operator(op) => {
                format!("{} {:?} {}", op.key, terms.indices(t), sorts.join(" ").replace('|', ""))
            }
            Head::Variable(n) => format!("v{n}"),
            Head::Function(n) => format!("f{n}"),
            Head::Literal => {
                let mut text = Vec::new();
                write_value(terms.value(t), terms.sort(t), &mut text);
                let text = String::from_utf8(text).unwrap();
                if terms.sort(t) == sort::Sort::Bool {
                    return text;
                }
                format!("literal {text} {}", sort(terms.sort(t)).replace('|', ""))
            }
        };
        let name = format!("|{name}|");
        symbols.insert(name.clone(), (sorts, sort(terms.sort(t))));
        if args.is_empty() { name } else { format!("({name} {})", args.join(" ")) }
    }
    let mut symbols = BTreeMap::new();
    let asserted: Vec<String> =
        c.formula.terms().map(|t| format!("(assert {})\n", write(&c.terms, t, &mut symbols))).collect();
    let sorts: std::collections::BTreeSet<&String> = symbols
        .values()
        .flat_map(|(args, result)| args.iter().chain([result]))
        .filter(|s| *s != "Bool")
        .collect();
    let mut text: String = sorts.iter().map(|s| format!("(declare-sort {s} 0)\n")).collect();
    for (name, (args, result)) in &symbols {
        text += &format!("(declare-fun {name} ({}) {result})\n", args.join(" "));
    }
    for s in sorts {
        let of = |(name, (_, result)): &(&String, &(Vec<String>, String))| {
            name.starts_with("|literal") && result == s
        };
        let literals: Vec<&str> = symbols.iter().filter(of).map(|(name, _)| name.as_str()).collect();
        if literals.len() > 1 {
            text += &format!("(assert (distinct {}))\n", literals.join(" "));
        }
    }
    text + &asserted.concat() + "(check-sat)\n(reset)\n"
}

/// What z3 prints of some scripts.
fn z3(scripts: &str) -> String {
    use std::process::{Command, Stdio};
    let mut child =
        Command::new("z3").arg("-in").stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().expect("z3 runs");
    let mut input = child.stdin.take().expect("a pipe");
    let scripts = scripts.to_owned();
    let writer = std::thread::spawn(move || input.write_all(scripts.as_bytes()));
    let output = child.wait_with_output().expect("output");
    writer.join().expect("it ends").expect("z3 reads all");
    String::from_utf8(output.stdout).expect("text")
}

/// z3's preprocessing decided more than a third of these formulas once: no theory was reached.
#[test]
#[ignore = "needs z3"]
fn at_most_five_percent_of_unsatisfiable_formulas_fall_to_preprocessing() {
    let number = if std::env::var_os("SMELT_SLOW").is_some() { 1000 } else { 100 };
    let (mut all, mut decided) = (0, 0);
    for preset in options::presets().iter().filter(|p| p.ends_with("_unsat")) {
        let mut generator = construct(&format!("preset={preset}"));
        let (mut draft, mut scripts) = (Draft::default(), String::new());
        for index in 0..number {
            make(&mut generator, case_seed(7, preset, index), &mut draft);
            let text = String::from_utf8(draft.text.clone()).expect("text");
            let apply = "(apply (then simplify propagate-values solve-eqs elim-uncnstr))";
            scripts += &text.replace("(check-sat)", apply);
            scripts += "(reset)\n";
        }
        let goals = z3(&scripts);
        let goals: Vec<&str> =
            goals.split("(goals").skip(1).map(|goal| goal.split_once("(goal").unwrap().1).collect();
        assert_eq!(goals.len() as u64, number, "{preset}");
        let is_decided = |goal: &&&str| goal.trim_start().starts_with("false");
        let falls = goals.iter().filter(is_decided).count();
        println!("{preset}: {falls} of {number} fall to preprocessing");
        (all, decided) = (all + number, decided + falls as u64);
    }
    assert!(decided * 100 <= all * 5, "{decided} of {all}");
}

#[test]
#[ignore = "needs z3"]
fn at_most_five_percent_of_unsatisfiable_formulas_need_no_theory() {
    let number = if std::env::var_os("SMELT_SLOW").is_some() { 1000 } else { 200 };
    for preset in ["bv_few_unsat", "bv_many_unsat", "fp_few_unsat", "fp_many_unsat"] {
        // As they come, to see that ours and z3's search agree; then within the share that is the default.
        for (share, most) in [("theory-free=100", 40), ("theory-free=5", 5)] {
            let mut generator = construct(&format!("preset={preset} {share}"));
            let (mut draft, mut scripts, mut ours) = (Draft::default(), String::new(), Vec::new());
            for index in 0..number as u64 {
                make(&mut generator, case_seed(6, preset, index), &mut draft);
                scripts += &uninterpreted(&generator);
                ours.push(!draft.log.windows(11).any(|w| w == unsat::THEORY_FREE.as_bytes()));
            }
            let answer = |line: &str| match line {
                "sat" => true,
                "unsat" => false,
                other => panic!("{other}"),
            };
            let theirs: Vec<bool> = z3(&scripts).lines().map(answer).collect();
            assert_eq!(theirs.len(), number);
            let free = theirs.iter().filter(|sat| !**sat).count();
            println!("{preset} {share}: {free} of {number} need no theory");
            assert!(free * 100 <= number * most, "{preset} {share}: {free}");
            let missed = ours.iter().zip(&theirs).filter(|(o, t)| **o && !**t).count();
            let given_up = ours.iter().zip(&theirs).filter(|(o, t)| !**o && **t).count();
            assert!(
                missed == 0 && given_up * 100 <= number,
                "{preset}: {missed} missed, {given_up} given up"
            );
        }
    }
}
