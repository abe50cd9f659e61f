//! Questions that one loaded trace answers by itself, as methods of it.

use crate::hta::HtaCriticalPath;
use crate::{
    Analysis, Answer, CallGraph, CallStack, CriticalPath, CriticalPathAnswer, Description, Result, Serving,
    ServingAnswer, TraceAnalysis, TraceSet,
};
use polars::prelude::DataFrame;
use std::path::Path;

/// Methods of a loaded trace that answer questions about it, without a second trace.
pub trait Questions {
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
    fn describe(&self) -> Result<Description>;

    /// Analyses the trace without its last profiler step: `traces.ask(&TemporalBreakdown::default())`.
    ///
    /// # Errors
    /// As [`TraceAnalysis::ask`].
    fn ask<A: Analysis>(&self, analysis: &A) -> Result<Answer>;

    /// Finds what bounds windows of the recording, as [`critical_path`](crate::critical_path::critical_path) does.
    ///
    /// # Errors
    /// As there.
    fn critical_path(&self, query: &CriticalPath) -> Result<CriticalPathAnswer>;

    /// Finds the steps of an inference server by its annotations: requests, tokens, phases, times, and what the GPU did, as
    /// [`Serving::run`] does.
    ///
    /// # Errors
    /// As there.
    fn serving(&self, query: &Serving) -> Result<ServingAnswer>;

    /// Finds the critical paths of ranks as HTA does, without the last profiler step, and makes tables of them: the summary, `by_name`,
    /// `path`, and `edges` if they are wanted. With a folder, copies of the trace files over which the paths are drawn.
    ///
    /// # Errors
    /// As [`TraceAnalysis::critical_path_analysis`] and [`HtaPath::overlay`](crate::HtaPath::overlay).
    fn critical_paths_as_hta(
        &self,
        query: &HtaCriticalPath,
        ranks: Option<&[i64]>,
        with_edges: bool,
        overlay: Option<&Path>,
    ) -> Result<Answer>;

    /// Returns the call graph of all rows, as [`TraceAnalysis::call_graph`] does; times are on the clock of the trace.
    ///
    /// # Errors
    /// As [`TraceAnalysis::call_graph`].
    fn call_graph(&self, query: &CallGraph) -> Result<DataFrame>;

    /// Returns the stack of an event among all rows, as [`TraceAnalysis::call_stack`] does; times are on the clock of the trace.
    ///
    /// # Errors
    /// As [`TraceAnalysis::call_stack`].
    fn call_stack(&self, query: &CallStack) -> Result<DataFrame>;

    /// Returns parents and depths of HTA's older call graph, in the order of the events of these ranks, by default of all: of an
    /// outermost call −1 and 0, of a GPU event its launch and −1, by HTA's rules whatever the compatibility mode.
    ///
    /// # Columns
    /// `rank`, `index`, `parent`, `depth`; null on threads that are neither of the CPU nor of the GPU.
    ///
    /// # Errors
    /// If a rank does not exist.
    ///
    /// # Source
    /// HTA `hta.common.call_stack.CallGraph`.
    fn older_call_graph(&self, ranks: Option<&[i64]>) -> Result<DataFrame>;
}

impl Questions for TraceSet {
    fn describe(&self) -> Result<Description> {
        crate::describe::describe(self)
    }

    fn ask<A: Analysis>(&self, analysis: &A) -> Result<Answer> {
        TraceAnalysis::new(self)?.ask(analysis)
    }

    fn critical_path(&self, query: &CriticalPath) -> Result<CriticalPathAnswer> {
        crate::critical_path::critical_path(self, query)
    }

    fn serving(&self, query: &Serving) -> Result<ServingAnswer> {
        query.run(self)
    }

    fn critical_paths_as_hta(
        &self,
        query: &HtaCriticalPath,
        ranks: Option<&[i64]>,
        with_edges: bool,
        overlay: Option<&Path>,
    ) -> Result<Answer> {
        crate::hta::critical_paths_as_hta(self, query, ranks, with_edges, overlay)
    }

    fn call_graph(&self, query: &CallGraph) -> Result<DataFrame> {
        crate::call_graph::call_graph(self, query)
    }

    fn call_stack(&self, query: &CallStack) -> Result<DataFrame> {
        crate::call_graph::call_stack(self, query)
    }

    fn older_call_graph(&self, ranks: Option<&[i64]>) -> Result<DataFrame> {
        crate::call_graph::older_call_graph(self, ranks)
    }
}
