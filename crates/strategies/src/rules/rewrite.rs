//! Rewrites: a rule read in one direction, as a pattern to search for and a template to replace it.

use smelt_core::Relation;
use smelt_smtlib::occurrence::Occurrence;
use smelt_smtlib::sexpr::{Sexpr, SexprNode};
use smelt_smtlib::{Arena, IndexView, Symbol, Term, View, sym};

use super::check::Flaw;
use super::polarity::child_places;
use super::read::{Kind, Rule, mentions};
use crate::pool::Seed;
use crate::template::plain;

/// What to search for.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Node {
    /// A variable of the rule: a term, or as the last argument a list of them.
    Var(usize),
    /// A literal or a constant of a theory, as printed.
    Exact(String),
    /// An operator of a theory.
    App(String, Vec<Node>),
    /// `((_ is C) x)`
    Tester(usize, Box<Node>),
    /// `(forall vs p)`
    Quantified(String, usize, Box<Node>),
    /// `(instance vs p)`: any formula, in which a term is found that a variable can stand for.
    Instance(usize, usize),
}

/// A rule in one direction.
#[derive(Clone, Debug)]
pub(crate) struct Rewrite {
    /// Position of the rule.
    pub(crate) rule: usize,
    pub(crate) pattern: Node,
    pub(crate) template: Sexpr,
    /// How the template is related to the pattern.
    pub(crate) effect: Relation,
    /// Names of the operators in the template.
    pub(crate) operators: Vec<String>,
    /// The same of those with an index.
    pub(crate) indexed: Vec<String>,
    pub(crate) quantifies: bool,
    /// Whether the template multiplies or divides by what need not be a number.
    pub(crate) nonlinear: bool,
}

/// A rule has no more variables.
pub(crate) const MAX_VARS: usize = 12;

/// The rewrites of a rule: forwards, and backwards where that makes sense.
pub(crate) fn rewrites(rule: &Rule, position: usize) -> Result<Vec<Rewrite>, Flaw> {
    if let Some(when) = &rule.when {
        for v in &rule.vars {
            if !matches!(v.kind, Kind::Constant(_) | Kind::Number(..)) && mentions(when, &v.name) {
                return Err(Flaw::Unusable(format!(
                    "its condition is about `{}`, which is not a constant",
                    v.name
                )));
            }
        }
    }
    if let Some((name, _)) = rule.some.first() {
        return Err(Flaw::Unusable(format!("`{name}` must be chosen")));
    }
    if rule.vars.len() > MAX_VARS {
        return Err(Flaw::Unusable(format!("it has more than {MAX_VARS} variables")));
    }
    let back = match rule.relation {
        Relation::Weaker => Relation::Stronger,
        Relation::Stronger => Relation::Weaker,
        Relation::Same => Relation::Same,
    };
    let forward = rewrite(rule, position, &rule.from, &rule.to, rule.relation);
    let backward = rewrite(rule, position, &rule.to, &rule.from, back);
    let mut all: Vec<Rewrite> = match (forward, backward) {
        (Err(flaw), Err(_)) if !rule.law => return Err(flaw),
        (forward, backward) => forward.into_iter().chain(backward).collect(),
    };
    if let Some((from, to)) = languages(rule) {
        all.extend(rewrite(rule, position, from, to, rule.relation));
        all.extend(rewrite(rule, position, to, from, back));
    }
    Ok(all)
}

/// The two regular expressions of a rule that says of every string: if it is in one, it is in the other. Then one may take
/// the place of the other wherever a larger language makes a formula weaker.
fn languages(rule: &Rule) -> Option<(&Sexpr, &Sexpr)> {
    let parts = |s: &'_ Sexpr| -> Option<(String, usize)> {
        let SexprNode::List(items) = &s.node else { return None };
        let [head, string, _] = &items[..] else { return None };
        (plain(head) == "str.in_re").then(|| (plain(string), 2))
    };
    let ((string, at), (other, _)) = (parts(&rule.from)?, parts(&rule.to)?);
    let (SexprNode::List(from), SexprNode::List(to)) = (&rule.from.node, &rule.to.node) else { return None };
    let (from, to) = (&from[at], &to[at]);
    let any = rule.var(&string).is_some_and(|i| matches!(rule.vars[i].kind, Kind::Term(_)));
    (any && string == other && !mentions(from, &string) && !mentions(to, &string)).then_some((from, to))
}

fn rewrite(
    rule: &Rule,
    position: usize,
    from: &Sexpr,
    to: &Sexpr,
    effect: Relation,
) -> Result<Rewrite, Flaw> {
    let pattern = node(rule, from)?;
    for (i, v) in rule.vars.iter().enumerate() {
        let needed = matches!(v.kind, Kind::List(_) | Kind::Bound);
        if needed && mentions(to, &v.name) && !binds(&pattern, i) {
            return Err(Flaw::Unusable(format!("nothing says what `{}` is", v.name)));
        }
    }
    let mut operators = Vec::new();
    let (mut quantifies, mut nonlinear) = (false, false);
    survey(rule, to, &mut operators, &mut quantifies, &mut nonlinear);
    let mut indexed = Vec::new();
    operators.retain(|name: &String| match name.strip_prefix("_ ") {
        Some(name) => {
            indexed.push(name.to_owned());
            false
        }
        None => true,
    });
    operators.sort();
    operators.dedup();
    Ok(Rewrite {
        rule: position,
        pattern,
        template: to.clone(),
        effect,
        operators,
        indexed,
        quantifies,
        nonlinear,
    })
}

fn node(rule: &Rule, s: &Sexpr) -> Result<Node, Flaw> {
    let wrong = |what: &str| Flaw::Unusable(format!("{what} cannot be looked for: {}", plain(s)));
    let items = match &s.node {
        SexprNode::Atom(a) => {
            return match rule.var(a).map(|i| (i, &rule.vars[i].kind)) {
                None => Ok(Node::Exact(a.clone())),
                Some((i, Kind::Term(_) | Kind::List(_))) => Ok(Node::Var(i)),
                Some(_) => Err(wrong("a constant or name")),
            };
        }
        SexprNode::List(items) => items,
    };
    let (head, args) = items.split_first().ok_or_else(|| wrong("an empty list"))?;
    match &head.node {
        SexprNode::Atom(q) if q == "forall" || q == "exists" => {
            let [vars, body] = args else { return Err(wrong("a quantifier without a body")) };
            let bound = vars.atom("a name").ok().and_then(|n| rule.var(n));
            match bound.filter(|&i| matches!(rule.vars[i].kind, Kind::Bound)) {
                Some(i) => Ok(Node::Quantified(q.clone(), i, Box::new(node(rule, body)?))),
                None => Err(wrong("a quantifier with its own variables")),
            }
        }
        SexprNode::Atom(a) if a == "instance" => {
            let var = |s: &Sexpr| s.atom("a name").ok().and_then(|n| rule.var(n));
            let [vars, body] = args else { return Err(wrong("an instance without a body")) };
            match (var(vars), var(body)) {
                (Some(v), Some(p)) if matches!(rule.vars[p].kind, Kind::Term(_)) => Ok(Node::Instance(v, p)),
                _ => Err(wrong("an instance of more than a variable")),
            }
        }
        SexprNode::Atom(a) if matches!(&**a, "let" | "!" | "match" | "_" | "as") || rule.var(a).is_some() => {
            Err(wrong("this form"))
        }
        SexprNode::Atom(a) => {
            let args: Vec<Node> = args.iter().map(|x| node(rule, x)).collect::<Result<_, _>>()?;
            let list = |n: &Node| matches!(n, Node::Var(i) if matches!(rule.vars[*i].kind, Kind::List(_)));
            if args.iter().rev().skip(1).any(list) {
                return Err(wrong("a list before the last argument"));
            }
            Ok(Node::App(a.clone(), args))
        }
        SexprNode::List(h) => match (&h[..], args) {
            ([u, is, c], [arg]) if plain(u) == "_" && plain(is) == "is" => {
                let c = rule.var(&plain(c)).filter(|&i| matches!(rule.vars[i].kind, Kind::Constructor(_)));
                Ok(Node::Tester(c.ok_or_else(|| wrong("a tester"))?, Box::new(node(rule, arg)?)))
            }
            _ => Err(wrong("an indexed operator")),
        },
    }
}

/// Whether a pattern says what a variable is.
pub(crate) fn binds(node: &Node, var: usize) -> bool {
    match node {
        Node::Var(i) => *i == var,
        Node::Exact(_) => false,
        Node::App(_, args) => args.iter().any(|a| binds(a, var)),
        Node::Tester(c, arg) => *c == var || binds(arg, var),
        Node::Quantified(_, v, body) => *v == var || binds(body, var),
        Node::Instance(v, body) => *v == var || *body == var,
    }
}

impl Rewrite {
    /// Under which word the pattern is filed; `None` for one that looks for any formula.
    pub(crate) fn key(&self) -> Option<&str> {
        match &self.pattern {
            Node::Var(_) | Node::Instance(..) => None,
            Node::Exact(text) => Some(text),
            Node::App(head, _) => Some(head),
            Node::Tester(..) => Some("is"),
            Node::Quantified(name, ..) => Some(name),
        }
    }
}

/// What a template needs of a logic. Operators with an index are noted with an underscore in front.
fn survey(rule: &Rule, s: &Sexpr, operators: &mut Vec<String>, quantifies: &mut bool, nonlinear: &mut bool) {
    let items = match &s.node {
        SexprNode::Atom(a) => {
            // Names of constants such as `re.all`, and not literals or variables.
            if rule.var(a).is_none() && a.starts_with(|c: char| c.is_ascii_alphabetic()) {
                operators.push(a.clone());
            }
            return;
        }
        SexprNode::List(items) => items,
    };
    let Some((head, args)) = items.split_first() else { return };
    match &head.node {
        SexprNode::Atom(a) if a == "_" || a == "as" => return,
        SexprNode::Atom(a) if a == "forall" || a == "exists" => {
            *quantifies = true;
            return args.iter().skip(1).for_each(|x| survey(rule, x, operators, quantifies, nonlinear));
        }
        SexprNode::Atom(a) if a == "instance" => {
            return args.iter().skip(1).for_each(|x| survey(rule, x, operators, quantifies, nonlinear));
        }
        SexprNode::Atom(a) => {
            if rule.var(a).is_none() {
                operators.push(a.clone());
            }
            let fixed = |x: &Sexpr| match &x.node {
                SexprNode::Atom(a) => match rule.var(a) {
                    Some(i) => matches!(rule.vars[i].kind, Kind::Constant(_)),
                    None => true,
                },
                SexprNode::List(_) => false,
            };
            *nonlinear |= match &**a {
                "*" => args.iter().filter(|x| !fixed(x)).count() > 1,
                "/" | "div" | "mod" => args.iter().skip(1).any(|x| !fixed(x)),
                _ => false,
            };
        }
        SexprNode::List(h) => {
            if let Some(Ok(name)) = h.get(1).map(|n| n.atom("a name"))
                && name != "is"
                && plain(&h[0]) == "_"
            {
                operators.push(format!("_ {name}"));
            }
        }
    }
    args.iter().for_each(|x| survey(rule, x, operators, quantifies, nonlinear));
}

/// What a variable is bound to at a place.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Bound {
    Nothing,
    /// The term at a place.
    Place(u32),
    /// Places, from a position in [`Match::lists`] on.
    List(u32, u32),
    /// A constructor.
    Constructor(Symbol),
    /// The variables of the quantifier at a place, and its body.
    Variables(u32, u32),
    /// A new variable for a term that is chosen when the formula is written.
    Abstract,
}

/// What the variables of a pattern stand for, where it matches.
#[derive(Debug, Default)]
pub(crate) struct Match {
    pub(crate) vars: Vec<Bound>,
    pub(crate) lists: Vec<Occurrence>,
}

impl Match {
    pub(crate) fn list(&self, start: u32, len: u32) -> &[Occurrence] {
        &self.lists[start as usize..(start + len) as usize]
    }

    /// Looks for a pattern at a place. `turn` says which argument of a commutative operator comes first.
    pub(crate) fn find(
        &mut self,
        arena: &Arena,
        seed: &Seed,
        rule: &Rule,
        pattern: &Node,
        place: Occurrence,
        turn: usize,
    ) -> bool {
        self.vars.clear();
        self.vars.resize(rule.vars.len(), Bound::Nothing);
        self.lists.clear();
        self.matches(arena, seed, rule, pattern, place, turn)
    }

    fn matches(
        &mut self,
        arena: &Arena,
        seed: &Seed,
        rule: &Rule,
        pattern: &Node,
        place: Occurrence,
        turn: usize,
    ) -> bool {
        let term = seed.places.term(place);
        match pattern {
            Node::Var(i) => self.bind(seed, *i, place, term),
            Node::Exact(text) => {
                let span = &seed.spans[place.index()];
                seed.text[span.start as usize..span.end as usize] == *text.as_bytes()
            }
            Node::App(head, args) => {
                let View::App(fun, given) = arena.view(term) else { return false };
                let Some(op) = arena.fun_view(fun).op else { return false };
                let row = arena.signatures().row(op);
                if arena.text(row.name) != head.as_bytes() || given.len() < args.len() {
                    return false;
                }
                let mut children = child_places(&seed.places, place);
                if row.commutative && turn > 0 {
                    let at = turn % children.len();
                    children.swap(0, at);
                }
                let (last, first) = match args.split_last() {
                    Some((Node::Var(i), first)) if matches!(rule.vars[*i].kind, Kind::List(_)) => {
                        (Some(*i), first)
                    }
                    _ => (None, &args[..]),
                };
                if last.is_none() && given.len() != args.len() {
                    return false;
                }
                let (own, rest) = children.split_at(first.len());
                if !first.iter().zip(own).all(|(p, &c)| self.matches(arena, seed, rule, p, c, 0)) {
                    return false;
                }
                if let Some(i) = last {
                    if self.vars[i] != Bound::Nothing {
                        return false;
                    }
                    self.vars[i] = Bound::List(self.lists.len() as u32, rest.len() as u32);
                    self.lists.extend_from_slice(rest);
                }
                true
            }
            Node::Tester(c, arg) => {
                let View::App(fun, [_]) = arena.view(term) else { return false };
                let f = arena.fun_view(fun);
                let (sym::IS, [index]) = (f.name, f.indices) else { return false };
                let IndexView::Text(name) = index.view() else { return false };
                // Two testers of one rule must be of the same constructor.
                if matches!(self.vars[*c], Bound::Constructor(other) if other != name) {
                    return false;
                }
                self.vars[*c] = Bound::Constructor(name);
                let children = child_places(&seed.places, place);
                children.first().is_some_and(|&child| self.matches(arena, seed, rule, arg, child, 0))
            }
            Node::Instance(vars, body) => {
                self.vars[*vars] = Bound::Abstract;
                self.bind(seed, *body, place, term)
            }
            Node::Quantified(name, vars, body) => {
                let View::Binder(v) = arena.view(term) else { return false };
                if arena.text(v.name) != name.as_bytes() {
                    return false;
                }
                let children = child_places(&seed.places, place);
                let [child] = children[..] else { return false };
                // Hints of a quantifier make no sense without it.
                if matches!(arena.view(seed.places.term(child)), View::Annotated(_)) {
                    return false;
                }
                // Two quantifiers of one rule must have the same variables, by name and sort.
                if let Bound::Variables(other, inner) = self.vars[*vars]
                    && variables(seed, other, inner)
                        != variables(seed, place.index() as u32, child.index() as u32)
                {
                    return false;
                }
                self.vars[*vars] = Bound::Variables(place.index() as u32, child.index() as u32);
                self.matches(arena, seed, rule, body, child, 0)
            }
        }
    }

    fn bind(&mut self, seed: &Seed, var: usize, place: Occurrence, term: Term) -> bool {
        match self.vars[var] {
            Bound::Place(old) => seed.places.get(old as usize).is_some_and(|p| seed.places.term(p) == term),
            _ => {
                self.vars[var] = Bound::Place(place.index() as u32);
                true
            }
        }
    }
}

/// The text of the variables of the quantifier at a place.
pub(crate) fn variables(seed: &Seed, quantifier: u32, body: u32) -> &[u8] {
    let (from, to) = (seed.spans[quantifier as usize].head, seed.spans[body as usize].start);
    seed.text[from as usize..to as usize].trim_ascii()
}
