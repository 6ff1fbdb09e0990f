//! The format of rule files: reads rules, without checking them.

use smelt_core::Relation;
use smelt_smtlib::Error;
use smelt_smtlib::sexpr::{Sexpr, SexprNode, read_all};

/// One rule: how two formulas are related, for all values of its variables.
#[derive(Clone, Debug)]
pub struct Rule {
    /// Its name in the file.
    pub name: String,
    /// The theory it is about, for people and for choosing.
    pub theory: String,
    /// How `to` is related to `from`.
    pub relation: Relation,
    /// Whether it is only stated: neither side is searched for in a script.
    pub(crate) law: bool,
    pub(crate) params: Vec<Param>,
    pub(crate) vars: Vec<Var>,
    pub(crate) when: Option<Sexpr>,
    /// Variables that can be chosen, with what to choose; later ones may use earlier ones.
    pub(crate) some: Vec<(String, Sexpr)>,
    /// Values to try often: where both sides hold, which random values hardly hit.
    pub(crate) often: Vec<(String, Sexpr)>,
    pub(crate) from: Sexpr,
    pub(crate) to: Sexpr,
}

/// A sort variable, and the sorts it may stand for; none for any.
#[derive(Clone, Debug)]
pub(crate) struct Param {
    pub(crate) name: String,
    pub(crate) sorts: Vec<String>,
}

/// A variable of a rule.
#[derive(Clone, Debug)]
pub(crate) struct Var {
    pub(crate) name: String,
    pub(crate) kind: Kind,
}

/// What a variable stands for.
#[derive(Clone, Debug)]
pub(crate) enum Kind {
    /// A term of this sort.
    Term(Sexpr),
    /// One or more terms of this sort, as the last arguments of something.
    List(Sexpr),
    /// A random literal of this sort.
    Constant(Sexpr),
    /// A random number in an index, from the first to the second.
    Number(u32, u32),
    /// The name of a new bound variable.
    Name,
    /// A function of one argument that the script declares.
    Function(Sexpr, Sexpr),
    /// The variables of a quantifier.
    Bound,
    /// A constructor of the datatype that a sort variable stands for; several of one rule differ.
    Constructor(String),
}

impl Rule {
    pub(crate) fn var(&self, name: &str) -> Option<usize> {
        self.vars.iter().position(|v| v.name == name)
    }

    /// Its variables that stand for terms, with their sorts.
    pub(crate) fn variables(&self) -> impl Iterator<Item = (&str, &Sexpr)> {
        self.vars
            .iter()
            .filter_map(|v| if let Kind::Term(sort) = &v.kind { Some((&*v.name, sort)) } else { None })
    }

    /// The names of its sort variables.
    pub(crate) fn param_names(&self) -> Vec<String> {
        self.params.iter().map(|p| p.name.clone()).collect()
    }
}

const PARTS: &str = "`theory`, `par`, `var`, `list`, `const`, `number`, `name`, `function`, `bound`, `constructor`, \
     `law`, `some`, `often`, `when`, `from`, `weaker`, `stronger` or `equal`";

/// Reads a file of rules, without believing them.
pub(crate) fn read_rules(text: &[u8]) -> Result<Vec<Rule>, Error> {
    let mut rules: Vec<Rule> = Vec::new();
    for item in read_all(text)? {
        let rule = rule(&item)?;
        if rules.iter().any(|r| r.name == rule.name) {
            return Err(Error::new(item.offset, format!("there are two rules `{}`", rule.name)));
        }
        rules.push(rule);
    }
    Ok(rules)
}

fn rule(item: &Sexpr) -> Result<Rule, Error> {
    let (name, parts) = item.entry("rule")?;
    let name = name.to_owned();
    let (mut theory, mut from, mut to, mut when) = (None, None, None, None);
    let mut law = false;
    let (mut params, mut vars): (Vec<Param>, Vec<Var>) = (Vec::new(), Vec::new());
    let (mut some, mut often): (Vec<(String, Sexpr)>, Vec<(String, Sexpr)>) = (Vec::new(), Vec::new());
    for part in parts {
        let mut add = |name: &Sexpr, kind: Kind| -> Result<(), Error> {
            let name = name.atom("a name")?.to_owned();
            if vars.iter().any(|v| v.name == name) {
                return Err(Error::new(part.offset, format!("`{name}` is there twice")));
            }
            vars.push(Var { name, kind });
            Ok(())
        };
        match part.part(PARTS)? {
            ("theory", [t]) => theory = Some(t.atom("a theory")?.to_owned()),
            ("par", [name, sorts @ ..]) => {
                let sorts = sorts.iter().map(crate::template::plain).collect();
                params.push(Param { name: name.atom("a sort variable")?.to_owned(), sorts });
            }
            ("var", [names @ .., sort]) if !names.is_empty() => {
                names.iter().try_for_each(|n| add(n, Kind::Term(sort.clone())))?
            }
            ("list", [name, sort]) => add(name, Kind::List(sort.clone()))?,
            ("const", [names @ .., sort]) if !names.is_empty() => {
                names.iter().try_for_each(|n| add(n, Kind::Constant(sort.clone())))?
            }
            ("number", [name, low, high]) => {
                let read = |s: &Sexpr| s.atom("a number").ok().and_then(|a| a.parse().ok());
                let (Some(low), Some(high)) = (read(low), read(high)) else {
                    return Err(Error::new(part.offset, "expected `(number NAME LOW HIGH)`"));
                };
                if low > high {
                    return Err(Error::new(part.offset, "there is no number in this range"));
                }
                add(name, Kind::Number(low, high))?;
            }
            ("name", [name]) => add(name, Kind::Name)?,
            ("function", [name, from, to]) => add(name, Kind::Function(from.clone(), to.clone()))?,
            ("bound", [name]) => add(name, Kind::Bound)?,
            ("constructor", [names @ .., sort]) if !names.is_empty() => {
                let sort = sort.atom("a sort variable")?;
                names.iter().try_for_each(|n| add(n, Kind::Constructor(sort.to_owned())))?
            }
            ("some", [name, sort, term]) => {
                add(name, Kind::Term(sort.clone()))?;
                some.push((name.atom("a name")?.to_owned(), term.clone()));
            }
            ("often", [name, term]) => often.push((name.atom("a name")?.to_owned(), term.clone())),
            ("law", []) => law = true,
            ("when", [term]) => when = Some(term.clone()),
            ("from", [term]) => from = Some(term.clone()),
            ("weaker", [term]) => to = Some((Relation::Weaker, term.clone())),
            ("stronger", [term]) => to = Some((Relation::Stronger, term.clone())),
            ("equal", [term]) => to = Some((Relation::Same, term.clone())),
            _ => return Err(Error::new(part.offset, format!("not a part of a rule; there are {PARTS}"))),
        }
    }
    let missing = |what: &str| Error::new(item.offset, format!("rule `{name}` has no `({what} ..)`"));
    let from = from.ok_or_else(|| missing("from"))?;
    let (relation, to) = to.ok_or_else(|| missing("weaker"))?;
    let theory = theory.ok_or_else(|| missing("theory"))?;
    Ok(Rule { name, theory, relation, law, params, vars, when, some, often, from, to })
}

/// Whether an atom stands in an s-expression.
pub(crate) fn mentions(s: &Sexpr, name: &str) -> bool {
    match &s.node {
        SexprNode::Atom(a) => a == name,
        SexprNode::List(l) => l.iter().any(|s| mentions(s, name)),
    }
}
