//! The wall clock of a trace: nanoseconds since 1970.

use super::trace_set::TraceSet;
use crate::{Rank, Result};

impl TraceSet {
    /// Returns the wall clock of the start of the recording ([`TraceSet::origin`]) by the clock of this rank, in nanoseconds since 1970;
    /// `None` if its file does not tell it.
    ///
    /// # Errors
    /// If the rank does not exist.
    ///
    /// # Source
    /// HTA `Trace.get_trace_start_unixtime_ns`, which needs `baseTimeNanoseconds`.
    ///
    /// # Example
    /// ```
    /// use trace::prelude::*;
    ///
    /// # fn main() -> trace::Result<()> {
    /// let json = r#"{"baseTimeNanoseconds": 1735632360000000000, "traceEvents": [
    ///     {"ph": "X", "cat": "cpu_op", "name": "aten::mm", "pid": 1, "tid": 1, "ts": 5.5, "dur": 100}
    /// ]}"#;
    /// let traces = TraceSet::from_bytes(json)?;
    /// assert_eq!(traces.get_trace_start_unixtime_ns(0)?, Some(1_735_632_360_000_005_500));
    /// # Ok(())
    /// # }
    /// ```
    pub fn get_trace_start_unixtime_ns(&self, rank: impl Into<Rank>) -> Result<Option<i64>> {
        self.trace_event_timestamp_to_unixtime_ns(rank, self.origin())
    }

    /// Returns the wall clock of a moment on the clock of the trace (column `ts` of [`TraceSet::events`], in nanoseconds) by the clock of
    /// this rank, in nanoseconds since 1970; `None` if its file does not tell it.
    ///
    /// # Errors
    /// If the rank does not exist.
    ///
    /// # Source
    /// HTA `Trace.trace_event_timestamp_to_unixtime_ns`.
    pub fn trace_event_timestamp_to_unixtime_ns(&self, rank: impl Into<Rank>, ts: i64) -> Result<Option<i64>> {
        Ok(self.rank(rank)?.info().unix_time(ts))
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use trace_testkit::TraceBuilder;

    fn start(trace: TraceBuilder) -> Option<i64> {
        TraceSet::from_bytes(trace.json()).unwrap().get_trace_start_unixtime_ns(0).unwrap()
    }

    #[test]
    fn wall_clock_is_the_origin_plus_the_time() {
        let trace = || TraceBuilder::new().rank(0).nanos().operator("aten::mm", 1_500..2_000);
        let origin = "1735632360000000000";
        assert_eq!(start(trace().metadata("baseTimeNanoseconds", origin)), Some(1_735_632_360_000_001_500));
        assert_eq!(
            start(trace().metadata("baseTimeNanoseconds", &format!("\"{origin}\""))),
            Some(1_735_632_360_000_001_500)
        );
        assert_eq!(start(trace()), None, "a clock without an origin");
        let old = TraceBuilder::new().rank(0).operator("aten::mm", 1_621_000_000_000_000..1_621_000_000_000_005);
        assert_eq!(start(old), Some(1_621_000_000_000_000_000), "older recordings count from 1970");
        assert!(TraceSet::from_bytes(trace().json()).unwrap().get_trace_start_unixtime_ns(7).is_err());
    }
}
