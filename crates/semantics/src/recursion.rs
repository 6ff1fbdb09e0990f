//! Finds recursive definitions that terminate for every argument, as far as that is easy to see.
//!
//! A definition that does not terminate, such as `f(x) = 1 + f(x)`, may have no model, and solvers treat it
//! differently. So nothing is decided about such a script and no solver is accused, unless each recursive call has
//! a smaller argument: a part of a datatype value, or an integer that a condition bounds from below.

use smelt_smtlib::script::{Command, Header, Script};
use smelt_smtlib::{Arena, Fun, IndexView, Literal, Symbol, Term, View, sym};
use std::collections::HashMap;

/// The name of a recursive function that is not seen to end, if there is one.
pub fn endless(arena: &Arena, script: &Script) -> Option<Symbol> {
    let groups = script.commands.iter().filter_map(|c| match c {
        Command::DefineFunRec(h, body) => Some(vec![(&**h, *body)]),
        Command::DefineFunsRec(all) => Some(all.iter().map(|(h, body)| (h, *body)).collect()),
        _ => None,
    });
    let groups: Vec<Vec<(&Header, Term)>> = groups.collect();
    if groups.is_empty() {
        return None;
    }
    let datatypes = script.commands.iter().filter_map(|c| match c {
        Command::DeclareDatatypes(_, all) => Some(all.iter()),
        _ => None,
    });
    let mut siblings = HashMap::new();
    let mut owners = HashMap::new();
    for d in datatypes.flatten() {
        let names: Vec<Symbol> = d.constructors.iter().map(|c| c.name).collect();
        for c in &d.constructors {
            siblings.insert(c.name, names.clone());
            owners.extend(c.selectors.iter().map(|s| (s.0, c.name)));
        }
    }
    groups.into_iter().find_map(|group| {
        let names: Vec<Symbol> = group.iter().map(|(h, _)| h.name).collect();
        let most = group.iter().map(|(h, _)| h.params.len()).min().unwrap_or(0);
        // Each call goes to something smaller at the same position.
        let ends = |at: usize| {
            group.iter().all(|(h, body)| {
                let walk = Walk { arena, siblings: &siblings, owners: &owners, names: &names, at };
                walk.ends(
                    *body,
                    &Path { parameter: h.params[at].0, smaller: Vec::new(), conditions: Vec::new() },
                )
            })
        };
        let calls =
            |t: Term| matches!(arena.view(t), View::App(f, _) if names.contains(&arena.fun_view(f).name));
        let recursive = group.iter().any(|(_, body)| arena.subterms([*body]).any(calls));
        (recursive && !(0..most).any(ends)).then(|| names[0])
    })
}

struct Walk<'a> {
    arena: &'a Arena,
    /// All constructors of the datatype of each constructor.
    siblings: &'a HashMap<Symbol, Vec<Symbol>>,
    /// The constructor of each selector.
    owners: &'a HashMap<Symbol, Symbol>,
    names: &'a [Symbol],
    /// The position of the argument that gets smaller.
    at: usize,
}

/// What holds at a place in a body.
#[derive(Clone)]
struct Path {
    parameter: Symbol,
    /// Variables of patterns that are parts of the parameter.
    smaller: Vec<Symbol>,
    /// Conditions, and whether each is true.
    conditions: Vec<(Term, bool)>,
}

impl Path {
    fn with(&self, condition: Term, holds: bool) -> Path {
        let mut path = self.clone();
        path.conditions.push((condition, holds));
        path
    }
}

impl Walk<'_> {
    /// Whether every call in a term is on something smaller.
    fn ends(&self, term: Term, path: &Path) -> bool {
        let arena = self.arena;
        match arena.view(term) {
            View::App(fun, args) => {
                let f = arena.fun_view(fun);
                if f.op.is_none() && self.names.contains(&f.name) {
                    let smaller = args.get(self.at).is_some_and(|&a| self.is_smaller(a, path));
                    return smaller && args.iter().all(|&a| self.ends(a, path));
                }
                match (f.name, args) {
                    (sym::ITE, &[c, a, b]) => {
                        self.ends(c, path)
                            && self.ends(a, &path.with(c, true))
                            && self.ends(b, &path.with(c, false))
                    }
                    // An argument matters only if those before it do not decide.
                    (sym::AND | sym::OR | sym::IMPLIES, args) => {
                        let mut path = path.clone();
                        args.iter().all(|&a| {
                            let ends = self.ends(a, &path);
                            path = path.with(a, f.name != sym::OR);
                            ends
                        })
                    }
                    _ => args.iter().all(|&a| self.ends(a, path)),
                }
            }
            View::Match(v) => {
                let part = self.is_part(v.scrutinee(), path);
                self.ends(v.scrutinee(), path)
                    && v.cases().all(|(pattern, body)| {
                        let mut path = path.clone();
                        let is_bound = |name: Symbol| pattern.vars().any(|v| v.0 == name);
                        path.smaller.retain(|s| !is_bound(*s));
                        // A condition on another variable of that name says nothing here.
                        path.conditions.retain(|c| {
                            let binds = |t: Term| matches!(arena.view(t), View::Var(v) if is_bound(v));
                            !arena.subterms([c.0]).any(binds)
                        });
                        if part && pattern.constructor.is_some() {
                            path.smaller.extend(pattern.vars().map(|v| v.0));
                        }
                        pattern.vars().all(|v| v.0 != path.parameter) && self.ends(body, &path)
                    })
            }
            View::Annotated(v) => self.ends(v.term(), path),
            // Below these, names may mean something else.
            _ => !arena.subterms([term]).any(|t| match arena.view(t) {
                View::App(fun, _) => self.names.contains(&arena.fun_view(fun).name),
                _ => false,
            }),
        }
    }

    /// The parameter, or a variable that is a part of it.
    fn is_part(&self, term: Term, path: &Path) -> bool {
        matches!(self.arena.view(term), View::Var(v) if v == path.parameter || path.smaller.contains(&v))
            || self.is_selected(term, path)
    }

    fn is_smaller(&self, term: Term, path: &Path) -> bool {
        matches!(self.arena.view(term), View::Var(v) if path.smaller.contains(&v))
            || self.is_selected(term, path)
            || self.is_less(term, path)
    }

    /// `(s t)` for a selector `s` of the constructor that a part `t` of the parameter has.
    fn is_selected(&self, term: Term, path: &Path) -> bool {
        let View::App(fun, &[whole]) = self.arena.view(term) else { return false };
        let Some(owner) = self.owners.get(&self.arena.fun_view(fun).name) else { return false };
        let tested = |c: Symbol, holds: bool| {
            path.conditions.iter().any(|&(t, h)| h == holds && self.tests(t) == Some((c, whole)))
        };
        let others = &self.siblings[owner];
        let is_owner = tested(*owner, true) || others.iter().all(|c| c == owner || tested(*c, false));
        is_owner && self.is_part(whole, path)
    }

    /// The constructor and the term of a test, also written `(= t c)`.
    fn tests(&self, condition: Term) -> Option<(Symbol, Term)> {
        let arena = self.arena;
        let View::App(fun, args) = arena.view(condition) else { return None };
        let f = arena.fun_view(fun);
        match (f.name, args) {
            (sym::IS, &[t]) => match f.indices.first()?.view() {
                IndexView::Text(c) => Some((c, t)),
                IndexView::Number(_) => None,
            },
            (sym::EQUAL, &[a, b]) => {
                let constant = |t: Term| match arena.view(t) {
                    View::App(c, []) => {
                        Some(arena.fun_view(c).name).filter(|c| self.siblings.contains_key(c))
                    }
                    _ => None,
                };
                constant(b).map(|c| (c, a)).or_else(|| constant(a).map(|c| (c, b)))
            }
            (name, &[t]) => Some((arena.find_symbol(arena.text(name).strip_prefix(b"is-")?)?, t)),
            _ => None,
        }
    }

    /// `(- p n)` where a condition bounds the parameter `p` from below.
    fn is_less(&self, term: Term, path: &Path) -> bool {
        let View::App(fun, &[p, n]) = self.arena.view(term) else { return false };
        let taken = self.operator(fun) == b"-" && self.number(n).is_some_and(|n| n > 0);
        let is_parameter = |t: Term| matches!(self.arena.view(t), View::Var(v) if v == path.parameter);
        taken
            && is_parameter(p)
            && path.conditions.iter().any(|&(c, holds)| {
                let View::App(fun, &[a, b]) = self.arena.view(c) else { return false };
                let is_number = |t: Term| self.number(t).is_some();
                match (self.operator(fun), holds) {
                    (b">" | b">=", true) | (b"<" | b"<=", false) => is_parameter(a) && is_number(b),
                    (b"<" | b"<=", true) | (b">" | b">=", false) => is_number(a) && is_parameter(b),
                    _ => false,
                }
            })
    }

    /// The name of an operator; empty for a function of the script.
    fn operator(&self, fun: Fun) -> &[u8] {
        let f = self.arena.fun_view(fun);
        if f.op.is_some() { self.arena.text(f.name) } else { b"" }
    }

    fn number(&self, term: Term) -> Option<i64> {
        match self.arena.view(term) {
            View::Literal(Literal::Numeral, text) => self.arena.name(text).parse().ok(),
            View::App(fun, &[t]) if self.operator(fun) == b"-" => self.number(t).map(|n| -n),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use smelt_smtlib::parse_script;

    fn is_endless(text: &str) -> bool {
        let mut arena = Arena::new();
        let text = format!("(declare-datatype L ((nil) (cons (head Int) (tail L)))){text}");
        let parsed = parse_script(&mut arena, text.as_bytes()).unwrap();
        assert_eq!(parsed.diagnostics, [], "{text}");
        endless(&arena, &parsed.script).is_some()
    }

    #[test]
    fn calls_on_parts_and_on_bounded_integers_end() {
        for text in [
            "(define-fun-rec n ((x L)) Int (match x ((nil 0) ((cons h t) (+ 1 (n t))))))",
            "(define-fun-rec n ((x L)) Int (ite ((_ is cons) x) (+ 1 (n (tail x))) 0))",
            "(define-fun-rec n ((x L)) Int (ite ((_ is nil) x) 0 (+ 1 (n (tail x)))))",
            "(define-fun-rec n ((x L)) Int (ite (= x nil) 0 (+ 1 (n (tail x)))))",
            "(define-fun-rec a ((x L) (y L)) L (match x ((nil y) ((cons h t) (cons h (a t y))))))",
            "(define-fun-rec f ((x Int)) Int (ite (<= x 0) 0 (+ x (f (- x 1)))))",
            "(define-fun-rec p ((x L)) Bool (or (= x nil) (and (> (head x) 0) (p (tail x)))))",
            "(define-funs-rec ((e ((x Int)) Bool) (o ((x Int)) Bool))
               ((ite (< x 1) true (o (- x 1))) (ite (< x 1) false (e (- x 1)))))",
            "(define-fun-rec g ((x Int)) Int (+ x 1))",
        ] {
            assert!(!is_endless(text), "{text}");
        }
    }

    #[test]
    fn other_calls_may_not_end() {
        for text in [
            "(define-fun-rec f ((x Int)) Int (+ 1 (f x)))",
            "(define-fun-rec f ((x Int)) Int (ite (= x 0) 0 (f (- x 1))))",
            "(define-fun-rec f ((x Int)) Int (ite (<= x 0) 0 (f (+ x 1))))",
            "(define-fun-rec f ((x Int)) Int (ite (<= x 0) 0 (f (f (- x 1)))))",
            "(define-fun-rec n ((x L)) Int (+ 1 (n (tail x))))",
            "(define-fun-rec n ((x L)) Int (ite ((_ is nil) x) (n (tail x)) 0))",
            "(define-fun-rec n ((x L)) Int (match x ((nil 0) (y (+ 1 (n y))))))",
            "(define-fun-rec f ((x Int)) Bool (forall ((y Int)) (f y)))",
            "(define-fun-rec n ((x L) (y L)) Int (ite ((_ is cons) y) (n (tail x) y) 0))",
            "(define-funs-rec ((e ((x Int)) Bool) (o ((x Int)) Bool)) ((not (o x)) (e x)))",
            "(define-fun-rec n ((x L)) Int (match x ((nil 0) ((cons h t) (ite ((_ is cons) t)
               (match t ((nil 0) ((cons g t) (n (tail t))))) 0)))))",
        ] {
            assert!(is_endless(text), "{text}");
        }
    }
}
