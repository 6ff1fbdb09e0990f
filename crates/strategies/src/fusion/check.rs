//! Checks a fusion function: its inversions give back x and y, for every value, by the reference semantics.

use smelt_semantics::Unknown;
use smelt_smtlib::logic::Logic;
use smelt_smtlib::sexpr::{Sexpr, read_all};

use super::functions::{Function, Inversion, literal};
use crate::rng::Rng;
use crate::samples::values;
use crate::template::{Env, plain};
use crate::workbench::Workbench;

/// What is wrong with a fusion function.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum Flaw {
    /// It cannot be read at these sorts.
    #[error("is not well-sorted: {0}")]
    Untyped(String),
    /// An inversion gives something else for these values.
    #[error("an inversion does not give the variable back: {0}")]
    Counterexample(String),
    /// An inversion that need not hold everywhere holds nowhere.
    #[error("an inversion gives the variable back for no value: {0}")]
    Never(String),
    /// The result depends on an operator that the standard leaves open, for these values.
    #[error("may be wrong, because SMT-LIB leaves a result open: {0}")]
    Open(String),
}

/// Checks a function at several sorts; what its terms need of a logic.
pub(crate) fn check(function: &Function) -> Result<Logic, Flaw> {
    let mut logic = Logic::NONE;
    for (i, (x, y)) in instances(function).into_iter().enumerate() {
        let (x, y) = (sexpr(&x), sexpr(&y));
        let Some(env) = function.fit(&x, &y) else { continue };
        let used = Instance::new(function, env, &plain(&x), &plain(&y))?.run()?;
        if i == 0 {
            logic = used;
        }
    }
    Ok(logic)
}

fn sexpr(text: &str) -> Sexpr {
    read_all(text.as_bytes()).expect("a sort").swap_remove(0)
}

/// Sorts to try for x and y: variables become small sorts of several kinds.
fn instances(function: &Function) -> Vec<(String, String)> {
    let mut found = Vec::new();
    let sorts = ["Bool", "Int", "(_ BitVec 2)"];
    for m in [1, 2, 3, 5] {
        for n in [m, 4] {
            for (i, a) in sorts.iter().enumerate() {
                let mut env = Env::default();
                for (j, p) in function.params.iter().enumerate() {
                    env.sorts.push((p.clone(), sorts[(i + j) % sorts.len()].to_owned()));
                }
                // Float formats beside bit-vector widths: e and s are the names of the data file.
                for (name, value) in [("m", m), ("n", n), ("e", 2 + m % 2), ("s", 2 + m % 3)] {
                    env.numbers.push((name.to_owned(), value));
                }
                let (Some(x), Some(y)) = (env.text(&function.x), env.text(&function.y)) else { continue };
                if !found.contains(&(x.clone(), y.clone())) {
                    found.push((x, y));
                }
                if function.params.is_empty() || *a == "(_ BitVec 2)" {
                    break;
                }
            }
        }
    }
    found
}

struct Instance<'a> {
    function: &'a Function,
    env: Env,
    xs: Vec<String>,
    ys: Vec<String>,
    z: String,
    y_follows_x: bool,
}

/// Pairs of values beyond this are drawn at random.
const PAIRS: usize = 1500;

impl<'a> Instance<'a> {
    fn new(function: &'a Function, env: Env, x: &str, y: &str) -> Result<Self, Flaw> {
        let z =
            env.text(&function.z).ok_or_else(|| Flaw::Untyped("the sort of z has no value".to_owned()))?;
        let values = |sort: &str| {
            values(&sexpr(sort), 3)
                .ok_or_else(|| Flaw::Untyped(format!("no values are known for sort {sort}")))
        };
        Ok(Instance { function, env, xs: values(x)?, ys: values(y)?, z, y_follows_x: x == y })
    }

    fn run(&self) -> Result<Logic, Flaw> {
        let mut rng = Rng::new(0x5eed);
        let declarations = match &self.function.declare {
            Some(d) => Env { sorts: Vec::new(), ..self.env.clone() }.text(d).unwrap_or_default(),
            None => String::new(),
        };
        let mut bench = Workbench::new(&declarations).map_err(Flaw::Untyped)?;
        self.check_sort(&mut bench)?;
        let mut logic = Logic::NONE;
        let sides = [(&self.function.rx, "x"), (&self.function.ry, "y")];
        let partial = sides.iter().flat_map(|(all, v)| all.iter().map(move |i| (i, *v)));
        let mut partial: Vec<(&Inversion, &str, bool)> =
            partial.filter(|(i, _)| !i.everywhere).map(|(i, v)| (i, v, false)).collect();
        let all = self.xs.len() * self.ys.len();
        for k in 0..all.min(PAIRS) {
            let at = if all <= PAIRS { k } else { rng.below(all) };
            let (x, y) = (&self.xs[at % self.xs.len()], &self.ys[at / self.xs.len()]);
            // Equal values are a corner of their own.
            let y = if self.y_follows_x && k % 16 == 15 { x } else { y };
            let untyped = || Flaw::Untyped("an index has no value".to_owned());
            let env = self.env_with_constants(&mut rng).ok_or_else(untyped)?;
            let text = self.law(&env, x, y).ok_or_else(untyped)?;
            let mark = bench.arena.checkpoint();
            let term = bench.term(&text).map_err(Flaw::Untyped)?;
            logic = logic.union(Logic::used_by(&bench.arena, term).unwrap_or(Logic::ALL));
            let shown = || format!("x = {x}, y = {y} in {text}");
            match bench.evaluator(&bench.base).holds(term) {
                Ok(true) => {}
                Ok(false) => return Err(Flaw::Counterexample(shown())),
                Err(Unknown::Unspecified(_)) => return Err(Flaw::Open(shown())),
                Err(other) => {
                    return Err(Flaw::Untyped(format!("{} for {}", other.describe(&bench.arena), shown())));
                }
            }
            bench.arena.rollback(mark);
            for (inversion, variable, holds) in partial.iter_mut().filter(|(.., holds)| !holds) {
                let text = law(self.function, &env, (x, y), &[(inversion, variable)]).ok_or_else(untyped)?;
                let term = bench.term(&text).map_err(Flaw::Untyped)?;
                logic = logic.union(Logic::used_by(&bench.arena, term).unwrap_or(Logic::ALL));
                *holds = bench.evaluator(&bench.base).holds(term) == Ok(true);
                bench.arena.rollback(mark);
            }
        }
        if let Some((inversion, ..)) = partial.iter().find(|(.., holds)| !holds) {
            return Err(Flaw::Never(plain(&inversion.term)));
        }
        logic.datatypes |= self.function.declare.is_some();
        Ok(logic)
    }

    /// The fusion function gives the sort that is stated for z.
    fn check_sort(&self, bench: &mut Workbench) -> Result<(), Flaw> {
        let env = self.env_with_constants(&mut Rng::new(0));
        let f = env.and_then(|env| env.text(&self.function.f)).unwrap_or_default();
        let text = format!("(let ((x {}) (y {})) {f})", self.xs[0], self.ys[0]);
        let term = bench.term(&text).map_err(Flaw::Untyped)?;
        let sort = bench.sort(&self.z).map_err(Flaw::Untyped)?;
        let found = bench.arena.sort_of(term);
        if found != bench.arena.canonical(sort) {
            let found = bench.arena.display_sort(found);
            return Err(Flaw::Untyped(format!("f is of sort {found}, and z is declared {}", self.z)));
        }
        Ok(())
    }

    fn env_with_constants(&self, rng: &mut Rng) -> Option<Env> {
        let mut env = self.env.clone();
        for constant in &self.function.constants {
            let text = literal(constant, &env, rng)?;
            env.terms.push((constant.name.clone(), text));
        }
        Some(env)
    }

    /// What holds for all values, at these.
    fn law(&self, env: &Env, x: &str, y: &str) -> Option<String> {
        let sides = [(&self.function.rx, "x"), (&self.function.ry, "y")];
        let all = sides.iter().flat_map(|(all, v)| all.iter().map(move |i| (i, *v)));
        let all: Vec<(&Inversion, &str)> = all.filter(|(i, _)| i.everywhere).collect();
        law(self.function, env, (x, y), &all)
    }
}

/// `(let ((x ..) (y ..)) (let ((z f)) (and (= rx x) (= ry y))))` over values written out.
pub(super) fn law(
    function: &Function,
    env: &Env,
    (x, y): (&str, &str),
    inversions: &[(&Inversion, &str)],
) -> Option<String> {
    let mut text = format!("(let ((x {x}) (y {y})) (let ((z ");
    env.write(&function.f, &mut text)?;
    text.push_str(")) (and true");
    for (inversion, variable) in inversions {
        text.push_str(" (= ");
        env.write(&inversion.term, &mut text)?;
        text.push_str(&format!(" {variable})"));
    }
    text.push_str(")))");
    Some(text)
}
