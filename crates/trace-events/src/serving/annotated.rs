//! Annotations around events, by what they say.

use super::step::ServedStep;
use crate::domain::EventKind;
use crate::exec::checkpoint::cancellable;
use crate::frame::RankEvents;
use std::cmp::Reverse;
use std::collections::BTreeMap;

/// A process and a thread.
type Thread = (Option<i64>, Option<i64>);

/// An annotation, and the latest end of its thread up to it.
struct Span<T> {
    start: i64,
    end: i64,
    latest: i64,
    of: T,
}

/// The annotations of a rank that have a value, by thread.
pub struct Annotated<T>(BTreeMap<Thread, Vec<Span<T>>>);

impl<T: Copy> Annotated<T> {
    /// Reads the annotations of the host: `read` returns the value of a name.
    pub fn of(rows: &RankEvents, read: impl Fn(&str) -> Option<T>) -> Self {
        let mut found: BTreeMap<Thread, Vec<Span<T>>> = BTreeMap::new();
        let mut read = rows.per_text(read);
        let kinds = rows.kinds();
        for row in cancellable(0..rows.len()).filter(|&row| kinds[row] == EventKind::Annotation) {
            if let (Some(of), Some(start)) = (read(rows.name(row)), rows.ts(row)) {
                let end = start.saturating_add(rows.dur(row).max(0));
                found.entry(rows.thread(row)).or_default().push(Span { start, end, latest: end, of });
            }
        }
        for spans in found.values_mut() {
            spans.sort_by_key(|span| (span.start, Reverse(span.end)));
            let mut latest = i64::MIN;
            for span in spans {
                latest = latest.max(span.end);
                span.latest = latest;
            }
        }
        Self(found)
    }

    /// Returns the values of the annotations around an event of the CPU, the outermost first.
    pub fn around(&self, rows: &RankEvents, row: usize) -> Vec<T> {
        let (Some(at), Some(spans)) = (rows.ts(row), self.0.get(&rows.thread(row))) else { return Vec::new() };
        let before = &spans[..spans.partition_point(|span| span.start <= at)];
        let mut found: Vec<T> = (before.iter().rev())
            .take_while(|span| at < span.latest)
            .filter(|span| at < span.end)
            .map(|span| span.of)
            .collect();
        found.reverse();
        found
    }
}

impl Annotated<ServedStep> {
    /// Reads the steps of servers.
    pub fn steps(rows: &RankEvents) -> Self {
        Self::of(rows, ServedStep::of_annotation)
    }

    /// Returns the step around an event of the CPU, completed by the annotations inside of its own.
    pub fn step(&self, rows: &RankEvents, row: usize) -> Option<ServedStep> {
        self.around(rows, row).into_iter().reduce(ServedStep::completed_by)
    }
}
