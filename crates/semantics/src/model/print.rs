//! Prints values and models as SMT-LIB that [`Model::read`] and other solvers read.

use std::sync::Arc;

use smelt_smtlib::script::Command;
use smelt_smtlib::{Arena, Printer, Sort, Symbol};

use super::Model;
use crate::eval::{Domains, Meaning, coerce, key};
use crate::goal::Goal;
use crate::regex::{EVERY_CHAR, Kind};
use crate::value::{Function, Value};
use crate::{Regex, Str};

/// A value for which there is no syntax: of function sort, an element without a name, or of the wrong sort.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[error("there is no syntax for this value")]
pub struct Unprintable;

/// Regular expressions are printed up to this many nodes.
const MAX_REGEX: usize = 100_000;

enum Item<'v> {
    Value(&'v Value, Sort),
    Int(&'v crate::Int),
    Regex(&'v Regex),
    Text(&'static str),
}

/// Appends a value of a sort to `out`.
pub fn print_value(
    arena: &mut Arena,
    domains: &Domains,
    value: &Value,
    sort: Sort,
    out: &mut Vec<u8>,
) -> Result<(), Unprintable> {
    // Values may be deep: a stack of the items that are left to print.
    let mut work = vec![Item::Value(value, arena.canonical(sort))];
    let mut nodes = 0;
    while let Some(item) = work.pop() {
        let text = match item {
            Item::Text(text) => text.to_owned(),
            Item::Int(i) => crate::number::int::to_smtlib(i),
            Item::Value(value, sort) => head(arena, domains, value, sort, &mut work)?,
            Item::Regex(regex) => {
                nodes += 1;
                if nodes > MAX_REGEX {
                    return Err(Unprintable);
                }
                regex_head(regex, &mut work)?
            }
        };
        out.extend_from_slice(text.as_bytes());
    }
    Ok(())
}

/// The text in front of the parts of a value; the parts go to `work`, last first.
fn head<'v>(
    arena: &mut Arena,
    domains: &Domains,
    value: &'v Value,
    sort: Sort,
    work: &mut Vec<Item<'v>>,
) -> Result<String, Unprintable> {
    let args: Vec<Sort> = arena.sort_view(sort).args.to_vec();
    let argument = |i: usize| args.get(i).copied().ok_or(Unprintable);
    Ok(match value {
        Value::Bool(b) => b.to_string(),
        Value::Int(i) if sort == Sort::REAL => crate::Real::from(i.clone()).to_smtlib(),
        Value::Int(i) => crate::number::int::to_smtlib(i),
        Value::Real(r) => r.to_smtlib(),
        Value::BitVec(b) => b.to_string(),
        Value::Float(f) => f.to_string(),
        Value::RoundingMode(m) => m.to_string(),
        Value::Str(s) => s.to_string(),
        Value::RegLan(r) => regex_head(r, work)?,
        Value::Element(e) => name(arena, domains.element_name(*e).ok_or(Unprintable)?),
        Value::Function(_) => return Err(Unprintable),
        Value::Array(a) => {
            let (index, element) = (argument(0)?, argument(1)?);
            for (i, v) in a.exceptions().collect::<Vec<_>>().into_iter().rev() {
                work.extend([Item::Text(")"), Item::Value(v, element), Item::Text(" ")]);
                work.extend([Item::Value(i, index), Item::Text(" ")]);
            }
            work.extend([Item::Text(")"), Item::Value(a.default_value(), element)]);
            let stores = "(store ".repeat(a.exceptions().len());
            format!("{stores}((as const {}) ", arena.display_sort(sort))
        }
        Value::Seq(elements) => {
            let element = argument(0)?;
            let (head, unit) = match elements.len() {
                0 => (format!("(as seq.empty {})", arena.display_sort(sort)), ""),
                1 => (String::new(), "(seq.unit "),
                _ => ("(seq.++".to_owned(), " (seq.unit "),
            };
            work.extend((elements.len() > 1).then_some(Item::Text(")")));
            for v in elements.iter().rev() {
                work.extend([Item::Text(")"), Item::Value(v, element), Item::Text(unit)]);
            }
            head
        }
        Value::Set(members) => {
            let element = argument(0)?;
            for v in members.iter().rev() {
                work.extend([Item::Text("))"), Item::Value(v, element), Item::Text(" (set.singleton ")]);
            }
            // `(set.union e a)` from the inside out, over the empty set.
            let unions = "(set.union ".repeat(members.len());
            format!("{unions}(as set.empty {})", arena.display_sort(sort))
        }
        Value::Bag(members) => {
            let element = argument(0)?;
            for (v, count) in members.iter().rev() {
                work.extend([Item::Text("))"), Item::Int(count), Item::Text(" ")]);
                work.extend([Item::Value(v, element), Item::Text(" (bag ")]);
            }
            let unions = "(bag.union_disjoint ".repeat(members.len());
            format!("{unions}(as bag.empty {})", arena.display_sort(sort))
        }
        Value::Tuple(parts) if parts.is_empty() => "tuple.unit".to_owned(),
        Value::Tuple(parts) => {
            work.push(Item::Text(")"));
            for (i, v) in parts.iter().enumerate().rev() {
                work.extend([Item::Value(v, argument(i)?), Item::Text(" ")]);
            }
            "(tuple".to_owned()
        }
        Value::Field(f) => format!("(as ff{} (_ FiniteField {}))", f.value(), f.order()),
        Value::Datatype(d) => {
            let declaration = domains.datatype(arena.sort_view(sort).head).ok_or(Unprintable)?;
            let constructor = declaration.constructors.iter().find(|c| key(c.name) == d.constructor());
            let constructor = constructor.ok_or(Unprintable)?;
            if constructor.selectors.len() != d.args().len() {
                return Err(Unprintable);
            }
            let params = &declaration.params;
            let argument = |p: Symbol| params.iter().position(|&q| q == p).and_then(|i| args.get(i).copied());
            work.extend((!d.args().is_empty()).then_some(Item::Text(")")));
            for (v, s) in d.args().iter().zip(&constructor.selectors).rev() {
                let field = arena.canonical(s.1);
                work.extend([Item::Value(v, arena.substitute(field, &argument)), Item::Text(" ")]);
            }
            let mut text = name(arena, constructor.name);
            if !params.is_empty() {
                text = format!("(as {text} {})", arena.display_sort(sort));
            }
            if d.args().is_empty() { text } else { format!("({text}") }
        }
    })
}

/// The same for a regular expression.
fn regex_head<'v>(regex: &'v Regex, work: &mut Vec<Item<'v>>) -> Result<String, Unprintable> {
    let (head, empty) = match regex.kind() {
        Kind::Chars(set) => return Ok(characters(set)),
        Kind::Literal(s) => return Ok(format!("(str.to_re {s})")),
        Kind::Concat => ("(re.++".to_owned(), "(str.to_re \"\")"),
        Kind::Union => ("(re.union".to_owned(), "re.none"),
        Kind::Inter => ("(re.inter".to_owned(), "re.all"),
        Kind::Comp => ("(re.comp".to_owned(), "re.none"),
        Kind::Loop(0, None) => ("(re.*".to_owned(), "re.none"),
        Kind::Loop(least, Some(most)) => (format!("((_ re.loop {least} {most})"), "re.none"),
        Kind::Loop(least, None) => {
            let [body] = regex.children() else { return Err(Unprintable) };
            work.extend([Item::Text("))"), Item::Regex(body), Item::Text(") (re.* "), Item::Regex(body)]);
            return Ok(format!("(re.++ ((_ re.^ {least}) "));
        }
    };
    Ok(match regex.children() {
        [] => empty.to_owned(),
        [one] if matches!(regex.kind(), Kind::Concat | Kind::Union | Kind::Inter) => {
            work.push(Item::Regex(one));
            String::new()
        }
        children => {
            work.push(Item::Text(")"));
            for c in children.iter().rev() {
                work.extend([Item::Regex(c), Item::Text(" ")]);
            }
            head
        }
    })
}

/// A set of characters as a regular expression.
fn characters(set: &[(u32, u32)]) -> String {
    let text = |c| Str::new(vec![c]).map_or(String::new(), |s| s.to_string());
    let range = |&(first, last): &(u32, u32)| format!("(re.range {} {})", text(first), text(last));
    match set {
        [] => "re.none".to_owned(),
        [every] if *every == EVERY_CHAR => "re.allchar".to_owned(),
        [one] => range(one),
        many => format!("(re.union {})", many.iter().map(range).collect::<Vec<_>>().join(" ")),
    }
}

/// A name as it is written.
pub(crate) fn name(arena: &Arena, symbol: Symbol) -> String {
    let mut out = Vec::new();
    Printer::new(arena, &mut out).symbol(symbol);
    String::from_utf8_lossy(&out).into_owned()
}

/// The model as a list of definitions: the elements of its sorts, then the goal's constants and functions.
///
/// Choices of division and modulo by zero are printed as z3 does it; there is no common syntax for other choices.
pub fn print_model(arena: &mut Arena, goal: &Goal, model: &Model) -> Result<Vec<u8>, Unprintable> {
    let mut out = b"(\n".to_vec();
    for command in &goal.context.commands {
        let Command::DeclareSort(sort, 0) = command else { continue };
        let Some(elements) = model.domains.universe(*sort) else { continue };
        let written = name(arena, *sort);
        for &e in elements {
            out.extend(format!("  (declare-fun {} () {written})\n", name(arena, e)).into_bytes());
        }
        let cases: Vec<String> = elements.iter().map(|&e| format!("(= x {})", name(arena, e))).collect();
        let body = if cases.len() == 1 { cases[0].clone() } else { format!("(or {})", cases.join(" ")) };
        out.extend(format!("  (forall ((x {written})) {body})\n").into_bytes());
    }
    for (symbol, args, result) in declared(goal) {
        let function = match model.interpretation.meaning(symbol) {
            Some(Meaning::Value(v)) => Arc::new(Function::new(v.clone(), [])),
            Some(Meaning::Table(f)) => f.clone(),
            _ => continue,
        };
        let written = name(arena, symbol);
        print_function(arena, &model.domains, &written, &args, result, &function, &mut out)?;
    }
    for (own, divided) in [("/0", "/"), ("div0", "div"), ("mod0", "mod")] {
        print_division(arena, model, own, divided, &mut out)?;
    }
    out.extend(b")\n");
    Ok(out)
}

/// The declarations of a goal: name, argument sorts, result.
pub(crate) fn declared(goal: &Goal) -> Vec<(Symbol, Box<[Sort]>, Sort)> {
    goal.context
        .commands
        .iter()
        .filter_map(|c| match c {
            Command::DeclareConst(n, s) => Some((*n, Box::default(), *s)),
            Command::DeclareFun(n, args, s) => Some((*n, args.clone(), *s)),
            _ => None,
        })
        .collect()
}

fn print_function(
    arena: &mut Arena,
    domains: &Domains,
    name: &str,
    args: &[Sort],
    result: Sort,
    function: &Function,
    out: &mut Vec<u8>,
) -> Result<(), Unprintable> {
    let default = function.default_value().ok_or(Unprintable)?;
    let params: Vec<String> =
        args.iter().enumerate().map(|(i, &s)| format!("(x!{i} {})", arena.display_sort(s))).collect();
    let result_text = arena.display_sort(result);
    out.extend(format!("  (define-fun {name} ({}) {result_text} ", params.join(" ")).into_bytes());
    for (point, value) in function.entries() {
        out.extend(b"(ite ");
        if point.len() > 1 {
            out.extend(b"(and");
        }
        for (i, (v, &s)) in point.iter().zip(args).enumerate() {
            let space = if point.len() > 1 { " " } else { "" };
            out.extend(format!("{space}(= x!{i} ").into_bytes());
            print_value(arena, domains, v, s, out)?;
            out.push(b')');
        }
        out.extend(if point.len() > 1 { &b") "[..] } else { b" " });
        print_value(arena, domains, value, result, out)?;
        out.push(b' ');
    }
    print_value(arena, domains, default, result, out)?;
    out.extend(")".repeat(function.entries().len()).as_bytes());
    out.extend(b")\n");
    Ok(())
}

/// The values chosen for division by zero, over the dividend.
fn print_division(
    arena: &mut Arena,
    model: &Model,
    own: &str,
    divided: &str,
    out: &mut Vec<u8>,
) -> Result<(), Unprintable> {
    let Some(symbol) = arena.find_symbol(divided.as_bytes()) else { return Ok(()) };
    let sort = if divided == "/" { Sort::REAL } else { Sort::INT };
    let zero = model.domains.default_value(arena, sort).ok_or(Unprintable)?;
    let choices = model.interpretation.choices();
    let entries: Vec<(Vec<Value>, Value)> = choices
        .iter()
        .filter(|(p, _)| p.name == symbol && p.args.len() == 2)
        .map(|(p, v)| (vec![coerce(arena, p.args[0].clone(), sort)], coerce(arena, (*v).clone(), sort)))
        .collect();
    if entries.is_empty() {
        return Ok(());
    }
    let function = Function::new(zero, entries);
    print_function(arena, &model.domains, own, &[sort], sort, &function, out)
}
