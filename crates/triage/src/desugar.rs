//! Desugaring: a script without one construct of the language, but with the same meaning.
//!
//! An operator at fault is found by evaluating it alone. Binders, annotations, definitions and commands cannot be
//! evaluated alone. But if the script without them is answered correctly, the bug is about them. A quantifier is
//! rewritten as the negation of the other quantifier.

use smelt_semantics::goal::Goal;
use smelt_smtlib::script::{Command, Script};
use smelt_smtlib::{Arena, Symbol, Term, View, parse_script, sym};
use std::collections::HashMap;

/// A script without a construct.
#[derive(Clone, Debug)]
pub(crate) struct Desugared {
    /// The construct.
    pub(crate) construct: &'static str,
    /// The script.
    pub(crate) script: Vec<u8>,
}

/// Larger scripts, and those with deeper terms, are not rewritten.
const MAX_TERMS: usize = 1 << 16;
const MAX_DEPTH: u32 = 1_000;

/// The question of one `check-sat` without each construct that the script has.
pub(crate) fn desugared(script: &[u8], check: usize) -> Vec<Desugared> {
    let mut arena = Arena::new();
    let Ok(parsed) = parse_script(&mut arena, script) else { return Vec::new() };
    let script = parsed.script;
    let mut variants = Vec::new();
    let terms = arena.parts_first(script.commands.iter().flat_map(Command::terms));
    let has_term = |wanted: fn(&View<'_>) -> bool| terms.iter().any(|t| wanted(&arena.view(*t)));
    let defines = |c: &Command| matches!(c, Command::DefineFun(..) | Command::DefineConst(..));
    let all = [
        ("let", has_term(|v| matches!(v, View::Let(_))), Without { lets: true, ..Without::default() }),
        (
            "!",
            has_term(|v| matches!(v, View::Annotated(_))),
            Without { annotations: true, ..Without::default() },
        ),
        (
            "define-fun",
            script.commands.iter().any(defines),
            Without { definitions: true, ..Without::default() },
        ),
        (
            "forall",
            has_term(|v| matches!(v, View::Binder(b) if b.name == sym::FORALL)),
            Without { quantifier: Some(sym::FORALL), ..Without::default() },
        ),
        (
            "exists",
            has_term(|v| matches!(v, View::Binder(b) if b.name == sym::EXISTS)),
            Without { quantifier: Some(sym::EXISTS), ..Without::default() },
        ),
    ];
    for (construct, _, without) in all.into_iter().filter(|c| c.1) {
        if let Some(changed) = without.rewrite(&mut arena, &script) {
            variants.push(Desugared { construct, script: arena.display_script(&changed) });
        }
    }
    let has = |wanted: fn(&Command) -> bool| script.commands.iter().any(wanted);
    let stack = match () {
        () if has(|c| matches!(c, Command::Pop(_))) => Some("(pop)"),
        () if has(|c| matches!(c, Command::Push(_))) => Some("(push)"),
        () if has(|c| matches!(c, Command::Plain(sym::RESET | sym::RESET_ASSERTIONS))) => Some("(reset)"),
        () if has(|c| matches!(c, Command::CheckSatAssuming(_))) => Some("(check-sat-assuming)"),
        () if script.commands.iter().filter(|c| matches!(c, Command::CheckSat)).count() > 1 => {
            Some("(check-sat)")
        }
        () => None,
    };
    if let (Some(construct), Some(goal)) = (stack, Goal::all(&script).into_iter().nth(check)) {
        let mut commands = goal.context.commands;
        commands.extend(goal.assertions.into_iter().map(Command::Assert));
        commands.push(Command::CheckSat);
        let flat = Script { commands, comments: Vec::new() };
        variants.push(Desugared { construct, script: arena.display_script(&flat) });
    }
    variants
}

/// The constructs to do without.
#[derive(Clone, Copy, Default)]
struct Without {
    lets: bool,
    annotations: bool,
    definitions: bool,
    /// `forall` or `exists`.
    quantifier: Option<Symbol>,
}

/// The terms that variables stand for.
type Scope = HashMap<Symbol, Term>;

struct Rewriting<'a> {
    without: Without,
    arena: &'a mut Arena,
    /// Names given with `:named`, and what they stand for.
    named: Scope,
    definitions: HashMap<Symbol, (Vec<Symbol>, Term)>,
    fresh: u32,
    made: usize,
}

impl Without {
    /// The script without the constructs; `None` if it is too large, or a name might be captured.
    fn rewrite(self, arena: &mut Arena, script: &Script) -> Option<Script> {
        let mut named = Scope::new();
        let mut definitions = HashMap::new();
        if self.annotations {
            for t in arena.parts_first(script.commands.iter().flat_map(Command::terms)) {
                if let View::Annotated(v) = arena.view(t)
                    && let Some(name) = v.name()
                {
                    named.insert(name, v.term());
                }
            }
        }
        let mut commands = Vec::new();
        for command in &script.commands {
            if self.definitions {
                match command {
                    Command::DefineConst(name, _, body) => {
                        definitions.insert(*name, (Vec::new(), *body));
                        continue;
                    }
                    Command::DefineFun(h, body) => {
                        definitions.insert(h.name, (h.params.iter().map(|p| p.0).collect(), *body));
                        continue;
                    }
                    _ => {}
                }
            }
            commands.push(command.clone());
        }
        let mut rewriting = Rewriting { without: self, arena, named, definitions, fresh: 0, made: 0 };
        for slot in commands.iter_mut().flat_map(Command::terms_mut) {
            *slot = rewriting.term(*slot, &Scope::new(), 0)?;
        }
        Some(Script { commands, comments: Vec::new() })
    }
}

impl Rewriting<'_> {
    fn term(&mut self, term: Term, scope: &Scope, depth: u32) -> Option<Term> {
        self.made += 1;
        if depth > MAX_DEPTH || self.made > MAX_TERMS {
            return None;
        }
        let all = |this: &mut Self, terms: &[Term], scope: &Scope| -> Option<Vec<Term>> {
            terms.iter().map(|&t| this.term(t, scope, depth + 1)).collect()
        };
        match self.arena.view(term) {
            View::Var(name) => Some(scope.get(&name).copied().unwrap_or(term)),
            View::Literal(..) => Some(term),
            View::Let(v) => {
                let (bindings, body): (Vec<(Symbol, Term)>, Term) = (v.bindings().collect(), v.body());
                let mut inner = scope.clone();
                let mut kept = Vec::new();
                for (name, definition) in bindings {
                    let definition = self.term(definition, scope, depth + 1)?;
                    if self.without.lets {
                        inner.insert(name, definition);
                    } else {
                        let sort = self.arena.sort_of(definition);
                        kept.push((self.rename(name, sort, &mut inner), definition));
                    }
                }
                let body = self.term(body, &inner, depth + 1)?;
                Some(if kept.is_empty() { body } else { self.arena.let_term(&kept, body) })
            }
            View::Binder(v) => {
                let (name, vars, bodies) = (v.name, v.vars().collect::<Vec<_>>(), v.bodies.to_vec());
                let mut inner = scope.clone();
                let renamed: Vec<_> =
                    vars.into_iter().map(|(n, s)| (self.rename(n, s, &mut inner), s)).collect();
                let bodies = all(self, &bodies, &inner)?;
                let sort = self.arena.sort_of(term);
                if self.without.quantifier == Some(name) {
                    let other = if name == sym::FORALL { sym::EXISTS } else { sym::FORALL };
                    let bodies = bodies.into_iter().map(|b| self.not(b)).collect::<Option<Vec<_>>>()?;
                    let dual = self.arena.binder(other, &renamed, &bodies, sort);
                    return self.not(dual);
                }
                Some(self.arena.binder(name, &renamed, &bodies, sort))
            }
            View::Match(v) => {
                let names: Vec<Symbol> =
                    v.cases().flat_map(|c| c.0.vars().map(|v| v.0).collect::<Vec<_>>()).collect();
                // Patterns keep their names.
                let captured = |t: &Term| {
                    self.arena.subterms([*t]).any(|t| match self.arena.view(t) {
                        View::Var(n) => names.contains(&n),
                        View::App(fun, []) => names.contains(&self.arena.fun_view(fun).name),
                        _ => false,
                    })
                };
                if scope.values().any(captured) {
                    return None;
                }
                let children = self.arena.children(term).to_vec();
                let mut inner = scope.clone();
                inner.retain(|n, _| !names.contains(n));
                let mut changed = vec![self.term(children[0], scope, depth + 1)?];
                changed.extend(all(self, &children[1..], &inner)?);
                Some(self.arena.with_children(term, &changed))
            }
            View::Annotated(v) if self.without.annotations => self.term(v.term(), scope, depth + 1),
            View::App(fun, args) => {
                let (name, args) = (self.arena.fun_view(fun).name, args.to_vec());
                let is_own = self.arena.fun_view(fun).op.is_none();
                if let Some(&named) = self.named.get(&name).filter(|_| is_own && args.is_empty()) {
                    return self.term(named, &Scope::new(), depth + 1);
                }
                let args = all(self, &args, scope)?;
                if let Some((params, body)) = self.definitions.get(&name).filter(|_| is_own).cloned() {
                    let inner: Scope = params.into_iter().zip(args).collect();
                    return self.term(body, &inner, depth + 1);
                }
                Some(self.arena.with_children(term, &args))
            }
            View::Annotated(_) | View::Apply(_) => {
                let children = self.arena.children(term).to_vec();
                let children = all(self, &children, scope)?;
                Some(self.arena.with_children(term, &children))
            }
        }
    }

    fn not(&mut self, term: Term) -> Option<Term> {
        let not = self.arena.signatures().named(sym::NOT).next()?;
        self.arena.apply_op(not, &[], &[term])
    }

    /// A new name for a bound variable, so that it captures nothing.
    fn rename(&mut self, name: Symbol, sort: smelt_smtlib::Sort, scope: &mut Scope) -> Symbol {
        self.fresh += 1;
        let text = format!("{}!{}", self.arena.name(name), self.fresh);
        let new = self.arena.symbol(text.as_bytes());
        let sort = self.arena.canonical(sort);
        let var = self.arena.var(new, sort);
        scope.insert(name, var);
        new
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn without(script: &str) -> Vec<(&'static str, String)> {
        let text = |d: Desugared| (d.construct, String::from_utf8(d.script).unwrap().replace('\n', ""));
        desugared(script.as_bytes(), 0).into_iter().map(text).collect()
    }

    #[test]
    fn each_construct_goes_and_the_meaning_stays() {
        for (script, construct, rewritten) in [
            (
                "(declare-const a Bool)(assert (let ((a false) (b a)) (or a b)))",
                "let",
                "(assert (or false a))",
            ),
            (
                "(declare-const x Int)(assert (exists ((y Int)) (> y x)))",
                "exists",
                "(assert (not (forall ((y!1 Int)) (not (> y!1 x)))))",
            ),
            (
                "(declare-const x Int)(assert (let ((y x)) (forall ((x Int)) (> y x))))",
                "let",
                "(assert (forall ((x!1 Int)) (> x x!1)))",
            ),
            (
                "(declare-const p Bool)(assert (! p :named n))(assert (not n))",
                "!",
                "(assert p)(assert (not p))",
            ),
            (
                "(declare-const x Int)(define-fun f ((y Int)) Int (+ x y))(assert (> (f (f 1)) 0))",
                "define-fun",
                "(declare-const x Int)(assert (> (+ x (+ x 1)) 0))",
            ),
        ] {
            let all = without(&format!("{script}(check-sat)"));
            let found = all.iter().find(|c| c.0 == construct).unwrap_or_else(|| panic!("{script}"));
            assert!(found.1.contains(rewritten), "{script}: {}", found.1);
        }
        let all = without("(declare-const p Bool)(assert (forall ((q Bool)) (or p q)))(check-sat)");
        let dual = "(declare-const p Bool)(assert (not (exists ((q!1 Bool)) (not (or p q!1)))))(check-sat)";
        assert_eq!(all, [("forall", dual.to_owned())]);
        let stack = without("(declare-const p Bool)(push 1)(assert p)(pop 1)(assert (not p))(check-sat)");
        assert_eq!(stack, [("(pop)", "(declare-const p Bool)(assert (not p))(check-sat)".to_owned())]);
        assert_eq!(without("(declare-const p Bool)(assert p)(check-sat)"), []);
    }
}
