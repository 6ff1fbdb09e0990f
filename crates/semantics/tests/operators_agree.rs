//! Every operator on random ground arguments evaluates as real solvers do.
//!
//! By default a few arguments each; with `cargo xtask test --slow` two thousand. Deviations of a
//! solver from the standard are listed in `DEVIATIONS`, each with its reason, and in docs/book/src/reference/semantics.md.
#![allow(clippy::print_stdout, reason = "the log says which operators were left out, and why")]

use std::fmt::Write as _;
use std::process::Command;

use smelt_semantics::eval::{Domains, Interpretation};
use smelt_semantics::{Evaluator, Value};
use smelt_smtlib::signature::{NumberPattern, Row, SortPattern};
use smelt_smtlib::{Arena, Sort, parse_script, sym};
use smelt_testing::each_solver;

struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (self.0 ^ self.0 >> 33).wrapping_mul(0xff51afd7ed558ccd) >> 7
    }

    fn below(&mut self, n: u64) -> u64 {
        self.next() % n
    }

    fn pick<'a, T: ?Sized>(&mut self, from: &[&'a T]) -> &'a T {
        from[self.below(from.len() as u64) as usize]
    }
}

/// Operators on which a solver is known to differ from the standard, or that it does not offer as the standard has it.
const DEVIATIONS: &[(&str, &str, &str)] = &[
    ("z3", "str.replace_re", "z3 4.8.12 leaves it unknown on constants"),
    ("z3", "str.replace_re_all", "z3 4.8.12 leaves it unknown on constants"),
    ("z3", "str.replace_all", "z3 4.8.12 leaves it unknown on constants"),
    ("cvc5", "re.range", "cvc5 1.0.3 rejects ends that are not single characters"),
];

/// Widths and formats that the variables of a row stand for.
fn numbers(random: &mut Random, row: &Row, name: &str) -> [u32; 8] {
    let mut n = [0u32; 8];
    for v in &mut n {
        *v = *random.pick(&[&1u32, &2, &3, &4, &5, &8, &11, &16, &32, &64, &65].map(|x| x));
    }
    // Formats in which these solvers are right; in tiny and odd ones they are not, see docs/book/src/reference/semantics.md.
    let mut fix = |p: &SortPattern| {
        if let SortPattern::Float(NumberPattern::Var(e), s) = p {
            // `fp` has its format in the result: the significand without its hidden bit.
            let (s, hidden) = match s {
                NumberPattern::Var(s) => (s, 0),
                NumberPattern::Sum(s, _) => match &**s {
                    NumberPattern::Var(s) => (s, 1),
                    _ => return,
                },
                _ => return,
            };
            // Remainders of far exponents take solvers long.
            let small = name == "fp.rem";
            let (eb, sb) =
                if small { (5, 11) } else { *random.pick(&[&(5u32, 11u32), &(8, 24), &(11, 53)].map(|x| x)) };
            (n[*e as usize], n[*s as usize]) = (eb, sb - hidden);
        }
    };
    row.args.iter().for_each(&mut fix);
    fix(&row.result);
    n
}

fn number(p: &NumberPattern, n: &[u32; 8]) -> u32 {
    match p {
        NumberPattern::Exact(k) => *k,
        NumberPattern::Var(v) => n[*v as usize],
        NumberPattern::Sum(a, b) => number(a, n) + number(b, n),
        NumberPattern::Difference(a, b) => number(a, n).saturating_sub(number(b, n)),
        NumberPattern::Product(a, b) => number(a, n) * number(b, n),
    }
}

fn bits(random: &mut Random, width: u32) -> String {
    let kind = random.below(8);
    let bit = |random: &mut Random, i: u32| match kind {
        0 => false,
        1 => true,
        2 => i == 0,
        3 => i == width - 1,
        4 => i != 0,
        _ => random.below(2) == 1,
    };
    (0..width).map(|i| if bit(random, i) { '1' } else { '0' }).collect()
}

fn int(random: &mut Random) -> String {
    let v: i128 = match random.below(6) {
        0 => random.below(4) as i128,
        1 => random.below(200) as i128,
        2 => random.next() as i128,
        3 => 1 << random.below(70),
        _ => random.below(12) as i128,
    };
    if random.below(3) == 0 && v != 0 { format!("(- {v})") } else { v.to_string() }
}

fn string(random: &mut Random) -> String {
    let letters = ["a", "b", "0", "1", "9", "-", "\"\"", "\\u{e9}", "\\u{2ffff}", "A", " "];
    let n = *random.pick(&[&0u64, &0, &1, &1, &2, &3, &6].map(|x| x));
    (0..n).map(|_| random.pick(&letters)).collect()
}

fn language(random: &mut Random, depth: u32) -> String {
    if depth == 0 || random.below(3) == 0 {
        return match random.below(6) {
            0 => "re.allchar".to_owned(),
            1 => "re.all".to_owned(),
            2 => "re.none".to_owned(),
            3 => "(re.range \"0\" \"9\")".to_owned(),
            _ => format!("(str.to_re \"{}\")", string(random)),
        };
    }
    let (a, b) = (language(random, depth - 1), language(random, depth - 1));
    match random.below(7) {
        0 => format!("(re.* {a})"),
        1 => format!("(re.+ {a})"),
        2 => format!("(re.union {a} {b})"),
        3 => format!("(re.++ {a} {b})"),
        4 => format!("(re.inter {a} {b})"),
        5 => format!("(re.comp {a})"),
        _ => format!("(re.opt {a})"),
    }
}

fn sequence(random: &mut Random) -> String {
    match random.below(4) {
        0 => "(as seq.empty (Seq Int))".to_owned(),
        n => {
            let units: Vec<String> = (0..n + 1).map(|_| format!("(seq.unit {})", random.below(3))).collect();
            format!("(seq.++ {})", units.join(" "))
        }
    }
}

/// A ground term of a pattern's sort; sort variables stand for Int.
fn argument(random: &mut Random, p: &SortPattern, n: &[u32; 8]) -> Option<String> {
    Some(match p {
        SortPattern::Exact(Sort::BOOL) => random.pick(&["true", "false"]).to_owned(),
        SortPattern::Exact(Sort::INT) => int(random),
        SortPattern::Exact(Sort::REAL) => format!("(/ {} {}.0)", int(random), 1 + random.below(7)),
        SortPattern::Exact(Sort::STRING) => format!("\"{}\"", string(random)),
        SortPattern::Exact(Sort::REGLAN) => language(random, 2),
        SortPattern::Exact(Sort::ROUNDING_MODE) => {
            random.pick(&["RNE", "RNA", "RTP", "RTN", "RTZ"]).to_owned()
        }
        SortPattern::BitVec(w) => format!("#b{}", bits(random, number(w, n).max(1))),
        SortPattern::Float(e, s) => {
            let (e, s) = (number(e, n), number(s, n));
            let (sign, exponent, significand) = (bits(random, 1), bits(random, e), bits(random, s - 1));
            format!("(fp #b{sign} #b{exponent} #b{significand})")
        }
        SortPattern::Var(_) => random.below(4).to_string(),
        SortPattern::Constructor(sym::SEQ, _) => sequence(random),
        SortPattern::Constructor(sym::ARRAY, _) => {
            format!(
                "(store ((as const (Array Int Int)) {}) {} {})",
                random.below(3),
                random.below(3),
                random.below(3)
            )
        }
        _ => return None,
    })
}

/// The claim that a term has a value, as a Boolean term.
fn claim(term: &str, value: &Value) -> Option<String> {
    let shown = match value {
        Value::Bool(true) => return Some(term.to_owned()),
        Value::Bool(false) => return Some(format!("(not {term})")),
        Value::Int(i) => smelt_semantics::number::int::to_smtlib(i),
        Value::Real(r) => r.to_smtlib(),
        Value::BitVec(b) => b.to_string(),
        Value::Float(f) => f.to_string(),
        Value::Str(s) => s.to_string(),
        Value::RoundingMode(_) => return None,
        Value::Seq(items) => {
            let mut units = String::from("(as seq.empty (Seq Int))");
            for v in items.iter() {
                units = format!(
                    "(seq.++ {units} (seq.unit {}))",
                    smelt_semantics::number::int::to_smtlib(v.as_int()?)
                );
            }
            units
        }
        _ => return None,
    };
    Some(format!("(= {term} {shown})"))
}

/// Random applications of a row with what they evaluate to, as claims.
fn claims(random: &mut Random, row: &Row, name: &str, count: usize, variadic: bool) -> Vec<String> {
    let mut arena = Arena::new();
    let empty = arena.checkpoint();
    let mut out = Vec::new();
    for _ in 0..count * 6 {
        let n = numbers(random, row, name);
        let args: Option<Vec<String>> = row.args.iter().map(|p| argument(random, p, &n)).collect();
        let Some(mut args) = args else { break };
        let many = row.associativity != smelt_smtlib::signature::Associativity::None;
        if variadic && many && random.below(4) == 0 {
            args.extend(argument(random, &row.args[1], &n));
        }
        let head = if row.indices.is_empty() {
            name.to_owned()
        } else {
            let indices: Vec<String> = row.indices.iter().map(|i| number(i, &n).to_string()).collect();
            format!("(_ {name} {})", indices.join(" "))
        };
        let mut term = if args.is_empty() { head } else { format!("({head} {})", args.join(" ")) };
        // Languages and arrays are compared through membership and selection.
        match &row.result {
            SortPattern::Exact(Sort::REGLAN) => term = format!("(str.in_re \"{}\" {term})", string(random)),
            SortPattern::Constructor(sym::ARRAY, _) => term = format!("(select {term} {})", random.below(3)),
            _ => {}
        }
        let Ok(parsed) = parse_script(&mut arena, format!("(assert (= {term} {term}))").as_bytes()) else {
            continue;
        };
        let whole = parsed.script.assertions().next().unwrap();
        if parsed.diagnostics.is_empty() {
            let term_id = arena.children(whole)[0];
            let (i, d) = (Interpretation::default(), Domains::default());
            if let Ok(value) = Evaluator::new(&arena, &i, &d).eval(term_id) {
                out.extend(claim(&term, &value));
            }
        }
        arena.rollback(empty);
        if out.len() >= count || row.args.is_empty() {
            break;
        }
    }
    out
}

/// The claims that a solver denies; `None` if it does not read the operator.
fn denied(solver: &str, claims: &[String]) -> Option<Vec<String>> {
    let batch = |claims: &[String]| {
        let mut text = String::from("(set-logic ALL)\n");
        for chunk in claims.chunks(40) {
            let negations: Vec<String> = chunk.iter().map(|c| format!("(not {c})")).collect();
            writeln!(text, "(push 1)\n(assert (or false {}))\n(check-sat)\n(pop 1)", negations.join("\n"))
                .unwrap();
        }
        text
    };
    let run = |text: &str| {
        let file = std::env::temp_dir().join(format!("smelt-agree-{}-{solver}.smt2", std::process::id()));
        std::fs::write(&file, text).unwrap();
        let mut command = Command::new("timeout");
        command.arg("300").arg(solver);
        if solver == "cvc5" {
            command.args(["--incremental", "--strings-exp", "--fp-exp"]);
        }
        let output = command.arg(&file).output().unwrap();
        std::fs::remove_file(&file).unwrap();
        String::from_utf8_lossy(&output.stdout).into_owned()
    };
    let answers = run(&batch(claims));
    if answers.contains("(error") {
        return None;
    }
    let answers: Vec<&str> = answers.lines().collect();
    let mut wrong = Vec::new();
    for (i, chunk) in claims.chunks(40).enumerate() {
        if answers.get(i) == Some(&"unsat") {
            continue;
        }
        for claim in chunk {
            let answer = run(&format!("(set-logic ALL)\n(assert (not {claim}))\n(check-sat)\n"));
            if answer.trim() != "unsat" {
                wrong.push(format!("{claim}: {}", answer.trim()));
            }
        }
    }
    Some(wrong)
}

fn operators_evaluate_as_solvers_do(solver: &str) {
    let count = if smelt_testing::is_slow() { 2000 } else { 8 };
    let arena = Arena::new();
    let mut random = Random(7);
    let mut problems = Vec::new();
    let mut compared = 0;
    for row in arena.signatures().rows() {
        let name = arena.name(row.name).into_owned();
        if row.dialect.is_some() {
            continue;
        }
        if let Some((_, _, why)) = DEVIATIONS.iter().find(|d| d.0 == solver && d.1 == name) {
            println!("{solver}: {name} is left out: {why}");
            continue;
        }
        // As the standard has it; with two arguments only; under an older name.
        let older = row.legacy.iter().map(|&n| (arena.name(n).into_owned(), false));
        let mut ways = vec![(name.clone(), true), (name.clone(), false)];
        ways.extend(older);
        let mut read = false;
        for (name, variadic) in ways {
            let claims = claims(&mut random, row, &name, count, variadic);
            if claims.is_empty() {
                read = true; // nothing to compare, as for `str.to_re`
                break;
            }
            if let Some(wrong) = denied(solver, &claims) {
                compared += claims.len();
                problems.extend(wrong);
                read = true;
                break;
            }
        }
        if !read {
            println!("{solver}: {name} is left out: it does not read it");
        }
    }
    println!("compared {compared} with {solver}");
    assert!(compared > 0);
    let first = &problems[..problems.len().min(60)];
    assert!(problems.is_empty(), "{} differences:\n{}", problems.len(), first.join("\n"));
}

each_solver!(operators_evaluate_as_solvers_do: z3 "needs z3", cvc5 "needs cvc5");
