//! Fusion functions with their inversions: read from a data file, refused unless they hold.

use std::sync::{Arc, OnceLock};

use smelt_smtlib::Error;
use smelt_smtlib::logic::Logic;
use smelt_smtlib::sexpr::{Sexpr, read_all};

use super::blocks;
use super::check::{self, Flaw};
use crate::rng::Rng;
use crate::template::Env;

/// One fusion function.
#[derive(Clone, Debug)]
pub(crate) struct Function {
    /// Its name in the file.
    pub name: String,
    pub(crate) params: Vec<String>,
    pub(crate) x: Sexpr,
    pub(crate) y: Sexpr,
    pub(crate) z: Sexpr,
    pub(crate) constants: Vec<Constant>,
    pub(crate) declare: Option<Sexpr>,
    pub(crate) f: Sexpr,
    pub(crate) rx: Vec<Sexpr>,
    pub(crate) ry: Vec<Sexpr>,
    /// What its terms add to a logic, besides the sorts of the variables.
    pub(crate) logic: Logic,
}

/// A random literal in a function.
#[derive(Clone, Debug)]
pub(crate) struct Constant {
    pub(crate) name: String,
    pub(crate) sort: String,
    pub(crate) nonzero: bool,
}

/// Why a file of fusion functions is refused.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum FunctionError {
    /// It is not in the format.
    #[error(transparent)]
    Syntax(#[from] Error),
    /// An inversion does not hold.
    #[error("fusion function `{name}`: {flaw}")]
    Refused {
        /// The function.
        name: String,
        /// What is wrong with it.
        flaw: Flaw,
    },
}

const BUILTIN: &[u8] = include_bytes!("../../data/fusion.txt");

/// The built-in functions, checked once.
pub(crate) fn builtin() -> Arc<Vec<Function>> {
    static FUNCTIONS: OnceLock<Arc<Vec<Function>>> = OnceLock::new();
    let made = FUNCTIONS.get_or_init(|| match read(BUILTIN) {
        Ok(functions) => Arc::new(functions),
        Err(e) => panic!("the built-in fusion functions hold: {e}"),
    });
    Arc::clone(made)
}

/// Reads a file, of smelt's format or of YinYang's, and checks every function in it.
pub(crate) fn read(text: &[u8]) -> Result<Vec<Function>, FunctionError> {
    if text.split(|b| *b == b'\n').any(|line| line.trim_ascii() == b"#begin") {
        return blocks::read(text);
    }
    let mut functions = Vec::new();
    for item in read_all(text)? {
        let mut function = entry(&item)?;
        function.logic = check::check(&function)
            .map_err(|flaw| FunctionError::Refused { name: function.name.clone(), flaw })?;
        functions.push(function);
    }
    Ok(functions)
}

fn entry(item: &Sexpr) -> Result<Function, Error> {
    let (name, parts) = item.entry("fusion")?;
    let (mut x, mut y, mut z, mut f, mut declare) = (None, None, None, None, None);
    let (mut params, mut constants, mut rx, mut ry) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    for part in parts {
        match part.part("`x`, `y`, `z`, `f`, `rx`, `ry`, `par`, `const` or `declare`")? {
            ("par", names) => {
                for n in names {
                    params.push(n.atom("a sort variable")?.to_owned());
                }
            }
            ("x", [sort]) => x = Some(sort.clone()),
            ("y", [sort]) => y = Some(sort.clone()),
            ("z", [sort]) => z = Some(sort.clone()),
            ("f", [term]) => f = Some(term.clone()),
            ("rx", terms @ [_, ..]) => rx = terms.to_vec(),
            ("ry", terms @ [_, ..]) => ry = terms.to_vec(),
            ("declare", [command]) => declare = Some(command.clone()),
            ("const", [name, sort, more @ ..]) => {
                let sort = sort.atom("a sort")?.to_owned();
                if !matches!(&*sort, "Int" | "Real" | "String") {
                    return Err(Error::new(name.offset, "a constant is an Int, a Real or a String"));
                }
                let nonzero = match more {
                    [] => false,
                    [word] if word.atom("`nonzero`")? == "nonzero" => true,
                    _ => return Err(Error::new(part.offset, "expected `(const NAME SORT [nonzero])`")),
                };
                constants.push(Constant { name: name.atom("a name")?.to_owned(), sort, nonzero });
            }
            _ => return Err(Error::new(part.offset, "not a part of a fusion function")),
        }
    }
    let missing = |what: &str| Error::new(item.offset, format!("the function has no `({what} ..)`"));
    if rx.is_empty() && ry.is_empty() {
        return Err(missing("rx"));
    }
    Ok(Function {
        name: name.to_owned(),
        params,
        x: x.ok_or_else(|| missing("x"))?,
        y: y.ok_or_else(|| missing("y"))?,
        z: z.ok_or_else(|| missing("z"))?,
        f: f.ok_or_else(|| missing("f"))?,
        constants,
        declare,
        rx,
        ry,
        logic: Logic::NONE,
    })
}

impl Function {
    /// Whether it is for sorts of a kind, rather than for any.
    pub(crate) fn is_specific(&self) -> bool {
        use smelt_smtlib::sexpr::SexprNode;
        !matches!(&self.x.node, SexprNode::Atom(a) if self.params.contains(a))
    }

    /// What its variables stand for with variables of these sorts.
    pub(crate) fn fit(&self, x: &Sexpr, y: &Sexpr) -> Option<Env> {
        let mut env = Env::default();
        let fits = env.unify(&self.x, x, &self.params) && env.unify(&self.y, y, &self.params);
        fits.then_some(env)
    }
}

/// A random literal of a constant's sort.
pub(crate) fn literal(constant: &Constant, rng: &mut Rng) -> String {
    match &*constant.sort {
        "String" => {
            let letters = ["a", "b", "0", "-", "\\u{7f}"];
            (0..rng.below(4)).fold("\"".to_owned(), |s, _| s + letters[rng.below(letters.len())]) + "\""
        }
        sort => {
            let range = if rng.one_in(8) { 10_000 } else { 12 };
            let n = rng.below(range) + usize::from(constant.nonzero);
            let digits = if sort == "Real" { format!("{n}.{}", rng.below(4) * 25) } else { n.to_string() };
            if rng.one_in(2) { format!("(- {digits})") } else { digits }
        }
    }
}
