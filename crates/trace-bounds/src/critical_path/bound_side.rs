//! Bounds of the windows of one run, by class of time.

use super::answer::{BoundWindow, CriticalPathAnswer, added, diagnosis};
use super::query::CriticalPath;
use super::ranks::{Extent, Loaded, load};
use super::solve::{asked, chosen};
use crate::exec::checkpoint::{self, guarded};
use crate::{Result, TraceSet};
use causal::BoundBy;

/// What bounds the windows of one run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct BoundSide {
    /// Number of windows.
    pub windows: usize,
    /// Their lengths together, in ns.
    pub ns: i64,
    /// Their time by what bounds it, in ns; it adds up to their length.
    pub shares: Vec<(BoundBy, i64)>,
}

impl BoundSide {
    /// Of an answer.
    pub(crate) fn of(answer: &CriticalPathAnswer) -> Self {
        Self {
            windows: answer.windows().len(),
            ns: answer.windows().iter().map(BoundWindow::duration_ns).sum(),
            shares: answer.shares(),
        }
    }

    /// Answers a question by class of time alone: no names and operators, no changes, no replay.
    ///
    /// # Errors
    /// As [`TraceSet::critical_path`].
    pub(crate) fn asked(traces: &TraceSet, query: &CriticalPath) -> Result<Self> {
        guarded(|| {
            let asked = asked(traces, query);
            let Loaded { graph, ranks, .. } = load(traces, &asked, query, Extent::Windows)?;
            let (chosen, _) = chosen(&ranks, &asked, &graph, traces.label(), query)?;
            let mut segments = Vec::new();
            for (_, window, _) in &chosen {
                checkpoint::check()?;
                segments.extend(added(graph.path(window).iter().map(|part| (part.bound_by, part.duration()))));
            }
            Ok(Self {
                windows: chosen.len(),
                ns: chosen.iter().map(|(.., of)| of.end - of.start).sum(),
                shares: added(segments.into_iter()),
            })
        })
    }

    /// What bounds the windows: `host-bound`, `GPU-bound`, `communication-bound`, …
    pub(crate) fn diagnosis(&self) -> &'static str {
        diagnosis(&self.shares)
    }

    /// A time of all windows, as that of a step.
    pub(crate) fn a_step(&self, ns: i64) -> i64 {
        ns / self.windows.max(1) as i64
    }
}
