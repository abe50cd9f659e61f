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

/// The JSON of the launch configuration of one event, with keys in the order of [`LAUNCH_ARGS`].
#[derive(Default)]
pub(super) struct LaunchText {
    /// The values as they are in the file.
    values: Vec<u8>,
    /// By argument the first byte of its value, and one past the last.
    bounds: [(u32, u32); LAUNCH_ARGS.len()],
    /// A bit for each argument: whether it has a value.
    has: u16,
    json: Vec<u8>,
}

impl LaunchText {
    /// Adds the value of one of [`LAUNCH_ARGS`]; the last one counts.
    #[inline]
    pub(super) fn add(&mut self, number: usize, value: Raw<'_>) {
        let (quote, bytes): (&[u8], &[u8]) = match value {
            Raw::Null => return,
            Raw::Text(bytes) => (b"\"", bytes),
            Raw::Token(Token { text: bytes, .. }) | Raw::Nested(bytes) => (b"", bytes),
        };
        let first = self.values.len() as u32;
        for part in [quote, bytes, quote] {
            self.values.extend_from_slice(part);
        }
        self.bounds[number] = (first, self.values.len() as u32);
        self.has |= 1 << number;
    }

    /// Returns the object of all values, and begins the next event; `None` without a value.
    #[inline]
    pub(super) fn take(&mut self) -> Option<&[u8]> {
        if self.has == 0 {
            return None;
        }
        self.json.clear();
        for (number, (key, bounds)) in LAUNCH_ARGS.iter().zip(self.bounds).enumerate() {
            if self.has & (1 << number) == 0 {
                continue;
            }
            let first: &[u8] = if self.json.is_empty() { b"{\"" } else { b",\"" };
            for part in [first, key.as_bytes(), b"\":", &self.values[bounds.0 as usize..bounds.1 as usize]] {
                self.json.extend_from_slice(part);
            }
        }
        self.json.push(b'}');
        self.values.clear();
        self.has = 0;
        Some(&self.json)
    }
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
    fn last_of_equal_keys_counts() {
        assert_eq!(LaunchConfiguration::parse(r#"{"grid": [1], "grid": [2]}"#).grid, "[2]");
        assert_eq!(LaunchConfiguration::parse("no JSON"), LaunchConfiguration::default());
    }
}
