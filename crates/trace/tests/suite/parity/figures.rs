//! The figures of a comparison.

use super::goldens::{DIFFS, close, files, json, load, say, shared};
use super::ledger::counted;
use serde_json::Value;
use trace::polars::prelude::{DataFrame, IdxCa, NewChunkedArray};
use trace::{DeviceType, LabeledTrace, SelectEvents, TraceDiff};
use trace_view::Points;

#[test]
fn bars_equal_htas() {
    let Some(shared) = shared("figures") else { return };
    let mut total = 0;
    for (golden, control, test) in DIFFS {
        let folder = shared.join("golden").join(golden).join("figures");
        if !folder.is_dir() {
            continue;
        }
        let (control, test) = (load(&shared, control), load(&shared, test));
        let sides = || TraceDiff::new(LabeledTrace::new("Control", &control), LabeledTrace::new("Test", &test));
        let frames: Vec<DataFrame> = [false, true]
            .map(|short| sides().device_type(DeviceType::GPU).use_short_name(short).compare_traces().unwrap())
            .into();
        for path in files(&folder, "visualize_") {
            let figure = &json(&path)[0];
            let names: Vec<&str> = figure["data"][0]["x"]
                .as_array()
                .map(|x| x.iter().filter_map(Value::as_str).collect())
                .unwrap_or_default();
            let df = frames
                .iter()
                .find_map(|df| picked(df, &names))
                .unwrap_or_else(|| panic!("{}: {names:?}", path.display()));
            let duration = path.to_string_lossy().contains("duration");
            let ours = if duration {
                TraceDiff::visualize_duration_diff(&df).unwrap()
            } else {
                TraceDiff::visualize_counts_diff(&df).unwrap()
            };
            assert_eq!(figure["layout"]["title"]["text"], ours.title.as_str());
            assert_eq!(ours.series.len(), figure["data"].as_array().unwrap().len());
            for (ours, golden) in ours.series.iter().zip(figure["data"].as_array().unwrap()) {
                assert_eq!(golden["name"], ours.name.as_str());
                assert_eq!(ours.x, Points::Names(names.iter().map(|name| (*name).to_owned()).collect()));
                let y = golden["y"].as_array().cloned().unwrap_or_default();
                assert_eq!(ours.y.len(), y.len());
                assert!(
                    ours.y.iter().zip(&y).all(|(ours, golden)| close(*ours, golden.as_f64().unwrap())),
                    "{}",
                    path.display()
                );
            }
            total += 1;
        }
    }
    say(&format!("figures: {total}/{total}"));
    counted("figures of comparisons", [total, 0, 0]);
    assert!(total >= 8, "only {total} figures found");
}

/// The rows of these names, in their order; `None` if a name is missing.
fn picked(df: &DataFrame, names: &[&str]) -> Option<DataFrame> {
    let column = df.columns()[0].str().unwrap();
    let rows: Option<Vec<u32>> =
        names.iter().map(|name| column.iter().position(|ours| ours == Some(name)).map(|row| row as u32)).collect();
    Some(df.take(&IdxCa::from_slice("rows".into(), &rows?)).unwrap())
}
