//! HTA's critical paths and the traces over which they are drawn.

use super::goldens::{close, csv, either, json, load, load_exact, shared};
use super::ledger::counted;
use polars::prelude::{AnyValue, DataFrame};
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use trace::{HtaCriticalPath, HtaOverlay, HtaPath, Result, TraceAnalysis, TraceSet};

/// A case of an `index.json`.
struct Case {
    folder: PathBuf,
    trace: String,
    params: Value,
    fails: bool,
}

fn cases(shared: &Path) -> Vec<Case> {
    let root = shared.join("golden");
    let (mut cases, mut folders) = (Vec::new(), vec![root.clone()]);
    while let Some(folder) = folders.pop() {
        if !folder.ends_with("rest") {
            let entries = std::fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().path());
            folders.extend(entries.filter(|path| path.is_dir()));
            continue;
        }
        let trace = folder.parent().unwrap().strip_prefix(&root).unwrap().to_string_lossy().into_owned();
        for (name, case) in json(&folder.join("index.json")).as_object().unwrap() {
            if name.starts_with("critical_path/") {
                let (params, fails) = (case["params"].clone(), case["error"] == true);
                cases.push(Case { folder: folder.join(name), trace: trace.clone(), params, fails });
            }
        }
    }
    cases.sort_by(|one, other| one.folder.cmp(&other.folder));
    cases
}

impl Case {
    /// The question; `None` for an instance that cannot be asked for.
    fn query(&self) -> Option<HtaCriticalPath> {
        let number = |value: &Value| value.as_u64().map(|number| number as usize);
        let instances = match &self.params["instance_id"] {
            Value::Null => (0, 0),
            Value::Array(ends) => (number(&ends[0])?, number(&ends[1])?),
            one => (number(one)?, number(one)?),
        };
        let texts = self.params["data_load_events"].as_array().into_iter().flatten();
        Some(HtaCriticalPath {
            rank: self.params["rank"].as_i64(),
            annotation: self.params["annotation"].as_str().unwrap().to_owned(),
            instances,
            data_load_events: texts.map(|text| text.as_str().unwrap().to_owned()).collect(),
            add_zero_weight_launch_edges: self.params["add_zero_weight"] == true,
            strict_negative_weights: self.params["strict"] == true,
            exact_times: self.params["no_rounding"] == true,
        })
    }

    fn answer(&self, traces: &TraceSet) -> Option<Result<HtaPath>> {
        Some(TraceAnalysis::new(traces).unwrap().critical_path_analysis(&self.query()?))
    }
}

/// The rows of a frame as HTA writes them, without the columns that the golden has not.
fn texts(frame: &DataFrame, heads: &[String]) -> Vec<Vec<String>> {
    let columns: Vec<_> = heads.iter().map(|head| frame.column(head).unwrap()).collect();
    let value = |value: AnyValue<'_>| match value {
        AnyValue::Null => String::new(),
        AnyValue::Boolean(is) => u8::from(is).to_string(),
        AnyValue::Float64(number) => number.to_string(),
        other => other.get_str().map_or_else(|| other.to_string(), str::to_owned),
    };
    (0..frame.height()).map(|row| columns.iter().map(|column| value(column.get(row).unwrap())).collect()).collect()
}

/// The first difference of two tables.
fn difference(what: &str, ours: &[Vec<String>], golden: &[Vec<String>]) -> Option<String> {
    let at = (0..ours.len().max(golden.len())).find(|&at| ours.get(at) != golden.get(at))?;
    Some(format!(
        "{what}: {} rows, HTA {}; row {at}: {:?}, HTA {:?}",
        ours.len(),
        golden.len(),
        ours.get(at),
        golden.get(at)
    ))
}

/// Why a path is not the golden one.
fn differences(case: &Case, path: &HtaPath) -> Vec<String> {
    let mut found = Vec::new();
    let facts: BTreeMap<String, f64> = path.facts().into_iter().collect();
    for row in csv(&case.folder.join("graph.csv")).1 {
        let near = |ours: f64, golden: f64| match case.params["no_rounding"] == true {
            // HTA's sums are then partly of floats of 32 bits.
            true => (ours - golden).abs() <= 2e-5 * golden.abs(),
            false => ours == golden,
        };
        let is_equal = match (facts.get(&row[0]), row[1].parse::<f64>()) {
            (Some(ours), Ok(golden)) => near(*ours, golden),
            (None, _) => row[0] == "ok" || row[1].is_empty(),
            _ => false,
        };
        if !is_equal {
            found.push(format!("graph {}: {:?}, HTA {}", row[0], facts.get(&row[0]), row[1]));
        }
    }
    let tables: [(&str, Result<DataFrame>, bool); 5] = [
        ("nodes.csv", path.nodes(), false),
        ("edges.csv", path.edges(), false),
        ("path.csv", path.path(), false),
        ("breakdown.csv", path.breakdown(), false),
        ("breakdown_by_name.csv", path.by_name(), true),
    ];
    for (name, ours, is_sorted) in tables {
        let golden = either(case.folder.join(name));
        if golden.exists() {
            let (heads, rows) = csv(&golden);
            let mut ours = texts(&ours.unwrap(), &heads);
            if is_sorted {
                ours.sort();
            }
            found.extend(difference(name, &ours, &rows));
        }
    }
    let summary = path.summary().unwrap();
    let (heads, golden) = csv(&case.folder.join("summary.csv"));
    let ours = texts(&summary, &heads);
    let percent = |row: &[String]| row[1].parse::<f64>().unwrap_or(0.0);
    let is_same =
        |(one, other): (&Vec<String>, &Vec<String>)| one[0] == other[0] && close(percent(one), percent(other));
    if ours.len() != golden.len() || !ours.iter().zip(&golden).all(is_same) {
        found.push(format!("summary: {ours:?}, HTA {golden:?}"));
    }
    found.extend(what_if(case, path));
    found
}

/// Why the lengths after changes of weights are not the golden ones.
fn what_if(case: &Case, path: &HtaPath) -> Vec<String> {
    let golden = case.folder.join("what_if.csv");
    if !golden.exists() {
        return Vec::new();
    }
    let wrong = |row: Vec<String>| {
        let (change, factor) = (row[0].as_str(), row[1].parse::<f64>().unwrap());
        let (nodes, length) = path.simulate(|edge| {
            let is_operator = edge.kind == "operator" && edge.event.is_some();
            let is_changed = match change {
                "operators on the GPU" => is_operator && edge.is_on_gpu,
                "operators on the CPU" => is_operator && !edge.is_on_gpu,
                _ if change.starts_with("kernel ") => is_operator && edge.is_on_gpu && edge.name == Some(&change[7..]),
                kind => edge.kind == kind,
            };
            if is_changed { factor } else { 1.0 }
        });
        let ours = [nodes.to_string(), length.to_string()];
        (ours != row[3..]).then(|| format!("what if {change}: {ours:?}, HTA {:?}", &row[3..]))
    };
    csv(&golden).1.into_iter().filter_map(wrong).collect()
}

/// Why the drawn traces are not the golden ones.
fn overlay_differences(case: &Case, path: &HtaPath) -> Vec<String> {
    let (heads, rows) = csv(&case.folder.join("overlay.csv"));
    let folder = tempfile::tempdir().unwrap();
    let mut found = Vec::new();
    for row in rows {
        let mode = match row[0].as_str() {
            "default" => HtaOverlay::Critical,
            "marked" => HtaOverlay::Marked,
            _ => HtaOverlay::EveryEdge,
        };
        let copy = path.overlay(&folder.path().join("made"), mode).unwrap();
        copy.save().unwrap();
        let trace = json(&copy.target);
        let events = trace["traceEvents"].as_array().unwrap();
        let is_flow = |event: &&Value| event["cat"] == "critical_path";
        let flows: Vec<&Value> = events.iter().filter(is_flow).collect();
        for (head, golden) in heads.iter().zip(&row) {
            let count = |is: &dyn Fn(&&Value) -> bool| events.iter().filter(is).count().to_string();
            let ours = match head.as_str() {
                "mode" => row[0].clone(),
                "file" => copy.target.file_name().unwrap().to_string_lossy().into_owned(),
                "events" => events.len().to_string(),
                "flows" => (flows.len() / 2).to_string(),
                "critical_flows" => {
                    (flows.iter().filter(|flow| flow["args"]["critical"] == true).count() / 2).to_string()
                }
                "complete_events_marked_critical" => {
                    count(&|event| event["ph"] == "X" && event["args"]["critical"] == 1)
                }
                phase => count(&|event| event["ph"] == phase.trim_start_matches("events_ph_")),
            };
            if ours != *golden && !(golden.is_empty() && ours == "0") {
                found.push(format!("overlay {} {head}: {ours}, HTA {golden}", row[0]));
            }
        }
        let golden = either(case.folder.join(format!("overlay.{}.flows.csv", row[0])));
        if golden.exists() {
            let mut ours: Vec<Vec<String>> = flows.chunks(2).map(|pair| flow_texts(pair[0], pair[1])).collect();
            let mut golden = csv(&golden).1;
            ours.sort();
            golden.sort();
            found.extend(difference(&format!("overlay.{}.flows.csv", row[0]), &ours, &golden));
        }
    }
    let critical: Vec<Vec<String>> = path.critical_events().iter().map(|event| vec![event.to_string()]).collect();
    let golden = csv(&either(case.folder.join("overlay.critical_events.csv"))).1;
    found.extend(difference("overlay.critical_events.csv", &critical, &golden));
    found
}

/// A pair of flow events as the goldens have it, whose times are whole µs.
fn flow_texts(from: &Value, to: &Value) -> Vec<String> {
    assert_eq!((&from["ph"], &to["ph"], &to["bp"], &from["id"]), (&"s".into(), &"f".into(), &"e".into(), &to["id"]));
    let text = |value: &Value| value.as_str().map_or_else(|| value.to_string(), str::to_owned);
    let end = |event: &Value| {
        [text(&event["pid"]), text(&event["tid"]), (event["ts"].as_f64().unwrap().floor() as i64).to_string()]
    };
    let args = &from["args"];
    let kind = args["type"].as_str().unwrap().trim_start_matches("critical_path_").to_owned();
    let critical = u8::from(args["critical"] == true).to_string();
    end(from).into_iter().chain(end(to)).chain([args["weight"].to_string(), critical, kind]).collect()
}

#[test]
fn critical_paths_equal_htas() {
    let Some(shared) = shared("critical paths") else { return };
    let (mut matched, mut decided, mut wrong) = (0, 0, Vec::new());
    for case in cases(&shared) {
        let golden = case.folder.join("graph.csv");
        let is_none = golden.exists() && csv(&golden).1.iter().any(|row| row[0] == "result");
        let traces = load(&shared, &case.trace);
        if case.fails || is_none {
            // A message names the instances that there are; a trace without launches is answered on the CPU.
            let answer = case.answer(&traces);
            assert!(answer.is_none_or(|answer| answer.is_ok() == (case.trace == "cpu_only")), "{:?}", case.folder);
            decided += 1;
            continue;
        }
        let mut found = Vec::new();
        let exact = load_exact(&shared, &case.trace);
        let needs_exact = case.params["no_rounding"] == true;
        for (how, traces) in [("", &traces), ("loaded exactly: ", &exact)] {
            if how.is_empty() && needs_exact {
                continue;
            }
            let path = case.answer(traces).unwrap().unwrap();
            let mut differences = differences(&case, &path);
            if how.is_empty() && case.folder.join("overlay.csv").exists() {
                differences.extend(overlay_differences(&case, &path));
            }
            found.extend(differences.into_iter().map(|text| format!("{} {how}{text}", case.folder.display())));
        }
        matched += usize::from(found.is_empty());
        wrong.extend(found);
    }
    assert!(wrong.is_empty(), "{} differences:\n{}", wrong.len(), wrong.join("\n"));
    counted("critical paths, with their graphs, simulations and overlaid traces", [matched, decided, 0]);
}
