//! Selections of rows: ranks × iterations × device.

use crate::frame::columns::{ITERATION, RANK};
use crate::{Error, Result};
use serde::{Deserialize, Serialize};
use std::fmt;
use std::str::FromStr;

/// Device of an event, by HTA's rule: the presence of a stream.
///
/// `gpu_user_annotation` events have no stream and count as CPU; a Triton `cpu_op` that carries stream 0 counts as GPU.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
pub enum DeviceType {
    /// Events without a stream.
    CPU,
    /// Events with a stream.
    GPU,
    /// All events.
    #[default]
    ALL,
}

impl DeviceType {
    /// All variants, in HTA's order.
    pub const EACH: [Self; 3] = [Self::CPU, Self::GPU, Self::ALL];

    /// Whether it contains an event with (or without) a stream.
    pub fn takes(self, has_stream: bool) -> bool {
        match self {
            Self::CPU => !has_stream,
            Self::GPU => has_stream,
            Self::ALL => true,
        }
    }
}

impl fmt::Display for DeviceType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::CPU => "CPU",
            Self::GPU => "GPU",
            Self::ALL => "ALL",
        })
    }
}

impl FromStr for DeviceType {
    type Err = Error;

    fn from_str(word: &str) -> Result<Self> {
        Self::EACH
            .into_iter()
            .find(|device| device.to_string().eq_ignore_ascii_case(word))
            .ok_or_else(|| Error::UnknownDeviceType { word: word.to_owned() })
    }
}

/// What a comparison has one row per operator of: each rank, or each iteration.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum By {
    /// A row per operator and rank.
    Rank,
    /// A row per operator and iteration.
    Iteration,
}

impl By {
    /// Both, in the order of the help page.
    pub const EACH: [Self; 2] = [Self::Rank, Self::Iteration];
    /// Their words, in the same order.
    pub const WORDS: [&'static str; 2] = [RANK, ITERATION];

    /// Returns the word, which is also the name of the column: `rank`, `iteration`.
    pub fn word(self) -> &'static str {
        Self::WORDS[self as usize]
    }
}

impl fmt::Display for By {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.word())
    }
}

impl FromStr for By {
    type Err = Error;

    fn from_str(word: &str) -> Result<Self> {
        let known = Self::EACH.into_iter().find(|by| by.word() == word);
        known.ok_or_else(|| Error::UnknownGroup { word: word.to_owned() })
    }
}

/// The time of a trace that is selected.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum Window {
    /// These iterations.
    Iterations(Vec<i64>),
    /// The whole trace, which counts as one iteration: it has no ProfilerStep.
    Whole,
}

impl fmt::Display for Window {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Whole => f.write_str("whole window"),
            Self::Iterations(numbers) if numbers.len() == 1 => {
                write!(f, "iteration {}", numbers[0])
            }
            Self::Iterations(numbers) => write!(f, "iterations {}", trace_view::format::numbers(numbers)),
        }
    }
}

/// Selection of one side of a comparison, defaults resolved.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Side {
    /// The label in the columns of the answer.
    pub label: String,
    /// The ranks.
    pub ranks: Vec<i64>,
    /// The iterations.
    pub window: Window,
}

/// Selection of a comparison, defaults resolved.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Selection {
    /// The control side.
    pub control: Side,
    /// The test side.
    pub test: Side,
    /// The device.
    pub device_type: DeviceType,
    /// Whether names are shortened.
    pub use_short_name: bool,
    /// A further filter: `where dur > 100us`.
    pub filter: Option<String>,
    /// The marker of iterations, a regular expression; `None`: the profiler's steps.
    #[serde(default)]
    pub marker: Option<String>,
    /// What has a row of its own for each operator; `None`: sums over ranks and iterations.
    pub by: Option<By>,
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn groups_are_named_by_their_column() {
        assert_eq!(By::EACH.map(By::word), By::WORDS);
        assert_eq!("iteration".parse::<By>().unwrap(), By::Iteration);
        assert_eq!("step".parse::<By>().unwrap_err().to_string(), "unknown group `step`: expected rank or iteration");
    }
}
