//! Changes of a question, replayed, without the path of the step.

use super::query::CriticalPath;
use super::ranks::{Extent, Loaded, load};
use super::solve::{asked, chosen};
use super::steps::{Steps, lengths};
use super::tried::lengths_after;
use crate::exec::checkpoint::guarded;
use crate::{Result, TraceSet};
use causal::Window;

/// Lengths of a step with changes, and the runs of short kernels of the recording.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Replayed {
    /// The name of the annotation that is the step; empty for the whole recording.
    pub annotation: String,
    /// How long the step lasts as recorded, in ns.
    pub before_ns: i64,
    /// How long it lasts with each change alone, in ns.
    pub after_ns: Vec<i64>,
    /// Runs of short kernels on the ranks that are asked for.
    pub short_runs: usize,
    /// Kernels in these runs.
    pub kernels_in_runs: usize,
}

/// Replays the changes of a question: the lengths of [`what_if_rows`](super::CriticalPathAnswer::what_if_rows) without what bounds them.
///
/// # Errors
/// As there.
pub fn replayed(traces: &TraceSet, query: &CriticalPath) -> Result<Replayed> {
    guarded(|| {
        let asked = asked(traces, query);
        let Loaded { graph, ranks, .. } = load(traces, &asked, query, Extent::Windows)?;
        let (chosen, _) = chosen(&ranks, &asked, &graph, traces.label(), query)?;
        let windows: Vec<Window> = chosen.iter().map(|(_, window, _)| *window).collect();
        let steps = Steps::of(&graph, &chosen);
        let after_ns = lengths_after(query, &ranks, &graph, &windows, &steps)?;
        let before_ns = steps.step(&lengths(&windows));
        let annotation = chosen.first().map(|(.., of)| of.annotation.clone()).unwrap_or_default();
        let mut found = Replayed { annotation, before_ns, after_ns, ..Replayed::default() };
        for rank in ranks.iter().filter(|rank| asked.contains(&rank.trace.rank())) {
            let runs = rank.short_runs();
            found.short_runs += runs.runs;
            found.kernels_in_runs += runs.in_runs;
        }
        Ok(found)
    })
}
