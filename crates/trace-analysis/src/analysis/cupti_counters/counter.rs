//! A counter of the device, by range.

use polars::prelude::{Column, NamedFrom, Series};
use serde::{Deserialize, Serialize};

/// A counter with its value in each range.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct Counter {
    pub(super) name: String,
    pub(super) values: Values,
}

/// The values of a counter, by range.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) enum Values {
    Whole(Vec<Option<i64>>),
    Fractional(Vec<Option<f64>>),
}

impl Values {
    /// Returns the value of a range.
    pub(super) fn get(&self, at: usize) -> Option<f64> {
        match self {
            Self::Whole(values) => values.get(at).copied().flatten().map(|value| value as f64),
            Self::Fractional(values) => values.get(at).copied().flatten(),
        }
    }

    pub(super) fn column(&self, name: &str) -> Column {
        match self {
            Self::Whole(values) => Series::new(name.into(), values).into(),
            Self::Fractional(values) => Series::new(name.into(), values).into(),
        }
    }
}
