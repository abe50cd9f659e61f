//! Launch configurations: the arguments that say how a kernel was launched, as one text for each row.
//!
//! Kernels of one name mostly have one configuration. One column of categories takes four bytes a row and one lookup a kernel; a column
//! for each argument would take five times as much.

use crate::read::{Raw, Token, object_members};

/// The arguments of a launch configuration, as profilers spell them: of kernels, then of operators that launch compiled kernels.
pub(super) const LAUNCH_ARGS: [&str; 10] = [
    "registers per thread",
    "shared memory",
    "grid",
    "block",
    "est. achieved occupancy %",
    "occupancy",
    "kernel_backend",
    "kernel_kwargs",
    "num_warps",
    "num_stages",
];

/// The launch configuration of one event, as it is in the file: its arguments one after another, each as its number among
/// [`LAUNCH_ARGS`], its length and its JSON. Kernels repeat it, so that its text is needed once for many rows.
#[derive(Default)]
pub(super) struct LaunchRecord(Vec<u8>);

impl LaunchRecord {
    /// Adds the value of one of [`LAUNCH_ARGS`]; the last one counts.
    #[inline]
    pub(super) fn add(&mut self, number: u8, value: Raw<'_>) {
        let (is_text, bytes) = match value {
            Raw::Null => return,
            Raw::Text(bytes) => (true, bytes),
            Raw::Token(Token { text: bytes, .. }) | Raw::Nested(bytes) => (false, bytes),
        };
        let length = bytes.len() + if is_text { 2 } else { 0 };
        self.0.extend_from_slice(&[number, length.min(usize::from(LONG)) as u8]);
        if length >= usize::from(LONG) {
            self.0.extend_from_slice(&(length as u64).to_le_bytes());
        }
        let quote: &[u8] = if is_text { b"\"" } else { b"" };
        self.0.extend_from_slice(quote);
        self.0.extend_from_slice(bytes);
        self.0.extend_from_slice(quote);
    }

    /// Returns the bytes of the record; none without a value.
    #[inline]
    pub(super) fn bytes(&self) -> &[u8] {
        &self.0
    }

    /// Begins the next event.
    #[inline]
    pub(super) fn clear(&mut self) {
        self.0.clear();
    }
}

/// The length of a value whose length takes eight more bytes.
const LONG: u8 = u8::MAX;

/// Returns the JSON of a [`LaunchRecord`], with keys in the order of [`LAUNCH_ARGS`].
pub(super) fn json_of_record(mut record: &[u8]) -> Vec<u8> {
    let mut values = [None; LAUNCH_ARGS.len()];
    while let Some((number, value, rest)) = first_value(record) {
        values[number] = Some(value);
        record = rest;
    }
    let mut json = Vec::new();
    for (key, value) in LAUNCH_ARGS.iter().zip(values) {
        let Some(value) = value else { continue };
        let first: &[u8] = if json.is_empty() { b"{\"" } else { b", \"" };
        for part in [first, key.as_bytes(), b"\": ", value] {
            json.extend_from_slice(part);
        }
    }
    json.push(b'}');
    json
}

/// Returns the first argument of a record, and what is behind it.
fn first_value(record: &[u8]) -> Option<(usize, &[u8], &[u8])> {
    let (&[number, length], mut rest) = record.split_first_chunk()?;
    let mut length = usize::from(length);
    if length == usize::from(LONG) {
        let (long, behind) = rest.split_first_chunk()?;
        (length, rest) = (u64::from_le_bytes(*long) as usize, behind);
    }
    let (value, rest) = rest.split_at_checked(length)?;
    Some((usize::from(number), value, rest))
}

/// A launch configuration; texts that were not recorded are empty.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct LaunchConfiguration {
    /// As recorded: `[128, 1, 1]`.
    pub grid: String,
    /// As recorded: `[256, 1, 1]`.
    pub block: String,
    /// Registers of a thread.
    pub registers: Option<u64>,
    /// Shared memory of a block, in bytes.
    pub shared_memory: Option<u64>,
    /// The object that says what limits the occupancy, as JSON.
    pub occupancy: String,
    /// The profiler's estimate of the achieved occupancy, in percent.
    pub estimate: Option<u64>,
    /// The compiler of the kernel that an operator launches: `triton`.
    pub backend: String,
    /// Its compile-time arguments: `XBLOCK=128`.
    pub kwargs: String,
    /// Warps of a block of the compiled kernel.
    pub warps: Option<u64>,
    /// Stages of the loops of the compiled kernel.
    pub stages: Option<u64>,
}

impl LaunchConfiguration {
    /// Parses a text of the column `launch_configuration`. What stands for nothing is left out: negative numbers, `-1` and `[]`.
    pub fn parse(json: &str) -> Self {
        let mut found = Self::default();
        for (key, value) in object_members(json.as_bytes()).unwrap_or_default() {
            match key {
                b"grid" => found.grid = text(value),
                b"block" => found.block = text(value),
                b"registers per thread" => found.registers = number(value),
                b"shared memory" => found.shared_memory = number(value),
                b"occupancy" => found.occupancy = text(value),
                b"est. achieved occupancy %" => found.estimate = number(value),
                b"kernel_backend" => found.backend = text(value),
                b"kernel_kwargs" => found.kwargs = text(value),
                b"num_warps" => found.warps = number(value),
                b"num_stages" => found.stages = number(value),
                _ => {}
            }
        }
        found
    }
}

/// Returns a text without its quotes, and other JSON as it is.
fn text(value: &[u8]) -> String {
    let text = serde_json::from_slice(value).unwrap_or_else(|_| String::from_utf8_lossy(value).into_owned());
    if matches!(text.as_str(), "[]" | "-1") { String::new() } else { text }
}

/// Returns a whole number, also of a text that contains one.
fn number(value: &[u8]) -> Option<u64> {
    let value = value.strip_prefix(b"\"").and_then(|value| value.strip_suffix(b"\"")).unwrap_or(value);
    u64::try_from(Token::of(value.trim_ascii()).integer().ok()?).ok()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::frame::TextColumn;
    use crate::frame::columns::LAUNCH_CONFIGURATION;
    use crate::{LoadOptions, TraceSet};
    use trace_testkit::{Stream, TraceBuilder};

    #[test]
    fn configurations_are_those_of_the_file() {
        let trace = TraceBuilder::new()
            .operator("triton_poi", 0..5)
            .arg("kernel_backend", r#""tri\u0074on""#)
            .arg("kernel_kwargs", "\"XBLOCK=128, \\\"a\\\"\"")
            .arg("num_warps", "4")
            .arg("num_stages", "null")
            .kernel("gemm", Stream(7), 10..20)
            .arg("grid", "[128,  1,1]")
            .arg("block", "[]")
            .arg("registers per thread", "\" 32 \"")
            .arg("shared memory", "-1")
            .arg("est. achieved occupancy %", "40.0")
            .arg("occupancy", r#"{"limitingFactors": "registers", "n": [1,2]}"#)
            .kernel("gemm", Stream(7), 20..30)
            .arg("grid", "[128, 1, 1]")
            .kernel("copy", Stream(7), 30..40);
        for args in ["default", "all", "minimum,threads::grid"] {
            let options = LoadOptions { parser_config: Some(args.parse().unwrap()), ..LoadOptions::default() };
            let events = TraceSet::from_bytes_with(trace.json(), &options).unwrap().events();
            let texts = TextColumn::of(&events, LAUNCH_CONFIGURATION).unwrap();
            let parsed = |row| texts.code(row).map(|code| LaunchConfiguration::parse(texts.text(Some(code))));
            let of_operator = LaunchConfiguration {
                backend: "triton".to_owned(),
                kwargs: "XBLOCK=128, \"a\"".to_owned(),
                warps: Some(4),
                ..LaunchConfiguration::default()
            };
            let of_kernel = LaunchConfiguration {
                grid: "[128, 1, 1]".to_owned(),
                registers: Some(32),
                estimate: Some(40),
                occupancy: r#"{"limitingFactors": "registers", "n": [1, 2]}"#.to_owned(),
                ..LaunchConfiguration::default()
            };
            let of_second = LaunchConfiguration { grid: "[128, 1, 1]".to_owned(), ..LaunchConfiguration::default() };
            let expected = [Some(of_operator), Some(of_kernel), Some(of_second), None];
            assert_eq!([0, 1, 2, 3].map(parsed), expected, "{args}");
        }
    }

    #[test]
    fn records_keep_values_of_any_length() {
        for length in [1, 254, 255, 256, 70_000] {
            let grid = "1".repeat(length);
            let mut record = LaunchRecord::default();
            record.add(6, Raw::Text(grid.as_bytes()));
            record.add(3, Raw::Text(b"replaced"));
            record.add(3, Raw::Nested(b"[256, 1]"));
            record.add(0, Raw::Null);
            record.add(2, Raw::Nested(grid.as_bytes()));
            let json = String::from_utf8(json_of_record(record.bytes())).unwrap();
            assert_eq!(json, format!(r#"{{"grid": {grid}, "block": [256, 1], "kernel_backend": "{grid}"}}"#));
            record.clear();
            assert!(record.bytes().is_empty());
        }
    }

    #[test]
    fn last_of_equal_keys_counts() {
        assert_eq!(LaunchConfiguration::parse(r#"{"grid": [1], "grid": [2]}"#).grid, "[2]");
        assert_eq!(LaunchConfiguration::parse("no JSON"), LaunchConfiguration::default());
    }
}
