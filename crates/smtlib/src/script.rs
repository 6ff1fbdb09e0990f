//! A script: a list of commands over an arena.

use std::sync::LazyLock;

use crate::arena::{Arena, Sort, Symbol, Term};
use crate::sexpr::{Sexpr, SexprNode, WordLists};

/// One SMT-LIB file.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Script {
    /// Its commands in order.
    pub commands: Vec<Command>,
    /// Comments between commands: headers such as `; EXPECT: sat` carry meaning.
    pub comments: Vec<Comment>,
}

/// A comment line between commands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Comment {
    /// The position of the command after it.
    pub before: u32,
    /// Its text, with the semicolon.
    pub text: Symbol,
}

/// An attribute with its value as written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct InfoValue {
    /// `:status`, ..
    pub keyword: Symbol,
    /// Its value, as written.
    pub value: Option<Symbol>,
}

/// A function's name, parameters and result.
#[derive(Clone, Debug, PartialEq)]
pub struct Header {
    /// Its name.
    pub name: Symbol,
    /// Its parameters.
    pub params: Box<[(Symbol, Sort)]>,
    /// Its result.
    pub result: Sort,
}

/// A constructor of a datatype.
#[derive(Clone, Debug, PartialEq)]
pub struct Constructor {
    /// Its name.
    pub name: Symbol,
    /// Its selectors with their sorts.
    pub selectors: Box<[(Symbol, Sort)]>,
}

/// A datatype.
#[derive(Clone, Debug, PartialEq)]
pub struct Datatype {
    /// Its name.
    pub name: Symbol,
    /// Its sort parameters.
    pub params: Box<[Symbol]>,
    /// Its constructors.
    pub constructors: Box<[Constructor]>,
}

impl Datatype {
    /// Its name, and those of its constructors, each followed by its selectors.
    fn names(&self) -> impl Iterator<Item = Symbol> + '_ {
        let parts = |c: &'_ Constructor| {
            [c.name].into_iter().chain(c.selectors.iter().map(|s| s.0)).collect::<Vec<_>>()
        };
        [self.name].into_iter().chain(self.constructors.iter().flat_map(parts))
    }
}

/// Which of the four commands declares datatypes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DatatypeKind {
    /// `declare-datatype`
    One,
    /// `declare-datatypes`
    Many,
    /// `declare-codatatype`
    CoOne,
    /// `declare-codatatypes`
    CoMany,
}

/// Which way an objective goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    /// `maximize`
    Up,
    /// `minimize`
    Down,
}

/// A command.
#[derive(Clone, Debug, PartialEq)]
pub enum Command {
    /// `(assert t)`
    Assert(Term),
    /// `(check-sat)`
    CheckSat,
    /// `(check-sat-assuming (t ..))`
    CheckSatAssuming(Box<[Term]>),
    /// `(declare-const f s)`
    DeclareConst(Symbol, Sort),
    /// `(declare-datatypes ..)` and the other three of [`DatatypeKind`].
    DeclareDatatypes(DatatypeKind, Box<[Datatype]>),
    /// `(declare-fun f (s ..) s)`
    DeclareFun(Symbol, Box<[Sort]>, Sort),
    /// `(declare-sort s n)`
    DeclareSort(Symbol, u32),
    /// `(declare-sort-parameter s)`
    DeclareSortParameter(Symbol),
    /// `(define-const f s t)`
    DefineConst(Symbol, Sort, Term),
    /// `(define-fun f ((x s) ..) s t)`
    DefineFun(Box<Header>, Term),
    /// `(define-fun-rec f ((x s) ..) s t)`
    DefineFunRec(Box<Header>, Term),
    /// `(define-funs-rec (..) (..))`
    DefineFunsRec(Box<[(Header, Term)]>),
    /// `(define-sort s (p ..) s)`
    DefineSort(Symbol, Box<[Symbol]>, Sort),
    /// `(echo "..")`, the literal as written.
    Echo(Symbol),
    /// `(get-value (t ..))`
    GetValue(Box<[Term]>),
    /// `(simplify t)`, z3's
    Simplify(Term),
    /// `(maximize t)` or `(minimize t)`, z3's
    Optimize(Direction, Term),
    /// `(assert-soft t :weight w :id g)`, z3's: the term, and the attributes as written
    AssertSoft(Term, Box<[InfoValue]>),
    /// `(get-info :k)`
    GetInfo(Symbol),
    /// `(get-option :k)`
    GetOption(Symbol),
    /// `(push n)`
    Push(u32),
    /// `(pop n)`
    Pop(u32),
    /// `(set-info :k v)`
    SetInfo(InfoValue),
    /// `(set-logic l)`
    SetLogic(Symbol),
    /// `(set-option :k v)`
    SetOption(InfoValue),
    /// A standard command without arguments: `(exit)`, `(get-model)`, `(reset)`, ..
    Plain(Symbol),
    /// Any other command: its name, and all of it as written.
    Other(Symbol, Symbol),
    /// A command or text that is not well-formed, as written.
    Malformed(Symbol),
}

/// Commands of solvers that neither add nor remove an assertion.
const HARMLESS: &str = include_str!("../data/commands.txt");

/// What the tactics of z3 promise.
static TACTICS: LazyLock<WordLists> = LazyLock::new(|| {
    WordLists::read(include_bytes!("../data/tactics.txt"))
        .unwrap_or_else(|e| panic!("tactics.txt can be read: {e}"))
});

/// What a tactic promises of the goals that it leaves, from the strongest promise on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Promise {
    /// They are equivalent to the assertions.
    Equivalent,
    /// What satisfies the assertions satisfies one of them.
    Implied,
    /// One of them is satisfiable if and only if the assertions are.
    SameStatus,
}

impl Promise {
    /// All promises.
    pub const ALL: [Promise; 3] = [Promise::Equivalent, Promise::Implied, Promise::SameStatus];

    fn word(self) -> &'static str {
        match self {
            Promise::Equivalent => "equivalent",
            Promise::Implied => "implied",
            Promise::SameStatus => "status",
        }
    }

    /// The promise of a tactic: a name, or `(then T ..)`, which promises what the weakest of its parts does.
    pub fn of_tactic(tactic: &Sexpr) -> Option<Promise> {
        match &tactic.node {
            SexprNode::Atom(name) => {
                Promise::ALL.into_iter().find(|promise| tactics(*promise).any(|known| known == name))
            }
            SexprNode::List(parts) => match parts.split_first()? {
                (head, rest) if head.atom("a word") == Ok("then") => {
                    let parts: Vec<Promise> = rest.iter().map(Promise::of_tactic).collect::<Option<_>>()?;
                    parts.into_iter().max()
                }
                _ => None,
            },
        }
    }
}

/// The tactics that promise this.
pub fn tactics(promise: Promise) -> impl Iterator<Item = &'static str> {
    TACTICS.of(promise.word()).flatten().map(String::as_str)
}

impl Command {
    /// Whether it asks for the status of all assertions: `check-sat`, or z3's `check-sat-using`.
    pub fn is_query(&self, arena: &Arena) -> bool {
        match self {
            Command::CheckSat => true,
            Command::Other(name, _) => arena.text(*name) == b"check-sat-using",
            _ => false,
        }
    }

    /// Whether it asks about terms, which are then not a part of the formula.
    pub fn is_term_query(&self) -> bool {
        matches!(self, Command::GetValue(_) | Command::Simplify(_)) || self.is_objective()
    }

    /// Whether it says what a solver should optimise. The models of a script stay the same.
    pub fn is_objective(&self) -> bool {
        matches!(self, Command::Optimize(..) | Command::AssertSoft(..))
    }

    /// Whether it is a solver's own command that leaves the status of the assertions as it is.
    pub fn is_harmless(&self, arena: &Arena) -> bool {
        if self.is_objective() {
            return true;
        }
        let Command::Other(name, _) = self else { return false };
        let name = arena.text(*name);
        name.starts_with(b"get-") || HARMLESS.split_whitespace().any(|word| word.as_bytes() == name)
    }

    /// The names it declares, in order, without those that `:named` gives.
    pub fn declared(&self) -> Vec<Symbol> {
        match self {
            Command::DeclareConst(n, _)
            | Command::DeclareFun(n, _, _)
            | Command::DeclareSort(n, _)
            | Command::DeclareSortParameter(n)
            | Command::DefineConst(n, _, _)
            | Command::DefineSort(n, _, _) => vec![*n],
            Command::DeclareDatatypes(_, datatypes) => datatypes.iter().flat_map(Datatype::names).collect(),
            _ => self.definitions().map(|d| d.0.name).collect(),
        }
    }

    /// The constant that it declares, with its sort.
    pub fn constant(&self) -> Option<(Symbol, Sort)> {
        match self {
            Command::DeclareConst(name, sort) => Some((*name, *sort)),
            Command::DeclareFun(name, args, sort) if args.is_empty() => Some((*name, *sort)),
            _ => None,
        }
    }

    /// The functions that it defines, with their bodies.
    pub fn definitions(&self) -> impl Iterator<Item = (&Header, Term)> {
        let (one, many): (Option<(&Header, Term)>, &[(Header, Term)]) = match self {
            Command::DefineFun(h, t) | Command::DefineFunRec(h, t) => (Some((h, *t)), &[]),
            Command::DefineFunsRec(definitions) => (None, definitions),
            _ => (None, &[]),
        };
        one.into_iter().chain(many.iter().map(|(h, t)| (h, *t)))
    }

    /// The sorts in it outside of terms, as written.
    pub fn sorts(&self) -> Vec<Sort> {
        match self {
            Command::DeclareConst(_, s) | Command::DefineConst(_, s, _) | Command::DefineSort(_, _, s) => {
                vec![*s]
            }
            Command::DeclareFun(_, args, result) => args.iter().chain([result]).copied().collect(),
            Command::DeclareDatatypes(_, datatypes) => {
                let constructors = datatypes.iter().flat_map(|d| &d.constructors);
                constructors.flat_map(|c| c.selectors.iter().map(|s| s.1)).collect()
            }
            _ => {
                let headers = self.definitions().map(|d| d.0);
                headers.flat_map(|h| h.params.iter().map(|p| p.1).chain([h.result])).collect()
            }
        }
    }

    /// Its terms, in the order they are printed.
    pub fn terms(&self) -> impl Iterator<Item = Term> + '_ {
        let (one, many, rec): (Option<Term>, &[Term], &[(Header, Term)]) = match self {
            Command::Assert(t)
            | Command::Simplify(t)
            | Command::Optimize(_, t)
            | Command::AssertSoft(t, _)
            | Command::DefineConst(_, _, t)
            | Command::DefineFun(_, t)
            | Command::DefineFunRec(_, t) => (Some(*t), &[], &[]),
            Command::CheckSatAssuming(ts) | Command::GetValue(ts) => (None, ts, &[]),
            Command::DefineFunsRec(defs) => (None, &[], defs),
            _ => (None, &[], &[]),
        };
        one.into_iter().chain(many.iter().copied()).chain(rec.iter().map(|d| d.1))
    }

    /// The same terms, to be replaced.
    pub fn terms_mut(&mut self) -> impl Iterator<Item = &mut Term> {
        let (one, many, rec): (Option<&mut Term>, &mut [Term], &mut [(Header, Term)]) = match self {
            Command::Assert(t)
            | Command::Simplify(t)
            | Command::Optimize(_, t)
            | Command::AssertSoft(t, _)
            | Command::DefineConst(_, _, t)
            | Command::DefineFun(_, t)
            | Command::DefineFunRec(_, t) => (Some(t), &mut [], &mut []),
            Command::CheckSatAssuming(ts) | Command::GetValue(ts) => (None, ts, &mut []),
            Command::DefineFunsRec(defs) => (None, &mut [], defs),
            _ => (None, &mut [], &mut []),
        };
        one.into_iter().chain(many.iter_mut()).chain(rec.iter_mut().map(|d| &mut d.1))
    }
}

impl Script {
    /// The asserted terms.
    pub fn assertions(&self) -> impl Iterator<Item = Term> + '_ {
        self.commands.iter().filter_map(|c| if let Command::Assert(t) = c { Some(*t) } else { None })
    }

    /// The first `(set-logic ..)`.
    pub fn logic(&self) -> Option<Symbol> {
        self.commands.iter().find_map(|c| if let Command::SetLogic(l) = c { Some(*l) } else { None })
    }

    /// The value of the first `(set-info :status ..)`.
    pub fn status(&self) -> Option<Symbol> {
        self.commands.iter().find_map(|c| match c {
            Command::SetInfo(i) if i.keyword == crate::arena::sym::K_STATUS => i.value,
            _ => None,
        })
    }
}
