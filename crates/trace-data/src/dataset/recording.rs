//! Recording conditions from the metadata of a trace: size of the job, devices, clocks, flags of the profiler.

use crate::{RankInfo, TraceSet, Unlike, Warning};
use serde_json::Value;
use std::collections::BTreeMap;

/// Largest credible number of ranks of a job.
pub const MOST_RANKS: i64 = 1_000_000;

/// Flags of torch.profiler: key in the metadata, and what the profiler records with it.
const FLAGS: &[(&str, &str)] = &[
    ("record_shapes", "shapes"),
    ("with_stack", "stacks"),
    ("with_modules", "modules"),
    ("with_flops", "flops"),
    ("profile_memory", "memory"),
];

/// Versions: keys in the metadata, and whose version it is.
const VERSIONS: &[(&str, &str)] = &[
    ("cuda_driver_version", "CUDA driver"),
    ("cuda_runtime_version", "CUDA runtime"),
    ("cupti_version", "CUPTI"),
    ("hip_driver_version", "HIP driver"),
    ("hip_runtime_version", "HIP runtime"),
    ("rocm_version", "ROCm"),
    ("pytorch_version", "PyTorch"),
    ("torch_version", "PyTorch"),
];
/// Names of machines that are listed.
const MOST_MACHINES: usize = 4;

/// Part of a clock rate by which two recordings may differ: rates that are measured are never quite equal.
const SAME_CLOCK: f64 = 0.01;

/// Recording conditions of a trace.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Recording {
    /// Ranks of the job, if a file names the number.
    pub world_size: Option<i64>,
    /// Distinct names of devices; without names, the kind of device.
    pub devices: Vec<String>,
    /// What the profiler recorded besides times: `shapes`, `stacks`, `modules`, `flops`, `memory`.
    pub flags: Vec<String>,
    /// Versions of drivers, runtimes and PyTorch: `CUDA driver 12080`.
    pub versions: Vec<String>,
    /// Distinct names of machines, sorted.
    pub machines: Vec<String>,
    /// Clock rates by their keys in the metadata and in `deviceProperties`: means over ranks and devices.
    pub clocks: BTreeMap<String, f64>,
    /// Identities of the recordings of the ranks, sorted.
    pub identities: Vec<String>,
}

impl Recording {
    /// Collects the conditions from all files of a trace.
    pub fn of(traces: &TraceSet) -> Self {
        Self::of_ranks(&traces.info())
    }

    /// Collects the conditions from the facts of all ranks.
    pub fn of_ranks(info: &[&RankInfo]) -> Self {
        let mut devices: Vec<String> = Vec::new();
        for name in info.iter().flat_map(|info| device_names(info)) {
            if !devices.contains(&name) {
                devices.push(name);
            }
        }
        let is_set = |key: &str| info.iter().any(|info| info.metadata.get(key).is_some_and(is_on));
        let flags = FLAGS.iter().filter(|(key, _)| is_set(key)).map(|(_, word)| (*word).to_owned()).collect();
        let all = |key: &str| -> Vec<String> {
            let mut texts: Vec<String> =
                info.iter().filter_map(|info| info.metadata.get(key)).filter_map(text).collect();
            texts.sort_unstable();
            texts.dedup();
            texts
        };
        let versions =
            VERSIONS.iter().flat_map(|(key, name)| all(key).into_iter().map(move |text| format!("{name} {text}")));
        Self {
            world_size: world_size(info),
            devices,
            flags,
            versions: versions.collect(),
            machines: all("host_name"),
            clocks: clocks(info),
            identities: all("trace_id"),
        }
    }

    /// Returns warnings for a comparison of this trace (`label`) with another. Conditions unknown on a side are ignored.
    pub fn unlike(&self, label: &str, other: &Self, other_label: &str) -> Vec<Warning> {
        let warning = |what, of_control: String, of_test: String| Warning::UnlikeRecording {
            what,
            control: label.to_owned(),
            of_control,
            test: other_label.to_owned(),
            of_test,
        };
        let mut found = Vec::new();
        if let (Some(one), Some(two)) = (self.world_size, other.world_size)
            && one != two
        {
            found.push(warning(Unlike::WorldSize, one.to_string(), two.to_string()));
        }
        if !self.devices.is_empty() && !other.devices.is_empty() && self.devices != other.devices {
            found.push(warning(Unlike::Devices, self.devices.join(", "), other.devices.join(", ")));
        }
        let are_known = |one: &[String], two: &[String]| !one.is_empty() && !two.is_empty();
        if are_known(&self.versions, &other.versions) && self.versions != other.versions {
            let only = |of: &Self, not: &Self| {
                let texts = of.versions.iter().filter(|text| !not.versions.contains(text)).cloned();
                let texts = texts.collect::<Vec<_>>().join(", ");
                if texts.is_empty() { "no such version".to_owned() } else { texts }
            };
            found.push(warning(Unlike::Software, only(self, other), only(other, self)));
        }
        if are_known(&self.machines, &other.machines) && self.machines != other.machines {
            let names = |of: &Self| {
                let more = of.machines.len().saturating_sub(MOST_MACHINES);
                let names = of.machines.iter().take(MOST_MACHINES).cloned().collect::<Vec<_>>().join(", ");
                if more > 0 { format!("{names} and {more} more") } else { names }
            };
            found.push(warning(Unlike::Machines, names(self), names(other)));
        }
        let common = || self.clocks.iter().filter_map(|(key, one)| Some((key, *one, *other.clocks.get(key)?)));
        let changed: Vec<_> =
            common().filter(|(_, one, two)| (one - two).abs() > SAME_CLOCK * one.abs().max(two.abs())).collect();
        if !changed.is_empty() {
            let side = |of: fn((f64, f64)) -> f64| {
                let clock = |&(key, one, two): &(&String, f64, f64)| format!("{key} {}", rate(of((one, two))));
                changed.iter().map(clock).collect::<Vec<_>>().join(", ")
            };
            found.push(warning(Unlike::Clocks, side(|both| both.0), side(|both| both.1)));
        }
        if label != other_label && are_known(&self.identities, &other.identities) && self.identities == other.identities
        {
            found.push(self.same(label, other_label));
        }
        if self.flags != other.flags {
            found.push(warning(Unlike::ProfilerFlags, words(&self.flags), words(&other.flags)));
        }
        found
    }

    /// Returns the warning that another label is this recording, too.
    pub fn same(&self, label: &str, other_label: &str) -> Warning {
        let known = self.identities.first().map(|id| format!("trace_id {id}"));
        let id = known.unwrap_or_else(|| "all events are equal".to_owned());
        let (control, test) = (label.to_owned(), other_label.to_owned());
        Warning::UnlikeRecording { what: Unlike::Nothing, control, of_control: id.clone(), test, of_test: id }
    }
}

/// Formats flags: `shapes, stacks`.
fn words(flags: &[String]) -> String {
    if flags.is_empty() { "nothing more than times".to_owned() } else { flags.join(", ") }
}

/// Returns the largest credible number of ranks of the job that a file names.
pub fn world_size(info: &[&RankInfo]) -> Option<i64> {
    let named = |info: &&RankInfo| info.metadata.get("distributedInfo")?.get("world_size").and_then(Value::as_i64);
    info.iter().filter_map(named).filter(|size| (1..=MOST_RANKS).contains(size)).max()
}

/// Returns the names in `deviceProperties`, otherwise the kind of device, if it is known.
fn device_names(info: &RankInfo) -> Vec<String> {
    let listed = info.metadata.get("deviceProperties").and_then(Value::as_array).into_iter().flatten();
    let names: Vec<String> = listed.filter_map(|device| Some(device.get("name")?.as_str()?.to_owned())).collect();
    let is_known = !info.streams.is_empty() && info.device_type != "UNKNOWN GPU";
    if names.is_empty() && is_known { vec![info.device_type.clone()] } else { names }
}

/// Returns the clock rates that the files name. PyTorch records none itself: they are in the metadata if the job adds them
/// (`profiler.add_metadata_json("sm_clock_mhz", "1410")`), and in `deviceProperties` of tools that list them there.
fn clocks(info: &[&RankInfo]) -> BTreeMap<String, f64> {
    let mut rates: BTreeMap<String, (f64, f64)> = BTreeMap::new();
    for info in info {
        let devices = info.metadata.get("deviceProperties").and_then(Value::as_array);
        let of_devices = devices.into_iter().flatten().filter_map(Value::as_object).flatten();
        for (key, value) in info.metadata.iter().chain(of_devices) {
            let key_in_lower_case = key.to_ascii_lowercase();
            let is_clock = key_in_lower_case.contains("clock") || key_in_lower_case.ends_with("mhz");
            if let Some(rate) = number(value).filter(|rate| is_clock && *rate > 0.0) {
                let (sum, count) = rates.entry(key.clone()).or_default();
                (*sum, *count) = (*sum + rate, *count + 1.0);
            }
        }
    }
    rates.into_iter().map(|(key, (sum, count))| (key, sum / count)).collect()
}

/// A finite number, also as text: `1410` or `"1410 MHz"`.
fn number(value: &Value) -> Option<f64> {
    let number = match value {
        Value::Number(number) => number.as_f64(),
        Value::String(text) => text.split_whitespace().next().and_then(|number| number.parse().ok()),
        _ => None,
    };
    number.filter(|number| number.is_finite())
}

/// A clock rate with at most one decimal.
fn rate(rate: f64) -> String {
    format!("{}", (rate * 10.0).round() / 10.0)
}

/// A name or a number as text; nothing for what says nothing.
fn text(value: &Value) -> Option<String> {
    match value {
        Value::String(text) if !text.is_empty() => Some(text.clone()),
        Value::Number(number) => Some(number.to_string()),
        _ => None,
    }
}

fn is_on(flag: &Value) -> bool {
    flag.as_bool().unwrap_or_else(|| flag.as_i64().is_some_and(|flag| flag != 0))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use trace_testkit::TraceBuilder;

    fn recording(metadata: &[(&str, &str)]) -> Recording {
        let trace =
            metadata.iter().fold(TraceBuilder::new().without_rank(), |trace, (key, value)| trace.metadata(key, value));
        Recording::of(&TraceSet::from_bytes(trace.operator("aten::mm", 0..10).json()).unwrap())
    }

    #[test]
    fn size_devices_and_flags_are_compared() {
        let large = recording(&[
            ("distributedInfo", r#"{"rank": 0, "world_size": 8}"#),
            ("deviceProperties", r#"[{"id": 0, "name": "H100"}, {"id": 1, "name": "H100"}]"#),
            ("record_shapes", "1"),
            ("with_stack", "1"),
        ]);
        let small = recording(&[
            ("distributedInfo", r#"{"rank": 0, "world_size": 2}"#),
            ("deviceProperties", r#"[{"id": 0, "name": "MI300X"}]"#),
            ("record_shapes", "true"),
            ("with_stack", "0"),
        ]);
        let messages: Vec<String> = large.unlike("a", &small, "b").iter().map(Warning::to_string).collect();
        assert_eq!(messages.len(), 3, "{messages:?}");
        assert!(
            messages[0].starts_with("the jobs differ in size: \"a\" ran on 8 ranks, \"b\" on 2;"),
            "{}",
            messages[0]
        );
        assert!(messages[1].starts_with("the devices differ: \"a\" has H100, \"b\" MI300X;"), "{}", messages[1]);
        assert!(messages[2].contains("\"a\" shapes, stacks, \"b\" shapes;"), "{}", messages[2]);
        assert_eq!(large.unlike("a", &large, "b"), []);
    }

    #[test]
    fn software_machines_and_identity_are_compared() {
        let one = recording(&[
            ("cuda_driver_version", "12080"),
            ("cupti_version", "26"),
            ("host_name", r#""node-1""#),
            ("trace_id", r#""A1""#),
        ]);
        let two = recording(&[
            ("cuda_driver_version", "13000"),
            ("cupti_version", "26"),
            ("host_name", r#""node-2""#),
            ("trace_id", r#""B2""#),
        ]);
        let messages: Vec<String> = one.unlike("a", &two, "b").iter().map(Warning::to_string).collect();
        assert_eq!(messages.len(), 2, "{messages:?}");
        assert!(messages[0].contains("\"a\" has CUDA driver 12080, \"b\" CUDA driver 13000;"), "{}", messages[0]);
        assert!(messages[1].contains("\"a\" was recorded on node-1, \"b\" on node-2;"), "{}", messages[1]);
        let messages: Vec<String> = one.unlike("a", &one, "b").iter().map(Warning::to_string).collect();
        assert!(messages.len() == 1 && messages[0].contains("are the same recording (trace_id A1)"), "{messages:?}");
        assert_eq!(one.unlike("a", &one, "a"), []);
    }

    #[test]
    fn clocks_are_compared_where_they_are_recorded() {
        let at = |sm: &str, memory: &str| {
            recording(&[
                ("sm_clock_mhz", sm),
                ("deviceProperties", &format!(r#"[{{"id": 0, "memoryClockRate": {memory}}}]"#)),
            ])
        };
        let [fast, slow, near] = [at("1410", "1215000"), at(r#""1095 MHz""#, "1215000"), at("1408.5", "1215000")];
        let messages: Vec<String> = fast.unlike("a", &slow, "b").iter().map(Warning::to_string).collect();
        assert!(
            messages.len() == 1 && messages[0].contains("\"a\" ran at sm_clock_mhz 1410, \"b\" at sm_clock_mhz 1095;"),
            "{messages:?}"
        );
        assert_eq!(fast.unlike("a", &near, "b"), [], "measured rates are never quite equal");
        assert_eq!(fast.unlike("a", &recording(&[]), "b"), [], "PyTorch records none");
    }

    #[test]
    fn unknown_conditions_are_not_compared() {
        let silent = recording(&[]);
        let sized = recording(&[("distributedInfo", r#"{"rank": 0, "world_size": 8}"#)]);
        assert_eq!(silent.unlike("a", &sized, "b"), []);
    }
}
