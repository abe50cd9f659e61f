//! Memory by category over time, as PyTorch exports it beside a trace.

use crate::Result;
use crate::error::BesideError;
use crate::read::read_text;
use crate::stats::total;
use polars::prelude::{Column, DataFrame, IntoColumn, NamedFrom, Series as FrameColumn};
use std::path::Path;
use trace_view::format::{bytes, microseconds};
use trace_view::{Axis, Figure, Mark, Points, Series, Unit};

/// The categories, in the order of their numbers in the file.
const CATEGORIES: [&str; 8] =
    ["Parameter", "Optimizer state", "Input", "Temporary", "Activation", "Gradient", "Autograd", "Unknown"];

/// Moments that a figure has at most.
const DRAWN: usize = 1_000;
/// Bytes of a GiB.
const GIBIBYTE: f64 = (1_u64 << 30) as f64;

/// The bytes of each category over time, of a raw memory timeline: `profiler.export_memory_timeline("x.raw.json.gz")`.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct MemoryTimeline {
    /// Moments in ns.
    times: Vec<i64>,
    /// Bytes by category at each moment.
    sizes: Vec<[i64; CATEGORIES.len()]>,
}

impl MemoryTimeline {
    /// Reads a raw memory timeline: JSON, also gzip or zstd.
    ///
    /// # Errors
    /// If the file cannot be read, or is no raw memory timeline.
    ///
    /// # Source
    /// HTA `MemoryAnalysis`.
    pub fn load(path: impl AsRef<Path>) -> Result<Self> {
        let path = path.as_ref();
        Self::of(&read_text(path)?)
            .map_err(|reason| BesideError::MemoryTimeline { path: path.to_owned(), reason }.into())
    }

    /// Adds up the entries of a file: time in ns, action, signed bytes, category.
    fn of(text: &str) -> std::result::Result<Self, String> {
        let entries: Vec<(i64, i64, i64, usize)> = serde_json::from_str(text).map_err(|error| error.to_string())?;
        // Differs from HTA: it takes −1 alone for a moment before the recording.
        let first = entries.iter().map(|(time, ..)| *time).filter(|time| *time > 0).min().unwrap_or(0);
        let mut timeline = Self::default();
        let (mut now, mut last) = ([0_i64; CATEGORIES.len()], None);
        for (time, _, size, category) in entries {
            let Some(of_category) = now.get_mut(category) else {
                return Err(format!("category {category}: expected a number from 0 to {}", CATEGORIES.len() - 1));
            };
            *of_category = of_category.saturating_add(size);
            if last == Some(time) {
                timeline.sizes.pop();
            } else {
                timeline.times.push(if time < 0 { first } else { time });
                last = Some(time);
            }
            timeline.sizes.push(now);
        }
        Ok(timeline)
    }

    /// Returns the bytes of each category at each moment, in the order of the file.
    ///
    /// # Columns
    /// `time_ns`, and a column for each category: `Parameter`, `Optimizer state`, `Input`, `Temporary`, `Activation`, `Gradient`, `Autograd`,
    /// `Unknown`.
    ///
    /// # Errors
    /// If polars refuses.
    pub fn frame(&self) -> Result<DataFrame> {
        let times = std::iter::once(FrameColumn::new("time_ns".into(), &self.times).into_column());
        let sizes = CATEGORIES.iter().enumerate().map(|(at, name)| {
            let bytes: Vec<i64> = self.sizes.iter().map(|sizes| sizes[at]).collect();
            FrameColumn::new((*name).into(), bytes).into_column()
        });
        Ok(DataFrame::new(self.times.len(), times.chain(sizes).collect::<Vec<Column>>())?)
    }

    /// Says how much memory was used at the peak, when, and by what.
    pub fn sentences(&self) -> Vec<String> {
        let Some(peak) = (0..self.sizes.len()).rev().max_by_key(|&at| self.total(at)) else {
            return vec!["The memory timeline is empty.".to_owned()];
        };
        let since = self.times[peak].saturating_sub(self.start()) as f64 / 1e3;
        let mut parts: Vec<(i64, &str)> =
            self.sizes[peak].into_iter().zip(CATEGORIES).filter(|(size, _)| *size != 0).collect();
        parts.sort_by_key(|(size, _)| std::cmp::Reverse(*size));
        let parts: Vec<String> = parts.into_iter().map(|(size, name)| format!("{name} {}", signed(size))).collect();
        let mut sentences =
            vec![format!("Peak of {} after {}: {}.", signed(self.total(peak)), microseconds(since), parts.join(", "))];
        if let Some(last) = self.sizes.len().checked_sub(1) {
            sentences.push(format!("{} at the end.", signed(self.total(last))));
        }
        sentences
    }

    /// Draws the categories over time, each above those before it. Of many moments those with the most memory are drawn.
    pub fn figure(&self) -> Figure {
        let drawn = self.drawn();
        let x: Vec<f64> = drawn.iter().map(|&at| self.times[at].saturating_sub(self.start()) as f64 / 1e6).collect();
        let up_to = |category: usize, at: usize| total(self.sizes[at][..=category].iter().copied()) as f64 / GIBIBYTE;
        let series = CATEGORIES.iter().enumerate().map(|(category, name)| Series {
            name: (*name).to_owned(),
            mark: Mark::Step,
            x: Points::Numbers(x.clone()),
            y: drawn.iter().map(|&at| up_to(category, at)).collect(),
        });
        Figure {
            title: "Memory timeline: categories on top of each other".to_owned(),
            x: Axis { title: "Time".to_owned(), unit: Unit::Millis, ..Axis::default() },
            y: Axis { title: "Memory (GiB)".to_owned(), ..Axis::default() },
            series: series.collect(),
            ..Figure::default()
        }
    }

    /// Returns the moments to draw: of each of equal parts of the list the one with the most memory.
    fn drawn(&self) -> Vec<usize> {
        let width = self.sizes.len().div_ceil(DRAWN).max(1);
        let starts = (0..self.sizes.len()).step_by(width);
        starts.filter_map(|at| (at..self.sizes.len().min(at + width)).max_by_key(|&at| self.total(at))).collect()
    }

    fn start(&self) -> i64 {
        self.times.iter().copied().min().unwrap_or(0)
    }

    fn total(&self, at: usize) -> i64 {
        total(self.sizes[at])
    }
}

/// Formats a size that may be negative: memory that was allocated before the recording and freed in it.
fn signed(size: i64) -> String {
    format!("{}{}", if size < 0 { "−" } else { "" }, bytes(size.unsigned_abs()))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn entries_add_up_by_category_and_moment() {
        // Two before the recording, two at one moment, one that frees.
        let text = "[[-1, 0, 100, 0], [-1, 0, 50, 7], [2000, 1, 30, 4], [2000, 1, 5, 4], [5000, 3, -35, 4]]";
        let timeline = MemoryTimeline::of(text).unwrap();
        assert_eq!(timeline.times, [2000, 2000, 5000]);
        assert_eq!(
            timeline.sizes.iter().map(|sizes| [sizes[0], sizes[4], sizes[7]]).collect::<Vec<_>>(),
            [[100, 0, 50], [100, 35, 50], [100, 0, 50]]
        );
        let sentences =
            ["Peak of 185 B after 0.00 ns: Parameter 100 B, Unknown 50 B, Activation 35 B.", "150 B at the end."];
        assert_eq!(timeline.sentences(), sentences);
        assert_eq!((timeline.frame().unwrap().shape(), timeline.figure().series.len()), ((3, 9), 8));
    }

    #[test]
    fn figures_of_long_timelines_keep_the_peak() {
        let entries: Vec<String> =
            (1..=5_000).map(|at| format!("[{at}, 1, {}, 4]", if at == 2_345 { 9 } else { 0 })).collect();
        let timeline = MemoryTimeline::of(&format!("[{}]", entries.join(", "))).unwrap();
        assert_eq!(timeline.drawn().len(), 1_000);
        assert_eq!(MemoryTimeline::of("[]").unwrap().sentences(), ["The memory timeline is empty."]);
    }

    #[test]
    fn other_files_are_refused_with_a_reason() {
        assert!(MemoryTimeline::of("[[1, 1, 5, 8]]").unwrap_err().contains("from 0 to 7"));
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("x.json");
        std::fs::write(&path, "{}").unwrap();
        let error = MemoryTimeline::load(&path).unwrap_err().to_string();
        assert!(error.contains("x.json") && error.contains("export_memory_timeline"), "{error}");
    }
}
