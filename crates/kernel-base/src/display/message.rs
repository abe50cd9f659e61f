//! The iopub messages of a cell's outputs.

use super::streams::StreamText;
use crate::Failure;
use jupyter_protocol::{ClearOutput, ErrorOutput, StreamContent};
use serde_json::{Value, json};
use trace_view::Bundle;

/// A message for iopub: its type and its content.
#[derive(Debug, Clone, PartialEq)]
pub struct Message {
    /// The `msg_type`.
    pub kind: &'static str,
    /// The content.
    pub content: Value,
}

/// Displays rich content, under an `id` if it may be replaced later.
///
/// The protocol crate's type for rich content has a closed list of MIME types, so bundles are sent without it.
pub fn display(bundle: Bundle, id: Option<String>) -> Message {
    Message { kind: "display_data", content: rich(bundle, id) }
}

/// Replaces the content displayed under `id`.
pub fn update(bundle: Bundle, id: String) -> Message {
    Message { kind: "update_display_data", content: rich(bundle, Some(id)) }
}

/// Shows the value of a cell's last expression.
pub fn result(bundle: Bundle, execution_count: usize) -> Message {
    let content = json!({"execution_count": execution_count, "data": bundle.data, "metadata": bundle.metadata});
    Message { kind: "execute_result", content }
}

/// Clears what the cell has shown; with `wait`, when the next output comes.
pub fn clear(wait: bool) -> Message {
    Message { kind: "clear_output", content: typed(&ClearOutput { wait }) }
}

/// Sends printed text.
pub fn stream(printed: StreamText) -> Message {
    Message { kind: "stream", content: typed(&StreamContent { name: printed.name.into(), text: printed.text }) }
}

/// Reports the error of a cell that failed.
pub fn error(failure: &Failure) -> Message {
    let Failure { ename, evalue, traceback } = failure.clone();
    Message { kind: "error", content: typed(&ErrorOutput { ename, evalue, traceback }) }
}

fn rich(bundle: Bundle, id: Option<String>) -> Value {
    let transient = id.map_or_else(|| json!({}), |id| json!({"display_id": id}));
    json!({"data": bundle.data, "metadata": bundle.metadata, "transient": transient})
}

/// Serializes a type of the protocol crate; these are plain data.
fn typed(content: &impl serde::Serialize) -> Value {
    serde_json::to_value(content).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn display_id_is_transient() {
        let shown = display(Bundle::text("x"), Some("bar".to_owned()));
        assert_eq!(
            shown.content,
            json!({"data": {"text/plain": "x"}, "metadata": {}, "transient": {"display_id": "bar"}})
        );
        assert_eq!(display(Bundle::text("x"), None).content["transient"], json!({}));
        assert_eq!(update(Bundle::text("x"), "bar".to_owned()).kind, "update_display_data");
    }

    #[test]
    fn mime_types_are_sent_unchanged() {
        let bundle = Bundle::text("x").with("application/vnd.own+json", json!({"b": 1, "a": [2]}));
        assert_eq!(result(bundle.clone(), 3).content["data"], Value::Object(bundle.data));
    }

    #[test]
    fn error_has_three_fields() {
        let content = error(&Failure::new("UsageError", "no such magic")).content;
        assert_eq!(
            content,
            json!({"ename": "UsageError", "evalue": "no such magic", "traceback": ["UsageError: no such magic"]})
        );
    }
}
