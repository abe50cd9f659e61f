//! Two descriptions side by side.

use super::description::Description;
use super::measure::DeviceTime;
use super::present::{device_figure, device_heat_map, head, table};
use std::collections::BTreeMap;
use trace_view::format::{nanoseconds, ranges};
use trace_view::{Kind, Part, Report, TableValue, Unit, grouped};

/// The labels of the two traces, made distinct.
type Labels<'a> = (&'a str, &'a str);

/// A property of a trace: its text, and its size if it can be compared.
struct Property {
    text: String,
    size: Option<f64>,
}

impl Property {
    fn text(text: String) -> Self {
        Self { text, size: None }
    }

    fn count(count: usize) -> Self {
        Self { text: grouped(count), size: Some(count as f64) }
    }

    fn time(nanos: Option<i64>) -> Self {
        Self { text: nanos.map_or_else(|| "—".to_owned(), nanoseconds), size: nanos.map(|nanos| nanos as f64) }
    }
}

/// Count and total duration in ns of an operator or kernel.
type Totals = (u64, i64);

impl Description {
    /// Returns this page side by side with that of another trace: differences of the recording, the properties of both, and
    /// the `top` operators and kernels that took longest in either. Times of devices are means over the ranks.
    pub fn beside(&self, other: &Self, top: usize) -> Report {
        let distinct = (format!("{} (1)", self.label), format!("{} (2)", other.label));
        let labels: Labels<'_> =
            if self.label == other.label { (&distinct.0, &distinct.1) } else { (&self.label, &other.label) };
        let mut report = Report::of(Part::Text(format!("{}\n{}", self.summary(), other.summary())));
        let unlike = self.recording().unlike(labels.0, &other.recording(), labels.1);
        report.parts.extend(unlike.iter().map(|warning| Part::Warning(warning.to_string())));
        for (page, label) in [(self, labels.0), (other, labels.1)] {
            report.parts.extend(page.warnings().into_iter().map(|text| Part::Warning(format!("{label}: {text}"))));
        }
        report.parts.push(properties(self, other, labels));
        let maps = [(self, labels.0), (other, labels.1)].map(|(page, label)| (page.device_map(), label));
        if maps.iter().any(|(map, _)| map.is_some()) {
            for (map, label) in maps.iter().filter_map(|(map, label)| Some((map.as_ref()?, label))) {
                report.parts.push(Part::Text(format!("{label}: {}", map.sentence())));
                report.parts.push(Part::HeatMap(device_heat_map(map, label)));
            }
        } else if [self, other].iter().all(|page| page.ranks.iter().any(|rank| rank.device.is_some())) {
            report.parts.push(Part::Figure(device_figure(&[(labels.0, self), (labels.1, other)])));
        }
        let operators = |page: &Self| -> BTreeMap<String, Totals> {
            page.operators.iter().map(|of| (of.name.clone(), (of.count, of.total_ns))).collect()
        };
        let kernels = |page: &Self| -> BTreeMap<String, Totals> {
            page.kernels.iter().map(|of| (of.name.clone(), (of.count, of.total_ns))).collect()
        };
        if top > 0 {
            report.parts.extend(names("operators", &operators(self), &operators(other), labels, top));
            report.parts.extend(names("kernels", &kernels(self), &kernels(other), labels, top));
        }
        report
    }
}

/// Returns the table with a row per property.
fn properties(one: &Description, other: &Description, (left, right): Labels<'_>) -> Part {
    let list = |values: Vec<i64>| if values.is_empty() { "none".to_owned() } else { ranges(&values) };
    let mean = |page: &Description, of: fn(&DeviceTime) -> i64| {
        let times: Vec<i64> = page.ranks.iter().filter_map(|rank| rank.device.as_ref()).map(of).collect();
        let sum: i128 = times.iter().copied().map(i128::from).sum();
        (!times.is_empty()).then(|| i64::try_from(sum / times.len() as i128).unwrap_or(i64::MAX))
    };
    type Of<'a> = Box<dyn Fn(&Description) -> Property + 'a>;
    let device = |of: fn(&DeviceTime) -> i64| -> Of<'_> { Box::new(move |page| Property::time(mean(page, of))) };
    let rows: Vec<(&str, Of<'_>)> = vec![
        (
            "world size",
            Box::new(|page| {
                Property::text(page.world_size.map_or_else(|| "unknown".to_owned(), |size| size.to_string()))
            }),
        ),
        ("ranks", Box::new(|page| Property::text(list(page.ranks.iter().map(|rank| rank.rank).collect())))),
        ("devices", Box::new(|page| Property::text(texts(&page.devices)))),
        ("recorded besides times", Box::new(|page| Property::text(texts(&page.profiler_flags)))),
        (
            "iterations",
            Box::new(|page| Property::text(list(page.iterations.iter().map(|step| step.iteration).collect()))),
        ),
        ("events", Box::new(|page| Property::count(page.events))),
        ("names of operators", Box::new(|page| Property::count(page.operators.len()))),
        ("names of kernels", Box::new(|page| Property::count(page.kernels.len()))),
        ("span", Box::new(|page| Property::time(Some(page.span_ns)))),
        ("mean iteration", Box::new(|page| Property::time(mean_iteration(page)))),
        ("device span", device(|device| device.span_ns)),
        ("busy", device(|device| device.busy_ns)),
        ("computation", device(|device| device.computation_ns)),
        ("communication alone", device(|device| device.communication_ns)),
        ("memory alone", device(|device| device.memory_ns)),
        ("idle", device(|device| device.idle_ns)),
        ("warnings", Box::new(|page| Property::count(page.findings.len()))),
    ];
    let row = |(name, of): (&str, Of<'_>)| {
        let (a, b) = (of(one), of(other));
        let change = change(&a, &b);
        vec![
            TableValue::Text(name.to_owned()),
            TableValue::Text(a.text),
            TableValue::Text(b.text),
            TableValue::Text(change),
        ]
    };
    let headers = vec![
        head("property", Unit::None, Kind::Text, "what is compared; times of devices are means over the ranks"),
        head(left, Unit::None, Kind::Text, "the first trace"),
        head(right, Unit::None, Kind::Text, "the second trace"),
        head("change", Unit::None, Kind::Text, "from the first to the second"),
    ];
    let count = rows.len();
    Part::Table(table(format!("{left} and {right}"), headers, rows.into_iter().map(row).collect(), count, &[]))
}

fn texts(values: &[String]) -> String {
    if values.is_empty() { "unknown".to_owned() } else { values.join(", ") }
}

/// Returns the mean over the iterations of their mean durations.
fn mean_iteration(page: &Description) -> Option<i64> {
    let sum: i128 = page.iterations.iter().map(|step| i128::from(step.mean_ns)).sum();
    (!page.iterations.is_empty()).then(|| i64::try_from(sum / page.iterations.len() as i128).unwrap_or(i64::MAX))
}

/// Returns the change: `+7.2 %`, `=`, or `differs` without a size to compare.
fn change(one: &Property, other: &Property) -> String {
    match (one.size, other.size) {
        _ if one.text == other.text && one.size == other.size => "=".to_owned(),
        (Some(one), Some(other)) if one > 0.0 => format!("{:+.1} %", 100.0 * (other - one) / one).replace('-', "−"),
        _ => "differs".to_owned(),
    }
}

/// Returns the table of names that took longest in either trace; `None` if there are none.
fn names(
    what: &str,
    one: &BTreeMap<String, Totals>,
    other: &BTreeMap<String, Totals>,
    (left, right): Labels<'_>,
    top: usize,
) -> Option<Part> {
    let mut all: Vec<&String> = one.keys().chain(other.keys().filter(|name| !one.contains_key(*name))).collect();
    let of = |side: &BTreeMap<String, Totals>, name: &str| side.get(name).copied().unwrap_or_default();
    let longest = |name: &str| of(one, name).1.max(of(other, name).1);
    all.sort_by(|a, b| longest(b).cmp(&longest(a)).then_with(|| a.cmp(b)));
    let total = all.len();
    let rows: Vec<Vec<TableValue>> = all
        .into_iter()
        .take(top)
        .map(|name| {
            let ((count, time), (other_count, other_time)) = (of(one, name), of(other, name));
            vec![
                TableValue::Text(name.clone()),
                TableValue::Int(i64::try_from(count).unwrap_or(i64::MAX)),
                TableValue::Int(i64::try_from(other_count).unwrap_or(i64::MAX)),
                TableValue::Int(time),
                TableValue::Int(other_time),
                TableValue::Int(other_time.saturating_sub(time)),
            ]
        })
        .collect();
    let headers = vec![
        head("name", Unit::None, Kind::Name, "the name"),
        head(&format!("{left} count"), Unit::Count, Kind::Number, "events of all ranks of the first trace"),
        head(&format!("{right} count"), Unit::Count, Kind::Number, "events of all ranks of the second trace"),
        head(&format!("{left} total"), Unit::Nanos, Kind::Number, "sum of durations in the first trace"),
        head(&format!("{right} total"), Unit::Nanos, Kind::Number, "sum of durations in the second trace"),
        head("difference", Unit::Nanos, Kind::Difference, "second − first"),
    ];
    let notes = ["sums over all ranks and iterations; %compare_traces compares single ones"];
    (total > 0).then(|| Part::Table(table(format!("top {what} of {left} and {right}"), headers, rows, total, &notes)))
}
