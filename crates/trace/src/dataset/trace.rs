//! One rank of a trace: its events and what is known of them.

use crate::Result;
use polars::prelude::{DataFrame, DataType};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use std::fmt;
use std::sync::Arc;

/// One rank of a [`TraceSet`]. Cheap to clone.
#[derive(Clone)]
pub struct Trace {
    pub(crate) info: Arc<RankInfo>,
    pub(crate) events: DataFrame,
}

impl fmt::Debug for Trace {
    /// One line: [`Trace::events`] has the rows.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Trace(rank {}, {} events)", self.info.rank, self.info.events)
    }
}

/// What there is to know of one rank without looking at its events.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RankInfo {
    /// The rank.
    pub rank: i64,
    /// The file it came from, as it was given.
    pub file: String,
    /// Events in the file, those included that are no rows (instants, flows, metadata, counters).
    pub events_in_file: u64,
    /// Rows.
    pub events: usize,
    /// Start of the first event, in nanoseconds of the trace's clock.
    pub first_ts: i64,
    /// End of the last event, in nanoseconds of the trace's clock.
    pub last_end: i64,
    /// The streams, ascending.
    pub streams: Vec<i64>,
    /// The iterations, ascending: the numbers of its ProfilerStep events.
    pub iterations: Vec<i64>,
    /// What the GPU is, told by HTA's rule: `NVIDIA GPU`, `AMD GPU`, `MTIA`, `UNKNOWN GPU`.
    pub device_type: String,
    /// The top-level keys of the file other than `traceEvents`: `distributedInfo`, `deviceProperties`, …
    pub metadata: Map<String, Value>,
}

impl RankInfo {
    /// Nanoseconds from the start of the first event to the end of the last.
    pub fn span(&self) -> i64 {
        self.last_end.saturating_sub(self.first_ts)
    }
}

impl Trace {
    /// The rank.
    pub fn rank(&self) -> i64 {
        self.info.rank
    }

    /// The iterations, ascending: the numbers in its names `ProfilerStep#N`.
    pub fn iterations(&self) -> Vec<i64> {
        self.info.iterations.clone()
    }

    /// What there is to know without looking at the events.
    pub fn info(&self) -> &RankInfo {
        &self.info
    }

    /// The events, one row per event that has a duration and a category, in file order. Times are whole nanoseconds.
    ///
    /// # Columns
    /// [`EVENT_COLUMNS`](crate::EVENT_COLUMNS), or those of the arguments that were asked for
    /// ([`ParserConfig`](crate::ParserConfig)); an argument's column exists only if an event carries it. Times and
    /// amounts are `i64`; positions, ids and numbers of iterations `i32`, or `i64` in a trace that needs it. Names, texts and
    /// lists (as their JSON on one line) are categories: [`Trace::decoded`] has them as strings.
    ///
    /// # Example
    /// ```
    /// use trace::prelude::*;
    ///
    /// # fn main() -> trace::Result<()> {
    /// let rank = TraceSet::load("../../notebooks/data/control")?.rank(3)?;
    /// let kernels = rank.events().lazy().filter(col("stream").is_not_null()).collect()?;
    /// assert!(0 < kernels.height() && kernels.height() < rank.events().height());
    /// # Ok(())
    /// # }
    /// ```
    pub fn events(&self) -> DataFrame {
        self.events.clone()
    }

    /// The events with names, categories and all other texts as plain strings.
    ///
    /// # Errors
    /// If polars refuses, which no input should bring about.
    pub fn decoded(&self) -> Result<DataFrame> {
        let mut events = self.events();
        for column in self.events.columns().iter().filter(|column| column.dtype().is_categorical()) {
            events.with_column(column.cast(&DataType::String)?)?;
        }
        Ok(events)
    }

    /// Bytes that the columns take in memory.
    pub fn memory_bytes(&self) -> usize {
        self.events.estimated_size()
    }
}
