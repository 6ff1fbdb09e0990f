//! Presets: operations, constants and rules to make formulas of, read from `data/synthesis.txt`.

use std::collections::HashSet;
use std::sync::OnceLock;

use smelt_smtlib::Error;
use smelt_smtlib::sexpr::{Sexpr, read_all};

use crate::template::{Env, plain};

/// An operation that formulas are about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Operation {
    /// As it is applied: `str.at`, or `(_ rotate_left 1)`.
    pub(super) head: String,
    pub(super) args: Vec<String>,
    pub(super) result: String,
}

/// A sort, and what names of its variables start with.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct SortRow {
    pub(super) sort: String,
    /// `None` where there are no variables of it.
    pub(super) letter: Option<String>,
}

/// Values of a sort, as terms.
pub(super) type Values = Vec<(String, Vec<String>)>;

/// What to make formulas of, with all numbers filled in.
#[derive(Clone, Debug)]
pub(super) struct Preset {
    pub(super) logic: String,
    pub(super) sorts: Vec<SortRow>,
    pub(super) operations: Vec<Operation>,
    pub(super) constants: Values,
    pub(super) pool: Values,
    /// The operations of pool terms, by position.
    pub(super) inner: Vec<usize>,
    pub(super) rules: Vec<String>,
    /// Sort variables and numbers, for the rules.
    pub(super) env: Env,
}

/// A preset as written.
#[derive(Clone, Debug, Default)]
struct Source {
    about: String,
    logic: String,
    sorts: Vec<(Sexpr, String)>,
    parameters: Vec<(String, String)>,
    numbers: Vec<(String, u32)>,
    operations: Vec<(Sexpr, Vec<Sexpr>, Sexpr)>,
    constants: Vec<(Sexpr, Vec<Sexpr>)>,
    pool: Vec<(Sexpr, Vec<Sexpr>)>,
    inner: Vec<String>,
    rules: Vec<String>,
}

/// The names of the built-in presets.
pub(super) fn names() -> impl Iterator<Item = &'static str> {
    all().iter().map(|(name, _)| &**name)
}

fn all() -> &'static [(String, Source)] {
    static ALL: OnceLock<Vec<(String, Source)>> = OnceLock::new();
    ALL.get_or_init(|| match read(include_bytes!("../../data/synthesis.txt"), &[]) {
        Ok(all) => all,
        Err(e) => panic!("the built-in presets can be read: {e}"),
    })
}

/// The presets of a user's file, which may be like built-in ones.
fn users(file: Option<&str>) -> Result<Vec<(String, Source)>, String> {
    file.map_or(Ok(Vec::new()), |text| read(text.as_bytes(), all()).map_err(|e| format!("presets: {e}")))
}

/// The first preset of a user's file.
pub(super) fn first_of(file: &str) -> Option<String> {
    users(Some(file)).ok()?.into_iter().next().map(|p| p.0)
}

/// The preset of a name, of a user's file first; `width` instead of its own number m.
pub(super) fn find(name: &str, width: Option<u32>, file: Option<&str>) -> Result<Preset, String> {
    let users = users(file)?;
    let Some((_, source)) = users.iter().chain(all()).find(|(n, _)| n == name) else {
        let list = users.iter().chain(all()).map(|(name, source)| format!("{name} ({})", source.about));
        let list: Vec<String> = list.collect();
        return Err(format!("no preset `{name}`: choose one of {}", list.join(", ")));
    };
    if width.is_some() && !source.numbers.iter().any(|(n, _)| n == "m") {
        return Err(format!("preset `{name}` has no width"));
    }
    if width == Some(0) {
        return Err("a width is at least 1".to_owned());
    }
    let mut env = Env { sorts: source.parameters.clone(), ..Env::default() };
    for (name, n) in &source.numbers {
        env.numbers.push((name.clone(), if name == "m" { width.unwrap_or(*n) } else { *n }));
    }
    let text = |s: &Sexpr| env.text(s).ok_or_else(|| format!("`{}` has no value", plain(s)));
    let values = |list: &[(Sexpr, Vec<Sexpr>)]| -> Result<Values, String> {
        list.iter().map(|(s, v)| Ok((text(s)?, v.iter().map(text).collect::<Result<_, _>>()?))).collect()
    };
    let operation = |(head, args, result): &(Sexpr, Vec<Sexpr>, Sexpr)| {
        let args = args.iter().map(text).collect::<Result<_, _>>()?;
        Ok(Operation { head: text(head)?, args, result: text(result)? })
    };
    let sort = |(sort, letter): &(Sexpr, String)| {
        Ok(SortRow { sort: text(sort)?, letter: (letter != "-").then(|| letter.clone()) })
    };
    // Two sorts that are one at this width are one row.
    let mut sorts: Vec<SortRow> = Vec::new();
    for row in source.sorts.iter().map(sort).collect::<Result<Vec<_>, String>>()? {
        if sorts.iter().all(|r| r.sort != row.sort) {
            sorts.push(row);
        }
    }
    let is_inner =
        |o: &(Sexpr, Vec<Sexpr>, Sexpr)| source.inner.is_empty() || source.inner.contains(&plain(&o.0));
    let inner = source.operations.iter().enumerate().filter(|(_, o)| is_inner(o)).map(|(i, _)| i).collect();
    Ok(Preset {
        logic: source.logic.clone(),
        sorts,
        operations: source.operations.iter().map(operation).collect::<Result<_, String>>()?,
        constants: values(&source.constants)?,
        pool: values(&source.pool)?,
        inner,
        rules: source.rules.clone(),
        env,
    })
}

/// Reads presets; `like` knows those above and `others`.
fn read(text: &[u8], others: &[(String, Source)]) -> Result<Vec<(String, Source)>, Error> {
    let mut presets: Vec<(String, Source)> = others.to_vec();
    for item in read_all(text)? {
        let (name, parts) = item.entry("preset")?;
        let source = preset(parts, &presets)?;
        presets.push((name.to_owned(), source));
    }
    Ok(presets.split_off(others.len()))
}

fn preset(parts: &[Sexpr], earlier: &[(String, Source)]) -> Result<Source, Error> {
    let mut source = Source::default();
    for part in parts {
        let unknown = || Error::new(part.offset, "not a part of a preset");
        match part.part("a part of a preset")? {
            ("about", [text]) => source.about = text.atom("a text")?.trim_matches('"').to_owned(),
            ("like", [name]) => {
                let name = name.atom("a name")?;
                let found = earlier.iter().rev().find(|(n, _)| n == name).ok_or_else(unknown)?;
                source = Source { about: source.about, ..found.1.clone() };
            }
            ("logic", [name]) => source.logic = name.atom("a logic")?.to_owned(),
            ("sort", [sort, letter]) => {
                source.sorts.push((sort.clone(), letter.atom("a letter")?.to_owned()))
            }
            ("parameter", [name, sort]) => {
                source.parameters.push((name.atom("a name")?.to_owned(), plain(sort)))
            }
            ("number", [name, n]) => {
                let n = n.atom("a number")?.parse().map_err(|_| unknown())?;
                source.numbers.push((name.atom("a name")?.to_owned(), n));
            }
            ("operation", [head, args, result]) => {
                let args = args.list("sorts")?.to_vec();
                source.operations.push((head.clone(), args, result.clone()));
            }
            ("constants", [sort, values @ ..]) => set(&mut source.constants, sort, values),
            ("pool", [sort, values @ ..]) => set(&mut source.pool, sort, values),
            ("inner", heads) => source.inner = heads.iter().map(plain).collect(),
            ("rules", names) => {
                let names = names.iter().map(|n| Ok(n.atom("a theory")?.to_owned()));
                source.rules = names.collect::<Result<_, Error>>()?;
            }
            _ => return Err(unknown()),
        }
    }
    Ok(source)
}

fn set(list: &mut Vec<(Sexpr, Vec<Sexpr>)>, sort: &Sexpr, values: &[Sexpr]) {
    match list.iter_mut().find(|(s, _)| plain(s) == plain(sort)) {
        Some(row) => row.1 = values.to_vec(),
        None => list.push((sort.clone(), values.to_vec())),
    }
}

/// A user's constants instead of those of a preset: `SORT=LITERAL,LITERAL;SORT=..`, without blanks.
pub(super) fn overrides(text: &str) -> Result<Values, String> {
    let wrong = |part: &str| format!("`{part}` is not of the form SORT=LITERAL,LITERAL");
    let mut all = HashSet::new();
    text.split(';')
        .map(|part| {
            let (sort, values) = part.split_once('=').ok_or_else(|| wrong(part))?;
            if !all.insert(sort) {
                return Err(format!("sort `{sort}` is there twice"));
            }
            let values: Vec<String> = values.split(',').map(literal).collect();
            let good = |v: &String| read_all(v.as_bytes()).is_ok_and(|l| l.len() == 1);
            if values.iter().all(good) { Ok((sort.to_owned(), values)) } else { Err(wrong(part)) }
        })
        .collect()
}

/// `-1` is what people write for `(- 1)`.
fn literal(text: &str) -> String {
    match text.strip_prefix('-') {
        Some(digits) if !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit()) => {
            format!("(- {digits})")
        }
        _ => text.to_owned(),
    }
}
