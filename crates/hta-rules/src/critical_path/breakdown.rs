//! Breakdown of a path by the class of its edges: rows by edge, and sums by class.

use super::{EdgeKind, Frame, Graph, Path};
use std::collections::HashMap;
use std::fmt;

/// The class of an edge of the path, as HTA names it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Bound {
    /// Nothing: an edge without time.
    Nothing,
    /// Operators and calls of the CPU.
    Cpu,
    /// Loading of data.
    DataLoading,
    /// Kernels that communicate.
    Communication,
    /// All other kernels, copies too.
    Compute,
    /// Gaps between kernels.
    KernelKernel,
    /// Delays of launches.
    KernelLaunch,
}

impl Bound {
    /// Returns HTA's word.
    pub fn word(self) -> &'static str {
        match self {
            Self::Nothing => "",
            Self::Cpu => "cpu_bound",
            Self::DataLoading => "data_loading",
            Self::Communication => "gpu_communication_bound",
            Self::Compute => "gpu_compute_bound",
            Self::KernelKernel => "gpu_kernel_kernel_overhead",
            Self::KernelLaunch => "gpu_kernel_launch_overhead",
        }
    }
}

impl fmt::Display for Bound {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.word())
    }
}

/// An edge of the path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct EdgeRow {
    /// Number of the edge.
    pub edge: u32,
    /// The kind of dependency between its nodes.
    pub kind: EdgeKind,
    /// Its length, in ns; negative where clocks disagree.
    pub duration: i64,
    /// Index of the event that its time is attributed to.
    pub event: Option<i64>,
    /// Place of that event in the frame.
    pub position: Option<usize>,
    /// What bounds it.
    pub bound_by: Bound,
}

/// The share of what bounds the path.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Share {
    /// What bounds it.
    pub bound_by: Bound,
    /// Sum of durations, in ns.
    pub duration: i64,
    /// Percent of the path's length; beyond 0 to 100 where clocks disagree, not a number for a path without length.
    pub percent: f64,
}

impl Graph {
    /// Returns the edges of a path, along it.
    ///
    /// Differs from HTA in the order only, where it is arbitrary.
    pub fn breakdown<F: Frame>(&self, frame: &F, path: &Path) -> Vec<EdgeRow> {
        let mut bounds: HashMap<(u32, bool), Bound> = HashMap::new();
        let row = |&number: &u32| {
            let edge = &self.edges[number as usize];
            let position = edge.event.and_then(|event| frame.position(event));
            let bound_by = match edge.kind {
                EdgeKind::Dependency | EdgeKind::SyncDependency => Bound::Nothing,
                EdgeKind::KernelKernelDelay => Bound::KernelKernel,
                EdgeKind::KernelLaunchDelay => Bound::KernelLaunch,
                EdgeKind::Operator => position.map_or(Bound::Cpu, |position| {
                    let row = frame.row(position);
                    let key = (row.name, row.stream >= 0);
                    *bounds.entry(key).or_insert_with(|| bound_of(frame, row.name, row.stream >= 0))
                }),
            };
            EdgeRow { edge: number, kind: edge.kind, duration: edge.weight, event: edge.event, position, bound_by }
        };
        path.edges.iter().map(row).collect()
    }
}

impl Share {
    /// Sums up edges by what bounds them, ascending by HTA's words.
    pub fn of(edges: &[EdgeRow]) -> Vec<Self> {
        let mut sums: Vec<(Bound, i64)> = Vec::new();
        for edge in edges {
            match sums.iter_mut().find(|sum| sum.0 == edge.bound_by) {
                Some(sum) => sum.1 = sum.1.saturating_add(edge.duration),
                None => sums.push((edge.bound_by, edge.duration)),
            }
        }
        sums.sort_unstable();
        let whole: i64 = edges.iter().fold(0, |sum, edge| sum.saturating_add(edge.duration));
        let share = |(bound_by, duration)| Self { bound_by, duration, percent: duration as f64 / whole as f64 * 100.0 };
        sums.into_iter().map(share).collect()
    }
}

/// Returns what time of an event with this name is bound by.
fn bound_of(frame: &impl Frame, name: u32, is_on_gpu: bool) -> Bound {
    match is_on_gpu {
        false if frame.counts_as_loading(name) => Bound::DataLoading,
        false => Bound::Cpu,
        true if is_communication(&frame.short_name(name)) => Bound::Communication,
        true => Bound::Compute,
    }
}

/// Whether a short name is that of communication; to HTA every name that starts with `hip` is.
fn is_communication(short_name: &str) -> bool {
    ["nccl", "hip", "hccl"].iter().any(|start| short_name.starts_with(start)) || short_name.contains("ncclKernel")
}
