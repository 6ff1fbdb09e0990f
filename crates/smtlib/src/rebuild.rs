//! Changes the names, sorts or terms of a whole script: one walk through all commands and terms.

use std::collections::HashMap;

use crate::arena::{Arena, Attribute, AttributeValue, Pattern, Sort, Symbol, Term, View};
use crate::rewrite::bottom_up;
use crate::script::{Command, Constructor, Datatype, Header, Script};

/// A change of a script. An implementation changes names, sorts, applications and literals; the provided methods
/// change terms, commands and scripts with it.
pub trait Rebuild {
    /// The new name of something that the script declares.
    fn name(&self, name: Symbol) -> Symbol {
        name
    }

    /// The new name of a bound variable, a parameter or a sort parameter.
    fn local(&self, name: Symbol) -> Symbol {
        name
    }

    /// The new sort.
    fn sort(&mut self, arena: &mut Arena, sort: Sort) -> Sort;

    /// The new application or literal, over new children, of its new sort; `None` if the change is impossible.
    fn application(&mut self, arena: &mut Arena, term: Term, children: &[Term], sort: Sort) -> Option<Term>;

    /// A command that is kept as text; `None` if it cannot be changed.
    fn text_command(&mut self, arena: &mut Arena, command: &Command) -> Option<Command>;

    /// The terms that were rebuilt already.
    fn done(&mut self) -> &mut HashMap<Term, Term>;

    /// The new term. Shared terms are rebuilt once.
    fn term(&mut self, arena: &mut Arena, term: Term) -> Option<Term> {
        let mut done = std::mem::take(self.done());
        let new = bottom_up(arena, term, &mut done, |arena, t, children| self.node(arena, t, children));
        *self.done() = done;
        new
    }

    /// The new term over its new children.
    fn node(&mut self, arena: &mut Arena, term: Term, children: &[Term]) -> Option<Term> {
        let sort = self.sort(arena, arena.sort_of(term));
        let sort = arena.canonical(sort);
        Some(match arena.view(term) {
            View::App(..) | View::Literal(..) => return self.application(arena, term, children, sort),
            View::Var(name) => arena.var(self.local(name), sort),
            View::Binder(v) => {
                let (name, vars) = (v.name, v.vars().collect::<Vec<_>>());
                let vars: Vec<_> = self.vars(arena, &vars);
                arena.binder(name, &vars, children, sort)
            }
            View::Match(v) => {
                let patterns: Vec<Pattern> = v
                    .cases()
                    .map(|(p, _)| Pattern { constructor: p.constructor, vars: p.vars().collect() })
                    .collect();
                let cases: Vec<(Pattern, Term)> = patterns
                    .into_iter()
                    .zip(&children[1..])
                    .map(|(p, &body)| {
                        let constructor = p.constructor.map(|c| self.name(c));
                        (Pattern { constructor, vars: self.vars(arena, &p.vars) }, body)
                    })
                    .collect();
                arena.match_term(children[0], &cases, sort)
            }
            View::Annotated(v) => {
                let attributes: Vec<Attribute> = v
                    .attributes()
                    .map(|(k, value)| match value {
                        AttributeValue::None => Attribute::Bare(k),
                        AttributeValue::Text(t) => Attribute::Text(k, t),
                        AttributeValue::Name(n) => Attribute::Name(self.name(n)),
                        AttributeValue::Terms(terms) => Attribute::Terms(k, terms.len()),
                    })
                    .collect();
                arena.annotated(children, &attributes)
            }
            View::Apply(_) => arena.apply_term(children, sort),
            View::Let(v) => {
                let names: Vec<Symbol> = v.bindings().map(|(n, _)| self.local(n)).collect();
                arena.let_parts(&names, children)
            }
        })
    }

    /// New variables.
    fn vars<C: FromIterator<(Symbol, Sort)>>(&mut self, arena: &mut Arena, vars: &[(Symbol, Sort)]) -> C {
        vars.iter().map(|&(n, s)| (self.local(n), self.sort(arena, s))).collect()
    }

    /// The new header of a definition.
    fn header(&mut self, arena: &mut Arena, h: &Header) -> Header {
        let params = self.vars(arena, &h.params);
        Header { name: self.name(h.name), params, result: self.sort(arena, h.result) }
    }

    /// The new datatype.
    fn datatype(&mut self, arena: &mut Arena, d: &Datatype) -> Datatype {
        let mut constructor = |c: &Constructor| Constructor {
            name: self.name(c.name),
            selectors: c.selectors.iter().map(|&(n, s)| (self.name(n), self.sort(arena, s))).collect(),
        };
        let constructors = d.constructors.iter().map(&mut constructor).collect();
        let params = d.params.iter().map(|p| self.local(*p)).collect();
        Datatype { name: self.name(d.name), params, constructors }
    }

    /// The new command.
    fn command(&mut self, arena: &mut Arena, command: &Command) -> Option<Command> {
        Some(match command {
            Command::DeclareConst(n, s) => Command::DeclareConst(self.name(*n), self.sort(arena, *s)),
            Command::DeclareFun(n, args, result) => {
                let args = args.iter().map(|&a| self.sort(arena, a)).collect();
                Command::DeclareFun(self.name(*n), args, self.sort(arena, *result))
            }
            Command::DeclareSort(n, arity) => Command::DeclareSort(self.name(*n), *arity),
            Command::DeclareSortParameter(n) => Command::DeclareSortParameter(self.name(*n)),
            Command::DefineConst(n, s, t) => {
                Command::DefineConst(self.name(*n), self.sort(arena, *s), self.term(arena, *t)?)
            }
            Command::DefineFun(h, t) => {
                Command::DefineFun(Box::new(self.header(arena, h)), self.term(arena, *t)?)
            }
            Command::DefineFunRec(h, t) => {
                Command::DefineFunRec(Box::new(self.header(arena, h)), self.term(arena, *t)?)
            }
            Command::DefineFunsRec(defs) => {
                let mut define =
                    |(h, t): &(Header, Term)| Some((self.header(arena, h), self.term(arena, *t)?));
                Command::DefineFunsRec(defs.iter().map(&mut define).collect::<Option<_>>()?)
            }
            Command::DefineSort(n, params, s) => {
                let params = params.iter().map(|p| self.local(*p)).collect();
                Command::DefineSort(self.name(*n), params, self.sort(arena, *s))
            }
            Command::DeclareDatatypes(kind, datatypes) => {
                let datatypes = datatypes.iter().map(|d| self.datatype(arena, d)).collect();
                Command::DeclareDatatypes(*kind, datatypes)
            }
            Command::Other(..) | Command::Malformed(_) => return self.text_command(arena, command),
            other => {
                let mut other = other.clone();
                for slot in other.terms_mut() {
                    *slot = self.term(arena, *slot)?;
                }
                other
            }
        })
    }

    /// The new script, with its comments.
    fn script(&mut self, arena: &mut Arena, script: &Script) -> Option<Script> {
        let commands = script.commands.iter().map(|c| self.command(arena, c)).collect::<Option<_>>()?;
        Some(Script { commands, comments: script.comments.clone() })
    }
}
