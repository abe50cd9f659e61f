//! Describing a trace: measurements of all ranks and facts → page.

use super::description::{Description, RankSummary};
use super::facts::Facts;
use super::measure::Measurements;
use super::{detect, summarize};
use crate::collective::Stragglers;
use crate::dataset::Recording;
use crate::exec::batches::Batches;
use crate::exec::memory::Task;
use crate::{Result, Trace, TraceSet};

/// The name of the question, in messages and partial results.
pub(super) const NAME: &str = "describe";

/// Working memory per row, in bytes: intervals of device work, twice while they are merged.
const BYTES_PER_ROW: usize = 32;

impl TraceSet {
    /// Describes the trace on one page: span, ranks, iterations, how busy the devices are, top operators and kernels, and
    /// findings. Makes one pass over the rows of each rank, as many ranks in parallel as fit the memory budget.
    ///
    /// # Errors
    /// If one rank alone does not fit the memory budget, or polars refuses, which no loaded trace should cause.
    ///
    /// # Example
    /// ```
    /// use trace::prelude::*;
    ///
    /// # fn main() -> trace::Result<()> {
    /// let json = r#"{"distributedInfo": {"rank": 0, "world_size": 1}, "traceEvents": [
    ///     {"ph": "X", "cat": "user_annotation", "name": "ProfilerStep#1", "pid": 1, "tid": 1, "ts": 0, "dur": 100},
    ///     {"ph": "X", "cat": "cuda_runtime", "name": "cudaLaunchKernel", "pid": 1, "tid": 1, "ts": 5, "dur": 2, "args": {"correlation": 7}},
    ///     {"ph": "X", "cat": "kernel", "name": "gemm", "pid": 0, "tid": 7, "ts": 20, "dur": 30, "args": {"stream": 7, "correlation": 7}}
    /// ]}"#;
    /// let page = TraceSet::from_bytes(json)?.describe()?;
    /// assert_eq!(page.span_ns, 100_000);
    /// assert_eq!(page.ranks[0].device.map(|device| device.busy_ns), Some(30_000));
    /// assert_eq!(page.kernels[0].name, "gemm");
    /// assert_eq!(page.findings[0].what(), "rank 0 recorded no CPU operator");
    /// # Ok(())
    /// # }
    /// ```
    pub fn describe(&self) -> Result<Description> {
        if self.elsewhere().is_some() {
            return self.describe_elsewhere();
        }
        let batches = Batches::within(self.budget()?, Task::Answer(NAME));
        let columns = Measurements::columns();
        let need = |trace: &Trace| trace.bytes_needed_of(&columns, BYTES_PER_ROW);
        let merge = |mut one: Measurements, other| {
            one.merge(other);
            Ok(one)
        };
        let measured = batches.merged(self.traces(), need, |trace| Measurements::of(trace, self.compat()), merge)?;
        let (label, compat, warnings) = (self.label(), self.compat(), self.warnings());
        Ok(Facts { label, compat, ranks: &self.info(), warnings }.described(measured.unwrap_or_default()))
    }
}

impl Facts<'_> {
    pub(super) fn described(&self, measured: Measurements) -> Description {
        let info = self.ranks;
        let first = info.iter().map(|info| info.first_ts).min().unwrap_or(0);
        let last = info.iter().map(|info| info.last_end).max().unwrap_or(0);
        let ranks = info.iter().map(|info| RankSummary {
            rank: info.rank,
            file: info.file.clone(),
            events: info.events,
            start_ns: info.first_ts.saturating_sub(first),
            span_ns: info.span(),
            iterations: info.iterations.clone(),
            streams: info.streams.clone(),
            device_type: info.device().to_owned(),
            device: measured.ranks.get(&info.rank).and_then(|measured| measured.device),
        });
        let recording = Recording::of_ranks(info);
        Description {
            label: self.label.to_owned(),
            compat: self.compat,
            events: info.iter().map(|info| info.events).sum(),
            span_ns: last.saturating_sub(first),
            world_size: recording.world_size,
            devices: recording.devices,
            profiler_flags: recording.flags,
            ranks: ranks.collect(),
            iterations: summarize::iterations(&measured.ranks),
            stragglers: Stragglers::of(&measured.collectives, measured.ranks.len()),
            findings: detect::findings(self, &measured.ranks),
            operators: summarize::operators(measured.operators),
            kernels: summarize::kernels(measured.kernels),
        }
    }
}
