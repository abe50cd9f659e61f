//! The window that is analysed, and the events in it.

use super::frame::NO_TEXT;
use super::names::{Meaning, Names};
use super::{Frame, Row};
use std::fmt;

/// What is analysed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Window {
    /// Everything.
    Whole,
    /// From the start to the end of some events whose names contain a text. All events with such a name count, those of the
    /// GPU too, in the order of the frame, not of time.
    Instances {
        /// The text.
        annotation: String,
        /// The first instance, counted from 0.
        first: usize,
        /// The last instance; those past the end are ignored.
        last: usize,
    },
}

/// From when to when, in ns; both ends belong to it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct WindowSpan {
    /// The start.
    pub start: i64,
    /// The end; `None` if everything is analysed.
    pub end: Option<i64>,
}

impl WindowSpan {
    fn holds(self, call: &Row) -> bool {
        call.ts >= self.start && self.end.is_none_or(|end| call.ts <= end) && call.dur > 0
    }
}

/// There is no such instance of an annotation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NoInstance {
    /// The text of the annotation.
    pub annotation: String,
    /// The instance that is wanted, counted from 0.
    pub instance: usize,
    /// Number of instances that exist.
    pub count: usize,
}

impl fmt::Display for NoInstance {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { annotation, instance, count } = self;
        write!(f, "unknown instance {instance} of the annotation `{annotation}`: ")?;
        match count {
            0 => f.write_str("no event's name contains it"),
            1 => f.write_str("expected 0, the only one"),
            _ => write!(f, "expected 0 to {}", count - 1),
        }
    }
}

impl std::error::Error for NoInstance {}

/// Why there is no graph.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NoGraph {
    /// There is no such instance of the annotation.
    NoInstance(NoInstance),
    /// The window has more events than [`Options::most_events`](super::Options::most_events).
    TooManyEvents {
        /// Number of events of the window.
        events: usize,
    },
}

impl fmt::Display for NoGraph {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoInstance(none) => none.fmt(f),
            Self::TooManyEvents { events } => write!(f, "cannot build the graph: the window has {events} events"),
        }
    }
}

impl std::error::Error for NoGraph {}

impl Window {
    /// Returns from when to when the window lasts.
    ///
    /// # Errors
    /// If there is no such instance.
    pub(super) fn span(&self, frame: &impl Frame) -> Result<WindowSpan, NoInstance> {
        let rows = || (0..frame.len()).map(|position| frame.row(position));
        let Self::Instances { annotation, first, last } = self else {
            return Ok(WindowSpan { start: rows().map(|row| row.ts).min().unwrap_or(0), end: None });
        };
        let mut is_instance: Vec<Option<bool>> = Vec::new();
        let mut count = 0;
        let mut span: Option<(i64, i64)> = None;
        for row in rows().filter(|row| row.name != NO_TEXT) {
            let code = row.name as usize;
            if is_instance.len() <= code {
                is_instance.resize(code + 1, None);
            }
            if !*is_instance[code].get_or_insert_with(|| frame.text(row.name).contains(annotation.as_str())) {
                continue;
            }
            if (*first..=*last).contains(&count) {
                let (start, end) = span.unwrap_or((row.ts, row.end()));
                span = Some((start.min(row.ts), end.max(row.end())));
            }
            count += 1;
        }
        let unknown = || NoInstance { annotation: annotation.clone(), instance: *first, count };
        span.map(|(start, end)| WindowSpan { start, end: Some(end) }).ok_or_else(unknown)
    }
}

/// Returns the places of the events in the window, by their index: events of the CPU that start in it and last; events of the
/// GPU to which the launch of such a start points; and all waits of streams, whenever they are.
///
/// A launch of several kernels points to the last one, so that the others are left out, as in HTA.
pub(super) fn clipped<F: Frame>(frame: &F, names: &Names<'_, F>, span: WindowSpan) -> Vec<u32> {
    let mut positions: Vec<u32> = Vec::new();
    for position in 0..frame.len() {
        let row = frame.row(position);
        if row.is_on_gpu() {
            if names.of_code(row.name).is(Meaning::STREAM_WAIT) {
                positions.push(position as u32);
            }
        } else if span.holds(&row) {
            positions.push(position as u32);
            if row.partner >= 0
                && let Some(partner) = frame.position(row.partner)
                && frame.row(partner).is_on_gpu()
            {
                positions.push(partner as u32);
            }
        }
    }
    positions.sort_by_key(|&position| frame.row(position as usize).index);
    positions.dedup_by_key(|position| frame.row(*position as usize).index);
    positions
}
