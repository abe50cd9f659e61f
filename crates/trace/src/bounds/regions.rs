//! What bounds the steps of two runs, and how that changed: by class of time, and by region of an explanation.

use super::answer::CriticalPathAnswer;
use super::bound_side::BoundSide;
use super::present::words;
use super::query::{CriticalPath, Instance};
use crate::callstack::RankGraph;
use crate::domain::EventKind;
use crate::exec::checkpoint;
use crate::exec::fork_join::join;
use crate::frame::EventRows;
use crate::stats::micros;
use crate::{Compat, Explain, Explanation, Result, TraceSet};
use causal::BoundBy;
use polars::df;
use polars::prelude::DataFrame;
use serde_json::{Value, json};
use std::collections::HashMap;
use std::collections::btree_map::{BTreeMap, Entry};
use trace_view::format::nanoseconds as time;
use trace_view::{Column, Figure, Header, Kind, Mark, Part, Points, Present, Report, Series, Table, Unit};

/// What bounds the steps of two runs: the answer to [`CriticalPath::compare`]. Times are of a step: means of the windows of a side.
#[derive(Debug, Clone)]
pub struct BoundChange {
    /// Labels of control and test.
    pub labels: [String; 2],
    /// What bounds each side: `host-bound`, `GPU-bound`, `communication-bound`, …
    pub diagnoses: [&'static str; 2],
    /// Length of a step of each side, in ns.
    pub step_ns: [i64; 2],
    /// Time of a step by what bounds it, in ns; the largest change first. The times of a side add up to its step.
    pub classes: Vec<ClassBound>,
    /// The same time by region of the explanation; the largest change first.
    pub regions: Vec<RegionBound>,
    /// Number of windows of each side.
    windows: [usize; 2],
}

/// Time on the critical path of one class.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ClassBound {
    /// The class, as in the table `summary`.
    pub bound_by: BoundBy,
    /// Control and test, in ns a step.
    pub ns: [i64; 2],
}

/// Time on the critical path that belongs to one region: its kernels, and the host's work that leads to their launches.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RegionBound {
    /// Number of the region in the explanation; `None`: outside of all regions.
    pub region: Option<usize>,
    /// Calls from the outermost to the kernel; `outside of regions`.
    pub path: String,
    /// How well both sides agree; empty outside of regions.
    pub grade: &'static str,
    /// Control and test, in ns a step.
    pub ns: [i64; 2],
    /// The class that has most of it on each side; `None` without time.
    pub bound_by: [Option<BoundBy>; 2],
}

/// Rows of the table of regions.
const REGIONS: usize = 15;
/// Most events of two runs whose graphs are built at the same time, each on a thread.
const CONCURRENTLY: usize = 1_000_000;
/// Name of the row of time that belongs to no region.
const OUTSIDE: &str = "outside of regions";

const CLASS_COLUMNS: &[Column] = &[
    Column::new("bound_by", Unit::None, "what bounds this time"),
    Column::new("control", Unit::Micros, "time on the critical path of a step of control"),
    Column::new("test", Unit::Micros, "time on the critical path of a step of test"),
    Column::new("change", Unit::Micros, "test − control; adds up to the change of the step"),
    Column::new("control_percent", Unit::Percent, "share of control's step"),
    Column::new("test_percent", Unit::Percent, "share of test's step"),
];

const REGION_COLUMNS: &[Column] = &[
    Column::new("region", Unit::None, "calls from the outermost to the kernel"),
    Column::new("grade", Unit::None, "how well the two sides agree"),
    Column::new("control", Unit::Micros, "time on the critical path of a step of control"),
    Column::new("test", Unit::Micros, "time on the critical path of a step of test"),
    Column::new("change", Unit::Micros, "test − control; adds up to the change of the step"),
    Column::new("control_bound_by", Unit::None, "what bounds most of it in control"),
    Column::new("test_bound_by", Unit::None, "what bounds most of it in test"),
];

impl CriticalPath {
    /// Answers the question for two runs, and aligns the answers by the regions of their explanation.
    ///
    /// # Errors
    /// As [`TraceSet::critical_path`] and [`Explain::run`].
    ///
    /// # Example
    /// ```
    /// use trace::prelude::*;
    /// use trace::CriticalPath;
    ///
    /// # fn main() -> trace::Result<()> {
    /// let control = TraceSet::load("../../notebooks/data/bound/control")?.with_label("control");
    /// let test = TraceSet::load("../../notebooks/data/bound/test")?.with_label("test");
    /// let change = CriticalPath::default().compare(&control, &test)?;
    /// assert_eq!(change.diagnosis(), "host-bound → communication-bound");
    /// # Ok(())
    /// # }
    /// ```
    pub fn compare(&self, control: &TraceSet, test: &TraceSet) -> Result<BoundChange> {
        let query = self.of_two();
        let answers = [control.critical_path(&query)?, test.critical_path(&query)?];
        checkpoint::check()?;
        // The windows may be in the warm-up, which explanations leave out by themselves.
        let explanation = Explain::new(control, test).warmup(0).keep_events().run()?;
        let sides = answers.each_ref().map(BoundSide::of);
        let regions = regions([control, test], &answers, &explanation)?;
        Ok(BoundChange::of([control, test], &sides, regions))
    }

    /// Answers the question for two runs by class of time only, without regions, names and changes.
    ///
    /// # Errors
    /// As [`TraceSet::critical_path`].
    pub fn diagnose(&self, control: &TraceSet, test: &TraceSet) -> Result<BoundChange> {
        // Both graphs are in memory at once: only small ones.
        let is_small = control.event_count() + test.event_count() <= CONCURRENTLY;
        let query = self.of_two();
        let (one, other) = join(is_small, || BoundSide::asked(control, &query), || BoundSide::asked(test, &query));
        Ok(BoundChange::of([control, test], &[one?, other?], Vec::new()))
    }

    /// Returns the question about two runs: of all windows, unless some are chosen.
    fn of_two(&self) -> Self {
        let instance = if self.instance == Instance::Usual { Instance::All } else { self.instance };
        Self { instance, ..self.clone() }
    }
}

impl BoundChange {
    /// Compares what bounds two runs.
    fn of(traces: [&TraceSet; 2], sides: &[BoundSide; 2], regions: Vec<RegionBound>) -> Self {
        let mut classes: Vec<ClassBound> =
            BoundBy::ALL.into_iter().map(|bound_by| ClassBound { bound_by, ns: [0; 2] }).collect();
        for (place, side) in sides.iter().enumerate() {
            for &(bound_by, ns) in &side.shares {
                classes[bound_by as usize].ns[place] = side.a_step(ns);
            }
        }
        classes.retain(|class| class.ns != [0; 2]);
        classes.sort_by_key(|class| (std::cmp::Reverse((class.ns[1] - class.ns[0]).abs()), class.bound_by));
        Self {
            labels: traces.map(|traces| traces.label().to_owned()),
            diagnoses: sides.each_ref().map(BoundSide::diagnosis),
            step_ns: sides.each_ref().map(|side| side.a_step(side.ns)),
            classes,
            regions,
            windows: sides.each_ref().map(|side| side.windows),
        }
    }

    /// Returns the change of diagnosis in one line: `host-bound → communication-bound`, or `GPU-bound, as before`.
    pub fn diagnosis(&self) -> String {
        let [control, test] = self.diagnoses;
        if control == test { format!("{test}, as before") } else { format!("{control} → {test}") }
    }

    /// Returns the answer in sentences.
    pub fn sentences(&self) -> String {
        let [control, test] = &self.labels;
        let side = |side: usize| {
            let step = self.step_ns[side];
            let most = self.classes.iter().max_by_key(|class| class.ns[side]);
            let most = most.map_or(String::new(), |class| {
                format!(", {:.0} % {}", 100.0 * class.ns[side] as f64 / step.max(1) as f64, words(class.bound_by))
            });
            format!("{} ({}{most})", self.diagnoses[side], time(step))
        };
        let mut text = format!("{}: {control} is {}, {test} is {}.", self.diagnosis(), side(0), side(1));
        if let Some(class) = self.classes.first().filter(|class| class.ns[0] != class.ns[1]) {
            let change = class.ns[1] - class.ns[0];
            let sign = if change < 0 { "−" } else { "+" };
            text.push_str(&format!(
                " On the critical path of a step {} changed most: {sign}{}.",
                words(class.bound_by),
                time(change.abs())
            ));
        }
        text
    }

    /// Returns the times by class as a frame, in µs a step: `bound_by`, `control`, `test`, `change`, `control_percent`,
    /// `test_percent`.
    ///
    /// # Errors
    /// If polars refuses, which no input should cause.
    pub fn frame(&self) -> Result<DataFrame> {
        let of = |side: usize| self.classes.iter().map(|class| micros(class.ns[side])).collect::<Vec<f64>>();
        let share = |side: usize| -> Vec<f64> {
            let step = self.step_ns[side].max(1) as f64;
            self.classes.iter().map(|class| 100.0 * class.ns[side] as f64 / step).collect()
        };
        Ok(df!(
            "bound_by" => self.classes.iter().map(|class| class.bound_by.word()).collect::<Vec<_>>(),
            "control" => of(0),
            "test" => of(1),
            "change" => self.classes.iter().map(|class| micros(class.ns[1] - class.ns[0])).collect::<Vec<f64>>(),
            "control_percent" => share(0),
            "test_percent" => share(1),
        )?)
    }

    /// Returns the times by region as a frame, in µs a step: `region`, `grade`, `control`, `test`, `change`, `control_bound_by`,
    /// `test_bound_by`.
    ///
    /// # Errors
    /// If polars refuses, which no input should cause.
    pub fn region_frame(&self) -> Result<DataFrame> {
        let rows = || self.regions.iter();
        let word = |side: usize| rows().map(|row| row.bound_by[side].map(BoundBy::word)).collect::<Vec<_>>();
        Ok(df!(
            "region" => rows().map(|row| row.path.as_str()).collect::<Vec<_>>(),
            "grade" => rows().map(|row| row.grade).collect::<Vec<_>>(),
            "control" => rows().map(|row| micros(row.ns[0])).collect::<Vec<f64>>(),
            "test" => rows().map(|row| micros(row.ns[1])).collect::<Vec<f64>>(),
            "change" => rows().map(|row| micros(row.ns[1] - row.ns[0])).collect::<Vec<f64>>(),
            "control_bound_by" => word(0),
            "test_bound_by" => word(1),
        )?)
    }

    /// Returns the answer as JSON, times in ns: `labels`, `diagnoses`, `step_ns`, `classes` and `regions`, each with `ns` of control and
    /// test.
    pub fn to_json(&self) -> Value {
        let classes: Vec<Value> =
            self.classes.iter().map(|class| json!({"bound_by": class.bound_by.word(), "ns": class.ns})).collect();
        let region = |row: &RegionBound| {
            let words = row.bound_by.map(|class| class.map(BoundBy::word));
            json!({"region": row.region, "path": row.path, "grade": row.grade, "ns": row.ns, "bound_by": words})
        };
        let regions: Vec<Value> = self.regions.iter().map(region).collect();
        json!({
            "version": 1, "labels": self.labels, "diagnoses": self.diagnoses, "step_ns": self.step_ns, "classes": classes,
            "regions": regions,
        })
    }

    /// Returns the table of classes.
    ///
    /// # Errors
    /// If polars refuses, which no input should cause.
    pub fn table(&self) -> Result<Table> {
        Ok(self.drawn(&self.frame()?, CLASS_COLUMNS, "what bounds a step", usize::MAX))
    }

    fn drawn(&self, frame: &DataFrame, columns: &[Column], what: &str, most: usize) -> Table {
        let [control, test] = &self.labels;
        let mut table = crate::frame_table(frame, &format!("{what} · {control} → {test}"), most);
        for (header, column) in table.headers.iter_mut().zip(columns) {
            let kind = match column.name {
                "region" => Kind::Name,
                "bound_by" | "grade" | "control_bound_by" | "test_bound_by" => Kind::Category,
                "change" => Kind::Difference,
                _ => Kind::Number,
            };
            *header = Header { meaning: column.meaning.to_owned(), ..Header::new(column.name, column.unit, kind) };
        }
        table.notes.push(format!("means of {} and {} windows", self.windows[0], self.windows[1]));
        table.in_fitting_time_unit()
    }

    fn figure(&self) -> Figure {
        let [control, test] = &self.labels;
        let series = |class: &ClassBound| Series {
            name: class.bound_by.word().to_owned(),
            mark: Mark::Bar,
            x: Points::Names(vec![control.clone(), test.clone()]),
            y: class.ns.map(micros).to_vec(),
        };
        Figure {
            title: "What bounds a step".to_owned(),
            subtitle: self.diagnosis(),
            y: trace_view::Axis { title: "Critical path".to_owned(), unit: Unit::Micros, ..Default::default() },
            bars: trace_view::BarMode::Stack,
            series: self.classes.iter().map(series).collect(),
            ..Figure::default()
        }
    }

    /// Returns the page: sentences, the figure, and both tables, that of regions with `top` rows.
    ///
    /// # Errors
    /// If polars refuses, which no input should cause.
    pub fn report(&self, top: usize) -> Result<Report> {
        let mut parts = vec![Part::Text(self.sentences()), Part::Figure(self.figure()), Part::Table(self.table()?)];
        if top > 0 && !self.regions.is_empty() {
            let table = self.drawn(&self.region_frame()?, REGION_COLUMNS, "the critical path by region", top);
            parts.push(Part::Table(table));
        }
        Ok(Report { parts })
    }
}

impl Present for BoundChange {
    fn present(&self) -> Report {
        self.report(REGIONS).unwrap_or_else(|error| Report::of(Part::Warning(error.to_string())))
    }
}

/// Adds up the time of the paths by region.
fn regions(
    traces: [&TraceSet; 2],
    answers: &[CriticalPathAnswer; 2],
    explanation: &Explanation,
) -> Result<Vec<RegionBound>> {
    let windows = answers.each_ref().map(|answer| answer.windows().len());
    let mut sums: BTreeMap<Option<usize>, [HashMap<BoundBy, i64>; 2]> = BTreeMap::new();
    for (side, answer) in answers.iter().enumerate() {
        let mut placed: BTreeMap<i64, PlacedEvents> = BTreeMap::new();
        for part in answer.windows().iter().flat_map(|window| &window.intervals) {
            let region = match part.event {
                None => None,
                Some(event) => {
                    let events = match placed.entry(part.rank) {
                        Entry::Occupied(known) => known.into_mut(),
                        Entry::Vacant(place) => {
                            place.insert(PlacedEvents::of(traces[side], explanation, side, part.rank)?)
                        }
                    };
                    events.region(event)
                }
            };
            *sums.entry(region).or_default()[side].entry(part.bound_by).or_default() += part.duration();
        }
    }
    let rows = explanation.rows();
    let row = |(region, sums): (Option<usize>, [HashMap<BoundBy, i64>; 2])| {
        let of = region.and_then(|region| rows.iter().find(|row| row.id == region));
        let most = |sums: &HashMap<BoundBy, i64>| {
            sums.iter().max_by(|one, other| one.1.cmp(other.1).then(other.0.cmp(one.0))).map(|(class, _)| *class)
        };
        RegionBound {
            region,
            path: of.map_or_else(|| OUTSIDE.to_owned(), |row| row.path.join(" › ")),
            grade: of.map_or("", |row| row.grade),
            ns: [0, 1].map(|side| sums[side].values().sum::<i64>() / windows[side].max(1) as i64),
            bound_by: [0, 1].map(|side| most(&sums[side])),
        }
    };
    let mut found: Vec<RegionBound> = sums.into_iter().map(row).collect();
    found.sort_by_key(|row| (std::cmp::Reverse((row.ns[1] - row.ns[0]).abs()), row.region));
    Ok(found)
}

/// The events of a rank with their regions.
struct PlacedEvents {
    rows: EventRows,
    graph: RankGraph,
    regions: HashMap<u32, u32>,
}

impl PlacedEvents {
    fn of(traces: &TraceSet, explanation: &Explanation, side: usize, rank: i64) -> Result<Self> {
        checkpoint::check()?;
        let trace = traces.rank(rank)?;
        let columns = crate::frame::READ_COLUMNS.map(polars::prelude::PlSmallStr::from_static);
        let rows = EventRows::of(&trace.frame_of(&columns)?, traces.compat())?;
        let all: Vec<u32> = (0..rows.len() as u32).collect();
        let graph = RankGraph::of(&rows, &all, Compat::Exact);
        Ok(Self { graph, regions: explanation.regions_by_row(side, rank), rows })
    }

    /// Returns the region of an event: of a kernel its own, of a call that of the first kernel below it, else below the nearest call
    /// around it that launches one.
    fn region(&self, event: i64) -> Option<usize> {
        let mut row = self.rows.row_of(event)?;
        loop {
            if let Some(&region) = self.regions.get(&(row as u32)) {
                return Some(region as usize);
            }
            if self.graph.kernels(row).count > 0 {
                // Down to the first kernel.
                let below = self.graph.forest().children(row);
                row = below.iter().map(|&below| below as usize).find(|&below| self.graph.kernels(below).count > 0)?;
                if self.graph.is_launched(&self.rows, row) {
                    return self.regions.get(&(row as u32)).map(|&region| region as usize);
                }
                continue;
            }
            // An annotation around it, such as the step, launches for other regions.
            row = self.graph.forest().parent(row)?;
            if self.rows.kind(row) != EventKind::Operator {
                return None;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use trace_testkit::bound::{self, BoundJob};

    fn job(job: BoundJob) -> TraceSet {
        let folder = tempfile::tempdir().unwrap();
        for rank in 0..bound::RANKS {
            std::fs::write(folder.path().join(format!("{rank}.json")), bound::json(job, rank)).unwrap();
        }
        TraceSet::load(folder.path()).unwrap().with_label(job.folder().rsplit('/').next().unwrap())
    }

    fn change() -> BoundChange {
        let [control, test] = BoundJob::PAIR.map(job);
        CriticalPath::default().compare(&control, &test).unwrap()
    }

    #[test]
    fn times_of_both_sides_add_up_to_their_steps() {
        let change = change();
        for side in 0..2 {
            let classes: i64 = change.classes.iter().map(|class| class.ns[side]).sum();
            let regions: i64 = change.regions.iter().map(|region| region.ns[side]).sum();
            assert_eq!((classes, regions), (change.step_ns[side], change.step_ns[side]));
        }
    }

    #[test]
    fn the_generated_job_has_the_bounds_of_its_construction() {
        let change = change();
        assert_eq!(change.diagnosis(), "host-bound → communication-bound");
        let of = |bound_by: BoundBy| change.classes.iter().find(|class| class.bound_by == bound_by).unwrap().ns;
        let transfers = bound::EXCHANGES as i64 * BoundJob::Communication.transfer_ns();
        assert_eq!(of(BoundBy::Communication), [0, transfers]);
        let host = of(BoundBy::Cpu)[0] + of(BoundBy::Python)[0] + of(BoundBy::CudaRuntime)[0];
        assert!(host > 95 * change.step_ns[0] / 100 && host >= BoundJob::Host.host_ns(), "{host}");
        // All-reduces are four regions; the host's work in control belongs to the kernels that it launches.
        let exchanges = change.regions.iter().filter(|region| region.path.contains("allreduce"));
        assert_eq!(exchanges.map(|region| region.ns[1]).sum::<i64>() / transfers, 1);
        let linear = change.regions.iter().find(|region| region.path.contains("aten::addmm")).unwrap();
        assert_eq!(linear.bound_by[0], Some(BoundBy::Cpu));
        assert!(change.sentences().starts_with("host-bound → communication-bound: control is host-bound (1.07 ms"));
    }
}
