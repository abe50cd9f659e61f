//! Schemas of data frames and of a trace's events.

use crate::TraceSet;
use crate::dataset::union_of_columns;
use crate::frame::columns::RANK;
use polars::prelude::{DataFrame, DataType};
use trace_view::FrameSchema;

/// Returns the height, columns and types of a frame.
///
/// # Example
/// ```
/// let df = trace::polars::df!("name" => ["gemm"], "dur" => [1_500_i64]).map_err(trace::Error::from)?;
/// assert_eq!(trace::frame_schema(&df).columns[1], ("dur".to_owned(), "i64".to_owned()));
/// # Ok::<(), trace::Error>(())
/// ```
pub fn frame_schema(df: &DataFrame) -> FrameSchema {
    let columns: Vec<(String, String)> =
        df.columns().iter().map(|column| (column.name().to_string(), column.dtype().to_string())).collect();
    FrameSchema::new(Some(df.height()), columns.into_iter())
}

impl TraceSet {
    /// Returns the schema of [`events`](Self::events), without stacking the ranks.
    pub fn events_schema(&self) -> FrameSchema {
        let columns = union_of_columns(self.traces());
        let rank = (RANK.to_owned(), DataType::Int64.to_string());
        let rest = columns.into_iter().map(|(name, dtype)| (name.to_string(), dtype.to_string()));
        let all: Vec<(String, String)> = std::iter::once(rank).chain(rest).collect();
        FrameSchema::new(Some(self.event_count()), all.into_iter())
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn schema_of_events_equals_that_of_stacked_ranks() {
        let folder = tempfile::tempdir().unwrap();
        let builder = trace_testkit::TraceBuilder::new().rank(3).step(1, 0..100).operator("aten::mm", 10..40);
        std::fs::write(folder.path().join("rank-3.json"), builder.json()).unwrap();
        let traces = TraceSet::load(folder.path()).unwrap();
        assert_eq!(traces.events_schema(), frame_schema(&traces.events()));
    }
}
