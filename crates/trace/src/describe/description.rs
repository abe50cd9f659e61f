//! What the page says, as plain data.

use super::detect;
use super::finding::Finding;
use super::measure::{Measured, Total};
use crate::dataset::Recording;
use crate::domain::KernelType;
use crate::exec::checkpoint::{self, Inherited, guarded};
use crate::exec::memory::{Budget, Task};
use crate::frame::columns::NAME;
use crate::{Compat, Result, TraceSet};
use polars::prelude::Categorical32Type;
use rayon::prelude::*;
use serde::Serialize;
use std::collections::BTreeMap;

/// Working memory for each row, in bytes: stretches of device work, twice while they are merged.
const BYTES_PER_ROW: usize = 32;

/// An overview of a loaded trace, over all its rows: the last iteration counts too, unlike in the questions of
/// [`TraceAnalysis`](crate::TraceAnalysis). All times are whole nanoseconds.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Description {
    /// The label of the trace.
    pub label: String,
    /// How it was loaded.
    pub compat: Compat,
    /// Rows of all ranks.
    pub events: usize,
    /// From the start of the first event of any rank to the end of the last.
    pub span_ns: i64,
    /// How many ranks the job had, where a file says so.
    pub world_size: Option<i64>,
    /// The devices by name, each once, where the files name them; else the kind of device.
    pub devices: Vec<String>,
    /// What the profiler was told to record besides times: `shapes`, `stacks`, `modules`, `flops`, `memory`.
    pub profiler_flags: Vec<String>,
    /// One per rank, ascending.
    pub ranks: Vec<RankSummary>,
    /// One per iteration, ascending.
    pub iterations: Vec<IterationSummary>,
    /// CPU operators of all ranks by name, the largest sum first.
    pub operators: Vec<OperatorTotal>,
    /// Kernels, copies and fills of all ranks by name, the largest sum first.
    pub kernels: Vec<KernelTotal>,
    /// What is odd, what it means, and what to do.
    pub findings: Vec<Finding>,
}

/// One rank at a glance.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct RankSummary {
    /// The rank.
    pub rank: i64,
    /// The file it was read from.
    pub file: String,
    /// Rows.
    pub events: usize,
    /// Start of its first event after the first event of all ranks.
    pub start_ns: i64,
    /// From the start of its first event to the end of its last.
    pub span_ns: i64,
    /// The numbers of its ProfilerSteps, ascending.
    pub iterations: Vec<i64>,
    /// Its GPU streams, ascending.
    pub streams: Vec<i64>,
    /// What the GPU is, told by HTA's rule.
    pub device_type: String,
    /// How busy its device is; `None` if it recorded no work.
    pub device: Option<DeviceTime>,
}

/// What a device does from the start of its first kernel, copy or fill to the end of its last. Work at the same time on
/// several streams counts once; waiting (the category `cuda_sync`) is not work.
///
/// ```text
/// stream 7   |--gemm--|       |--gemm--|         computation
/// stream 20      |---nccl---|                    communication from the end of the gemm
///            |---- busy ----|-|- busy -|         in between: idle
/// ```
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct DeviceTime {
    /// From the first start to the last end.
    pub span_ns: i64,
    /// Time in which something runs.
    pub busy_ns: i64,
    /// Time in which nothing runs.
    pub idle_ns: i64,
    /// Time in which a computation runs.
    pub computation_ns: i64,
    /// Time in which communication runs and no computation.
    pub communication_ns: i64,
    /// Time in which copies and fills run and neither of the above.
    pub memory_ns: i64,
    /// Time in which only other work runs.
    pub other_ns: i64,
}

impl DeviceTime {
    /// Share of the span that is busy, 0 to 100; `None` of an empty span.
    pub fn busy_percent(&self) -> Option<f64> {
        (self.span_ns > 0).then(|| 100.0 * self.busy_ns as f64 / self.span_ns as f64)
    }
}

/// One iteration over the ranks: durations of its ProfilerStep on the CPU.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct IterationSummary {
    /// The number.
    pub iteration: i64,
    /// How many ranks have it.
    pub ranks: usize,
    /// Mean over the ranks, rounded down.
    pub mean_ns: i64,
    /// The shortest.
    pub shortest_ns: i64,
    /// The longest.
    pub longest_ns: i64,
    /// The rank of the longest, the smallest of equals.
    pub slowest_rank: i64,
}

/// The events of one operator.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct OperatorTotal {
    /// Its name.
    pub name: String,
    /// How many.
    pub count: u64,
    /// Sum of durations, each with what the operator calls.
    pub total_ns: i64,
    /// The longest.
    pub longest_ns: i64,
}

/// The events of one kernel.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct KernelTotal {
    /// Its name.
    pub name: String,
    /// What it does.
    pub kernel_type: &'static str,
    /// How many.
    pub count: u64,
    /// Sum of durations.
    pub total_ns: i64,
    /// The longest.
    pub longest_ns: i64,
    /// Share of the sum of all kernels, 0 to 100.
    pub percent: f64,
}

impl Description {
    /// How the trace was recorded.
    pub(super) fn recording(&self) -> Recording {
        let Self { world_size, devices, profiler_flags, .. } = self;
        Recording { world_size: *world_size, devices: devices.clone(), flags: profiler_flags.clone() }
    }
}

impl TraceSet {
    /// An overview on one page: span, ranks, iterations, how busy the devices are, top operators and kernels, and what is
    /// odd. One pass over the rows of each rank, ranks side by side.
    ///
    /// # Errors
    /// If it does not fit the memory budget, or polars refuses, which no loaded trace should bring about.
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
        Budget::now()?.check(Task::Answer("describe"), self.event_count().saturating_mul(BYTES_PER_ROW))?;
        let here = Inherited::here();
        let measure = |trace| here.run(|| checkpoint::check().and_then(|()| Measured::of(trace, self.compat())));
        let measured: Vec<Measured> = guarded(|| self.traces().par_iter().map(measure).collect::<Result<_>>())?;
        let info = self.info();
        let first = info.iter().map(|info| info.first_ts).min().unwrap_or(0);
        let last = info.iter().map(|info| info.last_end).max().unwrap_or(0);
        let ranks = info.iter().zip(&measured).map(|(info, measured)| RankSummary {
            rank: info.rank,
            file: info.file.clone(),
            events: info.events,
            start_ns: info.first_ts.saturating_sub(first),
            span_ns: info.span(),
            iterations: info.iterations.clone(),
            streams: info.streams.clone(),
            device_type: info.device_type.clone(),
            device: measured.device,
        });
        let recording = Recording::of(self);
        Ok(Description {
            label: self.label().to_owned(),
            compat: self.compat(),
            events: self.event_count(),
            span_ns: last.saturating_sub(first),
            world_size: recording.world_size,
            devices: recording.devices,
            profiler_flags: recording.flags,
            ranks: ranks.collect(),
            iterations: iterations(&measured),
            operators: self.operators(&measured)?,
            kernels: self.kernels(&measured)?,
            findings: detect::findings(self, &measured),
        })
    }

    fn operators(&self, measured: &[Measured]) -> Result<Vec<OperatorTotal>> {
        let totals = self.named(measured, |measured| &measured.operators)?;
        let named = |(name, Total { count, total_ns, longest_ns })| OperatorTotal { name, count, total_ns, longest_ns };
        Ok(totals.into_iter().map(named).collect())
    }

    fn kernels(&self, measured: &[Measured]) -> Result<Vec<KernelTotal>> {
        let totals = self.named(measured, |measured| &measured.kernels)?;
        let all: i64 = totals.iter().fold(0, |sum, (_, total)| sum.saturating_add(total.total_ns));
        let named = |(name, Total { count, total_ns, longest_ns }): (String, Total)| KernelTotal {
            kernel_type: KernelType::of(&name).word(),
            percent: if all > 0 { 100.0 * total_ns as f64 / all as f64 } else { 0.0 },
            name,
            count,
            total_ns,
            longest_ns,
        };
        Ok(totals.into_iter().map(named).collect())
    }

    /// Sums over the ranks by name, the largest first, equals by name.
    fn named(&self, measured: &[Measured], of: fn(&Measured) -> &Vec<(u32, Total)>) -> Result<Vec<(String, Total)>> {
        let mut sums: BTreeMap<u32, Total> = BTreeMap::new();
        for (code, total) in measured.iter().flat_map(of) {
            sums.entry(*code).or_default().merge(*total);
        }
        // The ranks share one table of names.
        let Some(trace) = self.traces().first() else { return Ok(Vec::new()) };
        let mapping =
            trace.events.column(NAME)?.as_materialized_series().cat::<Categorical32Type>()?.get_mapping().clone();
        let mut named: Vec<(String, Total)> = sums
            .into_iter()
            .map(|(code, total)| (mapping.cat_to_str(code).unwrap_or_default().to_owned(), total))
            .collect();
        named.sort_by(|one, other| (other.1.total_ns, &one.0).cmp(&(one.1.total_ns, &other.0)));
        Ok(named)
    }
}

fn iterations(measured: &[Measured]) -> Vec<IterationSummary> {
    let mut by_number: BTreeMap<i64, Vec<(i64, i64)>> = BTreeMap::new();
    for rank in measured {
        for (&number, &(start, end)) in &rank.steps {
            by_number.entry(number).or_default().push((end.saturating_sub(start), rank.rank));
        }
    }
    let summary = |(iteration, durations): (i64, Vec<(i64, i64)>)| {
        let all = || durations.iter().map(|(duration, _)| *duration);
        let sum: i128 = all().map(i128::from).sum();
        let longest_ns = all().max().unwrap_or(0);
        IterationSummary {
            iteration,
            ranks: durations.len(),
            mean_ns: i64::try_from(sum / durations.len().max(1) as i128).unwrap_or(i64::MAX),
            shortest_ns: all().min().unwrap_or(0),
            longest_ns,
            slowest_rank: durations.iter().find(|of| of.0 == longest_ns).map_or(0, |of| of.1),
        }
    };
    by_number.into_iter().map(summary).collect()
}
