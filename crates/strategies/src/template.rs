//! Text with variables, for fusion functions and rules: sorts, numbers and terms are filled in.

use smelt_smtlib::sexpr::{Sexpr, SexprNode};

/// What the variables of a function or rule stand for; few, so a list.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Env {
    pub(crate) sorts: Vec<(String, String)>,
    pub(crate) numbers: Vec<(String, u32)>,
    pub(crate) terms: Vec<(String, String)>,
}

fn get<'a, T>(list: &'a [(String, T)], name: &str) -> Option<&'a T> {
    list.iter().find(|e| e.0 == name).map(|e| &e.1)
}

impl Env {
    pub(crate) fn term(&mut self, name: &str, text: &str) {
        self.terms.push((name.to_owned(), text.to_owned()));
    }

    /// Matches a sort against a pattern, binding its variables; `params` are the sort variables.
    pub(crate) fn unify(&mut self, pattern: &Sexpr, sort: &Sexpr, params: &[String]) -> bool {
        match (&pattern.node, &sort.node) {
            (SexprNode::Atom(p), _) if params.contains(p) => {
                let text = plain(sort);
                match get(&self.sorts, p) {
                    Some(bound) => *bound == text,
                    None => {
                        self.sorts.push((p.clone(), text));
                        true
                    }
                }
            }
            (SexprNode::Atom(p), SexprNode::Atom(s)) => {
                let number: Option<u32> = s.parse().ok();
                match (get(&self.numbers, p), number) {
                    (Some(&bound), Some(n)) => bound == n,
                    (None, Some(n)) if p.starts_with(|c: char| c.is_ascii_lowercase()) => {
                        self.numbers.push((p.clone(), n));
                        true
                    }
                    _ => p == s,
                }
            }
            (SexprNode::List(p), SexprNode::List(s)) => {
                p.len() == s.len() && p.iter().zip(s).all(|(p, s)| self.unify(p, s, params))
            }
            _ => false,
        }
    }

    /// Appends the template with all variables filled in; `None` when a number has no value.
    pub(crate) fn write(&self, template: &Sexpr, out: &mut String) -> Option<()> {
        match &template.node {
            SexprNode::Atom(a) => {
                let text = get(&self.terms, a).or_else(|| get(&self.sorts, a));
                match (text, get(&self.numbers, a)) {
                    (Some(text), _) => out.push_str(text),
                    (None, Some(n)) => out.push_str(&n.to_string()),
                    (None, None) => out.push_str(a),
                }
            }
            SexprNode::List(l) => {
                let indexed = matches!(l.first().map(|f| &f.node), Some(SexprNode::Atom(a)) if a == "_");
                out.push('(');
                for (i, part) in l.iter().enumerate() {
                    if i > 0 {
                        out.push(' ');
                    }
                    match &part.node {
                        SexprNode::List(_) if indexed && i > 1 => {
                            out.push_str(&self.number(part)?.to_string())
                        }
                        _ => self.write(part, out)?,
                    }
                }
                out.push(')');
            }
        }
        Some(())
    }

    /// The same as a text of its own.
    pub(crate) fn text(&self, template: &Sexpr) -> Option<String> {
        let mut out = String::new();
        self.write(template, &mut out)?;
        Some(out)
    }

    fn number(&self, s: &Sexpr) -> Option<u32> {
        match &s.node {
            SexprNode::Atom(a) => a.parse().ok().or_else(|| get(&self.numbers, a).copied()),
            SexprNode::List(l) => {
                let [op, x, y] = &l[..] else { return None };
                let (x, y) = (self.number(x)?, self.number(y)?);
                match &op.node {
                    SexprNode::Atom(op) if op == "+" => x.checked_add(y),
                    SexprNode::Atom(op) if op == "-" => x.checked_sub(y),
                    SexprNode::Atom(op) if op == "*" => x.checked_mul(y),
                    _ => None,
                }
            }
        }
    }
}

/// An s-expression as text, with nothing filled in or computed.
pub(crate) fn plain(s: &Sexpr) -> String {
    match &s.node {
        SexprNode::Atom(a) => a.clone(),
        SexprNode::List(l) => format!("({})", l.iter().map(plain).collect::<Vec<_>>().join(" ")),
    }
}
