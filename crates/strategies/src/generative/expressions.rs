//! The expressions of a seed by sort, with what each needs at another place.

use std::collections::{HashMap, HashSet};

use smelt_smtlib::abandon::tick;
use smelt_smtlib::logic::{is_nonzero_number, is_number};
use smelt_smtlib::occurrence::{Occurrence, Occurrences};
use smelt_smtlib::rename::bound_names;
use smelt_smtlib::script::Command;
use smelt_smtlib::{Arena, AttributeValue, IndexView, Sort, Spread, Symbol, Term, View, sym};

use crate::alive::names_inside;
use crate::pool::Seed;

/// The variables around places: those of a seed, and those of copies of its expressions in a mutant.
#[derive(Clone, Copy)]
pub(crate) struct Scopes<'a> {
    pub(crate) places: &'a Occurrences,
    pub(crate) copies: &'a [(Symbol, Sort, u32)],
}

impl Scopes<'_> {
    /// The innermost variable of a scope, and the scope around it.
    pub(crate) fn bound(self, scope: u32) -> Option<(Symbol, Sort, u32)> {
        match scope.checked_sub(self.places.scopes()) {
            Some(copy) => self.copies.get(copy as usize).copied(),
            None => self.places.bound(scope),
        }
    }

    /// The sort of the variable that a name refers to.
    fn local(self, mut scope: u32, name: Symbol) -> Option<Sort> {
        while let Some((bound, sort, outer)) = self.bound(scope) {
            if bound == name {
                return Some(sort);
            }
            scope = outer;
        }
        None
    }
}

/// Nothing may use it elsewhere.
pub(crate) const NOWHERE: u32 = u32::MAX;

/// An expression of a seed.
#[derive(Debug)]
pub(crate) struct Expr {
    pub(crate) term: Term,
    /// The first place it stands at.
    pub(crate) place: u32,
    /// How many commands must come before: up to the last that declares something it uses.
    pub(crate) needs: u32,
    /// Its free local variables.
    pub(crate) locals: Box<[(Symbol, Sort)]>,
    /// Whether it uses a declared name that is also bound somewhere in the seed.
    pub(crate) ambiguous: bool,
    /// Whether its value depends on something that the script leaves open: a declared symbol or a variable.
    pub(crate) open: bool,
    /// A number written out, and whether it is not zero.
    pub(crate) number: bool,
    pub(crate) nonzero: bool,
}

/// All expressions of a seed.
#[derive(Debug, Default)]
pub(crate) struct Expressions {
    pub(crate) list: Vec<Expr>,
    /// Sorts in the order they first occur, each with its expressions.
    pub(crate) sorts: Vec<(Sort, Vec<u32>)>,
    /// The command of each place.
    pub(crate) command_of: Vec<u32>,
    /// By place: whether a name is given inside, so that it must stay.
    pub(crate) fixed: Vec<bool>,
    declared: HashMap<Symbol, u32>,
    /// Names that are declared without a meaning.
    free: HashSet<Symbol>,
}

#[derive(Clone, Default)]
struct Info {
    needs: u32,
    locals: Box<[(Symbol, Sort)]>,
    ambiguous: bool,
    open: bool,
}

type Infos = HashMap<Term, Info, Spread>;

impl Expressions {
    pub(crate) fn new(arena: &Arena, seed: &Seed) -> Expressions {
        let declared = declared_at(seed);
        let is_free = |c: &&Command| matches!(c, Command::DeclareConst(..) | Command::DeclareFun(..));
        let free = seed.script.commands.iter().filter(is_free).flat_map(Command::declared).collect();
        let mut all = Expressions { declared, free, ..Expressions::default() };
        let order = arena.parts_first(seed.script.commands.iter().flat_map(Command::terms));
        let bound = bound_names(arena, &seed.script).into_iter().collect();
        let mut infos: Infos = HashMap::with_capacity_and_hasher(order.len(), Spread::default());
        for &t in &order {
            tick();
            let info = all.info(arena, t, &infos, &bound);
            infos.insert(t, info);
        }
        let mut seen: HashSet<Term, Spread> = HashSet::default();
        for place in seed.places.all() {
            tick();
            all.command_of.push(seed.places.root(place).command);
            let term = seed.places.term(place);
            let info = &infos[&term];
            all.fixed.push(info.needs == NOWHERE && names_inside(arena, term));
            let sort = arena.sort_of(term);
            if info.needs == NOWHERE || !is_usable(arena, sort) || !seen.insert(term) {
                continue;
            }
            let at = all.list.len() as u32;
            all.list.push(Expr {
                term,
                place: place.index() as u32,
                needs: info.needs,
                locals: info.locals.clone(),
                ambiguous: info.ambiguous,
                open: info.open,
                number: is_number(arena, term),
                nonzero: is_nonzero_number(arena, term),
            });
            match all.sorts.iter_mut().find(|s| s.0 == sort) {
                Some(s) => s.1.push(at),
                None => all.sorts.push((sort, vec![at])),
            }
        }
        all
    }

    /// Position of a sort among those that occur.
    pub(crate) fn sort_index(&self, sort: Sort) -> Option<usize> {
        self.sorts.iter().position(|s| s.0 == sort)
    }

    /// One more than the command that declares a name; `NOWHERE` for one that is not declared once for all.
    pub(crate) fn declared(&self, name: Symbol) -> u32 {
        self.declared.get(&name).copied().unwrap_or(NOWHERE)
    }

    /// Whether an expression may stand in a command, below some variables: what it uses is declared before, its free
    /// variables are bound around with the same sort, and nothing it uses is captured.
    pub(crate) fn fits_in(&self, scopes: Scopes<'_>, command: u32, scope: u32, expr: &Expr) -> bool {
        if expr.needs > command || expr.ambiguous && scope != 0 {
            return false;
        }
        expr.locals.iter().all(|&(name, sort)| scopes.local(scope, name) == Some(sort))
    }

    /// Whether an expression may stand at a place of the seed.
    pub(crate) fn fits(&self, seed: &Seed, place: Occurrence, expr: &Expr) -> bool {
        let scopes = Scopes { places: &seed.places, copies: &[] };
        self.fits_in(scopes, self.command_of[place.index()], seed.places.scope(place), expr)
    }

    /// What a term whose parts are known needs.
    fn info(&self, arena: &Arena, term: Term, known: &Infos, bound: &HashSet<Symbol>) -> Info {
        let mut info = Info::default();
        let mut locals: Vec<(Symbol, Sort)> = Vec::new();
        let add = |locals: &mut Vec<(Symbol, Sort)>, t: Term, without: &[Symbol]| {
            locals.extend(known[&t].locals.iter().filter(|l| !without.contains(&l.0)));
        };
        for c in arena.children(term) {
            info.needs = info.needs.max(known[c].needs);
            info.ambiguous |= known[c].ambiguous;
            info.open |= known[c].open;
        }
        match arena.view(term) {
            View::Var(name) => {
                info.open = true;
                locals.push((name, arena.sort_of(term)));
            }
            View::Literal(..) => {}
            View::App(fun, args) => {
                args.iter().for_each(|&a| add(&mut locals, a, &[]));
                let f = arena.fun_view(fun);
                if f.op.is_none() {
                    let (needs, ambiguous) = self.name_needs(arena, f.name, f.indices, bound);
                    info.needs = info.needs.max(needs);
                    info.ambiguous |= ambiguous;
                    info.open |= self.free.contains(&f.name);
                }
                if let Some(s) = f.ascribed {
                    info.needs = info.needs.max(self.sort_needs(arena, s));
                }
            }
            View::Let(v) => {
                let names: Vec<Symbol> = v.bindings().map(|b| b.0).collect();
                v.bindings().for_each(|b| add(&mut locals, b.1, &[]));
                add(&mut locals, v.body(), &names);
            }
            View::Binder(v) => {
                let names: Vec<Symbol> = v.vars().map(|b| b.0).collect();
                v.bodies.iter().for_each(|&b| add(&mut locals, b, &names));
                for (_, s) in v.vars() {
                    info.needs = info.needs.max(self.sort_needs(arena, s));
                }
            }
            View::Match(v) => {
                add(&mut locals, v.scrutinee(), &[]);
                for (pattern, body) in v.cases() {
                    let names: Vec<Symbol> = pattern.vars().map(|b| b.0).collect();
                    add(&mut locals, body, &names);
                    let constructor = pattern.constructor.map_or(0, |c| self.declared(c));
                    info.needs = info.needs.max(constructor);
                }
            }
            View::Annotated(v) => {
                arena.children(term).iter().for_each(|&t| add(&mut locals, t, &[]));
                if v.attributes().any(|(_, value)| matches!(value, AttributeValue::Name(_))) {
                    info.needs = NOWHERE; // a name is given once
                }
            }
            View::Apply(children) => children.iter().for_each(|&a| add(&mut locals, a, &[])),
        }
        info.needs = info.needs.max(self.sort_needs(arena, arena.sort_of(term)));
        locals.sort_unstable();
        locals.dedup();
        info.locals = locals.into();
        info
    }

    /// What a head needs that is not an operator, and whether a binder might capture it.
    fn name_needs(
        &self,
        arena: &Arena,
        name: Symbol,
        indices: &[smelt_smtlib::Index],
        bound: &HashSet<Symbol>,
    ) -> (u32, bool) {
        if let Some(&at) = self.declared.get(&name) {
            return (at, bound.contains(&name));
        }
        let text = arena.text(name);
        let indexed = indices.first().map(|i| i.view());
        match (text, indexed) {
            (b"is" | b"update", Some(IndexView::Text(c))) => (self.declared(c), false),
            (_, Some(IndexView::Number(_))) if text.starts_with(b"bv") => (0, false),
            _ => {
                let constructor = text.strip_prefix(b"is-").and_then(|c| arena.find_symbol(c));
                (constructor.map_or(NOWHERE, |c| self.declared(c)), false)
            }
        }
    }

    fn sort_needs(&self, arena: &Arena, sort: Sort) -> u32 {
        let v = arena.sort_view(sort);
        let own = self.declared.get(&v.head).copied().unwrap_or(0);
        v.args.iter().map(|&a| self.sort_needs(arena, a)).fold(own, u32::max)
    }
}

/// Whether terms of a sort can be handed around.
fn is_usable(arena: &Arena, sort: Sort) -> bool {
    sort != Sort::UNKNOWN
        && arena.sort_view(sort).head != smelt_smtlib::sym::ARROW
        && !arena.is_parametric(sort)
}

/// Where names are declared for the rest of the script: one more than the position of the command.
pub(crate) fn declared_at(seed: &Seed) -> HashMap<Symbol, u32> {
    let mut declared: HashMap<Symbol, u32> = HashMap::new();
    let mut level = 0u32;
    for (i, command) in seed.script.commands.iter().enumerate() {
        match command {
            Command::Push(n) => level = level.saturating_add(*n),
            Command::Pop(n) => level = level.saturating_sub(*n),
            // Declarations may go with the assertions.
            Command::Plain(sym::RESET_ASSERTIONS) => {
                level = 0;
                declared.values_mut().for_each(|at| *at = NOWHERE);
            }
            _ => {}
        }
        for name in command.declared() {
            let at = if level > 0 { NOWHERE } else { i as u32 + 1 };
            declared.entry(name).and_modify(|d| *d = NOWHERE).or_insert(at);
        }
    }
    declared
}
