//! Objectives: the optimisation commands of a script, the values that a solver reports for them, and when an
//! assignment is better.
//!
//! Some meanings differ between solvers. Here they follow z3. Bit-vectors are unsigned. The soft assertions of one
//! `:id` are one objective at the place of the first: the sum of the weights of the false ones, to be minimised.
//! The default weight is 1. In lexicographic order, an objective is optimised among the optima of the objectives
//! before it. In a box, each objective is optimised alone, with its own model. Of a Pareto front, each answer is a
//! point that no other point dominates.

use smelt_smtlib::script::{Command, Direction, InfoValue, Script};
use smelt_smtlib::sexpr::{Sexpr, SexprNode, read_all};
use smelt_smtlib::{Arena, Sort, sym};

use crate::value::Value;
use crate::{Int, Rational, Real};

/// How several objectives are put together.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Priority {
    /// Later ones among the optima of earlier ones.
    #[default]
    Lexicographic,
    /// Each by itself.
    Box,
    /// Points that no other dominates.
    Pareto,
}

impl Priority {
    /// The priority that the options of a script set; `None` for one that is not known.
    pub fn of_script(arena: &Arena, commands: &[Command]) -> Option<Priority> {
        let set = commands.iter().rev().find_map(|c| match c {
            Command::SetOption(o) if is_priority(arena.text(o.keyword)) => Some(o.value),
            _ => None,
        });
        let Some(value) = set else { return Some(Priority::default()) };
        match arena.text(value?) {
            b"lex" => Some(Priority::Lexicographic),
            b"box" => Some(Priority::Box),
            b"pareto" => Some(Priority::Pareto),
            _ => None,
        }
    }
}

/// The option that sets the priority.
fn is_priority(keyword: &[u8]) -> bool {
    keyword == b":opt.priority"
}

/// The sort of an objective.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Measure {
    /// `Int`
    Int,
    /// `Real`
    Real,
    /// A bit-vector of this width, unsigned.
    Bits(u32),
}

/// One objective.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Objective {
    /// Which way it goes.
    pub direction: Direction,
    /// The term whose value counts, as text.
    pub term: String,
    /// Its sort.
    pub measure: Measure,
    /// As a person would say it: `maximize x`.
    pub about: String,
}

/// The value that a solver reports for an objective.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Bound {
    /// This value.
    Exact(Rational),
    /// Not this value, but as near to it as one likes; above it or below it.
    Near(Rational),
    /// Without bound, an interval, or what cannot be read: nothing is claimed that an assignment could refute.
    Open,
}

/// A group of soft assertions.
struct Soft {
    id: String,
    costs: Vec<String>,
}

/// The objectives of the commands in force, in the order in which solvers report them; `None` if one is not understood.
pub fn objectives(arena: &Arena, context: &Script) -> Option<Vec<Objective>> {
    let mut all: Vec<Result<Objective, usize>> = Vec::new();
    let mut groups: Vec<Soft> = Vec::new();
    for command in &context.commands {
        match command {
            Command::Optimize(direction, term) => {
                let measure = Measure::of(arena, arena.sort_of(*term))?;
                let term = arena.display_term(*term);
                let word = if *direction == Direction::Up { "maximize" } else { "minimize" };
                let about = format!("{word} {term}");
                all.push(Ok(Objective { direction: *direction, term, measure, about }));
            }
            Command::AssertSoft(term, attributes) => {
                let value = |keyword: &str| attribute(arena, attributes, keyword);
                let id = value(":id").unwrap_or_default();
                let weight = match value(":weight") {
                    Some(text) => Rational::parse(&text)?,
                    None => Rational::ONE,
                };
                let cost = format!("(ite {} 0.0 {})", arena.display_term(*term), weight.to_smtlib());
                let place = groups.iter().position(|g| g.id == id).unwrap_or_else(|| {
                    all.push(Err(groups.len()));
                    groups.push(Soft { id, costs: Vec::new() });
                    groups.len() - 1
                });
                groups[place].costs.push(cost);
            }
            _ => {}
        }
    }
    let soft = |group: &Soft| Objective {
        direction: Direction::Down,
        term: format!("(+ 0.0 {})", group.costs.join(" ")),
        measure: Measure::Real,
        about: format!("minimize the weight of the soft assertions{}", with_id(&group.id)),
    };
    Some(all.into_iter().map(|o| o.unwrap_or_else(|group| soft(&groups[group]))).collect())
}

fn with_id(id: &str) -> String {
    if id.is_empty() { String::new() } else { format!(" of {id}") }
}

fn attribute(arena: &Arena, attributes: &[InfoValue], keyword: &str) -> Option<String> {
    let found = attributes.iter().find(|a| arena.text(a.keyword) == keyword.as_bytes())?;
    Some(arena.name(found.value?).into_owned())
}

impl Measure {
    fn of(arena: &Arena, sort: Sort) -> Option<Measure> {
        let sort = arena.canonical(sort);
        match sort {
            Sort::INT => Some(Measure::Int),
            Sort::REAL => Some(Measure::Real),
            _ => arena.bitvec_width(sort).map(Measure::Bits),
        }
    }

    /// A number as a literal; `None` if the sort does not have it.
    pub fn literal(self, number: &Rational) -> Option<String> {
        let integer = || number.is_integer().then(|| number.numerator().clone());
        match self {
            Measure::Int => Some(crate::number::int::to_smtlib(&integer()?)),
            Measure::Real => Some(number.to_smtlib()),
            Measure::Bits(width) => {
                let value = integer().filter(|v| *v >= Int::ZERO && *v < Int::ONE << width as usize)?;
                Some(format!("(_ bv{value} {width})"))
            }
        }
    }
}

/// The number that a value counts as.
pub fn number(value: &Value) -> Option<Rational> {
    match value {
        Value::Int(i) => Some(Rational::from(i.clone())),
        Value::Real(Real::Rational(r)) => Some(r.clone()),
        Value::BitVec(b) => Some(Rational::from(b.to_unsigned_int())),
        _ => None,
    }
}

impl Objective {
    /// That the term is at least as good as a number, as text.
    pub fn at_least(&self, number: &Rational) -> Option<String> {
        self.compare(number, ["<=", ">=", "bvule", "bvuge"])
    }

    /// That an assignment refutes the reported value: it is better.
    pub fn better(&self, bound: &Bound) -> Option<String> {
        match bound {
            Bound::Exact(number) | Bound::Near(number) => self.compare(number, ["<", ">", "bvult", "bvugt"]),
            Bound::Open => None,
        }
    }

    fn compare(&self, number: &Rational, [down, up, bits_down, bits_up]: [&str; 4]) -> Option<String> {
        let literal = self.measure.literal(number)?;
        let operator = match (self.measure, self.direction) {
            (Measure::Bits(_), Direction::Down) => bits_down,
            (Measure::Bits(_), Direction::Up) => bits_up,
            (_, Direction::Down) => down,
            (_, Direction::Up) => up,
        };
        Some(format!("({operator} {} {literal})", self.term))
    }
}

/// That an assignment refutes the values reported for some objectives, as text: one way for each place where it can be better.
pub fn refutations(priority: Priority, objectives: &[Objective], bounds: &[Bound]) -> Vec<(usize, String)> {
    let pairs = || objectives.iter().zip(bounds).enumerate();
    let at_least = |(objective, bound): (&Objective, &Bound)| match bound {
        Bound::Exact(number) => objective.at_least(number),
        _ => None,
    };
    match priority {
        Priority::Box => pairs().filter_map(|(i, (o, b))| Some((i, o.better(b)?))).collect(),
        Priority::Lexicographic => {
            let (mut ways, mut before) = (Vec::new(), Vec::new());
            for (i, (objective, bound)) in pairs() {
                let Some(better) = objective.better(bound) else { break };
                ways.push((i, conjunction(&before, better)));
                // Behind an optimum that no model has, later objectives mean nothing.
                let Some(same) = at_least((objective, bound)) else { break };
                before.push(same);
            }
            ways
        }
        Priority::Pareto => {
            let Some(all) = objectives.iter().zip(bounds).map(at_least).collect::<Option<Vec<_>>>() else {
                return Vec::new();
            };
            pairs().filter_map(|(i, (o, b))| Some((i, conjunction(&all, o.better(b)?)))).collect()
        }
    }
}

fn conjunction(parts: &[String], last: String) -> String {
    if parts.is_empty() { last } else { format!("(and {} {last})", parts.join(" ")) }
}

/// The values in a reply to `get-objectives`, by position; `None` if it is not such a reply.
pub fn read_bounds(reply: &str) -> Option<Vec<Bound>> {
    let read = read_all(reply.as_bytes()).ok()?;
    let [list] = &read[..] else { return None };
    let (head, entries) = list.part("objectives").ok()?;
    let bound = |entry: &Sexpr| {
        // The cost of soft assertions without `:id` has no name.
        let value = entry.list("an objective").ok()?.last()?;
        Some(bound(value))
    };
    (head == "objectives").then(|| entries.iter().map(bound).collect())?
}

fn bound(value: &Sexpr) -> Bound {
    match linear(value) {
        Some((number, near)) if near.is_zero() => Bound::Exact(number),
        Some((number, _)) => Bound::Near(number),
        None => Bound::Open,
    }
}

/// A number, and how many times the least positive number is added to it.
fn linear(value: &Sexpr) -> Option<(Rational, Rational)> {
    match &value.node {
        SexprNode::Atom(atom) if atom == "epsilon" => Some((Rational::ZERO, Rational::ONE)),
        SexprNode::Atom(atom) if atom.starts_with('#') => {
            let bits = crate::BitVec::parse(atom)?;
            Some((Rational::from(bits.to_unsigned_int()), Rational::ZERO))
        }
        SexprNode::Atom(atom) => Some((Rational::parse(atom)?, Rational::ZERO)),
        SexprNode::List(list) => {
            let (head, parts) = list.split_first()?;
            let parts: Vec<(Rational, Rational)> = parts.iter().map(linear).collect::<Option<_>>()?;
            match (head.atom("an operator").ok()?, &parts[..]) {
                ("+", [_, ..]) => Some(
                    parts.iter().fold((Rational::ZERO, Rational::ZERO), |a, b| (&a.0 + &b.0, &a.1 + &b.1)),
                ),
                ("-", [(n, k)]) => Some((-n, -k)),
                ("-", [(a, k), (b, l)]) => Some((a - b, k - l)),
                ("*", [(a, k), (b, l)]) if k.is_zero() || l.is_zero() => {
                    Some((a * b, if k.is_zero() { a * l } else { k * b }))
                }
                ("/", [(a, k), (b, l)]) if l.is_zero() => Some((a.div(b).ok()?, k.div(b).ok()?)),
                _ => None,
            }
        }
    }
}

/// Whether the commands forget objectives in a way that solvers may see differently.
pub fn forgets(commands: &[Command]) -> bool {
    commands.iter().any(|c| matches!(c, Command::Plain(sym::RESET | sym::RESET_ASSERTIONS)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use smelt_smtlib::parse_script;

    fn read(text: &str) -> (Option<Priority>, Vec<Objective>) {
        let mut arena = Arena::new();
        let script = parse_script(&mut arena, text.as_bytes()).unwrap().script;
        (Priority::of_script(&arena, &script.commands), objectives(&arena, &script).unwrap())
    }

    #[test]
    fn values_are_read_as_solvers_print_them() {
        let exact = |n: i64, d: i64| Bound::Exact(Rational::new(n.into(), d.into()).unwrap());
        let near = |n: i64, d: i64| Bound::Near(Rational::new(n.into(), d.into()).unwrap());
        for (text, expected) in [
            ("10", exact(10, 1)),
            ("(- (/ 3.0 2.0))", exact(-3, 2)),
            ("(- 7)", exact(-7, 1)),
            ("#x0f", exact(15, 1)),
            ("(+ (/ 7.0 2.0) (* (- 1.0) epsilon))", near(7, 2)),
            ("(+ 1.0 epsilon)", near(1, 1)),
            ("epsilon", near(0, 1)),
            ("oo", Bound::Open),
            ("(* (- 1) oo)", Bound::Open),
            ("(interval 15 1)", Bound::Open),
            ("(root-obj (+ (^ x 2) (- 2)) 2)", Bound::Open),
        ] {
            assert_eq!(read_bounds(&format!("(objectives\n (x {text})\n)")), Some(vec![expected]), "{text}");
        }
        assert_eq!(read_bounds("(objectives ( 3) (g 4))"), Some(vec![exact(3, 1), exact(4, 1)]));
        assert_eq!(read_bounds("(error \"no\")"), None);
    }

    #[test]
    fn soft_assertions_of_one_id_are_one_objective_in_the_place_of_the_first() {
        let (priority, all) = read(
            "(set-option :opt.priority box)(declare-const p Bool)(declare-const x (_ BitVec 4))(assert-soft p :id a)\
             (maximize x)(assert-soft (not p) :weight 0.5 :id a)(assert-soft p :weight 2)",
        );
        assert_eq!(priority, Some(Priority::Box));
        let terms: Vec<&str> = all.iter().map(|o| o.term.as_str()).collect();
        assert_eq!(
            terms,
            ["(+ 0.0 (ite p 0.0 1.0) (ite (not p) 0.0 (/ 1.0 2.0)))", "x", "(+ 0.0 (ite p 0.0 2.0))"]
        );
        assert_eq!((all[1].measure, all[1].direction), (Measure::Bits(4), Direction::Up));
    }

    #[test]
    fn what_refutes_optima_depends_on_how_they_are_put_together() {
        let (_, all) = read("(declare-const x Int)(declare-const y Int)(maximize x)(minimize y)");
        let bounds = [Bound::Exact(Rational::from(3)), Bound::Exact(Rational::from(0))];
        let texts = |priority, bounds: &[Bound]| {
            let ways = refutations(priority, &all, bounds);
            ways.into_iter().map(|w| w.1).collect::<Vec<_>>()
        };
        assert_eq!(texts(Priority::Box, &bounds), ["(> x 3)", "(< y 0)"]);
        assert_eq!(texts(Priority::Lexicographic, &bounds), ["(> x 3)", "(and (>= x 3) (< y 0))"]);
        assert_eq!(texts(Priority::Pareto, &bounds)[1], "(and (>= x 3) (<= y 0) (< y 0))");
        let open = [Bound::Open, bounds[1].clone()];
        assert_eq!(texts(Priority::Box, &open), ["(< y 0)"]);
        assert!(
            texts(Priority::Lexicographic, &open).is_empty() && texts(Priority::Pareto, &open).is_empty()
        );
    }
}
