//! SMT-LIB: reading, typing and printing.
//!
//! A script is read in one pass into an [`Arena`] of hash-consed terms, each with its sort. The parser accepts
//! everything that solvers accept: unknown commands are kept as text, and undeclared symbols get the sort unknown.
//! The printer writes SMT-LIB that current solvers accept.
//!
//! ```
//! use smelt_smtlib::{Arena, parse_script};
//! let mut arena = Arena::new();
//! let parsed = parse_script(&mut arena, b"(declare-const x Int) (assert (> x 1)) (check-sat)").unwrap();
//! assert!(parsed.diagnostics.is_empty());
//! let text = arena.display_script(&parsed.script);
//! assert!(text.ends_with(b"(assert (> x 1))\n(check-sat)\n"));
//! ```

pub mod abandon;
mod arena;
mod error;
mod intern;
mod lexer;
pub mod logic;
pub mod occurrence;
mod parser;
mod printer;
pub mod rebuild;
pub mod rename;
pub mod rewrite;
mod scope;
pub mod script;
pub mod sexpr;
pub mod signature;
mod spread;

pub use arena::{
    AnnotatedView, Arena, Attribute, AttributeValue, BinderView, Checkpoint, Fun, FunView, Index, IndexView,
    LetView, Literal, MatchView, Op, Pattern, PatternView, Sort, SortKind, SortView, Strictness, Symbol,
    Term, View, sym,
};
pub use error::{Error, Place, Result, line_column};
pub use lexer::{Lexer, Token, TokenKind};
pub use parser::{Diagnostic, Flaw, Parsed, Parser, parse_script};
pub use printer::{Printer, Span, Spelling};
pub use scope::{Declaration, Role, Scope};
pub use script::{Command, Script};
pub use spread::Spread;
