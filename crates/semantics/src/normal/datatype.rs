//! Constructors, selectors and testers of datatypes, where a script's are known.

use std::collections::HashMap;

use smelt_smtlib::script::Command;
use smelt_smtlib::{Arena, Fun, IndexView, Sort, Symbol, sym};

use super::node::{Head, Normal, Normals};

/// The datatypes of one script.
#[derive(Clone, Debug, Default)]
pub struct Datatypes {
    /// By constructor, how many arguments it has.
    constructors: HashMap<Symbol, usize>,
    /// By selector, its constructor and the argument's number.
    selectors: HashMap<Symbol, (Symbol, usize)>,
}

impl Datatypes {
    /// Those that commands declare; none if two have a name in common.
    pub fn of(commands: &[Command]) -> Datatypes {
        let mut all = Datatypes::default();
        let mut names = 0;
        for command in commands {
            let Command::DeclareDatatypes(_, datatypes) = command else { continue };
            for constructor in datatypes.iter().flat_map(|datatype| &datatype.constructors) {
                names += 1 + constructor.selectors.len();
                all.constructors.insert(constructor.name, constructor.selectors.len());
                for (i, selector) in constructor.selectors.iter().enumerate() {
                    all.selectors.insert(selector.0, (constructor.name, i));
                }
            }
        }
        let is_unique = all.constructors.len() + all.selectors.len() == names;
        if is_unique { all } else { Datatypes::default() }
    }
}

impl Normals {
    /// The datatypes of the scripts whose terms come next. Forms made before may lack what follows from them.
    pub fn know_datatypes(&mut self, datatypes: Datatypes) {
        self.datatypes = datatypes;
    }

    /// The constructor at the top of a form.
    fn constructor(&self, arena: &Arena, n: Normal) -> Option<Symbol> {
        let Head::Fun(fun) = self.head(n) else { return None };
        let f = arena.fun_view(*fun);
        let arity = *self.datatypes.constructors.get(&f.name)?;
        (f.op.is_none() && f.indices.is_empty() && self.args(n).len() == arity).then_some(f.name)
    }

    /// A tester or selector of a constructor's term.
    pub(super) fn of_datatype(&self, arena: &Arena, fun: Fun, args: &[Normal]) -> Option<Normal> {
        let &[arg] = args else { return None };
        let constructor = self.constructor(arena, arg)?;
        let f = arena.fun_view(fun);
        if let (sym::IS, [index]) = (f.name, f.indices) {
            let IndexView::Text(tested) = index.view() else { return None };
            return Some(Normal::of_bool(tested == constructor));
        }
        let &(of, at) = self.datatypes.selectors.get(&f.name)?;
        if of == constructor { self.args(arg).get(at).copied() } else { None }
    }

    /// Whether two terms of constructors are equal: if the constructors are one, and their arguments are equal.
    pub(super) fn equal_constructed(&mut self, arena: &Arena, a: Normal, b: Normal) -> Option<Normal> {
        let (of_a, of_b) = (self.constructor(arena, a)?, self.constructor(arena, b)?);
        if of_a != of_b {
            return Some(Normal::FALSE);
        }
        let pairs: Vec<(Normal, Normal)> =
            self.args(a).iter().copied().zip(self.args(b).iter().copied()).collect();
        let parts: Vec<Normal> = pairs.into_iter().map(|(x, y)| self.equal(arena, x, y)).collect();
        (self.sort(a) != Sort::BOOL).then(|| self.and(parts))
    }
}
