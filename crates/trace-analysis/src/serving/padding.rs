//! Padding of graphs: the batch for which a graph was captured, against the batch that it runs.

use super::rank_steps::Capture;
use super::windows::TimedStep;
use crate::{CapturedGraph, ServedPhase};
use std::collections::BTreeSet;

/// Padding of the graphs of a phase.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Padding {
    /// Number of steps whose graph is known.
    pub steps: usize,
    /// Requests, or tokens, that they ran.
    pub run: u64,
    /// Requests, or tokens, for which their graphs were captured.
    pub captured: u64,
}

impl Padding {
    /// Returns the share of the captured batches that ran nothing, from 0 to 100; `None` without a known graph.
    pub fn percent(&self) -> Option<f64> {
        let padded = self.captured.saturating_sub(self.run);
        (self.captured > 0).then(|| 100.0 * padded as f64 / self.captured as f64)
    }

    /// Sums up the steps of a phase.
    pub(super) fn of<'s>(steps: impl Iterator<Item = &'s TimedStep>) -> Self {
        let mut padding = Self::default();
        for step in steps {
            let Some((run, captured)) = batch(step).zip(step.graph_size) else { continue };
            padding.steps += 1;
            padding.run = padding.run.saturating_add(run);
            padding.captured = padding.captured.saturating_add(captured);
        }
        padding
    }
}

/// Returns what a step runs, in what sizes of graphs count.
fn batch(step: &TimedStep) -> Option<u64> {
    step.served?.batch()
}

/// Completes the sizes of graphs by captures: a step that launches graphs runs that of the least size that suffices, as servers do.
pub(super) fn complete(steps: &mut [TimedStep], captures: &BTreeSet<Capture>) {
    for step in steps.iter_mut().filter(|step| step.graph_size.is_none() && step.graph_launches > 0) {
        let Some(batch) = batch(step).filter(|&batch| batch > 0) else { continue };
        let is_decode = step.phase() == ServedPhase::Decode;
        let runs = |(size, kind): &&Capture| {
            let graph = CapturedGraph { size: *size, kind };
            *size >= batch && if is_decode { graph.runs_decode() } else { graph.runs_prefill() }
        };
        // Ascending by size.
        step.graph_size = captures.iter().find(runs).map(|(size, _)| *size);
    }
}
