//! Queue lengths: launches that have not started on their stream yet.

use crate::exec::checkpoint::cancellable;
use crate::frame::columns::*;
use crate::frame::{IntColumn, once_per_text, value_of};
use crate::{Compat, Result};
use polars::prelude::{Categorical32Type, DataFrame};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Runtime calls that enqueue one kernel, copy or fill.
const LAUNCHES: &[&str] = &[
    "cudaLaunchKernel",
    "cudaLaunchKernelExC",
    "cuLaunchKernel",
    "cuLaunchKernelEx",
    "cudaMemcpyAsync",
    "cudaMemsetAsync",
    "runFunction - job_prep_and_submit_for_execution",
    "hipLaunchKernel",
    "hipExtModuleLaunchKernel",
    "hipMemsetAsync",
    "hipMemcpyAsync",
    "hipMemcpyWithStream",
];

/// The length of a stream's queue from one moment on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct QueuePoint {
    /// Position in `traceEvents` of the event that changes it: a launch or a kernel.
    pub index: i64,
    /// The moment, in ns on the clock of the trace.
    pub ts: i64,
    /// Process of the kernel.
    pub pid: Option<i64>,
    /// Thread of the kernel.
    pub tid: Option<i64>,
    /// Number of launched kernels that have not started.
    pub length: i64,
}

/// The queues of one rank.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Queues {
    /// The points of each stream, by time.
    pub streams: BTreeMap<i64, Vec<QueuePoint>>,
    /// Number of launches and kernels that could not be paired, since several share a correlation id.
    pub unpaired: usize,
}

/// A launch or a kernel: one endpoint of a correlation.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Endpoint {
    correlation: i64,
    /// Its index in `rows`.
    position: u32,
}

/// Computes the queue lengths from `rows` of `events`; ties are resolved in the order of `rows`.
///
/// ```text
/// CPU         |launch a| |launch b|
/// stream 7           |---- a ----||-- b --|
/// length      1      0   1        0          a kernel leaves the queue when it starts
/// ```
///
/// A launch of several kernels (a graph) enqueues all of them. Several launches with one correlation id are paired with
/// their kernels in order. At the same moment launches count before kernels.
///
/// # Errors
/// If a column is missing.
pub fn queue_lengths(events: &DataFrame, rows: &[u32], compat: Compat) -> Result<Queues> {
    let columns = Columns::of(events)?;
    let (mut launches, mut kernels) = columns.endpoints(events, rows, compat)?;
    // By id, then in the order of `rows`.
    launches.sort_unstable();
    kernels.sort_unstable();
    let (mut pairs, unpaired) = paired(&launches, &kernels);

    // Launches in the order of `rows`, then kernels; the stable sort by time keeps that order.
    pairs.sort_unstable();
    let row = |position: u32| rows[position as usize] as usize;
    let mut changes: Vec<Change> =
        pairs.iter().filter_map(|&(launch, kernel)| columns.change(row(launch), row(kernel), 1)).collect();
    pairs.sort_unstable_by_key(|&(_, kernel)| kernel);
    changes.extend(pairs.iter().filter_map(|&(_, kernel)| columns.change(row(kernel), row(kernel), -1)));
    changes.sort_by_key(|change| (change.stream, change.point.ts));

    let mut streams: BTreeMap<i64, Vec<QueuePoint>> = BTreeMap::new();
    for same in changes.chunk_by(|one, other| one.stream == other.stream) {
        let mut length = 0;
        let points = same.iter().map(|change| {
            length += change.point.length;
            QueuePoint { length, ..change.point }
        });
        streams.insert(same[0].stream, points.collect());
    }
    Ok(Queues { streams, unpaired })
}

/// Pairs launches with kernels, both sorted: returns the positions of each pair, and the number of unpaired endpoints.
fn paired(launches: &[Endpoint], kernels: &[Endpoint]) -> (Vec<(u32, u32)>, usize) {
    let (mut pairs, mut unpaired, mut from) = (Vec::with_capacity(launches.len()), 0, 0);
    for same in cancellable(launches.chunk_by(|one, other| one.correlation == other.correlation)) {
        let id = same[0].correlation;
        from += kernels[from..].partition_point(|kernel| kernel.correlation < id);
        let count = kernels[from..].partition_point(|kernel| kernel.correlation == id);
        let started = &kernels[from..from + count];
        match same {
            [launch] => pairs.extend(started.iter().map(|kernel| (launch.position, kernel.position))),
            several => {
                pairs.extend(several.iter().zip(started).map(|(launch, kernel)| (launch.position, kernel.position)));
                unpaired += several.len().abs_diff(started.len());
            }
        }
    }
    (pairs, unpaired)
}

/// A change of a queue's length; `point.length` is the difference.
struct Change {
    stream: i64,
    point: QueuePoint,
}

struct Columns {
    index: IntColumn,
    ts: IntColumn,
    pid: IntColumn,
    tid: IntColumn,
    stream: IntColumn,
    correlation: IntColumn,
    partner: IntColumn,
}

impl Columns {
    fn of(events: &DataFrame) -> Result<Self> {
        let int = |name: &str| IntColumn::of(events, name);
        Ok(Self {
            index: int(INDEX)?,
            ts: int(TS)?,
            pid: int(PID)?,
            tid: int(TID)?,
            stream: int(STREAM)?,
            correlation: int(CORRELATION)?,
            partner: int(INDEX_CORRELATION)?,
        })
    }

    /// Collects the launches that have a kernel, and the events with a stream and a correlation id.
    fn endpoints(&self, events: &DataFrame, rows: &[u32], compat: Compat) -> Result<(Vec<Endpoint>, Vec<Endpoint>)> {
        let names = events.column(NAME)?.as_materialized_series().rechunk();
        let names = names.cat::<Categorical32Type>()?.clone();
        let mut is_launch = once_per_text(names.get_mapping(), |name| LAUNCHES.contains(&name));
        let names = names.physical().downcast_as_array();
        let (mut launches, mut kernels) = (Vec::new(), Vec::new());
        for (position, &row) in cancellable(rows).enumerate() {
            let row = row as usize;
            let Some(correlation) = self.correlation.get(row) else { continue };
            let endpoint = Endpoint { correlation, position: position as u32 };
            if is_launch(value_of(names, row).unwrap_or_default()) {
                // Differs from HTA: it treats a kernel at position 0 as missing.
                let none = if compat == Compat::Hta { 0 } else { -1 };
                if self.partner.get(row).is_some_and(|partner| partner > none) {
                    launches.push(endpoint);
                }
            } else if self.stream.get(row).is_some() {
                kernels.push(endpoint);
            }
        }
        Ok((launches, kernels))
    }

    /// Returns the change that the event at `row` makes to the stream of `kernel`.
    fn change(&self, row: usize, kernel: usize, length: i64) -> Option<Change> {
        let point = QueuePoint {
            index: self.index.get(row)?,
            ts: self.ts.get(row)?,
            pid: self.pid.get(kernel),
            tid: self.tid.get(kernel),
            length,
        };
        Some(Change { stream: self.stream.get(kernel)?, point })
    }
}
