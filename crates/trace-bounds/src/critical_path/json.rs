//! An answer as a document for programs.

use super::answer::{BoundWindow, CriticalPathAnswer};
use super::tables::{BORROWED_OPERATOR, ClassTime, NameRow};
use crate::present::fields_of;
use serde_json::{Value, json};

/// Version of the document.
const VERSION: u32 = 1;
/// Columns of the table `by_name` that a document has.
const NAME_FIELDS: &[&str] = &["bound_by", "name", "count", "duration", "saved_if_twice_as_fast", "saved_if_free"];

impl CriticalPathAnswer {
    /// Returns the document: windows with what bounds them and their names, and what changes would save. Times are whole ns, starts as
    /// recorded; `instance` is a number, of several a text as in `1-3`, of the whole recording null. Savings that were not computed
    /// are null. With companions names have the `borrowed_operator` of their kernels of graphs.
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
        let summary = ClassTime::of(window).map(|row| fields_of(&row, &ClassTime::COLUMNS, &["bound_by", "duration"]));
        let names: Vec<&str> = NAME_FIELDS.iter().copied().chain(self.borrows.then_some(BORROWED_OPERATOR)).collect();
        let by_name = self.name_rows(window).map(|row| fields_of(&row, &NameRow::COLUMNS, &names));
        json!({
            "rank": window.rank, "annotation": window.annotation, "instance": instance, "start_ns": window.start,
            "duration_ns": window.duration_ns(), "summary": summary.collect::<Vec<_>>(),
            "by_name": by_name.collect::<Vec<_>>(),
        })
    }
}
