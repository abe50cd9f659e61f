//! The events that a change of a copy makes, for tests.

#![allow(clippy::unwrap_used)]
use super::TraceEdit;
use serde_json::Value;

/// The event at a position with its changes; nothing if it stays as it is.
pub(super) fn edited(edit: &dyn TraceEdit, index: i64, event: &Value) -> Option<Value> {
    let text = edit.event(index, event.to_string().as_bytes())?;
    Some(serde_json::from_slice(&text).unwrap())
}

/// The new events.
pub(super) fn added(edit: &dyn TraceEdit) -> Vec<Value> {
    let mut events = Vec::new();
    let mut write = |text: &[u8]| {
        events.push(serde_json::from_slice(text).unwrap());
        Ok(())
    };
    edit.added(&mut write).unwrap();
    events
}
