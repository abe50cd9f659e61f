//! A description as text, tables and one figure.

use super::description::{Description, RankSummary};
use super::finding::Finding;
use super::measure::DeviceTime;
use crate::Compat;
use crate::present::{RankMap, most_different_ranks_first};
use std::collections::BTreeMap;
use trace_view::format::{list, nanoseconds, ranges};
use trace_view::{
    Axis, BarMode, Figure, Header, HeatMap, Kind, Mark, Part, Points, Present, Report, Series, Table, TableValue, Unit,
    grouped,
};

/// Default number of operators and kernels.
const TOP: usize = 10;
/// Height of the figure in pixels, small enough that the page stays in view.
const FIGURE_HEIGHT: u32 = 340;
/// Number of findings of one kind that are shown; the rest is only counted.
const MOST_OF_KIND: usize = 3;

/// A component of a device's time: its name and its value.
type Component = (&'static str, fn(&DeviceTime) -> i64);

/// The components, which add up to the span.
const COMPONENTS: [Component; 5] = [
    ("COMPUTATION", |device| device.computation_ns),
    ("COMMUNICATION", |device| device.communication_ns),
    ("MEMORY", |device| device.memory_ns),
    ("OTHER", |device| device.other_ns),
    ("idle", |device| device.idle_ns),
];

/// Summary, warnings, ranks (several with their device time as bars), iterations, top ten of operators and kernels.
impl Present for Description {
    fn present(&self) -> Report {
        self.report(TOP)
    }
}

impl Description {
    /// Returns the page with the `top` operators and kernels.
    pub fn report(&self, top: usize) -> Report {
        let mut report = Report::of(Part::Text(self.summary()));
        report.parts.extend(self.warnings().into_iter().map(Part::Warning));
        report.parts.push(Part::Table(self.ranks_table()));
        if let Some(map) = self.device_map() {
            report.parts.push(Part::Text(map.sentence()));
            report.parts.push(Part::HeatMap(device_heat_map(&map, &self.label)));
        } else if self.ranks.iter().filter(|rank| rank.device.is_some()).count() > 1 {
            report.parts.push(Part::Figure(device_figure(&[(&self.label, self)])));
        }
        if !self.iterations.is_empty() {
            report.parts.push(Part::Table(self.iterations_table()));
        }
        if !self.operators.is_empty() && top > 0 {
            report.parts.push(Part::Table(self.operators_table(top)));
        }
        if !self.kernels.is_empty() && top > 0 {
            report.parts.push(Part::Table(self.kernels_table(top)));
        }
        report
    }

    /// Returns the summary, `control: 4 ranks (0–3) · 3 iterations (1009–1011) · 61,234 events · 1.20 s · NVIDIA GPU`, and
    /// how busy the devices are.
    pub(super) fn summary(&self) -> String {
        let of = |values: &[i64], word: &str| match values {
            [] => format!("no {word}"),
            [one] => format!("{word} {one}"),
            several => format!("{} {word}s ({})", several.len(), ranges(several)),
        };
        let ranks: Vec<i64> = self.ranks.iter().map(|rank| rank.rank).collect();
        let iterations: Vec<i64> = self.iterations.iter().map(|step| step.iteration).collect();
        let mut devices: Vec<String> = self.ranks.iter().map(|rank| rank.device_type.clone()).collect();
        devices.dedup();
        let mut parts = vec![
            of(&ranks, "rank"),
            of(&iterations, "iteration"),
            format!("{} events", grouped(self.events)),
            nanoseconds(self.span_ns),
            list(&devices),
        ];
        if self.compat == Compat::Hta {
            parts.push("with HTA's rounding".to_owned());
        }
        let mut text = format!("{}: {}", self.label, parts.join(" · "));
        let busy: Vec<(f64, i64)> =
            self.ranks.iter().filter_map(|rank| Some((rank.device?.busy_percent()?, rank.rank))).collect();
        let most = busy.iter().copied().max_by(|one, other| one.0.total_cmp(&other.0));
        let least = busy.iter().copied().min_by(|one, other| one.0.total_cmp(&other.0));
        if let (Some(least), Some(most)) = (least, most) {
            text.push_str(&if busy.len() == 1 {
                format!("\ndevice: {:.1} % busy", most.0)
            } else {
                format!("\ndevices: {:.1} % (rank {}) to {:.1} % (rank {}) busy", least.0, least.1, most.0, most.1)
            });
        }
        if let Some(sentence) = self.stragglers.sentence() {
            text.push_str(&format!("\n{sentence}"));
        }
        for line in self.headlines.lines(&self.label) {
            text.push_str(&format!("\n{line}"));
        }
        text.push_str(&match self.findings.len() {
            0 => "\nno anomalies found".to_owned(),
            1 => "\n1 warning".to_owned(),
            several => format!("\n{several} warnings"),
        });
        text
    }

    /// Returns each finding as a paragraph; many of one kind are cut, with a count of the rest.
    pub(super) fn warnings(&self) -> Vec<String> {
        let mut seen: BTreeMap<String, usize> = BTreeMap::new();
        let mut warnings: Vec<String> = Vec::new();
        for finding in &self.findings {
            let count = seen.entry(kind_key(finding)).or_default();
            *count += 1;
            if *count <= MOST_OF_KIND {
                warnings.push(format!("{}. {} {}", finding.what(), finding.meaning(), finding.remedy()));
            }
        }
        let hidden: usize = seen.values().map(|count| count.saturating_sub(MOST_OF_KIND)).sum();
        if hidden > 0 {
            warnings.push(format!("{hidden} more of these kinds; see `describe().findings` for all"));
        }
        warnings
    }

    fn ranks_table(&self) -> Table {
        let headers = vec![
            head("rank", Unit::None, Kind::Id, "process of the job"),
            head("events", Unit::Count, Kind::Number, "events that have a duration and a category"),
            head("start", Unit::Nanos, Kind::Number, "first event, since the first event of all ranks"),
            head("span", Unit::Nanos, Kind::Number, "from the start of the first event to the end of the last"),
            head("iterations", Unit::None, Kind::Text, "numbers of the ProfilerSteps"),
            head("streams", Unit::None, Kind::Text, "GPU streams"),
            head(
                "device span",
                Unit::Nanos,
                Kind::Number,
                "from the start of the first kernel, copy or fill to the end of the last",
            ),
            head("busy", Unit::Nanos, Kind::Number, "time of it during which anything runs on the device"),
            head("idle", Unit::Nanos, Kind::Number, "time of it during which nothing runs on the device"),
            head("busy share", Unit::Percent, Kind::Bar, "share of the device span that is busy"),
        ];
        let row = |rank: &RankSummary| {
            let list =
                |values: &[i64]| TableValue::Text(if values.is_empty() { "none".to_owned() } else { ranges(values) });
            let time = |of: fn(&DeviceTime) -> i64| {
                rank.device.as_ref().map_or(TableValue::Null, |device| TableValue::Int(of(device)))
            };
            vec![
                TableValue::Int(rank.rank),
                count(rank.events as u64),
                TableValue::Int(rank.start_ns),
                TableValue::Int(rank.span_ns),
                list(&rank.iterations),
                list(&rank.streams),
                time(|device| device.span_ns),
                time(|device| device.busy_ns),
                time(|device| device.idle_ns),
                rank.device.and_then(|device| device.busy_percent()).map_or(TableValue::Null, TableValue::Float),
            ]
        };
        let rows = self.ranks.iter().map(row).collect();
        let table = table(format!("ranks of {}", self.label), headers, rows, self.ranks.len(), &[]);
        most_different_ranks_first(table, "`--json FILE` writes all")
    }

    /// Returns how the device of each rank spends its time; `None` if there are few ranks.
    pub(super) fn device_map(&self) -> Option<RankMap> {
        let mut map = RankMap::of(self.ranks.iter().map(|rank| rank.rank));
        for (rank, device) in self.ranks.iter().filter_map(|rank| Some((rank.rank, rank.device?))) {
            for (name, of) in COMPONENTS {
                let share = 100.0 * of(&device) as f64 / device.span_ns.max(1) as f64;
                map.set(name, Unit::Percent, rank, share);
            }
        }
        map.is_large().then_some(map)
    }

    fn iterations_table(&self) -> Table {
        let headers = vec![
            head("iteration", Unit::None, Kind::Id, "number of the ProfilerStep"),
            head("ranks", Unit::Count, Kind::Number, "ranks that have it"),
            head("mean", Unit::Nanos, Kind::Bar, "mean duration over the ranks, on the CPU"),
            head("shortest", Unit::Nanos, Kind::Number, "shortest duration over the ranks"),
            head("longest", Unit::Nanos, Kind::Number, "longest duration over the ranks"),
            head(
                "longest on rank",
                Unit::None,
                Kind::Id,
                "the rank of the longest; none if the durations differ by less than 1 %. A rank that waits for other ranks may have it",
            ),
        ];
        let rows = self.iterations.iter().map(|step| {
            vec![
                TableValue::Int(step.iteration),
                count(step.ranks as u64),
                TableValue::Int(step.mean_ns),
                TableValue::Int(step.shortest_ns),
                TableValue::Int(step.longest_ns),
                step.longest_on.map_or(TableValue::Null, TableValue::Int),
            ]
        });
        table(format!("iterations of {}", self.label), headers, rows.collect(), self.iterations.len(), &[])
    }

    fn operators_table(&self, top: usize) -> Table {
        let headers = vec![
            head("name", Unit::None, Kind::Name, "CPU operator"),
            head("count", Unit::Count, Kind::Number, "events of all ranks"),
            head("total", Unit::Nanos, Kind::Bar, "sum of durations, nested calls included"),
            head("mean", Unit::Nanos, Kind::Number, "mean duration"),
            head("longest", Unit::Nanos, Kind::Number, "longest duration"),
        ];
        let rows = self.operators.iter().take(top).map(|operator| {
            vec![
                TableValue::Text(operator.name.clone()),
                count(operator.count),
                TableValue::Int(operator.total_ns),
                mean(operator.total_ns, operator.count),
                TableValue::Int(operator.longest_ns),
            ]
        });
        let notes = ["durations include nested calls"];
        table(format!("top operators of {}", self.label), headers, rows.collect(), self.operators.len(), &notes)
    }

    fn kernels_table(&self, top: usize) -> Table {
        let headers = vec![
            head("name", Unit::None, Kind::Name, "kernel, copy or fill"),
            head("type", Unit::None, Kind::Category, "operation class, by its name"),
            head("count", Unit::Count, Kind::Number, "events of all ranks"),
            head("total", Unit::Nanos, Kind::Number, "sum of durations"),
            head("share", Unit::Percent, Kind::Bar, "share of the sum of all kernels"),
            head("mean", Unit::Nanos, Kind::Number, "mean duration"),
            head("longest", Unit::Nanos, Kind::Number, "longest duration"),
        ];
        let rows = self.kernels.iter().take(top).map(|kernel| {
            vec![
                TableValue::Text(kernel.name.clone()),
                TableValue::Text(kernel.kernel_type.to_owned()),
                count(kernel.count),
                TableValue::Int(kernel.total_ns),
                TableValue::Float(kernel.percent),
                mean(kernel.total_ns, kernel.count),
                TableValue::Int(kernel.longest_ns),
            ]
        });
        table(format!("top kernels of {}", self.label), headers, rows.collect(), self.kernels.len(), &[])
    }
}

/// Draws how each device spends its time, as shares of its span that add up to 100 %. With several pages, ranks are
/// prefixed with the label of theirs.
pub(super) fn device_figure(pages: &[(&str, &Description)]) -> Figure {
    let name = |label: &str, rank: i64| if pages.len() == 1 { rank.to_string() } else { format!("{label} {rank}") };
    let devices: Vec<(String, DeviceTime)> = pages
        .iter()
        .flat_map(|(label, page)| {
            page.ranks.iter().filter_map(move |rank| Some((name(label, rank.rank), rank.device?)))
        })
        .collect();
    let labels: Vec<&str> = pages.iter().map(|(label, _)| *label).collect();
    let series = |(name, of): Component| Series {
        name: name.to_owned(),
        mark: Mark::Bar,
        x: Points::Names(devices.iter().map(|(rank, _)| rank.clone()).collect()),
        y: devices.iter().map(|(_, device)| 100.0 * of(device) as f64 / device.span_ns.max(1) as f64).collect(),
    };
    let shown = COMPONENTS.into_iter().filter(|(_, of)| devices.iter().any(|(_, device)| of(device) > 0));
    Figure {
        title: "Device time by rank".to_owned(),
        subtitle: format!(
            "{} · communication, memory and other work only where nothing before them runs",
            labels.join(" and ")
        ),
        x: Axis { title: "Rank".to_owned(), ..Axis::default() },
        y: Axis { title: "Share of the device span".to_owned(), unit: Unit::Percent, ..Axis::default() },
        bars: BarMode::Stack,
        series: shown.map(series).collect(),
        height: Some(FIGURE_HEIGHT),
        ..Figure::default()
    }
}

/// Draws how far the time of each device is from that of the other ranks.
pub(super) fn device_heat_map(map: &RankMap, label: &str) -> HeatMap {
    let mut drawn = map.deviations("Device time by rank");
    drawn.subtitle = format!("{label} · {}", drawn.subtitle);
    drawn
}

/// Returns the key that findings of one kind share.
fn kind_key(finding: &Finding) -> String {
    match finding {
        Finding::Loading { warning } => {
            let text = format!("{warning:?}");
            format!("loading {}", text.split([' ', '{']).next().unwrap_or_default())
        }
        Finding::UnlikeRank { measure, .. } => format!("{} {measure:?}", finding.kind()),
        finding => finding.kind().to_owned(),
    }
}

pub(super) fn head(name: &str, unit: Unit, kind: Kind, meaning: &str) -> Header {
    Header { meaning: meaning.to_owned(), ..Header::new(name, unit, kind) }
}

fn count(value: u64) -> TableValue {
    TableValue::Int(i64::try_from(value).unwrap_or(i64::MAX))
}

fn mean(total: i64, count: u64) -> TableValue {
    if count == 0 { TableValue::Null } else { TableValue::Float(total as f64 / count as f64) }
}

/// Creates a table whose times are in the unit that fits the largest of them.
pub(super) fn table(
    caption: String,
    headers: Vec<Header>,
    rows: Vec<Vec<TableValue>>,
    total_rows: usize,
    notes: &[&str],
) -> Table {
    let notes = notes.iter().map(|note| (*note).to_owned()).collect();
    Table { caption, headers, rows, total_rows, notes, ..Table::default() }.in_fitting_time_unit()
}
