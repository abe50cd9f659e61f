//! Arguments of events whose values are of another type than expected, found by reading the trace file again.

use super::trace::Trace;
use crate::config::AvailableArg;
use crate::exec::checkpoint::interrupted;
use crate::read::{EventSink, Meter, Raw, RawEvent, open_input, read_ahead, read_events};
use crate::{Error, Result, ValueType};
use serde_json::Value;
use std::ops::ControlFlow;

/// The longest value that is quoted, in bytes.
const QUOTED: usize = 60;

/// The types of the arguments of a rank's events.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ArgumentTypes {
    /// Values that were compared with the expected type.
    pub checked: u64,
    /// Arguments with values of another type, in the order of the table that was asked for.
    pub wrong: Vec<WrongType>,
}

/// An argument with values of another type than expected.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WrongType {
    /// The key in `args`: `stream`.
    pub argument: &'static str,
    /// The type of its values: `integer`, `number`, `text`.
    pub expected: &'static str,
    /// The type of the first other value: `text`, `list or object`, `null`, …
    pub found: &'static str,
    /// Number of values of another type.
    pub values: u64,
    /// The event of the first of them, as its position in the file.
    pub index: i64,
    /// That value as it is in the file, shortened.
    pub value: String,
}

impl Trace {
    /// Compares the values of arguments with their types. Loading converts values; so the file is read again, event by event. `None` if it
    /// is not there any more, or is another one now. Arguments of any type are not compared.
    ///
    /// # Errors
    /// [`Error::Interrupted`], or if the file cannot be read.
    #[doc(hidden)]
    pub fn argument_types(&self, expected: &[&'static AvailableArg]) -> Result<Option<ArgumentTypes>> {
        let Some(source) = self.info().unchanged_source() else {
            return Ok(None);
        };
        let meter = Meter::default();
        let Ok(reader) = open_input(&source.input(), &meter) else { return Ok(None) };
        let expected: Vec<&'static AvailableArg> =
            expected.iter().copied().filter(|arg| arg.value_type != ValueType::Object).collect();
        let mut types = Types { wrong: vec![None; expected.len()], expected, checked: 0 };
        let name = source.path.display().to_string();
        let outcome = read_ahead(reader, |ahead| read_events(ahead, &name, &mut types))?;
        if outcome.stopped {
            return Err(Error::Interrupted);
        }
        Ok(Some(ArgumentTypes { checked: types.checked, wrong: types.wrong.into_iter().flatten().collect() }))
    }
}

/// Sink of the reader that compares types.
struct Types {
    expected: Vec<&'static AvailableArg>,
    wrong: Vec<Option<WrongType>>,
    checked: u64,
}

impl EventSink for Types {
    fn slot(&mut self, key: &[u8]) -> Option<u16> {
        let at = self.expected.iter().position(|arg| arg.raw_name.as_bytes() == key)?;
        u16::try_from(at).ok()
    }

    fn restart(&mut self) {
        (self.checked, self.wrong) = (0, vec![None; self.expected.len()]);
    }

    fn event(&mut self, event: &RawEvent<'_>) {
        for (slot, value) in event.args() {
            self.checked += 1;
            let arg = self.expected[slot];
            if is_of(value, arg.value_type) {
                continue;
            }
            let first = || WrongType {
                argument: arg.raw_name,
                expected: word(arg.value_type),
                found: found(value),
                values: 0,
                index: event.index,
                value: quoted(value),
            };
            self.wrong[slot].get_or_insert_with(first).values += 1;
        }
    }

    fn metadata(&mut self, _: &str, _: &Value) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }

    fn tick(&mut self, _: u64) -> ControlFlow<()> {
        if interrupted() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }
}

/// Tells whether a value is of a type as Python's `isinstance` does: a truth value is an integer, an integer a number.
fn is_of(value: Raw<'_>, expected: ValueType) -> bool {
    match (value, expected) {
        (_, ValueType::Object) | (Raw::Text(_), ValueType::String) | (Raw::Token(_), ValueType::Float) => true,
        (Raw::Token(token), ValueType::Int) => is_whole(token.text),
        _ => false,
    }
}

fn is_whole(token: &[u8]) -> bool {
    let digits = token.strip_prefix(b"-").unwrap_or(token);
    matches!(token, b"true" | b"false") || (!digits.is_empty() && digits.iter().all(u8::is_ascii_digit))
}

fn word(expected: ValueType) -> &'static str {
    match expected {
        ValueType::Int => "integer",
        ValueType::Float => "number",
        ValueType::String => "text",
        ValueType::Object => "any",
    }
}

fn found(value: Raw<'_>) -> &'static str {
    match value {
        Raw::Null => "null",
        Raw::Token(token) if matches!(token.text, b"true" | b"false") => "truth value",
        Raw::Token(token) if is_whole(token.text) => "integer",
        Raw::Token(_) => "number",
        Raw::Text(_) => "text",
        Raw::Nested(_) => "list or object",
    }
}

fn quoted(value: Raw<'_>) -> String {
    let (text, mark): (&[u8], &str) = match value {
        Raw::Null => (b"null", ""),
        Raw::Token(token) => (token.text, ""),
        Raw::Text(text) => (text, "\""),
        Raw::Nested(text) => (text, ""),
    };
    let text = String::from_utf8_lossy(text);
    let end = text.char_indices().map(|(at, _)| at).take_while(|at| *at <= QUOTED).last().unwrap_or(0);
    if text.len() <= QUOTED { format!("{mark}{text}{mark}") } else { format!("{mark}{}…", &text[..end]) }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::TraceSet;
    use crate::config::known_args;
    use trace_testkit::{Stream, TraceBuilder};

    #[test]
    fn values_of_other_types_are_counted_by_argument() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("rank-0.json");
        let kernel = |trace: TraceBuilder, at: i64| trace.kernel("gemm", Stream(7), at..at + 5);
        let trace = kernel(TraceBuilder::new().operator("aten::mm", 0..5), 10).arg("bytes", "\"12\"");
        let trace = kernel(trace, 20).arg("bytes", "null").arg("memory bandwidth (GB/s)", "3");
        let trace = kernel(trace, 30).arg("bytes", "1.5").arg("dtype", "[1]").arg("Rank", "true");
        std::fs::write(&path, trace.json()).unwrap();
        let set = TraceSet::load(&path).unwrap();
        let expected: Vec<&AvailableArg> = known_args().collect();
        let types = set.traces()[0].argument_types(&expected).unwrap().unwrap();
        let of = |argument, expected, found, values, index, value: &str| WrongType {
            argument,
            expected,
            found,
            values,
            index,
            value: value.to_owned(),
        };
        let wrong =
            [of("bytes", "integer", "text", 3, 1, "\"12\""), of("dtype", "text", "list or object", 1, 3, "[1]")];
        assert_eq!(types.wrong, wrong);
        // Three streams, three sizes, a bandwidth, a type, a rank.
        assert_eq!(types.checked, 9);
        std::fs::remove_file(&path).unwrap();
        assert_eq!(set.traces()[0].argument_types(&expected).unwrap(), None);
    }
}
