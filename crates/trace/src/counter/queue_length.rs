//! How many launches wait in each stream.

use crate::exec::checkpoint::cancellable;
use crate::frame::IntColumn;
use crate::frame::columns::*;
use crate::{Compat, Result};
use hashbrown::HashMap;
use polars::prelude::{Categorical32Type, DataFrame};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Runtime calls that put one thing into a stream.
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

/// How long the queue of a stream is from one moment on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct QueuePoint {
    /// The event that changes it: a launch, or what was launched.
    pub(crate) index: i64,
    /// When, in ns of the trace's clock.
    pub(crate) ts: i64,
    /// Process and thread of what was launched.
    pub(crate) pid: Option<i64>,
    pub(crate) tid: Option<i64>,
    /// Launched and not yet begun.
    pub(crate) length: i64,
}

/// The queues of one rank.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Queues {
    /// Stream → its points, by time.
    pub(crate) streams: BTreeMap<i64, Vec<QueuePoint>>,
    /// Launches and kernels that share a correlation id with others and could not be told apart.
    pub(crate) unpaired: usize,
}

/// A launch or a kernel, by the id that ties them.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct End {
    correlation: i64,
    /// Its place among the rows that are looked at.
    place: u32,
}

/// The queues of the rows of `events`, which are looked at in this order.
///
/// ```text
/// CPU         |launch a| |launch b|
/// stream 7           |---- a ----||-- b --|
/// length      1      0   1        0          a kernel leaves the queue when it starts
/// ```
///
/// One launch with several kernels (a graph) puts all of them into their queues. Of several launches of one id the first
/// goes with the first kernel, and so on. At one moment launches count before kernels.
pub(crate) fn queue_lengths(events: &DataFrame, rows: &[u32], compat: Compat) -> Result<Queues> {
    let columns = Columns::of(events)?;
    let (mut launches, mut kernels) = columns.ends(events, rows, compat)?;
    // Ids in order, and of one id the order of the rows.
    launches.sort_unstable();
    kernels.sort_unstable();
    let (mut pairs, unpaired) = paired(&launches, &kernels);

    // Launches in the order of the rows, then kernels; sorting by time keeps that order.
    pairs.sort_unstable();
    let row = |place: u32| rows[place as usize] as usize;
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

/// Places of launch and kernel, and how many ends could not be paired.
fn paired(launches: &[End], kernels: &[End]) -> (Vec<(u32, u32)>, usize) {
    let (mut pairs, mut unpaired, mut from) = (Vec::with_capacity(launches.len()), 0, 0);
    for same in cancellable(launches.chunk_by(|one, other| one.correlation == other.correlation)) {
        let id = same[0].correlation;
        from += kernels[from..].partition_point(|kernel| kernel.correlation < id);
        let count = kernels[from..].partition_point(|kernel| kernel.correlation == id);
        let started = &kernels[from..from + count];
        match same {
            [launch] => pairs.extend(started.iter().map(|kernel| (launch.place, kernel.place))),
            several => {
                pairs.extend(several.iter().zip(started).map(|(launch, kernel)| (launch.place, kernel.place)));
                unpaired += several.len().abs_diff(started.len());
            }
        }
    }
    (pairs, unpaired)
}

/// A step up or down; `point.length` is its size.
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

    /// Launches that started something, and everything on a stream that was started by an id.
    fn ends(&self, events: &DataFrame, rows: &[u32], compat: Compat) -> Result<(Vec<End>, Vec<End>)> {
        let names = events.column(NAME)?.as_materialized_series().rechunk();
        let names = names.cat::<Categorical32Type>()?.clone();
        let mapping = names.get_mapping();
        let names = names.physical();
        let mut known: HashMap<u32, bool, foldhash::fast::FixedState> = HashMap::default();
        let (mut launches, mut kernels) = (Vec::new(), Vec::new());
        for (place, &row) in cancellable(rows).enumerate() {
            let row = row as usize;
            let Some(correlation) = self.correlation.get(row) else { continue };
            let end = End { correlation, place: place as u32 };
            let code = names.get(row).unwrap_or_default();
            let is_launch =
                *known.entry(code).or_insert_with(|| LAUNCHES.contains(&mapping.cat_to_str(code).unwrap_or_default()));
            if is_launch {
                // Differs from HTA: it takes the event at position 0 for none.
                let none = if compat == Compat::Hta { 0 } else { -1 };
                if self.partner.get(row).is_some_and(|partner| partner > none) {
                    launches.push(end);
                }
            } else if self.stream.get(row).is_some() {
                kernels.push(end);
            }
        }
        Ok((launches, kernels))
    }

    /// What happens at `row` to the stream of `kernel`.
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
