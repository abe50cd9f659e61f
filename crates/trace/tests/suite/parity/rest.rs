//! Counters of kernels with their operators, the columns of execution traces, memory timelines.

use super::goldens::{close, csv, either, load, say, shared};
use super::ledger::counted;
use serde_json::Value;
use trace::polars::prelude::{AnyValue, DataFrame};
use trace::read::{ExecutionTrace, MemoryTimeline};
use trace::{FillDefaults, ParserConfig, TraceAnalysis};

/// Columns of moments and durations: µs in HTA's frames.
const TIMES: [&str; 3] = ["ts", "dur", "end"];
/// Columns that our frames derive, with nothing where HTA has −1.
const ABSENT: [&str; 2] = ["index_correlation", "iteration"];
/// Columns of lists, which HTA's frames have as Python objects.
const LISTS: [&str; 5] = ["op_stack", "input_shapes", "input_types", "output_shapes", "output_types"];

/// Compares a value with a field of a golden.
fn equals(name: &str, value: &AnyValue<'_>, golden: &str) -> bool {
    match value {
        AnyValue::Null => golden.is_empty() || (ABSENT.contains(&name) && golden == "-1"),
        value if LISTS.contains(&name) => {
            let parse = |text: &str| serde_json::from_str::<Value>(text).ok();
            parse(&text(value)) == parse(golden)
        }
        value if TIMES.contains(&name) => {
            close(value.extract::<f64>().unwrap_or(f64::NAN) / 1e3, golden.parse().unwrap_or(f64::NAN))
        }
        value => match (value.extract::<f64>(), golden.parse::<f64>()) {
            (Some(value), Ok(golden)) => close(value, golden),
            _ => text(value) == golden,
        },
    }
}

fn text(value: &AnyValue<'_>) -> String {
    value.get_str().map_or_else(|| value.to_string(), str::to_owned)
}

/// Counts the cells of a golden that are equal, and names the first that is not.
fn compare(df: &DataFrame, heads: &[String], rows: &[Vec<String>]) -> usize {
    assert_eq!(df.height(), rows.len());
    let mut cells = 0;
    for (at, head) in heads.iter().enumerate() {
        let column = df.column(head).unwrap_or_else(|_| panic!("no column {head}"));
        for (row, golden) in rows.iter().enumerate() {
            let value = column.get(row).unwrap();
            assert!(equals(head, &value, &golden[at]), "row {row}: {head} is {value:?}, of HTA {:?}", golden[at]);
            cells += 1;
        }
    }
    cells
}

#[test]
fn counters_with_operators_equal_htas() {
    let Some(shared) = shared("counters with operators") else { return };
    let traces = load(&shared, "cupti_synthetic");
    let analysis = TraceAnalysis::new(&traces).unwrap();
    let (heads, rows) = csv(&shared.join("golden/cupti_synthetic/rest/cupti_counter_data/rank0.csv"));
    let frames = analysis.get_cupti_counter_data_with_operators(None).unwrap();
    let mut frame = ParserConfig::get_default_cfg().fill_defaults(&frames[&0]).unwrap();
    // HTA does not move ends to the common clock.
    let end = frame.column("end").unwrap().as_materialized_series() + traces.origin();
    frame.with_column(end.into()).unwrap();
    let cells = compare(&frame, &heads, &rows);
    say(&format!("counters with operators: {cells} values of {} ranges", rows.len()));
    assert!(cells >= 300, "{cells}");
    counted("ranges of counters with their operators", [rows.len(), 0, 0]);

    let answer = analysis.ask(&trace::analysis::CuptiCounters::default()).unwrap();
    let table = &answer.tables[0].frame;
    let shared_columns = ["index", "name", "index_runtime", "top_level_op", "bottom_level_op"];
    let at = |name: &str| heads.iter().position(|head| head == name).unwrap();
    for name in shared_columns {
        let golden: Vec<Vec<String>> = rows.iter().map(|row| vec![row[at(name)].clone()]).collect();
        compare(table, &[name.to_owned()], &golden);
    }
    let weights = [("ffma", 2.0), ("hfma", 2.0), ("dfma", 2.0), ("fmul", 1.0), ("fadd", 1.0)];
    let weights = weights.into_iter().chain([("hmul", 1.0), ("hadd", 1.0), ("dmul", 1.0), ("dadd", 1.0)]);
    let names =
        weights.map(|(name, weight)| (format!("smsp__sass_thread_inst_executed_op_{name}_pred_on.sum"), weight));
    let names: Vec<(usize, f64)> = names.map(|(name, weight)| (at(&name), weight)).collect();
    for (row, golden) in rows.iter().enumerate() {
        let flops: f64 = names.iter().map(|(at, weight)| golden[*at].parse::<f64>().unwrap() * weight).sum();
        assert_eq!(table.column("flops").unwrap().get(row).unwrap().extract::<f64>(), Some(flops));
    }
}

#[test]
fn columns_of_execution_traces_equal_htas() {
    let Some(shared) = shared("execution traces") else { return };
    let execution = ExecutionTrace::load(shared.join("other/execution_trace/benchmark_simple_add_et.json.gz")).unwrap();
    let (with, matched) = load(&shared, "execution_trace").with_execution_trace(0, &execution).unwrap();
    let (heads, rows) = csv(&either(shared.join("golden/execution_trace/rest/execution_trace/correlated.csv")));
    let nodes = heads.iter().position(|head| head == "et_node").unwrap();
    assert_eq!(matched.matched, rows.iter().filter(|row| !row[nodes].is_empty()).count());
    let cells = compare(&with.traces()[0].decoded().unwrap(), &heads, &rows);
    say(&format!("columns of execution traces: {cells} values of {} events", rows.len()));
    counted("events with columns of an execution trace", [rows.len(), 0, 0]);
}

#[test]
fn memory_timelines_equal_htas() {
    let Some(shared) = shared("memory timelines") else { return };
    let timeline = MemoryTimeline::load(shared.join("other/memory_timeline/memory_timeline.raw.gz")).unwrap();
    let (heads, rows) = csv(&either(shared.join("golden/memory_timeline/rest/memory_timeline/memory_timeline.csv")));
    let cells = compare(&timeline.frame().unwrap(), &heads, &rows);
    say(&format!("memory timelines: {cells} values of {} moments", rows.len()));
    counted("moments of memory timelines", [rows.len(), 0, 0]);
}
