//! The limits of the device of a rank, and what a piece of work reached of them.

use crate::error::ParameterReason;
use crate::{Error, RankInfo, Result};
use efficiency::{Limits, Peaks, Work, known_devices, peaks_by_id, peaks_of, roofline};

/// A device as recorded: its name, and the bytes of its memory.
pub(in crate::analysis) type Device = (String, Option<u64>);

/// Returns name and memory of the device of a rank: of the first in `deviceProperties`, since all of a machine are of one kind.
pub(in crate::analysis) fn device_of(info: &RankInfo) -> Device {
    let first = info.device_properties().first();
    let name = first.and_then(|device| device.get("name")?.as_str()).unwrap_or_default();
    let memory = first.and_then(|device| device.get("totalGlobalMem")?.as_u64());
    (name.to_owned(), memory)
}

/// Returns the limits of a device, or why it has none; those in `peak` replace the recorded ones.
///
/// # Errors
/// If `peak`, a parameter of this analysis, is invalid.
pub(in crate::analysis) fn peaks(
    analysis: &'static str,
    peak: Option<&str>,
    device: &Device,
) -> Result<std::result::Result<Peaks, String>> {
    let (name, memory) = device;
    let recorded = || peaks_of(name, *memory).cloned().map_err(|reason| reason.to_string());
    let Some(peak) = peak else { return Ok(recorded()) };
    if let Some(peaks) = peaks_by_id(peak.trim()) {
        return Ok(Ok(peaks.clone()));
    }
    let base = recorded().unwrap_or_else(|_| Peaks::unknown(if name.is_empty() { "device" } else { name }));
    base.overridden(peak).map(Ok).map_err(|reason| {
        let devices: Vec<&str> = known_devices().map(|peaks| peaks.id.as_str()).collect();
        let expected =
            format!("limits such as bf16=900,bandwidth=3000 ({reason}), or a device: {}", devices.join(", "));
        let reason = ParameterReason::Invalid { name: "peak", value: peak.to_owned(), expected };
        Error::WrongParameter { analysis, reason }
    })
}

/// Compares work that took so many ns with the limits of a device; `None` if the limit that it needs is not known.
pub(in crate::analysis) fn reached(work: &Work, ns: f64, peaks: &Peaks) -> Option<efficiency::Roofline> {
    roofline(work, ns, Limits::of(work, peaks).ok()?).ok()
}
