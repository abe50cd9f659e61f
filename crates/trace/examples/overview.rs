//! `overview TRACE`: a summary of a trace, two analyses, and a query of its own in polars.
//!
//! ```sh
//! cargo run --release -p trace --example overview -- notebooks/data/job
//! ```

use std::io::Write;
use trace::prelude::*;

type Outcome = Result<(), Box<dyn std::error::Error>>;

/// Prints a summary of a trace, the use of device time, and the iteration that waits longest for its kernels.
///
/// # Errors
/// If the trace cannot be loaded, or `out` cannot be written.
pub(crate) fn overview(path: &str, out: &mut dyn Write) -> Outcome {
    let traces = TraceSet::load(path)?;

    // Anomalies first: they limit all further answers.
    let page = traces.describe()?;
    for finding in &page.findings {
        writeln!(out, "finding: {}", finding.what())?;
    }
    for rank in &page.ranks {
        let busy = rank.device.and_then(|device| device.busy_percent()).unwrap_or(0.0);
        writeln!(out, "rank {}: {} events, device busy for {busy:.1} % of its time", rank.rank, rank.events)?;
    }

    // An analysis is a struct with HTA's parameters; its answer has frames, figures and sentences.
    let analysis = TraceAnalysis::new(&traces)?;
    let answer = analysis.ask(&GpuKernelBreakdown { num_kernels: 3, ..Default::default() })?;
    for table in &answer.tables {
        writeln!(out, "\n{}", frame_table(&table.frame, "GPU time", 5).text())?;
    }
    writeln!(out, "stragglers: {:?}", analysis.get_potential_stragglers(&PotentialStragglers::default())?)?;

    // Everything else is polars: events() has a row per event of all ranks, times in whole nanoseconds.
    let waits = traces
        .events()
        .lazy()
        .filter(col("name").cast(DataType::String).eq(lit("cudaStreamSynchronize")))
        .group_by([col("iteration")])
        .agg([col("dur").sum().alias("waited_ns")])
        .sort(["waited_ns"], SortMultipleOptions::default().with_order_descending(true))
        .limit(1)
        .collect()?;
    writeln!(out, "{}", frame_table(&waits, "the iteration that waits longest", 1).text())?;
    Ok(())
}

fn main() -> Outcome {
    let path = std::env::args().nth(1).ok_or("usage: overview TRACE (a file or a folder)")?;
    overview(&path, &mut std::io::stdout())
}
