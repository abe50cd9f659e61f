//! The windows of a rank: instances of an annotation, or the whole recording.

use super::query::{CriticalPath, Instance};
use crate::Result;
use crate::domain::EventKind;
use crate::error::CriticalPathReason;
use crate::frame::RankEvents;

/// What the windows are named after by default.
const PROFILER_STEP: &str = "ProfilerStep";
/// A last annotation that takes less than this part of the median of the others is cut off.
const CUT_OFF: i64 = 2;
/// Names that a message lists.
const MOST_NAMES: usize = 6;

/// A window of a rank.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Chosen {
    /// The name of the annotation; of several `first to last`; of the whole recording empty.
    pub(super) annotation: String,
    /// The first and the last of its instances, from 0; `None` for the whole recording.
    pub(super) instances: Option<(usize, usize)>,
    /// The number of instances.
    pub(super) of: usize,
    /// The process and thread; `None` for the whole recording.
    pub(super) thread: Option<(Option<i64>, Option<i64>)>,
    /// In ns, as recorded.
    pub(super) start: i64,
    pub(super) end: i64,
}

/// The windows of a rank.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct RankWindows {
    /// In order of time.
    pub(super) windows: Vec<Chosen>,
    /// Whether the last window of the rank is cut off, and left out of `windows`.
    pub(super) is_cut: bool,
}

/// An annotation on a thread.
struct Mark {
    row: usize,
    start: i64,
    end: i64,
}

/// Returns the windows of a rank; `None` if the rank has no such annotation.
///
/// # Errors
/// [`CriticalPathReason::NoSuchInstance`].
pub(super) fn windows(rows: &RankEvents, rank: i64, query: &CriticalPath) -> Result<Option<RankWindows>> {
    let text = query.annotation.as_deref().unwrap_or(PROFILER_STEP);
    if text.is_empty() {
        return Ok(Some(whole(rows)));
    }
    let marks = marks(rows, text);
    if marks.is_empty() {
        let is_default = query.annotation.is_none() && matches!(query.instance, Instance::Usual | Instance::All);
        return Ok(is_default.then(|| whole(rows)));
    }
    let count = marks.len();
    let missing =
        |instance: usize| CriticalPathReason::NoSuchInstance { rank, annotation: text.to_owned(), instance, count };
    let check = |last: usize| if last < count { Ok(()) } else { Err(missing(last)) };
    let is_cut = query.instance == Instance::All && ends_early(&marks);
    let ranges: Vec<(usize, usize)> = match query.instance {
        Instance::Usual => vec![(1.min(count - 1), 1.min(count - 1))],
        Instance::One(at) => vec![(at, at)],
        Instance::Range(first, last) => vec![(first, last)],
        Instance::All => (0..count - usize::from(is_cut)).map(|at| (at, at)).collect(),
    };
    let mut windows = Vec::with_capacity(ranges.len());
    for (first, last) in ranges {
        check(last)?;
        let (one, other) = (&marks[first], &marks[last]);
        let name = |mark: &Mark| rows.text(rows.name(mark.row)).to_owned();
        windows.push(Chosen {
            annotation: if first == last { name(one) } else { format!("{} to {}", name(one), name(other)) },
            instances: Some((first, last)),
            of: count,
            thread: Some(rows.thread(one.row)),
            start: one.start,
            end: marks[first..=last].iter().map(|mark| mark.end).max().unwrap_or(other.end),
        });
    }
    Ok(Some(RankWindows { windows, is_cut }))
}

/// The whole recording; nothing if there is no event.
fn whole(rows: &RankEvents) -> RankWindows {
    let kinds = rows.kinds();
    // Copies of annotations on the GPU and spans of the profiler are no work of the rank.
    let is_work = |row: usize| {
        let kind = kinds[row];
        kind.is_device_work()
            || matches!(kind, EventKind::Operator | EventKind::Annotation | EventKind::Python | EventKind::Call)
    };
    let spans = (0..rows.len()).filter(|&row| is_work(row)).filter_map(|row| span(rows, row));
    let ends = spans.reduce(|one, other| (one.0.min(other.0), one.1.max(other.1)));
    let window = |(start, end)| Chosen { annotation: String::new(), instances: None, of: 1, thread: None, start, end };
    RankWindows { windows: ends.map(window).into_iter().collect(), is_cut: false }
}

/// Number of the windows of a text.
pub(super) fn count(rows: &RankEvents, text: &str) -> usize {
    marks(rows, text).len()
}

/// The annotations of the CPU whose name contains a text, in order of time; if there are none, other events of the CPU.
fn marks(rows: &RankEvents, text: &str) -> Vec<Mark> {
    let mut is_named = rows.per_text(|name| name.contains(text));
    let kinds = rows.kinds();
    let named: Vec<usize> =
        (0..rows.len()).filter(|&row| is_named(rows.name(row)) && !rows.is_on_device(row)).collect();
    let is_annotation = |row: usize| kinds[row] == EventKind::Annotation;
    let has_annotation = named.iter().any(|&row| is_annotation(row));
    let mut marks: Vec<Mark> = named
        .into_iter()
        .filter(|&row| !has_annotation || is_annotation(row))
        .filter_map(|row| span(rows, row).map(|(start, end)| Mark { row, start, end }))
        .collect();
    marks.sort_by_key(|mark| (mark.start, -mark.end, mark.row));
    marks
}

fn span(rows: &RankEvents, row: usize) -> Option<(i64, i64)> {
    let start = rows.ts(row)?;
    Some((start, start.saturating_add(rows.dur(row).max(0))))
}

/// Tells whether the last of at least three annotations is much shorter than the others: the profiler stopped in it.
fn ends_early(marks: &[Mark]) -> bool {
    let Some((last, others)) = marks.split_last().filter(|(_, others)| others.len() >= 2) else { return false };
    let mut lengths: Vec<i64> = others.iter().map(|mark| mark.end - mark.start).collect();
    lengths.sort_unstable();
    (last.end - last.start).saturating_mul(CUT_OFF) < lengths[lengths.len() / 2]
}

/// Returns names of annotations that the rank has, each once, for a message.
pub(super) fn known_annotations(rows: &RankEvents) -> Vec<String> {
    let kinds = rows.kinds();
    let mut names: Vec<String> = Vec::new();
    for row in (0..rows.len()).filter(|&row| kinds[row] == EventKind::Annotation) {
        let name = rows.text(rows.name(row));
        if !names.iter().any(|known| known == name) {
            names.push(name.to_owned());
            if names.len() == MOST_NAMES {
                break;
            }
        }
    }
    names
}
