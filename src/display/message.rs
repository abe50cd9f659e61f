//! What a cell shows, as the iopub messages of Jupyter.

use super::streams::Chunk;
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

/// Rich content; under an `id` if it is to be replaced later.
///
/// The protocol crate's own type for rich content knows a closed list of MIME types and reads ours through it; bundles
/// go out as they are.
pub fn display(bundle: Bundle, id: Option<String>) -> Message {
    Message { kind: "display_data", content: rich(bundle, id) }
}

/// What replaces the content displayed under `id`.
pub fn update(bundle: Bundle, id: String) -> Message {
    Message { kind: "update_display_data", content: rich(bundle, Some(id)) }
}

/// The value of a cell's last expression.
pub fn result(bundle: Bundle, execution_count: usize) -> Message {
    let content = json!({"execution_count": execution_count, "data": bundle.data, "metadata": bundle.metadata});
    Message { kind: "execute_result", content }
}

/// Takes away what the cell has shown; with `wait`, when the next output comes.
pub fn clear(wait: bool) -> Message {
    Message { kind: "clear_output", content: typed(&ClearOutput { wait }) }
}

/// Printed text.
pub fn stream(chunk: Chunk) -> Message {
    Message { kind: "stream", content: typed(&StreamContent { name: chunk.name.into(), text: chunk.text }) }
}

/// The one error message of a cell that failed.
pub fn error(failure: &Failure) -> Message {
    let Failure { ename, evalue, traceback } = failure.clone();
    Message { kind: "error", content: typed(&ErrorOutput { ename, evalue, traceback }) }
}

fn rich(bundle: Bundle, id: Option<String>) -> Value {
    let transient = id.map_or_else(|| json!({}), |id| json!({"display_id": id}));
    json!({"data": bundle.data, "metadata": bundle.metadata, "transient": transient})
}

/// The protocol crate's types are plain data and always have a JSON form.
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
