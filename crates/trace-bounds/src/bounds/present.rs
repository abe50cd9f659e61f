//! Bounds of two runs as frames, JSON, tables, figure and page.

use super::change::{BoundChange, ClassBound};
use super::regions::RegionBound;
use crate::Result;
use crate::stats::micros;
use causal::BoundBy;
use polars::df;
use polars::prelude::DataFrame;
use serde_json::{Value, json};
use trace_view::{Column, Figure, Header, Kind, Mark, Part, Points, Present, Report, Series, Table, Unit};

/// Rows of the table of regions.
const REGIONS: usize = 15;

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

impl BoundChange {
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
            // Sides are called by their labels.
            let name = match column.name.split_once('_') {
                Some(("control", rest)) => format!("{control} {}", rest.replace('_', " ")),
                Some(("test", rest)) => format!("{test} {}", rest.replace('_', " ")),
                _ if column.name == "control" => control.clone(),
                _ if column.name == "test" => test.clone(),
                _ => column.name.to_owned(),
            };
            *header = Header { meaning: column.meaning.to_owned(), ..Header::new(name, column.unit, kind) };
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
