//! Contents of requests and replies as JSON.

use crate::Failure;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

/// Returns the reply of a failed request, with the three fields that every client expects.
pub(super) fn failed(failure: &Failure) -> Value {
    let Failure { ename, evalue, traceback } = failure;
    json!({"status": "error", "ename": ename, "evalue": evalue, "traceback": traceback})
}

/// Parses the content of a request.
///
/// # Errors
/// `ProtocolError` if a field is missing or has another type.
pub(super) fn content<T: DeserializeOwned>(content: Value) -> Result<T, Failure> {
    serde_json::from_value(content).map_err(|error| Failure::new("ProtocolError", format!("invalid request: {error}")))
}

/// Converts a type of the protocol crate to JSON. These types are plain data: the conversion cannot fail.
pub(super) fn typed(content: &impl serde::Serialize) -> Value {
    serde_json::to_value(content).unwrap_or_default()
}

/// Parses a field that may be null; with `serde(default)` it may also be absent.
pub(super) fn or_default<'de, D, T>(deserializer: D) -> Result<T, D::Error>
where
    D: serde::Deserializer<'de>,
    T: Default + Deserialize<'de>,
{
    Ok(Option::deserialize(deserializer)?.unwrap_or_default())
}
