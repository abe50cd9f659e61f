//! A proposal of windows for a recording without the profiler's steps.

use super::windows::count;
use crate::domain::{ProposedMarker, or_by_markers};
use crate::frame::RankEvents;
use crate::{FoundSteps, Result, TraceSet};

/// Says how a recording without the profiler's steps can be divided, whose whole is the window of a rank with these events.
///
/// # Errors
/// If events cannot be read, or memory does not suffice.
pub(super) fn proposal(traces: &TraceSet, rows: &RankEvents) -> Result<Option<String>> {
    let calls = FoundSteps::proposed(traces)?;
    if calls.is_empty() {
        return Ok(None);
    }
    let annotation = calls.iter().find_map(|call| {
        let text = contained(call).filter(|text| count(rows, text) == call.count)?;
        Some(format!("; --annotation '{text}' takes the {} calls of {} as windows", call.count, call.name))
    });
    let how = annotation.unwrap_or_else(|| or_by_markers(&calls));
    Ok(Some(format!("No ProfilerStep is recorded, so the whole recording is one window{how}.")))
}

/// Returns the longest text that all names of a call contain; of a frame its function.
fn contained(call: &ProposedMarker) -> Option<&str> {
    let name = call.name.rsplit_once(".py: ").map_or(call.name.as_str(), |(_, function)| function);
    name.split('…').max_by_key(|text| text.len()).filter(|text| !text.is_empty() && !text.contains('\''))
}
