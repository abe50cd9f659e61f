//! The columns of arguments, under every recorded config, and the readers.

use super::goldens::{close, csv, either, files, json, load, load_asking, say, shared};
use super::ledger::counted;
use serde_json::Value;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use trace::config::ParserBackend;
use trace::polars::prelude::{AnyValue, DataFrame, DataType, Int64Chunked};
use trace::{FillDefaults, ParserConfig};

#[test]
fn every_config_makes_htas_columns() {
    let Some(shared) = shared("parser_config") else { return };
    let golden = shared.join("golden");
    let (mut matched, mut decided, mut columns, mut cells) = (0, 0, 0, 0);
    let mut missing = Vec::new();
    for folder in folders(&golden) {
        let name = folder.strip_prefix(&golden).unwrap().to_str().unwrap();
        for path in
            files(&folder.join("parser_config"), "").into_iter().filter(|path| path.extension().unwrap() == "json")
        {
            let case = path.file_stem().unwrap().to_str().unwrap();
            let recorded = json(&path);
            let config = config(case);
            let set = load_asking(&shared, name, config.clone());
            let events = set.rank(recorded["rank"].as_i64().unwrap()).unwrap().events();
            let filled = Filled { config: &config, frame: config.fill_defaults(&events).unwrap() };
            let sample = either(path.with_extension("sample.csv"));
            match filled.differs(&recorded).or_else(|| filled.differs_from_sample(&sample, &mut cells)) {
                None => {
                    matched += 1;
                    columns += recorded["columns"].as_object().unwrap().len();
                }
                Some(reason) => missing.push(format!("{name} {case}: {reason}")),
            }
        }
        // HTA raises where a trace has no streams; we load it.
        for call in json(&folder.join("errors.json")).as_object().unwrap().keys() {
            let Some(case) = call.strip_prefix("parser_config/") else { continue };
            let set = load_asking(&shared, name, config(case));
            assert!(set.event_count() > 0 && set.events().column("stream").is_ok(), "{name} {case}");
            decided += 1;
        }
    }
    for reason in &missing {
        say(reason);
    }
    say(&format!(
        "parser_config: {matched} cases matched ({columns} columns, {cells} cells of samples), {decided} on which HTA \
         raised, {} missing",
        missing.len()
    ));
    counted("configurations of the parser", [matched, decided, missing.len()]);
    assert!(matched >= 41 && missing.is_empty(), "{matched} matched, {} missing", missing.len());
}

#[test]
fn every_reader_keeps_htas_events() {
    let Some(shared) = shared("backends") else { return };
    let golden = shared.join("golden");
    let mut matched = 0;
    for folder in folders(&golden) {
        let name = folder.strip_prefix(&golden).unwrap().to_str().unwrap();
        let index = json(&folder.join("index.json"));
        for backend in ParserBackend::EACH {
            let recorded = &index[format!("backend {backend}")];
            let Some(events) = recorded["events"].as_u64() else { continue };
            let set = load_asking(&shared, name, ParserConfig::new([]).set_parser_backend(backend));
            let rank = &set.traces()[0];
            assert_eq!(rank.info().events as u64, events, "{name} {backend}");
            let durations =
                rank.events().column("dur").unwrap().i64().unwrap().iter().flatten().sum::<i64>() as f64 / 1e3;
            assert!(close(durations, recorded["sum_dur"].as_f64().unwrap()), "{name} {backend}: {durations}");
            let filled = ParserConfig::new([]).fill_defaults(&rank.events()).unwrap();
            let ours: BTreeSet<&str> = filled.get_column_names().into_iter().map(|name| name.as_str()).collect();
            let theirs = recorded["columns"].as_array().unwrap().iter().map(|name| name.as_str().unwrap());
            assert_eq!(ours, theirs.collect(), "{name} {backend}");
            matched += 1;
        }
    }
    say(&format!("backends: {matched}/{matched} readers"));
    counted("readers", [matched, 0, 0]);
    assert!(matched >= 4, "only {matched} found");
}

/// The folders in which a config was recorded.
fn folders(golden: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut open = vec![golden.to_owned()];
    while let Some(folder) = open.pop() {
        for path in files(&folder, "").into_iter().filter(|path| path.is_dir()) {
            if path.file_name().unwrap() == "parser_config" {
                found.push(folder.clone());
            } else {
                open.push(path);
            }
        }
    }
    found.sort();
    found
}

/// The config of a case, as the recorder made it.
fn config(case: &str) -> ParserConfig {
    let minimum = || ParserConfig::new(ParserConfig::ARGS_MINIMUM);
    let arg = |key: &str| ParserConfig::arg(key).unwrap();
    match case {
        "default" => ParserConfig::new([]),
        "minimum" => minimum(),
        "info" => minimum().add_args(["info::labels", "info::sort_index"].map(arg)),
        "complete" => ParserConfig::new(ParserConfig::ARGS_COMPLETE),
        "minimum_plus_added" => minimum().add_args(
            ["sm::occupancy", "sm::warps", "kernel::shared_memory", "threads::grid", "cpu_op::sequence_number"]
                .map(arg),
        ),
        "parse_all_args" => minimum().set_parse_all_args(true),
        other => panic!("no config is known for the recorded case {other}"),
    }
}

struct Filled<'a> {
    config: &'a ParserConfig,
    frame: DataFrame,
}

impl Filled<'_> {
    /// Why names, sums or numbers of distinct values are not the recorded ones.
    fn differs(&self, recorded: &Value) -> Option<String> {
        let golden = recorded["columns"].as_object().unwrap();
        let rows = self.frame.height();
        if recorded["events"] != rows {
            return Some(format!("{rows} events, golden {}", recorded["events"]));
        }
        let ours: BTreeSet<&str> = self.frame.get_column_names().into_iter().map(|name| name.as_str()).collect();
        let theirs: BTreeSet<&str> = golden.keys().map(String::as_str).chain(["name", "cat"]).collect();
        if ours != theirs {
            let (more, less): (Vec<_>, Vec<_>) =
                (ours.difference(&theirs).collect(), theirs.difference(&ours).collect());
            return Some(format!("columns {more:?} are not HTA's, {less:?} are not ours"));
        }
        golden.iter().find_map(|(column, golden)| {
            let texts: Vec<Option<String>> = (0..rows).map(|row| self.text(column, row)).collect();
            let present = texts.iter().flatten().count();
            if golden["non_null"] != present {
                return Some(format!("{column}: {present} values, golden {golden}"));
            }
            if let Some(sum) = golden.get("sum") {
                let ours: f64 = texts.iter().flatten().filter_map(|text| text.parse::<f64>().ok()).sum();
                return (!close(ours, sum.as_f64().unwrap())).then(|| format!("{column}: sum {ours}, golden {golden}"));
            }
            let distinct: BTreeSet<&String> = texts.iter().flatten().collect();
            (golden["distinct"] != distinct.len())
                .then(|| format!("{column}: {} values, golden {golden}", distinct.len()))
        })
    }

    /// Why the rows of the sample are not ours.
    fn differs_from_sample(&self, path: &Path, cells: &mut usize) -> Option<String> {
        let (heads, rows) = csv(path);
        let index = self.ints("index");
        for golden in rows {
            let wanted: i64 = golden[0].parse().unwrap();
            let row = index.iter().position(|index| index == Some(wanted)).unwrap();
            for (column, golden) in heads.iter().zip(&golden) {
                let ours = self.text(column, row).unwrap_or_default();
                let numbers = ours.parse::<f64>().ok().zip(golden.parse::<f64>().ok());
                if ours != *golden && !numbers.is_some_and(|(ours, golden)| close(ours, golden)) {
                    return Some(format!("event {wanted}: {column} is {ours:?}, golden {golden:?}"));
                }
                *cells += 1;
            }
        }
        None
    }

    fn ints(&self, column: &str) -> Int64Chunked {
        self.frame.column(column).unwrap().cast(&DataType::Int64).unwrap().i64().unwrap().clone()
    }

    /// A value as HTA's frame has it, in Python's words; `None` is NaN.
    fn text(&self, column: &str, row: usize) -> Option<String> {
        let int = |column: &str| self.frame.column(column).unwrap().get(row).unwrap().extract::<i64>();
        match column {
            "ts" | "dur" | "end" => {
                let nanos = int(column).unwrap();
                assert_eq!(nanos % 1000, 0, "HTA's times are whole µs");
                return Some((nanos / 1000).to_string());
            }
            // −1 without a correlation, 0 with one whose partner is not in the trace.
            "index_correlation" => {
                return Some(int(column).unwrap_or(if int("correlation") == Some(-1) { -1 } else { 0 }).to_string());
            }
            // HTA's kernels on stream 0 have NaN.
            "iteration" => {
                let cat = self.frame.column("cat").unwrap().get(row).unwrap();
                let lost = int("stream") == Some(0) && cat.get_str() != Some("cpu_op");
                return int(column).or((!lost).then_some(-1)).map(|value| value.to_string());
            }
            _ => {}
        }
        match self.frame.column(column).unwrap().get(row).unwrap() {
            // A column of numbers cannot hold HTA's text.
            AnyValue::Null => {
                let spec = self.config.get_args().unwrap().into_iter().find(|spec| spec.name == column);
                let all = || ParserConfig::get_all_available_args().iter().map(|arg| arg.spec());
                let spec = spec.or_else(|| all().find(|spec| spec.name == column));
                Some(spec.map_or_else(String::new, |spec| spec.default_value.to_string().replace('"', "")))
            }
            AnyValue::Float64(value) => Some(format!("{value:?}")),
            value => {
                let text = value.get_str().map_or_else(|| value.to_string(), str::to_owned);
                let list = text.starts_with(['[', '{']).then(|| serde_json::from_str::<Value>(&text).ok()).flatten();
                Some(list.map_or(text, |list| python(&list)))
            }
        }
    }
}

/// A list as Python writes it.
fn python(value: &Value) -> String {
    match value {
        Value::Null => "None".to_owned(),
        Value::Bool(true) => "True".to_owned(),
        Value::Bool(false) => "False".to_owned(),
        Value::Number(number) => number.to_string(),
        Value::String(text) if text.contains('\'') => format!("\"{text}\""),
        Value::String(text) => format!("'{text}'"),
        Value::Array(values) => format!("[{}]", values.iter().map(python).collect::<Vec<_>>().join(", ")),
        Value::Object(map) => {
            let members: Vec<String> = map.iter().map(|(key, value)| format!("'{key}': {}", python(value))).collect();
            format!("{{{}}}", members.join(", "))
        }
    }
}

#[test]
fn a_config_changes_nothing_but_columns() {
    let Some(shared) = shared("parser_config") else { return };
    let name = "trace_filter";
    let plain = load(&shared, name).events();
    let all = load_asking(&shared, name, config("parse_all_args")).events();
    for column in ["rank", "index", "name", "ts", "dur", "stream", "correlation", "index_correlation", "iteration"] {
        assert!(plain.column(column).unwrap().equals_missing(all.column(column).unwrap()), "{column}");
    }
}
