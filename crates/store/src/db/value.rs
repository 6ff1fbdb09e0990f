//! Values and rows of a database.

use crate::{Error, ErrorKind};

/// A value of a column.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Value {
    Null,
    Integer(i64),
    Text(String),
    Blob(Vec<u8>),
}

/// The values of a statement.
macro_rules! values {
    ($($value:expr),* $(,)?) => { [$($crate::db::Value::from($value)),*] };
}
pub(crate) use values;

/// A row of a query.
#[derive(Clone, Debug)]
pub(crate) struct Row(pub(crate) Vec<Value>);

impl Row {
    /// The value of a column, by its place.
    pub(crate) fn get<T: FromValue>(&self, column: usize) -> Result<T, Error> {
        let value = self.0.get(column).unwrap_or(&Value::Null);
        T::from_value(value).ok_or_else(|| {
            let message = format!("the store is damaged: column {column} of a row is {value:?}");
            Error::new(ErrorKind::Damaged, message)
        })
    }
}

/// A type that a column can have.
pub(crate) trait FromValue: Sized {
    /// `None` if the column has another type.
    fn from_value(value: &Value) -> Option<Self>;
}

impl FromValue for i64 {
    fn from_value(value: &Value) -> Option<i64> {
        if let Value::Integer(n) = value { Some(*n) } else { None }
    }
}

/// Numbers of cases use all 64 bits.
impl FromValue for u64 {
    fn from_value(value: &Value) -> Option<u64> {
        i64::from_value(value).map(i64::cast_unsigned)
    }
}

impl FromValue for u32 {
    fn from_value(value: &Value) -> Option<u32> {
        i64::from_value(value).map(|n| u32::try_from(n).unwrap_or(u32::MAX))
    }
}

impl FromValue for bool {
    fn from_value(value: &Value) -> Option<bool> {
        i64::from_value(value).map(|n| n != 0)
    }
}

impl FromValue for String {
    fn from_value(value: &Value) -> Option<String> {
        if let Value::Text(text) = value { Some(text.clone()) } else { None }
    }
}

impl FromValue for Vec<u8> {
    fn from_value(value: &Value) -> Option<Vec<u8>> {
        if let Value::Blob(bytes) = value { Some(bytes.clone()) } else { None }
    }
}

impl<T: FromValue> FromValue for Option<T> {
    fn from_value(value: &Value) -> Option<Option<T>> {
        if *value == Value::Null { Some(None) } else { T::from_value(value).map(Some) }
    }
}

impl From<i64> for Value {
    fn from(n: i64) -> Value {
        Value::Integer(n)
    }
}

impl From<u64> for Value {
    fn from(n: u64) -> Value {
        Value::Integer(n.cast_signed())
    }
}

impl From<u32> for Value {
    fn from(n: u32) -> Value {
        Value::Integer(n.into())
    }
}

impl From<bool> for Value {
    fn from(yes: bool) -> Value {
        Value::Integer(yes.into())
    }
}

impl From<&str> for Value {
    fn from(text: &str) -> Value {
        Value::Text(text.to_owned())
    }
}

impl From<String> for Value {
    fn from(text: String) -> Value {
        Value::Text(text)
    }
}

impl From<&String> for Value {
    fn from(text: &String) -> Value {
        Value::Text(text.clone())
    }
}

impl From<&[u8]> for Value {
    fn from(bytes: &[u8]) -> Value {
        Value::Blob(bytes.to_vec())
    }
}

impl From<&Vec<u8>> for Value {
    fn from(bytes: &Vec<u8>) -> Value {
        Value::Blob(bytes.clone())
    }
}

impl<T: Into<Value>> From<Option<T>> for Value {
    fn from(value: Option<T>) -> Value {
        value.map_or(Value::Null, Into::into)
    }
}
