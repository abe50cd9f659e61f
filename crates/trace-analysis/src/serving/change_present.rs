//! Two answers as sentences, frame, table, JSON and page.

use super::answer::StepSource;
use super::change::{OUTPUT_RATE, PER_TOKEN, PROMPT_RATE, QuantityChange, REQUESTS, STEP, ServingChange};
use super::figure::figures;
use super::sentences::{OPTIONS, percent, short};
use crate::present::{Field, answer_frame};
use crate::{Result, ServedPhase};
use polars::prelude::DataFrame;
use serde_json::{Value, json};
use trace_view::format::nanoseconds;
use trace_view::{Header, Kind, Part, Present, Report, Table, TableValue, Unit};

/// Ratio of the requests a step of both sides from which a sentence warns of other batches.
const OTHER_BATCH: f64 = 1.1;

const QUANTITY_COLUMNS: [Field<QuantityChange>; 7] = [
    Field::word("phase", "phases are compared with each other, prefill with prefill", |row| Some(row.phase.word())),
    Field::word("quantity", "what is compared; a step: the mean over steps", |row| Some(row.quantity)),
    Field::word("unit", "unit of the values", |row| {
        Some(if row.unit == Unit::Nanos { Unit::Micros } else { row.unit }.symbol())
    }),
    Field::number("control", Unit::None, "the control", |row| scaled(row, row.values[0])),
    Field::number("test", Unit::None, "the test", |row| scaled(row, row.values[1])),
    Field::number("change", Unit::None, "test − control", |row| scaled(row, row.change())),
    Field::number("change_percent", Unit::Percent, "test − control, in percent of control", |row| row.percent()),
];

/// Returns a value in the unit of the frame: times in µs.
fn scaled(row: &QuantityChange, value: Option<f64>) -> Option<f64> {
    Some(value? * if row.unit == Unit::Nanos { 1e-3 } else { 1.0 })
}

impl ServingChange {
    /// Returns the change in sentences, each a line: of each phase by itself.
    pub fn sentences(&self) -> Vec<String> {
        let mut sentences = Vec::new();
        for (label, side) in self.labels.iter().zip(&self.sides) {
            sentences.push(format!("{label}: {}", side.headline()));
        }
        sentences.extend(self.phases().into_iter().map(|phase| self.phase_sentence(phase)));
        sentences.extend(self.phases().into_iter().filter_map(|phase| self.batch_sentence(phase)));
        if self.sides.iter().any(|side| side.source != StepSource::Annotations) {
            sentences.push(OPTIONS.to_owned());
        }
        sentences
    }

    fn phase_sentence(&self, phase: ServedPhase) -> String {
        let word = if phase == ServedPhase::Unknown { "steps" } else { phase.word() };
        let [control, test] = &self.labels;
        match self.sides.each_ref().map(|side| side.phase(phase).is_some()) {
            [true, false] => return format!("{word}: only in {control}."),
            [false, true] => return format!("{word}: only in {test}."),
            _ => {}
        }
        let time = self.quantity(phase, PER_TOKEN).or_else(|| self.quantity(phase, STEP));
        let all =
            time.into_iter().chain([PROMPT_RATE, OUTPUT_RATE].iter().filter_map(|name| self.quantity(phase, name)));
        let text = |change: &QuantityChange| {
            let [control, test] = change.values.map(|value| written(value, change.unit));
            format!("{} {control} → {test}{}", change.quantity, bracketed(change.percent()))
        };
        let facts: Vec<String> = all.map(text).collect();
        format!("{word}: {}.", facts.join("; "))
    }

    /// Warns where the sides run other batches.
    fn batch_sentence(&self, phase: ServedPhase) -> Option<String> {
        let [Some(control), Some(test)] = self.quantity(phase, REQUESTS)?.values else { return None };
        let differs = control.max(test) > OTHER_BATCH * control.min(test);
        differs.then(|| {
            format!(
                "{} has {} requests a step in {}, {} in {}: their times are of other batches.",
                phase.word(),
                short(control),
                self.labels[0],
                short(test),
                self.labels[1]
            )
        })
    }

    /// Returns a row per phase and quantity: `phase`, `quantity`, `unit`, `control`, `test`, `change` (test − control), `change_percent`;
    /// times in µs. What is unknown is null.
    ///
    /// # Errors
    /// If polars refuses, which no input should cause.
    pub fn frame(&self) -> Result<DataFrame> {
        answer_frame(&self.quantities, &QUANTITY_COLUMNS)
    }

    /// Returns the change as JSON, times in ns: `labels`, `control`, `test`, `quantities` and `sentences`.
    pub fn to_json(&self) -> Value {
        let quantity = |row: &QuantityChange| {
            json!({
                "phase": row.phase, "quantity": row.quantity, "unit": row.unit, "values": row.values, "change": row.change(),
                "change_percent": row.percent(),
            })
        };
        json!({
            "version": 1, "labels": self.labels, "control": self.sides[0].fields(), "test": self.sides[1].fields(),
            "quantities": self.quantities.iter().map(quantity).collect::<Vec<_>>(), "sentences": self.sentences(),
        })
    }

    fn table(&self) -> Table {
        let head = |name: &str, unit: Unit, kind: Kind, meaning: &str| Header {
            meaning: meaning.to_owned(),
            ..Header::new(name, unit, kind)
        };
        let [control, test] = &self.labels;
        let headers = vec![
            head("phase", Unit::None, Kind::Category, "phases are compared with each other, prefill with prefill"),
            head("quantity", Unit::None, Kind::Text, "what is compared; a step: the mean over steps"),
            head(control, Unit::None, Kind::Text, "the control"),
            head(test, Unit::None, Kind::Text, "the test"),
            head("change", Unit::Percent, Kind::Difference, "test − control, in percent of control"),
        ];
        let row = |row: &QuantityChange| {
            let [control, test] = row.values.map(|value| TableValue::Text(written(value, row.unit)));
            vec![
                TableValue::Text(row.phase.word().to_owned()),
                TableValue::Text(row.quantity.to_owned()),
                control,
                test,
                row.percent().map_or(TableValue::Null, TableValue::Float),
            ]
        };
        let rows: Vec<_> = self.quantities.iter().map(row).collect();
        Table {
            caption: format!("serving · {control} → {test}"),
            headers,
            total_rows: rows.len(),
            rows,
            ..Table::default()
        }
    }

    /// Returns the page: sentences, the table of quantities by phase, and figures of the steps of both sides over time.
    pub fn report(&self) -> Report {
        let mut report = Report::of(Part::Text(self.sentences().join("\n")));
        if self.quantities.is_empty() {
            return report;
        }
        report.parts.push(Part::Table(self.table()));
        let [control, test] = &self.sides;
        let sides = [(control, self.labels[0].as_str()), (test, self.labels[1].as_str())];
        let figures = figures(&sides, &self.labels.join(" → "));
        report.parts.extend(figures.into_iter().map(Part::Figure));
        report
    }
}

impl Present for ServingChange {
    fn present(&self) -> Report {
        self.report()
    }
}

fn written(value: Option<f64>, unit: Unit) -> String {
    match (value, unit) {
        (None, _) => "—".to_owned(),
        (Some(value), Unit::Nanos) => nanoseconds(value.round() as i64),
        (Some(value), Unit::Percent) => percent(Some(value)),
        (Some(value), _) => short(value),
    }
}

/// ` (+7.2 %)`
fn bracketed(share: Option<f64>) -> String {
    share.map_or_else(String::new, |share| {
        let sign = if share > 0.0 { "+" } else { "" };
        format!(" ({sign}{})", percent(Some(share)))
    })
}
