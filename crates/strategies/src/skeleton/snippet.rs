//! Random formulas: predicates of the seed's theories over its variables, its small terms, and literals.
//!
//! The available parts are computed once per seed: templates of `data/snippets.txt` whose operators are in the
//! logic, and the functions that the seed declares. The arguments of an operator differ, and at least one is not a
//! literal, so that few formulas have the same value for all variables.

use std::collections::HashSet;
use std::ops::Range;

use smelt_smtlib::occurrence::Occurrence;
use smelt_smtlib::sexpr::{Sexpr, SexprNode};
use smelt_smtlib::{Arena, Op, Printer, Role, Sort, View};

use super::alike::has_part;
use super::entries::ENTRIES;
use super::symbols::{constructors, is_open, is_symbol};
use crate::gate::Classes;
use crate::generative::{Expressions, NOWHERE};
use crate::pool::Seed;
use crate::rng::Rng;
use crate::samples::{Sampler, sort_sexpr};
use crate::template::{Env, plain};

/// A piece of a template at one seed.
#[derive(Clone, Debug)]
enum Piece {
    Text(Box<[u8]>),
    /// A term of the sort with this number.
    Hole(u32),
    /// A number that is not zero, real or not.
    Nonzero(bool),
    /// A literal of the sort with this number.
    Literal(u32),
}

#[derive(Clone, Debug)]
struct Template {
    pieces: Box<[Piece]>,
    /// What must be declared before.
    needs: u32,
    /// Whether it is an operator over two terms of its sort, as published.
    is_published: bool,
}

/// What there is of a sort.
#[derive(Debug)]
struct Stock {
    text: String,
    /// `None` for a sort without literals.
    literals: Option<Sampler>,
    /// Expressions of the seed: its variables, and other small ones.
    variables: Vec<u32>,
    small: Vec<u32>,
    atoms: Vec<Template>,
    terms: Vec<Template>,
}

/// What random formulas of a seed are made of.
#[derive(Debug)]
pub(super) struct Bank {
    sorts: Vec<Stock>,
    /// The numbers of sorts that predicates are about.
    about: Vec<u32>,
    /// Sorts that quantifiers may bind.
    bindable: Vec<u32>,
    /// Expressions that are constructors: they have one value.
    constructors: HashSet<u32>,
    /// A formula is no longer than this.
    longest: usize,
    is_linear: bool,
    /// By operator: whether the seed may have it. Empty if no other seed lends formulas.
    allowed: Vec<bool>,
}

/// A term of the seed with at most this many bytes is small.
const SMALL: usize = 40;
/// A formula may be this long even if the seed's assertions are shorter.
const SHORTEST: usize = 32;
/// Numbers among strings are below this.
const POSITIONS: usize = 5;
/// How often an argument is drawn until it differs from the ones before it.
const DRAWS: usize = 4;

/// Makes a bank.
struct Maker<'a> {
    arena: &'a Arena,
    seed: &'a Seed,
    classes: &'a Classes,
    expressions: &'a Expressions,
    sorts: Vec<Stock>,
}

impl Bank {
    /// The parts for a seed; `borrows` if other seeds lend formulas.
    pub(super) fn new(
        arena: &Arena,
        seed: &Seed,
        classes: &Classes,
        expressions: &Expressions,
        borrows: bool,
    ) -> Bank {
        let is_difference = seed.gate.logic.is_some_and(|l| l.difference);
        let ops = arena.signatures().ops().filter(|_| borrows && !is_difference);
        let allowed = ops.map(|(op, _)| seed.gate.allows(arena, classes, op)).collect();
        let mut maker = Maker { arena, seed, classes, expressions, sorts: Vec::new() };
        let known: Vec<(Sort, String)> = expressions
            .sorts
            .iter()
            .filter(|s| s.0 != Sort::REGLAN && seed.gate.has_sort(s.0))
            .map(|s| (s.0, arena.display_sort(s.0)))
            .collect();
        for (sort, text) in &known {
            maker.stock(*sort, text);
        }
        for number in 0..known.len() {
            maker.templates(number as u32);
        }
        maker.functions();
        let mut sorts = maker.sorts;
        let has_leaves = |s: &Stock| !s.variables.is_empty() || !s.small.is_empty();
        let theories = (0..known.len()).filter(|&i| has_leaves(&sorts[i]) && !sorts[i].atoms.is_empty());
        let mut about: Vec<u32> = theories.map(|i| i as u32).collect();
        // Truth values alone are for seeds without anything else.
        if about.iter().any(|&i| sorts[i as usize].text != "Bool") {
            about.retain(|&i| sorts[i as usize].text != "Bool");
        }
        let arrays = arena
            .find_symbol(b"const")
            .is_some_and(|name| arena.signatures().named(name).any(|op| seed.gate.uses(op)));
        for stock in &mut sorts {
            if stock.text == "Bool" || stock.text.starts_with("(Array") && !arrays {
                stock.literals = None;
            }
        }
        let bindable = about.iter().copied().filter(|&i| sorts[i as usize].text != "Bool").collect();
        let roots = seed.places.all().filter(|&p| seed.places.parent(p).is_none());
        let asserted = roots.filter(|&p| {
            let command = seed.places.root(p).command as usize;
            matches!(seed.script.commands[command], smelt_smtlib::Command::Assert(_))
        });
        let bytes = asserted.map(|p| (seed.spans[p.index()].end - seed.spans[p.index()].start) as usize);
        let longest = bytes.sum::<usize>().max(SHORTEST);
        let constructors = constructors(arena, seed, expressions);
        Bank { sorts, about, bindable, constructors, longest, is_linear: seed.gate.linear, allowed }
    }

    /// The number of a sort, if the seed has it.
    pub(super) fn number_of(&self, sort: &str) -> Option<u32> {
        self.sorts.iter().position(|s| s.text == sort).map(|i| i as u32)
    }

    /// Whether the seed may have a formula with these operators.
    pub(super) fn lends(&self, ops: &[Op], is_linear: bool) -> bool {
        let allowed = |op: &Op| self.allowed.get(op.index()).copied().unwrap_or(false);
        (is_linear || !self.is_linear) && ops.iter().all(allowed)
    }

    /// Whether there is nothing to make formulas of.
    pub(super) fn is_empty(&self) -> bool {
        self.about.is_empty()
    }

    /// A formula is no longer than this.
    pub(super) fn longest(&self) -> usize {
        self.longest
    }

    /// A sort that a quantifier may bind, with its text.
    pub(super) fn bound(&self, rng: &mut Rng) -> Option<(u32, &str)> {
        rng.pick(&self.bindable).map(|&i| (i, &*self.sorts[i as usize].text))
    }
}

impl Maker<'_> {
    /// The number of a sort, which is added if it is new; `None` if the logic does not have it.
    fn number(&mut self, text: &str) -> Option<u32> {
        if let Some(at) = self.sorts.iter().position(|s| s.text == text) {
            return Some(at as u32);
        }
        let sort = match text {
            "Int" => Sort::INT,
            "Real" => Sort::REAL,
            _ => return None,
        };
        self.seed.gate.has_sort(sort).then(|| {
            let (variables, small, atoms, terms) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
            let literals = sort_sexpr(text).as_ref().and_then(Sampler::of);
            self.sorts.push(Stock { text: text.to_owned(), literals, variables, small, atoms, terms });
            self.sorts.len() as u32 - 1
        })
    }

    fn stock(&mut self, sort: Sort, text: &str) {
        let Maker { arena, seed, expressions, .. } = self;
        let (mut variables, mut small) = (Vec::new(), Vec::new());
        let index = expressions.sort_index(sort);
        for &i in index.map_or(&[][..], |at| &expressions.sorts[at].1) {
            let expr = &expressions.list[i as usize];
            let span = seed.spans[expr.place as usize];
            match arena.view(expr.term) {
                View::App(fun, []) if is_symbol(&arena.fun_view(fun)) => variables.push(i),
                View::App(_, [_, ..]) | View::Var(_)
                    if (span.end - span.start) as usize <= SMALL
                        && !expr.number
                        && is_open(arena, expr.term) =>
                {
                    small.push(i);
                }
                _ => {}
            }
        }
        let literals = sort_sexpr(text).as_ref().and_then(Sampler::of);
        let (atoms, terms) = (Vec::new(), Vec::new());
        self.sorts.push(Stock { text: text.to_owned(), literals, variables, small, atoms, terms });
    }

    /// The templates of a sort that the seed's logic has.
    fn templates(&mut self, number: u32) {
        let text = self.sorts[number as usize].text.clone();
        let Some(sort) = sort_sexpr(&text) else { return };
        let fitting = ENTRIES.iter().find_map(|entry| {
            let mut env = Env::default();
            env.unify(&entry.sort, &sort, &entry.params).then_some((entry, env))
        });
        let Some((entry, env)) = fitting else {
            // A sort of the seed's own has equality.
            for word in ["=", "distinct"] {
                let head = Piece::Text(format!("({word} ").into_bytes().into());
                let end = Piece::Text(b")"[..].into());
                let between = Piece::Text(b" "[..].into());
                let pieces = [head, Piece::Hole(number), between, Piece::Hole(number), end].into();
                self.sorts[number as usize].atoms.push(Template { pieces, needs: 0, is_published: false });
            }
            return;
        };
        let products = if self.seed.gate.linear { &[][..] } else { &entry.products };
        for term in entry.atoms.iter() {
            let made = self.template(term, number, &env);
            self.sorts[number as usize].atoms.extend(made);
        }
        let difference = self.seed.gate.logic.is_some_and(|l| l.difference);
        for term in entry.terms.iter().chain(products).filter(|_| !difference) {
            let mut made = self.template(term, number, &env);
            if let (Some(template), SexprNode::List(items)) = (&mut made, &term.node) {
                let head = items.first().map(plain).unwrap_or_default();
                template.is_published &= entry.published.is_empty() || entry.published.contains(&head);
            }
            self.sorts[number as usize].terms.extend(made);
        }
    }

    /// A template at this seed; `None` if its logic lacks an operator or a sort.
    fn template(&mut self, term: &Sexpr, own: u32, env: &Env) -> Option<Template> {
        let mut pieces: Vec<Piece> = Vec::new();
        let mut text = String::new();
        self.write(term, own, env, &mut pieces, &mut text)?;
        if !text.is_empty() {
            pieces.push(Piece::Text(text.into_bytes().into()));
        }
        let holes = pieces.iter().filter(|p| !matches!(p, Piece::Text(_)));
        let is_flat =
            matches!(&term.node, SexprNode::List(l) if l.iter().skip(1).all(|s| s.atom("").is_ok()));
        let is_published = holes.count() == 2 && is_flat;
        Some(Template { pieces: pieces.into(), needs: 0, is_published })
    }

    fn write(
        &mut self,
        s: &Sexpr,
        own: u32,
        env: &Env,
        pieces: &mut Vec<Piece>,
        text: &mut String,
    ) -> Option<()> {
        let mut put = |piece: Piece, text: &mut String| {
            if !text.is_empty() {
                pieces.push(Piece::Text(std::mem::take(text).into_bytes().into()));
            }
            pieces.push(piece);
        };
        let items = match &s.node {
            SexprNode::Atom(a) => {
                match &**a {
                    "?" => put(Piece::Hole(own), text),
                    "!" => put(Piece::Nonzero(self.sorts[own as usize].text == "Real"), text),
                    "#" => put(Piece::Literal(own), text),
                    word => {
                        if word.starts_with("re.") && !self.has(word) {
                            return None;
                        }
                        text.push_str(word);
                    }
                }
                return Some(());
            }
            SexprNode::List(items) => items,
        };
        if let [head, sort] = &items[..]
            && plain(head) == "?"
        {
            let number = self.number(&env.text(sort)?)?;
            put(Piece::Hole(number), text);
            return Some(());
        }
        let head = items.first().map(plain)?;
        if !self.has(&head) {
            return None;
        }
        text.push('(');
        text.push_str(&head);
        for item in &items[1..] {
            text.push(' ');
            self.write(item, own, env, pieces, text)?;
        }
        text.push(')');
        Some(())
    }

    /// Whether an operator may be added.
    fn has(&self, name: &str) -> bool {
        let arena = self.arena;
        arena.find_symbol(name.as_bytes()).is_some_and(|symbol| {
            arena.signatures().named(symbol).any(|op| self.seed.gate.allows(arena, self.classes, op))
        })
    }

    /// The functions that the seed declares, as terms and formulas.
    fn functions(&mut self) {
        let seed = self.seed;
        for d in seed.scope.declarations().filter(|d| !d.parametric && !d.args.is_empty()) {
            let needs = self.expressions.declared(d.name);
            if needs == NOWHERE || !matches!(d.role, Role::Free | Role::Selector | Role::Constructor) {
                continue;
            }
            let number = |sort: Sort| {
                let text = self.arena.display_sort(sort);
                self.sorts.iter().position(|s| s.text == text).map(|i| i as u32)
            };
            let args: Option<Vec<u32>> = d.args.iter().map(|&s| number(s)).collect();
            let (Some(args), Some(result)) = (args, number(d.result)) else { continue };
            let mut head = b"(".to_vec();
            Printer::new(self.arena, &mut head).symbol(d.name);
            let mut pieces = vec![Piece::Text(head.into())];
            for arg in &args {
                pieces.extend([Piece::Text(b" "[..].into()), Piece::Hole(*arg)]);
            }
            pieces.push(Piece::Text(b")"[..].into()));
            let template = Template { pieces: pieces.into(), needs, is_published: false };
            if d.result == Sort::BOOL {
                self.sorts[args[0] as usize].atoms.push(template);
            } else {
                self.sorts[result as usize].terms.push(template);
            }
        }
    }
}

/// A random formula in the making, for a place of a seed.
pub(super) struct Snippet<'a> {
    pub(super) bank: &'a Bank,
    pub(super) expressions: &'a Expressions,
    pub(super) seed: &'a Seed,
    pub(super) place: Occurrence,
    pub(super) depth: u32,
    /// Exactly the published algorithm.
    pub(super) is_published: bool,
    /// A variable bound around, its sort and name, which stands for some terms.
    pub(super) bound: Option<(u32, &'a [u8])>,
    pub(super) rng: &'a mut Rng,
    pub(super) out: &'a mut Vec<u8>,
    /// Whether the atom has a symbol of the seed, or the bound variable: without, it is constant.
    pub(super) varies: bool,
}

impl Snippet<'_> {
    /// Appends an atom that is not about literals alone; `false` if nothing fitted.
    pub(super) fn atom(&mut self) -> bool {
        let start = self.out.len();
        (0..DRAWS).any(|_| {
            self.out.truncate(start);
            self.varies = false;
            self.draw() && self.varies && !self.is_about_bound(start)
        })
    }

    /// Whether the atom is an equation with the bound variable as a side: for some value it is true, and for some false.
    fn is_about_bound(&self, start: usize) -> bool {
        let Some((_, name)) = self.bound else { return false };
        let atom = &self.out[start..];
        let sides = atom.strip_prefix(b"(= ").or_else(|| atom.strip_prefix(b"(distinct "));
        let Some(sides) = sides.and_then(|sides| sides.strip_suffix(b")")) else { return false };
        let first = sides.strip_prefix(name).is_some_and(|rest| rest.starts_with(b" "));
        let last = sides.strip_suffix(name).is_some_and(|rest| rest.ends_with(b" "));
        first || last
    }

    fn draw(&mut self) -> bool {
        let bank = self.bank;
        let sort = match self.bound {
            Some((sort, _)) => sort,
            None => match self.rng.pick(&bank.about) {
                Some(&sort) => sort,
                None => return false,
            },
        };
        let atoms = &bank.sorts[sort as usize].atoms;
        let published = |t: &&Template| t.is_published;
        let template = match self.is_published {
            false => self.rng.pick(atoms),
            true => {
                let count = atoms.iter().filter(published).count();
                if count == 0 {
                    return false;
                }
                let at = self.rng.below(count);
                atoms.iter().filter(published).nth(at)
            }
        };
        let depth = if self.is_published { 1 } else { self.depth };
        template.is_some_and(|template| self.fill(template, depth, true))
    }

    /// Appends a template with terms in its holes, which differ where they are of one sort; those of an atom are not even parts
    /// of each other, for a theory decides most such atoms by itself.
    fn fill(&mut self, template: &Template, depth: u32, is_atom: bool) -> bool {
        if template.needs > self.expressions.command_of[self.place.index()] {
            return false;
        }
        let mut made: [(u32, Range<usize>); 4] = std::array::from_fn(|_| (0, 0..0));
        let mut count = 0;
        for piece in &template.pieces {
            match piece {
                Piece::Text(text) => self.out.extend_from_slice(text),
                Piece::Nonzero(is_real) => self.nonzero(*is_real),
                Piece::Literal(sort) => {
                    if !self.literal(*sort) {
                        return false;
                    }
                }
                Piece::Hole(sort) => {
                    let start = self.out.len();
                    let is_new = (0..DRAWS).any(|_| {
                        self.out.truncate(start);
                        if !self.term(*sort, depth, count == 0) {
                            return false;
                        }
                        let new = &self.out[start..];
                        made[..count].iter().filter(|(s, _)| s == sort).all(|(_, old)| {
                            let old = &self.out[old.clone()];
                            let is_part = || has_part(old, new) || has_part(new, old);
                            old != new && !(is_atom && is_part())
                        })
                    });
                    if !is_new {
                        return false;
                    }
                    if count < made.len() {
                        made[count] = (*sort, start..self.out.len());
                        count += 1;
                    }
                }
            }
        }
        true
    }

    /// Appends a term of a sort; with `must_vary`, not a literal if there is anything else.
    pub(super) fn term(&mut self, sort: u32, depth: u32, must_vary: bool) -> bool {
        let stock = &self.bank.sorts[sort as usize];
        if self.is_published {
            return self.published(stock, depth);
        }
        if let Some((bound, name)) = self.bound
            && bound == sort
            && self.rng.one_in(2)
        {
            self.out.extend_from_slice(name);
            self.varies = true;
            return true;
        }
        let start = self.out.len();
        let choice = self.rng.below(8);
        if choice < 4 && depth > 0 && !stock.terms.is_empty() {
            let template = &stock.terms[self.rng.below(stock.terms.len())];
            if self.fill(template, depth - 1, false) {
                return true;
            }
            self.out.truncate(start);
        }
        if choice == 7 && !must_vary && self.literal(sort) {
            return true;
        }
        if self.leaf(stock) {
            return true;
        }
        // Nothing of the seed fits here: a term over other sorts, or a literal.
        if depth > 0 && !stock.terms.is_empty() {
            let template = &stock.terms[self.rng.below(stock.terms.len())];
            if self.fill(template, depth - 1, false) {
                return true;
            }
            self.out.truncate(start);
        }
        self.literal(sort)
    }

    /// A term of the published algorithm: an operator over two variables, or over one and a number where arithmetic is
    /// linear.
    fn published(&mut self, stock: &Stock, depth: u32) -> bool {
        if depth == 0 {
            return self.variable(stock);
        }
        let published = |t: &&Template| {
            let scales = t.pieces.iter().any(|p| matches!(p, Piece::Nonzero(_)));
            t.is_published && (self.bank.is_linear || !scales)
        };
        let all: Vec<&Template> = stock.terms.iter().filter(published).collect();
        let Some(template) = self.rng.pick(&all) else { return false };
        for piece in &template.pieces {
            match piece {
                Piece::Text(text) => self.out.extend_from_slice(text),
                Piece::Nonzero(is_real) => self.nonzero(*is_real),
                Piece::Hole(_) if self.variable(stock) => {}
                _ => return false,
            }
        }
        true
    }

    fn variable(&mut self, stock: &Stock) -> bool {
        (0..DRAWS).any(|_| match self.rng.pick(&stock.variables) {
            Some(&i) => self.expression(i),
            None => false,
        })
    }

    /// Appends a variable or a small term of the seed.
    fn leaf(&mut self, stock: &Stock) -> bool {
        let (variables, small) = (&stock.variables, &stock.small);
        for _ in 0..DRAWS {
            let is_small = variables.is_empty() || !small.is_empty() && self.rng.one_in(3);
            let list = if is_small { small } else { variables };
            if let Some(&i) = self.rng.pick(list)
                && self.expression(i)
            {
                return true;
            }
        }
        false
    }

    fn expression(&mut self, i: u32) -> bool {
        let expr = &self.expressions.list[i as usize];
        if !self.expressions.fits(self.seed, self.place, expr) {
            return false;
        }
        let span = &self.seed.spans[expr.place as usize];
        self.varies |= !self.bank.constructors.contains(&i);
        self.out.extend_from_slice(&self.seed.text[span.start as usize..span.end as usize]);
        true
    }

    fn literal(&mut self, sort: u32) -> bool {
        let is_int = self.bank.sorts[sort as usize].text == "Int";
        if is_int && self.bank.sorts.iter().any(|s| s.text == "String") {
            // A position: at most others a string has no letter, whatever it is.
            let position = self.rng.below(POSITIONS);
            self.out.extend_from_slice(position.to_string().as_bytes());
            return true;
        }
        let sampler = self.bank.sorts[sort as usize].literals.as_ref();
        sampler.is_some_and(|sampler| {
            sampler.write(self.rng, self.out);
            true
        })
    }

    fn nonzero(&mut self, is_real: bool) {
        let n = 2 + self.rng.below(7);
        self.out.extend_from_slice(if is_real { format!("{n}.0") } else { n.to_string() }.as_bytes());
    }
}
