//! Reads models: `define-fun` lists with and without `model`, value pairs, universes.

use std::collections::{HashMap, HashSet};

use smelt_smtlib::script::Header;
use smelt_smtlib::{
    Arena, Declaration, IndexView, Lexer, Parser, Role, Scope, Sort, Symbol, Term, TokenKind, View, sym,
};

use super::{Escapes, Model, ModelError, algebraic, declared, define_named};
use crate::Str;
use crate::eval::{Domains, Evaluator, Meaning};
use crate::goal::Goal;

/// An entry of a model: its first token, and the offset of that.
struct Entry {
    offset: usize,
    head: String,
}

/// What the entries of a model say.
#[derive(Default)]
struct Entries {
    functions: Vec<(Header, Term)>,
    /// Terms and their values.
    pairs: Vec<(Term, Term)>,
    /// Elements of sorts that the script declares, and their sorts.
    elements: Vec<(Symbol, Symbol)>,
    /// Sorts that have no other elements.
    bounded: Vec<Symbol>,
}

impl Entries {
    fn read(
        arena: &mut Arena,
        scope: &Scope,
        source: &[u8],
        entries: &[Entry],
    ) -> Result<Entries, ModelError> {
        let mut read = Entries::default();
        let bad = |e| malformed(source, &e);
        let mut parser = Parser::new(arena, scope.clone(), source).map_err(bad)?;
        for entry in entries {
            parser.seek(entry.offset);
            if matches!(
                entry.head.as_str(),
                "define-fun" | "define-fun-rec" | "define-const" | "declare-fun" | "declare-const" | "="
            ) {
                parser.next_symbol().map_err(bad)?;
            }
            match entry.head.as_str() {
                "define-fun" | "define-fun-rec" => {
                    read.functions.push(parser.next_definition().map_err(bad)?);
                }
                "define-const" => {
                    let name = parser.next_symbol().map_err(bad)?;
                    let result = parser.next_sort().map_err(bad)?;
                    let body = parser.next_term().map_err(bad)?;
                    read.functions.push((Header { name, params: Box::new([]), result }, body));
                }
                "declare-fun" | "declare-const" => {
                    let name = parser.next_symbol().map_err(bad)?;
                    if entry.head == "declare-fun" {
                        // `()`
                        let behind = source[parser.offset()..].iter().position(|&c| c == b')');
                        parser.seek(parser.offset() + behind.map_or(0, |n| n + 1));
                    }
                    let sort = parser.next_sort().map_err(bad)?;
                    let head = parser.arena().sort_view(sort).head;
                    read.elements.push((name, head));
                }
                // z3's `(forall ((x S)) (or (= x S!val!0) ..))`: there are no other elements.
                "forall" => read.bounded.extend(bounded_sort(&mut parser, entry.offset, source)),
                "declare-sort" | "declare-datatypes" | "declare-datatype" | "define-sort"
                | "define-funs-rec" => {}
                // `(t v)` or `(= t v)`
                _ => {
                    let term = parser.next_term().map_err(bad)?;
                    read.pairs.push((term, parser.next_term().map_err(bad)?));
                }
            }
        }
        Ok(read)
    }
}

impl Model {
    /// Reads a solver's output in the scope of a goal.
    pub fn read(
        arena: &mut Arena,
        scope: &Scope,
        goal: &Goal,
        text: &[u8],
        escapes: Escapes,
    ) -> Result<Model, ModelError> {
        let text = String::from_utf8_lossy(text);
        let text: String = pieces(&text)
            .map(|(piece, text)| match piece {
                Piece::Plain => quoted_elements(&algebraic::rewrite(text)),
                Piece::String if escapes == Escapes::Legacy => standard_escapes(text),
                _ => text.to_owned(),
            })
            .collect();
        let source = text.as_bytes();
        let entries = entries(source)?;
        let mut model = Model::empty(goal);
        universes(arena, &text, &mut model.domains);

        let Entries { functions, pairs, elements, bounded } = Entries::read(arena, scope, source, &entries)?;
        for &(name, _) in &elements {
            model.domains.add_element(name);
        }
        for sort in bounded {
            let all = elements.iter().filter(|e| e.1 == sort).map(|e| e.0).collect();
            model.domains.set_universe(sort, all);
        }
        let values = functions.iter().map(|f| f.1).chain(pairs.iter().map(|p| p.1));
        abstract_values(arena, values.clone(), &mut model.domains);
        if let Some(name) = taken_name(arena, scope, &model.domains, values) {
            let name = arena.name(name);
            return Err(ModelError(format!(
                "`{name}` is both a symbol of the script and a value in the model"
            )));
        }
        let mut constants = model.define_functions(arena, scope, &functions)?;
        for &(term, value) in &pairs {
            let constant = match arena.view(term) {
                View::App(fun, []) if arena.fun_view(fun).op.is_none() => {
                    let name = arena.fun_view(fun).name;
                    Some(Header { name, params: Box::new([]), result: arena.sort_of(term) })
                }
                _ => None,
            };
            match constant.filter(|h| may_define(arena, scope, h) == Permission::Granted) {
                Some(h) => {
                    model.interpretation.define(h.name, &[], h.result, value);
                    constants.push(h.name);
                }
                None => model.claims.push((term, value)),
            }
        }
        define_named(arena, goal, &mut model.interpretation);
        evaluate_constants(arena, goal, &mut model, &constants);
        Ok(model)
    }

    /// Takes over the definitions that the script allows; the names of constants among them.
    fn define_functions(
        &mut self,
        arena: &Arena,
        scope: &Scope,
        functions: &[(Header, Term)],
    ) -> Result<Vec<Symbol>, ModelError> {
        let mut constants: Vec<Symbol> = Vec::new();
        let mut bodies: HashMap<Symbol, Term> = HashMap::new();
        let twice: HashSet<Symbol> = functions
            .iter()
            .filter(|(header, body)| *bodies.entry(header.name).or_insert(*body) != *body)
            .map(|(header, _)| header.name)
            .collect();
        let mut granted: Vec<Term> = Vec::new();
        let mut refused: HashSet<Symbol> = HashSet::new();
        for (header, body) in functions {
            match may_define(arena, scope, header) {
                Permission::Granted if twice.contains(&header.name) => {
                    let flaw = format!("the model defines `{}` twice", arena.name(header.name));
                    self.flaws.push((header.name, flaw));
                }
                Permission::Granted => {
                    self.interpretation.define(header.name, &header.params, header.result, *body);
                    granted.push(*body);
                    constants.extend(header.params.is_empty().then_some(header.name));
                }
                Permission::Refused => {
                    let mut declared = scope.declared(header.name);
                    refused.extend(declared.any(|d| d.role == Role::Defined).then_some(header.name));
                }
                Permission::WrongSort => {
                    let flaw = format!("the model's `{}` has another sort", arena.name(header.name));
                    self.flaws.push((header.name, flaw));
                }
            }
        }
        // A function of the model's own must not be taken for the script's of that name.
        let mut used = arena.subterms(if refused.is_empty() { Vec::new() } else { granted });
        match used.find_map(|t| applied(arena, t).filter(|name| refused.contains(name))) {
            Some(name) => {
                let name = arena.name(name);
                Err(ModelError(format!("the model uses `{name}`, which the script defines differently")))
            }
            None => Ok(constants),
        }
    }
}

/// A part of a text.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Piece {
    /// A string literal, with its quotes.
    String,
    /// A symbol between bars.
    Quoted,
    /// A comment, with the end of its line.
    Comment,
    /// What is between these.
    Plain,
}

/// A text in pieces. A doubled quote ends a string and starts the next.
fn pieces(text: &str) -> impl Iterator<Item = (Piece, &str)> {
    let mut rest = text;
    std::iter::from_fn(move || {
        let first = rest.chars().next()?;
        let (piece, end) = match first {
            '"' => (Piece::String, '"'),
            '|' => (Piece::Quoted, '|'),
            ';' => (Piece::Comment, '\n'),
            _ => {
                let length = rest.find(['"', '|', ';']).unwrap_or(rest.len());
                let (plain, behind) = rest.split_at(length);
                rest = behind;
                return Some((Piece::Plain, plain));
            }
        };
        let length = rest[1..].find(end).map_or(rest.len(), |n| n + 2);
        let (quoted, behind) = rest.split_at(length);
        rest = behind;
        Some((piece, quoted))
    })
}

/// Whether a model may define a name.
#[derive(PartialEq, Eq)]
enum Permission {
    /// The script declares it so, or does not know it: a function that other definitions use.
    Granted,
    /// The script says what it is: a definition, a `:named` term, a constructor, selector or tester.
    Refused,
    /// The script declares it with other sorts.
    WrongSort,
}

fn may_define(arena: &Arena, scope: &Scope, header: &Header) -> Permission {
    let mut declared = scope.declared(header.name).peekable();
    if declared.peek().is_none() {
        return Permission::Granted;
    }
    let mut free = declared.filter(|d| d.role == Role::Free).peekable();
    if free.peek().is_none() {
        return Permission::Refused;
    }
    // What a constant is given is held against its sort when it is evaluated: an integer is a real too.
    let same = |d: &Declaration| {
        let args = header.params.iter().map(|p| arena.canonical(p.1));
        d.args.iter().copied().eq(args) && (d.args.is_empty() || d.result == arena.canonical(header.result))
    };
    if free.any(same) { Permission::Granted } else { Permission::WrongSort }
}

/// Evaluates the definitions of constants once, and drops those of the wrong sort.
fn evaluate_constants(arena: &Arena, goal: &Goal, model: &mut Model, constants: &[Symbol]) {
    let mut values = Vec::new();
    for &name in constants {
        let mut evaluator = Evaluator::new(arena, &model.interpretation, &model.domains);
        values.push((name, evaluator.call(name, Vec::new())));
    }
    // A later declaration of a name counts.
    let constants = declared(goal).into_iter().filter(|(_, args, _)| args.is_empty());
    let sorts: HashMap<Symbol, Sort> = constants.map(|(n, _, s)| (n, arena.canonical(s))).collect();
    for (name, value) in values {
        let sort = sorts.get(&name).copied();
        match value {
            Ok(v) if sort.is_none_or(|s| model.domains.has(arena, s, &v)) => {
                let v = sort.map_or(v.clone(), |s| crate::eval::coerce(arena, v, s));
                model.interpretation.assign(name, Meaning::Value(v));
            }
            Ok(_) => {
                let sort = sort.map_or(String::new(), |s| arena.display_sort(s));
                let flaw = format!("the model's value for `{}` is not of sort {sort}", arena.name(name));
                model.flaws.push((name, flaw));
                model.interpretation.clear(name);
            }
            // It stays a definition; where it is used, evaluation gives the reason.
            Err(_) => {}
        }
    }
}

fn malformed(source: &[u8], error: &smelt_smtlib::Error) -> ModelError {
    ModelError(format!("the model is not well-formed at {}", error.locate(source)))
}

/// The entries of the first model in an output.
fn entries(source: &[u8]) -> Result<Vec<Entry>, ModelError> {
    let bad = |e| malformed(source, &e);
    let mut lexer = Lexer::new(source).map_err(bad)?;
    let mut entries = Vec::new();
    let mut depth = 0;
    let mut any = false;
    loop {
        let token = lexer.next_token().map_err(bad)?;
        match token.kind {
            TokenKind::End if depth == 0 => break,
            TokenKind::End => return Err(ModelError("the model ends in the middle".to_owned())),
            TokenKind::Close => depth -= 1,
            TokenKind::Open => {
                any = true;
                let inside = lexer.offset() as usize;
                let head = lexer.next_token().map_err(bad)?;
                let text = String::from_utf8_lossy(lexer.text(head)).into_owned();
                let wraps = depth == 0
                    && (matches!(head.kind, TokenKind::Open | TokenKind::Close) || text == "model");
                if depth == 0 && text == "error" {
                    return Err(ModelError("the solver printed an error instead of a model".to_owned()));
                }
                if wraps {
                    depth += 1;
                    if text != "model" {
                        lexer.seek(head.start);
                    }
                    continue;
                }
                entries.push(Entry { offset: inside, head: text });
                lexer.seek(inside as u32);
                skip(&mut lexer).map_err(bad)?;
            }
            _ if depth == 0 => match lexer.text(token) {
                b"unsat" | b"unknown" | b"timeout" => {
                    let said = String::from_utf8_lossy(lexer.text(token)).into_owned();
                    return Err(ModelError(format!("the solver answered {said}: there is no model")));
                }
                _ => {}
            },
            _ => return Err(ModelError("the model is not a list of definitions or values".to_owned())),
        }
        if depth < 0 {
            return Err(ModelError("a `)` without its `(`".to_owned()));
        }
    }
    if any { Ok(entries) } else { Err(ModelError("there is no model in this text".to_owned())) }
}

/// To the end of the list the lexer is in.
fn skip(lexer: &mut Lexer<'_>) -> smelt_smtlib::Result<()> {
    let mut depth = 1;
    while depth > 0 {
        match lexer.next_token()?.kind {
            TokenKind::Open => depth += 1,
            TokenKind::Close => depth -= 1,
            TokenKind::End => {
                return Err(smelt_smtlib::Error::new(lexer.offset() as usize, "`(` without its `)`"));
            }
            _ => {}
        }
    }
    Ok(())
}

/// Names such as `@a0`, `(as @a0 T)` and `T!val!0` in values are elements of uninterpreted sorts.
fn abstract_values(arena: &Arena, values: impl Iterator<Item = Term>, domains: &mut Domains) {
    for name in arena.subterms(values).filter_map(|t| constant(arena, t)) {
        let text = arena.text(name);
        if text.starts_with(b"@") || text.windows(5).any(|w| w == b"!val!") {
            domains.add_element(name);
        }
    }
}

/// A name that is both a symbol of the script and an element of a sort: one that the model has, or a constant of a declared
/// sort that stands in a value, however the solver names its elements.
fn taken_name(
    arena: &Arena,
    scope: &Scope,
    domains: &Domains,
    values: impl Iterator<Item = Term>,
) -> Option<Symbol> {
    let is_taken = |name: &Symbol| scope.declared(*name).next().is_some();
    let of_declared_sort = |t: &Term| domains.is_declared(arena.sort_view(arena.sort_of(*t)).head);
    let used = arena.subterms(values).filter(of_declared_sort);
    domains.elements().chain(used.filter_map(|t| constant(arena, t))).filter(is_taken).min()
}

/// The name of an applied function of the script or of the model, also in `(_ as-array f)`.
fn applied(arena: &Arena, term: Term) -> Option<Symbol> {
    let View::App(fun, _) = arena.view(term) else { return None };
    let f = arena.fun_view(fun);
    match (f.name, f.indices) {
        (sym::AS_ARRAY, [function]) => match function.view() {
            IndexView::Text(function) => Some(function),
            IndexView::Number(_) => None,
        },
        _ => f.op.is_none().then_some(f.name),
    }
}

/// The name of a constant of the script or of the model.
fn constant(arena: &Arena, term: Term) -> Option<Symbol> {
    let View::App(fun, []) = arena.view(term) else { return None };
    let f = arena.fun_view(fun);
    f.op.is_none().then_some(f.name)
}

/// The sort a universe constraint bounds.
fn bounded_sort(parser: &mut Parser<'_, '_>, offset: usize, source: &[u8]) -> Option<Symbol> {
    // forall ((x S)) ..
    let start = offset + source[offset..].windows(2).position(|w| w == b"((")? + 2;
    parser.seek(start);
    parser.next_symbol().ok()?;
    let sort = parser.next_sort().ok()?;
    Some(parser.arena().sort_view(sort).head)
}

/// cvc5 and cvc4 print universes in comments: `; cardinality of U is 2`, then `; rep: (as @U_0 U)` for each.
fn universes(arena: &mut Arena, text: &str, domains: &mut Domains) {
    let mut current: Option<(Symbol, usize, Vec<Symbol>)> = None;
    for (_, line) in pieces(text).filter(|p| p.0 == Piece::Comment) {
        let line = line.trim();
        if let Some((name, count)) = line.strip_prefix("; cardinality of ").and_then(|l| l.split_once(" is "))
        {
            let name = arena.symbol(name.trim().trim_matches('|').as_bytes());
            current = count.trim().parse().ok().map(|n| (name, n, Vec::new()));
        } else if let Some(element) = line.strip_prefix("; rep: ")
            && let Some((sort, count, elements)) = &mut current
        {
            let name = element.trim_start_matches("(as ").split([' ', ')']).next().unwrap_or("");
            elements.push(arena.symbol(name.trim_matches('|').as_bytes()));
            if elements.len() == *count {
                domains.set_universe(*sort, elements.clone());
            }
        }
    }
}

/// cvc5 names elements of sorts with arguments `@(Box Int)_0`, which is not a symbol: puts bars around it.
fn quoted_elements(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(start) = rest.find("@(") {
        let name = &rest[start..];
        let mut depth = 0;
        let close = name.char_indices().find_map(|(i, c)| {
            depth += match c {
                '(' => 1,
                ')' => -1,
                _ => 0,
            };
            (c == ')' && depth == 0).then_some(i + 1)
        });
        let end = close.and_then(|i| {
            let digits = name[i..].strip_prefix('_')?.bytes().take_while(u8::is_ascii_digit).count();
            (digits > 0).then_some(i + 1 + digits)
        });
        out.push_str(&rest[..start]);
        match end {
            Some(end) => out.extend(["|", &name[..end], "|"]),
            None => out.push_str("@("),
        }
        rest = &name[end.unwrap_or(2)..];
    }
    out.push_str(rest);
    out
}

/// Letters behind a backslash, and the characters that older releases mean by them.
const LEGACY_ESCAPES: (&str, &[u8]) = ("ntrabvfe\\", b"\n\t\r\x07\x08\x0b\x0c\x1b\\");

/// Writes escapes of older releases as SMT-LIB 2.6 has them.
fn standard_escapes(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut inside = false;
    let mut rest = text.chars().peekable();
    while let Some(c) = rest.next() {
        match c {
            '"' => {
                inside = !inside;
                out.push(c);
            }
            '\\' if inside => {
                let (code, length) = match rest.peek() {
                    Some('x') => {
                        let digits: String = rest.clone().skip(1).take(2).collect();
                        (u32::from_str_radix(&digits, 16).ok().filter(|_| digits.len() == 2), 3)
                    }
                    Some(e) => (LEGACY_ESCAPES.0.find(*e).map(|i| LEGACY_ESCAPES.1[i].into()), 1),
                    None => (None, 0),
                };
                if code.is_some() {
                    rest.nth(length - 1);
                }
                match code.and_then(|c| Str::new(vec![c])) {
                    Some(s) => {
                        let quoted = s.to_string();
                        out.push_str(&quoted[1..quoted.len() - 1]);
                    }
                    None => out.push('\\'),
                }
            }
            _ => out.push(c),
        }
    }
    out
}
