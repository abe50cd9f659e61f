//! Arguments that were asked for become typed columns.
#![allow(clippy::unwrap_used)]

use crate::frame::IntColumn;
use crate::{AttributeSpec, Error, FillDefaults, LoadOptions, ParserConfig, Trace, TraceSet, ValueType};
use polars::prelude::{DataFrame, DataType};
use trace_testkit::{Stream, TraceBuilder};

fn load(builder: &TraceBuilder, config: ParserConfig) -> TraceSet {
    let options = LoadOptions { parser_config: Some(config), ..LoadOptions::default() };
    TraceSet::from_bytes_with(builder.json(), &options).unwrap()
}

fn rank(builder: &TraceBuilder, words: &str) -> Trace {
    load(builder, words.parse().unwrap()).rank(0).unwrap()
}

/// Returns the columns of arguments with their types, and the values as text.
fn args(df: &DataFrame) -> Vec<(String, DataType, Vec<String>)> {
    let all = df.columns().iter().skip(12);
    let values = |column: &polars::prelude::Column| {
        let texts = column.cast(&DataType::String).unwrap();
        texts.str().unwrap().iter().map(|text| text.unwrap_or("-").to_owned()).collect()
    };
    let dtype = |column: &polars::prelude::Column| {
        if column.dtype().is_categorical() { DataType::String } else { column.dtype().clone() }
    };
    all.map(|column| (column.name().to_string(), dtype(column), values(column))).collect()
}

fn column(name: &str, dtype: DataType, values: &[&str]) -> (String, DataType, Vec<String>) {
    (name.to_owned(), dtype, values.iter().map(|value| (*value).to_owned()).collect())
}

fn three() -> TraceBuilder {
    TraceBuilder::new()
        .operator("a", 0..10)
        .arg("Sequence number", "7")
        .arg("Input Dims", "[[2,  3], []]")
        .arg("Trace name", "\"x\"")
        .kernel("k", Stream(7), 20..30)
        .correlation(4)
        .arg("est. achieved occupancy %", "40")
        .arg("blocks per SM", "0.5")
        .arg("warps per SM", "12")
        .kernel("l", Stream(7), 30..40)
        .correlation(5)
        .arg("blocks per SM", "2")
        .arg("grid", "[1, 2, 3]")
}

#[test]
fn requested_arguments_that_occur_become_columns() {
    let ours = |words: &str| args(&rank(&three(), words).events());
    let names = |words: &str| -> Vec<String> { ours(words).into_iter().map(|(name, ..)| name).collect() };
    assert_eq!(names("minimum"), ["launch_configuration"]);
    assert_eq!(names("default"), ["input_dims", "launch_configuration"]);
    assert_eq!(
        ours("cpu_op::sequence_number,sm::occupancy,sm::blocks,sm::warps,nccl::seq,threads::grid,input_shape"),
        [
            column("sequence", DataType::Int32, &["7", "-", "-"]),
            column("est_occupancy", DataType::Int64, &["-", "40", "-"]),
            column("blocks_per_sm", DataType::Float64, &["-", "0.5", "2.0"]),
            column("warps_per_sm", DataType::Float64, &["-", "12.0", "-"]),
            column("grid", DataType::String, &["-", "-", "[1, 2, 3]"]),
            column("input_dims", DataType::String, &["[[2, 3], []]", "-", "-"]),
            column(
                "launch_configuration",
                DataType::String,
                &["-", r#"{"est. achieved occupancy %": 40}"#, r#"{"grid": [1, 2, 3]}"#]
            ),
        ]
    );
    let trace = rank(&three(), "minimum");
    assert_eq!(IntColumn::of(&trace.events(), "stream").unwrap().get(1), Some(7));
}

#[test]
fn inferred_columns_are_named_and_typed_by_their_values() {
    let builder = TraceBuilder::new()
        .operator("a", 0..10)
        .arg("Trace iteration", "0")
        .arg("mixed", "1")
        .arg("late float", "1")
        .arg("name", "\"main\"")
        .arg("ts", "true")
        .arg("Rare (x)", "[1]")
        .operator("b", 0..10)
        .arg("mixed", "\"one\"")
        .arg("late float", "1.25")
        .arg("ts", "false")
        .arg("huge", "18446744073709551616")
        .operator("c", 0..10)
        .arg("mixed", "2.5")
        .arg("rare", "{\"a\":  1}")
        // No row, so that its argument makes no column.
        .raw(r#"{"ph": "M", "name": "process_name", "pid": 1, "args": {"labels": "CPU"}}"#);
    assert_eq!(
        args(&rank(&builder, "all").events()),
        [
            column("arg_name", DataType::String, &["main", "-", "-"]),
            column("trace_iteration", DataType::Int64, &["0", "-", "-"]),
            column("mixed", DataType::String, &["1", "one", "2.5"]),
            column("late_float", DataType::Float64, &["1.0", "1.25", "-"]),
            column("arg_ts", DataType::Int64, &["1", "0", "-"]),
            column("rare", DataType::String, &["[1]", "-", "{\"a\": 1}"]),
            column("huge", DataType::Float64, &["-", "1.8446744073709552e+19", "-"]),
        ]
    );
}

#[test]
fn types_that_differ_between_ranks_are_unified() {
    let folder = tempfile::tempdir().unwrap();
    let one = TraceBuilder::new().operator("a", 0..10).arg("x", "1").arg("y", "1").arg("z", "1.5");
    let two = TraceBuilder::new().rank(1).operator("a", 0..10).arg("x", "2.5").arg("y", "\"two\"").arg("z", "[3]");
    for (name, builder) in [("0.json", one), ("1.json", two)] {
        std::fs::write(folder.path().join(name), builder.json()).unwrap();
    }
    let options = LoadOptions { parser_config: Some("all".parse().unwrap()), ..LoadOptions::default() };
    let traces = TraceSet::load_with(folder.path(), &options, &mut |_| std::ops::ControlFlow::Continue(())).unwrap();
    let all = traces.events();
    let of = |name: &str| args(&all).into_iter().find(|(known, ..)| known == name).unwrap();
    assert_eq!(of("x"), column("x", DataType::Float64, &["1.0", "2.5"]));
    assert_eq!(of("y"), column("y", DataType::String, &["1", "two"]));
    assert_eq!(of("z"), column("z", DataType::String, &["1.5", "[3]"]));
}

#[test]
fn cupti_counters_become_columns_of_their_file() {
    let config = ParserConfig::new(ParserConfig::ARGS_MINIMUM);
    let with = TraceBuilder::new()
        .operator("a", 0..10)
        // The category stands behind the arguments.
        .raw(r#"{"ph": "X", "args": {"smsp__inst.sum": 12, "ts": 1.5}, "name": "range", "ts": 5, "dur": 2, "cat": "cuda_profiler_range"}"#)
        .operator("b", 12..20)
        .arg("smsp__inst.sum", "3")
        .arg("other", "4");
    assert_eq!(
        args(&load(&with, config.clone()).rank(0).unwrap().events()),
        [
            column("smsp__inst.sum", DataType::Int64, &["-", "12", "3"]),
            column("arg_ts", DataType::Float64, &["-", "1.5", "-"]),
        ]
    );
    let without = TraceBuilder::new().operator("a", 0..10).arg("smsp__inst.sum", "3");
    assert_eq!(args(&load(&without, config).rank(0).unwrap().events()), []);
}

#[test]
fn one_key_may_fill_two_columns_another_the_stream() {
    let spec = AttributeSpec::new;
    let config = ParserConfig::new([
        spec("first", "x", ValueType::Int),
        spec("second", "x", ValueType::Int),
        spec("stream", "Queue", ValueType::Int),
        spec("dur", "y", ValueType::Float),
    ]);
    let builder = TraceBuilder::new().operator("a", 0..10).arg("x", "3").arg("Queue", "9").arg("y", "1");
    let events = load(&builder, config).rank(0).unwrap().events();
    assert_eq!(
        args(&events),
        [
            column("first", DataType::Int64, &["3"]),
            column("second", DataType::Int64, &["3"]),
            column("arg_dur", DataType::Float64, &["1.0"]),
        ]
    );
    assert_eq!(IntColumn::of(&events, "stream").unwrap().get(0), Some(9));
}

#[test]
fn events_of_skipped_categories_are_counted_only() {
    let builder = TraceBuilder::new().complete("python_function", "f", 1, 1, 0..5).operator("a", 0..10);
    let all = load(&builder, ParserConfig::new([])).rank(0).unwrap();
    let config = ParserConfig::new([]).set_skip_event_types(Some(["python_function"]));
    let skipped = load(&builder, config).rank(0).unwrap();
    assert_eq!((all.info().events, skipped.info().events, skipped.info().events_in_file), (2, 1, 2));
    assert_eq!(IntColumn::of(&skipped.events(), "index").unwrap().get(0), Some(1));
}

#[test]
fn more_arguments_than_the_inline_buffer_are_read() {
    let builder =
        (0..300).fold(TraceBuilder::new().operator("a", 0..10), |builder, n| builder.arg(&format!("k{n}"), "1"));
    let traces = load(&builder, "all".parse().unwrap());
    assert_eq!(args(&traces.rank(0).unwrap().events()).len(), 256);
    let warned: Vec<String> = traces.warnings().iter().map(ToString::to_string).collect();
    assert!(warned.iter().any(|warning| warning.contains("more than 256 arguments")), "{warned:?}");
}

#[test]
fn selector_of_unknown_columns_is_refused() {
    let config = ParserConfig::new([]).set_args_selector(Some(["strm"]));
    let options = LoadOptions { parser_config: Some(config), ..LoadOptions::default() };
    let refused = TraceSet::from_bytes_with(three().json(), &options).unwrap_err();
    assert!(matches!(refused, Error::UnknownArg { .. }), "{refused}");
}

#[test]
fn decoded_names_are_strings() {
    let decoded = rank(&three(), "default").decoded().unwrap();
    for name in ["name", "cat", "input_dims"] {
        assert_eq!(decoded.column(name).unwrap().dtype(), &DataType::String);
    }
    assert_eq!(decoded.column("name").unwrap().str().unwrap().get(1), Some("k"));
}

#[test]
fn filled_defaults_equal_htas() {
    let config: ParserConfig = "default,sm::blocks".parse().unwrap();
    let events = load(&three(), config.clone()).rank(0).unwrap().events();
    let filled = config.fill_defaults(&events).unwrap();
    assert_eq!(filled.width(), 12 + 18 + 1);
    let text = |name: &str, row| filled.column(name).unwrap().get(row).unwrap().to_string();
    assert_eq!([text("stream", 0), text("bytes", 0), text("in_msg_nelems", 1)], ["-1", "-1", "0"]);
    assert_eq!([text("input_dims", 1), text("in_split_size", 0)], ["\"-1\"", "\"[]\""]);
    assert_eq!([text("blocks_per_sm", 0), text("blocks_per_sm", 1)], ["null", "0.5"]);
}

#[test]
fn what_identifies_a_collective_is_read_whatever_is_requested() {
    let kernel = |trace: TraceBuilder| trace.kernel("ncclDevKernel_SendRecv", Stream(20), 1..9);
    let trace = kernel(TraceBuilder::new())
        .arg("Seq", "3")
        .arg("Process Group Name", "\"7\"")
        .arg("Comms Id", "81985529216486895")
        .arg("Src Rank", "1")
        .arg("Dst Rank", "0")
        .arg("original_stream", "33")
        .arg("priority", "-5")
        .arg("kernel_file", "\"/tmp/x.py\"")
        .arg("occupancy", "{\"limitingFactors\": \"registers\"}");
    let load = |config: ParserConfig| load(&trace, config).traces()[0].decoded().unwrap();
    let value =
        |frame: &DataFrame, column: &str| Some(frame.column(column).ok()?.get(0).unwrap().str_value().to_string());
    let always = [
        ("seq_num", "3"),
        ("process_group_name", "7"),
        ("comms_id", "81985529216486895"),
        ("src_rank", "1"),
        ("dst_rank", "0"),
        ("original_stream", "33"),
        ("kernel_file", "/tmp/x.py"),
    ];
    let few = load(ParserConfig::new(ParserConfig::get_minimum_args()));
    for (column, expected) in always {
        assert_eq!(value(&few, column).as_deref(), Some(expected), "{column}");
    }
    assert_eq!((value(&few, "priority"), value(&few, "occupancy")), (None, None), "every kernel has them");
    let keys = ["cuda::priority", "sm::occupancy_limits"].map(|key| ParserConfig::arg(key).unwrap());
    let more = load(ParserConfig::new(keys));
    assert_eq!(value(&more, "priority").as_deref(), Some("-5"));
    assert!(value(&more, "occupancy").unwrap().contains("registers"));
}
