//! Start and duration of a cell, for the metadata of its reply.

use serde_json::{Value, json};
use std::time::{Duration, Instant, SystemTime};

/// Time from the start of a cell to its end; the wait for earlier cells does not count.
pub(super) struct Timing {
    started: SystemTime,
    clock: Instant,
    took: Option<Duration>,
}

impl Timing {
    /// Starts the clock.
    pub(super) fn start() -> Self {
        Self { started: SystemTime::now(), clock: Instant::now(), took: None }
    }

    /// Stops the clock.
    pub(super) fn end(&mut self) {
        self.took = Some(self.clock.elapsed());
    }

    /// Returns `started` as ipykernel writes it (ISO 8601), and `duration` in seconds of a monotonic clock.
    pub(super) fn metadata(&self) -> Value {
        let started: chrono::DateTime<chrono::Utc> = self.started.into();
        let took = self.took.unwrap_or_else(|| self.clock.elapsed());
        json!({
            "started": started.to_rfc3339_opts(chrono::SecondsFormat::Micros, true),
            "duration": took.as_secs_f64(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn duration_stops_at_the_end_of_the_cell() {
        let mut timing = Timing::start();
        std::thread::sleep(Duration::from_millis(5));
        timing.end();
        let first = timing.metadata();
        std::thread::sleep(Duration::from_millis(5));
        assert_eq!(timing.metadata(), first);
        assert!(first["duration"].as_f64().is_some_and(|took| (0.005..60.0).contains(&took)), "{first}");
        assert!(first["started"].as_str().is_some_and(|date| date.ends_with('Z') && date.len() == 27), "{first}");
    }
}
