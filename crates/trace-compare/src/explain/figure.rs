//! The waterfall: from control's step over what changed to test's step.

use super::explanation::{ClassChange, Explanation, RegionRow};
use super::modules::RegionModules;
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
    /// The waterfall of the difference: control's step, the largest changes, everything else, test's step, with 95 % intervals where
    /// there are enough samples. Times in µs or ms.
    pub fn waterfall(&self, level: WaterfallLevel) -> Figure {
        let mut parts = self.parts(level);
        parts.sort_by(|one, other| other.delta_us.abs().total_cmp(&one.delta_us.abs()));
        let rest: f64 = parts.iter().skip(MOST_BARS).map(|part| part.delta_us).sum();
        parts.truncate(MOST_BARS);
        let mut intervals = self.intervals(&parts);
        if rest != 0.0 {
            parts.push(Bar { name: REST.to_owned(), delta_us: rest, of: Source::Other });
            intervals.push(None);
        }
        let longest = self.step.control_us.abs().max(self.step.test_us.abs());
        let (unit, per_us) = if longest >= 10_000.0 { (Unit::Millis, 1e-3) } else { (Unit::Micros, 1.0) };
        let [control, test] = &self.sides;
        let (mut names, mut values) =
            (vec![format!("step of {}", control.name())], vec![self.step.control_us * per_us]);
        for part in parts {
            names.push(part.name);
            values.push(part.delta_us * per_us);
        }
        names.push(format!("step of {}", test.name()));
        values.push(self.step.test_us * per_us);
        // That of test's step is that of the change, around control's step as it was measured.
        let of_step = self.certainty().step.interval_us.map(|ends| ends.map(|end| self.step.control_us + end));
        let intervals = std::iter::once(None).chain(intervals).chain([of_step]);
        let cut = if trace_view::waterfall::is_cut(&values) { " (axis does not begin at 0)" } else { "" };
        Figure {
            title: "Where the step's time changed".to_owned(),
            subtitle: self.caption(),
            y: Axis { title: format!("time a step{cut}"), unit, ..Axis::default() },
            series: vec![Series {
                name: "change".to_owned(),
                mark: Mark::Waterfall,
                x: Points::Names(names),
                y: values,
            }],
            intervals: intervals.map(|ends| ends.map(|ends| ends.map(|end| end * per_us))).collect(),
            ..Figure::default()
        }
    }

    /// 95 % intervals of bars, in µs.
    fn intervals(&self, bars: &[Bar]) -> Vec<Option<[f64; 2]>> {
        let certainty = self.certainty();
        if certainty.step.interval_us.is_none() {
            return vec![None; bars.len()];
        }
        let sets: Vec<Vec<usize>> = bars
            .iter()
            .filter_map(|bar| if let Source::Regions(ids) = &bar.of { Some(ids.clone()) } else { None })
            .collect();
        let mut judged = self.judge(&sets).into_iter();
        let of = |bar: &Bar| match &bar.of {
            Source::Regions(_) => judged.next(),
            Source::Class(class) => certainty.class(class),
            Source::Idle(cause) => certainty.idle.iter().find(|(known, _)| known == cause).map(|(_, judged)| *judged),
            Source::Other => None,
        };
        bars.iter().map(of).map(|judged| judged?.interval_us).collect()
    }

    /// Bars whose changes add up to the change of the step.
    fn parts(&self, level: WaterfallLevel) -> Vec<Bar> {
        if level == WaterfallLevel::Class {
            let bar = |class: &ClassChange| Bar {
                name: class.class.replace('_', " "),
                delta_us: class.delta_us,
                of: Source::Class(class.class),
            };
            return self.classes.iter().map(bar).collect();
        }
        let mut regions: BTreeMap<String, (f64, Vec<usize>)> = BTreeMap::new();
        for (id, region) in self.chosen_regions() {
            let row = self.row(id, region);
            let name = match level {
                WaterfallLevel::Module => module_name(&self.modules_of(region)),
                _ => group(&row, level),
            };
            let (delta, ids) = regions.entry(name).or_default();
            *delta += row.delta_us;
            ids.push(row.id);
        }
        let mut parts: Vec<Bar> = regions
            .into_iter()
            .map(|(name, (delta_us, ids))| Bar { name, delta_us, of: Source::Regions(ids) })
            .collect();
        if let Some(chosen) = self.chosen_us() {
            let all: f64 = self.found.regions.iter().map(|region| region.attributed_ns.delta()).sum::<f64>() / 1e3;
            parts.push(Bar { name: "other regions".to_owned(), delta_us: all - chosen, of: Source::Other });
        }
        let mut idle: BTreeMap<&'static str, f64> = BTreeMap::new();
        for change in &self.idle {
            *idle.entry(change.cause).or_default() += change.delta_us;
        }
        let of_cause = |(cause, delta_us)| Bar { name: format!("idle: {cause}"), delta_us, of: Source::Idle(cause) };
        parts.extend(idle.into_iter().map(of_cause));
        let by_others = self.unattributed.delta_us;
        parts.push(Bar { name: "launched by other steps".to_owned(), delta_us: by_others, of: Source::Other });
        parts.retain(|part| part.delta_us != 0.0);
        parts
    }
}

/// A bar between the totals.
struct Bar {
    name: String,
    delta_us: f64,
    of: Source,
}

/// What a bar adds up.
enum Source {
    /// Regions by their ids.
    Regions(Vec<usize>),
    Class(&'static str),
    Idle(&'static str),
    Other,
}

/// Name of the bar of the innermost module of a region.
fn module_name(modules: &RegionModules) -> String {
    match modules.path.last() {
        Some(name) => name.trim_start_matches("nn.Module: ").to_owned(),
        None => modules.outside().to_owned(),
    }
}

/// Name of the bar that a region belongs to.
fn group(row: &RegionRow, level: WaterfallLevel) -> String {
    match level {
        WaterfallLevel::Region => format!("{} · {}", row.path.last().map_or("", String::as_str), row.name),
        _ => row.path.last().unwrap_or(&row.name).clone(),
    }
}
