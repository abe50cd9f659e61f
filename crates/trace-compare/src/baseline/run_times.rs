//! Times of one run: step, classes and regions, as means over its iterations.

use crate::{Explain, Explanation, LabeledTrace, RegionRow, Result, shorten_name};
use std::collections::BTreeMap;
use trace_view::tidy;

/// Times of one run, a step.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct RunTimes {
    /// The label of the run.
    pub label: String,
    /// Number of iterations, of all ranks.
    pub samples: usize,
    /// Length of a step, µs.
    pub step_us: f64,
    /// Each class by its word, µs.
    pub classes: Vec<(&'static str, f64)>,
    /// Regions of the same place and kernel, added up; by their key.
    pub regions: Vec<RegionTime>,
}

/// Time of the regions of one place and kernel, a step.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct RegionTime {
    /// A hash of the calls and the kernel, equal in every process.
    pub key: String,
    /// The innermost module above the kernel; empty without one.
    pub module: String,
    /// The innermost call above the kernel; empty without one.
    pub operator: String,
    /// Short name of the kernel, or of the host event of recordings without GPU work.
    pub kernel: String,
    /// Class of the step that it is part of.
    pub class: &'static str,
    /// Share of the step, µs.
    pub us: f64,
    /// Events a step.
    pub count: f64,
}

impl RunTimes {
    /// Measures a run, all of its ranks and iterations.
    ///
    /// # Errors
    /// As [`Explain::run`].
    pub fn of(run: impl Into<LabeledTrace>) -> Result<RunTimes> {
        let run = run.into();
        Ok(Self::of_control(&Explain::new(run.clone(), run).run()?))
    }

    /// Returns what the control side of an explanation takes: that of a run with itself has every region whole.
    pub fn of_control(explanation: &Explanation) -> RunTimes {
        let mut regions: BTreeMap<String, RegionTime> = BTreeMap::new();
        for row in explanation.rows() {
            let time = RegionTime::of(&row, explanation.region_class(row.id).unwrap_or("host"));
            if let Some(known) = regions.get_mut(&time.key) {
                known.us += time.us;
                known.count += time.count;
            } else {
                regions.insert(time.key.clone(), time);
            }
        }
        let side = &explanation.sides[0];
        RunTimes {
            label: side.label.clone(),
            samples: side.samples,
            step_us: explanation.step.control_us,
            classes: explanation.classes.iter().map(|class| (class.class, class.control_us)).collect(),
            regions: regions.into_values().collect(),
        }
    }
}

impl RegionTime {
    fn of(row: &RegionRow, class: &'static str) -> RegionTime {
        let mut hash = Fnv::default();
        for call in &row.path {
            hash.add(&without_addresses(call));
        }
        hash.add(&row.kernel);
        let module = row.path.iter().rev().find_map(|call| call.strip_prefix("nn.Module: "));
        RegionTime {
            key: format!("{:016x}", hash.0),
            module: module.unwrap_or_default().to_owned(),
            operator: row.path.last().map(|call| without_addresses(call)).unwrap_or_default(),
            kernel: tidy(&shorten_name(&row.kernel)),
            class,
            us: row.attributed_us[0],
            count: row.count[0],
        }
    }

    /// The operator and the kernel: what a table calls the region.
    pub fn called(&self) -> String {
        called(&self.operator, &self.kernel)
    }
}

pub(super) fn called(operator: &str, kernel: &str) -> String {
    if operator.is_empty() || operator == kernel { kernel.to_owned() } else { format!("{operator} · {kernel}") }
}

/// FNV-1a: the same in every process and version, unlike the hashes of the standard library.
struct Fnv(u64);

impl Default for Fnv {
    fn default() -> Self {
        Self(0xcbf2_9ce4_8422_2325)
    }
}

impl Fnv {
    fn add(&mut self, text: &str) {
        // 255 is in no UTF-8 text, so it separates them.
        for byte in text.bytes().chain([255]) {
            self.0 = (self.0 ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3);
        }
    }
}

/// The name without addresses of objects, which differ in every process: `<built-in method mm of type object at 0x7f…>`.
fn without_addresses(name: &str) -> String {
    let mut parts = name.split("0x");
    let mut text = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        text.push_str("0x");
        text.push_str(part.trim_start_matches(|c: char| c.is_ascii_hexdigit()));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_equal_in_every_process() {
        assert_eq!(without_addresses("<method of object at 0x7f12ab> 0xg"), "<method of object at 0x> 0xg");
        let mut hash = Fnv::default();
        hash.add("aten::mm");
        assert_eq!(format!("{:016x}", hash.0), "135be96a9c8d2ad6");
    }
}
