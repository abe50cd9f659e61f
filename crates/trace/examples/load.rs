//! `load FILE|FOLDER|SAVED.arrow [--save SAVED.arrow]`: loads a trace (or maps a saved one) and prints rows, seconds, CPU
//! seconds, peak memory and a digest of the columns; `--save` writes it for the next run.
//!
//! The digest (rows, and the sum of every column of numbers) tells whether two readers saw the same trace.
#![allow(clippy::print_stdout)]

use std::time::Instant;
use trace::TraceSet;
use trace::polars::prelude::{Column, DataType};
use trace::write::arrow;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut args = std::env::args().skip(1);
    let path = args.next().ok_or("usage: load FILE|FOLDER|SAVED.arrow [--save SAVED.arrow]")?;
    let (start, cpu) = (Instant::now(), cpu_seconds());
    let traces = if path.ends_with(".arrow") { arrow::map(&path)? } else { TraceSet::load(&path)? };
    let seconds = start.elapsed().as_secs_f64();
    println!("rows         {}", traces.event_count());
    println!("seconds      {seconds:.4}");
    if let (Some(before), Some(after)) = (cpu, cpu_seconds()) {
        println!("cpu seconds  {:.2}", after - before);
    }
    if let Some(peak) = peak_memory() {
        println!("peak memory  {peak}");
    }
    println!("columns      {:.1} MB", traces.memory_bytes() as f64 / 1e6);
    if let (Some("--save"), Some(file)) = (args.next().as_deref(), args.next()) {
        let start = Instant::now();
        arrow::save(&traces, &file)?;
        println!("saved in     {:.4} s", start.elapsed().as_secs_f64());
    }
    for warning in traces.warnings() {
        println!("warning      {warning}");
    }
    for trace in traces.traces() {
        println!("rank {}, {} rows", trace.rank(), trace.events().height());
        for column in trace.events().columns() {
            println!("  {:<36} {}", column.name(), digest(column)?);
        }
    }
    Ok(())
}

fn digest(column: &Column) -> trace::Result<String> {
    let there = column.len() - column.null_count();
    let series = column.as_materialized_series();
    Ok(match column.dtype() {
        DataType::Int64 => {
            format!("{there} values, sum {}", series.i64()?.iter().flatten().map(i128::from).sum::<i128>())
        }
        DataType::Float64 => format!("{there} values, sum {}", series.f64()?.iter().flatten().sum::<f64>()),
        _ => {
            let texts = series.cast(&DataType::String)?;
            let bytes = texts.str()?.iter().flatten().flat_map(str::bytes).map(u64::from).sum::<u64>();
            format!("{there} values, bytes add up to {bytes}")
        }
    })
}

/// User and system time of this process, from Linux's /proc; clock ticks are hundredths of a second there.
fn cpu_seconds() -> Option<f64> {
    let stat = std::fs::read_to_string("/proc/self/stat").ok()?;
    let mut fields = stat.rsplit_once(')')?.1.split_whitespace().skip(11);
    let user: f64 = fields.next()?.parse().ok()?;
    let system: f64 = fields.next()?.parse().ok()?;
    Some((user + system) / 100.0)
}

/// The most memory this process ever held.
fn peak_memory() -> Option<String> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find(|line| line.starts_with("VmHWM:"))?;
    Some(line.trim_start_matches("VmHWM:").trim().to_owned())
}
