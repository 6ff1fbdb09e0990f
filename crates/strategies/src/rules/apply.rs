//! A rewrite at fixed sorts, ready to be printed: pieces of text, suitable constants, and the remaining choices.

use std::collections::HashMap;

use smelt_semantics::Evaluator;
use smelt_semantics::eval::{Domains, Interpretation};
use smelt_smtlib::occurrence::Occurrence;
use smelt_smtlib::sexpr::{Sexpr, SexprNode};
use smelt_smtlib::{Arena, Parser, Printer, Role, Scope, Sort, Symbol, Term, View};

use super::abstraction::Abstraction;
use super::instance::is_collapsible;
use super::read::{Kind, Rule, mentions};
use super::rewrite::{Bound, MAX_VARS, Match, Rewrite, binds, variables};
use crate::generative::Expressions;
use crate::pool::Seed;
use crate::rng::Rng;
use crate::samples::{Sampler, literal, sort_sexpr};
use crate::template::{Env, plain};

/// A piece of the replacement of a pattern.
#[derive(Clone, Debug, PartialEq)]
enum Piece {
    Text(Box<[u8]>),
    /// A variable: what it is bound to, or what was picked for it.
    Var(usize),
    /// An operator over a list; alone, its only element.
    Collapse(Box<[u8]>, usize),
    /// The variables of a quantifier with a term for each.
    Instance(usize),
}

/// A rewrite at fixed sorts.
#[derive(Clone, Debug)]
pub(crate) struct Applied {
    pub(crate) rewrite: usize,
    pieces: Vec<Piece>,
    /// The sorts of its variables, and literals of them.
    sorts: Vec<Option<Sexpr>>,
    samplers: Vec<Option<Sampler>>,
    /// Constants that fulfil the condition, by variable.
    constants: Vec<Vec<(usize, Box<str>)>>,
    /// For each atom of a drawn constant and terms of the script: the terms. If all of them are literals, so is the atom.
    beside_constants: Vec<Vec<usize>>,
}

/// How many choices of constants are drawn, and how often at most.
const DRAWS: usize = 24;
const TRIES: usize = 4000;

impl Applied {
    /// A rewrite with its sorts filled in; `None` where no constants fit or a sort is not known.
    pub(crate) fn new(rule: &Rule, rewrite: &Rewrite, position: usize, env: &Env) -> Option<Applied> {
        let mut writer = Writer { rule, env, pieces: Vec::new(), text: String::new() };
        writer.write(&rewrite.template)?;
        writer.flush();
        let pieces = writer.pieces;
        let used = |i: usize| {
            pieces
                .iter()
                .any(|p| matches!(p, Piece::Var(j) | Piece::Collapse(_, j) | Piece::Instance(j) if *j == i))
        };
        let mut sorts = Vec::new();
        for (i, v) in rule.vars.iter().enumerate() {
            let sort = match &v.kind {
                Kind::Term(s) | Kind::List(s) | Kind::Constant(s) | Kind::Function(s, _) => Some(s.clone()),
                Kind::Constructor(name) => Some(Sexpr { offset: 0, node: SexprNode::Atom(name.clone()) }),
                Kind::Number(..) | Kind::Name | Kind::Bound => None,
            };
            let filled = sort.filter(|_| used(i)).map(|s| env.text(&s).and_then(|t| sort_sexpr(&t)));
            sorts.push(match filled {
                Some(None) => return None,
                Some(Some(s)) => Some(s),
                None => None,
            });
        }
        let constants = draw(rule, env, &used)?;
        let mut beside_constants = Vec::new();
        atoms_of_constants(rule, &rewrite.template, &mut beside_constants);
        let is_bound = |i: usize| binds(&rewrite.pattern, i);
        let samplers = sorts.iter().enumerate();
        let samplers = samplers
            .map(|(i, s)| match rule.vars[i].kind {
                Kind::Term(_) if !is_bound(i) => s.as_ref().and_then(Sampler::of),
                _ => None,
            })
            .collect();
        Some(Applied { rewrite: position, pieces, sorts, samplers, constants, beside_constants })
    }
}

/// Notes for each atom of constants and terms which terms it has.
fn atoms_of_constants(rule: &Rule, s: &Sexpr, found: &mut Vec<Vec<usize>>) {
    let SexprNode::List(items) = &s.node else { return };
    let head = items.first().map(plain).unwrap_or_default();
    if ["and", "or", "not", "=>", "xor", "forall", "exists", "instance"].contains(&&*head) {
        items.iter().skip(1).for_each(|item| atoms_of_constants(rule, item, found));
        return;
    }
    let used: Vec<usize> = (0..rule.vars.len()).filter(|&i| mentions(s, &rule.vars[i].name)).collect();
    let (constants, terms): (Vec<usize>, Vec<usize>) =
        used.iter().partition(|&&i| matches!(rule.vars[i].kind, Kind::Constant(_)));
    let are_terms = terms.iter().all(|&i| matches!(rule.vars[i].kind, Kind::Term(_)));
    if !constants.is_empty() && !terms.is_empty() && are_terms {
        found.push(terms);
    }
}

struct Writer<'a> {
    rule: &'a Rule,
    env: &'a Env,
    pieces: Vec<Piece>,
    text: String,
}

impl Writer<'_> {
    fn flush(&mut self) {
        if !self.text.is_empty() {
            let text = std::mem::take(&mut self.text).into_bytes().into();
            self.pieces.push(Piece::Text(text));
        }
    }

    fn piece(&mut self, piece: Piece) {
        self.flush();
        self.pieces.push(piece);
    }

    fn write(&mut self, s: &Sexpr) -> Option<()> {
        let items = match &s.node {
            SexprNode::Atom(a) => {
                match self.rule.var(a) {
                    Some(i) => self.piece(Piece::Var(i)),
                    None => self.env.write(s, &mut self.text)?,
                }
                return Some(());
            }
            SexprNode::List(items) => items,
        };
        let word = items.first().map(plain);
        match (word.as_deref(), &items[..]) {
            (Some("_"), _) if !items.iter().any(|i| self.rule.var(&plain(i)).is_some()) => {
                self.env.write(s, &mut self.text)?;
            }
            (Some("as"), _) => self.env.write(s, &mut self.text)?,
            (Some("instance"), [_, vars, body]) => {
                self.text.push_str("(let (");
                self.piece(Piece::Instance(self.rule.var(&plain(vars))?));
                self.text.push_str(") ");
                self.write(body)?;
                self.text.push(')');
            }
            (Some(head), [_, only]) if is_collapsible(head) && self.list(only).is_some() => {
                let i = self.list(only)?;
                self.piece(Piece::Collapse(head.as_bytes().into(), i));
            }
            _ => {
                self.text.push('(');
                for (i, item) in items.iter().enumerate() {
                    if i > 0 {
                        self.text.push(' ');
                    }
                    self.write(item)?;
                }
                self.text.push(')');
            }
        }
        Some(())
    }

    fn list(&self, s: &Sexpr) -> Option<usize> {
        self.rule.var(&plain(s)).filter(|&i| matches!(self.rule.vars[i].kind, Kind::List(_)))
    }
}

/// Choices of constants that fulfil the condition; one empty choice for a rule without constants.
fn draw(rule: &Rule, env: &Env, used: &dyn Fn(usize) -> bool) -> Option<Vec<Vec<(usize, Box<str>)>>> {
    let mut rng = Rng::new(0xc0457a);
    let drawn: Vec<usize> = (0..rule.vars.len())
        .filter(|&i| used(i) && matches!(rule.vars[i].kind, Kind::Constant(_) | Kind::Number(..)))
        .collect();
    if drawn.is_empty() {
        return Some(vec![Vec::new()]);
    }
    let mut found: Vec<Vec<(usize, Box<str>)>> = Vec::new();
    let mut arena = Arena::new();
    let empty = arena.checkpoint();
    let (interpretation, domains) = (Interpretation::default(), Domains::default());
    for _ in 0..TRIES {
        if found.len() >= DRAWS {
            break;
        }
        let mut choice: Vec<(usize, Box<str>)> = Vec::new();
        let mut env = env.clone();
        for &i in &drawn {
            let text = match &rule.vars[i].kind {
                Kind::Number(low, high) => (low + rng.below((high - low + 1) as usize) as u32).to_string(),
                Kind::Constant(sort) => literal(&sort_sexpr(&env.text(sort)?)?, &mut rng)?,
                _ => return None,
            };
            env.term(&rule.vars[i].name, &text);
            choice.push((i, text.into()));
        }
        let holds = match &rule.when {
            None => true,
            Some(when) => {
                let text = env.text(when)?;
                arena.rollback(empty);
                let mut parser = Parser::new(&mut arena, Scope::new(), text.as_bytes()).ok()?;
                let term = parser.next_term().ok()?;
                Evaluator::new(&arena, &interpretation, &domains).holds(term) == Ok(true)
            }
        };
        if holds && !found.contains(&choice) {
            found.push(choice);
        }
    }
    (!found.is_empty()).then_some(found)
}

/// What a seed lends to rules: its expressions, functions and constructors by sort.
#[derive(Debug)]
pub(crate) struct Lender {
    pub(crate) expressions: Expressions,
    /// Functions of one argument, by its sort, with the command they need.
    functions: HashMap<Sort, Vec<(Symbol, u32)>>,
    constructors: HashMap<Sort, Vec<(Symbol, u32)>>,
    /// A start of names that the seed does not have.
    pub(crate) prefix: String,
}

impl Lender {
    pub(crate) fn new(arena: &Arena, seed: &Seed) -> Lender {
        let expressions = Expressions::new(arena, seed);
        let mut functions: HashMap<Sort, Vec<(Symbol, u32)>> = HashMap::new();
        let mut constructors: HashMap<Sort, Vec<(Symbol, u32)>> = HashMap::new();
        for d in seed.scope.declarations().filter(|d| !d.parametric) {
            let needs = expressions.declared(d.name);
            if needs == crate::generative::NOWHERE {
                continue;
            }
            if d.role == Role::Constructor {
                constructors.entry(d.result).or_default().push((d.name, needs));
            }
            if let [arg] = d.args[..]
                && matches!(d.role, Role::Free | Role::Selector | Role::Constructor)
                && d.result != Sort::REGLAN
            {
                functions.entry(arg).or_default().push((d.name, needs));
            }
        }
        Lender { expressions, functions, constructors, prefix: unused(seed, "smelt!") }
    }

    /// Of a script that was made from another: names begin as there, or longer.
    pub(crate) fn later(arena: &Arena, seed: &Seed, first: &Lender) -> Lender {
        let mut lender = Lender::new(arena, seed);
        if lender.prefix.len() < first.prefix.len() {
            lender.prefix = unused(seed, &first.prefix);
        }
        lender
    }

    /// Appends an expression of the seed, of a sort, that may stand at a place.
    fn expression(
        &self,
        seed: &Seed,
        sort: Sort,
        place: Occurrence,
        rng: &mut Rng,
        out: &mut Vec<u8>,
    ) -> bool {
        let Some(index) = self.expressions.sort_index(sort) else { return false };
        let list = &self.expressions.sorts[index].1;
        for _ in 0..8 {
            let expr = &self.expressions.list[list[rng.below(list.len())] as usize];
            if self.expressions.fits(seed, place, expr) {
                let span = &seed.spans[expr.place as usize];
                out.extend_from_slice(&seed.text[span.start as usize..span.end as usize]);
                return true;
            }
        }
        false
    }
}

/// A start of names, at least this one, that the text of a seed does not have.
fn unused(seed: &Seed, start: &str) -> String {
    let mut prefix = start.to_owned();
    // It ends with a byte that is rare elsewhere.
    let has = |prefix: &str| {
        let marks = seed.text.iter().enumerate().filter(|(_, b)| **b == b'!');
        marks.map(|(at, _)| &seed.text[..=at]).any(|text| text.ends_with(prefix.as_bytes()))
    };
    while has(&prefix) {
        prefix.push('!');
    }
    prefix
}

/// Where a rewrite happens.
#[derive(Clone, Copy)]
pub(crate) struct Site<'a> {
    pub(crate) arena: &'a Arena,
    pub(crate) seed: &'a Seed,
    pub(crate) lender: &'a Lender,
    pub(crate) place: Occurrence,
}

impl Applied {
    /// Appends the replacement of the match; `false` if nothing could be chosen for a variable.
    pub(crate) fn write(
        &self,
        site: Site<'_>,
        rule: &Rule,
        found: &Match,
        rng: &mut Rng,
        out: &mut Vec<u8>,
    ) -> bool {
        let constants = &self.constants[rng.below(self.constants.len())];
        // A literal beside a drawn one makes an atom that is true or false.
        let is_literal = |&i: &usize| match found.vars[i] {
            Bound::Place(at) => site
                .seed
                .places
                .get(at as usize)
                .is_some_and(|p| is_closed(site.arena, site.seed.places.term(p))),
            _ => false,
        };
        if self.beside_constants.iter().any(|terms| terms.iter().all(is_literal)) {
            return false;
        }
        let abstraction = match found.vars.contains(&Bound::Abstract) {
            true => match Abstraction::choose(site, rng) {
                Some(made) => Some(made),
                None => return false,
            },
            false => None,
        };
        let mut picked: [Option<(u32, u32)>; MAX_VARS] = [None; MAX_VARS];
        let start = out.len();
        for piece in &self.pieces {
            match piece {
                Piece::Text(text) => out.extend_from_slice(text),
                Piece::Collapse(head, i) => {
                    let Bound::List(at, len) = found.vars[*i] else { return false };
                    if len == 1 {
                        copy(site.seed, found.list(at, len), out);
                    } else {
                        out.push(b'(');
                        out.extend_from_slice(head);
                        out.push(b' ');
                        copy(site.seed, found.list(at, len), out);
                        out.push(b')');
                    }
                }
                Piece::Instance(i) => {
                    let Bound::Variables(quantifier, _) = found.vars[*i] else { return false };
                    if !self.instantiate(site, quantifier, rng, out) {
                        return false;
                    }
                }
                Piece::Var(i) if abstraction.as_ref().is_some_and(|a| a.write(site, found.vars[*i], out)) => {
                }
                Piece::Var(i) => {
                    if let Some((from, to)) = picked[*i] {
                        out.extend_from_within(from as usize..to as usize);
                        continue;
                    }
                    let from = out.len();
                    if !self.variable(site, rule, found, constants, *i, rng, out) {
                        out.truncate(start);
                        return false;
                    }
                    if self.repeats(site, rule, found, *i, &out[from..]) {
                        out.truncate(start);
                        return false;
                    }
                    picked[*i] = Some((from as u32, out.len() as u32));
                }
            }
        }
        true
    }

    /// Whether what was picked for a variable is what another of its sort is bound to, or the negation of that: a formula
    /// beside itself says nothing.
    fn repeats(&self, site: Site<'_>, rule: &Rule, found: &Match, var: usize, picked: &[u8]) -> bool {
        if !matches!(rule.vars[var].kind, Kind::Term(_)) || !matches!(found.vars[var], Bound::Nothing) {
            return false;
        }
        let without = |text: &'_ [u8]| -> Option<Vec<u8>> {
            text.strip_prefix(b"(not ").and_then(|rest| rest.strip_suffix(b")")).map(<[u8]>::to_vec)
        };
        (0..rule.vars.len()).filter(|&i| self.sorts[i].is_some() && self.sorts[i] == self.sorts[var]).any(
            |i| {
                let Bound::Place(at) = found.vars[i] else { return false };
                let span = &site.seed.spans[at as usize];
                let bound = &site.seed.text[span.start as usize..span.end as usize];
                bound == picked
                    || without(picked).is_some_and(|p| p == bound)
                    || without(bound).is_some_and(|b| b == picked)
            },
        )
    }

    #[allow(clippy::too_many_arguments)] // a choice depends on all of them
    fn variable(
        &self,
        site: Site<'_>,
        rule: &Rule,
        found: &Match,
        constants: &[(usize, Box<str>)],
        var: usize,
        rng: &mut Rng,
        out: &mut Vec<u8>,
    ) -> bool {
        let Site { arena, seed, lender, place } = site;
        match found.vars[var] {
            Bound::Place(at) => {
                let span = &seed.spans[at as usize];
                out.extend_from_slice(&seed.text[span.start as usize..span.end as usize]);
                return true;
            }
            Bound::List(at, len) => {
                copy(seed, found.list(at, len), out);
                return true;
            }
            Bound::Constructor(name) => {
                Printer::new(arena, out).symbol(name);
                return true;
            }
            Bound::Variables(quantifier, body) => {
                out.extend_from_slice(variables(seed, quantifier, body));
                return true;
            }
            Bound::Nothing | Bound::Abstract => {}
        }
        let command = lender.expressions.command_of[place.index()];
        // A name is declared before, and no binder around has it.
        let means_itself =
            |name: Symbol, needs: u32| needs <= command && seed.places.local(place, name).is_none();
        let sort_of_var = |wanted: &Sexpr| {
            // The sort of a term that is bound and of the same sort.
            (0..rule.vars.len()).find_map(|j| match (&self.sorts[j], found.vars[j]) {
                (Some(s), Bound::Place(at)) if s == wanted => {
                    seed.places.get(at as usize).map(|p| seed.sort_at(arena, p))
                }
                (Some(s), Bound::List(at, _)) if s == wanted => {
                    Some(seed.sort_at(arena, found.lists[at as usize]))
                }
                _ => None,
            })
        };
        match &rule.vars[var].kind {
            Kind::Constant(_) | Kind::Number(..) => match constants.iter().find(|c| c.0 == var) {
                Some((_, text)) => out.extend_from_slice(text.as_bytes()),
                None => return false,
            },
            Kind::Name => out.extend_from_slice(format!("{}{var}", lender.prefix).as_bytes()),
            Kind::Term(_) => {
                let Some(wanted) = &self.sorts[var] else { return false };
                let sort = sort_of_var(wanted).or_else(|| known_sort(arena, wanted));
                let own = sort.is_some_and(|s| lender.expression(seed, s, place, rng, out));
                if !own {
                    let Some(sampler) = &self.samplers[var] else { return false };
                    sampler.write(rng, out);
                }
            }
            Kind::Function(..) => {
                let Some(sort) = self.sorts[var].as_ref().and_then(sort_of_var) else { return false };
                let all = lender.functions.get(&sort).map_or(&[][..], |f| f);
                match rng.pick(all).filter(|f| means_itself(f.0, f.1)) {
                    Some((name, _)) => Printer::new(arena, out).symbol(*name),
                    None => return false,
                }
            }
            Kind::Constructor(_) => {
                let Some(sort) = self.sorts[var].as_ref().and_then(sort_of_var) else { return false };
                let all = lender.constructors.get(&sort).map_or(&[][..], |c| c);
                let taken = |c: Symbol| found.vars.contains(&Bound::Constructor(c));
                match rng.pick(all).filter(|c| means_itself(c.0, c.1) && !taken(c.0)) {
                    Some((name, _)) => Printer::new(arena, out).symbol(*name),
                    None => return false,
                }
            }
            Kind::List(_) | Kind::Bound => return false,
        }
        true
    }

    /// Appends `(x t) (y u)`: a term for each variable of a quantifier.
    fn instantiate(&self, site: Site<'_>, quantifier: u32, rng: &mut Rng, out: &mut Vec<u8>) -> bool {
        let Site { arena, seed, lender, place } = site;
        let Some(at) = seed.places.get(quantifier as usize) else { return false };
        let View::Binder(v) = arena.view(seed.places.term(at)) else { return false };
        let start = out.len();
        for (i, (name, sort)) in v.vars().enumerate() {
            out.extend_from_slice(if i == 0 { b"(" } else { b" (" });
            Printer::new(arena, out).symbol(name);
            out.push(b' ');
            if !lender.expression(seed, arena.canonical(sort), place, rng, out) {
                let wanted = sort_sexpr(&arena.display_sort(arena.canonical(sort)));
                let Some(text) = wanted.and_then(|s| literal(&s, rng)) else {
                    out.truncate(start);
                    return false;
                };
                out.extend_from_slice(text.as_bytes());
            }
            out.push(b')');
        }
        true
    }
}

/// Whether a term is made of literals alone.
fn is_closed(arena: &Arena, term: Term) -> bool {
    arena.subterms([term]).all(|t| match arena.view(t) {
        // `(_ bv1 32)` is a literal too.
        View::App(fun, _) => arena.fun_view(fun).op.is_some() || !arena.fun_view(fun).indices.is_empty(),
        View::Literal(..) => true,
        _ => false,
    })
}

/// A sort that is in the arena already.
fn known_sort(arena: &Arena, wanted: &Sexpr) -> Option<Sort> {
    match &*plain(wanted) {
        "Bool" => Some(Sort::BOOL),
        "Int" => Some(Sort::INT),
        "Real" => Some(Sort::REAL),
        "String" => arena.find_symbol(b"String").map(|_| Sort::STRING),
        "RegLan" => Some(Sort::REGLAN),
        _ => None,
    }
}

/// Appends the texts of places with spaces between.
fn copy(seed: &Seed, places: &[Occurrence], out: &mut Vec<u8>) {
    for (i, p) in places.iter().enumerate() {
        if i > 0 {
            out.push(b' ');
        }
        let span = &seed.spans[p.index()];
        out.extend_from_slice(&seed.text[span.start as usize..span.end as usize]);
    }
}
