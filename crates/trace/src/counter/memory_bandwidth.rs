//! How much memory is moved per second, by the kind of copy.

use crate::domain::{KernelType, memory_kernel_type};
use crate::exec::checkpoint::cancellable;
use crate::frame::IntColumn;
use crate::frame::columns::*;
use crate::{Compat, Result};
use hashbrown::HashMap;
use polars::prelude::{Categorical32Type, DataFrame, Float64Chunked};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// The column of events that holds the bandwidth of a copy.
const BANDWIDTH: &str = "memory_bw_gbps";

/// How long a copy of no length takes, in ns: on a clock of whole µs that is a short copy.
const SHORTEST: i64 = 1000;

/// The bandwidth of one kind of copy from one moment on.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub(crate) struct BandwidthPoint {
    /// When, in ns of the trace's clock.
    pub(crate) ts: i64,
    /// The device.
    pub(crate) pid: Option<i64>,
    /// GB/s of all copies that run.
    pub(crate) gbps: f64,
}

/// Kind of copy → its points, by time.
pub(crate) type Bandwidth = BTreeMap<String, Vec<BandwidthPoint>>;

/// The bandwidth of the copies and fills among the rows of `events`, which are looked at in this order.
///
/// ```text
/// stream 7    |---- DtoH, 2 GB/s ----|
/// stream 20          |-- DtoH, 3 GB/s ---|
/// DtoH        2      5               3   0
/// ```
pub(crate) fn memory_bandwidth(events: &DataFrame, rows: &[u32], compat: Compat) -> Result<Bandwidth> {
    let int = |name: &str| IntColumn::of(events, name);
    let (ts, dur, pid, stream) = (int(TS)?, int(DUR)?, int(PID)?, int(STREAM)?);
    let bandwidth: Option<Float64Chunked> = match events.column(BANDWIDTH) {
        Ok(column) => Some(column.f64()?.rechunk().into_owned()),
        Err(_) => None,
    };
    let names = events.column(NAME)?.as_materialized_series().rechunk();
    let names = names.cat::<Categorical32Type>()?.clone();
    let mapping = names.get_mapping();
    let names = names.physical();
    let kind = |code: u32| {
        let name = mapping.cat_to_str(code).unwrap_or_default();
        (KernelType::of(name) == KernelType::Memory).then(|| memory_kernel_type(name).to_owned())
    };
    let mut known: HashMap<u32, Option<String>, foldhash::fast::FixedState> = HashMap::default();
    let mut copies: BTreeMap<&str, Vec<Copy>> = BTreeMap::new();
    for code in names.iter().flatten() {
        known.entry(code).or_insert_with(|| kind(code));
    }
    for &row in cancellable(rows) {
        let row = row as usize;
        if stream.get(row).is_none() {
            continue;
        }
        let Some(kind) = names.get(row).and_then(|code| known.get(&code)?.as_deref()) else { continue };
        let Some((start, dur)) = ts.get(row).zip(dur.get(row)) else { continue };
        let dur = compat.counted(dur);
        let dur = if dur == 0 { SHORTEST } else { dur };
        let gbps = bandwidth.as_ref().and_then(|column| column.get(row)).filter(|gbps| gbps.is_finite());
        let end = start.saturating_add(dur);
        copies.entry(kind).or_default().push(Copy { start, end, pid: pid.get(row), gbps: gbps.unwrap_or(0.0) });
    }
    Ok(copies.into_iter().map(|(kind, copies)| (kind.to_owned(), points(&copies, compat))).collect())
}

/// One copy or fill.
struct Copy {
    start: i64,
    end: i64,
    pid: Option<i64>,
    gbps: f64,
}

fn points(copies: &[Copy], compat: Compat) -> Vec<BandwidthPoint> {
    let point = |copy: &Copy, ts, gbps| BandwidthPoint { ts, pid: copy.pid, gbps };
    let mut points: Vec<BandwidthPoint> = copies.iter().map(|copy| point(copy, copy.start, copy.gbps)).collect();
    points.extend(copies.iter().map(|copy| point(copy, copy.end, -copy.gbps)));
    let mut order: Vec<usize> = (0..points.len()).collect();
    // At one moment copies begin before others end.
    order.sort_by_key(|&place| points[place].ts);
    let (mut running, mut sum) = (0_i64, 0.0);
    order
        .into_iter()
        .map(|place| {
            running += if place < copies.len() { 1 } else { -1 };
            sum += points[place].gbps;
            // Differs from HTA: there the rounding errors of all sums before stay behind, and are taken for bandwidth.
            if running == 0 && compat == Compat::Exact {
                sum = 0.0;
            }
            BandwidthPoint { gbps: sum, ..points[place] }
        })
        .collect()
}
