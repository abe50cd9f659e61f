//! The answers to the question for HTA's critical path.

use super::frame::HtaFrame;
use super::overlay::HtaOverlay;
use super::path::HtaPath;
use super::query::HtaCriticalPath;
use crate::analysis::{Answer, RankView, TraceAnalysis};
use crate::error::CriticalPathReason;
use crate::exec::checkpoint::guarded;
use crate::exec::memory::{Budget, Task};
use crate::{Error, Result, TraceSet};
use hta_rules::critical_path::{Graph, NoGraph, NoInstance, Options, Window};
use regex::Regex;
use std::path::Path;

/// The name of the answer in the message that refuses it.
const NAME: &str = "critical_path as HTA does";
/// Memory for each row of a rank: its place, and the row of each place.
const BYTES_PER_ROW: usize = 16;
/// Memory for each event of the window: its nodes and edges, while they are arranged, and its row. Measured: 187 bytes of 10 million.
const BYTES_PER_EVENT: usize = 240;

impl TraceAnalysis {
    /// Finds the critical path as HTA does, with its graph, in its order and with its quirks.
    ///
    /// What HTA calls the critical path is not what bounds a step: on real traces it is 46 to 278 % as long as the window.
    ///
    /// # Errors
    /// If there is no such rank or instance, a weight is negative that must not be, or the graph does not fit the memory budget.
    ///
    /// # Example
    /// ```
    /// use trace::polars::prelude::ChunkAgg;
    /// use trace::prelude::*;
    ///
    /// # fn main() -> trace::Result<()> {
    /// let analysis = TraceAnalysis::new(&TraceSet::load("../../notebooks/data/job")?)?;
    /// let query = HtaCriticalPath { annotation: "ProfilerStep".to_owned(), instances: (1, 1), ..Default::default() };
    /// let path = analysis.critical_path_analysis(&query)?;
    /// assert!(path.summary()?.column("percent")?.f64()?.sum().unwrap_or(0.0) > 99.9);
    /// # Ok(())
    /// # }
    /// ```
    pub fn critical_path_analysis(&self, query: &HtaCriticalPath) -> Result<HtaPath> {
        guarded(|| {
            let (ranks, budget) = (query.rank.map(|rank| vec![rank]), self.budget()?);
            let of_rank = |view: &RankView| self.path_of(view, query, budget);
            let mut paths = self.each_view(NAME, (ranks.as_deref(), true), BYTES_PER_ROW, of_rank)?;
            paths
                .pop()
                .ok_or_else(|| Error::NoRankSelected { label: self.plan().label().to_owned(), available: self.ranks() })
        })
    }

    /// Finds HTA's path of a rank, unless its graph does not fit a memory budget.
    fn path_of(&self, view: &RankView, query: &HtaCriticalPath, budget: Budget) -> Result<HtaPath> {
        let frame = HtaFrame::of(view, loading(&query.data_load_events), query.exact_times)?;
        let (first, last) = query.instances;
        let window = match query.annotation.as_str() {
            "" => Window::Whole,
            annotation => Window::Instances { annotation: annotation.to_owned(), first, last },
        };
        let options = Options {
            window,
            zero_weight_launch_edges: query.add_zero_weight_launch_edges,
            strict_negative_weights: query.strict_negative_weights,
            most_events: usize::try_from(budget.left()).unwrap_or(usize::MAX) / BYTES_PER_EVENT,
        };
        let graph = Graph::of(&frame, &options).map_err(|error| match error {
            NoGraph::NoInstance(error) => unknown(view.rank(), self.plan().label(), error),
            NoGraph::TooManyEvents { events } => {
                budget.refused(Task::Window(NAME), events.saturating_mul(BYTES_PER_EVENT))
            }
        })?;
        let negative = graph.left_out.negative_weights;
        if negative > 0 {
            return Err(CriticalPathReason::NegativeWeights { rank: view.rank(), count: negative }.into());
        }
        Ok(HtaPath::of(view, &frame, query, graph))
    }
}

/// Answers [`Questions::critical_paths_as_hta`](crate::Questions::critical_paths_as_hta).
///
/// # Errors
/// As there.
pub fn critical_paths_as_hta(
    traces: &TraceSet,
    query: &HtaCriticalPath,
    ranks: Option<&[i64]>,
    with_edges: bool,
    overlay: Option<&Path>,
) -> Result<Answer> {
    let analysis = TraceAnalysis::new(traces)?;
    let title = format!("critical_path · {} · as HTA", traces.label());
    let mut answer = Answer { title, ..Answer::default() };
    let ranks = ranks.map_or_else(|| vec![query.rank], |ranks| ranks.iter().copied().map(Some).collect());
    for rank in ranks {
        let path = analysis.critical_path_analysis(&HtaCriticalPath { rank, ..query.clone() })?;
        answer.tables.extend(path.tables(with_edges)?);
        answer.notes.extend(path.notes());
        if let Some(folder) = overlay {
            answer.copies.push(path.drawn(folder, HtaOverlay::default(), &answer.copies)?);
        }
    }
    Ok(answer)
}

/// Returns the texts of events that load data, also as patterns; a text that is no pattern finds itself.
fn loading(texts: &[String]) -> Vec<(String, Regex)> {
    let pattern = |text: &String| Regex::new(text).or_else(|_| Regex::new(&regex::escape(text))).ok();
    texts.iter().filter_map(|text| Some((text.clone(), pattern(text)?))).collect()
}

fn unknown(rank: i64, label: &str, error: NoInstance) -> Error {
    let NoInstance { annotation, instance, count } = error;
    let reason = match count {
        0 => CriticalPathReason::NoAnnotation { label: label.to_owned(), annotation, known: Vec::new() },
        _ => CriticalPathReason::NoHtaInstance { rank, annotation, instance, count },
    };
    reason.into()
}
