//! Tests of instants and counters: handwritten events, chunks, and serde_json as the judge of generated ones.
#![allow(clippy::unwrap_used)]

use super::columns::MEMORY_ARGS;
use super::{COUNTER_COLUMNS, INSTANT_COLUMNS, TablesBuilder};
use crate::exec::pool::run_jobs;
use crate::read::{Boundaries, Plan, read_events, read_planned};
use polars::prelude::{AnyValue, DataFrame, DataType};
use serde_json::{Map, Value, json};
use std::fmt::Write as _;
use trace_testkit::Random;

const CUT: Plan<'_> = Plan { boundaries: Boundaries::Guessed(100), buffer_size: 64, coordinator_parses: false };

/// Returns the instants and the counters of a text, each row as an object without its nulls.
fn tables(text: &str) -> [Vec<Value>; 2] {
    let mut builder = TablesBuilder::default();
    read_events(text.as_bytes(), "test", &mut builder).unwrap();
    let sequential = objects(builder);
    for workers in [1, 3] {
        let parallel = run_jobs(1 + workers, vec![()], |pool, ()| {
            let mut builder = TablesBuilder::default();
            read_planned(text.as_bytes(), CUT, pool, "test", &mut builder).unwrap();
            objects(builder)
        });
        assert_eq!(parallel, vec![sequential.clone()], "{workers} workers");
    }
    sequential
}

fn objects(builder: TablesBuilder) -> [Vec<Value>; 2] {
    let tables = builder.finish().unwrap();
    for (frame, columns) in [(&tables.instants, INSTANT_COLUMNS), (&tables.counters, COUNTER_COLUMNS)] {
        let names: Vec<&str> = frame.columns().iter().map(|column| column.name().as_str()).collect();
        assert_eq!(names, columns.iter().map(|column| column.name).collect::<Vec<_>>());
    }
    [rows(&tables.instants), rows(&tables.counters)]
}

fn rows(frame: &DataFrame) -> Vec<Value> {
    let row = |row: usize| {
        let mut object = Map::new();
        for column in frame.columns() {
            let value = match column.get(row).unwrap() {
                AnyValue::Null => continue,
                AnyValue::Int64(value) => json!(value),
                AnyValue::Float64(value) => json!(value),
                other => json!(other.get_str().unwrap()),
            };
            object.insert(column.name().to_string(), value);
        }
        Value::Object(object)
    };
    (0..frame.height()).map(row).collect()
}

fn document(events: &[&str]) -> String {
    format!("{{\"traceEvents\": [{}]}}", events.join(",\n"))
}

#[test]
fn memory_instants_have_typed_columns_and_other_args() {
    let [instants, counters] = tables(&document(&[
        r#"{"ph": "X", "cat": "cpu_op", "name": "a", "ts": 1, "dur": 2, "pid": 1, "tid": 1, "args": {"Bytes": 5}}"#,
        r#"{"ph": "i", "cat": "cpu_instant_event", "s": "t", "name": "[memory]", "pid": 118, "tid": 119, "ts": 4354485333923.569,
            "args": {"Total Reserved": 0, "Total Allocated": 16384, "Bytes": -16384, "Device Id": -1, "Device Type": 0,
            "Addr": 93922010283712, "finished":false, "Ev Idx": 24727, "list": [1,{"a":"b"}]}}"#,
        r#"{"ph": "i", "s": "g", "name": "Iteration Start: PyTorch Profiler", "pid": "Traces", "tid": "Trace", "ts": 5.5}"#,
        r#"{"ph": "s", "cat": "ac2g", "name": "flow", "id": 3, "ts": 1}"#,
        r#"{"ph": "I", "name": "mark", "ts": "7", "cat": "c", "args": {"Bytes": 1, "text": "a\"b"}}"#,
    ]));
    assert_eq!(counters, [json!(null); 0]);
    assert_eq!(
        instants,
        [
            json!({"index": 1, "name": "[memory]", "cat": "cpu_instant_event", "ts": 4_354_485_333_923_569_i64, "pid": 118,
                "tid": 119, "scope": "t", "bytes": -16384, "addr": 93_922_010_283_712_i64, "total_allocated": 16384,
                "total_reserved": 0, "device_type": 0, "device_id": -1, "ev_idx": 24727,
                "args": r#"{"finished": false, "list": [1, {"a": "b"}]}"#}),
            json!({"index": 2, "name": "Iteration Start: PyTorch Profiler", "ts": 5500, "scope": "g"}),
            json!({"index": 4, "name": "mark", "cat": "c", "ts": 7000, "args": r#"{"Bytes": 1, "text": "a\"b"}"#}),
        ]
    );
}

#[test]
fn counters_have_a_row_per_series() {
    let [instants, counters] = tables(&document(&[
        r#"{"ph": "C", "name": "GPU 0", "pid": 0, "ts": 12.001, "id": 7, "args": {"utilisation": 0.25, "bytes": 9007199254740993}}"#,
        r#"{"ph": "C", "name": "queue", "pid": 3, "ts": 13, "cat": "q", "args": {"length": 4}}"#,
        r#"{"ph": "C", "name": "empty", "pid": 3, "ts": 13, "args": {}}"#,
        r#"{"ph": "C", "name": "none", "pid": 3, "ts": 13}"#,
    ]));
    assert_eq!(instants, [json!(null); 0]);
    assert_eq!(
        counters,
        [
            json!({"index": 0, "name": "GPU 0", "ts": 12001, "pid": 0, "id": "7", "series": "utilisation", "value": 0.25}),
            json!({"index": 0, "name": "GPU 0", "ts": 12001, "pid": 0, "id": "7", "series": "bytes",
                "value": 9_007_199_254_740_992_f64, "integer": 9_007_199_254_740_993_i64}),
            json!({"index": 1, "name": "queue", "cat": "q", "ts": 13000, "pid": 3, "series": "length", "value": 4.0, "integer": 4}),
        ]
    );
}

#[test]
fn hostile_arguments_keep_what_is_readable() {
    let [instants, counters] = tables(&document(&[
        // Beyond 64 bits, a fraction, a text and a repeated key of memory.
        r#"{"ph": "i", "name": "[memory]", "ts": 1e400, "args": {"Addr": 18446744073709551615, "Bytes": 1.5,
            "Device Id": "x", "Total Allocated": 1, "Total Allocated": null, "Total Reserved": [], "Total Reserved": 6}}"#,
        r#"{"ph": "R", "name": null, "ts": null, "args": [1]}"#,
        r#"{"ph": "i", "name": "Bad \x escape", "ts": -0.0005, "args": {"\u0061": "\ud800", "": NaN}}"#,
        r#"{"ph": "i", "name": "a", "cat": "has a row", "ts": 1, "dur": 2, "args": {"x": 1}}"#,
        r#"{"ph": "i", "name": "broken" "ts": 1}"#,
        r#"{"ph": "C", "name": "c", "ts": 1, "args": {"a": "1.5", "b": true, "c": null, "d": [1], "e": 1e999, "a": 2, "f": NaN}}"#,
        r#"{"ph": "C", "name": "c", "ts": 1, "args": "text"}"#,
        r#"{"ph": "C", "ph": "i", "name": "last phase counts", "ts": 1, "args": {"a": 1}}"#,
    ]));
    assert_eq!(
        instants,
        [
            json!({"index": 0, "name": "[memory]", "total_reserved": 6, "args":
                r#"{"Addr": 18446744073709551615, "Bytes": 1.5, "Device Id": "x", "Total Allocated": null}"#}),
            json!({"index": 1}),
            json!({"index": 2, "name": "Bad \\x escape", "ts": -1, "args": "{\"a\": \"\u{fffd}\", \"\": NaN}"}),
            json!({"index": 7, "name": "last phase counts", "ts": 1000, "args": r#"{"a": 1}"#}),
        ]
    );
    let series = |name: &str| json!({"index": 5, "name": "c", "ts": 1000, "series": name});
    let mut expected = ["b", "c", "d", "e", "a", "f"].map(series);
    expected[4]["value"] = json!(2.0);
    expected[4]["integer"] = json!(2);
    assert_eq!(counters, expected);
}

#[test]
fn later_list_of_events_supersedes_an_earlier_one() {
    let [instants, _] = tables(
        r#"{"traceEvents": [{"ph": "i", "name": "old", "ts": 1}], "traceEvents": [{"ph": "i", "name": "new", "ts": 2}]}"#,
    );
    assert_eq!(instants, [json!({"index": 0, "name": "new", "ts": 2000})]);
}

#[test]
fn event_with_very_many_arguments_takes_no_quadratic_time() {
    let mut args = String::new();
    for key in 0..200_000 {
        let _ = write!(args, "\"k{key}\": {key}, ");
    }
    let event = |phase: &str| format!(r#"{{"ph": "{phase}", "name": "n", "ts": 1, "args": {{{args}"k0": 5}}}}"#);
    let mut builder = TablesBuilder::default();
    let text = document(&[&event("i"), &event("C")]);
    read_events(text.as_bytes(), "test", &mut builder).unwrap();
    let tables = builder.finish().unwrap();
    assert_eq!((tables.instants.height(), tables.counters.height()), (1, 200_000));
}

/// Returns the rows that an event of valid JSON becomes: an instant, counters.
fn expected(index: i64, event: &Value) -> (Option<Value>, Vec<Value>) {
    let text = |key: &str| event.get(key).filter(|value| !value.is_null());
    let mut row = Map::new();
    row.insert("index".to_owned(), json!(index));
    for key in ["name", "cat"] {
        if let Some(value) = text(key) {
            row.insert(key.to_owned(), value.clone());
        }
    }
    if let Some(ts) = event["ts"].as_i64() {
        row.insert("ts".to_owned(), json!(ts * 1000));
    }
    if let Some(pid) = event["pid"].as_i64() {
        row.insert("pid".to_owned(), json!(pid));
    }
    let nothing = Map::new();
    let args = event["args"].as_object().unwrap_or(&nothing);
    if text("dur").is_some() && text("cat").is_some() {
        return (None, Vec::new());
    }
    match event["ph"].as_str() {
        Some("i" | "I" | "R") => {
            for (key, from) in [("tid", "tid"), ("scope", "s")] {
                if let Some(value) = text(from) {
                    row.insert(key.to_owned(), value.clone());
                }
            }
            let is_memory = event["name"] == "[memory]";
            let mut others = args.clone();
            for (key, column) in MEMORY_ARGS.into_iter().filter(|_| is_memory) {
                if let Some(value) = args.get(key).filter(|value| value.is_i64()) {
                    row.insert(column.to_owned(), value.clone());
                    others.remove(key);
                }
            }
            if !others.is_empty() {
                row.insert("args".to_owned(), Value::Object(others));
            }
            (Some(Value::Object(row)), Vec::new())
        }
        Some("C") => {
            let series = args.iter().map(|(key, value)| {
                let mut row = row.clone();
                row.insert("series".to_owned(), json!(key));
                if let Some(value) = value.as_f64() {
                    row.insert("value".to_owned(), json!(value));
                }
                // A whole number may be written with a point.
                if let Some(value) = value.as_f64().filter(|value| value.fract() == 0.0) {
                    row.insert("integer".to_owned(), json!(value as i64));
                }
                Value::Object(row)
            });
            (None, series.collect())
        }
        _ => (None, Vec::new()),
    }
}

#[test]
fn generated_events_become_the_rows_that_serde_json_sees() {
    let mut random = Random::new(17);
    for _ in 0..60 {
        let mut events: Vec<Value> = Vec::new();
        for at in 0..random.below(60) {
            let mut event = json!({
                "ph": *random.of(&["i", "I", "R", "C", "X", "M"]),
                "name": *random.of(&["[memory]", "mark", "é \"quoted\"", "C"]),
                "ts": at * 7,
                "pid": *random.of(&[1, 2, -1]),
            });
            for (key, value) in [
                ("cat", json!("c")),
                ("dur", json!(3)),
                ("tid", json!(at)),
                ("s", json!("g")),
                (
                    "args",
                    json!({"Bytes": at as i64 - 9, "Addr": 1_u64 << 46, "x": [1, {"y": "z"}], "f": 0.25 * at as f64}),
                ),
            ] {
                if random.below(3) > 0 && (key != "s" && key != "tid" || event["ph"] != "C") {
                    event[key] = value;
                }
            }
            events.push(event);
        }
        let [mut instants, mut counters] = tables(&json!({ "traceEvents": events }).to_string());
        for instant in &mut instants {
            if let Some(args) = instant.get("args").and_then(Value::as_str) {
                instant["args"] = serde_json::from_str(args).unwrap();
            }
        }
        let all: Vec<_> = events.iter().zip(0..).map(|(event, index)| expected(index, event)).collect();
        assert_eq!(instants, all.iter().filter_map(|(instant, _)| instant.clone()).collect::<Vec<_>>());
        let key = |row: &Value| (row["index"].as_i64(), row["series"].to_string());
        counters.sort_by_key(key);
        let mut series: Vec<Value> = all.into_iter().flat_map(|(_, series)| series).collect();
        series.sort_by_key(key);
        assert_eq!(counters, series);
    }
}

#[test]
fn tables_without_rows_have_their_columns_and_types() {
    let mut builder = TablesBuilder::default();
    read_events(document(&[]).as_bytes(), "test", &mut builder).unwrap();
    let tables = builder.finish().unwrap();
    assert_eq!((tables.instants.shape(), tables.counters.shape()), ((0, 15), (0, 9)));
    assert_eq!(tables.instants.column("ts").unwrap().dtype(), &DataType::Int64);
    assert_eq!(tables.counters.column("value").unwrap().dtype(), &DataType::Float64);
    assert!(tables.counters.column("series").unwrap().dtype().is_categorical());
}

#[test]
fn hardware_counters_have_the_device_of_their_process() {
    let event = |pid: &str, key: &str| {
        format!(
            r#"{{"ph": "C", "cat": "hardware_counters", "name": "sm__cycles", "pid": {pid}, "ts": 1, "args": {{"{key}": 5}}}}"#
        )
    };
    let events = [event("\"GPU 3 Counters\"", ""), event("\"12\"", "x"), event("\"other\"", "x")].join(", ");
    let [_, counters] = tables(&format!(r#"{{"traceEvents": [{events}]}}"#));
    let found: Vec<_> = counters.iter().map(|row| (row["pid"].as_i64(), row["series"].as_str().unwrap())).collect();
    assert_eq!(found, [(Some(3), "sm__cycles"), (Some(12), "x"), (None, "x")]);
}
