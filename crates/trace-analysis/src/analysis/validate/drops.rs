//! Work that a recording lacks, or has under one launch: dropped launches, captured graphs, kernels of graphs.

use super::launches::Launches;
use crate::analysis::RankView;
use crate::domain::{EventKind, is_graph_launch};
use crate::exec::checkpoint::cancellable;
use serde::{Deserialize, Serialize};
use trace_view::format::{counted, grouped};

/// What a recording lacks, or shows under one launch, over all ranks.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Drops {
    /// Launches of kernels before the first one with a kernel.
    pub launches_at_start: u64,
    /// Launches of kernels, without those that are captured.
    pub launches: u64,
    /// Captures of graphs that begin within the recording.
    pub captures: u64,
    /// Kernels that a launch of a graph runs.
    pub graph_kernels: u64,
    /// All kernels.
    pub kernels: u64,
}

impl Drops {
    /// Counts those of a view.
    pub(in crate::analysis) fn of(view: &RankView) -> Self {
        Launches::of(view).map_or_else(Self::default, |launches| Self::of_launches(view, &launches))
    }

    /// Counts those of a view, whose launches are known.
    pub(super) fn of_launches(view: &RankView, launches: &Launches) -> Self {
        let rows = view.rank_events();
        let kinds = rows.kinds();
        let first = launches.rows.iter().position(|&row| rows.partner(row).is_some());
        let mut is_graph = rows.per_text(is_graph_launch);
        let mut drops = Self {
            launches_at_start: first.unwrap_or(launches.rows.len()) as u64,
            launches: launches.rows.len() as u64,
            captures: launches.captures,
            ..Self::default()
        };
        for event in cancellable(view.gpu()).filter(|event| kinds[event.row as usize] == EventKind::Kernel) {
            let launch = rows.partner(event.row as usize);
            drops.kernels += 1;
            drops.graph_kernels += u64::from(launch.is_some_and(|launch| is_graph(rows.name(launch))));
        }
        drops
    }

    /// Returns the sum with that of other ranks.
    pub(in crate::analysis) fn with(self, other: Self) -> Self {
        Self {
            launches_at_start: self.launches_at_start + other.launches_at_start,
            launches: self.launches + other.launches,
            captures: self.captures + other.captures,
            graph_kernels: self.graph_kernels + other.graph_kernels,
            kernels: self.kernels + other.kernels,
        }
    }

    /// Returns a sentence for each, without its full stop.
    pub fn sentences(&self) -> Vec<String> {
        let mut sentences = Vec::new();
        if self.launches_at_start > 0 {
            sentences.push(format!(
                "The first {} of {} launches of kernels have no kernel: the profiler dropped these while it started",
                grouped(self.launches_at_start as i64),
                grouped(self.launches as i64)
            ));
        }
        if self.captures > 0 {
            sentences.push(format!(
                "Graphs are captured within the recording ({}): no kernel runs for these launches, and the steps around them take longer",
                counted(self.captures as usize, "capture")
            ));
        }
        if self.graph_kernels > 0 {
            sentences.push(format!(
                "{} of {} kernels ({:.1} %) run in graphs, one launch for all of a graph: summaries by operator do not tell them apart",
                grouped(self.graph_kernels as i64),
                grouped(self.kernels as i64),
                100.0 * self.graph_kernels as f64 / self.kernels.max(1) as f64
            ));
        }
        sentences
    }
}
