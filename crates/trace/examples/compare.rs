//! `compare CONTROL TEST`: operators and kernels that take longer in a second run, without Jupyter.
//!
//! ```sh
//! cargo run --release -p trace --example compare -- notebooks/data/control notebooks/data/test
//! ```

use std::io::Write;
use trace::prelude::*;

type Outcome = Result<(), Box<dyn std::error::Error>>;

/// Prints the additional work of the device in the first iteration of the first rank of both sides.
///
/// # Errors
/// If a trace cannot be loaded, or `out` cannot be written.
pub(crate) fn compare(control: &str, test: &str, out: &mut dyn Write) -> Outcome {
    // Labels name the columns of a comparison.
    let control = TraceSet::load(control)?.with_label("control");
    let test = TraceSet::load(test)?.with_label("test");
    for warning in control.warnings().iter().chain(test.warnings()) {
        writeln!(out, "warning: {warning}")?;
    }

    let diff = TraceDiff::new(&control, &test).device_type(DeviceType::GPU).use_short_name(true);
    let counts = diff.ops_diff()?;
    writeln!(out, "{} kernels are new, {} are gone", counts.added.len(), counts.deleted.len())?;

    // A comparison is a polars frame like any other: durations are in µs, a difference is test − control.
    let slower = diff
        .compare_traces()?
        .lazy()
        .filter(col("diff_duration").gt(lit(0.0)))
        .sort(["diff_duration"], SortMultipleOptions::default().with_order_descending(true))
        .select([col("short_name"), col("diff_counts"), col("diff_duration")])
        .limit(5)
        .collect()?;
    writeln!(out, "{}", frame_table(&slower, "what takes longer", slower.height()).text())?;
    Ok(())
}

fn main() -> Outcome {
    let paths: Vec<String> = std::env::args().skip(1).collect();
    let [control, test] = paths.as_slice() else {
        return Err("usage: compare CONTROL TEST (a file or a folder each)".into());
    };
    compare(control, test, &mut std::io::stdout())
}
