//! Discovers new rules of a theory, by trying pairs of small atoms.
//!
//! All atoms of a grammar ([`grammar`]) are evaluated on many assignments. An atom that is true on a subset of
//! another atom's assignments may imply it. Atoms over terms with a shorter equivalent are skipped. Pairs are tried
//! from small to large: a pair is dropped if it follows from known rules by instances and transitivity ([`graph`]),
//! or if evaluation refutes it. The remaining pairs are kept if a prover proves them.

mod grammar;
mod graph;

use std::collections::{HashMap, HashSet};
use std::time::{Duration, Instant};

use smelt_semantics::Value;
use smelt_semantics::eval::{Interpretation, Meaning};
use smelt_smtlib::sexpr::Sexpr;
use smelt_smtlib::{Sort, Symbol, Term, View};

use super::{BUILTIN, Effort, Rule, RuleSet};
use crate::rng::Rng;
use crate::template::{Env, plain};
use crate::workbench::Workbench;
use grammar::{Atom, Piece, Theory};
use graph::Graph;

/// What is asked for.
#[derive(Clone, Copy, Debug)]
pub struct Search {
    /// No longer than this.
    pub time: Duration,
    /// No more rules than this.
    pub count: usize,
}

/// A rule that was found.
#[derive(Clone, Debug)]
pub struct Discovered {
    /// As an entry of a rule file.
    pub text: String,
    /// In one line.
    pub statement: String,
}

/// Proves that scripts are unsatisfiable.
pub trait Prover {
    /// For each script: whether it is proved beyond doubt.
    fn prove(&mut self, scripts: &[String]) -> Result<Vec<bool>, String>;
}

/// The theories that there is a grammar for.
pub const THEORIES: [&str; 4] = ["strings", "bitvectors", "arithmetic", "floats"];

/// Assignments in the first matrix.
const SAMPLES: usize = 2048;
/// Candidates that are proved together.
const BATCH: usize = 8;

/// Looks for rules of a theory; calls `found` for each.
pub fn discover(
    theory: &str,
    search: Search,
    prover: &mut dyn Prover,
    mut found: impl FnMut(&Discovered),
) -> Result<usize, String> {
    let start = Instant::now();
    let theory = grammar::theory(theory)
        .ok_or_else(|| format!("no theory `{theory}`: choose one of {}", THEORIES.join(", ")))?;
    let mut table = Table::new(&theory)?;
    let mut graph = Graph::new(&table.bench.arena, &table.atoms);
    for (_, text) in BUILTIN {
        let set = RuleSet::unchecked(text).map_err(|e| e.to_string())?;
        set.rules().iter().for_each(|rule| graph.learn(&mut table.bench, &theory, rule));
    }
    let candidates = table.candidates();
    let mut next = candidates.into_iter();
    let mut kept = 0;
    while kept < search.count && start.elapsed() < search.time {
        let mut batch: Vec<(Candidate, Rule)> = Vec::new();
        for candidate in next.by_ref() {
            if start.elapsed() >= search.time {
                break;
            }
            if graph.implies(&table.atoms, candidate.strong, candidate.weak)
                && (!candidate.equal || graph.implies(&table.atoms, candidate.weak, candidate.strong))
            {
                continue;
            }
            if table.is_substitution(candidate) {
                graph.connect(candidate.strong, candidate.weak);
                continue;
            }
            let text = table.rule(&theory, candidate, 0);
            let Ok(set) = RuleSet::unchecked(text.as_bytes()) else { continue };
            let rule = set.rules()[0].clone();
            // The same up to the names of variables.
            if batch
                .iter()
                .any(|(c, ..)| graph.is_renamed(&mut table.bench.arena, &table.atoms, *c, candidate))
            {
                continue;
            }
            if rule.check(Effort::LOAD).is_ok() {
                batch.push((candidate, rule));
            }
            if batch.len() == BATCH {
                break;
            }
        }
        if batch.is_empty() {
            break;
        }
        let scripts: Vec<Vec<String>> =
            batch.iter().map(|(_, rule)| rule.obligations().into_iter().map(|o| o.1).collect()).collect();
        let all: Vec<String> = scripts.iter().flatten().cloned().collect();
        let proved = prover.prove(&all)?;
        let mut at = 0;
        for ((candidate, rule), scripts) in batch.into_iter().zip(scripts) {
            let holds = proved[at..at + scripts.len()].iter().all(|p| *p);
            at += scripts.len();
            // An earlier rule of the batch may say it all.
            let known = graph.implies(&table.atoms, candidate.strong, candidate.weak)
                && (!candidate.equal || graph.implies(&table.atoms, candidate.weak, candidate.strong));
            if !holds || known || kept >= search.count {
                continue;
            }
            graph.add(&mut table.bench.arena, &table.atoms, &table.terms, candidate);
            kept += 1;
            let text = table.rule(&theory, candidate, kept);
            found(&Discovered { text, statement: rule.statement() });
        }
    }
    Ok(kept)
}

/// Two atoms, by position, of which the first may imply the second.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Candidate {
    pub(crate) strong: usize,
    pub(crate) weak: usize,
    /// Whether the second may imply the first too.
    pub(crate) equal: bool,
}

/// All atoms of a theory with their truth values.
struct Table {
    bench: Workbench,
    atoms: Vec<Atom>,
    /// Terms that variables may stand for, by sort.
    terms: Vec<(Sort, Term)>,
    samples: Vec<Interpretation>,
}

impl Table {
    fn new(theory: &Theory) -> Result<Table, String> {
        let bench = Workbench::new(&theory.declarations())?;
        let mut table = Table { bench, atoms: Vec::new(), terms: Vec::new(), samples: Vec::new() };
        table.sample(theory)?;
        let pieces = grammar::pieces(theory, &mut table.bench)?;
        // Of terms with the same value everywhere, the smallest will do.
        let mut seen = HashSet::new();
        let distinct = |p: &&(Piece, Term)| seen.insert(table.signature(p.1));
        let pieces: Vec<&(Piece, Term)> = pieces.iter().filter(distinct).collect();
        table.terms = pieces.iter().map(|p| (table.bench.arena.sort_of(p.1), p.1)).collect();
        let pieces: Vec<Piece> = pieces.iter().map(|p| p.0.clone()).collect();
        table.atoms = grammar::atoms(theory, &mut table.bench, &pieces)?;
        table.evaluate();
        Ok(table)
    }

    /// Draws the assignments.
    fn sample(&mut self, theory: &Theory) -> Result<(), String> {
        let mut variables: Vec<(Symbol, Vec<Meaning>)> = Vec::new();
        for (name, sort) in &theory.vars {
            let samples = self.bench.samples(&theory.fill(sort), 2)?;
            let symbol = self.bench.arena.symbol(name.as_bytes());
            variables.push((symbol, samples.into_iter().map(Meaning::Value).collect()));
        }
        let mut rng = Rng::new(0xd15c);
        for k in 0..SAMPLES {
            let mut interpretation = self.bench.base.clone();
            let mut last = 0;
            for (i, (name, meanings)) in variables.iter().enumerate() {
                // Equal values are a corner of their own.
                let same = i > 0 && k % 5 == 0 && rng.one_in(2);
                let at = if same { last } else { rng.below(meanings.len()) };
                last = at.min(meanings.len() - 1);
                interpretation.assign(*name, meanings[last].clone());
            }
            self.samples.push(interpretation);
        }
        Ok(())
    }

    /// The values of a term on some assignments; by itself where one is open.
    fn signature(&self, term: Term) -> Result<Vec<Value>, Term> {
        let value = |i: &Interpretation| self.bench.evaluator(i).eval(term);
        self.samples.iter().step_by(4).map(value).collect::<Result<_, _>>().map_err(|_| term)
    }

    /// Fills in the truth values; what has none, or always the same, goes away.
    fn evaluate(&mut self) {
        let mut bits = vec![[0u64; SAMPLES / 64]; self.atoms.len()];
        let mut broken = vec![false; self.atoms.len()];
        for (k, interpretation) in self.samples.iter().enumerate() {
            let mut evaluator = self.bench.evaluator(interpretation);
            for (i, atom) in self.atoms.iter().enumerate() {
                if broken[i] {
                    continue;
                }
                match evaluator.holds(atom.term) {
                    Ok(true) => bits[i][k / 64] |= 1 << (k % 64),
                    Ok(false) => {}
                    // An open result may be anything: such atoms are left alone.
                    Err(_) => broken[i] = true,
                }
            }
        }
        let all = std::mem::take(&mut self.atoms);
        for ((mut atom, bits), broken) in all.into_iter().zip(bits).zip(broken) {
            let ones: u32 = bits.iter().map(|w| w.count_ones()).sum();
            if broken || ones == 0 || ones as usize == SAMPLES {
                continue;
            }
            atom.bits = bits.into();
            self.atoms.push(atom);
        }
    }

    /// Whether a candidate is but the law of equal things: with `x` for `y`, the other side says nothing.
    fn is_substitution(&mut self, candidate: Candidate) -> bool {
        let (strong, weak) = (self.atoms[candidate.strong].term, self.atoms[candidate.weak].term);
        let mark = self.bench.arena.checkpoint();
        let found = [(strong, weak, b"=".as_slice(), true), (weak, strong, b"distinct", false)]
            .into_iter()
            .any(|(law, other, name, truth)| {
                let View::App(fun, &[a, b]) = self.bench.arena.view(law) else { return false };
                let head = self.bench.arena.fun_view(fun).name;
                if self.bench.arena.text(head) != name {
                    return false;
                }
                [(a, b), (b, a)].into_iter().any(|(from, to)| {
                    let leaf =
                        self.bench.arena.children(from).is_empty() && self.bench.arena.op(from).is_none();
                    if !leaf || self.bench.arena.subterms([to]).any(|t| t == from) {
                        return false;
                    }
                    let term = graph::substitute(&mut self.bench.arena, other, &HashMap::from([(from, to)]));
                    let holds = |i: &Interpretation| self.bench.evaluator(i).holds(term);
                    self.samples.iter().step_by(16).all(|i| holds(i) == Ok(truth))
                })
            });
        self.bench.arena.rollback(mark);
        found && !candidate.equal
    }

    /// Pairs that may be rules, small ones first.
    fn candidates(&self) -> Vec<Candidate> {
        let size = |i: usize| self.atoms[i].size;
        // Atoms with the same values: the smallest stands for all.
        let mut order: Vec<usize> = (0..self.atoms.len()).collect();
        order.sort_by(|&a, &b| (&self.atoms[a].bits, size(a), a).cmp(&(&self.atoms[b].bits, size(b), b)));
        let mut firsts: Vec<usize> = Vec::new();
        let mut found: Vec<(u32, Candidate)> = Vec::new();
        for group in order.chunk_by(|&a, &b| self.atoms[a].bits == self.atoms[b].bits) {
            let first = group[0];
            firsts.push(first);
            for &other in &group[1..] {
                if self.is_plain(first, other) {
                    found.push((
                        size(first) + size(other),
                        Candidate { strong: first, weak: other, equal: true },
                    ));
                }
            }
        }
        for &strong in &firsts {
            for &weak in &firsts {
                if strong != weak
                    && self.is_plain(strong, weak)
                    && self.atoms[strong].is_within(&self.atoms[weak])
                {
                    found.push((size(strong) + size(weak), Candidate { strong, weak, equal: false }));
                }
            }
        }
        found.sort_by_key(|(size, c)| (*size, c.strong, c.weak));
        found.into_iter().map(|f| f.1).collect()
    }

    /// Whether one of the two has all variables of the other.
    fn is_plain(&self, a: usize, b: usize) -> bool {
        let (a, b) = (self.atoms[a].vars, self.atoms[b].vars);
        a & b == a || a & b == b
    }

    /// A candidate as an entry of a rule file.
    fn rule(&self, theory: &Theory, candidate: Candidate, number: usize) -> String {
        let (strong, weak) = (&self.atoms[candidate.strong], &self.atoms[candidate.weak]);
        let used = strong.vars | weak.vars;
        let vars: Vec<String> = theory
            .vars
            .iter()
            .enumerate()
            .filter(|(i, _)| used >> i & 1 == 1)
            .map(|(_, (name, sort))| format!("(var {name} {})", plain(sort)))
            .collect();
        let word = if candidate.equal { "equal" } else { "weaker" };
        format!(
            "(rule found-{}-{number} (theory {}) {}\n  (from {}) ({word} {}))\n",
            theory.name,
            theory.name,
            vars.join(" "),
            strong.text,
            weak.text
        )
    }
}

/// An s-expression with numbers filled in.
fn filled(env: &Env, s: &Sexpr) -> String {
    env.text(s).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Accepts every rule: rules then passed evaluation only.
    struct Trusting;

    impl Prover for Trusting {
        fn prove(&mut self, scripts: &[String]) -> Result<Vec<bool>, String> {
            Ok(vec![true; scripts.len()])
        }
    }

    #[test]
    fn what_is_found_can_be_used_and_is_not_known_already() {
        let search = Search { time: Duration::from_secs(60), count: 12 };
        let mut text = String::new();
        let n = discover("arithmetic", search, &mut Trusting, |d| text.push_str(&d.text)).unwrap();
        assert_eq!(n, 12);
        let set = RuleSet::read(text.as_bytes(), Effort::LOAD).unwrap();
        let known: Vec<String> = BUILTIN
            .iter()
            .flat_map(|b| {
                RuleSet::unchecked(b.1).unwrap().rules().iter().map(Rule::statement).collect::<Vec<_>>()
            })
            .collect();
        assert!(set.rules().iter().all(|r| !known.contains(&r.statement())), "{text}");
        assert!(!text.contains("(from (< x y)) (weaker (<= x y))"), "{text}");
    }
}
