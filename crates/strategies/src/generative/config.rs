//! A file of operators in the format of TypeFuzz's configuration: only these operators are used in new expressions.
//!
//! ```text
//! (NAME ARGUMENT-SORT .. RESULT-SORT :attribute)
//! (par (A ..) (NAME ARGUMENT-SORT .. RESULT-SORT))
//! ```
//! The attributes `:left-assoc`, `:right-assoc`, `:chainable` and `:pairwise` allow applications with one extra argument.

use smelt_smtlib::sexpr::{Sexpr, read_all};
use smelt_smtlib::signature::Signatures;
use smelt_smtlib::{Arena, Error};

use super::expressions::Expressions;
use super::makers::Maker;
use crate::pool::Seed;
use crate::samples::sort_sexpr;
use crate::template::Env;

/// The operators of a file.
#[derive(Clone, Debug)]
pub(super) struct Config {
    rows: Vec<Row>,
}

#[derive(Clone, Debug)]
struct Row {
    name: String,
    params: Vec<String>,
    args: Vec<Sexpr>,
    result: Sexpr,
    variadic: bool,
}

impl Config {
    /// Reads a file.
    pub(super) fn read(text: &[u8]) -> Result<Config, Error> {
        let names = Signatures::builtin().arena();
        let rows = read_all(text)?.iter().map(|item| Row::read(item, &names)).collect::<Result<_, _>>()?;
        Ok(Config { rows })
    }

    /// Drops makers that the file does not have, and adds its constants.
    pub(super) fn narrow(
        &self,
        arena: &Arena,
        seed: &Seed,
        all: &Expressions,
        makers: &mut [Vec<Vec<Maker>>],
    ) {
        let text = |i: usize| sort_sexpr(&arena.display_sort(all.sorts[i].0));
        let sorts: Vec<Option<Sexpr>> = (0..all.sorts.len()).map(text).collect();
        for (of_sort, result) in makers.iter_mut().zip(&sorts) {
            let Some(result) = result else { continue };
            for group in &mut *of_sort {
                group.retain_mut(|maker| {
                    let args: Option<Vec<&Sexpr>> =
                        maker.args.iter().map(|a| sorts[*a as usize].as_ref()).collect();
                    let row =
                        args.and_then(|args| self.rows.iter().find(|r| r.has(&maker.head, &args, result)));
                    maker.variadic &= row.is_some_and(|r| r.variadic);
                    row.is_some()
                });
            }
            of_sort.retain(|group| !group.is_empty());
            for row in self.rows.iter().filter(|r| r.args.is_empty() && r.has(r.name.as_bytes(), &[], result))
            {
                let symbol = arena.find_symbol(row.name.as_bytes());
                let known = |s| arena.signatures().named(s).any(|op| seed.gate.has_theory_of(arena, op));
                if symbol.is_some_and(known) {
                    of_sort.push(vec![Maker::constant(row.name.as_bytes())]);
                }
            }
        }
    }
}

impl Row {
    fn read(item: &Sexpr, names: &Arena) -> Result<Row, Error> {
        let (mut row, mut params) = (item, Vec::new());
        let wanted = "(NAME SORT .. SORT) or (par (NAME ..) ROW)";
        if let [head, list, inner] = row.list(wanted)?
            && head.atom("a name").is_ok_and(|h| h == "par")
        {
            for name in list.list("parameters")? {
                params.push(name.atom("a parameter")?.to_owned());
            }
            row = inner;
        }
        let [head, rest @ ..] = row.list(wanted)? else {
            return Err(row.error(format!("expected {wanted}")));
        };
        let name = head.atom("the name of an operator")?.to_owned();
        let is_keyword = |s: &Sexpr| s.atom("a word").is_ok_and(|a| a.starts_with(':'));
        let end = rest.iter().position(is_keyword).unwrap_or(rest.len());
        let [args @ .., result] = &rest[..end] else {
            return Err(head.error(format!("`{name}` has no sort")));
        };
        if names.find_symbol(name.as_bytes()).is_none_or(|s| Signatures::builtin().named(s).next().is_none())
        {
            return Err(head.error(format!("there is no operator `{name}`")));
        }
        let mut variadic = false;
        for attribute in &rest[end..] {
            match attribute.atom("an attribute")? {
                ":left-assoc" | ":right-assoc" | ":chainable" | ":pairwise" => variadic = true,
                other => return Err(attribute.error(format!("there is no attribute `{other}`"))),
            }
        }
        Ok(Row { name, params, args: args.to_vec(), result: result.clone(), variadic })
    }

    /// Whether this is an operator of these sorts.
    fn has(&self, name: &[u8], args: &[&Sexpr], result: &Sexpr) -> bool {
        let mut env = Env::default();
        self.name.as_bytes() == name
            && self.args.len() == args.len()
            && self.args.iter().zip(args).all(|(p, s)| env.unify(p, s, &self.params))
            && env.unify(&self.result, result, &self.params)
    }
}
