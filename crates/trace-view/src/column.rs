//! Columns of an answer: name, unit and meaning.

use crate::Kind;
use serde::{Deserialize, Serialize};

/// The unit of the values of a column.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Unit {
    /// None: names, ids, categories.
    #[default]
    None,
    /// A count.
    Count,
    /// Nanoseconds.
    Nanos,
    /// Microseconds.
    Micros,
    /// Milliseconds.
    Millis,
    /// Seconds.
    Seconds,
    /// Bytes.
    Bytes,
    /// A share in percent, 0 to 100.
    Percent,
    /// Gigabytes per second.
    GigabytesPerSecond,
}

impl Unit {
    /// Returns the symbol for headers and axes; empty for [`Unit::None`] and [`Unit::Count`].
    pub const fn symbol(self) -> &'static str {
        match self {
            Unit::None | Unit::Count => "",
            Unit::Nanos => "ns",
            Unit::Micros => "µs",
            Unit::Millis => "ms",
            Unit::Seconds => "s",
            Unit::Bytes => "B",
            Unit::Percent => "%",
            Unit::GigabytesPerSecond => "GB/s",
        }
    }

    /// Returns how many seconds a unit of time has; `None` for other units.
    pub const fn seconds(self) -> Option<f64> {
        match self {
            Unit::Nanos => Some(1e-9),
            Unit::Micros => Some(1e-6),
            Unit::Millis => Some(1e-3),
            Unit::Seconds => Some(1.0),
            _ => None,
        }
    }

    /// Returns the unit of time in which values of at most `seconds` have few digits before the point: µs below 10 ms,
    /// ms below 10 s, else s.
    pub const fn fitting(seconds: f64) -> Self {
        match seconds {
            seconds if seconds >= 10.0 => Unit::Seconds,
            seconds if seconds >= 0.01 => Unit::Millis,
            _ => Unit::Micros,
        }
    }

    /// Tells whether a column called `column` holds durations in this unit; points in time (`ts`, `end`) share their units.
    pub fn measures_durations(self, column: &str) -> bool {
        self.seconds().is_some() && !matches!(column, "ts" | "end")
    }
}

/// The description of a column of an answer, from which header, reference page and schema test are made.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Column {
    /// The name, spelled as in HTA.
    pub name: &'static str,
    /// The unit of its values.
    pub unit: Unit,
    /// One line of meaning.
    pub meaning: &'static str,
    /// The kind of its values in tables; without one, a table takes it from name and unit.
    pub kind: Option<Kind>,
}

impl Column {
    /// Describes a column.
    pub const fn new(name: &'static str, unit: Unit, meaning: &'static str) -> Self {
        Self { name, unit, meaning, kind: None }
    }

    /// Sets the kind of its values in tables.
    #[must_use]
    pub const fn shown_as(self, kind: Kind) -> Self {
        Self { kind: Some(kind), ..self }
    }
}
