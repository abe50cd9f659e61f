//! Columns of an answer: name, unit and meaning, as data.

use serde::{Deserialize, Serialize};

/// What one value of a column is measured in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Unit {
    /// A name, an id, a category: nothing to measure.
    #[default]
    None,
    /// How many.
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
    /// A share, 0 to 100.
    Percent,
    /// Gigabytes per second.
    GigabytesPerSecond,
}

impl Unit {
    /// How the unit is written in a header or on an axis; empty for [`Unit::None`] and [`Unit::Count`].
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

    /// Seconds in one of this unit, for the units of time.
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

/// A column of an answer, described once: header, reference page and schema test read it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Column {
    /// The name, as HTA spells it.
    pub name: &'static str,
    /// What its values are measured in.
    pub unit: Unit,
    /// One line of meaning.
    pub meaning: &'static str,
}

impl Column {
    /// A column called `name`, measured in `unit`.
    pub const fn new(name: &'static str, unit: Unit, meaning: &'static str) -> Self {
        Self { name, unit, meaning }
    }
}
