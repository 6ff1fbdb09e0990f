//! Satisfiable formulas: one operation, equal to its result, with constants and terms as arguments.
//!
//! All satisfiable families (`operation`, `assignment`, `terms`, `mixed` and `several`) consist of equations
//! `(= (op ARGUMENTS) RESULT)` that hold for some values, which are kept as the model. Only new equations get a
//! number: two that differ only in names of variables are the same.

use std::collections::{HashMap, HashSet};

use super::preset::{Operation, Preset};
use super::values::{Table, ValueId};

/// What stands in a place of an operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Slot {
    /// A variable of its own; the value is its model.
    Free(ValueId),
    /// A constant.
    Fixed(ValueId),
    /// A term of the pool.
    Term(u32),
}

/// An equation about an operation.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Equation {
    operation: usize,
    /// The arguments, and the result behind them.
    slots: Box<[Slot]>,
    /// Constants of its terms that stay constants; the others become variables, equal ones the same.
    kept: Box<[ValueId]>,
}

/// An equation written out.
#[derive(Clone, Debug, Default)]
pub(super) struct Written {
    pub(super) formula: String,
    /// Name, sort and value of each variable, in the order they occur.
    pub(super) variables: Vec<(String, String, String)>,
}

/// A term of the pool: an operation on constants and earlier terms.
#[derive(Clone, Debug)]
struct PoolTerm {
    operation: usize,
    args: Vec<Slot>,
    value: ValueId,
}

/// Operations over values, and the pool of terms.
#[derive(Debug)]
pub(super) struct Workshop {
    pub(super) table: Table,
    operations: Vec<Operation>,
    letters: HashMap<String, String>,
    terms: Vec<PoolTerm>,
}

/// Which terms with the same value are in the pool.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Choice {
    /// The first of each operation.
    First,
    /// All.
    All,
}

/// More equations than this are a mistake in the options.
const MAX_EQUATIONS: usize = 2_000_000;
/// How many equations with a value are looked at for a group.
const NEAR: usize = 4;
/// More terms than this in a pool are one, too.
const MAX_TERMS: usize = 20_000;

impl Workshop {
    pub(super) fn new(preset: &Preset) -> Workshop {
        let letters = preset.sorts.iter().filter_map(|r| Some((r.sort.clone(), r.letter.clone()?)));
        Workshop {
            table: Table::new(),
            operations: preset.operations.clone(),
            letters: letters.collect(),
            terms: Vec::new(),
        }
    }

    fn constants(&mut self, list: &[(String, Vec<String>)]) -> Result<HashMap<String, Vec<ValueId>>, String> {
        let mut all: HashMap<String, Vec<ValueId>> = HashMap::new();
        for (sort, terms) in list {
            let has_variables = self.letters.contains_key(sort);
            for term in terms {
                // What cannot become a variable is there for how it is written.
                let id = match has_variables {
                    true => self.table.value(term, sort)?,
                    false => self.table.written(term, sort)?,
                };
                let values = all.entry(sort.clone()).or_default();
                if !values.contains(&id) {
                    values.push(id);
                }
            }
        }
        Ok(all)
    }

    fn apply(&mut self, operation: usize, args: &[ValueId]) -> Option<ValueId> {
        let Operation { head, result, .. } = &self.operations[operation];
        self.table.apply(operation, head, args, result)
    }

    fn is_free(&self, sort: &str) -> bool {
        self.letters.contains_key(sort)
    }

    /// Every operation on every combination of values, with what it gives.
    fn evaluations(
        &mut self,
        operation: usize,
        values: &HashMap<String, Vec<ValueId>>,
    ) -> Vec<(Vec<ValueId>, ValueId)> {
        let none = Vec::new();
        let lists: Vec<Vec<ValueId>> = self.operations[operation]
            .args
            .iter()
            .map(|sort| values.get(sort).unwrap_or(&none).clone())
            .collect();
        let mut all = Vec::new();
        combinations(&lists, |args| {
            if let Some(result) = self.apply(operation, args) {
                all.push((args.to_vec(), result));
            }
        });
        all
    }

    /// One equation an operation: all parameters are variables, and so is the result.
    pub(super) fn operations(&mut self, preset: &Preset) -> Result<Vec<Equation>, String> {
        self.assigned(preset, |free, places| free == places)
    }

    /// Constant assignment: some or all of the variables have become constants.
    pub(super) fn assignments(&mut self, preset: &Preset) -> Result<Vec<Equation>, String> {
        self.assigned(preset, |free, places| free < places)
    }

    /// Equations in which `wanted` says how many of the places that may be variables are.
    fn assigned(
        &mut self,
        preset: &Preset,
        wanted: impl Fn(usize, usize) -> bool,
    ) -> Result<Vec<Equation>, String> {
        let values = self.constants(&preset.constants)?;
        let mut all = Vec::new();
        for operation in 0..self.operations.len() {
            let mut seen = HashSet::new();
            let sorts: Vec<String> = self.operations[operation].args.clone();
            let sorts: Vec<String> =
                sorts.into_iter().chain([self.operations[operation].result.clone()]).collect();
            let places: Vec<usize> = (0..sorts.len()).filter(|&i| self.is_free(&sorts[i])).collect();
            // Few variables last: the simplest formulas are those with most freedom.
            let mut masks: Vec<u32> = (0..1u32 << places.len()).collect();
            masks.retain(|m| wanted(m.count_ones() as usize, places.len()));
            masks.sort_by_key(|m| std::cmp::Reverse(m.count_ones()));
            let evaluations = self.evaluations(operation, &values);
            for mask in masks {
                for (args, result) in &evaluations {
                    let slots: Vec<Slot> = args
                        .iter()
                        .chain([result])
                        .enumerate()
                        .map(|(i, &v)| match places.iter().position(|&p| p == i) {
                            Some(bit) if mask >> bit & 1 == 1 => Slot::Free(v),
                            _ => Slot::Fixed(v),
                        })
                        .collect();
                    let fixed: Vec<Option<ValueId>> =
                        slots.iter().map(|s| if let Slot::Fixed(v) = s { Some(*v) } else { None }).collect();
                    if seen.insert(fixed) {
                        all.push(Equation { operation, slots: slots.into(), kept: Box::default() });
                    }
                }
            }
        }
        Ok(all)
    }

    /// Fills the pool with applications up to `bound` deep.
    fn fill(&mut self, preset: &Preset, bound: u32, choice: Choice) -> Result<(), String> {
        if !self.terms.is_empty() {
            return Ok(());
        }
        let constants = self.constants(&preset.pool)?;
        let mut seen: HashSet<(usize, ValueId)> = HashSet::new();
        for depth in 0..bound {
            let mut slots: HashMap<String, Vec<(Slot, ValueId)>> = HashMap::new();
            for (sort, values) in &constants {
                slots.entry(sort.clone()).or_default().extend(values.iter().map(|&v| (Slot::Fixed(v), v)));
            }
            if depth > 0 {
                for (i, term) in self.terms.iter().enumerate() {
                    let sort = self.operations[term.operation].result.clone();
                    slots.entry(sort).or_default().push((Slot::Term(i as u32), term.value));
                }
            }
            let before = self.terms.len();
            for &operation in &preset.inner {
                let none = Vec::new();
                let lists: Vec<Vec<(Slot, ValueId)>> = self.operations[operation]
                    .args
                    .iter()
                    .map(|sort| slots.get(sort).unwrap_or(&none).clone())
                    .collect();
                let mut made = Vec::new();
                combinations(&lists, |args| {
                    // Deeper terms only: the others are there already.
                    let is_new = depth == 0 || args.iter().any(|(s, _)| matches!(s, Slot::Term(_)));
                    let values: Vec<ValueId> = args.iter().map(|a| a.1).collect();
                    if !is_new || made.len() > MAX_TERMS {
                        return;
                    }
                    let Some(value) = self.apply(operation, &values) else { return };
                    if choice == Choice::All || seen.insert((operation, value)) {
                        made.push(PoolTerm { operation, args: args.iter().map(|a| a.0).collect(), value });
                    }
                });
                self.terms.append(&mut made);
                if self.terms.len() > MAX_TERMS {
                    return Err(format!("a pool of more than {MAX_TERMS} terms: lower the bound"));
                }
            }
            if self.terms.len() == before {
                break;
            }
        }
        Ok(())
    }

    /// Term synthesis: terms of the pool as arguments, and one of equal value as result. With `mixed`, some of the
    /// constants stay, in every way; else all become variables.
    pub(super) fn synthesised(
        &mut self,
        preset: &Preset,
        bound: u32,
        choice: Choice,
        mixed: bool,
    ) -> Result<Vec<Equation>, String> {
        self.fill(preset, bound, choice)?;
        let fixed = self.constants(&preset.pool)?;
        let by_sort = |sort: &str| -> Vec<(Slot, ValueId)> {
            let of_sort =
                self.terms.iter().enumerate().filter(|(_, t)| self.operations[t.operation].result == sort);
            of_sort.map(|(i, t)| (Slot::Term(i as u32), t.value)).collect()
        };
        let mut results: HashMap<ValueId, Vec<u32>> = HashMap::new();
        for (i, term) in self.terms.iter().enumerate() {
            results.entry(term.value).or_default().push(i as u32);
        }
        let by_sort: HashMap<String, Vec<(Slot, ValueId)>> =
            preset.sorts.iter().map(|r| (r.sort.clone(), by_sort(&r.sort))).collect();
        let mut all = Vec::new();
        let mut seen: HashSet<String> = HashSet::new();
        for operation in 0..self.operations.len() {
            // A sort without variables has no terms either: its constants stand for themselves.
            let lists: Vec<Vec<(Slot, ValueId)>> = self.operations[operation]
                .args
                .clone()
                .iter()
                .map(|sort| match self.is_free(sort) {
                    true => by_sort.get(sort).cloned().unwrap_or_default(),
                    false => fixed.get(sort).into_iter().flatten().map(|&v| (Slot::Fixed(v), v)).collect(),
                })
                .collect();
            let mut candidates: Vec<Box<[Slot]>> = Vec::new();
            combinations(&lists, |args| {
                let values: Vec<ValueId> = args.iter().map(|a| a.1).collect();
                let Some(value) = self.apply(operation, &values) else { return };
                for &result in results.get(&value).into_iter().flatten() {
                    if candidates.len() <= MAX_EQUATIONS {
                        candidates.push(args.iter().map(|a| a.0).chain([Slot::Term(result)]).collect());
                    }
                }
            });
            for slots in candidates {
                let constants = self.constants_of(&slots);
                let subsets = if mixed { 1..(1u32 << constants.len()).saturating_sub(1) } else { 0..1 };
                for subset in subsets {
                    let kept: Box<[ValueId]> =
                        (0..constants.len()).filter(|i| subset >> i & 1 == 1).map(|i| constants[i]).collect();
                    let equation = Equation { operation, slots: slots.clone(), kept };
                    if seen.insert(self.write(&equation).formula) {
                        all.push(equation);
                    }
                }
                if all.len() > MAX_EQUATIONS {
                    return Err(format!(
                        "more than {MAX_EQUATIONS} formulas: lower the bound, or give fewer constants"
                    ));
                }
            }
        }
        Ok(all)
    }

    /// The constants in terms that could be variables, in the order they occur.
    fn constants_of(&self, slots: &[Slot]) -> Vec<ValueId> {
        let mut all: Vec<ValueId> = Vec::new();
        let mut work: Vec<(Slot, bool)> = slots.iter().rev().map(|&s| (s, false)).collect();
        while let Some((slot, inside)) = work.pop() {
            match slot {
                Slot::Term(t) => {
                    work.extend(self.terms[t as usize].args.iter().rev().map(|&s| (s, true)));
                }
                Slot::Fixed(v) if inside && self.is_free(self.table.sort(v)) && !all.contains(&v) => {
                    all.push(v)
                }
                Slot::Fixed(_) | Slot::Free(_) => {}
            }
        }
        all
    }

    /// The equation as a formula, with its variables.
    pub(super) fn write(&self, equation: &Equation) -> Written {
        self.write_all(&[equation]).0
    }

    /// Equations over common variables: what has the same value in several of them is one variable. Returns the last formula
    /// with all variables, and the formulas before it.
    pub(super) fn write_all(&self, equations: &[&Equation]) -> (Written, Vec<String>) {
        let (shared, earlier, values) = (Vec::new(), Vec::new(), Vec::new());
        let mut writer = Writer { shop: self, kept: &[], out: Written::default(), shared, earlier, values };
        let mut before = Vec::new();
        for (i, equation) in equations.iter().enumerate() {
            if i > 0 {
                before.push(std::mem::take(&mut writer.out.formula));
            }
            writer.kept = &equation.kept;
            writer.shared.clear();
            writer.earlier = writer.values.iter().copied().enumerate().map(|(at, v)| (v, at)).collect();
            let (result, args) = equation.slots.split_last().expect("an operation has a result");
            writer.out.formula.push_str("(= ");
            writer.application(equation.operation, args, false);
            writer.out.formula.push(' ');
            writer.slot(*result, false);
            writer.out.formula.push(')');
        }
        (writer.out, before)
    }

    /// The values that are variables in an equation.
    fn variables_of(&self, equation: &Equation) -> Vec<ValueId> {
        let free = equation.slots.iter().filter_map(|s| if let Slot::Free(v) = s { Some(*v) } else { None });
        let inside = self.constants_of(&equation.slots).into_iter().filter(|v| !equation.kept.contains(v));
        free.chain(inside).collect()
    }

    /// Groups of two or three equations of a list, by position: each after the first has a variable of the same value as one
    /// before it. Each equation begins up to two groups.
    pub(super) fn groups(&self, equations: &[Equation]) -> Vec<Box<[u32]>> {
        let variables: Vec<Vec<ValueId>> = equations.iter().map(|e| self.variables_of(e)).collect();
        let mut with: HashMap<ValueId, Vec<u32>> = HashMap::new();
        for (i, values) in variables.iter().enumerate() {
            for value in values {
                let list = with.entry(*value).or_default();
                if list.last() != Some(&(i as u32)) {
                    list.push(i as u32);
                }
            }
        }
        // Another equation with a value of this one; `turn` makes neighbours choose differently.
        let partner = |of: u32, turn: usize, not: &[u32]| -> Option<u32> {
            let values = &variables[of as usize];
            let value = values.get(turn % values.len().max(1))?;
            let list = &with[value];
            let start = turn.wrapping_mul(0x9e37_79b1) % list.len();
            (0..list.len().min(NEAR)).map(|k| list[(start + k) % list.len()]).find(|p| !not.contains(p))
        };
        let (mut groups, mut seen): (Vec<Box<[u32]>>, HashSet<Box<[u32]>>) = Default::default();
        for first in 0..equations.len() as u32 {
            for round in 0..2 {
                let turn = first as usize * 2 + round;
                let Some(second) = partner(first, turn, &[first]) else { continue };
                let third =
                    if turn.is_multiple_of(3) { partner(second, turn + 1, &[first, second]) } else { None };
                let group: Box<[u32]> = [first, second].into_iter().chain(third).collect();
                let mut sorted = group.clone();
                sorted.sort_unstable();
                if seen.insert(sorted) {
                    groups.push(group);
                }
            }
        }
        groups
    }

    /// The head of the operation that an equation is about.
    pub(super) fn head(&self, equation: &Equation) -> &str {
        &self.operations[equation.operation].head
    }
}

/// Writes an equation; recursion is bounded by the bound of the pool.
struct Writer<'a> {
    shop: &'a Workshop,
    kept: &'a [ValueId],
    out: Written,
    /// The variables that stand for constants of terms.
    shared: Vec<(ValueId, usize)>,
    /// The variables of earlier equations that this one has not used yet.
    earlier: Vec<(ValueId, usize)>,
    /// The value of each variable.
    values: Vec<ValueId>,
}

impl Writer<'_> {
    fn application(&mut self, operation: usize, args: &[Slot], inside: bool) {
        self.out.formula.push('(');
        self.out.formula.push_str(&self.shop.operations[operation].head);
        for &arg in args {
            self.out.formula.push(' ');
            self.slot(arg, inside);
        }
        self.out.formula.push(')');
    }

    fn slot(&mut self, slot: Slot, inside: bool) {
        match slot {
            Slot::Free(v) => {
                let name = self.variable(v);
                self.out.formula.push_str(&name);
            }
            Slot::Fixed(v)
                if inside && self.shop.is_free(self.shop.table.sort(v)) && !self.kept.contains(&v) =>
            {
                let name = match self.shared.iter().find(|s| s.0 == v) {
                    Some(&(_, at)) => self.out.variables[at].0.clone(),
                    None => {
                        let name = self.variable(v);
                        let at = self.out.variables.iter().position(|known| known.0 == name);
                        self.shared.extend(at.map(|at| (v, at)));
                        name
                    }
                };
                self.out.formula.push_str(&name);
            }
            Slot::Fixed(v) => self.out.formula.push_str(self.shop.table.text(v)),
            Slot::Term(t) => {
                let PoolTerm { operation, args, .. } = &self.shop.terms[t as usize];
                self.application(*operation, args, true);
            }
        }
    }

    fn variable(&mut self, value: ValueId) -> String {
        if let Some(at) = self.earlier.iter().position(|known| known.0 == value) {
            let (_, at) = self.earlier.swap_remove(at);
            return self.out.variables[at].0.clone();
        }
        self.values.push(value);
        let sort = self.shop.table.sort(value);
        let letter = self.shop.letters.get(sort).map_or("x", |l| l);
        let name = format!("{letter}{}", self.out.variables.len());
        self.out.variables.push((name.clone(), sort.to_owned(), self.shop.table.text(value).to_owned()));
        name
    }
}

/// Every way to take one of each list, the last changing fastest.
fn combinations<T: Clone>(lists: &[Vec<T>], mut f: impl FnMut(&[T])) {
    if lists.iter().any(Vec::is_empty) {
        return;
    }
    let mut at = vec![0; lists.len()];
    loop {
        let chosen: Vec<T> = at.iter().zip(lists).map(|(&i, l)| l[i].clone()).collect();
        f(&chosen);
        let mut place = lists.len();
        loop {
            if place == 0 {
                return;
            }
            place -= 1;
            at[place] += 1;
            if at[place] < lists[place].len() {
                break;
            }
            at[place] = 0;
        }
    }
}
