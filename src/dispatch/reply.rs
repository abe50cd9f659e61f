//! The contents of replies.

use crate::Failure;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

/// A reply that says that a request failed, with the three fields that every client expects.
pub(super) fn failed(failure: &Failure) -> Value {
    let Failure { ename, evalue, traceback } = failure;
    json!({"status": "error", "ename": ename, "evalue": evalue, "traceback": traceback})
}

/// Reads the content of a request.
pub(super) fn content<T: DeserializeOwned>(content: Value) -> Result<T, Failure> {
    serde_json::from_value(content).map_err(|error| Failure::new("ProtocolError", format!("bad request: {error}")))
}

/// The protocol crate's types are plain data and always have a JSON form.
pub(super) fn typed(content: &impl serde::Serialize) -> Value {
    serde_json::to_value(content).unwrap_or_default()
}

/// A field that may be absent or null.
pub(super) fn or_default<'de, D, T>(deserializer: D) -> Result<T, D::Error>
where
    D: serde::Deserializer<'de>,
    T: Default + Deserialize<'de>,
{
    Ok(Option::deserialize(deserializer)?.unwrap_or_default())
}
