//! Comparisons of timelines written by hand.
#![allow(clippy::unwrap_used)]

use crate::{
    Comparison, Compat, DeviceType, Error, LabeledTrace, LoadOptions, OpsDiff, Pick, SelectEvents, TraceDiff, TraceSet,
    Warning, Window, display_table, frame_table,
};
use polars::prelude::{DataFrame, DataType, IntoLazy, col, lit};
use trace_testkit::{Stream, TraceBuilder};
use trace_view::{Kind, Present, TableValue, Unit};

/// Two iterations; in the first `aten::mm` twice and one kernel, in the second `aten::add`.
fn control() -> TraceSet {
    let json = TraceBuilder::new()
        .step(1, 0..100)
        .operator("aten::mm", 10..20)
        .operator("aten::mm", 30..45)
        .runtime("cudaLaunchKernel", 1, 12..14)
        .kernel("void gemm<float>(int)", Stream(7), 20..60)
        .correlation(1)
        .step(2, 100..200)
        .operator("aten::add", 110..115)
        .json();
    TraceSet::from_bytes(json).unwrap().with_label("control")
}

/// One iteration, numbered 5: `aten::mm` once and slower, `aten::relu` new, a kernel of another type.
fn test() -> TraceSet {
    let json = TraceBuilder::new()
        .rank(3)
        .step(5, 0..100)
        .operator("aten::mm", 10..45)
        .operator("aten::relu", 50..51)
        .annotation("aten::relu", 50..53)
        .runtime("cudaLaunchKernel", 1, 12..14)
        .kernel("void gemm<half>(int)", Stream(7), 20..50)
        .correlation(1)
        .json();
    TraceSet::from_bytes(json).unwrap().with_label("test")
}

type Row = (String, i64, f64, i64, f64, i64, f64, String);

fn rows(df: &DataFrame) -> Vec<Row> {
    let text = |column: usize, row: usize| df.columns()[column].get(row).unwrap().get_str().unwrap().to_owned();
    let int = |column: usize, row: usize| df.columns()[column].i64().unwrap().get(row).unwrap();
    let float = |column: usize, row: usize| df.columns()[column].f64().unwrap().get(row).unwrap();
    (0..df.height())
        .map(|row| {
            let (control, test) = ((int(1, row), float(2, row)), (int(3, row), float(4, row)));
            (text(0, row), control.0, control.1, test.0, test.1, int(5, row), float(6, row), text(7, row))
        })
        .collect()
}

fn row(name: &str, control: (i64, f64), test: (i64, f64), diff: (i64, f64), change: &str) -> Row {
    (name.to_owned(), control.0, control.1, test.0, test.1, diff.0, diff.1, change.to_owned())
}

#[test]
fn first_iterations_are_compared_by_name() {
    let df = TraceDiff::new(control(), test()).compare_traces().unwrap();
    let heads = [
        "name",
        "control_counts",
        "control_total_duration",
        "test_counts",
        "test_total_duration",
        "diff_counts",
        "diff_duration",
        "counts_change_categories",
    ];
    assert_eq!(df.get_column_names(), heads);
    // Names of control first, by code point; then those only in test. Equal names of two categories are one row.
    let expected = [
        row("ProfilerStep#1", (1, 100.0), (0, 0.0), (-1, -100.0), "-"),
        row("aten::mm", (2, 25.0), (1, 35.0), (-1, 10.0), "-"),
        row("cudaLaunchKernel", (1, 2.0), (1, 2.0), (0, 0.0), "="),
        row("void gemm<float>(int)", (1, 40.0), (0, 0.0), (-1, -40.0), "-"),
        row("ProfilerStep#5", (0, 0.0), (1, 100.0), (1, 100.0), "+"),
        row("aten::relu", (0, 0.0), (2, 4.0), (2, 4.0), "+"),
        row("void gemm<half>(int)", (0, 0.0), (1, 30.0), (1, 30.0), "+"),
    ];
    assert_eq!(rows(&df), expected);
}

#[test]
fn devices_short_names_and_lists_select_rows() {
    let diff = TraceDiff::new(control(), test()).device_type(DeviceType::GPU).use_short_name(true);
    let df = diff.compare_traces().unwrap();
    assert_eq!(df.get_column_names()[0], "short_name");
    assert_eq!(rows(&df), [row("gemm", (1, 40.0), (1, 30.0), (0, -10.0), "=")]);

    let df = TraceDiff::new(control(), test()).control_iteration([1, 2]).device_type(DeviceType::CPU);
    let names: Vec<String> = rows(&df.compare_traces().unwrap()).into_iter().map(|row| row.0).collect();
    assert_eq!(
        names,
        [
            "ProfilerStep#1",
            "ProfilerStep#2",
            "aten::add",
            "aten::mm",
            "cudaLaunchKernel",
            "ProfilerStep#5",
            "aten::relu"
        ]
    );
    let nothing = TraceDiff::new(control(), test()).control_iteration([]).test_iteration([]).compare_traces().unwrap();
    assert_eq!((nothing.height(), nothing.width()), (0, 8));
}

#[test]
fn ops_diff_groups_names_by_change() {
    let answer = TraceDiff::new(control(), test()).ops_diff().unwrap();
    let expected = OpsDiff {
        added: vec!["ProfilerStep#5".into(), "aten::relu".into(), "void gemm<half>(int)".into()],
        deleted: vec!["ProfilerStep#1".into(), "void gemm<float>(int)".into()],
        increased: vec![],
        decreased: vec!["aten::mm".into()],
        unchanged: vec!["cudaLaunchKernel".into()],
    };
    assert_eq!(answer, expected);
    let json = serde_json::to_string(&answer).unwrap();
    let offsets: Vec<usize> = ["added", "deleted", "increased", "decreased", "unchanged"]
        .map(|key| json.find(&format!("\"{key}\"")).unwrap())
        .into();
    assert!(offsets.is_sorted(), "{json}");
    let plain = trace_render::bundles(&answer.present())[0].plain().to_owned();
    assert!(plain.contains("aten::relu") && plain.contains("3 added"), "{plain}");
}

#[test]
fn changes_do_not_depend_on_labels() {
    let expected = TraceDiff::new(control(), test()).ops_diff().unwrap();
    // Labels that look like columns, and those of the two sides the wrong way round.
    let labels =
        [("a", "b"), ("test", "control"), ("diff", "x_counts"), ("x", "x_counts"), ("name", "diff"), ("\"", ",")];
    for (one, other) in labels {
        let (control, test) = (control().with_label(one), test().with_label(other));
        let diff = TraceDiff::new(&control, &test);
        let df = diff.compare_traces().unwrap();
        let sides = Comparison::of(&df).unwrap();
        let names = df.column("name").unwrap().str().unwrap().iter().map(|name| name.unwrap().to_owned());
        let groups: OpsDiff = sides.changes(&df).unwrap().into_iter().zip(names).collect();
        assert_eq!((&groups, &diff.ops_diff().unwrap()), (&expected, &expected), "{one} {other}");
        let table = frame_table(&df, "", 99);
        let changes = table.changes.unwrap();
        let words: Vec<&str> = changes.rows.iter().map(|&kind| changes.kinds[kind]).collect();
        assert_eq!(words, ["deleted", "decreased", "unchanged", "deleted", "added", "added", "added"], "{one} {other}");
    }
    let diff = TraceDiff::new(control().with_label("diff"), test());
    assert_eq!(diff.compare_traces().unwrap().get_column_names()[1], "diff_control_counts");
}

#[test]
fn comparison_survives_filters_and_files() {
    let df = TraceDiff::new(control().with_label("a"), test().with_label("b")).compare_traces().unwrap();
    let sides = Comparison::of(&df).unwrap();
    let more = df.clone().lazy().filter(col("counts_change_categories").eq(lit("+"))).collect().unwrap();
    assert_eq!(more.height(), 3);
    let sorted = df.clone().lazy().sort(["diff_duration"], Default::default()).collect().unwrap();
    let selected = sorted.select(["name", "b_counts", "counts_change_categories"]).unwrap();
    let stacked = more.vstack(&sorted).unwrap();
    for frame in [&more, &sorted, &selected, &stacked] {
        assert_eq!(Comparison::of(frame).as_ref(), Some(&sides));
    }
    assert!(frame_table(&selected, "", 9).changes.is_none());
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.arrow");
    crate::write::arrow::save_frame(&more, &path).unwrap();
    let mapped = crate::write::arrow::map_frame(&path).unwrap();
    assert_eq!((Comparison::of(&mapped).as_ref(), mapped.equals(&more)), (Some(&sides), true));
    assert_eq!(frame_table(&mapped, "", 9).changes.unwrap().rows, [0, 0, 0]);
}

#[test]
fn unmarked_frame_is_not_a_comparison() {
    let df = TraceDiff::new(control(), test()).compare_traces().unwrap();
    let mut foreign = df.clone();
    foreign.with_column(df.column("counts_change_categories").unwrap().cast(&DataType::String).unwrap()).unwrap();
    let table = frame_table(&foreign, "", 9);
    assert!(Comparison::of(&foreign).is_none() && table.changes.is_none());
    assert!(table.headers.iter().all(|header| !matches!(header.kind, Kind::Difference | Kind::Change)));
    assert_eq!(display_table(&foreign, "", 9).headers.len(), 8);
}

#[test]
fn shown_table_has_the_change_in_percent() {
    let df = TraceDiff::new(control().with_label("a"), test().with_label("b")).compare_traces().unwrap();
    let table = display_table(&df, "", 99);
    let names: Vec<&str> = table.headers.iter().map(|header| header.name.as_str()).collect();
    assert_eq!(names[5..], ["diff_counts", "diff_duration", "diff", "counts_change_categories"]);
    let percent: Vec<TableValue> = table.rows.iter().map(|row| row[7].clone()).collect();
    assert_eq!(percent[1], TableValue::Float(40.0));
    assert_eq!(percent[2], TableValue::Float(0.0));
    assert_eq!(percent[3], TableValue::Float(-100.0));
    assert_eq!(percent[4..], [TableValue::Null, TableValue::Null, TableValue::Null]);
    let text = table.text();
    assert!(text.contains("diff [%]") && text.contains("▲ +40") && text.contains("−"), "{text}");
}

#[test]
fn short_names_are_grouped_on_request() {
    let diff = TraceDiff::new(control(), test()).device_type(DeviceType::GPU);
    assert_eq!(diff.ops_diff().unwrap().added, ["void gemm<half>(int)"]);
    let short = diff.use_short_name(true).ops_diff().unwrap();
    assert_eq!((short.added.len(), short.unchanged), (0, vec!["gemm".to_owned()]));
}

#[test]
fn trace_compares_with_itself_under_distinct_labels() {
    let trace = control();
    let selection = TraceDiff::new(&trace, &trace).control_iteration(1).test_iteration(2).selection().unwrap();
    assert_eq!((selection.control.label.as_str(), selection.test.label.as_str()), ("control_control", "control_test"));
    let (same, other) = (control().with_label("same"), test().with_label("same"));
    let selection = TraceDiff::new(&same, &other).selection().unwrap();
    assert_eq!((selection.control.label.as_str(), selection.test.label.as_str()), ("same", "same_control_test"));
    assert_eq!(selection.control.window, Window::Iterations(vec![1]));
    assert_eq!((selection.control.ranks, selection.test.ranks), (vec![0], vec![3]));
}

#[test]
fn unknown_ranks_and_iterations_are_refused() {
    let message = |diff: TraceDiff| diff.compare_traces().unwrap_err().to_string();
    let diff = TraceDiff::new(control(), test());
    assert_eq!(message(diff.clone().test_iteration(7)), "trace \"test\" has no iteration 7 (has 5)");
    assert_eq!(message(diff.clone().control_iteration(0..3)), "trace \"control\" has no iteration 0 (has 1, 2)");
    assert_eq!(message(diff.clone().test_rank(0)), "trace \"test\" has no rank 0 (has 3)");
    assert_eq!(message(diff.control_rank([])), "no rank of trace \"control\" is selected (has 0)");
    assert_eq!(
        "tpu".parse::<DeviceType>().unwrap_err().to_string(),
        "unknown device type `tpu`: expected CPU, GPU or ALL"
    );
    assert_eq!("gPu".parse::<DeviceType>().unwrap(), DeviceType::GPU);
}

#[test]
fn trace_without_steps_counts_whole_with_a_warning() {
    let json = TraceBuilder::new().operator("aten::mm", 0..10).operator("aten::mm", 500..510).json();
    let bare = TraceSet::from_bytes(json).unwrap().with_label("bare");
    let diff = TraceDiff::new(&bare, control()).device_type(DeviceType::CPU);
    let df = diff.compare_traces().unwrap();
    assert_eq!(rows(&df)[0], row("aten::mm", (2, 20.0), (2, 25.0), (0, 5.0), "="));
    assert_eq!(diff.selection().unwrap().control.window, Window::Whole);
    let [warning @ Warning::NoProfilerStep { .. }] = &diff.warnings()[..] else { panic!("{:?}", diff.warnings()) };
    assert!(warning.to_string().contains("no ProfilerStep: the whole window counts as the one iteration"));
    let error = diff.control_iteration(3).compare_traces().unwrap_err();
    assert!(matches!(error, Error::NoIterations { iteration: 3, .. }), "{error}");
}

#[test]
fn sides_loaded_differently_have_a_warning() {
    let json = TraceBuilder::new().step(1, 0..10).json();
    let options = LoadOptions { compat: Compat::Hta, label: Some("rounded".into()), ..LoadOptions::default() };
    let rounded = TraceSet::from_bytes_with(json, &options).unwrap();
    let diff = TraceDiff::new(control(), &rounded);
    let expected = Warning::MixedCompat { hta: "rounded".into(), exact: "control".into() };
    assert_eq!(diff.warnings(), [expected]);
    assert_eq!(TraceDiff::new(&rounded, &rounded).warnings(), []);
}

#[test]
fn durations_are_exact_sums() {
    // A thousand times 0.001 µs at a time of day where doubles hold no nanoseconds.
    let start = 1_716_423_327_123_456_000;
    let mut builder = TraceBuilder::new().nanos().step(1, start..start + 10_000);
    for number in 0..1000 {
        builder = builder.operator("tick", start + number..start + number + 1);
    }
    let trace = TraceSet::from_bytes(builder.json()).unwrap();
    let df = TraceDiff::new(&trace, &trace).compare_traces().unwrap();
    assert_eq!(rows(&df)[1].2, 1.0);
}

#[test]
fn figures_follow_the_frame_and_refuse_other_frames() {
    let df = TraceDiff::new(control(), test()).compare_traces().unwrap();
    let top = df.sort(["diff_duration"], Default::default()).unwrap().head(Some(2));
    let figure = TraceDiff::visualize_duration_diff(&top).unwrap();
    assert_eq!(
        (figure.title.as_str(), figure.y.title.as_str(), figure.y.unit),
        ("Ops Duration Comparison", "Total Duration", Unit::Micros)
    );
    let names: Vec<&str> = figure.series.iter().map(|series| series.name.as_str()).collect();
    assert_eq!(names, ["control", "test", "Difference"]);
    assert_eq!(figure.series[2].y, [-100.0, -40.0]);
    let counts = TraceDiff::visualize_counts_diff(&top).unwrap();
    assert_eq!((counts.title.as_str(), &counts.series[0].y), ("Ops Count Comparison", &vec![1.0, 1.0]));
    let other = top.drop("diff_counts").unwrap();
    let error = TraceDiff::visualize_counts_diff(&other).unwrap_err().to_string();
    assert!(error.contains("it has no column `diff_counts` of numbers; pass the result of compare_traces"), "{error}");
    let error = TraceDiff::visualize_counts_diff(&control().events()).unwrap_err().to_string();
    assert!(error.contains("no two columns that end in `_total_duration`"), "{error}");
}

#[test]
fn extracted_events_are_summarized() {
    let trace = LabeledTrace::from(control());
    let ops = trace.extract_ops(Some(Pick::from(0)), None, DeviceType::CPU).unwrap();
    let names = ops.column("name").unwrap().cast(&DataType::String).unwrap();
    let names: Vec<&str> = names.str().unwrap().iter().flatten().collect();
    assert_eq!(names, ["ProfilerStep#1", "aten::mm", "aten::mm", "cudaLaunchKernel"]);
    assert_eq!(ops.get_column_names()[0], "rank");
    let summary = LabeledTrace::get_ops_summary(&ops).unwrap();
    let counts: Vec<i64> = summary.column("counts").unwrap().i64().unwrap().iter().flatten().collect();
    let durations: Vec<f64> = summary.column("total_duration").unwrap().f64().unwrap().iter().flatten().collect();
    assert_eq!((counts, durations), (vec![2, 1, 1], vec![25.0, 2.0, 100.0]));
    let error = LabeledTrace::get_ops_summary(&summary).unwrap_err();
    assert!(matches!(error, Error::NotEvents { .. }), "{error}");
}

#[test]
fn filter_applies_to_both_sides() {
    let side = |dur: i64| {
        let builder = TraceBuilder::new().step(1, 1000..2000).operator("a", 1000..1000 + dur).operator("b", 1500..1510);
        TraceSet::from_bytes(builder.json()).unwrap()
    };
    let (control, test) = (side(100).with_label("c"), side(300).with_label("t"));
    let names = |filter: &str| -> Vec<String> {
        let diff = TraceDiff::new(&control, &test).filter(filter.parse::<crate::filter::Where>().unwrap());
        let df = diff.compare_traces().unwrap();
        df.column("name").unwrap().str().unwrap().iter().flatten().map(str::to_owned).collect()
    };
    assert_eq!(names("dur > 100us"), ["ProfilerStep#1", "a"]);
    assert_eq!(names("dur > 100us and dur < 1ms"), ["a"]);
    // On the clock that starts with the first event.
    assert_eq!(names("ts >= 500us"), ["b"]);
    assert_eq!(names("rank == 0 and cat == cpu_op"), ["a", "b"]);
    assert_eq!(names("rank == 1"), Vec::<String>::new());
    let diff = TraceDiff::new(&control, &test);
    let refused =
        diff.clone().filter("nme == a".parse::<crate::filter::Where>().unwrap()).compare_traces().unwrap_err();
    assert!(refused.to_string().contains("unknown column `nme`"), "{refused}");
    let refused = diff.filter(polars::prelude::col("dur")).ops_diff().unwrap_err();
    assert!(refused.to_string().contains("true or false for each event, found i64"), "{refused}");
}
