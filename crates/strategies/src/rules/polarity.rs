//! Polarity: whether a formula gets weaker or stronger if a part of it does.
//!
//! It is computed for every place of a script. A `let` passes the polarity of its variable's uses to the
//! definition; a `define-fun` passes the polarity of its calls to its body, and the polarity of its parameters to
//! the arguments. A part must not be changed if both directions meet (`xor`, `=`, the condition of `ite`, arguments
//! of functions, a name or macro used both ways), or if nothing is known (recursive functions).
//!
//! A regular expression in a membership has a polarity too: a formula gets weaker if a language gets larger.

use std::collections::{HashMap, HashSet};

use smelt_smtlib::abandon::tick;
use smelt_smtlib::occurrence::{Occurrence, Occurrences};
use smelt_smtlib::script::{Command, Script};
use smelt_smtlib::{Arena, Op, Sort, Symbol, View, sym};

/// How the formula follows a place: up, down, both (not here), or not at all.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) struct Polarity(u8);

impl Polarity {
    pub(crate) const POSITIVE: Polarity = Polarity(1);
    pub(crate) const NEGATIVE: Polarity = Polarity(2);
    const BOTH: Polarity = Polarity(3);
    const UNUSED: Polarity = Polarity(0);

    fn flip(self) -> Polarity {
        Polarity((self.0 & 1) << 1 | self.0 >> 1)
    }

    fn join(self, other: Polarity) -> Polarity {
        Polarity(self.0 | other.0)
    }

    /// Of a place inside something of this polarity.
    fn around(self, inner: Polarity) -> Polarity {
        match inner {
            Polarity::POSITIVE => self,
            Polarity::NEGATIVE => self.flip(),
            Polarity::UNUSED => Polarity::UNUSED,
            _ if self == Polarity::UNUSED => Polarity::UNUSED,
            _ => Polarity::BOTH,
        }
    }
}

/// The polarity of every place; only that of formulas and regular expressions means anything.
pub(crate) fn polarities(arena: &Arena, script: &Script, places: &Occurrences) -> Vec<Polarity> {
    let mut walk = Walk {
        arena,
        places,
        found: vec![Polarity::UNUSED; places.len()],
        uses: Vec::new(),
        bound: HashMap::new(),
        names_used: names_used(arena, places),
        macros: HashMap::new(),
        calls: Vec::new(),
    };
    let defined_once = defined_once(script);
    // In the order of the script, as if every body stood positively: a callee comes before its calls.
    let mut ranges: Vec<(usize, std::ops::Range<usize>)> = Vec::new();
    let mut at = 0;
    while let Some(root) = places.get(at) {
        let range = places.inside(root);
        let command = places.root(root).command as usize;
        let start = match &script.commands[command] {
            Command::DefineFun(h, body) if defined_once.contains(&h.name) => {
                let params: Vec<Symbol> = h.params.iter().map(|p| p.0).collect();
                let formula = arena.sort_of(*body) == Sort::BOOL;
                let start = if formula { Polarity::POSITIVE } else { Polarity::BOTH };
                let of_params = walk.root(root, start, &params);
                walk.macros.insert(h.name, of_params);
                None
            }
            Command::DefineConst(name, sort, _) if defined_once.contains(name) => {
                let formula = arena.canonical(*sort) == Sort::BOOL;
                Some(if formula { Polarity::POSITIVE } else { Polarity::BOTH })
            }
            Command::Assert(_) | Command::CheckSatAssuming(_) => Some(Polarity::POSITIVE),
            _ => Some(Polarity::BOTH),
        };
        if let Some(start) = start {
            walk.root(root, start, &[]);
        }
        at = range.end;
        ranges.push((command, range));
    }
    // Backwards: what a definition is called with decides what its body counts for.
    let Walk { mut found, calls, .. } = walk;
    let mut by_callee: HashMap<Symbol, Vec<Occurrence>> = HashMap::new();
    for (callee, place) in calls {
        by_callee.entry(callee).or_default().push(place);
    }
    for (command, range) in ranges.into_iter().rev() {
        let name = match &script.commands[command] {
            Command::DefineFun(h, _) if defined_once.contains(&h.name) => h.name,
            Command::DefineConst(name, ..) if defined_once.contains(name) => *name,
            _ => continue,
        };
        let uses = by_callee.get(&name).into_iter().flatten();
        let used = uses.fold(Polarity::UNUSED, |p, place| p.join(found[place.index()]));
        for p in &mut found[range] {
            *p = used.around(*p);
        }
    }
    found
}

/// Names that exactly one plain definition gives.
fn defined_once(script: &Script) -> HashSet<Symbol> {
    let mut count: HashMap<Symbol, u32> = HashMap::new();
    for command in &script.commands {
        // What is declared, or defined by recursion, counts as more than one definition.
        let one = matches!(command, Command::DefineFun(..) | Command::DefineConst(..));
        for name in command.declared() {
            *count.entry(name).or_default() += if one { 1 } else { 2 };
        }
    }
    count.into_iter().filter(|c| c.1 == 1).map(|c| c.0).collect()
}

/// Names given with `:named` that stand somewhere as a term.
fn names_used(arena: &Arena, places: &Occurrences) -> HashSet<Symbol> {
    let mut given = HashSet::new();
    let mut used = HashSet::new();
    for place in places.all() {
        match arena.view(places.term(place)) {
            View::Annotated(v) => given.extend(v.names()),
            View::App(fun, []) => {
                let f = arena.fun_view(fun);
                if f.op.is_none() {
                    used.insert(f.name);
                }
            }
            _ => {}
        }
    }
    given.intersection(&used).copied().collect()
}

struct Walk<'a> {
    arena: &'a Arena,
    places: &'a Occurrences,
    found: Vec<Polarity>,
    /// How each bound variable is used, by a number of its own.
    uses: Vec<Polarity>,
    /// The variables that a name refers to, innermost last.
    bound: HashMap<Symbol, Vec<usize>>,
    names_used: HashSet<Symbol>,
    /// Definitions: the polarity of each parameter in the body.
    macros: HashMap<Symbol, Vec<Polarity>>,
    calls: Vec<(Symbol, Occurrence)>,
}

enum Task {
    Visit(Occurrence, Polarity),
    Enter(Vec<Symbol>),
    Leave(Vec<Symbol>),
    /// A definition of a `let`, and the number of its variable.
    Definition(Occurrence, usize),
}

impl Walk<'_> {
    /// Walks one term of the script; how its parameters are used.
    fn root(&mut self, root: Occurrence, polarity: Polarity, params: &[Symbol]) -> Vec<Polarity> {
        let first = self.enter(params);
        let mut work = vec![Task::Visit(root, polarity)];
        while let Some(task) = work.pop() {
            match task {
                Task::Visit(place, polarity) => self.visit(place, polarity, &mut work),
                Task::Definition(place, variable) => self.visit(place, self.uses[variable], &mut work),
                Task::Enter(names) => drop(self.enter(&names)),
                Task::Leave(names) => self.leave(&names),
            }
        }
        self.leave(params);
        self.uses[first..first + params.len()].to_vec()
    }

    /// Binds names; the number of the first.
    fn enter(&mut self, names: &[Symbol]) -> usize {
        let first = self.uses.len();
        for (i, &name) in names.iter().enumerate() {
            self.bound.entry(name).or_default().push(first + i);
            self.uses.push(Polarity::UNUSED);
        }
        first
    }

    fn leave(&mut self, names: &[Symbol]) {
        for name in names {
            self.bound.get_mut(name).map(Vec::pop);
        }
    }

    fn visit(&mut self, place: Occurrence, polarity: Polarity, work: &mut Vec<Task>) {
        tick();
        let (arena, places) = (self.arena, self.places);
        let term = places.term(place);
        let formula = arena.sort_of(term) == Sort::BOOL;
        let language = arena.sort_of(term) == Sort::REGLAN;
        let polarity = if formula || language { polarity } else { polarity.around(Polarity::BOTH) };
        self.found[place.index()] = polarity;
        let inside = polarity.around(Polarity::BOTH);
        match arena.view(term) {
            View::Var(name) => {
                if let Some(&variable) = self.bound.get(&name).and_then(|b| b.last()) {
                    self.uses[variable] = self.uses[variable].join(polarity);
                }
            }
            View::Literal(..) => {}
            View::Let(v) => {
                let names: Vec<Symbol> = v.bindings().map(|b| b.0).collect();
                let all = child_places(places, place);
                let first = self.enter(&names);
                let (body, definitions) = all.split_last().expect("a let has a body");
                work.extend(definitions.iter().enumerate().map(|(i, &d)| Task::Definition(d, first + i)));
                work.push(Task::Leave(names));
                work.push(Task::Visit(*body, polarity));
            }
            View::Binder(v) => {
                let quantifier = matches!(v.name, sym::FORALL | sym::EXISTS);
                let names: Vec<Symbol> = v.vars().map(|b| b.0).collect();
                self.enter(&names);
                work.push(Task::Leave(names));
                for body in child_places(places, place) {
                    work.push(Task::Visit(body, if quantifier { polarity } else { inside }));
                }
            }
            View::Match(v) => {
                let all = child_places(places, place);
                work.push(Task::Visit(all[0], inside));
                for (&body, (pattern, _)) in all[1..].iter().zip(v.cases()) {
                    let names: Vec<Symbol> = pattern.vars().map(|b| b.0).collect();
                    work.push(Task::Leave(names.clone()));
                    work.push(Task::Visit(body, polarity));
                    work.push(Task::Enter(names));
                }
            }
            View::Annotated(v) => {
                let free = !v.names().any(|n| self.names_used.contains(&n));
                for part in child_places(places, place) {
                    work.push(Task::Visit(part, if free { polarity } else { inside }));
                }
            }
            View::Apply(_) => {
                work.extend(child_places(places, place).into_iter().map(|c| Task::Visit(c, inside)));
            }
            View::App(fun, _) => {
                let f = arena.fun_view(fun);
                let all = child_places(places, place);
                let last = all.len().wrapping_sub(1);
                if f.op.is_none() {
                    self.calls.push((f.name, place));
                }
                let macro_ = if f.op.is_none() { self.macros.get(&f.name) } else { None };
                for (i, &child) in all.iter().enumerate() {
                    let inner = match (f.op.is_some(), f.name) {
                        (true, sym::NOT) => Polarity::NEGATIVE,
                        (true, sym::AND | sym::OR) => Polarity::POSITIVE,
                        (true, sym::IMPLIES) if i == last => Polarity::POSITIVE,
                        (true, sym::IMPLIES) => Polarity::NEGATIVE,
                        (true, sym::ITE) if i > 0 && (formula || language) => Polarity::POSITIVE,
                        (true, _) => f.op.map_or(Polarity::BOTH, |op| in_language(arena, op, i)),
                        (false, _) => macro_.and_then(|m| m.get(i)).copied().unwrap_or(Polarity::BOTH),
                    };
                    work.push(Task::Visit(child, polarity.around(inner)));
                }
            }
        }
    }
}

/// How an operator follows the language at one of its arguments.
fn in_language(arena: &Arena, op: Op, argument: usize) -> Polarity {
    match (arena.text(arena.signatures().row(op).name), argument) {
        (b"str.in_re", 1)
        | (b"re.++" | b"re.union" | b"re.inter", _)
        | (b"re.*" | b"re.+" | b"re.opt" | b"re.loop" | b"re.^" | b"re.diff", 0) => Polarity::POSITIVE,
        (b"re.comp", 0) | (b"re.diff", _) => Polarity::NEGATIVE,
        _ => Polarity::BOTH,
    }
}

/// The places directly below a place.
pub(crate) fn child_places(places: &Occurrences, place: Occurrence) -> Vec<Occurrence> {
    let range = places.inside(place);
    let mut all = Vec::new();
    let mut at = range.start + 1;
    while at < range.end {
        let Some(child) = places.get(at) else { break };
        all.push(child);
        at = places.inside(child).end;
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;
    use smelt_smtlib::parse_script;

    /// The polarity of each Boolean place whose text is a single letter, as a string of signs.
    fn signs(text: &str) -> String {
        let mut arena = Arena::new();
        let declarations =
            "(declare-const a Bool)(declare-const b Bool)(declare-const c Bool)(declare-const d Bool)";
        let source = format!("{declarations}{text}");
        let parsed = parse_script(&mut arena, source.as_bytes()).unwrap();
        assert_eq!(parsed.diagnostics, [], "{text}");
        let places = Occurrences::new(&arena, &parsed.script);
        let found = polarities(&arena, &parsed.script, &places);
        let sign = |p: Occurrence| {
            if !arena.children(places.term(p)).is_empty() {
                return None;
            }
            let text = arena.display_term(places.term(p));
            let sign = ['.', '+', '-', '*'][found[p.index()].0 as usize];
            matches!(&*text, "a" | "b" | "c" | "d").then(|| format!("{text}{sign}"))
        };
        places.all().filter_map(sign).collect()
    }

    #[test]
    fn connectives_pass_polarity_on() {
        assert_eq!(signs("(assert (and a (or b (not c))))"), "a+b+c-");
        assert_eq!(signs("(assert (=> a b c))"), "a-b-c+");
        assert_eq!(signs("(assert (not (=> a b)))"), "a+b-");
        assert_eq!(signs("(assert (ite a b (not c)))"), "a*b+c-");
        assert_eq!(signs("(assert (and (xor a b) (= c d)))"), "a*b*c*d*");
        assert_eq!(signs("(assert (distinct a b))"), "a*b*");
        assert_eq!(signs("(assert (not (exists ((x Int)) (and a (forall ((y Int)) b)))))"), "a-b-");
        assert_eq!(signs("(assert (< (ite a 1 2) 3))"), "a*");
        assert_eq!(signs("(declare-fun f (Bool) Bool)(assert (f a))"), "a*");
    }

    #[test]
    fn a_let_gives_its_definition_the_polarity_of_its_uses() {
        assert_eq!(signs("(assert (let ((x a)) (and x b)))"), "a+b+");
        assert_eq!(signs("(assert (let ((x a)) (and (not x) b)))"), "a-b+");
        assert_eq!(signs("(assert (let ((x a)) (and (not x) x)))"), "a*");
        assert_eq!(signs("(assert (let ((x a)) b))"), "a.b+");
        assert_eq!(signs("(assert (let ((x a)) (let ((y (not x))) (or y b))))"), "a-b+");
        assert_eq!(signs("(assert (let ((x a)) (or x (forall ((x Bool)) (not x)))))"), "a+", "another x");
        assert_eq!(signs("(assert (let ((x a) (y b)) (let ((x (not y)) (y x)) (and x y))))"), "a+b-");
    }

    #[test]
    fn a_macro_counts_for_what_its_calls_count() {
        let f = "(define-fun f ((p Bool)(q Bool)) Bool (and (not p) q c))";
        assert_eq!(signs(&format!("{f}(assert (f a b))")), "c+a-b+");
        assert_eq!(signs(&format!("{f}(assert (not (f a b)))")), "c-a+b-");
        assert_eq!(signs(&format!("{f}(assert (not (f a b)))(assert (f d d))")), "c*a+b-d-d+");
        assert_eq!(signs(&format!("{f}(assert a)")), "c.a+");
        let g = "(define-fun g () Bool (not (f a a)))";
        assert_eq!(signs(&format!("{f}{g}(assert g)")), "c-a+a-");
        assert_eq!(signs("(define-fun-rec f ((p Bool)) Bool (or p (f a)))(assert (f b))"), "a*b*");
    }

    #[test]
    fn a_name_that_is_used_again_holds_its_term() {
        assert_eq!(signs("(assert (! a :named n))(assert (not n))"), "a*");
        assert_eq!(signs("(assert (! a :named n))(assert (not b))"), "a+b-");
    }

    #[test]
    fn languages_pass_polarity_on() {
        let mut arena = Arena::new();
        let text = "(declare-const s String)
(assert (str.in_re s (re.++ (re.* re.allchar) (re.comp (re.diff re.all (re.opt re.none))))))
(assert (= (ite (str.in_re s re.all) 1 2) 3))";
        let parsed = parse_script(&mut arena, text.as_bytes()).unwrap();
        let places = Occurrences::new(&arena, &parsed.script);
        let found = polarities(&arena, &parsed.script, &places);
        let sign = |p: Occurrence| {
            let text = arena.display_term(places.term(p));
            let sign = ['.', '+', '-', '*'][found[p.index()].0 as usize];
            text.starts_with("re.").then(|| format!("{text}{sign} "))
        };
        assert_eq!(
            places.all().filter_map(sign).collect::<String>(),
            "re.allchar+ re.all- re.none+ re.all* "
        );
    }

    #[test]
    fn matches_pass_polarity_to_their_cases() {
        let d = "(declare-datatypes ((D 0)) (((C (s Bool)) (E))))(declare-const x D)";
        assert_eq!(signs(&format!("{d}(assert (not (match x (((C y) a) (E b)))))")), "a-b-");
    }

    #[test]
    fn deep_terms_are_no_trouble() {
        let n = 100_000;
        let text = format!("(assert {}a{})", "(not ".repeat(n), ")".repeat(n));
        assert_eq!(signs(&text), "a+");
        let lets = format!("(assert {}y{})", "(let ((y (not y))) ".repeat(n), ")".repeat(n));
        assert_eq!(signs(&lets.replacen("(let ((y (not y)))", "(let ((y a))", 1)), "a-");
    }
}
