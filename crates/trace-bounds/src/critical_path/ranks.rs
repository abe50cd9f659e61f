//! The ranks of an answer: those that are asked for, and others for their collectives as far as memory has room.

use super::job::{Job, Tracks};
use super::query::CriticalPath;
use super::short_runs::{SHORT_RUN, ShortRuns};
use super::windows::{RankWindows, windows};
use crate::exec::memory::Task;
use crate::frame::RankEvents;
use crate::{Error, Result, Trace, TraceSet};
use causal::{Graph, Window};
use foldhash::HashMap;
use std::sync::OnceLock;

/// Working memory for each event of a rank, in bytes: its columns for the names, the input of the graph, the graph, and a replay.
const BYTES_PER_EVENT: usize = 240;
/// The name of the task in the message that refuses it.
const TASK: Task<'static> = Task::Answer("critical_path");

/// A rank of the graph.
pub(super) struct LoadedRank {
    pub(super) trace: Trace,
    pub(super) rows: RankEvents,
    pub(super) tracks: Tracks,
    /// The windows of the question; `None` if the rank is not asked for, or has no such annotation.
    pub(super) windows: Option<RankWindows>,
    short_runs: OnceLock<ShortRuns>,
}

impl LoadedRank {
    /// Returns the runs of short kernels, found at the first call.
    pub(super) fn short_runs(&self) -> &ShortRuns {
        self.short_runs.get_or_init(|| ShortRuns::of(&self.rows))
    }
}

/// The graph of a question.
pub(super) struct Loaded {
    pub(super) graph: Graph,
    pub(super) ranks: Vec<LoadedRank>,
    pub(super) notes: Vec<String>,
}

/// The extent of a graph.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Extent {
    /// The whole recordings.
    Whole,
    /// The windows of the question: their paths and their replays are those of the whole recordings.
    Windows,
}

/// Loads the ranks and builds their graph.
///
/// # Errors
/// If a rank or an instance does not exist, or the ranks that are asked for do not fit the memory budget.
pub(super) fn load(traces: &TraceSet, asked: &[i64], query: &CriticalPath, extent: Extent) -> Result<Loaded> {
    if asked.is_empty() {
        return Err(Error::NoRankSelected { label: traces.label().to_owned(), available: traces.ranks() });
    }
    for &rank in asked {
        traces.rank(rank)?;
    }
    let budget = traces.budget()?;
    let need = |trace: &Trace| trace.bytes_needed(BYTES_PER_EVENT);
    let (wanted, others): (Vec<&Trace>, Vec<&Trace>) =
        traces.traces().iter().partition(|trace| asked.contains(&trace.rank()));
    let mut needed = wanted.iter().map(|trace| need(trace)).fold(0, usize::saturating_add);
    budget.check(TASK, needed)?;
    // Half of what is left stays free for what the reader does next.
    let room = usize::try_from(budget.left() / 2).unwrap_or(usize::MAX);
    let (mut used, mut others_used, mut left_out) = (wanted, Vec::new(), Vec::new());
    for trace in others {
        let with_it = needed.saturating_add(need(trace));
        if with_it <= room {
            needed = with_it;
            used.push(trace);
            others_used.push(trace.rank());
        } else {
            left_out.push(trace.rank());
        }
    }
    used.sort_by_key(|trace| trace.rank());
    let finds_runs = query.changes.iter().any(|change| change.condition().names_column(SHORT_RUN));
    let mut by_rank = Vec::with_capacity(used.len());
    let ends = |tracks: &[Tracks], rows: &[RankEvents]| {
        for (trace, rows) in used.iter().zip(rows) {
            let is_asked = asked.contains(&trace.rank());
            by_rank.push(if is_asked { windows(rows, trace.rank(), query)? } else { None });
        }
        let of_rank = |(index, (tracks, of)): (usize, (&Tracks, &Option<RankWindows>))| -> Vec<Window> {
            of.iter().flat_map(|of| &of.windows).map(|of| tracks.window(index, of)).collect()
        };
        Ok(match extent {
            Extent::Whole => Vec::new(),
            Extent::Windows => tracks.iter().zip(&by_rank).enumerate().flat_map(of_rank).collect(),
        })
    };
    let job = Job::of(&used, traces.compat(), |name| query.loads_data(name), ends, finds_runs)?;
    let mut found = job.short_runs.into_iter();
    let mut short_runs = || found.next().map_or_else(OnceLock::new, OnceLock::from);
    let ranks = used.into_iter().zip(job.tracks).zip(job.rows.into_iter().zip(by_rank));
    let ranks = ranks.map(|((trace, tracks), (rows, windows))| LoadedRank {
        trace: trace.clone(),
        rows,
        tracks,
        windows,
        short_runs: short_runs(),
    });
    let ranks = ranks.collect();
    let mut notes = Vec::new();
    if !others_used.is_empty() {
        let are = if others_used.len() == 1 { "counts" } else { "count" };
        let named = trace_view::format::ranges(&others_used);
        notes.push(format!("Rank{} {named} {are} for collectives.", if others_used.len() == 1 { "" } else { "s" }));
    }
    if !left_out.is_empty() {
        notes.push(format!(
            "The memory budget has no room for {}: where a collective waited for them, that is waiting_for_rank.",
            trace_view::format::numbered("rank", &left_out)
        ));
    }
    Ok(Loaded { graph: job.graph, ranks, notes })
}

/// Names of events, each once; an answer outlives its traces.
#[derive(Debug, Default)]
pub(super) struct Names {
    pub(super) texts: Vec<String>,
    indices: HashMap<u32, u32>,
}

impl Names {
    /// Returns the place of a name, by its code.
    pub(super) fn of(&mut self, rank: &LoadedRank, code: u32) -> u32 {
        let next = u32::try_from(self.texts.len()).unwrap_or(u32::MAX);
        *self.indices.entry(code).or_insert_with(|| {
            self.texts.push(rank.rows.text(code).to_owned());
            next
        })
    }

    /// Returns a name that has a place, by its code.
    pub(super) fn known(&self, code: u32) -> Option<&str> {
        self.texts.get(*self.indices.get(&code)? as usize).map(String::as_str)
    }
}
