//! Requests: the arguments of a command, saved in the store so that `--resume` needs no arguments.

use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::exit::Failure;
use crate::output;

/// The arguments given now override the stored ones. An empty value and a flag that is not set keep the stored value.
pub(crate) fn over_stored<R: Serialize + DeserializeOwned>(
    given: &R,
    stored: Option<&str>,
) -> Result<R, Failure> {
    let damaged = |e: serde_json::Error| Failure::internal(format!("cannot read the saved settings: {e}"));
    let mut request: Value = stored.map_or(Ok(Value::default()), serde_json::from_str).map_err(damaged)?;
    let given = serde_json::to_value(given).map_err(damaged)?;
    for (key, value) in given.as_object().into_iter().flatten() {
        let says_something = match value {
            Value::Null | Value::Bool(false) => false,
            Value::Array(list) => !list.is_empty(),
            Value::Object(map) => !map.is_empty(),
            _ => true,
        };
        if says_something || request.get(key).is_none() {
            request[key] = value.clone();
        }
    }
    serde_json::from_value(request).map_err(damaged)
}

/// A request as it is kept in a store, with the command line of this process, for reports.
pub(crate) fn stored(request: &impl Serialize) -> Result<String, Failure> {
    let mut value = serde_json::to_value(request).map_err(|e| Failure::internal(e.to_string()))?;
    if let Some(object) = value.as_object_mut() {
        object.insert("command".to_owned(), command_line().into());
    }
    output::json(&value)
}

/// The command line of this process, as a shell reads it.
fn command_line() -> String {
    let words = std::env::args().skip(1).map(|a| shlex::try_quote(&a).map(Into::into).unwrap_or(a));
    std::iter::once("smelt".to_owned()).chain(words).collect::<Vec<String>>().join(" ")
}

/// Reads one of the words of an enum.
pub(crate) fn word<T: DeserializeOwned>(text: &str) -> Result<T, String> {
    serde_json::from_value(Value::from(text)).map_err(|e| e.to_string())
}

/// A number that differs from run to run, if `--seed` is not given.
pub(crate) fn some_seed() -> u64 {
    let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap_or_default();
    now.as_millis() as u64 % 1_000_000_007
}
