//! `explain CONTROL TEST` explains the difference of two traces, and prints one row: events, bytes of the columns that are loaded,
//! seconds, peak memory beyond the columns, the same per event, and the ratio of columns and peak to columns.
#![allow(clippy::print_stdout)]

use std::time::Instant;
use trace::{Execution, Explain, TraceSet};

type Outcome<T> = Result<T, Box<dyn std::error::Error>>;

/// A field of `/proc/self/status` in bytes.
fn memory(field: &str) -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find(|line| line.starts_with(field)).unwrap_or("");
    line.split_whitespace().nth(1).and_then(|kib| kib.parse::<u64>().ok()).unwrap_or(0) * 1024
}

fn main() -> Outcome<()> {
    let mut paths = std::env::args().skip(1);
    let (Some(control), Some(test)) = (paths.next(), paths.next()) else {
        return Err("usage: explain CONTROL TEST".into());
    };
    let (control, test) = (TraceSet::load(control)?, TraceSet::load(test)?);
    let columns = (control.memory_bytes() + test.memory_bytes()) as u64;
    let events: usize = control.traces().iter().chain(test.traces()).map(|rank| rank.info().events).sum();
    // Without support by the system, the peak is that of the process so far.
    let _ = std::fs::write("/proc/self/clear_refs", "5");
    let (before, start) = (memory("VmRSS"), Instant::now());
    let explained = Execution::new().threads(1).run(|| Explain::new(&control, &test).run())?;
    let (seconds, peak) = (start.elapsed().as_secs_f64(), memory("VmHWM").saturating_sub(before));
    let mib = |bytes: u64| bytes as f64 / 1024.0 / 1024.0;
    let each = |bytes: u64| bytes as f64 / events.max(1) as f64;
    println!(
        "| {} → {} | {events} | {} | {:.1} MiB | {:.0} B | {seconds:.3} s | {:.1} MiB | {:.0} B | {:.2} |",
        control.label(),
        test.label(),
        explained.region_count(),
        mib(columns),
        each(columns),
        mib(peak),
        each(peak),
        (columns + peak) as f64 / columns.max(1) as f64,
    );
    Ok(())
}
