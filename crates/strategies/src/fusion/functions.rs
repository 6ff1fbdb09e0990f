//! Fusion functions with their inversions: read from a data file, rejected unless they are correct.

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
    pub(crate) rx: Vec<Inversion>,
    pub(crate) ry: Vec<Inversion>,
    /// What its terms add to a logic, besides the sorts of the variables.
    pub(crate) logic: Logic,
}

/// A term that gives a variable back.
#[derive(Clone, Debug)]
pub(crate) struct Inversion {
    pub(crate) term: Sexpr,
    /// Whether it does for all values. If not, it is used where its equation is asserted, or where a model shows that it
    /// holds.
    pub(crate) everywhere: bool,
}

/// A random literal in a function.
#[derive(Clone, Debug)]
pub(crate) struct Constant {
    pub(crate) name: String,
    pub(crate) sort: Sexpr,
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
        match part
            .part("`x`, `y`, `z`, `f`, `rx`, `ry`, `rx-partial`, `ry-partial`, `par`, `const` or `declare`")?
        {
            ("par", names) => {
                for n in names {
                    params.push(n.atom("a sort variable")?.to_owned());
                }
            }
            ("x", [sort]) => x = Some(sort.clone()),
            ("y", [sort]) => y = Some(sort.clone()),
            ("z", [sort]) => z = Some(sort.clone()),
            ("f", [term]) => f = Some(term.clone()),
            ("rx", terms @ [_, ..]) => rx.extend(inversions(terms, true)),
            ("ry", terms @ [_, ..]) => ry.extend(inversions(terms, true)),
            ("rx-partial", terms @ [_, ..]) => rx.extend(inversions(terms, false)),
            ("ry-partial", terms @ [_, ..]) => ry.extend(inversions(terms, false)),
            ("declare", [command]) => declare = Some(command.clone()),
            ("const", [name, sort, more @ ..]) => {
                let sort = sort.clone();
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

/// Inversions of one kind.
pub(super) fn inversions(terms: &[Sexpr], everywhere: bool) -> impl Iterator<Item = Inversion> {
    terms.iter().map(move |term| Inversion { term: term.clone(), everywhere })
}

/// A random literal of a constant's sort; `None` for a sort without literals.
pub(crate) fn literal(constant: &Constant, env: &Env, rng: &mut Rng) -> Option<String> {
    let sort = env.text(&constant.sort)?;
    if !matches!(&*sort, "Int" | "Real") {
        return crate::samples::literal(&crate::samples::sort_sexpr(&sort)?, rng);
    }
    let range = if rng.one_in(8) { 10_000 } else { 12 };
    let n = rng.below(range) + usize::from(constant.nonzero);
    let digits = if sort == "Real" { format!("{n}.{}", rng.below(4) * 25) } else { n.to_string() };
    Some(if rng.one_in(2) { format!("(- {digits})") } else { digits })
}
