//! Tseitin's transformation: assertions as clauses over literals and new Boolean constants.
//!
//! A script is satisfiable if and only if its clauses are. `let` is removed: its definitions get constants. A
//! quantified formula is an atom.

use std::collections::HashMap;
use std::fmt::Write;

use smelt_smtlib::occurrence::Occurrence;
use smelt_smtlib::script::Command;
use smelt_smtlib::{Arena, Printer, Sort, Symbol, View, sym};

use crate::pool::{Edits, Seed};

/// Scripts with more places than this stay as they are.
const MAX_PLACES: usize = 50_000;

/// The script with its assertions as clauses; `None` for what has none: names in use, too much.
pub(super) fn clauses(arena: &Arena, seed: &Seed) -> Option<Vec<u8>> {
    if seed.places.len() > MAX_PLACES {
        return None;
    }
    let mut prefix = "smelt!c".to_owned();
    while seed.text.windows(prefix.len()).any(|w| w == prefix.as_bytes()) {
        prefix.push('!');
    }
    let mut out = Vec::new();
    let mut transform = Transform {
        arena,
        seed,
        prefix,
        fresh: 0,
        bound: HashMap::new(),
        literals: HashMap::new(),
        declarations: String::new(),
        clauses: String::new(),
    };
    // The places of a command are a run; assertions are found by their roots.
    let mut roots: HashMap<u32, Occurrence> = HashMap::new();
    let mut at = 0;
    while let Some(root) = seed.places.get(at) {
        roots.insert(seed.places.root(root).command, root);
        at = seed.places.inside(root).end;
    }
    for (i, command) in seed.script.commands.iter().enumerate() {
        match command {
            Command::Assert(_) => transform.assert(*roots.get(&(i as u32))?)?,
            Command::CheckSat => {
                out.extend_from_slice(transform.declarations.as_bytes());
                out.extend_from_slice(transform.clauses.as_bytes());
                out.extend_from_slice(b"(check-sat)\n");
            }
            other => {
                Printer::new(arena, &mut out).command(other);
                out.push(b'\n');
            }
        }
    }
    Some(out)
}

struct Transform<'a> {
    arena: &'a Arena,
    seed: &'a Seed,
    prefix: String,
    fresh: usize,
    /// What variables of `let` became: a literal, or a constant.
    bound: HashMap<Symbol, Vec<String>>,
    /// The literal that each place became, until it is used.
    literals: HashMap<u32, String>,
    declarations: String,
    clauses: String,
}

enum Task {
    Visit(Occurrence),
    /// All parts have their literals.
    Combine(Occurrence),
    /// All definitions of a `let` are done: bind them, and continue with the body.
    Bind(Occurrence),
    /// The body of a `let` is done.
    Unbind(Occurrence),
}

/// How a Boolean term is put together.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Join {
    Not,
    And,
    Or,
    Implies,
    Xor,
    Equal,
    Ite,
    Atom,
}

impl Transform<'_> {
    fn assert(&mut self, root: Occurrence) -> Option<()> {
        let mut work = vec![Task::Visit(root)];
        while let Some(task) = work.pop() {
            match task {
                Task::Visit(place) => self.visit(place, &mut work)?,
                Task::Combine(place) => self.combine(place)?,
                Task::Bind(place) => self.bind(place, &mut work)?,
                Task::Unbind(place) => {
                    let View::Let(v) = self.arena.view(self.seed.places.term(place)) else { return None };
                    for (name, _) in v.bindings() {
                        self.bound.get_mut(&name)?.pop();
                    }
                    let body = *self.children(place).last()?;
                    let literal = self.literals.remove(&(body.index() as u32))?;
                    self.literals.insert(place.index() as u32, literal);
                }
            }
        }
        let literal = self.literals.remove(&(root.index() as u32))?;
        self.clause(&[&literal]);
        Some(())
    }

    fn children(&self, place: Occurrence) -> Vec<Occurrence> {
        crate::rules::child_places(&self.seed.places, place)
    }

    fn join(&self, place: Occurrence) -> Join {
        let term = self.seed.places.term(place);
        let View::App(fun, args) = self.arena.view(term) else { return Join::Atom };
        let f = self.arena.fun_view(fun);
        if f.op.is_none() || args.is_empty() {
            return Join::Atom;
        }
        let formulas = args.iter().all(|&a| self.arena.sort_of(a) == Sort::BOOL);
        match f.name {
            _ if !formulas => Join::Atom,
            sym::NOT => Join::Not,
            sym::AND => Join::And,
            sym::OR => Join::Or,
            sym::IMPLIES => Join::Implies,
            sym::EQUAL if args.len() == 2 => Join::Equal,
            sym::ITE => Join::Ite,
            _ if self.arena.text(f.name) == b"xor" && args.len() == 2 => Join::Xor,
            _ => Join::Atom,
        }
    }

    fn visit(&mut self, place: Occurrence, work: &mut Vec<Task>) -> Option<()> {
        match self.arena.view(self.seed.places.term(place)) {
            View::Let(v) => {
                let children = self.children(place);
                work.push(Task::Bind(place));
                let formulas = children.iter().zip(v.bindings());
                work.extend(
                    formulas
                        .filter(|(_, b)| self.arena.sort_of(b.1) == Sort::BOOL)
                        .map(|(&c, _)| Task::Visit(c)),
                );
            }
            View::Annotated(v) => {
                // A name may be asked for, or used; other annotations say nothing.
                if v.names().any(|n| self.is_used(n)) {
                    return None;
                }
                work.push(Task::Combine(place));
                work.extend(self.children(place).into_iter().map(Task::Visit));
            }
            _ if self.join(place) == Join::Atom => {
                let text = self.text(place)?;
                self.literals.insert(place.index() as u32, text);
            }
            _ => {
                work.push(Task::Combine(place));
                work.extend(self.children(place).into_iter().map(Task::Visit));
            }
        }
        Some(())
    }

    fn bind(&mut self, place: Occurrence, work: &mut Vec<Task>) -> Option<()> {
        let View::Let(v) = self.arena.view(self.seed.places.term(place)) else { return None };
        let children = self.children(place);
        let mut texts = Vec::new();
        for ((_, term), &child) in v.bindings().zip(&children) {
            let sort = self.arena.sort_of(term);
            let text = match self.literals.remove(&(child.index() as u32)) {
                Some(literal) if self.is_closed(&literal) => literal,
                // Below other binders its names could mean something else; and copies of copies grow without bound.
                Some(literal) => self.define(&[&literal]),
                // Solvers have no constants of languages, but names for them.
                None if sort == Sort::REGLAN => {
                    let definition = self.text(child)?;
                    let name = format!("{}{}", self.prefix, self.fresh);
                    self.fresh += 1;
                    let _ = writeln!(self.declarations, "(define-fun {name} () RegLan {definition})");
                    name
                }
                None => {
                    let definition = self.text(child)?;
                    let name = self.declare(&self.arena.display_sort(sort));
                    self.clause(&[&format!("(= {name} {definition})")]);
                    name
                }
            };
            texts.push(text);
        }
        for ((name, _), text) in v.bindings().zip(texts) {
            self.bound.entry(name).or_default().push(text);
        }
        work.push(Task::Unbind(place));
        work.push(Task::Visit(*children.last()?));
        Some(())
    }

    fn combine(&mut self, place: Occurrence) -> Option<()> {
        let mut parts = Vec::new();
        for child in self.children(place) {
            parts.push(self.literals.remove(&(child.index() as u32))?);
        }
        let join = self.join(place);
        let literal = match join {
            Join::Atom => parts.pop()?, // an annotation
            Join::Not => negate(&parts[0]),
            Join::Or => self.disjunction(parts),
            Join::And => negate(&self.disjunction(parts.iter().map(|p| negate(p)).collect())),
            Join::Implies => {
                let last = parts.pop()?;
                let parts = parts.iter().map(|p| negate(p)).chain([last]).collect();
                self.disjunction(parts)
            }
            Join::Xor | Join::Equal => {
                let name = self.declare("Bool");
                let (a, mut b) = (&parts[0], parts[1].clone());
                if join == Join::Xor {
                    b = negate(&b);
                }
                let (no, no_a, no_b) = (negate(&name), negate(a), negate(&b));
                self.clause(&[&no, &no_a, &b]);
                self.clause(&[&no, a, &no_b]);
                self.clause(&[&name, a, &b]);
                self.clause(&[&name, &no_a, &no_b]);
                name
            }
            Join::Ite => {
                let name = self.declare("Bool");
                let [c, a, b] = &parts[..] else { return None };
                let (no, no_c) = (negate(&name), negate(c));
                self.clause(&[&no, &no_c, a]);
                self.clause(&[&no, c, b]);
                self.clause(&[&name, &no_c, &negate(a)]);
                self.clause(&[&name, c, &negate(b)]);
                name
            }
        };
        self.literals.insert(place.index() as u32, literal);
        Some(())
    }

    /// A literal that is true exactly if one of these is.
    fn disjunction(&mut self, parts: Vec<String>) -> String {
        if let [only] = &parts[..] {
            return only.clone();
        }
        self.define(&parts.iter().map(|p| &**p).collect::<Vec<_>>())
    }

    /// A new constant that is true exactly if one of the literals is.
    fn define(&mut self, parts: &[&str]) -> String {
        let name = self.declare("Bool");
        let no = negate(&name);
        let all: Vec<&str> = std::iter::once(&*no).chain(parts.iter().copied()).collect();
        self.clause(&all);
        for part in parts {
            self.clause(&[&name, &negate(part)]);
        }
        name
    }

    /// Whether a literal means the same below any binder: its only name is one of ours, which no binder has.
    fn is_closed(&self, literal: &str) -> bool {
        let atom = literal.strip_prefix("(not ").unwrap_or(literal);
        atom.starts_with(&self.prefix) || matches!(atom.trim_end_matches(')'), "true" | "false")
    }

    fn declare(&mut self, sort: &str) -> String {
        let name = format!("{}{}", self.prefix, self.fresh);
        self.fresh += 1;
        let _ = writeln!(self.declarations, "(declare-fun {name} () {sort})");
        name
    }

    fn clause(&mut self, literals: &[&str]) {
        let _ = match literals {
            [only] => writeln!(self.clauses, "(assert {only})"),
            _ => writeln!(self.clauses, "(assert (or {}))", literals.join(" ")),
        };
    }

    fn is_used(&self, name: Symbol) -> bool {
        let places = &self.seed.places;
        places.all().any(|p| match self.arena.view(places.term(p)) {
            View::App(fun, []) => {
                let f = self.arena.fun_view(fun);
                f.op.is_none() && f.name == name
            }
            _ => false,
        })
    }

    /// The text of a term, with what the variables of `let` around it became.
    fn text(&self, place: Occurrence) -> Option<String> {
        let (seed, arena) = (self.seed, self.arena);
        let span = &seed.spans[place.index()];
        let mut edits = Edits::default();
        for i in seed.places.inside(place) {
            let at = seed.places.get(i)?;
            let View::Var(name) = arena.view(seed.places.term(at)) else { continue };
            if self.is_bound_inside(place, at, name) {
                continue;
            }
            let text = self.bound.get(&name).and_then(|b| b.last())?;
            let start = edits.new.len();
            edits.new.extend_from_slice(text.as_bytes());
            let var = &seed.spans[i];
            edits.push(var.start..var.end, start);
        }
        let mut out = Vec::new();
        edits.apply(&seed.text, span.start..span.end, &mut out);
        String::from_utf8(out).ok()
    }

    /// Whether something between an atom and a variable in it binds the variable.
    fn is_bound_inside(&self, atom: Occurrence, var: Occurrence, name: Symbol) -> bool {
        let places = &self.seed.places;
        let mut at = var;
        while at != atom {
            let Some((parent, child)) = places.parent(at) else { return false };
            let binds = match self.arena.view(places.term(parent)) {
                View::Let(v) => child == v.bindings().len() && v.bindings().any(|b| b.0 == name),
                View::Binder(v) => v.vars().any(|b| b.0 == name),
                View::Match(v) => {
                    child > 0 && v.cases().nth(child - 1).is_some_and(|c| c.0.vars().any(|b| b.0 == name))
                }
                _ => false,
            };
            if binds {
                return true;
            }
            at = parent;
        }
        false
    }
}

fn negate(literal: &str) -> String {
    match literal.strip_prefix("(not ").and_then(|l| l.strip_suffix(')')) {
        Some(atom) => atom.to_owned(),
        None => format!("(not {literal})"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Pool;
    use smelt_semantics::goal::Goal;
    use smelt_semantics::solver;

    fn cnf(text: &str) -> Option<String> {
        let mut pool = Pool::new();
        let id = pool.add("t", text.as_bytes(), None).unwrap();
        clauses(pool.arena(), pool.seed(id)).map(|t| String::from_utf8(t).unwrap())
    }

    #[test]
    fn definitions_and_nested_connectives_become_clauses() {
        let text = cnf("(declare-const p Bool)(declare-const x Int)
(assert (let ((y (+ x 1)) (q (not p))) (and q (let ((y (* y 2))) (> y (let ((x 5)) (+ x y)))))))(check-sat)")
        .unwrap();
        assert!(text.contains("(assert (= smelt!c0 (+ x 1)))"), "{text}");
        assert!(text.contains("(assert (or (not smelt!c1) (not p)))"), "{text}");
        assert!(text.contains("(assert (= smelt!c2 (* smelt!c0 2)))"), "{text}");
        assert!(text.contains("(> smelt!c2 (let ((x 5)) (+ x smelt!c2)))"), "{text}");
        assert!(!text.contains("(and "), "{text}");
    }

    /// Every formula over three atoms and few connectives: the same answer as its clauses, for every assignment.
    #[test]
    fn clauses_have_the_same_answer() {
        let atoms = ["p", "(not q)", "r"];
        let mut formulas: Vec<String> = atoms.map(str::to_owned).to_vec();
        for a in ["p", "(xor q p)", "(let ((s (and p q))) (=> s r))"] {
            for b in ["q", "(ite p q r)", "(not (= p r))"] {
                for f in ["and", "or", "=>", "xor", "="] {
                    formulas.push(format!("({f} {a} {b})"));
                    formulas.push(format!("(not ({f} {a} {b} ))"));
                }
                formulas.push(format!("(ite r {a} {b})"));
                formulas.push(format!("(and {a} {b} (or r {a} q))"));
                formulas.push(format!("(=> {a} {b} r)"));
            }
        }
        for f in formulas {
            for k in 0..8 {
                let value = |i: usize| if k >> i & 1 == 1 { "" } else { "not " };
                let fixed: String = ["p", "q", "r"]
                    .iter()
                    .enumerate()
                    .map(|(i, v)| {
                        if value(i).is_empty() {
                            format!("(assert {v})")
                        } else {
                            format!("(assert (not {v}))")
                        }
                    })
                    .collect();
                let text = format!(
                    "(declare-const p Bool)(declare-const q Bool)(declare-const r Bool){fixed}(assert {f})(check-sat)"
                );
                assert_eq!(verdict(&cnf(&text).unwrap()), verdict(&text), "{text}");
            }
        }
    }

    /// A definition keeps its meaning below binders that have the names in it.
    #[test]
    fn definitions_are_not_captured() {
        let head = "(declare-const x Int)(declare-const p Bool)(assert (= x 5))(assert p)";
        for (assertion, status) in [
            ("(let ((y (> x 0))) (forall ((x Int)) (or y (< x 0) (> x 3))))", "sat"),
            ("(let ((y (< x 0))) (= (let ((x (- 1))) (ite y x 0)) 0))", "sat"),
            ("(let ((y p)) (exists ((p Bool)) (and (not y) p)))", "unsat"),
            ("(let ((y (not p))) (exists ((p Bool)) (= p (ite y p (not p)))))", "unsat"),
        ] {
            let text = format!("{head}(assert {assertion})(check-sat)");
            let clauses = cnf(&text).unwrap();
            assert_eq!((verdict(&text), verdict(&clauses)), (status, status), "{text}\n{clauses}");
        }
    }

    fn verdict(text: &str) -> &'static str {
        let mut arena = Arena::new();
        let parsed = smelt_smtlib::parse_script(&mut arena, text.as_bytes()).unwrap();
        assert_eq!(parsed.diagnostics, [], "{text}");
        let answer = solver::solve(&mut arena, &Goal::last(&parsed.script), solver::Limits::default());
        assert_ne!(answer.as_str(), "unknown", "{text}");
        answer.as_str()
    }
}
