//! Runs in the order of time: step and largest regions of each, and the places where they changed.

use super::run_times::{RegionTime, RunTimes};
use crate::Result;
use polars::prelude::{Column, DataFrame, NamedFrom, Series as Values};
use statistics::change_points;
use std::collections::BTreeMap;
use trace_view::format::microseconds as time;
use trace_view::{Axis, Figure, Header, Kind, Mark, Part, Points, Present, Report, Series, Table, TableValue, Unit};

/// Regions of a history that does not say how many.
const REGIONS: usize = 5;
/// Fewest runs in which a change can be found.
const FEWEST: usize = 8;
/// The seed of the random orders that a change is compared with.
const SEED: u64 = 0;

/// Runs in the order of time.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct History {
    /// Labels of the runs.
    pub runs: Vec<String>,
    /// Length of a step in each run, µs.
    pub step_us: Vec<f64>,
    /// The largest regions, by name, and their share of the step in each run, µs.
    pub regions: Vec<(String, Vec<f64>)>,
    /// Where the step and the regions changed, by run.
    pub changes: Vec<HistoryChange>,
}

/// A place where a quantity changed.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct HistoryChange {
    /// `step`, or the name of a region.
    pub of: String,
    /// Place of the first run after the change.
    pub run: usize,
    /// Mean before, back to the change before it, µs.
    pub before_us: f64,
    /// Mean after, up to the next change, µs.
    pub after_us: f64,
    /// Share of random orders of the runs with a change as large.
    pub p: f64,
}

impl History {
    /// The history of runs with so many of the largest regions; 5 if it is not said.
    pub fn of(runs: &[RunTimes], top: Option<usize>) -> History {
        let mut regions: BTreeMap<String, Vec<f64>> = BTreeMap::new();
        for (index, run) in runs.iter().enumerate() {
            for time in &run.regions {
                let name = RegionTime::called(time);
                let times = regions.entry(name).or_insert_with(|| vec![0.0; runs.len()]);
                if let Some(sum) = times.get_mut(index) {
                    *sum += time.us;
                }
            }
        }
        let mut regions: Vec<(String, Vec<f64>)> = regions.into_iter().collect();
        let sum = |times: &[f64]| times.iter().sum::<f64>();
        regions.sort_by(|one, other| sum(&other.1).total_cmp(&sum(&one.1)));
        regions.truncate(top.unwrap_or(REGIONS));
        let step_us: Vec<f64> = runs.iter().map(|run| run.step_us).collect();
        let mut changes = changes("step", &step_us);
        for (name, times) in &regions {
            changes.extend(self::changes(name, times));
        }
        changes.sort_by_key(|change| change.run);
        History { runs: runs.iter().map(|run| run.label.clone()).collect(), step_us, regions, changes }
    }

    /// Returns a row for each run.
    ///
    /// # Columns
    /// `run` (label), `step_us`, one column in µs for each of the largest regions by its name, `changed` (what changed at this run,
    /// joined by commas; empty if nothing did).
    ///
    /// # Errors
    /// If memory does not suffice.
    pub fn frame(&self) -> Result<DataFrame> {
        let mut columns: Vec<Column> = vec![
            Values::new("run".into(), self.runs.clone()).into(),
            Values::new("step_us".into(), self.step_us.clone()).into(),
        ];
        columns.extend(self.regions.iter().map(|(name, times)| Values::new(name.into(), times.clone()).into()));
        let changed: Vec<String> = (0..self.runs.len()).map(|run| self.changed_at(run)).collect();
        columns.push(Values::new("changed".into(), changed).into());
        Ok(DataFrame::new(self.runs.len(), columns)?)
    }

    fn changed_at(&self, run: usize) -> String {
        let names = self.changes.iter().filter(|change| change.run == run).map(|change| change.of.as_str());
        names.collect::<Vec<_>>().join(", ")
    }

    /// What changed and where, in sentences.
    pub fn sentences(&self) -> String {
        let mut lines: Vec<String> = self
            .changes
            .iter()
            .map(|change| {
                let share = 100.0 * (change.after_us / change.before_us - 1.0);
                let percent =
                    if share.is_finite() { format!(" ({share:+.1} %)").replace('-', "−") } else { String::new() };
                format!(
                    "{}: {} → {}{percent} from {} on, p {:.3}.",
                    change.of,
                    time(change.before_us),
                    time(change.after_us),
                    self.runs.get(change.run).map_or("", String::as_str),
                    change.p
                )
            })
            .collect();
        if self.runs.len() < FEWEST {
            lines.push(format!("Too few runs to find changes: {}, needed are {FEWEST}.", self.runs.len()));
        } else if lines.is_empty() {
            lines.push(format!("No change found over {} runs.", self.runs.len()));
        }
        lines.join("\n")
    }

    /// The step and the largest regions over runs as lines; a series for the runs at which the step changed.
    pub fn figure(&self) -> Figure {
        let names = Points::Names(self.runs.clone());
        let longest = self.step_us.iter().fold(0.0_f64, |most, &us| most.max(us));
        let unit = Unit::fitting(longest / 1e6);
        let scale = 1e-6 / unit.seconds().unwrap_or(1e-6);
        let line = |name: &str, times: &[f64]| Series {
            name: name.to_owned(),
            mark: Mark::Line,
            x: names.clone(),
            y: times.iter().map(|us| us * scale).collect(),
        };
        let mut series = vec![line("step", &self.step_us)];
        series.extend(self.regions.iter().map(|(name, times)| line(name, times)));
        let is_change = |run: usize| self.changes.iter().any(|change| change.of == "step" && change.run == run);
        if (0..self.runs.len()).any(is_change) {
            let marks = self.step_us.iter().enumerate();
            let marks = marks.map(|(run, us)| if is_change(run) { us * scale } else { f64::NAN }).collect();
            series.push(Series { name: "step changed".to_owned(), mark: Mark::Bar, x: names.clone(), y: marks });
        }
        Figure {
            title: "Time of a step over runs".to_owned(),
            subtitle: format!("{} runs; the largest regions below the step", self.runs.len()),
            y: Axis { title: "time a step".to_owned(), unit, ..Axis::default() },
            series,
            ..Figure::default()
        }
    }

    fn table(&self) -> Table {
        let micros = |name: &str| Header::new(name, Unit::Micros, Kind::Bar);
        let mut headers = vec![Header::new("run", Unit::None, Kind::Name), micros("step")];
        headers.extend(self.regions.iter().map(|(name, _)| micros(name)));
        headers.push(Header {
            meaning: "the first run after a change of these".to_owned(),
            ..Header::new("changed", Unit::None, Kind::Text)
        });
        let row = |run: usize| {
            let mut values = vec![TableValue::Text(self.runs[run].clone()), TableValue::Float(self.step_us[run])];
            values.extend(
                self.regions
                    .iter()
                    .map(|(_, times)| times.get(run).map_or(TableValue::Null, |us| TableValue::Float(*us))),
            );
            values.push(TableValue::Text(self.changed_at(run)));
            values
        };
        Table {
            caption: "step and largest regions, means over iterations".to_owned(),
            headers,
            rows: (0..self.runs.len()).map(row).collect(),
            total_rows: self.runs.len(),
            ..Table::default()
        }
        .in_fitting_time_unit()
    }
}

/// Sentences, figure, table.
impl Present for History {
    fn present(&self) -> Report {
        Report::of(Part::Text(self.sentences())).with(Part::Figure(self.figure())).with(Part::Table(self.table()))
    }
}

/// The changes of a quantity over runs.
fn changes(of: &str, times: &[f64]) -> Vec<HistoryChange> {
    if times.len() < FEWEST {
        return Vec::new();
    }
    // Too few or infinite values, which were looked for above, have no change points.
    let points = change_points(times, 1, SEED).unwrap_or_default();
    let mut ends: Vec<usize> = points.iter().map(|point| point.at).collect();
    ends.push(times.len());
    let mut begin = 0;
    let mut found = Vec::new();
    let mean = |times: &[f64]| times.iter().sum::<f64>() / times.len().max(1) as f64;
    for (point, &end) in points.iter().zip(&ends[1..]) {
        found.push(HistoryChange {
            of: of.to_owned(),
            run: point.at,
            before_us: mean(&times[begin..point.at]),
            after_us: mean(&times[point.at..end]),
            p: point.p,
        });
        begin = point.at;
    }
    found
}
