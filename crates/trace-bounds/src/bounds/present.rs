//! Bounds of two runs as frames, JSON, tables, figure and page.

use super::change::{BoundChange, ClassBound};
use super::regions::RegionBound;
use crate::Result;
use crate::present::{Field, answer_frame, answer_table, declared};
use crate::stats::micros;
use causal::BoundBy;
use polars::prelude::DataFrame;
use serde_json::{Value, json};
use trace_view::{Column, Figure, Mark, Part, Points, Present, Report, Series, Table, Unit};

/// Rows of the table of regions.
const REGIONS: usize = 15;

/// A class of time, with the lengths of the steps.
struct ClassRow<'a> {
    of: &'a ClassBound,
    step_ns: [i64; 2],
}

impl ClassRow<'_> {
    const COLUMNS: [Field<Self>; 6] = [
        Field::word("bound_by", "what bounds this time", |row| Some(row.of.bound_by.word())),
        Field::time("control", "time on the critical path of a step of control", |row| Some(row.of.ns[0])),
        Field::time("test", "time on the critical path of a step of test", |row| Some(row.of.ns[1])),
        Field::difference("change", CHANGE, |row| Some(row.of.ns[1] - row.of.ns[0])),
        Field::number("control_percent", Unit::Percent, "share of control's step", |row| Some(row.share(0))),
        Field::number("test_percent", Unit::Percent, "share of test's step", |row| Some(row.share(1))),
    ];

    fn share(&self, side: usize) -> f64 {
        100.0 * self.of.ns[side] as f64 / self.step_ns[side].max(1) as f64
    }
}

const CHANGE: &str = "test − control; adds up to the change of the step";

const REGION_COLUMNS: [Field<RegionBound>; 7] = [
    Field::name("region", "calls from the outermost to the kernel", |row| Some(&row.path)),
    Field::word("grade", "how well the two sides agree", |row| Some(row.grade)),
    Field::time("control", "time on the critical path of a step of control", |row| Some(row.ns[0])),
    Field::time("test", "time on the critical path of a step of test", |row| Some(row.ns[1])),
    Field::difference("change", CHANGE, |row| Some(row.ns[1] - row.ns[0])),
    Field::word("control_bound_by", "what bounds most of it in control", |row| row.bound_by[0].map(BoundBy::word)),
    Field::word("test_bound_by", "what bounds most of it in test", |row| row.bound_by[1].map(BoundBy::word)),
];

impl BoundChange {
    /// Returns the times by class as a frame, in µs a step: `bound_by`, `control`, `test`, `change`, `control_percent`,
    /// `test_percent`.
    ///
    /// # Errors
    /// If polars refuses, which no input should cause.
    pub fn frame(&self) -> Result<DataFrame> {
        let row = |of| ClassRow { of, step_ns: self.step_ns };
        answer_frame(&self.classes.iter().map(row).collect::<Vec<_>>(), &ClassRow::COLUMNS)
    }

    /// Returns the times by region as a frame, in µs a step: `region`, `grade`, `control`, `test`, `change`, `control_bound_by`,
    /// `test_bound_by`.
    ///
    /// # Errors
    /// If polars refuses, which no input should cause.
    pub fn region_frame(&self) -> Result<DataFrame> {
        answer_frame(&self.regions, &REGION_COLUMNS)
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
        Ok(self.drawn(&self.frame()?, &declared(&ClassRow::COLUMNS), "what bounds a step", usize::MAX))
    }

    fn drawn(&self, frame: &DataFrame, columns: &[Column], what: &str, most: usize) -> Table {
        let [control, test] = &self.labels;
        let mut table = answer_table(frame, columns, &format!("{what} · {control} → {test}"), most);
        // Sides are called by their labels.
        for header in &mut table.headers {
            header.name = match header.name.split_once('_') {
                Some(("control", rest)) => format!("{control} {}", rest.replace('_', " ")),
                Some(("test", rest)) => format!("{test} {}", rest.replace('_', " ")),
                _ if header.name == "control" => control.clone(),
                _ if header.name == "test" => test.clone(),
                _ => continue,
            };
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
        let mut sentences = vec![self.sentences()];
        sentences.extend(self.lending.clone());
        let mut parts = vec![Part::Text(sentences.join("\n")), Part::Figure(self.figure()), Part::Table(self.table()?)];
        if top > 0 && !self.regions.is_empty() {
            let table =
                self.drawn(&self.region_frame()?, &declared(&REGION_COLUMNS), "the critical path by region", top);
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
