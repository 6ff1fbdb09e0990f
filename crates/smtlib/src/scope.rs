//! What names mean at a place in a script: declarations on the assertion stack, and local variables.
//!
//! Look-up is by position in a table indexed by symbol. Declarations shadow each other in a chain, so that
//! overloads are seen and `pop` restores what was there.

use crate::arena::{Arena, Fun, Sort, Symbol, Term};

const NONE: u32 = u32::MAX;

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
    shadowed: u32,
}

/// What the name of a sort was declared as.
#[derive(Clone, Debug)]
pub enum SortMeaning {
    /// `declare-sort` or a datatype, of this arity.
    Constructor(u32),
    /// `define-sort`, with its parameters.
    Alias(Box<[Symbol]>, Sort),
    /// A sort parameter.
    Parameter,
}

#[derive(Clone, Debug)]
struct SortDeclaration {
    name: Symbol,
    meaning: SortMeaning,
    shadowed: u32,
}

#[derive(Clone, Debug)]
struct Local {
    name: Symbol,
    sort: Sort,
    /// The occurrence, made when first used.
    term: Option<Term>,
    shadowed: u32,
}

#[derive(Clone, Copy, Debug)]
struct Slots {
    local: u32,
    global: u32,
    sort: u32,
}

const EMPTY: Slots = Slots { local: NONE, global: NONE, sort: NONE };

/// Names in scope.
#[derive(Clone, Debug, Default)]
pub struct Scope {
    slots: Vec<Slots>,
    locals: Vec<Local>,
    globals: Vec<Declaration>,
    sorts: Vec<SortDeclaration>,
    levels: Vec<(u32, u32)>,
    /// With `:global-declarations`, `pop` keeps declarations.
    pub global_declarations: bool,
}

impl Scope {
    /// Nothing declared.
    pub fn new() -> Self {
        Scope::default()
    }

    #[inline]
    fn slots(&self, name: Symbol) -> Slots {
        self.slots.get(name.index()).copied().unwrap_or(EMPTY)
    }

    #[inline]
    fn slots_mut(&mut self, name: Symbol) -> &mut Slots {
        if name.index() >= self.slots.len() {
            self.slots.resize((name.index() + 1).next_power_of_two(), EMPTY);
        }
        &mut self.slots[name.index()]
    }

    // Local variables.

    pub(crate) fn push_local(&mut self, name: Symbol, sort: Sort) {
        let at = self.locals.len() as u32;
        let slot = &mut self.slots_mut(name).local;
        let shadowed = std::mem::replace(slot, at);
        self.locals.push(Local { name, sort, term: None, shadowed });
    }

    pub(crate) fn local_count(&self) -> usize {
        self.locals.len()
    }

    pub(crate) fn truncate_locals(&mut self, len: usize) {
        while self.locals.len() > len {
            let l = self.locals.pop().expect("longer than len");
            self.slots[l.name.index()].local = l.shadowed;
        }
    }

    /// The sort of a local variable.
    pub fn local(&self, name: Symbol) -> Option<Sort> {
        self.locals.get(self.slots(name).local as usize).map(|l| l.sort)
    }

    /// An occurrence of a local variable.
    #[inline]
    pub(crate) fn local_term(&mut self, name: Symbol, arena: &mut Arena) -> Option<Term> {
        let l = self.locals.get_mut(self.slots.get(name.index())?.local as usize)?;
        Some(*l.term.get_or_insert_with(|| arena.var(name, l.sort)))
    }

    // Declarations.

    /// Declares a function or constant over canonical sorts.
    pub fn declare(&mut self, arena: &mut Arena, name: Symbol, role: Role, args: &[Sort], result: Sort) {
        let at = self.globals.len() as u32;
        let shadowed = std::mem::replace(&mut self.slots_mut(name).global, at);
        let args: Box<[Sort]> = args.iter().map(|&a| arena.canonical(a)).collect();
        let result = arena.canonical(result);
        let parametric = arena.is_parametric(result) || args.iter().any(|&a| arena.is_parametric(a));
        let fun = arena.fun(name, None, &[], None);
        let term = (args.is_empty() && !parametric).then(|| arena.app(fun, &[], result));
        self.globals.push(Declaration { name, role, args, result, parametric, fun, term, shadowed });
    }

    /// The declarations of a name, newest first.
    #[inline]
    pub fn declared(&self, name: Symbol) -> impl Iterator<Item = &Declaration> {
        let mut at = self.slots(name).global;
        std::iter::from_fn(move || {
            let d = self.globals.get(at as usize)?;
            at = d.shadowed;
            Some(d)
        })
    }

    /// All declarations in scope, oldest first, shadowed ones included.
    pub fn declarations(&self) -> &[Declaration] {
        &self.globals
    }

    // Sorts.

    /// Declares the name of a sort.
    pub fn declare_sort(&mut self, name: Symbol, meaning: SortMeaning) {
        let at = self.sorts.len() as u32;
        let shadowed = std::mem::replace(&mut self.slots_mut(name).sort, at);
        self.sorts.push(SortDeclaration { name, meaning, shadowed });
    }

    /// What the name of a sort means.
    pub fn sort_meaning(&self, name: Symbol) -> Option<&SortMeaning> {
        self.sorts.get(self.slots(name).sort as usize).map(|s| &s.meaning)
    }

    /// The declared sort constructors with their arities, oldest first.
    pub fn sort_constructors(&self) -> impl Iterator<Item = (Symbol, u32)> {
        self.sorts.iter().filter_map(|s| match s.meaning {
            SortMeaning::Constructor(arity) => Some((s.name, arity)),
            _ => None,
        })
    }

    /// A mark to take declared sort names back to: datatype parameters are names for one command.
    pub(crate) fn sort_count(&self) -> usize {
        self.sorts.len()
    }

    pub(crate) fn truncate_sorts(&mut self, len: usize) {
        while self.sorts.len() > len {
            let s = self.sorts.pop().expect("longer than len");
            self.slots[s.name.index()].sort = s.shadowed;
        }
    }

    fn truncate_globals(&mut self, len: usize) {
        while self.globals.len() > len {
            let d = self.globals.pop().expect("longer than len");
            self.slots[d.name.index()].global = d.shadowed;
        }
    }

    // The assertion stack.

    /// `(push n)`
    pub fn push(&mut self, n: u32) {
        // The stack of a file that pushes a billion levels is not worth its memory.
        for _ in 0..n.min(1 << 16) {
            self.levels.push((self.globals.len() as u32, self.sorts.len() as u32));
        }
    }

    /// `(pop n)`; levels that are not there are ignored.
    pub fn pop(&mut self, n: u32) {
        for _ in 0..n {
            let Some((globals, sorts)) = self.levels.pop() else { return };
            if !self.global_declarations {
                self.truncate_globals(globals as usize);
                self.truncate_sorts(sorts as usize);
            }
        }
    }

    /// `(reset)`
    pub fn reset(&mut self) {
        self.levels.clear();
        self.truncate_locals(0);
        self.truncate_globals(0);
        self.truncate_sorts(0);
        self.global_declarations = false;
    }
}
