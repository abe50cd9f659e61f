//! The columns of arguments.

use super::goldens::{json, load, say, shared};
use std::collections::BTreeSet;
use trace::polars::prelude::{Column, DataType};

#[test]
fn columns_of_arguments_add_up_as_htas() {
    let Some(shared) = shared("arguments") else { return };
    let mut total = 0;
    for name in [
        "critical_path/alexnet",
        "trace_compare/base",
        "trace_filter",
        "nccl_parser_config",
        "cpu_only",
        "triton_example",
        "amd_trace",
    ] {
        let golden = json(&shared.join("golden").join(name).join("parser_config/default.json"));
        let rank = golden["rank"].as_i64().unwrap();
        let events = load(&shared, name).rank(rank).unwrap().events();
        for (column, golden) in golden["columns"].as_object().unwrap() {
            // Derived columns and sentinels other than the defaults are compared row by row elsewhere.
            if ["index_correlation", "iteration", "end", "ts", "dur"].contains(&column.as_str()) {
                continue;
            }
            let rows = events.height();
            let empty = Column::full_null(column.as_str().into(), rows, &DataType::Int64);
            let ours = events.column(column).cloned().unwrap_or(empty);
            let place = format!("{name} {column}");
            if let Some(sum) = golden.get("sum") {
                let default = default(column) * ours.null_count() as f64;
                let values = ours.cast(&DataType::Float64).unwrap();
                let values: f64 = values.f64().unwrap().iter().flatten().sum();
                let golden = sum.as_f64().unwrap();
                assert!((values + default - golden).abs() <= 1e-9 * golden.abs(), "{place}: {values}, {golden}");
            } else {
                let texts = ours.cast(&DataType::String).unwrap();
                let default = default_text(column);
                let distinct: BTreeSet<&str> =
                    texts.str().unwrap().iter().map(|text| text.unwrap_or(default)).collect();
                assert_eq!(golden["distinct"], distinct.len(), "{place}");
            }
            total += 1;
        }
    }
    say(&format!("arguments: {total}/{total} columns"));
    assert!(total > 150, "only {total} columns found");
}

/// What HTA writes where an argument is absent.
fn default(column: &str) -> f64 {
    match column {
        "memory_bw_gbps" | "in_msg_nelems" | "out_msg_nelems" | "group_size" => 0.0,
        _ => -1.0,
    }
}

/// The same for texts and lists, as text.
fn default_text(column: &str) -> &'static str {
    match column {
        "input_dims" | "input_type" | "input_strides" => "-1",
        "in_split_size" | "out_split_size" => "[]",
        _ => "",
    }
}
