//! Fusion functions as YinYang writes them: blocks of declarations and equations between `#begin` and `#end`.
//!
//! The equation of `z` is the function, those of `x` and `y` are its inversions; any other constant is a random literal. An
//! inversion that holds for some values only is partial, as those of products are, and one that holds for none is left out.

use smelt_smtlib::Error;
use smelt_smtlib::logic::Logic;
use smelt_smtlib::sexpr::{Sexpr, read_all};

use super::check;
use super::functions::{Constant, Function, FunctionError, Inversion, inversions};

/// The functions of a file that hold, with at least one inversion each.
pub(crate) fn read(text: &[u8]) -> Result<Vec<Function>, FunctionError> {
    let mut functions = Vec::new();
    let mut last = None;
    let mut start = None;
    let mut at = 0;
    for line in text.split_inclusive(|b| *b == b'\n') {
        match (line.trim_ascii(), start) {
            (b"#begin", _) => start = Some(at + line.len()),
            (b"#end", Some(from)) => {
                start = None;
                let moved = |e: Error| Error::new(e.offset + from, e.message.clone());
                let function = block(&text[from..at], functions.len()).map_err(moved)?;
                match sound(function) {
                    Ok(function) => functions.push(function),
                    Err(e) => last = Some(e),
                }
            }
            _ => {}
        }
        at += line.len();
    }
    match last {
        Some(e) if functions.is_empty() => Err(e),
        _ => Ok(functions),
    }
}

fn block(text: &[u8], position: usize) -> Result<Function, Error> {
    let mut sorts: Vec<(String, Sexpr)> = Vec::new();
    let mut equations: Vec<(String, Sexpr)> = Vec::new();
    for command in read_all(text)? {
        match command.part("`declare-const`, `declare-fun` or `assert`")? {
            ("declare-const", [name, sort]) | ("declare-fun", [name, _, sort]) => {
                sorts.push((name.atom("a name")?.to_owned(), sort.clone()));
            }
            ("assert", [equation]) => match equation.part("an equation")? {
                ("=", [name, term]) => equations.push((name.atom("x, y or z")?.to_owned(), term.clone())),
                _ => return Err(Error::new(equation.offset, "expected `(= NAME TERM)`")),
            },
            _ => {
                return Err(Error::new(command.offset, "expected a declaration or `(assert (= NAME TERM))`"));
            }
        }
    }
    let missing = |what: &str| Error::new(0, format!("the block does not say what {what} is"));
    let sort =
        |name: &str| sorts.iter().find(|s| s.0 == name).map(|s| s.1.clone()).ok_or_else(|| missing(name));
    let of = |name: &str| equations.iter().filter(|e| e.0 == name).map(|e| e.1.clone()).collect::<Vec<_>>();
    let others = sorts.iter().filter(|s| !matches!(&*s.0, "x" | "y" | "z"));
    let constant = |(name, sort): &(String, Sexpr)| {
        Ok::<_, Error>(Constant { name: name.clone(), sort: sort.clone(), nonzero: false })
    };
    Ok(Function {
        name: format!("block-{}", position + 1),
        params: Vec::new(),
        x: sort("x")?,
        y: sort("y")?,
        z: sort("z")?,
        constants: others.map(constant).collect::<Result<_, _>>()?,
        declare: None,
        f: of("z").into_iter().next().ok_or_else(|| missing("z"))?,
        rx: inversions(&of("x"), true).collect(),
        ry: inversions(&of("y"), true).collect(),
        logic: Logic::NONE,
    })
}

/// The function with those of its inversions that hold, for all values or for some.
fn sound(mut function: Function) -> Result<Function, FunctionError> {
    let refused = |name: &str, flaw| FunctionError::Refused { name: name.to_owned(), flaw };
    let holds = |f: &Function, inversion: &Inversion, on_x: bool, nonzero: bool| {
        let one = vec![inversion.clone()];
        let (rx, ry) = if on_x { (one, Vec::new()) } else { (Vec::new(), one) };
        let constants = f.constants.iter().map(|c| Constant { nonzero, ..c.clone() }).collect();
        check::check(&Function { rx, ry, constants, ..f.clone() })
    };
    let (mut logic, mut nonzero, mut last) = (Logic::NONE, false, None);
    let mut keep = |list: &mut Vec<Inversion>, on_x: bool| {
        list.retain_mut(|inversion| {
            // A constant that the inversion divides by must not be zero.
            for (everywhere, without_zero) in [(true, false), (true, true), (false, false)] {
                inversion.everywhere = everywhere;
                match holds(&function, inversion, on_x, without_zero) {
                    Ok(used) => {
                        logic = logic.union(used);
                        nonzero |= without_zero;
                        return true;
                    }
                    Err(flaw) => last = Some(flaw),
                }
            }
            false
        });
    };
    let (mut rx, mut ry) = (function.rx.clone(), function.ry.clone());
    keep(&mut rx, true);
    keep(&mut ry, false);
    if rx.is_empty() && ry.is_empty() {
        return Err(match last {
            Some(flaw) => refused(&function.name, flaw),
            None => FunctionError::Syntax(Error::new(0, "the block has no inversion")),
        });
    }
    function.constants.iter_mut().for_each(|c| c.nonzero = nonzero);
    Ok(Function { rx, ry, logic, ..function })
}

#[cfg(test)]
mod tests {
    use super::*;

    const FILE: &str = "
#begin
(declare-const x Int)
(declare-const y Int)
(declare-const z Int)
(declare-const c Int)
(assert (= z (+ x (+ y c))))
(assert (= x (- (- z y) c)))
(assert (= y (- (- z x) c)))
#end
#begin
(declare-const x Int)
(declare-const y Int)
(declare-const z Int)
(assert (= z (* x y)))
(assert (= x (div z y)))
#end
";

    #[test]
    fn blocks_are_read_and_what_holds_for_no_value_is_left_out() {
        let functions = read(FILE.as_bytes()).unwrap();
        let shape = |f: &Function| (f.rx.len(), f.ry.len(), f.constants.len());
        assert_eq!(functions.iter().map(shape).collect::<Vec<_>>(), [(1, 1, 1), (1, 0, 0)]);
        assert!(functions[0].rx[0].everywhere && functions[0].ry[0].everywhere);
        assert!(!functions[1].rx[0].everywhere, "a product cannot be divided by zero");
        let never =
            FILE.rsplit("#begin").next().unwrap().replace("(div z y)", "(+ 1 (div z y) (* x x) (* y y))");
        assert!(read(format!("#begin{never}").as_bytes()).is_err(), "nothing is left");
        assert!(read(b"#begin\n(assert x)\n#end\n").is_err());
    }
}
