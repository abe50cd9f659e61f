//! Devices of a recording, by the properties that traces have of them.

use crate::RankInfo;
use efficiency::Multiprocessor;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// A device; what was not recorded is `None`, without any properties the name is empty.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub(super) struct Device {
    pub(super) name: String,
    /// Multiprocessors.
    pub(super) multiprocessors: Option<u64>,
    capability: Option<(u32, u32)>,
    warp: Option<u64>,
    threads: Option<u64>,
    registers: Option<u64>,
    shared_memory: Option<u64>,
}

impl Device {
    /// Reads one entry of `deviceProperties`.
    fn of(properties: &Value) -> Self {
        let number = |key: &str| properties.get(key).and_then(Value::as_u64).filter(|&number| number > 0);
        let version = |key: &str| u32::try_from(properties.get(key)?.as_u64()?).ok();
        Self {
            name: properties.get("name").and_then(Value::as_str).unwrap_or_default().to_owned(),
            multiprocessors: number("numSms"),
            capability: version("computeMajor").zip(version("computeMinor")),
            warp: number("warpSize"),
            threads: number("maxThreadsPerMultiprocessor"),
            registers: number("regsPerMultiprocessor"),
            shared_memory: number("sharedMemPerMultiprocessor").or_else(|| number("maxSharedMemoryPerMultiProcessor")),
        }
    }

    /// Returns what limits blocks on a multiprocessor; `None` if the trace does not say it.
    pub(super) fn multiprocessor(&self) -> Option<Multiprocessor> {
        Some(Multiprocessor {
            count: self.multiprocessors?,
            capability: self.capability?,
            warp: self.warp?,
            threads: self.threads?,
            registers: self.registers,
            shared_memory: self.shared_memory,
        })
    }

    /// Tells whether it is one of AMD, whose recordings may count threads in grids.
    pub(super) fn is_amd(&self) -> bool {
        self.warp == Some(64) || self.name.contains("AMD")
    }

    /// Returns its name and the number of its multiprocessors: `NVIDIA A100, 108 multiprocessors`.
    pub(super) fn words(&self) -> Option<String> {
        match (self.name.as_str(), self.multiprocessors) {
            ("", None) => None,
            ("", Some(count)) => Some(format!("a device with {count} multiprocessors")),
            (name, None) => Some(name.to_owned()),
            (name, Some(count)) => Some(format!("{name}, {count} multiprocessors")),
        }
    }
}

/// Returns the devices of a rank by their ids; entries without an id have their position.
pub(super) fn devices(info: &RankInfo) -> Vec<(i64, Device)> {
    let id = |at: usize, entry: &Value| entry.get("id").and_then(Value::as_i64).unwrap_or(at as i64);
    let entries = info.device_properties().iter().enumerate();
    entries.map(|(at, entry)| (id(at, entry), Device::of(entry))).collect()
}
