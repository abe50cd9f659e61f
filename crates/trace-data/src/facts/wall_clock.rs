//! The wall clock of events: nanoseconds since 1970.

use super::RankInfo;
use serde_json::Value;

/// The origin that Kineto subtracts from times, in nanoseconds since 1970.
const ORIGIN: &str = "baseTimeNanoseconds";
/// The years 2010 and 2100: times between are since 1970, as those of older recordings without an origin; a clock that counts from the start
/// of a machine is decades away from them.
const SINCE_1970: std::ops::Range<i64> = 1_262_304_000_000_000_000..4_102_444_800_000_000_000;

impl RankInfo {
    /// Returns the wall clock of a moment on the clock of the trace, in nanoseconds since 1970; `None` if the file tells no origin and its
    /// times are not since 1970 themselves.
    pub fn unix_time(&self, ts: i64) -> Option<i64> {
        let origin = match self.metadata.get(ORIGIN) {
            Some(Value::String(text)) => text.trim().parse().ok()?,
            Some(origin) => origin.as_i64()?,
            None => SINCE_1970.contains(&ts).then_some(0)?,
        };
        ts.checked_add(origin)
    }
}
