//! The names in scope at a place in a script: declarations on the assertion stack, and local variables.
//!
//! Three [`Chains`] map names: local variables, declarations, sorts. An entry shadows earlier ones of its name, so that
//! overloads are found and `pop` restores the earlier entry.

use std::collections::HashMap;

use crate::arena::{Arena, Fun, Sort, Symbol, Term};
use crate::spread::Spread;

/// What a name was declared as.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Role {
    /// A function or constant without a definition.
    Free,
    /// Defined, possibly by recursion.
    Defined,
    /// A constructor of a datatype.
    Constructor,
    /// A selector of a datatype.
    Selector,
    /// The tester `is-c` of a constructor.
    Tester,
    /// A name given with `:named`.
    Named,
}

/// A declared function or constant.
#[derive(Clone, Debug)]
pub struct Declaration {
    /// Its name.
    pub name: Symbol,
    /// What it is.
    pub role: Role,
    /// Canonical sorts of its arguments.
    pub args: Box<[Sort]>,
    /// Canonical sort of its result.
    pub result: Sort,
    /// Whether sort parameters stand in its signature.
    pub parametric: bool,
    /// The head of its applications.
    pub fun: Fun,
    /// The term it is, for a constant.
    pub term: Option<Term>,
}

/// What the name of a sort was declared as.
#[derive(Clone, Debug)]
pub(crate) enum SortMeaning {
    /// `declare-sort` or a datatype, of this arity.
    Constructor(u32),
    /// `define-sort`, with its parameters.
    Alias(Box<[Symbol]>, Sort),
    /// A sort parameter.
    Parameter,
}

/// Entries by name. The newest entry of a name shadows the others; entries leave last-in first-out.
#[derive(Clone, Debug)]
pub(crate) struct Chains<T> {
    /// The position of the newest entry of each name. A table by symbol would be as large as the arena, for each script in it.
    newest: HashMap<Symbol, u32, Spread>,
    entries: Vec<Entry<T>>,
}

#[derive(Clone, Debug)]
struct Entry<T> {
    name: Symbol,
    /// The position of the entry that this one shadows.
    shadowed: Option<u32>,
    value: T,
}

impl<T> Default for Chains<T> {
    fn default() -> Self {
        Chains { newest: HashMap::default(), entries: Vec::new() }
    }
}

impl<T> Chains<T> {
    pub(crate) fn push(&mut self, name: Symbol, value: T) {
        let at = self.entries.len() as u32;
        let shadowed = self.newest.insert(name, at);
        self.entries.push(Entry { name, shadowed, value });
    }

    /// The position of the newest entry of a name.
    #[inline]
    fn position(&self, name: Symbol) -> Option<usize> {
        self.newest.get(&name).map(|&at| at as usize)
    }

    /// The entries of a name, newest first.
    #[inline]
    pub(crate) fn get(&self, name: Symbol) -> impl Iterator<Item = &T> {
        let mut at = self.position(name);
        std::iter::from_fn(move || {
            let entry = &self.entries[at?];
            at = entry.shadowed.map(|at| at as usize);
            Some(&entry.value)
        })
    }

    /// A mark for [`Chains::truncate`].
    pub(crate) fn len(&self) -> usize {
        self.entries.len()
    }

    pub(crate) fn truncate(&mut self, len: usize) {
        while self.entries.len() > len {
            let entry = self.entries.pop().expect("longer than len");
            match entry.shadowed {
                Some(at) => self.newest.insert(entry.name, at),
                None => self.newest.remove(&entry.name),
            };
        }
    }
}

#[derive(Clone, Debug)]
pub(crate) struct Local {
    sort: Sort,
    /// The variable as a term, made when first used.
    term: Option<Term>,
}

/// Names in scope.
#[derive(Clone, Debug, Default)]
pub struct Scope {
    pub(crate) locals: Chains<Local>,
    globals: Chains<Declaration>,
    pub(crate) sorts: Chains<SortMeaning>,
    /// The numbers of declarations and sorts at each `push`.
    levels: Vec<(usize, usize)>,
    /// With `:global-declarations`, `pop` keeps declarations.
    pub global_declarations: bool,
}

impl Scope {
    /// Nothing declared.
    pub fn new() -> Self {
        Scope::default()
    }

    // Local variables.

    pub(crate) fn push_local(&mut self, name: Symbol, sort: Sort) {
        self.locals.push(name, Local { sort, term: None });
    }

    /// A local variable as a term.
    #[inline]
    pub(crate) fn local_term(&mut self, name: Symbol, arena: &mut Arena) -> Option<Term> {
        let at = self.locals.position(name)?;
        let l = &mut self.locals.entries[at].value;
        Some(*l.term.get_or_insert_with(|| arena.var(name, l.sort)))
    }

    // Declarations.

    /// Declares a function or constant.
    pub fn declare(&mut self, arena: &mut Arena, name: Symbol, role: Role, args: &[Sort], result: Sort) {
        let args: Box<[Sort]> = args.iter().map(|&a| arena.canonical(a)).collect();
        let result = arena.canonical(result);
        let parametric = arena.is_parametric(result) || args.iter().any(|&a| arena.is_parametric(a));
        let fun = arena.fun(name, None, &[], None);
        let term = (args.is_empty() && !parametric).then(|| arena.app(fun, &[], result));
        self.globals.push(name, Declaration { name, role, args, result, parametric, fun, term });
    }

    /// The declarations of a name, newest first.
    #[inline]
    pub fn declared(&self, name: Symbol) -> impl Iterator<Item = &Declaration> {
        self.globals.get(name)
    }

    /// All declarations in scope, oldest first, shadowed ones included.
    pub fn declarations(&self) -> impl ExactSizeIterator<Item = &Declaration> {
        self.globals.entries.iter().map(|e| &e.value)
    }

    // The assertion stack.

    /// `(push n)`
    pub fn push(&mut self, n: u32) {
        // A file may push a billion levels: storing them would waste memory.
        for _ in 0..n.min(1 << 16) {
            self.levels.push((self.globals.len(), self.sorts.len()));
        }
    }

    /// `(pop n)`; pops beyond the first level are ignored.
    pub fn pop(&mut self, n: u32) {
        for _ in 0..n {
            let Some((globals, sorts)) = self.levels.pop() else { return };
            if !self.global_declarations {
                self.globals.truncate(globals);
                self.sorts.truncate(sorts);
            }
        }
    }

    /// `(reset)`
    pub fn reset(&mut self) {
        *self = Scope::default();
    }
}
