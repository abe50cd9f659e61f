//! The report of `tracebook diff`: selection, change of the device time, groups of operators, warnings.

use crate::Error;
use kernel_magic::argument::{Call, Percentage};
use kernel_magic::ops_diff::summary;
use serde_json::{Map, Value, json};
use std::io::Write;
use trace::polars::prelude::DataFrame;
use trace::{By, OpsDiff, Selection, Side, Window, frame_table};
use trace_view::TableValue;
use trace_view::format::nanoseconds;

/// The device times of both sides, in ns.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct DeviceTimeChange {
    pub(super) control: i128,
    pub(super) test: i128,
}

impl DeviceTimeChange {
    /// Returns the device times of a comparison; `None` if neither side has GPU events.
    pub(super) fn of((control, test): (i128, i128)) -> Option<Self> {
        (control > 0 || test > 0).then_some(Self { control, test })
    }

    /// Returns the growth in percent of the control; `None` if the control has no GPU events.
    pub(super) fn change_percent(&self) -> Option<f64> {
        // Rounded once, so that 0.7 % prints as 0.7.
        (self.control > 0).then(|| (100 * (self.test - self.control)) as f64 / self.control as f64)
    }

    /// Returns `12.3 ms → 13.2 ms (+7.2 %)`.
    pub(super) fn in_words(&self) -> String {
        let change = match self.change_percent() {
            Some(percent) => format!("{percent:+.1} %").replace('-', "−"),
            None => "none before".to_owned(),
        };
        format!("{} → {} ({change})", nanoseconds(self.control), nanoseconds(self.test))
    }
}

/// Converts ns to µs.
fn micros(nanos: i128) -> f64 {
    nanos as f64 / 1e3
}

/// The filters of events and rows, as typed.
pub(super) struct RowFilters {
    /// `--where`
    pub(super) condition: Option<String>,
    /// `--filter`
    pub(super) filter: Option<String>,
    /// `--category`
    pub(super) category: Option<Vec<String>>,
}

impl RowFilters {
    /// Returns the filters of a call.
    pub(super) fn of(call: &Call<'_>) -> Self {
        Self {
            condition: call.condition("where").map(ToString::to_string),
            filter: call.regex("filter").map(|regex| regex.as_str().to_owned()),
            category: call.words("category").map(<[String]>::to_vec),
        }
    }
}

/// The report of a comparison, without its rows.
pub(super) struct DiffReport {
    /// The paths of control and test, as typed.
    pub(super) paths: [String; 2],
    pub(super) selection: Selection,
    pub(super) rows: RowFilters,
    pub(super) device: Option<DeviceTimeChange>,
    pub(super) groups: OpsDiff,
    /// Sentences on the groups of `--by`.
    pub(super) notes: Vec<String>,
    pub(super) warnings: Vec<String>,
}

impl DiffReport {
    /// Returns the lines above the table.
    pub(super) fn text(&self) -> String {
        let [control, test] = &self.paths;
        let device = self.device.map_or_else(|| "no GPU events".to_owned(), |device| device.in_words());
        format!(
            "control      {control}\ntest         {test}\ndevice time  {device}\noperators    {}{}",
            summary(&self.groups),
            self.notes.iter().map(|note| format!("\n{note}")).collect::<String>()
        )
    }

    /// Writes the report as JSON; `file` has the rows.
    ///
    /// # Errors
    /// If it cannot be written.
    pub(super) fn write_json(&self, file: &DataFrame, out: &mut dyn Write) -> std::io::Result<()> {
        let (names, rows) = rows_as_json(file);
        let side = |path: &str, side: &Side| {
            let iterations = match &side.window {
                Window::Iterations(numbers) => json!(numbers),
                Window::Whole => Value::Null,
            };
            json!({ "path": path, "ranks": side.ranks, "iterations": iterations })
        };
        let device = self.device.map(|device| {
            json!({
                "control_us": micros(device.control),
                "test_us": micros(device.test),
                "change_percent": device.change_percent(),
            })
        });
        let selection = &self.selection;
        let document = json!({
            "version": 2,
            "control": side(&self.paths[0], &selection.control),
            "test": side(&self.paths[1], &selection.test),
            "device_type": selection.device_type.to_string().to_lowercase(),
            "use_short_name": selection.use_short_name,
            "where": self.rows.condition,
            "filter": self.rows.filter,
            "category": self.rows.category,
            "marker": selection.marker,
            "by": selection.by.map(By::word),
            "device_time": device,
            "groups": self.groups,
            "notes": self.notes,
            "columns": names,
            "rows": rows,
            "warnings": self.warnings,
        });
        serde_json::to_writer_pretty(&mut *out, &document)?;
        writeln!(out)
    }

    /// Checks the device time against `--fail-over`.
    ///
    /// # Errors
    /// [`Error::FailOver`] if it grew by more than `limit`; a usage error if there are no GPU events.
    pub(super) fn check_limit(&self, call: &Call<'_>, limit: Percentage) -> Result<(), Error> {
        let Some(device) = self.device else {
            return Err(call.cannot("check --fail-over", "neither trace has GPU events").into());
        };
        if limit.is_exceeded(device.control, device.test) {
            return Err(Error::FailOver { limit: limit.to_f64(), change: device.in_words() });
        }
        Ok(())
    }
}

/// Returns the names of the columns, and an object for each row.
pub(super) fn rows_as_json(file: &DataFrame) -> (Vec<String>, Vec<Value>) {
    let table = frame_table(file, "", file.height());
    let names: Vec<String> = table.headers.iter().map(|header| header.name.clone()).collect();
    let row = |row: &Vec<TableValue>| -> Value {
        names.iter().zip(row).map(|(name, cell)| (name.clone(), value(cell))).collect::<Map<_, _>>().into()
    };
    let rows = table.rows.iter().map(row).collect();
    (names, rows)
}

fn value(cell: &TableValue) -> Value {
    match cell {
        TableValue::Null => Value::Null,
        TableValue::Text(text) => Value::from(text.as_str()),
        TableValue::Int(number) => Value::from(*number),
        TableValue::Float(number) => Value::from(*number),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn change_is_in_percent_of_the_control() {
        let time = DeviceTimeChange { control: 2_000_000, test: 2_100_000 };
        assert_eq!(time.change_percent(), Some(5.0));
        assert_eq!(time.in_words(), "2.00 ms → 2.10 ms (+5.0 %)");
        assert_eq!(DeviceTimeChange { control: 8_000, test: 4_000 }.in_words(), "8.00 µs → 4.00 µs (−50.0 %)");
        assert_eq!(DeviceTimeChange { control: 0, test: 4_000 }.change_percent(), None);
    }

    #[test]
    fn change_percent_has_no_floating_point_noise() {
        let change =
            |control, test| DeviceTimeChange { control, test }.change_percent().map(|percent| percent.to_string());
        assert_eq!(change(100_000, 100_700).as_deref(), Some("0.7"));
        assert_eq!(change(1_000, 1_050).as_deref(), Some("5"));
        assert_eq!(change(700_000, 700_700).as_deref(), Some("0.1"));
        assert_eq!(change(1_000, 1_290).as_deref(), Some("29"));
    }
}
