//! The index of a formula in its grammar; for large formulas it exceeds any machine word.

use serde::{Deserialize, Deserializer, Serialize, Serializer, de};
use smelt_strategies::enumerate::Index;
use std::fmt;

/// The index of a formula. In JSON a number, or its digits as text from 2^64 on.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct FormulaIndex(pub Index);

impl From<u64> for FormulaIndex {
    fn from(index: u64) -> FormulaIndex {
        FormulaIndex(Index::from(index))
    }
}

impl fmt::Display for FormulaIndex {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl Serialize for FormulaIndex {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match u64::try_from(self.0.clone()) {
            Ok(small) => serializer.serialize_u64(small),
            Err(_) => serializer.collect_str(&self.0),
        }
    }
}

impl<'de> Deserialize<'de> for FormulaIndex {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<FormulaIndex, D::Error> {
        #[derive(Deserialize)]
        #[serde(untagged)]
        enum Written {
            Number(u64),
            Digits(String),
        }
        match Written::deserialize(deserializer)? {
            Written::Number(small) => Ok(small.into()),
            Written::Digits(text) => text.parse().map(FormulaIndex).map_err(de::Error::custom),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_index_is_written_and_read_back_whatever_its_size() {
        for (digits, json) in [("7", "7"), ("18446744073709551616", "\"18446744073709551616\"")] {
            let index = FormulaIndex(digits.parse().unwrap());
            assert_eq!(serde_json::to_string(&index).unwrap(), json);
            assert_eq!(serde_json::from_str::<FormulaIndex>(json).unwrap(), index);
        }
    }
}
