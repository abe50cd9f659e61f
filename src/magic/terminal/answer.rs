//! What `tracebook diff` has to say beside the rows: on what, how the device time changed, which operators came and went.

use crate::Error;
use crate::magic::Call;
use crate::magic::ops_diff::summary;
use serde_json::{Map, Value, json};
use std::io::Write;
use trace::polars::prelude::DataFrame;
use trace::{DeviceType, OpsDiff, Selection, Side, TraceDiff, Window, frame_table};
use trace_view::Cell;

/// Events of the GPU that are waiting, not work.
const WAITS: &[&str] = &["Stream Wait Event", "Event Sync", "Stream Sync", "Context Sync"];

/// The sums of what ran on the devices, in µs.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct DeviceTime {
    pub(super) control: f64,
    pub(super) test: f64,
}

impl DeviceTime {
    /// Of all events of the GPU that are compared; `None` if there are none on either side.
    ///
    /// # Errors
    /// If a rank or iteration does not exist.
    pub(super) fn of(diff: &TraceDiff) -> Result<Option<Self>, Error> {
        let df = diff.clone().device_type(DeviceType::GPU).use_short_name(false).compare_traces()?;
        let table = frame_table(&df, "", df.height());
        let place = |name: &str| table.headers.iter().position(|header| header.name == name);
        let (Some(name), Some(control), Some(test)) =
            (place("name"), place("control_total_duration"), place("test_total_duration"))
        else {
            return Ok(None);
        };
        let is_work = |row: &&Vec<Cell>| !matches!(&row[name], Cell::Text(text) if WAITS.contains(&text.as_str()));
        let sum = |column: usize| {
            let values = table.rows.iter().filter(is_work).map(|row| match row[column] {
                Cell::Float(value) => value,
                Cell::Int(value) => value as f64,
                _ => 0.0,
            });
            values.sum::<f64>()
        };
        let time = Self { control: sum(control), test: sum(test) };
        Ok((time.control > 0.0 || time.test > 0.0).then_some(time))
    }

    /// How much more the test has, of what the control has; `None` if the control has none.
    pub(super) fn change_percent(&self) -> Option<f64> {
        (self.control > 0.0).then(|| 100.0 * (self.test - self.control) / self.control)
    }

    /// `12.31 ms → 13.20 ms (+7.2 %)`
    pub(super) fn words(&self) -> String {
        let change = match self.change_percent() {
            Some(percent) => format!("{percent:+.1} %").replace('-', "−"),
            None => "none before".to_owned(),
        };
        format!("{} → {} ({change})", time(self.control), time(self.test))
    }
}

fn time(micros: f64) -> String {
    match micros {
        more if more >= 1e6 => format!("{:.2} s", more / 1e6),
        more if more >= 1e3 => format!("{:.2} ms", more / 1e3),
        less => format!("{less:.2} µs"),
    }
}

/// Everything but the rows.
pub(super) struct Answer {
    /// Of control and test, as they were typed.
    pub(super) paths: [String; 2],
    pub(super) selection: Selection,
    pub(super) device: Option<DeviceTime>,
    pub(super) groups: OpsDiff,
    pub(super) warnings: Vec<String>,
}

impl Answer {
    /// What stands above the table.
    pub(super) fn text(&self) -> String {
        let [control, test] = &self.paths;
        let device = self.device.map_or_else(|| "no events of a GPU".to_owned(), |device| device.words());
        format!(
            "control      {control}\ntest         {test}\ndevice time  {device}\noperators    {}",
            summary(&self.groups)
        )
    }

    /// Writes the whole answer as JSON; `file` are the rows.
    ///
    /// # Errors
    /// If it cannot be written.
    pub(super) fn write_json(&self, file: &DataFrame, out: &mut dyn Write) -> std::io::Result<()> {
        let table = frame_table(file, "", file.height());
        let names: Vec<&str> = table.headers.iter().map(|header| header.name.as_str()).collect();
        let row = |row: &Vec<Cell>| -> Value {
            names.iter().zip(row).map(|(name, cell)| ((*name).to_owned(), value(cell))).collect::<Map<_, _>>().into()
        };
        let side = |path: &str, side: &Side| {
            let iterations = match &side.window {
                Window::Iterations(numbers) => json!(numbers),
                Window::Whole => Value::Null,
            };
            json!({ "path": path, "ranks": side.ranks, "iterations": iterations })
        };
        let device = self.device.map(|device| {
            json!({ "control_us": device.control, "test_us": device.test, "change_percent": device.change_percent() })
        });
        let selection = &self.selection;
        let document = json!({
            "version": 1,
            "control": side(&self.paths[0], &selection.control),
            "test": side(&self.paths[1], &selection.test),
            "device_type": selection.device_type.to_string().to_lowercase(),
            "use_short_name": selection.use_short_name,
            "filter": selection.filter,
            "device_time": device,
            "groups": self.groups,
            "columns": names,
            "rows": table.rows.iter().map(row).collect::<Vec<_>>(),
            "warnings": self.warnings,
        });
        serde_json::to_writer_pretty(&mut *out, &document)?;
        writeln!(out)
    }

    /// Holds the device time against `--fail-over`.
    ///
    /// # Errors
    /// [`Error::FailOver`] if it grew by more than `most` percent; a usage error if there is none.
    pub(super) fn hold(&self, call: &Call<'_>, most: f64) -> Result<(), Error> {
        let Some(device) = self.device else {
            return Err(call.usage("--fail-over: neither side has an event of a GPU to hold against it."));
        };
        let exceeded = device.change_percent().is_none_or(|percent| percent > most);
        if exceeded {
            let words = device.words();
            return Err(Error::FailOver(format!("device time grew by more than {most} %: {words}")));
        }
        Ok(())
    }
}

fn value(cell: &Cell) -> Value {
    match cell {
        Cell::Null => Value::Null,
        Cell::Text(text) => Value::from(text.as_str()),
        Cell::Int(number) => Value::from(*number),
        Cell::Float(number) => Value::from(*number),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_change_is_of_the_control() {
        let time = DeviceTime { control: 2_000.0, test: 2_100.0 };
        assert_eq!(time.change_percent(), Some(5.0));
        assert_eq!(time.words(), "2.00 ms → 2.10 ms (+5.0 %)");
        assert_eq!(DeviceTime { control: 8.0, test: 4.0 }.words(), "8.00 µs → 4.00 µs (−50.0 %)");
        assert_eq!(DeviceTime { control: 0.0, test: 4.0 }.change_percent(), None);
    }
}
