//! An answer as a document for programs.

use super::answer::{BoundWindow, CriticalPathAnswer};
use serde_json::{Value, json};

/// Version of the document.
const VERSION: u32 = 1;

impl CriticalPathAnswer {
    /// Returns the document: windows with what bounds them and their names, and what changes would save. Times are whole ns, starts as
    /// recorded; `instance` is a number, of several a text as in `1-3`, of the whole recording null. Savings that were not computed
    /// are null.
    pub fn to_json(&self) -> Value {
        let windows: Vec<Value> = self.windows.iter().map(|window| self.window_json(window)).collect();
        let what_if: Vec<Value> = self
            .what_if
            .iter()
            .map(|row| {
                json!({
                    "change": row.change, "before_ns": row.before_ns, "after_ns": row.after_ns, "saved_ns": row.saved_ns(),
                })
            })
            .collect();
        json!({
            "version": VERSION, "replay_error_ns": self.replay_error_ns, "windows": windows, "what_if": what_if,
        })
    }

    fn window_json(&self, window: &BoundWindow) -> Value {
        let instance = match window.instances {
            None => Value::Null,
            Some((first, last)) if first == last => first.into(),
            Some((first, last)) => format!("{first}-{last}").into(),
        };
        let summary: Vec<Value> = window
            .summary()
            .into_iter()
            .map(|(bound_by, ns)| json!({ "bound_by": bound_by.word(), "duration_ns": ns }))
            .collect();
        let by_name: Vec<Value> = window
            .names
            .iter()
            .map(|row| {
                json!({
                    "bound_by": row.bound_by.word(), "name": self.name_of(row), "count": row.count,
                    "duration_ns": row.duration_ns, "saved_if_twice_as_fast_ns": row.saved_ns.map(|saved| saved[0]),
                    "saved_if_free_ns": row.saved_ns.map(|saved| saved[1]),
                })
            })
            .collect();
        json!({
            "rank": window.rank, "annotation": window.annotation, "instance": instance, "start_ns": window.start,
            "duration_ns": window.duration_ns(), "summary": summary, "by_name": by_name,
        })
    }
}
