//! Work of calls against the limits of their devices.

use super::limits::{peaks, reached};
use super::row::Row;
use super::state::{Key, State, Sums};
use crate::Result;
use efficiency::{Family, PeakClass, Peaks, Work};
use std::collections::BTreeMap;

/// The rows of an answer.
pub(super) struct Compared {
    /// The longest first.
    pub(super) rows: Vec<Row>,
    /// The limits by device.
    pub(super) devices: BTreeMap<String, Peaks>,
    /// Why devices have none.
    pub(super) notes: Vec<String>,
}

impl Compared {
    /// Compares the work of ranks with the limits of their devices, or with `peak`, a parameter of this analysis.
    ///
    /// # Errors
    /// If `peak` is invalid.
    pub(super) fn of(analysis: &'static str, state: &State, peak: Option<&str>) -> Result<Self> {
        let mut notes = Vec::new();
        let mut devices: BTreeMap<String, Peaks> = BTreeMap::new();
        for device in &state.devices {
            match peaks(analysis, peak, device)? {
                Ok(peaks) => {
                    devices.entry(device.0.clone()).or_insert(peaks);
                }
                // What ran on the CPU only has no device.
                Err(reason) if state.gpu > 0 => notes.push(format!("No roofline: {reason} (--peak)")),
                Err(_) => {}
            }
        }
        let on_gpu = state.gpu > 0;
        let mut rows: Vec<Row> = state
            .sums
            .iter()
            .filter(|(_, sums)| !on_gpu || sums.gpu > 0)
            .map(|(key, sums)| row(key, *sums, on_gpu, devices.get(&key.device)))
            .collect();
        rows.sort_by(|one, other| {
            other.ns.cmp(&one.ns).then_with(|| (&one.name, &one.shapes).cmp(&(&other.name, &other.shapes)))
        });
        Ok(Self { rows, devices, notes })
    }
}

/// Returns the row of equal calls.
fn row(key: &Key, sums: Sums, on_gpu: bool, peaks: Option<&Peaks>) -> Row {
    let ns = if on_gpu { sums.gpu } else { sums.host };
    let of_call = ns as f64 / sums.count.max(1) as f64;
    let (flops, bytes) = (key.flops as f64, key.bytes as f64);
    let reached = peaks.zip(PeakClass::named(&key.peak)).and_then(|(peaks, peak)| {
        // The family decides nothing here.
        let family = Family::Matmul;
        let work = Work { flops: key.flops, bytes: key.bytes, peak, family, is_bound: false, note: None };
        let reached = reached(&work, of_call, peaks)?;
        Some((reached.share, reached.bound_by))
    });
    let per_ns = |amount: f64| if of_call > 0.0 { amount / of_call } else { 0.0 };
    Row {
        name: key.name.clone(),
        shapes: key.shapes.clone(),
        types: key.types.clone(),
        family: key.family.clone(),
        count: sums.count,
        ns,
        borrowed: sums.borrowed,
        flops: key.flops,
        bytes: key.bytes,
        tflops: per_ns(flops) / 1e3,
        gigabytes: per_ns(bytes),
        intensity: if bytes > 0.0 { flops / bytes } else { 0.0 },
        reached,
        peak: key.peak.clone(),
        device: peaks.map_or_else(|| key.device.clone(), |peaks| peaks.label.clone()),
        note: key.note.clone(),
        share: 0.0,
    }
}
