//! HTA's methods: each runs one analysis and returns plain data frames.

use super::{
    Analysis, Answer, AtenOpKernelsAndDelay, CommCompOverlap, CudaKernelLaunchStats, FrequentCudaKernelSequences,
    GpuKernelBreakdown, GpuKernelsWithUserAnnotations, GpuUserAnnotationBreakdown, IdleTimeBreakdown, MemoryBwSummary,
    MemoryBwTimeSeries, PotentialStragglers, ProfilerSteps, QueueLengthSummary, QueueLengthTimeSeries,
    TemporalBreakdown, TimeBlockedOnFullQueue, TraceAnalysis, TraceWithCounters,
};
use crate::Result;
use crate::write::TraceCopy;
use polars::prelude::DataFrame;
use std::collections::BTreeMap;
use std::path::PathBuf;

impl TraceAnalysis {
    /// Breaks the time of each GPU down into idle, computing and other: a row per rank that has GPU events.
    ///
    /// # Errors
    /// If polars refuses.
    pub fn get_temporal_breakdown(&self) -> Result<DataFrame> {
        Ok(pair(self.ask(&TemporalBreakdown {})?).0)
    }

    /// Returns the share of communication that overlaps computation: a row per rank.
    ///
    /// # Errors
    /// If polars refuses.
    pub fn get_comm_comp_overlap(&self) -> Result<DataFrame> {
        Ok(pair(self.ask(&CommCompOverlap {})?).0)
    }

    /// Returns GPU time by kernel type over all ranks, and the longest kernels of each rank and type.
    ///
    /// # Errors
    /// If the ratio is not between 0 and 1.
    pub fn get_gpu_kernel_breakdown(&self, analysis: &GpuKernelBreakdown) -> Result<(DataFrame, DataFrame)> {
        Ok(pair(self.ask(analysis)?))
    }

    /// Returns why the streams of a GPU were idle, and statistics of the gaps.
    ///
    /// # Errors
    /// If a rank does not exist.
    pub fn get_idle_time_breakdown(&self, analysis: &IdleTimeBreakdown) -> Result<(DataFrame, DataFrame)> {
        Ok(pair(self.ask(analysis)?))
    }

    /// Returns the memory bandwidth over time, by rank; a rank without copies has an empty frame.
    ///
    /// # Errors
    /// If a rank does not exist.
    pub fn get_memory_bw_time_series(&self, analysis: &MemoryBwTimeSeries) -> Result<BTreeMap<i64, DataFrame>> {
        Ok(self.ask(analysis)?.by_rank(""))
    }

    /// Returns statistics of the memory bandwidth: a row per rank and kind of copy.
    ///
    /// # Errors
    /// If a rank does not exist.
    pub fn get_memory_bw_summary(&self, analysis: &MemoryBwSummary) -> Result<DataFrame> {
        Ok(self.ask(analysis)?.main())
    }

    /// Returns the queue lengths over time, by rank; a rank without launches has an empty frame.
    ///
    /// # Errors
    /// If a rank does not exist.
    pub fn get_queue_length_time_series(&self, analysis: &QueueLengthTimeSeries) -> Result<BTreeMap<i64, DataFrame>> {
        Ok(self.ask(analysis)?.by_rank(""))
    }

    /// Returns statistics of the queue lengths: a row per rank and stream.
    ///
    /// # Errors
    /// If a rank does not exist.
    pub fn get_queue_length_summary(&self, analysis: &QueueLengthSummary) -> Result<DataFrame> {
        Ok(self.ask(analysis)?.main())
    }

    /// Returns how long queues were full: a row per rank and stream whose queue ever was. HTA computes this from the
    /// result of `get_queue_length_time_series`; here the trace is enough.
    ///
    /// # Errors
    /// If a rank does not exist.
    pub fn get_time_spent_blocked_on_full_queue(&self, analysis: &TimeBlockedOnFullQueue) -> Result<DataFrame> {
        Ok(self.ask(analysis)?.main())
    }

    /// Writes copies of the trace with counters, and returns their paths by rank; a rank with nothing to count has none.
    ///
    /// # Errors
    /// If a rank does not exist, its file is gone, or a copy cannot be written.
    pub fn generate_trace_with_counters(&self, analysis: &TraceWithCounters) -> Result<BTreeMap<i64, PathBuf>> {
        let answer = self.ask(analysis)?;
        let save = |copy: TraceCopy| copy.save().map(|_| (copy.rank, copy.target));
        answer.copies.into_iter().map(save).collect()
    }

    /// Returns the launches of each rank.
    ///
    /// # Errors
    /// If a rank does not exist.
    pub fn get_cuda_kernel_launch_stats(&self, analysis: &CudaKernelLaunchStats) -> Result<BTreeMap<i64, DataFrame>> {
        Ok(self.ask(analysis)?.by_rank(""))
    }

    /// Returns the kernel sequences that operators launch; writes the overlaid traces if `output_dir` is given.
    ///
    /// # Errors
    /// Without an operator, if `output_dir` is not a folder, or if a copy cannot be written.
    pub fn get_frequent_cuda_kernel_sequences(&self, analysis: &FrequentCudaKernelSequences) -> Result<DataFrame> {
        let answer = self.ask(analysis)?;
        for copy in &answer.copies {
            copy.save()?;
        }
        Ok(answer.main())
    }

    /// Returns the time by user annotation, of all ranks.
    ///
    /// # Errors
    /// If the ratio is not between 0 and 1.
    pub fn get_gpu_user_annotation_breakdown(&self, analysis: &GpuUserAnnotationBreakdown) -> Result<DataFrame> {
        Ok(self.ask(analysis)?.main())
    }

    /// Returns the GPU events of one rank, each with the user annotation around it.
    ///
    /// # Errors
    /// If the rank does not exist.
    pub fn get_gpu_kernels_with_user_annotations(
        &self,
        rank: i64,
        analysis: &GpuKernelsWithUserAnnotations,
    ) -> Result<DataFrame> {
        Ok(self.ask_ranks(analysis, Some(&[rank]))?.main())
    }

    /// Returns the kernels of each aten operator and its delays, by rank.
    ///
    /// # Errors
    /// If a rank does not exist, or `sort_by` names an unknown column.
    pub fn get_aten_op_kernels_and_delay(&self, analysis: &AtenOpKernelsAndDelay) -> Result<BTreeMap<i64, DataFrame>> {
        let answer = self.ask(analysis)?;
        if answer.tables.iter().all(|table| table.rank.is_some()) {
            return Ok(answer.by_rank(""));
        }
        // A single rank: the one that the parameters name, or the first.
        let rank = analysis.ranks().and_then(|ranks| ranks.first().copied()).or(self.ranks().first().copied());
        Ok(rank.into_iter().map(|rank| (rank, answer.main())).collect())
    }

    /// Returns the ranks that the other ranks may be waiting for, the likeliest first.
    ///
    /// # Errors
    /// If none of the steps is in the trace.
    pub fn get_potential_stragglers(&self, analysis: &PotentialStragglers) -> Result<Vec<i64>> {
        Ok(self.ask(analysis)?.main().column("rank")?.i64()?.iter().flatten().collect())
    }

    /// Returns the profiler steps that analyses see, ascending.
    ///
    /// # Errors
    /// If polars refuses.
    pub fn get_profiler_steps(&self) -> Result<Vec<i64>> {
        Ok(self.ask(&ProfilerSteps {})?.main().column("profiler_step")?.i64()?.iter().flatten().collect())
    }
}

/// The first two tables of an answer.
fn pair(answer: Answer) -> (DataFrame, DataFrame) {
    let mut frames = answer.tables.into_iter().map(|table| table.frame);
    (frames.next().unwrap_or_default(), frames.next().unwrap_or_default())
}
