//! HTA's critical path drawn over a copy of the trace.

use super::path::HtaPath;
use crate::Result;
use crate::critical_path::overlay::{copy_of, folder_for};
use crate::write::{Anchor, Arrow, Moment, PathOverlay, TraceCopy};
use hta_rules::critical_path::{Edge, EdgeKind};
use std::collections::BTreeSet;
use std::path::Path;

/// What a copy of the trace shows of HTA's critical path.
///
/// # Source
/// HTA's parameters `only_show_critical_events` and `show_all_edges` of `TraceAnalysis.overlay_critical_path_analysis`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum HtaOverlay {
    /// Of complete events those on the path, annotations and Python functions; arrows along the path where time passes between
    /// events: dependencies, launches, synchronisations. HTA's default.
    #[default]
    Critical,
    /// All events; the same arrows.
    Marked,
    /// All events, and an arrow for every edge of the graph, but for launch edges without weight.
    EveryEdge,
}

impl HtaPath {
    /// Draws the path over a copy of the trace file, `overlaid_critical_path_…` in `folder`, which is made if it is missing: events
    /// of the path get the argument `critical`, and arrows are added. Nothing is written before [`TraceCopy::save`].
    ///
    /// Differs from HTA: times of arrows are exact where the trace has fractions of µs, and a file whose name ends in `.json` is not
    /// compressed.
    ///
    /// # Errors
    /// If `folder` is a file or cannot be made.
    ///
    /// # Source
    /// HTA `TraceAnalysis.overlay_critical_path_analysis`.
    pub fn overlay(&self, folder: &Path, mode: HtaOverlay) -> Result<TraceCopy> {
        self.drawn(folder, mode, &[])
    }

    /// Draws the path like [`Self::overlay`], under a name that no other copy has.
    pub(super) fn drawn(&self, folder: &Path, mode: HtaOverlay, others: &[TraceCopy]) -> Result<TraceCopy> {
        folder_for(folder)?;
        let on_path: BTreeSet<u32> = self.path.edges.iter().copied().collect();
        let edges = self.graph.edges();
        let arrow = |number: u32| self.arrow(&edges[number as usize], on_path.contains(&number));
        let is_drawn = |edge: &Edge| {
            use EdgeKind::{Dependency, KernelLaunchDelay, SyncDependency};
            matches!(edge.kind, Dependency | KernelLaunchDelay | SyncDependency)
        };
        let arrows: Vec<Arrow> = match mode {
            HtaOverlay::Critical | HtaOverlay::Marked => {
                self.path.edges.iter().copied().filter(|&edge| is_drawn(&edges[edge as usize])).map(arrow).collect()
            }
            HtaOverlay::EveryEdge => {
                let is_empty_launch = |edge: &Edge| edge.kind == EdgeKind::KernelLaunchDelay && edge.weight == 0;
                (0..edges.len() as u32).filter(|&edge| !is_empty_launch(&edges[edge as usize])).map(arrow).collect()
            }
        };
        let mut overlay = PathOverlay::new(arrows).only_path(mode == HtaOverlay::Critical);
        for event in self.critical_events() {
            overlay.mark(event, Vec::new());
        }
        Ok(copy_of(&self.info, overlay, folder, others))
    }

    fn arrow(&self, edge: &Edge, is_critical: bool) -> Arrow {
        let anchor = |node: u32| {
            let is_start = self.graph.nodes()[node as usize].is_start;
            Anchor { event: self.row(node).index, at: if is_start { Moment::Start } else { Moment::EndAsHta } }
        };
        let (weight, kind) = (edge.weight / 1000, edge.kind.word());
        let args = format!(r#"{{"weight": {weight}, "critical": {is_critical}, "type": "critical_path_{kind}"}}"#);
        Arrow { from: anchor(edge.begin), to: anchor(edge.end), args }
    }
}
