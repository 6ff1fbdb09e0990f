//! Prints values and models as SMT-LIB that [`Model::read`] and other solvers read.

use smelt_smtlib::script::Command;
use smelt_smtlib::{Arena, Printer, Sort, Symbol};

use super::Model;
use crate::eval::{Domains, Meaning, coerce, key};
use crate::goal::Goal;
use crate::value::{Function, Value};

/// A value for which there is no syntax: of function sort, an element without a name, or of the wrong sort.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[error("there is no syntax for this value")]
pub struct Unprintable;

/// Regular expressions are printed up to this size.
const MAX_REGEX: usize = 100_000;

enum Item<'v> {
    Value(&'v Value, Sort),
    Text(String),
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
    while let Some(item) = work.pop() {
        let (value, sort) = match item {
            Item::Text(text) => {
                out.extend_from_slice(text.as_bytes());
                continue;
            }
            Item::Value(value, sort) => (value, sort),
        };
        let args: Vec<Sort> = arena.sort_view(sort).args.to_vec();
        let argument = |i: usize| args.get(i).copied().ok_or(Unprintable);
        let text = match value {
            Value::Bool(b) => b.to_string(),
            Value::Int(i) if sort == Sort::REAL => crate::Real::from(i.clone()).to_smtlib(),
            Value::Int(i) => crate::number::int::to_smtlib(i),
            Value::Real(r) => r.to_smtlib(),
            Value::BitVec(b) => b.to_string(),
            Value::Float(f) => f.to_string(),
            Value::RoundingMode(m) => m.to_string(),
            Value::Str(s) => s.to_string(),
            Value::RegLan(r) => r.to_smtlib(MAX_REGEX).ok_or(Unprintable)?,
            Value::Element(e) => name(arena, domains.element_name(*e).ok_or(Unprintable)?),
            Value::Function(_) => return Err(Unprintable),
            Value::Array(a) => {
                let (index, element) = (argument(0)?, argument(1)?);
                for (i, v) in a.exceptions().collect::<Vec<_>>().into_iter().rev() {
                    work.push(Item::Text(")".to_owned()));
                    work.push(Item::Value(v, element));
                    work.push(Item::Text(" ".to_owned()));
                    work.push(Item::Value(i, index));
                    work.push(Item::Text(" ".to_owned()));
                }
                work.push(Item::Text(")".to_owned()));
                work.push(Item::Value(a.default_value(), element));
                let stores = "(store ".repeat(a.exceptions().len());
                format!("{stores}((as const {}) ", arena.display_sort(sort))
            }
            Value::Seq(elements) => {
                let element = argument(0)?;
                let many = elements.len() > 1;
                if many {
                    work.push(Item::Text(")".to_owned()));
                }
                for (i, v) in elements.iter().enumerate().rev() {
                    work.push(Item::Text(")".to_owned()));
                    work.push(Item::Value(v, element));
                    work.push(Item::Text(
                        if i > 0 || many { " (seq.unit " } else { "(seq.unit " }.to_owned(),
                    ));
                }
                match elements.len() {
                    0 => format!("(as seq.empty {})", arena.display_sort(sort)),
                    1 => String::new(),
                    _ => "(seq.++".to_owned(),
                }
            }
            Value::Set(members) => {
                let element = argument(0)?;
                for v in members.iter().rev() {
                    work.push(Item::Text("))".to_owned()));
                    work.push(Item::Value(v, element));
                    work.push(Item::Text(" (set.singleton ".to_owned()));
                }
                // `(set.union e a)` from the inside out, over the empty set.
                let unions = "(set.union ".repeat(members.len());
                format!("{unions}(as set.empty {})", arena.display_sort(sort))
            }
            Value::Datatype(d) => {
                let head = arena.sort_view(sort).head;
                let declaration = domains.datatype(head).ok_or(Unprintable)?;
                let constructor = declaration.constructors.iter().find(|c| key(c.name) == d.constructor());
                let constructor = constructor.ok_or(Unprintable)?;
                let params = declaration.params.clone();
                let fields: Vec<Sort> = constructor
                    .selectors
                    .iter()
                    .map(|s| {
                        let field = arena.canonical(s.1);
                        arena.substitute(field, &|p| {
                            params.iter().position(|&q| q == p).and_then(|i| args.get(i).copied())
                        })
                    })
                    .collect();
                if fields.len() != d.args().len() {
                    return Err(Unprintable);
                }
                let mut text = name(arena, constructor.name);
                if !params.is_empty() {
                    text = format!("(as {text} {})", arena.display_sort(sort));
                }
                if fields.is_empty() {
                    text
                } else {
                    work.push(Item::Text(")".to_owned()));
                    for (v, s) in d.args().iter().zip(fields).rev() {
                        work.push(Item::Value(v, s));
                        work.push(Item::Text(" ".to_owned()));
                    }
                    format!("({text}")
                }
            }
        };
        out.extend_from_slice(text.as_bytes());
    }
    Ok(())
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
        match model.interpretation.meaning(symbol) {
            Some(Meaning::Value(v)) => {
                let head =
                    format!("  (define-fun {} () {} ", name(arena, symbol), arena.display_sort(result));
                out.extend(head.into_bytes());
                print_value(arena, &model.domains, v, result, &mut out)?;
                out.extend(b")\n");
            }
            Some(Meaning::Table(f)) => {
                let f = f.clone();
                let written = name(arena, symbol);
                print_function(arena, &model.domains, &written, &args, result, &f, &mut out)?;
            }
            _ => {}
        }
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
