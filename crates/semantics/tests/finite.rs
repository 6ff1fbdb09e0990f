//! Random formulas over finite sorts, at most twelve bits of state: the solver decides every one, as z3 and cvc5 do.
//!
//! The generator reads the signature table. Left out on purpose:
//! - operators that the standard leaves open for some arguments: solvers fix a meaning there, the standard does not;
//! - operators newer than the solvers of Debian (overflow predicates and similar ones);
//! - floats with fewer than three exponent or three significand bits, and `fp.fma` below four: z3 4.8.12 is
//!   wrong on the latter and in (2, 2), cvc5 1.0.3 rejects significands of two bits and errs with two exponent bits.

#![allow(clippy::print_stdout, reason = "the log says how many answers were compared")]

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use crate::common::{Random, rounds};
use smelt_semantics::solver::{Session, Settings};
use smelt_smtlib::signature::{Associativity, NumberPattern, Row, SortPattern};
use smelt_smtlib::{Arena, Index, Op, Sort, Symbol, Term, sym};
use smelt_testing::each_solver;

const FORMATS: [(u32, u32); 3] = [(3, 3), (3, 4), (4, 3)];
const NEW: [&str; 9] =
    ["bvnego", "bvuaddo", "bvsaddo", "bvumulo", "bvsmulo", "bvusubo", "bvssubo", "bvsdivo", "fp.to_ieee_bv"];

struct Generator {
    arena: Arena,
    random: Random,
    rows: Vec<(Op, Row)>,
    sorts: Vec<Sort>,
    color: Sort,
    constants: Vec<(Symbol, Sort)>,
    bound: Vec<(Symbol, Sort)>,
    declarations: String,
    fresh: u32,
}

impl Generator {
    fn new(seed: u64) -> Self {
        let mut arena = Arena::new();
        let rows = arena.signatures().ops().map(|(op, row)| (op, row.clone())).collect::<Vec<_>>();
        let usable = |row: &Row| {
            let theory = arena.name(row.theory);
            row.dialect.is_none()
                && row.rule.is_none()
                && !row.partial
                && ["Core", "BitVectors", "FloatingPoint", "Arrays"].contains(&&*theory)
                && !NEW.contains(&&*arena.name(row.name))
        };
        let rows = rows.into_iter().filter(|r| usable(&r.1)).collect();
        let color = arena.symbol(b"Color");
        let color = arena.sort(color, &[]);
        Generator {
            arena,
            random: Random::new(seed),
            rows,
            sorts: Vec::new(),
            color,
            constants: Vec::new(),
            bound: Vec::new(),
            declarations: String::new(),
            fresh: 0,
        }
    }

    fn coin(&mut self, of: u64) -> bool {
        self.random.below(of) == 0
    }

    /// A sort and its bits of state.
    fn some_sort(&mut self) -> (Sort, u32) {
        match self.random.below(9) {
            0..=1 => (Sort::BOOL, 1),
            2..=3 => {
                let w = 1 + self.random.below(4) as u32;
                (self.arena.bitvec(w), w)
            }
            4 => (Sort::ROUNDING_MODE, 3),
            5 => (self.color, 2),
            6 => {
                let index = [Sort::BOOL, self.arena.bitvec(1), self.color][self.random.below(3) as usize];
                let two = self.arena.bitvec(2);
                let (element, bits) = [(Sort::BOOL, 1), (two, 2)][self.random.below(2) as usize];
                let indices = if index == self.color { 3 } else { 2 };
                (self.arena.sort(sym::ARRAY, &[index, element]), indices * bits)
            }
            _ => {
                let (eb, sb) = FORMATS[self.random.below(3) as usize];
                (self.arena.float(eb, sb), eb + sb)
            }
        }
    }

    fn declare(&mut self) {
        self.declarations = "(declare-datatypes ((Color 0)) (((red) (green) (blue))))\n".to_owned();
        self.constants.clear();
        self.sorts = vec![Sort::BOOL];
        let mut left = 3 + self.random.below(10) as u32;
        for _ in 0..8 {
            let (sort, bits) = self.some_sort();
            if bits > left {
                continue;
            }
            left -= bits;
            let name = format!("x{}", self.constants.len());
            let shown = self.arena.display_sort(sort);
            self.declarations.push_str(&format!("(declare-const {name} {shown})\n"));
            let name = self.arena.symbol(name.as_bytes());
            self.constants.push((name, sort));
            if !self.sorts.contains(&sort) {
                self.sorts.push(sort);
            }
        }
    }

    fn constant(&mut self, name: Symbol, sort: Sort) -> Term {
        let fun = self.arena.fun(name, None, &[], None);
        self.arena.app(fun, &[], sort)
    }

    fn leaf(&mut self, sort: Sort) -> Term {
        let bound: Vec<Symbol> = self.bound.iter().filter(|b| b.1 == sort).map(|b| b.0).collect();
        if !bound.is_empty() && self.coin(2) {
            let at = self.random.below(bound.len() as u64) as usize;
            return self.arena.var(bound[at], sort);
        }
        let mine: Vec<Symbol> = self.constants.iter().filter(|c| c.1 == sort).map(|c| c.0).collect();
        if !mine.is_empty() && !self.coin(4) {
            let at = self.random.below(mine.len() as u64) as usize;
            return self.constant(mine[at], sort);
        }
        self.literal(sort)
    }

    fn text(&mut self, text: &str) -> Term {
        let mut parser =
            smelt_smtlib::Parser::new(&mut self.arena, smelt_smtlib::Scope::new(), text.as_bytes()).unwrap();
        parser.next_term().unwrap()
    }

    fn bits(&mut self, width: u32) -> String {
        (0..width).map(|_| if self.coin(2) { '1' } else { '0' }).collect()
    }

    fn literal(&mut self, sort: Sort) -> Term {
        if sort == Sort::BOOL {
            let text = ["true", "false"][self.random.below(2) as usize];
            return self.text(text);
        }
        if sort == Sort::ROUNDING_MODE {
            let text = ["RNE", "RNA", "RTP", "RTN", "RTZ"][self.random.below(5) as usize];
            return self.text(text);
        }
        if sort == self.color {
            let name = self.arena.symbol(["red", "green", "blue"][self.random.below(3) as usize].as_bytes());
            return self.constant(name, sort);
        }
        if let Some(w) = self.arena.bitvec_width(sort) {
            let text = format!("#b{}", self.bits(w));
            return self.text(&text);
        }
        if let Some((eb, sb)) = self.arena.float_format(sort) {
            let text = format!("(fp #b{} #b{} #b{})", self.bits(1), self.bits(eb), self.bits(sb - 1));
            return self.text(&text);
        }
        let element = self.arena.sort_view(sort).args[1];
        let inner = self.literal(element);
        let op = self.arena.signatures().named(sym::CONST).next();
        let fun = self.arena.fun(sym::CONST, op, &[], Some(sort));
        self.arena.app(fun, &[inner], sort)
    }

    /// A term of a sort.
    fn term(&mut self, sort: Sort, depth: u32) -> Term {
        if depth == 0 || self.coin(7) {
            return self.leaf(sort);
        }
        if self.coin(8) {
            return self.local(sort, depth);
        }
        if sort == Sort::BOOL && self.coin(7) {
            return self.quantifier(depth);
        }
        for _ in 0..60 {
            if let Some(term) = self.application(sort, depth) {
                return term;
            }
        }
        self.leaf(sort)
    }

    fn fresh(&mut self, prefix: &str) -> Symbol {
        self.fresh += 1;
        self.arena.symbol(format!("{prefix}{}", self.fresh).as_bytes())
    }

    fn local(&mut self, sort: Sort, depth: u32) -> Term {
        let bound = self.sorts[self.random.below(self.sorts.len() as u64) as usize];
        let definition = self.term(bound, depth - 1);
        let name = self.fresh("l");
        self.bound.push((name, bound));
        let body = self.term(sort, depth - 1);
        self.bound.pop();
        self.arena.let_term(&[(name, definition)], body)
    }

    fn quantifier(&mut self, depth: u32) -> Term {
        let two = self.arena.bitvec(2);
        let sort = [Sort::BOOL, two, self.color, Sort::ROUNDING_MODE][self.random.below(4) as usize];
        let name = self.fresh("q");
        self.bound.push((name, sort));
        let body = self.term(Sort::BOOL, depth - 1);
        self.bound.pop();
        let binder = if self.coin(2) { sym::FORALL } else { sym::EXISTS };
        self.arena.binder(binder, &[(name, sort)], &[body], Sort::BOOL)
    }

    fn application(&mut self, sort: Sort, depth: u32) -> Option<Term> {
        let (op, row) = self.rows[self.random.below(self.rows.len() as u64) as usize].clone();
        let mut numbers: [u32; 8] = std::array::from_fn(|_| 1 + self.random.below(4) as u32);
        let mut sorts: [Sort; 8] =
            std::array::from_fn(|_| self.sorts[self.random.below(self.sorts.len() as u64) as usize]);
        self.bind(&row.result, sort, &mut numbers, &mut sorts)?;
        let name = self.arena.name(row.name).into_owned();
        let mut wanted = Vec::new();
        for p in &row.args {
            wanted.push(self.instance(p, &numbers, &sorts)?);
        }
        if name == "fp.fma" && self.arena.float_format(sort).is_some_and(|f| f.1 < 4) {
            return None;
        }
        if row.associativity != Associativity::None && self.coin(4) {
            wanted.push(*wanted.last()?);
        }
        let indices: Option<Vec<Index>> =
            row.indices.iter().map(|i| Index::number(number(i, &numbers)?)).collect();
        let args: Vec<Term> = wanted.into_iter().map(|s| self.term(s, depth - 1)).collect();
        let term = self.arena.apply_op(op, &indices?, &args)?;
        (self.arena.sort_of(term) == sort).then_some(term)
    }

    /// Binds the variables of a row to fit its result.
    fn bind(&self, p: &SortPattern, sort: Sort, n: &mut [u32; 8], s: &mut [Sort; 8]) -> Option<()> {
        let mut fix = |p: &NumberPattern, value: u32| {
            if let NumberPattern::Var(v) = p {
                n[*v as usize] = value;
            }
        };
        match p {
            SortPattern::Exact(e) => (*e == sort).then_some(())?,
            SortPattern::Var(v) => s[*v as usize] = sort,
            SortPattern::BitVec(w) => fix(w, self.arena.bitvec_width(sort)?),
            SortPattern::Float(e, m) => {
                let (eb, sb) = self.arena.float_format(sort)?;
                fix(e, eb);
                fix(m, sb);
            }
            SortPattern::Constructor(head, parts) => {
                let v = self.arena.sort_view(sort);
                if v.head != *head {
                    return None;
                }
                for (p, a) in parts.iter().zip(v.args.to_vec()) {
                    self.bind(p, a, n, s)?;
                }
            }
        }
        Some(())
    }

    fn instance(&mut self, p: &SortPattern, n: &[u32; 8], s: &[Sort; 8]) -> Option<Sort> {
        Some(match p {
            SortPattern::Exact(e) => [Sort::BOOL, Sort::ROUNDING_MODE].contains(e).then_some(*e)?,
            SortPattern::Var(v) => s[*v as usize],
            SortPattern::BitVec(w) => {
                let w = number(w, n).filter(|w| (1..=8).contains(w))?;
                self.arena.bitvec(w)
            }
            SortPattern::Float(e, m) => {
                let format = (number(e, n)?, number(m, n)?);
                FORMATS.contains(&format).then(|| self.arena.float(format.0, format.1))?
            }
            SortPattern::Constructor(head, parts) => {
                let parts: Option<Vec<Sort>> = parts.iter().map(|p| self.instance(p, n, s)).collect();
                let sort = self.arena.sort(*head, &parts?);
                // Only arrays over sorts that the script has, so that it stays small.
                self.sorts.contains(&sort).then_some(sort)?
            }
        })
    }

    fn script(&mut self) -> String {
        self.declare();
        let mut text = self.declarations.clone();
        for _ in 0..1 + self.random.below(4) {
            let depth = 2 + self.random.below(3) as u32;
            let term = self.term(Sort::BOOL, depth);
            text.push_str(&format!("(assert {})\n", self.arena.display_term(term)));
        }
        text
    }
}

fn number(p: &NumberPattern, n: &[u32; 8]) -> Option<u32> {
    Some(match p {
        NumberPattern::Exact(k) => *k,
        NumberPattern::Var(v) => n[*v as usize],
        NumberPattern::Sum(a, b) => number(a, n)? + number(b, n)?,
        NumberPattern::Difference(a, b) => number(a, n)?.checked_sub(number(b, n)?)?,
        NumberPattern::Product(a, b) => number(a, n)? * number(b, n)?,
    })
}

/// A solver in a live session.
struct Live {
    arguments: Vec<&'static str>,
    process: Option<(Child, ChildStdin, BufReader<ChildStdout>)>,
}

impl Live {
    fn new(solver: &str) -> Live {
        let arguments: &[&str] = match solver {
            "z3" => &["z3", "-in", "-t:30000"],
            _ => &["cvc5", "--incremental", "--fp-exp", "--tlimit-per=30000"],
        };
        Live { arguments: arguments.to_vec(), process: None }
    }

    fn ask(&mut self, script: &str) -> String {
        let (_, input, output) = self.process.get_or_insert_with(|| {
            let mut command = Command::new("timeout");
            command.arg("900").args(&self.arguments).stdin(Stdio::piped()).stdout(Stdio::piped());
            let mut child = command.stderr(Stdio::null()).spawn().unwrap();
            let (input, output) = (child.stdin.take().unwrap(), BufReader::new(child.stdout.take().unwrap()));
            (child, input, output)
        });
        let text = format!("(set-logic ALL)\n{script}(check-sat)\n(echo \"done\")\n(reset)\n");
        let sent = input.write_all(text.as_bytes()).and_then(|()| input.flush());
        let mut answer = String::new();
        let mut alive = sent.is_ok();
        while alive {
            let mut line = String::new();
            alive = output.read_line(&mut line).is_ok_and(|n| n > 0);
            if line.contains("done") {
                break;
            }
            answer.push_str(&line);
        }
        if !alive && let Some((mut child, ..)) = self.process.take() {
            let _ = child.kill();
            let _ = child.wait();
        }
        answer.trim().to_owned()
    }
}

/// Puts random formulas to our solver and to `check`, which says what it finds wrong with our answer.
fn answers(mut check: impl FnMut(&str, &str) -> Option<String>) {
    let seed = std::env::var("SMELT_SEED").ok().and_then(|s| s.parse().ok()).unwrap_or(1);
    let mut problems = Vec::new();
    let mut session = Session::new(Settings::default());
    let mut generator = Generator::new(seed);
    for _ in 0..rounds(200, 5_000) {
        let script = generator.script();
        let ours = session_answer(&mut session, &script);
        let problem = match ours.as_str() {
            "sat" | "unsat" => check(&script, &ours),
            _ => Some(format!("undecided: {ours}")),
        };
        problems.extend(problem.map(|p| format!("{p}\n{script}")));
    }
    let first = &problems[..problems.len().min(10)];
    assert!(problems.is_empty(), "{} problems:\n{}", problems.len(), first.join("\n"));
}

#[test]
fn finite_formulas_are_decided() {
    answers(|_, _| None);
}

fn finite_formulas_are_decided_as_solvers_do(solver: &str) {
    let mut live = Live::new(solver);
    let (mut compared, mut others) = (0, std::collections::BTreeMap::<String, u32>::new());
    answers(|script, ours| {
        let theirs = live.ask(script);
        if theirs != "sat" && theirs != "unsat" {
            let line = theirs.lines().next().unwrap_or("died");
            let line = line.rsplit(": ").next().unwrap_or(line);
            *others.entry(line.chars().take(60).collect()).or_default() += 1;
            return None;
        }
        compared += 1;
        (theirs != ours).then(|| format!("smelt {ours}, {solver} {theirs}"))
    });
    println!("{solver}: {compared} answers compared, other answers {others:?}");
    assert!(compared > 0, "{solver} decided nothing: {others:?}");
}

each_solver!(finite_formulas_are_decided_as_solvers_do: z3 "needs z3", cvc5 "needs cvc5");

fn session_answer(session: &mut Session, script: &str) -> String {
    let mut out = Vec::new();
    session.push(format!("(reset)\n{script}(check-sat)\n").as_bytes());
    while session.step(&mut out) == smelt_semantics::solver::Step::Answered {}
    String::from_utf8(out).unwrap().trim().to_owned()
}
