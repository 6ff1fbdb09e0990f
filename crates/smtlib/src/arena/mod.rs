//! The arena: hash-consed symbols, sorts, heads and terms behind small copyable ids.
//!
//! Ids are meaningful only with their arena. They are made only by interning here, so equal content has equal ids.
//! An arena returns to an earlier [`Checkpoint`] in time linear in the number of dropped ids: a mutator makes a
//! mutant, prints it and rolls back, and memory does not grow.

mod fun;
mod sort;
mod symbol;
mod term;
mod typing;

use std::collections::HashSet;
use std::sync::Arc;

pub use fun::{Fun, FunView, Op};
pub use sort::{Index, IndexView, Sort, SortKind, SortView};
pub use symbol::{Symbol, sym};
pub use term::{
    AnnotatedView, AttributeValue, BinderView, LetView, Literal, MatchView, PatternView, Term, View,
};

pub use typing::Strictness;

use crate::abandon::tick;
use crate::signature::Signatures;
use crate::spread::Spread;
use fun::Funs;
use sort::Sorts;
use symbol::Symbols;
use term::{Kind, NONE, Terms};

/// Owner of everything interned.
#[derive(Clone, Debug)]
pub struct Arena {
    symbols: Symbols,
    sorts: Sorts,
    funs: Funs,
    terms: Terms,
    signatures: Arc<Signatures>,
}

/// A state of an arena to roll back to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Checkpoint {
    symbols: usize,
    sorts: usize,
    funs: usize,
    terms: usize,
}

impl Checkpoint {
    /// How many terms there were.
    pub fn terms(&self) -> usize {
        self.terms
    }
}

/// A pattern of a `match` to be built.
#[derive(Clone, Debug)]
pub struct Pattern {
    /// The constructor; `None` for a variable or `_`.
    pub constructor: Option<Symbol>,
    /// The variables it binds, with canonical sorts.
    pub vars: Vec<(Symbol, Sort)>,
}

/// An attribute of an annotated term to be built.
#[derive(Clone, Debug)]
pub enum Attribute {
    /// A keyword alone.
    Bare(Symbol),
    /// A keyword with any token or s-expression.
    Text(Symbol, Symbol),
    /// `:named`
    Name(Symbol),
    /// `:pattern` or `:no-pattern` with its number of terms.
    Terms(Symbol, usize),
}

impl Default for Arena {
    fn default() -> Self {
        Arena::new()
    }
}

impl Arena {
    /// An arena with the built-in signatures.
    pub fn new() -> Self {
        Signatures::builtin().arena()
    }

    /// An arena for compiling signatures: fixed symbols and sorts only.
    pub(crate) fn bare(signatures: Arc<Signatures>) -> Self {
        let mut arena = Arena {
            symbols: Symbols::new(),
            sorts: Sorts::fixed(),
            funs: Funs::new(),
            terms: Terms::new(),
            signatures,
        };
        arena.intern_fixed_symbols();
        arena
    }

    pub(crate) fn with_signatures(mut self, signatures: Arc<Signatures>) -> Self {
        self.signatures = signatures;
        self
    }

    /// The signature table that typing reads.
    pub fn signatures(&self) -> &Arc<Signatures> {
        &self.signatures
    }

    /// Everything interned from now on can be dropped with [`Arena::rollback`].
    pub fn checkpoint(&self) -> Checkpoint {
        Checkpoint {
            symbols: self.symbol_count(),
            sorts: self.sort_count(),
            funs: self.funs.len(),
            terms: self.term_count(),
        }
    }

    /// Drops everything interned since `checkpoint`; ids from after it become meaningless.
    pub fn rollback(&mut self, checkpoint: Checkpoint) {
        self.terms.truncate(checkpoint.terms);
        self.funs.truncate(checkpoint.funs);
        self.sorts.truncate(checkpoint.sorts);
        self.symbols.truncate(checkpoint.symbols);
    }

    // Sorts.

    /// A sort from its constructor.
    pub fn sort(&mut self, head: Symbol, args: &[Sort]) -> Sort {
        self.sorts.intern(head, SortKind::Constructor, &[], args, None)
    }

    /// An indexed sort.
    pub(crate) fn indexed_sort(&mut self, head: Symbol, indices: &[Index]) -> Sort {
        self.sorts.intern(head, SortKind::Constructor, indices, &[], None)
    }

    /// A name that `define-sort` introduced, applied, standing for `canonical`.
    pub fn alias_sort(&mut self, head: Symbol, args: &[Sort], canonical: Sort) -> Sort {
        let canonical = self.canonical(canonical);
        self.sorts.intern(head, SortKind::Alias, &[], args, Some(canonical))
    }

    /// An undeclared sort: kept as written; its canonical form is unknown.
    pub(crate) fn unknown_sort(&mut self, head: Symbol, indices: &[Index], args: &[Sort]) -> Sort {
        self.sorts.intern(head, SortKind::Alias, indices, args, Some(Sort::UNKNOWN))
    }

    /// A sort parameter.
    pub(crate) fn sort_parameter(&mut self, name: Symbol) -> Sort {
        self.sorts.intern(name, SortKind::Parameter, &[], &[], None)
    }

    /// `(_ BitVec width)`
    pub fn bitvec(&mut self, width: u32) -> Sort {
        self.indexed_sort(sym::BITVEC, &[Index(width)])
    }

    /// `(_ FloatingPoint eb sb)`
    pub fn float(&mut self, exponent: u32, significand: u32) -> Sort {
        self.indexed_sort(sym::FLOATING_POINT, &[Index(exponent), Index(significand)])
    }

    /// The width, if the sort is a bit-vector.
    #[inline]
    pub fn bitvec_width(&self, sort: Sort) -> Option<u32> {
        match self.sort_view(sort) {
            SortView { head: sym::BITVEC, indices: [n], .. } => n.as_number(),
            _ => None,
        }
    }

    /// Exponent and significand widths, if the sort is a float.
    pub fn float_format(&self, sort: Sort) -> Option<(u32, u32)> {
        match self.sort_view(sort) {
            SortView { head: sym::FLOATING_POINT, indices: [e, s], .. } => {
                Some((e.as_number()?, s.as_number()?))
            }
            _ => None,
        }
    }

    /// The names in a sort, defined ones expanded, outermost first.
    pub fn sort_heads(&self, sort: Sort) -> impl Iterator<Item = Symbol> + '_ {
        let mut work = vec![self.canonical(sort)];
        std::iter::from_fn(move || {
            let view = self.sort_view(work.pop()?);
            work.extend(view.args);
            Some(view.head)
        })
    }

    /// Replaces sort parameters, in a sort without aliases.
    pub fn substitute(&mut self, sort: Sort, map: &dyn Fn(Symbol) -> Option<Sort>) -> Sort {
        let view = self.sort_view(sort);
        match view.kind {
            SortKind::Parameter => map(view.head).unwrap_or(sort),
            _ if !self.is_parametric(sort) => sort,
            _ => {
                let (head, args) = (view.head, view.args.to_vec());
                let new: Vec<Sort> = args.iter().map(|&a| self.substitute(a, map)).collect();
                if new == args { sort } else { self.sort(head, &new) }
            }
        }
    }

    /// The sort of a function from all but the last of `parts` to the last; that sort itself if it is alone.
    pub(crate) fn function_sort(&mut self, parts: &[Sort]) -> Sort {
        typing::function_sort(&mut self.sorts, parts)
    }

    // Heads.

    /// The row of the signature table that an application resolved to.
    pub fn op(&self, term: Term) -> Option<Op> {
        match self.view(term) {
            View::App(fun, _) => self.fun_view(fun).op,
            _ => None,
        }
    }

    // Terms.

    /// The terms in and below `roots`, each once: the last root first, parents before their children.
    pub fn subterms<'a>(&'a self, roots: impl IntoIterator<Item = Term>) -> impl Iterator<Item = Term> + 'a {
        self.subterms_if(roots, |_| true)
    }

    /// The same in ascending order of ids: parts come before the terms around them.
    pub fn parts_first(&self, roots: impl IntoIterator<Item = Term>) -> Vec<Term> {
        let mut terms: Vec<Term> = self.subterms(roots).collect();
        terms.sort_unstable();
        terms
    }

    /// The same as [`Arena::subterms`] without terms for which `enter` is false, and without all that occurs only below them.
    pub fn subterms_if<'a>(
        &'a self,
        roots: impl IntoIterator<Item = Term>,
        enter: impl Fn(Term) -> bool + 'a,
    ) -> impl Iterator<Item = Term> + 'a {
        let mut work: Vec<Term> = roots.into_iter().collect();
        let mut seen: HashSet<Term, Spread> = HashSet::default();
        std::iter::from_fn(move || {
            loop {
                tick();
                let term = work.pop()?;
                if seen.insert(term) && enter(term) {
                    work.extend(self.children(term));
                    return Some(term);
                }
            }
        })
    }

    /// An application whose sort the caller knows. [`Arena::apply_op`] and the parser infer sorts.
    #[inline]
    pub fn app(&mut self, fun: Fun, args: &[Term], sort: Sort) -> Term {
        self.terms.intern(Kind::App, fun.0, sort, args, &[])
    }

    /// A bound variable.
    #[inline]
    pub fn var(&mut self, name: Symbol, sort: Sort) -> Term {
        let sort = self.canonical(sort);
        self.terms.intern(Kind::Var, name.0, sort, &[], &[])
    }

    /// A literal of a sort that fits it.
    #[inline]
    pub fn literal(&mut self, kind: Literal, text: Symbol, sort: Sort) -> Term {
        self.terms.intern(Kind::Literal, text.0, sort, &[], &[Term(kind as u32)])
    }

    /// `(let (bindings) body)`
    pub fn let_term(&mut self, bindings: &[(Symbol, Term)], body: Term) -> Term {
        let children: Vec<Term> = bindings.iter().map(|b| b.1).chain([body]).collect();
        let names: Vec<Symbol> = bindings.iter().map(|b| b.0).collect();
        self.let_parts(&names, &children)
    }

    /// The same from the names, and the definitions with the body last.
    pub(crate) fn let_parts(&mut self, names: &[Symbol], children: &[Term]) -> Term {
        let sort = self.sort_of(*children.last().expect("a let has a body"));
        let extra: Vec<Term> = names.iter().map(|n| Term(n.0)).collect();
        self.terms.intern(Kind::Let, 0, sort, children, &extra)
    }

    /// A binder; `sort` is that of the whole.
    pub fn binder(&mut self, name: Symbol, vars: &[(Symbol, Sort)], bodies: &[Term], sort: Sort) -> Term {
        let extra: Vec<Term> = vars.iter().flat_map(|&(n, s)| [Term(n.0), Term(s.0)]).collect();
        self.terms.intern(Kind::Binder, name.0, sort, bodies, &extra)
    }

    /// A `match`; one body for each pattern.
    pub(crate) fn match_term(&mut self, scrutinee: Term, cases: &[(Pattern, Term)], sort: Sort) -> Term {
        let children: Vec<Term> = [scrutinee].into_iter().chain(cases.iter().map(|c| c.1)).collect();
        let mut extra = Vec::new();
        for (pattern, _) in cases {
            extra.push(Term(pattern.constructor.map_or(NONE, |c| c.0)));
            extra.push(Term(pattern.vars.len() as u32));
            extra.extend(pattern.vars.iter().flat_map(|&(n, s)| [Term(n.0), Term(s.0)]));
        }
        self.terms.intern(Kind::Match, 0, sort, &children, &extra)
    }

    /// `(! term attributes)`; after the term, `children` has the terms of the attributes.
    pub fn annotated(&mut self, children: &[Term], attributes: &[Attribute]) -> Term {
        let mut extra = Vec::with_capacity(attributes.len() * 3);
        for attribute in attributes {
            extra.extend(match attribute {
                Attribute::Bare(k) => [Term(k.0), Term(0), Term(0)],
                Attribute::Text(k, text) => [Term(k.0), Term(1), Term(text.0)],
                Attribute::Name(name) => [Term(sym::K_NAMED.0), Term(2), Term(name.0)],
                Attribute::Terms(k, count) => [Term(k.0), Term(3), Term(*count as u32)],
            });
        }
        let sort = self.sort_of(children[0]);
        self.terms.intern(Kind::Annotated, 0, sort, children, &extra)
    }

    /// A term applied to arguments: the head is the first child.
    pub(crate) fn apply_term(&mut self, children: &[Term], sort: Sort) -> Term {
        self.terms.intern(Kind::Apply, 0, sort, children, &[])
    }

    /// `term` over other children, of the same number and sorts; the rest stays.
    ///
    /// The sort is kept, except that of a `let` or an annotation, which is its body's.
    pub fn with_children(&mut self, term: Term, children: &[Term]) -> Term {
        let node = *self.terms.node(term);
        debug_assert_eq!(node.children as usize, children.len(), "a term keeps its number of children");
        let sort = match node.kind {
            Kind::Let => self.sort_of(children[children.len() - 1]),
            Kind::Annotated => self.sort_of(children[0]),
            _ => node.sort,
        };
        let mut buffer = [Term(0); 8];
        let extra = self.terms.extra_of(&node);
        if extra.len() <= buffer.len() {
            let n = extra.len();
            buffer[..n].copy_from_slice(extra);
            self.terms.intern(node.kind, node.payload, sort, children, &buffer[..n])
        } else {
            let extra = extra.to_vec();
            self.terms.intern(node.kind, node.payload, sort, children, &extra)
        }
    }
}
