//! Operations on constants: values by number, and the reference semantics behind them.

use std::collections::HashMap;

use crate::workbench::Workbench;

/// A value, as the one literal that smelt prints for it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct ValueId(u32);

/// Values, and what operations give on them.
#[derive(Debug)]
pub(super) struct Table {
    bench: Workbench,
    texts: Vec<(String, String)>,
    ids: HashMap<(String, String), ValueId>,
    known: HashMap<(usize, Vec<ValueId>), Option<ValueId>>,
}

impl Table {
    pub(super) fn new() -> Table {
        let bench = Workbench::new("").expect("nothing is declared");
        Table { bench, texts: Vec::new(), ids: HashMap::new(), known: HashMap::new() }
    }

    /// The literal.
    pub(super) fn text(&self, value: ValueId) -> &str {
        &self.texts[value.0 as usize].0
    }

    /// Its sort.
    pub(super) fn sort(&self, value: ValueId) -> &str {
        &self.texts[value.0 as usize].1
    }

    /// The value of a closed term of a sort; why not, if it has none.
    pub(super) fn value(&mut self, term: &str, sort: &str) -> Result<ValueId, String> {
        let text = self.evaluate(term, sort)?;
        self.number(text, sort)
    }

    /// A closed term that stays as it is written.
    pub(super) fn written(&mut self, term: &str, sort: &str) -> Result<ValueId, String> {
        self.evaluate(term, sort)?;
        self.number(term.to_owned(), sort)
    }

    fn evaluate(&mut self, term: &str, sort: &str) -> Result<String, String> {
        let mark = self.bench.arena.checkpoint();
        let text = self.bench.literal(term, sort);
        self.bench.arena.rollback(mark);
        text
    }

    fn number(&mut self, text: String, sort: &str) -> Result<ValueId, String> {
        let key = (text, sort.to_owned());
        if let Some(&id) = self.ids.get(&key) {
            return Ok(id);
        }
        let id = ValueId(u32::try_from(self.texts.len()).map_err(|_| "too many values".to_owned())?);
        self.texts.push(key.clone());
        self.ids.insert(key, id);
        Ok(id)
    }

    /// What an operation gives; `None` where the standard leaves it open.
    pub(super) fn apply(
        &mut self,
        operation: usize,
        head: &str,
        args: &[ValueId],
        result: &str,
    ) -> Option<ValueId> {
        if let Some(&known) = self.known.get(&(operation, args.to_vec())) {
            return known;
        }
        let mut term = format!("({head}");
        for &a in args {
            term.push(' ');
            term.push_str(self.text(a));
        }
        term.push(')');
        let value = self.value(&term, result).ok();
        self.known.insert((operation, args.to_vec()), value);
        value
    }
}
