//! Functions as in models: a table, and optionally a value for everything else.

use std::collections::BTreeMap;

use super::Value;

/// A function by its table. Entries that repeat the default are not kept.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
pub struct Function {
    default: Option<Value>,
    table: BTreeMap<Vec<Value>, Value>,
}

impl Function {
    /// A function that is unknown everywhere.
    pub fn unknown() -> Function {
        Function::default()
    }

    /// A function by its entries, of which later ones win, and its value elsewhere.
    pub fn new(default: Value, entries: impl IntoIterator<Item = (Vec<Value>, Value)>) -> Function {
        let mut table: BTreeMap<Vec<Value>, Value> = entries.into_iter().collect();
        table.retain(|_, value| *value != default);
        Function { default: Some(default), table }
    }

    /// The value at some arguments; none where it is unknown.
    pub fn apply(&self, args: &[Value]) -> Option<&Value> {
        self.table.get(args).or(self.default.as_ref())
    }

    /// Changes the value at some arguments.
    pub fn set(&mut self, args: Vec<Value>, value: Value) {
        if self.default.as_ref() == Some(&value) {
            self.table.remove(&args);
        } else {
            self.table.insert(args, value);
        }
    }

    /// The value outside the table, if known.
    pub fn default_value(&self) -> Option<&Value> {
        self.default.as_ref()
    }

    /// The entries, ascending by arguments.
    pub fn entries(&self) -> impl ExactSizeIterator<Item = (&Vec<Value>, &Value)> {
        self.table.iter()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_are_canonical_and_partial_functions_say_unknown() {
        let (t, f) = (Value::Bool(true), Value::Bool(false));
        let mut function = Function::unknown();
        assert_eq!(function.apply(std::slice::from_ref(&t)), None);
        function.set(vec![t.clone()], f.clone());
        assert_eq!(function.apply(std::slice::from_ref(&t)), Some(&f));
        let mut total = Function::new(t.clone(), [(vec![f.clone()], t.clone())]);
        assert_eq!(total, Function::new(t.clone(), []));
        total.set(vec![f.clone()], f.clone());
        total.set(vec![f.clone()], t.clone());
        assert_eq!(total.entries().len(), 0);
    }
}
