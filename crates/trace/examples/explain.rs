//! `explain CONTROL TEST` explains the difference of two traces, and prints one row: events, bytes of the columns that are loaded,
//! seconds, peak memory beyond the columns, the same per event, and the ratio of columns and peak to columns. Then the seconds of CPU that
//! the page takes, verdicts included, and those that it takes besides to say what bounds both sides, with their share.
#![allow(clippy::print_stdout)]

use std::time::Instant;
use trace::trace_view::Present;
use trace::{CriticalPath, Execution, Explain, Instance, TraceSet};

type Outcome<T> = Result<T, Box<dyn std::error::Error>>;

/// A field of `/proc/self/status` in bytes.
fn memory(field: &str) -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find(|line| line.starts_with(field)).unwrap_or("");
    line.split_whitespace().nth(1).and_then(|kib| kib.parse::<u64>().ok()).unwrap_or(0) * 1024
}

/// Returns the seconds of CPU that `work` takes: the mean of some calls, since the system counts in hundredths.
fn cpu(mut work: impl FnMut() -> trace::Result<()>) -> Outcome<f64> {
    const CALLS: u32 = 20;
    let ticks = || -> Option<u64> {
        let text = std::fs::read_to_string("/proc/self/stat").ok()?;
        // User and system time are the 14th and 15th field; the second may contain blanks, in parentheses.
        let mut fields = text.rsplit_once(')')?.1.split_whitespace().skip(11);
        Some(fields.next()?.parse::<u64>().ok()? + fields.next()?.parse::<u64>().ok()?)
    };
    let before = ticks();
    for _ in 0..CALLS {
        work()?;
    }
    let ticks = ticks().zip(before).map_or(0, |(after, before)| after - before);
    Ok(ticks as f64 / 100.0 / f64::from(CALLS))
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
    let page = cpu(|| Explain::new(&control, &test).run().map(|explained| drop(explained.present())))?;
    let query = CriticalPath { instance: Instance::All, top: 0, ..CriticalPath::default() };
    let bounds = cpu(|| query.diagnose(&control, &test)?.table().map(drop))?;
    let mib = |bytes: u64| bytes as f64 / 1024.0 / 1024.0;
    let each = |bytes: u64| bytes as f64 / events.max(1) as f64;
    println!(
        "| {} → {} | {events} | {} | {:.1} MiB | {:.0} B | {seconds:.3} s | {:.1} MiB | {:.0} B | {:.2} | {page:.4} s | {bounds:.4} s | {:.0} % |",
        control.label(),
        test.label(),
        explained.region_count(),
        mib(columns),
        each(columns),
        mib(peak),
        each(peak),
        (columns + peak) as f64 / columns.max(1) as f64,
        100.0 * bounds / page,
    );
    Ok(())
}
