//! `--where`, `--group-by`, `--sort` and `--top` of table magics, and that they compose.

#![allow(clippy::unwrap_used)]
use super::Notebook;
use super::fixtures::notebook_with;
use trace::analysis::CATALOG;
use trace::polars::df;
use trace::polars::prelude::DataType;
use trace_testkit::{Stream, TraceBuilder};

fn notebook() -> Notebook {
    let trace = |rank: i64| {
        TraceBuilder::new()
            .rank(rank)
            .step(1, 0..100)
            .operator("aten::mm", 10..40)
            .runtime("cudaLaunchKernel", 1, 20..25)
            .kernel("gemm", Stream(7), 30..60)
            .correlation(1)
            .kernel("copy", Stream(20), 62..70)
            .kernel("gemm", Stream(7), 70..90)
    };
    notebook_with(&[("a", trace(0)), ("b", trace(1))]).1
}

fn ints(notebook: &Notebook, column: &str) -> Vec<i64> {
    let column = notebook.frame("x").column(column).unwrap().cast(&DataType::Int64).unwrap();
    column.i64().unwrap().iter().flatten().collect()
}

#[test]
fn every_table_magic_takes_the_four_flags() {
    let of_tables = ["events", "call_graph", "call_stack", "compare_traces", "ops_diff", "noise", "show", "trace_sql"];
    for name in of_tables.into_iter().chain(CATALOG.iter().map(|entry| entry.name)) {
        let magic = crate::magic::find(name).unwrap();
        let flags: Vec<&str> = magic.arguments().iter().flat_map(|group| group.arguments).map(|a| a.name).collect();
        for flag in ["where", "group-by", "sort", "top"] {
            assert!(flags.contains(&flag), "%{name} lacks --{flag}");
        }
    }
}

#[test]
fn rows_are_filtered_grouped_sorted_and_cut() {
    let mut notebook = notebook();
    notebook.text("%events a --device-type gpu --group-by name --sort name:asc --as x");
    assert_eq!((ints(&notebook, "rows"), ints(&notebook, "dur")), (vec![1, 2], vec![8_000, 50_000]));
    assert_eq!((ints(&notebook, "ts"), ints(&notebook, "end")), (vec![62_000, 30_000], vec![70_000, 90_000]));
    assert!(notebook.frame("x").column("correlation").is_err(), "ids do not add up");
    let text = notebook.text("%events a --where 'stream == 7' --group-by stream,name --sort dur --top 1");
    assert!(text.contains("50"), "{text}");
    notebook.text("%trace_sql --where 'dur > 10us' --group-by trace --sort rows --as x SELECT trace, dur FROM kernels");
    assert_eq!((ints(&notebook, "rows"), ints(&notebook, "dur")), (vec![2, 2], vec![50_000, 50_000]));
    notebook.text("%call_graph a --where 'cat == kernel' --group-by name --as x");
    assert!(ints(&notebook, "rows").iter().sum::<i64>() >= 1, "one kernel has a launch");
    let text = notebook.text("%gpu_kernel_breakdown a --group-by kernel_type --no-figure");
    assert!(text.contains("rows"), "{text}");
}

#[test]
fn frames_of_variables_are_grouped_by_what_their_columns_say() {
    let df = df!("name" => ["a", "b", "a"], "counts" => [1, 2, 3], "mean_duration" => [1.0, 2.0, 3.0], "max" => [5, 6, 7], "rank" => [0, 0, 1]);
    let mut notebook = Notebook::default().with_frame("df", df.unwrap());
    notebook.text("x = %show df --where 'counts >= 1' --group-by name");
    assert_eq!(notebook.frame("x").get_column_names(), ["name", "rows", "counts", "max"]);
    assert_eq!((ints(&notebook, "counts"), ints(&notebook, "max")), (vec![4, 2], vec![7, 6]));
}

#[test]
fn pages_become_the_table_of_their_rows() {
    let mut notebook = notebook();
    notebook.text("all = %explain a b");
    let sum = |notebook: &Notebook, name: &str, column: &str| {
        let column = notebook.frame(name).column(column).unwrap().cast(&DataType::Float64).unwrap();
        column.f64().unwrap().iter().flatten().sum::<f64>()
    };
    let text = notebook.text("%explain a b --group-by name --sort control_us --as x");
    assert!(text.starts_with("regions · a → b") && text.contains("sorted by control_us"), "{text}");
    assert_eq!(ints(&notebook, "rows").iter().sum::<i64>(), notebook.frame("all").height() as i64);
    assert!(sum(&notebook, "x", "control_us") > 0.0);
    assert!((sum(&notebook, "x", "control_us") - sum(&notebook, "all", "control_us")).abs() < 1e-9);
    for column in ["region", "q", "interval_low_us"] {
        assert!(notebook.frame("x").column(column).is_err(), "{column} does not add up");
    }
    // A condition of %explain is one on events, and keeps the page.
    assert!(!notebook.text("%explain a b --where 'stream == 7'").starts_with("regions"));
}

#[test]
fn pages_of_several_tables_say_how_to_ask_one() {
    let mut notebook = notebook();
    let error = notebook.error("%what_if a --group-by bound_by");
    assert!(error.contains("x = %what_if …, then %show x --group-by …"), "{error}");
    assert!(notebook.error("%tree_diff a b --sort Δ").contains("%show x --sort"));
    let error = notebook.error("%waterfall a b --group-by name");
    assert!(error.contains("%trace_sql and %show take --group-by"), "{error}");
}

#[test]
fn mistakes_name_the_flag_and_the_columns() {
    let mut notebook = notebook();
    let error = notebook.error("%events a --group-by nam");
    assert!(error.contains("unknown column `nam`") && error.contains("did you mean name?"), "{error}");
    assert!(notebook.error("%events a --group-by name,name").contains("name only once"));
    let error = notebook.error("%trace_sql --where 'nam == x' SELECT name, dur FROM kernels");
    assert!(error.contains("invalid --where") && error.contains("nam"), "{error}");
}
