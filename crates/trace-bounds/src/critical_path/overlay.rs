//! Copies of trace files over which a path is drawn.

use super::answer::{CriticalPathAnswer, Interval};
use crate::write::{Anchor, Arrow, Moment, PathOverlay, TraceCopy, micros_text};
use crate::{Error, RankInfo, Result, TraceSet};
use causal::{Because, BoundBy};
use std::collections::BTreeMap;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::sync::Arc;

impl CriticalPathAnswer {
    /// Draws the paths of all windows over copies of the trace files of the ranks that they lead through, for Perfetto: files
    /// `overlaid_critical_path_…` in `folder`, which is made if it is missing. Nothing is written before [`TraceCopy::save`].
    ///
    /// Events on a path get the arguments `critical`, `on_path_us` (their time on it), `bound_by` and `because`. Where a path goes on
    /// in another event, an arrow shows it, at the moment at which it does, to the nanosecond.
    ///
    /// # Errors
    /// If `folder` is a file or cannot be made.
    pub fn overlays(&self, traces: &TraceSet, folder: &Path) -> Result<Vec<TraceCopy>> {
        folder_for(folder)?;
        let mut copies: Vec<TraceCopy> = Vec::new();
        for info in traces.info() {
            let windows = self.windows.iter().map(|window| window.intervals.as_slice());
            let Some(overlay) = drawn(windows, info.rank) else { continue };
            copies.push(copy_of(info, overlay, folder, &copies));
        }
        Ok(copies)
    }
}

/// Returns the copy of a rank's file, under a name that no other copy has.
pub fn copy_of(info: &RankInfo, overlay: PathOverlay, folder: &Path, others: &[TraceCopy]) -> TraceCopy {
    let source = PathBuf::from(&info.file);
    let name = source.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let mut target = folder.join(format!("overlaid_critical_path_{name}"));
    if others.iter().any(|other| other.target == target) {
        target = folder.join(format!("overlaid_critical_path_rank{}_{name}", info.rank));
    }
    TraceCopy { rank: info.rank, source, target, events: info.events_in_file, edit: Arc::new(overlay) }
}

/// What a path says of one event.
struct Mark {
    /// Time on the path, in ns.
    time: i64,
    /// The longest of its segments.
    longest: (i64, BoundBy, Because),
}

/// Returns the marks and arrows of paths on a rank; `None` if they do not lead through its events.
fn drawn<'s>(paths: impl Iterator<Item = &'s [Interval]>, rank: i64) -> Option<PathOverlay> {
    let mut marks: BTreeMap<i64, Mark> = BTreeMap::new();
    let mut arrows = Vec::new();
    for path in paths {
        // The event that the path was in, and until when.
        let mut last: Option<(i64, i64)> = None;
        for interval in path {
            if interval.rank != rank {
                // An arrow cannot lead into the file of another rank.
                last = None;
                continue;
            }
            // Time without an event has nothing to mark.
            let Some(event) = interval.event else { continue };
            let (time, Interval { bound_by, because, .. }) = (interval.duration(), *interval);
            let mark = marks.entry(event).or_insert(Mark { time: 0, longest: (time, bound_by, because) });
            mark.time = mark.time.saturating_add(time);
            if time > mark.longest.0 {
                mark.longest = (time, bound_by, because);
            }
            if let Some((before, end)) = last.filter(|&(before, _)| before != event) {
                let (bound_by, because) = (bound_by.word(), because.word());
                let args = format!(r#"{{"critical": true, "bound_by": "{bound_by}", "because": "{because}"}}"#);
                let from = Anchor { event: before, at: Moment::Nearest(end) };
                arrows.push(Arrow { from, to: Anchor { event, at: Moment::Nearest(interval.start) }, args });
            }
            last = Some((event, interval.end));
        }
    }
    if marks.is_empty() {
        return None;
    }
    let mut overlay = PathOverlay::new(arrows);
    for (event, Mark { time, longest: (_, bound_by, because) }) in marks {
        let text = |word: &str| format!("\"{word}\"");
        let args = vec![
            ("on_path_us", micros_text(time)),
            ("bound_by", text(bound_by.word())),
            ("because", text(because.word())),
        ];
        overlay.mark(event, args);
    }
    Some(overlay)
}

/// Makes a folder if it is missing.
///
/// # Errors
/// If it is a file or cannot be made.
pub fn folder_for(folder: &Path) -> Result<()> {
    let failed = |error| Error::Io { path: folder.to_owned(), error };
    if folder.exists() && !folder.is_dir() {
        return Err(failed(ErrorKind::NotADirectory.into()));
    }
    std::fs::create_dir_all(folder).map_err(failed)
}
