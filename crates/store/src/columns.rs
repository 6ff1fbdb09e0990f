//! The columns of the tables of a campaign and the type of each. SQLite accepts any value in any column, and a
//! PostgreSQL server may belong to someone else, so rows with a value of the wrong type are skipped with a message.

use crate::db::{Row, Value};
use crate::{Error, Store};

/// What a column holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Is {
    Text,
    Number,
    /// Text, or nothing.
    MaybeText,
    MaybeNumber,
    MaybeBytes,
}

impl Is {
    fn fits(self, value: &Value) -> bool {
        match value {
            Value::Null => matches!(self, Is::MaybeText | Is::MaybeNumber | Is::MaybeBytes),
            Value::Integer(_) => matches!(self, Is::Number | Is::MaybeNumber),
            Value::Text(_) => matches!(self, Is::Text | Is::MaybeText),
            Value::Blob(_) => self == Is::MaybeBytes,
        }
    }
}

/// A table: its key, which is its first column, and all columns.
#[derive(Debug)]
pub(crate) struct Table {
    pub(crate) name: &'static str,
    pub(crate) columns: &'static [(&'static str, Is)],
}

impl Table {
    /// The names of all columns, as SQL lists them.
    pub(crate) fn list(&self) -> String {
        self.columns.iter().map(|(name, _)| *name).collect::<Vec<_>>().join(", ")
    }

    /// The first column of a row whose value is of another type.
    pub(crate) fn misfit(&self, row: &[Value]) -> Option<&'static str> {
        let mut both = self.columns.iter().zip(row);
        both.find(|((_, is), value)| !is.fits(value)).map(|((name, _), _)| *name)
    }

    /// The rows of a query for all columns that are as they should be.
    pub(crate) fn sound(&self, rows: Vec<Row>) -> Vec<Vec<Value>> {
        rows.into_iter().map(|row| row.0).filter(|row| self.misfit(row).is_none()).collect()
    }
}

pub(crate) const CAMPAIGN: Table =
    Table { name: "campaign", columns: &[("key", Is::Text), ("value", Is::Text)] };

pub(crate) const SEEDS: Table = Table {
    name: "seeds",
    columns: &[
        ("hash", Is::Text),
        ("name", Is::Text),
        ("status", Is::MaybeText),
        ("disputed", Is::MaybeText),
        ("probed", Is::Number),
        ("tests", Is::Number),
        ("useful", Is::Number),
        ("found", Is::Number),
        ("cost_ms", Is::Number),
        ("text", Is::MaybeBytes),
    ],
};

pub(crate) const TESTS: Table = Table {
    name: "tests",
    columns: &[
        ("strategy", Is::Text),
        ("made", Is::Number),
        ("tests", Is::Number),
        ("useful", Is::Number),
        ("found", Is::Number),
        ("cost_ms", Is::Number),
    ],
};

pub(crate) const LOGICS: Table = Table {
    name: "logics",
    columns: &[("logic", Is::Text), ("tests", Is::Number), ("calls", Is::Number), ("answered", Is::Number)],
};

pub(crate) const OUTCOMES: Table = Table {
    name: "outcomes",
    columns: &[
        ("span", Is::Number),
        ("solver", Is::Text),
        ("outcome", Is::Text),
        ("calls", Is::Number),
        ("wall_us", Is::Number),
        ("cpu_us", Is::Number),
    ],
};

pub(crate) const SAMPLE_ROWS: Table =
    Table { name: "samples", columns: &[("slot", Is::Number), ("times", Is::Text)] };

pub(crate) const FINDINGS: Table = Table {
    name: "findings",
    columns: &[
        ("id", Is::Number),
        ("fingerprint", Is::Text),
        ("flaky", Is::Number),
        ("seen", Is::Number),
        ("claim", Is::Text),
        ("strategy", Is::Text),
        ("file", Is::Text),
        ("bytes", Is::Number),
        ("reduced", Is::MaybeText),
        ("triggers", Is::Number),
        ("number", Is::Number),
        ("at_ms", Is::MaybeNumber),
    ],
};

pub(crate) const PROVENANCE: Table = Table {
    name: "provenance",
    columns: &[
        ("finding", Is::Number),
        ("strategy", Is::Text),
        ("options", Is::Text),
        ("files", Is::Text),
        ("rng", Is::Text),
        ("seeds", Is::Text),
        ("steps", Is::Text),
        ("expectations", Is::Text),
        ("certificate", Is::Text),
        ("solvers", Is::Text),
        ("before", Is::MaybeBytes),
    ],
};

pub(crate) const TRIAGE: Table = Table {
    name: "triage",
    columns: &[
        ("finding", Is::Number),
        ("fingerprint", Is::Text),
        ("bytes", Is::MaybeNumber),
        ("dossier", Is::Text),
        ("place", Is::Number),
    ],
};

/// The tables whose rows are counts, values and seeds; those of findings are named by their findings.
const OTHERS: [&Table; 7] = [&CAMPAIGN, &SEEDS, &TESTS, &LOGICS, &OUTCOMES, &SAMPLE_ROWS, &PROVENANCE];

impl Store {
    /// Rows of a table with a value of another type, a line each.
    pub(crate) fn misfits(&self) -> Result<Vec<String>, Error> {
        let mut lines = Vec::new();
        for table in OTHERS {
            // A shared store has no such rows: its columns have types.
            for row in self.query(&format!("SELECT {} FROM {}", table.list(), table.name), &[])? {
                if let Some(column) = table.misfit(&row.0) {
                    let key = match &row.0[0] {
                        Value::Text(text) => text.escape_debug().to_string(),
                        Value::Integer(n) => n.to_string(),
                        Value::Null | Value::Blob(_) => "without a key".to_owned(),
                    };
                    let name = table.name;
                    lines.push(format!("skipping row {key} of {name}: `{column}` has the wrong type"));
                }
            }
        }
        Ok(lines)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::db::values;

    #[test]
    fn the_columns_are_those_of_the_schema() {
        let db = rusqlite::Connection::open_in_memory().unwrap();
        db.execute_batch(crate::SCHEMA).unwrap();
        for table in OTHERS.into_iter().chain([&FINDINGS, &TRIAGE]) {
            let mut query =
                db.prepare("SELECT name, type, \"notnull\", pk FROM pragma_table_info(?1)").unwrap();
            let rows = query.query_map([table.name], |row| {
                let (name, kind, strict): (String, String, bool) = (row.get(0)?, row.get(1)?, row.get(2)?);
                Ok((name, kind, strict || row.get::<_, i64>(3)? > 0))
            });
            let mut rows: Vec<_> = rows.unwrap().map(Result::unwrap).collect();
            let mut known: Vec<_> = table
                .columns
                .iter()
                .map(|(name, is)| {
                    let (kind, strict) = match is {
                        Is::Text => ("TEXT", true),
                        Is::Number => ("INTEGER", true),
                        Is::MaybeText => ("TEXT", false),
                        Is::MaybeNumber => ("INTEGER", false),
                        Is::MaybeBytes => ("BLOB", false),
                    };
                    ((*name).to_owned(), kind.to_owned(), strict)
                })
                .collect();
            rows.sort();
            known.sort();
            assert_eq!(rows, known, "{}", table.name);
        }
    }

    #[test]
    fn a_value_of_another_type_is_a_misfit() {
        assert_eq!(CAMPAIGN.misfit(&values!["a", "b"]), None);
        assert_eq!(CAMPAIGN.misfit(&values!["a", 7i64]), Some("value"));
        assert_eq!(SAMPLE_ROWS.misfit(&[Value::Null, Value::from("x")]), Some("slot"));
    }
}
