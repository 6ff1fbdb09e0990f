//! Reads theory files into the table.

use std::sync::Arc;

use super::pattern::{Bindings, Condition, MAX_VARS, NumberPattern, SortPattern};
use super::{Associativity, Candidate, Row, Rule, Signatures, SortRow, Variables};
use crate::arena::{Arena, Op, Sort, Symbol, sym};
use crate::error::{Error, Result};
use crate::sexpr::{Sexpr, SexprNode, read_all};

const RULES: &[(&str, Rule)] = &[
    ("select", Rule::Select),
    ("store", Rule::Store),
    ("apply", Rule::Apply),
    ("tuple", Rule::Tuple),
    ("tuple-select", Rule::TupleSelect),
    ("tuple-update", Rule::TupleUpdate),
    ("project", Rule::Project),
    ("insert", Rule::Insert),
    ("product", Rule::Product),
    ("join", Rule::Join),
    ("transpose", Rule::Transpose),
    ("array-map", Rule::ArrayMap),
    ("same-as-last", Rule::SameAsLast),
    ("same-as-first", Rule::SameAsFirst),
    ("unchecked", Rule::Unchecked),
];

/// Compiles files in order; on failure, says which.
pub(super) fn compile(files: &[&[u8]]) -> std::result::Result<Signatures, (usize, Error)> {
    let mut reader = Reader {
        arena: Arena::bare(Arc::new(Signatures::default())),
        table: Signatures::default(),
        theory: sym::UNKNOWN,
    };
    // Theories refer to each other's sorts: all sorts first.
    for pass in ["sort", "fun"] {
        for (i, file) in files.iter().enumerate() {
            reader.file(file, pass).map_err(|e| (i, e))?;
        }
    }
    Ok(reader.finish())
}

struct Reader {
    arena: Arena,
    table: Signatures,
    theory: Symbol,
}

impl Reader {
    /// Reads the entries of one kind, `sort` or `fun`.
    fn file(&mut self, text: &[u8], pass: &str) -> Result<()> {
        for item in read_all(text)? {
            let parts = item.list("`(theory ..)`, `(sort ..)` or `(fun ..)`")?;
            let Some(first) = parts.first() else { return Err(item.error("expected an entry")) };
            match (first.atom("`theory`, `sort` or `fun`")?, parts.len()) {
                ("theory", 2) => self.theory = self.symbol(&parts[1])?,
                ("sort", 2..) if pass == "sort" => self.sort(&parts[1..])?,
                ("fun", 4..) if pass == "fun" => self.fun(&parts[1..])?,
                ("sort", 2..) | ("fun", 4..) => {}
                _ => {
                    return Err(item.error(
                        "expected `(theory NAME)`, `(sort NAME [ARITY])` or `(fun NAME (ARG ..) RESULT ..)`",
                    ));
                }
            }
        }
        Ok(())
    }

    fn symbol(&mut self, s: &Sexpr) -> Result<Symbol> {
        Ok(self.arena.symbol(s.atom("a name")?.as_bytes()))
    }

    /// `NAME`, `NAME ARITY`, `NAME *`, `(_ NAME INDICES)`, `NAME (PARAMS) SORT`
    fn sort(&mut self, parts: &[Sexpr]) -> Result<()> {
        let (mut arity, mut indices, mut alias) = (Some(0), 0, None);
        let name = match (&parts[0].node, parts.len()) {
            (SexprNode::List(l), 1) if l.len() == 3 => {
                indices = number(&l[2])?;
                &l[1]
            }
            (SexprNode::Atom(_), 1) => &parts[0],
            (SexprNode::Atom(_), 2) => {
                arity = if parts[1].atom("an arity")? == "*" { None } else { Some(number(&parts[1])?) };
                &parts[0]
            }
            (SexprNode::Atom(_), 3) => {
                let mut names = Vec::new();
                let mut vars = Variables::default();
                for p in parts[1].list("sort parameters")? {
                    names.push(self.symbol(p)?);
                    vars.sorts.push(p.atom("a sort parameter")?.to_owned());
                }
                self.limit(&vars, parts[0].offset)?;
                let target = self.ground(&parts[2], &mut vars)?;
                arity = Some(names.len() as u32);
                alias = Some((names.into(), target));
                &parts[0]
            }
            _ => return Err(parts[0].error("expected a sort declaration")),
        };
        let row = SortRow { name: self.symbol(name)?, arity, indices, alias, theory: self.theory };
        self.table.sort_by_symbol.resize(self.arena.symbol_count().max(self.table.sort_by_symbol.len()), 0);
        self.table.sort_by_symbol[row.name.index()] = self.table.sorts.len() as u32 + 1;
        self.table.sorts.push(row);
        Ok(())
    }

    /// A sort without number variables; sort variables become parameters.
    fn ground(&mut self, s: &Sexpr, vars: &mut Variables) -> Result<Sort> {
        let pattern = self.pattern(s, vars)?;
        if let SortPattern::Exact(sort) = pattern {
            return Ok(sort);
        }
        let mut bindings = Bindings::default();
        for (slot, name) in bindings.sorts.iter_mut().zip(&vars.sorts) {
            let name = self.arena.symbol(name.as_bytes());
            *slot = self.arena.sort_parameter(name);
        }
        let sort = self.arena.instance(&pattern, &bindings);
        sort.ok_or_else(|| s.error("expected a sort without variables"))
    }

    /// `NAME (ARG ..) RESULT ATTRIBUTE ..`
    fn fun(&mut self, parts: &[Sexpr]) -> Result<()> {
        let mut vars = Variables::default();
        // `:par` may occur anywhere after the result, but the variables must be known first.
        for (i, p) in parts.iter().enumerate() {
            if matches!(&p.node, SexprNode::Atom(a) if a == ":par") {
                let list = parts.get(i + 1).ok_or_else(|| p.error("expected variables after `:par`"))?;
                for v in list.list("sort variables")? {
                    vars.sorts.push(v.atom("a sort variable")?.to_owned());
                }
            }
        }
        let (name, indices) = match &parts[0].node {
            SexprNode::Atom(_) => (self.symbol(&parts[0])?, Vec::new()),
            SexprNode::List(l) if l.len() >= 2 => {
                let indices =
                    l[2..].iter().map(|i| number_pattern(i, &mut vars)).collect::<Result<Vec<_>>>()?;
                (self.symbol(&l[1])?, indices)
            }
            SexprNode::List(_) => {
                return Err(parts[0].error("expected `NAME` or `(_ NAME INDEX ..)`"));
            }
        };
        let args = parts[1].list("argument sorts")?;
        let args = args.iter().map(|a| self.pattern(a, &mut vars)).collect::<Result<Vec<_>>>()?;
        let result = self.pattern(&parts[2], &mut vars)?;
        let mut row = Row {
            name,
            theory: self.theory,
            uniform: args.iter().all(|a| *a == args[0]),
            args: args.into(),
            result,
            indices: indices.into(),
            associativity: Associativity::None,
            commutative: false,
            partial: false,
            dialect: None,
            legacy: Box::new([]),
            also: Box::new([]),
            rule: None,
            condition: None,
        };
        let mut rest = parts[3..].iter();
        while let Some(attribute) = rest.next() {
            let mut value = || rest.next().ok_or_else(|| attribute.error("expected a value after it"));
            match attribute.atom("an attribute")? {
                ":left-assoc" => row.associativity = Associativity::Left,
                ":right-assoc" => row.associativity = Associativity::Right,
                ":chainable" => row.associativity = Associativity::Chainable,
                ":pairwise" => row.associativity = Associativity::Pairwise,
                ":commutative" => row.commutative = true,
                ":partial" => row.partial = true,
                ":par" => drop(value()?),
                ":only" => row.dialect = Some(self.symbol(value()?)?),
                kind @ (":legacy" | ":also") => {
                    let names = value()?.list("names")?;
                    let names = names.iter().map(|n| self.symbol(n)).collect::<Result<_>>()?;
                    *(if kind == ":legacy" { &mut row.legacy } else { &mut row.also }) = names;
                }
                ":when" => row.condition = Some(condition(value()?, &mut vars)?),
                ":rule" => {
                    let value = value()?;
                    let name = value.atom("a rule")?;
                    let found = RULES.iter().find(|r| r.0 == name);
                    row.rule = Some(found.ok_or_else(|| value.error(format!("no rule `{name}`")))?.1);
                }
                other => return Err(attribute.error(format!("unknown attribute `{other}`"))),
            }
        }
        // Left- and right-associative operators fold unless the result is of the arguments' pattern too.
        let folds = matches!(row.associativity, Associativity::Left | Associativity::Right);
        row.uniform &= !folds || row.args.first() == Some(&row.result);
        self.limit(&vars, parts[0].offset)?;
        self.table.rows.push(row);
        Ok(())
    }

    fn limit(&self, vars: &Variables, offset: usize) -> Result<()> {
        if vars.sorts.len() > MAX_VARS || vars.numbers.len() > MAX_VARS {
            return Err(Error::new(offset, format!("more than {MAX_VARS} variables")));
        }
        Ok(())
    }

    fn pattern(&mut self, s: &Sexpr, vars: &mut Variables) -> Result<SortPattern> {
        sort_pattern(&mut self.arena, &self.table, s, vars)
    }

    fn finish(mut self) -> Signatures {
        let mut named: Vec<(Symbol, Candidate)> = Vec::new();
        for (i, row) in self.table.rows.iter().enumerate() {
            for name in [row.name].iter().chain(&row.legacy).chain(&row.also) {
                let op = Op(i as u32);
                // Heads with indices are made when the parser meets them.
                let fun = self.arena.fun(*name, Some(op), &[], None);
                named.push((*name, Candidate { op, fun }));
            }
        }
        named.sort_by_key(|n| n.0);
        self.table.by_symbol = vec![(0, 0); self.arena.symbol_count()];
        for (i, (name, candidate)) in named.iter().enumerate() {
            let range = &mut self.table.by_symbol[name.index()];
            if range.1 == 0 {
                range.0 = i as u32;
            }
            range.1 = i as u32 + 1;
            self.table.candidates.push(*candidate);
        }
        self.table.base = Some(Box::new(self.arena));
        self.table
    }
}

pub(super) fn sort_pattern(
    arena: &mut Arena,
    table: &Signatures,
    s: &Sexpr,
    vars: &mut Variables,
) -> Result<SortPattern> {
    let unknown = |name: &str| s.error(format!("no sort `{name}` is declared"));
    match &s.node {
        SexprNode::Atom(name) => {
            if let Some(v) = vars.sorts.iter().position(|n| n == name) {
                return Ok(SortPattern::Var(v as u8));
            }
            let symbol = arena.symbol(name.as_bytes());
            match table.sort_row(symbol) {
                Some(SortRow { alias: Some((_, target)), .. }) => Ok(SortPattern::Exact(*target)),
                Some(SortRow { arity: Some(0), indices: 0, .. }) => {
                    Ok(SortPattern::Exact(arena.sort(symbol, &[])))
                }
                _ => Err(unknown(name)),
            }
        }
        SexprNode::List(l) if l.len() >= 2 => match l[0].atom("a sort name")? {
            "_" => match (l[1].atom("a sort name")?, l.len()) {
                ("BitVec", 3) => Ok(SortPattern::BitVec(number_pattern(&l[2], vars)?)),
                ("FloatingPoint", 4) => {
                    Ok(SortPattern::Float(number_pattern(&l[2], vars)?, number_pattern(&l[3], vars)?))
                }
                (name, _) => Err(unknown(name)),
            },
            name => {
                let head = arena.symbol(name.as_bytes());
                let row = table.sort_row(head).ok_or_else(|| unknown(name))?;
                if row.arity.is_some_and(|n| n as usize != l.len() - 1) {
                    return Err(s.error(format!("sort `{name}` takes another number of arguments")));
                }
                let args =
                    l[1..].iter().map(|a| sort_pattern(arena, table, a, vars)).collect::<Result<Vec<_>>>()?;
                let exact: Option<Vec<_>> = args
                    .iter()
                    .map(|a| if let SortPattern::Exact(s) = a { Some(*s) } else { None })
                    .collect();
                Ok(match exact {
                    Some(sorts) => SortPattern::Exact(arena.sort(head, &sorts)),
                    None => SortPattern::Constructor(head, args.into()),
                })
            }
        },
        SexprNode::List(_) => Err(s.error("expected a sort")),
    }
}

fn number(s: &Sexpr) -> Result<u32> {
    s.atom("a number")?.parse().map_err(|_| s.error("expected a number"))
}

pub(super) fn number_pattern(s: &Sexpr, vars: &mut Variables) -> Result<NumberPattern> {
    match &s.node {
        SexprNode::Atom(a) if a.starts_with(|c: char| c.is_ascii_digit()) => {
            Ok(NumberPattern::Exact(number(s)?))
        }
        SexprNode::Atom(a) => {
            let known = vars.numbers.iter().position(|n| n == a);
            let v = known.unwrap_or_else(|| {
                vars.numbers.push(a.clone());
                vars.numbers.len() - 1
            });
            if v >= MAX_VARS {
                return Err(s.error(format!("more than {MAX_VARS} number variables")));
            }
            Ok(NumberPattern::Var(v as u8))
        }
        SexprNode::List(l) if l.len() == 3 => {
            let (x, y) = (Box::new(number_pattern(&l[1], vars)?), Box::new(number_pattern(&l[2], vars)?));
            match l[0].atom("`+`, `-` or `*`")? {
                "+" => Ok(NumberPattern::Sum(x, y)),
                "-" => Ok(NumberPattern::Difference(x, y)),
                "*" => Ok(NumberPattern::Product(x, y)),
                _ => Err(s.error("expected `+`, `-` or `*`")),
            }
        }
        SexprNode::List(_) => Err(s.error("expected a number, a variable or an operation of two")),
    }
}

fn condition(s: &Sexpr, vars: &mut Variables) -> Result<Condition> {
    let l = s.list("a condition")?;
    let Some(head) = l.first() else { return Err(s.error("expected a condition")) };
    let head = head.atom("`<`, `<=`, `=` or `and`")?;
    if head == "and" {
        return Ok(Condition::And(l[1..].iter().map(|c| condition(c, vars)).collect::<Result<_>>()?));
    }
    let [_, x, y] = l else { return Err(s.error("expected a comparison of two numbers")) };
    let (x, y) = (number_pattern(x, vars)?, number_pattern(y, vars)?);
    match head {
        "<" => Ok(Condition::Less(x, y)),
        "<=" => Ok(Condition::AtMost(x, y)),
        "=" => Ok(Condition::Equal(x, y)),
        _ => Err(s.error("expected `<`, `<=`, `=` or `and`")),
    }
}
