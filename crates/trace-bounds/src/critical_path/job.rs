//! The causal graph of the ranks of a job, and what its numbers mean.

use super::recording::recording;
use super::short_runs::ShortRuns;
use super::windows::Chosen;
use crate::exec::checkpoint;
use crate::exec::context::Inherited;
use crate::exec::fork_join::join;
use crate::frame::RankEvents;
use crate::{Compat, Error, Trace};
use causal::{Check, Graph, Stopped, Stream, Window};

/// The graph of a job. Ranks are numbered as they were given; rows are positions among the events of a rank.
pub(super) struct Job {
    pub(super) graph: Graph,
    /// By rank its threads and streams.
    pub(super) tracks: Vec<Tracks>,
    /// By rank its events.
    pub(super) rows: Vec<RankEvents>,
    /// By rank its runs of short kernels; empty unless they were asked for.
    pub(super) short_runs: Vec<ShortRuns>,
}

/// What the numbers of threads and streams of a rank mean.
#[derive(Debug, Default)]
pub(super) struct Tracks {
    /// Process and thread by number.
    pub(super) threads: Vec<(Option<i64>, Option<i64>)>,
    /// Device and stream by number.
    pub(super) streams: Vec<Stream>,
}

impl Tracks {
    /// Returns a chosen window of a rank, which is at this place among the ranks of the graph.
    pub(super) fn window(&self, rank: usize, chosen: &Chosen) -> Window {
        let thread = chosen.thread.and_then(|thread| self.threads.iter().position(|known| *known == thread));
        let thread = thread.and_then(|thread| u32::try_from(thread).ok());
        Window { rank: u32::try_from(rank).unwrap_or(u32::MAX), thread, start: chosen.start, end: chosen.end }
    }
}

impl Job {
    /// Builds the graph of ranks; `loads_data` tells by name which events of the CPU load data. The graph ends where replays of `windows`
    /// do not need it any more; without windows it is whole. Runs of short kernels are found meanwhile, if `finds_runs`.
    ///
    /// # Errors
    /// [`Error::Interrupted`] if the call is cancelled; if the events of a rank cannot be read.
    pub(super) fn of(
        traces: &[&Trace],
        compat: Compat,
        loads_data: impl Fn(&str) -> bool,
        windows: impl FnOnce(&[Tracks], &[RankEvents]) -> crate::Result<Vec<Window>>,
        finds_runs: bool,
    ) -> crate::Result<Self> {
        let (mut ranks, mut tracks, mut rows) = (Vec::new(), Vec::new(), Vec::new());
        for trace in traces {
            let (recording, of_rank) = checkpoint::guarded(|| recording(trace, compat, traces.len(), &loads_data))?;
            tracks.push(Tracks { threads: recording.threads, streams: recording.events.streams.clone() });
            ranks.push(recording.events);
            rows.push(of_rank);
        }
        let windows = windows(&tracks, &rows)?;
        let build = || unless_cancelled(|check| Graph::build_for(ranks, &windows, check));
        let find = || checkpoint::guarded(|| Ok(rows.iter().filter(|_| finds_runs).map(ShortRuns::of).collect()));
        let concurrently = finds_runs && Inherited::here().threads() > 1;
        let (graph, short_runs) = join(concurrently, build, find);
        let (graph, short_runs) = (graph?, short_runs?);
        Ok(Self { graph, tracks, rows, short_runs })
    }
}

/// Runs `work` of the graph, which checks now and then whether the call is cancelled.
///
/// # Errors
/// [`Error::Interrupted`] if it is.
pub(super) fn unless_cancelled<T>(work: impl FnOnce(&mut Check<'_>) -> Result<T, Stopped>) -> crate::Result<T> {
    work(&mut || checkpoint::check().map_err(|_| Stopped)).map_err(|Stopped| Error::Interrupted)
}
