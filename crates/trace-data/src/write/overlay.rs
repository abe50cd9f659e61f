//! Edit of a trace copy that annotates events with the patterns they belong to.

use super::TraceEdit;
use crate::read::{AnomalyCounts, decode, object_members};
use hashbrown::HashMap;
use serde_json::{Map, Value};
use std::sync::atomic::{AtomicBool, Ordering};

type FastMap<K, V> = HashMap<K, V, foldhash::fast::FixedState>;

/// Adds an argument to some events that names what they belong to, so that Perfetto can search for it; optionally
/// shrinks all other events.
///
/// ```text
/// {"name": "aten::mm", …, "args": {"External id": 7}}    marked:  "args": {"External id": 7, "Patterns": {…}}
/// {"name": "aten::t", …, "args": {"External id": 8}}     small:   "name": "12", no args
/// ```
///
/// The names by number are arguments of the profiler's own span, or of an event at the end.
#[derive(Debug)]
pub struct Overlay {
    key: &'static str,
    /// The things that events belong to, as JSON.
    notes: Vec<String>,
    /// Position in traceEvents → index in `notes`.
    marked: FastMap<i64, u32>,
    /// Numbers of names; `None` keeps all other events unchanged.
    numbers: Option<FastMap<String, usize>>,
    names: Vec<String>,
    /// Whether the names were written.
    names_written: AtomicBool,
}

impl Overlay {
    /// Creates an overlay that adds the argument `key`.
    #[doc(hidden)]
    pub fn new(key: &'static str) -> Self {
        Self {
            key,
            notes: Vec::new(),
            marked: FastMap::default(),
            numbers: None,
            names: Vec::new(),
            names_written: AtomicBool::new(false),
        }
    }

    /// Annotates events, by their position in traceEvents.
    #[doc(hidden)]
    pub fn mark(&mut self, note: &Value, events: impl Iterator<Item = i64>) {
        let index = self.notes.len() as u32;
        self.notes.push(note.to_string());
        self.marked.extend(events.map(|event| (event, index)));
    }

    /// Shrinks all other events: removes their arguments, and replaces each of these names by its number.
    #[doc(hidden)]
    pub fn shrink_others(&mut self, names: Vec<String>) {
        self.numbers = Some(names.iter().enumerate().map(|(number, name)| (name.clone(), number)).collect());
        self.names = names;
    }

    fn all_names(&self) -> String {
        let name = |(number, name): (usize, &String)| (number.to_string(), Value::String(name.clone()));
        Value::Object(self.names.iter().enumerate().map(name).collect::<Map<String, Value>>()).to_string()
    }
}

impl TraceEdit for Overlay {
    fn event(&self, index: i64, text: &[u8]) -> Option<Vec<u8>> {
        let note = self.marked.get(&index).map(|&index| &self.notes[index as usize]);
        if note.is_none() && self.numbers.is_none() {
            return None;
        }
        let members = object_members(text)?;
        let value = |wanted: &[u8]| members.iter().rfind(|(key, _)| *key == wanted).map(|(_, value)| *value);
        if let Some(note) = note {
            let args = value(b"args").and_then(object_members).unwrap_or_default();
            let others = args.iter().filter(|(key, _)| *key != self.key.as_bytes());
            let args = object(others.copied().chain([(self.key.as_bytes(), note.as_bytes())]));
            return Some(with_args(&members, &args));
        }
        let numbers = self.numbers.as_ref()?;
        let name = value(b"name").unwrap_or_default();
        if value(b"pid") == Some(b"\"Spans\"") && holds(name, b"PyTorch Profiler") {
            self.names_written.store(true, Ordering::Relaxed);
            return Some(with_args(&members, self.all_names().as_bytes()));
        }
        if value(b"ph") != Some(b"\"X\"") {
            return None;
        }
        let inner = name.strip_prefix(b"\"").and_then(|name| name.strip_suffix(b"\""));
        let number = inner.and_then(|name| numbers.get(&*decode(name, &mut AnomalyCounts::default())));
        let small = number.map(|number| format!("\"{number}\""));
        let others = members.iter().filter(|(key, _)| *key != b"args").map(|&(key, value)| match &small {
            Some(small) if key == b"name" => (key, small.as_bytes()),
            _ => (key, value),
        });
        Some(object(others))
    }

    fn added(&self, write: &mut dyn FnMut(&[u8]) -> std::io::Result<()>) -> std::io::Result<()> {
        if self.numbers.is_none() || self.names_written.load(Ordering::Relaxed) {
            return Ok(());
        }
        let event = r#"{"ph": "i", "s": "g", "ts": 0, "pid": "Spans", "tid": "PyTorch Profiler", "name": "names by number", "args": "#;
        write(format!("{event}{}}}", self.all_names()).as_bytes())
    }
}

/// Replaces the arguments of an object.
pub(super) fn with_args(members: &[(&[u8], &[u8])], args: &[u8]) -> Vec<u8> {
    let others = members.iter().filter(|(key, _)| *key != b"args").copied();
    object(others.chain([(b"args".as_slice(), args)]))
}

/// Writes an object as JSON text.
pub(super) fn object<'m>(members: impl Iterator<Item = (&'m [u8], &'m [u8])>) -> Vec<u8> {
    let mut text = b"{".to_vec();
    for (key, value) in members {
        text.extend_from_slice(if text.len() == 1 { b"\"" } else { b", \"" });
        text.extend_from_slice(key);
        text.extend_from_slice(b"\": ");
        text.extend_from_slice(value);
    }
    text.push(b'}');
    text
}

fn holds(text: &[u8], part: &[u8]) -> bool {
    text.windows(part.len()).any(|window| window == part)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::super::edited::{added, edited};
    use super::*;
    use serde_json::json;

    #[test]
    fn annotated_events_keep_their_other_members() {
        let mut overlay = Overlay::new("Patterns");
        overlay.mark(&json!({"mm|\"gemm\"": 3}), [4, 5].into_iter());
        let event = json!({"ph": "X", "name": "aten::mm", "args": {"External id": 7, "Patterns": "old"}});
        let expected = json!({"External id": 7, "Patterns": {"mm|\"gemm\"": 3}});
        assert_eq!(edited(&overlay, 4, &event).unwrap()["args"], expected);
        let bare = edited(&overlay, 5, &json!({"ph": "X", "name": "b"})).unwrap();
        assert_eq!(bare, json!({"ph": "X", "name": "b", "args": {"Patterns": {"mm|\"gemm\"": 3}}}));
        assert_eq!(edited(&overlay, 6, &event), None);
        assert_eq!(added(&overlay), [json!(null); 0]);
    }

    #[test]
    fn other_events_shrink_and_names_are_written_once() {
        let mut overlay = Overlay::new("Patterns");
        overlay.shrink_others(vec!["aten::t".to_owned(), "a \"b\"".to_owned()]);
        let event = |name: &str| json!({"ph": "X", "name": name, "ts": 1.5, "args": {"External id": 7}});
        assert_eq!(edited(&overlay, 0, &event("aten::t")).unwrap(), json!({"ph": "X", "name": "0", "ts": 1.5}));
        assert_eq!(edited(&overlay, 0, &event("a \"b\"")).unwrap()["name"], "1");
        assert_eq!(edited(&overlay, 0, &event("unknown")).unwrap(), json!({"ph": "X", "name": "unknown", "ts": 1.5}));
        // Metadata, flows and counters stay.
        assert_eq!(edited(&overlay, 0, &json!({"ph": "M", "name": "aten::t", "args": {"name": "x"}})), None);
        let names = json!({"0": "aten::t", "1": "a \"b\""});
        assert_eq!(added(&overlay)[0]["args"], names);
        let span = json!({"ph": "X", "pid": "Spans", "name": "PyTorch Profiler (0)", "args": {"Op count": 0}});
        assert_eq!(edited(&overlay, 0, &span).unwrap()["args"], names);
        assert_eq!(added(&overlay), [json!(null); 0]);
    }
}
