//! The waterfall: from control's step over what changed to test's step.

use super::explanation::{Explanation, RegionRow};
use std::collections::BTreeMap;
use trace_view::{Axis, Figure, Mark, Points, Series, Unit};

/// Unit of a bar of the waterfall.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum WaterfallLevel {
    /// A class of the step: compute, exposed communication, exposed copies, idle.
    Class,
    /// All regions of one operator, by its name.
    #[default]
    Operator,
    /// One region.
    Region,
    /// All regions of one module, by its name.
    Module,
}

impl WaterfallLevel {
    /// All levels with the words that users write.
    pub const WORDS: [(&'static str, Self); 4] =
        [("class", Self::Class), ("op", Self::Operator), ("region", Self::Region), ("module", Self::Module)];
}

/// Bars of a waterfall that are not named; of more, the smallest are one bar.
const MOST_BARS: usize = 10;
/// Idle causes below this share of the largest bar are one bar with the rest.
const REST: &str = "everything else";

impl Explanation {
    /// The waterfall of the difference: control's step, the largest changes, everything else, test's step. Times in µs or ms.
    pub fn waterfall(&self, level: WaterfallLevel) -> Figure {
        let mut parts = self.parts(level);
        parts.sort_by(|one, other| other.1.abs().total_cmp(&one.1.abs()));
        let rest: f64 = parts.iter().skip(MOST_BARS).map(|(_, delta)| delta).sum();
        parts.truncate(MOST_BARS);
        if rest != 0.0 {
            parts.push((REST.to_owned(), rest));
        }
        let longest = self.step.control_us.abs().max(self.step.test_us.abs());
        let (unit, per_us) = if longest >= 10_000.0 { (Unit::Millis, 1e-3) } else { (Unit::Micros, 1.0) };
        let [control, test] = &self.sides;
        let (mut names, mut values) = (vec![format!("step of {}", control.label)], vec![self.step.control_us * per_us]);
        for (name, delta) in parts {
            names.push(name);
            values.push(delta * per_us);
        }
        names.push(format!("step of {}", test.label));
        values.push(self.step.test_us * per_us);
        Figure {
            title: "Where the step's time changed".to_owned(),
            subtitle: self.caption(),
            y: Axis { title: "time a step".to_owned(), unit, ..Axis::default() },
            series: vec![Series {
                name: "change".to_owned(),
                mark: Mark::Waterfall,
                x: Points::Names(names),
                y: values,
            }],
            ..Figure::default()
        }
    }

    /// Names and changes, in µs, which add up to the change of the step.
    fn parts(&self, level: WaterfallLevel) -> Vec<(String, f64)> {
        if level == WaterfallLevel::Class {
            return self.classes.iter().map(|class| (class.class.replace('_', " "), class.delta_us)).collect();
        }
        let mut parts: BTreeMap<String, f64> = BTreeMap::new();
        for row in self.rows() {
            *parts.entry(group(&row, level)).or_default() += row.delta_us;
        }
        if let Some(chosen) = self.chosen_us() {
            let all: f64 = self.found.regions.iter().map(|region| region.attributed_ns.delta()).sum::<f64>() / 1e3;
            parts.insert("other regions".to_owned(), all - chosen);
        }
        for idle in &self.idle {
            *parts.entry(format!("idle: {}", idle.cause)).or_default() += idle.delta_us;
        }
        if self.unattributed.delta_us != 0.0 {
            parts.insert("launched by other steps".to_owned(), self.unattributed.delta_us);
        }
        parts.into_iter().filter(|(_, delta)| *delta != 0.0).collect()
    }
}

/// Name of the bar that a region belongs to.
fn group(row: &RegionRow, level: WaterfallLevel) -> String {
    let module = || row.path.iter().rev().find(|call| call.starts_with("nn.Module:"));
    match level {
        WaterfallLevel::Module => module()
            .map_or_else(|| "outside of modules".to_owned(), |name| name.trim_start_matches("nn.Module: ").to_owned()),
        WaterfallLevel::Region => format!("{} · {}", row.path.last().map_or("", String::as_str), row.name),
        _ => row.path.last().unwrap_or(&row.name).clone(),
    }
}
