//! `%show --as bar|histogram`: the drawn columns, and errors for columns that cannot be drawn.

#![allow(clippy::unwrap_used)]
use super::Notebook;
use crate::display::Output;
use serde_json::{Value, json};
use trace::Comparison;
use trace::polars::df;
use trace_view::{PLOTLY, PNG, TABLE};

fn notebook() -> Notebook {
    let mut compared = df!(
        "name" => ["aten::mm", "aten::add", "aten::mul"],
        "control_counts" => [2i64, 1, 4],
        "control_total_duration" => [20_000.0, 1_000.0, 40_000.0],
        "test_counts" => [1i64, 3, 1],
        "test_total_duration" => [10_000.0, 3_000.0, 10_000.0],
        "diff_counts" => [-1i64, 2, -3],
        "diff_duration" => [-10_000.0, 2_000.0, -30_000.0],
    )
    .unwrap();
    let changes = Comparison::marked("control", "test", "counts_change_categories", &["-", "+", "-"]).unwrap();
    compared.with_column(changes).unwrap();
    let by_rank = df!("rank" => [0i64, 1, 2], "share" => [Some(0.5), None, Some(0.25)]);
    let events =
        df!("cat" => ["a", "a", "b", "b"], "stream" => [7i64, 7, 20, 20], "dur" => [1_000i64, 3_000, 3_000, 9_000]);
    let words = df!("name" => ["a", "b"]);
    let mut notebook = Notebook::default();
    for (name, frame) in [("compared", Ok(compared)), ("by_rank", by_rank), ("events", events), ("words", words)] {
        notebook = notebook.with_frame(name, frame.unwrap());
    }
    notebook
}

/// Returns the one interactive figure of a line.
fn figure(line: &str) -> Value {
    let outputs = notebook().outputs(line).unwrap();
    let [Output::Display { bundle, id: None }] = outputs.as_slice() else { panic!("{outputs:?}") };
    assert!(bundle.data.contains_key(PNG) && !bundle.plain().is_empty());
    bundle.data[PLOTLY].clone()
}

#[test]
fn bars_of_a_comparison_are_its_durations_in_a_fitting_unit() {
    let figure = figure("%show compared --as bar --sort diff_duration:asc --top 2");
    let names: Vec<&str> = figure["data"].as_array().unwrap().iter().filter_map(|data| data["name"].as_str()).collect();
    assert_eq!(names, ["control_total_duration", "test_total_duration", "diff_duration"]);
    assert_eq!(figure["data"][0]["x"], json!(["aten::mul", "aten::mm"]));
    assert_eq!(figure["data"][2]["y"], json!([-30.0, -10.0]));
    assert_eq!(figure["layout"]["yaxis"]["title"]["text"], "[ms]");
    let title = figure["layout"]["title"]["text"].as_str().unwrap();
    assert!(title.contains("2 of 3 rows") && title.contains("sorted by diff_duration"), "{title}");
}

#[test]
fn bars_default_to_the_first_measure_at_names_or_ids() {
    let figure = figure("%show by_rank --as bar");
    assert_eq!(figure["data"][0]["name"], "share");
    assert_eq!(figure["data"][0]["x"], json!(["0", "1", "2"]));
    assert_eq!(figure["data"][0]["y"], json!([0.5, null, 0.25]));
    assert_eq!(figure["layout"]["xaxis"]["title"]["text"], "rank");
}

#[test]
fn bars_use_the_columns_of_x_and_y() {
    let figure = figure("%show compared --as bar --x counts_change_categories --y control_counts,test_counts");
    assert_eq!(figure["data"].as_array().map(Vec::len), Some(2));
    assert_eq!(figure["data"][0]["x"], json!(["-", "+", "- (2)"]));
    assert_eq!(figure["data"][1]["y"], json!([1.0, 3.0, 1.0]));
}

#[test]
fn histogram_counts_durations_in_a_fitting_unit() {
    let figure = figure("%show events --as histogram --bins 4");
    // dur is in ns, shown in µs: 1, 3, 3, 9 in four bars of 2 µs.
    assert_eq!(figure["data"][0]["x"], json!([2.0, 4.0, 6.0, 8.0]));
    assert_eq!(figure["data"][0]["y"], json!([1.0, 2.0, 0.0, 1.0]));
    assert_eq!(figure["layout"]["xaxis"]["title"]["text"], "dur [µs]");
    let with_null = self::figure("%show by_rank --as histogram --x share --bins 2");
    assert!(with_null["layout"]["title"]["text"].as_str().unwrap().contains("1 rows without a value"));
}

#[test]
fn histogram_of_ids_has_a_bar_per_id() {
    let figure = figure("%show events --as histogram --x stream --bins 100");
    let y = figure["data"][0]["y"].as_array().unwrap();
    assert_eq!((y.len(), &y[0], &y[13]), (14, &json!(2.0), &json!(2.0)));
}

#[test]
fn as_table_shows_a_table() {
    let outputs = notebook().outputs("%show compared --as table --columns name").unwrap();
    let [Output::Display { bundle, .. }] = outputs.as_slice() else { panic!("{outputs:?}") };
    assert!(bundle.data.contains_key(TABLE) && !bundle.data.contains_key(PLOTLY));
}

#[test]
fn wrong_columns_and_flags_are_named_with_a_hint() {
    let mut notebook = notebook();
    for (line, expected) in [
        ("%show compared --as bar --y diff_duratoin", "unknown column `diff_duratoin`.*; did you mean diff_duration?"),
        ("%show compared --as bar --x nme", "unknown column `nme`.*; did you mean name?"),
        (
            "%show compared --as bar --y name",
            "invalid --y `name`: expected a column of numbers, not of str; numeric columns: control_counts, ",
        ),
        (
            "%show events --as histogram --x cat",
            "invalid --x `cat`: expected a column of numbers, not of str; numeric columns: dur",
        ),
        (
            "%show words --as bar",
            "cannot draw the frame: it has no column of numbers besides ids; choose columns with --x and --y",
        ),
        ("%show words --as histogram", "cannot draw the frame: it has no column of numbers besides ids"),
        (
            "%show compared --as bar --y diff_counts,diff_duration",
            "cannot draw diff_counts and diff_duration in one figure: their units differ (a number and µs); draw one at a time",
        ),
        ("%show events --as histogram --bins 0", "invalid --bins `0`: expected 1 to 10,000"),
        ("%show events --bins 3", "cannot use --bins with --as table: it applies only to --as histogram"),
        ("%show events --as histogram --y dur", "cannot use --y with --as histogram: it applies only to --as bar"),
        ("%show events --as bar --columns dur", "cannot use --columns with --as bar: it applies only to --as table"),
        ("%show events --as pie", "invalid --as `pie`: expected table, bar or histogram"),
    ] {
        let error = notebook.error(line);
        let (start, end) = expected.split_once(".*").unwrap_or((expected, ""));
        assert!(
            error.starts_with("UsageError: %show") && error.contains(start) && error.contains(end),
            "{line}: {error}"
        );
    }
}

#[test]
fn figure_binds_rows_and_writes_all_files() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    let mut notebook = notebook();
    let line = format!(
        "x = %show compared --as bar --filter mm --csv '{}' --html '{}' --png '{}'",
        path("x.csv").display(),
        path("x.html").display(),
        path("x.png").display()
    );
    let output = notebook.text(&line);
    assert!(output.contains("x: DataFrame 1 × 8") && !output.contains("20.0"), "{output}");
    assert_eq!(notebook.frame("x").height(), 1);
    assert!(std::fs::read_to_string(path("x.csv")).unwrap().lines().count() == 2);
    assert!(std::fs::read(path("x.png")).unwrap().starts_with(b"\x89PNG"));
    assert!(std::fs::read_to_string(path("x.html")).unwrap().contains("Plotly.newPlot"));
}

#[test]
fn empty_frame_draws_nothing() {
    let empty = df!("name" => Vec::<String>::new(), "dur" => Vec::<i64>::new()).unwrap();
    let mut notebook = Notebook::default().with_frame("empty", empty);
    for form in ["bar", "histogram"] {
        let text = notebook.text(&format!("%show empty --as {form}"));
        assert!(text.contains("nothing to draw"), "{text}");
    }
}
