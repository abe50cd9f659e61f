//! Memory bandwidth by kind of copy.

use crate::domain::{KernelType, memory_kernel_type};
use crate::exec::checkpoint::cancellable;
use crate::frame::columns::*;
use crate::frame::{IntColumn, once_per_text, value_of};
use crate::{Compat, Result};
use polars::prelude::{Categorical32Type, DataFrame, Float64Chunked};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Duration assumed for a copy of duration 0, in ns: clocks of whole µs record short copies like that.
const SHORTEST: i64 = 1000;

/// The bandwidth of one kind of copy from one moment on.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct BandwidthPoint {
    /// The moment, in ns on the clock of the trace.
    pub ts: i64,
    /// The device.
    pub pid: Option<i64>,
    /// Sum over all running copies, in GB/s.
    pub gbps: f64,
}

/// The points of each kind of copy, by time.
pub type Bandwidth = BTreeMap<String, Vec<BandwidthPoint>>;

/// Computes the bandwidth of the copies and fills among `rows` of `events`; ties are resolved in the order of `rows`.
///
/// ```text
/// stream 7    |---- DtoH, 2 GB/s ----|
/// stream 20          |-- DtoH, 3 GB/s ---|
/// DtoH        2      5               3   0
/// ```
///
/// # Errors
/// If a column is missing.
pub fn memory_bandwidth(events: &DataFrame, rows: &[u32], compat: Compat) -> Result<Bandwidth> {
    let int = |name: &str| IntColumn::of(events, name);
    let (ts, dur, pid, stream) = (int(TS)?, int(DUR)?, int(PID)?, int(STREAM)?);
    let bandwidth: Option<Float64Chunked> = match events.column(MEMORY_BANDWIDTH) {
        Ok(column) => Some(column.f64()?.rechunk().into_owned()),
        Err(_) => None,
    };
    let names = events.column(NAME)?.as_materialized_series().rechunk();
    let names = names.cat::<Categorical32Type>()?.clone();
    let mut kind = once_per_text(names.get_mapping(), |name| {
        (KernelType::of(name, compat) == KernelType::Memory).then(|| memory_kernel_type(name))
    });
    let names = names.physical().downcast_as_array();
    let mut copies: BTreeMap<&str, Vec<Copy>> = BTreeMap::new();
    for &row in cancellable(rows) {
        let row = row as usize;
        if stream.get(row).is_none() {
            continue;
        }
        let Some(kind) = value_of(names, row).and_then(&mut kind) else { continue };
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

/// Sums up the bandwidth of concurrent copies at every start and end.
fn points(copies: &[Copy], compat: Compat) -> Vec<BandwidthPoint> {
    let point = |copy: &Copy, ts, gbps| BandwidthPoint { ts, pid: copy.pid, gbps };
    let mut points: Vec<BandwidthPoint> = copies.iter().map(|copy| point(copy, copy.start, copy.gbps)).collect();
    points.extend(copies.iter().map(|copy| point(copy, copy.end, -copy.gbps)));
    let mut order: Vec<usize> = (0..points.len()).collect();
    // At the same moment copies begin before others end.
    order.sort_by_key(|&position| points[position].ts);
    let (mut running, mut sum) = (0_i64, 0.0);
    order
        .into_iter()
        .map(|position| {
            running += if position < copies.len() { 1 } else { -1 };
            sum += points[position].gbps;
            // Differs from HTA: it keeps the rounding errors of earlier sums, which then look like bandwidth.
            if running == 0 && compat == Compat::Exact {
                sum = 0.0;
            }
            BandwidthPoint { gbps: sum, ..points[position] }
        })
        .collect()
}
