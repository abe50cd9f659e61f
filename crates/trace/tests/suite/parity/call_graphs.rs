//! Both call graphs of HTA: every row, the list of stacks, and the stacks of single events.

use super::events::nanos;
use super::goldens::{csv, either, files, json, load, load_exact, say, shared};
use serde_json::Value;
use std::collections::BTreeSet;
use std::path::Path;
use trace::Questions;
use trace::polars::prelude::{DataFrame, DataType};
use trace::{CallGraph, CallStack, Compat, Rank, TraceAnalysis, TraceSet};

/// Traces with recorded call graphs.
const TRACES: [&str; 10] = [
    "amd_trace",
    "call_stack",
    "cpu_only",
    "critical_path/alexnet",
    "critical_path/cuda_event_sync",
    "execution_trace",
    "nccl_parser_config",
    "trace_compare/base",
    "trace_filter",
    "triton_example",
];

/// The columns of the goldens that are moments or durations.
const TIMES: [&str; 4] = ["kernel_dur_sum", "kernel_span", "first_kernel_start", "last_kernel_end"];

/// How HTA was given the trace.
enum TraceForm {
    /// As parsed.
    Parsed(TraceSet),
    /// Prepared for analyses.
    Loaded(TraceAnalysis),
}

impl TraceForm {
    fn graph(&self, rank: i64) -> DataFrame {
        let query = CallGraph { ranks: Some(vec![rank]), compat: Some(Compat::Hta), ..CallGraph::default() };
        match self {
            Self::Parsed(traces) => traces.call_graph(&query).unwrap(),
            Self::Loaded(analysis) => analysis.call_graph(&query).unwrap(),
        }
    }

    fn stack(&self, rank: i64, index: i64, skip_ancestors: bool) -> BTreeSet<i64> {
        let query = CallStack { index, rank: Some(rank), skip_ancestors, compat: Some(Compat::Hta) };
        let stack = match self {
            Self::Parsed(traces) => traces.call_stack(&query).unwrap(),
            Self::Loaded(analysis) => analysis.call_stack(&query).unwrap(),
        };
        ints(&stack, "index").into_iter().flatten().collect()
    }
}

fn ints(df: &DataFrame, name: &str) -> Vec<Option<i64>> {
    df.column(name).unwrap().cast(&DataType::Int64).unwrap().i64().unwrap().to_vec()
}

#[test]
fn call_graphs_equal_htas() {
    let Some(shared) = shared("call graphs") else { return };
    let (mut tables, mut total, mut stacks) = (0, 0, 0);
    for name in TRACES {
        let folder = shared.join("golden").join(name).join("rest/call_graph");
        for (case, form) in recorded_cases(&shared, name, &folder) {
            let golden = folder.join(case);
            for path in files(&golden, "rank") {
                let rank = rank_of(&path);
                let rows = compare(&form.graph(rank), &path, &exceptions(&golden, rank));
                (tables, total) = (tables + 1, total + rows);
                stacks += compare_stacks(&form, rank, &golden.join(format!("stack_of_node.rank{rank}.json")));
            }
        }
    }
    say(&format!("call graphs: {total} rows in {tables} tables, {stacks} stacks of events"));
    assert!(tables >= 23 && total >= 43_515 && stacks > 300, "{tables} tables, {total} rows, {stacks} stacks");
}

/// The recorded cases of a trace.
fn recorded_cases(shared: &Path, name: &str, folder: &Path) -> Vec<(&'static str, TraceForm)> {
    let traces = load(shared, name);
    let cases = [
        ("parsed", TraceForm::Parsed(traces.clone())),
        ("loaded", TraceForm::Loaded(TraceAnalysis::new(&traces).unwrap())),
        ("parsed.no_rounding", TraceForm::Parsed(load_exact(shared, name))),
    ];
    cases.into_iter().filter(|(case, _)| folder.join(case).is_dir()).collect()
}

/// `rank3.csv.gz` → 3.
fn rank_of(path: &Path) -> i64 {
    let name = path.file_name().unwrap().to_string_lossy().into_owned();
    name.trim_start_matches("rank").split('.').next().unwrap().parse().unwrap()
}

/// Events of which HTA's result depends on the way in which Python sorts.
fn exceptions(folder: &Path, rank: i64) -> BTreeSet<i64> {
    let (_, rows) = csv(&either(folder.join(format!("order_dependent.rank{rank}.csv"))));
    rows.iter().map(|row| row[0].parse().unwrap()).collect()
}

fn compare(graph: &DataFrame, path: &Path, exceptions: &BTreeSet<i64>) -> usize {
    let (heads, rows) = csv(path);
    let file = path.display();
    assert_eq!(rows.len(), graph.height(), "{file}");
    let columns: Vec<Vec<Option<i64>>> = heads.iter().map(|head| ints(graph, head)).collect();
    for (row, golden) in rows.iter().enumerate() {
        if exceptions.contains(&golden[0].parse().unwrap()) {
            continue;
        }
        // HTA's fractions of µs are doubles, to about 1 ns; a span may be whole although its ends are not.
        let is_fractional = golden.iter().any(|field| field.contains('.'));
        for (at, head) in heads.iter().enumerate() {
            let is_time = TIMES.contains(&head.as_str()) && golden[at] != "-1";
            let expected = if is_time { nanos(&golden[at]) } else { golden[at].parse().unwrap() };
            let error = columns[at][row].unwrap().abs_diff(expected);
            assert!(
                error <= if is_time && is_fractional { 2 } else { 0 },
                "{file} row {row}: {head} of {golden:?} is {:?}",
                columns[at][row]
            );
        }
    }
    rows.len()
}

/// Compares the recorded stacks of events; of long ones count and sum were recorded.
fn compare_stacks(form: &TraceForm, rank: i64, path: &Path) -> usize {
    let mut compared = 0;
    for (index, recorded) in json(path).as_object().unwrap() {
        // HTA's recursion does not end for an event that is its own parent.
        if recorded.get("error").is_some() {
            continue;
        }
        for (key, skip_ancestors) in [("with_ancestors", false), ("skip_ancestors", true)] {
            let stack = form.stack(rank, index.parse().unwrap(), skip_ancestors);
            match &recorded[key] {
                Value::Array(rows) => {
                    let rows: BTreeSet<i64> = rows.iter().map(|row| row.as_i64().unwrap()).collect();
                    assert_eq!(stack, rows, "{} {index} {key}", path.display());
                }
                long => {
                    let sum: i64 = stack.iter().sum();
                    assert_eq!((long["count"].as_u64(), long["sum"].as_i64()), (Some(stack.len() as u64), Some(sum)));
                }
            }
            compared += 1;
        }
    }
    compared
}

#[test]
fn lists_of_call_stacks_equal_htas() {
    let Some(shared) = shared("lists of call stacks") else { return };
    for name in TRACES {
        let folder = shared.join("golden").join(name).join("rest/call_graph");
        for (case, form) in recorded_cases(&shared, name, &folder) {
            let (heads, rows) = csv(&folder.join(case).join("mapping.csv"));
            let analysis = match form {
                TraceForm::Parsed(traces) => TraceAnalysis::with_last_profiler_step(&traces, true).unwrap(),
                TraceForm::Loaded(analysis) => analysis,
            };
            let mapping = analysis.call_stack_mapping(None).unwrap();
            let names: Vec<&str> = mapping.get_column_names().into_iter().map(|name| name.as_str()).collect();
            assert_eq!(names, heads, "{name} {case}");
            let text = |at: usize| mapping.columns()[at].cast(&DataType::String).unwrap();
            for (at, head) in heads.iter().enumerate() {
                let ours: Vec<String> = text(at).str().unwrap().iter().flatten().map(str::to_owned).collect();
                let golden: Vec<String> = rows.iter().map(|row| row[at].clone()).collect();
                assert_eq!(ours, golden, "{name} {case} {head}");
            }
        }
    }
}

#[test]
fn older_call_graphs_equal_htas() {
    let Some(shared) = shared("older call graphs") else { return };
    let mut total = 0;
    for name in TRACES {
        let folder = shared.join("golden").join(name).join("rest/call_graph/old");
        if !folder.is_dir() {
            continue;
        }
        let traces = load(&shared, name);
        for path in files(&folder, "rank") {
            let rank = Rank::from(rank_of(&path));
            let graph = traces.older_call_graph(Some(&[i64::from(rank)])).unwrap();
            let (heads, rows) = csv(&path);
            assert_eq!((heads.join(","), rows.len()), ("index,parent,depth".to_owned(), graph.height()), "{name}");
            for (at, head) in heads.iter().enumerate() {
                let golden: Vec<Option<i64>> = rows.iter().map(|row| row[at].parse().ok()).collect();
                assert_eq!(ints(&graph, head), golden, "{name} {head}");
            }
            total += rows.len();
        }
    }
    say(&format!("older call graphs: {total} rows"));
    assert!(total > 900, "{total} rows");
}
