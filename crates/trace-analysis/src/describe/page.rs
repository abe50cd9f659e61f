//! Describing a trace: measurements of all ranks and facts → page.

use super::description::{Description, RankSummary};
use super::erased::{NAME, describe_elsewhere};
use super::facts::Facts;
use super::measure::Measurements;
use super::{detect, summarize};
use crate::collective::Stragglers;
use crate::dataset::Recording;
use crate::exec::batches::Batches;
use crate::exec::memory::Task;
use crate::{FoundSteps, Result, Trace, TraceSet};

/// Answers [`Questions::describe`](crate::Questions::describe).
///
/// # Errors
/// As there.
pub fn describe(traces: &TraceSet) -> Result<Description> {
    if traces.elsewhere().is_some() {
        return describe_elsewhere(traces);
    }
    let batches = Batches::within(traces.budget()?, Task::Answer(NAME));
    let need = |trace: &Trace| Measurements::bytes_needed(trace);
    let merge = |mut one: Measurements, other| {
        one.merge(other);
        Ok(one)
    };
    let measured = batches.merged(traces.traces(), need, |trace| Measurements::of(trace, traces.compat()), merge)?;
    let (label, compat, warnings) = (traces.label(), traces.compat(), traces.warnings());
    let calls = FoundSteps::proposed(traces)?;
    Facts { label, compat, ranks: &traces.info(), warnings, calls }.described(measured.unwrap_or_default())
}

impl Facts<'_> {
    pub(super) fn described(&self, measured: Measurements) -> Result<Description> {
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
        Ok(Description {
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
            headlines: measured.headlines.finish()?,
            operators: summarize::operators(measured.operators),
            kernels: summarize::kernels(measured.kernels, self.compat),
        })
    }
}
